//! What both macros read: attributes, `key = expression` pairs, and lists of types.
//!
//! The compiler has parsed every item before a macro sees it, so items are read without looking for
//! mistakes that it would have found; see [`Error::shown`]. Types, patterns and expressions stay tokens.

use crate::pm::{Delimiter, Group, Ident, Literal, Spacing, Span, TokenStream, TokenTree};
use crate::template::{Tokens, fill_at};

/// What the user should change, and where.
pub(crate) struct Error {
    start: Span,
    end: Span,
    pub(crate) message: String,
}

pub(crate) type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub(crate) fn new(span: Span, message: impl Into<String>) -> Error {
        Error { start: span, end: span, message: message.into() }
    }

    /// An error at all of `tokens`.
    pub(crate) fn over(tokens: &[TokenTree], message: impl Into<String>) -> Error {
        let (start, end) = over(tokens);
        Error { start, end, message: message.into() }
    }

    /// One that the compiler has shown already: it parses every item before a macro sees it, but what it could not
    /// parse it hands over all the same, and would stumble again over every copy.
    pub(crate) fn shown() -> Error {
        Error::new(Span::call_site(), "")
    }

    pub(crate) fn is_shown(&self) -> bool {
        self.message.is_empty()
    }

    pub(crate) fn into_compile_error(self) -> Tokens {
        if self.is_shown() {
            return Tokens::new();
        }
        let mut message = Literal::string(&self.message);
        message.set_span(self.end);
        let mut group = Group::new(Delimiter::Brace, TokenStream::from(TokenTree::from(message)));
        group.set_span(self.end);
        fill_at(self.start, "::core::compile_error! $message", &[("message", &[group.into()])])
    }
}

/// An attribute as it was written, and the parts of `#[path(args)]`.
pub(crate) struct Attr {
    pub(crate) tokens: Tokens,
    pub(crate) path: Tokens,
    pub(crate) args: Option<Group>,
}

impl Attr {
    pub(crate) fn is(&self, name: &str) -> bool {
        self.path.len() == 1 && is_word(self.path.first(), name)
    }

    /// What stands between the parentheses, which must be there.
    pub(crate) fn arguments(&self, hint: &str) -> Result<Tokens> {
        match &self.args {
            Some(args) if !args.stream().is_empty() => Ok(args.stream().into_iter().collect()),
            _ => Err(Error::over(&self.tokens, hint)),
        }
    }
}

/// The attributes called `name` and the others.
pub(crate) fn split(attrs: Vec<Attr>, name: &str) -> (Vec<Attr>, Vec<Attr>) {
    attrs.into_iter().partition(|it| it.is(name))
}

/// Tokens that are read from the front.
pub(crate) struct Cursor<'a> {
    pub(crate) rest: &'a [TokenTree],
}

impl<'a> Cursor<'a> {
    /// The first `n` tokens, or all if there are fewer.
    pub(crate) fn take(&mut self, n: usize) -> &'a [TokenTree] {
        let (res, rest) = self.rest.split_at(n.min(self.rest.len()));
        self.rest = rest;
        res
    }

    pub(crate) fn ident(&mut self) -> Option<Ident> {
        let Some(TokenTree::Ident(it)) = self.rest.first() else { return None };
        self.take(1);
        Some(it.clone())
    }

    /// The next token, if it is a group between `delimiter`s.
    pub(crate) fn group(&mut self, delimiter: Delimiter) -> Option<Tokens> {
        match self.rest.first() {
            Some(TokenTree::Group(it)) if it.delimiter() == delimiter => {
                self.take(1);
                Some(it.stream().into_iter().collect())
            }
            _ => None,
        }
    }

    /// What stands between `<` and its `>`, if such brackets are next.
    pub(crate) fn angles(&mut self) -> Option<&'a [TokenTree]> {
        if !is_punct(self.rest.first(), '<') {
            return None;
        }
        self.take(1);
        let inner = self.take(find(self.rest, '>', true));
        self.take(1);
        Some(inner)
    }

    pub(crate) fn attributes(&mut self) -> Vec<Attr> {
        let mut res = Vec::new();
        while is_punct(self.rest.first(), '#') {
            let tokens = self.take(2).to_vec();
            let inner = Cursor { rest: &tokens[1..] }.group(Delimiter::Bracket).unwrap_or_default();
            let inner = unwrap_none(inner);
            let ends = |it: &TokenTree| matches!(it, TokenTree::Group(_)) || is_punct(Some(it), '=');
            let (path, value) = inner.split_at(inner.iter().position(ends).unwrap_or(inner.len()));
            let args = match value.first() {
                Some(TokenTree::Group(it)) => Some(it.clone()),
                _ => None,
            };
            res.push(Attr { path: path.to_vec(), args, tokens });
        }
        res
    }

    pub(crate) fn visibility(&mut self) -> &'a [TokenTree] {
        let n = match self.rest {
            // `pub (A, B)` is a public field that is a pair.
            [word, TokenTree::Group(to), ..] if is_word(Some(word), "pub") && is_place(to) => 2,
            [word, ..] if is_word(Some(word), "pub") => 1,
            // What a `macro_rules!` macro took as `$vis:vis`.
            [TokenTree::Group(it), ..] if it.delimiter() == Delimiter::None => {
                let first = it.stream().into_iter().next();
                usize::from(first.is_none() || is_word(first.as_ref(), "pub"))
            }
            _ => 0,
        };
        self.take(n)
    }
}

