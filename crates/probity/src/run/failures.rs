//! From failures that a search found to their report: shrink, reproduce, explain, save.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use probity_core::{
    Case, Explanation, Failure, Found, Origin, OriginKind, Source, Value, explain, literal::readable,
    run_case, run_uncaught, shrink,
};

use super::reproduce::{Again, Reproduction, TEXT_WHOLE, describe_failure, first_line, raises_itself};
use super::{Runner, misuse_message, replay_of};
use crate::EngineKind;
use crate::events::{ArmUse, Event, Failed, Flaky, FoundBy, Shrinking, Trajectory};
use crate::isolate::{fails_anew, is_hang};
use crate::report;
use crate::store::Entry;
use crate::watchdog::HANG;

/// A failure on its way to the report.
pub(super) struct FailingCase {
    pub(super) found_by: FoundBy,
    /// The case to show.
    pub(super) case: Case,
    /// What went wrong at first.
    pub(super) failure: Failure,
    pub(super) shrunk: Option<Shrinking>,
}

/// A failure that was shrunk, or could not be.
struct Shrunken {
    failing: FailingCase,
    again: Again,
    /// The simplest cases of other origins.
    others: Vec<Case>,
}

/// How many failures of different origins are shrunk and reported.
const ORIGINS_MAX: usize = 5;
/// A line to paste is at most this long.
const EXAMPLE_MAX: usize = 300;
/// How long shrinking one failure may take; what bounds it where runs are fast is their number.
const SHRINK_TIME: Duration = Duration::from_secs(30);
/// How a failure that only copies have went on.
const ONLY_IN_COPIES: &str = "passed in a process that was started anew: it fails only in a copy of the process, which has no \
     other threads; leave out `isolate`";
/// How long explaining may take where the test is slow, and where many runs were made already.
const EXPLAIN_TIME: (Duration, Duration) = (Duration::from_secs(5), Duration::from_secs(2));
/// How many runs count as many: enough to see a value that matters once in 100.
const EXPLAIN_MANY: u64 = 500;
/// How often the test may be run to explain a failure.
const EXPLAIN_RUNS: u64 = 10_000;
/// The most choices of a case that is explained: parts are compared with each other.
const EXPLAIN_CHOICES: usize = 1 << 11;

