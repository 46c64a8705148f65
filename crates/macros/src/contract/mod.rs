//! `#[probity::contract]`: a function whose promises are checked where `debug_assertions` are on, and a test of them.
//!
//! ```text
//! #[cfg(not(any(debug_assertions, test)))]
//! fn best(k: usize, xs: &[u8]) -> Vec<u8> { .. }      // as it was written
//! #[cfg(any(debug_assertions, test))]
//! #[track_caller]
//! fn best(k: usize, xs: &[u8]) -> Vec<u8> {
//!     fn body(k: usize, xs: &[u8]) -> Vec<u8> { .. }
//!     let call = probity::contract::CheckedCall::new("best");
//!     call.require(k <= xs.len(), "k <= xs.len()");
//!     let out: Vec<u8> = body(k, xs);
//!     call.ensure(&out, |out| out.len() == k, "out.len() == k");
//!     out
//! }
//! #[cfg(test)]
//! #[probity::test]
//! fn best_keeps_its_contract(k: usize, xs: &[u8]) {
//!     assume!(k <= xs.len());
//!     let _ = best(k, xs);
//! }
//! ```

mod clause;
mod signature;
mod test;

use clause::Clauses;
use signature::{ContractFunction, Generics, Receiver};

use crate::attribute::string;
use crate::function::ours;
use crate::parse::{
    Attr, Cursor, Error, Pair, Result, is_punct, is_word, mentions, over, unraw, unwrap_none,
};
use crate::pm::{Delimiter, Group, Ident, Span, TokenTree};
use crate::template::{Tokens, fill, list};

const NO_FUNCTION: &str =
    "a contract is of a function, or of the methods in an `impl`; put `#[probity::contract]` on one";
const IN_IMPL: &str = "a method's contract is tested beside its `impl`; put `#[probity::contract]` on the `impl`, \
                       and leave `#[requires(..)]` and `#[ensures(..)]` here";

/// What a contract is given besides its clauses.
pub(crate) struct ContractSettings {
    /// Those of the test.
    test: Vec<Pair>,
    /// What represents type parameters in the test: `T = u8`.
    types: Vec<Pair>,
    krate: Tokens,
}

impl ContractSettings {
    fn new(tokens: &[TokenTree]) -> Result<ContractSettings> {
        let (mut test, mut types) = (Vec::new(), Vec::new());
        let mut krate = fill("::probity", &[]);
        for pair in Pair::list(tokens)? {
            let name = pair.key.to_string();
            if name == "crate" {
                krate = pair.value.clone();
            }
            if name.starts_with(char::is_uppercase) { types.push(pair) } else { test.push(pair) }
        }
        Ok(ContractSettings { test, types, krate })
    }

    /// `tokens` with the types that the test is run with in the place of parameters, and no lifetimes.
    fn concrete(&self, tokens: &[TokenTree]) -> Tokens {
        let mut res = Tokens::new();
        let mut rest = tokens.iter().peekable();
        while let Some(tree) = rest.next() {
            match tree {
                TokenTree::Punct(it) if it.as_char() == '\'' => {
                    res.push(tree.clone());
                    if let Some(name) = rest.next() {
                        let name = if is_word(Some(name), "static") { "static" } else { "_" };
                        res.push(Ident::new(name, it.span()).into());
                    }
                }
                TokenTree::Ident(it) => {
                    match self.types.iter().find(|pair| pair.key.to_string() == it.to_string()) {
                        Some(pair) => res.extend_from_slice(&pair.value),
                        None => res.push(tree.clone()),
                    }
                }
                TokenTree::Group(it) => {
                    res.push(regroup(it, self.concrete(&it.stream().into_iter().collect::<Tokens>())));
                }
                _ => res.push(tree.clone()),
            }
        }
        res
    }
}

/// The same brackets around other tokens.
fn regroup(group: &Group, inner: Tokens) -> TokenTree {
    let mut res = Group::new(group.delimiter(), inner.into_iter().collect());
    res.set_span(group.span());
    res.into()
}

