//! Searches that run too little, are slow, or do not come to an end.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use probity_testkit::assert_snapshot;

use crate::support::{Folder, Ran, command, normal, run, run_in, snapshot};

#[test]
fn a_test_that_rejects_everything_fails_and_says_where() {
    run("never").fails().reads("never");
    let ran = run("nearly_never").fails();
    ran.says(&[" % of all cases by filter at crates/probity/tests/harness/fixtures.rs:N:N\n"]);
    run_in(&Folder::new(), "nearly_never", &[("PROBITY_MAX_REJECTS", "100000")]).passes();
}

#[test]
fn a_slow_test_has_not_failed_but_is_not_silent() {
    for name in ["slow", "slow_and_strict"] {
        let store = Folder::new();
        let output = command(name, &store, &[]).output().unwrap();
        // What is captured of a test that passes is not shown.
        let seen = normal(&String::from_utf8(output.stderr).unwrap(), &store);
        let line = format!("probity: `harness::fixtures::{name}` ran only 1 of 1,000 cases in ");
        let rest = "; raise `time`, want fewer `cases`, or make it faster\n";
        assert!(output.status.success() && seen.starts_with(&line) && seen.ends_with(rest), "{seen}");
    }
}

#[test]
fn what_is_rejected_until_the_time_is_over_fails() {
    let says = |name: &str| {
        run(name).fails().says(&[
            &format!("probity: `harness::fixtures::{name}` tested too little: "),
            " of 1000 cases ran, ",
            "  the time was over first; to wait longer, raise `time`\n",
        ]);
    };
    says("slow_and_rejected");
    says("rejected_for_ever");
}

#[test]
fn what_is_always_too_long_is_said_at_once() {
    let ran = run("a_million").fails();
    ran.says(&["every case asks for too many choices: a list of `v` has at least 1000000 items and takes at least \
                1000001 choices, but a case may ask for at most 65536; draw fewer items, or make many of one drawn seed"]);
    run("a_hundred_thousand").fails().says(&[
        " tested too little: 0 of 1000 cases ran, ",
        " cases asked for more than 65536 choices\n",
        "  draw fewer or shorter lists, or make many values of one drawn seed\n",
    ]);
}

#[test]
fn misuse_is_an_error_and_no_counterexample() {
    let ran = run("misused").fails();
    ran.says(&["\nno value in 9..=1; swap the bounds"]);
    assert!(!ran.raw.contains("probity:"), "{}", ran.text);
}

/// Runs a fixture that hangs until its standard input ends, which is when it has said that it hangs; returns all that
/// it says past the capture.
pub(crate) fn watch(store: &Folder, name: &str, env: &[(&str, &str)]) -> Ran {
    // Captured output would come at the end: that it is seen at once is the point.
    let mut command = command(name, store, &[&[("WATCHED", "1")], env].concat());
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let (mut stdin, mut raw) = (child.stdin.take(), String::new());
    for line in BufReader::new(child.stderr.take().unwrap()).lines() {
        let line = line.unwrap();
        if line.contains(" is still in one case after ") {
            // Where events are written, that comes next.
            let is_written = |(name, path): &(&str, &str)| {
                *name != "PROBITY_EVENTS" || std::fs::read_to_string(path).unwrap().contains("\"hangs\"")
            };
            while !env.iter().all(is_written) {
                std::thread::yield_now();
            }
            stdin = None;
        }
        raw += &(line + "\n");
    }
    drop(stdin);
    let passed = child.wait().unwrap().success();
    Ran { passed, text: normal(&raw, store), raw }
}

