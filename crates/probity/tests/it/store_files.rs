//! The store on a real file system: what is saved is found, by anyone who looks, anyone who else writes.

use std::collections::BTreeMap;
use std::fs;
use std::process::{Command, Stdio};

use probity::store::{Entry, Loaded, Store, read};
use probity_core::Value;
use probity_testkit::Folder;

/// A store in a new folder, which is there as long as it is kept.
fn new_store() -> (Folder, Store) {
    let folder = Folder::new();
    let store = Store::new(folder.path().into(), "krate::test");
    (folder, store)
}

fn entry(number: i128) -> Entry {
    Entry {
        test: "krate::test".into(),
        inputs: vec![(Some("n".into()), number.to_string())],
        failure: "too large".into(),
        // A file of several pages, so that a writer could be caught half way.
        choices: [Value::Int(number)].repeat(400),
    }
}

fn entries(store: &Store) -> Vec<Entry> {
    let entry = |it| match it {
        Loaded::Entry { entry, .. } => entry,
        Loaded::Damaged { path, reason } => panic!("{}: {reason}", path.display()),
    };
    store.load().into_iter().map(entry).collect()
}

#[test]
fn what_is_saved_is_loaded_in_the_order_of_file_names() {
    let (folder, store) = new_store();
    assert_eq!(store.load(), []);
    let mut expected = BTreeMap::new();
    for number in 0..10 {
        expected.insert(store.save(&entry(number)).unwrap(), entry(number));
    }
    let expected = expected.into_iter().map(|(path, entry)| Loaded::Entry { path, entry });
    assert_eq!(store.load(), expected.collect::<Vec<_>>());
    assert_eq!(Store::new(folder.path().into(), "krate::test::inner").load(), []);
}

#[test]
fn a_saved_failure_is_rewritten_only_when_its_inputs_differ() {
    let (_folder, store) = new_store();
    let old = entry(1);
    let path = store.save(&old).unwrap();
    let moved = Entry { failure: "the same, three lines lower".into(), ..old.clone() };
    assert_eq!(store.save(&moved).unwrap(), path);
    assert_eq!(entries(&store), [entry(1)]);
    let renamed = Entry { inputs: vec![(None, "one".into())], ..old };
    assert_eq!(store.save(&renamed).unwrap(), path);
    assert_eq!(entries(&store), [renamed]);
    fs::write(&path, "damaged").unwrap();
    store.save(&entry(1)).unwrap();
    assert_eq!(entries(&store), [entry(1)]);
}

#[test]
fn files_of_others_are_passed_over_and_damaged_ones_named() {
    let (_folder, store) = new_store();
    let good = store.save(&entry(1)).unwrap();
    let at = |name: &str| store.folder().join(name);
    for name in ["README.md", ".1-2.tmp", "a.txt.stale"] {
        fs::write(at(name), "text").unwrap();
    }
    let newer = entry(2).to_text().replace("format 1", "format 2");
    let rows: [(&str, &[u8], &str); 4] = [
        ("a-empty.txt", b"", "first line"),
        ("b-bytes.txt", b"\xff\xfe", "not UTF-8"),
        ("c-newer.txt", newer.as_bytes(), "update probity"),
        ("d-folder.txt", b"", "cannot read"),
    ];
    for (name, content, _) in rows {
        if name.starts_with('d') {
            fs::create_dir(at(name)).unwrap();
        } else {
            fs::write(at(name), content).unwrap();
        }
    }
    let mut loaded = store.load();
    loaded.retain(|it| *it != Loaded::Entry { path: good.clone(), entry: entry(1) });
    assert_eq!(loaded.len(), rows.len());
    for ((name, _, part), loaded) in rows.into_iter().zip(loaded) {
        let Loaded::Damaged { path, reason } = loaded else { panic!("{name} was loaded") };
        assert_eq!(path, at(name));
        assert!(reason.contains(part), "{name}: {reason}");
    }
}

#[test]
fn setting_aside_overwrites_nothing() {
    let (_folder, store) = new_store();
    let mut asides = Vec::new();
    for failure in ["first", "second", "third"] {
        let path = store.save(&Entry { failure: failure.into(), ..entry(1) }).unwrap();
        asides.push((store.set_aside(&path).unwrap(), failure));
        assert_eq!(store.load(), []);
        let err = store.set_aside(&path).unwrap_err().to_string();
        assert!(err.contains(&path.display().to_string()), "{err}");
    }
    for (path, failure) in asides {
        assert_eq!(read(&path).unwrap().failure, failure);
    }
    assert!(store.set_aside(store.folder()).is_err(), "a folder is no stored failure");
}

#[test]
fn errors_name_the_folder() {
    let folder = Folder::new();
    folder.write("file", "");
    let file = folder.at("file");
    let store = Store::new(file.clone(), "krate::test");
    let err = store.save(&entry(1)).unwrap_err().to_string();
    assert!(err.contains(&file.display().to_string()), "{err}");
    assert!(matches!(&store.load()[..], [Loaded::Damaged { path, .. }] if path == store.folder()));

    let locked = folder.at("locked");
    fs::create_dir(&locked).unwrap();
    let mut permissions = fs::metadata(&locked).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&locked, permissions).unwrap();
    if fs::write(locked.join("probe"), "").is_ok() {
        return; // root writes everywhere, and Windows has no read-only folders
    }
    let err = Store::new(locked.clone(), "krate::test").save(&entry(1)).unwrap_err().to_string();
    assert!(err.contains(&locked.display().to_string()), "{err}");
}

