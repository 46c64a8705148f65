//! The targeted engine: simulated annealing over traces.
//!
//! The test gives each case a score. A case whose score is good is the base of the next ones: its trace is
//! varied a little (`moves`), the test is run with it (`follow`), and the new case takes the base's place
//! where it is better, or not much worse. No generator has to know: a trace holds the choices that made the
//! value, so there is nothing to guess back from it.

mod bandit;
mod line_search;
mod moves;
mod numbers;
pub(super) mod outline;
pub(super) mod scoreboard;
mod script;
#[cfg(test)]
mod tests;
pub(super) mod variation;

use std::sync::Arc;

use crate::rng::hash;
use crate::{
    Case, Domain, Ended, Engine, Ordered, Progress, Rng, Seed, Stop, Trace, Trajectory, Value, Verdict,
};

use numbers::unit;
use outline::TraceOutline;
use scoreboard::Scoreboard;
use variation::{CaseKind, Variation};

/// How the targeted engine goes from case to case.
///
/// ```
/// use probity_core::{Annealing, Schedule};
/// let climber = Annealing { schedule: Schedule::HillClimbing, ..Annealing::default() };
/// assert_eq!(climber.cases, Annealing::default().cases);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Annealing {
    /// How the temperature falls.
    pub schedule: Schedule,
    /// How many cases a search lasts that has a score.
    pub cases: u64,
    /// The score that is enough: the search ends there.
    pub goal: Option<f64>,
}

impl Default for Annealing {
    fn default() -> Self {
        Annealing { schedule: Schedule::Spread, cases: 10_000, goal: None }
    }
}

/// How the temperature falls, and with it the chance that a worse case is accepted.
///
/// A case that is worse by `d` is accepted with probability `exp(-d / t)` at temperature `t`.
///
/// ```
/// use probity_core::Schedule;
/// assert_ne!(Schedule::Linear { from: 1.0 }, Schedule::Linear { from: 10.0 }, "in units of the score");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Schedule {
    /// From what neighbors differ by, so that the unit of the score does not matter, in runs that begin
    /// anew when they get no further.
    Spread,
    /// By the same amount each case, down to zero.
    Linear {
        /// The first temperature, in the unit of the score.
        from: f64,
    },
    /// By the same share each case, down to a thousandth.
    Geometric {
        /// The first temperature, in the unit of the score.
        from: f64,
    },
    /// No temperature: nothing worse is accepted. The baseline that annealing is held against.
    HillClimbing,
}

/// The targeted engine: random until the test gives a score, then cases like the best so far.
///
/// ```
/// use probity_core::{Annealing, Engine, Targeted, conformance};
/// conformance::check(|| Box::new(Targeted::at(7, 0, Annealing::default())));
/// ```
pub struct Targeted {
    annealing: Annealing,
    next: u64,
    variation: Variation,
    scoreboard: Scoreboard,
    /// What neighbors are made of, and how it scores.
    base: TraceOutline,
    base_scores: Option<Vec<f64>>,
    run: Stretch,
    /// Traces to take parts from: the best of earlier runs.
    elite: Vec<TraceOutline>,
}

/// A stretch of the search from one beginning.
#[derive(Default)]
struct Stretch {
    /// How many random cases are still to be seen, of which the best is its beginning.
    samples_left: u64,
    /// How many cases it has had since, and how many it may have.
    cases: u64,
    len: u64,
    /// Since when it has not come to anything better.
    better_at: u64,
    best: Option<(Vec<f64>, Trace)>,
}

/// How many random cases a run begins with.
const SAMPLES: u64 = 10;
/// The length of the shortest runs.
const RUN: u64 = 500;
/// The chance, of 256, that a run goes on from one of the best cases instead of beginning anew.
const CONTINUE: u8 = 192;
/// One case in this many is a random one, in case that what the score says leads nowhere.
const SAMPLE_EVERY: u64 = 20;
/// The share of a run without anything better after which it is given up.
const PATIENCE: f64 = 0.6;
/// The temperature at the beginning, in units of what neighbors are mostly better or worse by.
const SPREAD_SHARE: f64 = 0.1;
/// The chance, of 256, that a case takes the place of a shorter one that is as good. Where all were taken, lists
/// would grow without need, and what helps would drown: finding a path of 21 hops among 42 nodes took 1,307
/// cases instead of 439, the mean of 20 and 30 seeds.
const IDLE_GROWTH: u8 = 38;
/// How many good traces are kept to take parts from.
const ELITE_MAX: usize = 6;
/// Keeps what neighbors draw apart from the random cases of the same seed.
const SALT: u64 = 0x7461_7267_6574;

