//! What requirements leave of one unknown is what the evaluator says, for every kind of truth that has a set.

use probity_spec::narrow::{TermReading, numbers, texts};
use probity_spec::{Decimal, IntSet, NumericKind, Op, Random, Shape, Spec, Term, Value};

fn holds(truth: &Term, it: &Value) -> bool {
    truth.eval(it, None) == Some(Value::Bool(true))
}

/// The set, which has to be known, is that of the evaluator.
fn check(truth: &Term, kind: NumericKind, all: &IntSet) {
    let reading = TermReading { unknown: &Term::it(), kind, spec: None };
    let set = numbers(&reading, truth, all).unwrap_or_else(|| panic!("{truth} has no set"));
    for at in all.iter() {
        let value = kind.value(at).unwrap();
        assert_eq!(set.contains(at), holds(truth, &value), "{truth} at {value}");
    }
}

fn decimal(number: i128, scale: u32) -> Term {
    Term::constant(Value::Number(Decimal::new(number, scale)))
}

#[test]
fn sets_are_those_of_the_evaluator() {
    let (x, int) = (Term::it(), Term::int);
    let not = Term::negate;
    let one_of = |items: Vec<Value>| Term::apply(Op::In, [Term::it(), Term::constant(Value::List(items))]);
    let truths = [
        x.clone().lt(int(3)),
        int(3).lt(x.clone()),
        x.clone().le(int(-2)),
        int(-2).le(x.clone()),
        x.clone().times(int(3)).le(int(7)),
        x.clone().times(int(-3)).lt(int(7)),
        int(7).lt(x.clone().times(int(-3))),
        int(1).minus(x.clone()).le(x.clone().plus(int(4))),
        x.clone().times(int(2)).eq(int(6)),
        x.clone().times(int(2)).eq(int(7)),
        x.clone().lt(int(1).plus(int(2))),
        x.clone().modulo(int(3)).eq(int(1)),
        x.clone().plus(int(1)).modulo(int(4)).eq(int(0)),
        int(5).minus(x.clone()).modulo(int(-4)).eq(int(3)),
        x.clone().modulo(int(3)).eq(int(5)),
        not(x.clone().modulo(int(2)).eq(int(0))),
        x.clone().modulo(int(2)).lt(int(1)),
        int(0).lt(x.clone().modulo(int(2))),
        not(int(2).le(x.clone().modulo(int(3)))).negate(),
        x.clone().modulo(int(3)).le(int(9)),
        not(x.clone().eq(int(4))),
        x.clone().lt(int(0)).or(int(5).lt(x.clone())),
        x.clone().lt(int(5)).and(not(x.clone().eq(int(-1)))),
        Term::apply(Op::Ite, [x.clone().lt(int(0)), x.clone().lt(int(-3)), int(3).lt(x.clone())]),
        x.clone().lt(decimal(25, 1)),
        decimal(-25, 1).le(x.clone()),
        x.clone().eq(decimal(25, 1)),
        Term::apply(Op::ToInt, [x.clone()]).lt(int(3)),
        one_of(vec![Value::Int(2), Value::Int(9), Value::Int(99), Value::from("a")]),
    ];
    let all = IntSet::range(-10, 10);
    truths.iter().for_each(|it| check(it, NumericKind::Int, &all));
    truths.iter().for_each(|it| check(&not(it.clone()), NumericKind::Int, &all));
}

#[test]
fn decimals_and_moments_have_sets_too() {
    let (x, int) = (Term::it(), Term::int);
    let all = IntSet::range(-60, 60);
    for truth in [
        x.clone().lt(int(3)),
        decimal(-125, 2).le(x.clone()),
        x.clone().times(int(2)).eq(decimal(4, 1)),
        x.clone().plus(decimal(5, 2)).lt(int(1)),
    ] {
        check(&truth, NumericKind::Number(1), &all);
    }
    for kind in [NumericKind::Date, NumericKind::Time, NumericKind::DateTime, NumericKind::Duration] {
        let all = IntSet::range(0, 60);
        let at = |it: i128| Term::constant(kind.value(it).unwrap());
        let number = Term::apply(Op::ToInt, [Term::it()]);
        for truth in [
            x.clone().lt(at(30)),
            at(30).le(x.clone()),
            x.clone().eq(at(7)),
            number.clone().times(int(2)).lt(int(31)),
            number.modulo(int(7)).eq(int(3)),
            Term::apply(Op::In, [x.clone(), Term::constant(Value::List(vec![kind.value(5).unwrap()]))]),
        ] {
            check(&truth, kind, &all);
        }
        // A moment and a number have no order, so there is no set that could be wrong.
        let reading = TermReading { unknown: &x, kind, spec: None };
        assert_eq!(numbers(&reading, &x.clone().lt(int(5)), &all), None);
    }
}

