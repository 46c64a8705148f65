//! Tests whose failure hides behind what does not follow expressions: a claim of all paths would be false. Beside them
//! are harmless ones, of which it must still be made.

use std::arch::asm;
use std::ffi::{c_int, c_void};
use std::fs::File;
use std::hint::black_box;
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};
use std::os::fd::FromRawFd;
use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering};

use probity::Source;

/// A test, and whether all its paths have to be claimed: it has no failing input then, and one otherwise.
pub type Family = (&'static str, fn(&mut Source), bool);

/// All of them.
pub const FAMILIES: &[Family] = &[
    ("div_asm_zero", |src| _ = black_box(parts::div(100, 0, byte(src))), false),
    ("div_asm_overflow", |src| _ = black_box(parts::div(0, byte(src), 7)), false),
    ("div_asm_bytes", |src| _ = black_box(parts::div_bytes(byte(src) << 5, 20)), false),
    ("div_asm_wide", |src| _ = black_box(parts::div_wide(5, u64::from(byte(src)), 9)), false),
    ("idiv_asm_zero", |src| _ = black_box(parts::idiv(-100, byte(src) as i32 - 3)), false),
    ("idiv_asm_overflow", |src| _ = black_box(parts::idiv(i32::MIN, byte(src) as i32 - 9)), false),
    ("div_unchecked", div_unchecked, false),
    ("div_safe", |src| assert!(parts::div(100, 0, byte(src) + 1) <= 100), true),
    ("file", file, false),
    ("file_far", file_far, false),
    ("file_concrete", file_concrete, true),
    ("buf_writer", buf_writer, false),
    ("pipe", pipe, false),
    ("mapped_file", mapped_file, false),
    ("mapped_twice", mapped_twice, false),
    ("mapped_alone", mapped_alone, true),
    ("system_call", system_call, false),
    ("quick_sort", quick_sort, false),
    ("binary_search", binary_search, false),
    ("number_to_text", number_to_text, false),
    ("text_to_number", text_to_number, false),
    ("compared", |src| assert!(parts::compare(&[byte(src) as u8, 1], &[100, 1]) != 42), false),
    ("try_reserve", try_reserve, false),
    ("try_reserve_quarter", try_reserve_quarter, false),
    ("try_reserve_little", try_reserve_little, true),
    ("malloc", |src| assert!(parts::allocates(u64::from(byte(src)) << 42)), false),
    ("calloc", |src| assert!(parts::allocates_many(u64::from(byte(src)), 1 << 42)), false),
    ("realloc", |src| assert!(parts::grows(u64::from(byte(src)) << 43)), false),
    ("aligned", |src| assert!(parts::allocates_aligned(u64::from(byte(src)) << 42)), false),
    ("once", once, false),
    ("program_headers", program_headers, false),
    ("signal_handler", signal_handler, false),
    ("generated_code", generated_code, false),
    ("asked_in_callback", asked_in_callback, false),
    ("saved_registers", |src| assert!(parts::through_fxsave(byte(src)) != 77), false),
    ("gathered", gathered, false),
    ("float_function", |src| assert!(black_box(f64::from(byte(src))).sin() < 0.999), false),
    ("caught", caught, true),
    ("sorted_sign", |src| _ = black_box(parts::compare(&[src.draw(0..=31), 1], &[9, 1]) < 0), true),
    ("clock_of_the_processor", clock_of_the_processor, false),
    ("deep_table", deep_table, false),
];

fn byte(src: &mut Source) -> u32 {
    src.draw(0..=255_u32)
}

fn div_unchecked(src: &mut Source) {
    #[inline(never)]
    unsafe fn divide(a: u32, b: u32) -> u32 {
        // SAFETY: the caller says so, and it is not true.
        unsafe { std::hint::assert_unchecked(b != 0) };
        a / b
    }
    let b = byte(src);
    // SAFETY: there is none, on purpose.
    black_box(unsafe { divide(black_box(1000), black_box(b)) });
}

fn file(src: &mut Source) {
    let x = byte(src) as u8;
    assert!(parts::through_file(&[x]) != [77]);
}

fn file_far(src: &mut Source) {
    let mut data = vec![0; 1000];
    data[700] = byte(src) as u8;
    assert!(parts::through_file(&data)[700] != 77);
}

fn file_concrete(src: &mut Source) {
    let x = src.draw(0..=31_u8);
    let back = parts::through_file(if x < 7 { b"low" } else { b"high" });
    assert_eq!(back.len(), if x < 7 { 3 } else { 4 });
}

fn buf_writer(src: &mut Source) {
    let x = byte(src) as u8;
    let mut file = parts::memory_file();
    let mut writer = BufWriter::new(file.try_clone().expect("there are files"));
    for n in 0..600_u32 {
        writer.write_all(&[if n == 500 { x } else { n as u8 & 1 }]).expect("there is room");
    }
    drop(writer);
    file.seek(SeekFrom::Start(500)).expect("it is long enough");
    let mut back = [0];
    file.read_exact(&mut back).expect("it is long enough");
    assert!(back[0] != 77);
}

fn pipe(src: &mut Source) {
    let x = byte(src) as u8;
    let mut data = [1; 400];
    data[399] = x;
    assert!(parts::through_pipe(&data)[399] != 77);
}

fn mapped_file(src: &mut Source) {
    let x = byte(src) as u8;
    let mut file = parts::memory_file();
    file.write_all(&[0; 4096]).expect("there is room");
    let map = parts::Map::of(&file);
    map.put(300, x);
    file.seek(SeekFrom::Start(300)).expect("it is long enough");
    let mut back = [0];
    file.read_exact(&mut back).expect("it is long enough");
    assert!(back[0] != 77);
}

fn mapped_twice(src: &mut Source) {
    let mut file = parts::memory_file();
    file.write_all(&[0; 4096]).expect("there is room");
    let (one, two) = (parts::Map::of(&file), parts::Map::of(&file));
    one.put(5, byte(src) as u8);
    assert!(two.get(5) != 77);
}

fn mapped_alone(src: &mut Source) {
    let map = parts::Map::anonymous();
    map.put(5, src.draw(0..=31_u8));
    assert!(map.get(5) < 32);
}

fn system_call(src: &mut Source) {
    let mut data = [0; 500];
    data[450] = byte(src) as u8;
    assert!(parts::through_system_calls(&data)[450] != 77);
}

fn quick_sort(src: &mut Source) {
    let mut data = [5_u32; 100];
    data[80] = byte(src);
    parts::sort(&mut data);
    assert!(data[99] != 77);
}

fn binary_search(src: &mut Source) {
    let data: [u32; 100] = std::array::from_fn(|it| 2 * it as u32);
    assert!(!parts::contains(&data, byte(src) + 4));
}

fn number_to_text(src: &mut Source) {
    assert!(parts::printed(byte(src)) != b"77");
}

fn text_to_number(src: &mut Source) {
    let x = src.draw(b'0'..=b'9');
    assert!(parts::parsed(&[x, b'7', 0]) != 77);
}

fn try_reserve(src: &mut Source) {
    let n = u64::from(byte(src)) << 40;
    assert!(Vec::<u8>::new().try_reserve_exact(n as usize).is_ok());
}

fn try_reserve_quarter(src: &mut Source) {
    let n: u64 = src.any();
    assert!(Vec::<u8>::new().try_reserve_exact((n >> 2) as usize).is_ok());
}

fn try_reserve_little(src: &mut Source) {
    let n = byte(src);
    assert!(Vec::<u8>::new().try_reserve_exact(n as usize).is_ok());
}

static SEEN: AtomicU32 = AtomicU32::new(0);
static LEFT: AtomicU32 = AtomicU32::new(0);

extern "C" fn look() {
    LEFT.store(SEEN.load(Ordering::Relaxed) ^ 1, Ordering::Relaxed);
}

fn once(src: &mut Source) {
    SEEN.store(byte(src), Ordering::Relaxed);
    parts::call_once(look);
    assert!(LEFT.load(Ordering::Relaxed) != 77);
}

fn program_headers(src: &mut Source) {
    extern "C" fn visit(_: *mut libc::dl_phdr_info, _: usize, data: *mut c_void) -> c_int {
        // SAFETY: a number is passed.
        unsafe { *data.cast::<u32>() ^= 1 };
        1
    }
    let mut x = byte(src);
    // SAFETY: the callback gets the number.
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut x).cast()) };
    assert!(x != 77);
}

