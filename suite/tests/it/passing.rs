//! The way of a passing test, as ARCHITECTURE.md lists it, beside the stacks of one.

use std::backtrace::Backtrace;
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::path::Path;

/// The way may not grow beyond this many functions and files.
const FUNCTIONS_MAX: usize = 25;
const FILES_MAX: usize = 12;

/// What returns before the test runs, or begins after it.
const BESIDE: [&str; 9] =
    ["next_fast", "plan", "conclude", "not_covered", "too_few", "share", "few", "few_inputs", "load"];

thread_local! {
    /// How often the test below was called, and what was on its stacks.
    static CALLS: Cell<u64> = const { Cell::new(0) };
    static SEEN: RefCell<BTreeSet<Step>> = const { RefCell::new(BTreeSet::new()) };
}

#[probity::test]
fn passes(list: Vec<i32>) {
    CALLS.set(CALLS.get() + 1);
    if CALLS.get().is_power_of_two() {
        let frames = frames(&Backtrace::force_capture().to_string());
        SEEN.with_borrow_mut(|it| it.extend(frames));
    }
    assert!(list.len() < 1 << 20);
}

/// A file and a function of it, without the type that it is a method of.
type Step = (String, String);

#[test]
#[cfg_attr(not(debug_assertions), ignore = "optimized builds have no such stacks")]
fn the_way_of_a_passing_test_is_the_listed_one() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let page = std::fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap();
    let (_, section) = page.split_once("## A passing test, function by function").unwrap();
    let (section, _) = section.split_once("\n## ").unwrap();
    let listed = steps(section);
    let files: BTreeSet<&String> = listed.iter().map(|it| &it.0).collect();
    let (n, n_files) = (listed.len(), files.len());
    assert!(section.contains(&format!("{n} functions in {n_files} files.")), "{n} in {n_files}");
    assert!(n <= FUNCTIONS_MAX && n_files <= FILES_MAX, "{n} in {n_files}");
    for (file, function) in &listed {
        let code = std::fs::read_to_string(root.join("crates").join(file)).unwrap();
        let starts = [format!("fn {function}("), format!("fn {function}<")];
        assert!(starts.iter().any(|it| code.contains(it)), "{file} has no {function}");
    }

    passes();
    let seen = SEEN.take();
    let unlisted: Vec<&Step> = seen.difference(&listed).collect();
    assert!(unlisted.is_empty(), "{unlisted:?}");
    let not_seen: Vec<&str> = listed.difference(&seen).map(|it| it.1.as_str()).collect();
    assert_eq!(not_seen, BESIDE);
}

/// The functions of the table, by file.
fn steps(section: &str) -> BTreeSet<Step> {
    let mut res = BTreeSet::new();
    for row in section.lines().filter(|it| it.starts_with("| `")) {
        let mut names = row.split('`').skip(1).step_by(2);
        let file = names.next().unwrap();
        res.extend(names.map(|it| (file.to_string(), it.rsplit("::").next().unwrap().to_string())));
    }
    res
}

/// Our functions on a stack, from `Check::run` on. Closures count as the functions they are in.
fn frames(stack: &str) -> Vec<Step> {
    let stack = stack.replace('\\', "/");
    let lines: Vec<&str> = stack.lines().map(str::trim).collect();
    let frames = lines.windows(2).filter_map(|it| {
        let (_, file) = it[1].strip_prefix("at ")?.split_once("crates/")?;
        let file = file.split(".rs:").next()?;
        let (_, name) = it[0].split_once(": ")?;
        let name = name.trim_end_matches("::{{closure}}");
        // Without type parameters: `begin<()>`, `{impl#1}::batch<F>`.
        let name = name.split('<').next()?.trim_end_matches("::");
        Some((format!("{file}.rs"), name.rsplit("::").next()?.to_string()))
    });
    frames.collect()
}
