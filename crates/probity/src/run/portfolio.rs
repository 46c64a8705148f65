//! Which stages a run has, in which order, with which budget.
//!
//! A new engine is a file in `stage/` and a line here.

use std::fmt;
use std::mem::discriminant;
use std::time::{Duration, Instant};

use probity_core::{Ended, Evidence, SearchResult, Share, Tally, Value};

use self::EngineKind::{Auto, Concolic, Coverage, Exhaustive, Own, Random, Targeted};
use super::Runner;
use super::stage::{
    concolic, coverage, examples, fuzzer, goals, own, prepared, replay, sample, stored, walk,
};
use crate::find::Best;
use crate::settings::{CampaignMode, Key, ProofGoal, Settings};
use crate::store::Store;
use crate::watchdog::Watched;

/// Before anything is searched: fixed inputs, and what is asked for instead of a search.
#[rustfmt::skip] // a table
const FIXED: [Stage; 4] = [
    //    name        engines  when     time                  cases         run
    stage("examples", ANY, has_examples, TimeLimit::Unlimited, Cases::Given, examples::run),
    stage("replay",   ANY, is_replay,    TimeLimit::Unlimited, Cases::Given, replay::run),
    stage("fuzzer",   ANY, is_fuzzed,    TimeLimit::Unlimited, Cases::Given, fuzzer::run),
    stage("bytes",    ANY, has_bytes,    TimeLimit::Unlimited, Cases::Given, fuzzer::files),
];
/// The search. Its first failure ends it, and so does a stage after which nothing is left.
#[rustfmt::skip] // a table
const SEARCH: [Stage; 13] = [
    //    name           engines            when                    time                  cases                  run
    stage("stored",      ANY,               may_have_stored,        TimeLimit::Unlimited, Cases::Given,          stored::run),
    stage("prepared",    &[Auto],           has_prepared,           TimeLimit::Whole,     Cases::Given,          prepared::run),
    stage("few inputs",  &[Auto],           is_first_part,          TimeLimit::Part(5),   Cases::Times(100),     walk::few),
    stage("small",       &[Auto],           has_several,            TimeLimit::Part(5),   Cases::AtMost(10_000), walk::smallest),
    stage("own engine",  &[Own("")],        always,                 TimeLimit::Whole,     Cases::Wanted,         own::run),
    stage("every input", &[Exhaustive],     always,                 TimeLimit::Whole,     Cases::Any,            walk::every),
    stage("random",      &[Random],         always,                 TimeLimit::Whole,     Cases::Wanted,         sample::random),
    stage("sample",      &[Auto, Targeted], always,                 TimeLimit::Whole,     Cases::Wanted,         sample::run),
    stage("scored",      &[Auto],           are_few_scored,         TimeLimit::Part(5),   Cases::Times(100),     walk::rest),
    stage("concolic",    &[Concolic],       always,                 TimeLimit::Whole,     Cases::Any,            concolic::run),
    stage("coverage",    &[Coverage],       always,                 TimeLimit::Whole,     Cases::Any,            coverage::run),
    stage("share",       &[Auto],           has_share,              TimeLimit::Granted,   Cases::Any,            concolic::share),
    stage("near",        &[Auto],           has_share,              TimeLimit::Granted,   Cases::AtMost(1_000),  coverage::share),
];
/// After it, where it found nothing.
#[rustfmt::skip] // a table
const PROOF: Stage =
    stage("proof",       PROVING,           is_to_be_proved,        TimeLimit::Whole,     Cases::Any,            concolic::prove);
/// Whatever engine is asked for.
const ANY: &[EngineKind] = &[Auto, Random, Exhaustive, Targeted, Concolic, Coverage, Own("")];

/// The concolic engine proves what it can without being asked again.
const PROVING: &[EngineKind] = &[Auto, Random, Exhaustive, Targeted, Coverage, Own("")];

fn always(_: &Runner<'_>) -> bool {
    true
}

/// Whether it is the first of several runs that share their cases, or there are no others: inputs that are not random are
/// for that one.
fn is_first_part(runner: &Runner<'_>) -> bool {
    runner.seed.part.is_none_or(|it| it.is_first())
}

fn has_examples(runner: &Runner<'_>) -> bool {
    !runner.examples.is_empty() && is_first_part(runner)
}

fn has_prepared(runner: &Runner<'_>) -> bool {
    prepared::are_declared(runner) && is_first_part(runner)
}

fn is_replay(runner: &Runner<'_>) -> bool {
    runner.settings.replay.is_some()
}

fn is_fuzzed(runner: &Runner<'_>) -> bool {
    crate::fuzzer::is_asked() && !runner.inner
}

fn has_bytes(runner: &Runner<'_>) -> bool {
    crate::fuzzer::has_files() && !runner.inner
}

/// Whether there is a folder for failures, or something is wrong with it. In a campaign they are known.
fn may_have_stored(runner: &Runner<'_>) -> bool {
    let has_folder = |store: &Store| !matches!(store.folder().try_exists(), Ok(false));
    let is_known = runner.settings.campaign != CampaignMode::Off;
    !is_known && runner.store.as_ref().is_some_and(has_folder) && is_first_part(runner)
}

