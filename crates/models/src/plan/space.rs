//! Spaces: the values of a spec whose requirements can be met by construction, counted and sampled without search.

use std::sync::Arc;

use num_bigint::BigUint;

use super::frame::conjuncts;
use super::ordered::OrderedSpace;
use super::sample::ReadableLanguage;
use super::shuffle::clamped;
use super::work::WorkBudget;
use probity_spec::narrow::{TermReading, numbers, texts};
use probity_spec::regex::{Count, Language};
use probity_spec::{
    CountedModels, IntSet, Name, Node, NumericKind, Op, Quantifier, Shape, Spec, Term, Value,
};

/// The values of a spec.
#[derive(Clone, Debug)]
pub(crate) enum ValueSpace {
    /// What whole numbers stand for.
    Ints {
        /// The numbers.
        set: IntSet,
        /// What they stand for.
        kind: NumericKind,
        /// Whether there are more than 128 bits can hold.
        open: bool,
    },
    /// Texts.
    Words(ReadableLanguage),
    /// These.
    Listed(Vec<Value>),
    /// Nothing, or a value of a space.
    Option(Box<ValueSpace>),
    /// A value of a space in an option.
    Some(Box<ValueSpace>),
    /// Lists.
    List {
        /// Their lengths.
        lengths: IntSet,
        /// Their elements.
        of: Box<ValueSpace>,
    },
    /// Objects whose fields do not depend on each other.
    Object(Vec<(Name, ValueSpace)>),
    /// Alternatives.
    Union(Vec<(Name, ValueSpace)>),
    /// Lists of numbers in an order.
    Ordered(Arc<OrderedSpace>),
    /// Recursive values that are counted by their measures.
    Counted(Arc<CountedModels>),
}

/// Spaces of at most this many values are gone through one by one where a requirement has no simpler form.
pub(crate) const LISTED_MAX: u64 = 20_000;

/// A list whose length nothing bounds has no end; plans make lists of at most this length more than the least.
pub(crate) const LIST_SPAN: i128 = 8;

impl ValueSpace {
    /// The values of a spec that also satisfy `more`, terms over the value. The error says what is in the way.
    pub(crate) fn of(spec: &Spec, more: &[Term], work: &WorkBudget) -> Result<ValueSpace, String> {
        let mut requires = Vec::new();
        spec.requires.iter().for_each(|it| conjuncts(it, &mut requires));
        let own = requires.len();
        more.iter().for_each(|it| conjuncts(it, &mut requires));
        if let Some(counted) = CountedModels::of_measured(spec, &requires[own..]) {
            work.spend(1 << 10)?;
            return Ok(ValueSpace::Counted(Arc::new(counted)));
        }
        let space = ValueSpace::uncounted(spec, &requires, work);
        space.map_err(|why| match CountedModels::obstacle(spec, &requires[own..]) {
            Some(why) => format!("it is not counted by its measures, because {why}"),
            None => why,
        })
    }

    /// The values of a spec that satisfy `requires`, by its shape.
    fn uncounted(spec: &Spec, requires: &[Term], work: &WorkBudget) -> Result<ValueSpace, String> {
        match &spec.shape {
            Shape::Bool => {
                ValueSpace::listed(spec, requires, vec![Value::Bool(false), Value::Bool(true)], work)
            }
            Shape::Enum(cases) => {
                let cases = cases.iter().map(|it| Value::Case(it.clone())).collect();
                ValueSpace::listed(spec, requires, cases, work)
            }
            Shape::Table(table) => {
                let rows = (0..table.rows.len() as u32).map(|it| Value::Row(table.clone(), it)).collect();
                ValueSpace::listed(spec, requires, rows, work)
            }
            Shape::Text => ValueSpace::text(spec, requires, work),
            Shape::Option(of) => ValueSpace::option(spec, of, requires, work),
            Shape::List(of) => ValueSpace::list(spec, of, requires, work),
            Shape::Object(fields) => {
                let fields: Vec<(&Name, &Spec)> = fields.iter().map(|it| (&it.name, &*it.spec)).collect();
                ValueSpace::object(spec, &fields, requires, work)
            }
            Shape::Union(cases) => ValueSpace::union(cases, requires, work),
            Shape::Named(name) => Err(format!("`{name}` stands within itself")),
            shape => {
                let (kind, all) = NumericKind::of(shape).ok_or("it is of another shape")?;
                ValueSpace::ints(spec, kind, all, requires, work)
            }
        }
    }

    /// The values out of some that satisfy everything.
    fn listed(
        spec: &Spec,
        requires: &[Term],
        values: Vec<Value>,
        work: &WorkBudget,
    ) -> Result<ValueSpace, String> {
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
        Ok(ValueSpace::Listed(kept))
    }

    /// Filters a space by requirements that have no simpler form, if it is small.
    fn filtered(self, spec: &Spec, rest: &[Term], work: &WorkBudget) -> Result<ValueSpace, String> {
        if rest.is_empty() {
            return Ok(self);
        }
        match self.all() {
            Some(values) => ValueSpace::listed(spec, rest, values, work),
            None => Err(format!("{} has no simpler form", rest[0])),
        }
    }

