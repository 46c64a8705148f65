//! Draws: what the headers call to get a value.

use std::cell::Cell;
use std::ffi::{c_char, c_int, c_uint, c_void};
use std::slice;

use probity_core::{PumpOrder, Source, context, pump, pump_max, pump_min_max};

use crate::case::{ask, hold, is_running};
use crate::input::DrawSite;
use crate::text;
use crate::{saved, take_over};

/// The longest text or list that is drawn.
const ITEMS_MAX: usize = 1 << 16;

thread_local! {
    /// Whether compared numbers are compared byte by byte, for engines that see which code runs.
    static LADDER: Cell<bool> = const { Cell::new(false) };
}

pub(crate) fn begin_case(source: &mut Source) {
    LADDER.set(source.is_recorded());
}

/// Whether who answers learns from comparisons byte by byte.
///
/// ```
/// assert_eq!(probity_c::probity_compares_bytes(), 0, "no case is running");
/// ```
#[unsafe(no_mangle)]
pub extern "C-unwind" fn probity_compares_bytes() -> c_int {
    LADDER.get().into()
}

/// Draws one input, which `show` renders.
#[inline]
fn input<T>(at: DrawSite, draw: impl FnOnce(&mut Source) -> T, show: impl FnOnce(&T) -> String) -> T {
    if take_over::is_on() {
        return take_over::input(at, draw, show);
    }
    ask(|source| {
        source.open_input();
        let it = draw(source);
        source.close_input(|| (at.name(), show(&it)));
        it
    })
}

/// Draws a number of `min..=max`, of a type of `size` bytes.
///
/// Draws are for a running case. `file` and `line` say where the draw is, and end up in reports; `file` may be null.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn probity_int64(
    min: i64,
    max: i64,
    size: c_uint,
    file: *const c_char,
    line: c_uint,
) -> i64 {
    let (min, max) = (min.min(max), max.max(min));
    input(DrawSite { file, line }, |src| signed(src, min, max, size), |it| it.to_string())
}

#[inline]
fn signed(src: &mut Source, min: i64, max: i64, size: c_uint) -> i64 {
    saved::propose(size, min.into(), max.into());
    let it = src.int(min, max);
    saved::add(size, it as u64);
    it
}

#[inline]
fn unsigned(src: &mut Source, min: u64, max: u64, size: c_uint) -> u64 {
    saved::propose(size, min.into(), max.into());
    let it = src.int(min, max);
    saved::add(size, it);
    it
}

/// Picks one of `n`, which takes four bytes in a file.
fn pick(src: &mut Source, n: usize) -> usize {
    saved::propose(4, 0, n as i128 - 1);
    let it = src.pick(n);
    saved::add(4, it as u64);
    it
}

/// Draws a number of `min..=max`. See [`probity_int64`].
#[unsafe(no_mangle)]
pub extern "C-unwind" fn probity_uint64(
    min: u64,
    max: u64,
    size: c_uint,
    file: *const c_char,
    line: c_uint,
) -> u64 {
    let (min, max) = (min.min(max), max.max(min));
    input(DrawSite { file, line }, |src| unsigned(src, min, max, size), |it| it.to_string())
}

/// Draws a number of `min..=max`, which is shown as a character. See [`probity_int64`].
#[unsafe(no_mangle)]
pub extern "C-unwind" fn probity_character(
    min: c_int,
    max: c_int,
    file: *const c_char,
    line: c_uint,
) -> c_int {
    let show = |it: &i64| format!("{} ({it})", text::character(*it as u8));
    let (min, max) = (i64::from(min), i64::from(max));
    let (min, max) = (min.min(max), max.max(min));
    input(DrawSite { file, line }, |src| signed(src, min, max, 1), show) as c_int
}

/// Draws 0 or 1. See [`probity_int64`].
#[unsafe(no_mangle)]
pub extern "C-unwind" fn probity_bool(file: *const c_char, line: c_uint) -> c_int {
    let draw = |src: &mut Source| {
        saved::propose(1, 0, 1);
        let it = src.bool();
        saved::add(1, it.into());
        it
    };
    input(DrawSite { file, line }, draw, |it| it.to_string()).into()
}

/// Draws a number of `min..=max`, and one that is none where `nan` is not 0. See [`probity_int64`].
#[unsafe(no_mangle)]
pub extern "C-unwind" fn probity_double(
    min: f64,
    max: f64,
    nan: c_int,
    file: *const c_char,
    line: c_uint,
) -> f64 {
    let (low, high) = ordered(min, max);
    let draw = |src: &mut Source| {
        saved::propose_float(8);
        let it = src.f64(low, high, nan != 0);
        saved::add(8, it.to_bits());
        it
    };
    input(DrawSite { file, line }, draw, |it| format!("{it:?}"))
}

