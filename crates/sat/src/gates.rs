//! Gates over a SAT solver.

use std::cell::Cell;
use std::collections::HashMap;

use batsat::{Callbacks, ClauseKind, Lit, Solver, SolverInterface, SolverOpts, lbool};

use crate::hash::Fixed;

/// Whether to stop is asked after this many steps of the SAT solver.
const POLLED_EVERY: u32 = 64;
/// And after this many new variables while gates are made.
const POLLED_EVERY_VARIABLES: usize = 1024;

/// Ends the SAT solver's search at the limits.
struct LimitStop<'a> {
    conflicts: u64,
    stop: Box<dyn Fn() -> bool + 'a>,
    polls: Cell<u32>,
    is_stopped: Cell<bool>,
}

impl<'a> LimitStop<'a> {
    fn new(conflicts: u64, stop: Box<dyn Fn() -> bool + 'a>) -> LimitStop<'a> {
        LimitStop { conflicts, stop, polls: Cell::new(0), is_stopped: Cell::new(false) }
    }

    fn poll(&self) {
        self.is_stopped.set(self.is_stopped.get() || (self.stop)());
    }
}

impl Callbacks for LimitStop<'_> {
    fn on_new_clause(&mut self, _: &[Lit], kind: ClauseKind) {
        if matches!(kind, ClauseKind::Learnt) {
            self.conflicts = self.conflicts.saturating_sub(1);
        }
    }

    fn stop(&self) -> bool {
        if self.polls.get().is_multiple_of(POLLED_EVERY) {
            self.poll();
        }
        self.polls.set(self.polls.get().wrapping_add(1));
        self.conflicts == 0 || self.is_stopped.get()
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Gate {
    And,
    Xor,
    Ite,
    Majority,
}

/// Gates over a SAT solver: equal ones are made once, and those of constants not at all.
///
/// Nothing is ever taken back. What holds only for one question is assumed, in [`solve`](Gates::solve).
///
/// ```
/// use probity_sat::Gates;
///
/// let mut gates = Gates::new();
/// let (a, b) = (gates.fresh(), gates.fresh());
/// let both = gates.and(a, b);
/// assert_eq!(both, gates.and(b, a));
/// assert_eq!(gates.and(a, !a), gates.truth(false));
/// assert_eq!(gates.solve(&[both]), Some(true));
/// assert!(gates.is_true(a) && gates.is_true(b));
/// assert_eq!(gates.solve(&[both, !a]), Some(false));
/// ```
pub struct Gates<'a> {
    sat: Solver<LimitStop<'a>>,
    yes: Lit,
    known: HashMap<(Gate, Lit, Lit, Lit), Lit, Fixed>,
    variables: usize,
    clauses: usize,
    scratch: Vec<Lit>,
}

impl Default for Gates<'_> {
    fn default() -> Self {
        Gates::new()
    }
}

impl<'a> Gates<'a> {
    /// No gates yet. An unknown is false in the model unless something makes it true.
    pub fn new() -> Gates<'a> {
        Gates::with(SolverOpts::default())
    }

    /// No gates yet. Random starts and signs spread the models over all there are: other seeds, other models.
    pub fn random(seed: u64) -> Gates<'a> {
        let random_seed = 1.0 + (seed % 1_000_003) as f64;
        Gates::with(SolverOpts { random_seed, rnd_init_act: true, rnd_pol: true, ..SolverOpts::default() })
    }

    fn with(options: SolverOpts) -> Gates<'a> {
        let mut sat = Solver::new(options, LimitStop::new(u64::MAX, Box::new(|| false)));
        let yes = Lit::new(sat.new_var_default(), true);
        let known = HashMap::default();
        let mut gates = Gates { sat, yes, known, variables: 0, clauses: 0, scratch: Vec::new() };
        gates.clause(&[yes]);
        gates
    }

    /// From here on, at most this many conflicts of the SAT solver, and no more work once `stop` says so. It is asked
    /// between steps, also while gates are made.
    ///
    /// ```
    /// let mut gates = probity_sat::Gates::new();
    /// gates.limit(1000, || true);
    /// assert_eq!(gates.solve(&[]), None);
    /// assert!(gates.is_stopped());
    /// ```
    pub fn limit(&mut self, conflicts: u64, stop: impl Fn() -> bool + 'a) {
        *self.sat.cb_mut() = LimitStop::new(conflicts, Box::new(stop));
    }

    /// Whether `stop` has said so since [`limit`](Gates::limit). Integers that were made since may be anything.
    pub fn is_stopped(&self) -> bool {
        self.sat.cb().is_stopped.get()
    }

    /// How many clauses were added.
    pub fn clauses(&self) -> usize {
        self.clauses
    }

    /// A constant.
    pub fn truth(&self, it: bool) -> Lit {
        if it { self.yes } else { !self.yes }
    }

    /// What `it` is, if it is a constant.
    pub fn constant(&self, it: Lit) -> Option<bool> {
        if it.var() == self.yes.var() { Some(it == self.yes) } else { None }
    }

    /// A new unknown.
    pub fn fresh(&mut self) -> Lit {
        self.variables += 1;
        if self.variables.is_multiple_of(POLLED_EVERY_VARIABLES) {
            self.sat.cb().poll();
        }
        Lit::new(self.sat.new_var_default(), true)
    }

    /// A new unknown that is false unless something makes it true, also with random signs.
    pub fn fresh_off(&mut self) -> Lit {
        Lit::new(self.sat.new_var(lbool::FALSE, true), true)
    }

    /// At least one of these is true, in every model from here on.
    pub fn clause(&mut self, of: &[Lit]) {
        self.clauses += 1;
        self.scratch.clear();
        self.scratch.extend_from_slice(of);
        self.sat.add_clause_reuse(&mut self.scratch);
    }

    /// Whether the clauses can be true together with `assumed`; none if it was not settled within the limits.
    pub fn solve(&mut self, assumed: &[Lit]) -> Option<bool> {
        match self.sat.solve_limited(assumed) {
            it if it == lbool::TRUE => Some(true),
            it if it == lbool::FALSE => Some(false),
            _ => None,
        }
    }

    /// A bit of the model that [`solve`](Gates::solve) found last.
    pub fn is_true(&self, it: Lit) -> bool {
        self.sat.value_lit(it) == lbool::TRUE
    }

    /// Whether both are true.
    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
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

    /// Whether one of them is true.
    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    /// Whether they differ.
    pub fn xor(&mut self, a: Lit, b: Lit) -> Lit {
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

    /// `a` where `c` is true, else `b`.
    pub fn ite(&mut self, c: Lit, a: Lit, b: Lit) -> Lit {
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
    pub fn majority(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
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
    pub fn all(&mut self, of: &[Lit]) -> Lit {
        let (yes, no) = (self.yes, !self.yes);
        let mut of: Vec<Lit> = of.iter().copied().filter(|it| *it != yes).collect();
        of.sort_unstable();
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
    pub fn any(&mut self, of: &[Lit]) -> Lit {
        let turned: Vec<Lit> = of.iter().map(|it| !*it).collect();
        !self.all(&turned)
    }
}