    fn ints(
        spec: &Spec,
        kind: NumericKind,
        all: IntSet,
        requires: &[Term],
        work: &WorkBudget,
    ) -> Result<ValueSpace, String> {
        let (mut set, mut rest) = (all.clone(), Vec::new());
        for term in requires {
            match numbers(&TermReading { unknown: &Term::it(), kind, spec: None }, term, &set) {
                Some(narrower) => set = narrower,
                None => rest.push(term.clone()),
            }
        }
        // Where nothing cut a side off, it goes on.
        let modulus = set.congruence().0;
        let is_open = set.min().is_some_and(|it| all.min() == Some(i128::MIN) && it < i128::MIN + modulus)
            || set.max().is_some_and(|it| all.max() == Some(i128::MAX) && it > i128::MAX - modulus);
        ValueSpace::Ints { set, kind, open: is_open }.filtered(spec, &rest, work)
    }

    fn text(spec: &Spec, requires: &[Term], work: &WorkBudget) -> Result<ValueSpace, String> {
        let (mut language, mut rest) = (None::<Language>, Vec::new());
        for term in requires {
            match texts(term, &Term::it()) {
                Some(it) => {
                    language = Some(match language {
                        Some(before) => before.and(&*it?)?,
                        None => (*it?).clone(),
                    });
                }
                None => rest.push(term.clone()),
            }
        }
        ValueSpace::Words(ReadableLanguage::new(language.unwrap_or_else(Language::any)))
            .filtered(spec, &rest, work)
    }

    fn option(spec: &Spec, of: &Spec, requires: &[Term], work: &WorkBudget) -> Result<ValueSpace, String> {
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
        let of = Box::new(ValueSpace::of(of, &inner, work)?);
        Ok(if has_none { ValueSpace::Option(of) } else { ValueSpace::Some(of) })
    }

    fn list(spec: &Spec, of: &Spec, requires: &[Term], work: &WorkBudget) -> Result<ValueSpace, String> {
        let len = Term::it().len();
        let reading = TermReading { unknown: &len, kind: NumericKind::Int, spec: None };
        let mut lengths = IntSet::range(0, i128::MAX);
        let (mut inner, mut rest) = (Vec::new(), Vec::new());
        for term in requires {
            if let Some(set) = numbers(&reading, term, &lengths) {
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
        let of = Box::new(ValueSpace::of(of, &inner, work)?);
        if let ValueSpace::Ints { set, kind, open: false } = &*of
            && let Some(ordered) = OrderedSpace::new(set, *kind, &lengths, &rest)
        {
            return Ok(ValueSpace::Ordered(Arc::new(ordered)));
        }
        ValueSpace::List { lengths, of }.filtered(spec, &rest, work)
    }

    fn object(
        spec: &Spec,
        fields: &[(&Name, &Spec)],
        requires: &[Term],
        work: &WorkBudget,
    ) -> Result<ValueSpace, String> {
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
            spaces.push(((*name).clone(), ValueSpace::of(of, &inner, work)?));
        }
        ValueSpace::Object(spaces).filtered(spec, &rest, work)
    }

    fn union(
        cases: &[(Name, Arc<Spec>)],
        requires: &[Term],
        work: &WorkBudget,
    ) -> Result<ValueSpace, String> {
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
            spaces.push((name.clone(), ValueSpace::of(of, &inner, work)?));
        }
        Ok(ValueSpace::Union(spaces))
    }

    /// How many values there are.
    pub(crate) fn count(&self) -> Count {
        let finite = |it: u128| Count::Finite(it.into());
        match self {
            ValueSpace::Ints { open: true, .. } => Count::Infinite,
            ValueSpace::Ints { set, .. } => finite(set.count()),
            ValueSpace::Words(words) => words.language.count(),
            ValueSpace::Listed(values) => finite(values.len() as u128),
            ValueSpace::Option(of) => sum([finite(1), of.count()]),
            ValueSpace::Some(of) => of.count(),
            ValueSpace::List { lengths, of } => list_count(lengths, &of.count()),
            ValueSpace::Object(fields) => product(fields.iter().map(|it| it.1.count())),
            ValueSpace::Union(cases) => sum(cases.iter().map(|it| it.1.count())),
            ValueSpace::Ordered(lists) if lists.is_open => Count::Infinite,
            ValueSpace::Ordered(lists) => finite(lists.total()),
            ValueSpace::Counted(models) if models.is_cut() => Count::Infinite,
            ValueSpace::Counted(models) => finite(models.total()),
        }
    }

    /// How many values there are, where the number is not too long to be told.
    pub(crate) fn counted(&self) -> Result<Count, String> {
        match self {
            ValueSpace::Option(of) | ValueSpace::Some(of) => of.counted()?,
            ValueSpace::List { lengths, of } => match (of.counted()?, lengths.max()) {
                (Count::Finite(of), Some(longest)) if longest < i128::MAX && is_long(longest, &of) => {
                    return Err(format!(
                        "the number of lists of up to {longest} elements has too many digits"
                    ));
                }
                (count, _) => count,
            },
            ValueSpace::Object(parts) | ValueSpace::Union(parts) => {
                parts.iter().try_fold(Count::of(0), |_, it| it.1.counted())?
            }
            ValueSpace::Ints { .. }
            | ValueSpace::Words(_)
            | ValueSpace::Listed(_)
            | ValueSpace::Ordered(_)
            | ValueSpace::Counted(_) => Count::of(0),
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
            ValueSpace::Ints { set, kind, .. } => set.iter().map(|it| value_of(*kind, it)).collect(),
            ValueSpace::Listed(values) => values.clone(),
            _ => {
                let sample = self.sample_distinct(room, 0);
                let mut values: Vec<Value> = (0..sample.len()).map(|it| sample.at(it)).collect();
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

/// The value that a number represents. Beyond what its kind has it is just a number, which the evaluator refuses.
pub(crate) fn value_of(kind: NumericKind, number: i128) -> Value {
    kind.value(number).unwrap_or(Value::Int(number))
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
