//! Collections without duplicates.
//!
//! The number of items is drawn first, then each item. An item that is there already is drawn again, in
//! a discarded span; one that finds nothing new is left out, so a collection may have fewer items than
//! its length says, and the case is rejected where that would be fewer than the least length.

use std::any::type_name;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{BuildHasher, Hash};

use super::collections::{ANY, Lengths};
use super::combinators::FILTER_TRIES;
use crate::unwind::{Unwind, unwind};
use crate::{Combine, Generate, Generator, Part, Site, Source, SourcePlace, Spaces, SpanKind};

/// How often an item that may be left out is drawn again.
const TRIES: u32 = 16;
/// The same of a set that is to be longer than usual: its items are small, so few differ. Of 20 maps that were to have 256 texts,
/// 6 had this many with 16 tries.
const TRIES_IF_LONG: u32 = 256;
const LONG: u32 = 100;
/// How many items are left out before the rest are too: by then the values have run out.
const LEFT_OUT_MAX: u32 = 4;
/// The label of one try.
const TRY: &str = "distinct";

/// What the keys of hashed maps and the items of hashed sets can do. A trait of its own, so that a type that lacks both is
/// one error.
///
/// ```
/// use probity_core::HashKey;
/// fn is_key(_: impl HashKey) {}
/// is_key("text");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be hashed and compared, so it is no key of a map and no item of a set",
    label = "drawn as a key or an item here",
    note = "add `#[derive(PartialEq, Eq, Hash)]` to it"
)]
pub trait HashKey: Eq + Hash {}

// The bound that is not met is not what to write.
#[diagnostic::do_not_recommend]
impl<T: Eq + Hash> HashKey for T {}

/// A vector of values that all differ.
///
/// ```
/// use probity_core::{sample, unique};
/// let v = sample(&unique(0..100, 2..=3), 7);
/// assert!(v.len() >= 2 && v[0] != v[1]);
/// ```
#[track_caller]
pub fn unique<G: Generator<Value: Ord>>(item: G, lengths: impl Into<Lengths>) -> Unique<G> {
    Unique { item, lengths: lengths.into(), site: Site { what: "unique", location: SourcePlace::caller() } }
}

/// See [`unique`].
#[derive(Clone, Debug)]
pub struct Unique<G> {
    item: G,
    lengths: Lengths,
    site: Site,
}

impl<G: Generator<Value: Ord>> Generator for Unique<G> {
    type Value = Vec<G::Value>;

    fn generate(&self, source: &mut Source) -> Self::Value {
        let mut res: Vec<G::Value> = Vec::new();
        let mut sorted: Vec<usize> = Vec::new();
        let lengths = self.lengths;
        distinct(
            source,
            lengths,
            Some(self.site),
            ItemOrder::Matters,
            |src| self.item.generate(src),
            |_, item| {
                let Err(at) = sorted.binary_search_by(|&i| res[i].cmp(&item)) else { return false };
                sorted.insert(at, res.len());
                res.push(item);
                true
            },
        );
        res
    }

    fn space(&self, spaces: &mut Spaces) -> Part {
        let parts = [self.item.space(spaces)];
        spaces.unknown_with(format!("`{}`", type_name::<Self>()), &parts)
    }
}

impl<G: Generator<Value: Ord>> Combine for Unique<G> {}

/// An ordered set of generated items.
///
/// ```
/// use probity_core::{btree_set, sample};
/// assert!(sample(&btree_set('a'..='z', 2..=3), 7).len() >= 2);
/// ```
#[track_caller]
pub fn btree_set<G: Generator<Value: Ord>>(
    item: G,
    lengths: impl Into<Lengths>,
) -> SetOf<G, BTreeSet<G::Value>> {
    let site = Site { what: "btree_set", location: SourcePlace::caller() };
    SetOf { item, lengths: lengths.into(), site, add: BTreeSet::insert }
}

/// A hashed set of generated items.
///
/// ```
/// use probity_core::{hash_set, sample};
/// assert!(sample(&hash_set('a'..='z', 2..=3), 7).len() >= 2);
/// ```
#[track_caller]
pub fn hash_set<G: Generator<Value: HashKey>>(
    item: G,
    lengths: impl Into<Lengths>,
) -> SetOf<G, HashSet<G::Value>> {
    let site = Site { what: "hash_set", location: SourcePlace::caller() };
    SetOf { item, lengths: lengths.into(), site, add: HashSet::insert }
}