#[test]
fn a_hanging_input_is_named_while_it_runs_and_kept() {
    let store = Folder::new();
    let ran = watch(&store, "hangs", &[]).passes();
    let (_, file) = store.only_file();
    assert!(file.contains("\nfails: did not end within "), "{file}");
    let inputs = file.lines().filter(|it| it.starts_with("let ")).map(|it| format!("    {it}\n"));
    let inputs: String = inputs.collect();
    assert!(inputs.contains("let n = ") && inputs.contains("let word = "), "{file}");
    let (title, rest) = ran.text.split_once('\n').unwrap();
    let start = "probity: `harness::fixtures::hangs` is still in one case after ";
    assert!(title.starts_with(start) && title.ends_with('s'), "{title}");
    let rest = rest.strip_prefix(&inputs).unwrap_or_else(|| panic!("{inputs}is missing:\n{rest}"));
    assert_snapshot(snapshot("hangs"), rest);
}

#[test]
fn a_hanging_case_without_known_inputs_can_be_replayed() {
    let store = Folder::new();
    let ran = watch(&store, "hangs_in_a_closure", &[]).passes();
    assert!(
        ran.text.ends_with(" cargo test -p probity fixtures::hangs_in_a_closure -- --exact\n"),
        "{}",
        ran.text
    );
    assert_eq!(store.files().len(), 0);
    let again = run_in(&store, "hangs_in_a_closure", &[("PROBITY_REPLAY", ran.replay())]).passes();
    let n: u32 = again.field("let n = ").trim_end_matches(';').parse().unwrap();
    assert!(n >= 500, "{n} does not hang");
}

#[test]
fn a_hanging_fixed_input_is_named() {
    let ran = watch(&Folder::new(), "hangs_in_an_example", &[]).passes();
    ran.says(&["\n    n = 900\n  if this input should not take so long, it is a finding\n"]);
}

#[test]
fn a_hanging_input_is_named_while_shrinking() {
    let seen = [("RUST_TEST_NOCAPTURE", "1")];
    let ran = watch(&Folder::new(), "hangs_while_shrinking", &seen).fails();
    ran.says(&[
        "` is still in one case after ",
        "\n    let n = 500;\n  if this input should not take so long",
    ]);
    ran.says(&["\n    let n = 500;\n  failure: too large\n"]);
}

/// Sixteen processes run what one does, and no case twice.
#[test]
fn random_cases_are_shared_by_their_numbers() {
    let written = |env: &[(&str, &str)]| {
        let folder = Folder::new();
        let file = folder.path().join("seen");
        let env = [&[("PROBITY_ENGINE", "random"), ("SEEN", file.to_str().unwrap())], env].concat();
        let ran = run_in(&folder, "written", &env).passes();
        let lines = std::fs::read_to_string(file).unwrap_or_default();
        let mut lines: Vec<String> = lines.lines().map(str::to_string).collect();
        // The first case that has to be recorded is run again.
        lines.dedup();
        (ran.raw, lines)
    };
    for labeled in [&[][..], &[("LABELED", "1")]] {
        let whole = written(&[labeled, &[("PROBITY_SHARD", "1/1")]].concat()).1;
        let mut parts = Vec::new();
        for part in 1..=16 {
            let shard = format!("{part}/16");
            let env = [("PROBITY_SHARD", &*shard), ("PROBITY_VERBOSE", "true")];
            let (raw, lines) = written(&[labeled, &env].concat());
            assert!(raw.contains(&format!("passed {} cases of shard {shard}", lines.len())), "{raw}");
            parts.extend(lines);
        }
        assert_eq!((whole.len(), &parts), (1001, &whole));
    }
    // More parts than cases.
    let (raw, lines) = written(&[("PROBITY_SHARD", "3000/4000")]);
    assert!(lines.is_empty() && raw.contains("shard 3000/4000 has nothing to run"), "{raw}");
}

