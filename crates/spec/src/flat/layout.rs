//! Layouts: which slots a value of a spec is made of.

use std::sync::Arc;

use super::extent::{Enclosing, KnownRange};
use super::lower::{LeafScope, Lowered};
use super::sym::Symbolic;
use super::{Bounds, Expr, Scalar, Slot, SlotKind, all, any, eq, implies, le, len, lt, not};
use crate::propagate::{SlotDomain, propagate};
use crate::{Date, DateTime, Decimal, Duration, Float64, Name, Node, Shape, Spec, Table, Term, Time, Value};

/// More slots than this are refused: no solver would be done with them.
const SLOTS_MAX: usize = 20_000;
/// A list that may be longer than this is cut, however long it may be.
const LIST_MAX: usize = 64;
/// Elements of a list within a recursive spec, unless its requirements bound it.
const RECURSIVE_LIST: usize = 3;
/// How far numbers without bounds go while it is found out whether requirements bound them.
const WIDE: i128 = 1 << 100;
/// Seconds in a day.
const DAY: i128 = 86_400;

/// The slots of a value.
#[derive(Clone, Debug)]
pub(super) enum Layout {
    Bool(u32),
    Int(u32),
    Number(u32, u32),
    Float(u32),
    Text(u32),
    Date(u32),
    Time(u32),
    DateTime(u32),
    Duration(u32),
    Option(u32, Option<Box<Layout>>),
    List(u32, Vec<Layout>),
    Object(Vec<(Name, Layout)>),
    Enum(u32, Arc<[Name]>),
    /// Alternatives that recursion was cut at have no layout.
    Union(u32, Vec<(Name, Option<Layout>)>),
    Row(u32, Arc<Table>),
    /// A value with what its measures are worth, over its slots.
    Measured(Box<Layout>, Arc<[(Name, Lowered)]>),
}

impl Layout {
    /// The value of the slots themselves, with its measures.
    pub(super) fn own_sym(&self) -> Symbolic {
        self.make_sym(&Expr::slot, true)
    }

    /// The value whose slots are these expressions. Its measures are not known.
    pub(super) fn sym(&self, of_slot: &dyn Fn(u32) -> Expr) -> Symbolic {
        self.make_sym(of_slot, false)
    }

    fn make_sym(&self, of_slot: &dyn Fn(u32) -> Expr, is_own: bool) -> Symbolic {
        let slot = |it: &u32| of_slot(*it);
        let inner = |it: &Layout| it.make_sym(of_slot, is_own);
        match self {
            Layout::Bool(it) => Symbolic::Bool(slot(it)),
            Layout::Int(it) => Symbolic::Int(slot(it)),
            Layout::Number(it, scale) => Symbolic::Number(slot(it), *scale),
            Layout::Float(it) => Symbolic::Float(slot(it)),
            Layout::Text(it) => Symbolic::Text(slot(it)),
            Layout::Date(it) => Symbolic::Date(slot(it)),
            Layout::Time(it) => Symbolic::Time(slot(it)),
            Layout::DateTime(it) => Symbolic::DateTime(slot(it)),
            Layout::Duration(it) => Symbolic::Duration(slot(it)),
            Layout::Option(some, of) => {
                Symbolic::Option(slot(some), of.as_ref().map(|it| Box::new(inner(it))))
            }
            Layout::List(length, items) => Symbolic::List(slot(length), items.iter().map(inner).collect()),
            Layout::Object(fields) => {
                Symbolic::Object(fields.iter().map(|it| (it.0.clone(), inner(&it.1))).collect())
            }
            Layout::Enum(it, cases) => Symbolic::Case(slot(it), cases.clone()),
            Layout::Union(tag, cases) => {
                // The tag counts all alternatives; those without a layout are never taken.
                let none = || Symbolic::Bool(Expr::bool(false));
                let case =
                    |it: &(Name, Option<Layout>)| (it.0.clone(), it.1.as_ref().map_or_else(none, inner));
                Symbolic::Union(slot(tag), cases.iter().map(case).collect())
            }
            Layout::Row(it, table) => Symbolic::Row(slot(it), table.clone()),
            Layout::Measured(of, measures) if is_own => {
                Symbolic::Measured(Box::new(inner(of)), measures.clone())
            }
            Layout::Measured(of, _) => inner(of),
        }
    }

