//! Terms and expressions whose kinds do not fit: never a panic, and no other answer than the evaluator's.

use std::sync::Arc;

use probity_models::solve::builtin::{self, Builtin};
use probity_models::solve::{Answer, Effort, Solver};
use probity_spec::flat::{Bounds, Expr, ExprNode, Flat, Scalar, Slot, SlotKind};
use probity_spec::regex::Regex;
use probity_spec::{Difference, Node, Op, Quantifier, Random, Shape, Spec, Table, Term, Value};

fn pick<T: Clone>(random: &mut Random, of: &[T]) -> T {
    of[random.index(of.len())].clone()
}

fn regex() -> Arc<Regex> {
    Arc::new(Regex::new("a?b?").unwrap())
}

/// Every kind of value, few of each.
fn spec() -> (Spec, Vec<Value>) {
    let int = || Spec::new(Shape::int(0, 1));
    let rows = vec![vec![Value::Int(1)], vec!["a".into()]];
    let table = Arc::new(Table { name: "T".into(), columns: vec!["mixed".into()], rows });
    let at_most = |n: i128| Term::it().len().le(Term::int(n));
    let ints = |lo: i128, hi: i128| (lo..=hi).map(Value::Int);
    let lists = ints(0, 1).map(|it| Value::List(vec![it])).chain([Value::List(Vec::new())]);
    let options = ints(0, 1).map(|it| Value::Option(Some(Box::new(it)))).chain([Value::Option(None)]);
    let fields: [(&str, Spec, Vec<Value>); 6] = [
        ("b", Spec::new(Shape::Bool), vec![Value::Bool(false), Value::Bool(true)]),
        ("n", int(), ints(0, 1).collect()),
        (
            "t",
            Spec::new(Shape::Text).require(Term::it().matches(regex())),
            ["", "a", "b", "ab"].map(Value::from).into(),
        ),
        ("o", Spec::option(int()), options.collect()),
        ("l", Spec::list(int()).require(at_most(1)), lists.collect()),
        (
            "r",
            Spec::new(Shape::Table(table.clone())),
            vec![Value::Row(table.clone(), 0), Value::Row(table, 1)],
        ),
    ];
    let mut all = vec![Vec::new()];
    for (name, _, members) in &fields {
        let with = |of: &Vec<_>, it: &Value| {
            let mut of: Vec<_> = of.clone();
            of.push(((*name).into(), it.clone()));
            of
        };
        all = all.iter().flat_map(|of| members.iter().map(|it| with(of, it)).collect::<Vec<_>>()).collect();
    }
    let fields = fields.into_iter().map(|it| (it.0, it.1)).collect::<Vec<_>>();
    (Spec::object(fields), all.into_iter().map(Value::Object).collect())
}

/// A term that is mostly of a kind: a truth, a whole number, a text, or anything else.
fn term(random: &mut Random, kind: u64, depth: u32) -> Term {
    use Op::*;
    let kind = if random.chance(16) { random.below(4) } else { kind };
    let it = |name: &str| Term::it().field(name);
    if depth == 0 || random.chance(24) {
        let (truth, int) = (Term::constant(random.chance(128)), Term::int(random.below(4) as i128 - 1));
        let text = Term::text(pick(random, &["", "a", "ab"]));
        let others = [it("o"), it("l"), it("r"), it("none"), Term::it()];
        return match kind {
            0 => pick(random, &[it("b"), truth]),
            1 => pick(random, &[it("n"), int, Term::new(Node::Bound(0))]),
            2 if random.chance(16) => it("r").field("mixed"),
            2 => pick(random, &[it("t"), text]),
            _ => pick(random, &others),
        };
    }
    let mut of = |kind: u64| term(random, kind, depth - 1);
    let (truth, int, other_int, text, other_text, other) = (of(0), of(1), of(1), of(2), of(2), of(3));
    let (any, same) = (of(kind), of(kind));
    let chosen = Term::apply(Ite, [truth.clone(), any.clone(), same]);
    let nth = Term::apply(Nth, [other.clone(), int.clone()]);
    let unwrapped = Term::apply(Unwrap, [other.clone()]);
    let apply = |ops: &[Op], random: &mut Random, args: &[&Term]| {
        let arity = if random.chance(8) { 1 } else { args.len() };
        Term::apply(pick(random, ops), args[..arity].iter().map(|it| (*it).clone()).collect::<Vec<_>>())
    };
    match (kind, random.below(4)) {
        (0, 0) => apply(&[And, Or, Eq], random, &[&truth, &any]),
        (0, 1) => apply(&[Eq, Lt, Le], random, &[&int, &other_int]),
        (0, 2) => apply(&[Eq, Lt, Le, StartsWith, EndsWith, Contains], random, &[&text, &other_text]),
        (0, _) => {
            let quantifier = pick(random, &[Quantifier::Forall, Quantifier::Exists]);
            let all = Term::new(Node::Quantified(quantifier, 0, other.clone(), truth.clone()));
            let is = Term::new(Node::Is(other.clone(), "x".into()));
            let not = apply(&[Not], random, &[&any]);
            let within = apply(&[In, Eq], random, &[&other_int, &other]);
            let one = apply(&[Sorted, Distinct, IsSome], random, &[&other]);
            pick(random, &[all, is, not, within, one, text.matches(regex()), chosen])
        }
        (1, 0) => apply(&[Add, Sub, Mul, Div, Mod], random, &[&int, &other_int]),
        (1, 1) => apply(&[Neg, Abs, ToInt], random, &[&int]),
        (1, 2) => apply(&[IndexOf, EditDistance], random, &[&text, &other_text]),
        (1, _) => {
            let one = apply(&[Len, Sum, Year, Month, Day, Weekday, DateOf, TimeOf], random, &[&other]);
            let length = apply(&[Len], random, &[&text]);
            pick(random, &[length, one, chosen, nth, unwrapped])
        }
        (2, 0) => apply(&[Concat], random, &[&text, &other_text]),
        (2, 1) => apply(&[Substr], random, &[&text, &int, &other_int]),
        (2, _) => pick(random, &[chosen, nth, unwrapped, Term::new(Node::As(other, "x".into()))]),
        _ => {
            let list = apply(&[List], random, &[&any, &int]);
            pick(random, &[list, chosen, other.field("n")])
        }
    }
}

