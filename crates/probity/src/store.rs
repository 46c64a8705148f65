//! Failures kept on disk, to be committed: one small text file each, in a folder per test.
//!
//! Nothing here panics or prints; an error names its path. Many threads and processes may use one store
//! at once: a file appears under its name only when it is whole, so nothing is locked.

mod entry;
mod folder;
#[cfg(feature = "spec")]
mod prepared;

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::files;

#[cfg(feature = "spec")]
pub(crate) use entry::mended as mended_entry;
pub use entry::{Entry, parse_choices};
pub(crate) use folder::folder_name;
#[cfg(feature = "spec")]
pub(crate) use prepared::{PreparedFile, fingerprint, mended as mended_inputs};

/// The stored failures of one test.
///
/// ```
/// use probity::store::{Entry, Loaded, Store};
/// # let dir = std::env::temp_dir().join(format!("probity-doc-store-{}", std::process::id()));
/// let store = Store::new(dir.clone(), "my_crate::sorting");
/// let entry = Entry { test: "my_crate::sorting".into(), ..Entry::default() };
/// let path = store.save(&entry)?;
/// assert_eq!(store.load(), [Loaded::Entry { path, entry }]);
/// # std::fs::remove_dir_all(dir)?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Store {
    folder: PathBuf,
}

/// One file of a store.
///
/// ```
/// use probity::store::{Loaded, Store};
/// for file in Store::new("no/such/folder".into(), "a").load() {
///     match file {
///         Loaded::Entry { path, entry } => println!("{}: {}", path.display(), entry.failure),
///         Loaded::Damaged { path, reason } => println!("{}: {reason}", path.display()),
///     }
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Loaded {
    /// A failure.
    Entry {
        /// Its file.
        path: PathBuf,
        /// What the file says.
        entry: Entry,
    },
    /// A file that cannot be used, or a folder that cannot be read.
    Damaged {
        /// What it is.
        path: PathBuf,
        /// What is wrong with it, and what to do.
        reason: String,
    },
}

impl Store {
    /// The failures of the test with this path, below the folder `dir`. Touches no file yet.
    pub fn new(dir: PathBuf, test: &str) -> Store {
        Store { folder: dir.join(folder::folder_name(test)) }
    }

    /// Where the test's failures are.
    ///
    /// ```
    /// use probity::store::Store;
    /// let store = Store::new("probity-failures".into(), "my_crate::sorting");
    /// assert!(store.folder().ends_with("my_crate--sorting"));
    /// ```
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Keeps a failure and returns its file, which is named after the choices.
    ///
    /// A file that already has the same choices and inputs is left alone: messages carry line numbers
    /// and addresses, and a file under version control should not change with them.
    pub fn save(&self, entry: &Entry) -> io::Result<PathBuf> {
        let path = self.folder.join(format!("{:016x}.txt", hash(entry.choices_text().bytes())));
        let is_saved = || read(&path).is_ok_and(|it| it.choices == entry.choices && it.shows_same(entry));
        if is_saved() {
            return Ok(path);
        }
        files::create_folder(&self.folder).map_err(|err| failed("create", &self.folder, err))?;
        files::remove_left_over(&self.folder, writer);
        let text = entry.to_text();
        let mut temp = self.write_temp(&text)?;
        let mut renamed = files::rename(&temp, &path);
        if renamed.as_ref().is_err_and(|err| err.kind() == ErrorKind::NotFound) {
            // Another machine that shares the folder took it for one that was left over.
            temp = self.write_temp(&text)?;
            renamed = files::rename(&temp, &path);
        }
        match renamed {
            Ok(()) => Ok(path),
            Err(err) => {
                let _ = fs::remove_file(&temp); // the error to report is the first one
                // Some systems do not replace a file that another process is reading.
                if is_saved() { Ok(path) } else { Err(failed("write", &path, err)) }
            }
        }
    }

