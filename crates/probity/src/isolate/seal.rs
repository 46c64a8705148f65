//! A copy that can do nothing to the world.
//!
//! A copy of a process shares its open files and has none of its other threads. So a sealed copy closes what it inherited and
//! then gives up, by a seccomp filter, every system call that something outside could notice or that waits for somebody: it
//! can compute, allocate, tell the time and talk to the process that made it. Any other call ends it at once, before the call
//! has happened, and the reason is in a word that both processes share.

use std::ffi::CStr;
use std::fmt;
use std::ops::Range;
use std::os::fd::RawFd;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicU64, Ordering};

use super::{faults, shared};

/// Why a sealed copy was ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reason(u64);

/// The exit code of a copy that the seal ended. The shared word says whether it was the seal.
pub(super) const CODE: i32 = 99;

/// Reasons that are no system call; numbers of those stay far below.
const NO_FILTER: u64 = 1 << 32;

/// Whether a copy found that it cannot be sealed here.
static IS_IMPOSSIBLE: AtomicBool = AtomicBool::new(false);

/// The processes and the thread that a sealed copy represents: what it is told when it asks who it is.
#[derive(Clone, Copy)]
struct Identity {
    process: libc::pid_t,
    parent: libc::pid_t,
    thread: libc::pid_t,
}

impl Identity {
    /// That of this thread.
    fn own() -> Identity {
        // SAFETY: calls without preconditions.
        unsafe { Identity { process: libc::getpid(), parent: libc::getppid(), thread: libc::gettid() } }
    }
}

impl Reason {
    /// Why the copy ended, if the seal ended it: `word` is what it wrote, `signal` what killed it.
    pub(super) fn new(word: u64, signal: Option<i32>) -> Option<Reason> {
        match (word, signal) {
            // Where a process starts another, the C library blocks all signals: the handler is not asked.
            (0, Some(libc::SIGSYS)) => Some(Reason(libc::SYS_clone as u64 + 1)),
            (0, _) => None,
            (word, _) => {
                if word == NO_FILTER {
                    IS_IMPOSSIBLE.store(true, Ordering::Relaxed);
                }
                Some(Reason(word))
            }
        }
    }
}

impl Reason {
    /// Whether the copy waited for a thread that it does not have.
    pub(super) fn is_wait(self) -> bool {
        self.0 == libc::SYS_futex as u64 + 1
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == NO_FILTER {
            return f.write_str("this system has no filter for system calls");
        }
        let number = self.0 as i64 - 1;
        match KINDS.iter().find(|(_, calls)| calls.contains(&number)) {
            Some((what, _)) => f.write_str(what),
            None => write!(f, "the test makes system call {number}"),
        }
    }
}

/// What a copy may not do, in words.
const KINDS: &[(&str, &[i64])] = &[
    (
        "the test starts a thread or a process",
        &[libc::SYS_clone, libc::SYS_clone3, libc::SYS_fork, libc::SYS_vfork, libc::SYS_execve],
    ),
    (
        "the test waits for another thread",
        &[libc::SYS_futex, libc::SYS_futex_waitv, libc::SYS_rt_sigtimedwait, libc::SYS_pause],
    ),
    ("the test waits for a process", &[libc::SYS_wait4, libc::SYS_waitid]),
    ("the test sleeps", &[libc::SYS_nanosleep, libc::SYS_clock_nanosleep]),
    (
        "the test waits for files or sockets",
        &[
            libc::SYS_poll,
            libc::SYS_ppoll,
            libc::SYS_select,
            libc::SYS_pselect6,
            libc::SYS_epoll_create1,
            libc::SYS_epoll_wait,
            libc::SYS_epoll_pwait,
            libc::SYS_epoll_ctl,
            libc::SYS_eventfd2,
        ],
    ),
    ("the test opens files", &[libc::SYS_open, libc::SYS_openat, libc::SYS_openat2, libc::SYS_creat]),
    (
        "the test reads files or sockets",
        &[
            libc::SYS_read,
            libc::SYS_readv,
            libc::SYS_pread64,
            libc::SYS_lseek,
            libc::SYS_fstat,
            libc::SYS_getdents64,
            libc::SYS_recvfrom,
            libc::SYS_recvmsg,
            libc::SYS_mmap,
        ],
    ),
    (
        "the test writes to files or sockets",
        &[
            libc::SYS_write,
            libc::SYS_writev,
            libc::SYS_pwrite64,
            libc::SYS_sendto,
            libc::SYS_sendmsg,
            libc::SYS_sendfile,
            libc::SYS_copy_file_range,
            libc::SYS_ftruncate,
            libc::SYS_fsync,
            libc::SYS_fdatasync,
        ],
    ),
    (
        "the test changes files",
        &[
            libc::SYS_unlink,
            libc::SYS_unlinkat,
            libc::SYS_rename,
            libc::SYS_renameat,
            libc::SYS_renameat2,
            libc::SYS_mkdir,
            libc::SYS_mkdirat,
            libc::SYS_rmdir,
            libc::SYS_link,
            libc::SYS_linkat,
            libc::SYS_symlink,
            libc::SYS_symlinkat,
            libc::SYS_chmod,
            libc::SYS_fchmod,
            libc::SYS_fchmodat,
            libc::SYS_utimensat,
            libc::SYS_truncate,
        ],
    ),
    ("the test closes a file or a socket", &[libc::SYS_close]),
    (
        "the test uses the network",
        &[
            libc::SYS_socket,
            libc::SYS_socketpair,
            libc::SYS_connect,
            libc::SYS_bind,
            libc::SYS_listen,
            libc::SYS_accept,
            libc::SYS_accept4,
            libc::SYS_shutdown,
            libc::SYS_setsockopt,
            libc::SYS_getsockname,
            libc::SYS_getpeername,
        ],
    ),
    ("the test sends a signal", &[libc::SYS_kill, libc::SYS_tkill, libc::SYS_tgkill]),
];

