//! What is decided outside of a test: settings, events, colors.

use std::fs;

use probity_testkit::assert_snapshot;

use crate::searches::watch;
use crate::support::{Folder, Ran, run_in, snapshot};

fn run(name: &str, env: &[(&str, &str)]) -> Ran {
    run_in(&Folder::new(), name, env)
}

#[test]
fn a_malformed_variable_is_an_error_that_names_it() {
    let line = "\n`PROBITY_CASES` is `ten`: expected a whole number of at least 1, such as 1000\n";
    run("settings", &[("PROBITY_CASES", "ten")]).fails().says(&[line]);
    let line = "\nunknown variable `PROBITY_CASE`; did you mean `PROBITY_CASES`?\n";
    run("settings", &[("PROBITY_CASE", "10")]).fails().says(&[line]);
}

#[test]
fn the_environment_wins_over_the_attribute() {
    let verbose = ("PROBITY_VERBOSE", "1");
    run("settings", &[verbose]).passes().says(&["settings` passed 20 cases in ", " % n % 2 = 0\n"]);
    run("settings", &[verbose, ("PROBITY_CASES", "30")]).passes().says(&["settings` passed 30 cases in "]);
}

/// The seed that fixture `settings` runs with.
fn seed(env: &[(&str, &str)]) -> String {
    let folder = Folder::new();
    let path = folder.path().join("events");
    let env = [env, &[("PROBITY_EVENTS", path.to_str().unwrap())]].concat();
    run("settings", &env).passes();
    let text = fs::read_to_string(path).unwrap();
    text.split_once("\"seed\":\"").unwrap().1.split_once('"').unwrap().0.to_string()
}

#[test]
fn seeds_are_fresh_except_in_continuous_integration() {
    let fresh = ("PROBITY_SEED", "");
    assert_eq!(seed(&[fresh, ("CI", "true")]), seed(&[fresh, ("CI", "1")]));
    assert_ne!(seed(&[fresh]), seed(&[fresh]));
    assert_eq!(seed(&[("CI", "true"), ("PROBITY_SEED", "0x2a")]), "0x2a");
}

#[test]
fn settings_are_a_table_with_their_origins() {
    let ran = run("settings_table", &[("PROBITY_STORE", "off"), ("NO_COLOR", "1"), ("PROBITY_TIME", "2m")]);
    assert_snapshot(snapshot("settings_table"), &ran.passes().raw);
}

#[test]
fn reports_are_coloured_where_that_is_wanted() {
    for (env, colored) in [
        (&[][..], false),
        (&[("PROBITY_COLOR", "always")], true),
        (&[("CLICOLOR_FORCE", "1")], true),
        (&[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")], false),
        (&[("NO_COLOR", "1"), ("PROBITY_COLOR", "always")], true),
    ] {
        let ran = run("reported", env).fails();
        assert_eq!(ran.raw.contains('\u{1b}'), colored, "{env:?}");
        assert_eq!(
            ran.raw.contains("\u{1b}[1;31mprobity: `harness::fixtures::reported` fails\u{1b}[0m\n"),
            colored
        );
    }
}

/// Reads a JSON value off the start of `text`; a string is put into `strings` as it reads.
fn value<'a>(text: &'a str, strings: &mut Vec<String>) -> Result<&'a str, &'a str> {
    let list = |mut rest: &'a str, end: char, is_object: bool, strings: &mut Vec<String>| {
        if let Some(rest) = rest.strip_prefix(end) {
            return Ok(rest);
        }
        loop {
            if is_object {
                rest = string(rest, strings)?.strip_prefix(':').ok_or(rest)?;
            }
            rest = value(rest, strings)?;
            match rest.strip_prefix(',') {
                Some(more) => rest = more,
                None => return rest.strip_prefix(end).ok_or(rest),
            }
        }
    };
    match text.chars().next() {
        Some('{') => list(&text[1..], '}', true, strings),
        Some('[') => list(&text[1..], ']', false, strings),
        Some('"') => string(text, strings),
        Some('-' | '0'..='9') => {
            let end = text.find(|c: char| !c.is_ascii_digit() && !"+-.eE".contains(c)).unwrap_or(text.len());
            text[..end].parse::<f64>().map_err(|_| text)?;
            Ok(&text[end..])
        }
        _ => ["null", "true", "false"].iter().find_map(|it| text.strip_prefix(it)).ok_or(text),
    }
}

fn string<'a>(text: &'a str, strings: &mut Vec<String>) -> Result<&'a str, &'a str> {
    let mut chars = text.strip_prefix('"').ok_or(text)?.chars();
    let mut res = String::new();
    loop {
        match chars.next().filter(|it| *it >= ' ').ok_or(text)? {
            '"' => break,
            '\\' => res.push(match chars.next().ok_or(text)? {
                it @ ('"' | '\\' | '/') => it,
                'n' => '\n',
                't' => '\t',
                'u' => {
                    let (hex, rest) = chars.as_str().split_at_checked(4).ok_or(text)?;
                    chars = rest.chars();
                    u32::from_str_radix(hex, 16).ok().and_then(char::from_u32).ok_or(text)?
                }
                _ => return Err(text),
            }),
            it => res.push(it),
        }
    }
    strings.push(res);
    Ok(chars.as_str())
}

#[test]
fn events_are_lines_of_json() {
    // A fixture, what events it has, and a text that one of them has.
    for (name, kinds, text) in [
        ("settings", &["started", "passed"][..], "n % 2 = 1"),
        ("reported", &["started", "found", "failed"], "the greatest is Some(12), beside 0"),
        ("errors", &["started", "found", "found", "failed", "failed"], "Odd(301)"),
        ("flaky", &["started", "found", "failed"], "passed with the same input"),
        ("never", &["started", "too_many_rejects"], "assume!(n.count_ones() > 32)"),
        ("hangs", &["started", "hangs", "passed"], "word"),
        ("fixed_input", &["started", "failed"], "n = 99, word = \"ninety-nine\""),
        ("climbs", &["started", "found", "failed"], "hits"),
        ("quotes", &["started", "found", "failed"], "\"\\\n\t\u{1}\u{7f}é𝄞"),
    ] {
        let folder = Folder::new();
        let path = folder.path().join("events.jsonl");
        let events = [("PROBITY_EVENTS", path.to_str().unwrap())];
        if name == "hangs" {
            watch(&Folder::new(), name, &events)
        } else {
            run(name, &events)
        };
        let mut found = Vec::new();
        let mut strings = Vec::new();
        for line in fs::read_to_string(path).unwrap().lines() {
            assert_eq!(value(line, &mut strings), Ok(""), "{line}");
            let start = line.strip_prefix("{\"event\":\"").unwrap_or_else(|| panic!("{line}"));
            let (kind, rest) = start.split_once('"').unwrap();
            assert!(rest.starts_with(&format!(",\"test\":\"harness::fixtures::{name}\"")), "{line}");
            found.push(kind.to_string());
        }
        assert_eq!(found, kinds, "{name}");
        assert!(strings.iter().any(|it| it == text), "{name}: {strings:?}");
    }
}
