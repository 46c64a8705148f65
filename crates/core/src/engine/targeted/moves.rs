//! Neighbors of a trace: what is changed in it, and where.

use super::bandit::Bandit;
use super::line_search::LineSearch;
use super::numbers::{Changes, unit};
use super::outline::{Label, OutlineSlot, SpanRow, Token, TraceOutline};
use super::script::ScriptReplayer;
use crate::{Rng, Sampler, SpanKind, Value};

/// One kind of change.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Move {
    /// Answers one choice otherwise.
    Change,
    /// Gives one choice the answer of another, or both each other's.
    Copy,
    /// Draws a span anew.
    Redraw,
    /// Adds new items to a row.
    Insert,
    /// Takes items out of a row.
    Delete,
    /// Repeats items of a row elsewhere in it.
    Duplicate,
    /// Lets two items of a row change places.
    Swap,
    /// Takes items of a row elsewhere in it.
    Shift,
    /// Takes items or answers from another good trace.
    Splice,
    /// Goes over a row and inserts, deletes and changes as it goes; or over all answers.
    Sweep,
    /// Lets the user's neighbor take a step.
    Step,
}

use Move::*;

const MOVES: [Move; 11] = [Change, Copy, Redraw, Insert, Delete, Duplicate, Swap, Shift, Splice, Sweep, Step];
/// What each is worth before anything is known.
const PRIORS: [f32; 11] = [4.0, 1.0, 1.0, 3.0, 2.0, 1.5, 0.7, 0.7, 0.7, 1.0, 4.0];

/// How many changes are made at once.
const AT_ONCE: [u64; 4] = [1, 2, 4, 8];
/// How often another place or kind is looked for where one does not do.
const TRIES: u32 = 8;
/// How many steps of the user's neighbor a value may be made of.
const STEPS_MAX: u32 = 100;

/// Writes neighbors, mostly of the kinds that have helped.
pub(in crate::engine) struct Neighbourhood {
    pub(in crate::engine) changes: Changes,
    moves: Bandit<{ MOVES.len() }>,
    at_once: Bandit<{ AT_ONCE.len() }>,
    /// Where the last change that helped leads on, and what this case tried of that kind.
    line: Option<LineSearch>,
    tried: Option<LineSearch>,
    cuts: Vec<Cut>,
    inserted: Vec<Token>,
    draft: Vec<Token>,
    /// Values that the base does not have. Their numbers follow its own.
    values: Vec<Value>,
}

/// Tokens that are replaced by others.
#[derive(Clone, Copy)]
struct Cut {
    start: u32,
    end: u32,
    /// The span they are in.
    span: u32,
    /// Which of the inserted tokens take their place.
    inserted: (u32, u32),
}

/// What one neighbor is made from.
pub(in crate::engine) struct MoveContext<'a> {
    pub(in crate::engine) base: &'a TraceOutline,
    /// Another good trace.
    pub(in crate::engine) other: Option<&'a TraceOutline>,
    /// The label of a step.
    pub(in crate::engine) step: Label,
    pub(in crate::engine) temperature: f64,
    pub(in crate::engine) rng: &'a mut Rng,
    pub(in crate::engine) sampler: &'a mut Sampler,
}

impl Neighbourhood {
    pub(in crate::engine) fn new() -> Self {
        Neighbourhood {
            changes: Changes::new(),
            moves: Bandit::new(PRIORS),
            at_once: Bandit::new([4.0, 2.0, 1.0, 0.5]),
            line: None,
            tried: None,
            cuts: Vec::new(),
            inserted: Vec::new(),
            draft: Vec::new(),
            values: Vec::new(),
        }
    }

    /// Writes a neighbor as a script to follow. What it leaves blank is to be drawn.
    pub(in crate::engine) fn write(&mut self, replayer: &mut ScriptReplayer, context: &mut MoveContext<'_>) {
        self.values.clear();
        self.draft.clear();
        self.draft.extend_from_slice(&context.base.tokens);
        self.cuts.clear();
        self.inserted.clear();
        self.tried = None;
        if !self.follow_line(context) {
            self.make_some(context);
        }
        self.finish(replayer);
    }

