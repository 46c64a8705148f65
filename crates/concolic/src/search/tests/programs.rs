//! Small programs of which all paths are run.

use probity_core::Domain;

use super::mock::{Do, Mock, Num, c, eq, int, length, op, slot, ult};
use super::{Brute, claims_hold, explore, plan};
use crate::expr::Op;
use crate::path::PinTargets;
use crate::solve::Session;

fn draw_bool() -> Do {
    Do::Draw(Domain::Bool)
}

fn add(a: Num, b: Num) -> Num {
    op(Op::Add, a, b)
}

fn mul(a: Num, b: Num) -> Num {
    op(Op::Mul, a, b)
}

/// The programs, with how many paths each has and how many of them fail, counted by hand.
fn rows() -> Vec<(&'static str, Vec<Do>, u64, u64)> {
    let nothing = Vec::new;
    let any = |table: Vec<u8>| Do::Lookup(table, slot(0));
    vec![
        ("no choice", vec![Do::Assert(eq(c(1), c(1)))], 1, 0),
        ("always fails", vec![Do::Assert(eq(c(1), c(2)))], 1, 1),
        ("choice without use", vec![int(0, 9)], 1, 0),
        ("one value", vec![int(0, 9), Do::Assert(ult(slot(0), c(9)))], 2, 1),
        ("no value", vec![int(0, 9), Do::Assert(ult(slot(0), c(10)))], 1, 0),
        (
            "magic",
            vec![
                int(0, 255),
                Do::If(eq(mul(slot(0), c(31)), c(93)), vec![Do::Assert(eq(c(0), c(1)))], nothing()),
            ],
            2,
            1,
        ),
        (
            "two that are equal",
            vec![
                int(0, 15),
                int(0, 15),
                Do::If(eq(slot(0), slot(1)), vec![Do::Assert(ult(slot(0), c(14)))], nothing()),
            ],
            3,
            1,
        ),
        (
            "assumed away",
            vec![int(0, 9), Do::Assume(ult(slot(0), c(3))), Do::Assert(ult(slot(0), c(4)))],
            2,
            0,
        ),
        (
            "assumed, then fails",
            vec![int(0, 9), Do::Assume(ult(c(3), slot(0))), Do::Assert(ult(slot(0), c(9)))],
            3,
            1,
        ),
        ("negative", vec![int(-4, 3), Do::Assert(super::mock::Cond(Op::Slt, c(0xfc), slot(0)))], 2, 1),
        (
            "beyond its bounds",
            vec![int(-4, 3), Do::Assert(super::mock::Cond(Op::Slt, c(0xfb), slot(0)))],
            1,
            0,
        ),
        (
            "booleans",
            vec![
                draw_bool(),
                draw_bool(),
                draw_bool(),
                Do::If(
                    eq(slot(0), c(1)),
                    vec![Do::If(eq(slot(1), c(1)), vec![Do::Assert(eq(slot(2), c(0)))], nothing())],
                    nothing(),
                ),
            ],
            4,
            1,
        ),
        ("loop", vec![length(0, 5), Do::Repeat(slot(0), nothing())], 6, 0),
        ("loop from two on", vec![length(2, 5), Do::Repeat(slot(0), nothing())], 4, 0),
        (
            "a list with a seven",
            vec![length(0, 3), Do::Repeat(slot(0), vec![int(0, 7), Do::Assert(ult(slot(0), c(7)))])],
            // Four lengths, and the first seven in one of three places: how many items would follow is not asked.
            7,
            3,
        ),
        ("lookup", vec![int(0, 4), any(vec![5, 3, 8, 1, 9]), Do::Assert(ult(slot(0), c(9)))], 5, 1),
        (
            "lookup of a sum",
            vec![int(0, 3), int(0, 3), Do::Lookup(vec![1, 2, 3, 4, 5, 6, 7], add(slot(0), slot(1)))],
            7,
            0,
        ),
        (
            "pin twice",
            vec![int(0, 3), Do::Pin(slot(0), PinTargets::Any), Do::Pin(add(slot(0), c(1)), PinTargets::Any)],
            4,
            0,
        ),
        ("pumped, all of it", vec![int(0, 3), Do::Pin(slot(0), PinTargets::Smallest(4))], 4, 0),
        ("pumped from above, all of it", vec![int(0, 3), Do::Pin(slot(0), PinTargets::Greatest(9))], 4, 0),
        (
            "a choice behind a branch",
            vec![int(0, 3), Do::If(eq(slot(0), c(2)), vec![int(0, 3)], nothing())],
            2,
            0,
        ),
        ("vague", vec![int(0, 9), Do::Vague(ult(slot(0), c(4))), Do::Assert(ult(slot(0), c(9)))], 3, 1),
        (
            "checksum",
            vec![
                int(0, 31),
                int(0, 31),
                Do::Assert(eq(op(Op::Xor, mul(slot(0), c(5)), slot(1)), c(77))),
                int(0, 1),
            ],
            2,
            1,
        ),
        (
            "division",
            vec![int(1, 30), int(1, 30), Do::Assert(ult(op(Op::UDiv, slot(0), slot(1)), c(30)))],
            2,
            1,
        ),
    ]
}

