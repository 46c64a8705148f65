//! Dates and times of the crate `time`.

use time::{Date, Duration, Month, OffsetDateTime, PrimitiveDateTime, Time, UtcOffset, Weekday};

use super::calendar::{days, durations, offsets, time_of_day};
use crate::{any, select};

/// The first of 1970 as a Julian day.
const EPOCH: i32 = 2_440_588;
/// Of the years -9999 to 9999, without the first day and the last: the time at an offset may be beyond them.
const DAYS: std::ops::RangeInclusive<i32> = -4_371_586..=2_932_895;

fn date(day: i32) -> Date {
    Date::from_julian_day(EPOCH + day).expect("a day of the calendar")
}

fn clock((secs, nanos): (u32, u32)) -> Time {
    let [hour, minute, second] = [secs / 3600, secs / 60 % 60, secs % 60].map(|it| it as u8);
    Time::from_hms_nano(hour, minute, second, nanos).expect("a time of day")
}

made_from! {
    Date: days(-4_371_587..=2_932_896), it => date(it);
    Time: time_of_day(), it => clock(it);
    PrimitiveDateTime: (any::<Date>(), any::<Time>()), (date, time) => PrimitiveDateTime::new(date, time);
    OffsetDateTime: (days(DAYS), time_of_day(), any::<UtcOffset>()), (day, it, offset) =>
        PrimitiveDateTime::new(date(day.clamp(*DAYS.start(), *DAYS.end())), clock(it)).assume_offset(offset);
    UtcOffset: offsets(), it => UtcOffset::from_whole_seconds(it).expect("less than a day");
    Duration: durations(i64::MAX - 1), (secs, nanos) => Duration::new(secs, nanos);
    Weekday: select(WEEKDAYS), it => it;
    Month: select(MONTHS), it => it;
}

const WEEKDAYS: [Weekday; 7] = {
    use Weekday::*;
    [Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday]
};

const MONTHS: [Month; 12] = {
    use Month::*;
    [January, February, March, April, May, June, July, August, September, October, November, December]
};
