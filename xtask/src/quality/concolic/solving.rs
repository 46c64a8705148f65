//! What is solved from nothing, how soon, and with how much.

use std::path::PathBuf;
use std::time::Duration;

use super::median;
use super::subjects::{self, Profile};
use crate::quality::process::Ran;
use crate::quality::table::{Table, grouped};

/// A search may take this long.
const CAP: u64 = 20;
/// What is not ended by then is.
const LIMIT: Duration = Duration::from_secs(CAP + 15);
const SEEDS: u64 = 5;
/// The share of searches that have to find something, in percent.
const SHARE: f64 = 95.0;
/// Milliseconds that half of the searches may take.
const MEDIAN: f64 = 1000.0;

pub(super) fn table() -> Table {
    let title = format!("solved from nothing: {SEEDS} seeds, at most {CAP} s each, two forms of each kind");
    let mut table =
        Table::new(title, &["what", "profile", "solved", "median", "worst", "runs", "queries", "misses"]);
    let mut all = Vec::new();
    for profile in [Profile::Debug, Profile::Release] {
        let program = profile.build();
        for row in rows(&program) {
            let searches = search(&program, &row.1, SEEDS);
            table.row(cells(&row.0, profile, &searches), "", None);
            all.extend(searches);
        }
    }
    let (n, solved) = (all.len(), all.iter().filter(|it| it.solved).count());
    let share = 100.0 * solved as f64 / n as f64;
    let time = median(all.iter().map(|it| it.ms).collect());
    let is_false = |it: &&Search| it.complaint.as_ref().is_some_and(|it| it.starts_with("FALSE"));
    let wrong = format!("{} false", all.iter().filter(is_false).count());
    let (share_text, time_text) = (format!("{share:.1} % of {n}"), format!("{time:.0} ms"));
    let cells = ["together", "both", &share_text, &time_text, "", "", "", &wrong];
    let met = share >= SHARE && time < MEDIAN && wrong == "0 false";
    table.row(cells.map(String::from).to_vec(), format!(">= {SHARE} %, < {MEDIAN} ms, 0 false"), Some(met));
    // Said beside it: what it comes to for one who does not have the engine optimized.
    let program = Profile::Plain.build();
    let searches: Vec<Search> = rows(&program).iter().flat_map(|row| search(&program, &row.1, 1)).collect();
    table.row(self::cells("together, 1 seed", Profile::Plain, &searches), "", None);
    table
}

/// The kinds, each with the names of its forms.
fn rows(program: &PathBuf) -> Vec<(String, Vec<String>)> {
    let mut res: Vec<(String, Vec<String>)> = Vec::new();
    for it in subjects::list(program, "solving") {
        match res.iter_mut().find(|row| row.0 == it[1]) {
            Some(row) => row.1.push(it[0].clone()),
            None => res.push((it[1].clone(), vec![it[0].clone()])),
        }
    }
    res
}

struct Search {
    name: String,
    solved: bool,
    /// As long as it took; the cap where it found nothing.
    ms: f64,
    runs: f64,
    queries: f64,
    complaint: Option<String>,
}

/// Searches of every form with every seed, one after the other: they are timed.
fn search(program: &PathBuf, names: &[String], seeds: u64) -> Vec<Search> {
    let mut res = Vec::new();
    for name in names {
        for seed in 1..=seeds {
            let (seed, cap) = (seed.to_string(), format!("{CAP}s"));
            let ran = subjects::run(program, &["solve", name, "--seed", &seed, "--time", &cap], LIMIT);
            res.push(Search::new(name, &ran));
        }
    }
    res
}

impl Search {
    fn new(name: &str, ran: &Ran) -> Search {
        let solved = ran.field("solved") == Some("true") && ran.number("false_alarms") == 0.0;
        let complaint = match ran.field("solved") {
            Some("true") if !solved => Some("FALSE ALARM".to_string()),
            Some(_) if ran.field("false_claim") == Some("true") => Some("FALSE CLAIM".to_string()),
            Some(_) => None,
            None => Some(ran.complaint()),
        };
        let ms = if solved { ran.number("ms") } else { CAP as f64 * 1000.0 };
        Search {
            name: name.to_string(),
            solved,
            ms,
            runs: ran.number("runs"),
            queries: ran.number("queries"),
            complaint,
        }
    }
}

fn cells(row: &str, profile: Profile, searches: &[Search]) -> Vec<String> {
    let figures = |f: fn(&Search) -> f64| searches.iter().map(f).collect::<Vec<_>>();
    let worst = figures(|it| it.ms).into_iter().fold(0.0, f64::max);
    let solved = searches.iter().filter(|it| it.solved).count();
    let mut misses: Vec<String> = searches.iter().filter(|it| !it.solved).map(Search::miss).collect();
    misses.dedup();
    vec![
        row.to_string(),
        profile.name().to_string(),
        format!("{solved}/{}", searches.len()),
        format!("{:.0} ms", median(figures(|it| it.ms))),
        format!("{worst:.0} ms"),
        grouped(median(figures(|it| it.runs)) as u64),
        grouped(median(figures(|it| it.queries)) as u64),
        misses.join("; "),
    ]
}

impl Search {
    fn miss(&self) -> String {
        match &self.complaint {
            Some(why) => format!("{}: {why}", self.name),
            None => self.name.clone(),
        }
    }
}
