//! `probity c`: what it installs is found by CMake and pkg-config. A cargo that answers at once takes the place of the real
//! one: the libraries are those that were built with this test.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{Folder, Run, probity};

/// The folder of the package.
fn source() -> PathBuf {
    fs::canonicalize(Path::new(env!("CARGO_MANIFEST_DIR")).join("../c")).unwrap()
}

/// Writes a cargo that says where the libraries are, and keeps its arguments in the file `arguments`.
fn stand_in(folder: &Folder) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let built = test.parent().unwrap();
    let ending = if cfg!(target_os = "macos") { "dylib" } else { "so" };
    let files = ["a", ending].map(|it| built.join(format!("libprobity_c.{it}")));
    let source = source();
    let message = format!(
        "{{\"target\":{{\"name\":\"probity_c\"}},\"package_id\":\"path+file:///c#probity-c@0.1.7\",\
         \"manifest_path\":\"{}/Cargo.toml\",\"filenames\":[\"{}\",\"{}\"]}}",
        source.display(),
        files[0].display(),
        files[1].display()
    );
    folder.write("message", message);
    let own = folder.path().display();
    folder.write("cargo", format!("#!/bin/sh\necho \"$@\" > '{own}/arguments'\ncat '{own}/message'\n"));
    let cargo = folder.path().join("cargo");
    fs::set_permissions(&cargo, Permissions::from_mode(0o755)).unwrap();
    cargo
}

