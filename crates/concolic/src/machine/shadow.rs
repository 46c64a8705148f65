//! What is known of registers and memory beside their bytes: expressions, byte by byte.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};

use super::run::zeroed;
use crate::expr::{Dag, Evaluator, Expr, Fixed, mask};

/// A byte of an expression; that of [`Expr::NONE`] is concrete.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Byte {
    pub(crate) of: Expr,
    /// Which byte, from the lowest.
    pub(crate) at: u8,
}

impl Byte {
    pub(crate) const NONE: Byte = Byte { of: Expr::NONE, at: 0 };

    #[inline(always)]
    pub(crate) fn value(self, dag: &Dag) -> u8 {
        (dag.value(self.of) >> (8 * self.at)) as u8
    }
}

/// Lines of 64 bytes are told apart by this many bits of their address.
const FILTER_BITS: u32 = 14;
const LINE_BITS: u32 = 6;
const PAGE: usize = 4096;
/// This many pages are kept from run to run.
const PAGES_KEPT: usize = 1024;

/// No page has this number.
const NO_PAGE: (u64, u32) = (u64::MAX, 0);

struct ShadowPage {
    number: u64,
    /// Which lines may have expressions.
    lines: u64,
    bytes: Box<[Byte; PAGE]>,
}

/// The expressions of the guest's state. [`Expr::NONE`] everywhere at the start of a run.
pub(crate) struct Shadow {
    /// General registers, 64 bits each.
    pub(crate) gpr: [Expr; 16],
    /// Which of them have one.
    pub(crate) gpr_mask: u16,
    /// Vector registers, byte by byte.
    pub(crate) vec: Box<[[Byte; 32]; 16]>,
    /// Which of them have any.
    pub(crate) vec_mask: u16,
    /// Where the flags come from.
    pub(crate) flags: FlagSource,
    /// What the path already says.
    pub(crate) known: PathFacts,
    /// Whether memory may have expressions at a line, by the low bits of its number: the common answer is no.
    filter: Box<[bool]>,
    pages: Vec<ShadowPage>,
    page_at: HashMap<u64, u32, Fixed>,
    /// The page that was looked for last, and where it is.
    last_page: Cell<(u64, u32)>,
    /// Whether any byte of memory ever had an expression in this run.
    has_memory: bool,
}

/// What the path already says, so that nothing is said twice.
#[derive(Default)]
pub(crate) struct PathFacts {
    /// The conditions of the path.
    pub(crate) conditions: HashSet<Expr, Fixed>,
    /// The expressions that were pinned.
    pub(crate) pinned: HashSet<Expr, Fixed>,
    /// Least and greatest values, from conditions that compare with a constant.
    pub(crate) bounds: HashMap<Expr, (u128, u128), Fixed>,
    /// Mnemonics that were reported as lost: few.
    pub(crate) lost: Vec<iced_x86::Mnemonic>,
    /// Computes addresses under other answers.
    pub(crate) evaluator: Evaluator,
}

/// Where the flags come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FlagSource {
    /// From concrete values.
    Concrete,
    /// `cmp` or `sub`.
    Sub(Expr, Expr),
    /// `add`: both and the sum.
    Add(Expr, Expr, Expr),
    /// `and`, `or`, `xor`, `test`: the result.
    Logic(Expr),
    /// `sbb` after a comparison of lower parts: the whole numbers, and the result of the upper parts.
    Wide(Expr, Expr, Expr),
    /// `mul` and `imul`: carry and overflow say whether the product fits.
    Mul { a: Expr, b: Expr, signed: bool },
    /// `ucomisd` and its like.
    Float(Expr, Expr),
    /// Zero, sign and parity are those of the result; NONE where one is concrete.
    Result { carry: Expr, overflow: Expr, result: Expr },
    /// Each by itself; NONE where it is concrete.
    Each { carry: Expr, zero: Expr, sign: Expr, overflow: Expr, parity: Expr },
}

