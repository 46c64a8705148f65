//! Tables: what is read from CSV and JSON, and what is refused; the page of the language.

use probity_lang::{files, tables};
use probity_spec::{Decimal, Value};

#[test]
fn cells_have_the_kind_of_their_column() {
    let csv = "\u{feff}key,n,x,ok,day,text,gap\r\n\
        a,1,1.5,true,2017-10-21,01,\r\n\
        \"b, \"\"c\"\"\nd\",-2,3,false,2020-02-29,2,7\r\n\r\n";
    let json = r#"[{"key": "a", "n": 1, "x": 1.5, "ok": true, "day": "2017-10-21", "text": "01"},
        {"key": "b, \"c\"\nd", "n": -2, "x": 3, "ok": false, "day": "2020-02-29", "text": "2", "gap": 7}]"#;
    let day = |it: &str| Value::Date(it.parse().unwrap());
    let number = |it: i128| Value::Number(Decimal::new(it, 1));
    let expected = [
        vec![Value::from("a"), Value::Int(1), number(15), true.into(), day("2017-10-21")],
        vec![Value::from("b, \"c\"\nd"), Value::Int(-2), number(30), false.into(), day("2020-02-29")],
    ];
    for (file, text) in [("t.csv", csv), ("t.JSON", json)] {
        let table = tables::read("T", file, text).unwrap();
        for (i, row) in expected.iter().enumerate() {
            assert_eq!(table.rows[i][..5], row[..], "{file}");
        }
        assert_eq!(table.rows[0][6], Value::Option(None), "{file}");
        assert_eq!(table.rows[1][6], Value::Option(Some(Box::new(Value::Int(7)))), "{file}");
    }
    // A code with a leading zero keeps it.
    let table = tables::read("T", "t.csv", "key,code\na,01\nb,2\n").unwrap();
    assert_eq!(table.rows[0][1], Value::from("01"));
    assert_eq!(table.rows[1][1], Value::from("2"));
}

#[test]
fn broken_tables_are_told_with_their_line() {
    let rows = [
        ("t.csv", "", "line 1: the file is empty; its first line names the columns"),
        ("t.csv", "a,b\n", "line 1: there are no rows; a type needs at least one value"),
        ("t.csv", "a,a\n1,2\n", "line 1: two columns are called `a`; rename one"),
        ("t.csv", "a,\n1,2\n", "line 1: column 2 has no name; give it one"),
        ("t.csv", "a,b\n1,2\n\n3\n", "line 4: 1 cell where 2 were expected"),
        ("t.csv", "a,b\n1,\"x\ny\n", "line 2: a quote is never closed"),
        ("t.csv", "a,b\n1,\"x\"y\n", "line 2: text after a closing quote; write `\"\"` for a quote inside"),
        ("t.csv", "a,b\n,2\n", "line 2: the key is empty; the first column must tell rows apart"),
        (
            "t.csv",
            "a,b\n\"x\ny\",1\nz,2\nz,3\n",
            "line 5: the key `z` is there twice; the first column must tell rows apart",
        ),
        ("t.json", "{}", "line 1: expected an array of objects, found an object"),
        ("t.json", "[\n3]", "line 2: expected an object, found a number"),
        ("t.json", "[\n{\"a\": [1]}]", "line 2: `a` is not a number, truth or string"),
        ("t.json", "[\n{\"a\": 1\n", "line 2: `{` is never closed"),
        ("t.json", "[]", "line 1: there are no columns; name them in the first line"),
    ];
    for (file, text, expected) in rows {
        assert_eq!(tables::read("T", file, text).unwrap_err(), expected, "{text}");
    }
}

#[test]
fn locations_are_plausible() {
    let table = tables::location();
    let columns: Vec<&str> = table.columns.iter().map(|it| &**it).collect();
    assert_eq!(columns, ["name", "country", "zone", "offset", "latitude", "longitude"]);
    let degrees = |it: &Value, most: i128| match it {
        Value::Number(it) => *it >= Decimal::new(-most, 0) && *it <= Decimal::new(most, 0),
        _ => false,
    };
    let mut zones = std::collections::BTreeMap::new();
    for row in &table.rows {
        let (Value::Text(zone), Value::Int(offset)) = (&row[2], &row[3]) else { panic!("{row:?}") };
        assert!(zone.contains('/') && (-720..=840).contains(offset) && offset % 15 == 0, "{row:?}");
        assert!(degrees(&row[4], 90) && degrees(&row[5], 180), "{row:?}");
        // One zone, one offset; and it is about where the sun says.
        assert_eq!(zones.entry(zone.clone()).or_insert(*offset), offset, "{row:?}");
        let Value::Number(longitude) = row[5] else { panic!("{row:?}") };
        let sun = longitude.at_scale(2).unwrap() * 4 / 100;
        let apart = (offset - sun).rem_euclid(1440);
        assert!(apart.min(1440 - apart) <= 210, "{row:?}");
    }
    assert!(table.rows.len() >= 200 && zones.len() >= 150);
}

/// The programs and files of the page are right.
#[test]
fn the_page_of_the_language_is_right() {
    let page = include_str!("../../../../crates/probity/guide/language.md");
    let mut n = 0;
    for block in page.split("```racket\n").skip(1) {
        let text = block.split("```").next().unwrap();
        let ask = if text.contains("(generate") { "" } else { "(declare x ?Tree) (generate t 3)" };
        let text = format!("{text}{ask}");
        let errors = probity_lang::read("page", &text, &|_| Err("none".into())).err().unwrap_or_default();
        assert!(errors.is_empty(), "{}", errors[0].render("page", &text));
        n += 1;
    }
    for block in page.split("```json\n").skip(1) {
        let text = block.split("```").next().unwrap();
        let errors = files::read("page", text).err().unwrap_or_default();
        assert!(errors.is_empty(), "{}", errors[0].render("page", text));
        n += 1;
    }
    assert!(n >= 3);
    // The third column of the tables of words: each is an expression over these.
    let names = "(declare duration ?Integer) (declare x ?Integer) (declare n ?Integer) (declare age ?Integer)
        (declare member ?Boolean) (declare big ?Boolean) (declare kind ?(Enum music shoes))
        (declare start ?Date) (declare stop ?Date) (declare end ?(Option Date)) (declare day ?Date) (declare at ?DateTime)
        (declare name ?String) (declare host ?String) (declare path ?String) (declare code ?String)
        (declare mail ?String) (declare a ?String) (declare b ?String) (declare xs ?(List Integer))
        (declare size ?(Enum small large)) (declare loc ?Location) (declare who ?(Union (id Integer) (name String)))
        (declare event ?Object) (specify event (with location ?Location))";
    let table = page.split("### Assertions").nth(1).unwrap().split("### Patterns").next().unwrap();
    for line in table.lines().filter(|it| it.starts_with("| `")) {
        let Some(cell) = line.trim_end_matches(" |").rsplit(" | ").next().filter(|it| it.starts_with('`'))
        else {
            continue;
        };
        for code in cell.trim_matches('`').split("`, `") {
            let statement = if code.starts_with("(specify") {
                code.to_string()
            } else {
                format!("(declare value {code})")
            };
            let text = format!("{names} {statement} (generate t 3)");
            let errors = probity_lang::read("page", &text, &|_| Err("none".into())).err().unwrap_or_default();
            assert!(errors.is_empty(), "{}", errors[0].render("page", &text));
        }
    }
}
