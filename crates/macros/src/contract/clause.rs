//! What a contract says: `#[requires(..)]`, `#[ensures(|out| ..)]` and `old(..)`.

use super::signature::ContractFunction;
use super::{grouped, is_mut, regroup, renamed, text_of, truth};
use crate::function::ours;
use crate::parse::{Error, Result, commas, is_punct, is_word, mentions, start, unwrap_none};
use crate::pm::TokenTree;
use crate::template::{Tokens, fill, fill_at};

/// The clauses of a function.
pub(crate) struct Clauses {
    /// What has to hold before it is called, one by one.
    pub(crate) requires: Vec<Tokens>,
    ensures: Vec<Ensured>,
    /// What is evaluated before the body runs.
    olds: Vec<Tokens>,
}

/// A closure over what is returned.
struct Ensured {
    /// With variables in the place of `old(..)`.
    closure: Tokens,
    text: Tokens,
}

const NO_CLOSURE: &str = "what is ensured is about the value that is returned; write a closure over a reference to it, \
                          as in `#[ensures(|out| *out > 0)]`";

impl Clauses {
    pub(crate) fn new(method: &ContractFunction) -> Result<Clauses> {
        let (mut requires, mut ensures, mut olds) = (Vec::new(), Vec::new(), Vec::new());
        for attr in &method.requires {
            let hint = "nothing is required here; write what has to hold, as in `#[requires(n > 0)]`";
            let tokens = unwrap_none(attr.arguments(hint)?);
            if let Some(it) = tokens.iter().find(|it| is_word(Some(it), "old")) {
                let message = "before a call there is nothing older; write the value itself, without `old`";
                return Err(Error::new(it.span(), message));
            }
            if is_punct(tokens.first(), '|') {
                let message = "what is required is a condition over parameters; write it without a closure";
                return Err(Error::over(&tokens, message));
            }
            conjuncts(&tokens, &mut requires);
        }
        for attr in &method.ensures {
            let hint =
                "nothing is ensured here; write what holds of the result, as in `#[ensures(|out| *out > 0)]`";
            let tokens = unwrap_none(attr.arguments(hint)?);
            let at = usize::from(is_word(tokens.first(), "move"));
            let is_closure = is_punct(tokens.get(at), '|') && !is_punct(tokens.get(at + 1), '|');
            if !is_closure {
                return Err(Error::over(&tokens, NO_CLOSURE));
            }
            let bars =
                tokens[at + 1..].iter().position(|it| is_punct(Some(it), '|')).ok_or_else(Error::shown)?;
            if commas(&tokens[at + 1..at + 1 + bars]).len() != 1 {
                return Err(Error::over(&tokens[at..at + bars + 2], NO_CLOSURE));
            }
            let text = text_of(&tokens[at + bars + 2..]);
            let closure = without_old(&tokens, &mut olds)?;
            ensures.push(Ensured { closure, text });
        }
        Ok(Clauses { requires, ensures, olds })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.requires.is_empty() && self.ensures.is_empty()
    }

    /// Checks what is required, one by one: who calls is to blame.
    pub(crate) fn requires_checks(&self, method: &ContractFunction, krate: &[TokenTree]) -> Tokens {
        let check = |it: &Tokens| {
            let holds = truth(&borrowed(method, it));
            let holes: [(&str, &[TokenTree]); 4] =
                [("call", &ours("call")), ("krate", krate), ("holds", &holds), ("text", &text_of(it))];
            fill_at(start(it), "$krate::contract::CheckedCall::require(&$call, $holds, $text);", &holes)
        };
        self.requires.iter().flat_map(check).collect()
    }

    /// The values of `old(..)`.
    pub(crate) fn olds(&self, method: &ContractFunction) -> Tokens {
        let one = |(i, it): (usize, &Tokens)| {
            let value = borrowed(method, it);
            fill("let $old = $value;", &[("old", &ours(&format!("old{i}"))), ("value", &value)])
        };
        self.olds.iter().enumerate().flat_map(one).collect()
    }

