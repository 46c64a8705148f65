//! Circuits: truths and whole numbers in two's complement, as clauses for a SAT solver.

use std::collections::HashMap;

use batsat::{Callbacks, Lit, Solver, SolverInterface, SolverOpts, lbool};

/// Circuits with more gates than this are given up.
const GATES_MAX: usize = 3_000_000;

/// The caller is asked whether to stop after so many gates.
const POLLED_EVERY: usize = 1024;

/// A whole number: the least bit first, the last is the sign.
pub(super) type Bits = Vec<Lit>;

/// Ends the SAT solver's search when the caller says so.
pub(super) struct Stop<'a>(pub(super) &'a dyn Fn() -> bool);

impl Callbacks for Stop<'_> {
    fn stop(&self) -> bool {
        (self.0)()
    }
}

/// Gates over a SAT solver; equal gates are made once.
pub(super) struct Circuit<'a> {
    sat: Solver<Stop<'a>>,
    stop: &'a dyn Fn() -> bool,
    fresh: usize,
    /// Whether it has grown too large, or the caller said to stop: what is built from then on means nothing.
    pub(super) given_up: bool,
    yes: Lit,
    gates: HashMap<(u8, Lit, Lit), Lit>,
}

impl<'a> Circuit<'a> {
    pub(super) fn new(stop: &'a dyn Fn() -> bool, seed: u64) -> Circuit<'a> {
        // Random starts and signs spread the models.
        let random_seed = 1.0 + (seed % 1_000_003) as f64;
        let options = SolverOpts { random_seed, rnd_init_act: true, rnd_pol: true, ..SolverOpts::default() };
        let mut sat = Solver::new(options, Stop(stop));
        let yes = Lit::new(sat.new_var_default(), true);
        sat.add_clause_reuse(&mut vec![yes]);
        Circuit { sat, stop, fresh: 0, given_up: false, yes, gates: HashMap::new() }
    }

    pub(super) fn truth(&self, it: bool) -> Lit {
        if it { self.yes } else { !self.yes }
    }

    pub(super) fn fresh(&mut self) -> Lit {
        self.fresh += 1;
        if self.fresh.is_multiple_of(POLLED_EVERY) {
            self.given_up |= self.gates.len() > GATES_MAX || (self.stop)();
        }
        Lit::new(self.sat.new_var_default(), true)
    }

    pub(super) fn clause(&mut self, mut of: Vec<Lit>) {
        self.sat.add_clause_reuse(&mut of);
    }

    /// None if it was stopped.
    pub(super) fn solve(&mut self) -> Option<bool> {
        match self.sat.solve_limited(&[]) {
            it if it == lbool::TRUE => Some(true),
            it if it == lbool::FALSE => Some(false),
            _ => None,
        }
    }

    /// A truth of the model.
    pub(super) fn is_true(&self, of: Lit) -> bool {
        self.sat.value_lit(of) == lbool::TRUE
    }

    pub(super) fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        match () {
            () if a == b || b == self.yes => a,
            () if a == self.yes => b,
            () if a == !b || a == !self.yes || b == !self.yes => !self.yes,
            () => {
                if let Some(known) = self.gates.get(&(0, a, b)) {
                    return *known;
                }
                let gate = self.fresh();
                self.gates.insert((0, a, b), gate);
                self.clause(vec![!gate, a]);
                self.clause(vec![!gate, b]);
                self.clause(vec![gate, !a, !b]);
                gate
            }
        }
    }

