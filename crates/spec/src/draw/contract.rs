//! The inputs of a function as its contract requires them: what the test of a `#[probity::contract]` draws.
//!
//! A contract is Rust, so its parameters may be of any type and its conditions any expression. What has a spec is drawn by
//! it, narrowed by the conditions that specs have words for; the rest is drawn by type, and all conditions are assumed.

use std::marker::PhantomData;

use probity_core::{Generate, Generator, Source};

use super::Declared;
use super::declared::cached;
use super::measured::read_measured;
use crate::{Spec, Term, Value};

/// A type that may have a spec, or else is drawn by itself: asked by the traits [`ProbeSpec`] and [`ProbeType`], of which the
/// compiler finds the first that there is.
///
/// ```
/// use probity_spec::draw::{SpecProbe, ProbeSpec as _, ProbeType as _};
/// assert!((&SpecProbe::<u8>::new()).spec().is_some());
/// assert!((&SpecProbe::<std::time::Duration>::new()).spec().is_none());
/// ```
#[derive(Debug)]
pub struct SpecProbe<T>(PhantomData<T>);

impl<T> SpecProbe<T> {
    /// The question whether `T` has a spec.
    #[allow(clippy::new_without_default, reason = "it is written by a macro, which names the type")]
    pub fn new() -> SpecProbe<T> {
        SpecProbe(PhantomData)
    }
}

/// What is known of a type with a spec; see [`SpecProbe`].
pub trait ProbeSpec<T> {
    /// Its spec.
    fn spec(&self) -> Option<Spec>;

    /// Its value in an object that was drawn.
    fn read(&self, object: &Value, name: &str, source: &mut Source) -> T;
}

/// What is known of other types; see [`SpecProbe`].
pub trait ProbeType<T> {
    /// None.
    fn spec(&self) -> Option<Spec>;

    /// A value that is drawn by type.
    fn read(&self, object: &Value, name: &str, source: &mut Source) -> T
    where
        T: Generate;
}

impl<T: Declared> ProbeSpec<T> for SpecProbe<T> {
    fn spec(&self) -> Option<Spec> {
        Some(T::spec())
    }

    fn read(&self, object: &Value, name: &str, _: &mut Source) -> T {
        match object.field(name) {
            Some(it) => read_measured(it),
            None => probity_core::misuse(format!("internal error: `{name}` was not drawn; please report it")),
        }
    }
}

// For every type, so that the compiler says of one without a generator that it has none.
impl<T> ProbeType<T> for &SpecProbe<T> {
    fn spec(&self) -> Option<Spec> {
        None
    }

    fn read(&self, _: &Value, _: &str, source: &mut Source) -> T
    where
        T: Generate,
    {
        T::generate(source)
    }
}

/// A condition of a contract: the parameters that it is about, and its term.
pub type Condition<'a> = (&'a [&'a str], fn(&Spec) -> Term);

/// An object of the parameters that have a spec, where those conditions hold that are about them alone and that specs have
/// words for.
///
/// ```
/// use probity_spec::{Shape, Spec, Term, draw::rust::required};
/// let digit = Spec::new(Shape::int(0, 9));
/// let less = |_: &Spec| Term::it().field("a").lt(Term::it().field("b"));
/// let spec = required(&[("a", Some(digit.clone())), ("b", Some(digit)), ("c", None)], &[(&["a", "b"], less)]);
/// assert_eq!(spec.to_string(), "(object (a (int 0 9)) (b (int 0 9)) (require (< (. it a) (. it b))))");
/// ```
pub fn required(params: &[(&str, Option<Spec>)], conditions: &[Condition]) -> Spec {
    narrowed(params, conditions).0
}

/// Which of the conditions hold of what is drawn, because they are a part of its spec.
///
/// ```
/// use probity_spec::{Shape, Spec, Term, draw::rust::narrowing};
/// let digit = Spec::new(Shape::int(0, 9));
/// let odd = |_: &Spec| Term::it().field("b").lt(Term::int(3));
/// assert_eq!(narrowing(&[("a", None), ("b", Some(digit))], &[(&["b"], odd), (&["a", "b"], odd)]), [true, false]);
/// ```
pub fn narrowing(params: &[(&str, Option<Spec>)], conditions: &[Condition]) -> Vec<bool> {
    narrowed(params, conditions).1
}

fn narrowed(params: &[(&str, Option<Spec>)], conditions: &[Condition]) -> (Spec, Vec<bool>) {
    let has_spec = |name: &&str| params.iter().any(|it| it.0 == *name && it.1.is_some());
    let mut spec = Spec::object(params.iter().filter_map(|(name, it)| Some((*name, it.clone()?))));
    let mut narrows = vec![false; conditions.len()];
    for ((names, term), narrows) in conditions.iter().zip(&mut narrows) {
        if names.iter().all(has_spec) {
            let term = term(&spec);
            if term.is_truth_in(&spec).is_ok() {
                spec = spec.require(term);
                *narrows = true;
            }
        }
    }
    (spec, narrows)
}

/// Draws such an object.
///
/// ```
/// use probity_core::{Source, sample};
/// use probity_spec::{Shape, Spec, Value, draw::{draw_required, rust::required}};
/// fn digit() -> Spec {
///     required(&[("a", Some(Spec::new(Shape::int(0, 9))))], &[])
/// }
/// let drawn = sample(&|src: &mut Source| draw_required(digit, src), 7);
/// assert!(drawn.field("a").is_some());
/// ```
pub fn draw_required(inputs: fn() -> Spec, source: &mut Source) -> Value {
    cached(inputs).generate(source)
}
