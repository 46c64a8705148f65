//! Flat specs have exactly the models of the spec: every model listed, for shapes of every kind.

use std::collections::BTreeSet;
use std::sync::Arc;

use probity_models::solve::builtin;
use probity_spec::flat::{Bounds, Flat};
use probity_spec::regex::{Cover, Heuristics, Regex};
use probity_spec::{
    Branches, Decimal, Difference, Enumerate, Model, Name, Op, Request, Shape, Spec, Table, Term, Value,
};

fn int(lo: i128, hi: i128) -> Spec {
    Spec::new(Shape::int(lo, hi))
}

fn unbounded() -> Spec {
    Spec::new(Shape::Int { min: None, max: None })
}

fn union(cases: impl IntoIterator<Item = (&'static str, Spec)>) -> Spec {
    Spec::new(Shape::Union(cases.into_iter().map(|it| (Name::from(it.0), Arc::new(it.1))).collect()))
}

/// All models, each once, each admitted, each coming back from its slots.
fn models(spec: &Spec, difference: &Difference, bounds: &Bounds) -> (BTreeSet<Model>, Vec<String>) {
    let flat = Flat::of(spec, difference, bounds).expect("it can be lowered");
    let found = builtin::all(&flat.slots, &flat.requires, 10_000, &|| false).expect("it is small");
    let request = Request { spec: spec.clone(), difference: difference.clone(), n: 0 };
    let mut models = BTreeSet::new();
    for scalars in found {
        let model = flat.model(&scalars).expect("every assignment is a model");
        request.admits(&model).unwrap_or_else(|it| panic!("{spec}: {it}"));
        assert_eq!(flat.scalars(&model), Some(scalars), "{spec}");
        assert!(models.insert(model), "{spec}: a model came twice");
    }
    (models, flat.bounded)
}

#[test]
fn every_shape_has_all_its_models() {
    let it = Term::it;
    let at_most = |n: i128| it().len().le(Term::int(n));
    let rows = vec![vec!["p".into(), Value::Int(1)], vec!["q".into(), Value::Int(2)]];
    let table = Arc::new(Table { name: "T".into(), columns: vec!["name".into(), "rank".into()], rows });
    let pattern = Arc::new(Regex::new("a?[bc]{0,2}").unwrap());
    let cases: Vec<(Spec, usize)> = vec![
        (Spec::option(int(0, 2)), 4),
        (Spec::option(Spec::option(Spec::new(Shape::Bool))), 4),
        (Spec::list(int(0, 2)).require(at_most(2)), 1 + 3 + 9),
        (Spec::list(Spec::list(Spec::new(Shape::Bool)).require(at_most(1))).require(at_most(2)), 1 + 3 + 9),
        (Spec::list(int(0, 5)).require(at_most(3)).require(Term::apply(Op::Sorted, [it()])), 1 + 6 + 21 + 56),
        (
            Spec::list(int(0, 5)).require(at_most(3)).require(Term::apply(Op::Distinct, [it()])),
            1 + 6 + 30 + 120,
        ),
        (union([("a", int(0, 2)), ("b", Spec::option(int(0, 2)))]), 7),
        (Spec::new(Shape::Enum(["x", "y"].map(Into::into).into())), 2),
        (Spec::new(Shape::Table(table)).require(it().field("rank").lt(Term::int(2))), 1),
        (Spec::new(Shape::Text).require(it().matches(pattern)), 2 * (1 + 2 + 4)),
        (
            Spec::new(Shape::Number { decimals: 1 })
                .require(it().abs().le(Term::constant(Value::Number(Decimal::new(12, 1))))),
            25,
        ),
        (unbounded().require(it().times(it()).lt(Term::int(50))), 15),
        (
            Spec::object([("x", unbounded()), ("y", unbounded())])
                .require(it().field("x").plus(it().field("y")).le(Term::int(3)))
                .require(Term::int(0).le(it().field("x")).and(Term::int(0).le(it().field("y")))),
            10,
        ),
        (Spec::object([("x", int(3, 2))]), 0),
        (Spec::new(Shape::Enum(Vec::new())), 0),
        (Spec::list(int(3, 2)).require(at_most(2)), 1),
    ];
    for (spec, expected) in cases {
        let (found, bounded) = models(&spec, &Difference::Never, &Bounds::default());
        assert_eq!(found.len(), expected, "{spec}");
        assert_eq!(bounded, Vec::<String>::new(), "{spec}");
    }
}

#[test]
fn what_is_cut_is_told() {
    let length = Term::it().len();
    let tree = union([("leaf", int(0, 0)), ("node", Spec::list(Spec::new(Shape::Named("tree".into()))))])
        .named("tree");
    let bounds = Bounds { list: 2, depth: 1, text: 5 };
    for (spec, expected) in [
        (Spec::list(int(0, 1)), "it: up to 2 elements"),
        (Spec::list(int(0, 1)).require(Term::int(3).le(length.clone())), "it: up to 5 elements"),
        (Spec::new(Shape::Text), "it: up to 5 characters"),
        (Spec::object([("n", unbounded())]), "n: between -2^63 and 2^63 - 1"),
        (
            Spec::object([("n", Spec::new(Shape::Int { min: Some(0), max: None }))]),
            "n: between 0 and 2^63 - 1",
        ),
        (tree, "tree: up to 1 levels within itself"),
    ] {
        let flat = Flat::of(&spec, &Difference::Never, &bounds).expect("it can be lowered");
        assert!(flat.bounded.iter().any(|it| it == expected), "{spec}: {:?}", flat.bounded);
    }
}

/// How many binary trees there are with this many levels and leaves of two kinds.
fn trees(levels: u32) -> usize {
    if levels == 0 { 2 } else { 2 + trees(levels - 1).pow(2) }
}

#[test]
fn recursion_is_unrolled_to_its_depth() {
    let below = || Spec::new(Shape::Named("tree".into()));
    let node = Spec::object([("left", below()), ("right", below())]);
    let tree = union([("leaf", int(0, 1)), ("node", node)]).named("tree");
    for depth in 0..=2 {
        let bounds = Bounds { depth, ..Bounds::default() };
        let (found, bounded) = models(&tree, &Difference::Never, &bounds);
        assert_eq!(found.len(), trees(depth as u32), "depth {depth}");
        assert_eq!(bounded.len(), 1, "depth {depth}: {bounded:?}");
    }
    let endless = Spec::object([("next", Spec::new(Shape::Named("endless".into())))]).named("endless");
    let error = Flat::of(&endless, &Difference::Never, &Bounds::default()).unwrap_err();
    assert!(error.contains("no value within the bound"), "{error}");
}

#[test]
fn leaves_of_a_cover_are_choices() {
    let regex = Regex::new("(a|b)c?").unwrap();
    let text = Spec::new(Shape::Text).require(Term::it().matches(Arc::new(regex.clone())));
    let spec = Spec::object([("s", text)]);
    let cover = Arc::new(Cover::new(&regex, &Heuristics::default()));
    let on = Term::it().field("s");
    let difference = Difference::Enumerate(Enumerate { branches: Branches::Cover { on, cover } });
    let request = Request { spec: spec.clone(), difference: difference.clone(), n: 0 };
    let (found, _) = models(&spec, &difference, &Bounds::default());
    let mut expected = BTreeSet::new();
    for text in ["a", "b", "ac", "bc"] {
        let value = Value::Object(vec![("s".into(), text.into())]);
        for choices in request.choices_of(&value, 100) {
            expected.insert(Model { value: value.clone(), choices });
        }
    }
    assert!(expected.len() >= 4, "{expected:?}");
    assert_eq!(found, expected);
}
