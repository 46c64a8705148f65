//! Each circuit against what the operation computes: for all operands of few bits, for some of many.

use std::sync::Arc;

use probity_testkit::Stream;

use super::super::Answer;
use super::super::blast::Blaster;
use super::super::program::{ConditionProgram, Marks};
use super::{bits, limits, var};
use crate::expr::tests::BINARY;
use crate::expr::{Dag, Expr, FloatOp, Op};

/// The operations on two numbers, with those that compare.
fn ops() -> impl Iterator<Item = Op> {
    BINARY.into_iter().chain([Op::Eq, Op::Ult, Op::Slt])
}

fn make(dag: &mut Dag, op: Op, a: Expr, b: Expr) -> Expr {
    match op {
        Op::Eq => dag.eq(a, b),
        Op::Ult => dag.ult(a, b),
        Op::Slt => dag.slt(a, b),
        Op::Float(op) => dag.float(op, a, b),
        _ => dag.binary(op, a, b),
    }
}

fn sat(blaster: &mut Blaster, dag: &Dag, conditions: &[Expr]) -> bool {
    let program = ConditionProgram::new(dag, &mut Marks::default(), conditions);
    match blaster.solve(dag, &program, &[], limits()) {
        Answer::Sat(_) => true,
        Answer::Unsat => false,
        Answer::Unknown => panic!("unknown"),
    }
}

/// The circuit has the value that the operation has, and no other.
fn check(dag: &mut Dag, blaster: &mut Blaster, result: Expr, operands: &[(Expr, u128)], expected: u128) {
    let mut conditions = Vec::new();
    for &(operand, value) in operands {
        let value = dag.constant(value, dag.width(operand));
        conditions.push(dag.eq(operand, value));
    }
    let expected = dag.constant(expected, dag.width(result));
    let same = dag.eq(result, expected);
    let other = dag.not(same);
    conditions.push(same);
    assert!(sat(blaster, dag, &conditions), "{:?} of {operands:?}", dag.node(result));
    *conditions.last_mut().unwrap() = other;
    assert!(!sat(blaster, dag, &conditions), "{:?} of {operands:?}", dag.node(result));
}

/// What `op` gives for these operands, by the folding of constants.
fn fold(dag: &mut Dag, op: Op, width: u8, a: u128, b: u128) -> u128 {
    let (a, b) = (dag.constant(a, width), dag.constant(b, width));
    let result = make(dag, op, a, b);
    dag.value(result)
}

#[test]
fn circuits_of_few_bits_compute_what_the_operations_do() {
    for width in 1..=4 {
        for op in ops() {
            let mut dag = Dag::new();
            let mut blaster = Blaster::new();
            let (x, y) = (var(&mut dag, 0, width, 0), var(&mut dag, 1, width, 0));
            let result = make(&mut dag, op, x, y);
            for a in 0..1 << width {
                let fixed = dag.constant(a, width);
                let (by_left, by_right) = (make(&mut dag, op, fixed, y), make(&mut dag, op, x, fixed));
                for b in 0..1 << width {
                    let expected = fold(&mut dag, op, width, a, b);
                    check(&mut dag, &mut blaster, result, &[(x, a), (y, b)], expected);
                    check(&mut dag, &mut blaster, by_left, &[(y, b)], expected);
                    let expected = fold(&mut dag, op, width, b, a);
                    check(&mut dag, &mut blaster, by_right, &[(x, b)], expected);
                }
            }
        }
    }
}

