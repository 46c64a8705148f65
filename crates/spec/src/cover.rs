//! `cover-json`: the structure of a spec as choices.
