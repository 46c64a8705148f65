//! Sorts: what kind of value a term has, and which terms make no sense. A requirement that is always undefined is always
//! false, and silently so; anyone who writes one by a macro is told instead.

use crate::eval::resolve;
use crate::{Node, Op, Shape, Spec, Term, Value};

/// What kind of value a term has.
#[derive(Clone, Debug)]
pub(crate) enum TermSort<'a> {
    Bool,
    Int,
    Number,
    Text,
    Date,
    Time,
    DateTime,
    Float,
    Duration,
    /// An enum's case that stands alone.
    Case(&'a str),
    /// A list of terms, of which the first has this sort.
    Terms(Option<Box<TermSort<'a>>>),
    /// A part of the model: an enum, an option, a list, an object, a union, a row. The last of a path of specs.
    Part(Vec<&'a Spec>),
    /// Anything: an attribute of a row, say.
    Any,
}

impl Term {
    /// Whether the term is a truth where its value is one of a spec; the error says which part of it makes no sense.
    ///
    /// ```
    /// use probity_spec::{Shape, Spec, Term};
    /// let spec = Spec::object([("name", Spec::new(Shape::Text))]);
    /// let name = Term::it().field("name");
    /// assert!(name.clone().len().le(Term::int(3)).is_truth_in(&spec).is_ok());
    /// let err = name.le(Term::int(3)).is_truth_in(&spec).unwrap_err();
    /// assert_eq!(err, "`(<= (. it name) 3)` compares a text with a whole number");
    /// assert!(Term::it().field("nmae").is_some().is_truth_in(&spec).unwrap_err().contains("no field `nmae`"));
    /// ```
    pub fn is_truth_in(&self, spec: &Spec) -> Result<(), String> {
        self.is_truth_below(&[spec])
    }

    /// The same where other specs enclose that of the value, outermost first.
    pub(crate) fn is_truth_below(&self, path: &[&Spec]) -> Result<(), String> {
        let scope = SortScope { path, bound: None };
        match scope.sort(self)? {
            TermSort::Bool | TermSort::Any => Ok(()),
            other => Err(format!("`{self}` is {}, where a truth is required", other.words())),
        }
    }
}

impl Spec {
    /// Whether all requirements are truths, its own and those of its parts; the error says which part of one makes no sense.
    ///
    /// ```
    /// use probity_spec::{Shape, Spec, Term};
    /// let spec = Spec::new(Shape::Text);
    /// assert!(spec.clone().require(Term::it().len().lt(Term::int(9))).has_sorts().is_ok());
    /// assert!(spec.require(Term::it().abs().lt(Term::int(9))).has_sorts().is_err());
    /// ```
    pub fn has_sorts(&self) -> Result<(), String> {
        has_sorts(&mut vec![self])
    }
}

/// Specs that nest deeper than this are not looked into; nor are they drawn.
const DEPTH_MAX: usize = 128;

fn has_sorts(path: &mut Vec<&Spec>) -> Result<(), String> {
    let Some(spec) = path.last().copied().filter(|_| path.len() <= DEPTH_MAX) else { return Ok(()) };
    spec.requires.iter().try_for_each(|it| it.is_truth_below(path))?;
    let parts: Vec<&Spec> = match &spec.shape {
        Shape::Option(of) | Shape::List(of) => vec![of],
        Shape::Object(fields) => fields.iter().map(|it| &*it.spec).collect(),
        Shape::Union(cases) => cases.iter().map(|it| &*it.1).collect(),
        _ => Vec::new(),
    };
    for part in parts {
        path.push(part);
        has_sorts(path)?;
        path.pop();
    }
    Ok(())
}

struct SortScope<'a, 'b> {
    path: &'b [&'a Spec],
    bound: Option<&'b BoundSort<'a, 'b>>,
}

/// The sort of the element that a quantifier binds.
struct BoundSort<'a, 'b> {
    number: u32,
    sort: TermSort<'a>,
    above: Option<&'b BoundSort<'a, 'b>>,
}

type Sorted<'a> = Result<TermSort<'a>, String>;

impl<'a> TermSort<'a> {
    /// The sort of a spec at the end of a path, which is resolved first.
    fn of(mut path: Vec<&'a Spec>) -> Sorted<'a> {
        let named = path.last().map(|it| it.shape.clone());
        // A spec that is looked at by itself may be named within one that is not there.
        if resolve(&mut path).is_none() {
            return match named {
                Some(Shape::Named(_)) => Ok(TermSort::Any),
                _ => Err("it has no spec".to_string()),
            };
        }
        let Some(spec) = path.last() else { return Ok(TermSort::Any) };
        Ok(match &spec.shape {
            Shape::Bool => TermSort::Bool,
            Shape::Int { .. } => TermSort::Int,
            Shape::Number { .. } => TermSort::Number,
            Shape::Text => TermSort::Text,
            Shape::Date => TermSort::Date,
            Shape::Time => TermSort::Time,
            Shape::DateTime => TermSort::DateTime,
            Shape::Float => TermSort::Float,
            Shape::Duration => TermSort::Duration,
            _ => TermSort::Part(path),
        })
    }

    fn of_value(value: &'a Value) -> TermSort<'a> {
        match value {
            Value::Bool(_) => TermSort::Bool,
            Value::Int(_) => TermSort::Int,
            Value::Number(_) => TermSort::Number,
            Value::Text(_) => TermSort::Text,
            Value::Date(_) => TermSort::Date,
            Value::Time(_) => TermSort::Time,
            Value::DateTime(_) => TermSort::DateTime,
            Value::Float(_) => TermSort::Float,
            Value::Duration(_) => TermSort::Duration,
            Value::Case(name) => TermSort::Case(name),
            _ => TermSort::Any,
        }
    }

    fn shape(&self) -> Option<&'a Shape> {
        match self {
            TermSort::Part(path) => path.last().map(|it| &it.shape),
            _ => None,
        }
    }

    /// The sort of the items of a list or of what is in an option.
    fn inner(&self) -> Option<Sorted<'a>> {
        let TermSort::Part(path) = self else { return None };
        match &path.last()?.shape {
            Shape::List(of) | Shape::Option(of) => Some(TermSort::of([&path[..], &[&**of]].concat())),
            _ => None,
        }
    }

    fn words(&self) -> String {
        match self {
            TermSort::Bool => "a truth",
            TermSort::Int => "a whole number",
            TermSort::Number => "a decimal",
            TermSort::Text => "a text",
            TermSort::Date => "a date",
            TermSort::Time => "a time",
            TermSort::DateTime => "a date with a time",
            TermSort::Float => "a float",
            TermSort::Duration => "a duration",
            TermSort::Case(name) => return format!("the variant `{name}`"),
            TermSort::Terms(_) => "a list",
            TermSort::Any => "something",
            TermSort::Part(_) => match self.shape() {
                Some(Shape::Option(_)) => "an option",
                Some(Shape::List(_)) => "a list",
                Some(Shape::Enum(_) | Shape::Union(_)) => "an enum",
                Some(Shape::Table(_)) => "a row",
                _ => "an object",
            },
        }
        .to_string()
    }

    fn is_number(&self) -> bool {
        matches!(self, TermSort::Int | TermSort::Number | TermSort::Float | TermSort::Any)
    }

    fn is_list(&self) -> bool {
        matches!(self, TermSort::Terms(_) | TermSort::Any) || matches!(self.shape(), Some(Shape::List(_)))
    }

    /// Whether two values can be equal at all.
    fn meets(&self, other: &TermSort) -> bool {
        use TermSort::{
            Any, Bool, Case, Date, DateTime, Duration, Float, Int, Number, Part, Terms, Text, Time,
        };
        match (self, other) {
            (Any, _) | (_, Any) => true,
            (Int | Number | Float, Int | Number | Float) => true,
            (Bool, Bool) | (Text, Text) | (Date, Date) | (Time, Time) | (DateTime, DateTime) => true,
            (Duration, Duration) | (Case(_), Case(_)) => true,
            (Part(_), Case(name)) | (Case(name), Part(_)) => {
                let part = if matches!(self, Part(_)) { self } else { other };
                matches!(part.shape(), Some(Shape::Enum(cases)) if cases.iter().any(|it| **it == **name))
            }
            (Terms(_), _) | (_, Terms(_)) => self.is_list() && other.is_list(),
            // A row represents its key.
            (Part(_), Part(_)) => {
                let kind = |it: &TermSort| it.shape().map(std::mem::discriminant);
                kind(self) == kind(other)
            }
            (Part(_), _) | (_, Part(_)) => {
                let is_row = |it: &TermSort| matches!(it.shape(), Some(Shape::Table(_)));
                is_row(self) || is_row(other)
            }
            _ => false,
        }
    }
}

impl<'a> SortScope<'a, '_> {
    fn sort(&self, term: &'a Term) -> Sorted<'a> {
        match term.node() {
            Node::It | Node::Other => TermSort::of(self.path.to_vec()),
            Node::Bound(number) => {
                let found = std::iter::successors(self.bound, |it| it.above).find(|it| it.number == *number);
                Ok(found.map_or(TermSort::Any, |it| it.sort.clone()))
            }
            Node::Const(value) => Ok(TermSort::of_value(value)),
            Node::Field(of, name) => self.part(term, of, name),
            Node::As(of, name) | Node::Is(of, name) => {
                let sort = self.sort(of)?;
                let TermSort::Part(path) = &sort else {
                    return if matches!(sort, TermSort::Any) {
                        Ok(TermSort::Any)
                    } else {
                        Err(no_variants(of, &sort))
                    };
                };
                let Some(Shape::Union(cases)) = sort.shape() else { return Err(no_variants(of, &sort)) };
                let Some(case) = cases.iter().find(|it| it.0 == *name) else {
                    let names: Vec<String> = cases.iter().map(|it| format!("`{}`", it.0)).collect();
                    return Err(format!("`{of}` has no variant `{name}`; it has {}", names.join(", ")));
                };
                match term.node() {
                    Node::Is(..) => Ok(TermSort::Bool),
                    _ => TermSort::of([&path[..], &[&*case.1]].concat()),
                }
            }
            Node::Matches(of, _) => match self.sort(of)? {
                TermSort::Text | TermSort::Any => Ok(TermSort::Bool),
                other => Err(format!("`{of}` is {}, and only a text matches a pattern", other.words())),
            },
            Node::Measure(of, name) => {
                let sort = self.sort(of)?;
                let TermSort::Part(path) = &sort else {
                    let is_any = matches!(sort, TermSort::Any);
                    return if is_any { Ok(TermSort::Any) } else { Err(no_measure(of, name)) };
                };
                let found = path.last().and_then(|spec| spec.measures.iter().find(|it| it.0 == *name));
                let Some((_, body)) = found else { return Err(no_measure(of, name)) };
                // Its sort is that of the first branch, which is not recursive where the measure ever ends.
                SortScope { path, bound: None }.first_branch(body)
            }
            Node::Quantified(kind, number, list, body) => {
                let sort = self.sort(list)?;
                if !sort.is_list() {
                    return Err(format!("`{list}` is {}, and has no items", sort.words()));
                }
                let item = match (&sort, sort.inner()) {
                    (_, Some(inner)) => inner?,
                    (TermSort::Terms(Some(first)), _) => (**first).clone(),
                    _ => TermSort::Any,
                };
                let bound = BoundSort { number: *number, sort: item, above: self.bound };
                let scope = SortScope { path: self.path, bound: Some(&bound) };
                if *kind == crate::Quantifier::Each {
                    return Ok(TermSort::Terms(Some(Box::new(scope.sort(body)?))));
                }
                scope.truth(body)?;
                Ok(TermSort::Bool)
            }
            Node::Apply(op, args) => self.apply(term, *op, args),
        }
    }

    fn part(&self, term: &Term, of: &'a Term, name: &str) -> Sorted<'a> {
        let sort = self.sort(of)?;
        let TermSort::Part(path) = &sort else {
            return match sort {
                TermSort::Any => Ok(TermSort::Any),
                other => Err(format!("`{of}` is {}, and has no field `{name}`", other.words())),
            };
        };
        match sort.shape() {
            Some(Shape::Object(fields)) => match fields.iter().find(|it| &*it.name == name) {
                Some(field) => TermSort::of([&path[..], &[&*field.spec]].concat()),
                None => {
                    let names: Vec<String> = fields.iter().map(|it| format!("`{}`", it.name)).collect();
                    Err(format!("`{of}` has no field `{name}`; it has {}", names.join(", ")))
                }
            },
            Some(Shape::Table(table)) if table.columns.iter().any(|it| &**it == name) => Ok(TermSort::Any),
            _ => Err(format!("`{term}` is a field of {}, which has none", sort.words())),
        }
    }

    /// The sort of a measure's body, told by a branch that calls no measure.
    fn first_branch(&self, body: &'a Term) -> Sorted<'a> {
        let calls = |it: &Term| matches!(it.node(), Node::Measure(..));
        match body.node() {
            Node::Apply(Op::Ite, args) => match self.first_branch(&args[1])? {
                TermSort::Any => self.first_branch(&args[2]),
                found => Ok(found),
            },
            // What is nowhere defined represents variants that there are not.
            Node::Apply(Op::Nth, _) => Ok(TermSort::Any),
            _ if body.mentions(&calls) => Ok(TermSort::Any),
            _ => self.sort(body),
        }
    }

    fn truth(&self, term: &'a Term) -> Result<(), String> {
        match self.sort(term)? {
            TermSort::Bool | TermSort::Any => Ok(()),
            other => Err(format!("`{term}` is {}, where a truth is required", other.words())),
        }
    }

    fn apply(&self, term: &'a Term, op: Op, args: &'a [Term]) -> Sorted<'a> {
        if let Op::And | Op::Or | Op::Not = op {
            args.iter().try_for_each(|it| self.truth(it))?;
            return Ok(TermSort::Bool);
        }
        if op == Op::Ite {
            self.truth(&args[0])?;
            let (a, b) = (self.sort(&args[1])?, self.sort(&args[2])?);
            if !a.meets(&b) {
                return Err(format!("the branches of `{term}` are {} and {}", a.words(), b.words()));
            }
            return Ok(if matches!(a, TermSort::Any) { b } else { a });
        }
        let sorts = args.iter().map(|it| self.sort(it)).collect::<Result<Vec<_>, _>>()?;
        let no = |what: &str| {
            let of: Vec<String> = sorts.iter().map(TermSort::words).collect();
            Err(format!("`{term}` {what} {}", of.join(" with ")))
        };
        let is_any = |it: &TermSort| matches!(it, TermSort::Any);
        let all = |holds: &dyn Fn(&TermSort) -> bool| sorts.iter().all(|it| is_any(it) || holds(it));
        match op {
            Op::Eq if sorts[0].meets(&sorts[1]) => Ok(TermSort::Bool),
            Op::Eq => no("compares"),
            Op::Lt | Op::Le => {
                let has_order = |it: &TermSort| {
                    !matches!(it, TermSort::Bool | TermSort::Case(_) | TermSort::Terms(_) | TermSort::Part(_))
                };
                if all(&has_order) && sorts[0].meets(&sorts[1]) { Ok(TermSort::Bool) } else { no("compares") }
            }
            Op::Add | Op::Sub | Op::Mul => arithmetic(op, &sorts).map_or_else(|| no("computes"), Ok),
            Op::Div | Op::Mod if all(&|it| matches!(it, TermSort::Int)) => Ok(TermSort::Int),
            Op::Div | Op::Mod
                if all(&|it| it.is_number()) && sorts.iter().any(|it| matches!(it, TermSort::Float)) =>
            {
                Ok(TermSort::Float)
            }
            Op::Div | Op::Mod => no("divides"),
            Op::Neg | Op::Abs if all(&|it| it.is_number() || matches!(it, TermSort::Duration)) => {
                Ok(sorts[0].clone())
            }
            Op::Neg | Op::Abs => no("computes"),
            Op::Len if all(&|it| matches!(it, TermSort::Text) || it.is_list()) => Ok(TermSort::Int),
            Op::Len => no("takes the length of"),
            Op::Concat | Op::StartsWith | Op::EndsWith | Op::Contains | Op::IndexOf | Op::EditDistance => {
                if !all(&|it| matches!(it, TermSort::Text)) {
                    return no("is about texts, and is given");
                }
                Ok(match op {
                    Op::Concat => TermSort::Text,
                    Op::IndexOf | Op::EditDistance => TermSort::Int,
                    _ => TermSort::Bool,
                })
            }
            Op::Substr => Ok(TermSort::Text),
            Op::Nth | Op::Sum | Op::Greatest | Op::Least | Op::Sorted | Op::Distinct
                if !sorts[0].is_list() =>
            {
                no("takes a list, and is given")
            }
            Op::Nth | Op::Sum | Op::Greatest | Op::Least => match (&sorts[0], sorts[0].inner()) {
                (_, Some(inner)) => inner,
                (TermSort::Terms(Some(first)), _) => Ok((**first).clone()),
                _ => Ok(TermSort::Any),
            },
            Op::Sorted | Op::Distinct => Ok(TermSort::Bool),
            Op::In if sorts[1].is_list() => match sorts[1].inner() {
                Some(inner) if !inner.as_ref().is_ok_and(|it| it.meets(&sorts[0])) => no("looks for"),
                _ => Ok(TermSort::Bool),
            },
            Op::In => no("takes a list, and is given"),
            Op::IsSome | Op::Unwrap => match (&sorts[0], sorts[0].shape(), sorts[0].inner()) {
                (TermSort::Any, ..) => Ok(if op == Op::IsSome { TermSort::Bool } else { TermSort::Any }),
                (_, Some(Shape::Option(_)), Some(inner)) => {
                    if op == Op::IsSome {
                        Ok(TermSort::Bool)
                    } else {
                        inner
                    }
                }
                _ => no("takes an option, and is given"),
            },
            Op::Year | Op::Month | Op::Day | Op::Weekday
                if all(&|it| matches!(it, TermSort::Date | TermSort::DateTime)) =>
            {
                Ok(TermSort::Int)
            }
            Op::DateOf if all(&|it| matches!(it, TermSort::DateTime)) => Ok(TermSort::Date),
            Op::TimeOf if all(&|it| matches!(it, TermSort::DateTime)) => Ok(TermSort::Time),
            Op::Year | Op::Month | Op::Day | Op::Weekday | Op::DateOf | Op::TimeOf => {
                no("takes a date, and is given")
            }
            Op::ToInt => Ok(TermSort::Int),
            Op::ToFloat if all(&|it| it.is_number()) => Ok(TermSort::Float),
            Op::ToFloat => no("computes"),
            Op::List => Ok(TermSort::Terms(sorts.into_iter().next().map(Box::new))),
            Op::And | Op::Or | Op::Not | Op::Ite => Ok(TermSort::Bool),
        }
    }
}

fn no_measure(of: &Term, name: &str) -> String {
    format!("`{of}` has no measure `{name}`; write it in an `impl` below `#[probity::measures]`")
}

fn no_variants(of: &Term, sort: &TermSort) -> String {
    format!("`{of}` is {}, and has no variants with fields", sort.words())
}

/// What a sum, a difference or a product is; none where there is none.
fn arithmetic<'a>(op: Op, sorts: &[TermSort<'a>]) -> Option<TermSort<'a>> {
    use TermSort::{Any, Date, DateTime, Duration, Float, Int, Number, Time};
    let mut sum = sorts.first()?.clone();
    for next in &sorts[1..] {
        sum = match (op, &sum, next) {
            (_, Any, _) | (_, _, Any) => Any,
            (_, Int, Int) => Int,
            (_, Int | Number, Int | Number) => Number,
            (_, Int | Number | Float, Int | Number | Float) => Float,
            (Op::Add | Op::Sub, Duration, Duration) => Duration,
            (Op::Add | Op::Sub, Date | Time | DateTime, Duration) => sum,
            (Op::Add, Duration, Date | Time | DateTime) => next.clone(),
            (Op::Sub, Date, Date) | (Op::Sub, Time, Time) | (Op::Sub, DateTime, DateTime) => Duration,
            (Op::Mul, Duration, Int) | (Op::Mul, Int, Duration) => Duration,
            _ => return None,
        };
    }
    Some(sum)
}
