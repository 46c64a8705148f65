//! Functions and methods as they were written.

use crate::parse::{Attr, Cursor, Error, Result, commas, find, is_punct, is_word, split};
use crate::pm::{Delimiter, Group, Ident, TokenTree};
use crate::template::{Tokens, fill, list};

/// A function or a method, without the attributes that are ours.
pub(crate) struct ContractFunction {
    pub(crate) attrs: Vec<Attr>,
    pub(crate) requires: Vec<Attr>,
    pub(crate) ensures: Vec<Attr>,
    /// `#[should_panic]`, `#[ignore]`: those of the test.
    pub(crate) of_test: Vec<Attr>,
    pub(crate) vis: Tokens,
    /// `async`, `unsafe`, `extern "C"`.
    pub(crate) qualifiers: Tokens,
    pub(crate) name: Ident,
    pub(crate) generics: Generics,
    pub(crate) receiver: Option<Receiver>,
    /// `self` as it was written; empty in a function.
    self_param: Tokens,
    pub(crate) params: Vec<ContractParam>,
    /// `-> T`, or nothing.
    pub(crate) returns: Tokens,
    /// `where ..`, or nothing.
    pub(crate) bounds: Tokens,
    pub(crate) block: Group,
    /// All of it but attributes and body.
    pub(crate) item: Tokens,
}

/// How a method takes its value.
pub(crate) enum Receiver {
    Value,
    Ref,
    RefMut,
}

/// One parameter but `self`.
pub(crate) struct ContractParam {
    attrs: Vec<Attr>,
    /// The generator of `#[from(..)]`.
    pub(crate) from: Option<Attr>,
    pattern: Tokens,
    /// What it is called in a contract; none where its pattern is no name.
    pub(crate) name: Option<Ident>,
    /// The pattern as an expression of the same value, where it is both: contracts then use its names.
    taken_apart: Option<Tokens>,
    pub(crate) ty: Tokens,
}

/// `<'a, T: Ord, const N: usize>`
pub(crate) struct Generics {
    pub(crate) tokens: Tokens,
    /// The names of parameters that are types or constants.
    pub(crate) names: Vec<Ident>,
    /// The names of lifetimes.
    lifetimes: Vec<Tokens>,
}

impl Generics {
    pub(crate) fn new(inner: &[TokenTree]) -> Generics {
        let (mut names, mut lifetimes) = (Vec::new(), Vec::new());
        for param in commas(inner) {
            let mut cursor = Cursor { rest: param };
            cursor.attributes();
            if is_word(cursor.rest.first(), "const") {
                cursor.take(1);
            }
            if is_punct(cursor.rest.first(), '\'') {
                lifetimes.push(cursor.take(2).to_vec());
                continue;
            }
            names.extend(cursor.ident());
        }
        let tokens = if inner.is_empty() { Tokens::new() } else { fill("<$it>", &[("it", inner)]) };
        Generics { tokens, names, lifetimes }
    }

    /// `<'a, T, N>`, or nothing.
    pub(crate) fn args(&self) -> Tokens {
        let names = self.names.iter().map(|it| vec![it.clone().into()]);
        let all: Vec<Tokens> = self.lifetimes.iter().cloned().chain(names).collect();
        if all.is_empty() { Tokens::new() } else { fill("<$it>", &[("it", &list(&all))]) }
    }

    /// `::<T, N>`, or nothing.
    pub(crate) fn turbofish(&self) -> Tokens {
        in_angles(&self.names.iter().map(|it| vec![it.clone().into()]).collect::<Vec<_>>())
    }
}

