//! The verdict of a run: its failures, or what to say of a search that found none.

use probity_core::{ArmTally, BestCase, Ended, Reach, SourcePlace, Space, Tally, Trajectory};

use super::Runner;
use super::portfolio::{EngineKind, PortfolioState};
use super::stage::sample::CLIMB_CASES;
use crate::events::Event;
use crate::report;
use crate::settings::{Key, Settings};

/// How many things that a test said of itself are reported.
const REMARKS_MAX: usize = 10;
/// How many cases make it strange that none of them entered an arm.
const ENOUGH_TO_ENTER: u64 = 100;

impl Runner<'_> {
    /// Reports what the stages came to.
    pub(super) fn conclude(&mut self) -> Result<(), String> {
        let climb = self.state.result.evidence.climb.take();
        let is_climb = climb.is_some() && self.settings.is_default(Key::Cases);
        let climb = climb.map(|it| self.climbed(it)).transpose()?;
        let failures = std::mem::take(&mut self.state.result.failures);
        let (reach, share) = (self.state.result.evidence.reach, self.state.share);
        if !failures.is_empty() {
            let _ = crate::contract::take_required(&Tally::default());
            // Where all inputs come in order of size, nothing that fails is smaller than what was found.
            let is_least = share.is_none() && reach.is_some_and(|it| !it.is_narrow());
            let found = self.shrink_all(failures, is_least)?;
            return self.report_all(found, climb);
        }
        let PortfolioState { result, smallest, time, wanted, .. } =
            std::mem::replace(&mut self.state, PortfolioState::new(self.engine));
        let (tally, ended, explored) = (result.tally, result.ended, result.evidence.explored);
        let wanted = wanted.unwrap_or(if is_climb { CLIMB_CASES } else { self.settings.cases });
        let is_asked = explored.as_ref().is_some_and(|it| it.asked);
        // Without any other engine, its cases are no sample.
        let is_alone = is_asked && self.engine == EngineKind::Concolic;
        // However few inputs were met by chance, all of them were followed.
        let is_proved = explored.as_ref().is_some_and(|it| it.asked && it.proof().is_there());
        let conditions = crate::contract::take_required(&tally);
        if !conditions.is_empty() {
            self.reporters.direct().tell(&Event::Required { conditions });
        }
        if share.is_none() {
            let is_late = time >= self.settings.time;
            let stopped = (ended == Ended::Stopped).then_some(is_late);
            if !is_proved {
                self.too_few(&tally, &smallest, reach, is_alone, stopped)?;
            }
            if ended == Ended::Stopped && is_late && reach.is_none() && tally.cases < wanted / 10 {
                let (cases, rejected) = (tally.cases, tally.rejected());
                self.reporters.direct().tell(&Event::FewCases { cases, wanted, rejected, time });
            }
        }
        // Where every input was visited, few cases are enough to know.
        let is_complete = reach.is_some_and(|it| it.share >= 1.0 && !it.has_left_out());
        if tally.cases >= ENOUGH_TO_ENTER || is_complete {
            tally.arms.iter().for_each(|(place, arms)| self.never_entered(place, arms, tally.cases));
        }
        for (text, cases) in tally.remarks.iter().take(REMARKS_MAX) {
            self.reporters.direct().tell(&Event::Remark { text: text.clone(), cases: *cases });
        }
        // The smallest inputs are no sample of all: their shares say nothing.
        if reach.is_none_or(|it| it.all) && share.is_none() && !is_alone {
            self.not_covered(&tally, reach.is_some())?;
        }
        // That a proof was not reached has to be seen, where one was asked for.
        let is_incomplete = reach.is_some_and(|it| it.share < 1.0 || it.has_left_out());
        let reporters =
            if is_incomplete || is_asked { self.reporters.direct() } else { self.reporters.clone() };
        let shard = self.settings.shard.map(|(part, of)| format!("of shard {part}/{of}"));
        let start = share.filter(|it| it.start > 0).map(|it| format!("from number {} on", it.start));
        let is_part = share.is_some() || self.seed.part.is_some();
        let words: Vec<String> = shard.into_iter().chain(start).collect();
        let part = is_part.then(|| words.join(" "));
        if share.is_some() && tally.cases + tally.rejected() + tally.overruns == 0 && ended == Ended::Complete
        {
            self.tell_empty();
        }
        let can_resume =
            reach.is_some_and(|it| it.share < 1.0) && self.space.is_some_and(|it| Space::new(it).is_ok());
        reporters.tell(&Event::Passed { tally, time, reach, part, can_resume, climb, explored });
        Ok(())
    }

    /// Says that this part of a run that is shared has nothing to do: anyone who thinks that it tested something is to know.
    pub(super) fn tell_empty(&self) {
        let (part, of) = self.settings.shard.unwrap_or((1, 1));
        self.reporters.direct().tell(&Event::EmptyShard { part, of });
    }

    /// Renders the best inputs, where somebody will read them: of many, the ends and the middle, which differ
    /// most. The others are of no more use.
    fn climbed(&mut self, mut climb: Trajectory) -> Result<Box<Trajectory>, String> {
        let mut shown = match climb.best.len().checked_sub(1) {
            Some(last) if self.reporters.tell_best() => vec![0, last / 2, last],
            _ => Vec::new(),
        };
        shown.dedup();
        let shown: Vec<BestCase> = shown.into_iter().map(|at| climb.best[at].clone()).collect();
        climb.best = shown;
        for best in &mut climb.best {
            best.inputs = self.render(best.values.clone())?.log.inputs;
        }
        Ok(Box::new(climb))
    }

    /// Whether the test is about to fail because most of its cases were rejected.
    #[cfg_attr(
        not(all(feature = "concolic", target_arch = "x86_64", target_os = "linux", target_env = "gnu")),
        allow(dead_code, reason = "only the concolic engine is asked for more")
    )]
    pub(super) fn has_too_few(&self) -> bool {
        let Settings { cases, max_rejects, .. } = *self.settings;
        let PortfolioState { result, smallest, .. } = &self.state;
        !is_enough(&result.tally, smallest, cases, max_rejects, result.ended == Ended::Stopped)
    }

    /// A test that ran next to nothing has shown nothing. `stopped` is set where the search ended before its cases
    /// had run and its rejections were used up: to whether that was for want of time.
    fn too_few(
        &mut self,
        tally: &Tally,
        smallest: &Tally,
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
        if is_enough(tally, smallest, wanted, max_rejects, stopped.is_some()) {
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

    /// Says which arms no case entered: what they do was not tested.
    fn never_entered(&self, place: &SourcePlace, arms: &ArmTally, cases: u64) {
        let never: Vec<&str> = arms.never().collect();
        if !never.is_empty() {
            let event = Event::NeverEntered { place: place.to_string(), arms: never, cases };
            self.reporters.direct().tell(&event);
        }
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
fn is_enough(tally: &Tally, smallest: &Tally, wanted: u64, max_rejects: u32, is_stopped: bool) -> bool {
    let (mut cases, mut rejected) = (tally.cases, tally.rejected());
    if !is_stopped {
        return cases > 0 && (cases >= wanted || rejected <= wanted.saturating_mul(max_rejects.into()));
    }
    // Time went by with the smallest inputs, too: where most of all that ran were accepted, it is not starved.
    cases += smallest.cases;
    rejected += smallest.rejected();
    // Of a search that was stopped, what is tolerated for the cases that ran: it would have gone on like that.
    let tolerated = cases.saturating_mul(max_rejects.into());
    // Hardly anything ran, and the time went by with what was rejected.
    let is_starved = cases < wanted / 10 && rejected > cases;
    cases > 0 && !is_starved && (cases >= wanted || rejected <= tolerated)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally((cases, overruns): (u64, u64)) -> Tally {
        Tally { cases, overruns, ..Tally::default() }
    }

    #[test]
    fn what_is_enough() {
        // Accepted and rejected: of the sample, of the smallest inputs; whether it was stopped; whether that is enough of
        // 1,000 cases, where 10 rejections are allowed for each.
        let rows = [
            ((1000, 0), (0, 0), false, true),
            ((1000, 20_000), (0, 0), false, true),
            ((5, 10_001), (0, 0), false, false),
            ((5, 10_001), (1000, 0), false, false),
            ((0, 0), (1000, 0), false, false),
            ((50, 40), (0, 0), true, true),
            ((50, 60), (0, 0), true, false),
            ((200, 1000), (0, 0), true, true),
            ((200, 3000), (0, 0), true, false),
            // Quick at first, and then slow and rejected.
            ((0, 4), (900, 0), true, true),
            ((0, 75), (1, 20), true, false),
            ((0, 75), (0, 0), true, false),
            ((0, 0), (0, 0), true, false),
        ];
        for (sample, smallest, is_stopped, expected) in rows {
            let is = is_enough(&tally(sample), &tally(smallest), 1000, 10, is_stopped);
            assert_eq!(is, expected, "{sample:?} {smallest:?} {is_stopped}");
        }
    }
}
