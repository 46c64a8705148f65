//! What the program can do with the engine.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use probity::{Check, Source, Value, bytes};
use probity_concolic::search::{Explored, News};

use crate::claims::{CLAIMS, Claim};
use crate::differential::{self, BYTES_MAX};
use crate::engine::{Limits, explore};
use crate::hostile::{self, HOSTILE};
use crate::{native, plain, solving};

/// What can be asked for besides a name.
pub struct Options {
    /// Of random decisions.
    pub seed: u64,
    /// How long a search may take.
    pub time: Duration,
    /// How many inputs are compared.
    pub inputs: u64,
    /// Where to write the questions to the solver.
    pub dump: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Self {
        Options { seed: 1, time: Duration::from_secs(20), inputs: 1000, dump: None }
    }
}

/// Prints every subject.
pub fn list() -> Result<bool, String> {
    for it in solving::puzzles() {
        println!("solving\t{}\t{}", it.name, it.row);
    }
    for it in plain::puzzles() {
        println!("plain\t{}\t{}", it.name, it.row);
    }
    for (name, _) in CLAIMS {
        println!("claims\t{name}\t");
    }
    for (name, _) in differential::targets() {
        println!("compare\t{name}\t");
    }
    for it in HOSTILE {
        println!(
            "hostile\t{}\t{}\t{}",
            it.name,
            if it.fails { "fails" } else { "passes" },
            it.says.join("|")
        );
    }
    Ok(true)
}

/// Searches for an input that fails, and confirms it.
pub fn solve(name: &str, options: &Options) -> Result<bool, String> {
    native::silence();
    let puzzle = [solving::puzzles(), plain::puzzles()].into_iter().flatten().find(|it| it.name == name);
    let test = puzzle.ok_or_else(|| unknown(name))?.test;
    let limits = Limits { dump: options.dump.clone(), ..Limits::time(options.seed, options.time) };
    let start = Instant::now();
    let (mut found, mut false_alarms) = (None, 0);
    let explored = explore(&mut { test }, &limits, &mut |news| {
        if let News::Fails(answers) = news {
            if native::fails(test, &answers) {
                found = Some((answers, start.elapsed()));
                return false;
            }
            false_alarms += 1;
        }
        true
    })?;
    let time = found.as_ref().map_or_else(|| start.elapsed(), |it| it.1);
    println!(
        "solved={} ms={:.3} false_alarms={false_alarms} {}",
        found.is_some(),
        time.as_secs_f64() * 1000.0,
        figures(&explored)
    );
    if let Some((answers, _)) = &found {
        eprintln!("found: {}", words(answers));
    }
    tell_losses(&explored);
    Ok(found.is_some())
}

/// Runs a target on random bytes, interpreted and native.
pub fn compare(name: &str, options: &Options) -> Result<bool, String> {
    native::silence();
    let targets = differential::targets();
    let &(_, target) = targets.iter().find(|it| it.0 == name).ok_or_else(|| unknown(name))?;
    // What is expected is an answer too: so nothing but answers goes from here to the interpreted run.
    let test = |src: &mut Source| {
        let bytes: Vec<u8> = src.draw(bytes(0..=BYTES_MAX));
        let expected: u64 = src.any();
        assert!(target(&bytes) == expected);
    };
    let answers = |bytes: &Vec<u8>| {
        let ints = bytes.iter().map(|it| i128::from(*it)).chain([i128::from(target(bytes))]);
        [Value::Length(bytes.len() as u32)].into_iter().chain(ints.map(Value::Int)).collect::<Vec<_>>()
    };
    let all: Vec<Vec<Value>> = native::inputs(options.seed, options.inputs).iter().map(answers).collect();
    if let Some(flaky) = all.iter().find(|it| native::fails(test, it)) {
        return Err(format!("natively, {} comes to another result in a case", words(flaky)));
    }
    let start = Instant::now();
    let (mut differing, mut losses, mut compared, mut instructions) = (0, Vec::new(), 0, 0);
    for input in &all {
        let once = crate::engine::once(&mut { test }, input)?;
        compared += 1;
        instructions += once.instructions;
        losses.extend(once.losses);
        if once.verdict != "pass" {
            differing += 1;
            eprintln!("differs: {} with {}", once.verdict, words(input));
        }
    }
    let disagreements = losses.iter().filter(|it| it.starts_with("internal disagreement")).count();
    let ms = start.elapsed().as_millis();
    println!(
        "compared={compared} differing={differing} disagreements={disagreements} instructions={instructions} ms={ms}"
    );
    losses.sort();
    losses.dedup();
    losses.iter().for_each(|it| eprintln!("lost: {it}"));
    Ok(differing == 0 && disagreements == 0)
}

/// Compares what the engine claims of all paths with all inputs.
pub fn claims(name: Option<&str>, options: &Options) -> Result<bool, String> {
    native::silence();
    let wanted: Vec<&Claim> = CLAIMS.iter().filter(|it| name.is_none_or(|name| name == it.0)).collect();
    if wanted.is_empty() {
        return Err(unknown(name.unwrap_or_default()));
    }
    let mut good = true;
    for (name, test) in wanted {
        let (inputs, failing_inputs) = native::brute_force(*test)?;
        let test = *test;
        let mut confirmed = 0;
        let explored = explore(&mut { test }, &Limits::time(options.seed, options.time), &mut |news| {
            if let News::Fails(answers) = news {
                confirmed += u64::from(native::fails(test, &answers));
            }
            true
        })?;
        let complete = explored.complete && explored.losses.is_empty() && explored.unknown == 0;
        let truthful = confirmed == explored.failing && (confirmed > 0) == (failing_inputs > 0);
        let agrees = complete && truthful && explored.paths <= inputs;
        good &= agrees;
        println!(
            "name={name} agrees={agrees} complete={complete} inputs={inputs} failing_inputs={failing_inputs} {}",
            figures(&explored)
        );
        tell_losses(&explored);
    }
    Ok(good)
}

/// Runs a hostile test as `cargo test` runs it; the report says what came of it.
pub fn hostile(name: &str, options: &Options) -> Result<bool, String> {
    let it = HOSTILE.iter().find(|it| it.name == name).ok_or_else(|| unknown(name))?;
    let check =
        Check::new(name).engine("concolic").time(Duration::from_secs(hostile::TIME)).seed(options.seed);
    check.store(false).verbose(true).run(it.test);
    Ok(true)
}

fn unknown(name: &str) -> String {
    format!("there is no subject `{name}` for that; see `subjects list`")
}

fn words(answers: &[Value]) -> String {
    answers.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

fn figures(it: &Explored) -> String {
    format!(
        "runs={} paths={} queries={} unknown={} failing={} divergences={} instructions={}",
        it.runs, it.paths, it.queries, it.unknown, it.failing, it.divergences, it.instructions
    )
}

fn tell_losses(it: &Explored) {
    it.losses.iter().for_each(|(what, n)| eprintln!("lost: {what}, {n} times"));
    it.unsupported.iter().for_each(|it| eprintln!("unsupported: {it}"));
}
