//! Whole numbers and truths in bits, for a SAT solver. Widths are taken from the domains, so that nothing overflows
//! and the answer is about unbounded numbers.

use std::collections::HashMap;

use probity_sat::{Gates, Lit, Word, int_width};

use super::survey::Survey;
use crate::solve::Effort;
use probity_spec::IntSet;
use probity_spec::flat::Scalar;
use probity_spec::propagate::domain::NodeDomain;
use probity_spec::propagate::exclusions::Exclusions;
use probity_spec::propagate::network::{Network, NodeOp};

/// Numbers wider than this are left alone: their products would be too large.
const WIDTH_MAX: usize = 200;
/// Intervals of a domain that are spelled out as a choice.
const CHOICES_MAX: usize = 32;
/// Circuits with more clauses than this are given up.
const CLAUSES_MAX: usize = 10_000_000;

/// What came of it.
pub(super) enum BlastAnswer {
    /// Values for the component's slots.
    Sat(Vec<(u32, Scalar)>),
    Unsat,
    /// It has texts, or is too large, or was stopped.
    Unknown,
}

/// Solves one component, if it has no texts.
pub(super) fn solve(
    net: &Network,
    blocks: &Exclusions,
    survey: &Survey,
    component: usize,
    effort: &Effort,
) -> BlastAnswer {
    let slots = &survey.components[component];
    if slots.iter().any(|it| matches!(net.domains[*it as usize], NodeDomain::Text(_))) {
        return BlastAnswer::Unknown;
    }
    let mut gates = Gates::random(effort.seed);
    gates.limit(u64::MAX, effort.stop);
    let mut blast = Blast { net, gates, done: HashMap::new(), divided: HashMap::new() };
    for root in &survey.roots[component] {
        match blast.node(net.roots[*root].node) {
            Some(NodeBits::Truth(it)) => blast.gates.clause(&[it]),
            _ => return BlastAnswer::Unknown,
        }
    }
    if slots.iter().any(|it| blast.node(*it).is_none()) {
        return BlastAnswer::Unknown;
    }
    blast.block(blocks, slots);
    if blast.is_given_up() {
        return BlastAnswer::Unknown;
    }
    match blast.gates.solve(&[]) {
        None => BlastAnswer::Unknown,
        Some(false) => BlastAnswer::Unsat,
        Some(true) => {
            let scalar = |slot: &u32| match blast.done.get(slot)? {
                NodeBits::Truth(it) => Some((*slot, Scalar::Bool(blast.gates.is_true(*it)))),
                NodeBits::Int(bits) => Some((*slot, Scalar::Int(blast.gates.int_value(bits)))),
            };
            slots.iter().map(scalar).collect::<Option<_>>().map_or(BlastAnswer::Unknown, BlastAnswer::Sat)
        }
    }
}

/// A node in bits.
#[derive(Clone)]
enum NodeBits {
    Truth(Lit),
    Int(Word),
}

struct Blast<'a> {
    net: &'a Network,
    gates: Gates<'a>,
    done: HashMap<u32, NodeBits>,
    /// Quotients and remainders by what is divided.
    divided: HashMap<(u32, u32), (Word, Word)>,
}

