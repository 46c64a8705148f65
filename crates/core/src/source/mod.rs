//! The handle a test draws from.

mod ask;
mod choices;
mod handle;
mod recorder;
mod structure;

use std::cell::Cell;
use std::fmt::Debug;
use std::sync::Arc;

use crate::case::Input;
use crate::engine::{Refusal, Walk};
use crate::render;
use crate::unwind::{Unwind, unwind};
use crate::{Case, Ended, Engine, Generate, Generator, Narrow, Progress, Sampler, Site, SpanKind, Trace};

pub use ask::Ask;
pub(crate) use handle::{Handle, write_later};
pub(crate) use recorder::Mark;
use recorder::{Answers, Slot};

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
pub(crate) const DEPTH_MAX: u32 = 1 << 8;
/// How deep values may nest before nesting costs size.
pub(crate) const FREE_DEPTH: u32 = 8;

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
    /// Whether nothing is recorded: it is fast, or the exhaustive engine walks, or functions are asked.
    silent: bool,
    /// Whether cases may be passed over for others.
    is_choosy: bool,
    left: u32,
    size: u32,
    depth: u32,
    /// Whether a generator asked how much is left of the size budget where that was less than all.
    by_size: Cell<bool>,
    sampler: Sampler,
    /// The fast mode's cases: seed, the next one, and where to stop.
    seed: u64,
    next: u64,
    stop_at: u64,
    progress: Option<Arc<Progress>>,
    /// The exhaustive engine, where it answers and nobody else needs it: parts that are drawn later, and
    /// recording, find it in `recorder`.
    walk: Option<Box<Walk>>,
    /// Who answers, where that is neither the sampler nor an engine.
    ask: Option<Ask>,
    recorder: Slot,
}

impl Source {
    /// A source that lets `engine` answer and records the trace.
    pub fn new(engine: Box<dyn Engine>) -> Self {
        Source { fast: false, silent: false, ..Source::with(Answers::Engine(engine), 0, 0) }
    }

    /// A source whose cases all follow from `seed`, for [`Test::batch`](crate::Test::batch).
    pub(crate) fn fast(seed: u64, first: u64, progress: Arc<Progress>) -> Self {
        Source { progress: Some(progress), is_choosy: true, ..Source::with(Answers::Nobody, seed, first) }
    }

    /// Whether the next case may be passed over for others, where the test prefers some.
    pub(crate) fn is_choosy(&self) -> bool {
        self.is_choosy
    }

    pub(crate) fn set_choosy(&mut self, is_choosy: bool) {
        self.is_choosy = is_choosy;
    }

    /// A source that `walk` leads through its cases, for [`Test::batch`](crate::Test::batch).
    pub(crate) fn walking(walk: Box<Walk>, progress: Arc<Progress>) -> Self {
        let mut source =
            Source { progress: Some(progress), fast: false, ..Source::with(Answers::Walk(walk), 0, 0) };
        source.recorder.get().silent = true;
        source
    }

    /// Whether a walking source records.
    pub(crate) fn record(&mut self, record: bool) {
        self.silent = !record;
        self.recorder.get().silent = !record;
        if record {
            self.share_walk();
        }
    }

    /// Puts the walk where others find it.
    fn share_walk(&mut self) {
        if let Some(walk) = self.walk.take() {
            self.recorder.get().answers = Answers::Walk(walk);
        }
    }

    /// The walk of a walking source.
    pub(crate) fn walk(&mut self) -> &mut Walk {
        let recorder = &mut self.recorder;
        self.walk.get_or_insert_with(|| {
            match std::mem::replace(&mut recorder.get().answers, Answers::Nobody) {
                Answers::Walk(walk) => walk,
                _ => unreachable!("only a walking source has a walk"),
            }
        })
    }

