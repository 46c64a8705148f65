//! Types of which no value is drawn, with what to write instead. There is an `impl` for each, with a bound that nothing
//! meets, since the message of a bound is the user's: what the compiler says of a missing `impl` fits all types.
//!
//! The bound is on a type of its own, for of two bounds on one type the compiler names the outer. Its lifetime keeps the
//! compiler from refusing the `impl`.

use std::time::Instant;

use crate::{Generate, Source};

/// Who would make an `Instant`.
pub struct InstantMaker;

/// See [`InstantMaker`].
#[diagnostic::on_unimplemented(
    message = "an `Instant` cannot be drawn by its type, since only a clock makes one",
    label = "only a clock makes an `Instant`",
    note = "write `#[from(probity::instants(start))]`, with a call of `Instant::now` for `start`, to draw that instant and \
            later ones; or draw a `Duration`, and add it in the test"
)]
pub trait MakesInstants<'a> {}

impl Generate for Instant
where
    for<'a> InstantMaker: MakesInstants<'a>,
{
    fn generate(_: &mut Source) -> Self {
        unreachable!("nothing meets the bound")
    }
}

/// Who would make a source.
pub struct SourceMaker;

/// See [`SourceMaker`].
#[diagnostic::on_unimplemented(
    message = "a `Source` cannot be drawn, since it is what everything is drawn from",
    label = "write `&mut Source`",
    note = "a test takes it as `src: &mut Source`, and draws with `src.draw(..)`"
)]
pub trait MakesSources<'a> {}

impl Generate for Source
where
    for<'a> SourceMaker: MakesSources<'a>,
{
    fn generate(_: &mut Source) -> Self {
        unreachable!("nothing meets the bound")
    }
}
