//! The questions that candidates are turned into.

use std::path::Path;

use probity_core::Domain;

use crate::expr::{Dag, Evaluator, Expr, mask};
use crate::path::{PinTargets, Run, StepKind};
use crate::solve::{Answer, Limits, Session, dump};

/// What answers questions. The real one is [`Session`].
pub(super) trait Solve: Default {
    /// As [`Session::solve`].
    fn solve(&mut self, dag: &Dag, conditions: &[Expr], limits: Limits) -> Answer;
}

impl Solve for Session {
    fn solve(&mut self, dag: &Dag, conditions: &[Expr], limits: Limits) -> Answer {
        Session::solve(self, dag, conditions, limits)
    }
}

/// Lengths up to this are as good as shorter ones.
const SHORT: u32 = 8;

/// How many values of one pinned expression are tried, where all are wanted.
const VALUES_MAX: u32 = 250;

/// Which conditions before the flipped one are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PrefixPolicy {
    All,
    /// Pinned values may change.
    NoPins,
    /// Only the bounds of choices.
    Bounds,
}

/// What is known of another value of a pin.
#[derive(Debug)]
pub(super) enum PinValue {
    /// These answers lead to this value.
    Found(Vec<(u32, u128)>, u128),
    /// There are no more.
    NoMore,
    /// As many as are wanted were tried, and there are more.
    Enough(u32),
    Unknown,
}

/// Asks about one run.
pub(super) struct Asker<'a, S> {
    pub(super) run: &'a mut Run,
    pub(super) solver: &'a mut S,
    pub(super) limits: Limits,
    pub(super) queries: &'a mut u64,
    pub(super) dump: Option<&'a Path>,
}

