//! Tables of calls: sequences of the public calls of a type, with arguments that are drawn or that earlier calls made,
//! and the laws of the traits it has. `#[probity::api]` and `api!` write the tables.

mod facts;
mod laws;

use std::any::Any;
use std::fmt;

pub use facts::{ResultProbe, TypeFacts, TypeProbe, probes};

use crate::unwind::{catch_panic, end_case, fail_case};
use crate::{ArmSet, Failure, Generator, Held, Origin, OriginKind, Pool, Source, context};
use laws::Breach;

/// How many calls a sequence has at most.
const CALLS_MAX: usize = 20;
/// How many values of a type are kept: laws are looked at for all triples of them.
const VALUES_MAX: usize = 5;

/// The calls of a type. `#[probity::api]` and `api!` make one.
///
/// ```
/// use probity_core::{ArmSet, CallTable, Random, Source, TableCall, run_calls, run_case};
/// static ARMS: ArmSet = ArmSet::new(&["new"], &[1]);
/// static TABLE: CallTable = CallTable {
///     name: "list",
///     ty: "Vec<u8>",
///     arms: &ARMS,
///     calls: &[TableCall { is_open: |_| true, run: |calls| {
///         let made = calls.call("Vec::new", None, "Vec::new()".to_string(), false, || Ok(Vec::<u8>::new()));
///         made.map(|it| calls.keep(it, "list", "", probity_core::facts!(Vec<u8>)))
///     } }],
/// };
/// let mut source = Source::new(Box::new(Random::new(7)));
/// let case = run_case(&mut source, &mut |src: &mut Source| run_calls(src, &TABLE)).unwrap();
/// assert!(case.verdict.failure().is_none());
/// ```
pub struct CallTable {
    /// What its values are called.
    pub name: &'static str,
    /// The type, as it was written.
    pub ty: &'static str,
    /// What the calls are called.
    pub arms: &'static ArmSet,
    /// The calls, as many.
    pub calls: &'static [TableCall],
}

/// One call of a table; see [`CallTable`].
///
/// ```
/// let call = probity_core::TableCall { is_open: |_| true, run: |_| None };
/// let _ = call.run;
/// ```
pub struct TableCall {
    /// Whether there is a value for each of its parameters.
    pub is_open: fn(&mut CallSequence<'_>) -> bool,
    /// Draws its arguments and calls it. `None` where the call panicked: nothing follows it.
    pub run: fn(&mut CallSequence<'_>) -> Option<()>,
}

/// Runs a sequence of the calls of `table`, and looks at the laws after each.
///
/// See [`CallTable`] for an example.
pub fn run_calls(source: &mut Source, table: &'static CallTable) {
    let mut steps = source.steps(..=CALLS_MAX);
    let mut calls = CallSequence { source, table, pools: Vec::new(), code: Vec::new() };
    let mut is_first = true;
    while steps.has_next() {
        let mut is_stuck = true;
        let shut = (0..).zip(table.calls).fold(0, |shut, (at, it)| {
            let is_open = (it.is_open)(&mut calls);
            is_stuck &= !is_open;
            shut | crate::shut_unless(is_open, at)
        });
        // Whatever is drawn, it begins so.
        if is_stuck && is_first {
            crate::misuse(format!(
                "no call of `{0}` can be made, since each takes a value that nothing makes; add a call that returns \
                 `{0}`, or derive `Generate` for the types of parameters",
                table.ty
            ));
        }
        is_first = false;
        let Some(at) = calls.source.next_step(&mut steps, table.arms, shut) else { break };
        if (table.calls[at].run)(&mut calls).is_none() {
            break;
        }
        calls.check_laws();
        steps.end_step();
    }
}

/// Where a method stands, with its first and its last line: a panic there is its own. See [`CallSequence`].
pub type MethodLines = (&'static str, u32, u32);

/// A sequence of calls that runs. This is what the macros write for `Vec::new` and `Vec::push`:
///
/// ```
/// use probity_core::{ArmSet, CallSequence, CallTable, MethodLines, Random, Source, TableCall};
/// use probity_core::{facts, run_calls, run_case};
/// fn new(calls: &mut CallSequence<'_>) -> Option<()> {
///     let made = calls.call("Vec::new", None, "Vec::new()".to_string(), false, || Ok(Vec::<u8>::new()))?;
///     Some(calls.keep(made, "list", "", facts!(Vec<u8>)))
/// }
/// // A panic on these lines is taken for a precondition.
/// const PUSH: MethodLines = ("src/list.rs", 10, 14);
/// fn push(calls: &mut CallSequence<'_>) -> Option<()> {
///     let mut list = calls.hold::<Vec<u8>>();
///     let n = calls.argument("n", &facts!(u8));
///     let code = calls.code(|| format!("{}.push({})", list.text(), n.text()));
///     calls.call("Vec::push", Some(PUSH), code, false, || Ok(list.value().push(n.into_value())))?;
///     Some(calls.put_back(list))
/// }
/// static ARMS: ArmSet = ArmSet::new(&["new", "push"], &[1, 1]);
/// static TABLE: CallTable = CallTable {
///     name: "list",
///     ty: "Vec<u8>",
///     arms: &ARMS,
///     calls: &[
///         TableCall { is_open: |_| true, run: new },
///         TableCall { is_open: |calls| calls.has::<Vec<u8>>(1) && calls.can_have(1, &facts!(u8)), run: push },
///     ],
/// };
/// let mut source = Source::new(Box::new(Random::at(7, 9)));
/// let case = run_case(&mut source, &mut |src: &mut Source| run_calls(src, &TABLE)).unwrap();
/// assert!(case.verdict.failure().is_none());
/// ```
pub struct CallSequence<'a> {
    source: &'a mut Source,
    table: &'static CallTable,
    /// The values that were made, by their types.
    pools: Vec<Box<dyn AnyPool>>,
    /// The calls as code, where the case is rendered.
    code: Vec<String>,
}

/// What is the same for the values of all types.
trait AnyPool {
    fn as_any(&mut self) -> &mut dyn Any;
    fn breach(&self) -> Option<Breach>;
    /// Lets go of the last value where one like it was there before.
    fn settle(&mut self);
}

struct PoolOf<T> {
    pool: Pool<T>,
    facts: TypeFacts<T>,
    /// Whether the last value is like an earlier one: laws are looked at with it, and then it is let go.
    has_twin: bool,
}

impl<T: 'static> AnyPool for PoolOf<T> {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn breach(&self) -> Option<Breach> {
        laws::breach(&self.facts, &self.pool)
    }

