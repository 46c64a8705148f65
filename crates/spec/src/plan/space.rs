//! Spaces: the values of a spec whose requirements can be met by construction, counted and dealt without search.

use std::sync::Arc;

use num_bigint::BigUint;

use super::deal::clamped;
use super::frame::conjuncts;
use super::hand::Words;
use super::ints::{Unit, set_of};
use super::words::language_of;
use super::work::Work;
use crate::regex::{Count, Language};
use crate::solve::builtin::IntSet;
use crate::{Name, Node, Op, Quantifier, Shape, Spec, Term, Value};

/// The values of a spec.
#[derive(Clone, Debug)]
pub(crate) enum Space {
    /// What whole numbers stand for.
    Ints {
        /// The numbers.
        set: IntSet,
        /// What they stand for.
        unit: Unit,
        /// Whether there are more than 128 bits can hold.
        open: bool,
    },
    /// Texts.
    Words(Words),
    /// These.
    Listed(Vec<Value>),
    /// Nothing, or a value of a space.
    Option(Box<Space>),
    /// A value of a space in an option.
    Some(Box<Space>),
    /// Lists.
    List {
        /// Their lengths.
        lengths: IntSet,
        /// Their elements.
        of: Box<Space>,
    },
    /// Objects whose fields do not depend on each other.
    Object(Vec<(Name, Space)>),
    /// Alternatives.
    Union(Vec<(Name, Space)>),
}

/// Spaces of at most so many values are gone through one by one where a requirement has no simpler form.
pub(crate) const LISTED_MAX: u64 = 20_000;

/// A list whose length nothing bounds has no end; plans make lists of at most this length more than the least.
pub(crate) const LIST_SPAN: i128 = 8;

impl Space {
    /// The values of a spec that also satisfy `more`, terms over the value. The error says what is in the way.
    pub(crate) fn of(spec: &Spec, more: &[Term], work: &Work) -> Result<Space, String> {
        let mut requires = Vec::new();
        spec.requires.iter().chain(more).for_each(|it| conjuncts(it, &mut requires));
        match &spec.shape {
            Shape::Bool => Space::listed(spec, &requires, vec![Value::Bool(false), Value::Bool(true)], work),
            Shape::Enum(cases) => {
                let cases = cases.iter().map(|it| Value::Case(it.clone())).collect();
                Space::listed(spec, &requires, cases, work)
            }
            Shape::Table(table) => {
                let rows = (0..table.rows.len() as u32).map(|it| Value::Row(table.clone(), it)).collect();
                Space::listed(spec, &requires, rows, work)
            }
            Shape::Text => Space::text(spec, &requires, work),
            Shape::Option(of) => Space::option(spec, of, &requires, work),
            Shape::List(of) => Space::list(spec, of, &requires, work),
            Shape::Object(fields) => {
                let fields: Vec<(&Name, &Spec)> = fields.iter().map(|it| (&it.name, &*it.spec)).collect();
                Space::object(spec, &fields, &requires, work)
            }
            Shape::Union(cases) => Space::union(cases, &requires, work),
            Shape::Named(name) => Err(format!("`{name}` stands within itself")),
            shape => {
                let (unit, all) = Unit::of(shape).ok_or("it is of another shape")?;
                Space::ints(spec, unit, all, &requires, work)
            }
        }
    }

    /// The values out of some that satisfy everything.
    fn listed(spec: &Spec, requires: &[Term], values: Vec<Value>, work: &Work) -> Result<Space, String> {
        let holds = |value: &Value| {
            requires.iter().all(|it| it.eval_in(spec, value, None) == Some(Value::Bool(true)))
        };
        let mut kept = Vec::new();
        for value in values {
            work.spend(requires.len() as u64)?;
            if holds(&value) {
                kept.push(value);
            }
        }
        Ok(Space::Listed(kept))
    }

    /// Filters a space by requirements that have no simpler form, if it is small.
    fn filtered(self, spec: &Spec, rest: &[Term], work: &Work) -> Result<Space, String> {
        if rest.is_empty() {
            return Ok(self);
        }
        match self.all() {
            Some(values) => Space::listed(spec, rest, values, work),
            None => Err(format!("{} has no simpler form", rest[0])),
        }
    }

    fn ints(spec: &Spec, unit: Unit, all: IntSet, requires: &[Term], work: &Work) -> Result<Space, String> {
        let (mut set, mut rest) = (all.clone(), Vec::new());
        for term in requires {
            match set_of(term, &Term::it(), unit, &set) {
                Some(narrower) => set = narrower,
                None => rest.push(term.clone()),
            }
        }
        // Where nothing cut a side off, it goes on.
        let modulus = set.congruence().0;
        let is_open = set.min().is_some_and(|it| all.min() == Some(i128::MIN) && it < i128::MIN + modulus)
            || set.max().is_some_and(|it| all.max() == Some(i128::MAX) && it > i128::MAX - modulus);
        Space::Ints { set, unit, open: is_open }.filtered(spec, &rest, work)
    }

