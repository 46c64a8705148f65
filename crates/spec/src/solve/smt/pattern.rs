//! Patterns as regular-expression terms of SMT-LIB.
//!
//! SMT-LIB has no anchors and no word boundaries. What they say about the characters on both sides is carried from
//! left to right: the texts that a prefix of the pattern matches, with the kinds of character that may come next.
//! So `a*\b.` becomes a union of prefixes, each with what may follow it.

use regex_syntax::hir::{Hir, HirKind, Look, Repetition};

use super::alphabet::{Alphabet, Ranges};
use super::automaton;
use super::look::{Characters, KINDS, Kind, Kinds, holds, ranges};
use super::text;
use crate::regex::Regex;

/// The most characters of one pattern's term; the classes of Unicode can take 30,000 each.
const TERM_MAX: usize = 1_000_000;
/// The most parts of one pattern's term that get a name; repetitions of assertions make many.
const NAMED_MAX: usize = 1_000;
/// How often at most a counted repetition with an assertion in it is written out.
const UNROLLED_MAX: u32 = 16;

/// Notes the sets of characters that a pattern tells apart.
pub(super) fn note(regex: &Regex, alphabet: &mut Alphabet) {
    let hir = regex.hir();
    if !hir.properties().look_set().is_empty() {
        let characters = Characters::new();
        KINDS.iter().skip(1).for_each(|it| alphabet.class(&characters.of(Kinds::of(|kind| kind == *it))));
    }
    let mut rest = vec![hir];
    while let Some(hir) = rest.pop() {
        match hir.kind() {
            HirKind::Literal(literal) => {
                let text = String::from_utf8_lossy(&literal.0);
                text.chars().for_each(|c| alphabet.class(&vec![(c.into(), c.into())]));
            }
            HirKind::Class(class) => alphabet.class(&ranges(class)),
            HirKind::Capture(capture) => rest.push(&capture.sub),
            HirKind::Repetition(repetition) => rest.push(&repetition.sub),
            HirKind::Concat(parts) | HirKind::Alternation(parts) => rest.extend(parts),
            HirKind::Empty | HirKind::Look(_) => {}
        }
    }
}

/// The term for a pattern over an alphabet, or which construct it has no term for.
pub(super) fn term(regex: &Regex, alphabet: &Alphabet) -> Result<String, String> {
    let hir = regex.hir();
    let mut writer = Writer { alphabet, named: Vec::new(), characters: None };
    let mut res = if hir.properties().look_set().is_empty() {
        writer.plain(hir)?
    } else {
        match writer.step(vec![State::start()], hir) {
            Ok(end) => {
                union(end.into_iter().filter(|it| it.next.has(Kind::Edge)).map(|it| it.prefix).collect())
            }
            Err(_) => {
                writer.named.clear();
                automaton::term(&*regex.language()?, &mut writer)?
            }
        }
    };
    for (i, named) in writer.named.iter().enumerate().rev() {
        res = format!("(let ((p{i} {named})) {res})");
    }
    if res.len() > TERM_MAX {
        return Err(format!("more than {TERM_MAX} characters"));
    }
    Ok(res)
}

/// Texts that may stand before a place, and what may come after it.
#[derive(Clone)]
struct State {
    prefix: String,
    /// How the prefix can end; the edge stands for an empty one. Perhaps some more.
    last: Kinds,
    next: Kinds,
}

impl State {
    fn start() -> State {
        State { prefix: text::RE_EMPTY.to_string(), last: Kinds::EDGE, next: Kinds::ALL }
    }
}

pub(super) struct Writer<'a> {
    alphabet: &'a Alphabet,
    /// Terms that are used more than once, innermost first; the others call them `p0`, `p1`, ….
    named: Vec<String>,
    characters: Option<Characters>,
}