impl<S: Solve> Asker<'_, S> {
    /// Answers that follow the run up to branch number `at`, and take its other side.
    pub(super) fn branch(&mut self, at: usize, keep: PrefixPolicy) -> Answer {
        let condition = self.run.path.steps[at].condition;
        let flipped = self.run.dag.not(condition);
        if self.run.dag.as_constant(flipped) == Some(0) {
            return Answer::Unsat;
        }
        let mut conditions = self.before(at, keep);
        conditions.push(flipped);
        // Long inputs cost much and tell little: the longer ones only where short ones will not do.
        let kept = conditions.len();
        self.shorten(condition, &mut conditions);
        if conditions.len() > kept {
            let all = self.limits;
            self.limits.until = all.until.sooner(all.until.left() / 2);
            let answer = self.ask(&conditions);
            self.limits = all;
            if matches!(answer, Answer::Sat(_)) {
                return answer;
            }
            conditions.truncate(kept);
        }
        self.ask(&conditions)
    }

    /// The conditions that hold before step number `at`.
    fn before(&self, at: usize, keep: PrefixPolicy) -> Vec<Expr> {
        let mut res = Vec::with_capacity(at + 8);
        for step in &self.run.path.steps[..at] {
            let is_kept = match step.kind {
                StepKind::Bound => true,
                StepKind::Branch => keep != PrefixPolicy::Bounds,
                StepKind::Pin { .. } => keep == PrefixPolicy::All,
            };
            if is_kept {
                res.push(step.condition);
            }
        }
        res
    }

    /// Adds that the lengths which `condition` depends on stay short.
    fn shorten(&mut self, condition: Expr, conditions: &mut Vec<Expr>) {
        let support = self.run.dag.support(condition).to_vec();
        for index in support {
            let Some(choice) = self.run.path.choices.get(index as usize) else { continue };
            let Domain::Length { max, .. } = choice.domain else { continue };
            let Some(&var) = self.run.dag.vars().iter().find(|it| it.index == index) else { continue };
            let value = crate::answer::bits(&choice.domain, choice.value);
            let most = (value + 1).max(SHORT.into());
            if most < u128::from(max) {
                let dag = &mut self.run.dag;
                let (length, most) = (dag.var(var, value), dag.constant(most, var.width));
                conditions.push(dag.ule(length, most));
            }
        }
    }

    /// Answers that follow the run up to pin number `at`, and give another value there than those `seen`.
    pub(super) fn pin(&mut self, at: usize, seen: &[u128]) -> PinValue {
        let StepKind::Pin { of, want } = self.run.path.steps[at].kind else { return PinValue::Unknown };
        let mut conditions = self.before(at, PrefixPolicy::All);
        for &value in seen {
            let dag = &mut self.run.dag;
            let value = dag.constant(value, dag.width(of));
            let same = dag.eq(of, value);
            let differs = dag.not(same);
            conditions.push(differs);
        }
        let most = match want {
            PinTargets::Any => VALUES_MAX,
            PinTargets::Smallest(most) | PinTargets::Greatest(most) | PinTargets::Ends(most) => most,
        };
        let model = match self.ask(&conditions) {
            Answer::Unsat => return PinValue::NoMore,
            Answer::Unknown => return PinValue::Unknown,
            Answer::Sat(_) if seen.len() >= most as usize => return PinValue::Enough(most),
            Answer::Sat(model) => model,
        };
        let value = self.value(of, &model);
        let is_greatest = match want {
            PinTargets::Any => return PinValue::Found(model, value),
            PinTargets::Smallest(_) => false,
            PinTargets::Greatest(_) => true,
            PinTargets::Ends(_) => !seen.len().is_multiple_of(2),
        };
        self.utmost(of, conditions, (model, value), is_greatest)
    }

    /// The least (or greatest) value of `of` where `conditions` hold, knowing one: first with growing strides
    /// from the end of its range, then by halves.
    fn utmost(
        &mut self,
        of: Expr,
        mut conditions: Vec<Expr>,
        (mut model, mut best): (Vec<(u32, u128)>, u128),
        is_greatest: bool,
    ) -> PinValue {
        let width = self.run.dag.width(of);
        // Counted from the end that is looked for: the least is wanted.
        let turn = |it: u128| if is_greatest { mask(width) - it } else { it };
        let (least, greatest) = self.run.dag.range(of);
        let mut low = turn(if is_greatest { greatest } else { least });
        let mut stride = 1;
        while low < turn(best) {
            let high = turn(best);
            let half = low + (high - low) / 2;
            let probe = low.saturating_add(stride - 1).min(half);
            let dag = &mut self.run.dag;
            let limit = dag.constant(turn(probe), width);
            let within = if is_greatest { dag.ule(limit, of) } else { dag.ule(of, limit) };
            conditions.push(within);
            let answer = self.ask(&conditions);
            conditions.pop();
            match answer {
                Answer::Sat(it) => {
                    best = self.value(of, &it);
                    model = it;
                    stride = u128::MAX;
                }
                Answer::Unsat => {
                    low = probe + 1;
                    stride = stride.saturating_mul(4);
                }
                Answer::Unknown => break,
            }
        }
        PinValue::Found(model, best)
    }

    /// The value of `e` in a model.
    fn value(&self, e: Expr, model: &[(u32, u128)]) -> u128 {
        let choices = &self.run.path.choices;
        let answers = |index: u32| match model.iter().find(|it| it.0 == index) {
            Some(it) => it.1,
            None => choices
                .get(index as usize)
                .map_or(0, |choice| crate::answer::bits(&choice.domain, choice.value)),
        };
        Evaluator::default().eval(&self.run.dag, e, &answers)
    }

    fn ask(&mut self, conditions: &[Expr]) -> Answer {
        *self.queries += 1;
        let answer = self.solver.solve(&self.run.dag, conditions, self.limits);
        if let Some(folder) = self.dump {
            write(folder, *self.queries, &self.run.dag, conditions, &answer);
        }
        answer
    }
}

/// Writes a question down, with what we say of it in its name. One that cannot be written is left out: the search
/// does not depend on it.
fn write(folder: &Path, number: u64, dag: &Dag, conditions: &[Expr], answer: &Answer) {
    let Some(script) = dump(dag, conditions, answer) else { return };
    let _ = std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(folder.join(format!("q{number:06}_{}.smt2", answer.status())), script));
}
