//! Symbolic values: what a term is worth when the slots are not known yet.

use std::sync::Arc;

use super::lower::Lowered;
use super::{Expr, add, all, any, calendar, edits_at_least, eq, implies, ite, le, lt, mul, not, text_lt};
use crate::{Date, Decimal, Float64, Name, NumericKind, Table, Value};

/// A value over slots. Mirrors [`Value`].
#[derive(Clone, Debug)]
pub(super) enum Symbolic {
    Bool(Expr),
    Int(Expr),
    /// The year of a day: an interval of days when it is compared with a constant.
    Year(Expr),
    /// The number of edits between two texts, which can only be compared.
    Edits(Expr, Expr),
    /// A mantissa and its scale.
    Number(Expr, u32),
    /// Its place among all floats.
    Float(Expr),
    Text(Expr),
    Date(Expr),
    Time(Expr),
    DateTime(Expr),
    Duration(Expr),
    /// The sum of a list of durations: a whole number when the list is empty, as the first says.
    DurationSum(Expr, Expr),
    Case(Expr, Arc<[Name]>),
    /// Whether it is a value, and the value where there can be one.
    Option(Expr, Option<Box<Symbolic>>),
    /// The length, and as many elements as there can be.
    List(Expr, Vec<Symbolic>),
    Object(Vec<(Name, Symbolic)>),
    Union(Expr, Vec<(Name, Symbolic)>),
    Row(Expr, Arc<Table>),
    /// A value with what its measures are worth.
    Measured(Box<Symbolic>, Arc<[(Name, Lowered)]>),
}

/// Two numbers brought to one scale.
struct CommonScale(Expr, Expr, u32);

impl Symbolic {
    /// A constant.
    pub(super) fn of(value: &Value) -> Symbolic {
        match value {
            Value::Bool(it) => Symbolic::Bool(Expr::bool(*it)),
            Value::Int(it) => Symbolic::Int(Expr::int(*it)),
            Value::Number(it) => Symbolic::Number(Expr::int(it.mantissa()), it.scale()),
            Value::Float(it) => Symbolic::Float(Expr::int(it.place())),
            Value::Text(it) => Symbolic::Text(Expr::text(it)),
            Value::Date(it) => Symbolic::Date(Expr::int(it.days())),
            Value::Time(it) => Symbolic::Time(Expr::int(it.seconds())),
            Value::DateTime(it) => Symbolic::DateTime(Expr::int(it.seconds())),
            Value::Duration(it) => Symbolic::Duration(Expr::int(it.seconds())),
            Value::Case(it) => Symbolic::Case(Expr::int(0), [it.clone()].into()),
            Value::Option(None) => Symbolic::Option(Expr::bool(false), None),
            Value::Option(Some(it)) => Symbolic::Option(Expr::bool(true), Some(Box::new(Symbolic::of(it)))),
            Value::List(items) => {
                Symbolic::List(Expr::int(items.len() as i128), items.iter().map(Symbolic::of).collect())
            }
            Value::Object(fields) => {
                Symbolic::Object(fields.iter().map(|it| (it.0.clone(), Symbolic::of(&it.1))).collect())
            }
            Value::Union(case, it) => Symbolic::Union(Expr::int(0), vec![(case.clone(), Symbolic::of(it))]),
            Value::Row(table, row) => Symbolic::Row(Expr::int((*row).into()), table.clone()),
        }
    }

    /// The value without its measures.
    pub(super) fn bare(&self) -> &Symbolic {
        if let Symbolic::Measured(of, _) = self { of.bare() } else { self }
    }

    /// As a whole number, if it is one.
    pub(super) fn int(&self) -> Option<Expr> {
        match self {
            Symbolic::Int(it) => Some(it.clone()),
            Symbolic::Year(days) => Some(calendar::year(days)),
            _ => None,
        }
    }