impl Writer<'_> {
    /// A short name for a term.
    pub(super) fn name(&mut self, term: String) -> String {
        if !term.contains(' ') || term == text::RE_EMPTY {
            return term;
        }
        let at = self.named.iter().position(|it| *it == term).unwrap_or_else(|| {
            self.named.push(term);
            self.named.len() - 1
        });
        format!("p{at}")
    }

    /// Whether the term has become too large.
    pub(super) fn check_size(&self) -> Result<(), String> {
        if self.named.len() > NAMED_MAX {
            return Err("this many anchors and word boundaries".to_string());
        }
        Ok(())
    }

    /// The term for a pattern without assertions.
    fn plain(&mut self, hir: &Hir) -> Result<String, String> {
        Ok(match hir.kind() {
            HirKind::Empty => text::RE_EMPTY.to_string(),
            HirKind::Literal(literal) => match std::str::from_utf8(&literal.0) {
                Ok(literal) => format!("(str.to_re {})", text::write(literal)?),
                Err(_) => return Err("bytes that are no text".to_string()),
            },
            HirKind::Class(class) => self.class(&ranges(class)),
            HirKind::Capture(capture) => self.plain(&capture.sub)?,
            HirKind::Repetition(Repetition { min, max, sub, .. }) => repeated(&self.plain(sub)?, *min, *max),
            HirKind::Concat(parts) => {
                let parts: Result<Vec<_>, _> = parts.iter().map(|it| self.plain(it)).collect();
                format!("(re.++ {})", parts?.join(" "))
            }
            HirKind::Alternation(parts) => {
                union(parts.iter().map(|it| self.plain(it)).collect::<Result<Vec<_>, _>>()?)
            }
            HirKind::Look(look) => return Err(format!("the assertion {look:?}")),
        })
    }

    /// One character of a set, as far as there are any to choose from. The surrogates between two ranges do not
    /// matter: no model has them.
    pub(super) fn class(&self, ranges: &Ranges) -> String {
        let ranges = self.alphabet.of(ranges);
        if ranges == *self.alphabet.chosen() {
            return "re.allchar".to_string();
        }
        union(ranges.iter().map(|it| text::range(it.0, it.1)).collect())
    }

    fn characters(&mut self) -> &Characters {
        self.characters.get_or_insert_with(Characters::new)
    }

    /// One character of some kinds.
    fn of_kinds(&mut self, kinds: Kinds) -> String {
        let ranges = self.characters().of(kinds);
        let term = self.class(&ranges);
        self.name(term)
    }

    /// What the states become when the pattern follows.
    fn step(&mut self, states: Vec<State>, hir: &Hir) -> Result<Vec<State>, String> {
        self.check_size()?;
        if hir.properties().look_set().is_empty() {
            return self.step_plain(states, hir);
        }
        match hir.kind() {
            HirKind::Look(look) => Ok(self.step_look(&states, *look)),
            HirKind::Capture(capture) => self.step(states, &capture.sub),
            HirKind::Concat(parts) => parts.iter().try_fold(states, |states, it| self.step(states, it)),
            HirKind::Alternation(parts) => {
                let mut res = Vec::new();
                for part in parts {
                    res.extend(self.step(states.clone(), part)?);
                }
                Ok(self.merged(res))
            }
            HirKind::Repetition(Repetition { min, max: Some(max), sub, .. }) if *max <= UNROLLED_MAX => {
                let (mut now, mut res) = (states, Vec::new());
                for i in 0..=*max {
                    if i >= *min {
                        res.extend(now.clone());
                    }
                    if i < *max {
                        now = self.step(now, sub)?;
                    }
                }
                Ok(self.merged(res))
            }
            _ => Err("an anchor or word boundary under a repetition".to_string()),
        }
    }

    fn step_plain(&mut self, states: Vec<State>, hir: &Hir) -> Result<Vec<State>, String> {
        let term = self.plain(hir)?;
        let term = self.name(term);
        let (first, last) = (self.characters().outer(hir, true), self.characters().outer(hir, false));
        let may_be_empty = hir.properties().minimum_len() == Some(0);
        let mut res = Vec::new();
        for State { prefix, last: before, next } in states {
            if first.within(next) && (!may_be_empty || next == Kinds::ALL) {
                let last = if may_be_empty { last.or(before) } else { last };
                res.push(State { prefix: joined(&prefix, &term), last, next: Kinds::ALL });
                continue;
            }
            let taken = first.and(next);
            if taken != Kinds::NONE {
                // Without the empty text, which leaves what may come next as it is.
                let first = self.of_kinds(taken);
                let taken = format!("(re.inter {term} (re.++ {first} re.all))");
                res.push(State { prefix: joined(&prefix, &taken), last, next: Kinds::ALL });
            }
            if may_be_empty {
                res.push(State { prefix, last: before, next });
            }
        }
        Ok(self.merged(res))
    }

    fn step_look(&mut self, states: &[State], look: Look) -> Vec<State> {
        // What may come next depends on the last character; characters that allow the same go together.
        let mut groups: Vec<(Kinds, Kinds)> = Vec::new();
        for before in KINDS {
            let (before, after) = (Kinds::of(|it| it == before), Kinds::of(|it| holds(look, before, it)));
            match groups.iter_mut().find(|it| it.1 == after) {
                Some(group) => group.0 = group.0.or(before),
                None => groups.push((before, after)),
            }
        }
        let mut res = Vec::new();
        for state in states {
            for (before, after) in &groups {
                let (last, next) = (state.last.and(*before), state.next.and(*after));
                if last == Kinds::NONE || next == Kinds::NONE {
                    continue;
                }
                let prefix = if state.last.within(*before) {
                    state.prefix.clone()
                } else {
                    format!("(re.inter {} {})", state.prefix, self.ending(last))
                };
                res.push(State { prefix, last, next });
            }
        }
        self.merged(res)
    }

    /// Texts that end so.
    fn ending(&mut self, last: Kinds) -> String {
        let mut ways = Vec::new();
        if last.has(Kind::Edge) {
            ways.push(text::RE_EMPTY.to_string());
        }
        if last != Kinds::EDGE {
            ways.push(format!("(re.++ re.all {})", self.of_kinds(last)));
        }
        self.name(union(ways))
    }

    /// States that allow the same next become one.
    fn merged(&mut self, states: Vec<State>) -> Vec<State> {
        let mut groups: Vec<(Kinds, Kinds, Vec<String>)> = Vec::new();
        for State { prefix, last, next } in states {
            match groups.iter_mut().find(|it| it.0 == next) {
                Some(group) => {
                    group.1 = group.1.or(last);
                    group.2.push(prefix);
                }
                None => groups.push((next, last, vec![prefix])),
            }
        }
        let one = |(next, last, prefixes)| State { prefix: self.name(union(prefixes)), last, next };
        groups.into_iter().map(one).collect()
    }
}

pub(super) fn joined(prefix: &str, term: &str) -> String {
    if prefix == text::RE_EMPTY { term.to_string() } else { format!("(re.++ {prefix} {term})") }
}

pub(super) fn union(mut parts: Vec<String>) -> String {
    parts.dedup();
    match parts.len() {
        0 => text::RE_NONE.to_string(),
        1 => parts.remove(0),
        _ => format!("(re.union {})", parts.join(" ")),
    }
}

pub(super) fn repeated(term: &str, min: u32, max: Option<u32>) -> String {
    match (min, max) {
        (0, None) => format!("(re.* {term})"),
        (1, None) => format!("(re.+ {term})"),
        (0, Some(1)) => format!("(re.opt {term})"),
        (min, None) => format!("(re.++ ((_ re.^ {min}) {term}) (re.* {term}))"),
        (min, Some(max)) if min == max => format!("((_ re.^ {min}) {term})"),
        (min, Some(max)) => format!("((_ re.loop {min} {max}) {term})"),
    }
}
