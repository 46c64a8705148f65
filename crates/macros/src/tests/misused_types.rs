//! Types that cannot be derived, and what is said about them.

use super::{check_errors, expand_derive};

#[test]
fn misused_types_are_errors() {
    check_errors(
        expand_derive,
        &[
            ("enum X {}", "no variant can be drawn"),
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
