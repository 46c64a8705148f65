//! Texts: drawn character by character along the automaton of what they match.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use probity_core::{Domain, Generator};

use super::answers::Answers;
use super::ints::Whole;
use super::terms::{closed, holds, is_it};
use crate::regex::{Language, Regex, strings};
use crate::solve::builtin::IntSet;
use crate::{Node, Op, Shape, Spec, Term, Value};

/// Texts are drawn by chance with at most so many characters more than the least.
const MORE: usize = 64;
/// Lengths above this are not looked at, unless there are no others.
const LENGTH_MAX: usize = 2_000;
/// An automaton is gone through where its states times the length of a text are no more than this.
const CELLS_MAX: usize = 10_000_000;
/// Of a longer text not all parts are listed.
const PARTS_OF: usize = 64;

/// Some texts, and how they are drawn.
#[derive(Debug, Clone)]
pub(super) struct Texts {
    kind: Kind,
    /// What is required of their lengths.
    terms: Arc<[Term]>,
    /// The lengths they are drawn with; none where the pattern's own generator knows.
    lengths: Option<Sizes>,
}

/// Lengths that are drawn by chance, and longer ones that are drawn where they are wanted.
#[derive(Debug, Clone)]
struct Sizes {
    usual: Arc<[u32]>,
    longer: Arc<[u32]>,
}

#[derive(Debug, Clone)]
enum Kind {
    /// Any text.
    Any,
    /// Texts along an automaton.
    Walk(Arc<Walk>),
    /// Texts of a pattern whose automaton is too large.
    Of(Arc<Regex>),
}

impl Texts {
    /// The texts for which the terms hold, and the terms that are left to be checked; the error says that there is
    /// none.
    pub(super) fn new(terms: &[Term]) -> Result<(Texts, Vec<Term>), String> {
        let (mut lens, mut rest) = (Vec::new(), Vec::new());
        let mut language: Option<Arc<Language>> = None;
        let mut too_large = None;
        for term in terms {
            if let Some(it) = of_length(term) {
                lens.push(it);
                continue;
            }
            let both = language_of(term).and_then(|it| match &language {
                Some(before) => before.and(&it).ok().map(Arc::new),
                None => Some(it),
            });
            match (both, term.node()) {
                (Some(it), _) => language = Some(it),
                (None, Node::Matches(of, regex)) if is_it(of) && too_large.is_none() => {
                    too_large = Some(Arc::clone(regex));
                }
                _ => rest.push(term.clone()),
            }
        }
        let none = || {
            let terms: Vec<String> = terms.iter().map(ToString::to_string).collect();
            format!("no text satisfies {}; relax one of them", terms.join(" and "))
        };
        // An automaton so large that its lengths are not known is of no use.
        if language.as_ref().is_some_and(|it| !it.is_empty() && !is_walkable(it)) {
            too_large = terms.iter().find_map(|it| match it.node() {
                Node::Matches(of, regex) if is_it(of) => Some(Arc::clone(regex)),
                _ => None,
            });
        }
        let kind = match (language, too_large) {
            (None, None) => Kind::Any,
            (Some(language), None) => Kind::Walk(Arc::new(Walk::new(language))),
            (_, Some(regex)) => {
                let is_other = |it: &&Term| !matches!(it.node(), Node::Matches(_, it) if *it == regex);
                rest = terms.iter().filter(is_other).cloned().collect();
                lens.clear();
                Kind::Of(regex)
            }
        };
        let texts = Texts { kind, terms: Arc::from([]), lengths: None }.with(lens).ok_or_else(none)?;
        Ok((texts, rest))
    }

