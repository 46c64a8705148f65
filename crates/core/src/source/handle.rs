//! What a part of an input keeps of its source, to be drawn later.

use std::cell::Cell;
use std::fmt;

use super::Source;
use super::answerer::{Answerer, SharedAnswerer};
use super::recorder::SharedRecorder;
use crate::SpanKind;
use crate::unwind::{Unwind, unwind};

/// Marks the place of a text that is not known yet; its number follows, up to [`LATER_END`]. Of the
/// private-use characters, so that no text has them by chance.
const LATER: char = '\u{f8f0}';
const LATER_END: char = '\u{f8f1}';

thread_local! {
    /// A source to draw parts from: making one costs more than drawing.
    static SPARE: Cell<Option<Box<Source>>> = const { Cell::new(None) };
}

/// Where a part of an input will be drawn from.
#[derive(Clone)]
pub(crate) struct Handle {
    shared: SharedRecorder,
    case: u64,
    /// Which of the parts of the case it is, by when it was made.
    number: u32,
    size: u32,
    depth: u32,
}

impl Source {
    /// Whether the case has made parts that are drawn later.
    pub(crate) fn has_parts(&mut self) -> bool {
        self.recorder.get().parts > 0
    }

    /// A handle for a part that is to be drawn later. Inlined, so that it is made where it is to stay: moving
    /// it was a tenth of the time that a lazy part takes.
    #[inline(always)]
    pub(crate) fn handle(&mut self) -> Handle {
        let (case, number) = self.number_part();
        let (size, depth) = (self.size, self.depth);
        Handle { shared: self.recorder.share().clone(), case, number, size, depth }
    }

    #[inline(never)]
    fn number_part(&mut self) -> (u64, u32) {
        if self.is_fast() {
            // Only a case that is recorded keeps its choices in one place that can be shared.
            unwind(Unwind::NeedsRecording);
        }
        self.share_walk();
        self.recorder.share();
        let mut recorder = self.recorder.get();
        recorder.parts += 1;
        (recorder.case, recorder.parts)
    }

    /// A handle for what has a state but is drawn at once. A fast source has no need of one: it never goes
    /// back in a case. A list of eight labels takes it 0.1 µs; recorded, it takes 0.8 µs.
    pub(crate) fn try_handle(&mut self) -> Option<Handle> {
        (!self.is_fast()).then(|| self.handle())
    }
}

impl Handle {
    /// Draws the part.
    pub(crate) fn draw<T>(&self, label: &'static str, make: impl FnOnce(&mut Source) -> T) -> T {
        let answerer = self.touched();
        let mut source =
            SPARE.take().unwrap_or_else(|| Box::new(Source::with(Answerer::Engine, SharedAnswerer::None)));
        source.answerer = answerer;
        (source.size, source.depth) = (self.size, self.depth);
        source.recorder.join(&self.shared);
        let value = source.span(label, SpanKind::Group, make);
        if source.by_size.take() {
            source.recorder.get().by_size = true;
        }
        SPARE.set(Some(source));
        value
    }

    /// Says that the part's state changes.
    pub(crate) fn touch(&self) {
        self.touched();
    }

    /// Says that the part is drawn from, or that its state changes. Returns who answers.
    fn touched(&self) -> Answerer {
        match self.shared.get() {
            Some(mut recorder) if recorder.case == self.case => {
                recorder.oldest = recorder.oldest.min(self.number);
                recorder.answerer.answerer()
            }
            _ => panic!(
                "a part of an input was read for the first time after its case had ended; read it in the test, \
                 or draw all of it there with `probity::fill`"
            ),
        }
    }

    /// A number to be written in place of the text of the part, if an input is being rendered; `known` where
    /// the part has one.
    pub(crate) fn wants_text(&self, known: Option<u32>) -> Option<u32> {
        let mut recorder = self.shared.get()?;
        if !recorder.rendering || recorder.case != self.case {
            return None;
        }
        Some(known.unwrap_or_else(|| {
            recorder.texts.push(None);
            recorder.texts.len() as u32 - 1
        }))
    }

    /// Gives the text in whose place `number` was written.
    pub(crate) fn set_text(&self, number: u32, text: impl FnOnce() -> String) {
        let set = |rendering| Some(std::mem::replace(&mut self.shared.get()?.rendering, rendering));
        let outer = set(true).unwrap_or(false);
        let text = text();
        set(outer);
        if let Some(mut recorder) = self.shared.get()
            && let Some(slot) = recorder.texts.get_mut(number as usize)
        {
            *slot = Some(text);
        }
    }
}

/// Writes a number in the place of a text that is not known yet.
pub(crate) fn write_later(f: &mut fmt::Formatter<'_>, number: u32) -> fmt::Result {
    write!(f, "{LATER}{number}{LATER_END}")
}

/// `text` with the texts in their places, and `_` for those that are still not known.
pub(super) fn fill_in(text: &str, texts: &[Option<String>]) -> String {
    let mut parts = text.split(LATER);
    let mut res = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let (number, rest) = part.split_once(LATER_END).unwrap_or((part, ""));
        let known = number.parse::<usize>().ok().and_then(|it| texts.get(it)?.as_deref());
        match known {
            Some(known) => res.push_str(&fill_in(known, texts)),
            None => res.push('_'),
        }
        res.push_str(rest);
    }
    res
}