fn signal_handler(src: &mut Source) {
    extern "C" fn handle(_: c_int) {
        look();
    }
    SEEN.store(byte(src), Ordering::Relaxed);
    // SAFETY: the handler does nothing but store.
    unsafe {
        libc::signal(libc::SIGUSR1, handle as *const () as usize);
        libc::raise(libc::SIGUSR1);
        libc::signal(libc::SIGUSR1, libc::SIG_DFL);
    }
    assert!(LEFT.load(Ordering::Relaxed) != 77);
}

fn generated_code(src: &mut Source) {
    // lea eax, [rdi + 1]; ret
    let code = parts::Map::code(&[0x8d, 0x47, 0x01, 0xc3]);
    // SAFETY: that is what it is.
    let f: extern "C" fn(u32) -> u32 = unsafe { std::mem::transmute(code.at()) };
    assert!(f(byte(src)) != 78);
}

fn asked_in_callback(src: &mut Source) {
    extern "C" fn visit(_: *mut libc::dl_phdr_info, _: usize, data: *mut c_void) -> c_int {
        // SAFETY: a source is passed.
        let src = unsafe { &mut *data.cast::<Source>() };
        SEEN.store(src.draw(0..=255_u32), Ordering::Relaxed);
        1
    }
    // SAFETY: the callback gets the source, which nobody else has meanwhile.
    unsafe { libc::dl_iterate_phdr(Some(visit), ptr::from_mut(src).cast()) };
    assert!(SEEN.load(Ordering::Relaxed) != 77);
}

