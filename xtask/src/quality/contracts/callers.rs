//! Callers that break what they call: who is blamed, and how short the input is. And what is left of a contract where
//! `debug_assertions` are off.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::Command;

use probity::contract::CheckedCall;
use probity_core::{
    Bounds, Budget, Case, Replay, Source, Tail, run_case, search_exhaustive, search_random, shrink,
};

use super::super::silence_cases;
use super::super::table::Table;
use crate::cargo;

const SEEDS: u64 = 20;
/// Cases of a default run.
const CASES: u64 = 1_000;

// Contracts are checked where `debug_assertions` are on, and this is a release build: what the attribute writes is written here.

/// The `k` highest scores; requires `k <= xs.len()`.
fn best(k: usize, xs: &[u8]) -> Vec<u8> {
    let call = CheckedCall::new("best");
    call.require(k <= xs.len(), "k <= xs.len()");
    let mut out = xs.to_vec();
    out.sort_unstable_by(|a, b| b.cmp(a));
    out.truncate(k);
    out
}

/// Calls `best` as if there were always three.
fn podium(xs: &[u8]) -> usize {
    let _call = CheckedCall::new("podium");
    best(3, xs).len()
}

/// Looks whether there is one, and takes two.
fn margin(xs: &[u8]) -> u8 {
    let _call = CheckedCall::new("margin");
    if xs.is_empty() {
        return 0;
    }
    let best = best(2, xs);
    best[0] - best[1]
}

type CallerRow = (&'static str, fn(&[u8]), &'static [u8]);

const CALLERS: [CallerRow; 2] =
    [("podium", |xs| _ = black_box(podium(xs)), &[]), ("margin", |xs| _ = black_box(margin(xs)), &[0])];

/// The first failing input of the smallest ones, with which a default run begins; and what random cases shrink to.
pub(super) fn blame() -> Table {
    silence_cases();
    let title = format!("callers that break the contract of `best`: the smallest inputs, and {SEEDS} seeds");
    let mut table = Table::new(title, &["caller", "blamed", "shortest input", "shrunk to"]);
    for (name, run, shortest) in CALLERS {
        let input = RefCell::new(Vec::new());
        let mut test = |src: &mut Source| {
            let xs: Vec<u8> = src.any();
            input.replace(xs.clone());
            run(&xs);
        };
        let wanted = format!("`{name}` broke the contract of `best`, which requires `k <= xs.len()`");
        let read = |case: Case, test: &mut dyn FnMut(&mut Source)| {
            let is_blamed = case.verdict.failure().is_some_and(|it| it.message == wanted);
            let replay = Replay::new(case.trace.values(), Tail::Overrun);
            let _ = run_case(&mut Source::new(Box::new(replay)), &mut |src: &mut Source| test(src));
            (is_blamed, input.borrow().clone())
        };
        let budget = || {
            let go_on = Box::leak(Box::new(|_| true));
            Budget { cases: CASES, rejects: 0, go_on, progress: Default::default() }
        };
        let found = search_exhaustive(Bounds::default(), &mut test, budget());
        let first = found.ok().and_then(|mut it| it.failures.pop()).map(|it| read(it.case, &mut test));
        let mut shrunk = BTreeSet::new();
        for seed in 0..SEEDS {
            let found = search_random(seed, &mut test, budget()).ok().and_then(|mut it| it.failures.pop());
            let least = found.and_then(|it| shrink(it.case, &mut test, 10_000, &mut |_| true).ok());
            shrunk.insert(least.map(|it| read(it.case, &mut test)));
        }
        let met = first == Some((true, shortest.to_vec())) && shrunk == BTreeSet::from([first.clone()]);
        let shown: Vec<String> = shrunk.iter().flatten().map(|it| format!("{:?}", it.1)).collect();
        let (is_blamed, first) = first.unwrap_or_default();
        let blamed = if is_blamed { "by name" } else { "NO" };
        let cells = vec![name.to_string(), blamed.to_string(), format!("{first:?}"), shown.join(" ")];
        table.row(cells, format!("by name, {shortest:?}"), Some(met));
    }
    table
}