impl ContractFunction {
    /// The function that begins after `attrs`; none where something else does.
    pub(crate) fn new(attrs: Vec<Attr>, cursor: &mut Cursor) -> Result<Option<ContractFunction>> {
        let all = cursor.rest;
        let vis = cursor.visibility().to_vec();
        let mut qualifiers = Tokens::new();
        loop {
            match cursor.rest {
                [TokenTree::Ident(word), ..] => match &*word.to_string() {
                    "fn" => break,
                    "const" if !is_const_fn(cursor.rest.get(1)) => return Ok(None),
                    "const" => qualifiers.extend_from_slice(cursor.take(1)),
                    "async" | "unsafe" | "extern" | "safe" => qualifiers.extend_from_slice(cursor.take(1)),
                    _ => return Ok(None),
                },
                [TokenTree::Literal(_), ..] if !qualifiers.is_empty() => {
                    qualifiers.extend_from_slice(cursor.take(1));
                }
                _ => return Ok(None),
            }
        }
        cursor.take(1);
        let name = cursor.ident().ok_or_else(Error::shown)?;
        let generics = Generics::new(cursor.angles().unwrap_or(&[]));
        let inputs = cursor.group(Delimiter::Parenthesis).ok_or_else(Error::shown)?;
        let is_brace =
            |it: &TokenTree| matches!(it, TokenTree::Group(it) if it.delimiter() == Delimiter::Brace);
        let at = cursor.rest.iter().position(is_brace).ok_or_else(|| {
            Error::new(name.span(), "a contract needs a body to be checked around; write one")
        })?;
        let signature = cursor.take(at).to_vec();
        let [TokenTree::Group(block)] = cursor.take(1) else { return Err(Error::shown()) };
        let bounds_at = signature.iter().position(|it| is_word(Some(it), "where")).unwrap_or(signature.len());
        let (returns, bounds) = signature.split_at(bounds_at);
        let (mut receiver, mut self_param, mut params) = (None, Tokens::new(), Vec::new());
        for param in commas(&inputs) {
            if let Some(kind) = Receiver::new(param) {
                (receiver, self_param) = (Some(kind), param.to_vec());
            } else {
                params.push(ContractParam::new(param)?);
            }
        }
        let (requires, attrs) = split(attrs, "requires");
        let (ensures, attrs) = split(attrs, "ensures");
        let (of_test, attrs) =
            attrs.into_iter().partition(|it| ["should_panic", "ignore"].iter().any(|name| it.is(name)));
        Ok(Some(ContractFunction {
            attrs,
            requires,
            ensures,
            of_test,
            vis,
            qualifiers,
            name,
            generics,
            receiver,
            self_param,
            params,
            returns: returns.to_vec(),
            bounds: bounds.to_vec(),
            block: block.clone(),
            item: all[..all.len() - cursor.rest.len() - 1].to_vec(),
        }))
    }

    pub(crate) fn is(&self, qualifier: &str) -> bool {
        self.qualifiers.iter().any(|it| is_word(Some(it), qualifier))
    }

    /// The parameters as they were written, without what is ours.
    pub(crate) fn inner_params(&self) -> Vec<Tokens> {
        let receiver = (!self.self_param.is_empty()).then(|| self.self_param.clone());
        receiver.into_iter().chain(self.params.iter().map(|it| it.to_tokens(&it.pattern))).collect()
    }

    /// The parameters as a trait declares them: by names.
    pub(crate) fn declared_params(&self) -> Vec<Tokens> {
        let receiver = (!self.self_param.is_empty()).then(|| {
            let is_plain = self.self_param.len() == 2 && is_word(self.self_param.first(), "mut");
            if is_plain { fill("self", &[]) } else { self.self_param.clone() }
        });
        let name = |(i, it): (usize, &ContractParam)| {
            let name = it
                .name
                .clone()
                .map_or_else(|| crate::function::ours(&format!("param{i}")), |it| vec![it.into()]);
            fill("$name: $ty", &[("name", &name), ("ty", &it.ty)])
        };
        receiver.into_iter().chain(self.params.iter().enumerate().map(name)).collect()
    }

    /// The parameters by names alone.
    pub(crate) fn outer_params(&self) -> Vec<Tokens> {
        let receiver = (!self.self_param.is_empty()).then(|| {
            // What is only changed in the body is `mut` there.
            let is_plain = self.self_param.len() == 2 && is_word(self.self_param.first(), "mut");
            if is_plain { fill("self", &[]) } else { self.self_param.clone() }
        });
        let params = self.params.iter().enumerate().map(|(i, it)| it.to_tokens(&it.variable(i)));
        receiver.into_iter().chain(params).collect()
    }

    /// The parameters but `self`, as arguments.
    pub(crate) fn args(&self) -> Vec<Tokens> {
        self.params.iter().enumerate().map(|(i, it)| it.variable(i)).collect()
    }
}

/// Whether what follows `const` makes it that of a function.
fn is_const_fn(next: Option<&TokenTree>) -> bool {
    ["fn", "unsafe", "async", "extern"].iter().any(|it| is_word(next, it))
}

impl Receiver {
    fn new(param: &[TokenTree]) -> Option<Receiver> {
        let mut cursor = Cursor { rest: param };
        cursor.attributes();
        let is_ref = is_punct(cursor.rest.first(), '&');
        if is_ref {
            cursor.take(1);
            if is_punct(cursor.rest.first(), '\'') {
                cursor.take(2);
            }
        }
        let is_mut = is_word(cursor.rest.first(), "mut");
        cursor.take(usize::from(is_mut));
        if !is_word(cursor.rest.first(), "self") {
            return None;
        }
        // `self: &mut Self`
        let ty = cursor.rest.get(2..).unwrap_or(&[]);
        Some(match (is_ref || is_punct(ty.first(), '&'), is_mut && is_ref || is_word(ty.get(1), "mut")) {
            (true, true) => Receiver::RefMut,
            (true, false) => Receiver::Ref,
            _ => Receiver::Value,
        })
    }
}

