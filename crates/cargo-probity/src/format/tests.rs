//! Every format, over values of every shape; Rust files also by its compiler.

use std::fs;
use std::process::Command;
use std::sync::Arc;

use probity_lang::json::Spacing;
use probity_spec::{Decimal, Field, Random, Shape, Spec, Table, Value};

use super::*;

fn object(fields: &[(&str, Value)]) -> Value {
    Value::Object(fields.iter().map(|it| (it.0.into(), it.1.clone())).collect())
}

fn some(value: Value) -> Value {
    Value::Option(Some(Box::new(value)))
}

fn cities() -> Arc<Table> {
    let rows = vec![vec!["Rome".into(), Value::Int(1)], vec!["São \"P\"".into(), Value::Int(2)]];
    Arc::new(Table { name: "City".into(), columns: vec!["name".into(), "zone".into()], rows })
}

/// A spec with every shape but recursion, and two values of it.
fn everything() -> (Spec, Vec<Value>) {
    let kind = Spec::new(Shape::Enum(vec!["big".into(), "self".into(), "12".into()]));
    let point = Spec::object([("x", Spec::new(Shape::int(0, 255))), ("type", kind)]).named("point");
    let either = Spec::new(Shape::Union(vec![
        ("n".into(), Arc::new(Spec::new(Shape::int(0, 9)))),
        ("at".into(), Arc::new(point.clone())),
    ]));
    let mut spec = Spec::object([
        ("isOn", Spec::new(Shape::Bool)),
        ("count", Spec::new(Shape::Int { min: None, max: None })),
        ("price", Spec::new(Shape::Number { decimals: 2 })),
        ("name", Spec::new(Shape::Text)),
        ("day", Spec::new(Shape::Date)),
        ("city", Spec::new(Shape::Table(cities()))),
        ("points", Spec::list(point.clone())),
        ("either", either),
    ]);
    if let Shape::Object(fields) = &mut spec.shape {
        let spec = Arc::new(Spec::option(point));
        fields.push(Field { name: "maybe".into(), spec, optional: true });
    }
    let point = |x, kind: &str| object(&[("x", Value::Int(x)), ("type", Value::Case(kind.into()))]);
    let value = |count: i128, name: &str, points: Vec<Value>, either, maybe| {
        object(&[
            ("isOn", Value::Bool(count > 0)),
            ("count", Value::Int(count)),
            ("price", Value::Number(Decimal::new(count, 1))),
            ("name", Value::from(name)),
            ("day", Value::Date("2017-10-21".parse().unwrap())),
            ("city", Value::Row(cities(), u32::from(count > 0))),
            ("points", Value::List(points)),
            ("either", either),
            ("maybe", maybe),
        ])
    };
    let union = |name: &str, it| Value::Union(name.into(), Box::new(it));
    let values = vec![
        value(-25, "", vec![], union("n", Value::Int(3)), Value::Option(None)),
        value(
            20,
            "a,\"b\"\n\u{1f600}\\",
            vec![point(255, "big"), point(0, "12")],
            union("at", point(1, "self")),
            some(point(2, "big")),
        ),
    ];
    (spec, values)
}

fn written(kind: FormatKind, outlines: &[(&str, &Spec, &[Value])]) -> String {
    let mut format = kind.format(outlines.len() > 1, "java.lang.String");
    let mut out = String::new();
    for (name, spec, values) in outlines {
        format.begin(name, spec, &mut out);
        values.iter().for_each(|it| format.input(it, Spacing::None, &mut out));
        format.end(&mut out);
    }
    format.finish(&mut out);
    out
}

