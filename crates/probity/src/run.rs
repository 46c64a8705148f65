//! A run: what its stages share, how it begins, and how cases are run again.

pub(crate) mod blocks;
mod conclude;
mod deaths;
mod failures;
mod fatal;
mod portfolio;
mod reproduce;
mod stage;

pub(crate) use self::stage::pace::Deadline;
#[cfg(feature = "spec")]
pub(crate) use self::stage::prepared::Different;
pub(crate) use self::stage::replay::fitted_text;
#[cfg(feature = "spec")]
pub(crate) use self::stage::replay::reread_replay;

pub use self::portfolio::EngineKind;
pub(crate) use self::reproduce::describe_verdict;

use std::hash::{BuildHasher, Hasher, RandomState};
use std::rc::Rc;
use std::sync::Arc;

use probity_core::{
    Case, CasePart, Ended, Engine, Evidence, Failure, Found, Misuse, Part, Progress, Replay, Running,
    SearchResult, Seed, Source, Spaces, Tail, Tally, Test, Trajectory, Value, render_case, run_case,
};

use self::blocks::BlockCounter;
use self::fatal::{LastWords, tell_threads};
use self::portfolio::PortfolioState;
use crate::check::Literals;
use crate::events::Event;
use crate::find::Best;
use crate::isolate::{IsolatedTest, Isolation};
use crate::nesting::NestedRun;
use crate::panics;
use crate::panics::Quiet;
use crate::program::TestProgram;
use crate::report::Reporters;
use crate::settings::{Key, Origin, Settings};
use crate::store::Store;
use crate::watchdog::{Watchdog, Watched, engine_of};

/// A test ready to run.
pub(crate) struct TestPlan<'a> {
    pub(crate) name: String,
    pub(crate) settings: Settings,
    pub(crate) inputs: Option<fn(&mut Source)>,
    pub(crate) literals: Option<Literals>,
    pub(crate) space: Option<fn(&mut Spaces) -> Part>,
    pub(crate) examples: Vec<Example<'a>>,
    /// The program that runs the test, where that is not Rust's harness.
    pub(crate) program: Option<TestProgram>,
    /// Whether a failure is what is wanted, and not worth keeping.
    pub(crate) should_panic: bool,
    /// The score that is good enough.
    pub(crate) goal: Option<f64>,
    /// The engine that the test brings.
    pub(crate) own: Option<OwnEngine<'a>>,
    /// What makes two inputs different, where they are prepared.
    #[cfg(feature = "spec")]
    pub(crate) different: Option<Different<'a>>,
}

/// A fixed input: how it is shown, and the call with it.
pub(crate) type Example<'a> = (&'static str, Box<dyn FnMut() + 'a>);
/// A search, of a test that is told where it is. Boxed, because anyone who runs one is compiled once that way.
type Search<'s> = Box<dyn FnOnce(&mut dyn Test, Arc<Progress>) -> Result<SearchResult, Misuse> + 's>;
/// An engine that a test brings: its name, and what makes it of a seed.
pub(crate) type OwnEngine<'a> = (&'static str, Box<dyn FnMut(u64) -> Box<dyn Engine> + 'a>);

/// Runs the test. `Err` is the message of the final panic where the user's own cannot be raised again.
pub(crate) fn run(plan: TestPlan<'_>, test: &mut dyn Test) -> Result<(), String> {
    begin(plan, test, portfolio::run)
}

/// Searches for the answers with the best score. Nothing is stored; the test fails as [`run`] does.
pub(crate) fn find(mut plan: TestPlan<'_>, test: &mut dyn Test) -> Result<Best<Vec<Value>>, String> {
    // The best of a part is not the best.
    (plan.settings.store, plan.settings.shard) = (None, None);
    begin(plan, test, portfolio::find)
}