impl Shadow {
    pub(crate) fn new() -> Shadow {
        Shadow {
            gpr: [Expr::NONE; 16],
            gpr_mask: 0,
            vec: Box::new([[Byte::NONE; 32]; 16]),
            vec_mask: 0,
            flags: FlagSource::Concrete,
            known: PathFacts::default(),
            filter: vec![false; 1 << FILTER_BITS].into_boxed_slice(),
            pages: Vec::new(),
            page_at: HashMap::default(),
            last_page: Cell::new(NO_PAGE),
            has_memory: false,
        }
    }

    /// Everything is concrete again. Takes as long as there was something.
    pub(crate) fn reset(&mut self) {
        self.forget(u16::MAX, u16::MAX, true);
        self.has_memory = false;
        self.known = PathFacts::default();
        for page in &mut self.pages {
            let mut line = 0;
            while page.lines >> line != 0 {
                if page.lines >> line & 1 != 0 {
                    let at = (line as usize) << LINE_BITS;
                    page.bytes[at..at + 64].fill(Byte::NONE);
                    self.filter[slot((page.number << 12) + at as u64)] = false;
                }
                line += 1;
                if line == 64 {
                    break;
                }
            }
            page.lines = 0;
        }
        if self.pages.len() > PAGES_KEPT {
            self.pages.clear();
            self.page_at.clear();
            self.last_page.set(NO_PAGE);
        }
    }

    /// Whether bytes in one of these ranges may have had an expression in this run.
    pub(crate) fn has_written(&self, ranges: &[(u64, u64)]) -> bool {
        let is_within = |at: u64| ranges.iter().any(|it| it.0 < at + PAGE as u64 && at < it.1);
        !ranges.is_empty() && self.pages.iter().any(|it| it.lines != 0 && is_within(it.number << 12))
    }

