//! Laws of patterns and languages, on random patterns of our own engine: the `regex` crate says what matches, brute
//! force over all short texts says the rest.

use std::collections::BTreeSet;

use num_bigint::BigUint;
use probity_core::{Budget, Source, Verdict, search_random, shrink};
use probity_regex::Random;
use probity_regex::{Count, Language, Regex};

/// Runs a test on this many random cases; shows the simplest that fails.
fn for_all(cases: u64, mut test: impl FnMut(&mut Source)) {
    let budget = Budget { cases, rejects: 10, go_on: &mut |_| true, progress: Default::default() };
    let finding = search_random(17, &mut test, budget).unwrap();
    if let Some(found) = finding.failures.into_iter().next() {
        let shrunk = shrink(found.case, &mut test, 2_000, &mut |_| true).unwrap();
        let Verdict::Fail(failure) = shrunk.case.verdict else { unreachable!() };
        panic!("{failure:#?}");
    }
}

const ATOMS: &[&str] =
    &["a", "b", "-", "[ab]", ".", r"\n", "é", "[^a]", r"\w", r"\W", "[a-é]", "(?i)a", r"\d?", "(?s:.)"];
const LOOKS: &[&str] = &[
    "^",
    "$",
    r"\b",
    r"\B",
    r"\A",
    r"\z",
    "(?m:^)",
    "(?m:$)",
    "(?mR:^)",
    "(?mR:$)",
    r"\b{start}",
    r"\b{end}",
    r"\b{start-half}",
    r"\b{end-half}",
    r"(?-u:\b)",
    r"(?-u:\B)",
    r"(?-u:\b{start})",
    r"(?-u:\b{end-half})",
];
const TIMES: &[&str] = &["?", "*", "+", "{2}", "{1,2}", "{0,3}", "{2,}"];

fn pattern(src: &mut Source, looks: bool) -> String {
    if src.size() < 20 {
        return ATOMS[src.pick(ATOMS.len())].to_string();
    }
    src.nest("pattern", |src| match src.pick_weighted(&[3, 2 * u32::from(looks), 4, 2, 3]) {
        0 => ATOMS[src.pick(ATOMS.len())].to_string(),
        1 => LOOKS[src.pick(LOOKS.len())].to_string(),
        2 => format!("{}{}", pattern(src, looks), pattern(src, looks)),
        3 => format!("(?:{}|{})", pattern(src, looks), pattern(src, looks)),
        _ => format!("(?:{}){}", pattern(src, looks), TIMES[src.pick(TIMES.len())]),
    })
}

/// All texts of at most `len` of these characters, the shortest first, then by code points.
fn texts(chars: &[char], len: usize) -> Vec<String> {
    let mut res = vec![String::new()];
    let mut from = 0;
    for _ in 0..len {
        let to = res.len();
        for at in from..to {
            res.extend(chars.iter().map(|c| format!("{}{c}", res[at])).collect::<Vec<_>>());
        }
        from = to;
    }
    res
}

fn language(pattern: &str) -> Language {
    (*Regex::new(pattern).unwrap().language().unwrap()).clone()
}

#[test]
fn matching_is_as_the_regex_crate_says() {
    let texts = texts(&['\n', '\r', '-', 'a', 'é'], 3);
    for_all(250, |src| {
        let pattern = pattern(src, true);
        let theirs = regex::Regex::new(&format!(r"\A(?:{pattern})\z")).unwrap();
        let ours = Regex::new(&pattern).unwrap();
        let dfa = Regex::new(&pattern).unwrap().language().unwrap();
        let mut some = false;
        for text in &texts {
            let expected = theirs.is_match(text);
            assert_eq!(ours.is_match(text), expected, "{text:?} of `{pattern}`, step by step");
            assert_eq!(dfa.contains(text), expected, "{text:?} of `{pattern}`, by the automaton");
            some |= expected;
        }
        assert!(!some || ours.check_not_empty().is_ok(), "`{pattern}`");
        let mut random = Random::new(3);
        let Ok(sampler) = ours.sampler() else { return assert!(dfa.is_empty(), "`{pattern}`") };
        for _ in 0..5 {
            let text = sampler.sample(&mut random);
            assert!(theirs.is_match(&text), "{text:?} sampled of `{pattern}`");
        }
        let Ok(misses) = ours.near_misses() else { return assert!(dfa.not().is_empty(), "`{pattern}`") };
        for _ in 0..5 {
            let text = misses.sample(&mut random);
            assert!(!theirs.is_match(&text), "{text:?} missed of `{pattern}`");
        }
    });
}

