//! Conditions on floats in the shape that machine code gives them: domains as orders of bits, and comparisons as flags
//! that NaN has a part in.

use std::time::{Duration, Instant};

use super::super::{Answer, Limits, Session};
use super::{confirm, var};
use crate::clock::Deadline;
use crate::expr::{Dag, Expr, FloatOp, Op};
use FloatOp::{Add, Div, Less, Mul, Sub};

/// A graph with its conditions.
struct Code {
    dag: Dag,
    vars: u32,
    conditions: Vec<Expr>,
}

impl Code {
    fn constant(&mut self, it: f64) -> Expr {
        self.dag.constant(it.to_bits().into(), 64)
    }

    /// A float from `min` to `max`, which is `now` in the run, bounded as the machine does it.
    fn float(&mut self, min: f64, max: f64, now: f64) -> Expr {
        let e = var(&mut self.dag, self.vars, 64, now.to_bits().into());
        self.vars += 1;
        let [min, max] = [min, max].map(|it| self.constant(it));
        let dag = &mut self.dag;
        let [min, key, max] = [min, e, max].map(|it| {
            let (all, one) = (dag.constant(63, 64), dag.constant(1, 64));
            let signs = dag.binary(Op::AShr, it, all);
            let flips = dag.binary(Op::LShr, signs, one);
            dag.binary(Op::Xor, it, flips)
        });
        let (above, below) = (dag.sle(min, key), dag.sle(key, max));
        let within = dag.binary(Op::And, above, below);
        let magnitude = dag.extract(e, 62, 0);
        let infinity = dag.constant(f64::INFINITY.to_bits().into(), 63);
        let is_nan = dag.ult(infinity, magnitude);
        let bound = if now.is_nan() {
            dag.binary(Op::Or, within, is_nan)
        } else {
            let is_number = dag.not(is_nan);
            dag.binary(Op::And, within, is_number)
        };
        self.conditions.push(bound);
        e
    }

    /// Any float at all, which is NaN in the run.
    fn any(&mut self) -> Expr {
        self.float(f64::NEG_INFINITY, f64::INFINITY, f64::NAN)
    }

    fn op(&mut self, op: FloatOp, a: Expr, b: Expr) -> Expr {
        self.dag.float(op, a, b)
    }

    fn with(&mut self, op: FloatOp, a: Expr, b: f64) -> Expr {
        let b = self.constant(b);
        self.dag.float(op, a, b)
    }

    /// `jne` and `jp` not taken.
    fn equals(&mut self, a: Expr, b: f64) {
        let b = self.constant(b);
        let (same, unordered) = (self.op(FloatOp::Eq, a, b), self.op(FloatOp::Unordered, a, b));
        let zero = self.dag.binary(Op::Or, same, unordered);
        let ordered = self.dag.not(unordered);
        self.conditions.extend([zero, ordered]);
    }

    /// `low < a < high`, the second as "not (not below)", as in a jump around.
    fn between(&mut self, low: f64, a: Expr, high: f64) {
        let (low, high) = (self.constant(low), self.constant(high));
        let above = self.op(Less, low, a);
        let below = self.op(Less, a, high);
        let not = self.dag.not(below);
        let below = self.dag.not(not);
        self.conditions.extend([above, below]);
    }
}

/// Time for one question, as a search gives it.
fn solves(name: &str, build: impl Fn(&mut Code)) {
    let mut code = Code { dag: Dag::new(), vars: 0, conditions: Vec::new() };
    build(&mut code);
    // The solver is told what it should be able to do in an optimized build.
    // The conflicts end it, whatever the machine.
    let limits = Limits { until: Deadline::after(Duration::from_secs(600)), conflicts: 2000 };
    let began = Instant::now();
    let answer = Session::default().solve(&code.dag, &code.conditions, limits);
    assert!(matches!(answer, Answer::Sat(_)), "{name}: {answer:?} after {:?}", began.elapsed());
    confirm(&code.dag, &code.conditions, &answer);
}

#[test]
fn equations_are_left_from_nan() {
    solves("3 x + 0.5 == 100.25", |it| {
        let x = it.any();
        let y = it.with(Mul, x, 3.0);
        let y = it.with(Add, y, 0.5);
        it.equals(y, 100.25);
    });
    solves("x y == 12.5 && x + y == 7.5", |it| {
        let (x, y) = (it.any(), it.any());
        let (product, sum) = (it.op(Mul, x, y), it.op(Add, x, y));
        it.equals(product, 12.5);
        it.equals(sum, 7.5);
    });
    solves("sqrt(x) / 4 == 3.25", |it| {
        let x = it.any();
        let root = it.op(FloatOp::Sqrt, x, Expr::NONE);
        let y = it.with(Div, root, 4.0);
        it.equals(y, 3.25);
    });
    solves("b b - 4 a c == 0", |it| {
        let [a, b, c] = [1.0, 0.0, 2.0].map(|now| it.float(-10.0, 10.0, now));
        let (square, product) = (it.op(Mul, b, b), it.op(Mul, a, c));
        let product = it.with(Mul, product, 4.0);
        let it_is = it.op(Sub, square, product);
        it.between(0.5, a, 10.0);
        it.between(0.5, b, 10.0);
        it.equals(it_is, 0.0);
    });
}

