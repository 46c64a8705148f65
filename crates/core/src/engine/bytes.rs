//! Answers as bytes and back: what other fuzzers read and write.
//!
//! Both ways are total: every byte string answers every test, and every trace has bytes that answer as it does. A number
//! is in the bytes as itself, little-endian, in as many of them as its domain needs, and text stands there as UTF-8.
//! So the dictionaries of a fuzzer, and what it learns from comparisons, fit. A list has no more items than bytes follow, beyond those
//! that it has to have.

use super::{Ended, Engine, Stop};
use crate::{Case, Domain, Trace, Value};

/// Answers that are read from bytes, as other fuzzers make them. When the bytes are used up, the simplest answers follow.
///
/// ```
/// use probity_core::{ByteReplay, Source, run_case};
/// let bytes = [0x34, 0x12, 0xff, 3, b'm', b'a', b'g'];
/// let mut source = Source::new(Box::new(ByteReplay::new(bytes.to_vec())));
/// let mut seen = (0, 0, String::new(), 0);
/// run_case(&mut source, &mut |src: &mut Source| seen = src.any::<(u16, i8, String, u64)>()).unwrap();
/// assert_eq!(seen, (0x1234, -1, "mag".to_string(), 0));
/// ```
pub struct ByteReplay {
    bytes: Vec<u8>,
    cursor: usize,
    /// What comes after the case that is set; one case comes without it.
    more: Option<Box<dyn Iterator<Item = Vec<u8>>>>,
    begun: bool,
}

impl ByteReplay {
    /// Answers one case from `bytes`.
    pub fn new(bytes: Vec<u8>) -> Self {
        ByteReplay { bytes, cursor: 0, more: None, begun: false }
    }

    /// Answers one case from each of these.
    ///
    /// ```
    /// use probity_core::{Budget, ByteReplay, Source, search};
    /// let budget = Budget { cases: 9, rejects: 10, go_on: &mut |_| true, progress: Default::default() };
    /// let mut seen = Vec::new();
    /// let mut test = |src: &mut Source| seen.push(src.any::<u8>());
    /// search(Box::new(ByteReplay::each([vec![3], vec![1, 2]])), &mut test, budget).unwrap();
    /// assert_eq!(seen, [3, 1]);
    /// ```
    pub fn each(cases: impl IntoIterator<Item = Vec<u8>, IntoIter: 'static>) -> Self {
        ByteReplay { more: Some(Box::new(cases.into_iter())), ..ByteReplay::new(Vec::new()) }
    }

    /// The next byte, if there is one.
    fn next(&mut self) -> Option<u8> {
        let res = self.bytes.get(self.cursor).copied();
        self.cursor += usize::from(res.is_some());
        res
    }

    /// The number of `width` little-endian bytes; those that are missing are zero.
    fn number(&mut self, width: u32) -> u128 {
        (0..width).map_while(|at| Some(u128::from(self.next()?) << (8 * at))).sum()
    }

    /// The character that begins here, if one does.
    fn char(&mut self) -> Option<char> {
        let rest = &self.bytes[self.cursor..];
        // A character has at most four bytes.
        let valid = match std::str::from_utf8(&rest[..rest.len().min(4)]) {
            Ok(text) => text,
            Err(err) => std::str::from_utf8(&rest[..err.valid_up_to()]).unwrap_or_default(),
        };
        let res = valid.chars().next()?;
        self.cursor += res.len_utf8();
        Some(res)
    }

