//! Questions of the kind that programs ask.

use std::sync::Arc;

use super::super::{Answer, Limits, Session};
use super::{confirm, limits, var};
use crate::expr::{Dag, Expr, Op, Var};

fn solves(dag: &Dag, conditions: &[Expr]) {
    let answer = Session::default().solve(dag, conditions, limits());
    confirm(dag, conditions, &answer);
}

fn op(dag: &mut Dag, op: Op, a: Expr, b: u128) -> Expr {
    let b = dag.constant(b, dag.width(a));
    dag.binary(op, a, b)
}

fn is(dag: &mut Dag, a: Expr, b: u128) -> Expr {
    let b = dag.constant(b, dag.width(a));
    dag.eq(a, b)
}

#[test]
fn magic_arithmetic() {
    for width in [32, 64] {
        let mut dag = Dag::new();
        let x = var(&mut dag, 0, width, 0);
        let y = op(&mut dag, Op::Mul, x, 31);
        let y = op(&mut dag, Op::Xor, y, 0x5bd1_e995);
        let goal = is(&mut dag, y, 0xdead_beef);
        solves(&dag, &[goal]);
    }
}

#[test]
fn squares() {
    let mut dag = Dag::new();
    let x = var(&mut dag, 0, 32, 0);
    let square = dag.binary(Op::Mul, x, x);
    let goal = is(&mut dag, square, 123_456_789u128.pow(2) & 0xffff_ffff);
    solves(&dag, &[goal]);
    let goal = is(&mut dag, square, 3);
    assert_eq!(Session::default().solve(&dag, &[goal], limits()), Answer::Unsat);
}

#[test]
fn digits() {
    let mut dag = Dag::new();
    let mut sum = dag.constant(0, 32);
    for index in 0..5 {
        let digit = dag.var(Var { index, width: 8, min: b'0'.into(), max: b'9'.into() }, b'0'.into());
        let digit = op(&mut dag, Op::Sub, digit, b'0'.into());
        let digit = dag.zext(digit, 32);
        sum = op(&mut dag, Op::Mul, sum, 10);
        sum = dag.binary(Op::Add, sum, digit);
    }
    let goal = is(&mut dag, sum, 31_337);
    let answer = Session::default().solve(&dag, &[goal], limits());
    let expected = (0..).zip("31337".bytes().map(u128::from)).collect();
    assert_eq!(answer, Answer::Sat(expected));
    let goal = is(&mut dag, sum, 100_000);
    assert_eq!(Session::default().solve(&dag, &[goal], limits()), Answer::Unsat);
}

#[test]
fn checksums() {
    let table: Arc<[u128]> = (0..256u32)
        .map(|at| (0..8).fold(at, |it, _| if it & 1 == 1 { it >> 1 ^ 0xedb8_8320 } else { it >> 1 }).into())
        .collect();
    let mut dag = Dag::new();
    let mut crc = dag.constant(0xffff_ffff, 32);
    for index in 0..6 {
        let byte = var(&mut dag, index, 8, 0);
        let low = dag.extract(crc, 7, 0);
        let at = dag.binary(Op::Xor, low, byte);
        let entry = dag.table(at, Arc::clone(&table), 32);
        let rest = op(&mut dag, Op::LShr, crc, 8);
        crc = dag.binary(Op::Xor, rest, entry);
    }
    let goal = is(&mut dag, crc, 0xcafe_f00d);
    solves(&dag, &[goal]);
}

#[test]
fn divisions_by_ten() {
    let mut dag = Dag::new();
    let mut rest = var(&mut dag, 0, 64, 0);
    let mut conditions = Vec::new();
    for digit in [7, 1, 0, 9, 9, 3] {
        let last = op(&mut dag, Op::URem, rest, 10);
        conditions.push(is(&mut dag, last, digit));
        rest = op(&mut dag, Op::UDiv, rest, 10);
    }
    conditions.push(is(&mut dag, rest, 0));
    let answer = Session::default().solve(&dag, &conditions, limits());
    assert_eq!(answer, Answer::Sat(vec![(0, 399_017)]));
}

#[test]
fn wide_numbers() {
    let mut dag = Dag::new();
    let x = var(&mut dag, 0, 128, 0);
    let y = op(&mut dag, Op::Mul, x, 0x1_0000_0001_0000_0001_3337);
    let y = op(&mut dag, Op::Add, y, 0xfeed_beef_feed_beef_feed_beef);
    let goal = is(&mut dag, y, 0x1234_5678_9abc_def0_1234_5678_9abc_def1);
    solves(&dag, &[goal]);
}

