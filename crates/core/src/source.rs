//! The handle a test draws from.

use std::fmt::Debug;
use std::sync::Arc;

use crate::case::Input;
use crate::int::Int;
use crate::unwind::{Unwind, unwind};
use crate::{
    Choice, Domain, Engine, Generate, Generator, Progress, Sampler, Span, SpanKind, Stop, Trace, Value,
};

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
const DEPTH_MAX: u32 = 1 << 10;
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

    /// Asks the engine for a member of `domain`.
    ///
    /// ```
    /// use probity_core::{Domain, Source, Value, sample};
    /// let answer = sample(&|src: &mut Source| src.choose(Domain::Bool), 7);
    /// assert!(matches!(answer, Value::Bool(_)));
    /// ```
    pub fn choose(&mut self, domain: Domain) -> Value {
        self.spend();
        if self.fast {
            return self.sampler.value(&domain);
        }
        let engine = self.recorder.engine.as_mut().expect("a recording source has an engine");
        let value = match engine.answer(&domain, &self.recorder.trace) {
            Ok(value) => value,
            Err(Stop::Overrun) => unwind(Unwind::Overrun),
            Err(Stop::Reject(site)) => unwind(Unwind::Reject(site)),
        };
        if !domain.contains(value) {
            // We are wrong, so it must not look like a failure of the test.
            crate::misuse(format!(
                "internal error: an engine answered {value:?}, outside {domain:?}; please report it"
            ));
        }
        self.recorder.trace.choices.push(Choice { domain, value });
        value
    }

    /// A coin.
    ///
    /// ```
    /// use probity_core::{Source, sample};
    /// let side = |src: &mut Source| if src.bool() { "heads" } else { "tails" };
    /// assert!(["heads", "tails"].contains(&sample(&side, 7)));
    /// ```
    #[inline]
    pub fn bool(&mut self) -> bool {
        if self.fast {
            self.spend();
            return self.sampler.bool();
        }
        matches!(self.choose(Domain::Bool), Value::Bool(true))
    }

    /// An integer of `min..=max`, simplest nearest to zero. See [`Domain::int`] for what is an error.
    ///
    /// ```
    /// use probity_core::{Source, sample};
    /// let die = |src: &mut Source| src.int(1u8, 6);
    /// assert!((1..=6).contains(&sample(&die, 7)));
    /// ```
    #[inline(always)]
    pub fn int<T: Int>(&mut self, min: T, max: T) -> T {
        if min == max {
            return min; // nothing to choose
        }
        if self.plain && !T::WIDE && min <= max {
            self.spend();
            let base = min.bits();
            return T::from_bits(base.wrapping_add(self.sampler.uniform(max.bits().wrapping_sub(base))));
        }
        self.int_of_mix(min, max)
    }

    /// An integer of a case that is not plain.
    #[inline]
    fn int_of_mix<T: Int>(&mut self, min: T, max: T) -> T {
        if self.fast && !T::WIDE && min <= max {
            self.spend();
            let (base, top, origin) = (min.bits(), max.bits(), T::simplest(min, max).bits());
            let offset = self.sampler.offset(base, top.wrapping_sub(base), origin.wrapping_sub(base));
            return T::from_bits(base.wrapping_add(offset));
        }
        self.int_recorded(min, max)
    }

    /// `n` integers of `min..=max`, each an item of the list that is being drawn.
    #[inline]
    pub(crate) fn ints<T: Int>(&mut self, n: u32, min: T, max: T) -> Vec<T> {
        let mut res = Vec::with_capacity(n.min(PREALLOCATED_MAX) as usize);
        if self.fast && !T::WIDE && min < max && n <= self.left {
            self.left -= n;
            let (base, top, origin) = (min.bits(), max.bits(), T::simplest(min, max).bits());
            let domain = (base, top.wrapping_sub(base), origin.wrapping_sub(base));
            let make = |offset: u64| T::from_bits(base.wrapping_add(offset));
            self.sampler.offsets(n as usize, domain, &mut res, make);
        } else {
            self.items(n, |src, _| res.push(src.int(min, max)));
        }
        res
    }

    #[inline(never)]
    fn int_recorded<T: Int>(&mut self, min: T, max: T) -> T {
        if max < min {
            crate::misuse(format!("no value in {min:?}..={max:?}; swap the bounds"));
        }
        match self.choose(Domain::int(min.wide(), max.wide())) {
            Value::Int(it) => T::from_wide(it),
            other => unreachable!("{other:?} is not an integer"),
        }
    }

    /// A float of `min..=max`, and NaN where `nan` allows it.
    ///
    /// ```
    /// use probity_core::{Source, sample};
    /// let share = |src: &mut Source| src.f64(0.0, 1.0, false);
    /// assert!((0.0..=1.0).contains(&sample(&share, 7)));
    /// ```
    #[inline]
    pub fn f64(&mut self, min: f64, max: f64, nan: bool) -> f64 {
        self.float(min, max, nan, false)
    }

    /// A float of `min..=max`, and NaN where `nan` allows it.
    ///
    /// ```
    /// use probity_core::{Source, sample};
    /// let share = |src: &mut Source| src.f32(0.0, 1.0, false);
    /// assert!((0.0..=1.0).contains(&sample(&share, 7)));
    /// ```
    #[inline]
    pub fn f32(&mut self, min: f32, max: f32, nan: bool) -> f32 {
        self.float(f64::from(min), f64::from(max), nan, true) as f32
    }

    fn float(&mut self, min: f64, max: f64, nan: bool, single: bool) -> f64 {
        if !min.total_cmp(&max).is_le() || min.is_nan() || max.is_nan() {
            crate::misuse(format!("no float in {min:?}..={max:?}; swap the bounds"));
        }
        if self.fast {
            self.spend();
            return self.sampler.float(min, max, nan, single);
        }
        match self.choose(Domain::Float { min, max, nan, single }) {
            Value::Float(it) => it,
            other => unreachable!("{other:?} is not a float"),
        }
    }

    /// A character of `min..=max`.
    ///
    /// ```
    /// use probity_core::{Source, sample};
    /// let digit = |src: &mut Source| src.char('0', '9');
    /// assert!(sample(&digit, 7).is_ascii_digit());
    /// ```
    #[inline]
    pub fn char(&mut self, min: char, max: char) -> char {
        if max < min {
            crate::misuse(format!("no character in {min:?}..={max:?}; swap the bounds"));
        }
        if min == max {
            return min;
        }
        if self.fast {
            self.spend();
            return self.sampler.char(min, max);
        }
        match self.choose(Domain::Char { min, max }) {
            Value::Char(it) => it,
            other => unreachable!("{other:?} is not a character"),
        }
    }

    /// One of `n` alternatives, by index.
    ///
    /// ```
    /// use probity_core::{Source, sample};
    /// let drink = |src: &mut Source| ["tea", "milk"][src.pick(2)];
    /// assert!(["tea", "milk"].contains(&sample(&drink, 7)));
    /// ```
    #[inline]
    pub fn pick(&mut self, n: usize) -> usize {
        let Some(n) = u32::try_from(n).ok().filter(|&n| n > 0) else {
            crate::misuse(format!("cannot pick one of {n} alternatives; give at least one"));
        };
        if self.fast {
            self.spend();
            return self.sampler.pick(n) as usize;
        }
        self.picked(Domain::Pick { n, weights: None })
    }

    /// One of `weights.len()` alternatives, the likelier the greater its weight.
    ///
    /// ```
    /// use probity_core::{Random, Source, run_case};
    /// let mut source = Source::new(Box::new(Random::new(7)));
    /// run_case(&mut source, &mut |src: &mut Source| assert!(src.pick_weighted(&[1, 9]) < 2)).unwrap();
    /// ```
    #[inline]
    pub fn pick_weighted(&mut self, weights: &[u32]) -> usize {
        if weights.iter().all(|&it| it == 0) {
            crate::misuse(format!("cannot pick by the weights {weights:?}; give at least one above zero"));
        }
        if self.fast {
            self.spend();
            return self.sampler.weighted(weights) as usize;
        }
        self.picked(Domain::Pick { n: weights.len() as u32, weights: Some(weights.into()) })
    }

    fn picked(&mut self, domain: Domain) -> usize {
        match self.choose(domain) {
            Value::Pick(it) => it as usize,
            other => unreachable!("{other:?} is not a pick"),
        }
    }

    /// A length of `min..=max`. Only [`list`](Source::list) and its kin ask for one, so that a length
    /// always stands before its items.
    #[inline]
    pub(crate) fn length(&mut self, min: u32, max: u32) -> u32 {
        if max < min {
            crate::misuse(format!("no length in {min}..={max}; swap the bounds"));
        }
        if min == max {
            return min;
        }
        if self.fast {
            self.spend();
            return self.sampler.length(min, max);
        }
        match self.choose(Domain::Length { min, max }) {
            Value::Length(it) => it,
            other => unreachable!("{other:?} is not a length"),
        }
    }
}

#[cold]
fn endless(label: &str) -> ! {
    crate::misuse(format!(
        "`{label}` nests more than {DEPTH_MAX} deep: it has no end; \
         give it a variant without itself, or put it behind an Option or a Vec"
    ))
}
