//! Correct tests that touch the world. None of them may fail, and what they do to the world must not depend on the engine.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::hint::black_box;
use std::io::{BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::net::{SocketAddr, TcpStream, UdpSocket};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::SeqCst};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Barrier, Condvar, LazyLock, Mutex, Once, OnceLock, RwLock};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use rayon::prelude::*;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::runtime::Runtime;
use trust::{WORKER, echo_server, log, world};

#[probity::test]
fn unique_names(n: u32) {
    static K: AtomicU32 = AtomicU32::new(0);
    let k = K.fetch_add(1, SeqCst);
    if n % 1000 == 77 {
        black_box(1);
    }
    File::create_new(world("unique_names").join(k.to_string())).unwrap();
}

#[probity::test]
fn process_id(x: u32) {
    static P: LazyLock<u32> = LazyLock::new(std::process::id);
    if x == 77_777 {
        black_box(1);
    }
    assert_eq!(*P, std::process::id());
}

#[probity::test]
fn process_id_of_links(x: u32) {
    static P: LazyLock<Option<std::path::PathBuf>> = LazyLock::new(|| fs::read_link("/proc/self").ok());
    if x == 77_777 {
        black_box(1);
    }
    assert_eq!(*P, fs::read_link("/proc/self").ok());
}

#[probity::test]
fn parent_id(x: u32) {
    static P: LazyLock<u32> = LazyLock::new(std::os::unix::process::parent_id);
    assert_eq!((*P, x > 0 || x == 0), (std::os::unix::process::parent_id(), true));
}

#[probity::test]
fn thread_id(x: u32) {
    // SAFETY: a call without preconditions.
    let own = || unsafe { libc::gettid() };
    thread_local!(static T: Cell<i32> = const { Cell::new(0) });
    let first = if T.get() == 0 { own() } else { T.get() };
    T.set(first);
    assert!(own() == first, "{x}");
}

/// Appends to a file that is kept open, and knows its position.
fn append(name: &str, file: &Mutex<(File, u64)>, n: u16) {
    let mut file = file.lock().unwrap();
    let (file, at) = &mut *file;
    if n == 777 {
        black_box(1);
    }
    file.write_all(&n.to_le_bytes()).unwrap();
    *at += 2;
    assert_eq!(file.stream_position().unwrap(), *at, "{name}");
}

static SHARED_FILE: LazyLock<Mutex<(File, u64)>> = LazyLock::new(|| Mutex::new((log("appends"), 0)));

#[probity::test]
fn appends_one(n: u16) {
    append("one", &SHARED_FILE, n);
}

#[probity::test]
fn appends_two(n: u16) {
    append("two", &SHARED_FILE, n);
}

#[probity::test(setup = (0_u64, log("setup_counter")))]
fn setup_counter(#[setup] state: &mut (u64, File), n: u32) {
    state.0 += 1;
    if n == 123_456 {
        black_box(1);
    }
    state.1.write_all(b"x").unwrap();
    assert_eq!(state.1.metadata().unwrap().len(), state.0);
}

#[probity::test]
fn worker_answers(n: u32) {
    let worker = WORKER.lock().unwrap();
    assert_eq!(worker.double(n.into()), 2 * u64::from(n));
}

#[probity::test]
fn answer_before_the_question(n: u32) {
    if n == 99_999 {
        black_box(1);
    }
    let (send, receive) = sync_channel(1);
    let thread = thread::spawn(move || send.send(n).unwrap());
    assert_eq!(receive.recv_timeout(Duration::from_secs(20)), Ok(n));
    thread.join().unwrap();
}

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().unwrap());

#[probity::test(cases = 200)]
fn tokio_tasks(a: u32, b: u32) {
    let sum = RUNTIME.block_on(async {
        let task = tokio::spawn(async move { u64::from(a) + u64::from(b) });
        tokio::time::timeout(Duration::from_secs(20), task).await.unwrap().unwrap()
    });
    assert_eq!(sum, u64::from(a) + u64::from(b));
}

#[probity::test(cases = 200)]
fn tokio_sockets(n: u32) {
    RUNTIME.block_on(async {
        let (mut here, mut there) = tokio::net::UnixStream::pair().unwrap();
        here.write_u32(n).await.unwrap();
        assert_eq!(there.read_u32().await.unwrap(), n);
    });
}

#[probity::test(cases = 200)]
fn tokio_timers(n: u8) {
    let start = Instant::now();
    RUNTIME.block_on(async { tokio::time::sleep(Duration::from_micros(n.into())).await });
    assert!(start.elapsed() >= Duration::from_micros(n.into()));
}

