//! JSON: what is written is read back; what is malformed is told.

use std::sync::Arc;

use probity_lang::json::{self, JsonKind, Spacing};
use probity_lang::tables;
use probity_spec::{Decimal, Field, Float64, Random, Shape, Spec, Value};

/// A random spec, its nesting bounded by `depth`.
fn spec(random: &mut Random, depth: u32) -> Spec {
    let names = ["a", "b", "key with \"quotes\"", "ü"];
    let kind = random.below(if depth == 0 { 10 } else { 14 });
    let inner = |random: &mut Random| spec(random, depth - 1);
    Spec::new(match kind {
        0 => Shape::Bool,
        1 => Shape::Int { min: None, max: None },
        2 => Shape::Number { decimals: 3 },
        3 | 4 => Shape::Text,
        5 => Shape::Date,
        6 => Shape::Time,
        7 => [Shape::DateTime, Shape::Duration][random.below(2) as usize].clone(),
        8 => Shape::Enum(vec!["small".into(), "".into(), "ö".into()]),
        9 => Shape::Table(tables::location()),
        10 => Shape::Option(inner(random).into()),
        11 => Shape::List(inner(random).into()),
        12 => Shape::Union(names.map(|it| (it.into(), Arc::new(inner(random)))).to_vec()),
        _ => {
            let field = |it: &str| {
                let spec = inner(random);
                let optional = matches!(spec.shape, Shape::Option(_)) && random.below(2) == 0;
                Field { name: it.into(), spec: spec.into(), optional }
            };
            Shape::Object(names.map(field).to_vec())
        }
    })
}

fn value(random: &mut Random, spec: &Spec) -> Value {
    let big = |random: &mut Random| i128::from(random.bits()) * i128::from(random.bits() as i64);
    let texts = ["", "a", "\"\\\n\u{1}\u{7f}\u{2028}", "é💥", "null", "2017-10-21"];
    match &spec.shape {
        Shape::Bool => Value::Bool(random.below(2) == 0),
        Shape::Int { .. } => Value::Int([big(random), 0, i128::MIN, i128::MAX][random.below(4) as usize]),
        Shape::Number { .. } => Value::Number(Decimal::new(big(random), random.below(4) as u32)),
        Shape::Float => Value::Float(Float64::new(0.5)),
        Shape::Text => Value::from(texts[random.below(6) as usize]),
        Shape::Date => Value::Date("2017-10-21".parse().unwrap()),
        Shape::Time => Value::Time("23:59:58".parse().unwrap()),
        Shape::DateTime => Value::DateTime("0001-01-01T00:00:00".parse().unwrap()),
        Shape::Duration => Value::Duration("PT-90S".parse().unwrap()),
        Shape::Enum(cases) => Value::Case(cases[random.below(3) as usize].clone()),
        Shape::Table(table) => Value::Row(table.clone(), random.below(table.rows.len() as u64) as u32),
        Shape::Option(of) => Value::Option((random.below(2) == 0).then(|| Box::new(value(random, of)))),
        Shape::List(of) => Value::List((0..random.below(3)).map(|_| value(random, of)).collect()),
        Shape::Union(cases) => {
            let (name, of) = &cases[random.below(cases.len() as u64) as usize];
            Value::Union(name.clone(), Box::new(value(random, of)))
        }
        Shape::Object(fields) => {
            Value::Object(fields.iter().map(|it| (it.name.clone(), value(random, &it.spec))).collect())
        }
        Shape::Named(_) => unreachable!("none is made"),
    }
}

#[test]
fn what_is_written_is_read_back() {
    let mut random = Random::new(5);
    for _ in 0..3_000 {
        let spec = spec(&mut random, 3);
        let value = value(&mut random, &spec);
        let plain = json::write(&value);
        let spaced = [Spacing::None, Spacing::One, Spacing::Many]
            .map(|it| json::write_spaced(Some(&spec), &value, it));
        for text in spaced.iter().chain([&plain]) {
            let parsed = json::parse(text).unwrap_or_else(|it| panic!("{}", it.render("text", text)));
            assert_eq!(json::value(&spec, &parsed).as_ref(), Ok(&value), "{text}\n{spec}");
        }
        assert!(!spaced[0].contains(['\n', '\t']));
    }
}

#[test]
fn recursive_values_are_read_back() {
    let tree = Spec::object([
        ("value", Spec::new(Shape::int(0, 9))),
        ("left", Spec::option(Spec::new(Shape::Named("Tree".into())))),
    ])
    .named("Tree");
    let text = r#"{"value": 1, "left": {"value": 2, "left": {"value": 3}}}"#;
    let value = json::value(&tree, &json::parse(text).unwrap()).unwrap();
    assert_eq!(json::write(&value), text);
    let wrong = json::parse(r#"{"value": 1, "left": {"value": 2, "left": {"valu": 3}}}"#).unwrap();
    assert_eq!(json::value(&tree, &wrong).unwrap_err(), "`left.left`: unknown field `valu`");
}

#[test]
fn numbers_are_exact() {
    let rows = [
        ("0", Some("0")),
        ("-0.0", Some("0")),
        ("1e3", Some("1000")),
        ("12.50", Some("12.5")),
        ("1.5e-3", Some("0.0015")),
        ("170141183460469231731687303715884105727", Some("170141183460469231731687303715884105727")),
        ("170141183460469231731687303715884105728", None),
        ("1e999999999999", None),
        ("0e999999999999", Some("0")),
        ("1e-41", None),
        ("01", None),
        ("1.", None),
        (".5", None),
        ("-", None),
        ("1e", None),
        ("--1", None),
        ("1.2.3", None),
    ];
    for (text, expected) in rows {
        let number = json::parse(text).ok().and_then(|it| match it.kind {
            JsonKind::Number(it) => Some(it.to_string()),
            _ => None,
        });
        assert_eq!(number.as_deref(), expected, "{text}");
    }
}

#[test]
fn malformed_texts_are_refused_where_they_are_wrong() {
    let rows = [
        ("", 0, "expected a value, but the text ends"),
        ("[1, 2", 0, "`[` is never closed"),
        ("[1,]", 3, "expected a value, found `]`"),
        ("{\"a\": 1,}", 8, "expected a name in double quotes, found `}`"),
        ("{\"a\" 1}", 5, "expected `:` and a value, found `1`"),
        ("{\"a\": 1 \"b\": 2}", 8, "expected `,` or `}`, found `\"`"),
        ("nul", 0, "expected a value, found `n`"),
        ("truey", 0, "expected a value, found `t`"),
        ("\"a\nb\"", 0, "this string is never closed"),
        ("\"\\d\"", 1, "unknown escape `\\d`"),
        ("\"\\ud800\"", 1, "this escape is not a character"),
        ("1 2", 2, "unexpected text after the end of the JSON value"),
        ("{\"a\": 1, \"a\": 2}", 9, "`a` is given twice"),
    ];
    for (text, at, message) in rows {
        let error = json::parse(text).unwrap_err();
        assert_eq!((error.span.start, &*error.message), (at, message), "{text}");
    }
    let deep = "[".repeat(100_000);
    assert_eq!(json::parse(&deep).unwrap_err().message, "nested more than 128 levels deep");
    assert!(json::parse("\"\\ud83d\\ude00\"").unwrap().kind == JsonKind::Text("😀".into()));
}
