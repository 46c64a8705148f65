//! Difference: what makes two models count as two inputs.

use std::fmt;
use std::sync::Arc;

use crate::regex::Cover;
use crate::{Decimal, Term};

/// The relation that every pair of generated models has to be in.
///
/// Terms in it are over [`Term::it`], the model (an object of the outline's variables). Whatever a difference
/// says, two models also differ by the default: some variable has another value, or some [`Enumerate`] made
/// another choice. A request whose difference is `Never` has the default alone, as in the paper.
///
/// ```
/// use probity_spec::{Difference, Term};
/// assert_eq!(Difference::not_equal(Term::it().field("name")).to_string(), "(relation (. it name) not-equal)");
/// let lengths = Difference::different_lengths(Term::it().field("name"));
/// let apart = Difference::distance(Term::it().field("age"), 10);
/// assert_eq!(
///     Difference::Any(vec![lengths, apart]).to_string(),
///     "(some-of (relation (. it name) different-lengths) (relation (. it age) (numeric-distance 10)))",
/// );
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Difference {
    /// Any two models.
    Always,
    /// No two models: the identity of `Any`.
    Never,
    /// All of them: `all-of`.
    All(Vec<Difference>),
    /// At least one of them: `some-of`.
    Any(Vec<Difference>),
    /// The opposite. The choices that an `Enumerate` below makes are still made.
    Not(Box<Difference>),
    /// The values of a projection relate.
    Relation(Relation),
    /// Another choice, or the same and a difference within it.
    Enumerate(Enumerate),
}

/// A relation between the values that a term has in two models.
///
/// ```
/// use probity_spec::{Difference, Relation, RelationKind, Term};
/// let apart = Relation { on: Term::it().field("name"), kind: RelationKind::EditDistance(3) };
/// assert_eq!(Difference::Relation(apart).to_string(), "(relation (. it name) (edit-distance 3))");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Relation {
    /// The projection, a term over the model.
    pub on: Term,
    /// How the two values relate.
    pub kind: RelationKind,
}

/// How two values of a [`Relation`] relate. When the projection is undefined in either model, they do not.
#[derive(Clone, Debug, PartialEq)]
pub enum RelationKind {
    /// They are not equal.
    NotEqual,
    /// Texts or lists of different lengths.
    DifferentLengths,
    /// Numbers (or days, seconds) that far apart or further.
    Distance(Decimal),
    /// Texts at least that many edits apart.
    EditDistance(u64),
    /// A term over the two values, [`Term::it`] and [`Term::other`]. It need not be symmetric: a pair of models
    /// differs when the whole difference holds in both orders.
    Holds(Term),
}

/// A choice among assertions, made differently each time: `enumerate*`. A model *makes* one choice in it; two
/// models differ when they choose differently, or choose the same branch and differ as the branch says.
///
/// ```
/// use probity_spec::{Branch, Branches, Difference, Enumerate, Term};
/// // One negative number, and as many others as there are.
/// let (x, zero) = (Term::it().field("x"), Term::int(0));
/// let negative = Branch { requires: x.clone().lt(zero.clone()), differ: Difference::Never, label: "negative".into() };
/// let others = Branch { requires: zero.le(x.clone()), differ: Difference::not_equal(x), label: "others".into() };
/// let signs = Difference::Enumerate(Enumerate { branches: Branches::Listed(vec![negative, others]) });
/// assert_eq!(
///     signs.to_string(),
///     "(enumerate* ((< (. it x) 0) never) ((<= 0 (. it x)) (relation (. it x) not-equal)))",
/// );
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Enumerate {
    /// What can be chosen.
    pub branches: Branches,
}

/// What an [`Enumerate`] chooses from.
#[derive(Clone, Debug, PartialEq)]
pub enum Branches {
    /// Assertions, each with a difference for the models that choose it.
    Listed(Vec<Branch>),
    /// The leaves of a regex: `cover-regexp`. The text `on` matches the leaf's regex, and two models with one leaf
    /// do not differ. Kept as it is because it can have very many leaves.
    Cover {
        /// The text.
        on: Term,
        /// The leaves.
        cover: Arc<Cover>,
    },
}

/// One assertion of an [`Enumerate`].
#[derive(Clone, Debug, PartialEq)]
pub struct Branch {
    /// What models that choose it satisfy.
    pub requires: Term,
    /// What makes two of them different.
    pub differ: Difference,
    /// For people: what was chosen.
    pub label: String,
}

impl Difference {
    /// The values of a projection are not equal.
    pub fn not_equal(on: Term) -> Difference {
        Difference::Relation(Relation { on, kind: RelationKind::NotEqual })
    }

    /// The texts or lists have different lengths.
    pub fn different_lengths(on: Term) -> Difference {
        Difference::Relation(Relation { on, kind: RelationKind::DifferentLengths })
    }

    /// The numbers are that far apart.
    pub fn distance(on: Term, distance: i128) -> Difference {
        Difference::Relation(Relation { on, kind: RelationKind::Distance(Decimal::new(distance, 0)) })
    }

    /// One model for each assertion: `enumerate-linear`. For an example see
    /// [`Request::admits`](crate::Request::admits).
    pub fn enumerate_linear(asserts: impl IntoIterator<Item = Term>) -> Difference {
        let branch =
            |requires: Term| Branch { label: requires.to_string(), requires, differ: Difference::Never };
        let branches = Branches::Listed(asserts.into_iter().map(branch).collect());
        Difference::Enumerate(Enumerate { branches })
    }
}

/// A canonical text: equal differences, equal texts.
impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let list = |f: &mut fmt::Formatter, word: &str, parts: &[Difference]| {
            write!(f, "({word}")?;
            parts.iter().try_for_each(|it| write!(f, " {it}"))?;
            write!(f, ")")
        };
        match self {
            Difference::Always => write!(f, "always"),
            Difference::Never => write!(f, "never"),
            Difference::All(parts) => list(f, "all-of", parts),
            Difference::Any(parts) => list(f, "some-of", parts),
            Difference::Not(of) => write!(f, "(not {of})"),
            Difference::Relation(Relation { on, kind }) => match kind {
                RelationKind::NotEqual => write!(f, "(relation {on} not-equal)"),
                RelationKind::DifferentLengths => write!(f, "(relation {on} different-lengths)"),
                RelationKind::Distance(by) => write!(f, "(relation {on} (numeric-distance {by}))"),
                RelationKind::EditDistance(by) => write!(f, "(relation {on} (edit-distance {by}))"),
                RelationKind::Holds(term) => write!(f, "(relation {on} (lambda (it other) {term}))"),
            },
            Difference::Enumerate(Enumerate { branches: Branches::Listed(branches) }) => {
                write!(f, "(enumerate*")?;
                branches.iter().try_for_each(|it| write!(f, " ({} {})", it.requires, it.differ))?;
                write!(f, ")")
            }
            Difference::Enumerate(Enumerate { branches: Branches::Cover { on, cover } }) => {
                write!(f, "(cover-regexp {on} {cover})")
            }
        }
    }
}