    /// Goes on where the last change of one number helped, in every second case.
    fn follow_line(&mut self, context: &mut MoveContext<'_>) -> bool {
        let Some(line) = self.line else { return false };
        let Some((slot, value)) = line.next(context.base) else {
            self.line = line.learn(false);
            return false;
        };
        if context.rng.chance(128) {
            return false;
        }
        self.tried = Some(line);
        self.set(context.base, context.base.slots[slot].token, value);
        true
    }

    /// Makes some changes.
    fn make_some(&mut self, context: &mut MoveContext<'_>) {
        let open = open_moves(context.base, context.other.is_some());
        let most = AT_ONCE[self.at_once.pick(context.rng, u32::MAX)];
        for _ in 0..most - context.rng.below(most.div_ceil(2)) {
            let mut tries = if open == 0 { 0 } else { TRIES };
            while tries > 0 {
                let kind = MOVES[self.moves.pick(context.rng, open)];
                tries = if self.make(kind, context) { 0 } else { tries - 1 };
            }
        }
        if most > 1 {
            self.tried = None; // it would not be known which of them helped
        }
    }

    /// Puts the changes into the script.
    fn finish(&mut self, replayer: &mut ScriptReplayer) {
        std::mem::swap(&mut replayer.values, &mut self.values);
        let script = &mut replayer.tokens;
        if self.cuts.is_empty() {
            return std::mem::swap(script, &mut self.draft);
        }
        script.clear();
        let mut done = 0;
        for cut in &self.cuts {
            script.extend_from_slice(&self.draft[done as usize..cut.start as usize]);
            script.extend_from_slice(&self.inserted[cut.inserted.0 as usize..cut.inserted.1 as usize]);
            done = cut.end;
        }
        script.extend_from_slice(&self.draft[done as usize..]);
    }

    /// Says whether the neighbor was better than what it is a neighbor of.
    pub(in crate::engine) fn learn(&mut self, helped: bool) {
        self.moves.learn(helped);
        self.at_once.learn(helped);
        self.changes.styles.learn(helped);
        if let Some(tried) = self.tried {
            let is_new = self.line != Some(tried);
            if helped || !is_new {
                self.line = tried.learn(helped);
            }
        }
    }

    fn make(&mut self, kind: Move, context: &mut MoveContext<'_>) -> bool {
        match kind {
            Change => {
                let at = context.rng.below(context.base.slots.len() as u64) as usize;
                self.change(at, context)
            }
            Copy => self.copy(context),
            Redraw => self.redraw(context),
            Insert => self.insert(context),
            Delete => self.delete(context),
            Duplicate => self.duplicate(context),
            Swap => self.swap(context),
            Shift => self.shift(context),
            Splice => self.splice(context),
            Sweep => self.sweep(context),
            Step => self.step(context),
        }
    }

    fn change(&mut self, slot: usize, context: &mut MoveContext<'_>) -> bool {
        let OutlineSlot { token, domain } = &context.base.slots[slot];
        let old = context.base.value(&context.base.slots[slot]);
        let new = self.changes.near(domain, old, context.temperature, context.rng, context.sampler);
        self.tried = LineSearch::of(context.base, slot, new);
        self.set(context.base, *token, new);
        new != old
    }

    fn copy(&mut self, context: &mut MoveContext<'_>) -> bool {
        let slots = &context.base.slots;
        for _ in 0..TRIES {
            let mut any = || &slots[context.rng.below(slots.len() as u64) as usize];
            let (from, to) = (any(), any());
            let (value, old) = (context.base.value(from), context.base.value(to));
            if value != old && from.domain == to.domain {
                self.set(context.base, to.token, value);
                if context.rng.chance(128) {
                    self.set(context.base, from.token, old);
                }
                return true;
            }
        }
        false
    }

    /// A span around a choice, mostly a small one.
    fn redraw(&mut self, context: &mut MoveContext<'_>) -> bool {
        let slots = &context.base.slots;
        let slot = &slots[context.rng.below(slots.len() as u64) as usize];
        let Some(mut span) = context.base.parent(slot.token).filter(|&it| it != 0) else { return false };
        while let Some(around) = context.base.parent(span).filter(|&it| it != 0)
            && context.rng.chance(96)
        {
            span = around;
        }
        self.cut(context.base, span, (span + 1, context.base.end(span)), &[])
    }

