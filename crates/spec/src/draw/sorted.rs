//! Lists of whole numbers that are sorted or all different: each item is drawn from what those before it leave, and leaves
//! room for those after it. Nothing is refused, and each list has one trace.

use super::ints;
use super::part::ListLengths;
use super::terms::is_it;
use crate::regex::answers::Answers;
use crate::{IntSet, Node, NumericKind, Op, Term, Value};

/// How the items of a list relate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ListOrder {
    /// No item is less than the one before.
    Rising,
    /// Each item is greater than the one before.
    Strict,
    /// All items differ.
    Distinct,
}

/// Lists of numbers of an interval, in an order.
#[derive(Clone, Debug)]
pub(super) struct OrderedLists {
    order: ListOrder,
    low: i128,
    high: i128,
    min: u32,
    max: Option<u32>,
}

/// Lists without a bound of their own have at least this many items to draw from; see `part.rs`.
const ITEMS: u32 = 8;

impl OrderedLists {
    /// Lists for which just these terms hold; none where they say more.
    pub(super) fn new(
        kind: NumericKind,
        set: &IntSet,
        lengths: &ListLengths,
        terms: &[Term],
    ) -> Option<OrderedLists> {
        let [(low, high)] = *set.intervals() else { return None };
        let ListLengths::From(min, max, false) = *lengths else { return None };
        if kind != NumericKind::Int || set.congruence().0 != 1 {
            return None;
        }
        let is = |term: &Term, wanted: Op| matches!(term.node(), Node::Apply(op, of) if *op == wanted && is_it(&of[0]));
        let (mut is_sorted, mut is_distinct) = (false, false);
        for term in terms {
            if is(term, Op::Sorted) {
                is_sorted = true;
            } else if is(term, Op::Distinct) {
                is_distinct = true;
            } else {
                return None;
            }
        }
        let order = match (is_sorted, is_distinct) {
            (true, false) => ListOrder::Rising,
            (true, true) => ListOrder::Strict,
            _ => ListOrder::Distinct,
        };
        let room = u32::try_from(set.count()).unwrap_or(u32::MAX);
        let max = if order == ListOrder::Rising { max } else { Some(max.map_or(room, |it| it.min(room))) };
        (max.is_none_or(|it| min <= it)).then_some(OrderedLists { order, low, high, min, max })
    }

    /// Draws a list, or answers such that `wanted` is drawn.
    pub(super) fn draw(&self, answers: &mut Answers, wanted: Option<&Value>) -> Option<Value> {
        let wanted = match wanted {
            None => None,
            Some(Value::List(it)) => Some(it),
            Some(_) => return None,
        };
        let limit = self.max.unwrap_or(u32::MAX);
        let usual = limit.min(self.min.saturating_add(answers.size().max(ITEMS)));
        if let (true, Answers::Source(source)) = (usual < limit, &mut *answers) {
            // Longer ones are not drawn: a search is then not complete.
            let _ = source.size();
        }
        let mut numbers: Vec<i128> = Vec::new();
        let mut item = |answers: &mut Answers, at: usize, n: usize| {
            let wanted = match wanted.and_then(|it| it.get(at)) {
                Some(Value::Int(it)) => Some(*it),
                Some(_) => return None,
                None => None,
            };
            let next = self.next(&numbers, n, answers, wanted)?;
            numbers.push(next);
            Some(())
        };
        answers.chars(self.min, usual, wanted.map(Vec::len), &mut item)?;
        Some(Value::List(numbers.into_iter().map(Value::Int).collect()))
    }

    fn next(&self, before: &[i128], n: usize, answers: &mut Answers, wanted: Option<i128>) -> Option<i128> {
        let last = before.last().copied();
        let after = (n - before.len() - 1) as i128;
        let (low, high) = match self.order {
            ListOrder::Rising => (last.unwrap_or(self.low), self.high),
            ListOrder::Strict => (last.map_or(self.low, |it| it + 1), self.high - after),
            ListOrder::Distinct => return self.other(before, answers, wanted),
        };
        match (low <= 0 && 0 <= high) || low == i128::MIN {
            true => ints::draw(NumericKind::Int, &IntSet::range(low, high), answers, wanted),
            false => answers.int(low, high, wanted),
        }
    }

    /// A number that is not among those before, by its place among the others.
    fn other(&self, before: &[i128], answers: &mut Answers, wanted: Option<i128>) -> Option<i128> {
        let mut gone = before.to_vec();
        gone.sort_unstable();
        let high = self.high - gone.len() as i128;
        // Numbers above one that is gone come one place sooner.
        let place = |it: i128| it - gone.iter().filter(|gone| **gone < it).count() as i128;
        let wanted = match wanted {
            Some(it) if gone.binary_search(&it).is_ok() => return None,
            Some(it) => Some(place(it)),
            None => None,
        };
        let mut res = ints::draw(NumericKind::Int, &IntSet::range(self.low, high), answers, wanted)?;
        for it in gone {
            res += i128::from(it <= res);
        }
        Some(res)
    }
}
