//! Expressions over slots.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use super::Scalar;
use crate::regex::Regex;

/// An expression over the slots of a flat spec. Cheap to clone.
///
/// Whole numbers are unbounded in meaning; [`eval`](Expr::eval) gives none where they leave 128 bits. Division by
/// zero is guarded by anyone who builds the expression, so that solvers need not agree on it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Expr(Arc<ExprNode>);

/// What an [`Expr`] is made of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ExprNode {
    /// A constant.
    Const(Scalar),
    /// The slot with that number.
    Slot(u32),
    /// All of them.
    And(Vec<Expr>),
    /// At least one of them.
    Or(Vec<Expr>),
    /// The opposite.
    Not(Expr),
    /// The second when the first holds, else the third; all kinds.
    Ite(Expr, Expr, Expr),
    /// Equal; all kinds.
    Eq(Expr, Expr),
    /// Whole numbers: less or equal.
    Le(Expr, Expr),
    /// Whole numbers: less.
    Lt(Expr, Expr),
    /// Whole numbers: the sum.
    Add(Vec<Expr>),
    /// Whole numbers: the product.
    Mul(Expr, Expr),
    /// Whole numbers: the Euclidean quotient.
    Div(Expr, Expr),
    /// Whole numbers: the Euclidean remainder.
    Mod(Expr, Expr),
    /// Texts: the length in characters.
    Len(Expr),
    /// Texts: one after the other.
    Concat(Vec<Expr>),
    /// Texts: whether the first begins with the second.
    StartsWith(Expr, Expr),
    /// Texts: whether the first ends with the second.
    EndsWith(Expr, Expr),
    /// Texts: whether the first contains the second.
    Contains(Expr, Expr),
    /// Texts: from a start, this many characters, clipped at the end (start and length are not negative).
    Substr(Expr, Expr, Expr),
    /// Texts: where the second first occurs in the first, -1 if it does not.
    IndexOf(Expr, Expr),
    /// Texts: whether the first is less than the second by code points.
    TextLt(Expr, Expr),
    /// Texts: whether the number of edits between the first and the second is at least the third, a whole number.
    EditsAtLeast(Expr, Expr, Expr),
    /// Texts: whether the pattern matches the text as a whole.
    Matches(Expr, Arc<Regex>),
}

impl Expr {
    /// An expression of that node.
    pub fn new(node: ExprNode) -> Expr {
        Expr(Arc::new(node))
    }

    /// What it is made of.
    pub fn node(&self) -> &ExprNode {
        &self.0
    }

    /// The slot with that number.
    pub fn slot(slot: u32) -> Expr {
        Expr::new(ExprNode::Slot(slot))
    }

    /// A constant.
    pub fn constant(scalar: Scalar) -> Expr {
        Expr::new(ExprNode::Const(scalar))
    }

    /// True or false.
    pub fn bool(it: bool) -> Expr {
        Expr::constant(Scalar::Bool(it))
    }

    /// A whole number.
    pub fn int(it: i128) -> Expr {
        Expr::constant(Scalar::Int(it))
    }

    /// A text.
    pub fn text(it: &str) -> Expr {
        Expr::constant(Scalar::Text(it.into()))
    }

    /// Its value if it is a constant.
    pub fn as_const(&self) -> Option<&Scalar> {
        if let ExprNode::Const(it) = self.node() { Some(it) } else { None }
    }

    /// Its value if it is a constant truth.
    pub fn as_bool(&self) -> Option<bool> {
        if let ExprNode::Const(Scalar::Bool(it)) = self.node() { Some(*it) } else { None }
    }

    /// Its value if it is a constant whole number.
    pub fn as_int(&self) -> Option<i128> {
        if let ExprNode::Const(Scalar::Int(it)) = self.node() { Some(*it) } else { None }
    }

    /// The expressions directly below.
    pub fn parts(&self) -> Vec<&Expr> {
        use ExprNode::*;
        match self.node() {
            Const(_) | Slot(_) => Vec::new(),
            And(of) | Or(of) | Add(of) | Concat(of) => of.iter().collect(),
            Not(a) | Len(a) | Matches(a, _) => vec![a],
            Eq(a, b) | Le(a, b) | Lt(a, b) | Mul(a, b) | Div(a, b) | Mod(a, b) => vec![a, b],
            StartsWith(a, b) | EndsWith(a, b) | Contains(a, b) | IndexOf(a, b) | TextLt(a, b) => vec![a, b],
            Ite(a, b, c) | Substr(a, b, c) | EditsAtLeast(a, b, c) => vec![a, b, c],
        }
    }