    /// Whether nothing has an expression: no register, no flag, no memory.
    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.gpr_mask == 0
            && self.vec_mask == 0
            && !self.has_memory
            && matches!(self.flags, FlagSource::Concrete)
    }

    /// Forgets what general and vector registers (by masks) and flags have. Memory: see [`clear`](Self::clear).
    #[inline(always)]
    pub(crate) fn forget(&mut self, general: u16, vectors: u16, flags: bool) {
        if self.gpr_mask & general != 0 {
            self.forget_general(general);
        }
        if self.vec_mask & vectors != 0 {
            self.forget_vectors(vectors);
        }
        if flags {
            self.flags = FlagSource::Concrete;
        }
    }

    /// The general registers of this set (bit n is register n) are concrete.
    #[inline]
    fn forget_general(&mut self, set: u16) {
        let mut hit = self.gpr_mask & set;
        self.gpr_mask &= !set;
        while hit != 0 {
            self.gpr[hit.trailing_zeros() as usize] = Expr::NONE;
            hit &= hit - 1;
        }
    }

    /// The vector registers of this set are concrete.
    #[inline]
    fn forget_vectors(&mut self, set: u16) {
        let mut hit = self.vec_mask & set;
        self.vec_mask &= !set;
        while hit != 0 {
            self.vec[hit.trailing_zeros() as usize] = [Byte::NONE; 32];
            hit &= hit - 1;
        }
    }

    /// The upper halves of all vector registers are concrete: `vzeroupper`.
    pub(crate) fn forget_upper(&mut self) {
        let mut hit = self.vec_mask;
        while hit != 0 {
            let register = hit.trailing_zeros() as usize;
            let mut bytes = self.vec[register];
            bytes[16..].fill(Byte::NONE);
            self.set_vector(register, &bytes);
            hit &= hit - 1;
        }
    }

    /// Sets a general register; NONE and constants make it concrete.
    #[inline]
    pub(crate) fn set_general(&mut self, dag: &Dag, register: usize, e: Expr) {
        if e.is_none() || dag.is_constant(e) {
            self.gpr[register] = Expr::NONE;
            self.gpr_mask &= !(1 << register);
        } else {
            debug_assert_eq!(dag.width(e), 64);
            self.gpr[register] = e;
            self.gpr_mask |= 1 << register;
        }
    }

    /// Sets a vector register.
    pub(crate) fn set_vector(&mut self, register: usize, bytes: &[Byte; 32]) {
        self.vec[register] = *bytes;
        self.vec_mask &= !(1 << register);
        for byte in bytes {
            if byte.of.is_some() {
                self.vec_mask |= 1 << register;
                return;
            }
        }
    }

    /// Whether one of the `n` bytes from `address` on has an expression (which may be out of date).
    #[inline]
    pub(crate) fn load_any(&self, address: u64, n: u64) -> bool {
        if n == 0 || !self.has_memory {
            return false;
        }
        let first = address >> LINE_BITS;
        let last = address.wrapping_add(n - 1) >> LINE_BITS;
        if !self.filter[first as usize & ((1 << FILTER_BITS) - 1)]
            && (first == last
                || (last == first + 1 && !self.filter[last as usize & ((1 << FILTER_BITS) - 1)]))
        {
            return false;
        }
        self.any_slowly(address, n)
    }

    fn any_slowly(&self, address: u64, n: u64) -> bool {
        let end = address.saturating_add(n);
        let mut at = address;
        while at < end {
            let stop = end.min((at | 63).saturating_add(1));
            if let Some(line) = self.line(at, (stop - at) as usize) {
                for byte in line {
                    if byte.of.is_some() {
                        return true;
                    }
                }
            }
            at = stop;
        }
        false
    }

    /// The bytes from `address` on, all of one line, if the line may have any.
    #[inline]
    fn line(&self, address: u64, n: usize) -> Option<&[Byte]> {
        if !self.filter[slot(address)] {
            return None;
        }
        let page = &self.pages[self.page(address)?];
        let at = address as usize & (PAGE - 1);
        if page.lines >> (at >> LINE_BITS) & 1 == 0 {
            return None;
        }
        Some(&page.bytes[at..at + n])
    }

    /// Where the page of an address is, if it has one.
    #[inline]
    fn page(&self, address: u64) -> Option<usize> {
        let number = address >> 12;
        let (last, at) = self.last_page.get();
        if last == number {
            return Some(at as usize);
        }
        let at = *self.page_at.get(&number)?;
        self.last_page.set((number, at));
        Some(at as usize)
    }

    /// What is known of one byte, whether or not it is up to date.
    #[inline]
    fn byte(&self, address: u64) -> Byte {
        match self.line(address, 1) {
            Some(line) => line[0],
            None => Byte::NONE,
        }
    }

    #[inline]
    fn set_byte(&mut self, address: u64, byte: Byte) {
        if byte.of.is_none() {
            if !self.filter[slot(address)] {
                return;
            }
            if let Some(page) = self.page(address) {
                self.pages[page].bytes[address as usize & (PAGE - 1)] = Byte::NONE;
            }
            return;
        }
        self.filter[slot(address)] = true;
        self.has_memory = true;
        let at = match self.page(address) {
            Some(at) => at,
            None => {
                let at = self.pages.len();
                self.page_at.insert(address >> 12, at as u32);
                // SAFETY: all zero is a concrete byte.
                let bytes = unsafe { zeroed::<Byte>(PAGE) };
                let bytes = bytes.try_into().unwrap_or_else(|_| unreachable!("as many as in a page"));
                self.pages.push(ShadowPage { number: address >> 12, lines: 0, bytes });
                at
            }
        };
        let page = &mut self.pages[at];
        let within = address as usize & (PAGE - 1);
        page.lines |= 1 << (within >> LINE_BITS);
        page.bytes[within] = byte;
    }

    /// What is known of the bytes from `address` on, without what native code has overwritten. The guest reads or writes
    /// them, or they are known to be there. Returns whether there is anything.
    pub(crate) fn load_bytes(&self, dag: &Dag, address: u64, into: &mut [Byte]) -> bool {
        let mut any = false;
        let mut i = 0;
        while i < into.len() {
            let at = address.wrapping_add(i as u64);
            let mut byte = self.byte(at);
            if byte.of.is_some() {
                // SAFETY: it is there, as the caller says.
                let now = unsafe { (at as *const u8).read_volatile() };
                if byte.value(dag) == now {
                    any = true;
                } else {
                    byte = Byte::NONE;
                }
            }
            into[i] = byte;
            i += 1;
        }
        any
    }

    /// The `n` bytes from `address` on (at most 16) as one expression, NONE if they are concrete. The guest reads
    /// or writes them, or they are known to be there.
    pub(crate) fn load(&self, dag: &mut Dag, address: u64, n: usize) -> Expr {
        if !self.load_any(address, n as u64) {
            return Expr::NONE;
        }
        let mut bytes = [Byte::NONE; 16];
        if !self.load_bytes(dag, address, &mut bytes[..n]) {
            return Expr::NONE;
        }
        let mut concrete = [0; 16];
        // SAFETY: they are there, as the caller says; `concrete` has 16 bytes, and `n` is at most that.
        unsafe { std::ptr::copy_nonoverlapping(address as *const u8, concrete.as_mut_ptr(), n) };
        join(dag, &bytes[..n], &concrete[..n])
    }

    /// The `n` bytes from `address` on are those of `e`, which has as many; NONE and constants are concrete.
    pub(crate) fn store(&mut self, dag: &Dag, address: u64, n: usize, e: Expr) {
        if e.is_none() || dag.is_constant(e) {
            self.clear(address, n as u64);
            return;
        }
        debug_assert_eq!(usize::from(dag.width(e)), 8 * n);
        let mut i = 0;
        while i < n {
            self.set_byte(address.wrapping_add(i as u64), Byte { of: e, at: i as u8 });
            i += 1;
        }
    }

    /// Stores byte by byte.
    pub(crate) fn store_bytes(&mut self, address: u64, bytes: &[Byte]) {
        let mut i = 0;
        while i < bytes.len() {
            self.set_byte(address.wrapping_add(i as u64), bytes[i]);
            i += 1;
        }
    }

    /// The `n` bytes from `address` on are concrete.
    #[inline]
    pub(crate) fn clear(&mut self, address: u64, n: u64) {
        if n == 0 || !self.has_memory {
            return;
        }
        let first = address >> LINE_BITS;
        let last = address.wrapping_add(n - 1) >> LINE_BITS;
        if first == last && !self.filter[first as usize & ((1 << FILTER_BITS) - 1)] {
            return;
        }
        self.clear_slowly(address, n);
    }

    fn clear_slowly(&mut self, address: u64, n: u64) {
        let end = address.saturating_add(n);
        let mut at = address;
        while at < end {
            let stop = end.min((at | 63).saturating_add(1));
            if self.line(at, 1).is_some()
                && let Some(page) = self.page(at)
            {
                let from = at as usize & (PAGE - 1);
                // SAFETY: all zero is a concrete byte. A loop would take long without optimization.
                unsafe {
                    let bytes = &mut self.pages[page].bytes[from..from + (stop - at) as usize];
                    bytes.as_mut_ptr().write_bytes(0, bytes.len());
                }
            }
            at = stop;
        }
    }

    /// What is known of `n` bytes is known of as many others too: `memmove`.
    pub(crate) fn copy(&mut self, to: u64, from: u64, n: u64) {
        if !self.load_any(from, n) {
            self.clear(to, n);
            return;
        }
        let mut found = Vec::new();
        let mut i = 0;
        while i < n {
            let at = from.wrapping_add(i);
            let stop = n.min(i + 64 - (at & 63));
            if let Some(line) = self.line(at, (stop - i) as usize) {
                for (k, &byte) in line.iter().enumerate() {
                    if byte.of.is_some() {
                        found.push((i + k as u64, byte));
                    }
                }
            }
            i = stop;
        }
        self.clear(to, n);
        for (i, byte) in found {
            self.set_byte(to.wrapping_add(i), byte);
        }
    }
}