#[test]
fn terms_agree_with_the_evaluator_or_are_refused() {
    let (spec, values) = spec();
    let mut random = Random::new(7);
    let (mut lowered, mut partly) = (0, 0);
    for _ in 0..200 {
        let required = spec.clone().require(term(&mut random, 0, 3));
        let Ok(flat) = Flat::of(&required, &Difference::Never, &Bounds::default()) else { continue };
        let models = builtin::all(&flat.slots, &flat.requires, 10_000, &|| false).expect("it is small");
        let expected = values.iter().filter(|it| required.admits(it).is_ok()).count();
        for scalars in &models {
            let model = flat.model(scalars).expect("every assignment is a model");
            assert!(required.admits(&model.value).is_ok(), "{required}: {:?}", model.value);
        }
        assert_eq!(models.len(), expected, "{required}");
        lowered += 1;
        partly += usize::from(0 < expected && expected < values.len());
    }
    assert!(
        lowered > 120 && partly > 20,
        "{lowered} of 200 were lowered, {partly} of them tell models apart"
    );
}

fn expr(random: &mut Random, depth: u32) -> Expr {
    if depth == 0 || random.chance(40) {
        return match random.below(6) {
            0 => Expr::int(random.below(4) as i128 - 1),
            1 => Expr::text(pick(random, &["", "a", "ab"])),
            2 => Expr::bool(random.chance(128)),
            _ => Expr::slot(random.below(3) as u32),
        };
    }
    use ExprNode::*;
    let mut below = || expr(random, depth - 1);
    let (a, b, c) = (below(), below(), below());
    Expr::new(match random.below(21) {
        0 => And(vec![a, b]),
        1 => Or(vec![a, b]),
        2 => Not(a),
        3 => Ite(a, b, c),
        4 => Eq(a, b),
        5 => Le(a, b),
        6 => Lt(a, b),
        7 => Add(vec![a, b]),
        8 => Mul(a, b),
        9 => Div(a, b),
        10 => Mod(a, b),
        11 => Len(a),
        12 => Concat(vec![a, b]),
        13 => StartsWith(a, b),
        14 => EndsWith(a, b),
        15 => Contains(a, b),
        16 => Substr(a, b, c),
        17 => IndexOf(a, b),
        18 => TextLt(a, b),
        19 => EditsAtLeast(a, b, c),
        _ => Matches(a, regex()),
    })
}

#[test]
fn expressions_agree_with_their_value() {
    let slot = |name: &str, kind| Slot { name: name.to_string(), kind };
    let slots =
        [slot("b", SlotKind::Bool), slot("n", SlotKind::Int { lo: 0, hi: 2 }), slot("t", SlotKind::Text)];
    let texts = Expr::new(ExprNode::Matches(Expr::slot(2), regex()));
    let mut random = Random::new(11);
    for _ in 0..1_000 {
        let required = expr(&mut random, 3);
        let mut expected = Vec::new();
        for (b, n, t) in (0..24).map(|it| (it % 2 == 1, it / 2 % 3, ["", "a", "b", "ab"][it / 6])) {
            let model = vec![Scalar::Bool(b), Scalar::Int(n as i128), Scalar::Text(t.into())];
            if required.eval_bool(&model) == Some(true) {
                expected.push(model);
            }
        }
        expected.sort();
        let requires = [texts.clone(), required.clone()];
        let mut found = builtin::all(&slots, &requires, 100, &|| false).expect("it is small");
        found.sort();
        assert_eq!(found, expected, "{required:?}");
        for sat_only in [false, true] {
            let solver = Builtin::new(&slots);
            let mut solver = if sat_only { solver.with_sat_only() } else { solver };
            requires.iter().for_each(|it| solver.require(it));
            match solver.solve(&Effort { stop: &|| false, millis: 1_000, seed: 1 }) {
                Answer::Sat(model) => assert!(expected.contains(&model), "{required:?}: {model:?}"),
                Answer::Unsat => assert!(expected.is_empty(), "{required:?}"),
                Answer::Unknown(why) => panic!("{required:?}: {why}"),
            }
        }
    }
}
