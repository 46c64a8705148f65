//! Arithmetic on words: numbers of fixed width, which wrap around.

use batsat::Lit;

use crate::Gates;

/// A number: the least bit first.
pub type Word = Vec<Lit>;

/// Which way a shift goes, and what fills the places that it leaves empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shift {
    /// Zeroes come from below.
    Left,
    /// Zeroes come from above.
    Right,
    /// Copies of the sign come from above.
    RightSigned,
}

/// What [`divide`](Gates::divide) gives.
#[derive(Clone, Debug)]
pub struct Division {
    /// The quotient; all ones where the divisor is 0.
    pub quotient: Word,
    /// The remainder; the dividend where the divisor is 0.
    pub remainder: Word,
    /// Has to be assumed, or both are anything: they are found by the solver, not computed.
    pub assumed: Lit,
}

impl Gates<'_> {
    /// A new unknown of `width` bits.
    pub fn unknown_word(&mut self, width: usize) -> Word {
        (0..width).map(|_| self.fresh()).collect()
    }

    /// A number of the model that [`solve`](Gates::solve) found last, unsigned.
    pub fn value(&self, word: &[Lit]) -> u128 {
        word.iter().rev().fold(0, |all, it| all << 1 | u128::from(self.is_true(*it)))
    }

    /// The number `value` in `width` bits.
    pub fn number(&self, value: u128, width: usize) -> Word {
        (0..width).map(|at| self.truth(at < 128 && value >> at & 1 == 1)).collect()
    }

    /// What `word` is, if it is a constant.
    pub fn constant_of(&self, word: &[Lit]) -> Option<u128> {
        word.iter().rev().try_fold(0, |all, it| Some(all << 1 | u128::from(self.constant(*it)?)))
    }

    /// How many bits `word` has without the zeroes above.
    fn len_unsigned(&self, word: &[Lit]) -> usize {
        let no = self.truth(false);
        word.iter().rposition(|it| *it != no).map_or(0, |at| at + 1)
    }

    /// `word` in `width` bits, with zeroes above.
    pub fn extended(&self, word: &[Lit], width: usize) -> Word {
        let mut word = word.to_vec();
        word.resize(width, self.truth(false));
        word
    }

    /// `word` in `width` bits, with copies of its sign above.
    pub fn extended_signed(&self, word: &[Lit], width: usize) -> Word {
        let mut word = word.to_vec();
        word.resize(width, word[word.len() - 1]);
        word
    }

    /// `a + b + carry`, and what is carried out of it.
    fn add_carry(&mut self, a: &[Lit], b: &[Lit], carry: Lit) -> (Word, Lit) {
        let mut carry = carry;
        let mut sum = Vec::with_capacity(a.len());
        for (&a, &b) in a.iter().zip(b) {
            let half = self.xor(a, b);
            sum.push(self.xor(half, carry));
            carry = self.majority(a, b, carry);
        }
        (sum, carry)
    }

    /// `a + b`.
    pub fn add(&mut self, a: &[Lit], b: &[Lit]) -> Word {
        self.add_carry(a, b, self.truth(false)).0
    }

    /// `a - b`.
    pub fn sub(&mut self, a: &[Lit], b: &[Lit]) -> Word {
        let turned: Word = b.iter().map(|it| !*it).collect();
        self.add_carry(a, &turned, self.truth(true)).0
    }

    /// `-a`.
    pub fn negate(&mut self, a: &[Lit]) -> Word {
        let zero = self.number(0, a.len());
        self.sub(&zero, a)
    }

    /// `a` where `c` is true, else `b`.
    pub fn choose(&mut self, c: Lit, a: &[Lit], b: &[Lit]) -> Word {
        a.iter().zip(b).map(|(&a, &b)| self.ite(c, a, b)).collect()
    }

    /// Whether they are the same.
    pub fn equal(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let same: Vec<Lit> = a.iter().zip(b).map(|(&a, &b)| !self.xor(a, b)).collect();
        self.all(&same)
    }

    /// `a < b`, unsigned.
    pub fn less(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let start = self.truth(false);
        a.iter().zip(b).fold(start, |less, (&a, &b)| self.majority(!a, b, less))
    }

    /// `a < b`, signed.
    pub fn less_signed(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let top = a.len() - 1;
        let less = self.less(&a[..top], &b[..top]);
        self.majority(a[top], !b[top], less)
    }

    /// `a * b`, as wide as `a`.
    pub fn mul(&mut self, a: &[Lit], b: &[Lit]) -> Word {
        let width = a.len();
        let (la, lb) = (self.len_unsigned(a), self.len_unsigned(b));
        if la + lb < width {
            let len = la + lb;
            let product = self.mul_in(&a[..len], &b[..len]);
            return self.extended(&product, width);
        }
        let (la, lb) = (len_signed(a), len_signed(b));
        if la + lb < width {
            // Numbers of few bits with their signs: so is the product.
            let len = la + lb;
            let mut product = self.mul_in(&a[..len], &b[..len]);
            product.resize(width, product[len - 1]);
            return product;
        }
        self.mul_in(a, b)
    }

    fn mul_in(&mut self, a: &[Lit], b: &[Lit]) -> Word {
        if let Some(by) = self.constant_of(b) {
            return self.mul_constant(a, by);
        }
        if let Some(by) = self.constant_of(a) {
            return self.mul_constant(b, by);
        }
        // The fewer bits choose which multiples of the other are added.
        let known = |of: &[Lit]| of.iter().filter(|it| self.constant(**it) == Some(false)).count();
        let (a, b) = if known(a) > known(b) { (b, a) } else { (a, b) };
        let width = a.len();
        let mut sum = self.number(0, width);
        for (at, &bit) in b.iter().enumerate() {
            if self.constant(bit) == Some(false) {
                continue;
            }
            let part: Word = a[..width - at].iter().map(|it| self.and(*it, bit)).collect();
            let upper = self.add(&sum[at..], &part);
            sum.splice(at.., upper);
        }
        sum
    }

    /// `a * by`, by adding and subtracting as few multiples as its digits -1, 0 and 1 allow.
    fn mul_constant(&mut self, a: &[Lit], by: u128) -> Word {
        let width = a.len();
        let mut sum = self.number(0, width);
        let (mut rest, mut at) = (by, 0);
        while rest != 0 && at < width {
            if rest & 1 == 1 {
                let minus = rest & 3 == 3;
                let part = &a[..width - at];
                let upper = if minus { self.sub(&sum[at..], part) } else { self.add(&sum[at..], part) };
                sum.splice(at.., upper);
                rest = if minus { (rest >> 1) + 1 } else { rest >> 1 };
            } else {
                rest >>= 1;
            }
            at += 1;
        }
        sum
    }

    /// `a * b` in the width of `a`, and literals that are all false if and only if nothing was lost.
    fn mul_checked(&mut self, a: &[Lit], b: &[Lit]) -> (Word, Vec<Lit>) {
        let width = a.len();
        let no = self.truth(false);
        // Whether there is a bit from this place of `b` on.
        let mut above = vec![no; b.len() + 1];
        for at in (0..b.len()).rev() {
            above[at] = self.or(above[at + 1], b[at]);
        }
        let mut lost = Vec::new();
        let mut sum = self.number(0, width);
        for (at, &bit) in a.iter().enumerate() {
            if self.constant(bit) == Some(false) {
                continue;
            }
            let room = width - at;
            if room < b.len() {
                lost.push(self.and(bit, above[room]));
            }
            let mut part: Word = b.iter().take(room).map(|it| self.and(*it, bit)).collect();
            part.resize(room, no);
            let (upper, carry) = self.add_carry(&sum[at..], &part, no);
            sum.splice(at.., upper);
            lost.push(carry);
        }
        (sum, lost)
    }

    /// Quotient and remainder, unsigned, where `b` is 0 as SMT-LIB has them.
    pub fn divide(&mut self, a: &[Lit], b: &[Lit]) -> Division {
        let width = a.len();
        let by = self.constant_of(b);
        let assumed = self.truth(true);
        match by {
            Some(0) => {
                return Division { quotient: self.number(u128::MAX, width), remainder: a.to_vec(), assumed };
            }
            Some(by) if by.is_power_of_two() => {
                let at = by.trailing_zeros() as usize;
                let (quotient, remainder) = (self.extended(&a[at..], width), self.extended(&a[..at], width));
                return Division { quotient, remainder, assumed };
            }
            _ => {}
        }
        let len = self.len_unsigned(a).max(1);
        let most = by.map(|by| (u128::MAX >> (128 - len)) / by);
        let quotient_len = most.map_or(len, |it| (128 - it.leading_zeros()) as usize);
        let mut quotient: Word = (0..quotient_len).map(|_| self.fresh()).collect();
        quotient.resize(len, self.truth(false));
        let (product, mut wrong) = match (by, most) {
            (Some(by), Some(most)) => {
                let most = self.number(most, len);
                let too_much = self.less(&most, &quotient);
                (self.mul_constant(&quotient, by), vec![too_much])
            }
            _ => {
                let lb = self.len_unsigned(b);
                self.mul_checked(&quotient, &b[..lb])
            }
        };
        let turned: Word = product.iter().map(|it| !*it).collect();
        let (remainder, fits) = self.add_carry(&a[..len], &turned, self.truth(true));
        wrong.push(!fits);
        let remainder = self.extended(&remainder, width);
        wrong.push(!self.less(&remainder, b));
        let assumed = self.fresh_off();
        let by_zero = !self.any(b);
        for it in wrong {
            self.clause(&[!assumed, by_zero, !it]);
        }
        let ones = self.number(u128::MAX, width);
        let quotient = self.extended(&quotient, width);
        let quotient = self.choose(by_zero, &ones, &quotient);
        Division { quotient, remainder: self.choose(by_zero, a, &remainder), assumed }
    }

    /// As [`divide`](Gates::divide), signed, toward zero.
    pub fn divide_signed(&mut self, a: &[Lit], b: &[Lit]) -> Division {
        let top = a.len() - 1;
        let (sa, sb) = (a[top], b[top]);
        let (minus_a, minus_b) = (self.negate(a), self.negate(b));
        let (abs_a, abs_b) = (self.choose(sa, &minus_a, a), self.choose(sb, &minus_b, b));
        let Division { quotient, remainder, assumed } = self.divide(&abs_a, &abs_b);
        let differ = self.xor(sa, sb);
        let minus = self.negate(&quotient);
        let quotient = self.choose(differ, &minus, &quotient);
        let minus = self.negate(&remainder);
        Division { quotient, remainder: self.choose(sa, &minus, &remainder), assumed }
    }

    /// `a`, shifted by as many places as `by` says.
    pub fn shift(&mut self, a: &[Lit], by: &[Lit], shift: Shift) -> Word {
        let width = a.len();
        let fill = if shift == Shift::RightSigned { a[width - 1] } else { self.truth(false) };
        let mut word = a.to_vec();
        let mut at = 0;
        while at < by.len() && 1 << at < width {
            let step = 1usize << at;
            let moved: Word = (0..width)
                .map(|bit| match shift {
                    Shift::Left => bit.checked_sub(step).map_or(fill, |it| word[it]),
                    _ => word.get(bit + step).copied().unwrap_or(fill),
                })
                .collect();
            word = self.choose(by[at], &moved, &word);
            at += 1;
        }
        let beyond = self.any(&by[at..]);
        let filled = vec![fill; width];
        self.choose(beyond, &filled, &word)
    }

    /// Entry number `at` of `entries`, in `width` bits; 0 beyond them.
    pub fn look_up(&mut self, at: &[Lit], entries: &[u128], width: usize) -> Word {
        let mut bits = 0;
        while bits < at.len() && 1 << bits < entries.len() {
            bits += 1;
        }
        let beyond = self.any(&at[bits..]);
        (0..width)
            .map(|bit| {
                // Halves of the table chosen by the uppermost bit last: from the leaves up.
                let entry = |it: &u128| self.truth(it >> bit & 1 == 1);
                let mut level: Vec<Lit> = entries.iter().take(1 << bits).map(entry).collect();
                level.resize(1 << bits, self.truth(false));
                for &by in &at[..bits] {
                    level = level.chunks(2).map(|it| self.ite(by, it[1], it[0])).collect();
                }
                self.and(!beyond, level[0])
            })
            .collect()
    }
}

/// How many bits `word` has without copies of its sign above.
fn len_signed(word: &[Lit]) -> usize {
    let sign = word[word.len() - 1];
    word.iter().rposition(|it| *it != sign).map_or(1, |at| at + 2)
}
