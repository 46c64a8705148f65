//! Operations on values.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::BTreeSet;

use super::edits::edits;
use crate::{Date, DateTime, Decimal, Duration, Float64, Op, Time, Value};

/// Seconds in a day.
const DAY: i128 = 86_400;

/// Whether an operation is a comparison or predicate: false where its arguments are undefined or of wrong kinds.
pub(crate) fn is_predicate(op: Op) -> bool {
    use Op::{Contains, Distinct, EndsWith, Eq, In, IsSome, Le, Lt, Sorted, StartsWith};
    matches!(op, Eq | Lt | Le | StartsWith | EndsWith | Contains | In | Sorted | Distinct | IsSome)
}

/// What an operation gives for values; none if it is undefined. `and`, `or`, `not`, `ite`, `nth`, `unwrap` and
/// `to-int` are not for here: they need not all of their arguments, or more than values.
pub(crate) fn apply(op: Op, args: &[Cow<Value>]) -> Option<Value> {
    if is_predicate(op) {
        return Some(Value::Bool(predicate(op, args)));
    }
    match (op, args) {
        (Op::Add | Op::Mul, [_]) if is_negative(&args[0]).is_none() => None,
        (Op::Add | Op::Mul, [first, rest @ ..]) => {
            let step = if op == Op::Add { add } else { multiply };
            rest.iter().try_fold((**first).clone(), |sum, it| step(&sum, it))
        }
        (Op::Sub, [a, b]) => subtract(a, b),
        (Op::Neg, [of]) => negate(of),
        (Op::Abs, [of]) => {
            if is_negative(of)? {
                negate(of)
            } else {
                Some((**of).clone())
            }
        }
        (Op::Div | Op::Mod, [a, b]) => match (op, &**a, &**b) {
            (Op::Div, Value::Int(a), Value::Int(b)) => a.checked_div_euclid(*b).map(Value::Int),
            // The remainder by -1 is 0 even where the quotient overflows.
            (_, Value::Int(_), Value::Int(-1)) => Some(Value::Int(0)),
            (_, Value::Int(a), Value::Int(b)) => a.checked_rem_euclid(*b).map(Value::Int),
            (Op::Div, ..) => of_floats(a, b, |a, b| a / b),
            _ => of_floats(a, b, |a, b| a % b),
        },
        (Op::Len, [of]) => length(of).map(Value::Int),
        (Op::Sum, [of]) => match &**of {
            Value::List(items) => match items.split_first() {
                None => Some(Value::Int(0)),
                Some((first, rest)) => {
                    is_negative(first)?;
                    rest.iter().try_fold(first.clone(), |sum, it| add(&sum, it))
                }
            },
            _ => None,
        },
        (Op::Greatest | Op::Least, [of]) => match &**of {
            Value::List(items) => extreme(items, op == Op::Greatest),
            _ => None,
        },
        (Op::ToFloat, [of]) => Some(Value::Float(Float64::new(float(of)?))),
        (Op::List, _) => Some(Value::List(args.iter().map(|it| (**it).clone()).collect())),
        (Op::Concat | Op::Substr | Op::IndexOf | Op::EditDistance, _) => of_texts(op, args),
        (Op::Year | Op::Month | Op::Day | Op::Weekday | Op::DateOf | Op::TimeOf, [of]) => of_date(op, of),
        _ => None,
    }
}

/// The greatest or the least of some values, all of which have an order.
fn extreme(items: &[Value], is_greatest: bool) -> Option<Value> {
    let (first, rest) = items.split_first()?;
    compare(first, first)?;
    let pick = |best: &Value, it: &Value| {
        let is_less = compare(best, it)? == Ordering::Less;
        Some(if is_less == is_greatest { it.clone() } else { best.clone() })
    };
    rest.iter().try_fold(first.clone(), |best, it| pick(&best, it))
}

fn predicate(op: Op, args: &[Cow<Value>]) -> bool {
    match (op, args) {
        (Op::Eq, [a, b]) => same(a, b),
        (Op::Lt, [a, b]) => compare(a, b) == Some(Ordering::Less),
        (Op::Le, [a, b]) => matches!(compare(a, b), Some(Ordering::Less | Ordering::Equal)),
        (Op::IsSome, [of]) => matches!(&**of, Value::Option(Some(_))),
        (Op::In, [of, list]) => matches!(&**list, Value::List(items) if items.iter().any(|it| same(it, of))),
        (Op::Sorted | Op::Distinct, [of]) => match (op, &**of) {
            (Op::Sorted, Value::List(items)) => items
                .windows(2)
                .all(|it| matches!(compare(&it[0], &it[1]), Some(Ordering::Less | Ordering::Equal))),
            (_, Value::List(items)) => {
                let mut seen = BTreeSet::new();
                items.iter().all(|it| seen.insert(canonical(it)))
            }
            _ => false,
        },
        (Op::StartsWith | Op::EndsWith | Op::Contains, [a, b]) => match (op, &**a, &**b) {
            (Op::StartsWith, Value::Text(a), Value::Text(b)) => a.starts_with(&**b),
            (Op::EndsWith, Value::Text(a), Value::Text(b)) => a.ends_with(&**b),
            (_, Value::Text(a), Value::Text(b)) => a.contains(&**b),
            _ => false,
        },
        _ => false,
    }
}

