//! Measures of values at hand, from the inside out: each is computed once.

use super::expr::LevelValues;
use super::lists::ITEM;
use super::types::{CountedField, CountedVariant, ScalarShape, TypeKind, TypeSystem};
use crate::{Name, Spec, Value};

/// Computes measures of values of a spec, and checks what it requires; quicker than the evaluator, which is the oracle.
#[derive(Debug)]
pub(crate) struct Measurer {
    system: TypeSystem,
}

struct FoundValues<'a> {
    scalars: &'a [Option<i128>],
    children: &'a [Vec<Option<i128>>],
    own: &'a [Option<i128>],
}

impl LevelValues for FoundValues<'_> {
    fn scalar(&self, field: usize) -> Option<i128> {
        self.scalars[field]
    }

    fn child(&self, field: usize, measure: usize) -> Option<i128> {
        self.children[field].get(measure).copied().flatten()
    }

    fn own(&self, measure: usize) -> Option<i128> {
        self.own.get(measure).copied().flatten()
    }
}

impl Measurer {
    /// None where values of the spec are not counted.
    pub(crate) fn new(spec: &Spec) -> Option<Measurer> {
        // One item says what all are worth.
        TypeSystem::new(spec, &[], Some(1)).ok().map(|system| Measurer { system })
    }

    /// Whether a value meets all requirements, at every level.
    pub(crate) fn admits(&self, value: &Value) -> bool {
        self.system.measures_of(0, value.into()).is_some_and(|own| self.system.admits(&own))
    }

    /// What a measure of a value that meets them is worth.
    pub(crate) fn measure(&self, value: &Value, name: &str) -> Option<i128> {
        let at = self.system.types[0].measure(name)?;
        self.system.measures_of(0, value.into())?[at]
    }

    /// What a value is as a number here: a truth, a case.
    pub(crate) fn number(&self, value: &Value) -> Option<i128> {
        match value {
            Value::Int(it) => Some(*it),
            Value::Bool(it) => Some(i128::from(*it)),
            Value::Case(name) => self.system.case(name),
            _ => None,
        }
    }
}

