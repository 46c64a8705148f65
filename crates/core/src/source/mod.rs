//! The handle a test draws from.

mod answerer;
mod arms;
mod callbacks;
mod choices;
mod foreign;
mod handle;
mod recorder;
mod structure;

use std::cell::Cell;
use std::fmt::{self, Debug};
use std::sync::Arc;

use crate::engine::{Refusal, Walk};
use crate::render;
use crate::sampler::NestingDepth;
use crate::space::Cycles;
use crate::unwind::{Unwind, unwind};
use crate::{
    Case, CaseShape, Drawn, Ended, Engine, Exhaustive, Generate, Generator, Input, Narrow, Progress, Seed,
    Site, SpanKind, Trace,
};

use answerer::{Answerer, Sampling, SharedAnswerer};
use arms::EnteredArms;
pub use arms::{Arm, ArmSet, Steps};
pub use callbacks::{Callbacks, ScalarKind, narrowed};
pub(crate) use handle::{Handle, write_later};
pub(crate) use recorder::Mark;
use recorder::RecorderSlot;

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
/// How many items all collections of one value have together at random, unless their generator says otherwise; but
/// for a few cases with a longer list (see [`Sampler`](crate::Sampler)).
///
/// ```
/// use probity_core::{SIZE, any, sample};
/// assert!(sample(&any::<Vec<Vec<u8>>>(), 7).concat().len() <= SIZE as usize);
/// ```
pub const SIZE: u32 = 100;
/// For how many items memory is taken before they are drawn: a length is only a wish until then.
pub(crate) const PREALLOCATED_MAX: u32 = 1024;
/// How deep generators may nest. A type that nests deeper has no end.
pub(crate) const DEPTH_MAX: u32 = 1 << 8;
/// How deep values may nest before nesting costs size.
pub(crate) const FREE_DEPTH: u32 = 8;

/// Where a test gets its inputs from.
///
/// One struct with two speeds. In the fast mode it samples and forgets; in the recording mode it asks
/// an [`Engine`] and keeps the [`Trace`]. A case gives the same values in both. Its one field `answerer` knows who
/// answers.
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
    answerer: Answerer,
    /// Whether cases may be passed over for others.
    may_skip: bool,
    size: u32,
    depth: u32,
    /// From which depth on nesting is looked at: every one, where the case is not even.
    free_depth: u32,
    descent: NestingDepth,
    /// How types contain each other, where that was asked for.
    cycles: Cycles,
    /// Whether a generator asked how much is left of the size budget where that was less than all.
    by_size: Cell<bool>,
    entered: EnteredArms,
    /// The number of the next case of a batch.
    next: u64,
    /// Where to stop is found there, and what runs is told; a source without has no fast cases.
    progress: Option<Arc<Progress>>,
    recorder: RecorderSlot,
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source").finish_non_exhaustive()
    }
}

impl Source {
    /// A source that lets `engine` answer and records the trace.
    pub fn new(engine: Box<dyn Engine>) -> Self {
        Source::with(Answerer::Engine, SharedAnswerer::Engine(engine))
    }

    /// A source whose cases all follow from `seed`, for [`Test::batch`](crate::Test::batch).
    pub(crate) fn fast(seed: impl Into<Seed>, first: u64, progress: Arc<Progress>) -> Self {
        let sampling = Sampling::new(seed.into(), first);
        let shape = sampling.shape();
        let mut source = Source {
            may_skip: true,
            next: first,
            progress: Some(progress),
            ..Source::with(Answerer::Sampler(sampling), SharedAnswerer::None)
        };
        source.set_shape(shape);
        source
    }

    /// A source that `walk` leads through its cases, for [`Test::batch`](crate::Test::batch).
    pub(crate) fn walking(walk: Box<Walk>, progress: Arc<Progress>) -> Self {
        Source { progress: Some(progress), ..Source::with(Answerer::Walk(walk), SharedAnswerer::None) }
    }

    fn with(answerer: Answerer, shared: SharedAnswerer) -> Self {
        Source {
            answerer,
            may_skip: false,
            size: SIZE,
            depth: 0,
            free_depth: DEPTH_MAX,
            descent: NestingDepth::EVEN,
            cycles: Cycles::new(),
            by_size: Cell::new(false),
            entered: EnteredArms::default(),
            next: 0,
            progress: None,
            recorder: RecorderSlot::new(shared),
        }
    }

