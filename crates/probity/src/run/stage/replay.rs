//! What `PROBITY_REPLAY` asks for. What does not fit the test is an error: a replay that runs something else would be
//! believed.

use std::path::Path;
use std::time::Instant;

use probity_core::{
    Case, Domain, Ended, Engine, Exhaustive, Ordered, Random, Refusal, Replay, Seed, Site, Source, Stop,
    Swarm, Tail, Tally, Trace, Value, Verdict, misuse, render_case,
};

use super::super::failures::FailingCase;
use super::super::portfolio::{AfterStage, Stage};
use super::super::{Runner, misuse_message};
use super::stored::NO_PROCESS;
use crate::events::{Event, FoundBy};
use crate::isolate::was_death;
use crate::report::Reporters;
use crate::settings::{Key, Origin};
use crate::{report, store};

/// What is in front of choices that were proposed and may not fit; the nearest that do are run.
const FITTED: &str = "fitted ";
/// So much of what was asked for is shown in an error.
const SHOWN_MAX: usize = 80;

/// What is run again.
enum ReplayTarget {
    /// These answers, each of which has to fit.
    Choices(Vec<Value>),
    /// These answers, or the nearest that fit.
    Fitted(Vec<Value>),
    /// A case of the random engine.
    Case(u64, u64),
    /// The places of an exhaustive walk.
    Walk(Vec<u64>),
}

/// Runs what `PROBITY_REPLAY` asks for, and nothing else then: a stored failure, choices, or a case of a seed. Goes on where
/// it asks for nothing, or is about another test. Nobody need watch it: what it runs is shown before it does.
pub(in crate::run) fn run(runner: &mut Runner<'_>, _: &Stage) -> Result<AfterStage, String> {
    Ok(if runner.replay()? { AfterStage::End } else { AfterStage::Stage })
}

impl Runner<'_> {
    fn replay(&mut self) -> Result<bool, String> {
        let Some(text) = self.settings.replay.as_deref().filter(|_| !self.inner) else { return Ok(false) };
        let text = text.to_string();
        let shown = shown(&text);
        let failed = |reason: String| format!("cannot replay `{shown}`: {reason}");
        let Some((asked, was_death)) = asked(&text, self.name).map_err(failed)? else { return Ok(false) };
        let given = asked.len();
        let mut source = Source::new(asked.engine(&shown, self.settings.swarm));
        // An input that crashes the process has to be seen before it does.
        let live = self.reporters.direct();
        live.tell(&Event::Replaying { replay: text.clone() });
        let start = Instant::now();
        let mut run = |runner: &mut Self| runner.show_case(&mut source, &live);
        let case = match was_death && !self.is_kept_here() {
            true => self.run_deadly(run)?.ok_or_else(|| failed(NO_PROCESS.to_string()))?,
            false => run(self)?,
        };
        if let Some(given) = given {
            self.check_all_used(&asked, given, &case).map_err(failed)?;
        }
        match case.verdict.clone() {
            Verdict::Fail(failure) => {
                let found_by = FoundBy::Replay;
                let failing = FailingCase { found_by, case, failure, shrunk: None };
                self.report_all(vec![failing], None).map(|()| true)
            }
            Verdict::Pass => {
                let tally = Tally { cases: 1, ..Tally::default() };
                let time = start.elapsed();
                self.reporters.tell(&Event::Passed {
                    tally,
                    time,
                    reach: None,
                    part: None,
                    can_resume: false,
                    climb: None,
                    explored: None,
                });
                Ok(true)
            }
            Verdict::Reject(site) => {
                Err(format!("the replayed input is rejected by `{}` at {}", site.what, site.location))
            }
            Verdict::Overrun => Err("the replayed input asks for too many choices".to_string()),
            Verdict::Skipped => Err("the replayed input was skipped".to_string()),
        }
    }

    /// Runs a case that is shown as it draws.
    fn show_case(&mut self, source: &mut Source, live: &Reporters) -> Result<Case, String> {
        let show = Box::new(live.clone().live());
        match self.isolated() {
            Some(it) => it.show(Some(show)),
            None => source.on_draw(show),
        }
        let case = self.with_test(|test| render_case(source, test)).map_err(misuse_message);
        if let Some(isolation) = self.isolated() {
            isolation.show(None);
        }
        case
    }

    /// Whether somebody said that no case is to be isolated, as for a debugger.
    fn is_kept_here(&self) -> bool {
        let is_said = matches!(self.settings.origin(Key::Isolate), Origin::Env { .. });
        is_said && !self.settings.isolate
    }

    /// An error where answers are left over, and a word where the test asked for more than there are: it may be that
    /// the process ended before it drew the rest.
    fn check_all_used(&self, asked: &ReplayTarget, given: usize, case: &Case) -> Result<(), String> {
        let used = case.trace.choices.len();
        if used > given {
            self.reporters.tell(&Event::ReplayedShort { given: given as u64, asked: used as u64 });
        }
        // What is rejected says so, and how much was used until then means nothing.
        if used >= given || matches!(case.verdict, Verdict::Reject(_) | Verdict::Overrun) {
            return Ok(());
        }
        let first = match asked {
            ReplayTarget::Choices(values) => format!("choice {} of {given} (`{}`)", used + 1, values[used]),
            ReplayTarget::Walk(places) => format!("place {} of {given} ({})", used + 1, places[used]),
            _ => return Ok(()),
        };
        let plural = if used == 1 { "choice" } else { "choices" };
        let how = match &case.verdict {
            Verdict::Fail(failure) => format!(" (with those before it the test fails: {})", failure.message),
            _ => String::new(),
        };
        Err(format!("{first} is left over: the test asks for {used} {plural}{how}; {STALE}"))
    }
}

