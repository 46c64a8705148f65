//! The keys, and how their values are written.

use std::time::Duration;

use probity_core::{Schedule, Swarm};

use super::ProofGoal;
use crate::EngineKind;

/// One setting.
///
/// It is `cases` in `probity.toml` and in an attribute, and `PROBITY_CASES` in the environment.
///
/// ```
/// use probity::settings::Key;
/// assert_eq!((Key::MaxShrink.name(), &*Key::MaxShrink.variable()), ("max_shrink", "PROBITY_MAX_SHRINK"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {
    /// How many cases a search runs that are not rejected.
    Cases,
    /// How long a search lasts at most. A search that runs out of time has not failed.
    Time,
    /// What all random answers follow from.
    Seed,
    /// What random cases leave out of arms and variants.
    Swarm,
    /// Which engine answers.
    Engine,
    /// How the temperature of the targeted engine falls.
    Schedule,
    /// The greatest size of an input that the exhaustive engine visits.
    Size,
    /// Which part of the random cases, or of the inputs that the exhaustive engine visits, is run.
    Shard,
    /// With which input the exhaustive engine starts.
    Start,
    /// How long the concolic engine may go on in a default run.
    Concolic,
    /// Which inputs a test is to be proved for.
    Prove,
    /// Whether cases run in a process of their own.
    Isolate,
    /// How many cases shrinking may run.
    MaxShrink,
    /// How many rejected cases are allowed for each wanted case.
    MaxRejects,
    /// How long one case may take before its input is named.
    Hang,
    /// Where failures are kept.
    Store,
    /// Where cases are kept that reached what none had reached.
    Corpus,
    /// Whether a failure is explained.
    Explain,
    /// Where events are written.
    Events,
    /// Whether reports are colored.
    Color,
    /// What to run instead of a search: a stored failure or choices.
    Replay,
    /// Whether a passing test says what it did.
    Verbose,
}

impl Key {
    /// Every key, in the order they are shown.
    pub const ALL: [Key; 22] = [
        Key::Cases,
        Key::Time,
        Key::Seed,
        Key::Swarm,
        Key::Engine,
        Key::Schedule,
        Key::Size,
        Key::Shard,
        Key::Start,
        Key::Concolic,
        Key::Prove,
        Key::Isolate,
        Key::MaxShrink,
        Key::MaxRejects,
        Key::Hang,
        Key::Store,
        Key::Corpus,
        Key::Explain,
        Key::Events,
        Key::Color,
        Key::Replay,
        Key::Verbose,
    ];

    /// Its name in `probity.toml` and in attributes.
    pub fn name(self) -> &'static str {
        match self {
            Key::Cases => "cases",
            Key::Time => "time",
            Key::Seed => "seed",
            Key::Swarm => "swarm",
            Key::Engine => "engine",
            Key::Schedule => "schedule",
            Key::Size => "size",
            Key::Shard => "shard",
            Key::Start => "start",
            Key::Concolic => "concolic",
            Key::Prove => "prove",
            Key::Isolate => "isolate",
            Key::MaxShrink => "max_shrink",
            Key::MaxRejects => "max_rejects",
            Key::Hang => "hang",
            Key::Store => "store",
            Key::Corpus => "corpus",
            Key::Explain => "explain",
            Key::Events => "events",
            Key::Color => "color",
            Key::Replay => "replay",
            Key::Verbose => "verbose",
        }
    }

    /// Its name in the environment.
    pub fn variable(self) -> String {
        format!("PROBITY_{}", self.name().to_ascii_uppercase())
    }

    /// The key of this name.
    ///
    /// ```
    /// use probity::settings::Key;
    /// assert_eq!(Key::from_name("cases"), Ok(Key::Cases));
    /// assert_eq!(Key::from_name("case"), Err("did you mean `cases`?".to_string()));
    /// ```
    pub fn from_name(name: &str) -> Result<Key, String> {
        let names = Key::ALL.map(Key::name);
        Key::ALL.into_iter().find(|it| it.name() == name).ok_or_else(|| suggest(name, &names))
    }

    /// What its value has to be, for an error.
    pub(super) fn expected(self) -> String {
        let what = match self {
            Key::Cases => "a whole number of at least 1, such as 1000",
            Key::Seed => "a whole number below 2^64, such as 42 or 0x2a",
            Key::Swarm => "true, false or exhaustive",
            Key::Schedule => {
                "spread, linear, geometric or hill-climbing; `linear 10` and `geometric 10` begin at temperature 10"
            }
            Key::Size => "a whole number such as 6, or off",
            Key::Shard => "one part of several, such as 1/8 for the first of eight, or off",
            Key::Start => "the number of an input, from 0",
            Key::MaxShrink => "a whole number such as 10000",
            Key::MaxRejects => "a whole number below 2^32, such as 10",
            Key::Time => "a duration such as 500ms, 10s or 2m",
            Key::Hang => "a duration such as 500ms, 30s or 2m, or off",
            Key::Concolic => "a duration such as 200ms or 2s, or off",
            Key::Prove => "true, false, or the most choices of an input, from 2 on, such as 6",
            Key::Isolate | Key::Explain | Key::Verbose => "true or false",
            Key::Store => "true, false or the path of a folder",
            Key::Corpus => "the path of a folder, auto for one beside the build, or off",
            Key::Events => "the path of a file, or off",
            Key::Color => "auto, always or never",
            Key::Replay => "the path of a stored failure, or choices such as `n1 i7`",
            Key::Engine => return format!("one of: {}", EngineKind::NAMED.map(EngineKind::name).join(", ")),
        };
        what.to_string()
    }
}

