//! Code outside the interpreted ranges: performed by a model, run natively on the guest's stack, or refused.
//!
//! What runs natively does not follow expressions. So nothing is claimed where it may read one: see `known`.

use super::known::{FunctionModel, Touch, system_call};
use super::models::ARGUMENTS;
use super::shadow::{Byte, join};
use super::{Machine, fault, patch, stub, symbolic};
use crate::expr::{Expr, FloatOp};
use crate::path::{Imprecision, Verdict};

/// A text is looked at up to this length.
const TEXT_MAX: u64 = 1 << 20;
/// The registers of the arguments of a system call.
const OF_SYSTEM_CALL: [usize; 6] = [7, 6, 2, 10, 8, 9];

/// What a call is given: its arguments, and the registers that they are in.
#[derive(Clone, Copy)]
struct CallArguments {
    /// Where it is called.
    site: u64,
    values: [u64; 6],
    registers: [usize; 6],
}

impl CallArguments {
    fn at(&self, n: u8) -> u64 {
        self.values[usize::from(n) % 6]
    }
}

/// What is run natively.
#[derive(Clone, Copy)]
enum NativeCall {
    /// The function at this address.
    Function(u64),
    /// The instruction `syscall`, by its stub.
    SystemCall(u64),
}

impl Machine {
    /// Performs the function at `target`; its return address is on the stack. Where to go on.
    pub(crate) fn enter_native(&mut self, target: u64, site: u64) -> u64 {
        let native = match self.inner.natives.get(&target) {
            Some(it) => it.clone(),
            None => {
                let it = self.inner.host.native(target);
                self.inner.natives.insert(target, it.clone());
                it
            }
        };
        let back = self.load(self.cpu.gpr[4], 8);
        if self.model(native.kind, site) {
            self.cpu.gpr[4] = self.cpu.gpr[4].wrapping_add(8);
            return back;
        }
        let given = self.given(ARGUMENTS, site);
        match native.kind {
            FunctionModel::Stood(count, touches, ours) if self.depends(count, touches, &given) => {
                match ours.address() {
                    // It returns as the other would.
                    Some(ours) => return ours,
                    None => self.perform(native.name, native.kind, &given, NativeCall::Function(target)),
                }
            }
            FunctionModel::Dies(how) => self.die(how),
            FunctionModel::Exits => {
                let status = self.argument(0) as i32 & 255;
                self.stop = Some(Verdict::Died(format!("exit with status {status}")));
            }
            FunctionModel::Thread => {
                self.record_imprecision(Imprecision::Thread);
                patch::install(self.inner.host);
                self.call_gate(target);
            }
            FunctionModel::Syscall => {
                let stack = self.cpu.gpr[4];
                let inner = self.load(stack + 8, 8);
                // The first argument is the number; the seventh is on the stack.
                let [number, a, b, c, d, e] = given.values;
                symbolic::pin_register(self, ARGUMENTS[0], site);
                if self.shadow.load_any(stack + 8, 8) {
                    self.record_imprecision(Imprecision::Library("syscall".to_owned()));
                }
                let [_, x, y, z, v, w] = ARGUMENTS;
                let shifted =
                    CallArguments { site, values: [a, b, c, d, e, inner], registers: [x, y, z, v, w, w] };
                if number == libc::SYS_getrandom as u64 {
                    self.cpu.gpr[ARGUMENTS[0]] = a;
                    self.cpu.gpr[ARGUMENTS[1]] = b;
                    self.model(FunctionModel::Random(true), site);
                    self.cpu.gpr[4] = self.cpu.gpr[4].wrapping_add(8);
                } else {
                    self.system_call(number, &shifted, NativeCall::Function(target));
                }
            }
            kind => self.perform(native.name, kind, &given, NativeCall::Function(target)),
        }
        back
    }

    fn given(&self, registers: [usize; 6], site: u64) -> CallArguments {
        CallArguments { site, values: registers.map(|it| self.cpu.gpr[it]), registers }
    }

    /// The instruction `syscall`.
    pub(crate) fn enter_system(&mut self, stub: u64, site: u64) {
        let given = self.given(OF_SYSTEM_CALL, site);
        symbolic::pin_register(self, 0, site);
        self.system_call(self.cpu.gpr[0], &given, NativeCall::SystemCall(stub));
    }

    fn system_call(&mut self, number: u64, given: &CallArguments, call: NativeCall) {
        if !self.allows_system_call(number, given.values[0]) {
            return;
        }
        match system_call(number) {
            Some((name, kind)) => self.perform(name, kind, given, call),
            None => self.perform("syscall", FunctionModel::Unknown, given, call),
        }
    }

