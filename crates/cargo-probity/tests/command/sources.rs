//! `probity api` and `probity write`: what is written for sources, and what is said of sources that cannot be used.

use std::fs;
use std::path::Path;

use probity_testkit::assert_snapshot;

use crate::support::*;

/// A package of this name with these files.
fn package(name: &str, files: &[(&str, &str)]) -> Folder {
    let folder = Folder::new();
    folder.write("Cargo.toml", format!("[package]\nname = \"{name}\"\nedition = \"2024\"\n[workspace]\n"));
    for (path, text) in files {
        fs::create_dir_all(folder.path().join(path).parent().unwrap()).unwrap();
        folder.write(path, text);
    }
    folder
}

/// The first line of each file in `sources` is a command line; what it prints is in `snapshots`.
#[test]
fn what_is_written_is_as_accepted() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/command");
    let mut n = 0;
    for entry in fs::read_dir(here.join("sources")).unwrap() {
        let file = entry.unwrap().file_name().into_string().unwrap();
        let text = fs::read_to_string(here.join("sources").join(&file)).unwrap();
        let name = file.strip_suffix(".txt").unwrap();
        let (line, rest) = text.split_once('\n').unwrap();
        let folder = package(name, &[("src/lib.rs", rest)]);
        let args: Vec<&str> = line.strip_prefix("// probity ").unwrap().split(' ').collect();
        let run = run_in(folder.path(), &args, "");
        assert_eq!((run.code, &*run.err), (Some(0), ""), "{file}");
        assert_snapshot(here.join(format!("snapshots/{name}.txt")), &run.out);
        // A file and the module in it are the same, and so is what goes to a file.
        if args[..] == ["write", name] {
            let by_file = run_in(folder.path(), &["write", "src/lib.rs", "-o", "new.rs"], "");
            assert_eq!((by_file.code, &*by_file.out, &*by_file.err), (Some(0), "", ""), "{file}");
            let by_file = folder.read("new.rs").replace("src/lib.rs", name);
            assert_eq!(by_file, run.out, "{file}");
        }
        n += 1;
    }
    assert_eq!(n, 4);
}

#[test]
fn sources_that_cannot_be_used_are_explained_with_their_place() {
    let deep = format!("pub fn f(it: u8) {{ {}{} }}", "(".repeat(100_000), ")".repeat(100_000));
    let long = format!("pub fn f(it: {}u8) {{}}", "&".repeat(100_000));
    let rows: &[(&str, &str)] = &[
        ("pub fn f(it: u8) {\n", "src/lib.rs:1:18: no Rust from here on"),
        ("\n\npub fn f(it) {}\n", "src/lib.rs:3:12: expected `:`"),
        ("pub struct A {\n  b c\n}\n", "src/lib.rs:2:5: expected `:`"),
        ("impl for A {}", "src/lib.rs:1:10: expected `<`"),
        ("use a::{b c};", "src/lib.rs:1:11: expected `,`"),
        ("const A: &str = \"", "src/lib.rs:1:17: no Rust from here on"),
        ("mod a {\n  mod b;\n}", "src/lib.rs:2: there is no file `"),
        ("#[path = \"lib.rs\"]\nmod a;", "includes itself"),
        (&deep, "brackets nest deeper than 256 levels"),
        (&long, "src/lib.rs:1:5: one item has more than 4096 tokens"),
    ];
    for (text, expected) in rows {
        let folder = package("shop", &[("src/lib.rs", text)]);
        for args in [["write", "shop"], ["api", "shop::Heap"], ["write", "src/lib.rs"]] {
            let run = run_in(folder.path(), &args, "");
            let shown: String = text.chars().take(60).collect();
            assert_eq!((run.code, &*run.out), (Some(2), ""), "{args:?} {shown}");
            assert!(run.err.starts_with("error: ") && run.err.contains(expected), "{shown}: {}", run.err);
        }
    }
}