    /// Texts of these lengths, along an automaton if there is one; none where there is none.
    pub(super) fn of_lengths(lengths: &IntSet, walk: Option<Arc<Walk>>) -> Option<Texts> {
        let good = lengths.iter().take_while(|it| *it <= LENGTH_MAX as i128).map(|it| it as usize);
        let (kind, lengths) = match walk {
            None => (Kind::Any, some_lengths(good, &[])?),
            Some(walk) => {
                let known = walk.language.lengths();
                let lengths = some_lengths(good.filter(|it| known.contains(*it)), &[])?;
                (Kind::Walk(walk), lengths)
            }
        };
        Some(Texts { kind, terms: Arc::from([]), lengths: Some(lengths) })
    }

    /// The same texts, with more that is required of their lengths; none where there is none.
    fn with(self, terms: Vec<Term>) -> Option<Texts> {
        let terms: Arc<[Term]> = self.terms.iter().cloned().chain(terms).collect();
        let lengths = match &self.kind {
            Kind::Any => Some(some_lengths(0.., &terms)?),
            Kind::Walk(walk) => Some(some_lengths(walk.language.lengths().iter(), &terms)?),
            Kind::Of(_) => None,
        };
        Some(Texts { terms, lengths, ..self })
    }

    /// The same texts of which all terms, which are about their length, hold; the error is that there is none, and
    /// none where a term is about more.
    pub(super) fn narrowed(&self, terms: &[Term]) -> Option<Result<Texts, ()>> {
        let lens = terms.iter().map(of_length).collect::<Option<Vec<_>>>()?;
        match self.kind {
            Kind::Of(_) => None,
            _ => Some(self.clone().with(lens).ok_or(())),
        }
    }

    pub(super) fn draw(&self, answers: &mut Answers, wanted: Option<&str>) -> Option<String> {
        let wanted: Option<Vec<char>> = wanted.map(|it| it.chars().collect());
        let wanted = wanted.as_deref();
        let mut res = String::new();
        match (&self.kind, &self.lengths) {
            (Kind::Any, Some(sizes)) => {
                list(sizes, answers, wanted, &mut |answers, at, _| {
                    res.push(answers.char('\0', char::MAX, wanted.map(|it| it[at]))?);
                    Some(())
                })?;
            }
            (Kind::Walk(walk), Some(sizes)) => {
                let mut state = walk.language.start();
                list(sizes, answers, wanted, &mut |answers, at, left| {
                    let (c, to) = walk.step(state, left, answers, wanted.map(|it| it[at]))?;
                    state = to;
                    res.push(c);
                    Some(())
                })?;
            }
            (Kind::Of(regex), _) => match answers {
                Answers::Source(source) => res = strings(regex).generate(source),
                Answers::Known(..) => return None,
            },
            (_, None) => return None,
        }
        Some(res)
    }
}

/// Whether its shortest texts are known, and few enough steps lead to them.
fn is_walkable(language: &Language) -> bool {
    let min = language.lengths().min();
    min.is_some_and(|it| (it + MORE).saturating_mul(language.states()) <= CELLS_MAX)
}

/// One of the lengths, then so many characters; `add` is told its place and how many are left after it.
fn list(
    sizes: &Sizes,
    answers: &mut Answers,
    wanted: Option<&[char]>,
    add: &mut dyn FnMut(&mut Answers, usize, usize) -> Option<()>,
) -> Option<()> {
    let mut lengths = &sizes.usual;
    if !sizes.longer.is_empty() {
        let is_longer = |it: &[char]| !sizes.usual.contains(&(it.len() as u32));
        if answers.pick(&[1, 0], wanted.map(|it| usize::from(is_longer(it))))? == 1 {
            lengths = &sizes.longer;
        }
    }
    let (min, max) = (lengths[0], lengths[lengths.len() - 1]);
    let place = match wanted {
        Some(it) => Some(lengths.iter().position(|n| *n as usize == it.len())?),
        None => None,
    };
    if (max - min) as usize + 1 == lengths.len() {
        return answers.chars(min, max, wanted.map(<[char]>::len), &mut |it, at, n| add(it, at, n - 1 - at));
    }
    let at = answers.pick(&vec![1; lengths.len()], place)?;
    let n = lengths[at] as usize;
    answers.items(lengths[at], &mut |it, at| add(it, at, n - 1 - at))
}

