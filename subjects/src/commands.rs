//! What the program can do with the engine.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use probity::engine::{Bounds, Ended, Exhaustive, Value, Verdict, run_case};
use probity::{Check, Source, bytes};
use probity_suite::{Group, Row, rows};

use crate::differential::{self, BYTES_MAX};
use crate::engine::{self, Limits, explore, words};
use crate::families::FAMILIES;
use crate::hostile::{self, HOSTILE};
use crate::{native, programs};

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
    for (kind, group) in [("solving", Group::Puzzle), ("plain", Group::Plain)] {
        rows().filter(|it| it.group == group).for_each(|it| println!("{kind}\t{}\t{}", it.name, it.kind));
    }
    for it in rows().filter(|it| it.group == Group::Claim) {
        println!("claims\t{}\t", it.name);
    }
    for (name, ..) in FAMILIES {
        println!("families\t{name}\t");
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
    let puzzle = native::puzzles().find(|it| it.name == name);
    let test = puzzle.ok_or_else(|| unknown(name))?.test;
    let limits = Limits { seed: options.seed, time: options.time, dump: options.dump.clone(), one: true };
    let start = Instant::now();
    let told = explore(&mut { test }, &limits)?;
    let found = told.fails.first();
    let solved = found.is_some_and(|it| native::fails(test, &it.0));
    let time = found.map_or_else(|| start.elapsed(), |it| it.1).as_secs_f64() * 1000.0;
    let false_alarms = u64::from(found.is_some() && !solved);
    // Of what fails nobody may say that all paths were run and none failed.
    let false_claim = found.is_none() && told.complete;
    println!(
        "solved={solved} ms={time:.3} false_alarms={false_alarms} false_claim={false_claim} {}",
        told.figures
    );
    if let Some((answers, _)) = found {
        eprintln!("found: {}", words(answers));
    }
    told.losses.iter().for_each(|it| eprintln!("lost: {it}"));
    Ok(solved)
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
    let it = engine::compare(&mut { test }, &all)?;
    println!(
        "compared={} differing={} disagreements={} instructions={} ms={}",
        it.runs,
        it.others.len(),
        it.disagreements,
        it.instructions,
        start.elapsed().as_millis()
    );
    it.losses.iter().for_each(|it| eprintln!("lost: {it}"));
    it.others.iter().for_each(|it| eprintln!("differs: {it}"));
    Ok(it.others.is_empty() && it.disagreements == 0 && it.runs == options.inputs)
}

/// Compares what the engine claims of all paths with all inputs.
pub fn claims(name: Option<&str>, options: &Options) -> Result<bool, String> {
    native::silence();
    let claims = rows().filter(|it| it.group == Group::Claim);
    let wanted: Vec<&Row> = claims.filter(|it| name.is_none_or(|name| name == it.name)).collect();
    if wanted.is_empty() {
        return Err(unknown(name.unwrap_or_default()));
    }
    let mut good = true;
    for &&Row { name, test, .. } in &wanted {
        let (inputs, failing_inputs) = native::brute_force(test)?;
        let limits = Limits { seed: options.seed, time: options.time, dump: None, one: false };
        let told = explore(&mut { test }, &limits)?;
        let truthful = told.fails.iter().all(|it| native::fails(test, &it.0));
        let complete = told.complete;
        let agrees = complete && truthful && told.fails.is_empty() == (failing_inputs == 0);
        good &= agrees;
        println!(
            "name={name} agrees={agrees} complete={complete} inputs={inputs} failing_inputs={failing_inputs} {}",
            told.figures
        );
        told.losses.iter().for_each(|it| eprintln!("lost: {it}"));
    }
    Ok(good)
}

/// Looks at what is claimed of tests whose failures are hidden, and of their harmless kin.
pub fn families(name: Option<&str>, options: &Options) -> Result<bool, String> {
    native::silence();
    let wanted: Vec<_> = FAMILIES.iter().filter(|it| name.is_none_or(|name| name == it.0)).collect();
    if wanted.is_empty() {
        return Err(unknown(name.unwrap_or_default()));
    }
    let mut good = true;
    for &&(name, test, is_claimed) in &wanted {
        let limits = Limits { seed: options.seed, time: options.time, dump: None, one: false };
        let told = explore(&mut { test }, &limits)?;
        let claims = told.complete && told.fails.is_empty();
        good &= claims == is_claimed;
        println!(
            "name={name} agrees={} claims={claims} found={} {}",
            claims == is_claimed,
            !told.fails.is_empty(),
            told.figures
        );
        told.losses.iter().for_each(|it| eprintln!("lost: {it}"));
    }
    Ok(good)
}

/// Compares what the engine claims of random programs with all their inputs.
pub fn programs(options: &Options) -> Result<bool, String> {
    native::silence();
    let (mut claims, mut with_failures, mut found, mut wrong) = (0, 0, 0, Vec::new());
    for seed in options.seed..options.seed + options.inputs {
        let program = programs::program(seed);
        let limits = Limits { seed, time: options.time, dump: None, one: true };
        let told = explore(&mut |src: &mut Source| program.run(src), &limits)?;
        let fails = any_fails(&program);
        let is_claimed = told.complete && told.fails.is_empty();
        claims += u64::from(is_claimed);
        with_failures += u64::from(fails);
        found += u64::from(fails && !told.fails.is_empty());
        if is_claimed && fails {
            eprintln!("false claim for {seed}: {program:?}");
            wrong.push(seed.to_string());
        }
    }
    println!(
        "programs={} failing={with_failures} found={found} claims={claims} false_claims={} which={}",
        options.inputs,
        wrong.len(),
        wrong.join(",")
    );
    Ok(wrong.is_empty())
}

/// Whether an input fails, or ends the process: all are run, in another process.
fn any_fails(program: &programs::Program) -> bool {
    let (text, status) = engine::split(|pipe| {
        use std::io::Write;
        // SAFETY: a test that ends its process is to end it, and quietly.
        unsafe { libc::alarm(60) };
        let mut source = Source::new(Box::new(Exhaustive::new(Bounds::default())));
        let mut inputs = 0;
        loop {
            match source.begin() {
                Ok(()) => {}
                Err(Ended::Complete) => break,
                Err(_) => return,
            }
            let Ok(case) = run_case(&mut source, &mut |src: &mut Source| program.run(src)) else { return };
            source.end(&case);
            inputs += 1;
            if matches!(case.verdict, Verdict::Fail(_)) {
                let _ = writeln!(pipe, "fails");
                return;
            }
        }
        assert_eq!(inputs, program.inputs(), "every input was visited");
        let _ = writeln!(pipe, "passes");
    });
    status != 0 || !text.contains("passes")
}

/// Runs a hostile test as `cargo test` runs it; the report says what came of it.
pub fn hostile(name: &str, options: &Options) -> Result<bool, String> {
    let it = HOSTILE.iter().find(|it| it.name == name).ok_or_else(|| unknown(name))?;
    let check =
        Check::new(name).engine("concolic").time(Duration::from_secs(hostile::TIME)).seed(options.seed);
    check.hang(hostile::HANG).store(false).verbose(true).run(it.test);
    Ok(true)
}

fn unknown(name: &str) -> String {
    format!("there is no subject `{name}` for that; see `subjects list`")
}
