//! Drawn specs: every engine draws exactly the values that the evaluator admits.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use probity_core::{
    Bounds, Budget, Generator, Random, Source, run_case, sample, search_exhaustive, search_random,
};
use probity_spec::draw::drawn;
use probity_spec::regex::Regex;
use probity_spec::{Name, Node, Op, Shape, Spec, Term, Value};

/// Every value of the shape with lists up to 3 items and texts up to 3 of the letters `ab`.
fn all(spec: &Spec) -> Vec<Value> {
    let product = |parts: Vec<Vec<Value>>| {
        parts.into_iter().fold(vec![Vec::new()], |all, part| {
            all.iter()
                .flat_map(|it| part.iter().map(|new| [&it[..], std::slice::from_ref(new)].concat()))
                .collect()
        })
    };
    match &spec.shape {
        Shape::Bool => [false, true].map(Value::Bool).to_vec(),
        Shape::Int { min: Some(min), max: Some(max) } => (*min..=*max).map(Value::Int).collect(),
        Shape::Text => {
            let texts = (0..=3).flat_map(|n| product(vec![vec!["a".into(), "b".into()]; n]));
            texts
                .map(|it| {
                    Value::from(
                        &*it.iter()
                            .map(|it| if let Value::Text(it) = it { &**it } else { "" })
                            .collect::<String>(),
                    )
                })
                .collect()
        }
        Shape::Enum(cases) => cases.iter().cloned().map(Value::Case).collect(),
        Shape::Option(of) => {
            let some = all(of).into_iter().map(|it| Value::Option(Some(Box::new(it))));
            [Value::Option(None)].into_iter().chain(some).collect()
        }
        Shape::List(of) => (0..=3).flat_map(|n| product(vec![all(of); n])).map(Value::List).collect(),
        Shape::Object(fields) => {
            let names: Vec<Name> = fields.iter().map(|it| it.name.clone()).collect();
            let values = product(fields.iter().map(|it| all(&it.spec)).collect());
            values.into_iter().map(|it| Value::Object(names.iter().cloned().zip(it).collect())).collect()
        }
        Shape::Union(cases) => cases
            .iter()
            .flat_map(|(name, of)| all(of).into_iter().map(|it| Value::Union(name.clone(), Box::new(it))))
            .collect(),
        other => panic!("{other:?} is not listed"),
    }
}

/// How often each value is drawn when every answer is given, and how many cases are rejected.
fn visited(spec: &Spec) -> (BTreeMap<Value, u32>, u64) {
    let generator = drawn(spec.clone());
    let seen = RefCell::new(BTreeMap::new());
    let mut test = |src: &mut Source| {
        let value = generator.generate(src);
        *seen.borrow_mut().entry(value).or_insert(0) += 1;
    };
    let budget = Budget { cases: 100_000, rejects: 0, go_on: &mut |_| true, progress: Default::default() };
    let finding = search_exhaustive(Bounds::default(), &mut test, budget).expect("no misuse");
    let reach = finding.evidence.reach.unwrap();
    assert!(reach.all, "{spec}");
    let rejected = finding.tally.rejected();
    (seen.into_inner(), rejected)
}

fn check(spec: &Spec) {
    let expected: BTreeMap<Value, u32> =
        all(spec).into_iter().filter(|it| spec.admits(it).is_ok()).map(|it| (it, 1)).collect();
    if expected.is_empty() {
        // That there is none is told, or no case comes through.
        let mut source = Source::new(Box::new(Random::new(7)));
        let generator = drawn(spec.clone());
        let case = run_case(&mut source, &mut |src: &mut Source| _ = generator.generate(src));
        return assert!(
            case.is_err_and(|it| it.message.contains("; ")) || visited(spec).0.is_empty(),
            "{spec}"
        );
    }
    let (seen, _) = visited(spec);
    assert_eq!(seen, expected, "{spec}");
    let generator = drawn(spec.clone());
    for value in expected.keys().step_by(1 + expected.len() / 50) {
        assert!(generator.answers(value).is_some(), "{spec}\n{value}");
    }
    for seed in 0..5 {
        let value = sample(&generator, seed);
        assert!(spec.admits(&value).is_ok(), "{spec}\n{value}");
    }
}

