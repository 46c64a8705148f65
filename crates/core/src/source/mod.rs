//! The handle a test draws from.

mod choices;

use std::fmt::Debug;
use std::sync::Arc;

use crate::case::Input;
use crate::unwind::{Unwind, unwind};
use crate::{Engine, Generate, Generator, Progress, Sampler, Span, SpanKind, Trace};

/// How many choices a case may ask for.
///
/// ```
/// # use probity_core::{Random, Source, Verdict, run_case};
/// # let mut source = Source::new(Box::new(Random::new(7)));
/// let case = run_case(&mut source, &mut |src: &mut Source| loop { src.bool(); }).unwrap();
/// assert_eq!(case.verdict, Verdict::Overrun);
/// assert_eq!(case.trace.choices.len(), probity_core::CHOICES_MAX as usize);
/// ```
pub const CHOICES_MAX: u32 = 1 << 16;
/// How many items all collections of one value may have together, unless their generator says otherwise.
///
/// ```
/// use probity_core::{SIZE, any, sample};
/// assert!(sample(&any::<Vec<Vec<u8>>>(), 7).concat().len() <= SIZE as usize);
/// ```
pub const SIZE: u32 = 100;
/// For how many items memory is taken before they are drawn: a length is only a wish until then.
pub(crate) const PREALLOCATED_MAX: u32 = 1024;
/// How deep generators may nest. A type that nests deeper has no end.
const DEPTH_MAX: u32 = 1 << 8;
/// How deep values may nest before nesting costs size.
const FREE_DEPTH: u32 = 8;

/// Where a test gets its inputs from.
///
/// One struct with two speeds. In the fast mode it samples and forgets; in the recording mode it asks
/// an [`Engine`] and keeps the [`Trace`]. A case gives the same values in both.
///
/// ```
/// use probity_core::{Random, Source, run_case};
/// let mut source = Source::new(Box::new(Random::new(7)));
/// run_case(&mut source, &mut |src: &mut Source| {
///     let n = src.draw(1..=6);
///     let word: String = src.any();
///     assert!((1..=6).contains(&n) && word.len() <= 400);
/// }).unwrap();
/// ```
pub struct Source {
    fast: bool,
    /// Whether it is fast and the case answers integers uniformly: most do, so this is asked first.
    plain: bool,
    left: u32,
    choices_max: u32,
    size: u32,
    depth: u32,
    sampler: Sampler,
    /// The fast mode's cases: seed, the next one, and where to stop.
    seed: u64,
    next: u64,
    stop_at: u64,
    progress: Arc<Progress>,
    recorder: Recorder,
}

type Tell = Box<dyn FnMut(&Input)>;

/// What only the recording mode needs.
struct Recorder {
    engine: Option<Box<dyn Engine>>,
    trace: Trace,
    open: Vec<usize>,
    render: bool,
    drawing: u32,
    inputs: Vec<Input>,
    live: Option<Tell>,
}

impl Source {
    /// A source that lets `engine` answer and records the trace.
    pub fn new(engine: Box<dyn Engine>) -> Self {
        Source { fast: false, ..Source::with(Some(engine), 0, 0) }
    }

    /// A source whose cases all follow from `seed`, for [`Test::batch`](crate::Test::batch).
    pub(crate) fn fast(seed: u64, first: u64, progress: Arc<Progress>) -> Self {
        Source { progress, ..Source::with(None, seed, first) }
    }

    fn with(engine: Option<Box<dyn Engine>>, seed: u64, next: u64) -> Self {
        Source {
            fast: true,
            plain: false,
            left: CHOICES_MAX,
            choices_max: CHOICES_MAX,
            size: SIZE,
            depth: 0,
            sampler: Sampler::new(seed, next),
            seed,
            next,
            stop_at: next,
            progress: Arc::default(),
            recorder: Recorder {
                engine,
                trace: Trace::default(),
                open: Vec::new(),
                render: false,
                drawing: 0,
                inputs: Vec::new(),
                live: None,
            },
        }
    }

    /// The engine behind a recording source.
    ///
    /// ```
    /// # use probity_core::{Random, Source, run_case};
    /// let mut source = Source::new(Box::new(Random::new(7)));
    /// source.engine().begin().unwrap();
    /// let case = run_case(&mut source, &mut |src: &mut Source| { src.bool(); }).unwrap();
    /// source.engine().end(&case);
    /// let mut engine = source.into_engine();
    /// assert!(engine.begin().is_ok(), "on to the next case");
    /// ```
    pub fn engine(&mut self) -> &mut dyn Engine {
        &mut **self.recorder.engine.as_mut().expect("a recording source has an engine")
    }

    /// Gives the engine back.
    pub fn into_engine(self) -> Box<dyn Engine> {
        self.recorder.engine.expect("a recording source has an engine")
    }

