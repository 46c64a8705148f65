//! Values near a value: the neighbor that the user gives, and what the constructed ones are made of.

use crate::{Combine, Generator, Part, Source, Spaces, SpanKind};

#[cfg(test)]
mod tests;

/// How many steps to neighbors a value may take. A step costs at least two choices, and is made again
/// whenever the case is.
const STEPS_MAX: usize = 256;
/// At temperature 1 a number moves by so much of its domain either way: one part of these.
const PARTS: u32 = 20;

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

    fn near(&self, base: &G::Value, temperature: f64, source: &mut Source) -> G::Value {
        (self.f)(base, bounded(temperature), source)
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

/// A temperature within its bounds.
pub(super) fn bounded(temperature: f64) -> f64 {
    if temperature > 0.0 { temperature.min(1.0) } else { 0.0 }
}

/// Whether a part changes: up to every second at temperature 1, never at 0. One in four at least where it
/// may, because a neighbor that is the base again is a case for nothing.
pub(super) fn changes(source: &mut Source, temperature: f64) -> bool {
    let temperature = bounded(temperature);
    let often = (16.0 * (1.0 + temperature)).ceil() as u32;
    temperature > 0.0 && source.pick_weighted(&[64 - often, often]) == 1
}

/// The temperature for one part of several: all of it, or none.
pub(super) fn share(source: &mut Source, temperature: f64) -> f64 {
    if changes(source, temperature) { temperature } else { 0.0 }
}

/// The least and the greatest of the integers of `min..=max` near `base`; none where it is not one of them.
pub(super) fn ints_around(base: i128, min: i128, max: i128, temperature: f64) -> Option<(i128, i128)> {
    let width = max.abs_diff(min);
    let most = (width / u128::from(PARTS)).max(1);
    let reach = match bounded(temperature) {
        0.0 => 0,
        // A float has fewer digits than a wide domain: it may come out a little above.
        it => ((width as f64 / f64::from(PARTS) * it) as u128).clamp(1, most),
    };
    let around = (base.saturating_sub_unsigned(reach).max(min), base.saturating_add_unsigned(reach).min(max));
    (min <= base && base <= max).then_some(around)
}

/// The least and the greatest of the floats of `min..=max` near `base`; none where it is not one of them, or where
/// nothing is near it. Where the domain has no finite width, how large `base` is takes its place.
pub(super) fn floats_around(base: f64, min: f64, max: f64, temperature: f64) -> Option<(f64, f64)> {
    let is_member = min.total_cmp(&base).is_le() && base.total_cmp(&max).is_le();
    let temperature = bounded(temperature);
    if !is_member || temperature == 0.0 {
        return is_member.then_some((base, base));
    }
    let width = max - min;
    let most = if width.is_finite() { width / f64::from(PARTS) } else { base.abs().max(1.0) };
    let (low, high) = (base - most * temperature, base + most * temperature);
    base.is_finite().then_some((
        if low.total_cmp(&min).is_lt() { min } else { low },
        if high.total_cmp(&max).is_gt() { max } else { high },
    ))
}

/// A list of `bounds` items near one of `len`. `item` makes each: near the item at an index, at a temperature,
/// or new.
pub(super) fn list_near<T>(
    source: &mut Source,
    len: usize,
    bounds: (u32, u32),
    temperature: f64,
    mut item: impl FnMut(&mut Source, Option<(usize, f64)>) -> T,
) -> Vec<T> {
    source.span("near", SpanKind::Group, |src| {
        let plan = plan(src, len, bounds, bounded(temperature));
        let mut res = Vec::with_capacity(plan.len());
        src.parts(SpanKind::Group, plan.len() as u32, |src, i| res.push(item(src, plan[i as usize])));
        res
    })
}

/// Which items the list will have.
fn plan(
    source: &mut Source,
    len: usize,
    (min, max): (u32, u32),
    temperature: f64,
) -> Vec<Option<(usize, f64)>> {
    let (min, max) = (min as usize, max as usize);
    let len = len.min(max);
    let mut res = Vec::new();
    if temperature == 0.0 {
        res.extend((0..len).map(|at| Some((at, 0.0))));
    } else {
        let growth = source.int(1u32, 9);
        let often = (3.0 * temperature).ceil() as u32;
        let weights = [100 - 20 * often, 10 * often, (10 - growth) * often, growth * often];
        // How many there will be if nothing more is done.
        let mut n = len;
        for at in 0..len {
            match source.pick_weighted(&weights) {
                1 => res.push(Some((at, temperature))),
                2 if n > min => n -= 1,
                3 if n < max => {
                    n += 1;
                    res.extend([None, Some((at, 0.0))]);
                }
                _ => res.push(Some((at, 0.0))),
            }
        }
        if n < max && source.pick_weighted(&[weights[0], weights[3]]) == 1 {
            res.push(None);
        }
    }
    res.resize(res.len().max(min), None);
    res
}
