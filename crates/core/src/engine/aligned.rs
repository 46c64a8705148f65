//! Replay that follows spans instead of counting choices.

use crate::{Case, Domain, Ended, Engine, Span, Stop, Trace, Value};

/// Recorded answers, found again by the spans they are in.
///
/// A plain [`Replay`](crate::Replay) gives the n-th answer to the n-th choice, so one choice more or
/// less shifts all that follow. This engine walks the recorded spans along with the new ones: a span
/// that asks for more than was recorded gets the simplest answers, one that asks for less leaves the rest
/// unused, and what follows is answered from its own span again.
///
/// ```
/// use probity_core::{Aligned, Random, Source, Value, run_case, vec};
/// let draw = |src: &mut Source, n: usize| (src.draw(vec(0..9, n)), src.draw(vec(0..9, 2)));
/// let mut source = Source::new(Box::new(Random::at(7, 1)));
/// let (mut first, mut second) = Default::default();
/// let case = run_case(&mut source, &mut |src: &mut Source| first = draw(src, 3)).unwrap();
/// let mut source = Source::new(Box::new(Aligned::new(case.trace)));
/// run_case(&mut source, &mut |src: &mut Source| second = draw(src, 5)).unwrap();
/// assert_eq!(second.0, [&first.0[..], &[0, 0]].concat(), "two items more, both simplest");
/// assert_eq!(second.1, first.1, "what follows is not shifted");
/// ```
pub struct Aligned {
    recorded: Trace,
    cursor: usize,
    frames: Vec<AlignedFrame>,
    /// How many spans of the new trace have been seen.
    seen: usize,
    begun: bool,
}

/// An open span of the new trace, and the recorded span it was matched with.
struct AlignedFrame {
    new: usize,
    recorded: Option<usize>,
}

impl Aligned {
    /// Answers with the choices of `recorded`, by its spans.
    pub fn new(recorded: Trace) -> Self {
        Aligned { recorded, cursor: 0, frames: Vec::new(), seen: 0, begun: false }
    }

    /// Leaves spans that were closed and enters those that were opened since the last answer.
    fn follow(&mut self, so_far: &Trace) {
        while let Some(frame) = self.frames.last()
            && so_far.spans[frame.new].end != Span::OPEN
        {
            if let Some(at) = frame.recorded {
                self.cursor = self.cursor.max(self.recorded.spans[at].range().end);
            }
            self.frames.pop();
        }
        for new in self.seen..so_far.spans.len() {
            let span = &so_far.spans[new];
            if span.end == Span::OPEN {
                let recorded = self.partner(span);
                if let Some(at) = recorded {
                    self.cursor = self.cursor.max(self.recorded.spans[at].range().start);
                }
                self.frames.push(AlignedFrame { new, recorded });
            }
        }
        self.seen = so_far.spans.len();
    }

    /// The next recorded span with the same label within the current one.
    fn partner(&self, span: &Span) -> Option<usize> {
        let (first, depth, end) = match self.frames.last() {
            None => (0, 0, u32::MAX),
            Some(AlignedFrame { recorded: Some(at), .. }) => {
                let outer = &self.recorded.spans[*at];
                (at + 1, outer.depth + 1, outer.end)
            }
            Some(AlignedFrame { recorded: None, .. }) => return None,
        };
        let inner = self.recorded.spans.iter().enumerate().skip(first);
        inner.take_while(|(_, it)| it.depth >= depth && it.start <= end).find_map(|(at, it)| {
            let ahead = it.depth == depth && it.start as usize >= self.cursor && !it.is_empty();
            (ahead && it.label == span.label).then_some(at)
        })
    }
}

impl Engine for Aligned {
    fn begin(&mut self) -> Result<(), Ended> {
        (self.cursor, self.seen) = (0, 0);
        self.frames.clear();
        if std::mem::replace(&mut self.begun, true) { Err(Ended::Exhausted) } else { Ok(()) }
    }

    fn answer(&mut self, domain: &Domain, so_far: &Trace) -> Result<Value, Stop> {
        self.follow(so_far);
        let end = match self.frames.last() {
            None => self.recorded.choices.len(),
            Some(AlignedFrame { recorded: Some(at), .. }) => self.recorded.spans[*at].range().end,
            Some(AlignedFrame { recorded: None, .. }) => 0,
        };
        if self.cursor >= end {
            return Ok(domain.simplest());
        }
        let value = self.recorded.choices[self.cursor].value;
        self.cursor += 1;
        Ok(domain.fit(value))
    }

    fn end(&mut self, _: &Case) {}
}
