//! What people see of a campaign: one line that changes on a terminal, a line now and then elsewhere, and what was found.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::time::{Duration, Instant, SystemTime};

use crate::console::Console;

/// How often a line is written where there is no terminal.
const EVERY: Duration = Duration::from_secs(10);

/// The figures of all processes, added up.
pub(super) struct Campaign<'a> {
    console: &'a Console,
    start: Instant,
    since: SystemTime,
    told: Instant,
    /// Cases of processes that have ended.
    past: u64,
    /// The cases of each process that runs.
    running: BTreeMap<u64, u64>,
    /// The largest figures of each test: processes share a corpus, so that they are not added up.
    tests: BTreeMap<String, [u64; 3]>,
    news: Instant,
    /// The files or messages of what was found.
    found: BTreeSet<String>,
}

impl<'a> Campaign<'a> {
    pub(super) fn new(console: &'a Console) -> Campaign<'a> {
        let now = Instant::now();
        let (running, tests) = (BTreeMap::new(), BTreeMap::new());
        Campaign {
            console,
            start: now,
            since: SystemTime::now(),
            told: now,
            past: 0,
            running,
            tests,
            news: now,
            found: BTreeSet::new(),
        }
    }

    /// A process says where it stands: its cases, milliseconds, blocks, functions, corpus, milliseconds since news.
    pub(super) fn covering(
        &mut self,
        job: u64,
        test: &str,
        [cases, _, blocks, functions, corpus, _]: [u64; 6],
    ) {
        // One that began anew counts from zero.
        let before = self.running.insert(job, cases).unwrap_or(0);
        self.past += if cases < before { before } else { 0 };
        let best = self.tests.entry(test.to_string()).or_default();
        if blocks > best[0] {
            self.news = Instant::now();
        }
        for (best, it) in best.iter_mut().zip([blocks, functions, corpus]) {
            *best = (*best).max(it);
        }
    }

    /// A process has ended.
    pub(super) fn leave(&mut self, job: u64) {
        self.past += self.running.remove(&job).unwrap_or(0);
    }

    /// A process found a failure and has stored it.
    pub(super) fn found(&mut self, test: &str, message: &str, saved: &str, replay: &str) {
        let key = if saved.is_empty() { format!("{test} {message}") } else { saved.to_string() };
        // What was stored before is found again where another engine than coverage searches.
        let is_known = fs::metadata(saved).and_then(|it| it.modified()).is_ok_and(|it| it < self.since);
        if is_known || !self.found.insert(key) {
            return;
        }
        let first = message.lines().next().unwrap_or_default();
        let place = if saved.is_empty() { String::new() } else { format!("\n  saved: {saved}") };
        self.console.plain(&format!("found: `{test}`: {first}{place}\n  again: {replay}"));
    }

    pub(super) fn findings(&self) -> usize {
        self.found.len()
    }

    pub(super) fn note(&self, text: &str) {
        self.console.note(text);
    }

    /// Shows where it stands.
    pub(super) fn show(&mut self) {
        if self.console.is_terminal() {
            self.console.status(&self.line());
        } else if self.told.elapsed() >= EVERY {
            self.told = Instant::now();
            self.console.plain(&self.line());
        }
    }

    /// Says how it ended.
    pub(super) fn end(&mut self) {
        self.console.clear();
        self.console.plain(&self.line());
    }

    fn line(&self) -> String {
        let cases = self.past + self.running.values().sum::<u64>();
        let time = self.start.elapsed();
        let sum = |at: usize| self.tests.values().map(|it| it[at]).sum::<u64>();
        let rate = cases as f64 / time.as_secs_f64().max(1e-9);
        format!(
            "{}: {} cases, {}/s, {} blocks, {} functions, {} in the corpus, last news {} ago, {} found",
            clock(time),
            short(cases),
            short(rate as u64),
            sum(0),
            sum(1),
            sum(2),
            clock(self.news.elapsed()),
            self.found.len(),
        )
    }
}

/// A time as a clock shows it.
fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds / 3600 {
        0 => format!("{}:{:02}", seconds / 60, seconds % 60),
        hours => format!("{hours}:{:02}:{:02}", seconds / 60 % 60, seconds % 60),
    }
}

/// A number in three digits or so: `12.3k`.
fn short(n: u64) -> String {
    match n {
        0..10_000 => n.to_string(),
        10_000..10_000_000 => format!("{:.1}k", n as f64 / 1e3),
        _ => format!("{:.1}M", n as f64 / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_short() {
        let rows = [(0, "0"), (9_999, "9999"), (12_345, "12.3k"), (12_345_678, "12.3M")];
        for (n, expected) in rows {
            assert_eq!(short(n), expected);
        }
        assert_eq!(
            (clock(Duration::from_secs(61)), clock(Duration::from_secs(3_661))),
            ("1:01".into(), "1:01:01".into())
        );
    }

    #[test]
    fn processes_are_added_up() {
        let console = Console::new();
        let mut it = Campaign::new(&console);
        it.covering(1, "a", [10, 0, 5, 2, 3, 0]);
        it.covering(2, "a", [15, 0, 4, 1, 4, 0]);
        it.covering(2, "a", [5, 0, 4, 1, 4, 0]);
        it.leave(1);
        it.covering(3, "b", [1, 0, 1, 1, 1, 0]);
        let line = it.line();
        assert!(
            line.contains("31 cases") && line.contains("6 blocks, 3 functions, 5 in the corpus"),
            "{line}"
        );
    }
}