/// Whether two values are equal, whole numbers beside decimals counting as decimals.
pub(crate) fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Float(_), _) | (_, Value::Float(_)) => {
            matches!((float(a), float(b)), (Some(a), Some(b)) if a == b)
        }
        (Value::Int(_), Value::Number(_)) | (Value::Number(_), Value::Int(_)) => decimal(a) == decimal(b),
        (Value::Option(Some(a)), Value::Option(Some(b))) => same(a, b),
        (Value::List(a), Value::List(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        _ => a == b,
    }
}

/// A value such that values are the same exactly when these are equal.
fn canonical(value: &Value) -> Value {
    match value {
        Value::Number(it) if it.scale() == 0 => Value::Int(it.mantissa()),
        // One zero for both.
        Value::Float(it) if it.get() == 0.0 => Value::Float(Float64::new(0.0)),
        Value::Option(Some(of)) => Value::Option(Some(Box::new(canonical(of)))),
        Value::List(items) => Value::List(items.iter().map(canonical).collect()),
        _ => value.clone(),
    }
}

/// The order of two numbers, texts, dates, times or durations.
fn compare(a: &Value, b: &Value) -> Option<Ordering> {
    use Value::{Date, DateTime, Duration, Int, Number, Text, Time};
    match (a, b) {
        (Int(a), Int(b)) => Some(a.cmp(b)),
        (Value::Float(_), _) | (_, Value::Float(_)) => float(a)?.partial_cmp(&float(b)?),
        (Int(_) | Number(_), Int(_) | Number(_)) => Some(decimal(a)?.cmp(&decimal(b)?)),
        // UTF-8 keeps the order of code points.
        (Text(a), Text(b)) => Some(a.cmp(b)),
        (Date(a), Date(b)) => Some(a.cmp(b)),
        (Time(a), Time(b)) => Some(a.cmp(b)),
        (DateTime(a), DateTime(b)) => Some(a.cmp(b)),
        (Duration(a), Duration(b)) => Some(a.cmp(b)),
        _ => None,
    }
}

pub(crate) fn decimal(value: &Value) -> Option<Decimal> {
    match value {
        Value::Int(it) => Some(Decimal::new(*it, 0)),
        Value::Number(it) => Some(*it),
        _ => None,
    }
}

/// The float that is closest to a number.
pub(crate) fn float(value: &Value) -> Option<f64> {
    match value {
        Value::Float(it) => Some(it.get()),
        Value::Int(it) => Some(*it as f64),
        Value::Number(it) => it.to_string().parse().ok(),
        _ => None,
    }
}

/// What is computed of two numbers as floats, of which one is a float.
fn of_floats(a: &Value, b: &Value, compute: fn(f64, f64) -> f64) -> Option<Value> {
    let has_float = matches!(a, Value::Float(_)) || matches!(b, Value::Float(_));
    let res = has_float.then(|| Some(compute(float(a)?, float(b)?)))??;
    Some(Value::Float(Float64::new(res)))
}

/// The length of a text or list.
pub(crate) fn length(value: &Value) -> Option<i128> {
    match value {
        Value::Text(it) => Some(it.chars().count() as i128),
        Value::List(items) => Some(items.len() as i128),
        _ => None,
    }
}

/// The whole number behind a value, except for an enum's case, whose place only its spec knows.
pub(crate) fn to_int(value: &Value) -> Option<i128> {
    match value {
        Value::Bool(it) => Some((*it).into()),
        Value::Int(it) => Some(*it),
        Value::Float(it) => Some(it.get() as i128),
        Value::Date(it) => Some(it.days()),
        Value::Time(it) => Some(it.seconds()),
        Value::DateTime(it) => Some(it.seconds()),
        Value::Duration(it) => Some(it.seconds()),
        _ => None,
    }
}

/// A date, time or date-time moved by this many seconds.
fn moved(value: &Value, seconds: i128) -> Option<Value> {
    match value {
        Value::Date(it) => Date::from_days(it.days() + seconds.div_euclid(DAY)).map(Value::Date),
        Value::Time(it) => Time::from_seconds(it.seconds() + seconds).map(Value::Time),
        Value::DateTime(it) => DateTime::from_seconds(it.seconds() + seconds).map(Value::DateTime),
        _ => None,
    }
}

