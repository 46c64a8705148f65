//! `different = ..`: what makes two inputs of a test count as two.

use super::NameScope;
use super::expr::{split, term};
use crate::parse::{Cursor, Error, Result, is_punct, start, unwrap_none};
use crate::pm::{Delimiter, Literal, Span, TokenTree};
use crate::template::{Tokens, fill_at, list};

/// Differences that take a term, and perhaps a number or a pattern.
const RELATIONS: [(&str, usize, &str); 6] = [
    ("not_equal", 1, "$krate::spec::Difference::not_equal($a)"),
    ("different_lengths", 1, "$krate::spec::Difference::different_lengths($a)"),
    ("distance", 2, "$krate::spec::rust::distance($a, $b)"),
    ("edit_distance", 2, "$krate::spec::rust::edit_distance($a, $b)"),
    ("cover_regexp", 1, "$krate::spec::rust::cover_regexp($scope, $a)"),
    ("cover", 1, "$krate::spec::rust::cover($scope, $a)"),
];

const HELP: &str = "the differences are not_equal, different_lengths(a), distance(a, 10), edit_distance(a, 3), \
                    cover_regexp(a), cover(a), relation(a, |x, y| ..), enumerate(.., ..), all_of(.., ..), \
                    some_of(.., ..), not(..), always and never";

/// An expression of the difference that `tokens` say.
pub(crate) fn difference(tokens: &[TokenTree], scope: &NameScope) -> Result<Tokens> {
    let tokens = unwrap_none(tokens.to_vec());
    let span = start(&tokens);
    let mut cursor = Cursor { rest: &tokens };
    let Some(word) = cursor.ident() else {
        return Err(Error::new(span, format!("a difference is missing here; {HELP}")));
    };
    let args = cursor.group(Delimiter::Parenthesis);
    if let [first, ..] = cursor.rest {
        return Err(Error::new(first.span(), format!("`{first}` is not understood here; {HELP}")));
    }
    let name = word.to_string();
    let args: Tokens = args.unwrap_or_default();
    let parts = split(&args);
    let fill = |text: &str, more: &[(&str, &[TokenTree])]| {
        let ours: [(&str, &[TokenTree]); 2] = [("krate", &scope.krate), ("scope", &scope.variable)];
        fill_at(span, text, &[&ours, more].concat())
    };
    let all = |text: &str| -> Result<Tokens> {
        if parts.is_empty() {
            return Err(Error::new(
                span,
                format!("`{name}` of nothing; list differences, as in `{name}(.., ..)`"),
            ));
        }
        let parts = parts.iter().map(|it| difference(it, scope)).collect::<Result<Vec<_>>>()?;
        Ok(fill(text, &[("parts", &list(&parts))]))
    };
    match (&*name, parts.as_slice()) {
        ("always", []) => Ok(fill("$krate::spec::Difference::Always", &[])),
        ("never" | "not_equal", []) => Ok(fill("$krate::spec::Difference::Never", &[])),
        ("cover", []) => Ok(fill("$krate::spec::rust::cover($scope, $krate::spec::Term::it())", &[])),
        ("all_of", _) => all("$krate::spec::Difference::All(::std::vec![$parts])"),
        ("some_of", _) => all("$krate::spec::Difference::Any(::std::vec![$parts])"),
        ("not", [one]) => {
            let one = difference(one, scope)?;
            Ok(fill("$krate::spec::Difference::Not(::std::boxed::Box::new($it))", &[("it", &one)]))
        }
        ("relation", [on, body @ ..]) => relation(on, body, scope, span),
        ("enumerate", [_, ..]) => {
            let branches = parts.iter().map(|it| branch(it, scope)).collect::<Result<Vec<_>>>()?;
            Ok(fill("$krate::spec::rust::enumerate([$it])", &[("it", &list(&branches))]))
        }
        ("cover_regexp", [on, pattern]) => {
            let on = term(on, scope)?;
            let text = "$krate::spec::rust::cover_pattern($a, $b)";
            Ok(fill(text, &[("a", &on), ("b", pattern)]))
        }
        _ => match RELATIONS.iter().find(|it| it.0 == name) {
            Some((_, n, text)) if parts.len() == *n => {
                let on = term(parts[0], scope)?;
                let by = parts.get(1).copied().unwrap_or(&[]);
                Ok(fill(text, &[("a", &on), ("b", by)]))
            }
            Some((_, n, _)) => {
                let message =
                    format!("`{name}` takes {n} argument{}; {HELP}", if *n == 1 { "" } else { "s" });
                Err(Error::new(span, message))
            }
            None => Err(Error::new(
                span,
                format!("no difference is called `{name}` with these arguments; {HELP}"),
            )),
        },
    }
}

/// `relation(a, |x, y| x < y)`
fn relation(on: &[TokenTree], body: &[&[TokenTree]], scope: &NameScope, span: Span) -> Result<Tokens> {
    let body: Tokens = body.join(&TokenTree::from(crate::pm::Punct::new(',', crate::pm::Spacing::Alone)));
    let [bar, TokenTree::Ident(x), comma, TokenTree::Ident(y), bar2, rest @ ..] = body.as_slice() else {
        return Err(Error::new(
            span,
            "a relation is of two values; write it as in `relation(a, |x, y| x != y)`",
        ));
    };
    if !is_punct(Some(bar), '|') || !is_punct(Some(comma), ',') || !is_punct(Some(bar2), '|') {
        return Err(Error::new(
            span,
            "a relation is of two values; write it as in `relation(a, |x, y| x != y)`",
        ));
    }
    let on = term(on, scope)?;
    let holds = super::expr::term_of(rest, scope, &[x.clone(), y.clone()])?;
    Ok(fill_at(
        span,
        "$krate::spec::rust::relation($on, |$x, $y| $holds)",
        &[
            ("krate", &scope.krate),
            ("on", &on),
            ("x", &[x.clone().into()]),
            ("y", &[y.clone().into()]),
            ("holds", &holds),
        ],
    ))
}

/// `condition` or `condition => difference`.
fn branch(tokens: &[TokenTree], scope: &NameScope) -> Result<Tokens> {
    let is_arrow = |at: &usize| is_punct(tokens.get(*at), '=') && is_punct(tokens.get(*at + 1), '>');
    let at = (0..tokens.len()).find(is_arrow);
    let (condition, differ) = at.map_or((tokens, None), |at| (&tokens[..at], Some(&tokens[at + 2..])));
    let requires = term(condition, scope)?;
    let differ = match differ {
        Some(it) => difference(it, scope)?,
        None => fill_at(start(tokens), "$krate::spec::Difference::Never", &[("krate", &scope.krate)]),
    };
    let label = condition.iter().map(TokenTree::to_string).collect::<Vec<_>>().join(" ");
    Ok(fill_at(
        start(tokens),
        "($requires, $differ, $label)",
        &[("requires", &requires), ("differ", &differ), ("label", &[Literal::string(&label).into()])],
    ))
}
