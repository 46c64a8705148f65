//! The evaluator: what every operation gives, and where it is undefined.

use std::sync::Arc;

use probity_spec::regex::Regex;
use probity_spec::{Decimal, Node, Op, Shape, Spec, Table, Term, Value};

/// The value that represents `it` in the rows.
fn it() -> Value {
    let row = Value::Row(Arc::new(cities()), 0);
    Value::Object(vec![
        ("n".into(), Value::Int(-7)),
        ("xs".into(), list([3, 1, 2])),
        ("none".into(), Value::Option(None)),
        ("five".into(), Value::Option(Some(Box::new(Value::Int(5))))),
        ("city".into(), row),
        ("case".into(), Value::Case("b".into())),
        ("union".into(), Value::Union("left".into(), Box::new(Value::Int(1)))),
    ])
}

fn cities() -> Table {
    let rows = vec![vec!["Pittsburgh".into(), "America/New_York".into()]];
    Table { name: "Location".into(), columns: vec!["name".into(), "zone".into()], rows }
}

fn list(items: impl IntoIterator<Item = i128>) -> Value {
    Value::List(items.into_iter().map(Value::Int).collect())
}

fn number(text: &str) -> Value {
    Value::Number(text.parse::<Decimal>().unwrap())
}

fn date(text: &str) -> Value {
    Value::Date(text.parse().unwrap())
}

fn time(text: &str) -> Value {
    Value::Time(text.parse().unwrap())
}

fn moment(text: &str) -> Value {
    Value::DateTime(text.parse().unwrap())
}

fn seconds(n: i128) -> Value {
    Value::Duration(probity_spec::Duration::from_seconds(n).unwrap())
}

fn f(name: &str) -> Term {
    Term::it().field(name)
}

/// Checks rows of an operation, its arguments, and what it gives.
fn check(rows: &[(Op, &[Value], Option<Value>)]) {
    for (op, args, expected) in rows {
        let term = Term::apply(*op, args.iter().map(|it| Term::constant(it.clone())).collect::<Vec<_>>());
        assert_eq!(term.eval(&it(), None), *expected, "{term}");
    }
}

fn some<T: Into<Value>>(it: T) -> Option<Value> {
    Some(it.into())
}

const NO: Option<Value> = Some(Value::Bool(false));
const YES: Option<Value> = Some(Value::Bool(true));

#[test]
fn numbers() {
    use Value::Int as I;
    let (min, max) = (I(i128::MIN), I(i128::MAX));
    check(&[
        (Op::Add, &[I(1), I(2), I(3)], some(6)),
        (Op::Add, &[I(1)], some(1)),
        (Op::Add, &[I(1), number("0.5")], Some(number("1.5"))),
        (Op::Add, &[max.clone(), I(1)], None),
        (Op::Add, &[I(1), "a".into()], None),
        (Op::Add, &["a".into()], None),
        (Op::Add, &[], None),
        (Op::Sub, &[I(1), I(2)], some(-1)),
        (Op::Sub, &[number("1.5"), number("0.25")], Some(number("1.25"))),
        (Op::Sub, &[min.clone(), I(1)], None),
        (Op::Sub, &[I(1)], None),
        (Op::Mul, &[I(2), I(3), I(-4)], some(-24)),
        (Op::Mul, &[I(2), number("0.5")], Some(number("1"))),
        (Op::Mul, &[max.clone(), I(2)], None),
        (Op::Div, &[I(7), I(2)], some(3)),
        (Op::Div, &[I(-7), I(2)], some(-4)),
        (Op::Div, &[I(-7), I(-2)], some(4)),
        (Op::Div, &[I(7), I(0)], None),
        (Op::Div, &[min.clone(), I(-1)], None),
        (Op::Div, &[number("7"), I(2)], None),
        (Op::Mod, &[I(-7), I(2)], some(1)),
        (Op::Mod, &[I(-7), I(-2)], some(1)),
        (Op::Mod, &[I(7), I(0)], None),
        (Op::Mod, &[min.clone(), I(-1)], some(0)),
        (Op::Neg, &[I(3)], some(-3)),
        (Op::Neg, &[I(i128::MIN)], None),
        (Op::Neg, &["a".into()], None),
        (Op::Abs, &[I(-3)], some(3)),
        (Op::Abs, &[number("-1.5")], Some(number("1.5"))),
        (Op::Abs, &[min], None),
        (Op::Eq, &[I(1), number("1.0")], YES),
        (Op::Eq, &[list([1]), Value::List(vec![number("1")])], YES),
        (Op::Eq, &[I(1), "1".into()], NO),
        (Op::Lt, &[I(1), number("1.5")], YES),
        (Op::Lt, &[number("1.5"), I(1)], NO),
        (Op::Lt, &[I(1), "a".into()], NO),
        (Op::Lt, &[Value::Bool(false), Value::Bool(true)], NO),
        (Op::Le, &[I(2), I(2)], YES),
        (Op::Le, &[I(3), I(2)], NO),
        (Op::ToInt, &[Value::Bool(true)], some(1)),
        (Op::ToInt, &[date("1970-01-02")], some(1)),
        (Op::ToInt, &[moment("1970-01-02T00:00:01")], some(86_401)),
        (Op::ToInt, &[time("00:01:01")], some(61)),
        (Op::ToInt, &[seconds(-9)], some(-9)),
        (Op::ToInt, &["a".into()], None),
    ]);
}

