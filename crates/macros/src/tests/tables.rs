//! Tables of calls: what they expand to, and what is said about wrong ones.

use super::{Expanded, check_errors, check_parts, finish, tokens};

fn expand_table(row: &str) -> Expanded {
    finish(crate::api::expand_table(tokens(row)))
}

fn expand_impl(row: &str) -> Expanded {
    let (settings, item) = row.split_once("=>>").unwrap_or(("", row));
    finish(crate::api::expand_impl(&tokens(settings), tokens(item)))
}

#[test]
fn a_table_is_a_test_of_its_calls() {
    check_parts(
        expand_table,
        &[
            (
                "s: Stack { fn new() -> Self; }",
                &["#[::probity::test(isolate = true)]", "fn s(", "<Stack>::new()"],
            ),
            (
                "s(cases = 9, isolate = false): S { fn f(&self); }",
                &["test(cases = 9, isolate = false)", "no true)"],
            ),
            ("#[ignore] s(crate = x): S { fn f(); }", &["#[x::test(crate = x, isolate = true)] #[ignore]"]),
            (
                "s: S { fn f(&mut self, other: &mut Self, n: u8); }",
                &[
                    "calls.has::<S>(2usize)",
                    "calls.can_have::<u8>(1usize",
                    "&mut *arg0.value(), &mut *arg1.value(), arg2",
                ],
            ),
            ("s: S { fn f(self) -> Option<Self>; }", &["if let ::core::prelude::v1::Some(made) = made"]),
            (
                "s: S { fn f(&self) -> Result<Self, (u8, u8)>; }",
                &["if let ::core::prelude::v1::Ok(made) = made"],
            ),
            ("s: S { fn f(&self) -> Handle; fn g(&self, h: Handle); }", &["calls.keep(made, \"handle\""]),
            ("s: S { fn f(&self) -> Handle; }", &["no calls.keep(made", "ResultProbe"]),
            (
                "s: S { fn f(&self, at: usize), panics if at > self.at.len(); }",
                &["let at = &*arg1.value(); (*at) > (*this).at.len()"],
            ),
            (
                "s: S { fn f<'a>(&'a self, text: &'a str) -> &'a str; }",
                &["<str as ::probity::Referent>::Owner"],
            ),
        ],
    );
}

#[test]
fn an_impl_stays_and_has_a_test_beside_it() {
    check_parts(
        expand_impl,
        &[
            (
                "impl Heap { pub fn new() -> Self { Heap } fn hidden(&self) {} pub fn of<T>(it: T) {} }",
                &[
                    "impl Heap { pub fn new()",
                    "#[cfg(test)]",
                    "fn heap_api(",
                    "no <Heap>::hidden",
                    "no <Heap>::of(",
                ],
            ),
            (
                "impl<T: Ord> BinaryTree<T> { pub fn put(&mut self, it: T) {} }",
                &["fn binary_tree_api(", "<BinaryTree<u8>>::put", "argument::<u8>"],
            ),
            (
                "T = String, cases = 5 =>> impl<T> Set<T> where T: Ord { pub const fn has(&self, it: &T) -> bool { true } }",
                &["test(cases = 5, isolate = true)", "<Set<String>>::has", "::core::line!()"],
            ),
            (
                "impl X { pub unsafe fn a() {} pub async fn b() {} pub fn c(f: impl Fn()) {} pub fn d() {} const N: u8 = 1; }",
                &["<X>::d", "no <X>::a", "no <X>::b", "no <X>::c"],
            ),
        ],
    );
}

#[test]
fn wrong_tables_are_errors() {
    check_errors(
        expand_table,
        &[
            ("", "write the name of the test"),
            ("s", "write the name of the test"),
            ("s: S", "write the name of the test"),
            ("s { fn f(); }", "write the name of the test"),
            ("s: { fn f(); }", "write the name of the test"),
            ("s: S {}", "`s` has no calls"),
            ("s: S { f(); }", "remove `f`"),
            ("s: S { unsafe fn f(); }", "remove `unsafe`"),
            ("s: S { fn f; }", "write its signature"),
            ("s: S { fn f<T>(it: T); }", "a call has no generics"),
            ("s: S { fn f(it: impl Fn()); }", "nothing says what to pass for `impl`"),
            ("s: S { fn f(it: &dyn Debug); }", "nothing says what to pass for `dyn`"),
            ("s: S { fn f(it); }", "write its signature"),
            ("s: S { fn f(), panics; }", "write `panics if` and one"),
            ("s: S { fn f(), panics if; }", "write `panics if` and one"),
            ("s(cases): S { fn f(); }", "`cases` has no value"),
        ],
    );
    check_errors(
        expand_impl,
        &[
            ("fn f() {}", "goes on the `impl` of a type"),
            ("impl Clone for X { fn clone(&self) -> X { X } }", "the calls of a trait"),
            ("impl X { fn f() {} }", "there is no public call"),
        ],
    );
}
