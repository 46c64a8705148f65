//! The phases of a run: fixed inputs, stored failures, search; then shrink, explain, save and report.

mod again;
mod apart;
#[cfg(all(feature = "concolic", target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]
mod concolic;
mod fatal;
#[cfg(not(all(feature = "concolic", target_arch = "x86_64", target_os = "linux", target_env = "gnu")))]
mod no_concolic;
mod pace;
#[cfg(feature = "spec")]
mod prepared;
mod replay;
mod search;

#[cfg(feature = "spec")]
pub(crate) use prepared::Different;
pub(crate) use replay::fitted_text;
#[cfg(feature = "spec")]
pub(crate) use replay::reread_replay;

pub(crate) use again::told;
use again::{Again, CHOICES_EXPLAINED, Shrunken, TEXT_EXPLAINED, first_line, how, otherwise, raises_itself};
use fatal::{Told, tell_threads};

use std::collections::VecDeque;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use probity_core::{
    Case, Failure, Found, Misuse, Origin, Part, Progress, Replay, Source, Spaces, Tail, Tally, Test, Value,
    Verdict, explain, render_case, run_case, run_uncaught, shrink,
};

use crate::events::{Climbed, Event, Failed, Flaky, FoundBy, Shrinking};
use crate::isolate::{Isolated, Isolation, fails_anew, is_hang};
use crate::nesting::Nesting;
use crate::panics::Quiet;
use crate::report::Reporters;
use crate::settings::Settings;
use crate::store::{self, Entry, Loaded, Store};
use crate::watchdog::{HANG, Watchdog, Watched};
use crate::{panics, report};

/// A test ready to run.
pub(crate) struct Plan<'a> {
    pub(crate) name: String,
    pub(crate) settings: Settings,
    pub(crate) inputs: Option<fn(&mut Source)>,
    pub(crate) space: Option<fn(&mut Spaces) -> Part>,
    pub(crate) examples: Vec<Example<'a>>,
    /// Whether a failure is what is wanted, and not worth keeping.
    pub(crate) should_panic: bool,
    /// The score that is good enough.
    pub(crate) goal: Option<f64>,
    /// What makes two inputs different, where they are prepared.
    #[cfg(feature = "spec")]
    pub(crate) different: Option<Different<'a>>,
}

/// A fixed input: how it is shown, and the call with it.
pub(crate) type Example<'a> = (&'static str, Box<dyn FnMut() + 'a>);

/// How failures were found.
struct By<'a> {
    engine: &'static str,
    /// Whether no other input that fails in the same way is smaller, so that there is nothing to shrink.
    is_least: bool,
    tally: &'a Tally,
}

