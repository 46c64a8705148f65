//! `probity generate`: inputs of outlines, written as they come.

use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use probity_lang::Outline;
use probity_lang::json::Spacing;
use probity_models::{Encoding, Generated, Options, RequestError, SolverChoice, Total, generate};

use probity_spec::Request;

use crate::args::{self, Args};
use crate::exit::{CommandError, Exit};
use crate::format::FormatKind;
use crate::input;
use crate::output::{Document, Target};
use crate::solver;
use crate::watch::WatchedWork;

/// When no further input came for so long, an outline is given up.
const TIMEOUT_MILLIS: u64 = 5_000;
/// A class that is always there.
const CLASS: &str = "java.lang.String";

/// How to go about it: what `generate` and `count` share.
pub(crate) struct GenerateSettings {
    seed: u64,
    solver: SolverChoice,
    encoding: Encoding,
    pub(crate) millis: u64,
    plan: bool,
    depth: Option<u32>,
}

impl GenerateSettings {
    /// Reads the options.
    pub(crate) fn new(args: &Args) -> Result<GenerateSettings, CommandError> {
        let ways = [
            ("auto", Encoding::Auto),
            ("one-at-a-time", Encoding::OneAtATime),
            ("distinct", Encoding::Distinct),
            ("all-at-once", Encoding::AllAtOnce),
        ];
        let transcript = args.os("transcript").map(PathBuf::from);
        Ok(GenerateSettings {
            seed: args.value("seed", args::number)?.unwrap_or(0),
            encoding: args.value("encoding", |it| args::one_of(it, &ways))?.unwrap_or(Encoding::Auto),
            millis: args.value("timeout", args::millis)?.unwrap_or(TIMEOUT_MILLIS),
            plan: !args.has("no-plan"),
            depth: args.value("depth", args::number)?.map(|it| u32::try_from(it).unwrap_or(u32::MAX)),
            solver: solver::choose(args.os("solver").map(|it| &**it), transcript)?,
        })
    }

    /// Whether these outlines can be done in one go.
    pub(crate) fn fits(&self, wanted: &[Outline]) -> Result<(), String> {
        match &self.solver {
            SolverChoice::Smt { transcript: Some(_), .. } => {
                one_only("a transcript holds one conversation", wanted)
            }
            _ => Ok(()),
        }
    }

    /// For the library, which asks `stop` now and then.
    pub(crate) fn options<'a>(&self, stop: &'a dyn Fn() -> bool) -> Options<'a> {
        Options {
            seed: self.seed,
            solver: self.solver.clone(),
            encoding: self.encoding,
            millis: self.millis,
            stop,
            plan: self.plan,
        }
    }

    /// A request whose recursive types are as deep as was asked for.
    pub(crate) fn request(&self, request: Request) -> Request {
        match self.depth {
            Some(depth) => Request { spec: request.spec.all_within(depth), ..request },
            None => request,
        }
    }

    /// What a request that cannot be met comes to: with a program as the solver, that may be the reason.
    pub(crate) fn failure(&self, outline: &str, err: &RequestError) -> CommandError {
        let exit = if self.solver == SolverChoice::Builtin { Exit::Misuse } else { Exit::Unknown };
        CommandError { exit, text: format!("`{outline}`: {}", err.0) }
    }

    /// The time limit as people write it.
    pub(crate) fn limit(&self) -> String {
        if self.millis.is_multiple_of(1000) {
            format!("{} s", self.millis / 1000)
        } else {
            format!("{} ms", self.millis)
        }
    }
}

/// Runs the command.
pub(crate) fn run(args: &Args, watch: &WatchedWork) -> Result<Exit, CommandError> {
    let how = GenerateSettings::new(args)?;
    let n = args.value("n", args::number)?;
    let kind = args.value("format", |it| args::one_of(it, &FormatKind::NAMES))?.unwrap_or(FormatKind::Json);
    let program = input::program(&args.words[0])?;
    let mut wanted = input::outlines(&program, args.word(1).as_deref())?;
    for it in &mut wanted {
        it.request = how.request(it.request.clone());
        it.request.n = n.map_or(it.request.n, |it| usize::try_from(it).unwrap_or(usize::MAX));
    }
    how.fits(&wanted)?;
    if kind == FormatKind::Csv {
        one_only("csv holds one table", &wanted)?;
    }
    let output = args.os("output").map(Path::new).filter(|it| *it != Path::new("-"));
    let class = args.os("class").map_or(CLASS.into(), |it| it.to_string_lossy());
    let format = kind.format(wanted.len() > 1, &class);
    let written = output.map_or_else(|| Ok(Target::stdout()), |it| target(it, args)).and_then(|target| {
        *watch.document() = Some(Document::new(target, format));
        write(&how, &wanted, args.has("explain"), watch)
    });
    match written {
        Ok(res) => res,
        // Anyone who reads it has read enough.
        Err(err) if output.is_none() && err.kind() == io::ErrorKind::BrokenPipe => Ok(Exit::Done),
        Err(err) => {
            let name = output.map_or("the standard output".to_string(), |it| format!("`{}`", it.display()));
            Err(format!("cannot write {name}: {err}; choose another place with -o").into())
        }
    }
}

/// Refuses several outlines.
fn one_only(why: &str, wanted: &[Outline]) -> Result<(), String> {
    let names: Vec<&str> = wanted.iter().map(|it| &*it.name).collect();
    let several = || format!("{why}; name one of the outlines: {}", names.join(", "));
    if names.len() > 1 { Err(several()) } else { Ok(()) }
}