#[inline(always)]
fn slot(address: u64) -> usize {
    (address >> LINE_BITS) as usize & ((1 << FILTER_BITS) - 1)
}

/// Bytes (at most 16) as one expression, with `concrete` where they have none.
pub(crate) fn join(dag: &mut Dag, bytes: &[Byte], concrete: &[u8]) -> Expr {
    let mut whole = Expr::NONE;
    let mut i = 0;
    while i < bytes.len() {
        let first = bytes[i];
        let mut n = 1;
        let part = if first.of.is_none() {
            let mut value = u128::from(concrete[i]);
            while i + n < bytes.len() && bytes[i + n].of.is_none() {
                value |= u128::from(concrete[i + n]) << (8 * n);
                n += 1;
            }
            dag.constant(value, 8 * n as u8)
        } else {
            while i + n < bytes.len()
                && bytes[i + n].of == first.of
                && usize::from(bytes[i + n].at) == usize::from(first.at) + n
            {
                n += 1;
            }
            let low = 8 * first.at;
            dag.extract(first.of, low + 8 * n as u8 - 1, low)
        };
        whole = if whole.is_none() { part } else { dag.concat(part, whole) };
        i += n;
    }
    whole
}

/// The constant that `bytes` are.
pub(crate) fn number(bytes: &[u8]) -> u128 {
    let mut value = 0;
    let mut i = 0;
    while i < bytes.len() {
        value |= u128::from(bytes[i]) << (8 * i);
        i += 1;
    }
    value & mask(8 * bytes.len().min(16) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::Var;

    #[test]
    fn memory_remembers_what_is_still_true() {
        let (mut dag, mut shadow) = (Dag::new(), Shadow::new());
        let mut memory = [0u8; 256];
        let at = memory.as_mut_ptr() as u64;
        let value = 0x0102_0304_0506_0708u64;
        let e = dag.var(Var { index: 0, width: 64, min: 0, max: u64::MAX.into() }, value.into());
        memory[60..68].copy_from_slice(&value.to_le_bytes());
        shadow.store(&dag, at + 60, 8, e);
        assert_eq!(shadow.load(&mut dag, at + 60, 8), e);
        assert_eq!(shadow.load(&mut dag, at + 68, 8), Expr::NONE);
        assert!(shadow.load_any(at, 256) && !shadow.load_any(at, 60) && !shadow.is_empty());
        // Some of it, with what lies beside it.
        let part = shadow.load(&mut dag, at + 62, 8);
        assert_eq!((dag.width(part), dag.value(part)), (64, u128::from(value >> 16)));
        // To a place that overlaps.
        memory.copy_within(60..68, 63);
        shadow.copy(at + 63, at + 60, 8);
        assert_eq!(shadow.load(&mut dag, at + 63, 8), e);
        let low = shadow.load(&mut dag, at + 60, 3);
        assert_eq!(dag.value(low), u128::from(value & 0xff_ffff));
        // Written behind its back: only that byte is forgotten.
        memory[63] = 99;
        std::hint::black_box(&mut memory);
        assert_eq!(shadow.load(&mut dag, at + 63, 1), Expr::NONE);
        assert!(shadow.load(&mut dag, at + 64, 1).is_some());
        shadow.clear(at + 64, 2);
        assert!(shadow.load(&mut dag, at + 64, 2).is_none() && shadow.load(&mut dag, at + 66, 1).is_some());
        shadow.reset();
        assert!(shadow.is_empty() && !shadow.load_any(at, 256));
    }
}
