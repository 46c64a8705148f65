//! Named arms as plain code: `one_of!` runs one of them, `steps!` one after the other.

/// Picks one of several named branches and runs it; the first that is open is the simplest.
///
/// ```
/// # use probity_core::{Random, Source, run_case};
/// use probity_core::one_of;
/// fn stack(src: &mut Source) {
///     let mut stack: Vec<u8> = Vec::new();
///     for _ in 0..src.draw(1..=20) {
///         let top = one_of!(src, {
///             3 * push => { stack.push(src.any()); None } // three times as likely as the others
///             pop if !stack.is_empty() => stack.pop(),
///             leave => break,
///         });
///         assert!(top.is_none_or(|it| it <= u8::MAX));
///     }
/// }
/// # let mut source = Source::new(Box::new(Random::new(7)));
/// # assert!(run_case(&mut source, &mut stack).unwrap().verdict.failure().is_none());
/// ```
///
/// - The source is given by the name of its variable, and the branches draw from it.
/// - A branch whose guard does not hold is *shut*: no engine picks it, and the others keep their numbers. Where all are
///   shut, the case is rejected.
/// - A branch is plain code: `?`, `return`, `break`, `continue` and `.await` work in it.
/// - The value of the branch is the value of the whole, so all branches have one type; put braces and a semicolon
///   around a call whose result is not wanted.
///
/// `one_of!(src, "aAbB/.")` picks a character of a text, `one_of!(src, &sizes)` an element of a slice or an array: see
/// [`Alternatives`](crate::Alternatives).
///
/// For a sequence of calls see [`steps!`](crate::steps). The function [`one_of`](crate::one_of()) picks one of several generators.
#[macro_export]
macro_rules! one_of {
    ($src:ident, { $($arms:tt)+ }) => {
        $crate::__arms!([$crate::__one_of] $src () [] (0) $($arms)+)
    };
    ($src:ident, {}) => {
        ::core::compile_error!("no branch; write `one_of!(src, { push => v.push(1), clear => v.clear() })`")
    };
    ($src:ident, $alternatives:expr $(,)?) => {
        $src.draw($crate::Alternatives::select($alternatives))
    };
    ($($other:tt)*) => {
        ::core::compile_error!(
            "not what `one_of!` takes; write `one_of!(src, { push => v.push(1), clear => v.clear() })`, or a text or a \
             slice to pick from"
        )
    };
}

/// Runs a sequence of steps, each one of several named arms.
///
/// ```
/// # use probity_core::{Random, Source, run_case};
/// use probity_core::steps;
/// fn stack(src: &mut Source) {
///     let (mut stack, mut model) = (Vec::new(), Vec::<u8>::new());
///     steps!(src, ..=20, {
///         3 * push => { // three times as likely as the others
///             let item = src.any();
///             stack.push(item);
///             model.insert(0, item);
///         }
///         pop if !model.is_empty() => assert_eq!(stack.pop(), Some(model.remove(0))),
///         clear => { stack.clear(); model.clear() }
///         always => assert_eq!(stack.len(), model.len()),
///     });
/// }
/// # let mut source = Source::new(Box::new(Random::new(7)));
/// # assert!(run_case(&mut source, &mut stack).unwrap().verdict.failure().is_none());
/// ```
///
/// - How many steps there are is given as for [`vec()`](crate::vec()): `..=20`, `1..=20`, `..`, or a number.
/// - An arm whose guard does not hold is *shut*: no engine picks it, and the others keep their numbers. Where all are
///   shut, the loop ends. Guards are evaluated before each step, all of them.
/// - An arm is plain code: `?`, `return` and `.await` work in it, `break` ends the loop, and `continue` the step. What
///   it evaluates to is not used.
/// - `always`, after the last arm, runs after each step that was not left by `break`, `?` or `return`.
/// - The first arm is the simplest. Shrinking leaves out steps, with all that they drew.
#[macro_export]
macro_rules! steps {
    ($src:ident, $lengths:expr, { $($arms:tt)+ }) => {
        $crate::__arms!([$crate::__steps] $src ($lengths) [] (0) $($arms)+)
    };
    ($($other:tt)*) => {
        ::core::compile_error!(
            "not what `steps!` takes; write `steps!(src, ..=20, { push => v.push(1), clear => v.clear() })`"
        )
    };
}

