//! Anyone who watches a search ends it, whatever search it is, and changes nothing else. No clock is needed for that.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::Progress;
use crate::context::{assume, label, maximize};
use crate::{
    Annealing, Bounds, Budget, Ended, Random, SearchResult, Share, Source, Tally, Test, search,
    search_adaptive, search_exhaustive, search_exhaustive_share, search_random,
};

type Act = fn(usize);
type Search = fn(&mut dyn Test, Budget<'_>) -> SearchResult;

/// Every kind of search. All of them run the cases that there are in an order of their own.
const SEARCHES: &[(&str, Search)] = &[
    ("random", |test, budget| search_random(7, test, budget).unwrap()),
    ("recorded", |test, budget| search(Box::new(Random::new(7)), test, budget).unwrap()),
    ("exhaustive", |test, budget| search_exhaustive(Bounds::default(), test, budget).unwrap()),
    ("share", |test, budget| {
        let share = Share { inputs: |src| _ = src.any::<Vec<u8>>(), part: 0, of: 1, start: 0 };
        search_exhaustive_share(Bounds::default(), share, test, budget).unwrap()
    }),
    ("targeted", |test, budget| {
        let annealing = Annealing { cases: CASES, ..Annealing::default() };
        search_adaptive(Tally::default(), 7, annealing, test, budget).unwrap()
    }),
];

/// What a test does besides: nothing, or what only a recorded case keeps.
const BESIDES: &[(&str, Act)] = &[
    ("nothing", |_| ()),
    ("labels", |len| label(format_args!("{len}"))),
    ("scores", |len| maximize("length to 9", -(len as f64 - 9.0).abs())),
    ("late label", |len| {
        if len > 8 {
            label(format_args!("long"))
        }
    }),
];

const CASES: u64 = 900;

/// Runs a search to its end, or until it is too late: after this many `runs` of the test, when somebody ends the batch.
/// Returns what the test was given, and how it ended.
fn run(search: Search, besides: Act, runs: Option<usize>, ends_before: bool) -> (Vec<Vec<u8>>, SearchResult) {
    let progress = Arc::<Progress>::default();
    let (watcher, is_late) = (Arc::clone(&progress), Cell::new(false));
    let seen = RefCell::new(Vec::new());
    let mut test = |src: &mut Source| {
        let v: Vec<u8> = src.any();
        seen.borrow_mut().push(v.clone());
        if Some(seen.borrow().len()) == runs {
            is_late.set(true);
            watcher.end_batch();
        }
        besides(v.len());
    };
    if ends_before {
        progress.end_batch();
    }
    let mut go_on = |_| !is_late.get();
    let finding = search(&mut test, Budget { cases: CASES, rejects: 10, go_on: &mut go_on, progress });
    (seen.into_inner(), finding)
}

#[test]
fn no_case_begins_once_it_is_late() {
    for (name, search) in SEARCHES {
        for (besides, act) in BESIDES {
            let (all, _) = run(*search, *act, None, false);
            for runs in [1, 2, 3, 63, 64, 500, 777] {
                let (seen, finding) = run(*search, *act, Some(runs), false);
                // A case that turns out to need recording is run again, and is the last.
                let again = usize::from(seen.len() > runs && seen[runs] == seen[runs - 1]);
                assert_eq!(seen.len(), runs + again, "{name}, {besides}, late after {runs}");
                assert_eq!(seen[..runs], all[..runs], "{name}, {besides}");
                assert_eq!(finding.ended, Ended::Stopped, "{name}, {besides}, late after {runs}");
                assert!(finding.tally.cases >= runs as u64 - 1, "{name}, {besides}: {:?}", finding.tally);
            }
        }
    }
}

#[test]
fn a_batch_that_ends_for_nothing_changes_nothing() {
    for (name, search) in SEARCHES {
        for (besides, act) in BESIDES {
            let (all, finding) = run(*search, *act, None, false);
            let (same, again) = run(*search, *act, None, true);
            assert_eq!(all, same, "{name}, {besides}");
            assert_eq!((finding.ended, finding.tally.cases), (again.ended, again.tally.cases));
        }
    }
}

#[test]
fn the_mark_can_be_moved_from_another_thread_at_any_time() {
    for (name, search) in SEARCHES {
        let (all, _) = run(*search, |_| (), None, false);
        let progress = Arc::<Progress>::default();
        let watcher = Arc::clone(&progress);
        let mut seen = Vec::new();
        std::thread::scope(|scope| {
            scope.spawn(move || (0..20_000).for_each(|_| watcher.end_batch()));
            let mut test = |src: &mut Source| seen.push(src.any::<Vec<u8>>());
            let budget = Budget { cases: CASES, rejects: 10, go_on: &mut |_| true, progress };
            let finding = search(&mut test, budget);
            assert_eq!((finding.ended, finding.tally.cases), (Ended::Budget, CASES), "{name}");
        });
        assert_eq!(seen, all, "{name}");
    }
}

#[test]
fn one_case_is_begun_however_late_it_is() {
    let progress = Arc::<Progress>::default();
    progress.end_batch();
    let mut runs = 0;
    let budget = Budget { cases: CASES, rejects: 10, go_on: &mut |_| false, progress };
    search_random(7, &mut |_: &mut Source| runs += 1, budget).unwrap();
    assert_eq!(runs, 1);
}

#[test]
fn a_search_within_a_case_may_share_the_progress() {
    let progress = Arc::<Progress>::default();
    let inner = Arc::clone(&progress);
    let mut runs = 0;
    let mut test = |src: &mut Source| {
        runs += 1;
        let budget = Budget { cases: 5000, rejects: 10, go_on: &mut |_| true, progress: Arc::clone(&inner) };
        search_random(src.any::<u64>(), &mut |_: &mut Source| (), budget).unwrap();
    };
    let budget = Budget { cases: 10, rejects: 10, go_on: &mut |_| true, progress };
    assert_eq!(search_random(7, &mut test, budget).unwrap().tally.cases, 10);
    assert_eq!(runs, 10);
}

#[test]
fn a_rejection_that_the_test_catches_ends_the_case() {
    for (name, search) in SEARCHES {
        let mut test = |src: &mut Source| {
            let v: Vec<u8> = src.any();
            let _ = catch_unwind(AssertUnwindSafe(|| assume(v.len().is_multiple_of(2), "even")));
        };
        let mut go_on = |_| true;
        let budget = Budget { cases: CASES, rejects: 10, go_on: &mut go_on, progress: Arc::default() };
        let finding = search(&mut test, budget);
        assert!(finding.tally.rejected() > 10, "{name}: {:?}", finding.tally);
        assert_eq!(finding.tally.cases, CASES, "{name}");
    }
}
