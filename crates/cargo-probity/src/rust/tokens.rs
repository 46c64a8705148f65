//! Tokens of Rust, before anything is parsed: where an item ends, how deep brackets nest, how many tokens there are.

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};

/// Brackets may nest this deep, as what parses them is recursive. Code by hand has some ten levels.
pub(super) const DEPTH_MAX: usize = 256;
/// A signature or a type may have this many tokens, for the same reason; the rest of a larger enum is not read.
pub(super) const TOKENS_MAX: usize = 4096;

/// What is wrong, on which line and in which column.
pub(crate) struct SyntaxError {
    pub(crate) line: usize,
    pub(crate) column: usize,
    pub(crate) what: String,
}

impl SyntaxError {
    pub(super) fn new(at: Span, what: impl Into<String>) -> SyntaxError {
        SyntaxError { line: at.start().line, column: at.start().column + 1, what: what.into() }
    }
}

impl From<syn::Error> for SyntaxError {
    fn from(err: syn::Error) -> SyntaxError {
        SyntaxError::new(err.span(), err.to_string())
    }
}

/// The place of a bracket that is nested too deeply.
pub(super) fn too_deep(tokens: &[TokenTree]) -> Option<Span> {
    let mut open = vec![tokens.iter().cloned().collect::<TokenStream>().into_iter()];
    while let Some(last) = open.last_mut() {
        match last.next() {
            Some(TokenTree::Group(it)) if open.len() > DEPTH_MAX => return Some(it.span()),
            Some(TokenTree::Group(it)) => open.push(it.stream().into_iter()),
            Some(_) => {}
            None => _ = open.pop(),
        }
    }
    None
}

/// Names of modules and types that reach out of the process.
const OUTSIDE: [&str; 14] = [
    "fs",
    "File",
    "OpenOptions",
    "process",
    "Command",
    "net",
    "TcpStream",
    "TcpListener",
    "UdpSocket",
    "UnixStream",
    "set_var",
    "remove_var",
    "stdin",
    "sleep",
];

/// The first name in a body that reaches out of the process.
pub(super) fn touches(body: TokenStream) -> Option<String> {
    let mut open = vec![body.into_iter()];
    while let Some(last) = open.last_mut() {
        match last.next() {
            Some(TokenTree::Group(it)) => open.push(it.stream().into_iter()),
            Some(TokenTree::Ident(it)) if OUTSIDE.iter().any(|name| it == name) => {
                return Some(it.to_string());
            }
            Some(_) => {}
            None => _ = open.pop(),
        }
    }
    None
}

/// Parses tokens, few enough for a parser that is recursive.
pub(super) fn parse<T: syn::parse::Parse>(tokens: &[TokenTree]) -> Result<T, SyntaxError> {
    if count(tokens) > TOKENS_MAX {
        return Err(SyntaxError::new(
            tokens[0].span(),
            format!("one item has more than {TOKENS_MAX} tokens"),
        ));
    }
    Ok(syn::parse2(tokens.iter().cloned().collect())?)
}

/// How many tokens there are, those in brackets included; no more than needed are counted.
pub(super) fn count(tokens: &[TokenTree]) -> usize {
    let (mut n, mut open) = (0, vec![tokens.iter().cloned().collect::<TokenStream>().into_iter()]);
    while let Some(last) = open.last_mut() {
        match last.next() {
            _ if n > TOKENS_MAX => break,
            Some(it) => {
                n += 1;
                if let TokenTree::Group(it) = it {
                    open.push(it.stream().into_iter());
                }
            }
            None => _ = open.pop(),
        }
    }
    n
}

/// Whether what begins at `at` is public, and where its visibility ends.
pub(super) fn visibility(tokens: &[TokenTree], at: usize) -> (bool, usize) {
    if !tokens.get(at).is_some_and(|it| is_ident(it, "pub")) {
        return (false, at);
    }
    match tokens.get(at + 1) {
        Some(TokenTree::Group(it)) if it.delimiter() == Delimiter::Parenthesis => (false, at + 2),
        _ => (true, at + 1),
    }
}

/// The word that says what an item is, and its index; `!` for a macro.
pub(super) fn kind_of(tokens: &[TokenTree]) -> (String, usize) {
    const WORDS: [&str; 9] = ["fn", "struct", "enum", "trait", "impl", "mod", "use", "type", "static"];
    const BEFORE: [&str; 6] = ["const", "unsafe", "async", "extern", "default", "auto"];
    for (i, it) in tokens.iter().enumerate() {
        let word = it.to_string();
        let is_literal = matches!(it, TokenTree::Literal(_));
        if WORDS.contains(&&*word) {
            return (word, i);
        }
        if word == "union" && matches!(tokens.get(i + 1), Some(TokenTree::Ident(_))) {
            return (word, i);
        }
        let before = i > 0 && is_ident(&tokens[i - 1], "const");
        if is_punct(Some(it), '!') || matches!(it, TokenTree::Ident(_)) && is_punct(tokens.get(i + 1), '!') {
            return ("!".to_string(), i);
        }
        if before && !BEFORE.contains(&&*word) {
            return ("const".to_string(), i - 1);
        }
        if !BEFORE.contains(&&*word) && !is_literal {
            return (word, i);
        }
    }
    (String::new(), tokens.len())
}

/// Where the item that begins at `start` ends.
pub(super) fn end_of_item(tokens: &[TokenTree], start: usize) -> usize {
    let rest = &tokens[start.min(tokens.len())..];
    let (kind, at) = kind_of(rest);
    let is_statement = matches!(&*kind, "use" | "type" | "static" | "const" | "crate");
    let mut angles = 0;
    for (i, it) in rest.iter().enumerate().skip(at) {
        match it {
            TokenTree::Punct(it) if it.as_char() == ';' => return start + i + 1,
            TokenTree::Punct(it) if it.as_char() == '<' => angles += 1,
            TokenTree::Punct(it) if it.as_char() == '>' => {
                let is_arrow = i > 0 && (is_punct(rest.get(i - 1), '-') || is_punct(rest.get(i - 1), '='));
                angles -= i32::from(!is_arrow);
            }
            TokenTree::Group(it) if it.delimiter() == Delimiter::Brace && !is_statement && angles <= 0 => {
                return start + i + 1;
            }
            _ => {}
        }
    }
    tokens.len()
}

pub(super) fn ident_after(tokens: &[TokenTree], word: &str) -> Option<String> {
    let at = tokens.iter().position(|it| is_ident(it, word))?;
    tokens.get(at + 1).map(ToString::to_string)
}

pub(super) fn is_ident(token: &TokenTree, word: &str) -> bool {
    matches!(token, TokenTree::Ident(it) if it == word)
}

pub(super) fn is_punct(token: Option<&TokenTree>, char: char) -> bool {
    matches!(token, Some(TokenTree::Punct(it)) if it.as_char() == char)
}
