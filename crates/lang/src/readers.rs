//! Every reader of this crate behind one door, with the laws that hold for whatever it is given: for tests of ours that
//! give it malformed texts, and for nobody else.

use std::fmt::Write;

use probity_spec::Value;
use probity_spec::regex::readers::{Reader, utf8};

use crate::json::{Json, JsonKind};
use crate::{Diagnostic, Program, files, json, read, render_all, tables};

/// All of them.
pub const READERS: [Reader; 4] = [
    Reader {
        name: "language",
        samples: &[
            "(declare age ?(Integer 0 150))\n(declare name ?String)\n(specify name (matches #rx\"[a-z]{1,9}\"))\n\
             (generate ages 10 (constrain-solutions age (numeric-distance 10)))",
            "(program p\n  (define (f n) (if (= n 0) 0 (+ 1 (f (- n 1)))))\n  (declare x ?Integer)\n  ; a comment\n  \
             (specify x (= (f 5)))\n  (table T \"t.csv\") (declare t ?T)\n  (generate all 3))",
            "(define-type T (Object (a Integer) (b (Option T)))) (declare x ?T) (declare d ?Date)\n\
             (require (< d #date\"2017-10-21\")) (constrain x (enumerate* '(#t #f) (list never always))) (generate g 2)",
        ],
        words: &[
            "(",
            ")",
            "[",
            "]",
            "'",
            "?",
            "\"",
            "#rx\"",
            "#|",
            "|#",
            ";",
            "declare",
            "specify",
            "generate",
            "re-repeat",
            "Integer",
            "lambda",
            "match",
            "cover-regexp",
            "0",
            "1000",
            "-1",
            "1e9",
            "(re-repeat #rx\"a\" 0 1000)",
        ],
        read: |bytes| utf8(bytes, |text| programs(text, &read("a.spec", text, &table))),
        mend: None,
    },
    Reader {
        name: "spec file",
        samples: &[
            "\"age\": {\"type\": \"Integer\", \"minimum\": 0}  \"Person\": {\"name\": {\"type\": \"Str\"}, \"age\": \"age\"}",
            "{\"code\": {\"type\": \"Regex\", \"pat\": \"[a-z]{2}$digits\"}, \"digits\": {\"type\": \"Regex\", \"pat\": \
             \"\\\\d{1,3}\"},\n \"Event\": {\"at\": \"DateTime\", \"code\": \"code\", \"where\": \"Location\", \"xs\": {\"type\": \
             \"List\", \"items\": \"Integer\"}},\n \"generate\": {\"events\": {\"of\": \"Event\", \"n\": 5, \"different\": \
             {\"code\": \"not-equal\"}, \"require\": [\"(< 1 2)\"]}}}",
        ],
        words: &[
            "{",
            "}",
            "[",
            "]",
            "\"",
            ":",
            ",",
            "\\",
            "\\u12",
            "$",
            "$code",
            "\"pat\"",
            "\"type\"",
            "\"Regex\"",
            "{0,1000}",
            "\"minimum\"",
            "1e99",
            "-0",
            "null",
            "true",
        ],
        read: |bytes| utf8(bytes, |text| programs(text, &files::read("a.json", text))),
        mend: None,
    },
    Reader {
        name: "JSON",
        samples: &[
            "{\"price\": 12.50, \"tags\": [\"a\", \"\\u00e9\\ud83d\\ude00\\n\"], \"none\": null, \"yes\": true, \"deep\": \
             [[[{\"x\": -1e3}]]]}",
            "[0, -0.5, 170141183460469231731687303715884105727, \"\", {}]",
        ],
        words: &[
            "{", "}", "[", "]", "\"", ":", ",", "\\", "\\u", "\\ud800", "null", "1e40", "-", "0", ".", "e",
        ],
        read: |bytes| utf8(bytes, read_json),
        mend: None,
    },
    Reader {
        name: "table",
        samples: &["key,n,x,day,gap\r\na,1,1.5,2017-10-21,\r\n\"b, \"\"c\"\"\nd\",-2,3,2020-02-29,7\r\n"],
        words: &[",", "\"", "\"\"", "\n", "\r\n", "key", "01", "2017-02-30", "\u{feff}", "1e999"],
        read: |bytes| utf8(bytes, read_table),
        mend: None,
    },
];

