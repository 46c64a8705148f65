//! The runs whose steps may still be flipped, within a bound of memory: what is dropped is run again when needed.

use std::collections::VecDeque;

use probity_core::Value;

use crate::path::Run;

/// How many expressions and steps of runs are kept at most; about 150 bytes each.
const KEPT_MAX: usize = 1_000_000;

/// How many solvers keep what they learnt.
const SOLVERS_MAX: usize = 12;

/// A run with its solver.
#[derive(Debug)]
pub(super) struct ResidentRun<S> {
    pub(super) run: Run,
    pub(super) solver: S,
}

impl<S> ResidentRun<S> {
    fn weight(&self) -> usize {
        self.run.dag.len() + self.run.path.steps.len() + 16
    }
}

#[derive(Debug)]
struct KeptRun<S> {
    answers: Vec<Value>,
    /// The hash of its path.
    end: u64,
    live: Option<ResidentRun<S>>,
    /// What `live` was found to weigh.
    weight: usize,
    /// How many of its candidates are open.
    open: u32,
    used: u64,
}

/// The runs.
#[derive(Debug)]
pub(super) struct Runs<S> {
    /// How many expressions and steps may be kept.
    pub(super) room: usize,
    all: Vec<KeptRun<S>>,
    weight: usize,
    clock: u64,
    /// Runs by when they were used; outdated entries stay until they come to the front.
    by_use: VecDeque<(u32, u64)>,
    with_solver: VecDeque<u32>,
}

impl<S> Default for Runs<S> {
    fn default() -> Self {
        Runs {
            room: KEPT_MAX,
            all: Vec::new(),
            weight: 0,
            clock: 0,
            by_use: VecDeque::new(),
            with_solver: VecDeque::new(),
        }
    }
}

impl<S: Default> Runs<S> {
    /// The number of the run that is kept next.
    pub(super) fn next_id(&self) -> u32 {
        self.all.len() as u32
    }

    /// Keeps a run with this many candidates.
    pub(super) fn keep(&mut self, answers: Vec<Value>, run: Run, end: u64, open: u32) {
        let id = self.next_id();
        let answers = if open == 0 { Vec::new() } else { answers };
        self.all.push(KeptRun { answers, end, live: None, weight: 0, open, used: 0 });
        self.put(id, ResidentRun { run, solver: S::default() });
    }

    /// Takes a run out, if it is at hand.
    pub(super) fn take(&mut self, id: u32) -> Option<ResidentRun<S>> {
        let it = &mut self.all[id as usize];
        let live = it.live.take();
        if live.is_some() {
            self.weight -= it.weight;
        }
        live
    }

    /// The answers of a run, and the hash of its path.
    pub(super) fn recipe(&self, id: u32) -> (Vec<Value>, u64) {
        let it = &self.all[id as usize];
        (it.answers.clone(), it.end)
    }

    /// Puts a run back after use; the ones that were not used for long make room.
    pub(super) fn put(&mut self, id: u32, live: ResidentRun<S>) {
        let it = &mut self.all[id as usize];
        if it.open == 0 {
            return;
        }
        self.clock += 1;
        it.weight = live.weight();
        it.used = self.clock;
        it.live = Some(live);
        self.weight += it.weight;
        self.by_use.push_back((id, self.clock));
        while self.weight > self.room {
            let Some((oldest, used)) = self.by_use.pop_front() else { break };
            if self.all[oldest as usize].used == used {
                self.take(oldest);
            }
        }
        self.with_solver.retain(|&other| other != id);
        self.with_solver.push_back(id);
        if self.with_solver.len() > SOLVERS_MAX
            && let Some(oldest) = self.with_solver.pop_front()
            && let Some(live) = &mut self.all[oldest as usize].live
        {
            live.solver = S::default();
        }
    }

    /// One candidate of a run less is open; a run without any is dropped.
    pub(super) fn release(&mut self, id: u32) {
        let it = &mut self.all[id as usize];
        it.open -= 1;
        if it.open == 0 {
            it.answers = Vec::new();
            self.take(id);
        }
    }
}
