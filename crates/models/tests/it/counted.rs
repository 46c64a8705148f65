//! Recursive values that are counted by their measures: exact totals, and sets of which every pair differs.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use probity_models::{Options, Total, count, generate};
use probity_spec::{Difference, Relation, RelationKind, Request, Spec, Term};

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
