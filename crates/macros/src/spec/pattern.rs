//! Patterns in requirements and measures: `match`, `if let` and `matches!`.

use super::expr::{ExprParser, split};
use crate::function::ours;
use crate::parse::{Error, Result, find, is_punct, is_word, start, unraw, unwrap_none};
use crate::pm::{Delimiter, Group, Ident, Literal, Span, TokenTree};
use crate::template::{Tokens, fill_at};

const HELP: &str = "a pattern is a variant with its fields, as in `Shape::Circle { radius, .. }`, an option, a literal, a name or `_`";

/// What a pattern asks of a value, and the names that it gives to parts of it.
#[derive(Default)]
pub(super) struct PatternParts {
    /// Conditions that hold all at once.
    conditions: Vec<Tokens>,
    names: Vec<(Ident, Tokens)>,
}

impl ExprParser<'_, '_> {
    /// `match of { pattern => body, .. }`, after the keyword.
    pub(super) fn match_(&mut self) -> Result<Tokens> {
        let span = start(self.cursor.rest);
        let is_block =
            |it: &TokenTree| matches!(it, TokenTree::Group(it) if it.delimiter() == Delimiter::Brace);
        let at = self.cursor.rest.iter().position(is_block).unwrap_or(self.cursor.rest.len());
        let of = self.cursor.take(at).to_vec();
        let of = self.inner(&of, span)?;
        let arms = self.cursor.group(Delimiter::Brace).unwrap_or_default();
        // What no arm matches is nowhere defined; the compiler sees that there is no such value.
        let text = "$krate::spec::Term::apply($krate::spec::Op::Nth, [$krate::spec::Term::apply($krate::spec::Op::List, []), $krate::spec::Term::int(0)])";
        let mut res = self.fill(span, text, &[]);
        let mut all = Vec::new();
        let mut rest = &arms[..];
        while !rest.is_empty() {
            let arrow = (0..rest.len())
                .find(|it| is_punct(rest.get(*it), '=') && is_punct(rest.get(it + 1), '>'))
                .ok_or_else(|| {
                    Error::new(start(rest), "an arm without `=>`; write `pattern => expression`")
                })?;
            let (pattern, after) = (&rest[..arrow], &rest[arrow + 2..]);
            let is_braced = after.first().is_some_and(is_block);
            let n = if is_braced { 1 } else { find(after, ',', false) };
            let body = match &after[..n] {
                [TokenTree::Group(it)] if it.delimiter() == Delimiter::Brace => {
                    it.stream().into_iter().collect()
                }
                body => body.to_vec(),
            };
            all.push((pattern.to_vec(), body));
            rest = &after[n..];
            if is_punct(rest.first(), ',') {
                rest = &rest[1..];
            }
        }
        for (pattern, body) in all.into_iter().rev() {
            let (condition, body) = self.arm(&ours("matched"), &pattern, &body, span)?;
            res = match condition {
                None => body,
                Some(condition) => {
                    let text = "$krate::spec::Term::apply($krate::spec::Op::Ite, [$a, $b, $c])";
                    self.fill(span, text, &[("a", &condition), ("b", &body), ("c", &res)])
                }
            };
        }
        Ok(self.fill(
            span,
            "{ let $matched = $of; $it }",
            &[("matched", &ours("matched")), ("of", &of), ("it", &res)],
        ))
    }

    /// `matches!(of, pattern if guard)`
    pub(super) fn matches(&mut self, args: &[TokenTree], span: Span) -> Result<Tokens> {
        let (of, pattern) = args.split_at(find(args, ',', false));
        let of = self.inner(of, span)?;
        let pattern = pattern.get(1..).unwrap_or(&[]);
        if pattern.is_empty() {
            let message = "`matches!` takes a value and its variants; write it as in `matches!(shape, Shape::Circle { .. })`";
            return Err(Error::new(span, message));
        }
        let pattern = match pattern {
            [all @ .., comma] if is_punct(Some(comma), ',') => all,
            all => all,
        };
        let truth = [TokenTree::from(Ident::new("true", span))];
        let (condition, _) = self.arm(&ours("matched"), pattern, &truth, span)?;
        let condition = condition.unwrap_or_else(|| self.fill(span, "$krate::spec::Term::always()", &[]));
        let holes: [(&str, &[TokenTree]); 3] =
            [("matched", &ours("matched")), ("of", &of), ("it", &condition)];
        Ok(self.fill(span, "{ let $matched = $of; $it }", &holes))
    }