/// Whether it is no part of another test's case, which would run it as often again, and more is wanted than the simplest
/// case, which random ones begin with.
fn has_several(runner: &Runner<'_>) -> bool {
    !runner.inner && runner.settings.cases > 1 && is_first_part(runner)
}

/// Whether there are few inputs, and they have scores that were climbed first.
fn are_few_scored(runner: &Runner<'_>) -> bool {
    runner.state.is_scored
}

fn has_share(runner: &Runner<'_>) -> bool {
    let is_off = runner.settings.concolic.is_none() || is_to_be_proved(runner);
    !is_off && !runner.inner && !runner.should_panic
}

/// Whether a proof is asked for. It takes the place of the engine's share.
fn is_to_be_proved(runner: &Runner<'_>) -> bool {
    let is_asked = runner.settings.prove != ProofGoal::Off;
    is_asked && !runner.inner && !runner.should_panic && is_first_part(runner)
}

/// The engine that a run is asked for, or that found something.
///
/// ```
/// use probity::EngineKind;
/// assert_eq!(EngineKind::Exhaustive.to_string(), "exhaustive");
/// assert_eq!(EngineKind::named("targeted"), Some(EngineKind::Targeted));
/// assert_eq!(EngineKind::named("luck"), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EngineKind {
    /// The default: every engine has its part.
    Auto,
    /// Samples inputs.
    Random,
    /// Visits every input, the smallest first.
    Exhaustive,
    /// Climbs by the scores of the test.
    Targeted,
    /// Solves for the branches that were not taken.
    Concolic,
    /// Keeps cases that reach new code, and varies them.
    Coverage,
    /// Runs inputs that were prepared so that they all differ. A test asks for it by `different`.
    Prepared,
    /// An engine that the test brings, by its name; see [`Check::answered_by`](crate::Check::answered_by).
    Own(&'static str),
}

impl EngineKind {
    /// Those that `engine` can ask for.
    pub const NAMED: [EngineKind; 6] = [Auto, Random, Exhaustive, Targeted, Concolic, Coverage];

    /// The engine of this name, if `engine` can ask for it.
    pub fn named(name: &str) -> Option<EngineKind> {
        EngineKind::NAMED.into_iter().find(|it| it.name() == name)
    }

    /// Its name in settings, reports and events.
    ///
    /// ```
    /// assert_eq!(probity::EngineKind::Auto.name(), "auto");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Auto => "auto",
            Random => "random",
            Exhaustive => "exhaustive",
            Targeted => "targeted",
            Concolic => "concolic",
            Coverage => "coverage",
            EngineKind::Prepared => "prepared",
            Own(name) => name,
        }
    }
}

