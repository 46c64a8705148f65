//! A system beside its model: calls one after the other, and on several threads at once. What
//! [`#[probity::model(..)]`](macro@crate::model) writes down.
//!
//! ```
//! use probity::prelude::*;
//! use probity::threads::{ArmSet, ModelCall, ModelCommand, ModelTest};
//! use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
//!
//! #[derive(Default)]
//! struct Counter(AtomicU64);
//!
//! static NAMES: ArmSet = ArmSet::new(&["add"], &[1]);
//! static COMMANDS: [ModelCommand<u64, Counter>; 1] = [ModelCommand::new(
//!     |_| true,
//!     |_, src| ModelCall::new(
//!         src.draw(1..=3),
//!         |n| vec![n.to_string()],
//!         |_, _| true,
//!         |model, n| { *model += n; *model },
//!         |system, n| system.0.fetch_add(n, SeqCst) + n,
//!     ),
//! )];
//!
//! let test = ModelTest::new(&NAMES, &COMMANDS, || 0, Counter::default).real();
//! probity::Check::new("doc").cases(20).run(|src: &mut Source| test.in_parallel(src, 2));
//! ```

mod execution;
mod picture;
mod program;
mod real;
#[cfg(feature = "shuttle")]
mod scheduled;

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

#[doc(hidden)] // for the macro
pub use probity_core::debug_text;
pub use probity_core::{ArmSet, CALLS_MAX};
use probity_core::{
    CallTime, Failure, Linearization, Origin, OriginKind, Source, context, end_case, fail_case, linearize,
};

use self::execution::{Ending, Execution, Job, Switch};
use self::program::CallProgram;
#[cfg(feature = "shuttle")]
pub(crate) use self::scheduled::silence;
use crate::generators::Lengths;

/// How many calls the default run of `in_sequence` makes.
const STEPS: std::ops::RangeInclusive<usize> = 0..=30;
/// How many calls are made before there are threads. The stack with the ABA fault needs two.
const PREFIX: std::ops::RangeInclusive<usize> = 0..=5;
/// How many calls each thread makes. The stack with the ABA fault needs three, and is found twice as soon with up to five.
const CALLS: std::ops::RangeInclusive<usize> = 0..=5;
/// How many programs with calls on two threads or more may come to no point where threads can be switched before that is
/// taken for a mistake.
#[cfg(feature = "shuttle")]
const BLIND_MAX: u32 = 100;

/// A command of a model: whether it is open, and how a call of it is drawn. See the [module](self).
///
/// ```
/// # use probity::threads::{ModelCall, ModelCommand};
/// let up: ModelCommand<u64, std::sync::atomic::AtomicU64> = ModelCommand::new(
///     |count| *count < 9,
///     |_, _| ModelCall::new(
///         (),
///         |_| vec![],
///         |_, _| true,
///         |count, ()| { *count += 1; *count - 1 },
///         |system, ()| system.fetch_add(1, std::sync::atomic::Ordering::SeqCst),
///     ),
/// );
/// ```
pub struct ModelCommand<M, S> {
    is_open: fn(&M) -> bool,
    draw: fn(&M, &mut Source) -> ModelCall<M, S>,
}

impl<M, S> ModelCommand<M, S> {
    /// The command whose calls `draw` draws, in states of the model in which it `is_open`.
    pub const fn new(is_open: fn(&M) -> bool, draw: fn(&M, &mut Source) -> ModelCall<M, S>) -> Self {
        ModelCommand { is_open, draw }
    }
}

/// A call with its arguments. For an example see [`ModelCommand`].
pub struct ModelCall<M, S> {
    name: &'static str,
    texts: Box<dyn Fn() -> Vec<String> + Send + Sync>,
    is_open: Box<dyn Fn(&M) -> bool + Send + Sync>,
    on_model: Box<OnModel<M>>,
    on_system: Box<OnSystem<S>>,
}

type OnModel<M> = dyn Fn(&mut M) -> Box<dyn Reply> + Send + Sync;
type OnSystem<S> = dyn Fn(&S) -> Box<dyn Reply> + Send + Sync;

