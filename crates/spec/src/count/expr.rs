//! Terms over one level of a recursive value, compiled: numbers alone, so that they are quick to evaluate.

use super::lists::ListFold;
use super::types::{CountedType, TypeKind, field_measure};
use crate::{Name, Node, Op, Quantifier, Term, Value};

/// An expression over the fields of a variant and the measures of its children. Truths are 0 and 1, cases their numbers.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum LevelExpr {
    Const(i128),
    /// A field that is a number, a truth or a case.
    Scalar(usize),
    /// A measure of a field that is a value of a counted type.
    Child(usize, usize),
    /// A measure of the value itself.
    Own(usize),
    Undefined,
    Apply(Op, Vec<LevelExpr>),
}

/// What terms are compiled against.
pub(super) struct LevelScope<'a> {
    pub(super) types: &'a mut Vec<CountedType>,
    /// The type at hand, and its variant where the term is of one.
    pub(super) of: usize,
    pub(super) variant: Option<usize>,
    pub(super) cases: &'a mut Vec<Name>,
}

impl LevelScope<'_> {
    pub(super) fn compile(&mut self, term: &Term) -> Result<LevelExpr, String> {
        let no = || Err(format!("`{term}` is not about one level of a value"));
        Ok(match term.node() {
            Node::Const(value) => match self.constant(value) {
                Some(it) => LevelExpr::Const(it),
                None => return no(),
            },
            // Of what is nowhere defined, nothing is.
            _ if is_undefined(term) => LevelExpr::Undefined,
            Node::Field(of, name) => match (of.node(), self.field(name)) {
                (Node::It, Some(at)) if self.child(at).is_none() => LevelExpr::Scalar(at),
                _ => match self.within(of, &field_measure(name)) {
                    Some(it) => it,
                    None => return no(),
                },
            },
            Node::Measure(of, name) => match of.node() {
                Node::It => match self.types[self.of].measure(name) {
                    Some(it) => LevelExpr::Own(it),
                    None => return no(),
                },
                _ => match self.within(of, name) {
                    Some(it) => it,
                    None => return no(),
                },
            },
            Node::Is(of, name) => {
                let case = self.case(name);
                let tag = match of.node() {
                    Node::It => LevelExpr::Own(0),
                    _ => match self.within(of, "#") {
                        Some(it) => it,
                        None => return no(),
                    },
                };
                LevelExpr::Apply(Op::Eq, vec![tag, LevelExpr::Const(case)])
            }
            Node::Apply(Op::IsSome, args) => match self.part(&args[0]) {
                Some((at, ty)) if self.types[ty].is_option() => {
                    let some = LevelExpr::Const(self.types[ty].variants[1].case);
                    LevelExpr::Apply(Op::Eq, vec![LevelExpr::Child(at, 0), some])
                }
                _ => return no(),
            },
            Node::Apply(Op::Len, args) => self.list_length(&args[0])?,
            Node::Apply(Op::Sum, args) => self.list_sum(&args[0])?,
            Node::Apply(op @ (Op::Greatest | Op::Least), args) => self.list_extreme(&args[0], *op)?,
            Node::Quantified(kind @ (Quantifier::Forall | Quantifier::Exists), number, list, body) => {
                // Of a list that is nowhere, nothing holds.
                if is_undefined(list) {
                    return Ok(LevelExpr::Const(0));
                }
                self.of_items((*kind, *number), list, body)?
            }
            Node::Apply(op, args) => {
                let is_known = matches!(
                    op,
                    Op::And
                        | Op::Or
                        | Op::Not
                        | Op::Ite
                        | Op::Eq
                        | Op::Lt
                        | Op::Le
                        | Op::Add
                        | Op::Sub
                        | Op::Mul
                        | Op::Div
                        | Op::Mod
                        | Op::Neg
                        | Op::Abs
                        | Op::ToInt
                );
                let mut compiled = Vec::new();
                for it in args {
                    compiled.push(self.compile(it)?);
                }
                match op {
                    // A truth as a number; a case has another number there than here.
                    Op::ToInt if self.is_truth(&compiled[0]) => compiled.swap_remove(0),
                    _ if is_known && *op != Op::ToInt => LevelExpr::Apply(*op, compiled),
                    _ => return no(),
                }
            }
            _ => return no(),
        })
    }

    /// A field of the value that is of a counted type.
    pub(super) fn part(&self, term: &Term) -> Option<(usize, usize)> {
        match term.node() {
            Node::Field(of, field) if *of.node() == Node::It => {
                let at = self.field(field)?;
                Some((at, self.child(at)?))
            }
            _ => None,
        }
    }

    /// A measure of a field, or of what is in a field that is an option.
    fn within(&self, of: &Term, measure: &str) -> Option<LevelExpr> {
        if let Node::Apply(Op::Unwrap, args) = of.node() {
            let (at, ty) = self.part(&args[0]).filter(|it| self.types[it.1].is_option())?;
            // The first is the option's own tag, the others are the value's.
            let place = self.types[ty].measures[1..].iter().position(|it| &**it == measure)?;
            return Some(LevelExpr::Child(at, place + 1));
        }
        let (at, ty) = self.part(of).filter(|it| !self.types[it.1].is_option())?;
        Some(LevelExpr::Child(at, self.types[ty].measure(measure)?))
    }

    fn is_truth(&self, expr: &LevelExpr) -> bool {
        match expr {
            LevelExpr::Apply(op, _) => matches!(op, Op::And | Op::Or | Op::Not | Op::Eq | Op::Lt | Op::Le),
            LevelExpr::Scalar(at) => {
                self.variant.is_some_and(|it| self.types[self.of].variants[it].fields[*at].is_truth())
            }
            LevelExpr::Child(at, measure) => self.child(*at).is_some_and(|ty| match &self.types[ty].kind {
                TypeKind::List(_, measures) => {
                    let of = measure.checked_sub(1).and_then(|it| measures.get(it));
                    of.is_some_and(|it| matches!(it.fold, ListFold::All | ListFold::Any))
                }
                _ => false,
            }),
            _ => false,
        }
    }

    fn field(&self, name: &str) -> Option<usize> {
        let fields = &self.types[self.of].variants[self.variant?].fields;
        fields.iter().position(|it| &*it.name == name)
    }

    fn child(&self, at: usize) -> Option<usize> {
        self.types[self.of].variants[self.variant?].fields[at].child
    }

    fn constant(&mut self, value: &Value) -> Option<i128> {
        Some(match value {
            Value::Int(it) => *it,
            Value::Bool(it) => i128::from(*it),
            Value::Case(name) => self.case(name),
            _ => return None,
        })
    }

    fn case(&mut self, name: &Name) -> i128 {
        case_number(self.cases, name)
    }
}

