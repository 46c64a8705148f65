//! Every reader of this crate behind one door, with the laws that hold for whatever it is given: for tests of ours that
//! give it malformed texts, and for nobody else.

use std::path::Path;

use probity_core::{Case, Misuse, Random, Source, Value, any, context, just, one_of, render_case, vec};
pub use probity_regex::readers::Reader;

use crate::isolate::wire;
use crate::run::reread_replay;
use crate::settings::{Env, File, Settings};
use crate::store::{Entry, PreparedFile, mended_entry, mended_inputs};

/// Those of this crate.
pub const READERS: [Reader; 7] = [
    Reader {
        name: "probity.toml",
        samples: &[
            "# all tests\ncases = 1_000\ntime = \"2s\"\nstore = 'failures'\n\n[profile.ci]\ncases = 0x10 # many\n\
             seed = 42\nengine = \"random\"\nschedule = \"linear 10\"\n",
            "max_rejects = 10\nhang = \"off\"\nshard = \"1/8\"\nsize = 6\nexplain = false\n",
        ],
        words: &[
            "=",
            "[",
            "]",
            "[profile.",
            "\"",
            "'",
            "#",
            "\\",
            "cases",
            "time",
            "true",
            "0x",
            "_",
            "-1",
            "1e9",
            "\n",
        ],
        read: read_toml,
        mend: None,
    },
    Reader {
        name: "environment",
        samples: &[
            "CASES=1000\nTIME=2s\nSEED=0x2a\nENGINE=targeted\nSCHEDULE=geometric 10\nSIZE=6\nSHARD=1/8\nSTART=5\nHANG=1m\n",
            "CONCOLIC=off\nISOLATE=1\nMAX_SHRINK=100\nMAX_REJECTS=10\nEXPLAIN=on\nCOLOR=never\nVERBOSE=true\nPROFILE=default\n",
        ],
        words: &[
            "=",
            "\n",
            "PROFILE",
            "18446744073709551616",
            "-1",
            "0x",
            "99999999999h",
            "ms",
            "/",
            "off",
            "NaN",
            "1e999",
        ],
        read: read_environment,
        mend: None,
    },
    Reader {
        name: "stored failure",
        samples: &[
            "probity failure, format 1\n# a comment\ntest: my_crate::tests::sorting\nlet v = [1, 999];\nlet _ = \"<U+000D>\";\n\
             fails: panicked at src/lib.rs:10:5: not sorted\n  | left: [999, 1]\nchoices: n2 i1 i-999 f0.5 c61 p2 true\n\
             checksum: 0000000000000000\n",
        ],
        words: &[
            "test:",
            "let ",
            " =",
            ";",
            "fails:",
            "  |",
            "choices:",
            "checksum: ",
            "<U+",
            ">",
            "\n",
            "\r\n",
            "n1",
            "i",
            "f",
        ],
        read: read_entry,
        mend: Some(|it| {
            String::from_utf8(it).map_or_else(|it| it.into_bytes(), |it| mended_entry(&it).into_bytes())
        }),
    },
    Reader {
        name: "prepared inputs",
        samples: &[
            "probity inputs, format 1\n# Prepared by Probity\ntest: a::b\nfingerprint: 0c6d8a7b1f2e3d4c\n\
             total: exactly 2 inputs that differ exist\ninputs: 2\np1 c61\n-\nchecksum: 0000000000000000\n",
        ],
        words: &[
            "test: ",
            "fingerprint: ",
            "total: ",
            "inputs: ",
            "checksum: ",
            "-",
            "\n",
            "99999999999999999999",
            "i1",
            "n1",
        ],
        read: read_inputs,
        mend: Some(|it| {
            String::from_utf8(it).map_or_else(|it| it.into_bytes(), |it| mended_inputs(&it).into_bytes())
        }),
    },
    Reader {
        name: "PROBITY_REPLAY",
        samples: &["i3 n2 i7 i255 true", "seed-0x1f-case-7", "walk-0-3-1", "fitted i3 n9", "i0 n0 false"],
        words: &[
            "i",
            "n",
            "f",
            "c",
            "p",
            "true",
            "-",
            " ",
            "seed-0x",
            "-case-",
            "walk-",
            "18446744073709551615",
            "i-5",
            "n1",
        ],
        read: |bytes| std::str::from_utf8(bytes).map_or(Ok(false), reread_replay),
        mend: None,
    },
    Reader {
        name: "choice",
        samples: &[
            "true",
            "i-170141183460469231731687303715884105728",
            "f0.1",
            "f-nan",
            "finf",
            "c10ffff",
            "p7",
            "n4294967295",
        ],
        words: &["i", "f", "c", "p", "n", "-", "+", "0", ".", "e", "nan", "inf", "_"],
        read: |bytes| std::str::from_utf8(bytes).map_or(Ok(false), read_choice),
        mend: None,
    },
    Reader {
        name: "message of a child",
        samples: &["0", "1", "2", "3"],
        words: &["\0", "\u{1}", "\u{7f}"],
        read: read_message,
        mend: None,
    },
];