#[probity::test(cases = 200)]
fn rayon_sums(v: Vec<u32>) {
    let sum: u64 = v.par_iter().map(|&n| u64::from(n)).sum();
    assert_eq!(sum, v.iter().map(|&n| u64::from(n)).sum::<u64>());
}

#[probity::test(cases = 200)]
fn tcp_echo(n: u32) {
    static SERVER: LazyLock<SocketAddr> = LazyLock::new(|| echo_server("tcp_echo"));
    let mut stream = TcpStream::connect(*SERVER).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream.write_all(&n.to_le_bytes()).unwrap();
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    let mut back = [0; 4];
    stream.read_exact(&mut back).unwrap();
    assert_eq!(back, n.to_le_bytes());
}

#[probity::test(cases = 200)]
fn tcp_only_at_times(n: u32) {
    static SERVER: LazyLock<SocketAddr> = LazyLock::new(|| echo_server("tcp_only_at_times"));
    if n % 7 != 3 {
        return;
    }
    // Its end is waited for, so that the server has noted the connection.
    let mut stream = TcpStream::connect(*SERVER).unwrap();
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    assert_eq!(stream.read_to_end(&mut Vec::new()).unwrap(), 0);
}

#[probity::test(cases = 200)]
fn udp_to_itself(n: u64) {
    static SOCKET: LazyLock<UdpSocket> = LazyLock::new(|| {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        socket.connect(socket.local_addr().unwrap()).unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        socket
    });
    SOCKET.send(&n.to_le_bytes()).unwrap();
    let mut back = [0; 8];
    SOCKET.recv(&mut back).unwrap();
    assert_eq!(back, n.to_le_bytes());
}

#[probity::test]
fn a_kept_pair_of_sockets(n: u32) {
    static PAIR: LazyLock<Mutex<(UnixStream, UnixStream)>> =
        LazyLock::new(|| Mutex::new(UnixStream::pair().unwrap()));
    let (here, there) = &mut *PAIR.lock().unwrap();
    if n == 31_337 {
        black_box(1);
    }
    here.write_all(&n.to_le_bytes()).unwrap();
    let mut back = [0; 4];
    there.read_exact(&mut back).unwrap();
    assert_eq!(back, n.to_le_bytes());
}

#[probity::test]
fn a_closed_socket_is_seen_closed(n: u16) {
    let (here, mut there) = UnixStream::pair().unwrap();
    if n == 4_711 {
        black_box(1);
    }
    drop(here);
    there.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    assert_eq!(there.read(&mut [0]).unwrap(), 0);
}

#[probity::test]
fn locks_given_up_are_free(n: u16) {
    let path = world("locks_given_up_are_free").join("lock");
    let open = || OpenOptions::new().create(true).append(true).open(&path).unwrap();
    let (first, second) = (open(), open());
    first.try_lock().unwrap();
    assert!(second.try_lock().is_err(), "{n}");
    drop(first);
    second.try_lock().unwrap();
}

#[probity::test]
fn environment_is_kept(n: u32) {
    static ONCE: Once = Once::new();
    // SAFETY: set once, before any thread of this process reads it.
    ONCE.call_once(|| unsafe { std::env::set_var("TRUST_KEPT", "here") });
    assert!(std::env::var("TRUST_KEPT").as_deref() == Ok("here"), "{n}");
}

#[probity::test(cases = 20)]
fn child_processes(#[from(0..=200)] n: u8) {
    let status = Command::new("sh").args(["-c", &format!("exit {}", n % 100)]).status().unwrap();
    assert_eq!(status.code(), Some(i32::from(n % 100)));
}

#[probity::test(cases = 20)]
fn child_process_that_answers(n: u32) {
    let mut child = Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(n.to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), n.to_string());
}

#[probity::test]
fn time_does_not_go_back(n: u32) {
    static LAST: Mutex<Option<(Instant, SystemTime)>> = Mutex::new(None);
    let now = (Instant::now(), SystemTime::now());
    let mut last = LAST.lock().unwrap();
    assert!(last.is_none_or(|it| it.0 <= now.0), "{n}");
    *last = Some(now);
}

#[probity::test(cases = 50)]
fn sleeping_takes_time(#[from(0..300)] n: u64) {
    let start = Instant::now();
    thread::sleep(Duration::from_micros(n));
    assert!(start.elapsed() >= Duration::from_micros(n));
}

