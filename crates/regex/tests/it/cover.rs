//! Covers: the sets that the paper describes, and laws that hold for every pattern.

use std::collections::BTreeSet;

use num_bigint::BigUint;
use probity_regex::Random;
use probity_regex::{Count, Cover, Heuristics, Regex};

fn cover(pattern: &str, switches: &[(&str, bool)]) -> Cover {
    let mut heuristics = Heuristics::default();
    for (name, on) in switches {
        assert!(heuristics.set(name, *on), "{name}");
    }
    Cover::new(&Regex::new(pattern).unwrap(), &heuristics)
}

fn labels(cover: &Cover) -> Vec<String> {
    (0..1_000).map_while(|at| cover.leaf(at)).map(|it| it.label).collect()
}

const FULL_NAME: &str = r"((Ms|Mr|Mrs|Dr)\s+)?[A-Z][a-z]+\s+([A-Z][a-z]+\s+)?[A-Z][a-z]+\s+(Jr|Sr)?";
const WHITE_BOX_TIME: &str = "(0|[1-2]|[3-9]|X)(0|[1-3]|[4-9]):(0|[1-5]|[6-9])(0|[1-9])";

type Switches = &'static [(&'static str, bool)];

/// Patterns, switches, and how many leaves there are.
const COUNTS: &[(&str, Switches, u64)] = &[
    (r"(([0-1]\d)|(2[0-3])):[0-5]\d", &[], 2),
    (r"(97(8|9))?\d{9}(\d|X)", &[], 6),
    ("[a-zA-Z0-9_]+", &[], 8),
    ("[a-zA-Z0-9_]+", &[("first-letter-classes", false)], 2),
    ("[a-zA-Z0-9_]+", &[("few-lengths", false)], 4),
    ("[a-zA-Z0-9_]+", &[("few-lengths", false), ("first-letter-classes", false)], 1),
    (WHITE_BOX_TIME, &[], 4 * 3 * 3 * 2),
    (FULL_NAME, &[], 5 * 2 * 3 * 2),
    (FULL_NAME, &[("few-lengths", false)], 5 * 2 * 3),
    (FULL_NAME, &[("branches", false)], 2),
    ("[a-z_]+(:[a-z_]+)*", &[], 2 + 4),
    ("[0-9a-f]{4}", &[], 1),
    ("[0-9a-f]{4}", &[("classes-as-unions", true)], 16),
    ("[0-9a-f]x", &[("classes-as-one", false)], 2),
    ("[0-9]{2,3}", &[], 2),
    ("[0-9]{2,3}", &[("plus-as-concatenation", true), ("classes-as-unions", true)], 100 + 1_000),
    ("a|b|c", &[], 3),
    ("a|b|c", &[("branches", false)], 1),
    ("abc", &[], 1),
    ("abc|x+", &[], 3),
    ("(a|b){3}", &[], 2),
    ("x?y?", &[], 4),
    ("x*", &[], 2),
    ("x*", &[("few-lengths", false)], 2),
    (r"^(?:\bfoo|bar)\b(baz)?$", &[], 2),
    (r"a[^\s\S]|b", &[], 1),
    (r"foo\B", &[], 0),
    ("(?i)ab", &[("classes-as-unions", true)], 4),
    ("", &[], 1),
];

#[test]
fn a_cover_has_as_many_leaves_as_expected() {
    for (pattern, switches, n) in COUNTS {
        let cover = cover(pattern, switches);
        assert_eq!(cover.count(), Count::of(*n), "{pattern} {switches:?}: {:?}", labels(&cover));
        assert!(cover.leaf(*n).is_none(), "{pattern}");
    }
}

#[test]
fn every_leaf_is_within_the_regex_and_its_texts_belong_to_it() {
    let mut random = Random::new(5);
    for (pattern, switches, n) in COUNTS {
        let cover = cover(pattern, switches);
        let regex = Regex::new(pattern).unwrap();
        for at in (0..*n).step_by(1 + *n as usize / 80) {
            let leaf = cover.leaf(at).unwrap();
            let again = Regex::new(leaf.regex.pattern()).unwrap();
            assert_eq!(again.language(), leaf.regex.language(), "{pattern}: {}", leaf.label);
            for _ in 0..3 {
                let text = leaf.sample(&mut random).unwrap();
                assert!(leaf.regex.is_match(&text), "{text:?} {leaf:?} of {pattern}");
                assert!(regex.is_match(&text), "{text:?} of {pattern}");
                assert!(cover.leaves_of(&text).contains(&at), "{text:?} {leaf:?} of {pattern}");
            }
        }
    }
}

