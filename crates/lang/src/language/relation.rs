//! User-defined relations, brought to the shapes that can be planned where they have one.

use super::terms::{replace, syms};
use probity_spec::{Decimal, Difference, Node, Op, Relation, RelationKind, Term, Value};

/// What makes models different in `on`, where `holds` relates two variables that stand for its values.
pub(crate) fn of(on: &Term, holds: &Term, first: usize, second: usize) -> Difference {
    let mut mentioned = Vec::new();
    syms(holds, &mut mentioned);
    if mentioned.iter().any(|it| *it != first && *it != second) {
        // It looks at other variables as well: those of the first model.
        let put = |_: &Term, sym: usize| match sym {
            it if it == first => Some(on.clone()),
            it if it == second => Some(of_other(on)),
            _ => None,
        };
        let kind = RelationKind::Holds(replace(holds, &put));
        return Difference::Relation(Relation { on: Term::it(), kind });
    }
    let put = |_: &Term, sym: usize| Some(if sym == first { Term::it() } else { Term::other() });
    normal(on, &replace(holds, &put))
}

/// Any of some differences, without those that are never.
pub(crate) fn any(parts: Vec<Difference>) -> Difference {
    let mut parts: Vec<_> = parts.into_iter().filter(|it| *it != Difference::Never).collect();
    match parts.len() {
        0 => Difference::Never,
        1 => parts.remove(0),
        _ => Difference::Any(parts),
    }
}

/// The same projection of the second model.
fn of_other(on: &Term) -> Term {
    on.replace(&|it| (*it.node() == Node::It).then(Term::other))
}

/// A relation of `it` and `other` as the difference that says the same.
fn normal(on: &Term, holds: &Term) -> Difference {
    let relation = |projection: &Term, kind: RelationKind| {
        let on = projection.replace(&|it| (*it.node() == Node::It).then(|| on.clone()));
        Difference::Relation(Relation { on, kind })
    };
    let whole =
        || Difference::Relation(Relation { on: on.clone(), kind: RelationKind::Holds(holds.clone()) });
    match holds.node() {
        Node::Const(Value::Bool(true)) => Difference::Always,
        Node::Apply(Op::And, parts) => Difference::All(parts.iter().map(|it| normal(on, it)).collect()),
        Node::Apply(Op::Or, parts) => Difference::Any(parts.iter().map(|it| normal(on, it)).collect()),
        Node::Apply(Op::Not, inner) => match inner[0].node() {
            Node::Apply(Op::Eq, sides) => match projection(&sides[0], &sides[1]) {
                Some(it) => match it.node() {
                    Node::Apply(Op::Len, of) => relation(&of[0], RelationKind::DifferentLengths),
                    _ => relation(&it, RelationKind::NotEqual),
                },
                None => whole(),
            },
            Node::Apply(Op::Lt, sides) => match distance(&sides[0], &sides[1], false) {
                Some((it, kind)) => relation(&it, kind),
                None => whole(),
            },
            // |a - b| <= d fails: further apart than d.
            Node::Apply(Op::Le, sides) => match distance(&sides[0], &sides[1], true) {
                Some((it, kind)) => relation(&it, kind),
                None => whole(),
            },
            _ => whole(),
        },
        Node::Apply(Op::Le, sides) => match distance(&sides[1], &sides[0], false) {
            Some((it, kind)) => relation(&it, kind),
            None => whole(),
        },
        Node::Apply(Op::Lt, sides) => match distance(&sides[1], &sides[0], true) {
            Some((it, kind)) => relation(&it, kind),
            None => whole(),
        },
        _ => whole(),
    }
}

/// The projection that both sides are, of `it` and of `other`, if it is one and is always defined.
fn projection(a: &Term, b: &Term) -> Option<Term> {
    let of_it = |it: &Term| mentions(it, &Node::It) && !mentions(it, &Node::Other);
    let (a, b) = if of_it(a) { (a, b) } else { (b, a) };
    (of_it(a) && of_other(a) == *b && is_total(a)).then(|| a.clone())
}

/// `far` as a distance of projections that is at least (or, when strict, more than) the constant `by`.
fn distance(far: &Term, by: &Term, strict: bool) -> Option<(Term, RelationKind)> {
    let by = match by.node() {
        Node::Const(Value::Int(it)) if *it >= 0 => it.checked_add(i128::from(strict))?,
        _ => return None,
    };
    match far.node() {
        Node::Apply(Op::EditDistance, sides) => {
            let kind = RelationKind::EditDistance(u64::try_from(by).ok()?);
            projection(&sides[0], &sides[1]).map(|it| (it, kind))
        }
        Node::Apply(Op::Abs, inner) => match inner[0].node() {
            // Strictly more is one more only for whole numbers, whose sort is not known here.
            Node::Apply(Op::Sub, sides) if !strict => {
                projection(&sides[0], &sides[1]).map(|it| (it, RelationKind::Distance(Decimal::new(by, 0))))
            }
            _ => None,
        },
        _ => None,
    }
}

fn mentions(term: &Term, leaf: &Node) -> bool {
    term.node() == leaf || term.parts().iter().any(|it| mentions(it, leaf))
}

/// Whether a term is defined for all values: where it is not, `(not (= a b))` holds but values do not relate.
fn is_total(term: &Term) -> bool {
    let here = match term.node() {
        Node::As(..) | Node::Measure(..) => false,
        Node::Apply(Op::Div | Op::Mod, args) => {
            matches!(args[1].node(), Node::Const(Value::Int(it)) if *it != 0 && *it != -1)
        }
        // From the start, a part of a text is clipped and never undefined.
        Node::Apply(Op::Substr, args) => {
            let int = |at: usize| if let Node::Const(Value::Int(it)) = args[at].node() { *it } else { -1 };
            int(1) == 0 && int(2) >= 0
        }
        Node::Apply(op, _) => {
            !matches!(op, Op::Add | Op::Sub | Op::Mul | Op::Neg | Op::Abs | Op::Nth | Op::Unwrap | Op::Sum)
        }
        _ => true,
    };
    here && term.parts().iter().all(|it| is_total(it))
}