/// An automaton, and what was found out about it so far.
#[derive(Debug)]
pub(super) struct Walk {
    language: Arc<Language>,
    /// For each state where it goes, the simplest characters first.
    steps: Vec<OnceLock<Vec<Step>>>,
    targets: OnceLock<Vec<Vec<u32>>>,
    /// For each length the states from which a text of that length is accepted.
    ends: Mutex<Vec<Arc<[bool]>>>,
}

#[derive(Debug)]
struct Step {
    low: char,
    high: char,
    to: u32,
    weight: u32,
}

impl Walk {
    pub(super) fn new(language: Arc<Language>) -> Walk {
        let steps = (0..language.states()).map(|_| OnceLock::new()).collect();
        Walk { language, steps, targets: OnceLock::new(), ends: Mutex::default() }
    }

    pub(super) fn is_of(&self, language: &Arc<Language>) -> bool {
        Arc::ptr_eq(&self.language, language)
    }

    fn steps(&self, state: u32) -> &[Step] {
        self.steps[state as usize].get_or_init(|| {
            let all = Domain::Char { min: '\0', max: char::MAX };
            let mut steps = self.language.steps(state);
            steps.sort_by_cached_key(|it| all.rank(Domain::Char { min: it.0, max: it.1 }.simplest()));
            let step = |(low, high, to): (char, char, u32)| {
                // Printable characters are what most texts are made of.
                let readable = (' '..='~').filter(|it| (low..=high).contains(it)).count() as u32;
                Step { low, high, to, weight: 4 * readable + u32::from(high > '~') }
            };
            let mut steps: Vec<Step> = steps.into_iter().map(step).collect();
            steps.iter_mut().for_each(|it| it.weight = it.weight.max(1));
            steps
        })
    }

    /// Where each state goes, whatever the characters.
    fn targets(&self) -> &[Vec<u32>] {
        self.targets
            .get_or_init(|| (0..self.steps.len() as u32).map(|it| self.language.targets(it)).collect())
    }

    /// The states from which a text of that length is accepted.
    fn ends(&self, length: usize) -> Arc<[bool]> {
        let mut ends = self.ends.lock().unwrap_or_else(PoisonError::into_inner);
        while ends.len() <= length {
            let row: Arc<[bool]> = match ends.last() {
                None => (0..self.steps.len() as u32).map(|it| self.language.accepts(it)).collect(),
                Some(last) => {
                    self.targets().iter().map(|it| it.iter().any(|it| last[*it as usize])).collect()
                }
            };
            ends.push(row);
        }
        Arc::clone(&ends[length])
    }

    /// One character, such that `left` more can follow, and where it leads.
    fn step(
        &self,
        state: u32,
        left: usize,
        answers: &mut Answers,
        wanted: Option<char>,
    ) -> Option<(char, u32)> {
        let ends = self.ends(left);
        let steps: Vec<&Step> = self.steps(state).iter().filter(|it| ends[it.to as usize]).collect();
        let holds = |it: &&Step| wanted.is_some_and(|c| (it.low..=it.high).contains(&c));
        let place = match wanted {
            Some(_) => Some(steps.iter().position(holds)?),
            None => None,
        };
        let weights: Vec<u32> = steps.iter().map(|it| it.weight).collect();
        let at = answers.pick(&weights, place)?;
        let Step { low, high, to, .. } = steps[at];
        Some((answers.char(*low, *high, wanted)?, *to))
    }
}