    /// The slots in it, in order, each once.
    pub fn slots(&self) -> Vec<u32> {
        let mut seen = HashSet::new();
        let mut slots = BTreeSet::new();
        let mut todo = vec![self];
        while let Some(expr) = todo.pop() {
            if !seen.insert(Arc::as_ptr(&expr.0)) {
                continue;
            }
            if let ExprNode::Slot(slot) = expr.node() {
                slots.insert(*slot);
            }
            todo.extend(expr.parts());
        }
        slots.into_iter().collect()
    }
}

/// All of them; simplified.
pub fn all(of: impl IntoIterator<Item = Expr>) -> Expr {
    junction(of, true)
}

/// At least one of them; simplified.
pub fn any(of: impl IntoIterator<Item = Expr>) -> Expr {
    junction(of, false)
}

/// `neutral` is what an empty one is; the opposite decides it.
#[expect(clippy::mutable_key_type, reason = "what a pattern keeps for later is no part of its equality")]
fn junction(of: impl IntoIterator<Item = Expr>, neutral: bool) -> Expr {
    let mut parts: Vec<Expr> = Vec::new();
    let mut seen = HashSet::new();
    for expr in of {
        let inner = match expr.node() {
            ExprNode::And(inner) if neutral => inner.clone(),
            ExprNode::Or(inner) if !neutral => inner.clone(),
            _ => vec![expr],
        };
        for part in inner {
            match part.as_bool() {
                Some(it) if it == neutral => {}
                Some(it) => return Expr::bool(it),
                None if seen.contains(&not(part.clone())) => return Expr::bool(!neutral),
                None => {
                    if seen.insert(part.clone()) {
                        parts.push(part);
                    }
                }
            }
        }
    }
    match parts.len() {
        0 => Expr::bool(neutral),
        1 => parts.remove(0),
        _ => Expr::new(if neutral { ExprNode::And(parts) } else { ExprNode::Or(parts) }),
    }
}

/// The opposite. Orders are turned round, so that `not` stands before few things.
pub fn not(of: Expr) -> Expr {
    match of.node() {
        ExprNode::Const(Scalar::Bool(it)) => Expr::bool(!it),
        ExprNode::Not(inner) => inner.clone(),
        ExprNode::Le(a, b) => Expr::new(ExprNode::Lt(b.clone(), a.clone())),
        ExprNode::Lt(a, b) => Expr::new(ExprNode::Le(b.clone(), a.clone())),
        _ => Expr::new(ExprNode::Not(of)),
    }
}

/// Whether the second holds if the first does.
pub fn implies(a: Expr, b: Expr) -> Expr {
    any([not(a), b])
}

/// The second when the first holds, else the third.
pub fn ite(condition: Expr, a: Expr, b: Expr) -> Expr {
    match (condition.as_bool(), a.as_bool(), b.as_bool()) {
        (Some(it), ..) => return if it { a } else { b },
        (_, Some(true), Some(false)) => return condition,
        (_, Some(false), Some(true)) => return not(condition),
        (_, Some(true), None) => return any([condition, b]),
        (_, Some(false), None) => return all([not(condition), b]),
        (_, None, Some(true)) => return any([not(condition), a]),
        (_, None, Some(false)) => return all([condition, a]),
        _ => {}
    }
    if a == b { a } else { Expr::new(ExprNode::Ite(condition, a, b)) }
}

/// Whether two of one kind are equal.
pub fn eq(a: Expr, b: Expr) -> Expr {
    if a == b {
        return Expr::bool(true);
    }
    let (a, b) = if a.as_const().is_some() { (b, a) } else { (a, b) };
    match (a.node(), b.node()) {
        (ExprNode::Const(_), ExprNode::Const(_)) => Expr::bool(false),
        (_, ExprNode::Const(Scalar::Bool(true))) => a,
        (_, ExprNode::Const(Scalar::Bool(false))) => not(a),
        // A lookup among constants is a truth about its conditions.
        (ExprNode::Ite(c, x, y), ExprNode::Const(_)) if leaf(x) || leaf(y) => {
            ite(c.clone(), eq(x.clone(), b.clone()), eq(y.clone(), b.clone()))
        }
        (ExprNode::Add(parts), ExprNode::Const(Scalar::Int(k))) => match &parts[..] {
            [of, by] => match by.as_int().and_then(|by| k.checked_sub(by)) {
                Some(k) => eq(of.clone(), Expr::int(k)),
                None => Expr::new(ExprNode::Eq(a, b)),
            },
            _ => Expr::new(ExprNode::Eq(a, b)),
        },
        _ => Expr::new(ExprNode::Eq(a, b)),
    }
}

