//! The arithmetic flags, worked out only where somebody looks.

use super::Machine;

/// Carry.
pub(crate) const CF: u64 = 1;
/// Parity of the low byte.
pub(crate) const PF: u64 = 1 << 2;
/// Carry out of the low four bits.
pub(crate) const AF: u64 = 1 << 4;
/// Zero.
pub(crate) const ZF: u64 = 1 << 6;
/// Sign.
pub(crate) const SF: u64 = 1 << 7;
/// Signed overflow.
pub(crate) const OF: u64 = 1 << 11;

const ALL: u64 = CF | PF | AF | ZF | SF | OF;

/// What set the flags last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum FlagRule {
    /// They are in `Cpu::flags`.
    Known,
    Add,
    Sub,
    Logic,
    /// As `Add` and `Sub` with 1, but for the carry, which is in `carry`.
    Inc,
    Dec,
}

/// Flags that are pending.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PendingFlags {
    pub(crate) by: FlagRule,
    /// In bytes.
    pub(crate) size: u8,
    pub(crate) carry: bool,
    pub(crate) a: u64,
    pub(crate) b: u64,
    pub(crate) result: u64,
}

impl PendingFlags {
    /// The flags are in `Cpu::flags`.
    pub(crate) const KNOWN: PendingFlags =
        PendingFlags { by: FlagRule::Known, size: 8, carry: false, a: 0, b: 0, result: 0 };
}

/// All ones in this many bytes: 1, 2, 4 or 8.
#[inline(always)]
pub(crate) fn ones(size: u8) -> u64 {
    u64::MAX >> (64 - 8 * u32::from(size))
}

/// `value`, a number of this many bytes, with its sign.
#[inline(always)]
pub(crate) fn sign_extend(value: u64, size: u8) -> i64 {
    let shift = 64 - 8 * u32::from(size);
    ((value << shift) as i64) >> shift
}

/// Zero, sign and parity of a result.
#[inline(always)]
pub(crate) fn of_result(result: u64, size: u8) -> u64 {
    let mut flags = 0;
    if result & ones(size) == 0 {
        flags |= ZF;
    }
    if sign_extend(result, size) < 0 {
        flags |= SF;
    }
    if (result as u8).count_ones() & 1 == 0 {
        flags |= PF;
    }
    flags
}

fn work_out(lazy: &PendingFlags) -> u64 {
    let PendingFlags { by, size, carry, a, b, result } = *lazy;
    let mut flags = of_result(result, size);
    let top = 8 * u32::from(size) - 1;
    let overflow = match by {
        FlagRule::Add | FlagRule::Inc => (a ^ result) & (b ^ result),
        FlagRule::Sub | FlagRule::Dec => (a ^ b) & (a ^ result),
        FlagRule::Logic | FlagRule::Known => 0,
    };
    if overflow >> top & 1 != 0 {
        flags |= OF;
    }
    if by != FlagRule::Logic && (a ^ b ^ result) >> 4 & 1 != 0 {
        flags |= AF;
    }
    let carry = match by {
        FlagRule::Add => result & ones(size) < a & ones(size),
        FlagRule::Sub => a & ones(size) < b & ones(size),
        FlagRule::Inc | FlagRule::Dec => carry,
        FlagRule::Logic | FlagRule::Known => false,
    };
    flags | u64::from(carry)
}

impl Machine {
    /// The flags, all of them up to date.
    #[inline]
    pub(crate) fn flags(&mut self) -> u64 {
        if self.inner.lazy.by != FlagRule::Known {
            self.cpu.flags = self.cpu.flags & !ALL | work_out(&self.inner.lazy);
            self.inner.lazy.by = FlagRule::Known;
        }
        self.cpu.flags
    }

    /// Sets the arithmetic flags; `flags` has no others.
    #[inline]
    pub(crate) fn set_flags(&mut self, flags: u64) {
        self.inner.lazy.by = FlagRule::Known;
        self.cpu.flags = self.cpu.flags & !ALL | flags;
    }

    /// The carry flag.
    #[inline]
    pub(crate) fn carry(&mut self) -> bool {
        let lazy = &self.inner.lazy;
        match lazy.by {
            FlagRule::Known => self.cpu.flags & CF != 0,
            FlagRule::Add => lazy.result & ones(lazy.size) < lazy.a & ones(lazy.size),
            FlagRule::Sub => lazy.a & ones(lazy.size) < lazy.b & ones(lazy.size),
            FlagRule::Inc | FlagRule::Dec => lazy.carry,
            FlagRule::Logic => false,
        }
    }

    /// Whether the condition of a `jcc`, `setcc` or `cmovcc` holds: `code` is the low four bits of its encoding.
    #[inline]
    pub(crate) fn condition(&mut self, code: u8) -> bool {
        let lazy = &self.inner.lazy;
        let value = match lazy.by {
            FlagRule::Sub => {
                let (a, b) = (lazy.a & ones(lazy.size), lazy.b & ones(lazy.size));
                match code >> 1 {
                    1 => a < b,
                    2 => a == b,
                    3 => a <= b,
                    4 => sign_extend(lazy.result, lazy.size) < 0,
                    6 => sign_extend(a, lazy.size) < sign_extend(b, lazy.size),
                    7 => sign_extend(a, lazy.size) <= sign_extend(b, lazy.size),
                    _ => self.condition_by_flags(code),
                }
            }
            FlagRule::Logic => {
                let result = sign_extend(lazy.result, lazy.size);
                match code >> 1 {
                    0 | 1 => false,
                    2 | 3 => result == 0,
                    4 | 6 => result < 0,
                    7 => result <= 0,
                    _ => self.condition_by_flags(code),
                }
            }
            _ => self.condition_by_flags(code),
        };
        value ^ (code & 1 != 0)
    }

    /// The condition of an even code.
    fn condition_by_flags(&mut self, code: u8) -> bool {
        let flags = self.flags();
        let less = (flags & SF != 0) != (flags & OF != 0);
        match code >> 1 {
            0 => flags & OF != 0,
            1 => flags & CF != 0,
            2 => flags & ZF != 0,
            3 => flags & (CF | ZF) != 0,
            4 => flags & SF != 0,
            5 => flags & PF != 0,
            6 => less,
            _ => less || flags & ZF != 0,
        }
    }
}
