//! Small functions, some of which fail: how many inputs they have can be counted by hand, and what the concolic engine
//! says of all their paths must be what brute force says of all their inputs.

use probity::Source;
use probity::engine::Value;
use probity::prelude::*;

use crate::answers::answers;
use crate::{Group, Row};

pub(super) const ROWS: &[Row] = &[
    passes("nothing", nothing, 1),
    fails("one_bool", one_bool, || answers().bool(true).done()).only(),
    passes("three_bools", three_bools, 8),
    fails("product", product, || answers().ints([17, 31]).done()),
    passes("no_product", no_product, 30 * 30),
    passes("squares", squares, 15 * 15 * 15),
    fails("remainder", remainder, || answers().int(23).done()),
    passes("division", division, 16 * 8),
    fails("index", index, || answers().int(8).done()).only(),
    passes("sorted_pair", sorted_pair, 32 * 32),
    passes("sorted_list", sorted_list, 6 * 6 * 6),
    fails("absolute", absolute, || answers().int(-128).done()).only(),
    passes("shifts", shifts, 256 * 8),
    fails("overflow", overflow, || answers().ints([255, 1]).done()),
    passes("assumed", assumed, 32 * 31 / 2),
    Row::rejects(Group::Claim, KIND, "never_accepted", never_accepted),
    fails("matched", matched, || answers().int(61).done()).only(),
    fails("short_list", short_list, || {
        answers().length(4).bool(true).bool(true).bool(true).bool(true).done()
    })
    .only(),
    passes("list_sum", list_sum, 1 + 4 + 16 + 64),
    fails("short_text", short_text, || answers().text("cab").done()).only(),
    passes("picked", picked, 3 * 10),
    passes("gcd", gcd, 15 * 15),
    passes("bits", bits, 256),
    fails("table", table, || answers().int(11).done()).only(),
    fails("nested", nested, || answers().pick(1).pick(1).bool(true).int(4).done()).only(),
    fails("unwrapped", unwrapped, || answers().int(36).done()).only(),
];

const KIND: &str = "few inputs";

const fn passes(name: &'static str, test: fn(&mut Source), inputs: u64) -> Row {
    Row::passes(Group::Claim, KIND, name, test, Some(inputs))
}

const fn fails(name: &'static str, test: fn(&mut Source), known: fn() -> Vec<Value>) -> Row {
    Row::fails(Group::Claim, KIND, name, test, known)
}

fn nothing(_: &mut Source) {}

fn one_bool(src: &mut Source) {
    assert!(!src.bool());
}

fn three_bools(src: &mut Source) {
    let (a, b, c) = (src.bool(), src.bool(), src.bool());
    let ones = [a, b, c].into_iter().filter(|it| *it).count();
    assert!(ones < 2 || (a && b) || c);
}

fn product(src: &mut Source) {
    let (a, b) = (src.draw(0..32_u32), src.draw(0..32_u32));
    assert!(a * b != 527);
}

fn no_product(src: &mut Source) {
    let (a, b) = (src.draw(2..32_u32), src.draw(2..32_u32));
    assert!(a * b != 541);
}

fn squares(src: &mut Source) {
    let (a, b, c) = (src.draw(1..16_u32), src.draw(1..16_u32), src.draw(1..16_u32));
    if a < b && b < c && a * a + b * b == c * c {
        assert!(a % 2 == 1 || b % 2 == 0 || c % 2 == 1);
        assert!(a != 8);
    }
}

fn remainder(src: &mut Source) {
    let n = src.draw(0..=255_u32);
    assert!(!(n % 3 == 2 && n % 5 == 3 && n % 7 == 2));
}

fn division(src: &mut Source) {
    let (a, b) = (src.draw(-8..8_i8), src.draw(-4..4_i8));
    if b != 0 {
        let (q, r) = (a / b, a % b);
        assert_eq!(q * b + r, a);
        assert!(r.abs() < b.abs());
    }
}

