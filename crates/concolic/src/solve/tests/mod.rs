//! The solver against brute force on small domains, and on questions that programs ask.

mod brute;
mod circuits;
mod floats;
mod machine_floats;
mod smt;
mod typical;

use std::time::Duration;

use probity_testkit::Stream;

use super::{Answer, Limits};
use crate::clock::Deadline;
use crate::expr::{Dag, Evaluator, Expr, Op, Var, mask};

/// `width` bits, often of a simple pattern.
pub(super) fn bits(numbers: &mut Stream, width: u8) -> u128 {
    let any = u128::from(numbers.word()) << 64 | u128::from(numbers.word());
    let it = match numbers.below(6) {
        0 => any & 7,
        1 => !(any & 7),
        2 => 1 << (any % u128::from(width)),
        3 => any & mask((any % u128::from(width)) as u8 + 1),
        _ => any,
    };
    it & mask(width)
}

pub(super) fn limits() -> Limits {
    Limits { until: Deadline::after(Duration::from_secs(20)), conflicts: 2_000_000 }
}

pub(super) fn var(dag: &mut Dag, index: u32, width: u8, value: u128) -> Expr {
    dag.var(Var { index, width, min: 0, max: mask(width) }, value)
}

/// Whether `answer` is a model of `conditions`, by an evaluator that the solver does not use.
pub(super) fn confirm(dag: &Dag, conditions: &[Expr], answer: &Answer) {
    let Answer::Sat(model) = answer else { panic!("not sat: {answer:?}") };
    let values = |index: u32| match model.iter().find(|it| it.0 == index) {
        Some(it) => it.1,
        None => (1..=dag.len() as u32)
            .map(Expr)
            .find(|e| matches!(dag.node(*e).op, Op::Var(at) if dag.vars()[at as usize].index == index))
            .map_or(0, |e| dag.value(e)),
    };
    let mut evaluator = Evaluator::default();
    evaluator.reset();
    for (at, &condition) in conditions.iter().enumerate() {
        assert_eq!(evaluator.eval(dag, condition, &values), 1, "condition {at} under {model:?}");
    }
    for var in dag.vars() {
        assert!((var.min..=var.max).contains(&values(var.index)), "{var:?} in {model:?}");
    }
}
