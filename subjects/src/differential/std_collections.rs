//! Collections, iterators, pointers and closures of std.

use std::cell::{Cell, RefCell};
use std::cmp::Reverse;
use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};
use std::hash::BuildHasherDefault;
use std::rc::{Rc, Weak};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, RwLock};

use super::{Reader, Target, digest, shown};

pub(super) const TARGETS: &[Target] = &[
    ("vec", vec),
    ("vec_deque", vec_deque),
    ("linked_list", linked_list),
    ("binary_heap", binary_heap),
    ("btree_map", btree_map),
    ("btree_set", btree_set),
    ("hash_map", hash_map),
    ("hash_set", hash_set),
    ("sort", sort),
    ("slices", slices),
    ("iterators", iterators),
    ("rc", rc),
    ("arc_mutex", arc_mutex),
    ("closures", closures),
    ("dyn_trait", dyn_trait),
    ("boxed_tree", boxed_tree),
];

/// Same in every process.
type Fixed = BuildHasherDefault<DefaultHasher>;

fn vec(bytes: &[u8]) -> u64 {
    let mut v: Vec<u32> = Vec::new();
    for (i, &byte) in bytes.iter().enumerate() {
        let at = usize::from(byte) % (v.len() + 1);
        match byte % 7 {
            0 | 1 => v.insert(at, byte.into()),
            2 => v.extend_from_within(at..),
            3 if !v.is_empty() => drop(v.swap_remove(at.min(v.len() - 1))),
            4 => v.truncate(100),
            5 => drop(v.splice(at..v.len().min(at + 2), [1, 2, i as u32])),
            _ => v.push(i as u32),
        }
        v.truncate(500);
    }
    v.dedup();
    v.retain(|it| it % 5 != 0);
    let first: u32 = v.drain(..v.len() / 2).sum();
    digest((first, v.capacity() >= v.len(), v))
}

fn vec_deque(bytes: &[u8]) -> u64 {
    let mut q = VecDeque::new();
    for &byte in bytes {
        match byte % 5 {
            0 => q.push_front(byte),
            1 => drop(q.pop_back()),
            2 => q.rotate_left(usize::from(byte) % (q.len() + 1)),
            _ => q.push_back(byte),
        }
    }
    digest((q.iter().rev().copied().collect::<Vec<_>>(), q.make_contiguous().to_vec(), q.contains(&9)))
}

fn linked_list(bytes: &[u8]) -> u64 {
    let mut list: LinkedList<u8> = bytes.iter().copied().collect();
    let mut back = list.split_off(bytes.len() / 3);
    back.append(&mut list);
    back.pop_front();
    digest(back)
}

fn binary_heap(bytes: &[u8]) -> u64 {
    let mut heap = BinaryHeap::new();
    let mut res = 0_u64;
    for &byte in bytes {
        heap.push(Reverse((byte / 2, byte)));
        if byte % 3 == 0 {
            res = res.wrapping_mul(31) + heap.pop().map_or(0, |it| u64::from(it.0.1));
        }
    }
    digest((res, heap.into_sorted_vec()))
}

fn btree_map(bytes: &[u8]) -> u64 {
    let mut r = Reader(bytes);
    let mut map = BTreeMap::new();
    while !r.is_empty() {
        let (key, value) = (r.u8(), r.u16());
        match value % 5 {
            0 => drop(map.remove(&key)),
            1 => *map.entry(key).or_insert(7_u16) ^= value,
            _ => drop(map.insert(key, value)),
        }
    }
    let middle: Vec<_> = map.range(50..200).map(|it| *it.1).collect();
    let tail = map.split_off(&128);
    digest((middle, map, tail.first_key_value(), tail.len()))
}

fn btree_set(bytes: &[u8]) -> u64 {
    let (a, b) = bytes.split_at(bytes.len() / 2);
    let (a, b): (BTreeSet<u8>, BTreeSet<u8>) = (a.iter().copied().collect(), b.iter().copied().collect());
    digest((&a & &b, &a ^ &b, a.is_subset(&b), a.difference(&b).last(), a.last()))
}

fn hash_map(bytes: &[u8]) -> u64 {
    let mut map: HashMap<String, usize, Fixed> = HashMap::default();
    for (i, pair) in bytes.chunks(2).enumerate() {
        *map.entry(format!("{:x}", pair[0] % 32)).or_default() += i;
        if pair.len() == 2 && pair[1] > 200 {
            map.remove("a");
        }
    }
    let mut all: Vec<_> = map.iter().collect();
    all.sort();
    digest((all, map.get("1f"), map.keys().map(String::len).sum::<usize>()))
}

