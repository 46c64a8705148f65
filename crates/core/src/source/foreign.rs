//! Draws for tests in other languages, which pass no closures: what one call opens, another closes. A test that is left in
//! between leaves spans open, which the recorder closes.

use super::Source;
use crate::{Drawn, Input, SpanKind};

impl Source {
    /// Begins an input of several draws. See [`close_input`](Source::close_input).
    #[inline(always)]
    pub fn open_input(&mut self) {
        if self.is_recording() {
            self.open_input_recorded();
        }
    }

    #[inline(never)]
    fn open_input_recorded(&mut self) {
        let mut recorder = self.recorder.get();
        let kind = if recorder.drawing == 0 { SpanKind::Input } else { SpanKind::Group };
        recorder.open_span("input", kind);
        recorder.drawing += 1;
    }

    /// Ends the input that was begun last. Where the case is rendered, `show` says what it is called and how it reads.
    ///
    /// ```
    /// use probity_core::{Random, Source, render_case};
    /// let mut source = Source::new(Box::new(Random::new(7)));
    /// let case = render_case(&mut source, &mut |src: &mut Source| {
    ///     src.open_input();
    ///     let (x, y) = (src.int(3, 3), src.int(4, 4));
    ///     src.close_input(|| (Some("point"), format!("({x}, {y})")));
    /// }).unwrap();
    /// assert_eq!((case.log.inputs.len(), &*case.log.inputs[0].text), (1, "(3, 4)"));
    /// ```
    #[inline(always)]
    pub fn close_input(&mut self, show: impl FnOnce() -> (Option<&'static str>, String)) {
        if self.is_recording() {
            self.close_input_recorded(show);
        }
    }

    #[inline(never)]
    fn close_input_recorded(&mut self, show: impl FnOnce() -> (Option<&'static str>, String)) {
        let mut recorder = self.recorder.get();
        recorder.close_span();
        recorder.drawing = recorder.drawing.saturating_sub(1);
        let is_shown = recorder.drawing == 0 && recorder.render;
        drop(recorder);
        if is_shown {
            let (name, text) = show();
            self.recorder.get().drew(Drawn::Input(Input::new(name, text)));
        }
    }

    /// Begins a list, and draws how many items it has. Each is then begun by [`open_item`](Source::open_item).
    ///
    /// ```
    /// use probity_core::{Random, Source, SpanKind, run_case};
    /// let mut source = Source::new(Box::new(Random::new(7)));
    /// let case = run_case(&mut source, &mut |src: &mut Source| {
    ///     for _ in 0..src.open_list(2, 2) {
    ///         src.open_item();
    ///         src.bool();
    ///         src.close_item();
    ///     }
    ///     src.close_list();
    /// }).unwrap();
    /// let kinds: Vec<SpanKind> = case.trace.spans.iter().map(|it| it.kind).collect();
    /// assert_eq!(kinds, [SpanKind::List, SpanKind::Item, SpanKind::Item]);
    /// ```
    pub fn open_list(&mut self, min: u32, max: u32) -> u32 {
        self.open_span_recorded("list", SpanKind::List);
        self.length(min, max, max)
    }

    /// Ends the list that was begun last; see [`open_list`](Source::open_list).
    pub fn close_list(&mut self) {
        self.close_span_recorded();
    }

    /// Begins an item; see [`open_list`](Source::open_list).
    pub fn open_item(&mut self) {
        self.open_span_recorded("item", SpanKind::Item);
    }

    /// Ends an item; see [`open_list`](Source::open_list).
    pub fn close_item(&mut self) {
        self.close_span_recorded();
    }

    #[inline(always)]
    fn open_span_recorded(&mut self, label: &'static str, kind: SpanKind) {
        if self.is_recording() {
            self.open_span(label, kind);
        }
    }

    #[inline(always)]
    fn close_span_recorded(&mut self) {
        if self.is_recording() {
            self.close_span();
        }
    }

    /// Whether an engine answers and the trace is kept, rather than the sampler at full speed or an interpreter.
    ///
    /// ```
    /// use probity_core::{Source, sample};
    /// assert!(sample(&|src: &mut Source| src.is_recorded(), 7));
    /// ```
    pub fn is_recorded(&self) -> bool {
        self.is_recording()
    }
}