fn duration(seconds: Option<i128>) -> Option<Value> {
    Duration::from_seconds(seconds.filter(|it| *it != i128::MIN)?).map(Value::Duration)
}

fn add(a: &Value, b: &Value) -> Option<Value> {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => a.checked_add(*b).map(Value::Int),
        (Value::Duration(a), Value::Duration(b)) => duration(Some(a.seconds() + b.seconds())),
        (_, Value::Duration(by)) => moved(a, by.seconds()),
        (Value::Float(_), _) | (_, Value::Float(_)) => of_floats(a, b, |a, b| a + b),
        _ => decimal(a)?.checked_add(decimal(b)?).map(Value::Number),
    }
}

fn subtract(a: &Value, b: &Value) -> Option<Value> {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => a.checked_sub(*b).map(Value::Int),
        (Value::Duration(a), Value::Duration(b)) => duration(Some(a.seconds() - b.seconds())),
        (_, Value::Duration(by)) => moved(a, -by.seconds()),
        (Value::Date(a), Value::Date(b)) => duration(Some((a.days() - b.days()) * DAY)),
        (Value::Time(a), Value::Time(b)) => duration(Some(a.seconds() - b.seconds())),
        (Value::DateTime(a), Value::DateTime(b)) => duration(Some(a.seconds() - b.seconds())),
        (Value::Float(_), _) | (_, Value::Float(_)) => of_floats(a, b, |a, b| a - b),
        _ => decimal(a)?.checked_add(decimal(b)?.checked_neg()?).map(Value::Number),
    }
}

fn multiply(a: &Value, b: &Value) -> Option<Value> {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => a.checked_mul(*b).map(Value::Int),
        (Value::Duration(it), Value::Int(by)) | (Value::Int(by), Value::Duration(it)) => {
            duration(it.seconds().checked_mul(*by))
        }
        (Value::Float(_), _) | (_, Value::Float(_)) => of_floats(a, b, |a, b| a * b),
        _ => decimal(a)?.checked_mul(decimal(b)?).map(Value::Number),
    }
}

fn negate(value: &Value) -> Option<Value> {
    match value {
        Value::Int(it) => it.checked_neg().map(Value::Int),
        Value::Number(it) => it.checked_neg().map(Value::Number),
        Value::Float(it) => Some(Value::Float(Float64::new(-it.get()))),
        Value::Duration(it) => duration(Some(-it.seconds())),
        _ => None,
    }
}

/// Whether a number or duration is negative; none for other values.
fn is_negative(value: &Value) -> Option<bool> {
    match value {
        Value::Int(it) => Some(*it < 0),
        Value::Number(it) => Some(it.mantissa() < 0),
        Value::Float(it) => Some(it.get().is_sign_negative()),
        Value::Duration(it) => Some(it.seconds() < 0),
        _ => None,
    }
}

fn of_texts(op: Op, args: &[Cow<Value>]) -> Option<Value> {
    let text = |it: &Value| if let Value::Text(it) = it { Some(it.clone()) } else { None };
    match (op, args) {
        (Op::Concat, _) => {
            let texts: Option<Vec<_>> = args.iter().map(|it| text(it)).collect();
            Some(Value::from(texts?.concat().as_str()))
        }
        (Op::Substr, [of, start, len]) => {
            let (Value::Int(start), Value::Int(len)) = (&**start, &**len) else { return None };
            let of = text(of)?;
            if *start < 0 || *len < 0 || *start > of.chars().count() as i128 {
                return None;
            }
            let len = usize::try_from(*len).unwrap_or(usize::MAX);
            let part: String = of.chars().skip(*start as usize).take(len).collect();
            Some(Value::from(part.as_str()))
        }
        (Op::IndexOf, [of, what]) => {
            let of = text(of)?;
            let found = of.find(&*text(what)?).map(|it| of[..it].chars().count() as i128);
            Some(Value::Int(found.unwrap_or(-1)))
        }
        (Op::EditDistance, [a, b]) => edits(&text(a)?, &text(b)?).map(|it| Value::Int(it.into())),
        _ => None,
    }
}

fn of_date(op: Op, of: &Value) -> Option<Value> {
    let date = match (op, of) {
        (Op::TimeOf, Value::DateTime(it)) => return Some(Value::Time(it.time())),
        (Op::DateOf, Value::DateTime(it)) => return Some(Value::Date(it.date())),
        (Op::TimeOf | Op::DateOf, _) => return None,
        (_, Value::Date(it)) => *it,
        (_, Value::DateTime(it)) => it.date(),
        _ => return None,
    };
    let (year, month, day) = date.ymd();
    Some(Value::Int(match op {
        Op::Year => year,
        Op::Month => month,
        Op::Day => day,
        // 1970-01-01 was a Thursday.
        _ => (date.days() + 3).rem_euclid(7) + 1,
    }))
}