    fn insert(&mut self, context: &mut MoveContext<'_>) -> bool {
        let Some(row) = find_row(context, &|row| self.room(context.base, row) > 0) else { return false };
        let n = few(context.rng, self.room(context.base, row).min(row.len.max(4)));
        let at = context.rng.below(u64::from(row.len) + 1) as u32;
        let place = context.base.place(row, at);
        let blanks = vec![TraceOutline::blank(row); n as usize];
        self.cut_row(context.base, row, (place, place), &blanks, i64::from(n))
    }

    fn delete(&mut self, context: &mut MoveContext<'_>) -> bool {
        let Some(row) = find_row(context, &|row| row.len > 0 && self.spare(context.base, row) > 0) else {
            return false;
        };
        let n = few(context.rng, self.spare(context.base, row).min(row.len));
        let run = context.base.run(row, context.rng.below(u64::from(row.len - n) + 1) as u32, n);
        self.cut_row(context.base, row, run, &[], -i64::from(n))
    }

    fn duplicate(&mut self, context: &mut MoveContext<'_>) -> bool {
        let Some(row) =
            find_row(context, &|row| row.len > 1 || row.len > 0 && self.room(context.base, row) > 0)
        else {
            return false;
        };
        let room = self.room(context.base, row);
        let n = few(context.rng, if room > 0 { row.len.min(room) } else { row.len / 2 });
        let from = context.rng.below(u64::from(row.len - n) + 1) as u32;
        let run = context.base.run(row, from, n);
        let copy = &context.base.tokens[run.0 as usize..run.1 as usize];
        if room > 0 {
            // Right behind itself, or anywhere.
            let behind = context.rng.chance(128);
            let at = if behind { from + n } else { context.rng.below(u64::from(row.len) + 1) as u32 };
            let place = context.base.place(row, at);
            return self.cut_row(context.base, row, (place, place), copy, i64::from(n));
        }
        let at = context.rng.below(u64::from(row.len - n) + 1) as u32;
        at != from && self.cut_row(context.base, row, context.base.run(row, at, n), copy, 0)
    }

    fn swap(&mut self, context: &mut MoveContext<'_>) -> bool {
        let Some(row) = find_row(context, &|row| row.len > 1) else { return false };
        let mut any = || context.rng.below(row.len.into()) as u32;
        let (a, b) = (any(), any());
        let (a, b) = (context.base.item(row, a.min(b)), context.base.item(row, a.max(b)));
        let tokens = &context.base.tokens;
        a != b
            && self.cut_row(context.base, row, a, &tokens[b.0 as usize..b.1 as usize], 0)
            && self.cut_row(context.base, row, b, &tokens[a.0 as usize..a.1 as usize], 0)
    }

    fn shift(&mut self, context: &mut MoveContext<'_>) -> bool {
        let Some(row) = find_row(context, &|row| row.len > 1) else { return false };
        let n = few(context.rng, row.len / 2);
        let from = context.rng.below(u64::from(row.len - n) + 1) as u32;
        let to = context.rng.below(u64::from(row.len) + 1) as u32;
        if (from..=from + n).contains(&to) {
            return false;
        }
        let run = context.base.run(row, from, n);
        let place = context.base.place(row, to);
        let copy = &context.base.tokens[run.0 as usize..run.1 as usize];
        self.cut_row(context.base, row, run, &[], 0)
            && self.cut_row(context.base, row, (place, place), copy, 0)
    }

