//! The evaluator: what a term is worth in a concrete model. It is the oracle for plans and solvers.
//!
//! Logic is two-valued. A term that is undefined, or is no truth, counts as false wherever a truth is asked for:
//! as a requirement, below `and`, `or`, `not`, as the condition of `ite`, as the body of a quantifier. A
//! comparison or predicate of anything undefined is false. So `and`, `or`, `not` and predicates are never
//! undefined themselves; everything else is undefined when one of its arguments is, or is of the wrong kind.

mod admits;
mod edits;
mod ops;
mod request;

pub use admits::Violation;
pub(crate) use ops::float;

use std::borrow::Cow;

use crate::{Node, Op, Quantifier, Shape, Spec, Term, Value};

pub(crate) use edits::edits_at_least;

/// Terms nested deeper than this are undefined. A level takes up to 3 kB of stack in a debug build, and a thread has
/// 2 MB.
pub(crate) const TERM_DEPTH_MAX: usize = 400;

impl Term {
    /// What the term is worth where [`Term::it`] and [`Term::other`] have these values; none if it is undefined.
    ///
    /// The place of an enum's case among the others is known to [`eval_in`](Term::eval_in) only.
    ///
    /// ```
    /// use probity_spec::{Term, Value};
    /// let half = Term::it().quotient(Term::int(2));
    /// assert_eq!(half.eval(&Value::Int(7), None), Some(Value::Int(3)));
    /// assert_eq!(Term::int(1).quotient(Term::it()).eval(&Value::Int(0), None), None);
    /// ```
    pub fn eval(&self, it: &Value, other: Option<&Value>) -> Option<Value> {
        let env = LeafValues { it, other, spec: None, bound: None, depth: 0 };
        env.eval(self).map(Cow::into_owned)
    }

    /// The same where both are values of a spec.
    ///
    /// ```
    /// use probity_spec::{Op, Shape, Spec, Term, Value};
    /// let size = Spec::new(Shape::Enum(vec!["small".into(), "large".into()]));
    /// let place = Term::apply(Op::ToInt, [Term::it()]);
    /// assert_eq!(place.eval_in(&size, &Value::Case("large".into()), None), Some(Value::Int(1)));
    /// ```
    pub fn eval_in(&self, spec: &Spec, it: &Value, other: Option<&Value>) -> Option<Value> {
        let path = [spec];
        let env = LeafValues { it, other, spec: Some(&path), bound: None, depth: 0 };
        env.eval(self).map(Cow::into_owned)
    }
}

/// What the leaves of a term stand for.
#[derive(Clone, Copy)]
pub(crate) struct LeafValues<'a> {
    it: &'a Value,
    other: Option<&'a Value>,
    /// The spec of `it` after those that enclose it, outermost first.
    spec: Option<&'a [&'a Spec]>,
    bound: Option<&'a Bound<'a>>,
    depth: usize,
}

/// The element that a quantifier binds, below those of the quantifiers above it.
struct Bound<'a> {
    number: u32,
    element: &'a Value,
    /// The list that it is of.
    list: &'a Term,
    above: Option<&'a Bound<'a>>,
}

