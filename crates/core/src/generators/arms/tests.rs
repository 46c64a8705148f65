//! Steps and branches: their spans, how they are left, what is visited, what they shrink to.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::{
    Bounds, Budget, Domain, Ended, Exhaustive, Random, Replay, Source, Span, SpanKind, Tail, Trace, Value,
    any, run_case, search_exhaustive, shrink,
};

fn replayed(values: &[Value], mut test: impl FnMut(&mut Source)) -> Trace {
    let replay = Replay::new(values.to_vec(), Tail::Simplest);
    run_case(&mut Source::new(Box::new(replay)), &mut test).unwrap().trace
}

/// The spans of a trace, one a line: how deep, what, from where to where.
fn outline(trace: &Trace) -> Vec<String> {
    let line = |it: &Span| format!("{}{} {:?}", "  ".repeat(it.depth as usize), it.label, it.range());
    trace.spans.iter().map(line).collect()
}

const fn n(len: u32) -> Value {
    Value::Length(len)
}

const fn p(at: u32) -> Value {
    Value::Pick(at)
}

#[test]
fn a_step_holds_its_pick_its_arm_and_what_comes_after() {
    let trace = replayed(&[n(2), p(0), Value::Int(4), Value::Bool(true), p(1)], |src| {
        steps!(src, ..=9, { push => src.draw(0..9), clear => {}, always => src.bool() });
        src.bool();
    });
    assert_eq!(
        outline(&trace),
        ["steps 0..6", "  step 1..4", "    push 1..3", "      input 2..3", "  step 4..6", "    clear 4..5"]
            .map(|it| it.replace("push 1..3", "push 2..3").replace("clear 4..5", "clear 5..5"))
    );
    assert_eq!(trace.spans[0].kind, SpanKind::List);
    assert_eq!(trace.spans[1].kind, SpanKind::Item);
}

