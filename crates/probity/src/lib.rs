//! Write a test once and leave its inputs blank; every engine can fill them in.
//!
//! ```
//! use probity::prelude::*;
//!
//! #[probity::test]
//! fn sorting_keeps_length(v: Vec<i32>) {
//!     let mut sorted = v.clone();
//!     sorted.sort();
//!     assert_eq!(sorted.len(), v.len());
//! }
//! # fn main() {}
//! ```
//!
//! The test is a plain `#[test]`. If it fails, the report shows the simplest input that fails in the same way, which
//! parts of it matter, and a command that runs it again. The input is kept in a file beside `Cargo.toml` and runs first
//! from then on.
//!
//! **The book is here: [`guide`].** Start with [getting started](guide::getting_started).
//!
//! | you want | use | chapter |
//! | --- | --- | --- |
//! | blanks | types, [`#[from(..)]`](macro@test), a [`Source`] | [blanks](guide::blanks) |
//! | generators | [ranges](Ranged), [`any`], [`vec()`], [`one_of()`], [`recursive`]; the methods of [`Combine`]; [`#[derive(Generate)]`](derive@Generate) | [blanks](guide::blanks) |
//! | to say something in a test | [`assume!`], [`check!`], [`note!`], [`classify!`], [`collect!`], [`cover!`], [`reach!`] | [blanks](guide::blanks#in-the-test) |
//! | a search that climbs | [`maximize`], [`minimize`], [`find`] | [scores](guide::scores) |
//! | a system beside its model, threads | [`#[model(..)]`](macro@model), [`threads`] | [stateful tests](guide::stateful#models) |
//! | every input | `engine = "exhaustive"`, [`Space`] | [every input](guide::every_input) |
//! | magic values | nothing; `engine = "concolic"`, [`pump`] | [magic values](guide::magic_values) |
//! | proofs | `prove = true` | [proofs](guide::proofs) |
//! | crashes as failures | `isolate = true` | [crashes](guide::crashes) |
//! | patterns, requirements, inputs that differ | the feature `spec`, the module `spec` | [specs](guide::specs) |
//! | tests without macros | [`check()`], [`Check`] | [blanks](guide::blanks#blanks) |
//! | settings | [`settings`] | [settings](guide::settings) |

mod bridges;
mod check;
pub mod contract;
pub mod corpus;
pub mod events;
mod files;
mod find;
#[doc(hidden)] // for `fuzz_target!`
pub mod fuzzer;
#[cfg(any(doc, test))]
pub mod guide;
mod isolate;
mod macros;
mod nesting;
mod panics;
mod program;
#[cfg(feature = "spec")]
#[doc(hidden)]
pub mod readers;
mod report;
mod run;
pub mod settings;
#[cfg(feature = "regex")]
pub mod spec;
pub mod store;
pub mod threads;
mod watchdog;

pub use bridges::*;
pub use check::{Check, Literals, Outcome, SettingText, check};
pub use find::{Best, find};
pub use probity_core::context::{maximize, minimize};
pub use probity_core::{
    Alternatives, Any, Blanks, CHOICES_MAX, Combine, Function, Generate, Generator, Labels, Lazy, Nesting,
    Part, Pool, Ranged, Referent, SIZE, Schedule, SizeLeft, Source, Space, Spaces, Text, UnknownSpace, any,
    btree_map, btree_set, bytes, chance, crates, fill, from, function, hash_map, hash_set, index, just, lazy,
    literal, misuse, one_of, optional, pump, pump_max, pump_min_max, recursive, sample, select, shuffle,
    sized, steps, string, subset, unique, vec, vec_deque, weighted,
};
pub use probity_macros::{Generate, api, api_table, contract, model, test};
#[cfg(feature = "spec")]
pub use probity_macros::{Spec, measures, spec};
pub use program::TestProgram;
pub use run::EngineKind;

#[doc(hidden)] // for the macros
pub use probity_core::context;

