//! Sets and maps that keep the order of their items, of the crate `indexmap`.

use std::hash::BuildHasher;

use indexmap::{IndexMap, IndexSet};

use crate::generators::distinct_in_order;
use crate::{Generate, HashKey, Source};

impl<T, S> Generate for IndexSet<T, S>
where
    T: Generate + HashKey,
    S: BuildHasher + Default,
{
    fn generate(source: &mut Source) -> Self {
        let mut res = Self::default();
        distinct_in_order(source, T::generate, |_, item| res.insert(item));
        res
    }
}

impl<K, V, S> Generate for IndexMap<K, V, S>
where
    K: Generate + HashKey,
    V: Generate,
    S: BuildHasher + Default,
{
    fn generate(source: &mut Source) -> Self {
        let mut res = Self::default();
        distinct_in_order(source, K::generate, |src, key| {
            let new = !res.contains_key(&key);
            if new {
                res.insert(key, V::generate(src));
            }
            new
        });
        res
    }
}
