//! Requirements: a part of Rust's expressions, written down as calls that build a `Term`.
//!
//! What an expression means is said in `probity::spec::rust`, whose functions are called here.

use super::NameScope;
use crate::function::ours;
use crate::parse::{Cursor, Error, Result, integer, is_punct, is_word, start, unraw, unwrap_none};
use crate::pm::{Delimiter, Ident, Literal, Span, TokenTree};
use crate::template::{Tokens, fill_at, list};

/// How deep expressions may nest: what is deeper was not written by a person, and the stack has an end.
const DEPTH_MAX: u32 = 64;

const HELP: &str = "a requirement is made of names, literals, comparisons, `+ - * / %`, `&& || !`, `if`, `.len()`, \
                    `.contains(..)`, `.is_some()`, `.iter().all(|it| ..)` and the like";

/// The term that represents the expression `tokens`.
pub(crate) fn term(tokens: &[TokenTree], scope: &NameScope) -> Result<Tokens> {
    term_of(tokens, scope, &[])
}

/// As [`term`], where `locals` are variables that hold terms.
pub(crate) fn term_of(tokens: &[TokenTree], scope: &NameScope, locals: &[Ident]) -> Result<Tokens> {
    let tokens = unwrap_none(tokens.to_vec());
    let mut parser = ExprParser {
        cursor: Cursor { rest: &tokens },
        scope,
        locals: locals.to_vec(),
        items: Vec::new(),
        depth: 0,
    };
    parser.whole(Span::call_site())
}

/// Binary operators by how tightly they bind: loosest first, longer ones before those that begin them.
const LEVELS: [&[(&str, &str)]; 5] = [
    &[("||", "$krate::spec::Term::or($a, $b)")],
    &[("&&", "$krate::spec::Term::and($a, $b)")],
    &[
        ("==", "$krate::spec::rust::equal($scope, $a, $b)"),
        ("!=", "$krate::spec::Term::negate($krate::spec::rust::equal($scope, $a, $b))"),
        ("<=", "$krate::spec::Term::le($a, $b)"),
        (">=", "$krate::spec::Term::le($b, $a)"),
        ("<", "$krate::spec::Term::lt($a, $b)"),
        (">", "$krate::spec::Term::lt($b, $a)"),
    ],
    &[("+", "$krate::spec::rust::sum($scope, $a, $b)"), ("-", "$krate::spec::Term::minus($a, $b)")],
    &[
        ("*", "$krate::spec::Term::times($a, $b)"),
        ("/", "$krate::spec::rust::quotient($scope, $a, $b)"),
        ("%", "$krate::spec::rust::remainder($scope, $a, $b)"),
    ],
];

/// Methods without arguments.
const METHODS: [(&str, &str); 23] = [
    ("len", "$krate::spec::Term::len($a)"),
    ("count", "$krate::spec::Term::len($a)"),
    ("is_empty", "$krate::spec::Term::eq($krate::spec::Term::len($a), $krate::spec::Term::int(0))"),
    ("is_some", "$krate::spec::Term::is_some($a)"),
    ("is_none", "$krate::spec::Term::negate($krate::spec::Term::is_some($a))"),
    ("unwrap", "$krate::spec::Term::unwrap($a)"),
    ("abs", "$krate::spec::Term::abs($a)"),
    ("is_nan", "$krate::spec::Term::negate($krate::spec::Term::eq($a, $a))"),
    (
        "is_finite",
        "$krate::spec::Term::le($krate::spec::Term::abs($a), $krate::spec::rust::constant(::core::primitive::f64::MAX))",
    ),
    ("is_sorted", "$krate::spec::Term::apply($krate::spec::Op::Sorted, [$a])"),
    ("is_distinct", "$krate::spec::Term::apply($krate::spec::Op::Distinct, [$a])"),
    ("sum", "$krate::spec::Term::apply($krate::spec::Op::Sum, [$a])"),
    ("year", "$krate::spec::Term::apply($krate::spec::Op::Year, [$a])"),
    ("month", "$krate::spec::Term::apply($krate::spec::Op::Month, [$a])"),
    ("day", "$krate::spec::Term::apply($krate::spec::Op::Day, [$a])"),
    ("weekday", "$krate::spec::Term::apply($krate::spec::Op::Weekday, [$a])"),
    ("date", "$krate::spec::Term::apply($krate::spec::Op::DateOf, [$a])"),
    ("time", "$krate::spec::Term::apply($krate::spec::Op::TimeOf, [$a])"),
    ("iter", "$a"),
    ("chars", "$a"),
    ("as_str", "$a"),
    ("clone", "$a"),
    ("copied", "$a"),
];

