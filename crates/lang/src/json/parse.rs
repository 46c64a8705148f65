//! The reader of JSON.

use std::collections::HashSet;
use std::sync::Arc;

use super::{Json, JsonKind};
use crate::language::{Diagnostic, Span};
use probity_spec::Decimal;

/// Deeper nesting is refused, so that no text overflows the stack.
const DEPTH_MAX: usize = 128;
/// More values are refused: each takes about a hundred bytes.
const VALUES_MAX: usize = 3_000_000;
/// Exponents beyond this are refused; no exact number of ours needs them.
const EXPONENT_MAX: i64 = 40;

/// Reads a JSON text.
pub fn parse(text: &str) -> Result<Json, Diagnostic> {
    let mut parser = JsonParser { text, at: 0, depth: 0, values: 0, lenient: false };
    let json = parser.value()?;
    parser.blank();
    if parser.at < text.len() {
        let span = parser.here();
        return Err(Diagnostic::new("unexpected text after the end of the JSON value", span)
            .label("the value ended before this"));
    }
    Ok(json)
}

/// Reads a spec file, which may be written as the paper prints it: the braces around everything and the commas
/// between members may be missing, and a backslash before a letter that is no escape stays in the text.
pub(crate) fn parse_spec_file(text: &str) -> Result<Json, Diagnostic> {
    let mut parser = JsonParser { text, at: 0, depth: 0, values: 0, lenient: true };
    parser.blank();
    if parser.peek() == Some('{') {
        let json = parser.value()?;
        parser.blank();
        if parser.at == text.len() {
            return Ok(json);
        }
        let span = parser.here();
        return Err(Diagnostic::new("unexpected text after the closing `}` of the file", span)
            .help("a spec file is one object; put every spec between its braces"));
    }
    if parser.peek().is_some_and(|it| it != '"') {
        return Err(parser
            .expected("a name in double quotes")
            .help("a spec file is an object of named specs"));
    }
    let members = parser.members(None)?;
    Ok(Json { span: Span { start: 0, end: text.len() }, kind: JsonKind::Object(members) })
}

struct JsonParser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    /// How many values were met.
    values: usize,
    /// Whether the liberties of spec files are allowed.
    lenient: bool,
}

