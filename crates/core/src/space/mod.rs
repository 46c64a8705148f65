//! Spaces: all the inputs of a generator, counted and reached by index without running it.
//!
//! A trace is determined by its answers, so a space says which choices a generator asks for and in which
//! order, not what it makes of them. From that follows how many inputs of each size there are, by sums
//! over alternatives and by convolution over sequences, and so which input has an index.

mod count;
mod cycles;
mod describe;
mod graph;
#[cfg(test)]
mod tests;

use std::fmt;

use crate::{Choice, Ended, Generator, Replay, Rng, Value, size};
use count::{CountTable, TOO_MANY, is_below, member};
use graph::{PieceShape, Room, SpaceGraph};

pub(crate) use cycles::{Cycles, TypeKey};
pub use describe::{Part, Spaces};

/// All the inputs of a generator, by size: see [`Trace::size`](crate::Trace::size). An input is what was
/// answered: where a generator makes the same value of different answers, each of them counts.
///
/// ```
/// use probity_core::{Space, vec};
/// let mut bits = Space::of(&vec(0..=1, 0..=3)).unwrap();
/// assert_eq!(bits.total(), Some(15));
/// let by_size: Vec<_> = (0..=6).map(|size| bits.count(size).unwrap()).collect();
/// assert_eq!(by_size, [1, 1, 2, 3, 4, 3, 1]);
/// assert_eq!(bits.nth(14).unwrap().len(), 4, "the last has a length and three ones");
/// ```
///
/// The size budget of random cases does not bound a space. Of a float domain only the few members count that have
/// a size; see [`is_whole`](Space::is_whole).
#[derive(Debug)]
pub struct Space {
    graph: SpaceGraph,
    known: CountTable,
    /// The size of the input found last, and how many are smaller.
    cursor: (u64, u128),
}

impl Space {
    /// The space of a generator, or why there is none.
    ///
    /// ```
    /// use probity_core::{Combine, Space, any};
    /// assert_eq!(Space::of(&any::<(u8, u8)>()).unwrap().total(), Some(65_536));
    /// assert!(Space::of(&any::<u8>().filter(|n| n % 2 == 0)).is_err());
    /// ```
    pub fn of<G: Generator + ?Sized>(generator: &G) -> Result<Space, UnknownSpace> {
        Space::new(|spaces| generator.space(spaces))
    }

    /// The space that `describe` describes.
    ///
    /// ```
    /// use probity_core::{Generate, Space};
    /// assert_eq!(Space::new(bool::space).unwrap().total(), Some(2));
    /// ```
    pub fn new(describe: impl FnOnce(&mut Spaces) -> Part) -> Result<Space, UnknownSpace> {
        let mut spaces = Spaces::new();
        let root = describe(&mut spaces);
        let graph = SpaceGraph::new(spaces, root)?;
        let mut known = CountTable::default();
        // Asked from the top, these would go down all levels at once and take much stack.
        for (piece, room) in graph.deepest() {
            graph.greatest(&mut known, piece, room);
            graph.total(&mut known, piece, room);
        }
        Ok(Space { graph, known, cursor: (0, 0) })
    }

    /// How many inputs have exactly this size; `None` where they are more than a `u128` holds.
    ///
    /// ```
    /// use probity_core::{Space, any};
    /// let mut bytes = Space::of(&any::<Vec<i8>>()).unwrap();
    /// assert_eq!(bytes.count(2), Some(3), "[0, 0], [1] and [-1]");
    /// ```
    pub fn count(&mut self, size: u64) -> Option<u128> {
        Some(self.count_of(size)).filter(|it| *it != TOO_MANY)
    }

    fn count_of(&mut self, size: u64) -> u128 {
        self.graph.count(&mut self.known, self.graph.root, Room::WHOLE, size)
    }

    /// How many inputs there are; `None` where there is no end of them, or more than a `u128` holds.
    ///
    /// ```
    /// use probity_core::{Space, any};
    /// assert_eq!(Space::of(&any::<Option<bool>>()).unwrap().total(), Some(3));
    /// assert_eq!(Space::of(&any::<String>()).unwrap().total(), None);
    /// ```
    pub fn total(&mut self) -> Option<u128> {
        Some(self.total_of()).filter(|it| *it != TOO_MANY)
    }

    fn total_of(&mut self) -> u128 {
        self.graph.total(&mut self.known, self.graph.root, Room::WHOLE)
    }

    /// The answers that give the input at `index`: smaller inputs first, and those of one size in a fixed
    /// order. `None` past the last one. Sizes are counted one after the other, so large ones take time.
    ///
    /// ```
    /// use probity_core::{Replay, Source, Space, Tail, any, run_case};
    /// let answers = Space::of(&any::<(i8, bool)>()).unwrap().nth(4).unwrap();
    /// let mut seen = None;
    /// let mut source = Source::new(Box::new(Replay::new(answers, Tail::Overrun)));
    /// run_case(&mut source, &mut |src: &mut Source| seen = Some(src.any::<(i8, bool)>())).unwrap();
    /// assert_eq!(seen, Some((1, true)));
    /// ```
    pub fn nth(&mut self, index: u128) -> Option<Vec<Value>> {
        let (_, choices) = self.nth_choices(index)?;
        Some(choices.into_iter().map(|it| it.value).collect())
    }

