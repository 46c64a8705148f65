//! Whole numbers and truths in bits, for a SAT solver. Widths are taken from the domains, so that nothing overflows
//! and the answer is about unbounded numbers.

use std::collections::HashMap;

use batsat::Lit;

use super::IntSet;
use super::bits::{Bits, Circuit, width};
use super::domain::Dom;
use super::network::{Network, Op};
use super::search::Blocks;
use super::survey::Survey;
use crate::flat::Scalar;
use crate::solve::Effort;

/// Numbers wider than this are left alone: their products would be too large.
const WIDTH_MAX: usize = 200;
/// Intervals of a domain that are spelled out as a choice.
const CHOICES_MAX: usize = 32;

/// What came of it.
pub(super) enum Blasted {
    /// Values for the component's slots.
    Sat(Vec<(u32, Scalar)>),
    Unsat,
    /// It has texts, or is too large, or was stopped.
    Unknown,
}

/// Solves one component, if it has no texts.
pub(super) fn solve(
    net: &Network,
    blocks: &Blocks,
    survey: &Survey,
    component: usize,
    effort: &Effort,
) -> Blasted {
    let slots = &survey.components[component];
    if slots.iter().any(|it| matches!(net.doms[*it as usize], Dom::Text(_))) {
        return Blasted::Unknown;
    }
    let mut blast = Blast {
        net,
        circuit: Circuit::new(effort.stop, effort.seed),
        done: HashMap::new(),
        divided: HashMap::new(),
    };
    for root in &survey.roots[component] {
        match blast.node(net.roots[*root].node) {
            Some(Wire::Truth(it)) => blast.circuit.clause(vec![it]),
            _ => return Blasted::Unknown,
        }
    }
    if slots.iter().any(|it| blast.node(*it).is_none()) {
        return Blasted::Unknown;
    }
    blast.block(blocks, slots);
    if blast.circuit.given_up {
        return Blasted::Unknown;
    }
    match blast.circuit.solve() {
        None => Blasted::Unknown,
        Some(false) => Blasted::Unsat,
        Some(true) => {
            let scalar = |slot: &u32| match blast.done.get(slot)? {
                Wire::Truth(it) => Some((*slot, Scalar::Bool(blast.circuit.is_true(*it)))),
                Wire::Int(bits) => Some((*slot, Scalar::Int(blast.circuit.value(bits)))),
            };
            slots.iter().map(scalar).collect::<Option<_>>().map_or(Blasted::Unknown, Blasted::Sat)
        }
    }
}

/// A node in bits.
#[derive(Clone)]
enum Wire {
    Truth(Lit),
    Int(Bits),
}

struct Blast<'a> {
    net: &'a Network,
    circuit: Circuit<'a>,
    done: HashMap<u32, Wire>,
    /// Quotients and remainders by what is divided.
    divided: HashMap<(u32, u32), (Bits, Bits)>,
}

