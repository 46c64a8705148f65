//! What has to hold of the subjects before any engine sees them.

use std::sync::Once;

use probity::engine::{
    Bounds, Budget, Ended, Exhaustive, Replay, Tail, Value, Verdict, run_case, search_random,
};
use probity::{Source, context};
use probity_suite::{Group, Known, Row, rows};

use crate::differential::{self, BYTES_MAX};
use crate::hostile::HOSTILE;

/// This many random cases must not find what the engine has to solve.
const CASES: u64 = 10_000;

/// Checks one subject, or all; whether all is well.
pub fn check(name: Option<&str>) -> Result<bool, String> {
    silence();
    let mut good = true;
    let mut n = 0;
    let mut say = |subject: &str, what: Option<String>| {
        n += 1;
        if let Some(what) = what {
            good = false;
            println!("subject={subject} wrong={what}");
        }
    };
    let wanted = |it: &str| name.is_none_or(|name| name == it);
    for it in puzzles().filter(|it| wanted(it.name)) {
        say(it.name, puzzle(it));
    }
    for it in rows().filter(|it| it.group == Group::Claim && wanted(it.name)) {
        say(it.name, claim(it));
    }
    for (name, target) in differential::targets().into_iter().filter(|it| wanted(it.0)) {
        let differs = inputs(7, 200).into_iter().find(|it| target(it) != target(it));
        say(name, differs.map(|it| format!("two runs with {it:?} differ")));
    }
    for it in HOSTILE.iter().filter(|it| wanted(it.name)) {
        let failed = random(it.test, 50);
        say(it.name, failed.map(|it| format!("random answers fail: {it:?}")));
    }
    println!("subjects={n} good={good}");
    if n == 0 { Err("there is no such subject; see `subjects list`".to_string()) } else { Ok(good) }
}

/// What the engine has to solve from nothing.
pub fn puzzles() -> impl Iterator<Item = &'static Row> {
    rows().filter(|it| matches!(it.group, Group::Puzzle | Group::Plain))
}

/// What is wrong with a puzzle.
fn puzzle(it: &Row) -> Option<String> {
    if !matches!(it.known, Known::Fails { input, .. } if fails(it.test, &input())) {
        return Some("the known input does not fail".to_string());
    }
    random(it.test, CASES).map(|it| format!("random answers find {it:?}"))
}

/// What is wrong with a test of few inputs.
fn claim(it: &Row) -> Option<String> {
    match (brute_force(it.test), it.known) {
        (Err(what), _) => Some(what),
        (Ok((_, 0)), Known::Fails { .. }) => Some("no input fails".to_string()),
        (Ok((_, 1..)), Known::Passes { .. } | Known::Rejects) => Some("an input fails".to_string()),
        _ => None,
    }
}

/// A failing input that random answers find in this many cases.
fn random(mut test: fn(&mut Source), cases: u64) -> Option<Vec<Value>> {
    let budget = Budget { cases, rejects: 10, go_on: &mut |_| true, progress: Default::default() };
    let finding = search_random(1, &mut test, budget).ok()?;
    finding.failures.first().map(|it| it.case.trace.values())
}

/// Whether an ordinary run of these answers fails.
pub fn fails(mut test: impl FnMut(&mut Source), answers: &[Value]) -> bool {
    let mut source = Source::new(Box::new(Replay::new(answers.to_vec(), Tail::Simplest)));
    run_case(&mut source, &mut test).is_ok_and(|it| matches!(it.verdict, Verdict::Fail(_)))
}

/// At most this many inputs are visited by brute force.
const INPUTS_MAX: u64 = 100_000;

/// How many inputs there are, and how many of them fail.
pub fn brute_force(mut test: fn(&mut Source)) -> Result<(u64, u64), String> {
    let mut source = Source::new(Box::new(Exhaustive::new(Bounds::default())));
    let (mut all, mut failing) = (0, 0);
    loop {
        match source.begin() {
            Ok(()) => {}
            Err(Ended::Complete) => return Ok((all, failing)),
            Err(other) => return Err(format!("it ended with {other:?}")),
        }
        let case = run_case(&mut source, &mut test).map_err(|it| it.message)?;
        source.end(&case);
        all += 1;
        failing += u64::from(matches!(case.verdict, Verdict::Fail(_)));
        if all > INPUTS_MAX {
            return Err(format!("there are more than {INPUTS_MAX} inputs"));
        }
    }
}

/// Random bytes of many kinds and lengths.
pub fn inputs(seed: u64, n: u64) -> Vec<Vec<u8>> {
    let mut rng = probity::engine::Rng::new(seed);
    let mut res = Vec::new();
    for i in 0..n {
        // The shorter of two: many bytes take long, and rarely show more.
        let len = rng.below(BYTES_MAX as u64 + 1).min(rng.below(BYTES_MAX as u64 + 1));
        let kind = i % 4;
        let byte = |_| {
            let byte = rng.below(256) as u8;
            match kind {
                0 => byte,
                1 => byte % 8,
                2 => byte % 95 + 32,
                _ => [0, 1, 127, 128, 255, b'0', b'a', byte][usize::from(byte) % 8],
            }
        };
        res.push((0..len).map(byte).collect());
    }
    res
}

/// Silences panics of cases.
pub fn silence() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        std::panic::set_hook(Box::new(|info| {
            if let (true, Some(place)) = (context::in_case(), info.location()) {
                context::panicked_at(place.to_string());
            }
        }));
    });
}
