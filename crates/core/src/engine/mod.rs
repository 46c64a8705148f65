//! The waist: how an engine answers choices.

mod aligned;
mod byte_mutator;
mod bytes;
mod corpus;
mod exhaustive;
mod kept;
mod replay;
mod targeted;

use crate::{Case, CaseShape, Domain, Sampler, Seed, Site, Trace, Value};

pub use aligned::Aligned;
pub use byte_mutator::ByteMutator;
pub use bytes::ByteReplay;
pub use corpus::{Corpus, CorpusEntry};
pub(crate) use exhaustive::Walk;
pub use exhaustive::{Bounds, Exhaustive, Reach};
pub(crate) use kept::KeptEngine;
pub use replay::{Replay, Tail};
pub use targeted::{Annealing, Schedule, Targeted};

/// A strategy that answers choices. Between cases it plans; within a case it answers.
///
/// Laws, checked for every engine by [`conformance`](crate::conformance):
///
/// 1. every answer is a member of the domain it was asked for;
/// 2. two engines made alike and asked alike answer alike;
/// 3. `begin` and `end` alternate, and `answer` is asked only between them;
/// 4. [`Ended::Complete`] is said only when every trace was visited, and each only once;
/// 5. a test that draws nothing runs once under an engine that knows its last case.
///
/// ```
/// use probity_core::{Case, Domain, Ended, Engine, Stop, Trace, Value};
/// /// Always gives the simplest answer, once.
/// struct Simplest { done: bool }
/// impl Engine for Simplest {
///     fn begin(&mut self) -> Result<(), Ended> {
///         if std::mem::replace(&mut self.done, true) { Err(Ended::Exhausted) } else { Ok(()) }
///     }
///     fn answer(&mut self, domain: &Domain, _: &Trace) -> Result<Value, Stop> {
///         Ok(domain.simplest())
///     }
///     fn end(&mut self, _: &Case) {}
/// }
/// probity_core::conformance::check(|| Box::new(Simplest { done: false }));
/// ```
pub trait Engine {
    /// Prepares the next case, or says why there is none.
    fn begin(&mut self) -> Result<(), Ended>;
    /// Answers one choice with a member of `domain`, or stops the case.
    fn answer(&mut self, domain: &Domain, so_far: &Trace) -> Result<Value, Stop>;
    /// Learns how the case went.
    fn end(&mut self, case: &Case);
    /// What the engine knows beyond the answers that it gives, if it knows more. A wrapper passes on what it wraps.
    ///
    /// ```
    /// use probity_core::{Engine, Random, Replay, Tail};
    /// assert!(Random::new(7).order().is_some(), "it gives cases a shape");
    /// assert!(Replay::new(vec![], Tail::Overrun).order().is_none(), "it knows nothing but its answers");
    /// ```
    fn order(&mut self) -> Option<&mut dyn Ordered> {
        None
    }
}

impl<E: Engine + ?Sized> Engine for Box<E> {
    fn begin(&mut self) -> Result<(), Ended> {
        (**self).begin()
    }

    fn answer(&mut self, domain: &Domain, so_far: &Trace) -> Result<Value, Stop> {
        (**self).answer(domain, so_far)
    }

    fn end(&mut self, case: &Case) {
        (**self).end(case);
    }

    fn order(&mut self) -> Option<&mut dyn Ordered> {
        (**self).order()
    }
}