fn int(min: i128, max: i128) -> Spec {
    Spec::new(Shape::int(min, max))
}

fn text(pattern: &str) -> Spec {
    Spec::new(Shape::Text).require(Term::it().matches(Arc::new(Regex::new(pattern).unwrap())))
}

fn field(name: &str) -> Term {
    Term::it().field(name)
}

#[test]
fn exactly_the_models_are_drawn() {
    let (a, b, c) = (|| field("a"), || field("b"), || field("c"));
    let three = |max| Spec::object([("a", int(0, max)), ("b", int(0, max)), ("c", int(0, max))]);
    let short = |of: Spec| Spec::list(of).require(Term::it().len().le(Term::int(3)));
    let shape = |name: &str| Spec::object([(name, int(0, 3))]);
    let union =
        Spec::new(Shape::Union(vec![("p".into(), Arc::new(shape("x"))), ("q".into(), Arc::new(int(0, 2)))]));
    let as_p = Term::new(Node::As(Term::it(), "p".into())).field("x");
    for spec in [
        int(-3, 9).require(Term::it().modulo(Term::int(3)).eq(Term::int(1))),
        int(-3, 9).require(Term::it().times(Term::it()).lt(Term::int(10))),
        int(-3, 9).require(Term::it().eq(Term::int(2)).or(Term::int(7).le(Term::it()))),
        int(0, 9).require(Term::it().lt(Term::int(0))),
        three(4).require(a().lt(b())).require(b().lt(c())),
        three(4).require(a().plus(b()).eq(c())),
        three(3).require(a().times(b()).plus(c()).eq(Term::int(7))),
        three(2).require(a().eq(b()).negate()).require(c().lt(Term::int(2))),
        short(int(0, 2)),
        short(int(0, 3)).require(Term::apply(Op::Sorted, [Term::it()])),
        short(int(0, 3)).require(Term::apply(Op::Sum, [Term::it()]).eq(Term::int(4))),
        short(int(0, 3)).require(Term::it().forall(|it| it.modulo(Term::int(2)).eq(Term::int(1)))),
        short(int(0, 2)).require(Term::it().len().eq(Term::int(2)).negate()),
        short(int(5, 4)),
        Spec::option(int(0, 5)).require(Term::it().is_some()),
        Spec::option(int(0, 5))
            .require(Term::it().is_some().negate().or(Term::it().unwrap().lt(Term::int(2)))),
        union.clone(),
        union.clone().require(as_p.clone().eq(Term::int(2))),
        union.require(Term::new(Node::Is(Term::it(), "q".into())).or(as_p.lt(Term::int(1)))),
        text("[ab]{0,3}"),
        text("[ab]{1,3}").require(Term::it().eq(Term::text("a")).negate()),
        text("(ab?)*").require(Term::it().len().le(Term::int(3))),
        text("[ab]{0,3}").require(Term::apply(Op::Contains, [Term::it(), Term::text("ab")])),
        Spec::object([("a", int(0, 3)), ("t", text("[ab]{0,3}"))]).require(field("t").len().eq(a())),
        Spec::object([("p", text("[ab]{0,2}")), ("t", text("[ab]{0,3}"))])
            .require(Term::apply(Op::StartsWith, [field("t"), field("p")])),
        Spec::object([("t", text("[ab]{0,3}")), ("u", text("[ab]{0,2}"))])
            .require(Term::apply(Op::EndsWith, [field("t"), field("u")])),
        Spec::object([("xs", short(int(0, 2))), ("n", int(0, 4))])
            .require(field("xs").len().eq(field("n")))
            .require(field("xs").forall(|it| it.lt(field("n")))),
        Spec::object([("a", int(0, 2)), ("o", Spec::option(int(0, 2)))]).require(field("o").unwrap().lt(a())),
    ] {
        check(&spec);
    }
}

