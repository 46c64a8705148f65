//! A procedural macro that uses a crate of the workspace.

use proc_macro::TokenStream;

/// The sum of the bytes of what it is given.
#[proc_macro]
pub fn sum_of(tokens: TokenStream) -> TokenStream {
    let sum = helper::sum(tokens.to_string().as_bytes());
    format!("{sum}_u16").parse().unwrap()
}