    /// Calls what is not performed by a model, and takes note of what is not known then.
    fn perform(&mut self, name: &str, kind: FunctionModel, given: &CallArguments, call: NativeCall) {
        match kind {
            FunctionModel::Refused => self.stop = Some(Verdict::Unsupported(format!("it calls `{name}`"))),
            FunctionModel::Starts => {
                self.stop = Some(Verdict::Unsupported(format!("it starts a process, by `{name}`")));
            }
            FunctionModel::Listed(count, touches) => self.call_listed(name, count, touches, given, call),
            FunctionModel::Varies(count, touches) => {
                self.record_imprecision(Imprecision::Varies(name.to_owned()));
                self.call_listed(name, count, touches, given, call);
            }
            // System calls only: the functions have a model.
            FunctionModel::Random(_) => {
                self.record_imprecision(Imprecision::Varies(name.to_owned()));
                self.call_listed(name, 3, &[Touch::Fills(0, 1)], given, call);
            }
            FunctionModel::Float(count) => {
                if self.shadow.vec_mask & ((1 << count) - 1) != 0 {
                    self.record_imprecision(Imprecision::Library(name.to_owned()));
                }
                self.run_natively(call);
            }
            FunctionModel::Math(op, bytes) => self.compute(name, op, bytes, call),
            FunctionModel::Stood(count, touches, _) => self.call_listed(name, count, touches, given, call),
            FunctionModel::Map => self.map(name, given, call),
            FunctionModel::Unmap => {
                self.call_listed(name, 2, &[], given, call);
                self.forget_memory(given.at(0), given.at(1));
            }
            FunctionModel::Handler(which) => self.set_handler(name, which, given, call),
            FunctionModel::Visits(n) if self.inner.host.range(given.at(n)).is_some_and(|it| !it.own) => {
                let touches: &[Touch] = if n == 0 { &[] } else { &[Touch::Reads(0, 4), Touch::Writes(0, 4)] };
                self.call_listed(name, 2, touches, given, call);
            }
            _ => {
                let calls_back = given.values.iter().any(|&it| self.inner.host.range(it).is_some());
                if calls_back || !self.shadow.is_empty() {
                    self.record_imprecision(Imprecision::Library(name.to_owned()));
                }
                self.inner.in_unknown = true;
                self.run_natively(call);
                self.inner.in_unknown = false;
            }
        }
    }

    /// Whether an argument, or what a function reads, has an expression.
    fn depends(&self, count: u8, touches: &[Touch], given: &CallArguments) -> bool {
        given.registers[..usize::from(count)].iter().any(|&it| self.shadow.gpr[it].is_some())
            || touches.iter().any(|it| self.reads(*it, given))
    }

    /// Calls a function that computes a float of this many bytes, and knows by which operation.
    fn compute(&mut self, name: &str, op: FloatOp, bytes: usize, call: NativeCall) {
        let count = if let FloatOp::Library(it) = op { it.arguments() } else { 1 };
        let args = [0, 1].map(|n| {
            let (known, now) = (&self.shadow.vec[n][..bytes], &self.cpu.vec[n][..bytes]);
            if n < count { join(&mut self.dag, known, now) } else { Expr::NONE }
        });
        let result = self.dag.float(op, args[0], args[1]);
        self.run_natively(call);
        if self.dag.is_constant(result) {
            return;
        }
        let mut is = [0; 16];
        is[..bytes].copy_from_slice(&self.cpu.vec[0][..bytes]);
        if self.dag.value(result) != u128::from_le_bytes(is) {
            return self.record_imprecision(Imprecision::Library(name.to_owned()));
        }
        let mut known = [Byte::NONE; 32];
        for (at, byte) in known[..bytes].iter_mut().enumerate() {
            *byte = Byte { of: result, at: at as u8 };
        }
        self.shadow.set_vector(0, &known);
    }

    /// Calls a function of which it is known what it touches.
    fn call_listed(
        &mut self,
        name: &str,
        count: u8,
        touches: &[Touch],
        given: &CallArguments,
        call: NativeCall,
    ) {
        // Other arguments are other paths.
        for &register in &given.registers[..usize::from(count)] {
            symbolic::pin_register(self, register, given.site);
        }
        let mut reads = false;
        for touch in touches {
            reads |= self.reads(*touch, given);
            let (to, len) = match *touch {
                Touch::Writes(n, len) | Touch::Sets(n, len) => (given.at(n), len.into()),
                Touch::Fills(n, len) | Touch::Prints(n, len) => (given.at(n), given.at(len)),
                _ => (0, 0),
            };
            if to != 0 {
                self.log(to, len);
            }
        }
        if reads {
            self.record_imprecision(Imprecision::Library(name.to_owned()));
        }
        if self.stop.is_some() {
            return;
        }
        self.run_natively(call);
        let result = self.cpu.gpr[0];
        for touch in touches {
            match *touch {
                Touch::Writes(n, len) if result as i32 == 0 => self.forget_memory(given.at(n), len.into()),
                Touch::Sets(n, len) if given.at(n) != 0 => self.forget_memory(given.at(n), len.into()),
                Touch::Fills(n, len) if result <= given.at(len) => self.forget_memory(given.at(n), result),
                // Not known how much: what it wrote is no longer what its expression says.
                _ => {}
            }
        }
    }