/// A value, or what is left of a list.
#[derive(Clone, Copy, Debug)]
pub(super) enum PartValue<'a> {
    One(&'a Value),
    Items(&'a [Value]),
}

impl<'a> From<&'a Value> for PartValue<'a> {
    fn from(value: &'a Value) -> PartValue<'a> {
        PartValue::One(value)
    }
}

/// The measures of a value of a variant; none where a requirement does not hold.
fn measures(
    variant: &CountedVariant,
    scalars: &[Option<i128>],
    children: &[Vec<Option<i128>>],
) -> Option<Vec<Option<i128>>> {
    let found = FoundValues { scalars, children, own: &[] };
    let holds = variant.requires.iter().all(|it| it.holds(&found));
    holds.then(|| variant.bodies.iter().map(|it| it.eval(&found)).collect())
}

impl TypeSystem {
    /// Whether what is required of the whole holds.
    pub(super) fn admits(&self, own: &[Option<i128>]) -> bool {
        let values = FoundValues { scalars: &[], children: &[], own };
        self.more.iter().all(|it| it.holds(&values))
    }

    /// All measures of a value of a type; none where it is no such value, or a requirement does not hold somewhere.
    pub(super) fn measures_of(&self, ty: usize, value: PartValue) -> Option<Vec<Option<i128>>> {
        if let (TypeKind::List(..), PartValue::One(Value::List(items))) = (&self.types[ty].kind, value) {
            return self.measures_of_list(ty, items);
        }
        let (variant, values) = self.content(ty, value)?;
        let variant = &self.types[ty].variants[variant];
        if values.len() != variant.fields.len() {
            return None;
        }
        let mut scalars = vec![None; values.len()];
        let mut children: Vec<Vec<Option<i128>>> = vec![Vec::new(); values.len()];
        for (at, (field, value)) in variant.fields.iter().zip(values).enumerate() {
            match field.child {
                Some(child) => children[at] = self.measures_of(child, value)?,
                None => scalars[at] = Some(self.scalar(field, value)?),
            }
        }
        measures(variant, &scalars, &children)
    }

    /// The measures of a list, however long it is: from its end on.
    fn measures_of_list(&self, ty: usize, items: &[Value]) -> Option<Vec<Option<i128>>> {
        let [nothing, some @ ..] = &self.types[ty].variants[..] else { return None };
        let mut res = measures(nothing, &[], &[])?;
        for item in items.iter().rev() {
            let variant = some.first()?;
            let field = &variant.fields[ITEM];
            let (mut scalars, mut children) = (vec![None; 2], vec![Vec::new(), res]);
            match field.child {
                Some(child) => children[ITEM] = self.measures_of(child, item.into())?,
                None => scalars[ITEM] = Some(self.scalar(field, item.into())?),
            }
            res = measures(variant, &scalars, &children)?;
        }
        Some(res)
    }

    /// The variant of a value of a type, and the values of its fields.
    pub(super) fn content<'a>(&self, ty: usize, value: PartValue<'a>) -> Option<(usize, Vec<PartValue<'a>>)> {
        let of = &self.types[ty];
        let (variant, content) = match (value, &of.kind) {
            (PartValue::One(Value::List(items)), TypeKind::List(..)) => {
                return self.content(ty, PartValue::Items(items));
            }
            (PartValue::Items(items), TypeKind::List(..)) => {
                return match items {
                    [] => Some((0, Vec::new())),
                    [first, rest @ ..] => {
                        (of.variants.len() > 1).then(|| (1, vec![first.into(), PartValue::Items(rest)]))
                    }
                };
            }
            (PartValue::One(Value::Option(it)), TypeKind::Option) => {
                return Some((it.is_some().into(), it.iter().map(|it| (&**it).into()).collect()));
            }
            (PartValue::One(Value::Union(name, content)), TypeKind::Union) => {
                (of.variants.iter().position(|it| it.name == *name)?, &**content)
            }
            (PartValue::One(it @ Value::Object(_)), TypeKind::Object) => (0, it),
            _ => return None,
        };
        let Value::Object(values) = content else { return None };
        let names = of.variants.get(variant)?.fields.iter().map(|it| &it.name);
        names
            .eq(values.iter().map(|it| &it.0))
            .then(|| (variant, values.iter().map(|it| (&it.1).into()).collect()))
    }

    pub(super) fn scalar(&self, field: &CountedField, value: PartValue) -> Option<i128> {
        let PartValue::One(value) = value else { return None };
        let number = match (field.kind, value) {
            (ScalarShape::Int, Value::Int(it)) => *it,
            (ScalarShape::Bool, Value::Bool(it)) => i128::from(*it),
            (ScalarShape::Case, Value::Case(name)) => self.case(name)?,
            _ => return None,
        };
        field.set.contains(number).then_some(number)
    }

    fn case(&self, name: &Name) -> Option<i128> {
        self.cases.iter().position(|it| it == name).map(|it| it as i128)
    }

    /// Leaves of numbers that have no end, or very many, those around zero; whether there are any.
    pub(super) fn cut(&mut self) -> bool {
        let mut is_cut = self.is_cut;
        for field in self.types.iter_mut().flat_map(|it| &mut it.variants).flat_map(|it| &mut it.fields) {
            if field.child.is_none() && field.set.count() > KEYS {
                let low = field.set.min().unwrap_or_default().max(-(KEYS as i128) / 2);
                let low = low.min(field.set.max().unwrap_or_default() - (KEYS as i128 - 1));
                field.set = field.set.clip(low, low + KEYS as i128 - 1);
                is_cut = true;
            }
        }
        is_cut
    }
}

/// Counted values draw from this many numbers: a tree of depth 5 has at most 31 keys.
const KEYS: u128 = 32;