    fn text(spec: &Spec, requires: &[Term], work: &Work) -> Result<Space, String> {
        let (mut language, mut rest) = (None::<Language>, Vec::new());
        for term in requires {
            match language_of(term, &Term::it()) {
                Some(it) => {
                    language = Some(match language {
                        Some(before) => before.and(&it?)?,
                        None => it?,
                    });
                }
                None => rest.push(term.clone()),
            }
        }
        Space::Words(Words::new(language.unwrap_or_else(Language::any))).filtered(spec, &rest, work)
    }

    fn option(spec: &Spec, of: &Spec, requires: &[Term], work: &Work) -> Result<Space, String> {
        let none = Value::Option(None);
        let has_none = requires.iter().all(|it| it.eval_in(spec, &none, None) == Some(Value::Bool(true)));
        let within = |term: &Term| {
            term.rewrite(&|it| match it.node() {
                Node::Apply(Op::Unwrap, args) if args[..] == [Term::it()] => Some(Term::new(Node::Other)),
                Node::Apply(Op::IsSome, args) if args[..] == [Term::it()] => Some(Term::always()),
                _ => None,
            })
        };
        let inner: Vec<Term> = requires.iter().map(within).collect();
        let inner = inside(&inner).ok_or("it compares the option as a whole")?;
        let of = Box::new(Space::of(of, &inner, work)?);
        Ok(if has_none { Space::Option(of) } else { Space::Some(of) })
    }

    fn list(spec: &Spec, of: &Spec, requires: &[Term], work: &Work) -> Result<Space, String> {
        let len = Term::it().len();
        let mut lengths = IntSet::range(0, i128::MAX);
        let (mut inner, mut rest) = (Vec::new(), Vec::new());
        for term in requires {
            if let Some(set) = set_of(term, &len, Unit::Int, &lengths) {
                lengths = set;
            } else if let Node::Quantified(Quantifier::Forall, number, list, body) = term.node()
                && *list == Term::it()
                && !body.mentions(&|it| *it.node() == Node::It)
            {
                inner.push(body.replace(&|it| (*it.node() == Node::Bound(*number)).then(Term::it)));
            } else {
                rest.push(term.clone());
            }
        }
        let of = Box::new(Space::of(of, &inner, work)?);
        Space::List { lengths, of }.filtered(spec, &rest, work)
    }

    fn object(
        spec: &Spec,
        fields: &[(&Name, &Spec)],
        requires: &[Term],
        work: &Work,
    ) -> Result<Space, String> {
        let mut rest = requires.to_vec();
        let mut spaces = Vec::new();
        for (name, of) in fields {
            let field = Term::it().field(name);
            let own = |term: &Term| {
                let moved = term.rewrite(&|it| (*it == field).then(|| Term::new(Node::Other)));
                inside(std::slice::from_ref(&moved)).and_then(|mut it| it.pop())
            };
            let mut inner = Vec::new();
            rest.retain(|term| match own(term) {
                Some(it) => {
                    inner.push(it);
                    false
                }
                None => true,
            });
            spaces.push(((*name).clone(), Space::of(of, &inner, work)?));
        }
        Space::Object(spaces).filtered(spec, &rest, work)
    }

    fn union(cases: &[(Name, Arc<Spec>)], requires: &[Term], work: &Work) -> Result<Space, String> {
        let undefined = Term::int(0).quotient(Term::int(0));
        let mut spaces = Vec::new();
        for (name, of) in cases {
            let within = |term: &Term| {
                term.rewrite(&|it| match it.node() {
                    Node::Is(of, case) if *of == Term::it() => Some(Term::constant(case == name)),
                    Node::As(of, case) if *of == Term::it() => {
                        Some(if case == name { Term::new(Node::Other) } else { undefined.clone() })
                    }
                    _ => None,
                })
            };
            let inner: Vec<Term> = requires.iter().map(within).collect();
            let inner = inside(&inner).ok_or("it compares the union as a whole")?;
            spaces.push((name.clone(), Space::of(of, &inner, work)?));
        }
        Ok(Space::Union(spaces))
    }

    /// How many values there are.
    pub(crate) fn count(&self) -> Count {
        let finite = |it: u128| Count::Finite(it.into());
        match self {
            Space::Ints { open: true, .. } => Count::Infinite,
            Space::Ints { set, .. } => finite(set.count()),
            Space::Words(words) => words.language.count(),
            Space::Listed(values) => finite(values.len() as u128),
            Space::Option(of) => sum([finite(1), of.count()]),
            Space::Some(of) => of.count(),
            Space::List { lengths, of } => list_count(lengths, &of.count()),
            Space::Object(fields) => product(fields.iter().map(|it| it.1.count())),
            Space::Union(cases) => sum(cases.iter().map(|it| it.1.count())),
        }
    }