#[test]
fn narrow_places_are_found() {
    solves("on a circle and a line", |it| {
        let (x, y) = (it.float(-50.0, 50.0, 0.0), it.float(-50.0, 50.0, 0.0));
        let (xx, yy) = (it.op(Mul, x, x), it.op(Mul, y, y));
        let (sum, line) = (it.op(Add, xx, yy), it.op(Sub, y, x));
        it.between(168.99, sum, 169.01);
        it.between(6.99, line, 7.001);
    });
    solves("x x x - 2 x - 5 near 0", |it| {
        let x = it.any();
        let square = it.op(Mul, x, x);
        let cube = it.op(Mul, square, x);
        let double = it.with(Mul, x, 2.0);
        let it_is = it.op(Sub, cube, double);
        let it_is = it.with(Sub, it_is, 5.0);
        it.between(-1e-9, it_is, 1e-9);
    });
    solves("a length and a ratio", |it| {
        let (x, y) = (it.float(-1e6, 1e6, 0.0), it.float(-1e6, 1e6, 0.0));
        let (xx, yy) = (it.op(Mul, x, x), it.op(Mul, y, y));
        let sum = it.op(Add, xx, yy);
        let length = it.op(FloatOp::Sqrt, sum, Expr::NONE);
        let ratio = it.op(Div, y, x);
        it.between(4.999, length, 5.001);
        it.between(0.749_99, ratio, 0.750_01);
    });
    solves("two sums of four", |it| {
        let vars: [Expr; 4] = std::array::from_fn(|_| it.float(0.0, 5.0, 0.0));
        let mut sum = vars[0];
        let mut weighed = vars[0];
        for (at, x) in vars.into_iter().enumerate().skip(1) {
            sum = it.op(Add, sum, x);
            let more = it.with(Mul, x, at as f64 + 1.0);
            weighed = it.op(Add, weighed, more);
        }
        it.between(9.999, sum, 10.001);
        it.between(30.0, weighed, 30.01);
    });
    solves("interest", |it| {
        let (sum, rate) = (it.float(0.0, 1000.0, 0.0), it.float(0.0, 1.0, 0.0));
        let grown = it.with(Add, rate, 1.0);
        let mut sum = sum;
        for _ in 0..3 {
            sum = it.op(Mul, sum, grown);
        }
        it.between(2000.0, sum, 2000.01);
        it.between(0.42, rate, 0.42001);
    });
    solves("mean and variance", |it| {
        let vars: [Expr; 3] = std::array::from_fn(|_| it.float(-100.0, 100.0, 0.0));
        let sum = it.op(Add, vars[0], vars[1]);
        let sum = it.op(Add, sum, vars[2]);
        let mean = it.with(Div, sum, 3.0);
        let squares = vars.map(|x| {
            let away = it.op(Sub, x, mean);
            it.op(Mul, away, away)
        });
        let sum = it.op(Add, squares[0], squares[1]);
        let sum = it.op(Add, sum, squares[2]);
        let variance = it.with(Div, sum, 3.0);
        it.between(4.99, mean, 5.01);
        it.between(2.0, variance, 2.001);
    });
}

#[test]
fn other_kinds_of_numbers_are_found() {
    solves("(100 x) as i64 == 12345 and not whole", |it| {
        let x = it.any();
        let y = it.with(Mul, x, 100.0);
        let whole = it.op(FloatOp::Truncate(64), y, Expr::NONE);
        let wanted = it.dag.constant(12_345, 64);
        let same = it.dag.eq(whole, wanted);
        it.conditions.push(same);
        it.between(12_345.6, y, 12_345.61);
    });
    solves("0.01 (n as float) near 77.77", |it| {
        let n = var(&mut it.dag, 0, 32, 0);
        let x = it.op(FloatOp::FromInt(64), n, Expr::NONE);
        let y = it.with(Mul, x, 0.01);
        it.between(77.765, y, 77.775);
    });
    solves("|x - 3.7| < 1e-6", |it| {
        let x = it.any();
        let away = it.with(Sub, x, 3.7);
        let mask = it.dag.constant(u128::from(u64::MAX >> 1), 64);
        let away = it.dag.binary(Op::And, away, mask);
        it.between(1e-7, away, 1e-6);
    });
    solves("a single in a narrow place", |it| {
        let single = var(&mut it.dag, 0, 32, 0);
        let factor = it.dag.constant(1.1f32.to_bits().into(), 32);
        let x = it.op(Mul, single, factor);
        let x = it.op(FloatOp::Convert(64), x, Expr::NONE);
        it.between(0.3, x, 0.300_000_1);
    });
}
