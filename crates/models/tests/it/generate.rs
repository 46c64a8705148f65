//! Plans: sets as large as they can be, every model legal, every pair different.

use std::ops::ControlFlow;
use std::sync::Arc;

use probity_models::{Options, Total, count, generate};
use probity_spec::regex::{Cover, Heuristics, Regex};
use probity_spec::{
    Branch, Branches, Date, Decimal, Difference, Enumerate, Model, NO_CHOICE, Op, Relation, RelationKind,
    Request, Shape, Spec, Table, Term, Value,
};

/// Generates, and checks every model and every pair (of the first thousand).
fn models_of(request: &Request, options: &Options) -> (Vec<Model>, Total) {
    let mut models = Vec::new();
    let made = generate(request, options, &mut |it| {
        models.push(it);
        ControlFlow::Continue(())
    })
    .unwrap();
    assert_eq!(made.models, models.len());
    for model in &models {
        request.admits(model).unwrap_or_else(|it| panic!("{it} in {request:?}\n{:?}", made.explanation));
    }
    let some = &models[..models.len().min(1000)];
    for (at, one) in some.iter().enumerate() {
        for two in &some[..at] {
            assert!(request.differ(one, two), "{one:?} and {two:?} in {request:?}\n{:?}", made.explanation);
        }
    }
    assert!(models.len() <= request.n);
    (models, made.total)
}

fn field(name: &str) -> Term {
    Term::it().field(name)
}

fn int(min: i128, max: i128) -> Spec {
    Spec::new(Shape::int(min, max))
}

fn text(pattern: &str) -> Spec {
    Spec::new(Shape::Text).require(Term::it().matches(Arc::new(Regex::new(pattern).unwrap())))
}

fn cover(on: Term, pattern: &str) -> Difference {
    let cover = Cover::new(&Regex::new(pattern).unwrap(), &Heuristics::default());
    Difference::Enumerate(Enumerate { branches: Branches::Cover { on, cover: Arc::new(cover) } })
}

fn related(on: Term, kind: RelationKind) -> Difference {
    Difference::Relation(Relation { on, kind })
}

fn enumerate(branches: Vec<(Term, Difference)>) -> Difference {
    let branch =
        |(requires, differ): (Term, Difference)| Branch { label: requires.to_string(), requires, differ };
    Difference::Enumerate(Enumerate {
        branches: Branches::Listed(branches.into_iter().map(branch).collect()),
    })
}

fn cities() -> Spec {
    let rows = [("Oslo", "CET"), ("Rome", "CET"), ("Lagos", "WAT"), ("Lima", "PET"), ("Paris", "CET")];
    let rows = rows.iter().map(|it| vec![it.0.into(), it.1.into()]).collect();
    let columns = vec!["name".into(), "zone".into()];
    Spec::new(Shape::Table(Arc::new(Table { name: "City".into(), columns, rows })))
}

