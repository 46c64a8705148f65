//! The generators that come with the crate.

#[cfg(test)]
pub(crate) mod agreement;
mod arms;
mod choosing;
mod collections;
mod combinators;
#[cfg(test)]
mod distribution;
mod function;
mod labels;
mod lazy;
mod neighbor;
mod pool;
mod primitives;
mod recursive;
mod sets;
mod states;
mod system;
mod tuples;
mod undrawn;
mod wrappers;

#[doc(hidden)]
pub use arms::shut_unless;
pub use choosing::{
    Alternatives, BySize, Chance, Index, Select, Shuffle, Subset, chance, index, select, shuffle, sized,
    subset,
};
pub use collections::{Lengths, StringOf, VecDequeOf, VecOf, bytes, string, vec, vec_deque};
pub(crate) use combinators::filtered;
pub use combinators::{AndThen, Boxed, ByRef, Filter, Just, Map, OneOf, just, one_of, weighted};
pub use function::{Function, FunctionOf, function};
pub use labels::Labels;
pub use lazy::{Lazy, LazyOf, fill, lazy};
pub use neighbor::Neighbor;
pub use pool::{Held, Hold, Pool, Take};
pub use primitives::Ranged;
pub use recursive::{Recursive, recursive};
#[cfg(feature = "indexmap")]
pub(crate) use sets::distinct_in_order;
pub use sets::{HashKey, MapOf, SetOf, Unique, btree_map, btree_set, hash_map, hash_set, unique};
pub use wrappers::{Optional, optional};
