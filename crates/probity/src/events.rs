//! What happens during a run, for reporters to tell. Nothing else prints.
//!
//! With `PROBITY_EVENTS=path` every event is written to that file as one line of JSON, with the keys
//! `event`, `test` and those named below; `version` is in the first, `started`.

use std::path::PathBuf;
use std::time::Duration;

pub use probity_core::{
    ArmTally, BestCase, Broken, CoverTally, Curve, Explanation, Explored, Failure, Input, Origin, OriginKind,
    Pattern, Point, Proof, Reach, Site, Tally, Trajectory,
};

use crate::EngineKind;
use probity_core::{SpanKind, Trace};

/// The version of the events' JSON form.
///
/// ```
/// assert_eq!(probity::events::VERSION, 1, "a reader of another version should say so");
/// ```
pub const VERSION: u32 = 1;

/// Something that happened in the run of one test.
///
/// ```
/// use probity::events::Event;
/// let headline = |event: &Event| match event {
///     Event::Failed(it) => Some(it.failure.message.clone()),
///     _ => None,
/// };
/// let started = Event::Started { seed: 7, engine: probity::EngineKind::Random, cases: 100 };
/// assert_eq!(headline(&started), None);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event {
    /// The run began.
    Started {
        /// What all random answers follow from.
        seed: u64,
        /// Which engine answers.
        engine: EngineKind,
        /// How many cases are wanted.
        cases: u64,
    },
    /// What `PROBITY_REPLAY` says is about to run, instead of a search.
    Replaying {
        /// What it says.
        replay: String,
    },
    /// `PROBITY_REPLAY` had fewer choices than the test asked for; the others got the simplest answers.
    ReplayedShort {
        /// How many choices it has.
        given: u64,
        /// How many the test asked for.
        asked: u64,
    },
    /// A stored failure could not be used.
    Unusable {
        /// Its file, after it was put aside if it was.
        path: PathBuf,
        /// What is wrong and what was done.
        reason: String,
    },
    /// Inputs that all differ are there, and are about to run.
    Prepared(Box<Prepared>),
    /// The search found a failure; shrinking begins.
    Found {
        /// The number of the case.
        case: u64,
        /// What went wrong.
        failure: Failure,
    },
    /// A failure, shrunk and explained.
    Failed(Box<Failed>),
    /// A case goes on for too long.
    Hangs {
        /// For how long already.
        time: Duration,
        /// The fixed input it is, as it is written.
        example: Option<String>,
        /// Its inputs, where they are known.
        inputs: Vec<Input>,
        /// A command that runs it again; empty for a fixed input, which runs first anyway.
        replay: String,
    },
    /// A thread panicked that is not the test's own, while cases ran.
    ThreadPanicked {
        /// Its name, where it has one.
        thread: Option<String>,
        /// `file:line:column`.
        place: String,
        /// What it said.
        message: String,
        /// How often a thread panicked there.
        times: u64,
    },
    /// A case ends the process, which nothing can prevent; its failure was told before.
    Ends {
        /// How it does.
        how: String,
    },
    /// A condition of `cover!` does not hold often enough.
    NotCovered {
        /// `file:line:column`.
        place: String,
        /// What was counted.
        tally: CoverTally,
    },
    /// What came of seeking a goal, which the test names by [`reach!`](crate::reach).
    Goal {
        /// What it is called.
        label: &'static str,
        /// `file:line:column`.
        place: String,
        /// Whether the test fails if no input comes to it.
        must: bool,
        /// What came of it.
        end: GoalEnd,
    },
    /// Too few cases could be run.
    TooManyRejects {
        /// How many ran.
        cases: u64,
        /// How many were wanted.
        wanted: u64,
        /// How many were rejected.
        rejected: u64,
        /// The places that rejected most, with how often they did.
        sites: Vec<(Site, u64)>,
        /// How many asked for too many choices.
        overruns: u64,
        /// How many rejected cases are tolerated for each wanted one.
        max_rejects: u32,
        /// How far it came, where the exhaustive engine answered, which tolerates any number.
        reach: Option<Reach>,
        /// Whether the time was over first.
        late: bool,
    },
    /// The time was over before a tenth of the wanted cases had run.
    FewCases {
        /// How many ran; none failed.
        cases: u64,
        /// How many were wanted.
        wanted: u64,
        /// How many were rejected.
        rejected: u64,
        /// How long that took.
        time: Duration,
    },
    /// There are more parts of the run than cases or inputs, and this one has none.
    EmptyShard {
        /// Which part, the first being one.
        part: u64,
        /// Of how many.
        of: u64,
    },
    /// Some arms of a `one_of!` or `steps!` were entered by no case of many.
    NeverEntered {
        /// `file:line:column`.
        place: String,
        /// What they are called.
        arms: Vec<&'static str>,
        /// How many cases there were.
        cases: u64,
    },
    /// The test said something of itself that is to be read once.
    Remark {
        /// What it said.
        text: String,
        /// In how many cases.
        cases: u64,
    },
    /// What a contract requires of the inputs that its test draws.
    Required {
        /// One by one.
        conditions: Vec<RequiredCondition>,
    },
    /// The smallest inputs were not visited first: the test cannot be given its inputs in order.
    NotInOrder {
        /// How many were visited before that was seen.
        cases: u64,
    },
    /// An exhaustive search goes on for long.
    Progress {
        /// The size it is at.
        size: u64,
        /// How much of that size is done, from 0 to 1.
        share: f64,
        /// How many inputs were visited.
        cases: u64,
        /// How long it has taken.
        time: Duration,
        /// How long the rest of this size will take, if it goes on as it did.
        left: Duration,
    },
    /// The coverage engine cannot see which code is reached, or keep what it found, and the run goes on without that.
    Unwatched {
        /// Why.
        why: String,
    },
    /// A search by coverage goes on, or ends: told about once in a second, so that together they are its curve.
    Covering(CoverageStatus),
    /// The run ended without a failure.
    Passed {
        /// What was counted.
        tally: Tally,
        /// How long it took.
        time: Duration,
        /// How far it came, where the exhaustive engine answered.
        reach: Option<Reach>,
        /// Which inputs were its own, where not all were: `of shard 1/8`, `from number 3000 on`.
        part: Option<String>,
        /// Whether `start` can go on where it stopped.
        can_resume: bool,
        /// How the scores went, where the targeted engine answered. Its best cases are some of the best, with their inputs;
        /// none where nobody is going to read them.
        ///
        /// In JSON `scores` has the curves, with `[case, current, best]` for each point, and `best` has the inputs
        /// with their scores; a score that is infinite or no number is `null`.
        climb: Option<Box<Trajectory>>,
        /// What the concolic engine came to, where it answered too.
        explored: Option<Box<Explored>>,
    },
}

