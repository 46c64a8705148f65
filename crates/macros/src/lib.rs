//! The macros of Probity. Use them through the crate `probity`, whose functions they call.
//!
//! There is no logic here: each macro writes down calls that could be written by hand.
//!
//! Nor is there a dependency, on `syn` or any other: anyone who writes a test waits for this crate. With
//! `syn` and `quote` a clean `cargo test --no-run` of one test took 6.6 s on two cores, without them it
//! takes 4.8 s (medians of five), since `probity-core` is then all that the build waits for.
#![forbid(unsafe_code)]
// An `Ident` of the compiler has no `==` with a name; that of unit tests has.
#![cfg_attr(test, allow(clippy::cmp_owned))]

mod api;
mod attribute;
mod blanks;
mod contract;
mod derive;
mod function;
mod item;
mod mistake;
mod model;
mod parse;
#[cfg(any(test, feature = "spec"))]
mod spec;
mod template;
#[cfg(test)]
mod tests;

// The compiler's tokens work in a compiler alone; unit tests run outside of one, on the same interface.
#[cfg(not(test))]
use proc_macro as pm;
#[cfg(test)]
use proc_macro2 as pm;

#[cfg(not(test))]
use pm::TokenStream;

/// Makes a test of a function whose parameters are blanks.
///
/// ```
/// # use probity_macros as probity;
/// #[probity::test]
/// fn reversing_twice_changes_nothing(v: Vec<i32>) {
///     let twice: Vec<i32> = v.iter().rev().rev().copied().collect();
///     assert_eq!(twice, v);
/// }
/// ```
///
/// The result is a plain `#[test]` of the same name; attributes such as `#[should_panic]` and
/// `#[ignore]` stay on it. It calls `probity::Check`:
///
/// ```text
/// #[test]
/// fn reversing_twice_changes_nothing() {
///     fn test(v: Vec<i32>) { .. }
///     fn blanks(asked: Blanks<(&mut Spaces, &mut Vec<Part>)>, then: impl FnOnce(Vec<i32>)) {
///         match asked {
///             Blanks::Draw(source) => {
///                 let v: Vec<i32> = source.draw_as("v", any());
///                 then(v)
///             }
///             Blanks::Describe((spaces, parts)) => parts.push(<Vec<i32>>::space(spaces)),
///         }
///     }
///     probity::Check::new("my_crate::reversing_twice_changes_nothing")
///         .manifest_dir(env!("CARGO_MANIFEST_DIR"))
///         .inputs(|source| blanks(Blanks::Draw(source), |_| ()))
///         .space(|spaces| { .. blanks(Blanks::Describe((spaces, &mut parts)), |_| ()); .. })
///         .run(|source| blanks(Blanks::Draw(source), |v| test(v)));
/// }
/// ```
///
/// # Parameters
///
/// A parameter is drawn by its type, or by the generator in `#[from(..)]`, which may use the
/// parameters before it. A text there is a pattern that the parameter, a `String`, matches as a whole; it needs
/// the feature `spec`. References are drawn as what they refer to: a `String` for `&str`, a `Vec<T>`
/// for `&[T]`, a `PathBuf` for `&Path`, a `T` for `&T` and `&mut T`. A `&dyn Trait` needs a generator, of anything that
/// can be lent as one; a `&'static T` needs one of such references. A parameter of the type `&mut Source` is the source itself,
/// to draw from inside of the test; the others are drawn before.
///
/// ```
/// # use probity_macros as probity;
/// # use probity_core::Source;
/// #[probity::test]
/// fn joining_undoes_splitting(s: &str, #[from(0..=s.len())] at: usize) {
///     if let Some((a, b)) = s.split_at_checked(at) {
///         assert_eq!([a, b].concat(), s);
///     }
/// }
///
/// #[probity::test]
/// fn dice_add_up(src: &mut Source, #[from(1..=9)] rolls: i32) {
///     let sum: i32 = (0..rolls).map(|_| src.draw(1..=6)).sum();
///     assert!(rolls <= sum && sum <= 6 * rolls);
/// }
/// ```
///
/// # Settings
///
/// `cases`, `time`, `seed`, `swarm`, `engine`, `schedule`, `size`, `shard`, `start`, `max_shrink`, `max_rejects`, `hang`, `concolic`, `prove`, `isolate`, `store`,
/// `explain` and `verbose` are
/// the methods of `probity::Check` of those names. `engine = "concolic"` repeats the side effects of a test with every
/// run of that engine; a default run does not. Four more are known to the macro alone:
///
/// - `setup = expression` is evaluated once; the parameter marked `#[setup]`, a `&T` or `&mut T`,
///   borrows it in every case;
/// - `block_on = function` runs the future of an `async fn`;
/// - `runtime = expression` is evaluated once, and its method `block_on` runs the future of an `async fn`;
/// - `crate = path` says where the crate `probity` is, if not at `::probity`.
///
/// ```
/// # use probity_macros as probity;
/// # struct Table; impl Table { fn load() -> Self { Table } fn get(&self, key: u16) -> u16 { key } }
/// #[probity::test(cases = 10_000, setup = Table::load())]
/// fn lookups_repeat(#[setup] table: &Table, key: u16) {
///     assert_eq!(table.get(key), table.get(key));
/// }
/// ```
///
/// # Futures
///
/// `runtime = tokio` represents the runtime that `#[tokio::test]` would make, but one for all cases. It takes the place of
/// that attribute, which knows no parameters: above or below `#[probity::test]` it is an error. Other libraries have a
/// function for `block_on`.
///
/// ```
/// # use probity_macros as probity;
/// # mod executor { pub fn block_on<F: Future>(_: F) -> F::Output { unimplemented!() } }
/// #[probity::test(block_on = executor::block_on)]
/// async fn echoes_what_it_hears(word: String) {
///     assert_eq!(std::future::ready(word.clone()).await, word);
/// }
/// ```
///
/// # What a test returns
///
/// Nothing, a `bool` that says whether it holds, or a `Result`, whose error is a failure:
///
/// ```
/// # use probity_macros as probity;
/// #[probity::test]
/// fn adding_commutes(a: u32, b: u32) -> bool {
///     a.wrapping_add(b) == b.wrapping_add(a)
/// }
/// ```
///
/// # Fixed inputs
///
/// `#[example(..)]` gives every blank the value that a call would; those run before any case is drawn.
/// It stands below `#[probity::test]`.
///
/// ```
/// # use probity_macros as probity;
/// #[probity::test]
/// #[example(a = u32::MAX, b = &[1, 2])]
/// #[example(a = 0, b = &[])]
/// fn sums_wrap(a: u32, b: &[u32]) {
///     b.iter().fold(a, |sum, it| sum.wrapping_add(*it));
/// }
/// ```
#[cfg(not(test))]
#[proc_macro_attribute]
pub fn test(settings: TokenStream, item: TokenStream) -> TokenStream {
    finish(attribute::expand(&settings.into_iter().collect::<Vec<_>>(), item.into_iter().collect()))
}