/// The best that was found.
pub(crate) struct Summit {
    pub(crate) values: Vec<Value>,
    /// At least one.
    pub(crate) scores: Vec<(&'static str, f64)>,
    pub(crate) cases: u64,
}

/// How many failures of different origins are shrunk and reported.
const ORIGINS_MAX: usize = 5;
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

/// Runs the test. `Err` is the message of the final panic where the user's own cannot be raised again.
pub(crate) fn run(plan: Plan<'_>, test: &mut dyn Test) -> Result<(), String> {
    #[cfg(feature = "spec")]
    let (different, plan) = (plan.different, Plan { different: None, ..plan });
    begin(plan, test, |runner| {
        if runner.replay()? {
            return Ok(());
        }
        let _watchdog = runner.watch(Watched::Cases(runner.inputs));
        runner.stored()?;
        // An engine that is asked for by name draws the blanks by itself.
        #[cfg(feature = "spec")]
        if let Some(different) = &different
            && runner.settings.engine == "auto"
        {
            return runner.search_prepared(different);
        }
        runner.search()
    })
}

/// Searches for the input with the best score. Nothing is stored; the test fails as [`run`] does.
pub(crate) fn find(mut plan: Plan<'_>, test: &mut dyn Test) -> Result<Summit, String> {
    plan.settings.store = None;
    begin(plan, test, |runner| {
        runner.replay()?;
        let _watchdog = runner.watch(Watched::Cases(runner.inputs));
        runner.find()
    })
}

/// Prepares a run, runs the fixed inputs, and then what `rest` says.
fn begin<T>(
    plan: Plan<'_>,
    test: &mut dyn Test,
    rest: impl FnOnce(&mut Runner<'_>) -> Result<T, String>,
) -> Result<T, String> {
    if cfg!(panic = "abort") {
        return Err("this build aborts on panic, so a failing case would end the whole run; \
                    build tests with `panic = \"unwind\"`"
            .to_string());
    }
    panics::install();
    let Plan { name, settings, inputs, space, examples, should_panic, goal, .. } = plan;
    let nesting = Nesting::enter();
    let inner = nesting.is_inner();
    let fixed_seed = settings.ci || inner;
    let seed = settings.seed.unwrap_or_else(|| if fixed_seed { hash(&name) } else { fresh_seed() });
    let reporters = Reporters::new(&name, &settings);
    let store = settings.store.clone().filter(|_| !inner && !should_panic).map(|dir| Store::new(dir, &name));
    // A run inside of a case is a part of that case, wherever it runs.
    let is_isolated = settings.isolate && !inner;
    let isolation = match Isolation::new(settings.hang, is_isolated) {
        Err(err) if is_isolated => return Err(err),
        isolation => isolation.ok().filter(|_| !inner),
    };
    let progress = match &isolation {
        Some(isolation) if is_isolated => isolation.progress(),
        _ => Arc::<Progress>::default(),
    };
    let mut isolated;
    let test = match &isolation {
        Some(isolation) => {
            isolated = Isolated::new(test, Rc::clone(isolation));
            &mut isolated
        }
        None => test,
    };
    let mut runner = Runner {
        name: &name,
        settings: &settings,
        seed,
        inner,
        should_panic,
        goal,
        inputs,
        space,
        reporters,
        store,
        progress,
        isolation,
        test,
        quiet: (!inner).then(|| Rc::new(Quiet::new())),
    };
    let _told = (!inner).then(|| Told::new(&runner));
    runner.reporters.tell(&Event::Started { seed, engine: settings.engine, cases: settings.cases });
    for example in examples {
        let _watchdog = runner.watch(Watched::Example(example.0));
        runner.example(example)?;
    }
    rest(&mut runner)
}

/// What all phases share.
struct Runner<'a> {
    name: &'a str,
    settings: &'a Settings,
    seed: u64,
    /// Whether this run is a part of another test's case.
    inner: bool,
    /// Whether a failure is what is wanted.
    should_panic: bool,
    /// The score that is good enough.
    goal: Option<f64>,
    /// What draws the inputs and nothing else, where that is known.
    inputs: Option<fn(&mut Source)>,
    /// What describes the inputs, where that is known.
    space: Option<fn(&mut Spaces) -> Part>,
    reporters: Reporters,
    store: Option<Store>,
    progress: Arc<Progress>,
    /// What lets cases run in processes of their own, where that is possible.
    isolation: Option<Rc<Isolation>>,
    test: &'a mut dyn Test,
    /// Keeps panics of other threads back.
    quiet: Option<Rc<Quiet>>,
}

impl Runner<'_> {
    fn watch(&self, watched: Watched) -> Watchdog {
        let Runner { name, settings, seed, reporters, store, progress, .. } = self;
        // A hang is a failure where cases are isolated, and told as one.
        let limit = settings.hang.filter(|_| self.isolated().is_none());
        let run = self.quiet.as_ref().map(|it| it.id());
        Watchdog::start(name, *seed, limit, watched, progress, (reporters, run), store.clone())
    }

    /// Set where cases run in processes of their own.
    fn isolated(&self) -> Option<Rc<Isolation>> {
        self.isolation.clone().filter(|it| it.is_on())
    }