#[test]
fn dates_and_times() {
    let (late, early) = (date("9999-12-31"), date("0001-01-01"));
    check(&[
        (Op::Add, &[date("2024-02-28"), seconds(2 * 86_400)], Some(date("2024-03-01"))),
        (Op::Add, &[date("2024-02-28"), seconds(86_399)], Some(date("2024-02-28"))),
        (Op::Add, &[date("2024-02-28"), seconds(-1)], Some(date("2024-02-27"))),
        (Op::Add, &[late, seconds(86_400)], None),
        (Op::Add, &[moment("2017-10-21T23:59:59"), seconds(1)], Some(moment("2017-10-22T00:00:00"))),
        (Op::Add, &[time("23:59:59"), seconds(1)], None),
        (Op::Add, &[seconds(1), seconds(2)], Some(seconds(3))),
        (Op::Add, &[Value::Duration(probity_spec::Duration::MAX), seconds(1)], None),
        (Op::Add, &[date("2024-02-28"), Value::Int(1)], None),
        (Op::Sub, &[date("2024-03-01"), date("2024-02-28")], Some(seconds(2 * 86_400))),
        (Op::Sub, &[time("10:00"), time("11:00")], Some(seconds(-3600))),
        (Op::Sub, &[moment("2017-10-22T00:00:00"), moment("2017-10-21T23:59:59")], Some(seconds(1))),
        (Op::Sub, &[early, seconds(86_400)], None),
        (Op::Sub, &[time("10:00"), seconds(60)], Some(time("09:59"))),
        (Op::Sub, &[seconds(1), seconds(2)], Some(seconds(-1))),
        (Op::Sub, &[date("2024-03-01"), time("10:00")], None),
        (Op::Mul, &[seconds(5), Value::Int(3)], Some(seconds(15))),
        (Op::Mul, &[seconds(2), Value::Int(-(1 << 126))], None),
        (Op::Neg, &[seconds(5)], Some(seconds(-5))),
        (Op::Abs, &[seconds(-5)], Some(seconds(5))),
        (Op::Lt, &[date("2017-10-21"), date("2017-10-22")], YES),
        (Op::Lt, &[time("10:00"), time("09:00")], NO),
        (Op::Le, &[moment("2017-10-21 10:00"), moment("2017-10-21 10:00")], YES),
        (Op::Lt, &[seconds(1), seconds(2)], YES),
        (Op::Lt, &[date("2017-10-21"), moment("2017-10-22 10:00")], NO),
        (Op::Year, &[date("2017-10-21")], some(2017)),
        (Op::Month, &[moment("2017-10-21 10:00")], some(10)),
        (Op::Day, &[date("2017-10-21")], some(21)),
        (Op::Weekday, &[date("2017-10-21")], some(6)),
        (Op::Weekday, &[date("1970-01-01")], some(4)),
        (Op::Weekday, &[date("1969-12-28")], some(7)),
        (Op::Year, &[time("10:00")], None),
        (Op::DateOf, &[moment("2017-10-21 10:00")], Some(date("2017-10-21"))),
        (Op::TimeOf, &[moment("2017-10-21 10:00")], Some(time("10:00"))),
        (Op::DateOf, &[date("2017-10-21")], None),
        (Op::TimeOf, &[date("2017-10-21")], None),
    ]);
}

