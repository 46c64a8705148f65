//! Ordinary code whose result has to be the same interpreted and native: std first, then libraries.

mod libraries;
mod std_collections;
mod std_values;

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

/// A name, and code that makes a number of bytes. Same bytes, same number.
pub type Target = (&'static str, fn(&[u8]) -> u64);

/// All of them.
pub fn targets() -> Vec<Target> {
    [std_values::TARGETS, std_collections::TARGETS, libraries::TARGETS].concat()
}

/// At most this many bytes are given to a target.
pub const BYTES_MAX: usize = 48;

/// Bytes to read values from; zeroes behind the end.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn u8(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    fn u16(&mut self) -> u16 {
        u16::from_le_bytes([self.u8(), self.u8()])
    }

    fn u32(&mut self) -> u32 {
        u32::from(self.u16()) | u32::from(self.u16()) << 16
    }

    fn u64(&mut self) -> u64 {
        u64::from(self.u32()) | u64::from(self.u32()) << 32
    }

    fn u128(&mut self) -> u128 {
        u128::from(self.u64()) | u128::from(self.u64()) << 64
    }

    fn f64(&mut self) -> f64 {
        f64::from_bits(self.u64())
    }

    /// A float that is no extreme one.
    fn fraction(&mut self) -> f64 {
        f64::from(self.u32() as i32) / 1024.0
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The bytes as a text, with what is no text replaced.
fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The bytes as a text of printable characters: more often something that parses.
fn printable(bytes: &[u8]) -> String {
    bytes.iter().map(|it| char::from(it % 95 + 32)).collect()
}

/// The bytes as characters of `alphabet`.
fn letters(bytes: &[u8], alphabet: &str) -> String {
    let alphabet: Vec<char> = alphabet.chars().collect();
    bytes.iter().map(|it| alphabet[usize::from(*it) % alphabet.len()]).collect()
}

/// One number of a value, the same in every run.
fn digest(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// As [`digest`], of what only has a text.
fn shown(value: impl std::fmt::Debug) -> u64 {
    digest(format!("{value:?}"))
}
