//! Types that are counted: variants whose fields are scalars or values of such types, with measures.

use std::ops::Range;

use super::expr::{LevelExpr, LevelScope, case_number};
use super::lists::{ListMeasure, SettledScope, SortedOrder, put_in_order};
use crate::draw::scalar_numbers;
use crate::eval::resolve;
use crate::narrow::{TermReading, numbers};
use crate::{IntSet, Name, Node, NumericKind, Op, Shape, Spec, Term};

/// A type with its variants; an object has one.
#[derive(Debug)]
pub(super) struct CountedType {
    pub(super) kind: TypeKind,
    pub(super) variants: Vec<CountedVariant>,
    /// Names of measures. The first is the variant itself.
    pub(super) measures: Vec<Name>,
}

/// What values of a type are made of.
#[derive(Debug)]
pub(super) enum TypeKind {
    Object,
    Union,
    /// None, the first variant, or a value, the second. The value's measures are its own.
    Option,
    /// Nothing, the first variant, or an item and the list after it, the second. So that it ends, each length is a type:
    /// these are all of one list, the shortest first; and what is measured of them.
    List(Range<usize>, Vec<ListMeasure>),
}

#[derive(Debug)]
pub(super) struct CountedVariant {
    pub(super) name: Name,
    /// The number of its name among all cases.
    pub(super) case: i128,
    pub(super) fields: Vec<CountedField>,
    /// What holds of it, one by one.
    pub(super) requires: Vec<LevelExpr>,
    /// What each measure is worth.
    pub(super) bodies: Vec<LevelExpr>,
}

#[derive(Clone, Debug)]
pub(super) struct CountedField {
    pub(super) name: Name,
    /// Its type, where it is counted itself.
    pub(super) child: Option<usize>,
    /// Whether it represents a type around it.
    pub(super) is_nested: bool,
    /// What it may be, where it is a scalar.
    pub(super) set: IntSet,
    pub(super) kind: ScalarShape,
}

/// What a number of a scalar represents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ScalarShape {
    Int,
    Bool,
    Case,
}

impl CountedField {
    pub(super) fn is_truth(&self) -> bool {
        self.kind == ScalarShape::Bool
    }
}

/// The hidden measure of an object that is one of its fields.
pub(super) fn field_measure(name: &str) -> Name {
    format!(".{name}").into()
}

impl CountedType {
    /// What the measures that nobody has written are worth: the fields of an object, and of an option what its value's are.
    fn hidden_bodies(&self, variant: usize) -> Vec<LevelExpr> {
        match self.kind {
            TypeKind::Option if variant == 0 => vec![LevelExpr::Undefined; self.measures.len() - 1],
            TypeKind::Option => (0..self.measures.len() - 1).map(|it| LevelExpr::Child(0, it)).collect(),
            TypeKind::Union | TypeKind::List(..) => Vec::new(),
            TypeKind::Object => {
                let fields = self.variants[0].fields.iter().enumerate();
                fields.filter(|it| it.1.child.is_none()).map(|it| LevelExpr::Scalar(it.0)).collect()
            }
        }
    }

    pub(super) fn is_option(&self) -> bool {
        matches!(self.kind, TypeKind::Option)
    }

    pub(super) fn is_list(&self) -> bool {
        matches!(self.kind, TypeKind::List(..))
    }

    pub(super) fn measure(&self, name: &str) -> Option<usize> {
        self.measures.iter().position(|it| &**it == name)
    }
}

/// All types that a spec is made of; the first is its own.
#[derive(Debug)]
pub(super) struct TypeSystem {
    pub(super) types: Vec<CountedType>,
    /// The names of cases by their numbers.
    pub(super) cases: Vec<Name>,
    /// What is required of the whole besides.
    pub(super) more: Vec<LevelExpr>,
    /// For each type its measure of sizes, where there is one.
    pub(super) sizes: Option<Vec<usize>>,
    /// Whether there are longer lists than are counted.
    pub(super) is_cut: bool,
}

