//! Types that hold one value or two of another: pointers, cells, options, ranges.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::cmp::{Ordering, Reverse};
use std::fmt::Debug;
use std::marker::PhantomData;
use std::num::{Saturating, Wrapping};
use std::ops::{Bound, Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};
use std::rc::Rc;
use std::sync::{Arc, Mutex, RwLock};

use crate::generator::many;
use crate::{Combine, Generate, Generator, Nesting, Part, Source, Spaces, SpanKind};

/// `None`, or `Some` value of `inner` three times as often.
///
/// ```
/// use probity_core::{optional, sample};
/// assert!(sample(&optional(1..=6), 7).is_none_or(|it| it <= 6));
/// ```
pub fn optional<G>(inner: G) -> Optional<G> {
    Optional(inner)
}

/// See [`optional`].
#[derive(Clone, Debug)]
pub struct Optional<G>(G);

impl<G: Generator> Generator for Optional<G> {
    type Value = Option<G::Value>;

    #[inline]
    fn generate(&self, source: &mut Source) -> Self::Value {
        option_of(source, |src| self.0.generate(src))
    }

    fn space(&self, spaces: &mut Spaces) -> Part {
        let parts = [spaces.nothing(), self.0.space(spaces)];
        spaces.pick(&parts)
    }
}

impl<G: Generator> Combine for Optional<G> {}

impl<T: Generate> Generate for Option<T> {
    #[inline]
    fn generate(source: &mut Source) -> Self {
        option_of(source, T::generate)
    }

    #[inline]
    fn generate_items(source: &mut Source, n: u32) -> Vec<Self> {
        // Items have spans of their own.
        many(source, n, |src| some_or_none(src, T::generate))
    }

    fn space(spaces: &mut Spaces) -> Part {
        let parts = [spaces.nothing(), T::space(spaces)];
        spaces.pick(&parts)
    }
}

#[inline]
fn option_of<T>(source: &mut Source, inner: impl FnOnce(&mut Source) -> T) -> Option<T> {
    // Where the size budget is spent it is `None`, so that a list behind options comes to an end; but it
    // is asked all the same, for engines that have other bounds.
    if source.is_fast() {
        some_or_none(source, inner)
    } else {
        grouped(source, "Option", |src| some_or_none(src, inner))
    }
}

#[inline(always)]
fn ok_or_err<T: Generate, E: Generate>(source: &mut Source) -> Result<T, E> {
    if source.pick(2) == 0 { Ok(T::generate(source)) } else { Err(E::generate(source)) }
}

#[inline(always)]
fn some_or_none<T>(source: &mut Source, inner: impl FnOnce(&mut Source) -> T) -> Option<T> {
    let weights = match source.nesting() {
        Nesting::End => &[1, 0],
        Nesting::Free => &[1, 3],
        Nesting::On => &[0, 1],
    };
    let some = source.pick_weighted(weights);
    (some == 1).then(|| inner(source))
}

/// Draws what belongs together in a span, out of the way of the fast mode: lists of options are a tenth slower
/// where its code stands between theirs.
#[cold]
#[inline(never)]
fn grouped<T>(source: &mut Source, label: &'static str, draw: impl FnOnce(&mut Source) -> T) -> T {
    source.span(label, SpanKind::Group, draw)
}

impl<T: Generate, E: Generate> Generate for Result<T, E> {
    #[inline]
    fn generate(source: &mut Source) -> Self {
        if source.is_fast() { ok_or_err(source) } else { grouped(source, "Result", ok_or_err) }
    }

    fn space(spaces: &mut Spaces) -> Part {
        let parts = [T::space(spaces), E::space(spaces)];
        spaces.pick(&parts)
    }
}

macro_rules! holders {
    ($($t:ident)*: $bound:ident) => {$(
        impl<T: Generate + $bound> Generate for $t<T> {
            #[inline]
            fn generate(source: &mut Source) -> Self {
                T::generate(source).into()
            }
            fn space(spaces: &mut Spaces) -> Part {
                T::space(spaces)
            }
        }
    )*};
}

holders! { Box Rc Arc RefCell Mutex RwLock: Sized }
// Only such cells have a `Debug`.
holders! { Cell: Copy }

macro_rules! newtypes {
    ($($t:ident)*) => {$(
        /// As what it holds.
        ///
        /// ```
        /// use probity_core::{any, sample};
        /// use std::num::{Saturating, Wrapping};
        /// let (a, b): (Saturating<u8>, Wrapping<u8>) = sample(&any(), 7);
        /// assert!((a + a).0 >= a.0 && (b - b).0 == 0);
        /// ```
        impl<T: Generate> Generate for $t<T> {
            #[inline]
            fn generate(source: &mut Source) -> Self {
                $t(T::generate(source))
            }
            fn space(spaces: &mut Spaces) -> Part {
                T::space(spaces)
            }
        }
    )*};
}

