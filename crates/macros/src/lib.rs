//! The macros of Probity. Use them through the crate `probity`, whose functions they call.
//!
//! There is no logic here: each macro writes down calls that could be written by hand.
#![forbid(unsafe_code)]

mod attribute;
mod derive;
mod function;
mod parse;

use proc_macro::TokenStream;

/// Turns a function with blanks into a test.
#[proc_macro_attribute]
pub fn test(settings: TokenStream, item: TokenStream) -> TokenStream {
    finish(attribute::expand(settings.into(), item.into()))
}

/// Gives a type a generator.
#[proc_macro_derive(Generate, attributes(from, skip, weight, probity))]
pub fn derive_generate(item: TokenStream) -> TokenStream {
    finish(derive::expand(item.into()))
}

fn finish(expansion: syn::Result<proc_macro2::TokenStream>) -> TokenStream {
    expansion.unwrap_or_else(|err| err.to_compile_error()).into()
}