/// Prepares a run, and then does what `rest` says.
fn begin<T>(
    mut plan: TestPlan<'_>,
    test: &mut dyn Test,
    rest: impl FnOnce(&mut Runner<'_>) -> Result<T, String>,
) -> Result<T, String> {
    if cfg!(panic = "abort") {
        return Err("this build aborts on panic, so a failing case would end the whole run; \
                    build tests with `panic = \"unwind\"`"
            .to_string());
    }
    panics::install();
    let engine = match &plan.own {
        // Who is nearer to the keyboard wins.
        Some((name, _)) if !matches!(plan.settings.origin(Key::Engine), Origin::Env { .. }) => {
            EngineKind::Own(name)
        }
        _ => plan.settings.engine,
    };
    let nesting = NestedRun::enter();
    let inner = nesting.is_inner();
    // A run inside of a case is a part of that case, and a failure that is wanted may be in any part.
    let part = case_part(engine, &plan.settings).filter(|_| !inner && !plan.should_panic);
    if let Some(part) = part.filter(|_| !is_endless(engine, &plan.settings)) {
        plan.settings.cases = part.cases(plan.settings.cases);
    }
    let (name, settings) = (&plan.name, &plan.settings);
    // All parts of a run have the same cases.
    let fixed_seed = settings.ci || inner || part.is_some();
    let seed = settings.seed.unwrap_or_else(|| if fixed_seed { hash(name) } else { fresh_seed() });
    let seed = Seed { word: seed, swarm: settings.swarm, part };
    let reporters = Reporters::new(name, settings, plan.program.clone());
    let is_stored = !inner && !plan.should_panic;
    let store = settings.store.clone().filter(|_| is_stored).map(|dir| Store::new(dir, name));
    // A run inside of a case is a part of that case, wherever it runs.
    let is_isolated = settings.isolate && !inner;
    let isolation = match Isolation::new(settings.hang, is_isolated) {
        Err(err) if is_isolated => return Err(err),
        isolation => isolation.ok().filter(|_| !inner),
    };
    // What the code under test prints in a thousand cases is nothing to read.
    isolation.iter().for_each(|it| it.silence(plan.program.is_some() && !settings.verbose));
    let progress = match &isolation {
        Some(isolation) if is_isolated => isolation.progress(),
        _ => Arc::<Progress>::default(),
    };
    let mut runner = Runner {
        name,
        settings,
        engine,
        seed,
        inner,
        should_panic: plan.should_panic,
        goal: plan.goal,
        inputs: plan.inputs,
        literals: plan.literals,
        space: plan.space,
        examples: plan.examples,
        own: plan.own,
        #[cfg(feature = "spec")]
        different: plan.different,
        reporters,
        store,
        progress,
        isolation,
        test,
        quiet: (!inner).then(|| Rc::new(Quiet::new())),
        state: PortfolioState::new(engine),
    };
    let _last_words = (!inner).then(|| LastWords::new(&runner));
    runner.reporters.tell(&Event::Started { seed: seed.word, engine, cases: settings.cases });
    rest(&mut runner)
}

/// What all stages share.
struct Runner<'a> {
    name: &'a str,
    settings: &'a Settings,
    /// The engine that is asked for.
    engine: EngineKind,
    seed: Seed,
    /// Whether this run is a part of another test's case.
    inner: bool,
    /// Whether a failure is what is wanted.
    should_panic: bool,
    /// The score that is good enough.
    goal: Option<f64>,
    /// What draws the inputs and nothing else, where that is known.
    inputs: Option<fn(&mut Source)>,
    /// What draws them and writes them as Rust.
    literals: Option<Literals>,
    /// What describes the inputs, where that is known.
    space: Option<fn(&mut Spaces) -> Part>,
    /// Fixed inputs that have not run yet.
    examples: Vec<Example<'a>>,
    own: Option<OwnEngine<'a>>,
    #[cfg(feature = "spec")]
    different: Option<Different<'a>>,
    reporters: Reporters,
    store: Option<Store>,
    progress: Arc<Progress>,
    /// What lets cases run in processes of their own, where that is possible.
    isolation: Option<Rc<Isolation>>,
    test: &'a mut dyn Test,
    /// Keeps panics of other threads back.
    quiet: Option<Rc<Quiet>>,
    /// What the stages have come to.
    state: PortfolioState,
}

