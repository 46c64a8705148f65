//! Variables of few values: all of them are tried.

use std::collections::HashMap;

use super::program::{ConditionProgram, Marks};
use super::{Answer, Limits};
use crate::expr::{Dag, Expr, Fixed, Var};

/// A variable of at most this many values has the conditions on it alone kept as sets of values.
const VALUES_MAX: u128 = 1 << 12;
/// At most this many combinations of values are tried.
const TRIES_MAX: u128 = 1 << 16;
/// And at most this many steps are computed for them: a few milliseconds.
const WORK_MAX: u128 = 1 << 18;
/// The clock is read after this many combinations.
const POLLED_EVERY: u32 = 256;

/// A set of values of one variable: bit `n` is the least value plus `n`.
type Set = Box<[u64]>;

/// What is known of conditions on one variable alone.
#[derive(Debug, Default)]
pub(super) struct Small {
    /// For which values they are true; none: it would be too much work.
    sets: HashMap<Expr, Option<Set>, Fixed>,
    /// The least and the greatest value that variables of the last question can have, as far as that was found.
    pub(super) ranges: Vec<(u32, (u128, u128))>,
}

/// One variable of a question.
struct VarDomain {
    var: Var,
    now: u128,
    /// The values it may have; none: too many to say.
    values: Option<Vec<u128>>,
}

impl VarDomain {
    fn count(&self) -> u128 {
        self.values.as_ref().map_or(u128::MAX, |it| it.len() as u128)
    }
}

impl Small {
    /// Settles the question if the variables have few values. The first `goals` of `slice` are the goals.
    pub(super) fn solve(
        &mut self,
        dag: &Dag,
        marks: &mut Marks,
        now: &dyn Fn(u32) -> (Var, u128),
        slice: &[Expr],
        goals: usize,
        limits: Limits,
    ) -> Answer {
        self.ranges.clear();
        let Some((domains, joint)) = self.domains(dag, marks, now, slice) else { return Answer::Unsat };
        if joint.is_empty() {
            let choose = |it: &VarDomain| {
                let values = it.values.as_ref()?;
                let value = if values.contains(&it.now) { it.now } else { values[0] };
                Some((it.var.index, value))
            };
            return domains.iter().map(choose).collect::<Option<_>>().map_or(Answer::Unknown, Answer::Sat);
        }
        let mut program = ConditionProgram::new(dag, marks, &joint);
        let count = domains.iter().fold(1, |all: u128, it| all.saturating_mul(it.count()));
        if count <= TRIES_MAX && count * program.steps.len() as u128 <= WORK_MAX {
            return match enumerate(dag, &mut program, &domains, limits) {
                Some(true) => Answer::Sat(pick(&program, &domains)),
                Some(false) => Answer::Unsat,
                None => Answer::Unknown,
            };
        }
        // With the others as they are, the variables of the goals may do.
        let concerned =
            |it: &VarDomain| slice[..goals].iter().any(|goal| dag.support(*goal).contains(&it.var.index));
        let (few, others): (Vec<VarDomain>, Vec<VarDomain>) = domains.into_iter().partition(concerned);
        let fit = |it: &VarDomain| it.values.as_ref().is_none_or(|values| values.contains(&it.now));
        let count = few.iter().fold(1, |all: u128, it| all.saturating_mul(it.count()));
        if others.iter().all(fit)
            && count <= TRIES_MAX
            && count.saturating_mul(program.steps.len() as u128) <= WORK_MAX
            && enumerate(dag, &mut program, &few, limits) == Some(true)
        {
            return Answer::Sat(pick(&program, &few));
        }
        Answer::Unknown
    }

