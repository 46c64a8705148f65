//! What a spec is compiled to, and how it is drawn.

use std::sync::Arc;

use super::cluster::Cluster;
use super::ints;
use super::slots::Slots;
use super::sorted::OrderedLists;
use super::terms::holds;
use super::text::SpecTexts;
use crate::regex::answers::Answers;
use crate::{CountedModels, IntSet, NumericKind};
use crate::{Name, Spec, Term, Value};

/// Lists without a bound of their own have at least this many items to draw from, however little is left of the size
/// budget: as many as a solver gives them.
const ITEMS: u32 = 8;

/// A compiled spec.
#[derive(Debug)]
pub(super) struct CompiledSpec {
    pub(super) root: DrawPart,
    /// Specs that stand within themselves.
    pub(super) nested: Vec<DrawPart>,
}

/// How one value is drawn.
#[derive(Debug, Clone)]
pub(super) enum DrawPart {
    /// There is none, and why.
    Empty(Arc<str>),
    /// One of these.
    Values(Arc<[Value]>),
    Numeric(NumericKind, IntSet),
    Text(SpecTexts),
    /// None, where it is allowed, or a value.
    Option(bool, Arc<DrawPart>),
    List(ListLengths, Arc<DrawPart>),
    Object(Arc<ObjectPart>),
    /// Alternatives, those that end first.
    Union(Arc<[(Name, DrawPart)]>),
    /// A part of [`CompiledSpec::nested`].
    Nested(usize),
    /// What a part draws, where it is a value of the spec for which all terms hold.
    Filtered(Arc<Filtered>),
    /// A value whose parts are related.
    Slots(Arc<Slots>),
    /// A list of numbers in an order.
    Ordered(OrderedLists),
    /// A value that is counted by its measures.
    Counted(Arc<CountedModels>),
}

/// How many items a list has.
#[derive(Debug, Clone)]
pub(super) enum ListLengths {
    /// From the first on, as the size budget allows, and up to the second if there is one. `true` where items can
    /// contain the list.
    From(u32, Option<u32>, bool),
    /// One of these.
    Of(Arc<[u32]>),
}

/// The fields of an object, in the order in which they are drawn.
#[derive(Debug)]
pub(super) struct ObjectPart {
    pub(super) names: Vec<Name>,
    pub(super) pieces: Vec<ObjectPiece>,
}

#[derive(Debug)]
pub(super) enum ObjectPiece {
    /// A field by its place.
    Field(usize, DrawPart),
    /// Fields that requirements relate.
    Cluster(Box<Cluster>),
}

#[derive(Debug)]
pub(super) struct Filtered {
    pub(super) part: DrawPart,
    pub(super) spec: Spec,
    pub(super) terms: Vec<Term>,
}

impl CompiledSpec {
    /// Draws a value, or answers such that `wanted` is drawn.
    pub(super) fn draw(&self, answers: &mut Answers, wanted: Option<&Value>) -> Option<Value> {
        self.part(&self.root, answers, wanted)
    }

    pub(super) fn part(
        &self,
        part: &DrawPart,
        answers: &mut Answers,
        wanted: Option<&Value>,
    ) -> Option<Value> {
        match part {
            DrawPart::Empty(why) => match answers {
                Answers::Source(_) => probity_core::misuse(why.to_string()),
                Answers::Known(..) => None,
            },
            DrawPart::Values(values) => self.one_of(values, answers, wanted),
            DrawPart::Numeric(kind, set) => {
                let number = match wanted {
                    Some(it) => Some(kind.number(it)?),
                    None => None,
                };
                ints::draw(*kind, set, answers, number).and_then(|it| kind.value(it))
            }
            DrawPart::Text(texts) => match wanted {
                None => texts.draw(answers, None).map(|it| Value::from(&*it)),
                Some(Value::Text(it)) => texts.draw(answers, Some(it)).map(|it| Value::from(&*it)),
                Some(_) => None,
            },
            DrawPart::Option(none, some) => self.option(*none, some, answers, wanted),
            DrawPart::List(lengths, item) => self.list(lengths, item, answers, wanted),
            DrawPart::Object(object) => answers.group("object", |it| self.object(object, it, wanted)),
            DrawPart::Union(cases) => self.union(cases, answers, wanted),
            DrawPart::Nested(at) => answers.nest(|it| self.part(&self.nested[*at], it, wanted)),
            DrawPart::Slots(slots) => {
                answers.group("slots", |it| it.such_that(|it| slots.draw(it, wanted), |_| true))
            }
            DrawPart::Ordered(lists) => lists.draw(answers, wanted),
            DrawPart::Counted(counted) => {
                // Deeper ones are not drawn, as if the size budget ended them: a search is then not complete.
                if let (true, Answers::Source(source)) = (counted.is_cut(), &mut *answers) {
                    let _ = source.size();
                }
                let made = answers.group(counted.label(), |it| counted.draw(it, wanted))?;
                if !counted.admits(&made) {
                    probity_core::misuse(format!(
                        "internal error: {made} was counted, but is not of its spec; please report it"
                    ));
                }
                Some(made)
            }
            DrawPart::Filtered(filtered) => answers.such_that(
                |it| self.part(&filtered.part, it, wanted),
                |value| filtered.terms.iter().all(|it| holds(it, &filtered.spec, value)),
            ),
        }
    }