impl Runner<'_> {
    fn watch(&self, watched: Watched) -> Watchdog {
        let Runner { name, settings, seed, reporters, store, progress, .. } = self;
        let elsewhere = self.isolation.as_ref().map(|it| it.elsewhere());
        let run = self.quiet.as_ref().map(|it| it.id());
        let deadline = Deadline::new(settings.time);
        let (watch, tell) = ((progress, deadline, elsewhere), (reporters, run));
        Watchdog::start(name, *seed, settings.hang, watched, watch, tell, store.clone())
    }

    /// Set where cases run in processes of their own.
    fn isolated(&self) -> Option<Rc<Isolation>> {
        self.isolation.clone().filter(|it| it.is_on())
    }

    /// The test, to run recorded cases: each in a process of its own, where cases are isolated.
    fn with_test<T>(&mut self, work: impl FnOnce(&mut dyn Test) -> T) -> T {
        match self.isolated() {
            Some(it) => work(&mut IsolatedTest::new(self.test, it)),
            None => work(self.test),
        }
    }

    /// Runs a search: here, or in a child, whose death is a failure of the case that it was at.
    pub(super) fn search(&mut self, search: Search<'_>) -> Result<SearchResult, String> {
        let progress = Arc::clone(&self.progress);
        let Some(isolation) = self.isolated() else {
            return search(self.test, progress).map_err(misuse_message);
        };
        let test = &mut *self.test;
        let (quiet, reporters) = (self.quiet.clone(), self.reporters.clone());
        let counter = blocks::are_counted().then(BlockCounter::new).flatten();
        let search = || {
            counter.iter().for_each(BlockCounter::arm);
            let result = search(test, Arc::clone(&progress))?;
            // What fails is run here again, and shows what its threads panic with.
            if result.failures.is_empty() {
                quiet.iter().for_each(|it| tell_threads(it, &reporters));
            }
            Ok(result)
        };
        let result = isolation.search(search, &progress, Deadline::new(self.settings.time));
        counter.iter().for_each(|it| self.tell_blocks(it));
        let mut result = match result {
            Ok(result) => result.map_err(misuse_message)?,
            Err(failure) => return self.search_died(failure, &progress),
        };
        for found in &mut result.failures {
            found.case = self.run_values(found.case.trace.values())?;
        }
        Ok(result)
    }

    /// The result of a search that ended with its process.
    fn search_died(&mut self, failure: Failure, progress: &Progress) -> Result<SearchResult, String> {
        let (index, running) = (progress.case(), progress.running().1);
        // How it climbed died with it; that it did is seen from how the case is told.
        let climb = matches!(running, Running::Replay(_)).then(Trajectory::default);
        let mut source = Source::new(engine_of(running, self.seed));
        let case = self.with_test(|test| run_case(&mut source, test)).map_err(misuse_message)?;
        let tally = Tally { cases: index + 1, ..Tally::default() };
        let failures = vec![Found { index, failure, case }];
        let evidence = Evidence { climb, ..Evidence::default() };
        Ok(SearchResult { failures, ended: Ended::Budget, tally, evidence })
    }

    /// Runs the test with these answers, the simplest behind them.
    fn run_values(&mut self, values: Vec<Value>) -> Result<Case, String> {
        self.progress.begin_replay(Some(values.clone()));
        let case = self.with_test(|test| run_case(&mut replay_of(values), test)).map_err(misuse_message);
        self.progress.begin_replay(None);
        case
    }

    /// As [`run_values`](Self::run_values), and keeps the rendered inputs and the notes.
    fn render(&mut self, values: Vec<Value>) -> Result<Case, String> {
        self.progress.begin_replay(Some(values.clone()));
        let case = self.with_test(|test| render_case(&mut replay_of(values), test)).map_err(misuse_message);
        self.progress.begin_replay(None);
        case
    }
}

/// Which of the random cases are run, where `shard` asks for a part of them. The exhaustive engine shares inputs instead.
fn case_part(engine: EngineKind, settings: &Settings) -> Option<CasePart> {
    let (part, of) = settings.shard?;
    (engine != EngineKind::Exhaustive).then(|| CasePart::new(part - 1, of, settings.cases))
}

/// Whether this engine goes on for as long as it may where nobody has said how many cases are wanted.
fn is_endless(engine: EngineKind, settings: &Settings) -> bool {
    matches!(engine, EngineKind::Concolic | EngineKind::Coverage) && settings.is_default(Key::Cases)
}

fn misuse_message(misuse: Misuse) -> String {
    misuse.message
}

fn replay_of(values: Vec<Value>) -> Source {
    Source::new(Box::new(Replay::new(values, Tail::Simplest)))
}

fn nothing_drawn() -> Source {
    Source::new(Box::new(Replay::new(Vec::new(), Tail::Overrun)))
}

fn fresh_seed() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// FNV-1a: a seed that is the same on every machine.
fn hash(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}
