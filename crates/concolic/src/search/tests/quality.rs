//! How many runs it takes to fail, on programs that random answers do not make fail.

use probity_core::Domain;

use super::mock::{Case, Native};
use super::{SearchEvent, plan};
use crate::expr::{Expr, Op};
use crate::path::Verdict;
use crate::search::search;

type CallEnd = Result<(), Verdict>;
type Test = fn(&mut Case) -> CallEnd;

fn byte(case: &mut Case) -> Result<Expr, Verdict> {
    case.draw(&Domain::int(0, 255))?;
    Ok(case.slots[case.slots.len() - 1])
}

fn is(case: &mut Case, a: Expr, b: u128, site: u64) -> bool {
    let b = case.dag.constant(b, case.dag.width(a));
    let condition = case.dag.eq(a, b);
    case.go(condition, site)
}

fn less(case: &mut Case, a: Expr, b: Expr, site: u64) -> bool {
    let condition = case.dag.ult(a, b);
    case.go(condition, site)
}

/// A list as generators draw it: its length, then its items.
fn list(case: &mut Case, max: u32) -> Result<Vec<Expr>, Verdict> {
    case.draw(&Domain::length(0, max))?;
    let length = case.slots[case.slots.len() - 1];
    let mut res = Vec::new();
    loop {
        let done = case.dag.constant(res.len() as u128, 8);
        if !less(case, done, length, 10) {
            return Ok(res);
        }
        res.push(byte(case)?);
    }
}

fn text_equals(case: &mut Case) -> CallEnd {
    let text = list(case, 100)?;
    if text.len() != 6 {
        return Ok(());
    }
    for (&a, &b) in text.iter().zip(b"secret") {
        if !is(case, a, b.into(), 20) {
            return Ok(());
        }
    }
    Err(Verdict::Fail)
}

fn parses_to(case: &mut Case) -> CallEnd {
    let text = list(case, 100)?;
    let mut value = case.dag.constant(0, 32);
    for &it in &text {
        let (zero, nine) = (case.dag.constant(b'0'.into(), 8), case.dag.constant(9, 8));
        let digit = case.dag.binary(Op::Sub, it, zero);
        if less(case, nine, digit, 20) {
            return Ok(());
        }
        let digit = case.dag.zext(digit, 32);
        let ten = case.dag.constant(10, 32);
        let wide = (case.dag.zext(value, 64), case.dag.constant(429_496_729, 64));
        if less(case, wide.1, wide.0, 30) {
            return Ok(());
        }
        let tens = case.dag.binary(Op::Mul, value, ten);
        value = case.dag.binary(Op::Add, tens, digit);
    }
    if is(case, value, 31_337, 40) { Err(Verdict::Fail) } else { Ok(()) }
}

fn state_machine(case: &mut Case) -> CallEnd {
    let mut state = 0;
    for it in list(case, 20)? {
        let wanted = [3, 200, 7, 99, 0, 250][state];
        state = if is(case, it, wanted, 100 + 10 * state as u64) { state + 1 } else { 0 };
        if state == 6 {
            return Err(Verdict::Fail);
        }
    }
    Ok(())
}

/// A search tree that goes left, right, left, right, with a certain key at the end.
fn tree_shape(case: &mut Case) -> CallEnd {
    let mut nodes: Vec<(Expr, [Option<usize>; 2], Vec<usize>)> = Vec::new();
    for key in list(case, 10)? {
        let (mut at, mut way) = (0, Vec::new());
        while at < nodes.len() {
            let existing = nodes[at].0;
            let condition = case.dag.eq(key, existing);
            if case.go(condition, 20) {
                return Ok(());
            }
            let side = usize::from(!less(case, key, existing, 30));
            way.push(side);
            match nodes[at].1[side] {
                Some(next) => at = next,
                None => {
                    nodes[at].1[side] = Some(nodes.len());
                    at = nodes.len();
                }
            }
        }
        if way == [0, 1, 0, 1] && is(case, key, 77, 40) {
            return Err(Verdict::Fail);
        }
        nodes.push((key, [None; 2], way));
    }
    Ok(())
}

fn sorted_run(case: &mut Case) -> CallEnd {
    let mut items = list(case, 10)?;
    for end in 1..items.len() {
        for at in (0..end).rev() {
            if !less(case, items[at + 1], items[at], 20) {
                break;
            }
            items.swap(at, at + 1);
        }
    }
    if items.len() < 5 {
        return Ok(());
    }
    for pair in items.windows(2) {
        let three = case.dag.constant(3, 8);
        let next = case.dag.binary(Op::Add, pair[0], three);
        let condition = case.dag.eq(next, pair[1]);
        if !case.go(condition, 30) {
            return Ok(());
        }
    }
    Err(Verdict::Fail)
}

fn packet(case: &mut Case) -> CallEnd {
    let bytes = list(case, 100)?;
    if bytes.len() < 8 || !is(case, bytes[0], 0xca, 20) || !is(case, bytes[1], 0xfe, 30) {
        return Err(Verdict::Reject);
    }
    let mut sum = case.dag.constant(0, 8);
    for &it in &bytes[..bytes.len() - 1] {
        sum = case.dag.binary(Op::Add, sum, it);
    }
    let condition = case.dag.eq(sum, bytes[bytes.len() - 1]);
    if !case.go(condition, 40) || !is(case, bytes[2], 9, 50) {
        return Err(Verdict::Reject);
    }
    let limit = case.dag.constant(0xf0, 8);
    if less(case, limit, bytes[3], 60) { Err(Verdict::Fail) } else { Ok(()) }
}

/// Among many checks that cannot fail.
fn behind_checks(case: &mut Case) -> CallEnd {
    let text = list(case, 100)?;
    let bounds: Vec<Expr> = (0..20).map(|it| case.dag.constant(200 + it, 8)).collect();
    for &it in &text {
        for (at, &bound) in bounds.iter().enumerate() {
            if !less(case, it, bound, 1_000 + 10 * at as u64) {
                return if at == 0 { Ok(()) } else { Err(Verdict::Fail) };
            }
        }
    }
    let mut sum = case.dag.constant(0, 16);
    for &it in &text {
        let wide = case.dag.zext(it, 16);
        sum = case.dag.binary(Op::Add, sum, wide);
    }
    if is(case, sum, 2_000, 20) { Err(Verdict::Fail) } else { Ok(()) }
}

#[test]
fn failures_are_found_in_few_runs() {
    // The medians of five seeds were 14, 41, 58, 390, 24, 15 and 49 runs.
    let rows: [(&str, Test, u64); 7] = [
        ("text equals", text_equals, 60),
        ("parses to", parses_to, 60),
        ("state machine", state_machine, 150),
        ("tree shape", tree_shape, 900),
        ("sorted run", sorted_run, 300),
        ("packet", packet, 60),
        ("behind checks", behind_checks, 200),
    ];
    let mut slow = Vec::new();
    for (name, test, limit) in rows {
        let mut all: Vec<u64> = (0..5)
            .map(|seed| {
                let mut plan = plan(seed);
                plan.choices_max = 200;
                plan.runs_max = 2_000;
                let mut fails = false;
                let explored = search(&mut Native(test), &plan, &mut |news| {
                    fails |= matches!(news, SearchEvent::Fails(_));
                    !fails
                });
                if fails { explored.runs } else { u64::MAX }
            })
            .collect();
        all.sort_unstable();
        if all[2] > limit {
            slow.push((name, all));
        }
    }
    assert!(slow.is_empty(), "{slow:?}");
}
