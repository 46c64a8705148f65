//! The reader: from text to forms, with the place of each.

use std::sync::Arc;

use super::{Diagnostic, MISTAKES_MAX, Span, too_many_mistakes};
use probity_spec::{Name, Value};

/// Deeper nesting is refused, so that no program overflows the stack.
const DEPTH_MAX: usize = 100;

/// A piece of a program.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Form {
    pub(crate) span: Span,
    pub(crate) kind: FormKind,
}

/// What a form is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum FormKind {
    Symbol(Name),
    Const(Value),
    /// `#rx"…"`
    Regex(Arc<str>),
    List(Arc<[Form]>),
    /// `'form`
    Quote(Arc<Form>),
    /// `?form`
    Blank(Arc<Form>),
}

impl Form {
    pub(crate) fn symbol(&self) -> Option<&Name> {
        if let FormKind::Symbol(name) = &self.kind { Some(name) } else { None }
    }

    pub(crate) fn list(&self) -> Option<&[Form]> {
        if let FormKind::List(items) = &self.kind { Some(items) } else { None }
    }

    /// The word that a list begins with.
    pub(crate) fn head(&self) -> Option<&str> {
        self.list().and_then(|it| it.first()).and_then(Form::symbol).map(|it| &**it)
    }
}

/// The forms of a text, and what is wrong with it. Where brackets or quotes are out of order there are no forms.
pub(crate) fn forms(text: &str) -> (Option<Vec<Form>>, Vec<Diagnostic>) {
    let mut reader = FormReader::blank(text);
    reader.run();
    ((!reader.torn).then_some(reader.done), reader.errors)
}

/// The place of character `column` (from 1) of the text that the literal at `span` represents.
pub(crate) fn inside_literal(text: &str, span: Span, column: usize) -> Span {
    let quote = text[span.start..span.end].find('"').map_or(span.start, |it| span.start + it);
    let mut reader = FormReader { at: quote + 1, ..FormReader::blank(text) };
    for _ in 1..column {
        if reader.at + 1 >= span.end || reader.escaped().is_none() {
            break;
        }
    }
    let start = reader.at.min(span.end.saturating_sub(1));
    let end = if start + 1 < span.end && reader.escaped().is_some() { reader.at } else { start + 1 };
    Span { start, end }
}

struct FormReader<'a> {
    text: &'a str,
    at: usize,
    open: Vec<OpenList>,
    /// `'` and `?` before the next form, with their places.
    prefixes: Vec<(char, usize)>,
    done: Vec<Form>,
    errors: Vec<Diagnostic>,
    /// The first bracket that the layout says should have been closed earlier.
    suspect: Option<Span>,
    /// Whether brackets or quotes are out of order.
    torn: bool,
    /// The line that `seen` is on, from 1, and where it starts.
    line: usize,
    started: usize,
    /// Up to where lines were counted.
    seen: usize,
    /// Up to where the line has only blanks.
    blank_to: usize,
}

/// A list that is being read.
struct OpenList {
    bracket: char,
    at: usize,
    column: usize,
    line: usize,
    items: Vec<Form>,
    prefixes: Vec<(char, usize)>,
}