/// What came of seeking a goal.
///
/// ```
/// use probity::events::GoalEnd;
/// assert!(!GoalEnd::Unreachable.is_reached());
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum GoalEnd {
    /// An input comes to it: the simplest that was found.
    Reached(Vec<Input>),
    /// No input does, which is proved.
    Unreachable,
    /// None was found, and why it is not proved that there is none.
    NotReached(String),
}

impl GoalEnd {
    /// Whether an input comes to it.
    pub fn is_reached(&self) -> bool {
        matches!(self, GoalEnd::Reached(_))
    }
}

/// Where a search by coverage stands.
///
/// ```
/// use std::time::Duration;
/// use probity::events::CoverageStatus;
/// let mut it = CoverageStatus::default();
/// (it.cases, it.time) = (50_000, Duration::from_secs(2));
/// (it.blocks, it.functions, it.corpus) = (761, 214, 88);
/// assert_eq!(it.to_string(), "50000 cases, 25000/s, 761 blocks, 214 functions, 88 in the corpus, last news 0s ago");
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct CoverageStatus {
    /// How many cases were run.
    pub cases: u64,
    /// How long it has taken.
    pub time: Duration,
    /// How many blocks of code were reached.
    pub blocks: u64,
    /// How many functions were entered.
    pub functions: u64,
    /// How many cases are kept.
    pub corpus: u64,
    /// How long ago there was news.
    pub last_news: Duration,
    /// How many failures were found.
    pub findings: u64,
}

