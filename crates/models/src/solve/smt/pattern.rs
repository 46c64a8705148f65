//! Patterns as regular-expression terms of SMT-LIB.
//!
//! SMT-LIB has no anchors and no word boundaries. What they say about the characters on both sides is carried from
//! left to right: the texts that a prefix of the pattern matches, with the kinds of character that may come next.
//! So `a*\b.` becomes a union of prefixes, each with what may follow it.

use super::alphabet::SolverAlphabet;
use super::automaton;
use super::text;
use probity_spec::regex::Regex;
use probity_spec::regex::chars::CharSet;
use probity_spec::regex::look::{self, CHAR_KINDS, CharKind, CharKinds};
use probity_spec::regex::node::Node;

/// The most characters of one pattern's term; the classes of Unicode can take 30,000 each.
const TERM_MAX: usize = 1_000_000;
/// The most parts of one pattern's term that get a name; repetitions of assertions make many.
const NAMED_MAX: usize = 1_000;
/// How often at most a counted repetition with an assertion in it is written out.
const UNROLLED_MAX: u32 = 16;

/// Notes the sets of characters that a pattern distinguishes.
pub(super) fn note(regex: &Regex, alphabet: &mut SolverAlphabet) {
    let node = regex.settled();
    if node.has_looks() {
        CHAR_KINDS.iter().skip(1).for_each(|it| alphabet.class(&CharKinds::one(*it).set()));
    }
    let mut rest = vec![node];
    while let Some(node) = rest.pop() {
        match node {
            Node::Literal(text) => text.chars().for_each(|c| alphabet.class(&CharSet::one(c))),
            Node::Class(class) => alphabet.class(&class.set),
            Node::Repeat(repeat) => rest.push(&repeat.node),
            Node::Concat(parts) | Node::Union(parts) => rest.extend(parts.iter()),
            Node::Empty | Node::Look(_) => {}
        }
    }
}