newtypes! { Wrapping Saturating Reverse }

macro_rules! unsized_holders {
    ($($t:ident)*) => {$(
        /// As the `String` that it is made of.
        ///
        /// ```
        /// use probity_core::{any, sample};
        /// use std::sync::Arc;
        /// let text: Arc<str> = sample(&any(), 7);
        /// assert_eq!(text.to_string(), *text);
        /// ```
        impl Generate for $t<str> {
            fn generate(source: &mut Source) -> Self {
                String::generate(source).into()
            }
            fn space(spaces: &mut Spaces) -> Part {
                String::space(spaces)
            }
        }
        /// As the `Vec` that it is made of.
        ///
        /// ```
        /// use probity_core::{any, sample};
        /// let items: Box<[u8]> = sample(&any(), 7);
        /// assert_eq!(items.to_vec().into_boxed_slice(), items);
        /// ```
        impl<T: Generate> Generate for $t<[T]> {
            fn generate(source: &mut Source) -> Self {
                Vec::generate(source).into()
            }
            fn space(spaces: &mut Spaces) -> Part {
                <Vec<T>>::space(spaces)
            }
        }
    )*};
}

unsized_holders! { Box Rc Arc }

/// Always owned: a borrowed one would need something to borrow from.
///
/// ```
/// use probity_core::{any, sample};
/// use std::borrow::Cow;
/// let text: Cow<str> = sample(&any(), 7);
/// assert!(matches!(text, Cow::Owned(_)));
/// ```
impl<B: ?Sized + ToOwned + Debug> Generate for Cow<'_, B>
where
    B::Owned: Generate,
{
    #[inline]
    fn generate(source: &mut Source) -> Self {
        Cow::Owned(B::Owned::generate(source))
    }

    fn space(spaces: &mut Spaces) -> Part {
        B::Owned::space(spaces)
    }
}

impl<T: ?Sized> Generate for PhantomData<T> {
    #[inline]
    fn generate(_: &mut Source) -> Self {
        PhantomData
    }

    fn space(spaces: &mut Spaces) -> Part {
        spaces.nothing()
    }
}

impl Generate for Ordering {
    #[inline]
    fn generate(source: &mut Source) -> Self {
        [Ordering::Equal, Ordering::Less, Ordering::Greater][source.pick(3)]
    }

    fn space(spaces: &mut Spaces) -> Part {
        super::choosing::pick(spaces, 3)
    }
}

/// Two ends, in order but for one range in eight of those drawn the wrong way round.
#[inline]
fn ends<T: Generate + PartialOrd>(source: &mut Source) -> (T, T) {
    let (start, end) = (T::generate(source), T::generate(source));
    if end < start && source.pick_weighted(&[7, 1]) == 0 { (end, start) } else { (start, end) }
}

impl<T: Generate + PartialOrd> Generate for Range<T> {
    fn generate(source: &mut Source) -> Self {
        let (start, end) = ends(source);
        start..end
    }
}

impl<T: Generate + PartialOrd> Generate for RangeInclusive<T> {
    fn generate(source: &mut Source) -> Self {
        let (start, end) = ends(source);
        start..=end
    }
}

impl<T: Generate> Generate for RangeFrom<T> {
    fn generate(source: &mut Source) -> Self {
        T::generate(source)..
    }

    fn space(spaces: &mut Spaces) -> Part {
        T::space(spaces)
    }
}

impl<T: Generate> Generate for RangeTo<T> {
    fn generate(source: &mut Source) -> Self {
        ..T::generate(source)
    }

    fn space(spaces: &mut Spaces) -> Part {
        T::space(spaces)
    }
}

impl<T: Generate> Generate for RangeToInclusive<T> {
    fn generate(source: &mut Source) -> Self {
        ..=T::generate(source)
    }

    fn space(spaces: &mut Spaces) -> Part {
        T::space(spaces)
    }
}

impl Generate for RangeFull {
    fn generate(_: &mut Source) -> Self {
        ..
    }

    fn space(spaces: &mut Spaces) -> Part {
        spaces.nothing()
    }
}

impl<T: Generate> Generate for Bound<T> {
    fn generate(source: &mut Source) -> Self {
        source.span("Bound", SpanKind::Group, |src| match src.pick(3) {
            0 => Bound::Unbounded,
            1 => Bound::Included(T::generate(src)),
            _ => Bound::Excluded(T::generate(src)),
        })
    }

    fn space(spaces: &mut Spaces) -> Part {
        let (none, end) = (spaces.nothing(), T::space(spaces));
        spaces.pick(&[none, end, end])
    }
}
