//! What a case at recording speed keeps, shared by its source and the parts that are drawn later.

use std::cell::{RefCell, RefMut};
use std::ops::{Deref, DerefMut};
use std::rc::Rc;
use std::sync::Arc;

use super::answerer::SharedAnswerer;
use super::handle::fill_in;
use crate::context;
use crate::engine::{Refusal, Walk};
use crate::unwind::{Unwind, unwind};
use crate::{
    CHOICES_MAX, CaseShape, Choice, Domain, Drawn, DrawnInputs, Engine, Input, Narrow, Ordered, Site, Span,
    SpanKind, Stop, Trace, Value,
};

/// The recorder of a source: its own, until something is to be drawn later.
pub(super) struct RecorderSlot {
    own: Option<Box<Recorder>>,
    shared: SharedRecorder,
}

/// Where the recorder is while it is shared, and nothing otherwise.
#[derive(Clone)]
pub(crate) struct SharedRecorder(Rc<RefCell<Option<Box<Recorder>>>>);

/// A recorder, wherever it is. Never held while code of the user runs.
pub(super) enum Access<'a> {
    Own(&'a mut Recorder),
    Shared(RefMut<'a, Recorder>),
}

pub(super) type Tell = Box<dyn FnMut(&Drawn)>;

pub(crate) struct Recorder {
    /// Who answers, where that is not the source by itself.
    pub(super) answerer: SharedAnswerer,
    /// How many more choices the case may ask for.
    pub(super) left: u32,
    pub(super) choices_max: u32,
    pub(super) trace: Trace,
    /// How many choices and spans the last trace had: about as many as the next will have.
    pub(super) lens: (usize, usize),
    pub(super) open: Vec<usize>,
    pub(super) render: bool,
    pub(super) drawing: u32,
    pub(super) inputs: DrawnInputs,
    pub(super) live: Option<Tell>,
    /// Whether an answer was taken that the random engine would not give: then a value that nests too deep says
    /// nothing about its type.
    pub(super) outside_random_support: bool,
    /// Whether a generator ended by the size budget, in this case or an earlier one.
    pub(super) by_size: bool,
    /// The number of the case, so that what is left of an earlier one is noticed.
    pub(super) case: u64,
    /// How many parts were made that are drawn later.
    pub(super) parts: u32,
    /// The oldest of them that was drawn since the last mark.
    pub(super) oldest: u32,
    /// Whether an input is being rendered.
    pub(super) rendering: bool,
    /// The texts of parts that were drawn after their input was rendered, by the number in its place.
    pub(super) texts: Vec<Option<String>>,
    /// Weights that were asked for lately, by where they stood.
    weights: [Option<Arc<[u32]>>; WEIGHTS_KEPT],
}

/// How many lists of weights are kept, a power of two.
const WEIGHTS_KEPT: usize = 16;

/// A point in a case that can be gone back to.
#[derive(Clone, Copy)]
pub(crate) struct Mark {
    pub(super) choices: u32,
    spans: usize,
    parts: u32,
    oldest: u32,
}

impl RecorderSlot {
    pub(super) fn new(answerer: SharedAnswerer) -> Self {
        let own = Box::new(Recorder {
            answerer,
            left: CHOICES_MAX,
            choices_max: CHOICES_MAX,
            trace: Trace::default(),
            lens: (0, 0),
            open: Vec::new(),
            render: false,
            drawing: 0,
            inputs: DrawnInputs::default(),
            live: None,
            outside_random_support: false,
            by_size: false,
            case: 0,
            parts: 0,
            oldest: u32::MAX,
            rendering: false,
            texts: Vec::new(),
            weights: [const { None }; WEIGHTS_KEPT],
        });
        RecorderSlot { own: Some(own), shared: SharedRecorder(Rc::default()) }
    }

    #[inline]
    pub(super) fn get(&mut self) -> Access<'_> {
        match &mut self.own {
            Some(own) => Access::Own(own),
            None => Access::Shared(self.shared.get().expect("what is not the source's own is shared")),
        }
    }

    /// Puts the recorder where others find it.
    #[inline]
    pub(super) fn share(&mut self) -> &SharedRecorder {
        if let Some(own) = self.own.take() {
            *self.shared.0.borrow_mut() = Some(own);
        }
        &self.shared
    }

    /// Takes the recorder from where others find it.
    pub(super) fn unshare(&mut self) {
        if self.own.is_none() {
            self.own = self.shared.0.borrow_mut().take();
        }
    }

    /// Makes this the slot of another source with a shared recorder.
    pub(super) fn join(&mut self, shared: &SharedRecorder) {
        if self.own.is_some() || !Rc::ptr_eq(&self.shared.0, &shared.0) {
            *self = RecorderSlot { own: None, shared: shared.clone() };
        }
    }
}

