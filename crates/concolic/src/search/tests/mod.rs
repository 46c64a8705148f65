//! The search against brute force, on tiny programs.

mod budgets;
mod goals;
mod mock;
mod programs;
mod quality;
mod random;

use std::time::{Duration, Instant};

use probity_core::{Explored, Value};

use self::mock::{Mock, Signature};
use super::ask::Solve;
use super::explore::Explorer;
use super::{ExplorePlan, SearchEvent};
use crate::expr::{Dag, Evaluator, Expr};
use crate::solve::{Answer, Limits, Session};

fn plan(seed: u64) -> ExplorePlan {
    ExplorePlan {
        until: Instant::now() + Duration::from_secs(20),
        seed,
        given: Vec::new(),
        choices_max: 12,
        runs_max: 5_000,
        // However busy the machine is.
        first_try: Duration::from_secs(5),
        dump: None,
    }
}

/// Searches, and returns what it came to with the answers that fail.
fn explore<S: Solve>(mock: &mut Mock, plan: &ExplorePlan) -> (Explored, Vec<Vec<Value>>) {
    let mut fails = Vec::new();
    let mut tell = |news: SearchEvent| {
        if let SearchEvent::Fails(answers) = news {
            fails.push(answers);
        }
        true
    };
    let explored = Explorer::<S>::new(mock, plan, &mut tell).explore();
    (explored, fails)
}

/// What a search claims is what brute force finds.
fn claims_hold<S: Solve>(mock: &mut Mock, plan: &ExplorePlan) -> Result<Explored, String> {
    let (explored, fails) = explore::<S>(mock, plan);
    let (all, _) = mock.brute_force(plan.choices_max);
    let told: Vec<Signature> = fails.iter().map(|it| mock.signature(it, plan.choices_max)).collect();
    let fail = |why: String| Err(format!("{why}: {explored:?}, {} paths by brute force", all.len()));
    if let Some(it) = told.iter().find(|it| it.2 == "Pass" || it.2 == "Reject") {
        return fail(format!("told to fail: {it:?}"));
    }
    let whole = |it: &&Signature| it.2 != "Overrun";
    if explored.complete && explored.paths != all.len() as u64 {
        return fail("another number of paths".into());
    }
    if let Some((n, paths)) = explored.complete_to {
        let small: Vec<_> = all.iter().filter(whole).filter(|it| it.1 <= n as usize).collect();
        if paths != small.len() as u64 {
            return fail(format!("{} paths of at most {n} choices", small.len()));
        }
        if let Some(it) = small.iter().find(|it| it.2 == "Fail" && !told.contains(it)) {
            return fail(format!("not told: {it:?}"));
        }
    }
    if explored.complete && all.iter().any(|it| it.2 == "Overrun") {
        return fail("complete in spite of overruns".into());
    }
    if explored.complete && explored.complete_to.is_none() {
        return fail("complete, but not to any number of choices".into());
    }
    Ok(explored)
}

/// Tries all answers: few and small variables only.
#[derive(Default)]
struct Brute;

impl Solve for Brute {
    fn solve(&mut self, dag: &Dag, conditions: &[Expr], _: Limits) -> Answer {
        let vars = dag.vars();
        let mut values: Vec<u128> = vars.iter().map(|it| it.min).collect();
        let mut evaluator = Evaluator::default();
        loop {
            evaluator.reset();
            let of = |index: u32| vars.iter().position(|it| it.index == index).map_or(0, |at| values[at]);
            if conditions.iter().all(|&it| evaluator.eval(dag, it, &of) == 1) {
                return Answer::Sat(vars.iter().map(|it| it.index).zip(values).collect());
            }
            let Some(at) = (0..vars.len()).find(|&at| values[at] < vars[at].max) else {
                return Answer::Unsat;
            };
            values[at] += 1;
            for below in 0..at {
                values[below] = vars[below].min;
            }
        }
    }
}

/// Settles every second question only.
#[derive(Default)]
struct Weak(u32);

impl Solve for Weak {
    fn solve(&mut self, dag: &Dag, conditions: &[Expr], limits: Limits) -> Answer {
        self.0 += 1;
        if self.0.is_multiple_of(2) { Brute.solve(dag, conditions, limits) } else { Answer::Unknown }
    }
}

/// Settles only questions of runs that came to a fourth choice.
#[derive(Default)]
struct After;

impl Solve for After {
    fn solve(&mut self, dag: &Dag, conditions: &[Expr], limits: Limits) -> Answer {
        if dag.vars().len() < 4 { Answer::Unknown } else { Session::default().solve(dag, conditions, limits) }
    }
}

/// Settles nothing.
#[derive(Default)]
struct Helpless;

impl Solve for Helpless {
    fn solve(&mut self, _: &Dag, _: &[Expr], _: Limits) -> Answer {
        Answer::Unknown
    }
}
