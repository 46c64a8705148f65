//! `probity count`: how many inputs there are of which every pair differs.

use std::io::{self, Write};

use probity_models::{Total, count};

use crate::args::Args;
use crate::exit::{CommandError, Exit};
use crate::generate::GenerateSettings;
use crate::input;
use crate::watch::WatchedWork;

/// Runs the command.
pub(crate) fn run(args: &Args, watch: &WatchedWork) -> Result<Exit, CommandError> {
    let how = GenerateSettings::new(args)?;
    let program = input::program(&args.words[0])?;
    let wanted = input::outlines(&program, args.word(1).as_deref())?;
    how.fits(&wanted)?;
    let mut exit = Exit::Done;
    for it in &wanted {
        watch.expect(0);
        watch.look(how.millis);
        let stop = || watch.stop();
        let total = count(&how.request(it.request.clone()), &how.options(&stop));
        watch.rest();
        let total = total.map_err(|err| how.failure(&it.name, &err))?;
        let text = match &total {
            Total::Exactly(n) => n.to_string(),
            Total::Infinite => "infinite".to_string(),
            Total::AtLeast(n, _) => format!("at least {n}"),
        };
        if let Total::AtLeast(_, why) = &total {
            let why = if watch.is_late() { format!("stopped after {}", how.limit()) } else { why.clone() };
            watch.console.note(&format!("`{}`: there may be more; {why}", it.name));
            exit = exit.max(Exit::Unknown);
        }
        let line = if wanted.len() > 1 { format!("{}: {text}\n", it.name) } else { format!("{text}\n") };
        if io::stdout().write_all(line.as_bytes()).is_err() || watch.signalled().is_some() {
            break;
        }
    }
    Ok(exit)
}
