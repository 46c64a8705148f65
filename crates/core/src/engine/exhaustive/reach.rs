//! How far an exhaustive search may go, and how far it came.

/// What an exhaustive search is bounded by, besides its [`Budget`](crate::Budget).
///
/// ```
/// use probity_core::Bounds;
/// let small = Bounds { size: Some(6), ..Bounds::default() };
/// assert_eq!(small.inputs, None);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// The greatest size of an input; see [`Trace::size`](crate::Trace::size).
    pub size: Option<u64>,
    /// Gives up as soon as there seem to be more inputs than this.
    pub inputs: Option<u64>,
}

/// How far an exhaustive search came.
///
/// ```
/// use probity_core::{Bounds, Budget, Ended, Source, search_exhaustive};
/// let budget = Budget { cases: 1000, rejects: 10, go_on: &mut |_| true, progress: Default::default() };
/// let mut test = |src: &mut Source| { src.any::<u8>(); };
/// let finding = search_exhaustive(Bounds::default(), &mut test, budget).unwrap();
/// let reach = finding.evidence.reach.unwrap();
/// assert_eq!((finding.ended, finding.tally.cases), (Ended::Complete, 256));
/// assert!(reach.all && reach.size == 255 && reach.share == 1.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reach {
    /// The size it came to.
    pub size: u64,
    /// How much of that size is done, from 0 to 1.
    pub share: f64,
    /// How many inputs were visited in all, rejected ones included.
    pub visited: u64,
    /// Whether nothing is left at any size.
    pub all: bool,
    /// Whether it had to stop because what it keeps to go on from takes too much memory.
    pub full: bool,
    /// Whether there were floats, of which only a few that stand for the others are ever visited.
    pub floats: bool,
    /// Whether there were neighbors that the user gives: values of which nothing is known but by the targeted engine.
    pub neighbors: bool,
    /// Whether a generator ended by the size budget of random cases; see [`Source::size`](crate::Source::size).
    pub sized: bool,
    /// The least size of an input that could not be run to its end, because it nests too deep or asks for too many
    /// choices: what lies behind it was not visited.
    pub cut: Option<u64>,
    /// Whether the test asked for another input than before with the same answers, so that nobody could go on from there.
    pub strayed: bool,
    /// Whether larger inputs are left.
    pub rest: bool,
}

impl Reach {
    /// Whether there may be inputs besides those visited that are no larger: floats that others stand for, neighbors,
    /// what lies behind a cut. Then nothing is said of all inputs, of whatever size.
    ///
    /// ```
    /// use probity_core::{Bounds, Exhaustive};
    /// assert!(!Exhaustive::new(Bounds::default()).reach().is_narrow(), "nothing is known of any");
    /// ```
    pub fn is_narrow(&self) -> bool {
        self.floats || self.has_left_out()
    }

    /// As [`is_narrow`](Reach::is_narrow), for inputs that nothing represents.
    ///
    /// ```
    /// use probity_core::{Bounds, Exhaustive};
    /// assert!(!Exhaustive::new(Bounds::default()).reach().has_left_out());
    /// ```
    pub fn has_left_out(&self) -> bool {
        self.neighbors || self.sized || self.strayed || self.cut.is_some()
    }
}