    /// Runs one fixed input.
    fn example(&mut self, (text, mut run): Example<'_>) -> Result<(), String> {
        let mut test = |_: &mut Source| run();
        let case = match self.isolated() {
            Some(it) => render_case(&mut nothing_drawn(), &mut Isolated::new(&mut test, it)),
            None => render_case(&mut nothing_drawn(), &mut test),
        };
        let case = case.map_err(misused)?;
        match case.verdict.clone() {
            Verdict::Pass => Ok(()),
            Verdict::Reject(site) => Err(format!(
                "the example `{text}` does not meet `{}` at {}; correct the example or remove it",
                site.what, site.location
            )),
            Verdict::Overrun => Err(format!("the example `{text}` draws choices; give fixed values")),
            Verdict::Fail(failure) => {
                let found_by = FoundBy::Example(text.to_string());
                let mut failed = self.failed(found_by, &case, failure.clone());
                if raises_itself(&failed) {
                    let again = run_case(&mut nothing_drawn(), &mut test).map_err(misused)?;
                    failed.again = otherwise(&failure, &again.verdict).map(told);
                }
                let raises_itself = raises_itself(&failed);
                self.reporters.tell(&Event::Failed(Box::new(failed)));
                if raises_itself {
                    let _showing = self.quiet.as_ref().map(|it| it.show());
                    run_uncaught(&mut nothing_drawn(), &mut test);
                }
                Err(failure.message)
            }
        }
    }

    /// Runs every stored failure.
    fn stored(&mut self) -> Result<(), String> {
        let Some(store) = self.store.clone() else { return Ok(()) };
        let mut failing = Vec::new();
        for loaded in store.load() {
            match loaded {
                Loaded::Damaged { path, reason } if store::may_be_good(&path) => self.unusable(path, reason),
                Loaded::Damaged { path, reason } => self.set_aside(&store, path, reason),
                Loaded::Entry { path, entry } => {
                    let case = self.render(entry.choices.clone())?;
                    let now = Entry::new(self.name, &case.log.inputs, String::new(), Vec::new());
                    let same = now.shows_same(&entry);
                    match case.verdict.clone() {
                        Verdict::Fail(failure) => failing.push((FoundBy::Stored(path), case, failure, None)),
                        Verdict::Pass if same => {}
                        _ => self.set_aside(&store, path, stale(same, &case.verdict)),
                    }
                }
            }
        }
        if failing.is_empty() { Ok(()) } else { self.report_all(failing, None) }
    }

    /// Keeps a file that is of no use out of the way of later runs.
    fn set_aside(&mut self, store: &Store, path: PathBuf, reason: String) {
        match store.set_aside(&path) {
            Ok(aside) => self.unusable(aside, format!("{reason}; it was put aside under this name")),
            Err(err) => self.unusable(path, format!("{reason}; it could not be put aside: {err}")),
        }
    }

    fn unusable(&mut self, path: PathBuf, reason: String) {
        self.reporters.tell(&Event::Unusable { path, reason });
    }