impl Blast<'_> {
    /// A node's bits; none if it is not of whole numbers and truths, or too wide.
    fn node(&mut self, node: u32) -> Option<Wire> {
        if let Some(wire) = self.done.get(&node) {
            return Some(wire.clone());
        }
        if self.circuit.given_up {
            return None;
        }
        let op = self.net.nodes[node as usize].clone();
        let wire = match &self.net.doms[node as usize] {
            Dom::Bool(no, yes) if no != yes && matches!(*op, Op::Leaf) => {
                Wire::Truth(self.circuit.truth(*yes))
            }
            Dom::Bool(..) => Wire::Truth(self.truth(&op)?),
            Dom::Int(set) if matches!(*op, Op::Leaf) => Wire::Int(self.leaf(set)),
            Dom::Int(set) => {
                let bits = self.int(&op)?;
                Wire::Int(self.fitted(bits, set)?)
            }
            Dom::Text(_) => return None,
        };
        self.done.insert(node, wire.clone());
        Some(wire)
    }

    fn lit(&mut self, node: u32) -> Option<Lit> {
        if let Wire::Truth(it) = self.node(node)? { Some(it) } else { None }
    }

    fn bits(&mut self, node: u32) -> Option<Bits> {
        if let Wire::Int(it) = self.node(node)? { Some(it) } else { None }
    }

    fn truth(&mut self, op: &Op) -> Option<Lit> {
        Some(match op {
            Op::Leaf => self.circuit.fresh(),
            Op::And(of) | Op::Or(of) => {
                let lits = of.iter().map(|it| self.lit(*it)).collect::<Option<Vec<_>>>()?;
                if let Op::And(_) = op {
                    self.circuit.all(&lits)
                } else {
                    let turned: Vec<Lit> = lits.iter().map(|it| !*it).collect();
                    !self.circuit.all(&turned)
                }
            }
            Op::Not(of) => !self.lit(*of)?,
            Op::Ite(c, a, b) => {
                let (c, a, b) = (self.lit(*c)?, self.lit(*a)?, self.lit(*b)?);
                self.circuit.ite(c, a, b)
            }
            Op::Eq(a, b) => match (self.node(*a)?, self.node(*b)?) {
                (Wire::Truth(a), Wire::Truth(b)) => !self.circuit.xor(a, b),
                (Wire::Int(a), Wire::Int(b)) => self.circuit.eq(&a, &b),
                _ => return None,
            },
            Op::Le(a, b, by) => {
                let (a, b, by) = (self.bits(*a)?, self.bits(*b)?, self.circuit.int(*by));
                let b = self.circuit.add(&b, &by);
                self.circuit.le(&a, &b)
            }
            _ => return None,
        })
    }

    fn int(&mut self, op: &Op) -> Option<Bits> {
        Some(match op {
            Op::Ite(c, a, b) => {
                let (c, a, b) = (self.lit(*c)?, self.bits(*a)?, self.bits(*b)?);
                self.circuit.choose(c, &a, &b)
            }
            Op::Add(of) => {
                let mut sum = self.circuit.int(0);
                for part in of {
                    let part = self.bits(*part)?;
                    sum = self.circuit.add(&sum, &part);
                }
                sum
            }
            Op::Mul(a, b) => {
                let (a, b) = (self.bits(*a)?, self.bits(*b)?);
                self.circuit.mul(&a, &b)
            }
            Op::Div(a, b) => self.divide(*a, *b)?.0,
            Op::Mod(a, b) => self.divide(*a, *b)?.1,
            _ => return None,
        })
    }

    /// The bits that a domain needs: in every model the others repeat the sign.
    fn fitted(&mut self, mut bits: Bits, set: &IntSet) -> Option<Bits> {
        let need = width(set.min()?).max(width(set.max()?));
        if bits.len() > need {
            let sign = bits[need - 1];
            for bit in bits.split_off(need) {
                self.circuit.clause(vec![bit, !sign]);
                self.circuit.clause(vec![!bit, sign]);
            }
        }
        (bits.len() <= WIDTH_MAX).then_some(bits)
    }

    /// A quotient and a remainder that make up the dividend, unless the divisor is zero.
    fn divide(&mut self, a: u32, b: u32) -> Option<(Bits, Bits)> {
        if let Some(known) = self.divided.get(&(a, b)) {
            return Some(known.clone());
        }
        let (dividend, divisor) = (self.bits(a)?, self.bits(b)?);
        let fresh =
            |blast: &mut Self, count: usize| (0..count).map(|_| blast.circuit.fresh()).collect::<Bits>();
        let quotient = fresh(self, dividend.len() + 1);
        let rest = fresh(self, divisor.len() + 1);
        let zero = self.circuit.int(0);
        let is_zero = self.circuit.eq(&divisor, &zero);
        let product = self.circuit.mul(&divisor, &quotient);
        let sum = self.circuit.add(&product, &rest);
        let whole = self.circuit.eq(&sum, &dividend);
        let positive = self.circuit.le(&zero, &rest);
        let minus = self.circuit.neg(&divisor);
        let is_positive = self.circuit.le(&zero, &divisor);
        let size = self.circuit.choose(is_positive, &divisor, &minus);
        let fits = !self.circuit.le(&size, &rest);
        for holds in [whole, positive, fits] {
            self.circuit.clause(vec![is_zero, holds]);
        }
        self.divided.insert((a, b), (quotient.clone(), rest.clone()));
        Some((quotient, rest))
    }

    /// A slot or a constant.
    fn leaf(&mut self, set: &IntSet) -> Bits {
        let (Some(lo), Some(hi)) = (set.min(), set.max()) else {
            self.circuit.clause(Vec::new());
            return self.circuit.int(0);
        };
        let bits = self.circuit.unknown(lo, hi);
        let parts = set.intervals();
        if parts.len() <= CHOICES_MAX {
            let mut choice = Vec::new();
            for (lo, hi) in parts.iter().filter(|_| parts.len() > 1) {
                let (lo, hi) = (self.circuit.int(*lo), self.circuit.int(*hi));
                let (above, below) = (self.circuit.le(&lo, &bits), self.circuit.le(&bits, &hi));
                choice.push(self.circuit.and(above, below));
            }
            if !choice.is_empty() {
                self.circuit.clause(choice);
            }
        } else {
            for pair in parts.windows(2) {
                self.exclude(&bits, pair[0].1 + 1, pair[1].0 - 1);
            }
        }
        let (modulus, residue) = set.congruence();
        if modulus > 1 {
            let (least, most) = ((lo - residue).div_euclid(modulus), (hi - residue).div_euclid(modulus));
            let times = self.circuit.unknown(least, most);
            let (modulus, residue) = (self.circuit.int(modulus), self.circuit.int(residue));
            let product = self.circuit.mul(&times, &modulus);
            let sum = self.circuit.add(&product, &residue);
            let same = self.circuit.eq(&sum, &bits);
            self.circuit.clause(vec![same]);
        }
        bits
    }

    /// The numbers from `lo` to `hi` are not wanted.
    fn exclude(&mut self, bits: &Bits, lo: i128, hi: i128) {
        let (lo, hi) = (self.circuit.int(lo - 1), self.circuit.int(hi + 1));
        let (below, above) = (self.circuit.le(bits, &lo), self.circuit.le(&hi, bits));
        self.circuit.clause(vec![below, above]);
    }

    /// Assignments that are not wanted, as far as they are decided by this component.
    fn block(&mut self, blocks: &Blocks, slots: &[u32]) {
        for (of, scalars) in blocks.all() {
            if self.circuit.given_up {
                return;
            }
            let mut clause = Vec::new();
            let mut is_own = true;
            for (slot, scalar) in of.iter().zip(&scalars) {
                match (self.net.doms[*slot as usize].single(), self.done.get(slot).cloned()) {
                    (Some(known), _) if known == *scalar => {}
                    (Some(_), _) => is_own = false,
                    (None, Some(wire)) if slots.binary_search(slot).is_ok() => match (wire, scalar) {
                        (Wire::Truth(lit), Scalar::Bool(it)) => clause.push(if *it { !lit } else { lit }),
                        (Wire::Int(bits), Scalar::Int(it)) => {
                            let it = self.circuit.int(*it);
                            clause.push(!self.circuit.eq(&bits, &it));
                        }
                        _ => {}
                    },
                    // Another component may avoid it.
                    _ => is_own = false,
                }
            }
            if is_own {
                self.circuit.clause(clause);
            }
        }
    }
}