/// Whether it is a constant or a choice among such.
fn leaf(of: &Expr) -> bool {
    match of.node() {
        ExprNode::Const(_) => true,
        ExprNode::Ite(_, a, b) => leaf(a) || leaf(b),
        _ => false,
    }
}

/// Whole numbers: whether the first is less than or equal to the second.
pub fn le(a: Expr, b: Expr) -> Expr {
    if let Some(of) = size_of(&a) {
        return all([le(of.clone(), b.clone()), le(mul(Expr::int(-1), of), b)]);
    }
    if let Some(of) = size_of(&b) {
        return any([le(a.clone(), of.clone()), le(a, mul(Expr::int(-1), of))]);
    }
    match (a.node(), b.node()) {
        (ExprNode::Const(Scalar::Int(a)), ExprNode::Const(Scalar::Int(b))) => Expr::bool(a <= b),
        _ if a == b => Expr::bool(true),
        (ExprNode::Ite(c, x, y), ExprNode::Const(_)) if leaf(x) || leaf(y) => {
            ite(c.clone(), le(x.clone(), b.clone()), le(y.clone(), b.clone()))
        }
        (ExprNode::Const(_), ExprNode::Ite(c, x, y)) if leaf(x) || leaf(y) => {
            ite(c.clone(), le(a.clone(), x.clone()), le(a.clone(), y.clone()))
        }
        (ExprNode::Div(x, by), ExprNode::Const(Scalar::Int(k))) => match by.as_int() {
            // x div c <= k just when x < c * (k + 1).
            Some(c) if c > 0 && k.checked_add(1).and_then(|k| k.checked_mul(c)).is_some() => {
                lt(x.clone(), Expr::int((k + 1) * c))
            }
            _ => Expr::new(ExprNode::Le(a, b)),
        },
        (ExprNode::Const(Scalar::Int(k)), ExprNode::Div(x, by)) => match by.as_int() {
            Some(c) if c > 0 && k.checked_mul(c).is_some() => le(Expr::int(k * c), x.clone()),
            _ => Expr::new(ExprNode::Le(a, b)),
        },
        _ => Expr::new(ExprNode::Le(a, b)),
    }
}

/// The number whose size an expression is. A bound on a size is two bounds, which solvers see through at once.
fn size_of(of: &Expr) -> Option<Expr> {
    let ExprNode::Ite(condition, minus, plus) = of.node() else { return None };
    let ExprNode::Lt(tested, zero) = condition.node() else { return None };
    let is_size = zero.as_int() == Some(0) && tested == plus && *minus == mul(Expr::int(-1), plus.clone());
    is_size.then(|| plus.clone())
}

/// Whole numbers: whether the first is less than the second.
pub fn lt(a: Expr, b: Expr) -> Expr {
    not(le(b, a))
}

/// Whole numbers: the sum; constants come last, as one.
pub fn add(of: impl IntoIterator<Item = Expr>) -> Expr {
    let mut parts = Vec::new();
    let mut known = 0_i128;
    for expr in of {
        let inner = if let ExprNode::Add(inner) = expr.node() { inner.clone() } else { vec![expr] };
        for part in inner {
            match part.as_int().and_then(|it| known.checked_add(it)) {
                Some(sum) => known = sum,
                None => parts.push(part),
            }
        }
    }
    if known != 0 || parts.is_empty() {
        parts.push(Expr::int(known));
    }
    if parts.len() == 1 { parts.remove(0) } else { Expr::new(ExprNode::Add(parts)) }
}

/// Whole numbers: the first less the second.
pub fn sub(a: Expr, b: Expr) -> Expr {
    add([a, mul(Expr::int(-1), b)])
}

