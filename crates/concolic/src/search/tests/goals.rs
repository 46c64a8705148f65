//! Goals on tiny programs.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::time::Duration;

use probity_core::{Domain, Value};

use super::mock::{Cond, Do, Mock, Num};
use crate::expr::Op;
use crate::path::Subject;
use crate::search::{GoalLimits, GoalSearch};

const LIMITS: GoalLimits =
    GoalLimits { time: Duration::from_secs(10), question: Duration::from_secs(1), choices_max: 100 };

fn is(slot: usize, value: u8) -> Cond {
    Cond(Op::Eq, Num::Slot(slot), Num::Const(value))
}

#[test]
fn what_nobody_met_is_solved_for_and_then_it_rests() {
    let draw = || Do::Draw(Domain::int(0, 255));
    let ladder = vec![draw(), draw(), Do::If(is(1, 77), vec![Do::If(is(0, 88), vec![], vec![])], vec![])];
    let mut mock = Mock::new(ladder);
    let met: RefCell<BTreeSet<u64>> = RefCell::default();
    let note = |mock: &mut Mock, answers: &[Value]| {
        let run = mock.run(answers, 100);
        met.borrow_mut().extend(run.edges.iter().map(|it| it.0.to));
    };
    let mut goals = GoalSearch::default();
    let is_met = |at: u64| met.borrow().contains(&at);
    let mut entry = vec![Value::Int(0), Value::Int(0)];
    note(&mut mock, &entry);
    for expected in [[77, 0], [77, 88]] {
        let found = goals.seek(&mut mock, &entry, &is_met, LIMITS);
        assert_eq!(found, [expected.map(Value::Int).to_vec()]);
        entry = found[0].clone();
        note(&mut mock, &entry);
    }
    // Every side was met.
    assert!(goals.seek(&mut mock, &entry, &is_met, LIMITS).is_empty());
}

#[test]
fn what_cannot_be_is_tried_a_few_times() {
    // The second never holds where the first does.
    let program =
        vec![Do::Draw(Domain::int(0, 9)), Do::If(is(0, 3), vec![Do::If(is(0, 4), vec![], vec![])], vec![])];
    let mut mock = Mock::new(program);
    let mut goals = GoalSearch::default();
    let entry = [Value::Int(3)];
    let counts = [(); 5].map(|()| goals.seek(&mut mock, &entry, &|_| false, LIMITS).len());
    assert_eq!(counts[4], 0, "{counts:?}");
}
