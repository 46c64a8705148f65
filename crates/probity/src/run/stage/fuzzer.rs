//! Another fuzzer that runs the test, and inputs as bytes: what one has found, and what ours has kept.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use probity_core::{
    Budget, ByteReplay, Case, Domain, Ended, Engine, Source, Stop, Trace, Value, Verdict, run_case, search,
};

use super::super::portfolio::{AfterStage, Stage};
use super::super::{Runner, misuse_message, replay_of};
use super::pace::is_within;
use crate::corpus::CorpusFolder;
use crate::fuzzer::{self, HandedTest};

/// Hands the test over. It does not come back, but where nobody is there to take it.
pub(in crate::run) fn run(runner: &mut Runner<'_>, _: &Stage) -> Result<AfterStage, String> {
    let Runner { name, inputs, .. } = *runner;
    fuzzer::drive(HandedTest { name, test: runner.test, inputs })?;
    Ok(AfterStage::End)
}

/// Runs the inputs that are given as bytes, and no others; and writes the corpus as bytes, if it is to be.
pub(in crate::run) fn files(runner: &mut Runner<'_>, stage: &Stage) -> Result<AfterStage, String> {
    let corpus = CorpusFolder::of(&runner.settings.corpus, runner.name);
    let start = Instant::now();
    let (made_by, files) = fuzzer::files()?;
    let (time, cases) = (stage.time(runner.settings), files.len() as u64);
    if !files.is_empty() {
        let (names, files) = files.into_iter().unzip::<_, _, Vec<_>, Vec<_>>();
        let kept = corpus.clone().zip(fuzzer::kept());
        let engine = FileReplay { replay: ByteReplay::each(files), names: names.into_iter(), kept };
        let result = runner.search(Box::new(|test, progress| {
            let watched = Arc::clone(&progress);
            let mut go_on = |ran| is_within(time, start, ran, &watched);
            let budget = Budget { cases, rejects: u64::MAX, go_on: &mut go_on, progress };
            search(Box::new(engine), test, budget)
        }))?;
        runner.state.set(made_by, result, start.elapsed());
        runner.state.wanted = Some(cases);
    }
    if let (Some(to), Some(corpus)) = (fuzzer::written_to(), corpus) {
        write(runner, corpus, &to)?;
    }
    match runner.state.result.failures.is_empty() {
        true => Ok(AfterStage::End),
        false => runner.conclude().map(|()| AfterStage::End),
    }
}

/// Writes each case of the corpus as bytes, under its own name. What is there already is left alone.
fn write(runner: &mut Runner<'_>, mut corpus: CorpusFolder, to: &Path) -> Result<(), String> {
    let failed = |err: std::io::Error| format!("cannot write to `{}`: {err}", to.display());
    std::fs::create_dir_all(to).map_err(failed)?;
    for values in corpus.load().cases {
        let path = corpus.save(&values).map_err(|err| err.to_string())?; // it is there
        let file = to.join(path.file_stem().unwrap_or_default());
        if file.exists() {
            continue;
        }
        let case = match runner.inputs {
            Some(inputs) => run_case(&mut replay_of(values), &mut |src: &mut Source| inputs(src))
                .map_err(misuse_message)?,
            None => runner.run_values(values)?,
        };
        std::fs::write(file, case.trace.to_bytes()).map_err(failed)?;
    }
    Ok(())
}

/// Replays bytes, and keeps the cases that pass, where they are to be kept: at once, since the search may run in a copy.
struct FileReplay {
    replay: ByteReplay,
    /// What the files are called that are still to be run.
    names: std::vec::IntoIter<String>,
    /// The corpus, and where it is written down which case came of which file.
    kept: Option<(CorpusFolder, PathBuf)>,
}

impl FileReplay {
    fn keep(corpus: &mut CorpusFolder, list: &Path, values: &[Value], name: &str) -> std::io::Result<()> {
        let path = corpus.save(values)?;
        let case = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let mut list = std::fs::OpenOptions::new().create(true).append(true).open(list)?;
        writeln!(list, "{case}\t{name}")
    }
}

impl Engine for FileReplay {
    fn begin(&mut self) -> Result<(), Ended> {
        self.replay.begin()
    }

    fn answer(&mut self, domain: &Domain, so_far: &Trace) -> Result<Value, Stop> {
        self.replay.answer(domain, so_far)
    }

    fn end(&mut self, case: &Case) {
        self.replay.end(case);
        let name = self.names.next().unwrap_or_default();
        if case.verdict == Verdict::Pass
            && let Some((corpus, list)) = &mut self.kept
        {
            // What is not kept is found again.
            let _ = Self::keep(corpus, list, &case.trace.values(), &name);
        }
    }
}
