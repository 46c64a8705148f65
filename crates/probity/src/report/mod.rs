//! Reporters: they see events, and only they print.

mod curve;
mod harness;
mod json;
mod text;

use std::cell::Cell;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;

use probity_core::{Drawn, Value, context};

use crate::events::Event;
use crate::program::TestProgram;
use crate::settings::{Color, Settings};

pub(crate) use self::harness::Harness;

/// What is said before a replay: who started it knows by it that it began.
pub(crate) const REPLAYS: &str = "runs what PROBITY_REPLAY says";

/// Everybody who is told what happens.
#[derive(Clone)]
pub(crate) struct Reporters {
    test: String,
    harness: Harness,
    /// Whether nobody is told anything, because a case of another test is running.
    silent: bool,
    color: bool,
    verbose: bool,
    events: Option<PathBuf>,
    /// Whether to write past the test harness's capture, which also takes what other threads print.
    direct: bool,
}

impl Reporters {
    pub(crate) fn new(test: &str, settings: &Settings, program: Option<TestProgram>) -> Self {
        let color = match settings.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => std::io::stderr().is_terminal(),
        };
        Reporters {
            test: test.to_string(),
            harness: Harness::new(test, program),
            silent: context::in_case(),
            color,
            verbose: settings.verbose,
            events: settings.events.clone(),
            direct: false,
        }
    }

    /// The same reporters, for a thread whose words must be seen at once.
    pub(crate) fn direct(&self) -> Self {
        Reporters { direct: true, ..self.clone() }
    }

    pub(crate) fn tell(&self, event: &Event) {
        if self.silent {
            return;
        }
        let text = text::render(&self.test, event, self.verbose, self.color, self.harness.language());
        self.print(&text);
        if let Some(path) = &self.events
            && let Err(err) = append(path, &json::render(&self.test, event))
        {
            self.print(&format!("probity: cannot write events to {}: {err}\n", path.display()));
        }
    }

    /// Prints the report of another process.
    pub(crate) fn pass_on(&self, text: &str) {
        if !self.silent {
            self.print(text);
        }
    }

    /// Whether anybody wants to know the best inputs of a search.
    pub(crate) fn tell_best(&self) -> bool {
        !self.silent && (self.verbose || self.events.is_some())
    }

    /// Shows what is drawn as it is drawn.
    pub(crate) fn live(self) -> impl Fn(&Drawn) {
        let depth = Cell::new(0_usize);
        move |drawn| {
            self.print(&text::drawn(drawn, depth.get(), self.harness.language()));
            match drawn {
                Drawn::Input(_) | Drawn::Made(_) => {}
                Drawn::ArmBegins(_) => depth.set(depth.get() + 1),
                Drawn::ArmEnds => depth.set(depth.get().saturating_sub(1)),
            }
        }
    }

    /// Who runs the test.
    pub(crate) fn harness(&self) -> &Harness {
        &self.harness
    }

    /// A command that runs the test with `replay` and nothing else.
    pub(crate) fn replay_command(&self, replay: &str) -> String {
        let simple = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
        let replay = if replay.chars().all(simple) && !replay.is_empty() {
            replay.to_string()
        } else {
            format!("'{replay}'")
        };
        self.harness.replay_command(&replay)
    }

    #[allow(clippy::print_stderr, reason = "reporters print; `eprint!` is what test harnesses capture")]
    fn print(&self, text: &str) {
        if text.is_empty() {
            return;
        }
        if self.direct {
            let _ = std::io::stderr().lock().write_all(text.as_bytes());
        } else {
            eprint!("{text}");
        }
    }
}

fn append(path: &std::path::Path, line: &str) -> std::io::Result<()> {
    let mut file = std::fs::OpenOptions::new().create(true).append(true).open(path)?;
    // One write a line, so that lines of parallel tests do not mix.
    file.write_all(format!("{line}\n").as_bytes())
}

/// What the test harness calls the test of this thread: it names its threads after the tests.
pub(crate) fn harness_name() -> Option<String> {
    std::thread::current().name().filter(|it| *it != "main").map(ToString::to_string)
}

/// A path as it is shown: relative to the current folder, which for tests is their package's.
pub(crate) fn shown(path: &std::path::Path) -> String {
    let here = std::env::current_dir().ok();
    let relative = here.and_then(|it| path.strip_prefix(it).ok().map(PathBuf::from));
    relative.as_deref().unwrap_or(path).display().to_string()
}

/// Choices as `PROBITY_REPLAY` takes them.
pub(crate) fn choices_text(choices: &[Value]) -> String {
    choices.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

/// The text that represents a case of a random search.
pub(crate) fn case_text(seed: u64, case: u64) -> String {
    format!("seed-{seed:#x}-case-{case}")
}

/// The inverse of [`case_text`].
pub(crate) fn parse_case(text: &str) -> Option<(u64, u64)> {
    let (seed, case) = text.strip_prefix("seed-0x")?.split_once("-case-")?;
    let res = (u64::from_str_radix(seed, 16).ok()?, case.parse().ok()?);
    // Signs and zeros in front are nobody's.
    (case_text(res.0, res.1) == text).then_some(res)
}

/// The text that represents a case of an exhaustive search, by the places it takes.
pub(crate) fn walk_text(places: &[u64]) -> String {
    let places: Vec<String> = places.iter().map(ToString::to_string).collect();
    format!("walk-{}", places.join("-"))
}

/// The inverse of [`walk_text`].
pub(crate) fn parse_walk(text: &str) -> Option<Vec<u64>> {
    let places = match text.strip_prefix("walk-")? {
        "" => Some(Vec::new()),
        places => places.split('-').map(|it| it.parse().ok()).collect(),
    };
    places.filter(|it| walk_text(it) == text)
}

/// Whether it is next to certain (odds below one in a million) that a share is below `percent`, when it
/// was `held` times in `reached`: the upper end of Wilson's interval is below it.
pub(crate) fn surely_below(held: u64, reached: u64, percent: f64) -> bool {
    const Z: f64 = 4.9;
    let (held, n) = (held as f64, reached as f64);
    let share = held / n;
    let centre = share + Z * Z / (2.0 * n);
    let width = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    n > 0.0 && (centre + width) / (1.0 + Z * Z / n) < percent / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_round_trip() {
        assert_eq!(parse_case(&case_text(u64::MAX, 17)), Some((u64::MAX, 17)));
        assert_eq!(parse_case("n1 i7"), None);
        for places in [vec![], vec![3], vec![0, 12, u64::MAX]] {
            assert_eq!(parse_walk(&walk_text(&places)), Some(places));
        }
        assert_eq!(parse_walk("walk-x"), None);
    }

    #[test]
    fn only_clear_misses_are_below() {
        for (held, reached, percent, below) in [
            (0, 1000, 5.0, true),
            (0, 10, 5.0, false),
            (40, 1000, 5.0, false),
            (10, 1000, 5.0, true),
            (500, 1000, 50.0, false),
            (400, 1000, 50.0, true),
            (0, 0, 50.0, false),
            (1000, 1000, 100.0, false),
        ] {
            assert_eq!(surely_below(held, reached, percent), below, "{held} of {reached}, {percent} %");
        }
    }
}
