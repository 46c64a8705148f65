//! `cover-json`: the structure of a spec as choices.

use crate::{Branch, Branches, Difference, Enumerate, Node, Op, Shape, Spec, Term, Value};

/// Specs nested deeper than this are covered no further.
const DEPTH_MAX: usize = 16;

/// Structure as difference, all parts of it: see [`Structure`]. `on` is the value of the spec, a term over the
/// model.
///
/// ```
/// use probity_spec::{Shape, Spec, Term, cover_json};
/// let size = Spec::new(Shape::Enum(vec!["small".into(), "large".into()]));
/// let shown = cover_json(&size, Term::it().field("size")).to_string();
/// assert!(shown.contains("(enumerate* ((= (. it size) small) never) ((= (. it size) large) never))"), "{shown}");
/// ```
pub fn cover_json(spec: &Spec, on: Term) -> Difference {
    Structure::default().cover(spec, on)
}

/// Which parts of a structure make two values different. They have names in the language.
///
/// ```
/// use probity_spec::{Shape, Spec, Structure, Term};
/// let mut parts = Structure::none();
/// assert!(parts.set("presence", true));
/// assert!(!parts.set("presents", true), "there is no such part");
/// let maybe = Spec::option(Spec::new(Shape::Bool));
/// let shown = parts.cover(&maybe, Term::it()).to_string();
/// assert_eq!(shown, "(enumerate* ((not (some? it)) never) ((some? it) never))");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Structure {
    /// `presence`: whether an optional value is there.
    pub presence: bool,
    /// `cases`: which case of an enum it is.
    pub cases: bool,
    /// `lengths`: lists of 0, 1, 2 and more elements.
    pub lengths: bool,
    /// `alternatives`: which alternative of a union it is.
    pub alternatives: bool,
    /// `whitespace`: none, one or much between the tokens of the JSON text.
    pub whitespace: bool,
}

impl Default for Structure {
    fn default() -> Structure {
        Structure { presence: true, cases: true, lengths: true, alternatives: true, whitespace: true }
    }
}

