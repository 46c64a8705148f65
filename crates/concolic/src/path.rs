//! What one interpreted run came to: the conditions it met, in order, and what was lost on the way.

use std::cmp::Ordering;
use std::fmt;

use probity_core::{Choice, Value};

use crate::expr::{Dag, Expr};

/// One interpreted run of a test.
#[derive(Debug)]
pub struct Run {
    /// The expressions that `path` speaks of.
    pub dag: Dag,
    /// The conditions that the run met.
    pub path: Path,
    /// How the run ended.
    pub verdict: Verdict,
    /// The branches that were taken, concrete ones too: where they stand and which way they went, each once,
    /// with how often.
    pub edges: Vec<(Edge, u32)>,
    /// Those of code that the run came to only after its last answer: it is not what makes the inputs.
    pub late: Vec<Edge>,
    /// Instructions that were interpreted.
    pub instructions: u64,
}

/// A branch that was taken: the address of the instruction behind which it ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Edge {
    /// The address of the branch.
    pub from: u64,
    /// The address it went to.
    pub to: u64,
}

/// An edge and how often it was taken.
type CountedEdge = (Edge, u32);

/// Sorts edges. One function for all orders: each sort of its own is some 3,000 lines of what the compiler makes of it, which
/// every user compiles.
pub(crate) fn sort_edges(edges: &mut [CountedEdge], order: &dyn Fn(&CountedEdge, &CountedEdge) -> Ordering) {
    edges.sort_unstable_by(order);
}

/// The conditions of a run, in the order in which they were met.
#[derive(Clone, Debug, Default)]
pub struct Path {
    /// The choices that were asked for, with their answers. Choice `n` is variable `n` of the expressions.
    pub choices: Vec<Choice>,
    /// The conditions.
    pub steps: Vec<Step>,
    /// What made the path less than exact. Empty: everything that depends on the choices is in `steps`.
    pub imprecisions: Vec<Imprecision>,
}

/// One condition of a path.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// One bit, which is 1 in this run.
    pub condition: Expr,
    /// What it is.
    pub kind: StepKind,
    /// Where in the code it stands: the address of the instruction (0 for what the engine adds).
    pub site: u64,
    /// The address the run went to from there (0 where it is not a branch).
    pub to: u64,
    /// The address it would have gone to otherwise (0 where that is not known before).
    pub other: u64,
    /// How many choices had been asked for.
    pub asked: u32,
}

/// What a condition is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepKind {
    /// A bound of a choice's domain: never to be flipped.
    Bound,
    /// A branch that can go two ways.
    Branch,
    /// A value that had to be known (an address, a length, a jump's target, a pumped value): `condition` says that
    /// `of` is what it was. Other values are other paths.
    Pin {
        /// What had to be known.
        of: Expr,
        /// Which values are wanted, and how many.
        want: PinTargets,
    },
}

/// Which values of a pinned expression are to be tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PinTargets {
    /// Any others, while they lead to something new.
    Any,
    /// At most this many, the smallest first.
    Smallest(u32),
    /// At most this many, the greatest first.
    Greatest(u32),
    /// At most this many, from both ends in turn.
    Ends(u32),
}

/// Something that depends on the choices and is not in the path.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Imprecision {
    /// An instruction whose effect is not followed: its mnemonic.
    Instruction(String),
    /// A library function that was given data which depends on the choices: its name.
    Library(String),
    /// What this comes to differs from run to run, whatever the choices are: a function or an instruction.
    Varies(String),
    /// So much memory was asked for that it is not known whether it is there.
    Allocation,
    /// Data that depends on the choices was written to memory that others see, or that has other addresses too.
    Shared,
    /// The bounds of a choice depended on other choices in a way that is not followed.
    Domain,
    /// A variable that outlives the case is not what it was before: a later case may find it so.
    State,
    /// A generator can make more than it asked for.
    Generator,
    /// A thread was started: what it does is not followed.
    Thread,
    /// An expression that disagreed with the processor: we are wrong, and the expression was dropped.
    Disagreement(String),
    /// The run was cut off after this many instructions.
    Instructions(u64),
    /// There was no room for more expressions or memory.
    Room(&'static str),
}

impl fmt::Display for Imprecision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Imprecision::Instruction(it) => write!(f, "the instruction `{it}` is not followed"),
            Imprecision::Library(it) => write!(f, "the library function `{it}` is not followed"),
            Imprecision::Varies(it) => write!(f, "what `{it}` comes to differs from run to run"),
            Imprecision::Allocation => f.write_str("whether so much memory is there is not known"),
            Imprecision::Shared => f.write_str("memory that is shared is not followed"),
            Imprecision::Domain => f.write_str("bounds that depend on other choices are not followed"),
            Imprecision::State => f.write_str("a case changes state that outlives it"),
            Imprecision::Generator => f.write_str("a generator can make more than it asked for"),
            Imprecision::Thread => f.write_str("threads are not followed"),
            Imprecision::Disagreement(it) => write!(f, "internal disagreement with the processor: {it}"),
            Imprecision::Instructions(n) => write!(f, "a run was cut off after {n} instructions"),
            Imprecision::Room(what) => write!(f, "there was no room for more {what}"),
        }
    }
}

/// How an interpreted run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The test ran to its end.
    Pass,
    /// The test declined its input.
    Reject,
    /// More choices were asked for than allowed.
    Overrun,
    /// The test failed: to be confirmed by an ordinary run.
    Fail,
    /// The user misused us: an ordinary run of these answers says how.
    Misuse,
    /// The run was cut off: too many instructions.
    Cut,
    /// The code did what would kill the process: the signal or exit it would die by, in words.
    Died(String),
    /// The machine cannot go on: what it met.
    Unsupported(String),
}

/// Runs a test on given answers. The search knows no more of the test than this.
pub trait Subject {
    /// Runs once. Choice `n` is answered with `answers[n]` (made to fit its domain), and with the simplest member
    /// where there is none; the case ends with [`Verdict::Overrun`] when it asks for more than `max` choices.
    /// The same answers give the same run, unless the test itself is not deterministic.
    fn run(&mut self, answers: &[Value], max: u32) -> Run;
}
