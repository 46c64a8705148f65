//! What test programs say of their tests.

use probity_testkit::Folder;

use crate::harness::{compilers, start};

#[test]
fn every_name_works() {
    let folder = Folder::new();
    for (names, harness, standard) in [(["gcc"], "names.c", "-std=c11"), (["g++"], "names.cpp", "-std=c++11")]
    {
        for compiler in compilers(&names) {
            let program = compiler.program(harness, standard, &folder);
            let run = start(&program, &[], &folder);
            assert!(run.code == Some(0) && run.out.contains(" 0 failed"), "{harness}: {run:?}");
        }
    }
}

#[test]
fn every_end_of_a_case_is_a_verdict() {
    // The test, and what its report says.
    let rows: &[(&str, &[&str])] = &[
        ("asserts", &["failure: small() < 5 (5 and 5): not small", "at ends.cpp:12"]),
        ("checks", &["failure: x < 5\n    at ends.cpp:15"]),
        ("throws", &["failure: threw std::out_of_range: beyond"]),
        ("throws_a_number", &["failure: threw int"]),
        ("aborts", &["failure: the process died: abort"]),
        ("raises", &["failure: the process died: arithmetic exception"]),
        ("exits", &["failure: the process exited with code 3"]),
        ("hangs", &["did not end within 1s"]),
        ("overflows", &["failure: the process died: stack overflow"]),
        ("rejects_all", &["100.0 % of all cases by small() > 9 at ends.cpp"]),
    ];
    for compiler in compilers(&["g++", "clang++"]) {
        let folder = Folder::new();
        let program = compiler.program("ends.cpp", "-std=c++11", &folder);
        let run = start(&program, &["--hang", "1s", "--explain", "false", "--seed", "7"], &folder);
        assert_eq!(run.code, Some(1), "{run:?}");
        for name in ["passes", "catches_all", "ends_while_it_handles"] {
            assert!(run.out.contains(&format!("Passed: {name}\n")), "{name}: {run:?}");
        }
        for (name, texts) in rows {
            assert!(run.out.contains(&format!("Failed: {name}: ")), "{name}: {run:?}");
            for text in *texts {
                assert!(run.err.contains(text), "{name}: {text}: {run:?}");
            }
        }
        for text in ["panicked", "cargo test", "let ", ".rs"] {
            assert!(!run.err.contains(text), "a report for C++ says {text}: {run:?}");
        }
    }
}

#[test]
fn what_a_report_says_replays() {
    for compiler in compilers(&["g++"]) {
        let folder = Folder::new();
        let program = compiler.program("ends.cpp", "-std=c++11", &folder);
        let run = start(&program, &["--test_filter", "aborts"], &folder);
        let line = run.err.lines().find_map(|it| it.trim().strip_prefix("replay: ")).expect("there is one");
        let words: Vec<&str> = line.split(' ').collect();
        assert!(words[0].ends_with("ends-cpp-g++"), "{line}");
        let again = start(&program, &words[1..], &folder);
        assert!(again.code == Some(1) && again.err.contains("the process died: abort"), "{again:?}");
    }
}

#[test]
fn wrong_options_say_what_to_do() {
    for compiler in compilers(&["g++"]) {
        let folder = Folder::new();
        let program = compiler.program("ends.cpp", "-std=c++11", &folder);
        let rows = [
            (&["--casses", "7"][..], "`--casses` is no option; `--help` lists them"),
            (&["--cases"], "`--cases` has no value; write `--cases VALUE`"),
            (&["--probity_test", "pases"], "there is no test `pases`; --list_tests lists them"),
        ];
        for (arguments, expected) in rows {
            let run = start(&program, arguments, &folder);
            assert!(run.code == Some(2) && run.err.contains(expected), "{run:?}");
        }
        let list = start(&program, &["--list_tests"], &folder);
        assert!(
            list.code == Some(0) && list.out.contains("throws_a_number (") && list.out.lines().count() == 13,
            "{list:?}"
        );
    }
}

#[test]
fn the_rest_of_a_program_is_a_test() {
    for compiler in compilers(&["g++"]) {
        let folder = Folder::new();
        let program = compiler.program("rest.cpp", "-std=c++11", &folder);
        let run = start(&program, &["--cases", "50", "--explain", "false"], &folder);
        assert!(
            run.code == Some(1) && run.out.contains("Failed: TakeOver: x + y < 12 (12 and 12)"),
            "{run:?}"
        );
        assert!(run.err.contains("rest.cpp:8 Symbolic<uint8_t> x = ") && run.err.contains("y = "), "{run:?}");
        let crash = start(
            &program,
            &["--cases", "50", "--explain", "false", "--store", "other", "--seed", "3"],
            &folder,
        );
        assert_eq!(crash.code, Some(1), "{crash:?}");
    }
}

#[test]
fn a_harness_of_libfuzzer_is_a_test() {
    for compiler in compilers(&["g++"]) {
        let folder = Folder::new();
        let program = compiler.program("fuzzer.cpp", "-std=c++11", &folder);
        let run = start(&program, &["--explain", "false", "--cases", "20000"], &folder);
        assert!(run.code == Some(1) && run.err.contains("data = \"\\0\\7\""), "{run:?}");
    }
}
