//! An engine that repeats a trace except for some parts, which it answers otherwise.

use std::ops::Range;
use std::rc::Rc;

use crate::{Case, Choice, Domain, Ended, Engine, Sampler, Span, Stop, Trace, Value};

/// A span, or one choice that stands alone.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct VariedPart {
    pub(crate) range: Range<usize>,
    pub(crate) span: Option<Span>,
}

impl VariedPart {
    pub(crate) fn of(span: &Span) -> VariedPart {
        VariedPart { range: span.range(), span: Some(*span) }
    }

    pub(crate) fn choice(at: usize) -> VariedPart {
        VariedPart { range: at..at + 1, span: None }
    }

    pub(crate) fn encloses(&self, other: &VariedPart) -> bool {
        self.range.start <= other.range.start && other.range.end <= self.range.end
    }
}

/// What the choices of a part are answered with.
#[derive(Clone, Debug)]
pub(crate) enum Fill {
    /// Random answers.
    Random,
    /// These, as far as they fit, then the simplest.
    Given(Vec<Value>),
    /// This one, then random answers.
    Begun(Value),
}

/// Recorded answers, others within some parts. A part may take more or fewer choices than recorded: behind
/// it the recorded answers go on where the part ended.
pub(crate) struct Vary {
    recorded: Rc<Trace>,
    /// In order, none within another.
    parts: Vec<(VariedPart, Fill)>,
    next: usize,
    cursor: usize,
    /// The span of the new trace that is being varied.
    varying: Option<usize>,
    /// How many answers the part has that is being varied.
    taken: usize,
    sampler: Sampler,
}

impl Vary {
    pub(crate) fn new(recorded: Rc<Trace>, parts: Vec<(VariedPart, Fill)>, seed: u64, index: u64) -> Self {
        let mut sampler = Sampler::IDLE;
        sampler.start_even(seed, index);
        Vary { recorded, parts, next: 0, cursor: 0, varying: None, taken: 0, sampler }
    }

    /// Answers a choice of the part that is being varied.
    fn other(&mut self, domain: &Domain) -> Value {
        let at = self.taken;
        self.taken += 1;
        match &self.parts[self.next - 1].1 {
            Fill::Begun(first) if at == 0 => domain.fit(*first),
            Fill::Random | Fill::Begun(_) => self.sampler.value(domain),
            Fill::Given(values) => values.get(at).map_or_else(|| domain.simplest(), |&it| domain.fit(it)),
        }
    }
}

/// What was asked and answered in each of `parts` when [`Vary`] led to `trace`.
pub(crate) fn answered(trace: &Trace, parts: &[(VariedPart, Fill)]) -> Vec<Vec<Choice>> {
    let mut res = vec![Vec::new(); parts.len()];
    // Where the case stands, and where the recorded one does.
    let (mut at, mut cursor, mut next) = (0, 0, 0);
    while at < trace.choices.len() {
        match parts.get(next) {
            Some((part, _)) if part.range.start == cursor => {
                let is_it = |span: &Span, it: &Span| it.depth == span.depth && it.range().contains(&at);
                let found = part.span.and_then(|span| trace.spans.iter().find(|it| is_it(&span, it)));
                let end = found.map_or(at + 1, |it| it.range().end);
                res[next] = trace.choices[at..end].to_vec();
                (at, cursor, next) = (end, part.range.end, next + 1);
            }
            _ => (at, cursor) = (at + 1, cursor + 1),
        }
    }
    res
}

impl Engine for Vary {
    fn begin(&mut self) -> Result<(), Ended> {
        Ok(())
    }

    fn answer(&mut self, domain: &Domain, so_far: &Trace) -> Result<Value, Stop> {
        if let Some(span) = self.varying {
            if so_far.spans[span].end == Span::OPEN {
                return Ok(self.other(domain));
            }
            self.varying = None;
        }
        if let Some((part, _)) = self.parts.get(self.next)
            && part.range.start == self.cursor
        {
            self.cursor = part.range.end;
            self.varying = part.span.and_then(|span| {
                let open = |it: &Span| it.end == Span::OPEN && it.depth == span.depth;
                so_far.spans.iter().rposition(open)
            });
            self.next += 1;
            self.taken = 0;
            return Ok(self.other(domain));
        }
        let recorded = self.recorded.choices.get(self.cursor);
        self.cursor += 1;
        Ok(recorded.map_or_else(|| domain.simplest(), |it| domain.fit(it.value)))
    }

    fn end(&mut self, _: &Case) {}
}