fn read_toml(bytes: &[u8]) -> Result<bool, String> {
    let Ok(text) = std::str::from_utf8(bytes) else { return Ok(false) };
    let resolved = File::parse("probity.toml".into(), text)
        .and_then(|file| Settings::resolve(Path::new("/p"), Some(&file), &[], &Env::default()));
    settled(resolved.map_err(|it| it.to_string()), "probity.toml:")
}

/// Lines of `NAME=value`, each with `PROBITY_` before it.
fn read_environment(bytes: &[u8]) -> Result<bool, String> {
    let text = String::from_utf8_lossy(bytes);
    let pairs = text.lines().map(|it| it.split_once('=').unwrap_or((it, "")));
    let env: Env = pairs.map(|(name, value)| (format!("PROBITY_{name}"), value.to_string())).collect();
    let resolved = Settings::resolve(Path::new("/p"), None, &[], &env);
    settled(resolved.map_err(|it| it.to_string()), "PROBITY_")
}

/// What is taken is shown as something that means the same; what is not says where.
fn settled(resolved: Result<Settings, String>, place: &str) -> Result<bool, String> {
    match resolved {
        Ok(settings) if settings.means_what_it_shows() => Ok(true),
        Ok(settings) => {
            Err(format!("these settings mean something else when they are written again:\n{settings}"))
        }
        Err(error) if error.contains(place) && error.chars().count() < 3000 => Ok(false),
        Err(error) => Err(format!("an error without a place, or too long: {error}")),
    }
}

fn read_entry(bytes: &[u8]) -> Result<bool, String> {
    let Ok(text) = std::str::from_utf8(bytes) else { return Ok(false) };
    match Entry::from_text(text) {
        Err(error) if error.is_empty() => Err("refused without a word".to_string()),
        Err(_) => Ok(false),
        Ok(entry) => match Entry::from_text(&entry.to_text()) {
            Ok(again) if again == entry => Ok(true),
            other => Err(format!("{entry:?} is read again as {other:?}")),
        },
    }
}

fn read_inputs(bytes: &[u8]) -> Result<bool, String> {
    let Ok(text) = std::str::from_utf8(bytes) else { return Ok(false) };
    match PreparedFile::from_text(text) {
        Err(error) if error.is_empty() => Err("refused without a word".to_string()),
        Err(_) => Ok(false),
        Ok(file) => match PreparedFile::from_text(&file.to_text()) {
            Ok(again) if again == file => Ok(true),
            other => Err(format!("{file:?} is read again as {other:?}")),
        },
    }
}

fn read_choice(text: &str) -> Result<bool, String> {
    match text.parse::<Value>() {
        Err(error) if error.to_string().contains(text) => Ok(false),
        Err(error) => Err(format!("an error without the word: {error}")),
        Ok(value) if value.to_string().parse() != Ok(value) => Err(format!("{value} is read otherwise")),
        // Floats have many texts.
        Ok(Value::Float(_)) => Ok(true),
        Ok(value) if value.to_string() == text => Ok(true),
        Ok(value) => Err(format!("`{text}` is taken for `{value}`")),
    }
}

