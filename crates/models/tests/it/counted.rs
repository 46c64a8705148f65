//! Recursive values that are counted by their measures: exact totals, and sets of which every pair differs.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use probity_models::{Options, Total, count, generate};
use probity_spec::{Difference, Op, Relation, RelationKind, Request, Shape, Spec, Term};

#[path = "../../../spec/tests/it/trees.rs"]
pub(crate) mod trees;

#[test]
fn all_that_are_counted_are_handed_out_once() {
    for (tree, total) in
        [(trees::red_black(3), 489_usize), (trees::balanced(3), 380), (trees::sorted_list(3), 120)]
    {
        let (spec, more) = tree;
        let tree = trees::field("tree");
        let to_tree = |it: &Term| (*it == Term::it()).then(|| tree.clone());
        let whole = Spec::object([("tree", spec.within(3))]);
        let spec = more.iter().fold(whole, |spec, it| spec.require(it.rewrite(&to_tree)));
        let differ = Difference::Relation(Relation {
            on: tree.clone(),
            kind: RelationKind::Holds(Term::it().eq(Term::other()).negate()),
        });
        let request = Request { spec, difference: differ, n: 10_000 };
        let counted = count(&request, &Options::default()).unwrap();
        assert!(matches!(&counted, Total::Exactly(it) if *it == total.into()), "{counted:?}");
        let mut seen = BTreeSet::new();
        let made = generate(&request, &Options::default(), &mut |it| {
            assert!(request.admits(&it).is_ok() && seen.insert(it.value), "twice");
            ControlFlow::Continue(())
        });
        let made = made.unwrap_or_else(|it| panic!("{}", it.0));
        assert!(made.explanation.iter().any(|it| it.contains("planned")), "{:?}", made.explanation);
        assert_eq!(seen.len(), total);
    }
}

/// Lists in an order are planned: all of them, each once, and as many as there are where these are too many to go through.
#[test]
fn lists_in_order_are_handed_out_once() {
    let of = |high: i128, longest: i128, ops: &[Op]| {
        let list =
            Spec::list(Spec::new(Shape::int(-high, high))).require(Term::it().len().le(Term::int(longest)));
        let list = ops.iter().fold(list, |spec, op| spec.require(Term::apply(*op, [Term::it()])));
        Spec::object([("it", list)])
    };
    let (sorted, distinct) = (Op::Sorted, Op::Distinct);
    let rows: [(&[Op], usize); 3] =
        [(&[sorted], 4_368), (&[sorted, distinct], 1 + 11 + 55 + 165 + 330 + 462), (&[distinct], 64_472)];
    for (ops, total) in rows {
        let request = Request { spec: of(5, 5, ops), difference: Difference::Never, n: 100_000 };
        let mut seen = BTreeSet::new();
        let made = generate(&request, &Options::default(), &mut |it| {
            assert!(request.admits(&it).is_ok() && seen.insert(it.value), "twice");
            ControlFlow::Continue(())
        });
        let made = made.unwrap_or_else(|it| panic!("{}", it.0));
        assert_eq!((seen.len(), made.total), (total, Total::Exactly(total.into())));
        assert!(made.explanation.iter().any(|it| it.contains("planned")), "{:?}", made.explanation);
    }
    let many = Request { spec: of(20, 20, &[sorted]), difference: Difference::Never, n: 5 };
    // C(61, 20), by lengths up to 20.
    assert_eq!(count(&many, &Options::default()).unwrap(), Total::Exactly(6_236_646_703_759_395_u64.into()));
}
