//! Each circuit against what the operation computes, for all operands of few bits.

use crate::{Gates, Lit, Shift, Word, int_width};

/// What `word` is under these assumptions: it can be that, and nothing else.
fn forced(gates: &mut Gates<'_>, assumed: &[Lit], word: &[Lit]) -> u128 {
    assert_eq!(gates.solve(assumed), Some(true));
    let value = gates.value(word);
    let number = gates.number(value, word.len());
    let differs = !gates.equal(word, &number);
    assert_eq!(gates.solve(&[assumed, &[differs]].concat()), Some(false));
    value
}

fn equals(word: &[Lit], value: u128) -> Vec<Lit> {
    word.iter().enumerate().map(|(at, it)| if value >> at & 1 == 1 { *it } else { !*it }).collect()
}

type Make = fn(&mut Gates<'_>, &[Lit], &[Lit]) -> (Word, Option<Lit>);
type Compute = fn(u128, u128, u32) -> u128;

fn signed(a: u128, width: u32) -> i128 {
    (a as i128) << (128 - width) >> (128 - width)
}

fn signed_division(a: u128, b: u128, width: u32) -> (u128, u128) {
    let (x, y) = (signed(a, width), signed(b, width));
    match y {
        0 => (if x < 0 { 1 } else { u128::MAX }, a),
        _ => ((x / y) as u128, (x % y) as u128),
    }
}

/// The operations on two words.
const WORDS: [(&str, Make, Compute); 15] = [
    ("add", |g, a, b| (g.add(a, b), None), |a, b, _| a.wrapping_add(b)),
    ("sub", |g, a, b| (g.sub(a, b), None), |a, b, _| a.wrapping_sub(b)),
    ("negate", |g, a, _| (g.negate(a), None), |a, _, _| a.wrapping_neg()),
    ("mul", |g, a, b| (g.mul(a, b), None), |a, b, _| a.wrapping_mul(b)),
    ("equal", |g, a, b| (vec![g.equal(a, b)], None), |a, b, _| u128::from(a == b)),
    ("less", |g, a, b| (vec![g.less(a, b)], None), |a, b, _| u128::from(a < b)),
    (
        "less_signed",
        |g, a, b| (vec![g.less_signed(a, b)], None),
        |a, b, width| u128::from(signed(a, width) < signed(b, width)),
    ),
    ("choose", |g, a, b| (g.choose(a[0], a, b), None), |a, b, _| if a & 1 == 1 { a } else { b }),
    (
        "quotient",
        |g, a, b| {
            let it = g.divide(a, b);
            (it.quotient, Some(it.assumed))
        },
        |a, b, _| a.checked_div(b).unwrap_or(u128::MAX),
    ),
    (
        "remainder",
        |g, a, b| {
            let it = g.divide(a, b);
            (it.remainder, Some(it.assumed))
        },
        |a, b, _| a.checked_rem(b).unwrap_or(a),
    ),
    (
        "signed quotient",
        |g, a, b| {
            let it = g.divide_signed(a, b);
            (it.quotient, Some(it.assumed))
        },
        |a, b, width| signed_division(a, b, width).0,
    ),
    (
        "signed remainder",
        |g, a, b| {
            let it = g.divide_signed(a, b);
            (it.remainder, Some(it.assumed))
        },
        |a, b, width| signed_division(a, b, width).1,
    ),
    ("left", |g, a, b| (g.shift(a, b, Shift::Left), None), |a, b, _| a << b),
    ("right", |g, a, b| (g.shift(a, b, Shift::Right), None), |a, b, _| a >> b),
    (
        "right, signed",
        |g, a, b| (g.shift(a, b, Shift::RightSigned), None),
        |a, b, width| (signed(a, width) >> b) as u128,
    ),
];

#[test]
fn words_of_few_bits_are_what_they_should_be() {
    for width in 1..=4_usize {
        let mask = (1 << width) - 1;
        for (name, make, compute) in WORDS {
            let mut gates = Gates::new();
            let (x, y) = (gates.unknown_word(width), gates.unknown_word(width));
            let both = make(&mut gates, &x, &y);
            for a in 0..=mask {
                let constant = gates.number(a, width);
                let (left, right) = (make(&mut gates, &constant, &y), make(&mut gates, &x, &constant));
                for b in 0..=mask {
                    let mut check = |(word, assumed): &(Word, Option<Lit>), a, b| {
                        let mut given = [equals(&x, a), equals(&y, b)].concat();
                        given.extend(assumed);
                        let expected = compute(a, b, width as u32) & mask & ((1 << word.len()) - 1);
                        let found = forced(&mut gates, &given, word);
                        assert_eq!(found, expected, "{name} of {a} and {b} in {width} bits");
                    };
                    check(&both, a, b);
                    check(&left, a, b);
                    check(&right, b, a);
                }
            }
        }
    }
}

#[test]
fn products_of_short_words_in_wide_ones_are_right() {
    for (is_signed_a, is_signed_b) in [(false, false), (true, true), (true, false)] {
        let mut gates = Gates::new();
        let (x, y) = (gates.unknown_word(3), gates.unknown_word(4));
        let wide = |gates: &Gates<'_>, it: &[Lit], is_signed| match is_signed {
            true => gates.extended_signed(it, 12),
            false => gates.extended(it, 12),
        };
        let (wide_x, wide_y) = (wide(&gates, &x, is_signed_a), wide(&gates, &y, is_signed_b));
        let product = gates.mul(&wide_x, &wide_y);
        for a in 0..8 {
            for b in 0..16 {
                let value = |it, width, is_signed| if is_signed { signed(it, width) } else { it as i128 };
                let expected = (value(a, 3, is_signed_a) * value(b, 4, is_signed_b)) as u128 & 0xfff;
                let given = [equals(&x, a), equals(&y, b)].concat();
                assert_eq!(forced(&mut gates, &given, &product), expected, "{a} times {b}");
            }
        }
    }
}