    /// Writes to a new file of the folder under a name that nobody else uses and `load` passes over.
    fn write_temp(&self, text: &str) -> io::Result<PathBuf> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let temp = self.folder.join(format!(".{}-{number}.tmp", std::process::id()));
            match files::write_new(&temp, text) {
                Ok(()) => return Ok(temp),
                // Left by an earlier process of that number, or by one on another machine.
                Err(err) if err.kind() == ErrorKind::AlreadyExists => {}
                Err(err) => {
                    let _ = fs::remove_file(&temp);
                    return Err(failed("write", &temp, err));
                }
            }
        }
    }

    /// Every failure of the test, and every file that should have been one, sorted by file name. Temporary files that
    /// a killed run left are removed.
    pub fn load(&self) -> Vec<Loaded> {
        files::remove_left_over(&self.folder, writer);
        let names = match txt_files(&self.folder) {
            Ok(names) => names,
            Err(err) if err.kind() == ErrorKind::NotFound => return Vec::new(),
            Err(err) => {
                let reason = format!("cannot read the folder: {err}; check its permissions");
                return vec![Loaded::Damaged { path: self.folder.clone(), reason }];
            }
        };
        let load = |path: PathBuf| match read(&path) {
            Ok(entry) => Some(Loaded::Entry { path, entry }),
            Err(_) if path.symlink_metadata().is_err() => None, // set aside or removed by somebody since
            Err(reason) => Some(Loaded::Damaged { path, reason }),
        };
        names.into_iter().filter_map(load).collect()
    }

    /// Renames a file that is no longer of use so that `load` passes over it, and returns its new name.
    /// Nothing is overwritten.
    ///
    /// ```
    /// use probity::store::{Entry, Store};
    /// # let dir = std::env::temp_dir().join(format!("probity-doc-aside-{}", std::process::id()));
    /// let store = Store::new(dir.clone(), "my_crate::sorting");
    /// let path = store.save(&Entry::default())?;
    /// assert!(store.set_aside(&path)?.to_string_lossy().ends_with(".txt.stale"));
    /// assert!(store.load().is_empty());
    /// # std::fs::remove_dir_all(dir)?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn set_aside(&self, path: &Path) -> io::Result<PathBuf> {
        if !path.is_file() {
            let err = io::Error::new(ErrorKind::NotFound, "there is no such file");
            return Err(failed("set aside", path, err));
        }
        let aside = reserve_aside(path).map_err(|err| failed("set aside", path, err))?;
        if let Err(err) = fs::rename(path, &aside) {
            let _ = fs::remove_file(&aside); // the error to report is the first one
            return Err(failed("set aside", path, err));
        }
        Ok(aside)
    }
}

/// Finds a name to set `path` aside under, and takes it with an empty file: a rename alone would overwrite.
fn reserve_aside(path: &Path) -> io::Result<PathBuf> {
    let mut suffix = ".stale".to_string();
    let mut number = 1;
    loop {
        let mut aside = path.as_os_str().to_owned();
        aside.push(&suffix);
        match fs::File::create_new(&aside) {
            Err(err) if err.kind() == ErrorKind::AlreadyExists => {
                number += 1;
                suffix = format!(".{number}.stale");
            }
            res => return res.map(|_| aside.into()),
        }
    }
}

/// Reads one stored failure, or says what is wrong with it and what to do.
///
/// ```
/// let err = probity::store::read("no/such/file.txt".as_ref()).unwrap_err();
/// assert!(err.starts_with("cannot read it"));
/// ```
pub fn read(path: &Path) -> Result<Entry, String> {
    let bytes = files::read(path)
        .map_err(|err| format!("cannot read it: {err}; check that it is a readable file of ours"))?;
    let text = String::from_utf8(bytes)
        .map_err(|_| "it is not UTF-8; restore it from version control, or delete it".to_string())?;
    Entry::from_text(&text)
}

/// Whether a file that cannot be read may still be a good one: a newer Probity wrote it, or the reader
/// lacks a permission, or it is none of ours (a folder, a pipe, one of gigabytes). Such a file stays where it is; any other is put aside.
///
/// ```
/// assert!(probity::store::may_be_good("no/such/file.txt".as_ref()));
/// ```
pub fn may_be_good(path: &Path) -> bool {
    files::read(path).map_or(true, |bytes| entry::is_newer(&String::from_utf8_lossy(&bytes)))
}

/// The process that writes a temporary file of that name: see `write_temp`.
fn writer(name: &str) -> Option<u32> {
    name.strip_prefix('.')?.strip_suffix(".tmp")?.split_once('-')?.0.parse().ok()
}

/// The text files of a folder, by name.
pub(crate) fn txt_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut res: Vec<PathBuf> = Vec::new();
    for file in fs::read_dir(folder)? {
        let path = file?.path();
        if path.extension().is_some_and(|it| it == "txt") {
            res.push(path);
        }
    }
    res.sort_unstable();
    Ok(res)
}

fn failed(what: &str, path: &Path, err: io::Error) -> io::Error {
    let hint = "check the permissions there, or turn the store off with `store = false`";
    io::Error::new(err.kind(), format!("cannot {what} `{}`: {err}; {hint}", path.display()))
}

/// FNV-1a, 64 bits: names and checksums must not change with the Rust version, and every change of a
/// single byte changes it.
pub(crate) fn hash(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}
