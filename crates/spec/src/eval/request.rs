//! Requests: whether a model is one, whether two differ, and which choices a value can have made.

use super::ops::{decimal, float, length, same, to_int};
use super::{LeafValues, Violation, edits_at_least};
use crate::regex::Cover;
use crate::{
    Branch, Branches, Decimal, Difference, Enumerate, Model, NO_CHOICE, Relation, RelationKind, Request,
    Spec, Term, Value,
};

impl Request {
    /// Whether the value is one of the spec, the choices are well-formed, and the value satisfies every assertion
    /// that was chosen.
    ///
    /// ```
    /// use probity_spec::{Difference, Model, Request, Shape, Spec, Term, Value};
    /// let x = Term::it().field("x");
    /// let spec = Spec::object([("x", Spec::new(Shape::int(0, 9)))]);
    /// let difference = Difference::enumerate_linear([x.clone().lt(Term::int(5)), Term::int(5).le(x)]);
    /// let request = Request { spec, difference, n: 2 };
    /// let model = |x, choice| Model { value: Value::Object(vec![("x".into(), Value::Int(x))]), choices: vec![choice] };
    /// assert!(request.admits(&model(3, 0)).is_ok());
    /// assert_eq!(
    ///     request.admits(&model(3, 1)).unwrap_err().to_string(),
    ///     "the branch (<= 5 (. it x)) was chosen, but x is 3, which does not satisfy (<= 5 (. it x))",
    /// );
    /// ```
    pub fn admits(&self, model: &Model) -> Result<(), Violation> {
        self.spec.admits(&model.value)?;
        let expected = enumerates(&self.difference);
        if model.choices.len() != expected {
            let message = format!("the model has {} choices where {expected} are made", model.choices.len());
            return Err(Violation::whole(format!("{expected} choices"), message));
        }
        let specs = [&self.spec];
        let env = LeafValues::of(&model.value, &specs);
        chosen(&self.difference, &model.choices, &env)
    }

    /// Whether two models count as two inputs: they differ by the default, and the difference holds in both
    /// orders unless it is `Never`. See [`relates`](Request::relates).
    pub fn differ(&self, a: &Model, b: &Model) -> bool {
        a != b && (self.difference == Difference::Never || self.relates(a, b))
    }

    /// Whether the difference holds in both orders, whatever the default says.
    ///
    /// ```
    /// use probity_spec::{Difference, Model, Request, Shape, Spec, Value};
    /// let spec = Spec::object([("x", Spec::new(Shape::int(0, 9)))]);
    /// let request = Request { spec, difference: Difference::Always, n: 2 };
    /// let one = Model { value: Value::Object(vec![("x".into(), Value::Int(3))]), choices: Vec::new() };
    /// assert!(request.relates(&one, &one) && !request.differ(&one, &one));
    /// ```
    pub fn relates(&self, a: &Model, b: &Model) -> bool {
        let (a, b) = (ModelSide::of(a, &self.spec), ModelSide::of(b, &self.spec));
        relates(&self.difference, a, b) && relates(&self.difference, b, a)
    }

    /// The choices that a value can have made: all vectors with which [`admits`](Request::admits) would accept it,
    /// the first `limit` of them. None if the value satisfies no assertion of some active enumeration.
    ///
    /// ```
    /// use probity_spec::{Difference, Request, Shape, Spec, Term, Value};
    /// let x = Term::it().field("x");
    /// let spec = Spec::object([("x", Spec::new(Shape::int(0, 9)))]);
    /// let difference = Difference::enumerate_linear([x.clone().lt(Term::int(5)), Term::int(3).lt(x)]);
    /// let request = Request { spec, difference, n: 2 };
    /// let four = Value::Object(vec![("x".into(), Value::Int(4))]);
    /// assert_eq!(request.choices_of(&four, 9), [[0], [1]], "it meets both");
    /// ```
    pub fn choices_of(&self, value: &Value, limit: usize) -> Vec<Vec<u64>> {
        let specs = [&self.spec];
        choices(&self.difference, &LeafValues::of(value, &specs), limit)
    }
}

/// How many enumerations a difference has, nested ones included.
fn enumerates(difference: &Difference) -> usize {
    match difference {
        Difference::Always | Difference::Never | Difference::Relation(_) => 0,
        Difference::All(parts) | Difference::Any(parts) => parts.iter().map(enumerates).sum(),
        Difference::Not(of) => enumerates(of),
        Difference::Enumerate(Enumerate { branches: Branches::Cover { .. } }) => 1,
        Difference::Enumerate(Enumerate { branches: Branches::Listed(branches) }) => {
            1 + branches.iter().map(|it| enumerates(&it.differ)).sum::<usize>()
        }
    }
}

