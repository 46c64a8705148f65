//! The verdicts against an SMT solver's, on expressions too wide for brute force.

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Duration;

use probity_testkit::Stream;

use super::super::{Answer, Limits, Session, dump};
use super::brute::Setup;
use crate::clock::Deadline;

/// This many paths are made up, each with five questions.
const PATHS: usize = 24;

/// Z3 with its arguments.
fn solver() -> Command {
    let named = std::env::var("PROBITY_SOLVER").ok().filter(|it| !it.trim().is_empty());
    for program in named.iter().map(String::as_str).chain(["z3"]) {
        let is_z3 = std::path::Path::new(program).file_stem().is_some_and(|it| it == "z3");
        let works = Command::new(program).arg("--version").output().is_ok_and(|it| it.status.success());
        if is_z3 && works {
            let mut command = Command::new(program);
            command.args(["-in", "-t:500"]);
            return command;
        }
    }
    panic!("no z3 was found; set PROBITY_SOLVER to its program")
}

/// What the solver says of each script.
fn verdicts(mut command: Command, scripts: &[String]) -> Vec<String> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let text = scripts.join("(reset)\n");
    let writer = std::thread::spawn(move || stdin.write_all(text.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_string).collect()
}

#[test]
#[ignore = "needs z3: cargo xtask check finds or fetches one"]
fn verdicts_agree_with_z3() {
    let command = solver();
    let mut numbers = Stream::new(17);
    let (mut scripts, mut answers) = (Vec::new(), Vec::new());
    let widths: [&[u8]; 5] = [&[32], &[16, 16], &[64, 8], &[32, 8, 8], &[24, 40]];
    for path in 0..PATHS {
        let mut setup = Setup::new(&mut numbers, widths[path % widths.len()]);
        // Every other one by SAT alone.
        let mut session = Session { only_sat: path % 2 == 1, ..Session::default() };
        let mut conditions = Vec::new();
        for _ in 0..5 {
            let (taken, other) = setup.branch(&mut numbers);
            conditions.push(other);
            let limits = Limits { until: Deadline::after(Duration::from_secs(60)), conflicts: 20_000 };
            let answer = session.solve(&setup.dag, &conditions, limits);
            if let Some(script) = dump(&setup.dag, &conditions, &answer) {
                scripts.push(script);
                answers.push(answer);
            }
            *conditions.last_mut().unwrap() = taken;
        }
    }
    let said = verdicts(command, &scripts);
    assert_eq!(said.len(), answers.len(), "{said:?}");
    let mut settled = 0;
    for ((said, answer), script) in said.iter().zip(&answers).zip(&scripts) {
        match (said.as_str(), answer) {
            ("sat", Answer::Sat(_)) | ("unsat", Answer::Unsat) => settled += 1,
            (_, Answer::Unknown) | ("unknown" | "timeout", _) => {}
            _ => panic!("{said}, not {answer:?}: {script}"),
        }
    }
    assert!(settled * 2 > said.len(), "{settled} of {}", said.len());
}
