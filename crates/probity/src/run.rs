//! The phases of a run: fixed inputs, stored failures, search; then shrink, explain, save and report.

mod apart;
#[cfg(all(feature = "concolic", target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]
mod concolic;
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

use std::collections::VecDeque;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use probity_core::{
    Case, Failure, Found, Misuse, Origin, OriginKind, Part, Progress, Replay, Source, Spaces, Tail, Tally,
    Test, Value, Verdict, explain, render_case, run_case, run_uncaught, shrink,
};

use crate::events::{Climbed, Event, Failed, Flaky, FoundBy, Shrinking};
use crate::isolate::{Isolated, Isolation};
use crate::nesting::Nesting;
use crate::report::Reporters;
use crate::settings::Settings;
use crate::store::{self, Entry, Loaded, Store};
use crate::watchdog::{Watchdog, Watched};
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
/// How long explaining may take.
const EXPLAIN_TIME: Duration = Duration::from_secs(5);
/// How often the test may be run to explain a failure.
const EXPLAIN_RUNS: u64 = 1000;

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
    };
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
}

impl Runner<'_> {
    fn watch(&self, watched: Watched) -> Watchdog {
        let Runner { name, settings, seed, reporters, store, progress, .. } = self;
        // A hang is a failure where cases are isolated, and told as one.
        let limit = settings.hang.filter(|_| self.isolated().is_none());
        Watchdog::start(name, *seed, limit, watched, progress, reporters, store.clone())
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
                let failed = self.failed(found_by, &case, failure.clone());
                let raises_itself = raises_itself(&failed);
                self.reporters.tell(&Event::Failed(Box::new(failed)));
                if raises_itself {
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
        let mut res = Vec::new();
        while let Some(found) = queue.pop_front() {
            let index = found.index;
            self.reporters.tell(&Event::Found { case: index, failure: found.failure.clone() });
            let (report, others) = self.shrink(found, by)?;
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

    /// Shrinks a found case. The second part is what was met of other origins.
    fn shrink(&mut self, found: Found, by: &By<'_>) -> Result<(Report, Vec<Case>), String> {
        let Found { index, failure, case } = found;
        let By { engine, is_least, tally } = *by;
        let same = |it: &Verdict| it.failure().is_some_and(|it| it.origin == failure.origin);
        let again = self.run_values(case.trace.values())?;
        let is_flaky = !same(&case.verdict) || !same(&again.verdict);
        let found_by = FoundBy::Search {
            engine,
            seed: self.seed,
            case: index,
            cases: tally.cases,
            rejected: tally.rejected(),
            size: (is_least && !is_flaky).then(|| case.trace.size()),
        };
        if is_flaky || is_least {
            // A flaky test may fail in another way for good.
            return Ok(((found_by, case, failure, None), vec![again]));
        }
        let start = Instant::now();
        let progress = Arc::clone(&self.progress);
        let go_on = &mut |values: &[Value]| {
            progress.begin_replay(Some(values.to_vec()));
            start.elapsed() < SHRINK_TIME
        };
        let shrunk = shrink(case, self.test, self.settings.max_shrink, go_on).map_err(misused)?;
        self.progress.begin_replay(None);
        let info = Shrinking { steps: shrunk.steps, runs: shrunk.evaluations, finished: shrunk.finished };
        Ok(((found_by, shrunk.case, failure, Some(info)), shrunk.others))
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
        let total = found.len();
        let mut last = None;
        for (number, (found_by, case, first, shrunk)) in found.into_iter().enumerate() {
            let values = case.trace.values();
            let shown = self.render(values.clone())?;
            let same = shown.verdict.failure().filter(|it| it.origin == first.origin).cloned();
            let flaky = same.is_none().then(|| Flaky { first: how(&first), again: told(&shown.verdict) });
            let failure = same.unwrap_or(first);
            let mut failed = self.failed(found_by, &shown, failure.clone());
            failed.number = (number + 1, total);
            failed.shrunk = shrunk;
            failed.climb = climb.clone();
            if flaky.is_none() && self.settings.explain {
                failed.explanation = self.explain(&case)?;
            }
            failed.flaky = flaky;
            self.save(&mut failed, &shown);
            self.reporters.tell(&Event::Failed(Box::new(failed.clone())));
            let is_better = |last: &(Failed, _)| last.0.flaky.is_some() && failed.flaky.is_none();
            if last.as_ref().is_none_or(is_better) {
                last = Some((failed, values));
            }
        }
        let Some((failed, values)) = last else { return Ok(()) };
        if failed.flaky.is_none() && raises_itself(&failed) {
            self.progress.begin_replay(Some(values.clone()));
            run_uncaught(&mut replay_of(values), self.test);
        }
        Err(match failed.flaky {
            Some(flaky) => {
                format!("flaky: it {}; then it {}", first_line(&flaky.first), flaky.again)
            }
            None => failed.failure.message,
        })
    }

    fn explain(&mut self, case: &Case) -> Result<Option<probity_core::Explanation>, String> {
        let start = Instant::now();
        let progress = Arc::clone(&self.progress);
        let values = case.trace.values();
        let go_on = &mut || {
            progress.begin_replay(Some(values.clone()));
            start.elapsed() < EXPLAIN_TIME
        };
        explain(case, self.test, self.seed, EXPLAIN_RUNS, go_on).map_err(misused)
    }

    fn failed(&self, found_by: FoundBy, case: &Case, failure: Failure) -> Failed {
        Failed {
            number: (1, 1),
            found_by,
            inputs: case.log.inputs.clone(),
            failure,
            broken: case.log.broken.clone(),
            notes: case.log.notes.clone(),
            explanation: None,
            flaky: None,
            shrunk: None,
            climb: None,
            saved: None,
            replay: String::new(),
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

/// Whether the test ends in a panic with the failure's message and at its place when nothing is caught.
fn raises_itself(failed: &Failed) -> bool {
    match failed.failure.origin.kind {
        // Outside of a search a broken check panics, so one that stands before the panic would hide it.
        OriginKind::Panic => failed.broken.is_empty(),
        OriginKind::Check => true,
        OriginKind::Error | OriginKind::Died => false,
    }
}

fn replay_of(values: Vec<Value>) -> Source {
    Source::new(Box::new(Replay::new(values, Tail::Simplest)))
}

fn nothing_drawn() -> Source {
    Source::new(Box::new(Replay::new(Vec::new(), Tail::Overrun)))
}

/// How a case that was to fail went instead.
pub(crate) fn told(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Pass => "passed with the same input".to_string(),
        Verdict::Reject(site) => format!("was rejected by `{}` with the same choices", site.what),
        Verdict::Overrun => "asked for too many choices".to_string(),
        Verdict::Fail(failure) => format!("failed differently: it {}", first_line(&how(failure))),
    }
}

/// How a case failed.
fn how(Failure { message, origin }: &Failure) -> String {
    match origin.kind {
        OriginKind::Panic | OriginKind::Check => format!("{origin}: {message}"),
        OriginKind::Error => format!("returned the error {message}"),
        OriginKind::Died => origin.to_string(),
    }
}

fn stale(same: bool, verdict: &Verdict) -> String {
    match verdict {
        _ if !same => "its choices now give other values than it was saved with".to_string(),
        Verdict::Reject(site) => format!("its input is now rejected by `{}` at {}", site.what, site.location),
        _ => "its input can no longer be drawn".to_string(),
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

fn fresh_seed() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// FNV-1a: a seed that is the same on every machine.
fn hash(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}
