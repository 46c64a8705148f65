//! Functions that stand for those of the C library: the machine interprets them where a text or a character depends on
//! choices, so that every byte that is looked at is a step.
//!
//! They say what those of glibc say in the locale `C`. Nothing here can panic, and loops are plain: often nothing is
//! optimized.

use std::ffi::CStr;

/// The address of a function with up to three arguments in general registers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StandIn(extern "C" fn(u64, u64, u64) -> u64);

impl StandIn {
    /// Where the machine goes on in its place, if it may: in other locales, letters are others.
    pub(crate) fn address(self) -> Option<u64> {
        // SAFETY: without a new one it returns the name of the locale, a text that lasts until the next call that sets one.
        let locale = unsafe { libc::setlocale(libc::LC_ALL, std::ptr::null()) };
        // SAFETY: as above.
        let is_plain = !locale.is_null() && unsafe { CStr::from_ptr(locale) } == c"C";
        is_plain.then_some(self.0 as usize as u64)
    }
}

impl PartialEq for StandIn {
    fn eq(&self, other: &Self) -> bool {
        self.0 as usize == other.0 as usize
    }
}

impl Eq for StandIn {}

/// Defines functions as the C library has them, and their addresses. Those who call them pass what the C library wants.
macro_rules! stand_ins {
    ($($name:ident = |$a:pat_param, $b:pat_param, $c:pat_param| $body:expr;)*) => {$(
        pub(crate) const $name: StandIn = {
            extern "C" fn function($a: u64, $b: u64, $c: u64) -> u64 {
                $body
            }
            StandIn(function)
        };
    )*};
}

stand_ins! {
    STRCMP = |a, b, _| compare(a, b, u64::MAX, false);
    STRNCMP = |a, b, n| compare(a, b, n, false);
    STRCASECMP = |a, b, _| compare(a, b, u64::MAX, true);
    STRNCASECMP = |a, b, n| compare(a, b, n, true);
    STRNLEN = |a, most, _| length(a, most);
    STRCHR = |a, it, _| find(a, it as u8, false);
    STRRCHR = |a, it, _| find(a, it as u8, true);
    STRSTR = |a, b, _| find_text(a, b);
    STRTOL = |a, end, base| number(a, end, base as u32, true, false);
    STRTOUL = |a, end, base| number(a, end, base as u32, false, false);
    C23_STRTOL = |a, end, base| number(a, end, base as u32, true, true);
    C23_STRTOUL = |a, end, base| number(a, end, base as u32, false, true);
    ATOI = |a, _, _| number(a, 0, 10, true, false) as i32 as u64;
    ATOL = |a, _, _| number(a, 0, 10, true, false);
    TOUPPER = |it, _, _| if is_in(it, b'a', b'z') { it as u32 as u64 - 32 } else { it };
    TOLOWER = |it, _, _| if is_in(it, b'A', b'Z') { it as u32 as u64 + 32 } else { it };
    ISALPHA = |it, _, _| u64::from(is_letter(it));
    ISDIGIT = |it, _, _| u64::from(is_in(it, b'0', b'9'));
    ISALNUM = |it, _, _| u64::from(is_in(it, b'0', b'9') || is_letter(it));
    ISSPACE = |it, _, _| u64::from(is_space(it));
    ISUPPER = |it, _, _| u64::from(is_in(it, b'A', b'Z'));
    ISLOWER = |it, _, _| u64::from(is_in(it, b'a', b'z'));
    ISXDIGIT = |it, _, _| u64::from(is_in(it, b'0', b'9') || is_in(it, b'A', b'F') || is_in(it, b'a', b'f'));
    ISPUNCT = |it, _, _| u64::from(is_in(it, b'!', b'~') && !is_in(it, b'0', b'9') && !is_letter(it));
    ISPRINT = |it, _, _| u64::from(is_in(it, b' ', b'~'));
    ISGRAPH = |it, _, _| u64::from(is_in(it, b'!', b'~'));
    ISCNTRL = |it, _, _| u64::from(is_in(it, 0, 31) || is_in(it, 127, 127));
    ISBLANK = |it, _, _| u64::from(is_in(it, b' ', b' ') || is_in(it, b'\t', b'\t'));
}

