//! How many texts of each length a language has, and so which one stands at a place, and a fair draw among them.

use std::sync::PoisonError;

use num_bigint::BigUint;

use super::chars::{CharPreference, at};
use super::dfa::DEAD;
use super::language::{Count, Language, Transition};
use crate::Random;

/// How many texts of each length are accepted from each state, by length.
#[derive(Debug, Default)]
pub(super) struct LengthCounts(Vec<Vec<BigUint>>);

/// The same in floating point, for draws.
#[derive(Debug, Default)]
pub(super) struct Weights(Vec<Vec<ScaledCount>>);

/// About as many bytes of exact counts are kept; texts at a place in the order are not looked for beyond.
const COUNTS_BYTES_MAX: f64 = 32e6;
/// This many lengths are gone through for the text at a place in the order.
const NTH_LENGTHS_MAX: usize = 1 << 20;
/// Texts with more characters are not drawn.
const LENGTH_MAX: usize = 1 << 26;
/// This many steps on machine words are made to count the texts of one length.
const COUNT_STEPS_MAX: f64 = 5e7;
/// This many weights are kept; longer texts are drawn, but not evenly.
const WEIGHTS_MAX: usize = 1 << 22;

impl Language {
    /// How many texts it has.
    ///
    /// ```
    /// use probity_regex::{Count, Regex};
    /// assert_eq!(Regex::new("[a-c]{2}|x?").unwrap().language()?.count(), Count::of(11));
    /// # Ok::<(), String>(())
    /// ```
    pub fn count(&self) -> Count {
        // States in an order in which every move goes forward; on a cycle there is none.
        let moves = self.moves();
        let mut incoming = vec![0u32; moves.len()];
        moves.iter().flatten().for_each(|it| incoming[it.to as usize] += 1);
        let mut order = vec![self.dfa.start];
        if incoming[self.dfa.start as usize] > 0 {
            return Count::Infinite;
        }
        let mut next = 0;
        while next < order.len() {
            for it in &moves[order[next] as usize] {
                incoming[it.to as usize] -= 1;
                if incoming[it.to as usize] == 0 {
                    order.push(it.to);
                }
            }
            next += 1;
        }
        if incoming.iter().any(|&it| it > 0) {
            return Count::Infinite;
        }
        let mut counts = vec![BigUint::default(); moves.len()];
        for &state in order.iter().rev() {
            let rest: BigUint = moves[state as usize].iter().map(|it| &counts[it.to as usize] * it.n).sum();
            counts[state as usize] = rest + u8::from(self.dfa.accepts[state as usize]);
        }
        Count::Finite(counts.swap_remove(self.dfa.start as usize))
    }

    /// How many of its texts have that length; where they are too long to be counted (tens of thousands of
    /// characters), one represents all of them.
    pub fn count_of_length(&self, len: usize) -> BigUint {
        if !self.lengths().contains(len) {
            return BigUint::default();
        }
        if self.counts_fit(len) {
            return self.with_counts(len, |rows| rows[len][self.dfa.start as usize].clone());
        }
        let words = len as f64 * self.bits_a_char() / 128.0 + 1.0;
        let moves: usize = self.moves().iter().map(Vec::len).sum();
        if moves as f64 * len as f64 * words > COUNT_STEPS_MAX {
            return 1u8.into();
        }
        let first = self.first_counts();
        (0..len).fold(first, |row, _| self.next_counts(&row)).swap_remove(self.dfa.start as usize)
    }

    fn first_counts(&self) -> Vec<BigUint> {
        self.dfa.accepts.iter().map(|&it| u8::from(it).into()).collect()
    }

    fn next_counts(&self, row: &[BigUint]) -> Vec<BigUint> {
        let count = |moves: &Vec<Transition>| moves.iter().map(|it| &row[it.to as usize] * it.n).sum();
        self.moves().iter().map(count).collect()
    }

    /// Whether the exact counts up to that length can be kept.
    fn counts_fit(&self, len: usize) -> bool {
        let len = len as f64;
        self.dfa.len() as f64 * len * (24.0 + len * self.bits_a_char() / 16.0) <= COUNTS_BYTES_MAX
    }

    /// By how many bits a count grows with each character, at most.
    fn bits_a_char(&self) -> f64 {
        let chars = self.moves().iter().map(|it| it.iter().map(|it| f64::from(it.n)).sum::<f64>());
        chars.fold(2.0, f64::max).log2()
    }