/// Tests the public calls of a type, on its `impl`: sequences of calls, whose arguments are drawn or were made by earlier
/// calls, and the laws of the traits it has.
///
/// ```text
/// #[cfg_attr(test, probity::api)]
/// impl Stack {
///     pub fn new() -> Self { .. }
///     pub fn push(&mut self, it: u8) { .. }
///     pub fn pop(&mut self) -> Option<u8> { .. }
/// }
/// ```
///
/// This is a test with the name `stack_api`. Public methods are called that have no generics of their own, are neither
/// `unsafe` nor `async`, and whose parameters have types, no traits. Type parameters of the `impl` are `u8`, or what
/// `#[probity::api(T = String)]` says; other pairs are settings of the test, as for `#[probity::test]`.
///
/// What is a failure, and how to test types of other crates: see [`api_table!`].
#[cfg(not(test))]
#[proc_macro_attribute]
pub fn api(settings: TokenStream, item: TokenStream) -> TokenStream {
    finish_item(api::expand_impl, settings, item)
}

/// Tests the calls of a type of another crate: sequences of the calls in the list.
///
/// ```text
/// use probity::prelude::*;
///
/// api! { deque: VecDeque<u8> {
///     fn new() -> Self;
///     fn push_back(&mut self, it: u8);
///     fn append(&mut self, other: &mut Self);
///     fn split_off(&mut self, at: usize) -> Self, panics if at > self.len();
/// } }
/// ```
///
/// By its path it is `probity::api_table!`, since `probity::api` is the attribute.
///
/// This is a test with the name `deque`; settings stand behind it: `deque(cases = 5000): ..`.
///
/// - A parameter is drawn where its type has a generator, a `usize` small; else it is a value that an earlier call
///   made. Values of the type itself are never drawn. Two of one type in a call are two values.
/// - A call that panics as `panics if` says ends the sequence; where it does not panic then, or panics otherwise,
///   the test fails. With `#[probity::api]`, a panic in the lines of the called method is taken for a
///   precondition, and reported once.
/// - After each call, the laws of `Eq`, `PartialOrd`, `Ord`, `Hash`, `Clone`, `Default` and `FromStr` with
///   `Display` are checked, where the type has these traits; iterators have as many items as they say.
/// - The report has the sequence as a test, to paste.
///
/// Sequences run in a process of their own (`isolate`), so that an abort is a failure, too.
#[cfg(not(test))]
#[proc_macro]
pub fn api_table(item: TokenStream) -> TokenStream {
    finish(api::expand_table(item.into_iter().collect()))
}

