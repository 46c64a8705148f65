//! Requirements on one unknown alone, which its domain takes up: no node is needed for them.

use std::sync::Arc;

use super::IntSet;
use super::domain::Dom;
use super::network::{Network, Revised};
use crate::flat::{Expr, ExprNode, Scalar};
use crate::regex::Language;

/// Pieces that begin further on, or are longer, are looked at when the whole is known.
const PLACE_MAX: i128 = 256;

/// Takes a requirement into the domain of its slot, if it is on one slot and of a kind that a domain can hold.
pub(super) fn absorb(net: &mut Network, expr: &Expr) -> Option<Revised> {
    let is_text = |net: &Network, slot: u32| matches!(net.doms[slot as usize], Dom::Text(_));
    match expr.node() {
        ExprNode::Const(Scalar::Bool(true)) => return Some(Ok(())),
        ExprNode::Const(_) => return Some(Err(super::network::Conflict)),
        ExprNode::Slot(slot) => return Some(net.set_bool(*slot, true)),
        ExprNode::Not(of) => match of.node() {
            ExprNode::Slot(slot) => return Some(net.set_bool(*slot, false)),
            ExprNode::Eq(a, b) => {
                if let (ExprNode::Slot(slot), ExprNode::Const(Scalar::Text(text))) = (a.node(), b.node())
                    && is_text(net, *slot)
                {
                    return Some(net.change(*slot, |it| it.ban(text)));
                }
                if let Some((slot, language)) = piece(a, b).filter(|it| is_text(net, it.0)) {
                    return within(net, slot, &Arc::new(language.not()));
                }
            }
            ExprNode::Matches(on, regex) => {
                if let ExprNode::Slot(slot) = on.node()
                    && is_text(net, *slot)
                {
                    return language(net, *slot, regex, false);
                }
            }
            _ => {}
        },
        ExprNode::Eq(a, b) => {
            if let (ExprNode::Slot(slot), ExprNode::Const(scalar)) = (a.node(), b.node()) {
                return Some(net.fix(*slot, scalar));
            }
            if let Some((slot, language)) = piece(a, b).filter(|it| is_text(net, it.0)) {
                return within(net, slot, &Arc::new(language));
            }
        }
        ExprNode::Matches(on, regex) => {
            if let ExprNode::Slot(slot) = on.node()
                && is_text(net, *slot)
            {
                return language(net, *slot, regex, true);
            }
        }
        ExprNode::Or(parts) => {
            if let Some((slot, texts)) = listed(parts)
                && is_text(net, slot)
            {
                return Some(net.change(slot, |it| it.only(texts)));
            }
        }
        _ => {}
    }
    let unknown = unknown(expr)?;
    let set = set(expr, &unknown)?;
    Some(match unknown.node() {
        ExprNode::Slot(slot) => match net.doms[*slot as usize] {
            Dom::Int(_) => net.keep(*slot, &set),
            _ => return None,
        },
        ExprNode::Len(of) => match of.node() {
            ExprNode::Slot(slot) if is_text(net, *slot) => net.change(*slot, |it| it.with_lengths(&set)),
            _ => return None,
        },
        _ => return None,
    })
}

/// The texts that one slot may be, if that is all that is said.
fn listed(parts: &[Expr]) -> Option<(u32, Vec<Arc<str>>)> {
    let part = |it: &Expr| match it.node() {
        ExprNode::Eq(a, b) => match (a.node(), b.node()) {
            (ExprNode::Slot(slot), ExprNode::Const(Scalar::Text(text))) => Some((*slot, text.clone())),
            _ => None,
        },
        _ => None,
    };
    let found = parts.iter().map(part).collect::<Option<Vec<_>>>()?;
    let slot = found.first()?.0;
    found.iter().all(|it| it.0 == slot).then(|| (slot, found.into_iter().map(|it| it.1).collect()))
}

fn language(net: &mut Network, slot: u32, regex: &crate::regex::Regex, holds: bool) -> Option<Revised> {
    let language = if holds { regex.language().ok()? } else { net.complement(regex).ok()? };
    within(net, slot, &language)
}

fn within(net: &mut Network, slot: u32, language: &Arc<Language>) -> Option<Revised> {
    let mut failed = false;
    let done = net.change(slot, |it| failed = it.within(language).is_err());
    (!failed).then_some(done)
}

/// The texts of a slot of which a certain piece is a certain text.
fn piece(of: &Expr, is: &Expr) -> Option<(u32, Language)> {
    let (of, is) = if of.as_const().is_some() { (is, of) } else { (of, is) };
    let (ExprNode::Substr(text, start, length), ExprNode::Const(Scalar::Text(is))) = (of.node(), is.node())
    else {
        return None;
    };
    let ExprNode::Slot(slot) = text.node() else { return None };
    let place = |it: &Expr| it.as_int().filter(|it| (0..=PLACE_MAX).contains(it)).map(|it| it as usize);
    let (start, length, count) = (place(start)?, place(length)?, is.chars().count());
    let before = Language::of_length(start, Some(start)).ok()?;
    let here = before.concat(&Language::literal(is).ok()?).ok()?;
    let texts = match count {
        _ if count > length => Language::none(),
        _ if count == length => here.concat(&Language::any()).ok()?,
        // The text ends within the piece, or before it begins.
        0 => Language::of_length(0, Some(start)).ok()?,
        _ => here,
    };
    // Of a piece without characters nothing else can be said.
    let texts = if length == 0 && count == 0 { Language::any() } else { texts };
    Some((*slot, texts))
}

