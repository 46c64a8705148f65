//! Other fuzzers beside our engines: what each finds in ten tests, whether what they find is an ordinary failure, builds for them
//! beside plain ones, and a folder that they share. The workspace of the tests is in `backends/workspace`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use probity_lang::json::{self, JsonKind};

use super::Measure;
use super::table::Table;
use crate::cargo;

pub(super) const TABLES: &[Measure] = &[rebuilds, ten, members];

/// Other fuzzers, with a program that is there where they are.
const FUZZERS: [(&str, &str); 2] = [("libfuzzer", "clang"), ("afl", "afl-fuzz")];
/// What installs them.
const PACKAGES: [&str; 3] = ["clang", "afl++", "libclang-rt-14-dev"];
/// How long each engine has for each test, and a campaign.
const TIME: &str = "5s";
/// How long members share a folder.
const SHARED: Duration = Duration::from_secs(60);
/// The tests whose findings are brought home, of those that both other fuzzers find in seconds.
const HOME: [&str; 3] = ["ladder", "large_sum", "five_pushes"];

/// Those fuzzers that are here, after they were installed where that is possible. The others are said loudly.
fn fuzzers() -> Vec<&'static str> {
    let is_here = |program: &str| {
        let asked = Command::new("which").arg(program).stdout(Stdio::null()).stderr(Stdio::null()).status();
        asked.is_ok_and(|it| it.success())
    };
    if !FUZZERS.iter().all(|it| is_here(it.1)) {
        eprintln!("installing {}", PACKAGES.join(" "));
        let mut apt = Command::new("apt-get");
        apt.args(["install", "-y"]).args(PACKAGES).stdin(Stdio::null()).stdout(Stdio::null());
        let _ = apt.status(); // whether they are here is seen below
    }
    for (name, _) in FUZZERS.iter().filter(|it| !is_here(it.1)) {
        eprintln!("SKIPPED: {name} is not installed, and could not be; `apt install {}`", PACKAGES.join(" "));
    }
    FUZZERS.into_iter().filter(|it| is_here(it.1)).map(|it| it.0).collect()
}

/// A copy of the workspace, built beside our own.
struct Workspace {
    root: PathBuf,
    command: PathBuf,
}

impl Workspace {
    fn new() -> Workspace {
        let build = cargo::silent(&["build", "--quiet", "-p", "cargo-probity"], &[]).status();
        assert!(build.is_ok_and(|it| it.success()), "the command builds");
        let root = cargo::root().join("target/quality/backends");
        let _ = fs::remove_dir_all(root.join("app")); // it may not be there
        copy(&cargo::root().join("xtask/src/quality/backends/workspace"), &root);
        let manifest = root.join("app/Cargo.toml");
        let text = fs::read_to_string(&manifest).expect("it was copied");
        let probity = cargo::root().join("crates/probity").display().to_string();
        fs::write(manifest, text.replace("@probity@", &probity)).expect("there is room");
        let _ = fs::copy(cargo::root().join("Cargo.lock"), root.join("Cargo.lock")); // the same versions
        Workspace { root, command: cargo::root().join("target/debug/cargo-probity") }
    }

    fn run(&self, program: &Path, args: &[&str]) -> Output {
        self.prepared(program, args).output().expect("the program is there")
    }

    fn prepared(&self, program: &Path, args: &[&str]) -> Command {
        let mut res = Command::new(program);
        res.args(args).current_dir(&self.root).stdin(Stdio::null());
        for name in ["CI", "RUST_BACKTRACE", "CARGO_MANIFEST_DIR", "CARGO_PKG_NAME", "CARGO_TARGET_DIR"] {
            res.env_remove(name);
        }
        res.env("CARGO_NET_OFFLINE", "true");
        res
    }

    /// The command on a line of words.
    fn probity(&self, line: &str) -> Output {
        let words: Vec<&str> = ["probity"].into_iter().chain(line.split(' ')).collect();
        self.run(&self.command, &words)
    }

    fn cargo(&self, line: &str) -> Output {
        self.run(Path::new("cargo"), &line.split(' ').collect::<Vec<_>>())
    }

