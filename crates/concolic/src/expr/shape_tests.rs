//! What the constructors make of the patterns that compilers and the machine write.

use super::tests::{BINARY, Mirror};
use super::*;
use probity_core::Rng;

fn variable(dag: &mut Dag, index: u32, width: u8) -> Expr {
    dag.var(Var { index, width, min: 0, max: mask(width) }, 5)
}

fn constant(dag: &mut Dag, op: Op, a: Expr, value: u128) -> Expr {
    let value = dag.constant(value, dag.width(a));
    dag.binary(op, a, value)
}

/// Writes `e` to memory and reads it back, byte by byte, from the low end or the high one.
fn write_and_read(dag: &mut Dag, e: Expr, from_above: bool) -> Expr {
    let bytes: Vec<Expr> = (0..dag.width(e) / 8).map(|at| dag.extract(e, at * 8 + 7, at * 8)).collect();
    if from_above {
        let high = bytes.iter().rev().copied();
        high.reduce(|high, low| dag.concat(high, low)).unwrap()
    } else {
        bytes.iter().copied().reduce(|low, high| dag.concat(high, low)).unwrap()
    }
}

#[test]
fn what_is_written_to_memory_is_read_back() {
    let mut rng = Rng::new(3);
    let mut evaluator = Evaluator::default();
    let (mut all, mut others) = (0, 0);
    for seed in 0..400 {
        let mut m = Mirror::random(seed, &[1, 8, 16, 32, 64], 12);
        let written: Vec<Expr> =
            m.made.iter().map(|it| it.2).filter(|&it| m.dag.width(it).is_multiple_of(8)).collect();
        let mut read = Vec::new();
        for &e in &written {
            for from_above in [false, true] {
                read.push((e, write_and_read(&mut m.dag, e, from_above)));
            }
        }
        all += read.len();
        // Another expression is right too: ranges of variables may have shown the upper bytes to be constants.
        others += read.iter().filter(|it| it.0 != it.1).count();
        for _ in 0..5 {
            evaluator.reset();
            let answers = m.answers(&mut rng);
            for &(e, read) in &read {
                let [a, b] = [e, read].map(|it| evaluator.eval(&m.dag, it, &|index| answers[index as usize]));
                assert_eq!(a, b, "{} became {}", tree(&m.dag, e), tree(&m.dag, read));
            }
        }
    }
    assert!(all > 4000 && others * 100 <= all, "{others} of {all}");
}

#[test]
fn every_operation_is_read_back_from_memory() {
    for w in [16, 32, 64, 128] {
        let mut dag = Dag::new();
        let (x, y) = (variable(&mut dag, 0, w), variable(&mut dag, 1, w));
        let byte = variable(&mut dag, 2, 8);
        let (zext, sext) = (dag.zext(byte, w), dag.sext(byte, w));
        let (less, low) = (dag.ult(x, y), dag.extract(x, w / 2 - 1, 0));
        let mixed = dag.concat(low, low);
        let numbers = [1, 7, 0x80, 0xff, 0x0ff0, mask(w) - 1].map(|it| dag.constant(it, w));
        let operands: Vec<Expr> = [x, y, zext, sext, mixed].into_iter().chain(numbers).collect();
        let mut made = operands.clone();
        for (&a, &b) in operands.iter().flat_map(|a| operands.iter().map(move |b| (a, b))) {
            made.extend(BINARY.map(|op| dag.binary(op, a, b)));
            made.push(dag.ite(less, a, b));
            made.push(dag.not(a));
        }
        for e in made {
            for from_above in [false, true] {
                let read = write_and_read(&mut dag, e, from_above);
                assert_eq!(read, e, "{} became {}", tree(&dag, e), tree(&dag, read));
            }
        }
    }
}

/// Magic numbers by the book: the least `shift` for which `factor = ceil(2^(w + shift) / d)` divides all numbers up
/// to `max` (brute condition: the excess times the greatest multiple's predecessor stays below one).
fn magic(d: u128, w: u8) -> (u128, u8) {
    for shift in 0..=w {
        let one = 1u128 << (w + shift);
        let factor = one.div_ceil(d);
        let excess = factor * d - one;
        if excess <= 1 << shift {
            return (factor, shift);
        }
    }
    unreachable!("the excess is less than d")
}

/// `x / d` as a compiler writes it for `x` of `w` bits.
fn unsigned_division(dag: &mut Dag, x: Expr, d: u128, w: u8) -> Expr {
    let (factor, shift) = magic(d, w);
    let wide = dag.zext(x, 2 * w);
    if factor <= mask(w) {
        let product = constant(dag, Op::Mul, wide, factor);
        let upper = dag.extract(product, 2 * w - 1, w);
        return constant(dag, Op::LShr, upper, shift.into());
    }
    let product = constant(dag, Op::Mul, wide, factor - (1 << w));
    let upper = dag.extract(product, 2 * w - 1, w);
    let difference = dag.binary(Op::Sub, x, upper);
    let half = constant(dag, Op::LShr, difference, 1);
    let sum = dag.binary(Op::Add, half, upper);
    constant(dag, Op::LShr, sum, u128::from(shift) - 1)
}

