//! The run loop: block by block, instruction by instruction, and what a run leaves behind.

use std::alloc::Layout;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::time::Instant;

use iced_x86::Mnemonic;
use probity_core::Rng;

use super::cache::{Cache, INSTRUCTIONS};
use super::decode::{self, Tools};
use super::fault::{self, Fault, Handlers};
use super::flags::PendingFlags;
use super::memory::Memory;
use super::symbols::{self, Host, Native};
use super::{AfterCall, CallEnd, Cpu, Edge, Flow, Handler, Ins, Machine, RunLimits, patch, shadow, symbolic};
use crate::expr::{Dag, Fixed};
use crate::path::{Imprecision, Path, Verdict, sort_edges};

/// How often the clock is looked at, in instructions.
const CLOCK: u64 = 4096;
const FRONT: usize = 1 << 12;
/// So much stack there is wherever a test runs; of more it is not known.
const STACK_SURE: u64 = 1 << 20;
const RAX: usize = 0;
const RCX: usize = 1;
const RSP: usize = 4;
const RSI: usize = 6;
const RDI: usize = 7;

/// A block that was entered lately.
#[derive(Clone, Copy)]
struct Front {
    address: u64,
    first: *const Ins,
    count: u32,
    slot: u32,
    /// The number of its first instruction.
    number: u32,
    own: bool,
}

/// No block at all: every field of it is zero, and most of the table is never touched.
fn nowhere() -> Box<[Front]> {
    // SAFETY: all zero is a front: a null pointer, `false`, and numbers.
    unsafe { zeroed(FRONT) }
}

/// This many things that are all zero, from zeroed memory: without optimization, writing each takes long.
///
/// # Safety
///
/// All zero must be valid for `T`, which must have a size.
pub(crate) unsafe fn zeroed<T>(n: usize) -> Box<[T]> {
    let layout = Layout::array::<T>(n).expect("it is not so large");
    // SAFETY: the layout has a size if `n` is not 0, which no caller asks for. The memory is that of `n` values of `T`, all
    // zero, and that of a box is allocated with this layout.
    unsafe {
        let at = std::alloc::alloc_zeroed(layout).cast::<T>();
        if at.is_null() {
            std::alloc::handle_alloc_error(layout);
        }
        Box::from_raw(std::ptr::slice_from_raw_parts_mut(at, n))
    }
}

/// The interpreter's own state.
pub(crate) struct InterpreterState {
    /// The address of the thread's storage (`fs:0`).
    pub(crate) thread: u64,
    pub(crate) cache: Cache,
    pub(crate) host: &'static Host,
    pub(crate) lazy: PendingFlags,
    pub(crate) memory: Memory,
    pub(crate) natives: HashMap<u64, Native, Fixed>,
    /// Memory that others see, or that has other addresses too.
    pub(crate) shared: Vec<(u64, u64)>,
    /// How many of those there were before the first run.
    shared_before: usize,
    /// Of what represents random bytes.
    pub(crate) random: Rng,
    /// Whether a library function runs of which nothing is known.
    pub(crate) in_unknown: bool,
    tools: Tools,
    front: Box<[Front]>,
    intercepts: Vec<(u64, Handler, *mut ())>,
    /// How often the branch at the end of a block was not taken and taken, by the number of the block's first
    /// instruction: so those that are used lie together. And which blocks have any.
    counts: Box<[[u32; 2]]>,
    touched: Vec<u32>,
    /// How many of them had been touched when the last answer was asked for.
    late: usize,
    indirect: HashMap<Edge, u32, Fixed>,
    instructions: u64,
    limits: RunLimits,
    /// Instructions up to which nothing has to be looked at.
    next_check: u64,
    /// A fault in the midst of a library function: it may hold a lock.
    broken: Option<String>,
    _handlers: Handlers,
    /// Where to list what plain code does otherwise than the processor, if that is looked for.
    #[cfg(test)]
    pub(crate) verify: Option<Vec<String>>,
}

