//! What is known of a node in every run: its range, the bits that may be 1, its sign bits.

use super::{Dag, Expr, ExprNode, Op, mask, signed};

/// What is known of a node without the path.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facts {
    /// The least value, unsigned.
    pub(super) min: u128,
    /// The greatest.
    pub(super) max: u128,
    /// The bits that may be 1.
    pub(super) ones: u128,
    /// The node is the bits from `part_low` on of this one, if of any. It says how the parts of a value that was
    /// written to memory come together again although they were simplified one by one.
    pub(super) part_of: Expr,
    pub(super) part_low: u8,
    /// How many bits hold it as a signed number.
    pub(super) signed_bits: u8,
}

/// How many bits hold `max`; at least one.
#[inline(always)]
pub(super) fn bits_of(max: u128) -> u8 {
    if max == 0 { 1 } else { (128 - max.leading_zeros()) as u8 }
}

/// All bits that numbers up to `max` may have.
fn filled(max: u128) -> u128 {
    if max == 0 { 0 } else { u128::MAX >> max.leading_zeros() }
}

fn signed_bits_of(value: u128, width: u8) -> u8 {
    let value = signed(value, width);
    let magnitude = if value < 0 { !value } else { value } as u128;
    (129 - magnitude.leading_zeros()) as u8
}

impl Facts {
    pub(super) fn constant(value: u128, width: u8) -> Facts {
        let signed_bits = signed_bits_of(value, width);
        Facts { min: value, max: value, ones: value, part_of: Expr::NONE, part_low: 0, signed_bits }
    }

    /// Of numbers of `width` bits between `min` and `max` that have no bits but `ones`, and as signed numbers fit
    /// into `signed_bits`.
    pub(super) fn new(min: u128, max: u128, ones: u128, signed_bits: u8, width: u8) -> Facts {
        let ones = ones & filled(max);
        let max = max.min(ones);
        let mut signed_bits = signed_bits.min(width);
        let unsigned = bits_of(max);
        if unsigned < width {
            signed_bits = signed_bits.min(if max == 0 { 1 } else { unsigned + 1 });
        }
        Facts { min: min.min(max), max, ones, part_of: Expr::NONE, part_low: 0, signed_bits }
    }
}

/// The facts of a node that is not a leaf.
pub(super) fn facts_of(dag: &Dag, node: &ExprNode) -> Facts {
    let w = node.width;
    let all = mask(w);
    let [a, b, c] = node.args;
    let (x, y) = (&dag.facts[a.index()], &dag.facts[b.index()]);
    let wider = x.signed_bits.max(y.signed_bits);
    let anything = Facts::new(0, all, all, w, w);
    match node.op {
        Op::Not => Facts::new(all - x.max, all - x.min, all, x.signed_bits, w),
        Op::And => Facts::new(0, x.max.min(y.max), x.ones & y.ones, wider, w),
        Op::Or => Facts::new(x.min.max(y.min), all, x.ones | y.ones, wider, w),
        Op::Xor => Facts::new(0, all, x.ones | y.ones, wider, w),
        Op::Add | Op::Sub => sum(node.op, x, y, w),
        Op::Mul => {
            let low = (x.ones.trailing_zeros() + y.ones.trailing_zeros()).min(127);
            let (min, max) = match x.max.checked_mul(y.max) {
                Some(max) if max <= all => (x.min * y.min, max),
                _ => (0, all),
            };
            Facts::new(min, max, all >> low << low, x.signed_bits.saturating_add(y.signed_bits), w)
        }
        Op::UDiv | Op::URem => division(node.op, x, y, w),
        Op::SDiv | Op::SRem => {
            if x.max <= all >> 1 && y.max <= all >> 1 && y.min > 0 {
                division(if node.op == Op::SDiv { Op::UDiv } else { Op::URem }, x, y, w)
            } else if node.op == Op::SRem {
                Facts::new(0, all, all, x.signed_bits, w)
            } else {
                Facts::new(0, all, all, x.signed_bits.saturating_add(1).max(2), w)
            }
        }
        Op::Shl => {
            let low = x.ones.trailing_zeros().min(127);
            let fits = y.max < u128::from(w) && x.max <= all >> y.max;
            let (min, max) = if fits { (x.min << y.min, x.max << y.max) } else { (0, all) };
            Facts::new(min, max, all >> low << low, w, w)
        }
        Op::LShr => {
            let min = if y.max < u128::from(w) { x.min >> y.max } else { 0 };
            let max = if y.min < u128::from(w) { x.max >> y.min } else { 0 };
            Facts::new(min, max, all, w, w)
        }
        Op::AShr => {
            let ones = if x.max <= all >> 1 { filled(x.max) } else { all };
            Facts::new(0, ones, ones, x.signed_bits, w)
        }
        Op::Concat => {
            let low = dag.width(b);
            let ones = x.ones << low | y.ones;
            Facts::new(x.min << low | y.min, x.max << low | y.max, ones, x.signed_bits.saturating_add(low), w)
        }
        Op::Extract(low) => {
            let (min, max) = (x.min >> low, x.max >> low);
            let (min, max) = if min >> w == max >> w { (min & all, max & all) } else { (0, all) };
            let signed_bits = if low < x.signed_bits { x.signed_bits - low } else { 1 };
            Facts::new(min, max, (x.ones >> low) & all, signed_bits, w)
        }
        Op::ZExt => Facts::new(x.min, x.max, x.ones, w, w),
        Op::SExt => {
            let inner = mask(dag.width(a));
            let above = all & !inner;
            let (min, max) = if x.max <= inner >> 1 {
                (x.min, x.max)
            } else if x.min > inner >> 1 {
                (x.min | above, x.max | above)
            } else {
                (0, all)
            };
            let ones = if x.ones > inner >> 1 { x.ones | above } else { x.ones };
            Facts::new(min, max, ones, x.signed_bits, w)
        }
        Op::Ite => {
            let z = &dag.facts[c.index()];
            let signed_bits = y.signed_bits.max(z.signed_bits);
            Facts::new(y.min.min(z.min), y.max.max(z.max), y.ones | z.ones, signed_bits, w)
        }
        Op::Eq | Op::Ult | Op::Slt => comparison(node.op, x, y, dag.width(a)),
        Op::Table(table) => entries(dag.table_of(table), x, w),
        Op::Const | Op::Var(_) | Op::Float(_) => anything,
    }
}