#[test]
fn names_that_lead_in_circles_end() {
    // Each of 40 modules has all names of all others, so that there are more ways than anybody can walk.
    let modules: String = (0..40)
        .map(|i| format!("pub mod m{i} {{ {} pub fn f(it: Lost) {{}} }}\n", "pub use super::*;"))
        .collect();
    let all: String = (0..40).map(|i| format!("pub use m{i}::*;\n")).collect();
    let text = format!(
        "{all}{modules}pub type A = B;\npub type B = A;\npub fn g(it: A) {{}}\npub fn h(it: u8) {{}}\n"
    );
    let folder = package("shop", &[("src/lib.rs", &text)]);
    let run = run_in(folder.path(), &["write", "shop"], "");
    assert_eq!((run.code, &*run.err), (Some(0), ""));
    assert!(run.out.contains("fn h_never_panics(it: u8)"), "{}", run.out);
}

#[test]
fn requests_that_make_no_sense_are_explained() {
    let text = "pub struct Heap<T: Shape>(T);\nstruct Own;\npub mod a { pub struct Twice; }\npub mod b { pub struct Twice; }
pub struct Bare;\nimpl Bare { pub unsafe fn f(self) {} }\npub mod empty { fn f(it: u8) {} pub fn g() {} }\npub fn f(it: u8) {}\npub fn h(it: u8) {}\n";
    let rows: &[(&[&str], i32, &str)] = &[
        (&["api", "shop::Heap"], 2, "`Heap` needs `T: Shape`; name a type with `--type T=..`"),
        (
            &["api", "shop::Heap", "--type", "u8"],
            2,
            "`--type` is `u8`; expected a parameter and its type, such as T=u16",
        ),
        (
            &["api", "shop::Heap", "--type", "T=<"],
            2,
            "`--type` is `T=<`; expected a parameter and its type, such as T=u16",
        ),
        (
            &["api", "shop::Heap", "--type", "X=u8"],
            2,
            "`--type X=..`: `Heap` has no such parameter; it has T",
        ),
        (&["api", "shop::Heep"], 2, "there is no type `shop::Heep` in `shop`; check the path"),
        (&["api", "shop::Own"], 2, "`shop::Own` is private, so no test outside of `shop` can use it"),
        (
            &["api", "shop::Twice"],
            2,
            "`shop::Twice` may be any of `shop::a::Twice`, `shop::b::Twice`; name one",
        ),
        (&["api", "shop::Bare"], 1, "no method of `Bare` can be called by a test\n  f: is unsafe"),
        (
            &["api", "shop::", "--crate", "shop"],
            2,
            "`shop::` is no path; expected names with `::` between them, such as my_crate::Heap",
        ),
        (&["write", "shop::g"], 2, "there is no module and no function `shop::g`; check the path"),
        (
            &["write", "shop::Bare"],
            2,
            "there is no module and no function `shop::Bare`; it is a type: name its module, or use `probity api`",
        ),
        (
            &["write", "shop::empty"],
            1,
            "nothing in `shop::empty` can be tested from its signature\n  g: takes no input\n  not public: f",
        ),
        (&["write", "src/no.rs"], 2, "there is no file `src/no.rs`; check its path"),
        (
            &["write", "src/stray.rs"],
            2,
            "`src/stray.rs` is no part of the library `shop`, so no test can use it; name it in a `mod`",
        ),
        (
            &["write", "shop", "--like", "std::mem::drop"],
            2,
            "`std::mem::drop` is one function; name one of yours to compare it with",
        ),
        (
            &["write", "shop", "-o", "Cargo.toml"],
            2,
            "`Cargo.toml` is there already and is not overwritten; remove it or choose another name",
        ),
        (&["write", "shop", "-o", "no/such/folder.rs"], 2, "cannot write `no/such/folder.rs`"),
        (&["write"], 2, "something is missing; write `probity write PATH [OPTIONS]`"),
    ];
    let folder = package("shop", &[("src/lib.rs", text), ("src/stray.rs", "")]);
    let manifest = folder.read("Cargo.toml");
    for (args, code, expected) in rows {
        let run = run_in(folder.path(), args, "");
        assert_eq!(run.code, Some(*code), "{args:?} {}", run.err);
        assert!(run.err.starts_with(&format!("error: {expected}")), "{args:?}: {}", run.err);
    }
    assert_eq!(folder.read("Cargo.toml"), manifest);
    assert_eq!(folder.names(), ["Cargo.toml", "src"]);
    let unknown = run_in(folder.path(), &["write", "shopp"], "");
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.err.starts_with("error: there is no crate `shopp` here; "), "{}", unknown.err);
    let outside = Folder::new();
    assert_eq!(run_in(outside.path(), &["write", "shop"], "").code, Some(4));
}

