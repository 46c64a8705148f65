//! The structure of a pattern as it was written, without groups and flags.
//!
//! Not the `regex` crate's own tree: that one joins `0|[1-2]|[3-9]` to one class and factors out common prefixes, and
//! how a pattern is written says what its author takes to be different.

use std::fmt::Write;
use std::sync::{Arc, OnceLock};

use regex_syntax::hir::Look;

use super::chars::{self, CharSet, Picker};
use super::look::{self, CharKinds};

/// A pattern's structure. Cheap to clone.
#[derive(Clone, Debug)]
pub enum Node {
    Empty,
    Literal(Arc<str>),
    Class(Arc<Class>),
    Look(Look),
    Concat(Arc<[Node]>),
    Union(Arc<[Node]>),
    Repeat(Arc<Repeat>),
}

/// See [`Node::Repeat`].
#[derive(Clone, Debug)]
pub struct Repeat {
    pub node: Node,
    pub min: u32,
    pub max: Option<u32>,
    has_looks: bool,
}

/// One character of a set; nothing where the set is empty.
#[derive(Debug)]
pub struct Class {
    pub set: CharSet,
    /// As it was written, with the flags that it needs.
    pub text: Box<str>,
    /// The parts it was written with, where there are several: `a-z`, `0-9`, `_`.
    pub parts: Vec<Arc<Class>>,
    pub origin: ClassOrigin,
    pub kinds: OnceLock<CharKinds>,
    picker: OnceLock<Picker>,
}

/// What a class was written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClassOrigin {
    Class,
    /// `.`
    Dot,
    /// A letter whose case does not matter.
    Letter,
}

impl Class {
    pub fn new(set: CharSet, text: &str, parts: Vec<Arc<Class>>, origin: ClassOrigin) -> Arc<Class> {
        let (kinds, picker) = (OnceLock::new(), OnceLock::new());
        Arc::new(Class { set, text: text.into(), parts, origin, kinds, picker })
    }

    pub fn picker(&self) -> &Picker {
        self.picker.get_or_init(|| Picker::new(&self.set))
    }
}

impl Node {
    /// Matches no text at all.
    pub fn nothing() -> Node {
        Node::Class(Class::new(CharSet::default(), r"[^\s\S]", Vec::new(), ClassOrigin::Class))
    }

    pub fn is_nothing(&self) -> bool {
        match self {
            Node::Class(class) => class.set.is_empty(),
            Node::Concat(parts) => parts.iter().any(Node::is_nothing),
            Node::Union(parts) => parts.iter().all(Node::is_nothing),
            Node::Repeat(repeat) => repeat.min > 0 && repeat.node.is_nothing(),
            _ => false,
        }
    }

    pub fn literal(text: &str) -> Node {
        if text.is_empty() { Node::Empty } else { Node::Literal(text.into()) }
    }

    /// One after the other; neighboring literals become one.
    pub fn concat(parts: Vec<Node>) -> Node {
        let mut res: Vec<Node> = Vec::with_capacity(parts.len());
        let mut run = String::new();
        for part in parts {
            join(&mut res, &mut run, &part);
        }
        flush(&mut res, &mut run);
        match res.len() {
            0 => Node::Empty,
            1 => res.remove(0),
            _ => Node::Concat(res.into()),
        }
    }

    pub fn union(mut parts: Vec<Node>) -> Node {
        match parts.len() {
            0 => Node::nothing(),
            1 => parts.remove(0),
            _ => Node::Union(parts.into()),
        }
    }

    pub fn repeat(node: Node, min: u32, max: Option<u32>) -> Node {
        match (min, max, &node) {
            (_, _, Node::Empty) | (_, Some(0), _) => Node::Empty,
            (1, Some(1), _) => node,
            _ => {
                let has_looks = node.has_looks();
                Node::Repeat(Arc::new(Repeat { node, min, max, has_looks }))
            }
        }
    }

    /// Whether there is an anchor or a word boundary in it.
    pub fn has_looks(&self) -> bool {
        match self {
            Node::Look(_) => true,
            Node::Concat(parts) | Node::Union(parts) => parts.iter().any(Node::has_looks),
            Node::Repeat(repeat) => repeat.has_looks,
            _ => false,
        }
    }

