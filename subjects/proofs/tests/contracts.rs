//! Thirty contracts: twenty that hold, and ten that do not, each for few inputs. Modules tell which is which.
#![allow(clippy::all, reason = "they are written as people write them, mistakes included")]

mod right {
    /// The mean of two numbers, rounded down.
    #[probity::contract]
    #[ensures(|out| i64::from(*out) == (i64::from(a) + i64::from(b)).div_euclid(2))]
    fn mean(a: i32, b: i32) -> i32 {
        (a & b) + ((a ^ b) >> 1)
    }

    #[probity::contract]
    #[ensures(|out| *out >= a && *out >= b && (*out == a || *out == b))]
    fn larger(a: i64, b: i64) -> i64 {
        if a > b { a } else { b }
    }

    #[probity::contract]
    #[requires(low <= high)]
    #[ensures(|out| low <= *out && *out <= high && (*out == x || x < low || x > high))]
    fn clamp(x: i32, low: i32, high: i32) -> i32 {
        if x < low { low } else if x > high { high } else { x }
    }

    #[probity::contract]
    #[ensures(|out| i32::from(*out) == (i32::from(a) + i32::from(b)).clamp(-128, 127))]
    fn saturating_add(a: i8, b: i8) -> i8 {
        match a.checked_add(b) {
            Some(it) => it,
            None if a < 0 => i8::MIN,
            None => i8::MAX,
        }
    }

    #[probity::contract]
    #[ensures(|out| u64::from(*out) == (u64::from(a) + u64::from(b)).min(u64::from(u32::MAX)))]
    fn saturating_sum(a: u32, b: u32) -> u32 {
        let sum = a.wrapping_add(b);
        if sum < a { u32::MAX } else { sum }
    }

    #[probity::contract]
    #[requires(b != 0)]
    #[ensures(|out| out.0 * b + out.1 == a && out.1 < b)]
    fn divide(a: u16, b: u16) -> (u16, u16) {
        (a / b, a % b)
    }

    #[probity::contract]
    #[ensures(|out| *out == a.count_ones())]
    fn ones(a: u8) -> u32 {
        let (mut left, mut n) = (a, 0);
        while left != 0 {
            left &= left - 1;
            n += 1;
        }
        n
    }

    #[probity::contract]
    #[ensures(|out| *out == x.unsigned_abs())]
    fn magnitude(x: i64) -> u64 {
        if x < 0 { (x as u64).wrapping_neg() } else { x as u64 }
    }

    #[probity::contract]
    #[requires(x <= 1 << 31)]
    #[ensures(|out| out.is_power_of_two() && *out >= x && (*out / 2 < x || *out == 1))]
    fn next_power(x: u32) -> u32 {
        let mut it = x.max(1) - 1;
        it |= it >> 1;
        it |= it >> 2;
        it |= it >> 4;
        it |= it >> 8;
        it |= it >> 16;
        it + 1
    }

    #[probity::contract]
    #[ensures(|out| out.swap_bytes() == x)]
    fn reversed(x: u32) -> u32 {
        x << 24 | (x & 0xff00) << 8 | x >> 8 & 0xff00 | x >> 24
    }

    #[probity::contract]
    #[requires(day >= 1 && day <= 7)]
    #[ensures(|out| *out >= 1 && *out <= 7 && (*out == day + 1 || *out == 1))]
    fn tomorrow(day: u8) -> u8 {
        if day == 7 { 1 } else { day + 1 }
    }

    #[probity::contract]
    #[ensures(|out| *out == (year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)))]
    fn is_leap(year: u16) -> bool {
        match (year % 4, year % 100, year % 400) {
            (_, _, 0) => true,
            (_, 0, _) => false,
            (0, _, _) => true,
            _ => false,
        }
    }

    #[probity::contract]
    #[ensures(|out| *out == (c as char).to_ascii_uppercase() as u8)]
    fn upper(c: u8) -> u8 {
        if c.wrapping_sub(b'a') < 26 { c - 32 } else { c }
    }

    #[probity::contract]
    #[requires(digit < 16)]
    #[ensures(|out| (*out as char).to_digit(16) == Some(u32::from(digit)))]
    fn hex(digit: u8) -> u8 {
        if digit < 10 { b'0' + digit } else { b'a' + digit - 10 }
    }