/// `tokens` with another word in the place of `name`, at any depth.
fn renamed(tokens: &[TokenTree], name: &str, other: &[TokenTree]) -> Tokens {
    let mut res = Tokens::new();
    for tree in tokens {
        match tree {
            TokenTree::Group(it) => {
                res.push(regroup(it, renamed(&it.stream().into_iter().collect::<Tokens>(), name, other)));
            }
            TokenTree::Ident(it) if it.to_string() == name => {
                let mut other = other.to_vec();
                other.iter_mut().for_each(|token| token.set_span(token.span().located_at(it.span())));
                res.extend(other);
            }
            _ => res.push(tree.clone()),
        }
    }
    res
}

/// What represents `item`, a function or an `impl` under `#[probity::contract(settings)]`.
pub(crate) fn expand(settings: &[TokenTree], item: Tokens) -> Result<Tokens> {
    let settings = ContractSettings::new(settings)?;
    let item = unwrap_none(item);
    let mut cursor = Cursor { rest: &item };
    let attrs = cursor.attributes();
    let start = cursor.rest;
    if start.iter().take(2).any(|it| is_word(Some(it), "impl")) {
        return methods(&settings, &attrs, start);
    }
    let Some(method) = ContractFunction::new(attrs, &mut cursor)? else {
        return Err(Error::over(&item, NO_FUNCTION));
    };
    if method.receiver.is_some() || mentions(&method.item, "Self") {
        return Err(Error::new(method.name.span(), IN_IMPL));
    }
    let clauses = Clauses::new(&method)?;
    if clauses.is_empty() {
        return Err(Error::new(
            method.name.span(),
            "a contract that promises nothing; write `#[requires(..)]` or `#[ensures(|out| ..)]` below \
             `#[probity::contract]`",
        ));
    }
    let mut res = checked(&settings, &method, &clauses, None);
    res.extend(test::expand(&settings, &method, &clauses, None)?);
    Ok(res)
}

/// The type that methods are of.
pub(crate) struct Owner {
    generics: Generics,
    ty: Tokens,
    /// The trait that they implement, where they do.
    of_trait: Option<Tokens>,
}

/// An `impl` whose methods may have contracts.
fn methods(settings: &ContractSettings, attrs: &[Attr], tokens: &[TokenTree]) -> Result<Tokens> {
    let [head @ .., TokenTree::Group(body)] = tokens else { return Err(Error::shown()) };
    let mut cursor = Cursor { rest: head };
    while !is_word(cursor.rest.first(), "impl") {
        cursor.take(1);
    }
    cursor.take(1);
    let generics = Generics::new(cursor.angles().unwrap_or(&[]));
    let until = cursor.rest.iter().position(|it| is_word(Some(it), "where")).unwrap_or(cursor.rest.len());
    let ty = cursor.take(until).to_vec();
    let is_for = |it: &usize| is_word(ty.get(*it), "for") && !is_punct(ty.get(it + 1), '<');
    let (of_trait, ty) = match (0..ty.len()).find(is_for) {
        Some(at) => (Some(ty[..at].to_vec()), ty[at + 1..].to_vec()),
        None => (None, ty),
    };
    let bounds = cursor.rest.to_vec();
    let owner = Owner { generics, ty, of_trait };
    let inner: Tokens = body.stream().into_iter().collect();
    let mut cursor = Cursor { rest: &inner };
    let (mut items, mut tests, mut bodies) = (Tokens::new(), Tokens::new(), BodyItems::default());
    let mut has_clauses = false;
    while !cursor.rest.is_empty() {
        let before = cursor.rest;
        let attrs = cursor.attributes();
        let at = cursor.rest;
        let method = ContractFunction::new(attrs, &mut cursor)?;
        let Some(method) = method else {
            // A constant or a type: up to its end, as it was.
            cursor.rest = at;
            let ends = |it: &TokenTree| matches!(it, TokenTree::Punct(it) if it.as_char() == ';');
            let n = cursor.rest.iter().position(ends).map_or(cursor.rest.len(), |it| it + 1);
            cursor.take(n);
            items.extend_from_slice(&before[..before.len() - cursor.rest.len()]);
            continue;
        };
        let clauses = Clauses::new(&method)?;
        if clauses.is_empty() {
            items.extend_from_slice(&before[..before.len() - cursor.rest.len()]);
            continue;
        }
        has_clauses = true;
        items.extend(checked(settings, &method, &clauses, Some((&owner, &mut bodies))));
        tests.extend(test::expand(settings, &method, &clauses, Some(&owner))?);
    }
    if !has_clauses {
        let message =
            "no method here promises anything; write `#[requires(..)]` or `#[ensures(|out| ..)]` on one";
        return Err(Error::over(&owner.ty, message));
    }
    let mut res: Tokens = attrs.iter().flat_map(|it| it.tokens.clone()).collect();
    res.extend_from_slice(head);
    res.push(regroup(body, items));
    if let Some(of) = &owner.of_trait {
        res = with_bodies(&res, of, &owner, &bounds, &bodies);
    }
    res.extend(tests);
    Ok(res)
}

