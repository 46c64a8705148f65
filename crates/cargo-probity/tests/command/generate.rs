//! `probity generate`: formats, places, seeds, numbers.

use crate::support::*;

/// Whether the inputs on the standard input are those that the program asks for.
fn assert_legal(program: &str, args: &[&str], inputs: &str) {
    let folder = Folder::new();
    folder.write("it.spec", program);
    let mut line = vec!["check", "it.spec", "-"];
    line.extend(args);
    let run = run_in(folder.path(), &line, inputs);
    assert_eq!(run.code, Some(0), "{run:?}\n{inputs}");
}

#[test]
fn json_is_an_array_of_legal_and_different_inputs() {
    let run = run(&["generate", "-", "-n", "100"], AGES);
    assert_eq!((run.code, &*run.err), (Some(0), ""));
    assert_eq!(items(&run.out).len(), 100);
    assert_legal(AGES, &[], &run.out);
}

#[test]
fn every_format_is_written_for_one_outline_and_for_several() {
    // A format, how its output for one begins, how many lines it has, and the same for several.
    let rows: &[(&str, &str, usize, &str, usize)] = &[
        ("json", "[\n  {\"age\":", 7, "{\n\"few\": [\n  {\"n\":", 13),
        ("ndjson", "{\"age\":", 5, "{\"outline\":\"few\",\"input\":{\"n\":", 7),
        (
            "junit-json",
            "{\"outline\": \"adults\", \"inputs\": [\n",
            7,
            "[\n{\"outline\": \"few\", \"inputs\": [\n",
            13,
        ),
        (
            "randoop",
            "START CLASSLITERALS\nCLASSNAME\njava.lang.String\nLITERALS\nint:",
            10,
            "START CLASSLITERALS",
            0,
        ),
        ("rust", "// The inputs of \"adults\"", 0, "// The inputs of \"few\"", 0),
        ("csv", "age\n", 6, "", 0),
    ];
    for (format, one, one_lines, several, several_lines) in rows {
        for (program, begins, lines) in [(AGES, one, one_lines), (TWO, several, several_lines)] {
            let run = run(&["generate", "-", "--format", format], program);
            if begins.is_empty() {
                let expected = "error: csv holds one table; name one of the outlines: few, apart\n";
                assert_eq!((run.code, &*run.err, &*run.out), (Some(2), expected, ""), "{format}");
                continue;
            }
            assert_eq!((run.code, &*run.err), (Some(0), ""), "{format}");
            assert!(run.out.starts_with(begins), "{format}: {}", run.out);
            assert!(*lines == 0 || run.out.lines().count() == *lines, "{format}: {}", run.out);
            if format.contains("json") {
                assert_legal(program, &[], &run.out);
            }
        }
    }
}

#[test]
fn an_outline_can_be_named() {
    let run = run(&["generate", "-", "apart", "--format", "csv"], TWO);
    assert_eq!((run.code, run.out.lines().count()), (Some(0), 5), "{run:?}");
    assert!(run.out.starts_with("m\n"));
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let of = |seed: &str| run(&["generate", "-", "-n", "20", "--seed", seed], AGES).out;
    assert_eq!(of("0"), run(&["generate", "-", "-n20"], AGES).out);
    assert_eq!(of("5"), of("0x5"));
    assert_ne!(of("5"), of("6"));
}

#[test]
fn fewer_than_asked_are_all_there_are() {
    let run = run(&["generate", "-", "few", "-n", "50"], TWO);
    assert_eq!((run.code, &*run.err), (Some(3), "note: `few`: exactly 37 exist; 50 were asked for\n"));
    assert_eq!(items(&run.out).len(), 37);
    assert_legal(TWO, &["few"], &run.out);
    // Multiples of ten from 0 to 100, or as many with other gaps.
    let apart = crate::support::run(&["generate", "-", "apart", "-n", "50"], TWO);
    assert_eq!((apart.code, items(&apart.out).len()), (Some(3), 11), "{apart:?}");
}

#[test]
fn nothing_is_said_to_be_nothing() {
    let run = run(&["generate", "-"], NONE);
    assert_eq!((run.code, &*run.out), (Some(1), "[]\n"), "{run:?}");
    assert_eq!(run.err, "note: `nothing`: no input satisfies it; loosen what it requires\n");
}

