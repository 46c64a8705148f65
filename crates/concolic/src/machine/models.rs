//! Library functions that are performed here instead of natively.

use std::ptr;

use super::known::FunctionModel;
use super::memory::HEAP_MAX;
use super::{Machine, symbolic};
use crate::path::Imprecision;

/// New memory is zero up to this size: else what other runs left there could be read into tables of what an address may
/// lead to (empty slots of a hash table), with other bytes each time, and runs would not go where they were meant to.
const CLEARED_MAX: u64 = 1 << 14;

/// So much memory is there for one that asks for it; of more it is not known.
const SURE: u64 = 1 << 26;
/// And so much for all of a run.
const SURE_IN_ALL: u64 = 1 << 28;
/// So much never is: it is more than the addresses of a process.
const NEVER: u64 = 1 << 47;

/// The registers of arguments, by number.
pub(crate) const ARGUMENTS: [usize; 6] = [7, 6, 2, 1, 8, 9];

impl Machine {
    /// The arguments of the function that is about to be entered.
    pub(crate) fn argument(&self, n: usize) -> u64 {
        self.cpu.gpr[ARGUMENTS[n]]
    }

    /// Performs a function here if it has a model. Whether it did; the result is in rax then, and its expression.
    pub(crate) fn model(&mut self, kind: FunctionModel, site: u64) -> bool {
        let [a, b, c] = [self.argument(0), self.argument(1), self.argument(2)];
        let result = match kind {
            FunctionModel::Malloc => {
                self.weigh(0, 1, site);
                self.allocate(a, 16, CLEARED_MAX)
            }
            FunctionModel::Calloc => {
                if self.shadow.gpr[ARGUMENTS[0]].is_some() {
                    self.pin_arguments(&[1], site);
                    self.weigh(0, b, site);
                } else {
                    self.weigh(1, a, site);
                }
                self.allocate(a.saturating_mul(b), 16, u64::MAX)
            }
            FunctionModel::Realloc => {
                self.pin_arguments(&[0], site);
                self.weigh(1, 1, site);
                self.reallocate(a, b, site)
            }
            FunctionModel::Free => {
                self.pin_arguments(&[0], site);
                self.inner.memory.free(a);
                0
            }
            FunctionModel::PosixMemalign => {
                self.pin_arguments(&[0, 1], site);
                self.weigh(2, 1, site);
                if !b.is_power_of_two() || b < 8 {
                    libc::EINVAL as u64
                } else {
                    let at = self.allocate(c, b, CLEARED_MAX);
                    if at == 0 {
                        libc::ENOMEM as u64
                    } else {
                        self.store(a, 8, at);
                        self.forget_memory(a, 8);
                        0
                    }
                }
            }
            FunctionModel::AlignedAlloc => {
                self.pin_arguments(&[0], site);
                self.weigh(1, 1, site);
                if !a.is_power_of_two() {
                    // The C library rounds up or refuses, by its version.
                    self.record_imprecision(Imprecision::Varies("aligned_alloc".to_owned()));
                }
                self.allocate(b, a, CLEARED_MAX)
            }
            FunctionModel::UsableSize => {
                // The C library's own blocks are larger.
                self.record_imprecision(Imprecision::Varies("malloc_usable_size".to_owned()));
                self.inner.memory.size_of(a)
            }
            FunctionModel::Copy => {
                self.pin_arguments(&[0, 1, 2], site);
                self.copy(a, b, c);
                a
            }
            FunctionModel::Set => {
                self.pin_arguments(&[0, 2], site);
                self.fill(a, b as u8, c);
                a
            }
            FunctionModel::Find(backward) => return self.find(a, b as u8, c, backward, site),
            FunctionModel::Length => return self.length(a, site),
            FunctionModel::Compare(only_equal) => return self.compare(a, b, c, only_equal, site),
            FunctionModel::Random(counts) => {
                self.record_imprecision(Imprecision::Varies("getrandom".to_owned()));
                self.pin_arguments(&[0, 1], site);
                self.random(a, b);
                if counts { b } else { 0 }
            }
            FunctionModel::Zero => 0,
            _ => return false,
        };
        self.forget_call();
        self.cpu.gpr[0] = result;
        true
    }

    /// Whether there is memory depends on how much is asked for: where an argument depends on choices,
    /// these are branches.
    fn weigh(&mut self, argument: usize, times: u64, site: u64) {
        let of = self.shadow.gpr[ARGUMENTS[argument]];
        if of.is_none() || times == 0 {
            return;
        }
        for limit in [SURE, HEAP_MAX, NEVER - 1] {
            let most = self.dag.constant((limit / times).into(), 64);
            let fits = self.dag.ule(of, most);
            let is_so = self.dag.value(fits) == 1;
            let (to, other) = if is_so { (1, 2) } else { (2, 1) };
            symbolic::push_branch(self, fits, site, to, other);
            if is_so {
                break;
            }
        }
    }

    /// Takes note that so much memory was asked for: of some sizes it is not known whether they are there.
    pub(crate) fn note_size(&mut self, size: u64) {
        if (size > SURE && size < NEVER) || self.inner.memory.used() > SURE_IN_ALL {
            self.record_imprecision(Imprecision::Allocation);
        }
    }