/// However an arm is left, its spans end there, and the list is as long as it was.
#[test]
fn arms_are_plain_code() {
    fn question_mark(src: &mut Source) -> Option<()> {
        steps!(src, ..=9, { go => {}, leave => None? });
        Some(())
    }
    fn return_early(src: &mut Source) {
        steps!(src, ..=9, { go => {}, leave => return });
        unreachable!("it has left");
    }
    fn break_out(src: &mut Source) {
        steps!(src, ..=9, { go => {}, leave => break });
    }
    fn all_are_shut(src: &mut Source) {
        let mut left = false;
        steps!(src, ..=9, { go if !left => {}, leave if !left => left = true });
    }
    fn panic_caught(src: &mut Source) {
        let panics = AssertUnwindSafe(
            || steps!(src, ..=9, { go => {}, leave => std::panic::resume_unwind(Box::new(0)) }),
        );
        catch_unwind(panics).unwrap_err();
    }
    fn outer_loop(src: &mut Source) {
        'outer: loop {
            steps!(src, ..=9, { go => {}, leave => break 'outer });
        }
    }
    fn forgotten_future(src: &mut Source) {
        let mut future = std::pin::pin!(async {
            steps!(src, ..=9, { go => {}, leave => std::future::pending::<()>().await })
        });
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        assert!(future.as_mut().poll(&mut context).is_pending());
    }
    let ways: [fn(&mut Source); 7] = [
        |it| _ = question_mark(it),
        return_early,
        break_out,
        all_are_shut,
        panic_caught,
        outer_loop,
        forgotten_future,
    ];
    for (way, leave) in ways.into_iter().enumerate() {
        let values = [n(7), p(0), p(1), Value::Int(3)];
        let trace = replayed(&values, |src| {
            leave(src);
            assert_eq!(src.draw(0..9), 3, "way {way}");
        });
        let lines =
            ["steps 0..3", "  step 1..2", "    go 2..2", "  step 2..3", "    leave 3..3", "input 3..4"];
        assert_eq!(outline(&trace), lines, "way {way}");
        assert_eq!(
            trace.values(),
            [n(2), p(0), p(1), Value::Int(3)],
            "way {way}: the length is that of the steps"
        );
    }
}

#[test]
fn a_branch_is_plain_code_and_has_a_value() {
    let trace = replayed(&[p(1), Value::Int(2), p(0), p(2), Value::Int(7)], |src| {
        let mut seen = Vec::new();
        loop {
            seen.push(one_of!(src, { skip => continue, some => src.draw(0..9), 3 * stop => break }));
        }
        assert_eq!((seen, src.draw(0..9)), (vec![2], 7));
    });
    let lines = ["one_of 0..2", "  some 1..2", "    input 1..2", "one_of 2..3", "  skip 3..3"];
    assert_eq!(outline(&trace)[..5], lines);
    assert_eq!(outline(&trace)[5..], ["one_of 3..4", "  stop 4..4", "input 4..5"]);
}

#[test]
fn continue_ends_the_step_and_break_the_loop() {
    let mut log = Vec::new();
    replayed(&[n(4), p(0), p(1), p(2), p(0)], |src| {
        steps!(src, ..=9, {
            a => log.push("a"),
            b => { log.push("b"); continue; }
            c => { log.push("c"); break; }
            always => { log.push("always"); if log.len() > 3 { continue } },
        });
    });
    assert_eq!(log, ["a", "always", "b", "always", "c"]);
}

#[test]
fn a_shut_arm_is_replayed_as_the_simplest_that_is_open() {
    let mut runs = Vec::new();
    let trace = replayed(&[n(3), p(2), p(2), p(9)], |src| {
        let mut open = false;
        steps!(src, ..=9, { a if open => runs.push('a'), b => { runs.push('b'); open = true } c if open => runs.push('c') });
    });
    assert_eq!((runs, trace.values()), (vec!['b', 'c', 'c'], vec![n(3), p(1), p(2), p(2)]));
    assert_eq!(
        trace.choices[1].domain,
        Domain::Pick { n: 3, weights: Some([1, 1, 1].into()), shut: 0b101, free: false }
    );
}

/// All ways of a machine with guards, by hand: those that it can go in at most `left` steps.
fn ways(state: u8, left: u32, so_far: &str, res: &mut Vec<String>) {
    res.push(so_far.to_string());
    if left == 0 {
        return;
    }
    let arms = [("up", state < 2, state + 1), ("down", state == 1, 0), ("jump", state == 0, 3)];
    for (name, _, next) in arms.into_iter().filter(|it| it.1) {
        ways(next, left - 1, &format!("{so_far} {name}"), res);
    }
}

fn machine(src: &mut Source, min: usize, max: usize) -> String {
    let (mut state, mut way) = (0, String::new());
    steps!(src, min..=max, {
        up if state < 2 => { state += 1; way += " up" }
        5 * down if state == 1 => { state = 0; way += " down" }
        0 * jump if state == 0 => { state = 3; way += " jump" }
    });
    way
}

#[test]
fn the_exhaustive_engine_visits_each_behavior_once() {
    for (min, max) in [(0, 0), (0, 1), (0, 5), (2, 5), (4, 4)] {
        let mut expected = Vec::new();
        ways(0, max as u32, "", &mut expected);
        // Those that end before the least length because all arms are shut are ways too; others are too short.
        let is_over = |way: &str| way.ends_with("jump") || way.ends_with("up up");
        expected.retain(|it| it.matches(' ').count() >= min || is_over(it));
        expected.sort();
        for is_recorded in [false, true] {
            let mut seen = Vec::new();
            let mut test = |src: &mut Source| {
                let way = machine(src, min, max);
                if is_recorded {
                    crate::context::label(format_args!("{}", way.len()));
                }
                seen.push(way);
            };
            let budget = Budget { cases: 10_000, rejects: 0, go_on: &mut |_| true, progress: Arc::default() };
            let result = search_exhaustive(Bounds::default(), &mut test, budget).unwrap();
            assert_eq!((result.ended, result.tally.rejected()), (Ended::Complete, 0));
            if is_recorded {
                seen.remove(0); // the case that asked for recording was begun twice
            }
            seen.sort();
            assert_eq!(seen, expected, "{min}..={max} recorded: {is_recorded}");
        }
        let mut engine = Source::new(Box::new(Exhaustive::new(Bounds::default())));
        let mut seen = Vec::new();
        while engine.begin().is_ok() {
            let case =
                run_case(&mut engine, &mut |src: &mut Source| seen.push(machine(src, min, max))).unwrap();
            engine.end(&case);
        }
        seen.sort();
        assert_eq!(seen, expected, "{min}..={max} case by case");
    }
}

#[test]
fn no_shut_arm_is_ever_run() {
    let test = &mut |src: &mut Source| {
        let (mut open, mut n) = ([true; 5], 0);
        steps!(src, ..=30, {
            a if open[0] => assert!(open[0]),
            3 * b if open[1] => assert!(open[1]),
            c if open[2] => assert!(open[2]),
            0 * d if open[3] => assert!(open[3]),
            e if open[4] => assert!(open[4]),
            always => {
                open = any_five(src);
                n += 1;
            },
        });
        assert!(n <= 30);
    };
    for seed in 0..200 {
        let mut source = Source::new(Box::new(Random::at(seed, seed)));
        let case = run_case(&mut source, test).unwrap();
        assert!(case.verdict.failure().is_none(), "{:?}", case.verdict);
        // Whatever is replayed: answers in another order fit other domains.
        let mut values = case.trace.values();
        values.reverse();
        let replay = Replay::new(values, Tail::Simplest);
        let case = run_case(&mut Source::new(Box::new(replay)), test).unwrap();
        assert!(case.verdict.failure().is_none(), "{:?}", case.verdict);
    }
}

fn any_five(src: &mut Source) -> [bool; 5] {
    src.draw(any())
}

#[test]
fn steps_shrink_to_those_that_are_needed() {
    let mut test = |src: &mut Source| {
        let (mut handles, mut names) = (Vec::new(), 0u32);
        steps!(src, ..=40, {
            name => names += 1,
            open if names > 0 => handles.push(src.draw(0..names)),
            close if !handles.is_empty() => { let at = src.draw(0..handles.len()); handles.remove(at); }
            rename if names > 1 => _ = src.draw((0..names, 0..names)),
            sync => {}
            always => assert!(!handles.contains(&1), "the second name is open"),
        });
    };
    for seed in 0..20 {
        let mut found = None;
        for case in 0..10_000 {
            let case = run_case(&mut Source::new(Box::new(Random::at(seed, case))), &mut test).unwrap();
            if case.verdict.failure().is_some() {
                found = Some(case);
                break;
            }
        }
        let shrunk = shrink(found.expect("a failure"), &mut test, 10_000, &mut |_| true).unwrap();
        assert_eq!(shrunk.case.trace.values(), [n(3), p(0), p(0), p(1), Value::Int(1)], "seed {seed}");
    }
}

#[test]
fn as_many_arms_as_one_writes() {
    let seen = &mut [0; 24];
    for index in 0..500 {
        let mut test = |src: &mut Source| {
            steps!(src, 10, {
                a => seen[0] += 1, b => seen[1] += 1, c => seen[2] += 1, d => seen[3] += 1, e => seen[4] += 1,
                f => seen[5] += 1, g => seen[6] += 1, h => seen[7] += 1, i => seen[8] += 1, j => seen[9] += 1,
                k => seen[10] += 1, l => seen[11] += 1, m => seen[12] += 1, n => seen[13] += 1, o => seen[14] += 1,
                p => seen[15] += 1, q => seen[16] += 1, r => seen[17] += 1, s => seen[18] += 1, t => seen[19] += 1,
                u => seen[20] += 1, v => seen[21] += 1, w if true => seen[22] += 1, 2 * x if true => seen[23] += 1,
            });
        };
        run_case(&mut Source::new(Box::new(Random::at(1, index))), &mut test).unwrap();
    }
    assert!(seen.iter().all(|it| *it > 50), "{seen:?}");
}
