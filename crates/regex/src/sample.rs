//! Texts for people and programs: mostly short, mostly readable, now and then neither.

use std::sync::Arc;

use super::chars::CharPreference;
use super::language::{Language, Transition};
use super::nfa;
use super::node::{Node, Repeat};
use super::pattern::Regex;
use crate::Random;

/// Makes texts of a language, one after the other. Every alternative of a pattern is as likely as its neighbors, most
/// repetitions are short, most characters are printable.
///
/// ```
/// use probity_regex::{Random, Regex};
/// let id = Regex::new(r"\b[a-z]\w+\b(-\d{2,4})?").unwrap();
/// let sampler = id.sampler()?;
/// let mut random = Random::new(7);
/// let mut text = String::new();
/// for _ in 0..100 {
///     sampler.sample_into(&mut random, &mut text);
///     assert!(id.is_match(&text));
/// }
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug)]
pub struct TextSampler(SampleMethod);

#[derive(Clone, Debug)]
enum SampleMethod {
    /// Along the pattern.
    Tree(Node, LengthStyle),
    /// Along the pattern, with assertions that have to be checked.
    Checked(Regex, LengthStyle),
    /// Along the automaton.
    Walk(SampleWalk),
}

/// Which lengths repetitions have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LengthStyle {
    /// Mostly short.
    Mixed,
    /// All of them long.
    Long,
}

/// Repetitions without end go on at most this many times beyond the least.
const EXTRA_MAX: u64 = 48;
/// What is mostly not passed.
const EXTRA_USUAL: u64 = 6;
/// What repetitions that are to be long have at least, and how many more.
const EXTRA_LONG: (u64, u64) = (5, 8);
/// Where a text has this many bytes already, repetitions are as short as they can be.
const TEXT_MAX: usize = 1 << 10;
/// This many texts are tried where assertions have to be checked.
const TRIES: u32 = 1_000;
/// And this many states and characters together.
const STEPS_MAX: u64 = 4_000_000;

impl Regex {
    /// Makes texts that match; an error where there are none, or none can be found.
    pub fn sampler(&self) -> Result<TextSampler, String> {
        self.sampler_of(LengthStyle::Mixed)
    }

    pub(super) fn sampler_of(&self, style: LengthStyle) -> Result<TextSampler, String> {
        let settled = self.settled();
        nfa::check_size(settled)?;
        if settled.is_nothing() {
            self.check_not_empty()?;
        }
        if !settled.has_looks() {
            return Ok(TextSampler(SampleMethod::Tree(settled.clone(), style)));
        }
        if let Ok(language) = self.language() {
            self.check_not_empty()?;
            return Ok(TextSampler(SampleMethod::Walk(SampleWalk::new(language, style))));
        }
        let res = TextSampler(SampleMethod::Checked(self.clone(), style));
        if res.try_sample(&mut Random::new(0)).is_none() {
            return Err(format!(
                "no text that matches `{}` was found in up to {TRIES} tries; leave out word boundaries in its middle",
                self.pattern()
            ));
        }
        Ok(res)
    }
}

impl Language {
    /// Makes its texts, one after the other; an error where it has none.
    pub fn sampler(&self) -> Result<TextSampler, String> {
        if self.is_empty() {
            return Err("there is no text to draw: the patterns exclude each other".to_string());
        }
        Ok(TextSampler(SampleMethod::Walk(SampleWalk::new(Arc::new(self.clone()), LengthStyle::Mixed))))
    }
}

impl TextSampler {
    /// Makes one.
    pub fn sample(&self, random: &mut Random) -> String {
        let mut res = String::new();
        self.sample_into(random, &mut res);
        res
    }

    /// Replaces `text` by one.
    #[inline]
    pub fn sample_into(&self, random: &mut Random, text: &mut String) {
        text.clear();
        match &self.0 {
            SampleMethod::Tree(node, style) => node.sample(random, *style, text),
            SampleMethod::Walk(walk) => walk.sample(random, text),
            SampleMethod::Checked(..) => {
                // One was found when the sampler was made, from this very seed.
                let found = self.try_sample(random).or_else(|| self.try_sample(&mut Random::new(0)));
                *text = found.unwrap_or_default();
            }
        }
    }

    fn try_sample(&self, random: &mut Random) -> Option<String> {
        let SampleMethod::Checked(regex, style) = &self.0 else { return Some(self.sample(random)) };
        let mut text = String::new();
        let (size, mut steps) = (nfa::size(regex.settled()), 0);
        for _ in 0..TRIES {
            text.clear();
            regex.settled().sample(random, *style, &mut text);
            steps += size + text.len() as u64;
            if steps > STEPS_MAX {
                break;
            }
            if regex.is_match(&text) {
                return Some(text);
            }
        }
        None
    }
}

impl Node {
    /// Appends a text, were it not for assertions. There must be one.
    pub(super) fn sample(&self, random: &mut Random, style: LengthStyle, text: &mut String) {
        let preference = CharPreference::nice(random);
        self.sample_by(random, style, preference, text);
    }

