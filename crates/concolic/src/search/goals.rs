//! The branch sides that no case met: what an interpreter can do for those who run cases natively.

use std::collections::HashMap;
use std::time::Duration;

use probity_core::Value;

use super::ask::{Asker, PrefixPolicy};
use crate::clock::Deadline;
use crate::expr::Fixed;
use crate::path::{Run, StepKind, Subject, Verdict};
use crate::solve::{Answer, Limits, Session};

/// Looks for answers that go where no case went.
///
/// A goal is a branch of a run whose other side nobody met. It is solved for with all that came before it, then with looser
/// conditions; after some tries it is left alone, for there may be no way.
#[derive(Default)]
pub struct GoalSearch {
    /// How often each side was tried.
    tries: HashMap<u64, u32, Fixed>,
}

/// How far to go for one case.
#[derive(Clone, Copy, Debug)]
pub struct GoalLimits {
    /// For all goals of the case, in time of the processor.
    pub time: Duration,
    /// For one question.
    pub question: Duration,
    /// How many choices an input may ask for.
    pub choices_max: u32,
}

/// How often a side is tried, in all cases together: measured on parsers, where more found nothing more.
const TRIES_MAX: u32 = 3;
/// How many branches of one run that lead to the same side are tried.
const SAME_MAX: u32 = 2;
/// At most this many conflicts of the SAT solver.
const CONFLICTS: u64 = 2_000;

impl GoalSearch {
    /// Runs a case, and returns answers that take the sides of its branches which nobody met, as `is_met` says of their
    /// addresses: the last branches first, for the others are likelier to be met by chance.
    pub fn seek(
        &mut self,
        subject: &mut dyn Subject,
        answers: &[Value],
        is_met: &dyn Fn(u64) -> bool,
        limits: GoalLimits,
    ) -> Vec<Vec<Value>> {
        let end = Deadline::after(limits.time);
        let mut run = subject.run(answers, limits.choices_max);
        let mut res: Vec<Vec<Value>> = Vec::new();
        if matches!(run.verdict, Verdict::Unsupported(_)) {
            return res;
        }
        let (mut solver, mut queries) = (Session::default(), 0);
        let mut solved = Vec::new();
        for at in self.goals(&run, is_met) {
            let side = run.path.steps[at].other;
            if end.is_over() {
                break;
            }
            if solved.contains(&side) {
                continue;
            }
            *self.tries.entry(side).or_default() += 1;
            for keep in [PrefixPolicy::All, PrefixPolicy::NoPins, PrefixPolicy::Bounds] {
                let has_pins =
                    |run: &Run| run.path.steps[..at].iter().any(|it| matches!(it.kind, StepKind::Pin { .. }));
                if keep == PrefixPolicy::NoPins && !has_pins(&run) {
                    continue;
                }
                let limits = Limits { until: Deadline::after(limits.question), conflicts: CONFLICTS };
                let mut asker =
                    Asker { run: &mut run, solver: &mut solver, limits, queries: &mut queries, dump: None };
                let Answer::Sat(model) = asker.branch(at, keep) else { continue };
                if let Some(answers) = answers_of(&run, &model) {
                    if keep == PrefixPolicy::All {
                        solved.push(side);
                    }
                    if !res.contains(&answers) {
                        res.push(answers);
                    }
                }
                break;
            }
        }
        res
    }

    /// The steps to be flipped, the last first.
    fn goals(&self, run: &Run, is_met: &dyn Fn(u64) -> bool) -> Vec<usize> {
        let mut same: HashMap<u64, u32, Fixed> = HashMap::default();
        let mut res = Vec::new();
        for (at, step) in run.path.steps.iter().enumerate() {
            let side = step.other;
            let is_open = step.kind == StepKind::Branch
                && side != 0
                && self.tries.get(&side).is_none_or(|it| *it < TRIES_MAX)
                && !is_met(side);
            if is_open {
                let n = same.entry(side).or_default();
                *n += 1;
                if *n <= SAME_MAX {
                    res.push(at);
                }
            }
        }
        res.reverse();
        res
    }
}

/// The answers of a run with those of a model in their place.
fn answers_of(run: &Run, model: &[(u32, u128)]) -> Option<Vec<Value>> {
    let mut res: Vec<Value> = run.path.choices.iter().map(|it| it.value).collect();
    for &(index, bits) in model {
        let choice = run.path.choices.get(index as usize)?;
        res[index as usize] = crate::answer::value(&choice.domain, bits)?;
    }
    Some(res)
}
