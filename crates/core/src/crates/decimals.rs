//! `Decimal`, of the crate `rust_decimal`.

use rust_decimal::Decimal;

use crate::{Combine, Generator, from, weighted};

made_from! {
    Decimal: (mantissas(), scales()), (mantissa, scale) => Decimal::from_i128_with_scale(mantissa, scale);
}

/// Of 96 bits; within ten thousand one time in two.
fn mantissas() -> impl Generator<Value = i128> {
    const MOST: i128 = (1 << 96) - 1;
    weighted([(1, from(-10_000..=10_000).boxed()), (1, from(-MOST..=MOST).boxed())])
}

/// How many digits stand behind the point: up to two three times in four.
fn scales() -> impl Generator<Value = u32> {
    weighted([(3, from(0..=2).boxed()), (1, from(0..=28).boxed())])
}