#[probity::test]
fn shared_memory_counts(n: u32) {
    static AT: LazyLock<usize> = LazyLock::new(|| {
        let file = log("shared_memory_counts");
        file.set_len(4096).unwrap();
        // SAFETY: a new mapping of a file of that length.
        let at = unsafe {
            let (rights, fd) = (libc::PROT_READ | libc::PROT_WRITE, std::os::fd::AsRawFd::as_raw_fd(&file));
            libc::mmap(std::ptr::null_mut(), 4096, rights, libc::MAP_SHARED, fd, 0)
        };
        assert_ne!(at, libc::MAP_FAILED);
        at as usize
    });
    static CASES: AtomicU64 = AtomicU64::new(0);
    // SAFETY: the mapping stays, and is used as an atomic only.
    let counter = unsafe { &*(*AT as *const AtomicU64) };
    if n == 90_210 {
        black_box(1);
    }
    let cases = CASES.fetch_add(1, SeqCst);
    assert_eq!(counter.fetch_add(1, SeqCst), cases);
}

#[probity::test]
fn folders_come_and_go(n: u32) {
    let folder = world("folders_come_and_go").join("folder");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("n"), n.to_string()).unwrap();
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    fs::remove_dir_all(&folder).unwrap();
}

#[probity::test]
fn renamed_files_are_there(n: u16) {
    let folder = world("renamed_files_are_there");
    fs::write(folder.join("new"), n.to_string()).unwrap();
    fs::rename(folder.join("new"), folder.join("old")).unwrap();
    assert_eq!(fs::read_to_string(folder.join("old")).unwrap(), n.to_string());
}

#[probity::test]
fn links_are_counted(n: u16) {
    static LINKS: AtomicU64 = AtomicU64::new(1);
    let folder = world("links_are_counted");
    let first = folder.join("first");
    if !first.exists() {
        fs::write(&first, "x").unwrap();
    }
    if n % 4 == 0 {
        let links = LINKS.fetch_add(1, SeqCst);
        fs::hard_link(&first, folder.join(format!("link{links}"))).unwrap();
    }
    assert_eq!(fs::metadata(&first).unwrap().nlink(), LINKS.load(SeqCst));
}

#[probity::test(cases = 200)]
fn scoped_threads_add_up(v: Vec<u8>) {
    let total = AtomicU64::new(0);
    thread::scope(|scope| {
        for part in v.chunks(4) {
            let total = &total;
            scope.spawn(move || total.fetch_add(part.iter().map(|&n| u64::from(n)).sum(), SeqCst));
        }
    });
    assert_eq!(total.into_inner(), v.iter().map(|&n| u64::from(n)).sum::<u64>());
}

#[probity::test]
fn a_condition_comes_true(n: u32) {
    type Slot = (Mutex<(Option<u32>, Option<u32>)>, Condvar);
    static SLOT: LazyLock<Arc<Slot>> = LazyLock::new(|| {
        let slot: Arc<Slot> = Arc::default();
        let theirs = Arc::clone(&slot);
        thread::spawn(move || {
            let mut state = theirs.0.lock().unwrap();
            loop {
                if let Some(n) = state.0.take() {
                    state.1 = Some(n ^ 1);
                    theirs.1.notify_all();
                }
                state = theirs.1.wait(state).unwrap();
            }
        });
        slot
    });
    let mut state = SLOT.0.lock().unwrap();
    state.0 = Some(n);
    SLOT.1.notify_all();
    let (mut state, wait) =
        SLOT.1.wait_timeout_while(state, Duration::from_secs(20), |it| it.1.is_none()).unwrap();
    assert!(!wait.timed_out());
    assert_eq!(state.1.take(), Some(n ^ 1));
}

#[probity::test(cases = 100)]
fn a_barrier_opens(n: u32) {
    let barrier = Arc::new(Barrier::new(2));
    let theirs = Arc::clone(&barrier);
    let thread = thread::spawn(move || theirs.wait().is_leader());
    let leads = barrier.wait().is_leader();
    assert_ne!(leads, thread.join().unwrap(), "{n}");
}

#[probity::test]
fn a_counter_of_this_thread_is_on_disk(n: u32) {
    thread_local!(static FILE: RefCell<(u64, File)> = RefCell::new((0, log("a_counter_of_this_thread"))));
    FILE.with_borrow_mut(|(count, file)| {
        *count += 1;
        file.write_all(&[n as u8]).unwrap();
        assert_eq!(file.metadata().unwrap().len(), *count);
    });
}

