//! Patterns: which are supported, whether their texts match and their near misses do not, and how fast texts are made.
//!
//! The collection is that of the tests; the `regex` crate says what matches.

use std::hint::black_box;
use std::time::{Duration, Instant};

use probity_spec::Random;
use probity_spec::regex::{Cover, Heuristics, Regex};

use super::Measure;
use super::table::{Table, grouped};

pub(super) const TABLES: &[Measure] = &[collection, speed, covers];

const FILES: [(&str, &str); 2] = [
    ("by hand", include_str!("../../../crates/regex/tests/patterns/by-hand.txt")),
    ("combined", include_str!("../../../crates/regex/tests/patterns/combined.txt")),
];
const TEXTS: usize = 200;

/// What became of a file's patterns.
#[derive(Default)]
struct PatternTally {
    patterns: u64,
    refused: u64,
    /// Those that match no text as a whole, rightly so.
    empty: u64,
    texts: u64,
    wrong: u64,
    misses: u64,
    wrong_misses: u64,
    slowest: (Duration, String),
}

fn collection() -> Table {
    let columns = [
        "patterns",
        "that regex compiles",
        "supported",
        "without a text",
        "texts",
        "wrong",
        "near misses",
        "wrong misses",
        "slowest pattern",
    ];
    let mut table = Table::new("patterns as people write them, held against the regex crate", &columns);
    for (name, file) in FILES {
        let it = try_all(file);
        let supported = (it.patterns - it.refused) as f64 / it.patterns as f64;
        let cells = vec![
            name.to_string(),
            it.patterns.to_string(),
            format!("{:.1} %", supported * 100.0),
            it.empty.to_string(),
            grouped(it.texts),
            it.wrong.to_string(),
            grouped(it.misses),
            it.wrong_misses.to_string(),
            format!("{:.1} ms: {}", it.slowest.0.as_secs_f64() * 1e3, shorten(&it.slowest.1)),
        ];
        let met = supported >= 0.99 && it.wrong == 0 && it.wrong_misses == 0;
        table.row(cells, "99 %, none wrong", Some(met));
    }
    table
}

fn try_all(file: &str) -> PatternTally {
    let mut res = PatternTally::default();
    let mut random = Random::new(1);
    for pattern in file.lines().filter(|it| !it.starts_with("#! ") && !it.is_empty()) {
        // The end of a line closes a comment of the flag `x`.
        let end = if pattern.starts_with("(?x") { "\n" } else { "" };
        let Ok(theirs) = regex::Regex::new(&format!(r"\A(?:{pattern}{end})\z")) else { continue };
        res.patterns += 1;
        let start = Instant::now();
        let (ours, sampler) = match Regex::new(pattern).map(|it| (it.sampler(), it)) {
            Ok((Ok(sampler), ours)) => (ours, sampler),
            // That there is no text at all is an answer too.
            Ok((Err(_), ours)) if ours.language().is_ok_and(|it| it.is_empty()) => {
                res.empty += 1;
                continue;
            }
            _ => {
                res.refused += 1;
                continue;
            }
        };
        let texts: Vec<String> = (0..TEXTS).map(|_| sampler.sample(&mut random)).collect();
        let misses = ours.near_misses();
        let misses =
            misses.iter().flat_map(|it| (0..TEXTS).map(|_| it.sample(&mut random)).collect::<Vec<_>>());
        let misses: Vec<String> = misses.collect();
        let took = start.elapsed();
        if took > res.slowest.0 {
            res.slowest = (took, pattern.to_string());
        }
        res.texts += texts.len() as u64;
        res.wrong += texts.iter().filter(|it| !theirs.is_match(it)).count() as u64;
        res.misses += misses.len() as u64;
        res.wrong_misses += misses.iter().filter(|it| theirs.is_match(it)).count() as u64;
    }
    res
}

fn shorten(pattern: &str) -> String {
    let mut res: String = pattern.chars().take(40).collect();
    if res.len() < pattern.len() {
        res.push('…');
    }
    res
}

const SIMPLE: &[(&str, Option<f64>)] = &[
    ("[a-z]{5,10}", Some(1e6)),
    (r"(1[0-2]|[1-9]):[0-5]\d(\s)?(AM|PM)", Some(1e6)),
    (r"^\d{4}-\d{2}-\d{2}$", Some(1e6)),
    (r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", Some(1e6)),
    (r"\b\w+\b", Some(1e6)),
    (r"[a-zA-Z0-9._%+-]+@[a-zA-Z0-9.-]+\.[a-zA-Z]{2,}", None),
    (r"\bfoo\b.*\bbar\b", None),
];

fn speed() -> Table {
    let mut table = Table::new("texts made, one thread", &["pattern", "texts a second"]);
    for (pattern, target) in SIMPLE {
        let sampler = Regex::new(pattern).map(|it| it.sampler()).expect("a pattern").expect("texts");
        let mut random = Random::new(1);
        let mut text = String::new();
        let start = Instant::now();
        let mut made = 0u64;
        while start.elapsed() < Duration::from_millis(300) {
            for _ in 0..10_000 {
                sampler.sample_into(&mut random, &mut text);
                black_box(&text);
            }
            made += 10_000;
        }
        let rate = made as f64 / start.elapsed().as_secs_f64();
        let cells = vec![shorten(pattern), grouped(rate as u64)];
        let words = target.map_or(String::new(), |it| grouped(it as u64));
        table.row(cells, words, target.map(|it| rate >= it));
    }
    table
}

fn covers() -> Table {
    let mut table = Table::new("leaves of a cover, each with a text", &["pattern", "leaves", "time"]);
    for (pattern, target) in [("[_a-zA-Z][_a-zA-Z0-9]+", Some(500)), ("[a-z_]+(:[a-z_]+)*", None)] {
        let regex = Regex::new(pattern).expect("a pattern");
        let heuristics = Heuristics { plus_as_concatenation: true, ..Heuristics::default() };
        let start = Instant::now();
        let cover = Cover::new(&regex, &heuristics);
        let mut random = Random::new(1);
        let leaves = (0..100_000).filter_map(|at| cover.leaf(at)?.sample(&mut random));
        let n = leaves.inspect(|it| _ = black_box(it)).count();
        let took = start.elapsed();
        let cells =
            vec![pattern.to_string(), grouped(n as u64), format!("{:.0} ms", took.as_secs_f64() * 1e3)];
        let words = target.map_or(String::new(), |it| format!("under {it} ms"));
        let met = target.map(|it| took < Duration::from_millis(it) && n == 100_000);
        table.row(cells, words, met);
    }
    table
}
