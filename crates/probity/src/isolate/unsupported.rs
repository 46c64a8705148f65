//! Where there is no way to copy a process.

use std::marker::PhantomData;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use probity_core::{Failure, Misuse, Progress, SearchResult, Source, Test};

use super::Show;
use crate::report::Harness;
use crate::run::Deadline;

pub(crate) enum Isolation {}

/// Where cases run.
#[derive(Clone, Copy)]
pub(crate) enum IsolationMode {
    Copies,
}

pub(crate) struct IsolatedTest<'a>(Rc<Isolation>, PhantomData<&'a ()>);

impl Isolation {
    pub(crate) fn new(_: Option<Duration>, _: bool) -> Result<Rc<Isolation>, String> {
        Err("`isolate` needs a Unix system, where a process can be copied; leave it out here".to_string())
    }

    pub(crate) fn silence(&self, _: bool) {
        match *self {}
    }

    pub(crate) fn is_on(&self) -> bool {
        match *self {}
    }

    pub(crate) fn turn(&self, _: IsolationMode) -> IsolationMode {
        match *self {}
    }

    pub(crate) fn elsewhere(&self) -> Arc<AtomicBool> {
        match *self {}
    }

    pub(crate) fn hurry(&self, _: bool) {
        match *self {}
    }

    pub(crate) fn progress(&self) -> Arc<Progress> {
        match *self {}
    }

    pub(crate) fn show(&self, _: Option<Show>) {
        match *self {}
    }

    pub(crate) fn search(
        &self,
        _: impl FnOnce() -> Result<SearchResult, Misuse>,
        _: &Progress,
        _: Deadline,
    ) -> Result<Result<SearchResult, Misuse>, Failure> {
        match *self {}
    }
}

pub(crate) fn is_hang(_: &Failure) -> bool {
    false
}

pub(crate) fn dies_anew(_: &Harness, _: &str, _: Duration) -> Option<bool> {
    None
}

pub(crate) fn fails_anew(_: &Harness, _: &str, _: Duration) -> Option<bool> {
    None
}

impl<'a> IsolatedTest<'a> {
    pub(crate) fn new(_: &'a mut dyn Test, isolation: Rc<Isolation>) -> Self {
        IsolatedTest(isolation, PhantomData)
    }
}

impl Test for IsolatedTest<'_> {
    fn case(&mut self, _: &mut Source) {
        match *self.0 {}
    }

    fn batch(&mut self, _: &mut Source) {
        match *self.0 {}
    }
}
