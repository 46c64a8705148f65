//! Lowering of terms to expressions.

use std::cell::Cell;

use super::sym::{Sym, scaled};
use super::{
    Expr, add, all, any, calendar, concat, contains, div, ends_with, eq, implies, index_of, ite, le, len, lt,
    matches, modulo, mul, not, starts_with, sub, substr,
};
use crate::{Date, Duration, Node, Op, Quantifier, Term};

/// Seconds in a day.
const DAY: i128 = 86_400;

/// Terms nested deeper than this are refused, so that lowering stays within a small stack.
const DEPTH_MAX: usize = 200;

/// What the leaves of a term stand for.
#[derive(Clone)]
pub(super) struct Scope<'a> {
    pub(super) it: &'a Sym,
    pub(super) other: Option<&'a Sym>,
    bound: Vec<(u32, Sym)>,
    depth: Cell<usize>,
}

/// A lowered term, and whether it is defined.
#[derive(Clone)]
pub(super) struct Low {
    pub(super) sym: Sym,
    pub(super) defined: Expr,
}

impl Low {
    fn defined(sym: Sym) -> Low {
        Low { sym, defined: Expr::bool(true) }
    }

    fn truth(expr: Expr) -> Low {
        Low::defined(Sym::Bool(expr))
    }

    /// A sum of durations as a duration, where anything but a comparison is made with it.
    fn plain(self) -> Low {
        match self.sym {
            Sym::DurationSum(empty, seconds) => {
                Low { sym: Sym::Duration(seconds), defined: all([self.defined, not(empty)]) }
            }
            _ => self,
        }
    }

    fn undefined() -> Low {
        Low { sym: Sym::Bool(Expr::bool(false)), defined: Expr::bool(false) }
    }
}

