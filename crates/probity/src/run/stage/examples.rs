//! The fixed inputs of a test, each run once.

use probity_core::{Source, Verdict, render_case, run_case, run_uncaught};

use super::super::portfolio::{AfterStage, Stage};
use super::super::reproduce::{Again, describe_verdict, raises_itself};
use super::super::{Example, Runner, misuse_message, nothing_drawn};
use crate::events::{Event, FoundBy};
use crate::isolate::IsolatedTest;
use crate::watchdog::Watched;

pub(in crate::run) fn run(runner: &mut Runner<'_>, _: &Stage) -> Result<AfterStage, String> {
    for example in std::mem::take(&mut runner.examples) {
        let _watchdog = runner.watch(Watched::Example(example.0));
        runner.example(example)?;
    }
    Ok(AfterStage::Stage)
}

impl Runner<'_> {
    fn example(&mut self, (text, mut run): Example<'_>) -> Result<(), String> {
        let mut test = |_: &mut Source| run();
        let case = match self.isolated() {
            Some(it) => render_case(&mut nothing_drawn(), &mut IsolatedTest::new(&mut test, it)),
            None => render_case(&mut nothing_drawn(), &mut test),
        };
        let case = case.map_err(misuse_message)?;
        match case.verdict.clone() {
            Verdict::Pass | Verdict::Skipped => Ok(()),
            Verdict::Reject(site) => Err(format!(
                "the example `{text}` does not meet `{}` at {}; correct the example or remove it",
                site.what, site.location
            )),
            Verdict::Overrun => Err(format!("the example `{text}` draws choices; give fixed values")),
            Verdict::Fail(failure) => {
                let mut failed = self.failed(FoundBy::Example(text.to_string()), &case, failure.clone());
                if raises_itself(&failed) {
                    let again = run_case(&mut nothing_drawn(), &mut test).map_err(misuse_message)?;
                    if let Again::Otherwise(_) = Again::new(&failure, &again.verdict) {
                        failed.again = Some(describe_verdict(&again.verdict));
                    }
                }
                let raises_itself = raises_itself(&failed);
                self.reporters.tell(&Event::Failed(Box::new(failed)));
                if raises_itself {
                    let _showing = self.quiet.as_ref().map(|it| it.show());
                    run_uncaught(&mut nothing_drawn(), &mut test);
                }
                Err(failure.message)
            }
        }
    }
}
