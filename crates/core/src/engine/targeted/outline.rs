//! A trace in the form in which it is varied: its answers and spans in one line, and what can be done where.

use crate::{Domain, SpanKind, Trace, Value};

/// One step through a trace. Small, because a script is copied for every case: with labels and values in it, that
/// was a third of what a case of 300 choices took.
#[derive(Clone, Copy, PartialEq)]
#[cfg_attr(test, derive(Debug))]
pub(in crate::engine) enum Token {
    /// A span begins; the next `len` tokens are its own.
    Open { label: Label, kind: SpanKind, len: u32 },
    /// An answer, by its number.
    Answer(u32),
}

/// The number of a label.
#[derive(Clone, Copy, PartialEq, Eq)]
#[cfg_attr(test, derive(Debug))]
pub(in crate::engine) struct Label(u16);

/// The labels that were seen.
pub(in crate::engine) struct SpanLabels {
    known: Vec<&'static str>,
    /// Numbers by where a label is in memory: most spans are those of a few places in the program.
    recent: [u16; 32],
}

impl SpanLabels {
    pub(in crate::engine) fn new() -> Self {
        SpanLabels { known: Vec::new(), recent: [0; 32] }
    }

    /// The number of a label. Beyond 2^16 of them, some are taken for one another, which costs only quality.
    #[inline]
    pub(in crate::engine) fn number(&mut self, label: &'static str) -> Label {
        let slot = (label.as_ptr().addr() >> 3) % self.recent.len();
        match self.known.get(self.recent[slot] as usize) {
            Some(it) if std::ptr::eq(*it, label) => Label(self.recent[slot]),
            _ => self.find(label, slot),
        }
    }

    fn find(&mut self, label: &'static str, slot: usize) -> Label {
        let at = self.known.iter().position(|it| *it == label).unwrap_or_else(|| {
            self.known.push(label);
            self.known.len() - 1
        });
        self.recent[slot] = at as u16;
        Label(at as u16)
    }
}

/// A trace, and the places where it can be varied. What its generators threw away is left out.
#[derive(Default)]
pub(in crate::engine) struct TraceOutline {
    pub(in crate::engine) tokens: Vec<Token>,
    pub(in crate::engine) values: Vec<Value>,
    /// The span that each token is in, by the number of the token that opens it.
    parents: Vec<u32>,
    /// The choices that can be answered otherwise.
    pub(in crate::engine) slots: Vec<OutlineSlot>,
    /// What is in a row and can change places.
    pub(in crate::engine) rows: Vec<SpanRow>,
    items: Vec<(u32, u32)>,
    /// Spans whose neighbors are the user's to make.
    pub(in crate::engine) steps: Vec<u32>,
    /// Whether some choices have the same domain.
    pub(in crate::engine) has_equals: bool,
    /// Whether some row can grow or shrink.
    pub(in crate::engine) has_counts: bool,
    /// Whether some row has more than one item.
    pub(in crate::engine) has_rows: bool,
}

/// A choice that can be answered otherwise.
pub(in crate::engine) struct OutlineSlot {
    pub(in crate::engine) token: u32,
    pub(in crate::engine) domain: Domain,
}

/// Spans of one kind in a row: the items of a list, or what a loop drew.
pub(in crate::engine) struct SpanRow {
    pub(in crate::engine) label: Label,
    kind: SpanKind,
    /// Which of the outline's items are its own.
    first: u32,
    pub(in crate::engine) len: u32,
    /// Where its first item stands, or would stand.
    start: u32,
    /// The span it is in.
    pub(in crate::engine) parent: u32,
    /// How many choices come before it.
    before: u32,
    /// The answer that says how many there are, where one does, and its bounds.
    pub(in crate::engine) count: Option<(u32, u32, u32)>,
}

/// No span.
const NONE: u32 = u32::MAX;
/// How far back the number of spans in a row is looked for.
const COUNT_WITHIN: usize = 16;

/// What stands open while an outline is made.
struct Frame {
    token: u32,
    /// Where the span ends, in choices.
    end: u32,
    depth: Option<u32>,
    /// The row that the last child is in.
    row: Option<usize>,
}

