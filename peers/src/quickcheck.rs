//! quickcheck: cases, size and seed are all set on its tester.

use crate::shape::{self, Shape};
use crate::workload::{Runner, Workload, commutes, reversed_twice};
use quickcheck::{Gen, QuickCheck, Testable};

/// The size the library gives to a test that does not ask for another.
const DEFAULT_SIZE: usize = 100;

pub fn runner(workload: Workload, mean_len: f64, seed: u64) -> Runner {
    // A vector's length is uniform below the size, so its mean is (size - 1) / 2.
    let size = (2.0 * mean_len).round() as usize + 1;
    match workload {
        Workload::Vec => {
            let property: fn(Vec<i32>) -> bool = |values| reversed_twice(&values);
            Box::new(move |cases| assert!(!fails(size, seed, cases, property)))
        }
        Workload::Pair => {
            Box::new(move |cases| assert!(!fails(size, seed, cases, commutes as fn(i64, i64) -> bool)))
        }
    }
}

pub fn find(shape: Shape, seed: u64, cases: u64) -> bool {
    match shape {
        Shape::IntMin => fails(DEFAULT_SIZE, seed, cases, shape::int_min as fn(_) -> _),
        Shape::EqualPair => fails(DEFAULT_SIZE, seed, cases, shape::equal_pair as fn(_, _) -> _),
        Shape::Duplicate => fails(DEFAULT_SIZE, seed, cases, shape::duplicate as fn(_) -> _),
        Shape::NotANumber => fails(DEFAULT_SIZE, seed, cases, shape::not_a_number as fn(_) -> _),
        Shape::Nul => fails(DEFAULT_SIZE, seed, cases, shape::nul as fn(_) -> _),
        Shape::Long => fails(DEFAULT_SIZE, seed, cases, shape::long as fn(_) -> _),
        Shape::DeleteOne => fails(DEFAULT_SIZE, seed, cases, shape::delete_one as fn(_, _) -> _),
        Shape::Nothing => fails(DEFAULT_SIZE, seed, cases, shape::nothing as fn(_) -> _),
    }
}

fn fails(size: usize, seed: u64, cases: u64, property: impl Testable) -> bool {
    QuickCheck::new()
        .rng(Gen::from_size_and_seed(size, seed))
        .tests(cases)
        .max_tests(cases)
        .quicktest(property)
        .is_err()
}
