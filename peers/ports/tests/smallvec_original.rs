//! What smallvec documents of its vectors, with proptest: they behave as `Vec` does, and keep few items inline.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

use proptest::prelude::*;
use proptest::sample::Index;
use smallvec::SmallVec;

type Small = SmallVec<[u8; 4]>;

#[derive(Clone, Debug)]
enum Call {
    Push(u8),
    Pop,
    Insert(Index, u8),
    Remove(Index),
    SwapRemove(Index),
    Truncate(Index),
    Extend(Vec<u8>),
    InsertMany(Index, Vec<u8>),
    Drain(Index, Index),
    Retain(u8),
    Dedup,
    Resize(usize, u8),
    Reserve(usize),
    Shrink,
    Clear,
}

fn calls() -> impl Strategy<Value = Vec<Call>> {
    let (at, item) = (any::<Index>, any::<u8>);
    let items = || prop::collection::vec(0..3u8, 0..6);
    let call = prop_oneof![
        item().prop_map(Call::Push),
        Just(Call::Pop),
        (at(), item()).prop_map(|(at, item)| Call::Insert(at, item)),
        at().prop_map(Call::Remove),
        at().prop_map(Call::SwapRemove),
        at().prop_map(Call::Truncate),
        items().prop_map(Call::Extend),
        (at(), items()).prop_map(|(at, items)| Call::InsertMany(at, items)),
        (at(), at()).prop_map(|(from, to)| Call::Drain(from, to)),
        (1..4u8).prop_map(Call::Retain),
        Just(Call::Dedup),
        (0..9usize, item()).prop_map(|(len, item)| Call::Resize(len, item)),
        (0..20usize).prop_map(Call::Reserve),
        Just(Call::Shrink),
        Just(Call::Clear),
    ];
    prop::collection::vec(call, 0..30)
}

fn apply(call: &Call, small: &mut Small, model: &mut Vec<u8>) {
    let len = model.len();
    match call {
        Call::Push(item) => (small.push(*item), model.push(*item)).0,
        Call::Pop => assert_eq!(small.pop(), model.pop()),
        Call::Insert(at, item) => {
            (small.insert(at.index(len + 1), *item), model.insert(at.index(len + 1), *item)).0
        }
        Call::Remove(at) if len > 0 => assert_eq!(small.remove(at.index(len)), model.remove(at.index(len))),
        Call::SwapRemove(at) if len > 0 => {
            assert_eq!(small.swap_remove(at.index(len)), model.swap_remove(at.index(len)))
        }
        Call::Remove(_) | Call::SwapRemove(_) => {}
        Call::Truncate(at) => (small.truncate(at.index(len + 1)), model.truncate(at.index(len + 1))).0,
        Call::Extend(items) => (small.extend_from_slice(items), model.extend_from_slice(items)).0,
        Call::InsertMany(at, items) => {
            let at = at.index(len + 1);
            small.insert_many(at, items.iter().copied());
            model.splice(at..at, items.iter().copied());
        }
        Call::Drain(from, to) => {
            let to = to.index(len + 1);
            let from = from.index(to + 1);
            assert!(small.drain(from..to).eq(model.drain(from..to)));
        }
        Call::Retain(n) => (small.retain(|it| *it % n == 0), model.retain(|it| *it % n == 0)).0,
        Call::Dedup => (small.dedup(), model.dedup()).0,
        Call::Resize(len, item) => (small.resize(*len, *item), model.resize(*len, *item)).0,
        Call::Reserve(n) => {
            small.reserve(*n);
            assert!(small.capacity() >= len + n);
        }
        Call::Shrink => {
            small.shrink_to_fit();
            assert_eq!(small.spilled(), len > small.inline_size());
        }
        Call::Clear => (small.clear(), model.clear()).0,
    }
}

fn hash(it: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    it.hash(&mut hasher);
    hasher.finish()
}

proptest! {
    #[test]
    fn a_small_vector_is_a_vector(calls in calls()) {
        let (mut small, mut model) = (Small::new(), Vec::new());
        for call in &calls {
            apply(call, &mut small, &mut model);
            prop_assert_eq!(small.as_slice(), &model[..]);
            prop_assert!(small.len() <= small.capacity());
            prop_assert_eq!(small.spilled(), small.capacity() > small.inline_size());
        }
    }

    #[test]
    fn few_items_are_inline(items: Vec<u8>) {
        prop_assert_eq!(Small::from_slice(&items).spilled(), items.len() > 4);
        prop_assert_eq!(items.iter().copied().collect::<Small>().spilled(), items.len() > 4);
    }

    #[test]
    fn vectors_survive(items: Vec<u8>) {
        prop_assert_eq!(Small::from_vec(items.clone()).into_vec(), items.clone());
        prop_assert_eq!(Small::from(&items[..]).into_boxed_slice(), items.into_boxed_slice());
    }

    #[test]
    fn order_and_hash_are_those_of_slices(a in prop::collection::vec(0..3u8, 0..6), b in prop::collection::vec(0..3u8, 0..6)) {
        let (x, y) = (Small::from_slice(&a), Small::from_slice(&b));
        prop_assert_eq!(x.cmp(&y), a.cmp(&b));
        prop_assert_eq!(x == y, a == b);
        prop_assert_eq!(hash(&x), hash(&a));
    }

    #[test]
    fn iteration_from_both_ends(items: Vec<u8>, ends: Vec<bool>) {
        let (mut small, mut model) = (Small::from_slice(&items).into_iter(), items.into_iter());
        for end in ends {
            let (ours, theirs) = if end { (small.next(), model.next()) } else { (small.next_back(), model.next_back()) };
            prop_assert_eq!(ours, theirs);
            prop_assert_eq!(small.as_slice(), model.as_slice());
        }
    }

    #[test]
    fn nothing_leaks(n in 0..9usize, from: Index, to: Index, taken in 0..4usize) {
        let item = Rc::new(());
        let mut small: SmallVec<[Rc<()>; 4]> = SmallVec::from_elem(item.clone(), n);
        let to = to.index(n + 1);
        let from = from.index(to + 1);
        small.drain(from..to).take(taken).for_each(drop);
        prop_assert_eq!(Rc::strong_count(&item), 1 + n - (to - from));
        small.into_iter().take(taken).for_each(drop);
        prop_assert_eq!(Rc::strong_count(&item), 1);
    }
}
