//! Library functions that are performed here instead of natively, and what is known of others.

use std::ptr;

use super::Machine;
use super::symbolic;

/// New memory is zero up to this size: else what other runs left there could be read into tables of what an address may
/// lead to (empty slots of a hash table), with other bytes each time, and runs would not go where they were meant to.
const CLEARED_MAX: u64 = 1 << 14;

/// What is known of a library function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Nothing.
    Unknown,
    /// It does nothing with data that could depend on choices.
    Harmless,
    /// It writes the memory at this argument: so many bytes.
    Fills(u8, u32),
    /// It writes the memory at this argument: as many bytes as another argument says.
    Reads(u8, u8),
    Malloc,
    Calloc,
    Realloc,
    Free,
    PosixMemalign,
    AlignedAlloc,
    UsableSize,
    /// `memcpy` and `memmove`
    Copy,
    Set,
    /// `memcmp`; `bcmp`, where only zero or not counts
    Compare(bool),
    /// `memchr`; `memrchr`, which looks from the end
    Find(bool),
    /// `strlen`
    Length,
    /// Random bytes: `getrandom`, which returns how many, or `getentropy`, which returns zero
    Random(bool),
    /// The function `syscall`.
    Syscall,
    /// Succeeds and does nothing.
    Zero,
    Thread,
    /// It would end the process: by which signal or exit.
    Dies(&'static str),
    /// Exits with the status in its argument.
    Exits,
    /// It cannot be run on a stack that is interpreted.
    Refused,
}

/// The functions that are known.
pub(crate) const KNOWN: &[(&str, Kind)] = &[
    ("malloc", Kind::Malloc),
    ("calloc", Kind::Calloc),
    ("realloc", Kind::Realloc),
    ("free", Kind::Free),
    ("posix_memalign", Kind::PosixMemalign),
    ("aligned_alloc", Kind::AlignedAlloc),
    ("memalign", Kind::AlignedAlloc),
    ("malloc_usable_size", Kind::UsableSize),
    ("memcpy", Kind::Copy),
    ("memmove", Kind::Copy),
    ("memset", Kind::Set),
    ("memcmp", Kind::Compare(false)),
    ("bcmp", Kind::Compare(true)),
    ("memchr", Kind::Find(false)),
    ("memrchr", Kind::Find(true)),
    ("strlen", Kind::Length),
    ("getrandom", Kind::Random(true)),
    ("getentropy", Kind::Random(false)),
    ("syscall", Kind::Syscall),
    ("__cxa_thread_atexit_impl", Kind::Zero),
    ("__cxa_atexit", Kind::Zero),
    ("atexit", Kind::Zero),
    ("pthread_create", Kind::Thread),
    ("clone", Kind::Thread),
    ("abort", Kind::Dies("abort")),
    ("__assert_fail", Kind::Dies("abort")),
    ("__stack_chk_fail", Kind::Dies("abort")),
    ("raise", Kind::Dies("a signal that it raised")),
    ("exit", Kind::Exits),
    ("_exit", Kind::Exits),
    ("_Exit", Kind::Exits),
    ("quick_exit", Kind::Exits),
    ("pthread_exit", Kind::Dies("the end of its thread")),
    ("fork", Kind::Refused),
    ("vfork", Kind::Refused),
    ("execve", Kind::Refused),
    ("execv", Kind::Refused),
    ("execvp", Kind::Refused),
    ("posix_spawn", Kind::Refused),
    ("posix_spawnp", Kind::Refused),
    ("setjmp", Kind::Refused),
    ("_setjmp", Kind::Refused),
    ("__sigsetjmp", Kind::Refused),
    ("longjmp", Kind::Refused),
    ("siglongjmp", Kind::Refused),
    ("getcontext", Kind::Refused),
    ("setcontext", Kind::Refused),
    ("swapcontext", Kind::Refused),
    ("read", Kind::Reads(1, 2)),
    ("pread64", Kind::Reads(1, 2)),
    ("recv", Kind::Reads(1, 2)),
    ("readlink", Kind::Reads(1, 2)),
    ("getcwd", Kind::Reads(0, 1)),
    ("fstat64", Kind::Fills(1, 144)),
    ("fstat", Kind::Fills(1, 144)),
    ("stat64", Kind::Fills(1, 144)),
    ("stat", Kind::Fills(1, 144)),
    ("lstat64", Kind::Fills(1, 144)),
    ("statx", Kind::Fills(4, 256)),
    ("clock_gettime", Kind::Fills(1, 16)),
    ("gettimeofday", Kind::Fills(0, 16)),
    ("pthread_key_create", Kind::Fills(0, 4)),
    ("pthread_getattr_np", Kind::Fills(1, 56)),
    ("sigaltstack", Kind::Fills(1, 24)),
    ("sigaction", Kind::Fills(2, 152)),
    ("pthread_mutex_lock", Kind::Fills(0, 40)),
    ("pthread_mutex_trylock", Kind::Fills(0, 40)),
    ("pthread_mutex_unlock", Kind::Fills(0, 40)),
    ("pthread_rwlock_rdlock", Kind::Fills(0, 56)),
    ("pthread_rwlock_wrlock", Kind::Fills(0, 56)),
    ("pthread_rwlock_unlock", Kind::Fills(0, 56)),
    ("pthread_once", Kind::Fills(0, 4)),
    ("pthread_self", Kind::Harmless),
    ("pthread_getspecific", Kind::Harmless),
    ("getenv", Kind::Harmless),
    ("__errno_location", Kind::Harmless),
    ("__tls_get_addr", Kind::Harmless),
    ("sched_yield", Kind::Harmless),
    ("sched_getaffinity", Kind::Harmless),
    ("sysconf", Kind::Harmless),
    ("getpid", Kind::Harmless),
    ("gettid", Kind::Harmless),
    ("nanosleep", Kind::Harmless),
    ("_dl_find_object", Kind::Harmless),
    ("dl_iterate_phdr", Kind::Harmless),
    ("dlsym", Kind::Harmless),
];

