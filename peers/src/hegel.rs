//! hegel: Hypothesis' engine, with its database, its profiles and its output off.

use crate::shape::{self, Shape};
use crate::workload::{Runner, Workload, commutes, measure, reversed_twice};
use hegel::generators::{default, integers, vecs};
use hegel::{HealthCheck, Hegel, Phase, Settings, TestCase, Verbosity};
use std::panic::{AssertUnwindSafe, catch_unwind};

pub fn runner(workload: Workload, mean_len: f64, seed: u64) -> Runner {
    match workload {
        Workload::Vec => {
            let (shortest, longest) = lengths(mean_len, seed);
            vec_runner(shortest, longest, seed)
        }
        Workload::Pair => Box::new(move |cases| {
            let property = |tc: TestCase| assert!(commutes(tc.draw(integers()), tc.draw(integers())));
            Hegel::new(property).settings(settings(seed, cases)).run()
        }),
    }
}

pub fn find(shape: Shape, seed: u64, cases: u64) -> bool {
    match shape {
        Shape::IntMin => fails(seed, cases, |tc| shape::int_min(tc.draw(default::<i64>()))),
        Shape::EqualPair => {
            fails(seed, cases, |tc| shape::equal_pair(tc.draw(default::<i64>()), tc.draw(default::<i64>())))
        }
        Shape::Duplicate => fails(seed, cases, |tc| shape::duplicate(tc.draw(default::<Vec<i32>>()))),
        Shape::NotANumber => fails(seed, cases, |tc| shape::not_a_number(tc.draw(default::<f64>()))),
        Shape::Nul => fails(seed, cases, |tc| shape::nul(tc.draw(default::<char>()))),
        Shape::Long => fails(seed, cases, |tc| shape::long(tc.draw(default::<Vec<u8>>()))),
        Shape::DeleteOne => fails(seed, cases, |tc| {
            shape::delete_one(tc.draw(default::<Vec<i32>>()), tc.draw(default::<i32>()))
        }),
        Shape::Nothing => fails(seed, cases, |tc| shape::nothing(tc.draw(default::<i64>()))),
    }
}

/// The bounds on the length whose mean comes closest to `mean_len`.
///
/// The engine steers lengths towards an average of its own and reuses parts of earlier cases, so the mean
/// follows from no formula and is tried out. It grows with either bound, which makes bisection enough.
fn lengths(mean_len: f64, seed: u64) -> (usize, usize) {
    const LONGEST: usize = 100;
    const TRIAL: u64 = 4_000;
    let mean = |shortest, longest| measure(TRIAL, &vec_runner(shortest, longest, seed)).mean_len;
    let bounds: &dyn Fn(usize) -> (usize, usize) =
        if mean(0, LONGEST) > mean_len { &|longest| (0, longest) } else { &|shortest| (shortest, LONGEST) };
    let (mut below, mut above) = (0, LONGEST);
    while above - below > 1 {
        let middle = (below + above) / 2;
        let (shortest, longest) = bounds(middle);
        if mean(shortest, longest) < mean_len { below = middle } else { above = middle }
    }
    let distance = |&(shortest, longest): &(usize, usize)| (mean(shortest, longest) - mean_len).abs();
    [bounds(below), bounds(above)]
        .into_iter()
        .min_by(|one, other| distance(one).total_cmp(&distance(other)))
        .expect("there are two candidates")
}

fn vec_runner(shortest: usize, longest: usize, seed: u64) -> Runner {
    Box::new(move |cases| {
        let property = |tc: TestCase| {
            let values = tc.draw(vecs(integers::<i32>()).min_size(shortest).max_size(longest));
            assert!(reversed_twice(&values))
        };
        Hegel::new(property).settings(settings(seed, cases)).run()
    })
}

fn fails(seed: u64, cases: u64, holds: impl Fn(&TestCase) -> bool) -> bool {
    let run = || {
        // Shrinking would only delay the answer.
        let settings = settings(seed, cases).phases([Phase::Generate]);
        Hegel::new(|tc: TestCase| assert!(holds(&tc))).settings(settings).run()
    };
    catch_unwind(AssertUnwindSafe(run)).is_err()
}

fn settings(seed: u64, cases: u64) -> Settings {
    // The base profile is the one no configuration file and no CI server changes.
    Settings::from_profile("base")
        .test_cases(cases)
        .seed(Some(seed))
        .database(None)
        .verbosity(Verbosity::Quiet)
        // A loaded machine is no reason to stop, and stopping would count as a bug found.
        .suppress_health_check([HealthCheck::TooSlow])
}