    /// A member of `domain`, from bytes of which there is at least one.
    fn read(&mut self, domain: &Domain) -> Value {
        match *domain {
            Domain::Bool => Value::Bool(self.number(1) & 1 == 1),
            Domain::Int { min, max, .. } => {
                let raw = self.number(width(max.abs_diff(min)));
                Value::Int(min.wrapping_add_unsigned(folded(raw, min as u128, max.abs_diff(min))))
            }
            Domain::Float { min, max, single, .. } => {
                let (raw, it) = if single {
                    let raw = self.number(4) as u32;
                    (u64::from(raw) << 32, f64::from(f32::from_bits(raw)))
                } else {
                    let raw = self.number(8) as u64;
                    (raw, f64::from_bits(raw))
                };
                if domain.contains(Value::Float(it)) {
                    return Value::Float(it);
                }
                // Part of the way from the least to the greatest.
                let part = raw as f64 / u64::MAX as f64;
                domain.fit(Value::Float(min * (1.0 - part) + max * part))
            }
            Domain::Char { .. } => match self.char().map(Value::Char) {
                Some(it) if domain.contains(it) => it,
                Some(Value::Char(it)) => rank_folded(domain, u128::from(u32::from(it))),
                _ => {
                    let raw = self.number(1);
                    rank_folded(domain, raw)
                }
            },
            Domain::Pick { n, .. } => {
                let raw = self.number(width(u128::from(n - 1)));
                let it = Value::Pick(raw as u32);
                if domain.contains(it) { it } else { rank_folded(domain, raw) }
            }
            Domain::Length { min, max, .. } => {
                let span = max - min;
                let raw = match self.number(1) as u8 {
                    // Few lists are long: most take one byte.
                    TWO_BYTES if span > ONE_BYTE_MAX => self.number(2),
                    FOUR_BYTES if span > ONE_BYTE_MAX => self.number(4),
                    it => u128::from(it),
                };
                // Nobody asked for a long list whose items are all the simplest.
                let most = u128::from(span).min((self.bytes.len() - self.cursor) as u128);
                Value::Length(min + (raw % (most + 1)) as u32)
            }
        }
    }
}

impl Engine for ByteReplay {
    fn begin(&mut self) -> Result<(), Ended> {
        self.cursor = 0;
        match &mut self.more {
            Some(more) => self.bytes = more.next().ok_or(Ended::Exhausted)?,
            None if std::mem::replace(&mut self.begun, true) => return Err(Ended::Exhausted),
            None => {}
        }
        Ok(())
    }

    fn answer(&mut self, domain: &Domain, _: &Trace) -> Result<Value, Stop> {
        Ok(if self.cursor == self.bytes.len() || has_one(domain) {
            domain.simplest()
        } else {
            self.read(domain)
        })
    }

    fn end(&mut self, _: &Case) {}
}

/// The greatest span of lengths that always take one byte.
const ONE_BYTE_MAX: u32 = 253;
/// A length follows in two bytes.
const TWO_BYTES: u8 = 254;
/// A length follows in four bytes.
const FOUR_BYTES: u8 = 255;

impl Trace {
    /// Bytes from which [`ByteReplay`](crate::ByteReplay) answers as this trace does.
    ///
    /// ```
    /// use probity_core::{ByteReplay, Random, Source, run_case};
    /// let mut test = |src: &mut Source| { src.any::<(u32, Vec<String>)>(); };
    /// let case = run_case(&mut Source::new(Box::new(Random::at(7, 3))), &mut test).unwrap();
    /// let bytes = ByteReplay::new(case.trace.to_bytes());
    /// let again = run_case(&mut Source::new(Box::new(bytes)), &mut test).unwrap();
    /// assert_eq!(again.trace, case.trace);
    /// ```
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut res = Vec::new();
        let mut least = 0;
        for choice in self.choices.iter().filter(|it| !has_one(&it.domain)) {
            write(&choice.domain, choice.value, &mut res);
            if let (Domain::Length { min, .. }, Value::Length(it)) = (&choice.domain, choice.value) {
                least = least.max(res.len() + (it - min) as usize);
            }
        }
        // Items may take no bytes; a list has as many as bytes follow, whatever reads them.
        res.resize(least.max(res.len()), 0);
        res
    }
}