/// Methods with one argument, which is a term.
const METHODS_OF: [(&str, &str); 10] = [
    ("starts_with", "$krate::spec::Term::apply($krate::spec::Op::StartsWith, [$a, $b])"),
    ("ends_with", "$krate::spec::Term::apply($krate::spec::Op::EndsWith, [$a, $b])"),
    ("contains", "$krate::spec::rust::contains($scope, $a, $b)"),
    ("rem_euclid", "$krate::spec::Term::modulo($a, $b)"),
    ("div_euclid", "$krate::spec::Term::quotient($a, $b)"),
    ("abs_diff", "$krate::spec::Term::abs($krate::spec::Term::minus($a, $b))"),
    ("min", "$krate::spec::rust::least($a, $b)"),
    ("max", "$krate::spec::rust::greatest($a, $b)"),
    ("unwrap_or", "$krate::spec::rust::unwrap_or($a, $b)"),
    ("edit_distance", "$krate::spec::Term::apply($krate::spec::Op::EditDistance, [$a, $b])"),
];

pub(super) struct ExprParser<'a, 's> {
    pub(super) cursor: Cursor<'a>,
    pub(super) scope: &'s NameScope,
    /// The parameters of the closures around, and names of patterns.
    pub(super) locals: Vec<Ident>,
    /// The parameters of closures, and the fields whose items they are, where that is known.
    items: Vec<(String, Option<String>)>,
    depth: u32,
}

/// A value whose type follows from that of a field.
#[derive(Clone)]
struct TypedValue {
    field: String,
    of: ReadPart,
}

/// What of a field a value is.
#[derive(Clone, Copy)]
enum ReadPart {
    Whole,
    /// What is in it, where it is an option.
    Content,
    /// One of its items, where it is a list.
    Item,
}

impl TypedValue {
    /// A statement in which the compiler looks at `$what` of such a value.
    fn statement(&self, what: &str) -> String {
        match self.of {
            ReadPart::Whole => format!("let _ = |it: &$ty| {{ let _ = {what}; }};"),
            ReadPart::Content => {
                format!("let _ = |it: &$ty| {{ let _ = it.as_ref().map(|it| {{ let _ = {what}; }}); }};")
            }
            ReadPart::Item => {
                format!("let _ = |it: &$ty| {{ it.iter().for_each(|it| {{ let _ = {what}; }}); }};")
            }
        }
    }
}

impl ExprParser<'_, '_> {
    /// An expression with nothing behind it.
    fn whole(&mut self, place: Span) -> Result<Tokens> {
        if self.cursor.rest.is_empty() {
            return Err(Error::new(place, format!("an expression is missing here; {HELP}")));
        }
        let res = self.binary(0)?;
        match self.cursor.rest {
            [] => Ok(res),
            rest => Err(unexpected(rest)),
        }
    }

    /// Another expression, in tokens of its own.
    pub(super) fn inner(&mut self, tokens: &[TokenTree], place: Span) -> Result<Tokens> {
        if self.depth == DEPTH_MAX {
            return Err(Error::new(
                place,
                "the expression nests too deep; split it into several requirements",
            ));
        }
        let tokens = unwrap_none(tokens.to_vec());
        let mut parser = ExprParser {
            cursor: Cursor { rest: &tokens },
            scope: self.scope,
            locals: self.locals.clone(),
            items: self.items.clone(),
            depth: self.depth + 1,
        };
        parser.whole(place)
    }

    pub(super) fn fill(&self, span: Span, text: &str, holes: &[(&str, &[TokenTree])]) -> Tokens {
        let ours: [(&str, &[TokenTree]); 2] = [("krate", &self.scope.krate), ("scope", &self.scope.variable)];
        fill_at(span, text, &[&ours, holes].concat())
    }

