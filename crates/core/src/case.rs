//! One execution of a test: its trace, how it went, and what it said on the way.

use crate::{SourcePlace, Trace};

/// One execution of a test.
///
/// ```
/// # use probity_core::{Random, Source, Verdict, run_case};
/// # let mut source = Source::new(Box::new(Random::new(7)));
/// let case = run_case(&mut source, &mut |src: &mut Source| { src.any::<u8>(); }).unwrap();
/// assert_eq!((case.verdict, case.trace.choices.len()), (Verdict::Pass, 1));
/// ```
#[derive(Clone, Debug)]
pub struct Case {
    /// What was asked and answered.
    pub trace: Trace,
    /// How it went.
    pub verdict: Verdict,
    /// What the test said on the way.
    pub log: Log,
    /// How many places it reached that no case had reached before, where somebody looks; see
    /// [`Places`](crate::Places).
    pub news: u32,
}

/// How a case went.
///
/// ```
/// # use probity_core::{Random, Source, Verdict, context, run_case};
/// # let mut source = Source::new(Box::new(Random::new(7)));
/// let mut test = |src: &mut Source| context::assume(src.draw(1..=6) > 6, "n > 6");
/// assert!(matches!(run_case(&mut source, &mut test).unwrap().verdict, Verdict::Reject(_)));
/// let mut test = |src: &mut Source| assert!(src.draw(1..=6) <= 6);
/// assert_eq!(run_case(&mut source, &mut test).unwrap().verdict, Verdict::Pass);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The test ran to its end.
    Pass,
    /// The test declined its input at this place: it says nothing about the code under test.
    Reject(Site),
    /// The case asked for more choices than it may.
    Overrun,
    /// A random search skipped the case for others that the test prefers: see [`pump`](crate::pump). Or it is one that
    /// comes in a shorter form too, where every input is visited. It does not count.
    Skipped,
    /// The test failed.
    Fail(Failure),
}

impl Verdict {
    /// The failure, if it is one.
    ///
    /// ```
    /// # use probity_core::{Random, Source, run_case};
    /// # let mut source = Source::new(Box::new(Random::new(7)));
    /// let mut test = |src: &mut Source| assert!(src.draw(1..=6) > 6, "too low");
    /// let case = run_case(&mut source, &mut test).unwrap();
    /// assert_eq!(case.verdict.failure().unwrap().message, "too low");
    /// ```
    pub fn failure(&self) -> Option<&Failure> {
        match self {
            Verdict::Fail(failure) => Some(failure),
            _ => None,
        }
    }
}

/// A place that rejects inputs: an `assume!` or a filter.
///
/// ```
/// # use probity_core::{Random, Source, Verdict, context, run_case};
/// # let mut source = Source::new(Box::new(Random::new(7)));
/// let mut test = |src: &mut Source| context::assume(src.draw(1..=6) > 6, "n > 6");
/// let case = run_case(&mut source, &mut test).unwrap();
/// assert!(matches!(case.verdict, Verdict::Reject(site) if site.what == "n > 6"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Site {
    /// What was required there, in the words of the source code.
    pub what: &'static str,
    /// Where it stands.
    pub location: SourcePlace,
}

/// Why a case failed.
///
/// ```
/// # use probity_core::{Random, Source, fail_with_error, run_case};
/// # let mut source = Source::new(Box::new(Random::new(7)));
/// let mut test = |_: &mut Source| -> () { fail_with_error(&Some("no such file")) };
/// let case = run_case(&mut source, &mut test).unwrap();
/// let failure = case.verdict.failure().unwrap();
/// assert_eq!(failure.message, r#"Some("no such file")"#);
/// assert_eq!(failure.origin.to_string(), "returned an error: Some");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The panic message, the error, or the first broken check.
    pub message: String,
    /// What distinguishes this failure from others.
    pub origin: Origin,
}

