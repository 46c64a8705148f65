//! Counting by measures: totals that are known, every model once, and what is drawn.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

use probity_core::{Bounds, Budget, Generator, Source, search_exhaustive};
use probity_spec::draw::{drawn, rust};
use probity_spec::{CountedModels, Node, Op, Shape, Spec, Term, Value};

fn field(name: &str) -> Term {
    Term::it().field(name)
}

/// The content of the variant `Node`.
fn node(name: &str) -> Term {
    Term::new(Node::As(Term::it(), "Node".into())).field(name)
}

/// A measure that is a constant for `Leaf`.
fn measure(leaf: Term, node: Term) -> Term {
    Term::apply(Op::Ite, [Term::new(Node::Is(Term::it(), "Leaf".into())), leaf, node])
}

fn tree(fields: Vec<(&str, Spec)>, requires: Vec<Term>) -> Spec {
    let named = || Spec::new(Shape::Named("Tree".into()));
    let node = Spec::object(fields.into_iter().chain([("left", named()), ("right", named())]));
    let node = requires.into_iter().fold(node, Spec::require);
    rust::union([("Leaf", Spec::object::<&str>([])), ("Node", node)]).named("Tree")
}

fn ordered(spec: Spec) -> Spec {
    spec.measured(
        "min",
        measure(Term::int(i64::MAX.into()), rust::least(node("left").measure("min"), node("key"))),
    )
    .measured(
        "max",
        measure(Term::int(i64::MIN.into()), rust::greatest(node("right").measure("max"), node("key"))),
    )
}

fn in_order() -> Vec<Term> {
    vec![field("left").measure("max").lt(field("key")), field("key").lt(field("right").measure("min"))]
}

/// Red-black trees over the keys `-d..=d`, with a black root.
fn red_black(d: i128) -> (Spec, Vec<Term>) {
    let color = rust::cases(&["Black", "Red"]);
    let black = || rust::case("Black");
    let mut requires = in_order();
    requires.push(field("left").measure("black").eq(field("right").measure("black")));
    let both = field("left").measure("root").eq(black()).and(field("right").measure("root").eq(black()));
    requires.push(field("color").eq(black()).or(both));
    let spec = ordered(tree(vec![("color", color), ("key", Spec::new(Shape::int(-d, d)))], requires));
    let one = Term::apply(Op::ToInt, [node("color").eq(black())]);
    let spec = spec
        .measured("black", measure(Term::int(0), node("left").measure("black").plus(one)))
        .measured("root", measure(black(), node("color")));
    (spec, vec![Term::it().measure("root").eq(black())])
}

/// Search trees of which each side is at most three times as large as the other.
fn balanced(d: i128) -> (Spec, Vec<Term>) {
    let size = |it: &str| field(it).measure("size");
    let times = |it: Term| Term::int(3).times(it);
    let few = size("left").plus(size("right")).le(Term::int(1));
    let both = size("left").le(times(size("right"))).and(size("right").le(times(size("left"))));
    let mut requires = in_order();
    requires.push(few.or(both));
    let spec = ordered(tree(vec![("key", Spec::new(Shape::int(-d, d)))], requires));
    let sum = Term::int(1).plus(node("left").measure("size")).plus(node("right").measure("size"));
    (spec.measured("size", measure(Term::int(0), sum)), Vec::new())
}

#[test]
fn totals_are_those_that_are_known() {
    type Make = fn(i128) -> (Spec, Vec<Term>);
    let rows: [(Make, &[(u32, u128)]); 2] = [
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
    for (make, total) in [(red_black as fn(i128) -> _, 489), (balanced, 380)] {
        let (spec, more) = make(3);
        let spec = more.into_iter().fold(spec, Spec::require).within(3);
        let generator = drawn(spec.clone());
        let (seen, cases) = (RefCell::new(BTreeSet::new()), Cell::new(0));
        let mut test = |src: &mut Source| {
            let value = generator.generate(src);
            cases.set(cases.get() + 1);
            assert!(generator.answers(&value).is_some(), "{value}");
            assert!(seen.borrow_mut().insert(value.clone()), "{value} is drawn twice");
        };
        let budget = Budget { cases: 10_000, rejects: 0, go_on: &mut |_| true, progress: Default::default() };
        let found = search_exhaustive(Bounds::default(), &mut test, budget).unwrap();
        assert!(found.failures.is_empty() && found.evidence.reach.is_some_and(|it| it.all));
        assert_eq!((cases.get(), seen.borrow().len()), (total, total));
    }
}
