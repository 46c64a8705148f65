//! What is loaded where in this process: which code is interpreted, and what the functions outside it are called.

use std::arch::is_x86_feature_detected;
use std::collections::HashMap;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem;
use std::ops;
use std::sync::OnceLock;

use super::known::{FunctionModel, KNOWN};
use super::stub::Avx;
use crate::expr::Fixed;

/// Code that is interpreted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Range {
    pub(crate) start: u64,
    pub(crate) end: u64,
    /// Whether it belongs to the executable.
    pub(crate) own: bool,
}

/// A function outside the interpreted code.
#[derive(Clone, Debug)]
pub(crate) struct Native {
    pub(crate) name: &'static str,
    pub(crate) kind: FunctionModel,
}

/// What there is to know of this process.
#[derive(Debug)]
pub(crate) struct Host {
    pub(crate) ranges: Vec<Range>,
    /// Where lazily bound calls go first.
    resolvers: Vec<u64>,
    natives: HashMap<u64, Native, Fixed>,
    /// The interpreted modules: where they are loaded, and their dynamic sections.
    pub(crate) modules: Vec<(u64, u64)>,
    /// Where the variables of the interpreted modules are that live as long as the process.
    statics: Vec<ops::Range<u64>>,
    /// How many bytes below the thread's own address those of the executable are that live as long as the thread.
    thread_locals: u64,
    pub(crate) avx: Avx,
}

static HOST: OnceLock<Result<Host, String>> = OnceLock::new();

impl Host {
    /// Finds out, once for a process and its children.
    pub(crate) fn get() -> Result<&'static Host, String> {
        HOST.get_or_init(Host::look).as_ref().map_err(String::clone)
    }

    fn look() -> Result<Host, String> {
        let mut found = FoundSymbol {
            ranges: Vec::new(),
            resolvers: Vec::new(),
            modules: Vec::new(),
            statics: Vec::new(),
            thread_locals: 0,
            seen: 0,
            libc: false,
        };
        // SAFETY: `visit` gets a reference to `found`, and nobody else has it meanwhile.
        unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut found).cast()) };
        if !found.libc {
            return Err("this executable does not load the C library of GNU".to_owned());
        }
        if found.ranges.is_empty() {
            return Err("this process does not tell where its code is".to_owned());
        }
        if ["__asan_init", "__tsan_init", "__msan_init"].iter().any(|it| symbol(it).is_some()) {
            return Err("this executable is instrumented by a sanitizer".to_owned());
        }
        let mut natives = HashMap::with_hasher(Fixed::default());
        for &(name, kind) in KNOWN {
            if let Some(at) = symbol(name) {
                natives.entry(at).or_insert(Native { name, kind });
            }
        }
        let has_all = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl");
        let avx = match is_x86_feature_detected!("avx") {
            _ if has_all => Avx::Wide,
            true => Avx::Some,
            false => Avx::None,
        };
        let FoundSymbol { ranges, resolvers, modules, statics, thread_locals, .. } = found;
        Ok(Host { ranges, resolvers, natives, modules, statics, thread_locals, avx })
    }

    /// The interpreted code that an address is in.
    pub(crate) fn range(&self, at: u64) -> Option<&Range> {
        // The first is the executable's, which is asked for most: no iterator, for often there is no optimization.
        let mut n = 0;
        while n < self.ranges.len() {
            let it = &self.ranges[n];
            if it.start <= at && at < it.end {
                return Some(it);
            }
            n += 1;
        }
        None
    }

    /// Whether a variable is at an address that outlives a case; `thread` is the address of the thread that runs it.
    pub(crate) fn is_lasting(&self, at: u64, thread: u64) -> bool {
        thread.wrapping_sub(at) <= self.thread_locals || self.statics.iter().any(|it| it.contains(&at))
    }

    /// The function at an address.
    pub(crate) fn native(&self, at: u64) -> Native {
        self.natives.get(&at).cloned().unwrap_or_else(|| {
            // SAFETY: they are addresses, which may be null.
            let mut info: libc::Dl_info = unsafe { mem::zeroed() };
            // SAFETY: `info` is valid to write to, and `at` is only looked up.
            let known = unsafe { libc::dladdr(at as *const c_void, &raw mut info) } != 0;
            let name = if known && !info.dli_sname.is_null() {
                // SAFETY: names of symbols end with a zero, and stay while their module is loaded.
                let name = unsafe { CStr::from_ptr(info.dli_sname) }.to_string_lossy().into_owned();
                // Kept for good, for the module may be unloaded. A guest calls few functions that are not known.
                name.leak()
            } else {
                "a function without a name"
            };
            Native { name, kind: FunctionModel::Unknown }
        })
    }

    /// Whether an address is where lazily bound calls go first.
    pub(crate) fn is_resolver(&self, at: u64) -> bool {
        self.resolvers.contains(&at)
    }
}

/// The address of a symbol, as the linker finds it.
pub(crate) fn symbol(name: &str) -> Option<u64> {
    let mut text = [0u8; 64];
    text[..63].get_mut(..name.len())?.copy_from_slice(name.as_bytes());
    // SAFETY: the text ends with a zero.
    let at = unsafe { libc::dlsym(libc::RTLD_DEFAULT, text.as_ptr().cast()) };
    (!at.is_null()).then_some(at as u64)
}

struct FoundSymbol {
    ranges: Vec<Range>,
    resolvers: Vec<u64>,
    modules: Vec<(u64, u64)>,
    statics: Vec<ops::Range<u64>>,
    thread_locals: u64,
    seen: usize,
    libc: bool,
}

const TAG_PLTGOT: i64 = 3;
const TAG_STRTAB: i64 = 5;
const TAG_SYMTAB: i64 = 6;
const TAG_JMPREL: i64 = 23;