impl Machine {
    /// A machine for code of this process, on this thread. It handles the signals that such code raises.
    ///
    /// # Errors
    ///
    /// Why code of this process cannot be interpreted, in words.
    pub fn new(cache: Cache) -> Result<Machine, String> {
        let host = Host::get()?;
        let thread: u64;
        // SAFETY: on this system the first word of a thread's storage is its own address.
        unsafe { std::arch::asm!("mov {}, fs:[0]", out(reg) thread, options(nostack, readonly)) };
        // SAFETY: all zero and whatever else is there are registers. The machine has the cache as well, to itself, and drops
        // it after its last use of these; what the cache does meanwhile is beside them.
        let cpu: &'static mut Cpu = unsafe { &mut *cache.cpu() };
        cpu.gpr = [0; 16];
        cpu.flags = 0x202;
        cpu.clear_vectors();
        let shared: Vec<(u64, u64)> =
            cache.shared.iter().map(|it| (it.start as u64, it.end as u64)).collect();
        let inner = InterpreterState {
            thread,
            shared_before: shared.len(),
            shared,
            cache,
            host,
            lazy: PendingFlags::KNOWN,
            memory: Memory::new()?,
            natives: HashMap::with_hasher(Fixed::default()),
            random: Rng::new(0),
            in_unknown: false,
            tools: Tools::new(),
            front: nowhere(),
            intercepts: Vec::new(),
            counts: vec![[0; 2]; INSTRUCTIONS].into_boxed_slice(),
            touched: Vec::new(),
            late: 0,
            indirect: HashMap::with_hasher(Fixed::default()),
            instructions: 0,
            limits: RunLimits::default(),
            next_check: 0,
            broken: None,
            _handlers: Handlers::install()?,
            #[cfg(test)]
            verify: None,
        };
        let (shadow, dag, path) = (shadow::Shadow::new(), Dag::new(), Path::default());
        Ok(Machine { cpu, shadow, dag, path, stop: None, inner })
    }

    /// Calls `handler` where the guest is about to enter the function at `address`.
    pub fn intercept(&mut self, address: u64, handler: Handler, context: *mut ()) {
        self.inner.intercepts.retain(|it| it.0 != address);
        self.inner.intercepts.push((address, handler, context));
        // What is intercepted is not among the lately entered ones.
        self.inner.front[front_of(address)].address = 0;
    }

    /// Runs one function to its end.
    ///
    /// # Safety
    ///
    /// `entry` is an `extern "C" fn(*mut u8) -> u64` that could be called here with `argument`, and lets no panic out. While it
    /// runs, handlers may use what it uses only as code that it calls could.
    pub unsafe fn call(&mut self, entry: u64, argument: u64, limits: RunLimits) -> CallEnd {
        if let Some(why) = &self.inner.broken {
            return CallEnd::Stopped(Verdict::Unsupported(why.clone()));
        }
        self.stop = None;
        self.inner.limits = limits;
        self.inner.instructions = 0;
        self.inner.next_check = 0;
        self.inner.random = Rng::new(0);
        self.inner.lazy = PendingFlags::KNOWN;
        self.cpu.gpr = [0; 16];
        self.cpu.flags = 0x202;
        self.cpu.clear_vectors();
        self.cpu.gpr[RDI] = argument;
        self.cpu.gpr[RSP] = self.inner.memory.stack_top() - 64;
        let sentinel = self.inner.cache.sentinel();
        self.push(sentinel);
        self.cpu.rip = entry;
        round_as_ever();
        if let Err(fault) = fault::guard(self, Machine::run) {
            self.stop = Some(self.on_fault(fault));
        }
        round_as_ever();
        match self.stop.take() {
            None => CallEnd::Returned(self.cpu.gpr[RAX]),
            Some(verdict) => CallEnd::Stopped(verdict),
        }
    }

