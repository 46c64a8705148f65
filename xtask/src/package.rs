//! Whether the crates can be published: packs them all, unpacks them elsewhere, builds them there and runs the doc tests.

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

use crate::cargo;

/// Fails where a crate cannot be packed, or does not work without the rest of the repository.
pub(crate) fn run() -> ExitCode {
    let root = cargo::root();
    let packed = root.join("target/packed");
    let _ = fs::remove_dir_all(&packed);
    fs::create_dir_all(&packed).expect("there is room");
    let manifest = packed.join("Cargo.toml");
    let manifest = manifest.to_str().expect("the path is plain");

    let names = published(&root);
    let mut pack = vec!["package", "--no-verify", "--allow-dirty"];
    pack.extend(names.iter().flat_map(|it| ["--package", it]));
    if let Err(code) = done(&mut cargo::announce(&pack, &[])) {
        return code;
    }
    unpack(&root, &names, &packed);
    let steps: [&[&str]; 2] = [
        &["build", "--manifest-path", manifest, "--workspace"],
        // The packed crate has no dependency on itself, which turns the feature on here.
        &["test", "--manifest-path", manifest, "--package", "probity", "--features", "spec", "--doc"],
    ];
    for step in steps {
        if let Err(code) = done(&mut cargo::announce(step, &[])) {
            return code;
        }
    }
    ExitCode::SUCCESS
}

fn done(command: &mut Command) -> Result<(), ExitCode> {
    let status = command.status().expect("it can be run");
    if status.success() { Ok(()) } else { Err(cargo::code(status)) }
}

/// The names of the crates that are published.
pub(crate) fn published(root: &Path) -> Vec<String> {
    let folders = fs::read_dir(root.join("crates")).expect("our folders are readable");
    let manifests = folders.map(|it| it.expect("our folders are readable").path().join("Cargo.toml"));
    let texts = manifests.map(|it| fs::read_to_string(it).expect("every crate has a manifest"));
    let mut res: Vec<String> = texts
        .filter(|it| !it.contains("publish = false"))
        .map(|it| quoted(&it, "name").to_string())
        .collect();
    res.sort();
    res
}

/// The first text that `key` is set to.
fn quoted<'a>(manifest: &'a str, key: &str) -> &'a str {
    let after = manifest.split(&format!("{key} = \"")).nth(1);
    after.and_then(|it| it.split('"').next()).expect("manifests say so")
}

/// Unpacks what was packed, as a workspace in which the crates find each other.
fn unpack(root: &Path, names: &[String], packed: &Path) {
    let workspace = fs::read_to_string(root.join("Cargo.toml")).expect("it is there");
    let version = quoted(&workspace, "version");
    let (mut members, mut patches) = (String::new(), String::new());
    for name in names {
        let full = format!("{name}-{version}");
        let file = root.join(format!("target/package/{full}.crate"));
        let tar = Command::new("tar").arg("-xf").arg(&file).arg("-C").arg(packed).status();
        assert!(tar.expect("tar can be run").success(), "{} can be unpacked", file.display());
        members += &format!("    \"{full}\",\n");
        patches += &format!("{name} = {{ path = \"{full}\" }}\n");
    }
    let profile = workspace.find("[profile.").map_or("", |at| &workspace[at..]);
    let text = format!(
        "[workspace]\nresolver = \"3\"\nmembers = [\n{members}]\n\n[patch.crates-io]\n{patches}\n{profile}"
    );
    fs::write(packed.join("Cargo.toml"), text).expect("there is room");
    fs::copy(root.join("Cargo.lock"), packed.join("Cargo.lock")).expect("there is room");
}
