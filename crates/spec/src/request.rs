//! Requests for models, and the models that answer them.

use crate::{Difference, Spec, Value};

/// Asks for models: what is legal, what makes two of them different, how many. For an example see
/// [`Request::admits`].
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// An object whose fields are the blanks.
    pub spec: Spec,
    /// What every pair is in, beside the default; `Never` for the default alone.
    pub difference: Difference,
    /// How many.
    pub n: usize,
}

/// A model with the choices it made. For an example see [`Request::admits`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Model {
    /// The value of the spec.
    pub value: Value,
    /// For every [`Enumerate`](crate::Enumerate) of the difference, in order of reading (a branch's own come after
    /// it, before the next branch's), the branch or leaf that was chosen; [`NO_CHOICE`] below a branch not taken.
    pub choices: Vec<u64>,
}

/// Represents the choice of an `Enumerate` that was not reached.
pub const NO_CHOICE: u64 = u64::MAX;
