//! Flat specs: a spec lowered to slots that are truths, whole numbers or texts, and formulas over them.
//!
//! Objects become their fields, options a truth and a content, lists a length and elements up to a bound, enums
//! and tables an index, dates and times whole numbers, decimals whole numbers at a scale, quantifiers the
//! conjunction over the elements. So every solver has three kinds to know and nothing to nest.

mod calendar;
mod eval;
mod expr;
mod extent;
mod layout;
mod lower;
mod relate;
mod sym;

pub use expr::{
    Expr, ExprNode, add, all, any, concat, contains, div, edits_at_least, ends_with, eq, implies, index_of,
    ite, le, len, lt, matches, modulo, mul, not, starts_with, sub, substr, text_lt,
};

use std::sync::Arc;

use crate::spec::DEPTH;
use crate::{Difference, Model, NO_CHOICE, Spec};
use layout::{Builder, Layout};
use relate::{CaseSlot, SymbolicSide, choices, relates};
use sym::Symbolic;

/// A spec and a difference, lowered.
///
/// ```
/// use probity_spec::flat::{Bounds, Flat};
/// use probity_spec::{Difference, Shape, Spec, Term};
/// let spec = Spec::object([("x", Spec::new(Shape::int(0, 9))), ("y", Spec::new(Shape::int(0, 9)))])
///     .require(Term::it().field("x").lt(Term::it().field("y")));
/// let flat = Flat::of(&spec, &Difference::Never, &Bounds::default()).unwrap();
/// assert_eq!(flat.slots.iter().map(|it| &*it.name).collect::<Vec<_>>(), ["x", "y"]);
/// assert!(flat.bounded.is_empty());
/// ```
#[derive(Clone, Debug)]
pub struct Flat {
    /// The unknowns. Slots that do not matter in a model (the content of none, elements past a list's end,
    /// alternatives and choices not taken) are required to hold a fixed value, so that two assignments are equal
    /// just when the models are.
    pub slots: Vec<Slot>,
    /// What holds of every model, all at once.
    pub requires: Vec<Expr>,
    /// What was cut to make it finite, for reports: `xs: up to 8 elements`. Empty when the flat spec has exactly
    /// the models of the spec.
    pub bounded: Vec<String>,
    layout: Layout,
    defaults: Vec<Scalar>,
    choices: Vec<CaseSlot>,
    difference: Difference,
}

/// Where to cut what has no end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Elements of a list whose requirements do not bound its length.
    pub list: usize,
    /// How often a recursive spec may stand within itself, where it does not say; less where that would be too much.
    pub depth: usize,
    /// Characters of a text whose requirements do not bound its length.
    pub text: usize,
}

/// Recursive specs that do not say how deep they are have about that many slots at most.
const OPEN_SLOTS_MAX: usize = 400;

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds { list: 8, depth: DEPTH as usize, text: 64 }
    }
}

impl Flat {
    /// Lowers a spec and the choices of a difference. The error says what cannot be lowered.
    pub fn of(spec: &Spec, difference: &Difference, bounds: &Bounds) -> Result<Flat, String> {
        let mut bounds = *bounds;
        let (mut builder, layout) = loop {
            let mut builder = Builder::new(&bounds);
            let built = builder.root(spec);
            // What has no end of its own ends where it can still be solved for.
            let is_large = built.is_err() || builder.slots.len() > OPEN_SLOTS_MAX;
            if !builder.is_recursion_cut || bounds.depth <= 1 || !is_large {
                break (builder, built?);
            }
            bounds.depth -= 1;
        };
        let it = layout.own_sym();
        let choices = choices(&mut builder, difference, &it)?;
        builder.settle_windows();
        let Builder { slots, defaults, mut requires, bounded, .. } = builder;
        requires.retain(|it| it.as_bool() != Some(true));
        let flat =
            Flat { slots, requires, bounded, layout, defaults, choices, difference: difference.clone() };
        // What a difference cannot be lowered for shows now, not when the first model is there.
        flat.related(&flat.side(0), &flat.side(flat.slots.len() as u32))?;
        Ok(flat)
    }

    /// The model that an assignment represents; none if it is no assignment of these slots.
    pub fn model(&self, scalars: &[Scalar]) -> Option<Model> {
        if scalars.len() != self.slots.len() {
            return None;
        }
        let choice = |it: &CaseSlot| match (it.active.eval_bool(scalars)?, &scalars[it.slot as usize]) {
            (true, Scalar::Int(chosen)) => u64::try_from(*chosen).ok(),
            (false, _) => Some(NO_CHOICE),
            _ => None,
        };
        let choices = self.choices.iter().map(choice).collect::<Option<_>>()?;
        Some(Model { value: self.layout.value(scalars)?, choices })
    }