/// How many items are counted of a list whose requirements do not say how many it has at most; none where that is a mistake.
pub(super) type ListLimit = Option<u32>;

/// What of a variant is compiled once all types are known.
struct Uncompiled<'a> {
    requires: Vec<Term>,
    /// What is required of the enum that it is a variant of.
    whole: Vec<Term>,
    measures: &'a [(Name, Term)],
}

struct TypeBuilder<'a> {
    types: Vec<CountedType>,
    uncompiled: Vec<Vec<Uncompiled<'a>>>,
    cases: Vec<Name>,
    /// Specs around that have a type, with their numbers.
    known: Vec<(*const Spec, usize)>,
    limit: ListLimit,
    is_cut: bool,
}

/// How many types a spec may be made of; each length of a list is one.
const TYPES_MAX: usize = 256;
/// Longer lists are not counted.
const ITEMS_MAX: i128 = 64;

impl TypeSystem {
    /// The types of a spec, and `more` that is required of it. The error says what is in the way.
    pub(super) fn new(spec: &Spec, more: &[Term], limit: ListLimit) -> Result<TypeSystem, String> {
        // All becomes numbers here; what is not of its sort would be compared all the same.
        spec.has_sorts()?;
        more.iter().try_for_each(|it| it.is_truth_in(spec))?;
        let (types, uncompiled, cases, known) = Default::default();
        let mut builder = TypeBuilder { types, uncompiled, cases, known, limit, is_cut: false };
        builder.add(&mut vec![spec])?;
        let TypeBuilder { mut types, uncompiled, mut cases, is_cut, .. } = builder;
        for (of, variants) in uncompiled.iter().enumerate() {
            for (at, it) in variants.iter().enumerate() {
                let measures: Vec<Term> =
                    it.measures.iter().map(|(_, body)| of_variant(body, &types[of], at)).collect();
                let (case, hidden) = (types[of].variants[at].case, types[of].hidden_bodies(at));
                let (types, cases) = (&mut types, &mut cases);
                let mut scope = LevelScope { types, of, variant: Some(at), cases };
                let mut requires =
                    it.requires.iter().map(|it| scope.compile(it)).collect::<Result<Vec<_>, _>>()?;
                let mut bodies = vec![LevelExpr::Const(case)];
                for body in &measures {
                    bodies.push(scope.compile(body)?.simplified());
                }
                bodies.extend(hidden);
                // It holds at every level, so it is one more requirement of each variant.
                scope.variant = None;
                for term in &it.whole {
                    requires.push(scope.compile(term)?.with_bodies(&bodies));
                }
                let variant = &mut scope.types[of].variants[at];
                (variant.requires, variant.bodies) = (requires, bodies);
            }
        }
        let mut scope = LevelScope { types: &mut types, of: 0, variant: None, cases: &mut cases };
        let more = conjuncts(more).iter().map(|it| scope.compile(it)).collect::<Result<Vec<_>, _>>()?;
        let more = SettledScope { types: &types, of: 0, variant: None }.conditions(&more);
        let settled = settled(&types);
        for (variant, (requires, bodies)) in types.iter_mut().flat_map(|it| &mut it.variants).zip(settled) {
            (variant.requires, variant.bodies) = (requires, bodies);
        }
        Ok(TypeSystem { types, cases, more, sizes: None, is_cut })
    }

    /// Adds a measure to each type: how many values it is made of that have others of their kind within.
    pub(super) fn measure_sizes(&mut self) {
        let sizes: Vec<usize> = self.types.iter().map(|it| it.measures.len()).collect();
        for ty in &mut self.types {
            // No function is called so.
            ty.measures.push("#size".into());
            for variant in &mut ty.variants {
                let own = variant.fields.iter().any(|it| it.is_nested);
                let fields = variant.fields.iter().enumerate();
                let parts = fields.filter_map(|(at, it)| Some(LevelExpr::Child(at, sizes[it.child?])));
                let sum = std::iter::once(LevelExpr::Const(own.into())).chain(parts).collect();
                variant.bodies.push(LevelExpr::Apply(Op::Add, sum));
            }
        }
        self.sizes = Some(sizes);
    }
}

