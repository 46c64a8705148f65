//! Tests for campaigns: a reader with code to reach, and ten that die, each in its own way.

use std::hint::black_box;
use std::sync::Mutex;

/// Nested lists of words and numbers.
fn read(text: &[u8]) -> Result<u32, String> {
    let (mut depth, mut sum, mut words) = (0_u32, 0_u32, Vec::new());
    for (at, byte) in text.iter().enumerate() {
        match byte {
            b'[' => depth += 1,
            b']' if depth == 0 => return Err(format!("at {at}: nothing to close")),
            b']' => depth -= 1,
            b'0'..=b'9' => sum = sum.wrapping_mul(10).wrapping_add(u32::from(byte - b'0')),
            b'a'..=b'z' => words.push(char::from(*byte)),
            b' ' if words.iter().collect::<String>() == "if" => sum += 1000,
            b' ' => words.clear(),
            b'"' => return quoted(&text[at + 1..]),
            _ => return Err(format!("at {at}: {byte}")),
        }
    }
    if depth > 2 { Ok(deep(sum, depth)) } else { Ok(sum) }
}

#[inline(never)]
fn quoted(rest: &[u8]) -> Result<u32, String> {
    let text = std::str::from_utf8(rest).map_err(|err| err.to_string())?;
    let end = text.find('"').ok_or("no end")?;
    Ok(text[..end].chars().filter(|it| it.is_uppercase()).count() as u32)
}

#[inline(never)]
fn deep(sum: u32, depth: u32) -> u32 {
    match sum % 7 {
        0 => depth,
        1 if depth > 4 => sum.leading_zeros(),
        2 => sum.rotate_left(depth),
        _ => sum.count_ones(),
    }
}

#[probity::test]
fn reads(text: Vec<u8>) {
    let _ = black_box(read(&text));
}

fn is_key(bytes: &[u8; 2]) -> bool {
    bytes[0] == b'k' && bytes[1] > 100
}

struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("while unwinding");
    }
}

fn endless(n: u64) -> u64 {
    let room = black_box([n; 64]);
    if n == u64::MAX { 0 } else { endless(n + 1) + room[3] }
}

#[probity::test]
fn panics_in_a_thread(key: [u8; 2]) {
    if is_key(&key) {
        std::thread::spawn(|| panic!("there")).join().unwrap();
    }
}

#[probity::test]
fn panics_twice(key: [u8; 2]) {
    if is_key(&key) {
        let _bombs = (Bomb, Bomb);
    }
}

#[probity::test]
fn panics_while_unwinding(key: [u8; 2]) {
    if is_key(&key) {
        let _bomb = Bomb;
        panic!("first");
    }
}

#[probity::test]
fn aborts(key: [u8; 2]) {
    if is_key(&key) {
        std::process::abort();
    }
}

#[probity::test]
fn overflows(key: [u8; 2]) {
    if is_key(&key) {
        black_box(endless(1));
    }
}

#[probity::test]
fn segfaults(key: [u8; 2]) {
    if is_key(&key) {
        // SAFETY: it is not; that is what is tested.
        unsafe { black_box(8 as *const u8).read_volatile() };
    }
}

#[inline(never)]
fn reads_here(at: usize) {
    // SAFETY: it is not; that is what is tested.
    unsafe { black_box(at as *const u8).read_volatile() };
}

#[inline(never)]
fn reads_there(at: usize) {
    // SAFETY: as above.
    unsafe { black_box(at as *const u8).read_volatile() };
}

/// Two faults with one signal.
#[probity::test]
fn segfaults_in_two_places(key: [u8; 2]) {
    if is_key(&key) {
        reads_here(8);
    }
    if key[0] == b'm' && key[1] > 100 {
        reads_there(16);
    }
}

#[probity::test]
fn exits(key: [u8; 2]) {
    if is_key(&key) {
        std::process::exit(0);
    }
}

#[probity::test]
fn loops(key: [u8; 2]) {
    while is_key(&key) {
        black_box(&key);
    }
}

#[probity::test]
fn allocates(key: [u8; 2]) {
    let mut all = Vec::new();
    while is_key(&key) {
        all.push(black_box(vec![0_u8; 1 << 24]));
    }
}

#[probity::test]
fn deadlocks(key: [u8; 2]) {
    let lock = Mutex::new(0);
    let _first = lock.lock();
    if is_key(&key) {
        let _second = lock.lock();
    }
}
