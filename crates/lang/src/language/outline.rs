//! Outlines: from variables, requirements and constraints to a request.
//!
//! Every variable has a *place* in the model: a field of the outline, or, where it is a part of an object that is
//! in the outline, inside that object. A requirement stands at the innermost spec that holds all it mentions.

use std::collections::{BTreeMap, BTreeSet};

use super::interp::{Interp, Res};
use super::terms::{replace, sym_term, syms};
use super::{Diagnostic, Span};
use probity_spec::{
    Branch, Branches, Difference, Enumerate, Field, Name, Op, Relation, RelationKind, Request, Shape, Spec,
    Term,
};

/// A symbolic value: what `?Type` makes.
#[derive(Clone)]
pub(crate) struct SymbolicValue {
    /// The last name it was declared by.
    pub(crate) name: Option<Name>,
    pub(crate) spec: Spec,
    /// Fields that are variables themselves.
    pub(crate) parts: Vec<OutlinePart>,
    /// Whether it represents an argument while a function is evaluated, and has no spec.
    pub(crate) is_temporary: bool,
}

/// A field of an object variable that is a variable itself.
#[derive(Clone)]
pub(crate) struct OutlinePart {
    pub(crate) name: Name,
    pub(crate) sym: usize,
    /// Whether the field is left out when it is none.
    pub(crate) optional: bool,
    /// Whether the field is an option of the variable, rather than the variable.
    pub(crate) wrapped: bool,
}

/// A requirement over variables.
#[derive(Clone)]
pub(crate) struct Require {
    /// The variable it was specified of: copies of that variable have it too.
    pub(crate) owner: Option<usize>,
    pub(crate) term: Term,
}

impl SymbolicValue {
    pub(crate) fn new(spec: Spec) -> SymbolicValue {
        SymbolicValue { name: None, spec, parts: Vec::new(), is_temporary: false }
    }

    pub(crate) fn temporary() -> SymbolicValue {
        SymbolicValue { is_temporary: true, ..SymbolicValue::new(Spec::new(Shape::Bool)) }
    }
}

/// The most parts of an object or type, those of its parts included.
pub(crate) const SIZE_MAX: usize = 1_000;

/// The most variables of a program, with those that copies bring.
const SYMS_MAX: usize = 10_000;

/// How many specs a spec has in it, counted up to a little more than `most`.
pub(crate) fn size_of(spec: &Spec, most: usize) -> usize {
    let mut size = 0;
    let mut open = vec![spec];
    while let Some(spec) = open.pop() {
        size += 1;
        if size > most {
            break;
        }
        match &spec.shape {
            Shape::Option(of) | Shape::List(of) => open.push(of),
            Shape::Object(fields) => open.extend(fields.iter().map(|it| &*it.spec)),
            Shape::Union(cases) => open.extend(cases.iter().map(|it| &*it.1)),
            _ => {}
        }
    }
    size
}

/// From the model to a value: fields, with whether each is an option that is looked into.
type Path = Vec<(Name, bool)>;

/// Where the variables of an outline are.
#[derive(Default)]
struct OutlinePlaces {
    /// The variable at each path, parents before their parts.
    all: Vec<(Path, usize)>,
    /// The first path of each variable.
    first: BTreeMap<usize, Path>,
}