    fn one_of(&self, values: &[Value], answers: &mut Answers, wanted: Option<&Value>) -> Option<Value> {
        let place = match wanted {
            Some(it) => Some(values.iter().position(|value| value == it)?),
            None => None,
        };
        if let [Value::Bool(false), Value::Bool(true)] = values {
            return answers.bool(place.map(|it| it == 1)).map(Value::Bool);
        }
        let at = answers.pick(&vec![1; values.len()], place)?;
        Some(values[at].clone())
    }

    fn option(
        &self,
        none: bool,
        some: &DrawPart,
        answers: &mut Answers,
        wanted: Option<&Value>,
    ) -> Option<Value> {
        let wanted = match wanted {
            None => None,
            Some(Value::Option(it)) => Some(it),
            Some(_) => return None,
        };
        let is_some = if none {
            let weights = if answers.size() == 0 && some.is_nested() { [1, 0] } else { [1, 3] };
            answers.pick(&weights, wanted.map(|it| usize::from(it.is_some())))? == 1
        } else {
            wanted.is_none_or(Option::is_some).then_some(true)?
        };
        if !is_some {
            return Some(Value::Option(None));
        }
        let inner = self.part(some, answers, wanted.and_then(|it| it.as_deref()))?;
        Some(Value::Option(Some(Box::new(inner))))
    }

    fn list(
        &self,
        lengths: &ListLengths,
        item: &DrawPart,
        answers: &mut Answers,
        wanted: Option<&Value>,
    ) -> Option<Value> {
        let wanted = match wanted {
            None => None,
            Some(Value::List(it)) => Some(it),
            Some(_) => return None,
        };
        let mut items = Vec::new();
        let add = &mut |answers: &mut Answers, at: usize| {
            items.push(self.part(item, answers, wanted.map(|it| &it[at]))?);
            Some(())
        };
        match lengths {
            ListLengths::From(min, max, is_nested) => {
                let limit = max.unwrap_or(u32::MAX);
                let usual = limit.min(min.saturating_add(answers.size().max(ITEMS)));
                let n = wanted.map(Vec::len);
                let is_long = !is_nested
                    && usual < limit
                    && answers.pick(&[1, 0], n.map(|it| usize::from(it > usual as usize)))? == 1;
                match (is_nested, is_long) {
                    (true, _) => answers.list_within_size(*min, limit, n, add)?,
                    (_, true) => answers.list_within_size(usual + 1, limit, n, add)?,
                    _ => answers.list(*min, usual, n, add)?,
                }
            }
            ListLengths::Of(lengths) => {
                let place = match wanted {
                    Some(it) => Some(lengths.iter().position(|n| *n as usize == it.len())?),
                    None => None,
                };
                let at = answers.pick(&vec![1; lengths.len()], place)?;
                answers.items(lengths[at], add)?;
            }
        }
        Some(Value::List(items))
    }

    fn object(&self, object: &ObjectPart, answers: &mut Answers, wanted: Option<&Value>) -> Option<Value> {
        let mut values: Vec<Option<Value>> = vec![None; object.names.len()];
        for piece in &object.pieces {
            match piece {
                ObjectPiece::Field(at, part) => {
                    let wanted = match wanted {
                        Some(it) => Some(it.field(&object.names[*at])?),
                        None => None,
                    };
                    values[*at] = Some(self.part(part, answers, wanted)?);
                }
                ObjectPiece::Cluster(cluster) => {
                    for (at, value) in cluster.draw(self, answers, wanted)? {
                        values[at] = Some(value);
                    }
                }
            }
        }
        let fields = object.names.iter().cloned().zip(values).map(|(name, value)| Some((name, value?)));
        fields.collect::<Option<_>>().map(Value::Object)
    }

    fn union(
        &self,
        cases: &[(Name, DrawPart)],
        answers: &mut Answers,
        wanted: Option<&Value>,
    ) -> Option<Value> {
        let wanted = match wanted {
            None => None,
            Some(Value::Union(name, it)) => Some((cases.iter().position(|case| case.0 == *name)?, &**it)),
            Some(_) => return None,
        };
        let ends = cases.iter().any(|it| !it.1.is_nested()) && answers.size() == 0;
        let weight = |part: &DrawPart| u32::from(!(ends && part.is_nested()));
        let weights: Vec<u32> = cases.iter().map(|it| weight(&it.1)).collect();
        let at = answers.pick(&weights, wanted.map(|it| it.0))?;
        let inner = self.part(&cases[at].1, answers, wanted.map(|it| it.1))?;
        Some(Value::Union(cases[at].0.clone(), Box::new(inner)))
    }
}

impl DrawPart {
    pub(super) fn empty(why: &str) -> DrawPart {
        DrawPart::Empty(why.into())
    }

    pub(super) fn is_empty(&self) -> bool {
        matches!(self, DrawPart::Empty(_))
    }

    /// Whether it contains what encloses it.
    pub(super) fn is_nested(&self) -> bool {
        match self {
            DrawPart::Nested(_) => true,
            DrawPart::Option(_, part) | DrawPart::List(_, part) => part.is_nested(),
            DrawPart::Object(object) => object.pieces.iter().any(|it| match it {
                ObjectPiece::Field(_, part) => part.is_nested(),
                ObjectPiece::Cluster(cluster) => cluster.is_nested(),
            }),
            DrawPart::Union(cases) => cases.iter().any(|it| it.1.is_nested()),
            DrawPart::Filtered(filtered) => filtered.part.is_nested(),
            DrawPart::Empty(_)
            | DrawPart::Values(_)
            | DrawPart::Numeric(..)
            | DrawPart::Text(_)
            | DrawPart::Counted(_)
            | DrawPart::Ordered(_)
            | DrawPart::Slots(_) => false,
        }
    }
}
