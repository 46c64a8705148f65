//! Prepare and run: inputs that all differ are made once, kept, and run one after the other.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use probity_core::{Budget, Replay, Source, Value, run_case, search};
use probity_models::{Options, Total, check_within, generate};
use probity_spec::draw::Inputs;
use probity_spec::{Difference, Request, Spec};

use super::super::portfolio::{AfterStage, EngineKind, Stage};
use super::super::{Runner, hash, misuse_message, nothing_drawn};
use crate::events::{Event, Origins, Prepared};
use crate::store::{PreparedFile, fingerprint};

/// Which inputs, and what makes two of them different.
pub(crate) struct Different<'a> {
    pub(crate) inputs: Box<dyn Fn() -> Inputs + 'a>,
    pub(crate) difference: Box<dyn Fn(&Spec) -> Difference + 'a>,
}

/// Prepared inputs are made again by another version, which may draw them otherwise.
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// This many pairs of kept inputs are compared; of more, this many picked at random.
const COMPARED_MAX: u64 = 200_000;

/// Whether the test says what makes inputs different.
pub(in crate::run) fn are_declared(runner: &Runner<'_>) -> bool {
    runner.different.is_some()
}

/// Runs the test once with each of the inputs that differ.
pub(in crate::run) fn run(runner: &mut Runner<'_>, stage: &Stage) -> Result<AfterStage, String> {
    match runner.different.take() {
        Some(different) => runner.run_prepared(&different, stage),
        None => Ok(AfterStage::Stage),
    }
}

