//! Types with measures: what `#[probity::measures]` writes, and that its functions say what its terms say.

use std::any::type_name;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::rc::Rc;

use super::Declared;
use super::declared::{cached, read};
use crate::count::Measurer;
use crate::{Spec, Term, Value};

/// A type with measures. Written by `#[probity::measures]`.
///
/// ```
/// use probity_spec::{Spec, Term, Value, draw::Measured};
/// struct Pair(u8, u8);
/// impl Measured for Pair {
///     fn measures(_: &Spec) -> Vec<(&'static str, Term)> {
///         vec![("sum", Term::it().field("0").plus(Term::it().field("1")))]
///     }
///     fn run(&self) -> Vec<(&'static str, Option<Value>)> {
///         vec![("sum", Some(Value::Int(i128::from(self.0) + i128::from(self.1))))]
///     }
/// }
/// assert_eq!(Pair(3, 4).run()[0].1, Some(Value::Int(7)));
/// ```
pub trait Measured {
    /// Names and terms over the value, whose spec without measures is `scope`.
    fn measures(scope: &Spec) -> Vec<(&'static str, Term)>;

    /// What each function gives for this value.
    fn run(&self) -> Vec<(&'static str, Option<Value>)>;
}

/// A type that may have measures: asked by the traits [`ProbeMeasures`] and [`ProbeNothing`], of which the compiler finds
/// the first that there is.
///
/// ```
/// use probity_spec::{Shape, Spec, draw::{MeasureProbe, ProbeMeasures as _, ProbeNothing as _}};
/// assert!((&MeasureProbe::<u8>::new()).measures(&Spec::new(Shape::Bool)).is_empty());
/// assert!((&MeasureProbe::<u8>::new()).run(&7).is_empty());
/// ```
#[derive(Debug)]
pub struct MeasureProbe<T>(PhantomData<T>);

impl<T> MeasureProbe<T> {
    /// The question whether `T` has measures.
    #[allow(clippy::new_without_default, reason = "it is written by a macro, which names the type")]
    pub fn new() -> MeasureProbe<T> {
        MeasureProbe(PhantomData)
    }
}

/// What is known of a type with measures; see [`MeasureProbe`].
pub trait ProbeMeasures<T> {
    /// Its measures; see [`MeasureProbe`].
    fn measures(&self, scope: &Spec) -> Vec<(&'static str, Term)>;

    /// What they give for a value; see [`MeasureProbe`].
    fn run(&self, value: &T) -> Vec<(&'static str, Option<Value>)>;
}

/// What is known of other types; see [`MeasureProbe`].
pub trait ProbeNothing<T> {
    /// None; see [`MeasureProbe`].
    fn measures(&self, scope: &Spec) -> Vec<(&'static str, Term)>;

    /// Nothing; see [`MeasureProbe`].
    fn run(&self, value: &T) -> Vec<(&'static str, Option<Value>)>;
}

impl<T: Measured> ProbeMeasures<T> for MeasureProbe<T> {
    fn measures(&self, scope: &Spec) -> Vec<(&'static str, Term)> {
        T::measures(scope)
    }

    fn run(&self, value: &T) -> Vec<(&'static str, Option<Value>)> {
        value.run()
    }
}

impl<T> ProbeNothing<T> for &MeasureProbe<T> {
    fn measures(&self, _: &Spec) -> Vec<(&'static str, Term)> {
        Vec::new()
    }

    fn run(&self, _: &T) -> Vec<(&'static str, Option<Value>)> {
        Vec::new()
    }
}

/// What measures the values of a spec, which is made once in a thread; none where they are not counted.
fn measurer(spec: fn() -> Spec) -> Option<Rc<Measurer>> {
    thread_local! {
        static CACHE: RefCell<BTreeMap<usize, Option<Rc<Measurer>>>> = const { RefCell::new(BTreeMap::new()) };
    }
    let key = spec as usize;
    let found = CACHE.with_borrow(|it| it.get(&key).cloned());
    found.unwrap_or_else(|| {
        let made = Measurer::new(&spec()).map(Rc::new);
        CACHE.with_borrow_mut(|it| it.insert(key, made.clone()));
        made
    })
}

/// The value that a drawn one represents, where its measures are those that its functions give.
#[track_caller]
pub(super) fn read_measured<T: Declared>(value: &Value) -> T {
    let res: T = read(value, T::from_value);
    let found = res.run_measures();
    if found.is_empty() {
        return res;
    }
    let measurer = measurer(T::spec);
    for (name, found) in found {
        let is_same = match &measurer {
            Some(it) => it.measure(value, name) == found.as_ref().and_then(|found| it.number(found)),
            None => Term::it().measure(name).eval_in(cached(T::spec).spec(), value, None) == found,
        };
        if !is_same {
            let found = found.map_or("nothing".to_string(), |it| it.to_string());
            probity_core::misuse(format!(
                "internal error: the measure `{name}` of `{}` was read as another function than it is, which gives \
                 {found} for {value}; please report it, and write the measure as one `match` meanwhile",
                type_name::<T>()
            ));
        }
    }
    res
}

/// Whether a value meets what its spec requires.
#[track_caller]
pub(super) fn is_valid<T: Declared>(it: &T) -> bool {
    let Some(value) = it.to_value() else {
        probity_core::misuse(format!(
            "nobody says what a `{}` is as a value of its spec; write `Declared::to_value`",
            type_name::<T>()
        ))
    };
    match measurer(T::spec) {
        Some(measurer) => measurer.admits(&value),
        None => cached(T::spec).spec().admits(&value).is_ok(),
    }
}