/// Whether `group` says to whom a `pub` before it is public.
fn is_place(group: &Group) -> bool {
    let words: Vec<String> = group.stream().into_iter().map(|it| it.to_string()).collect();
    let known = match words.first().map(String::as_str) {
        Some("crate" | "self" | "super") => words.len() == 1,
        first => first == Some("in"),
    };
    known && group.delimiter() == Delimiter::Parenthesis
}

/// One `key = expression`.
pub(crate) struct Pair {
    pub(crate) key: Ident,
    pub(crate) value: Tokens,
}

impl Pair {
    /// `key = expression` pairs between commas, each key at most once.
    pub(crate) fn list(tokens: &[TokenTree]) -> Result<Vec<Pair>> {
        let res = Pair::all(tokens)?;
        for (at, Pair { key, .. }) in res.iter().enumerate() {
            if res[..at].iter().any(|it| it.key.to_string() == key.to_string()) {
                return Err(Error::new(key.span(), format!("`{key}` is given twice; remove one")));
            }
        }
        Ok(res)
    }

    /// `key = expression` pairs between commas.
    pub(crate) fn all(tokens: &[TokenTree]) -> Result<Vec<Pair>> {
        let mut res: Vec<Pair> = Vec::new();
        let mut cursor = Cursor { rest: tokens };
        while let Some(first) = cursor.rest.first() {
            let Some(key) = cursor.ident() else {
                return Err(Error::new(first.span(), format!("`{first}` is no name; write `name = ..`")));
            };
            let mut value = Tokens::new();
            if is_punct(cursor.rest.first(), '=') {
                cursor.take(1);
                while !at_end_of_value(cursor.rest) {
                    value.extend_from_slice(cursor.take(1));
                }
            }
            if value.is_empty() {
                return Err(Error::new(key.span(), format!("`{key}` has no value; write `{key} = ..`")));
            }
            res.push(Pair { key, value });
            cursor.take(1);
        }
        Ok(res)
    }
}

/// Expressions stay tokens, so a comma may stand inside one, as in `|a, b| ..` and `pair::<A, B>()`.
/// It ends the expression only where the next key, a lone word or nothing follows.
fn at_end_of_value(rest: &[TokenTree]) -> bool {
    match rest {
        [] => true,
        [comma, after @ ..] if is_punct(Some(comma), ',') => match after {
            [] | [TokenTree::Ident(_)] => true,
            [TokenTree::Ident(_), TokenTree::Punct(it), next, ..] if it.as_char() == '=' => {
                it.spacing() == Spacing::Alone || !(is_punct(Some(next), '=') || is_punct(Some(next), '>'))
            }
            [TokenTree::Ident(_), it] => is_punct(Some(it), '='),
            _ => false,
        },
        _ => false,
    }
}