    /// Checks what is ensured, one by one: the function is to blame.
    pub(crate) fn ensures_checks(&self, method: &ContractFunction, krate: &[TokenTree]) -> Tokens {
        let check = |it: &Ensured| {
            let closure = borrowed(method, &it.closure);
            let holes: [(&str, &[TokenTree]); 5] = [
                ("call", &ours("call")),
                ("krate", krate),
                ("out", &ours("out")),
                ("closure", &closure),
                ("text", &it.text),
            ];
            // In a closure, which no caller is known of: the failure is where the clause stands.
            let text = "#[allow(clippy::redundant_closure_call)] (|| $krate::contract::CheckedCall::ensure(&$call, &$out, $closure, $text))();";
            fill_at(start(&it.closure), text, &holes)
        };
        self.ensures.iter().flat_map(check).collect()
    }
}

/// An expression in which what can be changed is only lent, so that a contract changes nothing.
fn borrowed(method: &ContractFunction, tokens: &[TokenTree]) -> Tokens {
    let mut lent = Tokens::new();
    for param in &method.params {
        if let (Some(name), true) = (&param.name, param.is_mut())
            && mentions(tokens, &name.to_string())
        {
            lent.extend(fill("let $it = &*$it;", &[("it", &[name.clone().into()])]));
        }
    }
    let mut tokens = tokens.to_vec();
    if is_mut(method.receiver.as_ref()) && mentions(&tokens, "self") {
        lent.extend(fill("let $it = &*self;", &[("it", &ours("this"))]));
        tokens = renamed(&tokens, "self", &ours("this"));
    }
    if lent.is_empty() {
        return vec![grouped(&tokens)];
    }
    fill("{ $lent $it }", &[("lent", &lent), ("it", &tokens)])
}

/// The conditions of which `tokens` is the conjunction.
pub(crate) fn conjuncts(tokens: &[TokenTree], res: &mut Vec<Tokens>) {
    let is_pair =
        |at: usize, char: char| is_punct(tokens.get(at), char) && is_punct(tokens.get(at + 1), char);
    // Closures, `if` and `||` take all that follows or stands before.
    let is_whole = |(at, it): (usize, &TokenTree)| {
        ["if", "match", "let", "return", "move"].iter().any(|word| is_word(Some(it), word))
            || is_punct(Some(it), '|')
            || is_punct(Some(it), '=') && {
                // An assignment is an error that the compiler shows best as a whole.
                let joined =
                    |it: Option<&TokenTree>| ['=', '<', '>', '!'].iter().any(|char| is_punct(it, *char));
                !(joined(tokens.get(at + 1)) || at > 0 && joined(tokens.get(at - 1)))
            }
    };
    if tokens.iter().enumerate().any(is_whole) {
        res.push(tokens.to_vec());
        return;
    }
    let (mut from, mut at) = (0, 0);
    while at < tokens.len() {
        if is_pair(at, '&') && at > from {
            res.push(tokens[from..at].to_vec());
            from = at + 2;
            at += 1;
        }
        at += 1;
    }
    res.push(tokens[from..].to_vec());
}

/// `tokens` with a variable in the place of each `old(..)`, whose arguments join `olds`.
fn without_old(tokens: &[TokenTree], olds: &mut Vec<Tokens>) -> Result<Tokens> {
    let mut res = Tokens::new();
    let mut at = 0;
    while let Some(tree) = tokens.get(at) {
        let before = at.checked_sub(1).and_then(|it| tokens.get(it));
        let is_member = is_punct(before, '.') || is_punct(before, ':');
        match (tree, tokens.get(at + 1)) {
            (TokenTree::Ident(word), Some(TokenTree::Group(args)))
                if word.to_string() == "old" && !is_member =>
            {
                let inner: Tokens = args.stream().into_iter().collect();
                if inner.is_empty() {
                    let message = "`old` without an expression; write what is to be evaluated before the call, as in `old(xs.len())`";
                    return Err(Error::new(word.span(), message));
                }
                if mentions(&inner, "old") {
                    let message = "`old` within `old` is no older; remove the inner one";
                    return Err(Error::new(word.span(), message));
                }
                let mut variable = ours(&format!("old{}", olds.len()));
                variable.iter_mut().for_each(|it| it.set_span(it.span().located_at(word.span())));
                res.extend(variable);
                olds.push(inner);
                at += 1;
            }
            (TokenTree::Group(it), _) => {
                res.push(regroup(it, without_old(&it.stream().into_iter().collect::<Tokens>(), olds)?));
            }
            _ => res.push(tree.clone()),
        }
        at += 1;
    }
    Ok(res)
}
