//! Failures that random inputs do not meet, for a whole run of the engine, with the interpreter joined.

use std::panic::catch_unwind;
use std::time::Instant;

use probity::{Check, Source};

type Needle = fn(&mut Source);

pub const NEEDLES: &[(&str, Needle)] = &[
    ("nested", nested),
    ("magic", magic),
    ("word", word),
    ("wide", wide),
    ("sum", sum),
    ("packet", packet),
    ("chunks", chunks),
    ("decimal", decimal),
    ("ladder", ladder),
    ("record", record),
    ("pushes", pushes),
    ("equal", equal),
];

/// Searches for the failure of `name` and prints how long it took.
pub fn find(name: &str, engine: &str, seed: u64, ms: u64) -> Result<(), String> {
    let needle =
        NEEDLES.iter().find(|it| it.0 == name).ok_or_else(|| format!("there is no needle `{name}`"))?.1;
    let start = Instant::now();
    let run = || {
        Check::new(name).engine(engine).seed(seed).time(format!("{ms}ms").as_str()).store("off").run(needle)
    };
    match catch_unwind(run) {
        Ok(()) => println!("missed={}", start.elapsed().as_millis()),
        Err(_) => println!("found={}", start.elapsed().as_millis()),
    }
    Ok(())
}

fn bytes(src: &mut Source) -> Vec<u8> {
    src.any()
}

/// A byte that the compiler does not compare together with others.
fn at(bytes: &[u8], n: usize) -> u8 {
    std::hint::black_box(bytes.get(n).copied().unwrap_or(0))
}

fn nested(src: &mut Source) {
    let it = bytes(src);
    if at(&it, 0) == b'F' && at(&it, 1) == b'U' && at(&it, 2) == b'Z' {
        assert!(at(&it, 3) != b'Z');
    }
}

fn magic(src: &mut Source) {
    let it = bytes(src);
    assert!(!it.starts_with(b"\x7fmagic!"));
}

fn word(src: &mut Source) {
    let it: u64 = src.any();
    assert!(it ^ (it >> 7) != 0x9e37_79b9_7f4a_7c15);
}

fn wide(src: &mut Source) {
    let it: u128 = src.any();
    assert!(it.wrapping_add(3) != 0x0123_4567_89ab_cdef_fedc_ba98_7654_3210);
}

fn sum(src: &mut Source) {
    let it = bytes(src);
    if it.len() >= 8 && it[0] == 0xa5 && it[1] == 0x5a {
        let sum = it[..7].iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
        assert!(it[7] != sum || it[2] < 0x80);
    }
}

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0_u32, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg()))
    })
}

/// A magic number, a length, that many bytes and their checksum; and the rest.
fn chunk<'a>(it: &'a [u8], magic: &[u8; 2]) -> Option<(&'a [u8], &'a [u8])> {
    let rest = it.strip_prefix(magic)?;
    let (&len, rest) = rest.split_first()?;
    let (body, rest) = rest.split_at_checked(len.into())?;
    let (sum, rest) = rest.split_first_chunk::<4>()?;
    (u32::from_le_bytes(*sum) == crc32(body)).then_some((body, rest))
}

fn packet(src: &mut Source) {
    let it = bytes(src);
    if let Some((body, _)) = chunk(&it, b"PK") {
        assert!(body.len() != 3);
    }
}

fn chunks(src: &mut Source) {
    let it = bytes(src);
    let Some((head, rest)) = chunk(&it, b"HD") else { return };
    let Some((data, rest)) = chunk(rest, b"DT") else { return };
    if chunk(rest, b"TL").is_some() {
        assert!(head.len() + data.len() < 2);
    }
}

fn decimal(src: &mut Source) {
    let it: String = src.any();
    assert!(it.parse::<u32>() != Ok(90210));
}

fn ladder(src: &mut Source) {
    let mut state = 0;
    for byte in bytes(src) {
        state = match (state, byte) {
            (0, b'l') => 1,
            (1, b'a') => 2,
            (2, b'd') => 3,
            (3, b'd') => 4,
            (4, b'e') => 5,
            (5, b'r') => 6,
            _ => 0,
        };
        assert!(state != 6);
    }
}

fn record(src: &mut Source) {
    let it = bytes(src);
    let Some((&len, rest)) = it.split_first() else { return };
    if rest.len() != usize::from(len) || len < 5 {
        return;
    }
    if let Some(value) = rest.strip_prefix(b"key=") {
        assert!(value != b"x");
    }
}

/// Five pushes without a pop: blocks do not see it.
fn pushes(src: &mut Source) {
    let mut depth = 0;
    for byte in bytes(src) {
        match byte {
            b'(' => depth += 1,
            b')' => depth = 0,
            _ => depth = std::hint::black_box(0),
        }
        assert!(depth < 5);
    }
}

/// Eight equal bytes.
fn equal(src: &mut Source) {
    let it = bytes(src);
    let mut same = 0;
    while same < 8 && at(&it, same) == 0x77 {
        same += 1;
    }
    assert!(same < 8);
}