impl Interp<'_> {
    /// The shape of a variable with its parts, without what was specified of it.
    pub(crate) fn shape_of(&self, sym: usize) -> Spec {
        self.assemble(sym, &mut Vec::new(), &BTreeMap::new())
    }

    /// The spec of a variable with all that was specified of it alone.
    pub(crate) fn spec_so_far(&self, sym: usize) -> Spec {
        let mut places = OutlinePlaces::default();
        self.place(sym, Vec::new(), &mut places);
        let inside = |it: &&Require| {
            let mut mentioned = Vec::new();
            syms(&it.term, &mut mentioned);
            mentioned.iter().all(|it| places.first.contains_key(it))
        };
        let requires: Vec<Term> = self.requires.iter().filter(inside).map(|it| it.term.clone()).collect();
        let at = places.requirements(&requires);
        self.assemble(sym, &mut Vec::new(), &at)
    }

    /// The spec of a variable where it has to stand alone: nothing outside may be required with it.
    pub(crate) fn standalone(&mut self, sym: usize, span: Span) -> Res<Spec> {
        let mut places = OutlinePlaces::default();
        self.place(sym, Vec::new(), &mut places);
        for require in &self.requires {
            let mut mentioned = Vec::new();
            syms(&require.term, &mut mentioned);
            let owned = require.owner.is_some_and(|it| places.first.contains_key(&it));
            if owned && !mentioned.iter().all(|it| places.first.contains_key(it)) {
                let error = Diagnostic::new("what is specified of this refers to another variable", span);
                return self.fail(error.help("in a list, option or union a type has to stand alone"));
            }
        }
        Ok(self.spec_so_far(sym))
    }

    /// A new variable like another: its parts and what is specified of them come along.
    pub(crate) fn copy(&mut self, sym: usize) -> usize {
        let mut copies = BTreeMap::new();
        let copy = self.copy_parts(sym, &mut copies);
        let put = |base: &Term, sym: usize| copies.get(&sym).map(|it| sym_term(base.clone(), *it));
        let requires: Vec<Require> = self
            .requires
            .iter()
            .filter_map(|it| {
                let owner = copies.get(&it.owner?)?;
                Some(Require { owner: Some(*owner), term: replace(&it.term, &put) })
            })
            .collect();
        self.requires.extend(requires);
        copy
    }

    fn copy_parts(&mut self, sym: usize, copies: &mut BTreeMap<usize, usize>) -> usize {
        if let Some(copy) = copies.get(&sym) {
            return *copy;
        }
        let mut copied = SymbolicValue { name: None, ..self.syms[sym].clone() };
        for part in &mut copied.parts {
            part.sym = self.copy_parts(part.sym, copies);
        }
        self.syms.push(copied);
        copies.insert(sym, self.syms.len() - 1);
        self.syms.len() - 1
    }

    /// How many variables and fields an object has when everything in it is written out.
    fn size(&self, sym: usize, known: &mut [usize]) -> usize {
        if known[sym] > 0 {
            return known[sym];
        }
        let mut size = size_of(&self.syms[sym].spec, SIZE_MAX);
        for part in &self.syms[sym].parts {
            size = size.saturating_add(self.size(part.sym, known));
        }
        known[sym] = size;
        size
    }

    /// Refuses objects that are too large. Parts are shared, so a few lines can make a huge one.
    pub(crate) fn check_sizes(&mut self, span: Span) -> Res<()> {
        if self.syms.len() > SYMS_MAX {
            self.is_spent = true;
            return self.wrong(format!("this program gets more than {SYMS_MAX} variables"), span);
        }
        let mut known = vec![0; self.syms.len()];
        if (0..self.syms.len()).all(|it| self.size(it, &mut known) <= SIZE_MAX) {
            return Ok(());
        }
        self.is_spent = true;
        self.wrong(format!("this object gets more than {SIZE_MAX} parts"), span)
    }

    /// Whether a variable is inside another.
    pub(crate) fn contains(&self, outer: usize, inner: usize) -> bool {
        let mut inside = BTreeSet::new();
        self.inside(outer, &mut inside);
        inside.contains(&inner)
    }

    /// A variable and all that are inside of it.
    fn inside(&self, sym: usize, res: &mut BTreeSet<usize>) {
        if res.insert(sym) {
            self.syms[sym].parts.iter().for_each(|it| self.inside(it.sym, res));
        }
    }

    /// The request of an outline: `roots` are the variables that it declares or names.
    pub(crate) fn request(&self, roots: &[usize], differences: &[Difference], n: usize) -> Request {
        let roots = self.closed(roots.to_vec());
        let mut places = OutlinePlaces::default();
        for (name, root) in self.names(&roots) {
            self.place(root, vec![(name, false)], &mut places);
        }
        let known = |it: &&Require| {
            let mut mentioned = Vec::new();
            syms(&it.term, &mut mentioned);
            !mentioned.is_empty() && mentioned.iter().all(|it| places.first.contains_key(it))
        };
        let mut requires: Vec<Term> = Vec::new();
        for require in self.requires.iter().filter(known) {
            if !requires.contains(&require.term) {
                requires.push(require.term.clone());
            }
        }
        let mut at = places.requirements(&requires);
        places.sharing(&mut at);
        let field = |(path, sym): &(Path, usize)| {
            let spec = self.assemble(*sym, &mut path.clone(), &at);
            Field { name: path[0].0.clone(), spec: spec.into(), optional: false }
        };
        let fields = places.all.iter().filter(|it| it.0.len() == 1).map(field).collect();
        let mut spec = Spec::new(Shape::Object(fields));
        spec.requires.extend(at.remove(&Vec::new()).unwrap_or_default());
        let parts = differences.iter().map(|it| places.difference(it)).collect();
        Request { spec, difference: super::relation::any(parts), n }
    }

    /// A difference over the value of one variable.
    pub(crate) fn difference_of(&self, sym: usize, of: &Difference) -> Difference {
        let mut places = OutlinePlaces::default();
        self.place(sym, Vec::new(), &mut places);
        places.difference(of)
    }

    /// The roots with everything that requirements relate to them, without those inside of others.
    fn closed(&self, mut roots: Vec<usize>) -> Vec<usize> {
        let mentions = |it: &Require| {
            let mut mentioned = Vec::new();
            syms(&it.term, &mut mentioned);
            mentioned
        };
        let requires: Vec<Vec<usize>> = self.requires.iter().map(mentions).collect();
        let mut inside = BTreeSet::new();
        roots.iter().for_each(|it| self.inside(*it, &mut inside));
        loop {
            let before = roots.len();
            for mentioned in &requires {
                if !mentioned.iter().any(|it| inside.contains(it)) {
                    continue;
                }
                for sym in mentioned {
                    if !inside.contains(sym) {
                        roots.push(*sym);
                        self.inside(*sym, &mut inside);
                    }
                }
            }
            if roots.len() == before {
                break;
            }
        }
        let outer = |it: &usize| !roots.iter().any(|root| root != it && self.contains(*root, *it));
        roots.iter().copied().filter(outer).collect()
    }

    /// Roots with names of their own.
    fn names(&self, roots: &[usize]) -> Vec<(Name, usize)> {
        let mut res: Vec<(Name, usize)> = Vec::new();
        for root in roots {
            let name = self.syms[*root].name.clone().unwrap_or_else(|| "blank".into());
            let taken = |name: &str| res.iter().any(|it| &*it.0 == name);
            let more = (2..).map(|it| Name::from(format!("{name}{it}")));
            let free = std::iter::once(name.clone()).chain(more).find(|it| !taken(it));
            res.push((free.unwrap_or(name), *root));
        }
        res
    }

    fn place(&self, sym: usize, path: Path, places: &mut OutlinePlaces) {
        places.all.push((path.clone(), sym));
        places.first.entry(sym).or_insert_with(|| path.clone());
        for part in &self.syms[sym].parts {
            let mut below = path.clone();
            below.push((part.name.clone(), part.wrapped));
            self.place(part.sym, below, places);
        }
    }

    /// The spec of the variable at a path, with the requirements that stand there and below.
    fn assemble(&self, sym: usize, path: &mut Path, at: &BTreeMap<Path, Vec<Term>>) -> Spec {
        let mut spec = self.syms[sym].spec.clone();
        for part in &self.syms[sym].parts {
            path.push((part.name.clone(), part.wrapped));
            let inner = self.assemble(part.sym, path, at);
            path.pop();
            let inner = if part.wrapped { Spec::option(inner) } else { inner };
            let field = Field { name: part.name.clone(), spec: inner.into(), optional: part.optional };
            if let Shape::Object(fields) = &mut spec.shape {
                fields.push(field);
            }
        }
        spec.requires.extend(at.get(path).into_iter().flatten().cloned());
        spec
    }
}

