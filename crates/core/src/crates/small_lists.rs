//! `SmallVec`, of the crate `smallvec`.

use smallvec::{Array, SmallVec};

use crate::{Generate, Part, Source, Spaces};

/// Within its own memory as long as the items fit there.
impl<A: Array<Item: Generate>> Generate for SmallVec<A> {
    fn generate(source: &mut Source) -> Self {
        <Vec<A::Item>>::generate(source).into_iter().collect()
    }

    fn space(spaces: &mut Spaces) -> Part {
        <Vec<A::Item>>::space(spaces)
    }
}
