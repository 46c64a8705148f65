//! The generators that come with the crate.

#[cfg(test)]
mod agreement;
mod choosing;
mod collections;
mod combinators;
#[cfg(test)]
mod distribution;
mod function;
mod labels;
mod lazy;
mod neighbor;
mod primitives;
mod recursive;
mod sets;
mod system;
mod tuples;
mod wrappers;

pub use choosing::{
    BySize, Chance, Index, Select, Shuffle, Subset, chance, index, select, shuffle, sized, subset,
};
pub use collections::{Lengths, StringOf, VecDequeOf, VecOf, bytes, string, vec, vec_deque};
pub(crate) use combinators::filtered;
pub use combinators::{AndThen, Boxed, ByRef, Filter, Just, Map, OneOf, just, one_of, weighted};
pub use function::{Function, FunctionOf, function};
pub use labels::Labels;
pub use lazy::{Lazy, LazyOf, fill, lazy};
pub use neighbor::Neighbor;
pub use primitives::Ranged;
pub use recursive::{Recursive, recursive};
pub use sets::{MapOf, SetOf, Unique, btree_map, btree_set, hash_map, hash_set, unique};
pub use wrappers::{Optional, optional};
