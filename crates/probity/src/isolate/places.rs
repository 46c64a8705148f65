//! Where a process died: the first function on its stack that is neither the standard library's nor ours. It distinguishes one
//! crash from another, as the place of a panic does.

use std::collections::BTreeMap;
use std::ffi::{c_int, c_void};
use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::sync::OnceLock;

/// The functions of the executable that have names, and where its code is.
struct Symbols {
    base: u64,
    code: Vec<Range<u64>>,
    /// By where they begin: where they end, and their names as the linker knows them.
    functions: BTreeMap<u64, (u64, String)>,
}

/// Crates whose functions say nothing about where a test died, and what the compiler adds.
const OTHERS: [&str; 11] = [
    "core",
    "std",
    "alloc",
    "hashbrown",
    "test",
    "probity",
    "probity_c",
    "probity_core",
    "__rustc",
    "__rust_",
    "rust_",
];
/// The largest tables that are read: those of a debug build of a million functions.
const TABLE_MAX: u64 = 1 << 30;

/// The place that these addresses on a stack stand for, the innermost first, behind that of the instruction which
/// faulted, or 0. Where the stack is full, it is the function that is on it most often.
pub(super) fn place(addresses: &[u64], is_overflow: bool) -> Option<String> {
    static SYMBOLS: OnceLock<Option<Symbols>> = OnceLock::new();
    let symbols = SYMBOLS.get_or_init(Symbols::read).as_ref()?;
    let (&fault, stack) = addresses.split_first()?;
    // What stands before it is what told it.
    let from = stack.iter().position(|it| *it == fault).filter(|_| fault != 0).unwrap_or(0);
    let mut names = stack[from..].iter().filter_map(|it| symbols.name(*it)).filter(|it| !is_of_others(it));
    if is_overflow {
        let mut counts = BTreeMap::<String, usize>::new();
        names.for_each(|it| *counts.entry(it).or_default() += 1);
        let most = *counts.values().max()?;
        return counts.into_iter().find(|it| it.1 == most).map(|it| format!("in `{}`", it.0));
    }
    if let Some(name) = names.next() {
        return Some(format!("in `{name}`"));
    }
    let is_nameless = symbols.functions.is_empty() && symbols.code.iter().any(|it| it.contains(&fault));
    is_nameless.then(|| format!("at {:#x}", fault - symbols.base))
}

impl Symbols {
    fn read() -> Option<Symbols> {
        let mut res = Symbols { base: 0, code: Vec::new(), functions: BTreeMap::new() };
        // SAFETY: `segments` gets a reference to `res`, and nobody else has it meanwhile.
        unsafe { libc::dl_iterate_phdr(Some(segments), (&raw mut res).cast()) };
        let file = File::open("/proc/self/exe").ok()?;
        // Without names there are addresses.
        res.read_names(&file);
        Some(res)
    }

    /// Reads the table of symbols of a file in ELF with 64 bits.
    fn read_names(&mut self, file: &File) -> Option<()> {
        let header = bytes(file, 0, 64)?;
        if header[..6] != *b"\x7fELF\x02\x01" {
            return None;
        }
        let (at, size, n) = (word(&header, 40)?, half(&header, 58)?, half(&header, 60)?);
        let table = bytes(file, at, u64::from(size) * u64::from(n))?;
        let mut sections = table.chunks_exact(usize::from(size).max(1));
        let symbols = sections.find(|it| quarter(it, 4) == Some(2))?;
        let texts = usize::from(size) * quarter(symbols, 40)? as usize;
        let texts = table.get(texts..)?;
        let section = |it: &[u8]| bytes(file, word(it, 24)?, word(it, 32)?);
        let (symbols, texts) = (section(symbols)?, section(texts)?);
        for symbol in symbols.chunks_exact(24) {
            let (start, len) = (word(symbol, 8)? + self.base, word(symbol, 16)?);
            let text = texts.get(quarter(symbol, 0)? as usize..)?;
            let is_function = symbol[4] & 15 == 2 && len > 0;
            if let Some(name) = text.split(|it| *it == 0).next().filter(|_| is_function) {
                self.functions.insert(start, (start + len, String::from_utf8_lossy(name).into_owned()));
            }
        }
        Some(())
    }