    fn sample_by(
        &self,
        random: &mut Random,
        style: LengthStyle,
        preference: CharPreference,
        text: &mut String,
    ) {
        match self {
            Node::Empty | Node::Look(_) => {}
            Node::Literal(it) => text.push_str(it),
            Node::Class(class) => text.push(class.picker().pick(random, preference)),
            Node::Concat(parts) => parts.iter().for_each(|it| it.sample_by(random, style, preference, text)),
            Node::Union(parts) => {
                let at = random.index(parts.len());
                // Alternatives that match nothing are rare, so look for the next one that does.
                let mut from = (0..parts.len()).map(|it| &parts[(at + it) % parts.len()]);
                if let Some(it) = from.find(|it| !it.is_nothing()) {
                    it.sample_by(random, style, preference, text);
                }
            }
            Node::Repeat(repeat) => {
                for _ in 0..times(repeat, random, style, text.len()) {
                    repeat.node.sample_by(random, style, preference, text);
                }
            }
        }
    }
}

/// How often a part is repeated in a text that has `len` bytes already.
fn times(repeat: &Repeat, random: &mut Random, style: LengthStyle, len: usize) -> u32 {
    let least = repeat.min;
    let more = repeat.max.map_or(u64::MAX, |max| u64::from(max - repeat.min));
    if len > TEXT_MAX || more == 0 || least == 0 && repeat.node.is_nothing() {
        return least;
    }
    let extra = match style {
        LengthStyle::Long if more <= EXTRA_MAX => more,
        LengthStyle::Long => EXTRA_LONG.0 + random.below(EXTRA_LONG.1 + 1),
        LengthStyle::Mixed if more <= 2 * EXTRA_USUAL => random.below(more + 1),
        LengthStyle::Mixed => match random.below(32) {
            0 => random.below(more.min(EXTRA_MAX) + 1),
            1 if more <= EXTRA_MAX => more,
            _ => random.below(EXTRA_USUAL + 1),
        },
    };
    least.saturating_add(extra as u32)
}

/// A way through an automaton.
#[derive(Clone, Debug)]
struct SampleWalk {
    language: Arc<Language>,
    /// How many characters from each state to the nearest end.
    distances: Arc<[u32]>,
    style: LengthStyle,
}

/// A move counts as if it had at most this many characters, lest rare ones are never made.
const MOVE_MAX: u32 = 24;

impl SampleWalk {
    fn new(language: Arc<Language>, style: LengthStyle) -> SampleWalk {
        let distances = distances(&language).into();
        SampleWalk { language, distances, style }
    }

    fn sample(&self, random: &mut Random, text: &mut String) {
        let (language, moves) = (&self.language, self.language.moves());
        let wanted = match (self.style, random.below(16)) {
            (LengthStyle::Long, _) => EXTRA_LONG.0 + random.below(EXTRA_LONG.1 + 1),
            (_, 0) => random.below(EXTRA_MAX + 1),
            _ => random.below(2 * EXTRA_USUAL + 1),
        };
        let mut state = language.dfa.start;
        let wanted = wanted + u64::from(self.distances[state as usize]);
        let preference = CharPreference::nice(random);
        let mut made = 0;
        loop {
            let ways = &moves[state as usize];
            let ends = language.dfa.accepts[state as usize];
            let stops = ends && (made >= wanted || self.style == LengthStyle::Mixed && random.chance(40));
            if ways.is_empty() || stops {
                return;
            }
            let near = self.distances[state as usize];
            // Enough was made: only towards an end from here.
            let is_open = |it: &&Transition| made < wanted || self.distances[it.to as usize] < near;
            let open = || ways.iter().filter(is_open);
            let mut place = random.below(open().map(|it| u64::from(it.n.min(MOVE_MAX))).sum());
            let mut way = None;
            for it in open() {
                way = Some(it);
                match place.checked_sub(it.n.min(MOVE_MAX).into()) {
                    Some(rest) => place = rest,
                    None => break,
                }
            }
            let Some(way) = way else { return };
            text.push(way.chars.picker.pick(random, preference));
            state = way.to;
            made += 1;
        }
    }
}

/// How many characters from each state to the nearest end.
pub(super) fn distances(language: &Language) -> Vec<u32> {
    let moves = language.moves();
    let mut sources = vec![Vec::new(); moves.len()];
    for (from, ways) in moves.iter().enumerate() {
        ways.iter().for_each(|it| sources[it.to as usize].push(from));
    }
    let mut res = vec![u32::MAX; moves.len()];
    let mut order: Vec<usize> = (0..moves.len()).filter(|&it| language.dfa.accepts[it]).collect();
    order.iter().for_each(|&it| res[it] = 0);
    let mut at = 0;
    while at < order.len() {
        for &from in &sources[order[at]] {
            if res[from] == u32::MAX {
                res[from] = res[order[at]] + 1;
                order.push(from);
            }
        }
        at += 1;
    }
    res
}