/// Parts of a difference, each with its own of the choices.
fn split<'a, 'c>(
    parts: impl IntoIterator<Item = &'a Difference>,
    choices: &'c [u64],
) -> impl Iterator<Item = (&'a Difference, &'c [u64])> {
    let mut rest = choices;
    parts.into_iter().map(move |part| {
        let (own, after) = rest.split_at(enumerates(part).min(rest.len()));
        rest = after;
        (part, own)
    })
}

/// Checks choices that are as many as the difference makes.
fn chosen(difference: &Difference, choices: &[u64], env: &LeafValues) -> Result<(), Violation> {
    match difference {
        Difference::Always | Difference::Never | Difference::Relation(_) => Ok(()),
        Difference::All(parts) | Difference::Any(parts) => {
            split(parts, choices).try_for_each(|(part, own)| chosen(part, own, env))
        }
        Difference::Not(of) => chosen(of, choices, env),
        Difference::Enumerate(Enumerate { branches }) => {
            let (choice, below) = choices.split_first().expect("every enumeration has a choice");
            match branches {
                Branches::Cover { on, cover } => chosen_leaf(on, cover, *choice, env),
                Branches::Listed(branches) => {
                    let taken = usize::try_from(*choice).ok().and_then(|it| branches.get(it));
                    let Some(taken) = taken else { return Err(no_such(*choice, branches.len() as u64)) };
                    if !env.holds(&taken.requires) {
                        let violation = Violation::term("", env.it, &taken.requires);
                        return Err(violation.because(&format!("the branch {} was chosen", taken.label)));
                    }
                    for (i, (part, own)) in split(differs(branches), below).enumerate() {
                        if i as u64 == *choice {
                            chosen(part, own, env)?;
                        } else if own.iter().any(|it| *it != NO_CHOICE) {
                            let message = format!(
                                "the branch {} was not chosen, but a choice was made within it",
                                branches[i].label
                            );
                            return Err(Violation::whole("no choice".to_string(), message));
                        }
                    }
                    Ok(())
                }
            }
        }
    }
}

fn differs(branches: &[Branch]) -> impl Iterator<Item = &Difference> {
    branches.iter().map(|it| &it.differ)
}

fn no_such(choice: u64, branches: u64) -> Violation {
    let message = match choice {
        NO_CHOICE => format!("no choice was made among {branches} branches"),
        _ => format!("the branch number {choice} was chosen where there are {branches}, counted from 0"),
    };
    Violation::whole(format!("a choice among {branches} branches"), message)
}

fn chosen_leaf(on: &Term, cover: &Cover, choice: u64, env: &LeafValues) -> Result<(), Violation> {
    let Some(leaf) = cover.leaf(choice).filter(|_| choice != NO_CHOICE) else {
        let message = format!("the leaf number {choice} was chosen, which {cover} does not have");
        return Err(Violation::whole(format!("a leaf of {cover}"), message));
    };
    let term = on.clone().matches(leaf.regex.clone());
    if env.holds(&term) {
        return Ok(());
    }
    Err(Violation::term("", env.it, &term).because(&format!("the leaf {} was chosen", leaf.label)))
}

/// A model on one side of a relation, with the choices of the difference at hand.
#[derive(Clone, Copy)]
struct ModelSide<'a> {
    value: &'a Value,
    choices: &'a [u64],
    spec: &'a Spec,
}

impl<'a> ModelSide<'a> {
    fn of(model: &'a Model, spec: &'a Spec) -> ModelSide<'a> {
        ModelSide { value: &model.value, choices: &model.choices, spec }
    }

    /// The choice of the enumeration at hand, if it was reached.
    fn choice(&self) -> Option<u64> {
        self.choices.first().copied().filter(|it| *it != NO_CHOICE)
    }
}

