//! A small file system in memory with faults to choose from, and the harness of DeepState's Fig. 3 for it.

use std::collections::BTreeMap;

use probity_core::{Pool, Source, one_of, steps, string};

/// How many files can be open.
const OPEN_MAX: usize = 7;

/// What is wrong with the file system.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum FileFault {
    /// Opening a directory truncates it.
    OpenDir,
    /// A file that was removed while it was open is written to.
    WriteGone,
    /// There is no look at whether the table of open files is full.
    TableFull,
}

impl FileFault {
    pub(super) fn name(self) -> &'static str {
        match self {
            FileFault::OpenDir => "open a directory",
            FileFault::WriteGone => "write after unlink",
            FileFault::TableFull => "eight open files",
        }
    }
}

enum Inode {
    Dir,
    File(usize),
}

struct FileSystem {
    fault: FileFault,
    names: BTreeMap<String, Inode>,
    /// What is in the files; none where they were removed.
    data: Vec<Option<Vec<u8>>>,
    /// The file of each number; none where it was closed.
    open: Vec<Option<usize>>,
}

impl FileSystem {
    fn new(fault: FileFault) -> FileSystem {
        FileSystem { fault, names: BTreeMap::new(), data: Vec::new(), open: Vec::new() }
    }

    fn mkdir(&mut self, path: &str) {
        self.names.entry(path.to_string()).or_insert(Inode::Dir);
    }

    /// Opens a file for writing and truncates it, as `O_CREAT | O_TRUNC` does.
    fn open(&mut self, path: &str) -> Option<usize> {
        let n_open = self.open.iter().flatten().count();
        if n_open == OPEN_MAX {
            assert!(self.fault != FileFault::TableFull, "the table of open files is written past its end");
            return None;
        }
        let file = match self.names.get(path) {
            Some(Inode::Dir) => {
                assert!(self.fault != FileFault::OpenDir, "a directory is truncated");
                return None;
            }
            Some(Inode::File(it)) => *it,
            None => {
                self.data.push(None);
                self.names.insert(path.to_string(), Inode::File(self.data.len() - 1));
                self.data.len() - 1
            }
        };
        self.data[file] = Some(Vec::new());
        self.open.push(Some(file));
        Some(self.open.len() - 1)
    }

    fn write(&mut self, number: usize, bytes: &[u8]) {
        let Some(file) = self.open[number] else { return };
        match &mut self.data[file] {
            Some(data) => data.extend_from_slice(bytes),
            None => assert!(self.fault != FileFault::WriteGone, "a file that is gone is written to"),
        }
    }

    fn close(&mut self, number: usize) {
        self.open[number] = None;
    }

    fn unlink(&mut self, path: &str) {
        if let Some(Inode::File(file)) = self.names.get(path) {
            self.data[*file] = None;
            self.names.remove(path);
        }
    }

    fn rename(&mut self, from: &str, to: &str) {
        if let Some(node) = self.names.remove(from) {
            self.names.insert(to.to_string(), node);
        }
    }
}

/// Makes paths, and makes, opens, writes, closes, removes and renames what they name.
pub(super) fn harness(src: &mut Source, fault: FileFault) {
    let mut fs = FileSystem::new(fault);
    let (mut paths, mut files) = (Pool::new("path"), Pool::new("fd"));
    steps!(src, 1..=30, {
        path => paths.add(src.draw(string(|src: &mut Source| one_of!(src, "aAbB/."), 1..=4))),
        mkdir if !paths.is_empty() => fs.mkdir(src.draw(&paths)),
        open if !paths.is_empty() => {
            if let Some(it) = fs.open(src.draw(&paths)) {
                files.add(it);
            }
        }
        write if !files.is_empty() => { let it = *src.draw(&files); fs.write(it, b"x") }
        close if !files.is_empty() => { let it = src.draw(files.take()); fs.close(it) }
        unlink if !paths.is_empty() => fs.unlink(src.draw(&paths)),
        rename if !paths.is_empty() => { let (from, to) = (src.draw(&paths), src.draw(&paths)); fs.rename(from, to) }
        sync => (),
        format => { fs = FileSystem::new(fault); files = Pool::new("fd") }
    });
}
