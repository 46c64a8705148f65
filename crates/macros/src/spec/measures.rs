//! `#[probity::measures]`: functions by structural recursion that requirements may use.

use super::{NameChecks, NameScope, expr};
use crate::function::ours;
use crate::parse::{Cursor, Error, Result, is_punct, is_word, start, unraw, unwrap_none};
use crate::pm::{Delimiter, Ident, Literal, TokenTree};
use crate::template::{Tokens, fill, fill_at, list, path_at};

const NO_IMPL: &str = "measures are methods of a type; put `#[probity::measures]` on its `impl`";
const SHAPE: &str = "a measure is computed from the value alone; write it as in `fn size(&self) -> u32 { match self { .. } }`";

/// The `impl` as it was written, and what requirements need to know of it.
pub(crate) fn expand(settings: &[TokenTree], item: Tokens) -> Result<Tokens> {
    let mut krate = fill("::probity", &[]);
    for pair in crate::parse::Pair::list(settings)? {
        match &*pair.key.to_string() {
            "crate" => krate = pair.value,
            _ => return Err(Error::new(pair.key.span(), "measures have no settings; remove this")),
        }
    }
    let item = unwrap_none(item);
    let mut cursor = Cursor { rest: &item };
    cursor.attributes();
    if !is_word(cursor.rest.first(), "impl") {
        return Err(Error::over(&item, NO_IMPL));
    }
    cursor.take(1);
    let generics = cursor.angles().unwrap_or(&[]).to_vec();
    let [head @ .., TokenTree::Group(body)] = cursor.rest else { return Err(Error::shown()) };
    let until = head.iter().position(|it| is_word(Some(it), "where")).unwrap_or(head.len());
    let (ty, bounds) = head.split_at(until);
    if let Some(it) = ty.iter().find(|it| is_word(Some(it), "for")) {
        return Err(Error::new(it.span(), NO_IMPL));
    }
    let body: Tokens = body.stream().into_iter().collect();
    let measures = measures(&body)?;
    if measures.is_empty() {
        return Err(Error::over(ty, format!("there is no measure here; {SHAPE}")));
    }
    let scope = NameScope {
        krate: krate.clone(),
        variable: ours("scope"),
        what: "part of the value",
        names: Vec::new(),
        it: None,
        checks: NameChecks::Code,
    };
    let (mut terms, mut runs) = (Vec::new(), Vec::new());
    for (name, body) in &measures {
        let label = [TokenTree::from(Literal::string(&unraw(name)))];
        let term = expr::term(body, &scope)?;
        terms.push(fill("($label, $term)", &[("label", &label), ("term", &term)]));
        let name = [TokenTree::from(name.clone())];
        let text = "($label, $krate::spec::Declared::to_value(&Self::$name(self)))";
        let here = path_at(name[0].span(), &krate);
        runs.push(fill_at(name[0].span(), text, &[("label", &label), ("krate", &here), ("name", &name)]));
    }
    let params = if generics.is_empty() { Tokens::new() } else { fill("<$it>", &[("it", &generics)]) };
    let mut res = item.clone();
    res.extend(fill(
        "#[automatically_derived]
        impl $params $krate::spec::Measured for $ty $bounds {
            fn measures($scope: &$krate::spec::Spec) -> ::std::vec::Vec<(&'static str, $krate::spec::Term)> {
                let _ = $scope;
                ::std::vec![$terms]
            }
            fn run(&self) -> ::std::vec::Vec<(&'static str, ::core::option::Option<$krate::spec::Value>)> {
                ::std::vec![$runs]
            }
        }",
        &[
            ("params", &params),
            ("krate", &krate),
            ("ty", ty),
            ("bounds", bounds),
            ("scope", &scope.variable),
            ("terms", &list(&terms)),
            ("runs", &list(&runs)),
        ],
    ));
    Ok(res)
}

/// The methods of an `impl`, by name and body.
fn measures(body: &[TokenTree]) -> Result<Vec<(Ident, Tokens)>> {
    let mut res = Vec::new();
    let mut cursor = Cursor { rest: body };
    while !cursor.rest.is_empty() {
        cursor.attributes();
        cursor.visibility();
        let at = start(cursor.rest);
        if !is_word(cursor.rest.first(), "fn") {
            return Err(Error::new(at, format!("this is no measure; {SHAPE}")));
        }
        cursor.take(1);
        let name = cursor.ident().ok_or_else(Error::shown)?;
        if cursor.angles().is_some() {
            return Err(Error::new(name.span(), format!("a measure has no parameters of its own; {SHAPE}")));
        }
        let params = cursor.group(Delimiter::Parenthesis).ok_or_else(Error::shown)?;
        let is_self = match params.as_slice() {
            [and, this, rest @ ..] => {
                is_punct(Some(and), '&')
                    && is_word(Some(this), "self")
                    && rest.iter().all(|it| is_punct(Some(it), ','))
            }
            _ => false,
        };
        if !is_self {
            return Err(Error::new(name.span(), SHAPE));
        }
        let is_block =
            |it: &TokenTree| matches!(it, TokenTree::Group(it) if it.delimiter() == Delimiter::Brace);
        let n = cursor.rest.iter().position(is_block).ok_or_else(Error::shown)?;
        cursor.take(n);
        let body = cursor.group(Delimiter::Brace).unwrap_or_default();
        res.push((name, body));
    }
    Ok(res)
}
