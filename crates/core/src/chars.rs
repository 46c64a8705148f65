//! An order of characters in which readable ones come first.
//!
//! `a`–`z`, `A`–`Z`, `0`–`9`, space, the rest of printable ASCII, ASCII control characters, then
//! everything else by code point, but for Latin-1, where `À`–`ÿ` come first.

/// Where each ASCII character stands among the 128.
const ASCII_RANK: [u8; 128] = ascii_ranks().0;
/// The ASCII character at each rank.
const ASCII_AT: [u8; 128] = ascii_ranks().1;

const fn ascii_ranks() -> ([u8; 128], [u8; 128]) {
    let (mut ranks, mut at) = ([0; 128], [0; 128]);
    let mut next = 0;
    let mut class = 0;
    while class < 6 {
        let mut c = 0u8;
        while c < 128 {
            if ascii_class(c) == class {
                ranks[c as usize] = next;
                at[next as usize] = c;
                next += 1;
            }
            c += 1;
        }
        class += 1;
    }
    (ranks, at)
}

const fn ascii_class(c: u8) -> u8 {
    match c {
        b'a'..=b'z' => 0,
        b'A'..=b'Z' => 1,
        b'0'..=b'9' => 2,
        b' ' => 3,
        b'!'..=b'~' => 4,
        _ => 5,
    }
}

const SURROGATES: u32 = 0x800;

/// How many characters come before code point `c`, surrogates not counted.
fn position(c: char) -> u32 {
    let code = c as u32;
    if code < 0xd800 { code } else { code - SURROGATES }
}

fn at_position(position: u32) -> Option<char> {
    char::from_u32(if position < 0xd800 { position } else { position + SURROGATES })
}

/// The block after ASCII, Latin-1: its letters come first, its control characters last.
const LATIN: std::ops::RangeInclusive<char> = '\u{80}'..='\u{ff}';
const LATIN_LETTERS: u32 = 0xc0;

/// Moves the letters of Latin-1 to the front of their block, or back, where the whole block is permitted.
fn rotate_latin(it: char, by: u32, min: char, max: char) -> char {
    if LATIN.contains(&it) && min <= *LATIN.start() && *LATIN.end() <= max {
        let (start, len) = (*LATIN.start() as u32, LATIN.count() as u32);
        return char::from_u32(start + (it as u32 - start + by) % len).unwrap_or(it);
    }
    it
}

/// The place of `it` among the characters of `min..=max`, simplest first.
pub(crate) fn rank(it: char, min: char, max: char) -> u32 {
    if it.is_ascii() {
        let it = ASCII_RANK[it as usize];
        if min == '\0' && !max.is_ascii() {
            return u32::from(it);
        }
        return ASCII_AT[..it as usize].iter().filter(|&&c| (min..=max).contains(&char::from(c))).count()
            as u32;
    }
    position(rotate_latin(it, 0x100 - LATIN_LETTERS, min, max)) - position(min)
}

/// The inverse of [`rank`].
pub(crate) fn at(rank: u32, min: char, max: char) -> Option<char> {
    let ascii = (min as u32..128.min(max as u32 + 1)).len() as u32;
    if rank < ascii {
        let members = ASCII_AT.iter().map(|&c| char::from(c)).filter(|c| (min..=max).contains(c));
        return members.into_iter().nth(rank as usize);
    }
    let it = at_position(position(min) + rank).filter(|it| *it <= max)?;
    Some(rotate_latin(it, LATIN_LETTERS - 0x80, min, max))
}

/// One less than the number of characters in `min..=max`.
pub(crate) fn last_rank(min: char, max: char) -> u32 {
    position(max) - position(min)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rank_and_at_are_inverse() {
        for (min, max) in
            [('\0', char::MAX), ('a', 'z'), ('Y', 'c'), ('x', 'é'), ('α', 'ω'), ('\u{d7f0}', '\u{e010}')]
        {
            let last = last_rank(min, max);
            for rank in (0..=last.min(300)).chain([last / 2, last]) {
                let it = at(rank, min, max).unwrap();
                assert!((min..=max).contains(&it));
                assert_eq!(super::rank(it, min, max), rank, "{it:?} in {min:?}..={max:?}");
            }
            assert_eq!(at(last + 1, min, max), None);
        }
    }

    #[test]
    fn letters_first() {
        assert_eq!(at(0, '\0', char::MAX), Some('a'));
        assert_eq!(at(0, '0', 'Z'), Some('A'));
    }
}