    /// `let pattern = of`, the condition of an `if`, with what follows where it holds.
    pub(super) fn if_let(
        &mut self,
        condition: &[TokenTree],
        then: &[TokenTree],
        span: Span,
    ) -> Result<(Tokens, Tokens, Tokens)> {
        let at = (0..condition.len())
            .find(|it| is_punct(condition.get(*it), '=') && !is_punct(condition.get(it + 1), '='))
            .ok_or_else(|| Error::new(span, "`if let` without a value; write `if let pattern = value`"))?;
        let of = self.inner(&condition[at + 1..], span)?;
        let (holds, body) = self.arm(&ours("matched"), &condition[1..at], then, span)?;
        let holds = holds.unwrap_or_else(|| self.fill(span, "$krate::spec::Term::always()", &[]));
        Ok((of, holds, body))
    }

    /// The condition of an arm, none where it always holds, and its body with the names that it binds.
    fn arm(
        &mut self,
        of: &Tokens,
        pattern: &[TokenTree],
        body: &[TokenTree],
        span: Span,
    ) -> Result<(Option<Tokens>, Tokens)> {
        let guard = pattern.iter().position(|it| is_word(Some(it), "if"));
        let (pattern, guard) = match guard {
            Some(at) => (&pattern[..at], Some(&pattern[at + 1..])),
            None => (pattern, None),
        };
        let of = self.fill(span, "::core::clone::Clone::clone(&$it)", &[("it", of)]);
        let mut parts = self.pattern(pattern, &of)?;
        let names: Vec<Ident> = parts.names.iter().map(|it| it.0.clone()).collect();
        let lets: Tokens = parts
            .names
            .iter()
            .flat_map(|(name, term)| {
                let name = [TokenTree::from(name.clone())];
                fill_at(span, "let $name = $term; let _ = &$name;", &[("name", &name), ("term", term)])
            })
            .collect();
        let before = self.locals.len();
        self.locals.extend(names);
        let made = self.inner(body, span);
        let guard = guard.map(|it| self.inner(it, span)).transpose();
        self.locals.truncate(before);
        let within = |it: &Tokens| fill_at(span, "{ $lets $it }", &[("lets", &lets), ("it", it)]);
        if let Some(guard) = guard? {
            parts.conditions.push(within(&guard));
        }
        let condition = parts
            .conditions
            .into_iter()
            .reduce(|all, it| self.fill(span, "$krate::spec::Term::and($a, $b)", &[("a", &all), ("b", &it)]));
        Ok((condition, within(&made?)))
    }

    fn pattern(&mut self, tokens: &[TokenTree], of: &Tokens) -> Result<PatternParts> {
        let tokens = unwrap_none(tokens.to_vec());
        let mut tokens = &tokens[..];
        while matches!(tokens.first(), Some(it) if is_punct(Some(it), '&') || is_punct(Some(it), '|') || is_word(Some(it), "ref") || is_word(Some(it), "mut"))
        {
            tokens = &tokens[1..];
        }
        let span = start(tokens);
        let others: Vec<&[TokenTree]> = tokens.split(|it| is_punct(Some(it), '|')).collect();
        if others.len() > 1 {
            return self.alternatives(&others, of, span);
        }
        let (path, args) = match tokens {
            [path @ .., TokenTree::Group(args)] => (path, Some(args)),
            path => (path, None),
        };
        let mut res = PatternParts::default();
        match (path, args) {
            ([word], None) if is_word(Some(word), "_") => {}
            ([TokenTree::Ident(it)], None) if ["true", "false"].contains(&&*it.to_string()) => {
                let wanted = self.inner(tokens, span)?;
                let text = "$krate::spec::Term::eq($a, $b)";
                res.conditions.push(self.fill(span, text, &[("a", of), ("b", &wanted)]));
            }
            ([TokenTree::Ident(it)], None) if it.to_string() == "None" => {
                let text = "$krate::spec::Term::negate($krate::spec::Term::is_some($a))";
                res.conditions.push(self.fill(span, text, &[("a", of)]));
            }
            ([TokenTree::Ident(it)], Some(args)) if it.to_string() == "Some" => {
                res.conditions.push(self.fill(span, "$krate::spec::Term::is_some($a)", &[("a", of)]));
                let inner: Tokens = args.stream().into_iter().collect();
                let content = self.fill(span, "$krate::spec::Term::unwrap($a)", &[("a", of)]);
                res.join(self.pattern(&inner, &content)?);
            }
            ([TokenTree::Ident(it)], None) if !it.to_string().starts_with(char::is_uppercase) => {
                res.names.push((it.clone(), of.clone()));
            }
            ([TokenTree::Literal(_)] | [TokenTree::Punct(_), TokenTree::Literal(_)], None) => {
                let wanted = self.inner(tokens, span)?;
                let text = "$krate::spec::rust::equal($scope, $a, $b)";
                res.conditions.push(self.fill(span, text, &[("a", of), ("b", &wanted)]));
            }
            ([.., TokenTree::Ident(name)], _) => {
                let label = [TokenTree::from(Literal::string(&unraw(name)))];
                let names = args.map_or_else(Tokens::new, field_names);
                let text = "let _ = |it| match it { $path { $names .. } => (), _ => () };";
                self.scope.checks.add(None, span, text, &[("path", path), ("names", &names)]);
                let holes: [(&str, &[TokenTree]); 2] = [("of", of), ("name", &label)];
                res.conditions.push(self.fill(
                    span,
                    "$krate::spec::rust::is_case($scope, $of, $name)",
                    &holes,
                ));
                if let Some(args) = args {
                    let content = self.fill(span, "$krate::spec::rust::content($scope, $of, $name)", &holes);
                    let inner: Tokens = args.stream().into_iter().collect();
                    let is_named = args.delimiter() == Delimiter::Brace;
                    res.join(self.fields(&inner, &content, is_named)?);
                }
            }
            _ => return Err(Error::new(span, format!("this pattern is not understood; {HELP}"))),
        }
        Ok(res)
    }

