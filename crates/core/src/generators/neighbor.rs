//! Values near a value: neighbors that the user gives.

use crate::{Combine, Generator, Part, Source, Spaces, SpanKind};

#[cfg(test)]
mod tests;

/// How many steps to neighbors a value may take. A step costs at least two choices, and is made again
/// whenever the case is.
const STEPS_MAX: usize = 256;

/// See [`Combine::neighbor`].
#[derive(Clone, Debug)]
pub struct Neighbor<G, F> {
    pub(crate) inner: G,
    pub(crate) f: F,
}

impl<G, F> Generator for Neighbor<G, F>
where
    G: Generator,
    F: Fn(&G::Value, f64, &mut Source) -> G::Value,
{
    type Value = G::Value;

    // A value cannot be kept from one case to the next, so all the steps that led to it are in the trace.
    fn generate(&self, source: &mut Source) -> G::Value {
        source.span("neighbor", SpanKind::Neighbor, |src| {
            let mut value = src.span("first", SpanKind::Group, |src| self.inner.generate(src));
            for _ in 0..STEPS_MAX {
                let step = |src: &mut Source| {
                    src.takes_step().then(|| {
                        let temperature = src.f64(0.0, 1.0, false);
                        (self.f)(&value, temperature, src)
                    })
                };
                match src.span("step", SpanKind::Group, step) {
                    Some(next) => value = next,
                    None => break,
                }
            }
            value
        })
    }

    fn space(&self, spaces: &mut Spaces) -> Part {
        let parts = [self.inner.space(spaces), spaces.no_step()];
        spaces.sequence(&parts)
    }
}

impl<G, F> Combine for Neighbor<G, F>
where
    G: Generator,
    F: Fn(&G::Value, f64, &mut Source) -> G::Value,
{
}
