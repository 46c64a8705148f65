//! Fields that requirements relate: each is drawn from what those before it leave.

use std::sync::Arc;

use super::compile::{self, filtered};
use super::part::{CompiledSpec, DrawPart};
use super::slots::Slots;
use super::terms::{fields, holds, is_it, simplified};
use crate::IntSet;
use crate::narrow::{TermReading, numbers};
use crate::regex::answers::Answers;
use crate::{Field, Name, Node, Shape, Spec, Term, Value};

/// Fields of an object that are drawn together.
#[derive(Debug)]
pub(super) struct Cluster {
    /// In the order in which they are drawn.
    members: Vec<Member>,
    /// An object of these fields alone.
    spec: Spec,
    terms: Vec<Term>,
    /// All of them, where they can be lowered.
    slots: Option<Slots>,
}

#[derive(Debug)]
struct Member {
    /// Its place among the fields of the object.
    at: usize,
    name: Name,
    spec: Spec,
    /// How it is drawn where nothing relates it to those before.
    part: DrawPart,
    /// The requirements that can be decided when those before it are drawn.
    terms: Vec<Term>,
}

impl Cluster {
    /// Fields with their places, parts and own requirements, and what relates them.
    pub(super) fn new(all: Vec<(usize, &Field, DrawPart, &[Term])>, terms: Vec<Term>) -> Option<Cluster> {
        let declared = all.iter().map(|(_, field, _, own)| {
            let spec = own.iter().cloned().fold((*field.spec).clone(), Spec::require);
            Field { spec: spec.into(), ..(*field).clone() }
        });
        let spec = Spec::new(Shape::Object(declared.collect()));
        // Related lists are short ones: to lower them anew for each value of the others would take too long.
        let has_list = all
            .iter()
            .any(|it| matches!(it.2, DrawPart::List(..) | DrawPart::Slots(_) | DrawPart::Ordered(_)));
        let slots = match Slots::new(&terms.iter().cloned().fold(spec.clone(), Spec::require), !has_list) {
            Some(Err(())) => return None,
            Some(Ok(slots)) => Some(slots),
            None => None,
        };
        let mut members: Vec<Member> = all
            .into_iter()
            .map(|(at, field, part, own)| {
                let spec = own.iter().cloned().fold((*field.spec).clone(), Spec::require);
                Member { at, name: field.name.clone(), spec, part, terms: Vec::new() }
            })
            .collect();
        members.sort_by_key(|it| cost(&it.part));
        for at in 0..members.len() {
            let known: Vec<Name> = members[..=at].iter().map(|it| it.name.clone()).collect();
            let is_last = at + 1 == members.len();
            let decided = |term: &&Term| match fields(term) {
                Some(used) => used.contains(&members[at].name) && used.iter().all(|it| known.contains(it)),
                None => is_last,
            };
            members[at].terms = terms.iter().filter(decided).cloned().collect();
        }
        Some(Cluster { members, spec, terms, slots })
    }

    pub(super) fn is_nested(&self) -> bool {
        self.members.iter().any(|it| it.part.is_nested())
    }

    /// Draws all fields, with their places.
    pub(super) fn draw(
        &self,
        parts: &CompiledSpec,
        answers: &mut Answers,
        wanted: Option<&Value>,
    ) -> Option<Vec<(usize, Value)>> {
        if let Some(slots) = &self.slots {
            let wanted = match wanted {
                Some(it) => Some(self.part_of(it)?),
                None => None,
            };
            let made = answers.such_that(|it| slots.draw(it, wanted.as_ref()), |_| true)?;
            return self.members.iter().map(|it| Some((it.at, made.field(&it.name)?.clone()))).collect();
        }
        let made = answers.such_that(
            |it| self.members_in_order(parts, it, wanted),
            |drawn| {
                let object = Value::Object(drawn.iter().map(|it| (it.1.clone(), it.2.clone())).collect());
                self.terms.iter().all(|it| holds(it, &self.spec, &object))
            },
        )?;
        Some(made.into_iter().map(|(at, _, value)| (at, value)).collect())
    }

