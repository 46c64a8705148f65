//! What requirements leave of one unknown: the whole numbers, or the texts, for which a truth about it holds.
//!
//! Plans, draws and the solver's domains all ask here, so that each understands what the others do. A truth is looked at
//! one level at a time ([`Truth`]); terms and lowered expressions say what that is for them.

use std::sync::Arc;

use crate::eval::float;
use crate::regex::{Language, Regex};
use crate::{Float64, IntSet, Node, NumericKind, Op, Spec, Term, Value};

/// A set of at most this many numbers is narrowed by trying each, where that is asked for.
const TRIED_MAX: u128 = 4096;
/// Of a longer text not all parts are listed.
const PARTS_OF: usize = 64;

/// `times` the unknown, plus `offset`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Linear {
    pub times: i128,
    pub offset: i128,
}

impl Linear {
    pub fn constant(offset: i128) -> Linear {
        Linear { times: 0, offset }
    }

    pub fn unknown(times: i128) -> Linear {
        Linear { times, offset: 0 }
    }

    pub fn plus(self, other: Linear) -> Option<Linear> {
        let times = self.times.checked_add(other.times)?;
        Some(Linear { times, offset: self.offset.checked_add(other.offset)? })
    }

    pub fn minus(self, other: Linear) -> Option<Linear> {
        let times = self.times.checked_sub(other.times)?;
        Some(Linear { times, offset: self.offset.checked_sub(other.offset)? })
    }

    pub fn by(self, factor: i128) -> Option<Linear> {
        Some(Linear { times: self.times.checked_mul(factor)?, offset: self.offset.checked_mul(factor)? })
    }

    /// The numbers among `all` for which it is at most zero.
    fn at_most_zero(self, all: &IntSet) -> Option<IntSet> {
        let Linear { times, offset } = self;
        let most = offset.checked_neg()?;
        Some(match times {
            0 => only_if(offset <= 0, all),
            // Rounded down towards the numbers that satisfy it, on either side.
            1.. => all.clip(i128::MIN, most.div_euclid(times)),
            _ => all.clip(most.div_euclid(times.checked_neg()?).checked_neg()?, i128::MAX),
        })
    }

    /// The numbers among `all` for which it is zero.
    fn zero(self, all: &IntSet) -> Option<IntSet> {
        let Linear { times, offset } = self;
        if times == 0 {
            return Some(only_if(offset == 0, all));
        }
        if offset.checked_rem(times)? != 0 {
            return Some(IntSet::empty());
        }
        let it = offset.checked_div(times)?.checked_neg()?;
        Some(all.clip(it, it))
    }

    /// The numbers among `all` for which the remainder by `modulus` is from `least` to `most`, or is not; none if that
    /// is more than one residue and fewer than all.
    fn remainder(self, all: &IntSet, modulus: i128, least: i128, most: i128, holds: bool) -> Option<IntSet> {
        let (least, most) = (least.max(0), most.min(modulus - 1));
        // The residues that satisfy it, and those that do not: the first of each, and how many.
        let inside = (least, (most.checked_sub(least)?.checked_add(1)?).max(0));
        let outside = (if least > 0 { 0 } else { most + 1 }, modulus - inside.1);
        let (first, count) = if holds { inside } else { outside };
        match count {
            0 => return Some(IntSet::empty()),
            _ if count == modulus => return Some(all.clone()),
            1 => {}
            _ => return None,
        }
        let residue = match self.times {
            1 => first.checked_sub(self.offset)?,
            -1 => self.offset.checked_sub(first)?,
            _ => return None,
        };
        Some(all.congruent(residue, modulus))
    }
}

fn only_if(holds: bool, all: &IntSet) -> IntSet {
    if holds { all.clone() } else { IntSet::empty() }
}

