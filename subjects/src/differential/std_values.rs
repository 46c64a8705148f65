//! Numbers, texts, characters, formatting, parsing and panics of std.

use std::net::{IpAddr, SocketAddr};
use std::num::Wrapping;
use std::panic::catch_unwind;
use std::time::Duration;

use super::{Reader, Target, digest, letters, printable, shown, text};

pub(super) const TARGETS: &[Target] = &[
    ("int_arithmetic", int_arithmetic),
    ("int_bits", int_bits),
    ("int_checked", int_checked),
    ("u128_arithmetic", u128_arithmetic),
    ("float_arithmetic", float_arithmetic),
    ("float_functions", float_functions),
    ("float_casts", float_casts),
    ("float_text", float_text),
    ("format_padded", format_padded),
    ("format_debug", format_debug),
    ("parse_ints", parse_ints),
    ("parse_floats", parse_floats),
    ("parse_addresses", parse_addresses),
    ("utf8", utf8),
    ("chars", chars),
    ("text_search", text_search),
    ("text_case", text_case),
    ("text_lines", text_lines),
    ("duration", duration),
    ("panics_caught", panics_caught),
    ("panics_drop", panics_drop),
    ("errors", errors),
];

fn int_arithmetic(bytes: &[u8]) -> u64 {
    let mut r = Reader(bytes);
    let (a, b, c) = (r.u32() as i32, r.u64() as i64, r.u16() as i16);
    let mut res = Wrapping(a as i64) * Wrapping(b) - Wrapping(i64::from(c));
    if b != 0 {
        res += a as i64 % b;
        res ^= (a as i64).wrapping_div(b);
    }
    if c != 0 {
        res += i64::from((a as i16).wrapping_div(c)) + i64::from((a as i16).wrapping_rem_euclid(c));
    }
    let d = r.u8() as i8;
    res ^= i64::from(d.wrapping_mul(a as i8)) + i64::from(d.saturating_sub(100));
    res.0 as u64
}

fn int_bits(bytes: &[u8]) -> u64 {
    let mut r = Reader(bytes);
    let (a, b, n) = (r.u64(), r.u32(), r.u8());
    let mut res = a.rotate_left(n.into()) ^ u64::from(b.reverse_bits()) ^ a.swap_bytes();
    res = res.wrapping_add(u64::from(a.leading_zeros() + b.trailing_zeros() * 64 + a.count_ones() * 4096));
    res ^= a.wrapping_shr(n.into()) ^ ((b as i32).wrapping_shl(n.into()) as u64);
    res ^ b.checked_next_power_of_two().map_or(7, u64::from) ^ u64::from(a.is_power_of_two())
}

fn int_checked(bytes: &[u8]) -> u64 {
    let mut r = Reader(bytes);
    let (a, b) = (r.u32() as i32, r.u32() as i32);
    let small = (r.u8(), r.u8());
    shown((
        a.checked_add(b),
        a.checked_mul(b),
        a.overflowing_sub(b),
        a.saturating_mul(b),
        a.checked_rem(b),
        (small.0.checked_sub(small.1), small.0.overflowing_mul(small.1), small.0.abs_diff(small.1)),
        (a.unsigned_abs().isqrt(), a.checked_ilog2(), a.midpoint(b)),
    ))
}

fn u128_arithmetic(bytes: &[u8]) -> u64 {
    let mut r = Reader(bytes);
    let (a, b, n) = (r.u128(), r.u128() >> (r.u8() % 128), r.u8());
    let mut res = a.wrapping_mul(b).wrapping_add(a >> (n % 128)) ^ (b << (n % 128));
    if b != 0 {
        res ^= a.wrapping_div(b) + a.wrapping_rem(b);
        res = res.wrapping_add((a as i128).wrapping_div(b as i128) as u128);
    }
    digest((res, a.checked_add(b), a.leading_zeros(), (a as i128).cmp(&(b as i128)), a.to_string()))
}

fn float_arithmetic(bytes: &[u8]) -> u64 {
    let mut r = Reader(bytes);
    let (a, b, c) = (r.fraction(), r.fraction(), r.f64());
    let sum = a * b + a / b - c * 0.5;
    let single = (a as f32 * 1.5 + b as f32) as f64;
    digest([sum, single, a.max(b), a.min(c), -c, a % b].map(bits))
}

/// Of any NaN the same: which one comes out is not defined.
fn bits(it: f64) -> u64 {
    if it.is_nan() { 1 } else { it.to_bits() }
}

