//! What a person reads of some events.

use probity_core::Point;

use super::super::harness::InputStyle;
use super::*;

#[test]
fn all_paths_are_claimed_only_where_all_were_run() {
    let read = |explored: Explored| {
        let (tally, time) = (Tally { cases: 3, ..Tally::default() }, Duration::from_millis(5));
        let explored = Some(Box::new(Explored { asked: true, time, ..explored }));
        let event =
            Event::Passed { tally, time, reach: None, part: None, can_resume: false, climb: None, explored };
        render("t", &event, false, false, InputStyle::Rust)
    };
    let all = Explored { paths: 214, complete: true, accepted: Some(1), ..Explored::default() };
    assert_eq!(read(all.clone()), "probity: `t`: proved for every input: all 214 paths, in 5.0ms\n");
    let some = Explored { paths: 300, complete: false, complete_to: Some((4, 214)), ..all.clone() };
    assert_eq!(
        read(some.clone()),
        "probity: `t`: proved for every input of up to 4 choices: all 214 paths, in 5.0ms\n  and 86 of larger inputs, not all\n"
    );
    let wanted = "  wanted: up to 6 choices; to go on, raise `time`\n";
    assert!(read(Explored { bound: Some(6), ..some.clone() }).ends_with(wanted));
    for (lossy, why, detail) in [
        (
            Explored { unknown: 3, queries: 1200, ..all.clone() },
            "the solver did not settle every question",
            "the solver did not settle 3 of 1,200 questions",
        ),
        (
            Explored { divergences: 2, ..some },
            "a run went another way than it was meant to",
            "2 runs went another way than they were meant to",
        ),
        (
            Explored { losses: vec![("threads are not followed".to_string(), 2)], ..all.clone() },
            "threads are not followed",
            "threads are not followed (2 times)",
        ),
        (
            Explored { unconfirmed: 1, ..all.clone() },
            "a run failed, but only in the engine",
            "1 runs failed only in the engine, and do not count",
        ),
        (
            Explored { unsupported: Some("no code".to_string()), ..all.clone() },
            "no code",
            "it could not go on: no code",
        ),
        (
            Explored { complete: false, ..all.clone() },
            "the time was over before all paths of the smallest inputs were run",
            "to go on, raise `time` (or `cases`, if you set it)",
        ),
    ] {
        let not_all = if lossy.complete { "" } else { ", not all" };
        let ran = format!("{} paths ran in 5.0ms{not_all}; none failed", lossy.paths);
        let expected = format!("probity: `t`: not proved: {why}\n  {ran}\n  {detail}\n");
        assert_eq!(read(lossy), expected);
    }
    let nothing = Explored { accepted: None, ..all };
    let expected =
        "probity: `t`: not proved: the test accepts no input\n  214 paths ran in 5.0ms; none failed\n";
    assert_eq!(read(nothing), expected);
}

#[test]
fn a_climb_is_told_with_its_best_inputs() {
    let curve = |label, minimize, scores: &[(f64, f64)]| Curve {
        label,
        minimize,
        points: (0..).zip(scores).map(|(case, &(current, best))| Point { case, current, best }).collect(),
    };
    let best = |case, scores: &[f64], text: &str| BestCase {
        case,
        scores: scores.to_vec(),
        values: Vec::new(),
        inputs: vec![Input::new(Some("g"), text)],
    };
    let climb = Trajectory {
        curves: vec![
            curve("hops", false, &[(1.0, 1.0), (8.0, 8.0), (7.0, 8.0)]),
            curve("cost", true, &[(9.5, 9.5), (2.0, 2.0), (2.0, 2.0)]),
        ],
        accepted: 1234,
        restarts: 2,
        best: vec![best(1, &[8.0, 3.25], "[1, 2]"), best(2, &[7.0, 2.0], "[]")],
    };
    let climb = Some(Box::new(climb));
    let (tally, time) = (Tally { cases: 3, ..Tally::default() }, Duration::from_millis(5));
    let event =
        Event::Passed { tally, time, reach: None, part: None, can_resume: false, climb, explored: None };
    assert_eq!(render("t", &event, false, false, InputStyle::Rust), "");
    let expected = "\
probity: `t` passed 3 cases in 5.0ms
  most hops: 1 → 8
    best    ▁██
    current ▁█▇
  least cost: 9.5 → 2
    best    █▁▁
    current █▁▁
  1,234 cases were accepted, with 2 restarts
  the best input: hops 8, cost 3.25
    let g = [1, 2];
  another that is best: hops 7, cost 2
    let g = [];
";
    assert_eq!(render("t", &event, true, false, InputStyle::Rust), expected);
}

#[test]
fn what_a_contract_requires_is_said_where_it_filters_much() {
    let condition = |narrows, passed| RequiredCondition { text: "a < b", narrows, passed, reached: 1_000 };
    let conditions = vec![condition(true, 1_000), condition(false, 520), condition(false, 31)];
    let event = Event::Required { conditions };
    let rare = "  `a < b` filters what is drawn: 3 of 100 inputs pass\n";
    let title = "probity: `t`: what is required\n";
    assert_eq!(render("t", &event, false, false, InputStyle::Rust), format!("{title}{rare}"));
    let all = "  `a < b` narrows what is drawn\n  `a < b` filters what is drawn: 52 of 100 inputs pass\n";
    assert_eq!(render("t", &event, true, false, InputStyle::Rust), format!("{title}{all}{rare}"));
    assert_eq!(
        render(
            "t",
            &Event::Required { conditions: vec![condition(true, 1_000)] },
            false,
            false,
            InputStyle::Rust
        ),
        ""
    );
}
