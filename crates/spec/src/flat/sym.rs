//! Symbolic values: what a term is worth when the slots are not known yet.

use std::sync::Arc;

use super::{Expr, add, all, any, calendar, edits_at_least, eq, implies, ite, le, lt, mul, not, text_lt};
use crate::{Date, Decimal, Name, Table, Value};

/// A value over slots. Mirrors [`Value`].
#[derive(Clone, Debug)]
pub(super) enum Sym {
    Bool(Expr),
    Int(Expr),
    /// The year of a day: an interval of days when it is compared with a constant.
    Year(Expr),
    /// The number of edits between two texts, which can only be compared.
    Edits(Expr, Expr),
    /// A mantissa and its scale.
    Number(Expr, u32),
    Text(Expr),
    Date(Expr),
    Time(Expr),
    DateTime(Expr),
    Duration(Expr),
    /// The sum of a list of durations: a whole number when the list is empty, as the first says.
    DurationSum(Expr, Expr),
    Case(Expr, Arc<[Name]>),
    /// Whether it is a value, and the value where there can be one.
    Option(Expr, Option<Box<Sym>>),
    /// The length, and as many elements as there can be.
    List(Expr, Vec<Sym>),
    Object(Vec<(Name, Sym)>),
    Union(Expr, Vec<(Name, Sym)>),
    Row(Expr, Arc<Table>),
}

/// Two numbers brought to one scale.
struct Aligned(Expr, Expr, u32);

impl Sym {
    /// A constant.
    pub(super) fn of(value: &Value) -> Sym {
        match value {
            Value::Bool(it) => Sym::Bool(Expr::bool(*it)),
            Value::Int(it) => Sym::Int(Expr::int(*it)),
            Value::Number(it) => Sym::Number(Expr::int(it.mantissa()), it.scale()),
            Value::Text(it) => Sym::Text(Expr::text(it)),
            Value::Date(it) => Sym::Date(Expr::int(it.days())),
            Value::Time(it) => Sym::Time(Expr::int(it.seconds())),
            Value::DateTime(it) => Sym::DateTime(Expr::int(it.seconds())),
            Value::Duration(it) => Sym::Duration(Expr::int(it.seconds())),
            Value::Case(it) => Sym::Case(Expr::int(0), [it.clone()].into()),
            Value::Option(None) => Sym::Option(Expr::bool(false), None),
            Value::Option(Some(it)) => Sym::Option(Expr::bool(true), Some(Box::new(Sym::of(it)))),
            Value::List(items) => {
                Sym::List(Expr::int(items.len() as i128), items.iter().map(Sym::of).collect())
            }
            Value::Object(fields) => {
                Sym::Object(fields.iter().map(|it| (it.0.clone(), Sym::of(&it.1))).collect())
            }
            Value::Union(case, it) => Sym::Union(Expr::int(0), vec![(case.clone(), Sym::of(it))]),
            Value::Row(table, row) => Sym::Row(Expr::int((*row).into()), table.clone()),
        }
    }

    /// As a whole number, if it is one.
    pub(super) fn int(&self) -> Option<Expr> {
        match self {
            Sym::Int(it) => Some(it.clone()),
            Sym::Year(days) => Some(calendar::year(days)),
            _ => None,
        }
    }

    /// As a decimal with its scale, if it is a number.
    pub(super) fn number(&self) -> Option<(Expr, u32)> {
        match self {
            Sym::Number(it, scale) => Some((it.clone(), *scale)),
            _ => Some((self.int()?, 0)),
        }
    }

    /// The whole number that stands for a date, time or duration.
    fn moment(&self) -> Option<(u8, &Expr)> {
        match self {
            Sym::Date(it) => Some((0, it)),
            Sym::Time(it) => Some((1, it)),
            Sym::DateTime(it) => Some((2, it)),
            Sym::Duration(it) => Some((3, it)),
            _ => None,
        }
    }

    /// What a sum of durations can be, each with its condition.
    fn kinds(&self) -> Vec<(Expr, Sym)> {
        match self {
            Sym::DurationSum(empty, seconds) => vec![
                (empty.clone(), Sym::Int(Expr::int(0))),
                (not(empty.clone()), Sym::Duration(seconds.clone())),
            ],
            _ => vec![(Expr::bool(true), self.clone())],
        }
    }

    /// Whether a relation holds between what two values can be.
    fn in_kinds(&self, that: &Sym, holds: impl Fn(&Sym, &Sym) -> Expr) -> Expr {
        let (these, those) = (self.kinds(), that.kinds());
        let pairs = these.iter().flat_map(|a| those.iter().map(move |b| (a, b)));
        any(pairs.map(|((x, a), (y, b))| all([x.clone(), y.clone(), holds(a, b)])))
    }