/// The byte at an address of the guest's.
fn byte(at: u64) -> u8 {
    // SAFETY: the guest passed a text to a function that reads it as far as it is read here.
    unsafe { (at as *const u8).read() }
}

/// Whether an `int` is a character in this range.
fn is_in(it: u64, first: u8, last: u8) -> bool {
    (it as u32).wrapping_sub(first as u32) <= last.wrapping_sub(first) as u32
}

fn is_letter(it: u64) -> bool {
    is_in(it, b'a', b'z') || is_in(it, b'A', b'Z')
}

fn is_space(it: u64) -> bool {
    is_in(it, b' ', b' ') || is_in(it, b'\t', b'\r')
}

fn lower(it: u8) -> u8 {
    if is_in(it as u64, b'A', b'Z') { it.wrapping_add(32) } else { it }
}

fn compare(a: u64, b: u64, most: u64, ignores_case: bool) -> u64 {
    let mut at = 0;
    while at < most {
        let (mut x, mut y) = (byte(a.wrapping_add(at)), byte(b.wrapping_add(at)));
        if ignores_case {
            (x, y) = (lower(x), lower(y));
        }
        if x != y {
            return (x as i32).wrapping_sub(y as i32) as u64;
        }
        if x == 0 {
            break;
        }
        at = at.wrapping_add(1);
    }
    0
}

fn length(a: u64, most: u64) -> u64 {
    let mut at = 0;
    while at < most && byte(a.wrapping_add(at)) != 0 {
        at = at.wrapping_add(1);
    }
    at
}

/// Where the first such character is, or the last.
fn find(a: u64, it: u8, is_last: bool) -> u64 {
    let (mut at, mut res) = (a, 0);
    loop {
        let x = byte(at);
        if x == it {
            res = at;
            if !is_last {
                return res;
            }
        }
        if x == 0 {
            return res;
        }
        at = at.wrapping_add(1);
    }
}

fn find_text(a: u64, text: u64) -> u64 {
    let mut at = a;
    loop {
        let mut n = 0;
        while byte(text.wrapping_add(n)) != 0 && byte(at.wrapping_add(n)) == byte(text.wrapping_add(n)) {
            n = n.wrapping_add(1);
        }
        if byte(text.wrapping_add(n)) == 0 {
            return at;
        }
        if byte(at) == 0 {
            return 0;
        }
        at = at.wrapping_add(1);
    }
}

/// `strtol` and its kin: where the number ends is stored at `end`, unless that is zero.
fn number(text: u64, end: u64, base: u32, is_signed: bool, has_binary: bool) -> u64 {
    if base == 1 || base > 36 {
        fail(libc::EINVAL);
        return 0;
    }
    let mut at = text;
    while is_space(byte(at) as u64) {
        at = at.wrapping_add(1);
    }
    let is_negative = byte(at) == b'-';
    if is_negative || byte(at) == b'+' {
        at = at.wrapping_add(1);
    }
    let mut base = base;
    let mut prefix = 0;
    if byte(at) == b'0' && (base == 0 || base == 16 || (has_binary && base == 2)) {
        let mark = lower(byte(at.wrapping_add(1)));
        if mark == b'x' && base != 2 {
            (base, prefix) = (16, 2);
        } else if mark == b'b' && has_binary && base != 16 {
            (base, prefix) = (2, 2);
        } else if base == 0 {
            base = 8;
        }
    } else if base == 0 {
        base = 10;
    }
    let first = at.wrapping_add(prefix);
    let (value, last, is_over) = digits(first, base as u64);
    let stop = match (last == first, prefix) {
        (false, _) => last,
        // Of a prefix without digits, the zero is a number.
        (true, 2) => at.wrapping_add(1),
        (true, _) => text,
    };
    if end != 0 {
        // SAFETY: the guest passed a place for an address, or null.
        unsafe { (end as *mut u64).write_unaligned(stop) };
    }
    let limit = if is_negative { 1_u64 << 63 } else { (1_u64 << 63) - 1 };
    if is_over || (is_signed && value > limit) {
        fail(libc::ERANGE);
        return if is_signed { limit } else { u64::MAX };
    }
    if is_negative { value.wrapping_neg() } else { value }
}