/// The bodies of methods of a trait: they are in a trait of their own, since the trait has no room for them.
#[derive(Default)]
struct BodyItems {
    declared: Tokens,
    defined: Tokens,
}

/// An `impl` of a trait beside one of the trait that has its bodies.
fn with_bodies(
    item: &[TokenTree],
    of: &[TokenTree],
    owner: &Owner,
    bounds: &[TokenTree],
    bodies: &BodyItems,
) -> Tokens {
    let holes: [(&str, &[TokenTree]); 8] = [
        ("item", item),
        ("bodies", &crate::function::ours("Bodies")),
        ("generics", &owner.generics.tokens),
        ("args", &owner.generics.args()),
        ("of", of),
        ("ty", &owner.ty),
        ("bounds", bounds),
        ("declared", &bodies.declared),
    ];
    let text = "
        const _: () = {
            #[cfg(any(debug_assertions, test))]
            #[allow(clippy::all, clippy::pedantic, unused)]
            trait $bodies $generics: $of + ::core::marker::Sized $bounds { $declared }
            #[cfg(any(debug_assertions, test))]
            #[allow(clippy::all, clippy::pedantic)]
            impl $generics $bodies $args for $ty $bounds { $defined }
            $item
        };";
    fill(text, &[&holes[..], &[("defined", &bodies.defined)]].concat())
}

/// What the test of a method calls: itself, or what checks it where it can run in the compiler.
pub(crate) fn checked_name(method: &ContractFunction) -> TokenTree {
    if method.is("const") { const_name(method) } else { method.name.clone().into() }
}

/// What a `const fn` is called where it is checked.
fn const_name(method: &ContractFunction) -> TokenTree {
    Ident::new(&format!("__{}_checked", unraw(&method.name)), method.name.span()).into()
}