/// The requirements and measures of all variants, without what is only asked where it may be undefined.
fn settled(types: &[CountedType]) -> Vec<(Vec<LevelExpr>, Vec<LevelExpr>)> {
    let mut res = Vec::new();
    for (of, ty) in types.iter().enumerate() {
        for (at, variant) in ty.variants.iter().enumerate() {
            let scope = SettledScope { types, of, variant: Some(at) };
            let bodies = variant.bodies.iter().map(|it| scope.settled(it)).collect();
            res.push((scope.conditions(&variant.requires), bodies));
        }
    }
    res
}

/// The conditions of which conjunctions are made.
fn conjuncts<'a>(terms: impl IntoIterator<Item = &'a Term>) -> Vec<Term> {
    let mut res = Vec::new();
    for term in terms {
        match term.node() {
            Node::Apply(Op::And, parts) => res.extend(conjuncts(parts)),
            _ => res.push(term.clone()),
        }
    }
    res
}

/// A term over a value, where the value is of that variant: over the variant's own fields.
fn of_variant(term: &Term, ty: &CountedType, at: usize) -> Term {
    if !matches!(ty.kind, TypeKind::Union) {
        return term.clone();
    }
    let name = &ty.variants[at].name;
    let undefined = Term::apply(Op::Nth, [Term::apply(Op::List, []), Term::int(0)]);
    term.rewrite(&|it| match it.node() {
        Node::Is(of, case) if *of.node() == Node::It => Some(Term::constant(case == name)),
        Node::As(of, case) if *of.node() == Node::It => {
            Some(if case == name { Term::it() } else { undefined.clone() })
        }
        Node::Field(of, _) => match of.node() {
            // A field of another variant is no field of this one.
            Node::As(of, case) if *of.node() == Node::It && case != name => Some(undefined.clone()),
            _ => None,
        },
        Node::Measure(of, _) => match of.node() {
            Node::Field(of, _) => match of.node() {
                Node::As(of, case) if *of.node() == Node::It && case != name => Some(undefined.clone()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    })
}

/// What is required of an object, and of the lists in it over the object.
struct ObjectTerms {
    terms: Vec<Term>,
}

impl ObjectTerms {
    /// The greatest length of a field that is a list; none where that has no bound.
    fn longest(&self, name: &Name) -> Option<i128> {
        let length = Term::it().field(name).len();
        let reading = TermReading { unknown: &length, kind: NumericKind::Int, spec: None };
        let narrow = |set: IntSet, term: &Term| numbers(&reading, term, &set).unwrap_or(set);
        let lengths = self.terms.iter().fold(IntSet::range(0, i128::MAX), narrow);
        Some(lengths.max().unwrap_or(0)).filter(|it| *it < i128::MAX)
    }

    /// The order that is required of a field, which is then no longer required here.
    fn take_order(&mut self, name: &Name) -> Result<Option<SortedOrder>, String> {
        let of = [Term::it().field(name)];
        let mut take = |op: Op| {
            let before = self.terms.len();
            self.terms.retain(|it| *it != Term::apply(op, of.clone()));
            self.terms.len() < before
        };
        match (take(Op::Sorted), take(Op::Distinct)) {
            (false, false) => Ok(None),
            (true, false) => Ok(Some(SortedOrder::Rising)),
            (true, true) => Ok(Some(SortedOrder::Strict)),
            (false, true) => Err(format!("the items of `{name}` all differ, and are in no order")),
        }
    }
}

impl<'a> TypeBuilder<'a> {
    /// The type at the end of a path of specs.
    fn add(&mut self, path: &mut Vec<&'a Spec>) -> Result<usize, String> {
        let Some(spec) = path.last().copied() else { return Err("there is no spec".to_string()) };
        let mut measures: Vec<Name> =
            std::iter::once("#".into()).chain(spec.measures.iter().map(|it| it.0.clone())).collect();
        if let Shape::Object(fields) = &spec.shape {
            let is_scalar = |it: &Spec| matches!(it.shape, Shape::Int { .. } | Shape::Bool | Shape::Enum(_));
            let scalars = fields.iter().filter(|it| is_scalar(&it.spec));
            measures.extend(scalars.map(|it| field_measure(&it.name)));
        }
        let kind = if matches!(spec.shape, Shape::Union(_)) { TypeKind::Union } else { TypeKind::Object };
        let at = self.push(CountedType { kind, variants: Vec::new(), measures })?;
        self.known.push((spec, at));
        let objects: Vec<(Name, &'a Spec)> = match &spec.shape {
            Shape::Union(cases) => cases.iter().map(|it| (it.0.clone(), &*it.1)).collect(),
            Shape::Object(_) => vec![(spec.name.clone().unwrap_or_else(|| "it".into()), spec)],
            _ => return Err("only enums and structs are counted by measures".to_string()),
        };
        for (name, object) in objects {
            let Shape::Object(fields) = &object.shape else {
                return Err(format!("the variant `{name}` has no fields by name"));
            };
            let is_within = !std::ptr::eq(object, spec);
            if is_within {
                path.push(object);
            }
            let mut around = ObjectTerms { terms: conjuncts(&object.requires) };
            let mut counted = Vec::new();
            for field in fields {
                path.push(&field.spec);
                counted.push(self.field(&field.name, path, Some(&mut around))?);
                path.pop();
            }
            if is_within {
                path.pop();
            }
            let case = case_number(&mut self.cases, &name);
            let (requires, bodies) = Default::default();
            self.types[at].variants.push(CountedVariant { name, case, fields: counted, requires, bodies });
            let whole = if is_within { conjuncts(&spec.requires) } else { Vec::new() };
            let requires = around.terms;
            self.uncompiled[at].push(Uncompiled { requires, whole, measures: &spec.measures });
        }
        self.known.pop();
        Ok(at)
    }

    fn push(&mut self, ty: CountedType) -> Result<usize, String> {
        if self.types.len() == TYPES_MAX {
            return Err(format!("it is made of more than {TYPES_MAX} types"));
        }
        self.types.push(ty);
        self.uncompiled.push(Vec::new());
        Ok(self.types.len() - 1)
    }

    /// A variant of a type that nobody has written.
    fn variant(&mut self, name: &str, fields: Vec<CountedField>) -> CountedVariant {
        let name: Name = name.into();
        let case = case_number(&mut self.cases, &name);
        CountedVariant { name, case, fields, requires: Vec::new(), bodies: vec![LevelExpr::Const(case)] }
    }

    /// The type of an optional value of a counted type.
    fn option(&mut self, of: &'a Spec, path: &mut Vec<&'a Spec>) -> Result<usize, String> {
        path.push(of);
        let value = self.field(&"0".into(), path, None)?;
        path.pop();
        let Some(inner) = value.child.filter(|it| !self.types[*it].is_list()) else {
            return Err("an option of what is no counted type is not counted".to_string());
        };
        let measures: Vec<Name> =
            std::iter::once("#".into()).chain(self.types[inner].measures.iter().cloned()).collect();
        let variants = vec![self.variant("none", Vec::new()), self.variant("some", vec![value])];
        let at = self.push(CountedType { kind: TypeKind::Option, variants, measures })?;
        let nothing = || Uncompiled { requires: Vec::new(), whole: Vec::new(), measures: &[] };
        self.uncompiled[at] = vec![nothing(), nothing()];
        Ok(at)
    }

    /// The type of a list up to that length; all its lengths are types of their own.
    fn list(&mut self, item: &CountedField, longest: u32) -> Result<usize, String> {
        let first = self.types.len();
        let lengths = first..first + longest as usize + 1;
        for at in lengths.clone() {
            let mut variants = vec![self.variant("nothing", Vec::new())];
            if at > first {
                let (name, child, set) = ("rest".into(), Some(at - 1), IntSet::empty());
                let rest = CountedField { name, child, is_nested: false, set, kind: ScalarShape::Int };
                variants.push(self.variant("items", vec![item.clone(), rest]));
            }
            let kind = TypeKind::List(lengths.clone(), Vec::new());
            self.push(CountedType { kind, variants, measures: vec!["#".into()] })?;
        }
        Ok(lengths.end - 1)
    }

    /// A field that is a list, with what is required of it.
    fn list_field(
        &mut self,
        name: &Name,
        of: &'a Spec,
        path: &mut Vec<&'a Spec>,
        around: Option<&mut ObjectTerms>,
    ) -> Result<usize, String> {
        let requires = path.last().map_or(&[][..], |it| &it.requires);
        let mut nothing = ObjectTerms { terms: Vec::new() };
        let around = match around {
            Some(it) => it,
            None if requires.is_empty() => &mut nothing,
            None => return Err(format!("`{name}` requires something of a list within another")),
        };
        let to_field = |it: &Term| (*it.node() == Node::It).then(|| Term::it().field(name));
        around.terms.extend(conjuncts(requires).iter().map(|it| it.replace(&to_field)));
        let order = around.take_order(name)?;
        path.push(of);
        let item = self.field(&"0".into(), path, None)?;
        path.pop();
        let longest = match (around.longest(name).filter(|it| *it <= ITEMS_MAX), self.limit) {
            (Some(it), _) => it as u32,
            (None, Some(it)) => {
                self.is_cut = true;
                it
            }
            (None, None) => {
                return Err(format!("`{name}` may have any number of items; bound it, as by `len = 0..=4`"));
            }
        };
        let at = self.list(&item, longest)?;
        match order {
            Some(_) if item.child.is_some() || item.kind != ScalarShape::Int => {
                return Err(format!("the items of `{name}` are in an order, and are no numbers"));
            }
            Some(order) => put_in_order(&mut self.types, at, order),
            None => {}
        }
        Ok(at)
    }

    fn field(
        &mut self,
        name: &Name,
        path: &mut Vec<&'a Spec>,
        around: Option<&mut ObjectTerms>,
    ) -> Result<CountedField, String> {
        let Some(spec) = path.last().copied() else { return Err("there is no spec".to_string()) };
        let mut res = CountedField {
            name: name.clone(),
            child: None,
            is_nested: false,
            set: IntSet::empty(),
            kind: ScalarShape::Int,
        };
        match &spec.shape {
            Shape::Named(named) => {
                if !spec.requires.is_empty() {
                    return Err(format!("`{name}` requires something of its own"));
                }
                let mut above = path.clone();
                let found = resolve(&mut above).and_then(|()| above.last().copied());
                let found = found.and_then(|it| self.known.iter().find(|known| std::ptr::eq(known.0, it)));
                let Some(found) = found else {
                    return Err(format!("nothing around `{name}` is called `{named}`"));
                };
                (res.child, res.is_nested) = (Some(found.1), true);
            }
            Shape::Union(_) | Shape::Object(_) => res.child = Some(self.add(path)?),
            Shape::Option(of) if spec.requires.is_empty() => res.child = Some(self.option(of, path)?),
            Shape::List(of) => res.child = Some(self.list_field(name, of, path, around)?),
            Shape::Bool => (res.set, res.kind) = (IntSet::range(0, 1), ScalarShape::Bool),
            Shape::Enum(cases) if spec.requires.is_empty() => {
                let numbers = cases.iter().map(|it| case_number(&mut self.cases, it));
                (res.set, res.kind) = (IntSet::of(numbers.collect::<Vec<_>>()), ScalarShape::Case);
            }
            Shape::Int { .. } => match scalar_numbers(spec) {
                Some(set) => res.set = set,
                None => return Err(format!("what `{name}` requires is no set of numbers")),
            },
            _ => {
                return Err(format!(
                    "`{name}` is neither a number, a truth, a plain enum, a list nor a counted type"
                ));
            }
        }
        Ok(res)
    }
}
