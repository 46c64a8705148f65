//! Shrinking of values whose size is drawn first.
//!
//! The answers behind a size fit that size: with another they mean something else, or nothing that fails. So a smaller size
//! is tried with what follows it drawn anew, as often as it takes to meet a failure that is not rare.

use std::collections::HashSet;
use std::rc::Rc;

use super::Shrinker;
use crate::explain::vary::{Fill, VariedPart, Vary};
use crate::{Case, Choice, Span};

/// How often what is of a smaller size is drawn anew. A failure that one in fifty meets is missed by one shrinking in 50.
const TRIES_EACH: u64 = 200;
/// How many runs are taken in vain, for all sizes together.
const TRIES_MAX: u64 = 1_000;

/// The label of a group whose first choice says how large what the others make is; it is told to [`Source::group`].
///
/// ```
/// assert_eq!(probity_core::SIZED, "sized");
/// ```
///
/// [`Source::group`]: crate::Source::group
pub const SIZED: &str = "sized";

impl Shrinker<'_> {
    /// Draws what is of a size anew, of each smaller size from the least on.
    pub(super) fn lower_sizes(&mut self) {
        let start = self.evaluations;
        let mut at = 0;
        while let Some(&span) = self.trace().spans.get(at) {
            at += 1;
            if span.label != SIZED || span.is_empty() {
                continue;
            }
            let Choice { domain, value } = self.trace().choices[span.range().start].clone();
            for rank in 0..domain.rank(value) {
                let Some(lower) = domain.at(rank) else { break };
                let mut seen = HashSet::new();
                for number in 0..TRIES_EACH {
                    if self.spent || self.evaluations - start >= TRIES_MAX {
                        return;
                    }
                    let Some(case) = self.redraw(span, Fill::Begun(lower), number) else { return };
                    seen.insert(case.trace.values());
                    if self.judge(case) {
                        return;
                    }
                    // All that there are of that size have been met, or nearly so.
                    if number > 20 * seen.len() as u64 {
                        break;
                    }
                }
            }
        }
    }

    /// Runs the trace with a span drawn anew; each second time with all that follows, too, which may only fit the
    /// larger one.
    fn redraw(&mut self, span: Span, fill: Fill, number: u64) -> Option<Case> {
        let recorded = Rc::new(self.trace().clone());
        let mut parts = vec![(VariedPart::of(&span), fill)];
        if number % 2 == 1 {
            let later = span.range().end..recorded.choices.len();
            parts.extend(later.map(|it| (VariedPart::choice(it), Fill::Random)));
        }
        let values = recorded.values();
        let engine = Vary::new(recorded, parts, self.evaluations, number);
        self.evaluate(Box::new(engine), &values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Budget, Source, Value, search_random, shrink};

    #[test]
    fn what_fits_one_size_only_is_drawn_anew_for_smaller_ones() {
        let mut test = |src: &mut Source| {
            let number = src.group(SIZED, |src| {
                let n = src.int(0, 12_u64);
                (0..n).fold(n, |number, _| number * 31 + src.pick_free(&[1; 10]) as u64)
            });
            let other = src.int(0, 9_u64);
            // Of three digits, a few fail; of fewer, none.
            assert!(number < 30_000 || number % 17 != other);
        };
        for seed in 0..20 {
            let budget =
                Budget { cases: 1_000, rejects: 0, go_on: &mut |_| true, progress: Default::default() };
            let found = search_random(seed, &mut test, budget).unwrap().failures.remove(0);
            let shrunk = shrink(found.case, &mut test, 10_000, &mut |_| true).unwrap();
            assert_eq!(shrunk.case.trace.choices[0].value, Value::Int(3), "seed {seed}");
        }
    }
}
