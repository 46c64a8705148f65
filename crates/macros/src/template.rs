//! Expansions as text with holes, in place of a crate that quotes.

use crate::parse::over;
use crate::pm::{Group, Punct, Spacing, Span, TokenStream, TokenTree};

pub(crate) type Tokens = Vec<TokenTree>;

/// The tokens of `text`, where each `$name` is a hole for the tokens of that name.
///
/// Tokens in holes keep their spans; those of `text` stand where the macro was called.
pub(crate) fn fill(text: &str, holes: &[(&str, &[TokenTree])]) -> Tokens {
    fill_at(Span::call_site(), text, holes)
}

/// Like [`fill`], with the tokens of `text` at `span`, so that errors about them are shown there.
pub(crate) fn fill_at(span: Span, text: &str, holes: &[(&str, &[TokenTree])]) -> Tokens {
    let template: TokenStream = text.parse().expect("a template is made of tokens");
    substitute(template, span, holes)
}

/// Like [`fill`], with the tokens of `text` where `place` is: the first at its beginning, the others at its end. So the
/// compiler takes an expression of these for one that stands there, and shows errors about it there, once.
pub(crate) fn fill_over(place: &[TokenTree], text: &str, holes: &[(&str, &[TokenTree])]) -> Tokens {
    let (start, end) = over(place);
    let mut res = fill_at(end, text, holes);
    if let Some(first) = res.first_mut() {
        first.set_span(first.span().located_at(start));
    }
    res
}

/// The path of a crate or a module with its tokens at `span`.
pub(crate) fn path_at(span: Span, path: &[TokenTree]) -> Tokens {
    let mut res = path.to_vec();
    for token in &mut res {
        // Which crate `$crate` is, its span says.
        let is_crate = token.to_string() == "$crate";
        token.set_span(if is_crate { token.span().located_at(span) } else { span });
    }
    res
}

/// The tokens of all `items`, with commas between.
pub(crate) fn list(items: &[Tokens]) -> Tokens {
    let mut res = Tokens::new();
    for item in items {
        if !res.is_empty() {
            res.push(Punct::new(',', Spacing::Alone).into());
        }
        res.extend_from_slice(item);
    }
    res
}

fn substitute(template: TokenStream, span: Span, holes: &[(&str, &[TokenTree])]) -> Tokens {
    let mut res = Tokens::new();
    let mut trees = template.into_iter();
    while let Some(mut tree) = trees.next() {
        match &tree {
            TokenTree::Punct(it) if it.as_char() == '$' => {
                let name = trees.next().expect("a `$` has a name").to_string();
                let hole = holes.iter().find(|it| it.0 == name);
                end(&mut res);
                res.extend_from_slice(hole.unwrap_or_else(|| panic!("nothing fills `${name}`")).1);
                end(&mut res);
            }
            TokenTree::Group(it) => {
                let inner = substitute(it.stream(), span, holes);
                let mut group = Group::new(it.delimiter(), inner.into_iter().collect());
                group.set_span(span);
                res.push(group.into());
            }
            _ => {
                tree.set_span(span);
                res.push(tree);
            }
        }
    }
    res
}

/// Keeps the last token apart from the next: the `>` of `Vec<u8>` and a `=` after it are no `>=`.
fn end(tokens: &mut Tokens) {
    if let Some(TokenTree::Punct(it)) = tokens.last_mut() {
        let mut alone = Punct::new(it.as_char(), Spacing::Alone);
        alone.set_span(it.span());
        *it = alone;
    }
}
