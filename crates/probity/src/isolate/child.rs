//! A child process that is a copy of this one, what it says, and how it ends.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, FromRawFd};
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::faults;
use super::seal::{self, Reason, Seal};
use crate::panics;

/// A running child. It dies with this.
pub(crate) struct Child {
    pid: libc::pid_t,
    from: File,
    to: File,
    kind: ChildKind,
    buffer: Vec<u8>,
    end: Option<ProcessEnd>,
    /// The addresses on its stack when it died, if it told them.
    stack: Vec<u64>,
}

/// What a child writes to, and reads from.
#[derive(Clone)]
pub(crate) struct Pipe {
    to: Rc<File>,
    from: Rc<File>,
}

/// What a child may do.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ChildKind {
    /// All that its parent may.
    Open(ChildOutput),
    /// Nothing that anything outside could notice. A shared word says what it tried to do, if that ended it.
    Sealed(&'static AtomicU64),
}

/// Where what a child prints goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChildOutput {
    /// Where our own goes.
    Kept,
    /// Nowhere.
    Dropped,
}

/// What came of waiting for a child.
#[derive(Debug)]
pub(crate) enum Received {
    /// It said something.
    Message(Vec<u8>),
    /// It has ended, and said nothing more.
    Ended(ProcessEnd),
    /// Nothing happened for as long as one was willing to wait.
    Late,
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProcessEnd {
    /// With an exit code.
    Exited(i32),
    /// By a signal.
    Killed(i32),
    /// By its seal.
    Sealed(Reason),
}

impl fmt::Display for ProcessEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let signal = match *self {
            ProcessEnd::Exited(code) => return write!(f, "exited with code {code}"),
            ProcessEnd::Killed(signal) => signal,
            ProcessEnd::Sealed(reason) => return write!(f, "was ended: {reason}"),
        };
        match signal {
            libc::SIGSEGV => f.write_str("died: segmentation fault"),
            libc::SIGABRT => f.write_str("died: abort"),
            libc::SIGBUS => f.write_str("died: bus error"),
            libc::SIGILL => f.write_str("died: illegal instruction"),
            libc::SIGFPE => f.write_str("died: arithmetic exception"),
            libc::SIGTRAP => f.write_str("died: trap"),
            libc::SIGKILL => f.write_str("died: killed"),
            libc::SIGTERM => f.write_str("died: terminated"),
            faults::STACK_OVERFLOW => f.write_str("died: stack overflow"),
            other => write!(f, "died: signal {other}"),
        }
    }
}

/// To wait for a child that sends no signal when it ends, too.
#[cfg(any(target_os = "linux", target_os = "android"))]
const ANY_CHILD: i32 = libc::__WALL;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const ANY_CHILD: i32 = 0;

/// How many sealed copies are made for one that can allocate.
const COPIES_MAX: u32 = 16;

/// How often a silent child is looked after, in case that somebody else holds its pipe open.
const LOOK: Duration = Duration::from_millis(50);

impl Child {
    /// Runs `work` in a copy of this process, of which only this thread goes on. The copy ends with `work` and never
    /// returns into what called this; nothing of what it changes is seen here but what it sends.
    pub(crate) fn fork(kind: ChildKind, work: impl FnOnce(&Pipe)) -> io::Result<Child> {
        let mut work = Some(work);
        let mut work = |pipe: &Pipe| {
            if let Some(work) = work.take() {
                work(pipe)
            }
        };
        let mut tries = 1;
        loop {
            let mut child = Child::split(kind, &mut work)?;
            if matches!(kind, ChildKind::Open(_)) || !child.wait_whether_stuck() || tries == COPIES_MAX {
                return Ok(child);
            }
            tries += 1;
        }
    }

    /// Whether this sealed copy cannot allocate: another thread held a lock of the allocator when it was made.
    fn wait_whether_stuck(&mut self) -> bool {
        match self.receive(None) {
            Received::Ended(ProcessEnd::Sealed(reason)) => reason.is_wait(),
            _ => false,
        }
    }