impl CoverageStatus {
    /// How many cases were run in a second.
    ///
    /// ```
    /// assert_eq!(probity::events::CoverageStatus::default().rate(), 0);
    /// ```
    pub fn rate(&self) -> u64 {
        (self.cases as f64 / self.time.as_secs_f64().max(1e-9)) as u64
    }
}

impl std::fmt::Display for CoverageStatus {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let CoverageStatus { cases, blocks, functions, corpus, findings, .. } = self;
        write!(f, "{cases} cases, {}/s, {blocks} blocks, {functions} functions, ", self.rate())?;
        write!(f, "{corpus} in the corpus, last news {}s ago", self.last_news.as_secs())?;
        match findings {
            0 => Ok(()),
            1 => f.write_str(", 1 finding"),
            n => write!(f, ", {n} findings"),
        }
    }
}

/// A condition of a contract, and how the inputs of its test came to meet it.
///
/// ```
/// use probity::events::RequiredCondition;
/// let odd = RequiredCondition { text: "n % 2 == 1", narrows: false, passed: 500, reached: 1000 };
/// assert_eq!(odd.percent(), 50);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequiredCondition {
    /// As it is written.
    pub text: &'static str,
    /// Whether it narrows what is drawn, or else filters it.
    pub narrows: bool,
    /// How many inputs met it.
    pub passed: u64,
    /// Of how many.
    pub reached: u64,
}

impl RequiredCondition {
    /// How many of a hundred inputs met it.
    ///
    /// ```
    /// # use probity::events::RequiredCondition;
    /// assert_eq!(RequiredCondition { text: "true", narrows: false, passed: 0, reached: 0 }.percent(), 100);
    /// ```
    pub fn percent(&self) -> u64 {
        (100 * self.passed).checked_div(self.reached).unwrap_or(100)
    }
}

/// Inputs of which every pair differs, made before the first case.
///
/// ```
/// use probity::events::{Origins, Prepared};
/// fn is_new(it: &Prepared) -> bool {
///     !matches!(it.origin, Origins::Reused)
/// }
/// # let _ = is_new;
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Prepared {
    /// How many there are.
    pub inputs: usize,
    /// How many were wanted.
    pub wanted: u64,
    /// Where there are fewer: how many exist, in words.
    pub total: Option<String>,
    /// Where they come from.
    pub origin: Origins,
    /// The file they are kept in, and why they are not where they could not be written; none where nothing is stored.
    pub saved: Option<(PathBuf, Result<(), String>)>,
    /// How long it took.
    pub time: Duration,
}

/// Where prepared inputs come from.
///
/// ```
/// use probity::events::Origins;
/// assert_ne!(Origins::Reused, Origins::New);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origins {
    /// They were made.
    New,
    /// They were read from their file.
    Reused,
    /// They were made because the file is for what the test declared before.
    Changed,
    /// They were made because the file cannot be read, and why.
    Damaged(String),
}

/// A failure, ready to be told.
///
/// ```
/// use probity::events::Failed;
/// fn line(it: &Failed) -> String {
///     let (number, of) = it.number;
///     format!("failure {number} of {of}: {}; run it again with {}", it.failure.message, it.replay)
/// }
/// # let _ = line;
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Failed {
    /// Which of how many distinct failures this is, from 1.
    pub number: (usize, usize),
    /// Where it was found.
    pub found_by: FoundBy,
    /// The inputs of the simplest failing case.
    pub inputs: Vec<Input>,
    /// What went wrong with them.
    pub failure: Failure,
    /// Checks that did not hold.
    pub broken: Vec<Broken>,
    /// Which arms of `one_of!` and `steps!` it takes.
    pub arms: Option<ArmUse>,
    /// What the test noted.
    pub notes: Vec<String>,
    /// Which parts may vary.
    pub explanation: Option<Explanation>,
    /// Set when the same input did not fail again.
    pub flaky: Option<Flaky>,
    /// How the same input failed afterwards, where that is another failure: an effect of the first, which is told here.
    pub again: Option<String>,
    /// How it was shrunk.
    pub shrunk: Option<Shrinking>,
    /// How the scores went, where the targeted engine found it.
    pub climb: Option<Box<Trajectory>>,
    /// The file it was saved in, or why it was not.
    pub saved: Option<Result<PathBuf, String>>,
    /// A command that runs it again.
    pub replay: String,
    /// The line that makes it a fixed input of the test, where it can be written as Rust.
    pub example: Option<String>,
}