/// Random truths: where there is a set, it is that of the evaluator.
#[test]
fn random_truths_are_right_wherever_they_have_a_set() {
    fn number(random: &mut Random, depth: u32) -> Term {
        let again = |random: &mut Random| number(random, depth - 1);
        match random.below(if depth == 0 { 3 } else { 7 }) {
            0 => Term::int(random.below(9) as i128 - 4),
            1 | 2 => Term::it(),
            3 => again(random).plus(again(random)),
            4 => again(random).minus(again(random)),
            5 => again(random).times(again(random)),
            _ => again(random).modulo(again(random)),
        }
    }
    fn truth(random: &mut Random, depth: u32) -> Term {
        let again = |random: &mut Random| truth(random, depth - 1);
        match random.below(if depth == 0 { 3 } else { 7 }) {
            0 => number(random, 2).lt(number(random, 2)),
            1 => number(random, 2).le(number(random, 2)),
            2 => number(random, 2).eq(number(random, 2)),
            3 => again(random).and(again(random)),
            4 => again(random).or(again(random)),
            5 => again(random).negate(),
            _ => Term::apply(Op::Ite, [again(random), again(random), again(random)]),
        }
    }
    let (mut random, all, mut known) = (Random::new(5), IntSet::range(-12, 12), 0);
    let (spec, unknown) = (Spec::new(Shape::int(-12, 12)), Term::it());
    for _ in 0..3_000 {
        let truth = truth(&mut random, 2);
        let reading = |spec| TermReading { unknown: &unknown, kind: NumericKind::Int, spec };
        let set = numbers(&reading(None), &truth, &all);
        known += u32::from(set.is_some());
        let tried = numbers(&reading(Some(&spec)), &truth, &all).expect("all is few");
        for at in all.iter() {
            let holds = holds(&truth, &Value::Int(at));
            assert!(set.as_ref().is_none_or(|it| it.contains(at) == holds), "{truth} at {at}");
            assert_eq!(tried.contains(at), holds, "{truth} at {at}");
        }
    }
    assert!(known > 750, "{known}");
}

#[test]
fn languages_are_those_of_the_evaluator() {
    let (x, text) = (Term::it(), Term::text);
    let all: Vec<String> = (0..4_u32)
        .flat_map(|n| {
            let letter = |bits: u32, at: u32| if bits >> at & 1 == 1 { 'b' } else { 'a' };
            (0..1_u32 << n).map(move |bits| (0..n).map(|at| letter(bits, at)).collect())
        })
        .collect();
    let regex = |it: &str| std::sync::Arc::new(probity_spec::regex::Regex::new(it).unwrap());
    let apply = |op, a: &Term, b: Term| Term::apply(op, [a.clone(), b]);
    let list =
        |items: &[&str]| Term::constant(Value::List(items.iter().map(|it| Value::from(*it)).collect()));
    let truths = [
        x.clone().matches(regex("a*b?")),
        x.clone().eq(text("ab")),
        text("ab").eq(x.clone()),
        apply(Op::StartsWith, &x, text("a")),
        apply(Op::EndsWith, &x, text("b")),
        apply(Op::Contains, &x, text("ba")),
        apply(Op::StartsWith, &text("abb"), x.clone()),
        apply(Op::EndsWith, &text("abb"), x.clone()),
        apply(Op::Contains, &text("aba"), x.clone()),
        apply(Op::In, &x, list(&["a", "bb"])),
        x.clone().len().le(Term::int(2)),
        x.clone().len().times(Term::int(2)).eq(Term::int(4)),
        x.clone().len().lt(Term::int(2)).or(x.clone().matches(regex("b*"))),
        x.clone().eq(text("a")).and(apply(Op::Contains, &x, text("b")).negate()),
    ];
    for truth in truths.iter().flat_map(|it| [it.clone(), it.clone().negate()]) {
        let language = texts(&truth, &x).unwrap_or_else(|| panic!("{truth} has no language")).unwrap();
        for it in &all {
            assert_eq!(language.contains(it), holds(&truth, &Value::from(&**it)), "{truth} at {it:?}");
        }
    }
    let every = x.clone().forall(|_| Term::always());
    assert!(texts(&every, &x).is_none());
}