    /// Whether the next case may be passed over for others, where the test prefers some.
    pub(crate) fn may_skip(&self) -> bool {
        self.may_skip
    }

    pub(crate) fn set_may_skip(&mut self, may_skip: bool) {
        self.may_skip = may_skip;
    }

    /// Does `work` with a source that was walking and now records what its walk answers.
    pub(crate) fn record_walk<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        self.walk();
        let Answerer::Walk(walk) = std::mem::replace(&mut self.answerer, Answerer::Engine) else {
            unreachable!("it is at hand")
        };
        self.recorder.get().answerer = SharedAnswerer::Walk(Exhaustive::of_walk(walk), true);
        let res = work(self);
        self.take_walk_back();
        res
    }

    /// Puts the walk where parts that are drawn later find it.
    fn share_walk(&mut self) {
        if let Answerer::Walk(_) = self.answerer
            && let Answerer::Walk(walk) = std::mem::replace(&mut self.answerer, Answerer::SharedWalk)
        {
            self.recorder.get().answerer = SharedAnswerer::Walk(Exhaustive::of_walk(walk), false);
        }
    }

    fn take_walk_back(&mut self) {
        let shared = std::mem::replace(&mut self.recorder.get().answerer, SharedAnswerer::None);
        if let SharedAnswerer::Walk(engine, _) = shared {
            self.answerer = Answerer::Walk(engine.into_walk());
        }
    }

    /// The walk of a walking source, which is at hand from now on.
    pub(crate) fn walk(&mut self) -> &mut Walk {
        if let Answerer::SharedWalk = self.answerer {
            self.take_walk_back();
        }
        match &mut self.answerer {
            Answerer::Walk(walk) => walk,
            _ => unreachable!("only a walking source has a walk"),
        }
    }

    /// Lets the engine prepare the next case; see [`Engine::begin`].
    ///
    /// ```
    /// # use probity_core::{Random, Source, run_case};
    /// let mut source = Source::new(Box::new(Random::new(7)));
    /// source.begin().unwrap();
    /// let case = run_case(&mut source, &mut |src: &mut Source| { src.bool(); }).unwrap();
    /// source.end(&case);
    /// let mut engine = source.into_engine();
    /// assert!(engine.begin().is_ok(), "on to the next case");
    /// ```
    pub fn begin(&mut self) -> Result<(), Ended> {
        self.recorder.get().engine().begin()
    }

    /// Reports to the engine how the case went; see [`Engine::end`], and [`begin`](Source::begin) for an example.
    pub fn end(&mut self, case: &Case) {
        self.recorder.get().engine().end(case);
    }

    /// Whether the case is a sample of all; see [`Ordered::is_sample`](crate::Ordered::is_sample).
    pub(crate) fn is_sample(&mut self) -> bool {
        self.recorder.get().engine().order().is_none_or(|it| it.is_sample())
    }

    /// Puts another engine, which `make` makes of the one that answers, in its place. Does nothing to a source that
    /// has no engine.
    ///
    /// ```
    /// # use probity_core::{Random, Replay, Source, Tail, Value, run_case};
    /// let mut source = Source::new(Box::new(Random::new(7)));
    /// source.wrap(|engine| Box::new(Replay::new(vec![Value::Int(4)], Tail::Engine(engine))));
    /// let case = run_case(&mut source, &mut |src: &mut Source| { src.draw((0..9, 0..9)); }).unwrap();
    /// assert_eq!(case.trace.values()[0], Value::Int(4));
    /// ```
    pub fn wrap(&mut self, make: impl FnOnce(Box<dyn Engine>) -> Box<dyn Engine>) {
        let mut recorder = self.recorder.get();
        recorder.answerer = match std::mem::replace(&mut recorder.answerer, SharedAnswerer::None) {
            SharedAnswerer::Engine(engine) => SharedAnswerer::Engine(make(engine)),
            others => others,
        };
    }

    /// Gives the engine back; see [`begin`](Source::begin) for an example.
    pub fn into_engine(mut self) -> Box<dyn Engine> {
        match std::mem::replace(&mut self.recorder.get().answerer, SharedAnswerer::None) {
            SharedAnswerer::Engine(engine) => engine,
            _ => panic!("only a recording source has an engine"),
        }
    }

    /// Calls `tell` with what is drawn as it is drawn, in cases that are rendered.
    ///
    /// ```
    /// # use probity_core::{Drawn, Input, Random, Source, render_case};
    /// # let mut source = Source::new(Box::new(Random::new(7)));
    /// let (tell, told) = std::sync::mpsc::channel();
    /// source.on_draw(Box::new(move |it| tell.send(it.clone()).unwrap()));
    /// render_case(&mut source, &mut |src: &mut Source| { src.draw(18..=18); }).unwrap();
    /// assert_eq!(told.recv().unwrap(), Drawn::Input(Input::new(None, "18")));
    /// ```
    pub fn on_draw(&mut self, tell: Box<dyn FnMut(&Drawn)>) {
        self.recorder.get().live = Some(tell);
    }

    /// Allows fast cases up to number `stop_at`.
    pub(crate) fn allow(&mut self, stop_at: u64) {
        if let Some(progress) = &self.progress {
            progress.begin_batch(stop_at);
        }
    }

    pub(crate) fn progress(&self) -> Option<Arc<Progress>> {
        self.progress.clone()
    }

    /// The number of the next fast case; the current one is one less.
    pub(crate) fn next_index(&self) -> u64 {
        self.next
    }

    /// Goes on to the next case of a batch, if there is one.
    #[inline(always)]
    pub(crate) fn next_fast(&mut self) -> bool {
        let index = self.next;
        let Some(progress) = self.progress.as_ref().filter(|it| it.allows(index)) else { return false };
        let Answerer::Sampler(it) = &mut self.answerer else { return self.next_walk() };
        progress.begin_case(index);
        self.next = index + 1;
        if it.start_next(index) {
            let shape = it.shape();
            self.set_shape(shape);
        }
        self.descent.restart();
        self.size = SIZE;
        self.depth = 0;
        true
    }

    fn next_walk(&mut self) -> bool {
        if let Answerer::SharedWalk = self.answerer {
            self.recorder.unshare();
            self.recorder.get().next_case();
        }
        if self.walk().begin().is_err() {
            return false;
        }
        let next = self.next;
        if let (Some(progress), Answerer::Walk(walk)) = (&self.progress, &mut self.answerer) {
            let first = walk.take_changed();
            progress.begin_case(next);
            progress.begin_walk(walk.path(), first);
        }
        (self.size, self.depth) = (SIZE, 0);
        self.next += 1;
        true
    }

    /// Lets values nest in this way.
    fn set_shape(&mut self, shape: CaseShape) {
        self.descent = NestingDepth::new(shape);
        self.free_depth = if self.descent.is_even() { DEPTH_MAX } else { 0 };
    }

    pub(crate) fn start_recording(&mut self, render: bool) {
        (self.size, self.depth) = (SIZE, 0);
        self.recorder.unshare();
        self.recorder.get().start(render);
        let shape = self.recorder.get().shape();
        self.set_shape(shape);
    }

    /// Lets the next case ask for at most `max` choices.
    pub(crate) fn limit_choices(&mut self, max: usize) {
        self.recorder.get().choices_max = max.min(CHOICES_MAX as usize) as u32;
    }

    pub(crate) fn finish_recording(&mut self) -> (Trace, Vec<Input>) {
        self.recorder.unshare();
        if self.is_by_size() {
            self.recorder.get().narrow(Narrow::Size);
        }
        let mut recorder = self.recorder.get();
        let mut trace = std::mem::take(&mut recorder.trace);
        recorder.lens = (trace.choices.len(), trace.spans.len());
        for &open in &recorder.open {
            trace.spans[open].end = trace.choices.len() as u32;
        }
        let mut inputs = std::mem::take(&mut recorder.inputs).finish();
        for input in &mut inputs {
            input.text = render::cut(&recorder.filled_in(&input.text), render::TEXT_MAX);
        }
        // What is left of this case is not to be drawn any more.
        recorder.next_case();
        (trace, inputs)
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
    // `T` is a parameter, since the compiler says twice what is no generator where `G::Value` is in a signature.
    #[inline(always)]
    pub fn draw<T: Debug, G: Generator<Value = T>>(&mut self, generator: G) -> T {
        if self.is_recording() { self.draw_recorded(None, &generator) } else { generator.generate(self) }
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
    pub fn draw_as<T: Debug, G: Generator<Value = T>>(&mut self, name: &'static str, generator: G) -> T {
        if self.is_recording() {
            self.draw_recorded(Some(name), &generator)
        } else {
            generator.generate(self)
        }
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
    pub fn any<T: Generate>(&mut self) -> T {
        self.draw(crate::any::<T>())
    }

    /// Draws one input of the test by its type, under a name.
    ///
    /// ```
    /// use probity_core::{Random, Source, render_case};
    /// let mut source = Source::new(Box::new(Random::new(7)));
    /// let case = render_case(&mut source, &mut |src: &mut Source| { src.any_as::<[(); 2]>("pair"); }).unwrap();
    /// assert_eq!((case.log.inputs[0].name, &*case.log.inputs[0].text), (Some("pair"), "[(), ()]"));
    /// ```
    #[inline(always)]
    pub fn any_as<T: Generate>(&mut self, name: &'static str) -> T {
        self.draw_as(name, crate::any::<T>())
    }

    #[inline(never)]
    fn draw_recorded<G: Generator>(&mut self, name: Option<&'static str>, generator: &G) -> G::Value
    where
        G::Value: Debug,
    {
        if self.recorder.get().drawing > 0 {
            // A part of the input that is being drawn.
            return self.span(std::any::type_name::<G>(), SpanKind::Group, |src| generator.generate(src));
        }
        let value = {
            let drawing = Drawing::new(self);
            drawing.0.span(name.unwrap_or("input"), SpanKind::Input, |src| generator.generate(src))
        };
        if self.recorder.get().render {
            self.recorder.get().rendering = true;
            let shown = generator.shown(&value);
            let text = shown.unwrap_or_else(|| render::text(format_args!("{value:?}")));
            let mut recorder = self.recorder.get();
            recorder.rendering = false;
            recorder.drew(Drawn::Input(Input::new(name, text)));
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
    #[inline(always)]
    pub fn span<T>(&mut self, label: &'static str, kind: SpanKind, f: impl FnOnce(&mut Self) -> T) -> T {
        // `f` is called in one place, so that it can be inlined there.
        if self.is_recording() {
            self.open_span(label, kind);
        }
        let res = f(self);
        if self.is_recording() {
            self.close_span();
        }
        res
    }

    /// Runs one of several ways that the test can go, which `name` says: [`one_of!`](crate::one_of!) does it for each of
    /// its branches. A report shows the way with what was drawn on it, `push(0)`, and marks in it what does not matter.
    /// Put a [`span`](Source::span) around the pick and the arm, so that both are a step that can be left out, swapped or
    /// replaced as a whole.
    ///
    /// ```
    /// # use probity_core::{Random, Source, SpanKind, render_case};
    /// # let mut source = Source::new(Box::new(Random::new(7)));
    /// let case = render_case(&mut source, &mut |src: &mut Source| {
    ///     src.span("step", SpanKind::Group, |src| match src.pick(1) {
    ///         0 => src.arm("push", |src| { src.draw(3..=3); }),
    ///         _ => src.arm("clear", |_| ()),
    ///     });
    /// }).unwrap();
    /// assert_eq!((&*case.log.inputs[0].text, case.log.inputs[0].arm), ("push(3)", Some("push")));
    /// ```
    #[inline(always)]
    pub fn arm<T>(&mut self, name: &'static str, f: impl FnOnce(&mut Self) -> T) -> T {
        f(OpenArm::new(self, name).0)
    }

    /// Whether the sampler answers.
    #[inline(always)]
    pub(crate) fn is_fast(&self) -> bool {
        matches!(self.answerer, Answerer::Sampler(_))
    }

    #[inline(always)]
    pub(crate) fn is_recording(&self) -> bool {
        matches!(self.answerer, Answerer::Engine)
    }

    #[inline(never)]
    fn open_span(&mut self, label: &'static str, kind: SpanKind) {
        self.recorder.get().open_span(label, kind);
    }

    #[inline(never)]
    fn close_span(&mut self) {
        self.recorder.get().close_span();
    }

    #[inline(never)]
    fn open_arm(&mut self, name: &'static str) {
        self.recorder.get().open_arm(name);
    }

    #[inline(never)]
    fn close_arm(&mut self) {
        self.recorder.get().close_arm();
    }

    /// Notes where a generator begins to try.
    #[inline]
    pub(crate) fn mark(&mut self) -> Option<Mark> {
        match &self.answerer {
            Answerer::Sampler(_) => None,
            Answerer::Walk(walk) => Some(self.recorder.get().mark(walk.position())),
            _ => {
                let mut recorder = self.recorder.get();
                let at = recorder.position();
                Some(recorder.mark(at))
            }
        }
    }

    /// Says that what was drawn since the mark will do.
    #[inline]
    pub(crate) fn accept(&mut self, mark: Option<Mark>) {
        if let Some(mark) = mark {
            self.recorder.get().unmark(mark);
        }
    }

    /// The places of what was drawn since the mark, where the engine visits inputs in an order.
    pub(crate) fn places_since(&mut self, mark: Option<Mark>) -> Option<Vec<u64>> {
        let start = mark?.choices as usize;
        match &self.answerer {
            Answerer::Walk(walk) => Some(walk.places(start)),
            _ => self.recorder.get().places(start),
        }
    }

    /// Says that what was drawn since the mark will not do. `true` when it was taken back and other answers
    /// are there; `false` when it is to be drawn once more beside it.
    pub(crate) fn take_back(&mut self, mark: Option<Mark>, site: Site) -> bool {
        let refusal = match (mark, &mut self.answerer) {
            (None, _) => Refusal::Redraw,
            // Nothing is left to be drawn later, or the walk would be where that finds it.
            (Some(mark), Answerer::Walk(walk)) => walk.refuse(mark.choices as usize, true, site),
            (Some(mark), _) => self.recorder.get().refuse(mark, site),
        };
        match refusal {
            Refusal::Again => true,
            Refusal::Redraw => false,
            Refusal::Reject => unwind(Unwind::Reject(site)),
        }
    }

    /// Marks the span that was opened last within the current one as thrown away.
    pub(crate) fn discard_last(&mut self, label: &'static str) {
        if !self.is_recording() {
            return;
        }
        let mut recorder = self.recorder.get();
        let depth = recorder.open.len() as u32;
        let mut spans = recorder.trace.spans.iter_mut().rev();
        if let Some(span) = spans.find(|it| it.depth == depth && it.label == label) {
            span.kind = SpanKind::Discarded;
        }
    }

    /// Whether every input is to be visited, each once.
    pub(crate) fn visits_all(&mut self) -> bool {
        match self.answerer {
            Answerer::Sampler(_) | Answerer::Callbacks(_) => false,
            Answerer::Walk(_) | Answerer::SharedWalk => true,
            Answerer::Engine => self.recorder.get().visits_all(),
        }
    }

    /// Whether a generator ended by the size budget.
    pub(crate) fn is_by_size(&mut self) -> bool {
        self.by_size.get() || self.recorder.get().by_size
    }
}

/// Says that an input is being drawn while it lives: a test may catch the panic of a generator, and draw the next input.
struct Drawing<'a>(&'a mut Source);

impl<'a> Drawing<'a> {
    fn new(source: &'a mut Source) -> Self {
        source.recorder.get().drawing += 1;
        Drawing(source)
    }
}

impl Drop for Drawing<'_> {
    fn drop(&mut self) {
        self.0.recorder.get().drawing -= 1;
    }
}

/// An arm that ends with it: a test may catch a panic within an arm, and go on behind it.
struct OpenArm<'a>(&'a mut Source);

impl<'a> OpenArm<'a> {
    #[inline(always)]
    fn new(source: &'a mut Source, name: &'static str) -> Self {
        if source.is_recording() {
            source.open_arm(name);
        }
        OpenArm(source)
    }
}

impl Drop for OpenArm<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        if self.0.is_recording() {
            self.0.close_arm();
        }
    }
}

/// Ends the case, or grants one more choice to a destructor of a case that ends already: to unwind from there would end
/// the process.
#[cold]
pub(crate) fn overrun() -> u32 {
    if std::thread::panicking() {
        return 1;
    }
    unwind(Unwind::Overrun)
}
