//! A pattern: its text, its structure, and what is made of it when it is needed.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::atomic::{self, AtomicU32};
use std::sync::{Arc, OnceLock};

use super::draw::DrawMethod;
use super::language::Language;
use super::nfa::Nfa;
use super::node::{Class, ClassOrigin, Node};
use super::{RegexError, look, nfa, parse};

/// A pattern in the syntax of the `regex` crate. Equal patterns have equal texts. Cheap to clone.
///
/// ```
/// use probity_regex::Regex;
/// let time = Regex::new(r"^(1[0-2]|[1-9]):[0-5]\d\b\s?(AM|PM)$")?;
/// assert!(time.is_match("12:59 PM") && !time.is_match("12:59PM"), "a word boundary before the space");
/// assert!(!time.is_match("at 9:30 AM"), "texts are matched as a whole");
/// let err = Regex::new(r"(a+)b\1").unwrap_err();
/// assert_eq!(err.column, 6);
/// # Ok::<(), probity_regex::RegexError>(())
/// ```
#[derive(Clone)]
pub struct Regex(Arc<PatternData>);

struct PatternData {
    pattern: Box<str>,
    node: Node,
    settled: OnceLock<Node>,
    nfa: OnceLock<Result<Arc<Nfa>, String>>,
    language: OnceLock<Result<Arc<Language>, String>>,
    draws: OnceLock<Result<DrawMethod, String>>,
    /// How many texts were matched without an automaton.
    matched: AtomicU32,
}

/// This many texts are matched step by step before a deterministic automaton is built for the pattern.
const MATCHED_MAX: u32 = 64;

/// One level of the structure of a regex: see [`Regex::shape`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RegexShape {
    /// The empty text.
    Empty,
    /// That text.
    Literal(String),
    /// Any character (but for a line's end, unless a flag permits it): `.`.
    AnyChar,
    /// One character of a class, with the parts that it was written with if there are several: `[a-z]` and `[_]` of
    /// `[a-z_]`.
    CharClass(Vec<Regex>),
    /// One of them.
    Union(Vec<Regex>),
    /// One after the other.
    Concat(Vec<Regex>),
    /// Once or more.
    Plus(Regex),
    /// Any number of times.
    Star(Regex),
    /// Once or not at all.
    Optional(Regex),
    /// Between this and this many times, or without end.
    Repeat(Regex, u32, Option<u32>),
    /// An anchor or a word boundary.
    Look,
}

impl Regex {
    /// Reads a pattern.
    ///
    /// ```
    /// use probity_regex::Regex;
    /// let err = Regex::new("a(?=b)").unwrap_err();
    /// assert_eq!(
    ///     err.to_string(),
    ///     "look-ahead `(?=…)` is not supported; require a second pattern to match instead (at character 2)",
    /// );
    /// ```
    pub fn new(pattern: &str) -> Result<Regex, RegexError> {
        let node = parse::parse(pattern)?;
        nfa::check_size(&node).map_err(|message| RegexError { message, column: 1 })?;
        Ok(Regex::with(pattern.into(), node))
    }

    fn with(pattern: Box<str>, node: Node) -> Regex {
        Regex(Arc::new(PatternData {
            pattern,
            node,
            settled: OnceLock::new(),
            nfa: OnceLock::new(),
            language: OnceLock::new(),
            draws: OnceLock::new(),
            matched: AtomicU32::new(0),
        }))
    }

    pub(super) fn of(node: Node) -> Regex {
        Regex::with(node.pattern().into(), node)
    }

    pub(super) fn node(&self) -> &Node {
        &self.0.node
    }

    /// The structure without the assertions that always hold, or never.
    #[doc(hidden)]
    pub fn settled(&self) -> &Node {
        self.0.settled.get_or_init(|| look::settle(&self.0.node))
    }

    /// How its texts are drawn, found by `way` the first time.
    pub(super) fn draws(&self, way: fn(&Regex) -> Result<DrawMethod, String>) -> Result<DrawMethod, String> {
        self.0.draws.get_or_init(|| way(self)).clone()
    }

    fn nfa(&self) -> &Result<Arc<Nfa>, String> {
        self.0.nfa.get_or_init(|| Nfa::new(self.settled()).map(Arc::new))
    }