/// Tests a system beside its model: the methods of the model are the commands.
///
/// ```
/// # use probity_macros as probity;
/// # use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
/// #[derive(Default)]
/// struct Counter(AtomicU64);
///
/// impl Counter {
///     fn add(&self, n: u64) -> u64 { self.0.fetch_add(n, SeqCst) }
///     fn sub(&self, n: u64) { self.0.fetch_sub(n, SeqCst); }
/// }
///
/// #[derive(Clone, Default)]
/// struct Model(u64);
///
/// #[probity::model(Counter)]
/// impl Model {
///     fn add(&mut self, #[from(1..=3)] n: u64) -> u64 { let old = self.0; self.0 += n; old }
///     #[when(self.0 >= n)]
///     fn sub(&mut self, #[from(1..=3)] n: u64) { self.0 -= n }
/// }
/// ```
///
/// This makes the test `model::in_sequence`, in a module that is called as the model is. In each case, a new model and a
/// new system (by `Default`, or what `new = ..` says) get the same calls, drawn as the steps of `steps!` are, and return
/// the same.
///
/// - **Commands** are all methods of this `impl`, and the system has methods of the same names. Methods that are no commands
///   belong to another `impl`. Arguments are drawn as the parameters of `#[probity::test]` are, and cloned; `#[from(..)]` may
///   use `self`, the model.
/// - **`#[when(..)]`** is a condition on the model, as `self`. One that names no parameter shuts the command where it does not
///   hold; one that does leaves out calls whose arguments do not meet it.
/// - **`#[weight(3)]`** makes a command three times as likely.
/// - **`#[invariant]`** methods run after each step: `fn holds(&self)`, or `fn holds(&self, system: &Counter)`. They return
///   what a test may return.
/// - An **`async fn`** is for a method of the system that is one, too. `runtime` or `block_on` runs them, as in
///   `#[probity::test]`.
///
/// # Threads
///
/// `threads = 2` adds the test `model::in_parallel`: some calls one after the other, then some on each of two threads. There
/// is an order of these that has their results. The model is `Clone`, the system `Send` and `Sync`, its methods take
/// `&self`, and guarded calls are made only where they are open in every order of the calls beside them.
///
/// With the feature `shuttle`, and a system made of the types of that crate, the interleaving is drawn: it is shrunk, stored
/// and replayed as every input is. Without it, real threads run each program twenty times. `real_threads = 2` asks for
/// that even with the feature.
///
/// # Settings
///
/// Those of `#[probity::test]` that are methods of `probity::Check`, `crate`, `block_on` and `runtime`, and
///
/// - `new = expression`: makes a system;
/// - `steps = ..=30`: how many calls a sequence has;
/// - `threads = 2`, `real_threads = 2`: how many threads there are;
/// - `calls = ..=5`: how many calls each of them makes.
#[cfg(not(test))]
#[proc_macro_attribute]
pub fn model(settings: TokenStream, item: TokenStream) -> TokenStream {
    finish_item(model::expand, settings, item)
}

