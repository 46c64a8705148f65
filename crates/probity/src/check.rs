//! A test with its settings: what `#[probity::test]` writes down, and what can be written by hand.

use std::cell::Cell;
use std::fmt::Debug;
use std::path::PathBuf;
use std::time::Duration;

use probity_core::{Engine, Part, Source, Spaces, fail_with_error};

use crate::program::TestProgram;
use crate::report;
use crate::run::{self, Example, OwnEngine, TestPlan};
use crate::settings::{Key, Settings, SettingsError};

/// Checks that a test passes for all inputs. Panics when it finds one for which it does not.
///
/// ```
/// use probity::prelude::*;
/// probity::check(|src: &mut Source| {
///     let (a, b): (u32, u32) = src.any();
///     assert_eq!(a.max(b), b.max(a));
/// });
/// ```
#[track_caller]
pub fn check<R: Outcome>(test: impl FnMut(&mut Source) -> R) {
    Check::new(&name_of(std::panic::Location::caller())).run(test);
}

/// A name for a test that has none: what the harness calls it, and a number from the second on, so that
/// the checks of one `#[test]` do not take each other's stored failures for their own.
pub(crate) fn name_of(caller: &std::panic::Location<'_>) -> String {
    thread_local! {
        static CHECKS: Cell<u32> = const { Cell::new(0) };
    }
    let Some(name) = report::harness_name() else {
        return format!("{}:{}", caller.file(), caller.line());
    };
    let name = format!("{}::{name}", std::env::var("CARGO_PKG_NAME").unwrap_or_default().replace('-', "_"));
    // Inside of a case there is no store, and the name must not differ from case to case.
    let number = if crate::nesting::is_running() { 0 } else { CHECKS.replace(CHECKS.get() + 1) };
    if number == 0 { name } else { format!("{name}::{}", number + 1) }
}

/// Draws inputs and writes them as Rust; see [`Check::literals`].
///
/// ```
/// let write: probity::Literals = |src| vec![("n", "u8", src.any::<u8>().to_string())];
/// # let _ = write;
/// ```
pub type Literals = fn(&mut Source) -> Vec<(&'static str, &'static str, String)>;

/// A test with its settings.
///
/// ```
/// use probity::prelude::*;
/// probity::Check::new("addition").cases(200).time("2s").run(|src: &mut Source| {
///     let (a, b): (u32, u32) = src.any();
///     assert_eq!(a.wrapping_add(b), b.wrapping_add(a));
/// });
/// ```
pub struct Check<'a> {
    name: String,
    package: Option<PathBuf>,
    settings: Vec<(Key, String)>,
    inputs: Option<fn(&mut Source)>,
    literals: Option<Literals>,
    space: Option<fn(&mut Spaces) -> Part>,
    examples: Vec<Example<'a>>,
    should_panic: bool,
    program: Option<TestProgram>,
    pub(crate) goal: Option<f64>,
    own: Option<OwnEngine<'a>>,
    #[cfg(feature = "spec")]
    different: Option<run::Different<'a>>,
}

impl<'a> Check<'a> {
    /// A test under a name, which says where its failures are stored.
    pub fn new(name: &str) -> Self {
        Check {
            name: name.to_string(),
            package: None,
            settings: Vec::new(),
            inputs: None,
            literals: None,
            space: None,
            examples: Vec::new(),
            should_panic: false,
            program: None,
            goal: None,
            own: None,
            #[cfg(feature = "spec")]
            different: None,
        }
    }

    /// The folder of the package's `Cargo.toml`, where settings and stored failures are. Without it, what
    /// `cargo` says at run time, and else the current folder.
    ///
    /// ```
    /// # use probity::prelude::*;
    /// let check = probity::Check::new("doc").manifest_dir(env!("CARGO_MANIFEST_DIR"));
    /// check.run(|src: &mut Source| assert!(src.draw(1..=6) <= 6));
    /// ```
    pub fn manifest_dir(mut self, dir: &str) -> Self {
        self.package = Some(PathBuf::from(dir));
        self
    }

