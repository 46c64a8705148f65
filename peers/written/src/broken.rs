//! Types whose calls or traits are broken. It needs nothing but std, so that a fresh crate can have it.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

/// Ordered by the sum of its parts, which does not fit its equality.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Release {
    major: u8,
    minor: u8,
}

impl PartialOrd for Release {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Release {
    fn cmp(&self, other: &Self) -> Ordering {
        let sum = |it: &Release| u16::from(it.major) + u16::from(it.minor);
        sum(self).cmp(&sum(other))
    }
}

impl Release {
    /// A release.
    pub fn new(major: u8, minor: u8) -> Release {
        Release { major, minor }
    }
}

/// Equal without regard to case, but hashed with it.
#[derive(Debug)]
pub struct Header(String);

impl PartialEq for Header {
    fn eq(&self, other: &Self) -> bool {
        self.0.eq_ignore_ascii_case(&other.0)
    }
}

impl Eq for Header {}

impl Hash for Header {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl Header {
    /// A header of one letter.
    pub fn new(letter: u8, is_upper: bool) -> Header {
        let letter = char::from(b'a' + letter % 26);
        Header(if is_upper { letter.to_ascii_uppercase() } else { letter }.to_string())
    }
}

/// A list whose clone forgets the last item.
#[derive(Debug, Default, PartialEq)]
pub struct Forgetful(Vec<u8>);

impl Clone for Forgetful {
    fn clone(&self) -> Self {
        Forgetful(self.0[..self.0.len().saturating_sub(1)].to_vec())
    }
}

impl Forgetful {
    /// An empty list.
    pub fn new() -> Forgetful {
        Forgetful::default()
    }

    /// Adds an item.
    pub fn push(&mut self, it: u8) {
        self.0.push(it);
    }
}

/// A list whose iterator counts the items that it skips.
#[derive(Debug, Default)]
pub struct Sparse(Vec<Option<u8>>);

/// Its iterator.
pub struct SparseItems<'a> {
    rest: &'a [Option<u8>],
}

impl Iterator for SparseItems<'_> {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        while let Some((first, rest)) = self.rest.split_first() {
            self.rest = rest;
            if first.is_some() {
                return *first;
            }
        }
        None
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.rest.len(), Some(self.rest.len()))
    }
}

impl Sparse {
    /// An empty list.
    pub fn new() -> Sparse {
        Sparse::default()
    }

    /// Adds an item, or a gap.
    pub fn push(&mut self, it: Option<u8>) {
        self.0.push(it);
    }

    /// The items.
    pub fn items(&self) -> SparseItems<'_> {
        SparseItems { rest: &self.0 }
    }
}

/// A number that is not equal to itself where it is seven.
#[derive(Debug)]
pub struct Moody(u8);

impl PartialEq for Moody {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0 && self.0 != 7
    }
}

impl Eq for Moody {}

impl Moody {
    /// One.
    pub fn new(it: u8) -> Moody {
        Moody(it % 16)
    }
}

/// A number of cents that is written without leading zeros.
#[derive(Debug, PartialEq)]
pub struct Price(u16);

impl fmt::Display for Price {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.0 / 100, self.0 % 100)
    }
}

impl FromStr for Price {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (whole, cents) = text.split_once('.').ok_or("no point")?;
        let whole: u16 = whole.parse().map_err(|_| "no number")?;
        let cents: u16 = format!("{cents:0<2}").parse().map_err(|_| "no number")?;
        Ok(Price(whole * 100 + cents))
    }
}

impl Price {
    /// A price.
    pub fn new(cents: u16) -> Price {
        Price(cents)
    }
}

/// Slots for values.
#[derive(Debug, Default)]
pub struct Slots(Vec<u8>);

/// Where a value is.
#[derive(Debug)]
pub struct Slot(usize);

impl Slots {
    /// None.
    pub fn new() -> Slots {
        Slots::default()
    }

    /// Puts a value into a slot.
    pub fn put(&mut self, it: u8) -> Slot {
        self.0.push(it);
        Slot(self.0.len() - 1)
    }

    /// Takes the value out; those behind it move, which is the mistake.
    pub fn free(&mut self, slot: Slot) -> u8 {
        self.0.remove(slot.0)
    }
}

/// Names, at most three of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Names(Vec<String>);

impl Names {
    /// None.
    pub fn new() -> Names {
        Names::default()
    }

    /// Adds one.
    pub fn add(&mut self, name: &str) -> Result<(), String> {
        if self.0.len() == 3 {
            return Err("there is no room".to_string());
        }
        self.0.push(name.to_string());
        Ok(())
    }

    /// Adds those of another, of which only as many are expected as there is room for.
    pub fn join(&mut self, other: &Names) {
        let room = 3 - self.0.len();
        assert!(other.0.len() <= room, "{} names for {room}", other.0.len());
        self.0.extend_from_slice(&other.0);
    }
}