/// Draws a number of `min..=max`, and one that is none where `nan` is not 0. See [`probity_int64`].
#[unsafe(no_mangle)]
pub extern "C-unwind" fn probity_float(
    min: f32,
    max: f32,
    nan: c_int,
    file: *const c_char,
    line: c_uint,
) -> f32 {
    let (low, high) = ordered(min.into(), max.into());
    let (low, high) = (low as f32, high as f32);
    let draw = |src: &mut Source| {
        saved::propose_float(4);
        let it = src.f32(low, high, nan != 0);
        saved::add(4, it.to_bits().into());
        it
    };
    input(DrawSite { file, line }, draw, |it| format!("{it:?}"))
}

/// Two bounds in their order.
fn ordered(a: f64, b: f64) -> (f64, f64) {
    if a.total_cmp(&b).is_le() { (a, b) } else { (b, a) }
}

/// Draws one of `n` by its number. See [`probity_int64`].
#[unsafe(no_mangle)]
pub extern "C-unwind" fn probity_pick(n: usize, file: *const c_char, line: c_uint) -> usize {
    input(DrawSite { file, line }, |src| pick(src, n), |it| format!("number {it}"))
}

/// Fills `n` bytes at `to`, each from `least` on. See [`probity_int64`].
///
/// # Safety
///
/// `to` has room for `n` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn probity_bytes(
    to: *mut c_void,
    n: usize,
    least: c_uint,
    file: *const c_char,
    line: c_uint,
) {
    let to = to.cast::<u8>();
    let least = least.min(255) as u8;
    let fill = |src: &mut Source| {
        for at in 0..n {
            let it = unsigned(src, least.into(), 255, 1);
            // SAFETY: there is room for `n`.
            unsafe { to.add(at).write(it as u8) };
        }
    };
    // SAFETY: all of them were written.
    input(DrawSite { file, line }, fill, |()| text::literal(unsafe { slice::from_raw_parts(to, n) }));
}

/// Fills `to` with `n` characters and a zero: of those in `allowed`, or of all but zero where that is null. See
/// [`probity_int64`].
///
/// # Safety
///
/// `to` has room for `n + 1` characters, and `allowed` is null or ends with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn probity_text(
    to: *mut c_char,
    n: usize,
    allowed: *const c_char,
    file: *const c_char,
    line: c_uint,
) {
    let to = to.cast::<u8>();
    // SAFETY: as the caller promises.
    let fill = |src: &mut Source| unsafe {
        for at in 0..n {
            to.add(at).write(character(src, allowed));
        }
        to.add(n).write(0);
    };
    // SAFETY: all of them were written.
    input(DrawSite { file, line }, fill, |()| text::literal(unsafe { slice::from_raw_parts(to, n) }));
}

/// Draws a text of `min` to `max` characters, which is freed at the end of the case. See [`probity_text`].
///
/// # Safety
///
/// `allowed` is null or ends with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn probity_string(
    min: usize,
    max: usize,
    allowed: *const c_char,
    file: *const c_char,
    line: c_uint,
) -> *mut c_char {
    let max = max.min(ITEMS_MAX);
    let to = hold(max + 1).cast::<u8>();
    if to.is_null() {
        return to.cast();
    }
    let mut len = 0;
    let fill = |src: &mut Source| {
        let n = open_list(src, min, max, 4);
        for at in 0..n {
            src.open_item();
            // SAFETY: there is room for the longest text and its zero.
            unsafe { to.add(at).write(character(src, allowed)) };
            src.close_item();
            len = at + 1;
        }
        src.close_list();
        // SAFETY: as above.
        unsafe { to.add(len).write(0) };
        len
    };
    // SAFETY: as many were written.
    input(DrawSite { file, line }, fill, |&len| text::literal(unsafe { slice::from_raw_parts(to, len) }));
    to.cast()
}

/// A character of those that are allowed.
///
/// # Safety
///
/// `allowed` is null or ends with a zero.
unsafe fn character(src: &mut Source, allowed: *const c_char) -> u8 {
    if allowed.is_null() {
        return unsigned(src, 1, 255, 1) as u8;
    }
    // SAFETY: as the caller promises.
    let n = unsafe { libc::strlen(allowed) };
    let at = pick(src, n);
    // SAFETY: the pick is below the length.
    unsafe { allowed.add(at).read() as u8 }
}

/// Memory that is freed at the end of the case; not drawn.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn probity_alloc(size: usize) -> *mut c_void {
    hold(size)
}

/// Begins an input of several draws, which is shown as one. See [`probity_end_input`].
#[unsafe(no_mangle)]
pub extern "C-unwind" fn probity_begin_input() {
    ask(Source::open_input);
}

