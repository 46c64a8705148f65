//! Dates and times of the crate `chrono`. Those of a local time zone are not among them: they depend on the machine.

use chrono::{
    DateTime, Datelike, FixedOffset, Month, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Utc, Weekday,
};

use super::calendar::{days, durations, offsets, time_of_day};
use crate::{any, select};

/// The first of 1970, counted from the first of the year 1.
const EPOCH: i32 = 719_163;

/// The days that are left when `inside` are taken off at both ends.
fn all_days(inside: i32) -> std::ops::RangeInclusive<i32> {
    let [min, max] = [NaiveDate::MIN, NaiveDate::MAX].map(|it| it.num_days_from_ce() - EPOCH);
    min + inside..=max - inside
}

fn date(day: i32) -> NaiveDate {
    NaiveDate::from_num_days_from_ce_opt(EPOCH + day).expect("a day of the calendar")
}

fn time((secs, nanos): (u32, u32)) -> NaiveTime {
    NaiveTime::from_num_seconds_from_midnight_opt(secs, nanos).expect("a time of day")
}

made_from! {
    NaiveDate: days(all_days(0)), it => date(it);
    NaiveTime: time_of_day(), it => time(it);
    NaiveDateTime: (days(all_days(0)), time_of_day()), (day, it) => date(day).and_time(time(it));
    DateTime<Utc>: any::<NaiveDateTime>(), it => it.and_utc();
    // At both ends of the calendar, the time at an offset may be beyond it.
    DateTime<FixedOffset>: (days(all_days(1)), time_of_day(), any::<FixedOffset>()), (day, it, offset) =>
        DateTime::from_naive_utc_and_offset(date(day).and_time(time(it)), offset);
    FixedOffset: offsets(), it => FixedOffset::east_opt(it).expect("less than a day");
    TimeDelta: durations(i64::MAX / 1000 - 1), (secs, nanos) =>
        TimeDelta::seconds(secs) + TimeDelta::nanoseconds(nanos.into());
    Weekday: select(WEEKDAYS), it => it;
    Month: select(MONTHS), it => it;
}

const WEEKDAYS: [Weekday; 7] = {
    use Weekday::*;
    [Mon, Tue, Wed, Thu, Fri, Sat, Sun]
};

const MONTHS: [Month; 12] = {
    use Month::*;
    [January, February, March, April, May, June, July, August, September, October, November, December]
};