/// What an engine knows that does not draw each answer by itself: one that visits inputs in an order, goes from one to
/// the next, or gives cases a shape.
///
/// ```
/// use probity_core::{Bounds, Engine, Exhaustive, Random};
/// assert!(Random::new(7).order().is_some_and(|it| it.is_sample() && it.places(0).is_none()));
/// let mut engine = Exhaustive::new(Bounds::default());
/// assert!(engine.order().is_some_and(|it| it.places(0).is_some()), "it visits every input");
/// assert!(!Random::new(7).order().unwrap().is_beyond_random());
/// ```
pub trait Ordered {
    /// Learns that a generator refuses what it drew from choice number `start` on, and says what to do.
    /// An engine that visits inputs in an order can go on to the next one from there, which is the same
    /// as rejecting the case but without the way back to `start`; unless `can_return` is false, because
    /// something drawn since outlives the refusal. See [`Refusal`].
    fn refuse(&mut self, start: usize, can_return: bool, site: Site) -> Refusal {
        let _ = (start, can_return, site);
        Refusal::Redraw
    }
    /// Learns that the generator can make more than the engine is asked for. An engine that has given every answer
    /// then has not visited every input, and does not say [`Ended::Complete`].
    ///
    /// ```
    /// use probity_core::{Bounds, Ended, Engine, Exhaustive, Narrow, Source, run_case};
    /// let visit_all = |is_narrow: bool| {
    ///     let mut engine = Exhaustive::new(Bounds::default());
    ///     if is_narrow {
    ///         engine.order().unwrap().narrow(Narrow::Neighbors);
    ///     }
    ///     let mut source = Source::new(Box::new(engine));
    ///     loop {
    ///         if let Err(ended) = source.begin() {
    ///             return ended;
    ///         }
    ///         let case = run_case(&mut source, &mut |src: &mut Source| { src.bool(); }).unwrap();
    ///         source.end(&case);
    ///     }
    /// };
    /// assert_eq!(visit_all(false), Ended::Complete);
    /// assert_eq!(visit_all(true), Ended::Exhausted, "both answers, but not every input");
    /// ```
    fn narrow(&mut self, by: Narrow) {
        let _ = by;
    }
    /// Where the answers from choice number `start` on are in the order in which the engine visits
    /// inputs, if it visits all. A generator of sets takes its items in that order only, so that each
    /// set is visited once.
    fn places(&mut self, start: usize) -> Option<Vec<u64>> {
        let _ = start;
        None
    }
    /// Whether the case is drawn like those of the random engine, so that the shares of such cases tell
    /// something of all inputs.
    fn is_sample(&mut self) -> bool {
        true
    }
    /// How the values of the case nest, where they are drawn like those of the random engine; see [`CaseShape`].
    fn shape(&mut self) -> CaseShape {
        CaseShape::default()
    }
    /// What the case leaves out of the alternatives of a place, by bit; see [`Swarm`](crate::Swarm).
    ///
    /// ```
    /// use probity_core::{Engine, Random};
    /// let mut engine = Random::new(7);
    /// let left_out = |_: u32| {
    ///     engine.begin().unwrap();
    ///     engine.order().unwrap().left_out(3)
    /// };
    /// let all: Vec<u64> = (0..500).map(left_out).collect();
    /// assert_eq!(all[0], 0, "the first case has every alternative");
    /// assert!(all.iter().any(|it| *it != 0));
    /// ```
    fn left_out(&mut self, site: u64) -> u64 {
        let _ = site;
        0
    }
    /// Whether the case may have answers that the random engine never gives: then a value that nests too deep says
    /// nothing of its type.
    fn is_beyond_random(&mut self) -> bool {
        !self.is_sample()
    }
}

/// What keeps an engine from being asked for everything that a generator can make.
///
/// ```
/// use probity_core::{Bounds, Combine, Ended, Engine, Exhaustive, Narrow, Source, from, run_case};
/// let mut source = Source::new(Box::new(Exhaustive::new(Bounds::default())));
/// let steps = from(0..3).neighbor(|it, _, _| it + 10);
/// while source.begin().is_ok() {
///     let case = run_case(&mut source, &mut |src: &mut Source| { src.draw(steps.by_ref()); }).unwrap();
///     source.end(&case);
/// }
/// assert_eq!(source.begin(), Err(Ended::Exhausted), "nobody knows what the neighbors are");
/// assert_ne!(Narrow::Neighbors, Narrow::Size);
/// ```
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Narrow {
    /// It has neighbors that the user gives, which only engines that go from value to value take.
    Neighbors,
    /// It ends by the size budget of random cases; see [`Source::size`](crate::Source::size).
    Size,
    /// The case was broken off: it nests too deep, or asks for too many choices.
    Deep,
}

