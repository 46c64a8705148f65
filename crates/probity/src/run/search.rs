//! The search of a run: which engine, how far, and what to say of it when nothing failed.

use std::sync::Arc;
use std::time::{Duration, Instant};

use probity_core::{
    Annealing, Bounds, Budget, Climb, Ended, Finding, Peak, Reach, Share, Source, Space, Tally,
    search_exhaustive, search_exhaustive_share, search_exhaustive_unscored, search_random, search_targeted,
};

use super::apart::Came;
use super::pace::{Pace, is_within};
use super::{By, Runner, Summit};
use crate::events::{BestCase, Climbed, Event, Explored};
use crate::report;
use crate::settings::{Key, Origin, Settings};

/// What a search came to.
pub(super) struct Searched {
    pub(super) engine: &'static str,
    pub(super) finding: Finding,
    /// How far, where inputs were visited in order of size.
    pub(super) reach: Option<Reach>,
    /// Which inputs it was for, where not for all.
    pub(super) share: Option<Share>,
    /// How it climbed, where there was a score to climb by.
    pub(super) climb: Option<Climb>,
    /// What the concolic engine came to, where it answered too.
    pub(super) explored: Option<Box<Explored>>,
    pub(super) time: Duration,
}

/// What came of trying to visit every input.
enum Few {
    /// All were visited, or one fails.
    All(Box<Searched>),
    /// There are few, but many enough to go by the score that the first of them have.
    Scored(Tally),
    /// There are many, and this is what the first of them came to.
    Not(Tally),
}

/// How many inputs there may be for each wanted case, for all of them to be visited by default.
const FEW_INPUTS: u64 = 100;
/// The part of the time that may be spent on that.
const FEW_TIME: u32 = 5;
/// How many cases a test with a score gets where nobody says how many: a climb is many small steps.
const CLIMB_CASES: u64 = 10_000;
/// For how long such a test may go on beyond the cases that others get, so that suites stay quick.
const CLIMB_TIME: Duration = Duration::from_secs(2);