    /// How many values there are, where the number is not too long to be told.
    pub(crate) fn counted(&self) -> Result<Count, String> {
        match self {
            Space::Option(of) | Space::Some(of) => of.counted()?,
            Space::List { lengths, of } => match (of.counted()?, lengths.max()) {
                (Count::Finite(of), Some(longest)) if longest < i128::MAX && is_long(longest, &of) => {
                    return Err(format!(
                        "the number of lists of up to {longest} elements has too many digits"
                    ));
                }
                (count, _) => count,
            },
            Space::Object(parts) | Space::Union(parts) => {
                parts.iter().try_fold(Count::of(0), |_, it| it.1.counted())?
            }
            Space::Ints { .. } | Space::Words(_) | Space::Listed(_) => Count::of(0),
        };
        Ok(self.count())
    }

    /// How many values there are, at most the greatest u64.
    pub(crate) fn room(&self) -> u64 {
        room(&self.count())
    }

    /// All values, if they are few.
    pub(crate) fn all(&self) -> Option<Vec<Value>> {
        let room = self.room();
        if room > LISTED_MAX {
            return None;
        }
        Some(match self {
            Space::Ints { set, unit, .. } => set.iter().map(|it| unit.value(it)).collect(),
            Space::Listed(values) => values.clone(),
            _ => {
                let deal = self.deal(room, 0);
                let mut values: Vec<Value> = (0..deal.len()).map(|it| deal.at(it)).collect();
                values.sort();
                values
            }
        })
    }
}

/// Terms in which the unknown is spelled `other`, over the value itself; none if the value that encloses it is
/// mentioned too.
fn inside(terms: &[Term]) -> Option<Vec<Term>> {
    if terms.iter().any(|term| term.mentions(&|it| *it.node() == Node::It)) {
        return None;
    }
    let own = |term: &Term| term.replace(&|it| (*it.node() == Node::Other).then(Term::it));
    Some(terms.iter().map(own).collect())
}

pub(crate) fn room(count: &Count) -> u64 {
    match count {
        Count::Finite(it) => clamped(it),
        Count::Infinite => u64::MAX,
    }
}

pub(crate) fn sum(parts: impl IntoIterator<Item = Count>) -> Count {
    parts.into_iter().fold(Count::Finite(BigUint::ZERO), |sum, it| match (sum, it) {
        (Count::Finite(a), Count::Finite(b)) => Count::Finite(a + b),
        _ => Count::Infinite,
    })
}

pub(crate) fn product(parts: impl IntoIterator<Item = Count>) -> Count {
    let parts: Vec<Count> = parts.into_iter().collect();
    if parts.contains(&Count::Finite(BigUint::ZERO)) {
        return Count::Finite(BigUint::ZERO);
    }
    parts.into_iter().fold(Count::Finite(BigUint::from(1_u32)), |product, it| match (product, it) {
        (Count::Finite(a), Count::Finite(b)) => Count::Finite(a * b),
        _ => Count::Infinite,
    })
}

/// Lists are not counted if their number has more bits than this: nobody reads it.
const COUNTED_BITS: i128 = 1_000_000;

/// Whether the number of lists of that length has too many digits.
fn is_long(length: i128, of: &BigUint) -> bool {
    *of > BigUint::from(1_u32) && length.saturating_mul(of.bits().into()) > COUNTED_BITS
}

fn list_count(lengths: &IntSet, of: &Count) -> Count {
    let empty = u32::from(lengths.contains(0));
    let longest = lengths.max().unwrap_or(0);
    match of {
        Count::Finite(of) if *of == BigUint::ZERO => Count::Finite(empty.into()),
        Count::Infinite => {
            if longest > 0 {
                Count::Infinite
            } else {
                Count::Finite(empty.into())
            }
        }
        Count::Finite(_) if longest == i128::MAX => Count::Infinite,
        Count::Finite(of) if *of == BigUint::from(1_u32) => Count::Finite(lengths.count().into()),
        // More than anybody asks for.
        Count::Finite(of) if is_long(longest, of) => Count::Infinite,
        Count::Finite(of) => {
            let powers = |&(from, to): &(i128, i128)| {
                let (first, step) = (of.pow(from as u32), lengths.congruence().0);
                if from == to {
                    return first;
                }
                // A geometric series.
                let ratio = of.pow(step as u32);
                first * (ratio.pow(((to - from) / step + 1) as u32) - 1_u32) / (ratio - 1_u32)
            };
            Count::Finite(lengths.intervals().iter().map(powers).sum())
        }
    }
}
