//! Differences as plans see them: choices numbered, equal things written one way.

use std::sync::Arc;

use super::frame::{RequestFrame, chain};
use probity_spec::regex::Cover;
use probity_spec::{
    Branch, Branches, Decimal, Difference, Enumerate, Model, Name, Node, Op, Relation, RelationKind, Shape,
    Spec, Term, Value,
};

/// A difference whose enumerations know the places of their choices. `Never` relates no two models here, also at
/// the top.
#[derive(Clone, Debug)]
pub(crate) enum Differ {
    /// Any two models.
    Always,
    /// No two models.
    Never,
    /// All of them.
    All(Vec<Differ>),
    /// At least one of them.
    Any(Vec<Differ>),
    /// The opposite.
    Not(Box<Differ>),
    /// The values of a projection relate.
    Relation(Relation),
    /// A listed enumeration: the place of its choice, and its branches.
    Listed(usize, Vec<(Branch, Differ)>),
    /// A cover: the place of its choice, the text, the leaves.
    Cover(usize, Term, Arc<Cover>),
}

impl Differ {
    /// Numbers the choices; says how many there are.
    pub(crate) fn of(difference: &Difference, frame: &RequestFrame) -> (Differ, usize) {
        let mut choices = 0;
        let differ = number(difference, frame, &mut choices);
        (differ, choices)
    }

    /// The default: some variable has another value.
    pub(crate) fn default(frame: &RequestFrame, vars: &[usize]) -> Differ {
        let not_equal = |it: &usize| {
            Differ::Relation(Relation { on: frame.vars[*it].term(), kind: RelationKind::NotEqual })
        };
        any(vars.iter().map(not_equal).collect())
    }

    /// The difference that this represents.
    pub(crate) fn difference(&self) -> Difference {
        let list = |parts: &[Differ]| parts.iter().map(Differ::difference).collect();
        match self {
            Differ::Always => Difference::Always,
            Differ::Never => Difference::Never,
            Differ::All(parts) => Difference::All(list(parts)),
            Differ::Any(parts) => Difference::Any(list(parts)),
            Differ::Not(of) => Difference::Not(Box::new(of.difference())),
            Differ::Relation(relation) => Difference::Relation(relation.clone()),
            Differ::Listed(_, branches) => {
                let branch = |(branch, differ): &(Branch, Differ)| Branch {
                    differ: differ.difference(),
                    ..branch.clone()
                };
                Difference::Enumerate(Enumerate {
                    branches: Branches::Listed(branches.iter().map(branch).collect()),
                })
            }
            Differ::Cover(_, on, cover) => Difference::Enumerate(Enumerate {
                branches: Branches::Cover { on: on.clone(), cover: cover.clone() },
            }),
        }
    }

    /// The places of the choices in it, in order of reading.
    pub(crate) fn places(&self) -> Vec<usize> {
        let mut res = Vec::new();
        self.visit(&mut |it| {
            if let Differ::Listed(at, _) | Differ::Cover(at, ..) = it {
                res.push(*at);
            }
        });
        res
    }

    /// Visits every part, outermost first.
    pub(crate) fn visit<'a>(&'a self, each: &mut dyn FnMut(&'a Differ)) {
        each(self);
        match self {
            Differ::All(parts) | Differ::Any(parts) => parts.iter().for_each(|it| it.visit(each)),
            Differ::Not(of) => of.visit(each),
            Differ::Listed(_, branches) => branches.iter().for_each(|it| it.1.visit(each)),
            _ => {}
        }
    }

    /// The variables that it speaks about.
    pub(crate) fn vars(&self, frame: &RequestFrame) -> Vec<usize> {
        let mut res = Vec::new();
        self.visit(&mut |it| match it {
            Differ::Relation(Relation { on, .. }) | Differ::Cover(_, on, _) => res.extend(frame.vars_of(on)),
            Differ::Listed(_, branches) => {
                branches.iter().for_each(|it| res.extend(frame.vars_of(&it.0.requires)));
            }
            _ => {}
        });
        res.sort_unstable();
        res.dedup();
        res
    }

