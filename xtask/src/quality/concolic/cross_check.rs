//! What the solver says, against Z3: questions of real searches, written down as SMT-LIB.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::subjects::{self, Profile, in_parallel};
use crate::quality::process;
use crate::quality::table::Table;
use crate::solver::{self, SolverPlace};

/// This many questions have to be compared.
const QUERIES_MIN: usize = 500;
/// Of more, this many are chosen.
const QUERIES_MAX: usize = 1000;
/// Seconds that a search may ask questions for.
const CAP: u64 = 3;
/// Seconds that Z3 may think about one question.
const THINK: u64 = 20;

pub(super) fn table() -> Table {
    let title = format!("questions of the solving set (at most {CAP} s each) against Z3");
    let columns =
        ["profile", "questions", "compared", "sat", "unsat", "ours open", "Z3 open", "disagree", "which"];
    let mut table = Table::new(title, &columns);
    let program = match solver::ensure() {
        Ok(SolverPlace::Fetched(program)) => program.display().to_string(),
        Ok(SolverPlace::ByThemselves) => super::super::tables::solver().unwrap_or_else(|| "z3".to_string()),
        Err(why) => {
            eprintln!("warning: THE SOLVER IS NOT CHECKED: there is no Z3: {why}; install z3");
            let mut cells = vec!["SKIPPED: there is no Z3".to_string()];
            cells.resize(columns.len(), String::new());
            table.row(cells, "0 disagree", None);
            return table;
        }
    };
    for profile in [Profile::Debug, Profile::Release] {
        compare(&mut table, profile, &program);
    }
    table
}

/// What of the two said of a question.
#[derive(Clone, Copy, PartialEq)]
enum SolverPair {
    Sat,
    Unsat,
    Open,
}

/// What our solver said, and what Z3 said or why it did not.
type Both = (Option<SolverPair>, Result<SolverPair, String>);

impl SolverPair {
    fn read(text: &str) -> Option<SolverPair> {
        let said = |word: &str| match word {
            "unsat" => Some(SolverPair::Unsat),
            "sat" => Some(SolverPair::Sat),
            "unknown" | "timeout" => Some(SolverPair::Open),
            _ => None,
        };
        text.split(|c: char| !c.is_ascii_alphabetic()).find_map(said)
    }
}

fn compare(table: &mut Table, profile: Profile, z3: &str) {
    let folder =
        std::env::temp_dir().join(format!("probity-queries-{}-{}", std::process::id(), profile.name()));
    let questions = questions(profile, &folder);
    // Evenly, of all searches.
    let step = questions.len().div_ceil(QUERIES_MAX).max(1);
    let chosen: Vec<&PathBuf> = questions.iter().step_by(step).collect();
    let said: Vec<Both> = in_parallel(&chosen, |path| {
        let ours = path.file_name().and_then(|it| SolverPair::read(&it.to_string_lossy()));
        let mut command = Command::new(z3);
        command.arg(format!("-T:{THINK}")).arg(path);
        let ran = process::run(command, Duration::from_secs(THINK + 10));
        let theirs = ran.stdout.lines().next().map(|it| SolverPair::read(it).ok_or_else(|| it.to_string()));
        (ours, theirs.unwrap_or_else(|| Err(ran.complaint())))
    });
    let count = |f: &dyn Fn(&Both) -> bool| said.iter().filter(|it| f(it)).count();
    let is_settled = |it: &SolverPair| *it != SolverPair::Open;
    let compared = count(&|it| it.0.as_ref().is_some_and(is_settled) && it.1.as_ref().is_ok_and(is_settled));
    let mut which = Vec::new();
    for (path, it) in chosen.iter().zip(&said) {
        let name = path.strip_prefix(&folder).unwrap_or(path).display();
        match it {
            (None, _) => which.push(format!("{name}: no verdict of ours")),
            (_, Err(why)) => which.push(format!("{name}: {why}")),
            (Some(a), Ok(b)) if a != b && is_settled(a) && is_settled(b) => which.push(name.to_string()),
            _ => {}
        }
    }
    let disagree = which.len();
    which.truncate(5);
    let cells = vec![
        profile.name().to_string(),
        questions.len().to_string(),
        compared.to_string(),
        count(&|it| it.0 == Some(SolverPair::Sat)).to_string(),
        count(&|it| it.0 == Some(SolverPair::Unsat)).to_string(),
        count(&|it| it.0 == Some(SolverPair::Open)).to_string(),
        count(&|it| it.1 == Ok(SolverPair::Open)).to_string(),
        disagree.to_string(),
        which.join("; "),
    ];
    // They are kept where there is something to look at.
    if disagree == 0 {
        let _ = fs::remove_dir_all(&folder);
    } else {
        eprintln!("the questions are kept in {}", folder.display());
    }
    table.row(cells, format!(">= {QUERIES_MIN}, 0 disagree"), Some(disagree == 0 && compared >= QUERIES_MIN));
}

/// Has the searches write down what they ask.
fn questions(profile: Profile, folder: &Path) -> Vec<PathBuf> {
    let program = profile.build();
    let mut res = Vec::new();
    for name in subjects::list(&program, "solving").into_iter().map(|it| it[0].clone()) {
        let folder = folder.join(&name);
        fs::create_dir_all(&folder).expect("there is room");
        let (path, cap) = (folder.display().to_string(), format!("{CAP}s"));
        let limit = Duration::from_secs(CAP + 30);
        subjects::run(&program, &["solve", &name, "--time", &cap, "--dump", &path], limit);
        let files = fs::read_dir(&folder).into_iter().flatten().flatten().map(|it| it.path());
        let mut files: Vec<PathBuf> =
            files.filter(|it| it.extension().is_some_and(|it| it == "smt2")).collect();
        files.sort();
        res.extend(files);
    }
    res
}