/// The number that begins here, where it ends, and whether it is too large.
fn digits(first: u64, base: u64) -> (u64, u64, bool) {
    let (mut at, mut value, mut is_over) = (first, 0_u64, false);
    loop {
        let it = lower(byte(at));
        let digit = if is_in(it as u64, b'0', b'9') {
            it.wrapping_sub(b'0')
        } else if is_in(it as u64, b'a', b'z') {
            it.wrapping_sub(b'a' - 10)
        } else {
            255
        };
        if digit as u64 >= base {
            return (value, at, is_over);
        }
        let (times, over) = value.overflowing_mul(base);
        let (sum, over_too) = times.overflowing_add(digit as u64);
        is_over = is_over || over || over_too;
        value = sum;
        at = at.wrapping_add(1);
    }
}

fn fail(code: i32) {
    // SAFETY: it is the address of the thread's own number.
    unsafe { *libc::__errno_location() = code };
}

#[cfg(test)]
mod tests {
    use std::ffi::CString;

    use probity_testkit::Stream;

    use super::*;

    unsafe extern "C" {
        fn toupper(it: i32) -> i32;
        fn tolower(it: i32) -> i32;
    }

    fn call(it: StandIn, a: u64, b: u64, c: u64) -> u64 {
        let at = it.address().expect("tests run in the locale C");
        assert_eq!(at, it.0 as usize as u64);
        (it.0)(a, b, c)
    }

    #[test]
    fn characters_are_as_the_c_library_has_them() {
        // SAFETY: these take any character, and the end of a file.
        let rows: [(StandIn, &dyn Fn(i32) -> i32); 14] = unsafe {
            [
                (TOUPPER, &|it| toupper(it)),
                (TOLOWER, &|it| tolower(it)),
                (ISALPHA, &|it| libc::isalpha(it)),
                (ISDIGIT, &|it| libc::isdigit(it)),
                (ISALNUM, &|it| libc::isalnum(it)),
                (ISSPACE, &|it| libc::isspace(it)),
                (ISUPPER, &|it| libc::isupper(it)),
                (ISLOWER, &|it| libc::islower(it)),
                (ISXDIGIT, &|it| libc::isxdigit(it)),
                (ISPUNCT, &|it| libc::ispunct(it)),
                (ISPRINT, &|it| libc::isprint(it)),
                (ISGRAPH, &|it| libc::isgraph(it)),
                (ISCNTRL, &|it| libc::iscntrl(it)),
                (ISBLANK, &|it| libc::isblank(it)),
            ]
        };
        for (n, (ours, theirs)) in rows.into_iter().enumerate() {
            for it in -1..256 {
                let (is, wanted) = (call(ours, it as u64, 0, 0) as i32, theirs(it));
                let is_same = if n < 2 { is == wanted } else { (is != 0) == (wanted != 0) };
                assert!(is_same, "function {n} of {it}: {is} {wanted}");
            }
        }
    }

    #[test]
    fn texts_are_compared_and_searched_as_the_c_library_does() {
        let mut random = Stream::new(7);
        let mut text = || {
            let len = random.next().unwrap() % 6;
            let bytes =
                (0..len).map(|_| b"abAB\xe9"[random.next().unwrap() as usize % 5]).collect::<Vec<u8>>();
            CString::new(bytes).unwrap()
        };
        for n in 0..3000_u64 {
            let (x, y, most) = (text(), text(), n % 7);
            let (a, b) = (x.as_ptr(), y.as_ptr());
            let [at, other] = [a as u64, b as u64];
            let compared = |it: StandIn| call(it, at, other, most) as i32;
            // SAFETY: both are texts that end with a zero.
            unsafe {
                assert_eq!(compared(STRCMP), libc::strcmp(a, b), "{x:?} {y:?}");
                assert_eq!(compared(STRNCMP), libc::strncmp(a, b, most as usize), "{x:?} {y:?} {most}");
                assert_eq!(compared(STRCASECMP), libc::strcasecmp(a, b), "{x:?} {y:?}");
                let wanted = libc::strncasecmp(a, b, most as usize);
                assert_eq!(compared(STRNCASECMP), wanted, "{x:?} {y:?} {most}");
                assert_eq!(call(STRNLEN, at, most, 0), libc::strnlen(a, most as usize) as u64);
                for it in [0, b'a', b'B', b'z'] {
                    assert_eq!(call(STRCHR, at, it.into(), 0), libc::strchr(a, it.into()) as u64);
                    assert_eq!(call(STRRCHR, at, it.into(), 0), libc::strrchr(a, it.into()) as u64);
                }
                assert_eq!(call(STRSTR, at, other, 0), libc::strstr(a, b) as u64, "{x:?} {y:?}");
            }
        }
    }

