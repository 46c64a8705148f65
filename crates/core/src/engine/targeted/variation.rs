//! A case like another: what the moves wrote is followed, and what does not fit is drawn.

use std::sync::Arc;

use super::moves::{MoveContext, Neighbourhood};
use super::outline::{SpanLabels, TraceOutline};
use super::script::ScriptReplayer;
use crate::{CaseShape, Domain, Ordered, Progress, Refusal, Rng, Sampler, Seed, Site, Trace, Value};

/// Answers the cases of an engine that goes from trace to trace: it draws some, and writes neighbors of traces for the
/// others.
pub(in crate::engine) struct Variation {
    pub(in crate::engine) seed: Seed,
    /// Keeps what neighbors draw apart from the random cases of the same seed.
    salt: u64,
    pub(in crate::engine) running: CaseKind,
    /// Who watches: a case does not follow from its number.
    pub(in crate::engine) progress: Option<Arc<Progress>>,
    pub(in crate::engine) rng: Rng,
    pub(in crate::engine) sampler: Sampler,
    pub(in crate::engine) labels: SpanLabels,
    pub(in crate::engine) replayer: ScriptReplayer,
    neighbourhood: Neighbourhood,
    temperature: f64,
    retry: Retry,
}

/// What the running case is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::engine) enum CaseKind {
    /// Drawn at random.
    Sample,
    /// As given by others.
    Given,
    /// Like another one.
    Neighbour,
}

/// What generators refused in the running case.
#[derive(Default)]
struct Retry {
    /// From which choice on, and how often; what is refused within what is drawn again counts anew.
    refused: Vec<(usize, u32)>,
    /// Up to which choice answers are varied again.
    until: usize,
}

/// How often what a filter refuses is varied again before it is drawn anew, and how often in all.
const NEAR_TRIES: u32 = 6;
const AGAIN_TRIES: u32 = 16;
/// A random case that is late enough to have no edges in it but rarely; see [`Sampler`].
pub(super) const LATE: u64 = 1 << 11;

impl Variation {
    pub(in crate::engine) fn new(seed: Seed, salt: u64, rng: Rng) -> Self {
        Variation {
            seed,
            salt,
            running: CaseKind::Sample,
            progress: None,
            rng,
            sampler: Sampler::IDLE,
            labels: SpanLabels::new(),
            replayer: ScriptReplayer::default(),
            neighbourhood: Neighbourhood::new(),
            temperature: 1.0,
            retry: Retry::default(),
        }
    }

    /// Begins random case number `index`.
    pub(in crate::engine) fn begin_sample(&mut self, index: u64) {
        self.begin(CaseKind::Sample);
        self.sampler.start(self.seed, index);
    }

    /// Begins a case whose answers others give.
    pub(in crate::engine) fn begin_given(&mut self, index: u64) {
        self.begin(CaseKind::Given);
        self.sampler.start_even(self.seed.own_word(), index);
    }

    /// Begins a case like `base`, with parts of `other`.
    pub(in crate::engine) fn begin_neighbour(
        &mut self,
        index: u64,
        base: &TraceOutline,
        other: Option<&TraceOutline>,
        temperature: f64,
    ) {
        self.begin(CaseKind::Neighbour);
        self.sampler.start_even(self.seed.own_word() ^ self.salt, LATE + (index << 5));
        self.temperature = temperature;
        let mut context = MoveContext {
            base,
            other,
            step: self.labels.number("step"),
            temperature,
            rng: &mut self.rng,
            sampler: &mut self.sampler,
        };
        self.neighbourhood.write(&mut self.replayer, &mut context);
        self.replayer.start();
    }

    fn begin(&mut self, kind: CaseKind) {
        self.running = kind;
        self.retry.refused.clear();
        self.retry.until = 0;
        if let Some(progress) = &self.progress {
            progress.begin_answers();
        }
    }

    /// The next answer: `given` in a case that others give, and in a neighbor one like those of `base`; where that does
    /// not fit, any.
    #[inline]
    pub(in crate::engine) fn answer(
        &mut self,
        domain: &Domain,
        so_far: &Trace,
        given: Option<Value>,
        base: Option<&TraceOutline>,
    ) -> Value {
        let written = match (self.running, base) {
            (CaseKind::Neighbour, Some(base)) => self.replayer.next(so_far, &base.values, &mut self.labels),
            _ => given,
        };
        let value = match written.filter(|it| domain.contains(*it)) {
            Some(value) if so_far.choices.len() >= self.retry.until => value,
            Some(value) => self.vary(domain, value),
            None => self.sampler.value(domain),
        };
        if let Some(progress) = &self.progress {
            progress.answer(so_far.choices.len(), value);
        }
        value
    }

    /// Another answer where `value` was refused.
    #[cold]
    fn vary(&mut self, domain: &Domain, value: Value) -> Value {
        if self.retry.refused.last().is_some_and(|it| it.1 > NEAR_TRIES) {
            return self.sampler.value(domain);
        }
        if self.rng.chance(128) {
            return value;
        }
        let changes = &mut self.neighbourhood.changes;
        changes.near(domain, value, self.temperature, &mut self.rng, &mut self.sampler)
    }

    /// Says whether the neighbor was better than what it is a neighbor of.
    pub(in crate::engine) fn learn(&mut self, helped: bool) {
        self.neighbourhood.learn(helped);
    }
}

impl Ordered for Variation {
    fn shape(&mut self) -> CaseShape {
        self.sampler.shape()
    }

    fn left_out(&mut self, site: u64) -> u64 {
        self.sampler.left_out(site)
    }

    fn is_sample(&mut self) -> bool {
        self.running == CaseKind::Sample
    }

    /// What is refused is varied a few times before it is drawn anew.
    fn refuse(&mut self, start: usize, can_return: bool, _: Site) -> Refusal {
        if self.running != CaseKind::Neighbour || !can_return {
            return Refusal::Redraw;
        }
        let refused = &mut self.retry.refused;
        while refused.last().is_some_and(|it| start < it.0) {
            refused.pop();
        }
        if refused.last().is_none_or(|it| it.0 != start) {
            refused.push((start, 0));
        }
        if let Some((_, tries)) = refused.last_mut() {
            *tries += 1;
            if *tries > AGAIN_TRIES {
                return Refusal::Redraw; // it is for the generator to say when that is enough
            }
        }
        let since = self.replayer.back(start);
        self.retry.until = self.retry.until.max(start + since);
        Refusal::Again
    }
}
