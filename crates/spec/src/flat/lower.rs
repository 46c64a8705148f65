//! Lowering of terms to expressions.

use std::cell::Cell;

use super::sym::{Symbolic, scaled};
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
pub(super) struct LeafScope<'a> {
    pub(super) it: &'a Symbolic,
    pub(super) other: Option<&'a Symbolic>,
    bound: Vec<(u32, Symbolic)>,
    depth: Cell<usize>,
}

/// A lowered term, and whether it is defined.
#[derive(Clone, Debug)]
pub(super) struct Lowered {
    pub(super) sym: Symbolic,
    pub(super) defined: Expr,
}

impl Lowered {
    fn defined(sym: Symbolic) -> Lowered {
        Lowered { sym, defined: Expr::bool(true) }
    }

    fn truth(expr: Expr) -> Lowered {
        Lowered::defined(Symbolic::Bool(expr))
    }

    /// A sum of durations as a duration, where anything but a comparison is made with it.
    fn plain(self) -> Lowered {
        match self.sym {
            Symbolic::DurationSum(empty, seconds) => {
                Lowered { sym: Symbolic::Duration(seconds), defined: all([self.defined, not(empty)]) }
            }
            _ => self,
        }
    }

    fn undefined() -> Lowered {
        Lowered { sym: Symbolic::Bool(Expr::bool(false)), defined: Expr::bool(false) }
    }
}