/// Functions of all kinds with their contracts. Lines that begin with a clause are left blank where they are compiled without.
const ANNOTATED: &str = r#"
#[probity::contract]
#[requires(k <= xs.len())]
#[ensures(|out| out.len() == k)]
pub fn best(k: usize, xs: &[u8]) -> Vec<u8> {
    let mut out = xs.to_vec();
    out.sort_unstable_by(|a, b| b.cmp(a));
    out.truncate(k);
    out
}

#[probity::contract]
#[requires(!xs.is_empty() && xs[0] > 0)]
#[ensures(|out| out.is_none() || xs.len() + 1 == old(xs.len()))]
pub fn pop_quotient(xs: &mut Vec<u32>, by: u32) -> Option<u32> {
    if by == 0 {
        return None;
    }
    xs.last()?.checked_div(by)?;
    xs.pop().map(|it| it / by)
}

pub struct Stack {
    pub items: Vec<String>,
}

#[probity::contract]
impl Stack {
    #[requires(self.items.len() < 1000)]
    #[ensures(|_| self.items.len() == old(self.items.len()) + 1)]
    #[inline(never)]
    pub fn push(&mut self, item: String) {
        self.items.push(item);
    }
}

#[probity::contract(T = u8)]
#[ensures(|out| xs.contains(out))]
pub fn greatest<T: Ord + Clone>(xs: &[T], least: T) -> T {
    xs.iter().max().cloned().unwrap_or(least)
}

pub fn uses(stack: &mut Stack, xs: &[u64]) -> u64 {
    stack.push(String::from("it"));
    greatest(xs, 7)
}
"#;

/// The same file compiled with its contracts and without, as machine code.
pub(super) fn release() -> Table {
    let mut table = Table::new("with `debug_assertions` off", &["compiled", "lines of assembly", "the same"]);
    let res = compiled().map(|(with, without)| (with.lines().count(), with == without));
    let (lines, same) = match &res {
        Ok((lines, same)) => (lines.to_string(), same.to_string()),
        Err(why) => (why.clone(), "-".to_string()),
    };
    let met = matches!(res, Ok((100.., true)));
    table.row(vec!["four functions with contracts, without".to_string(), lines, same], "the same", Some(met));
    table
}

fn compiled() -> Result<(String, String), String> {
    let build = ["build", "--release", "-q", "-p", "probity", "--message-format=json"];
    let out = cargo::silent(&build, &[]).output().map_err(|it| it.to_string())?;
    let messages = String::from_utf8_lossy(&out.stdout).into_owned();
    let library = messages.lines().rev().flat_map(|it| it.split('"')).find(|it| {
        it.ends_with(".rlib")
            && Path::new(it).file_name().is_some_and(|it| it.to_string_lossy().starts_with("libprobity."))
    });
    let library = PathBuf::from(library.ok_or("the library was not built")?);
    let folder = cargo::root().join("target/release-code");
    std::fs::create_dir_all(&folder).map_err(|it| it.to_string())?;
    let is_clause = |it: &&str| {
        ["#[probity::contract", "#[requires", "#[ensures"].iter().any(|clause| it.trim().starts_with(clause))
    };
    let plain: Vec<&str> = ANNOTATED.lines().map(|it| if is_clause(&it) { "" } else { it }).collect();
    let asm = |source: &str| {
        // The same name and place, so that nothing but the code can differ.
        let (file, out) = (folder.join("shop.rs"), folder.join("shop.s"));
        std::fs::write(&file, source).map_err(|it| it.to_string())?;
        let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
        rustc.args(["--edition=2024", "--crate-type=lib", "--emit=asm", "-O", "-C", "codegen-units=1"]);
        rustc.arg("--extern").arg(format!("probity={}", library.display()));
        if let Some(near) = library.parent() {
            rustc.arg("-L").arg(format!("dependency={}", near.join("deps").display()));
        }
        let run = rustc.arg("-o").arg(&out).arg(&file).output().map_err(|it| it.to_string())?;
        if !run.status.success() {
            return Err(String::from_utf8_lossy(&run.stderr).lines().next().unwrap_or_default().to_string());
        }
        std::fs::read_to_string(&out).map_err(|it| it.to_string())
    };
    Ok((asm(ANNOTATED)?, asm(&plain.join("\n"))?))
}
