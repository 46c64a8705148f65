//! How an engine is added: this file has one of twenty lines, and `engines.rs` one line that puts it to the test.

use probity::engine::{Case, Domain, Ended, Engine, Stop, Trace, Value};
use probity_suite::{Exclusion, check};

/// Reads the number of the case as digits, and answers each choice with the member at its digit.
struct Odometer {
    case: u64,
    rest: u64,
}

/// How many members of a domain it gets to.
const DIGITS: u128 = 6;

impl Engine for Odometer {
    fn begin(&mut self) -> Result<(), Ended> {
        (self.rest, self.case) = (self.case, self.case + 1);
        Ok(())
    }

    fn answer(&mut self, domain: &Domain, _: &Trace) -> Result<Value, Stop> {
        let members = domain.last_rank().map_or(DIGITS, |it| it.saturating_add(1).min(DIGITS)) as u64;
        let digit = self.rest % members;
        self.rest /= members;
        Ok(domain.at(digit.into()).unwrap_or_else(|| domain.simplest()))
    }

    fn end(&mut self, _: &Case) {}
}

/// Among the engines of the suite.
pub(crate) const ODOMETER: probity_suite::Engine = probity_suite::Engine {
    name: "odometer",
    search: |row, seed| {
        check(row, seed, |it| {
            it.answered_by("odometer", |_| Box::new(Odometer { case: 0, rest: 0 })).cases(10_000).time("60m")
        })
    },
    is_steady: true,
    excluded: &[Exclusion {
        why: "it needs more than the first six members of a domain, or more choices than 10,000 has digits",
        rows: &[
            "climbing_path",
            "cut_string",
            "infinite",
            "int_min",
            "leap_years",
            "line_ends",
            "long_bytes",
            "long_string",
            "lower_case",
            "midpoint",
            "next_char",
            "not_a_number",
            "nul",
            "quicksort",
            "reciprocal",
            "reversal",
        ],
    }],
};