const STALE: &str = "it is of another test, or the test has changed; take what `replay` in a report says";

/// What a text asks for, and whether it is known to end its process; none where it is about another test.
fn asked(text: &str, test: &str) -> Result<Option<(ReplayTarget, bool)>, String> {
    let path = Path::new(text);
    if path.exists() {
        let entry = store::read(path)?;
        let was_death = was_death(&entry.failure);
        return Ok((entry.test == test).then_some((ReplayTarget::Choices(entry.choices), was_death)));
    }
    parse(text).map(|it| Some((it, false)))
}

/// Reads a text that is no file.
fn parse(text: &str) -> Result<ReplayTarget, String> {
    if text.starts_with("seed-") {
        return match report::parse_case(text) {
            Some((seed, case)) => Ok(ReplayTarget::Case(seed, case)),
            None => Err("a case is written as `seed-0x1f-case-7`, with numbers below 2^64".to_string()),
        };
    }
    if text.starts_with("walk-") {
        return match report::parse_walk(text) {
            Some(places) => Ok(ReplayTarget::Walk(places)),
            None => Err("a walk is written as `walk-0-3-1`, with numbers below 2^64".to_string()),
        };
    }
    let choices = |text: &str| {
        store::parse_choices(text)
            .map_err(|err| format!("there is no such file, and as choices: {err}; see `replay` in a report"))
    };
    match text.strip_prefix(FITTED) {
        Some(rest) => choices(rest).map(ReplayTarget::Fitted),
        None => choices(text).map(ReplayTarget::Choices),
    }
}

/// The text that represents choices that may not fit.
pub(crate) fn fitted_text(choices: &[Value]) -> String {
    format!("{FITTED}{}", report::choices_text(choices))
}

impl ReplayTarget {
    /// How many choices it has, where that is known and matters.
    fn len(&self) -> Option<usize> {
        match self {
            ReplayTarget::Choices(values) => Some(values.len()),
            ReplayTarget::Walk(places) => Some(places.len()),
            ReplayTarget::Fitted(_) | ReplayTarget::Case(..) => None,
        }
    }

    fn engine(&self, shown: &str, swarm: Swarm) -> Box<dyn Engine> {
        let shown = shown.to_string();
        let mut engine: Box<dyn Engine> = match self {
            ReplayTarget::Choices(values) => {
                let replay = Replay::new(values.clone(), Tail::Simplest);
                Box::new(Strict {
                    given: RecordedAnswers::Choices(values.clone()),
                    inner: Box::new(replay),
                    cursor: 0,
                    shown,
                })
            }
            ReplayTarget::Fitted(values) => Box::new(Replay::new(values.clone(), Tail::Simplest)),
            ReplayTarget::Case(word, case) => {
                Box::new(Random::at(Seed { swarm, ..Seed::from(*word) }, *case))
            }
            ReplayTarget::Walk(places) => {
                let walk = Exhaustive::at(places.clone());
                Box::new(Strict {
                    given: RecordedAnswers::Places(places.clone()),
                    inner: Box::new(walk),
                    cursor: 0,
                    shown,
                })
            }
        };
        engine.begin().ok();
        engine
    }
}

/// What was recorded, choice by choice.
enum RecordedAnswers {
    Choices(Vec<Value>),
    Places(Vec<u64>),
}

/// Replays what was recorded and ends the run at the first answer that does not fit. It says so as a misuse, which
/// comes back from wherever the case runs.
struct Strict {
    given: RecordedAnswers,
    inner: Box<dyn Engine>,
    /// How many choices were asked for.
    cursor: usize,
    shown: String,
}

impl Engine for Strict {
    fn begin(&mut self) -> Result<(), Ended> {
        self.inner.begin()
    }

