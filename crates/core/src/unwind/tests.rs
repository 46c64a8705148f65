//! No verdict gets lost, whatever a test does with what unwinds it. Under every engine.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use crate::context::{assume, broken, cover, label, maximize, minimize};
use crate::*;

type Tester = fn(&mut Source);

/// What each engine makes of a test: failures and tally.
fn searches(test: Tester) -> Vec<(&'static str, Vec<Found>, Tally)> {
    let mut res = Vec::new();
    let mut add = |name, finding: SearchResult| res.push((name, finding.failures, finding.tally));
    macro_rules! with {
        ($name:expr, $budget:ident, $run:expr) => {{
            let go_on: &mut dyn FnMut(u64) -> bool = &mut |_| true;
            let $budget = Budget { cases: 3000, rejects: 10, go_on, progress: Default::default() };
            add($name, $run);
        }};
    }
    let mut it = test;
    with!("random", budget, search_random(7, &mut it, budget).unwrap());
    with!("recorded", budget, search(Box::new(Random::new(7)), &mut it, budget).unwrap());
    with!("exhaustive", budget, search_exhaustive(Bounds::default(), &mut it, budget).unwrap());
    let plain = Annealing::default();
    with!("targeted", budget, search_adaptive(Tally::default(), 7, plain, &mut it, budget).unwrap());
    res
}

#[track_caller]
fn fails_with(test: Tester, messages: &[&str]) {
    for (engine, failures, _) in searches(test) {
        let found: Vec<&str> = failures.iter().map(|it| &*it.failure.message).collect();
        assert_eq!(found, messages, "{engine}");
        for it in &failures {
            assert_eq!(
                it.case.verdict.failure(),
                Some(&it.failure),
                "{engine}: it fails again when it is recorded"
            );
        }
    }
}

/// Checks the tally of a test in which nothing fails.
#[track_caller]
fn counts(test: Tester, check: impl Fn(&str, &Tally)) {
    for (engine, failures, tally) in searches(test) {
        assert!(failures.is_empty(), "{engine}: {failures:?}");
        check(engine, &tally);
    }
}

fn byte(src: &mut Source) -> u8 {
    src.draw(0..=255u8)
}

fn swallow(f: impl FnOnce()) -> bool {
    catch_unwind(AssertUnwindSafe(f)).is_ok()
}

/// Runs its function when it is dropped.
struct OnDrop<F: FnMut()>(F);

impl<F: FnMut()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

#[test]
fn a_broken_check_outranks_what_ends_the_case_later() {
    fails_with(
        |src| {
            let n = byte(src);
            if n == 99 {
                broken(format_args!("99"));
            }
            assume(n != 99, "n != 99");
        },
        &["99"],
    );
    fails_with(
        |src| {
            let n = byte(src);
            if n == 99 {
                broken(format_args!("99"));
                src.draw(from(0..9).filter(|_| false));
            }
        },
        &["99"],
    );
}

#[test]
fn a_broken_check_outranks_an_overrun() {
    fails_with(
        |src| {
            if byte(src) == 3 {
                broken(format_args!("3"));
                while swallow(|| assert!(src.int(0u8, 0) == 0)) {}
            }
        },
        &["3"],
    );
}

#[test]
fn what_is_said_inside_of_a_catch_counts() {
    fails_with(
        |src| {
            let n = byte(src);
            swallow(|| {
                swallow(|| {
                    if n >= 200 {
                        broken(format_args!("too much"))
                    }
                });
            });
        },
        &["too much"],
    );
    counts(
        |src| {
            let n = byte(src);
            swallow(|| {
                label(format_args!("all"));
                cover(10.0, n > 3, "n > 3");
                maximize("n", n.into());
                minimize("m", n.into());
            });
        },
        |engine, tally| {
            let samples = tally.cases - tally.neighbours;
            assert_eq!(tally.labels["all"], samples, "{engine}");
            assert_eq!(tally.covers.values().next().unwrap().reached, samples, "{engine}");
            assert_eq!((tally.scores["n"].0, tally.scores["m"].0), (255.0, 0.0), "{engine}");
        },
    );
}