impl OutlinePlaces {
    /// Requirements by the path of the spec that they are in, as terms over its value.
    fn requirements(&self, requires: &[Term]) -> BTreeMap<Path, Vec<Term>> {
        let mut res: BTreeMap<Path, Vec<Term>> = BTreeMap::new();
        for term in requires {
            let mut mentioned = Vec::new();
            syms(term, &mut mentioned);
            let paths: Vec<&Path> = mentioned.iter().filter_map(|it| self.first.get(it)).collect();
            let depth = common(&paths);
            let Some(first) = paths.first() else { continue };
            let here = first[..depth].to_vec();
            let moved =
                replace(term, &|base, sym| self.first.get(&sym).map(|it| walk(base.clone(), &it[depth..])));
            let guarded = guard(moved, paths.iter().map(|it| &it[depth..]));
            res.entry(here).or_default().push(guarded);
        }
        res
    }

    /// A variable that is in several places is the same in all of them.
    fn sharing(&self, at: &mut BTreeMap<Path, Vec<Term>>) {
        let shared: BTreeSet<&Path> =
            self.all.iter().filter(|it| self.first[&it.1] != it.0).map(|it| &it.0).collect();
        for (path, sym) in self.all.iter().filter(|it| shared.contains(&it.0)) {
            // Parts of what is shared are shared with it.
            if path.len() > 1 && shared.contains(&path[..path.len() - 1].to_vec()) {
                continue;
            }
            let first = &self.first[sym];
            let depth = common(&[first, path]);
            let same = walk(Term::it(), &first[depth..]).eq(walk(Term::it(), &path[depth..]));
            let guarded = guard(same, [&first[depth..], &path[depth..]].into_iter());
            at.entry(path[..depth].to_vec()).or_default().push(guarded);
        }
    }

