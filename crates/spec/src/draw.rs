//! A spec drawn from a source, so that every engine can fill it in.
