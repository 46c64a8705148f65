//! Values that contain values of their own kind.

use std::cell::OnceCell;
use std::fmt;
use std::rc::{Rc, Weak};

use crate::{Boxed, Combine, Generator, Nesting, Part, Source, Spaces, from};

/// A generator that may use itself. `leaf` makes the values that end it; `branch` is given the whole
/// generator to build larger values from. Every level halves the size budget, and at its end only
/// leaves are drawn, so it always terminates. In some random cases one branch goes deeper.
///
/// ```
/// use probity_core::{Combine, from, recursive, sample, vec};
/// #[derive(Debug)]
/// enum Json { Number(u8), List(Vec<Json>) }
/// let json = recursive(from(0u8..10).map(Json::Number), |json| vec(json, 0..=4).map(Json::List));
/// let _ = sample(&json, 7);
/// ```
pub fn recursive<'a, T: 'a, L, B>(leaf: L, branch: impl FnOnce(Boxed<'a, T>) -> B) -> Recursive<'a, T>
where
    L: Generator<Value = T> + 'a,
    B: Generator<Value = T> + 'a,
{
    let knot = Rc::new(Knot { leaf: from(leaf).boxed(), branch: OnceCell::new() });
    let whole = Boxed(Rc::new(WeakKnot(Rc::downgrade(&knot))));
    let _ = knot.branch.set(from(branch(whole)).boxed());
    Recursive(knot)
}

/// See [`recursive`].
pub struct Recursive<'a, T>(Rc<Knot<'a, T>>);

struct Knot<'a, T> {
    leaf: Boxed<'a, T>,
    branch: OnceCell<Boxed<'a, T>>,
}

/// The generator as it is seen from inside: it must not own itself.
struct WeakKnot<'a, T>(Weak<Knot<'a, T>>);

impl<T> Generator for WeakKnot<'_, T> {
    type Value = T;

    fn generate(&self, source: &mut Source) -> T {
        match self.0.upgrade() {
            Some(knot) => knot.generate(source),
            None => {
                crate::misuse("a recursive generator was used after it was dropped; keep the outer one alive")
            }
        }
    }

    fn space(&self, spaces: &mut Spaces) -> Part {
        match self.0.upgrade() {
            Some(knot) => knot.space(spaces),
            None => spaces.unknown("a recursive generator that was dropped"),
        }
    }
}

impl<T> Knot<'_, T> {
    fn generate(&self, source: &mut Source) -> T {
        source.nest(std::any::type_name::<Self>(), |src| {
            // The question is asked even where the size budget is spent: so every value begins alike, and an
            // engine that has other bounds may go on.
            let weights = match src.nesting() {
                Nesting::End => [1, 0],
                Nesting::Free => [1, 1],
                Nesting::On => [0, 1],
            };
            match (src.pick_weighted(&weights), self.branch.get()) {
                (1, Some(branch)) => branch.generate(src),
                _ => self.leaf.generate(src),
            }
        })
    }

    fn space(&self, spaces: &mut Spaces) -> Part {
        spaces.knot(std::ptr::from_ref(self).addr(), |spaces| {
            let leaf = self.leaf.space(spaces);
            let branch = self.branch.get().map_or(leaf, |it| it.space(spaces));
            let either = spaces.pick(&[leaf, branch]);
            spaces.nest(either)
        })
    }
}

impl<T> Clone for Recursive<'_, T> {
    fn clone(&self) -> Self {
        Recursive(Rc::clone(&self.0))
    }
}

impl<T> fmt::Debug for Recursive<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Recursive<{}>", std::any::type_name::<T>())
    }
}

impl<T> Generator for Recursive<'_, T> {
    type Value = T;

    fn generate(&self, source: &mut Source) -> T {
        self.0.generate(source)
    }

    fn space(&self, spaces: &mut Spaces) -> Part {
        self.0.space(spaces)
    }
}

impl<T> Combine for Recursive<'_, T> {}