/// Where a failure comes from. Two failures of the same origin are taken for the same bug.
///
/// ```
/// use probity_core::{Origin, OriginKind};
/// let origin = Origin { kind: OriginKind::Panic, place: "src/lib.rs:3:5".into() };
/// assert_eq!(origin.to_string(), "panicked at src/lib.rs:3:5");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Origin {
    /// How the test failed.
    pub kind: OriginKind,
    /// `file:line:column`, or the first line of the message where no place is known; of a case that died, how.
    pub place: String,
}

impl Origin {
    /// Whether one of these failures is of this origin: texts that begin with it, and may have a message behind it.
    ///
    /// ```
    /// use probity_core::{Origin, OriginKind};
    /// let origin = Origin { kind: OriginKind::Panic, place: "src/lib.rs:3:5".into() };
    /// assert!(origin.is_of(&["panicked at src/lib.rs:3:5: not sorted".into()]));
    /// assert!(!origin.is_of(&["panicked at src/lib.rs:3:57".into()]));
    /// ```
    pub fn is_of(&self, failures: &[String]) -> bool {
        let texts = match self.kind {
            OriginKind::Error => [self.to_string(), format!("returned the error {}", self.place)],
            _ => [self.to_string(), self.to_string()],
        };
        let is_same = |it: &String| {
            let mut rests = texts.iter().filter_map(|text| it.strip_prefix(&**text));
            rests.any(|it| !it.starts_with(|next: char| next.is_alphanumeric() || next == '_'))
        };
        failures.iter().any(is_same)
    }
}

/// How a test failed.
///
/// ```
/// use probity_core::{Origin, OriginKind};
/// let origin = |kind| Origin { kind, place: "src/lib.rs:3:5".into() };
/// assert_ne!(origin(OriginKind::Panic), origin(OriginKind::Check), "one place, but two bugs");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OriginKind {
    /// It panicked.
    Panic,
    /// It returned an error.
    Error,
    /// It ran to its end and broke a soft check.
    Check,
    /// It ended its process, or did not end itself; the origin's place says how.
    Died,
    /// A system did what its model does not; the origin's place says how.
    Model,
    /// A test in another language failed by itself; the origin's place says where or how.
    Foreign,
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.kind {
            OriginKind::Panic => write!(f, "panicked at {}", self.place),
            OriginKind::Error if self.place.is_empty() => f.write_str("returned an error"),
            OriginKind::Error => write!(f, "returned an error: {}", self.place),
            OriginKind::Check => write!(f, "broke a check at {}", self.place),
            OriginKind::Died | OriginKind::Model | OriginKind::Foreign => f.write_str(&self.place),
        }
    }
}

/// What a test said during one case. Inputs and notes are kept only for the case that is reported.
///
/// ```
/// # use probity_core::{Random, Source, context, render_case};
/// # let mut source = Source::new(Box::new(Random::new(7)));
/// let case = render_case(&mut source, &mut |src: &mut Source| {
///     let n = src.draw(7..=7);
///     context::note(format_args!("half of it is {}", n / 2));
/// }).unwrap();
/// assert_eq!((&*case.log.inputs[0].text, &*case.log.notes[0]), ("7", "half of it is 3"));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Log {
    /// The rendered inputs, in the order they were drawn.
    pub inputs: Vec<Input>,
    /// Notes, in order.
    pub notes: Vec<String>,
    /// Soft checks that did not hold.
    pub broken: Vec<Broken>,
    /// Labels given by `classify!` and `collect!`.
    pub labels: Vec<String>,
    /// What it said of the test.
    pub remarks: Vec<String>,
    /// What `cover!` saw.
    pub covers: Vec<Cover>,
    /// What `reach!` saw.
    pub goals: Vec<Goal>,
    /// Scores given by `maximize` and `minimize`.
    pub scores: Vec<Score>,
}

