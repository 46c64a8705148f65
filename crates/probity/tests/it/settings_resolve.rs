//! Settings: who wins, and what is said about a setting that cannot be used.

use std::ffi::OsString;
use std::path::Path;

use probity::settings::{Color, Env, File, Key, Origin, Settings, SettingsError};
use probity_testkit::assert_snapshot;

const TOML: &str = "ws/probity.toml";

fn resolve(toml: &str, test: &[(Key, &str)], env: &[(&str, &str)]) -> Result<Settings, SettingsError> {
    let file = if toml.is_empty() { None } else { Some(File::parse(TOML.into(), toml)?) };
    let test: Vec<_> = test.iter().map(|(key, text)| (*key, text.to_string())).collect();
    let env: Env = env.iter().copied().collect();
    Settings::resolve(Path::new("ws/member"), file.as_ref(), &test, &env)
}

/// The line of the table for one key, with single blanks.
fn shown(settings: &Settings, key: Key) -> String {
    let table = settings.to_string();
    let words = |line: &str| line.split_whitespace().map(str::to_string).collect::<Vec<_>>();
    let line = table.lines().map(words).find(|words| words[0] == key.name()).unwrap();
    line.join(" ")
}

#[test]
fn the_nearest_to_the_keyboard_wins() {
    for layers in 0..16 {
        let has = |bit: u32| layers >> bit & 1 == 1;
        let top = if has(0) { "cases = 10" } else { "" };
        let profile = if has(1) { "cases = 20" } else { "" };
        let toml = format!("{top}\n[profile.nightly]\n{profile}\n[profile.other]\ncases = 5");
        let test: &[_] = if has(2) { &[(Key::Cases, "30")] } else { &[] };
        let mut env = vec![("PROBITY_PROFILE", "nightly")];
        env.extend(has(3).then_some(("PROBITY_CASES", "40")));
        let settings = resolve(&toml, test, &env).unwrap();

        let file = |line, profile: Option<&str>| Origin::File {
            path: TOML.into(),
            line,
            profile: profile.map(str::to_string),
        };
        let expected = match (has(0), has(1), has(2), has(3)) {
            (_, _, _, true) => (40, Origin::Env { name: "PROBITY_CASES".into() }),
            (_, _, true, _) => (30, Origin::Test),
            (_, true, _, _) => (20, file(3, Some("nightly"))),
            (true, _, _, _) => (10, file(1, None)),
            _ => (1000, Origin::Default),
        };
        assert_eq!((settings.cases, settings.origin(Key::Cases).clone()), expected);
        assert_eq!(*settings.origin(Key::Time), Origin::Default);
    }
}

#[test]
fn the_table_shows_every_setting_with_its_origin() {
    let toml = "time = \"2m\"\n[profile.ci]\nstore = \"kept\"\n";
    let env = [("CI", "true"), ("PROBITY_HANG", "off"), ("NO_COLOR", "1"), ("PROBITY_REPLAY", "n1 i7")];
    let table = resolve(toml, &[(Key::Verbose, "true")], &env).unwrap().to_string();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/snapshots/settings.txt");
    // As it reads where paths have another separator.
    assert_snapshot(path, &table.replace(r"ws\kept", "ws/kept"));
}

#[test]
fn values_are_read_the_same_everywhere() {
    let member = |name: &str| Path::new("ws/member").join(name).display().to_string();
    for (key, text, expected) in [
        (Key::Cases, "1", "1".to_string()),
        (Key::Cases, "10_000", "10000".into()),
        (Key::Cases, "18446744073709551615", "18446744073709551615".into()),
        (Key::Time, "1500ms", "1500ms".into()),
        (Key::Time, "60s", "1m".into()),
        (Key::Seed, "0xFF_ff", "65535".into()),
        (Key::Seed, "0", "0".into()),
        (Key::Engine, "random", "random".into()),
        (Key::Engine, "targeted", "targeted".into()),
        (Key::Schedule, "linear", "linear 1".into()),
        (Key::Schedule, "geometric 2.5", "geometric 2.5".into()),
        (Key::Schedule, "hill-climbing", "hill-climbing".into()),
        (Key::MaxShrink, "0", "0".into()),
        (Key::MaxRejects, "4294967295", "4294967295".into()),
        (Key::Hang, "off", "off".into()),
        (Key::Hang, "1h", "1h".into()),
        (Key::Store, "false", "off".into()),
        (Key::Store, "off", "off".into()),
        (Key::Store, "true", member("probity-failures")),
        (Key::Store, "/kept", "/kept".into()),
        (Key::Corpus, "auto", "auto".into()),
        (Key::Corpus, "off", "off".into()),
        (Key::Corpus, "/found", "/found".into()),
        (Key::Explain, "off", "false".into()),
        (Key::Events, "off", "off".into()),
        (Key::Events, "/tmp/events", "/tmp/events".into()),
        (Key::Color, "always", "always".into()),
        (Key::Prove, "1", "true".into()),
        (Key::Prove, "12", "12".into()),
        (Key::Verbose, "1", "true".into()),
    ] {
        let (name, variable) = (key.name(), key.variable());
        let by_file = resolve(&format!("{name} = '{text}'"), &[], &[]).unwrap();
        assert_eq!(shown(&by_file, key), format!("{name} {expected} {TOML}:1"));
        let by_test = resolve("", &[(key, text)], &[]).unwrap();
        assert_eq!(shown(&by_test, key), format!("{name} {expected} this test"));
        let by_env = resolve("", &[], &[(&variable, text)]).unwrap();
        assert_eq!(shown(&by_env, key), format!("{name} {expected} {variable}"));
    }
}