    pub(super) fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    pub(super) fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        match () {
            () if a == self.yes => return !b,
            () if b == self.yes => return !a,
            () if a == !self.yes => return b,
            () if b == !self.yes => return a,
            () if a == b => return !self.yes,
            () if a == !b => return self.yes,
            () => {}
        }
        // The signs can stand before the gate, so that more gates are equal.
        let turned = a.sign() != b.sign();
        let (a, b) = (Lit::new(a.var(), true), Lit::new(b.var(), true));
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        let gate = if let Some(known) = self.gates.get(&(1, a, b)) {
            *known
        } else {
            let gate = self.fresh();
            self.gates.insert((1, a, b), gate);
            self.clause(vec![!gate, a, b]);
            self.clause(vec![!gate, !a, !b]);
            self.clause(vec![gate, !a, b]);
            self.clause(vec![gate, a, !b]);
            gate
        };
        if turned { !gate } else { gate }
    }

    pub(super) fn ite(&mut self, c: Lit, a: Lit, b: Lit) -> Lit {
        if a == b {
            return a;
        }
        let (then, otherwise) = (self.and(c, a), self.and(!c, b));
        self.or(then, otherwise)
    }

    /// At least two of three.
    fn most(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
        let either = self.or(a, b);
        let (both, third) = (self.and(a, b), self.and(either, c));
        self.or(both, third)
    }

    pub(super) fn all(&mut self, of: &[Lit]) -> Lit {
        of.iter().fold(self.yes, |all, it| self.and(all, *it))
    }

    /// A constant.
    pub(super) fn int(&self, it: i128) -> Bits {
        (0..width(it)).map(|bit| self.truth(it >> bit & 1 == 1)).collect()
    }

    /// An unknown between two bounds.
    pub(super) fn unknown(&mut self, lo: i128, hi: i128) -> Bits {
        if lo == hi {
            return self.int(lo);
        }
        let mut bits: Bits = (0..width(lo).max(width(hi))).map(|_| self.fresh()).collect();
        if let (Some(sign), true) = (bits.last_mut(), lo >= 0) {
            *sign = !self.yes;
        }
        let (least, most) = (self.int(lo), self.int(hi));
        let (above, below) = (self.le(&least, &bits), self.le(&bits, &most));
        self.clause(vec![above]);
        self.clause(vec![below]);
        bits
    }

    pub(super) fn add(&mut self, a: &Bits, b: &Bits) -> Bits {
        let width = a.len().max(b.len()) + 1;
        let mut carry = !self.yes;
        (0..width)
            .map(|place| {
                let (x, y) = (at(a, place), at(b, place));
                let half = self.xor(x, y);
                let sum = self.xor(half, carry);
                carry = self.most(x, y, carry);
                sum
            })
            .collect()
    }

    pub(super) fn neg(&mut self, a: &Bits) -> Bits {
        let turned: Bits = a.iter().map(|it| !*it).collect();
        let one = self.int(1);
        self.add(&turned, &one)
    }

    pub(super) fn mul(&mut self, a: &Bits, b: &Bits) -> Bits {
        // Fewer rows than columns.
        let (a, b) = if a.len() >= b.len() { (a, b) } else { (b, a) };
        let width = a.len() + b.len();
        let mut sum = self.int(0);
        for (place, bit) in b.iter().enumerate() {
            if self.given_up {
                break;
            }
            let mut row: Bits = vec![!self.yes; place];
            row.extend(a.iter().map(|it| self.and(*it, *bit)));
            // The sign bit stands for a negative power.
            let row = if place + 1 == b.len() { self.neg(&row) } else { row };
            sum = self.add(&sum, &row);
            sum.truncate(width);
        }
        (0..width).map(|place| at(&sum, place)).collect()
    }

    pub(super) fn eq(&mut self, a: &Bits, b: &Bits) -> Lit {
        let width = a.len().max(b.len());
        let mut same = self.yes;
        for place in 0..width {
            let differ = self.xor(at(a, place), at(b, place));
            same = self.and(same, !differ);
        }
        same
    }

    pub(super) fn le(&mut self, a: &Bits, b: &Bits) -> Lit {
        let width = a.len().max(b.len());
        let mut le = self.yes;
        for place in 0..width {
            let (x, y) = (at(a, place), at(b, place));
            let differ = self.xor(x, y);
            // At the sign, the one that has it is the lesser.
            le = self.ite(differ, if place + 1 == width { x } else { y }, le);
        }
        le
    }

    pub(super) fn choose(&mut self, c: Lit, a: &Bits, b: &Bits) -> Bits {
        (0..a.len().max(b.len())).map(|place| self.ite(c, at(a, place), at(b, place))).collect()
    }

    /// The number that bits have in the model.
    pub(super) fn value(&self, of: &Bits) -> i128 {
        let sign = of.last().is_some_and(|it| self.is_true(*it));
        let bit = |place: usize| of.get(place).map_or(sign, |it| self.is_true(*it));
        (0..128).fold(0_i128, |value, place| value | i128::from(bit(place)) << place)
    }
}

/// A bit of a number, with the sign beyond its end.
fn at(of: &Bits, place: usize) -> Lit {
    of[place.min(of.len() - 1)]
}

/// How many bits a number takes, with its sign.
pub(super) fn width(it: i128) -> usize {
    let size = if it < 0 { !it } else { it };
    129 - size.leading_zeros() as usize
}
