//! Copies of the process, watched or not.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::FromRawFd;
use std::time::Duration;

use probity_coverage::{CodeLog, CodeWatch, Image};

/// Runs `work` in a copy of this process, with breakpoints if it `is_watched`, and returns what it returns.
pub fn in_copy(
    is_watched: bool,
    work: impl FnOnce(Option<CodeWatch<'_>>) -> String,
) -> Result<String, String> {
    let image = Image::get()?;
    let log = CodeLog::new(image)?;
    let mut ends = [0; 2];
    // SAFETY: there is room for two descriptors, which are ours alone; this process has one thread.
    let (pid, mut from, mut to) = unsafe {
        libc::pipe(ends.as_mut_ptr());
        (libc::fork(), File::from_raw_fd(ends[0]), File::from_raw_fd(ends[1]))
    };
    if pid == 0 {
        let watch = is_watched.then(|| CodeWatch::arm(image, &log).expect("it was possible before"));
        let text = work(watch);
        to.write_all(text.as_bytes()).expect("somebody reads it");
        // SAFETY: it does not return.
        unsafe { libc::_exit(0) }
    }
    drop(to);
    let mut text = String::new();
    from.read_to_string(&mut text).map_err(|err| err.to_string())?;
    let mut status = 0;
    // SAFETY: it is our child.
    unsafe { libc::waitpid(pid, &raw mut status, 0) };
    if status == 0 { Ok(text) } else { Err(format!("the copy ended with status {status:#x}")) }
}

/// The time of the processor that this process has taken.
pub fn processor_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: it is valid to write to.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