impl<M: 'static, S: 'static> ModelCall<M, S> {
    /// A call with these arguments, their texts, whether the model allows it, and how it is made: on the model, and on the
    /// system. For an example see [`ModelCommand`].
    pub fn new<A, R>(
        args: A,
        texts: fn(&A) -> Vec<String>,
        is_open: fn(&M, &A) -> bool,
        on_model: fn(&mut M, A) -> R,
        on_system: fn(&S, A) -> R,
    ) -> Self
    where
        A: Clone + Send + Sync + 'static,
        R: PartialEq + Debug + Send + Sync + 'static,
    {
        let (for_texts, for_open, for_model) = (args.clone(), args.clone(), args.clone());
        ModelCall {
            name: "",
            texts: Box::new(move || texts(&for_texts)),
            is_open: Box::new(move |model| is_open(model, &for_open)),
            on_model: Box::new(move |model| Box::new(on_model(model, for_model.clone()))),
            on_system: Box::new(move |system| Box::new(on_system(system, args.clone()))),
        }
    }

    /// As it is written, such as `add(1)`.
    fn text(&self) -> String {
        let texts = (self.texts)();
        if texts.is_empty() { self.name.to_string() } else { format!("{}({})", self.name, texts.join(", ")) }
    }
}

/// What a call returned.
trait Reply: Any + Send + Sync {
    fn is_same(&self, other: &dyn Reply) -> bool;
    fn text(&self) -> String;
    fn as_any(&self) -> &dyn Any;
}