#[test]
fn a_rejection_that_is_caught_is_one() {
    counts(
        |src| {
            let n = byte(src);
            swallow(|| assume(n < 128, "n < 128"));
        },
        |engine, tally| assert!(tally.rejected() > 100, "{engine}: {tally:?}"),
    );
    // What follows is an effect of it.
    counts(
        |src| {
            let n = byte(src);
            let ended = catch_unwind(|| assume(n < 128, "n < 128"));
            if ended.is_err() {
                broken(format_args!("it did not end"));
                resume_unwind(Box::new("it did not end"));
            }
        },
        |engine, tally| assert!(tally.rejected() > 100, "{engine}: {tally:?}"),
    );
}

#[test]
fn a_panic_that_is_caught_is_none() {
    counts(
        |src| {
            let n = byte(src);
            assert!(!swallow(|| resume_unwind(Box::new(n))));
        },
        |engine, tally| assert!(tally.cases >= 256, "{engine}"),
    );
}

#[test]
fn a_misuse_that_is_caught_is_told() {
    let mut test = |src: &mut Source| {
        swallow(|| _ = src.int(9, 1));
    };
    let mut source = Source::new(Box::new(Random::new(7)));
    let told = "no value in 9..=1; swap the bounds";
    assert_eq!(run_case(&mut source, &mut test).unwrap_err().message, told);
    let budget = Budget { cases: 10, rejects: 10, go_on: &mut |_| true, progress: Default::default() };
    assert_eq!(search_random(7, &mut test, budget).unwrap_err().message, told);
}

#[test]
fn an_overrun_that_is_caught_is_one() {
    let mut test = |src: &mut Source| {
        assert!(swallow(|| loop {
            src.bool();
        }));
    };
    let mut source = Source::new(Box::new(Random::new(7)));
    assert_eq!(run_case(&mut source, &mut test).unwrap().verdict, Verdict::Overrun);
    let budget = Budget { cases: 10, rejects: 1, go_on: &mut |_| true, progress: Default::default() };
    let finding = search_random(7, &mut test, budget).unwrap();
    assert!(finding.failures.is_empty() && finding.tally.overruns > 0);
}

#[test]
fn a_check_in_a_destructor_counts_while_the_case_ends() {
    fails_with(
        |src| {
            let n = byte(src);
            let _guard = OnDrop(|| {
                if n == 77 {
                    broken(format_args!("77 when it ends"));
                }
                // None of these unwinds.
                assume(false, "in a destructor");
                label(format_args!("dropped"));
            });
            assume(n != 77, "n != 77");
        },
        &["77 when it ends"],
    );
}

#[test]
fn a_part_can_be_drawn_while_the_case_ends() {
    counts(
        |src| {
            let n = byte(src);
            let part: Lazy<Vec<u8>> = src.any();
            let _guard = OnDrop(|| assert!(part.len() < 5_000));
            assume(n.is_multiple_of(2), "n % 2 == 0");
        },
        |engine, tally| assert!(tally.rejected() > 50, "{engine}"),
    );
}

#[test]
fn a_payload_that_panics_when_dropped_is_a_failure() {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            resume_unwind(Box::new(Bomb));
        }
    }
    fails_with(
        |src| {
            if byte(src) > 200 {
                resume_unwind(Box::new(Bomb));
            }
        },
        &[PANICS_WHEN_DROPPED],
    );
}

/// A test that keeps a lock while it counts does not poison it.
#[test]
fn counting_does_not_unwind() {
    use std::sync::Mutex;
    static LOCK: Mutex<()> = Mutex::new(());
    counts(
        |src| {
            let _guard = LOCK.lock().unwrap();
            label(format_args!("{}", byte(src) % 2));
        },
        |engine, tally| assert!(tally.labels["0"] > 0, "{engine}"),
    );
}

/// Inputs that are drawn after a generator's panic was caught are shown.
#[test]
fn inputs_are_shown_after_a_caught_panic() {
    let mut test = |src: &mut Source| {
        swallow(|| {
            src.draw_as("a", from(0..9).map(|_| -> u8 { resume_unwind(Box::new("no")) }));
        });
        src.draw_as("b", 3..=3);
    };
    let mut source = Source::new(Box::new(Random::new(7)));
    let inputs = render_case(&mut source, &mut test).unwrap().log.inputs;
    assert_eq!(inputs, [Input::new(Some("b"), "3")]);
}
