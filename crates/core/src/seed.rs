//! What random cases follow from: a number, and how they leave things out.

/// What all random answers follow from. A number is a seed with the usual swarm.
///
/// ```
/// use probity_core::{Seed, Swarm};
/// assert_eq!(Seed::from(7), Seed { word: 7, swarm: Swarm::On });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seed {
    /// The number.
    pub word: u64,
    /// What cases leave out.
    pub swarm: Swarm,
}

impl From<u64> for Seed {
    fn from(word: u64) -> Self {
        Seed { word, swarm: Swarm::On }
    }
}

/// What random cases leave out of the arms of `one_of!` and `steps!` and of the variants of derived enums. A case that
/// never closes a file is more likely to open too many. It is a matter of sampling: what was left out is not
/// recorded, and no other engine knows of it.
///
/// ```
/// use probity_core::{Random, Seed, Source, Swarm, run_case, steps};
/// let seed = Seed { word: 7, swarm: Swarm::Off };
/// let mut source = Source::new(Box::new(Random::at(seed, 1)));
/// run_case(&mut source, &mut |src: &mut Source| steps!(src, ..9, { up => (), down => () })).unwrap();
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Swarm {
    /// Half of the cases leave out each of them with a chance of one half.
    #[default]
    On,
    /// No case leaves out any.
    Off,
    /// Cases go through the subsets one by one: case `n` leaves out those whose bits `n` has.
    Exhaustive,
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use super::*;
    use crate::unwind::{BatchEnd, run_batch};
    use crate::{Engine, Random, Replay, Source, Tail, run_case, steps};

    const ARMS: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

    /// Many steps, and which arms they went through, by bit.
    fn test(src: &mut Source) -> u32 {
        let mut seen = 0;
        steps!(src, 60, {
            a => seen |= 1, b => seen |= 2, c => seen |= 4, 2 * d => seen |= 8, e => seen |= 16, f => seen |= 32,
        });
        seen
    }

    /// What the first `n` cases after the simplest went through.
    fn seen(seed: Seed, n: u64) -> Vec<u32> {
        let (mut source, mut res) = (Source::fast(seed, 1, Arc::default()), Vec::new());
        source.allow(n + 1);
        let end = run_batch(&mut source, &mut |src: &mut Source| res.push(test(src)));
        assert!(matches!(end, BatchEnd::Done), "{end:?}");
        res
    }

    #[test]
    fn half_of_the_cases_leave_out_each_arm_half_of_the_time() {
        let cases = seen(Seed::from(7), 8000);
        let whole = cases.iter().filter(|it| **it == 63).count();
        // One in 64 of the others leaves out none, and one all, which is none too.
        assert!((3900..4400).contains(&whole), "{whole}");
        for (at, arm) in ARMS.iter().enumerate() {
            let without = cases.iter().filter(|it| **it >> at & 1 == 0).count();
            assert!((1700..2200).contains(&without), "{arm}: {without}");
        }
        let off = seen(Seed { word: 7, swarm: Swarm::Off }, 2000);
        assert!(off.iter().filter(|it| **it == 63).count() > 1980, "sixty steps go everywhere");
    }

    #[test]
    fn an_exhaustive_swarm_goes_through_the_subsets() {
        let mut subsets = BTreeMap::new();
        for it in seen(Seed { word: 7, swarm: Swarm::Exhaustive }, 64 * 8) {
            *subsets.entry(it).or_insert(0) += 1;
        }
        // A subset of few arms is met for certain; of many, an arm may be missed by chance.
        for set in (1..64_u32).filter(|it| it.count_ones() <= 2) {
            assert!(subsets.get(&set).is_some_and(|it| *it >= 8), "{set:b}: {subsets:?}");
        }
        assert!(!subsets.contains_key(&0));
    }

    #[test]
    fn variants_are_the_same_with_recording_and_without() {
        for (n, n_ends) in [(1, 1), (2, 1), (3, 3), (15, 0), (16, 4), (17, 4), (63, 9), (64, 64), (70, 2)] {
            // Two enums in turn: what is known of one is not taken for the other.
            let draw = |src: &mut Source| [0, 1, 1, 0, 0].map(|it| src.pick_variant(n, n_ends, 0x5eed + it));
            let (mut source, mut fast) = (Source::fast(Seed::from(7), 0, Arc::default()), Vec::new());
            source.allow(1100);
            run_batch(&mut source, &mut |src: &mut Source| fast.push(draw(src)));
            assert_eq!(fast.len(), 1100);
            for (index, expected) in (0..).zip(fast) {
                let mut random = Random::at(7, index);
                random.begin().unwrap();
                let mut source = Source::new(Box::new(random));
                run_case(&mut source, &mut |src: &mut Source| assert_eq!(draw(src), expected, "{n} {index}"))
                    .map(|case| assert!(case.verdict.failure().is_none(), "{n} {index}: {:?}", case.verdict))
                    .unwrap();
            }
        }
    }

    #[test]
    fn what_was_left_out_is_in_no_trace() {
        for index in 0..200 {
            let mut random = Random::at(7, index);
            random.begin().unwrap();
            let mut went = 0;
            let case = run_case(&mut Source::new(Box::new(random)), &mut |src: &mut Source| went = test(src));
            let mut again = 0;
            let mut source = Source::new(Box::new(Replay::new(case.unwrap().trace.values(), Tail::Overrun)));
            run_case(&mut source, &mut |src: &mut Source| again = test(src)).unwrap();
            assert_eq!(went, again);
            // An arm that the case left out is as good an answer as any.
            let mut source =
                Source::new(Box::new(Replay::new(vec![crate::Value::Pick(5); 60], Tail::Overrun)));
            run_case(&mut source, &mut |src: &mut Source| assert_eq!(test(src), 32)).unwrap();
        }
    }
}