/// See [`btree_set`] and [`hash_set`].
#[derive(Clone, Debug)]
pub struct SetOf<G: Generator, C> {
    item: G,
    lengths: Lengths,
    site: Site,
    add: fn(&mut C, G::Value) -> bool,
}

impl<G: Generator, C: Default> Generator for SetOf<G, C> {
    type Value = C;

    fn generate(&self, source: &mut Source) -> C {
        let mut res = C::default();
        let lengths = self.lengths;
        let add = |_: &mut Source, item| (self.add)(&mut res, item);
        distinct(source, lengths, Some(self.site), ItemOrder::Any, |src| self.item.generate(src), add);
        res
    }

    fn space(&self, spaces: &mut Spaces) -> Part {
        let parts = [self.item.space(spaces)];
        spaces.unknown_with(format!("`{}`", type_name::<Self>()), &parts)
    }
}

impl<G: Generator, C: Default> Combine for SetOf<G, C> {}

/// An ordered map from generated keys to generated values.
///
/// ```
/// use probity_core::{any, btree_map, sample};
/// assert!(sample(&btree_map('a'..='z', any::<u8>(), 2..=3), 7).len() >= 2);
/// ```
#[track_caller]
pub fn btree_map<K: Generator<Value: Ord>, V: Generator>(
    key: K,
    value: V,
    lengths: impl Into<Lengths>,
) -> MapOf<K, V, BTreeMap<K::Value, V::Value>> {
    let site = Site { what: "btree_map", location: SourcePlace::caller() };
    let (has, add) = (|map: &BTreeMap<_, _>, key: &_| map.contains_key(key), BTreeMap::insert);
    MapOf { key, value, lengths: lengths.into(), site, has, add }
}

/// A hashed map from generated keys to generated values.
///
/// ```
/// use probity_core::{any, hash_map, sample};
/// assert!(sample(&hash_map('a'..='z', any::<u8>(), 2..=3), 7).len() >= 2);
/// ```
#[track_caller]
pub fn hash_map<K: Generator<Value: HashKey>, V: Generator>(
    key: K,
    value: V,
    lengths: impl Into<Lengths>,
) -> MapOf<K, V, HashMap<K::Value, V::Value>> {
    let site = Site { what: "hash_map", location: SourcePlace::caller() };
    let (has, add) = (|map: &HashMap<_, _>, key: &_| map.contains_key(key), HashMap::insert);
    MapOf { key, value, lengths: lengths.into(), site, has, add }
}

/// See [`btree_map`] and [`hash_map`].
#[derive(Clone, Debug)]
pub struct MapOf<K: Generator, V: Generator, C> {
    key: K,
    value: V,
    lengths: Lengths,
    site: Site,
    has: fn(&C, &K::Value) -> bool,
    add: Insert<C, K::Value, V::Value>,
}

type Insert<C, K, V> = fn(&mut C, K, V) -> Option<V>;

impl<K: Generator, V: Generator, C: Default> Generator for MapOf<K, V, C> {
    type Value = C;

    fn generate(&self, source: &mut Source) -> C {
        let mut res = C::default();
        let lengths = self.lengths;
        let add = |src: &mut Source, key| {
            let new = !(self.has)(&res, &key);
            if new {
                (self.add)(&mut res, key, self.value.generate(src));
            }
            new
        };
        distinct(source, lengths, Some(self.site), ItemOrder::Any, |src| self.key.generate(src), add);
        res
    }

    fn space(&self, spaces: &mut Spaces) -> Part {
        let parts = [self.key.space(spaces), self.value.space(spaces)];
        spaces.unknown_with(format!("`{}`", type_name::<Self>()), &parts)
    }
}

impl<K: Generator, V: Generator, C: Default> Combine for MapOf<K, V, C> {}

impl<T: Generate + Ord> Generate for BTreeSet<T> {
    fn generate(source: &mut Source) -> Self {
        let mut res = Self::default();
        distinct(source, ANY, None, ItemOrder::Any, T::generate, |_, item| res.insert(item));
        res
    }