    /// The pattern that only `text` matches.
    ///
    /// ```
    /// use probity_regex::Regex;
    /// assert_eq!(Regex::literal("1+1").pattern(), r"1\+1");
    /// ```
    pub fn literal(text: &str) -> Regex {
        Regex::of(Node::literal(text))
    }

    /// One after the other.
    ///
    /// ```
    /// use probity_regex::Regex;
    /// let colon = Regex::literal(":");
    /// let hour = Regex::new("0|1")?;
    /// assert_eq!(Regex::concat(&[hour.clone(), colon, hour]).pattern(), "(?:0|1):(?:0|1)");
    /// # Ok::<(), probity_regex::RegexError>(())
    /// ```
    pub fn concat(parts: &[Regex]) -> Regex {
        Regex::of(Node::concat(parts.iter().map(|it| it.node().clone()).collect()))
    }

    /// One of them; nothing matches the union of none.
    pub fn union(parts: &[Regex]) -> Regex {
        Regex::of(Node::union(parts.iter().map(|it| it.node().clone()).collect()))
    }

    /// Once or not at all.
    #[must_use]
    pub fn optional(&self) -> Regex {
        self.repeat(0, Some(1))
    }

    /// Once or more.
    #[must_use]
    pub fn plus(&self) -> Regex {
        self.repeat(1, None)
    }

    /// Any number of times.
    #[must_use]
    pub fn star(&self) -> Regex {
        self.repeat(0, None)
    }

    /// Between `min` and `max` times, or without end; nothing matches where `max` is less than `min`.
    ///
    /// ```
    /// use probity_regex::Regex;
    /// assert_eq!(Regex::new("ab")?.repeat(2, Some(3)).pattern(), "(?:ab){2,3}");
    /// # Ok::<(), probity_regex::RegexError>(())
    /// ```
    #[must_use]
    pub fn repeat(&self, min: u32, max: Option<u32>) -> Regex {
        if max.is_some_and(|max| max < min) {
            return Regex::of(Node::nothing());
        }
        Regex::of(Node::repeat(self.node().clone(), min, max))
    }

    /// The text of the pattern.
    pub fn pattern(&self) -> &str {
        &self.0.pattern
    }

    /// Whether there is an anchor or a word boundary in it.
    ///
    /// ```
    /// use probity_regex::Regex;
    /// assert!(Regex::new(r"a\b")?.has_looks() && !Regex::new(r"a\s")?.has_looks());
    /// # Ok::<(), probity_regex::RegexError>(())
    /// ```
    pub fn has_looks(&self) -> bool {
        self.node().has_looks()
    }

    /// One level of its structure, for code that goes through it.
    ///
    /// ```
    /// use probity_regex::{Regex, RegexShape};
    /// let user = Regex::new("[a-z_]+")?;
    /// let RegexShape::Plus(class) = user.shape() else { panic!() };
    /// let RegexShape::CharClass(parts) = class.shape() else { panic!() };
    /// assert_eq!(parts.iter().map(Regex::pattern).collect::<Vec<_>>(), ["[a-z]", "[_]"]);
    /// # Ok::<(), probity_regex::RegexError>(())
    /// ```
    pub fn shape(&self) -> RegexShape {
        let of = |it: &Node| Regex::of(it.clone());
        let class_of = |it: &Arc<Class>| Regex::of(Node::Class(it.clone()));
        match self.node() {
            Node::Empty => RegexShape::Empty,
            Node::Literal(text) => RegexShape::Literal(text.to_string()),
            Node::Class(class) if class.origin == ClassOrigin::Dot => RegexShape::AnyChar,
            Node::Class(class) => RegexShape::CharClass(class.parts.iter().map(class_of).collect()),
            Node::Look(_) => RegexShape::Look,
            Node::Concat(parts) => RegexShape::Concat(parts.iter().map(of).collect()),
            Node::Union(parts) => RegexShape::Union(parts.iter().map(of).collect()),
            Node::Repeat(repeat) => {
                let inner = of(&repeat.node);
                match (repeat.min, repeat.max) {
                    (0, None) => RegexShape::Star(inner),
                    (1, None) => RegexShape::Plus(inner),
                    (0, Some(1)) => RegexShape::Optional(inner),
                    (min, max) => RegexShape::Repeat(inner, min, max),
                }
            }
        }
    }

