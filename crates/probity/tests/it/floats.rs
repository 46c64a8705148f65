//! Floats in specs and contracts: ranges and comparisons narrow what is drawn, and compare as Rust does.
#![allow(clippy::neg_cmp_op_on_partial_ord, reason = "NaN is what it is about")]

use probity::prelude::*;
use probity::spec::{Declared, Drawn, Shape, Spec as Spec_, Term, Value, drawn, rust};
use probity::{Generator, sample};

/// Two floats in order, within a range.
#[derive(Debug, Clone, Copy, Spec)]
#[spec(require = low <= high)]
struct Extent {
    #[spec(range = -1.0..=1.0)]
    low: f64,
    #[spec(range = -1.0..=1.0)]
    high: f64,
}

#[probity::contract]
#[ensures(|out| (0.0..=2.0).contains(out))]
fn width(extent: &Extent) -> f64 {
    extent.high - extent.low
}

#[probity::contract]
#[requires(0.0 <= p && p <= 1.0)]
#[ensures(|out| *out >= 0.0 && *out <= 1.0)]
fn complement(p: f64) -> f64 {
    1.0 - p
}

#[probity::contract]
#[requires(!xs.is_empty() && xs.iter().all(|it| *it >= 0.0 && *it < 1e3))]
#[ensures(|out| *out >= 0.0 && *out <= 1e3)]
fn mean(xs: &[f64]) -> f64 {
    xs.iter().sum::<f64>() / xs.len() as f64
}

/// What is computed filters what is drawn.
#[derive(Debug, Clone, Copy, Spec)]
#[spec(require = (x * x + y * y).abs() <= 1.0 && x as i32 == 0)]
struct Inside {
    #[spec(range = -1.0..1.0)]
    x: f64,
    #[spec(range = -1.0..1.0)]
    y: f64,
}

#[probity::test]
fn points_are_inside(point: Inside) {
    assert!(point.x * point.x + point.y * point.y <= 1.0 && point.x < 1.0 && point.is_valid());
}

/// Without a range all floats are drawn, and what compares with NaN is false as in Rust.
#[derive(Debug, Clone, Copy, Spec)]
struct Anything {
    any: f64,
    #[spec(require = it.is_finite() && it != 0.0)]
    divisor: f64,
    #[spec(require = !(it > 0.5))]
    not_above: f64,
}

#[probity::test]
fn requirements_are_those_of_rust(anything: Anything) {
    let Anything { divisor, not_above, .. } = anything;
    assert!(divisor.is_finite() && divisor != 0.0 && !(not_above > 0.5));
}

fn drawn_floats(spec: Spec_) -> Vec<f64> {
    let generator: Drawn = drawn(spec);
    let float = |seed| {
        let value = generator.generate_with(seed);
        assert!(generator.answers(&value).is_some(), "{value} is not found again");
        f64::from_value(&value).unwrap()
    };
    (0..2_000).map(float).collect()
}

trait GenerateWith {
    fn generate_with(&self, seed: u64) -> Value;
}

impl GenerateWith for Drawn {
    fn generate_with(&self, seed: u64) -> Value {
        sample(&|src: &mut probity::Source| self.generate(src), seed)
    }
}

#[test]
fn all_floats_are_drawn_unless_a_requirement_says_otherwise() {
    let all = drawn_floats(Spec_::new(Shape::Float));
    assert!(all.iter().any(|it| it.is_nan()) && all.iter().any(|it| it.is_infinite()));
    assert!(all.iter().any(|it| *it == 0.0 && it.is_sign_negative()));
    let float = |it: f64| rust::constant(it);
    type FloatRow = (Term, fn(f64) -> bool);
    let rows: [FloatRow; 7] = [
        (Term::it().lt(float(0.0)), |it| it < 0.0),
        (Term::it().le(float(-0.0)), |it| it <= 0.0),
        (float(0.1).le(Term::it()), |it| 0.1 <= it),
        (rust::decimal("0.1").lt(Term::it()), |it| 0.1 < it),
        (Term::it().abs().lt(float(10.0)), |it| it.abs() < 10.0),
        (Term::it().lt(float(1.0)).negate(), |it| !(it < 1.0)),
        (Term::it().eq(Term::int(0)), |it| it == 0.0),
    ];
    for (term, holds) in rows {
        let drawn = drawn_floats(Spec_::new(Shape::Float).require(term.clone()));
        assert!(drawn.iter().all(|it| holds(*it)), "{term}");
        // At the very end, too.
        let bound = drawn.iter().copied().fold(f64::NAN, f64::max);
        assert!(!bound.is_nan() || holds(f64::NAN), "{term}");
    }
}

/// Floats that every pair of differs.
#[probity::test(cases = 40, store = false, different = not_equal)]
fn floats_differ(extent: Extent) {
    assert!(extent.low <= extent.high);
}
