//! Patterns of `match`: on quoted data and on the structure of regexes.

use std::rc::Rc;
use std::sync::Arc;

use super::Diagnostic;
use super::interp::{Interp, Res};
use super::reader::{Form, FormKind};
use super::value::{LangValue, Scope};
use probity_spec::Value;
use probity_spec::regex::{Regex, RegexShape};

/// Patterns that look into a regex.
const REGEX: [&str; 10] = [
    "char-class",
    "re-union",
    "re-plus",
    "re-star",
    "re-?",
    "re-repeat",
    "any-char",
    "concat",
    "literal",
    "look",
];

/// Whether a pattern fits.
pub(crate) enum Match {
    Yes,
    No,
}

impl From<bool> for Match {
    fn from(it: bool) -> Match {
        if it { Match::Yes } else { Match::No }
    }
}

impl Interp<'_> {
    /// Whether `val` fits the pattern; the names in it are set in `scope`.
    pub(crate) fn matches(&mut self, pattern: &Form, val: &LangValue, scope: &Rc<Scope>) -> Res<Match> {
        match &pattern.kind {
            FormKind::Symbol(name) if &**name == "_" || &**name == "else" => Ok(Match::Yes),
            FormKind::Symbol(name) => {
                scope.set(name, val.clone());
                Ok(Match::Yes)
            }
            FormKind::Const(value) => Ok((val.as_const() == Some(value)).into()),
            FormKind::Quote(inner) => Ok(same(inner, val).into()),
            FormKind::Regex(text) => {
                Ok(matches!(val, LangValue::Regex(it) if it.pattern() == &**text).into())
            }
            FormKind::Blank(_) => self.wrong("a blank cannot be a pattern", pattern.span),
            FormKind::List(items) => self.matches_list(pattern, items, val, scope),
        }
    }

    fn matches_list(
        &mut self,
        pattern: &Form,
        items: &[Form],
        val: &LangValue,
        scope: &Rc<Scope>,
    ) -> Res<Match> {
        match (pattern.head(), val) {
            (Some("or"), _) => {
                for item in &items[1..] {
                    if let Match::Yes = self.matches(item, val, scope)? {
                        return Ok(Match::Yes);
                    }
                }
                Ok(Match::No)
            }
            (Some("and"), _) => {
                for item in &items[1..] {
                    if let Match::No = self.matches(item, val, scope)? {
                        return Ok(Match::No);
                    }
                }
                Ok(Match::Yes)
            }
            (Some("list"), LangValue::List(vals)) => self.matches_all(&items[1..], vals, scope),
            (Some("cons"), _) if items.len() != 3 => self.usage("(cons first rest)", pattern.span),
            (Some("cons"), LangValue::List(vals)) => match vals.split_first() {
                Some((first, rest)) => match self.matches(&items[1], first, scope)? {
                    Match::Yes => self.matches(&items[2], &LangValue::List(rest.into()), scope),
                    Match::No => Ok(Match::No),
                },
                None => Ok(Match::No),
            },
            (Some("list" | "cons"), _) => Ok(Match::No),
            (Some(head), LangValue::Regex(regex)) => {
                self.matches_regex(head, pattern, &items[1..], regex, scope)
            }
            (Some(head), LangValue::List(vals)) => {
                let fits = matches!(vals.first().and_then(LangValue::as_const), Some(Value::Case(it)) if &**it == head);
                if fits { self.matches_all(&items[1..], &vals[1..], scope) } else { Ok(Match::No) }
            }
            (None, LangValue::List(vals)) => self.matches_all(items, vals, scope),
            _ => Ok(Match::No),
        }
    }

    fn matches_all(&mut self, patterns: &[Form], vals: &[LangValue], scope: &Rc<Scope>) -> Res<Match> {
        // `p ...` at the end represents everything that is left.
        if let [before @ .., rest, dots] = patterns
            && dots.symbol().is_some_and(|it| &**it == "..." || &**it == "…")
        {
            if vals.len() < before.len() {
                return Ok(Match::No);
            }
            let (first, left) = vals.split_at(before.len());
            return match self.matches_all(before, first, scope)? {
                Match::Yes => self.matches(rest, &LangValue::List(left.into()), scope),
                Match::No => Ok(Match::No),
            };
        }
        if patterns.len() != vals.len() {
            return Ok(Match::No);
        }
        for (pattern, val) in patterns.iter().zip(vals) {
            if let Match::No = self.matches(pattern, val, scope)? {
                return Ok(Match::No);
            }
        }
        Ok(Match::Yes)
    }

    fn matches_regex(
        &mut self,
        head: &str,
        pattern: &Form,
        patterns: &[Form],
        regex: &Arc<Regex>,
        scope: &Rc<Scope>,
    ) -> Res<Match> {
        if !REGEX.contains(&head) && !["re-+", "re-*", "re-optional", "re-concat", "re-or"].contains(&head) {
            let error = Diagnostic::new(format!("`{head}` is not a part of a regex"), pattern.span);
            let help = self.nearest(head, REGEX).unwrap_or_else(|| format!("known are {}", REGEX.join(", ")));
            return self.fail(error.help(help));
        }
        let parts = match (head, regex.shape()) {
            ("char-class", RegexShape::CharClass(parts)) if parts.len() < 2 || self.whole_classes => {
                vec![LangValue::Regex(regex.clone())]
            }
            ("re-union" | "re-or", RegexShape::CharClass(parts))
                if parts.len() > 1 && !self.whole_classes =>
            {
                halves(parts, patterns.len(), Regex::union)
            }
            ("re-union" | "re-or", RegexShape::Union(parts)) => halves(parts, patterns.len(), Regex::union),
            ("concat" | "re-concat", RegexShape::Concat(parts)) => {
                halves(parts, patterns.len(), Regex::concat)
            }
            ("re-plus" | "re-+", RegexShape::Plus(it))
            | ("re-star" | "re-*", RegexShape::Star(it))
            | ("re-?" | "re-optional", RegexShape::Optional(it)) => vec![one(it)],
            ("look", RegexShape::Look) => vec![LangValue::Regex(regex.clone())],
            ("re-repeat", RegexShape::Repeat(it, min, max)) => {
                let max = max.map_or(Value::Option(None), |it| Value::Int(it.into()));
                vec![one(it), LangValue::constant(Value::Int(min.into())), LangValue::constant(max)]
            }
            ("any-char", RegexShape::AnyChar) => Vec::new(),
            ("literal", RegexShape::Literal(text)) => vec![LangValue::constant(Value::Text(text.into()))],
            ("literal", RegexShape::Empty) => vec![LangValue::constant(Value::from(""))],
            _ => return Ok(Match::No),
        };
        self.matches_all(patterns, &parts, scope)
    }
}