#[test]
fn json_has_a_line_for_each_input() {
    let spec = Spec::object([("a", Spec::new(Shape::int(0, 9)))]);
    let values = [object(&[("a", Value::Int(1))]), object(&[("a", Value::Int(2))])];
    let one: &[(&str, &Spec, &[Value])] = &[("one", &spec, &values)];
    let none: &[(&str, &Spec, &[Value])] = &[("one", &spec, &[])];
    let two: &[(&str, &Spec, &[Value])] = &[("one", &spec, &values), ("t\"wo", &spec, &[])];
    let rows = [
        (FormatKind::Json, one, "[\n  {\"a\":1},\n  {\"a\":2}\n]\n"),
        (FormatKind::Json, none, "[]\n"),
        (FormatKind::Json, two, "{\n\"one\": [\n  {\"a\":1},\n  {\"a\":2}\n],\n\"t\\\"wo\": []\n}\n"),
        (FormatKind::Ndjson, one, "{\"a\":1}\n{\"a\":2}\n"),
        (FormatKind::Ndjson, none, ""),
        (
            FormatKind::Ndjson,
            two,
            "{\"outline\":\"one\",\"input\":{\"a\":1}}\n{\"outline\":\"one\",\"input\":{\"a\":2}}\n",
        ),
        (FormatKind::JunitJson, one, "{\"outline\": \"one\", \"inputs\": [\n  {\"a\":1},\n  {\"a\":2}\n]}\n"),
        (
            FormatKind::JunitJson,
            two,
            "[\n{\"outline\": \"one\", \"inputs\": [\n  {\"a\":1},\n  {\"a\":2}\n]},\n\
             {\"outline\": \"t\\\"wo\", \"inputs\": []}\n]\n",
        ),
        (FormatKind::Csv, one, "a\n1\n2\n"),
        (FormatKind::Csv, none, "a\n"),
        (
            FormatKind::Randoop,
            two,
            "START CLASSLITERALS\nCLASSNAME\njava.lang.String\nLITERALS\nint:1\nint:2\nEND CLASSLITERALS\n",
        ),
    ];
    for (kind, outlines, expected) in rows {
        assert_eq!(written(kind, outlines), expected, "{kind:?}");
    }
}

#[test]
fn json_of_every_shape_is_read_back() {
    let (spec, values) = everything();
    for value in &values {
        let text = json::written(Some(&spec), value);
        let read = probity_lang::json::parse(&text).map_err(|it| it.message);
        assert_eq!(read.and_then(|it| probity_lang::json::value(&spec, &it)).as_ref(), Ok(value), "{text}");
    }
}

#[test]
fn csv_quotes_what_needs_it() {
    let (spec, values) = everything();
    let expected = "isOn,count,price,name,day,city,points,either,maybe\n\
        false,-25,-2.5,\"\",2017-10-21,Rome,[],\"{\"\"n\"\":3}\",\n\
        true,20,2,\"a,\"\"b\"\"\n\u{1f600}\\\",2017-10-21,\"São \"\"P\"\"\",\
        \"[{\"\"x\"\":255,\"\"type\"\":\"\"big\"\"},{\"\"x\"\":0,\"\"type\"\":\"\"12\"\"}]\",\
        \"{\"\"at\"\":{\"\"x\"\":1,\"\"type\"\":\"\"self\"\"}}\",\"{\"\"x\"\":2,\"\"type\"\":\"\"big\"\"}\"\n";
    assert_eq!(written(FormatKind::Csv, &[("all", &spec, &values)]), expected);
}

#[test]
fn randoop_gets_each_literal_once_in_ascii() {
    let (spec, values) = everything();
    let expected = "START CLASSLITERALS\nCLASSNAME\njava.lang.String\nLITERALS\n\
        boolean:false\nint:-25\ndouble:-2.5\nString:\"\"\nString:\"2017-10-21\"\nString:\"Rome\"\nint:3\n\
        boolean:true\nint:20\ndouble:2\nString:\"a,\\\"b\\\"\\n\\uD83D\\uDE00\\\\\"\nString:\"S\\u00E3o \\\"P\\\"\"\n\
        int:255\nString:\"big\"\nint:0\nString:\"12\"\nint:1\nString:\"self\"\nint:2\nEND CLASSLITERALS\n";
    assert_eq!(written(FormatKind::Randoop, &[("all", &spec, &values)]), expected);
    let spec = Spec::object([("a", Spec::new(Shape::Int { min: None, max: None }))]);
    let values = [1 << 31, i128::from(i64::MIN), 1 << 63].map(|it| object(&[("a", Value::Int(it))]));
    let text = written(FormatKind::Randoop, &[("all", &spec, &values)]);
    assert!(text.contains("LITERALS\nlong:2147483648\nlong:-9223372036854775808\nEND"), "{text}");
}