fn write(domain: &Domain, value: Value, res: &mut Vec<u8>) {
    let mut number = |it: u128, width: u32| res.extend(&it.to_le_bytes()[..width as usize]);
    match (domain, value) {
        (&Domain::Int { min, max, .. }, Value::Int(it)) => number(it as u128, width(max.abs_diff(min))),
        (Domain::Float { single: true, .. }, Value::Float(it)) => number((it as f32).to_bits().into(), 4),
        (_, Value::Float(it)) => number(it.to_bits().into(), 8),
        (Domain::Pick { n, .. }, Value::Pick(it)) => number(it.into(), width(u128::from(n - 1))),
        (&Domain::Length { min, max, .. }, Value::Length(it)) => match it - min {
            it if max - min <= ONE_BYTE_MAX || it <= ONE_BYTE_MAX => number(it.into(), 1),
            it if it <= u16::MAX.into() => number(u128::from(it) << 8 | u128::from(TWO_BYTES), 3),
            it => number(u128::from(it) << 8 | u128::from(FOUR_BYTES), 5),
        },
        (_, Value::Char(it)) => res.extend(it.encode_utf8(&mut [0; 4]).bytes()),
        (_, Value::Bool(it)) => number(it.into(), 1),
        _ => unreachable!("an answer is a member of its domain"),
    }
}

/// Whether there is one member only, which takes no bytes.
fn has_one(domain: &Domain) -> bool {
    domain.last_rank() == Some(0)
}

/// How many bytes tell the numbers up to `last` apart.
fn width(last: u128) -> u32 {
    (u128::BITS - last.leading_zeros()).div_ceil(8)
}

/// How far the member that `raw` represents is from the least. A member's own low bytes stand for it, and no two members
/// have the same ones; what is nobody's is folded in.
fn folded(raw: u128, min: u128, span: u128) -> u128 {
    let bits = 8 * width(span);
    let own = raw.wrapping_sub(min) & if bits == u128::BITS { u128::MAX } else { (1 << bits) - 1 };
    if own <= span { own } else { raw % (span + 1) }
}