    /// The assignment that represents a model; none if it lies beyond the bounds.
    pub fn scalars(&self, model: &Model) -> Option<Vec<Scalar>> {
        let mut scalars = self.defaults.clone();
        self.layout.write(&model.value, &mut |slot, it| scalars[slot as usize] = it)?;
        if model.choices.len() != self.choices.len() {
            return None;
        }
        for (choice, chosen) in self.choices.iter().zip(&model.choices) {
            if *chosen != NO_CHOICE {
                scalars[choice.slot as usize] = Scalar::Int((*chosen).into());
            }
        }
        let fits = |(slot, scalar): (&Slot, &Scalar)| match (&slot.kind, scalar) {
            (SlotKind::Int { lo, hi }, Scalar::Int(it)) => lo <= it && it <= hi,
            _ => true,
        };
        self.slots.iter().zip(&scalars).all(fits).then_some(scalars)
    }

    /// Whether the slots hold a model that differs from this one: by the default, and by the difference in both
    /// orders.
    pub fn differs_from(&self, model: &Model) -> Expr {
        let choice = |it: &u64| Expr::int(if *it == NO_CHOICE { 0 } else { (*it).into() });
        // Over the layout, where an enum's case has its place among the others.
        let value = match self.scalars(model) {
            Some(scalars) => self.layout.sym(&|it| Expr::constant(scalars[it as usize].clone())),
            None => Symbolic::of(&model.value),
        };
        let other = SymbolicSide { value, choices: model.choices.iter().map(choice).collect() };
        let related = self.related(&self.side(0), &other).unwrap_or_else(|_| Expr::bool(false));
        all([self.blocks(model), related])
    }

    /// Whether the slots hold another model than this one: the default alone. Only what the model realises is refuted; what
    /// it has no use for is the same in all that agree with it there.
    pub fn blocks(&self, model: &Model) -> Expr {
        if self.scalars(model).is_none() {
            return Expr::bool(true);
        }
        let other = |slot, it| not(eq(Expr::slot(slot), Expr::constant(it)));
        let mut realised = Vec::new();
        let _ = self.layout.write(&model.value, &mut |slot, it| realised.push(other(slot, it)));
        for (choice, chosen) in self.choices.iter().zip(&model.choices) {
            if *chosen != NO_CHOICE {
                realised.push(other(choice.slot, Scalar::Int((*chosen).into())));
            }
        }
        any(realised)
    }

    /// Whether two models differ, with the slots of the first before those of the second.
    pub fn pair(&self) -> Expr {
        let count = self.slots.len() as u32;
        let other = |slot| not(eq(Expr::slot(slot), Expr::slot(slot + count)));
        let related = self.related(&self.side(0), &self.side(count)).unwrap_or_else(|_| Expr::bool(false));
        all([any((0..count).map(other)), related])
    }

    /// One of two models, with its slots numbered from `offset`.
    fn side(&self, offset: u32) -> SymbolicSide {
        let choices = self.choices.iter().map(|it| Expr::slot(it.slot + offset)).collect();
        SymbolicSide { value: self.layout.sym(&|it| Expr::slot(it + offset)), choices }
    }

    /// The difference in both orders; `Never` as a whole asks for nothing.
    fn related(&self, a: &SymbolicSide, b: &SymbolicSide) -> Result<Expr, String> {
        if self.difference == Difference::Never {
            return Ok(Expr::bool(true));
        }
        Ok(all([relates(&self.difference, a, b)?, relates(&self.difference, b, a)?]))
    }
}

/// What a slot holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SlotKind {
    /// True or false.
    Bool,
    /// A whole number between the bounds, both included.
    Int {
        /// The least.
        lo: i128,
        /// The greatest.
        hi: i128,
    },
    /// A text.
    Text,
}

/// One unknown of a flat spec.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Where it comes from, for reports and transcripts: `event.duration`, `xs[2]`, `#xs` (a length).
    pub name: String,
    /// What it holds.
    pub kind: SlotKind,
}

/// What a slot was given. A model of a flat spec is one for every slot.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scalar {
    /// For [`SlotKind::Bool`].
    Bool(bool),
    /// For [`SlotKind::Int`].
    Int(i128),
    /// For [`SlotKind::Text`].
    Text(Arc<str>),
}