    /// The fields of a variant in a pattern.
    fn fields(&mut self, tokens: &[TokenTree], content: &Tokens, is_named: bool) -> Result<PatternParts> {
        let mut res = PatternParts::default();
        for (at, part) in split(tokens).into_iter().enumerate() {
            if is_punct(part.first(), '.') {
                // What comes after `..` in a tuple is counted from its end, which is not known here.
                if !is_named && at + 1 < split(tokens).len() {
                    return Err(Error::new(
                        start(part),
                        "fields after `..` cannot be counted; write `_` for each that is left out",
                    ));
                }
                break;
            }
            let colon = if is_named { part.iter().position(|it| is_punct(Some(it), ':')) } else { None };
            let bare: Vec<TokenTree> = part
                .iter()
                .filter(|it| !is_word(Some(it), "ref") && !is_word(Some(it), "mut"))
                .cloned()
                .collect();
            let (name, pattern) = match (is_named, colon, bare.as_slice()) {
                (true, Some(colon), _) => {
                    (part[..colon].iter().map(ToString::to_string).collect(), part[colon + 1..].to_vec())
                }
                (true, None, [TokenTree::Ident(it)]) => (unraw(it), bare.clone()),
                (false, ..) => (at.to_string(), part.to_vec()),
                _ => return Err(Error::new(start(part), format!("this is no field; {HELP}"))),
            };
            let label = [TokenTree::from(Literal::string(&name))];
            let text = "$krate::spec::Term::field($of, $name)";
            let field = self.fill(start(part), text, &[("of", content), ("name", &label)]);
            res.join(self.pattern(&pattern, &field)?);
        }
        Ok(res)
    }

    fn alternatives(&mut self, all: &[&[TokenTree]], of: &Tokens, span: Span) -> Result<PatternParts> {
        let mut any: Option<Tokens> = None;
        for one in all {
            let parts = self.pattern(one, of)?;
            if let Some((name, _)) = parts.names.first() {
                let message = "a name in one of several patterns stands for another part in each; write an arm for each";
                return Err(Error::new(name.span(), message));
            }
            let both =
                |all: Tokens, it: Tokens, text: &str| self.fill(span, text, &[("a", &all), ("b", &it)]);
            let holds =
                parts.conditions.into_iter().reduce(|a, b| both(a, b, "$krate::spec::Term::and($a, $b)"));
            let Some(holds) = holds else { return Ok(PatternParts::default()) };
            any = Some(match any {
                None => holds,
                Some(a) => both(a, holds, "$krate::spec::Term::or($a, $b)"),
            });
        }
        Ok(PatternParts { conditions: any.into_iter().collect(), names: Vec::new() })
    }
}

/// The named fields of a pattern, each with `_`.
fn field_names(args: &Group) -> Tokens {
    let inner: Tokens = args.stream().into_iter().collect();
    let mut res = Tokens::new();
    if args.delimiter() == Delimiter::Brace {
        for part in split(&inner) {
            let word = part.iter().find(|it| {
                matches!(it, TokenTree::Ident(_)) && !is_word(Some(it), "ref") && !is_word(Some(it), "mut")
            });
            if let Some(it) = word {
                res.extend(fill_at(it.span(), "$it: _,", &[("it", std::slice::from_ref(it))]));
            }
        }
    }
    res
}

impl PatternParts {
    fn join(&mut self, mut other: PatternParts) {
        self.conditions.append(&mut other.conditions);
        self.names.append(&mut other.names);
    }
}