impl Runner<'_> {
    /// Shrinks every failure, and those of other origins that shrinking meets. Where they are the `least` of their kind,
    /// no other input that fails in the same way is smaller, and there is nothing to shrink.
    pub(super) fn shrink_all(
        &mut self,
        found: Vec<Found>,
        is_least: bool,
    ) -> Result<Vec<FailingCase>, String> {
        let mut origins: Vec<Origin> = found.iter().map(|it| it.failure.origin.clone()).collect();
        let mut queue = VecDeque::from(found);
        let mut res: Vec<FailingCase> = Vec::new();
        let mut effects = Vec::new();
        while let Some(found) = queue.pop_front() {
            if effects.contains(&found.failure.origin) {
                continue;
            }
            let index = found.index;
            self.reporters.tell(&Event::Found { case: self.number(index), failure: found.failure.clone() });
            let Shrunken { failing, again, others } = self.shrink(found, is_least)?;
            match again {
                Again::Same => {}
                // A case before it in its process made it fail, which has failed itself; alone it does not.
                _ if self.isolated().is_some() && !res.is_empty() => continue,
                Again::Otherwise(origin) => effects.push(origin),
                Again::Not => {}
            }
            res.push(failing);
            for case in others {
                if let Some(failure) = case.verdict.failure().cloned()
                    && !origins.contains(&failure.origin)
                    && origins.len() < ORIGINS_MAX
                {
                    origins.push(failure.origin.clone());
                    queue.push_back(Found { index, failure, case });
                }
            }
        }
        Ok(res)
    }

    /// The number of a case that was found: of a random one, among those of all parts of the run.
    fn number(&self, index: u64) -> u64 {
        if self.state.engine == EngineKind::Random { self.seed.number(index) } else { index }
    }

    /// Shrinks a found case.
    fn shrink(&mut self, found: Found, is_least: bool) -> Result<Shrunken, String> {
        let Found { index, failure, case } = found;
        // Anyone who waited for one hanging case need not wait as long for each that is like it.
        let hangs = self.isolated().filter(|_| is_hang(&failure));
        hangs.iter().for_each(|it| it.hurry(true));
        let Reproduction { again, .. } = self.reproduce(&failure, &case)?;
        let again = match Again::new(&failure, &case.verdict) {
            Again::Same => again,
            differs => differs,
        };
        let is_same = again == Again::Same;
        let tally = &self.state.result.tally;
        let found_by = FoundBy::Search {
            engine: self.state.engine,
            seed: self.seed.word,
            case: self.number(index),
            cases: tally.cases,
            rejected: tally.rejected(),
            size: (is_least && is_same).then(|| case.trace.size()),
        };
        let unshrunk = |found_by, case, failure| FailingCase { found_by, case, failure, shrunk: None };
        if !is_same || is_least {
            let failing = unshrunk(found_by, case, failure);
            return Ok(Shrunken { failing, again, others: Vec::new() });
        }
        let start = Instant::now();
        let progress = Arc::clone(&self.progress);
        let go_on = &mut |values: &[Value]| {
            progress.begin_replay(Some(values.to_vec()));
            start.elapsed() < SHRINK_TIME
        };
        let runs = self.settings.max_shrink;
        let shrunk =
            self.with_test(|test| shrink(case.clone(), test, runs, go_on)).map_err(misuse_message)?;
        self.progress.begin_replay(None);
        if let Some(isolation) = hangs {
            // In a hurry, a slow case may have been taken for one that hangs.
            isolation.hurry(false);
            let whole = self.reproduce(&failure, &shrunk.case)?;
            isolation.hurry(true);
            if whole.again != Again::Same {
                let failing = unshrunk(found_by, case, failure);
                return Ok(Shrunken { failing, again, others: shrunk.others });
            }
        }
        let info = Shrinking { steps: shrunk.steps, runs: shrunk.evaluations, finished: shrunk.finished };
        let failing = FailingCase { found_by, case: shrunk.case, failure, shrunk: Some(info) };
        Ok(Shrunken { failing, again, others: shrunk.others })
    }

    /// Reports every failure and ends the test with the first that is not flaky. `climb` is how the search
    /// went that found them, where it climbed.
    pub(super) fn report_all(
        &mut self,
        found: Vec<FailingCase>,
        climb: Option<Box<Trajectory>>,
    ) -> Result<(), String> {
        let mut shown = Vec::new();
        let mut effects = Vec::new();
        for failing in found {
            if effects.contains(&failing.failure.origin) {
                continue;
            }
            let again = self.reproduce(&failing.failure, &failing.case)?;
            if let Again::Otherwise(origin) = &again.again {
                effects.push(origin.clone());
            }
            shown.push((failing, again));
        }
        let total = shown.len();
        let mut last = None;
        for (number, (failing, again)) in shown.into_iter().enumerate() {
            let values = failing.case.trace.values();
            let failed = self.report(failing, again, (number + 1, total), climb.clone())?;
            let is_better = |last: &(Failed, _)| last.0.flaky.is_some() && failed.flaky.is_none();
            if last.as_ref().is_none_or(is_better) {
                last = Some((failed, values));
            }
        }
        let Some((failed, values)) = last else { return Ok(()) };
        if raises_itself(&failed) && self.reporters.harness().is_of_rust() {
            self.progress.begin_replay(Some(values.clone()));
            let _showing = self.quiet.as_ref().map(|it| it.show());
            run_uncaught(&mut replay_of(values), self.test);
        }
        Err(match failed.flaky {
            Some(_) if failed.failure.origin.kind == OriginKind::Model => {
                format!("not reproduced: {}", failed.failure.message)
            }
            Some(flaky) => {
                format!("flaky: it {}; then it {}", first_line(&flaky.first), flaky.again)
            }
            None => failed.failure.message,
        })
    }

    /// Explains, saves and reports one failure, which is number `number` of all.
    fn report(
        &mut self,
        failing: FailingCase,
        again: Reproduction,
        number: (usize, usize),
        climb: Option<Box<Trajectory>>,
    ) -> Result<Failed, String> {
        let FailingCase { found_by, case, failure: first, shrunk } = failing;
        let values = case.trace.values();
        let mut is_same = again.again == Again::Same;
        let otherwise = again.otherwise();
        let mut flaky = again.flaky(&first);
        let failure = again.case.verdict.failure().filter(|_| is_same).cloned().unwrap_or(first);
        if is_same && self.fails_only_in_copies(&found_by, &failure, &values) {
            is_same = false;
            flaky = Some(Flaky { first: describe_failure(&failure), again: ONLY_IN_COPIES.to_string() });
        }
        let is_flaky = flaky.is_some();
        // What fails otherwise may have come less far.
        let is_rendered = otherwise.is_some() && !case.log.inputs.is_empty();
        let rendered = if is_rendered { &case } else { &again.case };
        let mut failed = self.failed(found_by, rendered, failure);
        failed.number = number;
        failed.arms = ArmUse::new(&case.trace, &self.state.result.tally);
        failed.shrunk = shrunk;
        failed.climb = climb;
        let is_whole =
            failed.inputs.iter().all(|it| it.text.len() < TEXT_WHOLE) && values.len() <= EXPLAIN_CHOICES;
        if is_same && self.settings.explain && is_whole {
            failed.explanation = self.explain(&case)?;
        }
        if is_same {
            failed.example = self.example_line(&values);
        }
        failed.flaky = flaky;
        failed.again = otherwise;
        self.save(&mut failed, if is_same || is_flaky { &again.case } else { &case });
        self.reporters.tell(&Event::Failed(Box::new(failed.clone())));
        Ok(failed)
    }

    /// The input as an attribute, where all of it can be written as Rust.
    fn example_line(&self, values: &[Value]) -> Option<String> {
        let write = self.literals?;
        let mut drawn = Vec::new();
        let mut source = replay_of(values.to_vec());
        run_case(&mut source, &mut |src: &mut Source| drawn = write(src)).ok()?;
        let module = self.name.rsplit_once("::").map_or("", |it| it.0);
        let types: Vec<&str> = drawn.iter().map(|it| it.1).collect();
        let pair = |(name, _, text): &(&str, &str, String)| {
            Some(format!("{name} = {}", readable(text, module, &types.join(" "))?))
        };
        let pairs = drawn.iter().map(pair).collect::<Option<Vec<_>>>()?;
        let line = format!("#[example({})]", pairs.join(", "));
        (!pairs.is_empty() && line.len() <= EXAMPLE_MAX).then_some(line)
    }

    /// Whether these answers, which fail in copies of this process, do not fail in a process that is started anew.
    fn fails_only_in_copies(&self, found_by: &FoundBy, failure: &Failure, values: &[Value]) -> bool {
        let is_copied =
            self.isolated().is_some() && !matches!(found_by, FoundBy::Replay) && !is_hang(failure);
        let limit = self.settings.hang.unwrap_or(HANG);
        is_copied && fails_anew(self.reporters.harness(), &report::choices_text(values), limit) == Some(false)
    }

    fn explain(&mut self, case: &Case) -> Result<Option<Explanation>, String> {
        let start = Instant::now();
        let progress = Arc::clone(&self.progress);
        let values = case.trace.values();
        let mut runs = 0;
        let go_on = &mut || {
            progress.begin_replay(Some(values.clone()));
            runs += 1;
            start.elapsed() < if runs < EXPLAIN_MANY { EXPLAIN_TIME.0 } else { EXPLAIN_TIME.1 }
        };
        let seed = self.seed.word;
        self.with_test(|test| explain(case, test, seed, EXPLAIN_RUNS, go_on)).map_err(misuse_message)
    }

    pub(super) fn failed(&self, found_by: FoundBy, case: &Case, failure: Failure) -> Failed {
        Failed {
            inputs: case.log.inputs.clone(),
            broken: case.log.broken.clone(),
            notes: case.log.notes.clone(),
            ..Failed::new(found_by, failure)
        }
    }

    /// Saves a failure that was found by searching, and says how to run it again.
    fn save(&self, failed: &mut Failed, case: &Case) {
        if self.inner {
            return; // to run it again, the case around it is run again
        }
        let choices = case.trace.values();
        if let FoundBy::Stored(path) = &failed.found_by {
            failed.replay = self.reporters.replay_command(&report::shown(path));
            return;
        }
        failed.replay = self.reporters.replay_command(&report::choices_text(&choices));
        if cfg!(unix) && failed.failure.origin.kind == OriginKind::Died {
            // Choices do not say that they end the process; a file does.
            failed.replay.insert_str(0, "PROBITY_ISOLATE=true ");
        }
        let (Some(store), FoundBy::Search { .. }) = (&self.store, &failed.found_by) else { return };
        let entry = Entry::new(self.name, &failed.inputs, describe_failure(&failed.failure), choices);
        let saved = store.save(&entry).map_err(|err| err.to_string());
        if let Ok(path) = &saved {
            failed.replay = self.reporters.replay_command(&report::shown(path));
        }
        failed.saved = Some(saved);
    }
}
