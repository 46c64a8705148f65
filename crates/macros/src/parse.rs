//! What both macros read: `key = expression` pairs and helper attributes.

use proc_macro2::{Ident, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Error, Meta, Result, Token};

/// One `key = expression`.
#[derive(Clone)]
pub(crate) struct Pair {
    pub(crate) key: Ident,
    pub(crate) value: TokenStream,
}

impl Pair {
    /// `key = expression` pairs between commas, each key at most once.
    pub(crate) fn list(tokens: TokenStream) -> Result<Vec<Pair>> {
        let pairs: Vec<Pair> = pairs.parse2(tokens)?;
        for (i, pair) in pairs.iter().enumerate() {
            if pairs[..i].iter().any(|it| it.key == pair.key) {
                return Err(Error::new(
                    pair.key.span(),
                    format!("`{}` is given twice; remove one", pair.key),
                ));
            }
        }
        Ok(pairs)
    }
}

fn pairs(input: ParseStream) -> Result<Vec<Pair>> {
    let mut res = Vec::new();
    while !input.is_empty() {
        let key = input.call(Ident::parse_any)?;
        let mut value = TokenStream::new();
        if input.parse::<Option<Token![=]>>()?.is_some() {
            while !at_end_of_value(input) {
                value.extend([input.parse::<TokenTree>()?]);
            }
        }
        if value.is_empty() {
            return Err(Error::new(key.span(), format!("`{key}` has no value; write `{key} = ..`")));
        }
        res.push(Pair { key, value });
        input.parse::<Option<Token![,]>>()?;
    }
    Ok(res)
}

/// Expressions stay tokens, so a comma may stand inside one, as in `|a, b| ..` and `pair::<A, B>()`.
/// It ends the expression only where the next key, a lone word or nothing follows.
fn at_end_of_value(input: ParseStream) -> bool {
    let ahead = input.fork();
    match ahead.parse::<Option<Token![,]>>() {
        Ok(Some(_)) if ahead.call(Ident::parse_any).is_ok() => {
            ahead.is_empty() || (ahead.peek(Token![=]) && !ahead.peek(Token![==]) && !ahead.peek(Token![=>]))
        }
        _ => ahead.is_empty(),
    }
}

/// The attributes called `name` and the others.
pub(crate) fn split(attrs: Vec<Attribute>, name: &str) -> (Vec<Attribute>, Vec<Attribute>) {
    attrs.into_iter().partition(|it| it.path().is_ident(name))
}

/// What stands between the parentheses of `attr`, which must be there.
pub(crate) fn arguments<'a>(attr: &'a Attribute, hint: &str) -> Result<&'a TokenStream> {
    match &attr.meta {
        Meta::List(list) if !list.tokens.is_empty() => Ok(&list.tokens),
        _ => Err(Error::new_spanned(attr, hint)),
    }
}

/// Whether `tokens` mention `name` at any depth.
pub(crate) fn mentions(tokens: TokenStream, name: &str) -> bool {
    tokens.into_iter().any(|it| match it {
        TokenTree::Ident(it) => it == name,
        TokenTree::Group(it) => mentions(it.stream(), name),
        _ => false,
    })
}
