//! Anchors and word boundaries: what they say about the characters on both sides.

use regex_syntax::hir::{Class, Hir, HirKind, Look};

use super::alphabet::Ranges;

/// What an assertion sees of a character, or the edge of the text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Edge,
    LineFeed,
    CarriageReturn,
    AsciiWord,
    OtherWord,
    Other,
}

pub(super) const KINDS: [Kind; 6] =
    [Kind::Edge, Kind::LineFeed, Kind::CarriageReturn, Kind::AsciiWord, Kind::OtherWord, Kind::Other];

/// A set of kinds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Kinds(u8);

impl Kinds {
    pub(super) const NONE: Kinds = Kinds(0);
    pub(super) const ALL: Kinds = Kinds(0b11_1111);
    pub(super) const EDGE: Kinds = Kinds(1);

    pub(super) fn of(keep: impl Fn(Kind) -> bool) -> Kinds {
        Kinds(KINDS.into_iter().filter(|it| keep(*it)).fold(0, |set, it| set | 1 << it as u8))
    }

    pub(super) fn has(self, kind: Kind) -> bool {
        self.0 >> kind as u8 & 1 == 1
    }

    pub(super) fn and(self, other: Kinds) -> Kinds {
        Kinds(self.0 & other.0)
    }

    pub(super) fn or(self, other: Kinds) -> Kinds {
        Kinds(self.0 | other.0)
    }

    /// Whether all of these are among the others.
    pub(super) fn within(self, other: Kinds) -> bool {
        self.and(other) == self
    }
}

/// Whether an assertion holds between two characters of these kinds.
pub(super) fn holds(look: Look, before: Kind, after: Kind) -> bool {
    use Kind::{CarriageReturn, Edge, LineFeed};
    let word = |it: Kind, unicode: bool| it == Kind::AsciiWord || unicode && it == Kind::OtherWord;
    let ascii = (word(before, false), word(after, false));
    let unicode = (word(before, true), word(after, true));
    match look {
        Look::Start => before == Edge,
        Look::End => after == Edge,
        Look::StartLF => matches!(before, Edge | LineFeed),
        Look::EndLF => matches!(after, Edge | LineFeed),
        Look::StartCRLF => matches!(before, Edge | LineFeed) || before == CarriageReturn && after != LineFeed,
        Look::EndCRLF => {
            matches!(after, Edge | CarriageReturn) || after == LineFeed && before != CarriageReturn
        }
        Look::WordAscii => ascii.0 != ascii.1,
        Look::WordAsciiNegate => ascii.0 == ascii.1,
        Look::WordUnicode => unicode.0 != unicode.1,
        Look::WordUnicodeNegate => unicode.0 == unicode.1,
        Look::WordStartAscii => !ascii.0 && ascii.1,
        Look::WordEndAscii => ascii.0 && !ascii.1,
        Look::WordStartUnicode => !unicode.0 && unicode.1,
        Look::WordEndUnicode => unicode.0 && !unicode.1,
        Look::WordStartHalfAscii => !ascii.0,
        Look::WordEndHalfAscii => !ascii.1,
        Look::WordStartHalfUnicode => !unicode.0,
        Look::WordEndHalfUnicode => !unicode.1,
    }
}

/// The characters of each kind.
pub(super) struct Characters([Ranges; 6]);

impl Characters {
    pub(super) fn new() -> Characters {
        let hir = regex_syntax::parse(r"\w").expect("a class of Unicode");
        let HirKind::Class(word) = hir.kind() else { unreachable!("it is a class") };
        let (ascii, other): (Vec<_>, Vec<_>) = ranges(word).into_iter().partition(|it| it.1 <= 0x7f);
        let known = [&[(0x0a, 0x0a), (0x0d, 0x0d)], &ascii[..], &other[..]].concat();
        let mut rest = Vec::new();
        let mut from = 0;
        for (lo, hi) in known {
            if from < lo {
                rest.push((from, lo - 1));
            }
            from = hi + 1;
        }
        rest.push((from, 0x10_ffff));
        Characters([Vec::new(), vec![(0x0a, 0x0a)], vec![(0x0d, 0x0d)], ascii, other, rest])
    }

    /// The characters of some kinds, as few ranges as possible.
    pub(super) fn of(&self, kinds: Kinds) -> Ranges {
        let chosen = KINDS.iter().filter(|it| kinds.has(**it));
        let mut ranges: Ranges = chosen.flat_map(|it| self.0[*it as usize].clone()).collect();
        ranges.sort_unstable();
        let mut res: Ranges = Vec::new();
        for (lo, hi) in ranges {
            match res.last_mut() {
                Some(last) if last.1 + 1 == lo => last.1 = hi,
                _ => res.push((lo, hi)),
            }
        }
        res
    }

    fn kinds(&self, ranges: &[(u32, u32)]) -> Kinds {
        let meet = |a: &(u32, u32), b: &(u32, u32)| a.0 <= b.1 && b.0 <= a.1;
        Kinds::of(|kind| self.0[kind as usize].iter().any(|a| ranges.iter().any(|b| meet(a, b))))
    }

    /// The kinds that a text of a pattern without assertions can begin with, or end with. Perhaps some more.
    pub(super) fn outer(&self, hir: &Hir, first: bool) -> Kinds {
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => Kinds::NONE,
            HirKind::Literal(literal) => {
                let text = String::from_utf8_lossy(&literal.0);
                let c = if first { text.chars().next() } else { text.chars().next_back() };
                c.map_or(Kinds::NONE, |c| self.kinds(&[(c.into(), c.into())]))
            }
            HirKind::Class(class) => self.kinds(&ranges(class)),
            HirKind::Capture(capture) => self.outer(&capture.sub, first),
            HirKind::Repetition(repetition) => self.outer(&repetition.sub, first),
            HirKind::Alternation(parts) => {
                parts.iter().fold(Kinds::NONE, |kinds, it| kinds.or(self.outer(it, first)))
            }
            HirKind::Concat(parts) => {
                let mut parts: Vec<&Hir> = parts.iter().collect();
                if !first {
                    parts.reverse();
                }
                let mut res = Kinds::NONE;
                for part in parts {
                    res = res.or(self.outer(part, first));
                    if part.properties().minimum_len() != Some(0) {
                        break;
                    }
                }
                res
            }
        }
    }
}

pub(super) fn ranges(class: &Class) -> Ranges {
    match class {
        Class::Unicode(class) => class.iter().map(|it| (it.start().into(), it.end().into())).collect(),
        Class::Bytes(class) => class.iter().map(|it| (it.start().into(), it.end().into())).collect(),
    }
}
