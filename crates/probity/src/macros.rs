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
}