/// Calls that change nothing outside and wait for nobody.
const PURE: &[i64] = &[
    libc::SYS_munmap,
    libc::SYS_mprotect,
    libc::SYS_mremap,
    libc::SYS_madvise,
    libc::SYS_brk,
    libc::SYS_clock_gettime,
    libc::SYS_clock_getres,
    libc::SYS_gettimeofday,
    libc::SYS_time,
    libc::SYS_times,
    libc::SYS_getrusage,
    libc::SYS_getrandom,
    libc::SYS_getcpu,
    libc::SYS_getcwd,
    libc::SYS_getuid,
    libc::SYS_geteuid,
    libc::SYS_getgid,
    libc::SYS_getegid,
    libc::SYS_uname,
    libc::SYS_sysinfo,
    libc::SYS_sched_getaffinity,
    libc::SYS_sched_yield,
    libc::SYS_stat,
    libc::SYS_lstat,
    libc::SYS_access,
    libc::SYS_readlink,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sigaltstack,
    libc::SYS_exit,
    libc::SYS_exit_group,
];

/// Calls that are pure where their first argument represents the current folder, rather than for an open file.
const PURE_BY_PATH: &[i64] =
    &[libc::SYS_newfstatat, libc::SYS_statx, libc::SYS_faccessat, libc::SYS_faccessat2, libc::SYS_readlinkat];

/// Whether copies can be sealed, for everything that is known: others must not see what they write to `shared`, the memory that
/// this process shares.
pub(crate) fn is_possible(shared: &[Range<usize>]) -> bool {
    // What is ours is asked for after what is shared: then it is no less.
    #[cfg(feature = "coverage")]
    let logs = probity_coverage::own_memory();
    #[cfg(not(feature = "coverage"))]
    let logs = Vec::new();
    let ours = [shared::ranges(), probity_concolic::own_memory(), logs].concat();
    !IS_IMPOSSIBLE.load(Ordering::Relaxed) && shared.iter().all(|it| lies_in(it, &ours))
}

/// Whether `range` lies in those ranges: neighbors are listed as one.
fn lies_in(range: &Range<usize>, ours: &[Range<usize>]) -> bool {
    let mut at = range.start;
    while at < range.end {
        match ours.iter().find(|it| it.contains(&at)) {
            Some(it) => at = it.end,
            None => return false,
        }
    }
    true
}

/// Copies this process so that nobody else in it notices: unlike a child of `fork`, the copy sends no SIGCHLD when it ends,
/// is not found by those who wait for any child, and is made without the handlers of `pthread_atfork`. Without those of the
/// C library, too: a lock that another thread holds now stays locked, and who waits for it in the copy is ended by the seal.
///
/// # Safety
///
/// As for `fork`: in the copy there is only this thread, and it is to be sealed.
pub(super) unsafe fn copy() -> libc::pid_t {
    // SAFETY: without flags, with no stack and no addresses, it is `fork` but for the signal.
    unsafe { libc::syscall(libc::SYS_clone, 0, 0, 0, 0, 0) as libc::pid_t }
}