impl JsonParser<'_> {
    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    /// The next character's place; the last place when there is none.
    fn here(&self) -> Span {
        Span { start: self.at, end: self.at + self.peek().map_or(0, char::len_utf8) }
    }

    fn blank(&mut self) {
        let rest = self.text[self.at..].trim_start_matches([' ', '\t', '\n', '\r', '\u{feff}']);
        self.at = self.text.len() - rest.len();
    }

    fn eat(&mut self, c: char) -> bool {
        let eaten = self.peek() == Some(c);
        self.at += if eaten { c.len_utf8() } else { 0 };
        eaten
    }

    fn expected(&self, what: &str) -> Diagnostic {
        let found = match self.peek() {
            None => "but the text ends".to_string(),
            Some(c) => format!("found `{c}`"),
        };
        Diagnostic::new(format!("expected {what}, {found}"), self.here())
    }

    fn value(&mut self) -> Result<Json, Diagnostic> {
        self.blank();
        let start = self.at;
        self.values += 1;
        if self.values > VALUES_MAX {
            let error = Diagnostic::new(format!("there are more than {VALUES_MAX} values"), self.here());
            return Err(error.help("split it into several texts"));
        }
        let kind = match self.peek() {
            Some('{') => {
                self.deeper(start)?;
                JsonKind::Object(self.members(Some(start))?)
            }
            Some('[') => {
                self.deeper(start)?;
                JsonKind::List(self.elements(start)?)
            }
            Some('"') => JsonKind::Text(self.string()?),
            Some(c) if c == '-' || c.is_ascii_digit() => JsonKind::Number(self.number()?),
            _ => self.word()?,
        };
        Ok(Json { span: Span { start, end: self.at }, kind })
    }

    fn deeper(&mut self, start: usize) -> Result<(), Diagnostic> {
        self.at += 1;
        self.depth += 1;
        let span = Span { start, end: start + 1 };
        let message = format!("nested more than {DEPTH_MAX} levels deep");
        if self.depth > DEPTH_MAX { Err(Diagnostic::new(message, span)) } else { Ok(()) }
    }

    fn word(&mut self) -> Result<JsonKind, Diagnostic> {
        for (word, kind) in
            [("null", JsonKind::Null), ("true", JsonKind::Bool(true)), ("false", JsonKind::Bool(false))]
        {
            if let Some(rest) = self.text[self.at..].strip_prefix(word)
                && !rest.starts_with(|it: char| it.is_alphanumeric())
            {
                self.at += word.len();
                return Ok(kind);
            }
        }
        Err(self.expected("a value"))
    }

    /// Members up to the closing brace, or to the end of the text where no brace was opened.
    fn members(&mut self, open: Option<usize>) -> Result<Vec<(Arc<str>, Span, Json)>, Diagnostic> {
        let mut members: Vec<(Arc<str>, Span, Json)> = Vec::new();
        let mut keys: HashSet<Arc<str>> = HashSet::new();
        loop {
            self.blank();
            match (self.peek(), open) {
                (Some('}'), Some(_)) if self.lenient || members.is_empty() => break,
                (None, None) => return Ok(members),
                (None, Some(open)) => return Err(unclosed("{", open)),
                _ => {}
            }
            let start = self.at;
            if self.peek() != Some('"') {
                return Err(self.expected("a name in double quotes"));
            }
            let key = self.string()?;
            let span = Span { start, end: self.at };
            if !keys.insert(key.clone()) {
                return Err(Diagnostic::new(format!("`{key}` is given twice"), span)
                    .help("remove one of them, or rename it"));
            }
            self.blank();
            if !self.eat(':') {
                return Err(self.expected("`:` and a value"));
            }
            let json = self.value()?;
            members.push((key, span, json));
            self.blank();
            let follows = self.eat(',') || (self.lenient && self.peek() == Some('"'));
            if !follows {
                match (self.peek(), open) {
                    (Some('}'), Some(_)) => break,
                    (None, None) => return Ok(members),
                    (None, Some(open)) => return Err(unclosed("{", open)),
                    _ => return Err(self.expected("`,` or `}`")),
                }
            }
        }
        self.at += 1;
        self.depth -= 1;
        Ok(members)
    }

    fn elements(&mut self, open: usize) -> Result<Vec<Json>, Diagnostic> {
        let mut elements = Vec::new();
        self.blank();
        while !(elements.is_empty() && self.peek() == Some(']')) {
            self.blank();
            if self.peek().is_none() {
                return Err(unclosed("[", open));
            }
            elements.push(self.value()?);
            self.blank();
            if !self.eat(',') {
                match self.peek() {
                    Some(']') => break,
                    None => return Err(unclosed("[", open)),
                    _ => return Err(self.expected("`,` or `]`")),
                }
            }
        }
        self.at += 1;
        self.depth -= 1;
        Ok(elements)
    }

    fn number(&mut self) -> Result<Decimal, Diagnostic> {
        let start = self.at;
        let rest = &self.text[start..];
        let end = rest.find(|it: char| !it.is_ascii_alphanumeric() && !"+-.".contains(it));
        let token = &rest[..end.unwrap_or(rest.len())];
        self.at += token.len();
        let span = Span { start, end: self.at };
        let bad = || Diagnostic::new(format!("`{token}` is not a JSON number"), span);
        let (digits, exponent) = token.split_once(['e', 'E']).unwrap_or((token, "0"));
        let exponent: i64 = exponent.parse().map_err(|_| bad())?;
        let whole = digits.strip_prefix('-').unwrap_or(digits);
        if whole.len() > 1 && whole.starts_with('0') && !whole.starts_with("0.") {
            return Err(bad().help("leave out the leading zeros"));
        }
        let large = || Diagnostic::new(format!("`{token}` has more digits than 128 bits hold"), span);
        let well_formed = !whole.is_empty()
            && whole.split('.').count() <= 2
            && whole.split('.').all(|it| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit()));
        if !well_formed {
            return Err(bad());
        }
        let number: Decimal = digits.parse().map_err(|()| large())?;
        if exponent.abs() > EXPONENT_MAX {
            return if number.mantissa() == 0 { Ok(number) } else { Err(large()) };
        }
        let power = 10_i128.checked_pow(exponent.unsigned_abs() as u32).ok_or_else(large)?;
        if exponent < 0 {
            return Ok(Decimal::new(number.mantissa(), number.scale() + exponent.unsigned_abs() as u32));
        }
        number.checked_mul(Decimal::new(power, 0)).ok_or_else(large)
    }

    fn string(&mut self) -> Result<Arc<str>, Diagnostic> {
        let open = self.at;
        self.at += 1;
        let mut res = String::new();
        loop {
            let start = self.at;
            match self.peek() {
                None | Some('\n') => {
                    let span = Span { start: open, end: open + 1 };
                    return Err(Diagnostic::new("this string is never closed", span)
                        .help("end it with `\"` on the same line"));
                }
                Some('"') => break,
                Some('\\') => {
                    self.at += 1;
                    let c = self.escape(start)?;
                    res.push_str(&c);
                }
                Some(c) => {
                    if c < ' ' && !self.lenient {
                        return Err(Diagnostic::new("a control character in a string", self.here())
                            .help(format!("write it as `\\u{:04x}`", u32::from(c))));
                    }
                    self.at += c.len_utf8();
                    res.push(c);
                }
            }
        }
        self.at += 1;
        Ok(res.into())
    }

    /// What an escape represents; its backslash was read.
    fn escape(&mut self, start: usize) -> Result<String, Diagnostic> {
        let c = self.peek().unwrap_or('\n');
        self.at += self.peek().map_or(0, char::len_utf8);
        let span = Span { start, end: self.at };
        Ok(match c {
            '"' | '\\' | '/' => c.to_string(),
            'n' => "\n".to_string(),
            't' => "\t".to_string(),
            'r' => "\r".to_string(),
            // In a pattern `\b` is a word boundary; nobody asks for a backspace there.
            'b' if !self.lenient => "\u{8}".to_string(),
            'f' => "\u{c}".to_string(),
            'u' => return self.unicode(start).map(|it| it.to_string()),
            _ if self.lenient && c != '\n' => format!("\\{c}"),
            _ => {
                return Err(Diagnostic::new(format!("unknown escape `\\{c}`"), span)
                    .help(format!("write `\\\\{c}` for a backslash and `{c}`")));
            }
        })
    }

    fn unicode(&mut self, start: usize) -> Result<char, Diagnostic> {
        let mut unit = || {
            let digits = self.text.get(self.at..self.at + 4)?;
            digits.bytes().all(|it| it.is_ascii_hexdigit()).then_some(())?;
            self.at += 4;
            u32::from_str_radix(digits, 16).ok()
        };
        let first = unit();
        let code = match first {
            Some(high @ 0xd800..0xdc00) if self.text[self.at..].starts_with("\\u") => {
                self.at += 2;
                let low = self.text.get(self.at..self.at + 4).and_then(|it| u32::from_str_radix(it, 16).ok());
                self.at += if low.is_some() { 4 } else { 0 };
                low.filter(|it| (0xdc00..0xe000).contains(it))
                    .map(|low| 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00))
            }
            other => other,
        };
        let span = Span { start, end: self.at };
        code.and_then(char::from_u32).ok_or_else(|| {
            Diagnostic::new("this escape is not a character", span)
                .help("write `\\u` and four hexadecimal digits; characters beyond them are a surrogate pair")
        })
    }
}

fn unclosed(bracket: &str, open: usize) -> Diagnostic {
    let closing = if bracket == "{" { "}" } else { "]" };
    Diagnostic::new(format!("`{bracket}` is never closed"), Span { start: open, end: open + 1 })
        .help(format!("close it with `{closing}`"))
}
