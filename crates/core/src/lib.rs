//! The core of Probity: a test is a program that makes typed choices, an engine answers them.
//!
//! Nothing here reads a clock, a file or the environment: seeds and budgets come in as values, and the
//! same seed gives the same run. Users depend on the crate `probity`, which adds all of that.
#![forbid(unsafe_code)]

mod case;
mod chars;
pub mod conformance;
pub mod context;
mod counts;
mod domain;
mod engine;
mod explain;
mod floats;
mod generator;
mod generators;
mod history;
mod int;
mod order;
mod pump;
mod render;
mod rng;
mod sampler;
mod search;
mod shrink;
mod small;
mod source;
mod space;
mod trace;
mod unwind;
mod value;

pub use case::{Broken, Case, Cover, Failure, Input, Log, Misuse, Origin, OriginKind, Score, Site, Verdict};
pub use counts::Counts;
pub use domain::Domain;
pub use engine::{
    Aligned, Annealing, Bounds, Ended, Engine, Exhaustive, Listed, Narrow, Random, Reach, Refusal, Replay,
    Schedule, Stop, Tail, Targeted,
};
pub use explain::{Explanation, Pattern, explain};
pub use generator::{Any, Combine, From, Generate, Generator, any, from, sample};
pub use generators::*;
pub use history::History;
pub use int::Int;
pub use pump::{pump, pump_max, pump_min_max};
pub use render::cut;
pub use rng::Rng;
pub use sampler::Sampler;
pub use search::{
    Budget, Climb, CoverTally, Curve, Finding, Found, Peak, Point, Progress, Running, Share, Tally, search,
    search_exhaustive, search_exhaustive_share, search_exhaustive_unscored, search_near, search_random,
    search_targeted,
};
pub use shrink::{Shrunk, shrink};
pub use source::{Ask, CHOICES_MAX, SIZE, Source};
pub use space::{Part, Space, Spaces, UnknownSpace};
pub use trace::{Choice, Span, SpanKind, Trace};
pub use unwind::{
    PANICS_WHEN_DROPPED, Test, case_ends, fail_with_error, misuse, render_case, run_case, run_uncaught,
};
pub use value::{ParseValueError, Value};
