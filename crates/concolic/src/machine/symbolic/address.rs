//! Memory at addresses that depend on choices.
//!
//! A read through an index with few values becomes a table of what lies there. Everything else pins the address.

use std::sync::Arc;

use iced_x86::{EncodingKind, Instruction, Mnemonic};

use super::control::{is_fixed, pin};
use super::operands::SymbolicStep;
use crate::expr::{Dag, Expr, Op};
use crate::machine::fault;
use crate::machine::shadow::number;
use crate::machine::{Machine, Mem, NO_REG};

/// At most this many entries in a table.
const ENTRIES_MAX: u128 = 512;
/// At most this many entries that have expressions themselves.
const ALTERNATIVES_MAX: usize = 16;
/// Addresses are tried out by evaluation only where at most this many nodes are beneath them.
const NODES_MAX: usize = 48;
/// At most this many conditions are evaluated with them.
const CONDITIONS_MAX: usize = 8;
/// A table reaches at most so far, in bytes.
const SPAN_MAX: u64 = 1 << 16;

/// Looks at the addresses of memory operands: sets `work.read` or pins.
pub(super) fn resolve(work: &mut SymbolicStep<'_>) {
    let ins = work.ins;
    let mut i = 0;
    while i < ins.mem_count as usize {
        let mem = &ins.mems[i];
        i += 1;
        let is_symbolic = |register: u8| register != NO_REG && work.m.shadow.gpr[register as usize].is_some();
        if !is_symbolic(mem.base) && !is_symbolic(mem.index) {
            continue;
        }
        // What has to be aligned faults at some addresses and not at others.
        let may_be_anywhere = mem.size < 16 || may_be_unaligned(&ins.raw);
        let is_plain =
            ins.mem_count == 1 && mem.read && !mem.write && mem.size <= 16 && mem.size > 0 && may_be_anywhere;
        if is_plain && work.memory_operand().is_some() {
            let at = work.sum(mem);
            if !is_fixed(&work.m.dag, &work.m.shadow.known, at, 6) {
                work.read = through_table(work, mem, at);
            }
            if work.read.is_some() {
                continue;
            }
        }
        pin_address(work, mem);
    }
}

/// Whether 16 bytes of memory need not be aligned.
fn may_be_unaligned(raw: &Instruction) -> bool {
    use Mnemonic as M;
    match raw.mnemonic() {
        M::Movups | M::Movupd | M::Movdqu | M::Lddqu => true,
        M::Vmovaps | M::Vmovapd | M::Vmovdqa | M::Vmovntdqa | M::Vmovdqa32 | M::Vmovdqa64 => false,
        _ => raw.encoding() != EncodingKind::Legacy,
    }
}

fn pin_address(work: &mut SymbolicStep<'_>, mem: &Mem) {
    let site = work.ins.ip;
    let at = work.sum(mem);
    // One register can be pinned itself: then it is known to others too.
    let registers = [mem.base, mem.index]
        .map(|it| if it == NO_REG { Expr::NONE } else { work.m.shadow.gpr[it as usize] });
    match registers {
        [e, Expr::NONE] | [Expr::NONE, e] => pin(work.m, e, site),
        _ => pin(work.m, at, site),
    }
}

impl SymbolicStep<'_> {
    /// The address of a memory operand, as an expression.
    pub(super) fn sum(&mut self, mem: &Mem) -> Expr {
        let mut concrete = mem.disp;
        if mem.fs {
            concrete = concrete.wrapping_add(self.m.inner.thread);
        }
        let mut e = Expr::NONE;
        for (register, scale) in [(mem.base, 1), (mem.index, mem.scale)] {
            if register == NO_REG {
                continue;
            }
            let part = self.m.shadow.gpr[register as usize];
            let now = self.m.cpu.gpr[register as usize];
            if part.is_none() {
                concrete = concrete.wrapping_add(now.wrapping_mul(scale.into()));
                continue;
            }
            let dag = &mut self.m.dag;
            let part = if scale > 1 {
                let by = dag.constant(u128::from(scale.trailing_zeros()), 64);
                dag.binary(Op::Shl, part, by)
            } else {
                part
            };
            e = if e.is_none() { part } else { dag.binary(Op::Add, e, part) };
        }
        let concrete_expr = self.constant(concrete, 64);
        if e.is_none() {
            return concrete_expr;
        }
        if concrete == 0 { e } else { self.m.dag.binary(Op::Add, e, concrete_expr) }
    }
}

/// Which addresses there are, by the value of an index.
struct Candidates {
    /// That of this run.
    now: u64,
    /// The index: 0 represents the first address.
    index: Expr,
    addresses: Vec<u64>,
    /// Which of them can be on this path.
    is_possible: Vec<bool>,
}

fn through_table(work: &mut SymbolicStep<'_>, mem: &Mem, at: Expr) -> Expr {
    let n = usize::from(mem.size);
    let found = match by_range(work, mem) {
        Some(found) => Some(found),
        None => by_variable(work.m, at),
    };
    match found {
        Some(found) => table_of(work.m, &found, n),
        None => Expr::NONE,
    }
}

/// Least and greatest value, by the expression and by the path.
fn range(m: &Machine, e: Expr) -> (u128, u128) {
    let (mut least, mut greatest) = m.dag.range(e);
    let mut inner = e;
    loop {
        if let Some(&(from, to)) = m.shadow.known.bounds.get(&inner) {
            least = least.max(from);
            greatest = greatest.min(to);
        }
        match m.dag.node(inner).op {
            Op::ZExt => inner = m.dag.node(inner).args[0],
            Op::Concat if m.dag.as_constant(m.dag.node(inner).args[0]) == Some(0) => {
                inner = m.dag.node(inner).args[1]
            }
            _ => return (least, greatest),
        }
        let (from, to) = m.dag.range(inner);
        least = least.max(from);
        greatest = greatest.min(to);
    }
}