impl TraceOutline {
    /// Becomes the outline of `trace`.
    pub(in crate::engine) fn set(&mut self, trace: &Trace, labels: &mut SpanLabels) {
        self.tokens.clear();
        self.values.clear();
        self.parents.clear();
        self.slots.clear();
        self.rows.clear();
        self.items.clear();
        self.steps.clear();
        OutlineBuilder { out: self, labels, frames: Vec::new(), items: Vec::new(), free: 0 }.run(trace);
        self.has_equals = self.slots.iter().skip(1).any(|it| it.domain == self.slots[0].domain)
            || self.slots.windows(2).any(|it| it[0].domain == it[1].domain);
        self.has_counts = self.rows.iter().any(|it| it.count.is_some());
        self.has_rows = self.rows.iter().any(|it| it.len > 1);
    }

    /// Where item number `at` of a row stands: its tokens.
    pub(in crate::engine) fn item(&self, row: &SpanRow, at: u32) -> (u32, u32) {
        self.items[(row.first + at) as usize]
    }

    /// The tokens of `n` items of a row, from number `at` on.
    pub(in crate::engine) fn run(&self, row: &SpanRow, at: u32, n: u32) -> (u32, u32) {
        if n == 0 {
            let place = self.place(row, at);
            return (place, place);
        }
        (self.item(row, at).0, self.item(row, at + n - 1).1)
    }

    /// Where an item would stand that comes before number `at` of a row.
    pub(in crate::engine) fn place(&self, row: &SpanRow, at: u32) -> u32 {
        match at.checked_sub(1) {
            None => row.start,
            Some(before) => self.item(row, before).1,
        }
    }

    /// The token of an item of which nothing is known.
    pub(in crate::engine) fn blank(row: &SpanRow) -> Token {
        Token::Open { label: row.label, kind: row.kind, len: 0 }
    }

    /// The span that a token is in.
    pub(in crate::engine) fn parent(&self, token: u32) -> Option<u32> {
        Some(self.parents[token as usize]).filter(|&it| it != NONE)
    }

    /// One past the last token of a span.
    pub(in crate::engine) fn end(&self, token: u32) -> u32 {
        match self.tokens[token as usize] {
            Token::Open { len, .. } => token + 1 + len,
            Token::Answer(_) => token + 1,
        }
    }

    pub(in crate::engine) fn value(&self, slot: &OutlineSlot) -> Value {
        match self.tokens[slot.token as usize] {
            Token::Answer(at) => self.values[at as usize],
            Token::Open { .. } => unreachable!("a slot is an answer"),
        }
    }
}

struct OutlineBuilder<'a> {
    out: &'a mut TraceOutline,
    labels: &'a mut SpanLabels,
    frames: Vec<Frame>,
    /// Items with the row they belong to, in the order in which they begin.
    items: Vec<(usize, u32)>,
    /// How many spans are open whose inside is the user's to vary.
    free: u32,
}