    fn split(kind: ChildKind, work: &mut dyn FnMut(&Pipe)) -> io::Result<Child> {
        /// Held from when pipes are made until their other ends are closed here: a child of another thread that had
        /// them too would keep them open.
        static FORKS: Mutex<()> = Mutex::new(());
        let stack = faults::stack();
        let guard = FORKS.lock().unwrap_or_else(PoisonError::into_inner);
        let (from, to) = pipe()?;
        let (its_from, its_to) = pipe()?;
        let mut seal = match kind {
            ChildKind::Sealed(word) => Some(Seal::new(word, to.as_raw_fd(), its_from.as_raw_fd())),
            ChildKind::Open(_) => None,
        };
        let held = panics::hold();
        // SAFETY: a sealed copy is sealed below; nothing else is asked. The copy has only this thread, so that a lock which another holds
        // stays locked in it: it runs the code of one test, which shares little, and the C library keeps its own locks
        // (those of the allocator) usable, except in a sealed copy, which takes nothing before it is sealed. If it gets stuck
        // all the same, anyone who waits for it or its seal ends it.
        let (parent, pid) = unsafe {
            let parent = libc::getpid();
            (parent, if seal.is_some() { seal::copy() } else { libc::fork() })
        };
        drop(held);
        drop(guard);
        match pid {
            -1 => Err(io::Error::last_os_error()),
            0 => {
                let _leave = Leave; // even when `work` unwinds
                drop(from);
                prepare(parent, kind);
                drop(its_to);
                let process = faults::learn_process();
                if let Some(seal) = &mut seal {
                    seal.close(process);
                }
                panics::replace_fatal_in_copy(None);
                faults::handle(stack, to.as_raw_fd());
                let pipe = Pipe { to: Rc::new(to), from: Rc::new(its_from) };
                if seal.is_some() {
                    // It could allocate.
                    pipe.send(b"");
                }
                work(&pipe);
                leave(0)
            }
            pid => {
                Ok(Child { pid, from, to: its_to, kind, buffer: Vec::new(), end: None, stack: Vec::new() })
            }
        }
    }

    /// Waits for the next message, or for the end, until `until` at the latest.
    pub(crate) fn receive(&mut self, until: Option<Instant>) -> Received {
        let mut is_closed = false;
        loop {
            if let Some(message) = self.message() {
                return Received::Message(message);
            }
            if let Some(end) = self.end {
                return Received::Ended(end);
            }
            let left = until.map_or(LOOK, |it| it.saturating_duration_since(Instant::now()));
            if left.is_zero() && until.is_some() {
                return Received::Late;
            }
            let can_read = !is_closed && wait_for(&self.from, left.min(LOOK));
            if can_read {
                is_closed = !self.read();
            } else if !self.has_ended() && is_closed {
                // It closed its pipe, and is about to end, or it goes on without one.
                std::thread::sleep(Duration::from_micros(50));
            }
        }
    }

    /// Answers what it waits for with [`Pipe::ask`].
    pub(crate) fn reply(&mut self, message: &[u8]) {
        // Where it listens no more, it has ended, and that is seen elsewhere.
        let len = (message.len() as u64).to_le_bytes();
        let _ = self.to.write_all(&[&len[..], message].concat());
    }

