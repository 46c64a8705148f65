//! proptest: run through its `TestRunner`, with the regression files off.

use crate::shape::{self, Shape};
use crate::workload::{Runner, Workload, commutes, reversed_twice};
use proptest::arbitrary::{Arbitrary, any};
use proptest::collection::vec;
use proptest::prop_assert;
use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngSeed, TestRunner};

pub fn runner(workload: Workload, mean_len: f64, seed: u64) -> Runner {
    match workload {
        Workload::Vec => {
            // A length is uniform in its range.
            let longest = (2.0 * mean_len).round() as usize;
            Box::new(move |cases| {
                let values = vec(any::<i32>(), 0..=longest);
                assert!(!fails(seed, cases, values, |values| reversed_twice(&values)))
            })
        }
        Workload::Pair => {
            Box::new(move |cases| assert!(!fails(seed, cases, any::<(i64, i64)>(), |(a, b)| commutes(a, b))))
        }
    }
}

pub fn find(shape: Shape, seed: u64, cases: u64) -> bool {
    match shape {
        Shape::IntMin => fails_by_type(seed, cases, shape::int_min),
        Shape::EqualPair => fails_by_type(seed, cases, |(a, b)| shape::equal_pair(a, b)),
        Shape::Duplicate => fails_by_type(seed, cases, shape::duplicate),
        Shape::NotANumber => fails_by_type(seed, cases, shape::not_a_number),
        Shape::Nul => fails_by_type(seed, cases, shape::nul),
        Shape::Long => fails_by_type(seed, cases, shape::long),
        Shape::DeleteOne => fails_by_type(seed, cases, |(values, x)| shape::delete_one(values, x)),
        Shape::Nothing => fails_by_type(seed, cases, shape::nothing),
    }
}

fn fails_by_type<T: Arbitrary>(seed: u64, cases: u64, holds: impl Fn(T) -> bool) -> bool {
    fails(seed, cases, any::<T>(), holds)
}

fn fails<S: Strategy>(seed: u64, cases: u64, values: S, holds: impl Fn(S::Value) -> bool) -> bool {
    let config = Config {
        cases: u32::try_from(cases).expect("proptest counts cases in 32 bits"),
        rng_seed: RngSeed::Fixed(seed),
        failure_persistence: None,
        ..Config::default()
    };
    let outcome = TestRunner::new(config).run(&values, |value| {
        prop_assert!(holds(value));
        Ok(())
    });
    outcome.is_err()
}