    /// The value that the slots hold.
    pub(super) fn value(&self, slots: &[Scalar]) -> Option<Value> {
        let int = |slot: &u32| match slots.get(*slot as usize)? {
            Scalar::Int(it) => Some(*it),
            _ => None,
        };
        let place = |slot: &u32| usize::try_from(int(slot)?).ok();
        let truth = |slot: &u32| match slots.get(*slot as usize)? {
            Scalar::Bool(it) => Some(*it),
            _ => None,
        };
        Some(match self {
            Layout::Measured(of, _) => of.value(slots)?,
            Layout::Bool(it) => Value::Bool(truth(it)?),
            Layout::Int(it) => Value::Int(int(it)?),
            Layout::Number(it, scale) => Value::Number(Decimal::new(int(it)?, *scale)),
            Layout::Text(it) => match slots.get(*it as usize)? {
                Scalar::Text(it) => Value::Text(it.clone()),
                _ => return None,
            },
            Layout::Float(it) => Value::Float(Float64::at(int(it)?)?),
            Layout::Date(it) => Value::Date(Date::from_days(int(it)?)?),
            Layout::Time(it) => Value::Time(Time::from_seconds(int(it)?)?),
            Layout::DateTime(it) => Value::DateTime(DateTime::from_seconds(int(it)?)?),
            Layout::Duration(it) => Value::Duration(Duration::from_seconds(int(it)?)?),
            Layout::Option(some, of) => {
                let of = if truth(some)? { Some(Box::new(of.as_ref()?.value(slots)?)) } else { None };
                Value::Option(of)
            }
            Layout::List(length, items) => {
                let items = items.get(..place(length)?)?.iter().map(|it| it.value(slots));
                Value::List(items.collect::<Option<_>>()?)
            }
            Layout::Object(fields) => {
                let fields = fields.iter().map(|it| Some((it.0.clone(), it.1.value(slots)?)));
                Value::Object(fields.collect::<Option<_>>()?)
            }
            Layout::Enum(it, cases) => Value::Case(cases.get(place(it)?)?.clone()),
            Layout::Union(tag, cases) => {
                let (name, of) = cases.get(place(tag)?)?;
                Value::Union(name.clone(), Box::new(of.as_ref()?.value(slots)?))
            }
            Layout::Row(it, table) => {
                let row = place(it).filter(|it| *it < table.rows.len())?;
                Value::Row(table.clone(), row as u32)
            }
        })
    }

    /// Puts a value into its slots, and into no others; none if it does not fit.
    pub(super) fn write(&self, value: &Value, put: &mut dyn FnMut(u32, Scalar)) -> Option<()> {
        match (self, value) {
            (Layout::Measured(of, _), _) => of.write(value, put)?,
            (Layout::Bool(slot), Value::Bool(it)) => put(*slot, Scalar::Bool(*it)),
            (Layout::Int(slot), Value::Int(it)) => put(*slot, Scalar::Int(*it)),
            (Layout::Number(slot, scale), Value::Number(it)) => put(*slot, Scalar::Int(it.at_scale(*scale)?)),
            (Layout::Text(slot), Value::Text(it)) => put(*slot, Scalar::Text(it.clone())),
            (Layout::Float(slot), Value::Float(it)) => put(*slot, Scalar::Int(it.place())),
            (Layout::Date(slot), Value::Date(it)) => put(*slot, Scalar::Int(it.days())),
            (Layout::Time(slot), Value::Time(it)) => put(*slot, Scalar::Int(it.seconds())),
            (Layout::DateTime(slot), Value::DateTime(it)) => put(*slot, Scalar::Int(it.seconds())),
            (Layout::Duration(slot), Value::Duration(it)) => put(*slot, Scalar::Int(it.seconds())),
            (Layout::Option(slot, of), Value::Option(it)) => {
                put(*slot, Scalar::Bool(it.is_some()));
                if let Some(it) = it {
                    of.as_ref()?.write(it, put)?;
                }
            }
            (Layout::List(slot, layouts), Value::List(items)) if items.len() <= layouts.len() => {
                put(*slot, Scalar::Int(items.len() as i128));
                layouts.iter().zip(items).try_for_each(|(layout, it)| layout.write(it, put))?;
            }
            (Layout::Object(layouts), Value::Object(fields)) if layouts.len() == fields.len() => {
                layouts.iter().zip(fields).try_for_each(|(layout, it)| {
                    (layout.0 == it.0).then_some(())?;
                    layout.1.write(&it.1, put)
                })?;
            }
            (Layout::Enum(slot, cases), Value::Case(it)) => {
                put(*slot, Scalar::Int(cases.iter().position(|case| case == it)? as i128));
            }
            (Layout::Union(slot, cases), Value::Union(name, it)) => {
                let place = cases.iter().position(|case| case.0 == *name)?;
                put(*slot, Scalar::Int(place as i128));
                cases[place].1.as_ref()?.write(it, put)?;
            }
            (Layout::Row(slot, table), Value::Row(of, row)) if table == of => {
                put(*slot, Scalar::Int((*row).into()));
            }
            _ => return None,
        }
        Some(())
    }
}

