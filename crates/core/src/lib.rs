//! The core of Probity: a test is a program that makes typed choices, an engine answers them.
//!
//! Nothing here reads a clock, a file or the environment: seeds and budgets come in as values, and the
//! same seed gives the same run. Users depend on the crate `probity`, which adds all of that.
#![forbid(unsafe_code)]

mod blanks;
mod calls;
mod case;
mod chars;
pub mod conformance;
pub mod context;
pub mod crates;
mod domain;
mod drawn;
mod engine;
mod explain;
mod floats;
mod generator;
mod generators;
mod history;
mod insertion_sort;
mod int;
mod linear;
pub mod literal;
mod place;
mod pump;
mod render;
mod rng;
mod sampler;
mod search;
mod seed;
mod shrink;
mod size;
mod sorted_map;
mod source;
mod space;
mod trace;
mod unwind;
mod value;

pub use blanks::{Blanks, Referent, Text};
pub use calls::{
    CallArgument, CallSequence, CallTable, MethodLines, ResultProbe, TableCall, TypeFacts, TypeProbe, probes,
    run_calls,
};
pub use case::{
    Broken, Case, Cover, Failure, Goal, Input, Log, Misuse, Origin, OriginKind, Score, Site, Verdict,
};
pub use domain::Domain;
pub use drawn::{Drawn, DrawnInputs};
pub use engine::{
    Aligned, Annealing, Bounds, ByteMutator, ByteReplay, Corpus, CorpusEntry, Ended, Engine, Exhaustive,
    Narrow, Ordered, Random, Reach, Refusal, Replay, Schedule, Stop, Tail, Targeted,
};
pub use explain::{Explanation, Pattern, explain};
pub use generator::{Any, Combine, From, Generate, Generator, any, from, sample};
pub use generators::*;
pub use history::History;
pub use int::Int;
pub use linear::{CALLS_MAX, CallTime, Linearization, linearize};
pub use literal::Literal;
pub use place::SourcePlace;
pub use pump::{PumpOrder, pump, pump_max, pump_min_max};
pub use render::{cut, debug_text};
pub use rng::Rng;
pub use sampler::{CaseShape, Nesting, Sampler, SizeLeft};
pub use search::{
    ArmTally, BestCase, Budget, CoverTally, Curve, Evidence, Explored, Found, GoalTally, Places, Point,
    Progress, Proof, Running, SearchResult, Share, Tally, Trajectory, search, search_adaptive, search_corpus,
    search_exhaustive, search_exhaustive_share, search_exhaustive_unscored, search_random, search_smallest,
};
pub use seed::{CasePart, Seed, Swarm};
pub use shrink::{SIZED, SWITCHES, Shrunk, THREADS, shrink};
pub use sorted_map::SortedMap;
pub use source::{Arm, ArmSet, CHOICES_MAX, Callbacks, SIZE, ScalarKind, Source, Steps, narrowed};
pub use space::{Part, Space, Spaces, UnknownSpace};
pub use trace::{Choice, Span, SpanKind, Trace};
pub use unwind::{
    CaseEnd, PANICS_WHEN_DROPPED, Test, case_ended, catch_panic, end_case, fail_case, fail_with_error,
    mark_failed, mark_rejected, misuse, render_case, run_case, run_uncaught,
};
pub use value::{ParseValueError, Value};