    /// As a decimal with its scale, if it is a number.
    pub(super) fn number(&self) -> Option<(Expr, u32)> {
        match self {
            Symbolic::Number(it, scale) => Some((it.clone(), *scale)),
            _ => Some((self.int()?, 0)),
        }
    }

    /// The whole number that represents a date, time or duration.
    fn moment(&self) -> Option<(NumericKind, &Expr)> {
        match self {
            Symbolic::Date(it) => Some((NumericKind::Date, it)),
            Symbolic::Time(it) => Some((NumericKind::Time, it)),
            Symbolic::DateTime(it) => Some((NumericKind::DateTime, it)),
            Symbolic::Duration(it) => Some((NumericKind::Duration, it)),
            _ => None,
        }
    }

    /// What a sum of durations can be, each with its condition.
    fn kinds(&self) -> Vec<(Expr, Symbolic)> {
        match self {
            Symbolic::DurationSum(empty, seconds) => vec![
                (empty.clone(), Symbolic::Int(Expr::int(0))),
                (not(empty.clone()), Symbolic::Duration(seconds.clone())),
            ],
            _ => vec![(Expr::bool(true), self.clone())],
        }
    }

    /// Whether a relation holds between what two values can be.
    fn in_kinds(&self, that: &Symbolic, holds: impl Fn(&Symbolic, &Symbolic) -> Expr) -> Expr {
        let (these, those) = (self.kinds(), that.kinds());
        let pairs = these.iter().flat_map(|a| those.iter().map(move |b| (a, b)));
        any(pairs.map(|((x, a), (y, b))| all([x.clone(), y.clone(), holds(a, b)])))
    }

    /// Whether two values are equal; those of different kinds are not.
    pub(super) fn equal(&self, that: &Symbolic) -> Expr {
        match (self.bare(), that.bare()) {
            (Symbolic::DurationSum(..), _) | (_, Symbolic::DurationSum(..)) => {
                self.in_kinds(that, Symbolic::equal)
            }
            (Symbolic::Bool(a), Symbolic::Bool(b)) | (Symbolic::Text(a), Symbolic::Text(b)) => {
                eq(a.clone(), b.clone())
            }
            (Symbolic::Edits(..), _)
            | (_, Symbolic::Edits(..))
            | (Symbolic::Year(_), _)
            | (_, Symbolic::Year(_)) => {
                all([self.compare(that, false), that.compare(self, false)].map(|it| it.unwrap_or_else(no)))
            }
            (Symbolic::Float(_), _) | (_, Symbolic::Float(_)) => self.floats(that, eq).unwrap_or_else(no),
            (Symbolic::Case(a, x), Symbolic::Case(b, y)) if x == y => eq(a.clone(), b.clone()),
            (Symbolic::Case(a, x), Symbolic::Case(b, y)) => {
                any(pairs(x, y, |it| it).map(|(i, j)| all([is(a, i), is(b, j)])))
            }
            (Symbolic::Option(a, x), Symbolic::Option(b, y)) => {
                let content = match (x, y) {
                    (Some(x), Some(y)) => x.equal(y),
                    _ => Expr::bool(false),
                };
                all([eq(a.clone(), b.clone()), any([not(a.clone()), content])])
            }
            (Symbolic::List(a, x), Symbolic::List(b, y)) => {
                let shared = x.len().min(y.len());
                let items = x.iter().zip(y).enumerate();
                let items = items.map(|(i, (x, y))| implies(lt(Expr::int(i as i128), a.clone()), x.equal(y)));
                let fits = le(a.clone(), Expr::int(shared as i128));
                all([eq(a.clone(), b.clone()), fits].into_iter().chain(items))
            }
            (Symbolic::Object(x), Symbolic::Object(y)) => {
                let same = x.len() == y.len() && x.iter().zip(y).all(|(x, y)| x.0 == y.0);
                if same { all(x.iter().zip(y).map(|(x, y)| x.1.equal(&y.1))) } else { no() }
            }
            (Symbolic::Union(a, x), Symbolic::Union(b, y)) => {
                any(pairs(x, y, |it| &it.0).map(|(i, j)| all([is(a, i), is(b, j), x[i].1.equal(&y[j].1)])))
            }
            (Symbolic::Row(a, x), Symbolic::Row(b, y)) if x == y => eq(a.clone(), b.clone()),
            _ => match (self.moment(), that.moment()) {
                (Some((x, a)), Some((y, b))) if x == y => eq(a.clone(), b.clone()),
                (None, None) => self.aligned(that).map_or_else(no, |it| eq(it.0, it.1)),
                _ => no(),
            },
        }
    }