#[test]
fn circuits_of_many_bits_compute_what_the_operations_do() {
    let mut numbers = Stream::new(3);
    for width in [8, 13, 32, 33, 64, 128] {
        for op in ops() {
            let mut dag = Dag::new();
            let mut blaster = Blaster::new();
            let (x, y) = (var(&mut dag, 0, width, 0), var(&mut dag, 1, width, 0));
            let general = make(&mut dag, op, x, y);
            let shifts = matches!(op, Op::Shl | Op::LShr | Op::AShr);
            for round in 0..4 {
                let a = bits(&mut numbers, width);
                let b = if shifts && round % 2 == 0 {
                    numbers.below(140).into()
                } else {
                    bits(&mut numbers, width)
                };
                let b = b & crate::expr::mask(width);
                let fixed = dag.constant(b, width);
                let by_constant = make(&mut dag, op, x, fixed);
                let expected = fold(&mut dag, op, width, a, b);
                // These are large: once is enough for the widest.
                let is_large = matches!(op, Op::Mul | Op::UDiv | Op::URem | Op::SDiv | Op::SRem);
                if width <= 33 || !is_large || round == 0 {
                    check(&mut dag, &mut blaster, general, &[(x, a), (y, b)], expected);
                }
                check(&mut dag, &mut blaster, by_constant, &[(x, a)], expected);
            }
        }
    }
}

#[test]
fn products_of_extended_numbers_are_narrow_and_right() {
    let mut numbers = Stream::new(5);
    let mut dag = Dag::new();
    let mut blaster = Blaster::new();
    let (x, y) = (var(&mut dag, 0, 5, 0), var(&mut dag, 1, 7, 0));
    for (signed_x, signed_y) in [(false, false), (true, true), (true, false)] {
        let wide_x = if signed_x { dag.sext(x, 40) } else { dag.zext(x, 40) };
        let wide_y = if signed_y { dag.sext(y, 40) } else { dag.zext(y, 40) };
        let product = dag.binary(Op::Mul, wide_x, wide_y);
        for _ in 0..60 {
            let (a, b) = (bits(&mut numbers, 5), bits(&mut numbers, 7));
            let (ca, cb) = (dag.constant(a, 5), dag.constant(b, 7));
            let ca = if signed_x { dag.sext(ca, 40) } else { dag.zext(ca, 40) };
            let cb = if signed_y { dag.sext(cb, 40) } else { dag.zext(cb, 40) };
            let expected = dag.binary(Op::Mul, ca, cb);
            let expected = dag.value(expected);
            check(&mut dag, &mut blaster, product, &[(x, a), (y, b)], expected);
        }
    }
}

#[test]
fn tables_are_looked_up() {
    let mut numbers = Stream::new(11);
    for len in [1, 2, 3, 7, 16, 100, 256] {
        let mut dag = Dag::new();
        let mut blaster = Blaster::new();
        let entries: Arc<[u128]> = (0..len).map(|_| bits(&mut numbers, 16)).collect();
        let x = var(&mut dag, 0, 9, 0);
        let result = dag.table(x, entries.clone(), 16);
        for at in (0..512).step_by(3) {
            let expected = entries.get(at as usize).copied().unwrap_or(0);
            check(&mut dag, &mut blaster, result, &[(x, at)], expected);
        }
    }
}

#[test]
fn floats_are_compared_exactly() {
    let ops = [FloatOp::Eq, FloatOp::Less, FloatOp::Unordered, FloatOp::Min, FloatOp::Max].map(Op::Float);
    let singles =
        [0.0, -0.0, 1.0, -1.0, 1e-45, -1e-45, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, -f32::NAN, 2.5];
    for width in [32, 64] {
        let bits = |it: f32| {
            if width == 32 { u128::from(it.to_bits()) } else { f64::from(it).to_bits().into() }
        };
        for op in ops {
            let mut dag = Dag::new();
            let mut blaster = Blaster::new();
            let (x, y) = (var(&mut dag, 0, width, 0), var(&mut dag, 1, width, 0));
            let result = make(&mut dag, op, x, y);
            for a in singles.map(bits) {
                for b in singles.map(bits) {
                    let expected = fold(&mut dag, op, width, a, b);
                    check(&mut dag, &mut blaster, result, &[(x, a), (y, b)], expected);
                }
            }
        }
    }
}