impl Structure {
    /// Their names in the language.
    pub const NAMES: [&'static str; 5] = ["presence", "cases", "lengths", "alternatives", "whitespace"];

    /// All switched off.
    pub fn none() -> Structure {
        Structure { presence: false, cases: false, lengths: false, alternatives: false, whitespace: false }
    }

    /// Switches the one with that name; false where there is no such name.
    pub fn set(&mut self, name: &str, on: bool) -> bool {
        let part = match name {
            "presence" => &mut self.presence,
            "cases" => &mut self.cases,
            "lengths" => &mut self.lengths,
            "alternatives" => &mut self.alternatives,
            "whitespace" => &mut self.whitespace,
            _ => return false,
        };
        *part = on;
        true
    }

    /// These parts of the spec's structure as a difference of its value `on`. The label of a choice of white
    /// space is `whitespace none`, `whitespace one` or `whitespace many`; the writer of the models heeds it.
    pub fn cover(&self, spec: &Spec, on: Term) -> Difference {
        let mut parts = Vec::new();
        self.parts(spec, &on, DEPTH_MAX, &mut parts);
        if self.whitespace {
            let branch = |it: &str| branch(Term::always(), Vec::new(), format!("whitespace {it}"));
            parts.push(enumerate(["none", "one", "many"].map(branch).to_vec()));
        }
        any(parts)
    }

    fn parts(&self, spec: &Spec, on: &Term, depth: usize, res: &mut Vec<Difference>) {
        if depth == 0 {
            return;
        }
        let below = |spec: &Spec, on: &Term| {
            let mut parts = Vec::new();
            self.parts(spec, on, depth - 1, &mut parts);
            parts
        };
        let place = name(on);
        match &spec.shape {
            Shape::Object(fields) => {
                for field in fields {
                    self.parts(&field.spec, &on.clone().field(&field.name), depth - 1, res);
                }
            }
            Shape::Option(of) if self.presence => {
                let some = on.clone().is_some();
                let absent = branch(some.clone().negate(), Vec::new(), format!("{place} absent"));
                let present = branch(some, below(of, &on.clone().unwrap()), format!("{place} present"));
                res.push(enumerate(vec![absent, present]));
            }
            Shape::Enum(cases) if self.cases => {
                let one = |case: &crate::Name| {
                    let is = on.clone().eq(Term::constant(Value::Case(case.clone())));
                    branch(is, Vec::new(), format!("{place} {case}"))
                };
                res.push(enumerate(cases.iter().map(one).collect()));
            }
            Shape::List(_) if self.lengths => {
                let len = on.clone().len();
                let (min, max) = lengths(spec);
                let exact =
                    |n: i128| branch(len.clone().eq(Term::int(n)), Vec::new(), format!("{place} of {n}"));
                let fits = |n: &i128| *n >= min && max.is_none_or(|max| *n <= max);
                let mut branches: Vec<Branch> = (0..=2).filter(fits).map(exact).collect();
                if max.is_none_or(|it| it >= 3) {
                    branches.push(branch(Term::int(3).le(len), Vec::new(), format!("{place} of many")));
                }
                if !branches.is_empty() {
                    res.push(enumerate(branches));
                }
            }
            Shape::Union(cases) if self.alternatives => {
                let one = |(case, of): &(crate::Name, std::sync::Arc<Spec>)| {
                    let is = Term::new(Node::Is(on.clone(), case.clone()));
                    let content = Term::new(Node::As(on.clone(), case.clone()));
                    branch(is, below(of, &content), format!("{place} {case}"))
                };
                res.push(enumerate(cases.iter().map(one).collect()));
            }
            _ => {}
        }
    }
}

fn branch(requires: Term, parts: Vec<Difference>, label: String) -> Branch {
    Branch { requires, differ: any(parts), label }
}

fn enumerate(branches: Vec<Branch>) -> Difference {
    Difference::Enumerate(Enumerate { branches: Branches::Listed(branches) })
}

fn any(mut parts: Vec<Difference>) -> Difference {
    match parts.len() {
        0 => Difference::Never,
        1 => parts.remove(0),
        _ => Difference::Any(parts),
    }
}

/// What a place is called: its last field.
fn name(on: &Term) -> String {
    match on.node() {
        Node::Field(_, name) => name.to_string(),
        Node::Apply(Op::Unwrap, of) => name(&of[0]),
        Node::As(_, case) => case.to_string(),
        _ => "value".to_string(),
    }
}

/// The bounds that a list's own requirements put on its length.
fn lengths(spec: &Spec) -> (i128, Option<i128>) {
    let (mut min, mut max) = (0, None);
    let is_length = |it: &Term| *it == Term::it().len();
    let mut pending: Vec<&Term> = spec.requires.iter().collect();
    while let Some(term) = pending.pop() {
        let Node::Apply(op, args) = term.node() else { continue };
        let int = |at: usize| match args.get(at).map(Term::node) {
            Some(Node::Const(Value::Int(it))) => Some(*it),
            _ => None,
        };
        let mut at_most = |it: i128| max = Some(max.map_or(it, |old: i128| old.min(it)));
        match (op, args.iter().position(is_length)) {
            (Op::And, _) => pending.extend(args),
            (Op::Le, Some(0)) => int(1).into_iter().for_each(at_most),
            (Op::Lt, Some(0)) => int(1).into_iter().for_each(|it| at_most(it.saturating_sub(1))),
            (Op::Le, Some(_)) => min = int(0).map_or(min, |it| min.max(it)),
            (Op::Lt, Some(_)) => min = int(0).map_or(min, |it| min.max(it.saturating_add(1))),
            (Op::Eq, Some(at)) => {
                if let Some(it) = int(1 - at) {
                    min = min.max(it);
                    at_most(it);
                }
            }
            _ => {}
        }
    }
    (min, max)
}