    fn name(&self, address: u64) -> Option<String> {
        let (_, (end, name)) = self.functions.range(..=address).next_back()?;
        (address < *end).then(|| readable(name))
    }
}

/// Looks at the first of what is loaded, which is the executable.
///
/// # Safety
///
/// To be called by the linker, with a reference to [`Symbols`].
unsafe extern "C" fn segments(info: *mut libc::dl_phdr_info, _: usize, to: *mut c_void) -> c_int {
    // SAFETY: the linker gives a valid `info`, and `to` is what `read` gave.
    unsafe {
        let (info, to) = (&*info, &mut *to.cast::<Symbols>());
        to.base = info.dlpi_addr;
        let headers = std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into());
        for it in headers.iter().filter(|it| it.p_type == libc::PT_LOAD && it.p_flags & libc::PF_X != 0) {
            let start = to.base + it.p_vaddr;
            to.code.push(start..start + it.p_memsz);
        }
    }
    1
}

fn bytes(file: &File, at: u64, len: u64) -> Option<Vec<u8>> {
    let mut res = vec![0; usize::try_from(len).ok().filter(|_| len <= TABLE_MAX)?];
    file.read_exact_at(&mut res, at).ok().map(|()| res)
}

fn word(from: &[u8], at: usize) -> Option<u64> {
    from.get(at..at + 8)?.try_into().ok().map(u64::from_le_bytes)
}

fn quarter(from: &[u8], at: usize) -> Option<u32> {
    from.get(at..at + 4)?.try_into().ok().map(u32::from_le_bytes)
}

fn half(from: &[u8], at: usize) -> Option<u16> {
    from.get(at..at + 2)?.try_into().ok().map(u16::from_le_bytes)
}

/// A name as people write it, as far as that is easy: without hashes, which differ from build to build, and without closures
/// in it; of the newer of the two ways in which Rust names symbols, the names in it one after the other.
fn readable(symbol: &str) -> String {
    // Optimized code has functions that the compiler moved between its units, and marked.
    let symbol = symbol.split_once(".llvm.").map_or(symbol, |it| it.0);
    let parts = if let Some(rest) = symbol.strip_prefix("_R") {
        new_parts(rest)
    } else if let Some(rest) = symbol.strip_prefix("_ZN").and_then(|it| it.strip_suffix('E')) {
        old_parts(rest)
    } else {
        return symbol.to_string();
    };
    let mut parts: Vec<String> = parts.into_iter().map(unescaped).collect();
    while parts.last().is_some_and(|it| it.starts_with('{')) {
        parts.pop();
    }
    // The body of a test is a function within one of the same name.
    parts.dedup();
    parts.join("::")
}

fn old_parts(mut rest: &str) -> Vec<&str> {
    let mut res = Vec::new();
    while let Some((name, behind)) = part(rest) {
        res.push(name);
        rest = behind;
    }
    let is_hash = |it: &&str| it.len() == 17 && it.starts_with('h');
    res.pop_if(|it| is_hash(&&**it));
    res
}

/// The name that begins with its length, and what comes behind it.
fn part(text: &str) -> Option<(&str, &str)> {
    let (digits, rest) = text.split_at(text.find(|it: char| !it.is_ascii_digit())?);
    rest.split_at_checked(digits.parse().ok()?)
}

fn new_parts(mut rest: &str) -> Vec<&str> {
    let mut res = Vec::new();
    while let Some(first) = rest.chars().next() {
        rest = match first {
            // What is between names: numbers of crates and closures, and references to an earlier part.
            's' | 'B' => rest.split_once('_').map_or("", |it| it.1),
            '1'..='9' => {
                // Where a name begins with `_`, another stands before it.
                let spaced = rest.trim_start_matches(|it: char| it.is_ascii_digit()).starts_with('_');
                let plain = if spaced { rest.replacen('_', "", 1) } else { rest.to_string() };
                let Some((name, behind)) = part(&plain) else { break };
                let end = rest.len() - behind.len();
                res.push(&rest[end - name.len()..end]);
                &rest[end..]
            }
            _ => &rest[first.len_utf8()..],
        };
    }
    res
}

