//! What a case at recording speed keeps, shared by its source and the parts that are drawn later.

use std::cell::{RefCell, RefMut};
use std::ops::{Deref, DerefMut};
use std::rc::Rc;
use std::sync::Arc;

use super::ask::Ask;
use super::handle::fill_in;
use crate::case::Input;
use crate::engine::{Refusal, Walk};
use crate::unwind::{Unwind, unwind};
use crate::{CHOICES_MAX, Domain, Engine, Narrow, Site, Span, SpanKind, Stop, Trace, Value};

/// The recorder of a source: its own, until something is to be drawn later.
pub(super) struct Slot {
    own: Option<Box<Recorder>>,
    shared: Shared,
}

/// Where the recorder is while it is shared, and nothing otherwise.
#[derive(Clone)]
pub(crate) struct Shared(Rc<RefCell<Option<Box<Recorder>>>>);

/// A recorder, wherever it is. Never held while code of the user runs.
pub(super) enum Access<'a> {
    Own(&'a mut Recorder),
    Shared(RefMut<'a, Recorder>),
}

pub(super) type Tell = Box<dyn FnMut(&Input)>;

pub(crate) struct Recorder {
    pub(super) answers: Answers,
    /// Whether nothing is kept of the trace.
    pub(super) silent: bool,
    /// How many more choices the case may ask for.
    pub(super) left: u32,
    pub(super) choices_max: u32,
    pub(super) trace: Trace,
    /// How many choices and spans the last trace had: about as many as the next will have.
    pub(super) lens: (usize, usize),
    pub(super) open: Vec<usize>,
    pub(super) render: bool,
    pub(super) drawing: u32,
    pub(super) inputs: Vec<Input>,
    pub(super) live: Option<Tell>,
    /// Whether an answer was taken that the random engine would not give: then a value that nests too deep says
    /// nothing about its type.
    pub(super) beyond: bool,
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

/// Who answers.
pub(super) enum Answers {
    /// Nobody: the source is fast.
    Nobody,
    /// An engine.
    Engine(Box<dyn Engine>),
    /// The exhaustive engine, which may go at full speed: then nothing is kept.
    Walk(Box<Walk>),
    /// Functions; nothing is kept.
    Ask(Ask),
}

/// A point in a case that can be gone back to.
#[derive(Clone, Copy)]
pub(crate) struct Mark {
    pub(super) choices: u32,
    spans: usize,
    parts: u32,
    oldest: u32,
}

impl Slot {
    pub(super) fn new(answers: Answers) -> Self {
        let own = Box::new(Recorder {
            answers,
            silent: false,
            left: CHOICES_MAX,
            choices_max: CHOICES_MAX,
            trace: Trace::default(),
            lens: (0, 0),
            open: Vec::new(),
            render: false,
            drawing: 0,
            inputs: Vec::new(),
            live: None,
            beyond: false,
            by_size: false,
            case: 0,
            parts: 0,
            oldest: u32::MAX,
            rendering: false,
            texts: Vec::new(),
            weights: [const { None }; WEIGHTS_KEPT],
        });
        Slot { own: Some(own), shared: Shared(Rc::default()) }
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
    pub(super) fn share(&mut self) -> &Shared {
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
    pub(super) fn join(&mut self, shared: &Shared) {
        if self.own.is_some() || !Rc::ptr_eq(&self.shared.0, &shared.0) {
            *self = Slot { own: None, shared: shared.clone() };
        }
    }
}

impl Shared {
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
        self.beyond = false;
        self.case += 1;
        self.parts = 0;
        self.oldest = u32::MAX;
        self.rendering = false;
        self.texts.clear();
    }

    /// The exhaustive engine, which counts choices by itself.
    #[inline]
    pub(super) fn walk(&mut self) -> &mut Walk {
        match &mut self.answers {
            Answers::Walk(walk) => walk,
            _ => unreachable!("only the exhaustive engine records nothing"),
        }
    }

    pub(super) fn engine(&mut self) -> &mut dyn Engine {
        match &mut self.answers {
            Answers::Engine(engine) => &mut **engine,
            _ => panic!("only a recording source has an engine"),
        }
    }

    /// A member of `domain`; the caller adds it to the trace.
    #[inline]
    pub(super) fn answer(&mut self, domain: &Domain) -> Value {
        let answer = match &mut self.answers {
            Answers::Engine(_) if self.left == 0 => Err(Stop::Overrun),
            Answers::Engine(engine) => {
                self.left -= 1;
                engine.answer(domain, &self.trace)
            }
            Answers::Walk(walk) => Ok(walk.member(domain)),
            Answers::Ask(ask) => return ask.member(domain),
            Answers::Nobody => unreachable!("a fast source answers by itself"),
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
            self.beyond |= weights[at as usize] == 0;
        }
        value
    }

    /// These weights, to be kept in a trace. Most are those of a list that stands in the program: to allocate them
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

    /// A rendered input with the texts of its parts in their places, and `_` for those that were not drawn.
    pub(super) fn filled_in(&self, text: &str) -> String {
        fill_in(text, &self.texts)
    }

    /// How many choices were asked for.
    pub(crate) fn position(&self) -> u32 {
        match &self.answers {
            Answers::Walk(walk) => walk.position() as u32,
            _ => self.choices_max - self.left,
        }
    }

    /// Whether the answers so far are others than a random case would have.
    pub(super) fn is_beyond(&self) -> bool {
        self.beyond
            || match &self.answers {
                Answers::Walk(walk) => !walk.is_simplest(),
                Answers::Engine(engine) => !engine.is_sample(),
                Answers::Nobody | Answers::Ask(_) => false,
            }
    }

    /// Whether the engine visits every input, each once.
    pub(super) fn visits_all(&mut self) -> bool {
        let at = self.position() as usize;
        self.places(at).is_some()
    }

    /// See [`Engine::narrow`].
    pub(super) fn narrow(&mut self, by: Narrow) {
        match &mut self.answers {
            Answers::Walk(walk) => walk.narrow(by),
            Answers::Engine(engine) => engine.narrow(by),
            Answers::Nobody | Answers::Ask(_) => {}
        }
    }

    pub(super) fn places(&mut self, start: usize) -> Option<Vec<u64>> {
        match &mut self.answers {
            Answers::Walk(walk) => Some(walk.places(start)),
            Answers::Engine(engine) => engine.places(start),
            Answers::Nobody | Answers::Ask(_) => None,
        }
    }

    pub(super) fn mark(&mut self) -> Mark {
        let oldest = std::mem::replace(&mut self.oldest, u32::MAX);
        Mark { choices: self.position(), spans: self.trace.spans.len(), parts: self.parts, oldest }
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
        let refusal = match &mut self.answers {
            Answers::Walk(walk) => walk.refuse(start as usize, can_return, site),
            Answers::Engine(engine) => engine.refuse(start as usize, can_return, site),
            Answers::Nobody => Refusal::Redraw,
            // Who follows the test's own code finds the way past a filter there.
            Answers::Ask(_) => Refusal::Reject,
        };
        if refusal == Refusal::Again {
            self.left = self.choices_max - start;
            if !self.silent {
                self.trace.choices.truncate(start as usize);
            }
            self.trace.spans.truncate(mark.spans);
            self.oldest = u32::MAX;
        }
        refusal
    }
}