    fn set(mut self, key: Key, value: impl SettingText) -> Self {
        self.settings.push((key, value.text()));
        self
    }

    /// How many cases to run.
    ///
    /// ```
    /// # use probity::prelude::*;
    /// let check = probity::Check::new("doc").cases(20);
    /// check.run(|src: &mut Source| assert!(src.draw(1..=6) <= 6));
    /// ```
    pub fn cases(self, cases: u64) -> Self {
        self.set(Key::Cases, cases)
    }

    /// How long the search lasts at most, such as `"500ms"` or a `Duration`.
    ///
    /// ```
    /// # use probity::prelude::*;
    /// let check = probity::Check::new("doc").time(std::time::Duration::from_millis(500));
    /// check.run(|src: &mut Source| assert!(src.draw(1..=6) <= 6));
    /// ```
    pub fn time(self, time: impl SettingText) -> Self {
        self.set(Key::Time, time)
    }

    /// What all random answers follow from.
    ///
    /// ```
    /// # use probity::prelude::*;
    /// let inputs = || {
    ///     let mut seen = Vec::new();
    ///     probity::Check::new("doc").seed(7).cases(20).run(|src: &mut Source| seen.push(src.any::<u8>()));
    ///     seen
    /// };
    /// assert_eq!(inputs(), inputs());
    /// ```
    pub fn seed(self, seed: u64) -> Self {
        self.set(Key::Seed, seed)
    }

    /// Which engine answers: one of [`EngineKind::NAMED`](crate::EngineKind::NAMED).
    ///
    /// Side effects of the test happen once for each case. Under `concolic` they happen again with every run of the engine,
    /// some thousands in ten seconds, and once or twice more for each failure; in a default run, its copies are sealed.
    ///
    /// ```
    /// # use probity::prelude::*;
    /// let mut seen = Vec::new();
    /// let check = probity::Check::new("doc").engine("exhaustive");
    /// check.run(|src: &mut Source| seen.push(src.any::<Option<bool>>()));
    /// assert_eq!(seen, [None, Some(false), Some(true)]);
    /// ```
    pub fn engine(self, engine: &str) -> Self {
        self.set(Key::Engine, engine)
    }

    /// What random cases leave out of the arms of `one_of!` and `steps!` and of the variants of derived enums: by
    /// default, half of them leave out each with a chance of one half. `"exhaustive"` goes through the subsets.
    ///
    /// ```
    /// # use probity::prelude::*;
    /// let check = probity::Check::new("doc").swarm(false);
    /// check.run(|src: &mut Source| steps!(src, ..9, { push => _ = src.any::<u8>(), pop => () }));
    /// ```
    pub fn swarm(self, swarm: impl SettingText) -> Self {
        self.set(Key::Swarm, swarm)
    }

    /// How the temperature of the targeted engine falls: `"spread"`, `"linear"`, `"geometric"` or
    /// `"hill-climbing"`; `"linear 10"` and `"geometric 10"` begin at temperature 10.
    ///
    /// ```
    /// # use probity::prelude::*;
    /// let check = probity::Check::new("doc").schedule("linear 10").cases(200);
    /// check.run(|src: &mut Source| maximize("sum", f64::from(src.draw(0..1000) + src.draw(0..1000))));
    /// ```
    pub fn schedule(self, schedule: &str) -> Self {
        self.set(Key::Schedule, schedule)
    }

    /// The greatest size of an input that the exhaustive engine visits.
    ///
    /// ```
    /// # use probity::prelude::*;
    /// let mut seen = Vec::new();
    /// let check = probity::Check::new("doc").engine("exhaustive").size(1);
    /// check.run(|src: &mut Source| seen.push(src.any::<Vec<i32>>()));
    /// assert_eq!(seen, [vec![], vec![0]]);
    /// ```
    pub fn size(self, size: u64) -> Self {
        self.set(Key::Size, size)
    }

