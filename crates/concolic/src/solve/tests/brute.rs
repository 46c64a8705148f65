//! Random expressions over few bits, against all values of the variables.

use std::sync::Arc;

use probity_testkit::Stream;

use super::super::{Answer, Session};
use super::{bits, confirm, limits};
use crate::expr::tests::BINARY;
use crate::expr::{Dag, Evaluator, Expr, FloatOp, Op, Var, mask};

/// A graph over variables of at most 14 bits, and conditions that are true in its run.
pub(super) struct Setup {
    pub(super) dag: Dag,
    pool: Vec<Expr>,
}

impl Setup {
    /// Variables of the given widths, and a few nodes over them.
    pub(super) fn new(numbers: &mut Stream, widths: &[u8]) -> Setup {
        let mut dag = Dag::new();
        let mut pool = Vec::new();
        for (index, &width) in widths.iter().enumerate() {
            let (mut min, mut max) = (0, mask(width));
            if numbers.below(3) == 0 {
                max = bits(numbers, width).max(1);
                min = bits(numbers, width) % max;
            }
            let value = min + bits(numbers, width) % (max - min + 1);
            pool.push(dag.var(Var { index: index as u32, width, min, max }, value));
        }
        let mut setup = Setup { dag, pool };
        for _ in 0..5 + numbers.below(20) {
            let e = setup.grow(numbers);
            setup.pool.push(e);
        }
        setup
    }

    fn some(&mut self, numbers: &mut Stream) -> Expr {
        let at = numbers.below(self.pool.len() as u64) as usize;
        self.pool[at]
    }

    fn of_width(&mut self, numbers: &mut Stream, width: u8) -> Expr {
        if numbers.below(4) == 0 {
            let value = bits(numbers, width);
            return self.dag.constant(value, width);
        }
        let e = self.some(numbers);
        if width > self.dag.width(e) && numbers.below(2) == 0 {
            return self.dag.sext(e, width);
        }
        self.dag.resize(e, width)
    }

    fn grow(&mut self, numbers: &mut Stream) -> Expr {
        let a = self.some(numbers);
        let width = self.dag.width(a);
        match numbers.below(12) {
            0 => self.dag.not(a),
            1 => {
                let low = numbers.below(width.into()) as u8;
                let high = low + numbers.below((width - low).into()) as u8;
                self.dag.extract(a, high, low)
            }
            2 => {
                let b = self.some(numbers);
                if width + self.dag.width(b) > 80 { a } else { self.dag.concat(a, b) }
            }
            3 => {
                let entries: Arc<[u128]> = (0..1 + numbers.below(20)).map(|_| bits(numbers, 8)).collect();
                self.dag.table(a, entries, 8)
            }
            4 | 5 => {
                let condition = self.of_width(numbers, 1);
                let b = self.of_width(numbers, width);
                self.dag.ite(condition, a, b)
            }
            6 => self.condition(numbers),
            _ => {
                let b = self.of_width(numbers, width);
                let op = BINARY[numbers.below(13) as usize];
                self.dag.binary(op, a, b)
            }
        }
    }

    /// A condition that is true in the run, and its opposite.
    pub(super) fn branch(&mut self, numbers: &mut Stream) -> (Expr, Expr) {
        let condition = self.condition(numbers);
        let other = self.dag.not(condition);
        if self.dag.value(condition) == 1 { (condition, other) } else { (other, condition) }
    }

    fn condition(&mut self, numbers: &mut Stream) -> Expr {
        let a = self.some(numbers);
        let b = self.of_width(numbers, self.dag.width(a));
        match numbers.below(4) {
            0 => self.dag.ult(a, b),
            1 => self.dag.slt(a, b),
            2 => {
                // Floats of 32 bits, made of what there is.
                let (a, b) = (self.dag.resize(a, 32), self.dag.resize(b, 32));
                let up = self.dag.constant(20, 32);
                let a = self.dag.binary(Op::Shl, a, up);
                let op = [FloatOp::Eq, FloatOp::Less, FloatOp::Unordered][numbers.below(3) as usize];
                self.dag.float(op, a, b)
            }
            _ => self.dag.eq(a, b),
        }
    }
}

/// Whether some values within the ranges make all conditions true.
fn can_hold(dag: &Dag, conditions: &[Expr]) -> bool {
    let mut evaluator = Evaluator::default();
    let sizes: Vec<u128> = dag.vars().iter().map(|it| it.max - it.min + 1).collect();
    (0..sizes.iter().product::<u128>()).any(|mut rank| {
        let mut values = [0; 3];
        for (var, size) in dag.vars().iter().zip(&sizes) {
            values[var.index as usize] = var.min + rank % size;
            rank /= size;
        }
        evaluator.reset();
        conditions.iter().all(|it| evaluator.eval(dag, *it, &|index| values[index as usize]) == 1)
    })
}

#[test]
fn verdicts_agree_with_brute_force() {
    let mut numbers = Stream::new(7);
    let (mut sat, mut unsat) = (0, 0);
    for round in 0..220 {
        let widths: [&[u8]; 5] = [&[8, 6], &[5, 5, 4], &[14], &[1, 3, 8], &[4, 4, 3]];
        let mut setup = Setup::new(&mut numbers, widths[round % widths.len()]);
        // Once with all means, once with SAT alone.
        let mut sessions = [Session::default(), Session { only_sat: true, ..Session::default() }];
        let mut path = Vec::new();
        for _ in 0..5 {
            let (taken, other) = setup.branch(&mut numbers);
            let mut conditions = path.clone();
            conditions.push(other);
            let expected = can_hold(&setup.dag, &conditions);
            for session in &mut sessions {
                let answer = session.solve(&setup.dag, &conditions, limits());
                if expected {
                    confirm(&setup.dag, &conditions, &answer);
                } else {
                    assert_eq!(answer, Answer::Unsat, "{conditions:?} of {:?}", setup.dag);
                }
            }
            if expected {
                sat += 1;
            } else {
                unsat += 1;
            }
            path.push(taken);
        }
    }
    assert!(sat > 250 && unsat > 250, "{sat} {unsat}");
}

#[test]
fn conditions_that_share_nothing_with_the_goal_are_left_alone() {
    let mut dag = Dag::new();
    let mut path = Vec::new();
    let vars: Vec<Expr> = (0..2_000)
        .map(|index| dag.var(Var { index, width: 16, min: 0, max: 0xffff }, index.into()))
        .collect();
    // Neighbors are connected in runs of ten.
    for (at, pair) in vars.windows(2).enumerate() {
        if at % 10 != 9 {
            path.push(dag.ult(pair[0], pair[1]));
        }
    }
    let bound = dag.constant(1_500, 16);
    let more = dag.ult(vars[1_234], bound);
    let goal = dag.not(more);
    path.push(goal);
    let Answer::Sat(model) = Session::default().solve(&dag, &path, limits()) else { panic!() };
    assert!(!model.is_empty() && model.iter().all(|it| (1_230..1_240).contains(&it.0)), "{model:?}");
    confirm(&dag, &path, &Answer::Sat(model));
}
