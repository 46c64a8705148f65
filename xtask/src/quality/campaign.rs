//! Campaigns: what is kept when they are killed, what two of them come to together, and what dies in them. The tests
//! are in `subjects/trust/tests/campaign.rs`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use probity::corpus::CorpusFolder;
use probity::store::{self, Entry};
use probity_core::Rng;

use super::Measure;
use super::process::{self, Ran};
use super::table::Table;
use super::trust::{build, folder};

pub(super) const PARTS: &[(&str, Measure)] = &[("kills", kills), ("merging", merging), ("deaths", deaths)];

/// How often a campaign is killed, and how long it runs at most before that: to start takes about 30 ms.
const KILLS: usize = 200;
const MILLIS_MAX: u64 = 150;
/// How long a run may take.
const LIMIT: Duration = Duration::from_secs(120);
/// The name of the reader's test, with its crate.
const READER: &str = "campaign::reads";
/// The memory that tests have who allocate without end, in kilobytes.
const MEMORY: u64 = 2 << 20;

/// A folder for corpora and failures, removed at the end.
struct CampaignFolder(PathBuf);

impl CampaignFolder {
    fn new(name: &str) -> CampaignFolder {
        let path = std::env::temp_dir().join(format!("probity-campaign-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("there is room");
        CampaignFolder(path)
    }

    /// The cases of the reader, by the names of their files.
    fn cases(&self) -> BTreeMap<String, Vec<u8>> {
        let corpus = CorpusFolder::new(self.0.clone(), READER);
        let files = fs::read_dir(corpus.folder()).into_iter().flatten().flatten();
        let name = |it: &fs::DirEntry| it.file_name().to_string_lossy().into_owned();
        let files = files.map(|it| (name(&it), fs::read(it.path()).unwrap_or_default()));
        files.filter(|it| it.0.ends_with(".txt")).collect()
    }
}

impl Drop for CampaignFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A process of a campaign.
fn command(program: &Path, test: &str, folder: &CampaignFolder, variables: &[(&str, &str)]) -> Command {
    let mut res = Command::new("sh");
    let limited = format!("ulimit -v {MEMORY}; exec \"$0\" \"$@\"");
    res.args(["-c", &limited]).arg(program).args([test, "--exact", "--nocapture"]);
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("PROBITY_") {
            res.env_remove(name);
        }
    }
    for name in ["CI", "RUST_BACKTRACE", "CARGO_MANIFEST_DIR", "CARGO_PKG_NAME", "RUST_TEST_THREADS"] {
        res.env_remove(name);
    }
    res.env("PROBITY_CORPUS", &folder.0).env("PROBITY_STORE", folder.0.join("failures"));
    res.env("PROBITY_ENGINE", "coverage").env("PROBITY_CAMPAIGN", "1");
    res.envs(variables.iter().copied()).current_dir(self::folder());
    res
}

fn run(program: &Path, test: &str, folder: &CampaignFolder, variables: &[(&str, &str)]) -> Ran {
    process::run(command(program, test, folder, variables), LIMIT)
}

/// Processes that run the program: none should, once all are ended.
fn left_behind(program: &Path) -> usize {
    let mut left = 0;
    for _ in 0..100 {
        let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
        left =
            processes.filter(|it| fs::read_link(it.path().join("exe")).is_ok_and(|it| it == program)).count();
        if left == 0 {
            break;
        }
        thread::sleep(Duration::from_millis(50));
    }
    left
}

/// A campaign that is killed again and again.
fn kills() -> Table {
    let title = format!("a campaign that is killed (SIGKILL) at {KILLS} random moments");
    let columns = ["kills", "cases kept", "lost or changed", "damaged", "processes left"];
    let mut table = Table::new(title, &columns);
    let program = build("campaign");
    let folder = CampaignFolder::new("kills");
    let mut rng = Rng::new(7);
    let mut before = BTreeMap::new();
    let (mut lost, mut damaged) = (0, 0);
    for _ in 0..KILLS {
        let seed = rng.word().to_string();
        let mut child =
            command(&program, "reads", &folder, &[("PROBITY_SEED", &seed), ("PROBITY_TIME", "60s")]);
        let mut child = child.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it was built");
        thread::sleep(Duration::from_millis(rng.below(MILLIS_MAX)));
        let _ = child.kill(); // it may have ended
        let _ = child.wait();
        let after = folder.cases();
        lost += before.iter().filter(|(name, text)| after.get(*name) != Some(text)).count();
        damaged += CorpusFolder::new(folder.0.clone(), READER).load().unusable.len();
        before = after;
    }
    let left = left_behind(&program);
    let cells = [KILLS, before.len(), lost, damaged, left].map(|it| it.to_string());
    let is_met = before.len() > 10 && lost + damaged + left == 0;
    table.row(cells.to_vec(), "0 lost, 0 damaged, 0 left", Some(is_met));
    table
}

/// The blocks that a corpus reaches when it is run alone.
fn blocks(program: &Path, folder: &CampaignFolder) -> BTreeSet<u64> {
    let _ = fs::remove_file(CorpusFolder::new(folder.0.clone(), READER).folder().join("reached"));
    let ran = run(program, "reads", folder, &[("PROBITY_CAMPAIGN", "minimize"), ("PROBITY_SEED", "1")]);
    assert!(ran.code == Some(0), "it runs:\n{}{}", ran.stdout, ran.stderr);
    let reached = CorpusFolder::new(folder.0.clone(), READER).reached().expect("it was written");
    reached.modules().flat_map(|it| it.1.iter().copied()).collect()
}

/// Two corpora that are merged by copying their files.
fn merging() -> Table {
    let title = "two corpora merged by copying: blocks, and how many of either are not among those of both";
    let mut table = Table::new(title, &["first", "second", "merged", "cases", "kept", "missing"]);
    let program = build("campaign");
    let [first, second, both] = ["first", "second", "both"].map(CampaignFolder::new);
    for (folder, seed) in [(&first, "1"), (&second, "2")] {
        run(&program, "reads", folder, &[("PROBITY_SEED", seed), ("PROBITY_TIME", "3s")]);
        let to = CorpusFolder::new(both.0.clone(), READER).folder().to_path_buf();
        fs::create_dir_all(&to).expect("there is room");
        for (name, text) in folder.cases() {
            fs::write(to.join(name), text).expect("there is room");
        }
    }
    let cases = both.cases().len();
    let merged = blocks(&program, &both);
    let [a, b] = [&first, &second].map(|it| blocks(&program, it));
    let missing = a.union(&b).filter(|it| !merged.contains(it)).count();
    let cells = [a.len(), b.len(), merged.len(), cases, both.cases().len(), missing];
    table.row(cells.map(|it| it.to_string()).to_vec(), "0 missing", Some(missing == 0 && !merged.is_empty()));
    table
}

/// How a test dies: what its stored failure has to begin with, for each of the deaths that are in it.
type Death = (&'static str, &'static [&'static str]);

const DEATHS: [Death; 11] = [
    ("panics_in_a_thread", &["panicked at tests/campaign.rs:"]),
    ("panics_twice", &["panicked at tests/campaign.rs:"]),
    ("panics_while_unwinding", &["panicked at tests/campaign.rs:"]),
    ("aborts", &["died: abort in `campaign::aborts`"]),
    ("overflows", &["died: stack overflow in `campaign::endless`"]),
    ("segfaults", &["died: segmentation fault in `campaign::segfaults`"]),
    ("exits", &["exited with code 0 in `campaign::exits`"]),
    ("loops", &["did not end within 1s"]),
    ("allocates", &["died: abort"]),
    ("deadlocks", &["did not end within 1s"]),
    (
        "segfaults_in_two_places",
        &[
            "died: segmentation fault in `campaign::reads_here`",
            "died: segmentation fault in `campaign::reads_there`",
        ],
    ),
];
/// The inputs that are left of each when they are as simple as can be.
const SIMPLEST: [&str; 2] = ["[107, 101]", "[109, 101]"];

/// What a campaign has stored.
fn stored(folder: &CampaignFolder, test: &str) -> Vec<Entry> {
    let folder = folder.0.join("failures").join(format!("campaign--{test}"));
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    files.map(|it| store::read(&it.path()).expect("what is stored can be read")).collect()
}

/// Tests that die: each death is found, told by its place, shrunk and stored; the campaign goes on to the next, and passes when
/// all are known; a plain run has them again.
fn deaths() -> Table {
    let title =
        "tests that die, in a campaign: processes that found something, what was stored, and after that";
    let columns = ["test", "found", "attributed", "shrunk", "stored", "then", "plain", "processes left"];
    let mut table = Table::new(title, &columns);
    let program = build("campaign");
    for (test, deaths) in DEATHS {
        let folder = CampaignFolder::new(test);
        let env = [("PROBITY_TIME", "5s"), ("PROBITY_HANG", "1s")];
        let ended = |ran: &Ran| match ran.code {
            Some(0) => "passes".to_string(),
            Some(101) => "fails".to_string(),
            _ => ran.complaint(),
        };
        let searches: Vec<Ran> = deaths.iter().map(|_| run(&program, test, &folder, &env)).collect();
        let found = searches.iter().filter(|it| it.code == Some(101)).count();
        let then = run(&program, test, &folder, &env);
        let plain = [("PROBITY_ENGINE", "auto"), ("PROBITY_CAMPAIGN", "0"), env[1]];
        let plain = run(&program, test, &folder, &plain);
        let left = left_behind(&program);
        let stored = stored(&folder, test);
        let is_told = |it: &&&str| stored.iter().filter(|entry| entry.failure.starts_with(**it)).count() == 1;
        let attributed = deaths.iter().filter(is_told).count();
        let is_simple = |it: &&Entry| it.inputs.iter().all(|input| SIMPLEST.contains(&&*input.1));
        let shrunk = stored.iter().filter(is_simple).count();
        let n = deaths.len();
        let (after, again) = (ended(&then), ended(&plain));
        let is_met = [found, attributed, shrunk, stored.len()].iter().all(|it| *it == n)
            && (&*after, &*again, left) == ("passes", "fails", 0);
        let numbers = [found, attributed, shrunk, stored.len()].map(|it| it.to_string());
        let cells = [vec![test.to_string()], numbers.to_vec(), vec![after, again, left.to_string()]].concat();
        table.row(cells, format!("{n} of {n}, passes, fails, 0"), Some(is_met));
        if !is_met {
            let last = searches.last().expect("there is one");
            eprintln!("{test}:\n{}{}\nthen:\n{}{}", last.stdout, last.stderr, then.stdout, then.stderr);
            stored.iter().for_each(|it| eprintln!("stored: {} {:?}", it.failure, it.inputs));
        }
    }
    table
}
