//! Other fuzzers: the test program as what they call, and what they call as a test.

use std::ffi::c_int;
use std::slice;
use std::sync::OnceLock;

use probity_core::{ByteReplay, Source, Verdict, run_case};

use crate::case;
use crate::registry::{RegisteredTest, all};

/// The variable that says which test a fuzzer runs, where the program has several.
const TEST: &str = "PROBITY_TEST";

/// Runs a test with the answers that bytes are read as: 0 where it passes, -1 where its input is none that it is about.
/// A failure ends the process, which is how fuzzers know it. `LLVMFuzzerTestOneInput` calls it.
///
/// # Safety
///
/// `data` has `size` bytes.
#[unsafe(no_mangle)]
#[allow(clippy::print_stderr, reason = "the process ends here, and says why")]
pub unsafe extern "C" fn probity_run_bytes(data: *const u8, size: usize) -> c_int {
    static CHOSEN: OnceLock<RegisteredTest> = OnceLock::new();
    let test = CHOSEN.get_or_init(chosen);
    // SAFETY: as the caller promises; an empty input may have no address.
    let bytes = if size == 0 { &[] } else { unsafe { slice::from_raw_parts(data, size) } };
    let mut source = Source::new(Box::new(ByteReplay::new(bytes.to_vec())));
    source.begin().ok();
    let message = match run_case(&mut source, &mut |src: &mut Source| case::run(src, test.run)) {
        Ok(case) => match case.verdict {
            Verdict::Pass => return 0,
            Verdict::Reject(_) | Verdict::Overrun | Verdict::Skipped => return -1,
            Verdict::Fail(failure) => format!("{} ({})", failure.message, failure.origin),
        },
        Err(misuse) => misuse.message,
    };
    eprintln!("probity: {} fails: {message}", test.name);
    std::process::abort()
}

#[allow(clippy::print_stderr, reason = "the process ends here, and says why")]
fn chosen() -> RegisteredTest {
    let mut tests = all();
    let name = std::env::var(TEST).ok();
    let wanted = tests.iter().position(|it| name.as_ref().is_none_or(|name| *name == it.name));
    match wanted {
        Some(at) if name.is_some() || tests.len() == 1 => tests.remove(at),
        _ => {
            let names: Vec<&str> = tests.iter().map(|it| it.name.as_str()).collect();
            eprintln!("probity: say which test to run, {TEST}=.. one of: {}", names.join(", "));
            std::process::exit(2)
        }
    }
}
