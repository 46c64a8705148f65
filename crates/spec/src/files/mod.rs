//! Spec files: the JSON form of specs.
