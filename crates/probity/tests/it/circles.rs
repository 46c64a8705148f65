//! Types that contain each other: values end, and nest deep in some cases.

use std::collections::BTreeMap;

use probity::prelude::*;

/// A sum has three of what contains it: by chance alone, most would have no end.
#[derive(Debug, Generate)]
enum Expression {
    Number,
    Sum(Box<Sum>),
    Negated(Box<Expression>),
}

#[derive(Debug, Generate)]
struct Sum {
    terms: [Expression; 3],
}

impl Expression {
    fn depth(&self) -> usize {
        match self {
            Expression::Number => 0,
            Expression::Sum(it) => 1 + it.terms.iter().map(Expression::depth).max().unwrap(),
            Expression::Negated(it) => it.depth(),
        }
    }
}

/// A circle behind an invariant, a filter and keys that differ.
#[derive(Debug, Generate)]
#[invariant(self.0.len() != 7)]
struct Folder(BTreeMap<u8, Entry>);

#[derive(Debug, Generate)]
enum Entry {
    File,
    Folder(#[from(any::<Folder>().filter(|it| it.0.len() != 6))] Folder),
}

impl Folder {
    fn depth(&self) -> usize {
        let below = self.0.values().map(|it| match it {
            Entry::File => 0,
            Entry::Folder(it) => 1 + it.depth(),
        });
        below.max().unwrap_or(0)
    }
}

/// How deep the values of 1,000 cases nest.
fn depths<T: Generate + std::fmt::Debug>(depth: impl Fn(&T) -> usize) -> Vec<usize> {
    let mut res: Vec<usize> = (0..1000).map(|seed| depth(&probity::sample(&any::<T>(), seed))).collect();
    res.sort_unstable();
    res.dedup();
    res
}

#[probity::test(cases = 5000)]
fn values_end(it: Expression, other: Folder) {
    assert!(it.depth() + other.depth() < 200);
}

#[test]
fn each_depth_is_met() {
    for depths in [depths(Expression::depth), depths(Folder::depth)] {
        assert!((0..=12).all(|it| depths.contains(&it)), "{depths:?}");
    }
}
