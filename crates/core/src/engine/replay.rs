//! Recorded answers, of one case or of many.

use super::{Ended, Engine, Narrow, Ordered, Refusal, Stop};
use crate::{Case, CaseShape, Choice, Domain, Site, Trace, Value, Verdict};

/// Recorded answers with a tail behind them: saved failures, shrinking, corpus entries, models, prepared inputs, the
/// inputs of a [`Space`](crate::Space).
///
/// An answer that does not fit its domain is replaced by the nearest member, unless the answers are
/// [exact](Replay::exact).
///
/// ```
/// use probity_core::{Replay, Source, Tail, Value, run_case};
/// let replay = Replay::new(vec![Value::Int(4)], Tail::Simplest);
/// let mut source = Source::new(Box::new(replay));
/// let mut seen = (0, 0);
/// run_case(&mut source, &mut |src: &mut Source| seen = (src.draw(0..=9), src.draw(0..=9))).unwrap();
/// assert_eq!(seen, (4, 0));
/// ```
pub struct Replay {
    recorded: Recorded,
    cursor: usize,
    tail: Tail,
    /// What comes after the case that is set; one case comes without it.
    more: Option<Box<dyn Iterator<Item = Recorded>>>,
    begun: bool,
    ended: Ended,
}

/// The answers of one case.
enum Recorded {
    Values(Vec<Value>),
    /// With the questions that they are for, and no others.
    Exact(Vec<Choice>),
}

/// What a [`Replay`] does when its recorded answers are used up.
///
/// ```
/// use probity_core::{Random, Replay, Source, Tail, Value, run_case};
/// let replay = Replay::new(vec![Value::Int(4)], Tail::Engine(Box::new(Random::new(7))));
/// let case = run_case(&mut Source::new(Box::new(replay)), &mut |src: &mut Source| {
///     src.draw((0..9, 0..9)); // the first is 4, the second is random
/// }).unwrap();
/// assert_eq!(case.trace.values()[0], Value::Int(4));
/// ```
pub enum Tail {
    /// Stops the case.
    Overrun,
    /// Gives the simplest answer.
    Simplest,
    /// Lets another engine answer.
    Engine(Box<dyn Engine>),
}

impl Replay {
    /// Answers with `values`, then as `tail` says.
    pub fn new(values: Vec<Value>, tail: Tail) -> Self {
        Replay {
            recorded: Recorded::Values(values),
            cursor: 0,
            tail,
            more: None,
            begun: false,
            ended: Ended::Exhausted,
        }
    }

    /// One case for each list of answers, with the simplest ones behind them.
    ///
    /// ```
    /// use probity_core::{Budget, Ended, Replay, Source, Value, search};
    /// let budget = Budget { cases: 9, rejects: 10, go_on: &mut |_| true, progress: Default::default() };
    /// let replay = Replay::each([3, 1].map(|it| vec![Value::Int(it)]));
    /// let mut seen = Vec::new();
    /// let mut test = |src: &mut Source| seen.push(src.draw((0..9, 0..9)));
    /// assert_eq!(search(Box::new(replay), &mut test, budget).unwrap().ended, Ended::Exhausted);
    /// assert_eq!(seen, [(3, 0), (1, 0)]);
    /// ```
    pub fn each(lists: impl IntoIterator<Item = Vec<Value>, IntoIter: 'static>) -> Self {
        let more = Box::new(lists.into_iter().map(Recorded::Values));
        Replay { more: Some(more), ..Replay::new(Vec::new(), Tail::Simplest) }
    }

    /// One case for each list of choices, and `ended` after the last. They are for one generator: a case that asks for
    /// other choices than these is an internal error.
    ///
    /// ```
    /// use probity_core::{Choice, Domain, Ended, Replay, Source, Value, run_case};
    /// let cases = [false, true].map(|it| vec![Choice { domain: Domain::Bool, value: Value::Bool(it) }]);
    /// let mut source = Source::new(Box::new(Replay::exact(cases, Ended::Complete)));
    /// while source.begin().is_ok() {
    ///     let case = run_case(&mut source, &mut |src: &mut Source| { src.bool(); }).unwrap();
    ///     source.end(&case);
    /// }
    /// assert_eq!(source.begin(), Err(Ended::Complete));
    /// ```
    pub fn exact(cases: impl IntoIterator<Item = Vec<Choice>, IntoIter: 'static>, ended: Ended) -> Self {
        let more = Box::new(cases.into_iter().map(Recorded::Exact));
        Replay { more: Some(more), ended, ..Replay::new(Vec::new(), Tail::Simplest) }
    }

    fn tail_order(&mut self) -> Option<&mut dyn Ordered> {
        match &mut self.tail {
            Tail::Engine(tail) => tail.order(),
            Tail::Overrun | Tail::Simplest => None,
        }
    }
}

