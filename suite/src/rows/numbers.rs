//! Conditions on numbers.

use probity::Source;
use probity::vec;

use crate::answers::answers;
use crate::{Group, Row};

pub(super) const ROWS: &[Row] = &[
    Row::fails(Group::Puzzle, "magic arithmetic", "magic_mul", magic_mul, || {
        answers().int((0xdead_beef_u32 ^ 0x5bd1_e995).wrapping_mul(inverse(31))).done()
    })
    .only(),
    Row::fails(Group::Puzzle, "magic arithmetic", "magic_mix", magic_mix, || {
        answers().int(0x1234_5678_9abc_def0_u64).done()
    })
    .only(),
    Row::fails(Group::Puzzle, "u128", "u128_product", u128_product, || {
        answers().wide(0xfeed_face_cafe_beef_0123_4567_89ab_cdef).done()
    }),
    Row::fails(Group::Puzzle, "u128", "u128_scaled", u128_scaled, || {
        answers().int(1_234_567_890_123_456_789_u64).int(987_654_321_u64).done()
    })
    .only(),
    Row::fails(Group::Puzzle, "matrix determinant", "determinant_3", determinant_3, || {
        answers().ints([20, 0, 0, 0, 20, 0, 0, 0, 10]).done()
    }),
    Row::fails(Group::Puzzle, "matrix determinant", "determinant_sum", determinant_sum, || {
        answers().ints([9, 0, 0, 0, 9, 0, 0, 0, 9]).done()
    }),
    Row::fails(Group::Puzzle, "small float condition", "float_line", float_line, || {
        answers().float(10.25).done()
    }),
    Row::fails(Group::Puzzle, "small float condition", "float_box", float_box, || {
        answers().float(4.0981).float(2.8656).done()
    }),
    Row::fails(Group::Puzzle, "binary search", "search_found", search_found, || {
        answers().list(&[1, 2, 3, 4, 5000, 6000, 7000, 8000]).int(5000).done()
    }),
    Row::fails(Group::Puzzle, "binary search", "search_between", search_between, || {
        answers().int(2250_u32.wrapping_mul(inverse(0x9e37_79b1))).done()
    }),
    Row::fails(Group::Puzzle, "sort-based condition", "sort_middle", sort_middle, || {
        answers().ints([4000, 1, 2, 5000, 6000]).done()
    }),
    Row::fails(Group::Puzzle, "sort-based condition", "sort_steps", sort_steps, || {
        answers().list(&[321, 300, 314, 307]).done()
    }),
];

/// The number that undoes a wrapping multiplication by an odd one.
fn inverse(odd: u32) -> u32 {
    (0..5).fold(odd, |res, _| res.wrapping_mul(2_u32.wrapping_sub(odd.wrapping_mul(res))))
}

fn magic_mul(src: &mut Source) {
    let x: u32 = src.any();
    assert!(x.wrapping_mul(31) ^ 0x5bd1_e995 != 0xdead_beef);
}

fn magic_mix(src: &mut Source) {
    fn mix(x: u64) -> u64 {
        let x = (x ^ (x >> 31)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (x ^ (x >> 29)).rotate_left(17).wrapping_add(0x0123_4567)
    }
    let x: u64 = src.any();
    assert!(mix(x) != mix(0x1234_5678_9abc_def0));
}

fn u128_product(src: &mut Source) {
    let x: u128 = src.any();
    let mixed = |x: u128| x.wrapping_mul(0x1_0000_0000_0000_0001_0000_0001) ^ (x >> 3);
    assert!(mixed(x) != mixed(0xfeed_face_cafe_beef_0123_4567_89ab_cdef));
}

fn u128_scaled(src: &mut Source) {
    let (whole, rest): (u64, u64) = src.any();
    let wide = u128::from(whole) * 1_000_000_000_000 + u128::from(rest);
    assert!(rest >= 1_000_000_000_000 || wide != 1_234_567_890_123_456_789_000_987_654_321);
}

fn minor(m: &[i32; 9], a: usize, b: usize, c: usize, d: usize) -> i32 {
    m[a] * m[d] - m[b] * m[c]
}

fn determinant(m: &[i32; 9]) -> i32 {
    m[0] * minor(m, 4, 5, 7, 8) - m[1] * minor(m, 3, 5, 6, 8) + m[2] * minor(m, 3, 4, 6, 7)
}

fn determinant_3(src: &mut Source) {
    let m: [i32; 9] = std::array::from_fn(|_| src.draw(-20..=20));
    assert!(determinant(&m) != 4000 || m[0] + m[4] + m[8] != 50);
}

fn determinant_sum(src: &mut Source) {
    let m: [i32; 9] = std::array::from_fn(|_| src.draw(0..=9));
    let trace = m[0] + m[4] + m[8];
    assert!(determinant(&m) != 729 || trace != 27);
}

fn float_line(src: &mut Source) {
    let x: f64 = src.any();
    assert!(x * 2.0 + 1.0 != 21.5);
}

fn float_box(src: &mut Source) {
    let (x, y) = (src.draw(-100.0..=100.0), src.draw(-100.0..=100.0));
    assert!(!(x * x + y * y > 24.99 && x * x + y * y < 25.01 && x - y > 1.23 && x - y < 1.235));
}

fn search_found(src: &mut Source) {
    let v: Vec<i64> = src.draw(vec(0_i64..100_000, 8..=12));
    let key = src.draw(0_i64..100_000);
    if v.is_sorted_by(|a, b| a < b) {
        assert!(v.binary_search(&key) != Ok(4) || key < 5000);
    }
}

fn search_between(src: &mut Source) {
    let table: Vec<u32> = (0..1000).map(|i| i * i + 17).collect();
    let place = table.binary_search(&src.any::<u32>().wrapping_mul(0x9e37_79b1));
    assert!(place != Err(48));
}

fn sort_middle(src: &mut Source) {
    let mut v: [u16; 5] = src.any();
    v.sort();
    assert!(!(v[2] == 4000 && v[0] == 1 && v[1] == 2));
}

fn sort_steps(src: &mut Source) {
    let mut v: Vec<i32> = src.draw(vec(0..1000, 4..=6));
    let first = v[0];
    v.sort_unstable_by(|a, b| b.cmp(a));
    assert!(!(v.windows(2).all(|it| it[0] - it[1] == 7) && first == v[0] && v[v.len() - 1] == 300));
}