    /// New memory, of which the first `zeroed` bytes are zero; or 0.
    fn allocate(&mut self, size: u64, align: u64, zeroed: u64) -> u64 {
        let at = self.inner.memory.allocate_zeroed(size, align, zeroed);
        self.note_size(size.saturating_add(align));
        if at != 0 {
            self.forget_memory(at, size.min(zeroed));
        } else {
            // SAFETY: it is this thread's, which the guest's is too.
            let errno = unsafe { libc::__errno_location() } as u64;
            self.store(errno, 4, libc::ENOMEM as u64);
            self.forget_memory(errno, 4);
        }
        at
    }

    fn reallocate(&mut self, at: u64, size: u64, site: u64) -> u64 {
        if at == 0 {
            return self.allocate(size, 16, CLEARED_MAX);
        }
        let of = self.shadow.gpr[ARGUMENTS[1]];
        if of.is_some() {
            let zero = self.dag.constant(0, 64);
            let is_zero = self.dag.eq(of, zero);
            let (to, other) = if size == 0 { (1, 2) } else { (2, 1) };
            symbolic::push_branch(self, is_zero, site, to, other);
        }
        if size == 0 {
            // As the C library of GNU does.
            self.inner.memory.free(at);
            return 0;
        }
        if self.inner.memory.resize(at, size) {
            self.note_size(size);
            return at;
        }
        let old = self.inner.memory.size_of(at);
        let to = self.allocate(size, 16, CLEARED_MAX);
        if to != 0 {
            self.copy(to, at, old.min(size));
            self.inner.memory.free(at);
        }
        to
    }

    /// Copies memory and its expressions.
    pub(crate) fn copy(&mut self, to: u64, from: u64, len: u64) {
        self.log(to, len);
        if len == 0 || self.stop.is_some() {
            return;
        }
        // SAFETY: the guest's access: it calls `memmove`, or resizes an allocation of at least this many bytes.
        unsafe { ptr::copy(from as *const u8, to as *mut u8, len as usize) };
        if !self.shadow.is_empty() {
            self.shadow.copy(to, from, len);
        }
    }

    fn fill(&mut self, to: u64, byte: u8, len: u64) {
        self.log(to, len);
        if len == 0 || self.stop.is_some() {
            return;
        }
        // SAFETY: the guest's access.
        unsafe { ptr::write_bytes(to as *mut u8, byte, len as usize) };
        if !self.shadow.is_empty() {
            let of = self.shadow.gpr[6];
            if of.is_some() {
                symbolic::fill(self, to, len, of);
            } else {
                self.shadow.clear(to, len);
            }
        }
    }

    fn compare(&mut self, a: u64, b: u64, len: u64, only_equal: bool, site: u64) -> bool {
        self.pin_arguments(&[0, 1, 2], site);
        let bytes = |n: u64| (self.load(a.wrapping_add(n), 1), self.load(b.wrapping_add(n), 1));
        let result = match (0..len).map(bytes).find(|(a, b)| a != b) {
            Some((a, b)) if !only_equal => a as i32 - b as i32,
            Some(_) => 1,
            None => 0,
        };
        let followed =
            !self.shadow.is_empty() && (self.shadow.load_any(a, len) || self.shadow.load_any(b, len));
        self.forget_call();
        self.cpu.gpr[0] = u64::from(result as u32);
        if followed {
            symbolic::compare_memory(self, a, b, len, only_equal);
        }
        true
    }

    fn find(&mut self, from: u64, byte: u8, len: u64, backward: bool, site: u64) -> bool {
        self.pin_arguments(&[0, 2], site);
        let at = |n: u64| if backward { from + len - 1 - n } else { from + n };
        let found = (0..len).find(|&n| self.load(at(n), 1) == u64::from(byte));
        let wanted = self.shadow.gpr[ARGUMENTS[1]];
        self.forget_call();
        self.cpu.gpr[0] = found.map_or(0, at);
        if !self.shadow.is_empty() || wanted.is_some() {
            symbolic::find_byte(self, from, len, wanted, byte, backward, site);
        }
        true
    }

    fn length(&mut self, from: u64, site: u64) -> bool {
        self.pin_arguments(&[0], site);
        let mut n = 0;
        while self.load(from + n, 1) != 0 {
            n += 1;
        }
        self.forget_call();
        self.cpu.gpr[0] = n;
        if self.shadow.load_any(from, n + 1) {
            symbolic::string_length(self, from, site);
        }
        true
    }

    /// Bytes that look random and are the same in every run.
    fn random(&mut self, to: u64, len: u64) {
        self.log(to, len);
        if self.stop.is_some() {
            return;
        }
        for n in 0..len {
            let byte = self.inner.random.word() as u8;
            // SAFETY: the guest's access: it asks for this many random bytes.
            unsafe { ((to + n) as *mut u8).write(byte) };
        }
        self.forget_memory(to, len);
    }

    /// Addresses and lengths have to be known.
    fn pin_arguments(&mut self, which: &[usize], site: u64) {
        for &n in which {
            let of = self.shadow.gpr[ARGUMENTS[n]];
            if of.is_some() {
                symbolic::pin(self, of, site);
            }
        }
    }

    /// Forgets the expressions of memory that was written concretely.
    pub(crate) fn forget_memory(&mut self, at: u64, len: u64) {
        if len != 0 && !self.shadow.is_empty() {
            self.shadow.clear(at, len);
        }
    }

    /// Forgets the expressions of what a called function may change.
    pub(crate) fn forget_call(&mut self) {
        // rax, rcx, rdx, rsi, rdi, r8 to r11
        self.shadow.forget(0x0fc7, 0xffff, true);
    }
}
