//! Limits, and what is told.

use std::time::{Duration, Instant};

use probity_core::Value;
use probity_testkit::Folder;

use super::mock::{Do, Mock, c, eq, int, length, op, slot, ult};
use super::{After, Helpless, explore, plan};
use crate::expr::Op;
use crate::search::explore::Explorer;
use crate::search::{SearchEvent, search};
use crate::solve::Session;

/// A program with many paths.
fn many() -> Mock {
    let item = vec![
        int(0, 255),
        Do::If(ult(slot(0), c(100)), vec![], vec![]),
        Do::If(eq(slot(0), c(77)), vec![], vec![]),
    ];
    let mut program = Vec::new();
    for _ in 0..8 {
        program.extend(item.clone());
    }
    Mock::new(program)
}

#[test]
fn runs_and_time_are_limits() {
    let mut plan_ = plan(1);
    plan_.runs_max = 17;
    assert_eq!(explore::<Session>(&mut many(), &plan_).0.runs, 17);
    plan_.runs_max = 0;
    let none = explore::<Session>(&mut many(), &plan_).0;
    assert_eq!((none.runs, none.complete, none.complete_to), (0, false, None));

    let mut plan_ = plan(1);
    plan_.runs_max = u64::MAX;
    plan_.until = Instant::now() + Duration::from_millis(100);
    // It would go on for hours.
    let short = explore::<Session>(&mut many(), &plan_).0;
    assert!(!short.complete, "{short:?}");
}

#[test]
fn the_caller_stops_the_search() {
    let mut mock = many();
    let mut begun = 0;
    let explored = search(&mut mock, &plan(1), &mut |news| {
        begun += u32::from(matches!(news, SearchEvent::Begins(_)));
        begun < 5
    });
    assert_eq!((explored.runs, begun), (4, 5));
    assert!(!explored.complete);
}

#[test]
fn given_answers_are_run_and_built_upon() {
    // Four equalities in a row: what is given meets the first three, which a solver of nothing cannot.
    let mut program = Vec::new();
    for at in 0..4 {
        program.extend([int(0, 255), Do::Assume(eq(slot(0), c(50 + at)))]);
    }
    program.push(Do::Assert(eq(c(0), c(1))));
    let mut mock = Mock::new(program);
    let mut plan_ = plan(1);
    plan_.given = vec![[50, 51, 52, 0].map(Value::Int).to_vec(), [50, 51, 52, 53].map(Value::Int).to_vec()];
    let explored = explore::<Helpless>(&mut mock, &plan_).0;
    assert_eq!((explored.runs, explored.failing), (3, 1));
    // One who cannot solve the first, but what comes later.
    plan_.given.pop();
    assert_eq!(explore::<After>(&mut mock, &plan_).0.failing, 1);
    assert_eq!(explore::<After>(&mut mock, &plan(1)).0.failing, 0);
    // Where all paths are done, nothing is left to be given.
    plan_.given = vec![vec![Value::Int(7)]];
    assert_eq!(explore::<Session>(&mut mock, &plan_).0.runs, 5);
}

#[test]
fn what_the_solver_does_not_settle_is_counted() {
    let mut mock = Mock::new(vec![int(0, 9), Do::Assert(ult(slot(0), c(9)))]);
    let explored = explore::<Helpless>(&mut mock, &plan(1)).0;
    assert_eq!((explored.runs, explored.unknown, explored.complete), (1, 1, false));
    assert_eq!(explored.complete_to, Some((0, 0)));
}

#[test]
fn short_lists_are_preferred() {
    // Any length above 3 reaches it.
    let mut mock =
        Mock::new(vec![length(0, 100), Do::If(ult(c(3), slot(0)), vec![Do::Assert(eq(c(0), c(1)))], vec![])]);
    let (_, fails) = explore::<Session>(&mut mock, &plan(1));
    assert!(matches!(fails[..], [ref it] if matches!(it[..], [Value::Length(4..=8)])), "{fails:?}");
}

#[test]
fn deaths_are_told_and_void_the_claim() {
    let mut mock = Mock::new(vec![int(0, 9), Do::If(eq(slot(0), c(5)), vec![Do::Die], vec![])]);
    let (explored, fails) = explore::<Session>(&mut mock, &plan(1));
    assert_eq!(fails, [[Value::Int(5)]]);
    assert!(!explored.complete && explored.complete_to == Some((0, 0)), "{explored:?}");
}

#[test]
fn losses_are_listed_and_void_the_claim() {
    let mut mock = Mock::new(vec![int(0, 9), Do::Lose, Do::Assert(ult(slot(0), c(5)))]);
    let (explored, _) = explore::<Session>(&mut mock, &plan(1));
    assert_eq!(explored.losses, [("threads are not followed".to_owned(), 2)]);
    assert!(!explored.complete && explored.failing == 1, "{explored:?}");
}

#[test]
fn a_long_path_is_walked_quickly() {
    let mut program = vec![int(0, 255), int(0, 255)];
    program.extend(
        (0..10_000u32).map(|at| Do::If(eq(op(Op::Xor, slot(0), c(at as u8)), slot(1)), vec![], vec![])),
    );
    let mut mock = Mock::new(program);
    let mut plan_ = plan(1);
    plan_.runs_max = 20;
    let explored = explore::<Session>(&mut mock, &plan_).0;
    assert_eq!(explored.runs, 20);
}

#[test]
fn runs_that_were_dropped_are_run_again() {
    let item = [int(0, 255), Do::If(ult(slot(0), c(100)), vec![], vec![Do::Assert(ult(slot(0), c(200)))])];
    let mut mock = Mock::new(item.iter().cycle().take(10).cloned().collect());
    let whole = explore::<Session>(&mut mock, &plan(1)).0;
    assert!(whole.complete && whole.runs == whole.paths, "{whole:?}");
    let plan_ = plan(1);
    let mut tell = |_| true;
    let mut explorer = Explorer::<Session>::new(&mut mock, &plan_, &mut tell);
    explorer.runs.room = 50;
    let cramped = explorer.explore();
    assert!(cramped.complete && cramped.runs > cramped.paths, "{cramped:?}");
    assert_eq!((cramped.paths, cramped.failing), (whole.paths, whole.failing));
}

#[test]
fn questions_are_written_down() {
    let folder = Folder::new();
    let mut plan_ = plan(1);
    plan_.dump = Some(folder.path().to_path_buf());
    let program = vec![int(0, 9), Do::Assert(ult(slot(0), c(9))), Do::Assert(ult(slot(0), c(10)))];
    let explored = explore::<Session>(&mut Mock::new(program), &plan_).0;
    let names = folder.names();
    assert_eq!(names.len() as u64, explored.queries);
    assert_eq!(names[0], "q000001_sat.smt2");
}