#[test]
fn paths_are_relative_to_the_file_or_else_to_the_package() {
    let store = |it: Result<Settings, SettingsError>| it.unwrap().store.unwrap();
    assert_eq!(store(resolve("store = 'kept'", &[], &[])), Path::new("ws/kept"));
    assert_eq!(store(resolve("", &[(Key::Store, "kept")], &[])), Path::new("ws/member/kept"));
    assert_eq!(store(resolve("", &[], &[("PROBITY_STORE", "kept")])), Path::new("ws/member/kept"));
    assert_eq!(store(resolve("store = true", &[], &[])), Path::new("ws/member/probity-failures"));
}

#[test]
fn malformed_values_are_errors_that_name_their_place() {
    let whole = "a whole number of at least 1, such as 1000";
    let schedule =
        "spread, linear, geometric or hill-climbing; `linear 10` and `geometric 10` begin at temperature 10";
    for (key, text, expected) in [
        (Key::Cases, "ten", whole),
        (Key::Cases, "0", whole),
        (Key::Cases, "-1", whole),
        (Key::Cases, "1.5", whole),
        (Key::Cases, "_", whole),
        (Key::Cases, "18446744073709551616", whole),
        (Key::Time, "10", "a duration such as 500ms, 10s or 2m"),
        (Key::Time, "off", "a duration such as 500ms, 10s or 2m"),
        (Key::Seed, "0x", "a whole number below 2^64, such as 42 or 0x2a"),
        (Key::Engine, "quantum", "one of: auto, random, exhaustive, targeted, concolic, coverage"),
        (Key::Schedule, "steep", schedule),
        (Key::Schedule, "linear 0", schedule),
        (Key::Size, "small", "a whole number such as 6, or off"),
        (Key::Shard, "9/8", "one part of several, such as 1/8 for the first of eight, or off"),
        (Key::Start, "-1", "the number of an input, from 0"),
        (Key::Prove, "all", "true, false, or the most choices of an input, from 2 on, such as 6"),
        (Key::MaxRejects, "4294967296", "a whole number below 2^32, such as 10"),
        (Key::Hang, "0s", "a duration such as 500ms, 30s or 2m, or off"),
        (Key::Explain, "yes", "true or false"),
        (Key::Color, "Auto", "auto, always or never"),
    ] {
        let (name, variable) = (key.name(), key.variable());
        let err = |it: Result<Settings, SettingsError>| it.unwrap_err().to_string();
        let tail = format!("is `{text}`: expected {expected}");
        assert_eq!(err(resolve("", &[], &[(&variable, text)])), format!("`{variable}` {tail}"));
        assert_eq!(err(resolve("", &[(key, text)], &[])), format!("`{name}` of this test {tail}"));
        // Also in a profile that is not chosen: it would fail on the day it is.
        let toml = format!("\n[profile.nightly]\n{name} = \"{text}\"\n");
        assert_eq!(err(resolve(&toml, &[], &[])), format!("{TOML}:3: `{name}` {tail}"));
    }
}

#[test]
fn unknown_variables_are_errors() {
    for (name, part) in [
        ("PROBITY_CASE", "did you mean `PROBITY_CASES`?"),
        ("PROBITY_MAXSHRINK", "did you mean `PROBITY_MAX_SHRINK`?"),
        ("PROBITY_PROFIEL", "did you mean `PROBITY_PROFILE`?"),
        ("PROBITY_QUANTUM_FOAM", "known are: PROBITY_CASES, PROBITY_TIME"),
    ] {
        let err = resolve("", &[], &[(name, "")]).unwrap_err().to_string();
        assert!(err.contains(name) && err.contains(part), "{err}");
    }
    assert!(resolve("", &[], &[("PROBITY", "1"), ("MY_PROBITY_CASE", "1"), ("PROBITY_CASES", "")]).is_ok());
    // Anyone who names a solver for specs can still run tests.
    assert!(resolve("", &[], &[("PROBITY_SOLVER", "z3")]).is_ok());
}

