//! Anchors and word boundaries: what they say about the characters on both sides.
//!
//! To all of them a place in a text is a pair of kinds: of the character before it and of the one after it. So whether
//! one holds is a table, and often it is known from the pattern alone: `^` at the front always holds.

use std::sync::OnceLock;

use regex_syntax::hir::Look;

use super::chars::{self, CharSet};
use super::node::{Class, Node};

/// What an assertion sees of a character, or of the edge of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CharKind {
    Edge,
    LineFeed,
    CarriageReturn,
    AsciiWord,
    OtherWord,
    Other,
}

/// All of them.
pub const CHAR_KINDS: [CharKind; 6] = [
    CharKind::Edge,
    CharKind::LineFeed,
    CharKind::CarriageReturn,
    CharKind::AsciiWord,
    CharKind::OtherWord,
    CharKind::Other,
];

impl CharKind {
    pub fn of(c: char) -> CharKind {
        match c {
            '\n' => CharKind::LineFeed,
            '\r' => CharKind::CarriageReturn,
            c if c.is_ascii_alphanumeric() || c == '_' => CharKind::AsciiWord,
            c if c.is_ascii() => CharKind::Other,
            c if chars::word().contains(c) => CharKind::OtherWord,
            _ => CharKind::Other,
        }
    }

    fn is_word(self, unicode: bool) -> bool {
        self == CharKind::AsciiWord || unicode && self == CharKind::OtherWord
    }
}

/// The sets that tell the kinds apart.
pub fn kind_sets() -> [CharSet; 4] {
    let ascii_word = CharSet::of_chars([('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')]);
    [CharSet::one('\n'), CharSet::one('\r'), ascii_word, chars::word().clone()]
}

/// Some kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CharKinds(u8);

impl CharKinds {
    pub const NONE: CharKinds = CharKinds(0);
    pub const EDGE: CharKinds = CharKinds(1);
    pub const ALL: CharKinds = CharKinds(0b11_1111);

    pub fn one(kind: CharKind) -> CharKinds {
        CharKinds(1 << kind as u8)
    }

    /// Those that are to be kept.
    pub fn of(keep: impl Fn(CharKind) -> bool) -> CharKinds {
        CHAR_KINDS
            .into_iter()
            .filter(|it| keep(*it))
            .fold(CharKinds::NONE, |all, it| all.or(CharKinds::one(it)))
    }

    pub fn or(self, other: CharKinds) -> CharKinds {
        CharKinds(self.0 | other.0)
    }

    pub fn and(self, other: CharKinds) -> CharKinds {
        CharKinds(self.0 & other.0)
    }

    pub fn has(self, kind: CharKind) -> bool {
        self.and(CharKinds::one(kind)) != CharKinds::NONE
    }

    /// Whether all of these are among the others.
    pub fn is_within(self, other: CharKinds) -> bool {
        self.and(other) == self
    }

    fn each(self) -> impl Iterator<Item = CharKind> {
        CHAR_KINDS.into_iter().filter(move |it| self.has(*it))
    }

    /// The kinds of the characters of a set.
    pub fn of_set(set: &CharSet) -> CharKinds {
        let some = characters().iter().filter(|it| !set.and(&it.1).is_empty());
        some.fold(CharKinds::NONE, |all, it| all.or(CharKinds::one(it.0)))
    }

    /// The characters of these kinds.
    pub fn set(self) -> CharSet {
        let chosen = characters().iter().filter(|it| self.has(it.0));
        CharSet::of(chosen.flat_map(|it| it.1.ranges().to_vec()).collect())
    }
}

/// The characters of each kind.
fn characters() -> &'static [(CharKind, CharSet); 5] {
    static SETS: OnceLock<[(CharKind, CharSet); 5]> = OnceLock::new();
    SETS.get_or_init(|| {
        let [feed, ret, ascii, word] = kind_sets();
        let special = CharSet::of([feed.ranges(), ret.ranges(), word.ranges()].concat());
        [
            (CharKind::LineFeed, feed),
            (CharKind::CarriageReturn, ret),
            (CharKind::OtherWord, word.and(&ascii.not())),
            (CharKind::AsciiWord, ascii),
            (CharKind::Other, special.not()),
        ]
    })
}

/// Whether an assertion holds between two characters.
pub fn holds(look: Look, before: CharKind, after: CharKind) -> bool {
    use CharKind::{CarriageReturn, Edge, LineFeed};
    let words = |unicode| (before.is_word(unicode), after.is_word(unicode));
    match look {
        Look::Start => before == Edge,
        Look::End => after == Edge,
        Look::StartLF => matches!(before, Edge | LineFeed),
        Look::EndLF => matches!(after, Edge | LineFeed),
        Look::StartCRLF => matches!(before, Edge | LineFeed) || before == CarriageReturn && after != LineFeed,
        Look::EndCRLF => {
            matches!(after, Edge | CarriageReturn) || after == LineFeed && before != CarriageReturn
        }
        Look::WordAscii | Look::WordUnicode => {
            let (a, b) = words(look == Look::WordUnicode);
            a != b
        }
        Look::WordAsciiNegate | Look::WordUnicodeNegate => {
            let (a, b) = words(look == Look::WordUnicodeNegate);
            a == b
        }
        Look::WordStartAscii | Look::WordStartUnicode => {
            matches!(words(look == Look::WordStartUnicode), (false, true))
        }
        Look::WordEndAscii | Look::WordEndUnicode => {
            matches!(words(look == Look::WordEndUnicode), (true, false))
        }
        Look::WordStartHalfAscii | Look::WordStartHalfUnicode => {
            !before.is_word(look == Look::WordStartHalfUnicode)
        }
        Look::WordEndHalfAscii | Look::WordEndHalfUnicode => !after.is_word(look == Look::WordEndHalfUnicode),
    }
}