impl Recorded {
    fn len(&self) -> usize {
        match self {
            Recorded::Values(values) => values.len(),
            Recorded::Exact(choices) => choices.len(),
        }
    }

    /// The answer to question number `at`, if there is one.
    fn answer(&self, at: usize, domain: &Domain) -> Option<Value> {
        match self {
            Recorded::Values(values) => values.get(at).map(|it| domain.fit(*it)),
            Recorded::Exact(choices) => Some(match choices.get(at) {
                Some(choice) if same_members(&choice.domain, domain) => choice.value,
                Some(choice) => wrong(&format!("{domain:?} where {:?} was described", choice.domain)),
                None => wrong(&format!("{domain:?} after the last that was described")),
            }),
        }
    }
}

impl Engine for Replay {
    fn begin(&mut self) -> Result<(), Ended> {
        self.cursor = 0;
        match (&mut self.tail, &mut self.more) {
            // All that follows what is recorded is not all there is.
            (Tail::Engine(tail), _) => tail.begin().map_err(|it| match it {
                Ended::Complete if self.recorded.len() > 0 => Ended::Exhausted,
                it => it,
            }),
            (_, Some(more)) => {
                self.recorded = more.next().ok_or(self.ended)?;
                Ok(())
            }
            _ if std::mem::replace(&mut self.begun, true) => Err(self.ended),
            _ => Ok(()),
        }
    }

    fn answer(&mut self, domain: &Domain, so_far: &Trace) -> Result<Value, Stop> {
        if let Some(value) = self.recorded.answer(self.cursor, domain) {
            self.cursor += 1;
            return Ok(value);
        }
        match &mut self.tail {
            Tail::Overrun => Err(Stop::Overrun),
            Tail::Simplest => Ok(domain.simplest()),
            Tail::Engine(tail) => tail.answer(domain, so_far),
        }
    }

    fn end(&mut self, case: &Case) {
        if let Tail::Engine(tail) = &mut self.tail {
            tail.end(case);
        }
        // A case that does not pass may end before it has drawn everything.
        if let (Recorded::Exact(choices), Verdict::Pass) = (&self.recorded, &case.verdict)
            && let Some(choice) = choices.get(self.cursor)
        {
            wrong(&format!("nothing where {:?} was described", choice.domain));
        }
    }

    fn order(&mut self) -> Option<&mut dyn Ordered> {
        self.tail_order()?;
        Some(self)
    }
}

/// The order of the tail, whose choices come after the recorded ones.
impl Ordered for Replay {
    fn refuse(&mut self, start: usize, can_return: bool, site: Site) -> Refusal {
        let start = start.checked_sub(self.recorded.len());
        match (self.tail_order(), start) {
            (None, _) => Refusal::Redraw,
            (Some(tail), Some(start)) => tail.refuse(start, can_return, site),
            // Recorded answers are among what is refused, and they will be the same again.
            (Some(tail), None) => tail.refuse(0, false, site),
        }
    }

    fn narrow(&mut self, by: Narrow) {
        if let Some(tail) = self.tail_order() {
            tail.narrow(by);
        }
    }

    fn places(&mut self, start: usize) -> Option<Vec<u64>> {
        match start.checked_sub(self.recorded.len()) {
            Some(start) => self.tail_order()?.places(start),
            // What is recorded comes before everything.
            None => self.tail_order()?.places(0).map(|_| Vec::new()),
        }
    }

    fn shape(&mut self) -> CaseShape {
        self.tail_order().map_or_else(CaseShape::default, |it| it.shape())
    }

    fn left_out(&mut self, site: u64) -> u64 {
        self.tail_order().map_or(0, |it| it.left_out(site))
    }

    fn is_sample(&mut self) -> bool {
        self.tail_order().is_none_or(|it| it.is_sample())
    }

    fn is_beyond_random(&mut self) -> bool {
        self.tail_order().is_some_and(|it| it.is_beyond_random())
    }
}

/// We are wrong, or a `space` that is not ours: in any case the inputs are not those that were counted.
#[cold]
fn wrong(asked: &str) -> ! {
    crate::misuse(format!(
        "internal error: a generator asked for {asked}; please report it, \
         or let `space` describe what `generate` draws where you wrote both"
    ))
}

/// Whether the two differ in nothing but what steers random answers.
fn same_members(a: &Domain, b: &Domain) -> bool {
    match (a, b) {
        (Domain::Pick { n: a, shut: c, .. }, Domain::Pick { n: b, shut: d, .. }) => (a, c) == (b, d),
        (Domain::Length { min: a, max: b, .. }, Domain::Length { min: c, max: d, .. }) => (a, b) == (c, d),
        _ => a == b,
    }
}