    /// Whether a function reads memory that has an expression.
    fn reads(&self, touch: Touch, given: &CallArguments) -> bool {
        match touch {
            Touch::Text(n) => self.reads_text(given.at(n), TEXT_MAX),
            Touch::Texts(n, most) => self.reads_text(given.at(n), given.at(most).min(TEXT_MAX)),
            Touch::Reads(n, len) => self.shadow.load_any(given.at(n), len.into()),
            Touch::Bytes(n, len) => self.shadow.load_any(given.at(n), given.at(len)),
            Touch::Parts(n, count) => {
                let (at, count) = (given.at(n), given.at(count).min(1024));
                self.shadow.load_any(at, 16 * count)
                    || (0..count)
                        .map(|it| (self.load(at + 16 * it, 8), self.load(at + 16 * it + 8, 8)))
                        .any(|(at, len)| self.shadow.load_any(at, len))
            }
            _ => false,
        }
    }

    /// Whether a text of at most this many bytes has an expression.
    fn reads_text(&self, at: u64, most: u64) -> bool {
        if at == 0 || self.shadow.is_empty() {
            return false;
        }
        let mut len = 0;
        while len < most && self.load(at + len, 1) != 0 {
            len += 1;
        }
        self.shadow.load_any(at, (len + 1).min(most))
    }

    /// `mmap(at, length, protection, flags, file, offset)`
    fn map(&mut self, name: &str, given: &CallArguments, call: NativeCall) {
        let (len, flags) = (given.at(1), given.at(3));
        self.call_listed(name, 6, &[], given, call);
        let at = self.cpu.gpr[0];
        self.note_size(len);
        if at > -4096_i64 as u64 {
            return;
        }
        self.forget_memory(at, len);
        if flags as i32 & libc::MAP_SHARED != 0 {
            self.inner.shared.push((at, at.saturating_add(len)));
        }
    }

    /// A handler runs natively, at any time: so nothing is known from here on.
    fn set_handler(&mut self, name: &str, which: u8, given: &CallArguments, call: NativeCall) {
        let is_set = given.at(which) != 0;
        if is_set && which == 0 {
            // The stack of handlers stays ours; who asks for another has it, as far as they know.
            self.cpu.gpr[given.registers[0]] = 0;
            return self.call_listed(name, 2, &[Touch::Writes(1, 24)], given, call);
        }
        if is_set && fault::SIGNALS.contains(&(given.at(0) as i32)) {
            let why = format!("it handles a signal that the engine needs, by `{name}`");
            self.stop = Some(Verdict::Unsupported(why));
            return;
        }
        if is_set {
            self.record_imprecision(Imprecision::Library(name.to_owned()));
        }
        let old = if matches!(name, "signal" | "sigset") { 0 } else { given.at(1 + which) };
        if old != 0 {
            // The largest there is. What it wrote is no longer what its expression says.
            self.log(old, 152);
        }
        self.call_listed(name, 3, &[], given, call);
    }

    /// Ends the run as the process would end.
    pub(crate) fn die(&mut self, how: &str) {
        let how = if self.inner.memory.exhausted && how == "abort" { "out of memory" } else { how };
        self.stop = Some(Verdict::Died(how.to_owned()));
    }

    /// Whether a system call may be made; if not, the run ends.
    pub(crate) fn allows_system_call(&mut self, number: u64, argument: u64) -> bool {
        self.stop = match number as i64 {
            libc::SYS_exit | libc::SYS_exit_group => {
                Some(Verdict::Died(format!("exit with status {}", argument as i32 & 255)))
            }
            libc::SYS_fork | libc::SYS_vfork | libc::SYS_execve | libc::SYS_execveat => {
                Some(Verdict::Unsupported("it starts a process, by a system call".to_owned()))
            }
            libc::SYS_clone | libc::SYS_clone3 => {
                Some(Verdict::Unsupported("it starts a thread or a process by a system call".to_owned()))
            }
            libc::SYS_arch_prctl | libc::SYS_rt_sigreturn | libc::SYS_seccomp | libc::SYS_ptrace => {
                Some(Verdict::Unsupported(format!("it makes system call {number}")))
            }
            libc::SYS_tgkill | libc::SYS_tkill | libc::SYS_kill | libc::SYS_rt_sigqueueinfo => {
                Some(Verdict::Died("a signal that it raised".to_owned()))
            }
            _ => return true,
        };
        false
    }

    fn run_natively(&mut self, call: NativeCall) {
        match call {
            NativeCall::Function(target) => self.call_gate(target),
            NativeCall::SystemCall(stub) => {
                self.flags();
                // SAFETY: the stub is that of the instruction, which is the guest's access: calls that would take from us what
                // we need were refused.
                unsafe { stub::enter(stub, self.cpu) };
                // rax, rcx and r11
                self.shadow.forget(0x0803, 0, true);
            }
        }
    }

    /// Runs a function natively, on the guest's stack, to its return.
    fn call_gate(&mut self, target: u64) {
        self.flags();
        let (gate, exit) = {
            let header = self.inner.cache.header();
            (header.gate, header.exit)
        };
        let stack = self.cpu.gpr[4];
        self.store(stack, 8, exit);
        self.cpu.target = target;
        // SAFETY: the guest calls this function, with these registers and this stack, on which it returns to the gate.
        unsafe { stub::enter(gate, self.cpu) };
        self.cpu.gpr[4] = stack.wrapping_add(8);
        self.forget_call();
    }
}