/// The word that says why this copy ends, and who it says it is.
static WORD: AtomicPtr<AtomicU64> = AtomicPtr::new(std::ptr::null_mut());
static PROCESS: AtomicI32 = AtomicI32::new(0);
static PARENT: AtomicI32 = AtomicI32::new(0);
static THREAD: AtomicI32 = AtomicI32::new(0);

/// What seals a copy, made before the copy is: another thread may hold the allocator's locks while the process is copied, and
/// in the copy nobody gives them back.
pub(super) struct Seal {
    word: &'static AtomicU64,
    identity: Identity,
    to: RawFd,
    from: RawFd,
    filter: Vec<libc::sock_filter>,
}

impl Seal {
    /// A seal for a copy of this process; `to` and `from` are the pipes that stay.
    pub(super) fn new(word: &'static AtomicU64, to: RawFd, from: RawFd) -> Seal {
        word.store(0, Ordering::Relaxed);
        Seal { word, identity: Identity::own(), to, from, filter: filter(to, from) }
    }

    /// Seals this process, a copy with this number: from here on it can do nothing to the world. Allocates nothing.
    pub(super) fn close(&mut self, process: libc::pid_t) {
        for instruction in &mut self.filter {
            if instruction.k == COPY {
                instruction.k = process as u32;
            }
        }
        close(self);
    }
}

fn close(seal: &Seal) {
    let &Seal { word, identity, to, from, ref filter } = seal;
    WORD.store(std::ptr::from_ref(word).cast_mut(), Ordering::Relaxed);
    PROCESS.store(identity.process, Ordering::Relaxed);
    PARENT.store(identity.parent, Ordering::Relaxed);
    THREAD.store(identity.thread, Ordering::Relaxed);
    close_others(to, from);
    let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_ptr().cast_mut() };
    // SAFETY: the action is all zero but for what is set, which is a valid one; its handler calls only what may be called in
    // handlers; the program is valid for as long as the call reads it.
    let is_sealed = unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = on_call as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER;
        libc::sigaction(libc::SIGSYS, &raw const action, std::ptr::null_mut()) == 0
            && libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
            && libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program) == 0
    };
    if !is_sealed {
        end(word, NO_FILTER);
    }
}

/// Closes all descriptors but the standard ones and the pipes: while a copy has them, a connection that the test closes stays
/// open, and a lock that it gives up stays locked.
fn close_others(to: RawFd, from: RawFd) {
    let (low, high) = (to.min(from) as u32, to.max(from) as u32);
    for (first, last) in [(3, low - 1), (low + 1, high - 1), (high + 1, u32::MAX)] {
        if first <= last {
            // SAFETY: nothing in a sealed copy may use them any more. Where the call is unknown, they stay open: the
            // filter lets nobody use them.
            unsafe { libc::syscall(libc::SYS_close_range, first, last, 0) };
        }
    }
}

fn end(word: &AtomicU64, why: u64) -> ! {
    word.store(why, Ordering::Relaxed);
    super::child::leave(CODE)
}

/// Is asked before a call that the filter does not let through: gives the answer that the test's own process would get, or
/// ends the copy.
extern "C" fn on_call(_: i32, _: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the system gives a valid context; the word lives as long as the process.
    unsafe {
        let registers = &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs;
        let [number, first, second, third] =
            [libc::REG_RAX, libc::REG_RDI, libc::REG_RSI, libc::REG_RDX].map(|it| registers[it as usize]);
        let [process, parent, thread] =
            [&PROCESS, &PARENT, &THREAD].map(|it| i64::from(it.load(Ordering::Relaxed)));
        registers[libc::REG_RAX as usize] = match number {
            libc::SYS_getpid => process,
            libc::SYS_getppid => parent,
            libc::SYS_gettid => thread,
            // A signal to itself is for this copy.
            libc::SYS_kill if first == process => faults::raise(second as i32),
            libc::SYS_tkill if first == thread => faults::raise(second as i32),
            libc::SYS_tgkill if first == process && second == thread => faults::raise(third as i32),
            libc::SYS_openat if is_of_allocator(second as *const libc::c_char) => -i64::from(libc::ENOENT),
            _ => end(&*WORD.load(Ordering::Relaxed), number as u64 + 1),
        };
    }
}