impl<'a> Scope<'a> {
    pub(super) fn new(it: &'a Sym, other: Option<&'a Sym>) -> Scope<'a> {
        Scope { it, other, bound: Vec::new(), depth: Cell::new(0) }
    }

    /// Whether a term holds.
    pub(super) fn truth(&self, term: &Term) -> Result<Expr, String> {
        let low = self.lower(term)?;
        Ok(if let Sym::Bool(it) = low.sym { all([low.defined, it]) } else { Expr::bool(false) })
    }

    /// A term's value. The error names what solvers cannot be asked.
    pub(super) fn lower(&self, term: &Term) -> Result<Low, String> {
        if self.depth.get() >= DEPTH_MAX {
            return Err(format!(
                "a term is nested more than {DEPTH_MAX} deep; split it into several requirements"
            ));
        }
        self.depth.set(self.depth.get() + 1);
        let low = self.lower_node(term);
        self.depth.set(self.depth.get() - 1);
        low
    }

    fn lower_node(&self, term: &Term) -> Result<Low, String> {
        Ok(match term.node() {
            Node::It => Low::defined(self.it.clone()),
            Node::Other => self.other.map_or_else(Low::undefined, |it| Low::defined(it.clone())),
            Node::Bound(number) => {
                let found = self.bound.iter().rev().find(|it| it.0 == *number);
                found.map_or_else(Low::undefined, |it| Low::defined(it.1.clone()))
            }
            Node::Const(value) => Low::defined(Sym::of(value)),
            Node::Field(of, name) => field(self.lower(of)?, name)?,
            Node::Matches(of, regex) => {
                let low = self.lower(of)?;
                let Sym::Text(text) = low.sym else { return Ok(Low::truth(Expr::bool(false))) };
                Low::truth(all([low.defined, matches(text, regex.clone())]))
            }
            Node::Is(of, name) => {
                let low = self.lower(of)?;
                let Sym::Union(tag, cases) = low.sym else { return Ok(Low::truth(Expr::bool(false))) };
                let place = cases.iter().position(|it| it.0 == *name);
                let is = place.map_or(Expr::bool(false), |it| eq(tag, Expr::int(it as i128)));
                Low::truth(all([low.defined, is]))
            }
            Node::As(of, name) => {
                let low = self.lower(of)?;
                let Sym::Union(tag, cases) = low.sym else { return Ok(Low::undefined()) };
                let Some(place) = cases.iter().position(|it| it.0 == *name) else {
                    return Ok(Low::undefined());
                };
                let defined = all([low.defined, eq(tag, Expr::int(place as i128))]);
                Low { sym: cases[place].1.clone(), defined }
            }
            Node::Quantified(kind, number, list, body) => {
                let low = self.lower(list)?;
                let Sym::List(length, items) = low.sym else { return Ok(Low::truth(Expr::bool(false))) };
                let mut parts = Vec::new();
                for (place, item) in items.iter().enumerate() {
                    let mut scope = self.clone();
                    scope.bound.push((*number, item.clone()));
                    let here = lt(Expr::int(place as i128), length.clone());
                    let holds = scope.truth(body)?;
                    parts.push(match kind {
                        Quantifier::Forall => implies(here, holds),
                        Quantifier::Exists => all([here, holds]),
                    });
                }
                let holds = if *kind == Quantifier::Forall { all(parts) } else { any(parts) };
                Low::truth(all([low.defined, holds]))
            }
            Node::Apply(op, args) => self.apply(*op, args)?,
        })
    }

    fn apply(&self, op: Op, args: &[Term]) -> Result<Low, String> {
        match op {
            Op::And => Ok(Low::truth(all(self.truths(op, args)?))),
            Op::Or => Ok(Low::truth(any(self.truths(op, args)?))),
            Op::Not => {
                let [of] = args else { return Ok(Low::undefined()) };
                Ok(Low::truth(not(self.truth(of)?)))
            }
            Op::Ite => {
                let [condition, a, b] = args else { return Ok(Low::undefined()) };
                let condition = self.truth(condition)?;
                let (a, b) = (self.lower(a)?.plain(), self.lower(b)?.plain());
                match condition.as_bool() {
                    Some(true) => return Ok(a),
                    Some(false) => return Ok(b),
                    None => {}
                }
                let defined = ite(condition.clone(), a.defined.clone(), b.defined.clone());
                // An alternative that is never defined has no kind of its own.
                if a.defined.as_bool() == Some(false) || b.defined.as_bool() == Some(false) {
                    let sym = if a.defined.as_bool() == Some(false) { b.sym } else { a.sym };
                    return Ok(Low { sym, defined });
                }
                Ok(match Sym::merge(&condition, &a.sym, &b.sym) {
                    Some(sym) => Low { sym, defined },
                    None => return Err(mixed("an `if`")),
                })
            }
            _ => {
                let compares = matches!(op, Op::Eq | Op::Lt | Op::Le);
                let plain = |it: Low| if compares { it } else { it.plain() };
                let lows = args.iter().map(|it| self.lower(it).map(plain)).collect::<Result<Vec<_>, _>>()?;
                let defined = all(lows.iter().map(|it| it.defined.clone()));
                let syms: Vec<Sym> = lows.into_iter().map(|it| it.sym).collect();
                let edits = syms.iter().filter(|it| matches!(it, Sym::Edits(..))).count();
                if edits > usize::from(compares) {
                    return Err("an edit-distance can be compared with a number, but not calculated with; compare it with a number".into());
                }
                if let Some(holds) = predicate(op, &syms) {
                    return Ok(Low::truth(all([defined, holds])));
                }
                let done = match (op, &syms[..]) {
                    (Op::Nth, [Sym::List(length, items), place]) => match place.int() {
                        Some(place) => Some(nth(length, items, &place)?),
                        None => None,
                    },
                    _ => operation(op, &syms),
                };
                Ok(match done {
                    Some(low) => Low { sym: low.sym, defined: all([defined, low.defined]) },
                    None if is_predicate(op) => Low::truth(Expr::bool(false)),
                    None => Low::undefined(),
                })
            }
        }
    }

    /// The truths of the parts of a conjunction or disjunction. Long ones are often nested as deep as they are
    /// long, so they are taken apart without recursion.
    fn truths(&self, op: Op, args: &[Term]) -> Result<Vec<Expr>, String> {
        let mut truths = Vec::new();
        let mut rest: Vec<&Term> = args.iter().rev().collect();
        while let Some(term) = rest.pop() {
            match term.node() {
                Node::Apply(inner, args) if *inner == op => rest.extend(args.iter().rev()),
                _ => truths.push(self.truth(term)?),
            }
        }
        Ok(truths)
    }
}

