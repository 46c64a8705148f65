//! What `different = ..` is made of.

use std::sync::Arc;

use super::{Constant, regex, spec_of, wrong};
use crate::regex::{Cover, Heuristics, Regex};
use crate::{
    Branch, Branches, Decimal, Difference, Enumerate, Node, Relation, RelationKind, Spec, Term, Value,
};

/// Numbers that far apart.
///
/// ```
/// use probity_spec::{Term, draw::rust};
/// assert_eq!(rust::distance(Term::it(), 10).to_string(), "(relation it (numeric-distance 10))");
/// ```
#[track_caller]
pub fn distance(on: Term, by: impl Constant) -> Difference {
    let by = match by.term().node() {
        Node::Const(Value::Int(it)) => Decimal::new(*it, 0),
        Node::Const(Value::Number(it)) => *it,
        Node::Const(Value::Duration(it)) => Decimal::new(it.seconds(), 0),
        other => wrong(format!("{other:?} is no distance; give a number")),
    };
    Difference::Relation(Relation { on, kind: RelationKind::Distance(by) })
}

/// Texts at least that many edits apart.
///
/// ```
/// use probity_spec::{Term, draw::rust};
/// assert_eq!(rust::edit_distance(Term::it(), 3).to_string(), "(relation it (edit-distance 3))");
/// ```
pub fn edit_distance(on: Term, by: u64) -> Difference {
    Difference::Relation(Relation { on, kind: RelationKind::EditDistance(by) })
}

/// Values of which a relation holds, in both orders.
///
/// ```
/// use probity_spec::{Term, draw::rust};
/// let ends = |a: Term, b: Term| a.modulo(Term::int(10)).eq(b.modulo(Term::int(10))).negate();
/// let shown = rust::relation(Term::it().field("x"), ends).to_string();
/// assert_eq!(shown, "(relation (. it x) (lambda (it other) (not (= (mod it 10) (mod other 10)))))");
/// ```
pub fn relation(on: Term, holds: impl FnOnce(Term, Term) -> Term) -> Difference {
    Difference::Relation(Relation { on, kind: RelationKind::Holds(holds(Term::it(), Term::other())) })
}

/// One input for each condition, or as many as the difference beside it allows.
///
/// ```
/// use probity_spec::{Difference, Term, draw::rust};
/// let is_empty = Term::it().len().eq(Term::int(0));
/// let both = [(is_empty.clone(), Difference::Never, "empty"), (is_empty.negate(), Difference::Always, "others")];
/// let shown = rust::enumerate(both).to_string();
/// assert_eq!(shown, "(enumerate* ((= (length it) 0) never) ((not (= (length it) 0)) always))");
/// ```
pub fn enumerate<const N: usize>(branches: [(Term, Difference, &str); N]) -> Difference {
    let branches = branches.into_iter();
    let branches =
        branches.map(|(requires, differ, label)| Branch { requires, differ, label: label.to_string() });
    Difference::Enumerate(Enumerate { branches: Branches::Listed(branches.collect()) })
}

/// One input for each leaf of the pattern that a blank matches.
///
/// ```
/// use probity_spec::{Shape, Spec, Term, draw::rust};
/// let blanks = Spec::object([("t", rust::pattern(Spec::new(Shape::Text), "AM|PM"))]);
/// let difference = rust::cover_regexp(&blanks, Term::it().field("t"));
/// assert!(difference.to_string().starts_with("(cover-regexp (. it t)"));
/// ```
#[track_caller]
pub fn cover_regexp(scope: &Spec, on: Term) -> Difference {
    let spec = spec_of(scope, &on);
    let found = spec.iter().flat_map(|it| &it.requires).find_map(|it| match it.node() {
        Node::Matches(of, regex) if *of.node() == Node::It => Some(regex.clone()),
        _ => None,
    });
    match found {
        Some(regex) => cover_of(on, &regex),
        None => wrong(format!("`{on}` has no pattern to cover; write `cover_regexp(.., \"..\")` with one")),
    }
}

/// One input for each leaf of a pattern.
///
/// ```
/// use probity_spec::{Term, draw::rust};
/// assert!(rust::cover_pattern(Term::it(), "AM|PM").to_string().starts_with("(cover-regexp it"));
/// ```
#[track_caller]
pub fn cover_pattern(on: Term, pattern: &str) -> Difference {
    cover_of(on, &regex(pattern))
}

fn cover_of(on: Term, regex: &Regex) -> Difference {
    let cover = Arc::new(Cover::new(regex, &Heuristics::default()));
    Difference::Enumerate(Enumerate { branches: Branches::Cover { on, cover } })
}

/// One input for each structure of a value: which options are there, which variant it is, how long its lists are.
///
/// ```
/// use probity_spec::{Shape, Spec, Term, draw::rust};
/// let blanks = Spec::object([("age", Spec::option(Spec::new(Shape::int(0, 150))))]);
/// let difference = rust::cover(&blanks, Term::it().field("age"));
/// assert!(difference.to_string().contains("((some? (. it age)) never)"));
/// ```
#[track_caller]
pub fn cover(scope: &Spec, on: Term) -> Difference {
    match spec_of(scope, &on) {
        Some(spec) => crate::cover::cover_json(&spec, on),
        None => wrong(format!("`{on}` is no part of the inputs; name a blank or a field of one")),
    }
}
