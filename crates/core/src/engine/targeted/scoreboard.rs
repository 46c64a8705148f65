//! Scores: which case is better, by how much, and what was best so far.

use crate::search::{BestCase, Curve, Point, Trajectory};
use crate::{Case, Rng, Score, Trace};

use super::numbers::unit;

/// What is known of the scores of a search. Inside, higher is better; a score that is missing is the worst.
#[derive(Default)]
pub(in crate::engine) struct Scoreboard {
    labels: Vec<ScoreLabel>,
    /// Whether scores are compared as they are, and not in units of what neighbors are worse by.
    is_raw: bool,
    /// Cases of which none is better than another in all scores.
    front: Vec<BestSoFar>,
    climb: Trajectory,
    cases: u64,
    /// The number of the last of them.
    last: u64,
    /// Of how many cases one becomes a point of the curves.
    every: u64,
}

struct ScoreLabel {
    name: &'static str,
    minimize: bool,
    /// What it counts among the others, in this run.
    weight: f64,
    /// The logarithm of what neighbors are worse by, on average, and of what they are better by.
    loss: Option<f64>,
    gain: Option<f64>,
    best: f64,
}

struct BestSoFar {
    case: u64,
    scores: Vec<f64>,
    trace: Trace,
}

/// How many points a curve has at most.
const POINTS_MAX: usize = 1 << 10;
/// How many cases the front has at most.
const FRONT_MAX: usize = 16;
/// How much the last loss counts for the average.
const LAST: f64 = 0.05;
/// More than any number of units of a score: to have one is better than to have none.
const ALL: f64 = 1e9;

impl ScoreLabel {
    /// What neighbors differ by: the less of both, which falls as a goal comes nearer.
    fn unit(&self) -> f64 {
        match (self.loss, self.gain) {
            (Some(loss), Some(gain)) => loss.min(gain).exp(),
            (Some(it), None) | (None, Some(it)) => it.exp(),
            _ => 1.0,
        }
    }
}

impl Scoreboard {
    pub(in crate::engine) fn new(is_raw: bool) -> Self {
        Scoreboard { is_raw, every: 1, ..Scoreboard::default() }
    }

    pub(in crate::engine) fn has_scores(&self) -> bool {
        !self.labels.is_empty()
    }

    /// How many cases had a score.
    pub(in crate::engine) fn cases(&self) -> u64 {
        self.cases
    }

    /// The scores of a case by label, if it has any.
    pub(in crate::engine) fn scores(&mut self, said: &[Score]) -> Option<Vec<f64>> {
        if said.is_empty() {
            return None;
        }
        for it in said {
            if !self.labels.iter().any(|known| known.name == it.label) {
                let (name, minimize) = (it.label, it.minimize);
                self.labels.push(ScoreLabel {
                    name,
                    minimize,
                    weight: 1.0,
                    loss: None,
                    gain: None,
                    best: f64::NEG_INFINITY,
                });
                self.climb.curves.push(Curve { label: name, minimize, points: Vec::new() });
            }
        }
        let best = |label: &ScoreLabel| {
            let its = said.iter().filter(|it| it.label == label.name).map(|it| it.value);
            its.fold(f64::NEG_INFINITY, f64::max)
        };
        Some(self.labels.iter().map(best).collect())
    }

    /// By how much `new` is better than `base`, or worse: in units of what neighbors are worse by.
    pub(in crate::engine) fn gain(&self, base: &[f64], new: &[f64]) -> f64 {
        let mut res = 0.0;
        for (at, label) in self.labels.iter().enumerate() {
            let gain = difference(base.get(at), new.get(at));
            let unit = if self.is_raw { 1.0 } else { label.unit() };
            res += label.weight * (gain / unit).clamp(-ALL, ALL);
        }
        res
    }

    /// Learns what neighbors are worse by.
    pub(in crate::engine) fn learn(&mut self, base: &[f64], new: &[f64]) {
        for (at, label) in self.labels.iter_mut().enumerate() {
            let gain = difference(base.get(at), new.get(at));
            let log = gain.abs().ln();
            if log.is_finite() {
                let side = if gain > 0.0 { &mut label.gain } else { &mut label.loss };
                *side = Some(side.map_or(log, |it| it + LAST * (log - it)));
            }
        }
    }

