//! bolero: its default engine, without the time limits of that engine.
//!
//! A run cannot be seeded: the seed the library reads from its environment only adds a first case. So the
//! seeds of a search are, for this library, as many independent runs.

use crate::shape::{self, Shape};
use crate::workload::{Runner, Workload, commutes, reversed_twice};
use bolero::{TypeGenerator, check, produce};
use std::fmt::Debug;
use std::panic::{RefUnwindSafe, catch_unwind};
use std::time::Duration;

pub fn runner(workload: Workload, mean_len: f64, _seed: u64) -> Runner {
    match workload {
        Workload::Vec => {
            // A length is uniform in its range.
            let longest = (2.0 * mean_len).round() as usize;
            Box::new(move |cases| {
                check!()
                    .with_generator(produce::<Vec<i32>>().with().len(0..=longest))
                    .with_iterations(cases as usize)
                    .for_each(|values| assert!(reversed_twice(values)))
            })
        }
        Workload::Pair => Box::new(move |cases| {
            check!()
                .with_type::<(i64, i64)>()
                .with_iterations(cases as usize)
                .for_each(|&(a, b)| assert!(commutes(a, b)))
        }),
    }
}

pub fn find(shape: Shape, _seed: u64, cases: u64) -> bool {
    match shape {
        Shape::IntMin => fails(cases, shape::int_min),
        Shape::EqualPair => fails(cases, |(a, b)| shape::equal_pair(a, b)),
        Shape::Duplicate => fails(cases, shape::duplicate),
        Shape::NotANumber => fails(cases, shape::not_a_number),
        Shape::Nul => fails(cases, shape::nul),
        Shape::Long => fails(cases, shape::long),
        Shape::DeleteOne => fails(cases, |(values, x)| shape::delete_one(values, x)),
        Shape::Nothing => fails(cases, shape::nothing),
    }
}

fn fails<T>(cases: u64, holds: fn(T) -> bool) -> bool
where
    T: TypeGenerator + Clone + Debug + RefUnwindSafe + 'static,
{
    let run = || {
        check!()
            .with_type::<T>()
            .with_iterations(cases as usize)
            .with_shrink_time(Duration::ZERO)
            .cloned()
            .for_each(|value| assert!(holds(value)))
    };
    catch_unwind(run).is_err()
}
