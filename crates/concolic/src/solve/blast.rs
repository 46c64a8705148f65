//! Expressions as bits of a SAT instance that grows with the questions. Conditions are assumed, never added, so
//! that nothing has to be taken back.

use std::collections::HashMap;

use probity_sat::{Division, Gates, Lit, Shift, Word};

use super::program::{ConditionProgram, ProgramStep};
use super::{Answer, Limits};
use crate::expr::{Dag, Expr, Fixed, FloatOp, Op, mask};

/// An instance with more clauses than this is left for a new one.
const CLAUSES_MAX: usize = 3_000_000;

/// Expressions in bits.
pub(super) struct Blaster {
    gates: Gates<'static>,
    /// Where the bits of a node begin, by its number; 0: they are not there yet.
    places: Vec<u32>,
    bits: Vec<Lit>,
    /// Quotients and remainders by what is divided, and whether signed.
    divided: HashMap<(Expr, Expr, bool), Division, Fixed>,
}

impl Blaster {
    pub(super) fn new() -> Blaster {
        let gates = Gates::new();
        let unused = gates.truth(false);
        Blaster { gates, places: Vec::new(), bits: vec![unused], divided: HashMap::default() }
    }

    /// Whether it is so large that a new one is better.
    pub(super) fn is_full(&self) -> bool {
        self.gates.clauses() > CLAUSES_MAX
    }

    /// Values that make all conditions of `program` true, for all of its variables. Where it computes floats,
    /// the values may be wrong, because those are taken for anything; that there are none is true even then.
    /// Variables that are `fixed`, by their numbers in `program`, have these values: that there are none says no more.
    pub(super) fn solve(
        &mut self,
        dag: &Dag,
        program: &ConditionProgram,
        fixed: &[(usize, u128)],
        limits: Limits,
    ) -> Answer {
        if self.places.len() <= dag.len() {
            self.places.resize(dag.len() + 1, 0);
        }
        self.gates.limit(limits.conflicts, move || limits.until.is_over());
        let mut assumed = Vec::new();
        for step in program.steps.iter().skip(1) {
            if self.places[step.expr.index()] == 0 {
                if self.is_full() || self.gates.is_stopped() {
                    return Answer::Unknown;
                }
                let word = self.word(dag, step);
                debug_assert_eq!(word.len(), usize::from(step.node.width), "{:?}", step.node);
                self.places[step.expr.index()] = self.bits.len() as u32;
                self.bits.extend(word);
            }
            if let Some(signed) = divides(step.node.op) {
                assumed.push(self.divided[&(step.node.args[0], step.node.args[1], signed)].assumed);
            }
        }
        for &at in &program.conditions {
            let step = &program.steps[at as usize];
            assumed.push(self.bits[self.places[step.expr.index()] as usize]);
        }
        for &(var, value) in fixed {
            let word = self.get(dag, program.steps[program.vars[var].1 as usize].expr);
            assumed.extend(
                word.iter().enumerate().map(|(at, bit)| if value >> at & 1 == 1 { *bit } else { !*bit }),
            );
        }
        assumed.retain(|it| self.gates.constant(*it) != Some(true));
        if assumed.iter().any(|it| self.gates.constant(*it) == Some(false)) {
            return Answer::Unsat;
        }
        match self.gates.solve(&assumed) {
            None => Answer::Unknown,
            Some(false) => Answer::Unsat,
            Some(true) => {
                let value = |&(var, at): &(crate::expr::Var, u32)| {
                    (var.index, self.gates.value(self.get(dag, program.steps[at as usize].expr)))
                };
                Answer::Sat(program.vars.iter().map(value).collect())
            }
        }
    }

    fn get(&self, dag: &Dag, e: Expr) -> &[Lit] {
        if e.is_none() {
            return &[];
        }
        let at = self.places[e.index()] as usize;
        &self.bits[at..at + usize::from(dag.width(e))]
    }