impl<'a> FormReader<'a> {
    fn blank(text: &'a str) -> FormReader<'a> {
        let (open, prefixes, done, errors) = Default::default();
        let (line, started, seen, blank_to) = (1, 0, 0, 0);
        let (suspect, torn) = (None, false);
        FormReader { text, at: 0, open, prefixes, done, errors, suspect, torn, line, started, seen, blank_to }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Where the line of the place that is read starts. Counted as reading goes on, so that a text is gone through once.
    fn line_start(&mut self) -> usize {
        let passed = &self.text[self.seen..self.at];
        if let Some(last) = passed.rfind('\n') {
            self.line += passed.matches('\n').count();
            self.started = self.seen + last + 1;
            let line = &self.text[self.started..];
            self.blank_to = self.started + line.find(|it: char| !it.is_whitespace()).unwrap_or(line.len());
        } else if self.seen == 0 {
            self.blank_to = self.text.find(|it: char| !it.is_whitespace()).unwrap_or(self.text.len());
        }
        self.seen = self.at;
        self.started
    }

    fn run(&mut self) {
        while let Some(c) = self.rest().chars().next() {
            let start = self.at;
            match c {
                _ if c.is_whitespace() || c == '\u{feff}' => self.at += c.len_utf8(),
                ';' => self.at += self.rest().find('\n').unwrap_or(self.rest().len()),
                '#' if self.rest().starts_with("#|") => self.block_comment(),
                '(' | '[' => self.open(c),
                ')' | ']' => self.close(c),
                '\'' => {
                    self.at += 1;
                    self.prefixes.push(('\'', start));
                }
                '?' => {
                    self.at += 1;
                    self.prefixes.push(('?', start));
                    if !self.rest().starts_with(|it: char| it == '(' || it == '[' || is_symbol(it)) {
                        let span = Span { start, end: start + 1 };
                        let error = Diagnostic::new("`?` needs a type right after it", span);
                        self.errors.push(error.help("write `?Integer` or `?(Option Date)`"));
                        // A type after white space is taken all the same, so that this is told once.
                        if self.rest().trim_start().starts_with([')', ']', '\'', '"']) {
                            self.prefixes.pop();
                        }
                    }
                }
                '"' => self.literal(start, ""),
                '#' => self.hash(start),
                _ => self.word(start),
            }
            if self.errors.len() > MISTAKES_MAX {
                self.errors.push(too_many_mistakes(start));
                self.open.clear();
                self.torn = true;
                return;
            }
            if self.open.len() + self.prefixes.len() > DEPTH_MAX {
                let span = Span { start, end: start + 1 };
                self.errors.push(Diagnostic::new(format!("nested more than {DEPTH_MAX} levels deep"), span));
                self.open.clear();
                self.torn = true;
                return;
            }
        }
        if let Some(last) = self.open.last() {
            let span = self.suspect.unwrap_or(Span { start: last.at, end: last.at + 1 });
            let bracket = &self.text[span.start..span.end];
            self.torn = true;
            self.errors.push(
                Diagnostic::new(format!("`{bracket}` is never closed"), span)
                    .help(format!("close it with `{}`", if bracket == "(" { ')' } else { ']' })),
            );
        }
        self.dangling();
    }

    /// Quotes and question marks with nothing after them.
    fn dangling(&mut self) {
        for (prefix, at) in std::mem::take(&mut self.prefixes) {
            let span = Span { start: at, end: at + 1 };
            self.errors.push(Diagnostic::new(format!("nothing follows this `{prefix}`"), span));
        }
    }

    fn push(&mut self, kind: FormKind, start: usize) {
        let end = self.at;
        let mut form = Form { span: Span { start, end }, kind };
        for (prefix, at) in std::mem::take(&mut self.prefixes).into_iter().rev() {
            let inner = Arc::new(form);
            let kind = if prefix == '?' { FormKind::Blank(inner) } else { FormKind::Quote(inner) };
            form = Form { span: Span { start: at, end }, kind };
        }
        match self.open.last_mut() {
            Some(open) => open.items.push(form),
            None => self.done.push(form),
        }
    }

    fn open(&mut self, bracket: char) {
        let line = self.line_start();
        let column = self.at - line;
        if self.blank_to >= self.at {
            let outer = self.open.iter().rev().find(|it| it.column >= column && it.at < line);
            self.suspect = self.suspect.or(outer.map(|it| Span { start: it.at, end: it.at + 1 }));
        }
        let prefixes = std::mem::take(&mut self.prefixes);
        self.open.push(OpenList {
            bracket,
            at: self.at,
            column,
            line: self.line,
            items: Vec::new(),
            prefixes,
        });
        self.at += 1;
    }

    fn close(&mut self, bracket: char) {
        let span = Span { start: self.at, end: self.at + 1 };
        self.dangling();
        self.at += 1;
        let Some(open) = self.open.pop() else {
            self.torn = true;
            let message = format!("unexpected `{bracket}`: no bracket is open here");
            self.errors.push(Diagnostic::new(message, span).help("remove it"));
            return;
        };
        if (open.bracket == '(') != (bracket == ')') {
            let closing = if open.bracket == '(' { ')' } else { ']' };
            let line = open.line;
            let message = format!("`{bracket}` closes the `{}` of line {line}", open.bracket);
            self.errors.push(Diagnostic::new(message, span).label(format!("expected `{closing}`")));
        }
        self.prefixes = open.prefixes;
        self.push(FormKind::List(open.items.into()), open.at);
    }

    fn block_comment(&mut self) {
        let start = self.at;
        let mut depth = 0;
        while self.at < self.text.len() {
            let rest = self.rest();
            if rest.starts_with("#|") {
                depth += 1;
                self.at += 2;
            } else if rest.starts_with("|#") {
                depth -= 1;
                self.at += 2;
                if depth == 0 {
                    return;
                }
            } else {
                self.at += rest.chars().next().map_or(1, char::len_utf8);
            }
        }
        let span = Span { start, end: start + 2 };
        self.open.clear();
        self.torn = true;
        self.errors.push(Diagnostic::new("this comment is never closed", span).help("close it with `|#`"));
    }

    /// The next character of a literal: itself, or what its escape represents (two characters for an escape that
    /// is none of ours, as in `\d`). None at the end of the text.
    fn escaped(&mut self) -> Option<(char, Option<char>)> {
        let mut chars = self.rest().chars();
        let first = chars.next()?;
        self.at += first.len_utf8();
        if first != '\\' {
            return Some((first, None));
        }
        let second = chars.next()?;
        self.at += second.len_utf8();
        Some(match second {
            'n' => ('\n', None),
            't' => ('\t', None),
            'r' => ('\r', None),
            '"' | '\\' => (second, None),
            'u' => {
                let digits = self.rest().get(..4).filter(|it| it.bytes().all(|it| it.is_ascii_hexdigit()));
                match digits.and_then(|it| char::from_u32(u32::from_str_radix(it, 16).ok()?)) {
                    Some(c) => {
                        self.at += 4;
                        (c, None)
                    }
                    None => ('\\', Some('u')),
                }
            }
            _ => ('\\', Some(second)),
        })
    }

    /// A text in quotes; `start` is before what is in front of them, `tag`.
    fn literal(&mut self, start: usize, tag: &str) {
        let quote = self.at;
        self.at += 1;
        let mut text = String::new();
        loop {
            if self.rest().starts_with('"') {
                self.at += 1;
                break;
            }
            let Some((c, more)) = self.escaped() else {
                self.at = self.text.len();
                let span = Span { start: quote, end: quote + 1 };
                let error = Diagnostic::new("this text is never closed", span);
                self.errors.push(error.help("end it with `\"`"));
                // Whatever follows is inside the text: brackets that look unclosed are not worth a word.
                self.open.clear();
                self.torn = true;
                return;
            };
            text.push(c);
            text.extend(more);
        }
        let span = Span { start, end: self.at };
        let (value, what) = match tag {
            "rx" | "px" => return self.push(FormKind::Regex(text.into()), start),
            "" => return self.push(FormKind::Const(Value::Text(text.into())), start),
            "date" => (text.parse().map(Value::Date), "2017-10-21"),
            "time" => (text.parse().map(Value::Time), "10:00:00"),
            "datetime" => (text.parse().map(Value::DateTime), "2017-10-21T10:00:00"),
            _ => (text.parse().map(Value::Duration), "PT90S"),
        };
        match value {
            Ok(value) => self.push(FormKind::Const(value), start),
            Err(()) => {
                let error = Diagnostic::new(format!("`{text}` is not a {tag}"), span);
                self.errors.push(error.help(format!("write it as `#{tag}\"{what}\"`")));
                // Something stands here, so that the form around keeps its number of parts.
                self.push(FormKind::Symbol(POISON.into()), start);
            }
        }
    }

    fn hash(&mut self, start: usize) {
        let rest = self.rest();
        for tag in ["rx", "px", "datetime", "date", "time", "duration"] {
            if rest[1..].starts_with(tag) && rest[1 + tag.len()..].starts_with('"') {
                self.at += 1 + tag.len();
                return self.literal(start, tag);
            }
        }
        self.at += 1;
        self.at += self.rest().find(|it| !is_symbol(it)).unwrap_or(self.rest().len());
        match &self.text[start..self.at] {
            "#t" | "#true" => self.push(FormKind::Const(Value::Bool(true)), start),
            "#f" | "#false" => self.push(FormKind::Const(Value::Bool(false)), start),
            token => {
                let error = Diagnostic::new(format!("unknown `{token}`"), Span { start, end: self.at });
                self.errors
                    .push(error.help("`#t`, `#f`, `#rx\"…\"`, `#date\"…\"` and `#|…|#` begin with `#`"));
                self.push(FormKind::Symbol(POISON.into()), start);
            }
        }
    }

    fn word(&mut self, start: usize) {
        self.at += self.rest().find(|it| !is_symbol(it)).unwrap_or(self.rest().len());
        if self.at == start {
            self.at += self.rest().chars().next().map_or(1, char::len_utf8);
            let c = &self.text[start..self.at];
            self.errors.push(Diagnostic::new(format!("unexpected `{c}`"), Span { start, end: self.at }));
            return;
        }
        let token = &self.text[start..self.at];
        let digits = token.strip_prefix(['-', '+']).unwrap_or(token);
        let numeric = digits.starts_with(|it: char| it.is_ascii_digit())
            && digits.bytes().all(|it| it.is_ascii_digit() || it == b'.');
        let token = token.strip_prefix('+').filter(|_| numeric).unwrap_or(token);
        let kind = match token {
            "true" => FormKind::Const(Value::Bool(true)),
            "false" => FormKind::Const(Value::Bool(false)),
            _ if !numeric => FormKind::Symbol(token.into()),
            _ => match (token.parse(), token.parse()) {
                (Ok(int), _) => FormKind::Const(Value::Int(int)),
                (_, Ok(number)) => FormKind::Const(Value::Number(number)),
                _ => {
                    let span = Span { start, end: self.at };
                    let error = Diagnostic::new(format!("`{token}` is not a number we can hold"), span);
                    self.errors.push(error.help("numbers have one point at most and fit in 128 bits"));
                    FormKind::Symbol(POISON.into())
                }
            },
        };
        self.push(kind, start);
    }
}

/// Stands where something unreadable stood; its error was given.
pub(crate) const POISON: &str = "\u{0}poison";

fn is_symbol(c: char) -> bool {
    !c.is_whitespace() && !c.is_control() && !"()[]\";'`,#{}|".contains(c)
}