/// The function twice: as it was written, and with its checks.
fn checked(
    settings: &ContractSettings,
    method: &ContractFunction,
    clauses: &Clauses,
    owner: Option<(&Owner, &mut BodyItems)>,
) -> Tokens {
    let (owner, bodies) = match owner {
        Some((owner, bodies)) => (Some(owner), Some(bodies)),
        None => (None, None),
    };
    let attrs: Tokens = method.attrs.iter().flat_map(|it| it.tokens.clone()).collect();
    let name = method.name.to_string();
    let place = method.name.span();
    let body_name: Tokens = match owner {
        Some(_) => vec![Ident::new(&format!("__{}_body", unraw(&method.name)), place).into()],
        None => vec![Ident::new("__body", place).into()],
    };
    let title = string(&owner.map_or(name.clone(), |it| format!("{}::{name}", squeezed(&it.ty))));
    let params = method.outer_params();
    let mut args: Vec<Tokens> = method.args();
    if method.receiver.is_some() {
        args.insert(0, fill("self", &[]));
    }
    let is_async = method.is("async");
    let is_of_trait = owner.is_some_and(|it| it.of_trait.is_some());
    let qualifiers = method.qualifiers.iter().filter(|it| !is_word(Some(it), "const")).cloned().collect();
    let holes: Vec<(&str, Tokens)> = vec![
        ("attrs", attrs),
        ("vis", method.vis.clone()),
        ("written", method.qualifiers.clone()),
        ("head", qualifiers),
        ("generics", method.generics.tokens.clone()),
        ("returns", method.returns.clone()),
        ("where", method.bounds.clone()),
        ("name", vec![method.name.clone().into()]),
        ("checked", vec![checked_name(method)]),
        ("declared", list(&method.declared_params())),
        ("inner", list(&method.inner_params())),
        ("params", list(&params)),
        ("args", list(&args)),
        ("block", vec![method.block.clone().into()]),
        ("body", body_name),
        ("self", if owner.is_some() { fill("Self::", &[]) } else { Tokens::new() }),
        ("call", ours("call")),
        ("out", ours("out")),
        ("krate", settings.krate.clone()),
        ("title", title),
        ("await", if is_async { fill(".await", &[]) } else { Tokens::new() }),
        ("begin", fill(if is_async { "alone" } else { "new" }, &[])),
        ("tracked", if is_async { Tokens::new() } else { fill("#[track_caller]", &[]) }),
        ("unsafe", if method.is("unsafe") { fill("unsafe", &[]) } else { Tokens::new() }),
        ("requires", clauses.requires_checks(method, &settings.krate)),
        ("olds", clauses.olds(method)),
        ("ensures", clauses.ensures_checks(method, &settings.krate)),
    ];
    let holes: Vec<(&str, &[TokenTree])> = holes.iter().map(|it| (it.0, &it.1[..])).collect();
    let checks = "
        #[cfg(any(debug_assertions, test))]
        $tracked
        $attrs $vis $head fn $checked $generics ($params) $returns $where {
            $within
            let $call = $krate::contract::CheckedCall::$begin($title);
            $requires
            $olds
            #[allow(clippy::let_unit_value)]
            let $out = $unsafe { $self $body($args) $await };
            $ensures
            $out
        }";
    // It stays as it was, since it may run in the compiler; its test calls what checks it.
    if method.is("const") {
        let call = [vec![method.name.clone().into()], method.generics.turbofish()].concat();
        let text =
            format!("$attrs $vis $written fn $name $generics ($inner) $returns $where $block {checks}")
                .replacen(
                    "#[cfg(any(debug_assertions, test))]",
                    "#[cfg(test)] #[doc(hidden)] #[allow(unused)]",
                    1,
                );
        let holes: Vec<(&str, &[TokenTree])> = holes
            .iter()
            .filter(|it| it.0 != "body")
            .copied()
            .chain([("body", &call[..]), ("within", &[])])
            .collect();
        return fill(&text, &holes);
    }
    // What a `move` closure of a method needs is `Self`, so its body is beside it; that of a function, within.
    let body = "#[inline(always)] #[allow(clippy::all, clippy::pedantic)] $head fn $body $generics ($inner) $returns $where $block";
    let body = fill(body, &holes);
    let (beside, within) = if owner.is_some() { (body, Tokens::new()) } else { (Tokens::new(), body) };
    let beside = match bodies {
        Some(bodies) if is_of_trait => {
            bodies.declared.extend(fill("$head fn $body $generics ($declared) $returns $where;", &holes));
            bodies.defined.extend(beside);
            Tokens::new()
        }
        _ => beside,
    };
    let text = format!(
        "
        #[cfg(not(any(debug_assertions, test)))]
        $attrs $vis $head fn $name $generics ($inner) $returns $where $block
        #[cfg(any(debug_assertions, test))]
        #[doc(hidden)]
        $beside
        {checks}"
    );
    // An attribute needs an item.
    let text = if beside.is_empty() {
        text.replacen("#[cfg(any(debug_assertions, test))]\n        #[doc(hidden)]\n        $beside", "", 1)
    } else {
        text
    };
    fill(&text, &[&holes[..], &[("beside", &beside), ("within", &within)]].concat())
}