    fn answer(&mut self, domain: &Domain, so_far: &Trace) -> Result<Value, Stop> {
        let at = self.cursor;
        self.cursor += 1;
        let wrong = match &self.given {
            RecordedAnswers::Choices(values) => values
                .get(at)
                .filter(|it| !domain.contains(**it))
                .map(|it| format!("choice {} of {} is `{it}`", at + 1, values.len())),
            RecordedAnswers::Places(places) => places
                .get(at)
                .filter(|it| **it >= Exhaustive::members(domain))
                .map(|it| format!("place {} of {} is {it}", at + 1, places.len())),
        };
        if let Some(wrong) = wrong {
            let asked = describe(domain);
            misuse(format!(
                "cannot replay `{}`: {wrong}, and the test asks for {asked} there; {STALE}",
                self.shown
            ));
        }
        self.inner.answer(domain, so_far)
    }

    fn end(&mut self, case: &Case) {
        self.inner.end(case);
    }

    fn order(&mut self) -> Option<&mut dyn Ordered> {
        match self.given {
            RecordedAnswers::Choices(_) => self.inner.order(),
            RecordedAnswers::Places(_) => Some(self),
        }
    }
}

impl Ordered for Strict {
    fn refuse(&mut self, _: usize, _: bool, _: Site) -> Refusal {
        // A walk that goes on from here is another than the one that was asked for.
        Refusal::Reject
    }

    fn places(&mut self, start: usize) -> Option<Vec<u64>> {
        self.inner.order()?.places(start)
    }
}

/// What a choice is among, and how its answers are written.
fn describe(domain: &Domain) -> String {
    match domain {
        Domain::Bool => "`true` or `false`".to_string(),
        Domain::Int { min, max, .. } => format!("a whole number from `i{min}` to `i{max}`"),
        Domain::Float { min, max, nan, single } => {
            let nan = if *nan { ", or `fnan`" } else { "" };
            let kind = if *single { "an f32" } else { "a number" };
            format!("{kind} from `{}` to `{}`{nan}", Value::Float(*min), Value::Float(*max))
        }
        Domain::Char { min, max } => {
            format!("a character from `{}` to `{}`", Value::Char(*min), Value::Char(*max))
        }
        Domain::Pick { n, shut: 0, .. } => {
            format!("one of {n} alternatives, `p0` to `p{}`", n.saturating_sub(1))
        }
        Domain::Pick { n, .. } => {
            let open = (0..*n).map(Value::Pick).filter(|it| domain.contains(*it));
            let open: Vec<String> = open.map(|it| format!("`{it}`")).collect();
            format!("one of the alternatives that are open here: {}", open.join(", "))
        }
        Domain::Length { min, max, .. } => format!("a length from `n{min}` to `n{max}`"),
    }
}

/// A text as errors show it.
fn shown(text: &str) -> String {
    match text.char_indices().nth(SHOWN_MAX) {
        None => text.to_string(),
        Some((at, _)) => format!("{}…", &text[..at]),
    }
}

/// Whether a text can be replayed by a small test; the error says that something else was run: see `readers`.
#[cfg(feature = "spec")]
pub(crate) fn reread_replay(text: &str) -> Result<bool, String> {
    let asked = match parse(text) {
        Ok(asked) => asked,
        Err(error) if error.is_empty() => return Err("refused without a word".to_string()),
        Err(_) => return Ok(false),
    };
    let mut test = |src: &mut Source| {
        src.draw((0..=9, probity_core::vec(probity_core::any::<u8>(), 0..=4), probity_core::any::<bool>()));
    };
    let case =
        match probity_core::run_case(&mut Source::new(asked.engine(&shown(text), Swarm::On)), &mut test) {
            Ok(case) => case,
            Err(misuse) if misuse.message.contains("choice ") || misuse.message.contains("place ") => {
                return Ok(false);
            }
            Err(misuse) => return Err(format!("an error that names no choice: {}", misuse.message)),
        };
    let ran = case.trace.values();
    match &asked {
        ReplayTarget::Choices(values) if values.len() > ran.len() => Ok(false),
        ReplayTarget::Choices(values) if ran[..values.len()] != values[..] => Err(format!("{ran:?} was run")),
        ReplayTarget::Walk(places) if places.len() > ran.len() => Ok(false),
        _ => Ok(true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_strict_replay_keeps_nothing_back() {
        let strict = |given, inner| -> Box<dyn Engine> {
            Box::new(Strict { given, inner, cursor: 0, shown: String::new() })
        };
        let choices = |values: Vec<Value>| Replay::new(values, Tail::Simplest);
        probity_core::conformance::check_wrapper(|it| strict(RecordedAnswers::Choices(Vec::new()), it));
        probity_core::conformance::check(|| {
            strict(RecordedAnswers::Choices(Vec::new()), Box::new(choices(Vec::new())))
        });
        let places = || strict(RecordedAnswers::Places(vec![1]), Box::new(Exhaustive::at(vec![1])));
        probity_core::conformance::check_on(places, |src| _ = src.draw((0..3, 0..3)));
    }
}
