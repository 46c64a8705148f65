//! A case like another: what the moves wrote is followed, and what does not fit is drawn.

use super::moves::{MoveContext, Neighbourhood};
use super::outline::{SpanLabels, TraceOutline};
use super::script::ScriptReplayer;
use crate::{Domain, Refusal, Rng, Sampler, Trace, Value};

/// Writes neighbours of traces and answers as they say. What goes from trace to trace rests on it.
pub(in crate::engine) struct Variation {
    pub(in crate::engine) rng: Rng,
    pub(in crate::engine) sampler: Sampler,
    pub(in crate::engine) labels: SpanLabels,
    pub(in crate::engine) replayer: ScriptReplayer,
    neighbourhood: Neighbourhood,
    temperature: f64,
    retry: Retry,
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

impl Variation {
    pub(in crate::engine) fn new(rng: Rng, sampler: Sampler) -> Self {
        Variation {
            rng,
            sampler,
            labels: SpanLabels::new(),
            replayer: ScriptReplayer::default(),
            neighbourhood: Neighbourhood::new(),
            temperature: 1.0,
            retry: Retry::default(),
        }
    }

    /// Begins a case like `base`, with parts of `other`. The sampler is to be started before.
    pub(in crate::engine) fn begin(
        &mut self,
        base: &TraceOutline,
        other: Option<&TraceOutline>,
        temperature: f64,
    ) {
        self.retry.refused.clear();
        self.retry.until = 0;
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

    /// The next answer of a case like `base`.
    #[inline]
    pub(in crate::engine) fn answer(
        &mut self,
        domain: &Domain,
        so_far: &Trace,
        base: &TraceOutline,
    ) -> Value {
        let written = self.replayer.next(so_far, &base.values, &mut self.labels);
        match written.filter(|it| domain.contains(*it)) {
            Some(value) if so_far.choices.len() >= self.retry.until => value,
            Some(value) => self.vary(domain, value),
            None => self.sampler.value(domain),
        }
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

    /// What to do where a generator refuses what it drew from choice number `start` on.
    pub(in crate::engine) fn refuse(&mut self, start: usize) -> Refusal {
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

    /// Says whether the neighbour was better than what it is a neighbour of.
    pub(in crate::engine) fn learn(&mut self, helped: bool) {
        self.neighbourhood.learn(helped);
    }
}
