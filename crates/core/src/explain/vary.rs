//! An engine that repeats a trace except for some parts, which it draws anew.

use std::ops::Range;

use crate::{Case, Domain, Ended, Engine, Sampler, Span, Stop, Trace, Value};

/// A span, or one choice that stands alone.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Part {
    pub(super) range: Range<usize>,
    pub(super) span: Option<Span>,
}

impl Part {
    pub(super) fn of(span: &Span) -> Part {
        Part { range: span.range(), span: Some(*span) }
    }

    pub(super) fn choice(at: usize) -> Part {
        Part { range: at..at + 1, span: None }
    }
}

/// Recorded answers, random ones within some parts. A part may take more or fewer choices than
/// recorded: behind it the recorded answers go on where the part ended.
pub(super) struct Vary {
    recorded: Trace,
    /// In order, none within another.
    parts: Vec<Part>,
    next: usize,
    cursor: usize,
    /// The span of the new trace that is being varied.
    varying: Option<usize>,
    sampler: Sampler,
}

impl Vary {
    pub(super) fn new(recorded: Trace, parts: Vec<Part>, seed: u64, index: u64) -> Self {
        Vary { recorded, parts, next: 0, cursor: 0, varying: None, sampler: Sampler::new(seed, index) }
    }
}

impl Engine for Vary {
    fn begin(&mut self) -> Result<(), Ended> {
        Ok(())
    }

    fn answer(&mut self, domain: &Domain, so_far: &Trace) -> Result<Value, Stop> {
        if let Some(span) = self.varying {
            if so_far.spans[span].end == Span::OPEN {
                return Ok(self.sampler.value(domain));
            }
            self.varying = None;
        }
        if let Some(part) = self.parts.get(self.next)
            && part.range.start == self.cursor
        {
            self.cursor = part.range.end;
            self.next += 1;
            self.varying = part.span.and_then(|span| {
                let open = |it: &Span| it.end == Span::OPEN && it.depth == span.depth;
                so_far.spans.iter().rposition(open)
            });
            return Ok(self.sampler.value(domain));
        }
        let recorded = self.recorded.choices.get(self.cursor);
        self.cursor += 1;
        Ok(recorded.map_or_else(|| domain.simplest(), |it| domain.fit(it.value)))
    }

    fn end(&mut self, _: &Case) {}
}
