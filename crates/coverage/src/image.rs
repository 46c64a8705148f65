//! Where the functions of the executable are, and whether it can be watched.

use std::ffi::{CStr, c_int, c_void};
use std::fs;
use std::mem;
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};

use crate::blocks;

/// The code of the executable, as its unwind tables tell it: these are always loaded, and need no symbols.
///
/// ```
/// # #[cfg(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu"))] {
/// let image = probity_coverage::Image::get().unwrap();
/// assert!(image.functions() > 100 && image.text().contains(&(main as *const () as usize)));
/// # }
/// # fn main() {}
/// ```
#[derive(Debug)]
pub struct Image {
    text: Range<usize>,
    /// What the executable is loaded at.
    pub(crate) base: u64,
    /// Where the file of the executable has the text, in memory that is never written; 0 where it could not be mapped. To copy
    /// it would take as long as all the rest.
    pub(crate) original: usize,
    /// Each where it starts and ends, from the start of the text; in order, none of them empty, none overlapping.
    pub(crate) functions: Vec<Range<u32>>,
    /// Is 1 in the process of the test, and 0 in its copies.
    is_original: &'static AtomicU8,
}

static IMAGE: OnceLock<Result<Image, String>> = OnceLock::new();

impl Image {
    /// Reads the tables, once for a process and its copies. To be called in the process of the test. `Err`: why it cannot be
    /// watched, ever.
    pub fn get() -> Result<&'static Image, String> {
        IMAGE.get_or_init(Image::look).as_ref().map_err(String::clone)
    }

    /// Whether a copy that is made now can be watched. `Err`: why not.
    ///
    /// ```
    /// # #[cfg(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu"))] {
    /// let image = probity_coverage::Image::get().unwrap();
    /// image.can_watch().unwrap();
    /// # }
    /// ```
    pub fn can_watch(&self) -> Result<(), String> {
        // A debugger takes the breakpoints of others for its own.
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let tracer = status.lines().find_map(|it| it.strip_prefix("TracerPid:")).unwrap_or("0");
        if tracer.trim() != "0" {
            return Err("a debugger traces this process".to_string());
        }
        // SAFETY: the structures are valid to write to, and no action or mask is set.
        let (action, is_blocked) = unsafe {
            let (mut action, mut mask): (libc::sigaction, libc::sigset_t) = (mem::zeroed(), mem::zeroed());
            libc::sigaction(libc::SIGTRAP, ptr::null(), &raw mut action);
            libc::pthread_sigmask(libc::SIG_SETMASK, ptr::null(), &raw mut mask);
            (action.sa_sigaction, libc::sigismember(&raw const mask, libc::SIGTRAP) == 1)
        };
        if action != libc::SIG_DFL {
            return Err("this process handles SIGTRAP itself".to_string());
        }
        if is_blocked {
            return Err("this thread blocks SIGTRAP".to_string());
        }
        Ok(())
    }

    /// Where the code is.
    ///
    /// ```
    /// # #[cfg(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu"))] {
    /// let text = probity_coverage::Image::get().unwrap().text();
    /// assert!(text.len() > 10_000);
    /// # }
    /// ```
    pub fn text(&self) -> Range<usize> {
        self.text.clone()
    }

    /// How many functions there are.
    ///
    /// ```
    /// # #[cfg(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu"))] {
    /// assert!(probity_coverage::Image::get().unwrap().functions() > 100);
    /// # }
    /// ```
    pub fn functions(&self) -> usize {
        self.functions.len()
    }

    /// Whether this is the process of the test, rather than a copy.
    pub(crate) fn is_original(&self) -> bool {
        self.is_original.load(Ordering::Relaxed) != 0
    }

    fn look() -> Result<Image, String> {
        let mut found = FoundImage::default();
        // SAFETY: `visit` gets a reference to `found`, and nobody else has it meanwhile.
        unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut found).cast()) };
        if !found.has_libc {
            return Err("this executable does not load the C library of GNU".to_string());
        }
        if found.text.is_empty() || found.text.len() > TEXT_MAX {
            return Err("this process does not tell where its code is".to_string());
        }
        // SAFETY: the linker says that these tables are loaded there.
        let functions = unsafe { functions(found.tables, &found.text) };
        if functions.is_empty() {
            return Err("this executable has no unwind tables that can be read".to_string());
        }
        blocks::warm_up();
        let original = map_file(found.in_file, found.text.len()).unwrap_or(0);
        Ok(Image { text: found.text, base: found.base, original, functions, is_original: mark_original()? })
    }
}

/// How long the text may be, so that a place in it and two flags fit into 32 bits.
const TEXT_MAX: usize = 1 << 30;

/// A byte that is 1 here and 0 in copies: who asks a sealed copy for its number is told that of the original.
fn mark_original() -> Result<&'static AtomicU8, String> {
    let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: a new mapping, zeroed and never unmapped, of which one byte is used as an atomic.
    unsafe {
        let page = libc::mmap(ptr::null_mut(), 1, protection, flags, -1, 0);
        if page == libc::MAP_FAILED || libc::madvise(page, 1, libc::MADV_WIPEONFORK) != 0 {
            return Err("this system cannot tell a process from its copies".to_string());
        }
        let byte = &*page.cast::<AtomicU8>();
        byte.store(1, Ordering::Relaxed);
        Ok(byte)
    }
}

