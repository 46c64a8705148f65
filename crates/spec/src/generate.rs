//! Requests: so many models of a spec, every pair of them different.

use std::ops::ControlFlow;

use num_bigint::BigUint;

use crate::{Difference, Spec, Value};

/// Asks for models: what is legal, what makes two of them different, how many.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// An object whose fields are the blanks.
    pub spec: Spec,
    /// What every pair stands in, beside the default; `Never` for the default alone.
    pub difference: Difference,
    /// How many.
    pub n: usize,
}

/// A model with the choices it made.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Model {
    /// The value of the spec.
    pub value: Value,
    /// For every [`Enumerate`](crate::Enumerate) of the difference, in order of reading (a branch's own come after
    /// it, before the next branch's), the branch or leaf that was chosen; [`NO_CHOICE`] below a branch not taken.
    pub choices: Vec<u64>,
}

/// Stands for the choice of an `Enumerate` that was not reached.
pub const NO_CHOICE: u64 = u64::MAX;

/// How many models there are, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Total {
    /// The largest set of pairwise different models has exactly so many.
    Exactly(BigUint),
    /// There is no end.
    Infinite,
    /// At least so many, and why it is not known whether there are more.
    AtLeast(BigUint, String),
}

/// How to go about it.
pub struct Options<'a> {
    /// Same seed, same models.
    pub seed: u64,
    /// Who solves what cannot be planned.
    pub solver: SolverChoice,
    /// How a solver is asked for many models.
    pub encoding: Encoding,
    /// Milliseconds for one query.
    pub millis: u64,
    /// Asked now and then; generation ends with what there is when it says so. The caller owns the clock.
    pub stop: &'a dyn Fn() -> bool,
    /// Skips the plans, to compare them with solvers.
    pub plan: bool,
}

/// Who solves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SolverChoice {
    /// The solver that needs nothing installed.
    Builtin,
    /// A program that speaks SMT-LIB 2, with its arguments, and where to write the transcript.
    Smt {
        /// The program: a name on the path, or a path.
        program: String,
        /// A file for everything said to it and by it.
        transcript: Option<std::path::PathBuf>,
    },
}

/// How a solver is asked for many models (the paper's §8).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Whichever fits.
    Auto,
    /// One after the other, each different from those before.
    OneAtATime,
    /// One query with `distinct`.
    Distinct,
    /// One query that relates every pair.
    AllAtOnce,
}

/// What came of a request. The models were handed out on the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generated {
    /// How many were handed out.
    pub models: usize,
    /// How many there are: always known to be fewer than asked when fewer came and nothing was given up.
    pub total: Total,
    /// What was planned, what was solved, and why: lines for `--explain`.
    pub explanation: Vec<String>,
}

/// Why nothing could be generated: a misuse, in words for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestError(pub String);

impl Default for Options<'_> {
    fn default() -> Self {
        Options {
            seed: 0,
            solver: SolverChoice::Builtin,
            encoding: Encoding::Auto,
            millis: 5_000,
            stop: &|| false,
            plan: true,
        }
    }
}

/// Hands `n` pairwise different models to `each`, which may end it early; fewer when there are no more.
pub fn generate(
    request: &Request,
    options: &Options,
    each: &mut dyn FnMut(Model) -> ControlFlow<()>,
) -> Result<Generated, RequestError> {
    let _ = (request, options, each);
    Err(RequestError("not built yet".to_string()))
}