    fn on_fault(&mut self, fault: Fault) -> Verdict {
        if self.inner.in_unknown || fault.signal == libc::SIGABRT {
            self.inner.in_unknown = false;
            self.inner.broken = Some("an earlier run faulted within a library function".to_owned());
        }
        Verdict::Died(match fault.signal {
            libc::SIGSEGV if self.inner.memory.is_overflow(fault.address) => "stack overflow".to_owned(),
            libc::SIGSEGV => format!("segmentation fault at {:#x}", fault.address),
            libc::SIGBUS => format!("bus error at {:#x}", fault.address),
            libc::SIGFPE => "arithmetic exception".to_owned(),
            libc::SIGILL => "illegal instruction".to_owned(),
            libc::SIGTRAP => "trap".to_owned(),
            libc::SIGABRT => "abort".to_owned(),
            it => format!("signal {it}"),
        })
    }

    /// Takes note of what is only known at the end of a run.
    pub(crate) fn note_end(&mut self) {
        if self.shadow.has_written(&self.inner.shared) {
            self.record_imprecision(Imprecision::Shared);
        }
    }

    /// Takes note of what a run that came to its end leaves to the next.
    pub(crate) fn note_state(&mut self) {
        let (host, thread) = (self.inner.host, self.inner.thread);
        // Where something else is lost, this is most likely a part of it.
        if self.path.imprecisions.is_empty()
            && self.inner.memory.has_changed(|at| host.is_lasting(at, thread))
        {
            self.record_imprecision(Imprecision::State);
        }
    }

    /// Takes note that an answer was asked for.
    pub(crate) fn note_answer(&mut self) {
        self.inner.late = self.inner.touched.len();
    }

    /// The branches at the ends of blocks that the last run took.
    fn ends<'a>(&'a self, slots: &'a [u32]) -> impl Iterator<Item = (Edge, u32)> + 'a {
        slots.iter().flat_map(|&slot| {
            let block = self.inner.cache.block(slot);
            // SAFETY: a block has this many instructions, at least one.
            let last = unsafe { &*self.inner.cache.instructions(block).add(block.count as usize - 1) };
            let [fell, taken] = self.inner.counts[block.first as usize];
            let ends = [(last.next, fell), (last.raw.near_branch_target(), taken)];
            ends.into_iter().filter(|it| it.1 != 0).map(|(to, n)| (Edge { from: last.ip, to }, n))
        })
    }

    /// The branches of code that the last run came to only after the last answer: that code is not what makes inputs.
    pub fn late_edges(&self) -> Vec<Edge> {
        self.ends(&self.inner.touched[self.inner.late..]).map(|it| it.0).collect()
    }

    /// The branches that the last run took, sorted, each once.
    pub fn edges(&self) -> Vec<(Edge, u32)> {
        let mut edges: Vec<(Edge, u32)> = self.inner.indirect.iter().map(|(edge, n)| (*edge, *n)).collect();
        edges.extend(self.ends(&self.inner.touched));
        // By hand: the derived order takes long without optimization.
        sort_edges(&mut edges, &|(a, _), (b, _)| {
            let (a, b) = if a.from == b.from { (a.to, b.to) } else { (a.from, b.from) };
            if a < b {
                Ordering::Less
            } else if a > b {
                Ordering::Greater
            } else {
                Ordering::Equal
            }
        });
        edges.dedup_by(|(edge, n), (kept, sum)| {
            let same = edge == kept;
            *sum = sum.saturating_add(if same { *n } else { 0 });
            same
        });
        edges
    }

    /// How many instructions the last run had.
    pub fn instructions(&self) -> u64 {
        self.inner.instructions
    }

    /// Forgets expressions, path and edges.
    pub(crate) fn forget_run(&mut self) {
        self.shadow.reset();
        self.dag = Dag::new();
        self.path = Path::default();
        for slot in self.inner.touched.drain(..) {
            self.inner.counts[self.inner.cache.block(slot).first as usize] = [0; 2];
        }
        self.inner.late = 0;
        self.inner.indirect.clear();
        self.inner.shared.truncate(self.inner.shared_before);
    }

    fn run(&mut self) {
        let mut at = self.cpu.rip;
        let mut site = at;
        while self.stop.is_none() {
            let front = self.inner.front[front_of(at)];
            if front.address != at {
                match self.enter(at, site) {
                    Some(to) => at = to,
                    None => return,
                }
                continue;
            }
            self.inner.instructions += front.count as u64;
            if self.inner.instructions >= self.inner.next_check && self.check_limits() {
                return;
            }
            (at, site) = self.run_block(front);
        }
    }