fn float_functions(bytes: &[u8]) -> u64 {
    let mut r = Reader(bytes);
    let (a, b) = (r.fraction(), r.fraction());
    let rounded =
        [a.floor(), a.ceil(), a.round(), a.trunc(), a.abs().sqrt(), a.signum(), a.copysign(b), a.fract()];
    let library = [a.sin(), b.exp(), a.abs().ln(), a.powi(3), a.hypot(b), a.atan2(b)];
    digest((rounded.map(bits), library.map(bits), a.total_cmp(&b), a.partial_cmp(&b)))
}

fn float_casts(bytes: &[u8]) -> u64 {
    let mut r = Reader(bytes);
    let (a, b, n) = (r.f64(), r.fraction(), r.u64());
    let ints = (a as i64, a as u8, b as i32, b as u64, b as i8, a as u128);
    let floats = [n as f64, n as f32 as f64, n as i64 as f64, n as i16 as f64, u128::from(n) as f64];
    digest((ints, floats.map(bits), b as f32 as i16, a.classify() as u8))
}

fn float_text(bytes: &[u8]) -> u64 {
    let mut r = Reader(bytes);
    let (a, b) = (r.f64(), r.fraction());
    digest((format!("{a:?} {b} {b:.3} {b:+e}"), format!("{:>12.1}|{:e}", b as f32, a as f32)))
}

fn format_padded(bytes: &[u8]) -> u64 {
    let mut r = Reader(bytes);
    let (a, b, n) = (r.u32() as i32, r.u64(), usize::from(r.u8() % 24));
    let word = printable(r.0);
    digest(format!("{a:08} {a:#x} {b:>n$} {b:#b} {word:^n$} {word:.3} {a:+} {:o}|{word:*<20}", a as u16))
}

fn format_debug(bytes: &[u8]) -> u64 {
    #[derive(Debug)]
    #[allow(dead_code)]
    enum Shape<'a> {
        Point,
        Line { from: (u8, i16), name: &'a str },
        Group(Vec<Option<u32>>, char),
    }
    let mut r = Reader(bytes);
    let name = text(&bytes[bytes.len() / 2..]);
    let shape = match r.u8() % 3 {
        0 => Shape::Point,
        1 => Shape::Line { from: (r.u8(), r.u16() as i16), name: &name },
        _ => {
            Shape::Group((0..r.u8() % 5).map(|it| it.checked_sub(2).map(u32::from)).collect(), r.u8().into())
        }
    };
    digest((format!("{shape:?}"), format!("{shape:#?}")))
}

fn parse_ints(bytes: &[u8]) -> u64 {
    let digits = letters(bytes, "0123456789-+ x");
    let (short, long) = digits.split_at(digits.len().min(3));
    let hex = letters(bytes, "0123456789abcdefXYZ");
    let hex = &hex[..hex.len().min(6)];
    shown((
        short.parse::<u8>(),
        short.parse::<i32>(),
        long.parse::<u64>(),
        u32::from_str_radix(hex, 16),
        i64::from_str_radix(hex, 36),
        short.trim().parse::<i128>(),
    ))
}

fn parse_floats(bytes: &[u8]) -> u64 {
    let number = letters(bytes, "0123456789.e-");
    let number = &number[..number.len().min(12)];
    shown((number.parse::<f64>(), number.parse::<f32>(), text(bytes).parse::<f64>().is_ok()))
}

fn parse_addresses(bytes: &[u8]) -> u64 {
    let mut r = Reader(bytes);
    let address = format!("{}.{}.{}.{}", r.u8(), r.u8(), u16::from(r.u8()) * 2, r.u8());
    let six = letters(r.0, "0123456789abcdef::");
    shown((
        address.parse::<IpAddr>(),
        six.parse::<IpAddr>(),
        format!("{address}:{}", r.u16()).parse::<SocketAddr>(),
        text(bytes).parse::<bool>().is_ok(),
    ))
}

fn utf8(bytes: &[u8]) -> u64 {
    let lossy = String::from_utf8_lossy(bytes);
    let valid = std::str::from_utf8(bytes).map_err(|it| (it.valid_up_to(), it.error_len()));
    let wide: Vec<u16> = lossy.encode_utf16().collect();
    digest((
        lossy.chars().count(),
        valid.is_ok(),
        valid.err(),
        String::from_utf16_lossy(&wide) == lossy,
        lossy.char_indices().map(|(i, c)| i as u32 * c as u32).fold(0, u32::wrapping_add),
        lossy.chars().rev().collect::<String>(),
    ))
}