    #[test]
    fn newer_c_has_binary_numbers() {
        // The text, its base, the number and how many bytes of the text it is.
        let rows = [
            (c"0b101", 0, 5, 5),
            (c"-0B11", 2, -3, 5),
            (c"0b", 0, 0, 1),
            (c"0b2", 2, 0, 1),
            (c"0b1", 16, 0xb1, 3),
            (c"0x1f", 0, 31, 4),
            (c"0x1", 2, 0, 1),
            (c"077", 0, 63, 3),
            (c"b1", 2, 0, 0),
        ];
        for (text, base, number, len) in rows {
            let mut end = 0_u64;
            let is = call(C23_STRTOL, text.as_ptr() as u64, &raw mut end as u64, base) as i64;
            assert_eq!((is, end - text.as_ptr() as u64), (number, len), "{text:?} {base}");
            let is = call(C23_STRTOUL, text.as_ptr() as u64, 0, base) as i64;
            assert_eq!(is, number, "{text:?} {base}");
        }
    }

    #[test]
    fn numbers_are_read_as_the_c_library_reads_them() {
        let mut random = Stream::new(11);
        let mut texts: Vec<String> = [
            "",
            "0",
            "0x",
            "0xg",
            "-0x1f",
            "0b",
            "0b2",
            "-0b101",
            "077",
            "08",
            "+",
            "- 1",
            " \t\n\x0b\x0c\r12",
            "9223372036854775807",
            "9223372036854775808",
            "-9223372036854775808",
            "-9223372036854775809",
            "18446744073709551615",
            "18446744073709551616",
            "-18446744073709551615",
            "99999999999999999999",
        ]
        .map(String::from)
        .to_vec();
        for _ in 0..3000 {
            let len = random.next().unwrap() % 8;
            let alphabet = b" +-0012789abfxXzB";
            let pick = |it: u64| char::from(alphabet[it as usize % alphabet.len()]);
            texts.push((0..len).map(|_| pick(random.next().unwrap())).collect());
        }
        for text in texts {
            let x = CString::new(text.clone()).unwrap();
            for base in [0, 2, 8, 10, 16, 36, 1, 37, -1] {
                type Read<'a> = &'a dyn Fn(*mut *mut i8) -> u64;
                // SAFETY: the text ends with a zero, and the place for its end is there.
                let rows: [(StandIn, Read<'_>); 2] = unsafe {
                    [
                        (STRTOL, &|end| libc::strtol(x.as_ptr(), end, base) as u64),
                        (STRTOUL, &|end| libc::strtoul(x.as_ptr(), end, base)),
                    ]
                };
                for (n, (ours, theirs)) in rows.into_iter().enumerate() {
                    let mut ends = [x.as_ptr() as u64; 2];
                    let errno = |value| {
                        // SAFETY: it is the address of the thread's own number.
                        unsafe { std::mem::replace(&mut *libc::__errno_location(), value) }
                    };
                    errno(0);
                    let is = call(ours, x.as_ptr() as u64, &raw mut ends[0] as u64, base as u64);
                    let is = (is, errno(0));
                    let wanted = (theirs((&raw mut ends[1]).cast()), errno(0));
                    assert_eq!((is, ends[0]), (wanted, ends[1]), "function {n} of {text:?}, base {base}");
                }
            }
            // SAFETY: the text ends with a zero.
            let wanted = unsafe { (libc::atoi(x.as_ptr()), libc::atol(x.as_ptr())) };
            let at = x.as_ptr() as u64;
            assert_eq!((call(ATOI, at, 0, 0) as i32, call(ATOL, at, 0, 0) as i64), wanted, "{text:?}");
        }
    }
}