impl<'a> LeafScope<'a> {
    pub(super) fn new(it: &'a Symbolic, other: Option<&'a Symbolic>) -> LeafScope<'a> {
        LeafScope { it, other, bound: Vec::new(), depth: Cell::new(0) }
    }

    /// Whether a term holds.
    pub(super) fn truth(&self, term: &Term) -> Result<Expr, String> {
        let low = self.lower(term)?;
        Ok(if let Symbolic::Bool(it) = low.sym { all([low.defined, it]) } else { Expr::bool(false) })
    }

    /// A term's value. The error names what solvers cannot be asked.
    pub(super) fn lower(&self, term: &Term) -> Result<Lowered, String> {
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

    fn lower_node(&self, term: &Term) -> Result<Lowered, String> {
        Ok(match term.node() {
            Node::It => Lowered::defined(self.it.clone()),
            Node::Other => self.other.map_or_else(Lowered::undefined, |it| Lowered::defined(it.clone())),
            Node::Bound(number) => {
                let found = self.bound.iter().rev().find(|it| it.0 == *number);
                found.map_or_else(Lowered::undefined, |it| Lowered::defined(it.1.clone()))
            }
            Node::Const(value) => Lowered::defined(Symbolic::of(value)),
            Node::Field(of, name) => field(self.lower(of)?, name)?,
            Node::Matches(of, regex) => {
                let low = self.lower(of)?;
                let Symbolic::Text(text) = low.sym else { return Ok(Lowered::truth(Expr::bool(false))) };
                Lowered::truth(all([low.defined, matches(text, regex.clone())]))
            }
            Node::Is(of, name) => {
                let low = self.lower(of)?;
                let Symbolic::Union(tag, cases) = low.sym.bare() else {
                    return Ok(Lowered::truth(Expr::bool(false)));
                };
                let place = cases.iter().position(|it| it.0 == *name);
                let is = place.map_or(Expr::bool(false), |it| eq(tag.clone(), Expr::int(it as i128)));
                Lowered::truth(all([low.defined, is]))
            }
            Node::As(of, name) => {
                let low = self.lower(of)?;
                let Symbolic::Union(tag, cases) = low.sym.bare() else { return Ok(Lowered::undefined()) };
                let Some(place) = cases.iter().position(|it| it.0 == *name) else {
                    return Ok(Lowered::undefined());
                };
                let defined = all([low.defined.clone(), eq(tag.clone(), Expr::int(place as i128))]);
                Lowered { sym: cases[place].1.clone(), defined }
            }
            Node::Quantified(kind, number, list, body) => {
                let low = self.lower(list)?;
                let Symbolic::List(length, items) = low.sym else {
                    return Ok(Lowered::truth(Expr::bool(false)));
                };
                if *kind == Quantifier::Each {
                    let (mut made, mut defined) = (Vec::new(), vec![low.defined]);
                    for (place, item) in items.iter().enumerate() {
                        let mut scope = self.clone();
                        scope.bound.push((*number, item.clone()));
                        let here = lt(Expr::int(place as i128), length.clone());
                        let it = scope.lower(body)?;
                        made.push(it.sym);
                        defined.push(implies(here, it.defined));
                    }
                    return Ok(Lowered { sym: Symbolic::List(length, made), defined: all(defined) });
                }
                let mut parts = Vec::new();
                for (place, item) in items.iter().enumerate() {
                    let mut scope = self.clone();
                    scope.bound.push((*number, item.clone()));
                    let here = lt(Expr::int(place as i128), length.clone());
                    let holds = scope.truth(body)?;
                    parts.push(match kind {
                        Quantifier::Forall => implies(here, holds),
                        Quantifier::Exists | Quantifier::Each => all([here, holds]),
                    });
                }
                let holds = if *kind == Quantifier::Forall { all(parts) } else { any(parts) };
                Lowered::truth(all([low.defined, holds]))
            }
            Node::Measure(of, name) => measure(&self.lower(of)?, name)?,
            Node::Apply(op, args) => self.apply(*op, args)?,
        })
    }

    fn apply(&self, op: Op, args: &[Term]) -> Result<Lowered, String> {
        match op {
            Op::And => Ok(Lowered::truth(all(self.truths(op, args)?))),
            Op::Or => Ok(Lowered::truth(any(self.truths(op, args)?))),
            Op::Not => {
                let [of] = args else { return Ok(Lowered::undefined()) };
                Ok(Lowered::truth(not(self.truth(of)?)))
            }
            Op::Ite => {
                let [condition, a, b] = args else { return Ok(Lowered::undefined()) };
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
                    return Ok(Lowered { sym, defined });
                }
                Ok(match Symbolic::merge(&condition, &a.sym, &b.sym) {
                    Some(sym) => Lowered { sym, defined },
                    None => return Err(mixed("an `if`")),
                })
            }
            _ => {
                let compares = matches!(op, Op::Eq | Op::Lt | Op::Le);
                let plain = |it: Lowered| if compares { it } else { it.plain() };
                let lows = args.iter().map(|it| self.lower(it).map(plain)).collect::<Result<Vec<_>, _>>()?;
                let defined = all(lows.iter().map(|it| it.defined.clone()));
                let syms: Vec<Symbolic> = lows.into_iter().map(|it| it.sym).collect();
                let edits = syms.iter().filter(|it| matches!(it, Symbolic::Edits(..))).count();
                if edits > usize::from(compares) {
                    return Err("an edit-distance can be compared with a number, but not calculated with; compare it with a number".into());
                }
                if computes_with_floats(op, &syms) {
                    return Err(
                        "floats are compared by solvers, but not calculated with; compare them as they are"
                            .into(),
                    );
                }
                if let Some(holds) = predicate(op, &syms) {
                    return Ok(Lowered::truth(all([defined, holds])));
                }
                let done = match (op, &syms[..]) {
                    (Op::Nth, [Symbolic::List(length, items), place]) => match place.int() {
                        Some(place) => Some(nth(length, items, &place)?),
                        None => None,
                    },
                    _ => operation(op, &syms),
                };
                Ok(match done {
                    Some(low) => Lowered { sym: low.sym, defined: all([defined, low.defined]) },
                    None if is_predicate(op) => Lowered::truth(Expr::bool(false)),
                    None => Lowered::undefined(),
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

fn field(of: Lowered, name: &str) -> Result<Lowered, String> {
    Ok(match of.sym.bare() {
        Symbolic::Object(fields) => match fields.iter().find(|it| &*it.0 == name) {
            Some((_, sym)) => Lowered { sym: sym.clone(), defined: of.defined },
            None => Lowered::undefined(),
        },
        Symbolic::Row(row, table) => {
            let Some(column) = table.columns.iter().position(|it| &**it == name) else {
                return Ok(Lowered::undefined());
            };
            let at = |row: usize| table.rows[row].get(column).map(Symbolic::of);
            match Symbolic::select(row, 0, table.rows.len(), &at) {
                Some(sym) => Lowered { sym, defined: of.defined },
                None => return Err(mixed(&format!("the column `{name}` of {}", table.name))),
            }
        }
        _ => Lowered::undefined(),
    })
}

/// What a measure of a value is worth: the layout of the value found it out.
fn measure(of: &Lowered, name: &str) -> Result<Lowered, String> {
    // As of an alternative that recursion was cut at.
    if of.defined.as_bool() == Some(false) {
        return Ok(Lowered::undefined());
    }
    let found = match &of.sym {
        Symbolic::Measured(_, measures) => measures.iter().find(|it| &*it.0 == name),
        _ => None,
    };
    let (_, low) = found.ok_or_else(|| format!("the measure `{name}` of such a value is not solved for"))?;
    Ok(Lowered { sym: low.sym.clone(), defined: all([of.defined.clone(), low.defined.clone()]) })
}

/// Something that can be of several kinds is of one only when the slots are known.
fn mixed(what: &str) -> String {
    format!("{what} has values of different kinds to choose from; make them all of one kind")
}

/// Whether an operation needs more of floats than their order.
fn computes_with_floats(op: Op, args: &[Symbolic]) -> bool {
    let is_float = |it: &Symbolic| match it {
        Symbolic::Float(_) => true,
        Symbolic::List(_, items) => matches!(items.first(), Some(Symbolic::Float(_))),
        _ => false,
    };
    match op {
        Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Mod | Op::Neg | Op::Abs | Op::Sum | Op::ToInt => {
            args.iter().any(is_float)
        }
        Op::ToFloat => true,
        // A number that is not known would have to be a float first.
        Op::Eq | Op::Lt | Op::Le => {
            args.iter().any(|it| matches!(it, Symbolic::Float(_)))
                && args.iter().any(|it| it.number().is_some() && it.float().is_none())
        }
        _ => false,
    }
}

/// Whether an operation gives a truth, which is false rather than undefined.
fn is_predicate(op: Op) -> bool {
    use Op::*;
    matches!(op, Eq | Lt | Le | StartsWith | EndsWith | Contains | In | Sorted | Distinct | IsSome)
}

/// Operations that give a truth; none for others, and for arguments they do not take.
fn predicate(op: Op, args: &[Symbolic]) -> Option<Expr> {
    Some(match (op, args) {
        (Op::Eq, [a, b]) => a.equal(b),
        (Op::Lt, [a, b]) => a.compare(b, true)?,
        (Op::Le, [a, b]) => a.compare(b, false)?,
        (Op::StartsWith, [Symbolic::Text(a), Symbolic::Text(b)]) => starts_with(a.clone(), b.clone()),
        (Op::EndsWith, [Symbolic::Text(a), Symbolic::Text(b)]) => ends_with(a.clone(), b.clone()),
        (Op::Contains, [Symbolic::Text(a), Symbolic::Text(b)]) => contains(a.clone(), b.clone()),
        (Op::In, [item, Symbolic::List(length, items)]) => {
            let is = |(i, it): (usize, &Symbolic)| all([within(i, length), item.equal(it)]);
            any(items.iter().enumerate().map(is))
        }
        (Op::Sorted, [Symbolic::List(length, items)]) => {
            let ordered =
                |pair: &[Symbolic]| pair[0].compare(&pair[1], false).unwrap_or_else(|| Expr::bool(false));
            let pairs = items.windows(2).enumerate();
            all(pairs.map(|(i, pair)| implies(within(i + 1, length), ordered(pair))))
        }
        (Op::Distinct, [Symbolic::List(length, items)]) => {
            let mut parts = Vec::new();
            for (j, b) in items.iter().enumerate() {
                parts.extend(items[..j].iter().map(|a| implies(within(j, length), not(a.equal(b)))));
            }
            all(parts)
        }
        (Op::IsSome, [Symbolic::Option(some, _)]) => some.clone(),
        _ => return None,
    })
}

/// Whether a list of that length has an element at that place.
fn within(place: usize, length: &Expr) -> Expr {
    lt(Expr::int(place as i128), length.clone())
}

/// Operations that give another value; none for arguments they do not take.
fn operation(op: Op, args: &[Symbolic]) -> Option<Lowered> {
    let sym = match (op, args) {
        (Op::Add, _) => return sum(args),
        (Op::Sub, [a, b]) => return difference(a, b),
        (Op::Mul, _) => return product(args),
        (Op::Div | Op::Mod, [a, b]) => {
            let (a, b) = (a.int()?, b.int()?);
            let defined = not(eq(b.clone(), Expr::int(0)));
            if defined.as_bool() == Some(false) {
                return Some(Lowered::undefined());
            }
            let sym = Symbolic::Int(if op == Op::Div { div(a, b) } else { modulo(a, b) });
            return Some(Lowered { sym, defined });
        }
        (Op::Neg, [a]) => return product(&[Symbolic::Int(Expr::int(-1)), a.clone()]),
        (Op::Abs, [a]) => {
            let minus = product(&[Symbolic::Int(Expr::int(-1)), a.clone()])?.sym;
            let zero = if let Symbolic::Duration(_) = a {
                Symbolic::Duration(Expr::int(0))
            } else {
                Symbolic::Int(Expr::int(0))
            };
            Symbolic::merge(&a.compare(&zero, true)?, &minus, a)?
        }
        (Op::Len, [Symbolic::Text(text)]) => Symbolic::Int(len(text.clone())),
        (Op::Len, [Symbolic::List(length, _)]) => Symbolic::Int(length.clone()),
        (Op::Concat, _) => Symbolic::Text(concat(args.iter().map(text).collect::<Option<Vec<_>>>()?)),
        (Op::Substr, [Symbolic::Text(of), start, length]) => {
            let (start, length) = (start.int()?, length.int()?);
            let zero = Expr::int(0);
            let defined = all([
                le(zero.clone(), start.clone()),
                le(zero, length.clone()),
                le(start.clone(), len(of.clone())),
            ]);
            return Some(Lowered { sym: Symbolic::Text(substr(of.clone(), start, length)), defined });
        }
        (Op::IndexOf, [Symbolic::Text(a), Symbolic::Text(b)]) => {
            Symbolic::Int(index_of(a.clone(), b.clone()))
        }
        (Op::EditDistance, [Symbolic::Text(a), Symbolic::Text(b)]) => Symbolic::Edits(a.clone(), b.clone()),
        (Op::Sum, [Symbolic::List(length, items)]) => return list_sum(length, items),
        (Op::Greatest | Op::Least, [Symbolic::List(length, items)]) => {
            return extreme(length, items, op == Op::Greatest);
        }
        (Op::Unwrap, [Symbolic::Option(_, None)]) => return Some(Lowered::undefined()),
        (Op::Unwrap, [Symbolic::Option(some, Some(it))]) => {
            return Some(Lowered { sym: (**it).clone(), defined: some.clone() });
        }
        (Op::Year | Op::Month | Op::Day | Op::Weekday, [of]) => date_part(op, of)?,
        (Op::DateOf, [Symbolic::DateTime(seconds)]) => Symbolic::Date(div(seconds.clone(), Expr::int(DAY))),
        (Op::TimeOf, [Symbolic::DateTime(seconds)]) => {
            Symbolic::Time(modulo(seconds.clone(), Expr::int(DAY)))
        }
        (Op::ToInt, [of]) => Symbolic::Int(match of {
            Symbolic::Bool(it) => ite(it.clone(), Expr::int(1), Expr::int(0)),
            Symbolic::Date(it) | Symbolic::Time(it) | Symbolic::DateTime(it) | Symbolic::Duration(it) => {
                it.clone()
            }
            Symbolic::Case(it, _) => it.clone(),
            _ => of.int()?,
        }),
        (Op::List, _) => Symbolic::List(Expr::int(args.len() as i128), args.to_vec()),
        _ => return None,
    };
    Some(Lowered::defined(sym))
}

fn nth(length: &Expr, items: &[Symbolic], place: &Expr) -> Result<Lowered, String> {
    let defined = all([le(Expr::int(0), place.clone()), lt(place.clone(), length.clone())]);
    let known = place.as_int().map(|it| usize::try_from(it).ok().is_some_and(|it| it < items.len()));
    if items.is_empty() || defined.as_bool() == Some(false) || known == Some(false) {
        return Ok(Lowered::undefined());
    }
    match Symbolic::select(place, 0, items.len(), &|it| items.get(it).cloned()) {
        Some(sym) => Ok(Lowered { sym, defined }),
        None => Err(mixed("a list")),
    }
}

fn date_part(op: Op, of: &Symbolic) -> Option<Symbolic> {
    let days = match of {
        Symbolic::Date(days) => days.clone(),
        Symbolic::DateTime(seconds) => div(seconds.clone(), Expr::int(DAY)),
        _ => return None,
    };
    Some(match op {
        Op::Year => Symbolic::Year(days),
        Op::Month => Symbolic::Int(calendar::month(&days)),
        Op::Day => Symbolic::Int(calendar::day(&days)),
        _ => Symbolic::Int(calendar::weekday(&days)),
    })
}

fn text(of: &Symbolic) -> Option<Expr> {
    if let Symbolic::Text(it) = of { Some(it.clone()) } else { None }
}

/// A whole number that is defined in a range only.
fn ranged(of: Expr, lo: i128, hi: i128, sym: fn(Expr) -> Symbolic) -> Lowered {
    let defined = all([le(Expr::int(lo), of.clone()), le(of.clone(), Expr::int(hi))]);
    Lowered { sym: sym(of), defined }
}

fn duration(of: Expr) -> Lowered {
    let most = Duration::MAX.seconds();
    ranged(of, -most, most, Symbolic::Duration)
}

/// A date, time or date-time moved by this many seconds.
fn moved(of: &Symbolic, seconds: Expr) -> Option<Lowered> {
    let last = (Date::MAX.days() + 1) * DAY - 1;
    Some(match of {
        Symbolic::Date(days) => {
            let days = add([days.clone(), div(seconds, Expr::int(DAY))]);
            ranged(days, Date::MIN.days(), Date::MAX.days(), Symbolic::Date)
        }
        Symbolic::Time(at) => ranged(add([at.clone(), seconds]), 0, DAY - 1, Symbolic::Time),
        Symbolic::DateTime(at) => {
            ranged(add([at.clone(), seconds]), Date::MIN.days() * DAY, last, Symbolic::DateTime)
        }
        _ => return None,
    })
}

fn sum(args: &[Symbolic]) -> Option<Lowered> {
    match args {
        [Symbolic::Duration(_), rest @ ..] if rest.iter().all(|it| matches!(it, Symbolic::Duration(_))) => {
            let seconds =
                |it: &Symbolic| if let Symbolic::Duration(it) = it { it.clone() } else { Expr::int(0) };
            Some(duration(add(args.iter().map(seconds))))
        }
        [
            moment @ (Symbolic::Date(_) | Symbolic::Time(_) | Symbolic::DateTime(_)),
            Symbolic::Duration(by),
        ] => moved(moment, by.clone()),
        _ => {
            let numbers = args.iter().map(Symbolic::number).collect::<Option<Vec<_>>>()?;
            let scale = numbers.iter().map(|it| it.1).max().unwrap_or(0);
            let whole = !args.iter().any(|it| matches!(it, Symbolic::Number(..)));
            let parts =
                numbers.into_iter().map(|(it, has)| scaled(it, scale - has)).collect::<Option<Vec<_>>>()?;
            Some(Lowered::defined(Symbolic::of_scale(add(parts), scale, whole)))
        }
    }
}

fn difference(a: &Symbolic, b: &Symbolic) -> Option<Lowered> {
    Some(match (a, b) {
        (Symbolic::Date(a), Symbolic::Date(b)) => duration(mul(Expr::int(DAY), sub(a.clone(), b.clone()))),
        (Symbolic::Time(a), Symbolic::Time(b))
        | (Symbolic::DateTime(a), Symbolic::DateTime(b))
        | (Symbolic::Duration(a), Symbolic::Duration(b)) => duration(sub(a.clone(), b.clone())),
        (_, Symbolic::Duration(by)) => moved(a, mul(Expr::int(-1), by.clone()))?,
        _ => return sum(&[a.clone(), product(&[Symbolic::Int(Expr::int(-1)), b.clone()])?.sym]),
    })
}

fn product(args: &[Symbolic]) -> Option<Lowered> {
    if args.iter().any(|it| matches!(it, Symbolic::Duration(_))) {
        let [a, b] = args else { return None };
        let (seconds, times) = match (a, b) {
            (Symbolic::Duration(seconds), times) | (times, Symbolic::Duration(seconds)) => {
                (seconds.clone(), times.int()?)
            }
            _ => return None,
        };
        return Some(duration(mul(seconds, times)));
    }
    let numbers = args.iter().map(Symbolic::number).collect::<Option<Vec<_>>>()?;
    let whole = !args.iter().any(|it| matches!(it, Symbolic::Number(..)));
    let scale = numbers.iter().map(|it| it.1).sum();
    let all = numbers.into_iter().fold(Expr::int(1), |all, it| mul(all, it.0));
    Some(Lowered::defined(Symbolic::of_scale(all, scale, whole)))
}

/// The greatest or the least item, which there is where the list is not empty.
fn extreme(length: &Expr, items: &[Symbolic], is_greatest: bool) -> Option<Lowered> {
    let (first, rest) = items.split_first()?;
    let mut best = first.clone();
    for (place, it) in (1..).zip(rest) {
        let (less, more) = if is_greatest { (&best, it) } else { (it, &best) };
        let is_better = all([within(place, length), less.compare(more, true)?]);
        best = Symbolic::merge(&is_better, it, &best)?;
    }
    Some(Lowered { sym: best, defined: within(0, length) })
}

fn list_sum(length: &Expr, items: &[Symbolic]) -> Option<Lowered> {
    if items.is_empty() {
        return Some(Lowered::defined(Symbolic::Int(Expr::int(0))));
    }
    let zero = if let Symbolic::Duration(_) = items[0] {
        Symbolic::Duration(Expr::int(0))
    } else {
        Symbolic::Int(Expr::int(0))
    };
    let part = |(i, it): (usize, &Symbolic)| Symbolic::merge(&within(i, length), it, &zero);
    let parts = items.iter().enumerate().map(part).collect::<Option<Vec<_>>>();
    // What cannot be added up has a sum only when it is empty.
    let empty = Lowered { sym: Symbolic::Int(Expr::int(0)), defined: eq(length.clone(), Expr::int(0)) };
    let low = parts.and_then(|it| sum(&it)).unwrap_or(empty);
    Some(match low.sym {
        Symbolic::Duration(seconds) => {
            let empty = eq(length.clone(), Expr::int(0));
            Lowered { sym: Symbolic::DurationSum(empty, seconds), defined: low.defined }
        }
        _ => low,
    })
}
