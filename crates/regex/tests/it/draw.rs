//! Texts drawn from a source: every engine draws them, and what fails is shrunk to the simplest.

use std::collections::BTreeSet;

use probity_core::{
    Annealing, Bounds, Budget, Combine, Source, Space, Tally, fail_with_error, run_case, search_adaptive,
    search_exhaustive, search_random, shrink,
};
use probity_regex::{Count, Regex, Strings, strings};

fn generator(pattern: &str) -> (Regex, Strings) {
    let regex = Regex::new(pattern).unwrap();
    let strings = strings(&regex);
    (regex, strings)
}

fn budget(cases: u64) -> Budget<'static> {
    let go_on: &'static mut dyn FnMut(u64) -> bool = Box::leak(Box::new(|_| true));
    Budget { cases, rejects: 10, go_on, progress: Default::default() }
}

/// Patterns with finitely many texts, some of them with assertions that only the automaton can settle.
const FINITE: &[&str] = &[
    "(a|b|ab)(c|bcd)?",
    "[a-c]{0,3}",
    "x[0-9]|y",
    r"(\bfoo|-bar|b)\b(-?baz)?",
    r"[a-]\b[a-]\B[a-]",
    "(?i)ok",
    "a{2}",
    "",
    "(?m)(a|\n)$(\n|b)?",
];

#[test]
fn the_exhaustive_engine_draws_the_whole_language() {
    for pattern in FINITE {
        let (regex, strings) = generator(pattern);
        let mut seen = BTreeSet::new();
        let mut test = |src: &mut Source| {
            let text = src.draw(strings.by_ref());
            assert!(regex.is_match(&text), "{text:?} of {pattern}");
            seen.insert(text);
        };
        let finding = search_exhaustive(Bounds::default(), &mut test, budget(100_000)).unwrap();
        assert!(finding.failures.is_empty(), "{pattern}: {:?}", finding.failures);
        assert_eq!(finding.tally.rejected(), 0, "{pattern}");
        let language = regex.language().unwrap();
        assert_eq!(language.count(), Count::of(seen.len() as u64), "{pattern}: {seen:?}");
    }
}

#[test]
fn every_drawn_text_matches() {
    for pattern in include_str!("../patterns/by-hand.txt").lines().filter(|it| !it.starts_with("#! ")) {
        let Ok(regex) = Regex::new(pattern) else { continue };
        let strings = strings(&regex);
        if strings.check().is_err() {
            continue;
        }
        let mut test = |src: &mut Source| {
            let text = src.draw(strings.by_ref());
            assert!(regex.is_match(&text), "{text:?} of {pattern}");
        };
        let finding = search_random(3, &mut test, budget(5)).unwrap();
        assert!(finding.failures.is_empty(), "{pattern}: {:?}", finding.failures);
        assert_eq!(finding.tally.rejected(), 0, "{pattern}");
    }
}

#[test]
fn what_fails_is_shrunk_to_the_simplest() {
    let has = |c: char| move |text: &str| text.contains(c);
    type Row = (&'static str, Box<dyn Fn(&str) -> bool>, &'static str);
    let rows: [Row; 8] = [
        ("[a-z]{2,9}[0-9]*", Box::new(has('7')), "aa7"),
        ("(abc|de|f)+", Box::new(|it| it.len() >= 2), "de"),
        (r"(1[0-2]|[1-9]):[0-5]\d ?(AM|PM)", Box::new(has('P')), "1:00PM"),
        (r"\w+@\w+\.[a-z]{2,3}", Box::new(|_| true), "a@a.aa"),
        (r"[a-z]+\b.*", Box::new(has(' ')), "a "),
        ("[a-z_]+(:[a-z_]+)*", Box::new(has('_')), "_"),
        (".*", Box::new(|it| !it.is_ascii()), "é"),
        (r"(\d+,)*\d+", Box::new(|it| it.matches(',').count() >= 2), "0,0,0"),
    ];
    for (pattern, fails, simplest) in rows {
        let (_, strings) = generator(pattern);
        let mut drawn = String::new();
        let mut test = |src: &mut Source| {
            drawn = src.draw(strings.by_ref());
            if fails(&drawn) {
                fail_with_error(&"fails");
            }
        };
        let found = search_random(5, &mut test, budget(20_000)).unwrap().failures;
        let case = found.into_iter().next().unwrap_or_else(|| panic!("{pattern}")).case;
        let shrunk = shrink(case, &mut test, 20_000, &mut |_| true).unwrap();
        let answers = shrunk.case.trace.values();
        let replay = probity_core::Replay::new(answers, probity_core::Tail::Overrun);
        run_case(&mut Source::new(Box::new(replay)), &mut test).unwrap();
        let is_same = if simplest == "é" { drawn.chars().count() == 1 } else { drawn == simplest };
        assert!(is_same, "{pattern}: {drawn:?}, not {simplest:?}");
    }
}

#[test]
fn the_targeted_engine_makes_scores_rise() {
    let (_, strings) = generator("[a-z]{12}");
    let mut best = 0;
    let mut test = |src: &mut Source| {
        let score = src.draw(strings.by_ref()).matches('q').count();
        best = best.max(score);
        probity_core::context::maximize("q", score as f64);
    };
    search_adaptive(Tally::default(), 1, Annealing::default(), &mut test, budget(5_000)).unwrap();
    assert!(best >= 9, "{best}");
}

/// Texts that are counted without being drawn are those that are drawn.
#[test]
fn the_space_is_that_of_the_choices() {
    for (pattern, n) in [("[a-c]{0,3}", 1 + 3 + 9 + 27), ("(a|b)x?", 4), (r"[\da-c_]", 10 + 3 + 1), ("ab", 1)]
    {
        let pattern = pattern.replace(r"\d", "0-9");
        let (_, strings) = generator(&pattern);
        assert_eq!(Space::of(&strings).unwrap().total(), Some(n), "{pattern}");
    }
    let (_, walk) = generator(r"\w+\b.*");
    assert!(Space::of(&walk).is_err());
}

#[test]
fn no_text_is_a_misuse_in_words() {
    let (_, strings) = generator(r"foo\B");
    let mut source = Source::new(Box::new(probity_core::Random::new(1)));
    let err = run_case(&mut source, &mut |src: &mut Source| _ = src.draw(strings.by_ref())).unwrap_err();
    assert_eq!(err.message, strings.check().unwrap_err());
    assert!(err.message.starts_with(r"no text matches `foo\B` as a whole"), "{}", err.message);
}
