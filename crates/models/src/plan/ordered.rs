//! Lists of numbers that are sorted, sorted and distinct, or distinct: counted by their lengths, and each found by its number.

use probity_spec::{IntSet, Node, NumericKind, Op, Term, Value};

use super::space::{LIST_SPAN, value_of};

/// Lists of numbers of a set, in an order.
#[derive(Debug)]
pub(crate) struct OrderedSpace {
    set: IntSet,
    kind: NumericKind,
    relation: ItemRelation,
    /// Lengths that lists have, with how many lists are of each.
    lengths: Vec<(u32, u128)>,
    /// Whether there are longer lists than these.
    pub(crate) is_open: bool,
}

/// How items relate.
#[derive(Clone, Copy, Debug, PartialEq)]
enum ItemRelation {
    /// No item is less than the one before.
    Rising,
    /// Each item is greater than the one before.
    Strict,
    /// All items differ.
    Distinct,
}

/// Longer lists are not counted.
const LENGTH_MAX: i128 = 64;
/// Longer lists are left out once there are this many, where there is no end of them.
const ENOUGH: u128 = 1 << 20;
/// Nor are more lists than this, so that arithmetic has room.
const TOTAL_MAX: u128 = u128::MAX >> 8;

impl OrderedSpace {
    /// Lists of these lengths for which just these terms hold; none where they say more, or lists cannot be counted.
    pub(crate) fn new(
        set: &IntSet,
        kind: NumericKind,
        lengths: &IntSet,
        terms: &[Term],
    ) -> Option<OrderedSpace> {
        let has = |wanted: Op| terms.contains(&Term::apply(wanted, [Term::it()]));
        let is_order = |it: &Term| matches!(it.node(), Node::Apply(Op::Sorted | Op::Distinct, of) if of[0] == Term::it());
        // Floats have an order of their own.
        if terms.is_empty() || !terms.iter().all(is_order) || kind == NumericKind::Float {
            return None;
        }
        let relation = match (has(Op::Sorted), has(Op::Distinct)) {
            (true, false) => ItemRelation::Rising,
            (true, true) => ItemRelation::Strict,
            _ => ItemRelation::Distinct,
        };
        let shortest = lengths.min().unwrap_or(0);
        let has_end = relation != ItemRelation::Rising || set.is_empty();
        let longest = lengths.max().unwrap_or(0);
        let longest = if has_end { longest.min(i128::try_from(set.count()).ok()?) } else { longest };
        if shortest > LENGTH_MAX {
            return None;
        }
        let (is_open, end) = (longest > LENGTH_MAX, longest.min(LENGTH_MAX));
        let mut res = OrderedSpace { set: set.clone(), kind, relation, lengths: Vec::new(), is_open };
        let mut total = 0_u128;
        for length in lengths.clip(0, end).iter() {
            // Of those that have no end, as many as anybody asks for.
            if is_open && length > shortest.saturating_add(LIST_SPAN) && total > ENOUGH {
                break;
            }
            let count = res.count(length as u32);
            total = total.saturating_add(count);
            if count > 0 {
                res.lengths.push((length as u32, count));
            }
        }
        (total < TOTAL_MAX).then_some(res)
    }

    /// How many lists of a length there are, or more than can be counted.
    fn count(&self, length: u32) -> u128 {
        let (n, of) = (u128::from(length), self.set.count());
        match self.relation {
            ItemRelation::Rising => choose((of + n).saturating_sub(1), length),
            ItemRelation::Strict => choose(of, length),
            ItemRelation::Distinct => {
                (0..n).fold(1, |all: u128, it| all.saturating_mul(of.saturating_sub(it)))
            }
        }
    }

    pub(crate) fn total(&self) -> u128 {
        self.lengths.iter().map(|it| it.1).sum()
    }

    pub(crate) fn lengths(&self) -> impl Iterator<Item = u32> + '_ {
        self.lengths.iter().map(|it| it.0)
    }

    /// How many lists are of that length.
    pub(crate) fn of_length(&self, length: usize) -> u128 {
        self.lengths.iter().find(|it| it.0 as usize == length).map_or(0, |it| it.1)
    }

    /// The n-th list.
    pub(crate) fn nth(&self, mut n: u128) -> Option<Value> {
        for (length, count) in &self.lengths {
            if n < *count {
                return self.nth_of_length(*length as usize, n);
            }
            n -= count;
        }
        None
    }

    /// The n-th list of a length.
    pub(crate) fn nth_of_length(&self, length: usize, n: u128) -> Option<Value> {
        let places = match self.relation {
            ItemRelation::Distinct => self.distinct(length as u128, n),
            // A list that may repeat is one that may not, whose items stand further and further apart.
            ItemRelation::Rising => {
                let apart = combination(length as u32, n);
                apart.into_iter().zip(0..).map(|(it, at)| it - at).collect()
            }
            ItemRelation::Strict => combination(length as u32, n),
        };
        let value = |it: &u128| Some(value_of(self.kind, self.set.nth(*it)?));
        places.iter().map(value).collect::<Option<_>>().map(Value::List)
    }

    /// The places of the n-th list whose items differ: of each, its place among those that are left.
    fn distinct(&self, length: u128, mut n: u128) -> Vec<u128> {
        let (mut res, mut gone) = (Vec::new(), Vec::new());
        for it in 0..length {
            let left = self.set.count() - it;
            let mut place = n % left;
            n /= left;
            for taken in &gone {
                place += u128::from(*taken <= place);
            }
            res.push(place);
            gone.push(place);
            gone.sort_unstable();
        }
        res
    }
}