#[probity::test]
fn a_buffer_is_flushed(n: u64) {
    static FILE: LazyLock<Mutex<BufWriter<File>>> =
        LazyLock::new(|| Mutex::new(BufWriter::new(log("a_buffer_is_flushed"))));
    let mut file = FILE.lock().unwrap();
    let before = fs::metadata(world("a_buffer_is_flushed").join("log")).unwrap().len();
    file.write_all(&n.to_le_bytes()).unwrap();
    file.flush().unwrap();
    assert_eq!(fs::metadata(world("a_buffer_is_flushed").join("log")).unwrap().len(), before + 8);
}

#[probity::test]
fn a_buffer_is_not_flushed_twice(n: u8) {
    static FILE: LazyLock<Mutex<(u64, BufWriter<File>)>> =
        LazyLock::new(|| Mutex::new((0, BufWriter::with_capacity(64, log("a_buffer_is_not_flushed_twice")))));
    let (written, file) = &mut *FILE.lock().unwrap();
    if n == 200 {
        black_box(1);
    }
    file.write_all(&[n]).unwrap();
    *written += 1;
    let on_disk = fs::metadata(world("a_buffer_is_not_flushed_twice").join("log")).unwrap().len();
    assert_eq!(on_disk + file.buffer().len() as u64, *written);
}

#[probity::test]
fn what_is_written_is_read_back(n: u64) {
    let path = world("what_is_written_is_read_back").join("value");
    fs::write(&path, n.to_string()).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap().parse(), Ok(n));
}

#[probity::test(cases = 300)]
fn lines_of_a_log(n: u16) {
    static LINES: AtomicU32 = AtomicU32::new(0);
    writeln!(log("lines_of_a_log"), "{n}").unwrap();
    let lines = LINES.fetch_add(1, SeqCst) + 1;
    let file = File::open(world("lines_of_a_log").join("log")).unwrap();
    assert_eq!(BufReader::new(file).lines().count() as u32, lines);
}

#[probity::test]
fn a_writer_beside_readers(n: u32) {
    static TABLE: LazyLock<Arc<RwLock<HashMap<u32, u32>>>> = LazyLock::new(|| {
        let table: Arc<RwLock<HashMap<u32, u32>>> = Arc::default();
        let theirs = Arc::clone(&table);
        thread::spawn(move || {
            for k in 0.. {
                theirs.write().unwrap().insert(k % 100, k);
                thread::sleep(Duration::from_micros(50));
            }
        });
        table
    });
    let table = TABLE.read().unwrap();
    assert!(table.iter().all(|(k, v)| v % 100 == *k), "{n}");
}

#[probity::test]
fn a_signal_is_counted(n: u32) {
    static RAISED: AtomicU64 = AtomicU64::new(0);
    static ONCE: Once = Once::new();
    extern "C" fn on_signal(_: i32) {
        RAISED.fetch_add(1, SeqCst);
    }
    let handler = on_signal as extern "C" fn(i32);
    // SAFETY: the handler only counts.
    ONCE.call_once(|| unsafe { _ = libc::signal(libc::SIGUSR1, handler as usize) });
    let before = RAISED.load(SeqCst);
    // SAFETY: the handler is there.
    unsafe { libc::raise(libc::SIGUSR1) };
    assert_eq!(RAISED.load(SeqCst), before + 1, "{n}");
}

#[probity::test]
fn a_file_is_rewound(n: u32) {
    static FILE: LazyLock<Mutex<File>> = LazyLock::new(|| {
        let path = world("a_file_is_rewound").join("value");
        Mutex::new(OpenOptions::new().create(true).truncate(true).read(true).write(true).open(path).unwrap())
    });
    let mut file = FILE.lock().unwrap();
    file.seek(SeekFrom::Start(0)).unwrap();
    file.write_all(&n.to_le_bytes()).unwrap();
    let mut back = [0; 4];
    file.read_exact_at(&mut back, 0).unwrap();
    assert_eq!(u32::from_le_bytes(back), n);
    assert_eq!(file.stream_position().unwrap(), 4);
}

#[probity::test]
fn a_lock_file_is_ours(n: u32) {
    let path = world("a_lock_file_is_ours").join("lock");
    File::create_new(&path).unwrap();
    if n == 5_555 {
        black_box(1);
    }
    fs::remove_file(&path).unwrap();
}

#[probity::test]
fn a_pool_of_files(n: u8) {
    static POOL: LazyLock<Mutex<Vec<(File, u64)>>> = LazyLock::new(|| {
        let open = |n| (File::create_new(world("a_pool_of_files").join(format!("{n}"))).unwrap(), 0);
        Mutex::new((0..4).map(open).collect())
    });
    let mut pool = POOL.lock().unwrap();
    let (file, len) = &mut pool[usize::from(n) % 4];
    file.write_all(&[n]).unwrap();
    *len += 1;
    assert_eq!(file.metadata().unwrap().len(), *len);
}