    fn binary(&mut self, level: usize) -> Result<Tokens> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        while let Some((word, text)) = operators.iter().find(|it| self.is_next(it.0)) {
            let span = start(self.cursor.rest);
            self.cursor.take(word.len());
            let right = self.binary(level + 1)?;
            left = self.fill(span, text, &[("a", &left), ("b", &right)]);
            if level == 2 && operators.iter().any(|it| self.is_next(it.0)) {
                let message = "comparisons do not chain; join them, as in `a < b && b < c`";
                return Err(Error::over(self.cursor.rest, message));
            }
        }
        Ok(left)
    }

    /// Whether the operator `word` is next, and not a longer one.
    fn is_next(&self, word: &str) -> bool {
        let is_char = |(at, char): (usize, char)| is_punct(self.cursor.rest.get(at), char);
        let is_longer = |more: char| {
            matches!(self.cursor.rest.get(word.len() - 1), Some(TokenTree::Punct(it))
                if it.spacing() == crate::pm::Spacing::Joint)
                && is_punct(self.cursor.rest.get(word.len()), more)
        };
        word.chars().enumerate().all(is_char) && !(word.len() == 1 && is_longer('='))
    }

    fn unary(&mut self) -> Result<Tokens> {
        let span = start(self.cursor.rest);
        for (word, text) in [
            ('!', "$krate::spec::Term::negate($a)"),
            ('-', "$krate::spec::rust::negative($a)"),
            ('&', "$a"),
            ('*', "$a"),
        ] {
            if is_punct(self.cursor.rest.first(), word) {
                self.cursor.take(1);
                if self.depth == DEPTH_MAX {
                    return Err(Error::new(span, "the expression nests too deep; make it simpler"));
                }
                self.depth += 1;
                let of = self.unary()?;
                self.depth -= 1;
                return Ok(self.fill(span, text, &[("a", &of)]));
            }
        }
        let before = self.cursor.rest;
        let mut res = self.primary()?;
        let mut base = self.typed(before);
        loop {
            if is_word(self.cursor.rest.first(), "as") {
                self.cursor.take(1);
                let to = self.cursor.ident().map_or_else(String::new, |it| unraw(&it));
                let label = [Literal::string(&to).into()];
                let text = "$krate::spec::rust::cast($scope, $a, $to)";
                res = self.fill(span, text, &[("a", &res), ("to", &label)]);
                base = None;
            } else if let Some(index) = self.cursor.group(Delimiter::Bracket) {
                let at = self.inner(&index, span)?;
                let text = "$krate::spec::Term::apply($krate::spec::Op::Nth, [$a, $b])";
                res = self.fill(span, text, &[("a", &res), ("b", &at)]);
                base = part_of(base, ReadPart::Item);
            } else if is_punct(self.cursor.rest.first(), '.') && !is_punct(self.cursor.rest.get(1), '.') {
                self.cursor.take(1);
                // What is in a field that is an option or a list is checked as the field's.
                let next = match self.cursor.rest.first() {
                    Some(TokenTree::Ident(it)) => unraw(it),
                    _ => String::new(),
                };
                let inner = match &*next {
                    "unwrap" => part_of(base.clone(), ReadPart::Content),
                    "iter" | "clone" | "copied" => base.clone(),
                    _ => None,
                };
                res = self.member(res, base.as_ref())?;
                base = inner;
            } else {
                return Ok(res);
            }
        }
    }

    /// The value that was just read, where it is a field by its name alone, or an item of one.
    fn typed(&self, before: &[TokenTree]) -> Option<TypedValue> {
        let name = match before {
            [TokenTree::Ident(it), ..] if before.len() == self.cursor.rest.len() + 1 => it,
            [this, _, TokenTree::Ident(it), ..]
                if is_word(Some(this), "self") && before.len() == self.cursor.rest.len() + 3 =>
            {
                it
            }
            _ => return None,
        };
        let is_local = self.locals.iter().any(|it| it.to_string() == name.to_string());
        if !is_local {
            return Some(TypedValue { field: unraw(name), of: ReadPart::Whole });
        }
        let item = self.items.iter().rev().find(|it| it.0 == name.to_string())?;
        item.1.clone().map(|field| TypedValue { field, of: ReadPart::Item })
    }

    /// A field or a method of `of`.
    fn member(&mut self, of: Tokens, base: Option<&TypedValue>) -> Result<Tokens> {
        let span = start(self.cursor.rest);
        let word = self.cursor.rest.get(..1).unwrap_or_default().to_vec();
        let name = match self.cursor.take(1) {
            [TokenTree::Ident(it)] => unraw(it),
            [TokenTree::Literal(it)] => it.to_string(),
            _ => {
                return Err(Error::new(span, "a name is missing after the point; write a field or a method"));
            }
        };
        // `sum::<i64>()`
        if is_punct(self.cursor.rest.first(), ':') {
            self.cursor.take(2);
            self.cursor.angles();
        }
        let Some(args) = self.cursor.group(Delimiter::Parenthesis) else {
            if let Some(base) = base {
                self.scope.checks.add(
                    Some(&base.field),
                    span,
                    &base.statement("&it.$name"),
                    &[("name", &word)],
                );
            }
            let name = [Literal::string(&name).into()];
            return Ok(self.fill(
                span,
                "$krate::spec::Term::field($a, $name)",
                &[("a", &of), ("name", &name)],
            ));
        };
        if let ("all" | "any" | "map", [bar, TokenTree::Ident(param), bar2, body @ ..]) =
            (&*name, without_refs(&args).as_slice())
            && is_punct(Some(bar), '|')
            && is_punct(Some(bar2), '|')
        {
            self.locals.push(param.clone());
            let of_field = base.filter(|it| matches!(it.of, ReadPart::Whole));
            self.items.push((param.to_string(), of_field.map(|it| it.field.clone())));
            let body = self.inner(body, span);
            self.locals.pop();
            self.items.pop();
            let text = format!("$krate::spec::Term::{}($a, |$param| $body)", quantifier(&name));
            return Ok(self.fill(
                span,
                &text,
                &[("a", &of), ("param", &[param.clone().into()]), ("body", &body?)],
            ));
        }
        // `map(Tree::size)`: a measure by its path.
        if let ("all" | "any" | "map", [TokenTree::Ident(_), .., TokenTree::Ident(measure)]) =
            (&*name, &args[..])
            && path_len(&args) == args.len()
        {
            let text = "let _ = |it: &$ty| { let _ = it.iter().$name($path); };";
            let field = base.filter(|it| matches!(it.of, ReadPart::Whole)).map(|it| &*it.field);
            if field.is_some() {
                self.scope.checks.add(field, span, text, &[("name", &word), ("path", &args)]);
            }
            let label = [Literal::string(&unraw(measure)).into()];
            let text = format!(
                "$krate::spec::Term::{}($a, |$it| $krate::spec::Term::measure($it, $measure))",
                quantifier(&name)
            );
            let holes: [(&str, &[TokenTree]); 3] = [("a", &of), ("it", &ours("item")), ("measure", &label)];
            return Ok(self.fill(span, &text, &holes));
        }
        // `chars().all(|c| c.is_ascii_digit())`: a pattern.
        if let ("chars", true, [dot, TokenTree::Ident(method), TokenTree::Group(of_each), ..]) =
            (&*name, args.is_empty(), self.cursor.rest)
            && is_punct(Some(dot), '.')
            && let Some(pattern) =
                super::chars::pattern(&method.to_string(), &of_each.stream().into_iter().collect::<Tokens>())
        {
            self.cursor.take(3);
            let text = "$krate::spec::rust::matches($a, $pattern)";
            let pattern = [Literal::string(&pattern).into()];
            return Ok(self.fill(span, text, &[("a", &of), ("pattern", &pattern)]));
        }
        // `max().unwrap_or(0)`: the greatest of a list.
        if let ("max" | "min", true, [dot, next, TokenTree::Group(default), ..]) =
            (&*name, args.is_empty(), self.cursor.rest)
            && is_punct(Some(dot), '.')
            && is_word(Some(next), "unwrap_or")
        {
            let default: Tokens = default.stream().into_iter().collect();
            self.cursor.take(3);
            let default = self.inner(&default, span)?;
            let text = match &*name {
                "max" => "$krate::spec::rust::greatest_of($a, $b)",
                _ => "$krate::spec::rust::least_of($a, $b)",
            };
            return Ok(self.fill(span, text, &[("a", &of), ("b", &default)]));
        }
        // What is no method of requirements is a measure of the value.
        let is_known = METHODS.iter().any(|it| it.0 == name);
        let is_ours = ["all", "any", "map", "matches", "is_match"].contains(&&*name);
        let is_measure = args.is_empty() && !is_known && !is_ours && {
            let is_code = matches!(self.scope.checks, super::NameChecks::Code);
            is_code
                || base.is_some_and(|it| {
                    let text = it.statement("it.$name()");
                    self.scope.checks.add(Some(&it.field), span, &text, &[("name", &word)])
                })
        };
        if is_measure {
            let name = [Literal::string(&name).into()];
            return Ok(self.fill(
                span,
                "$krate::spec::Term::measure($a, $name)",
                &[("a", &of), ("name", &name)],
            ));
        }
        if let ("is_sorted_by", Some(text)) = (&*name, order_of(&args)) {
            return Ok(self.fill(span, text, &[("a", &of)]));
        }
        if name == "matches" || name == "is_match" {
            let text = "$krate::spec::rust::matches($a, $pattern)";
            return Ok(self.fill(span, text, &[("a", &of), ("pattern", &args)]));
        }
        if let (Some((_, text)), true) = (METHODS.iter().find(|it| it.0 == name), args.is_empty()) {
            return Ok(self.fill(span, text, &[("a", &of)]));
        }
        if let (Some((_, text)), false) = (METHODS_OF.iter().find(|it| it.0 == name), args.is_empty()) {
            let arg = self.inner(&args, span)?;
            return Ok(self.fill(span, text, &[("a", &of), ("b", &arg)]));
        }
        let known = METHODS.iter().map(|it| it.0).chain(METHODS_OF.iter().map(|it| it.0));
        let known: Vec<&str> = known.chain(["all", "any", "map", "matches"]).collect();
        let message =
            format!("a requirement has no method `{name}` with these arguments; it has {}", known.join(", "));
        Err(Error::new(span, message))
    }

    fn primary(&mut self) -> Result<Tokens> {
        let rest = self.cursor.rest;
        let span = start(rest);
        match rest {
            [TokenTree::Group(it), ..] if it.delimiter() == Delimiter::Parenthesis => {
                self.cursor.take(1);
                self.inner(&it.stream().into_iter().collect::<Tokens>(), it.span())
            }
            [TokenTree::Group(it), ..] if it.delimiter() == Delimiter::None => {
                self.cursor.take(1);
                self.inner(&it.stream().into_iter().collect::<Tokens>(), it.span())
            }
            // Any expression of Rust, evaluated when the spec is made; braces around one alone would be a warning.
            [it @ TokenTree::Group(group), ..] if group.delimiter() == Delimiter::Brace => {
                self.cursor.take(1);
                let inner: Tokens = group.stream().into_iter().collect();
                let is_block = inner.is_empty() || inner.iter().any(|it| is_punct(Some(it), ';'));
                let it = if is_block { vec![it.clone()] } else { inner };
                Ok(self.fill(span, "$krate::spec::rust::constant($it)", &[("it", &it)]))
            }
            [TokenTree::Group(it), ..] => {
                self.cursor.take(1);
                let parts: Tokens = it.stream().into_iter().collect();
                let items =
                    split(&parts).into_iter().map(|it| self.inner(it, span)).collect::<Result<Vec<_>>>()?;
                let text = "$krate::spec::Term::apply($krate::spec::Op::List, [$items])";
                Ok(self.fill(span, text, &[("items", &list(&items))]))
            }
            [TokenTree::Literal(it), ..] => {
                self.cursor.take(1);
                self.literal(it)
            }
            [word, ..] if is_word(Some(word), "if") => self.choice(),
            [word, ..] if is_word(Some(word), "match") => {
                self.cursor.take(1);
                self.match_()
            }
            [TokenTree::Ident(word), bang, TokenTree::Group(args), ..]
                if word.to_string() == "matches" && is_punct(Some(bang), '!') =>
            {
                self.cursor.take(3);
                self.matches(&args.stream().into_iter().collect::<Tokens>(), span)
            }
            [TokenTree::Ident(_), ..] => self.name(),
            _ => Err(unexpected(rest)),
        }
    }

    fn literal(&self, literal: &Literal) -> Result<Tokens> {
        let text = literal.to_string();
        let token = [TokenTree::from(literal.clone())];
        let span = literal.span();
        if text.starts_with(['"', 'r']) {
            return Ok(self.fill(span, "$krate::spec::Term::text($it)", &[("it", &token)]));
        }
        if let Some(number) = integer(&text) {
            let mut number = Literal::i128_suffixed(number);
            number.set_span(span);
            return Ok(self.fill(span, "$krate::spec::Term::int($it)", &[("it", &[number.into()])]));
        }
        let is_plain = text.chars().all(|it| it.is_ascii_digit() || it == '.' || it == '_');
        if is_plain && text.contains('.') {
            let text = [Literal::string(&text.replace('_', "")).into()];
            return Ok(self.fill(span, "$krate::spec::rust::decimal($it)", &[("it", &text)]));
        }
        Ok(self.fill(span, "$krate::spec::rust::constant($it)", &[("it", &token)]))
    }

    /// `if a { b } else { c }`
    fn choice(&mut self) -> Result<Tokens> {
        let span = start(self.cursor.rest);
        self.cursor.take(1);
        let is_block =
            |it: &TokenTree| matches!(it, TokenTree::Group(it) if it.delimiter() == Delimiter::Brace);
        let at = self.cursor.rest.iter().position(is_block).unwrap_or(self.cursor.rest.len());
        let condition = self.cursor.take(at);
        let then = self.cursor.group(Delimiter::Brace);
        let has_else = is_word(self.cursor.take(1).first(), "else");
        let (Some(then), true) = (then, has_else) else {
            return Err(Error::new(span, "an `if` needs both branches; write `if a { b } else { c }`"));
        };
        let mut of = None;
        let parts = if is_word(condition.first(), "let") {
            let (matched, holds, body) = self.if_let(condition, &then, span)?;
            of = Some(matched);
            [holds, body]
        } else {
            [self.inner(condition, span)?, self.inner(&then, span)?]
        };
        let other = if is_word(self.cursor.rest.first(), "if") {
            self.choice()?
        } else {
            let tokens = self.cursor.group(Delimiter::Brace).unwrap_or_default();
            self.inner(&tokens, span)?
        };
        let text = "$krate::spec::Term::apply($krate::spec::Op::Ite, [$a, $b, $c])";
        let res = self.fill(span, text, &[("a", &parts[0]), ("b", &parts[1]), ("c", &other)]);
        Ok(match of {
            Some(of) => {
                let holes: [(&str, &[TokenTree]); 3] =
                    [("matched", &ours("matched")), ("of", &of), ("it", &res)];
                self.fill(span, "{ let $matched = $of; $it }", &holes)
            }
            None => res,
        })
    }

    /// A field, the parameter of a closure, a variant or a constant.
    fn name(&mut self) -> Result<Tokens> {
        let path = self.cursor.take(path_len(self.cursor.rest));
        let span = start(path);
        let [.., TokenTree::Ident(last)] = path else { return Err(unexpected(path)) };
        let name = unraw(last);
        if path.len() > 1 && name == "from" && matches!(self.cursor.rest.first(), Some(TokenTree::Group(_))) {
            // `u32::from(truth)`: numbers of requirements have no width.
            let args = self.cursor.group(Delimiter::Parenthesis).unwrap_or_default();
            let of = self.inner(&args, span)?;
            if ["f32", "f64"].iter().any(|it| is_word(path.first(), it)) {
                return Ok(self.fill(span, "$krate::spec::rust::cast($scope, $a, \"f64\")", &[("a", &of)]));
            }
            return Ok(self.fill(span, "$krate::spec::rust::number($scope, $a)", &[("a", &of)]));
        }
        if path.len() > 1 || name.starts_with(|it: char| it.is_uppercase()) {
            // `Color::Red` is a variant, `u8::MAX` and `LIMIT` are constants.
            let is_constant = !name.chars().any(char::is_lowercase) && (name.len() > 1 || path.len() == 1);
            let text = if is_constant {
                "$krate::spec::rust::constant($it)"
            } else {
                "$krate::spec::rust::case($it)"
            };
            if !is_constant {
                self.scope.checks.add(
                    None,
                    span,
                    "let _ = |it| match it { $path { .. } => (), _ => () };",
                    &[("path", path)],
                );
            }
            let it = if is_constant { path.to_vec() } else { vec![Literal::string(&name).into()] };
            return Ok(self.fill(span, text, &[("it", &it)]));
        }
        let token = [TokenTree::from(last.clone())];
        if self.locals.iter().any(|it| it.to_string() == last.to_string()) {
            return Ok(self.fill(span, "::core::clone::Clone::clone(&$it)", &[("it", &token)]));
        }
        match &*name {
            "true" => Ok(self.fill(span, "$krate::spec::Term::constant(true)", &[])),
            "false" => Ok(self.fill(span, "$krate::spec::Term::constant(false)", &[])),
            "len" | "abs" if matches!(self.cursor.rest.first(), Some(TokenTree::Group(_))) => {
                let args = self.cursor.group(Delimiter::Parenthesis).unwrap_or_default();
                let of = self.inner(&args, span)?;
                let text =
                    if name == "len" { "$krate::spec::Term::len($a)" } else { "$krate::spec::Term::abs($a)" };
                Ok(self.fill(span, text, &[("a", &of)]))
            }
            // `self.name` is checked as `name` is.
            "self"
                if is_punct(self.cursor.rest.first(), '.')
                    && matches!(self.cursor.rest.get(1), Some(TokenTree::Ident(_)))
                    && !matches!(self.cursor.rest.get(2), Some(TokenTree::Group(_))) =>
            {
                self.cursor.take(1);
                let (span, field) = (start(self.cursor.rest), self.cursor.ident());
                let field = field.map_or_else(String::new, |it| unraw(&it));
                // In the code of a measure it is a field, or the compiler says that it is none.
                if matches!(self.scope.checks, super::NameChecks::Code) && self.scope.names.is_empty() {
                    return Ok(self.scope.field(&field, span));
                }
                self.scope.name(&field, span)
            }
            _ => self.scope.name(&name, span),
        }
    }
}

