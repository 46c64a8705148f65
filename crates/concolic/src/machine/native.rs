//! Code outside the interpreted ranges: performed by a model, run natively on the guest's stack, or refused.

use super::models::{ARGUMENTS, Kind};
use super::{Machine, patch, stub};
use crate::path::{Loss, Verdict};

/// How far memory at an argument is looked at for data that depends on choices.
const LOOK: u64 = 256;

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
        match native.kind {
            Kind::Dies(how) => self.die(how),
            Kind::Exits => {
                let status = self.argument(0) as i32 & 255;
                self.stop = Some(Verdict::Died(format!("exit with status {status}")));
            }
            Kind::Refused => self.stop = Some(Verdict::Unsupported(format!("a call of `{}`", native.name))),
            Kind::Thread => {
                self.lose(Loss::Thread);
                patch::install(self.inner.host);
                self.call_gate(target);
            }
            Kind::Syscall => {
                let [number, to, len] = [0, 1, 2].map(|n| self.argument(n));
                if number == libc::SYS_getrandom as u64 {
                    self.cpu.gpr[ARGUMENTS[0]] = to;
                    self.cpu.gpr[ARGUMENTS[1]] = len;
                    self.model(Kind::Random(true), site);
                    self.cpu.gpr[4] = self.cpu.gpr[4].wrapping_add(8);
                } else if self.allows_system_call(number, to) {
                    if number != libc::SYS_futex as u64 {
                        self.note_library("syscall");
                    }
                    self.call_gate(target);
                }
            }
            Kind::Fills(n, len) => {
                let to = self.argument(n.into());
                self.call_filling(target, to, len.into());
            }
            Kind::Reads(n, len) => {
                let (to, len) = (self.argument(n.into()), self.argument(len.into()));
                self.call_filling(target, to, len);
            }
            Kind::Harmless => self.call_gate(target),
            _ => {
                self.note_library(native.name);
                self.inner.in_unknown = true;
                self.call_gate(target);
                self.inner.in_unknown = false;
            }
        }
        back
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
            libc::SYS_fork | libc::SYS_vfork | libc::SYS_execve => {
                Some(Verdict::Unsupported(format!("system call {number}")))
            }
            libc::SYS_clone | libc::SYS_clone3 => {
                Some(Verdict::Unsupported("a thread made by hand".to_owned()))
            }
            libc::SYS_tgkill | libc::SYS_tkill | libc::SYS_kill => {
                Some(Verdict::Died("a signal that it raised".to_owned()))
            }
            _ => return true,
        };
        false
    }

    fn call_filling(&mut self, target: u64, to: u64, len: u64) {
        if to != 0 {
            self.log(to, len);
        }
        if self.stop.is_none() {
            self.call_gate(target);
            self.forget_memory(to, len);
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
        unsafe { stub::enter(gate) };
        self.cpu.gpr[4] = stack.wrapping_add(8);
        self.forget_call();
    }

    /// Notes a loss where an argument, or memory at one, depends on choices.
    fn note_library(&mut self, name: &str) {
        if self.shadow.is_empty() {
            return;
        }
        let registers = ARGUMENTS.iter().any(|&n| self.shadow.gpr_mask >> n & 1 != 0);
        let vectors = self.shadow.vec_mask & 0xff != 0;
        let memory = || ARGUMENTS[..3].iter().any(|&n| self.shadow.load_any(self.cpu.gpr[n], LOOK));
        if registers || vectors || memory() {
            self.lose(Loss::Library(name.to_owned()));
        }
    }
}