/// Compiles a file that begins with `text` and prints what `body` prints.
fn compiled(name: &str, text: &str, body: &str) -> String {
    let folder = std::env::temp_dir().join(format!("probity-rust-{}-{name}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("inputs.rs"), text).unwrap();
    fs::write(folder.join("main.rs"), format!("mod inputs;\nfn main() {{ {body} }}\n")).unwrap();
    let rustc = Command::new("rustc")
        .args(["--edition", "2024", "-D", "warnings", "main.rs"])
        .current_dir(&folder)
        .output()
        .unwrap();
    assert!(rustc.status.success(), "{text}\n{}", String::from_utf8_lossy(&rustc.stderr));
    let run = Command::new(folder.join("main")).output().unwrap();
    fs::remove_dir_all(folder).unwrap();
    assert!(run.status.success(), "{text}");
    String::from_utf8(run.stdout).unwrap()
}

#[test]
fn rust_of_every_shape_compiles() {
    let (spec, values) = everything();
    let text = written(FormatKind::Rust, &[("all", &spec, &values)]);
    let body = "for it in inputs::inputs() { println!(\"{it:?}\"); }";
    let expected = "Input { is_on: false, count: -25, price: -2.5, name: \"\", day: \"2017-10-21\", \
        city: \"Rome\", points: [], either: N(3), maybe: None }\n\
        Input { is_on: true, count: 20, price: 2.0, name: \"a,\\\"b\\\"\\n\u{1f600}\\\\\", day: \"2017-10-21\", \
        city: \"São \\\"P\\\"\", points: [Point { x: 255, type: Big }, Point { x: 0, type: N12 }], \
        either: At(Point { x: 1, type: Self2 }), maybe: Some(Point { x: 2, type: Big }) }\n";
    assert_eq!(compiled("every", &text, body), expected);
    assert!(text.contains("pub type Integer = i64;"), "{text}");
    assert!(text.contains("pub x: u8"), "{text}");
}

#[test]
fn rust_of_recursive_specs_and_hard_names_compiles() {
    // A tree as an object, a list that holds only itself, and names that are taken, alike or no names at all.
    let tree = Spec::object([
        ("value", Spec::new(Shape::Int { min: Some(0), max: None })),
        ("left", Spec::option(Spec::new(Shape::Named("Option".into())))),
        ("others", Spec::list(Spec::new(Shape::Named("Option".into())))),
    ])
    .named("Option");
    let nest = Spec::list(Spec::new(Shape::Named("nest".into()))).named("nest");
    let choice =
        Spec::new(Shape::Enum(vec!["a-b".into(), "a_b".into(), "AB".into(), "".into(), "Self".into()]));
    let wide = Spec::new(Shape::int(0, i128::MAX));
    let spec = Spec::object([
        ("Input", tree),
        ("self", nest),
        ("_", choice),
        ("12h", wide),
        ("fooBar", Spec::new(Shape::Bool)),
        ("foo_bar", Spec::new(Shape::Bool)),
        ("gen", Spec::object::<&str>([])),
    ])
    .named("outer");
    let leaf = |value: i128| {
        let fields =
            [("value", Value::Int(value)), ("left", Value::Option(None)), ("others", Value::List(vec![]))];
        object(&fields)
    };
    let root = object(&[
        ("value", Value::Int(1 << 64)),
        ("left", some(leaf(2))),
        ("others", Value::List(vec![leaf(3), leaf(4)])),
    ]);
    let nested = Value::List(vec![Value::List(vec![]), Value::List(vec![Value::List(vec![])])]);
    let value = object(&[
        ("Input", root),
        ("self", nested),
        ("_", Value::Case("AB".into())),
        ("12h", Value::Int(i128::MAX)),
        ("fooBar", Value::Bool(true)),
        ("foo_bar", Value::Bool(false)),
        ("gen", object(&[])),
    ]);
    let text = written(FormatKind::Rust, &[("test \"1\"", &spec, &[value]), ("test 1", &spec, &[])]);
    let body = "println!(\"{} {}\", inputs::test_1::inputs()[0].input.others[1].value, \
        inputs::test_12::INPUTS.len());";
    assert_eq!(compiled("hard", &text, body), "4 0\n");
    assert!(text.contains("pub type Integer = i128;"), "{text}");
}

/// Names that are keywords, types, no names, or alike.
const NAMES: [&str; 16] = [
    "a", "A", "b_c", "bC", "self", "Self", "type", "Vec", "Option", "12h", "", "é", "Input", "INPUTS", "u8",
    "a b",
];

fn name(random: &mut Random) -> &'static str {
    NAMES[random.below(NAMES.len() as u64) as usize]
}

/// Some different names.
fn names(random: &mut Random) -> Vec<&'static str> {
    let mut res: Vec<&str> = (0..random.below(4)).map(|_| name(random)).collect();
    res.sort();
    res.dedup();
    res
}