    fn with_counts<T>(&self, len: usize, f: impl FnOnce(&[Vec<BigUint>]) -> T) -> T {
        let rows = &mut self.counts.lock().unwrap_or_else(PoisonError::into_inner).0;
        if rows.is_empty() {
            rows.push(self.first_counts());
        }
        while rows.len() <= len {
            let next = self.next_counts(&rows[rows.len() - 1]);
            rows.push(next);
        }
        f(rows)
    }

    /// The text at a place in the order by length, then by code points. None past the end, and where it is too long
    /// to be counted (about ten thousand characters).
    ///
    /// ```
    /// use probity_regex::Regex;
    /// let words = Regex::new("[ab]*").unwrap().language()?;
    /// let first: Vec<String> = (0u8..5).filter_map(|it| words.nth(&it.into())).collect();
    /// assert_eq!(first, ["", "a", "b", "aa", "ab"]);
    /// # Ok::<(), String>(())
    /// ```
    pub fn nth(&self, place: &BigUint) -> Option<String> {
        let mut place = place.clone();
        for len in self.lengths().iter().take(NTH_LENGTHS_MAX) {
            if !self.counts_fit(len) {
                return None;
            }
            let n = self.count_of_length(len);
            if place < n {
                return self.nth_of_length(len, &place);
            }
            place -= n;
        }
        None
    }

    /// The text at a place among those of one length, by code points. None past the end, and where it is too long to
    /// be counted.
    pub fn nth_of_length(&self, len: usize, place: &BigUint) -> Option<String> {
        if !self.lengths().contains(len) || !self.counts_fit(len) {
            return None;
        }
        self.with_counts(len, |rows| {
            let mut state = self.dfa.start;
            if *place >= rows[len][state as usize] {
                return None;
            }
            let mut place = place.clone();
            let mut res = String::new();
            for rest in (0..len).rev() {
                let row = self.dfa.row(state);
                for (lo, hi, letter) in self.dfa.alphabet.segments() {
                    let to = row[letter];
                    let each = &rows[rest][to as usize];
                    if to == DEAD || each.bits() == 0 {
                        continue;
                    }
                    let all = each * (hi - lo + 1);
                    if place < all {
                        let nth = &place / each;
                        res.push(at(lo + nth.iter_u32_digits().next().unwrap_or(0)));
                        place -= nth * each;
                        state = to;
                        break;
                    }
                    place -= all;
                }
            }
            Some(res)
        })
    }

    /// A text of that length, each as likely as the others; none where there is none.
    ///
    /// ```
    /// use probity_regex::{Random, Regex};
    /// let language = Regex::new("(ab|[c-z])*").unwrap().language()?;
    /// assert_eq!(language.sample(&mut Random::new(7), 50).unwrap().len(), 50);
    /// # Ok::<(), String>(())
    /// ```
    pub fn sample(&self, random: &mut Random, len: usize) -> Option<String> {
        let mut res = String::new();
        self.sample_length(random, len, CharPreference::Even, &mut res).then_some(res)
    }

    /// A text of that length, mostly of printable characters; none where there is none.
    pub fn sample_nice(&self, random: &mut Random, len: usize) -> Option<String> {
        let mut res = String::new();
        let preference = CharPreference::nice(random);
        self.sample_length(random, len, preference, &mut res).then_some(res)
    }

    fn sample_length(
        &self,
        random: &mut Random,
        len: usize,
        preference: CharPreference,
        res: &mut String,
    ) -> bool {
        if len > LENGTH_MAX || !self.lengths().contains(len) {
            return false;
        }
        let moves = self.moves();
        let start = self.dfa.start;
        res.reserve(len);
        // From a state that only goes back to itself there is nothing to weigh.
        if let [one] = &moves[start as usize][..]
            && one.to == start
        {
            one.chars.picker.fill(random, len, preference, res);
            return true;
        }
        let row_max = WEIGHTS_MAX / self.dfa.len();
        let weights = &mut self.weights.lock().unwrap_or_else(PoisonError::into_inner).0;
        if weights.is_empty() {
            weights
                .push(self.dfa.accepts.iter().map(|&it| ScaledCount::of(f64::from(u8::from(it)))).collect());
        }
        while weights.len() <= len.min(row_max) {
            let row = &weights[weights.len() - 1];
            let next = moves.iter().map(|it| it.iter().map(|it| row[it.to as usize].times(it.n)));
            let next = next.map(|it| it.fold(ScaledCount::of(0.0), ScaledCount::plus)).collect();
            weights.push(next);
        }
        if len > row_max {
            return self.sample_long(random, len, preference, res);
        }
        let mut state = start;
        for rest in (0..len).rev() {
            let Some(it) = choose(&moves[state as usize], &weights[rest], random) else { return false };
            res.push(it.chars.picker.pick(random, preference));
            state = it.to;
        }
        true
    }