/// What to do when a generator refuses what it drew.
///
/// ```
/// use probity_core::{Annealing, Engine, Refusal, Site, SourcePlace, Targeted};
/// let mut engine = Targeted::at(7, 0, Annealing::default());
/// let site = Site { what: "filter", location: SourcePlace::caller() };
/// let refusal = engine.order().unwrap().refuse(0, true, site);
/// assert_eq!(refusal, Refusal::Redraw, "the next answers are other ones");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Draw once more; the refused choices stay in the trace.
    Redraw,
    /// Draw once more; the refused choices are forgotten.
    Again,
    /// Reject the case.
    Reject,
}

/// Why a search has no further case.
///
/// ```
/// use probity_core::{Ended, Engine, Replay, Tail};
/// let mut replay = Replay::new(vec![], Tail::Simplest);
/// assert_eq!(replay.begin(), Ok(()));
/// assert_eq!(replay.begin(), Err(Ended::Exhausted), "there was only one case to replay");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Every trace was visited: a proof within the bounds.
    Complete,
    /// The engine has nothing left that it knows to try.
    Exhausted,
    /// The caller's budget is spent.
    Budget,
    /// The caller said to stop before that, such as for want of time; or nearly every case asked for too many choices.
    Stopped,
}

/// Why an engine stops a case.
///
/// ```
/// use probity_core::{Domain, Engine, Replay, Stop, Tail, Trace};
/// let mut replay = Replay::new(vec![], Tail::Overrun);
/// assert_eq!(replay.answer(&Domain::Bool, &Trace::default()), Err(Stop::Overrun));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The input is not wanted.
    Reject(Site),
    /// The engine has no more answers.
    Overrun,
}

/// The random engine: samples every answer. Case `n` of a seed is always the same.
///
/// ```
/// use probity_core::{Engine, Random};
/// assert!(Random::new(7).begin().is_ok());
/// ```
#[derive(Clone, Debug)]
pub struct Random {
    seed: Seed,
    next: u64,
    sampler: Sampler,
}

impl Random {
    /// An engine whose cases all follow from `seed`.
    pub fn new(seed: impl Into<Seed>) -> Self {
        Random::at(seed, 0)
    }

    /// An engine that begins with case number `index`.
    ///
    /// ```
    /// use probity_core::{Domain, Engine, Random, Trace};
    /// let (mut all, mut last) = (Random::new(7), Random::at(7, 2));
    /// let _ = (all.begin(), all.begin(), all.begin(), last.begin());
    /// let domain = Domain::int(0, 1_000_000);
    /// assert_eq!(all.answer(&domain, &Trace::default()), last.answer(&domain, &Trace::default()));
    /// ```
    pub fn at(seed: impl Into<Seed>, index: u64) -> Self {
        let seed = seed.into();
        Random { seed, next: index, sampler: Sampler::new(seed, index) }
    }
}

impl Engine for Random {
    fn begin(&mut self) -> Result<(), Ended> {
        self.sampler.start(self.seed, self.next);
        // There is no case behind the last one, which may be replayed.
        self.next = self.next.wrapping_add(1);
        Ok(())
    }

    fn answer(&mut self, domain: &Domain, _: &Trace) -> Result<Value, Stop> {
        Ok(self.sampler.value(domain))
    }

    fn end(&mut self, _: &Case) {}

    fn order(&mut self) -> Option<&mut dyn Ordered> {
        Some(self)
    }
}

impl Ordered for Random {
    fn shape(&mut self) -> CaseShape {
        self.sampler.shape()
    }

    fn left_out(&mut self, site: u64) -> u64 {
        self.sampler.left_out(site)
    }
}
