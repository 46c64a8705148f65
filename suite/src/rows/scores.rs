//! Tests that say how near a case comes to a failure which nobody meets by chance.

use probity::Source;
use probity::engine::Value;
use probity::prelude::*;

use crate::answers::answers;
use crate::{Group, Row};

pub(super) const ROWS: &[Row] = &[
    fails("score_bits", score_bits, || (0..40).fold(answers(), |it, at| it.bool(at % 3 == 0)).done()).only(),
    fails("score_place", score_place, || answers().ints([31_415, -92_653]).done()).only(),
    fails("score_word", score_word, || answers().chars("probity").done()).only(),
    fails("score_weight", score_weight, || answers().ints([1, 0, 0, 1, 1, 0, 1, 1]).done()),
    fails("score_order", score_order, || answers().ints(0..12).done()),
];

const fn fails(name: &'static str, test: fn(&mut Source), known: fn() -> Vec<Value>) -> Row {
    Row::fails(Group::Score, "a score leads there", name, test, known)
}

/// One list of 40 bits.
fn score_bits(src: &mut Source) {
    let bits: [bool; 40] = std::array::from_fn(|_| src.bool());
    let hits = (0..).zip(bits).filter(|(at, bit)| *bit == (at % 3 == 0)).count();
    maximize("hits", hits as f64);
    assert!(hits < 40);
}

/// One place of 4 * 10^10.
fn score_place(src: &mut Source) {
    let (x, y): (i32, i32) = (src.draw(-100_000..=100_000), src.draw(-100_000..=100_000));
    minimize("distance", f64::from(x.abs_diff(31_415)) + f64::from(y.abs_diff(-92_653)));
    assert!((x, y) != (31_415, -92_653));
}

/// One word of 26^7.
fn score_word(src: &mut Source) {
    let word: String = src.draw(string('a'..='z', 7));
    maximize("letters", word.chars().zip("probity".chars()).filter(|(a, b)| a == b).count() as f64);
    assert!(word != "probity");
}

/// Weights of which some have to be on the scales.
fn score_weight(src: &mut Source) {
    const WEIGHTS: [i32; 8] = [1009, 2017, 4027, 8053, 16_103, 32_203, 64_403, 128_813];
    let on: [i32; 8] = std::array::from_fn(|_| src.draw(0..=9));
    let sum: i32 = on.iter().zip(WEIGHTS).map(|(n, weight)| n * weight).sum();
    minimize("off", f64::from(sum.abs_diff(218_381)));
    assert!(sum != 218_381);
}

/// Twelve numbers that rise one by one.
fn score_order(src: &mut Source) {
    let v: [i32; 12] = std::array::from_fn(|_| src.draw(0..=99));
    let steps = v.windows(2).filter(|it| it[1] == it[0] + 1).count();
    maximize("steps", steps as f64);
    assert!(steps < 11);
}