    /// Calls `tell` with each input as it is drawn, in cases that are rendered.
    ///
    /// ```
    /// # use probity_core::{Random, Source, render_case};
    /// # let mut source = Source::new(Box::new(Random::new(7)));
    /// let (tell, told) = std::sync::mpsc::channel();
    /// source.on_input(Box::new(move |input| tell.send(input.text.clone()).unwrap()));
    /// render_case(&mut source, &mut |src: &mut Source| { src.draw(18..=18); }).unwrap();
    /// assert_eq!(told.recv().unwrap(), "18");
    /// ```
    pub fn on_input(&mut self, tell: Box<dyn FnMut(&Input)>) {
        self.recorder.live = Some(tell);
    }

    /// Allows fast cases up to number `stop_at`.
    pub(crate) fn allow(&mut self, stop_at: u64) {
        self.stop_at = stop_at;
    }

    /// The number of the next fast case; the current one is one less.
    pub(crate) fn next_index(&self) -> u64 {
        self.next
    }

    #[inline(always)]
    pub(crate) fn next_fast(&mut self) -> bool {
        if self.next >= self.stop_at {
            return false;
        }
        self.sampler.start_next(self.seed, self.next);
        self.plain = self.sampler.is_plain();
        self.progress.begin_case(self.next);
        self.next += 1;
        self.left = CHOICES_MAX;
        self.size = SIZE;
        self.depth = 0;
        true
    }

    pub(crate) fn start_recording(&mut self, render: bool) {
        (self.left, self.size, self.depth) = (self.choices_max, SIZE, 0);
        self.recorder.render = render;
        self.recorder.drawing = 0;
        self.recorder.open.clear();
        self.recorder.trace = Trace::default();
        self.recorder.inputs.clear();
    }

    /// Lets the next case ask for at most `max` choices.
    pub(crate) fn limit_choices(&mut self, max: usize) {
        self.choices_max = max.min(CHOICES_MAX as usize) as u32;
    }

    pub(crate) fn finish_recording(&mut self) -> (Trace, Vec<Input>) {
        let mut trace = std::mem::take(&mut self.recorder.trace);
        for &open in &self.recorder.open {
            trace.spans[open].end = trace.choices.len() as u32;
        }
        (trace, std::mem::take(&mut self.recorder.inputs))
    }

    /// Draws one input of the test. It is shown in reports in the order drawn; see
    /// [`draw_as`](Source::draw_as) to name it.
    ///
    /// ```
    /// # use probity_core::{Random, Source, run_case, vec};
    /// # let mut source = Source::new(Box::new(Random::new(7)));
    /// run_case(&mut source, &mut |src: &mut Source| {
    ///     let v = src.draw(vec(0..10, 1..=3));
    ///     let at = src.draw(0..v.len());
    ///     assert!(v[at] < 10);
    /// }).unwrap();
    /// ```
    #[inline(always)]
    pub fn draw<G: Generator>(&mut self, generator: G) -> G::Value
    where
        G::Value: Debug,
    {
        if self.fast { generator.generate(self) } else { self.draw_recorded(None, &generator) }
    }