/// Ends the input that was begun last; `text` says how it reads, where [`probity_is_rendering`](crate::probity_is_rendering)
/// says that it is worth while, and may be null elsewhere.
///
/// # Safety
///
/// `text` is null or ends with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn probity_end_input(text: *const c_char, file: *const c_char, line: c_uint) {
    // SAFETY: as the caller promises.
    ask(|src| src.close_input(|| (DrawSite { file, line }.name(), unsafe { crate::case::text(text) })));
}

/// Begins a list and draws how many items it has.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn probity_begin_list(min: usize, max: usize) -> usize {
    let max = max.min(ITEMS_MAX);
    ask(|src| open_list(src, min, max, 8))
}

/// Begins a list, whose length takes `size` bytes in a file.
fn open_list(src: &mut Source, min: usize, max: usize, size: c_uint) -> usize {
    let (min, max) = (min.min(max), max);
    saved::propose(size, min as i128, max as i128);
    let it = src.open_list(min as u32, max as u32);
    saved::add(size, it.into());
    it as usize
}

/// Ends the list that was begun last.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn probity_end_list() {
    ask(Source::close_list);
}

/// Begins an item of a list.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn probity_begin_item() {
    ask(Source::open_item);
}

/// Ends an item of a list.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn probity_end_item() {
    ask(Source::close_item);
}

/// Gives `value` back. The concolic engine goes on with up to `max` values that it can have: the smallest (`order` 0), the
/// greatest (1) or both ends (2).
///
/// ```
/// assert_eq!(probity_c::probity_pump(7, 10, 0), 7);
/// ```
#[unsafe(no_mangle)]
pub extern "C-unwind" fn probity_pump(value: u64, max: c_uint, order: c_uint) -> u64 {
    let order = PumpOrder::from_code(order).unwrap_or(PumpOrder::Smallest);
    // One value is no loop to keep short.
    if max < 2 || !is_running() {
        return context::pump_point(value, max.max(1), order);
    }
    ask(|_| match order {
        PumpOrder::Smallest => pump(value, max),
        PumpOrder::Greatest => pump_max(value, max),
        PumpOrder::Ends => pump_min_max(value, max),
    })
}

/// Draws `min` to `max` bytes, which are freed at the end of the case; how many goes to `size`. See [`probity_int64`].
///
/// # Safety
///
/// `size` can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn probity_data(
    min: usize,
    max: usize,
    size: *mut usize,
    file: *const c_char,
    line: c_uint,
) -> *mut c_void {
    let max = max.min(ITEMS_MAX);
    let to = hold(max.max(1)).cast::<u8>();
    let mut len = 0;
    let fill = |src: &mut Source| {
        let n = open_list(src, min, max, 4);
        for at in 0..n {
            src.open_item();
            let it = unsigned(src, 0, 255, 1) as u8;
            // SAFETY: there is room for as many as can be drawn.
            unsafe { to.add(at).write(it) };
            src.close_item();
            len = at + 1;
        }
        src.close_list();
        len
    };
    // SAFETY: as many were written; `size` can be.
    unsafe {
        input(DrawSite { file, line }, fill, |&len| text::literal(slice::from_raw_parts(to, len)));
        size.write(len);
    }
    to.cast()
}

/// Draws a file of `min` to `max` bytes. Returns its path, which holds until the end of the case; null where no file can be
/// made. See [`probity_int64`].
///
/// # Safety
///
/// `file` ends with a zero, or is null.
#[cfg(target_os = "linux")]
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn probity_file(
    min: usize,
    max: usize,
    file: *const c_char,
    line: c_uint,
) -> *mut c_char {
    let mut size = 0;
    // SAFETY: `size` can be written to.
    let data = unsafe { probity_data(min, max, &mut size, file, line) };
    let path = made_file(data, size);
    let to = hold(path.len() + 1).cast::<u8>();
    // SAFETY: there is room for the path and its zero.
    unsafe {
        to.copy_from_nonoverlapping(path.as_ptr(), path.len());
        to.add(path.len()).write(0);
    }
    to.cast()
}

/// A file without a name, with these bytes: the same for every case of the process. Its path is empty where there is none.
#[cfg(target_os = "linux")]
fn made_file(data: *mut c_void, size: usize) -> String {
    thread_local! {
        static FILE: Cell<c_int> = const { Cell::new(-1) };
    }
    // SAFETY: calls on a descriptor of our own, and on bytes that were drawn.
    unsafe {
        if FILE.get() == -1 {
            FILE.set(libc::memfd_create(c"probity".as_ptr(), libc::MFD_CLOEXEC));
        }
        let file = FILE.get();
        let is_written = libc::ftruncate(file, 0) == 0 && libc::pwrite(file, data, size, 0) == size as isize;
        if is_written { format!("/proc/self/fd/{file}") } else { String::new() }
    }
}