/// `x / d` for signed `x`, as a compiler writes it; `fits` says whether the magic number is a signed one of `w` bits.
fn signed_division(dag: &mut Dag, x: Expr, d: u128, w: u8) -> Expr {
    let (factor, shift) = magic_signed(d, w);
    let wide = dag.sext(x, 2 * w);
    let fits = factor <= mask(w - 1);
    let as_signed = if fits { factor } else { factor.wrapping_sub(1 << w) };
    let product = constant(dag, Op::Mul, wide, as_signed);
    let mut upper = dag.extract(product, 2 * w - 1, w);
    if !fits {
        upper = dag.binary(Op::Add, upper, x);
    }
    let sign = constant(dag, Op::LShr, upper, u128::from(w) - 1);
    let shifted = constant(dag, Op::AShr, upper, shift.into());
    dag.binary(Op::Add, shifted, sign)
}

fn magic_signed(d: u128, w: u8) -> (u128, u8) {
    for shift in 0..w {
        let one = 1u128 << (w + shift);
        let factor = one / d + 1;
        let excess = factor * d - one;
        if excess <= 1 << (shift + 1) && factor <= mask(w) {
            return (factor, shift);
        }
    }
    unreachable!("shift w - 1 does")
}

fn is_division(dag: &Dag, e: Expr, op: Op, x: Expr, d: u128) -> bool {
    let node = dag.node(e);
    node.op == op && node.args[0] == x && dag.as_constant(node.args[1]) == Some(d)
}

fn tree(dag: &Dag, e: Expr) -> String {
    let node = dag.node(e);
    let args: Vec<String> = node.args.iter().filter(|it| it.is_some()).map(|&it| tree(dag, it)).collect();
    match node.op {
        Op::Const => format!("{:#x}", dag.value(e)),
        op => format!("{op:?}:{}({})", node.width, args.join(", ")),
    }
}

#[test]
fn magic_numbers_are_divisions() {
    for w in [8u8, 16, 32, 64] {
        let mut dag = Dag::new();
        let x = variable(&mut dag, 0, w);
        let mut fixed_up = 0;
        for d in (3..=1000u128).filter(|&it| it < mask(w) && !it.is_power_of_two()) {
            let quotient = unsigned_division(&mut dag, x, d, w);
            fixed_up += u32::from(magic(d, w).0 > mask(w));
            assert!(is_division(&dag, quotient, Op::UDiv, x, d), "{w} {d}: {}", tree(&dag, quotient));
            let product = constant(&mut dag, Op::Mul, quotient, d);
            let rest = dag.binary(Op::Sub, x, product);
            assert!(is_division(&dag, rest, Op::URem, x, d), "{w} {d}: {}", tree(&dag, rest));
            if d < mask(w - 1) {
                let quotient = signed_division(&mut dag, x, d, w);
                assert!(is_division(&dag, quotient, Op::SDiv, x, d), "{w} {d}: {}", tree(&dag, quotient));
                let product = constant(&mut dag, Op::Mul, quotient, d);
                let rest = dag.binary(Op::Sub, x, product);
                assert!(is_division(&dag, rest, Op::SRem, x, d), "{w} {d}: {}", tree(&dag, rest));
            }
        }
        assert!(fixed_up > 0);
    }
}

#[test]
fn wrong_magic_numbers_are_not_divisions() {
    let mut evaluator = Evaluator::default();
    for factor in 1..=600u128 {
        for shift in 1..=15 {
            let mut dag = Dag::new();
            let x = variable(&mut dag, 0, 8);
            let wide = dag.zext(x, 20);
            let product = constant(&mut dag, Op::Mul, wide, factor);
            let shifted = constant(&mut dag, Op::LShr, product, shift);
            let signed_wide = dag.sext(x, 20);
            let product = constant(&mut dag, Op::Mul, signed_wide, factor);
            let (a, b) =
                (constant(&mut dag, Op::AShr, product, shift), constant(&mut dag, Op::LShr, product, 19));
            let sum = dag.binary(Op::Add, a, b);
            for value in 0..256u128 {
                evaluator.reset();
                let got = evaluator.eval(&dag, shifted, &|_| value);
                assert_eq!(got, (value * factor) >> shift, "{value} * {factor} >> {shift}");
                let product = signed(value, 8) * factor as i128;
                let want = ((product >> shift) + i128::from(product < 0)) as u128 & mask(20);
                assert_eq!(
                    evaluator.eval(&dag, sum, &|_| value),
                    want,
                    "{value} * {factor} >> {shift}, signed"
                );
            }
        }
    }
}

