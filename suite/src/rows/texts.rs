//! Conditions on texts.

use probity::Source;
use probity::string;

use crate::answers::answers;
use crate::{Group, Row};

pub(super) const ROWS: &[Row] = &[
    Row::fails(Group::Puzzle, "string equality", "string_equal", string_equal, || {
        answers().text("correct horse").done()
    })
    .only(),
    Row::fails(Group::Puzzle, "string equality", "string_parts", string_parts, || {
        answers().text("key=Ünïcode;").done()
    })
    .only(),
    Row::fails(Group::Puzzle, "integer parsing", "parse_u32", parse_u32, || answers().text("31337").done()),
    Row::fails(Group::Puzzle, "integer parsing", "parse_i64", parse_i64, || answers().text("-4100").done()),
    Row::fails(Group::Puzzle, "date parsing", "date_leap", date_leap, || answers().text("2000-02-29").done()),
    Row::fails(Group::Puzzle, "date parsing", "date_bytes", date_bytes, || {
        answers().bytes(b"1996-12-31").done()
    }),
];

fn string_equal(src: &mut Source) {
    let text: String = src.any();
    assert!(text != "correct horse");
}

fn string_parts(src: &mut Source) {
    let text: String = src.any();
    if let Some((key, value)) = text.split_once('=') {
        assert!(!(key == "key" && value.strip_suffix(';') == Some("Ünïcode")));
    }
}

fn parse_u32(src: &mut Source) {
    let text: String = src.any();
    assert!(text.parse::<u32>() != Ok(31337));
}

fn parse_i64(src: &mut Source) {
    let text: String = src.draw(string(' '..='~', 0..=12));
    if let Ok(n) = text.trim().parse::<i64>() {
        assert!(!(n < -4000 && n % 100 == 0));
    }
}

/// Year, month and day of `YYYY-MM-DD`.
fn date(text: &[u8]) -> Option<(u32, u32, u32)> {
    let number = |digits: &[u8]| {
        digits.iter().try_fold(0, |sum, c| c.is_ascii_digit().then(|| sum * 10 + u32::from(c - b'0')))
    };
    if text.len() != 10 || text[4] != b'-' || text[7] != b'-' {
        return None;
    }
    let (year, month, day) = (number(&text[..4])?, number(&text[5..7])?, number(&text[8..])?);
    let days = match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    (1..=days).contains(&day).then_some((year, month, day))
}

fn is_leap(year: u32) -> bool {
    year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400)
}

fn date_leap(src: &mut Source) {
    let text: String = src.draw(string(' '..='~', 0..=12));
    if let Some((year, month, day)) = date(text.as_bytes()) {
        assert!(!(month == 2 && day == 29 && year.is_multiple_of(100) && year > 1000));
    }
}

fn date_bytes(src: &mut Source) {
    let text: Vec<u8> = src.any();
    if let Some((year, month, day)) = date(&text) {
        assert!(!((1990..2000).contains(&year) && is_leap(year) && month == 12 && day == 31));
    }
}
