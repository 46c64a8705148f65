//! Dates and times: days and seconds counted from 1970-01-01, in the proleptic Gregorian calendar.

use std::fmt;
use std::str::FromStr;

/// Seconds in a day.
const DAY: i64 = 86_400;

/// A day, from 0001-01-01 to 9999-12-31.
///
/// ```
/// use probity_spec::Date;
/// let day: Date = "2017-10-21".parse().unwrap();
/// assert_eq!((day.days(), day.ymd()), (17_460, (2017, 10, 21)));
/// assert_eq!(Date::from_ymd(2017, 2, 29), None, "no leap year");
/// assert_eq!(Date::from_days(17_461).unwrap().to_string(), "2017-10-22");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date(i32);

impl Date {
    /// 0001-01-01.
    pub const MIN: Date = Date(-719_162);
    /// 9999-12-31.
    pub const MAX: Date = Date(2_932_896);

    /// The day that many days after 1970-01-01, if it is between [`MIN`](Date::MIN) and [`MAX`](Date::MAX).
    pub fn from_days(days: i128) -> Option<Date> {
        let days = i32::try_from(days).ok()?;
        (Date::MIN.0..=Date::MAX.0).contains(&days).then_some(Date(days))
    }

    /// The day of a year, month and day, if there is such a day.
    pub fn from_ymd(year: i128, month: i128, day: i128) -> Option<Date> {
        if !(1..=9999).contains(&year) || !(1..=12).contains(&month) || day < 1 {
            return None;
        }
        // Years begin in March, so that the leap day is a year's last.
        let years = if month > 2 { year } else { year - 1 };
        let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
        let days = years * 365 + years / 4 - years / 100 + years / 400 + of_year - 719_468;
        Date::from_days(days).filter(|it| it.ymd() == (year, month, day))
    }

    /// Days since 1970-01-01.
    pub fn days(self) -> i128 {
        self.0.into()
    }

    /// Year, month and day.
    pub fn ymd(self) -> (i128, i128, i128) {
        let days = self.days() + 719_468;
        let era = days.div_euclid(146_097);
        let of_era = days.rem_euclid(146_097);
        let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month = (5 * of_year + 2) / 153;
        let day = of_year - (153 * month + 2) / 5 + 1;
        let month = if month < 10 { month + 3 } else { month - 9 };
        (era * 400 + year_of_era + i128::from(month <= 2), month, day)
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let (year, month, day) = self.ymd();
        write!(f, "{year:04}-{month:02}-{day:02}")
    }
}

impl FromStr for Date {
    type Err = ();

    /// Reads `2017-10-21`.
    fn from_str(text: &str) -> Result<Date, ()> {
        let parts = numbers(text, &[4, 2, 2], '-').ok_or(())?;
        Date::from_ymd(parts[0], parts[1], parts[2]).ok_or(())
    }
}

/// A time of day, to the second.
///
/// ```
/// use probity_spec::Time;
/// let time: Time = "10:00".parse().unwrap();
/// assert_eq!(time.seconds(), 36_000);
/// assert_eq!(Time::from_seconds(36_000), Some(time));
/// assert_eq!(time.to_string(), "10:00:00");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(u32);

impl Time {
    /// The time that many seconds after midnight, if it is on that day.
    pub fn from_seconds(seconds: i128) -> Option<Time> {
        (0..i128::from(DAY)).contains(&seconds).then_some(Time(seconds as u32))
    }

    /// Seconds since midnight.
    pub fn seconds(self) -> i128 {
        self.0.into()
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{:02}:{:02}:{:02}", self.0 / 3600, self.0 / 60 % 60, self.0 % 60)
    }
}

impl FromStr for Time {
    type Err = ();