    /// The time of the processor that it has taken so far.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub(crate) fn processor_time(&self) -> Option<Duration> {
        let mut clock = 0;
        // SAFETY: `clock` is valid to write to; the process has not been waited for, so that its number is its own.
        let is_known = self.end.is_none() && unsafe { libc::clock_getcpuclockid(self.pid, &mut clock) } == 0;
        if is_known { processor_time(clock) } else { None }
    }

    /// Whether it waits for something, rather than for its turn on a busy machine.
    pub(crate) fn is_asleep(&self) -> bool {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.pid)).unwrap_or_default();
        // The state stands behind the name, which is in parentheses and may contain any.
        stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with(['S', 'D', 'T', 't']))
    }

    /// Ends it.
    pub(crate) fn kill(&mut self) {
        if self.end.is_none() {
            // SAFETY: the process is our child and has not been waited for, so that its number is still its own.
            unsafe { libc::kill(self.pid, libc::SIGKILL) };
            self.wait(0);
        }
    }

    /// A whole message that has come.
    fn message(&mut self) -> Option<Vec<u8>> {
        loop {
            let (len, rest) = self.buffer.split_first_chunk::<8>()?;
            let len = u64::from_le_bytes(*len);
            let (is_stack, len) = (len & faults::STACK != 0, (len & !faults::STACK) as usize);
            let message = rest.get(..len)?.to_vec();
            self.buffer.drain(..8 + len);
            if !is_stack {
                return Some(message);
            }
            self.stack = message.as_chunks().0.iter().map(|it| u64::from_le_bytes(*it)).collect();
        }
    }

    /// Where it was when it came to this end, as far as it told.
    pub(crate) fn place(&self, end: ProcessEnd) -> Option<String> {
        #[cfg(all(target_os = "linux", target_pointer_width = "64"))]
        return super::places::place(&self.stack, end == ProcessEnd::Killed(faults::STACK_OVERFLOW));
        #[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
        {
            let _ = (&self.stack, end);
            None
        }
    }

    /// Reads what there is; `false` at the end of it.
    fn read(&mut self) -> bool {
        let mut block = [0; 1 << 12];
        match self.from.read(&mut block) {
            Ok(0) => false,
            Ok(n) => {
                self.buffer.extend_from_slice(&block[..n]);
                true
            }
            Err(err) => err.kind() == io::ErrorKind::Interrupted,
        }
    }

    /// Whether it has ended. What it sent before is read then.
    fn has_ended(&mut self) -> bool {
        self.wait(libc::WNOHANG);
        if self.end.is_some() {
            while wait_for(&self.from, Duration::ZERO) && self.read() {}
        }
        self.end.is_some()
    }

    fn wait(&mut self, options: i32) {
        let mut status = 0;
        loop {
            // SAFETY: `status` is valid to write to.
            let pid = unsafe { libc::waitpid(self.pid, &mut status, options | ANY_CHILD) };
            if pid == -1 && io::Error::last_os_error().kind() == io::ErrorKind::Interrupted {
                continue;
            }
            self.end = match pid {
                0 => return,
                // Somebody else has waited for it, and knows how it ended.
                -1 => Some(ProcessEnd::Killed(0)),
                _ => Some(self.kind.end(status)),
            };
            return;
        }
    }
}

impl ChildKind {
    /// How a child of this kind ended that the system says this of.
    fn end(self, status: i32) -> ProcessEnd {
        let (code, signal) = match libc::WIFEXITED(status) {
            true => (Some(libc::WEXITSTATUS(status)), None),
            false => (None, Some(libc::WTERMSIG(status))),
        };
        if let ChildKind::Sealed(word) = self
            && (code == Some(seal::CODE) || signal == Some(libc::SIGSYS))
            && let Some(reason) = Reason::new(word.load(Ordering::Relaxed), signal)
        {
            return ProcessEnd::Sealed(reason);
        }
        code.map_or_else(|| ProcessEnd::Killed(signal.unwrap_or_default()), ProcessEnd::Exited)
    }

    /// Whether what it prints is dropped.
    fn is_silent(self) -> bool {
        !matches!(self, ChildKind::Open(ChildOutput::Kept))
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.kill();
    }
}

impl Pipe {
    /// Sends a message. Where nobody listens any more, nobody misses it.
    pub(crate) fn send(&self, message: &[u8]) {
        let len = (message.len() as u64).to_le_bytes();
        let _ = (&*self.to).write_all(&[&len[..], message].concat());
    }

    /// Sends a message, and waits for the message that answers it. Where nobody answers any more, nobody needs this process.
    pub(crate) fn ask(&self, message: &[u8]) -> Vec<u8> {
        self.send(message);
        let mut len = [0; 8];
        let mut from = &*self.from;
        let mut answer = Vec::new();
        let is_whole = from.read_exact(&mut len).is_ok() && {
            answer.resize(u64::from_le_bytes(len) as usize, 0);
            from.read_exact(&mut answer).is_ok()
        };
        if is_whole { answer } else { leave(0) }
    }
}

/// The time of the processor by one of its clocks.
pub(crate) fn processor_time(clock: libc::clockid_t) -> Option<Duration> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is valid to write to.
    let is_known = unsafe { libc::clock_gettime(clock, &mut time) } == 0;
    is_known.then(|| Duration::new(time.tv_sec as u64, time.tv_nsec as u32))
}

/// Ends this process at once: no destructors, nothing that is registered for its exit.
pub(crate) fn leave(code: i32) -> ! {
    // SAFETY: it does not return.
    unsafe { libc::_exit(code) }
}

/// Leaves when it is dropped.
struct Leave;

impl Drop for Leave {
    fn drop(&mut self) {
        leave(70); // EX_SOFTWARE
    }
}

