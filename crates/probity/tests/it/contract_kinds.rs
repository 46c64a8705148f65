//! Contracts of functions of unusual kinds: of traits, `const`, with patterns as parameters.

use std::collections::BTreeMap;
use std::fmt;

use probity::prelude::*;

trait Area {
    const SIDES: u32;
    fn area(&self) -> u64;
    fn scale(&mut self, by: u32) -> &mut Self;
}

#[derive(Debug, Clone, PartialEq, Spec)]
struct Rectangle {
    #[spec(range = 0..=1000)]
    width: u32,
    #[spec(range = 0..=1000)]
    height: u32,
}

#[probity::contract]
impl Area for Rectangle {
    const SIDES: u32 = 4;

    #[ensures(|out| *out >= u64::from(self.width.min(self.height)) || Self::SIDES != 4)]
    fn area(&self) -> u64 {
        if self.width == 0 {
            return 0;
        }
        u64::from(self.width) * u64::from(self.height)
    }

    #[requires(1 <= by && by <= 4)]
    #[ensures(|out| out.width == old(self.width) * by)]
    fn scale(&mut self, by: u32) -> &mut Self {
        self.width *= by;
        self.height *= by;
        self
    }
}

/// Every second item; an associated type, parameters with bounds, and methods without a contract.
#[derive(Debug, Clone, Generate)]
struct Halves<T> {
    items: Vec<T>,
}

#[probity::contract(T = u8)]
impl<T: Clone + fmt::Debug> Iterator for Halves<T>
where
    T: PartialEq,
{
    type Item = T;

    #[ensures(|out| out.is_some() == old(!self.items.is_empty()) && old(self.items.last().cloned()) == *out)]
    fn next(&mut self) -> Option<Self::Item> {
        let found = self.items.pop()?;
        self.items.pop();
        Some(found)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.items.len()))
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Percent(u8);

#[probity::contract]
impl TryFrom<u16> for Percent {
    type Error = u16;

    #[ensures(|out| out.is_ok() == (it <= 100) && out.as_ref().is_ok_and(|out| u16::from(out.0) == it) == out.is_ok())]
    fn try_from(it: u16) -> Result<Percent, Self::Error> {
        if it > 100 {
            return Err(it);
        }
        Ok(Percent(u8::try_from(it).map_err(|_| it)?))
    }
}

#[probity::contract]
impl TryFrom<u64> for Percent {
    type Error = u64;

    #[requires(it < 1 << 40)]
    #[ensures(|out| out.is_ok() == (it <= 100))]
    fn try_from(it: u64) -> Result<Percent, Self::Error> {
        if it <= 100 { Ok(Percent(it as u8)) } else { Err(it) }
    }
}

/// A trait for a type of another crate.
trait Bump {
    fn bump(&mut self, key: u8) -> u64;
}

#[probity::contract]
impl Bump for BTreeMap<u8, u64> {
    #[requires(self.get(&key).is_none_or(|it| *it < u64::MAX))]
    #[ensures(|out| *out == old(self.get(&key).copied().unwrap_or(0)) + 1)]
    fn bump(&mut self, key: u8) -> u64 {
        let count = self.entry(key).or_default();
        *count += 1;
        *count
    }
}

/// It still runs in the compiler; its test checks it.
#[probity::contract]
#[requires(b != 0)]
#[ensures(|out| *out <= a)]
const fn divided(a: u32, b: u32) -> u32 {
    a / b
}

const QUARTER: u32 = divided(100, 4);

#[derive(Debug, Clone, Copy, PartialEq, Generate)]
struct Grid<const N: usize>([u8; N]);

#[probity::contract(N = 3)]
impl<const N: usize> Grid<N> {
    #[requires(i < N)]
    #[ensures(|out| *out == self.0[i])]
    const fn at(&self, i: usize) -> u8 {
        self.0[i]
    }
}

#[test]
fn constants_are_computed_by_functions_with_contracts() {
    const CENTER: u8 = Grid([1, 2, 3]).at(1);
    assert_eq!((QUARTER, CENTER), (25, 2));
}

#[probity::contract]
#[should_panic(expected = "`thirds` broke its contract, which ensures `*out > 0`")]
#[requires(n < 9)]
#[ensures(|out| *out > 0)]
const fn thirds(n: u32) -> u32 {
    n / 3
}

#[derive(Debug, Clone, Copy, Generate)]
struct Point {
    x: i32,
    y: i32,
}

/// The names of patterns are those of the contract, too.
#[probity::contract]
#[requires(a <= b && step > 0)]
#[ensures(|out| *out >= 0 && i64::from(*out) * i64::from(step) <= i64::from(b) - i64::from(a))]
fn steps((a, mut b): (i16, i16), Point { x: step, y: _unused }: Point) -> i32 {
    b = b.max(a);
    (i32::from(b) - i32::from(a)) / step
}

#[probity::contract]
#[ensures(|out| *out == x.wrapping_add(y))]
fn sum(&(x, y): &(i32, i32), _: u8) -> i32 {
    x.wrapping_add(y)
}

/// Four digits: rare among texts, and drawn as by a pattern.
#[probity::contract]
#[requires(pin.len() == 4 && pin.chars().all(|c| c.is_ascii_digit()))]
#[ensures(|out| *out < 10_000)]
fn pin_number(pin: String) -> u32 {
    pin.parse().expect("digits are a number")
}
