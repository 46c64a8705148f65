//! From specs to parts: requirements move to the parts they are about.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::cluster::Cluster;
use super::ints::numeric;
use super::part::{CompiledSpec, DrawPart, Filtered, ListLengths, ObjectPart, ObjectPiece};
use super::sorted::OrderedLists;
use super::terms::{closed, conjuncts, fields, holds, is_it, undefined};
use super::text::SpecTexts;
use crate::narrow::{self, TermReading};
use crate::{
    CountedModels, Field, IntSet, Name, Node, NumericKind, Op, Quantifier, Shape, Spec, Term, Value,
};

/// Lengths above this are not looked at where requirements say which there are.
const LENGTHS_MAX: u32 = 256;
/// Specs that nest deeper than this are not compiled, so that it stays within a small stack.
const DEPTH_MAX: usize = 128;

/// The parts that draw the values of a spec.
pub(super) fn compile(spec: &Spec) -> CompiledSpec {
    let mut compiler = Compiler { enclosing: Vec::new(), nested: Vec::new(), depth: 0 };
    let root = compiler.part(spec, &[]);
    let nested = compiler
        .nested
        .into_iter()
        .map(|it| it.unwrap_or_else(|| DrawPart::empty("it has no end")))
        .collect();
    CompiledSpec { root, nested }
}

/// The part that draws the values of `spec` for which `more` holds, where it is in no other.
pub(super) fn part(spec: &Spec, more: &[Term]) -> DrawPart {
    let mut compiler = Compiler { enclosing: Vec::new(), nested: Vec::new(), depth: 0 };
    compiler.part(spec, more)
}

struct Compiler {
    /// The named specs around, with their places among those that are nested, if they are.
    enclosing: Vec<(Name, Option<usize>)>,
    nested: Vec<Option<DrawPart>>,
    depth: usize,
}

impl Compiler {
    /// The part that draws the values of `spec` for which all of `more` holds.
    fn part(&mut self, spec: &Spec, more: &[Term]) -> DrawPart {
        if self.depth == DEPTH_MAX {
            return DrawPart::empty("the spec nests too deep to be drawn; make it flatter");
        }
        if let Some(counted) = counted(spec, more) {
            return counted;
        }
        self.depth += 1;
        let res = match (&spec.shape, &spec.name) {
            (Shape::Named(name), _) => self.named(spec, name, more),
            (_, Some(name)) => {
                self.enclosing.push((name.clone(), None));
                let part = self.shape(spec, conjuncts(&spec.requires));
                match self.enclosing.pop().and_then(|it| it.1) {
                    // What is nested in it does not meet `more`.
                    Some(at) => {
                        self.nested[at] = Some(part.clone());
                        filtered(part, spec, conjuncts(more))
                    }
                    None => self.shape(spec, [conjuncts(&spec.requires), conjuncts(more)].concat()),
                }
            }
            _ => self.shape(spec, [conjuncts(&spec.requires), conjuncts(more)].concat()),
        };
        self.depth -= 1;
        res
    }

    /// A spec that encloses this place.
    fn named(&mut self, spec: &Spec, name: &Name, more: &[Term]) -> DrawPart {
        let Some(found) = self.enclosing.iter_mut().rev().find(|it| it.0 == *name) else {
            return DrawPart::empty(&format!(
                "no spec around is called `{name}`; name the one that is meant"
            ));
        };
        let at = *found.1.get_or_insert_with(|| {
            self.nested.push(None);
            self.nested.len() - 1
        });
        filtered(DrawPart::Nested(at), spec, [conjuncts(&spec.requires), conjuncts(more)].concat())
    }

    fn shape(&mut self, spec: &Spec, terms: Vec<Term>) -> DrawPart {
        if let Some((kind, set)) = numeric(&spec.shape) {
            return numbers(spec, kind, set, terms);
        }
        match &spec.shape {
            Shape::Text => match SpecTexts::new(&terms) {
                Ok((texts, rest)) => filtered(DrawPart::Text(texts), spec, rest),
                Err(why) => DrawPart::empty(&why),
            },
            Shape::Bool => values(spec, [false, true].map(Value::Bool).to_vec(), &terms),
            Shape::Enum(cases) => values(spec, cases.iter().cloned().map(Value::Case).collect(), &terms),
            Shape::Table(table) => {
                let rows = (0..table.rows.len() as u32).map(|it| Value::Row(Arc::clone(table), it));
                values(spec, rows.collect(), &terms)
            }
            Shape::Option(of) => self.option(spec, of, &terms),
            Shape::List(of) => self.list(spec, of, terms),
            Shape::Union(cases) => self.union(spec, cases, &terms),
            Shape::Object(fields) => self.object(spec, fields, terms),
            _ => DrawPart::empty("internal error: a shape is not drawn; please report it"),
        }
    }

