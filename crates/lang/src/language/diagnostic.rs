//! What is wrong with a text, and where: shown with the line and a caret.

use std::fmt::Write as _;

/// A place in a text: bytes from `start` up to `end`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// After the last byte.
    pub end: usize,
}

/// One mistake of the user's, with its place.
///
/// ```
/// use probity_lang::{Diagnostic, Span};
/// let text = "(declare n ?Intger)";
/// let it = Diagnostic::new("unknown type `Intger`", Span { start: 11, end: 18 }).help("did you mean `Integer`?");
/// let shown = "error: unknown type `Intger`\n --> a.spec:1:12\n  |\n1 | (declare n ?Intger)\n  |            ^^^^^^^\n  = help: did you mean `Integer`?\n";
/// assert_eq!(it.render("a.spec", text), shown);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// What is wrong, in lower case.
    pub message: String,
    /// What was expected, beside the caret; may be empty.
    pub label: String,
    /// What to do next.
    pub help: Option<String>,
    /// Where.
    pub span: Span,
}

impl Span {
    /// The least place that holds this and another.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

impl Diagnostic {
    /// A message at a place.
    pub fn new(message: impl Into<String>, span: Span) -> Diagnostic {
        Diagnostic { message: message.into(), label: String::new(), help: None, span }
    }

    /// The same, with words beside the caret.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Diagnostic {
        self.label = label.into();
        self
    }

    /// The same, saying what to do next.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }

    /// The message with `file:line:column`, the line, and a caret under the place. Of a long line the part around
    /// the caret is shown.
    pub fn render(&self, file: &str, text: &str) -> String {
        let start = floor(text, self.span.start);
        let end = floor(text, self.span.end).max(start);
        let line_start = text[..start].rfind('\n').map_or(0, |it| it + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |it| start + it);
        let line_end = line_start + text[line_start..line_end].trim_end_matches('\r').len();
        let (start, end) = (start.min(line_end), end.min(line_end));
        let number = text[..start].matches('\n').count() + 1;
        let column = text[line_start..start].chars().count() + 1;
        let margin = " ".repeat(number.to_string().len());
        let mut res = String::new();
        let message = cut(&self.message);
        let _ = writeln!(res, "error: {message}\n{margin}--> {file}:{number}:{column}\n{margin} |");
        let (line, indent, under) = window(&text[line_start..line_end], start - line_start, end - line_start);
        let _ = writeln!(res, "{number} | {line}");
        let caret = format!("{indent}{} {}", "^".repeat(under), cut(&self.label));
        let _ = writeln!(res, "{margin} | {}", caret.trim_end());
        if let Some(help) = &self.help {
            let _ = writeln!(res, "{margin} = help: {}", cut(help));
        }
        res
    }
}

/// This many mistakes are shown; the others are counted.
const SHOWN_MAX: usize = 20;
/// This many characters of a line are shown around the caret.
const LINE_MAX: usize = 120;
/// This many characters of a message are shown: it may quote what is written in the text.
const MESSAGE_MAX: usize = 400;

/// What is wrong with a text, as people read it: the first 20 mistakes with their lines, and how many more there are.
///
/// ```
/// use probity_lang::render_all;
/// let text = "(declare n ?Intger)\n".repeat(30);
/// let errors = probity_lang::read("a.spec", &text, &|_| Err("no files here".into())).unwrap_err();
/// let shown = render_all("a.spec", &text, &errors);
/// assert_eq!(shown.matches("error: ").count(), 20);
/// assert!(shown.ends_with(&format!("\n... and {} more\n\n{} errors in a.spec\n", errors.len() - 20, errors.len())));
/// ```
pub fn render_all(file: &str, text: &str, diagnostics: &[Diagnostic]) -> String {
    let n = diagnostics.len();
    let shown: Vec<String> = diagnostics.iter().take(SHOWN_MAX).map(|it| it.render(file, text)).collect();
    let mut res = shown.join("\n");
    if n > SHOWN_MAX {
        let _ = write!(res, "\n... and {} more\n", n - SHOWN_MAX);
    }
    if n > 1 {
        let _ = write!(res, "\n{n} errors in {file}\n");
    }
    res
}

/// A message with its middle left out where it is long.
fn cut(message: &str) -> std::borrow::Cow<'_, str> {
    let part = |from: &mut dyn Iterator<Item = char>| from.take(MESSAGE_MAX / 2).collect::<String>();
    if message.len() <= MESSAGE_MAX || message.chars().nth(MESSAGE_MAX).is_none() {
        return message.into();
    }
    let (front, back) = (part(&mut message.chars()), part(&mut message.chars().rev()));
    format!("{front} … {}", back.chars().rev().collect::<String>()).into()
}

/// The part of a line around what stands from `start` to `end`, the blanks before the caret, and how many columns are
/// under the caret.
fn window(line: &str, start: usize, end: usize) -> (String, String, usize) {
    // Where the line is long, a third of what is shown stands before the place.
    let is_long = line.len() > LINE_MAX && line.chars().nth(LINE_MAX).is_some();
    let mut from = 0;
    if is_long {
        let rest = line[start..].chars().take(LINE_MAX * 2 / 3).count();
        from = line[..start].char_indices().rev().take(LINE_MAX - 2 - rest).last().map_or(start, |it| it.0);
    }
    // Two characters say where something is left out.
    let most = if is_long { LINE_MAX - 2 } else { LINE_MAX };
    let shown = line[from..].char_indices().nth(most).map_or(&line[from..], |it| &line[from..from + it.0]);
    let to = from + shown.len();
    let mut text = if from > 0 { "…".to_string() } else { String::new() };
    let mut indent = if from > 0 { " ".to_string() } else { String::new() };
    text.extend(shown.chars().map(visible));
    text.push_str(if to < line.len() { "…" } else { "" });
    // Tabs stay tabs, so that the caret stands under its character.
    for c in line[from..start].chars() {
        match c {
            '\t' => indent.push('\t'),
            c => (0..columns(c)).for_each(|_| indent.push(' ')),
        }
    }
    let under = line[start..end.clamp(start, to.max(start))].chars().map(columns).sum::<usize>();
    (text, indent, under.max(1))
}

/// A character as it is shown: those that would move the cursor or do worse are not.
fn visible(c: char) -> char {
    if c.is_control() && c != '\t' { '\u{fffd}' } else { c }
}

/// How many columns a terminal takes for a character: two for most of East Asia's and for pictures, none for marks
/// that combine.
fn columns(c: char) -> usize {
    match u32::from(c) {
        0..=0x2ff => 1,
        0x300..=0x36f | 0x200b..=0x200f | 0xfe00..=0xfe0f => 0,
        0x1100..=0x115f | 0x2e80..=0x303e | 0x3041..=0xa4cf | 0xac00..=0xd7a3 | 0xf900..=0xfaff => 2,
        0xfe30..=0xfe6f | 0xff00..=0xff60 | 0xffe0..=0xffe6 | 0x1f300..=0x1faff | 0x20000..=0x3fffd => 2,
        _ => 1,
    }
}

/// The nearest place at or before `at` where a character begins.
fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|it| text.is_char_boundary(*it)).unwrap_or(0)
}