    /// Which part of the inputs is run: `"1/8"` to `"8/8"` share them among eight runs, of random cases by their numbers and
    /// of those that the exhaustive engine visits one by one.
    ///
    /// ```
    /// # use probity::prelude::*;
    /// let mut seen = Vec::new();
    /// for part in ["1/2", "2/2"] {
    ///     let check = probity::Check::new("doc").engine("exhaustive").shard(part);
    ///     check.inputs(|src| { src.any::<u8>(); }).run(|src: &mut Source| seen.push(src.any::<u8>()));
    /// }
    /// seen.sort();
    /// assert!(seen.into_iter().eq(0..=255));
    /// ```
    pub fn shard(self, shard: &str) -> Self {
        self.set(Key::Shard, shard)
    }

    /// With which input the exhaustive engine starts, in order of size: to go on where a run stopped.
    ///
    /// ```
    /// # use probity::prelude::*;
    /// let check = probity::Check::new("doc").engine("exhaustive").start(250);
    /// check.inputs(|src| { src.any::<u8>(); }).run(|src: &mut Source| assert!(src.any::<u8>() >= 250));
    /// ```
    pub fn start(self, index: u64) -> Self {
        self.set(Key::Start, index)
    }

    /// How many cases shrinking may run.
    ///
    /// ```should_panic
    /// # use probity::prelude::*;
    /// let check = probity::Check::new("doc").store(false).max_shrink(0); // the failure as it was found
    /// check.run(|src: &mut Source| assert!(src.any::<u32>() < 1000));
    /// ```
    pub fn max_shrink(self, cases: u64) -> Self {
        self.set(Key::MaxShrink, cases)
    }

    /// How many rejected cases are tolerated for each wanted one.
    ///
    /// ```
    /// # use probity::prelude::*;
    /// let check = probity::Check::new("doc").cases(20).max_rejects(50); // the test wants one input in ten
    /// check.run(|src: &mut Source| assume!(src.draw(0..100) < 10));
    /// ```
    pub fn max_rejects(self, cases: u32) -> Self {
        self.set(Key::MaxRejects, u64::from(cases))
    }

    /// How long one case may take before its input is named: `"30s"`, a `Duration`, or `"off"`.
    ///
    /// ```
    /// # use probity::prelude::*;
    /// let check = probity::Check::new("doc").hang("5s");
    /// check.run(|src: &mut Source| assert!(src.draw(1..=6) <= 6));
    /// ```
    pub fn hang(self, time: impl SettingText) -> Self {
        self.set(Key::Hang, time)
    }

    /// How long the concolic engine may go on in a default run: `"200ms"`, a `Duration`, or `"off"`.
    ///
    /// ```
    /// # use probity::prelude::*;
    /// let check = probity::Check::new("doc").concolic("off");
    /// check.run(|src: &mut Source| assert!(src.draw(1..=6) <= 6));
    /// ```
    pub fn concolic(self, time: impl SettingText) -> Self {
        self.set(Key::Concolic, time)
    }

    /// Which inputs the test is to be proved for: `true` for all there are, or the most choices of an input. It is proved after the
    /// search has found nothing, and takes at most as long again; the report has what came of it.
    ///
    /// ```
    /// # use probity::prelude::*;
    /// let check = probity::Check::new("doc").time("1s").prove(true);
    /// check.run(|src: &mut Source| assert!(src.any::<u32>() / 3 <= u32::MAX / 3));
    /// ```
    pub fn prove(self, goal: impl SettingText) -> Self {
        self.set(Key::Prove, goal)
    }

    /// Whether cases run in a process of their own, so that a crash, an exit or a hang is a finding.
    ///
    /// ```
    /// # use probity::prelude::*;
    /// let check = probity::Check::new("doc").isolate(true);
    /// check.run(|src: &mut Source| assert!(src.draw(1..=6) <= 6));
    /// ```
    pub fn isolate(self, isolate: bool) -> Self {
        self.set(Key::Isolate, isolate)
    }

