//! What is left of an item that could not be expanded: enough that its users do not stumble over its absence, so that the
//! mistake is one error.

use crate::derive::krate;
use crate::parse::{Cursor, Error, commas, find, is_punct, is_word, unwrap_none};
use crate::pm::{Delimiter, Group, TokenTree};
use crate::template::{Tokens, fill, list};

/// Attributes that only our macros know.
const HELPERS: [&str; 9] =
    ["ensures", "example", "from", "invariant", "requires", "setup", "skip", "weight", "when"];
/// `impl`s that are never run: the error ends the build. They are there for anyone who draws the type.
const GENERATE: &str = "
    #[automatically_derived]
    impl $params $krate::Generate for $name $args $bounds {
        fn generate(_: &mut $krate::Source) -> Self { ::core::unreachable!() }
    }";
#[cfg(any(test, feature = "spec"))]
const DECLARED: &str = "
    #[automatically_derived]
    impl $params $krate::spec::Declared for $name $args $bounds {
        fn spec() -> $krate::spec::Spec { ::core::unreachable!() }
        fn from_value(_: &$krate::spec::Value) -> ::core::option::Option<Self> { ::core::unreachable!() }
    }";

/// The error, and the item without our attributes.
pub(crate) fn of_attribute(error: Error, item: &[TokenTree]) -> Tokens {
    // What the compiler could not parse it would complain of again.
    if error.is_shown() {
        return error.into_compile_error();
    }
    [error.into_compile_error(), bare(item)].concat()
}

/// The error of `#[derive(Generate)]`, and an implementation in name.
pub(crate) fn of_generate(error: Error, item: &[TokenTree]) -> Tokens {
    [error.into_compile_error(), implement(GENERATE, item)].concat()
}

/// The error of `#[derive(Spec)]`, and two such implementations.
#[cfg(any(test, feature = "spec"))]
pub(crate) fn of_spec(error: Error, item: &[TokenTree]) -> Tokens {
    [error.into_compile_error(), implement(GENERATE, item), implement(DECLARED, item)].concat()
}

/// `tokens` without our attributes, at any depth.
fn bare(tokens: &[TokenTree]) -> Tokens {
    let mut res = Tokens::new();
    let mut rest = tokens;
    while let [first, after @ ..] = rest {
        let is_ours = match after.first() {
            Some(TokenTree::Group(it)) if is_punct(Some(first), '#') => {
                let inner: Tokens = it.stream().into_iter().collect();
                let is_path = is_punct(inner.get(1), ':');
                !is_path && HELPERS.iter().any(|it| is_word(inner.first(), it))
            }
            _ => false,
        };
        rest = if is_ours { &after[1..] } else { after };
        match first {
            _ if is_ours => {}
            TokenTree::Group(it) => {
                let inner = bare(&it.stream().into_iter().collect::<Tokens>());
                let mut group = Group::new(it.delimiter(), inner.into_iter().collect());
                group.set_span(it.span());
                res.push(group.into());
            }
            _ => res.push(first.clone()),
        }
    }
    res
}

/// The implementation `text` for the type `item`; nothing if that has no name.
fn implement(text: &str, item: &[TokenTree]) -> Tokens {
    let item = unwrap_none(item.to_vec());
    let mut cursor = Cursor { rest: &item };
    let krate = krate(&cursor.attributes()).unwrap_or_else(|_| fill("::probity", &[]));
    cursor.visibility();
    let (Some(_), Some(name)) = (cursor.ident(), cursor.ident()) else { return Tokens::new() };
    let (mut params, mut args) = (Vec::new(), Vec::new());
    for tokens in commas(cursor.angles().unwrap_or(&[])) {
        let mut param = Cursor { rest: tokens };
        param.attributes();
        let is_lifetime = is_punct(param.rest.first(), '\'');
        let declaration = param.rest[..find(param.rest, '=', true)].to_vec();
        param.take(usize::from(is_word(param.rest.first(), "const")));
        args.push(param.take(1 + usize::from(is_lifetime)).to_vec());
        params.push(declaration);
    }
    let is_end = |it: &TokenTree| {
        is_punct(Some(it), ';') || matches!(it, TokenTree::Group(it) if it.delimiter() == Delimiter::Brace)
    };
    let mut bounds: Vec<Tokens> = Vec::new();
    if let Some(at) = cursor.rest.iter().position(|it| is_word(Some(it), "where")) {
        let rest = &cursor.rest[at + 1..];
        let rest = &rest[..rest.iter().position(is_end).unwrap_or(rest.len())];
        bounds.extend(commas(rest).into_iter().map(<[TokenTree]>::to_vec));
    }
    if !params.is_empty() {
        bounds.push(fill("Self: ::core::fmt::Debug", &[]));
    }
    let bounds = if bounds.is_empty() { Tokens::new() } else { fill("where $it", &[("it", &list(&bounds))]) };
    let in_angles =
        |it: &[Tokens]| if it.is_empty() { Tokens::new() } else { fill("<$it>", &[("it", &list(it))]) };
    fill(
        text,
        &[
            ("krate", &krate),
            ("params", &in_angles(&params)),
            ("name", &[name.into()]),
            ("args", &in_angles(&args)),
            ("bounds", &bounds),
        ],
    )
}
