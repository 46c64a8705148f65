//! What the suite of needles tests: small codecs, words, dates. `cargo xtask quality default` copies it into a new crate.

use std::collections::BTreeMap;
use std::fmt::Write;

/// Bytes as pairs of hexadecimal digits.
pub fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

pub fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u32>> = text.chars().map(|it| it.to_digit(16)).collect();
    Some(digits?.chunks(2).map(|it| (it[0] * 16 + it[1]) as u8).collect())
}

/// Runs of equal bytes as their length and the byte.
pub fn to_runs(bytes: &[u8]) -> Vec<(u8, u8)> {
    let mut res: Vec<(u8, u8)> = Vec::new();
    for &byte in bytes {
        match res.last_mut() {
            Some((n, last)) if *last == byte && *n < u8::MAX => *n += 1,
            _ => res.push((1, byte)),
        }
    }
    res
}

pub fn from_runs(runs: &[(u8, u8)]) -> Vec<u8> {
    runs.iter().flat_map(|&(n, byte)| std::iter::repeat_n(byte, n.into())).collect()
}

/// A number in groups of seven bits, the last without the high bit.
pub fn to_varint(mut number: u64) -> Vec<u8> {
    let mut res = Vec::new();
    while number >= 128 {
        res.push(number as u8 | 128);
        number >>= 7;
    }
    res.push(number as u8);
    res
}

pub fn from_varint(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| number << 7 | u64::from(byte & 127))
}

/// How often each word occurs.
pub fn count_words(text: &str) -> BTreeMap<String, usize> {
    let mut res = BTreeMap::new();
    for word in text.split(|it: char| !it.is_alphanumeric()).filter(|it| !it.is_empty()) {
        *res.entry(word.to_lowercase()).or_default() += 1;
    }
    res
}

/// Days from the beginning of the year 0 in the Gregorian calendar.
pub fn days(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    365 * year + year.div_euclid(4) - year.div_euclid(100)
        + year.div_euclid(400)
        + (153 * month + 2) / 5
        + day
}

/// Insertion sort, which is to agree with that of the library.
pub fn sort(items: &mut [u8]) {
    for end in 1..items.len() {
        let mut at = end;
        while at > 0 && items[at - 1] > items[at] {
            items.swap(at - 1, at);
            at -= 1;
        }
    }
}

/// A checksum of bytes.
pub fn checksum(bytes: &[u8]) -> u32 {
    let (a, b) = bytes.iter().fold((1u32, 0u32), |(a, b), byte| {
        let a = (a + u32::from(*byte)) % 65521;
        (a, (b + a) % 65521)
    });
    b << 16 | a
}