    /// Whether two values are equal; those of different kinds are not.
    pub(super) fn equal(&self, that: &Sym) -> Expr {
        match (self, that) {
            (Sym::DurationSum(..), _) | (_, Sym::DurationSum(..)) => self.in_kinds(that, Sym::equal),
            (Sym::Bool(a), Sym::Bool(b)) | (Sym::Text(a), Sym::Text(b)) => eq(a.clone(), b.clone()),
            (Sym::Edits(..), _) | (_, Sym::Edits(..)) | (Sym::Year(_), _) | (_, Sym::Year(_)) => {
                all([self.compare(that, false), that.compare(self, false)].map(|it| it.unwrap_or_else(no)))
            }
            (Sym::Case(a, x), Sym::Case(b, y)) if x == y => eq(a.clone(), b.clone()),
            (Sym::Case(a, x), Sym::Case(b, y)) => {
                any(pairs(x, y, |it| it).map(|(i, j)| all([is(a, i), is(b, j)])))
            }
            (Sym::Option(a, x), Sym::Option(b, y)) => {
                let content = match (x, y) {
                    (Some(x), Some(y)) => x.equal(y),
                    _ => Expr::bool(false),
                };
                all([eq(a.clone(), b.clone()), any([not(a.clone()), content])])
            }
            (Sym::List(a, x), Sym::List(b, y)) => {
                let shared = x.len().min(y.len());
                let items = x.iter().zip(y).enumerate();
                let items = items.map(|(i, (x, y))| implies(lt(Expr::int(i as i128), a.clone()), x.equal(y)));
                let fits = le(a.clone(), Expr::int(shared as i128));
                all([eq(a.clone(), b.clone()), fits].into_iter().chain(items))
            }
            (Sym::Object(x), Sym::Object(y)) => {
                let same = x.len() == y.len() && x.iter().zip(y).all(|(x, y)| x.0 == y.0);
                if same { all(x.iter().zip(y).map(|(x, y)| x.1.equal(&y.1))) } else { no() }
            }
            (Sym::Union(a, x), Sym::Union(b, y)) => {
                any(pairs(x, y, |it| &it.0).map(|(i, j)| all([is(a, i), is(b, j), x[i].1.equal(&y[j].1)])))
            }
            (Sym::Row(a, x), Sym::Row(b, y)) if x == y => eq(a.clone(), b.clone()),
            _ => match (self.moment(), that.moment()) {
                (Some((x, a)), Some((y, b))) if x == y => eq(a.clone(), b.clone()),
                (None, None) => self.aligned(that).map_or_else(no, |it| eq(it.0, it.1)),
                _ => no(),
            },
        }
    }

    /// Whether this is less than (or, unless `strict`, equal to) that; none if they have no order.
    pub(super) fn compare(&self, that: &Sym, strict: bool) -> Option<Expr> {
        let less = |a: Expr, b: Expr| if strict { lt(a, b) } else { le(a, b) };
        match (self, that) {
            (Sym::DurationSum(..), _) | (_, Sym::DurationSum(..)) => {
                Some(self.in_kinds(that, |a, b| a.compare(b, strict).unwrap_or_else(no)))
            }
            (Sym::Text(a), Sym::Text(b)) if strict => Some(text_lt(a.clone(), b.clone())),
            (Sym::Text(a), Sym::Text(b)) => Some(not(text_lt(b.clone(), a.clone()))),
            (Sym::Edits(..), Sym::Edits(..)) => None,
            (Sym::Edits(a, b), _) => {
                let limit = add([that.int()?, Expr::int(i128::from(!strict))]);
                Some(not(edits_at_least(a.clone(), b.clone(), limit)))
            }
            (_, Sym::Edits(a, b)) => {
                let limit = add([self.int()?, Expr::int(i128::from(strict))]);
                Some(edits_at_least(a.clone(), b.clone(), limit))
            }
            (Sym::Year(days), Sym::Int(year)) if year.as_int().is_some() => {
                Some(lt(days.clone(), first_day(year.as_int()?.saturating_add(i128::from(!strict)))))
            }
            (Sym::Int(year), Sym::Year(days)) if year.as_int().is_some() => {
                Some(le(first_day(year.as_int()?.saturating_add(i128::from(strict))), days.clone()))
            }
            _ => match (self.moment(), that.moment()) {
                (Some((x, a)), Some((y, b))) if x == y => Some(less(a.clone(), b.clone())),
                (None, None) => self.aligned(that).map(|it| less(it.0, it.1)),
                _ => None,
            },
        }
    }

    /// Both as numbers of one scale.
    fn aligned(&self, that: &Sym) -> Option<Aligned> {
        let ((a, x), (b, y)) = (self.number()?, that.number()?);
        let scale = x.max(y);
        Some(Aligned(scaled(a, scale - x)?, scaled(b, scale - y)?, scale))
    }

