//! The exhaustive engine: every small input exactly once, the smallest first.
//!
//! # How it goes
//!
//! Only the simplest answer to a choice is free (see `size`), so an input of size `s + 1` is an input of
//! size `s` or less in which one answer was taken a step further, with the simplest answers behind it.
//! The engine therefore keeps, after the inputs of one size, the *rest*: every choice at which there
//! are members left to take, each with the answers that lead to it. Going to the next size means taking
//! the members of the next cost at each of these choices, one case for each; the choices that such a
//! case asks for beyond them join the rest. So every case is run once, at its size, and none is run
//! only to find the way.
//!
//! A choice that a test does not ask for is not there to be taken further: what a test does not look
//! at is never enumerated.
//!
//! The rest is a tree, written as bytes in the order it is walked:
//!
//! ```text
//! choice := ( place+1 choice )* 0 next
//! ```
//!
//! where `place` says which member leads on (see [`size::at`]) and `next` is the first that is still to
//! be taken, or 0 when there is none. Numbers are written seven bits to a byte. One size is read while
//! the next is written, about three bytes for each choice.

pub use self::reach::{Bounds, Reach};

use self::numbers::{read, write};
use crate::int::Int;
use crate::size::{self, After};
use crate::source::CHOICES_MAX;
use crate::{Case, Domain, Ended, Engine, Misuse, Site, Stop, Trace, Value, Verdict};

use super::{Narrow, Ordered, Refusal};

/// How many bytes the rest may take: some 80 million choices.
const REST_MAX: usize = 1 << 28;
/// How much stack a generator may take, in bytes: half of what the threads of tests have. Sizes grow one at a time, so
/// a value that contains itself becomes deeper and deeper, and where there are few of each size it becomes very deep.
const STACK_MAX: usize = 1 << 20;
/// How many refusals in a row are answered in place before the search gets its turn: at first, and at most. It is twice as many
/// each time, for what refuses may be slow, and the search looks at the clock.
const REFUSALS_FIRST: u32 = 16;
const REFUSALS_AT_ONCE: u32 = 1 << 12;

/// The exhaustive engine, for one who drives it case by case; a search is faster with
/// [`search_exhaustive`](crate::search_exhaustive).
///
/// ```
/// use probity_core::{Bounds, Budget, Ended, Exhaustive, Source, search};
/// let budget = Budget { cases: 1000, rejects: 10, go_on: &mut |_| true, progress: Default::default() };
/// let mut seen = Vec::new();
/// let mut test = |src: &mut Source| seen.push(src.any::<Option<bool>>());
/// let finding = search(Box::new(Exhaustive::new(Bounds::default())), &mut test, budget).unwrap();
/// assert_eq!(finding.ended, Ended::Complete);
/// assert_eq!(seen, [None, Some(false), Some(true)]);
/// ```
pub struct Exhaustive {
    walk: Box<Walk>,
    /// Whether it has only one case of those that there are.
    has_one: bool,
}

impl Exhaustive {
    /// An engine that visits every input within `bounds`.
    pub fn new(bounds: Bounds) -> Self {
        Exhaustive::of_walk(Box::new(Walk::new(bounds)))
    }

    /// An engine with one case: the one that a search was at when it told these places to those who watch.
    ///
    /// ```
    /// use probity_core::{Ended, Engine, Exhaustive, Source, run_case};
    /// let mut source = Source::new(Box::new(Exhaustive::at(vec![3, 1])));
    /// source.begin().unwrap();
    /// let mut seen = None;
    /// run_case(&mut source, &mut |src: &mut Source| seen = Some((src.int(-9, 9), src.bool()))).unwrap();
    /// assert_eq!(seen, Some((2, true)), "of 0, 1, -1, 2 and false, true");
    /// assert_eq!(source.begin(), Err(Ended::Exhausted), "there are others");
    /// ```
    pub fn at(places: Vec<u64>) -> Self {
        let walk = Walk::new(Bounds { size: Some(0), inputs: None });
        Exhaustive { walk: Box::new(Walk { path: places, ..walk }), has_one: true }
    }

    /// An engine that goes on where a search without a trace is.
    pub(crate) fn of_walk(walk: Box<Walk>) -> Self {
        Exhaustive { walk, has_one: false }
    }
    pub(crate) fn into_walk(self) -> Box<Walk> {
        self.walk
    }
    #[inline]
    pub(crate) fn walk(&mut self) -> &mut Walk {
        &mut self.walk
    }

