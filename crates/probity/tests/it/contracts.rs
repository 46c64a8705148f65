//! Contracts: functions and methods of all kinds are checked, blamed and tested.

use std::panic::{AssertUnwindSafe, catch_unwind};

use probity::prelude::*;

#[probity::contract]
#[requires(1 <= r1 && 1 <= r2 && 0 <= s && s < r1 && r1 <= 1000 && r2 <= 1000)]
#[ensures(|out| 0 <= *out && *out < r2)]
fn rescale(r1: i64, r2: i64, s: i64) -> i64 {
    s * (r2 / r1)
}

#[probity::contract]
#[requires(xs.is_sorted())]
#[ensures(|out| out.is_sorted() && out.len() == xs.len() + 1)]
fn insert(xs: &[i64], x: i64) -> Vec<i64> {
    let mut out = xs.to_vec();
    out.insert(out.partition_point(|it| *it < x), x);
    out
}

#[probity::contract]
#[requires(k <= xs.len())]
#[ensures(|out| out.len() == k && out.is_sorted_by(|a, b| a >= b))]
fn best(k: usize, xs: &[u8]) -> Vec<u8> {
    let mut out = xs.to_vec();
    out.sort_by(|a, b| b.cmp(a));
    out.truncate(k);
    out
}

/// Changes what it is lent, returns early and by `?`.
#[probity::contract]
#[requires(!xs.is_empty())]
#[ensures(|out| out.is_none() || xs.len() + 1 == old(xs.len()))]
#[ensures(move |out| by != 0 || out.is_none())]
fn pop_quotient(xs: &mut Vec<u32>, by: u32) -> Option<u32> {
    if by == 0 {
        return None;
    }
    xs.last()?.checked_div(by)?;
    xs.pop().map(|it| it / by)
}

/// A type of its own, that is drawn by itself; conditions that specs have no words for.
#[derive(Debug, Generate)]
struct Pair(u8, u8);

#[probity::contract]
#[requires(is_ordered(&pair) && pair.1 > 0)]
#[ensures(|out| *out <= 1.0)]
fn share(pair: Pair) -> f64 {
    f64::from(pair.0) / f64::from(pair.1)
}

fn is_ordered(pair: &Pair) -> bool {
    pair.0 <= pair.1
}

#[probity::contract(T = u8, N = 3, cases = 200)]
#[ensures(|out| xs.iter().all(|it| it <= *out))]
fn greatest<'a, T, const N: usize>(xs: &'a [T; N], least: &'a T) -> &'a T
where
    T: Ord + std::fmt::Debug,
{
    xs.iter().chain([least]).max().unwrap_or(least)
}

#[probity::contract]
#[requires(i < xs.len())]
#[ensures(|out| **out == old(xs[i]))]
fn slot(xs: &mut [u16], #[from(0..4_usize)] i: usize) -> &mut u16 {
    &mut xs[i]
}

#[probity::contract(block_on = now)]
#[requires(n < 100)]
#[ensures(|out| *out == n + 1)]
async fn next(n: u32) -> u32 {
    std::future::ready(n).await + 1
}

/// Runs a future that is never waiting.
fn now<F: Future>(future: F) -> F::Output {
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match std::pin::pin!(future).poll(&mut context) {
        std::task::Poll::Ready(it) => it,
        std::task::Poll::Pending => panic!("it waits"),
    }
}

/// # Safety
///
/// `i` is an index.
#[probity::contract]
#[requires(i < xs.len())]
unsafe fn at(xs: &[u8], i: usize) -> u8 {
    // SAFETY: as required.
    unsafe { *xs.get_unchecked(i) }
}

#[derive(Debug, Clone, Generate)]
struct Stack<T> {
    items: Vec<T>,
}

#[probity::contract(T = u8)]
impl<T: Clone + PartialEq> Stack<T> {
    const LIMIT: usize = 1 << 20;

    const fn limit() -> usize {
        Self::LIMIT
    }

    #[requires(self.items.len() < Self::limit())]
    #[ensures(|_| self.items.len() == old(self.items.len()) + 1 && self.items.last() == Some(&old(item.clone())))]
    fn push(&mut self, item: T) {
        self.items.push(item);
    }

    #[requires(!self.items.is_empty())]
    #[ensures(|out| out.0.items.len() + 1 == old(self.items.len()))]
    fn popped(mut self) -> (Self, Option<T>) {
        let item = self.items.pop();
        (self, item)
    }

    #[ensures(|out| *out == self.items.len())]
    fn len(&self) -> usize {
        self.items.len()
    }
}

/// Calls itself, and keeps its contract on the way.
#[probity::contract]
#[requires(n <= 20)]
#[ensures(|out| *out >= u64::from(n))]
fn factorial(n: u8) -> u64 {
    if n < 2 { 1.max(n.into()) } else { u64::from(n) * factorial(n - 1) }
}

fn message(run: impl FnOnce()) -> String {
    let payload = catch_unwind(AssertUnwindSafe(run)).unwrap_err();
    match payload.downcast::<String>() {
        Ok(it) => *it,
        Err(it) => it.downcast::<&str>().map_or_else(|_| "?".to_string(), |it| it.to_string()),
    }
}

#[probity::contract(engine = "random", cases = 1)]
#[ensures(|_| true)]
fn podium(xs: &[u8]) -> usize {
    if xs.len() < 3 { 0 } else { best(3, xs).len() }
}