/// Checks what a function promises, and tests it.
///
/// ```text
/// #[probity::contract]
/// #[requires(k <= xs.len())]
/// #[ensures(|out| out.len() == k && out.is_sorted_by(|a, b| a >= b))]
/// fn best(k: usize, xs: &[u8]) -> Vec<u8> {
///     let mut xs = xs.to_vec();
///     xs.sort_by(|a, b| b.cmp(a));
///     xs.truncate(k);
///     xs
/// }
/// ```
///
/// - `#[requires(..)]` is a condition over the parameters. Where it does not hold, the caller is to blame.
/// - `#[ensures(|out| ..)]` is a closure over a reference to what is returned; it may be `move`. Where it does not hold,
///   the function is to blame. In it, `old(..)` is what an expression was worth before the call.
///
/// Both may be written several times, below `#[probity::contract]`. They are expressions of Rust and change nothing: what is
/// `&mut` is lent to them as `&`. Where `debug_assertions` are off, the function is compiled as it was written.
///
/// Under `cfg(test)` there is a test `NAME_keeps_its_contract` too, which calls the function with inputs that it allows.
/// Conditions that specs have words for narrow what is drawn (with the feature `spec`), the others are assumed. Parameters
/// may have a `#[from(..)]`, as in a test.
///
/// `#[probity::contract(..)]` takes the settings of `#[probity::test(..)]`, and `T = u8` for each type parameter. For
/// methods, put it on their `impl`; the tests are then called `TYPE_NAME_keeps_its_contract`.
#[cfg(not(test))]
#[proc_macro_attribute]
pub fn contract(settings: TokenStream, item: TokenStream) -> TokenStream {
    finish_item(contract::expand, settings, item)
}