    /// A text that is too long for weights to be kept: any move from where the rest can still be reached.
    fn sample_long(
        &self,
        random: &mut Random,
        len: usize,
        preference: CharPreference,
        res: &mut String,
    ) -> bool {
        let moves = self.moves();
        // One bit for each rest and state: whether a text of that length is accepted from there.
        let words = self.dfa.len().div_ceil(64);
        let mut can = vec![0u64; words * (len + 1)];
        let bit = |can: &[u64], rest: usize, state: u32| {
            can[rest * words + state as usize / 64] >> (state % 64) & 1 == 1
        };
        for (rest, state) in (0..=len).flat_map(|rest| (0..self.dfa.len() as u32).map(move |it| (rest, it))) {
            let yes = match rest {
                0 => self.dfa.accepts[state as usize],
                _ => moves[state as usize].iter().any(|it| bit(&can, rest - 1, it.to)),
            };
            can[rest * words + state as usize / 64] |= u64::from(yes) << (state % 64);
        }
        let mut state = self.dfa.start;
        for rest in (0..len).rev() {
            let live = || moves[state as usize].iter().filter(|it| bit(&can, rest, it.to));
            let total: u64 = live().map(|it| u64::from(it.n)).sum();
            let mut place = random.below(total);
            let found = live().find(|it| match place.checked_sub(it.n.into()) {
                Some(rest) => {
                    place = rest;
                    false
                }
                None => true,
            });
            let Some(it) = found else { return false };
            res.push(it.chars.picker.pick(random, preference));
            state = it.to;
        }
        true
    }
}

/// One of the moves, the likelier the more texts go on from there.
#[inline]
fn choose<'a>(moves: &'a [Transition], row: &[ScaledCount], random: &mut Random) -> Option<&'a Transition> {
    if let [one] = moves {
        return Some(one);
    }
    let weights = || moves.iter().map(|it| row[it.to as usize].times(it.n));
    let total = weights().fold(ScaledCount::of(0.0), ScaledCount::plus);
    let mut left = random.unit();
    let mut last = None;
    for (it, weight) in moves.iter().zip(weights()) {
        let share = weight.over(total);
        if share > 0.0 {
            last = Some(it);
            if left < share {
                break;
            }
            left -= share;
        }
    }
    last
}

/// A number that is not negative and may be far beyond what floating point holds.
#[derive(Clone, Copy, Debug)]
struct ScaledCount {
    /// Zero, or at least 1 and below 2.
    part: f64,
    /// Times two to the power of it.
    power: i64,
}

impl ScaledCount {
    fn of(part: f64) -> ScaledCount {
        ScaledCount { part, power: 0 }.normal()
    }

    fn normal(self) -> ScaledCount {
        if self.part == 0.0 {
            return ScaledCount { part: 0.0, power: 0 };
        }
        let power = (self.part.to_bits() >> 52) as i64 - 1023;
        ScaledCount { part: self.part * power_of_two(-power), power: self.power + power }
    }

    fn times(self, n: u32) -> ScaledCount {
        ScaledCount { part: self.part * f64::from(n), power: self.power }.normal()
    }

    fn plus(self, other: ScaledCount) -> ScaledCount {
        let (a, b) = if other.part == 0.0 || self.part != 0.0 && self.power >= other.power {
            (self, other)
        } else {
            (other, self)
        };
        ScaledCount { part: a.part + b.part * power_of_two(b.power - a.power), power: a.power }.normal()
    }

    /// Its share of a total that is not less.
    fn over(self, total: ScaledCount) -> f64 {
        if self.part == 0.0 { 0.0 } else { self.part / total.part * power_of_two(self.power - total.power) }
    }
}

/// Two to a power; zero where it is too small.
fn power_of_two(power: i64) -> f64 {
    if power < -1022 { 0.0 } else { f64::from_bits(((1023 + power.min(1023)) as u64) << 52) }
}