#[test]
fn tables_are_looked_up() {
    for len in [1, 2, 3, 5, 8] {
        let mut gates = Gates::new();
        let entries: Vec<u128> = (0..len).map(|it| it * 37 % 16).collect();
        let x = gates.unknown_word(4);
        let found = gates.look_up(&x, &entries, 4);
        for at in 0..16 {
            let expected = entries.get(at as usize).copied().unwrap_or(0);
            assert_eq!(forced(&mut gates, &equals(&x, at), &found), expected, "entry {at} of {len}");
        }
    }
}

/// Every gate of three bits, each of which is an unknown, its negation, or a constant.
#[test]
fn gates_are_what_they_should_be() {
    let mut gates = Gates::new();
    let unknown: [Lit; 3] = std::array::from_fn(|_| gates.fresh());
    let yes = gates.truth(true);
    let bits: Vec<Lit> = unknown.iter().flat_map(|it| [*it, !*it]).chain([yes, !yes]).collect();
    for a in bits.clone() {
        for b in bits.clone() {
            for c in bits.clone() {
                let made = [
                    gates.and(a, b),
                    gates.or(a, b),
                    gates.xor(a, b),
                    gates.ite(a, b, c),
                    gates.majority(a, b, c),
                    gates.all(&[a, b, c]),
                    gates.any(&[a, b, c]),
                ];
                for value in 0..8 {
                    let given = equals(&unknown, value);
                    let is = |it: Lit| match unknown.iter().position(|of| of.var() == it.var()) {
                        Some(at) => (value >> at & 1 == 1) == (it == unknown[at]),
                        None => it == yes,
                    };
                    let (x, y, z) = (is(a), is(b), is(c));
                    let expected = [
                        x && y,
                        x || y,
                        x != y,
                        if x { y } else { z },
                        u8::from(x) + u8::from(y) + u8::from(z) >= 2,
                        x && y && z,
                        x || y || z,
                    ];
                    assert_eq!(gates.solve(&given), Some(true));
                    assert_eq!(made.map(|it| gates.is_true(it)), expected);
                    // They are functions of their bits: no other values.
                    let other = made.iter().zip(expected).map(|(it, is)| if is { !*it } else { *it });
                    let other: Vec<Lit> = other.collect();
                    let differs = gates.any(&other);
                    assert_eq!(gates.solve(&[&given[..], &[differs]].concat()), Some(false));
                }
            }
        }
    }
}

/// The same operands, once more as bits of words that are too wide.
fn int_operands(gates: &Gates<'_>, it: i128) -> [Word; 2] {
    [gates.int(it), gates.extended_signed(&gates.int(it), int_width(it) + 3)]
}