#[test]
fn a_reader_never_sees_half_a_file() {
    let (_folder, store) = new_store();
    let save = |input: String| store.save(&Entry { inputs: vec![(None, input)], ..entry(1) }).unwrap();
    save("first".into());
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| (0..200).for_each(|i| drop(save(i.to_string()))));
        while !writer.is_finished() {
            assert_eq!(entries(&store).len(), 1);
        }
    });
}

const PROCESSES: i128 = 64;
const SAVES: i128 = 3;
/// Where a process that this test started finds the store, and its number.
const CHILD: &str = "STORE_TEST_CHILD";

#[test]
fn parallel_processes_lose_no_failure() {
    if let Ok(child) = std::env::var(CHILD) {
        let (number, dir) = child.split_once(' ').unwrap();
        return hammer(&Store::new(dir.into(), "krate::test"), number.parse().unwrap());
    }
    let (folder, store) = new_store();
    let start = |number| {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", "store_files::parallel_processes_lose_no_failure"]);
        child.env(CHILD, format!("{number} {}", folder.path().display()));
        child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let children: Vec<_> = (0..PROCESSES).map(start).collect();
    for child in children {
        let out = child.wait_with_output().unwrap();
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stdout));
    }
    let mut loaded = entries(&store);
    loaded.sort_by_key(|it| it.inputs[0].1.parse::<i128>().unwrap());
    let expected =
        (0..SAVES).chain((0..PROCESSES).flat_map(|it| (1..=SAVES).map(move |i| it * 1000 + 100 + i)));
    assert!(loaded.into_iter().eq(expected.map(entry)));
    let files = fs::read_dir(store.folder()).unwrap().count() as i128;
    assert_eq!(files, SAVES + PROCESSES * SAVES, "temporary files were left");
}

/// Saves failures that every process has and failures of its own, and sees no file half written.
fn hammer(store: &Store, number: i128) {
    std::thread::scope(|scope| {
        scope.spawn(|| (0..SAVES).for_each(|i| drop(store.save(&entry(i)).unwrap())));
        for i in 1..=SAVES {
            store.save(&entry(number * 1000 + 100 + i)).unwrap();
        }
        assert!(entries(store).contains(&entry(number * 1000 + 101)));
    });
}

#[cfg(unix)]
#[test]
fn only_regular_files_of_a_sensible_size_are_read() {
    let (_folder, store) = new_store();
    store.save(&entry(1)).unwrap();
    let at = |name: &str| store.folder().join(name);
    // Opening the pipe would wait for a writer for ever.
    assert!(Command::new("mkfifo").arg(at("a-pipe.txt")).status().unwrap().success());
    fs::create_dir(at("b-folder.txt")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", at("c-device.txt")).unwrap();
    fs::File::create(at("d-large.txt")).unwrap().set_len((64 << 20) + 1).unwrap();
    let mut reasons = BTreeMap::new();
    let mut n_entries = 0;
    for loaded in store.load() {
        match loaded {
            Loaded::Entry { .. } => n_entries += 1,
            Loaded::Damaged { path, reason } => {
                assert!(probity::store::may_be_good(&path), "left where it is: {}", path.display());
                reasons.insert(path.file_name().unwrap().to_str().unwrap().to_string(), reason);
            }
        }
    }
    assert_eq!(n_entries, 1);
    for (name, expected) in [
        ("a-pipe.txt", "it is no regular file"),
        ("b-folder.txt", "it is a folder"),
        ("c-device.txt", "it is no regular file"),
        ("d-large.txt", "it has more than 64 MB"),
    ] {
        let expected = format!("cannot read it: {expected}; check that it is a readable file of ours");
        assert_eq!(reasons.remove(name), Some(expected), "{name}");
    }
    assert!(reasons.is_empty(), "{reasons:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn what_a_killed_run_left_is_removed_and_what_a_running_one_writes_is_not() {
    let (_folder, store) = new_store();
    store.save(&entry(1)).unwrap();
    let mut child = Command::new("sleep").arg("1000").stdout(Stdio::null()).spawn().unwrap();
    let temp = |pid: u32| store.folder().join(format!(".{pid}-0.tmp"));
    let (running, own) = (temp(child.id()), temp(std::process::id()));
    let (dead, others) = (temp(u32::MAX), store.folder().join(".something.tmp"));
    for path in [&running, &own, &dead, &others] {
        fs::write(path, "half a file").unwrap();
    }
    assert_eq!(entries(&store), [entry(1)]);
    let left = [&running, &own, &dead, &others].map(|it| it.exists());
    assert_eq!(left, [true, true, false, true], "only what nobody writes any more is removed");
    child.kill().unwrap();
    child.wait().unwrap();
    store.save(&entry(2)).unwrap();
    assert!(!running.exists(), "saving removes it too");
    let now = fs::File::options().write(true).open(&own).unwrap();
    now.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    assert_eq!(entries(&store).len(), 2);
    assert!(own.exists(), "never one of this process");
}