#[test]
fn all_paths_of_small_programs_are_run() {
    for (name, program, paths, failing) in rows() {
        for seed in 0..3 {
            let mut mock = Mock::new(program.clone());
            let explored =
                claims_hold::<Session>(&mut mock, &plan(seed)).unwrap_or_else(|it| panic!("{name}: {it}"));
            assert!(explored.complete, "{name}: {explored:?}");
            assert_eq!((explored.paths, explored.failing), (paths, failing), "{name}: {explored:?}");
            // Each path once: nothing is solved for that was run before.
            assert_eq!(explored.runs, paths, "{name}: {explored:?}");
            let by_brute =
                claims_hold::<Brute>(&mut mock, &plan(seed)).unwrap_or_else(|it| panic!("{name}: {it}"));
            assert!(by_brute.complete, "{name}: {by_brute:?}");
            assert_eq!(by_brute.paths, explored.paths, "{name}");
        }
    }
}

/// The values that are run where the program pins what it drew.
fn pumped(domain: Domain, want: PinTargets) -> (Vec<i128>, super::Explored) {
    let mut mock = Mock::new(vec![Do::Draw(domain), Do::Pin(slot(0), want)]);
    let mut ran = Vec::new();
    let mut tell = |news| {
        if let super::SearchEvent::Begins(answers) = news
            && let Some(&probity_core::Value::Int(it)) = answers.first()
        {
            ran.push(it);
        }
        true
    };
    let explored = super::super::search(&mut mock, &plan(1), &mut tell);
    (ran, explored)
}

#[test]
fn pumped_values_come_in_their_order() {
    // The first run has the simplest answer, which counts.
    let rows = [
        (PinTargets::Smallest(4), vec![7, 8, 9]),
        (PinTargets::Greatest(4), vec![250, 249, 248]),
        (PinTargets::Ends(5), vec![250, 7, 249, 8]),
    ];
    for (want, values) in rows {
        let domain = Domain::Int { min: 7, max: 250, origin: 100 };
        let (ran, explored) = pumped(domain, want);
        assert_eq!(ran, values, "{want:?}");
        assert!(!explored.complete && explored.losses.len() == 1, "{explored:?}");
        assert_eq!(explored.complete_to, Some((0, 0)));
    }
    let (ran, explored) = pumped(Domain::int(0, 255), PinTargets::Any);
    assert_eq!(ran.len(), 249);
    assert!(!explored.complete, "{explored:?}");
}

#[test]
fn lists_are_complete_up_to_a_size() {
    let item = vec![int(0, 3), Do::Assert(ult(slot(0), c(3)))];
    let mut mock = Mock::new(vec![length(0, 40), Do::Repeat(slot(0), item)]);
    for seed in 0..5 {
        let mut plan = plan(seed);
        plan.choices_max = 4;
        let explored = claims_hold::<Session>(&mut mock, &plan).unwrap();
        // Up to three items, and the first that fails in one of three places.
        assert_eq!((explored.complete, explored.complete_to), (false, Some((4, 7))), "{explored:?}");
    }
}

#[test]
fn the_same_seed_gives_the_same_search() {
    for (name, program, ..) in rows() {
        let mut mock = Mock::new(program);
        let first = explore::<Session>(&mut mock, &plan(5));
        assert_eq!(first, explore::<Session>(&mut mock, &plan(5)), "{name}");
    }
}
