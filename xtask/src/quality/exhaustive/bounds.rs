//! Spaces far too large to be visited end where they are told to, and the reach says how far that is.

use std::time::{Duration, Instant};

use probity_core::{
    Bounds, Budget, Combine, Ended, Reach, SearchResult, Source, Test, any, search_exhaustive,
};

use super::grouped;
use crate::quality::{silence_cases, table::Table};

const TIME: Duration = Duration::from_millis(300);
/// How much later than told a search may end: a batch of cases, on a busy machine.
const LATE: Duration = Duration::from_millis(200);

struct Bounded {
    name: &'static str,
    test: fn(&mut Source),
    bounds: Bounds,
    cases: u64,
    time: Option<Duration>,
    target: &'static str,
    is_met: fn(&SearchResult, Reach) -> bool,
}

pub(super) fn table() -> Table {
    let columns = ["space and bound", "cases", "refused", "ended", "size", "of it done", "s"];
    let mut table = Table::new("huge spaces end at their bound", &columns);
    for it in BOUNDED {
        let start = Instant::now();
        let mut go_on = |_| it.time.is_none_or(|time| start.elapsed() < time);
        let budget = Budget { cases: it.cases, rejects: 0, go_on: &mut go_on, progress: Default::default() };
        silence_cases();
        let test: &mut dyn Test = &mut { it.test };
        let finding = search_exhaustive(it.bounds, test, budget).expect("tests use us rightly");
        let reach = finding.evidence.reach.unwrap();
        let took = start.elapsed();
        let cells = vec![
            it.name.to_string(),
            grouped(finding.tally.cases),
            grouped(finding.tally.rejected()),
            format!("{:?}", finding.ended),
            reach.size.to_string(),
            format!("{:.1} %", reach.share * 100.0),
            format!("{:.2}", took.as_secs_f64()),
        ];
        let in_time = it.time.is_none_or(|time| time <= took && took < time + LATE);
        table.row(cells, it.target, Some(in_time && !reach.all && (it.is_met)(&finding, reach)));
    }
    table
}

const ANY: Bounds = Bounds { size: None, inputs: None };
const UNTIL_DONE: u64 = u64::MAX;

fn eight_ints(src: &mut Source) {
    src.any::<[u64; 8]>();
}

/// Whether it ended in the middle of a size, by its cases or because it was told to.
fn is_partly_done(finding: &SearchResult, reach: Reach, ended: Ended) -> bool {
    finding.ended == ended && 0.0 < reach.share && reach.share < 1.0
}

const BOUNDED: &[Bounded] = &[
    Bounded {
        name: "[u64; 8], 100,000 cases",
        test: eight_ints,
        bounds: ANY,
        cases: 100_000,
        time: None,
        // binom(19, 8) = 75,582 are smaller, binom(19, 7) = 50,388 of this size.
        target: "48.5 % of size 12",
        is_met: |finding, reach| {
            let share = f64::from(100_000 - 75_582) / 50_388.0;
            is_partly_done(finding, reach, Ended::Budget)
                && finding.tally.cases == 100_000
                && reach.size == 12
                && (reach.share - share).abs() < 0.001
        },
    },
    Bounded {
        name: "[u64; 8], size 6",
        test: eight_ints,
        bounds: Bounds { size: Some(6), inputs: None },
        cases: UNTIL_DONE,
        time: None,
        target: "binom(14, 8) = 3,003 cases",
        is_met: |finding, reach| {
            finding.ended == Ended::Complete && finding.tally.cases == 3003 && reach.size == 6
        },
    },
    Bounded {
        name: "[u64; 8], a million inputs",
        test: eight_ints,
        bounds: Bounds { size: None, inputs: Some(1_000_000) },
        cases: UNTIL_DONE,
        time: None,
        target: "given up after a case",
        is_met: |finding, _| finding.ended == Ended::Exhausted && finding.tally.cases == 1,
    },
    Bounded {
        name: "Vec<Vec<u64>>, 0.3 s",
        test: |src| _ = src.any::<Vec<Vec<u64>>>(),
        bounds: ANY,
        cases: UNTIL_DONE,
        time: Some(TIME),
        target: "part of a size, in time",
        is_met: |finding, reach| is_partly_done(finding, reach, Ended::Stopped),
    },
    Bounded {
        name: "nothing but refusals, 0.3 s",
        test: |src| _ = src.draw(any::<(u64, u64)>().filter(|_| false)),
        bounds: ANY,
        cases: UNTIL_DONE,
        time: Some(TIME),
        target: "no case, in time",
        is_met: |finding, reach| is_partly_done(finding, reach, Ended::Stopped) && finding.tally.cases == 0,
    },
];