    /// How many members of a domain it visits: all, but for floats, of which a few stand for the others.
    ///
    /// ```
    /// use probity_core::{Domain, Exhaustive};
    /// assert_eq!(Exhaustive::members(&Domain::int(-3, 3)), 7);
    /// ```
    pub fn members(domain: &Domain) -> u64 {
        size::len(domain)
    }

    /// How far it came.
    ///
    /// ```
    /// use probity_core::{Bounds, Exhaustive};
    /// assert_eq!(Exhaustive::new(Bounds::default()).reach().size, 0);
    /// ```
    pub fn reach(&self) -> Reach {
        self.walk.reach()
    }
}

impl Engine for Exhaustive {
    fn begin(&mut self) -> Result<(), Ended> {
        self.walk.begin().map_err(|it| if self.has_one { Ended::Exhausted } else { it })
    }

    fn answer(&mut self, domain: &Domain, _: &Trace) -> Result<Value, Stop> {
        Ok(self.walk.member(domain))
    }

    fn end(&mut self, case: &Case) {
        if case.verdict == Verdict::Overrun {
            self.walk.narrow(Narrow::Deep);
        }
    }

    fn order(&mut self) -> Option<&mut dyn Ordered> {
        Some(self)
    }
}

impl Ordered for Exhaustive {
    fn refuse(&mut self, start: usize, can_return: bool, site: Site) -> Refusal {
        self.walk.refuse(start, can_return, site)
    }

    fn places(&mut self, start: usize) -> Option<Vec<u64>> {
        Some(self.walk.places(start))
    }

    fn is_beyond_random(&mut self) -> bool {
        !self.walk.is_simplest()
    }

    fn narrow(&mut self, by: Narrow) {
        self.walk.narrow(by);
    }
}

/// The engine itself, without the trace.
pub(crate) struct Walk {
    bounds: Bounds,
    state: WalkState,
    visited: u64,
    size: u64,
    /// The places of the answers that are set; what is asked beyond them gets the simplest.
    path: Vec<u64>,
    /// How many choices the case has asked for.
    cursor: usize,
    /// How many answers need nothing but to be given: all of the path but the last, or none where inputs are
    /// estimated.
    known: usize,
    /// Of each choice beyond the path, what comes after its simplest member.
    tail: Vec<After>,
    /// Choices of the path that a case of this size has shown, so that `old` does not have them: how many are open within
    /// each, its place and what comes after.
    shown: Vec<(usize, u64, After)>,
    /// What comes after the last answer of the path.
    after: After,
    /// The rest, as it is read and as it is written for the next size.
    old: Vec<u8>,
    read: usize,
    new: Vec<u8>,
    /// For each choice of the path, where its child begins in `new`, and where that child's choices do.
    open: Vec<OpenNest>,
    /// How many choices of the rest are done, of how many; how many are in the next.
    done: u64,
    pending: u64,
    pending_new: u64,
    /// Whether every domain met was one whose members are all reached.
    is_whole: bool,
    /// How many inputs there would be if every case had the choices of this one; the most of any case.
    inputs: f64,
    inputs_max: f64,
    refusals: u32,
    refusals_max: u32,
    refused: Vec<(Site, u64)>,
    strayed: bool,
    /// The first place of the path that has changed since somebody asked.
    changed: usize,
    /// See [`Reach`].
    neighbors: bool,
    sized: bool,
    cut: Option<u64>,
    /// Where the stack was when the case began.
    stack: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WalkState {
    /// No case has begun.
    New,
    /// A case runs, or has run.
    Running,
    /// The next case is set but has not begun.
    Ready,
    /// Everything within the bounds was visited.
    Over,
    /// It cannot go on.
    Stuck,
}

#[derive(Clone, Copy, Default)]
struct OpenNest {
    start: usize,
    body: usize,
}

impl Walk {
    pub(crate) fn new(bounds: Bounds) -> Self {
        Walk {
            bounds,
            state: WalkState::New,
            visited: 0,
            size: 0,
            path: Vec::new(),
            cursor: 0,
            known: 0,
            tail: Vec::new(),
            shown: Vec::new(),
            after: After::End,
            old: Vec::new(),
            read: 0,
            new: Vec::new(),
            open: Vec::new(),
            done: 0,
            pending: 1,
            pending_new: 0,
            is_whole: true,
            inputs: 1.0,
            inputs_max: 1.0,
            refusals: 0,
            refusals_max: REFUSALS_FIRST,
            refused: Vec::new(),
            strayed: false,
            changed: 0,
            neighbors: false,
            sized: false,
            cut: None,
            stack: 0,
        }
    }