    /// The least number of characters of a text, were it not for assertions; what cannot match is very long.
    pub fn min_len(&self) -> u64 {
        match self {
            Node::Empty | Node::Look(_) => 0,
            Node::Literal(text) => text.chars().count() as u64,
            Node::Class(class) if class.set.is_empty() => u64::from(u32::MAX),
            Node::Class(_) => 1,
            Node::Concat(parts) => parts.iter().fold(0, |sum, it| it.min_len().saturating_add(sum)),
            Node::Union(parts) => parts.iter().map(Node::min_len).min().unwrap_or(0),
            Node::Repeat(repeat) => repeat.node.min_len().saturating_mul(repeat.min.into()),
        }
    }

    /// The text of a pattern that has this structure.
    pub fn pattern(&self) -> String {
        let mut res = String::new();
        self.write(&mut res, PatternPlace::Whole);
        res
    }

    fn write(&self, res: &mut String, place: PatternPlace) {
        let is_atom = match self {
            Node::Class(_) => true,
            // `\b{2}` and the like are read as something else.
            Node::Look(_) => place < PatternPlace::Repeated,
            Node::Literal(text) => place < PatternPlace::Repeated || text.chars().count() == 1,
            Node::Concat(_) => place <= PatternPlace::Alternative,
            Node::Union(_) => place == PatternPlace::Whole,
            Node::Repeat(_) => place < PatternPlace::Repeated,
            Node::Empty => place < PatternPlace::Repeated,
        };
        if !is_atom {
            res.push_str("(?:");
            self.write(res, PatternPlace::Whole);
            return res.push(')');
        }
        match self {
            Node::Empty => {}
            Node::Literal(text) => text.chars().for_each(|c| escape(c, res)),
            Node::Class(class) => res.push_str(&class.text),
            Node::Look(look) => res.push_str(look::text(*look)),
            Node::Concat(parts) => parts.iter().for_each(|it| it.write(res, PatternPlace::Part)),
            Node::Union(parts) => {
                for (at, part) in parts.iter().enumerate() {
                    res.push_str(if at == 0 { "" } else { "|" });
                    part.write(res, PatternPlace::Alternative);
                }
            }
            Node::Repeat(repeat) => {
                repeat.node.write(res, PatternPlace::Repeated);
                let _ = match (repeat.min, repeat.max) {
                    (0, Some(1)) => write!(res, "?"),
                    (0, None) => write!(res, "*"),
                    (1, None) => write!(res, "+"),
                    (min, None) => write!(res, "{{{min},}}"),
                    (min, Some(max)) if min == max => write!(res, "{{{min}}}"),
                    (min, Some(max)) => write!(res, "{{{min},{max}}}"),
                };
            }
        }
    }
}

/// Where a part of a pattern stands, and so what needs brackets around it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum PatternPlace {
    Whole,
    Alternative,
    Part,
    Repeated,
}

fn join(res: &mut Vec<Node>, run: &mut String, part: &Node) {
    match part {
        Node::Empty => {}
        Node::Literal(text) => run.push_str(text),
        Node::Concat(parts) => parts.iter().for_each(|it| join(res, run, it)),
        _ => {
            flush(res, run);
            res.push(part.clone());
        }
    }
}

fn flush(res: &mut Vec<Node>, run: &mut String) {
    if !run.is_empty() {
        res.push(Node::Literal(run.as_str().into()));
        run.clear();
    }
}

/// Writes a character so that a pattern has it literally, wherever it stands.
pub fn escape(c: char, res: &mut String) {
    match c {
        '\n' => res.push_str(r"\n"),
        '\r' => res.push_str(r"\r"),
        '\t' => res.push_str(r"\t"),
        c if c.is_control() => {
            let _ = write!(res, r"\x{{{:x}}}", c as u32);
        }
        // `-` and `/` mean nothing outside of a class.
        c if regex_syntax::is_meta_character(c) && !matches!(c, '-' | '&' | '~' | '#') => {
            res.extend(['\\', c]);
        }
        c => res.push(c),
    }
}

/// The text of a class with these members.
pub fn class_text(set: &CharSet) -> String {
    if set.is_empty() {
        return r"[^\s\S]".to_string();
    }
    let mut res = "[".to_string();
    let push = |place: u32, res: &mut String| match chars::at(place) {
        c @ ('-' | '&' | '~') => res.extend(['\\', c]),
        c => escape(c, res),
    };
    for &(lo, hi) in set.ranges() {
        push(lo, &mut res);
        if lo + 1 < hi {
            res.push('-');
        }
        if lo < hi {
            push(hi, &mut res);
        }
    }
    res + "]"
}