/// The two ends of a pipe, closed in programs that this one starts.
fn pipe() -> io::Result<(File, File)> {
    let mut ends = [0; 2];
    // SAFETY: there is room for two descriptors, which are new and nobody else's.
    unsafe {
        #[cfg(any(target_os = "linux", target_os = "android"))]
        let made = libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC);
        #[cfg(not(any(target_os = "linux", target_os = "android")))]
        let made = libc::pipe(ends.as_mut_ptr());
        if made == -1 {
            return Err(io::Error::last_os_error());
        }
        #[cfg(not(any(target_os = "linux", target_os = "android")))]
        for end in ends {
            libc::fcntl(end, libc::F_SETFD, libc::FD_CLOEXEC);
        }
        Ok((File::from_raw_fd(ends[0]), File::from_raw_fd(ends[1])))
    }
}

/// Whether there is something to read, or the end of it, within `time`.
fn wait_for(file: &File, time: Duration) -> bool {
    let mut poll = libc::pollfd { fd: file.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    let time = time.as_micros().div_ceil(1000) as i32;
    // SAFETY: one valid `pollfd`.
    unsafe { libc::poll(&mut poll, 1, time) > 0 }
}

/// What a child does first.
fn prepare(parent: libc::pid_t, kind: ChildKind) {
    // SAFETY: calls without preconditions, on descriptors and structures that are valid here.
    unsafe {
        #[cfg(any(target_os = "linux", target_os = "android"))]
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        if libc::getppid() != parent {
            leave(0); // it died before we asked to die with it
        }
        // A death is what is looked for: it need not be written down each time.
        let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        libc::setrlimit(libc::RLIMIT_CORE, &none);
        if kind.is_silent() {
            let null = libc::open(c"/dev/null".as_ptr(), libc::O_RDWR);
            if null != -1 {
                if !matches!(kind, ChildKind::Open(_)) {
                    libc::dup2(null, 0);
                }
                libc::dup2(null, 1);
                libc::dup2(null, 2);
                libc::close(null);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(work: impl FnOnce()) -> String {
        let mut child = Child::fork(ChildKind::Open(ChildOutput::Dropped), |_| work()).unwrap();
        match child.receive(None) {
            Received::Ended(end) => end.to_string(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_child_ends_as_it_does() {
        assert_eq!(ends(|| ()), "exited with code 0");
        assert_eq!(ends(|| std::process::exit(3)), "exited with code 3");
        assert_eq!(ends(|| std::process::abort()), "died: abort");
        // SAFETY: it is not safe, and that is the point.
        let faults = || unsafe { std::ptr::null_mut::<u32>().write_volatile(1) };
        assert_eq!(ends(faults), "died: segmentation fault");
        #[allow(unconditional_recursion, reason = "it overflows the stack on purpose")]
        fn deep(n: u64) -> u64 {
            std::hint::black_box(deep(std::hint::black_box(n + 1)) + 1)
        }
        let overflow = ends(|| _ = deep(0));
        let expected =
            if cfg!(target_os = "linux") { "died: stack overflow" } else { "died: segmentation fault" };
        assert_eq!(overflow, expected);
    }

    #[test]
    fn messages_come_whole_and_in_order() {
        let work = |pipe: &Pipe| {
            for n in 0..100_u32 {
                pipe.send(&vec![n as u8; n as usize * 1000]);
            }
        };
        let mut child = Child::fork(ChildKind::Open(ChildOutput::Kept), work).unwrap();
        for n in 0..100_u32 {
            let Received::Message(message) = child.receive(None) else { panic!("{n}") };
            assert_eq!(message, vec![n as u8; n as usize * 1000]);
        }
        assert!(matches!(child.receive(None), Received::Ended(ProcessEnd::Exited(0))));
    }

    #[test]
    fn one_that_does_not_end_is_late() {
        let endless = |_: &Pipe| std::thread::sleep(Duration::from_secs(3600));
        let mut child = Child::fork(ChildKind::Open(ChildOutput::Kept), endless).unwrap();
        let until = Instant::now() + Duration::from_millis(20);
        assert!(matches!(child.receive(Some(until)), Received::Late));
        child.kill();
        assert!(matches!(child.receive(None), Received::Ended(ProcessEnd::Killed(libc::SIGKILL))));
    }

    #[test]
    fn a_panic_does_not_come_back() {
        assert_eq!(ends(|| std::panic::resume_unwind(Box::new(()))), "exited with code 70");
    }
}