    /// Whether the pattern matches the text as a whole: as the `regex` crate's `^(?:…)$`.
    pub fn is_match(&self, text: &str) -> bool {
        if let Some(Ok(language)) = self.0.language.get() {
            return language.contains(text);
        }
        // Only how fast it is depends on the counter, never the answer.
        if self.0.matched.fetch_add(1, atomic::Ordering::Relaxed) >= MATCHED_MAX
            && self.0.language.get().is_none()
            && let Ok(language) = self.language()
        {
            return language.contains(text);
        }
        match self.nfa() {
            Ok(nfa) => nfa.is_match(text),
            // Combined from parts and too large to be built: nothing can be said of it.
            Err(_) => false,
        }
    }

    /// All texts that match, as an automaton; an error where it is too large to be built.
    pub fn language(&self) -> Result<Arc<Language>, String> {
        let make = || self.language_within(nfa::STEPS_MAX).map(Arc::new);
        self.0.language.get_or_init(make).clone()
    }

    /// The same, where that many steps find it.
    fn language_within(&self, steps: u64) -> Result<Language, String> {
        let nfa = self.nfa().as_ref().map_err(String::clone)?;
        nfa.language(steps).map_err(|it| format!("the pattern `{}` {it}", shortened(self.pattern())))
    }

    /// Whether it is known, after that many steps, that no text matches.
    pub(super) fn is_empty_within(&self, steps: u64) -> bool {
        self.settled().is_nothing()
            || self.settled().has_looks() && self.language_within(steps).is_ok_and(|it| it.is_empty())
    }

    /// An error where it was combined from others and has become too large for any use.
    ///
    /// ```
    /// use probity_regex::Regex;
    /// let many = Regex::new("a")?.repeat(0, Some(1000));
    /// assert!(many.check_size().is_ok() && many.repeat(0, Some(1000)).check_size().is_err());
    /// # Ok::<(), probity_regex::RegexError>(())
    /// ```
    pub fn check_size(&self) -> Result<(), String> {
        nfa::check_size(&self.0.node)
    }

    /// An error that says so where no text matches as a whole.
    ///
    /// ```
    /// use probity_regex::Regex;
    /// let err = Regex::new(r"foo\B")?.check_not_empty().unwrap_err();
    /// assert_eq!(err, r"no text matches `foo\B` as a whole; leave out the assertion that cannot hold");
    /// # Ok::<(), probity_regex::RegexError>(())
    /// ```
    pub fn check_not_empty(&self) -> Result<(), String> {
        let is_empty = self.settled().is_nothing()
            || self.settled().has_looks() && self.language().is_ok_and(|it| it.is_empty());
        if !is_empty {
            return Ok(());
        }
        let help = match self.node().has_looks() {
            true => "leave out the assertion that cannot hold",
            false => "one of its classes has no characters",
        };
        Err(format!("no text matches `{}` as a whole; {help}", shortened(self.pattern())))
    }
}

/// This many characters of a pattern are shown in an error.
const SHOWN_MAX: usize = 80;

fn shortened(pattern: &str) -> String {
    match pattern.char_indices().nth(SHOWN_MAX) {
        None => pattern.to_string(),
        Some((at, _)) => format!("{}…", &pattern[..at]),
    }
}

impl fmt::Debug for Regex {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "Regex({:?})", self.pattern())
    }
}

/// As the language writes it: `#rx"…"`.
impl fmt::Display for Regex {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "#rx{:?}", self.pattern())
    }
}

impl PartialEq for Regex {
    fn eq(&self, other: &Regex) -> bool {
        self.pattern() == other.pattern()
    }
}

impl Eq for Regex {}

impl PartialOrd for Regex {
    fn partial_cmp(&self, other: &Regex) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Regex {
    fn cmp(&self, other: &Regex) -> Ordering {
        self.pattern().cmp(other.pattern())
    }
}

impl Hash for Regex {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.pattern().hash(state);
    }
}