/// Every engine shares: sixteen processes at once run what one runs, each input once, and count what it counts.
#[test]
fn sixteen_processes_count_what_one_does() {
    /// What a process ran, and its counts: of cases, of each label.
    fn counted(engine: &str, shard: &str) -> (Vec<String>, [u64; 3]) {
        let folder = Folder::new();
        let [seen, events] = ["seen", "events"].map(|it| folder.path().join(it).display().to_string());
        let env = [
            ("PROBITY_ENGINE", engine),
            ("PROBITY_SHARD", shard),
            ("PROBITY_EVENTS", &events),
            ("SEEN", &seen),
        ];
        run_in(&folder, "shared", &env).passes();
        let events = std::fs::read_to_string(events).unwrap();
        let passed = events.lines().find(|it| it.contains("\"event\":\"passed\"")).unwrap_or_default();
        let number = |key: &str| {
            let rest = passed.split_once(&format!("\"{key}\":")).map_or("", |it| it.1);
            rest.split(|it: char| !it.is_ascii_digit()).next().and_then(|it| it.parse().ok()).unwrap_or(0)
        };
        let lines = std::fs::read_to_string(seen).unwrap_or_default();
        let mut lines: Vec<String> = lines.lines().map(str::to_string).collect();
        // The first case that has to be recorded is run again.
        lines.dedup();
        (lines, ["cases", "large", "flagged"].map(number))
    }
    for engine in ["exhaustive", "random", "targeted"] {
        let (mut whole, counts) = counted(engine, if engine == "exhaustive" { "off" } else { "1/1" });
        let parts: Vec<(Vec<String>, [u64; 3])> = std::thread::scope(|scope| {
            let start = |part: u64| scope.spawn(move || counted(engine, &format!("{part}/16")));
            let running: Vec<_> = (1..=16).map(start).collect();
            running.into_iter().map(|it| it.join().unwrap()).collect()
        });
        let mut union: Vec<String> = parts.iter().flat_map(|it| it.0.clone()).collect();
        let sum = |at: usize| parts.iter().map(|it| it.1[at]).sum::<u64>();
        assert_eq!([sum(0), sum(1), sum(2)], counts, "{engine}");
        assert_eq!(counts[0], if engine == "exhaustive" { 82 } else { 1000 }, "{engine}");
        if engine == "exhaustive" {
            union.sort();
            whole.sort();
            assert_eq!(union, whole);
        }
    }
    // These go where their own cases lead them: each part begins with others.
    for engine in ["coverage", "concolic"] {
        let folder = Folder::new();
        let seed = ("PROBITY_SEED", "7");
        let env = [("PROBITY_ENGINE", engine), ("PROBITY_SHARD", "5/16"), ("PROBITY_CASES", "160"), seed];
        if cfg!(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu")) {
            run_in(&folder, "shared", &env).passes();
        }
    }
}

/// The number of a case is the one that it has in a run of all parts.
#[test]
fn a_failure_in_a_part_is_a_case_of_the_whole() {
    let env = [
        ("PROBITY_ENGINE", "random"),
        ("PROBITY_SHARD", "9/16"),
        ("FAILS", "1"),
        ("PROBITY_SEED", "7"),
        ("PROBITY_EXPLAIN", "false"),
    ];
    let ran = run_in(&Folder::new(), "written", &env).fails();
    ran.says(&["    let n = 5;\n"]);
    let number = ran.raw.split("engine random, case ").nth(1).expect(&ran.raw);
    let number: u64 = number.split(|it: char| !it.is_ascii_digit()).next().unwrap().parse().unwrap();
    assert!((8 * 63..9 * 63).contains(&number), "{}", ran.raw);
    let replay = format!("seed-0x7-case-{number}");
    let again = [("PROBITY_REPLAY", &*replay), ("FAILS", "1"), ("PROBITY_EXPLAIN", "false")];
    run_in(&Folder::new(), "written", &again).fails().says(&["five"]);
}

#[test]
fn what_needs_all_its_cases_is_not_shared() {
    for part in ["1/4", "3/4", "90/100"] {
        let env = [("PROBITY_SHARD", part), ("PROBITY_ENGINE", "random")];
        for name in ["fails_as_wanted", "runs_another_whole"] {
            run_in(&Folder::new(), name, &env).passes();
        }
    }
}
