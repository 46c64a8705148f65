//! Whether what a report marks with `_` may really vary, and whether what may vary is marked.
//!
//! Each shape has the pattern that is true of its failure. A `_` where that pattern has a value is false; a value
//! where that pattern has `_` is a part that was missed.

mod shapes;

use probity_core::{Budget, Explanation, Source, explain, search_random, shrink};

use self::shapes::{PLAIN, RARE, Shape};
use super::{Measure, silence_cases, table::Table};

pub(crate) const TABLES: &[Measure] = &[plain, rare];

const PLAIN_SEEDS: u64 = 20;
const RARE_SEEDS: u64 = 10;
/// How many false marks are tolerated where a value matters seldom, for each 80 reports.
const RARE_FALSE: u64 = 8;
/// Cases a seed may take to find the failure.
const CASES: u64 = 200_000;
/// How often the test may be run to explain, as in a run.
const RUNS: u64 = 10_000;

/// How the patterns of one shape compare with the true one.
#[derive(Default)]
struct PatternCounts {
    found: u64,
    wrong: u64,
    unbalanced: u64,
    runs: u64,
    seen: Vec<String>,
}

fn plain() -> Table {
    let title = format!("what may vary, plain cases, {PLAIN_SEEDS} seeds each");
    let mut table = Table::new(title, &["shape", "found", "false `_`", "most runs", "seen"]);
    let mut wrong = 0;
    for shape in PLAIN {
        let counts = measure(shape, PLAIN_SEEDS);
        wrong += counts.wrong;
        let met = counts.found == PLAIN_SEEDS && counts.wrong == 0 && counts.unbalanced == 0;
        let target = format!("{PLAIN_SEEDS}/{PLAIN_SEEDS} {}, 0 false", one_line(shape.truth));
        table.row(cells(shape, &counts, PLAIN_SEEDS), target, Some(met));
    }
    let total = PLAIN.len() as u64 * PLAIN_SEEDS;
    let cells = vec!["all".into(), String::new(), format!("{wrong}/{total}"), String::new(), String::new()];
    table.row(cells, format!("0 of {total}"), Some(wrong == 0));
    table
}

fn rare() -> Table {
    let title = format!("what may vary where one value in 10 to 256 matters, {RARE_SEEDS} seeds each");
    let mut table = Table::new(title, &["shape", "found", "false `_`", "most runs", "seen"]);
    let mut wrong = 0;
    for shape in RARE {
        let counts = measure(shape, RARE_SEEDS);
        wrong += counts.wrong;
        let met = (counts.unbalanced > 0).then_some(false);
        table.row(cells(shape, &counts, RARE_SEEDS), shape.truth, met);
    }
    let total = RARE.len() as u64 * RARE_SEEDS;
    let most = total * RARE_FALSE / 80;
    let cells = vec!["all".into(), String::new(), format!("{wrong}/{total}"), String::new(), String::new()];
    table.row(cells, format!("at most {most} of {total}"), Some(wrong <= most));
    table
}

fn cells(shape: &Shape, counts: &PatternCounts, seeds: u64) -> Vec<String> {
    vec![
        shape.name.to_string(),
        format!("{}/{seeds}", counts.found),
        format!("{}/{seeds}", counts.wrong),
        counts.runs.to_string(),
        one_line(&counts.seen.join("   ")),
    ]
}

fn one_line(text: &str) -> String {
    text.replace('\n', "\\n")
}

fn measure(shape: &Shape, seeds: u64) -> PatternCounts {
    silence_cases();
    let mut res = PatternCounts::default();
    for seed in 0..seeds {
        let mut test = shape.test;
        let budget =
            Budget { cases: CASES, rejects: 100, go_on: &mut |_| true, progress: Default::default() };
        let finding = search_random(seed, &mut test, budget).expect("shapes use us rightly");
        let Some(found) = finding.failures.into_iter().next() else {
            res.seen.push("not found".to_string());
            continue;
        };
        let shrunk = shrink(found.case, &mut test, 10_000, &mut |_| true).expect("shapes use us rightly");
        let mut runs = 0;
        let mut counted = |src: &mut Source| {
            runs += 1;
            (shape.test)(src);
        };
        let explanation = explain(&shrunk.case, &mut counted, seed, RUNS, &mut || true);
        let text = shown(explanation.expect("shapes use us rightly"));
        res.runs = res.runs.max(runs);
        res.found += u64::from(text == shape.truth);
        res.wrong += u64::from(text != "nothing" && !matches(shape.truth.as_bytes(), text.as_bytes()));
        res.unbalanced += u64::from(!is_balanced(&text));
        if !res.seen.contains(&text) {
            res.seen.push(text);
        }
    }
    res
}

fn shown(explanation: Option<Explanation>) -> String {
    let Some(explanation) = explanation else { return "nothing".to_string() };
    let texts: Vec<String> = explanation.patterns.into_iter().map(|it| it.text).collect();
    texts.join(" | ")
}

/// Whether `text` is `pattern` with something in the place of each `_`. So a pattern that marks less than the
/// true one is matched by it, and one that marks more is not.
fn matches(pattern: &[u8], text: &[u8]) -> bool {
    match pattern {
        [] => text.is_empty(),
        [b'_', rest @ ..] => (0..=text.len()).any(|it| matches(rest, &text[it..])),
        [first, rest @ ..] => text.first() == Some(first) && matches(rest, &text[1..]),
    }
}

/// Whether brackets outside of quoted texts close what they open.
fn is_balanced(text: &str) -> bool {
    let (mut open, mut quoted, mut escaped) = (Vec::new(), false, false);
    for c in text.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => quoted = !quoted,
            _ if quoted => {}
            '(' | '[' | '{' => open.push(c),
            ')' | ']' | '}' => {
                let opening = match c {
                    ')' => '(',
                    ']' => '[',
                    _ => '{',
                };
                if open.pop() != Some(opening) {
                    return false;
                }
            }
            _ => {}
        }
    }
    open.is_empty() && !quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_judged() {
        for (pattern, text, expected) in [
            ("(_, 0)", "(_, 0)", true),
            ("(_, 0)", "(1, 0)", true),
            ("(_, 0)", "(_, _)", false),
            ("(_, 0)", "_", false),
            ("_", "[1, _]", true),
        ] {
            assert_eq!(matches(pattern.as_bytes(), text.as_bytes()), expected, "{pattern} {text}");
        }
        for (text, expected) in [("Div(_), 0)", false), ("\"(\" | [_]", true), ("([)]", false), ("(", false)]
        {
            assert_eq!(is_balanced(text), expected, "{text}");
        }
    }

    #[test]
    fn some_shapes_meet_their_targets() {
        for shape in PLAIN.iter().step_by(3) {
            let counts = measure(shape, 3);
            assert_eq!((counts.found, counts.wrong), (3, 0), "{}: {:?}", shape.name, counts.seen);
        }
    }
}