impl Runner<'_> {
    fn run_prepared(&mut self, different: &Different<'_>, stage: &Stage) -> Result<AfterStage, String> {
        let start = Instant::now();
        let (blanks, request) = self.request(different)?;
        // The same inputs each time, unless a seed is asked for: else none would be used again.
        let seed = self.settings.seed.unwrap_or_else(|| hash(self.name));
        let (spec, difference) = (request.spec.to_string(), request.difference.to_string());
        let texts = [VERSION, &spec, &difference, &request.n.to_string(), &seed.to_string()];
        let fingerprint = fingerprint(&texts);
        let path = self.store.is_some().then_some(self.settings.store.as_ref()).flatten();
        let path = path.map(|it| PreparedFile::path(it, self.name));
        let (known, origin) = self.known(path.as_ref(), &fingerprint, &blanks, &request);
        let file = match known {
            Some(file) => file,
            None => {
                let (inputs, total) = self.prepare(&blanks, &request, seed, start)?;
                PreparedFile { test: self.name.to_string(), fingerprint, total, inputs }
            }
        };
        let saved = path.map(|path| {
            let is_known = origin == Origins::Reused;
            let saved = if is_known { Ok(()) } else { file.save(&path).map_err(|err| err.to_string()) };
            (path, saved)
        });
        let (inputs, wanted) = (file.inputs.len(), self.settings.cases);
        let event = Prepared { inputs, wanted, total: file.total, origin, saved, time: start.elapsed() };
        self.reporters.tell(&Event::Prepared(Box::new(event)));
        self.run_each(file.inputs, stage)
    }

    /// The blanks and what is asked for. They are the user's code, and may be misuse_message.
    fn request(&self, different: &Different) -> Result<(Inputs, Request), String> {
        let mut made = None;
        run_case(&mut nothing_drawn(), &mut |_: &mut Source| {
            let blanks = (different.inputs)();
            let spec = blanks.spec();
            let difference = (different.difference)(&spec);
            made = Some((blanks, Request { spec, difference, n: self.settings.cases as usize }));
        })
        .map_err(misuse_message)?;
        made.ok_or_else(|| "the inputs cannot be declared; see the panic above".to_string())
    }

    /// The inputs that are kept, if they are what is asked for, and what to say of them.
    fn known(
        &self,
        path: Option<&PathBuf>,
        fingerprint: &str,
        blanks: &Inputs,
        request: &Request,
    ) -> (Option<PreparedFile>, Origins) {
        match path.map_or(Ok(None), |it| PreparedFile::load(it)) {
            Ok(None) => (None, Origins::New),
            Ok(Some(it)) if it.fingerprint == fingerprint && it.test == self.name => {
                match wrong_with(&it, blanks, request) {
                    None => (Some(it), Origins::Reused),
                    Some(reason) => (None, Origins::Damaged(reason)),
                }
            }
            Ok(Some(_)) => (None, Origins::Changed),
            Err(reason) => (None, Origins::Damaged(reason)),
        }
    }

    /// Makes inputs that differ, as answers, and says how many there are where they are fewer than wanted.
    fn prepare(
        &self,
        blanks: &Inputs,
        request: &Request,
        seed: u64,
        start: Instant,
    ) -> Result<(Vec<Vec<Value>>, Option<String>), String> {
        let time = self.settings.time;
        let stop = || start.elapsed() >= time;
        let options = Options { seed, stop: &stop, ..Options::default() };
        let (mut inputs, mut lost) = (Vec::new(), None);
        let generated = generate(request, &options, &mut |model| {
            match blanks.answers(&model.value) {
                Some(choices) => inputs.push(choices),
                None => lost = Some(model.value),
            }
            ControlFlow::Continue(())
        });
        let generated = generated.map_err(|err| err.0)?;
        if let Some(value) = lost {
            return Err(format!(
                "an input is larger than those that are drawn: {value}; bound the lengths of its lists and texts"
            ));
        }
        if inputs.is_empty() {
            return Err(match generated.total {
                Total::AtLeast(_, why) => {
                    format!("no input could be prepared: {why}; declare simpler inputs")
                }
                _ => "no input meets what is declared; relax a requirement".to_string(),
            });
        }
        let total = (inputs.len() < request.n).then(|| match generated.total {
            Total::Exactly(n) if n == inputs.len().into() => format!("exactly {n} inputs that differ exist"),
            Total::Exactly(n) => format!("{n} inputs that differ exist"),
            Total::Infinite => "more exist".to_string(),
            Total::AtLeast(n, why) => format!("at least {n} inputs that differ exist; {why}"),
        });
        Ok((inputs, total))
    }

    fn run_each(&mut self, inputs: Vec<Vec<Value>>, stage: &Stage) -> Result<AfterStage, String> {
        let start = Instant::now();
        let (time, max_rejects) = (stage.time(self.settings), self.settings.max_rejects);
        self.state.wanted = Some(inputs.len() as u64);
        let result = self.search(Box::new(|test, progress| {
            let mut go_on = |_| start.elapsed() < time;
            let (cases, rejects) = (inputs.len() as u64, max_rejects.into());
            let begun = Arc::clone(&progress);
            // A test that draws more than its blanks has the simplest of it.
            let engine =
                Replay::each(inputs.into_iter().inspect(move |it| begun.begin_replay(Some(it.clone()))));
            let budget = Budget { cases, rejects, go_on: &mut go_on, progress };
            search(Box::new(engine), test, budget)
        }));
        self.progress.begin_replay(None);
        self.state.set(EngineKind::Prepared, result?, start.elapsed());
        Ok(AfterStage::Verdict)
    }
}

/// What is wrong with inputs that were kept: they may have been changed since, checksum and all.
fn wrong_with(file: &PreparedFile, blanks: &Inputs, request: &Request) -> Option<String> {
    if file.inputs.len() > request.n {
        return Some(format!("it has {} inputs where {} are wanted", file.inputs.len(), request.n));
    }
    let mut values = Vec::new();
    for (at, choices) in file.inputs.iter().enumerate() {
        match blanks.value(choices) {
            Some(value) => values.push(value),
            None => return Some(format!("its input {} is none of those that are declared", at + 1)),
        }
    }
    let report = check_within(request, &values, COMPARED_MAX);
    if let Some((at, what)) = report.violations.first() {
        return Some(format!("its input {} is none of those that are declared: {what}", at + 1));
    }
    let (one, two) = report.same.first()?;
    Some(format!("its inputs {} and {} do not differ as is declared", one + 1, two + 1))
}