/// What the allocator of the C library opens when a thread other than the main one gives much memory back, once in a process.
/// Where it is not there, it goes on without: it is no file that the test opens.
const OF_ALLOCATOR: &CStr = c"/proc/sys/vm/overcommit_memory";

/// Whether a path to open is that one.
///
/// # Safety
///
/// It is a text that ends with a zero, as the system wants it.
unsafe fn is_of_allocator(path: *const libc::c_char) -> bool {
    // SAFETY: both are texts that end with a zero; more than its length is not read.
    !path.is_null()
        && unsafe { libc::strncmp(path, OF_ALLOCATOR.as_ptr(), OF_ALLOCATOR.count_bytes() + 1) } == 0
}

/// Represents the copy in its filter, until there is one. No process and no call has this number.
const COPY: u32 = u32::MAX - 1;

/// The filter, as instructions of the system's machine for filters.
fn filter(to: RawFd, from: RawFd) -> Vec<libc::sock_filter> {
    let mut filter = SyscallFilter(vec![load(ARCH), skip_if(X86_64), KILL, load(NUMBER)]);
    for &call in PURE {
        filter.0.extend([skip_unless(call as u32, 1), ALLOW]);
    }
    for &call in PURE_BY_PATH {
        filter.allow_where(call, 0, &[libc::AT_FDCWD as u32]);
    }
    filter.allow_where(libc::SYS_write, 0, &[to as u32, 1, 2]);
    filter.allow_where(libc::SYS_writev, 0, &[1, 2]);
    filter.allow_where(libc::SYS_read, 0, &[from as u32]);
    filter.allow_where(libc::SYS_fstat, 0, &[0, 1, 2]);
    filter.allow_where(libc::SYS_tgkill, 0, &[COPY]);
    // Waking nobody is harmless; waiting is for somebody who is not there.
    let (wake, private) = (libc::FUTEX_WAKE as u32, libc::FUTEX_PRIVATE_FLAG as u32);
    filter.allow_where(libc::SYS_futex, 1, &[wake, wake | private]);
    // Limits are read, not set: the new ones are at no address.
    filter.allow_where(libc::SYS_prlimit64, 2, &[0]);
    // Memory of its own, not that of a file.
    let anonymous = skip_unless_set(libc::MAP_ANONYMOUS as u32);
    filter.0.extend([skip_unless(libc::SYS_mmap as u32, 4), load(argument(3)), anonymous, ALLOW, TRAP]);
    // Whether it is a terminal: it is not.
    let terminal = skip_unless(libc::TCGETS as u32, 1);
    filter.0.extend([skip_unless(libc::SYS_ioctl as u32, 4), load(argument(1)), terminal, NO_TERMINAL, TRAP]);
    filter.0.push(TRAP);
    filter.0
}

struct SyscallFilter(Vec<libc::sock_filter>);

impl SyscallFilter {
    /// Allows a call where an argument is one of these, by its lower half.
    fn allow_where(&mut self, call: i64, at: u32, values: &[u32]) {
        let rest = 2 * values.len() as u8 + 2;
        self.0.extend([skip_unless(call as u32, rest), load(argument(at))]);
        for &value in values {
            self.0.extend([skip_unless(value, 1), ALLOW]);
        }
        self.0.push(TRAP);
    }
}

/// What the system calls this kind of processor.
const X86_64: u32 = 0xc000_003e;
/// Where the system puts the number of the call, the kind of the processor, and the arguments.
const NUMBER: u32 = 0;
const ARCH: u32 = 4;

const fn argument(n: u32) -> u32 {
    16 + 8 * n
}

const ALLOW: libc::sock_filter = statement(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_ALLOW);
const TRAP: libc::sock_filter = statement(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_TRAP);
const KILL: libc::sock_filter = statement(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_KILL_PROCESS);
const NO_TERMINAL: libc::sock_filter =
    statement(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_ERRNO | libc::ENOTTY as u32);

const fn statement(code: u32, k: u32) -> libc::sock_filter {
    libc::sock_filter { code: code as u16, jt: 0, jf: 0, k }
}

const fn load(at: u32) -> libc::sock_filter {
    statement(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, at)
}