    /// What a test's stored failures say, without what differs from run to run.
    fn stored(&self, test: &str) -> Vec<String> {
        let folder = self.root.join(format!("app/probity-failures/ten--{test}"));
        let files = fs::read_dir(folder).into_iter().flatten().flatten();
        let choices = |text: String| text.lines().find(|it| it.starts_with("choices:")).map(str::to_string);
        let mut res: Vec<String> =
            files.filter_map(|it| choices(fs::read_to_string(it.path()).ok()?)).collect();
        res.sort();
        res
    }

    fn forget_failures(&self) {
        let _ = fs::remove_dir_all(self.root.join("app/probity-failures")); // there may be none
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("there is room");
    for it in fs::read_dir(from).expect("it is there").flatten() {
        let target = to.join(it.file_name());
        if it.path().is_dir() {
            copy(&it.path(), &target);
        } else {
            fs::copy(it.path(), target).expect("there is room");
        }
    }
}

/// How many crates a run of cargo compiled.
fn compiled(output: &Output) -> usize {
    String::from_utf8_lossy(&output.stderr).lines().filter(|it| it.trim().starts_with("Compiling")).count()
}

/// Plain builds and builds for other fuzzers in turns: each compiles only what was edited.
fn rebuilds() -> Table {
    let columns = ["fuzzer", "state", "its build", "plain", "its again", "plain again", "plain tests"];
    let mut table = Table::new("crates compiled by builds for a fuzzer and plain ones in turns", &columns);
    let fuzzers = fuzzers();
    let workspace = Workspace::new();
    for fuzzer in &fuzzers {
        workspace.cargo("test --no-run");
        for state in ["new", "after an edit"] {
            if state != "new" {
                let path = workspace.root.join("app/src/lib.rs");
                let text = fs::read_to_string(&path).expect("it was copied");
                fs::write(path, text + "\n// edited\n").expect("there is room");
            }
            let theirs = format!("fuzz ladder --engine {fuzzer} --for 1s");
            let first = workspace.probity(&theirs);
            workspace.forget_failures();
            // What the campaign built plainly, to bring findings home, is built.
            let plain = compiled(&workspace.cargo("test --no-run"));
            let again = compiled(&workspace.probity(&theirs));
            workspace.forget_failures();
            let plain_again = compiled(&workspace.cargo("test --no-run"));
            let tests = workspace.cargo("test --lib --bins --doc").status.success()
                || workspace.cargo("test -p app --lib").status.success()
                    && workspace.cargo("test -p app --doc").status.success();
            let cells = [compiled(&first), plain, again, plain_again].map(|it| it.to_string());
            let words = [fuzzer.to_string(), state.to_string()].into_iter().chain(cells);
            let said = if tests { "pass" } else { "fail" };
            let is_met = plain + again + plain_again == 0 && tests && compiled(&first) > 0;
            table.row(words.chain([said.to_string()]).collect(), "some, 0, 0, 0, pass", Some(is_met));
        }
    }
    table
}

/// Ten tests under every engine.
fn ten() -> Table {
    let title =
        format!("ten tests under every engine, {TIME} each on one processor: seconds to failure / cases");
    let columns =
        ["test", "random", "exhaustive", "targeted", "coverage", "concolic", "libfuzzer", "afl", "home"];
    let mut table = Table::new(title, &columns);
    let fuzzers = fuzzers();
    let workspace = Workspace::new();
    workspace.forget_failures();
    let said = workspace.probity(&format!("compare --test ten --for {TIME} --json"));
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    let mut results: BTreeMap<(String, String), (Option<f64>, String)> = BTreeMap::new();
    let mut tests: Vec<String> = Vec::new();
    for line in said.lines().filter_map(|it| json::parse(it).ok()) {
        let word = |key: &str| match line.get(key).map(|it| &it.kind) {
            Some(JsonKind::Text(it)) => it.to_string(),
            Some(JsonKind::Number(it)) => it.to_string(),
            _ => String::new(),
        };
        let test = word("test");
        if !tests.contains(&test) {
            tests.push(test.clone());
        }
        let found = word("found_after_seconds").parse().ok();
        results.insert((test, word("engine")), (found, word("cases")));
    }
    for test in &tests {
        let cell = |engine: &str| match results.get(&(test.clone(), engine.to_string())) {
            Some((Some(found), cases)) => format!("{found:.2} / {cases}"),
            Some((None, cases)) => format!("- / {cases}"),
            None => "skipped".to_string(),
        };
        let found =
            |engine: &str| results.get(&(test.clone(), engine.to_string())).is_some_and(|it| it.0.is_some());
        let home = if HOME.contains(&&**test) { home(&workspace, test, &fuzzers) } else { "".to_string() };
        let cells: Vec<String> = [test.clone()]
            .into_iter()
            .chain(columns[1..8].iter().map(|it| cell(it)))
            .chain([home.clone()])
            .collect();
        // A fault is found by somebody, and none where there is none; what comes home is the same failure.
        let is_found = columns[1..8].iter().any(|it| found(it));
        let is_met = is_found == (test != "holds") && matches!(&*home, "" | "same");
        table.row(cells, if test == "holds" { "none" } else { "found; home the same" }, Some(is_met));
    }
    table
}

/// Whether what other fuzzers find becomes the stored failure that an engine of ours finds, and plain tests replay it.
fn home(workspace: &Workspace, test: &str, fuzzers: &[&str]) -> String {
    workspace.forget_failures();
    workspace.probity(&format!("fuzz {test} --for 20s --jobs 1"));
    let expected = workspace.stored(test);
    for fuzzer in fuzzers {
        workspace.forget_failures();
        workspace.probity(&format!("fuzz {test} --engine {fuzzer} --for 10s"));
        let stored = workspace.stored(test);
        if stored.is_empty() || stored != expected {
            return format!("{fuzzer}: {} stored, {} expected", stored.join(" "), expected.join(" "));
        }
        let plain = workspace.cargo(&format!("test --test ten {test}"));
        let said = [plain.stdout, plain.stderr].concat();
        if plain.status.success() || !String::from_utf8_lossy(&said).contains("probity-failures/") {
            return format!("{fuzzer}: plain tests do not replay it");
        }
    }
    workspace.forget_failures();
    "same".to_string()
}

/// Two members of AFL++ and the coverage engine on one folder, of which ours is killed once.
fn members() -> Table {
    let title =
        format!("two members of AFL++ and ours share a folder for {SHARED:?}; ours is killed at half time");
    let mut table =
        Table::new(title, &["member", "entries", "from ours", "from the first", "from the second", "lost"]);
    if !fuzzers().contains(&"afl") {
        return table;
    }
    let workspace = Workspace::new();
    workspace.forget_failures();
    let folder = workspace.root.join("target/probity-fuzzers/parses/found-afl");
    let _ = fs::remove_dir_all(folder.parent().expect("it has one")); // it may not be there
    let seconds = SHARED.as_secs();
    let afl = format!("probity fuzz parses --engine afl --jobs 2 --for {seconds}s");
    let mut afl = workspace.prepared(&workspace.command, &afl.split(' ').collect::<Vec<_>>());
    let mut afl = afl.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it was built");
    while !folder.join("probity1/queue").is_dir() && matches!(afl.try_wait(), Ok(None)) {
        thread::sleep(Duration::from_millis(200));
    }
    let ours = |time: u64| {
        let line = format!("probity fuzz parses --jobs 1 --for {time}s --sync {}", folder.display());
        let mut ours = workspace.prepared(&workspace.command, &line.split(' ').collect::<Vec<_>>());
        ours.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it was built")
    };
    let mut first = ours(seconds);
    thread::sleep(SHARED / 2);
    let _ = first.kill(); // it may have ended
    let _ = first.wait();
    let queue = |member: &str| -> Vec<String> {
        let files = fs::read_dir(folder.join(member).join("queue")).into_iter().flatten().flatten();
        files
            .map(|it| it.file_name().to_string_lossy().into_owned())
            .filter(|it| it.starts_with("id:"))
            .collect()
    };
    let before = queue("probity");
    let _ = ours(seconds / 2 - 5).wait();
    let _ = afl.wait();
    for member in ["probity", "probity0", "probity1"] {
        let entries = queue(member);
        let from = |other: &str| entries.iter().filter(|it| it.contains(&format!("sync:{other},"))).count();
        let froms = ["probity", "probity0", "probity1"].map(from);
        let lost =
            if member == "probity" { before.iter().filter(|it| !entries.contains(it)).count() } else { 0 };
        let others = froms.iter().filter(|it| **it > 0).count();
        let cells = [entries.len(), froms[0], froms[1], froms[2], lost].map(|it| it.to_string());
        let cells = [member.to_string()].into_iter().chain(cells).collect();
        table.row(cells, "from each other, 0 lost", Some(others >= 2 && lost == 0));
    }
    table
}