impl Targeted {
    /// An engine that begins with case number `index` of the random engine.
    pub fn at(seed: impl Into<Seed>, index: u64, annealing: Annealing) -> Self {
        let seed = seed.into();
        Targeted {
            annealing,
            next: index,
            variation: Variation::new(seed, SALT, Rng::new(hash(seed.own_word(), SALT))),
            scoreboard: Scoreboard::new(annealing.schedule != Schedule::Spread),
            base: TraceOutline::default(),
            base_scores: None,
            run: Stretch { samples_left: SAMPLES, len: run_len(annealing, 1), ..Stretch::default() },
            elite: Vec::new(),
        }
    }

    /// Reports its answers to those who watch: a case does not follow from its number.
    pub(crate) fn watched(mut self, progress: Arc<Progress>) -> Self {
        self.variation.progress = Some(progress);
        self
    }

    /// How the search went, if any case had a score.
    pub(crate) fn take_climb(&mut self) -> Option<Trajectory> {
        self.scoreboard.take_climb(self.base_scores.as_deref())
    }

    /// The temperature from 1 to 0, by how much of the search or run is over.
    fn temperature(&self) -> f64 {
        let share = match self.annealing.schedule {
            Schedule::HillClimbing => return 0.5,
            Schedule::Spread => self.run.cases as f64 / self.run.len.max(1) as f64,
            _ => self.scoreboard.cases() as f64 / self.annealing.cases.max(1) as f64,
        };
        match self.annealing.schedule {
            Schedule::Geometric { .. } => 0.001f64.powf(share.min(1.0)),
            _ => (1.0 - share).clamp(0.0, 1.0),
        }
    }

    /// Whether a case that is better by `gain`, or worse, takes the place of the base. `len` is how many choices
    /// it has.
    fn accepts(&mut self, gain: f64, len: usize) -> bool {
        let unit_of_score = match self.annealing.schedule {
            _ if gain > 0.0 => return true,
            _ if gain == 0.0 => {
                return len <= self.base.values.len() || self.variation.rng.chance(IDLE_GROWTH);
            }
            Schedule::HillClimbing => return false,
            Schedule::Linear { from } | Schedule::Geometric { from } => from,
            Schedule::Spread => SPREAD_SHARE,
        };
        unit(&mut self.variation.rng) < (gain / (self.temperature() * unit_of_score)).exp()
    }

    /// Begins a new run where the old one gets no further.
    fn restart_if_stuck(&mut self) {
        let run = &self.run;
        let is_stuck = run.cases - run.better_at > ((run.len as f64 * PATIENCE) as u64).max(200);
        let is_over = run.cases >= run.len;
        if self.annealing.schedule == Schedule::HillClimbing || !(is_stuck || is_over) {
            return;
        }
        let len = run_len(self.annealing, self.scoreboard.restarts() + 2);
        let old = std::mem::replace(&mut self.run, Stretch { len, ..Stretch::default() });
        if let Some((_, trace)) = old.best {
            let mut outline =
                if self.elite.len() < ELITE_MAX { TraceOutline::default() } else { self.elite.remove(0) };
            outline.set(&trace, &mut self.variation.labels);
            self.elite.push(outline);
        }
        self.scoreboard.restart(&mut self.variation.rng);
        match self.scoreboard.pick(&mut self.variation.rng) {
            // From one of the best once more: what it takes to leave it differs from time to time.
            Some((scores, trace)) if self.variation.rng.chance(CONTINUE) => {
                self.base.set(trace, &mut self.variation.labels);
                self.base_scores = Some(scores.clone());
            }
            _ => {
                self.run.samples_left = SAMPLES;
                self.base_scores = None;
            }
        }
    }