    /// Whether two models that agree in all that it speaks about may yet relate.
    pub(crate) fn may_relate_equals(&self) -> bool {
        match self {
            Differ::Always | Differ::Not(_) => true,
            Differ::Never | Differ::Cover(..) => false,
            Differ::All(parts) => !parts.is_empty() && parts.iter().all(Differ::may_relate_equals),
            Differ::Any(parts) => parts.iter().any(Differ::may_relate_equals),
            Differ::Listed(_, branches) => branches.iter().any(|it| it.1.may_relate_equals()),
            Differ::Relation(it) => match &it.kind {
                RelationKind::NotEqual | RelationKind::DifferentLengths => false,
                RelationKind::Distance(by) => *by <= Decimal::new(0, 0),
                RelationKind::EditDistance(by) => *by == 0,
                RelationKind::Holds(_) => true,
            },
        }
    }

    /// Whether some part of it may relate equals, though the whole need not: then its parts cannot be planned apart.
    pub(crate) fn has_part_for_equals(&self) -> bool {
        match self {
            Differ::All(parts) | Differ::Any(parts) => parts.iter().any(Differ::has_part_for_equals),
            leaf => leaf.may_relate_equals(),
        }
    }

    /// Whether it says that some key has another value: then every largest-by-inclusion set is as large as any.
    pub(crate) fn is_key(&self, frame: &RequestFrame) -> bool {
        match self {
            Differ::Never | Differ::Cover(..) => true,
            Differ::Any(parts) => parts.iter().all(|it| it.is_key(frame)),
            Differ::Listed(_, branches) => branches.iter().all(|it| it.1.is_key(frame)),
            Differ::Relation(Relation { on, kind: RelationKind::NotEqual }) => {
                shape_of(on, &frame.spec).is_some()
            }
            Differ::Relation(Relation { on, kind: RelationKind::DifferentLengths }) => {
                matches!(shape_of(on, &frame.spec), Some(Shape::Text | Shape::List(_)))
            }
            _ => false,
        }
    }

    /// What the difference looks at in a model with those choices, which are as many as it makes: models with equal
    /// keys and equal choices are in the same relations. Models relate when the difference is a key and these
    /// differ.
    pub(crate) fn key(&self, spec: &Spec, model: &Model) -> Vec<Option<Value>> {
        let mut key = Vec::new();
        self.collect(spec, &model.value, &mut model.choices.iter(), &mut key);
        key
    }

    fn collect(
        &self,
        spec: &Spec,
        value: &Value,
        choices: &mut std::slice::Iter<u64>,
        key: &mut Vec<Option<Value>>,
    ) {
        match self {
            Differ::Always | Differ::Never => {}
            Differ::All(parts) | Differ::Any(parts) => {
                parts.iter().for_each(|it| it.collect(spec, value, choices, key));
            }
            Differ::Not(of) => of.collect(spec, value, choices, key),
            Differ::Relation(Relation { on, kind: RelationKind::DifferentLengths }) => {
                key.push(on.clone().len().eval_in(spec, value, None));
            }
            Differ::Relation(Relation { on, .. }) => key.push(on.eval_in(spec, value, None)),
            Differ::Cover(..) => {
                choices.next();
            }
            Differ::Listed(_, branches) => {
                let chosen = choices.next().copied();
                for (at, (_, differ)) in branches.iter().enumerate() {
                    if chosen == Some(at as u64) {
                        differ.collect(spec, value, choices, key);
                    } else {
                        let skipped = differ.places().len();
                        *choices = choices.as_slice().get(skipped..).unwrap_or_default().iter();
                    }
                }
            }
        }
    }
}

/// At least one; `Never` is dropped, and so is what only `Always` could save.
pub(crate) fn any(parts: Vec<Differ>) -> Differ {
    combine(parts, true)
}

/// All of them.
pub(crate) fn all(parts: Vec<Differ>) -> Differ {
    combine(parts, false)
}

fn combine(parts: Vec<Differ>, is_any: bool) -> Differ {
    let mut flat = Vec::new();
    for part in parts {
        match part {
            Differ::Any(below) if is_any => flat.extend(below),
            Differ::All(below) if !is_any => flat.extend(below),
            Differ::Never if is_any => {}
            Differ::Always if !is_any => {}
            it => flat.push(it),
        }
    }
    // Choices have to be made even where they decide nothing, so nothing that makes one is dropped.
    let makes_choices = flat.iter().any(|it| !it.places().is_empty());
    let decides = |it: &Differ| matches!((it, is_any), (Differ::Always, true) | (Differ::Never, false));
    if !makes_choices && flat.iter().any(decides) {
        return if is_any { Differ::Always } else { Differ::Never };
    }
    match (flat.len(), is_any) {
        (0, true) => Differ::Never,
        (0, false) => Differ::Always,
        (1, _) => flat.remove(0),
        (_, true) => Differ::Any(flat),
        (_, false) => Differ::All(flat),
    }
}

