//! What a test may look like. Each of these runs as it is.

use std::cell::{Cell, RefCell};
use std::fmt::Debug;
use std::future::Future;
use std::marker::PhantomData;
use std::pin::pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use probity::engine::{Budget, Ended, search};
use probity::prelude::*;
use probity::{Check, Space};

#[derive(Debug, PartialEq, Generate)]
enum Tree<T> {
    Leaf(T),
    Node(Box<Tree<T>>, Box<Tree<T>>),
}

impl<T> Tree<T> {
    fn leaves(&self) -> usize {
        match self {
            Tree::Leaf(_) => 1,
            Tree::Node(a, b) => a.leaves() + b.leaves(),
        }
    }

    fn mirror(self) -> Tree<T> {
        match self {
            Tree::Node(a, b) => Tree::Node(Box::new(b.mirror()), Box::new(a.mirror())),
            leaf => leaf,
        }
    }
}

#[probity::test(cases = 100)]
fn derived_types_may_be_generic_and_recursive(tree: Tree<(u8, Option<bool>)>) {
    let leaves = tree.leaves();
    assert_eq!(tree.mirror().leaves(), leaves);
}

#[test]
fn derived_types_are_counted_and_listed() {
    let mut trees = Space::of(&any::<Tree<bool>>()).unwrap();
    // Trees of n nodes, and which of their n + 1 leaves are true: 1, 1 + 1, 2 + 2, 1 + 6 + 5, ...
    let counts: Vec<u128> = (0..4).map(|size| trees.count(size).unwrap()).collect();
    assert_eq!(counts, [1, 2, 4, 12]);
    let mut seen = Vec::new();
    let budget = Budget { cases: 100, rejects: 0, go_on: &mut |_| true, progress: Default::default() };
    let listed = Box::new(trees.replay(0, 1, Some(3)));
    let found = search(listed, &mut |src: &mut Source| seen.push(src.any::<Tree<bool>>()), budget).unwrap();
    assert_eq!((found.ended, found.tally.cases, seen.len()), (Ended::Complete, 19, 19));
    assert!((1..seen.len()).all(|at| !seen[..at].contains(&seen[at])), "{seen:?}");
}

/// Neither `Clone` nor `Send` nor `UnwindSafe`.
#[derive(Debug, Generate)]
struct Handle {
    number: u8,
    #[skip]
    _not_safe: PhantomData<(*mut u8, Rc<Cell<u8>>)>,
}

#[probity::test(cases = 100)]
fn values_need_only_debug(handle: Handle, shared: &mut Handle) {
    shared.number = handle.number;
}

#[probity::test(cases = 100)]
fn later_generators_use_earlier_inputs(
    #[from(1usize..50)] len: usize,
    #[from(vec(any::<u8>(), len))] items: Vec<u8>,
    #[from(0..items.len())] at: usize,
) {
    assert_eq!(items.len(), len);
    let _ = items[at];
}

#[probity::test(cases = 100)]
fn inputs_may_be_borrowed(text: &str, items: &[u16], number: &mut i64, pair: &(u8, String)) {
    *number = number.wrapping_add(text.len() as i64 + items.len() as i64);
    assert!(pair.1.is_char_boundary(0));
}

#[probity::test(cases = 100)]
fn the_source_may_stand_beside_inputs(
    #[from(1u32..20)] before: u32,
    src: &mut Source,
    #[from(1u32..=before)] after: u32,
) {
    let n = src.draw_as("n", after..=before);
    assert!(after <= n && n <= before);
}

#[probity::test(cases = 50, setup = vec![1, 2, 3])]
fn setup_is_made_once_and_lent(#[setup] log: &mut Vec<u32>, n: u32) {
    assert_eq!(log[..3], [1, 2, 3]);
    log.push(n);
}

/// Runs a future that never waits for anything.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(res) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return res;
        }
    }
}

#[probity::test(cases = 100, block_on = block_on)]
async fn a_test_may_be_async(n: u32, word: &str) -> Result<(), std::num::ParseIntError> {
    let text = std::future::ready(n.to_string()).await;
    assert_eq!(text.parse::<u32>()?, n);
    let _ = word;
    Ok(())
}

#[probity::test(cases = 100)]
#[example(a = u8::MAX, b = &[1, 2])]
#[example(a = 0, b = &[])]
fn fixed_inputs_run_too(a: u8, b: &[u8]) {
    b.iter().fold(a, |sum, it| sum.wrapping_add(*it));
}

#[probity::test(cases = 20)]
#[should_panic(expected = "the first example")]
#[example(n = 1)]
fn fixed_inputs_run_first(n: u64) {
    assert_ne!(n, 1, "the first example");
    panic!("a case");
}

#[test]
fn closures_may_capture_anything() {
    let mut sum = 0u64;
    let mut seen: Vec<Rc<u8>> = Vec::new();
    let shared = Rc::new(RefCell::new(Vec::new()));
    Check::new("closures_may_capture_anything").cases(50).engine("random").run(|src: &mut Source| {
        let n = Rc::new(src.draw(1u8..=9));
        sum += u64::from(*n);
        shared.borrow_mut().push(Rc::clone(&n));
        seen.push(n);
    });
    assert_eq!((seen.len(), shared.borrow().len()), (50, 50));
    assert_eq!(sum, seen.iter().map(|it| u64::from(**it)).sum::<u64>());
}

#[test]
fn fixed_inputs_may_borrow_what_the_test_does() {
    let seen = RefCell::new(Vec::new());
    let take = |n: u8| seen.borrow_mut().push(n);
    Check::new("fixed_inputs_may_borrow")
        .cases(2)
        .example("7", || take(7))
        .run(|src: &mut Source| take(src.any()));
    assert_eq!(
        (seen.borrow().len(), seen.borrow()[0]),
        (1 + 2 + 2, 7),
        "the two smallest, and two at random"
    );
}

fn sorted<T: Ord + Clone>(items: &[T]) -> Vec<T> {
    let mut res = items.to_vec();
    res.sort();
    res
}

/// A property of any type, checked for some.
fn sorting_twice_changes_nothing<T: Generate + Ord + Clone + Debug>() {
    Check::new("sorting").cases(50).run(|src: &mut Source| {
        let once = sorted(&src.any::<Vec<T>>());
        assert_eq!(sorted(&once), once);
    });
}

#[test]
fn a_property_may_be_generic() {
    sorting_twice_changes_nothing::<u8>();
    sorting_twice_changes_nothing::<Option<String>>();
}
