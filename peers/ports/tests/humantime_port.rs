//! What humantime documents of durations and timestamps, with Probity.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use humantime::{
    format_duration, format_rfc3339, format_rfc3339_millis, format_rfc3339_nanos, parse_duration,
    parse_rfc3339, parse_rfc3339_weak,
};
use probity::prelude::*;

/// A point in time that has a year of four digits, from 1970 on.
fn stamp(src: &mut Source) -> SystemTime {
    UNIX_EPOCH + Duration::new(src.draw(0..253_402_300_800), src.draw(0..1_000_000_000))
}

/// A text that looks like a timestamp.
const DATED: &str = r"[0-9]{4}-(0[0-9]|1[0-3])-([0-2][0-9]|3[0-2])T([01][0-9]|2[0-5]):[0-6][0-9]:[0-6][0-9](\.[0-9]{1,9})?(Z|\+00:00)";

const UNITS: [(&str, u64); 10] = [
    ("ns", 1),
    ("us", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("min", 60_000_000_000),
    ("h", 3_600_000_000_000),
    ("days", 86_400_000_000_000),
    ("week", 604_800_000_000_000),
    ("month", 2_630_016_000_000_000),
    ("year", 31_557_600_000_000_000),
];

#[probity::test]
fn durations_survive(duration: Duration) -> bool {
    parse_duration(&format_duration(duration).to_string()) == Ok(duration)
}

#[probity::test]
fn spans_add_up(#[from(vec((0..100u64, &UNITS), 1..=3))] spans: Vec<(u64, (&str, u64))>) -> bool {
    let text: Vec<String> = spans.iter().map(|(n, (unit, _))| format!("{n}{unit}")).collect();
    let nanos: u64 = spans.iter().map(|(n, (_, nanos))| n * nanos).sum();
    parse_duration(&text.join(" ")) == Ok(Duration::from_nanos(nanos))
}

#[probity::test]
fn any_text_is_a_duration_or_an_error(text: &str) {
    let _ = parse_duration(text);
}

#[probity::test]
fn stamps_survive(#[from(stamp)] stamp: SystemTime) -> bool {
    parse_rfc3339(&format_rfc3339(stamp).to_string()).is_ok_and(|it| it == stamp)
}

#[probity::test]
fn millis_are_cut(#[from(stamp)] stamp: SystemTime) -> bool {
    let text = format_rfc3339_millis(stamp).to_string();
    let lost = stamp.duration_since(parse_rfc3339(&text).unwrap());
    text.len() == 24 && lost.is_ok_and(|it| it < Duration::from_millis(1))
}

#[probity::test]
fn texts_are_ordered_as_stamps(#[from(stamp)] a: SystemTime, #[from(stamp)] b: SystemTime) -> bool {
    let texts = [a, b].map(|it| format_rfc3339_nanos(it).to_string());
    texts[0].cmp(&texts[1]) == a.cmp(&b)
}

#[probity::test]
fn what_is_strictly_valid_is_weakly_valid(#[from(matching(DATED))] text: String) -> bool {
    let stamp = parse_rfc3339(&text);
    assume!(stamp.is_ok());
    parse_rfc3339_weak(&text) == stamp
}

#[probity::test]
fn any_text_is_a_stamp_or_an_error(text: &str, #[from(matching(DATED))] dated: String) {
    let _ = (parse_rfc3339_weak(text), parse_rfc3339_weak(&dated));
}
