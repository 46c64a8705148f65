//! Differences lowered: the choices that a model makes, and whether two models relate.

use super::layout::Builder;
use super::lower::LeafScope;
use super::sym::Symbolic;
use super::{Expr, SlotKind, all, any, edits_at_least, eq, implies, matches, not};
use crate::regex::Count;
use crate::{Branches, Difference, Enumerate, Relation, RelationKind};

/// Covers with more leaves are left to plans.
const LEAVES_MAX: u64 = 256;

/// The slot of an enumeration's choice.
#[derive(Clone, Debug)]
pub(super) struct CaseSlot {
    pub(super) slot: u32,
    /// When the enumeration is reached.
    pub(super) active: Expr,
}

/// Makes a slot for every enumeration of a difference, in order of reading, and requires what is chosen.
pub(super) fn choices(
    builder: &mut Builder,
    difference: &Difference,
    it: &Symbolic,
) -> Result<Vec<CaseSlot>, String> {
    let mut choices = Vec::new();
    choose(builder, difference, it, &Expr::bool(true), &mut choices)?;
    Ok(choices)
}

fn choose(
    builder: &mut Builder,
    difference: &Difference,
    it: &Symbolic,
    active: &Expr,
    choices: &mut Vec<CaseSlot>,
) -> Result<(), String> {
    match difference {
        Difference::Always | Difference::Never | Difference::Relation(_) => Ok(()),
        Difference::All(parts) | Difference::Any(parts) => {
            parts.iter().try_for_each(|part| choose(builder, part, it, active, choices))
        }
        Difference::Not(of) => choose(builder, of, it, active, choices),
        Difference::Enumerate(Enumerate { branches }) => {
            let scope = LeafScope::new(it, None);
            let count = match branches {
                Branches::Listed(branches) => branches.len() as u64,
                Branches::Cover { cover, .. } => match cover.count() {
                    Count::Finite(count) => u64::try_from(count).unwrap_or(u64::MAX),
                    Count::Infinite => u64::MAX,
                },
            };
            if matches!(branches, Branches::Cover { .. }) && count > LEAVES_MAX {
                return Err(format!(
                    "a cover has more than {LEAVES_MAX} leaves, too many to solve for; it can be planned"
                ));
            }
            let kind = SlotKind::Int { lo: 0, hi: i128::from(count.max(1)) - 1 };
            let slot = builder.slot(&format!("choice {}", choices.len() + 1), kind, active)?;
            choices.push(CaseSlot { slot, active: active.clone() });
            if count == 0 {
                builder.requires.push(not(active.clone()));
            }
            let taken = |number: u64| all([active.clone(), eq(Expr::slot(slot), Expr::int(number.into()))]);
            match branches {
                Branches::Cover { on, cover } => {
                    let on = scope.lower(on)?;
                    let text = if let Symbolic::Text(it) = &on.sym { it.clone() } else { Expr::text("") };
                    let defined = if let Symbolic::Text(_) = on.sym { on.defined } else { Expr::bool(false) };
                    for number in 0..count {
                        let Some(leaf) = cover.leaf(number) else { break };
                        let holds = all([defined.clone(), matches(text.clone(), leaf.regex.clone())]);
                        builder.requires.push(implies(taken(number), holds));
                    }
                    Ok(())
                }
                Branches::Listed(branches) => (0..).zip(branches).try_for_each(|(number, branch)| {
                    builder.requires.push(implies(taken(number), scope.truth(&branch.requires)?));
                    choose(builder, &branch.differ, it, &taken(number), choices)
                }),
            }
        }
    }
}

/// One of two models that are related.
pub(super) struct SymbolicSide {
    pub(super) value: Symbolic,
    /// In order of reading; whatever where it was not reached.
    pub(super) choices: Vec<Expr>,
}

/// Whether a difference holds in that order.
pub(super) fn relates(difference: &Difference, a: &SymbolicSide, b: &SymbolicSide) -> Result<Expr, String> {
    relate(difference, a, b, &mut 0)
}

/// `next` is the number of the next enumeration.
fn relate(
    difference: &Difference,
    a: &SymbolicSide,
    b: &SymbolicSide,
    next: &mut usize,
) -> Result<Expr, String> {
    Ok(match difference {
        Difference::Always => Expr::bool(true),
        Difference::Never => Expr::bool(false),
        Difference::All(parts) => {
            all(parts.iter().map(|it| relate(it, a, b, next)).collect::<Result<Vec<_>, _>>()?)
        }
        Difference::Any(parts) => {
            any(parts.iter().map(|it| relate(it, a, b, next)).collect::<Result<Vec<_>, _>>()?)
        }
        Difference::Not(of) => not(relate(of, a, b, next)?),
        Difference::Relation(relation) => relation_holds(relation, a, b)?,
        Difference::Enumerate(Enumerate { branches }) => {
            let number = *next;
            *next += 1;
            let (Some(x), Some(y)) = (a.choices.get(number), b.choices.get(number)) else {
                return Ok(Expr::bool(false));
            };
            let mut parts = vec![not(eq(x.clone(), y.clone()))];
            if let Branches::Listed(branches) = branches {
                for (place, branch) in (0..).zip(branches) {
                    let both = [eq(x.clone(), Expr::int(place)), eq(y.clone(), Expr::int(place))];
                    parts.push(all(both.into_iter().chain([relate(&branch.differ, a, b, next)?])));
                }
            }
            any(parts)
        }
    })
}

fn relation_holds(relation: &Relation, a: &SymbolicSide, b: &SymbolicSide) -> Result<Expr, String> {
    let left = LeafScope::new(&a.value, None).lower(&relation.on)?;
    let right = LeafScope::new(&b.value, None).lower(&relation.on)?;
    let (x, y) = (&left.sym, &right.sym);
    let length = |it: &Symbolic| match it {
        Symbolic::Text(text) => Some(super::len(text.clone())),
        Symbolic::List(length, _) => Some(length.clone()),
        _ => None,
    };
    let holds = match &relation.kind {
        RelationKind::NotEqual => Some(not(x.equal(y))),
        RelationKind::DifferentLengths => length(x).zip(length(y)).map(|(x, y)| not(eq(x, y))),
        RelationKind::Distance(_) if matches!((x, y), (Symbolic::Float(_), _) | (_, Symbolic::Float(_))) => {
            return Err("how far floats are apart is not solved for; let them differ otherwise".to_string());
        }
        RelationKind::Distance(by) => x.apart(y, *by),
        RelationKind::EditDistance(by) => match (x, y) {
            (Symbolic::Text(x), Symbolic::Text(y)) => {
                Some(edits_at_least(x.clone(), y.clone(), Expr::int((*by).into())))
            }
            _ => None,
        },
        RelationKind::Holds(term) => Some(LeafScope::new(x, Some(y)).truth(term)?),
    };
    Ok(all([left.defined, right.defined, holds.unwrap_or_else(|| Expr::bool(false))]))
}
