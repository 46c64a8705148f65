//! A solver's process: what is said to it, what it answers, and its end.
//!
//! A thread writes and two read, so that neither side can block the other, and anyone who waits for an answer can give
//! up. The process ends when this does: it is killed on drop, and at the latest it finds its input closed.

use std::fmt::Display;
use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use super::sexpr::{Sexpr, SexprReader};

/// How long one wait for an answer lasts before it is asked whether to go on.
const SLICE_MILLIS: u64 = 10;
/// Answers read ahead: a program that talks without end waits for us, not we for it.
const ANSWERS_AHEAD: usize = 64;
/// The most that is kept of what a solver complains about.
const COMPLAINT_MAX: usize = 2_000;

/// A running solver.
pub(super) struct Process {
    program: String,
    child: Child,
    said: Sender<String>,
    answers: Receiver<Result<Sexpr, String>>,
    complaints: Arc<Mutex<String>>,
    transcript: Option<BufWriter<File>>,
}

/// Why there is no answer.
pub(super) enum NoAnswer {
    /// The time is over, or it was told to stop.
    Late,
    /// The process ended, or what it says makes no sense; in words.
    Broken(String),
}

impl Process {
    /// Starts a program. What is said both ways is added to the transcript, the answers as comments.
    pub(super) fn start(
        program: &str,
        args: &[String],
        transcript: Option<&Path>,
    ) -> Result<Process, String> {
        let transcript = transcript.map(|path| {
            let open = File::options().create(true).append(true).open(path);
            open.map(BufWriter::new).map_err(|error| {
                format!("the transcript {} cannot be written: {error}; name another file", path.display())
            })
        });
        let transcript = transcript.transpose()?;
        let mut command = Command::new(program);
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| {
            format!(
                "the solver `{program}` cannot be started: {error}; install z3 or cvc5 (Debian packages `z3` and \
                 `cvc5`, or `pip install z3-solver`), or name its program"
            )
        })?;
        let (said, to_say) = channel();
        let (answer, answers) = sync_channel(ANSWERS_AHEAD);
        let complaints = Arc::new(Mutex::new(String::new()));
        if let (Some(stdin), Some(stdout), Some(stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        {
            let complaints = Arc::clone(&complaints);
            thread::spawn(move || say(stdin, &to_say));
            thread::spawn(move || hear(stdout, &answer));
            thread::spawn(move || note(stderr, &complaints));
        }
        let mut res = Process { program: program.to_string(), child, said, answers, complaints, transcript };
        res.note(&format_args!("{program} {}", args.join(" ")));
        Ok(res)
    }

    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Adds a comment to the transcript.
    fn note(&mut self, text: &dyn Display) {
        if let Some(file) = &mut self.transcript {
            let _ = writeln!(file, "; {}", text.to_string().replace('\n', "\n; "));
            let _ = file.flush();
        }
    }

    /// Says something; whether it arrives shows in the answers.
    pub(super) fn say(&mut self, text: String) {
        if let Some(file) = &mut self.transcript {
            let _ = writeln!(file, "{}", text.trim_end());
        }
        // The writer is gone only when the process is, which the next answer shows.
        let _ = self.said.send(text + "\n");
    }

    /// Waits for an answer at most so long.
    pub(super) fn answer(&mut self, millis: &mut u64, stop: &dyn Fn() -> bool) -> Result<Sexpr, NoAnswer> {
        loop {
            match self.answers.recv_timeout(Duration::from_millis(SLICE_MILLIS.min(*millis))) {
                Ok(Ok(answer)) => {
                    self.note(&answer);
                    return Ok(answer);
                }
                Ok(Err(message)) => return Err(NoAnswer::Broken(format!("`{}` {message}", self.program))),
                Err(RecvTimeoutError::Disconnected) => return Err(NoAnswer::Broken(self.obituary())),
                Err(RecvTimeoutError::Timeout) => {
                    *millis = millis.saturating_sub(SLICE_MILLIS);
                    if *millis == 0 || stop() {
                        return Err(NoAnswer::Late);
                    }
                }
            }
        }
    }

    /// How a process ended that does not answer any more.
    fn obituary(&mut self) -> String {
        let _ = self.child.kill();
        let status = self.child.wait().map_or("it is gone".to_string(), |it| it.to_string());
        // The thread that reads them may need a moment to see the end.
        for _ in 0..5 {
            if !self.complaints.lock().is_ok_and(|it| it.is_empty()) {
                break;
            }
            thread::sleep(Duration::from_millis(SLICE_MILLIS));
        }
        let complaints = self.complaints.lock().map(|it| it.trim().to_string()).unwrap_or_default();
        let complaints =
            if complaints.is_empty() { complaints } else { format!(", and it said: {complaints}") };
        format!("`{}` ended in the middle ({status}{complaints})", self.program)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn say(mut stdin: impl Write, to_say: &Receiver<String>) {
    while let Ok(text) = to_say.recv() {
        if stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush()).is_err() {
            return;
        }
    }
}

fn hear(stdout: impl Read, answer: &SyncSender<Result<Sexpr, String>>) {
    let mut reader = SexprReader::new(stdout);
    while let Some(next) = reader.next() {
        let is_end = next.is_err();
        if answer.send(next).is_err() || is_end {
            return;
        }
    }
}

fn note(mut stderr: impl Read, complaints: &Mutex<String>) {
    let mut bytes = [0; 512];
    while let Ok(n @ 1..) = stderr.read(&mut bytes) {
        if let Ok(mut complaints) = complaints.lock()
            && complaints.len() < COMPLAINT_MAX
        {
            complaints.push_str(&String::from_utf8_lossy(&bytes[..n]));
        }
    }
}