/// Maps a part of the executable's file.
fn map_file(at: u64, len: usize) -> Option<usize> {
    const PAGE: u64 = 1 << 12;
    let file = fs::File::open("/proc/self/exe").ok()?;
    let (skipped, protection) = (at % PAGE, libc::PROT_READ);
    if file.metadata().ok()?.len() < at + len as u64 {
        return None;
    }
    // SAFETY: a new mapping that is only read, of a file that nobody can write to while it runs.
    let start = unsafe {
        let (len, from) = (len + skipped as usize, (at - skipped) as i64);
        libc::mmap(ptr::null_mut(), len, protection, libc::MAP_PRIVATE, file.as_raw_fd(), from)
    };
    (start != libc::MAP_FAILED).then_some(start as usize + skipped as usize)
}

#[derive(Default)]
struct FoundImage {
    seen: usize,
    has_libc: bool,
    base: u64,
    text: Range<usize>,
    /// Where the text begins in the file.
    in_file: u64,
    /// Where `.eh_frame_hdr` is.
    tables: usize,
}

/// Takes note of one module: the first is the executable.
///
/// # Safety
///
/// For `dl_iterate_phdr` only, which is given a `FoundImage` that nobody else uses meanwhile.
unsafe extern "C" fn visit(info: *mut libc::dl_phdr_info, _: usize, found: *mut c_void) -> c_int {
    // SAFETY: the linker passes a description that stays for this call, and what it was given itself.
    let (info, found) = unsafe { (&*info, &mut *found.cast::<FoundImage>()) };
    if !info.dlpi_name.is_null() {
        // SAFETY: the names of modules end with a zero, and stay for this call.
        let name = unsafe { CStr::from_ptr(info.dlpi_name) }.to_bytes();
        let file = name.rsplit(|&it| it == b'/').next().unwrap_or(name);
        found.has_libc |= file.starts_with(b"libc.so");
    }
    found.seen += 1;
    if found.seen > 1 {
        return 0;
    }
    found.base = info.dlpi_addr;
    for n in 0..info.dlpi_phnum as usize {
        // SAFETY: there are `dlpi_phnum` of them.
        let header = unsafe { &*info.dlpi_phdr.add(n) };
        let start = (info.dlpi_addr + header.p_vaddr) as usize;
        if header.p_type == libc::PT_LOAD && header.p_flags & libc::PF_X != 0 {
            let end = start + header.p_memsz as usize;
            // Of several, the largest: they need not be neighbors.
            if end - start > found.text.len() {
                (found.text, found.in_file) = (start..end, header.p_offset);
            }
        }
        if header.p_type == libc::PT_GNU_EH_FRAME {
            found.tables = start;
        }
    }
    0
}

/// The functions of a text by its table of tables, `.eh_frame_hdr`; none where that has another form than every linker writes.
///
/// # Safety
///
/// At `tables` are the unwind tables of a loaded module, if it is not 0.
unsafe fn functions(tables: usize, text: &Range<usize>) -> Vec<Range<u32>> {
    /// Version 1; places relative to here, in four bytes each.
    const FORM: [u8; 4] = [1, 0x1b, 0x03, 0x3b];
    // SAFETY: the caller says so; a table of this form has as many rows as it says, of two words each: where a function
    // starts, and where its description is, which has where it starts in its third word and how long it is in its fourth.
    unsafe {
        let word = |at: usize| (at as *const i32).read_unaligned();
        if tables == 0 || (tables as *const [u8; 4]).read() != FORM {
            return Vec::new();
        }
        let rows = word(tables + 8) as u32 as usize;
        let mut res: Vec<Range<u32>> = Vec::with_capacity(rows);
        for row in 0..rows {
            let at = tables + 12 + row * 8;
            let start = tables.wrapping_add_signed(word(at) as isize);
            let description = tables.wrapping_add_signed(word(at + 4) as isize) + 8;
            // Where it is written in another form, it would not be the same place.
            if description.wrapping_add_signed(word(description) as isize) != start {
                continue;
            }
            let end = start.saturating_add(word(description + 4) as u32 as usize);
            if start < text.start || end > text.end || start >= end {
                continue;
            }
            let range = (start - text.start) as u32..(end - text.start) as u32;
            // They are in order.
            if res.last().is_none_or(|it| it.end <= range.start) {
                res.push(range);
            }
        }
        res
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_in_order_and_apart() {
        let image = Image::get().unwrap();
        assert!(image.functions.iter().all(|it| it.start < it.end && it.end as usize <= image.text.len()));
        assert!(image.functions.windows(2).all(|it| it[0].end <= it[1].start));
        // Those of Rust have theirs; where a test starts is one.
        let at = (functions_are_in_order_and_apart as *const () as usize - image.text.start) as u32;
        assert!(image.functions.iter().any(|it| it.start == at));
        // The handler of traps has none, and so it is never watched.
        let at = (crate::trap::on_trap as *const () as usize - image.text.start) as u32;
        assert!(!image.functions.iter().any(|it| it.contains(&at)));
    }
}