    /// An engine that runs the inputs at `first`, `first + step` and so on, up to the last of those that are no larger than
    /// `size_max`: shard `k` of `n` begins at `k` and has a step of `n`. It ends as complete only where it begins at 0 and
    /// leaves out none, and the space is [whole](Space::is_whole). It is for the generator of the space and no other; see
    /// [`Replay::exact`].
    ///
    /// ```
    /// use probity_core::{Budget, Ended, Source, Space, any, search};
    /// let budget = Budget { cases: 9, rejects: 10, go_on: &mut |_| true, progress: Default::default() };
    /// let engine = Space::of(&any::<(bool, bool)>()).unwrap().replay(0, 1, None);
    /// let mut seen = Vec::new();
    /// let mut test = |src: &mut Source| seen.push(src.any::<(bool, bool)>());
    /// assert_eq!(search(Box::new(engine), &mut test, budget).unwrap().ended, Ended::Complete);
    /// assert_eq!(seen, [(false, false), (false, true), (true, false), (true, true)]);
    /// ```
    pub fn replay(mut self, first: u128, step: u128, size_max: Option<u64>) -> Replay {
        if step == 0 {
            crate::misuse("a step of 0 through the inputs; give at least 1");
        }
        let is_all = first == 0 && step == 1 && self.is_whole_up_to(size_max);
        let mut next = Some(first);
        let cases = std::iter::from_fn(move || {
            let index = next?;
            let (size, choices) = self.nth_choices(index)?;
            if size_max.is_some_and(|max| size > max) {
                return None;
            }
            next = index.checked_add(step);
            Some(choices)
        });
        Replay::exact(cases, if is_all { Ended::Complete } else { Ended::Exhausted })
    }

    /// The size of the input at `index`, and its choices.
    pub(crate) fn nth_choices(&mut self, index: u128) -> Option<(u64, Vec<Choice>)> {
        // One choice, however large, needs no counting.
        if let (PieceShape::One(domain), ..) = self.graph.resolve(self.graph.root, Room::WHOLE) {
            let value = member(domain, index)?;
            return Some((size::cost(domain, value), vec![Choice { domain: domain.clone(), value }]));
        }
        if !is_below(index, self.total_of()) {
            return None;
        }
        let (mut size, mut smaller) = if self.cursor.1 <= index { self.cursor } else { (0, 0) };
        loop {
            let n = self.count_of(size);
            if is_below(index - smaller, n) {
                break;
            }
            (size, smaller) = (size + 1, smaller + n);
        }
        self.cursor = (size, smaller);
        let mut choices = Vec::new();
        let root = (self.graph.root, Room::WHOLE);
        self.graph.build(&mut self.known, root, size, index - smaller, &mut choices);
        Some((size, choices))
    }

    /// The answers that give one of the inputs of at most this size, each as likely as the others; `None`
    /// where they are more than a `u128` holds.
    ///
    /// ```
    /// use probity_core::{Rng, Space, any};
    /// let mut space = Space::of(&any::<(bool, bool)>()).unwrap();
    /// assert_eq!(space.sample(&mut Rng::new(7), 9).unwrap().len(), 2);
    /// ```
    pub fn sample(&mut self, rng: &mut Rng, size: u64) -> Option<Vec<Value>> {
        let n = match self.graph.greatest(&mut self.known, self.graph.root, Room::WHOLE) {
            Some(greatest) if size < greatest => {
                let mut sizes = 0..=size;
                sizes.try_fold(0, |sum: u128, it| sum.checked_add(self.count(it)?))?
            }
            _ => self.total()?,
        };
        let mask = u128::MAX.checked_shr(n.checked_sub(1)?.leading_zeros()).unwrap_or(0);
        loop {
            let index = (u128::from(rng.word()) << 64 | u128::from(rng.word())) & mask;
            if index < n {
                return self.nth(index);
            }
        }
    }

    /// Whether every input is counted: `false` where there are floats, of which only a few are, neighbors that the
    /// user gives, which may be anything, or values that contain themselves and so may nest deeper than is ever drawn.
    ///
    /// ```
    /// use probity_core::{Combine, Space, any, from};
    /// assert!(Space::of(&any::<i64>()).unwrap().is_whole());
    /// assert!(!Space::of(&any::<(i64, f64)>()).unwrap().is_whole());
    /// let steps = from(0..9).neighbor(|it, _, _| it + 10);
    /// assert!(!Space::of(&steps).unwrap().is_whole());
    /// ```
    pub fn is_whole(&self) -> bool {
        self.is_whole_up_to(None)
    }

    /// As [`is_whole`](Space::is_whole), for inputs of at most this size.
    pub(crate) fn is_whole_up_to(&self, size: Option<u64>) -> bool {
        self.graph.is_whole() && self.graph.is_shallow(size)
    }
}

/// Why the inputs of a generator cannot be counted without running it.
///
/// ```
/// use probity_core::{Combine, Space, from};
/// let err = Space::of(&from(0..9).and_then(|n| n..=9)).unwrap_err();
/// assert_eq!(
///     err.to_string(),
///     "the inputs cannot be counted without drawing them, because of `and_then`; \
///      build them of types, ranges, `vec`, `one_of` and `map`",
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownSpace(String);

impl fmt::Display for UnknownSpace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UnknownSpace {}
