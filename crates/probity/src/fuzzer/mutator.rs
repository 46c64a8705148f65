//! What other fuzzers ask for another input: they know bytes, and a test knows what they are read as.

use probity_core::{Rng, Source};

use super::FUZZED;

/// How many of 256 inputs are varied by our moves; the rest are left to the fuzzer, which knows what comparisons asked for. Few
/// where inputs have no lists: then bytes stand where they stand, and the fuzzer's moves do what ours do, in less time. Few also
/// where the test itself has to run to know what its inputs are.
const OURS: u8 = 64;
const OURS_FIXED: u8 = 4;
const OURS_BY_RUNNING: u8 = 16;

// A word with the address of the fuzzer's function. A build without a fuzzer has no such function; then it is zero.
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
std::arch::global_asm!(
    ".weak LLVMFuzzerMutate",
    ".pushsection .data.probity_fuzzer_mutate, \"aw\"",
    ".balign 8",
    ".globl probity_fuzzer_mutate",
    ".hidden probity_fuzzer_mutate",
    "probity_fuzzer_mutate: .8byte LLVMFuzzerMutate",
    ".popsection",
);

/// libFuzzer's own way to vary bytes.
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
fn fuzzer_mutate() -> Option<unsafe extern "C" fn(*mut u8, usize, usize) -> usize> {
    unsafe extern "C" {
        static probity_fuzzer_mutate: Option<unsafe extern "C" fn(*mut u8, usize, usize) -> usize>;
    }
    // SAFETY: the word is constant once the process runs, and zero or the address of a function of this type.
    unsafe { probity_fuzzer_mutate }
}

#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
fn fuzzer_mutate() -> Option<unsafe extern "C" fn(*mut u8, usize, usize) -> usize> {
    None
}

// The name that fuzzers look for. It is weak: a user's own mutator takes its place.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
std::arch::global_asm!(
    ".weak LLVMFuzzerCustomMutator",
    ".type LLVMFuzzerCustomMutator, @function",
    "LLVMFuzzerCustomMutator: jmp probity_custom_mutator@PLT",
);
#[cfg(all(target_os = "linux", target_arch = "aarch64"))]
std::arch::global_asm!(
    ".weak LLVMFuzzerCustomMutator",
    ".type LLVMFuzzerCustomMutator, @function",
    "LLVMFuzzerCustomMutator: b probity_custom_mutator",
);

/// Makes anyone who calls it link what varies inputs: a fuzzer's own reference to it is weak, and takes nothing from libraries.
pub(super) fn link() {
    std::hint::black_box(probity_custom_mutator as *const ());
}

/// Varies the `size` bytes at `data`, where there is room for `size_max`, and returns how many they are then. libFuzzer calls it
/// as `LLVMFuzzerCustomMutator`.
///
/// # Safety
///
/// `data` has room for `size_max` bytes, of which `size` are there.
#[unsafe(no_mangle)]
unsafe extern "C" fn probity_custom_mutator(data: *mut u8, size: usize, size_max: usize, seed: u32) -> usize {
    let mut rng = Rng::new(seed.into());
    let fuzzer = fuzzer_mutate();
    if let Some(mut fuzzed) = FUZZED.with(|it| it.take()) {
        let of_256 = match (fuzzed.has_lists, fuzzed.inputs) {
            (false, _) => OURS_FIXED,
            (true, None) => OURS_BY_RUNNING,
            (true, Some(_)) => OURS,
        };
        // SAFETY: `size` bytes are there.
        let bytes = unsafe { super::slice_of(data, size) };
        let varied = (fuzzer.is_none() || rng.chance(of_256)).then(|| fuzzed.vary(bytes, rng.word()));
        FUZZED.with(|it| it.set(Some(fuzzed)));
        if let Some(varied) = varied.flatten().filter(|it| it.len() <= size_max) {
            // SAFETY: there is room for `size_max` bytes.
            unsafe { data.copy_from(varied.as_ptr(), varied.len()) };
            return varied.len();
        }
    }
    // SAFETY: it is the fuzzer's own function, with its own arguments.
    fuzzer.map_or(size, |it| unsafe { it(data, size, size_max) })
}

impl super::Fuzzed {
    /// Other bytes of the same shape.
    fn vary(&mut self, bytes: &[u8], seed: u64) -> Option<Vec<u8>> {
        match self.inputs {
            Some(inputs) => self.mutator.mutate(&mut |src: &mut Source| inputs(src), bytes, seed),
            // SAFETY: as in `run`.
            None => self.mutator.mutate(unsafe { &mut *self.test }, bytes, seed),
        }
    }
}
