//! Days, times of day and offsets, for all crates that know them. The simplest is the beginning of 1970, in UTC.

use std::ops::RangeInclusive;

use crate::{Combine, Generator, any, from, just, select, weighted};

/// Days, counted from the first of 1970: of the years 1900 to 2099 three times in four. Two of five are the first or the last
/// of a year, the last of a month or of a February. They are drawn as a day near them: one that is only as early or
/// as late fails too, more often than not, and then the simplest such day is found.
pub(super) fn days(all: RangeInclusive<i32>) -> impl Generator<Value = i32> {
    let day = weighted([(3, from(-25_567..=47_481).boxed()), (1, from(all.clone()).boxed())]);
    let place = weighted([
        (6, just(Place::Any)),
        (1, just(Place::NewYear)),
        (1, just(Place::YearEnd)),
        (1, just(Place::MonthEnd)),
        (1, just(Place::February)),
    ]);
    from((day, place)).map(move |(day, place)| place.near(day).clamp(*all.start(), *all.end()))
}

/// A place in the calendar on which code is known to trip.
#[derive(Clone, Copy)]
enum Place {
    Any,
    NewYear,
    YearEnd,
    MonthEnd,
    February,
}

impl Place {
    /// The day of the year of `day` that is this place.
    fn near(self, day: i32) -> i32 {
        let (year, month) = year_and_month(day);
        match self {
            Place::Any => day,
            Place::NewYear => first_of(year, 1),
            Place::YearEnd => first_of(year + 1, 1) - 1,
            Place::MonthEnd if month == 12 => first_of(year + 1, 1) - 1,
            Place::MonthEnd => first_of(year, month + 1) - 1,
            Place::February => first_of(year, 3) - 1,
        }
    }
}

/// The first day of a month. Years are counted from March here, so that a leap day is the last day of one.
fn first_of(year: i32, month: i32) -> i32 {
    let (year, month) = if month < 3 { (year - 1, month + 9) } else { (year, month - 3) };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    365 * year + leap_days + (153 * month + 2) / 5 - 719_468
}

/// The year and the month of a day.
fn year_and_month(day: i32) -> (i32, i32) {
    // 400 years have 146,097 days.
    let mut year = 1970 + (i64::from(day) * 400).div_euclid(146_097) as i32;
    while first_of(year, 1) > day {
        year -= 1;
    }
    while first_of(year + 1, 1) <= day {
        year += 1;
    }
    let month = (2..=12).take_while(|it| first_of(year, *it) <= day).count() as i32 + 1;
    (year, month)
}

/// Seconds and nanoseconds of a time of day: whole seconds two times in three.
pub(super) fn time_of_day() -> impl Generator<Value = (u32, u32)> {
    (0..86_400, nanos())
}

/// Nanoseconds of a second: none two times in three.
pub(super) fn nanos() -> impl Generator<Value = u32> {
    weighted([(2, just(0).boxed()), (1, from(0..=999_999_999).boxed())])
}

/// Seconds east of UTC: none, one that is in use, or any up to a day.
pub(super) fn offsets() -> impl Generator<Value = i32> {
    const IN_USE: [i32; 8] = [3_600, -18_000, 19_800, 20_700, -12_600, 45_900, 50_400, -43_200];
    weighted([(2, just(0).boxed()), (2, select(IN_USE).boxed()), (1, from(-86_399..=86_399).boxed())])
}

/// Seconds of a duration, up to a day one time in two, either way.
fn seconds(most: i64) -> impl Generator<Value = i64> {
    weighted([(1, from(-86_400..=86_400).boxed()), (1, from(-most..=most).boxed())])
}

/// A duration in seconds and nanoseconds of one sign.
pub(super) fn durations(most: i64) -> impl Generator<Value = (i64, i32)> {
    from((seconds(most), nanos(), any::<bool>())).map(|(secs, nanos, negative)| {
        let nanos = nanos as i32;
        let negative = secs < 0 || secs == 0 && negative;
        (secs, if negative { -nanos } else { nanos })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_days_of_the_calendar() {
        for (day, year, month) in [(0, 1970, 1), (-1, 1969, 12), (19_782, 2024, 2), (-719_528, 0, 1)] {
            assert_eq!(year_and_month(day), (year, month), "{day}");
        }
        assert_eq!(first_of(2000, 3) - first_of(2000, 2), 29);
        assert_eq!(first_of(1900, 3) - first_of(1900, 2), 28);
        // Every month begins where the one before it ends, in a whole cycle of the calendar.
        let mut next = first_of(1800, 1);
        for (year, month) in (1800..2200).flat_map(|year| (1..=12).map(move |month| (year, month))) {
            let first = first_of(year, month);
            assert_eq!((first, year_and_month(first)), (next, (year, month)));
            let days = if month == 12 { first_of(year + 1, 1) } else { first_of(year, month + 1) } - first;
            next += days;
            assert!((28..=31).contains(&days) && year_and_month(next - 1) == (year, month));
        }
        for day in [i32::MIN / 4, -95_000_000, 95_000_000] {
            let (year, month) = year_and_month(day);
            assert!(first_of(year, month) <= day && day < first_of(year, month) + 31);
        }
    }
}
