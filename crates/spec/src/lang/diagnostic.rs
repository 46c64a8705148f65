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
/// use probity_spec::lang::{Diagnostic, Span};
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

    /// The message with `file:line:column`, the line, and a caret under the place.
    pub fn render(&self, file: &str, text: &str) -> String {
        let start = floor(text, self.span.start);
        let end = floor(text, self.span.end).max(start);
        let line_start = text[..start].rfind('\n').map_or(0, |it| it + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |it| start + it);
        let line = text[line_start..line_end].trim_end_matches('\r');
        let number = text[..start].matches('\n').count() + 1;
        let before = &text[line_start..start];
        let under = text[start..end.min(line_end)].chars().count().max(1);
        // Tabs stay tabs, so that the caret stands under its character.
        let indent: String = before.chars().map(|it| if it == '\t' { '\t' } else { ' ' }).collect();
        let margin = " ".repeat(number.to_string().len());
        let mut res = String::new();
        let column = before.chars().count() + 1;
        let _ = writeln!(res, "error: {}\n{margin}--> {file}:{number}:{column}\n{margin} |", self.message);
        let _ = writeln!(res, "{number} | {line}");
        let caret = format!("{indent}{} {}", "^".repeat(under), self.label);
        let _ = writeln!(res, "{margin} | {}", caret.trim_end());
        if let Some(help) = &self.help {
            let _ = writeln!(res, "{margin} = help: {help}");
        }
        res
    }
}

/// The nearest place at or before `at` where a character begins.
fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|it| text.is_char_boundary(*it)).unwrap_or(0)
}

/// `did you mean` the nearest of the known names, when one is near enough.
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let folded = name.to_lowercase();
    let far = |it: &str| (distance(&folded, &it.to_lowercase()), distance(name, it), it.to_string());
    let best = known.into_iter().filter(|it| *it != name).map(far).min()?;
    let longer = name.chars().count().max(best.2.chars().count());
    let near = best.0 <= (longer / 3).max(1) && best.0 < longer;
    near.then(|| format!("did you mean `{}`?", best.2))
}

/// Edits between two names, where swapping neighbours is one edit.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![(0..=b.len()).collect::<Vec<_>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}
