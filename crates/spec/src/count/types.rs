//! Types that are counted: variants whose fields are scalars or values of such types, with measures.

use super::expr::{LevelExpr, LevelScope, case_number};
use crate::draw::scalar_numbers;
use crate::eval::resolve;
use crate::{IntSet, Name, Node, Op, Shape, Spec, Term};

/// A type with its variants; an object has one.
#[derive(Debug)]
pub(super) struct CountedType {
    pub(super) is_union: bool,
    /// Whether it is none, the first variant, or a value, the second. The value's measures are its own.
    pub(super) is_option: bool,
    pub(super) variants: Vec<CountedVariant>,
    /// Names of measures. The first is the variant itself.
    pub(super) measures: Vec<Name>,
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

#[derive(Debug)]
pub(super) struct CountedField {
    pub(super) name: Name,
    /// Its type, where it is counted itself.
    pub(super) child: Option<usize>,
    /// Whether it stands for a type around it.
    pub(super) is_nested: bool,
    /// What it may be, where it is a scalar.
    pub(super) set: IntSet,
    pub(super) kind: ScalarShape,
}

/// What a number of a scalar stands for.
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
        match (self.is_option, self.is_union) {
            (true, _) if variant == 0 => vec![LevelExpr::Undefined; self.measures.len() - 1],
            (true, _) => (0..self.measures.len() - 1).map(|it| LevelExpr::Child(0, it)).collect(),
            (_, true) => Vec::new(),
            _ => {
                let fields = self.variants[0].fields.iter().enumerate();
                fields.filter(|it| it.1.child.is_none()).map(|it| LevelExpr::Scalar(it.0)).collect()
            }
        }
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
}

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
}

/// How many types a spec may be made of.
const TYPES_MAX: usize = 32;

impl TypeSystem {
    /// The types of a spec, and `more` that is required of it. The error says what is in the way.
    pub(super) fn new(spec: &Spec, more: &[Term]) -> Result<TypeSystem, String> {
        // All becomes numbers here; what is not of its sort would be compared all the same.
        spec.has_sorts()?;
        more.iter().try_for_each(|it| it.is_truth_in(spec))?;
        let (types, uncompiled, known) = Default::default();
        let mut builder = TypeBuilder { types, uncompiled, cases: Vec::new(), known };
        builder.add(&mut vec![spec])?;
        let TypeBuilder { mut types, uncompiled, mut cases, .. } = builder;
        for (of, variants) in uncompiled.iter().enumerate() {
            for (at, it) in variants.iter().enumerate() {
                let (mut requires, mut bodies) =
                    (Vec::new(), vec![LevelExpr::Const(types[of].variants[at].case)]);
                let mut scope = LevelScope { types: &types, of, variant: Some(at), cases: &mut cases };
                for term in &it.requires {
                    requires.push(scope.compile(term)?);
                }
                for (_, body) in it.measures {
                    let body = of_variant(body, &types[of], at);
                    bodies.push(scope.compile(&body)?.simplified());
                }
                bodies.extend(types[of].hidden_bodies(at));
                // It holds at every level, so it is one more requirement of each variant.
                let mut scope = LevelScope { types: &types, of, variant: None, cases: &mut cases };
                for term in &it.whole {
                    requires.push(scope.compile(term)?.with_bodies(&bodies));
                }
                let variant = &mut types[of].variants[at];
                (variant.requires, variant.bodies) = (requires, bodies);
            }
        }
        let mut scope = LevelScope { types: &types, of: 0, variant: None, cases: &mut cases };
        let more = conjuncts(more).iter().map(|it| scope.compile(it)).collect::<Result<_, _>>()?;
        Ok(TypeSystem { types, cases, more, sizes: None })
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
    if !ty.is_union {
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

impl<'a> TypeBuilder<'a> {
    /// The type at the end of a path of specs.
    fn add(&mut self, path: &mut Vec<&'a Spec>) -> Result<usize, String> {
        let Some(spec) = path.last().copied() else { return Err("there is no spec".to_string()) };
        if self.types.len() == TYPES_MAX {
            return Err(format!("it is made of more than {TYPES_MAX} types"));
        }
        let at = self.types.len();
        let is_union = matches!(spec.shape, Shape::Union(_));
        let mut measures: Vec<Name> =
            std::iter::once("#".into()).chain(spec.measures.iter().map(|it| it.0.clone())).collect();
        if let Shape::Object(fields) = &spec.shape {
            let is_scalar = |it: &Spec| matches!(it.shape, Shape::Int { .. } | Shape::Bool | Shape::Enum(_));
            let scalars = fields.iter().filter(|it| is_scalar(&it.spec));
            measures.extend(scalars.map(|it| field_measure(&it.name)));
        }
        self.types.push(CountedType { is_union, is_option: false, variants: Vec::new(), measures });
        self.uncompiled.push(Vec::new());
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
            let mut counted = Vec::new();
            for field in fields {
                path.push(&field.spec);
                counted.push(self.field(&field.name, path)?);
                path.pop();
            }
            if is_within {
                path.pop();
            }
            let case = case_number(&mut self.cases, &name);
            let (requires, bodies) = Default::default();
            self.types[at].variants.push(CountedVariant { name, case, fields: counted, requires, bodies });
            let requires = conjuncts(&object.requires);
            let whole = if is_within { conjuncts(&spec.requires) } else { Vec::new() };
            self.uncompiled[at].push(Uncompiled { requires, whole, measures: &spec.measures });
        }
        self.known.pop();
        Ok(at)
    }

    /// The type of an optional value of a counted type.
    fn option(&mut self, of: &'a Spec, path: &mut Vec<&'a Spec>) -> Result<usize, String> {
        path.push(of);
        let value = self.field(&"0".into(), path)?;
        path.pop();
        let Some(inner) = value.child else {
            return Err("an option of what is no counted type is not counted".to_string());
        };
        let measures: Vec<Name> =
            std::iter::once("#".into()).chain(self.types[inner].measures.iter().cloned()).collect();
        let mut variants = Vec::new();
        for (name, fields) in [("none", Vec::new()), ("some", vec![value])] {
            let case = case_number(&mut self.cases, &name.into());
            let (requires, bodies) = Default::default();
            variants.push(CountedVariant { name: name.into(), case, fields, requires, bodies });
        }
        self.types.push(CountedType { is_union: true, is_option: true, variants, measures });
        let nothing = || Uncompiled { requires: Vec::new(), whole: Vec::new(), measures: &[] };
        self.uncompiled.push(vec![nothing(), nothing()]);
        Ok(self.types.len() - 1)
    }

    fn field(&mut self, name: &Name, path: &mut Vec<&'a Spec>) -> Result<CountedField, String> {
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
                    "`{name}` is neither a number, a truth, a plain enum nor a counted type"
                ));
            }
        }
        Ok(res)
    }
}