/// One level of a truth about an unknown number.
pub enum Truth<'a, T> {
    Known(bool),
    All(&'a [T]),
    Any(&'a [T]),
    Not(&'a T),
    /// The second where the first holds, else the third.
    Ite(&'a T, &'a T, &'a T),
    AtMostZero(Linear),
    Zero(Linear),
    /// The unknown lies between two numbers.
    Within(i128, i128),
    /// The remainder by a modulus, which is at least 1, lies between two numbers.
    Remainder(Linear, i128, i128, i128),
    OneOf(Vec<i128>),
}

/// Says what truths are, and what is left to do where that is not enough.
pub trait Reading<T> {
    /// One level of a truth; none if it is of another kind.
    fn truth<'a>(&self, of: &'a T) -> Option<Truth<'a, T>>;

    /// The numbers among a set for which a truth of another kind holds, if that can be told.
    fn others(&self, _of: &T, _all: &IntSet) -> Option<IntSet> {
        None
    }
}

/// The numbers among `all` for which a truth holds; none if it is not one of those that are easy to solve.
pub fn numbers<T>(reading: &impl Reading<T>, of: &T, all: &IntSet) -> Option<IntSet> {
    structural(reading, of, all).or_else(|| reading.others(of, all))
}

fn structural<T>(reading: &impl Reading<T>, of: &T, all: &IntSet) -> Option<IntSet> {
    let again = |it: &T, all: &IntSet| numbers(reading, it, all);
    match reading.truth(of)? {
        Truth::Known(it) => Some(only_if(it, all)),
        Truth::All(parts) => parts.iter().try_fold(all.clone(), |left, it| again(it, &left)),
        Truth::Any(parts) => parts.iter().try_fold(IntSet::empty(), |some, it| some.union(&again(it, all)?)),
        Truth::Not(of) => match reading.truth(of) {
            Some(Truth::Remainder(linear, modulus, least, most)) => {
                let residue = linear.remainder(all, modulus, least, most, false);
                residue.or_else(|| all.minus(&again(of, all)?))
            }
            _ => all.minus(&again(of, all)?),
        },
        Truth::Ite(condition, then, otherwise) => {
            let holds = again(condition, all)?;
            again(then, &holds)?.union(&again(otherwise, &all.minus(&holds)?)?)
        }
        Truth::AtMostZero(linear) => linear.at_most_zero(all),
        Truth::Zero(linear) => linear.zero(all),
        Truth::Within(low, high) => Some(all.clip(low, high)),
        Truth::Remainder(linear, modulus, least, most) => linear.remainder(all, modulus, least, most, true),
        Truth::OneOf(members) => Some(IntSet::of(members).intersect(all)),
    }
}

/// How terms about a number are read.
pub struct TermReading<'a> {
    /// The number, as a term.
    pub unknown: &'a Term,
    pub kind: NumericKind,
    /// The spec of `it`, where it is the unknown and few numbers are to be tried one by one.
    pub spec: Option<&'a Spec>,
}

impl Reading<Term> for TermReading<'_> {
    fn truth<'a>(&self, of: &'a Term) -> Option<Truth<'a, Term>> {
        match of.node() {
            Node::Const(Value::Bool(it)) => Some(Truth::Known(*it)),
            Node::Apply(op, args) => match (op, &args[..]) {
                (Op::And, parts) => Some(Truth::All(parts)),
                (Op::Or, parts) => Some(Truth::Any(parts)),
                (Op::Not, [of]) => Some(Truth::Not(of)),
                (Op::Ite, [condition, then, otherwise]) => Some(Truth::Ite(condition, then, otherwise)),
                (Op::In, [of, list]) if of == self.unknown => match closed(list)? {
                    // What is of another kind equals no number.
                    Value::List(items) => {
                        Some(Truth::OneOf(items.iter().filter_map(|it| self.kind.number(it)).collect()))
                    }
                    _ => None,
                },
                (Op::Eq | Op::Lt | Op::Le, [one, two]) if self.kind == NumericKind::Float => {
                    self.floats(*op, one, two)
                }
                (Op::Eq | Op::Lt | Op::Le, [one, two]) => {
                    self.remainder(*op, one, two).or_else(|| self.comparison(*op, one, two))
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn others(&self, of: &Term, all: &IntSet) -> Option<IntSet> {
        let spec = self.spec.filter(|_| all.count() <= TRIED_MAX)?;
        let keeps = |it: &i128| self.kind.value(*it).is_some_and(|it| holds(of, spec, &it));
        Some(IntSet::of(all.iter().filter(keeps)))
    }
}

impl TermReading<'_> {
    fn comparison<'a>(&self, op: Op, one: &Term, two: &Term) -> Option<Truth<'a, Term>> {
        let scale = self.finest(one).max(self.finest(two));
        let side = |it: &Term| match self.kind.is_number() {
            true => self.linear(it, scale),
            false => self.moment(it),
        };
        let sides = || Some((side(one)?, side(two)?));
        // The number behind a moment is a number.
        let (one, two) = sides().or_else(|| Some((self.linear(one, 0)?, self.linear(two, 0)?)))?;
        let difference = one.minus(two)?;
        Some(match op {
            Op::Eq => Truth::Zero(difference),
            Op::Le => Truth::AtMostZero(difference),
            _ => Truth::AtMostZero(difference.plus(Linear::constant(1))?),
        })
    }

    /// A comparison of a float with a constant, or of its size with one.
    fn floats<'a>(&self, op: Op, one: &Term, two: &Term) -> Option<Truth<'a, Term>> {
        let (least, most) = Float64::ENDS;
        if one == self.unknown && two == self.unknown {
            // What is equal to itself is no NaN, and nothing is less than itself.
            return Some(if op == Op::Lt { Truth::Known(false) } else { Truth::Within(least, most) });
        }
        let constant = |it: &Term| closed(it).and_then(|it| float(&it)).map(Float64::new);
        let size = Term::apply(Op::Abs, [self.unknown.clone()]);
        if let (true, Some(bound)) = (*one == size && op != Op::Eq, constant(two)) {
            let (Some((_, high)), Some((low, _))) =
                (bound.equal_places(), Float64::new(-bound.get()).equal_places())
            else {
                return Some(Truth::Known(false));
            };
            return Some(match op {
                _ if bound.get() < 0.0 => Truth::Known(false),
                Op::Le => Truth::Within(low, high),
                _ if bound.get() == 0.0 => Truth::Known(false),
                _ => Truth::Within(low + 1, high - 1),
            });
        }
        let (bound, is_below) = match (one == self.unknown, two == self.unknown) {
            (true, false) => (constant(two)?, true),
            (false, true) => (constant(one)?, false),
            _ => return None,
        };
        let Some((low, high)) = bound.equal_places() else { return Some(Truth::Known(false)) };
        Some(match (op, is_below) {
            (Op::Eq, _) => Truth::Within(low, high),
            (Op::Le, true) => Truth::Within(least, high),
            (Op::Le, false) => Truth::Within(low, most),
            (_, true) => Truth::Within(least, low - 1),
            (_, false) => Truth::Within(high + 1, most),
        })
    }

    /// A date, time or duration: the unknown, or a constant. Beyond that they add up in ways of their own.
    fn moment(&self, term: &Term) -> Option<Linear> {
        if term == self.unknown {
            return Some(Linear::unknown(1));
        }
        closed(term).and_then(|it| self.kind.number(&it)).map(Linear::constant)
    }

    /// The most digits after the point of the unknown and of the constants in a term.
    fn finest(&self, term: &Term) -> u32 {
        match closed(term) {
            Some(Value::Number(it)) => it.scale().max(self.kind.scale()),
            Some(_) => self.kind.scale(),
            None => term.parts().iter().map(|it| self.finest(it)).max().unwrap_or(0).max(self.kind.scale()),
        }
    }

    /// A term as a linear one in numbers at a scale.
    fn linear(&self, term: &Term, scale: u32) -> Option<Linear> {
        if term == self.unknown && self.kind.is_number() {
            let one = 10_i128.checked_pow(scale.checked_sub(self.kind.scale())?)?;
            return Some(Linear::unknown(one));
        }
        if let Some(value) = closed(term) {
            return NumericKind::Number(scale).number(&value).map(Linear::constant);
        }
        let again = |it: &Term| self.linear(it, scale);
        let is_decimal = matches!(self.kind, NumericKind::Number(_));
        let Node::Apply(op, args) = term.node() else { return None };
        match (op, &args[..]) {
            (Op::ToInt, [of]) if of == self.unknown && scale == 0 && !is_decimal => Some(Linear::unknown(1)),
            (Op::Add, args) => args.iter().try_fold(Linear::constant(0), |sum, it| sum.plus(again(it)?)),
            (Op::Sub, [one, two]) => again(one)?.minus(again(two)?),
            (Op::Neg, [of]) => again(of)?.by(-1),
            (Op::Mul, [one, two]) => match (closed(one), closed(two)) {
                (Some(Value::Int(times)), _) => again(two)?.by(times),
                (_, Some(Value::Int(times))) => again(one)?.by(times),
                _ => None,
            },
            _ => None,
        }
    }

    /// A comparison of a remainder with a constant.
    fn remainder<'a>(&self, op: Op, one: &Term, two: &Term) -> Option<Truth<'a, Term>> {
        let parts = |it: &Term| match it.node() {
            Node::Apply(Op::Mod, parts) => match (parts.first()?, closed(parts.get(1)?)?) {
                (of, Value::Int(by)) => Some((self.linear(of, 0)?, by)),
                _ => None,
            },
            _ => None,
        };
        let int = |it: &Term| if let Some(Value::Int(it)) = closed(it) { Some(it) } else { None };
        let (linear, by, least, most) = if let Some((linear, by)) = parts(one) {
            let by_much = int(two)?;
            match op {
                Op::Eq => (linear, by, by_much, by_much),
                Op::Le => (linear, by, 0, by_much),
                _ => (linear, by, 0, by_much.checked_sub(1)?),
            }
        } else {
            let ((linear, by), by_much) = (parts(two)?, int(one)?);
            match op {
                Op::Eq => (linear, by, by_much, by_much),
                Op::Le => (linear, by, by_much, i128::MAX),
                _ => (linear, by, by_much.checked_add(1)?, i128::MAX),
            }
        };
        let modulus = by.checked_abs().filter(|it| *it > 0 && self.kind.scale() == 0)?;
        Some(Truth::Remainder(linear, modulus, least, most))
    }
}

/// The texts of `unknown` for which a truth holds; none if it is not of a kind that has a language, an error if the
/// language is too large.
pub fn texts(truth: &Term, unknown: &Term) -> Option<Result<Arc<Language>, String>> {
    let again = |it: &Term| texts(it, unknown);
    let lengths = TermReading { unknown: &unknown.clone().len(), kind: NumericKind::Int, spec: None };
    if let Some(lengths) = numbers(&lengths, truth, &IntSet::range(0, i128::MAX)) {
        return of_lengths(&lengths).map(|it| it.map(Arc::new));
    }
    let literal = |it: &Term| match closed(it)? {
        Value::Text(text) => Some(text),
        _ => None,
    };
    let made = match truth.node() {
        Node::Matches(of, regex) if of == unknown => return Some(regex.language()),
        Node::Apply(Op::And, parts) => return fold(parts, Language::any, again, Language::and),
        Node::Apply(Op::Or, parts) => return fold(parts, Language::none, again, Language::or),
        Node::Apply(Op::Not, parts) => again(parts.first()?)?.map(|it| it.not()),
        Node::Apply(op, args) => match (op, &args[..]) {
            (Op::Eq, [one, two]) if one == unknown => Language::literal(&literal(two)?),
            (Op::Eq, [one, two]) if two == unknown => Language::literal(&literal(one)?),
            (Op::StartsWith, [of, with]) if of == unknown => Language::starting_with(&literal(with)?),
            (Op::EndsWith, [of, with]) if of == unknown => Language::ending_with(&literal(with)?),
            (Op::Contains, [of, with]) if of == unknown => Language::containing(&literal(with)?),
            (Op::StartsWith | Op::EndsWith | Op::Contains, [of, with]) if with == unknown => {
                parts_of(&literal(of)?, *op)?
            }
            (Op::In, [of, list]) if of == unknown => match closed(list)? {
                // What is no text equals none.
                Value::List(items) => items.iter().try_fold(Language::none(), |all, it| match it {
                    Value::Text(it) => all.or(&Language::literal(it)?),
                    _ => Ok(all),
                }),
                _ => return None,
            },
            _ => return None,
        },
        _ => return None,
    };
    Some(made.map(Arc::new))
}

fn fold(
    parts: &[Term],
    start: impl Fn() -> Language,
    part: impl Fn(&Term) -> Option<Result<Arc<Language>, String>>,
    combine: impl Fn(&Language, &Language) -> Result<Language, String>,
) -> Option<Result<Arc<Language>, String>> {
    let parts: Option<Result<Vec<Arc<Language>>, String>> = parts.iter().map(part).collect();
    let all = parts?.and_then(|parts| parts.iter().try_fold(start(), |res, it| combine(&res, it)));
    Some(all.map(Arc::new))
}

/// Texts whose lengths are in a set of few intervals.
fn of_lengths(lengths: &IntSet) -> Option<Result<Language, String>> {
    if lengths.congruence().0 > 1 {
        return None;
    }
    let part = |&(lo, hi): &(i128, i128)| {
        let max = usize::try_from(hi).ok().filter(|_| hi < i128::MAX);
        Language::of_length(usize::try_from(lo).map_err(|_| "a length is too great")?, max)
    };
    let parts = lengths.intervals().iter().map(part);
    Some(parts.into_iter().try_fold(Language::none(), |res, it| res.or(&it?)))
}

/// The texts that a text begins with, ends with or contains.
fn parts_of(text: &str, op: Op) -> Option<Result<Language, String>> {
    let places: Vec<usize> = text.char_indices().map(|it| it.0).chain([text.len()]).collect();
    if places.len() > PARTS_OF {
        return None;
    }
    let mut all = vec![Regex::literal("")];
    for (at, from) in places.iter().enumerate() {
        for to in &places[at..] {
            let fits = match op {
                Op::StartsWith => *from == 0,
                Op::EndsWith => *to == text.len(),
                _ => true,
            };
            if fits && from < to {
                all.push(Regex::literal(&text[*from..*to]));
            }
        }
    }
    Some(Regex::union(&all).language().map(|it| (*it).clone()))
}

/// The value of a term that mentions nothing.
pub fn closed(term: &Term) -> Option<Value> {
    if let Node::Const(value) = term.node() {
        return Some(value.clone());
    }
    let is_open = |it: &Term| matches!(it.node(), Node::It | Node::Other | Node::Bound(_));
    if term.mentions(&is_open) { None } else { term.eval(&Value::Bool(false), None) }
}

/// Whether a term holds for a value of a spec.
pub fn holds(term: &Term, spec: &Spec, it: &Value) -> bool {
    term.eval_in(spec, it, None) == Some(Value::Bool(true))
}