fn number(difference: &Difference, frame: &RequestFrame, next: &mut usize) -> Differ {
    match difference {
        Difference::Always => Differ::Always,
        Difference::Never => Differ::Never,
        Difference::All(parts) => all(parts.iter().map(|it| number(it, frame, next)).collect()),
        Difference::Any(parts) => any(parts.iter().map(|it| number(it, frame, next)).collect()),
        Difference::Not(of) => match number(of, frame, next) {
            Differ::Never => Differ::Always,
            Differ::Always => Differ::Never,
            Differ::Not(of) => *of,
            it => Differ::Not(Box::new(it)),
        },
        Difference::Relation(relation) => related(relation, frame),
        Difference::Enumerate(Enumerate { branches }) => {
            let at = *next;
            *next += 1;
            match branches {
                Branches::Cover { on, cover } => Differ::Cover(at, on.clone(), cover.clone()),
                Branches::Listed(branches) => {
                    let branch = |it: &Branch| (it.clone(), number(&it.differ, frame, next));
                    Differ::Listed(at, branches.iter().map(branch).collect())
                }
            }
        }
    }
}

/// Objects differ when one of their variables does; a text at least one edit away is not equal.
fn related(relation: &Relation, frame: &RequestFrame) -> Differ {
    if let (RelationKind::NotEqual, Some(path)) = (&relation.kind, chain(&relation.on)) {
        let below: Vec<usize> =
            (0..frame.vars.len()).filter(|it| frame.vars[*it].path.starts_with(&path)).collect();
        if spec_at(&frame.spec, &path).is_some_and(|it| matches!(it.shape, Shape::Object(_))) {
            return Differ::default(frame, &below);
        }
    }
    if relation.kind == RelationKind::EditDistance(1) {
        return Differ::Relation(Relation { on: relation.on.clone(), kind: RelationKind::NotEqual });
    }
    Differ::Relation(relation.clone())
}

fn spec_at<'a>(spec: &'a Spec, path: &[Name]) -> Option<&'a Spec> {
    let mut spec = spec;
    for name in path {
        let Shape::Object(fields) = &spec.shape else { return None };
        spec = &fields.iter().find(|it| it.name == *name)?.spec;
    }
    Some(spec)
}

/// The shape of a term that has a value in every model; for projections that people write.
fn shape_of(term: &Term, spec: &Spec) -> Option<Shape> {
    match term.node() {
        Node::It => Some(spec.shape.clone()),
        Node::Const(_) => Some(Shape::Bool),
        Node::Field(of, name) => match shape_of(of, spec)? {
            Shape::Object(fields) => Some(fields.iter().find(|it| it.name == *name)?.spec.shape.clone()),
            Shape::Table(table) => {
                let column = table.columns.iter().position(|it| it == name)?;
                let texts = table.rows.iter().all(|it| matches!(it.get(column), Some(Value::Text(_))));
                let whole = table.rows.iter().all(|it| it.get(column).is_some());
                whole.then_some(if texts { Shape::Text } else { Shape::Bool })
            }
            _ => None,
        },
        Node::Quantified(probity_spec::Quantifier::Each, ..) => None,
        Node::Matches(..) | Node::Is(..) | Node::Quantified(..) => Some(Shape::Bool),
        Node::Apply(op, args) => match op {
            Op::Len => matches!(shape_of(args.first()?, spec)?, Shape::Text | Shape::List(_))
                .then_some(Shape::Int { min: None, max: None }),
            Op::And | Op::Or | Op::Not | Op::Eq | Op::Lt | Op::Le | Op::In | Op::IsSome => Some(Shape::Bool),
            Op::StartsWith | Op::EndsWith | Op::Contains | Op::Sorted | Op::Distinct => Some(Shape::Bool),
            // Other arithmetic may leave the numbers there are.
            Op::Mod => match (shape_of(args.first()?, spec)?, args.get(1)?.node()) {
                (it @ Shape::Int { .. }, Node::Const(Value::Int(by))) if *by != 0 => Some(it),
                _ => None,
            },
            Op::Year | Op::Month | Op::Day | Op::Weekday => {
                matches!(shape_of(args.first()?, spec)?, Shape::Date | Shape::DateTime)
                    .then_some(Shape::Int { min: None, max: None })
            }
            _ => None,
        },
        _ => None,
    }
}