/// Makes slots and requirements.
pub(super) struct Builder<'a> {
    pub(super) slots: Vec<Slot>,
    /// What every slot holds when it does not matter.
    pub(super) defaults: Vec<Scalar>,
    pub(super) requires: Vec<Expr>,
    pub(super) bounded: Vec<String>,
    /// Whether recursion ended where its spec does not say that it does.
    pub(super) is_recursion_cut: bool,
    /// Slots of numbers that were cut, with their notes: propagation may tell a bound.
    windows: Vec<(u32, KnownRange, String)>,
    bounds: Bounds,
    /// The specs around the one at hand, outermost first.
    specs: Vec<&'a Spec>,
    /// How many of them are in for a [`Shape::Named`].
    recursions: usize,
}

/// The part of a spec that is being laid out.
struct SlotPlace<'a> {
    name: String,
    /// When it matters.
    active: Expr,
    enclosing: Vec<Enclosing<'a>>,
}

impl<'a> SlotPlace<'a> {
    fn step(&self, name: String, active: Expr, down: &dyn Fn(Term) -> Term) -> SlotPlace<'a> {
        let enclosing = self.enclosing.iter().map(|it| it.step(down)).collect();
        SlotPlace { name, active: all([self.active.clone(), active]), enclosing }
    }

    fn extent(&self, mut extent: KnownRange, length: bool) -> KnownRange {
        self.enclosing.iter().for_each(|it| it.narrow(&mut extent, length));
        extent
    }
}

