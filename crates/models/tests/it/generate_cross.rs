//! Requirements between fields: models by construction and by search, without end and to the last one.

use std::ops::ControlFlow;
use std::sync::Arc;

use probity_models::{Options, Total, generate};
use probity_spec::regex::Regex;
use probity_spec::{Difference, Op, Request, Shape, Spec, Term};

fn field(name: &str) -> Term {
    Term::it().field(name)
}

fn text(pattern: &str) -> Spec {
    Spec::new(Shape::Text).require(Term::it().matches(Arc::new(Regex::new(pattern).unwrap())))
}

/// Specs, what makes models different, and whether 150 models exist.
fn cases() -> Vec<(&'static str, Spec, Difference, bool)> {
    let int = || Spec::new(Shape::Int { min: None, max: None });
    let small = |hi: i128| Spec::new(Shape::int(0, hi));
    let date = || Spec::new(Shape::Date);
    let sorted = Term::apply(Op::Sorted, [field("xs")]);
    let sum = Term::apply(Op::Sum, [field("xs")]);
    let starts = Term::apply(Op::StartsWith, [field("a"), field("b")]);
    let never = || Difference::Never;
    vec![
        (
            "0 <= s < r",
            Spec::object([("s", int()), ("r", int())])
                .require(Term::int(0).le(field("s")))
                .require(field("s").lt(field("r"))),
            never(),
            true,
        ),
        (
            "sorted with sum",
            Spec::object([("xs", Spec::list(small(50)))])
                .require(sorted)
                .require(sum.eq(Term::int(100)))
                .require(field("xs").len().eq(Term::int(5))),
            never(),
            true,
        ),
        (
            "date ranges",
            Spec::object([("from", date()), ("to", date())]).require(field("from").lt(field("to"))),
            Difference::not_equal(field("from")),
            true,
        ),
        (
            "len(name) = k",
            Spec::object([("name", text("[a-z]*")), ("k", small(20))])
                .require(field("name").len().eq(field("k"))),
            never(),
            true,
        ),
        (
            "prefix of another",
            Spec::object([("a", text("[a-z]{0,8}")), ("b", text("[a-m]*"))]).require(starts),
            Difference::not_equal(field("a")),
            true,
        ),
        (
            "sum of three",
            Spec::object([("x", small(9)), ("y", small(9)), ("z", small(9))])
                .require(field("x").plus(field("y")).eq(field("z"))),
            never(),
            false,
        ),
        (
            "key of many",
            Spec::object([("x", small(1_000_000)), ("y", small(30))])
                .require(field("x").times(Term::int(7)).eq(field("y"))),
            Difference::not_equal(field("x")),
            false,
        ),
    ]
}

#[test]
fn requirements_between_fields_are_met() {
    for (name, spec, difference, has_many) in cases() {
        let request = Request { spec, difference, n: 150 };
        let mut models = Vec::new();
        let made = generate(&request, &Options::default(), &mut |it| {
            models.push(it);
            ControlFlow::Continue(())
        })
        .unwrap();
        assert_eq!(models.len() == 150, has_many, "{name}: {made:?}");
        if !has_many {
            assert_eq!(made.total, Total::Exactly(models.len().into()), "{name}: {made:?}");
        }
        for (at, one) in models.iter().enumerate() {
            assert!(request.admits(one).is_ok(), "{name}: {one:?}");
            assert!(models[..at].iter().all(|two| request.differ(one, two)), "{name}: {one:?}");
        }
    }
}