/// The place of the first `stop` that is neither in brackets nor part of `::`; the end if there is none.
///
/// Angle brackets are brackets in types. In an expression they are only where nothing is compared or
/// shifted, as in `f::<A, B>()`: where no value stands before them.
pub(crate) fn find(tokens: &[TokenTree], stop: char, in_type: bool) -> usize {
    let mut depth = 0;
    let mut before: Option<&TokenTree> = None;
    for (i, tree) in tokens.iter().enumerate() {
        let char = match tree {
            TokenTree::Punct(it) => it.as_char(),
            _ => ' ',
        };
        let arrow = char == '>' && is_joint(before, '-');
        let path = char == ':'
            && (is_joint(before, ':') || is_joint(Some(tree), ':') && is_punct(tokens.get(i + 1), ':'));
        if depth == 0 && char == stop && !arrow && !path {
            return i;
        }
        let after_value = is_punct(before, '<') || !matches!(before, None | Some(TokenTree::Punct(_)));
        match char {
            '<' if in_type || depth > 0 || !after_value => depth += 1,
            '>' if depth > 0 && !arrow => depth -= 1,
            _ => {}
        }
        before = Some(tree);
    }
    tokens.len()
}

/// Whether every `<` of a type has its `>`, and there is a type at all.
pub(crate) fn is_type(tokens: &[TokenTree]) -> bool {
    let (mut depth, mut before) = (0, None);
    for it in tokens {
        depth += i32::from(is_punct(Some(it), '<'));
        depth -= i32::from(is_punct(Some(it), '>') && !is_joint(before, '-'));
        before = Some(it);
        // A default value, which parameters do not have.
        if depth == 0 && is_punct(Some(it), '=') {
            return false;
        }
    }
    depth == 0 && !tokens.is_empty()
}

/// The parts of a list of types or parameters, without those that are empty.
pub(crate) fn commas(tokens: &[TokenTree]) -> Vec<&[TokenTree]> {
    let mut res = Vec::new();
    let mut cursor = Cursor { rest: tokens };
    while !cursor.rest.is_empty() {
        let part = cursor.take(find(cursor.rest, ',', true));
        cursor.take(1);
        if !part.is_empty() {
            res.push(part);
        }
    }
    res
}

/// Whether `tokens` mention `name` at any depth.
pub(crate) fn mentions(tokens: &[TokenTree], name: &str) -> bool {
    tokens.iter().any(|it| match it {
        TokenTree::Group(it) => mentions(&it.stream().into_iter().collect::<Tokens>(), name),
        it => is_word(Some(it), name),
    })
}

/// What a `macro_rules!` macro passed on as one fragment is in a group that shows no parentheses.
pub(crate) fn unwrap_none(tokens: Tokens) -> Tokens {
    match tokens.as_slice() {
        [TokenTree::Group(it)] if it.delimiter() == Delimiter::None => {
            unwrap_none(it.stream().into_iter().collect())
        }
        _ => tokens,
    }
}

/// Where `tokens` begin.
pub(crate) fn start(tokens: &[TokenTree]) -> Span {
    tokens.first().map_or_else(Span::call_site, TokenTree::span)
}

/// Where `tokens` begin and end.
pub(crate) fn over(tokens: &[TokenTree]) -> (Span, Span) {
    (start(tokens), tokens.last().map_or_else(Span::call_site, TokenTree::span))
}

/// The name without the `r#` that lets it be a keyword.
pub(crate) fn unraw(name: &Ident) -> String {
    name.to_string().trim_start_matches("r#").to_string()
}

pub(crate) fn is_word(tree: Option<&TokenTree>, name: &str) -> bool {
    matches!(tree, Some(TokenTree::Ident(it)) if it.to_string() == name)
}

pub(crate) fn is_punct(tree: Option<&TokenTree>, char: char) -> bool {
    matches!(tree, Some(TokenTree::Punct(it)) if it.as_char() == char)
}

fn is_joint(tree: Option<&TokenTree>, char: char) -> bool {
    matches!(tree, Some(TokenTree::Punct(it)) if it.as_char() == char && it.spacing() == Spacing::Joint)
}

/// The value of an integer literal.
pub(crate) fn integer(literal: &str) -> Option<i128> {
    let text = literal.replace('_', "");
    let (radix, text) = match text.get(..2) {
        Some("0x") => (16, &text[2..]),
        Some("0o") => (8, &text[2..]),
        Some("0b") => (2, &text[2..]),
        _ => (10, &text[..]),
    };
    let end = text.find(|it: char| !it.is_digit(radix)).unwrap_or(text.len());
    let (digits, suffix) = text.split_at(end);
    let is_integer = suffix.is_empty() || suffix.starts_with(['u', 'i']);
    i128::from_str_radix(digits, radix).ok().filter(|_| is_integer)
}
