//! What an expression is worth for given slots.

use super::{Expr, ExprNode, Scalar};
use crate::eval::edits_at_least;

impl Expr {
    /// Its value when the slots hold `slots`; none where it has none (a whole number beyond 128 bits, a division by
    /// zero) and that matters: a false part decides an `and` whatever the others are.
    ///
    /// ```
    /// use probity_spec::flat::{Expr, Scalar, add, le};
    /// let small = le(add([Expr::slot(0), Expr::int(1)]), Expr::int(5));
    /// assert_eq!(small.eval(&[Scalar::Int(4)]), Some(Scalar::Bool(true)));
    /// assert_eq!(small.eval(&[Scalar::Int(i128::MAX)]), None);
    /// ```
    pub fn eval(&self, slots: &[Scalar]) -> Option<Scalar> {
        use ExprNode::*;
        let int = |it: &Expr| it.eval_int(slots);
        let text = |it: &Expr| it.eval_text(slots);
        Some(match self.node() {
            Const(it) => it.clone(),
            Slot(slot) => slots.get(*slot as usize)?.clone(),
            And(of) => Scalar::Bool(decide(of, slots, false)?),
            Or(of) => Scalar::Bool(decide(of, slots, true)?),
            Not(of) => Scalar::Bool(!of.eval_bool(slots)?),
            Ite(condition, a, b) => if condition.eval_bool(slots)? { a } else { b }.eval(slots)?,
            Eq(a, b) => Scalar::Bool(a.eval(slots)? == b.eval(slots)?),
            Le(a, b) => Scalar::Bool(int(a)? <= int(b)?),
            Lt(a, b) => Scalar::Bool(int(a)? < int(b)?),
            Add(of) => Scalar::Int(of.iter().try_fold(0_i128, |sum, it| sum.checked_add(int(it)?))?),
            Mul(a, b) => Scalar::Int(int(a)?.checked_mul(int(b)?)?),
            Div(a, b) => Scalar::Int(int(a)?.checked_div_euclid(int(b)?)?),
            Mod(a, b) => Scalar::Int(int(a)?.checked_rem_euclid(int(b)?)?),
            Len(of) => Scalar::Int(text(of)?.chars().count() as i128),
            Concat(of) => {
                let parts = of.iter().map(text).collect::<Option<Vec<_>>>()?;
                Scalar::Text(parts.iter().map(|it| &**it).collect::<String>().into())
            }
            StartsWith(a, b) => Scalar::Bool(text(a)?.starts_with(&*text(b)?)),
            EndsWith(a, b) => Scalar::Bool(text(a)?.ends_with(&*text(b)?)),
            Contains(a, b) => Scalar::Bool(text(a)?.contains(&*text(b)?)),
            Substr(of, start, length) => {
                let (start, length) =
                    (usize::try_from(int(start)?).ok()?, usize::try_from(int(length)?).ok()?);
                let part: String = text(of)?.chars().skip(start).take(length).collect();
                Scalar::Text(part.into())
            }
            IndexOf(a, b) => {
                let a = text(a)?;
                let place = a.find(&*text(b)?);
                Scalar::Int(place.map_or(-1, |it| a[..it].chars().count() as i128))
            }
            TextLt(a, b) => Scalar::Bool(text(a)? < text(b)?),
            EditsAtLeast(a, b, edits) => Scalar::Bool(edits_at_least(&text(a)?, &text(b)?, int(edits)?)?),
            Matches(of, regex) => Scalar::Bool(regex.is_match(&text(of)?)),
        })
    }

    /// Its value if it is a truth.
    pub fn eval_bool(&self, slots: &[Scalar]) -> Option<bool> {
        if let Scalar::Bool(it) = self.eval(slots)? { Some(it) } else { None }
    }

    fn eval_int(&self, slots: &[Scalar]) -> Option<i128> {
        if let Scalar::Int(it) = self.eval(slots)? { Some(it) } else { None }
    }

    fn eval_text(&self, slots: &[Scalar]) -> Option<std::sync::Arc<str>> {
        if let Scalar::Text(it) = self.eval(slots)? { Some(it) } else { None }
    }
}

/// `by` as soon as one part is that, the opposite if all parts are.
fn decide(of: &[Expr], slots: &[Scalar], by: bool) -> Option<bool> {
    let mut known = true;
    for part in of {
        match part.eval_bool(slots) {
            Some(it) if it == by => return Some(by),
            Some(_) => {}
            None => known = false,
        }
    }
    known.then_some(!by)
}
