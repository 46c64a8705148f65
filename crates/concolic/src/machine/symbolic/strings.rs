//! String instructions: how much they move is pinned.

use iced_x86::{Mnemonic, Register};

use super::control::pin_register;
use super::operands::general_number;
use crate::machine::{Ins, Machine};

/// At most this many bytes are filled with an expression.
const FILLED_MAX: u64 = 1 << 16;

/// Executes a string instruction.
pub(super) fn step(m: &mut Machine, ins: &Ins) {
    use Mnemonic::*;
    for register in [1, 6, 7] {
        if ins.reads >> register & 1 == 1 {
            pin_register(m, register, ins.ip);
        }
    }
    let (is_move, is_fill, size) = match ins.raw.mnemonic() {
        Movsb => (true, false, 1),
        Movsw => (true, false, 2),
        Movsd => (true, false, 4),
        Movsq => (true, false, 8),
        Stosb => (false, true, 1),
        Stosw => (false, true, 2),
        Stosd => (false, true, 4),
        Stosq => (false, true, 8),
        _ => (false, false, 0),
    };
    let (from, to) = (m.cpu.gpr[6], m.cpu.gpr[7]);
    let times = if ins.raw.has_rep_prefix() { m.cpu.gpr[1] } else { 1 };
    let is_backward = m.flags() >> 10 & 1 == 1;
    let n = times.saturating_mul(size);
    m.execute(ins);
    m.shadow.forget(ins.writes & !1, ins.vec_writes, false);
    if (is_move || is_fill) && !is_backward {
        if is_move {
            m.shadow.copy(to, from, n);
            return;
        }
        let whole = m.shadow.gpr[general_number(Register::RAX)];
        if whole.is_none() || n > FILLED_MAX {
            m.shadow.clear(to, n);
            return;
        }
        let element = m.dag.extract(whole, 8 * size as u8 - 1, 0);
        let mut i = 0;
        while i < n {
            m.shadow.store(&m.dag, to + i, size as usize, element);
            i += size;
        }
        return;
    }
    // Loads, comparisons and searches: results are concrete, and so is what the flags say.
    m.shadow.forget(ins.writes, 0, ins.flags_written != 0);
    if is_move || is_fill {
        m.shadow.clear(to.wrapping_sub(n), 2 * n.max(8));
    }
    super::record_unknown(m, ins);
}
