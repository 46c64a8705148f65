//! Tables as types.
