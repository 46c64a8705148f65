//! Named patterns and `$name` in patterns.

use std::sync::Arc;

use super::spec::SpecReader;
use crate::json::{Json, JsonKind};
use crate::language::{Diagnostic, Span};
use probity_spec::Name;
use probity_spec::regex::Regex;

/// References nested deeper than this are refused.
const DEPTH_MAX: usize = 64;
/// The longest pattern that names may add up to.
const PATTERN_MAX: usize = 100_000;

impl SpecReader<'_> {
    /// All patterns of the file that are right, by name.
    pub(super) fn patterns(&mut self) -> Vec<(Name, Arc<Regex>)> {
        let named =
            |it: &(Name, Option<String>)| Some((it.0.clone(), Arc::new(Regex::new(it.1.as_ref()?).ok()?)));
        let new: Vec<_> = self.expanded[self.patterns.len()..].iter().map(named).collect();
        self.patterns.extend(new);
        self.patterns.iter().flatten().cloned().collect()
    }

    /// The regex of a `pat`, with `$name` replaced by the named pattern.
    pub(super) fn regex(&mut self, json: &Json) -> Option<Arc<Regex>> {
        let pattern = self.expand(json)?;
        match Regex::new(&pattern) {
            Ok(regex) => Some(Arc::new(regex)),
            Err(error) => {
                let mut span = json.span;
                let JsonKind::Text(written) = &json.kind else { return None };
                if **written == *pattern {
                    span = inside(self.text, json.span, error.column);
                }
                self.errors.push(Diagnostic::new(format!("in this pattern, {}", error.message), span));
                None
            }
        }
    }

    /// The pattern of a named spec, if it has one.
    fn named_pattern(&mut self, name: &Name, span: Span) -> Option<String> {
        if let Some(at) = self.expanded_at.get(name) {
            return self.expanded[*at].1.clone();
        }
        if self.expanding.len() >= DEPTH_MAX {
            let error = format!("patterns refer to each other more than {DEPTH_MAX} deep");
            self.errors.push(Diagnostic::new(error, span));
            return None;
        }
        if self.expanding.contains(name) {
            self.errors.push(Diagnostic::new(format!("the pattern `{name}` contains itself"), span));
            return None;
        }
        let json = self.json(name)?;
        let Some(pat) = json.get("pat") else {
            let error = Diagnostic::new(format!("`{name}` has no pattern"), span);
            self.errors.push(
                error.help(format!("give it one: `\"{name}\": {{\"type\": \"Regex\", \"pat\": \"…\"}}`")),
            );
            return None;
        };
        self.expanding.push(name.clone());
        let res = self.expand(pat);
        self.expanding.pop();
        self.expanded_at.insert(name.clone(), self.expanded.len());
        self.expanded.push((name.clone(), res.clone()));
        res
    }

    fn expand(&mut self, json: &Json) -> Option<String> {
        let JsonKind::Text(pattern) = &json.kind else {
            self.errors.push(Diagnostic::new(
                format!("a pattern must be a string, found {}", json.what()),
                json.span,
            ));
            return None;
        };
        let mut res = String::new();
        let mut chars = pattern.char_indices().peekable();
        let mut in_class = 0_usize;
        while let Some((at, c)) = chars.next() {
            match c {
                '\\' => {
                    res.push(c);
                    res.extend(chars.next().map(|it| it.1));
                }
                '[' => {
                    in_class += 1;
                    res.push(c);
                }
                ']' => {
                    in_class = in_class.saturating_sub(1);
                    res.push(c);
                }
                '$' if in_class == 0 => {
                    let rest = &pattern[at + 1..];
                    let braced = rest.strip_prefix('{').and_then(|it| it.split_once('}')).map(|it| it.0);
                    let word = rest.find(|it: char| !it.is_alphanumeric() && it != '_').unwrap_or(rest.len());
                    let name = braced.unwrap_or(&rest[..word]);
                    if name.is_empty() {
                        res.push(c);
                        continue;
                    }
                    let column = pattern[..at].chars().count() + 1;
                    let mut span = inside(self.text, json.span, column);
                    span.end += name.len() + if braced.is_some() { 2 } else { 0 };
                    let name: Name = name.into();
                    if !self.has(&name) {
                        let error = Diagnostic::new(format!("unknown pattern `${name}`"), span);
                        let help = self.nearest(&name, self.names());
                        self.errors
                            .push(error.help(help.unwrap_or("write `\\\\$` for a dollar sign".to_string())));
                        return None;
                    }
                    self.referred.insert(name.clone());
                    let inner = self.named_pattern(&name, span)?;
                    res.push_str(&format!("(?:{inner})"));
                    let length = name.chars().count() + if braced.is_some() { 2 } else { 0 };
                    (0..length).for_each(|_| {
                        chars.next();
                    });
                }
                _ => res.push(c),
            }
            if res.len() > PATTERN_MAX {
                let error = format!("this pattern gets longer than {PATTERN_MAX} characters");
                self.errors.push(Diagnostic::new(error, json.span));
                return None;
            }
        }
        Some(res)
    }
}

/// The place of character `column` (from 1) of the string at `span`, escapes counted as written.
fn inside(text: &str, span: Span, column: usize) -> Span {
    let body = &text[span.start + 1..span.end.max(span.start + 2) - 1];
    let mut at = 0;
    for _ in 1..column {
        let mut chars = body[at..].chars();
        let Some(first) = chars.next() else { break };
        at += first.len_utf8();
        // In a spec file only these escapes stand for one character; others keep their backslash.
        if first == '\\' && body[at..].starts_with(['\\', '"', '/', 'n', 't', 'r', 'f']) {
            at += 1;
        }
    }
    let start = span.start + 1 + at;
    Span { start, end: start + text[start..].chars().next().map_or(1, char::len_utf8) }
}
