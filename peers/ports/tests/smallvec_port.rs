//! What smallvec documents of its vectors, with Probity: they behave as `Vec` does, and keep few items inline.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

use probity::generators::Index;
use probity::prelude::*;
use smallvec::SmallVec;

type Small = SmallVec<[u8; 4]>;

#[derive(Clone, Debug, Generate)]
enum Call {
    Push(u8),
    Pop,
    Insert(Index, u8),
    Remove(Index),
    SwapRemove(Index),
    Truncate(Index),
    Extend(#[from(vec(0..3, 0..6))] Vec<u8>),
    InsertMany(Index, #[from(vec(0..3, 0..6))] Vec<u8>),
    Drain(Index, Index),
    Retain(#[from(1..4)] u8),
    Dedup,
    Resize(#[from(0..9)] usize, u8),
    Reserve(#[from(0..20)] usize),
    Shrink,
    Clear,
}

fn apply(call: &Call, small: &mut Small, model: &mut Vec<u8>) {
    let len = model.len();
    match call {
        Call::Push(item) => (small.push(*item), model.push(*item)).0,
        Call::Pop => assert_eq!(small.pop(), model.pop()),
        Call::Insert(at, item) => {
            (small.insert(at.of(len + 1), *item), model.insert(at.of(len + 1), *item)).0
        }
        Call::Remove(at) if len > 0 => assert_eq!(small.remove(at.of(len)), model.remove(at.of(len))),
        Call::SwapRemove(at) if len > 0 => {
            assert_eq!(small.swap_remove(at.of(len)), model.swap_remove(at.of(len)))
        }
        Call::Remove(_) | Call::SwapRemove(_) => {}
        Call::Truncate(at) => (small.truncate(at.of(len + 1)), model.truncate(at.of(len + 1))).0,
        Call::Extend(items) => (small.extend_from_slice(items), model.extend_from_slice(items)).0,
        Call::InsertMany(at, items) => {
            let at = at.of(len + 1);
            small.insert_many(at, items.iter().copied());
            model.splice(at..at, items.iter().copied());
        }
        Call::Drain(from, to) => {
            let to = to.of(len + 1);
            let from = from.of(to + 1);
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

#[probity::test]
fn a_small_vector_is_a_vector(#[from(vec(any::<Call>(), 0..30))] calls: Vec<Call>) {
    let (mut small, mut model) = (Small::new(), Vec::new());
    for call in &calls {
        apply(call, &mut small, &mut model);
        assert_eq!(small.as_slice(), &model[..]);
        assert!(small.len() <= small.capacity());
        assert_eq!(small.spilled(), small.capacity() > small.inline_size());
    }
}

#[probity::test]
fn few_items_are_inline(items: Vec<u8>) {
    assert_eq!(Small::from_slice(&items).spilled(), items.len() > 4);
    assert_eq!(items.iter().copied().collect::<Small>().spilled(), items.len() > 4);
}

#[probity::test]
fn vectors_survive(items: Vec<u8>) {
    assert_eq!(Small::from_vec(items.clone()).into_vec(), items);
    assert_eq!(Small::from(&items[..]).into_boxed_slice(), items.into_boxed_slice());
}

#[probity::test]
fn order_and_hash_are_those_of_slices(#[from([vec(0..3, 0..6), vec(0..3, 0..6)])] [a, b]: [Vec<u8>; 2]) {
    let (x, y) = (Small::from_slice(&a), Small::from_slice(&b));
    assert_eq!(x.cmp(&y), a.cmp(&b));
    assert_eq!(x == y, a == b);
    assert_eq!(hash(&x), hash(&a));
}

#[probity::test]
fn iteration_from_both_ends(items: Vec<u8>, ends: Vec<bool>) {
    let (mut small, mut model) = (Small::from_slice(&items).into_iter(), items.into_iter());
    for end in ends {
        let (ours, theirs) =
            if end { (small.next(), model.next()) } else { (small.next_back(), model.next_back()) };
        assert_eq!(ours, theirs);
        assert_eq!(small.as_slice(), model.as_slice());
    }
}

#[probity::test]
fn nothing_leaks(
    #[from(0..9)] n: usize,
    #[from(0..=n)] to: usize,
    #[from(0..=to)] from: usize,
    #[from(0..4)] taken: usize,
) {
    let item = Rc::new(());
    let mut small: SmallVec<[Rc<()>; 4]> = SmallVec::from_elem(item.clone(), n);
    small.drain(from..to).take(taken).for_each(drop);
    assert_eq!(Rc::strong_count(&item), 1 + n - (to - from));
    small.into_iter().take(taken).for_each(drop);
    assert_eq!(Rc::strong_count(&item), 1);
}