/// The text of an assertion, without flags around it.
pub fn text(look: Look) -> &'static str {
    match look {
        Look::Start => "^",
        Look::End => "$",
        Look::StartLF => "(?m:^)",
        Look::EndLF => "(?m:$)",
        Look::StartCRLF => "(?mR:^)",
        Look::EndCRLF => "(?mR:$)",
        Look::WordAscii => r"(?-u:\b)",
        Look::WordAsciiNegate => r"(?-u:\B)",
        Look::WordUnicode => r"\b",
        Look::WordUnicodeNegate => r"\B",
        Look::WordStartAscii => r"(?-u:\b{start})",
        Look::WordEndAscii => r"(?-u:\b{end})",
        Look::WordStartUnicode => r"\b{start}",
        Look::WordEndUnicode => r"\b{end}",
        Look::WordStartHalfAscii => r"(?-u:\b{start-half})",
        Look::WordEndHalfAscii => r"(?-u:\b{end-half})",
        Look::WordStartHalfUnicode => r"\b{start-half}",
        Look::WordEndHalfUnicode => r"\b{end-half}",
    }
}

/// The same language with fewer assertions: those that always hold are left out, those that never do match nothing.
pub fn settle(node: &Node) -> Node {
    settle_between(node, CharKinds::EDGE, CharKinds::EDGE)
}

fn settle_between(node: &Node, before: CharKinds, after: CharKinds) -> Node {
    match node {
        _ if !node.has_looks() => node.clone(),
        Node::Look(look) => {
            let pairs = before.each().flat_map(|a| after.each().map(move |b| holds(*look, a, b)));
            let (mut always, mut never) = (true, true);
            pairs.for_each(|it| (always, never) = (always && it, never && !it));
            match (always, never) {
                (_, true) => Node::nothing(),
                (true, _) => Node::Empty,
                _ => node.clone(),
            }
        }
        Node::Concat(parts) => {
            let mut rights = vec![after; parts.len()];
            for at in (1..parts.len()).rev() {
                rights[at - 1] = seen_first(&parts[at], rights[at]);
            }
            let mut left = before;
            let settled = parts.iter().zip(rights).map(|(part, right)| {
                let res = settle_between(part, left, right);
                left = seen_last(part, left);
                res
            });
            Node::concat(settled.collect())
        }
        Node::Union(parts) => Node::union(parts.iter().map(|it| settle_between(it, before, after)).collect()),
        Node::Repeat(repeat) => {
            let body = &repeat.node;
            let (mut left, mut right) = (before, after);
            if repeat.max != Some(1) {
                // What is beside an iteration may be another one, or what is beyond it when it is empty.
                left = left.or(seen_last(body, CharKinds::NONE));
                right = right.or(seen_first(body, CharKinds::NONE));
            }
            Node::repeat(settle_between(body, left, right), repeat.min, repeat.max)
        }
        _ => node.clone(),
    }
}

/// The kinds that may come first in `node`, with `after` behind it.
pub fn seen_first(node: &Node, after: CharKinds) -> CharKinds {
    match node {
        Node::Empty | Node::Look(_) => after,
        Node::Literal(text) => text.chars().next().map_or(after, |c| CharKinds::one(CharKind::of(c))),
        Node::Class(class) => kinds_of(class),
        Node::Concat(parts) => parts.iter().rev().fold(after, |after, it| seen_first(it, after)),
        Node::Union(parts) => parts.iter().fold(CharKinds::NONE, |all, it| all.or(seen_first(it, after))),
        Node::Repeat(repeat) => {
            let first = seen_first(&repeat.node, after);
            if repeat.min == 0 { first.or(after) } else { first }
        }
    }
}

/// The kinds that may come last in `node`, with `before` in front of it.
pub fn seen_last(node: &Node, before: CharKinds) -> CharKinds {
    match node {
        Node::Empty | Node::Look(_) => before,
        Node::Literal(text) => text.chars().next_back().map_or(before, |c| CharKinds::one(CharKind::of(c))),
        Node::Class(class) => kinds_of(class),
        Node::Concat(parts) => parts.iter().fold(before, |before, it| seen_last(it, before)),
        Node::Union(parts) => parts.iter().fold(CharKinds::NONE, |all, it| all.or(seen_last(it, before))),
        Node::Repeat(repeat) => {
            let last = seen_last(&repeat.node, before);
            if repeat.min == 0 { last.or(before) } else { last }
        }
    }
}

fn kinds_of(class: &Class) -> CharKinds {
    *class.kinds.get_or_init(|| CharKinds::of_set(&class.set))
}
