//! Whole functions with an input that is a variable: where the path's conditions hold for another input, so does the
//! result's expression.

use std::hint::black_box;

use crate::expr::{Evaluator, Expr, Var};
use crate::machine::tests::{Function, Task, call, functions, natively};
use crate::machine::{Cache, CallEnd, Machine, RunLimits};
use crate::path::{Imprecision, StepKind};

/// Runs with the lowest `bits` bits of the input as a variable.
fn run(m: &mut Machine, task: &mut Task, bits: u8) -> u64 {
    m.rollback();
    let max = u64::MAX >> (64 - bits);
    let e = m.dag.var(Var { index: 0, width: bits, min: 0, max: max.into() }, task.input.into());
    let e = m.dag.zext(e, 64);
    m.shadow.store(&m.dag, &raw const task.input as u64, 8, e);
    match call(m, task, RunLimits::default()) {
        CallEnd::Returned(result) => result,
        other => panic!("{other:?}"),
    }
}

fn holds(m: &Machine, evaluator: &mut Evaluator, input: u64) -> bool {
    evaluator.reset();
    m.path.steps.iter().all(|it| evaluator.eval(&m.dag, it.condition, &|_| input.into()) == 1)
}

fn result(m: &Machine, evaluator: &mut Evaluator, concrete: u64, input: u64) -> u64 {
    match m.result() {
        Expr::NONE => concrete,
        e => evaluator.eval(&m.dag, e, &|_| input.into()) as u64,
    }
}

fn is_wrong(m: &Machine) -> Option<String> {
    m.path.imprecisions.iter().find(|it| matches!(it, Imprecision::Disagreement(_))).map(ToString::to_string)
}

#[test]
fn conditions_of_a_path_lead_to_its_result() {
    std::panic::set_hook(Box::new(|_| {}));
    let mut machine = Machine::new(Cache::take().unwrap()).unwrap();
    let mut evaluator = Evaluator::default();
    let mut wrong = Vec::new();
    let mut agreed = 0;
    for (name, function) in functions::ALL {
        // These depend on more than their input.
        if ["clock", "environment", "threads", "files", "random_state"].contains(name) {
            continue;
        }
        for x in [3, 77] {
            let mut task = Task { function: *function, input: x };
            let concrete = run(&mut machine, &mut task, 8);
            wrong.extend(is_wrong(&machine).map(|it| format!("{name}({x}): {it}")));
            let is_lossy = !machine.path.imprecisions.is_empty();
            // Paths with much in them take long to evaluate.
            let every = if machine.dag.len() < 2000 { 1 } else { 37 };
            for y in (0..256).step_by(every).chain([x]) {
                if !holds(&machine, &mut evaluator, y) {
                    if y == x {
                        wrong.push(format!("{name}({x}): its own conditions do not hold"));
                    }
                    continue;
                }
                let native = natively(*function, y);
                if native == result(&machine, &mut evaluator, concrete, y) {
                    agreed += u32::from(y != x);
                } else if !is_lossy || y == x {
                    wrong.push(format!("{name}({x}): another result for {y}"));
                }
            }
        }
    }
    drop(std::panic::take_hook());
    machine.rollback();
    assert!(wrong.is_empty(), "{} wrong: {wrong:#?}", wrong.len());
    assert!(agreed > 100, "only {agreed} other inputs follow the same paths");
}

static SQUARES: [u16; 16] = [0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 144, 169, 196, 225];

#[inline(never)]
fn by_table(x: u64) -> u64 {
    u64::from(black_box(&SQUARES)[x as usize % 16])
}

#[inline(never)]
fn by_far_index(x: u64) -> u64 {
    let all: Vec<u64> = (0..2000).map(|it| it * it).collect();
    all[(x * 7) as usize]
}

#[inline(never)]
fn by_own_bytes(x: u64) -> u64 {
    let bytes = black_box(x.to_le_bytes());
    u64::from(bytes[(x % 8) as usize])
}

#[inline(never)]
fn by_word(x: u64) -> u64 {
    let text = black_box([b's', b'e', b'c', x as u8]);
    u64::from(text[..] == *black_box(b"secr"))
}

#[inline(never)]
fn by_order(x: u64) -> u64 {
    let text = black_box([b'a', x as u8, b'c', b'd', b'e', b'f', b'g', b'h', b'i']);
    text[..].cmp(&black_box(*b"abcdefghi")[..]) as u64
}

/// Functions, how many pins they may add, how many branches at most, and whether all inputs are on few paths.
#[test]
fn small_functions_have_few_conditions() {
    let rows: [(&str, Function, usize, usize); 5] = [
        ("a table", by_table, 0, 1),
        ("a far index", by_far_index, 1, 8),
        ("its own bytes", by_own_bytes, 0, 1),
        ("a word", by_word, 0, 3),
        ("an order", by_order, 0, 3),
    ];
    let mut machine = Machine::new(Cache::take().unwrap()).unwrap();
    let mut evaluator = Evaluator::default();
    for (name, function, pins, branches) in rows {
        let mut task = Task { function, input: 5 };
        let concrete = run(&mut machine, &mut task, 8);
        assert_eq!(machine.path.imprecisions, [], "{name}");
        let steps = &machine.path.steps;
        let pinned = steps.iter().filter(|it| matches!(it.kind, StepKind::Pin { .. })).count();
        assert!(pinned <= pins, "{name}: {pinned} pins");
        assert!(steps.len() - pinned <= branches, "{name}: {} conditions", steps.len());
        for y in 0..256 {
            if holds(&machine, &mut evaluator, y) {
                assert_eq!(function(y), result(&machine, &mut evaluator, concrete, y), "{name} of {y}");
            }
        }
    }
    machine.rollback();
}
