//! A solver whose models are checked by the evaluator anyway, and whose "there is none" is checked here.

use std::cell::Cell;
use std::rc::Rc;

use super::builtin::Builtin;
use super::{Answer, Effort, Solver};
use probity_spec::flat::{Expr, Slot};

/// So often the built-in solver may ask whether to go on while it checks a claim: a second or so.
const ASKED_MAX: u64 = 20_000;

/// A solver that is not believed when it says that there is no model: the built-in one looks too. Where that one finds
/// a model, this is the answer; where it cannot tell, nothing is known, and the words say who claims it.
pub(crate) struct CheckedSolver<S> {
    inner: S,
    check: Builtin,
    /// Whether a claim was wrong: the solver is asked no more.
    was_wrong: bool,
    /// How many claims of all solvers of a request were wrong.
    wrong_claims: Rc<Cell<u32>>,
}

impl<S: Solver> CheckedSolver<S> {
    pub(crate) fn new(inner: S, slots: &[Slot], wrong_claims: &Rc<Cell<u32>>) -> CheckedSolver<S> {
        let wrong_claims = Rc::clone(wrong_claims);
        CheckedSolver { inner, check: Builtin::new(slots), was_wrong: false, wrong_claims }
    }
}

impl<S: Solver> Solver for CheckedSolver<S> {
    fn name(&self) -> String {
        self.inner.name()
    }

    fn require(&mut self, expr: &Expr) {
        self.inner.require(expr);
        self.check.require(expr);
    }

    fn push(&mut self) {
        self.inner.push();
        self.check.push();
    }

    fn pop(&mut self) {
        self.inner.pop();
        self.check.pop();
    }

    fn solve(&mut self, effort: &Effort) -> Answer {
        if !self.was_wrong {
            match self.inner.solve(effort) {
                Answer::Unsat => {}
                other => return other,
            }
        }
        let asked = Cell::new(0);
        let stop = || {
            asked.set(asked.get() + 1);
            asked.get() > ASKED_MAX || (effort.stop)()
        };
        let name = self.inner.name();
        match self.check.solve(&Effort { stop: &stop, millis: effort.millis, seed: effort.seed }) {
            Answer::Unknown(_) if self.was_wrong => Answer::Unknown(format!(
                "`{name}` claimed that no more exist where the built-in solver found one, so it was asked no more"
            )),
            Answer::Unknown(_) => Answer::Unknown(format!(
                "`{name}` claims that no more exist, and the built-in solver could not check it"
            )),
            Answer::Sat(model) => {
                if !self.was_wrong {
                    self.wrong_claims.set(self.wrong_claims.get() + 1);
                }
                self.was_wrong = true;
                Answer::Sat(model)
            }
            Answer::Unsat => Answer::Unsat,
        }
    }
}