impl SharedRecorder {
    /// The recorder, while it is shared and nobody else holds it.
    pub(super) fn get(&self) -> Option<RefMut<'_, Recorder>> {
        let slot = self.0.try_borrow_mut().ok()?;
        RefMut::filter_map(slot, |it| it.as_deref_mut()).ok()
    }
}

impl Deref for Access<'_> {
    type Target = Recorder;

    #[inline]
    fn deref(&self) -> &Recorder {
        match self {
            Access::Own(it) => it,
            Access::Shared(it) => it,
        }
    }
}

impl DerefMut for Access<'_> {
    #[inline]
    fn deref_mut(&mut self) -> &mut Recorder {
        match self {
            Access::Own(it) => it,
            Access::Shared(it) => it,
        }
    }
}

/// We are wrong, so it must not look like a failure of the test.
#[cold]
fn outside(domain: &Domain, value: Value) -> ! {
    crate::misuse(format!(
        "internal error: an engine answered {value:?}, outside {domain:?}; please report it"
    ))
}

impl Recorder {
    pub(super) fn start(&mut self, render: bool) {
        self.render = render;
        self.drawing = 0;
        self.open.clear();
        self.trace =
            Trace { choices: Vec::with_capacity(self.lens.0), spans: Vec::with_capacity(self.lens.1) };
        self.inputs.clear();
        self.next_case();
    }

    #[inline]
    pub(super) fn next_case(&mut self) {
        self.left = self.choices_max;
        self.outside_random_support = false;
        self.case += 1;
        self.parts = 0;
        self.oldest = u32::MAX;
        self.rendering = false;
        self.texts.clear();
    }

    /// The exhaustive engine, where a case without a trace made parts that are drawn later.
    #[inline]
    pub(super) fn walk(&mut self) -> &mut Walk {
        match &mut self.answerer {
            SharedAnswerer::Walk(engine, _) => engine.walk(),
            _ => unreachable!("the walk is shared"),
        }
    }

    pub(super) fn engine(&mut self) -> &mut dyn Engine {
        self.answerer.engine().expect("only a recording source has an engine")
    }

    /// A member of `domain`; the caller adds it to the trace.
    #[inline]
    pub(super) fn answer(&mut self, domain: &Domain) -> Value {
        let answer = match self.left.checked_sub(1) {
            None => Err(Stop::Overrun),
            Some(left) => {
                self.left = left;
                let engine = self.answerer.engine().expect("only a recording source has an engine");
                engine.answer(domain, &self.trace)
            }
        };
        let value = match answer {
            Ok(value) => value,
            // A destructor of a case that ends already: to unwind from there would end the process.
            Err(_) if std::thread::panicking() => domain.simplest(),
            Err(Stop::Overrun) => unwind(Unwind::Overrun),
            Err(Stop::Reject(site)) => unwind(Unwind::Reject(site)),
        };
        if !domain.contains(value) {
            outside(domain, value);
        }
        if let (Domain::Pick { weights: Some(weights), .. }, Value::Pick(at)) = (domain, value) {
            self.outside_random_support |= weights[at as usize] == 0;
        }
        value
    }

    /// These weights, to be kept in a trace. Most are those of a list that is in the program: to allocate them
    /// once, and not for every choice, makes a recorded case of a hundred such choices twice as fast.
    pub(super) fn share_weights(&mut self, weights: &[u32]) -> Arc<[u32]> {
        let slot = &mut self.weights[(weights.as_ptr().addr() >> 2) % WEIGHTS_KEPT];
        match slot {
            Some(known) if **known == *weights => Arc::clone(known),
            _ => Arc::clone(slot.insert(weights.into())),
        }
    }

    pub(super) fn open_span(&mut self, label: &'static str, kind: SpanKind) {
        let at = self.trace.choices.len() as u32;
        let depth = self.open.len() as u32;
        self.open.push(self.trace.spans.len());
        self.trace.spans.push(Span { label, kind, start: at, end: Span::OPEN, depth });
    }

    pub(super) fn close_span(&mut self) {
        if let Some(open) = self.open.pop() {
            self.trace.spans[open].end = self.trace.choices.len() as u32;
        }
    }

    /// Says that the open list at `depth` has no more than `n` items: a length that was not used up is lowered, so that
    /// the trace is what a shorter list would have.
    pub(super) fn end_list(&mut self, depth: usize, n: u32) {
        let Some(list) = self.open.get(depth).and_then(|it| self.trace.spans.get(*it)) else { return };
        let at = list.start as usize;
        if let Some(Choice { domain: Domain::Length { min, .. }, value: Value::Length(len) }) =
            self.trace.choices.get_mut(at)
        {
            *len = (*len).min(n.max(*min));
        }
    }