#[test]
fn replay_is_for_one_run_only() {
    let expected = "is for one run only; set `PROBITY_REPLAY`";
    for settings in [resolve("replay = 'n1'", &[], &[]), resolve("", &[(Key::Replay, "n1")], &[])] {
        let err = settings.unwrap_err().to_string();
        assert!(err.contains(expected), "{err}");
    }
}

#[test]
fn the_profile_is_named_or_follows_ci() {
    const NAMED: &str = "PROBITY_PROFILE";
    let toml = "cases = 1\n[profile.ci]\ncases = 2\n[profile.nightly]\ncases = 3\n";
    let cases = |toml, env: &[_]| match resolve(toml, &[], env) {
        Ok(settings) => settings.cases.to_string(),
        Err(err) => err.to_string(),
    };
    assert_eq!(cases(toml, &[]), "1");
    assert_eq!(cases(toml, &[("CI", "1")]), "2");
    assert_eq!(cases(toml, &[("CI", "")]), "1");
    assert_eq!(cases(toml, &[("CI", "false")]), "1");
    assert_eq!(cases(toml, &[("CI", "1"), (NAMED, "nightly")]), "3");
    assert_eq!(cases(toml, &[("CI", "1"), (NAMED, "default")]), "1");
    assert_eq!(cases("cases = 1", &[("CI", "1")]), "1");
    for (toml, name, expected) in [
        (toml, "nightli", "`ws/probity.toml` has no such profile; did you mean `nightly`?"),
        ("cases = 1", "ci", "`ws/probity.toml` has no such profile; there is none"),
        ("", "ci", "no probity.toml was found at `ws/member` or above it"),
    ] {
        assert_eq!(cases(toml, &[(NAMED, name)]), format!("`{NAMED}` is `{name}`: {expected}"));
    }
}

#[test]
fn ci_is_seen_and_leaves_the_seed_to_the_runner() {
    for (env, ci) in [(&[][..], false), (&[("CI", "1")], true), (&[("CI", "0")], false)] {
        let settings = resolve("", &[], env).unwrap();
        assert_eq!((settings.ci, settings.seed), (ci, None));
    }
}

#[test]
fn colors_follow_the_common_variables_unless_told_otherwise() {
    let rows: [(&[(&str, &str)], Color); 8] = [
        (&[], Color::Auto),
        (&[("NO_COLOR", "1")], Color::Never),
        (&[("NO_COLOR", "")], Color::Auto),
        (&[("CLICOLOR_FORCE", "1")], Color::Always),
        (&[("CLICOLOR_FORCE", "0")], Color::Auto),
        (&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], Color::Never),
        (&[("NO_COLOR", "1"), ("PROBITY_COLOR", "always")], Color::Always),
        (&[("CLICOLOR_FORCE", "1"), ("PROBITY_COLOR", "auto")], Color::Auto),
    ];
    for (env, expected) in rows {
        assert_eq!(resolve("", &[], env).unwrap().color, expected, "{env:?}");
    }
    assert_eq!(resolve("color = 'always'", &[], &[("NO_COLOR", "1")]).unwrap().color, Color::Never);
}

#[test]
#[cfg(unix)]
fn variables_that_are_not_utf8_are_errors() {
    use std::os::unix::ffi::OsStringExt;
    let odd = |start: &str| OsString::from_vec([start.as_bytes(), b"\xff"].concat());
    for name in Key::ALL.map(Key::variable).into_iter().chain(["PROBITY_PROFILE".into()]) {
        let env: Env = [(name.clone(), odd("1"))].into_iter().collect();
        let err = Settings::resolve(Path::new(""), None, &[], &env).unwrap_err().to_string();
        assert!(err.starts_with(&format!("`{name}` is not UTF-8")), "{err}");
    }
    let err = |name: OsString| {
        Settings::resolve(Path::new(""), None, &[], &[(name, "1")].into_iter().collect()).err()
    };
    assert!(err(odd("PROBITY_CASES")).is_some());
    assert_eq!(err(odd("PATH")), None);
}

#[test]
fn who_asks_for_all_proofs_leaves_a_bound_as_it_is() {
    for (env, expected) in [("true", "6"), ("1", "6"), ("8", "8"), ("false", "false")] {
        let settings = resolve("", &[(Key::Prove, "6")], &[("PROBITY_PROVE", env)]).unwrap();
        assert!(shown(&settings, Key::Prove).starts_with(&format!("prove {expected} ")), "{env}");
    }
}