/// Each assertion at the edges, in the middle and within a repetition, between characters of all kinds.
#[test]
fn assertions_hold_where_the_regex_crate_says() {
    const FRAMES: [&str; 4] =
        ["(?s:.)?L(?s:.)?", "(?:La|-|\r|\n|é)*", "(?:aL|-L|\r|\n|é)*", "(?:L|a)+(?s:.)L?"];
    let texts = texts(&['\n', '\r', '-', 'a', 'é'], 3);
    for (look, frame) in LOOKS.iter().flat_map(|look| FRAMES.map(|frame| (look, frame))) {
        let pattern = frame.replace('L', look);
        let theirs = regex::Regex::new(&format!(r"\A(?:{pattern})\z")).unwrap();
        let ours = Regex::new(&pattern).unwrap();
        let wrong: Vec<&String> =
            texts.iter().filter(|it| ours.is_match(it) != theirs.is_match(it)).collect();
        assert!(wrong.is_empty(), "`{pattern}`: {wrong:?}");
    }
}

#[test]
fn combined_patterns_mean_what_their_parts_mean() {
    for_all(40, |src| {
        let (a, b) = (Regex::new(&pattern(src, false)).unwrap(), Regex::new(&pattern(src, false)).unwrap());
        let (x, y) = (a.language().unwrap(), b.language().unwrap());
        let same = |it: &Regex, expected: &Language| {
            assert_eq!(*it.language().unwrap(), *expected, "{it}");
            assert_eq!(language(it.pattern()), *expected, "{it} read again");
        };
        same(&Regex::union(&[a.clone(), b.clone()]), &x.or(&y).unwrap());
        same(&Regex::concat(&[a.clone(), b.clone()]), &x.concat(&y).unwrap());
        let empty = Language::literal("").unwrap();
        same(&a.optional(), &x.or(&empty).unwrap());
        same(&a.repeat(2, Some(2)), &x.concat(&x).unwrap());
        same(&a.plus(), &x.concat(&a.star().language().unwrap()).unwrap());
    });
}

#[test]
fn sets_of_texts_are_as_brute_force_says() {
    let all = texts(&['\n', '-', 'a', 'b'], 4);
    for_all(100, |src| {
        let (p, q) = (pattern(src, true), pattern(src, true));
        let (a, b) = (language(&p), language(&q));
        let (and, or, not) = (a.and(&b).unwrap(), a.or(&b).unwrap(), a.not());
        let concat = a.concat(&b).unwrap();
        for text in &all {
            let (x, y) = (a.contains(text), b.contains(text));
            assert_eq!((and.contains(text), or.contains(text), not.contains(text)), (x && y, x || y, !x));
            let cuts = (0..=text.len()).filter(|&at| text.is_char_boundary(at));
            let split = cuts.into_iter().any(|at| a.contains(&text[..at]) && b.contains(&text[at..]));
            assert_eq!(concat.contains(text), split, "{text:?} of `{p}` then `{q}`");
        }
        assert_eq!(not.not(), a);
        assert_eq!(a.and(&not).unwrap(), Language::none());
        assert_eq!(a.or(&not).unwrap(), Language::any());
    });
}

#[test]
fn texts_are_counted_and_found_in_order() {
    let all = texts(&['-', 'a', 'b', 'é'], 4);
    let small = language("[-abé]{0,4}");
    for_all(80, |src| {
        let pattern = pattern(src, true);
        let language = language(&pattern).and(&small).unwrap();
        let members: Vec<&String> = all.iter().filter(|it| language.contains(it)).collect();
        assert_eq!(language.count(), Count::of(members.len() as u64), "`{pattern}`");
        let place = |it: usize| BigUint::from(it);
        for (at, text) in members.iter().enumerate() {
            assert_eq!(language.nth(&place(at)).as_ref(), Some(*text), "`{pattern}`");
        }
        assert_eq!(language.nth(&place(members.len())), None);
        let mut random = Random::new(1);
        for len in 0..6 {
            let those: Vec<&&String> = members.iter().filter(|it| it.chars().count() == len).collect();
            assert_eq!(language.count_of_length(len), place(those.len()), "`{pattern}`");
            assert_eq!(language.lengths().contains(len), !those.is_empty(), "`{pattern}`");
            for (at, text) in those.iter().enumerate() {
                assert_eq!(language.nth_of_length(len, &place(at)).as_ref(), Some(**text), "`{pattern}`");
            }
            match language.sample(&mut random, len) {
                Some(text) => assert!(those.contains(&&&text), "{text:?} of `{pattern}`"),
                None => assert!(those.is_empty(), "`{pattern}`"),
            }
        }
        let lengths: BTreeSet<usize> = members.iter().map(|it| it.chars().count()).collect();
        assert!(language.lengths().iter().eq(lengths.iter().copied()), "`{pattern}`");
        assert_eq!(language.lengths().max(), lengths.last().copied());
    });
}

