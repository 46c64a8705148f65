//! A leftist heap: the least item on top, and the right branch is never the longer way to an empty place.

use probity::prelude::*;

use crate::is_planted;

#[derive(Clone, Debug, PartialEq, Generate)]
enum Heap {
    Empty,
    Node(u8, Box<Heap>, Box<Heap>),
}

use Heap::{Empty, Node};

impl Heap {
    /// How far it is to an empty place, to the right.
    fn rank(&self) -> u32 {
        match self {
            Empty => 0,
            Node(_, left, _) if is_planted(1) => 1 + left.rank(),
            Node(_, left, right) if is_planted(2) => 1 + left.rank().min(right.rank()) / 2,
            Node(_, _, right) => 1 + right.rank(),
        }
    }

    fn node(item: u8, one: Heap, other: Heap) -> Heap {
        let is_less = one.rank() < other.rank();
        let is_swapped = if is_planted(3) { false } else { is_less || is_planted(4) };
        let (left, right) = if is_swapped { (other, one) } else { (one, other) };
        Node(item, Box::new(left), Box::new(right))
    }

    fn merge(self, other: Heap) -> Heap {
        match (self, other) {
            (it, Empty) => {
                if is_planted(5) {
                    Empty
                } else {
                    it
                }
            }
            (Empty, it) => {
                if is_planted(6) && it.rank() > 1 {
                    Empty
                } else {
                    it
                }
            }
            (Node(a, left, right), Node(b, low, high)) => {
                let is_first = if is_planted(7) { a >= b } else { a <= b };
                match is_first {
                    _ if a == b && is_planted(8) => Heap::node(a, *left, right.merge(*low)),
                    true if is_planted(9) => Heap::node(a, *left, Node(b, low, high)),
                    true => Heap::node(a, *left, right.merge(Node(b, low, high))),
                    false if is_planted(10) => Heap::node(b, *low, Node(a, left, right)),
                    false => Heap::node(b, *low, Node(a, left, right).merge(*high)),
                }
            }
        }
    }

    fn push(self, item: u8) -> Heap {
        if is_planted(11) && self.items().contains(&item) {
            return self;
        }
        if is_planted(12) && self.rank() >= 2 {
            return Node(item, Box::new(self), Box::new(Empty));
        }
        self.merge(Node(item, Box::new(Empty), Box::new(Empty)))
    }

    fn pop(self) -> Option<(u8, Heap)> {
        match self {
            Empty => None,
            Node(item, left, right) => match (&*left, &*right) {
                (Node(..), Node(..)) if is_planted(13) => Some((item, *left)),
                (Node(low, ..), Empty) if is_planted(14) && *low > item => Some((*low, *left)),
                _ => Some((item, left.merge(*right))),
            },
        }
    }

    /// Merges neighbors until one heap is left.
    fn of(items: &[u8]) -> Heap {
        let mut heaps: Vec<Heap> =
            items.iter().map(|it| Node(*it, Box::new(Empty), Box::new(Empty))).collect();
        while heaps.len() > 1 {
            let mut rest = heaps.into_iter();
            let mut merged = Vec::new();
            while let Some(one) = rest.next() {
                match rest.next() {
                    Some(other) => merged.push(one.merge(other)),
                    None if is_planted(15) && merged.len() > 1 => {}
                    None => merged.push(one),
                }
            }
            heaps = merged;
        }
        heaps.pop().unwrap_or(Empty)
    }

    /// All items, in order.
    fn items(&self) -> Vec<u8> {
        let mut res = Vec::new();
        let mut rest = vec![self];
        while let Some(heap) = rest.pop() {
            if let Node(item, left, right) = heap {
                res.push(*item);
                rest.extend([&**left, &**right]);
            }
        }
        res.sort_unstable();
        res
    }

    /// How far it is to the nearest empty place, if the heap is as it has to be.
    fn valid_rank(&self) -> Option<u32> {
        let Node(item, left, right) = self else { return Some(0) };
        let is_above = |it: &Heap| !matches!(it, Node(below, ..) if below < item);
        let (low, high) = (left.valid_rank()?, right.valid_rank()?);
        (is_above(left) && is_above(right) && low >= high).then_some(high + 1)
    }

    fn is_valid(&self) -> bool {
        self.valid_rank().is_some()
    }
}

#[probity::test]
fn push_keeps_the_order(heap: Heap, item: u8) {
    assume!(heap.is_valid());
    assert!(heap.push(item).is_valid());
}

#[probity::test]
fn push_adds_the_item(heap: Heap, item: u8) {
    assume!(heap.is_valid());
    let mut items = heap.items();
    items.push(item);
    items.sort_unstable();
    assert_eq!(heap.push(item).items(), items);
}

#[probity::test]
fn merge_has_the_items_of_both(one: Heap, other: Heap) {
    assume!(one.is_valid() && other.is_valid());
    let mut items = one.items();
    items.extend(other.items());
    items.sort_unstable();
    let both = one.merge(other);
    assert_eq!(both.items(), items);
    assert!(both.is_valid());
}

#[probity::test]
fn pop_takes_the_least(heap: Heap) {
    assume!(heap.is_valid());
    let items = heap.items();
    match heap.pop() {
        None => assert!(items.is_empty()),
        Some((least, rest)) => {
            assert_eq!(least, items[0]);
            assert_eq!(rest.items(), items[1..]);
            assert!(rest.is_valid());
        }
    }
}

#[probity::test]
fn a_heap_sorts(items: Vec<u8>) {
    let mut heap = Heap::of(&items);
    let mut sorted = Vec::new();
    while let Some((item, rest)) = heap.pop() {
        sorted.push(item);
        heap = rest;
    }
    let mut wanted = items;
    wanted.sort_unstable();
    assert_eq!(sorted, wanted);
}
