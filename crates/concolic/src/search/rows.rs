//! Rows of like items among the answers of a run: the characters of a text, the numbers or pairs of a list.
//!
//! A run shows no more than the choices it asked for. Where a length is followed by as many like groups of choices, these
//! are the items, most likely; a guess that is wrong costs a run.

use probity_core::{Choice, Domain, Value};

/// Items in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ItemRow {
    /// The choice that says how many there are; the next one is the first of the first item.
    pub(super) length: u32,
    /// How many items there are.
    pub(super) items: u32,
    /// How many choices each has.
    pub(super) choices: u32,
}

/// Rows of more items are not looked at.
const ITEMS_MAX: u32 = 40;
/// Nor are items of more choices.
const CHOICES_MAX: u32 = 8;

/// The rows among `choices`.
pub(super) fn rows(choices: &[Choice]) -> Vec<ItemRow> {
    let row = |at: usize| {
        let (&Domain::Length { max, .. }, Value::Length(items)) = (&choices[at].domain, choices[at].value)
        else {
            return None;
        };
        if items == 0 || items > ITEMS_MAX || items >= max {
            return None;
        }
        let after = &choices[at + 1..];
        let is_period = |n: &u32| {
            let (n, all) = (*n as usize, (items * *n) as usize);
            after.len() >= all && (n..all).all(|at| after[at].domain == after[at - n].domain)
        };
        let choices = (1..=CHOICES_MAX).find(is_period)?;
        Some(ItemRow { length: at as u32, items, choices })
    };
    (0..choices.len()).filter_map(row).collect()
}

/// The answers with one more item before item number `at` of a row: the simplest of its kind, or a `copy` of the item that
/// stands there (or last).
pub(super) fn insert(choices: &[Choice], row: ItemRow, at: u32, copy: bool) -> Vec<Value> {
    let start = (row.length + 1 + at.min(row.items - 1) * row.choices) as usize;
    let item = &choices[start..start + row.choices as usize];
    let place = (row.length + 1 + at * row.choices) as usize;
    let mut res: Vec<Value> = choices.iter().map(|it| it.value).collect();
    res[row.length as usize] = Value::Length(row.items + 1);
    res.splice(place..place, item.iter().map(|it| if copy { it.value } else { it.domain.simplest() }));
    res
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(domain: Domain, value: Value) -> Choice {
        Choice { domain, value }
    }

    fn length(n: u32) -> Choice {
        choice(Domain::length(0, 9), Value::Length(n))
    }

    fn int(max: i128, n: i128) -> Choice {
        choice(Domain::int(0, max), Value::Int(n))
    }

    fn ints(values: &[Value]) -> Vec<i128> {
        let number = |it: &Value| match it {
            Value::Int(it) => *it,
            Value::Length(it) => (*it).into(),
            _ => panic!("{it:?}"),
        };
        values.iter().map(number).collect()
    }

    #[test]
    fn a_row_is_a_length_with_like_groups_behind_it() {
        let numbers = [int(1, 0), length(2), int(9, 5), int(9, 6), int(1, 1)];
        assert_eq!(rows(&numbers), [ItemRow { length: 1, items: 2, choices: 1 }]);
        let pairs = [length(2), int(9, 5), int(1, 0), int(9, 6), int(1, 1), length(0)];
        assert_eq!(rows(&pairs), [ItemRow { length: 0, items: 2, choices: 2 }]);
        // One item may be of any number of choices: the least is as good a guess as another.
        assert_eq!(rows(&[length(1), int(9, 5), int(8, 5)]), [ItemRow { length: 0, items: 1, choices: 1 }]);
        assert_eq!(rows(&[length(2), int(9, 5), int(8, 5)]), []);
        assert_eq!(rows(&[length(3), int(9, 5), int(9, 5)]), []);
        assert_eq!(rows(&[length(9)]), []);
    }

    #[test]
    fn an_item_is_inserted_anywhere() {
        let numbers = [length(2), int(9, 5), int(9, 6), int(1, 1)];
        let row = rows(&numbers)[0];
        let all: Vec<_> = (0..=2).map(|at| ints(&insert(&numbers, row, at, false))).collect();
        assert_eq!(all, [[3, 0, 5, 6, 1], [3, 5, 0, 6, 1], [3, 5, 6, 0, 1]]);
        let pairs = [length(2), int(9, 5), int(1, 1), int(9, 6), int(1, 1)];
        assert_eq!(ints(&insert(&pairs, rows(&pairs)[0], 1, false)), [3, 5, 1, 0, 0, 6, 1]);
        assert_eq!(ints(&insert(&pairs, rows(&pairs)[0], 1, true)), [3, 5, 1, 6, 1, 6, 1]);
        assert_eq!(ints(&insert(&pairs, rows(&pairs)[0], 2, true)), [3, 5, 1, 6, 1, 6, 1]);
    }
}
