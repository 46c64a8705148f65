//! Requests that take long are ended from outside, whatever part of the work is under way.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::sync::Arc;

use probity_models::{Options, Total, count, generate};
use probity_spec::regex::{Cover, Heuristics, Regex};
use probity_spec::{
    Branches, Difference, Enumerate, Model, Relation, RelationKind, Request, Shape, Spec, Term,
};

fn regex(pattern: &str) -> Arc<Regex> {
    Arc::new(Regex::new(pattern).unwrap())
}

fn holds(on: Term, term: Term) -> Difference {
    Difference::Relation(Relation { on, kind: RelationKind::Holds(term) })
}

/// Requests for far more models than there are, or than are found soon.
fn requests() -> Vec<(&'static str, Request)> {
    let (x, y) = (Term::it().field("x"), Term::it().field("y"));
    let int = |max: i128| Spec::new(Shape::int(0, max));
    let text = |pattern: &str| Spec::new(Shape::Text).require(Term::it().matches(regex(pattern)));
    let xy = |x: Spec, y: Spec| Spec::object([("x", x), ("y", y)]);
    let product = Term::it().plus(Term::int(1)).times(Term::other().plus(Term::int(1)));
    let relation = holds(y.clone(), product.modulo(Term::int(23)).lt(Term::int(17)));
    let lengths = Difference::different_lengths(x.clone());
    let edits = Difference::Relation(Relation { on: x.clone(), kind: RelationKind::EditDistance(3) });
    let sum = x.clone().plus(y.clone()).modulo(Term::int(3)).eq(Term::int(0));
    let spread =
        Difference::All(vec![Difference::distance(x.clone(), 3), Difference::distance(y.clone(), 5)]);
    let leaves = Cover::new(&regex(&"(?:[0-9]?|x)[a-z]?".repeat(7)), &Heuristics::default());
    let leaves = Difference::Enumerate(Enumerate {
        branches: Branches::Cover { on: x.clone(), cover: Arc::new(leaves) },
    });
    let long = Term::int(9).lt(x.clone().len());
    let cases = vec![
        ("pairs compared", xy(text("[ab]{0,6}"), int(120)), Difference::All(vec![lengths, relation])),
        ("codes", Spec::object([("x", text("[ab]{1,11}"))]), edits),
        ("dependent", xy(int(120), int(120)).require(sum), spread),
        ("leaves", Spec::object([("x", Spec::new(Shape::Text))]).require(long), leaves),
        ("many", xy(int(1_000_000), int(99)), Difference::Never),
    ];
    cases
        .into_iter()
        .map(|(name, spec, difference)| (name, Request { spec, difference, n: 5_000_000 }))
        .collect()
}

fn run(request: &Request, stop: &dyn Fn() -> bool) -> (Vec<Model>, Total) {
    let mut models = Vec::new();
    let made = generate(request, &Options { stop, ..Options::default() }, &mut |it| {
        models.push(it);
        ControlFlow::Continue(())
    });
    (models, made.unwrap().total)
}

/// How often somebody may still ask whether to stop after the first yes: a few loops are around each other.
const ASKED_AFTER: u64 = 20;

/// A stop that comes early, then later: what there is by then is handed out, and nothing is claimed. Not the clock
/// says when, but how often it was asked for: what is between two such questions is the same on every machine.
#[test]
fn a_stop_is_heeded_soon() {
    for (name, request) in requests() {
        for first in [0, 3, 10] {
            let asked = Cell::new(0);
            let stop = || (asked.set(asked.get() + 1), asked.get() > first).1;
            let (models, total) = run(&request, &stop);
            let after = asked.get() - first;
            assert!((1..=ASKED_AFTER).contains(&after), "{name}: asked {after} times after {first}");
            match &total {
                Total::AtLeast(n, why) => {
                    assert!(*n == models.len().into() && why.contains("stopped"), "{name}: {why}")
                }
                other => panic!("{name}: {other:?}"),
            }
            let some = &models[..models.len().min(60)];
            for (at, one) in some.iter().enumerate() {
                assert!(request.admits(one).is_ok() && some[..at].iter().all(|it| request.differ(it, one)));
            }
        }
        let total = count(&request, &Options { stop: &|| true, ..Options::default() }).unwrap();
        assert!(name == "many" || matches!(total, Total::AtLeast(..)), "{name}: {total:?}");
    }
}