#[test]
fn texts() {
    use Value::Int as I;
    let t = |it: &str| Value::from(it);
    check(&[
        (Op::Len, &[t("äb")], some(2)),
        (Op::Len, &[I(2)], None),
        (Op::Concat, &[t("a"), t(""), t("bc")], some("abc")),
        (Op::Concat, &[], some("")),
        (Op::Concat, &[t("a"), I(1)], None),
        (Op::StartsWith, &[t("abc"), t("ab")], YES),
        (Op::StartsWith, &[t("ab"), t("abc")], NO),
        (Op::StartsWith, &[t("ab"), I(1)], NO),
        (Op::EndsWith, &[t("abc"), t("bc")], YES),
        (Op::EndsWith, &[t("abc"), t("b")], NO),
        (Op::Contains, &[t("abc"), t("b")], YES),
        (Op::Contains, &[t("abc"), t("")], YES),
        (Op::Contains, &[t("abc"), t("ca")], NO),
        (Op::Substr, &[t("äbc"), I(1), I(1)], some("b")),
        (Op::Substr, &[t("abc"), I(1), I(i128::MAX)], some("bc")),
        (Op::Substr, &[t("abc"), I(3), I(1)], some("")),
        (Op::Substr, &[t("abc"), I(4), I(1)], None),
        (Op::Substr, &[t("abc"), I(-1), I(1)], None),
        (Op::Substr, &[t("abc"), I(1), I(-1)], None),
        (Op::IndexOf, &[t("äbcb"), t("b")], some(1)),
        (Op::IndexOf, &[t("abc"), t("")], some(0)),
        (Op::IndexOf, &[t("abc"), t("x")], some(-1)),
        (Op::IndexOf, &[t("abc"), I(1)], None),
        (Op::EditDistance, &[t("kitten"), t("sitting")], some(3)),
        (Op::EditDistance, &[t(""), t("äb")], some(2)),
        (Op::EditDistance, &[t(""), I(2)], None),
        (Op::Lt, &[t("Z"), t("a")], YES),
        (Op::Lt, &[t("a"), t("ab")], YES),
        (Op::Lt, &[t("\u{ffff}"), t("\u{10000}")], YES),
        (Op::Eq, &[t("a"), t("a")], YES),
    ]);
}

#[test]
fn lists() {
    use Value::Int as I;
    let mixed = Value::List(vec![I(1), number("1.0")]);
    let options = Value::List(vec![Value::Option(None), Value::Option(None)]);
    check(&[
        (Op::Len, &[list([3, 1])], some(2)),
        (Op::Nth, &[list([3, 1]), I(1)], some(1)),
        (Op::Nth, &[list([3, 1]), I(2)], None),
        (Op::Nth, &[list([3, 1]), I(-1)], None),
        (Op::Nth, &[I(3), I(0)], None),
        (Op::In, &[I(3), list([1, 3])], YES),
        (Op::In, &[number("3.0"), list([1, 3])], YES),
        (Op::In, &[I(2), list([1, 3])], NO),
        (Op::In, &[I(2), I(2)], NO),
        (Op::Sorted, &[list([])], YES),
        (Op::Sorted, &[list([1, 1, 2])], YES),
        (Op::Sorted, &[list([1, 0])], NO),
        (Op::Sorted, std::slice::from_ref(&options), NO),
        (Op::Sorted, &[I(1)], NO),
        (Op::Distinct, &[list([3, 1, 2])], YES),
        (Op::Distinct, &[list([3, 1, 3])], NO),
        (Op::Distinct, std::slice::from_ref(&mixed), NO),
        (Op::Distinct, std::slice::from_ref(&options), NO),
        (Op::Distinct, &["ab".into()], NO),
        (Op::Sum, &[list([1, 2, 3])], some(6)),
        (Op::Sum, &[list([])], some(0)),
        (Op::Sum, std::slice::from_ref(&mixed), Some(number("2"))),
        (Op::Sum, &[Value::List(vec![seconds(1), seconds(2)])], Some(seconds(3))),
        (Op::Sum, &[list([i128::MAX, 1])], None),
        (Op::Sum, &[Value::List(vec!["a".into()])], None),
        (Op::List, &[I(1), I(2)], Some(list([1, 2]))),
        (Op::List, &[], Some(list([]))),
    ]);
}

