//! A folder that members of AFL++ share (`-o`, with `-M` and `-S`): the coverage engine is one of them.
//!
//! Each member has a folder of its name there, with a queue of files of bytes, and reads the queues of the others. Between two
//! turns, a process of the plain build takes what others have put into their queues since, as cases of our corpus, and writes the
//! corpus as bytes, which are put into our queue. A file is in the queue as a whole or not at all, and what was taken is
//! written down only when it is in the corpus: anyone who is killed does at most the last step again.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use super::foreign::has_files;
use super::targets::FuzzTarget;
use crate::exit::CommandError;

/// What our folder is called, beside those of other members.
const NAME: &str = "probity";
/// How many files are taken at once: the rest is for the next turn.
const TAKEN_MAX: usize = 2_000;

/// A member of a shared folder.
pub(super) struct SyncMember {
    /// What all share.
    shared: PathBuf,
    /// Our own folder there.
    own: PathBuf,
}

impl SyncMember {
    /// Joins the folder, which may be there already.
    pub(super) fn join(shared: &OsStr) -> Result<SyncMember, CommandError> {
        let shared = std::path::absolute(shared).map_err(|err| format!("`--sync`: {err}"))?;
        let own = shared.join(NAME);
        for it in ["queue", ".taken", ".bytes"].map(|it| own.join(it)) {
            fs::create_dir_all(&it).map_err(|err| format!("cannot write to `{}`: {err}", it.display()))?;
        }
        Ok(SyncMember { shared, own })
    }

    /// Takes what others have, and gives what we have. What fails in between is said, and left for the next time.
    pub(super) fn exchange(&self, test: &FuzzTarget, corpus: Option<&OsString>) -> Result<(), String> {
        let failed = |err: io::Error| format!("cannot exchange cases in `{}`: {err}", self.own.display());
        let (incoming, kept) = (self.own.join(".incoming"), self.own.join(".kept"));
        let _ = fs::remove_dir_all(&incoming); // it may not be there
        fs::create_dir_all(&incoming).map_err(failed)?;
        let taken = self.take(&incoming).map_err(failed)?;
        let mut run = test.command("auto");
        run.env("PROBITY_BYTES_TO", self.own.join(".bytes")).env("PROBITY_BYTES_BY", "afl");
        if has_files(&incoming) {
            run.env("PROBITY_BYTES", &incoming).env("PROBITY_BYTES_KEPT", &kept);
        }
        run.envs(corpus.map(|it| ("PROBITY_CORPUS", it)));
        // What fails is stored as it is everywhere, and is nothing that others should wait for.
        run.env("PROBITY_ISOLATE", "true").env_remove("PROBITY_CAMPAIGN");
        run.stdout(Stdio::null()).stderr(Stdio::null()).status().map_err(failed)?;
        self.give(&kept).map_err(failed)?;
        for (member, id) in taken {
            replace(&self.own.join(".taken").join(member), id.to_string().as_bytes()).map_err(failed)?;
        }
        Ok(())
    }

    /// Copies what is new in the queues of others, and returns up to which number of each that is.
    fn take(&self, incoming: &Path) -> io::Result<BTreeMap<OsString, u64>> {
        let (mut res, mut left) = (BTreeMap::new(), TAKEN_MAX);
        for member in fs::read_dir(&self.shared)?.flatten() {
            let name = member.file_name();
            if name == NAME || !member.path().join("queue").is_dir() {
                continue;
            }
            let since = fs::read_to_string(self.own.join(".taken").join(&name)).ok();
            let since = since.and_then(|it| it.trim().parse::<u64>().ok()).map_or(0, |it| it + 1);
            let mut new: Vec<(u64, PathBuf)> = fs::read_dir(member.path().join("queue"))?
                .flatten()
                .filter_map(|it| Some((number(&it.file_name())?, it.path())))
                .filter(|it| it.0 >= since)
                .collect();
            new.sort();
            for (id, path) in new.into_iter().take(left) {
                let to = incoming.join(format!("{},src:{id:06}", name.to_string_lossy()));
                if fs::copy(path, to).is_ok() {
                    left -= 1;
                }
                res.insert(name.clone(), id);
            }
        }
        Ok(res)
    }

    /// Puts what is not there yet into our queue.
    fn give(&self, kept: &Path) -> io::Result<()> {
        let from = fs::read_to_string(kept).unwrap_or_default();
        let from: BTreeMap<&str, &str> = from.lines().filter_map(|it| it.split_once('\t')).collect();
        let queue = self.own.join("queue");
        let given: Vec<OsString> = fs::read_dir(&queue)?.flatten().map(|it| it.file_name()).collect();
        let mut next = given.iter().filter_map(|it| number(it)).max().map_or(0, |it| it + 1);
        let content = |it: &OsString| it.to_string_lossy().rsplit_once("case:").map(|it| it.1.to_string());
        let given: Vec<String> = given.iter().filter_map(content).collect();
        for file in fs::read_dir(self.own.join(".bytes"))?.flatten() {
            let case = file.file_name().to_string_lossy().into_owned();
            if given.contains(&case) {
                continue;
            }
            let origin = from.get(&*case).map_or(String::new(), |it| format!("sync:{it},"));
            replace(&queue.join(format!("id:{next:06},{origin}case:{case}")), &fs::read(file.path())?)?;
            next += 1;
        }
        Ok(())
    }
}

/// The number of a file in a queue.
fn number(name: &OsStr) -> Option<u64> {
    let digits = name.to_str()?.strip_prefix("id:")?;
    digits.split(|it: char| !it.is_ascii_digit()).next()?.parse().ok()
}

/// Writes a file at once.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let temporary = path.with_file_name(format!(".{}.tmp", std::process::id()));
    fs::write(&temporary, bytes)?;
    fs::rename(temporary, path)
}

#[cfg(test)]
mod tests {
    use probity_testkit::Folder;

    use super::*;

    #[test]
    fn what_others_have_is_taken_once_and_ours_is_given_once() {
        let folder = Folder::new();
        for (name, bytes) in [("id:000000,orig:a", "a"), ("id:000003,src:000000", "b"), (".state", "c")] {
            folder.write(&format!("afl0/queue/{name}"), bytes);
        }
        let member = SyncMember::join(folder.path().as_os_str()).unwrap();
        let incoming = folder.path().join("incoming");
        fs::create_dir_all(&incoming).unwrap();
        let taken = member.take(&incoming).unwrap();
        assert_eq!(taken, BTreeMap::from([("afl0".into(), 3)]));
        assert_eq!(folder.read("incoming/afl0,src:000003"), "b");
        // Until it is written down, it is taken again.
        assert_eq!(member.take(&incoming).unwrap(), taken);
        replace(&member.own.join(".taken/afl0"), b"3").unwrap();
        assert!(member.take(&incoming).unwrap().is_empty());

        folder.write("probity/.bytes/c1", "one");
        folder.write("probity/.bytes/c2", "two");
        folder.write("kept", "c2\tafl0,src:000003\n");
        for _ in 0..2 {
            member.give(&folder.path().join("kept")).unwrap();
        }
        let mut queue: Vec<String> = fs::read_dir(member.own.join("queue"))
            .unwrap()
            .flatten()
            .map(|it| it.file_name().to_string_lossy().split_once(',').unwrap().1.to_string())
            .collect();
        queue.sort();
        assert_eq!(queue, ["case:c1", "sync:afl0,src:000003,case:c2"]);
    }
}