    /// Whether this is less than (or, unless `strict`, equal to) that; none if they have no order.
    pub(super) fn compare(&self, that: &Symbolic, strict: bool) -> Option<Expr> {
        let less = |a: Expr, b: Expr| if strict { lt(a, b) } else { le(a, b) };
        match (self, that) {
            (Symbolic::DurationSum(..), _) | (_, Symbolic::DurationSum(..)) => {
                Some(self.in_kinds(that, |a, b| a.compare(b, strict).unwrap_or_else(no)))
            }
            (Symbolic::Float(_), _) | (_, Symbolic::Float(_)) => self.floats(that, less),
            (Symbolic::Text(a), Symbolic::Text(b)) if strict => Some(text_lt(a.clone(), b.clone())),
            (Symbolic::Text(a), Symbolic::Text(b)) => Some(not(text_lt(b.clone(), a.clone()))),
            (Symbolic::Edits(..), Symbolic::Edits(..)) => None,
            (Symbolic::Edits(a, b), _) => {
                let limit = add([that.int()?, Expr::int(i128::from(!strict))]);
                Some(not(edits_at_least(a.clone(), b.clone(), limit)))
            }
            (_, Symbolic::Edits(a, b)) => {
                let limit = add([self.int()?, Expr::int(i128::from(strict))]);
                Some(edits_at_least(a.clone(), b.clone(), limit))
            }
            (Symbolic::Year(days), Symbolic::Int(year)) if year.as_int().is_some() => {
                Some(lt(days.clone(), first_day(year.as_int()?.saturating_add(i128::from(!strict)))))
            }
            (Symbolic::Int(year), Symbolic::Year(days)) if year.as_int().is_some() => {
                Some(le(first_day(year.as_int()?.saturating_add(i128::from(strict))), days.clone()))
            }
            _ => match (self.moment(), that.moment()) {
                (Some((x, a)), Some((y, b))) if x == y => Some(less(a.clone(), b.clone())),
                (None, None) => self.aligned(that).map(|it| less(it.0, it.1)),
                _ => None,
            },
        }
    }

    /// The place of a float, or of the float closest to a constant.
    pub(super) fn float(&self) -> Option<Expr> {
        if let Symbolic::Float(it) = self {
            return Some(it.clone());
        }
        let (number, scale) = self.number()?;
        let value = Value::Number(Decimal::new(number.as_int()?, scale));
        NumericKind::Float.number(&value).map(Expr::int)
    }

    /// Compares two floats by their places, where none is NaN: both zeros are one.
    fn floats(&self, that: &Symbolic, holds: impl Fn(Expr, Expr) -> Expr) -> Option<Expr> {
        let (a, b) = (self.float()?, that.float()?);
        let is_number = |it: &Expr| le(it.clone(), Expr::int(Float64::ENDS.1));
        let place = |it: &Expr| ite(eq(it.clone(), Expr::int(-1)), Expr::int(0), it.clone());
        Some(all([is_number(&a), is_number(&b), holds(place(&a), place(&b))]))
    }

    /// Both as numbers of one scale.
    fn aligned(&self, that: &Symbolic) -> Option<CommonScale> {
        let ((a, x), (b, y)) = (self.number()?, that.number()?);
        let scale = x.max(y);
        Some(CommonScale(scaled(a, scale - x)?, scaled(b, scale - y)?, scale))
    }

