//! Types that cannot be derived, and what is said about them.

use super::{check_errors, expand_derive, finish, tokens};
use crate::parse::Error;

#[test]
fn misused_types_are_errors() {
    check_errors(
        expand_derive,
        &[
            ("enum X {}", "an enum without variants has no value to draw"),
            ("enum X { #[skip] A }", "no variant can be drawn"),
            ("enum X { #[weight(0)] A, #[weight(0)] B }", "every variant has weight zero"),
            ("enum X { #[weight(many)] A, B }", "as in `#[weight(3)]`"),
            ("enum X { #[weight] A, B }", "as in `#[weight(3)]`"),
            ("enum X { #[weight(1.5)] A, B }", "as in `#[weight(3)]`"),
            ("enum X { #[weight(5_000_000_000)] A, B }", "as in `#[weight(3)]`"),
            ("enum X { #[weight(1, 2)] A, B }", "as in `#[weight(3)]`"),
            ("union X { a: u8 }", "write `impl Generate` yourself"),
            ("struct X<'a>(&'a str);", "hold `String` for `&str`"),
            ("struct X(#[from()] u8);", "as in `#[from(0..10)]`"),
            ("struct X(#[from(a)] #[skip] u8);", "remove one of the two"),
            ("struct X(#[from(a)] #[from(b)] u8);", "given twice"),
            ("struct X(#[weight(1)] u8);", "a field has no `#[weight]`; move it to a variant"),
            ("#[skip] struct X;", "a type has no `#[skip]`"),
            ("enum X { #[from(a)] A(u8) }", "a variant has no `#[from]`; move it to a field"),
            ("#[invariant] struct X(u8);", "as in `#[invariant(self.low <= self.high)]`"),
            ("#[invariant()] struct X(u8);", "as in `#[invariant(self.low <= self.high)]`"),
            ("struct X(#[invariant(self > 0)] u8);", "a field has no `#[invariant]`; move it to the type"),
            ("enum X { #[invariant(true)] A }", "a variant has no `#[invariant]`; move it to the type"),
            ("#[probity(krate = a)] struct X;", "`#[probity(crate = path)]`"),
        ],
    );
}

#[test]
fn what_is_wrong_has_an_implementation_in_name() {
    for (row, part) in [
        ("pub enum X {}", "impl ::probity::Generate for X {"),
        (
            "struct X<'a, T: Ord = u8, const N: usize = 3>(&'a T) where T: Clone;",
            "impl <'a, T: Ord, const N: usize> ::probity::Generate for X<'a, T, N> where T: Clone, Self: ::core::fmt::Debug {",
        ),
        ("#[probity(crate = a)] #[skip] struct X { a: u8 }", "impl a::Generate for X {"),
        ("struct X { a: }", "impl ::probity::Generate for X {"),
    ] {
        let err = crate::derive::expand(tokens(row)).err().unwrap_or_else(|| panic!("{row} is no error"));
        let found = finish(Ok(crate::mistake::of_generate(err, &tokens(row)))).unwrap();
        assert!(found.contains(&part.replace(' ', "")), "{row}\n{found}");
    }
}

#[test]
fn a_wrong_spec_has_both_implementations_in_name() {
    let row = "#[spec(range = 0..3)] struct X<T>(T);";
    let err = crate::spec::derive::expand(tokens(row)).err().unwrap();
    let found = finish(Ok(crate::mistake::of_spec(err, &tokens(row)))).unwrap();
    for part in ["impl<T>::probity::GenerateforX<T>where", "impl<T>::probity::spec::DeclaredforX<T>where"] {
        assert!(found.contains(part), "{found}");
    }
}

#[test]
fn what_is_wrong_stays_without_our_attributes() {
    let row = "#[requires(n > 0)] #[doc = \"it\"] fn f(#[from(0..9)] n: u8) { #[allow(x)] { n } }";
    let found =
        finish(Ok(crate::mistake::of_attribute(Error::over(&tokens("a"), "no; go"), &tokens(row)))).unwrap();
    let kept: String = "#[doc=\"it\"]fn f(n:u8){#[allow(x)]{n}}".split_whitespace().collect();
    assert!(found.ends_with(&kept), "{found}");
}