/// The one slot, or the length of one slot, that an expression is about.
fn unknown(expr: &Expr) -> Option<Expr> {
    match expr.node() {
        ExprNode::Slot(_) => Some(expr.clone()),
        ExprNode::Len(of) if matches!(of.node(), ExprNode::Slot(_)) => Some(expr.clone()),
        _ => {
            let mut found: Option<Expr> = None;
            for part in expr.parts() {
                if part.as_const().is_some() {
                    continue;
                }
                let one = unknown(part)?;
                if found.as_ref().is_some_and(|it| *it != one) {
                    return None;
                }
                found = Some(one);
            }
            found
        }
    }
}

/// The numbers for which a truth about an unknown holds; none if it is not one of those that are easy to solve.
fn set(expr: &Expr, unknown: &Expr) -> Option<IntSet> {
    let every = || IntSet::range(i128::MIN, i128::MAX);
    match expr.node() {
        ExprNode::Const(Scalar::Bool(it)) => Some(if *it { every() } else { IntSet::empty() }),
        ExprNode::And(of) => of.iter().try_fold(every(), |all, it| Some(all.intersect(&set(it, unknown)?))),
        ExprNode::Or(of) => of.iter().try_fold(IntSet::empty(), |all, it| all.union(&set(it, unknown)?)),
        ExprNode::Not(of) => every().minus(&set(of, unknown)?),
        ExprNode::Ite(c, a, b) => {
            let c = set(c, unknown)?;
            let then = c.intersect(&set(a, unknown)?);
            then.union(&every().minus(&c)?.intersect(&set(b, unknown)?))
        }
        ExprNode::Le(a, b) => at_most_zero(linear(a, unknown)?.minus(linear(b, unknown)?)?),
        ExprNode::Lt(a, b) => at_most_zero(linear(a, unknown)?.minus(linear(b, unknown)?)?.plus(1)?),
        ExprNode::Eq(a, b) => {
            if let (ExprNode::Mod(of, by), Some(rest)) = (a.node(), b.as_int()) {
                let (Linear { times, offset }, by) = (linear(of, unknown)?, by.as_int()?.checked_abs()?);
                let unit = times.abs() == 1 && by > 0 && (0..by).contains(&rest);
                let residue = rest.checked_sub(offset)?.checked_mul(times)?;
                return unit.then(|| every().congruent(residue, by));
            }
            let Linear { times, offset } = linear(a, unknown)?.minus(linear(b, unknown)?)?;
            match times {
                0 => Some(if offset == 0 { every() } else { IntSet::empty() }),
                _ if offset.checked_rem(times)? == 0 => {
                    Some(IntSet::of([offset.checked_div(times)?.checked_neg()?]))
                }
                _ => Some(IntSet::empty()),
            }
        }
        _ => None,
    }
}

/// `times` the unknown, plus `offset`.
#[derive(Clone, Copy)]
struct Linear {
    times: i128,
    offset: i128,
}

impl Linear {
    fn minus(self, other: Linear) -> Option<Linear> {
        let times = self.times.checked_sub(other.times)?;
        Some(Linear { times, offset: self.offset.checked_sub(other.offset)? })
    }

    fn plus(self, by: i128) -> Option<Linear> {
        Some(Linear { offset: self.offset.checked_add(by)?, ..self })
    }
}

fn linear(expr: &Expr, unknown: &Expr) -> Option<Linear> {
    if expr == unknown {
        return Some(Linear { times: 1, offset: 0 });
    }
    match expr.node() {
        ExprNode::Const(Scalar::Int(it)) => Some(Linear { times: 0, offset: *it }),
        ExprNode::Add(of) => of.iter().try_fold(Linear { times: 0, offset: 0 }, |sum, it| {
            let it = linear(it, unknown)?;
            Some(Linear {
                times: sum.times.checked_add(it.times)?,
                offset: sum.offset.checked_add(it.offset)?,
            })
        }),
        ExprNode::Mul(a, b) => {
            let (by, of) = (a.as_int()?, linear(b, unknown)?);
            Some(Linear { times: of.times.checked_mul(by)?, offset: of.offset.checked_mul(by)? })
        }
        _ => None,
    }
}

/// The numbers for which it is at most zero.
fn at_most_zero(of: Linear) -> Option<IntSet> {
    let Linear { times, offset } = of;
    let most = offset.checked_neg()?;
    Some(match times {
        0 if offset <= 0 => IntSet::range(i128::MIN, i128::MAX),
        0 => IntSet::empty(),
        // Rounded down towards the numbers that satisfy it, on either side.
        _ if times > 0 => IntSet::range(i128::MIN, most.div_euclid(times)),
        _ => IntSet::range(most.div_euclid(times.checked_neg()?).checked_neg()?, i128::MAX),
    })
}