fn sum(op: Op, x: &Facts, y: &Facts, w: u8) -> Facts {
    let all = mask(w);
    let low = (x.ones | y.ones).trailing_zeros().min(127);
    let (min, max) = if op == Op::Add {
        let fits = |a: u128, b: u128| a.checked_add(b).is_some_and(|sum| sum <= all);
        if fits(x.max, y.max) || !fits(x.min, y.min) {
            (x.min.wrapping_add(y.min) & all, x.max.wrapping_add(y.max) & all)
        } else {
            (0, all)
        }
    } else if x.min >= y.max || x.max < y.min {
        (x.min.wrapping_sub(y.max) & all, x.max.wrapping_sub(y.min) & all)
    } else {
        (0, all)
    };
    let signed_bits = x.signed_bits.max(y.signed_bits).saturating_add(1);
    Facts::new(min, max, all >> low << low, signed_bits, w)
}

fn division(op: Op, x: &Facts, y: &Facts, w: u8) -> Facts {
    let all = mask(w);
    let (min, max) = match op {
        Op::UDiv if y.min > 0 => (x.min / y.max, x.max / y.min),
        Op::UDiv if y.max > 0 => (x.min / y.max, all),
        Op::UDiv => (all, all),
        _ if y.min > x.max => (x.min, x.max),
        _ if y.min > 0 => (0, x.max.min(y.max - 1)),
        _ => (0, x.max),
    };
    Facts::new(min, max, all, w, w)
}

fn comparison(op: Op, x: &Facts, y: &Facts, w: u8) -> Facts {
    let flip = if op == Op::Slt { 1 << (w - 1) } else { 0 };
    // Signed numbers compare as unsigned ones with the sign turned, if their range does not span it.
    let whole = |it: &Facts| it.min ^ flip <= it.max ^ flip;
    let decided = if !whole(x) || !whole(y) {
        None
    } else {
        let (x_min, x_max, y_min, y_max) = (x.min ^ flip, x.max ^ flip, y.min ^ flip, y.max ^ flip);
        if op == Op::Eq {
            let bit_apart =
                (x.min == x.max && x.min & !y.ones != 0) || (y.min == y.max && y.min & !x.ones != 0);
            (x_max < y_min || y_max < x_min || bit_apart).then_some(0)
        } else if x_max < y_min {
            Some(1)
        } else if x_min >= y_max {
            Some(0)
        } else {
            None
        }
    };
    match decided {
        Some(it) => Facts::constant(it, 1),
        None => Facts::new(0, 1, 1, 1, 1),
    }
}

fn entries(table: &[u128], at: &Facts, w: u8) -> Facts {
    let len = table.len() as u128;
    let (mut min, mut max, mut ones) = if at.max >= len { (0, 0, 0) } else { (u128::MAX, 0, 0) };
    for &entry in &table[at.min.min(len) as usize..at.max.saturating_add(1).min(len) as usize] {
        min = min.min(entry);
        max = max.max(entry);
        ones |= entry;
    }
    Facts::new(min, max, ones, w, w)
}
