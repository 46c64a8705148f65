//! Inputs of other fuzzers, varied as ours are: bytes are read as a trace, one of the moves of the targeted engine is made, and
//! what comes of it is written as bytes again.

use std::cell::RefCell;
use std::rc::Rc;

use super::targeted::outline::TraceOutline;
use super::targeted::variation::Variation;
use super::{ByteReplay, Ended, Engine, Ordered, Refusal, Stop};
use crate::{Case, Domain, Rng, Site, Source, Test, Trace, Value, run_case};

/// Varies the bytes that [`ByteReplay`] reads.
///
/// ```
/// use probity_core::{ByteMutator, ByteReplay, Source, run_case};
/// let mut inputs = |src: &mut Source| _ = src.any::<(u32, Vec<u8>)>();
/// let mut mutator = ByteMutator::default();
/// let first = [1, 2, 3, 4, 2, 10, 11];
/// let varied: Vec<_> = (0..20).filter_map(|seed| mutator.mutate(&mut inputs, &first, seed)).collect();
/// assert!(varied.iter().any(|it| *it != first) && varied.iter().all(|it| it.len() >= 5));
/// ```
pub struct ByteMutator {
    moves: Rc<RefCell<ByteMoves>>,
}

/// What the engine of a varied case shares with the mutator, since a source owns its engine.
struct ByteMoves {
    variation: Variation,
    base: TraceOutline,
    /// What was varied before: parts of it may be put in.
    other: TraceOutline,
}

/// Keeps what neighbors draw apart from the random numbers of a fuzzer.
const SALT: u64 = 0x6279_7465;

impl Default for ByteMutator {
    fn default() -> Self {
        let moves = ByteMoves {
            variation: Variation::new(0.into(), SALT, Rng::new(0)),
            base: TraceOutline::default(),
            other: TraceOutline::default(),
        };
        ByteMutator { moves: Rc::new(RefCell::new(moves)) }
    }
}

impl ByteMutator {
    /// Bytes that are read as a neighbor of what `bytes` are read as. `inputs` draws what the test draws; the test itself does
    /// so, too. None where that draws nothing that can be varied.
    pub fn mutate(&mut self, inputs: &mut dyn Test, bytes: &[u8], seed: u64) -> Option<Vec<u8>> {
        let mut source = Source::new(Box::new(ByteReplay::new(bytes.to_vec())));
        source.begin().ok()?;
        let base = run_case(&mut source, inputs).ok()?;
        {
            let moves = &mut *self.moves.borrow_mut();
            let ByteMoves { variation, base: outline, other } = moves;
            std::mem::swap(outline, other);
            outline.set(&base.trace, &mut variation.labels);
            if outline.slots.is_empty() {
                return None;
            }
            (variation.rng, variation.seed) = (Rng::new(seed), seed.into());
            let other = (!other.slots.is_empty()).then_some(&*other);
            variation.begin_neighbour(0, outline, other, 1.0);
        }
        let mut source = Source::new(Box::new(ByteNeighbour(Rc::clone(&self.moves))));
        source.begin().ok()?;
        Some(run_case(&mut source, inputs).ok()?.trace.to_bytes())
    }
}

/// The engine of the one case that is varied.
struct ByteNeighbour(Rc<RefCell<ByteMoves>>);

impl Engine for ByteNeighbour {
    fn begin(&mut self) -> Result<(), Ended> {
        Ok(())
    }

    fn answer(&mut self, domain: &Domain, so_far: &Trace) -> Result<Value, Stop> {
        let ByteMoves { variation, base, .. } = &mut *self.0.borrow_mut();
        Ok(variation.answer(domain, so_far, None, Some(base)))
    }

    fn end(&mut self, _: &Case) {}

    fn order(&mut self) -> Option<&mut dyn Ordered> {
        Some(self)
    }
}

impl Ordered for ByteNeighbour {
    fn is_sample(&mut self) -> bool {
        false
    }

    fn refuse(&mut self, start: usize, can_return: bool, site: Site) -> Refusal {
        self.0.borrow_mut().variation.refuse(start, can_return, site)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is varied is read as it was made, in every part of the input.
    #[test]
    fn each_part_of_an_input_is_varied() {
        type Drawn = (u32, bool, Vec<(u8, i16)>, String);
        let mut seen = Vec::new();
        let mut mutator = ByteMutator::default();
        let first = [1, 0, 0, 0, 1, 2, 7, 0, 1, 8, 0, 2, 3, b'a', b'b', b'c'];
        for seed in 0..2000 {
            let mut inputs = |src: &mut Source| _ = src.any::<Drawn>();
            let bytes = mutator.mutate(&mut inputs, &first, seed).unwrap();
            let mut source = Source::new(Box::new(ByteReplay::new(bytes)));
            source.begin().unwrap();
            run_case(&mut source, &mut |src: &mut Source| seen.push(src.any::<Drawn>())).unwrap();
        }
        let (number, flag, list, text) = seen[0].clone();
        assert!(seen.iter().any(|it| it.0 != number) && seen.iter().any(|it| it.1 != flag));
        assert!(seen.iter().any(|it| it.2.len() != list.len()) && seen.iter().any(|it| it.3 != text));
        let kept = seen.iter().filter(|it| it.0 == 1 && it.1).count();
        assert!(kept > 500, "a neighbour is mostly like what it is a neighbour of: {kept}");
    }

    #[test]
    fn a_test_that_draws_nothing_is_not_varied() {
        assert_eq!(ByteMutator::default().mutate(&mut |_: &mut Source| {}, &[1, 2], 3), None);
        let mut fails = |src: &mut Source| assert!(src.any::<u8>() > 254, "not one of two");
        assert!(ByteMutator::default().mutate(&mut fails, &[1, 2], 3).is_some());
    }
}
