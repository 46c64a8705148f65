//! An engine that its owner gets back.

use std::cell::RefCell;
use std::rc::Rc;

use super::{Ended, Engine, Narrow, Ordered, Refusal, Stop};
use crate::{Case, CaseShape, Domain, Site, Trace, Value};

/// An engine that is used by a source, and asked afterwards how it went.
pub(crate) struct KeptEngine<E>(Rc<RefCell<E>>);

impl<E> KeptEngine<E> {
    pub(crate) fn new(engine: E) -> Self {
        KeptEngine(Rc::new(RefCell::new(engine)))
    }

    /// The engine, between its answers.
    pub(crate) fn get(&self) -> std::cell::Ref<'_, E> {
        self.0.borrow()
    }

    /// The same, to change it.
    pub(crate) fn get_mut(&self) -> std::cell::RefMut<'_, E> {
        self.0.borrow_mut()
    }

    /// The engine, once every source that used it is gone.
    pub(crate) fn into_inner(self) -> E {
        Rc::into_inner(self.0).expect("no source uses the engine any more").into_inner()
    }
}

impl<E> Clone for KeptEngine<E> {
    fn clone(&self) -> Self {
        KeptEngine(Rc::clone(&self.0))
    }
}

impl<E: Engine> Engine for KeptEngine<E> {
    fn begin(&mut self) -> Result<(), Ended> {
        self.0.borrow_mut().begin()
    }

    fn answer(&mut self, domain: &Domain, so_far: &Trace) -> Result<Value, Stop> {
        self.0.borrow_mut().answer(domain, so_far)
    }

    fn end(&mut self, case: &Case) {
        self.0.borrow_mut().end(case);
    }

    fn order(&mut self) -> Option<&mut dyn Ordered> {
        self.0.borrow_mut().order()?;
        Some(self)
    }
}

/// Method by method, since what is borrowed cannot be handed out.
impl<E: Engine> Ordered for KeptEngine<E> {
    fn refuse(&mut self, start: usize, can_return: bool, site: Site) -> Refusal {
        let mut engine = self.0.borrow_mut();
        engine.order().map_or(Refusal::Redraw, |it| it.refuse(start, can_return, site))
    }

    fn narrow(&mut self, by: Narrow) {
        if let Some(it) = self.0.borrow_mut().order() {
            it.narrow(by);
        }
    }

    fn places(&mut self, start: usize) -> Option<Vec<u64>> {
        self.0.borrow_mut().order()?.places(start)
    }

    fn is_sample(&mut self) -> bool {
        self.0.borrow_mut().order().is_none_or(|it| it.is_sample())
    }

    fn shape(&mut self) -> CaseShape {
        self.0.borrow_mut().order().map_or_else(CaseShape::default, |it| it.shape())
    }

    fn left_out(&mut self, site: u64) -> u64 {
        self.0.borrow_mut().order().map_or(0, |it| it.left_out(site))
    }

    fn is_beyond_random(&mut self) -> bool {
        self.0.borrow_mut().order().is_some_and(|it| it.is_beyond_random())
    }
}