fn index(src: &mut Source) {
    let at = src.draw(0..=8_usize);
    let data = [3_u8, 1, 4, 1, 5, 9, 2, 6];
    assert!(data[at] > 0);
}

fn sorted_pair(src: &mut Source) {
    let (a, b) = (src.draw(0..32_u8), src.draw(0..32_u8));
    let (low, high) = if a <= b { (a, b) } else { (b, a) };
    assert!(low <= high && low == a.min(b));
}

fn sorted_list(src: &mut Source) {
    let mut v: [u8; 3] = std::array::from_fn(|_| src.draw(0..6));
    v.sort();
    assert!(v[0] <= v[1] && v[1] <= v[2]);
}

fn absolute(src: &mut Source) {
    let x: i8 = src.any();
    let y = x.wrapping_abs();
    assert!(y >= 0, "{x} has no absolute value");
}

fn shifts(src: &mut Source) {
    let (x, n) = (src.draw(0..=255_u8), src.draw(0..8_u32));
    assert_eq!(x.rotate_left(n).rotate_right(n), x);
}

fn overflow(src: &mut Source) {
    let (a, b) = (src.draw(0..=255_u8), src.draw(0..=15_u8));
    // As `a + b` in debug, and the same in release.
    assert!(a.checked_add(b).is_some());
}

fn assumed(src: &mut Source) {
    let (a, b) = (src.draw(0..32_u32), src.draw(0..32_u32));
    assume!(a > b);
    assert!(a - b < 32 && a != b);
}

fn never_accepted(src: &mut Source) {
    let n = src.draw(0..100_u32);
    assume!(n * n % 4 == 3);
    panic!("{n} is no square");
}

fn matched(src: &mut Source) {
    let n = src.draw(0..64_u8);
    let class = match n {
        0 => 0,
        1 | 2 => 1,
        3..=9 => 2,
        10..=39 if n.is_multiple_of(2) => 3,
        40..=63 if n / 8 == 7 => 5,
        _ => 4,
    };
    assert!(class != 5 || n != 61);
}

fn short_list(src: &mut Source) {
    let v: Vec<bool> = src.draw(vec(any(), 0..=4));
    let ones = v.iter().filter(|it| **it).count();
    assert!(ones < 4);
}

fn list_sum(src: &mut Source) {
    let v: Vec<u8> = src.draw(vec(0..4_u8, 0..=3));
    let sum: u8 = v.iter().sum();
    assert!(usize::from(sum) <= 3 * v.len());
}

fn short_text(src: &mut Source) {
    let s: String = src.draw(string('a'..='c', 0..=3));
    assert!(s != "cab");
}

fn picked(src: &mut Source) {
    let step = *src.draw(select(["up", "down", "stay"].map(Box::new)));
    let n = src.draw(0..10_i32);
    let moved = match step {
        "up" => n + 1,
        "down" => n - 1,
        _ => n,
    };
    assert!((-1..=10).contains(&moved));
}

fn gcd(src: &mut Source) {
    let (a, b) = (src.draw(1..16_u32), src.draw(1..16_u32));
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    assert!(a % x == 0 && b % x == 0);
}

fn bits(src: &mut Source) {
    let n = src.draw(0..=255_u8);
    let mut rest = n;
    let mut count = 0;
    while rest != 0 {
        rest &= rest - 1;
        count += 1;
    }
    assert_eq!(count, n.count_ones());
}

fn table(src: &mut Source) {
    let n = src.draw(0..16_usize);
    let squares: [usize; 16] = std::array::from_fn(|it| it * it);
    assert!(squares[n] != 121);
}

fn nested(src: &mut Source) {
    let a: Option<Option<bool>> = src.any();
    let b = src.draw(0..5_u8);
    if let Some(Some(true)) = a {
        assert!(b < 4);
    }
}

fn unwrapped(src: &mut Source) {
    let n = src.draw(0..64_u32);
    let root = (0..8).find(|it| it * it == n);
    assert!(n % 7 != 1 || n < 30 || root.unwrap_or(0) != 6);
}