/// Parts for this many patterns: two patterns take the first part and all the others together.
fn halves(parts: Vec<Regex>, patterns: usize, join: fn(&[Regex]) -> Regex) -> Vec<LangValue> {
    if patterns == 2 && parts.len() > 2 {
        return vec![one(parts[0].clone()), one(join(&parts[1..]))];
    }
    parts.into_iter().map(one).collect()
}

fn one(regex: Regex) -> LangValue {
    LangValue::Regex(Arc::new(regex))
}

/// Whether a value is the same as quoted data.
fn same(form: &Form, val: &LangValue) -> bool {
    match (&form.kind, val) {
        (FormKind::List(items), LangValue::List(vals)) => {
            items.len() == vals.len() && items.iter().zip(vals.iter()).all(|(form, val)| same(form, val))
        }
        (FormKind::Symbol(name), _) => val.as_const() == Some(&Value::Case(name.clone())),
        (FormKind::Const(value), _) => val.as_const() == Some(value),
        _ => false,
    }
}

/// A value in messages.
pub(crate) fn shown(val: &LangValue) -> String {
    match val {
        LangValue::Term(it) => match it.as_const() {
            Some(value) => format!("`{value}`"),
            None => it.sort.what(),
        },
        LangValue::Regex(it) => format!("the regex `{}`", it.pattern()),
        LangValue::List(items) => format!("a list of {}", items.len()),
        LangValue::Function(it) => format!("the function {}", it.shown()),
        LangValue::Difference(..) => "a constraint".to_string(),
        LangValue::Poison => "a mistake".to_string(),
    }
}