/// The term for a pattern over an alphabet, or which construct it has no term for.
pub(super) fn term(regex: &Regex, alphabet: &SolverAlphabet) -> Result<String, String> {
    let node = regex.settled();
    let mut writer = PatternWriter { alphabet, named: Vec::new() };
    let mut res = if !node.has_looks() {
        writer.plain(node)?
    } else {
        match writer.step(vec![PrefixState::start()], node) {
            Ok(end) => {
                union(end.into_iter().filter(|it| it.next.has(CharKind::Edge)).map(|it| it.prefix).collect())
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
struct PrefixState {
    prefix: String,
    /// How the prefix can end; the edge represents an empty one. Perhaps some more.
    last: CharKinds,
    next: CharKinds,
}

impl PrefixState {
    fn start() -> PrefixState {
        PrefixState { prefix: text::RE_EMPTY.to_string(), last: CharKinds::EDGE, next: CharKinds::ALL }
    }
}

pub(super) struct PatternWriter<'a> {
    alphabet: &'a SolverAlphabet,
    /// Terms that are used more than once, innermost first; the others call them `p0`, `p1`, ….
    named: Vec<String>,
}

impl PatternWriter<'_> {
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
    fn plain(&mut self, node: &Node) -> Result<String, String> {
        Ok(match node {
            Node::Empty => text::RE_EMPTY.to_string(),
            Node::Literal(literal) => format!("(str.to_re {})", text::write(literal)?),
            Node::Class(class) => self.class(&class.set),
            Node::Repeat(repeat) => repeated(&self.plain(&repeat.node)?, repeat.min, repeat.max),
            Node::Concat(parts) => {
                let parts: Result<Vec<_>, _> = parts.iter().map(|it| self.plain(it)).collect();
                format!("(re.++ {})", parts?.join(" "))
            }
            Node::Union(parts) => {
                union(parts.iter().map(|it| self.plain(it)).collect::<Result<Vec<_>, _>>()?)
            }
            Node::Look(look) => return Err(format!("the assertion {look:?}")),
        })
    }

    /// One character of a set, as far as there are any to choose from.
    pub(super) fn class(&self, set: &CharSet) -> String {
        let set = self.alphabet.of(set);
        if set == *self.alphabet.chosen() {
            return "re.allchar".to_string();
        }
        union(set.char_ranges().map(|it| text::range(it.0, it.1)).collect())
    }

    /// One character of some kinds.
    fn of_kinds(&mut self, kinds: CharKinds) -> String {
        let term = self.class(&kinds.set());
        self.name(term)
    }

    /// What the states become when the pattern follows.
    fn step(&mut self, states: Vec<PrefixState>, node: &Node) -> Result<Vec<PrefixState>, String> {
        self.check_size()?;
        match node {
            _ if !node.has_looks() => self.step_plain(states, node),
            Node::Look(look) => {
                Ok(self.step_look(&states, &|before, after| look::holds(*look, before, after)))
            }
            Node::Concat(parts) => parts.iter().try_fold(states, |states, it| self.step(states, it)),
            Node::Union(parts) => {
                let mut res = Vec::new();
                for part in parts.iter() {
                    res.extend(self.step(states.clone(), part)?);
                }
                Ok(self.merged(res))
            }
            Node::Repeat(repeat) => match repeat.max {
                Some(max) if max <= UNROLLED_MAX => {
                    let (mut now, mut res) = (states, Vec::new());
                    for i in 0..=max {
                        if i >= repeat.min {
                            res.extend(now.clone());
                        }
                        if i < max {
                            now = self.step(now, &repeat.node)?;
                        }
                    }
                    Ok(self.merged(res))
                }
                _ => Err("an anchor or word boundary under a repetition".to_string()),
            },
            Node::Empty | Node::Literal(_) | Node::Class(_) => Ok(states),
        }
    }

    fn step_plain(&mut self, states: Vec<PrefixState>, node: &Node) -> Result<Vec<PrefixState>, String> {
        let term = self.plain(node)?;
        let term = self.name(term);
        let (first, last) = (look::seen_first(node, CharKinds::NONE), look::seen_last(node, CharKinds::NONE));
        let may_be_empty = node.min_len() == 0;
        let mut res = Vec::new();
        for PrefixState { prefix, last: before, next } in states {
            if first.is_within(next) && (!may_be_empty || next == CharKinds::ALL) {
                let last = if may_be_empty { last.or(before) } else { last };
                res.push(PrefixState { prefix: joined(&prefix, &term), last, next: CharKinds::ALL });
                continue;
            }
            let taken = first.and(next);
            if taken != CharKinds::NONE {
                // Without the empty text, which leaves what may come next as it is.
                let first = self.of_kinds(taken);
                let taken = format!("(re.inter {term} (re.++ {first} re.all))");
                res.push(PrefixState { prefix: joined(&prefix, &taken), last, next: CharKinds::ALL });
            }
            if may_be_empty {
                res.push(PrefixState { prefix, last: before, next });
            }
        }
        Ok(self.merged(res))
    }

    fn step_look(
        &mut self,
        states: &[PrefixState],
        holds: &dyn Fn(CharKind, CharKind) -> bool,
    ) -> Vec<PrefixState> {
        // What may come next depends on the last character; characters that allow the same go together.
        let mut groups: Vec<(CharKinds, CharKinds)> = Vec::new();
        for before in CHAR_KINDS {
            let (before, after) = (CharKinds::one(before), CharKinds::of(|it| holds(before, it)));
            match groups.iter_mut().find(|it| it.1 == after) {
                Some(group) => group.0 = group.0.or(before),
                None => groups.push((before, after)),
            }
        }
        let mut res = Vec::new();
        for state in states {
            for (before, after) in &groups {
                let (last, next) = (state.last.and(*before), state.next.and(*after));
                if last == CharKinds::NONE || next == CharKinds::NONE {
                    continue;
                }
                let prefix = if state.last.is_within(*before) {
                    state.prefix.clone()
                } else {
                    format!("(re.inter {} {})", state.prefix, self.ending(last))
                };
                res.push(PrefixState { prefix, last, next });
            }
        }
        self.merged(res)
    }

    /// Texts that end so.
    fn ending(&mut self, last: CharKinds) -> String {
        let mut ways = Vec::new();
        if last.has(CharKind::Edge) {
            ways.push(text::RE_EMPTY.to_string());
        }
        if last != CharKinds::EDGE {
            ways.push(format!("(re.++ re.all {})", self.of_kinds(last)));
        }
        self.name(union(ways))
    }

    /// States that allow the same next become one.
    fn merged(&mut self, states: Vec<PrefixState>) -> Vec<PrefixState> {
        let mut groups: Vec<(CharKinds, CharKinds, Vec<String>)> = Vec::new();
        for PrefixState { prefix, last, next } in states {
            match groups.iter_mut().find(|it| it.0 == next) {
                Some(group) => {
                    group.1 = group.1.or(last);
                    group.2.push(prefix);
                }
                None => groups.push((next, last, vec![prefix])),
            }
        }
        let one = |(next, last, prefixes)| PrefixState { prefix: self.name(union(prefixes)), last, next };
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
