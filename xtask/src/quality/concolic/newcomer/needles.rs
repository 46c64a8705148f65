//! A suite of forty tests: twenty that hold, and twenty that fail for one input in a million or fewer, four of each of five
//! kinds. Those that hold do what property tests do, and take nearly all of the time: some four seconds together, where
//! nothing is optimized. `cargo xtask quality default` copies it into a new crate.

use newcomer::*;
use probity::prelude::*;

/// What a test with some bytes does: it sends them through codecs and compares with the library.
fn round_trip(bytes: &[u8]) {
    assert_eq!(from_hex(&to_hex(bytes)).as_deref(), Some(bytes));
    assert_eq!(from_runs(&to_runs(bytes)), bytes);
}

/// The laws of everything that is there, for bytes.
fn check_all(bytes: &[u8]) {
    round_trip(bytes);
    let (mut sorted, mut expected) = (bytes.to_vec(), bytes.to_vec());
    sort(&mut sorted);
    expected.sort();
    assert_eq!(sorted, expected);
    assert!(checksum(bytes) & 0xffff < 65521);
}

/// The same with a text.
fn count(text: &str) {
    let total: usize = count_words(text).values().sum();
    assert!(total <= text.chars().count());
    round_trip(text.as_bytes());
}

/// The same with a number.
fn pack(number: u64) {
    assert_eq!(from_varint(&to_varint(number)), number);
    round_trip(&number.to_le_bytes());
}

mod numbers {
    use super::*;

    #[probity::test]
    fn needle_mixed(x: u32) {
        assert!(x.wrapping_mul(31) ^ 0x5bd1_e995 != 0xdead_beef);
    }

    #[probity::test]
    fn needle_twice(a: u32, b: u32) {
        assert!(a < 1_000_000 || a.checked_mul(2) != Some(b));
    }

    #[probity::test]
    fn needle_remainder(id: u64) {
        assert!(id < 1 << 40 || id % 1_000_003 != 77);
    }

    #[probity::test]
    fn needle_sum(a: i32, b: i32, c: i32) {
        let sum = i64::from(a) + i64::from(b) - i64::from(c);
        assert!(sum != 1_234_567_890);
    }

    #[probity::test]
    fn laws_of_numbers(numbers: Vec<u64>) {
        for number in numbers {
            pack(number);
        }
    }

    #[probity::test]
    fn laws_of_pairs(pairs: Vec<(u64, i32)>) {
        for (a, b) in pairs {
            pack(a);
            pack(b as u64);
        }
    }

    #[probity::test]
    fn laws_of_floats(numbers: Vec<f64>) {
        for number in numbers {
            pack(number.to_bits());
        }
    }

    #[probity::test]
    fn laws_of_years(#[from(vec(-9999..=9999, ..))] years: Vec<i64>) {
        for year in years {
            assert!((365..=366).contains(&(days(year + 1, 1, 1) - days(year, 1, 1))));
            pack(year as u64);
        }
    }
}

mod texts {
    use super::*;

    #[probity::test]
    fn needle_whole(text: String) {
        assert!(text != "secret");
    }

    #[probity::test]
    fn needle_prefix(path: String) {
        assert!(!path.starts_with("/admin"));
    }

    #[probity::test]
    fn needle_key(line: String) {
        if let Some((key, value)) = line.split_once('=') {
            assert!(key != "log" || value.is_empty());
        }
    }

    #[probity::test]
    fn needle_number(text: String) {
        assert!(text.parse::<u32>() != Ok(4096));
    }

    #[probity::test]
    fn laws_of_text(text: String) {
        count(&text);
        check_all(text.as_bytes());
    }

    #[probity::test]
    fn laws_of_lines(lines: Vec<String>) {
        for line in lines {
            count(&line);
        }
    }

    #[probity::test]
    fn laws_of_words(#[from(vec(string('a'..='c', 1..=3), ..=20))] words: Vec<String>) {
        let text = words.join(" ");
        assert_eq!(count_words(&text).values().sum::<usize>(), words.len());
        check_all(text.as_bytes());
    }

    #[probity::test]
    fn laws_of_names(name: Option<String>, other: String) {
        count(&name.unwrap_or_default());
        count(&other);
    }
}

mod states {
    use super::*;

    #[derive(Clone, Copy, Debug, Generate)]
    enum Call {
        Hello(u16),
        Token(u32),
        Close,
    }

    #[probity::test]
    fn needle_lock(digits: Vec<u8>) {
        let opened = digits.iter().fold(0, |open, digit| match (open, digit) {
            (0, 17) | (1, 33) | (2, 72) => open + 1,
            (3, _) => 3,
            _ => 0,
        });
        assert!(opened != 3);
    }

    #[probity::test]
    fn needle_protocol(calls: Vec<Call>) {
        let mut state = 0;
        for call in &calls {
            state = match (state, call) {
                (0, Call::Hello(7)) => 1,
                (1, Call::Token(0xbeef)) => 2,
                (2, Call::Close) => 3,
                (3, _) => 3,
                _ => 0,
            };
        }
        assert!(state != 3);
    }