/// Fills the document and completes it. The outer error is of the output, the inner one of a request.
fn write(
    how: &GenerateSettings,
    wanted: &[Outline],
    explain: bool,
    watch: &WatchedWork,
) -> io::Result<Result<Exit, CommandError>> {
    let mut exit = Exit::Done;
    for it in wanted {
        match outline(it, how, explain, watch)? {
            Ok(how_it_went) => exit = exit.max(how_it_went),
            Err(failure) => {
                watch.document().take().map_or(Ok(()), Document::give_up)?;
                return Ok(Err(failure));
            }
        }
        if watch.signalled().is_some() {
            break;
        }
    }
    watch.document().take().map_or(Ok(()), Document::finish)?;
    Ok(Ok(exit))
}

/// Opens a file that is not the one being read.
fn target(path: &Path, args: &Args) -> io::Result<Target> {
    let same = |read: &std::ffi::OsString| {
        let (read, path) = (Path::new(read).canonicalize(), path.canonicalize());
        read.is_ok_and(|read| path.is_ok_and(|path| read == path && path.is_file()))
    };
    if args.words.first().is_some_and(same) {
        return Err(io::Error::other("it is the file that is read"));
    }
    Target::file(path)
}

/// Writes the inputs of one outline, and says what there is to say about them.
fn outline(
    wanted: &Outline,
    how: &GenerateSettings,
    explain: bool,
    watch: &WatchedWork,
) -> io::Result<Result<Exit, CommandError>> {
    let Outline { name, request } = wanted;
    with(watch, |it| {
        it.begin(name, &request.spec);
        Ok(())
    })?;
    watch.expect(request.n as u64);
    watch.look(how.millis);
    let stop = || watch.stop();
    let mut written = Ok(());
    let res = generate(request, &how.options(&stop), &mut |model| {
        watch.rest();
        watch.came();
        let spacing = Spacing::of(request, &model).unwrap_or(Spacing::None);
        written = with(watch, |it| it.input(&model.value, spacing));
        watch.look(how.millis);
        let go_on = written.is_ok() && watch.signalled().is_none();
        if go_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    watch.rest();
    written?;
    let generated = match res {
        Ok(generated) => generated,
        Err(err) => return Ok(Err(how.failure(name, &err))),
    };
    with(watch, Document::end)?;
    if explain {
        let lines: Vec<String> = generated.explanation.iter().map(|it| format!("  {it}")).collect();
        watch.console.plain(&format!("plan of `{name}`:\n{}", lines.join("\n")));
    }
    if generated.models >= request.n {
        return Ok(Ok(Exit::Done));
    }
    let (exit, what) = fewer(&generated, request.n, how, watch);
    watch.console.note(&format!("`{name}`: {what}"));
    Ok(Ok(exit))
}

/// What is known when there are fewer inputs than asked for.
fn fewer(generated: &Generated, n: usize, how: &GenerateSettings, watch: &WatchedWork) -> (Exit, String) {
    let models = generated.models;
    let known = match &generated.total {
        Total::AtLeast(total, _) => total.clone(),
        _ => models.into(),
    };
    let found =
        if known == 0_u32.into() { "none was found".to_string() } else { format!("at least {known} exist") };
    match &generated.total {
        _ if watch.signalled().is_some() => (Exit::Done, format!("interrupted after {models} of {n} inputs")),
        Total::Exactly(total) if *total == 0_u32.into() => {
            (Exit::Violation, "no input satisfies it; loosen what it requires".to_string())
        }
        Total::Exactly(total) if *total == models.into() => {
            (Exit::Fewer, format!("exactly {total} exist; {n} were asked for"))
        }
        _ if watch.is_late() => {
            let limit = how.limit();
            (Exit::Unknown, format!("{found}; stopped after {limit}; give it more with --timeout"))
        }
        Total::AtLeast(_, why) => (Exit::Unknown, format!("{found}; {why}")),
        Total::Exactly(_) | Total::Infinite => {
            (Exit::Unknown, format!("{models} of {n} were found, and there are more"))
        }
    }
}

/// Does something with the document.
fn with(watch: &WatchedWork, write: impl FnOnce(&mut Document) -> io::Result<()>) -> io::Result<()> {
    watch.document().as_mut().map_or(Ok(()), write)
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    /// Notes for each time that it reads whether somebody's clock runs meanwhile.
    struct Reader(&'static WatchedWork, Arc<Mutex<Vec<bool>>>);

    impl io::Write for Reader {
        fn write(&mut self, text: &[u8]) -> io::Result<usize> {
            self.1.lock().unwrap().push(self.0.is_timed());
            Ok(text.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn the_clock_stands_still_while_somebody_reads() {
        let text = "(program many (generate all 20000 (declare n ?Integer) (specify n (gte 0))))";
        let program = probity_lang::read("many", text, &|_| Err("no tables".to_string())).unwrap();
        let wanted = input::outlines(&program, None).unwrap();
        let how = GenerateSettings {
            seed: 0,
            solver: SolverChoice::Builtin,
            encoding: Encoding::Auto,
            millis: 3_600_000,
            plan: true,
            depth: None,
        };
        let watch: &'static WatchedWork = Box::leak(Box::new(WatchedWork::new()));
        let timed = Arc::<Mutex<Vec<bool>>>::default();
        let target = Target::reader(Box::new(Reader(watch, timed.clone())));
        *watch.document() = Some(Document::new(target, FormatKind::Ndjson.format(false, CLASS)));
        assert!(matches!(write(&how, &wanted, false, watch), Ok(Ok(Exit::Done))));
        let timed = timed.lock().unwrap();
        assert!(timed.len() > 5 && timed.iter().all(|it| !it), "{timed:?}");
    }
}
