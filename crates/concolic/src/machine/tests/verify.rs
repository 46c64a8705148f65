//! Executes an instruction in plain code and by a stub, and compares.

use crate::machine::decode::Fast;
use crate::machine::{Cpu, Ins, Machine, stub};

fn defined(ins: &Ins) -> u64 {
    // As in iced's `RflagsBits`: overflow, sign, zero, auxiliary, carry, parity.
    let written = ins.raw.rflags_modified() & !ins.raw.rflags_undefined();
    let bits = [11, 7, 6, 4, 0, 2];
    (0..6).filter(|n| written >> n & 1 != 0).map(|n| 1 << bits[n as usize]).sum()
}

impl Machine {
    fn written(&self, ins: &Ins, addresses: [u64; 2]) -> Vec<(u64, u64)> {
        let mems = ins.mems[..ins.mem_count as usize].iter().zip(addresses);
        let bytes =
            mems.filter(|it| it.0.write).flat_map(|(mem, at)| (0..u64::from(mem.size)).map(move |n| at + n));
        bytes.map(|at| (at, self.load(at, 1))).collect()
    }

    /// Executes; differences are added to `verify`.
    pub(crate) fn verify(&mut self, ins: &Ins) {
        if ins.fast == Fast::None || ins.fast == Fast::Nop {
            return self.execute(ins);
        }
        self.flags();
        let addresses = self.addresses(ins);
        let (before, memory) = (Cpu::clone(self.cpu), self.written(ins, addresses));
        self.execute(ins);
        self.flags();
        let (plain, plain_memory) = (Cpu::clone(self.cpu), self.written(ins, addresses));
        *self.cpu = before;
        for (at, byte) in memory {
            self.store(at, 1, byte);
        }
        let made = stub::make(&self.inner.cache, self.inner.host.avx, ins);
        // There is one for each time: when there is no more room, most were compared many times.
        let Some(at) = made else { return self.execute(ins) };
        // SAFETY: it was made for this instruction, and executing it is the guest's access.
        unsafe { stub::enter(at, self.cpu) };
        let flags = defined(ins);
        let same = self.cpu.gpr == plain.gpr
            && self.cpu.vec == plain.vec
            && self.cpu.flags & flags == plain.flags & flags
            && self.written(ins, addresses) == plain_memory;
        if !same {
            let line = format!("{:?} {:?} {:x?} {:x?}", ins.raw, ins.fast, plain.gpr, self.cpu.gpr);
            self.inner.verify.as_mut().expect("it is on").push(line);
        }
    }
}
