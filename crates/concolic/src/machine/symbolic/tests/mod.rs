//! Every form of every instruction against the processor: the expressions have to hold for other inputs too.

mod rows;
mod state;
mod whole;

use iced_x86::{Mnemonic, RflagsBits};
use probity_testkit::Stream;

use super::{flags, involved, step};
use crate::expr::{Evaluator, Expr};
use crate::machine::decode::Tools;
use crate::machine::{Cache, Ins, Machine};
use crate::path::{Step, StepKind};
use state::{Inputs, Memory};

const CODES: [iced_x86::ConditionCode; 16] = {
    use iced_x86::ConditionCode::*;
    [o, no, b, ae, e, ne, be, a, s, ns, p, np, l, ge, le, g]
};

/// Bits of iced's `RflagsBits` that each pair of conditions needs.
const NEEDS: [u32; 8] = [
    RflagsBits::OF,
    RflagsBits::CF,
    RflagsBits::ZF,
    RflagsBits::CF | RflagsBits::ZF,
    RflagsBits::SF,
    RflagsBits::PF,
    RflagsBits::SF | RflagsBits::OF,
    RflagsBits::SF | RflagsBits::OF | RflagsBits::ZF,
];

fn decoded(machine: &Machine, from: u64, to: u64) -> Vec<Ins> {
    let mut tools = Tools::new();
    let (mut all, mut at) = (Vec::new(), from);
    while at < to {
        tools.decode(&machine.inner.cache, machine.inner.host.avx, at, to);
        at = tools.block.last().expect("at least one").next;
        all.extend(tools.block.iter().copied());
    }
    all
}

/// What an instruction left behind: registers, vectors, memory, conditions.
fn results(m: &mut Machine, inputs: &Inputs<'_>) -> Vec<u128> {
    let mut all: Vec<u128> = m.cpu.gpr.iter().map(|&it| it.into()).collect();
    all.extend(m.cpu.vec[..4].iter().flatten().map(|&it| u128::from(it)));
    all.extend(inputs.memory().iter().map(|&it| u128::from(it)));
    all.extend((0..16).map(|it| u128::from(m.condition(it))));
    all
}

/// The expressions of the same, NONE where there is none.
fn expressions(m: &mut Machine, inputs: &Inputs<'_>, undefined: u32) -> Vec<Expr> {
    let mut all = m.shadow.gpr.to_vec();
    let mut bytes = m.shadow.vec[..4].as_flattened().to_vec();
    let mut memory = vec![super::Byte::NONE; inputs.memory().len()];
    m.shadow.load_bytes(&m.dag, inputs.memory().as_ptr() as u64, &mut memory);
    bytes.extend(memory);
    for byte in bytes {
        let low = 8 * byte.at;
        all.push(if byte.of.is_some() { m.dag.extract(byte.of, low + 7, low) } else { Expr::NONE });
    }
    // What is undefined differs from processor to processor.
    for (i, code) in CODES.into_iter().enumerate() {
        all.push(if NEEDS[i / 2] & undefined == 0 { flags::condition(m, code) } else { Expr::NONE });
    }
    all
}

fn check(m: &mut Machine, memory: &mut Memory, ins: &Ins, random: &mut Stream) -> Result<(), String> {
    m.rollback();
    m.shadow.reset();
    let mut inputs = Inputs::new(memory, random, ins);
    inputs.install(m);
    inputs.mark(m, random);
    if !involved(&m.shadow, ins, &m.addresses(ins)) {
        return Ok(());
    }
    step(m, ins);
    let undefined = ins.raw.rflags_undefined();
    let expressions = expressions(m, &inputs, undefined);
    if let Some(loss) = m.path.imprecisions.first() {
        return Err(loss.to_string());
    }
    // A division has branches, for what has no quotient; here all have one.
    let divides = matches!(ins.raw.mnemonic(), Mnemonic::Div | Mnemonic::Idiv);
    let is_branch = |it: &Step| divides && it.kind == StepKind::Branch && m.dag.value(it.condition) == 1;
    if !m.path.steps.iter().all(is_branch) {
        return Err("something was pinned".to_owned());
    }
    let first = results(m, &inputs);
    let mut evaluator = Evaluator::default();
    for _ in 0..8 {
        inputs.vary(random, ins);
        inputs.install(m);
        m.execute(ins);
        let now = results(m, &inputs);
        evaluator.reset();
        for (i, &e) in expressions.iter().enumerate() {
            let flag = i.checked_sub(expressions.len() - 16);
            if flag.is_some_and(|it| NEEDS[it / 2] & undefined != 0) {
                continue;
            }
            let expected =
                if e.is_some() { evaluator.eval(&m.dag, e, &|it| inputs.value(it)) } else { first[i] };
            if expected != now[i] {
                return Err(format!(
                    "result {i}: {expected:#x} instead of {:#x} ({:?})",
                    now[i],
                    m.dag.node(e).op
                ));
            }
        }
    }
    Ok(())
}

fn check_all(name: &str, (from, to): (u64, u64), trials: usize) {
    let mut machine = Machine::new(Cache::take().unwrap()).unwrap();
    let mut random = Stream::new(0x1234_5678_9abc_def1);
    let mut memory = Box::new([0; 16]);
    let mut wrong = Vec::new();
    let all = decoded(&machine, from, to);
    assert!(!all.is_empty());
    for ins in &all {
        assert!(ins.raw.mnemonic() != Mnemonic::INVALID, "{name}: {:#x}", ins.ip - from);
        for _ in 0..trials {
            if let Err(text) = check(&mut machine, &mut memory, ins, &mut random) {
                wrong.push(format!("{:?}: {text}", ins.raw.code()));
                break;
            }
        }
    }
    machine.rollback();
    assert!(wrong.is_empty(), "{name}: {} of {} wrong: {wrong:#?}", wrong.len(), all.len());
}

#[test]
fn integer_instructions() {
    check_all("integers", rows::integers(), 12);
}

#[test]
fn bit_manipulation_instructions() {
    if std::arch::is_x86_feature_detected!("bmi2") && std::arch::is_x86_feature_detected!("adx") {
        check_all("bits", rows::bits(), 12);
    }
}

#[test]
fn vector_instructions() {
    check_all("vectors", rows::vectors(), 8);
}

#[test]
fn newer_vector_instructions() {
    if std::arch::is_x86_feature_detected!("avx2") {
        check_all("newer vectors", rows::newer_vectors(), 8);
    }
}

#[test]
fn float_instructions() {
    if std::arch::is_x86_feature_detected!("avx") {
        check_all("floats", rows::floats(), 20);
    }
}