    /// See [`Ordered::narrow`].
    pub(crate) fn narrow(&mut self, by: Narrow) {
        match by {
            Narrow::Neighbors => self.neighbors = true,
            Narrow::Size => self.sized = true,
            // Sizes only grow.
            Narrow::Deep => self.cut = self.cut.or(Some(self.size)),
        }
    }

    /// Whether the case is another than the simplest: what nests too deep in the simplest has no end.
    pub(crate) fn is_simplest(&self) -> bool {
        self.path.is_empty()
    }

    #[inline]
    pub(crate) fn begin(&mut self) -> Result<(), Ended> {
        if self.refusals >= self.refusals_max {
            self.refusals_max = (2 * self.refusals_max).min(REFUSALS_AT_ONCE);
        }
        self.refusals = 0;
        match self.state {
            WalkState::Running => self.advance(),
            WalkState::New | WalkState::Ready => self.state = WalkState::Running,
            WalkState::Over | WalkState::Stuck => {}
        }
        self.stack = stack_here();
        self.restart();
        match self.ended() {
            Some(ended) => Err(ended),
            None => {
                self.visited += 1;
                Ok(())
            }
        }
    }

    /// Why there is no further case, if there is none.
    pub(crate) fn ended(&self) -> Option<Ended> {
        match self.state {
            // Where there is more than was asked for, this is no proof.
            WalkState::Over if self.is_whole && !self.is_narrow() => Some(Ended::Complete),
            WalkState::Over | WalkState::Stuck => Some(Ended::Exhausted),
            _ => None,
        }
    }

    fn is_narrow(&self) -> bool {
        self.neighbors || self.sized || self.cut.is_some()
    }

    fn restart(&mut self) {
        self.cursor = 0;
        self.known = if self.bounds.inputs.is_some() { 0 } else { self.path.len().saturating_sub(1) };
        self.tail.clear();
        self.inputs = 1.0;
    }

    /// Lets the case that has run run once more.
    pub(crate) fn again(&mut self) {
        self.visited -= 1;
        self.state = WalkState::Ready;
    }

    pub(crate) fn reach(&self) -> Reach {
        let is_over = self.state == WalkState::Over;
        Reach {
            size: self.size,
            visited: self.visited,
            share: if is_over { 1.0 } else { (self.done as f64 / self.pending.max(1) as f64).min(1.0) },
            all: is_over && self.is_whole && !self.is_narrow() && self.new.is_empty(),
            full: self.new.len() > REST_MAX,
            floats: !self.is_whole,
            neighbors: self.neighbors,
            sized: self.sized,
            cut: self.cut,
            strayed: self.strayed,
            rest: !self.new.is_empty() || !is_over,
        }
    }

    pub(crate) fn path(&self) -> &[u64] {
        &self.path
    }

    /// The first place of the path that has changed since this was asked.
    pub(crate) fn take_changed(&mut self) -> usize {
        std::mem::replace(&mut self.changed, self.path.len())
    }

    /// What is wrong with the test, where the engine could not go on because of it.
    pub(crate) fn misuse(&self) -> Option<Misuse> {
        self.strayed.then(|| Misuse { message: STRAYED.to_string() })
    }

    /// Whether the test asked for another input than before with the same answers.
    pub(crate) fn has_strayed(&self) -> bool {
        self.strayed
    }

    /// What was refused in place, and how often.
    pub(crate) fn refused(&self) -> &[(Site, u64)] {
        &self.refused
    }

    /// One of `n` alternatives.
    #[inline(always)]
    pub(crate) fn pick(&mut self, n: u64) -> u64 {
        self.known(n).unwrap_or_else(|| self.pick_unknown(n))
    }

    /// One of `n` alternatives, none of which costs anything.
    pub(crate) fn pick_free(&mut self, n: u64) -> u64 {
        self.known(n).unwrap_or_else(|| self.ask(n, || n as f64, |_| After::Same))
    }

    #[inline(never)]
    fn pick_unknown(&mut self, n: u64) -> u64 {
        self.ask(n, || n as f64, size::after_pick)
    }

    /// An integer of `min..=max`, which is not empty, of at most 64 bits.
    #[inline]
    pub(crate) fn int<T: Int>(&mut self, min: T, max: T) -> T {
        let origin = T::simplest(min, max).bits();
        let (below, above) = (origin.wrapping_sub(min.bits()), max.bits().wrapping_sub(origin));
        T::from_bits(origin.wrapping_add(self.step(below, above)))
    }

