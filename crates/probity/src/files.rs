//! Files that are read and written: only regular ones of a sensible size, and nothing is said to be saved before it is
//! on the disk.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// No file of ours is larger: the choices of a case are at most a few megabytes.
pub(crate) const BYTES_MAX: u64 = 64 << 20;
/// A temporary file of a process that cannot be asked for is taken to be left over after so long.
const LEFT_OVER: Duration = Duration::from_secs(60 * 60);

/// The bytes of a file. One that is no regular file is an error: to open a pipe may wait for ever, and a device may
/// have no end.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let check = |it: &fs::Metadata| match it {
        it if it.is_dir() => Err(refused("it is a folder")),
        it if !it.is_file() => Err(refused("it is no regular file")),
        it if it.len() > BYTES_MAX => Err(too_large()),
        _ => Ok(()),
    };
    check(&fs::metadata(path)?)?;
    let file = File::open(path)?;
    check(&file.metadata()?)?;
    let mut bytes = Vec::new();
    file.take(BYTES_MAX + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > BYTES_MAX { Err(too_large()) } else { Ok(bytes) }
}

fn refused(what: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidInput, what)
}

fn too_large() -> io::Error {
    io::Error::new(ErrorKind::FileTooLarge, format!("it has more than {} MB", BYTES_MAX >> 20))
}

/// Puts a text into a new file, `temp`, and on the disk.
pub(crate) fn write_new(temp: &Path, text: &str) -> io::Result<()> {
    let mut file = File::create_new(temp)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// Gives a written file its name, and waits until the folder knows it.
pub(crate) fn rename(temp: &Path, path: &Path) -> io::Result<()> {
    fs::rename(temp, path)?;
    path.parent().map_or(Ok(()), sync_folder)
}

/// Creates a folder with those above it, and waits until they are known.
pub(crate) fn create_folder(folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    fs::create_dir_all(folder)?;
    folder.parent().map_or(Ok(()), sync_folder)
}

#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    // A folder that we may write to but not read cannot be waited for, and some file systems do not know how to.
    match File::open(folder).and_then(|it| it.sync_all()) {
        Err(err) if matches!(err.kind(), ErrorKind::PermissionDenied | ErrorKind::InvalidInput) => Ok(()),
        Err(err) if err.kind() == ErrorKind::Unsupported => Ok(()),
        res => res,
    }
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Removes temporary files that a process left when it was ended. `pid` gives the process that wrote a file by its
/// name, none for other files.
pub(crate) fn remove_left_over(folder: &Path, pid: impl Fn(&str) -> Option<u32>) {
    let Ok(files) = fs::read_dir(folder) else { return };
    let paths: Vec<PathBuf> = files.flatten().map(|it| it.path()).collect();
    for path in paths {
        let Some(pid) = path.file_name().and_then(|it| pid(it.to_str()?)) else { continue };
        let is_file = path.symlink_metadata().is_ok_and(|it| it.is_file());
        if is_file && pid != std::process::id() && (is_gone(pid) || is_old(&path)) {
            let _ = fs::remove_file(&path); // somebody else may have removed it
        }
    }
}

/// Whether no process has that number, where that can be known.
fn is_gone(pid: u32) -> bool {
    cfg!(target_os = "linux")
        && Path::new("/proc/self").exists()
        && !Path::new(&format!("/proc/{pid}")).exists()
}

fn is_old(path: &Path) -> bool {
    let age = path.metadata().and_then(|it| it.modified()).ok().and_then(|it| it.elapsed().ok());
    age.is_some_and(|it| it >= LEFT_OVER)
}