    fn space(spaces: &mut Spaces) -> Part {
        let parts = [T::space(spaces)];
        spaces.unknown_with(format!("`{}`", type_name::<Self>()), &parts)
    }
}

impl<T: Generate + HashKey, S: BuildHasher + Default> Generate for HashSet<T, S> {
    fn generate(source: &mut Source) -> Self {
        let mut res = Self::default();
        distinct(source, ANY, None, ItemOrder::Any, T::generate, |_, item| res.insert(item));
        res
    }

    fn space(spaces: &mut Spaces) -> Part {
        let parts = [T::space(spaces)];
        spaces.unknown_with(format!("`{}`", type_name::<Self>()), &parts)
    }
}

impl<K: Generate + Ord, V: Generate> Generate for BTreeMap<K, V> {
    fn generate(source: &mut Source) -> Self {
        let mut res = Self::default();
        distinct(source, ANY, None, ItemOrder::Any, K::generate, |src, key| {
            let new = !res.contains_key(&key);
            if new {
                res.insert(key, V::generate(src));
            }
            new
        });
        res
    }

    fn space(spaces: &mut Spaces) -> Part {
        let parts = [K::space(spaces), V::space(spaces)];
        spaces.unknown_with(format!("`{}`", type_name::<Self>()), &parts)
    }
}

impl<K: Generate + HashKey, V: Generate, S: BuildHasher + Default> Generate for HashMap<K, V, S> {
    fn generate(source: &mut Source) -> Self {
        let mut res = Self::default();
        distinct(source, ANY, None, ItemOrder::Any, K::generate, |src, key| {
            let new = !res.contains_key(&key);
            if new {
                res.insert(key, V::generate(src));
            }
            new
        });
        res
    }

    fn space(spaces: &mut Spaces) -> Part {
        let parts = [K::space(spaces), V::space(spaces)];
        spaces.unknown_with(format!("`{}`", type_name::<Self>()), &parts)
    }
}

/// Draws items that all differ, as many as the size budget allows, for a collection that keeps their order.
#[cfg(feature = "indexmap")]
pub(crate) fn distinct_in_order<T>(
    source: &mut Source,
    draw: impl FnMut(&mut Source) -> T,
    add: impl FnMut(&mut Source, T) -> bool,
) {
    distinct(source, ANY, None, ItemOrder::Matters, draw, add);
}

/// Whether the order of the items matters.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ItemOrder {
    Matters,
    Any,
}

/// Draws a length and that many items. `add` takes an item where it is new, and says so.
/// Only a least length above zero can reject the case, so only then a `site` is needed.
#[track_caller]
fn distinct<T>(
    source: &mut Source,
    lengths: Lengths,
    site: Option<Site>,
    order: ItemOrder,
    mut draw: impl FnMut(&mut Source) -> T,
    mut add: impl FnMut(&mut Source, T) -> bool,
) {
    let site = site.unwrap_or(Site { what: "a new item of a set", location: SourcePlace::caller() });
    let (min, _) = lengths.bounds();
    source.span(std::any::type_name::<BTreeSet<T>>(), SpanKind::List, |src| {
        let len = lengths.draw_distinct(src);
        let mut left_out = 0;
        let mut last = Vec::new();
        src.items(len, |src, _| {
            let needed = len - left_out == min;
            let mut tries = match (needed, left_out < LEFT_OUT_MAX) {
                (true, _) => FILTER_TRIES,
                (false, true) if len > LONG => TRIES_IF_LONG,
                (false, true) => TRIES,
                (false, false) => 0,
            };
            let mark = src.mark();
            while tries > 0 {
                let item = src.span(TRY, SpanKind::Group, &mut draw);
                // The same items in another order are the same set, which is to be visited once.
                let places = if order == ItemOrder::Any { src.places_since(mark) } else { None };
                let is_in_order = places.as_ref().is_none_or(|it| last <= *it);
                if is_in_order && add(src, item) {
                    last = places.unwrap_or_default();
                    return src.accept(mark);
                }
                if !src.take_back(mark, site) {
                    src.discard_last(TRY);
                    tries -= 1;
                }
            }
            left_out += 1;
            if needed {
                unwind(Unwind::Reject(site));
            }
        });
    });
}
