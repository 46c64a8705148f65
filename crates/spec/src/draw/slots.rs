//! Values whose parts are related: drawn slot by slot from what propagation leaves of each.

use std::cell::RefCell;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use super::ints;
use crate::flat::{Bounds, Flat, Scalar, SlotKind};
use crate::propagate::{Narrowing, SlotDomain};
use crate::regex::Language;
use crate::regex::answers::Answers;
use crate::regex::texts::{TextAutomaton, TextKind, Texts};
use crate::{Difference, Model, Spec, Value};
use crate::{IntSet, NumericKind};

/// With more slots than this, propagation after each would take longer than most tests.
const SLOTS_MAX: usize = 128;
/// Longer texts are not drawn.
const LENGTH_MAX: i128 = 2_000;
/// This many automata are kept to be walked again.
const WALKS_MAX: usize = 64;

/// A spec lowered to slots.
pub(super) struct Slots {
    flat: Flat,
    /// What is left before anything is drawn.
    start: Narrowing,
    /// Texts last: most requirements bound them by numbers.
    order: Vec<usize>,
    walks: Mutex<Vec<Arc<TextAutomaton>>>,
}

impl fmt::Debug for Slots {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_list().entries(self.flat.slots.iter().map(|it| &it.name)).finish()
    }
}

impl Slots {
    /// The slots of a spec; an error where it has no value, and none where it cannot be lowered, or where that cuts
    /// what has no bound and it is to be `whole`.
    pub(super) fn new(spec: &Spec, whole: bool) -> Option<Result<Slots, ()>> {
        let flat = Flat::of(spec, &Difference::Never, &Bounds::default()).ok()?;
        if flat.slots.len() > SLOTS_MAX || whole && !flat.bounded.is_empty() {
            return None;
        }
        let Some(start) = Narrowing::new(&flat.slots, &flat.requires) else { return Some(Err(())) };
        let mut order: Vec<usize> = (0..flat.slots.len()).collect();
        order.sort_by_key(|it| flat.slots[*it].kind == SlotKind::Text);
        Some(Ok(Slots { flat, start, order, walks: Mutex::default() }))
    }

    pub(super) fn draw(&self, answers: &mut Answers, wanted: Option<&Value>) -> Option<Value> {
        let wanted = match wanted {
            Some(it) => Some(self.flat.scalars(&Model { value: it.clone(), choices: Vec::new() })?),
            None => None,
        };
        let left = RefCell::new(self.start.clone());
        let mut scalars = vec![Scalar::Bool(false); self.flat.slots.len()];
        for &slot in &self.order {
            let domain = left.borrow().domain(slot);
            let wanted = wanted.as_ref().map(|it| &it[slot]);
            scalars[slot] = match single(&domain) {
                Some(it) => wanted.is_none_or(|wanted| *wanted == it).then_some(it)?,
                None => answers
                    .such_that(|it| self.one(&domain, it, wanted), |it| left.borrow_mut().fix(slot, it))?,
            };
        }
        let fits = self.flat.requires.iter().all(|it| it.eval_bool(&scalars) == Some(true));
        self.flat.model(&scalars).filter(|_| fits).map(|it| it.value)
    }

    fn one(&self, domain: &SlotDomain, answers: &mut Answers, wanted: Option<&Scalar>) -> Option<Scalar> {
        match (domain, wanted) {
            (SlotDomain::Bool(..), None) => answers.bool(None).map(Scalar::Bool),
            (SlotDomain::Bool(..), Some(Scalar::Bool(it))) => answers.bool(Some(*it)).map(Scalar::Bool),
            (SlotDomain::Int(set), None) => ints::draw(NumericKind::Int, set, answers, None).map(Scalar::Int),
            (SlotDomain::Int(set), Some(Scalar::Int(it))) => {
                ints::draw(NumericKind::Int, set, answers, Some(*it)).map(Scalar::Int)
            }
            (SlotDomain::Text { options: Some(options), .. }, _) => one_of(options, answers, wanted),
            (SlotDomain::Text { lengths, language, .. }, _) => {
                let wanted = match wanted {
                    None => None,
                    Some(Scalar::Text(it)) => Some(&**it),
                    Some(_) => return None,
                };
                let texts = self.texts(lengths, language.as_ref())?;
                texts.draw(answers, wanted).map(|it| Scalar::Text(it.into()))
            }
            _ => None,
        }
    }

    fn texts(&self, lengths: &IntSet, language: Option<&Arc<Language>>) -> Option<Texts> {
        let lengths = lengths.iter().take_while(|it| *it <= LENGTH_MAX).map(|it| it as usize);
        let Some(language) = language else {
            return Texts::of_lengths(TextKind::Any, lengths);
        };
        let mut walks = self.walks.lock().unwrap_or_else(PoisonError::into_inner);
        let known = walks.iter().find(|it| it.is_of(language)).cloned();
        let walk = known.unwrap_or_else(|| {
            let walk = Arc::new(TextAutomaton::new(Arc::clone(language)));
            if walks.len() < WALKS_MAX {
                walks.push(Arc::clone(&walk));
            }
            walk
        });
        let known = walk.language().lengths();
        let lengths = lengths.filter(|it| known.contains(*it));
        Texts::of_lengths(TextKind::Walk(Arc::clone(&walk)), lengths)
    }
}

/// One of a few texts, the shortest the simplest.
fn one_of(texts: &[Arc<str>], answers: &mut Answers, wanted: Option<&Scalar>) -> Option<Scalar> {
    let mut texts: Vec<&Arc<str>> = texts.iter().collect();
    texts.sort_by_key(|it| (it.chars().count(), *it));
    let place = match wanted {
        Some(Scalar::Text(it)) => Some(texts.iter().position(|text| *text == it)?),
        Some(_) => return None,
        None => None,
    };
    if texts.is_empty() {
        return None;
    }
    Some(Scalar::Text(Arc::clone(texts[answers.pick(&vec![1; texts.len()], place)?])))
}

/// The scalar, if only one is left.
fn single(domain: &SlotDomain) -> Option<Scalar> {
    match domain {
        SlotDomain::Bool(no, yes) => (no != yes).then_some(Scalar::Bool(*yes)),
        SlotDomain::Int(set) => set.single().map(Scalar::Int),
        SlotDomain::Text { options: Some(options), .. } => match &options[..] {
            [one] => Some(Scalar::Text(Arc::clone(one))),
            _ => None,
        },
        SlotDomain::Text { lengths, .. } => (lengths.max() == Some(0)).then(|| Scalar::Text("".into())),
    }
}
