//! Failures that were stored by an earlier run.

use std::fs;
use std::path::PathBuf;

use crate::support::{Folder, Ran, run_in};

/// A store with the failure of `counted`, and the file it is in.
fn stored() -> (Folder, PathBuf) {
    let store = Folder::new();
    run_in(&store, "counted", &[]).fails();
    let path = store.only_file().0;
    (store, path)
}

fn fixed(store: &Folder) -> Ran {
    run_in(store, "counted", &[("FIXED", "1")]).passes()
}

#[test]
fn stored_failures_run_before_any_search() {
    let (store, path) = stored();
    let count = Folder::new();
    let file = count.path().join("inputs");
    let ran = run_in(&store, "counted", &[("COUNT", file.to_str().unwrap())]).fails();
    ran.says(&[
        "    let n = 5000;\n",
        "  found by: the stored failure STORE/harness--fixtures--counted/HASH.txt\n",
        "  replay: PROBITY_REPLAY=STORE/harness--fixtures--counted/HASH.txt cargo test",
    ]);
    // To see that it fails, to see that it fails again, and to end the test.
    assert_eq!(fs::read_to_string(file).unwrap(), "5000\n5000\n5000\n");
    assert_eq!(store.files(), [path]);
}

#[test]
fn a_failure_that_was_fixed_is_kept_and_passes_silently() {
    let (store, path) = stored();
    let text = fs::read(&path).unwrap();
    fixed(&store).says_nothing();
    assert_eq!(fs::read(&path).unwrap(), text);
    assert_eq!(store.files(), [path]);
}

#[test]
fn files_that_cannot_be_used_are_reported_and_kept() {
    // What becomes of the file's text, whether the file is put aside, and what is said.
    type Change = fn(String) -> Vec<u8>;
    let rows: [(Change, bool, &str); 5] = [
        (|it| it.replace("i5000", "i4000").into(), true, "it was changed after it was saved"),
        (|it| it[..it.len() / 2].into(), true, "it does not end with its checksum"),
        (|_| vec![0xff; 9], true, "it is not UTF-8"),
        (|_| Vec::new(), true, "its first line is not"),
        (
            |it| it.replace("format 1", "format 2").into(),
            false,
            "it has format `2`, and this Probity reads 1; update",
        ),
    ];
    for (change, is_aside, what) in rows {
        let (store, path) = stored();
        let text = change(fs::read_to_string(&path).unwrap());
        fs::write(&path, &text).unwrap();
        let ran = fixed(&store);
        let (name, aside) =
            if is_aside { ("HASH.txt.stale", path.with_extension("txt.stale")) } else { ("HASH.txt", path) };
        let title =
            "probity: `harness::fixtures::counted`: the stored failure STORE/harness--fixtures--counted/";
        ran.says(&[&format!("{title}{name} was not used\n  {what}")]);
        assert_eq!(ran.text.contains("; it was put aside under this name\n"), is_aside, "{}", ran.text);
        assert_eq!(fs::read(&aside).unwrap(), text);
        assert_eq!(store.files(), [aside]);
        assert_eq!(fixed(&store).text.is_empty(), is_aside, "what was put aside is told once");
    }
}

#[test]
fn a_stale_failure_is_put_aside() {
    let (store, path) = stored();
    let ran = run_in(&store, "counted", &[("NARROW", "1"), ("PROBITY_MAX_REJECTS", "100000")]).passes();
    ran.says(&[
        "its input is now rejected by `assume!(n < 10)` at crates/",
        "; it was put aside under this name\n",
    ]);
    assert_eq!(store.files(), [path.with_extension("txt.stale")]);

    // The choices of another test: here they give other values.
    let (store, path) = stored();
    let folder = store.path().join("harness--fixtures--slow");
    fs::create_dir(&folder).unwrap();
    fs::rename(&path, folder.join("a.txt")).unwrap();
    let ran = run_in(&store, "slow", &[]).passes();
    ran.says(&[
        "slow/a.txt.stale was not used\n  its choices now give other values than it was saved with; ",
    ]);
}

#[test]
fn the_checks_of_one_test_have_stores_of_their_own() {
    let store = Folder::new();
    run_in(&store, "two_checks", &[]).fails();
    run_in(&store, "two_checks", &[("FIXED", "1")]).passes().says_nothing();
    run_in(&store, "two_checks", &[]).fails().says(&["  found by: the stored failure "]);
}