/// The registers of arguments, by number.
pub(crate) const ARGUMENTS: [usize; 6] = [7, 6, 2, 1, 8, 9];

impl Machine {
    /// The arguments of the function that is about to be entered.
    pub(crate) fn argument(&self, n: usize) -> u64 {
        self.cpu.gpr[ARGUMENTS[n]]
    }

    /// Performs a function here if it has a model. Whether it did; the result is in rax then, and its expression.
    pub(crate) fn model(&mut self, kind: Kind, site: u64) -> bool {
        let [a, b, c] = [self.argument(0), self.argument(1), self.argument(2)];
        let result = match kind {
            Kind::Malloc => self.allocate(a, 16, CLEARED_MAX),
            Kind::Calloc => self.allocate(a.saturating_mul(b), 16, u64::MAX),
            Kind::Realloc => self.reallocate(a, b),
            Kind::Free => {
                self.inner.memory.free(a);
                0
            }
            Kind::PosixMemalign => {
                let at = self.allocate(c, b, CLEARED_MAX);
                if at == 0 {
                    12
                } else {
                    self.store(a, 8, at);
                    self.forget_memory(a, 8);
                    0
                }
            }
            Kind::AlignedAlloc => self.allocate(b, a, CLEARED_MAX),
            Kind::UsableSize => self.inner.memory.size_of(a),
            Kind::Copy => {
                self.pin_arguments(&[0, 1, 2], site);
                self.copy(a, b, c);
                a
            }
            Kind::Set => {
                self.pin_arguments(&[0, 2], site);
                self.fill(a, b as u8, c);
                a
            }
            Kind::Find(backward) => return self.find(a, b as u8, c, backward, site),
            Kind::Length => return self.length(a, site),
            Kind::Compare(only_equal) => return self.compare(a, b, c, only_equal, site),
            Kind::Random(counts) => {
                self.random(a, b);
                if counts { b } else { 0 }
            }
            Kind::Zero => 0,
            _ => return false,
        };
        self.forget_call();
        self.cpu.gpr[0] = result;
        true
    }

    /// New memory, of which the first `zeroed` bytes are zero; or 0.
    fn allocate(&mut self, size: u64, align: u64, zeroed: u64) -> u64 {
        let at = self.inner.memory.allocate_zeroed(size, align, zeroed);
        if at != 0 {
            self.forget_memory(at, size.min(zeroed));
        }
        at
    }

    fn reallocate(&mut self, at: u64, size: u64) -> u64 {
        if at == 0 {
            return self.allocate(size, 16, CLEARED_MAX);
        }
        if self.inner.memory.resize(at, size) {
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
        let bytes = |at: u64| unsafe { std::slice::from_raw_parts(at as *const u8, len as usize) };
        let result = if len == 0 {
            0
        } else {
            match bytes(a).iter().zip(bytes(b)).find(|(a, b)| a != b) {
                Some((a, b)) if !only_equal => i32::from(*a) - i32::from(*b),
                Some(_) => 1,
                None => 0,
            }
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
            self.inner.random =
                self.inner.random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            unsafe { ((to + n) as *mut u8).write((self.inner.random >> 56) as u8) };
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
