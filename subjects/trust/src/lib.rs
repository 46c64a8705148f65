//! What the tests share: the folder that represents the world, and workers that outlive a case.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{LazyLock, Mutex};
use std::thread;

/// A folder for one test: what is in it at the end is what the test did to the world.
pub fn world(name: &str) -> PathBuf {
    let root = std::env::var_os("TRUST_WORLD")
        .map_or_else(|| std::env::temp_dir().join(format!("trust-{}", std::process::id())), PathBuf::from);
    let folder = root.join(name);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// A file of the world to append to.
pub fn log(name: &str) -> File {
    OpenOptions::new().create(true).append(true).read(true).open(world(name).join("log")).unwrap()
}

/// Doubles numbers on a thread of its own.
pub struct Worker {
    ask: Sender<u64>,
    answer: Receiver<u64>,
}

impl Worker {
    pub fn start() -> Mutex<Worker> {
        let (ask, asked) = channel::<u64>();
        let (answers, answer) = channel();
        thread::spawn(move || asked.iter().try_for_each(|n| answers.send(n.wrapping_mul(2))));
        Mutex::new(Worker { ask, answer })
    }

    pub fn double(&self, n: u64) -> u64 {
        self.ask.send(n).unwrap();
        self.answer.recv_timeout(std::time::Duration::from_secs(20)).expect("the worker is alive")
    }
}

/// The worker that many tests share.
pub static WORKER: LazyLock<Mutex<Worker>> = LazyLock::new(Worker::start);

/// Sends back what it is sent, and notes each connection in the world.
pub fn echo_server(name: &'static str) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            log(name).write_all(b"connection\n").unwrap();
            let mut bytes = Vec::new();
            let _ = stream.read_to_end(&mut bytes);
            let _ = stream.write_all(&bytes);
        }
    });
    address
}