impl Failed {
    pub(crate) fn new(found_by: FoundBy, failure: Failure) -> Failed {
        Failed {
            number: (1, 1),
            found_by,
            inputs: Vec::new(),
            failure,
            broken: Vec::new(),
            arms: None,
            notes: Vec::new(),
            explanation: None,
            flaky: None,
            again: None,
            shrunk: None,
            climb: None,
            saved: None,
            replay: String::new(),
            example: None,
        }
    }
}

/// Which arms of `one_of!` and `steps!` a failure takes.
///
/// ```
/// let arms = probity::events::ArmUse { needed: vec!["open"], known: 3, never: vec!["close"] };
/// assert!(arms.needed.len() < arms.known);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArmUse {
    /// Those that its simplest input goes through, in order.
    pub needed: Vec<&'static str>,
    /// How many there are at the places that the run came to.
    pub known: usize,
    /// Those that no case of the run entered.
    pub never: Vec<&'static str>,
}

impl ArmUse {
    /// What a trace needs of the arms that a run met, if it met any.
    pub(crate) fn new(trace: &Trace, tally: &Tally) -> Option<ArmUse> {
        let known = tally.arms.values().map(|it| it.names.len()).sum();
        let mut needed = Vec::new();
        for span in trace.spans.iter().filter(|it| it.kind == SpanKind::Arm) {
            if !needed.contains(&span.label) {
                needed.push(span.label);
            }
        }
        let never = tally.arms.values().flat_map(|it| it.never()).collect();
        (known > 0).then_some(ArmUse { needed, known, never })
    }
}

/// Where a failure was found.
///
/// ```
/// use probity::events::FoundBy;
/// let is_new = |by: &FoundBy| matches!(by, FoundBy::Search { .. });
/// assert!(!is_new(&FoundBy::Stored("probity/doc.txt".into())));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FoundBy {
    /// One of the fixed inputs, as it is written.
    Example(String),
    /// A stored failure.
    Stored(PathBuf),
    /// What `PROBITY_REPLAY` says.
    Replay,
    /// The search.
    Search {
        /// Which engine answered.
        engine: EngineKind,
        /// The seed of the search.
        seed: u64,
        /// The number of the case.
        case: u64,
        /// How many cases ran.
        cases: u64,
        /// How many were rejected.
        rejected: u64,
        /// The size of the input, where the engine knows that no smaller one fails in the same way.
        size: Option<u64>,
    },
}

/// What came of shrinking.
///
/// ```
/// use probity::events::Shrinking;
/// let it = Shrinking { steps: 4, runs: 90, finished: true };
/// let line = format!("{} simpler cases in {} runs", it.steps, it.runs);
/// assert_eq!(line, "4 simpler cases in 90 runs");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shrinking {
    /// How many simpler cases were kept, one after the other.
    pub steps: u64,
    /// How often the test was run for it.
    pub runs: u64,
    /// Whether it came to its end within the budget.
    pub finished: bool,
}

/// The evidence that a test is flaky.
///
/// ```
/// use probity::events::Flaky;
/// let it = Flaky { first: "timed out".into(), again: "passed".into() };
/// let line = format!("it failed once ({}), then {}", it.first, it.again);
/// assert_eq!(line, "it failed once (timed out), then passed");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaky {
    /// What went wrong when the case was found.
    pub first: String,
    /// How the same input went afterwards.
    pub again: String,
}