    fn option(&mut self, spec: &Spec, of: &Spec, terms: &[Term]) -> DrawPart {
        let none = terms.iter().all(|it| holds(it, spec, &Value::Option(None)));
        let inner = |it: &Term| match it.node() {
            Node::Apply(Op::IsSome, of) if is_it(&of[0]) => Some(Term::constant(true)),
            Node::Apply(Op::Unwrap, of) if is_it(&of[0]) => Some(Term::it()),
            _ => None,
        };
        // `it` as a whole may be meant where it is neither asked nor unwrapped.
        let is_whole = |term: &Term| term.rewrite(&|it| inner(it).map(|_| Term::always())).mentions(&is_it);
        let (whole, local): (Vec<Term>, Vec<Term>) = terms.iter().cloned().partition(is_whole);
        let local: Vec<Term> = local.iter().map(|it| it.rewrite(&inner)).collect();
        let some = self.part(of, &local);
        if some.is_empty() {
            return if none { DrawPart::Values([Value::Option(None)].into()) } else { some };
        }
        filtered(
            DrawPart::Option(none || !whole.is_empty(), Arc::new(some)),
            spec,
            if whole.is_empty() { whole } else { terms.to_vec() },
        )
    }

    fn list(&mut self, spec: &Spec, of: &Spec, terms: Vec<Term>) -> DrawPart {
        let is_len = |it: &Term| matches!(it.node(), Node::Apply(Op::Len, of) if is_it(&of[0]));
        let (mut items, mut lens, mut rest) = (Vec::new(), Vec::new(), Vec::new());
        for term in terms.clone() {
            if let Some(body) = of_all(&term) {
                items.push(body);
            } else if term.rewrite(&|it| is_len(it).then(Term::always)).mentions(&is_it) {
                rest.push(term);
            } else {
                lens.push(term.rewrite(&|it| is_len(it).then(Term::it)));
            }
        }
        let item = self.part(of, &items);
        let lengths = lengths(&lens, item.is_nested());
        let lengths = match (lengths, item.is_empty()) {
            (Some(it), false) => it,
            (Some(ListLengths::From(0, ..)), true) => ListLengths::From(0, Some(0), false),
            (Some(ListLengths::Of(all)), true) if all.contains(&0) => ListLengths::From(0, Some(0), false),
            (Some(_), true) => return item,
            (None, _) => return impossible(spec, &lens),
        };
        if let (DrawPart::Numeric(kind, set), false) = (&item, rest.is_empty())
            && let Some(lists) = OrderedLists::new(*kind, set, &lengths, &rest)
        {
            return DrawPart::Ordered(lists);
        }
        let part = DrawPart::List(lengths, Arc::new(item));
        if rest.is_empty() { part } else { super::cluster::alone(spec, part, &terms, rest) }
    }

    fn union(&mut self, spec: &Spec, cases: &[(Name, Arc<Spec>)], terms: &[Term]) -> DrawPart {
        let mut parts = Vec::new();
        for (name, of) in cases {
            let inner = |it: &Term| match it.node() {
                Node::Is(of, other) if is_it(of) => Some(Term::constant(other == name)),
                Node::As(of, other) if is_it(of) => {
                    Some(if other == name { Term::it() } else { undefined() })
                }
                _ => None,
            };
            let is_whole =
                |term: &Term| term.rewrite(&|it| inner(it).map(|_| Term::always())).mentions(&is_it);
            if terms.iter().any(is_whole) {
                let part = self.union(spec, cases, &[]);
                return filtered(part, spec, terms.to_vec());
            }
            let local: Vec<Term> = terms.iter().map(|it| it.rewrite(&inner)).collect();
            let part = self.part(of, &local);
            if !part.is_empty() {
                parts.push((name.clone(), part));
            }
        }
        if parts.is_empty() {
            return impossible(spec, terms);
        }
        parts.sort_by_key(|it| it.1.is_nested());
        DrawPart::Union(parts.into())
    }

    fn object(&mut self, spec: &Spec, all: &[Field], terms: Vec<Term>) -> DrawPart {
        let names: Vec<Name> = all.iter().map(|it| it.name.clone()).collect();
        let mut local: Vec<Vec<Term>> = vec![Vec::new(); all.len()];
        let mut related: Vec<(BTreeSet<usize>, Vec<Term>)> = Vec::new();
        for term in terms {
            let places: BTreeSet<usize> = match fields(&term) {
                Some(used) => used.iter().filter_map(|it| names.iter().position(|name| name == it)).collect(),
                None => (0..all.len()).collect(),
            };
            match (places.len(), places.first(), closed(&term)) {
                (_, _, Some(Value::Bool(true))) => {}
                (0, ..) => return impossible(spec, &[term]),
                (1, Some(at), _) if fields(&term).is_some() => {
                    let name = &names[*at];
                    let to_it = |it: &Term| match it.node() {
                        Node::Field(of, field) if is_it(of) && field == name => Some(Term::it()),
                        _ => None,
                    };
                    local[*at].push(term.rewrite(&to_it));
                }
                _ => relate(&mut related, places, term),
            }
        }
        let mut pieces = Vec::new();
        for (at, field) in all.iter().enumerate() {
            if let Some(place) = related.iter().position(|it| it.0.first() == Some(&at)) {
                let (places, terms) = &related[place];
                let parts: Vec<DrawPart> =
                    places.iter().map(|it| self.part(&all[*it].spec, &local[*it])).collect();
                if let Some(empty) = parts.iter().find(|it| it.is_empty()) {
                    return empty.clone();
                }
                let fields =
                    places.iter().zip(parts).map(|(at, part)| (*at, &all[*at], part, &local[*at][..]));
                match Cluster::new(fields.collect(), terms.clone()) {
                    Some(cluster) => pieces.push(ObjectPiece::Cluster(Box::new(cluster))),
                    None => return impossible(spec, terms),
                }
            } else if !related.iter().any(|it| it.0.contains(&at)) {
                let part = self.part(&field.spec, &local[at]);
                if let DrawPart::Empty(why) = &part {
                    return DrawPart::empty(&format!("`{}`: {why}", field.name));
                }
                pieces.push(ObjectPiece::Field(at, part));
            }
        }
        DrawPart::Object(Arc::new(ObjectPart { names, pieces }))
    }
}

