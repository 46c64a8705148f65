//! A collection of patterns as people write them, each held against the `regex` crate.

use probity_spec::Random;
use probity_spec::regex::Regex;

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
    check(patterns(include_str!("patterns/by-hand.txt")), 550);
}

/// In debug only some of them: the `regex` crate takes 8 ms for each. `cargo xtask quality patterns` tries all.
#[test]
fn patterns_combined() {
    let step = if cfg!(debug_assertions) { 4 } else { 1 };
    check(patterns(include_str!("patterns/combined.txt")).step_by(step), 630 / step);
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
    for line in patterns(include_str!("patterns/refused.txt")) {
        let [pattern, column, message] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let err = Regex::new(pattern).unwrap_err();
        assert_eq!((err.column.to_string().as_str(), err.message.as_str()), (column, message), "{pattern}");
        assert!(whole(pattern).is_none() || pattern.contains("{1000}"), "the `regex` crate knows {pattern}");
    }
}

/// No input may bring it down: patterns cut off and spoilt at every place.
#[test]
fn broken_patterns_are_refused_in_words() {
    let all = patterns(include_str!("patterns/by-hand.txt"));
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
