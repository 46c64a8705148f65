//! What one case asked and was answered.

use std::cmp::Ordering;

use crate::{Domain, Value};

/// One typed question with its answer.
///
/// ```
/// use probity_core::{Choice, Domain, Value};
/// let digit = Choice { domain: Domain::int(0, 9), value: Value::Int(3) };
/// assert!(digit.domain.contains(digit.value));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// What was permitted.
    pub domain: Domain,
    /// What was answered: a member of `domain`.
    pub value: Value,
}

/// What a span's place in the trace means to a shrinker.
///
/// ```
/// # use probity_core::{Random, Source, SpanKind, run_case, vec};
/// # let mut source = Source::new(Box::new(Random::new(7)));
/// let mut test = |src: &mut Source| { src.draw(vec(0..9, 2)); };
/// let case = run_case(&mut source, &mut test).unwrap();
/// let kinds: Vec<SpanKind> = case.trace.spans.iter().map(|it| it.kind).collect();
/// assert_eq!(kinds, [SpanKind::Input, SpanKind::List, SpanKind::Item, SpanKind::Item]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SpanKind {
    /// A group of choices that belong together, such as one value of a type.
    Group,
    /// A list: its first own choice is a `Length`, and its `Item` children are that many items.
    List,
    /// One item of the enclosing list.
    Item,
    /// A try that the generator threw away, such as a value its filter refused.
    Discarded,
    /// One input of the test, labeled with its name.
    Input,
    /// One of several ways that the test could go, labeled with its name. The span around it holds the pick, too: a step
    /// of the test. See [`Source::arm`](crate::Source::arm).
    Arm,
    /// A value whose neighbors the user makes: its first value, then steps from one value to the next. See
    /// [`Combine::neighbor`](crate::Combine::neighbor).
    Neighbor,
}

/// A labeled, contiguous group of choices.
///
/// ```
/// use probity_core::{Span, SpanKind};
/// let list = Span { label: "list", kind: SpanKind::List, start: 0, end: 3, depth: 0 };
/// let item = Span { label: "item", kind: SpanKind::Item, start: 1, end: 2, depth: 1 };
/// assert_eq!((list.range(), list.len(), list.is_empty()), (0..3, 3, false));
/// assert!(list.encloses(&item) && !item.encloses(&list));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Spans with the same label were drawn by the same generator.
    pub label: &'static str,
    /// What the span is about.
    pub kind: SpanKind,
    /// The first choice.
    pub start: u32,
    /// One past the last choice.
    pub end: u32,
    /// How many spans enclose this one.
    pub depth: u32,
}

impl Span {
    /// The end of a span that is still being drawn. Engines see such spans; finished traces have none.
    pub const OPEN: u32 = u32::MAX;

    /// The choices of the span, as a range of indices.
    pub fn range(&self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }

    /// How many choices it holds.
    pub fn len(&self) -> usize {
        (self.end - self.start) as usize
    }

    /// Whether it holds no choices.
    pub fn is_empty(&self) -> bool {
        self.start == self.end
    }

    /// Whether `other` lies within this span.
    pub fn encloses(&self, other: &Span) -> bool {
        self.start <= other.start && other.end <= self.end && self.depth < other.depth
    }
}

/// The recorded choices of one case, in the order they were asked, and the spans that group them.
///
/// Spans are in the order they were opened, so a span's descendants follow it directly.
///
/// ```
/// use probity_core::{Random, Source, run_case};
/// let mut source = Source::new(Box::new(Random::new(7)));
/// let case = run_case(&mut source, &mut |src: &mut Source| {
///     src.draw(0..=9);
/// }).unwrap();
/// assert_eq!(case.trace.choices.len(), 1);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// Every choice, in order.
    pub choices: Vec<Choice>,
    /// Every span, in the order they were opened.
    pub spans: Vec<Span>,
}

impl Trace {
    /// The answers alone: enough to replay the case.
    ///
    /// ```
    /// # use probity_core::{Random, Replay, Source, Tail, run_case};
    /// # let mut source = Source::new(Box::new(Random::new(7)));
    /// let mut test = |src: &mut Source| { src.any::<(u8, bool)>(); };
    /// let case = run_case(&mut source, &mut test).unwrap();
    /// let replay = Replay::new(case.trace.values(), Tail::Overrun);
    /// let again = run_case(&mut Source::new(Box::new(replay)), &mut test).unwrap();
    /// assert_eq!(again.trace, case.trace);
    /// ```
    pub fn values(&self) -> Vec<Value> {
        self.choices.iter().map(|it| it.value).collect()
    }

    /// How large the input is: how far its answers are from the simplest, all together. An integer counts
    /// its distance from its simplest value, a list the items it has beyond its least length, and every
    /// other answer that is not the simplest counts one. The exhaustive engine goes by it.
    ///
    /// ```
    /// use probity_core::{Choice, Domain, Trace, Value};
    /// let digit = |n| Choice { domain: Domain::int(-9, 9), value: Value::Int(n) };
    /// let list = Choice { domain: Domain::length(0, 9), value: Value::Length(2) };
    /// let trace = Trace { choices: vec![list, digit(3), digit(-1)], spans: vec![] };
    /// assert_eq!(trace.size(), 2 + 3 + 1);
    /// ```
    pub fn size(&self) -> u64 {
        let costs = self.choices.iter().map(|it| crate::size::cost(&it.domain, it.value));
        costs.fold(0, u64::saturating_add)
    }

    /// Simpler first: fewer choices, then lower ranks from the left.
    ///
    /// ```
    /// use probity_core::{Choice, Domain, Trace, Value};
    /// let digit = |n| Choice { domain: Domain::int(0, 9), value: Value::Int(n) };
    /// let trace = |it: &[i128]| Trace { choices: it.iter().copied().map(digit).collect(), spans: vec![] };
    /// assert!(trace(&[9]).simplicity(&trace(&[0, 0])).is_lt());
    /// assert!(trace(&[1, 9]).simplicity(&trace(&[2, 0])).is_lt());
    /// ```
    pub fn simplicity(&self, other: &Trace) -> Ordering {
        let by_len = self.choices.len().cmp(&other.choices.len());
        by_len.then_with(|| {
            let rank = |it: &Choice| it.domain.rank(it.value);
            // Equal prefixes are the rule while shrinking: ranks are computed only where choices differ.
            let mut differing = self.choices.iter().zip(&other.choices).filter(|(a, b)| a != b);
            differing
                .find_map(|(a, b)| Some(rank(a).cmp(&rank(b))).filter(|it| it.is_ne()))
                .unwrap_or(Ordering::Equal)
        })
    }

    /// The spans directly within span `index`.
    ///
    /// ```
    /// # use probity_core::{Random, Source, run_case, vec};
    /// # let mut source = Source::new(Box::new(Random::new(7)));
    /// let mut test = |src: &mut Source| { src.draw(vec(0..9, 2)); };
    /// let trace = run_case(&mut source, &mut test).unwrap().trace;
    /// let list = trace.children(0).next().unwrap(); // span 0 is the input as a whole
    /// assert_eq!(trace.children(list).count(), 2);
    /// ```
    pub fn children(&self, index: usize) -> impl Iterator<Item = usize> + '_ {
        let depth = self.spans[index].depth;
        (index + 1..self.spans.len())
            .take_while(move |&it| depth < self.spans[it].depth)
            .filter(move |&it| self.spans[it].depth == depth + 1)
    }
}