#[test]
fn truths_and_undefined_terms() {
    let gap = Term::int(1).quotient(Term::int(0));
    let regex = |it: &str| Arc::new(Regex::new(it).unwrap());
    let is = |it: &str| Term::new(Node::Is(f("union"), it.into()));
    let as_ = |it: &str| Term::new(Node::As(f("union"), it.into()));
    let apply = |op, args: &[Term]| Term::apply(op, args.to_vec());
    let rows = [
        (apply(Op::And, &[]), YES),
        (apply(Op::Or, &[]), NO),
        (Term::always().and(gap.clone().eq(Term::int(1))), NO),
        (gap.clone().eq(gap.clone()), NO),
        (gap.clone().eq(gap.clone()).negate(), YES),
        (gap.clone().negate(), YES),
        (Term::int(3).and(Term::always()), NO),
        (apply(Op::Not, &[]), None),
        (apply(Op::Ite, &[Term::always(), Term::int(1), gap.clone()]), some(1)),
        (apply(Op::Ite, &[gap.clone(), Term::int(1), Term::int(2)]), some(2)),
        (apply(Op::Ite, &[Term::always(), gap.clone(), Term::int(2)]), None),
        (apply(Op::In, &[Term::int(1), apply(Op::List, &[Term::int(1), gap.clone()])]), NO),
        (gap.clone().abs(), None),
        (gap.clone().is_some(), NO),
        (f("none").is_some(), NO),
        (f("five").is_some(), YES),
        (f("five").unwrap(), some(5)),
        (f("none").unwrap(), None),
        (f("n").unwrap(), None),
        (f("n"), some(-7)),
        (f("missing"), None),
        (f("city").field("zone"), some("America/New_York")),
        (f("city").field("height"), None),
        (is("left"), YES),
        (is("right"), NO),
        (as_("left"), some(1)),
        (as_("right"), None),
        (f("xs").forall(|x| Term::int(0).lt(x)), YES),
        (f("xs").forall(|x| Term::int(1).lt(x)), NO),
        (f("xs").exists(|x| x.eq(Term::int(2))), YES),
        (f("xs").exists(|x| x.eq(Term::int(9))), NO),
        (f("xs").forall(|x| f("xs").exists(|y| x.clone().le(y))), YES),
        (f("xs").exists(|x| f("xs").forall(|y| y.lt(x.clone()))), NO),
        (f("n").forall(|_| Term::always()), NO),
        (Term::text("abc").matches(regex("[a-c]+")), YES),
        (Term::text("xabc").matches(regex("[a-c]+")), NO),
        (f("n").matches(regex(".*")), NO),
        (Term::other(), None),
        (Term::new(Node::Bound(3)), None),
        (apply(Op::ToInt, &[f("case")]), None),
    ];
    for (term, expected) in rows {
        assert_eq!(term.eval(&it(), None), expected, "{term}");
    }
    assert_eq!(Term::it().lt(Term::other()).eval(&Value::Int(1), Some(&Value::Int(2))), YES);
}

#[test]
fn the_place_of_a_case_comes_from_its_spec() {
    let cases = || Spec::new(Shape::Enum(vec!["a".into(), "b".into()]));
    let tree =
        Spec::object([("case", cases()), ("below", Spec::list(Spec::new(Shape::Named("tree".into()))))]);
    let node = |case: &str, below| {
        Value::Object(vec![("case".into(), Value::Case(case.into())), ("below".into(), Value::List(below))])
    };
    let place = |of: Term| Term::apply(Op::ToInt, [of]);
    let tree =
        tree.named("tree").require(f("below").forall(|it| place(f("case")).le(place(it.field("case")))));
    assert_eq!(tree.admits(&node("a", vec![node("a", vec![]), node("b", vec![node("b", vec![])])])), Ok(()));
    let violation = tree.admits(&node("a", vec![node("b", vec![node("a", vec![])])])).unwrap_err();
    assert_eq!(violation.path, "below[0]");
    let of_bound = Term::apply(Op::Nth, [f("below"), Term::int(0)]).field("case");
    assert_eq!(place(of_bound).eval_in(&tree, &node("a", vec![node("b", vec![])]), None), some(1));
}