/// Specs with differences and the size of the largest set; 0 represents no end.
fn cases() -> Vec<(&'static str, Spec, Difference, u32)> {
    let (x, y) = (field("x"), field("y"));
    let xy = |a: Spec, b: Spec| Spec::object([("x", a), ("y", b)]);
    let one = |a: Spec| Spec::object([("x", a)]);
    let differs = Difference::not_equal;
    let even = Term::it().modulo(Term::int(2)).eq(Term::int(0));
    let prefer_small = enumerate(vec![
        (x.clone().lt(Term::int(100)), differs(x.clone())),
        (Term::int(100).le(x.clone()), Difference::distance(x.clone(), 50)),
    ]);
    let option = Spec::option(int(1, 3));
    let number = |it: i128, scale: u32| Term::constant(Value::Number(Decimal::new(it, scale)));
    let cents = Spec::new(Shape::Number { decimals: 2 })
        .require(number(0, 0).le(Term::it()))
        .require(Term::it().le(number(1, 0)));
    let tenth = related(x.clone(), RelationKind::Distance(Decimal::new(1, 1)));
    let union = Spec::new(Shape::Union(vec![
        ("number".into(), Arc::new(int(1, 3))),
        ("flag".into(), Arc::new(Spec::new(Shape::Bool))),
    ]));
    let list = |of: Spec, max: i128| Spec::list(of).require(Term::it().len().le(Term::int(max)));
    vec![
        ("default", xy(int(1, 6), Spec::new(Shape::Bool)), Difference::Never, 12),
        ("always", one(int(1, 6)), Difference::Always, 6),
        ("no end", one(Spec::new(Shape::Int { min: Some(3), max: None })), Difference::Never, 0),
        ("even", one(int(0, 100).require(even.clone())), differs(x.clone()), 51),
        ("text", one(text("[ab]{1,3}")), differs(x.clone()), 14),
        ("lengths", one(text("(ab)*c?")), Difference::different_lengths(x.clone()), 0),
        ("few lengths", one(text("a|bb|cc|dddd")), Difference::different_lengths(x.clone()), 3),
        ("length as a term", one(text("a|bb|cc|dddd")), differs(x.clone().len()), 3),
        ("lists", one(list(int(0, 1), 2)), differs(x.clone()), 7),
        ("list lengths", one(list(int(0, 1), 2)), Difference::different_lengths(x.clone()), 3),
        ("options", one(option.clone()), Difference::Never, 4),
        ("content of options", one(option), differs(x.clone().unwrap()), 3),
        ("distance", one(int(0, 99)), Difference::distance(x.clone(), 30), 4),
        ("distance of evens", one(int(1, 11).require(even)), Difference::distance(x.clone(), 3), 3),
        ("prefer small", one(int(0, 999)), prefer_small, 118),
        ("zones", one(cities()), differs(x.clone().field("zone")), 3),
        (
            "some of",
            xy(int(1, 3), cities()),
            Difference::Any(vec![differs(x.clone()), differs(y.clone().field("zone"))]),
            9,
        ),
        ("all of", xy(int(1, 3), cities()), Difference::All(vec![differs(x.clone()), differs(y.clone())]), 3),
        (
            "leaf or zone",
            xy(text("a|bc?|d+"), cities()),
            Difference::Any(vec![cover(x.clone(), "a|b|d+"), differs(y.clone().field("zone"))]),
            12,
        ),
        ("dependent", xy(int(1, 4), int(1, 4)).require(x.clone().lt(y.clone())), Difference::Never, 6),
        (
            "key of dependent",
            xy(int(1, 4), int(1, 4)).require(x.clone().lt(y.clone())),
            differs(y.clone()),
            3,
        ),
        ("equal", xy(int(1, 3), int(1, 4)), Difference::Not(Box::new(differs(x.clone()))), 4),
        (
            "one grows",
            xy(int(1, 3), int(1, 4)),
            related(x.clone(), RelationKind::Holds(Term::it().lt(Term::other()))),
            1,
        ),
        ("edits", one(text("[ab]{3}")), related(x.clone(), RelationKind::EditDistance(3)), 2),
        ("never within", one(int(1, 3)), enumerate(vec![(Term::always(), Difference::Never)]), 1),
        ("never at all", one(int(1, 3)), Difference::Any(vec![]), 1),
        ("nothing", one(int(3, 1)), Difference::Never, 0x8000),
        (
            "distance or key",
            xy(int(0, 10), int(0, 1)),
            Difference::Any(vec![Difference::distance(x.clone(), 5), differs(y.clone())]),
            6,
        ),
        (
            "two distances",
            xy(int(0, 9), int(0, 9)),
            Difference::All(vec![Difference::distance(x.clone(), 4), Difference::distance(y.clone(), 3)]),
            3,
        ),
        (
            "overlapping",
            xy(int(0, 2), int(0, 2)),
            Difference::Any(vec![
                Difference::All(vec![differs(x.clone()), differs(y.clone())]),
                differs(x.clone()),
            ]),
            3,
        ),
        ("any text", one(Spec::new(Shape::Text)), Difference::Never, 0),
        ("any list", one(Spec::list(Spec::new(Shape::Text))), Difference::Never, 0),
        ("cents", one(cents.clone()), Difference::Never, 101),
        ("tenths apart", one(cents), tenth, 11),
        ("union", one(union), Difference::Never, 5),
        ("times", one(Spec::new(Shape::Time)), Difference::distance(x.clone(), 3_600), 24),
        ("nested", one(xy(int(1, 3), int(1, 2))), differs(x.clone()), 6),
        ("weekdays", one(Spec::new(Shape::Date)), differs(Term::apply(Op::Weekday, [x.clone()])), 7),
        (
            "a week",
            one(Spec::new(Shape::Date)
                .require(Term::constant(Value::Date(Date::from_days(100).unwrap())).lt(Term::it()))
                .require(Term::it().le(Term::constant(Value::Date(Date::from_days(107).unwrap()))))),
            Difference::Never,
            7,
        ),
    ]
}

