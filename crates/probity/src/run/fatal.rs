//! The end of a process whose case panicked where nobody can catch it.
//!
//! Nothing can be returned to the test harness from there, so the report is made before the process ends: by a process of
//! its own, which runs the same test isolated, finds the failure again, shrinks and stores it; or, where that is not
//! possible, here, with the input as it was found.

use std::process::Command;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use probity_core::{Failure, Progress, Running, Seed, Source};

use super::reproduce::describe_failure;
use super::{EngineKind, Runner};
use crate::events::{Event, Failed, FoundBy};
use crate::isolate::test_binary;
use crate::panics::{self, Fatal, Quiet};
use crate::report::{self, Reporters};
use crate::store::{Entry, Store};
use crate::watchdog::name_inputs;

/// What is known about a run when it comes to its end like this.
struct Last {
    name: String,
    seed: Seed,
    inputs: Option<fn(&mut Source)>,
    progress: Arc<Progress>,
    reporters: Reporters,
    store: Option<Store>,
    /// Whether another process may be started for the report.
    starts: bool,
    /// Set meanwhile, since that may take long.
    elsewhere: Option<Arc<AtomicBool>>,
}

impl Runner<'_> {
    /// Who reports a failure that ends the process.
    pub(super) fn fatal(&self) -> Fatal {
        let Runner { name, settings, seed, inputs, reporters, store, progress, .. } = self;
        let last = Last {
            name: name.to_string(),
            seed: *seed,
            inputs: *inputs,
            progress: Arc::clone(progress),
            reporters: reporters.direct(),
            store: store.clone(),
            starts: cfg!(unix) && !settings.isolate,
            elsewhere: self.isolation.as_ref().map(|it| it.elsewhere()),
        };
        Box::new(move |failure| last.end(failure))
    }
}

impl Last {
    fn end(self, failure: Failure) {
        let how = failure.origin.to_string();
        self.elsewhere.iter().for_each(|it| it.store(true, Ordering::Relaxed));
        if !(self.starts && self.runs_isolated()) {
            self.tell(failure);
        }
        self.reporters.tell(&Event::Ends { how });
    }

    /// Runs the same test with isolated cases. Returns whether it failed, and said so.
    fn runs_isolated(&self) -> bool {
        let Some(program) = test_binary() else { return false };
        let mut command = Command::new(program);
        command.args([self.reporters.harness().test(), "--exact", "--nocapture", "--include-ignored"]);
        command.env("PROBITY_ISOLATE", "true").env("PROBITY_SEED", self.seed.word.to_string());
        let Ok(output) = command.output() else { return false };
        let text = String::from_utf8_lossy(&output.stderr);
        let has_failed = !output.status.success() && text.contains(&format!("`{}` fails", self.name));
        if has_failed {
            self.reporters.pass_on(&text);
        }
        has_failed
    }

    /// Reports the failure with the input as it is.
    fn tell(&self, failure: Failure) {
        let running = self.progress.running().1;
        let engine = match running {
            Running::Case(_) => EngineKind::Random,
            Running::Walk(_) => EngineKind::Exhaustive,
            Running::Replay(_) => EngineKind::Targeted,
        };
        let (choices, inputs) =
            self.inputs.map(|it| name_inputs(it, &running, self.seed)).unwrap_or_default();
        let mut saved = None;
        let replay = match (choices, &running) {
            (Some(choices), _) => {
                let entry = Entry::new(&self.name, &inputs, describe_failure(&failure), choices);
                saved = self.store.as_ref().map(|it| it.save(&entry).map_err(|err| err.to_string()));
                match &saved {
                    Some(Ok(path)) => report::shown(path),
                    _ => report::choices_text(&entry.choices),
                }
            }
            (None, Running::Case(case)) => report::case_text(self.seed.word, self.seed.number(*case)),
            (None, Running::Replay(values)) => report::choices_text(values),
            (None, Running::Walk(places)) => report::walk_text(places),
        };
        let case = self.progress.case();
        let found_by =
            FoundBy::Search { engine, seed: self.seed.word, case, cases: case + 1, rejected: 0, size: None };
        let replay = self.reporters.replay_command(&replay);
        let failed = Failed { inputs, saved, replay, ..Failed::new(found_by, failure) };
        self.reporters.tell(&Event::Failed(Box::new(failed)));
    }
}

/// What is told of a run whose cases or threads panic where no search catches it.
pub(super) struct LastWords {
    quiet: Option<Rc<Quiet>>,
    reporters: Reporters,
    fatal: Option<Fatal>,
}

impl LastWords {
    pub(super) fn new(runner: &Runner<'_>) -> LastWords {
        let (quiet, reporters) = (runner.quiet.clone(), runner.reporters.clone());
        LastWords { quiet, reporters, fatal: panics::replace_fatal(Some(runner.fatal())) }
    }
}

impl Drop for LastWords {
    fn drop(&mut self) {
        panics::replace_fatal(self.fatal.take());
        self.quiet.iter().for_each(|it| tell_threads(it, &self.reporters));
    }
}

/// Reports what other threads panicked with, where their last case has not shown it.
pub(super) fn tell_threads(quiet: &Quiet, reporters: &Reporters) {
    for it in quiet.id().take() {
        reporters.tell(&it.event());
    }
}
