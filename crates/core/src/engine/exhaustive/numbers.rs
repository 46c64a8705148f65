//! Numbers in as few bytes as they need: seven bits a byte, and one that says whether more follow.

/// Appends a number.
#[inline]
pub(super) fn write(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Reads the number at `at`, and goes on behind it.
#[inline]
pub(super) fn read(bytes: &[u8], at: &mut usize) -> u64 {
    let first = bytes[*at];
    if first < 0x80 {
        *at += 1;
        return first.into();
    }
    let (mut number, mut shift) = (0, 0);
    loop {
        let byte = bytes[*at];
        *at += 1;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return number;
        }
        shift += 7;
    }
}