/// A part of a name, with the characters in it that linkers do not take.
fn unescaped(part: &str) -> String {
    let mut res = part.strip_prefix('_').filter(|it| it.starts_with('$')).unwrap_or(part).replace("..", "::");
    for (from, to) in [
        ("$LT$", "<"),
        ("$GT$", ">"),
        ("$LP$", "("),
        ("$RP$", ")"),
        ("$RF$", "&"),
        ("$BP$", "*"),
        ("$C$", ","),
        ("$u20$", " "),
        ("$u5b$", "["),
        ("$u5d$", "]"),
        ("$u7b$", "{"),
        ("$u7d$", "}"),
        ("$u27$", "'"),
    ] {
        res = res.replace(from, to);
    }
    res
}

/// Whether a function is the standard library's or ours.
fn is_of_others(name: &str) -> bool {
    // Of `<F as Test>::case`, which is anybody's, the trait says whose it is.
    let is_parameter = |it: &str| it.trim_start_matches(['<', '&']).len() == 1;
    let name = name.split_once(" as ").filter(|it| is_parameter(it.0)).map_or(name, |it| it.1);
    let name = name.trim_start_matches(['<', '&', '*', '[', '(', ' ']).trim_start_matches("mut ");
    OTHERS.iter().any(|it| {
        let rest = name.strip_prefix(it);
        rest.is_some_and(|rest| {
            it.ends_with('_') || !rest.starts_with(|it: char| it.is_alphanumeric() || it == '_')
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_readable_and_have_no_hash() {
        let rows = [
            ("_ZN7harness6deaths4deep17hc2c5dfa7f5941942E", "harness::deaths::deep", false),
            (
                "_ZN7probity6panics5fatal8on_abort17hc2c5dfa7f5941942E.llvm.1234567890",
                "probity::panics::fatal::on_abort",
                true,
            ),
            ("_RNvNtCs1_4shop4cart3sum.llvm.1234567890", "shop::cart::sum", false),
            (
                "_ZN7harness9overflows28_$u7b$$u7b$closure$u7d$$u7d$17h1254428638e33871E",
                "harness::overflows",
                false,
            ),
            (
                "_ZN4shop52_$LT$shop..Cart$u20$as$u20$core..ops..drop..Drop$GT$4drop17h1254428638e33871E",
                "shop::<shop::Cart as core::ops::drop::Drop>::drop",
                false,
            ),
            (
                "_ZN68_$LT$alloc..vec..Vec$LT$T$GT$$u20$as$u20$core..ops..index..Index$GT$5index17h1254428638e33871E",
                "<alloc::vec::Vec<T> as core::ops::index::Index>::index",
                true,
            ),
            ("_ZN4core3ptr13read_volatile17h1254428638e33871E", "core::ptr::read_volatile", true),
            ("_ZN5cores3ptr17h1254428638e33871E", "cores::ptr", false),
            ("_ZN4shop5tests4sums4sums17h1254428638e33871E", "shop::tests::sums", false),
            ("decode_frame", "decode_frame", false),
            ("_RNvNtNtCsjrHSEGnQ3l9_3std3sys4exit4exit", "std::sys::exit", true),
            ("_RNvMs_NtCs1234_4shop4cartNtB4_4Cart3add", "shop::cart::Cart::add", false),
            ("_RNCNvCs1234_4shop4sums0B3_", "shop::sums", false),
            ("_RINvCs1234_4test6___restNtB4_4UnitE", "test::__rest::Unit", true),
            ("_R99999999999999999999x", "", false),
            (
                "_ZN48_$LT$F$u20$as$u20$probity_core..unwind..Test$GT$4case17h1254428638e33871E",
                "<F as probity_core::unwind::Test>::case",
                true,
            ),
            ("__rust_alloc", "__rust_alloc", true),
            ("_ZN99999999999999999999999E", "", false),
        ];
        for (symbol, name, is_other) in rows {
            assert_eq!(readable(symbol), name);
            assert_eq!(is_of_others(name), is_other, "{name}");
        }
    }

    #[test]
    fn functions_of_this_program_are_found() {
        let symbols = Symbols::read().unwrap();
        let here = functions_of_this_program_are_found as *const () as u64;
        assert!(symbols.name(here).unwrap().ends_with("places::tests::functions_of_this_program_are_found"));
        assert!(symbols.code.iter().any(|it| it.contains(&here)) && symbols.name(8).is_none());
    }
}