/// Some spec; `around` are the names of the specs around it.
fn some_spec(random: &mut Random, depth: u64, around: &mut Vec<&'static str>) -> Spec {
    let called = Some(name(random)).filter(|_| depth > 0 && random.below(3) == 0);
    around.extend(called);
    let shape = match random.below(if depth == 0 { 6 } else { 11 }) {
        0 => Shape::Bool,
        1 => Shape::Int { min: None, max: None },
        2 => Shape::int(0, i128::from(u8::MAX) << (8 * random.below(9))),
        3 => Shape::Number { decimals: 2 },
        4 => Shape::Text,
        5 => Shape::Table(cities()),
        6 => Shape::Option(Arc::new(some_spec(random, depth - 1, around))),
        7 => Shape::List(Arc::new(some_spec(random, depth - 1, around))),
        8 => {
            let cases = names(random).into_iter().chain(["case"]);
            Shape::Enum(cases.map(Into::into).collect())
        }
        9 => {
            let cases = names(random).into_iter().chain(["case"]);
            Shape::Union(
                cases.map(|it| (it.into(), Arc::new(some_spec(random, depth - 1, around)))).collect(),
            )
        }
        _ => {
            let names = names(random);
            let fields = names.into_iter().map(|it| (it, some_spec(random, depth - 1, around)));
            let mut fields: Vec<(&str, Spec)> = fields.collect();
            // Whatever is around can come again, if it may also not come.
            if let Some(name) = around.last() {
                fields.push(("again", Spec::option(Spec::new(Shape::Named((*name).into())))));
            }
            Spec::object(fields).shape
        }
    };
    if called.is_some() {
        around.pop();
    }
    Spec { name: called.map(Into::into), ..Spec::new(shape) }
}

/// Some value of a spec. What comes again does not.
fn some_value(random: &mut Random, spec: &Spec) -> Value {
    match &spec.shape {
        Shape::Bool => Value::Bool(random.below(2) == 0),
        Shape::Int { min: None, .. } => Value::Int(i128::from(random.below(u64::MAX)) - (1 << 63)),
        Shape::Int { max, .. } => Value::Int(max.unwrap_or(0)),
        Shape::Number { .. } => Value::Number(Decimal::new(i128::from(random.below(9999)), 2)),
        Shape::Text => Value::from(name(random)),
        Shape::Table(table) => Value::Row(table.clone(), 0),
        Shape::Option(of) if matches!(of.shape, Shape::Named(_)) || random.below(2) == 0 => {
            Value::Option(None)
        }
        Shape::Option(of) => some(some_value(random, of)),
        Shape::List(of) => Value::List((0..random.below(3)).map(|_| some_value(random, of)).collect()),
        Shape::Object(fields) => {
            Value::Object(fields.iter().map(|it| (it.name.clone(), some_value(random, &it.spec))).collect())
        }
        Shape::Enum(cases) => Value::Case(cases[random.below(cases.len() as u64) as usize].clone()),
        Shape::Union(cases) => {
            let (name, of) = &cases[random.below(cases.len() as u64) as usize];
            Value::Union(name.clone(), Box::new(some_value(random, of)))
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn rust_of_random_specs_compiles() {
    const OUTLINES: u64 = 60;
    let mut random = Random::new(1);
    let mut format = FormatKind::Rust.format(true, "");
    let mut out = String::new();
    for i in 0..OUTLINES {
        let fields: Vec<(&str, Spec)> = names(&mut random)
            .into_iter()
            .map(|it| (it, some_spec(&mut random, 3, &mut Vec::new())))
            .collect();
        let spec = Spec::object(fields);
        format.begin(&format!("t{i}"), &spec, &mut out);
        (0..3).for_each(|_| format.input(&some_value(&mut random, &spec), Spacing::None, &mut out));
        format.end(&mut out);
    }
    format.finish(&mut out);
    let lengths: Vec<String> = (0..OUTLINES).map(|i| format!("inputs::t{i}::INPUTS.len()")).collect();
    let body = format!("println!(\"{{}}\", {});", lengths.join(" + "));
    assert_eq!(compiled("random", &out, &body), format!("{}\n", 3 * OUTLINES));
}