/// Runs a program to its end.
fn run(command: &mut Command) -> Run {
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Run { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

fn is_there(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output().is_ok_and(|it| it.status.success());
    if !found {
        skipped(program);
    }
    found
}

#[allow(clippy::print_stderr, reason = "what is not tested has to be seen")]
fn skipped(what: &str) {
    eprintln!("SKIPPED: there is no {what}; install it to test what `probity c` installs");
}

/// Installs, and moves the prefix to the folder `there`.
fn install(folder: &Folder) -> PathBuf {
    let cargo = stand_in(folder);
    let mut command = probity();
    command.args(["c", "--prefix", "first/prefix", "--offline"]).env("CARGO", cargo);
    let done = run(command.current_dir(folder.path()));
    assert!(done.code == Some(0) && done.out.starts_with("installed Probity 0.1.7 "), "{done:?}");
    let arguments = folder.read("arguments");
    assert!(arguments.starts_with("build -p probity-c "), "{arguments}");
    assert!(arguments.trim_end().ends_with("Cargo.toml --release --offline"), "{arguments}");
    let prefix = folder.path().join("there");
    fs::rename(folder.path().join("first/prefix"), &prefix).unwrap();
    prefix
}

const LISTS: &str = "#include <algorithm>
#include <probity.hpp>
PROBITY_TEST(sorting_keeps_the_largest) {
  auto v = probity::draw<std::vector<int>>();
  PROBITY_ASSUME(!v.empty());
  auto w = v;
  std::sort(w.begin(), w.end());
  PROBITY_EQ(w.back(), *std::max_element(v.begin(), v.end()));
}
PROBITY_TEST(finds_the_number) {
  int x = probity_int();
  PROBITY_ASSERT(x != 4660);
}
PROBITY_TEST(Disabled_for_now) { PROBITY_ASSERT(false); }
";

const FUZZER: &str = "#include <cstddef>
#include <cstdint>
extern \"C\" int LLVMFuzzerTestOneInput(const uint8_t *, size_t) { return 0; }
";

const SUITE: &str = "#include <gtest/gtest.h>
TEST(Arithmetic, adds) { EXPECT_EQ(1 + 1, 2); }
";

const PROJECT: &str = "cmake_minimum_required(VERSION 3.16)
project(both CXX)
set(CMAKE_CXX_STANDARD 14)
enable_testing()
find_package(Probity 0.1.2 REQUIRED)
add_executable(lists lists.cpp)
target_link_libraries(lists PRIVATE Probity::main)
probity_discover_tests(lists TEST_PREFIX \"a list;\" EXTRA_ARGS --seed 7 PROPERTIES LABELS \"fast;ours\" TIMEOUT 60)
add_executable(fuzzer fuzzer.cpp)
target_link_libraries(fuzzer PRIVATE Probity::fuzz)
probity_discover_tests(fuzzer EXTRA_ARGS --cases 20 --engine random)
find_package(GTest)
if(GTest_FOUND)
  add_executable(suite suite.cpp)
  target_link_libraries(suite PRIVATE GTest::gtest_main)
  include(GoogleTest)
  gtest_discover_tests(suite)
endif()
";

#[test]
fn ctest_runs_our_tests_beside_those_of_gtest() {
    if !["cc", "c++", "cmake", "ctest"].iter().all(|it| is_there(it)) {
        return;
    }
    let folder = Folder::new();
    let prefix = install(&folder);
    let project =
        [("lists.cpp", LISTS), ("fuzzer.cpp", FUZZER), ("suite.cpp", SUITE), ("CMakeLists.txt", PROJECT)];
    project.iter().for_each(|(name, text)| folder.write(name, text));
    let cmake = |args: &[&str]| {
        let done = run(Command::new("cmake").args(args).current_dir(folder.path()));
        assert_eq!(done.code, Some(0), "{done:?}");
    };
    cmake(&["-S", ".", "-B", "built", &format!("-DCMAKE_PREFIX_PATH={}", prefix.display())]);
    cmake(&["--build", "built"]);
    let ctest =
        |args: &[&str]| run(Command::new("ctest").args(args).current_dir(folder.path().join("built")));
    let mut names = vec![
        "a list;sorting_keeps_the_largest",
        "a list;finds_the_number",
        "a list;Disabled_for_now (Disabled)",
        "LLVMFuzzerTestOneInput_harness",
    ];
    if folder.path().join("built/suite").exists() {
        names.push("Arithmetic.adds");
    } else {
        skipped("gtest (`apt install libgtest-dev`)");
    }
    let list = ctest(&["-N"]);
    for name in &names {
        assert!(list.out.contains(&format!(": {name}\n")), "{name}: {list:?}");
    }
    assert!(list.out.contains(&format!("Total Tests: {}", names.len())), "{list:?}");
    let done = ctest(&["--output-on-failure"]);
    assert!(done.code != Some(0) && done.out.contains("1 tests failed out of"), "{done:?}");
    for text in ["int x = 4660", "failure: x != 4660", "Not Run (Disabled)", "finds_the_number (Failed)"] {
        assert!(done.out.contains(text) || done.err.contains(text), "{text}: {done:?}");
    }
    let labels = ctest(&["-L", "ours", "-E", "finds", "-V"]);
    assert!(labels.code == Some(0) && labels.out.contains("Passed: sorting_keeps_the_largest"), "{labels:?}");
}

#[test]
fn pkg_config_says_how_to_build_a_c_file() {
    if !["cc", "pkg-config"].iter().all(|it| is_there(it)) {
        return;
    }
    let folder = Folder::new();
    let prefix = install(&folder);
    let text = "#include <probity.h>\nPROBITY_TEST(dice) { PROBITY_ASSERT(probity_int_in(1, 6) <= 6); }\n";
    folder.write("dice.c", text);
    let mut ask = Command::new("pkg-config");
    ask.args(["--cflags", "--libs", "probity >= 0.1.7"]).env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig"));
    let said = run(&mut ask);
    assert_eq!(said.code, Some(0), "{said:?}");
    let mut compile = Command::new("cc");
    compile.args(["dice.c", "-o", "dice"]).args(said.out.split_whitespace()).current_dir(folder.path());
    let compiled = run(&mut compile);
    assert_eq!(compiled.code, Some(0), "{compiled:?}");
    let done = run(Command::new(folder.path().join("dice")).current_dir(folder.path()));
    assert!(done.code == Some(0) && done.out.contains("Passed: dice"), "{done:?}");
}

#[test]
fn what_is_missing_is_named() {
    let folder = Folder::new();
    let cargo = stand_in(&folder);
    let cargo = cargo.to_str().unwrap();
    folder.write("taken", "a file");
    // The arguments, a variable, the exit code, and what is said.
    let rows: &[(&str, (&str, &str), i32, &str)] = &[
        ("", ("CARGO", cargo), 2, "where to install is missing; write `probity c --prefix DIR`"),
        ("--prefix", ("CARGO", cargo), 2, "`--prefix` needs a value; write `--prefix DIR`"),
        ("--prefix p", ("CC", "no-such-cc"), 4, "cannot run the C compiler `no-such-cc`: "),
        ("--prefix p", ("AR", "no-such-ar"), 4, "set AR to its path"),
        ("--prefix p", ("CARGO", "no-such-cargo"), 4, "install Rust, or set CARGO to its path"),
        ("--prefix p", ("CARGO", "false"), 4, "cargo could not build probity-c; what it said is above"),
        ("--prefix p", ("CARGO", "true"), 4, "cargo built probity-c without its libraries"),
        ("--prefix taken", ("CARGO", cargo), 2, "name a folder that you may write to with `--prefix`"),
        ("--prefix p --source .", ("CARGO", cargo), 2, "name a checkout of Probity"),
    ];
    if !is_there("cc") || !is_there("ar") {
        return;
    }
    for (args, (name, value), code, expected) in rows {
        let said =
            run(probity().arg("c").args(args.split_whitespace()).env(name, value).current_dir(folder.path()));
        assert!(said.code == Some(*code) && said.err.contains(expected), "{args:?} {name}: {said:?}");
    }
}
