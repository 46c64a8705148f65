//! Integers: words whose last bit is the sign, each as wide as it has to be. They never wrap around.

use batsat::Lit;

use crate::{Gates, Word};

/// How many bits a number takes, with its sign.
///
/// ```
/// assert_eq!([0, 1, -1, 127, -128, 128].map(probity_sat::int_width), [1, 2, 1, 8, 8, 9]);
/// ```
pub fn int_width(it: i128) -> usize {
    let size = if it < 0 { !it } else { it };
    129 - size.leading_zeros() as usize
}

impl Gates<'_> {
    /// A constant.
    pub fn int(&self, it: i128) -> Word {
        self.number(it as u128, int_width(it))
    }

    /// A new unknown from `min` to `max`.
    ///
    /// ```
    /// let mut gates = probity_sat::Gates::new();
    /// let x = gates.int_between(-9, 9);
    /// let (square, wanted) = (gates.int_mul(&x, &x), gates.int(49));
    /// let is_so = gates.int_eq(&square, &wanted);
    /// assert_eq!(gates.solve(&[is_so]), Some(true));
    /// assert_eq!(gates.int_value(&x).abs(), 7);
    /// ```
    pub fn int_between(&mut self, min: i128, max: i128) -> Word {
        if min == max {
            return self.int(min);
        }
        let mut word = self.unknown_word(int_width(min).max(int_width(max)));
        if let (Some(sign), true) = (word.last_mut(), min >= 0) {
            *sign = self.truth(false);
        }
        let (min, max) = (self.int(min), self.int(max));
        let (above, below) = (self.int_le(&min, &word), self.int_le(&word, &max));
        self.clause(&[above]);
        self.clause(&[below]);
        word
    }

    /// Both as wide as the wider of them, and `more` bits.
    fn alike(&self, a: &[Lit], b: &[Lit], more: usize) -> (Word, Word) {
        let width = a.len().max(b.len()) + more;
        (self.extended_signed(a, width), self.extended_signed(b, width))
    }

    /// `a + b`.
    pub fn int_add(&mut self, a: &[Lit], b: &[Lit]) -> Word {
        let (a, b) = self.alike(a, b, 1);
        self.add(&a, &b)
    }

    /// `a - b`.
    pub fn int_sub(&mut self, a: &[Lit], b: &[Lit]) -> Word {
        let (a, b) = self.alike(a, b, 1);
        self.sub(&a, &b)
    }

    /// `-a`.
    pub fn int_neg(&mut self, a: &[Lit]) -> Word {
        let zero = self.int(0);
        self.int_sub(&zero, a)
    }

    /// `a * b`.
    pub fn int_mul(&mut self, a: &[Lit], b: &[Lit]) -> Word {
        // Fewer rows than columns.
        let (a, b) = if a.len() >= b.len() { (a, b) } else { (b, a) };
        let width = a.len() + b.len();
        let mut product = Word::with_capacity(width + 1);
        let mut rest = self.int(0);
        for (place, &bit) in b.iter().enumerate() {
            if self.is_stopped() {
                break;
            }
            let row: Word = a.iter().map(|it| self.and(*it, bit)).collect();
            // The sign bit represents a negative power.
            let is_sign = place + 1 == b.len();
            rest = if is_sign { self.int_sub(&rest, &row) } else { self.int_add(&rest, &row) };
            if !is_sign {
                product.push(rest.remove(0));
            }
        }
        product.append(&mut rest);
        let sign = product[product.len() - 1];
        product.resize(width, sign);
        product
    }

    /// `a == b`.
    pub fn int_eq(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let (a, b) = self.alike(a, b, 0);
        self.equal(&a, &b)
    }

    /// `a <= b`.
    pub fn int_le(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let (a, b) = self.alike(a, b, 0);
        !self.less_signed(&b, &a)
    }

    /// `a` where `c` is true, else `b`.
    pub fn int_choose(&mut self, c: Lit, a: &[Lit], b: &[Lit]) -> Word {
        let (a, b) = self.alike(a, b, 0);
        self.choose(c, &a, &b)
    }

    /// A number of the model that [`solve`](Gates::solve) found last; of more than 128 bits, the lower ones.
    pub fn int_value(&self, word: &[Lit]) -> i128 {
        self.value(&self.extended_signed(word, 128.max(word.len()))[..128]) as i128
    }
}