#[test]
fn none_may_be_asked_for() {
    let run = run(&["generate", "-", "-n", "0"], AGES);
    assert_eq!((run.code, &*run.out, &*run.err), (Some(0), "[]\n", ""));
}

#[test]
fn the_built_in_solver_finds_what_is_not_planned() {
    finds_what_is_not_planned("builtin");
}

fn finds_what_is_not_planned(solver: &str) {
    let run = run(&["generate", "-", "--no-plan", "--solver", solver, "-n", "8"], TWO);
    assert_eq!((run.code, &*run.err), (Some(0), ""), "{solver}");
    assert_legal(TWO, &[], &run.out);
}

#[test]
#[ignore = "needs z3 or cvc5: cargo xtask check finds or fetches one"]
fn an_smt_solver_finds_what_is_not_planned() {
    let path = std::env::var("PATH").unwrap_or_default();
    let chosen = std::env::var("PROBITY_SOLVER").ok();
    let found = probity_models::solve::smt::find(chosen.as_deref(), Some(&path));
    let solver = found.expect("no SMT solver was found; set PROBITY_SOLVER to its program");
    finds_what_is_not_planned(&solver);
    let folder = Folder::new();
    folder.write("it.spec", AGES);
    let args = ["generate", "it.spec", "--no-plan", "--solver", &solver, "--transcript", "said"];
    let run = run_in(folder.path(), &args, "");
    assert_eq!((run.code, &*run.err), (Some(0), ""), "{solver}");
    assert!(folder.read("said").contains("(check-sat"), "{}", folder.read("said"));
}

#[test]
fn the_plan_is_explained_beside_the_inputs() {
    let run = run(&["generate", "-", "--explain"], AGES);
    assert_eq!((run.code, items(&run.out).len()), (Some(0), 5));
    assert!(run.err.starts_with("plan of `adults`:\n  "), "{}", run.err);
}

/// A type within itself is solved for: how deep, and why, is told, and the depth can be chosen.
#[test]
fn recursive_types_are_explained() {
    let chain = "(define-type Chain (Object (key (Int 0 1)) (next (Option Chain)))) (declare c ?Chain) (generate g 99)";
    // Rows of one or two digits, and of up to as many as the depth allows.
    for (depth, wanted) in [("1", 2 + 4), ("3", 2 + 4 + 8 + 16)] {
        let run = run(&["generate", "-", "--explain", "--depth", depth], chain);
        assert_eq!(items(&run.out).len(), wanted, "{}", run.err);
        let why =
            "c: not counted, because `Chain` stands within itself, and nothing is required of its measures";
        assert!(run.err.contains(why) && run.err.contains(&format!("exactly {wanted} exist")), "{}", run.err);
        let counted = self::run(&["count", "-", "--depth", depth], chain);
        assert_eq!(counted.out, format!("{wanted}\n"), "{}", counted.err);
    }
    let free = run(&["generate", "-", "-n", "200"], chain);
    assert_eq!(items(&free.out).len(), 2 + 4 + 8 + 16 + 32 + 64, "{}", free.err);
    assert!(free.err.contains("Chain: up to 5 levels within itself"), "{}", free.err);
    let wrong = run(&["generate", "-", "--depth", "deep"], chain);
    assert_eq!(wrong.code, Some(2));
}

#[test]
fn files_are_written_whole_and_beside_nothing() {
    let folder = Folder::new();
    folder.write("it.spec", AGES);
    folder.write("old.json", "something old and much longer than what comes now, if it does");
    for name in ["new.json", "old.json"] {
        let run = run_in(folder.path(), &["generate", "it.spec", "-n", "2", "-o", name], "");
        assert_eq!((run.code, &*run.out, &*run.err), (Some(0), "", ""));
        assert_eq!(items(&folder.read(name)).len(), 2);
    }
    assert_eq!(folder.names(), ["it.spec", "new.json", "old.json"]);
}