#[test]
fn violations_say_what_fails() {
    let int = || Spec::new(Shape::Int { min: None, max: None });
    let pair = |a: Value, b: Value| Value::Object(vec![("a".into(), a), ("b".into(), b)]);
    let spec = Spec::object([
        ("a", Spec::new(Shape::int(0, 9)).require(Term::it().eq(Term::int(5)).negate())),
        ("b", Spec::option(Spec::list(int().require(Term::it().lt(Term::int(3)))))),
    ])
    .require(f("b").is_some().negate().and(f("a").lt(Term::int(8))).or(f("a").le(f("b").unwrap().len())));
    let none = || Value::Option(None);
    let some = |items: &[i128]| Value::Option(Some(Box::new(list(items.iter().copied()))));
    let table = Arc::new(cities());
    let rows = [
        (pair(Value::Int(5), none()), "a is 5, which does not satisfy (not (= it 5))"),
        (pair(Value::Int(10), none()), "a is 10, which is not a whole number from 0 to 9"),
        (pair("x".into(), none()), "a is \"x\", which is not a whole number from 0 to 9"),
        (pair(Value::Int(1), Value::Int(1)), "b is 1, which is not an option"),
        (pair(Value::Int(1), some(&[1, 4])), "b[1] is 4, which does not satisfy (< it 3)"),
        (
            pair(Value::Int(2), some(&[1])),
            "b is (some (list 1)) and a is 2, which do not satisfy \
             (or (and (not (some? (. it b))) (< (. it a) 8)) (<= (. it a) (length (unwrap (. it b)))))",
        ),
        (Value::Int(1), "the value is 1, which is not an object with the fields `a`, `b`"),
        (Value::Object(vec![]), "the value is (object), which is not an object with the fields `a`, `b`"),
        (
            pair(Value::Row(table, 7), none()),
            "a is a row that its table does not have, which is not a whole number from 0 to 9",
        ),
    ];
    for (value, expected) in rows {
        assert_eq!(spec.admits(&value).unwrap_err().to_string(), expected);
    }
    assert_eq!(spec.admits(&pair(Value::Int(1), some(&[1]))), Ok(()));
}

#[test]
fn shapes_are_checked() {
    let union = Shape::Union(vec![("n".into(), Arc::new(Spec::new(Shape::int(0, 1))))]);
    let row = |n| Value::Row(Arc::new(cities()), n);
    let n = |it: &str, of| Value::Union(it.into(), Box::new(Value::Int(of)));
    let at_least = Shape::Int { min: Some(3), max: None };
    let at_most = Shape::Int { min: None, max: Some(3) };
    // A shape, values it has and values it does not have.
    let rows: [(Shape, &[Value], &[Value]); 14] = [
        (Shape::Bool, &[Value::Bool(true)], &[Value::Int(1)]),
        (at_least, &[Value::Int(3)], &[Value::Int(2), number("3")]),
        (at_most, &[Value::Int(3)], &[Value::Int(4)]),
        (Shape::Number { decimals: 1 }, &[number("1.5"), number("1")], &[number("1.25"), Value::Int(1)]),
        (Shape::Text, &["a".into()], &[Value::Case("a".into())]),
        (Shape::Date, &[date("2017-10-21")], &[moment("2017-10-21 10:00")]),
        (Shape::Time, &[time("10:00")], &[seconds(1)]),
        (Shape::DateTime, &[moment("2017-10-21 10:00")], &[date("2017-10-21")]),
        (Shape::Duration, &[seconds(1)], &[time("10:00")]),
        (Shape::Option(Arc::new(Spec::new(Shape::Bool))), &[Value::Option(None)], &[Value::Bool(true)]),
        (Shape::Enum(vec!["a".into()]), &[Value::Case("a".into())], &[Value::Case("b".into()), "a".into()]),
        (union, &[n("n", 1)], &[n("n", 2), n("m", 1)]),
        (Shape::Table(Arc::new(cities())), &[row(0)], &[row(1), "Pittsburgh".into()]),
        (Shape::Named("nowhere".into()), &[], &[Value::Int(1)]),
    ];
    for (shape, have, have_not) in rows {
        let spec = Spec::new(shape);
        for value in have {
            assert_eq!(spec.admits(value), Ok(()));
        }
        for value in have_not {
            assert!(spec.admits(value).is_err(), "{spec}");
        }
    }
}

#[test]
fn deep_terms_and_values_are_survived() {
    let mut chain = Term::it().eq(Term::int(0));
    for i in 1..2000 {
        chain = chain.or(Term::it().eq(Term::int(i)));
    }
    assert_eq!(chain.eval(&Value::Int(1999), None), YES);
    assert_eq!(chain.eval(&Value::Int(2000), None), NO);
    let deep = (0..2000).fold(Term::it(), |it, _| it.minus(Term::int(1)));
    assert_eq!(deep.eval(&Value::Int(0), None), None);

    let spec = Spec::new(Shape::Option(Arc::new(Spec::new(Shape::Named("deep".into()))))).named("deep");
    let nested = |n: usize| (0..n).fold(Value::Option(None), |it, _| Value::Option(Some(Box::new(it))));
    assert_eq!(spec.admits(&nested(100)), Ok(()));
    assert_eq!(spec.admits(&nested(2000)).unwrap_err().to_string(), "the value is nested more than 256 deep");
}