    /// Whether failures are stored, or the folder to store them in.
    ///
    /// ```should_panic
    /// # use probity::prelude::*;
    /// let check = probity::Check::new("doc").store(false); // fails, and leaves no file behind
    /// check.run(|src: &mut Source| assert!(src.any::<u32>() < 1000));
    /// ```
    pub fn store(self, store: impl SettingText) -> Self {
        self.set(Key::Store, store)
    }

    /// Whether a failure is explained.
    ///
    /// ```should_panic
    /// # use probity::prelude::*;
    /// let check = probity::Check::new("doc").store(false).explain(false);
    /// check.run(|src: &mut Source| assert!(src.any::<(u32, u32)>().0 < 1000));
    /// ```
    pub fn explain(self, explain: bool) -> Self {
        self.set(Key::Explain, explain)
    }

    /// Whether a test that passes says what it did.
    ///
    /// ```
    /// # use probity::prelude::*;
    /// let check = probity::Check::new("doc").verbose(true); // shows how many inputs were empty
    /// check.run(|src: &mut Source| classify!(src.any::<Vec<u8>>().is_empty(), "empty"));
    /// ```
    pub fn verbose(self, verbose: bool) -> Self {
        self.set(Key::Verbose, verbose)
    }

    /// Where events are written, one JSON object a line.
    ///
    /// ```
    /// # use probity::prelude::*;
    /// let path = std::env::temp_dir().join(format!("probity-{}.jsonl", std::process::id()));
    /// probity::Check::new("doc").events(path.to_str().unwrap()).run(|_: &mut Source| ());
    /// let events = std::fs::read_to_string(&path).unwrap();
    /// assert!(events.lines().next().unwrap().contains("started"));
    /// # std::fs::remove_file(path).unwrap();
    /// ```
    pub fn events(self, path: &str) -> Self {
        self.set(Key::Events, path)
    }

    /// A function that draws the inputs and nothing else. With it, the watchdog can name the input of a
    /// hanging case.
    ///
    /// ```
    /// # use probity::prelude::*;
    /// fn draw(src: &mut Source) -> (u32, u32) {
    ///     src.draw_as("pair", (0..100, 0..100))
    /// }
    /// let check = probity::Check::new("doc").inputs(|src| { draw(src); });
    /// check.run(|src: &mut Source| { let (a, b) = draw(src); assert!(a + b < 200) });
    /// ```
    pub fn inputs(mut self, inputs: fn(&mut Source)) -> Self {
        self.inputs = Some(inputs);
        self
    }

    /// A function that draws the inputs and writes them as Rust: for each its name, its type and its text. With it, a report has the line that makes the input an `#[example(..)]`.
    ///
    /// ```
    /// # use probity::prelude::*;
    /// use probity::literal::Literal;
    /// let check = probity::Check::new("doc").literals(|src| {
    ///     let n: u8 = src.any();
    ///     vec![("n", "u8", n.literal())]
    /// });
    /// check.run(|src: &mut Source| { let n: u8 = src.any(); assert!(n.count_ones() <= 8) });
    /// ```
    pub fn literals(mut self, literals: Literals) -> Self {
        self.literals = Some(literals);
        self
    }

    /// Describes the choices of the inputs, as [`Generator::space`](crate::Generator::space) does. With
    /// it, the inputs can be counted, and run by index.
    ///
    /// ```
    /// # use probity::prelude::*;
    /// use probity::{Part, Spaces};
    /// fn space(spaces: &mut Spaces) -> Part {
    ///     <(bool, u8)>::space(spaces)
    /// }
    /// let check = probity::Check::new("doc").space(space);
    /// check.run(|src: &mut Source| { let (a, b): (bool, u8) = src.any(); assert!(a || b <= 255) });
    /// ```
    pub fn space(mut self, space: fn(&mut Spaces) -> Part) -> Self {
        self.space = Some(space);
        self
    }