/// The waist: what an engine is asked, how it answers, and how cases are run with it. For those who write engines, or
/// run cases by themselves.
///
/// **Stability.** Users of tests and generators need nothing of this, and it grows with every engine: what is here may
/// change in a minor version before 1.0, and is named in the changelog then.
///
/// ```
/// use probity::engine::{Random, run_case};
/// use probity::prelude::*;
/// let mut source = Source::new(Box::new(Random::new(7)));
/// let case = run_case(&mut source, &mut |src: &mut Source| assert!(src.draw(1..=6) <= 6)).unwrap();
/// assert_eq!(case.trace.choices.len(), 1);
/// ```
pub mod engine {
    pub use probity_core::{
        Aligned, Annealing, Bounds, Budget, Case, CaseShape, Choice, Corpus, CorpusEntry, Cover, Domain,
        Ended, Engine, Evidence, Exhaustive, Found, History, Log, Misuse, Narrow, Ordered, Places, Progress,
        Random, Refusal, Replay, Rng, Running, Sampler, Score, SearchResult, Seed, Share, Shrunk, SortedMap,
        Span, SpanKind, Stop, Swarm, Tail, Targeted, Test, Trace, Value, Verdict, conformance, explain,
        render_case, run_case, run_uncaught, search, search_adaptive, search_corpus, search_exhaustive,
        search_exhaustive_share, search_exhaustive_unscored, search_random, search_smallest, shrink,
    };
}

/// Tables of calls: what `#[probity::api]` and [`api_table!`](crate::api_table) expand to.
///
/// ```
/// assert!(probity::api::facts!(Vec<u8>).cmp.is_some());
/// ```
pub mod api {
    pub use probity_core::{
        ArmSet, CallArgument, CallSequence, CallTable, Literal, MethodLines, ResultProbe, TableCall,
        TypeFacts, TypeProbe, facts, probes, run_calls,
    };
}

/// The types of generators, for those who have to name them. The functions that make them are at the top of the crate.
///
/// ```
/// use probity::generators::{Just, VecOf};
/// use probity::prelude::*;
/// let sevens: VecOf<Just<u8>> = vec(just(7), 2..=2);
/// assert_eq!(sample(&sevens, 1), [7, 7]);
/// ```
pub mod generators {
    pub use probity_core::{
        AndThen, Boxed, ByRef, BySize, Chance, Filter, From, FunctionOf, HashKey, Held, Hold, Index, Int,
        Just, LazyOf, Lengths, Map, MapOf, Neighbor, OneOf, Optional, Recursive, Select, SetOf, Shuffle,
        StringOf, Subset, Take, Unique, VecDequeOf, VecOf,
    };
}

/// What a file of tests wants in scope.
///
/// ```
/// use probity::prelude::*;
/// let pair = (any::<u8>(), from(0..10).map(|n| n * 2));
/// assert!(sample(&pair, 7).1 < 20);
/// ```
///
/// Everyday words such as `from`, `select`, `find` and `check` are among them because nearly every test says one of them, and
/// because what comes by `*` gives way: your own item or `use` of the same name wins.
///
/// ```
/// use probity::prelude::*;
/// fn select(list: &[u8]) -> Option<&u8> { list.first() }
/// assert_eq!(select(&[7]), Some(&7));
/// ```
pub mod prelude {
    #[cfg(feature = "spec")]
    pub use crate::spec::Declared;
    #[cfg(feature = "regex")]
    pub use crate::spec::matching;
    pub use crate::{
        Combine, Function, Generate, Generator, Labels, Lazy, Pool, Source, any, assume, btree_map,
        btree_set, check, classify, collect, cover, find, from, function, hash_map, hash_set, just, lazy,
        maximize, minimize, note, one_of, optional, pump, pump_max, pump_min_max, reach, recursive, sample,
        select, shuffle, sized, steps, string, subset, unique, vec, weighted,
    };
    // By its path, `api` is the attribute.
    pub use crate::api_table as api;
    #[cfg(feature = "spec")]
    pub use crate::{Spec, spec};
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeDoctests;
