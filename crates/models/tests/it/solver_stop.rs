//! A query ends soon after the caller says so, whatever it is busy with.

use std::cell::Cell;

use probity_models::solve::builtin::{self, Builtin, ModelSampler};
use probity_models::solve::{Answer, Effort, Solver};
use probity_spec::flat::{Expr, Slot, SlotKind, add, eq, le, matches, mul, not, text_lt};
use probity_spec::regex::Regex;

/// How often somebody may still ask whether to stop after the first yes: a few loops are around each other.
const ASKED_AFTER: u64 = 20;

fn slots(count: u32, kind: &SlotKind) -> Vec<Slot> {
    (0..count).map(|it| Slot { name: format!("x{it}"), kind: kind.clone() }).collect()
}

/// Queries that take minutes.
fn hard() -> Vec<(&'static str, Vec<Slot>, Vec<Expr>)> {
    let x = Expr::slot;
    let int = |lo, hi| SlotKind::Int { lo, hi };
    let cube = |it: u32| mul(x(it), mul(x(it), x(it)));
    let wide = int(i64::MIN.into(), i64::MAX.into());
    let matching = |it: u32, pattern: &str| matches(x(it), Regex::new(pattern).unwrap().into());
    let prime = Expr::int(1_000_000_007 * 998_244_353);
    let pigeons = |it: u32| (0..it).map(move |other| not(eq(x(it), x(other))));
    vec![
        (
            "cubes",
            slots(3, &int(-100_000, 100_000)),
            vec![eq(add([cube(0), cube(1), cube(2)]), Expr::int(33))],
        ),
        ("factors", slots(2, &int(2, 1 << 40)), vec![eq(mul(x(0), x(1)), prime)]),
        (
            "wide products",
            slots(4, &wide),
            vec![eq(mul(x(0), mul(x(1), x(2))), add([mul(x(3), mul(x(3), x(3))), Expr::int(7)]))],
        ),
        ("pigeons", slots(12, &int(0, 10)), (0..12).flat_map(pigeons).collect()),
        (
            "many products",
            slots(120, &int(-1_000_000_000, 1_000_000_000)),
            (0..118)
                .map(|it| eq(mul(x(it), x(it + 1)), add([mul(x(it + 2), x(it + 2)), Expr::int(1)])))
                .collect(),
        ),
        (
            "patterns",
            slots(1, &SlotKind::Text),
            (3..40).map(|it| not(matching(0, &format!(".*a.{{{it}}}b.*")))).collect(),
        ),
        (
            "ordered patterns",
            slots(40, &SlotKind::Text),
            (0..39)
                .flat_map(|it| {
                    let pattern = format!("([a-z]{{{}}})*[xyz]", it % 7 + 2);
                    [text_lt(x(it), x(it + 1)), matching(it, &pattern), not(eq(x(it), x(39 - it)))]
                })
                .collect(),
        ),
    ]
}

/// Runs something that is told to stop the first time it asks, then later: by how often it asked, not by the clock.
fn ends(what: &str, mut run: impl FnMut(&dyn Fn() -> bool)) {
    for first in [0, 5] {
        let asked = Cell::new(0_u64);
        run(&|| (asked.set(asked.get() + 1), asked.get() > first).1);
        let late = asked.get().saturating_sub(first);
        assert!(late <= ASKED_AFTER, "{what} asked {late} times more after it was stopped at {first}");
    }
}

#[test]
fn queries_end_when_they_are_to() {
    for (name, slots, requires) in hard() {
        for sat_only in [false, true] {
            let solver = Builtin::new(&slots);
            let mut solver = if sat_only { solver.with_sat_only() } else { solver };
            requires.iter().for_each(|it| solver.require(it));
            ends(name, |stop| {
                let answer = solver.solve(&Effort { stop, millis: 60_000, seed: 3 });
                assert!(!matches!(answer, Answer::Unsat) || name == "pigeons", "{name}: {answer:?}");
            });
        }
        ends(name, |stop| {
            let sampler = ModelSampler::until(&slots, &requires, 1, stop);
            sampler.map(|mut it| it.sample(&Effort { stop, millis: 60_000, seed: 0 }));
        });
        ends(name, |stop| _ = builtin::all(&slots, &requires, 1_000_000, stop));
    }
}

#[test]
fn what_was_stopped_can_go_on() {
    let slots = slots(30, &SlotKind::Int { lo: 0, hi: 1_000 });
    let mut solver = Builtin::new(&slots);
    (0..29).for_each(|it| solver.require(&le(add([Expr::slot(it), Expr::int(1)]), Expr::slot(it + 1))));
    for polls in 0..200 {
        let asked = Cell::new(0);
        let stop = || asked.replace(asked.get() + 1) >= polls;
        match solver.solve(&Effort { stop: &stop, millis: 60_000, seed: 3 }) {
            Answer::Sat(model) => return assert!(model.windows(2).all(|it| it[0] < it[1])),
            answer => assert!(matches!(answer, Answer::Unknown(_)), "{answer:?}"),
        }
    }
    panic!("it is never done");
}