fn gathered(src: &mut Source) {
    if !std::arch::is_x86_feature_detected!("avx2") {
        assert!(byte(src) != 77);
        return;
    }
    let data = [0_u32, 0, 0, 0, 0, byte(src), 0, 0];
    let out: u32;
    // SAFETY: the processor has it, and the addresses are those of `data`.
    unsafe {
        asm!(
            "vpcmpeqd ymm2, ymm2, ymm2",
            "vmovd xmm1, {at:e}",
            "vpbroadcastd ymm1, xmm1",
            "vpgatherdd ymm0, [{data} + ymm1 * 4], ymm2",
            "vmovd {out:e}, xmm0",
            "vzeroupper",
            at = in(reg) black_box(5_u32), data = in(reg) data.as_ptr(), out = out(reg) out,
            out("ymm0") _, out("ymm1") _, out("ymm2") _,
        );
    }
    assert!(out != 77);
}

fn caught(src: &mut Source) {
    let x = src.draw(0..=31_u32);
    let caught = std::panic::catch_unwind(|| assert!(x != 7));
    assert_eq!(caught.is_err(), x == 7);
}

fn clock_of_the_processor(src: &mut Source) {
    // SAFETY: every processor has it.
    let now = unsafe { std::arch::x86_64::_rdtsc() };
    // In time, some input fails.
    assert!(byte(src) != now as u32 & 255 || now & 0xf00 != 0);
    assert!(byte(src) != 77 || now == 0);
}

fn deep_table(src: &mut Source) {
    // What lies behind an allocation is not what would lie in it were it larger.
    let n = src.draw(1..=9_usize);
    let small = vec![0_u8; n];
    let other = black_box(vec![7_u8; 64]);
    let at = src.draw(0..=8_usize);
    if at < small.len() && small[at] == 0 {
        assert!(at != 5);
    }
    drop(other);
}

pub mod parts;
