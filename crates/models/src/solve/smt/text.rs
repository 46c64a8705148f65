//! Texts as SMT-LIB writes them: characters up to U+2FFFF, escapes in braces.

use std::fmt::Write;

/// The greatest character of SMT-LIB.
pub(super) const CHAR_MAX: char = '\u{2ffff}';
/// The pattern of the empty text.
pub(super) const RE_EMPTY: &str = "(str.to_re \"\")";
/// The pattern that nothing matches.
pub(super) const RE_NONE: &str = "re.none";

/// A text as a literal, or which character has none.
pub(super) fn write(text: &str) -> Result<String, String> {
    if let Some(c) = text.chars().find(|it| *it > CHAR_MAX) {
        return Err(format!("the character U+{:X}, which SMT-LIB does not have", c as u32));
    }
    let mut res = String::with_capacity(text.len() + 2);
    res.push('"');
    text.chars().for_each(|c| character(c, &mut res));
    res.push('"');
    Ok(res)
}

fn character(c: char, res: &mut String) {
    match c {
        '"' => res.push_str("\"\""),
        // A backslash might be read as the beginning of an escape.
        ' '..='~' if c != '\\' => res.push(c),
        _ => {
            let _ = write!(res, "\\u{{{:x}}}", u32::from(c));
        }
    }
}

/// The pattern for a range of characters.
pub(super) fn range(lo: char, hi: char) -> String {
    let literal = |c| {
        let mut res = "\"".to_string();
        character(c, &mut res);
        res + "\""
    };
    if lo == hi {
        format!("(str.to_re {})", literal(lo))
    } else {
        format!("(re.range {} {})", literal(lo), literal(hi))
    }
}

/// The characters of a literal's inside, as code points: a solver may give surrogates.
pub(super) fn read(inside: &str) -> Vec<u32> {
    let mut res = Vec::new();
    let mut rest = inside;
    while let Some(c) = rest.chars().next() {
        if let Some((code, after)) = escape(rest) {
            res.push(code);
            rest = after;
        } else {
            res.push(c.into());
            rest = &rest[c.len_utf8()..];
        }
    }
    res
}

/// Reads `\u{…}` with up to five digits or `\u` with four at the front of a text; anything else represents itself.
fn escape(text: &str) -> Option<(u32, &str)> {
    let after = text.strip_prefix("\\u")?;
    let (digits, rest) = match after.strip_prefix('{') {
        Some(inner) => inner.split_once('}').filter(|it| (1..=5).contains(&it.0.len()))?,
        None => (after.get(..4)?, &after[4..]),
    };
    let are_digits = digits.bytes().all(|it| it.is_ascii_hexdigit());
    let code = u32::from_str_radix(digits, 16).ok().filter(|it| are_digits && *it <= CHAR_MAX.into())?;
    Some((code, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_back() {
        for text in ["", "a", "\"", "\\", "\\u{41}", "a\nb\u{0}\u{7f}", "ä漢", "\u{2ffff}", "{}|"] {
            let written = write(text).unwrap();
            assert!(written.is_ascii());
            let inside = written[1..written.len() - 1].replace("\"\"", "\"");
            let back: Option<String> = read(&inside).into_iter().map(char::from_u32).collect();
            assert_eq!(back.as_deref(), Some(text));
        }
        assert!(write("\u{30000}").unwrap_err().contains("U+30000"));
        let rows: [(&str, &[u32]); 7] = [
            (r"\u0041", &[0x41]),
            (r"\u{d800}", &[0xd800]),
            (r"\u{}", &[0x5c, 0x75, 0x7b, 0x7d]),
            (r"\u{30000}", &[0x5c, 0x75, 0x7b, 0x33, 0x30, 0x30, 0x30, 0x30, 0x7d]),
            (r"\u{+1}", &[0x5c, 0x75, 0x7b, 0x2b, 0x31, 0x7d]),
            (r"\x41", &[0x5c, 0x78, 0x34, 0x31]),
            (r"\", &[0x5c]),
        ];
        for (inside, expected) in rows {
            assert_eq!(read(inside), expected, "{inside}");
        }
    }
}