/// Gives a struct or an enum its generator: `impl Generate`.
///
/// ```
/// # extern crate probity_core as probity;
/// use probity::{any, sample};
/// use probity_macros::Generate;
///
/// #[derive(Debug, Generate)]
/// struct Window {
///     title: String,
///     #[from(1..=80)]
///     width: i32,
///     #[from(0..width)]
///     cursor: i32,
///     #[skip]
///     dirty: bool,
/// }
///
/// let window = sample(&any::<Window>(), 7);
/// assert!(window.cursor < window.width && !window.dirty);
/// ```
///
/// A field is drawn by its type, by the generator in `#[from(..)]`, which may use the named fields
/// before it, or not at all: a field with `#[skip]` is its type's default. Type parameters that fields
/// are drawn by must be `Generate` themselves.
///
/// A variant is drawn as often as the others, or as its `#[weight(..)]` says: with zero, never by
/// chance. One with `#[skip]` is never drawn. The first variant is the simplest, so failing cases
/// shrink towards it. Variants that contain their own type come after all others, and are not drawn
/// when the size budget is spent: that is how values come to an end.
///
/// ```
/// # extern crate probity_core as probity;
/// use probity::{any, sample};
/// use probity_macros::Generate;
///
/// #[derive(Debug, Generate)]
/// enum Expr {
///     #[weight(2)]
///     Add(Box<Expr>, Box<Expr>),
///     Number(u8),
///     #[skip]
///     Poison,
/// }
///
/// fn leaves(expr: &Expr) -> usize {
///     match expr {
///         Expr::Add(a, b) => leaves(a) + leaves(b),
///         Expr::Number(_) => 1,
///         Expr::Poison => unreachable!("it is skipped"),
///     }
/// }
/// assert!(leaves(&sample(&any(), 7)) < 1_000);
/// ```
///
/// # Invariants
///
/// `#[invariant(..)]` on the type says what holds for all of its values: as an expression of `self`, or as
/// anything that can be called with a `&Self`. Others are refused, so let it be something that most values
/// keep, or let the exhaustive engine skip what is refused.
///
/// ```
/// # extern crate probity_core as probity;
/// use probity::{any, sample};
/// use probity_macros::Generate;
///
/// #[derive(Debug, Generate)]
/// #[invariant(self.from <= self.to)]
/// #[invariant(Self::is_short)]
/// struct Stay { from: u8, to: u8 }
///
/// impl Stay {
///     fn is_short(&self) -> bool { self.to - self.from < 90 }
/// }
///
/// assert!(sample(&any::<Stay>(), 7).is_short());
/// ```
///
/// Of several invariants all must hold. They are checked in order, so that one may rely on those before it;
/// where parts of the type are `Lazy`, put those first that read the least. In a type that contains itself
/// every part is drawn such that it keeps the invariant by itself, from the inside out; to look at the whole
/// from its root instead, which refuses much sooner, put the invariant on a type around it.
///
/// It expands to a call of `Source::such_that`.
///
/// # Another crate
///
/// `#[probity(crate = path)]` on the type says where the crate `probity` is, if not at `::probity`.
#[cfg(not(test))]
#[proc_macro_derive(Generate, attributes(from, skip, weight, invariant, probity))]
pub fn derive_generate(item: TokenStream) -> TokenStream {
    finish_derive(derive::expand, mistake::of_generate, item)
}

/// Gives a struct or an enum its spec: `impl Declared`, and with it `impl Generate`, so that every engine draws
/// values that meet their requirements.
///
/// ```text
/// #[derive(Debug, Spec)]
/// #[spec(require = start < end)]
/// struct Stay {
///     #[spec(matches = "[A-Z][a-z]{2,8}")]
///     guest: String,
///     #[spec(range = 0..=365)]
///     start: u16,
///     #[spec(range = 0..=365)]
///     end: u16,
///     #[spec(len = 1..=3, require = it.iter().all(|room| room > 0))]
///     rooms: Vec<u8>,
/// }
/// ```
///
/// # Fields
///
/// A field's type is declared as well: integers, `bool`, `char`, `String`, `Option`, `Vec`, `Box`, tuples, the dates
/// and times of `probity::spec`, and types that derive `Spec`. `#[spec(..)]` on a field takes
///
/// - `range = 0..=150`: the numbers it holds, also inside of an `Option` or a `Vec`;
/// - `len = 1..=10`: how many characters or items; one number is that length alone;
/// - `matches = "[a-z]+"`: a pattern of the crate `regex` that the whole text matches;
/// - `require = it % 2 == 0`: an expression that holds, in which the field is `it` and others have their names;
/// - `skip`: it is not declared, and is its type's default.
///
/// What does not fit the field's type, as a range of a `String`, is an error at its place.
///
/// # Requirements
///
/// `#[spec(require = ..)]` on a struct or a variant relates its fields, as often as wanted. Expressions are a part of
/// Rust's: comparisons, `+ - * / %`, `&& || !`, `if`, fields and fields of fields, literals, constants, variants,
/// `matches!`, `{ any constant expression }`, and methods such as `len`, `is_empty`, `contains`, `starts_with`,
/// `ends_with`, `is_some`, `unwrap`, `abs`, `min`, `max`, `rem_euclid`, `is_sorted`, `iter().all(|it| ..)`,
/// `iter().any(|it| ..)` and `iter().sum()`; of characters, sets such as `chars().all(|c| c.is_ascii_digit() || c == '-')`.
/// Numbers do not overflow, and `len` counts characters.
///
/// # Enums
///
/// The first variant is the simplest; one with `#[spec(skip)]` is never drawn. `#[spec(require = ..)]` on a variant is
/// about its own fields.
///
/// `#[probity(crate = path)]` on the type says where the crate `probity` is, if not at `::probity`.
#[cfg(all(not(test), feature = "spec"))]
#[proc_macro_derive(Spec, attributes(spec, probity))]
pub fn derive_spec(item: TokenStream) -> TokenStream {
    finish_derive(spec::derive::expand, mistake::of_spec, item)
}