    /// Fixed inputs that run before any case: `text` is how they are shown.
    ///
    /// ```
    /// # use probity::prelude::*;
    /// let halve = |n: u32| assert!(n / 2 <= n);
    /// probity::Check::new("halving").example("n = 0", || halve(0)).run(|src: &mut Source| halve(src.any()));
    /// ```
    pub fn example<R: Outcome>(mut self, text: &'static str, mut run: impl FnMut() -> R + 'a) -> Self {
        self.examples.push((text, Box::new(move || run().conclude())));
        self
    }

    /// Runs the test with inputs of which every pair differs, as many as `cases` says: what `different = ..` on a
    /// `#[probity::test]` writes. The test draws the blanks that `inputs` declares, in the same order. See
    /// [`spec`](mod@crate::spec).
    ///
    /// ```
    /// # use probity::prelude::*;
    /// use probity::spec::{Difference, Inputs, Term, declaration};
    /// let mut seen = Vec::new();
    /// let check = probity::Check::new("doc").cases(100).store(false);
    /// let check = check.different(
    ///     || Inputs::new().blank("n", 0..=99, |it| -> i32 { it }),
    ///     |_| Difference::distance(Term::it().field("n"), 10),
    /// );
    /// check.run(|src: &mut Source| seen.push(src.draw_as("n", declaration(0..=99))));
    /// seen.sort();
    /// assert!(seen.len() == 10 && seen.windows(2).all(|it| it[1] - it[0] >= 10), "{seen:?}");
    /// ```
    #[cfg(feature = "spec")]
    pub fn different(
        mut self,
        inputs: impl Fn() -> crate::spec::Inputs + 'a,
        difference: impl Fn(&crate::spec::Spec) -> crate::spec::Difference + 'a,
    ) -> Self {
        self.different = Some(run::Different { inputs: Box::new(inputs), difference: Box::new(difference) });
        self
    }

    /// Says that the test is to fail, so that the failure is not worth keeping: nothing is stored,
    /// whatever the settings say. `#[should_panic]` on a `#[probity::test]` says it too.
    ///
    /// ```should_panic
    /// # use probity::prelude::*;
    /// probity::Check::new("doc").should_panic().run(|src: &mut Source| assert!(src.draw(0..9) < 5));
    /// ```
    pub fn should_panic(mut self) -> Self {
        self.should_panic = true;
        self
    }

    /// Lets an engine of your own answer: `make` makes it of the seed of the run. Its failures are shrunk, explained and
    /// stored as those of every engine are, under this `name`. `PROBITY_ENGINE` still decides where it is set.
    ///
    /// ```
    /// use probity::prelude::*;
    /// use probity::engine::{Case, Domain, Ended, Engine, Stop, Trace, Value};
    /// /// Answers every choice with its last member, once.
    /// struct Greatest(bool);
    /// impl Engine for Greatest {
    ///     fn begin(&mut self) -> Result<(), Ended> {
    ///         if std::mem::replace(&mut self.0, true) { Err(Ended::Exhausted) } else { Ok(()) }
    ///     }
    ///     fn answer(&mut self, domain: &Domain, _: &Trace) -> Result<Value, Stop> {
    ///         Ok(match domain {
    ///             Domain::Int { max, .. } => Value::Int(*max),
    ///             _ => domain.simplest(),
    ///         })
    ///     }
    ///     fn end(&mut self, _: &Case) {}
    /// }
    /// let mut seen = Vec::new();
    /// let check = probity::Check::new("doc").answered_by("greatest", |_| Box::new(Greatest(false)));
    /// check.run(|src: &mut Source| seen.push(src.draw(1..=6)));
    /// assert_eq!(seen, [6]);
    /// ```
    pub fn answered_by(mut self, name: &'static str, make: impl FnMut(u64) -> Box<dyn Engine> + 'a) -> Self {
        self.own = Some((name, Box::new(make)));
        self
    }

    /// Says that a program runs the test, and not Rust's test harness; see [`TestProgram`].
    pub fn program(mut self, program: TestProgram) -> Self {
        self.program = Some(program);
        self
    }

