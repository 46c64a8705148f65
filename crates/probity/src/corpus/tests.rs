//! The laws of a corpus on disk.

use probity_testkit::Folder;

use super::*;

fn answers(n: i128) -> Vec<Value> {
    (0..n).map(Value::Int).chain([Value::Bool(true), Value::Char('é'), Value::Float(f64::NAN)]).collect()
}

/// As text, since NaN is not equal to itself.
fn texts(cases: &[Vec<Value>]) -> Vec<String> {
    cases.iter().map(|it| it.iter().map(|it| format!("{it} ")).collect()).collect()
}

#[test]
fn what_is_saved_is_loaded() {
    let folder = Folder::new();
    let mut corpus = CorpusFolder::new(folder.path().into(), "a::b");
    let cases: Vec<_> = [0, 1, 7, 100, 1000].map(answers).to_vec();
    for it in cases.iter().rev() {
        corpus.save(it).unwrap();
        corpus.save(it).unwrap();
    }
    let mut other = CorpusFolder::new(folder.path().into(), "a::b");
    assert_eq!(texts(&other.load().cases), texts(&cases));
    // What another process adds is loaded, and nothing twice.
    corpus.save(&answers(5)).unwrap();
    assert_eq!(texts(&other.load().cases), texts(&[answers(5)]));
    assert!(other.load().cases.is_empty() && corpus.load().cases.is_empty());
    corpus.remove(&answers(5)).unwrap();
    corpus.remove(&answers(5)).unwrap();
    assert_eq!(CorpusFolder::new(folder.path().into(), "a::b").load().cases.len(), cases.len());
}

/// Every text that a case has after it was cut off or a byte of it was changed is no case; it is put aside, and those
/// beside it are loaded.
#[test]
fn damaged_files_are_put_aside() {
    let text = entry::to_text(&answers(3));
    for at in 0..text.len() {
        assert!(entry::from_text(&text[..text.floor_char_boundary(at)]).is_err() || at + 1 == text.len());
        let mut changed = text.clone().into_bytes();
        changed[at] ^= 1;
        let is_read = String::from_utf8(changed).is_ok_and(|it| entry::from_text(&it).is_ok());
        // What ends the last line may be another blank.
        assert!(!is_read || at + 1 == text.len(), "{at}");
    }
    let folder = Folder::new();
    let mut corpus = CorpusFolder::at(folder.path().into());
    corpus.save(&answers(1)).unwrap();
    let changed = text.replace("i1", "i2");
    let rows: [(&str, &[u8], &str); 5] = [
        ("cut.txt", &text.as_bytes()[..40], "does not end with its checksum"),
        ("empty.txt", b"", "its first line is not"),
        ("binary.txt", b"\xff\xfe", "it is not UTF-8"),
        ("changed.txt", changed.as_bytes(), "its checksum differs"),
        ("new.txt", b"probity corpus, format 2\nwords", "it has format `2`"),
    ];
    for (name, bytes, _) in rows {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    let loaded = CorpusFolder::at(folder.path().into()).load();
    assert_eq!(loaded.cases.len(), 1);
    for (name, _, reason) in rows {
        let (path, said) = loaded.unusable.iter().find(|it| it.0.to_string_lossy().contains(name)).unwrap();
        assert!(said.contains(reason), "{name}: {said}");
        let is_newer = name == "new.txt";
        assert_eq!((said.contains("put aside"), path.exists()), (!is_newer, true), "{name}");
        assert_eq!(folder.path().join(name).exists(), is_newer, "{name}");
    }
    // They are told once; the newer one stays, and is told again.
    assert_eq!(CorpusFolder::at(folder.path().into()).load().unusable.len(), 1);
}

#[test]
fn what_a_killed_process_left_is_removed() {
    let folder = Folder::new();
    // No process has this number.
    let temp = folder.path().join(".4194999-3.tmp");
    fs::write(&temp, "half").unwrap();
    let loaded = CorpusFolder::at(folder.path().into()).load();
    assert!(loaded.cases.is_empty() && loaded.unusable.is_empty());
    assert_eq!(temp.exists(), !cfg!(target_os = "linux"));
}

#[test]
fn what_was_reached_is_kept_for_one_build() {
    let folder = Folder::new();
    let corpus = CorpusFolder::at(folder.path().join("deep"));
    let module = folder.path().join("app");
    fs::write(&module, "one").unwrap();
    let name = module.to_str().unwrap();
    let mut reached = Reached::default();
    reached.add(name, 0x10);
    corpus.save_reached(&reached).unwrap();
    let mut more = Reached::default();
    more.add(name, 0x20);
    more.add("/no/such/module", 0x30);
    corpus.save_reached(&more).unwrap();
    let read = corpus.reached().unwrap();
    let all: Vec<_> = read.modules().map(|(it, at)| (it, at.iter().copied().collect::<Vec<_>>())).collect();
    assert_eq!(all, [(name, vec![0x10, 0x20])]);
    fs::write(&module, "other").unwrap();
    assert!(corpus.reached().unwrap().is_empty());
    fs::write(corpus.folder().join(REACHED), "module").unwrap();
    assert!(corpus.reached().unwrap_err().contains("first line"));
}
