//! Tuples and arrays: of values by their types, and of generators.

use crate::{Generate, Generator, Part, Source, Spaces};

impl Generate for () {
    #[inline]
    fn generate(_: &mut Source) -> Self {}

    fn space(spaces: &mut Spaces) -> Part {
        spaces.nothing()
    }
}

impl<T: Generate, const N: usize> Generate for [T; N] {
    #[inline]
    fn generate(source: &mut Source) -> Self {
        std::array::from_fn(|_| T::generate(source))
    }

    fn space(spaces: &mut Spaces) -> Part {
        let item = T::space(spaces);
        spaces.repeat(item, N)
    }
}

/// One value of each generator, in order.
impl<G: Generator, const N: usize> Generator for [G; N] {
    type Value = [G::Value; N];

    #[inline]
    fn generate(&self, source: &mut Source) -> Self::Value {
        std::array::from_fn(|i| self[i].generate(source))
    }

    fn space(&self, spaces: &mut Spaces) -> Part {
        let parts: Vec<Part> = self.iter().map(|it| it.space(spaces)).collect();
        spaces.sequence(&parts)
    }
}

macro_rules! tuples {
    ($(($($t:ident $i:tt),*))*) => {$(
        impl<$($t: Generator),*> Generator for ($($t,)*) {
            type Value = ($($t::Value,)*);
            #[inline]
            fn generate(&self, source: &mut Source) -> Self::Value {
                ($(self.$i.generate(source),)*)
            }
            fn space(&self, spaces: &mut Spaces) -> Part {
                let parts = [$(self.$i.space(spaces)),*];
                spaces.sequence(&parts)
            }
        }
        impl<$($t: Generate),*> Generate for ($($t,)*) {
            #[inline]
            fn generate(source: &mut Source) -> Self {
                ($($t::generate(source),)*)
            }
            fn space(spaces: &mut Spaces) -> Part {
                let parts = [$($t::space(spaces)),*];
                spaces.sequence(&parts)
            }
        }
    )*};
}

tuples! {
    (A 0)
    (A 0, B 1)
    (A 0, B 1, C 2)
    (A 0, B 1, C 2, D 3)
    (A 0, B 1, C 2, D 3, E 4)
    (A 0, B 1, C 2, D 3, E 4, F 5)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11)
}
