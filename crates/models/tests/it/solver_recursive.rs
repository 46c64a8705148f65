//! Recursive specs: what is required holds at every level, also of those that stand within others.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use probity_models::{Options, generate};
use probity_spec::{Difference, Op, Request, Shape, Spec, Term};

fn named(name: &str) -> Spec {
    Spec::new(Shape::Named(name.into()))
}

fn if_some(option: Term, then: Term) -> Term {
    Term::apply(Op::Or, [Term::apply(Op::Not, [Term::apply(Op::IsSome, [option])]), then])
}

/// A tree whose left branches have a lesser value each.
fn tree() -> Spec {
    let it = Term::it;
    let left = it().field("left");
    let less = left.clone().unwrap().field("value").lt(it().field("value"));
    let fields = [
        ("value", Spec::new(Shape::int(0, 9))),
        ("left", Spec::option(named("Tree"))),
        ("right", Spec::option(named("Tree"))),
    ];
    Spec::object(fields).require(if_some(left, less)).named("Tree")
}

/// A list in nodes, sorted, with an object of its own in every node.
fn chain() -> Spec {
    let it = Term::it;
    let next = it().field("next");
    let value = |of: Term| of.field("own").field("value");
    let own = Spec::object([("value", Spec::new(Shape::int(0, 5))), ("twice", Spec::new(Shape::int(0, 10)))])
        .require(it().field("value").plus(it().field("value")).eq(it().field("twice")));
    Spec::object([("own", own), ("next", Spec::option(named("Chain")))])
        .require(if_some(next.clone(), value(it()).le(value(next.unwrap()))))
        .named("Chain")
}

#[test]
fn requirements_hold_at_every_level() {
    let specs = [
        tree(),
        Spec::object([("t", tree())]),
        Spec::object([("c", chain()), ("n", Spec::new(Shape::int(0, 3)))])
            .require(Term::it().field("n").lt(Term::it().field("c").field("own").field("value"))),
        Spec::object([("a", Spec::object([("t", tree()), ("c", chain())]))]),
    ];
    for spec in specs {
        let request = Request { spec, difference: Difference::Never, n: 50 };
        let mut found = BTreeSet::new();
        let made = generate(&request, &Options::default(), &mut |it| {
            request.admits(&it).unwrap_or_else(|why| panic!("{}: {why}", request.spec));
            assert!(found.insert(it), "{}: a model came twice", request.spec);
            ControlFlow::Continue(())
        });
        assert_eq!(found.len(), 50, "{}: {made:?}", request.spec);
    }
}