/// Whether a difference holds in that order.
fn relates(difference: &Difference, a: ModelSide, b: ModelSide) -> bool {
    let part = |((part, left), (_, right)): ((&Difference, _), (_, _))| {
        relates(part, ModelSide { choices: left, ..a }, ModelSide { choices: right, ..b })
    };
    match difference {
        Difference::Always => true,
        Difference::Never => false,
        Difference::All(parts) => split(parts, a.choices).zip(split(parts, b.choices)).all(part),
        Difference::Any(parts) => split(parts, a.choices).zip(split(parts, b.choices)).any(part),
        Difference::Not(of) => !relates(of, a, b),
        Difference::Relation(relation) => related(relation, a, b).unwrap_or(false),
        Difference::Enumerate(Enumerate { branches }) => {
            let (Some(left), Some(right)) = (a.choice(), b.choice()) else { return false };
            if left != right {
                return true;
            }
            let Branches::Listed(branches) = branches else { return false };
            let Ok(taken) = usize::try_from(left) else { return false };
            let (left, right) = (&a.choices[1..], &b.choices[1..]);
            split(differs(branches), left).zip(split(differs(branches), right)).nth(taken).is_some_and(part)
        }
    }
}

/// Whether the values of a projection relate; none if they are undefined or of wrong kinds.
fn related(relation: &Relation, a: ModelSide, b: ModelSide) -> Option<bool> {
    let specs = [a.spec];
    let env = LeafValues::of(a.value, &specs);
    let (left, right) = (env.eval(&relation.on)?, LeafValues::of(b.value, &specs).eval(&relation.on)?);
    Some(match &relation.kind {
        RelationKind::NotEqual => !same(&left, &right),
        RelationKind::DifferentLengths => length(&left)? != length(&right)?,
        RelationKind::Distance(by) => apart(&left, &right, *by)?,
        RelationKind::EditDistance(by) => match (&*left, &*right) {
            (Value::Text(left), Value::Text(right)) => edits_at_least(left, right, (*by).into())?,
            _ => return None,
        },
        RelationKind::Holds(term) => {
            let specs = env.path(&relation.on);
            LeafValues { it: &left, other: Some(&right), spec: specs.as_deref(), bound: None, depth: 0 }
                .holds(term)
        }
    })
}

/// Whether two numbers, or the numbers behind dates and times, are so far apart.
fn apart(a: &Value, b: &Value, by: Decimal) -> Option<bool> {
    if let (Value::Number(_), _) | (_, Value::Number(_)) = (a, b) {
        let gap = decimal(a)?.checked_add(decimal(b)?.checked_neg()?)?;
        return Some(gap.max(gap.checked_neg()?) >= by);
    }
    if let (Value::Float(a), Value::Float(b)) = (a, b) {
        return Some((a.get() - b.get()).abs() >= float(&Value::Number(by))?);
    }
    if std::mem::discriminant(a) != std::mem::discriminant(b) || matches!(a, Value::Bool(_)) {
        return None;
    }
    // As unsigned, the gap between any two fits.
    let gap = to_int(a)?.abs_diff(to_int(b)?);
    Some(i128::try_from(gap).map_or(true, |gap| Decimal::new(gap, 0) >= by))
}

/// All choices that a value can have made in a difference, the first `limit`.
fn choices(difference: &Difference, env: &LeafValues, limit: usize) -> Vec<Vec<u64>> {
    match difference {
        Difference::Always | Difference::Never | Difference::Relation(_) => vec![Vec::new()],
        Difference::All(parts) | Difference::Any(parts) => {
            let mut res = vec![Vec::new()];
            for part in parts {
                let own = choices(part, env, limit);
                let both = res.iter().flat_map(|first| own.iter().map(|then| [&first[..], then].concat()));
                res = both.take(limit).collect();
            }
            res
        }
        Difference::Not(of) => choices(of, env, limit),
        Difference::Enumerate(Enumerate { branches: Branches::Cover { on, cover } }) => {
            let Some(Value::Text(text)) = env.eval(on).map(|it| it.into_owned()) else { return Vec::new() };
            cover.leaves_of(&text).into_iter().take(limit).map(|it| vec![it]).collect()
        }
        Difference::Enumerate(Enumerate { branches: Branches::Listed(branches) }) => {
            let counts: Vec<usize> = differs(branches).map(enumerates).collect();
            let below: usize = counts.iter().sum();
            let mut res = Vec::new();
            let mut before = 0;
            for (i, branch) in branches.iter().enumerate() {
                let missing = limit - res.len();
                if missing > 0 && env.holds(&branch.requires) {
                    for own in choices(&branch.differ, env, missing) {
                        let mut choices = vec![NO_CHOICE; 1 + below];
                        choices[0] = i as u64;
                        choices[1 + before..][..own.len()].copy_from_slice(&own);
                        res.push(choices);
                    }
                }
                before += counts[i];
            }
            res
        }
    }
}
