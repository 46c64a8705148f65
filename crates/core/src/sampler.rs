//! Random answers: what a random case draws, and how often.
//!
//! Every case has a *mix*, drawn from its seed, that says how its choices are answered. Deciding once
//! a case instead of once a choice keeps the common path free of branches, and gives each case a
//! character of its own: all plain, all small, many repeats, many edges.
//!
//! | mix | share of cases | an integer is | a length is |
//! | --- | --- | --- | --- |
//! | simplest | the first case only | the simplest | the least |
//! | plain | 6/16 | uniform over its domain | uniform |
//! | edgy | 6/16 | 1/2 an edge, 1/4 of any magnitude, 1/4 repeated or close to an earlier one | 1/8 each: least, one more, greatest; else uniform |
//! | small | 2/16 | at most 3 from the simplest | at most 12 over the least |
//! | repeating | 2/16 | 5/8 repeated, 1/8 close to an earlier one, 1/4 of any magnitude | uniform |
//!
//! Edges of an integer domain: least 1/4, greatest 1/4, simplest 1/8, its neighbours 1/8, powers of two
//! and their neighbours 1/4. Floats and characters have lists of their own below. A domain that does
//! not hold the wanted value gets a uniform one. A length that can pass 128 is of any magnitude in
//! seven of eight cases, so that a generous bound does not make every case slow.

use crate::rng::case_seed;
use crate::{Domain, Rng, Value};

/// Answers choices at random, with the shares that this file documents.
///
/// ```
/// use probity_core::{Domain, Sampler, Value};
/// let mut sampler = Sampler::new(7, 0);
/// assert_eq!(sampler.value(&Domain::int(0, 9)), Value::Int(0), "case 0 is the simplest");
/// ```
#[derive(Clone, Debug)]
pub struct Sampler {
    rng: Rng,
    mix: Mix,
    recent: [u64; RECENT],
    n_recent: usize,
    recent_floats: [f64; RECENT],
    n_recent_floats: usize,
    recent_wide: Option<i128>,
}

/// How many earlier values are remembered; a power of two.
const RECENT: usize = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mix {
    Simplest,
    Plain,
    Edgy,
    Small,
    Repeating,
}

impl Sampler {
    /// The sampler of case number `index` in a search that was seeded with `seed`.
    #[inline]
    pub fn new(seed: u64, index: u64) -> Self {
        let mut res = Sampler {
            rng: Rng::new(0),
            mix: Mix::Simplest,
            recent: [0; RECENT],
            n_recent: 0,
            recent_floats: [0.0; RECENT],
            n_recent_floats: 0,
            recent_wide: None,
        };
        res.start(seed, index);
        res
    }

    /// Makes this the sampler of another case.
    #[inline]
    pub fn start(&mut self, seed: u64, index: u64) {
        self.rng = Rng::new(case_seed(seed, index));
        self.n_recent = 0;
        self.n_recent_floats = 0;
        self.recent_wide = None;
        self.mix = match self.rng.word() >> 60 {
            _ if index == 0 => Mix::Simplest,
            0..=5 => Mix::Plain,
            6..=11 => Mix::Edgy,
            12..=13 => Mix::Small,
            _ => Mix::Repeating,
        };
    }

    /// A member of `domain`.
    pub fn value(&mut self, domain: &Domain) -> Value {
        match *domain {
            Domain::Bool => Value::Bool(self.bool()),
            Domain::Int { min, max, origin } => {
                let (span, from_min) = (max.abs_diff(min), origin.abs_diff(min));
                Value::Int(match (u64::try_from(span), u64::try_from(from_min)) {
                    (Ok(span), Ok(from_min)) => min + i128::from(self.offset(min as u64, span, from_min)),
                    _ => self.wide(min, max, origin),
                })
            }
            Domain::Float { min, max, nan, single } => Value::Float(self.float(min, max, nan, single)),
            Domain::Char { min, max } => Value::Char(self.char(min, max)),
            Domain::Pick { n, ref weights } => Value::Pick(match weights {
                Some(weights) => self.weighted(weights),
                None => self.pick(n),
            }),
            Domain::Length { min, max } => Value::Length(self.length(min, max)),
        }
    }

    #[inline]
    pub(crate) fn bool(&mut self) -> bool {
        let it = self.rng.word() >> 63 == 1;
        it && self.mix != Mix::Simplest
    }