fn field(of: Low, name: &str) -> Result<Low, String> {
    Ok(match &of.sym {
        Sym::Object(fields) => match fields.iter().find(|it| &*it.0 == name) {
            Some((_, sym)) => Low { sym: sym.clone(), defined: of.defined },
            None => Low::undefined(),
        },
        Sym::Row(row, table) => {
            let Some(column) = table.columns.iter().position(|it| &**it == name) else {
                return Ok(Low::undefined());
            };
            let at = |row: usize| table.rows[row].get(column).map(Sym::of);
            match Sym::select(row, 0, table.rows.len(), &at) {
                Some(sym) => Low { sym, defined: of.defined },
                None => return Err(mixed(&format!("the column `{name}` of {}", table.name))),
            }
        }
        _ => Low::undefined(),
    })
}

/// Something that can be of several kinds is of one only when the slots are known.
fn mixed(what: &str) -> String {
    format!("{what} has values of different kinds to choose from; make them all of one kind")
}

/// Whether an operation gives a truth, which is false rather than undefined.
fn is_predicate(op: Op) -> bool {
    use Op::*;
    matches!(op, Eq | Lt | Le | StartsWith | EndsWith | Contains | In | Sorted | Distinct | IsSome)
}

/// Operations that give a truth; none for others, and for arguments they do not take.
fn predicate(op: Op, args: &[Sym]) -> Option<Expr> {
    Some(match (op, args) {
        (Op::Eq, [a, b]) => a.equal(b),
        (Op::Lt, [a, b]) => a.compare(b, true)?,
        (Op::Le, [a, b]) => a.compare(b, false)?,
        (Op::StartsWith, [Sym::Text(a), Sym::Text(b)]) => starts_with(a.clone(), b.clone()),
        (Op::EndsWith, [Sym::Text(a), Sym::Text(b)]) => ends_with(a.clone(), b.clone()),
        (Op::Contains, [Sym::Text(a), Sym::Text(b)]) => contains(a.clone(), b.clone()),
        (Op::In, [item, Sym::List(length, items)]) => {
            let is = |(i, it): (usize, &Sym)| all([within(i, length), item.equal(it)]);
            any(items.iter().enumerate().map(is))
        }
        (Op::Sorted, [Sym::List(length, items)]) => {
            let ordered =
                |pair: &[Sym]| pair[0].compare(&pair[1], false).unwrap_or_else(|| Expr::bool(false));
            let pairs = items.windows(2).enumerate();
            all(pairs.map(|(i, pair)| implies(within(i + 1, length), ordered(pair))))
        }
        (Op::Distinct, [Sym::List(length, items)]) => {
            let mut parts = Vec::new();
            for (j, b) in items.iter().enumerate() {
                parts.extend(items[..j].iter().map(|a| implies(within(j, length), not(a.equal(b)))));
            }
            all(parts)
        }
        (Op::IsSome, [Sym::Option(some, _)]) => some.clone(),
        _ => return None,
    })
}

/// Whether a list of that length has an element at that place.
fn within(place: usize, length: &Expr) -> Expr {
    lt(Expr::int(place as i128), length.clone())
}

