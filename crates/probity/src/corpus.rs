//! A corpus on disk: cases that reached what none had reached, one file each, in a folder per test.
//!
//! A file is named by its content, so merging two corpora is copying files, and several processes may use one folder
//! at once. A file appears under its name only when it is whole: anyone who is killed leaves at most a temporary file
//! behind, which the next one removes. Unlike the store of failures, nothing waits for the disk: a corpus may grow by
//! thousands of files in a second, and a power failure costs at most what is found again.

mod entry;
mod reached;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use probity_core::Value;

use crate::files;
use crate::settings::CorpusPlace;
use crate::store::{folder_name, txt_files};

pub use reached::Reached;

/// The folder of corpora in the target folder.
const CORPUS: &str = "probity-corpus";
/// The file beside the cases that says which code they reached.
const REACHED: &str = "reached";

/// The corpus of one test.
///
/// ```
/// use probity::corpus::CorpusFolder;
/// use probity::engine::Value;
/// # let dir = std::env::temp_dir().join(format!("probity-doc-corpus-{}", std::process::id()));
/// let mut corpus = CorpusFolder::new(dir.clone(), "my_crate::parsing");
/// corpus.save(&[Value::Length(1), Value::Int(7)])?;
/// corpus.save(&[Value::Length(0)])?;
/// let cases = CorpusFolder::new(dir.clone(), "my_crate::parsing").load().cases;
/// assert_eq!(cases[0], [Value::Length(0)], "the smallest first");
/// assert!(corpus.load().cases.is_empty(), "it knows them already");
/// # std::fs::remove_dir_all(dir)?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct CorpusFolder {
    folder: PathBuf,
    /// The files that were read or written.
    known: BTreeSet<OsString>,
}

/// What [`CorpusFolder::load`] found.
///
/// ```
/// use probity::corpus::CorpusFolder;
/// let loaded = CorpusFolder::new("no/such/folder".into(), "my_crate::parsing").load();
/// assert!(loaded.cases.is_empty() && loaded.unusable.is_empty());
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoadedCorpus {
    /// The answers of each case, the shortest first.
    pub cases: Vec<Vec<Value>>,
    /// Files that cannot be used, with the reason and what was done.
    pub unusable: Vec<(PathBuf, String)>,
}

impl CorpusFolder {
    /// The corpus of the test with this path, below the folder `dir`. Touches no file yet.
    pub fn new(dir: PathBuf, test: &str) -> CorpusFolder {
        CorpusFolder::at(dir.join(folder_name(test)))
    }

    /// The corpus in this very folder.
    ///
    /// ```
    /// use probity::corpus::CorpusFolder;
    /// assert!(CorpusFolder::at("a/b".into()).folder().ends_with("a/b"));
    /// ```
    pub fn at(folder: PathBuf) -> CorpusFolder {
        CorpusFolder { folder, known: BTreeSet::new() }
    }

    /// The corpus of a test where the settings say that it is; none where it is off, or nobody knows where the build is.
    ///
    /// ```
    /// use probity::{corpus::CorpusFolder, settings::CorpusPlace};
    /// assert!(CorpusFolder::of(&CorpusPlace::Off, "my_crate::parsing").is_none());
    /// ```
    pub fn of(place: &CorpusPlace, test: &str) -> Option<CorpusFolder> {
        let dir = match place {
            CorpusPlace::Off => return None,
            CorpusPlace::Folder(dir) => dir.clone(),
            CorpusPlace::Auto => beside_build(&std::env::current_exe().ok()?)?,
        };
        Some(CorpusFolder::new(dir, test))
    }