    /// Whether a value gives way to a neighbor, which may be anything: it never does, and this is noted.
    pub(crate) fn takes_step(&mut self) -> bool {
        self.narrow(Narrow::Neighbors);
        self.pick(1) == 1
    }

    /// A step from the simplest integer, of which there are this many on either side.
    #[inline]
    fn step(&mut self, below: u64, above: u64) -> u64 {
        let len = below.saturating_add(above).saturating_add(1);
        let place = self.ask(len, || len as f64, |place| size::after_int(place, below, above));
        let both = below.min(above);
        let (step, up) = match place.div_ceil(2) <= both {
            true => (place.div_ceil(2), place % 2 == 1),
            false => (place - both, below < above),
        };
        if up { step } else { step.wrapping_neg() }
    }

    /// The number of items beyond the least, at most `max`.
    #[inline]
    pub(crate) fn length(&mut self, max: u64) -> u64 {
        // Each item is something to choose from, or there would be no need of a list.
        self.ask(max.saturating_add(1), || (max as f64).exp2(), |_| After::Next)
    }

    /// A member of any domain.
    pub(crate) fn member(&mut self, domain: &Domain) -> Value {
        self.is_whole &= size::is_whole(domain);
        let len = size::len(domain);
        let weight = || match *domain {
            Domain::Length { min, max, .. } => f64::from(max - min).exp2(),
            _ => len as f64,
        };
        let place = self.ask(len, weight, |place| size::after(domain, place));
        size::at(domain, place)
    }

    /// The answer to the next of `n` alternatives, if it is set and not the last that is: what most choices
    /// come to, and everything that is worth inlining.
    #[inline(always)]
    fn known(&mut self, n: u64) -> Option<u64> {
        let at = self.cursor;
        if at < self.known {
            let place = self.path[at];
            if place < n {
                self.cursor = at + 1;
                return Some(place);
            }
        }
        None
    }

    /// The answer to the next choice, which has `len` members.
    #[inline]
    fn ask(&mut self, len: u64, weight: impl FnOnce() -> f64, after: impl FnOnce(u64) -> After) -> u64 {
        let at = self.cursor;
        self.cursor += 1;
        if self.bounds.inputs.is_some() {
            self.inputs *= weight();
        }
        let Some(&place) = self.path.get(at) else {
            return self.ask_beyond(if len > 1 { after(0) } else { After::End });
        };
        if place >= len {
            self.strayed = true;
            strayed();
        }
        if at + 1 == self.path.len() {
            self.after = if place + 1 == len { After::End } else { after(place) };
        }
        place
    }

    /// The simplest answer, to a choice beyond the path.
    #[inline(never)]
    fn ask_beyond(&mut self, after: After) -> u64 {
        if self.cursor > CHOICES_MAX as usize || stack_here().abs_diff(self.stack) > STACK_MAX {
            crate::source::overrun();
        }
        self.tail.push(after);
        0
    }

    /// How many choices the case has asked for.
    pub(crate) fn position(&self) -> usize {
        self.cursor
    }

    /// See [`Ordered::places`].
    pub(crate) fn places(&self, start: usize) -> Vec<u64> {
        (start..self.cursor).map(|at| self.path.get(at).copied().unwrap_or(0)).collect()
    }

    /// See [`Ordered::refuse`].
    pub(crate) fn refuse(&mut self, start: usize, can_return: bool, site: Site) -> Refusal {
        self.refusals += 1;
        let before: Vec<u64> = self.path.iter().copied().take(start).collect();
        self.advance();
        let is_same = |at: usize| self.path.get(at).unwrap_or(&0) == before.get(at).unwrap_or(&0);
        if matches!(self.state, WalkState::Over | WalkState::Stuck) {
            return Refusal::Reject;
        }
        if can_return
            && self.refusals < self.refusals_max
            && start < self.path.len()
            && (0..start).all(is_same)
        {
            self.restart();
            self.cursor = start;
            match self.refused.iter_mut().find(|it| it.0 == site) {
                Some((_, n)) => *n += 1,
                None => self.refused.push((site, 1)),
            }
            return Refusal::Again;
        }
        self.state = WalkState::Ready;
        Refusal::Reject
    }