#[test]
fn sets_are_as_large_as_they_can_be() {
    for (name, spec, difference, most) in cases() {
        for n in [0, 1, 2, 5, 200] {
            let request = Request { spec: spec.clone(), difference: difference.clone(), n };
            let (models, total) = models_of(&request, &Options { seed: n as u64, ..Options::default() });
            let (most, has_end) = if most == 0x8000 { (0, true) } else { (most as usize, most > 0) };
            let expected = if has_end { most.min(n) } else { n };
            assert_eq!(models.len(), expected, "{name}, {n}: {total:?}");
            if n == 200 {
                let count = count(&request, &Options::default()).unwrap();
                let exact = if has_end { Total::Exactly(most.into()) } else { Total::Infinite };
                assert_eq!((&total, &count), (&exact, &exact), "{name}");
            }
        }
    }
}

#[test]
fn enumerate_linear_visits_every_assertion_once() {
    let x = field("x");
    for k in 1..8 {
        // Overlapping assertions: a number may satisfy several.
        let asserts: Vec<Term> = (0..k).map(|at| Term::int(at).le(x.clone())).collect();
        let spec = Spec::object([("x", int(0, 20))]);
        let request = Request { spec, difference: Difference::enumerate_linear(asserts.clone()), n: 100 };
        let (models, total) = models_of(&request, &Options::default());
        assert_eq!(total, Total::Exactly((k as u32).into()));
        let mut chosen: Vec<u64> = models.iter().map(|it| it.choices[0]).collect();
        chosen.sort_unstable();
        assert!(chosen.into_iter().eq(0..k as u64));
        for model in &models {
            let chosen = &asserts[model.choices[0] as usize];
            assert_eq!(chosen.eval(&model.value, None), Some(Value::Bool(true)));
        }
    }
}

#[test]
fn nested_choices_know_their_place() {
    let x = field("x");
    let inner = |lo: i128| {
        Difference::enumerate_linear([x.clone().eq(Term::int(lo)), x.clone().eq(Term::int(lo + 1))])
    };
    let difference =
        enumerate(vec![(x.clone().lt(Term::int(10)), inner(3)), (Term::int(10).le(x.clone()), inner(12))]);
    let request = Request { spec: Spec::object([("x", int(0, 20))]), difference, n: 9 };
    let (mut models, _) = models_of(&request, &Options::default());
    models.sort();
    let seen: Vec<(i128, Vec<u64>)> = models
        .iter()
        .map(|it| match it.value.field("x") {
            Some(Value::Int(x)) => (*x, it.choices.clone()),
            other => panic!("{other:?}"),
        })
        .collect();
    let expected =
        [(3, [0, 0, NO_CHOICE]), (4, [0, 1, NO_CHOICE]), (12, [1, NO_CHOICE, 0]), (13, [1, NO_CHOICE, 1])];
    assert_eq!(seen, expected.map(|it| (it.0, it.1.to_vec())));
}

#[test]
fn same_seed_same_models_and_other_seeds_others() {
    let spec = Spec::object([("x", Spec::new(Shape::Int { min: None, max: None })), ("y", text("[a-z]*"))]);
    let request = Request { spec, difference: Difference::Never, n: 20 };
    let of = |seed: u64| models_of(&request, &Options { seed, ..Options::default() }).0;
    assert_eq!(of(1), of(1));
    assert_ne!(of(1), of(2));
}

#[test]
fn leaves_and_zones_are_used_evenly() {
    let spec = Spec::object([("x", text("a|b|c|d")), ("y", cities())]);
    let zone = Difference::not_equal(field("y").field("zone"));
    let difference = Difference::Any(vec![cover(field("x"), "a|b|c|d"), zone]);
    let (models, _) = models_of(&Request { spec, difference, n: 9 }, &Options::default());
    let uses = |at: &dyn Fn(&Model) -> String| {
        let mut counts = std::collections::BTreeMap::new();
        models.iter().for_each(|it| *counts.entry(at(it)).or_insert(0) += 1);
        counts
    };
    let leaves = uses(&|it| it.choices[0].to_string());
    let zones = uses(&|it| it.value.field("y").and_then(|it| it.field("zone")).unwrap().to_string());
    assert!(leaves.len() == 4 && leaves.values().all(|it| (2..=3).contains(it)), "{leaves:?}");
    assert!(zones.len() == 3 && zones.values().all(|it| *it == 3), "{zones:?}");
}

#[test]
fn generation_can_be_ended_from_outside() {
    let request = Request { spec: Spec::object([("x", int(0, 999))]), difference: Difference::Never, n: 500 };
    let mut seen = 0;
    let made = generate(&request, &Options::default(), &mut |_| {
        seen += 1;
        if seen < 7 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    assert_eq!(made.unwrap().models, 7);
    let stopped = generate(&request, &Options { stop: &|| true, ..Options::default() }, &mut |_| {
        ControlFlow::Continue(())
    });
    assert!(matches!(stopped.unwrap().total, Total::AtLeast(..)));
}