fn careless(xs: &[u8]) -> usize {
    let _call = probity::contract::CheckedCall::new("careless");
    best(3, xs).len()
}

type Row = (Box<dyn FnOnce()>, &'static str);

#[test]
fn who_breaks_a_contract_is_named() {
    let rows: Vec<Row> = vec![
        (
            Box::new(|| drop(best(3, &[1]))),
            "the caller of `best` broke its contract, which requires `k <= xs.len()`",
        ),
        (
            Box::new(|| assert_eq!(careless(&[1]), 0)),
            "`careless` broke the contract of `best`, which requires `k <= xs.len()`",
        ),
        (
            Box::new(|| assert_eq!(rescale(1, 1, 1), 0)),
            "the caller of `rescale` broke its contract, which requires `s < r1`",
        ),
        (
            Box::new(|| assert_eq!(now(next(100)), 0)),
            "the caller of `next` broke its contract, which requires `n < 100`",
        ),
        (
            Box::new(|| drop(Stack::<u8> { items: vec![] }.popped())),
            "the caller of `Stack<T>::popped` broke its contract, which requires `!self.items.is_empty()`",
        ),
        (Box::new(|| assert_eq!(broken(4), 0)), "`broken` broke its contract, which ensures `*out > old(n)`"),
    ];
    for (run, wanted) in rows {
        assert_eq!(message(run), wanted);
    }
    assert_eq!((podium(&[1]), podium(&[1, 2, 3])), (0, 3));
    // SAFETY: the index is one.
    assert_eq!(unsafe { at(&[7], 0) }, 7);
    assert_eq!((Stack { items: vec![1_u8] }.len(), Stack::<u8>::limit()), (1, 1 << 20));
}

/// It breaks its contract for 4, which the test does not draw.
#[probity::contract]
#[ensures(|out| *out > old(n))]
fn broken(#[from(5..=9)] n: u32) -> u32 {
    if n == 4 { n / 2 } else { n + 1 }
}

/// Rising lists of even length, by two types that contain each other.
#[derive(Debug, Clone, PartialEq, Spec)]
#[spec(depth = 3)]
enum Even {
    End,
    #[spec(require = head < rest.least())]
    More {
        #[spec(range = 0..=5)]
        head: u32,
        rest: Box<Odd>,
    },
}
#[derive(Debug, Clone, PartialEq, Spec)]
enum Odd {
    #[spec(require = head < rest.least_even())]
    More {
        #[spec(range = 0..=5)]
        head: u32,
        rest: Box<Even>,
    },
}
#[probity::measures]
impl Even {
    fn least_even(&self) -> u32 {
        match self {
            Even::End => 99,
            Even::More { head, rest } => rest.least().min(*head),
        }
    }
}
#[probity::measures]
impl Odd {
    fn least(&self) -> u32 {
        match self {
            Odd::More { head, rest } => rest.least_even().min(*head),
        }
    }
}

#[test]
fn types_that_contain_each_other_are_counted() {
    let counted = probity::spec::CountedModels::new(&Even::spec(), &[], 3).unwrap();
    // None, two, four or six of six numbers.
    assert_eq!(counted.total(), 1 + 15 + 15 + 1);
}

#[probity::test]
fn lists_of_two_types_are_in_order(list: Even) {
    assert!(list.is_valid() && list.least_even() <= 99);
}

/// A list that is never empty, whose tail is an option.
#[derive(Debug, Clone, PartialEq, Spec)]
#[spec(depth = 5, require = tail.is_none() || head < tail.unwrap().head)]
struct Rising {
    #[spec(range = 0..=5)]
    head: u32,
    tail: Option<Box<Rising>>,
}

#[probity::measures]
impl Rising {
    fn length(&self) -> u32 {
        match self {
            Rising { tail: None, .. } => 1,
            Rising { tail: Some(tail), .. } => 1 + tail.length(),
        }
    }
}

#[test]
fn options_are_counted() {
    let counted = probity::spec::CountedModels::new(&Rising::spec(), &[], 5).unwrap();
    // All sets of six numbers but the empty one.
    assert_eq!(counted.total(), 63);
}

#[probity::contract]
#[requires(list.length() >= 3)]
#[ensures(|out| *out >= 2)]
fn last(list: &Rising) -> u32 {
    list.tail.as_ref().map_or(list.head, |it| if it.tail.is_none() { it.head } else { last_of(it) })
}

fn last_of(list: &Rising) -> u32 {
    list.tail.as_ref().map_or(list.head, |it| last_of(it))
}

#[derive(Debug, Clone, Spec)]
struct Item {
    #[spec(range = 1..=9)]
    weight: u32,
    #[spec(range = 0..=9)]
    worth: u32,
}

/// What is required is a sum over fields.
#[derive(Debug, Clone, Spec)]
#[spec(require = items.iter().map(|it| it.weight).sum::<u32>() <= 12)]
struct Bag {
    items: Vec<Item>,
}

#[probity::contract]
#[requires(bag.items.len() >= 2 && bag.items.iter().map(|it| it.weight * it.worth).sum::<u32>() >= 20)]
#[ensures(|out| *out >= 2)]
fn heaviest_worth(bag: &Bag) -> u32 {
    assert!(bag.items.iter().map(|it| it.weight).sum::<u32>() <= 12);
    bag.items.iter().map(|it| it.worth).max().unwrap_or(0)
}