/// The one table that programs may name.
fn table(path: &str) -> Result<String, String> {
    if path == "t.csv" { Ok("key,n\na,1\nb,2\n".to_string()) } else { Err(format!("there is no `{path}`")) }
}

/// Mistakes are few, short, and say where.
fn programs(text: &str, read: &Result<Program, Vec<Diagnostic>>) -> Result<bool, String> {
    let errors = match read {
        Ok(program) if program.outlines.is_empty() => {
            return Err("nothing is asked for, without a word".to_string());
        }
        Ok(_) => return Ok(true),
        Err(errors) => errors,
    };
    shown("a", text, errors).map(|()| false)
}

fn shown(file: &str, text: &str, errors: &[Diagnostic]) -> Result<(), String> {
    let shown = render_all(file, text, errors);
    let wrong = |what: &str| Err(format!("{what}: {}", shown.chars().take(2000).collect::<String>()));
    let is_placed = |it: &&str| it.trim_start().starts_with(&format!("--> {file}:"));
    if errors.is_empty() || errors.iter().any(|it| it.message.is_empty()) {
        return wrong("refused without a word");
    }
    if shown.lines().filter(is_placed).count() < errors.len().min(20) {
        return wrong("a mistake without a place");
    }
    if shown.lines().filter(|it| it.starts_with("error: ")).count() > 20 || shown.len() > 100_000 {
        return wrong("too much is shown");
    }
    Ok(())
}

fn read_json(text: &str) -> Result<bool, String> {
    match json::parse(text) {
        Err(error) => shown("a", text, &[error]).map(|()| false),
        Ok(json) => {
            let mut again = String::new();
            print(&json, &mut again);
            match json::parse(&again) {
                Ok(it) if same(&it, &json) => Ok(true),
                other => Err(format!("read as {again}, which is read as {other:?}")),
            }
        }
    }
}

fn print(json: &Json, out: &mut String) {
    match &json.kind {
        JsonKind::Null => out.push_str("null"),
        JsonKind::Bool(it) => _ = write!(out, "{it}"),
        JsonKind::Number(it) => _ = write!(out, "{it}"),
        JsonKind::Text(it) => json::quote(it, out),
        JsonKind::List(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                print(item, out);
            }
            out.push(']');
        }
        JsonKind::Object(members) => {
            out.push('{');
            for (at, (key, _, item)) in members.iter().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                json::quote(key, out);
                out.push(':');
                print(item, out);
            }
            out.push('}');
        }
    }
}

/// Whether they differ in nothing but their places.
fn same(a: &Json, b: &Json) -> bool {
    match (&a.kind, &b.kind) {
        (JsonKind::List(a), JsonKind::List(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|it| same(it.0, it.1))
        }
        (JsonKind::Object(a), JsonKind::Object(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.0 == b.0 && same(&a.2, &b.2))
        }
        (a, b) => a == b,
    }
}

fn read_table(text: &str) -> Result<bool, String> {
    let table = match tables::read("T", "t.csv", text) {
        Ok(table) => table,
        Err(error) if error.contains("line ") || error.contains("allowed") => return Ok(false),
        Err(error) => return Err(format!("a mistake without a place: {error}")),
    };
    let width = table.columns.len();
    if table.rows.is_empty() || table.rows.iter().any(|it| it.len() != width) {
        return Err(format!("a ragged table: {table:?}"));
    }
    // What is read as texts is all there: written in quotes and read again it is the same.
    let cell = |it: &str| format!("\"{}\"", it.replace('"', "\"\""));
    let mut again: Vec<String> = vec![table.columns.iter().map(|it| cell(it)).collect::<Vec<_>>().join(",")];
    for row in &table.rows {
        again.push(row.iter().map(|it| cell(&text_of(it))).collect::<Vec<_>>().join(","));
    }
    match tables::read("T", "t.csv", &(again.join("\n") + "\n")) {
        Ok(it) if it == table => Ok(true),
        other => Err(format!("{table:?} is read again as {other:?}")),
    }
}

fn text_of(value: &Value) -> String {
    match value {
        Value::Text(it) => it.to_string(),
        Value::Option(None) => String::new(),
        Value::Option(Some(it)) => text_of(it),
        Value::Date(it) => it.to_string(),
        other => other.to_string(),
    }
}