/// The n-th rising row of that many different places, rows with smaller ends first.
fn combination(length: u32, mut n: u128) -> Vec<u128> {
    let mut res = Vec::new();
    for k in (1..=length).rev() {
        // The greatest place below which fewer than `n` rows end.
        let (mut low, mut high) = (u128::from(k) - 1, u128::from(k));
        while choose(high, k) <= n {
            (low, high) = (high, high.saturating_mul(2));
        }
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if choose(middle, k) <= n { low = middle } else { high = middle }
        }
        n -= choose(low, k);
        res.push(low);
    }
    res.reverse();
    res
}

/// How many ways there are to choose `k` of `n`, or the greatest number where there are more.
fn choose(n: u128, k: u32) -> u128 {
    let k = u128::from(k);
    if k > n {
        return 0;
    }
    (0..k).try_fold(1_u128, |all, it| Some(all.checked_mul(n - it)? / (it + 1))).unwrap_or(u128::MAX)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    type OrderRow<'a> = (&'a [Term], fn(i128, i128) -> bool);

    /// Each list of small sets once, as many as brute force finds.
    #[test]
    fn each_list_is_found_by_its_number() {
        let it = || [Term::it()];
        let (sorted, distinct) = (Term::apply(Op::Sorted, it()), Term::apply(Op::Distinct, it()));
        let rows: [OrderRow; 3] = [
            (std::slice::from_ref(&sorted), |a, b| a <= b),
            (&[sorted.clone(), distinct.clone()], |a, b| a < b),
            (std::slice::from_ref(&distinct), |a, b| a != b),
        ];
        for (terms, holds) in rows {
            for set in [IntSet::range(-2, 2), IntSet::of([3]), IntSet::of([1, 4, 9, 12])] {
                let mut expected = BTreeSet::from([Value::List(Vec::new())]);
                let mut rows = vec![Vec::new()];
                for _ in 0..4 {
                    let longer =
                        |row: &Vec<i128>, it: i128| row.iter().chain([&it]).copied().collect::<Vec<_>>();
                    rows = rows.iter().flat_map(|row| set.iter().map(|it| longer(row, it))).collect();
                    // Neighbors say it of sorted lists, all pairs of distinct ones.
                    rows.retain(|row| {
                        (0..row.len()).all(|at| row[..at].iter().all(|before| holds(*before, row[at])))
                    });
                    let values = |row: &Vec<i128>| Value::List(row.iter().copied().map(Value::Int).collect());
                    expected.extend(rows.iter().map(values));
                }
                let space = OrderedSpace::new(&set, NumericKind::Int, &IntSet::range(0, 4), terms).unwrap();
                let found: BTreeSet<Value> = (0..space.total()).filter_map(|it| space.nth(it)).collect();
                assert_eq!(space.total(), expected.len() as u128);
                assert!(found == expected && space.nth(space.total()).is_none());
            }
        }
    }

    #[test]
    fn large_sets_are_counted() {
        let sorted = [Term::apply(Op::Sorted, [Term::it()])];
        let lists = |low, high, length| {
            OrderedSpace::new(&IntSet::range(low, high), NumericKind::Int, &IntSet::range(0, length), &sorted)
        };
        assert_eq!(lists(-5, 5, 5).unwrap().total(), 4_368);
        let all = lists(-20, 20, 20).unwrap();
        let Some(Value::List(last)) = all.nth(all.total() - 1) else { panic!("there is a last one") };
        assert_eq!((last.len(), &last[0]), (20, &Value::Int(20)));
        assert!(lists(i64::MIN.into(), i64::MAX.into(), 1).is_some());
        assert!(lists(i64::MIN.into(), i64::MAX.into(), 3).is_none(), "they are too many");
        let open = lists(0, 9, i128::MAX).unwrap();
        assert!(open.is_open && open.total() > ENOUGH && open.lengths().count() > 8);
    }
}