fn hash_set(bytes: &[u8]) -> u64 {
    let set: HashSet<(u8, bool), Fixed> = bytes.iter().map(|it| (it / 3, it % 2 == 0)).collect();
    // In the order of the table: the hash is fixed.
    digest(set.into_iter().collect::<Vec<_>>())
}

fn sort(bytes: &[u8]) -> u64 {
    let mut r = Reader(bytes);
    let mut words: Vec<u32> = std::iter::from_fn(|| (!r.is_empty()).then(|| r.u16().into())).collect();
    let mut pairs: Vec<(u8, usize)> = bytes.iter().map(|it| it % 8).zip(0..).collect();
    pairs.sort_by_key(|it| it.0);
    let mut names: Vec<String> = bytes.iter().map(|it| format!("n{it}")).collect();
    names.sort_unstable_by(|a, b| b.cmp(a));
    let middle = words.len() / 2;
    if !words.is_empty() {
        words.select_nth_unstable(middle);
    }
    let nth = words.get(middle).copied();
    words.sort_unstable();
    digest((words.binary_search(&777), words, pairs, names, nth))
}

fn slices(bytes: &[u8]) -> u64 {
    let mut copy = bytes.to_vec();
    copy.rotate_right(bytes.len() / 3);
    copy.reverse();
    let chunks: Vec<u32> = copy.chunks(3).map(|it| it.iter().map(|it| u32::from(*it)).sum()).collect();
    let parts: Vec<_> = bytes.split(|it| it % 16 == 0).map(<[u8]>::len).collect();
    let place = bytes.iter().position(|it| *it > 250);
    let middle = copy.len() / 2;
    copy.copy_within(middle.., 0);
    let windows = bytes.windows(2).filter(|it| it[0] < it[1]).count();
    digest((
        chunks,
        parts,
        place,
        windows,
        copy.concat_with(bytes),
        bytes.starts_with(&[0]),
        bytes < &copy[..],
    ))
}

trait ConcatWith {
    fn concat_with(&self, other: &[u8]) -> Vec<u8>;
}

impl ConcatWith for Vec<u8> {
    fn concat_with(&self, other: &[u8]) -> Vec<u8> {
        [self, other].concat()
    }
}

fn iterators(bytes: &[u8]) -> u64 {
    let numbers = || bytes.iter().map(|it| u64::from(*it));
    let running: Vec<u64> = numbers()
        .scan(0, |sum, it| {
            *sum += it;
            Some(*sum)
        })
        .step_by(3)
        .collect();
    let (even, odd): (Vec<u64>, Vec<u64>) = numbers().partition(|it| it % 2 == 0);
    let zipped: u64 = even.iter().zip(odd.iter().rev()).map(|(a, b)| a * b).sum();
    let flat: Vec<u64> =
        numbers().flat_map(|it| (0..it % 4).chain(it..it + 2)).skip_while(|it| *it < 3).collect();
    let peeked = {
        let mut it = numbers().peekable();
        std::iter::from_fn(|| it.next_if(|it| *it < 200)).count()
    };
    digest((
        (running, zipped, flat, peeked),
        numbers().min_by_key(|it| it % 17),
        numbers().try_fold(0_u8, |a, b| a.checked_add(u8::try_from(b).ok()?)),
        numbers().rposition_of(9),
    ))
}

trait RpositionOf: Iterator<Item = u64> + Sized {
    fn rposition_of(self, wanted: u64) -> Option<usize> {
        self.enumerate().filter(|it| it.1 == wanted).last().map(|it| it.0)
    }
}

impl<I: Iterator<Item = u64>> RpositionOf for I {}