/// Whole numbers: the product; a constant comes first.
pub fn mul(a: Expr, b: Expr) -> Expr {
    let (a, b) = if b.as_int().is_some() { (b, a) } else { (a, b) };
    match (a.as_int(), b.node()) {
        (Some(0), _) => Expr::int(0),
        (Some(1), _) => b,
        (Some(x), ExprNode::Const(Scalar::Int(y))) => match x.checked_mul(*y) {
            Some(product) => Expr::int(product),
            None => Expr::new(ExprNode::Mul(a, b)),
        },
        (Some(x), ExprNode::Mul(y, z)) => match y.as_int().and_then(|y| x.checked_mul(y)) {
            Some(product) => mul(Expr::int(product), z.clone()),
            None => Expr::new(ExprNode::Mul(a, b)),
        },
        (Some(_), ExprNode::Add(parts)) => add(parts.iter().map(|it| mul(a.clone(), it.clone()))),
        _ => Expr::new(ExprNode::Mul(a, b)),
    }
}

/// Builds a node, or its value when its parts are constants.
fn folded(node: ExprNode) -> Expr {
    let expr = Expr::new(node);
    if expr.parts().iter().all(|it| it.as_const().is_some()) {
        expr.eval(&[]).map(Expr::constant).unwrap_or(expr)
    } else {
        expr
    }
}

/// Whole numbers: the Euclidean quotient.
pub fn div(a: Expr, b: Expr) -> Expr {
    if b.as_int() == Some(1) { a } else { folded(ExprNode::Div(a, b)) }
}

/// Whole numbers: the Euclidean remainder.
pub fn modulo(a: Expr, b: Expr) -> Expr {
    if b.as_int() == Some(1) { Expr::int(0) } else { folded(ExprNode::Mod(a, b)) }
}

/// Texts: the length in characters.
pub fn len(of: Expr) -> Expr {
    match of.node() {
        ExprNode::Concat(parts) => add(parts.iter().map(|it| len(it.clone()))),
        _ => folded(ExprNode::Len(of)),
    }
}

/// Texts: one after the other.
pub fn concat(of: impl IntoIterator<Item = Expr>) -> Expr {
    let mut parts: Vec<Expr> = Vec::new();
    for expr in of {
        let inner = if let ExprNode::Concat(inner) = expr.node() { inner.clone() } else { vec![expr] };
        for part in inner {
            let known =
                |it: &Expr| if let Some(Scalar::Text(it)) = it.as_const() { Some(it.clone()) } else { None };
            match (parts.last().and_then(known), known(&part)) {
                (_, Some(it)) if it.is_empty() => {}
                (Some(a), Some(b)) => *parts.last_mut().expect("just seen") = Expr::text(&format!("{a}{b}")),
                _ => parts.push(part),
            }
        }
    }
    match parts.len() {
        0 => Expr::text(""),
        1 => parts.remove(0),
        _ => Expr::new(ExprNode::Concat(parts)),
    }
}

/// Texts: whether the first begins with the second.
pub fn starts_with(a: Expr, b: Expr) -> Expr {
    folded(ExprNode::StartsWith(a, b))
}

/// Texts: whether the first ends with the second.
pub fn ends_with(a: Expr, b: Expr) -> Expr {
    folded(ExprNode::EndsWith(a, b))
}

/// Texts: whether the first contains the second.
pub fn contains(a: Expr, b: Expr) -> Expr {
    folded(ExprNode::Contains(a, b))
}

/// Texts: from a start, this many characters, clipped at the end.
pub fn substr(a: Expr, start: Expr, length: Expr) -> Expr {
    folded(ExprNode::Substr(a, start, length))
}

/// Texts: where the second first occurs in the first, -1 if it does not.
pub fn index_of(a: Expr, b: Expr) -> Expr {
    folded(ExprNode::IndexOf(a, b))
}

/// Texts: whether the first is less than the second by code points.
pub fn text_lt(a: Expr, b: Expr) -> Expr {
    if a == b { Expr::bool(false) } else { folded(ExprNode::TextLt(a, b)) }
}

/// Texts: whether they are at least this many edits apart.
pub fn edits_at_least(a: Expr, b: Expr, edits: Expr) -> Expr {
    match edits.as_int() {
        Some(it) if it <= 0 => Expr::bool(true),
        Some(1) => not(eq(a, b)),
        _ => folded(ExprNode::EditsAtLeast(a, b, edits)),
    }
}

/// Texts: whether the pattern matches the text as a whole.
pub fn matches(of: Expr, regex: Arc<Regex>) -> Expr {
    folded(ExprNode::Matches(of, regex))
}
