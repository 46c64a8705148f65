//! Folders for one test each.

use std::fs;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

/// A new empty folder, removed with everything that is in it when it is dropped.
///
/// ```
/// use probity_testkit::Folder;
///
/// let folder = Folder::new();
/// folder.write("a/b.txt", "text");
/// assert_eq!(folder.read("a/b.txt"), "text");
/// let path = folder.path().to_path_buf();
/// drop(folder);
/// assert!(!path.exists());
/// ```
#[derive(Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// Makes one. It lies outside of the workspace, so that nothing above it is taken for a part of it.
    ///
    /// ```
    /// assert!(probity_testkit::Folder::new().path().is_dir());
    /// ```
    #[expect(clippy::new_without_default, reason = "it touches the disk, which nobody expects of a default")]
    pub fn new() -> Folder {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let name = format!("probity-test-{}-{}", process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        // One that a killed process of the same number left.
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a temporary folder can be made");
        Folder(path)
    }

    /// Where it is.
    ///
    /// ```
    /// assert!(probity_testkit::Folder::new().path().is_absolute());
    /// ```
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The place of `name` in it.
    ///
    /// ```
    /// let folder = probity_testkit::Folder::new();
    /// assert!(folder.at("a/b.txt").starts_with(folder.path()));
    /// ```
    pub fn at(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Writes a file, with the folders that it needs.
    ///
    /// ```
    /// probity_testkit::Folder::new().write("a/b.txt", [1, 2, 3]);
    /// ```
    #[track_caller]
    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.at(name);
        fs::create_dir_all(path.parent().expect("it lies in the folder")).expect("its folders can be made");
        fs::write(path, text).expect("the file can be written");
    }

    /// The text of a file.
    ///
    /// ```
    /// let folder = probity_testkit::Folder::new();
    /// folder.write("a.txt", "text");
    /// assert_eq!(folder.read("a.txt"), "text");
    /// ```
    #[track_caller]
    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.at(name)).unwrap_or_else(|err| panic!("cannot read `{name}`: {err}"))
    }

    /// The names of what lies directly in it, sorted.
    ///
    /// ```
    /// let folder = probity_testkit::Folder::new();
    /// folder.write("b/c.txt", "");
    /// folder.write("a.txt", "");
    /// assert_eq!(folder.names(), ["a.txt", "b"]);
    /// ```
    #[track_caller]
    pub fn names(&self) -> Vec<String> {
        let name = |it: PathBuf| Some(it.file_name()?.to_str()?.to_string());
        let mut res: Vec<String> = entries(&self.0).into_iter().filter_map(name).collect();
        res.sort();
        res
    }

    /// The files in it and in the folders below, sorted.
    ///
    /// ```
    /// let folder = probity_testkit::Folder::new();
    /// folder.write("a/b.txt", "");
    /// assert_eq!(folder.files(), [folder.at("a/b.txt")]);
    /// ```
    #[track_caller]
    pub fn files(&self) -> Vec<PathBuf> {
        let mut res = Vec::new();
        let mut folders = vec![self.0.clone()];
        while let Some(folder) = folders.pop() {
            for path in entries(&folder) {
                if path.is_dir() { folders.push(path) } else { res.push(path) }
            }
        }
        res.sort();
        res
    }

    /// The only file, and its text.
    ///
    /// ```
    /// let folder = probity_testkit::Folder::new();
    /// folder.write("a/b.txt", "text");
    /// assert_eq!(folder.only_file(), (folder.at("a/b.txt"), "text".to_string()));
    /// ```
    #[track_caller]
    pub fn only_file(&self) -> (PathBuf, String) {
        let files = self.files();
        let [path] = &files[..] else { panic!("one file is expected: {files:?}") };
        (path.clone(), fs::read_to_string(path).expect("it is a text"))
    }
}

#[track_caller]
fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder can be read");
    entries.map(|it| it.expect("the folder can be read").path()).collect()
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
