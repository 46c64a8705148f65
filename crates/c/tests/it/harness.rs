//! Compilers, and programs that they make of harnesses.

use std::path::{Path, PathBuf};
use std::process::Command;

use probity_testkit::{Folder, Run, quiet, run};

/// A compiler that this machine has, for a language.
pub(crate) struct Compiler(&'static str);

/// The compilers of these that this machine has. Says which it does not have.
pub(crate) fn compilers(names: &[&'static str]) -> Vec<Compiler> {
    let is_there = |name: &&&str| {
        let found = Command::new(name).arg("--version").output().is_ok_and(|it| it.status.success());
        if !found {
            skipped(name);
        }
        found
    };
    names.iter().filter(is_there).map(|it| Compiler(it)).collect()
}

#[allow(clippy::print_stderr, reason = "what is not tested has to be seen")]
fn skipped(name: &str) {
    eprintln!("SKIPPED: there is no `{name}`; install it to run what it compiles");
}

/// A file of this crate.
pub(crate) fn own(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The library, which Cargo puts where the tests are.
fn library() -> PathBuf {
    let test = std::env::current_exe().expect("a test knows where it is");
    test.parent().expect("it is in a folder").join("libprobity_c.a")
}

impl Compiler {
    pub(crate) fn name(&self) -> &'static str {
        self.0
    }

    /// Compiles with `arguments`, and fails the test with what the compiler says.
    #[track_caller]
    pub(crate) fn compile(&self, arguments: &[&str], paths: &[&Path]) {
        let mut command = quiet(self.0);
        command.args(["-Wall", "-Wextra", "-Werror", "-pedantic", "-I"]).arg(own("include"));
        command.args(arguments).args(paths);
        let output = command.output().expect("it was there a moment ago");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{command:?}\n{said}");
    }

    /// Makes a program of a harness, with a `main` of ours.
    #[track_caller]
    pub(crate) fn program(&self, harness: &str, standard: &str, folder: &Folder) -> PathBuf {
        let program = folder.path().join(format!("{}-{}", harness.replace('.', "-"), self.0));
        let is_fuzzer = harness == "fuzzer.cpp";
        let main_source = if is_fuzzer { "native/fuzz.c" } else { "native/main.c" };
        let main = folder.path().join(format!("main-{}.o", self.0));
        let cc = Compiler(if self.0.starts_with("clang") { "clang" } else { "gcc" });
        cc.compile(&["-std=c11", "-c", "-o"], &[&main, &own(main_source)]);
        let mut arguments = vec![standard, "-g", "-O1", "-o"];
        let source = own(&format!("tests/harness/{harness}"));
        let library = library();
        let mut paths: Vec<&Path> = vec![&program, &source];
        // One that brings its own.
        if !["names.c", "rest.cpp"].contains(&harness) {
            paths.push(&main);
        }
        paths.push(&library);
        let links = ["-ldl", "-lpthread", "-lm"].map(Path::new);
        paths.extend(links);
        if cfg!(target_os = "macos") {
            arguments.insert(0, "-Wl,-framework,CoreFoundation");
        }
        self.compile(&arguments, &paths);
        program
    }
}

/// Runs a program in a folder, where it keeps its failures.
pub(crate) fn start(program: &Path, arguments: &[&str], folder: &Folder) -> Run {
    run(quiet(program).args(arguments).current_dir(folder.path()), "")
}