    #[probity::test]
    fn needle_wallet(changes: Vec<i32>) {
        let mut balance = 0i64;
        for change in changes {
            balance += i64::from(change);
            assert!(balance != 1_000_000);
        }
    }

    #[probity::test]
    fn needle_header(bytes: Vec<u8>) {
        assert!(!(bytes.starts_with(b"\x89PNG") && bytes.len() > 6 && bytes[5] == 13));
    }

    #[probity::test]
    fn laws_of_bytes(bytes: Vec<u8>) {
        check_all(&bytes);
    }

    #[probity::test]
    fn laws_of_parts(parts: Vec<Vec<u8>>) {
        for part in parts {
            check_all(&part);
        }
    }

    #[probity::test]
    fn laws_of_flags(flags: Vec<(u8, bool)>) {
        check_all(&flags.iter().map(|it| it.0 ^ u8::from(it.1)).collect::<Vec<u8>>());
    }

    #[probity::test]
    fn laws_of_runs(bytes: Vec<u8>, #[from(1..=4usize)] times: usize) {
        round_trip(&bytes.repeat(times));
    }
}

mod structs {
    use super::*;

    #[derive(Clone, Debug, Generate)]
    struct Color {
        red: u8,
        green: u8,
        blue: u8,
    }

    #[derive(Clone, Debug, Generate)]
    enum Shape {
        Circle { radius: u32 },
        Rectangle { width: u32, height: u32 },
    }

    #[probity::test]
    fn needle_color(color: Color) {
        let bytes = [color.red, color.green, color.blue];
        assert!(bytes != [18, 52, 86]);
    }

    #[probity::test]
    fn needle_date(#[from(1..=9999)] year: i64, #[from(1..=12)] month: i64, #[from(1..=31)] day: i64) {
        assert!(days(year, month, day) < days(year + 1, month, day));
        assert!(days(year, month, day) != days(1999, 12, 31));
    }

    #[probity::test]
    fn needle_shape(shape: Shape) {
        let area = match shape {
            Shape::Circle { radius } => u64::from(radius) * 3,
            Shape::Rectangle { width, height } => u64::from(width) * u64::from(height),
        };
        assert!(area != 1_000_003 * 1_000_033);
    }

    #[probity::test]
    fn needle_address(bytes: [u8; 4], port: u16) {
        assert!(bytes != [192, 168, 0, 1] || port < 1024);
    }

    #[probity::test]
    fn laws_of_colors(colors: Vec<Color>) {
        check_all(&colors.iter().flat_map(|it| [it.red, it.green, it.blue]).collect::<Vec<u8>>());
    }

    #[probity::test]
    fn laws_of_months(#[from(-9999..=9999)] year: i64, #[from(1..=12)] month: i64) {
        for day in 1..=27 {
            assert_eq!(days(year, month, day + 1), days(year, month, day) + 1);
        }
    }

    #[probity::test]
    fn laws_of_shapes(shapes: Vec<Shape>) {
        count(&format!("{shapes:?}"));
    }

    #[probity::test]
    fn laws_of_few(#[from(vec(0..=2u8, ..=200))] bytes: Vec<u8>) {
        assert!(to_runs(&bytes).windows(2).all(|it| it[0].1 != it[1].1));
        check_all(&bytes);
    }
}

mod tables {
    use super::*;

    const PRIMES: [u32; 12] =
        [101, 1009, 10_007, 100_003, 200_003, 300_007, 400_009, 500_009, 600_011, 700_001, 800_011, 900_001];

    #[probity::test]
    fn needle_found(x: u32) {
        assert!(PRIMES.binary_search(&x) != Ok(7));
    }

    #[probity::test]
    fn needle_degrees(celsius: f64) {
        assert!(celsius * 1.8 + 32.0 != 451.4);
    }

    #[probity::test]
    fn needle_letter(letters: [char; 3]) {
        assert!(letters[1] != '\u{2603}');
    }

    #[probity::test]
    fn needle_checksum(bytes: [u8; 4]) {
        assert!(checksum(&bytes) != checksum(b"FUZZ"));
    }

    #[probity::test]
    fn laws_of_checksums(bytes: Vec<u8>) {
        for at in 0..=bytes.len() {
            assert!(checksum(&bytes[..at]) & 0xffff < 65521);
        }
    }

    #[probity::test]
    fn laws_of_halves(bytes: Vec<u8>, at: usize) {
        let (first, second) = bytes.split_at(at % (bytes.len() + 1));
        check_all(first);
        check_all(second);
    }

    #[probity::test]
    fn laws_of_letters(letters: Vec<char>) {
        count(&letters.iter().collect::<String>());
    }

    #[probity::test]
    fn laws_of_primes(at: usize, bytes: Vec<u8>) {
        let at = at % PRIMES.len();
        assert_eq!(PRIMES.binary_search(&PRIMES[at]), Ok(at));
        check_all(&bytes);
    }
}
