//! The run loop.

use super::{Cache, Edge, Ended, Handler, Ins, Machine, RunLimits};

/// The interpreter's own state.
pub(crate) struct Inner {
    /// The address of the thread's storage (`fs:0`).
    pub(crate) thread: u64,
}

impl Machine {
    /// A machine for code of this process, on this thread.
    ///
    /// # Errors
    ///
    /// Why code of this process cannot be interpreted, in words.
    pub fn new(_cache: Cache) -> Result<Machine, String> {
        Err("not yet".to_owned())
    }

    /// Runs one function to its end.
    pub fn call(&mut self, _entry: u64, _argument: u64, _limits: RunLimits) -> Ended {
        unimplemented!()
    }

    /// Takes back what the last run wrote, and forgets its expressions, path and edges.
    pub fn rollback(&mut self) {}

    /// Calls `handler` where the guest is about to enter the function at `address`.
    pub fn intercept(&mut self, _address: u64, _handler: Handler, _context: *mut ()) {}

    /// The branches that the last run took.
    pub fn edges(&self) -> Vec<(Edge, u32)> {
        Vec::new()
    }

    /// How many instructions the last run had.
    pub fn instructions(&self) -> u64 {
        0
    }

    /// The flags, all of them up to date.
    pub(crate) fn flags(&mut self) -> u64 {
        self.cpu.flags
    }

    /// Executes an instruction that is not control flow. Where that is not possible, `stop` says why.
    pub(crate) fn execute(&mut self, _ins: &Ins) {}

    /// Whether the condition of a `jcc`, `setcc` or `cmovcc` (its low four bits in the encoding) holds.
    pub(crate) fn condition(&mut self, _code: u8) -> bool {
        false
    }
}
