//! Automata as regular-expression terms: what becomes of patterns whose assertions stand under a repetition.

use super::pattern::{PatternWriter, joined, repeated, union};
use super::text;
use probity_spec::regex::Language;
use probity_spec::regex::chars::CharSet;

/// The most states of an automaton that is written as a term; each one that is taken out can double what is left.
const STATES_MAX: usize = 24;

/// The texts of a language, by taking out one state after the other: what led to it and from it is then one step.
pub(super) fn term(language: &Language, writer: &mut PatternWriter) -> Result<String, String> {
    let states = language.states();
    if states > STATES_MAX {
        return Err("so many anchors and word boundaries under a repetition".to_string());
    }
    // Behind the states stand a place to begin and a place to end.
    let (begin, end) = (states, states + 1);
    let mut steps: Vec<Vec<Vec<String>>> = vec![vec![Vec::new(); states + 2]; states + 2];
    steps[begin][language.start() as usize].push(text::RE_EMPTY.to_string());
    for (from, row) in steps.iter_mut().enumerate().take(states) {
        if language.accepts(from as u32) {
            row[end].push(text::RE_EMPTY.to_string());
        }
        let mut by_target: Vec<Vec<(char, char)>> = vec![Vec::new(); states];
        for (low, high, to) in language.steps(from as u32) {
            by_target[to as usize].push((low, high));
        }
        for (to, ranges) in by_target.iter().enumerate().filter(|it| !it.1.is_empty()) {
            let term = writer.class(&CharSet::of_chars(ranges.iter().copied()));
            if term != text::RE_NONE {
                row[to].push(writer.name(term));
            }
        }
    }
    let mut left: Vec<usize> = (0..states).collect();
    while !left.is_empty() {
        let ways = |at: &usize| {
            let into = steps.iter().filter(|it| it.get(*at).is_some_and(|it| !it.is_empty())).count();
            into * steps[*at].iter().filter(|it| !it.is_empty()).count()
        };
        let place = (0..left.len()).min_by_key(|it| ways(&left[*it])).unwrap_or(0);
        take_out(left.swap_remove(place), &mut steps, writer)?;
    }
    Ok(union(std::mem::take(&mut steps[begin][end])))
}

/// Joins every step to a state with every step from it, with any number of those from it to itself in between.
fn take_out(state: usize, steps: &mut [Vec<Vec<String>>], writer: &mut PatternWriter) -> Result<(), String> {
    let around = std::mem::take(&mut steps[state][state]);
    let around = if around.is_empty() { None } else { Some(repeated(&writer.name(union(around)), 0, None)) };
    let from = std::mem::take(&mut steps[state]);
    for row in steps.iter_mut().filter(|it| !it.is_empty()) {
        let into = std::mem::take(&mut row[state]);
        if into.is_empty() {
            continue;
        }
        let mut into = writer.name(union(into));
        if let Some(around) = &around {
            into = joined(&into, around);
        }
        for (after, out) in from.iter().enumerate().filter(|it| !it.1.is_empty()) {
            let out = writer.name(union(out.clone()));
            let both = if out == text::RE_EMPTY { into.clone() } else { joined(&into, &out) };
            row[after].push(writer.name(both));
        }
    }
    writer.check_size()
}
