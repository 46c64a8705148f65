//! What humantime documents of durations and timestamps, with quickcheck.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use humantime::{
    format_duration, format_rfc3339, format_rfc3339_millis, format_rfc3339_nanos, parse_duration,
    parse_rfc3339, parse_rfc3339_weak,
};
use quickcheck::{Arbitrary, Gen, TestResult, quickcheck};

/// A point in time that has a year of four digits, from 1970 on.
#[derive(Clone, Copy, Debug)]
struct Stamp(SystemTime);

impl Arbitrary for Stamp {
    fn arbitrary(g: &mut Gen) -> Stamp {
        let (seconds, nanos) = (u64::arbitrary(g) % 253_402_300_800, u32::arbitrary(g) % 1_000_000_000);
        Stamp(UNIX_EPOCH + Duration::new(seconds, nanos))
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Stamp>> {
        let since = self.0.duration_since(UNIX_EPOCH).unwrap();
        let parts = (since.as_secs(), since.subsec_nanos());
        Box::new(parts.shrink().map(|(seconds, nanos)| Stamp(UNIX_EPOCH + Duration::new(seconds, nanos))))
    }
}

/// A text that looks like a timestamp.
#[derive(Clone, Debug)]
struct Dated(String);

impl Arbitrary for Dated {
    fn arbitrary(g: &mut Gen) -> Dated {
        let mut digits = |n: usize, most: u32| format!("{:0n$}", u32::arbitrary(g) % most);
        let date = format!("{}-{}-{}", digits(4, 10_000), digits(2, 14), digits(2, 33));
        let time = format!("{}:{}:{}", digits(2, 26), digits(2, 62), digits(2, 62));
        let fraction = format!(".{}", digits(1, 1_000_000_000));
        let fraction = *g.choose(&["", &fraction]).unwrap();
        Dated(format!("{date}T{time}{fraction}{}", g.choose(&["Z", "+00:00"]).unwrap()))
    }
}

/// Numbers with units, as people write them.
#[derive(Clone, Debug)]
struct Spans(Vec<(u16, &'static str, u64)>);

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

impl Arbitrary for Spans {
    fn arbitrary(g: &mut Gen) -> Spans {
        let mut span = || {
            let (unit, nanos) = *g.choose(&UNITS).unwrap();
            (u16::arbitrary(g) % 100, unit, nanos)
        };
        let first = span();
        Spans(vec![first, span(), span()])
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Spans>> {
        let spans = self.0.clone();
        Box::new((1..spans.len()).map(move |n| Spans(spans[..n].to_vec())))
    }
}

quickcheck! {
    fn durations_survive(duration: Duration) -> bool {
        parse_duration(&format_duration(duration).to_string()) == Ok(duration)
    }

    fn spans_add_up(spans: Spans) -> bool {
        let text: Vec<String> = spans.0.iter().map(|it| format!("{}{}", it.0, it.1)).collect();
        let nanos: u64 = spans.0.iter().map(|it| u64::from(it.0) * it.2).sum();
        parse_duration(&text.join(" ")) == Ok(Duration::from_nanos(nanos))
    }

    fn any_text_is_a_duration_or_an_error(text: String) -> bool {
        let _ = parse_duration(&text);
        true
    }

    fn stamps_survive(stamp: Stamp) -> bool {
        parse_rfc3339(&format_rfc3339(stamp.0).to_string()).is_ok_and(|it| it == stamp.0)
    }

    fn millis_are_cut(stamp: Stamp) -> bool {
        let text = format_rfc3339_millis(stamp.0).to_string();
        let lost = stamp.0.duration_since(parse_rfc3339(&text).unwrap());
        text.len() == 24 && lost.is_ok_and(|it| it < Duration::from_millis(1))
    }

    fn texts_are_ordered_as_stamps(a: Stamp, b: Stamp) -> bool {
        let texts = [a, b].map(|it| format_rfc3339_nanos(it.0).to_string());
        texts[0].cmp(&texts[1]) == a.0.cmp(&b.0)
    }

    fn what_is_strictly_valid_is_weakly_valid(text: Dated) -> TestResult {
        let Ok(stamp) = parse_rfc3339(&text.0) else { return TestResult::discard() };
        TestResult::from_bool(parse_rfc3339_weak(&text.0).is_ok_and(|it| it == stamp))
    }

    fn any_text_is_a_stamp_or_an_error(text: String, dated: Dated) -> bool {
        let _ = (parse_rfc3339_weak(&text), parse_rfc3339_weak(&dated.0));
        true
    }
}