    #[inline]
    pub(crate) fn pick(&mut self, n: u32) -> u32 {
        let it = self.rng.below(u64::from(n)) as u32;
        if self.mix == Mix::Simplest { 0 } else { it }
    }

    #[inline]
    pub(crate) fn weighted(&mut self, weights: &[u32]) -> u32 {
        let total: u64 = weights.iter().map(|&it| u64::from(it)).sum();
        let mut at = self.rng.below(total);
        if self.mix == Mix::Simplest {
            return 0;
        }
        for (i, &weight) in weights.iter().enumerate() {
            match at.checked_sub(u64::from(weight)) {
                Some(rest) => at = rest,
                None => return i as u32,
            }
        }
        0
    }

    /// An integer of at most 64 bits, as its distance from `min`, which has the bits `base`. `span` is
    /// the distance of the greatest member, `origin` that of the simplest.
    #[inline]
    pub(crate) fn offset(&mut self, base: u64, span: u64, origin: u64) -> u64 {
        if self.mix == Mix::Plain { self.uniform(span) } else { self.mixed_offset(base, span, origin) }
    }

    #[inline]
    fn uniform(&mut self, span: u64) -> u64 {
        let word = self.rng.word();
        match span.checked_add(1) {
            Some(n) => ((u128::from(word) * u128::from(n)) >> 64) as u64,
            None => word,
        }
    }

    fn mixed_offset(&mut self, base: u64, span: u64, origin: u64) -> u64 {
        // One word decides everything: the low bits say what to do, the high ones with what.
        let word = self.rng.word();
        let wanted = match (self.mix, word & 7) {
            (Mix::Simplest, _) => return origin,
            (Mix::Small, _) => Some(around(origin, word >> 62, word & 8 == 0)),
            (Mix::Edgy, 0..=3) => edge(word >> 3, span, origin),
            (Mix::Edgy, 4 | 5) | (Mix::Repeating, 0..=5) => self.earlier(word, base),
            _ => Some(around(origin, (word >> 4) >> (self.rng.word() & 63), word & 8 == 0)),
        };
        let res = wanted.filter(|&it| it <= span).unwrap_or_else(|| self.uniform(span));
        self.recent[self.n_recent % RECENT] = base.wrapping_add(res);
        self.n_recent += 1;
        res
    }

    /// The distance from `base` to an earlier value, or to one close to it.
    fn earlier(&mut self, word: u64, base: u64) -> Option<u64> {
        let n = self.n_recent.min(RECENT) as u64;
        if n == 0 {
            return None;
        }
        let value = self.recent[(((word >> 32) * n) >> 32) as usize];
        let exact = if self.mix == Mix::Repeating { word & 7 != 5 } else { word & 8 == 0 };
        let value = match (word >> 4) & 7 {
            _ if exact => value,
            0..=2 => value.wrapping_add(1),
            3..=5 => value.wrapping_sub(1),
            6 => value.wrapping_neg(),
            _ => value ^ 1 << (word >> 8 & 63),
        };
        Some(value.wrapping_sub(base))
    }

    /// An integer of a domain that needs more than 64 bits. Rare, so made for clarity.
    fn wide(&mut self, min: i128, max: i128, origin: i128) -> i128 {
        let span = max.abs_diff(min);
        let word = self.rng.word();
        let bits = u128::from(self.rng.word()) << 64 | u128::from(self.rng.word());
        let magnitude = (bits >> (word >> 57)) as i128;
        let wanted = match (self.mix, word & 7) {
            (Mix::Simplest, _) => return origin,
            (Mix::Plain, _) => None,
            (Mix::Small, _) => origin.checked_add((bits & 7) as i128 - 3),
            (Mix::Edgy, 0) => Some(min),
            (Mix::Edgy, 1) => Some(max),
            (Mix::Edgy, 2) => Some(origin),
            (Mix::Edgy, 3) => origin.checked_add(if word & 8 == 0 { 1 } else { -1 }),
            (Mix::Edgy, 4 | 5) | (Mix::Repeating, 0..=5) => self.recent_wide,
            _ => origin.checked_add(if word & 8 == 0 { magnitude } else { magnitude.wrapping_neg() }),
        };
        let uniform = || match span.checked_add(1) {
            Some(n) => min.wrapping_add_unsigned(bits % n),
            None => bits as i128,
        };
        let res = wanted.filter(|it| (min..=max).contains(it)).unwrap_or_else(uniform);
        self.recent_wide = Some(res);
        res
    }