    /// Makes `case` the base.
    fn take(&mut self, case: &Case, scores: Vec<f64>) {
        self.base.set(&case.trace, &mut self.variation.labels);
        let is_best = self.run.best.as_ref().is_none_or(|it| self.scoreboard.gain(&it.0, &scores) > 0.0);
        if is_best {
            self.run.better_at = self.run.cases;
            self.run.best = Some((scores.clone(), case.trace.clone()));
        }
        self.base_scores = Some(scores);
    }
}

impl Engine for Targeted {
    fn begin(&mut self) -> Result<(), Ended> {
        if let Some(goal) = self.annealing.goal
            && self.scoreboard.has_reached(goal)
        {
            return Err(Ended::Exhausted);
        }
        let index = self.next;
        self.next += 1;
        let sampled = self.base_scores.is_none()
            || self.run.samples_left > 0
            || self.annealing.schedule == Schedule::Spread && index.is_multiple_of(SAMPLE_EVERY);
        if sampled {
            self.variation.begin_sample(index);
            return Ok(());
        }
        let temperature = self.temperature();
        let n_elite = self.elite.len() as u64;
        let other = (n_elite > 0).then(|| self.variation.rng.below(n_elite) as usize);
        let other = other.map(|at| &self.elite[at]);
        self.variation.begin_neighbour(index, &self.base, other, temperature);
        Ok(())
    }

    #[inline]
    fn answer(&mut self, domain: &Domain, so_far: &Trace) -> Result<Value, Stop> {
        Ok(self.variation.answer(domain, so_far, None, Some(&self.base)))
    }

    fn end(&mut self, case: &Case) {
        let sampled = self.variation.running != CaseKind::Neighbour;
        let scores = match case.verdict {
            Verdict::Reject(_) | Verdict::Skipped | Verdict::Overrun => None,
            Verdict::Pass | Verdict::Fail(_) => self.scoreboard.scores(&case.log.scores),
        };
        let failed = matches!(case.verdict, Verdict::Fail(_));
        if let Some(scores) = scores {
            let gain = match &self.base_scores {
                None => f64::INFINITY,
                Some(base) => {
                    let gain = self.scoreboard.gain(base, &scores);
                    if !sampled {
                        self.scoreboard.learn(base, &scores);
                    }
                    gain
                }
            };
            self.scoreboard.see(self.next - 1, &scores, case);
            // What fails is no base: everything that is like it might fail alike.
            let taken =
                !failed && if sampled { gain > 0.0 } else { self.accepts(gain, case.trace.choices.len()) };
            if !sampled {
                self.variation.learn(gain > 0.0);
            }
            if taken {
                self.take(case, scores);
            }
            self.scoreboard.step(self.next - 1, self.base_scores.as_deref(), taken && !sampled);
        } else if !sampled && self.scoreboard.has_scores() {
            self.variation.learn(false);
        }
        if !self.scoreboard.has_scores() {
            return;
        }
        match self.run.samples_left.checked_sub(1) {
            Some(left) => self.run.samples_left = left,
            None => {
                self.run.cases += 1;
                self.restart_if_stuck();
            }
        }
    }

    fn order(&mut self) -> Option<&mut dyn Ordered> {
        Some(&mut self.variation)
    }
}

/// How many cases run number `n` has, from 1. A schedule of the user's is for the whole search.
fn run_len(annealing: Annealing, n: u64) -> u64 {
    match annealing.schedule {
        Schedule::Spread => RUN * luby(n),
        _ => annealing.cases,
    }
}

/// The lengths of runs, in units of the shortest: 1, 1, 2, 1, 1, 2, 4, 1, and so on. Whatever length would do
/// best, this takes little longer (Luby, Sinclair and Zuckerman).
fn luby(n: u64) -> u64 {
    let power = 1 << n.ilog2();
    if n + 1 == 2 * power { power } else { luby(n + 1 - power) }
}