/// Reads arms one by one: `[what to expand to] source (lengths) [arms] (index of the next) rest`.
#[doc(hidden)]
#[macro_export]
macro_rules! __arms {
    // What runs after each step; only a sequence of steps has it.
    ([$($to:tt)*] $src:ident ($lengths:expr) $done:tt $at:tt always => $body:expr $(,)?) => {
        $($to)*!($src ($lengths) $done { $body; })
    };
    ([$($to:tt)*] $src:ident $lengths:tt $done:tt $at:tt $weight:literal * $name:ident if $guard:expr => $($rest:tt)+) => {
        $crate::__arms!(@body [$($to)*] $src $lengths $done $at ($weight) $name ($guard) $($rest)+)
    };
    ([$($to:tt)*] $src:ident $lengths:tt $done:tt $at:tt $weight:literal * $name:ident => $($rest:tt)+) => {
        $crate::__arms!(@body [$($to)*] $src $lengths $done $at ($weight) $name (true) $($rest)+)
    };
    ([$($to:tt)*] $src:ident $lengths:tt $done:tt $at:tt $name:ident if $guard:expr => $($rest:tt)+) => {
        $crate::__arms!(@body [$($to)*] $src $lengths $done $at (1) $name ($guard) $($rest)+)
    };
    ([$($to:tt)*] $src:ident $lengths:tt $done:tt $at:tt $name:ident => $($rest:tt)+) => {
        $crate::__arms!(@body [$($to)*] $src $lengths $done $at (1) $name (true) $($rest)+)
    };
    ([$($to:tt)*] $src:ident $lengths:tt $done:tt $at:tt) => {
        $($to)*!($src $lengths $done {})
    };
    (@body $to:tt $src:ident $lengths:tt [$($done:tt)*] ($($at:tt)*) $weight:tt $name:ident $guard:tt $body:block, $($rest:tt)*) => {
        $crate::__arms!($to $src $lengths [$($done)* (($($at)*) $weight $name $guard $body)] ($($at)* + 1) $($rest)*)
    };
    (@body $to:tt $src:ident $lengths:tt [$($done:tt)*] ($($at:tt)*) $weight:tt $name:ident $guard:tt $body:block $($rest:tt)*) => {
        $crate::__arms!($to $src $lengths [$($done)* (($($at)*) $weight $name $guard $body)] ($($at)* + 1) $($rest)*)
    };
    (@body $to:tt $src:ident $lengths:tt [$($done:tt)*] ($($at:tt)*) $weight:tt $name:ident $guard:tt $body:expr $(, $($rest:tt)*)?) => {
        $crate::__arms!($to $src $lengths [$($done)* (($($at)*) $weight $name $guard $body)] ($($at)* + 1) $($($rest)*)?)
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __one_of {
    ($src:ident () [$(($at:tt ($weight:literal) $name:ident ($guard:expr) $body:expr))+] {}) => {{
        static ARMS: $crate::ArmSet = $crate::ArmSet::new(&[$(stringify!($name)),+], &[$($weight),+]);
        let shut = 0 $(| $crate::shut_unless($guard, $at))+;
        let arm = $src.enter_arm(&ARMS, shut);
        #[allow(unreachable_code, unused_variables, clippy::diverging_sub_expression)]
        let value = match arm.index() {
            $(it if it == $at => $body,)+
            _ => unreachable!("no such branch"),
        };
        #[allow(unreachable_code)]
        drop(arm);
        #[allow(unreachable_code)]
        value
    }};
}

#[doc(hidden)]
#[macro_export]
macro_rules! __steps {
    ($src:ident ($lengths:expr) [$(($at:tt ($weight:literal) $name:ident ($guard:expr) $body:expr))+] { $($always:tt)* }) => {{
        static ARMS: $crate::ArmSet = $crate::ArmSet::new(&[$(stringify!($name)),+], &[$($weight),+]);
        let mut steps = $src.steps($lengths);
        #[allow(unreachable_code, unused_variables, clippy::diverging_sub_expression, clippy::no_effect)]
        loop {
            // At the head, so that `continue` in an arm leads here too.
            if steps.end_step() {
                $($always)*
            }
            if !steps.has_next() {
                break;
            }
            let shut = 0 $(| $crate::shut_unless($guard, $at))+;
            match $src.next_step(&mut steps, &ARMS, shut) {
                $(Some(it) if it == $at => { $body; })+
                _ => break,
            }
        }
    }};
}

/// The bit of an arm that is shut, unless it is open.
#[doc(hidden)]
#[inline(always)]
pub const fn shut_unless(is_open: bool, at: usize) -> u64 {
    (!is_open as u64) << at
}

#[cfg(test)]
mod tests;