    #[inline]
    pub(crate) fn length(&mut self, min: u32, max: u32) -> u32 {
        let room = u64::from(max - min);
        let word = self.rng.word();
        let extra = match self.mix {
            Mix::Simplest => 0,
            Mix::Small => word % 13,
            Mix::Edgy if word & 7 < 3 => [0, 1, room][(word & 7) as usize],
            _ if room > 128 && word & 0x38 != 0 => {
                let bits = u64::from(64 - room.leading_zeros());
                (word >> 32) & ((2 << (((word >> 6 & 0xffff) * bits) >> 16)) - 1)
            }
            _ => ((word >> 32) * (room + 1)) >> 32,
        };
        min + if extra <= room { extra } else { self.rng.below(room + 1) } as u32
    }

    pub(crate) fn char(&mut self, min: char, max: char) -> char {
        let word = self.rng.word();
        let whole = min == '\0' && max == char::MAX;
        let wanted = match (self.mix, word & 7) {
            (Mix::Simplest, _) => None,
            (Mix::Small, _) => char::from_u32((if whole { 'a' } else { min }) as u32 + (word >> 62) as u32),
            (Mix::Edgy, 0) => Some(min),
            (Mix::Edgy, 1) => Some([max, '\n'][usize::from(whole)]),
            (Mix::Edgy, 2 | 3) => Some(ODD_CHARS[(((word >> 32) * ODD_CHARS.len() as u64) >> 32) as usize]),
            (Mix::Edgy, 4) | (Mix::Repeating, 0..=4) if self.n_recent > 0 => {
                char::from_u32(self.recent[word as usize >> 4 & (self.n_recent.min(RECENT) - 1)] as u32)
            }
            _ if whole => bulk_char(word),
            _ => None,
        };
        let simplest = || Domain::Char { min, max }.simplest();
        let res = match wanted.filter(|it| (min..=max).contains(it)) {
            Some(it) => it,
            None if self.mix == Mix::Simplest => match simplest() {
                Value::Char(it) => it,
                _ => min,
            },
            None => {
                let at = min as u32 + self.rng.below(u64::from(max as u32 - min as u32) + 1) as u32;
                // A hit in the surrogate gap falls to the nearer member below it, or to the least.
                char::from_u32(at).unwrap_or(if min <= '\u{d7ff}' { '\u{d7ff}' } else { min })
            }
        };
        if self.mix != Mix::Plain {
            self.recent[self.n_recent % RECENT] = u64::from(res as u32);
            self.n_recent += 1;
        }
        res
    }

    /// Random bits: every magnitude alike. Not always finite.
    fn any_bits(&mut self, single: bool) -> f64 {
        let word = self.rng.word();
        if single { f64::from(f32::from_bits(word as u32)) } else { f64::from_bits(word) }
    }

    pub(crate) fn float(&mut self, min: f64, max: f64, nan: bool, single: bool) -> f64 {
        let domain = Domain::Float { min, max, nan, single };
        let word = self.rng.word();
        let wanted = match (self.mix, word & 7) {
            (Mix::Simplest, _) => None,
            (Mix::Small, _) => Some((word >> 61) as f64 - 3.0),
            (Mix::Edgy, 0) if nan => Some(f64::NAN.copysign(if word & 8 == 0 { 1.0 } else { -1.0 })),
            (Mix::Edgy, 0) => Some(min),
            (Mix::Edgy, 1) => Some(max),
            (Mix::Edgy, 2 | 3) => {
                let odd = ODD_FLOATS[(((word >> 32) * ODD_FLOATS.len() as u64) >> 32) as usize];
                Some(if word & 8 == 0 { odd } else { -odd })
            }
            (Mix::Edgy, 4 | 5) | (Mix::Repeating, 0..=5) if self.n_recent_floats > 0 => {
                let it = self.recent_floats[word as usize >> 4 & (self.n_recent_floats.min(RECENT) - 1)];
                Some(match word >> 60 {
                    0 => it.next_up(),
                    1 => it.next_down(),
                    2 => -it,
                    _ => it,
                })
            }
            _ if min.is_finite() && max.is_finite() => Some(between(word, min, max)),
            (_, 0..=3) => Some(self.any_bits(single)).filter(|it| it.is_finite()),
            // Numbers of everyday size: a few digits, a few binary or decimal places.
            _ => Some((word >> 8 & 0xf_ffff) as f64 / EVERYDAY[(word >> 32 & 7) as usize])
                .map(|it| if word & 8 == 0 { it } else { -it }),
        };
        let member =
            |it: f64| Some(domain.fit(Value::Float(it))).filter(|fit| *fit == Value::Float(it) || single);
        let res = match wanted.and_then(member) {
            Some(Value::Float(it)) => it,
            _ => match domain.simplest() {
                Value::Float(_) if self.mix != Mix::Simplest && min.is_finite() && max.is_finite() => {
                    match domain.fit(Value::Float(between(self.rng.word(), min, max))) {
                        Value::Float(it) => it,
                        _ => min,
                    }
                }
                Value::Float(it) => it,
                _ => min,
            },
        };
        self.recent_floats[self.n_recent_floats % RECENT] = res;
        self.n_recent_floats += 1;
        res
    }
}

