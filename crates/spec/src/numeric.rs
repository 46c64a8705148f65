//! What is counted in whole numbers: integers, decimals, floats, dates, times, durations.

use crate::{Date, DateTime, Decimal, Duration, Float64, IntSet, Shape, Time, Value};

/// What a whole number represents.
///
/// ```
/// use probity_spec::{Date, NumericKind, Shape};
/// let (kind, all) = NumericKind::of(&Shape::Date).unwrap();
/// assert_eq!(kind.value(0).unwrap().to_string(), "1970-01-01");
/// assert_eq!(all.min(), Some(Date::MIN.days()));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumericKind {
    /// Itself.
    Int,
    /// A decimal with this many digits after the point.
    Number(u32),
    /// The place of a float among all of them.
    Float,
    /// Days since 1970.
    Date,
    /// Seconds since midnight.
    Time,
    /// Seconds since 1970.
    DateTime,
    /// Seconds.
    Duration,
}

impl NumericKind {
    /// The kind of a shape that is counted in whole numbers, and all its numbers; what has no bound of its own has those
    /// of 128 bits.
    pub fn of(shape: &Shape) -> Option<(NumericKind, IntSet)> {
        let (kind, (lo, hi)) = match shape {
            Shape::Int { min, max } => {
                (NumericKind::Int, (min.unwrap_or(i128::MIN), max.unwrap_or(i128::MAX)))
            }
            Shape::Number { decimals } => (NumericKind::Number(*decimals), (i128::MIN, i128::MAX)),
            Shape::Float => (NumericKind::Float, (Float64::ENDS.0, Float64::NAN)),
            Shape::Date => (NumericKind::Date, (Date::MIN.days(), Date::MAX.days())),
            Shape::Time => (NumericKind::Time, (0, DAY - 1)),
            Shape::DateTime => {
                (NumericKind::DateTime, (Date::MIN.days() * DAY, Date::MAX.days() * DAY + DAY - 1))
            }
            Shape::Duration => (NumericKind::Duration, (-Duration::MAX.seconds(), Duration::MAX.seconds())),
            _ => return None,
        };
        Some((kind, IntSet::range(lo, hi)))
    }

    /// The value that a number represents, if there is one.
    pub fn value(self, number: i128) -> Option<Value> {
        Some(match self {
            NumericKind::Int => Value::Int(number),
            NumericKind::Number(scale) => Value::Number(Decimal::new(number, scale)),
            NumericKind::Float => Value::Float(Float64::at(number)?),
            NumericKind::Date => Value::Date(Date::from_days(number)?),
            NumericKind::Time => Value::Time(Time::from_seconds(number)?),
            NumericKind::DateTime => Value::DateTime(DateTime::from_seconds(number)?),
            NumericKind::Duration => Value::Duration(Duration::from_seconds(number)?),
        })
    }

    /// The number that represents a value, if there is one.
    pub fn number(self, value: &Value) -> Option<i128> {
        match (self, value) {
            (NumericKind::Int, Value::Int(it)) => Some(*it),
            (NumericKind::Int, Value::Number(it)) => it.at_scale(0),
            (NumericKind::Number(scale), Value::Number(it)) => it.at_scale(scale),
            (NumericKind::Number(scale), Value::Int(it)) => Decimal::new(*it, 0).at_scale(scale),
            (NumericKind::Float, _) => Some(Float64::new(crate::eval::float(value)?).place()),
            (NumericKind::Date, Value::Date(it)) => Some(it.days()),
            (NumericKind::Time, Value::Time(it)) => Some(it.seconds()),
            (NumericKind::DateTime, Value::DateTime(it)) => Some(it.seconds()),
            (NumericKind::Duration, Value::Duration(it)) => Some(it.seconds()),
            _ => None,
        }
    }

    /// Digits after the point.
    pub fn scale(self) -> u32 {
        if let NumericKind::Number(scale) = self { scale } else { 0 }
    }

    /// Whether it is a number rather than a moment or a duration.
    pub fn is_number(self) -> bool {
        matches!(self, NumericKind::Int | NumericKind::Number(_))
    }
}

/// Seconds in a day.
const DAY: i128 = 86_400;
