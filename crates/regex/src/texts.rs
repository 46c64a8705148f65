//! Texts: drawn character by character along an automaton, or backwards: the answers that lead to a known text.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use probity_core::{Domain, Generator};

use crate::answers::Answers;
use crate::{Language, Regex, strings};

/// Texts are drawn by chance with at most this many characters more than the least.
const MORE: usize = 64;
/// Lengths above this are not looked at, unless there are no others.
const LENGTH_MAX: usize = 2_000;
/// An automaton is gone through where its states times the length of a text are no more than this.
const CELLS_MAX: usize = 10_000_000;

/// Some texts, and how they are drawn.
#[derive(Debug, Clone)]
pub struct Texts {
    kind: TextKind,
    /// The lengths they are drawn with; none where the pattern's own generator knows.
    lengths: Option<Sizes>,
}

/// What the characters of texts follow.
#[derive(Debug, Clone)]
pub enum TextKind {
    /// Any text.
    Any,
    /// Texts along an automaton.
    Walk(Arc<TextAutomaton>),
    /// Texts of a pattern whose automaton is too large.
    Of(Arc<Regex>),
}

/// Lengths that are drawn by chance, and longer ones that are drawn where they are wanted.
#[derive(Debug, Clone)]
struct Sizes {
    usual: Arc<[u32]>,
    longer: Arc<[u32]>,
}

impl Sizes {
    /// Some lengths in order; none where there is none.
    fn new(mut all: impl Iterator<Item = usize>) -> Option<Sizes> {
        let first = all.next()?;
        let all = [first].into_iter().chain(all).map(|it| it as u32);
        let (usual, longer): (Vec<u32>, Vec<u32>) = all.partition(|it| *it as usize <= first + MORE);
        Some(Sizes { usual: usual.into(), longer: longer.into() })
    }
}

impl Texts {
    /// Texts of these lengths, which are in order; none where there is none.
    pub fn of_lengths(kind: TextKind, lengths: impl Iterator<Item = usize>) -> Option<Texts> {
        Some(Texts { kind, lengths: Some(Sizes::new(lengths)?) })
    }

    /// Texts of a pattern; none where none matches.
    pub fn matching(regex: &Arc<Regex>) -> Option<Texts> {
        match regex.language() {
            Ok(it) if it.is_empty() || is_walkable(&it) => {
                let lengths = it.lengths().iter();
                Texts::of_lengths(
                    TextKind::Walk(Arc::new(TextAutomaton::new(Arc::clone(&it)))),
                    up_to_most(lengths)?.1,
                )
            }
            _ => Some(Texts::of_pattern(Arc::clone(regex))),
        }
    }

    /// Texts of a pattern as its own generator draws them.
    pub fn of_pattern(regex: Arc<Regex>) -> Texts {
        Texts { kind: TextKind::Of(regex), lengths: None }
    }

    /// What the characters follow.
    pub fn kind(&self) -> &TextKind {
        &self.kind
    }

    pub fn draw(&self, answers: &mut Answers, wanted: Option<&str>) -> Option<String> {
        let wanted: Option<Vec<char>> = wanted.map(|it| it.chars().collect());
        let wanted = wanted.as_deref();
        let mut res = String::new();
        match (&self.kind, &self.lengths) {
            (TextKind::Any, Some(sizes)) => {
                list(sizes, answers, wanted, &mut |answers, at, _| {
                    res.push(answers.char('\0', char::MAX, wanted.map(|it| it[at]))?);
                    Some(())
                })?;
            }
            (TextKind::Walk(walk), Some(sizes)) => {
                let mut state = walk.language.start();
                list(sizes, answers, wanted, &mut |answers, at, left| {
                    let (c, to) = walk.step(state, left, answers, wanted.map(|it| it[at]))?;
                    state = to;
                    res.push(c);
                    Some(())
                })?;
            }
            (TextKind::Of(regex), _) => match answers {
                Answers::Source(source) => res = strings(regex).generate(source),
                Answers::Known(..) => return None,
            },
            (_, None) => return None,
        }
        Some(res)
    }
}

/// The greatest of some lengths that is looked at, and those up to it; none where there is none.
pub fn up_to_most(lengths: impl Iterator<Item = usize>) -> Option<(usize, impl Iterator<Item = usize>)> {
    let mut lengths = lengths.peekable();
    let most = LENGTH_MAX.max(lengths.peek()?.saturating_add(MORE));
    Some((most, lengths.take_while(move |it| *it <= most)))
}

/// Whether its shortest texts are known, and few enough steps lead to them.
pub fn is_walkable(language: &Language) -> bool {
    let min = language.lengths().min();
    min.is_some_and(|it| (it + MORE).saturating_mul(language.states()) <= CELLS_MAX)
}

/// One of the lengths, then that many characters; `add` is told its place and how many are left after it.
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
pub struct TextAutomaton {
    language: Arc<Language>,
    /// For each state where it goes, the simplest characters first.
    steps: Vec<OnceLock<Vec<TextStep>>>,
    targets: OnceLock<Vec<Vec<u32>>>,
    /// For each length the states from which a text of that length is accepted.
    ends: Mutex<Vec<Arc<[bool]>>>,
}

#[derive(Debug)]
struct TextStep {
    low: char,
    high: char,
    to: u32,
    weight: u32,
}

impl TextAutomaton {
    pub fn new(language: Arc<Language>) -> TextAutomaton {
        let steps = (0..language.states()).map(|_| OnceLock::new()).collect();
        TextAutomaton { language, steps, targets: OnceLock::new(), ends: Mutex::default() }
    }

    /// What is gone through.
    pub fn language(&self) -> &Language {
        &self.language
    }

    pub fn is_of(&self, language: &Arc<Language>) -> bool {
        Arc::ptr_eq(&self.language, language)
    }

    fn steps(&self, state: u32) -> &[TextStep] {
        self.steps[state as usize].get_or_init(|| {
            let all = Domain::Char { min: '\0', max: char::MAX };
            let mut steps = self.language.steps(state);
            steps.sort_by_cached_key(|it| all.rank(Domain::Char { min: it.0, max: it.1 }.simplest()));
            let step = |(low, high, to): (char, char, u32)| {
                // Printable characters are what most texts are made of.
                let readable = (' '..='~').filter(|it| (low..=high).contains(it)).count() as u32;
                TextStep { low, high, to, weight: 4 * readable + u32::from(high > '~') }
            };
            let mut steps: Vec<TextStep> = steps.into_iter().map(step).collect();
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
        let steps: Vec<&TextStep> = self.steps(state).iter().filter(|it| ends[it.to as usize]).collect();
        let holds = |it: &&TextStep| wanted.is_some_and(|c| (it.low..=it.high).contains(&c));
        let place = match wanted {
            Some(_) => Some(steps.iter().position(holds)?),
            None => None,
        };
        let weights: Vec<u32> = steps.iter().map(|it| it.weight).collect();
        let at = answers.pick(&weights, place)?;
        let TextStep { low, high, to, .. } = steps[at];
        Some((answers.char(*low, *high, wanted)?, *to))
    }
}
