//! The language: programs that declare, specify, constrain and generate.

mod about;
mod call;
mod control;
mod data;
mod diagnostic;
mod inline;
mod interp;
mod names;
mod outline;
mod pattern;
mod program;
mod reader;
mod relation;
mod sort;
mod special;
mod terms;
mod types;
mod value;
mod words;

pub use diagnostic::{Diagnostic, Span, render_all};
pub(crate) use inline::Inline;
pub(crate) use interp::HELPED_MAX;
pub(crate) use types::{is_finite, plain};

use std::collections::BTreeMap;

use probity_spec::{Name, Request, Spec};

/// What a program or spec file asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// Its name: what it calls itself, or the file's name.
    pub name: Name,
    /// One for every `generate`.
    pub outlines: Vec<Outline>,
    /// The specs it names.
    pub specs: Vec<(Name, Spec)>,
}

/// A test outline: blanks, and how many inputs for them.
#[derive(Clone, Debug, PartialEq)]
pub struct Outline {
    /// What it is called.
    pub name: Name,
    /// What is asked for.
    pub request: Request,
}

/// Reads and evaluates a program. `load` gives the text of a table by its path. All mistakes are told, in the order
/// of the text.
///
/// ```
/// let text = "(declare age ?(Integer 0 150)) (generate ages 10 (constrain-solutions age (numeric-distance 10)))";
/// let program = probity_lang::read("ages.spec", text, &|_| Err("no files here".into())).unwrap();
/// let request = &program.outlines[0].request;
/// assert_eq!(request.spec.to_string(), "(object (age (int 0 150)))");
/// assert_eq!(request.difference.to_string(), "(relation (. it age) (numeric-distance 10))");
/// ```
pub fn read(
    file: &str,
    text: &str,
    load: &dyn Fn(&str) -> Result<String, String>,
) -> Result<Program, Vec<Diagnostic>> {
    check_length(text).map_err(|it| vec![it])?;
    let (forms, mut errors) = reader::forms(text);
    let Some(forms) = forms else { return Err(errors) };
    let mut tables = BTreeMap::new();
    for path in forms.iter().flat_map(program::tables) {
        tables.entry(path.clone()).or_insert_with(|| load(&path));
    }
    let evaluated = roomy(|| {
        let mut interp = interp::Interp::new(text, &tables);
        let program = program::evaluate(&mut interp, &forms, file);
        (program, std::mem::take(&mut interp.errors))
    });
    let (program, more) = evaluated.map_err(|it| vec![it])?;
    errors.extend(more);
    if errors.is_empty() {
        return Ok(program);
    }
    errors.sort_by_key(|it| it.span);
    errors.dedup_by(|a, b| a.span == b.span && a.message == b.message);
    Err(errors)
}

/// The longest program or spec file, in bytes: people write them, and what is made of one takes a hundred times as much.
const BYTES_MAX: usize = 4 << 20;
/// After this many mistakes the rest is not read.
pub(crate) const MISTAKES_MAX: usize = 10_000;

/// An error where a program or spec file is too long.
pub(crate) fn check_length(text: &str) -> Result<(), Diagnostic> {
    if text.len() <= BYTES_MAX {
        return Ok(());
    }
    let message = format!("this has {} bytes where {BYTES_MAX} are allowed", text.len());
    Err(Diagnostic::new(message, Span::default()).help("split it, or put what is data into tables"))
}

/// Says that nothing was read from there on.
pub(crate) fn too_many_mistakes(at: usize) -> Diagnostic {
    let message = format!("there are more than {MISTAKES_MAX} mistakes before this; the rest was not read");
    Diagnostic::new(message, Span { start: at, end: at + 1 })
}

/// Stack for evaluation, which recurses: measured, a debug build needs 25 KB for a call in a call at most, so that
/// the depth that is allowed fits twice.
const STACK: usize = 64 << 20;

/// Runs something on a stack of its own, so that how deep a program may recurse does not depend on the caller.
pub(crate) fn roomy<T: Send>(go: impl FnOnce() -> T + Send) -> Result<T, Diagnostic> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, go);
        let error =
            |it| Diagnostic::new(format!("cannot start a thread to read this: {it}"), Span::default());
        thread.map_err(error)?.join().map_err(|it| std::panic::resume_unwind(it))
    })
}
