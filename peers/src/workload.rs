//! The properties whose throughput is measured, and the clock that measures them.
//!
//! Each library calls the very same property functions; they count their own calls, so that a library
//! is credited with the cases it ran rather than with those it was asked to run.

use std::cell::Cell;
use std::hint::black_box;
use std::time::Instant;

/// A property all libraries check.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Workload {
    /// A `Vec<i32>` equals itself reversed twice.
    Vec,
    /// Wrapping addition of two `i64` commutes.
    Pair,
}

/// Runs a library's check of a workload for about as many cases as it is given.
pub type Runner = Box<dyn Fn(u64)>;

/// What one timed run showed.
#[derive(Clone, Copy)]
pub struct Measured {
    /// How often the property was called.
    pub cases: u64,
    /// How long the run took.
    pub seconds: f64,
    /// The mean length of the vectors the property saw; 0 for a workload without vectors.
    pub mean_len: f64,
}

impl Workload {
    pub const ALL: [Workload; 2] = [Workload::Vec, Workload::Pair];

    pub fn name(self) -> &'static str {
        match self {
            Workload::Vec => "vec",
            Workload::Pair => "pair",
        }
    }

    pub fn named(name: &str) -> Option<Workload> {
        Workload::ALL.into_iter().find(|workload| workload.name() == name)
    }
}

impl Measured {
    pub fn cases_per_second(&self) -> f64 {
        self.cases as f64 / self.seconds
    }
}

/// The property of [`Workload::Vec`].
pub fn reversed_twice(values: &[i32]) -> bool {
    count(values.len());
    let mut twice = black_box(values).to_vec();
    twice.reverse();
    // Without the barrier the optimizer may see that the second reversal undoes the first.
    black_box(&mut twice).reverse();
    twice == values
}

/// The property of [`Workload::Pair`].
pub fn commutes(a: i64, b: i64) -> bool {
    count(0);
    let (a, b) = black_box((a, b));
    a.wrapping_add(b) == b.wrapping_add(a)
}

/// Times `run` with ever more cases until it takes at least `seconds`, and returns the last run.
pub fn measure_for(seconds: f64, run: &Runner) -> Measured {
    let mut cases = 256;
    loop {
        let measured = measure(cases, run);
        if measured.seconds >= seconds {
            return measured;
        }
        // Aims a little past the goal, and grows in steps, because a short run predicts a long one badly.
        let factor = (1.2 * seconds / measured.seconds).clamp(2.0, 32.0);
        cases = (cases as f64 * factor) as u64;
    }
}

/// Times one run of `cases` cases.
pub fn measure(cases: u64, run: &Runner) -> Measured {
    TALLY.set(Tally::default());
    let start = Instant::now();
    run(cases);
    let seconds = start.elapsed().as_secs_f64();
    let Tally { calls, elements } = TALLY.get();
    assert!(calls > 0, "the library never called the property");
    Measured { cases: calls, seconds, mean_len: elements as f64 / calls as f64 }
}

#[derive(Clone, Copy, Default)]
struct Tally {
    calls: u64,
    elements: u64,
}

thread_local! {
    // Thread-local because quickcheck takes plain functions, which cannot capture a counter, and because
    // an atomic addition would be a visible part of the cheapest case.
    static TALLY: Cell<Tally> = const { Cell::new(Tally { calls: 0, elements: 0 }) };
}

fn count(elements: usize) {
    let Tally { calls, elements: before } = TALLY.get();
    TALLY.set(Tally { calls: calls + 1, elements: before + elements as u64 });
}
