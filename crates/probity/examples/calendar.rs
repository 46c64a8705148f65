//! A calendar that reads the time of an event from its name, tested as in "Iorek: a solver-aided language for test
//! inputs": events in different time zones, and one for every way to write a time.
//!
//! Run the test with `cargo test --example calendar`; `cargo run --example calendar` shows the inputs. They are kept
//! in `probity-inputs` beside `Cargo.toml`, so that a second run needs no preparation.

use probity::prelude::*;
use probity::spec::{Declared, Shape, Spec, Value};
use probity_lang::tables;

/// A city, from the table that comes with the language of specs.
#[derive(Clone, Debug)]
struct Place {
    name: String,
    zone: String,
    /// Minutes that its clocks are ahead of UTC in winter.
    offset: i32,
}

impl Declared for Place {
    fn spec() -> Spec {
        Spec::new(Shape::Table(tables::location()))
    }

    fn from_value(row: &Value) -> Option<Self> {
        Some(Place {
            name: String::from_value(row.field("name")?)?,
            zone: String::from_value(row.field("zone")?)?,
            offset: i32::from_value(row.field("offset")?)?,
        })
    }
}

/// What a user types: `lunch 12:30 PM`.
#[derive(Clone, Debug, Spec)]
struct Title {
    #[spec(matches = "[a-z]{3,10}( [a-z]{3,10})?")]
    what: String,
    // Not `\d`, which is a digit of any script: the test below found `0:0٠`.
    #[spec(matches = r"(((1[0-2]|[1-9]):[0-5][0-9](\s)?(AM|PM))|((([0-1]?[0-9])|2[0-3]):[0-5][0-9]))?")]
    time: String,
}

#[derive(Clone, Debug, Spec)]
struct Event {
    title: Title,
    place: Place,
    #[spec(range = 0..=24 * 60)]
    minutes: u32,
}

/// Minutes after midnight, where the time is written, if one is.
fn start(time: &str) -> Option<i32> {
    let time = time.trim();
    let (clock, half) = match time.strip_suffix("PM") {
        Some(it) => (it, Some(12)),
        None => time.strip_suffix("AM").map_or((time, None), |it| (it, Some(0))),
    };
    let (hour, minute) = clock.trim().split_once(':')?;
    let (hour, minute): (i32, i32) = (hour.parse().ok()?, minute.parse().ok()?);
    let hour = half.map_or(hour, |half| hour % 12 + half);
    Some(hour * 60 + minute)
}

/// The same minute in UTC, on the day before or after where that is so.
fn in_utc(minutes: i32, place: &Place) -> i32 {
    minutes - place.offset
}

#[probity::test(cases = 100, different = some_of(cover_regexp(event.title.time), not_equal(event.place.zone)))]
fn events_start_when_their_title_says(event: Event) {
    let Event { title: Title { time, .. }, place, minutes } = &event;
    assert_eq!(start(time).is_some(), !time.is_empty(), "every way to write a time is read");
    if let Some(start) = start(time) {
        assert!((0..24 * 60).contains(&start), "{time} is minute {start}");
        let utc = in_utc(start, place);
        assert_eq!(utc + place.offset, start, "in {} ({})", place.name, place.zone);
        assert!(utc + *minutes as i32 <= 24 * 60 * 3);
    }
}

#[allow(clippy::print_stdout, reason = "what an example is for")]
fn main() {
    for seed in 0..5 {
        let Event { title: Title { what, time }, place, minutes } = sample(&any::<Event>(), seed);
        let utc = start(&time).map(|it| in_utc(it, &place));
        println!("{what} {time:?} in {} ({}), {minutes} minutes from {utc:?}", place.name, place.zone);
    }
}