/// A case as a child sends it, changed by the bytes: their first is a seed, the others come in pairs of place and byte.
fn read_message(bytes: &[u8]) -> Result<bool, String> {
    let (seed, rest) = bytes.split_first().map_or((0, bytes), |it| (*it.0, it.1));
    let mut test = |src: &mut Source| {
        let list: Vec<(i64, bool)> = src.draw_as("list", vec(any(), 0..5));
        let n = src.draw(one_of([just(1_u8), just(200)]));
        let c: char = src.draw(any());
        context::note(format_args!("{} and {n} {c}", list.len()));
        context::maximize("n", n.into());
        assert!(list.len() < 3, "too long");
    };
    let case = render_case(&mut Source::new(Box::new(Random::new(u64::from(seed)))), &mut test);
    let sent = wire::bytes(&case);
    let mut changed = sent.clone();
    for pair in rest.chunks(2) {
        let at = usize::from(pair[0]) * 7 % changed.len().max(1);
        match pair.get(1) {
            Some(byte) if !changed.is_empty() => changed[at] = *byte,
            _ => changed.truncate(at),
        }
    }
    let read = wire::read::<Result<Case, Misuse>>(&changed);
    match (changed == sent, read.map(|it| wire::bytes(&it) == sent)) {
        (true, Some(true)) => Ok(true),
        (false, None) => Ok(false),
        (same, read) => Err(format!("a message that is unchanged ({same}) is read as {read:?}")),
    }
}

/// A text that a reader may or may not take: one of its samples with a few changes, drawn from a source.
pub fn malformed(reader: &Reader, source: &mut Source) -> Vec<u8> {
    let sample = |source: &mut Source| reader.samples[source.pick(reader.samples.len())].as_bytes().to_vec();
    let mut text = sample(source);
    for _ in 0..source.draw(1..=5_usize) {
        let other = sample(source);
        change(reader, source, &mut text, &other);
    }
    match reader.mend {
        Some(mend) if source.draw(any::<bool>()) => mend(text),
        _ => text,
    }
}

/// What numbers may be too large for.
const NUMBERS: [&str; 8] = [
    "0",
    "-1",
    "007",
    "4294967296",
    "18446744073709551615",
    "-170141183460469231731687303715884105729",
    "1e308",
    "1_0",
];
/// What is no text, or an odd one.
const BYTES: [&[u8]; 8] = [
    b"\xff",
    b"\xc3",
    b"\xed\xa0\x80",
    b"\0",
    b"\r",
    "\u{feff}".as_bytes(),
    "\u{202e}".as_bytes(),
    "é中".as_bytes(),
];
/// The longest text that changes lead to.
const LENGTH_MAX: usize = 300_000;

fn change(reader: &Reader, source: &mut Source, text: &mut Vec<u8>, other: &[u8]) {
    let place = |source: &mut Source, len: usize| source.draw(0..=len);
    let at = place(source, text.len());
    let to = at + place(source, (text.len() - at).min(40));
    let word = |source: &mut Source| reader.words[source.pick(reader.words.len())].as_bytes();
    match source.pick(12) {
        0 => text.truncate(at),
        1 => drop(text.drain(at..to)),
        2 => {
            let part = text[at..to].to_vec();
            text.splice(at..at, part);
        }
        3 => {
            let from = place(source, other.len());
            text.truncate(at);
            text.extend_from_slice(&other[from..]);
        }
        4 | 5 => drop(text.splice(at..at, word(source).iter().copied())),
        6 => drop(text.splice(at..to, word(source).iter().copied())),
        7 => drop(text.splice(at..to, NUMBERS[source.pick(NUMBERS.len())].bytes())),
        8 => drop(text.splice(at..at, BYTES[source.pick(BYTES.len())].iter().copied())),
        // Deep, or much of the same, or a long line; now and then only, because it takes a while.
        9 if source.draw(0..40) == 39 => {
            let times = [10, 300, 10_000, 60_000][source.pick(4)];
            let part = word(source).repeat(times);
            text.splice(at..at, part.into_iter().take(LENGTH_MAX));
        }
        10 if source.draw(0..40) == 39 => {
            let part = text[at..to].repeat([10, 300, 10_000][source.pick(3)]);
            text.splice(at..at, part.into_iter().take(LENGTH_MAX));
        }
        _ => {
            if let Some(byte) = text.get_mut(at) {
                *byte = source.draw(any());
            }
        }
    }
    text.truncate(LENGTH_MAX);
}
