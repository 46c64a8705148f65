//! A map of few keys, sorted.

use std::borrow::Borrow;
use std::ops::Index;

/// What was counted, by key and in the order of keys: a sorted list of pairs.
///
/// Not a `BTreeMap`, which for each kind of key is some 7,000 lines of what the compiler makes of it: with six of them,
/// one line in seven of the whole crate. Here they are few, and every user compiles them.
///
/// ```
/// use probity_core::SortedMap;
/// let mut counts = SortedMap::default();
/// *counts.entry("heads", || 0) += 1;
/// assert_eq!((counts["heads"], counts.get("tails")), (1, None));
/// assert!(counts.iter().eq([(&"heads", &1)]) && counts.keys().eq([&"heads"]) && counts.values().eq([&1]));
/// assert!(counts.len() == 1 && !counts.is_empty());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SortedMap<K, V>(Vec<(K, V)>);

impl<K, V> Default for SortedMap<K, V> {
    fn default() -> Self {
        SortedMap(Vec::new())
    }
}

impl<K: Ord, V> SortedMap<K, V> {
    fn find<Q: Ord + ?Sized>(&self, key: &Q) -> Result<usize, usize>
    where
        K: Borrow<Q>,
    {
        self.0.binary_search_by(|it| it.0.borrow().cmp(key))
    }

    /// The value of `key`, which is `first` if there was none.
    pub fn entry(&mut self, key: K, first: impl FnOnce() -> V) -> &mut V {
        let at = match self.find(&key) {
            Ok(at) => at,
            Err(at) => {
                self.0.insert(at, (key, first()));
                at
            }
        };
        &mut self.0[at].1
    }

    /// The value of `key`, if there is one.
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.find(key).ok().map(|at| &self.0[at].1)
    }
}

impl<K, V> SortedMap<K, V> {
    /// All pairs, in the order of keys.
    pub fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.0.iter().map(|it| (&it.0, &it.1))
    }

    /// All keys, in order.
    pub fn keys(&self) -> impl Iterator<Item = &K> {
        self.0.iter().map(|it| &it.0)
    }

    /// All values, in the order of their keys.
    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.0.iter().map(|it| &it.1)
    }

    /// All pairs, the greatest values first.
    ///
    /// ```
    /// let mut counts = probity_core::SortedMap::default();
    /// for side in ["tails", "heads", "tails"] {
    ///     *counts.entry(side, || 0) += 1;
    /// }
    /// assert_eq!(counts.greatest_first(), [(&"tails", &2), (&"heads", &1)]);
    /// ```
    pub fn greatest_first(&self) -> Vec<(&K, &V)>
    where
        V: Ord,
    {
        let mut res: Vec<_> = self.iter().collect();
        crate::insertion_sort::sort_by(&mut res, |a, b| b.1 <= a.1);
        res
    }

    /// How many keys there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<K: Borrow<Q> + Ord, V, Q: Ord + ?Sized> Index<&Q> for SortedMap<K, V> {
    type Output = V;

    fn index(&self, key: &Q) -> &V {
        self.get(key).expect("the key was counted")
    }
}