    fn term(&self, term: &Term) -> Term {
        replace(term, &|base, sym| self.first.get(&sym).map(|it| walk(base.clone(), it)))
    }

    /// A difference over the model.
    fn difference(&self, of: &Difference) -> Difference {
        let all = |parts: &[Difference]| parts.iter().map(|it| self.difference(it)).collect();
        match of {
            Difference::Always => Difference::Always,
            Difference::Never => Difference::Never,
            Difference::All(parts) => Difference::All(all(parts)),
            Difference::Any(parts) => Difference::Any(all(parts)),
            Difference::Not(of) => Difference::Not(Box::new(self.difference(of))),
            Difference::Relation(Relation { on, kind }) => {
                let kind = match kind {
                    RelationKind::Holds(term) => RelationKind::Holds(self.term(term)),
                    other => other.clone(),
                };
                Difference::Relation(Relation { on: self.term(on), kind })
            }
            Difference::Enumerate(Enumerate { branches: Branches::Cover { on, cover } }) => {
                let branches = Branches::Cover { on: self.term(on), cover: cover.clone() };
                Difference::Enumerate(Enumerate { branches })
            }
            Difference::Enumerate(Enumerate { branches: Branches::Listed(branches) }) => {
                let branch = |(i, it): (usize, &Branch)| {
                    let requires = self.term(&it.requires);
                    let label = if it.label.is_empty() { label(&requires, i) } else { it.label.clone() };
                    Branch { requires, differ: self.difference(&it.differ), label }
                };
                let branches = Branches::Listed(branches.iter().enumerate().map(branch).collect());
                Difference::Enumerate(Enumerate { branches })
            }
        }
    }
}

/// How many steps all paths share.
fn common(paths: &[&Path]) -> usize {
    let Some((first, rest)) = paths.split_first() else { return 0 };
    (0..first.len()).take_while(|i| rest.iter().all(|it| it.get(*i) == first.get(*i))).count()
}

/// The value at the end of a path.
fn walk(base: Term, path: &[(Name, bool)]) -> Term {
    path.iter().fold(base, |term, (name, optional)| {
        let field = term.field(name);
        if *optional { field.unwrap() } else { field }
    })
}

/// What is required of something optional is required only where it is there.
fn guard<'a>(term: Term, paths: impl Iterator<Item = &'a [(Name, bool)]>) -> Term {
    let mut parts: Vec<Term> = Vec::new();
    for path in paths {
        for i in (0..path.len()).filter(|it| path[*it].1) {
            let absent = walk(Term::it(), &path[..i]).field(&path[i].0).is_some().negate();
            if !parts.contains(&absent) {
                parts.push(absent);
            }
        }
    }
    if parts.is_empty() {
        return term;
    }
    parts.push(term);
    Term::apply(Op::Or, parts)
}

/// A branch for people: its assertion, with variables by their names.
fn label(requires: &Term, i: usize) -> String {
    if *requires == Term::always() {
        return format!("choice {}", i + 1);
    }
    let mut shown = requires.to_string();
    while let Some(start) = shown.find("(. it ") {
        let Some(length) = shown[start..].find(')') else { break };
        let name = shown[start + "(. it ".len()..start + length].to_string();
        shown.replace_range(start..=start + length, &name);
    }
    shown
}