    fn settle(&mut self) {
        if std::mem::take(&mut self.has_twin) {
            self.pool.remove_last();
        }
    }
}

/// An argument of a call: drawn, or a value that an earlier call made.
///
/// ```
/// # use probity_core::CallArgument;
/// let mut argument = CallArgument::Drawn { value: 3, literal: "3".to_string() };
/// *argument.value() += 1; // a call that borrows it may change it
/// assert_eq!((argument.text(), argument.into_value()), ("3".to_string(), 4));
/// ```
pub enum CallArgument<T> {
    /// It was drawn, and is written so.
    Drawn {
        /// The value.
        value: T,
        /// It as Rust, where the case is rendered.
        literal: String,
    },
    /// It was taken out of the pool.
    Held(Held<T>),
}

impl<T> CallArgument<T> {
    /// The value, to be lent.
    pub fn value(&mut self) -> &mut T {
        match self {
            CallArgument::Drawn { value, .. } => value,
            CallArgument::Held(held) => &mut held.value,
        }
    }

    /// The value, to be given away.
    pub fn into_value(self) -> T {
        match self {
            CallArgument::Drawn { value, .. } => value,
            CallArgument::Held(held) => held.value,
        }
    }

    /// It as Rust.
    pub fn text(&self) -> String {
        match self {
            CallArgument::Drawn { literal, .. } => literal.clone(),
            CallArgument::Held(held) => format!("{held:?}"),
        }
    }
}

impl<T> fmt::Debug for CallArgument<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

/// Draws an argument; its text is made where somebody reads it.
struct ArgumentOf<'a, T> {
    facts: &'a TypeFacts<T>,
    generate: fn(&mut Source) -> T,
}

impl<T> Generator for ArgumentOf<'_, T> {
    type Value = CallArgument<T>;

    fn generate(&self, source: &mut Source) -> CallArgument<T> {
        let value = (self.generate)(source);
        let literal = if context::is_rendering() { self.facts.text(&value) } else { String::new() };
        CallArgument::Drawn { value, literal }
    }
}