impl<R: PartialEq + Debug + Send + Sync + 'static> Reply for R {
    fn is_same(&self, other: &dyn Reply) -> bool {
        other.as_any().downcast_ref::<R>().is_some_and(|it| it == self)
    }

    fn text(&self) -> String {
        debug_text(self)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// A condition on a model and its system, which panics where it does not hold. For an example see
/// [`ModelTest::invariants`].
pub type Invariant<M, S> = fn(&M, &S);

/// A test of a system beside its model.
///
/// ```
/// use probity::prelude::*;
/// use probity::threads::{ArmSet, ModelCall, ModelCommand, ModelTest};
/// use std::sync::Mutex;
///
/// static NAMES: ArmSet = ArmSet::new(&["push"], &[1]);
/// static COMMANDS: [ModelCommand<usize, Mutex<Vec<u8>>>; 1] = [ModelCommand::new(
///     |_| true,
///     |_, src| ModelCall::new(
///         src.any::<u8>(),
///         |byte| vec![byte.to_string()],
///         |_, _| true,
///         |len, _| { *len += 1; *len },
///         |list, byte| { let mut list = list.lock().unwrap(); list.push(byte); list.len() },
///     ),
/// )];
///
/// let test = ModelTest::new(&NAMES, &COMMANDS, || 0, Mutex::default);
/// let test = test.steps(0..=10).calls(1..=3).compared_by(Some(|a, b| a == b)).real();
/// probity::Check::new("doc").cases(20).run(|src: &mut Source| test.in_sequence(src));
/// probity::Check::new("doc").cases(20).run(|src: &mut Source| test.in_parallel(src, 2));
/// ```
pub struct ModelTest<M: 'static, S: 'static> {
    names: &'static ArmSet,
    commands: &'static [ModelCommand<M, S>],
    invariants: &'static [Invariant<M, S>],
    model: fn() -> M,
    system: fn() -> S,
    is_same: Option<fn(&M, &M) -> bool>,
    steps: Lengths,
    calls: Lengths,
    is_real: bool,
    /// What `new` knows how to do, since it knows more of the types: so a type that lacks something is one error, there.
    in_sequence: fn(&Self, &mut Source),
    in_parallel: fn(&Self, &mut Source, usize),
    /// How many programs came to no point where threads can be switched; none from the first on that did.
    #[cfg(feature = "shuttle")]
    blind: std::cell::Cell<Option<u32>>,
}

impl<M, S> ModelTest<M, S> {
    /// What holds after each step.
    ///
    /// ```
    /// # use probity::prelude::*;
    /// # use probity::threads::{ArmSet, Invariant, ModelCall, ModelCommand, ModelTest};
    /// use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
    /// static NAMES: ArmSet = ArmSet::new(&["add"], &[1]);
    /// static COMMANDS: [ModelCommand<u64, AtomicU64>; 1] = [ModelCommand::new(
    ///     |_| true,
    ///     |_, _| ModelCall::new((), |_| vec![], |_, _| true, |n, ()| *n += 1, |n, ()| _ = n.fetch_add(1, SeqCst)),
    /// )];
    /// static INVARIANTS: [Invariant<u64, AtomicU64>; 1] = [|model, system| assert_eq!(*model, system.load(SeqCst))];
    /// let test = ModelTest::new(&NAMES, &COMMANDS, || 0, AtomicU64::default).invariants(&INVARIANTS);
    /// probity::Check::new("doc").cases(20).run(|src: &mut Source| test.in_sequence(src));
    /// ```
    pub fn invariants(mut self, invariants: &'static [Invariant<M, S>]) -> Self {
        self.invariants = invariants;
        self
    }

    /// How two states of the model are compared: then no order of calls is tried twice from the same state.
    pub fn compared_by(mut self, is_same: Option<fn(&M, &M) -> bool>) -> Self {
        self.is_same = is_same;
        self
    }

    /// How many calls a sequence has.
    pub fn steps(mut self, lengths: impl Into<Lengths>) -> Self {
        self.steps = lengths.into();
        self
    }

    /// How many calls each thread makes.
    pub fn calls(mut self, lengths: impl Into<Lengths>) -> Self {
        self.calls = lengths.into();
        self
    }

    /// Real threads, also where the feature `shuttle` is on.
    pub fn real(mut self) -> Self {
        self.is_real = true;
        self
    }

    /// One case: calls one after the other, whose results are those of the model.
    #[track_caller]
    pub fn in_sequence(&self, source: &mut Source) {
        (self.in_sequence)(self, source);
    }

    /// One case: some calls one after the other, then some on each of `threads` threads. There is an order of these that
    /// explains their results.
    #[track_caller]
    pub fn in_parallel(&self, source: &mut Source, threads: usize) {
        let most = threads.saturating_mul(self.calls.bounds().1 as usize);
        if threads < 2 || most > CALLS_MAX {
            probity_core::misuse(format!(
                "{threads} threads with up to {} calls each; let there be two threads or more, and at most {CALLS_MAX} calls",
                self.calls.bounds().1
            ));
        }
        (self.in_parallel)(self, source, threads);
    }
}

impl<M, S> ModelTest<M, S>
where
    M: Clone + Send + Sync + 'static,
    S: Send + Sync + 'static,
{
    /// The test with these commands. Every case begins with a new model and a new system.
    pub fn new(
        names: &'static ArmSet,
        commands: &'static [ModelCommand<M, S>],
        model: fn() -> M,
        system: fn() -> S,
    ) -> Self {
        ModelTest {
            names,
            commands,
            invariants: &[],
            model,
            system,
            is_same: None,
            steps: STEPS.into(),
            calls: CALLS.into(),
            is_real: false,
            in_sequence: Self::run_in_sequence,
            in_parallel: Self::run_in_parallel,
            #[cfg(feature = "shuttle")]
            blind: std::cell::Cell::new(Some(0)),
        }
    }

    fn run_in_sequence(&self, source: &mut Source) {
        let mut program = CallProgram::new(self.names, self.commands, (self.model)());
        program.draw_prefix(source, self.steps);
        if let Err(failure) = self.execute(&self.job(program), &[]) {
            fail_case(failure);
        }
    }

    fn run_in_parallel(&self, source: &mut Source, threads: usize) {
        let mut program = CallProgram::new(self.names, self.commands, (self.model)());
        program.draw_prefix_as_one(source, PREFIX.into());
        program.draw_threads(source, self.calls, threads);
        self.run_threads(source, &self.job(program));
    }

    fn job(&self, program: CallProgram<M, S>) -> Arc<Job<M, S>> {
        Arc::new(Job { program, system: self.system, invariants: self.invariants })
    }

    /// Runs one interleaving, and judges it.
    fn execute(&self, job: &Arc<Job<M, S>>, plan: &[Switch]) -> Result<Execution, Failure> {
        #[cfg(feature = "shuttle")]
        let execution = if self.is_real { real::run(job) } else { scheduled::run(job, plan) };
        #[cfg(not(feature = "shuttle"))]
        let (execution, _) = (real::run(job), plan.len());
        self.judge(&job.program, &execution)?;
        Ok(execution)
    }

    fn judge(&self, program: &CallProgram<M, S>, execution: &Execution) -> Result<(), Failure> {
        let failure = |what: &str, message: String| Failure {
            message,
            origin: Origin { kind: OriginKind::Model, place: what.to_string() },
        };
        match &execution.ending {
            Ending::Finished => {}
            Ending::CaseEnded => end_case(),
            Ending::Failed(it) => return Err(it.clone()),
            Ending::Stuck(what) => {
                return Err(failure(what, picture::stuck(what, program, execution)));
            }
        }
        if let Some(panic) = execution.events.iter().find_map(|it| it.reply.as_ref().err()) {
            return Err(failure(&panic.origin.to_string(), picture::panicked(panic, program, execution)));
        }
        let times: Vec<CallTime> = execution.events.iter().map(|it| it.time).collect();
        let agrees = &mut |model: &mut M, at: usize| {
            let event = &execution.events[at];
            let expected = (program.threads[event.thread][event.call].on_model)(model);
            event.reply.as_ref().is_ok_and(|it| it.is_same(&*expected))
        };
        match linearize(&times, &program.model, self.is_same, agrees) {
            Linearization::Order(_) => Ok(()),
            Linearization::Impossible(farthest) => {
                Err(failure(picture::NO_ORDER, picture::no_order(program, execution, &farthest)))
            }
            Linearization::Unknown => {
                context::assume(
                    false,
                    "too many orders of the calls to try; derive `PartialEq` for the model",
                );
                Ok(())
            }
        }
    }

    /// Runs the threads: in the interleaving that is drawn, or as it comes.
    fn run_threads(&self, source: &mut Source, job: &Arc<Job<M, S>>) {
        #[cfg(feature = "shuttle")]
        if !self.is_real {
            let drawn =
                source.draw_as("interruptions", |source: &mut Source| self.draw_interleaving(source, job));
            return drawn.conclude();
        }
        let _ = source;
        for _ in 0..real::TIMES {
            if let Err(failure) = self.execute(job, &[]) {
                fail_case(failure);
            }
        }
    }
}

/// Fails the case because a call did not return what the model says.
fn differs(name: &str, call: &str, actual: &str, expected: &str) -> ! {
    let message = format!("`{call}` returned {actual}, and the model says {expected}");
    let place = format!("`{name}` differs from the model");
    fail_case(Failure { message, origin: Origin { kind: OriginKind::Model, place } })
}

/// Compares what a call of the system returned with what the model says, and fails the case where that differs.
///
/// ```should_panic
/// use probity::prelude::*;
/// probity::Check::new("doc").store(false).run(|src: &mut Source| {
///     let n = src.draw(0..9);
///     probity::threads::compare("double", &(n + n), &(n * n));
/// });
/// ```
pub fn compare<R: PartialEq + Debug>(name: &str, actual: &R, expected: &R) {
    if actual != expected {
        differs(name, name, &debug_text(actual), &debug_text(expected));
    }
}

/// How two values are compared, where they can be: what `model` asks of the model's type.
#[doc(hidden)]
pub struct Compared<T>(std::marker::PhantomData<T>);

impl<T> Compared<T> {
    #[doc(hidden)]
    #[allow(clippy::new_without_default, reason = "only the macro makes one")]
    pub fn new() -> Self {
        Compared(std::marker::PhantomData)
    }
}

#[doc(hidden)]
pub trait ComparedByEq<T> {
    fn by(&self) -> Option<fn(&T, &T) -> bool>;
}

impl<T: PartialEq> ComparedByEq<T> for Compared<T> {
    fn by(&self) -> Option<fn(&T, &T) -> bool> {
        Some(T::eq)
    }
}

#[doc(hidden)]
pub trait NotCompared<T> {
    fn by(&self) -> Option<fn(&T, &T) -> bool> {
        None
    }
}

impl<T> NotCompared<T> for &Compared<T> {}

#[cfg(test)]
mod tests;