    /// Where the cases are.
    ///
    /// ```
    /// use probity::corpus::CorpusFolder;
    /// assert!(CorpusFolder::new("a".into(), "my_crate::parsing").folder().ends_with("my_crate--parsing"));
    /// ```
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Keeps a case. One that is there already is left alone.
    ///
    /// ```no_run
    /// use probity::{corpus::CorpusFolder, engine::Value};
    /// CorpusFolder::new("corpus".into(), "my_crate::parsing").save(&[Value::Int(7)])?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn save(&mut self, answers: &[Value]) -> io::Result<PathBuf> {
        let name = entry::file_name(answers);
        let path = self.folder.join(&name);
        if !path.exists() {
            self.write(&path, &entry::to_text(answers))?;
        }
        self.known.insert(name.into());
        Ok(path)
    }

    /// The cases that it has not read or written before: all of them at first, and then what other processes found. A file
    /// that is damaged is put aside, under a name that ends in `.stale`; one of a newer format is left where it is.
    pub fn load(&mut self) -> LoadedCorpus {
        let mut res = LoadedCorpus::default();
        files::remove_left_over(&self.folder, writer);
        let paths = match txt_files(&self.folder) {
            Ok(paths) => paths,
            Err(err) if err.kind() == ErrorKind::NotFound => return res,
            Err(err) => {
                let reason = format!("cannot read the folder: {err}; check its permissions");
                res.unusable.push((self.folder.clone(), reason));
                return res;
            }
        };
        for path in paths {
            if !path.file_name().is_some_and(|it| self.known.insert(it.to_os_string())) {
                continue;
            }
            match read(&path) {
                Ok(answers) => res.cases.push(answers),
                Err(_) if !path.exists() => {} // removed by somebody since
                Err((reason, true)) => res.unusable.push((path, reason)),
                Err((reason, false)) => res.unusable.push(put_aside(path, &reason)),
            }
        }
        res.cases.sort_by_key(Vec::len);
        res
    }

    /// Removes a case that others make needless.
    ///
    /// ```no_run
    /// use probity::{corpus::CorpusFolder, engine::Value};
    /// CorpusFolder::new("corpus".into(), "my_crate::parsing").remove(&[Value::Int(7)])?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn remove(&mut self, answers: &[Value]) -> io::Result<()> {
        match fs::remove_file(self.folder.join(entry::file_name(answers))) {
            Err(err) if err.kind() != ErrorKind::NotFound => Err(err),
            _ => Ok(()),
        }
    }

    /// Which code the cases reached, as far as it was written down: nothing where that was never done, or the code was built
    /// anew since.
    ///
    /// ```
    /// use probity::corpus::CorpusFolder;
    /// assert!(CorpusFolder::at("no/such/folder".into()).reached().unwrap().is_empty());
    /// ```
    pub fn reached(&self) -> Result<Reached, String> {
        let path = self.folder.join(REACHED);
        let said = |what: String| format!("`{}`: {what}", path.display());
        match files::read(&path) {
            Ok(bytes) => {
                let mut res = Reached::from_text(&String::from_utf8_lossy(&bytes)).map_err(said)?;
                res.forget_stale();
                Ok(res)
            }
            Err(err) if err.kind() == ErrorKind::NotFound => Ok(Reached::default()),
            Err(err) => Err(said(format!("cannot read it: {err}"))),
        }
    }

    /// Writes down which code was reached, beside what stands there of the same build.
    ///
    /// ```no_run
    /// use probity::corpus::{CorpusFolder, Reached};
    /// CorpusFolder::new("corpus".into(), "my_crate::parsing").save_reached(&Reached::default())?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn save_reached(&self, reached: &Reached) -> io::Result<()> {
        let mut all = reached.clone();
        all.stamp();
        all.merge(&self.reached().unwrap_or_default());
        self.write(&self.folder.join(REACHED), &all.to_text())
    }

    /// Puts a text into a file at once: under its name there is the whole of it, or what was there before.
    fn write(&self, path: &Path, text: &str) -> io::Result<()> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let failed = |err: io::Error| {
            let hint = "check the permissions there, or set `corpus = \"off\"`";
            io::Error::new(err.kind(), format!("cannot write `{}`: {err}; {hint}", path.display()))
        };
        fs::create_dir_all(&self.folder).map_err(failed)?;
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let temp = self.folder.join(format!(".{}-{number}.tmp", std::process::id()));
        let written = fs::write(&temp, text).and_then(|()| fs::rename(&temp, path));
        if written.is_err() {
            let _ = fs::remove_file(&temp); // the error to report is the first one
        }
        written.map_err(failed)
    }
}

/// The corpora beside the build that `exe` is of: in cargo's target folder, which has a mark that says so.
///
/// ```
/// assert_eq!(probity::corpus::beside_build("/no/such/build/app".as_ref()), None);
/// ```
pub fn beside_build(exe: &Path) -> Option<PathBuf> {
    let target = exe.ancestors().find(|it| it.join("CACHEDIR.TAG").is_file())?;
    Some(target.join(CORPUS))
}

/// Reads one case, or says what is wrong with it, and whether the file may be a good one nevertheless.
fn read(path: &Path) -> Result<Vec<Value>, (String, bool)> {
    let bytes = files::read(path).map_err(|err| (format!("cannot read it: {err}"), true))?;
    let text = String::from_utf8(bytes).map_err(|_| ("it is not UTF-8".to_string(), false))?;
    entry::from_text(&text).map_err(|reason| (reason, entry::is_newer(&text)))
}

fn put_aside(path: PathBuf, reason: &str) -> (PathBuf, String) {
    let mut aside = path.clone().into_os_string();
    aside.push(".stale");
    match fs::rename(&path, &aside) {
        Ok(()) => (aside.into(), format!("{reason}; it was put aside under this name")),
        Err(err) => (path, format!("{reason}; it could not be put aside: {err}")),
    }
}

/// The process that writes a temporary file of that name.
fn writer(name: &str) -> Option<u32> {
    name.strip_prefix('.')?.strip_suffix(".tmp")?.split_once('-')?.0.parse().ok()
}

#[cfg(test)]
mod tests;
