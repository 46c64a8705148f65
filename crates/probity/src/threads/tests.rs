//! Systems on threads, by table: what is found, what it shrinks to, and how it is shown.

use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

use probity_core::{
    Budget, Case, Failure, OriginKind, Replay, SearchResult, Source, Tail, render_case, search_random, shrink,
};

use super::{ArmSet, Call, ModelCommand, ModelTest};

/// A counter with calls that go wrong in many ways.
trait Counter: Send + Sync + 'static {
    fn add(&self, n: u64) -> u64;
}

static NAMES: ArmSet = ArmSet::new(&["add", "sub"], &[1, 1]);

/// `add`, and `sub` where there is enough.
fn commands<S: Counter>() -> &'static [ModelCommand<u64, S>] {
    Box::leak(Box::new([
        ModelCommand::new(
            |_| true,
            |_, src| {
                Call::new(
                    src.draw(1..=3),
                    |n| vec![n.to_string()],
                    |_, _| true,
                    |model, n| {
                        *model += n;
                        *model - n
                    },
                    |system: &S, n| system.add(n),
                )
            },
        ),
        ModelCommand::new(
            |model| *model > 0,
            |_, src| {
                Call::new(
                    src.draw(1..=3),
                    |n| vec![n.to_string()],
                    |model, n| model >= n,
                    |model, n| {
                        assert!(*model >= n, "it is guarded");
                        *model -= n;
                        *model + n
                    },
                    |system: &S, n: u64| system.add(n.wrapping_neg()),
                )
            },
        ),
    ]))
}

fn test<S: Counter>(system: fn() -> S) -> ModelTest<u64, S> {
    ModelTest::new(&NAMES, commands(), || 0, system).compared_by(Some(PartialEq::eq))
}

fn search(test: &mut dyn FnMut(&mut Source), cases: u64) -> SearchResult {
    crate::panics::install();
    let budget = Budget { cases, rejects: 10, go_on: &mut |_| true, progress: Default::default() };
    let mut test = |source: &mut Source| test(source);
    search_random(7, &mut test, budget).unwrap()
}

/// The first failure, shrunk and rendered: its inputs and how it fails.
fn minimum(test: &mut dyn FnMut(&mut Source)) -> (Vec<String>, Failure) {
    let found = search(test, 500).failures.into_iter().next().expect("a failure");
    let mut test = |source: &mut Source| test(source);
    let shrunk = shrink(found.case, &mut test, 10_000, &mut |_| true).unwrap();
    let replay = Replay::new(shrunk.case.trace.values(), Tail::Overrun);
    let Case { log, verdict, .. } = render_case(&mut Source::new(Box::new(replay)), &mut test).unwrap();
    let inputs = log.inputs.into_iter().map(|it| it.text).collect();
    (inputs, verdict.failure().expect("it fails again").clone())
}

/// Adds in one step.
#[derive(Default)]
struct Atomic(AtomicU64);

impl Counter for Atomic {
    fn add(&self, n: u64) -> u64 {
        self.0.fetch_add(n, SeqCst)
    }
}

/// Adds one more from four on.
#[derive(Default)]
struct Wrong(AtomicU64);

impl Counter for Wrong {
    fn add(&self, n: u64) -> u64 {
        let old = self.0.fetch_add(n, SeqCst);
        old + u64::from(old >= 4)
    }
}

/// Reads, waits for another thread to read, and writes.
#[derive(Default)]
struct Lossy(AtomicU64);

impl Counter for Lossy {
    fn add(&self, n: u64) -> u64 {
        let old = self.0.load(SeqCst);
        std::thread::yield_now();
        self.0.store(old.wrapping_add(n), SeqCst);
        old
    }
}

#[test]
fn real_threads_pass_and_fail() {
    let fine = test(Atomic::default).real();
    assert!(search(&mut |source| fine.in_parallel(source, 2), 100).failures.is_empty());
    // Whether it is found, the machine decides; what is found is a race.
    let lossy = test(Lossy::default).real();
    for found in search(&mut |source| lossy.in_parallel(source, 2), 20).failures {
        assert_eq!(found.failure.origin.kind, OriginKind::Model);
    }
}

#[test]
fn calls_in_sequence_are_compared_with_the_model() {
    let wrong = test(Wrong::default).real();
    let (inputs, failure) = minimum(&mut |source| wrong.in_sequence(source));
    assert_eq!(inputs, ["add(1)", "add(3)", "sub(1)"]);
    assert_eq!(failure.message, "`sub(1)` returned 5, and the model says 4");
    let fine = test(Atomic::default).real();
    assert!(search(&mut |source| fine.in_sequence(source), 200).failures.is_empty());
}

#[test]
fn invariants_run_after_each_step() {
    let broken = test(Atomic::default).real().invariants(&[|model, _| assert!(*model < 3, "three")]);
    let (inputs, failure) = minimum(&mut |source| broken.in_sequence(source));
    assert_eq!((inputs, &*failure.message), (vec!["add(3)".to_string()], "three"));
}