/// Skips an instruction if the loaded word is `k`.
const fn skip_if(k: u32) -> libc::sock_filter {
    libc::sock_filter { jt: 1, ..statement(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, k) }
}

/// Skips `n` instructions unless the loaded word is `k`.
const fn skip_unless(k: u32, n: u8) -> libc::sock_filter {
    libc::sock_filter { jf: n, ..statement(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, k) }
}

/// Skips an instruction unless the loaded word has a bit of `k`.
const fn skip_unless_set(k: u32) -> libc::sock_filter {
    libc::sock_filter { jf: 1, ..statement(libc::BPF_JMP | libc::BPF_JSET | libc::BPF_K, k) }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};
    use std::process::Command;
    use std::sync::mpsc;
    use std::thread;
    use std::time::{Duration, Instant, SystemTime};

    use probity_testkit::Folder;

    use super::super::child::{Child, ChildKind, ChildOutput, Pipe, ProcessEnd, Received, leave};
    use super::super::shared::{SharedWords, WORDS};
    use super::{AtomicBool, AtomicU64, Ordering};

    /// How a sealed copy ends that does this.
    fn ends(work: impl FnOnce(&Pipe)) -> String {
        let words = SharedWords::new().unwrap();
        let mut child = Child::fork(ChildKind::Sealed(&words.words()[WORDS - 1]), work).unwrap();
        match child.receive(None) {
            Received::Ended(ProcessEnd::Sealed(reason)) => reason.to_string(),
            Received::Ended(end) => end.to_string(),
            Received::Message(message) => String::from_utf8(message).unwrap(),
            Received::Late => panic!("nobody waits for ever"),
        }
    }

    #[test]
    fn a_sealed_copy_can_compute() {
        let process = std::process::id();
        let ends = ends(|pipe| {
            let numbers: Vec<u64> = (0..100_000).collect();
            let map: std::collections::HashMap<u64, u64> = numbers.iter().map(|&n| (n, n)).collect();
            let caught = std::panic::catch_unwind(|| std::panic::resume_unwind(Box::new(())));
            let _ = std::hint::black_box((Instant::now(), SystemTime::now(), fs::exists("/"), map.len()));
            #[expect(clippy::print_stdout, reason = "it goes nowhere, and is no reason to end")]
            {
                println!("hidden");
            }
            assert!(caught.is_err() && std::process::id() == process);
            pipe.send(b"done");
        });
        assert_eq!(ends, "done");
    }

    /// At any moment, threads that allocate hold locks of the allocator.
    #[test]
    fn a_sealed_copy_can_allocate_while_other_threads_do() {
        let is_over = AtomicBool::new(false);
        let ends: Vec<String> = thread::scope(|scope| {
            scope.spawn(|| {
                let mut blocks = vec![Vec::new(); 64];
                for n in (0..4000).cycle().take_while(|_| !is_over.load(Ordering::Relaxed)) {
                    blocks[n % 64] = vec![0_u8; n];
                }
            });
            let allocate = |pipe: &Pipe| {
                let blocks: Vec<Vec<u8>> = (0..4000).map(|n| vec![0; n]).collect();
                assert_eq!(blocks.len(), 4000);
                pipe.send(b"done");
            };
            let ends = (0..100).map(|_| ends(allocate)).collect();
            is_over.store(true, Ordering::Relaxed);
            ends
        });
        assert_eq!(ends, vec!["done"; 100]);
    }

    /// Where it does so for the first time in its process, the allocator wants to open a file.
    #[test]
    fn a_sealed_copy_can_give_memory_back() {
        let free = |pipe: &Pipe| {
            let blocks: Vec<Vec<u8>> = (0..4000).map(|_| vec![1; 1000]).collect();
            drop(blocks);
            pipe.send(b"done");
        };
        assert_eq!(ends(free), "done");
    }

    #[test]
    fn what_somebody_could_notice_does_not_happen() {
        let folder = Folder::new();
        let [held_path, new_path] = ["held", "new"].map(|it| folder.at(it));
        fs::write(&held_path, "held").unwrap();
        let mut held = File::options().read(true).append(true).open(&held_path).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let mut stream = TcpStream::connect(address).unwrap();
        let (_sender, receiver) = mpsc::channel::<u8>();
        let mut buffer = [0; 1];
        type Tries<'a> = (&'a str, Box<dyn FnOnce() + 'a>);
        let tries: Vec<Tries<'_>> = vec![
            ("the test opens files", Box::new(|| drop(File::create(&new_path)))),
            ("the test opens files", Box::new(|| drop(fs::read(&held_path)))),
            ("the test changes files", Box::new(|| drop(fs::remove_file(&held_path)))),
            ("the test changes files", Box::new(|| drop(fs::create_dir(&new_path)))),
            ("the test uses the network", Box::new(|| drop(TcpStream::connect(address)))),
            ("the test uses the network", Box::new(|| drop(listener.accept()))),
            ("the test writes to files or sockets", Box::new(|| drop((&stream).write(b"x")))),
            ("the test starts a thread or a process", Box::new(|| drop(Command::new("true").status()))),
            ("the test starts a thread or a process", Box::new(|| drop(thread::Builder::new().spawn(|| ())))),
            ("the test waits for another thread", Box::new(|| _ = receiver.recv())),
            ("the test sleeps", Box::new(|| thread::sleep(Duration::from_secs(3600)))),
            // SAFETY: signal 0 only asks whether there is such a process.
            ("the test sends a signal", Box::new(|| _ = unsafe { libc::kill(1, 0) })),
            ("died: abort", Box::new(|| std::process::abort())),
            ("exited with code 3", Box::new(|| std::process::exit(3))),
        ];
        for (expected, work) in tries {
            assert_eq!(ends(|_| work()), expected);
        }
        assert_eq!(ends(|_| drop(held.read(&mut buffer))), "the test reads files or sockets");
        assert_eq!(ends(|_| drop(held.write(b"x"))), "the test writes to files or sockets");
        assert_eq!(ends(|_| drop(stream.read(&mut buffer))), "the test reads files or sockets");
        // Nothing of that has happened; and what copies had open is closed, so that the other side sees the end.
        let mut there = listener.accept().unwrap().0;
        drop(stream);
        assert_eq!(there.read(&mut buffer).unwrap(), 0);
        assert_eq!((fs::read_to_string(&held_path).unwrap(), new_path.exists()), ("held".to_string(), false));
        let mut rest = String::new();
        held.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "held", "the position has not moved");
    }

    static NOTICED: AtomicU64 = AtomicU64::new(0);

    extern "C" fn notice_signal(_: i32) {
        NOTICED.fetch_add(1, Ordering::Relaxed);
    }

    extern "C" fn notice_fork() {
        NOTICED.fetch_add(1, Ordering::Relaxed);
    }

    /// In a process of its own, where nobody else makes processes.
    #[test]
    fn who_looks_for_children_finds_no_sealed_copy() {
        let mut alone = Child::fork(ChildKind::Open(ChildOutput::Kept), |pipe| {
            let notice: extern "C" fn(i32) = notice_signal;
            // SAFETY: the handlers only count.
            unsafe {
                libc::signal(libc::SIGCHLD, notice as usize);
                assert_eq!(libc::pthread_atfork(Some(notice_fork), Some(notice_fork), Some(notice_fork)), 0);
            }
            let words = SharedWords::new().unwrap();
            let wait = |pipe: &Pipe| {
                let answer = pipe.ask(b"begun");
                leave(answer[0].into());
            };
            let mut copy = Child::fork(ChildKind::Sealed(&words.words()[WORDS - 1]), wait).unwrap();
            assert!(matches!(copy.receive(None), Received::Message(_)));
            // SAFETY: nothing is written.
            let any_child = || unsafe { libc::waitpid(-1, std::ptr::null_mut(), libc::WNOHANG) };
            let while_it_runs = any_child();
            copy.reply(&[3]);
            let ended = format!("{:?}", copy.receive(None));
            let noticed = (while_it_runs, any_child(), NOTICED.load(Ordering::Relaxed));
            pipe.send(format!("{noticed:?} {ended}").as_bytes());
        })
        .unwrap();
        let Received::Message(message) = alone.receive(None) else { panic!("it says something") };
        assert_eq!(String::from_utf8(message).unwrap(), "(-1, -1, 0) Ended(Exited(3))");
    }

    #[test]
    fn ours_may_be_listed_as_one() {
        let ours = [0x1000..0x3000, 0x3000..0x4000];
        assert!(super::lies_in(&(0x1000..0x4000), &ours) && super::lies_in(&(0x2000..0x3000), &ours));
        assert!(!super::lies_in(&(0x3000..0x5000), &ours) && !super::lies_in(&(0..0x1000), &ours));
    }
}