/// Small specs with requirements between their parts, as an engine draws them.
mod random_specs {
    use super::*;

    fn leaf(src: &mut Source) -> Spec {
        match src.pick(5) {
            0 => int(0, src.int(0, 4)),
            1 => Spec::new(Shape::Bool),
            2 => Spec::new(Shape::Enum(vec!["red".into(), "green".into()])),
            3 => text(["[ab]{0,2}", "a*b?(a|)", "ab|b|"][src.pick(3)])
                .require(Term::it().len().le(Term::int(3))),
            _ => int(-2, 2),
        }
    }

    fn spec(src: &mut Source) -> Spec {
        match src.pick(4) {
            0 => Spec::option(leaf(src)),
            1 => Spec::list(int(0, 2)).require(Term::it().len().le(Term::int(2))),
            _ => leaf(src),
        }
    }

    /// A number made of the fields, and of numbers.
    fn number(src: &mut Source, fields: &[(&'static str, Spec)], depth: u32) -> Term {
        let (name, spec) = &fields[src.pick(fields.len())];
        let it = field(name);
        match (src.pick(if depth == 0 { 2 } else { 5 }), &spec.shape) {
            (0, _) => Term::int(src.int(-1, 4)),
            (2, _) => number(src, fields, depth - 1).plus(number(src, fields, depth - 1)),
            (3, _) => number(src, fields, depth - 1).minus(number(src, fields, depth - 1)),
            (4, _) => number(src, fields, depth - 1).times(number(src, fields, depth - 1)),
            (_, Shape::Text) => it.len(),
            (_, Shape::List(_)) if src.bool() => it.len(),
            (_, Shape::List(_)) => Term::apply(Op::Sum, [it]),
            (_, Shape::Option(of)) if matches!(of.shape, Shape::Int { .. }) => it.unwrap(),
            (_, Shape::Bool) => Term::apply(Op::ToInt, [it]),
            (_, Shape::Int { .. }) => it,
            _ => Term::int(1),
        }
    }

    fn truth(src: &mut Source, fields: &[(&'static str, Spec)], depth: u32) -> Term {
        match src.pick(if depth == 0 { 3 } else { 6 }) {
            0 => number(src, fields, 1).lt(number(src, fields, 1)),
            1 => number(src, fields, 1).le(number(src, fields, 1)),
            2 => number(src, fields, 1).eq(number(src, fields, 1)),
            3 => truth(src, fields, depth - 1).or(truth(src, fields, depth - 1)),
            4 => truth(src, fields, depth - 1).negate(),
            _ => truth(src, fields, depth - 1).and(truth(src, fields, depth - 1)),
        }
    }

    fn object(src: &mut Source) -> Spec {
        let n = src.int(1, 3);
        let fields: Vec<(&'static str, Spec)> =
            ["a", "b", "c"].into_iter().take(n).map(|it| (it, spec(src))).collect();
        let terms: Vec<Term> = (0..src.int(1, 3)).map(|_| truth(src, &fields, 2)).collect();
        terms.into_iter().fold(Spec::object(fields), Spec::require)
    }

    #[test]
    fn agree_with_brute_force() {
        for seed in 0..150 {
            check(&sample(&object, seed));
        }
    }
}

/// How many cases of a hundred are rejected.
fn rejected(spec: &Spec) -> u64 {
    let generator = drawn(spec.clone());
    let mut test = |src: &mut Source| assert!(spec.admits(&generator.generate(src)).is_ok());
    let budget = Budget { cases: 100, rejects: 10, go_on: &mut |_| true, progress: Default::default() };
    let tally = search_random(7, &mut test, budget).expect("no misuse").tally;
    assert_eq!(tally.cases, 100, "{spec}");
    tally.rejected()
}

#[test]
fn wide_specs_are_seldom_rejected() {
    let wide = || int(i64::MIN.into(), i64::MAX.into());
    let (a, b, c) = (field("a"), field("b"), field("c"));
    let three = || Spec::object([("a", wide()), ("b", wide()), ("c", wide())]);
    for spec in [
        three().require(a.clone().lt(b.clone())).require(b.clone().lt(c.clone())),
        three().require(a.clone().plus(b.clone()).eq(c.clone())),
        wide().require(Term::it().modulo(Term::int(1000)).eq(Term::int(7))),
        Spec::object([("n", int(0, 40)), ("t", text("[a-z]+@[a-z]+\\.(com|org)"))])
            .require(field("t").len().eq(field("n").plus(Term::int(7)))),
        Spec::object([("p", text("[a-z]{1,5}")), ("t", text("[a-z]{1,20}"))])
            .require(Term::apply(Op::StartsWith, [field("t"), field("p")])),
        Spec::object([("from", Spec::new(Shape::Date)), ("to", Spec::new(Shape::Date))])
            .require(field("from").le(field("to"))),
        Spec::object([("xs", Spec::list(int(0, 1000))), ("limit", int(0, 1000))])
            .require(field("xs").forall(|it| it.le(field("limit")))),
        Spec::list(int(0, 1000)).require(Term::apply(Op::Sorted, [Term::it()])),
        Spec::list(int(0, 1000))
            .require(Term::apply(Op::Sum, [Term::it()]).eq(Term::int(1000)))
            .require(Term::it().len().eq(Term::int(5))),
    ] {
        let rejected = rejected(&spec);
        assert!(rejected <= 5, "{rejected} of {spec}");
    }
}

#[test]
fn long_texts_are_drawn() {
    for (pattern, length) in [("a{5000}", 5000), ("[ab]{3000}", 3000), ("(?:x|yz){0}", 0)] {
        let value = sample(&drawn(text(pattern)), 7);
        assert!(matches!(&value, Value::Text(it) if it.len() == length), "{pattern}");
    }
}

#[test]
fn values_longer_than_those_of_chance_have_answers() {
    for n in [0, 64, 65, 66, 100, 101, 500, 2000] {
        let long = Value::from(&*"a".repeat(n));
        assert!(drawn(Spec::new(Shape::Text)).answers(&long).is_some(), "{n}");
        assert!(drawn(text("[a-z]*")).answers(&long).is_some(), "{n}");
        let list = drawn(Spec::list(int(0, 9)));
        assert!(list.answers(&Value::List(vec![Value::Int(7); n])).is_some(), "{n}");
    }
}

#[test]
fn recursive_specs_end() {
    let tree =
        Spec::object([("left", Spec::option(Spec::new(Shape::Named("tree".into())))), ("value", int(0, 9))])
            .named("tree");
    let generator = drawn(tree.clone());
    for seed in 0..50 {
        let value = sample(&generator, seed);
        assert!(tree.admits(&value).is_ok() && generator.answers(&value).is_some(), "{value}");
    }
}

/// Stored traces of `#[from("..")]` do not depend on whether the feature `spec` is on.
#[test]
fn a_pattern_alone_draws_what_its_spec_draws() {
    let patterns = include_str!("../../../regex/tests/patterns/by-hand.txt");
    for pattern in patterns.lines().filter(|it| !it.starts_with("#! ") && Regex::new(it).is_ok()).step_by(7) {
        let traces = |draw: &dyn Fn(&mut Source) -> String| -> Vec<_> {
            let trace = |seed| {
                let mut source = Source::new(Box::new(Random::new(seed)));
                let mut text = None;
                let case = run_case(&mut source, &mut |src: &mut Source| text = Some(draw(src)));
                (text, case.map(|it| it.trace).map_err(|it| it.message))
            };
            (0..5).map(trace).collect()
        };
        let alone = traces(&|src| probity_spec::regex::matching(pattern).generate(src));
        let declared = traces(&|src| probity_spec::draw::matching(pattern).generate(src));
        assert_eq!(alone, declared, "{pattern}");
    }
}