    fn splice(&mut self, context: &mut MoveContext<'_>) -> bool {
        let Some(other) = context.other else { return false };
        let (base, slots) = (context.base, &context.base.slots);
        if !slots.is_empty() && slots.len() == other.slots.len() && context.rng.chance(128) {
            let len = slots.len() as u64;
            let (a, b) = (context.rng.below(len) as usize, context.rng.below(len) as usize);
            let range = a.min(b)..=a.max(b);
            let mut differ = false;
            for (slot, theirs) in slots[range.clone()].iter().zip(&other.slots[range]) {
                let value = other.value(theirs);
                if slot.domain == theirs.domain {
                    differ |= value != base.value(slot);
                    self.set(base, slot.token, value);
                }
            }
            return differ;
        }
        let Some(row) = find_row(context, &|row| row.len > 0 || self.room(context.base, row) > 0) else {
            return false;
        };
        let around = |it: &TraceOutline, row: &SpanRow| match it.tokens[row.parent as usize] {
            Token::Open { label, .. } => Some(label),
            Token::Answer(_) => None,
        };
        let fits =
            |it: &SpanRow| it.len > 0 && it.label == row.label && around(other, it) == around(base, row);
        let Some(theirs) = find_row_of(other, context.rng, &fits) else { return false };
        let n = few(context.rng, theirs.len);
        let run = other.run(theirs, context.rng.below(u64::from(theirs.len - n) + 1) as u32, n);
        let mut copy = other.tokens[run.0 as usize..run.1 as usize].to_vec();
        for token in &mut copy {
            if let Token::Answer(at) = token {
                *at = self.number(base, other.values[*at as usize]);
            }
        }
        let at = context.rng.below(u64::from(row.len) + 1) as u32;
        // Instead of as many, or beside them.
        let replaced =
            if context.rng.chance(128) || self.room(context.base, row) < n { n.min(row.len - at) } else { 0 };
        let grows = i64::from(n) - i64::from(replaced);
        (grows == 0 || row.count.is_some())
            && self.cut_row(base, row, base.run(row, at, replaced), &copy, grows)
    }

    /// What the paper does to a list: a step through it with a growth coefficient.
    fn sweep(&mut self, context: &mut MoveContext<'_>) -> bool {
        let row = find_row(context, &|row| row.len > 1);
        let n = row.map_or(context.base.slots.len(), |it| it.len as usize);
        let rate = (0.2 * context.temperature).max(1.0 / n.max(1) as f64);
        let growth = 0.1 + 0.8 * unit(context.rng);
        let mut done = false;
        for at in 0..n {
            if unit(context.rng) >= rate {
                continue;
            }
            let Some(row) = row else {
                done |= self.change(at, context);
                continue;
            };
            let (start, end) = context.base.item(row, at as u32);
            done |= match unit(context.rng) {
                it if it < growth / 2.0 => {
                    self.room(context.base, row) > 0
                        && self.cut_row(context.base, row, (end, end), &[TraceOutline::blank(row)], 1)
                }
                it if it < 0.5 => {
                    self.spare(context.base, row) > 0
                        && self.cut_row(context.base, row, (start, end), &[], -1)
                }
                _ => {
                    let first = context.base.slots.partition_point(|it| it.token < start);
                    let last = context.base.slots.partition_point(|it| it.token < end);
                    let slot = first as u64 + context.rng.below((last - first) as u64);
                    first < last && self.change(slot as usize, context)
                }
            };
        }
        done
    }

    /// One step more, before the answer that there is none; at the limit, the last one anew.
    fn step(&mut self, context: &mut MoveContext<'_>) -> bool {
        let steps = &context.base.steps;
        let span = steps[context.rng.below(steps.len() as u64) as usize];
        let (mut at, end) = (span + 1, context.base.end(span));
        let mut last = (at, at);
        let mut n = 0;
        while at < end {
            last = (last.1, at);
            n += 1;
            at = context.base.end(at);
        }
        // Now `at` is the end, and `last` the span before the one that says that there are no more.
        let (label, kind) = (context.step, SpanKind::Group);
        let yes = Token::Answer(self.number(context.base, Value::Pick(1)));
        let temperature = Token::Answer(self.number(context.base, Value::Float(context.temperature)));
        let step = [Token::Open { label, kind, len: 2 }, yes, temperature];
        let place = (if n < STEPS_MAX { last.1 } else { last.0 }, last.1);
        self.cut(context.base, span, place, &step)
    }

    /// The number of a value that is new.
    fn number(&mut self, base: &TraceOutline, value: Value) -> u32 {
        self.values.push(value);
        (base.values.len() + self.values.len() - 1) as u32
    }

    /// Answers a choice otherwise.
    fn set(&mut self, base: &TraceOutline, token: u32, value: Value) {
        self.draft[token as usize] = Token::Answer(self.number(base, value));
    }

    /// What the answer at a token is by now.
    fn value(&self, base: &TraceOutline, token: u32) -> Option<Value> {
        let Token::Answer(at) = self.draft[token as usize] else { return None };
        let at = at as usize;
        base.values.get(at).or_else(|| self.values.get(at - base.values.len())).copied()
    }