/// Whether a term is about something that is nowhere defined, as a field of another variant is.
fn is_undefined(term: &Term) -> bool {
    match term.node() {
        Node::Apply(Op::Nth, args) => matches!(args[0].node(), Node::Apply(Op::List, of) if of.is_empty()),
        Node::Apply(Op::Unwrap | Op::IsSome | Op::Len | Op::Sum | Op::Greatest | Op::Least, args) => {
            is_undefined(&args[0])
        }
        Node::Quantified(Quantifier::Each, _, list, _) => is_undefined(list),
        Node::Field(of, _) | Node::Measure(of, _) | Node::Is(of, _) => is_undefined(of),
        _ => false,
    }
}

/// The number of a case; all that there are were numbered with the types.
pub(super) fn case_number(cases: &mut Vec<Name>, name: &Name) -> i128 {
    let found = cases.iter().position(|it| it == name);
    found.unwrap_or_else(|| {
        cases.push(name.clone());
        cases.len() - 1
    }) as i128
}

/// What the leaves of an expression are worth.
pub(super) trait LevelValues {
    fn scalar(&self, field: usize) -> Option<i128>;
    fn child(&self, field: usize, measure: usize) -> Option<i128>;
    fn own(&self, measure: usize) -> Option<i128>;
}

impl LevelExpr {
    pub(super) fn holds(&self, values: &impl LevelValues) -> bool {
        self.eval(values) == Some(1)
    }

    pub(super) fn eval(&self, values: &impl LevelValues) -> Option<i128> {
        match self {
            LevelExpr::Const(it) => Some(*it),
            LevelExpr::Scalar(at) => values.scalar(*at),
            LevelExpr::Child(at, measure) => values.child(*at, *measure),
            LevelExpr::Own(measure) => values.own(*measure),
            LevelExpr::Undefined => None,
            LevelExpr::Apply(op, args) => {
                let at = |it: usize| args[it].eval(values);
                let truth = |it: bool| Some(i128::from(it));
                match op {
                    Op::And => truth(args.iter().all(|it| it.holds(values))),
                    Op::Or => truth(args.iter().any(|it| it.holds(values))),
                    Op::Not => truth(!args[0].holds(values)),
                    Op::Ite => at(if args[0].holds(values) { 1 } else { 2 }),
                    Op::Eq => truth(matches!((at(0), at(1)), (Some(a), Some(b)) if a == b)),
                    Op::Lt => truth(matches!((at(0), at(1)), (Some(a), Some(b)) if a < b)),
                    Op::Le => truth(matches!((at(0), at(1)), (Some(a), Some(b)) if a <= b)),
                    Op::Neg => at(0)?.checked_neg(),
                    Op::Abs => at(0)?.checked_abs(),
                    Op::Sub => at(0)?.checked_sub(at(1)?),
                    Op::Div => at(0)?.checked_div_euclid(at(1)?),
                    Op::Mod => at(0)?.checked_rem_euclid(at(1)?),
                    Op::Add => args.iter().try_fold(0_i128, |sum, it| sum.checked_add(it.eval(values)?)),
                    Op::Mul => {
                        args.iter().try_fold(1_i128, |product, it| product.checked_mul(it.eval(values)?))
                    }
                    _ => None,
                }
            }
        }
    }

    /// The same with what measures of the value itself are worth in their place.
    pub(super) fn with_bodies(self, bodies: &[LevelExpr]) -> LevelExpr {
        match self {
            LevelExpr::Own(measure) => bodies[measure].clone(),
            LevelExpr::Apply(op, args) => {
                LevelExpr::Apply(op, args.into_iter().map(|it| it.with_bodies(bodies)).collect())
            }
            leaf => leaf,
        }
    }

    /// Calls `visit` with every leaf.
    pub(super) fn leaves(&self, visit: &mut impl FnMut(&LevelExpr)) {
        match self {
            LevelExpr::Apply(_, args) => args.iter().for_each(|it| it.leaves(visit)),
            leaf => visit(leaf),
        }
    }

    /// What is left where a term was made for one variant: conditions that are known are gone.
    pub(super) fn simplified(self) -> LevelExpr {
        let LevelExpr::Apply(op, args) = self else { return self };
        let args: Vec<LevelExpr> = args.into_iter().map(LevelExpr::simplified).collect();
        match (op, args.as_slice()) {
            (Op::Ite, [LevelExpr::Const(it), then, otherwise]) => {
                if *it == 1 {
                    then.clone()
                } else {
                    otherwise.clone()
                }
            }
            _ => LevelExpr::Apply(op, args),
        }
    }
}