/// Rounds as those of SipHash on `x`.
fn hash(dag: &mut Dag, x: Expr, rounds: u32) -> Expr {
    let rotate = |dag: &mut Dag, it: Expr, by: u8| {
        let (high, low) = (dag.extract(it, 63 - by, 0), dag.extract(it, 63, 64 - by));
        dag.concat(high, low)
    };
    let start = [0x736f_6d65_7073_6575, 0x646f_7261_6e64_6f6d, 0x6c79_6765_6e65_7261, 0x7465_6462_7974_6573];
    let [mut a, mut b, mut c, mut d] = start.map(|it: u128| dag.constant(it, 64));
    d = dag.binary(Op::Xor, d, x);
    for _ in 0..rounds {
        a = dag.binary(Op::Add, a, b);
        b = rotate(dag, b, 13);
        b = dag.binary(Op::Xor, b, a);
        a = rotate(dag, a, 32);
        c = dag.binary(Op::Add, c, d);
        d = rotate(dag, d, 16);
        d = dag.binary(Op::Xor, d, c);
        a = dag.binary(Op::Add, a, d);
        d = rotate(dag, d, 21);
        d = dag.binary(Op::Xor, d, a);
        c = dag.binary(Op::Add, c, b);
        b = rotate(dag, b, 17);
        b = dag.binary(Op::Xor, b, c);
        c = rotate(dag, c, 32);
    }
    dag.binary(Op::Xor, a, x)
}

#[test]
fn rounds_of_a_hash() {
    let mut dag = Dag::new();
    let x = var(&mut dag, 0, 64, 0);
    let a = hash(&mut dag, x, 2);
    let low = dag.extract(a, 11, 0);
    let goal = is(&mut dag, low, 0x5a5);
    solves(&dag, &[goal]);
}

#[test]
fn bits_of_a_hash_of_letters_are_sampled() {
    let mut dag = Dag::new();
    let mut conditions = Vec::new();
    let mut word = dag.constant(0, 32);
    for index in 0..4 {
        let letter = var(&mut dag, index, 21, 0x61);
        let (low, high) = (dag.constant(0x61, 21), dag.constant(0x7a, 21));
        conditions.extend([dag.ule(low, letter), dag.ule(letter, high)]);
        let byte = dag.extract(letter, 7, 0);
        word = dag.concat(byte, word);
    }
    let hashed = hash(&mut dag, word, 5);
    let top = dag.extract(hashed, 63, 55);
    let mut session = Session::default();
    // Before the SAT solver is asked, values at random make about half of such goals true.
    for wanted in 0x15a..0x162 {
        conditions.push(is(&mut dag, top, wanted));
        let answer = session.solve(&dag, &conditions, limits());
        confirm(&dag, &conditions, &answer);
        conditions.pop();
    }
    assert!(session.counts.sampled >= 2, "{:?}", session.counts);

    // Of a whole hash, only that it is not settled can be said, and soon.
    conditions.push(is(&mut dag, hashed, 0x0123_4567_89ab_cdef));
    let few = Limits { conflicts: 2000, ..limits() };
    assert_eq!(session.solve(&dag, &conditions, few), Answer::Unknown);
}

#[test]
fn a_session_answers_along_a_path() {
    // A word that is compared byte by byte, and lengths between.
    let mut dag = Dag::new();
    let mut session = Session::default();
    let mut path = Vec::new();
    let mut sum = dag.constant(0, 32);
    for (index, byte) in (0..).zip("a longer word than most".bytes()) {
        let x = var(&mut dag, index, 8, byte.into());
        let wide = dag.zext(x, 32);
        sum = dag.binary(Op::Add, sum, wide);
        let same = is(&mut dag, x, byte.into());
        let other = dag.not(same);
        path.push(other);
        let answer = session.solve(&dag, &path, limits());
        confirm(&dag, &path, &answer);
        *path.last_mut().unwrap() = same;
    }
    let goal = is(&mut dag, sum, 1);
    path.push(goal);
    assert_eq!(session.solve(&dag, &path, limits()), Answer::Unsat);
    assert_eq!(session.counts.queries, 24);
}

#[test]
fn simple_goals_are_settled_without_sat() {
    let mut dag = Dag::new();
    let (x, y) = (var(&mut dag, 0, 64, 5), var(&mut dag, 1, 64, 7));
    let (low, high) = (dag.extract(x, 31, 0), dag.extract(x, 63, 32));
    let large = dag.constant(1 << 40, 64);
    let double = op(&mut dag, Op::Mul, y, 2);
    let mixed = op(&mut dag, Op::Xor, x, 0x5555);
    let mixed = op(&mut dag, Op::Mul, mixed, 0x1357);
    let sum = dag.binary(Op::Add, x, y);
    let path = [dag.ult(x, large), dag.ult(y, large)];
    let goals = [
        is(&mut dag, x, 123_456_789),
        dag.eq(x, double),
        is(&mut dag, sum, 100),
        is(&mut dag, low, 77),
        dag.ult(y, x),
        dag.slt(y, x),
        is(&mut dag, high, 3),
    ];
    let mut session = Session::default();
    for goal in goals {
        let conditions = [path[0], path[1], goal];
        let answer = session.solve(&dag, &conditions, limits());
        confirm(&dag, &conditions, &answer);
    }
    let goal = is(&mut dag, mixed, 0xdead_beef);
    let answer = session.solve(&dag, &[goal], limits());
    confirm(&dag, &[goal], &answer);
    assert_eq!(session.counts.enumerated, 8);
}

