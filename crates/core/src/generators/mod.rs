//! The generators that come with the crate.

mod collections;
mod combinators;
mod primitives;
mod recursive;

pub use collections::{Lengths, VecOf, vec};
pub use combinators::{AndThen, Boxed, ByRef, Filter, Just, Map, OneOf, just, one_of, weighted};
pub use recursive::{Recursive, recursive};