    /// The variables of the slice with the values that conditions on them alone leave, and the other conditions.
    /// None if a variable has no value left.
    fn domains(
        &mut self,
        dag: &Dag,
        marks: &mut Marks,
        now: &dyn Fn(u32) -> (Var, u128),
        slice: &[Expr],
    ) -> Option<(Vec<VarDomain>, Vec<Expr>)> {
        let mut own: HashMap<u32, Vec<Expr>, Fixed> = HashMap::default();
        let mut vars = Vec::new();
        let mut joint = Vec::new();
        for &condition in slice {
            let support = dag.support(condition);
            for var in support {
                own.entry(*var).or_insert_with(|| {
                    vars.push(*var);
                    Vec::new()
                });
            }
            match *support {
                [var] if size(now(var).0) <= VALUES_MAX => own.entry(var).or_default().push(condition),
                _ => joint.push(condition),
            }
        }
        let mut domains = Vec::with_capacity(vars.len());
        let alone = vars.len() == 1;
        for index in vars {
            let (var, now) = now(index);
            // More values than are kept as sets can only be tried if there is no other variable.
            if size(var) > if alone { TRIES_MAX } else { VALUES_MAX } {
                domains.push(VarDomain { var, now, values: None });
                continue;
            }
            let conditions = &own[&index];
            self.fill(dag, marks, var, conditions);
            let mut all: Set = vec![u64::MAX; size(var).div_ceil(64) as usize].into();
            for condition in conditions {
                match &self.sets[condition] {
                    Some(set) => all.iter_mut().zip(set).for_each(|(all, it)| *all &= it),
                    None => joint.push(*condition),
                }
            }
            let values: Vec<u128> = (var.min..=var.max).filter(|it| has(&all, it - var.min)).collect();
            let (Some(&least), Some(&most)) = (values.first(), values.last()) else { return None };
            self.ranges.push((index, (least, most)));
            domains.push(VarDomain { var, now, values: Some(values) });
        }
        Some((domains, joint))
    }

    /// Makes the sets of `conditions`, which are on `var` alone. They are computed together, because they share
    /// most of what they compute.
    fn fill(&mut self, dag: &Dag, marks: &mut Marks, var: Var, conditions: &[Expr]) {
        let missing: Vec<Expr> =
            conditions.iter().copied().filter(|it| !self.sets.contains_key(it)).collect();
        if missing.is_empty() {
            return;
        }
        let mut program = ConditionProgram::new(dag, marks, &missing);
        let size = size(var);
        if size * program.steps.len() as u128 > WORK_MAX * 4 {
            self.sets.extend(missing.into_iter().map(|it| (it, None)));
            return;
        }
        let mut sets: Vec<Set> = vec![vec![0; size.div_ceil(64) as usize].into(); missing.len()];
        for at in 0..size as usize {
            program.set(0, var.min + at as u128);
            program.compute(dag, u64::MAX);
            for (set, condition) in sets.iter_mut().zip(&program.conditions) {
                set[at / 64] |= (program.values[*condition as usize] as u64) << (at % 64);
            }
        }
        self.sets.extend(missing.into_iter().zip(sets.into_iter().map(Some)));
    }
}

fn size(var: Var) -> u128 {
    (var.max - var.min).saturating_add(1)
}

fn has(set: &[u64], at: u128) -> bool {
    let at = at as usize;
    set[at / 64] >> (at % 64) & 1 == 1
}

/// The values of the variables in `domains`.
fn pick(program: &ConditionProgram, domains: &[VarDomain]) -> Vec<(u32, u128)> {
    let value = |it: &VarDomain| {
        let place = program.vars.iter().find(|(var, _)| var.index == it.var.index);
        let kept =
            || it.values.as_ref().map_or(it.now, |all| if all.contains(&it.now) { it.now } else { all[0] });
        (it.var.index, place.map_or_else(kept, |(_, at)| program.values[*at as usize]))
    };
    domains.iter().map(value).collect()
}

/// Tries all combinations of values of `domains`, smallest first: whether one makes the program's conditions
/// true, which is left in it then. None if the time ran out.
fn enumerate(
    dag: &Dag,
    program: &mut ConditionProgram,
    domains: &[VarDomain],
    limits: Limits,
) -> Option<bool> {
    // Variables that only conditions on one variable speak of are not in the program: any value of theirs does.
    let mut places = Vec::new();
    for (place, (var, _)) in program.vars.iter().enumerate() {
        if let Some(domain) = domains.iter().find(|it| it.var.index == var.index) {
            places.push((place, domain.values.as_deref().unwrap_or(&[]), 0));
        }
    }
    for &(place, values, _) in &places {
        program.set(place, *values.first()?);
    }
    let mut tries = 0u32;
    loop {
        if program.holds(dag) {
            return Some(true);
        }
        tries += 1;
        if tries.is_multiple_of(POLLED_EVERY) && limits.until.is_over() {
            return None;
        }
        let mut digit = 0;
        loop {
            let Some((place, values, at)) = places.get_mut(digit) else { return Some(false) };
            *at += 1;
            if *at == values.len() {
                *at = 0;
            }
            program.set(*place, values[*at]);
            if *at > 0 {
                break;
            }
            digit += 1;
        }
    }
}