    /// Draws one input of the test under a name.
    ///
    /// ```
    /// use probity_core::{Random, Source, render_case};
    /// let mut source = Source::new(Box::new(Random::new(7)));
    /// let case = render_case(&mut source, &mut |src: &mut Source| { src.draw_as("age", 18..=18); }).unwrap();
    /// assert_eq!((case.log.inputs[0].name, &*case.log.inputs[0].text), (Some("age"), "18"));
    /// ```
    #[inline(always)]
    pub fn draw_as<G: Generator>(&mut self, name: &'static str, generator: G) -> G::Value
    where
        G::Value: Debug,
    {
        if self.fast { generator.generate(self) } else { self.draw_recorded(Some(name), &generator) }
    }

    /// Draws one input of the test by its type.
    ///
    /// ```
    /// use probity_core::{Random, Source, run_case};
    /// let mut source = Source::new(Box::new(Random::new(7)));
    /// run_case(&mut source, &mut |src: &mut Source| {
    ///     let pair: (u8, bool) = src.any();
    /// }).unwrap();
    /// ```
    #[inline(always)]
    pub fn any<T: Generate + Debug>(&mut self) -> T {
        self.draw(crate::any::<T>())
    }

    #[inline(never)]
    fn draw_recorded<G: Generator>(&mut self, name: Option<&'static str>, generator: &G) -> G::Value
    where
        G::Value: Debug,
    {
        if self.recorder.drawing > 0 {
            // A part of the input that is being drawn.
            return self.span(std::any::type_name::<G>(), SpanKind::Group, |src| generator.generate(src));
        }
        self.recorder.drawing += 1;
        let value = self.span(name.unwrap_or("input"), SpanKind::Input, |src| generator.generate(src));
        self.recorder.drawing -= 1;
        if self.recorder.render {
            let input = Input { name, text: format!("{value:?}") };
            if let Some(tell) = &mut self.recorder.live {
                tell(&input);
            }
            self.recorder.inputs.push(input);
        }
        value
    }

    /// Groups the choices that `f` asks for. Generators use it to tell shrinkers and engines what belongs
    /// together; it costs nothing in the fast mode.
    ///
    /// ```
    /// # use probity_core::{Random, Source, SpanKind, run_case};
    /// # let mut source = Source::new(Box::new(Random::new(7)));
    /// let case = run_case(&mut source, &mut |src: &mut Source| {
    ///     src.span("dice", SpanKind::Group, |src| (src.int(1, 6), src.int(1, 6)));
    /// }).unwrap();
    /// assert_eq!((case.trace.spans[0].label, case.trace.spans[0].range()), ("dice", 0..2));
    /// ```
    #[inline]
    pub fn span<T>(&mut self, label: &'static str, kind: SpanKind, f: impl FnOnce(&mut Self) -> T) -> T {
        if self.fast {
            return f(self);
        }
        self.open_span(label, kind);
        let res = f(self);
        self.close_span();
        res
    }

    fn open_span(&mut self, label: &'static str, kind: SpanKind) {
        let at = self.recorder.trace.choices.len() as u32;
        let depth = self.recorder.open.len() as u32;
        self.recorder.open.push(self.recorder.trace.spans.len());
        self.recorder.trace.spans.push(Span { label, kind, start: at, end: Span::OPEN, depth });
    }

    fn close_span(&mut self) {
        if let Some(open) = self.recorder.open.pop() {
            self.recorder.trace.spans[open].end = self.recorder.trace.choices.len() as u32;
        }
    }

    /// Marks the span that was opened last within the current one as thrown away.
    pub(crate) fn discard_last(&mut self, label: &'static str) {
        if self.fast {
            return;
        }
        let depth = self.recorder.open.len() as u32;
        let spans = &mut self.recorder.trace.spans;
        if let Some(span) = spans.iter_mut().rev().find(|it| it.depth == depth && it.label == label) {
            span.kind = SpanKind::Discarded;
        }
    }

    /// Groups the choices of one value of a type. Deep nesting halves the size budget, so that types
    /// that contain each other come to an end; see [`nest`](Source::nest).
    ///
    /// ```
    /// use probity_core::{Source, sample};
    /// struct Point { x: i8, y: i8 }
    /// let point = |src: &mut Source| src.group("Point", |src| Point { x: src.int(0, 9), y: src.int(0, 9) });
    /// let it = sample(&point, 7);
    /// assert!(it.x <= 9 && it.y <= 9);
    /// ```
    #[inline]
    pub fn group<T>(&mut self, label: &'static str, f: impl FnOnce(&mut Self) -> T) -> T {
        let size = if self.depth < FREE_DEPTH { self.size } else { self.size / 2 };
        self.enter(label, size, f)
    }

    /// As [`group`](Source::group), for a value that may contain values of its own type: each level
    /// halves the size budget, so that nesting ends; see [`size`](Source::size).
    ///
    /// ```
    /// use probity_core::{Source, sample};
    /// fn depth(src: &mut Source) -> u32 {
    ///     if src.size() == 0 { 0 } else { src.nest("depth", |src| 1 + depth(src)) }
    /// }
    /// assert_eq!(sample(&depth, 7), 7, "100 halved seven times is nothing");
    /// ```
    #[inline]
    pub fn nest<T>(&mut self, label: &'static str, f: impl FnOnce(&mut Self) -> T) -> T {
        self.enter(label, self.size / 2, f)
    }

    #[inline]
    fn enter<T>(&mut self, label: &'static str, size: u32, f: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.size, size);
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            endless(label);
        }
        let res = self.span(label, SpanKind::Group, f);
        self.depth -= 1;
        self.size = outer;
        res
    }

    /// What is left of the size budget here. Generators of recursive values stop nesting at zero.
    #[inline]
    pub fn size(&self) -> u32 {
        self.size
    }

    /// Draws a length, then calls `item` that many times, each in a span of its own.
    ///
    /// ```
    /// use probity_core::{Random, Source, run_case};
    /// let mut source = Source::new(Box::new(Random::new(7)));
    /// run_case(&mut source, &mut |src: &mut Source| {
    ///     let mut bits = Vec::new();
    ///     src.list("bits", 0, 8, |src, _| bits.push(src.bool()));
    ///     assert!(bits.len() <= 8);
    /// }).unwrap();
    /// ```
    #[inline]
    pub fn list(&mut self, label: &'static str, min: u32, max: u32, mut item: impl FnMut(&mut Self, u32)) {
        self.span(label, SpanKind::List, |src| {
            let len = src.length(min, max);
            src.items(len, &mut item);
        });
    }

    /// The items of a list whose length is drawn; shares the size budget among them.
    #[inline]
    pub(crate) fn items(&mut self, len: u32, mut item: impl FnMut(&mut Self, u32)) {
        let outer = self.size;
        self.size = outer / len.max(1);
        for i in 0..len {
            self.span("item", SpanKind::Item, |src| item(src, i));
        }
        self.size = outer;
    }

    #[inline(always)]
    fn spend(&mut self) {
        if self.left == 0 {
            unwind(Unwind::Overrun);
        }
        self.left -= 1;
    }
}

#[cold]
fn endless(label: &str) -> ! {
    crate::misuse(format!(
        "`{label}` nests more than {DEPTH_MAX} deep: it has no end; \
         give it a variant without itself, or put it behind an Option or a Vec"
    ))
}