impl ContractParam {
    fn new(tokens: &[TokenTree]) -> Result<ContractParam> {
        let mut cursor = Cursor { rest: tokens };
        let (mut from, attrs) = split(cursor.attributes(), "from");
        let pattern = cursor.take(find(cursor.rest, ':', true)).to_vec();
        cursor.take(1);
        if let Some(it) = from.get(1) {
            return Err(Error::over(&it.tokens, "a parameter has one `#[from(..)]`; remove this"));
        }
        let name = match pattern.as_slice() {
            [TokenTree::Ident(it)] if it.to_string() != "_" => Some(it.clone()),
            [word, TokenTree::Ident(it)] if is_word(Some(word), "mut") => Some(it.clone()),
            _ => None,
        };
        let has_parts = pattern.iter().any(|it| matches!(it, TokenTree::Group(_)));
        let taken_apart = if has_parts { as_expression(&pattern) } else { None };
        let ty = cursor.rest.to_vec();
        Ok(ContractParam { attrs, from: from.pop(), pattern, name, taken_apart, ty })
    }

    /// What has it outside of the body: a variable, or an expression of the names in its pattern.
    pub(crate) fn variable(&self, i: usize) -> Tokens {
        match (&self.name, &self.taken_apart) {
            (Some(it), _) => vec![it.clone().into()],
            (None, Some(it)) => it.clone(),
            (None, None) => crate::function::ours(&format!("param{i}")),
        }
    }

    /// Its pattern without `mut`, where contracts use the names in it.
    pub(crate) fn apart(&self) -> Option<&Tokens> {
        self.taken_apart.as_ref()
    }

    fn to_tokens(&self, pattern: &[TokenTree]) -> Tokens {
        let attrs: Tokens = self.attrs.iter().flat_map(|it| it.tokens.clone()).collect();
        fill("$attrs $pattern: $ty", &[("attrs", &attrs), ("pattern", pattern), ("ty", &self.ty)])
    }

    /// Whether it is a `&mut T`.
    pub(crate) fn is_mut(&self) -> bool {
        self.reference().is_some_and(|it| it.0)
    }

    /// Whether a reference is `mut`, and what it refers to; none where it is no reference.
    pub(crate) fn reference(&self) -> Option<(bool, Tokens)> {
        let mut cursor = Cursor { rest: &self.ty };
        if !is_punct(cursor.take(1).first(), '&') {
            return None;
        }
        if is_punct(cursor.rest.first(), '\'') {
            cursor.take(2);
        }
        let is_mut = is_word(cursor.rest.first(), "mut");
        cursor.take(usize::from(is_mut));
        Some((is_mut, cursor.rest.to_vec()))
    }
}

/// A pattern of names, tuples and structs as the expression that makes what it takes apart; none where it leaves
/// something out. Nothing in it is `mut`, which is of the body.
fn as_expression(pattern: &[TokenTree]) -> Option<Tokens> {
    let mut res = Tokens::new();
    let mut before: Option<&TokenTree> = None;
    for tree in pattern {
        match tree {
            TokenTree::Ident(it) if ["_", "ref", "box"].contains(&&*it.to_string()) => return None,
            TokenTree::Ident(it) if it.to_string() == "mut" => {}
            TokenTree::Punct(it) if !matches!(it.as_char(), ':' | ',' | '&') => return None,
            TokenTree::Group(it) if it.delimiter() == Delimiter::Bracket => return None,
            TokenTree::Group(it) => {
                let inner = as_expression(&it.stream().into_iter().collect::<Tokens>())?;
                let mut group = Group::new(it.delimiter(), inner.into_iter().collect());
                group.set_span(it.span());
                res.push(group.into());
            }
            // `&mut` in a pattern borrows nothing.
            _ if is_punct(before, '&') && is_word(Some(tree), "mut") => return None,
            _ => res.push(tree.clone()),
        }
        before = Some(tree);
    }
    Some(res)
}

/// Type arguments in brackets, or nothing.
pub(crate) fn in_angles(all: &[Tokens]) -> Tokens {
    if all.is_empty() { Tokens::new() } else { fill("::<$it>", &[("it", &list(all))]) }
}