#[test]
fn output_that_cannot_be_written_is_an_error() {
    let folder = Folder::new();
    folder.write("it.spec", AGES);
    for name in [".", "no/such/folder/a.json", "it.spec"] {
        let run = run_in(folder.path(), &["generate", "it.spec", "-o", name], "");
        assert_eq!((run.code, &*run.out), (Some(2), ""), "{run:?}");
        assert!(run.err.starts_with(&format!("error: cannot write `{name}`: ")), "{}", run.err);
    }
    assert_eq!(folder.read("it.spec"), AGES);
    assert_eq!(folder.names(), ["it.spec"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let folder = Folder::new();
    folder.write("it.spec", AGES);
    let run = run_in(folder.path(), &["generate", "it.spec", "-o", "/dev/full"], "");
    assert_eq!((run.code, &*run.out), (Some(2), ""), "{run:?}");
    assert!(run.err.starts_with("error: cannot write `/dev/full`: "), "{}", run.err);
}

#[cfg(unix)]
#[test]
fn a_file_that_may_not_be_written_stays() {
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    folder.write("it.spec", AGES);
    folder.write("kept.json", "kept");
    set_permissions(folder.path().join("kept.json"), Permissions::from_mode(0o444)).unwrap();
    let run = run_in(folder.path(), &["generate", "it.spec", "-o", "kept.json"], "");
    assert_eq!((run.code, &*folder.read("kept.json")), (Some(2), "kept"), "{run:?}");
}

#[test]
fn a_spec_file_is_known_by_its_name_or_its_first_character() {
    let spec = r#""Age": {"n": {"type": "Integer", "minimum": 0, "maximum": 9}}"#;
    let folder = Folder::new();
    folder.write("it.json", spec);
    let by_name = run_in(folder.path(), &["generate", "it.json", "-n", "3"], "");
    assert_eq!(items(&by_name.out).len(), 3, "{by_name:?}");
    for text in [spec, &format!(" {{ {spec} }}")] {
        let by_text = run(&["generate", "-", "-n", "3"], text);
        assert_eq!((by_name.code, &by_name.out), (by_text.code, &by_text.out));
    }
}

#[test]
fn tables_are_found_beside_their_program() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path().join("sub")).unwrap();
    folder.write("sub/towns.csv", "name,zone\nAachen,1\nBonn,1\nCork,0\n");
    folder.write("sub/it.spec", "(table Town \"towns.csv\") (generate all 3 (declare town ?Town))");
    let run = run_in(folder.path(), &["generate", "sub/it.spec", "--format", "csv"], "");
    assert_eq!((run.code, &*run.err), (Some(0), ""));
    let mut lines: Vec<&str> = run.out.lines().collect();
    lines.sort();
    assert_eq!(lines, ["Aachen", "Bonn", "Cork", "town"]);
}

/// The programs that come with the language.
fn programs() -> Vec<std::path::PathBuf> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../lang/programs");
    let entries = std::fs::read_dir(folder).unwrap();
    let mut res: Vec<_> = entries.map(|it| it.unwrap().path()).collect();
    res.sort();
    assert!(res.len() >= 10);
    res
}

#[test]
fn programs_of_the_paper_give_legal_inputs() {
    let folder = Folder::new();
    for program in programs() {
        let program = program.to_str().unwrap();
        let run = run_in(folder.path(), &["generate", program, "-o", "inputs"], "");
        assert!([Some(0), Some(3)].contains(&run.code), "{program}: {run:?}");
        let check = run_in(folder.path(), &["check", program, "inputs"], "");
        assert_eq!((check.code, &*check.err), (Some(0), ""), "{program}: {check:?}");
    }
}

#[test]
fn programs_of_the_paper_give_rust_that_compiles() {
    let folder = Folder::new();
    let mut modules = String::new();
    for (i, program) in programs().iter().enumerate() {
        let output = format!("m{i}.rs");
        let args = ["generate", program.to_str().unwrap(), "-n", "9", "--format", "rust", "-o", &output];
        run_in(folder.path(), &args, "");
        modules.push_str(&format!("pub mod m{i};\n"));
    }
    folder.write("all.rs", modules);
    let rustc = std::process::Command::new("rustc")
        .args(["--edition", "2024", "--crate-type", "lib", "--emit", "metadata", "-D", "warnings", "all.rs"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(rustc.status.success(), "{}", String::from_utf8_lossy(&rustc.stderr));
}