/// The lengths for which all terms hold, up to a bound; none where there is none.
fn some_lengths(all: impl Iterator<Item = usize>, terms: &[Term]) -> Option<Sizes> {
    let mut all = all.peekable();
    let most = LENGTH_MAX.max(all.peek()?.saturating_add(MORE)) as i128;
    let spec = Spec::new(Shape::int(0, most));
    let (mut set, mut rest) = (IntSet::range(0, most), Vec::new());
    for term in terms {
        match Whole::Int.narrowed(&set, &spec, term) {
            Some(it) => set = it,
            None => rest.push(term),
        }
    }
    let is_good = |it: usize| rest.iter().all(|term| holds(term, &spec, &Value::Int(it as i128)));
    let last = set.max()?.max(0) as usize;
    let mut good =
        all.take_while(|it| *it <= last).filter(|it| set.contains(*it as i128)).filter(|it| is_good(*it));
    let first = good.next()?;
    let all = [first].into_iter().chain(good).map(|it| it as u32);
    let (usual, longer): (Vec<u32>, Vec<u32>) = all.partition(|it| *it as usize <= first + MORE);
    Some(Sizes { usual: usual.into(), longer: longer.into() })
}

/// What a term that is about the length of `it` alone says of that number.
fn of_length(term: &Term) -> Option<Term> {
    let to_it = |it: &Term| matches!(it.node(), Node::Apply(Op::Len, of) if is_it(&of[0])).then(Term::it);
    let is_other = term.rewrite(&|it| to_it(it).map(|_| Term::always())).mentions(&is_it);
    (!is_other).then(|| term.rewrite(&to_it))
}

/// The texts for which a term holds, where an automaton can tell.
fn language_of(term: &Term) -> Option<Arc<Language>> {
    let text = |it: &Term| match closed(it)? {
        Value::Text(it) => Some(it),
        _ => None,
    };
    let made = match term.node() {
        Node::Const(Value::Bool(true)) => Language::any(),
        Node::Const(Value::Bool(false)) => Language::none(),
        Node::Matches(of, regex) if is_it(of) => return regex.language().ok(),
        Node::Apply(op, args) => match (op, &args[..]) {
            (Op::Not, [it]) => language_of(it)?.not(),
            (Op::And, _) => {
                args.iter().try_fold(Language::any(), |all, it| all.and(&*language_of(it)?).ok())?
            }
            (Op::Or, _) => {
                args.iter().try_fold(Language::none(), |all, it| all.or(&*language_of(it)?).ok())?
            }
            (Op::Eq, [a, b]) if is_it(a) => Language::literal(&text(b)?).ok()?,
            (Op::Eq, [a, b]) if is_it(b) => Language::literal(&text(a)?).ok()?,
            (Op::StartsWith, [a, b]) if is_it(a) => Language::starting_with(&text(b)?).ok()?,
            (Op::EndsWith, [a, b]) if is_it(a) => Language::ending_with(&text(b)?).ok()?,
            (Op::Contains, [a, b]) if is_it(a) => Language::containing(&text(b)?).ok()?,
            (Op::StartsWith | Op::EndsWith | Op::Contains, [a, b]) if is_it(b) => parts_of(&text(a)?, *op)?,
            (Op::In, [a, b]) if is_it(a) => match closed(b)? {
                Value::List(items) => items.iter().try_fold(Language::none(), |all, it| match it {
                    Value::Text(it) => all.or(&Language::literal(it).ok()?).ok(),
                    _ => None,
                })?,
                _ => return None,
            },
            _ => return None,
        },
        _ => return None,
    };
    Some(Arc::new(made))
}

/// The texts that a text begins with, ends with or contains.
fn parts_of(text: &str, op: Op) -> Option<Language> {
    let places: Vec<usize> = text.char_indices().map(|it| it.0).chain([text.len()]).collect();
    if places.len() > PARTS_OF {
        return None;
    }
    let pattern = |it: &str| Regex::literal(it);
    let mut all = vec![pattern("")];
    for (at, from) in places.iter().enumerate() {
        for to in &places[at..] {
            let fits = match op {
                Op::StartsWith => *from == 0,
                Op::EndsWith => *to == text.len(),
                _ => true,
            };
            if fits && from < to {
                all.push(pattern(&text[*from..*to]));
            }
        }
    }
    Some((*Regex::union(&all).language().ok()?).clone())
}
