//! Gates and numbers in bits, as clauses for a SAT solver. Equal gates are made once; constant bits vanish.

use std::cell::Cell;
use std::collections::HashMap;
use std::time::Instant;

use batsat::{Callbacks, ClauseKind, Lit, Solver, SolverInterface, SolverOpts, lbool};

use super::Limits;
use crate::expr::Fixed;

/// The clock is read after so many steps of the SAT solver.
const POLLED_EVERY: u32 = 64;

/// A number: the least bit first.
pub(super) type Word = Vec<Lit>;

/// Ends the SAT solver's search at the limits.
#[derive(Debug, Default)]
pub(super) struct Stop {
    until: Option<Instant>,
    conflicts: u64,
    polls: Cell<u32>,
    is_late: Cell<bool>,
}

impl Callbacks for Stop {
    fn on_new_clause(&mut self, _: &[Lit], kind: ClauseKind) {
        if matches!(kind, ClauseKind::Learnt) {
            self.conflicts = self.conflicts.saturating_sub(1);
        }
    }

    fn stop(&self) -> bool {
        let polls = self.polls.get().wrapping_add(1);
        self.polls.set(polls);
        if polls.is_multiple_of(POLLED_EVERY) {
            self.is_late.set(self.until.is_some_and(|it| Instant::now() >= it));
        }
        self.conflicts == 0 || self.is_late.get()
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Gate {
    And,
    Xor,
    Ite,
    Majority,
}

/// Gates over a SAT solver.
pub(super) struct Gates {
    sat: Solver<Stop>,
    yes: Lit,
    known: HashMap<(Gate, Lit, Lit, Lit), Lit, Fixed>,
    clauses: usize,
    scratch: Vec<Lit>,
}

impl Gates {
    pub(super) fn new() -> Gates {
        let mut sat = Solver::new(SolverOpts::default(), Stop::default());
        let yes = Lit::new(sat.new_var_default(), true);
        let mut gates = Gates { sat, yes, known: HashMap::default(), clauses: 0, scratch: Vec::new() };
        gates.clause(&[yes]);
        gates
    }

    /// How many clauses were added.
    pub(super) fn clauses(&self) -> usize {
        self.clauses
    }

    pub(super) fn truth(&self, it: bool) -> Lit {
        if it { self.yes } else { !self.yes }
    }

    /// What `it` is, if it is a constant.
    pub(super) fn constant(&self, it: Lit) -> Option<bool> {
        if it.var() == self.yes.var() { Some(it == self.yes) } else { None }
    }

    /// A new unknown; false is tried first.
    pub(super) fn fresh(&mut self) -> Lit {
        Lit::new(self.sat.new_var_default(), true)
    }

    /// A new unknown that is false unless something makes it true.
    pub(super) fn fresh_off(&mut self) -> Lit {
        Lit::new(self.sat.new_var(lbool::FALSE, true), true)
    }

    pub(super) fn clause(&mut self, of: &[Lit]) {
        self.clauses += 1;
        self.scratch.clear();
        self.scratch.extend_from_slice(of);
        self.sat.add_clause_reuse(&mut self.scratch);
    }

    /// Whether the clauses can be true together with `assumed`; none if it was not settled within the limits.
    pub(super) fn solve(&mut self, assumed: &[Lit], limits: Limits) -> Option<bool> {
        *self.sat.cb_mut() = Stop {
            until: Some(limits.until),
            conflicts: limits.conflicts,
            polls: Cell::new(0),
            is_late: Cell::new(Instant::now() >= limits.until),
        };
        match self.sat.solve_limited(assumed) {
            it if it == lbool::TRUE => Some(true),
            it if it == lbool::FALSE => Some(false),
            _ => None,
        }
    }

    /// A number of the model.
    pub(super) fn value(&self, word: &[Lit]) -> u128 {
        let bit = |it: &Lit| u128::from(self.sat.value_lit(*it) == lbool::TRUE);
        word.iter().rev().fold(0, |all, it| all << 1 | bit(it))
    }

    pub(super) fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let (yes, no) = (self.yes, !self.yes);
        match () {
            () if a == b || b == yes => return a,
            () if a == yes => return b,
            () if a == !b || a == no || b == no => return no,
            () => {}
        }
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        let key = (Gate::And, a, b, yes);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let gate = self.fresh();
        self.known.insert(key, gate);
        self.clause(&[!gate, a]);
        self.clause(&[!gate, b]);
        self.clause(&[gate, !a, !b]);
        gate
    }

    pub(super) fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    pub(super) fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        let (yes, no) = (self.yes, !self.yes);
        match () {
            () if a == yes => return !b,
            () if b == yes => return !a,
            () if a == no => return b,
            () if b == no => return a,
            () if a == b => return no,
            () if a == !b => return yes,
            () => {}
        }
        // The signs can stand before the gate, so that more gates are equal.
        let turned = a.sign() != b.sign();
        let (a, b) = (Lit::new(a.var(), true), Lit::new(b.var(), true));
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        let key = (Gate::Xor, a, b, yes);
        let gate = match self.known.get(&key) {
            Some(&known) => known,
            None => {
                let gate = self.fresh();
                self.known.insert(key, gate);
                self.clause(&[!gate, a, b]);
                self.clause(&[!gate, !a, !b]);
                self.clause(&[gate, !a, b]);
                self.clause(&[gate, a, !b]);
                gate
            }
        };
        if turned { !gate } else { gate }
    }

