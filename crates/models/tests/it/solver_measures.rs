//! Requirements over measures, solved for: Target's loop, a model at a time, each refuted by what it realised.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use crate::counted::trees;
use crate::smt;
use probity_models::{Encoding, Options, SolverChoice, Total, generate};
use probity_spec::{Difference, Op, Request, Shape, Spec, Term, Value};
use random_types::{RandomType, RandomTypes};

#[path = "../../../spec/tests/it/random_types.rs"]
mod random_types;

/// What a solver finds of the field `it`, and how many it says there are.
fn solved(spec: Spec, n: usize, options: &Options) -> (BTreeSet<Value>, Total) {
    let request = Request { spec, difference: Difference::Never, n };
    let mut found = BTreeSet::new();
    let made = generate(&request, options, &mut |it| {
        assert!(request.admits(&it).is_ok());
        assert!(found.insert(it.value.field("it").unwrap().clone()), "{}: a model came twice", request.spec);
        ControlFlow::Continue(())
    });
    let made = made.unwrap_or_else(|it| panic!("{}", it.0));
    let is_wrong = |it: &String| it.contains("thrown away") || it.contains("program was wrong");
    assert!(!made.explanation.iter().any(is_wrong), "{:?}", made.explanation);
    (found, made.total)
}

fn check(types: impl Iterator<Item = RandomType>, options: &Options) {
    let mut models = 0;
    for ty in types {
        let (found, total) = solved(ty.whole(), ty.models.len() + 1, options);
        assert_eq!(total, Total::Exactly(ty.models.len().into()), "{}", ty.whole());
        assert!(found == ty.models, "{}", ty.whole());
        models += found.len();
    }
    assert!(models > 1_000, "{models}");
}

/// Solvers need a moment for each model.
const MODELS_MAX: usize = 60;

fn types() -> impl Iterator<Item = RandomType> {
    RandomTypes::new(20).filter(|it| it.models.len() <= MODELS_MAX)
}

#[test]
fn the_built_in_solver_finds_what_brute_force_finds() {
    check(types().take(500), &Options { plan: false, ..Options::default() });
}

#[test]
#[ignore = "needs z3 or cvc5: cargo xtask check finds or fetches one"]
fn an_smt_solver_finds_what_brute_force_finds() {
    let solver = SolverChoice::Smt { program: smt::solver(), transcript: None };
    let options = Options { plan: false, solver, encoding: Encoding::OneAtATime, ..Options::default() };
    check(types().take(500), &options);
}

/// Red-black trees and maps of depth 2, and lists.
#[test]
fn trees_are_solved_for() {
    for (spec, more) in [trees::red_black(2), trees::balanced(2), trees::sorted_list(2)] {
        let to_field = |it: &Term| (*it == Term::it()).then(|| Term::it().field("it"));
        let whole = Spec::object([("it", spec.clone().within(2))]);
        let whole = more.iter().fold(whole, |spec, it| spec.require(it.rewrite(&to_field)));
        let counted = probity_spec::CountedModels::new(&spec, &more, 2).unwrap().total();
        let (found, said) = solved(whole, 1_000, &Options { plan: false, ..Options::default() });
        assert_eq!((found.len() as u128, said), (counted, Total::Exactly(counted.into())));
    }
}

/// What is not counted is explained, with what is in the way.
#[test]
fn what_cannot_be_counted_is_explained() {
    let it = Term::it;
    let named = |name: &str| Spec::new(Shape::Named(name.into()));
    let chain = Spec::object([("text", Spec::new(Shape::Text)), ("next", Spec::option(named("Chain")))]);
    let length = Term::apply(
        Op::Ite,
        [it().field("next").is_some(), it().field("next").unwrap().measure("length"), Term::int(0)],
    );
    let chain = chain.named("Chain").measured("length", length.plus(Term::int(1))).within(3);
    let long = it().field("chain").measure("length").eq(Term::int(2));
    let (tree, _) = trees::red_black(2);
    let rows = [
        (
            Spec::object([("chain", chain.clone())]).require(long.clone()),
            Some("chain: not counted by its measures, because `text` is neither a number"),
        ),
        (
            Spec::object([("outer", Spec::object([("chain", chain)]).require(long))]),
            Some("outer.chain: not counted by its measures, because `text` is neither a number"),
        ),
        (Spec::object([("tree", tree.within(2))]), None),
    ];
    for (spec, line) in rows {
        let request = Request { spec, difference: Difference::Never, n: 3 };
        let made = generate(&request, &Options::default(), &mut |_| ControlFlow::Continue(())).unwrap();
        let told: Vec<&String> =
            made.explanation.iter().filter(|it| it.contains("not counted by its measures")).collect();
        assert_eq!(made.models, 3, "{:?}", made.explanation);
        match line {
            Some(line) => assert!(told.len() == 1 && told[0].starts_with(line), "{:?}", made.explanation),
            None => assert!(told.is_empty(), "{told:?}"),
        }
    }
}

/// A tree with any number of branches: their measures are added up.
#[test]
fn what_cannot_be_counted_is_solved_for() {
    let branches = Spec::list(Spec::new(Shape::Named("T".into())));
    let branches = branches.require(Term::it().len().le(Term::int(2)));
    let sum = Term::apply(Op::Sum, [Term::it().field("branches").each(|it| it.measure("size"))]);
    let tree =
        Spec::object([("branches", branches)]).named("T").measured("size", sum.plus(Term::int(1))).within(3);
    let spec = Spec::object([("it", tree)]).require(Term::it().field("it").measure("size").eq(Term::int(4)));
    // Ordered trees of four nodes with at most two branches each: 4.
    let (found, total) = solved(spec, 100, &Options::default());
    assert_eq!((found.len(), total), (4, Total::Exactly(4_u32.into())));
}