#[test]
fn digits_of_release_builds() {
    // As compiled: eax * 0xcccccccd in 64 bits, shifted by 35; the product with ten as two `lea`.
    let mut dag = Dag::new();
    let x = variable(&mut dag, 0, 32);
    let wide = dag.zext(x, 64);
    let product = constant(&mut dag, Op::Mul, wide, 0xcccc_cccd);
    let quotient = constant(&mut dag, Op::LShr, product, 35);
    let four = constant(&mut dag, Op::Shl, quotient, 2);
    let five = dag.binary(Op::Add, quotient, four);
    let ten = dag.binary(Op::Add, five, five);
    let ten = dag.extract(ten, 31, 0);
    let digit = dag.binary(Op::Sub, x, ten);
    assert!(is_division(&dag, digit, Op::URem, x, 10), "{}", tree(&dag, digit));
}

#[test]
fn deep_chains_do_not_overflow_the_stack() {
    let run = || {
        let mut dag = Dag::new();
        let vars: Vec<Expr> = (0..10).map(|index| variable(&mut dag, index, 64)).collect();
        let mut evaluator = Evaluator::default();
        for op in [Op::Add, Op::Sub, Op::Mul, Op::Xor, Op::And, Op::Or, Op::UDiv, Op::Shl] {
            let mut e = vars[0];
            for at in 1..10_000 {
                e = dag.binary(op, e, vars[at % 10]);
                if at % 7 == 0 {
                    e = constant(&mut dag, Op::Add, e, 3);
                }
                let low = dag.extract(e, 31, 0);
                if at % 97 == 0 {
                    e = dag.zext(low, 64);
                }
            }
            evaluator.reset();
            assert_eq!(evaluator.eval(&dag, e, &|_| 5), dag.value(e));
        }
        // Doubling: exponentially many ways lead to the first.
        let mut e = vars[1];
        for _ in 0..1000 {
            let less = dag.ult(e, vars[0]);
            let product = dag.binary(Op::Mul, e, e);
            e = dag.ite(less, product, e);
            let low = dag.extract(e, 15, 0);
            e = dag.zext(low, 64);
        }
        assert!(dag.len() < 1_000_000, "{}", dag.len());
    };
    std::thread::Builder::new().stack_size(1 << 20).spawn(run).unwrap().join().unwrap();
}

#[test]
fn products_and_sums_of_small_numbers_are_narrow() {
    let mut dag = Dag::new();
    let (x, y) = (variable(&mut dag, 0, 8), variable(&mut dag, 1, 8));
    let [a, b] = [x, y].map(|it| dag.zext(it, 64));
    for (op, bits) in [(Op::Mul, 16), (Op::Add, 9), (Op::URem, 8), (Op::And, 8)] {
        let e = dag.binary(op, a, b);
        let node = dag.node(e);
        assert_eq!((node.op, dag.width(node.args[0])), (Op::ZExt, bits), "{op:?}");
    }
    let digit = dag.var(Var { index: 2, width: 8, min: 48, max: 57 }, 48);
    let number = constant(&mut dag, Op::Sub, digit, 48);
    assert_eq!(dag.range(number), (0, 9));
    let ten = dag.constant(10, 8);
    let less = dag.ult(number, ten);
    assert_eq!(dag.as_constant(less), Some(1));
}

#[test]
fn comparisons_in_two_halves_are_one() {
    for op in [Op::Ult, Op::Slt] {
        let mut dag = Dag::new();
        let (a, b) = (variable(&mut dag, 0, 128), variable(&mut dag, 1, 128));
        let [high_a, high_b] = [a, b].map(|it| dag.extract(it, 127, 64));
        let [low_a, low_b] = [a, b].map(|it| dag.extract(it, 63, 0));
        let high = if op == Op::Ult { dag.ult(high_a, high_b) } else { dag.slt(high_a, high_b) };
        let (same, low) = (dag.eq(high_a, high_b), dag.ult(low_a, low_b));
        let both = dag.binary(Op::And, same, low);
        let less = dag.binary(Op::Or, high, both);
        assert_eq!(less, if op == Op::Ult { dag.ult(a, b) } else { dag.slt(a, b) });
    }
}

#[test]
fn scripts_name_every_node_once() {
    let m = Mirror::random(7, &[1, 8, 16], 30);
    let conditions: Vec<Expr> = m.made.iter().map(|it| it.2).filter(|&it| m.dag.width(it) == 1).collect();
    let text = smt_lib(&m.dag, &conditions).unwrap();
    assert_eq!(text.matches('(').count(), text.matches(')').count());
    let mut names: Vec<&str> = text.lines().filter_map(|it| it.strip_prefix("(define-fun ")).collect();
    names.iter_mut().for_each(|it| *it = it.split(' ').next().unwrap());
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    assert!(all > 0 && names.len() == all);
}