/// A whole number: `1_000` or `0x3e8`.
pub(super) fn number(text: &str) -> Option<u64> {
    let (digits, radix) = match text.strip_prefix("0x") {
        Some(hex) => (hex, 16),
        None => (text, 10),
    };
    let starts_well = digits.starts_with(|c: char| c.is_ascii_hexdigit());
    starts_well.then(|| u64::from_str_radix(&digits.replace('_', ""), radix).ok())?
}

/// What random cases leave out.
pub(super) fn swarm(text: &str) -> Option<Swarm> {
    match text {
        "exhaustive" => Some(Swarm::Exhaustive),
        _ => truth(text).map(|it| if it { Swarm::On } else { Swarm::Off }),
    }
}

/// As [`swarm`] reads it.
pub(super) fn swarm_text(swarm: Swarm) -> String {
    match swarm {
        Swarm::On => "true",
        Swarm::Off => "false",
        Swarm::Exhaustive => "exhaustive",
    }
    .to_string()
}

/// Which inputs a test is to be proved for. `1` is what people write for `true`, and inputs of one choice prove little.
pub(super) fn proof_goal(text: &str) -> Option<ProofGoal> {
    match truth(text) {
        Some(true) => Some(ProofGoal::EveryInput),
        Some(false) => Some(ProofGoal::Off),
        None => number(text)?.try_into().ok().filter(|it| *it > 1).map(ProofGoal::UpTo),
    }
}

/// As [`proof_goal`] reads it.
pub(super) fn proof_goal_text(goal: ProofGoal) -> String {
    match goal {
        ProofGoal::Off => "false".to_string(),
        ProofGoal::EveryInput => "true".to_string(),
        ProofGoal::UpTo(most) => most.to_string(),
    }
}

/// The first temperature where none is given.
const FIRST_TEMPERATURE: f64 = 1.0;

/// How the temperature falls: a word, and behind it, where there is one, the first temperature.
pub(super) fn schedule(text: &str) -> Option<Schedule> {
    let (name, from) = match text.split_once(' ') {
        Some((name, from)) => (name, Some(from.trim().parse().ok()?)),
        None => (text, None),
    };
    let is_usable = |it: &f64| it.is_finite() && *it > 0.0;
    let first = Some(from.unwrap_or(FIRST_TEMPERATURE)).filter(is_usable);
    match name {
        "linear" => Some(Schedule::Linear { from: first? }),
        "geometric" => Some(Schedule::Geometric { from: first? }),
        "spread" if from.is_none() => Some(Schedule::Spread),
        "hill-climbing" if from.is_none() => Some(Schedule::HillClimbing),
        _ => None,
    }
}

/// What [`schedule`] reads.
pub(super) fn schedule_text(it: Schedule) -> String {
    match it {
        Schedule::Spread => "spread".to_string(),
        Schedule::Linear { from } => format!("linear {from}"),
        Schedule::Geometric { from } => format!("geometric {from}"),
        Schedule::HillClimbing => "hill-climbing".to_string(),
    }
}

/// One part of several: `1/8` to `8/8`.
pub(super) fn shard(text: &str) -> Option<(u64, u64)> {
    let (part, of) = text.split_once('/')?;
    let (part, of) = (number(part.trim())?, number(of.trim())?);
    (1..=of).contains(&part).then_some((part, of))
}

/// `true` or `false`, also as people write it in a shell.
pub(super) fn truth(text: &str) -> Option<bool> {
    match text {
        "true" | "on" | "1" => Some(true),
        "false" | "off" | "0" => Some(false),
        _ => None,
    }
}