    /// Runs a block: where to go on, and where its last instruction stands.
    #[inline(always)]
    fn run_block(&mut self, front: Front) -> (u64, u64) {
        self.cpu.rip = front.address;
        // SAFETY: a block has this many instructions, at least one, and stays where it is. Not a slice: going through
        // one takes long without optimization.
        let last = unsafe { &*front.first.add(front.count as usize - 1) };
        let mut next = front.first;
        // What has no expression gets none within a block.
        let plain = self.shadow.is_empty();
        while !std::ptr::eq(next, last) {
            // SAFETY: it is before the last one.
            let ins = unsafe { &*next };
            // SAFETY: so there is one more.
            next = unsafe { next.add(1) };
            #[cfg(test)]
            if self.inner.verify.is_some() {
                self.verify(ins);
                continue;
            }
            if plain {
                self.execute(ins)
            } else {
                self.advance(ins)
            }
            if ins.fast == decode::Fast::None && self.stop.is_some() {
                return (ins.ip, ins.ip);
            }
        }
        let to = match last.flow {
            Flow::Next => {
                if plain {
                    self.execute(last)
                } else {
                    self.advance(last)
                }
                last.next
            }
            Flow::Conditional => self.conditional(last, front, plain),
            Flow::Jump => last.raw.near_branch_target(),
            Flow::Call => {
                self.push_return(last.next);
                last.raw.near_branch_target()
            }
            Flow::IndirectJump | Flow::IndirectCall | Flow::Return => self.indirect(last, front.own, plain),
            Flow::Special => self.special(last),
        };
        (to, last.ip)
    }

    /// Ends the run where it has reached its limits; returns whether it has.
    #[cold]
    fn check_limits(&mut self) -> bool {
        let limits = self.inner.limits;
        self.inner.next_check = limits.instructions.min(self.inner.instructions + CLOCK);
        if self.inner.memory.stack_top().wrapping_sub(self.cpu.gpr[RSP]) > STACK_SURE {
            self.record_imprecision(Imprecision::Room("stack"));
        }
        let is_late = limits.until.is_some_and(|until| Instant::now() >= until);
        if self.inner.instructions >= limits.instructions || is_late {
            // Telling of a lack of memory, with a backtrace, may take longer than a run may be.
            let exhausted = self.inner.memory.exhausted;
            self.stop =
                Some(if exhausted { Verdict::Died("out of memory".to_owned()) } else { Verdict::Cut });
            if !is_late {
                self.record_imprecision(Imprecision::Instructions(self.inner.instructions));
            }
            return true;
        }
        false
    }

    /// What to do at an address that was not entered lately: where to go on, or the end.
    #[cold]
    fn enter(&mut self, at: u64, site: u64) -> Option<u64> {
        if at == self.inner.cache.sentinel() {
            return None;
        }
        if let Some(&(_, handler, context)) = self.inner.intercepts.iter().find(|it| it.0 == at) {
            match handler(self, context) {
                AfterCall::Return => {
                    let back = self.load(self.cpu.gpr[RSP], 8);
                    self.cpu.gpr[RSP] = self.cpu.gpr[RSP].wrapping_add(8);
                    return Some(back);
                }
                AfterCall::Enter => {}
                AfterCall::Stop(verdict) => {
                    self.stop = Some(verdict);
                    return None;
                }
            }
            // Never among the lately entered ones, so that the handler is asked every time.
            let front = self.front(at)?;
            return Some(self.run_block(front).0);
        }
        if let Some(kind) = patch::kind_of(at) {
            let back = self.load(self.cpu.gpr[RSP], 8);
            self.cpu.gpr[RSP] = self.cpu.gpr[RSP].wrapping_add(8);
            self.model(kind, site);
            return Some(back);
        }
        if self.inner.host.range(at).is_none() {
            return self.enter_outside(at, site);
        }
        let front = self.front(at)?;
        self.inner.front[front_of(at)] = front;
        Some(at)
    }

