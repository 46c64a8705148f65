//! Drawing: a spec as a generator, so that every engine answers its choices.
//!
//! A spec is compiled to parts once. Numbers are drawn from exactly the set their requirements leave, texts from the
//! automaton of their patterns, lists by their lengths; fields that requirements relate are drawn together, each
//! from what those before it leave. What cannot be narrowed is tried a few times and then rejected.
//!
//! [`Drawn::answers`] goes the other way: the answers that make a known value. So models that a plan or a solver made
//! are traces like all others, and can be replayed, shrunk and stored.

mod cluster;
mod compile;
mod contract;
mod declarable;
mod declaration;
mod declared;
mod ints;
mod measured;
mod part;
pub mod rust;
mod slots;
mod sorted;
mod terms;
mod text;

pub use contract::{ProbeSpec, ProbeType, SpecProbe, draw_required};
pub use declarable::Declarable;
pub use declaration::{Declaration, Inputs, IntoDeclaration, declaration, declared, matching};
pub use declared::{Declared, generate_declared};
pub use measured::{MeasureProbe, Measured, ProbeMeasures, ProbeNothing};

pub(crate) use ints::{draw_number, scalar_numbers};

use std::sync::Arc;

use probity_core::{Combine, Generator, Replay, Source, Tail, Verdict, run_case};

use crate::regex::answers::Answers;
use crate::{Spec, Value};
use part::CompiledSpec;

/// A generator of the values of a spec.
///
/// ```
/// use probity_core::sample;
/// use probity_spec::{Shape, Spec, Term, draw::drawn};
/// let (low, high) = (Term::it().field("low"), Term::it().field("high"));
/// let pair = Spec::object([("low", Spec::new(Shape::int(0, 99))), ("high", Spec::new(Shape::int(0, 99)))]);
/// let pair = pair.require(low.lt(high));
/// assert_eq!(drawn(pair.clone()).spec(), &pair);
/// for seed in 0..20 {
///     assert!(pair.admits(&sample(&drawn(pair.clone()), seed)).is_ok());
/// }
/// ```
pub fn drawn(spec: Spec) -> Drawn {
    Drawn { parts: Arc::new(compile::compile(&spec)), spec: Arc::new(spec) }
}

/// See [`drawn`]. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Drawn {
    spec: Arc<Spec>,
    parts: Arc<CompiledSpec>,
}

impl Drawn {
    /// What is drawn; see [`drawn`].
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// The answers to the choices that [`generate`](Generator::generate) asks for, such that it makes `value`; none if
    /// it cannot: the value is not of the spec, or a list or text of it is longer than those drawn.
    ///
    /// ```
    /// use probity_core::{Generator, Replay, Source, Tail, run_case};
    /// use probity_spec::{Shape, Spec, Value, draw::drawn};
    /// let numbers = drawn(Spec::list(Spec::new(Shape::int(0, 9))));
    /// let value = Value::List(vec![Value::Int(4), Value::Int(2)]);
    /// let mut source = Source::new(Box::new(Replay::new(numbers.answers(&value).unwrap(), Tail::Overrun)));
    /// run_case(&mut source, &mut |src: &mut Source| assert_eq!(numbers.generate(src), value)).unwrap();
    /// ```
    pub fn answers(&self, value: &Value) -> Option<Vec<probity_core::Value>> {
        let mut choices = Vec::new();
        let made = self.parts.draw(&mut Answers::known(&mut choices), Some(value));
        // Drawn once more by those answers: a wrong one costs an input, never truth.
        (made.as_ref() == Some(value) && self.replayed(&choices).as_ref() == Some(value)).then_some(choices)
    }

    /// The value that these answers make.
    fn replayed(&self, choices: &[probity_core::Value]) -> Option<Value> {
        let mut value = None;
        replayed(choices, |src| value = Some(self.generate(src)))?;
        value
    }
}

/// Draws by these answers; none where it does not ask for just them.
fn replayed(choices: &[probity_core::Value], mut draw: impl FnMut(&mut Source)) -> Option<()> {
    let mut source = Source::new(Box::new(Replay::new(choices.to_vec(), Tail::Overrun)));
    let case = run_case(&mut source, &mut draw).ok()?;
    (case.verdict == Verdict::Pass && case.trace.values() == choices).then_some(())
}

impl Generator for Drawn {
    type Value = Value;

    fn generate(&self, source: &mut Source) -> Value {
        let made = self.parts.draw(&mut Answers::Source(source), None);
        made.expect("only a known value can be impossible")
    }
}

impl Combine for Drawn {}
