//! Texts that do not match, close to those that do.

use std::sync::OnceLock;

use super::pattern::Regex;
use super::sample::TextSampler;
use crate::Random;

/// Makes texts that a pattern does not match: most of them are one edit away from one that it does.
///
/// ```
/// use probity_regex::{Random, Regex};
/// let year = Regex::new(r"(19|20)\d\d").unwrap();
/// let misses = year.near_misses()?;
/// let mut random = Random::new(7);
/// assert!((0..100).all(|_| !year.is_match(&misses.sample(&mut random))));
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug)]
pub struct NearMisses {
    regex: Regex,
    matches: Option<TextSampler>,
    /// All texts that do not match, for patterns of which nearly every edit matches again.
    others: OnceLock<Option<TextSampler>>,
}

/// This many edits are tried before another text is taken that does not match.
const TRIES: u32 = 64;
/// Out of 256 texts, how many are not edits but any others.
const OTHERS_SHARE: u8 = 24;

impl Regex {
    /// Makes texts that do not match; an error where every text does.
    pub fn near_misses(&self) -> Result<NearMisses, String> {
        let res = NearMisses { regex: self.clone(), matches: self.sampler().ok(), others: OnceLock::new() };
        match res.try_sample(&mut Random::new(0)) {
            Some(_) => Ok(res),
            // Only an automaton knows that there is none.
            None => Err(match self.language() {
                Ok(_) => format!("every text matches `{}`", self.pattern()),
                Err(reason) => format!("no text was found that does not match: {reason}"),
            }),
        }
    }
}

impl NearMisses {
    /// Makes one.
    pub fn sample(&self, random: &mut Random) -> String {
        // One was found from this very seed when this was made.
        self.try_sample(random).or_else(|| self.try_sample(&mut Random::new(0))).unwrap_or_default()
    }

    fn try_sample(&self, random: &mut Random) -> Option<String> {
        if random.chance(OTHERS_SHARE)
            && let Some(text) = self.other(random)
        {
            return Some(text);
        }
        let found = (0..TRIES).find_map(|_| self.edit(random));
        found.or_else(|| {
            let sampler = || self.regex.language().ok()?.not().sampler().ok();
            Some(self.others.get_or_init(sampler).as_ref()?.sample(random))
        })
    }

    /// Any characters, unless they match.
    fn other(&self, random: &mut Random) -> Option<String> {
        let text: String = (0..random.below(12)).map(|_| odd_char(&[], random)).collect();
        (!self.regex.is_match(&text)).then_some(text)
    }

    /// A text that matches with one edit, unless it still matches.
    fn edit(&self, random: &mut Random) -> Option<String> {
        let mut chars: Vec<char> = match &self.matches {
            Some(matches) => matches.sample(random).chars().collect(),
            None => Vec::new(),
        };
        let len = chars.len();
        match random.below(7) {
            0 if len > 0 => {
                chars.remove(random.index(len));
            }
            1 if len > 0 => chars[random.index(len)] = odd_char(&chars, random),
            2 if len > 1 => {
                let at = random.index(len - 1);
                chars.swap(at, at + 1);
            }
            3 if len > 0 => {
                let at = random.index(len);
                chars.insert(at, chars[at]);
            }
            4 if len > 0 => {
                let at = random.index(len);
                chars[at] = other_case(chars[at]);
            }
            5 if len > 0 => chars.truncate(random.index(len)),
            _ => {
                let new = odd_char(&chars, random);
                chars.insert(random.index(len + 1), new);
            }
        }
        let text = String::from_iter(chars);
        (!self.regex.is_match(&text)).then_some(text)
    }
}

/// A character that a program might not expect: one of the text, or one of several kinds.
fn odd_char(chars: &[char], random: &mut Random) -> char {
    const ODD: [char; 16] =
        ['a', 'Z', '0', '9', '_', '-', '.', ' ', '\n', '\t', '\0', '"', '/', 'é', '中', '\u{1f600}'];
    match random.below(4) {
        0 if !chars.is_empty() => chars[random.index(chars.len())],
        1 => char::from(b' ' + random.below(95) as u8),
        _ => ODD[random.index(ODD.len())],
    }
}

fn other_case(c: char) -> char {
    if c.is_ascii_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() }
}