    /// The object of these fields alone.
    fn part_of(&self, value: &Value) -> Option<Value> {
        let Shape::Object(fields) = &self.spec.shape else { return None };
        let fields = fields.iter().map(|it| Some((it.name.clone(), value.field(&it.name)?.clone())));
        fields.collect::<Option<_>>().map(Value::Object)
    }

    /// None also where those drawn leave nothing for another.
    fn members_in_order(
        &self,
        parts: &CompiledSpec,
        answers: &mut Answers,
        wanted: Option<&Value>,
    ) -> Option<Vec<(usize, Name, Value)>> {
        let mut drawn: Vec<(usize, Name, Value)> = Vec::new();
        for member in &self.members {
            let wanted = match wanted {
                Some(it) => Some(it.field(&member.name)?),
                None => None,
            };
            let known = |it: &Term| match it.node() {
                Node::Field(of, name) if is_it(of) && *name == member.name => Some(Term::it()),
                Node::Field(of, name) if is_it(of) => {
                    drawn.iter().find(|it| it.1 == *name).map(|it| Term::constant(it.2.clone()))
                }
                _ => None,
            };
            let is_local = |it: &&Term| fields(it).is_some();
            let terms: Vec<Term> =
                member.terms.iter().filter(is_local).map(|it| simplified(&it.rewrite(&known))).collect();
            let value = if terms.is_empty() || member.part.is_nested() {
                parts.part(&member.part, answers, wanted)?
            } else {
                match narrowed(&member.part, &member.spec, &terms) {
                    DrawPart::Empty(_) => return None,
                    narrowed => parts.part(&narrowed, answers, wanted)?,
                }
            };
            drawn.push((member.at, member.name.clone(), value));
        }
        Some(drawn)
    }
}

/// The part that draws what `part` does and for which all terms hold: by what is known already where that is quick.
fn narrowed(part: &DrawPart, spec: &Spec, terms: &[Term]) -> DrawPart {
    match part {
        DrawPart::Numeric(kind, set) => {
            let reading = TermReading { unknown: &Term::it(), kind: *kind, spec: Some(spec) };
            let narrow = |set: IntSet, term: &Term| numbers(&reading, term, &set);
            match terms.iter().try_fold(set.clone(), narrow) {
                Some(set) if set.is_empty() => DrawPart::empty("nothing is left"),
                Some(set) => DrawPart::Numeric(*kind, set),
                None => compile::part(spec, terms),
            }
        }
        DrawPart::Text(texts) => match texts.narrowed(terms) {
            Some(Ok(texts)) => DrawPart::Text(texts),
            Some(Err(())) => DrawPart::empty("nothing is left"),
            None => compile::part(spec, terms),
        },
        _ => compile::part(spec, terms),
    }
}

/// Numbers are drawn first: most requirements bound the others by them.
fn cost(part: &DrawPart) -> u32 {
    match part {
        DrawPart::Filtered(filtered) => cost(&filtered.part),
        DrawPart::Empty(_) | DrawPart::Values(_) | DrawPart::Numeric(..) => 0,
        DrawPart::Option(..)
        | DrawPart::Object(_)
        | DrawPart::Union(_)
        | DrawPart::Counted(_)
        | DrawPart::Nested(_) => 1,
        DrawPart::Text(_) => 2,
        DrawPart::List(..) | DrawPart::Slots(_) | DrawPart::Ordered(_) => 3,
    }
}

/// A list whose items are related to each other, by `terms` besides others.
pub(super) fn alone(spec: &Spec, part: DrawPart, all: &[Term], terms: Vec<Term>) -> DrawPart {
    let whole = all.iter().cloned().fold(Spec { requires: Vec::new(), ..spec.clone() }, Spec::require);
    match Slots::new(&whole, false) {
        Some(Ok(slots)) => DrawPart::Slots(Arc::new(slots)),
        Some(Err(())) => compile::impossible(spec, all),
        None => filtered(part, spec, terms),
    }
}
