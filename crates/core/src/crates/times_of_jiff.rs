//! Dates and times of the crate `jiff`. Zones are fixed offsets: all others depend on the machine.

use jiff::civil::{Date, DateTime, Time, Weekday};
use jiff::tz::{Offset, TimeZone};
use jiff::{SignedDuration, Span, Timestamp, ToSpan, Zoned};

use super::calendar::{days, durations, nanos, offsets, time_of_day};
use crate::{Combine, any, from, select, weighted};

/// Of the years -9999 to 9999.
const DAYS: std::ops::RangeInclusive<i32> = -4_371_587..=2_932_896;

fn date(day: i32) -> Date {
    Date::constant(1970, 1, 1).checked_add(day.days()).expect("a day of the calendar")
}

fn time((secs, nanos): (u32, u32)) -> Time {
    let [hour, minute, second] = [secs / 3600, secs / 60 % 60, secs % 60].map(|it| it as i8);
    Time::new(hour, minute, second, nanos as i32).expect("a time of day")
}

made_from! {
    Date: days(DAYS), it => date(it);
    Time: time_of_day(), it => time(it);
    DateTime: (days(DAYS), time_of_day()), (day, it) => date(day).to_datetime(time(it));
    Timestamp: (timestamps(), nanos()), (secs, nanos) =>
        Timestamp::new(secs, nanos as i32).unwrap_or(Timestamp::MIN);
    Zoned: (any::<Timestamp>(), any::<Offset>()), (it, offset) => it.to_zoned(TimeZone::fixed(offset));
    Offset: offsets(), it => Offset::from_seconds(it).expect("less than a day");
    SignedDuration: durations(i64::MAX - 1), (secs, nanos) => SignedDuration::new(secs, nanos);
    // Fewer than a span may have, so that sums of a few of them are spans.
    Span: ((0..=100, 0..=100, 0..=10_000), (0..=10_000, 0..=1_000_000i64, nanos()), any::<bool>()),
        ((years, months, days), (hours, secs, nanos), negative) => {
            let span = years.years().months(months).days(days).hours(hours);
            let span = span.seconds(secs).nanoseconds(nanos);
            if negative { span.negate() } else { span }
        };
    Weekday: select(WEEKDAYS), it => it;
}

/// Seconds from the first of 1970 on: of the years 1900 to 2099, or any.
fn timestamps() -> impl crate::Generator<Value = i64> {
    let all = Timestamp::MIN.as_second()..=Timestamp::MAX.as_second();
    weighted([(3, from(-2_208_988_800..=4_102_444_799).boxed()), (1, from(all).boxed())])
}

const WEEKDAYS: [Weekday; 7] = {
    use Weekday::*;
    [Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday]
};