/// One rendered input.
///
/// ```
/// # use probity_core::{Input, Random, Source, just, render_case};
/// # let mut source = Source::new(Box::new(Random::new(7)));
/// let mut test = |src: &mut Source| { src.draw_as("drink", just("tea")); };
/// let case = render_case(&mut source, &mut test).unwrap();
/// assert_eq!(case.log.inputs, [Input::new(Some("drink"), "\"tea\"")]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// Its name, where it has one.
    pub name: Option<&'static str>,
    /// Its `Debug` form; of an arm, its name with what was drawn within it: `push(0)`.
    pub text: String,
    /// The name of the arm, where it is one; see [`Source::arm`](crate::Source::arm).
    pub arm: Option<&'static str>,
}

impl Input {
    /// An input that is no arm.
    ///
    /// ```
    /// use probity_core::Input;
    /// assert_eq!(Input::new(Some("n"), "7"), Input { name: Some("n"), text: "7".into(), arm: None });
    /// ```
    pub fn new(name: Option<&'static str>, text: impl Into<String>) -> Input {
        Input { name, text: text.into(), arm: None }
    }
}

/// A soft check that did not hold.
///
/// ```
/// # use probity_core::{Random, Source, context, run_case};
/// # let mut source = Source::new(Box::new(Random::new(7)));
/// let mut test = |_: &mut Source| {
///     context::broken(format_args!("a is wrong"));
///     context::broken(format_args!("b is wrong"));
/// };
/// let case = run_case(&mut source, &mut test).unwrap();
/// assert_eq!(case.log.broken[1].message, "b is wrong", "the first did not end the case");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// What was checked, and any message.
    pub message: String,
    /// Where it stands.
    pub location: SourcePlace,
}

/// One `cover!` reached in one case.
///
/// ```
/// # use probity_core::{Random, Source, context, run_case};
/// # let mut source = Source::new(Box::new(Random::new(7)));
/// let mut test = |src: &mut Source| context::cover(5.0, src.draw(1..=6) < 7, "n < 7");
/// let case = run_case(&mut source, &mut test).unwrap();
/// assert!(case.log.covers[0].held && case.log.covers[0].what == "n < 7");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Cover {
    /// What was to be covered, in the words of the source code.
    pub what: &'static str,
    /// Where it stands.
    pub location: SourcePlace,
    /// The share of cases in which it has to hold, in percent.
    pub percent: f64,
    /// Whether it held.
    pub held: bool,
}

/// One `reach!` that a case came by.
///
/// ```
/// # use probity_core::{Random, Source, context, run_case};
/// # let mut source = Source::new(Box::new(Random::new(7)));
/// let case = run_case(&mut source, &mut |_: &mut Source| context::reach("the end", true, true)).unwrap();
/// assert!(case.log.goals[0].held && case.log.goals[0].must);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Goal {
    /// What it is called.
    pub label: &'static str,
    /// Where it stands.
    pub location: SourcePlace,
    /// Whether the test fails if no input comes to it.
    pub must: bool,
    /// Whether its condition held.
    pub held: bool,
}

/// A number that the test asks to raise or to lower.
///
/// ```
/// # use probity_core::{Random, Source, context, run_case};
/// # let mut source = Source::new(Box::new(Random::new(7)));
/// let mut test = |_: &mut Source| context::minimize("distance", 3.0);
/// let score = run_case(&mut source, &mut test).unwrap().log.scores.remove(0);
/// assert!(score.minimize && score.value == -3.0);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Score {
    /// What it measures.
    pub label: &'static str,
    /// The number; higher is better, so a minimised one is negated.
    pub value: f64,
    /// Whether the test asked for low numbers.
    pub minimize: bool,
}

/// The user used us in a way that cannot work. Not a verdict on the code under test.
///
/// ```
/// # use probity_core::{Random, Source, run_case};
/// # let mut source = Source::new(Box::new(Random::new(7)));
/// let err = run_case(&mut source, &mut |src: &mut Source| { src.int(9, 1); }).unwrap_err();
/// assert_eq!(err.message, "no value in 9..=1; swap the bounds");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misuse {
    /// What is wrong, and what to do next.
    pub message: String,
}