/// The place `distance` above or below `origin`; wraps when there is no such place, and is then refused.
#[inline]
fn around(origin: u64, distance: u64, up: bool) -> u64 {
    if up || origin < distance { origin.wrapping_add(distance) } else { origin - distance }
}

fn edge(bits: u64, span: u64, origin: u64) -> Option<u64> {
    let up = bits & 8 == 0;
    match bits & 7 {
        0 | 1 => Some(0),
        2 | 3 => Some(span),
        4 => Some(origin),
        5 => Some(around(origin, 1, up)),
        _ => {
            let widest = 64 - u64::from(span.leading_zeros());
            let power = 1u64 << (((bits >> 32) * widest) >> 32 & 63);
            Some(around(origin, power.wrapping_add((bits >> 4) % 3).wrapping_sub(1), up))
        }
    }
}

fn between(word: u64, min: f64, max: f64) -> f64 {
    let share = (word >> 11) as f64 / (1u64 << 53) as f64;
    // Halved first, so that the width of a very wide interval does not overflow.
    let it = 2.0 * (min / 2.0 + share * (max / 2.0 - min / 2.0));
    it.clamp(min, max)
}

fn bulk_char(word: u64) -> Option<char> {
    let at = (word >> 32) as u32;
    let below = |n: u32| ((u64::from(at) * u64::from(n)) >> 32) as u32;
    char::from_u32(match word >> 4 & 7 {
        0..=4 => 0x20 + below(0x5f),
        5 => 0x80 + below(0x780),
        6 => below(0xd800),
        _ => 0x1_0000 + below(0x10_0000),
    })
}

const EVERYDAY: [f64; 8] = [1.0, 2.0, 10.0, 16.0, 100.0, 1000.0, 1024.0, 1_000_000.0];

/// Characters on which code is known to trip.
const ODD_CHARS: [char; 32] = [
    '\0',
    '\u{1}',
    '\t',
    '\r',
    ' ',
    '"',
    '\'',
    '\\',
    '/',
    '<',
    '%',
    '\u{7f}',
    '\u{80}',
    '\u{a0}',
    'ß',
    'İ',
    'ı',
    'ǅ',
    '\u{301}',
    'א',
    '\u{200d}',
    '\u{202e}',
    '\u{2028}',
    'K',
    '\u{d7ff}',
    '\u{e000}',
    '\u{feff}',
    'ﬀ',
    '\u{fffd}',
    '\u{ffff}',
    '😀',
    '\u{10ffff}',
];

/// Floats on which code is known to trip; each is tried with either sign.
const ODD_FLOATS: [f64; 16] = [
    0.0,
    0.0,
    1.0,
    f64::INFINITY,
    f64::INFINITY,
    f64::MAX,
    f64::MIN_POSITIVE,
    5e-324,
    f64::EPSILON,
    0.1,
    1.0 / 3.0,
    0.5,
    9_007_199_254_740_993.0,
    4_294_967_296.0,
    3.402_823_466_385_288_6e38, // the greatest f32
    1.401_298_464_324_817e-45,  // the least subnormal f32
];
