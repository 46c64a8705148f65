//! Texts that are compared with what they were when somebody last accepted them.

use std::fs;
use std::path::Path;

/// The variable that accepts what is found.
const UPDATE: &str = "UPDATE";

/// Compares `found` with the text of the file at `path`, byte for byte. `UPDATE=1 cargo test` accepts what is found: it
/// writes the file, and the difference is what `git diff` shows.
///
/// A snapshot is a file of its own, beside the tests, and not a literal in them: nothing has to find its way back into
/// source code, tests that run side by side do not write the same file, no escapes hide what a reader of a report sees,
/// and a text that moves from one test to another is still the same file.
///
/// ```
/// use probity_testkit::{Folder, assert_snapshot};
///
/// let folder = Folder::new();
/// folder.write("report.txt", "all is well\n");
/// assert_snapshot(folder.at("report.txt"), "all is well\n");
/// ```
#[track_caller]
pub fn assert_snapshot(path: impl AsRef<Path>, found: &str) {
    let accepts = std::env::var_os(UPDATE).is_some_and(|it| !it.is_empty() && it != "0");
    if let Err(what) = compare(path.as_ref(), found, accepts) {
        panic!("{what}\n\naccept it with `{UPDATE}=1 cargo test`");
    }
}

fn compare(path: &Path, found: &str, accepts: bool) -> Result<(), String> {
    let name = path.display();
    // Git may have changed how lines end, where that is the custom.
    let expected = fs::read_to_string(path).map(|it| it.replace("\r\n", "\n"));
    match expected {
        Ok(expected) if expected == found => Ok(()),
        _ if accepts => {
            let folder = path.parent().unwrap_or(Path::new(""));
            let written = fs::create_dir_all(folder).and_then(|()| fs::write(path, found));
            written.map_err(|err| format!("cannot write {name}: {err}"))
        }
        Ok(expected) => {
            let same = found.lines().zip(expected.lines()).take_while(|(a, b)| a == b).count();
            Err(format!("{name} differs from line {} on; found:\n{found}\n\nexpected:\n{expected}", same + 1))
        }
        Err(err) => Err(format!("cannot read {name}: {err}; found:\n{found}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Folder;

    #[test]
    fn what_differs_is_told_until_it_is_accepted() {
        let folder = Folder::new();
        let path = folder.at("snapshots/report.txt");
        let err = compare(&path, "a\nb\n", false).unwrap_err();
        assert!(err.starts_with("cannot read ") && err.ends_with("; found:\na\nb\n"), "{err}");
        assert!(!path.exists(), "nothing is written that nobody accepted");
        assert_eq!(compare(&path, "a\nb\n", true), Ok(()));
        assert_eq!(compare(&path, "a\nb\n", false), Ok(()));
        let err = compare(&path, "a\nc\n", false).unwrap_err();
        assert!(err.contains("differs from line 2 on; found:\na\nc\n\n\nexpected:\na\nb\n"), "{err}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "a\nb\n");
        for other in ["a\nb", "a\nb\n\n", "a\nb ", ""] {
            assert!(compare(&path, other, false).is_err(), "{other:?}");
        }
        fs::write(&path, "a\r\nb\r\n").unwrap();
        assert_eq!(compare(&path, "a\nb\n", false), Ok(()));
    }
}