    /// Shrinks every failure, and those of other origins that shrinking meets.
    fn shrink_all(&mut self, found: Vec<Found>, by: &By<'_>) -> Result<Vec<Report>, String> {
        let mut origins: Vec<Origin> = found.iter().map(|it| it.failure.origin.clone()).collect();
        let mut queue = VecDeque::from(found);
        let mut res: Vec<Report> = Vec::new();
        let mut effects = Vec::new();
        while let Some(found) = queue.pop_front() {
            if effects.contains(&found.failure.origin) {
                continue;
            }
            let index = found.index;
            self.reporters.tell(&Event::Found { case: index, failure: found.failure.clone() });
            let Shrunken { report, again, others } = self.shrink(found, by)?;
            match again {
                Again::Same => {}
                // A case before it in its process made it fail, which has failed itself; alone it does not.
                _ if self.isolated().is_some() && !res.is_empty() => continue,
                Again::Otherwise(origin) => effects.push(origin),
                Again::Not => {}
            }
            res.push(report);
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

    /// Shrinks a found case.
    fn shrink(&mut self, found: Found, by: &By<'_>) -> Result<Shrunken, String> {
        let Found { index, failure, case } = found;
        let By { engine, is_least, tally } = *by;
        // Whoever waited for one hanging case need not wait as long for each that is like it.
        let hangs = self.isolated().filter(|_| is_hang(&failure));
        hangs.iter().for_each(|it| it.hurry(true));
        let rerun = self.run_values(case.trace.values())?;
        let again = match Again::new(&failure, &case.verdict) {
            Again::Same => Again::new(&failure, &rerun.verdict),
            differs => differs,
        };
        let is_same = again == Again::Same;
        let found_by = FoundBy::Search {
            engine,
            seed: self.seed,
            case: index,
            cases: tally.cases,
            rejected: tally.rejected(),
            size: (is_least && is_same).then(|| case.trace.size()),
        };
        if !is_same || is_least {
            return Ok(Shrunken { report: (found_by, case, failure, None), again, others: Vec::new() });
        }
        let start = Instant::now();
        let progress = Arc::clone(&self.progress);
        let go_on = &mut |values: &[Value]| {
            progress.begin_replay(Some(values.to_vec()));
            start.elapsed() < SHRINK_TIME
        };
        let shrunk = shrink(case.clone(), self.test, self.settings.max_shrink, go_on).map_err(misused)?;
        self.progress.begin_replay(None);
        if let Some(isolation) = hangs {
            // In a hurry, a slow case may have been taken for one that hangs.
            isolation.hurry(false);
            let whole = self.run_values(shrunk.case.trace.values())?;
            isolation.hurry(true);
            if Again::new(&failure, &whole.verdict) != Again::Same {
                let report = (found_by, case, failure, None);
                return Ok(Shrunken { report, again, others: shrunk.others });
            }
        }
        let info = Shrinking { steps: shrunk.steps, runs: shrunk.evaluations, finished: shrunk.finished };
        Ok(Shrunken { report: (found_by, shrunk.case, failure, Some(info)), again, others: shrunk.others })
    }

    /// Runs the test with these answers, the simplest behind them.
    fn run_values(&mut self, values: Vec<Value>) -> Result<Case, String> {
        self.progress.begin_replay(Some(values.clone()));
        let case = run_case(&mut replay_of(values), self.test).map_err(misused);
        self.progress.begin_replay(None);
        case
    }

    /// As [`run_values`](Self::run_values), and keeps the rendered inputs and the notes.
    fn render(&mut self, values: Vec<Value>) -> Result<Case, String> {
        self.progress.begin_replay(Some(values.clone()));
        let case = render_case(&mut replay_of(values), self.test).map_err(misused);
        self.progress.begin_replay(None);
        case
    }

    /// Reports every failure and ends the test with the first that is not flaky. `climb` is how the search
    /// went that found them, where it climbed.
    fn report_all(&mut self, found: Vec<Report>, climb: Option<Box<Climbed>>) -> Result<(), String> {
        let mut shown = Vec::new();
        let mut effects = Vec::new();
        for report in found {
            let (_, case, first, _) = &report;
            if effects.contains(&first.origin) {
                continue;
            }
            let again = self.render(case.trace.values())?;
            effects.extend(
                otherwise(first, &again.verdict).and(again.verdict.failure()).map(|it| it.origin.clone()),
            );
            shown.push((report, again));
        }
        let total = shown.len();
        let mut last = None;
        for (number, ((found_by, case, first, shrunk), again)) in shown.into_iter().enumerate() {
            let values = case.trace.values();
            let mut is_same = Again::new(&first, &again.verdict) == Again::Same;
            let otherwise = otherwise(&first, &again.verdict).map(told);
            let is_flaky = !is_same && otherwise.is_none();
            let mut flaky = is_flaky.then(|| Flaky { first: how(&first), again: told(&again.verdict) });
            let failure = again.verdict.failure().filter(|_| is_same).cloned().unwrap_or(first);
            if is_same && self.fails_only_in_copies(&found_by, &failure, &values) {
                is_same = false;
                flaky = Some(Flaky { first: how(&failure), again: ONLY_IN_COPIES.to_string() });
            }
            let is_flaky = flaky.is_some();
            // What fails otherwise may have come less far.
            let is_rendered = otherwise.is_some() && !case.log.inputs.is_empty();
            let rendered = if is_rendered { &case } else { &again };
            let mut failed = self.failed(found_by, rendered, failure.clone());
            failed.number = (number + 1, total);
            failed.shrunk = shrunk;
            failed.climb = climb.clone();
            let is_whole = failed.inputs.iter().all(|it| it.text.len() < TEXT_EXPLAINED)
                && values.len() <= CHOICES_EXPLAINED;
            if is_same && self.settings.explain && is_whole {
                failed.explanation = self.explain(&case)?;
            }
            failed.flaky = flaky;
            failed.again = otherwise;
            self.save(&mut failed, if is_same || is_flaky { &again } else { &case });
            self.reporters.tell(&Event::Failed(Box::new(failed.clone())));
            let is_better = |last: &(Failed, _)| last.0.flaky.is_some() && failed.flaky.is_none();
            if last.as_ref().is_none_or(is_better) {
                last = Some((failed, values));
            }
        }
        let Some((failed, values)) = last else { return Ok(()) };
        if raises_itself(&failed) {
            self.progress.begin_replay(Some(values.clone()));
            let _showing = self.quiet.as_ref().map(|it| it.show());
            run_uncaught(&mut replay_of(values), self.test);
        }
        Err(match failed.flaky {
            Some(flaky) => {
                format!("flaky: it {}; then it {}", first_line(&flaky.first), flaky.again)
            }
            None => failed.failure.message,
        })
    }

    /// Whether these answers, which fail in copies of this process, do not fail in a process that is started anew.
    fn fails_only_in_copies(&self, found_by: &FoundBy, failure: &Failure, values: &[Value]) -> bool {
        let is_copied =
            self.isolated().is_some() && !matches!(found_by, FoundBy::Replay) && !is_hang(failure);
        let limit = self.settings.hang.unwrap_or(HANG);
        is_copied && fails_anew(self.reporters.harness(), &report::choices_text(values), limit) == Some(false)
    }

    fn explain(&mut self, case: &Case) -> Result<Option<probity_core::Explanation>, String> {
        let start = Instant::now();
        let progress = Arc::clone(&self.progress);
        let values = case.trace.values();
        let mut runs = 0;
        let go_on = &mut || {
            progress.begin_replay(Some(values.clone()));
            runs += 1;
            start.elapsed() < if runs < EXPLAIN_MANY { EXPLAIN_TIME.0 } else { EXPLAIN_TIME.1 }
        };
        explain(case, self.test, self.seed, EXPLAIN_RUNS, go_on).map_err(misused)
    }

    fn failed(&self, found_by: FoundBy, case: &Case, failure: Failure) -> Failed {
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
        let (Some(store), FoundBy::Search { .. }) = (&self.store, &failed.found_by) else { return };
        let entry = Entry::new(self.name, &failed.inputs, how(&failed.failure), choices);
        let saved = store.save(&entry).map_err(|err| err.to_string());
        if let Ok(path) = &saved {
            failed.replay = self.reporters.replay_command(&report::shown(path));
        }
        failed.saved = Some(saved);
    }
}

/// A failure on its way to the report: where it was found, the case to show, what went wrong at first.
type Report = (FoundBy, Case, Failure, Option<Shrinking>);

fn misused(misuse: Misuse) -> String {
    misuse.message
}

fn replay_of(values: Vec<Value>) -> Source {
    Source::new(Box::new(Replay::new(values, Tail::Simplest)))
}

fn nothing_drawn() -> Source {
    Source::new(Box::new(Replay::new(Vec::new(), Tail::Overrun)))
}

fn stale(same: bool, verdict: &Verdict) -> String {
    match verdict {
        _ if !same => "its choices now give other values than it was saved with".to_string(),
        Verdict::Reject(site) => format!("its input is now rejected by `{}` at {}", site.what, site.location),
        _ => "its input can no longer be drawn".to_string(),
    }
}

fn fresh_seed() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// FNV-1a: a seed that is the same on every machine.
fn hash(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}