/// A type as text without blanks.
fn squeezed(tokens: &[TokenTree]) -> String {
    tokens.iter().map(ToString::to_string).collect::<String>().replace(' ', "")
}

/// An expression as a person would write it, as a literal.
fn text_of(tokens: &[TokenTree]) -> Tokens {
    string(&written(tokens))
}

/// Blanks stand around operators of two sides and after commas.
pub(crate) fn written(tokens: &[TokenTree]) -> String {
    let mut res = String::new();
    let is_operand = |it: Option<&TokenTree>| !matches!(it, None | Some(TokenTree::Punct(_)));
    // Whether what was written last is a sign in front of what follows, or ties it to what was before.
    let (mut is_tied, mut is_joint) = (true, false);
    for (at, tree) in tokens.iter().enumerate() {
        let before = at.checked_sub(1).map(|it| &tokens[it]);
        match tree {
            TokenTree::Punct(it) => {
                let char = it.as_char();
                let is_macro = char == '!' && matches!(tokens.get(at + 1), Some(TokenTree::Group(_)));
                let is_path = char == ':' || char == '.' || is_macro && is_operand(before);
                if is_bar(tokens, at) {
                    let is_first = at == 0 || is_word(before, "move");
                    res.push_str(if at > 0 && is_first { " |" } else { "|" });
                    (is_tied, is_joint) = (is_first, false);
                    continue;
                }
                let is_sign = !is_joint && !is_operand(before) && !is_path;
                if !(is_joint || is_tied || is_path || char == ',' || char == ';' || char == '?') {
                    res.push(' ');
                }
                res.push(char);
                is_joint = it.spacing() == crate::pm::Spacing::Joint;
                is_tied = is_path || char == '\'' || is_sign && char != '=' || is_joint && is_tied;
                continue;
            }
            TokenTree::Group(it) => {
                let inner = written(&it.stream().into_iter().collect::<Tokens>());
                let (open, close) = match it.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::Brace => ("{ ", " }"),
                    Delimiter::None => ("", ""),
                };
                let is_call =
                    is_operand(before) && it.delimiter() != Delimiter::Brace || is_punct(before, '!');
                if !is_tied && !is_call {
                    res.push(' ');
                }
                res.push_str(open);
                res.push_str(&inner);
                res.push_str(close);
            }
            other => {
                if !is_tied {
                    res.push(' ');
                }
                res.push_str(&other.to_string());
            }
        }
        (is_tied, is_joint) = (false, false);
    }
    res
}

/// Whether that token is one of the bars around the parameters of a closure that begins here.
fn is_bar(tokens: &[TokenTree], at: usize) -> bool {
    let first = usize::from(is_word(tokens.first(), "move"));
    let is = |at: usize| is_punct(tokens.get(at), '|');
    is(first) && is(at) && (first + 1..at).all(|it| !is(it))
}

/// A condition as a truth. It is in the function and in its test, and the compiler says once what it finds in both
/// because both are written alike.
fn truth(condition: &[TokenTree]) -> Tokens {
    fill("{ let $holds: bool = $it; $holds }", &[("holds", &ours("holds")), ("it", condition)])
}

/// In brackets that are not seen, so that it is one expression wherever it stands.
fn grouped(tokens: &[TokenTree]) -> TokenTree {
    let mut res = Group::new(Delimiter::None, tokens.iter().cloned().collect());
    res.set_span(over(tokens).0);
    res.into()
}

#[cfg(any(test, feature = "spec"))]
fn literal(text: &str) -> TokenTree {
    crate::pm::Literal::string(text).into()
}

fn call_site() -> Span {
    Span::call_site()
}

fn is_mut(receiver: Option<&Receiver>) -> bool {
    matches!(receiver, Some(Receiver::RefMut))
}
