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
pub(super) enum Kind {
    Edge,
    LineFeed,
    CarriageReturn,
    AsciiWord,
    OtherWord,
    Other,
}

const KINDS: [Kind; 6] =
    [Kind::Edge, Kind::LineFeed, Kind::CarriageReturn, Kind::AsciiWord, Kind::OtherWord, Kind::Other];

impl Kind {
    pub(super) fn of(c: char) -> Kind {
        match c {
            '\n' => Kind::LineFeed,
            '\r' => Kind::CarriageReturn,
            c if c.is_ascii_alphanumeric() || c == '_' => Kind::AsciiWord,
            c if c.is_ascii() => Kind::Other,
            c if chars::word().contains(c) => Kind::OtherWord,
            _ => Kind::Other,
        }
    }

    fn is_word(self, unicode: bool) -> bool {
        self == Kind::AsciiWord || unicode && self == Kind::OtherWord
    }
}

/// The sets that tell the kinds apart.
pub(super) fn kind_sets() -> [CharSet; 4] {
    let ascii_word = CharSet::of_chars([('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')]);
    [CharSet::one('\n'), CharSet::one('\r'), ascii_word, chars::word().clone()]
}

/// Some kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kinds(u8);

impl Kinds {
    pub(super) const NONE: Kinds = Kinds(0);
    pub(super) const EDGE: Kinds = Kinds(1);

    fn one(kind: Kind) -> Kinds {
        Kinds(1 << kind as u8)
    }

    fn or(self, other: Kinds) -> Kinds {
        Kinds(self.0 | other.0)
    }

    fn each(self) -> impl Iterator<Item = Kind> {
        KINDS.into_iter().filter(move |&it| self.0 & Kinds::one(it).0 != 0)
    }

    /// The kinds of the characters of a set.
    pub(super) fn of_set(set: &CharSet) -> Kinds {
        static SETS: OnceLock<[(Kind, CharSet); 5]> = OnceLock::new();
        let sets = SETS.get_or_init(|| {
            let [feed, ret, ascii, word] = kind_sets();
            let special = CharSet::of([feed.ranges(), ret.ranges(), word.ranges()].concat());
            [
                (Kind::LineFeed, feed),
                (Kind::CarriageReturn, ret),
                (Kind::OtherWord, word.and(&ascii.not())),
                (Kind::AsciiWord, ascii),
                (Kind::Other, special.not()),
            ]
        });
        let some = sets.iter().filter(|it| !set.and(&it.1).is_empty());
        some.fold(Kinds::NONE, |all, it| all.or(Kinds::one(it.0)))
    }
}

/// Whether an assertion holds between two characters.
pub(super) fn holds(look: Look, before: Kind, after: Kind) -> bool {
    use Kind::{CarriageReturn, Edge, LineFeed};
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
pub(super) fn text(look: Look) -> &'static str {
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
pub(super) fn settle(node: &Node) -> Node {
    settle_between(node, Kinds::EDGE, Kinds::EDGE)
}

fn settle_between(node: &Node, before: Kinds, after: Kinds) -> Node {
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
                // What stands beside an iteration may be another one, or what is beyond it when it is empty.
                left = left.or(seen_last(body, Kinds::NONE));
                right = right.or(seen_first(body, Kinds::NONE));
            }
            Node::repeat(settle_between(body, left, right), repeat.min, repeat.max)
        }
        _ => node.clone(),
    }
}

/// The kinds that may come first in `node`, with `after` behind it.
fn seen_first(node: &Node, after: Kinds) -> Kinds {
    match node {
        Node::Empty | Node::Look(_) => after,
        Node::Literal(text) => text.chars().next().map_or(after, |c| Kinds::one(Kind::of(c))),
        Node::Class(class) => kinds_of(class),
        Node::Concat(parts) => parts.iter().rev().fold(after, |after, it| seen_first(it, after)),
        Node::Union(parts) => parts.iter().fold(Kinds::NONE, |all, it| all.or(seen_first(it, after))),
        Node::Repeat(repeat) => {
            let first = seen_first(&repeat.node, after);
            if repeat.min == 0 { first.or(after) } else { first }
        }
    }
}

fn seen_last(node: &Node, before: Kinds) -> Kinds {
    match node {
        Node::Empty | Node::Look(_) => before,
        Node::Literal(text) => text.chars().next_back().map_or(before, |c| Kinds::one(Kind::of(c))),
        Node::Class(class) => kinds_of(class),
        Node::Concat(parts) => parts.iter().fold(before, |before, it| seen_last(it, before)),
        Node::Union(parts) => parts.iter().fold(Kinds::NONE, |all, it| all.or(seen_last(it, before))),
        Node::Repeat(repeat) => {
            let last = seen_last(&repeat.node, before);
            if repeat.min == 0 { last.or(before) } else { last }
        }
    }
}

fn kinds_of(class: &Class) -> Kinds {
    *class.kinds.get_or_init(|| Kinds::of_set(&class.set))
}
