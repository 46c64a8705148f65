//! Threads run natively, and free what the guest allocated: from the first one on, the executable's calls of `free`
//! and `realloc` go here, where the guest's memory is told from the C library's.

use std::ffi::{CStr, c_char, c_void};
use std::sync::atomic::{AtomicU64, Ordering};

use super::known::FunctionModel;
use super::symbols::{Host, symbol, tag};

/// Where the guest's heap lies in this process, and how large it is.
static HEAP: [AtomicU64; 2] = [AtomicU64::new(0), AtomicU64::new(0)];

/// The C library's `free` and `realloc`: by name they would be our own.
static REAL: [AtomicU64; 2] = [AtomicU64::new(0), AtomicU64::new(0)];

/// Says where the guest's heap lies.
pub(crate) fn set_heap(at: u64, size: u64) {
    HEAP[1].store(size, Ordering::Relaxed);
    HEAP[0].store(at, Ordering::Relaxed);
}

fn is_guest(at: *mut c_void) -> bool {
    (at as u64).wrapping_sub(HEAP[0].load(Ordering::Relaxed)) < HEAP[1].load(Ordering::Relaxed)
}

/// `free` for threads that run natively.
///
/// # Safety
///
/// As that of the C library.
unsafe extern "C" fn free(at: *mut c_void) {
    if !is_guest(at) {
        let real = REAL[0].load(Ordering::Relaxed);
        // SAFETY: `install` stored the address of the C library's `free` before any call led here.
        unsafe { std::mem::transmute::<u64, unsafe extern "C" fn(*mut c_void)>(real)(at) }
    }
}

/// `realloc` for threads that run natively.
///
/// # Safety
///
/// As that of the C library.
unsafe extern "C" fn realloc(at: *mut c_void, size: usize) -> *mut c_void {
    // SAFETY: `install` stored the address of the C library's `realloc` before any call led here. Before an allocation of the
    // guest is its size, and both it and the new one have as many bytes as are copied.
    unsafe {
        if !is_guest(at) {
            type Realloc = unsafe extern "C" fn(*mut c_void, usize) -> *mut c_void;
            let real = REAL[1].load(Ordering::Relaxed);
            return std::mem::transmute::<u64, Realloc>(real)(at, size);
        }
        // The guest's allocations have their size before them.
        let old = at.cast::<u64>().sub(2).read() as usize;
        let to = libc::malloc(size);
        if !to.is_null() {
            std::ptr::copy_nonoverlapping(at.cast::<u8>(), to.cast::<u8>(), old.min(size));
        }
        to
    }
}

/// What the guest means where it calls one of these.
pub(crate) fn kind_of(at: u64) -> Option<FunctionModel> {
    if at == free as *const () as u64 {
        Some(FunctionModel::Free)
    } else if at == realloc as *const () as u64 {
        Some(FunctionModel::Realloc)
    } else {
        None
    }
}

const TAG_PLTRELSZ: i64 = 2;
const TAG_STRTAB: i64 = 5;
const TAG_SYMTAB: i64 = 6;
const TAG_RELA: i64 = 7;
const TAG_RELASZ: i64 = 8;
const TAG_JMPREL: i64 = 23;
const GLOB_DAT: u32 = 6;
const JUMP_SLOT: u32 = 7;

/// Leads the calls here.
pub(crate) fn install(host: &Host) {
    let (Some(free), Some(realloc)) = (symbol("free"), symbol("realloc")) else { return };
    REAL[0].store(free, Ordering::Relaxed);
    REAL[1].store(realloc, Ordering::Relaxed);
    for &(base, dynamic) in &host.modules {
        let dynamic = dynamic as *const i64;
        for (table, size) in [(TAG_RELA, TAG_RELASZ), (TAG_JMPREL, TAG_PLTRELSZ)] {
            // SAFETY: the section is that of a loaded module, and says where its relocations are. 24 is the size of one.
            unsafe {
                if let (Some(table), Some(size)) = (tag(dynamic, table), tag(dynamic, size)) {
                    patch(base, dynamic, table as *const u64, size as usize / 24);
                }
            }
        }
    }
}

/// Leads calls here that go through one table of relocations.
///
/// # Safety
///
/// `base`, `dynamic` and `table` are of a loaded module, and the table has `count` entries.
unsafe fn patch(base: u64, dynamic: *const i64, table: *const u64, count: usize) {
    // SAFETY: the linker has read all of these tables. A slot is eight aligned bytes, so within a page; it was written when
    // the module was loaded, and pages that were made read-only since may be written again.
    unsafe {
        let (Some(symbols), Some(strings)) = (tag(dynamic, TAG_SYMTAB), tag(dynamic, TAG_STRTAB)) else {
            return;
        };
        for n in 0..count {
            let (offset, info) = (table.add(3 * n).read(), table.add(3 * n + 1).read());
            if !matches!(info as u32, GLOB_DAT | JUMP_SLOT) {
                continue;
            }
            let name = (symbols as *const u32).add((info >> 32) as usize * 6).read();
            let to = match CStr::from_ptr((strings + u64::from(name)) as *const c_char).to_bytes() {
                b"free" => free as *const (),
                b"realloc" => realloc as *const (),
                _ => continue,
            };
            let slot = (base + offset) as *mut u64;
            let page = (slot as u64 & !4095) as *mut c_void;
            if libc::mprotect(page, 4096, libc::PROT_READ | libc::PROT_WRITE) == 0 {
                slot.write(to as u64);
            }
        }
    }
}