#[test]
fn a_call_that_ends_the_case_on_a_thread_rejects_it() {
    #[derive(Default)]
    struct Rejecting;
    impl Counter for Rejecting {
        fn add(&self, _: u64) -> u64 {
            crate::assume!(false);
            0
        }
    }
    let rejecting = test(Rejecting::default).real();
    let result = search(&mut |source| rejecting.in_parallel(source, 2), 10);
    assert_eq!((result.failures.len(), result.tally.cases), (0, 0));
}

#[test]
fn too_many_calls_are_refused() {
    let many = test(Atomic::default).calls(0..=40).real();
    let mut case = |source: &mut Source| many.in_parallel(source, 2);
    let budget = Budget { cases: 1, rejects: 0, go_on: &mut |_| true, progress: Default::default() };
    let err = search_random(7, &mut case, budget).unwrap_err();
    assert_eq!(
        err.message,
        "2 threads with up to 40 calls each; let there be two threads or more, and at most 64 calls"
    );
}

#[cfg(feature = "shuttle")]
mod scheduled {
    use super::*;

    /// What a call of the system does with shuttle's types.
    struct Switched {
        value: shuttle::sync::atomic::AtomicU64,
        locks: [shuttle::sync::Mutex<()>; 2],
        add: fn(&Switched, u64) -> u64,
    }

    impl Counter for Switched {
        fn add(&self, n: u64) -> u64 {
            (self.add)(self, n)
        }
    }

    fn switched(add: fn(&Switched, u64) -> u64) -> Switched {
        Switched { value: shuttle::sync::atomic::AtomicU64::new(0), locks: Default::default(), add }
    }

    fn lossy() -> Switched {
        switched(|it, n| {
            let old = it.value.load(SeqCst);
            it.value.store(old.wrapping_add(n), SeqCst);
            old
        })
    }

    fn parallel(system: fn() -> Switched, threads: usize) -> (Vec<String>, Failure) {
        let test = test(system);
        minimum(&mut |source| test.in_parallel(source, threads))
    }

    #[test]
    fn a_lost_update_is_shown_side_by_side() {
        let (inputs, failure) = parallel(lossy, 2);
        assert_eq!(inputs, ["[]", "[add(1)]", "[add(1)]", "[1]"]);
        assert_eq!(
            failure.message,
            "no order of these calls gives these results
   thread 0  thread 1
1  add(1) …
2            add(1) → 0
3  … → 0
the model says: after `add(1)` of thread 1, `add(1)` of thread 0 returns 1
interrupted once: thread 0, in its 1st call, after 1 step"
        );
    }

    #[test]
    fn what_ends_otherwise_is_told_too() {
        fn check(system: fn() -> Switched, first_line: &str) {
            let (inputs, Failure { message, .. }) = parallel(system, 2);
            assert_eq!(message.lines().next(), Some(first_line), "{inputs:?}\n{message}");
        }
        check(
            || {
                switched(|it, n| {
                    let (a, b) = if n == 1 { (0, 1) } else { (1, 0) };
                    let _first = it.locks[a].lock();
                    let _second = it.locks[b].lock();
                    it.value.fetch_add(n, SeqCst)
                })
            },
            "deadlock",
        );
        let place = format!("{}:{}", file!(), line!() + 6);
        check(
            || {
                switched(|it, n| {
                    let old = it.value.load(SeqCst);
                    let now = it.value.fetch_add(n, SeqCst);
                    assert!(old == now, "changed");
                    now
                })
            },
            &format!("panicked at {place}:21: changed"),
        );
        check(
            || {
                switched(|it, n| {
                    let old = it.value.fetch_add(n, SeqCst);
                    while it.value.load(SeqCst) == 2 {}
                    old
                })
            },
            "the calls did not end",
        );
    }

    #[test]
    fn a_thread_that_waits_in_a_loop_lets_others_go_on() {
        let spinning = || {
            switched(|it, n| {
                let lock = &it.value;
                // The lowest bit is a lock, and the rest is the number.
                while lock.fetch_or(1, SeqCst) & 1 == 1 {}
                let old = lock.load(SeqCst) >> 1;
                lock.store(old.wrapping_add(n) << 1, SeqCst);
                old
            })
        };
        let test = test(spinning);
        assert!(search(&mut |source| test.in_parallel(source, 3), 100).failures.is_empty());
    }

    #[test]
    fn a_system_without_points_is_a_mistake() {
        let blind = test(Atomic::default);
        let mut case = |source: &mut Source| blind.in_parallel(source, 2);
        let budget = Budget { cases: 500, rejects: 0, go_on: &mut |_| true, progress: Default::default() };
        let err = search_random(7, &mut case, budget).unwrap_err();
        assert!(err.message.contains("write `real_threads` for `threads`"), "{}", err.message);
    }
}