/// The units of a duration, largest first, in milliseconds.
const UNITS: [(&str, u64); 4] = [("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1)];

/// A duration above zero: `500ms`, `10s`, `2m`, `1h`.
pub(super) fn duration(text: &str) -> Option<Duration> {
    let (digits, unit) = text.split_at(text.find(|c: char| c.is_ascii_alphabetic())?);
    let (_, millis) = UNITS.into_iter().find(|it| it.0 == unit)?;
    let millis = number(digits.trim_end())?.checked_mul(millis)?;
    (millis > 0).then(|| Duration::from_millis(millis))
}

/// What [`duration`] reads, in the largest unit that leaves no rest.
pub(super) fn duration_text(it: Duration) -> String {
    let millis = it.as_millis() as u64;
    let (unit, size) = UNITS.into_iter().find(|it| millis.is_multiple_of(it.1)).unwrap_or(("ms", 1));
    format!("{}{unit}", millis / size)
}

/// This many characters of what is quoted in an error are shown.
const SHOWN_MAX: usize = 600;

/// A text with its middle left out where it is long.
pub(super) fn shortened(what: &str) -> String {
    if what.chars().nth(SHOWN_MAX).is_none() {
        return what.to_string();
    }
    let front: String = what.chars().take(SHOWN_MAX / 2).collect();
    let back: Vec<char> = what.chars().rev().take(SHOWN_MAX / 2).collect();
    format!("{front} … {}", back.iter().rev().collect::<String>())
}

/// What a user probably meant by an unknown word, or all that it could have been.
pub(super) fn suggest(word: &str, known: &[impl AsRef<str>]) -> String {
    /// Two slips of the finger. More would suggest words that have little in common.
    const SLIPS_MAX: usize = 2;
    let known = known.iter().map(AsRef::as_ref);
    match known.clone().map(|it| (distance(word, it), it)).min() {
        Some((0..=SLIPS_MAX, nearest)) => format!("did you mean `{nearest}`?"),
        None => "there is none".to_string(),
        _ => format!("known are: {}", known.collect::<Vec<_>>().join(", ")),
    }
}

/// How many characters to insert, delete or replace to turn one word into the other.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    // Nobody mistypes a name of that length.
    for (i, x) in a.chars().take(64).enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_stand_in_the_order_of_their_declaration() {
        assert!(Key::ALL.into_iter().enumerate().all(|(i, key)| key as usize == i));
    }

    #[test]
    fn distances() {
        for (a, b, expected) in [("", "", 0), ("", "abc", 3), ("cases", "case", 1), ("tiem", "time", 2)] {
            assert_eq!((distance(a, b), distance(b, a)), (expected, expected), "{a} {b}");
        }
    }

    #[test]
    fn shards_are_parts_of_several() {
        assert_eq!((shard("1/8"), shard("8 / 8"), shard("1/1")), (Some((1, 8)), Some((8, 8)), Some((1, 1))));
        for text in ["", "3", "0/8", "9/8", "1/0", "a/b", "1/2/3", "-1/8"] {
            assert_eq!(shard(text), None, "{text}");
        }
    }

    #[test]
    fn schedules_round_trip() {
        for text in ["spread", "linear 10", "geometric 2.5", "hill-climbing"] {
            assert_eq!(schedule(text).map(schedule_text).as_deref(), Some(text));
        }
        assert_eq!(schedule("linear"), schedule("linear 1"));
        assert_eq!(schedule("geometric 1e2"), Some(Schedule::Geometric { from: 100.0 }));
        for text in [
            "",
            "steep",
            "Linear",
            "linear ",
            "linear 0",
            "linear -1",
            "linear inf",
            "geometric NaN",
            "spread 1",
        ] {
            assert_eq!(schedule(text), None, "{text}");
        }
    }

    #[test]
    fn durations_round_trip() {
        for (text, millis) in
            [("1ms", 1), ("1500ms", 1500), ("10s", 10_000), ("2m", 120_000), ("1h", 3_600_000)]
        {
            assert_eq!(duration(text), Some(Duration::from_millis(millis)));
            assert_eq!(duration_text(Duration::from_millis(millis)), text);
        }
        for text in [
            "",
            "s",
            "10",
            "10 parsecs",
            "-1s",
            "1.5s",
            "0s",
            "10S",
            "99999999999999999999s",
            "9999999999999999h",
        ] {
            assert_eq!(duration(text), None, "{text}");
        }
    }
}