impl Runner<'_> {
    pub(super) fn search(&mut self) -> Result<(), String> {
        match self.settings.engine {
            "exhaustive" => self.search_exhaustive(),
            "auto" => match self.search_few()? {
                Few::All(searched) => self.conclude(*searched),
                Few::Scored(before) => self.search_scored(before),
                Few::Not(before) => self.search_targeted(before),
            },
            "targeted" => self.search_targeted(Tally::default()),
            "concolic" => self.search_concolic(),
            _ => self.search_random(),
        }
    }

    fn search_targeted(&mut self, before: Tally) -> Result<(), String> {
        let searched = self.climb(before, CLIMB_TIME)?;
        self.share_and_conclude(searched)
    }

    fn share_and_conclude(&mut self, mut searched: Searched) -> Result<(), String> {
        if self.settings.engine == "auto" && searched.finding.failures.is_empty() {
            self.share_concolic(&mut searched)?;
        }
        self.conclude(searched)
    }

    /// Goes by the score, and then visits every input after all: so a failure is found soon, and where there is none,
    /// that is known.
    fn search_scored(&mut self, before: Tally) -> Result<(), String> {
        let climbed = self.climb(before, CLIMB_TIME)?;
        if !climbed.finding.failures.is_empty() {
            return self.conclude(climbed);
        }
        match self.visit_few(u64::MAX)? {
            Few::All(all) => {
                let time = climbed.time + all.time;
                self.conclude(Searched { climb: climbed.climb, time, ..*all })
            }
            _ => self.share_and_conclude(climbed),
        }
    }

    /// Searches for the input with the best score.
    pub(super) fn find(&mut self) -> Result<Summit, String> {
        let searched = self.climb(Tally::default(), Duration::MAX)?;
        let cases = searched.finding.tally.cases;
        let best = searched.climb.as_ref().and_then(|it| Some((it.best.first()?.clone(), &it.curves)));
        let summit = best.map(|(peak, curves)| {
            let labels = curves.iter().map(|it| it.label);
            Summit { values: peak.values, scores: labels.zip(peak.scores).collect(), cases }
        });
        self.conclude(searched)?;
        summit.filter(|it| !it.scores.is_empty()).ok_or_else(|| {
            "`find` needs a score to know what is best; call `maximize` or `minimize` in the closure"
                .to_string()
        })
    }

    /// Runs the targeted engine. `time_beyond` is how long it may take beyond the cases that a test without a
    /// score gets, where nobody has set how many or how long.
    fn climb(&mut self, before: Tally, time_beyond: Duration) -> Result<Searched, String> {
        let start = Instant::now();
        let Settings { time, cases, schedule, .. } = *self.settings;
        let is_default = |key| *self.settings.origin(key) == Origin::Default;
        let wanted = if is_default(Key::Cases) { CLIMB_CASES } else { cases };
        let beyond =
            if is_default(Key::Cases) && is_default(Key::Time) { time.min(time_beyond) } else { time };
        let annealing = Annealing { schedule, cases: wanted, goal: self.goal };
        let (rejects, seed) = (self.settings.max_rejects.into(), self.seed);
        let Came { finding, climb, .. } = self.apart(|test, progress| {
            let watched = Arc::clone(&progress);
            let mut go_on = |ran| is_within(if ran > cases { beyond } else { time }, start, ran, &watched);
            let budget = Budget { cases, rejects, go_on: &mut go_on, progress };
            let (finding, climb) = search_targeted(before, seed, annealing, test, budget)?;
            Ok(Came { finding, reach: None, climb })
        })?;
        let engine = if climb.is_some() { "targeted" } else { "random" };
        Ok(Searched {
            engine,
            finding,
            reach: None,
            share: None,
            climb,
            explored: None,
            time: start.elapsed(),
        })
    }

    fn search_random(&mut self) -> Result<(), String> {
        let start = Instant::now();
        let Settings { time, cases, max_rejects, .. } = *self.settings;
        let seed = self.seed;
        let came = self.apart(|test, progress| {
            let watched = Arc::clone(&progress);
            let mut go_on = |ran| is_within(time, start, ran, &watched);
            let budget = Budget { cases, rejects: max_rejects.into(), go_on: &mut go_on, progress };
            search_random(seed, test, budget).map(Came::plain)
        })?;
        self.conclude(Searched {
            engine: "random",
            finding: came.finding,
            reach: None,
            share: None,
            climb: None,
            explored: None,
            time: start.elapsed(),
        })
    }

    /// Visits every input within the bounds.
    fn search_exhaustive(&mut self) -> Result<(), String> {
        let start = Instant::now();
        let share = self.share()?;
        let Settings { time, size, cases, .. } = *self.settings;
        let is_set = *self.settings.origin(Key::Cases) != Origin::Default;
        let live = self.reporters.direct();
        let Came { finding, reach, .. } = self.apart(|test, progress| {
            let mut pace = Pace::new(start);
            let watched = Arc::clone(&progress);
            let mut go_on = |cases| {
                if let Some(event) = pace.event(cases, &watched) {
                    live.tell(&event);
                }
                is_within(time, start, cases, &watched)
            };
            // The default is meant for samples.
            let cases = if is_set { cases } else { u64::MAX };
            let budget = Budget { cases, rejects: 0, go_on: &mut go_on, progress };
            let bounds = Bounds { size, inputs: None };
            let (finding, reach) = match share {
                None => search_exhaustive(bounds, test, budget)?,
                Some(share) => search_exhaustive_share(bounds, share, test, budget)?,
            };
            Ok(Came { finding, reach: Some(reach), climb: None })
        })?;
        if let (Some(Share { start, .. }), Some(reach)) = (share, reach)
            && finding.ended == Ended::Complete
            && start >= reach.visited
        {
            return Err(format!(
                "`start` is {start}, but there are only {} inputs; take a lower one",
                reach.visited
            ));
        }
        self.conclude(Searched {
            engine: "exhaustive",
            finding,
            reach,
            share,
            climb: None,
            explored: None,
            time: start.elapsed(),
        })
    }

    /// Which inputs are this run's, where that is not all of them.
    fn share(&self) -> Result<Option<Share>, String> {
        let Settings { shard, start, .. } = *self.settings;
        if shard.is_none() && start == 0 {
            return Ok(None);
        }
        let (part, of) = shard.unwrap_or((1, 1));
        let inputs = self.inputs.ok_or(
            "`shard` and `start` are for tests whose inputs can be drawn without running them: \
             make all inputs parameters of a `#[probity::test]`, or give them by `Check::inputs`",
        )?;
        Ok(Some(Share { inputs, part: part - 1, of, start }))
    }

    /// Whether it is known how many inputs there are; and then how many, if they are at most `max`.
    fn few(&self, max: u64) -> Option<Option<u64>> {
        let mut space = Space::new(self.space?).ok()?;
        let total = space.total().and_then(|it| u64::try_from(it).ok());
        Some(total.filter(|it| space.is_whole() && *it <= max))
    }

    /// Visits every input if there are few, and it does not take long.
    fn search_few(&mut self) -> Result<Few, String> {
        let Settings { cases, .. } = *self.settings;
        // The test need not be run to see that there are many, where its inputs can be counted or drawn.
        let total = match (self.few(cases.saturating_mul(FEW_INPUTS)), self.inputs) {
            (Some(known), _) => Some(known),
            (None, Some(inputs)) => {
                let start = Instant::now();
                let drawn = self.visit(start, u64::MAX, Some(inputs))?;
                let n = drawn.reach.map(|it| it.visited);
                Some(n.filter(|_| drawn.finding.ended == Ended::Complete))
            }
            (None, None) => None,
        };
        match total {
            Some(None) => Ok(Few::Not(Tally::default())),
            // So few are visited sooner than a score is climbed.
            Some(Some(total)) if total <= cases => self.visit_few(u64::MAX),
            Some(Some(_)) => self.visit_few(1),
            None => self.visit_few(cases / 10 + 1),
        }
    }

    /// Visits every input if that does not take long; where there is a score, no more than the first of them.
    fn visit_few(&mut self, scored_max: u64) -> Result<Few, String> {
        let start = Instant::now();
        let Came { finding, reach, .. } = self.visit(start, scored_max, None)?;
        let is_done = reach.is_some_and(|it| it.all)
            || (matches!(finding.ended, Ended::Budget | Ended::Stopped) && !finding.failures.is_empty());
        let is_begun = finding.failures.is_empty() && finding.tally.cases <= self.settings.cases / 10 + 1;
        let has_score = finding.tally.scores.iter().next().is_some();
        Ok(if is_done {
            Few::All(Box::new(Searched {
                engine: "exhaustive",
                finding,
                reach,
                share: None,
                climb: None,
                explored: None,
                time: start.elapsed(),
            }))
        } else if is_begun && has_score && finding.ended == Ended::Budget && scored_max < u64::MAX {
            Few::Scored(finding.tally)
        } else if is_begun {
            Few::Not(finding.tally)
        } else {
            Few::Not(Tally::default())
        })
    }

    /// Visits every input of the test, or what draws them alone, while there seem to be few.
    fn visit(
        &mut self,
        start: Instant,
        scored_max: u64,
        inputs: Option<fn(&mut Source)>,
    ) -> Result<Came, String> {
        let Settings { time, cases, .. } = *self.settings;
        let bounds = Bounds { size: None, inputs: Some(cases.saturating_mul(FEW_INPUTS)) };
        self.apart(|test, progress| {
            let watched = Arc::clone(&progress);
            let mut go_on = |ran| is_within(time / FEW_TIME, start, ran, &watched);
            let budget = Budget { cases: u64::MAX, rejects: 0, go_on: &mut go_on, progress };
            let (finding, reach) = match inputs {
                Some(inputs) => search_exhaustive(bounds, &mut |src: &mut Source| inputs(src), budget)?,
                None => search_exhaustive_unscored(bounds, scored_max, test, budget)?,
            };
            Ok(Came { finding, reach: Some(reach), climb: None })
        })
    }

    /// Reports what a search came to.
    pub(super) fn conclude(&mut self, searched: Searched) -> Result<(), String> {
        let is_default = *self.settings.origin(Key::Cases) == Origin::Default;
        let is_climb = searched.climb.is_some() && is_default;
        let wanted = if is_climb { CLIMB_CASES } else { self.settings.cases };
        self.conclude_of(searched, wanted)
    }

    /// As [`conclude`](Self::conclude), for a search of which so many cases were wanted.
    pub(super) fn conclude_of(&mut self, searched: Searched, wanted: u64) -> Result<(), String> {
        let Searched { engine, finding, reach, share, climb, explored, time } = searched;
        let Finding { failures, tally, ended } = finding;
        let climb = climb.map(|it| self.climbed(it)).transpose()?;
        if !failures.is_empty() {
            // Where all inputs come in order of size, nothing that fails is smaller than what was found.
            let is_least = share.is_none() && reach.is_some_and(|it| !it.is_narrow());
            let by = By { engine, is_least, tally: &tally };
            let found = self.shrink_all(failures, &by)?;
            return self.report_all(found, climb);
        }
        let is_asked = explored.as_ref().is_some_and(|it| it.asked);
        if share.is_none() {
            let is_late = time >= self.settings.time;
            self.too_few(&tally, reach, is_asked, (ended == Ended::Stopped).then_some(is_late))?;
            if ended == Ended::Stopped && is_late && reach.is_none() && tally.cases < wanted / 10 {
                let (cases, rejected) = (tally.cases, tally.rejected());
                self.reporters.direct().tell(&Event::FewCases { cases, wanted, rejected, time });
            }
        }
        // The smallest inputs are no sample of all: their shares say nothing.
        if reach.is_none_or(|it| it.all) && share.is_none() && !is_asked {
            self.not_covered(&tally, reach.is_some())?;
        }
        // That a proof was not reached has to be seen, where one was asked for.
        let is_incomplete = reach.is_some_and(|it| it.share < 1.0 || it.has_left_out());
        let reporters =
            if is_incomplete || is_asked { self.reporters.direct() } else { self.reporters.clone() };
        let part = share.map(|it| match self.settings.shard {
            Some((part, of)) if it.start > 0 => format!("of shard {part}/{of} from number {} on", it.start),
            Some((part, of)) => format!("of shard {part}/{of}"),
            None => format!("from number {} on", it.start),
        });
        let can_resume =
            reach.is_some_and(|it| it.share < 1.0) && self.space.is_some_and(|it| Space::new(it).is_ok());
        reporters.tell(&Event::Passed { tally, time, reach, part, can_resume, climb, explored });
        Ok(())
    }

    /// Renders the best inputs, where somebody will read them: of many, the ends and the middle, which differ
    /// most.
    fn climbed(&mut self, climb: Climb) -> Result<Box<Climbed>, String> {
        let mut shown = match climb.best.len().checked_sub(1) {
            Some(last) if self.reporters.tell_best() => vec![0, last / 2, last],
            _ => Vec::new(),
        };
        shown.dedup();
        let mut best = Vec::new();
        for at in shown {
            let Peak { case, scores, values } = climb.best[at].clone();
            best.push(BestCase { case, scores, inputs: self.render(values)?.log.inputs });
        }
        Ok(Box::new(Climbed { climb, best }))
    }

    /// Whether the test is about to fail because most of its cases were rejected.
    pub(super) fn has_too_few(&self, finding: &Finding) -> bool {
        let Settings { cases, max_rejects, .. } = *self.settings;
        !is_enough(&finding.tally, cases, max_rejects, finding.ended == Ended::Stopped)
    }

    /// A test that ran next to nothing has shown nothing. `stopped` is set where the search ended before its cases
    /// had run and its rejections were used up: to whether that was for want of time.
    fn too_few(
        &mut self,
        tally: &Tally,
        reach: Option<Reach>,
        is_explored: bool,
        stopped: Option<bool>,
    ) -> Result<(), String> {
        // However many are rejected, what is left was visited.
        let (wanted, max_rejects) = match reach {
            Some(_) => (1, u32::MAX),
            None if is_explored => (1, u32::MAX),
            None => (self.settings.cases, self.settings.max_rejects),
        };
        if is_enough(tally, wanted, max_rejects, stopped.is_some()) {
            return Ok(());
        }
        let rejected = tally.rejected();
        let sites = tally.rejects.greatest_first().into_iter().map(|(site, n)| (*site, *n)).collect();
        self.reporters.tell(&Event::TooManyRejects {
            cases: tally.cases,
            wanted,
            rejected,
            sites,
            overruns: tally.overruns,
            max_rejects,
            reach,
            late: stopped == Some(true),
        });
        Err(format!("too many rejected cases: {} of {wanted} ran, {rejected} were rejected", tally.cases))
    }

    /// Where every input was visited shares are exact; else they have to be surely too low.
    fn not_covered(&mut self, tally: &Tally, is_exact: bool) -> Result<(), String> {
        let mut missed = None;
        for (place, cover) in tally.covers.iter() {
            let share = 100.0 * cover.held as f64 / cover.reached as f64;
            let is_below = match is_exact {
                true => share < cover.percent,
                false => report::surely_below(cover.held, cover.reached, cover.percent),
            };
            if is_below {
                let place = place.to_string();
                self.reporters.tell(&Event::NotCovered { place: place.clone(), tally: cover.clone() });
                missed.get_or_insert(format!(
                    "cover!({}, {}) is not met, at {place}",
                    cover.percent, cover.what
                ));
            }
        }
        missed.map_or(Ok(()), Err)
    }
}

/// Whether as many cases ran as are wanted, or not many were rejected.
fn is_enough(tally: &Tally, wanted: u64, max_rejects: u32, is_stopped: bool) -> bool {
    // Of a search that was stopped, what is tolerated for the cases that ran: it would have gone on like that.
    let for_cases = if is_stopped { tally.cases } else { wanted };
    let tolerated = for_cases.saturating_mul(max_rejects.into());
    // Hardly anything ran, and the time went by with what was rejected.
    let is_starved = is_stopped && tally.cases < wanted / 10 && tally.rejected() > tally.cases;
    tally.cases > 0 && !is_starved && (tally.cases >= wanted || tally.rejected() <= tolerated)
}