impl CallSequence<'_> {
    /// Whether the pool of this type has `n` values, or its values are drawn.
    pub fn can_have<T: 'static>(&mut self, n: usize, facts: &TypeFacts<T>) -> bool {
        facts.generate.is_some() || self.has::<T>(n)
    }

    /// Whether the pool of this type has `n` values.
    pub fn has<T: 'static>(&mut self, n: usize) -> bool {
        self.pool::<T>().is_some_and(|it| it.pool.len() >= n)
    }

    /// A value for a parameter: drawn where its type has a generator, else one that an earlier call made.
    pub fn argument<T: 'static>(&mut self, name: &'static str, facts: &TypeFacts<T>) -> CallArgument<T> {
        match facts.generate {
            Some(generate) => self.source.draw_as(name, ArgumentOf { facts, generate }),
            None => self.hold(),
        }
    }

    /// A value that an earlier call made, taken out of the pool until it is [put back](CallSequence::put_back).
    pub fn hold<T: 'static>(&mut self) -> CallArgument<T> {
        let (pools, source) = (&mut self.pools, &mut *self.source);
        let pool = pools.iter_mut().find_map(|it| it.as_any().downcast_mut::<PoolOf<T>>());
        match pool {
            Some(it) => CallArgument::Held(source.draw(it.pool.hold())),
            None => {
                crate::misuse("internal error: a call without values for its parameters; please report it")
            }
        }
    }

    /// Puts an argument back that was only lent.
    pub fn put_back<T: 'static>(&mut self, argument: CallArgument<T>) {
        if let (CallArgument::Held(held), Some(it)) = (argument, self.pool::<T>()) {
            it.pool.put_back(held);
        }
    }

    /// A call as code, where the case is rendered.
    pub fn code(&self, make: impl FnOnce() -> String) -> String {
        if context::is_rendering() { make() } else { String::new() }
    }

    /// Calls a function. `None` where it panicked as it may: it `panics` by its documentation, or within its own `lines`,
    /// which is taken for a precondition and remarked once. Any other panic is a failure; so is none, where the
    /// documentation says that there is one, and an error, which is a law that is broken.
    pub fn call<T>(
        &mut self,
        name: &str,
        lines: Option<MethodLines>,
        code: String,
        panics: bool,
        call: impl FnOnce() -> Result<T, String>,
    ) -> Option<T> {
        if context::is_rendering() {
            self.code.push(code);
        }
        // The panic of the last run is the user's to see.
        let called = if context::is_last() { Ok(call()) } else { catch_panic(call) };
        match called {
            Err(None) => end_case(),
            Ok(Ok(_)) if panics => {
                self.note_code("#[should_panic]\n", &[]);
                self.fail(
                    format!("`{name}` does not panic, though it says that it does for these arguments"),
                    format!("`{name}`, which does not panic"),
                )
            }
            Ok(Ok(value)) => Some(value),
            Ok(Err(broken)) => {
                if let Some(code) = self.code.last_mut() {
                    *code = laws::size_hint_code(code);
                }
                self.note_code("", &[]);
                self.fail(broken, format!("the result of `{name}`"));
            }
            Err(Some(_)) if panics => None,
            Err(Some(failure)) if lines.is_some_and(|it| is_within(&failure.origin, it)) => {
                let place = &failure.origin.place;
                context::remark(format_args!("`{name}` panics at {place}: taken for a precondition"));
                None
            }
            Err(Some(failure)) => {
                self.note_code("", &[]);
                fail_case(failure)
            }
        }
    }

    /// Keeps a value that the last call made; where one like it is there, only until the laws were looked at. `unwrap` is what makes it of the result.
    pub fn keep<T: 'static>(&mut self, value: T, name: &'static str, unwrap: &str, facts: TypeFacts<T>) {
        if self.pool::<T>().is_none() {
            self.pools.push(Box::new(PoolOf { pool: Pool::new(name), facts, has_twin: false }));
        }
        let Some(PoolOf { pool, facts, has_twin }) = self.pool::<T>() else { return };
        if pool.len() >= VALUES_MAX {
            return;
        }
        *has_twin = pool.iter().any(|it| facts.are_alike(it, &value));
        let called = pool.next_name();
        pool.add(value);
        if let Some(code) = self.code.last_mut() {
            *code = format!("let mut {called} = {code}{unwrap}");
        }
    }

    fn pool<T: 'static>(&mut self) -> Option<&mut PoolOf<T>> {
        self.pools.iter_mut().find_map(|it| it.as_any().downcast_mut())
    }

    fn check_laws(&mut self) {
        let breach = self.pools.iter().find_map(|it| it.breach());
        if let Some(Breach { law, message, code }) = breach {
            self.note_code("", &code);
            self.fail(message, format!("the law of `{law}` for `{}`", self.table.ty));
        }
        self.pools.iter_mut().for_each(|it| it.settle());
    }

    fn fail(&mut self, message: String, place: String) -> ! {
        context::break_check(message.clone(), self.table.arms.location());
        fail_case(Failure { message, origin: Origin { kind: OriginKind::Check, place } })
    }

    /// Notes the calls as a test that can be pasted, with these attributes and these lines at its end.
    fn note_code(&self, attributes: &str, last: &[String]) {
        if !context::is_rendering() {
            return;
        }
        let mut text = format!("as a test:\n#[test]\n{attributes}fn {}_fails() {{\n", self.table.name);
        for line in self.code.iter().chain(last) {
            text.push_str("    ");
            text.push_str(line);
            text.push_str(";\n");
        }
        context::note(format_args!("{text}}}"));
    }
}

/// Whether a panic started within these lines.
fn is_within(origin: &Origin, (file, first, last): MethodLines) -> bool {
    let mut parts = origin.place.rsplitn(3, ':');
    let (_, line, path) = (parts.next(), parts.next(), parts.next());
    let line = line.and_then(|it| it.parse().ok());
    origin.kind == OriginKind::Panic
        && path == Some(file)
        && line.is_some_and(|it: u32| (first..=last).contains(&it))
}

#[cfg(test)]
mod tests;