    fn word(&mut self, dag: &Dag, step: &ProgramStep) -> Word {
        let node = step.node;
        let width = usize::from(node.width);
        let [a, b, c] = node.args.map(|it| self.get(dag, it).to_vec());
        let gates = &mut self.gates;
        match node.op {
            Op::Const => gates.number(dag.value(step.expr), width),
            Op::Var(at) => {
                let var = dag.vars()[at as usize];
                let word = gates.unknown_word(width);
                bound(gates, &word, var.min, var.max);
                word
            }
            Op::Not => a.iter().map(|it| !*it).collect(),
            Op::And => a.iter().zip(&b).map(|(a, b)| gates.and(*a, *b)).collect(),
            Op::Or => a.iter().zip(&b).map(|(a, b)| gates.or(*a, *b)).collect(),
            Op::Xor => a.iter().zip(&b).map(|(a, b)| gates.xor(*a, *b)).collect(),
            Op::Add => gates.add(&a, &b),
            Op::Sub => gates.sub(&a, &b),
            Op::Mul => gates.mul(&a, &b),
            Op::UDiv => self.divide(node.args, &a, &b, false).quotient,
            Op::URem => self.divide(node.args, &a, &b, false).remainder,
            Op::SDiv => self.divide(node.args, &a, &b, true).quotient,
            Op::SRem => self.divide(node.args, &a, &b, true).remainder,
            Op::Shl => gates.shift(&a, &b, Shift::Left),
            Op::LShr => gates.shift(&a, &b, Shift::Right),
            Op::AShr => gates.shift(&a, &b, Shift::RightSigned),
            Op::Concat => b.iter().chain(&a).copied().collect(),
            Op::Extract(low) => a[usize::from(low)..usize::from(low) + width].to_vec(),
            Op::ZExt => gates.extended(&a, width),
            Op::SExt => gates.extended_signed(&a, width),
            Op::Ite => gates.choose(a[0], &b, &c),
            Op::Eq => vec![gates.equal(&a, &b)],
            Op::Ult => vec![gates.less(&a, &b)],
            Op::Slt => vec![gates.less_signed(&a, &b)],
            Op::Table(table) => gates.look_up(&a, dag.table_of(table), width),
            Op::Float(op) => float(gates, op, &a, &b, width),
        }
    }

    fn divide(&mut self, args: [Expr; 3], a: &[Lit], b: &[Lit], signed: bool) -> Division {
        let gates = &mut self.gates;
        let make = || if signed { gates.divide_signed(a, b) } else { gates.divide(a, b) };
        self.divided.entry((args[0], args[1], signed)).or_insert_with(make).clone()
    }
}

/// Whether `op` divides, and signed.
fn divides(op: Op) -> Option<bool> {
    match op {
        Op::UDiv | Op::URem => Some(false),
        Op::SDiv | Op::SRem => Some(true),
        _ => None,
    }
}

/// Keeps `word` within a range, by clauses.
fn bound(gates: &mut Gates<'_>, word: &[Lit], min: u128, max: u128) {
    if max < mask(word.len() as u8) {
        let most = gates.number(max, word.len());
        let more = gates.less(&most, word);
        gates.clause(&[!more]);
    }
    if min > 0 {
        let least = gates.number(min, word.len());
        let less = gates.less(word, &least);
        gates.clause(&[!less]);
    }
}

/// Comparisons of floats are comparisons of their bits. What else is computed with them is taken for anything.
fn float(gates: &mut Gates<'_>, op: FloatOp, a: &[Lit], b: &[Lit], width: usize) -> Word {
    match op {
        FloatOp::Eq | FloatOp::Less | FloatOp::Unordered => {
            let (less, equal, unordered) = compare(gates, a, b);
            match op {
                FloatOp::Eq => vec![equal],
                FloatOp::Less => vec![less],
                _ => vec![unordered],
            }
        }
        FloatOp::Min => {
            let less = compare(gates, a, b).0;
            gates.choose(less, a, b)
        }
        FloatOp::Max => {
            let more = compare(gates, b, a).0;
            gates.choose(more, a, b)
        }
        _ => gates.unknown_word(width),
    }
}

/// Whether `a < b`, `a == b`, and neither because one of them is NaN.
fn compare(gates: &mut Gates<'_>, a: &[Lit], b: &[Lit]) -> (Lit, Lit, Lit) {
    let top = a.len() - 1;
    let (sa, sb) = (a[top], b[top]);
    let (a, b) = (&a[..top], &b[..top]);
    let infinity = if top == 31 { f32::INFINITY.to_bits().into() } else { f64::INFINITY.to_bits().into() };
    let infinity = gates.number(infinity, top);
    let (nan_a, nan_b) = (gates.less(&infinity, a), gates.less(&infinity, b));
    let unordered = gates.or(nan_a, nan_b);
    let (some_a, some_b) = (gates.any(a), gates.any(b));
    let some = gates.or(some_a, some_b);
    let same_bits = gates.equal(a, b);
    let same_sign = !gates.xor(sa, sb);
    let same = gates.and(same_bits, same_sign);
    let same = gates.or(same, !some);
    let equal = gates.and(same, !unordered);
    let (less, more) = (gates.less(a, b), gates.less(b, a));
    let no = gates.truth(false);
    let (below, above) = (gates.ite(sb, more, !no), gates.ite(sb, no, less));
    let less = gates.ite(sa, below, above);
    let less = gates.all(&[less, some, !unordered]);
    (less, equal, unordered)
}
