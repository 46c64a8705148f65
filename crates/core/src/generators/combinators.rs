//! Generators made of generators.

use std::fmt;
use std::rc::Rc;

use crate::unwind::{Unwind, unwind};
use crate::{Combine, Generator, Part, Site, Source, Spaces, SpanKind};

/// How often a filter tries again before it rejects the case. Unwinding costs more than a draw, so a
/// filter that keeps one value in ten still succeeds in place 999 times of 1,000.
pub(super) const FILTER_TRIES: u32 = 64;

/// See [`Combine::by_ref`].
#[derive(Debug)]
pub struct ByRef<'a, G>(pub(crate) &'a G);

impl<G: Generator> Generator for ByRef<'_, G> {
    type Value = G::Value;

    #[inline]
    fn generate(&self, source: &mut Source) -> G::Value {
        self.0.generate(source)
    }

    fn shown(&self, value: &G::Value) -> Option<String> {
        self.0.shown(value)
    }

    fn space(&self, spaces: &mut Spaces) -> Part {
        self.0.space(spaces)
    }
}

/// See [`Combine::map`].
#[derive(Clone, Debug)]
pub struct Map<G, F> {
    pub(crate) inner: G,
    pub(crate) f: F,
}

impl<G: Generator, T, F: Fn(G::Value) -> T> Generator for Map<G, F> {
    type Value = T;

    #[inline]
    fn generate(&self, source: &mut Source) -> T {
        (self.f)(self.inner.generate(source))
    }

    fn space(&self, spaces: &mut Spaces) -> Part {
        self.inner.space(spaces)
    }
}

/// See [`Combine::filter`].
#[derive(Clone, Debug)]
pub struct Filter<G, F> {
    pub(crate) inner: G,
    pub(crate) keep: F,
    pub(crate) site: Site,
}

impl<G: Generator, F: Fn(&G::Value) -> bool> Generator for Filter<G, F> {
    type Value = G::Value;

    fn generate(&self, source: &mut Source) -> G::Value {
        filtered(source, self.site, |src| self.inner.generate(src), &self.keep)
    }

    fn space(&self, spaces: &mut Spaces) -> Part {
        let inner = self.inner.space(spaces);
        spaces.unknown_with(format!("`{}` at {}", self.site.what, self.site.location), &[inner])
    }
}

/// What `make` makes once `keep` holds.
pub(crate) fn filtered<T>(
    source: &mut Source,
    site: Site,
    mut make: impl FnMut(&mut Source) -> T,
    keep: impl Fn(&T) -> bool,
) -> T {
    let mark = source.mark();
    let mut refused = 0;
    while refused < FILTER_TRIES {
        let value = source.span("filter", SpanKind::Group, &mut make);
        if keep(&value) {
            source.accept(mark);
            return value;
        }
        drop(value);
        if !source.take_back(mark, site) {
            source.discard_last("filter");
            refused += 1;
        }
    }
    unwind(Unwind::Reject(site))
}

/// See [`Combine::and_then`].
#[derive(Clone, Debug)]
pub struct AndThen<G, F> {
    pub(crate) inner: G,
    pub(crate) f: F,
}

impl<G: Generator, H: Generator, F: Fn(G::Value) -> H> Generator for AndThen<G, F> {
    type Value = H::Value;

    #[inline]
    fn generate(&self, source: &mut Source) -> H::Value {
        (self.f)(self.inner.generate(source)).generate(source)
    }

    fn space(&self, spaces: &mut Spaces) -> Part {
        let first = self.inner.space(spaces);
        spaces.unknown_with("`and_then`", &[first])
    }
}

/// See [`Combine::boxed`]. Cheap to clone.
pub struct Boxed<'a, T>(pub(crate) Rc<dyn Generator<Value = T> + 'a>);

impl<T> Clone for Boxed<'_, T> {
    fn clone(&self) -> Self {
        Boxed(Rc::clone(&self.0))
    }
}

impl<T> fmt::Debug for Boxed<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Boxed<{}>", std::any::type_name::<T>())
    }
}

impl<T> Generator for Boxed<'_, T> {
    type Value = T;

    fn generate(&self, source: &mut Source) -> T {
        self.0.generate(source)
    }

    fn space(&self, spaces: &mut Spaces) -> Part {
        self.0.space(spaces)
    }
}

/// Always the same value, which costs no choice.
///
/// ```
/// use probity_core::{just, sample};
/// assert_eq!(sample(&just("tea"), 1), "tea");
/// ```
pub fn just<T>(value: T) -> Just<T> {
    Just(value)
}

/// See [`just`].
#[derive(Clone, Debug)]
pub struct Just<T>(T);

impl<T: Clone> Generator for Just<T> {
    type Value = T;

    #[inline]
    fn generate(&self, _: &mut Source) -> T {
        self.0.clone()
    }

    fn space(&self, spaces: &mut Spaces) -> Part {
        spaces.nothing()
    }
}

/// One of several generators of the same value type, all as likely; the first is the simplest.
///
/// ```
/// use probity_core::{Combine, from, just, one_of, sample};
/// let coin = one_of([just(0).boxed(), from(1000..2000).boxed()]);
/// let n = sample(&coin, 5);
/// assert!(n == 0 || n >= 1000);
/// ```
pub fn one_of<G>(options: impl IntoIterator<Item = G>) -> OneOf<G> {
    let options: Vec<G> = options.into_iter().collect();
    OneOf { options, weights: Vec::new() }
}

/// As [`one_of()`], each option with its weight.
///
/// ```
/// use probity_core::{just, sample, weighted};
/// assert_eq!(sample(&weighted([(0, just("never")), (3, just("always"))]), 5), "always");
/// ```
pub fn weighted<G>(options: impl IntoIterator<Item = (u32, G)>) -> OneOf<G> {
    // An option without weight is left out altogether: engines other than the random one do not weigh.
    let (weights, options) = options.into_iter().filter(|(weight, _)| *weight > 0).unzip();
    OneOf { options, weights }
}

/// See [`one_of()`].
#[derive(Clone, Debug)]
pub struct OneOf<G> {
    options: Vec<G>,
    weights: Vec<u32>,
}

impl<G: Generator> Generator for OneOf<G> {
    type Value = G::Value;

    fn generate(&self, source: &mut Source) -> G::Value {
        source.span("one_of", SpanKind::Group, |src| {
            let at = match &*self.weights {
                [] => src.pick(self.options.len()),
                weights => src.pick_weighted(weights),
            };
            self.options[at].generate(src)
        })
    }

    fn space(&self, spaces: &mut Spaces) -> Part {
        let parts: Vec<Part> = self.options.iter().map(|it| it.space(spaces)).collect();
        spaces.pick(&parts)
    }
}

impl<G: Generator> Combine for ByRef<'_, G> {}
impl<G: Generator, T, F: Fn(G::Value) -> T> Combine for Map<G, F> {}
impl<G: Generator, F: Fn(&G::Value) -> bool> Combine for Filter<G, F> {}
impl<G: Generator, H: Generator, F: Fn(G::Value) -> H> Combine for AndThen<G, F> {}
impl<T> Combine for Boxed<'_, T> {}
impl<T: Clone> Combine for Just<T> {}
impl<G: Generator> Combine for OneOf<G> {}