impl fmt::Display for EngineKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One stage of a run.
pub(super) struct Stage {
    #[cfg_attr(not(test), allow(dead_code, reason = "for readers of the table, and its tests"))]
    name: &'static str,
    /// It is a part of runs that ask for one of these.
    engines: &'static [EngineKind],
    /// Whether it has anything to do.
    when: fn(&Runner<'_>) -> bool,
    time: TimeLimit,
    cases: Cases,
    run: fn(&mut Runner<'_>, &Stage) -> Result<AfterStage, String>,
}

const fn stage(
    name: &'static str,
    engines: &'static [EngineKind],
    when: fn(&Runner<'_>) -> bool,
    time: TimeLimit,
    cases: Cases,
    run: fn(&mut Runner<'_>, &Stage) -> Result<AfterStage, String>,
) -> Stage {
    Stage { name, engines, when, time, cases, run }
}

/// How long a stage may take.
#[derive(Clone, Copy, Debug)]
enum TimeLimit {
    /// As long as its fixed inputs take.
    Unlimited,
    /// All of `time`.
    Whole,
    /// This part of `time`.
    Part(u32),
    /// What the budget of all tests grants; see `stage/concolic/budget.rs`.
    Granted,
}

/// How many cases a stage may run.
#[derive(Clone, Copy, Debug)]
enum Cases {
    /// Those that are given.
    Given,
    /// As many as are wanted: `cases`.
    Wanted,
    /// This many for each wanted case.
    Times(u64),
    /// As many as are wanted, and no more than this.
    AtMost(u64),
    /// Any number, unless `cases` is set.
    Any,
}

impl Stage {
    /// How long it may take, where that follows from the settings.
    pub(super) fn time(&self, settings: &Settings) -> Duration {
        match self.time {
            TimeLimit::Unlimited => Duration::MAX,
            TimeLimit::Whole | TimeLimit::Granted => settings.time,
            TimeLimit::Part(part) => settings.time / part,
        }
    }

    /// How many cases it may run.
    pub(super) fn cases(&self, settings: &Settings) -> u64 {
        match self.cases {
            Cases::Given | Cases::Wanted => settings.cases,
            Cases::Times(n) => settings.cases.saturating_mul(n),
            Cases::AtMost(most) => settings.cases.min(most),
            Cases::Any if settings.is_default(Key::Cases) => u64::MAX,
            Cases::Any => settings.cases,
        }
    }

    fn is_for(&self, runner: &Runner<'_>) -> bool {
        self.is_of(runner.engine) && (self.when)(runner)
    }

    fn is_of(&self, engine: EngineKind) -> bool {
        self.engines.iter().any(|it| discriminant(it) == discriminant(&engine))
    }
}

/// What comes after a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AfterStage {
    /// The next stage.
    Stage,
    /// The verdict: there is nothing left to search.
    Verdict,
    /// Nothing: the run has its verdict.
    End,
}

/// What the stages of a run have come to so far.
pub(super) struct PortfolioState {
    /// When the search began: `time` is for all of it.
    pub(super) start: Instant,
    /// Who searched last, or found what was found.
    pub(super) engine: EngineKind,
    pub(super) result: SearchResult,
    /// What the smallest inputs came to. They are no sample, but they ran.
    pub(super) smallest: Tally,
    /// Which inputs were to be visited, where not all.
    pub(super) share: Option<Share>,
    /// How long the search took that `result` is of.
    pub(super) time: Duration,
    /// How many cases were wanted, where others than `cases`.
    pub(super) wanted: Option<u64>,
    /// Whether there are few inputs, which are to be visited after their scores were climbed.
    pub(super) is_scored: bool,
    /// Answers that reach new code.
    #[allow(dead_code, reason = "only builds with the engines that work beside the test read it")]
    pub(super) reached: Vec<Vec<Value>>,
    /// What was granted for engines that work beside the test.
    pub(super) grant: Option<concolic::Grant>,
}

impl PortfolioState {
    pub(super) fn new(engine: EngineKind) -> PortfolioState {
        PortfolioState {
            start: Instant::now(),
            engine,
            result: SearchResult {
                failures: Vec::new(),
                ended: Ended::Exhausted,
                tally: Tally::default(),
                evidence: Evidence::default(),
            },
            smallest: Tally::default(),
            share: None,
            time: Duration::ZERO,
            wanted: None,
            is_scored: false,
            reached: Vec::new(),
            grant: None,
        }
    }

    /// Takes what a search came to for what the run came to.
    pub(super) fn set(&mut self, engine: EngineKind, mut result: SearchResult, time: Duration) {
        result.tally.add_arms(&self.result.tally);
        (self.engine, self.result, self.time) = (engine, result, time);
    }
}

/// Runs the stages and gives the verdict.
pub(super) fn run(runner: &mut Runner<'_>) -> Result<(), String> {
    if runner.seed.part.is_some() && runner.settings.cases == 0 {
        runner.tell_empty();
        return Ok(()); // there are more parts than cases
    }
    for stage in &FIXED {
        if stage.is_for(runner) && (stage.run)(runner, stage)? == AfterStage::End {
            return Ok(());
        }
    }
    let _watchdog = runner.watch(Watched::Cases(runner.inputs));
    runner.state.start = Instant::now();
    for stage in &SEARCH {
        if !stage.is_for(runner) {
            continue;
        }
        let next = (stage.run)(runner, stage)?;
        if next == AfterStage::Verdict || !runner.state.result.failures.is_empty() {
            break;
        }
    }
    goals::seek(runner)?;
    if runner.state.result.failures.is_empty() && PROOF.is_for(runner) {
        (PROOF.run)(runner, &PROOF)?;
    }
    runner.state.grant = None;
    runner.conclude()
}

/// Runs the fixed inputs, as [`run`] does, and then searches for the best input.
pub(super) fn find(runner: &mut Runner<'_>) -> Result<Best<Vec<Value>>, String> {
    for stage in &FIXED {
        if (stage.when)(runner) {
            (stage.run)(runner, stage)?;
        }
    }
    let _watchdog = runner.watch(Watched::Cases(runner.inputs));
    runner.state.start = Instant::now();
    sample::find(runner)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The stages that a run with this engine has.
    fn names(engine: EngineKind) -> Vec<&'static str> {
        FIXED.iter().chain(&SEARCH).filter(|it| it.is_of(engine)).map(|it| it.name).collect()
    }

    #[test]
    fn every_engine_has_its_stages() {
        let rows = [
            (Random, vec!["examples", "replay", "fuzzer", "bytes", "stored", "random"]),
            (Targeted, vec!["examples", "replay", "fuzzer", "bytes", "stored", "sample"]),
            (Exhaustive, vec!["examples", "replay", "fuzzer", "bytes", "stored", "every input"]),
            (Concolic, vec!["examples", "replay", "fuzzer", "bytes", "stored", "concolic"]),
            (Coverage, vec!["examples", "replay", "fuzzer", "bytes", "stored", "coverage"]),
            (Own("luck"), vec!["examples", "replay", "fuzzer", "bytes", "stored", "own engine"]),
        ];
        for (engine, expected) in rows {
            assert_eq!(names(engine), expected, "{engine}");
        }
        let auto = [
            "examples",
            "replay",
            "fuzzer",
            "bytes",
            "stored",
            "prepared",
            "few inputs",
            "small",
            "sample",
            "scored",
        ];
        assert_eq!(names(Auto)[..10], auto);
        assert_eq!(names(Auto)[10..], ["share", "near"]);
    }
}