    fn enter_outside(&mut self, at: u64, site: u64) -> Option<u64> {
        if self.inner.host.is_resolver(at) {
            let stack = self.cpu.gpr[RSP];
            let (map, index) = (self.load(stack, 8), self.load(stack + 8, 8));
            // SAFETY: the guest's access: what is called here is called by such a table, which has just pushed both.
            let target = unsafe { symbols::lazily_bound(map, index) };
            self.cpu.gpr[RSP] = stack + 16;
            if target.is_none() {
                self.stop = Some(Verdict::Unsupported("a function that is not found".to_owned()));
            }
            return target;
        }
        self.cpu.rip = at;
        Some(self.enter_native(at, site))
    }

    /// The block at an address of interpreted code, decoded if need be.
    fn front(&mut self, at: u64) -> Option<Front> {
        let inner = &mut self.inner;
        let slot = inner.cache.find(at).or_else(|| {
            let range = inner.host.range(at)?;
            inner.tools.decode(&inner.cache, inner.host.avx, at, range.end);
            inner.cache.add(at, &inner.tools.block, range.own)
        });
        let Some(slot) = slot else {
            self.stop = Some(Verdict::Unsupported("so much code: there is no room for more".to_owned()));
            return None;
        };
        let block = inner.cache.block(slot);
        let first = inner.cache.instructions(block);
        Some(Front {
            address: at,
            first,
            count: block.count.into(),
            slot,
            number: block.first,
            own: block.own,
        })
    }

    /// Executes an instruction where something has an expression.
    fn advance(&mut self, ins: &Ins) {
        if ins.repeated {
            return self.advance_repeated(ins);
        }
        let addresses = self.addresses(ins);
        if symbolic::involved(&self.shadow, ins, &addresses) {
            symbolic::step(self, ins);
            return;
        }
        self.execute(ins);
        self.shadow.forget(ins.writes, ins.vec_writes, ins.flags_written != 0);
        // Not an iterator: this is the hottest place, and often runs without optimization.
        let mut i = 0;
        while i < ins.mem_count as usize {
            if ins.mems[i].write {
                self.shadow.clear(addresses[i], ins.mems[i].size as u64);
            }
            i += 1;
        }
    }

    /// A repeated string instruction: like `memcpy` and `memset`; others are not followed.
    fn advance_repeated(&mut self, ins: &Ins) {
        use Mnemonic as M;
        let mnemonic = ins.raw.mnemonic();
        for register in [RCX, RSI, RDI] {
            let of = self.shadow.gpr[register];
            if of.is_some() {
                symbolic::pin(self, of, ins.ip);
            }
        }
        let [to, from, count] = [RDI, RSI, RCX].map(|it| self.cpu.gpr[it]);
        let byte = self.shadow.gpr[RAX];
        if self.flags() >> 10 & 1 != 0 {
            // Backward, which compilers do not write.
            self.record_imprecision(Imprecision::Instruction(format!("{mnemonic:?}").to_lowercase()));
        }
        let len = count.saturating_mul(ins.raw.memory_size().size() as u64);
        self.execute(ins);
        match mnemonic {
            M::Movsb | M::Movsw | M::Movsd | M::Movsq => self.shadow.copy(to, from, len),
            M::Stosb if byte.is_some() => symbolic::fill(self, to, len, byte),
            M::Stosb | M::Stosw | M::Stosd | M::Stosq => {
                self.shadow.clear(to, len);
                if byte.is_some() {
                    self.record_imprecision(Imprecision::Instruction("stos".to_owned()));
                }
            }
            _ if byte.is_some() || self.shadow.load_any(to, len) || self.shadow.load_any(from, len) => {
                self.record_imprecision(Imprecision::Instruction(format!("{mnemonic:?}").to_lowercase()));
            }
            _ => {}
        }
        self.shadow.forget(ins.writes, ins.vec_writes, ins.flags_written != 0);
    }

    /// The addresses of the memory operands.
    #[inline(always)]
    pub(crate) fn addresses(&self, ins: &Ins) -> [u64; 2] {
        match ins.mem_count {
            0 => [0; 2],
            1 => [self.address(&ins.mems[0]), 0],
            _ => [self.address(&ins.mems[0]), self.address(&ins.mems[1])],
        }
    }

