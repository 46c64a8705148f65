//! Every input of a small test, by counting up the last choice that can be: it shares nothing with the engines.

use crate::{
    Case, Domain, Ended, Engine, Ordered, Refusal, Site, Source, Stop, Trace, Value, Verdict, run_case,
};

/// Every case that is not rejected; nothing where there are more than `max`, or no end of them.
pub(super) fn all(test: &dyn Fn(&mut Source), max: usize) -> Option<Vec<Case>> {
    let mut source = Source::new(Box::new(Odometer::default()));
    let mut res = Vec::new();
    let mut cases = 0;
    while source.begin().is_ok() {
        let case = run_case(&mut source, &mut |src: &mut Source| test(src)).ok()?;
        cases += 1;
        if case.verdict == Verdict::Overrun || cases > 100 * max || res.len() > max {
            return None;
        }
        if !matches!(case.verdict, Verdict::Reject(_)) {
            res.push(case);
        }
    }
    Some(res)
}

#[derive(Default)]
struct Odometer {
    ranks: Vec<u128>,
    lasts: Vec<u128>,
    cursor: usize,
    begun: bool,
}

impl Engine for Odometer {
    fn begin(&mut self) -> Result<(), Ended> {
        let asked = std::mem::take(&mut self.cursor);
        if !std::mem::replace(&mut self.begun, true) {
            return Ok(());
        }
        self.ranks.truncate(asked);
        self.lasts.truncate(asked);
        while let (Some(rank), Some(last)) = (self.ranks.pop(), self.lasts.pop()) {
            if rank < last {
                self.ranks.push(rank + 1);
                self.lasts.push(last);
                return Ok(());
            }
        }
        Err(Ended::Complete)
    }

    fn answer(&mut self, domain: &Domain, _: &Trace) -> Result<Value, Stop> {
        if self.cursor == self.ranks.len() {
            let last = match *domain {
                Domain::Float { min, max, nan, .. } if min.to_bits() == max.to_bits() && !nan => 0,
                _ => domain.last_rank().ok_or(Stop::Overrun)?,
            };
            self.ranks.push(0);
            self.lasts.push(last);
        }
        self.cursor += 1;
        let rank = self.ranks[self.cursor - 1];
        Ok(if rank == 0 { domain.simplest() } else { domain.at(rank).ok_or(Stop::Overrun)? })
    }

    fn end(&mut self, _: &Case) {}

    fn order(&mut self) -> Option<&mut dyn Ordered> {
        Some(self)
    }
}

impl Ordered for Odometer {
    fn refuse(&mut self, _: usize, _: bool, _: Site) -> Refusal {
        Refusal::Reject
    }
}