/// Where one register depends on choices, and few values of it are possible.
fn by_range(work: &mut SymbolicStep<'_>, mem: &Mem) -> Option<Candidates> {
    let is_symbolic = |register: u8| register != NO_REG && work.m.shadow.gpr[register as usize].is_some();
    let (register, scale) = match (is_symbolic(mem.base), is_symbolic(mem.index)) {
        (true, false) => (mem.base, 1),
        (false, true) => (mem.index, u64::from(mem.scale)),
        _ => return None,
    };
    let e = work.m.shadow.gpr[register as usize];
    let now = work.m.cpu.gpr[register as usize];
    let origin = work.m.address(mem).wrapping_sub(now.wrapping_mul(scale));
    let (least, greatest) = range(work.m, e);
    if greatest < least || greatest - least >= ENTRIES_MAX || greatest > u128::from(u64::MAX) {
        return None;
    }
    let dag = &mut work.m.dag;
    let first = dag.constant(least, 64);
    let index = dag.binary(Op::Sub, e, first);
    let index = dag.extract(index, 15, 0);
    let mut addresses = Vec::new();
    for value in least..=greatest {
        addresses.push(origin.wrapping_add((value as u64).wrapping_mul(scale)));
    }
    let is_possible = vec![true; addresses.len()];
    let now = work.m.address(mem);
    Some(Candidates { now, index, addresses, is_possible })
}

/// Whether few nodes are beneath `e`.
fn is_small(dag: &Dag, e: Expr) -> bool {
    let mut seen = vec![e];
    let mut next = 0;
    while next < seen.len() {
        for arg in dag.node(seen[next]).args {
            if arg.is_some() && !seen.contains(&arg) {
                seen.push(arg);
            }
        }
        if seen.len() > NODES_MAX {
            return false;
        }
        next += 1;
    }
    true
}

/// Where all depends on one variable with few values.
fn by_variable(m: &mut Machine, at: Expr) -> Option<Candidates> {
    let &[only] = m.dag.support(at) else { return None };
    let place = m.dag.vars().iter().position(|it| it.index == only)?;
    let var = m.dag.vars()[place];
    if var.max - var.min >= ENTRIES_MAX || !is_small(&m.dag, at) {
        return None;
    }
    let variable = m.dag.var(var, 0);
    let mut evaluator = std::mem::take(&mut m.shadow.known.evaluator);
    let mut conditions = Vec::new();
    for step in m.path.steps.iter().rev() {
        if conditions.len() == CONDITIONS_MAX {
            break;
        }
        if m.dag.support(step.condition) == [only] && is_small(&m.dag, step.condition) {
            conditions.push(step.condition);
        }
    }
    let (mut addresses, mut is_possible) = (Vec::new(), Vec::new());
    for value in var.min..=var.max {
        evaluator.reset();
        let answers = |_: u32| value;
        addresses.push(evaluator.eval(&m.dag, at, &answers) as u64);
        is_possible.push(conditions.iter().all(|&it| evaluator.eval(&m.dag, it, &answers) == 1));
    }
    m.shadow.known.evaluator = evaluator;
    let first = m.dag.constant(var.min, var.width);
    let index = m.dag.binary(Op::Sub, variable, first);
    let now = m.dag.value(at) as u64;
    Some(Candidates { now, index, addresses, is_possible })
}

fn table_of(m: &mut Machine, found: &Candidates, n: usize) -> Expr {
    let possible = || (0..found.addresses.len()).filter(|&k| found.is_possible[k]);
    let Some(low) = possible().map(|k| found.addresses[k]).min() else { return Expr::NONE };
    let high = possible().map(|k| found.addresses[k]).max().unwrap_or(low);
    if high - low > SPAN_MAX {
        return Expr::NONE;
    }
    // What lies beyond an allocation may lie within it where its size depends on choices.
    let (start, end) = m.inner.memory.around(found.now);
    if low < start || high.saturating_add(n as u64) > end {
        return Expr::NONE;
    }
    let mut bytes = vec![0; (high - low) as usize + n];
    if !fault::read(low, &mut bytes) {
        return Expr::NONE;
    }
    let within = |k: usize| {
        let at = (found.addresses[k] - low) as usize;
        number(&bytes[at..at + n])
    };
    let width = 8 * n as u8;
    if possible().all(|k| !m.shadow.load_any(found.addresses[k], n as u64)) {
        let entries: Vec<u128> =
            (0..found.addresses.len()).map(|k| if found.is_possible[k] { within(k) } else { 0 }).collect();
        return m.dag.table(found.index, Arc::from(entries), width);
    }
    if possible().count() > ALTERNATIVES_MAX {
        return Expr::NONE;
    }
    let mut e = Expr::NONE;
    for k in possible() {
        let mut entry = m.shadow.load(&mut m.dag, found.addresses[k], n);
        if entry.is_none() {
            entry = m.dag.constant(within(k), width);
        }
        if e.is_none() {
            e = entry;
            continue;
        }
        let number = m.dag.constant(k as u128, m.dag.width(found.index));
        let is_it = m.dag.eq(found.index, number);
        e = m.dag.ite(is_it, entry, e);
    }
    e
}