    #[probity::contract]
    #[requires(xs.is_sorted())]
    #[ensures(|out| out.map_or(xs.iter().all(|it| *it != x), |at| xs[at] == x))]
    fn find(xs: [i16; 5], x: i16) -> Option<usize> {
        let (mut low, mut high) = (0, xs.len());
        while low < high {
            let middle = low + (high - low) / 2;
            match xs[middle].cmp(&x) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Equal => return Some(middle),
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }

    #[probity::contract]
    #[ensures(|out| out.is_sorted() && out.iter().map(|it| i64::from(*it)).sum::<i64>() == i64::from(a) + i64::from(b) + i64::from(c))]
    fn sorted(a: i32, b: i32, c: i32) -> [i32; 3] {
        let (a, b) = if a > b { (b, a) } else { (a, b) };
        let (b, c) = if b > c { (c, b) } else { (b, c) };
        let (a, b) = if a > b { (b, a) } else { (a, b) };
        [a, b, c]
    }

    /// How many bytes a character takes in UTF-8.
    #[probity::contract]
    #[ensures(|out| *out == c.len_utf8())]
    fn utf8_length(c: char) -> usize {
        match c as u32 {
            0..0x80 => 1,
            0x80..0x800 => 2,
            0x800..0x1_0000 => 3,
            _ => 4,
        }
    }

    /// In sixteenths.
    #[probity::contract]
    #[requires(a.unsigned_abs() <= 1000 && b.unsigned_abs() <= 1000)]
    #[ensures(|out| (i64::from(*out) * 16 - i64::from(a) * i64::from(b)).abs() < 16)]
    fn fixed_multiply(a: i32, b: i32) -> i32 {
        a * b / 16
    }

    #[probity::contract]
    #[ensures(|out| *out == (hour as u32 * 60 + minute as u32) % 720)]
    fn on_a_dial(#[from(0..24u8)] hour: u8, #[from(0..60u8)] minute: u8) -> u32 {
        let hour = if hour >= 12 { hour - 12 } else { hour };
        u32::from(hour) * 60 + u32::from(minute)
    }

    #[probity::contract]
    #[requires(at < 8)]
    #[ensures(|out| (*out >> at & 1 == 1) == on && (*out ^ bits) & !(1 << at) == 0)]
    fn with_bit(bits: u8, at: u8, on: bool) -> u8 {
        if on { bits | 1 << at } else { bits & !(1 << at) }
    }
}

mod wrong {
    #[probity::contract]
    #[ensures(|out| i64::from(*out) == (i64::from(a) + i64::from(b)).div_euclid(2))]
    fn mean(a: i32, b: i32) -> i32 {
        a.wrapping_add(b) >> 1
    }

    #[probity::contract]
    #[ensures(|out| *out >= 0)]
    fn magnitude(x: i32) -> i32 {
        x.wrapping_abs()
    }

    #[probity::contract]
    #[ensures(|out| i32::from(*out) == (i32::from(a) + i32::from(b)).clamp(-128, 127))]
    fn saturating_add(a: i8, b: i8) -> i8 {
        match a.checked_add(b) {
            Some(it) => it,
            None if a > 0 && b != 127 => i8::MAX,
            None if a < 0 => i8::MIN,
            None => i8::MAX - 1,
        }
    }

    #[probity::contract]
    #[ensures(|out| *out == (year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)))]
    fn is_leap(year: u16) -> bool {
        year % 4 == 0 && (year % 100 != 0 || year % 1000 == 0)
    }

    #[probity::contract]
    #[ensures(|out| *out == x.wrapping_mul(31).rotate_left(5))]
    fn mixed(x: u32) -> u32 {
        if x == 0xdead_beef { 0 } else { x.wrapping_mul(31).rotate_left(5) }
    }

    #[probity::contract]
    #[requires(r1 >= 1 && r2 >= 1 && s >= 0 && s < r1)]
    #[ensures(|out| 0 <= *out && *out < r2)]
    fn rescale(r1: i32, r2: i32, s: i32) -> i32 {
        s.wrapping_mul(r2 / r1 + 1)
    }

    #[probity::contract]
    #[requires(xs.is_sorted())]
    #[ensures(|out| out.map_or(xs.iter().all(|it| *it != x), |at| xs[at] == x))]
    fn find(xs: [i16; 5], x: i16) -> Option<usize> {
        let (mut low, mut high) = (0, xs.len() - 1);
        while low < high {
            let middle = low + (high - low) / 2;
            if xs[middle] < x { low = middle + 1 } else { high = middle }
        }
        (xs[low] == x && x != 12_345).then_some(low)
    }

    #[probity::contract]
    #[ensures(|out| *out == c.len_utf8())]
    fn utf8_length(c: char) -> usize {
        match c as u32 {
            0..0x80 => 1,
            0x80..=0x800 => 2,
            0x801..0x1_0000 => 3,
            _ => 4,
        }
    }

    #[probity::contract]
    #[ensures(|out| out.is_sorted())]
    fn sorted(a: i32, b: i32, c: i32) -> [i32; 3] {
        let (a, b) = if a > b { (b, a) } else { (a, b) };
        let (b, c) = if b > c { (c, b) } else { (b, c) };
        [a, b, c]
    }

    #[probity::contract]
    #[requires(b != 0)]
    #[ensures(|out| *out <= a)]
    fn ceiling(a: u16, b: u16) -> u16 {
        if a % b == 0 { a / b } else { a / b + b % 2 + u16::from(a == 41 && b == 43) * 99 }
    }
}