    /// How many items more a row may have. A list without a bound of its own at most doubles, once it is long.
    fn room(&self, base: &TraceOutline, row: &SpanRow) -> u32 {
        row.count.map_or(0, |(at, _, max)| {
            let n = count(self.value(base, at));
            max.saturating_sub(n).min(n.max(GROWTH_MAX))
        })
    }

    /// How many items less.
    fn spare(&self, base: &TraceOutline, row: &SpanRow) -> u32 {
        row.count.map_or(0, |(at, min, _)| count(self.value(base, at)).saturating_sub(min))
    }

    /// Replaces items of a row and corrects their number.
    fn cut_row(
        &mut self,
        base: &TraceOutline,
        row: &SpanRow,
        range: (u32, u32),
        by: &[Token],
        grows: i64,
    ) -> bool {
        if !self.cut(base, row.parent, range, by) {
            return false;
        }
        if let Some((at, min, max)) = row.count
            && grows != 0
        {
            let old = self.value(base, at);
            let n = (i64::from(count(old)) + grows).clamp(min.into(), max.into());
            let new = match old {
                Some(Value::Length(_)) => Value::Length(n as u32),
                _ => Value::Int(n.into()),
            };
            self.set(base, at, new);
        }
        true
    }

    /// Replaces tokens within a span, unless they are replaced already.
    fn cut(&mut self, base: &TraceOutline, span: u32, (start, end): (u32, u32), by: &[Token]) -> bool {
        let apart = |it: &Cut| end <= it.start || it.end <= start;
        if !self.cuts.iter().all(apart) {
            return false;
        }
        let first = self.inserted.len() as u32;
        self.inserted.extend_from_slice(by);
        // In order; where two stand at the same place, what belongs to the inner span comes first.
        let before =
            |it: &Cut| (it.start, it.end) < (start, end) || (it.start, it.end, span) <= (start, end, it.span);
        let at = self.cuts.iter().position(|it| !before(it)).unwrap_or(self.cuts.len());
        self.cuts.insert(at, Cut { start, end, span, inserted: (first, self.inserted.len() as u32) });
        let grows = by.len() as i64 - i64::from(end - start);
        let mut around = Some(span);
        while let Some(at) = around {
            if let Token::Open { len, .. } = &mut self.draft[at as usize] {
                *len = (i64::from(*len) + grows) as u32;
            }
            around = base.parent(at);
        }
        true
    }
}

/// The moves that there is something for, a bit each.
fn open_moves(base: &TraceOutline, has_other: bool) -> u32 {
    let mut res = 0;
    for (at, kind) in MOVES.into_iter().enumerate() {
        let is_open = match kind {
            Change | Redraw => !base.slots.is_empty(),
            Copy => base.has_equals,
            Insert | Delete => base.has_counts,
            Duplicate | Swap | Shift => base.has_rows,
            Splice => has_other,
            Sweep => base.has_rows || base.slots.len() > 1,
            Step => !base.steps.is_empty(),
        };
        res |= u32::from(is_open) << at;
    }
    res
}

/// How many items are added at once to a list that is shorter.
const GROWTH_MAX: u32 = 1 << 10;

/// The number that an answer says.
fn count(answer: Option<Value>) -> u32 {
    match answer {
        Some(Value::Length(it)) => it,
        Some(Value::Int(it)) => it.clamp(0, u32::MAX.into()) as u32,
        _ => 0,
    }
}

/// One or a few more, up to `most`: at least `k` of them in one case of `k`.
fn few(rng: &mut Rng, most: u32) -> u32 {
    ((1.0 / (1.0 - unit(rng))) as u32).clamp(1, most.max(1))
}

fn find_row<'a>(context: &mut MoveContext<'a>, fits: &dyn Fn(&SpanRow) -> bool) -> Option<&'a SpanRow> {
    find_row_of(context.base, context.rng, fits)
}

/// Some row that fits, if one is found soon: where there is much else to vary, rows are varied less often.
fn find_row_of<'a>(
    outline: &'a TraceOutline,
    rng: &mut Rng,
    fits: &dyn Fn(&SpanRow) -> bool,
) -> Option<&'a SpanRow> {
    let n = outline.rows.len();
    let start = rng.below(n as u64) as usize;
    for at in 0..n.min(2 * TRIES as usize) {
        let row = &outline.rows[(start + at) % n];
        if fits(row) {
            return Some(row);
        }
    }
    None
}