/// The member at rank `raw`, folded in where there are fewer.
fn rank_folded(domain: &Domain, raw: u128) -> Value {
    let count = domain.last_rank().map_or(u128::MAX, |it| it.saturating_add(1));
    domain.at(raw % count).unwrap_or_else(|| domain.simplest())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Choice, Random, Source, run_case};

    fn domains() -> Vec<Domain> {
        let mut res =
            vec![Domain::Bool, Domain::pick(1), Domain::pick(5), Domain::pick(256), Domain::pick(70_000)];
        for shut in [1, 0b01110, u64::MAX] {
            res.push(Domain::Pick { n: 70, weights: None, shut, free: false });
        }
        for (min, max) in [
            (0, 255),
            (-128, 127),
            (-100, 150),
            (200, 400),
            (1000, 1010),
            (-5, 5),
            (7, 7),
            (0, 256),
            (-1, 65_535),
            (i128::from(i64::MIN), i128::from(i64::MAX)),
            (0, i128::from(u64::MAX)),
            (i128::MIN, i128::MAX),
            (i128::MIN, -1),
            (0, i128::MAX),
        ] {
            res.push(Domain::int(min, max));
        }
        for (min, max) in [(0, 0), (0, 253), (2, 256), (0, 254), (3, 1 << 20), (0, 1 << 18), (5, 70_000)] {
            res.push(Domain::length(min, max));
        }
        for (min, max) in [('a', 'z'), ('\0', char::MAX), ('é', '€'), ('\u{d7f0}', '\u{e010}'), ('😀', '😎')]
        {
            res.push(Domain::Char { min, max });
        }
        for (min, max) in [(f64::NEG_INFINITY, f64::INFINITY), (0.0, 1.0), (-3.25, 1e30), (-0.0, 0.0)] {
            for (nan, single) in [(false, false), (true, true), (false, true), (true, false)] {
                res.push(Domain::Float { min, max, nan, single });
            }
        }
        res
    }

    fn read_all(bytes: &[u8], domain: &Domain) -> (Value, usize) {
        let mut engine = ByteReplay::new(bytes.to_vec());
        engine.begin().unwrap();
        let value = engine.answer(domain, &Trace::default()).unwrap();
        (value, engine.cursor)
    }

    /// Members of a domain: the first, the last, and many between.
    fn members(domain: &Domain) -> Vec<Value> {
        let mut random = Random::new(11);
        let mut res: Vec<Value> = (0..300).map_while(|rank| domain.at(rank)).collect();
        res.extend(domain.last_rank().and_then(|it| domain.at(it)));
        for _ in 0..500 {
            random.begin().unwrap();
            res.push(random.answer(domain, &Trace::default()).unwrap());
        }
        res
    }

    #[test]
    fn every_answer_has_bytes_that_give_it_back() {
        for domain in domains() {
            for value in members(&domain) {
                // A choice behind it, so that nothing is left out as the simplest.
                let behind = Choice { domain: Domain::Bool, value: Value::Bool(true) };
                let trace = Trace {
                    choices: vec![Choice { domain: domain.clone(), value }, behind],
                    ..Trace::default()
                };
                let bytes = trace.to_bytes();
                let (read, used) = read_all(&bytes, &domain);
                assert_eq!(read, value, "{domain:?} {bytes:?}");
                assert_eq!(bytes[used], 1, "{domain:?} {bytes:?}: the next choice follows");
            }
        }
    }

    #[test]
    fn all_bytes_are_answers() {
        for domain in domains() {
            for first in 0..=255u8 {
                for rest in
                    [&[][..], &[0xff; 20], &[0x80, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]]
                {
                    let bytes = [&[first], rest].concat();
                    let (value, used) = read_all(&bytes, &domain);
                    assert!(domain.contains(value), "{domain:?} {bytes:?} {value:?}");
                    assert!(used <= bytes.len() && (used > 0) != has_one(&domain), "{domain:?} {bytes:?}");
                }
            }
            assert_eq!(read_all(&[], &domain).0, domain.simplest());
        }
    }

    /// All byte strings of one and two bytes together give every member of small domains.
    #[test]
    fn small_domains_are_met_whole() {
        for domain in domains().iter().filter(|it| it.last_rank().is_some_and(|it| it < 256)) {
            let last = domain.last_rank().unwrap();
            let mut seen = std::collections::BTreeSet::new();
            for raw in 0..=u16::MAX {
                let bytes = [&raw.to_le_bytes()[..], &[0; 300]].concat();
                seen.insert(domain.rank(read_all(&bytes, domain).0));
            }
            assert_eq!(seen.len() as u128, last + 1, "{domain:?}");
        }
    }

    #[test]
    fn what_is_full_range_stands_there_as_itself() {
        let mut test = |src: &mut Source| {
            src.any::<(u32, i16, u64, f64, String)>();
        };
        let bytes = [
            &0xdead_beef_u32.to_le_bytes()[..],
            &(-2i16).to_le_bytes(),
            &0x0123_4567_89ab_cdef_u64.to_le_bytes(),
            &1.5f64.to_le_bytes(),
            &[8],
            "magic! é".as_bytes(),
        ]
        .concat();
        let source = &mut Source::new(Box::new(ByteReplay::new(bytes.clone())));
        let case = run_case(source, &mut test).unwrap();
        let values = case.trace.values();
        assert_eq!(values[..3], [Value::Int(0xdead_beef), Value::Int(-2), Value::Int(0x0123_4567_89ab_cdef)]);
        let text: String =
            values.iter().filter_map(|it| if let Value::Char(c) = it { Some(*c) } else { None }).collect();
        assert_eq!(text, "magic! é");
        assert_eq!(case.trace.to_bytes(), bytes);
    }

    #[test]
    fn it_keeps_the_laws_of_engines() {
        crate::conformance::check(|| Box::new(ByteReplay::new((0..=255).collect())));
        crate::conformance::check(|| Box::new(ByteReplay::new(Vec::new())));
    }
}
