//! Broken programs and spec files, each with the exact message that it gets. After a change of messages, run this
//! test with `BLESS=1` in the environment to write them anew, and read the difference as a newcomer would.

use std::path::Path;

use probity_spec::{files, lang};

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
            lang::read(&name, &text, &tables)
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