    /// Takes down what the case has shown, and sets the next one.
    fn advance(&mut self) {
        self.inputs_max = self.inputs_max.max(self.inputs);
        if self.bounds.inputs.is_some_and(|max| self.inputs_max > max as f64) || self.new.len() > REST_MAX {
            self.state = WalkState::Stuck;
            return;
        }
        if self.cursor < self.path.len() {
            // It asked for less than it did before: an answer that was never given cannot be varied.
            self.strayed = true;
            self.state = WalkState::Stuck;
            return;
        }
        if let Some(last) = self.tail.iter().rposition(|it| *it == After::Same) {
            self.show(last);
        }
        let place = match self.path.last() {
            Some(&place) if !self.open.is_empty() => place,
            _ => {
                self.write_tail();
                return self.next_size();
            }
        };
        let start = self.new.len();
        write(&mut self.new, place + 1);
        if !self.write_tail() {
            self.new.truncate(start);
        }
        self.path.pop();
        self.changed = self.changed.min(self.path.len());
        if !self.go_on(place, self.after) {
            self.done += 1;
            self.descend();
        }
    }

    /// Makes the choices beyond the path up to `last`, which is free, a part of it: its other members are of this size.
    fn show(&mut self, last: usize) {
        if self.open.is_empty() {
            self.open.push(OpenNest::default());
        }
        let tail = std::mem::take(&mut self.tail);
        for after in &tail[..=last] {
            if let Some(&place) = self.path.last().filter(|_| self.open.len() == self.path.len()) {
                let start = self.new.len();
                write(&mut self.new, place + 1);
                self.shown.push((self.open.len(), place, self.after));
                self.open.push(OpenNest { start, body: self.new.len() });
            }
            self.path.push(0);
            self.after = *after;
        }
        self.tail.extend_from_slice(&tail[last + 1..]);
    }

    /// Takes what comes after a place; `false` if there is nothing of this size, and the choice is closed.
    fn go_on(&mut self, place: u64, after: After) -> bool {
        match after {
            After::Same => self.path.push(place + 1),
            After::Next => self.close(place + 1),
            After::End => self.close(0),
        }
        after == After::Same
    }

    /// Reads on to the next choice that has a member left.
    fn descend(&mut self) {
        while !self.open.is_empty() {
            if let Some(&(depth, place, after)) = self.shown.last()
                && depth == self.open.len()
            {
                self.shown.pop();
                if self.go_on(place, after) {
                    return;
                }
                continue;
            }
            match read(&self.old, &mut self.read) {
                0 => match read(&self.old, &mut self.read) {
                    0 => self.close(0),
                    next => return self.path.push(next),
                },
                child => {
                    let start = self.new.len();
                    write(&mut self.new, child);
                    self.open.push(OpenNest { start, body: self.new.len() });
                    self.path.push(child - 1);
                }
            }
        }
        self.next_size();
    }

    /// Ends a choice of the rest, with what is next to be taken there.
    fn close(&mut self, next: u64) {
        let open = self.open.pop().unwrap_or_default();
        if next == 0 && self.new.len() == open.body {
            self.new.truncate(open.start);
        } else {
            self.new.push(0);
            write(&mut self.new, next);
            self.pending_new += u64::from(next > 0);
        }
        self.path.pop();
        self.changed = self.changed.min(self.path.len());
    }

    /// Writes the choices beyond the path; `false` if there is nothing to take at any of them.
    fn write_tail(&mut self) -> bool {
        let Some(last) = self.tail.iter().rposition(|it| *it != After::End) else { return false };
        self.new.extend(std::iter::repeat_n(1, last));
        for &after in self.tail[..=last].iter().rev() {
            let more = after != After::End;
            self.new.extend([0, u8::from(more)]);
            self.pending_new += u64::from(more);
        }
        true
    }

    fn next_size(&mut self) {
        if self.new.is_empty() || self.bounds.size.is_some_and(|max| max <= self.size) {
            self.state = WalkState::Over;
            return;
        }
        self.size += 1;
        std::mem::swap(&mut self.old, &mut self.new);
        self.new.clear();
        self.read = 0;
        (self.done, self.pending, self.pending_new) = (0, self.pending_new, 0);
        self.open.push(OpenNest::default());
        self.descend();
    }
}

/// The test asked for other choices than it did before with the same answers.
const STRAYED: &str = "with the same inputs so far, the test asked for another input than before; every input \
     can only be visited if nothing but inputs decides what is drawn: not time, shared state or the order of a hash map";

/// About where the stack is now.
#[inline(never)]
fn stack_here() -> usize {
    let here = 0u8;
    std::ptr::from_ref(std::hint::black_box(&here)).addr()
}

#[cold]
fn strayed() -> ! {
    crate::misuse(STRAYED)
}

mod numbers;
#[cfg(test)]
mod programs;
mod reach;
#[cfg(test)]
mod recursion;
#[cfg(test)]
mod tests;