    /// The settings this test will run with. Printed, they are a table that says where each comes from.
    ///
    /// ```
    /// let settings = probity::Check::new("doc").cases(5).settings().unwrap();
    /// assert!(settings.to_string().contains("this test"));
    /// ```
    pub fn settings(&self) -> Result<Settings, SettingsError> {
        Settings::load(&self.package_dir(), &self.settings)
    }

    fn package_dir(&self) -> PathBuf {
        let at_run_time = || std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
        self.package.clone().filter(|it| it.is_dir()).or_else(at_run_time).unwrap_or_default()
    }

    /// Runs the test: fixed inputs, stored failures, then the search. Panics when it fails.
    #[track_caller]
    pub fn run<R: Outcome>(self, mut test: impl FnMut(&mut Source) -> R) {
        if let Err(message) = run::run(self.plan(), &mut |source: &mut Source| test(source).conclude()) {
            panic!("{message}");
        }
    }

    /// Runs the test as [`run`](Check::run) does, and returns how it fails instead of panicking.
    ///
    /// ```
    /// use probity::prelude::*;
    /// let check = probity::Check::new("doc").store(false).program(probity::TestProgram::new("./tests"));
    /// assert!(check.verdict(|src: &mut Source| assert!(src.draw(0..9) < 8)).is_err());
    /// ```
    pub fn verdict<R: Outcome>(self, mut test: impl FnMut(&mut Source) -> R) -> Result<(), String> {
        self.settings().map_err(|err| err.to_string())?;
        run::run(self.plan(), &mut |source: &mut Source| test(source).conclude())
    }

    #[track_caller]
    pub(crate) fn plan(self) -> TestPlan<'a> {
        let settings = match self.settings() {
            Ok(settings) => settings,
            Err(err) => panic!("{err}"),
        };
        TestPlan {
            name: self.name,
            settings,
            inputs: self.inputs,
            literals: self.literals,
            space: self.space,
            examples: self.examples,
            should_panic: self.should_panic,
            program: self.program,
            goal: self.goal,
            own: self.own,
            #[cfg(feature = "spec")]
            different: self.different,
        }
    }
}

/// What a test may return: nothing, whether it holds, or a `Result` of these.
///
/// ```
/// use probity::prelude::*;
/// probity::check(|src: &mut Source| -> Result<bool, std::num::ParseIntError> {
///     let n: i64 = src.any();
///     Ok(n.to_string().parse::<i64>()? == n)
/// });
/// ```
#[diagnostic::on_unimplemented(
    message = "a test cannot return `{Self}`",
    label = "not what a test returns",
    note = "a test returns nothing, a `bool` that says whether it holds, or a `Result` of one of these"
)]
pub trait Outcome {
    /// Ends the case: returns where it passed, and fails it where it did not.
    ///
    /// ```
    /// use probity::Outcome;
    /// Ok::<bool, String>(true).conclude();
    /// assert!(std::panic::catch_unwind(|| false.conclude()).is_err());
    /// ```
    fn conclude(self);
}

impl Outcome for () {
    #[inline]
    fn conclude(self) {}
}

impl Outcome for bool {
    #[inline]
    #[track_caller]
    fn conclude(self) {
        assert!(self, "the test returned `false`");
    }
}

impl<T: Outcome, E: Debug> Outcome for Result<T, E> {
    #[inline]
    #[track_caller]
    fn conclude(self) {
        match self {
            Ok(it) => it.conclude(),
            Err(err) => fail_with_error(&err),
        }
    }
}

/// A value of a setting, as code gives it.
///
/// ```
/// use probity::SettingText;
/// assert_eq!(std::time::Duration::from_millis(1500).text(), "1500ms");
/// ```
pub trait SettingText {
    /// As it would are in `probity.toml`.
    fn text(self) -> String;
}

impl SettingText for &str {
    fn text(self) -> String {
        self.to_string()
    }
}

impl SettingText for bool {
    fn text(self) -> String {
        self.to_string()
    }
}

impl SettingText for u64 {
    fn text(self) -> String {
        self.to_string()
    }
}

impl SettingText for Duration {
    fn text(self) -> String {
        format!("{}ms", self.as_millis())
    }
}