fn rc(bytes: &[u8]) -> u64 {
    struct Node {
        value: u8,
        parent: RefCell<Weak<Node>>,
        children: RefCell<Vec<Rc<Node>>>,
    }
    let node = |value| Rc::new(Node { value, parent: RefCell::default(), children: RefCell::default() });
    let root = node(0);
    let mut last = Rc::clone(&root);
    for &byte in bytes {
        let new = node(byte);
        let parent =
            if byte % 3 == 0 { last.parent.borrow().upgrade().unwrap_or(root.clone()) } else { last };
        *new.parent.borrow_mut() = Rc::downgrade(&parent);
        parent.children.borrow_mut().push(Rc::clone(&new));
        last = new;
    }
    fn sum(node: &Node) -> u64 {
        let below: u64 = node.children.borrow().iter().map(|it| sum(it)).sum();
        u64::from(node.value) + below.wrapping_mul(3)
    }
    digest((sum(&root), Rc::strong_count(&last), Rc::weak_count(&root)))
}

fn arc_mutex(bytes: &[u8]) -> u64 {
    static ONCE: OnceLock<Vec<u32>> = OnceLock::new();
    let table = ONCE.get_or_init(|| (0..256).map(|it| it * it).collect());
    let shared = Arc::new((Mutex::new(Vec::new()), RwLock::new(0_u32), AtomicU32::new(0)));
    let copies: Vec<_> = (0..3).map(|_| Arc::clone(&shared)).collect();
    for (i, &byte) in bytes.iter().enumerate() {
        let it = &copies[i % 3];
        it.0.lock().unwrap_or_else(|it| it.into_inner()).push(table[usize::from(byte)]);
        *it.1.write().unwrap_or_else(|it| it.into_inner()) ^= u32::from(byte) << (i % 24);
        it.2.fetch_add(byte.into(), Ordering::SeqCst);
        let _ = it.2.compare_exchange(77, 78, Ordering::AcqRel, Ordering::Acquire);
    }
    drop(copies);
    let Ok((list, word, count)) = Arc::try_unwrap(shared) else { return 0 };
    digest((list.into_inner().ok(), word.into_inner().ok(), count.into_inner()))
}

fn closures(bytes: &[u8]) -> u64 {
    let calls = Cell::new(0);
    let mut steps: Vec<Box<dyn FnMut(u64) -> u64 + '_>> = Vec::new();
    for &byte in bytes.iter().take(16) {
        let calls = &calls;
        let mut seen = 0_u64;
        steps.push(match byte % 4 {
            0 => Box::new(move |it| it.wrapping_add(byte.into())),
            1 => Box::new(move |it| it.rotate_left(byte.into())),
            2 => Box::new(move |it| {
                calls.set(calls.get() + 1);
                it ^ 0x55
            }),
            _ => Box::new(move |it| {
                seen += it % 9;
                it.wrapping_mul(seen | 1)
            }),
        });
    }
    let mut res = 1;
    for _ in 0..3 {
        res = steps.iter_mut().fold(res, |it, step| step(it));
    }
    drop(steps);
    digest((res, calls.get()))
}

fn dyn_trait(bytes: &[u8]) -> u64 {
    trait Shape {
        fn area(&self) -> u64;
        fn name(&self) -> String {
            "shape".to_string()
        }
    }
    struct Square(u32);
    struct Oblong(u32, u32);
    impl Shape for Square {
        fn area(&self) -> u64 {
            u64::from(self.0).pow(2)
        }
    }
    impl Shape for Oblong {
        fn area(&self) -> u64 {
            u64::from(self.0) * u64::from(self.1)
        }
        fn name(&self) -> String {
            format!("{} by {}", self.0, self.1)
        }
    }
    let mut r = Reader(bytes);
    let mut shapes: Vec<Box<dyn Shape>> = Vec::new();
    while !r.is_empty() {
        shapes.push(if r.u8() % 2 == 0 {
            Box::new(Square(r.u16().into()))
        } else {
            Box::new(Oblong(r.u32(), r.u8().into()))
        });
    }
    shown(shapes.iter().map(|it| (it.area(), it.name())).collect::<Vec<_>>())
}

fn boxed_tree(bytes: &[u8]) -> u64 {
    #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
    enum Tree {
        Leaf(u8),
        Fork(Box<Tree>, Box<Tree>),
    }
    let mut stack: Vec<Tree> = Vec::new();
    for &byte in bytes {
        match (byte % 3, stack.len()) {
            (0, 2..) => {
                let (b, a) = (stack.pop(), stack.pop());
                stack.extend(a.zip(b).map(|(a, b)| Tree::Fork(Box::new(a), Box::new(b))));
            }
            _ => stack.push(Tree::Leaf(byte)),
        }
    }
    let copy = stack.clone();
    stack.sort();
    digest((copy == stack, stack.iter().max(), copy))
}