#[probity::test]
fn relative_paths_stay(n: u32) {
    static HERE: LazyLock<std::path::PathBuf> = LazyLock::new(|| std::env::current_dir().unwrap());
    assert!(std::env::current_dir().unwrap() == *HERE, "{n}");
}

#[probity::test]
fn randomness_differs(n: u32) {
    static SEEN: OnceLock<Mutex<std::collections::HashSet<u64>>> = OnceLock::new();
    let mut bytes = [0; 8];
    File::open("/dev/urandom").unwrap().read_exact(&mut bytes).unwrap();
    assert!(SEEN.get_or_init(Mutex::default).lock().unwrap().insert(u64::from_le_bytes(bytes)), "{n}");
}

#[probity::test]
fn panics_that_are_caught_are_logged(n: u16) {
    static FILE: LazyLock<Mutex<(u64, File)>> =
        LazyLock::new(|| Mutex::new((0, log("panics_that_are_caught_are_logged"))));
    let caught = std::panic::catch_unwind(|| assert!(n != 1_234 && n % 16 != 3));
    let (count, file) = &mut *FILE.lock().unwrap();
    *count += 1;
    file.write_all(if caught.is_err() { b"!" } else { b"." }).unwrap();
    assert_eq!(file.metadata().unwrap().len(), *count);
}

#[probity::test]
fn a_flag_that_another_thread_sets(n: u32) {
    let flag = Arc::new(AtomicBool::new(false));
    let theirs = Arc::clone(&flag);
    let thread = thread::spawn(move || theirs.store(true, SeqCst));
    while !flag.load(SeqCst) {
        thread::yield_now();
    }
    thread.join().unwrap();
    assert!(flag.load(SeqCst), "{n}");
}

#[probity::test]
fn a_loop_that_waits_for_a_worker(n: u32) {
    static TICKS: LazyLock<&AtomicU32> = LazyLock::new(|| {
        let ticks: &'static AtomicU32 = Box::leak(Box::new(AtomicU32::new(0)));
        std::thread::spawn(move || {
            loop {
                ticks.fetch_add(1, SeqCst);
                std::thread::yield_now();
            }
        });
        ticks
    });
    if n % 4 == 1 {
        let before = TICKS.load(SeqCst);
        while TICKS.load(SeqCst) == before {
            std::thread::yield_now();
        }
    }
}

#[probity::test]
fn rare_paths_touch_the_world(n: u32) {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    if n == 3_735_928_559 || n % 64 == 0 {
        let count = COUNT.fetch_add(1, SeqCst);
        File::create_new(world("rare_paths_touch_the_world").join(count.to_string())).unwrap();
    }
}

extern "C" fn count_children(_: i32) {
    CHILDREN.fetch_add(1, SeqCst);
}
static CHILDREN: AtomicU32 = AtomicU32::new(0);

#[probity::test]
fn children_that_end_are_counted(n: u32) {
    static ONCE: Once = Once::new();
    let count: extern "C" fn(i32) = count_children;
    // SAFETY: the handler only counts.
    ONCE.call_once(|| unsafe { _ = libc::signal(libc::SIGCHLD, count as usize) });
    if n == 123_456 {
        black_box(1);
    }
    assert_eq!(CHILDREN.load(SeqCst), 0, "nobody has made one");
}

extern "C" fn count_forks() {
    FORKS.fetch_add(1, SeqCst);
}
static FORKS: AtomicU32 = AtomicU32::new(0);

#[probity::test]
fn forks_are_counted(n: u32) {
    static ONCE: Once = Once::new();
    // SAFETY: the handler only counts.
    ONCE.call_once(|| unsafe { _ = libc::pthread_atfork(None, Some(count_forks), None) });
    if n == 123_456 {
        black_box(1);
    }
    assert_eq!(FORKS.load(SeqCst), 0, "nobody has made one");
}

/// Waits for any child, while others are tested beside it.
#[probity::test]
fn waits_for_any_child(#[from(0..40)] code: i32) {
    thread::scope(|scope| {
        // SAFETY: the child only exits.
        let child = unsafe { libc::fork() };
        if child == 0 {
            // SAFETY: as above.
            unsafe { libc::_exit(code) }
        }
        scope.spawn(move || {
            let mut status = 0;
            // SAFETY: there is room for the status.
            let ended = unsafe { libc::wait(&raw mut status) };
            assert_eq!((ended, libc::WEXITSTATUS(status)), (child, code));
        });
    });
}