#[test]
fn overflows_that_never_happen_are_excluded_without_sat() {
    let mut dag = Dag::new();
    let mut path = Vec::new();
    let mut sum = dag.constant(0, 32);
    let mut session = Session::default();
    for index in 0..9 {
        let x = var(&mut dag, index, 8, b'1'.into());
        let (zero, nine) = (dag.constant(b'0'.into(), 8), dag.constant(b'9'.into(), 8));
        path.extend([dag.ule(zero, x), dag.ule(x, nine)]);
        let digit = op(&mut dag, Op::Sub, x, b'0'.into());
        let digit = dag.zext(digit, 32);
        sum = op(&mut dag, Op::Mul, sum, 10);
        let next = dag.binary(Op::Add, sum, digit);
        // The carry of the sum.
        path.push(dag.ult(next, sum));
        assert_eq!(session.solve(&dag, &path, limits()), Answer::Unsat, "digit {index}");
        path.pop();
        sum = next;
    }
    assert_eq!(session.counts.enumerated, 9);
}

#[test]
fn what_no_entry_of_a_table_has_is_excluded_under_a_hash() {
    let mut dag = Dag::new();
    let x = var(&mut dag, 0, 64, 0);
    let hashed = hash(&mut dag, x, 5);
    let place = dag.extract(hashed, 2, 0);
    // Groups of four bytes, as in a hash table: 0xff is an empty place, and each group has one.
    let groups: Arc<[u128]> = (0..8u128).map(|it| 0x1122_3344 | 0xff << (8 * (it % 4))).collect();
    let group = dag.table(place, groups, 32);
    let empty: Vec<Expr> = (0..4)
        .map(|at| {
            let byte = dag.extract(group, 8 * at + 7, 8 * at);
            is(&mut dag, byte, 0xff)
        })
        .collect();
    let any = empty.iter().fold(Expr::NONE, |any, it| match any.is_none() {
        true => *it,
        false => dag.binary(Op::Or, any, *it),
    });
    let none = dag.not(any);
    let mut session = Session::default();
    assert_eq!(session.solve(&dag, &[none], limits()), Answer::Unsat);
    assert_eq!(session.counts.enumerated, 1);
    let is_full = dag.not(empty[1]);
    let is_full_too = dag.not(empty[0]);
    let conditions = [is_full, is_full_too];
    confirm(&dag, &conditions, &session.solve(&dag, &conditions, limits()));
}

#[test]
fn hashes_of_two_words_are_made_the_same() {
    let mut dag = Dag::new();
    let hashes: Vec<Expr> = [0u32, 3]
        .into_iter()
        .map(|first| {
            let mut word = dag.constant(7, 40);
            for index in first..first + 3 {
                let letter = var(&mut dag, index, 8, u128::from(0x61 + index));
                word = dag.concat(letter, word);
            }
            hash(&mut dag, word, 5)
        })
        .collect();
    let goal = dag.eq(hashes[0], hashes[1]);
    let last = var(&mut dag, 5, 8, 0x66);
    let condition = is(&mut dag, last, 0x66);
    let conditions = [condition, goal];
    let mut session = Session::default();
    confirm(&dag, &conditions, &session.solve(&dag, &conditions, limits()));
    assert_eq!(session.counts.sampled, 1);
}

#[test]
fn products_of_many() {
    // A determinant of nine bytes, and three squares: too hard as a whole, easy with some of the numbers given.
    let mut dag = Dag::new();
    let mut m = Vec::new();
    for index in 0..9 {
        let it = var(&mut dag, index, 8, 0);
        m.push(dag.sext(it, 32));
    }
    let mut sum = dag.constant(0, 32);
    for (op, at) in [
        (Op::Add, [0, 4, 8]),
        (Op::Add, [1, 5, 6]),
        (Op::Add, [2, 3, 7]),
        (Op::Sub, [2, 4, 6]),
        (Op::Sub, [1, 3, 8]),
        (Op::Sub, [0, 5, 7]),
    ] {
        let product = dag.binary(Op::Mul, m[at[0]], m[at[1]]);
        let product = dag.binary(Op::Mul, product, m[at[2]]);
        sum = dag.binary(op, sum, product);
    }
    let goal = is(&mut dag, sum, 12_347);
    solves(&dag, &[goal]);
    let mut dag = Dag::new();
    let mut squares = Vec::new();
    let mut conditions = Vec::new();
    for index in 0..3 {
        let it = var(&mut dag, index, 16, 0);
        let it = dag.zext(it, 64);
        let least = dag.constant(300, 64);
        conditions.push(dag.ult(least, it));
        squares.push(dag.binary(Op::Mul, it, it));
    }
    let sum = dag.binary(Op::Add, squares[0], squares[1]);
    conditions.push(dag.eq(sum, squares[2]));
    solves(&dag, &conditions);
}