impl OutlineBuilder<'_> {
    fn run(mut self, trace: &Trace) {
        self.open("", SpanKind::Group, u32::MAX, None);
        let mut spans = trace.spans.iter().peekable();
        let mut skip_to = 0;
        for at in 0..=trace.choices.len() {
            while let Some(span) = spans.next_if(|it| it.start as usize <= at) {
                if (span.start as usize) < skip_to {
                    continue; // within what was thrown away
                }
                self.close(Some(span.depth), at);
                if span.kind == SpanKind::Discarded {
                    skip_to = skip_to.max(span.end as usize);
                } else {
                    self.open(span.label, span.kind, span.end, Some(span.depth));
                }
            }
            if let Some(choice) = trace.choices.get(at).filter(|_| at >= skip_to) {
                self.close(None, at);
                self.answer(choice.domain.clone(), choice.value);
            }
        }
        self.close(None, u32::MAX as usize);
        self.file_items();
    }

    fn push(&mut self, token: Token) -> u32 {
        let at = self.out.tokens.len() as u32;
        self.out.tokens.push(token);
        self.out.parents.push(self.frames.last().map_or(NONE, |it| it.token));
        at
    }

    fn open(&mut self, label: &'static str, kind: SpanKind, end: u32, depth: Option<u32>) {
        let label = self.labels.number(label);
        let at = self.push(Token::Open { label, kind, len: 0 });
        if self.free == 0 {
            self.join_row(at, label, kind);
        }
        if kind == SpanKind::Neighbor {
            if self.free == 0 {
                self.out.steps.push(at);
            }
            self.free += 1;
        }
        self.frames.push(Frame { token: at, end, depth, row: None });
    }

    /// Adds the span at `at` to the row of the one before it, or begins one.
    fn join_row(&mut self, at: u32, label: Label, kind: SpanKind) {
        let Some(frame) = self.frames.last_mut() else { return };
        let is_next = |row: &SpanRow| row.kind == kind && row.label == label;
        let row = match frame.row {
            // A choice between two spans does not part them: a loop may draw between what it calls.
            Some(row) if is_next(&self.out.rows[row]) => row,
            _ => {
                let (parent, before) = (frame.token, self.out.slots.len() as u32);
                let row = SpanRow { label, kind, first: 0, len: 0, start: at, parent, before, count: None };
                frame.row = Some(self.out.rows.len());
                self.out.rows.push(row);
                self.out.rows.len() - 1
            }
        };
        self.out.rows[row].len += 1;
        self.items.push((row, at));
    }

    fn answer(&mut self, domain: Domain, value: Value) {
        let token = self.push(Token::Answer(self.out.values.len() as u32));
        self.out.values.push(value);
        if self.free > 0 {
            return;
        }
        if let Some(frame) = self.frames.last_mut()
            && let (&Domain::Length { min, max, .. }, None) = (&domain, frame.row)
            && let Token::Open { kind: SpanKind::List, .. } = self.out.tokens[frame.token as usize]
        {
            let count = Some((token, min, max));
            let (start, parent) = (token + 1, frame.token);
            let (label, kind) = (self.labels.number("item"), SpanKind::Item);
            let row = SpanRow { label, kind, first: 0, len: 0, start, parent, before: 0, count };
            frame.row = Some(self.out.rows.len());
            self.out.rows.push(row);
            return;
        }
        if domain.last_rank() != Some(0) {
            self.out.slots.push(OutlineSlot { token, domain });
        }
    }

    /// Ends the spans that a span of this depth does not be in; without one, those that end before choice
    /// number `at`. A span without choices can be the last in another that ends there too.
    fn close(&mut self, depth: Option<u32>, at: usize) {
        while let Some(frame) = self.frames.last()
            && depth.map_or(frame.end as usize <= at, |it| frame.depth.is_some_and(|its| it <= its))
        {
            let frame_token = frame.token;
            self.frames.pop();
            let end = self.out.tokens.len() as u32;
            let Token::Open { len, kind, .. } = &mut self.out.tokens[frame_token as usize] else {
                unreachable!("a frame is a span")
            };
            *len = end - frame_token - 1;
            self.free -= u32::from(*kind == SpanKind::Neighbor);
        }
    }

    /// Puts the items of each row side by side. They end where their spans do.
    fn file_items(&mut self) {
        let mut next = 0;
        for row in &mut self.out.rows {
            if row.count.is_none() {
                row.count = find_count(row, &self.out.slots, &self.out.tokens, &self.out.values);
            }
            row.first = next;
            next += std::mem::take(&mut row.len);
        }
        self.out.items.resize(next as usize, (0, 0));
        for &(row, start) in &self.items {
            let end = self.out.end(start);
            let row = &mut self.out.rows[row];
            self.out.items[(row.first + row.len) as usize] = (start, end);
            row.len += 1;
        }
    }
}

/// The number that says how long a row is that has none of its own.
fn find_count(
    row: &SpanRow,
    slots: &[OutlineSlot],
    tokens: &[Token],
    values: &[Value],
) -> Option<(u32, u32, u32)> {
    let says_so = |slot: &OutlineSlot| match tokens[slot.token as usize] {
        Token::Answer(at) => values[at as usize] == Value::Int(row.len.into()),
        Token::Open { .. } => false,
    };
    let within = if row.len > 1 { COUNT_WITHIN } else { 1 };
    let mut near = slots[..row.before as usize].iter().rev().take(within);
    near.find_map(|slot| match slot.domain {
        Domain::Int { min, max, .. } if says_so(slot) => {
            let bound = |it: i128| it.clamp(0, u32::MAX.into()) as u32;
            Some((slot.token, bound(min), bound(max)))
        }
        _ => None,
    })
}
