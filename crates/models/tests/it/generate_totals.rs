//! Totals never claim what was not found out: where values are cut to what a solver can look at, the reason names it.

use std::ops::ControlFlow;
use std::sync::Arc;

use num_bigint::BigUint;
use probity_models::{Options, Total, count, generate};
use probity_spec::regex::{Cover, Heuristics, Regex};
use probity_spec::{
    Branches, Difference, Enumerate, Field, Op, Relation, RelationKind, Request, Shape, Spec, Term,
};

/// What a total has to be.
#[derive(Debug)]
enum Expected {
    Infinite,
    Exactly(BigUint),
    /// At least what was handed out; the reason contains one of these, separated by `|`.
    Open(&'static str),
    /// Either is true.
    InfiniteOr(&'static str),
}
use Expected::*;

fn cases() -> Vec<(&'static str, Spec, Difference, Expected)> {
    let (x, y) = (Term::it().field("x"), Term::it().field("y"));
    let one = |a: Spec| Spec::object([("x", a)]);
    let xy = |a: Spec, b: Spec| Spec::object([("x", a), ("y", b)]);
    let int = |a: i128, b: i128| Spec::new(Shape::int(a, b));
    let whole = || Spec::new(Shape::Int { min: None, max: None });
    let text = || Spec::new(Shape::Text);
    let never = || Difference::Never;
    let related = |on: &Term, kind: RelationKind| Difference::Relation(Relation { on: on.clone(), kind });
    let pattern = |it: &str| Arc::new(Regex::new(it).unwrap());
    let sorted = |of: Term| Term::apply(Op::Sorted, [of]);
    let distinct = |of: Term| Term::apply(Op::Distinct, [of]);
    let tree = {
        let below = Spec::option(Spec::new(Shape::Named("Tree".into())));
        let field =
            |name: &str, spec: Spec| Field { name: name.into(), spec: Arc::new(spec), optional: false };
        let fields = vec![field("left", below.clone()), field("leaf", int(0, 1))];
        Spec::new(Shape::Object(fields)).named("Tree")
    };
    let leaves = Cover::new(&pattern(&"(?:[0-9]?|x)[a-z]?".repeat(7)), &Heuristics::default());
    let covered = Difference::Enumerate(Enumerate {
        branches: Branches::Cover { on: x.clone(), cover: Arc::new(leaves) },
    });
    let one_of = |it: Term| it.clone().eq(Term::int(0)).or(it.eq(Term::int(1)));
    vec![
        ("no bounds", one(whole()), never(), Infinite),
        ("a half line", one(whole()).require(Term::int(7).le(x.clone())), never(), Infinite),
        ("texts", one(text()), never(), Infinite),
        ("lists", one(Spec::list(int(0, 1))), never(), Infinite),
        ("lists of nothing", one(Spec::list(int(1, 0))), never(), Exactly(1_u32.into())),
        (
            "long lists of one value",
            one(Spec::list(int(3, 3)).require(Term::it().len().le(Term::int(12_000)))),
            never(),
            Exactly(12_001_u32.into()),
        ),
        (
            "long lists",
            one(Spec::list(int(0, 1)).require(Term::it().len().le(Term::int(12_000)))),
            never(),
            Exactly(BigUint::from(2_u32).pow(12_001) - 1_u32),
        ),
        (
            "lists whose number nobody reads",
            one(Spec::list(int(0, 9)).require(Term::it().len().le(Term::int(40_000_000)))),
            never(),
            Open("digits"),
        ),
        ("sorted lists", one(Spec::list(int(0, 1)).require(sorted(Term::it()))), never(), Infinite),
        (
            "lists of distinct",
            one(Spec::list(int(0, 3)).require(distinct(Term::it()))),
            never(),
            Exactly(65_u32.into()),
        ),
        (
            "lists of different lengths",
            one(Spec::list(int(0, 1)).require(sorted(Term::it()))),
            Difference::different_lengths(x.clone()),
            InfiniteOr("elements"),
        ),
        ("a tree", one(tree.clone()), never(), Open("levels|deep|depth|within|`Tree`")),
        (
            "whole numbers that depend",
            xy(whole(), whole())
                .require(x.clone().modulo(Term::int(4)).eq(Term::int(1)))
                .require(x.clone().plus(y.clone()).eq(Term::int(5))),
            Difference::not_equal(y.clone().modulo(Term::int(4))),
            InfiniteOr("between"),
        ),
        (
            "few of whole numbers that depend",
            xy(whole(), whole()).require(one_of(x.clone().minus(y.clone()))),
            Difference::not_equal(x.clone().minus(y.clone())),
            InfiniteOr("between|stopped"),
        ),
        (
            "edits",
            one(text().require(Term::it().matches(pattern("[ab]{1,10}")))),
            related(&x, RelationKind::EditDistance(4)),
            Open("classes|steps|larger|stopped"),
        ),
        (
            "leaves of long texts",
            one(text()).require(Term::int(9).lt(x.clone().len())),
            covered,
            Open("leaves|stopped"),
        ),
    ]
}

/// So often a request may ask whether to stop before it is: not the clock says so.
const ASKED_MAX: u64 = 2_000;

/// Asks for more than there are, or more than are handed out at most.
#[test]
fn totals_say_what_was_cut() {
    for (name, spec, difference, expected) in cases() {
        let request = Request { spec, difference, n: 100 };
        let asked = std::cell::Cell::new(0);
        let may_stop = format!("{expected:?}").contains("stopped");
        let stop = || (asked.set(asked.get() + 1), may_stop && asked.get() > ASKED_MAX).1;
        let options = Options { stop: &stop, ..Options::default() };
        let mut handed = 0_usize;
        let made = generate(&request, &options, &mut |_| {
            handed += 1;
            ControlFlow::Continue(())
        })
        .unwrap();
        let counted = count(&request, &options).unwrap();
        for (of, total) in [("generate", made.total), ("count", counted)] {
            let names = |why: &str, words: &str| words.split('|').any(|it| why.contains(it));
            let is_right = match (&expected, &total) {
                (Infinite | InfiniteOr(_), Total::Infinite) => true,
                (Exactly(n), Total::Exactly(it)) => it == n,
                (Open(words) | InfiniteOr(words), Total::AtLeast(n, why)) => {
                    (of == "count" || *n == handed.into()) && (names(why, words) || handed == request.n)
                }
                _ => false,
            };
            let shown: String = format!("{total:?}").chars().take(300).collect();
            assert!(is_right, "{name}: {of} says {shown} after {handed}, expected {expected:?}");
            if let Total::AtLeast(_, why) = &total {
                assert!(handed == request.n || !why.contains("no more were asked for"), "{name}: {why}");
            }
        }
    }
}
