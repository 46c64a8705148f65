//! The text of a stored failure: what is written is read back, and what was damaged is never believed.

use probity::store::{Entry, parse_choices};
use probity_core::{Random, Source, run_case};

/// What could be taken for a part of the format, and what editors and version control change.
const PIECES: [&str; 24] = [
    "",
    "a",
    "\n",
    "\n\n",
    " ",
    "\t",
    "\r",
    "\r\n",
    "\"",
    "\\",
    "\\n",
    "<U+",
    "<U+000D>",
    ";",
    "=",
    " =",
    "_",
    "#",
    "  |",
    "checksum: ",
    "test:",
    "let x = 1;",
    "\u{feff}\u{202e}\u{2028}\u{3000}",
    "\0",
];

fn text(src: &mut Source) -> String {
    let mut res = String::new();
    src.list("text", 0, 5, |src, _| match src.pick(PIECES.len() + 1) {
        0 => res.push(src.any()),
        i => res.push_str(PIECES[i - 1]),
    });
    res
}

/// Case `index` of a random search for entries; its choices are the entry's own.
fn entry(index: u64) -> Entry {
    let mut entry = Entry::default();
    let mut source = Source::new(Box::new(Random::at(1, index)));
    source.begin().unwrap();
    let case = run_case(&mut source, &mut |src: &mut Source| {
        entry.test = text(src);
        src.list("inputs", 0, 3, |src, _| {
            let name = src.bool().then(|| text(src));
            entry.inputs.push((name, text(src)));
        });
        entry.failure = text(src);
        let _: (f64, f32, i128, u64) = src.any();
    });
    entry.choices = case.unwrap().trace.values();
    entry
}

#[test]
fn every_entry_round_trips() {
    let long =
        Entry { failure: "long \u{1f600}\n".repeat(1000), choices: entry(1).choices.repeat(50), ..entry(1) };
    for entry in (0..1000).map(entry).chain([Entry::default(), long]) {
        let text = entry.to_text();
        assert_eq!(Entry::from_text(&text), Ok(entry.clone()), "{text}");
        let changed = format!("\u{feff}{}", text.replace('\n', "\r\n"));
        assert_eq!(Entry::from_text(&changed), Ok(entry), "{changed}");
        let kept = |c: char| c == '\n' || c == '\t' || !c.is_control();
        assert!(text.chars().all(kept) && text.lines().all(|it| it == it.trim_end()), "{text:?}");
    }
}

#[test]
fn a_file_is_read_as_documented() {
    let text = "probity failure, format 1\n\
        # Saved by Probity. Keep this file under version control: it runs before every search.\n\
        test: my_crate::tests::sorting\n\
        let v = [1, 999];\n\
        let _ = Point {\n  |     x: \"\\u{1}\",\n  | };\n\
        fails: panicked at src/lib.rs:10:5: not sorted\n  |\n  | left: [999, 1]<U+0020>\n\
        choices: n2 i1 i999\n\
        checksum: 413ab0ccb04ed543\n";
    let entry = Entry {
        test: "my_crate::tests::sorting".into(),
        inputs: vec![(Some("v".into()), "[1, 999]".into()), (None, "Point {\n    x: \"\\u{1}\",\n}".into())],
        failure: "panicked at src/lib.rs:10:5: not sorted\n\nleft: [999, 1] ".into(),
        choices: parse_choices("n2 i1 i999").unwrap(),
    };
    assert_eq!(entry.to_text(), text);
    let noted = text.replace("let v", "# found on a Tuesday\n\nlet v");
    assert_eq!(Entry::from_text(&noted), Ok(entry));
}

/// Entries whose texts are short enough to damage at every byte.
fn short_entries() -> impl Iterator<Item = (Entry, Vec<u8>)> {
    let texts = (0..).map(|i| (entry(i), entry(i).to_text().into_bytes()));
    texts.filter(|(_, text)| text.len() < 500).take(8)
}

fn check_damaged(entry: &Entry, bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match Entry::from_text(text) {
        Ok(read) => assert_eq!(read, *entry, "{text}"),
        Err(reason) => assert!(reason.contains(';'), "{reason:?} does not say what to do"),
    }
}

#[test]
fn no_truncated_file_is_believed() {
    for (entry, text) in short_entries() {
        for len in 0..text.len() {
            check_damaged(&entry, &text[..len]);
        }
        assert!(Entry::from_text(std::str::from_utf8(&text[..text.len() / 2]).unwrap_or_default()).is_err());
    }
}

#[test]
fn no_changed_byte_is_believed() {
    for (entry, mut text) in short_entries() {
        for at in 0..text.len() {
            let good = text[at];
            for byte in (0..8).map(|bit| good ^ 1 << bit).chain(*b"\r\n# |;") {
                text[at] = byte;
                check_damaged(&entry, &text);
            }
            text[at] = good;
        }
    }
}

#[test]
fn reasons_name_what_is_wrong() {
    let text = entry(3).to_text();
    for (damaged, part) in [
        (String::new(), "first line is not `probity failure, format 1`"),
        (text.replace("format 1", "format 2"), "format `2`"),
        (text.replace("\nchoices: ", "\nchoices: i7 "), "changed after it was saved"),
        (text.clone() + &text, "changed after it was saved"),
        (text.replace("checksum", "sum"), "does not end with its checksum"),
        (format!("<<<<<<< HEAD\n{text}"), "first line"),
    ] {
        let reason = Entry::from_text(&damaged).unwrap_err();
        assert!(reason.contains(part), "{reason}");
    }
}
