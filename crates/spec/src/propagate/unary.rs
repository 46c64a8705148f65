//! Requirements on one unknown alone, which its domain takes up: no node is needed for them.

use std::sync::Arc;

use super::domain::NodeDomain;
use super::network::{Network, Revision};
use crate::IntSet;
use crate::flat::{Expr, ExprNode, Scalar};
use crate::narrow::{Linear, Reading, Truth, numbers};
use crate::regex::Language;

/// Pieces that begin further on, or are longer, are looked at when the whole is known.
const PLACE_MAX: i128 = 256;

/// Takes a requirement into the domain of its slot, if it is on one slot and of a kind that a domain can hold.
pub(super) fn absorb(net: &mut Network, expr: &Expr) -> Option<Revision> {
    let is_text = |net: &Network, slot: u32| matches!(net.domains[slot as usize], NodeDomain::Text(_));
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
    let every = IntSet::range(i128::MIN, i128::MAX);
    let set = numbers(&ExprReading { unknown: &unknown }, expr, &every)?;
    Some(match unknown.node() {
        ExprNode::Slot(slot) => match net.domains[*slot as usize] {
            NodeDomain::Int(_) => net.keep(*slot, &set),
            _ => return None,
        },
        ExprNode::Len(of) => match of.node() {
            ExprNode::Slot(slot) if is_text(net, *slot) => net.change(*slot, |it| it.with_lengths(&set)),
            _ => return None,
        },
        _ => return None,
    })
}

/// The texts that one slot may be, if that is everything that is said.
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

fn language(net: &mut Network, slot: u32, regex: &crate::regex::Regex, holds: bool) -> Option<Revision> {
    let language = if holds { regex.language().ok()? } else { net.complement(regex).ok()? };
    within(net, slot, &language)
}

fn within(net: &mut Network, slot: u32, language: &Arc<Language>) -> Option<Revision> {
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

/// How lowered expressions about a number are read.
struct ExprReading<'a> {
    unknown: &'a Expr,
}

impl Reading<Expr> for ExprReading<'_> {
    fn truth<'a>(&self, of: &'a Expr) -> Option<Truth<'a, Expr>> {
        let minus = |a: &Expr, b: &Expr| self.linear(a)?.minus(self.linear(b)?);
        Some(match of.node() {
            ExprNode::Const(Scalar::Bool(it)) => Truth::Known(*it),
            ExprNode::And(of) => Truth::All(of),
            ExprNode::Or(of) => Truth::Any(of),
            ExprNode::Not(of) => Truth::Not(of),
            ExprNode::Ite(condition, then, otherwise) => Truth::Ite(condition, then, otherwise),
            ExprNode::Le(a, b) => Truth::AtMostZero(minus(a, b)?),
            ExprNode::Lt(a, b) => Truth::AtMostZero(minus(a, b)?.plus(Linear::constant(1))?),
            ExprNode::Eq(a, b) => match (a.node(), b.as_int()) {
                (ExprNode::Mod(of, by), Some(rest)) => {
                    let modulus = by.as_int()?.checked_abs().filter(|it| *it > 0)?;
                    Truth::Remainder(self.linear(of)?, modulus, rest, rest)
                }
                _ => Truth::Zero(minus(a, b)?),
            },
            _ => return None,
        })
    }
}

impl ExprReading<'_> {
    fn linear(&self, expr: &Expr) -> Option<Linear> {
        if expr == self.unknown {
            return Some(Linear::unknown(1));
        }
        match expr.node() {
            ExprNode::Const(Scalar::Int(it)) => Some(Linear::constant(*it)),
            ExprNode::Add(of) => {
                of.iter().try_fold(Linear::constant(0), |sum, it| sum.plus(self.linear(it)?))
            }
            ExprNode::Mul(a, b) => self.linear(b)?.by(a.as_int()?),
            _ => None,
        }
    }
}
