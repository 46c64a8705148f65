//! Broken programs and spec files, each with the exact message that it gets. After a change of messages, run this
//! test with `BLESS=1` in the environment to write them anew, and read the difference as a newcomer would.

use std::path::Path;

use probity_lang::files;

fn tables(path: &str) -> Result<String, String> {
    match path {
        "ragged.csv" => Ok("name,depth\nOstend,8\nGhent\n".to_string()),
        _ => Err("no such file".to_string()),
    }
}

#[test]
fn broken_files_get_their_messages() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/broken");
    let bless = std::env::var_os("BLESS").is_some();
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|it| it.unwrap().file_name().into_string().unwrap())
        .filter(|it| !it.ends_with(".txt"))
        .collect();
    names.sort();
    assert!(names.len() >= 60, "{} broken files", names.len());
    let mut wrong = Vec::new();
    for name in names {
        let path = Path::new(folder).join(&name);
        let text = std::fs::read_to_string(&path).unwrap();
        let read = if name.ends_with(".json") {
            files::read(&name, &text)
        } else {
            probity_lang::read(&name, &text, &tables)
        };
        let shown = match read {
            Ok(_) => "no error\n".to_string(),
            Err(errors) => errors.iter().map(|it| it.render(&name, &text)).collect::<Vec<_>>().join("\n"),
        };
        let expected = Path::new(folder).join(format!("{name}.txt"));
        if bless {
            std::fs::write(&expected, &shown).unwrap();
        } else if std::fs::read_to_string(&expected).unwrap_or_default() != shown {
            wrong.push(format!("==== {name}\n{shown}"));
        }
    }
    assert!(wrong.is_empty(), "messages have changed:\n{}", wrong.join("\n"));
}

/// However much is wrong, and however long the line is, what is shown can be read.
#[test]
fn much_that_is_wrong_is_shown_in_part() {
    let mistakes = "(declare n ?Intger) ".repeat(2_000);
    let json = format!("{{{}}}", ["\"a\": 1"; 3].join(", ") + &", \"b\": [".repeat(90));
    let wide = format!(
        "{} (declare x ?Wrong) {}",
        "; 中文".repeat(0) + &"(define 中 1) ".repeat(40),
        "é".repeat(500)
    );
    let name = format!("(declare x ?{})", "long".repeat(100_000));
    let tabs = format!("{}(declare x ?Intger)", "\t".repeat(300));
    for (text, more) in [(mistakes, 1), (json, 0), (wide, 0), (name, 0), (tabs, 0)] {
        let read = if text.starts_with('{') {
            files::read("a", &text)
        } else {
            probity_lang::read("a", &text, &tables)
        };
        let errors = read.unwrap_err();
        let shown = probity_lang::render_all("a", &text, &errors);
        assert!(shown.matches("error: ").count() <= 20 && shown.len() < 20_000, "{}", shown.len());
        assert!(shown.lines().all(|it| it.chars().count() <= 500), "{shown}");
        let quoted =
            shown.lines().filter(|it| it.starts_with(|c: char| c.is_ascii_digit()) && it.contains(" | "));
        for line in quoted {
            let (_, line) = line.split_once(" | ").unwrap();
            assert!(line.chars().count() <= 120, "{line}");
        }
        let rest =
            format!("\n... and {} more\n\n{} errors in a\n", errors.len().saturating_sub(20), errors.len());
        assert_eq!(shown.ends_with(&rest), more == 1 || errors.len() > 20, "{shown}");
    }
}

#[test]
fn the_caret_stands_under_its_character() {
    let place = |text: &str, word: &str| {
        let start = text.find(word).unwrap();
        let span = probity_lang::Span { start, end: start + word.len() };
        let shown = probity_lang::Diagnostic::new("wrong", span).render("a", text);
        let lines: Vec<&str> = shown.lines().collect();
        (lines[3].to_string(), lines[4].to_string())
    };
    assert_eq!(place("ab 中 X", "X"), ("1 | ab 中 X".into(), "  |       ^".into()));
    assert_eq!(place("\tX", "X"), ("1 | \tX".into(), "  | \t^".into()));
    assert_eq!(place("e\u{301} X", "X"), ("1 | e\u{301} X".into(), "  |   ^".into()));
    assert_eq!(place("\u{1b}[2J X\r\n", "X"), ("1 | \u{fffd}[2J X".into(), "  |      ^".into()));
    for at in [0, 60, 5_000, 9_999] {
        let mut text = "a".repeat(10_000);
        text.replace_range(at..at + 1, "X");
        let (line, caret) = place(&text, "X");
        assert_eq!(line.chars().position(|it| it == 'X'), caret.chars().position(|it| it == '^'), "{at}");
        assert!(line.chars().count() <= 124, "{line}");
    }
}