/// Operations that give another value; none for arguments they do not take.
fn operation(op: Op, args: &[Sym]) -> Option<Low> {
    let sym = match (op, args) {
        (Op::Add, _) => return sum(args),
        (Op::Sub, [a, b]) => return difference(a, b),
        (Op::Mul, _) => return product(args),
        (Op::Div | Op::Mod, [a, b]) => {
            let (a, b) = (a.int()?, b.int()?);
            let defined = not(eq(b.clone(), Expr::int(0)));
            if defined.as_bool() == Some(false) {
                return Some(Low::undefined());
            }
            let sym = Sym::Int(if op == Op::Div { div(a, b) } else { modulo(a, b) });
            return Some(Low { sym, defined });
        }
        (Op::Neg, [a]) => return product(&[Sym::Int(Expr::int(-1)), a.clone()]),
        (Op::Abs, [a]) => {
            let minus = product(&[Sym::Int(Expr::int(-1)), a.clone()])?.sym;
            let zero =
                if let Sym::Duration(_) = a { Sym::Duration(Expr::int(0)) } else { Sym::Int(Expr::int(0)) };
            Sym::merge(&a.compare(&zero, true)?, &minus, a)?
        }
        (Op::Len, [Sym::Text(text)]) => Sym::Int(len(text.clone())),
        (Op::Len, [Sym::List(length, _)]) => Sym::Int(length.clone()),
        (Op::Concat, _) => Sym::Text(concat(args.iter().map(text).collect::<Option<Vec<_>>>()?)),
        (Op::Substr, [Sym::Text(of), start, length]) => {
            let (start, length) = (start.int()?, length.int()?);
            let zero = Expr::int(0);
            let defined = all([
                le(zero.clone(), start.clone()),
                le(zero, length.clone()),
                le(start.clone(), len(of.clone())),
            ]);
            return Some(Low { sym: Sym::Text(substr(of.clone(), start, length)), defined });
        }
        (Op::IndexOf, [Sym::Text(a), Sym::Text(b)]) => Sym::Int(index_of(a.clone(), b.clone())),
        (Op::EditDistance, [Sym::Text(a), Sym::Text(b)]) => Sym::Edits(a.clone(), b.clone()),
        (Op::Sum, [Sym::List(length, items)]) => return list_sum(length, items),
        (Op::Unwrap, [Sym::Option(_, None)]) => return Some(Low::undefined()),
        (Op::Unwrap, [Sym::Option(some, Some(it))]) => {
            return Some(Low { sym: (**it).clone(), defined: some.clone() });
        }
        (Op::Year | Op::Month | Op::Day | Op::Weekday, [of]) => date_part(op, of)?,
        (Op::DateOf, [Sym::DateTime(seconds)]) => Sym::Date(div(seconds.clone(), Expr::int(DAY))),
        (Op::TimeOf, [Sym::DateTime(seconds)]) => Sym::Time(modulo(seconds.clone(), Expr::int(DAY))),
        (Op::ToInt, [of]) => Sym::Int(match of {
            Sym::Bool(it) => ite(it.clone(), Expr::int(1), Expr::int(0)),
            Sym::Date(it) | Sym::Time(it) | Sym::DateTime(it) | Sym::Duration(it) => it.clone(),
            Sym::Case(it, _) => it.clone(),
            _ => of.int()?,
        }),
        (Op::List, _) => Sym::List(Expr::int(args.len() as i128), args.to_vec()),
        _ => return None,
    };
    Some(Low::defined(sym))
}

fn nth(length: &Expr, items: &[Sym], place: &Expr) -> Result<Low, String> {
    let defined = all([le(Expr::int(0), place.clone()), lt(place.clone(), length.clone())]);
    let known = place.as_int().map(|it| usize::try_from(it).ok().is_some_and(|it| it < items.len()));
    if items.is_empty() || defined.as_bool() == Some(false) || known == Some(false) {
        return Ok(Low::undefined());
    }
    match Sym::select(place, 0, items.len(), &|it| items.get(it).cloned()) {
        Some(sym) => Ok(Low { sym, defined }),
        None => Err(mixed("a list")),
    }
}

fn date_part(op: Op, of: &Sym) -> Option<Sym> {
    let days = match of {
        Sym::Date(days) => days.clone(),
        Sym::DateTime(seconds) => div(seconds.clone(), Expr::int(DAY)),
        _ => return None,
    };
    Some(match op {
        Op::Year => Sym::Year(days),
        Op::Month => Sym::Int(calendar::month(&days)),
        Op::Day => Sym::Int(calendar::day(&days)),
        _ => Sym::Int(calendar::weekday(&days)),
    })
}

fn text(of: &Sym) -> Option<Expr> {
    if let Sym::Text(it) = of { Some(it.clone()) } else { None }
}

/// A whole number that is defined in a range only.
fn ranged(of: Expr, lo: i128, hi: i128, sym: fn(Expr) -> Sym) -> Low {
    let defined = all([le(Expr::int(lo), of.clone()), le(of.clone(), Expr::int(hi))]);
    Low { sym: sym(of), defined }
}

fn duration(of: Expr) -> Low {
    let most = Duration::MAX.seconds();
    ranged(of, -most, most, Sym::Duration)
}