    pub(super) fn ite(&mut self, c: Lit, a: Lit, b: Lit) -> Lit {
        let (yes, no) = (self.yes, !self.yes);
        // A condition of positive sign, so that more gates are equal.
        let (c, a, b) = if c.sign() { (c, a, b) } else { (!c, b, a) };
        match () {
            () if a == b || c == yes => return a,
            () if a == yes || a == c => return self.or(c, b),
            () if a == no || a == !c => return self.and(!c, b),
            () if b == yes || b == !c => return self.or(!c, a),
            () if b == no || b == c => return self.and(c, a),
            () if a == !b => return self.xor(c, b),
            () => {}
        }
        let turned = !a.sign();
        let (a, b) = if turned { (!a, !b) } else { (a, b) };
        let key = (Gate::Ite, c, a, b);
        let gate = match self.known.get(&key) {
            Some(&known) => known,
            None => {
                let gate = self.fresh();
                self.known.insert(key, gate);
                self.clause(&[!c, !a, gate]);
                self.clause(&[!c, a, !gate]);
                self.clause(&[c, !b, gate]);
                self.clause(&[c, b, !gate]);
                // Implied, but they let it be known before the condition is.
                self.clause(&[!a, !b, gate]);
                self.clause(&[a, b, !gate]);
                gate
            }
        };
        if turned { !gate } else { gate }
    }

    /// Whether at least two of three are true.
    pub(super) fn majority(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
        let mut of = [a, b, c];
        of.sort_unstable();
        let [a, b, c] = of;
        for (it, x, y) in [(a, b, c), (b, a, c), (c, a, b)] {
            match self.constant(it) {
                Some(true) => return self.or(x, y),
                Some(false) => return self.and(x, y),
                None if x == y => return x,
                None if x == !y => return it,
                None => {}
            }
        }
        let turned = !a.sign();
        let [a, b, c] = if turned { [!a, !b, !c] } else { [a, b, c] };
        let key = (Gate::Majority, a, b, c);
        let gate = match self.known.get(&key) {
            Some(&known) => known,
            None => {
                let gate = self.fresh();
                self.known.insert(key, gate);
                for (x, y) in [(a, b), (a, c), (b, c)] {
                    self.clause(&[!x, !y, gate]);
                    self.clause(&[x, y, !gate]);
                }
                gate
            }
        };
        if turned { !gate } else { gate }
    }

    /// Whether all are true.
    pub(super) fn all(&mut self, of: &[Lit]) -> Lit {
        let (yes, no) = (self.yes, !self.yes);
        let mut of: Vec<Lit> = of.iter().copied().filter(|it| *it != yes).collect();
        of.sort_unstable_by_key(|it| (it.var(), it.sign()));
        of.dedup();
        if of.contains(&no) || of.windows(2).any(|it| it[0] == !it[1]) {
            return no;
        }
        match of[..] {
            [] => yes,
            [it] => it,
            [a, b] => self.and(a, b),
            _ => {
                let gate = self.fresh();
                for it in &mut of {
                    self.clause(&[!gate, *it]);
                    *it = !*it;
                }
                of.push(gate);
                self.clause(&of);
                gate
            }
        }
    }

    /// Whether one is true.
    pub(super) fn any(&mut self, of: &[Lit]) -> Lit {
        let turned: Vec<Lit> = of.iter().map(|it| !*it).collect();
        !self.all(&turned)
    }
}
