//! Conditions that go into the path: branches, and values that had to be known.

use iced_x86::{Code, OpKind};

use super::flags;
use super::operands::{SymbolicStep, general_number};
use crate::expr::{Dag, Expr, Op};
use crate::machine::shadow::PathFacts;
use crate::machine::{Flow, Ins, Machine};
use crate::path::{Imprecision, PinTargets, Step, StepKind};

/// A conditional jump (`jcc`, `jrcxz`, `loop`) that is involved: it goes to `to`.
pub(crate) fn branch(m: &mut Machine, ins: &Ins, taken: bool, to: u64, other: u64) {
    let code = ins.raw.code();
    let condition = match code {
        Code::Jrcxz_rel8_64 | Code::Jecxz_rel8_64 => {
            let mut count = m.shadow.gpr[1];
            if count.is_none() {
                return;
            }
            if code == Code::Jecxz_rel8_64 {
                count = m.dag.extract(count, 31, 0);
            }
            let zero = m.dag.constant(0, m.dag.width(count));
            m.dag.eq(count, zero)
        }
        _ if ins.raw.is_jcc_short_or_near() => flags::condition(m, ins.raw.condition_code()),
        _ => {
            // `loop`, which compilers do not write.
            super::record_unknown(m, ins);
            pin_register(m, 1, ins.ip);
            return;
        }
    };
    if m.dag.value(condition) != u128::from(taken) {
        let text = format!("{code:?} at a condition that is {}", m.dag.value(condition));
        m.record_imprecision(Imprecision::Disagreement(text));
        return;
    }
    push_branch(m, condition, ins.ip, to, other);
}

/// Adds a branch on `condition`, whichever way it went.
pub(crate) fn push_branch(m: &mut Machine, condition: Expr, site: u64, to: u64, other: u64) {
    if m.dag.is_constant(condition) || is_fixed(&m.dag, &m.shadow.known, condition, 6) {
        return;
    }
    let condition = if m.dag.value(condition) == 1 { condition } else { m.dag.not(condition) };
    if !m.shadow.known.conditions.insert(condition) {
        return;
    }
    learn(m, condition);
    let asked = m.path.choices.len() as u32;
    m.path.steps.push(Step { condition, kind: StepKind::Branch, site, to, other, asked });
}

/// An indirect jump or call, or a return, that is involved: pins its target. Before it is performed.
pub(crate) fn target(m: &mut Machine, ins: &Ins) {
    if ins.flow == Flow::Return {
        let at = m.cpu.gpr[4];
        let e = m.shadow.load(&mut m.dag, at, 8);
        if e.is_some() {
            pin(m, e, ins.ip);
        }
        return;
    }
    let mut work = SymbolicStep::new(m, ins);
    super::address::resolve(&mut work);
    let e = match ins.raw.op0_kind() {
        OpKind::Register => work.register(ins.raw.op0_register()),
        OpKind::Memory => work.read_as(0, 64),
        _ => return,
    };
    pin(m, e, ins.ip);
    if ins.raw.op0_kind() == OpKind::Register {
        let number = general_number(ins.raw.op0_register());
        m.shadow.set_general(&m.dag, number, Expr::NONE);
    }
}

/// Says that `of` is what it is in this run.
pub(crate) fn pin(m: &mut Machine, of: Expr, site: u64) {
    let of = innermost(&m.dag, of);
    pin_wanted(m, of, PinTargets::Any, site);
}

/// Says that `of` is what it is in this run, and which other values are to be tried.
pub(crate) fn pin_wanted(m: &mut Machine, of: Expr, want: PinTargets, site: u64) {
    if of.is_none() || is_fixed(&m.dag, &m.shadow.known, of, 6) {
        return;
    }
    m.shadow.known.pinned.insert(of);
    let value = m.dag.constant(m.dag.value(of), m.dag.width(of));
    let condition = m.dag.eq(of, value);
    if m.dag.is_constant(condition) || !m.shadow.known.conditions.insert(condition) {
        return;
    }
    learn(m, condition);
    let asked = m.path.choices.len() as u32;
    let kind = StepKind::Pin { of, want };
    m.path.steps.push(Step { condition, kind, site, to: 0, other: 0, asked });
}

/// Pins a general register, which is concrete from then on.
pub(crate) fn pin_register(m: &mut Machine, register: usize, site: u64) {
    let e = m.shadow.gpr[register];
    if e.is_some() {
        pin(m, e, site);
        m.shadow.set_general(&m.dag, register, Expr::NONE);
    }
}

/// The part of `e` that it is a one-to-one function of.
fn innermost(dag: &Dag, mut e: Expr) -> Expr {
    loop {
        let node = dag.node(e);
        let [a, b, _] = node.args;
        e = match node.op {
            Op::ZExt | Op::SExt | Op::Not => a,
            Op::Add | Op::Sub | Op::Xor | Op::Concat if dag.is_constant(b) => a,
            Op::Add | Op::Sub | Op::Xor | Op::Concat if dag.is_constant(a) => b,
            _ => return e,
        };
    }
}

/// Whether the path already says what `e` is.
pub(super) fn is_fixed(dag: &Dag, known: &PathFacts, e: Expr, depth: u32) -> bool {
    if e.is_none() || dag.is_constant(e) || known.pinned.contains(&e) {
        return true;
    }
    if depth == 0 || matches!(dag.node(e).op, Op::Var(_)) || known.pinned.is_empty() {
        return false;
    }
    let node = dag.node(e);
    for arg in node.args {
        if !is_fixed(dag, known, arg, depth - 1) {
            return false;
        }
    }
    true
}

/// Notes what a condition says of the values of an expression.
fn learn(m: &mut Machine, condition: Expr) {
    let dag = &m.dag;
    let node = dag.node(condition);
    let (node, holds) = match node.op {
        Op::Not => (dag.node(node.args[0]), false),
        _ => (node, true),
    };
    let [a, b, _] = node.args;
    let (of, least, greatest) = match (node.op, holds) {
        (Op::Eq, true) => {
            let (of, value) = if dag.is_constant(b) { (a, b) } else { (b, a) };
            if dag.is_constant(value) {
                m.shadow.known.pinned.insert(innermost(dag, of));
            }
            return;
        }
        (Op::Ult, true) if dag.is_constant(b) => (a, 0, dag.value(b).wrapping_sub(1)),
        (Op::Ult, true) if dag.is_constant(a) => (b, dag.value(a).wrapping_add(1), u128::MAX),
        (Op::Ult, false) if dag.is_constant(b) => (a, dag.value(b), u128::MAX),
        (Op::Ult, false) if dag.is_constant(a) => (b, 0, dag.value(a)),
        _ => return,
    };
    let bounds = m.shadow.known.bounds.entry(of).or_insert((0, u128::MAX));
    bounds.0 = bounds.0.max(least);
    bounds.1 = bounds.1.min(greatest);
}
