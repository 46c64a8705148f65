//! Contracts and tests whose truth is known; see `tests/`.