    /// This when `condition` holds, else that; none if they are of different kinds.
    pub(super) fn merge(condition: &Expr, this: &Symbolic, that: &Symbolic) -> Option<Symbolic> {
        let pick = |a: &Expr, b: &Expr| ite(condition.clone(), a.clone(), b.clone());
        Some(match (this.bare(), that.bare()) {
            (Symbolic::Bool(a), Symbolic::Bool(b)) => Symbolic::Bool(pick(a, b)),
            (Symbolic::Text(a), Symbolic::Text(b)) => Symbolic::Text(pick(a, b)),
            (Symbolic::Date(a), Symbolic::Date(b)) => Symbolic::Date(pick(a, b)),
            (Symbolic::Float(a), Symbolic::Float(b)) => Symbolic::Float(pick(a, b)),
            (Symbolic::Time(a), Symbolic::Time(b)) => Symbolic::Time(pick(a, b)),
            (Symbolic::DateTime(a), Symbolic::DateTime(b)) => Symbolic::DateTime(pick(a, b)),
            (Symbolic::Duration(a), Symbolic::Duration(b)) => Symbolic::Duration(pick(a, b)),
            (Symbolic::Case(a, x), Symbolic::Case(b, y)) => {
                let names = united(x, y);
                let to = |of: &Expr, from: &[Name]| renumbered(of, from, &names);
                Symbolic::Case(pick(&to(a, x), &to(b, y)), names.clone().into())
            }
            (Symbolic::Option(a, x), Symbolic::Option(b, y)) => {
                let content = match (x, y) {
                    (Some(x), Some(y)) => Some(Box::new(Symbolic::merge(condition, x, y)?)),
                    _ => x.clone().or_else(|| y.clone()),
                };
                Symbolic::Option(pick(a, b), content)
            }
            (Symbolic::List(a, x), Symbolic::List(b, y)) => {
                let both = x.iter().zip(y).map(|(x, y)| Symbolic::merge(condition, x, y));
                let mut items = both.collect::<Option<Vec<_>>>()?;
                let longer = if x.len() > y.len() { x } else { y };
                items.extend_from_slice(&longer[items.len()..]);
                Symbolic::List(pick(a, b), items)
            }
            (Symbolic::Object(x), Symbolic::Object(y)) if x.len() == y.len() => {
                let field = |(x, y): (&(Name, Symbolic), &(Name, Symbolic))| {
                    let merged = Symbolic::merge(condition, &x.1, &y.1)?;
                    (x.0 == y.0).then(|| (x.0.clone(), merged))
                };
                Symbolic::Object(x.iter().zip(y).map(field).collect::<Option<_>>()?)
            }
            (Symbolic::Union(a, x), Symbolic::Union(b, y)) => {
                let names = |of: &[(Name, Symbolic)]| of.iter().map(|it| it.0.clone()).collect::<Vec<_>>();
                let (from_x, from_y) = (names(x), names(y));
                let to = united(&from_x, &from_y);
                let find = |of: &[(Name, Symbolic)], name: &Name| {
                    of.iter().find(|it| it.0 == *name).map(|it| it.1.clone())
                };
                let case = |name: &Name| match (find(x, name), find(y, name)) {
                    (Some(x), Some(y)) => Some((name.clone(), Symbolic::merge(condition, &x, &y)?)),
                    (x, y) => Some((name.clone(), x.or(y)?)),
                };
                let cases = to.iter().map(case).collect::<Option<_>>()?;
                Symbolic::Union(pick(&renumbered(a, &from_x, &to), &renumbered(b, &from_y, &to)), cases)
            }
            (Symbolic::Row(a, x), Symbolic::Row(b, y)) if x == y => Symbolic::Row(pick(a, b), x.clone()),
            (Symbolic::Number(..), _) | (_, Symbolic::Number(..)) => {
                let CommonScale(a, b, scale) = this.aligned(that)?;
                Symbolic::Number(pick(&a, &b), scale)
            }
            _ => Symbolic::Int(pick(&this.int()?, &that.int()?)),
        })
    }