/// The part that draws values by counting them; none where they are not counted.
fn counted(spec: &Spec, more: &[Term]) -> Option<DrawPart> {
    let counted = CountedModels::by_size(spec, &conjuncts(more))?;
    Some(match counted.total() {
        0 => impossible(spec, &[&spec.requires[..], more].concat()),
        _ => DrawPart::Counted(Arc::new(counted)),
    })
}

/// Adds a requirement to those that share a field with it.
fn relate(related: &mut Vec<(BTreeSet<usize>, Vec<Term>)>, mut places: BTreeSet<usize>, term: Term) {
    let mut terms = Vec::new();
    related.retain_mut(|it| {
        let apart = it.0.is_disjoint(&places);
        if !apart {
            places.append(&mut it.0);
            terms.append(&mut it.1);
        }
        apart
    });
    terms.push(term);
    related.push((places, terms));
}

fn numbers(spec: &Spec, kind: NumericKind, mut set: IntSet, terms: Vec<Term>) -> DrawPart {
    let reading = TermReading { unknown: &Term::it(), kind, spec: Some(spec) };
    let all = terms.clone();
    let mut rest = Vec::new();
    // Twice: what is too large to be tried at first may not be after the others.
    for round in 0..2 {
        for term in
            std::mem::take(&mut rest).into_iter().chain(if round == 0 { terms.clone() } else { Vec::new() })
        {
            match narrow::numbers(&reading, &term, &set) {
                Some(it) => set = it,
                None => rest.push(term),
            }
        }
    }
    if set.is_empty() { impossible(spec, &all) } else { filtered(DrawPart::Numeric(kind, set), spec, rest) }
}

fn values(spec: &Spec, mut all: Vec<Value>, terms: &[Term]) -> DrawPart {
    all.retain(|value| terms.iter().all(|it| holds(it, spec, value)));
    if all.is_empty() { impossible(spec, terms) } else { DrawPart::Values(all.into()) }
}

/// The lengths for which all terms hold; none where there is none.
fn lengths(terms: &[Term], is_nested: bool) -> Option<ListLengths> {
    if terms.is_empty() {
        return Some(ListLengths::From(0, None, is_nested));
    }
    let spec = Spec::new(Shape::int(0, i128::from(u32::MAX)));
    let good = |n: u32| terms.iter().all(|it| holds(it, &spec, &Value::Int(n.into())));
    let all: Vec<u32> = (0..=LENGTHS_MAX).filter(|n| good(*n)).collect();
    let (first, last) = (*all.first()?, *all.last()?);
    Some(if (last - first) as usize + 1 == all.len() {
        ListLengths::From(first, (last < LENGTHS_MAX).then_some(last), is_nested)
    } else {
        ListLengths::Of(all.into())
    })
}

/// What a requirement of a list says of every item, if it says no more.
fn of_all(term: &Term) -> Option<Term> {
    let Node::Quantified(Quantifier::Forall, number, list, body) = term.node() else { return None };
    let to_it = |it: &Term| (*it.node() == Node::Bound(*number)).then(Term::it);
    (is_it(list) && !body.mentions(&is_it)).then(|| body.rewrite(&to_it))
}

/// What `part` draws, where all terms hold.
pub(super) fn filtered(part: DrawPart, spec: &Spec, terms: Vec<Term>) -> DrawPart {
    if terms.is_empty() || part.is_empty() {
        return part;
    }
    DrawPart::Filtered(Arc::new(Filtered { part, spec: spec.clone(), terms }))
}

/// Says that there is no value for which all terms hold.
pub(super) fn impossible(spec: &Spec, terms: &[Term]) -> DrawPart {
    let terms: Vec<String> = terms.iter().map(ToString::to_string).collect();
    let of = spec.name.as_ref().map_or(String::new(), |it| format!(" of `{it}`"));
    DrawPart::empty(&format!("no value{of} satisfies {}; relax one of them", terms.join(" and ")))
}
