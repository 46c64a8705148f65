//! What random cases follow from: a number, and how they leave things out.

use std::num::NonZero;

use crate::rng::hash;

/// What all random answers follow from. A number is a seed with the usual swarm.
///
/// ```
/// use probity_core::{Seed, Swarm};
/// assert_eq!(Seed::from(7), Seed { word: 7, swarm: Swarm::On, part: None });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seed {
    /// The number.
    pub word: u64,
    /// What cases leave out.
    pub swarm: Swarm,
    /// Which of the cases are run, where others run the rest.
    pub part: Option<CasePart>,
}

impl Seed {
    /// The number of a case among those of all parts.
    ///
    /// ```
    /// use probity_core::{CasePart, Seed};
    /// let seed = Seed { part: Some(CasePart::new(1, 4, 100)), ..Seed::from(7) };
    /// assert_eq!((seed.number(0), Seed::from(7).number(3)), (25, 3));
    /// ```
    pub fn number(self, index: u64) -> u64 {
        self.part.map_or(index, |it| it.number(index))
    }

    /// A number for what does not follow from the number of a case: each part has another.
    ///
    /// ```
    /// use probity_core::{CasePart, Seed};
    /// let part = |it| Seed { part: Some(CasePart::new(it, 4, 100)), ..Seed::from(7) };
    /// assert_eq!((Seed::from(7).own_word(), part(0).own_word()), (7, 7));
    /// assert!(part(1).own_word() != part(2).own_word());
    /// ```
    pub fn own_word(self) -> u64 {
        self.part.filter(|it| !it.is_first()).map_or(self.word, |it| hash(self.word, it.part))
    }

    /// For how many cases from this one on each has the number after the one before.
    pub(crate) fn consecutive(self, index: u64) -> u64 {
        self.part.map_or(u64::MAX, |it| it.block.get() - index % it.block)
    }
}

impl From<u64> for Seed {
    fn from(word: u64) -> Self {
        Seed { word, swarm: Swarm::On, part: None }
    }
}

/// One of several parts of the random cases. All parts together have every case, and no two have the same one: numbers are
/// dealt out in blocks, and the blocks in turn.
///
/// ```
/// use probity_core::CasePart;
/// let parts = [0, 1, 2].map(|it| CasePart::new(it, 3, 8));
/// assert_eq!(parts.map(|it| it.cases(8)), [3, 3, 2], "of eight cases");
/// assert_eq!([0, 1, 2, 3].map(|it| parts[2].number(it)), [6, 7, 8, 15], "it goes on where no other part does");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CasePart {
    part: u64,
    of: u64,
    /// Known not to be zero, so that a seed without a part needs no word that says so: the compiler would keep there who
    /// answers a source, and every integer would cost one comparison more.
    block: NonZero<u64>,
}

impl CasePart {
    /// Part number `part` of `of`, the first being zero, where `cases` are wanted of all parts together. Panics where
    /// there is no such part.
    pub fn new(part: u64, of: u64, cases: u64) -> Self {
        assert!(part < of, "no part {part} of {of}; the last one is {}", of.saturating_sub(1));
        CasePart { part, of, block: NonZero::new(cases.div_ceil(of)).unwrap_or(NonZero::<u64>::MIN) }
    }

    /// How many of the first `cases` are in this part.
    ///
    /// ```
    /// use probity_core::CasePart;
    /// assert_eq!(CasePart::new(4, 5, 3).cases(3), 0, "there are more parts than cases");
    /// ```
    pub fn cases(self, cases: u64) -> u64 {
        let block = self.block.get();
        cases.saturating_sub(self.part.saturating_mul(block)).min(block)
    }

    /// The number of its case number `index` among those of all parts.
    ///
    /// ```
    /// use probity_core::CasePart;
    /// assert_eq!(CasePart::new(1, 2, 10).number(4), 9);
    /// ```
    pub fn number(self, index: u64) -> u64 {
        let round = (index / self.block).wrapping_mul(self.of).wrapping_add(self.part);
        round.wrapping_mul(self.block.get()).wrapping_add(index % self.block)
    }

    /// Whether it has the very first case.
    ///
    /// ```
    /// use probity_core::CasePart;
    /// assert!(CasePart::new(0, 2, 10).is_first() && !CasePart::new(1, 2, 10).is_first());
    /// ```
    pub fn is_first(self) -> bool {
        self.part == 0
    }
}

/// What random cases leave out of the arms of `one_of!` and `steps!` and of the variants of derived enums. A case that
/// never closes a file is more likely to open too many. It is a matter of sampling: what was left out is not
/// recorded, and no other engine knows of it.
///
/// ```
/// use probity_core::{Random, Seed, Source, Swarm, run_case, steps};
/// let seed = Seed { swarm: Swarm::Off, ..Seed::from(7) };
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

    /// All parts together are the whole, at full speed and recorded, wherever runs of mixes begin.
    #[test]
    fn parts_are_the_whole() {
        let run = |seed: Seed, first: u64, cases: u64, is_fast: bool| {
            let mut seen: Vec<(u64, bool, Vec<u8>)> = Vec::new();
            let mut test = |src: &mut Source| seen.push(src.any());
            if is_fast {
                let mut source = Source::fast(seed, first, Arc::default());
                source.allow(first + cases);
                assert!(matches!(run_batch(&mut source, &mut test), BatchEnd::Done));
            } else {
                let mut source = Source::new(Box::new(Random::at(seed, first)));
                for _ in 0..cases {
                    source.begin().unwrap();
                    let case = run_case(&mut source, &mut test).unwrap();
                    source.end(&case);
                }
            }
            seen
        };
        for (of, cases) in [(2, 10), (3, 1000), (16, 5000), (7, 3)] {
            for is_fast in [true, false] {
                let whole = run(Seed::from(7), 0, cases, is_fast);
                let mut parts = Vec::new();
                for part in (0..of).map(|it| CasePart::new(it, of, cases)) {
                    let seed = Seed { part: Some(part), ..Seed::from(7) };
                    parts.extend(run(seed, 0, part.cases(cases), is_fast));
                    // What comes after its cases is nobody else's, but what the whole would go on with.
                    let number = part.number(part.cases(cases) + 5);
                    let beyond = run(seed, part.cases(cases) + 5, 1, is_fast);
                    assert_eq!(beyond, run(Seed::from(7), number, 1, is_fast));
                }
                assert_eq!(parts, whole, "{of} parts of {cases}");
            }
        }
    }

    #[test]
    fn no_two_parts_have_the_same_case() {
        for (of, cases) in [(1, 5), (2, 7), (5, 3), (16, 100)] {
            let parts = (0..of).map(|it| CasePart::new(it, of, cases));
            let numbers: Vec<u64> = parts.flat_map(|part| (0..50).map(move |it| part.number(it))).collect();
            let distinct: std::collections::BTreeSet<&u64> = numbers.iter().collect();
            assert_eq!(distinct.len(), numbers.len());
            let own = (0..of).map(|it| CasePart::new(it, of, cases).cases(cases)).sum::<u64>();
            assert_eq!(own, cases);
        }
    }

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
        let off = seen(Seed { swarm: Swarm::Off, ..Seed::from(7) }, 2000);
        assert!(off.iter().filter(|it| **it == 63).count() > 1980, "sixty steps go everywhere");
    }

    #[test]
    fn an_exhaustive_swarm_goes_through_the_subsets() {
        let mut subsets = BTreeMap::new();
        for it in seen(Seed { swarm: Swarm::Exhaustive, ..Seed::from(7) }, 64 * 8) {
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