/// What an iterator's method is as a term.
fn quantifier(method: &str) -> &'static str {
    match method {
        "all" => "forall",
        "any" => "exists",
        _ => "each",
    }
}

/// A part of a value whose type is that of a field.
fn part_of(value: Option<TypedValue>, of: ReadPart) -> Option<TypedValue> {
    value.filter(|it| matches!(it.of, ReadPart::Whole)).map(|it| TypedValue { of, ..it })
}

/// How many tokens a path at the front has.
fn path_len(tokens: &[TokenTree]) -> usize {
    let mut n = 1;
    while is_punct(tokens.get(n), ':') && is_punct(tokens.get(n + 1), ':') && n + 2 < tokens.len() {
        n += 3;
    }
    n
}

/// The parts of a list of expressions.
pub(crate) fn split(tokens: &[TokenTree]) -> Vec<&[TokenTree]> {
    tokens.split(|it| is_punct(Some(it), ',')).filter(|it| !it.is_empty()).collect()
}

/// A closure's parameter may be written `|&it|`.
fn without_refs(args: &[TokenTree]) -> Tokens {
    match args {
        [bar, and, rest @ ..] if is_punct(Some(bar), '|') && is_punct(Some(and), '&') => {
            [std::slice::from_ref(bar), rest].concat()
        }
        _ => args.to_vec(),
    }
}