    fn push_return(&mut self, to: u64) {
        self.push(to);
        if !self.shadow.is_empty() {
            self.shadow.clear(self.cpu.gpr[RSP], 8);
        }
    }

    fn conditional(&mut self, ins: &Ins, front: Front, plain: bool) -> u64 {
        let involved = !plain && symbolic::involved(&self.shadow, ins, &[0; 2]);
        let taken = match ins.raw.mnemonic() {
            Mnemonic::Jrcxz => self.cpu.gpr[RCX] == 0,
            Mnemonic::Jecxz => self.cpu.gpr[RCX] as u32 == 0,
            Mnemonic::Loop | Mnemonic::Loope | Mnemonic::Loopne => {
                self.cpu.gpr[RCX] = self.cpu.gpr[RCX].wrapping_sub(1);
                let zero = self.condition(4);
                self.cpu.gpr[RCX] != 0
                    && match ins.raw.mnemonic() {
                        Mnemonic::Loope => zero,
                        Mnemonic::Loopne => !zero,
                        _ => true,
                    }
            }
            _ => self.condition(ins.imm as u8),
        };
        if front.own {
            let counts = &mut self.inner.counts[front.number as usize];
            if counts[0] | counts[1] == 0 {
                self.inner.touched.push(front.slot);
            }
            let count = &mut counts[usize::from(taken)];
            *count = count.saturating_add(1);
        }
        let target = ins.raw.near_branch_target();
        let (to, other) = if taken { (target, ins.next) } else { (ins.next, target) };
        if involved {
            symbolic::branch(self, ins, taken, to, other);
        }
        if ins.writes != 0 && !plain {
            self.shadow.forget(ins.writes, 0, false);
        }
        to
    }

    fn indirect(&mut self, ins: &Ins, own: bool, plain: bool) -> u64 {
        if !plain && symbolic::involved(&self.shadow, ins, &self.addresses(ins)) {
            symbolic::target(self, ins);
        }
        if ins.flow == Flow::Return {
            let to = self.load(self.cpu.gpr[RSP], 8);
            self.cpu.gpr[RSP] = self.cpu.gpr[RSP].wrapping_add(8 + ins.imm);
            return to;
        }
        let to = if ins.dst == decode::MEM {
            self.load(self.address(&ins.mems[0]), 8)
        } else {
            self.cpu.gpr[ins.dst as usize & 15]
        };
        if ins.flow == Flow::IndirectCall {
            self.push_return(ins.next);
        }
        if own && self.inner.host.range(to).is_some() {
            *self.inner.indirect.entry(Edge { from: ins.ip, to }).or_insert(0) += 1;
        }
        to
    }

    fn special(&mut self, ins: &Ins) -> u64 {
        match ins.raw.mnemonic() {
            Mnemonic::Syscall => self.enter_system(ins.stub, ins.ip),
            Mnemonic::Ud2 | Mnemonic::Ud0 | Mnemonic::Ud1 => {
                self.stop = Some(Verdict::Died("illegal instruction".to_owned()));
            }
            Mnemonic::Int3 | Mnemonic::Int | Mnemonic::Int1 => {
                self.stop = Some(Verdict::Died("trap".to_owned()))
            }
            Mnemonic::Hlt => self.stop = Some(Verdict::Died("segmentation fault".to_owned())),
            it => self.stop = Some(Verdict::Unsupported(format!("the instruction {it:?}"))),
        }
        ins.next
    }
}

#[inline(always)]
fn front_of(at: u64) -> usize {
    (at ^ at >> 12) as usize & (FRONT - 1)
}

/// Rounds floats as every process does at its start, whatever the guest has set.
fn round_as_ever() {
    let (vectors, old) = (0x1f80_u32, 0x037f_u16);
    // SAFETY: both words can be read, and say what Rust expects.
    unsafe {
        std::arch::asm!("ldmxcsr [{}]", "fldcw [{}]", in(reg) &raw const vectors, in(reg) &raw const old, options(nostack, readonly));
    }
}
