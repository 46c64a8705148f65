//! Answers by a script: what still fits is kept, wherever the structure has shifted to.

use super::outline::{Label, SpanLabels, Token};
use crate::{Span, Trace, Value};

/// Walks a script along with the spans of a new trace.
///
/// A span of the new trace is matched with the next one of its label within the span around it. What it asks
/// for beyond what is written there, and what does not fit, is for the caller to draw.
#[derive(Default)]
pub(in crate::engine) struct ScriptReplayer {
    /// The script: a span that holds all.
    pub(in crate::engine) tokens: Vec<Token>,
    /// The values of the answers that are not those of the trace it is a neighbor of.
    pub(in crate::engine) values: Vec<Value>,
    cursor: usize,
    frames: Vec<FollowedSpan>,
    /// How many spans of the new trace have been seen.
    seen: usize,
    /// Where it stood before each choice: the cursor, how many frames there were, how many spans were seen.
    stood: Vec<(usize, usize, usize)>,
}

/// An open span of the new trace.
struct FollowedSpan {
    new: usize,
    /// Where the span it was matched with ends in the script.
    end: Option<usize>,
}

impl ScriptReplayer {
    /// Begins the script anew.
    pub(in crate::engine) fn start(&mut self) {
        (self.cursor, self.seen) = (1, 0);
        self.frames.clear();
        self.stood.clear();
    }

    /// What the script says to the next choice.
    #[inline]
    pub(in crate::engine) fn next(
        &mut self,
        so_far: &Trace,
        base: &[Value],
        labels: &mut SpanLabels,
    ) -> Option<Value> {
        self.follow(so_far, labels);
        let end = match self.frames.last() {
            None => self.tokens.len(),
            Some(frame) => frame.end?,
        };
        while self.cursor < end {
            match self.tokens[self.cursor] {
                Token::Answer(at) => {
                    self.cursor += 1;
                    let at = at as usize;
                    return base.get(at).or_else(|| self.values.get(at - base.len())).copied();
                }
                Token::Open { len, .. } => self.cursor += 1 + len as usize,
            }
        }
        None
    }

    /// Goes back to where choice number `start` was asked for. Returns how many were asked for since.
    pub(in crate::engine) fn back(&mut self, start: usize) -> usize {
        let since = self.stood.len().saturating_sub(start);
        if since > 0 {
            let n_frames;
            (self.cursor, n_frames, self.seen) = self.stood[start];
            self.frames.truncate(n_frames);
            self.stood.truncate(start);
        }
        since
    }

    /// Leaves spans that were closed and enters those that were opened since the last answer.
    fn follow(&mut self, so_far: &Trace, labels: &mut SpanLabels) {
        while let Some(frame) = self.frames.last()
            && so_far.spans[frame.new].end != Span::OPEN
        {
            if let Some(end) = frame.end {
                self.cursor = end;
            }
            self.frames.pop();
        }
        self.stood.push((self.cursor, self.frames.len(), self.seen));
        for new in self.seen..so_far.spans.len() {
            let span = &so_far.spans[new];
            if span.end == Span::OPEN {
                let end = self.enter(labels.number(span.label));
                self.frames.push(FollowedSpan { new, end });
            }
        }
        self.seen = so_far.spans.len();
    }

    /// Enters the next span of this label in the script, and says where it ends.
    fn enter(&mut self, label: Label) -> Option<usize> {
        let end = match self.frames.last() {
            None => self.tokens.len(),
            Some(frame) => frame.end?,
        };
        let mut at = self.cursor;
        while at < end {
            match self.tokens[at] {
                Token::Open { label: it, len, .. } => {
                    if it == label {
                        self.cursor = at + 1;
                        return Some(at + 1 + len as usize);
                    }
                    at += 1 + len as usize;
                }
                Token::Answer(_) => at += 1,
            }
        }
        None
    }
}