impl<'a> Builder<'a> {
    pub(super) fn new(bounds: &Bounds) -> Builder<'a> {
        let (slots, defaults, requires, bounded, windows) = Default::default();
        Builder {
            slots,
            defaults,
            requires,
            bounded,
            is_recursion_cut: false,
            windows,
            bounds: *bounds,
            specs: Vec::new(),
            recursions: 0,
        }
    }

    /// Lays out a whole spec.
    pub(super) fn root(&mut self, spec: &'a Spec) -> Result<Layout, String> {
        let place = SlotPlace { name: String::new(), active: Expr::bool(true), enclosing: Vec::new() };
        let built = self.build(spec, place)?;
        built.ok_or_else(|| {
            "a recursive spec has no value within the bound on its depth; raise the bound".to_string()
        })
    }

    /// A slot that holds its default unless it is active.
    pub(super) fn slot(&mut self, name: &str, kind: SlotKind, active: &Expr) -> Result<u32, String> {
        if self.slots.len() >= SLOTS_MAX {
            return Err(format!(
                "the spec has more than {SLOTS_MAX} parts to solve for; bound its lists or its depth"
            ));
        }
        let slot = self.slots.len() as u32;
        let default = match kind {
            SlotKind::Bool => Scalar::Bool(false),
            // Without a value in between, any number will do: the requirements then cannot hold.
            SlotKind::Int { lo, hi } => Scalar::Int(0.max(lo).min(hi)),
            SlotKind::Text => Scalar::Text("".into()),
        };
        self.requires.push(any([active.clone(), eq(Expr::slot(slot), Expr::constant(default.clone()))]));
        self.slots.push(Slot { name: name.to_string(), kind });
        self.defaults.push(default);
        Ok(slot)
    }

    fn int(&mut self, place: &SlotPlace, lo: i128, hi: i128) -> Result<u32, String> {
        if lo > hi {
            self.requires.push(not(place.active.clone()));
            return self.slot(&place.name, SlotKind::Int { lo: 0, hi: 0 }, &place.active);
        }
        self.slot(&place.name, SlotKind::Int { lo, hi }, &place.active)
    }

    /// Lays out a part. None where recursion is cut: then nothing was added.
    fn build(&mut self, spec: &'a Spec, mut place: SlotPlace<'a>) -> Result<Option<Layout>, String> {
        let before = (self.slots.len(), self.requires.len());
        place.enclosing.push(Enclosing::new(spec));
        self.specs.push(spec);
        let built = self.shape(spec, &place);
        self.specs.pop();
        let Some(layout) = built? else {
            self.slots.truncate(before.0);
            self.windows.retain(|it| (it.0 as usize) < before.0);
            self.defaults.truncate(before.0);
            self.requires.truncate(before.1);
            return Ok(None);
        };
        let layout = measured(layout, &spec.measures);
        let sym = layout.own_sym();
        let scope = LeafScope::new(&sym, None);
        for term in &spec.requires {
            self.requires.push(implies(place.active.clone(), scope.truth(term)?));
        }
        Ok(Some(layout))
    }

    fn shape(&mut self, spec: &'a Spec, place: &SlotPlace<'a>) -> Result<Option<Layout>, String> {
        let days = (Date::MIN.days(), Date::MAX.days());
        Ok(Some(match &spec.shape {
            Shape::Bool => Layout::Bool(self.slot(&place.name, SlotKind::Bool, &place.active)?),
            Shape::Int { min, max } => {
                let extent = place.extent(KnownRange { lo: *min, hi: *max, scale: 0 }, false);
                Layout::Int(self.window(place, extent)?)
            }
            Shape::Number { decimals } => {
                let extent = place.extent(KnownRange { lo: None, hi: None, scale: *decimals }, false);
                Layout::Number(self.window(place, extent)?, *decimals)
            }
            Shape::Float => Layout::Float(self.int(place, Float64::ENDS.0, Float64::NAN)?),
            Shape::Text => Layout::Text(self.text(place)?),
            Shape::Date => Layout::Date(self.int(place, days.0, days.1)?),
            Shape::Time => Layout::Time(self.int(place, 0, DAY - 1)?),
            Shape::DateTime => Layout::DateTime(self.int(place, days.0 * DAY, (days.1 + 1) * DAY - 1)?),
            Shape::Duration => {
                let most = Duration::MAX.seconds();
                Layout::Duration(self.int(place, -most, most)?)
            }
            Shape::Option(of) => {
                let some = self.slot(&format!("{}?", place.name), SlotKind::Bool, &place.active)?;
                let content = place.step(place.name.clone(), Expr::slot(some), &|it| it.unwrap());
                let content = self.build(of, content)?;
                if content.is_none() {
                    self.requires.push(not(Expr::slot(some)));
                }
                Layout::Option(some, content.map(Box::new))
            }
            Shape::List(of) => return self.list(of, place).map(Some),
            Shape::Object(fields) => {
                let mut layouts = Vec::new();
                for field in fields {
                    let name = join(&place.name, &field.name);
                    let inner = place.step(name, Expr::bool(true), &|it| it.field(&field.name));
                    let Some(layout) = self.build(&field.spec, inner)? else { return Ok(None) };
                    layouts.push((field.name.clone(), layout));
                }
                Layout::Object(layouts)
            }
            Shape::Enum(cases) => {
                Layout::Enum(self.int(place, 0, cases.len() as i128 - 1)?, cases.as_slice().into())
            }
            Shape::Union(cases) => {
                let tag = self.int(place, 0, cases.len() as i128 - 1)?;
                let mut layouts = Vec::new();
                for (number, (name, of)) in cases.iter().enumerate() {
                    let taken = eq(Expr::slot(tag), Expr::int(number as i128));
                    let down = |it| Term::new(Node::As(it, name.clone()));
                    let inner = place.step(join(&place.name, name), taken.clone(), &down);
                    let layout = self.build(of, inner)?;
                    if layout.is_none() {
                        self.requires.push(any([not(place.active.clone()), not(taken)]));
                    }
                    layouts.push((name.clone(), layout));
                }
                // Where no alternative is left, the union itself is cut.
                if !cases.is_empty() && layouts.iter().all(|it| it.1.is_none()) {
                    return Ok(None);
                }
                Layout::Union(tag, layouts)
            }
            Shape::Table(table) => {
                Layout::Row(self.int(place, 0, table.rows.len() as i128 - 1)?, table.clone())
            }
            Shape::Named(name) => return self.named(name, place),
        }))
    }

    fn named(&mut self, name: &Name, place: &SlotPlace<'a>) -> Result<Option<Layout>, String> {
        let Some(found) = self.specs.iter().rposition(|it| it.name.as_ref() == Some(name)) else {
            return Err(format!("no spec `{name}` encloses `{}`; name one of those around it", place.name));
        };
        let spec = self.specs[found];
        let uses = self.specs.iter().filter(|it| std::ptr::eq(**it, spec)).count();
        let most = spec.depth.map_or(self.bounds.depth, |it| it as usize);
        if uses > most {
            let note = format!("{name}: up to {most} levels within itself");
            // What is as deep as its spec says is not cut.
            self.is_recursion_cut |= spec.depth.is_none();
            if spec.depth.is_none() && !self.bounded.contains(&note) {
                self.bounded.push(note);
            }
            return Ok(None);
        }
        let inner = SlotPlace {
            name: place.name.clone(),
            active: place.active.clone(),
            enclosing: place.enclosing.clone(),
        };
        // Within the named spec, names mean what they mean around it.
        let around = self.specs.clone();
        self.recursions += 1;
        let built = self.build(spec, inner);
        self.recursions -= 1;
        self.specs = around;
        built
    }

    fn list(&mut self, of: &'a Spec, place: &SlotPlace<'a>) -> Result<Layout, String> {
        let extent = place.extent(KnownRange::default(), true);
        let least = usize::try_from(extent.lo.unwrap_or(0).max(0)).unwrap_or(usize::MAX);
        let default =
            if self.recursions > 0 { RECURSIVE_LIST.min(self.bounds.list) } else { self.bounds.list };
        let most = match extent.hi {
            Some(hi) => usize::try_from(hi.max(0)).unwrap_or(usize::MAX).min(least.saturating_add(LIST_MAX)),
            None => least.saturating_add(default),
        };
        if most > SLOTS_MAX {
            return Err(format!("`{}` has at least {least} elements, too many to solve for", place.name));
        }
        if extent.hi.is_none_or(|hi| hi > most as i128) {
            self.bounded.push(format!("{}: up to {most} elements", shown(&place.name)));
        }
        let length_place = SlotPlace {
            name: format!("#{}", place.name),
            active: place.active.clone(),
            enclosing: Vec::new(),
        };
        let length = self.int(&length_place, 0, most as i128)?;
        let elements: Vec<Enclosing> = place.enclosing.iter().flat_map(Enclosing::elements).collect();
        let mut items = Vec::new();
        for number in 0..most {
            let here = lt(Expr::int(number as i128), Expr::slot(length));
            let inner = SlotPlace {
                name: format!("{}[{number}]", place.name),
                active: all([place.active.clone(), here.clone()]),
                enclosing: elements.clone(),
            };
            let Some(layout) = self.build(of, inner)? else {
                self.requires.push(eq(Expr::slot(length), Expr::int(0)));
                break;
            };
            items.push(layout);
        }
        Ok(Layout::List(length, items))
    }

    fn window(&mut self, place: &SlotPlace, extent: KnownRange) -> Result<u32, String> {
        let (lo, hi, cut) = extent.window();
        let slot = self.int(place, lo, hi)?;
        if cut {
            let note = |it: i128| match it {
                it if it == i64::MIN.into() => "-2^63".to_string(),
                it if it == i64::MAX.into() => "2^63 - 1".to_string(),
                it => it.to_string(),
            };
            let unit =
                if extent.scale > 0 { format!(" in units of 10^-{}", extent.scale) } else { String::new() };
            let note = format!("{}: between {} and {}{unit}", shown(&place.name), note(lo), note(hi));
            self.windows.push((slot, extent, note));
        }
        Ok(slot)
    }

    /// Widens the windows, looks how far the requirements let the numbers go, and notes those that have no end.
    pub(super) fn settle_windows(&mut self) {
        let windows = std::mem::take(&mut self.windows);
        if windows.is_empty() {
            return;
        }
        let mut wide = self.slots.clone();
        for (slot, extent, _) in &windows {
            let (lo, hi) = (extent.lo.unwrap_or(-WIDE), extent.hi.unwrap_or(WIDE));
            wide[*slot as usize].kind = SlotKind::Int { lo, hi };
        }
        let domains = propagate(&wide, &self.requires);
        for (slot, _, note) in windows {
            let known = match domains.as_ref().map(|it| &it[slot as usize]) {
                Some(SlotDomain::Int(set)) => set.min().zip(set.max()),
                _ => None,
            };
            match known.filter(|(lo, hi)| -WIDE < *lo && *hi < WIDE) {
                Some((lo, hi)) => self.slots[slot as usize].kind = SlotKind::Int { lo, hi },
                None => self.bounded.push(note),
            }
        }
    }

    fn text(&mut self, place: &SlotPlace) -> Result<u32, String> {
        let slot = self.slot(&place.name, SlotKind::Text, &place.active)?;
        let mut extent = place.extent(KnownRange { lo: Some(0), ..KnownRange::default() }, true);
        for pattern in place.enclosing.iter().flat_map(Enclosing::patterns) {
            let Ok(language) = pattern.language() else { continue };
            let lengths = language.lengths();
            let hi = lengths.max().map(|it| it as i128);
            extent.hi = [extent.hi, hi].into_iter().flatten().min();
            extent.lo = extent.lo.max(lengths.next_at_least(0).map(|it| it as i128));
        }
        if extent.hi.is_none() {
            let most = extent.lo.unwrap_or(0).saturating_add(self.bounds.text as i128);
            self.bounded.push(format!("{}: up to {most} characters", shown(&place.name)));
            self.requires.push(implies(place.active.clone(), le(len(Expr::slot(slot)), Expr::int(most))));
        }
        Ok(slot)
    }
}

/// A layout with what its measures are worth. A measure may be made of others; one that cannot be lowered is left out, so
/// that only those who ask for it get an error.
fn measured(mut layout: Layout, measures: &[(Name, Term)]) -> Layout {
    let mut known: Vec<(Name, Lowered)> = Vec::new();
    while known.len() < measures.len() {
        let before = known.len();
        let sym = Symbolic::Measured(Box::new(layout.own_sym()), known.as_slice().into());
        let scope = LeafScope::new(&sym, None);
        for (name, body) in measures {
            if known.iter().all(|it| it.0 != *name)
                && let Ok(low) = scope.lower(body)
            {
                known.push((name.clone(), low));
            }
        }
        if known.len() == before {
            break;
        }
    }
    if !known.is_empty() {
        layout = Layout::Measured(Box::new(layout), known.into());
    }
    layout
}

fn shown(name: &str) -> &str {
    if name.is_empty() { "it" } else { name }
}

fn join(name: &str, part: &str) -> String {
    if name.is_empty() { part.to_string() } else { format!("{name}.{part}") }
}