fn chars(bytes: &[u8]) -> u64 {
    let mut r = Reader(bytes);
    let mut res = 0_u64;
    while !r.is_empty() {
        let Some(c) = char::from_u32(r.u32() % 0x3_0000) else { continue };
        let flags = [c.is_alphabetic(), c.is_numeric(), c.is_whitespace(), c.is_uppercase(), c.is_control()];
        let cases = (c.to_uppercase().to_string(), c.to_lowercase().count(), c.to_digit(36), c.len_utf8());
        res = res.rotate_left(5) ^ digest((flags, cases, c.escape_debug().to_string()));
    }
    res
}

fn text_search(bytes: &[u8]) -> u64 {
    let text = letters(bytes, "abcab ");
    digest((
        text.find("abc"),
        text.rfind("ca"),
        text.matches("ab").count(),
        text.replace("ab", "<>"),
        text.split(' ').map(str::len).max(),
        text.trim_start_matches(['a', 'b']).len(),
        text.contains("aaa"),
        text.rsplitn(2, 'c').last().map(str::to_owned),
    ))
}

fn text_case(bytes: &[u8]) -> u64 {
    let text = text(bytes);
    let mut copy = text.clone();
    copy.make_ascii_uppercase();
    copy.insert_str(0, "start ");
    copy.retain(|c| c != 'A');
    digest((
        text.to_uppercase(),
        text.to_lowercase(),
        copy,
        text.eq_ignore_ascii_case("secret"),
        text.repeat(3),
    ))
}

fn text_lines(bytes: &[u8]) -> u64 {
    let text = letters(bytes, "ab\n\r\tc =");
    let pairs: Vec<_> = text.lines().filter_map(|it| it.split_once('=')).collect();
    let words: Vec<_> = text.split_whitespace().map(|it| it.trim_end_matches('c')).collect();
    digest((pairs, words.join("-"), text.escape_default().to_string(), text.char_indices().nth(3)))
}

fn duration(bytes: &[u8]) -> u64 {
    let mut r = Reader(bytes);
    let a = Duration::new(r.u32().into(), r.u32() % 1_000_000_000);
    let b = Duration::from_micros(r.u64() >> 20);
    let scaled = a.mul_f64(f64::from(r.u8()) / 16.0);
    shown((a.checked_sub(b), a + b, b / (u32::from(r.u8()) + 1), scaled, a.as_secs_f64(), b.subsec_millis()))
}

fn panics_caught(bytes: &[u8]) -> u64 {
    let mut r = Reader(bytes);
    let (kind, n) = (r.u8() % 6, r.u8());
    let rest = r.0.to_vec();
    let outcome = catch_unwind(move || match kind {
        0 => rest[usize::from(n)].into(),
        1 => 1000 / u64::from(n % 4),
        2 => u64::from(rest.first().copied().unwrap()),
        3 => std::str::from_utf8(&rest).map(|it| it.len() as u64).unwrap(),
        4 => u64::from("a€b"[usize::from(n % 5)..].len() as u32),
        _ => std::cell::RefCell::new(n).borrow().to_owned().into(),
    });
    match outcome {
        Ok(it) => it,
        Err(it) => match it.downcast::<String>() {
            Ok(it) => digest(it),
            Err(it) => digest(it.downcast_ref::<&str>()),
        },
    }
}

fn panics_drop(bytes: &[u8]) -> u64 {
    struct Counted<'a>(&'a std::cell::Cell<u64>, u64);
    impl Drop for Counted<'_> {
        fn drop(&mut self) {
            self.0.set(self.0.get().wrapping_mul(31) + self.1);
        }
    }
    let count = std::cell::Cell::new(1);
    let outcome = catch_unwind(std::panic::AssertUnwindSafe(|| {
        let _first = Counted(&count, 1);
        let kept: Vec<Counted> = bytes.iter().map(|it| Counted(&count, (*it).into())).collect();
        assert!(kept.len() < 20 && !bytes.contains(&7), "too many: {}", kept.len());
        std::panic::panic_any(kept.len());
    }));
    let payload = outcome.err().and_then(|it| it.downcast::<usize>().ok());
    digest((count.get(), payload))
}

fn errors(bytes: &[u8]) -> u64 {
    fn read(text: &str) -> Result<u32, Box<dyn std::error::Error>> {
        let (a, b) = text.split_once(',').ok_or("there is no comma")?;
        let a: u32 = a.parse()?;
        let b: f32 = b.trim().parse()?;
        Ok(u32::try_from((a as f32 * b) as i64)?)
    }
    let text = letters(bytes, "0123456789,. ");
    shown(read(&text[..text.len().min(7)]).map_err(|it| it.to_string()))
}