impl<'a> LeafValues<'a> {
    /// Where a value of the last spec of a path represents `it`.
    pub(crate) fn of(it: &'a Value, path: &'a [&'a Spec]) -> LeafValues<'a> {
        LeafValues { it, other: None, spec: Some(path), bound: None, depth: 0 }
    }

    /// Whether a term holds: it is defined and true.
    pub(crate) fn holds(&self, term: &'a Term) -> bool {
        matches!(self.eval(term).as_deref(), Some(Value::Bool(true)))
    }

    fn eval(mut self, term: &'a Term) -> Option<Cow<'a, Value>> {
        self.depth += 1;
        if self.depth > TERM_DEPTH_MAX {
            return None;
        }
        match term.node() {
            Node::It => Some(Cow::Borrowed(self.it)),
            Node::Other => self.other.map(Cow::Borrowed),
            Node::Bound(number) => self.bound(*number).map(|it| Cow::Borrowed(it.element)),
            Node::Const(value) => Some(Cow::Borrowed(value)),
            Node::Field(of, name) => project(self.eval(of)?, |it| it.field(name)),
            Node::As(of, name) => project(self.eval(of)?, |it| match it {
                Value::Union(case, content) if case == name => Some(&**content),
                _ => None,
            }),
            Node::Matches(of, regex) => {
                truth(matches!(self.eval(of).as_deref(), Some(Value::Text(it)) if regex.is_match(it)))
            }
            Node::Is(of, name) => {
                truth(matches!(self.eval(of).as_deref(), Some(Value::Union(it, _)) if it == name))
            }
            Node::Quantified(Quantifier::Each, number, list, body) => self.each(*number, list, body),
            Node::Quantified(kind, number, list, body) => truth(self.quantified(*kind, *number, list, body)),
            Node::Measure(of, name) => self.measure(of, name),
            Node::Apply(op, args) => self.apply(*op, args),
        }
    }

    /// What a measure of a value is worth: that of the value's spec.
    fn measure(&self, of: &'a Term, name: &str) -> Option<Cow<'a, Value>> {
        let mut path = self.path(of)?;
        resolve(&mut path)?;
        let body = &path.last()?.measures.iter().find(|it| &*it.0 == name)?.1;
        let value = self.eval(of)?;
        let env = LeafValues { it: &value, other: None, spec: Some(&path), bound: None, depth: self.depth };
        env.eval(body).map(|it| Cow::Owned(it.into_owned()))
    }

    fn bound(&self, number: u32) -> Option<&'a Bound<'a>> {
        std::iter::successors(self.bound, |it| it.above).find(|it| it.number == number)
    }

    fn quantified(&self, kind: Quantifier, number: u32, list: &'a Term, body: &'a Term) -> bool {
        let found = self.eval(list);
        let Some(Value::List(items)) = found.as_deref() else { return false };
        let holds = |element: &Value| {
            let bound = Bound { number, element, list, above: self.bound };
            LeafValues { bound: Some(&bound), ..*self }.holds(body)
        };
        match kind {
            Quantifier::Forall => items.iter().all(holds),
            Quantifier::Exists => items.iter().any(holds),
            Quantifier::Each => false,
        }
    }

    /// What a term is for each element of a list; none where it is undefined for one.
    fn each(&self, number: u32, list: &'a Term, body: &'a Term) -> Option<Cow<'a, Value>> {
        let found = self.eval(list)?;
        let Value::List(items) = &*found else { return None };
        let mut res = Vec::with_capacity(items.len());
        for element in items {
            let bound = Bound { number, element, list, above: self.bound };
            res.push(LeafValues { bound: Some(&bound), ..*self }.eval(body)?.into_owned());
        }
        Some(Cow::Owned(Value::List(res)))
    }

    fn apply(&self, op: Op, args: &'a [Term]) -> Option<Cow<'a, Value>> {
        match (op, args) {
            (Op::And | Op::Or, _) => truth(self.junction(op, args)),
            (Op::Not, [of]) => truth(!self.holds(of)),
            (Op::Ite, [condition, then, otherwise]) => {
                self.eval(if self.holds(condition) { then } else { otherwise })
            }
            (Op::Nth, [list, index]) => {
                let Value::Int(index) = *self.eval(index)? else { return None };
                let index = usize::try_from(index).ok()?;
                project(self.eval(list)?, |it| if let Value::List(it) = it { it.get(index) } else { None })
            }
            (Op::Unwrap, [of]) => {
                project(self.eval(of)?, |it| if let Value::Option(it) = it { it.as_deref() } else { None })
            }
            (Op::ToInt, [of]) => match &*self.eval(of)? {
                Value::Case(case) => self.place(of, case).map(|it| Cow::Owned(Value::Int(it))),
                value => ops::to_int(value).map(|it| Cow::Owned(Value::Int(it))),
            },
            _ => {
                let values: Option<Vec<_>> = args.iter().map(|it| self.eval(it)).collect();
                let Some(values) = values else {
                    return if ops::is_predicate(op) { truth(false) } else { None };
                };
                ops::apply(op, &values).map(Cow::Owned)
            }
        }
    }

    /// The truth of a conjunction or disjunction. Long ones are often built one by one, nested as deep as they are
    /// long, so the nested ones are taken apart here rather than by recursion.
    fn junction(&self, op: Op, args: &'a [Term]) -> bool {
        let stops_at = op == Op::Or;
        let mut rest: Vec<&Term> = args.iter().rev().collect();
        while let Some(term) = rest.pop() {
            match term.node() {
                Node::Apply(inner, args) if *inner == op => rest.extend(args.iter().rev()),
                _ if self.holds(term) == stops_at => return stops_at,
                _ => {}
            }
        }
        !stops_at
    }

    /// The place of a case among the cases of its enum, which is the spec of a term.
    fn place(&self, of: &'a Term, case: &str) -> Option<i128> {
        let mut path = self.path(of)?;
        resolve(&mut path)?;
        let Shape::Enum(cases) = &path.last()?.shape else { return None };
        cases.iter().position(|it| &**it == case).map(|it| it as i128)
    }

    /// The spec of a term's value after those that enclose it, where the term leads to a part of `it`.
    fn path(&self, term: &'a Term) -> Option<Vec<&'a Spec>> {
        let below = |of: &'a Term| {
            let mut path = self.path(of)?;
            resolve(&mut path)?;
            Some(path)
        };
        let (mut path, part) = match term.node() {
            Node::It | Node::Other => return self.spec.map(<[_]>::to_vec),
            Node::Apply(Op::Ite, args) => return self.path(args.get(1)?).or_else(|| self.path(args.get(2)?)),
            Node::Bound(number) => (below(self.bound(*number)?.list)?, None),
            Node::Field(of, name) | Node::As(of, name) => (below(of)?, Some(name)),
            Node::Apply(Op::Nth | Op::Unwrap, args) => (below(args.first()?)?, None),
            _ => return None,
        };
        let spec = match (&path.last()?.shape, part) {
            (Shape::Object(fields), Some(name)) => &fields.iter().find(|it| it.name == *name)?.spec,
            (Shape::Union(cases), Some(name)) => &cases.iter().find(|it| it.0 == *name)?.1,
            (Shape::List(of) | Shape::Option(of), None) => of,
            _ => return None,
        };
        path.push(spec);
        Some(path)
    }
}

/// Goes from a spec that names one that encloses it to that one; none if no such spec encloses it.
pub(crate) fn resolve(path: &mut Vec<&Spec>) -> Option<()> {
    while let Some(Shape::Named(name)) = path.last().map(|it| &it.shape) {
        path.pop();
        let found = path.iter().rposition(|it| it.name.as_ref() == Some(name))?;
        path.truncate(found + 1);
    }
    Some(())
}

fn truth<'a>(it: bool) -> Option<Cow<'a, Value>> {
    Some(Cow::Owned(Value::Bool(it)))
}

/// A part of a value, borrowed if the value is.
fn project<'a>(of: Cow<'a, Value>, part: impl Fn(&Value) -> Option<&Value>) -> Option<Cow<'a, Value>> {
    match of {
        Cow::Borrowed(of) => part(of).map(Cow::Borrowed),
        Cow::Owned(of) => part(&of).cloned().map(Cow::Owned),
    }
}