/// Together the leaves of these heuristics have all texts.
#[test]
fn leaves_make_up_the_language() {
    for pattern in ["[a-zA-Z0-9_]+", WHITE_BOX_TIME, "[a-z_]+(:[a-z_]+)*", r"(97(8|9))?\d{9}(\d|X)"] {
        let cover = cover(pattern, &[("few-lengths", false)]);
        let leaves = (0..).map_while(|at| cover.leaf(at)).map(|it| (*it.regex.language().unwrap()).clone());
        let all = leaves.reduce(|a, b| a.or(&b).unwrap()).unwrap();
        assert_eq!(all, *Regex::new(pattern).unwrap().language().unwrap(), "{pattern}");
    }
}

#[test]
fn a_text_belongs_to_the_leaves_that_match_it() {
    for (pattern, switches, n) in COUNTS.iter().filter(|it| it.2 < 100) {
        let cover = cover(pattern, switches);
        let regexes: Vec<_> = (0..*n).map(|at| cover.leaf(at).unwrap().regex).collect();
        let mut random = Random::new(9);
        let Ok(misses) = Regex::new(pattern).unwrap().near_misses() else { continue };
        let texts = (0..10).map(|_| misses.sample(&mut random));
        let texts = texts.chain(["", "a", "ab", "aaa", "foo", "bar", "12", "123"].map(String::from));
        for text in texts {
            let by_match: Vec<u64> = (0..*n).filter(|&at| regexes[at as usize].is_match(&text)).collect();
            assert_eq!(cover.leaves_of(&text), by_match, "{text:?} in {pattern} {switches:?}");
        }
    }
}

#[test]
fn plus_as_concatenation_has_leaves_without_end() {
    let cover = cover("[_a-zA-Z][_a-zA-Z0-9]+", &[("plus-as-concatenation", true)]);
    assert_eq!(cover.count(), Count::Infinite);
    assert_eq!(cover.leaf(0).unwrap().label, "[_][_]");
    let mut random = Random::new(3);
    let mut seen = BTreeSet::new();
    let mut last = 0;
    for at in 0..20_000 {
        let leaf = cover.leaf(at).unwrap();
        let text = leaf.sample(&mut random).unwrap();
        assert!(last <= text.len(), "the shortest first");
        last = text.len();
        if at % 997 == 0 {
            assert!(leaf.regex.is_match(&text));
            assert_eq!(cover.leaves_of(&text), [at], "{text} {}", leaf.label);
        }
        seen.insert(leaf.label);
    }
    assert_eq!(seen.len(), 20_000);
}

/// Nested repetitions: places and readings are inverse.
#[test]
fn unrolled_leaves_are_numbered_without_gaps() {
    for pattern in ["(a|b*)*c?", "(?:[ab]+,)+x?", "a*b*", "(a{0,2}|b){1,3}"] {
        let cover = cover(pattern, &[("plus-as-concatenation", true)]);
        for at in (0..400).step_by(3) {
            let Some(leaf) = cover.leaf(at) else { break };
            let text = leaf.sample(&mut Random::new(at)).unwrap();
            let found = cover.leaves_of(&text);
            // A repetition may read nothing, and then there is no end of leaves for a text.
            let reads_nothing = pattern.starts_with("(a|b*)*");
            assert!(found.contains(&at) || reads_nothing, "{pattern}: {at} {} {text} {found:?}", leaf.label);
        }
    }
}

#[test]
fn counts_are_exact_beyond_128_bits() {
    let it = cover("[0-9]{60}", &[("plus-as-concatenation", true), ("classes-as-unions", true)]);
    assert_eq!(it.count(), Count::Finite(BigUint::from(10u8).pow(60)));
    assert_eq!(it.leaf(1_234).unwrap().label, format!("{:060}", 1_234));
}

#[test]
fn a_cover_shows_its_heuristics() {
    assert_eq!(cover("a+", &[]).to_string(), r##"#rx"a+""##);
    let other = cover("a+", &[("branches", false), ("few-lengths", false)]);
    assert_eq!(other.to_string(), r##"#rx"a+" (by classes-as-one first-letter-classes)"##);
    assert_ne!(other, cover("a+", &[]));
}