/// A date, time or date-time moved by so many seconds.
fn moved(of: &Sym, seconds: Expr) -> Option<Low> {
    let last = (Date::MAX.days() + 1) * DAY - 1;
    Some(match of {
        Sym::Date(days) => {
            let days = add([days.clone(), div(seconds, Expr::int(DAY))]);
            ranged(days, Date::MIN.days(), Date::MAX.days(), Sym::Date)
        }
        Sym::Time(at) => ranged(add([at.clone(), seconds]), 0, DAY - 1, Sym::Time),
        Sym::DateTime(at) => ranged(add([at.clone(), seconds]), Date::MIN.days() * DAY, last, Sym::DateTime),
        _ => return None,
    })
}

fn sum(args: &[Sym]) -> Option<Low> {
    match args {
        [Sym::Duration(_), rest @ ..] if rest.iter().all(|it| matches!(it, Sym::Duration(_))) => {
            let seconds = |it: &Sym| if let Sym::Duration(it) = it { it.clone() } else { Expr::int(0) };
            Some(duration(add(args.iter().map(seconds))))
        }
        [moment @ (Sym::Date(_) | Sym::Time(_) | Sym::DateTime(_)), Sym::Duration(by)] => {
            moved(moment, by.clone())
        }
        _ => {
            let numbers = args.iter().map(Sym::number).collect::<Option<Vec<_>>>()?;
            let scale = numbers.iter().map(|it| it.1).max().unwrap_or(0);
            let whole = !args.iter().any(|it| matches!(it, Sym::Number(..)));
            let parts =
                numbers.into_iter().map(|(it, has)| scaled(it, scale - has)).collect::<Option<Vec<_>>>()?;
            Some(Low::defined(Sym::of_scale(add(parts), scale, whole)))
        }
    }
}

fn difference(a: &Sym, b: &Sym) -> Option<Low> {
    Some(match (a, b) {
        (Sym::Date(a), Sym::Date(b)) => duration(mul(Expr::int(DAY), sub(a.clone(), b.clone()))),
        (Sym::Time(a), Sym::Time(b))
        | (Sym::DateTime(a), Sym::DateTime(b))
        | (Sym::Duration(a), Sym::Duration(b)) => duration(sub(a.clone(), b.clone())),
        (_, Sym::Duration(by)) => moved(a, mul(Expr::int(-1), by.clone()))?,
        _ => return sum(&[a.clone(), product(&[Sym::Int(Expr::int(-1)), b.clone()])?.sym]),
    })
}

fn product(args: &[Sym]) -> Option<Low> {
    if args.iter().any(|it| matches!(it, Sym::Duration(_))) {
        let [a, b] = args else { return None };
        let (seconds, times) = match (a, b) {
            (Sym::Duration(seconds), times) | (times, Sym::Duration(seconds)) => {
                (seconds.clone(), times.int()?)
            }
            _ => return None,
        };
        return Some(duration(mul(seconds, times)));
    }
    let numbers = args.iter().map(Sym::number).collect::<Option<Vec<_>>>()?;
    let whole = !args.iter().any(|it| matches!(it, Sym::Number(..)));
    let scale = numbers.iter().map(|it| it.1).sum();
    let all = numbers.into_iter().fold(Expr::int(1), |all, it| mul(all, it.0));
    Some(Low::defined(Sym::of_scale(all, scale, whole)))
}

fn list_sum(length: &Expr, items: &[Sym]) -> Option<Low> {
    if items.is_empty() {
        return Some(Low::defined(Sym::Int(Expr::int(0))));
    }
    let zero =
        if let Sym::Duration(_) = items[0] { Sym::Duration(Expr::int(0)) } else { Sym::Int(Expr::int(0)) };
    let part = |(i, it): (usize, &Sym)| Sym::merge(&within(i, length), it, &zero);
    let parts = items.iter().enumerate().map(part).collect::<Option<Vec<_>>>();
    // What cannot be added up has a sum only when it is empty.
    let empty = Low { sym: Sym::Int(Expr::int(0)), defined: eq(length.clone(), Expr::int(0)) };
    let low = parts.and_then(|it| sum(&it)).unwrap_or(empty);
    Some(match low.sym {
        Sym::Duration(seconds) => {
            let empty = eq(length.clone(), Expr::int(0));
            Low { sym: Sym::DurationSum(empty, seconds), defined: low.defined }
        }
        _ => low,
    })
}