    /// Reads `10:00` and `10:00:00`.
    fn from_str(text: &str) -> Result<Time, ()> {
        let parts = numbers(text, &[2, 2, 2], ':').or_else(|| numbers(text, &[2, 2], ':')).ok_or(())?;
        let second = parts.get(2).copied().unwrap_or(0);
        if parts[0] > 23 || parts[1] > 59 || second > 59 {
            return Err(());
        }
        Time::from_seconds(parts[0] * 3600 + parts[1] * 60 + second).ok_or(())
    }
}

/// A day and a time of day.
///
/// ```
/// use probity_spec::DateTime;
/// let it: DateTime = "2017-10-21T10:00:00".parse().unwrap();
/// assert_eq!((it.date(), it.time()), ("2017-10-21".parse().unwrap(), "10:00".parse().unwrap()));
/// assert_eq!(DateTime::from_seconds(it.seconds()), Some(it));
/// assert_eq!(it.to_string(), "2017-10-21T10:00:00");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DateTime(i64);

impl DateTime {
    /// That many seconds after 1970-01-01T00:00:00, if the day is a [`Date`].
    pub fn from_seconds(seconds: i128) -> Option<DateTime> {
        Date::from_days(seconds.div_euclid(DAY.into()))?;
        Some(DateTime(seconds as i64))
    }

    /// Seconds since 1970-01-01T00:00:00.
    pub fn seconds(self) -> i128 {
        self.0.into()
    }

    /// The day.
    pub fn date(self) -> Date {
        Date(self.0.div_euclid(DAY) as i32)
    }

    /// The time of day.
    pub fn time(self) -> Time {
        Time(self.0.rem_euclid(DAY) as u32)
    }
}

impl fmt::Display for DateTime {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}T{}", self.date(), self.time())
    }
}

impl FromStr for DateTime {
    type Err = ();

    /// Reads `2017-10-21T10:00:00`, also with a space in the middle and without seconds.
    fn from_str(text: &str) -> Result<DateTime, ()> {
        let (date, time) = text.split_once(['T', ' ']).ok_or(())?;
        let (date, time): (Date, Time) = (date.parse()?, time.parse()?);
        DateTime::from_seconds(date.days() * i128::from(DAY) + time.seconds()).ok_or(())
    }
}

/// A signed span of time, to the second; written in seconds, `PT90S`.
///
/// ```
/// use probity_spec::Duration;
/// assert_eq!(Duration::from_seconds(90).unwrap().to_string(), "PT90S");
/// assert_eq!("PT-5S".parse::<Duration>().unwrap().seconds(), -5);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Duration(i64);

impl Duration {
    /// The longest, 20,000 years, so that sums with dates stay in range; the shortest is its negative.
    pub const MAX: Duration = Duration(20_000 * 366 * DAY);

    /// A span of that many seconds, if it is no longer than [`MAX`](Duration::MAX) either way.
    pub fn from_seconds(seconds: i128) -> Option<Duration> {
        (seconds.abs() <= Duration::MAX.seconds()).then_some(Duration(seconds as i64))
    }

    /// How many seconds it lasts.
    pub fn seconds(self) -> i128 {
        self.0.into()
    }
}

impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "PT{}S", self.0)
    }
}

impl FromStr for Duration {
    type Err = ();

    /// Reads `PT90S`.
    fn from_str(text: &str) -> Result<Duration, ()> {
        let seconds = text.strip_prefix("PT").and_then(|it| it.strip_suffix('S')).ok_or(())?;
        seconds.parse().ok().and_then(Duration::from_seconds).ok_or(())
    }
}

/// The numbers of a text whose parts have exactly these many digits.
fn numbers(text: &str, digits: &[usize], between: char) -> Option<Vec<i128>> {
    let parts: Vec<&str> = text.split(between).collect();
    let fits = parts.len() == digits.len()
        && parts.iter().zip(digits).all(|(it, n)| it.len() == *n && it.bytes().all(|it| it.is_ascii_digit()));
    fits.then(|| parts.iter().map(|it| it.parse().expect("a few digits are a number")).collect())
}
