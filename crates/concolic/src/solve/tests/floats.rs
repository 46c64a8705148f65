//! Conditions on floats.

use super::super::{Answer, Session};
use super::{confirm, limits, var};
use crate::expr::{Dag, Expr, FloatOp, Op};

/// A graph with floats of one width.
struct Setup {
    dag: Dag,
    width: u8,
}

impl Setup {
    fn constant(&mut self, it: f64) -> Expr {
        let bits = if self.width == 32 { (it as f32).to_bits().into() } else { it.to_bits().into() };
        self.dag.constant(bits, self.width)
    }

    fn var(&mut self, index: u32) -> Expr {
        var(&mut self.dag, index, self.width, 0)
    }

    fn op(&mut self, op: FloatOp, a: Expr, b: Expr) -> Expr {
        self.dag.float(op, a, b)
    }

    fn op_with(&mut self, op: FloatOp, a: Expr, b: f64) -> Expr {
        let b = self.constant(b);
        self.dag.float(op, a, b)
    }
}

fn check(name: &str, build: impl Fn(&mut Setup) -> Vec<Expr>) {
    for width in [32, 64] {
        let mut setup = Setup { dag: Dag::new(), width };
        let conditions = build(&mut setup);
        let answer = Session::default().solve(&setup.dag, &conditions, limits());
        assert!(matches!(answer, Answer::Sat(_)), "{name} in {width} bits: {answer:?}");
        confirm(&setup.dag, &conditions, &answer);
    }
}

#[test]
fn simple_conditions_are_met() {
    check("x * 1.5 + 2 == 8", |it| {
        let x = it.var(0);
        let y = it.op_with(FloatOp::Mul, x, 1.5);
        let y = it.op_with(FloatOp::Add, y, 2.0);
        vec![it.op_with(FloatOp::Eq, y, 8.0)]
    });
    check("1e10 < x < 1.000001e10", |it| {
        let x = it.var(0);
        let low = it.constant(1e10);
        vec![it.op(FloatOp::Less, low, x), it.op_with(FloatOp::Less, x, 1.000_001e10)]
    });
    check("x as i32 == 77 && x.fract() == 0.25", |it| {
        let x = it.var(0);
        let whole = it.op(FloatOp::Truncate(32), x, Expr::NONE);
        let wanted = it.dag.constant(77, 32);
        let down = it.op(FloatOp::Round(3), x, Expr::NONE);
        let rest = it.op(FloatOp::Sub, x, down);
        vec![it.dag.eq(whole, wanted), it.op_with(FloatOp::Eq, rest, 0.25)]
    });
    check("a + b == 10 && a - b == 4", |it| {
        let (a, b) = (it.var(0), it.var(1));
        let (sum, difference) = (it.op(FloatOp::Add, a, b), it.op(FloatOp::Sub, a, b));
        vec![it.op_with(FloatOp::Eq, sum, 10.0), it.op_with(FloatOp::Eq, difference, 4.0)]
    });
    check("sqrt(x) == 12", |it| {
        let x = it.var(0);
        let root = it.op(FloatOp::Sqrt, x, Expr::NONE);
        vec![it.op_with(FloatOp::Eq, root, 12.0)]
    });
    check("x is NaN", |it| {
        let x = it.var(0);
        let y = it.op_with(FloatOp::Mul, x, 2.0);
        vec![it.op(FloatOp::Unordered, y, y)]
    });
}

#[test]
fn harder_conditions_are_met() {
    check("a * b == 391 && a + b == 40", |it| {
        let (a, b) = (it.var(0), it.var(1));
        let (product, sum) = (it.op(FloatOp::Mul, a, b), it.op(FloatOp::Add, a, b));
        vec![it.op_with(FloatOp::Eq, product, 391.0), it.op_with(FloatOp::Eq, sum, 40.0)]
    });
    check("x * x - 5 x + 6 == 0 && x > 2.5", |it| {
        let x = it.var(0);
        let square = it.op(FloatOp::Mul, x, x);
        let five = it.op_with(FloatOp::Mul, x, 5.0);
        let it_is = it.op(FloatOp::Sub, square, five);
        let it_is = it.op_with(FloatOp::Add, it_is, 6.0);
        let low = it.constant(2.5);
        vec![it.op(FloatOp::Less, low, x), it.op_with(FloatOp::Eq, it_is, 0.0)]
    });
    check("(n as float) / 8 == 15.625", |it| {
        let n = var(&mut it.dag, 0, 32, 0);
        let width = it.width;
        let x = it.op(FloatOp::FromInt(width), n, Expr::NONE);
        let y = it.op_with(FloatOp::Div, x, 8.0);
        vec![it.op_with(FloatOp::Eq, y, 15.625)]
    });
    check("9/5 c + 32 between 451 and 451.5, by sums of three", |it| {
        let vars = [it.var(0), it.var(1), it.var(2)];
        let sum = it.op(FloatOp::Add, vars[0], vars[1]);
        let sum = it.op(FloatOp::Add, sum, vars[2]);
        let y = it.op_with(FloatOp::Mul, sum, 1.8);
        let y = it.op_with(FloatOp::Add, y, 32.0);
        let low = it.constant(451.0);
        let mut all = vec![it.op(FloatOp::Less, low, y), it.op_with(FloatOp::Less, y, 451.5)];
        for x in vars {
            all.push(it.op_with(FloatOp::Less, x, 100.0));
        }
        all
    });
}

#[test]
fn what_comparisons_exclude_is_proved() {
    let mut it = Setup { dag: Dag::new(), width: 64 };
    let x = it.var(0);
    let y = it.op_with(FloatOp::Mul, x, 1.5);
    let high = it.constant(3.0);
    let conditions = [it.op_with(FloatOp::Less, y, 2.0), it.op(FloatOp::Less, high, y)];
    assert_eq!(Session::default().solve(&it.dag, &conditions, limits()), Answer::Unsat);
}

#[test]
fn integers_are_searched_when_sat_gives_up() {
    let mut dag = Dag::new();
    let (x, y) = (var(&mut dag, 0, 64, 0), var(&mut dag, 1, 64, 0));
    let product = dag.binary(Op::Mul, x, y);
    let bound = dag.constant(1_000_003 * 999_983, 64);
    let goal = dag.ult(bound, product);
    let few = super::super::Limits { conflicts: 0, ..limits() };
    let answer = Session::default().solve(&dag, &[goal], few);
    confirm(&dag, &[goal], &answer);
}
