//! Everything that is read, given malformed texts by our own engine: does it panic, hang, eat memory, or take something
//! in silence?

use std::time::{Duration, Instant};

use probity::readers::{READERS, Reader, malformed};
use probity_core::{Engine, Random, Source, run_case};
use probity_lang::readers::READERS as OF_LANG;
use probity_models::readers::READERS as OF_MODELS;
use probity_spec::regex::readers::READERS as OF_REGEX;

use super::table::Table;

/// This many texts for each reader; the environment may ask for fewer.
const TEXTS: u64 = 100_000;
/// No text may take longer.
const TIME_MAX: Duration = Duration::from_secs(2);
/// Nor may the process take more, in megabytes.
const MEMORY_MAX: u64 = 500;
/// The stack that tests have.
const STACK: usize = 2 << 20;
/// What is wrong is shown for this many texts of a reader.
const SHOWN_MAX: usize = 3;

/// What came of one reader.
#[derive(Default)]
struct ReaderTally {
    taken: u64,
    refused: u64,
    slowest: Duration,
    longest: usize,
    wrong: u64,
    shown: Vec<String>,
}

pub(crate) fn table() -> Table {
    super::silence_cases();
    let texts = std::env::var("TEXTS").ok().and_then(|it| it.parse().ok()).unwrap_or(TEXTS);
    let title = format!("readers: {texts} malformed texts for each");
    let columns = ["reader", "texts", "taken", "refused", "longest", "slowest", "memory", "wrong"];
    let mut table = Table::new(title, &columns);
    for reader in OF_LANG.into_iter().chain(OF_REGEX).chain(OF_MODELS).chain(READERS) {
        forget_peak();
        let thread = std::thread::Builder::new().stack_size(STACK).spawn(move || run(&reader, texts));
        let came = thread.expect("a thread can be started").join().expect("panics of cases are caught");
        let memory = peak();
        came.shown.iter().for_each(|it| eprintln!("{it}"));
        let is_met = came.wrong == 0 && came.slowest < TIME_MAX && memory.is_none_or(|it| it < MEMORY_MAX);
        let cells = vec![
            reader.name.to_string(),
            texts.to_string(),
            came.taken.to_string(),
            came.refused.to_string(),
            format!("{} bytes", came.longest),
            format!("{:.0?}", came.slowest),
            memory.map_or("unknown".to_string(), |it| format!("{it} MB")),
            came.wrong.to_string(),
        ];
        table.row(cells, "0 wrong, < 2 s, < 500 MB", Some(is_met));
    }
    table
}

fn run(reader: &Reader, texts: u64) -> ReaderTally {
    let mut came = ReaderTally::default();
    for case in 0..texts {
        let mut engine = Random::at(7, case);
        engine.begin().ok();
        let mut text = Vec::new();
        let (mut read, mut time) = (Ok(false), Duration::ZERO);
        let mut test = |src: &mut Source| {
            text = malformed(reader, src);
            let start = Instant::now();
            read = (reader.read)(&text);
            time = start.elapsed();
        };
        let ran = run_case(&mut Source::new(Box::new(engine)), &mut test);
        let panicked = match ran {
            Ok(it) => it.verdict.failure().map(|it| format!("{}: {}", it.origin, it.message)),
            Err(misuse) => Some(misuse.message),
        };
        let wrong = panicked.or_else(|| read.as_ref().err().cloned());
        match (&wrong, read) {
            (None, Ok(true)) => came.taken += 1,
            (None, _) => came.refused += 1,
            (Some(_), _) => came.wrong += 1,
        }
        if time > came.slowest {
            (came.slowest, came.longest) = (time, came.longest.max(text.len()));
        }
        came.longest = came.longest.max(text.len());
        let slow = (time >= TIME_MAX).then(|| format!("took {time:.1?}"));
        if let Some(what) = wrong.or(slow)
            && came.shown.len() < SHOWN_MAX
        {
            let cut = |it: &str| it.chars().take(600).collect::<String>();
            let text = String::from_utf8_lossy(&text);
            came.shown.push(format!("{}, case {case}: {}\n  for {:?}", reader.name, cut(&what), cut(&text)));
        }
    }
    came
}

/// The most memory that this process had since it was forgotten, in megabytes, where the system says.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|it| it.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? / 1024)
}

fn forget_peak() {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}
