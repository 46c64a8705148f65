//! Replay of the inputs of a space, by index.

use crate::{Case, Choice, Domain, Ended, Engine, Space, Stop, Trace, Value, Verdict};

/// Runs the inputs of a [`Space`] in order, or every so many of them.
///
/// The indices are `first`, `first + step`, and so on: shard `k` of `n` begins at `k` and has a step of
/// `n`, and a run that was broken off goes on from its [`next_index`](Listed::next_index). The engine is
/// for the generator of its space and no other: a case that asks for other choices than the space says
/// is an internal error.
///
/// ```
/// use probity_core::{Ended, Engine, Listed, Source, Space, any, run_case};
/// let engine = Listed::new(Space::of(&any::<(bool, bool)>()).unwrap(), 0, 1, None);
/// let mut source = Source::new(Box::new(engine));
/// let mut seen = Vec::new();
/// while source.begin().is_ok() {
///     let case = run_case(&mut source, &mut |src: &mut Source| seen.push(src.any::<(bool, bool)>())).unwrap();
///     source.end(&case);
/// }
/// assert_eq!(seen, [(false, false), (false, true), (true, false), (true, true)]);
/// assert_eq!(source.begin(), Err(Ended::Complete));
/// ```
#[derive(Debug)]
pub struct Listed {
    space: Space,
    is_all: bool,
    /// `None` past the last number.
    next: Option<u128>,
    step: u128,
    size_max: Option<u64>,
    choices: Vec<Choice>,
    cursor: usize,
}

impl Listed {
    /// The inputs at `first`, `first + step` and so on, up to the last of those that are no larger than
    /// `size_max`. It ends as complete only where it begins at 0 and leaves out none, and the space is
    /// [whole](Space::is_whole).
    pub fn new(space: Space, first: u128, step: u128, size_max: Option<u64>) -> Self {
        if step == 0 {
            crate::misuse("a step of 0 through the inputs; give at least 1");
        }
        let is_all = first == 0 && step == 1 && space.is_whole_up_to(size_max);
        Listed { space, is_all, next: Some(first), step, size_max, choices: Vec::new(), cursor: 0 }
    }

    /// The index of the case that comes next: where to go on in another run.
    ///
    /// ```
    /// use probity_core::{Engine, Listed, Space, any};
    /// let mut shard = Listed::new(Space::of(&any::<u8>()).unwrap(), 2, 10, None);
    /// assert_eq!(shard.next_index(), 2);
    /// shard.begin().unwrap();
    /// assert_eq!(shard.next_index(), 12);
    /// ```
    pub fn next_index(&self) -> u128 {
        self.next.unwrap_or(u128::MAX)
    }
}

impl Engine for Listed {
    fn begin(&mut self) -> Result<(), Ended> {
        let found = self.next.and_then(|index| Some((index, self.space.nth_choices(index)?)));
        match found {
            Some((index, (size, choices))) if self.size_max.is_none_or(|max| size <= max) => {
                self.next = index.checked_add(self.step);
                (self.choices, self.cursor) = (choices, 0);
                Ok(())
            }
            _ => Err(if self.is_all { Ended::Complete } else { Ended::Exhausted }),
        }
    }

    fn answer(&mut self, domain: &Domain, _: &Trace) -> Result<Value, Stop> {
        match self.choices.get(self.cursor) {
            Some(choice) if same_members(&choice.domain, domain) => {
                self.cursor += 1;
                Ok(choice.value)
            }
            Some(choice) => wrong(&format!("{domain:?} where {:?} was described", choice.domain)),
            None => wrong(&format!("{domain:?} after the last that was described")),
        }
    }

    fn end(&mut self, case: &Case) {
        // A case that does not pass may end before it has drawn everything.
        if case.verdict == Verdict::Pass && self.cursor < self.choices.len() {
            wrong(&format!("nothing where {:?} was described", self.choices[self.cursor].domain));
        }
    }
}

/// We are wrong, or a `space` that is not ours: in any case the inputs are not those that were counted.
fn wrong(asked: &str) -> ! {
    crate::misuse(format!(
        "internal error: a generator asked for {asked}; please report it, \
         or let `space` describe what `generate` draws where you wrote both"
    ))
}

/// Whether the two differ in nothing but what steers random answers.
fn same_members(a: &Domain, b: &Domain) -> bool {
    match (a, b) {
        (Domain::Pick { n: a, .. }, Domain::Pick { n: b, .. }) => a == b,
        (Domain::Length { min: a, max: b, .. }, Domain::Length { min: c, max: d, .. }) => (a, b) == (c, d),
        _ => a == b,
    }
}