    /// Keeps the case if it is one of the best, and says whether it is.
    pub(in crate::engine) fn see(&mut self, case_number: u64, scores: &[f64], case: &Case) -> bool {
        self.cases += 1;
        for (label, score) in self.labels.iter_mut().zip(scores) {
            label.best = label.best.max(*score);
        }
        let is_beaten = |it: &BestSoFar| is_as_good(&it.scores, scores);
        if self.front.iter().any(is_beaten) {
            return false;
        }
        for at in (0..self.front.len()).rev() {
            if is_as_good(scores, &self.front[at].scores) {
                self.front.remove(at);
            }
        }
        if self.front.len() == FRONT_MAX {
            self.front.remove(1);
        }
        // The best in the first score first.
        let at = self.front.iter().position(|it| it.scores[0] < scores[0]).unwrap_or(self.front.len());
        let best = BestSoFar { case: case_number, scores: scores.to_vec(), trace: case.trace.clone() };
        self.front.insert(at, best);
        true
    }

    /// Draws the curves on.
    pub(in crate::engine) fn step(&mut self, case: u64, base: Option<&[f64]>, accepted: bool) {
        self.climb.accepted += u64::from(accepted);
        self.last = case;
        if self.cases > 1 && !self.cases.is_multiple_of(self.every) {
            return;
        }
        self.point(base);
        if self.climb.curves.iter().any(|it| it.points.len() >= POINTS_MAX) {
            self.every *= 2;
            for curve in &mut self.climb.curves {
                let half = curve.points.len().div_ceil(2);
                for at in 0..half {
                    curve.points[at] = curve.points[2 * at];
                }
                curve.points.truncate(half);
            }
        }
    }

    /// Adds a point to each curve.
    fn point(&mut self, base: Option<&[f64]>) {
        for (at, (curve, label)) in self.climb.curves.iter_mut().zip(&self.labels).enumerate() {
            let shown = |it: f64| shown(it, label.minimize);
            let current = shown(base.and_then(|it| it.get(at).copied()).unwrap_or(f64::NEG_INFINITY));
            curve.points.push(Point { case: self.last, current, best: shown(label.best) });
        }
    }

    /// Begins a new run: of several scores, another mixture is climbed.
    pub(in crate::engine) fn restart(&mut self, rng: &mut Rng) {
        self.climb.restarts += 1;
        if self.labels.len() > 1 {
            for label in &mut self.labels {
                label.weight = -(1.0 - unit(rng)).ln();
            }
        }
    }

    pub(in crate::engine) fn restarts(&self) -> u64 {
        self.climb.restarts
    }

    /// One of the best cases.
    pub(in crate::engine) fn pick(&self, rng: &mut Rng) -> Option<(&Vec<f64>, &Trace)> {
        let at = rng.below(self.front.len() as u64) as usize;
        self.front.get(at).map(|it| (&it.scores, &it.trace))
    }

    /// Whether the first score is as good as `goal`, which is as the test says it.
    pub(in crate::engine) fn has_reached(&self, goal: f64) -> bool {
        self.labels.first().is_some_and(|it| shown(goal, it.minimize) <= it.best)
    }

    /// How it went.
    pub(in crate::engine) fn take_climb(&mut self, base: Option<&[f64]>) -> Option<Trajectory> {
        if self.labels.is_empty() {
            return None;
        }
        let drawn = self.climb.curves[0].points.last().map(|it| it.case);
        if drawn != Some(self.last) {
            self.point(base);
        }
        let mut res = std::mem::take(&mut self.climb);
        for best in &self.front {
            let shown = |(at, label): (usize, &ScoreLabel)| match best.scores.get(at) {
                Some(it) if *it > f64::NEG_INFINITY => shown(*it, label.minimize),
                _ => f64::NAN,
            };
            let scores = self.labels.iter().enumerate().map(shown).collect();
            res.best.push(BestCase {
                case: best.case,
                scores,
                values: best.trace.values(),
                inputs: Vec::new(),
            });
        }
        Some(res)
    }
}

/// A score as the test says it, or the other way round.
fn shown(score: f64, minimize: bool) -> f64 {
    if minimize { -score } else { score }
}

fn difference(base: Option<&f64>, new: Option<&f64>) -> f64 {
    let score = |it: Option<&f64>| it.copied().unwrap_or(f64::NEG_INFINITY);
    let (base, new) = (score(base), score(new));
    if base == new { 0.0 } else { new - base }
}

/// Whether `a` is at least as good as `b` in all scores.
fn is_as_good(a: &[f64], b: &[f64]) -> bool {
    (0..a.len().max(b.len())).all(|at| difference(b.get(at), a.get(at)) >= 0.0)
}