    fn with(answers: Answers, seed: u64, next: u64) -> Self {
        Source {
            fast: true,
            plain: false,
            silent: true,
            is_choosy: false,
            left: CHOICES_MAX,
            size: SIZE,
            depth: 0,
            by_size: Cell::new(false),
            sampler: Sampler::new(seed, next),
            seed,
            next,
            stop_at: next,
            progress: None,
            walk: None,
            ask: None,
            recorder: Slot::new(answers),
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

    /// Tells the engine how the case went; see [`Engine::end`].
    pub fn end(&mut self, case: &Case) {
        self.recorder.get().engine().end(case);
    }

    /// Whether the case is a sample of all; see [`Engine::is_sample`].
    pub(crate) fn is_sample(&mut self) -> bool {
        self.recorder.get().engine().is_sample()
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
        recorder.answers = match std::mem::replace(&mut recorder.answers, Answers::Nobody) {
            Answers::Engine(engine) => Answers::Engine(make(engine)),
            others => others,
        };
    }

    /// Gives the engine back.
    pub fn into_engine(mut self) -> Box<dyn Engine> {
        match std::mem::replace(&mut self.recorder.get().answers, Answers::Nobody) {
            Answers::Engine(engine) => engine,
            _ => panic!("only a recording source has an engine"),
        }
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
        self.recorder.get().live = Some(tell);
    }

    /// Allows fast cases up to number `stop_at`.
    pub(crate) fn allow(&mut self, stop_at: u64) {
        self.stop_at = stop_at;
    }

    /// The number of the next fast case; the current one is one less.
    pub(crate) fn next_index(&self) -> u64 {
        self.next
    }

    /// Goes on to the next case of a batch, if there is one.
    #[inline(always)]
    pub(crate) fn next_fast(&mut self) -> bool {
        // The test may have caught what ended its case.
        if self.next >= self.stop_at || crate::context::is_over() {
            return false;
        }
        if !self.fast {
            return self.next_walk();
        }
        self.sampler.start_next(self.seed, self.next);
        self.plain = self.sampler.is_plain();
        if let Some(progress) = &self.progress {
            progress.begin_case(self.next);
        }
        self.next += 1;
        self.left = CHOICES_MAX;
        self.size = SIZE;
        self.depth = 0;
        true
    }

    fn next_walk(&mut self) -> bool {
        if self.walk.is_none() {
            self.recorder.unshare();
            self.recorder.get().next_case();
        }
        let walk = self.walk();
        if walk.begin().is_err() {
            return false;
        }
        let first = walk.take_changed();
        if let (Some(progress), Some(walk)) = (&self.progress, &self.walk) {
            progress.begin_case(self.next);
            progress.begin_walk(walk.path(), first);
        }
        if self.silent {
            (self.size, self.depth) = (SIZE, 0);
        } else {
            self.share_walk();
        }
        self.next += 1;
        true
    }

    pub(crate) fn start_recording(&mut self, render: bool) {
        (self.size, self.depth) = (SIZE, 0);
        self.recorder.unshare();
        self.recorder.get().start(render);
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
        let mut inputs = std::mem::take(&mut recorder.inputs);
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
    #[inline(always)]
    pub fn draw<G: Generator>(&mut self, generator: G) -> G::Value
    where
        G::Value: Debug,
    {
        if self.silent { generator.generate(self) } else { self.draw_recorded(None, &generator) }
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
        if self.silent { generator.generate(self) } else { self.draw_recorded(Some(name), &generator) }
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
            let text = render::text(format_args!("{value:?}"));
            let mut recorder = self.recorder.get();
            recorder.rendering = false;
            if let Some(mut tell) = recorder.live.take() {
                tell(&Input { name, text: recorder.filled_in(&text) });
                recorder.live = Some(tell);
            }
            recorder.inputs.push(Input { name, text });
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
        if !self.silent {
            self.open_span(label, kind);
        }
        let res = f(self);
        if !self.silent {
            self.close_span();
        }
        res
    }

    /// Whether nothing is recorded and nobody is asked.
    #[inline(always)]
    pub(crate) fn is_fast(&self) -> bool {
        self.fast
    }

    #[inline(never)]
    fn open_span(&mut self, label: &'static str, kind: SpanKind) {
        self.recorder.get().open_span(label, kind);
    }

    #[inline(never)]
    fn close_span(&mut self) {
        self.recorder.get().close_span();
    }

    /// Notes where a generator begins to try.
    #[inline]
    pub(crate) fn mark(&mut self) -> Option<Mark> {
        if self.fast {
            return None;
        }
        let mut mark = self.recorder.get().mark();
        if let Some(walk) = &self.walk {
            mark.choices = walk.position() as u32;
        }
        Some(mark)
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
        match &self.walk {
            Some(walk) => Some(walk.places(start)),
            None => self.recorder.get().places(start),
        }
    }

    /// Says that what was drawn since the mark will not do. `true` when it was taken back and other answers
    /// are there; `false` when it is to be drawn once more beside it.
    pub(crate) fn take_back(&mut self, mark: Option<Mark>, site: Site) -> bool {
        let refusal = match (mark, &mut self.walk) {
            (None, _) => Refusal::Redraw,
            (Some(mark), None) => self.recorder.get().refuse(mark, site),
            // Nothing is left to be drawn later, or the walk would be where that finds it.
            (Some(mark), Some(walk)) => walk.refuse(mark.choices as usize, true, site),
        };
        match refusal {
            Refusal::Again => true,
            Refusal::Redraw => false,
            Refusal::Reject => unwind(Unwind::Reject(site)),
        }
    }

    /// Marks the span that was opened last within the current one as thrown away.
    pub(crate) fn discard_last(&mut self, label: &'static str) {
        if self.silent {
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
        !self.fast && (self.walk.is_some() || self.recorder.get().visits_all())
    }

    /// Whether a generator ended by the size budget.
    pub(crate) fn is_by_size(&mut self) -> bool {
        self.by_size.get() || self.recorder.get().by_size
    }

    #[inline(always)]
    fn spend(&mut self) {
        if self.left == 0 {
            self.left = overrun();
        }
        self.left -= 1;
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

/// Ends the case, or grants one more choice to a destructor of a case that ends already: to unwind from there would end
/// the process.
#[cold]
pub(crate) fn overrun() -> u32 {
    if std::thread::panicking() {
        return 1;
    }
    unwind(Unwind::Overrun)
}