    /// This when `condition` holds, else that; none if they are of different kinds.
    pub(super) fn merge(condition: &Expr, this: &Sym, that: &Sym) -> Option<Sym> {
        let pick = |a: &Expr, b: &Expr| ite(condition.clone(), a.clone(), b.clone());
        Some(match (this, that) {
            (Sym::Bool(a), Sym::Bool(b)) => Sym::Bool(pick(a, b)),
            (Sym::Text(a), Sym::Text(b)) => Sym::Text(pick(a, b)),
            (Sym::Date(a), Sym::Date(b)) => Sym::Date(pick(a, b)),
            (Sym::Time(a), Sym::Time(b)) => Sym::Time(pick(a, b)),
            (Sym::DateTime(a), Sym::DateTime(b)) => Sym::DateTime(pick(a, b)),
            (Sym::Duration(a), Sym::Duration(b)) => Sym::Duration(pick(a, b)),
            (Sym::Case(a, x), Sym::Case(b, y)) => {
                let names = united(x, y);
                let to = |of: &Expr, from: &[Name]| renumbered(of, from, &names);
                Sym::Case(pick(&to(a, x), &to(b, y)), names.clone().into())
            }
            (Sym::Option(a, x), Sym::Option(b, y)) => {
                let content = match (x, y) {
                    (Some(x), Some(y)) => Some(Box::new(Sym::merge(condition, x, y)?)),
                    _ => x.clone().or_else(|| y.clone()),
                };
                Sym::Option(pick(a, b), content)
            }
            (Sym::List(a, x), Sym::List(b, y)) => {
                let both = x.iter().zip(y).map(|(x, y)| Sym::merge(condition, x, y));
                let mut items = both.collect::<Option<Vec<_>>>()?;
                let longer = if x.len() > y.len() { x } else { y };
                items.extend_from_slice(&longer[items.len()..]);
                Sym::List(pick(a, b), items)
            }
            (Sym::Object(x), Sym::Object(y)) if x.len() == y.len() => {
                let field = |(x, y): (&(Name, Sym), &(Name, Sym))| {
                    let merged = Sym::merge(condition, &x.1, &y.1)?;
                    (x.0 == y.0).then(|| (x.0.clone(), merged))
                };
                Sym::Object(x.iter().zip(y).map(field).collect::<Option<_>>()?)
            }
            (Sym::Union(a, x), Sym::Union(b, y)) => {
                let names = |of: &[(Name, Sym)]| of.iter().map(|it| it.0.clone()).collect::<Vec<_>>();
                let (from_x, from_y) = (names(x), names(y));
                let to = united(&from_x, &from_y);
                let find = |of: &[(Name, Sym)], name: &Name| {
                    of.iter().find(|it| it.0 == *name).map(|it| it.1.clone())
                };
                let case = |name: &Name| match (find(x, name), find(y, name)) {
                    (Some(x), Some(y)) => Some((name.clone(), Sym::merge(condition, &x, &y)?)),
                    (x, y) => Some((name.clone(), x.or(y)?)),
                };
                let cases = to.iter().map(case).collect::<Option<_>>()?;
                Sym::Union(pick(&renumbered(a, &from_x, &to), &renumbered(b, &from_y, &to)), cases)
            }
            (Sym::Row(a, x), Sym::Row(b, y)) if x == y => Sym::Row(pick(a, b), x.clone()),
            (Sym::Number(..), _) | (_, Sym::Number(..)) => {
                let Aligned(a, b, scale) = this.aligned(that)?;
                Sym::Number(pick(&a, &b), scale)
            }
            _ => Sym::Int(pick(&this.int()?, &that.int()?)),
        })
    }

    /// The one of `count` values that stands at a place which is known to be one of theirs.
    pub(super) fn select(
        place: &Expr,
        from: usize,
        to: usize,
        at: &dyn Fn(usize) -> Option<Sym>,
    ) -> Option<Sym> {
        if let Some(known) = place.as_int() {
            return at(usize::try_from(known).ok().filter(|it| (from..to).contains(it))?);
        }
        if to - from == 1 {
            return at(from);
        }
        let middle = from.midpoint(to);
        let (a, b) = (Sym::select(place, from, middle, at)?, Sym::select(place, middle, to, at)?);
        Sym::merge(&lt(place.clone(), Expr::int(middle as i128)), &a, &b)
    }

    /// A number of that scale; a whole number at scale 0 stays whole if `whole`.
    pub(super) fn of_scale(expr: Expr, scale: u32, whole: bool) -> Sym {
        if whole { Sym::Int(expr) } else { Sym::Number(expr, scale) }
    }

    /// The distance of two numbers, dates, times or durations is at least `by` (in days or seconds).
    pub(super) fn apart(&self, that: &Sym, by: Decimal) -> Option<Expr> {
        let far = |a: Expr, b: Expr, by: Expr| {
            let mut either = [le(add([a.clone(), by.clone()]), b.clone()), le(add([b, by]), a)];
            // The same in both orders.
            either.sort();
            any(either)
        };
        let (a, b) = match (self.moment(), that.moment()) {
            (Some((x, a)), Some((y, b))) if x == y => (Sym::Int(a.clone()), Sym::Int(b.clone())),
            (None, None) => (self.clone(), that.clone()),
            _ => return None,
        };
        let Aligned(a, b, scale) = a.aligned(&b)?;
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

/// A number with so many more digits after the point.
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
    let at = |i: usize| Some(Sym::Int(Expr::int(to.iter().position(|it| *it == from[i])? as i128)));
    let found = Sym::select(place, 0, from.len(), &at).and_then(|it| it.int());
    found.unwrap_or_else(|| place.clone())
}