impl Blast<'_> {
    /// Whether it has grown too large, or the caller said to stop.
    fn is_given_up(&self) -> bool {
        self.gates.is_stopped() || self.gates.clauses() > CLAUSES_MAX
    }

    /// A node's bits; none if it is not of whole numbers and truths, or too wide.
    fn node(&mut self, node: u32) -> Option<NodeBits> {
        if let Some(wire) = self.done.get(&node) {
            return Some(wire.clone());
        }
        if self.is_given_up() {
            return None;
        }
        let op = self.net.nodes[node as usize].clone();
        let wire = match &self.net.domains[node as usize] {
            NodeDomain::Bool(no, yes) if no != yes && matches!(*op, NodeOp::Leaf) => {
                NodeBits::Truth(self.gates.truth(*yes))
            }
            NodeDomain::Bool(..) => NodeBits::Truth(self.truth(&op)?),
            NodeDomain::Int(set) if matches!(*op, NodeOp::Leaf) => NodeBits::Int(self.leaf(set)),
            NodeDomain::Int(set) => {
                let bits = self.int(&op)?;
                NodeBits::Int(self.fitted(bits, set)?)
            }
            NodeDomain::Text(_) => return None,
        };
        self.done.insert(node, wire.clone());
        Some(wire)
    }

    fn lit(&mut self, node: u32) -> Option<Lit> {
        if let NodeBits::Truth(it) = self.node(node)? { Some(it) } else { None }
    }

    fn bits(&mut self, node: u32) -> Option<Word> {
        if let NodeBits::Int(it) = self.node(node)? { Some(it) } else { None }
    }

    fn truth(&mut self, op: &NodeOp) -> Option<Lit> {
        Some(match op {
            NodeOp::Leaf => self.gates.fresh(),
            NodeOp::And(of) | NodeOp::Or(of) => {
                let lits = of.iter().map(|it| self.lit(*it)).collect::<Option<Vec<_>>>()?;
                if let NodeOp::And(_) = op { self.gates.all(&lits) } else { self.gates.any(&lits) }
            }
            NodeOp::Not(of) => !self.lit(*of)?,
            NodeOp::Ite(c, a, b) => {
                let (c, a, b) = (self.lit(*c)?, self.lit(*a)?, self.lit(*b)?);
                self.gates.ite(c, a, b)
            }
            NodeOp::Eq(a, b) => match (self.node(*a)?, self.node(*b)?) {
                (NodeBits::Truth(a), NodeBits::Truth(b)) => !self.gates.xor(a, b),
                (NodeBits::Int(a), NodeBits::Int(b)) => self.gates.int_eq(&a, &b),
                _ => return None,
            },
            NodeOp::Le(a, b, by) => {
                let (a, b, by) = (self.bits(*a)?, self.bits(*b)?, self.gates.int(*by));
                let b = self.gates.int_add(&b, &by);
                self.gates.int_le(&a, &b)
            }
            _ => return None,
        })
    }

    fn int(&mut self, op: &NodeOp) -> Option<Word> {
        Some(match op {
            NodeOp::Ite(c, a, b) => {
                let (c, a, b) = (self.lit(*c)?, self.bits(*a)?, self.bits(*b)?);
                self.gates.int_choose(c, &a, &b)
            }
            NodeOp::Add(of) => {
                let mut sum = self.gates.int(0);
                for part in of {
                    let part = self.bits(*part)?;
                    sum = self.gates.int_add(&sum, &part);
                }
                sum
            }
            NodeOp::Mul(a, b) => {
                let (a, b) = (self.bits(*a)?, self.bits(*b)?);
                self.gates.int_mul(&a, &b)
            }
            NodeOp::Div(a, b) => self.divide(*a, *b)?.0,
            NodeOp::Mod(a, b) => self.divide(*a, *b)?.1,
            _ => return None,
        })
    }

    /// The bits that a domain needs: in every model the others repeat the sign.
    fn fitted(&mut self, mut bits: Word, set: &IntSet) -> Option<Word> {
        let need = int_width(set.min()?).max(int_width(set.max()?));
        if bits.len() > need {
            let sign = bits[need - 1];
            for bit in bits.split_off(need) {
                self.gates.clause(&[bit, !sign]);
                self.gates.clause(&[!bit, sign]);
            }
        }
        (bits.len() <= WIDTH_MAX).then_some(bits)
    }

    /// A quotient and a remainder that make up the dividend, unless the divisor is zero.
    fn divide(&mut self, a: u32, b: u32) -> Option<(Word, Word)> {
        if let Some(known) = self.divided.get(&(a, b)) {
            return Some(known.clone());
        }
        let (dividend, divisor) = (self.bits(a)?, self.bits(b)?);
        let quotient = self.gates.unknown_word(dividend.len() + 1);
        let rest = self.gates.unknown_word(divisor.len() + 1);
        let zero = self.gates.int(0);
        let is_zero = self.gates.int_eq(&divisor, &zero);
        let product = self.gates.int_mul(&divisor, &quotient);
        let sum = self.gates.int_add(&product, &rest);
        let whole = self.gates.int_eq(&sum, &dividend);
        let positive = self.gates.int_le(&zero, &rest);
        let minus = self.gates.int_neg(&divisor);
        let is_positive = self.gates.int_le(&zero, &divisor);
        let size = self.gates.int_choose(is_positive, &divisor, &minus);
        let fits = !self.gates.int_le(&size, &rest);
        for holds in [whole, positive, fits] {
            self.gates.clause(&[is_zero, holds]);
        }
        self.divided.insert((a, b), (quotient.clone(), rest.clone()));
        Some((quotient, rest))
    }

    /// A slot or a constant.
    fn leaf(&mut self, set: &IntSet) -> Word {
        let (Some(lo), Some(hi)) = (set.min(), set.max()) else {
            self.gates.clause(&[]);
            return self.gates.int(0);
        };
        let bits = self.gates.int_between(lo, hi);
        let parts = set.intervals();
        if parts.len() <= CHOICES_MAX {
            let mut choice = Vec::new();
            for (lo, hi) in parts.iter().filter(|_| parts.len() > 1) {
                let (lo, hi) = (self.gates.int(*lo), self.gates.int(*hi));
                let (above, below) = (self.gates.int_le(&lo, &bits), self.gates.int_le(&bits, &hi));
                choice.push(self.gates.and(above, below));
            }
            if !choice.is_empty() {
                self.gates.clause(&choice);
            }
        } else {
            for pair in parts.windows(2) {
                self.exclude(&bits, pair[0].1 + 1, pair[1].0 - 1);
            }
        }
        let (modulus, residue) = set.congruence();
        if modulus > 1 {
            let (least, most) = ((lo - residue).div_euclid(modulus), (hi - residue).div_euclid(modulus));
            let times = self.gates.int_between(least, most);
            let (modulus, residue) = (self.gates.int(modulus), self.gates.int(residue));
            let product = self.gates.int_mul(&times, &modulus);
            let sum = self.gates.int_add(&product, &residue);
            let same = self.gates.int_eq(&sum, &bits);
            self.gates.clause(&[same]);
        }
        bits
    }

    /// The numbers from `lo` to `hi` are not wanted.
    fn exclude(&mut self, bits: &Word, lo: i128, hi: i128) {
        let (lo, hi) = (self.gates.int(lo - 1), self.gates.int(hi + 1));
        let (below, above) = (self.gates.int_le(bits, &lo), self.gates.int_le(&hi, bits));
        self.gates.clause(&[below, above]);
    }

    /// Assignments that are not wanted, as far as they are decided by this component.
    fn block(&mut self, blocks: &Exclusions, slots: &[u32]) {
        for (of, scalars) in blocks.all() {
            if self.is_given_up() {
                return;
            }
            let mut clause = Vec::new();
            let mut is_own = true;
            for (slot, scalar) in of.iter().zip(&scalars) {
                match (self.net.domains[*slot as usize].single(), self.done.get(slot).cloned()) {
                    (Some(known), _) if known == *scalar => {}
                    (Some(_), _) => is_own = false,
                    (None, Some(wire)) if slots.binary_search(slot).is_ok() => match (wire, scalar) {
                        (NodeBits::Truth(lit), Scalar::Bool(it)) => clause.push(if *it { !lit } else { lit }),
                        (NodeBits::Int(bits), Scalar::Int(it)) => {
                            let it = self.gates.int(*it);
                            clause.push(!self.gates.int_eq(&bits, &it));
                        }
                        _ => {}
                    },
                    // Another component may avoid it.
                    _ => is_own = false,
                }
            }
            if is_own {
                self.gates.clause(&clause);
            }
        }
    }
}
