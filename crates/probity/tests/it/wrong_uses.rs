//! Wrong uses of the macros, and what the compiler says: one error each, at the mistake, told in full.
//!
//! Each file of `wrong_uses`, and of `wrong_specs` with the feature `spec`, is a test file with one mistake, in a line that
//! ends with `//~`. What the compiler says about it is a snapshot.

use std::fs;
use std::path::{Path, PathBuf};

use probity_testkit::{assert_snapshot, quiet, run};

const MANIFEST: &str = r#"
[package]
name = "wrong-uses"
edition = "2024"

[dependencies]
probity = { path = "PROBITY", default-features = false, features = [FEATURES] }

[workspace]
"#;

#[test]
fn each_is_one_error_at_the_mistake() {
    check_folder("wrong_uses", "", 30);
}

#[test]
fn each_attribute_that_does_not_fit_is_one_error_at_the_mistake() {
    check_folder("wrong_specs", "\"spec\"", 14);
}

/// Checks what the compiler says of the `least` files, or more, that are in a folder.
#[allow(clippy::print_stderr, reason = "what is skipped is said")]
fn check_folder(folder: &str, features: &str, least: usize) {
    let cases = here().join(folder);
    let version = run(quiet(rustc()).arg("--version"), "").out;
    let version = format!("{}\n", version.split(" (").next().unwrap_or_default());
    let accepted = snapshot("wrong_uses/COMPILER");
    if std::env::var_os("UPDATE").is_none() && fs::read_to_string(&accepted).unwrap() != version {
        // Most of the words are the compiler's, and so is the choice of what to say once.
        return eprint!(
            "SKIPPED: what wrong uses are told was accepted with another compiler than {version}"
        );
    }
    assert_snapshot(accepted, &version);
    let mut names: Vec<String> = Vec::new();
    for entry in fs::read_dir(&cases).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        names.extend(name.strip_suffix(".rs").map(str::to_string));
    }
    names.sort();
    assert!(names.len() >= least, "{names:?}");

    let messages = check(&cases, features, &names);
    for name in &names {
        let told: Vec<&str> = messages.iter().filter(|it| it.0 == *name).map(|it| it.1.as_str()).collect();
        let [message] = told[..] else { panic!("{name}: not one error, but\n{}", told.concat()) };
        let place = message.lines().find_map(|it| it.trim().strip_prefix("--> ")).unwrap_or_default();
        let line: usize = place.split(':').nth(1).unwrap().parse().unwrap();
        let source = fs::read_to_string(cases.join(format!("{name}.rs"))).unwrap();
        assert!(source.lines().nth(line - 1).unwrap().ends_with("//~"), "{name}: elsewhere\n{message}");
        assert_snapshot(snapshot(&format!("{folder}/{name}")), message);
    }
}

fn here() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it")
}

fn snapshot(name: &str) -> PathBuf {
    here().join(format!("snapshots/{name}.txt"))
}

fn rustc() -> PathBuf {
    std::env::var_os("RUSTC").map_or_else(|| "rustc".into(), PathBuf::from)
}

/// Compiles all cases in a package of their own. Returns the errors with the names of their cases.
fn check(cases: &Path, features: &str, names: &[String]) -> Vec<(String, String)> {
    let probity = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(cases.file_name().unwrap());
    let _ = fs::remove_dir_all(root.join("tests"));
    fs::create_dir_all(root.join("tests")).unwrap();
    fs::create_dir_all(root.join("src")).unwrap();
    let manifest = MANIFEST.replace("PROBITY", &probity.display().to_string().replace('\\', "/"));
    fs::write(root.join("Cargo.toml"), manifest.replace("FEATURES", features)).unwrap();
    fs::write(root.join("src/lib.rs"), "").unwrap();
    // What the workspace was built with is there without a network.
    fs::copy(probity.join("../../Cargo.lock"), root.join("Cargo.lock")).unwrap();
    for name in names {
        let name = format!("{name}.rs");
        fs::copy(cases.join(&name), root.join("tests").join(&name)).unwrap();
    }
    let mut command = quiet("cargo");
    command.current_dir(&root).args([
        "check",
        "--tests",
        "--keep-going",
        "--offline",
        "--message-format=json",
    ]);
    command.env("CARGO_TARGET_DIR", root.join("target")).env_remove("RUSTFLAGS");
    let output = run(&mut command, "");
    let workspace = fs::canonicalize(probity.join("../..")).unwrap();
    let mut res = Vec::new();
    for line in output.out.lines() {
        let is_error = line.contains(r#""reason":"compiler-message""#) && line.contains(r#""level":"error""#);
        let rendered = text(line, r#""rendered":""#);
        if !is_error || !rendered.starts_with("error") || rendered.starts_with("error: aborting") {
            continue;
        }
        let target = line.split_once(r#""target":{"#).unwrap_or_default().1;
        let error = (text(target, r#""name":""#), plain(&rendered, &workspace));
        // On a terminal, cargo shows once what the compiler says twice in the same words.
        if !res.contains(&error) {
            res.push(error);
        }
    }
    assert!(!res.is_empty(), "{}", output.err);
    res
}

/// The text that follows `key` in a line of JSON.
fn text(json: &str, key: &str) -> String {
    let (mut res, mut chars) = (String::new(), json.split_once(key).unwrap_or_default().1.chars());
    while let Some(char) = chars.next().filter(|it| *it != '"') {
        res.push(match char {
            '\\' => match chars.next() {
                Some('n') => '\n',
                Some('u') => {
                    let code: String = chars.by_ref().take(4).collect();
                    char::from_u32(u32::from_str_radix(&code, 16).unwrap()).unwrap()
                }
                it => it.unwrap(),
            },
            it => it,
        });
    }
    res
}

/// A message without what is another on every machine or after every change of ours: paths, and numbers of lines and
/// columns that are not the user's.
fn plain(message: &str, workspace: &Path) -> String {
    let (mut res, mut ours) = (String::new(), false);
    for line in message.replace(&*workspace.to_string_lossy(), "$PROBITY").lines() {
        let (begin, rest) = line.split_at(line.len() - line.trim_start().len());
        // Long names are in a file that has another name every time.
        if rest.contains(".long-type-") || rest.starts_with("= note: consider using `--verbose`") {
            continue;
        }
        let digits = rest.chars().take_while(char::is_ascii_digit).count();
        let in_margin = rest[digits..].starts_with(" |") || rest.starts_with("...");
        if let Some(place) = rest.strip_prefix("--> ") {
            ours = !place.starts_with("tests/");
            let file = place.split(":").next().unwrap_or_default();
            let file = file.split_once("/library/").map_or(file.to_string(), |it| format!("$RUST/{}", it.1));
            let place = if ours { &file } else { place };
            res.push_str(&format!("  --> {place}\n"));
        } else if in_margin {
            let number = if ours && digits > 0 { "LL" } else { &rest[..digits] };
            res.push_str(&format!("{number:>3} {}\n", rest[digits..].trim_start()));
        } else if rest.starts_with('|') || rest.starts_with("= ") {
            res.push_str(&format!("    {rest}\n"));
        } else if rest.starts_with("and ") && rest.ends_with(" others") {
            res.push_str(&format!("{begin}and others\n"));
        } else {
            ours &= !begin.is_empty();
            res.push_str(&format!("{line}\n"));
        }
    }
    res
}
