//! A collection of patterns as people write them, each held against the `regex` crate.

use probity_regex::Random;
use probity_regex::{Cover, Heuristics, Regex};

/// A file's patterns; lines that begin with `#! ` are headings.
fn patterns(file: &str) -> impl Iterator<Item = &str> {
    file.lines().filter(|it| !it.starts_with("#! ") && !it.is_empty())
}

fn whole(pattern: &str) -> Option<regex::Regex> {
    // The end of a line closes a comment of the flag `x`.
    let end = if pattern.starts_with("(?x") { "\n" } else { "" };
    regex::Regex::new(&format!(r"\A(?:{pattern}{end})\z")).ok()
}

#[test]
fn patterns_by_hand() {
    check(patterns(include_str!("../patterns/by-hand.txt")), 550);
}

/// In debug only some of them: the `regex` crate takes 8 ms for each. `cargo xtask quality patterns` tries all.
#[test]
fn patterns_combined() {
    let step = if cfg!(debug_assertions) { 4 } else { 1 };
    check(patterns(include_str!("../patterns/combined.txt")).step_by(step), 630 / step);
}

/// Texts match, near misses do not, and nearly every pattern that the `regex` crate knows has both.
fn check<'a>(patterns: impl Iterator<Item = &'a str>, least: usize) {
    let mut random = Random::new(11);
    let (mut compiled, mut refused) = (0, Vec::new());
    for pattern in patterns {
        let Some(theirs) = whole(pattern) else { continue };
        compiled += 1;
        let (ours, sampler) = match Regex::new(pattern).map(|it| (it.sampler(), it)) {
            Ok((Ok(sampler), ours)) => (ours, sampler),
            // That there is no text at all is an answer too.
            Ok((Err(_), ours)) if ours.language().is_ok_and(|it| it.is_empty()) => continue,
            other => {
                refused.push((pattern, other.map(|it| it.0.err()).map_err(|it| it.to_string())));
                continue;
            }
        };
        for _ in 0..6 {
            let text = sampler.sample(&mut random);
            assert!(theirs.is_match(&text) && ours.is_match(&text), "{text:?} is no match of `{pattern}`");
        }
        let Ok(misses) = ours.near_misses() else { continue };
        for _ in 0..6 {
            let text = misses.sample(&mut random);
            assert!(!theirs.is_match(&text) && !ours.is_match(&text), "{text:?} matches `{pattern}`");
        }
    }
    assert!(compiled >= least, "{compiled}");
    assert!(refused.len() * 100 <= compiled, "{} of {compiled}: {refused:#?}", refused.len());
}

#[test]
fn what_is_not_supported_is_named_with_its_place() {
    for line in patterns(include_str!("../patterns/refused.txt")) {
        let [pattern, column, message] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let err = Regex::new(pattern).unwrap_err();
        assert_eq!((err.column.to_string().as_str(), err.message.as_str()), (column, message), "{pattern}");
        assert!(whole(pattern).is_none() || pattern.contains("{1000}"), "the `regex` crate knows {pattern}");
    }
}

/// No input may bring it down: patterns cut off and spoilt at every place.
#[test]
fn broken_patterns_are_refused_in_words() {
    let all = patterns(include_str!("../patterns/by-hand.txt"));
    for (at, pattern) in all.enumerate().filter(|it| it.0 % 7 == 0) {
        let chars: Vec<char> = pattern.chars().collect();
        for cut in 0..chars.len() {
            let mut broken: String = chars[..cut].iter().collect();
            broken.push_str(["", "(", "\\", "[", "{", "(?", "*", "é)"][(at + cut) % 8]);
            if let Err(err) = Regex::new(&broken) {
                assert!(err.column <= broken.chars().count() + 1, "{broken}: {err}");
                assert!(!err.message.is_empty() && !err.message.contains('\n'), "{err}");
            }
        }
    }
}

/// Patterns of about 1 KB at most that would take an automaton, a table or a text without end. What is counted is
/// work, so that each of them either is refused or is soon done on any machine; a hang would be seen.
#[test]
fn no_pattern_takes_the_machine() {
    let scripts = ["Latin", "Greek", "Han", "Arabic", "Common", "Inherited", "Cyrillic", "Hangul", "Yi"];
    let each = |form: fn(&str) -> String| scripts.map(form).concat();
    let patterns = [
        "((((((((a{0,1000}){0,1000}){0,1000}){0,1000}){0,1000}){0,1000}){0,1000}){0,1000})".to_string(),
        "(?:(?:(?:a{4000000000}){4000000000}){4000000000}){4000000000}".to_string(),
        "(?:a{4294967295,}){4294967295,}".to_string(),
        r"(?i)".to_string() + &r"\w".repeat(500),
        r"\w{199999}".to_string(),
        r"(?:\w|\d|\pL){60000}".to_string(),
        r"\p{L}{0,5000}".to_string(),
        r"(?:\b.{0,50}\b){1,50}".to_string(),
        "(a|b)*a(a|b){18}".to_string(),
        "((a?){100}){100}".to_string(),
        ".*".repeat(300) + "x",
        "(".repeat(100) + "a" + &")*".repeat(100),
        each(|it| format!(r"\p{{{it}}}?")) + &each(|it| format!(r"\P{{{it}}}*")),
        format!("(?i)[{}]{{0,100}}", each(|it| format!(r"\p{{{it}}}"))),
    ];
    for pattern in patterns {
        let regex = match Regex::new(&pattern) {
            Ok(it) => it,
            Err(error) => {
                assert!(error.message.contains("too large") && error.message.contains("200000"), "{error}");
                continue;
            }
        };
        if let Err(error) = probity_regex::strings(&regex).check() {
            assert!(error.contains("too many"), "{error}");
        }
        let text = probity_core::sample(&probity_regex::matching(&pattern), 7);
        assert!(text.len() > 200 || regex.is_match(&text), "{pattern}: {text}");
        let cover = Cover::new(&regex, &Heuristics::default());
        assert!(cover.leaf(0).is_some() || regex.check_not_empty().is_err(), "{pattern}");
    }
}
