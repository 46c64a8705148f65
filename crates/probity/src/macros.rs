//! What a test says besides passing and failing.

/// Requires something of the input. Where it does not hold the case is rejected: it counts neither
/// for nor against the code under test. A test that rejects nearly everything fails, and says so.
///
/// It unwinds. Where the test catches that, the case is rejected all the same, and what it does afterwards does not count;
/// what its destructors find meanwhile does.
///
/// ```
/// # use probity::prelude::*;
/// probity::check(|src: &mut Source| {
///     let (a, b) = (src.draw(0..100), src.draw(0..100));
///     assume!(b != 0);
///     assert!(a / b <= a);
/// });
/// ```
#[macro_export]
macro_rules! assume {
    ($holds:expr $(,)?) => {
        $crate::context::assume($holds, concat!("assume!(", stringify!($holds), ")"))
    };
}

/// Checks something and goes on: the case fails, whatever ends it later, and all its broken checks are reported.
///
/// ```should_panic
/// # use probity::prelude::*;
/// probity::Check::new("doc").store(false).run(|src: &mut Source| {
///     let n = src.draw_as("n", 0..100);
///     check!(n < 50);
///     check!(n < 70, "{n} is much too large");
/// });
/// ```
#[macro_export]
macro_rules! check {
    ($holds:expr $(,)?) => {
        if !$holds {
            $crate::context::broken(format_args!("check failed: {}", stringify!($holds)));
        }
    };
    ($holds:expr, $($message:tt)+) => {
        if !$holds {
            $crate::context::broken(format_args!(
                "check failed: {}: {}", stringify!($holds), format_args!($($message)+)
            ));
        }
    };
}

/// Notes something for the report. It is written only for the one case that is shown, so it may be
/// used freely.
///
/// ```
/// # use probity::prelude::*;
/// probity::check(|src: &mut Source| {
///     let v: Vec<u8> = src.any();
///     note!("the sum is {}", v.iter().map(|&it| u32::from(it)).sum::<u32>());
/// });
/// ```
#[macro_export]
macro_rules! note {
    ($($message:tt)+) => {
        $crate::context::note(format_args!($($message)+))
    };
}

/// Counts the case under a label where a condition holds; the counts are shown with `PROBITY_VERBOSE=1`.
///
/// ```
/// # use probity::prelude::*;
/// probity::check(|src: &mut Source| {
///     let v: Vec<u8> = src.any();
///     classify!(v.is_empty(), "empty");
///     classify!(v.len() > 50, "long");
/// });
/// ```
#[macro_export]
macro_rules! classify {
    ($holds:expr, $($label:tt)+) => {
        if $holds {
            $crate::context::label(format_args!($($label)+));
        }
    };
}

/// Counts the case under the value of an expression; the counts are shown with `PROBITY_VERBOSE=1`.
///
/// ```
/// # use probity::prelude::*;
/// probity::check(|src: &mut Source| {
///     let v: Vec<u8> = src.any();
///     collect!(v.len() / 10);
/// });
/// ```
#[macro_export]
macro_rules! collect {
    ($value:expr $(,)?) => {
        $crate::context::label(format_args!("{} = {:?}", stringify!($value), $value))
    };
}

/// Requires a condition to hold in at least this percentage of the cases. The test fails if it is almost certain that
/// it does not: bad luck does not fail it.
///
/// ```
/// # use probity::prelude::*;
/// probity::check(|src: &mut Source| {
///     let v: Vec<u8> = src.any();
///     cover!(5, v.is_empty());
/// });
/// ```
#[macro_export]
macro_rules! cover {
    ($percent:expr, $holds:expr $(,)?) => {
        $crate::context::cover(f64::from($percent), $holds, stringify!($holds))
    };
    ($($other:tt)*) => {
        ::core::compile_error!("`cover!` takes a percentage and a condition; write `cover!(10, n < 0)`")
    };
}

/// Names a goal: Probity looks for an input that comes here with the condition true, and reports the simplest it finds, that there
/// is none (proved), or that none was found. With `must`, the test fails unless there is one.
///
/// ```
/// # use probity::prelude::*;
/// probity::check(|src: &mut Source| {
///     let v: Vec<u8> = src.any();
///     reach!(v.len() == 3 && v.is_sorted(), "three in order", must);
///     reach!(v.contains(&7));
/// });
/// ```
///
/// A goal is known once a case has come by.
#[macro_export]
macro_rules! reach {
    ($holds:expr, must $(,)?) => {
        $crate::context::reach(stringify!($holds), $holds, true)
    };
    ($holds:expr, $label:literal, must $(,)?) => {
        $crate::context::reach($label, $holds, true)
    };
    ($holds:expr, $label:literal $(,)?) => {
        $crate::context::reach($label, $holds, false)
    };
    ($holds:expr $(,)?) => {
        $crate::context::reach(stringify!($holds), $holds, false)
    };
}

/// Makes a test the harness of another fuzzer: defines `LLVMFuzzerTestOneInput`, the function that libFuzzer, AFL++, honggfuzz and
/// OSS-Fuzz call with bytes. There is one in a program, which the fuzzer's compiler or `cargo fuzz` links; nothing has to be
/// written for `cargo probity fuzz --engine libfuzzer TEST`.
///
/// The test has to be in reach: `pub`, in a file that the program takes in. Of a test that is `pub`, `#[probity::test]` leaves an
/// ordinary function outside of test builds.
///
/// ```
/// mod tests {
///     #[probity::test]
///     pub fn halves(n: u32) {
///         assert!(n / 2 <= n);
///     }
/// }
/// probity::fuzz_target!(tests::halves);
///
/// let bytes = [1, 0, 0, 0];
/// // SAFETY: it has that many bytes.
/// let is_kept = unsafe { LLVMFuzzerTestOneInput(bytes.as_ptr(), bytes.len()) };
/// assert_eq!(is_kept, 0);
/// ```
#[macro_export]
macro_rules! fuzz_target {
    ($test:path $(,)?) => {
        /// Runs the test with the answers that `size` bytes at `data` are read as.
        ///
        /// # Safety
        ///
        /// `data` has `size` bytes.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn LLVMFuzzerTestOneInput(data: *const u8, size: usize) -> ::core::ffi::c_int {
            // SAFETY: as said above.
            unsafe { $crate::fuzzer::run_target($test, ::core::stringify!($test), data, size) }
        }
        // Anyone who links this links what varies inputs, too.
        #[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
        const _: () = {
            unsafe extern "C" {
                fn LLVMFuzzerCustomMutator(data: *mut u8, size: usize, size_max: usize, seed: u32) -> usize;
            }
            #[used]
            static MUTATOR: unsafe extern "C" fn(*mut u8, usize, usize, u32) -> usize =
                LLVMFuzzerCustomMutator;
        };
    };
}
