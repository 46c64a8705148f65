//! Random states of the machine, some of which depends on variables.

use iced_x86::Mnemonic;
use probity_testkit::Stream;

use crate::expr::{Expr, Var};
use crate::machine::flags::PendingFlags;
use crate::machine::shadow::{Byte, FlagSource};
use crate::machine::{Ins, Machine};

/// Numbers, edges, floats and small bytes.
fn some_word(random: &mut Stream) -> u64 {
    const EDGES: [u64; 8] = [0, 1, u64::MAX, i64::MAX as u64, 1 << 63, 0x7fff_ffff, 0x8000_0000, 0xff];
    const WIDE: [f64; 10] =
        [0.0, -0.0, 1.0, -1.5, 2.5, 1e300, f64::INFINITY, f64::NEG_INFINITY, 123_456.75, -3e9];
    const NARROW: [f32; 10] =
        [0.0, -0.0, 1.0, -1.5, 2.5, 1e30, f32::INFINITY, f32::NEG_INFINITY, 1_234.75, -3e9];
    let pick = random.below(10) as usize;
    match random.below(9) {
        0 => EDGES[pick % 8],
        1 => random.word() & 0x0101_0101_0101_0101,
        2 => random.word() & 0xff,
        3 => WIDE[pick].to_bits(),
        4 => {
            let other = random.below(10) as usize;
            u64::from(NARROW[pick].to_bits()) | u64::from(NARROW[other].to_bits()) << 32
        }
        5 => (random.word() as i64 >> 40) as u64,
        6 => f64::from(random.word() as i32).to_bits(),
        7 => random.word() & 0x8080_7f7f_0180_ff00,
        _ => random.word(),
    }
}

/// The general registers that vary: rax, rcx, rdx, rbx, rsi, r8. In rdi is the address of memory.
const GENERAL: [usize; 6] = [0, 1, 2, 3, 6, 8];
/// Words of memory; four vectors of four words follow, then the flags.
const MEMORY: usize = 8;
const VECTORS: usize = GENERAL.len() + MEMORY;
const FLAGS: usize = VECTORS + 16;
const ALL: usize = FLAGS + 5;
/// The bits of the flags: carry, zero, sign, overflow, parity.
const FLAG_BITS: [u32; 5] = [0, 6, 7, 11, 2];

/// Where `rdi` points to. It outlives what is undone there.
pub(super) type Memory = [u64; MEMORY + 8];

pub(super) struct Inputs<'a> {
    words: [u64; ALL],
    varies: [bool; ALL],
    memory: &'a mut Memory,
}

impl<'a> Inputs<'a> {
    pub(super) fn new(memory: &'a mut Memory, random: &mut Stream, ins: &Ins) -> Inputs<'a> {
        let mut it = Inputs { words: [0; ALL], varies: [true; ALL], memory };
        it.vary(random, ins);
        it
    }

    /// Other values of what varies.
    pub(super) fn vary(&mut self, random: &mut Stream, ins: &Ins) {
        for (i, word) in self.words.iter_mut().enumerate() {
            if self.varies[i] {
                *word = if i >= FLAGS { random.below(2) } else { some_word(random) };
            }
        }
        // Half of the time there is something equal to compare.
        if self.varies[0] && self.varies[1] && random.below(3) == 0 {
            self.words[0] = self.words[1];
        }
        // Quotients have to fit, at every width.
        if matches!(ins.raw.mnemonic(), Mnemonic::Div | Mnemonic::Idiv) {
            let is_byte = ins.raw.op0_register().size() == 1;
            self.words[0] =
                if is_byte { self.words[0] & 0x017f } else { self.words[0] & 0x7fff_ffff_7fff_7fff };
            self.words[1] = self.words[1] & 0x7000_0000_7000_7070 | 0x1000_0000_1000_1010;
            self.words[2] &= 0x1;
        }
    }

    pub(super) fn memory(&self) -> &[u8] {
        // SAFETY: these are the bytes of the words, which have no others between them.
        unsafe { std::slice::from_raw_parts(self.memory.as_ptr().cast(), 8 * MEMORY) }
    }

    pub(super) fn value(&self, variable: u32) -> u128 {
        self.words[variable as usize].into()
    }

    /// Makes the machine's state this one.
    pub(super) fn install(&mut self, m: &mut Machine) {
        for (&register, &word) in GENERAL.iter().zip(&self.words) {
            m.cpu.gpr[register] = word;
        }
        self.memory[..MEMORY].copy_from_slice(&self.words[GENERAL.len()..VECTORS]);
        // The middle: there is something to pop and room to push.
        m.cpu.gpr[4] = self.memory.as_ptr() as u64 + 32;
        m.cpu.gpr[7] = self.memory.as_ptr() as u64;
        for (i, word) in self.words[VECTORS..FLAGS].iter().enumerate() {
            m.cpu.vec[i / 4][i % 4 * 8..][..8].copy_from_slice(&word.to_le_bytes());
        }
        m.cpu.flags = 0x202;
        for (bit, word) in FLAG_BITS.iter().zip(&self.words[FLAGS..]) {
            m.cpu.flags |= word << bit;
        }
        m.inner.lazy = PendingFlags::KNOWN;
    }

    /// Makes all of the state, or some of it, variables.
    pub(super) fn mark(&mut self, m: &mut Machine, random: &mut Stream) {
        let share = random.below(4);
        let mut exprs = [Expr::NONE; ALL];
        for (i, e) in exprs.iter_mut().enumerate() {
            self.varies[i] = share == 0 || random.below(share + 1) != 0;
            if self.varies[i] {
                let width = if i < FLAGS { 64 } else { 1 };
                let max = u64::MAX >> (64 - width);
                let var = Var { index: i as u32, width, min: 0, max: max.into() };
                *e = m.dag.var(var, self.words[i].into());
            }
        }
        for (&register, &e) in GENERAL.iter().zip(&exprs) {
            m.shadow.set_general(&m.dag, register, e);
        }
        for i in 0..MEMORY {
            let at = self.memory.as_ptr() as u64 + 8 * i as u64;
            m.shadow.store(&m.dag, at, 8, exprs[GENERAL.len() + i]);
        }
        for register in 0..4 {
            let mut bytes = [Byte::NONE; 32];
            for (i, byte) in bytes.iter_mut().enumerate() {
                let of = exprs[VECTORS + 4 * register + i / 8];
                if of.is_some() {
                    *byte = Byte { of, at: i as u8 % 8 };
                }
            }
            m.shadow.set_vector(register, &bytes);
        }
        let [carry, zero, sign, overflow, parity] = [0, 1, 2, 3, 4].map(|it| exprs[FLAGS + it]);
        m.shadow.flags =
            super::flags::normal(&m.dag, FlagSource::Each { carry, zero, sign, overflow, parity });
    }
}