/// Lets requirements use functions of a value: measures, such as how many nodes a tree has.
///
/// ```text
/// #[probity::measures]
/// impl Tree {
///     fn size(&self) -> u32 {
///         match self {
///             Tree::Leaf => 0,
///             Tree::Node { left, right, .. } => 1 + left.size() + right.size(),
///         }
///     }
/// }
/// ```
///
/// A measure is an ordinary method that takes `&self` and gives a whole number, a truth or a plain enum, by one `match` over
/// the value: of its fields, and of measures of its parts. `#[spec(require = left.size() <= right.size())]` may then stand
/// on a variant of the type. Values are counted by their measures and drawn without a miss; each that is drawn is measured
/// by the function itself as well.
#[cfg(all(not(test), feature = "spec"))]
#[proc_macro_attribute]
pub fn measures(settings: TokenStream, item: TokenStream) -> TokenStream {
    finish_item(spec::measures::expand, settings, item)
}

/// A generator of values that are declared on the spot: fields with types, ranges and patterns, and requirements
/// between them. It makes a tuple of the fields, or the value alone where there is one.
///
/// ```text
/// #[probity::test]
/// fn slices_are_short(
///     #[from(spec! {
///         text: String matches "[a-z]{1,20}",
///         from: usize in 0..=20,
///         to: usize in 0..=20,
///         require from <= to && to <= text.len(),
///     })]
///     (text, from, to): (String, usize, usize),
/// ) {
///     assert!(text[from..to].len() <= text.len());
/// }
/// ```
///
/// After a field's type may stand `in range`, `len range` and `matches "pattern"`. What they take, and what can be
/// required, is said at `#[derive(Spec)]`.
#[cfg(all(not(test), feature = "spec"))]
#[proc_macro]
pub fn spec(tokens: TokenStream) -> TokenStream {
    finish(spec::declare::expand(&tokens.into_iter().collect::<Vec<_>>()))
}

#[cfg(not(test))]
fn finish(expansion: parse::Result<template::Tokens>) -> TokenStream {
    expansion.unwrap_or_else(parse::Error::into_compile_error).into_iter().collect()
}

/// The expansion of an attribute, or the mistake beside the item that it is on.
#[cfg(not(test))]
fn finish_item(
    expand: fn(&[pm::TokenTree], template::Tokens) -> parse::Result<template::Tokens>,
    settings: TokenStream,
    item: TokenStream,
) -> TokenStream {
    let item: template::Tokens = item.into_iter().collect();
    let expansion = expand(&settings.into_iter().collect::<Vec<_>>(), item.clone());
    expansion.unwrap_or_else(|it| mistake::of_attribute(it, &item)).into_iter().collect()
}

/// The expansion of a derive, or the mistake.
#[cfg(not(test))]
fn finish_derive(
    expand: fn(template::Tokens) -> parse::Result<template::Tokens>,
    mistake: fn(parse::Error, &[pm::TokenTree]) -> template::Tokens,
    item: TokenStream,
) -> TokenStream {
    let item: template::Tokens = item.into_iter().collect();
    expand(item.clone()).unwrap_or_else(|it| mistake(it, &item)).into_iter().collect()
}
