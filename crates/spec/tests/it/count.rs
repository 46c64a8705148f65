//! Counting by measures: totals that are known, every model once, and what is drawn.

use std::cell::RefCell;
use std::collections::BTreeSet;

use probity_core::{Bounds, Budget, Generator, Source, search_exhaustive};
use probity_spec::draw::drawn;
use probity_spec::{CountedModels, Op, Shape, Spec, Term, Value};

use super::trees::{balanced, field, red_black, sorted_list};

type TreeSpec = fn(i128) -> (Spec, Vec<Term>);

#[test]
fn totals_are_those_that_are_known() {
    let rows: [(TreeSpec, &[(u32, u128)]); 3] = [
        // Lists of n of m numbers are C(m + n - 1, n).
        (sorted_list, &[(3, 1 + 7 + 28 + 84), (5, 4_368)]),
        (red_black, &[(3, 489), (4, 4_888), (5, 40_074), (8, 22_560_306), (12, 175_793_847_372)]),
        (balanced, &[(3, 380), (5, 20_255), (6, 147_478), (8, 8_359_450), (10, 561_506_178)]),
    ];
    for (make, totals) in rows {
        for (depth, total) in totals {
            let (spec, more) = make((*depth).into());
            let counted = CountedModels::new(&spec, &more, *depth).unwrap();
            assert_eq!(counted.total(), *total, "depth {depth}");
            if *total > 5_000 {
                continue;
            }
            let all: BTreeSet<Value> = (0..*total).map(|it| counted.nth(it).unwrap()).collect();
            assert_eq!(all.len() as u128, *total);
            for value in &all {
                spec.admits(value).unwrap();
                assert!(more.iter().all(|it| it.eval_in(&spec, value, None) == Some(Value::Bool(true))));
            }
            assert!(counted.nth(*total).is_none());
        }
    }
}

#[test]
fn each_is_drawn_once_and_found_again() {
    for (make, total) in [(red_black as TreeSpec, 489), (balanced, 380), (sorted_list, 120)] {
        let (spec, more) = make(3);
        let whole = Spec::object([("tree", spec.within(3))]);
        let to_tree = |it: &Term| (*it == Term::it()).then(|| field("tree"));
        let spec = more.iter().fold(whole, |spec, it| spec.require(it.rewrite(&to_tree)));
        assert_eq!(all(&spec).len(), total);
    }
}

#[test]
fn what_a_type_requires_holds_at_every_level() {
    let (spec, more) = red_black(3);
    let spec = more.into_iter().fold(spec, Spec::require).within(3);
    let all = all(&spec);
    assert!(all.iter().all(|it| spec.admits(it).is_ok()));
    // Only trees that are black throughout: perfect ones of up to three levels, over 7 keys.
    assert_eq!(all.len(), 1 + 7 + 35 + 1);
}

/// All values that the exhaustive engine draws of a spec, each once.
fn all(spec: &Spec) -> BTreeSet<Value> {
    let generator = drawn(spec.clone());
    let seen = RefCell::new(BTreeSet::new());
    let mut test = |src: &mut Source| {
        let value = generator.generate(src);
        assert!(generator.answers(&value).is_some(), "{value}");
        assert!(seen.borrow_mut().insert(value.clone()), "{value} is drawn twice");
    };
    let budget = Budget { cases: 10_000, rejects: 0, go_on: &mut |_| true, progress: Default::default() };
    let found = search_exhaustive(Bounds::default(), &mut test, budget).unwrap();
    assert!(found.failures.is_empty() && found.evidence.reach.is_some_and(|it| it.all));
    seen.into_inner()
}

#[test]
fn lists_in_order_are_drawn_once() {
    let (sorted, distinct) = (Term::apply(Op::Sorted, [Term::it()]), Term::apply(Op::Distinct, [Term::it()]));
    for (low, high, longest, terms, total) in [
        (-5, 5, 5, vec![sorted.clone()], 4_368),
        (-2, 2, 9, vec![sorted.clone(), distinct.clone()], 32),
        (0, 3, 9, vec![distinct.clone()], 1 + 4 + 12 + 24 + 24),
        (-3, 9, 3, vec![sorted, distinct.clone()], 1 + 13 + 78 + 286),
        (3, 6, 2, vec![distinct], 1 + 4 + 12),
    ] {
        let list =
            Spec::list(Spec::new(Shape::int(low, high))).require(Term::it().len().le(Term::int(longest)));
        let spec = terms.into_iter().fold(list, Spec::require);
        let all = all(&spec);
        assert!(all.iter().all(|it| spec.admits(it).is_ok()));
        assert_eq!(all.len(), total, "{spec}");
    }
}