#[cfg(unix)]
#[test]
fn the_standard_library_is_read_where_rustc_says() {
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::fs::PermissionsExt;
    let folder = package("shop", &[("src/lib.rs", "")]);
    let root = folder.path().display().to_string();
    folder.write(
        "rustc",
        format!("#!/bin/sh\ncase $1 in --print) echo '{root}';; *) exec rustc \"$@\";; esac\n"),
    );
    let rustc = folder.path().join("rustc");
    set_permissions(&rustc, Permissions::from_mode(0o755)).unwrap();
    let api = |args: &[&str]| {
        let output =
            probity().arg("api").args(args).current_dir(folder.path()).env("RUSTC", &rustc).output().unwrap();
        (
            output.status.code(),
            String::from_utf8(output.stdout).unwrap(),
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    let (code, out, err) = api(&["VecDeque"]);
    assert_eq!((code, &*out), (Some(4), ""));
    assert!(err.contains("`rustup component add rust-src`"), "{err}");
    // Syntax that is not stable is passed over, and what it says of a bound is not.
    let alloc = "pub mod collections {\n    mod vec_deque;\n    pub use self::vec_deque::VecDeque;\n}\n";
    let deque = "const trait Strange {}\nimpl<T> const Strange for VecDeque<T> {}
pub struct VecDeque<T, #[unstable(feature = \"x\")] A: Allocator = Global> { buf: Buf<T, A> }
impl<T> VecDeque<T> { pub const fn new() -> VecDeque<T> { gen move { 1 } } }
impl<T, A: Allocator> VecDeque<T, A> {
    pub fn map<F: [const] FnOnce(T) -> T>(&mut self, f: F) {}
    #[unstable(feature = \"x\")] pub fn new_in(alloc: A) -> VecDeque<T, A> { loop {} }
    pub fn append(&mut self, other: &mut Self) {}
    pub fn into_iter(self) -> IntoIter<T, A> { loop {} }
}
pub struct IntoIter<T, A = Global>(T, A);\n";
    for (name, text) in [
        ("alloc/src/lib.rs", alloc),
        ("alloc/src/collections/vec_deque/mod.rs", deque),
        ("std/src/lib.rs", ""),
        ("core/src/lib.rs", ""),
    ] {
        let path = Path::new("lib/rustlib/src/rust/library").join(name);
        fs::create_dir_all(folder.path().join(&path).parent().unwrap()).unwrap();
        folder.write(path.to_str().unwrap(), text);
    }
    for path in [&["VecDeque"][..], &["std::collections::VecDeque"], &["VecDeque", "--crate", "alloc"]] {
        let (code, out, err) = api(path);
        assert_eq!((code, &*err), (Some(0), ""), "{path:?}");
        let table = out.split_once("use ").unwrap().1;
        let expected = "std::collections::VecDeque;\n\nprobity::api_table! {\n    vec_deque: VecDeque<u8> {\n        fn new() -> Self;
        fn append(&mut self, other: &mut Self);\n    }\n}\n\n// Left out:\n//   map: takes a function\n//   new_in: is unstable
//   into_iter: names a private type\n";
        assert_eq!(table, expected, "{path:?}");
    }
    let (code, _, err) = api(&["std::collections::NoSuch"]);
    assert_eq!((code, &*err), (Some(2), "error: there is no type `NoSuch` in the standard library\n"));
}
