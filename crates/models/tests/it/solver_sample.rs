//! Cross-field requirements are met by construction: few choices are taken back.

use std::collections::BTreeSet;
use std::sync::Arc;

use probity_models::solve::builtin::ModelSampler;
use probity_models::solve::{Answer, Effort};
use probity_spec::flat::{Bounds, Flat};
use probity_spec::regex::Regex;
use probity_spec::{Difference, Duration, Op, Request, Shape, Spec, Term, Value};

fn field(name: &str) -> Term {
    Term::it().field(name)
}

fn int(lo: i128, hi: i128) -> Spec {
    Spec::new(Shape::int(lo, hi))
}

fn text() -> Spec {
    Spec::new(Shape::Text)
}

fn matching(pattern: &str) -> Spec {
    text().require(Term::it().matches(Arc::new(Regex::new(pattern).expect("a pattern"))))
}

/// Cross-field requirements as people write them.
fn cases() -> Vec<(&'static str, Spec)> {
    let list = Spec::list(int(0, 1000)).require(Term::it().len().le(Term::int(8)));
    let days = |n: i128| Term::constant(Value::Duration(Duration::from_seconds(n * 86_400).unwrap()));
    vec![
        (
            "0 <= s < r1",
            Spec::object([("s", Spec::new(Shape::Int { min: None, max: None })), ("r1", int(-5, 1_000_000))])
                .require(Term::int(0).le(field("s")).and(field("s").lt(field("r1")))),
        ),
        (
            "sorted with a sum",
            Spec::object([("xs", list.clone()), ("total", int(0, 5000))])
                .require(Term::apply(Op::Sorted, [field("xs")]))
                .require(Term::apply(Op::Sum, [field("xs")]).eq(field("total"))),
        ),
        (
            "sorted, distinct, with a known sum",
            Spec::object([("xs", list.require(Term::it().len().eq(Term::int(6))))])
                .require(Term::apply(Op::Sorted, [field("xs")]))
                .require(Term::apply(Op::Distinct, [field("xs")]))
                .require(Term::apply(Op::Sum, [field("xs")]).eq(Term::int(1000))),
        ),
        (
            "a range of dates",
            Spec::object([("start", Spec::new(Shape::Date)), ("end", Spec::new(Shape::Date))])
                .require(field("start").lt(field("end")))
                .require(field("end").minus(field("start")).le(days(30))),
        ),
        (
            "a date of one year, on a Monday",
            Spec::object([("day", Spec::new(Shape::Date))])
                .require(Term::apply(Op::Year, [field("day")]).eq(Term::int(2024)))
                .require(Term::apply(Op::Weekday, [field("day")]).eq(Term::int(1))),
        ),
        (
            "the last of a month",
            Spec::object([("day", Spec::new(Shape::Date))])
                .require(Term::apply(Op::Day, [field("day")]).eq(Term::int(31)))
                .require(Term::apply(Op::Month, [field("day")]).eq(Term::int(12))),
        ),
        (
            "the length of a name",
            Spec::object([("name", text()), ("k", int(0, 40))]).require(field("name").len().eq(field("k"))),
        ),
        (
            "the length of a name with a pattern",
            Spec::object([("name", matching("[A-Z][a-z]+( [A-Z][a-z]+)?")), ("k", int(0, 40))])
                .require(field("name").len().eq(field("k"))),
        ),
        (
            "a prefix",
            Spec::object([("whole", text()), ("part", text())])
                .require(Term::apply(Op::StartsWith, [field("whole"), field("part")])),
        ),
        (
            "a prefix with patterns",
            Spec::object([("whole", matching("[a-z0-9.]+@[a-z]+[.]com")), ("part", matching("[a-z]{3,6}"))])
                .require(Term::apply(Op::StartsWith, [field("whole"), field("part")])),
        ),
        (
            "a joined text with a pattern",
            Spec::object([("first", matching("[a-z]+")), ("last", matching("[a-z]+")), ("all", text())])
                .require(
                    field("all")
                        .eq(Term::apply(Op::Concat, [field("first"), Term::text("."), field("last")])),
                ),
        ),
        (
            "a place in a text",
            Spec::object([("text", text()), ("at", int(0, 20))])
                .require(Term::apply(Op::IndexOf, [field("text"), Term::text("ab")]).eq(field("at"))),
        ),
        (
            "a piece of a text",
            Spec::object([("text", text())]).require(
                Term::apply(Op::Substr, [field("text"), Term::int(2), Term::int(3)]).eq(Term::text("xyz")),
            ),
        ),
        (
            "sorted texts",
            Spec::object([(
                "xs",
                Spec::list(matching("[a-z]{1,8}")).require(Term::it().len().eq(Term::int(5))),
            )])
            .require(Term::apply(Op::Sorted, [field("xs")])),
        ),
        (
            "congruent",
            Spec::object([("x", int(0, 1_000_000)), ("y", int(0, 1_000_000))])
                .require(field("x").modulo(Term::int(7)).eq(field("y").modulo(Term::int(7)))),
        ),
        (
            "a sum",
            Spec::object([("a", int(0, 1000)), ("b", int(0, 1000)), ("c", int(0, 1000))])
                .require(field("a").plus(field("b")).eq(field("c"))),
        ),
        (
            "a product",
            Spec::object([("a", int(1, 1000)), ("b", int(1, 1000)), ("c", int(1, 100_000))])
                .require(field("a").times(field("b")).eq(field("c"))),
        ),
    ]
}

/// How many choices are taken back for a model, at most, on average. Most cases need none.
const REJECTED_MAX: u64 = 10;

#[test]
fn few_choices_are_taken_back() {
    let rounds = 12;
    for (name, spec) in cases() {
        let flat = Flat::of(&spec, &Difference::Never, &Bounds::default()).expect(name);
        let request = Request { spec, difference: Difference::Never, n: 0 };
        let mut sampler = ModelSampler::new(&flat.slots, &flat.requires, 1).expect(name);
        let effort = Effort { stop: &|| false, millis: 1000, seed: 0 };
        let mut seen = BTreeSet::new();
        for _ in 0..rounds {
            let Answer::Sat(scalars) = sampler.sample(&effort) else { panic!("{name} has models") };
            let model = flat.model(&scalars).expect(name);
            request.admits(&model).unwrap_or_else(|it| panic!("{name}: {it}"));
            seen.insert(model);
        }
        assert!(
            sampler.stages.rejected <= REJECTED_MAX * rounds,
            "{name}: {} rejected",
            sampler.stages.rejected
        );
        assert!(seen.len() as u64 > rounds / 2, "{name}: {} different", seen.len());
    }
}