    /// The one of `count` values that stands at a place which is known to be one of theirs.
    pub(super) fn select(
        place: &Expr,
        from: usize,
        to: usize,
        at: &dyn Fn(usize) -> Option<Symbolic>,
    ) -> Option<Symbolic> {
        if let Some(known) = place.as_int() {
            return at(usize::try_from(known).ok().filter(|it| (from..to).contains(it))?);
        }
        if to - from == 1 {
            return at(from);
        }
        let middle = from.midpoint(to);
        let (a, b) = (Symbolic::select(place, from, middle, at)?, Symbolic::select(place, middle, to, at)?);
        Symbolic::merge(&lt(place.clone(), Expr::int(middle as i128)), &a, &b)
    }

    /// A number of that scale; a whole number at scale 0 stays whole if `whole`.
    pub(super) fn of_scale(expr: Expr, scale: u32, whole: bool) -> Symbolic {
        if whole { Symbolic::Int(expr) } else { Symbolic::Number(expr, scale) }
    }

    /// The distance of two numbers, dates, times or durations is at least `by` (in days or seconds).
    pub(super) fn apart(&self, that: &Symbolic, by: Decimal) -> Option<Expr> {
        let far = |a: Expr, b: Expr, by: Expr| {
            let mut either = [le(add([a.clone(), by.clone()]), b.clone()), le(add([b, by]), a)];
            // The same in both orders.
            either.sort();
            any(either)
        };
        let (a, b) = match (self.moment(), that.moment()) {
            (Some((x, a)), Some((y, b))) if x == y => (Symbolic::Int(a.clone()), Symbolic::Int(b.clone())),
            (None, None) => (self.clone(), that.clone()),
            _ => return None,
        };
        let CommonScale(a, b, scale) = a.aligned(&b)?;
        let most = scale.max(by.scale());
        Some(far(scaled(a, most - scale)?, scaled(b, most - scale)?, Expr::int(by.at_scale(most)?)))
    }
}

fn no() -> Expr {
    Expr::bool(false)
}

/// Whether a number is that place.
fn is(of: &Expr, place: usize) -> Expr {
    eq(of.clone(), Expr::int(place as i128))
}

/// A number with this many more digits after the point.
pub(super) fn scaled(of: Expr, digits: u32) -> Option<Expr> {
    Some(mul(Expr::int(10_i128.checked_pow(digits)?), of))
}

/// The day a year begins, or one beyond all days.
fn first_day(year: i128) -> Expr {
    let beyond = if year < 1 { Date::MIN.days() - 1 } else { Date::MAX.days() + 1 };
    Expr::int(Date::from_ymd(year, 1, 1).map_or(beyond, Date::days))
}

/// The places of equal names.
fn pairs<'a, T>(x: &'a [T], y: &'a [T], name: fn(&T) -> &Name) -> impl Iterator<Item = (usize, usize)> + 'a {
    let place = move |of: &T| y.iter().position(|it| name(it) == name(of));
    x.iter().enumerate().filter_map(move |(i, it)| Some((i, place(it)?)))
}

/// The names of both, each once.
fn united(x: &[Name], y: &[Name]) -> Vec<Name> {
    x.iter().chain(y.iter().filter(|it| !x.contains(it))).cloned().collect()
}

/// The place among `to` of the name that stands at a place among `from`.
fn renumbered(place: &Expr, from: &[Name], to: &[Name]) -> Expr {
    if to.starts_with(from) {
        return place.clone();
    }
    let at = |i: usize| Some(Symbolic::Int(Expr::int(to.iter().position(|it| *it == from[i])? as i128)));
    let found = Symbolic::select(place, 0, from.len(), &at).and_then(|it| it.int());
    found.unwrap_or_else(|| place.clone())
}
