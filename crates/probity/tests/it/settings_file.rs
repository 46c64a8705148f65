//! `probity.toml`: the part of TOML that is read, what is said about the rest, and where it is found.

use std::path::Path;

use probity::settings::{Env, File, Key, Origin, Settings};
use probity_testkit::Folder;

#[test]
fn the_needed_part_of_toml_is_read() {
    for (toml, expected) in [
        ("", "probity-failures"),
        ("\u{feff}# only a comment\r\n\r\n", "probity-failures"),
        ("store = 'a\\b' # why", "a\\b"),
        ("store=\"a # \\\"b\\\" \\\\ \\t\"", "a # \"b\" \\ \t"),
        ("  store\t=\t'b'\r\n[ profile.x ] # why\r\nstore = 'c'", "b"),
    ] {
        let file = File::parse("probity.toml".into(), toml).unwrap();
        let settings = Settings::resolve(Path::new(""), Some(&file), &[], &Env::default()).unwrap();
        assert_eq!(settings.store.as_deref(), Some(Path::new(expected)), "{toml}");
    }
    let file =
        File::parse("probity.toml".into(), "seed = 0xffff_ffff_ffff_ffff # all\nverbose = true#\n").unwrap();
    let settings = Settings::resolve(Path::new(""), Some(&file), &[], &Env::default()).unwrap();
    assert_eq!((settings.seed, settings.verbose), (Some(u64::MAX), true));
}

#[test]
fn what_is_not_read_is_an_error_at_its_line() {
    for (line, expected) in [
        ("case = 1", "unknown key `case`; did you mean `cases`?"),
        ("max-shrink = 1", "unknown key `max-shrink`; did you mean `max_shrink`?"),
        ("quantum_foam = 1", "unknown key `quantum_foam`; known are: cases, time, seed"),
        ("cases", "expected `key = value` or `[profile.NAME]`"),
        ("cases =", "`` is no number"),
        ("time = 10s", "put a text in quotes: \"10s\""),
        ("engine = random", "put a text in quotes: \"random\""),
        ("cases = [1]", "`[1]` is no number, true or false"),
        ("engine = \"random", "the closing \" is missing"),
        ("engine = 'random", "the closing ' is missing"),
        ("engine = \"random\" 7", "`7` stands behind the value"),
        ("store = \"C:\\kept\"", "write \\\\ for one"),
        ("[profiles.ci]", "unknown section `[profiles.ci]`; write [profile.NAME]"),
        ("[profile.]", "unknown section"),
        ("[profile.a b]", "unknown section"),
        ("[profile.ci] cases = 1", "unknown section"),
        ("[profile.twice]\n[profile.twice]", "profile `twice` has a section above"),
        ("time = '1s'\ntime = '2s'", "`time` is set on line 2 already"),
    ] {
        let toml = format!("# first\n{line}\n");
        let number = 1 + line.lines().count();
        let err = File::parse("a/probity.toml".into(), &toml).unwrap_err().to_string();
        assert!(err.starts_with(&format!("a/probity.toml:{number}: ")) && err.contains(expected), "{err}");
    }
}

#[test]
fn the_nearest_file_up_to_the_workspace_root_holds() {
    let root = Folder::new();
    let package = root.at("home/ws/crates/one");
    // A package by itself, in a folder that somebody else configured.
    root.write("home/probity.toml", "cases = 1");
    root.write("home/Cargo.toml", "[package]\nname = 'workspace'\n");
    root.write("home/ws/crates/one/Cargo.toml", "[package]\n");
    let cases = || {
        let settings =
            Settings::resolve(&package, File::find(&package).unwrap().as_ref(), &[], &Env::default())
                .unwrap();
        let path = match settings.origin(Key::Cases) {
            Origin::File { path, .. } => path.strip_prefix(root.path()).unwrap().to_path_buf(),
            _ => "default".into(),
        };
        (settings.cases, path)
    };
    // A workspace around a package, then files nearer and nearer to it.
    for (path, text, expected) in [
        ("home/ws/crates/one/src.rs", "", (1000, "default")),
        ("home/ws/Cargo.toml", "[workspace]\nmembers = ['crates/*']\n", (1000, "default")),
        ("home/ws/probity.toml", "cases = 2", (2, "home/ws/probity.toml")),
        ("home/ws/crates/probity.toml", "cases = 3", (3, "home/ws/crates/probity.toml")),
        ("home/ws/crates/one/probity.toml", "cases = 4", (4, "home/ws/crates/one/probity.toml")),
    ] {
        root.write(path, text);
        assert_eq!(cases(), (expected.0, expected.1.into()), "{path}");
    }
    root.write("home/ws/crates/one/probity.toml", b"\xff");
    let err = File::find(&package).unwrap_err().to_string();
    assert!(err.contains(&package.join("probity.toml").display().to_string()), "{err}");
}
