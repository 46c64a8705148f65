//! Random characters and floats.

use super::{DONE_SAME, Mix, RECENT, Sampler, scale_down};
use crate::source::PREALLOCATED_MAX;
use crate::{Domain, Value};

impl Sampler {
    pub(crate) fn char(&mut self, min: char, max: char) -> char {
        let word = self.rng.word();
        let whole = min == '\0' && max == char::MAX;
        let wanted = match (self.mix, word & 7) {
            (Mix::Simplest, _) => None,
            (Mix::Small, _) if self.n_lists == DONE_SAME => Some('a'),
            (Mix::Small, _) => char::from_u32((if whole { 'a' } else { min }) as u32 + (word >> 62) as u32),
            (Mix::Edgy, 0) => Some(min),
            (Mix::Edgy, 1) => Some([max, '\n'][usize::from(whole)]),
            (Mix::Edgy, 2 | 3) => Some(ODD_CHARS[(((word >> 32) * ODD_CHARS.len() as u64) >> 32) as usize]),
            (Mix::Edgy, 5) => beside_edge(word, min, max, whole),
            (Mix::Edgy, 4) | (Mix::Repeating, 0..=4) if self.n_recent > 0 => char::from_u32(
                self.recent[(word >> 4) as usize & (self.n_recent.min(RECENT) - 1) as usize] as u32,
            ),
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
            self.recent[(self.n_recent % RECENT) as usize] = u64::from(res as u32);
            self.n_recent += 1;
        }
        res
    }

    /// Adds `n` characters of a plain case to `res`: what `n` calls of [`char`](Self::char) would give, at a fraction of the
    /// price (strings of 50: 1,900 instructions instead of 6,500).
    pub(crate) fn add_plain_chars(&mut self, n: u32, res: &mut String) {
        // Seven bytes for four characters, on average.
        res.reserve(2 * n.min(PREALLOCATED_MAX) as usize);
        // The generator is copied out of `self`, so that it stays in registers.
        let mut rng = self.rng.clone();
        for _ in 0..n {
            res.push(bulk_char(rng.word()).unwrap_or_default());
        }
        self.rng = rng;
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
                let it = self.recent_floats
                    [(word >> 4) as usize & (self.n_recent_floats.min(RECENT) - 1) as usize];
                Some(match word >> 60 {
                    0 => it.next_up(),
                    1 => it.next_down(),
                    2 => -it,
                    _ => it,
                })
            }
            // Evenly spread numbers leave out most of the small ones.
            (Mix::Edgy, 6) if min.is_finite() && max.is_finite() => {
                Some(of_any_magnitude(self.rng.word(), min, max, single))
            }
            (Mix::Edgy, 6 | 7) => Some(beside_power(word, single)),
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
        self.recent_floats[(self.n_recent_floats % RECENT) as usize] = res;
        self.n_recent_floats += 1;
        res
    }
}

/// A power of two at which a type of numbers ends, or what lies beside it: the next integers, halves and floats.
fn beside_power(word: u64, single: bool) -> f64 {
    let power = 2.0f64.powi(EXPONENTS[(word >> 60) as usize]);
    let (down, up) = match single {
        true => (f64::from((power as f32).next_down()), f64::from((power as f32).next_up())),
        false => (power.next_down(), power.next_up()),
    };
    let beside = [power, power, power - 1.0, power + 1.0, power - 0.5, power + 0.5, down, up];
    let it = beside[(word >> 32) as usize % beside.len()];
    if word & 8 == 0 { it } else { -it }
}

/// A character beside one end of its domain; where that is all of them, at a power of two or before it.
fn beside_edge(word: u64, min: char, max: char, whole: bool) -> Option<char> {
    let is_low = word & 8 == 0;
    char::from_u32(match (whole, is_low) {
        (true, _) => (1 << (4 + (word >> 60))) - u32::from(is_low),
        (_, true) => min as u32 + 1,
        (_, false) => (max as u32).checked_sub(1)?,
    })
}

fn between(word: u64, min: f64, max: f64) -> f64 {
    let share = (word >> 11) as f64 / (1u64 << 53) as f64;
    // Halved first, so that the width of a very wide interval does not overflow.
    let it = 2.0 * (min / 2.0 + share * (max / 2.0 - min / 2.0));
    it.clamp(min, max)
}

/// A float between two others, each as likely as the next one.
fn of_any_magnitude(word: u64, min: f64, max: f64, single: bool) -> f64 {
    let place = |bits: i64| bits ^ ((bits >> 63) as u64 >> 1) as i64;
    let among = |low: i64, high: i64| low.wrapping_add_unsigned(scale_down(word, high.abs_diff(low)));
    if single {
        // Its bits in the upper half, so that the sign is where it is expected.
        let place_of = |it: f64| place(i64::from((it as f32).to_bits() as i32) << 32) >> 32;
        let at = among(place_of(min), place_of(max)) << 32;
        return f64::from(f32::from_bits((place(at) >> 32) as u32));
    }
    f64::from_bits(place(among(place(min.to_bits() as i64), place(max.to_bits() as i64))) as u64)
}

fn bulk_char(word: u64) -> Option<char> {
    let at = (word >> 32) as u32;
    let below = |n: u32| ((u64::from(at) * u64::from(n)) >> 32) as u32;
    char::from_u32(match word >> 4 & 7 {
        0..=4 => 0x20 + below(0x5f),
        5 => 0x80 + below(0x780),
        // Beyond the gap of the surrogates there are few.
        6 if word >> 7 & 15 == 0 => 0xe000 + below(0x2000),
        6 => below(0xd800),
        _ => 0x1_0000 + below(0x10_0000),
    })
}

const EVERYDAY: [f64; 8] = [1.0, 2.0, 10.0, 16.0, 100.0, 1000.0, 1024.0, 1_000_000.0];

/// Characters on which code is known to trip.
const ODD_CHARS: [char; 36] = [
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
    '\u{ff}',
    'ß',
    'İ',
    'ı',
    'ǅ',
    '\u{301}',
    'א',
    '\u{7ff}', // the last that takes two bytes
    '\u{800}',
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
    '\u{10000}', // the first that takes four bytes, and two words
    '😀',
    '\u{10ffff}',
];

/// Powers of two at which integers and the integers among floats end.
const EXPONENTS: [i32; 16] = [0, 4, 7, 8, 10, 15, 16, 23, 24, 31, 32, 52, 53, 63, 64, 127];

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