    /// Closes spans until `depth` are open.
    pub(super) fn close_spans(&mut self, depth: usize) {
        while self.open.len() > depth {
            let top = self.open.last().and_then(|it| self.trace.spans.get(*it));
            match top.map(|it| it.kind) {
                Some(SpanKind::Arm) => self.close_arm(),
                _ => self.close_span(),
            }
        }
    }

    /// Keeps what was drawn, and what was made before that, and reports it, where the case is rendered.
    pub(super) fn drew(&mut self, drawn: Drawn) {
        for name in context::take_made() {
            self.keep(Drawn::Made(name));
        }
        self.keep(drawn);
    }

    fn keep(&mut self, drawn: Drawn) {
        if let Some(mut tell) = self.live.take() {
            match &drawn {
                Drawn::Input(it) => {
                    tell(&Drawn::Input(Input { text: self.filled_in(&it.text), ..it.clone() }))
                }
                arm => tell(arm),
            }
            self.live = Some(tell);
        }
        self.inputs.add(drawn);
    }

    /// Begins an arm. What is drawn for one input is shown as its value, whatever way its generator went.
    pub(super) fn open_arm(&mut self, name: &'static str) {
        self.open_span(name, SpanKind::Arm);
        if self.render && self.drawing == 0 {
            self.drew(Drawn::ArmBegins(name));
        }
    }

    pub(super) fn close_arm(&mut self) {
        self.close_span();
        if self.render && self.drawing == 0 {
            self.drew(Drawn::ArmEnds);
        }
    }

    /// A rendered input with the texts of its parts in their places, and `_` for those that were not drawn.
    pub(super) fn filled_in(&self, text: &str) -> String {
        fill_in(text, &self.texts)
    }

    /// How many choices were asked for.
    pub(super) fn position(&mut self) -> usize {
        match &mut self.answerer {
            SharedAnswerer::Walk(engine, _) => engine.walk().position(),
            _ => (self.choices_max - self.left) as usize,
        }
    }

    /// Whether the answers so far are others than a random case would have.
    pub(super) fn is_outside_random_support(&mut self) -> bool {
        self.outside_random_support || self.order().is_some_and(|it| it.is_beyond_random())
    }

    /// Whether the engine visits every input, each once.
    pub(super) fn visits_all(&mut self) -> bool {
        let at = self.position();
        self.places(at).is_some()
    }

    fn order(&mut self) -> Option<&mut dyn Ordered> {
        self.answerer.engine()?.order()
    }

    /// How the values of the case nest.
    pub(super) fn shape(&mut self) -> CaseShape {
        self.order().map_or_else(CaseShape::default, |it| it.shape())
    }

    /// See [`Ordered::left_out`].
    pub(super) fn left_out(&mut self, site: u64) -> u64 {
        self.order().map_or(0, |it| it.left_out(site))
    }

    /// See [`Ordered::narrow`].
    pub(super) fn narrow(&mut self, by: Narrow) {
        if let Some(order) = self.order() {
            order.narrow(by);
        }
    }

    pub(super) fn places(&mut self, start: usize) -> Option<Vec<u64>> {
        self.order()?.places(start)
    }

    /// A mark where `at` choices were asked for.
    pub(super) fn mark(&mut self, at: usize) -> Mark {
        let oldest = std::mem::replace(&mut self.oldest, u32::MAX);
        Mark { choices: at as u32, spans: self.trace.spans.len(), parts: self.parts, oldest }
    }

    /// Ends what [`mark`](Self::mark) began.
    pub(super) fn unmark(&mut self, mark: Mark) {
        self.oldest = self.oldest.min(mark.oldest);
    }

    /// Takes back what was drawn since `mark`, if the engine has other answers from there on.
    pub(super) fn refuse(&mut self, mark: Mark, site: Site) -> Refusal {
        let start = mark.choices;
        // A part made earlier keeps what was drawn for it, so its choices cannot be asked for again.
        let can_return = mark.parts < self.oldest;
        let refusal = match self.answerer {
            // Who follows the test's own code finds the way past a filter there.
            SharedAnswerer::Callbacks(_) => Refusal::Reject,
            _ => self.order().map_or(Refusal::Redraw, |it| it.refuse(start as usize, can_return, site)),
        };
        if refusal == Refusal::Again {
            self.left = self.choices_max - start;
            self.trace.choices.truncate(start as usize);
            self.trace.spans.truncate(mark.spans);
            self.oldest = u32::MAX;
        }
        refusal
    }
}