/// Every text of one length comes about as often as any other, whether there are few or very many.
#[test]
fn samples_of_one_length_are_even() {
    for (pattern, len) in [("(a|b|ab)*", 6), ("[a-c]{3}|a[d-z]b", 3), (r"\b\w[a-c]?-?\b|..", 2)] {
        let language = language(pattern).and(&language("[a-z-]*")).unwrap();
        let n = usize::try_from(language.count_of_length(len)).unwrap();
        let mut random = Random::new(2);
        let mut seen = std::collections::BTreeMap::new();
        for _ in 0..n * 200 {
            *seen.entry(language.sample(&mut random, len).unwrap()).or_insert(0) += 1;
        }
        assert_eq!(seen.len(), n, "{pattern}");
        let spread: f64 = seen.values().map(|&it| f64::from(it - 200).powi(2) / 200.0).sum();
        // Chi squared: n on average, with a deviation of the root of twice that.
        assert!(spread < n as f64 + 5.0 * (2.0 * n as f64).sqrt(), "{pattern}: {spread} of {n}");
    }
}

#[test]
fn long_texts_are_drawn_too() {
    let mut random = Random::new(4);
    for (pattern, len) in
        [("[a-z]*", 100_001), ("(ab|c)*d", 20_001), (r"(\w+,)*\w+", 50_000), ("(abc)*", 30_000)]
    {
        let language = language(pattern);
        let text = language.sample(&mut random, len).unwrap();
        assert_eq!(text.chars().count(), len);
        assert!(language.contains(&text), "{pattern}");
    }
    assert_eq!(language("(abc)*").sample(&mut random, 10_000), None);
    assert_eq!(language("(abc)*").lengths().next_at_least(10_000), Some(10_002));
    let endless = language("a*");
    assert_eq!(endless.count(), Count::Infinite);
    assert_eq!(endless.nth(&3_000u32.into()).unwrap().len(), 3_000);
    assert_eq!(language("[a-z]{3}").count_of_length(3), 17_576u32.into());
    assert_eq!(language(".").count(), Count::of(0x11_0000 - 0x800 - 1));
}

#[test]
fn parts_and_lengths_are_languages() {
    for text in texts(&['a', 'b'], 4) {
        let has = |it: Result<Language, String>| it.unwrap().contains(&text);
        assert_eq!(has(Language::starting_with("ab")), text.starts_with("ab"));
        assert_eq!(has(Language::ending_with("ab")), text.ends_with("ab"));
        assert_eq!(has(Language::containing("aa")), text.contains("aa"));
        assert_eq!(has(Language::literal("ab")), text == "ab");
        assert_eq!(has(Language::of_length(2, Some(3))), (2..=3).contains(&text.len()));
        assert_eq!(has(Language::of_length(2, None)), text.len() >= 2);
        assert!(!has(Language::of_length(3, Some(2))));
    }
    let nice = language(".{3}|é").restrict_to_nice();
    assert!(nice.contains("a b") && !nice.contains("é") && nice.count() == Count::of(95 * 95 * 95));
    assert_eq!(language("é").restrict_to_nice(), language("é"));
}

/// What has too many states is refused in words, and still matched and sampled.
#[test]
fn automata_that_are_too_large_are_refused() {
    for pattern in [".*a.{24}", r"\b.*a.{24}\b", r"([a-z]{1,60}-){40}\b.*"] {
        let regex = Regex::new(pattern).unwrap();
        let theirs = regex::Regex::new(&format!(r"\A(?:{pattern})\z")).unwrap();
        let sampler = regex.sampler().unwrap();
        let mut random = Random::new(6);
        for _ in 0..5 {
            let text = sampler.sample(&mut random);
            assert!(regex.is_match(&text) && theirs.is_match(&text), "{text:?} of `{pattern}`");
        }
        if let Err(why) = regex.language() {
            assert!(why.contains("make its counted repetitions smaller") && why.contains(pattern), "{why}");
        }
    }
    assert!(Regex::new(".*a.{24}").unwrap().language().is_err());
}
