//! Probity: its check as users run it, and its search with every case recorded.

use crate::shape::{self, Shape};
use crate::workload::{Runner, Workload, commutes, reversed_twice};
use probity::{Check, Source, any, vec};
use probity::engine::{Budget, Random, Test, search};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

/// How to check `workload`; the lengths are those the library gives to a vector of 0 to 100 elements.
pub fn runner(workload: Workload, recording: bool, seed: u64) -> Runner {
    let vec = |src: &mut Source| assert!(reversed_twice(&src.draw(vec(any::<i32>(), 0..=100))));
    let pair = |src: &mut Source| assert!(commutes(src.any(), src.any()));
    match (workload, recording) {
        (Workload::Vec, false) => Box::new(move |cases| check(seed, cases).run(vec)),
        (Workload::Vec, true) => Box::new(move |cases| record(seed, cases, &mut { vec })),
        (Workload::Pair, false) => Box::new(move |cases| check(seed, cases).run(pair)),
        (Workload::Pair, true) => Box::new(move |cases| record(seed, cases, &mut { pair })),
    }
}

pub fn find(shape: Shape, seed: u64, cases: u64) -> bool {
    match shape {
        Shape::IntMin => fails(seed, cases, |src| shape::int_min(src.any())),
        Shape::EqualPair => fails(seed, cases, |src| shape::equal_pair(src.any(), src.any())),
        Shape::Duplicate => fails(seed, cases, |src| shape::duplicate(src.any())),
        Shape::NotANumber => fails(seed, cases, |src| shape::not_a_number(src.any())),
        Shape::Nul => fails(seed, cases, |src| shape::nul(src.any())),
        Shape::Long => fails(seed, cases, |src| shape::long(src.any())),
        Shape::DeleteOne => fails(seed, cases, |src| shape::delete_one(src.any(), src.any())),
        Shape::Nothing => fails(seed, cases, |src| shape::nothing(src.any())),
    }
}

fn fails(seed: u64, cases: u64, holds: impl Fn(&mut Source) -> bool) -> bool {
    let run = || {
        // Shrinking and explaining would only delay the answer.
        check(seed, cases).max_shrink(0).explain(false).run(|src: &mut Source| assert!(holds(src)))
    };
    catch_unwind(AssertUnwindSafe(run)).is_err()
}

fn check(seed: u64, cases: u64) -> Check<'static> {
    // The number of cases is to end the run, not the time.
    Check::new("peers").cases(cases).seed(seed).store(false).time(Duration::from_secs(3600))
}

fn record(seed: u64, cases: u64, test: &mut dyn Test) {
    let budget = Budget { cases, rejects: 0, go_on: &mut |_| true, progress: Default::default() };
    let finding = search(Box::new(Random::new(seed)), test, budget).expect("the test can be run");
    assert!(finding.failures.is_empty());
}