/// What `|a, b| a < b` or `|a, b| a <= b` says of a list.
fn order_of(args: &[TokenTree]) -> Option<&'static str> {
    let [bar, TokenTree::Ident(a), comma, TokenTree::Ident(b), bar2, TokenTree::Ident(x), less, rest @ ..] =
        args
    else {
        return None;
    };
    let is_closure = is_punct(Some(bar), '|') && is_punct(Some(comma), ',') && is_punct(Some(bar2), '|');
    let is_same = |a: &Ident, b: &Ident| a.to_string() == b.to_string();
    if !is_closure || !is_same(a, x) || !is_punct(Some(less), '<') {
        return None;
    }
    match rest {
        [TokenTree::Ident(y)] if is_same(b, y) => Some(
            "$krate::spec::Term::and(
                $krate::spec::Term::apply($krate::spec::Op::Sorted, [$a]),
                $krate::spec::Term::apply($krate::spec::Op::Distinct, [$a])
            )",
        ),
        [equal, TokenTree::Ident(y)] if is_punct(Some(equal), '=') && is_same(b, y) => {
            Some("$krate::spec::Term::apply($krate::spec::Op::Sorted, [$a])")
        }
        _ => None,
    }
}

fn unexpected(tokens: &[TokenTree]) -> Error {
    match tokens.first() {
        Some(it) => Error::new(it.span(), format!("`{it}` is not understood here; {HELP}")),
        None => Error::new(Span::call_site(), format!("the expression ends too soon; {HELP}")),
    }
}