/// Takes note of one module.
///
/// # Safety
///
/// For `dl_iterate_phdr` only, which is given a `FoundSymbol` that nobody else uses meanwhile.
unsafe extern "C" fn visit(info: *mut libc::dl_phdr_info, _: usize, found: *mut c_void) -> c_int {
    // SAFETY: the linker passes a description that stays for this call, and what it was given itself.
    let (info, found) = unsafe { (&*info, &mut *found.cast::<FoundSymbol>()) };
    let name = match info.dlpi_name.is_null() {
        true => c"",
        // SAFETY: the names of modules end with a zero, and stay for this call.
        false => unsafe { CStr::from_ptr(info.dlpi_name) },
    };
    let name = name.to_string_lossy();
    let file = name.rsplit('/').next().unwrap_or("");
    let own = found.seen == 0;
    found.seen += 1;
    found.libc |= file.starts_with("libc.so");
    // The unwinder walks the guest's stack, and a shared standard library is as good as the executable's. That of C++ allocates
    // what the guest frees.
    let is_library = ["libgcc_s", "libstd-", "libstdc++"].iter().any(|it| file.starts_with(it));
    if !own && !is_library {
        return 0;
    }
    for n in 0..info.dlpi_phnum as usize {
        // SAFETY: there are `dlpi_phnum` of them.
        let header = unsafe { &*info.dlpi_phdr.add(n) };
        let start = info.dlpi_addr + header.p_vaddr;
        if header.p_type == libc::PT_LOAD && header.p_flags & libc::PF_X != 0 {
            found.ranges.push(Range { start, end: start + header.p_memsz, own });
        }
        if header.p_type == libc::PT_LOAD && header.p_flags & libc::PF_W != 0 {
            found.statics.push(ops::Range { start, end: start + header.p_memsz });
        }
        // Those of the executable lie next to the thread's address.
        if own && header.p_type == libc::PT_TLS {
            found.thread_locals = header.p_memsz.next_multiple_of(header.p_align.max(1));
        }
        if header.p_type == libc::PT_DYNAMIC {
            found.modules.push((info.dlpi_addr, start));
            // SAFETY: this is where the dynamic section of a loaded module is.
            if let Some(got) = unsafe { tag(start as *const i64, TAG_PLTGOT) } {
                // SAFETY: the first three entries of such a table are the linker's; the third is where lazy binding starts.
                let resolver = unsafe { (got as *const u64).add(2).read() };
                if resolver != 0 && !found.resolvers.contains(&resolver) {
                    found.resolvers.push(resolver);
                }
            }
        }
    }
    0
}

/// The memory of this process that others see, or that may have other addresses too, and that can be written.
pub(crate) fn shared_memory() -> Vec<ops::Range<usize>> {
    // Where it is not told, it is all.
    match std::fs::read_to_string("/proc/self/maps") {
        Ok(maps) => shared_in(&maps),
        Err(_) => vec![ops::Range { start: 0, end: usize::MAX }],
    }
}

fn shared_in(maps: &str) -> Vec<ops::Range<usize>> {
    let range = |line: &str| {
        let mut words = line.split_whitespace();
        let (from, to) = words.next()?.split_once('-')?;
        let access = words.next()?.as_bytes();
        let is_shared = access.get(1) == Some(&b'w') && access.get(3) == Some(&b's');
        let number = |text| usize::from_str_radix(text, 16).ok();
        is_shared.then_some(number(from)?..number(to)?)
    };
    maps.lines().filter_map(range).collect()
}

/// An entry of a dynamic section.
///
/// # Safety
///
/// `dynamic` is the dynamic section of a loaded module.
pub(crate) unsafe fn tag(mut dynamic: *const i64, wanted: i64) -> Option<u64> {
    // SAFETY: entries are two words each, and the last one has the tag 0.
    unsafe {
        while dynamic.read() != 0 {
            if dynamic.read() == wanted {
                return Some(dynamic.add(1).read() as u64);
            }
            dynamic = dynamic.add(2);
        }
    }
    None
}

/// The function that a lazily bound call means: `map` is the linker's description of the module, `index` that of the
/// relocation. Bound here and now, so that our models see the call.
///
/// # Safety
///
/// Both are what the procedure linkage table of a loaded module passes to the linker.
pub(crate) unsafe fn lazily_bound(map: u64, index: u64) -> Option<u64> {
    // SAFETY: the linker would read the same tables.
    unsafe {
        // struct link_map: l_addr, l_name, l_ld, ...
        let dynamic = (map as *const u64).add(2).read() as *const i64;
        let relocations = tag(dynamic, TAG_JMPREL)? as *const u64;
        // Elf64_Rela: r_offset, r_info, r_addend
        let symbol = (relocations.add(index as usize * 3 + 1).read() >> 32) as usize;
        // Elf64_Sym: st_name is the first of 24 bytes
        let name = (tag(dynamic, TAG_SYMTAB)? as *const u32).add(symbol * 6).read();
        let name = (tag(dynamic, TAG_STRTAB)? + u64::from(name)) as *const c_char;
        let at = libc::dlsym(libc::RTLD_DEFAULT, name);
        (!at.is_null()).then_some(at as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::shared_in;

    #[test]
    fn memory_that_others_see_is_known() {
        let maps = "\
1000-4000 rw-s 00000000 00:01 1 /dev/zero (deleted)
5000-6000 rwxs 00000000 08:01 77 /data/base.mmap
6000-7000 r--s 00000000 08:01 77 /data/base.mmap
7000-8000 rw-p 00000000 00:00 0 [heap]

";
        assert_eq!(shared_in(maps), [0x1000..0x4000, 0x5000..0x6000]);
    }
}
