//! Cases that end their process: found by every engine, stored once, and replayed where they can do no harm.

use crate::support::{Folder, Ran, command, run_in};

/// The tests, and how each dies.
const DEATHS: [(&str, &str); 9] = [
    ("aborts", "the process died: abort in `harness::fixtures::deaths::aborts`"),
    ("exits_well", "the process exited with code 0 in `harness::fixtures::deaths::exits_well`"),
    ("exits", "the process exited with code 3 in `harness::fixtures::deaths::exits`"),
    ("faults", "the process died: segmentation fault in `harness::fixtures::deaths::faults`"),
    ("overflows", "the process died: stack overflow in `harness::fixtures::deaths::deep`"),
    ("loops", "the case did not end within 1s"),
    ("waits", "the case did not end within 1s"),
    ("panics_twice", "while another panic unwinds"),
    ("cannot_unwind", "it cannot unwind"),
];

fn run(store: &Folder, name: &str, env: &[(&str, &str)]) -> Ran {
    run_in(store, &format!("deaths::{name}"), env)
}

/// Checks that `ran` fails with this death, and that the store has one file as before.
#[track_caller]
fn assert_dies(ran: Ran, store: &Folder, how: &str, found_by: &str) -> Ran {
    let ran = ran.fails();
    ran.says(&[&format!("  failure: {how}\n"), &format!("  found by: {found_by}")]);
    assert_eq!(store.files().len(), 1, "{}", ran.raw);
    assert_eq!(ran.raw.matches("` fails").count(), 1, "it is told once:\n{}", ran.raw);
    assert!(!ran.raw.contains("still running"), "{}", ran.raw);
    ran
}

/// Every way to meet a stored death again.
fn assert_replays(store: &Folder, name: &str, how: &str, easy: (&str, &str)) {
    let (file, _) = store.only_file();
    let file = file.to_str().unwrap();
    let isolate = ("PROBITY_ISOLATE", "true");
    for env in [&[easy][..], &[easy, isolate], &[easy, ("PROBITY_ENGINE", "exhaustive")]] {
        assert_dies(run(store, name, env), store, how, "the stored failure STORE/");
    }
    for env in [&[easy, ("PROBITY_REPLAY", file)][..], &[easy, ("PROBITY_REPLAY", file), isolate]] {
        assert_dies(run(store, name, env), store, how, "PROBITY_REPLAY\n");
    }
    let entry = probity::store::read(file.as_ref()).unwrap();
    let choices: Vec<String> = entry.choices.iter().map(ToString::to_string).collect();
    let env = [easy, ("PROBITY_REPLAY", &*choices.join(" ")), isolate];
    assert_dies(run(store, name, &env), store, how, "PROBITY_REPLAY\n");
}

#[test]
fn a_stored_death_is_replayed_where_it_does_no_harm() {
    let easy = ("EASY", "1");
    for (name, how) in DEATHS {
        let store = Folder::new();
        let found = run(&store, name, &[easy, ("PROBITY_ISOLATE", "true"), ("PROBITY_ENGINE", "random")]);
        let found = assert_dies(found, &store, how, "engine random");
        if !how.contains("did not end") {
            found.says(&["    let x = 0;", "    let n = 501;"]);
        }
        assert_replays(&store, name, how, easy);
    }
}

#[test]
fn a_stored_death_that_was_mended_passes_and_is_kept() {
    for (name, _) in DEATHS {
        let store = Folder::new();
        run(&store, name, &[("EASY", "1"), ("PROBITY_ISOLATE", "true"), ("PROBITY_ENGINE", "random")])
            .fails();
        let (file, _) = store.only_file();
        for replay in ["", file.to_str().unwrap()] {
            for isolate in ["", "true"] {
                let env =
                    [("PROBITY_REPLAY", replay), ("PROBITY_ISOLATE", isolate), ("PROBITY_ENGINE", "random")];
                run(&store, name, &env).passes();
                assert_eq!(store.only_file().0, file);
            }
        }
    }
}

#[test]
fn every_engine_stores_a_death_once() {
    let env = [("EASY", "1"), ("PROBITY_ISOLATE", "true")];
    for (name, how) in DEATHS {
        for engine in ["targeted", "exhaustive", "auto"] {
            let store = Folder::new();
            let ran = run(&store, name, &[env[0], env[1], ("PROBITY_ENGINE", engine)]);
            assert_dies(ran, &store, how, "engine ");
        }
    }
}

/// Nobody asks for isolated cases: what finds it runs in copies by itself.
#[cfg(all(feature = "coverage", target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]
#[test]
fn engines_that_work_in_copies_store_a_death_once() {
    let time = ("PROBITY_TIME", "60s");
    for (name, how) in DEATHS {
        // An interpreter cannot tell an endless case from a long one, and a sealed copy does not wait.
        let engines = match name {
            "loops" => &["coverage"][..],
            "waits" => &["concolic", "coverage"],
            _ => &["concolic", "coverage", "auto"],
        };
        for engine in engines {
            let store = Folder::new();
            let found = run(&store, name, &[time, ("PROBITY_ENGINE", engine)]);
            assert_dies(found, &store, how, "engine ").says(&["    let x = 123456789;"]);
            let again = run(&store, name, &[time, ("PROBITY_ENGINE", engine)]);
            assert_dies(again, &store, how, "the stored failure STORE/");
        }
    }
}

#[test]
fn a_stored_death_does_not_end_other_tests() {
    for (name, _) in DEATHS {
        let store = Folder::new();
        let env = [("EASY", "1"), ("PROBITY_ISOLATE", "true"), ("PROBITY_ENGINE", "random")];
        run(&store, name, &env).fails();
        let mut command = command("deaths::a_neighbor", &store, &[("EASY", "1")]);
        let output =
            command.args([&format!("fixtures::deaths::{name}"), "--test-threads=1"]).output().unwrap();
        let stdout = String::from_utf8(output.stdout).unwrap();
        assert!(stdout.contains("1 passed; 1 failed"), "{name}: {stdout}");
        assert_eq!(output.status.code(), Some(101), "{name}");
    }
}

#[test]
fn a_case_that_exits_does_not_let_all_tests_pass() {
    for (name, code) in [("exits_well", 0), ("exits", 3)] {
        let store = Folder::new();
        let ran = run(&store, name, &[("EASY", "1"), ("PROBITY_ENGINE", "random")]);
        let how = format!("the process exited with code {code} in `harness::fixtures::deaths::{name}`");
        assert_dies(ran, &store, &how, "engine random").says(&["    let n = 501;", "ends this process"]);
    }
}

#[test]
fn processes_of_a_test_may_end_as_they_like() {
    for isolate in ["", "true"] {
        let env = [("PROBITY_ISOLATE", isolate), ("PROBITY_ENGINE", "random")];
        run(&Folder::new(), "its_process_ends", &env).passes();
    }
}