#[test]
fn integers_never_wrap_around() {
    let mut gates = Gates::new();
    let (x, y) = (gates.int_between(-5, 6), gates.int_between(0, 9));
    let made = [
        gates.int_add(&x, &y),
        gates.int_sub(&x, &y),
        gates.int_neg(&x),
        gates.int_mul(&x, &y),
        gates.int_choose(y[0], &x, &y),
    ];
    let compared = [gates.int_eq(&x, &y), gates.int_le(&x, &y), gates.int_le(&y, &x)];
    for a in -7..=8 {
        for b in -1..=11 {
            let assume = |gates: &mut Gates<'_>, word: &[Lit], to: i128| {
                let to = gates.int(to);
                gates.int_eq(word, &to)
            };
            let given = [assume(&mut gates, &x, a), assume(&mut gates, &y, b)];
            let is_possible = (-5..=6).contains(&a) && (0..=9).contains(&b);
            assert_eq!(gates.solve(&given), Some(is_possible), "{a} and {b}");
            if !is_possible {
                continue;
            }
            assert_eq!([gates.int_value(&x), gates.int_value(&y)], [a, b]);
            let expected = [a + b, a - b, -a, a * b, if b & 1 == 1 { a } else { b }];
            for (word, expected) in made.iter().zip(expected) {
                let is_it = assume(&mut gates, word, expected);
                assert_eq!(gates.solve(&given), Some(true));
                assert_eq!(gates.int_value(word), expected);
                assert_eq!(gates.solve(&[given[0], given[1], !is_it]), Some(false));
            }
            assert_eq!(gates.solve(&given), Some(true));
            assert_eq!(compared.map(|it| gates.is_true(it)), [a == b, a <= b, b <= a]);
        }
    }
}

#[test]
fn integers_that_are_constants_have_no_gates() {
    let mut gates = Gates::new();
    let clauses = gates.clauses();
    for a in -9..=9_i128 {
        for b in -9..=9_i128 {
            for x in int_operands(&gates, a) {
                for y in int_operands(&gates, b) {
                    let made = [
                        gates.int_add(&x, &y),
                        gates.int_sub(&x, &y),
                        gates.int_mul(&x, &y),
                        vec![gates.int_eq(&x, &y), gates.truth(false)],
                        vec![gates.int_le(&x, &y), gates.truth(false)],
                    ];
                    let expected = [a + b, a - b, a * b, (a == b).into(), (a <= b).into()];
                    let values =
                        made.map(|it| signed(gates.constant_of(&it).expect("all is known"), it.len() as u32));
                    assert_eq!(values, expected, "{a} and {b}");
                }
            }
        }
    }
    assert_eq!(gates.clauses(), clauses);
}

#[test]
fn random_signs_give_many_models() {
    let mut seen = std::collections::BTreeSet::new();
    for seed in 0..200 {
        let mut gates = Gates::random(seed);
        let word = gates.unknown_word(4);
        assert_eq!(gates.solve(&[]), Some(true));
        seen.insert(gates.value(&word));
    }
    assert!(seen.len() > 8, "{seen:?}");
}

#[test]
fn work_ends_at_the_limits() {
    // Factors of a prime: there is no short proof that there are none.
    let hard = |gates: &mut Gates<'_>| {
        let (x, y) = (gates.int_between(2, 1 << 15), gates.int_between(2, 1 << 15));
        let (product, prime) = (gates.int_mul(&x, &y), gates.int(536_870_909));
        gates.int_eq(&product, &prime)
    };
    let mut gates = Gates::new();
    let is_so = hard(&mut gates);
    gates.limit(20, || false);
    assert_eq!(gates.solve(&[is_so]), None);
    assert!(!gates.is_stopped());
    gates.limit(u64::MAX, || true);
    assert_eq!(gates.solve(&[is_so]), None);
    assert!(gates.is_stopped());
    // Gates that are made late are as few as can be.
    let mut late = Gates::new();
    late.limit(u64::MAX, || true);
    for _ in 0..2000 {
        late.fresh();
    }
    assert!(late.is_stopped());
    hard(&mut late);
    assert!(late.clauses() < gates.clauses() / 2);
}
