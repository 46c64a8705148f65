//! Cuts rendered inputs into words, and those into trees by their brackets and commas.

use super::tree::{Blank, BracketKind, TextNode};

/// How deep brackets are looked into; what is deeper counts as one word.
const DEPTH_MAX: usize = 100;

/// The tree of a `Debug` form. Written out again it is the same text, whatever the text is.
pub(super) fn parse(text: &str) -> TextNode {
    let words = words(text);
    let ends = ends(&words);
    Parser { words: &words, ends: &ends, at: 0 }.seq(words.len(), false, 0)
}

struct Parser<'a> {
    words: &'a [&'a str],
    ends: &'a [Option<usize>],
    at: usize,
}

impl Parser<'_> {
    /// The words before `end`, or before the next comma where they are `split`.
    fn seq(&mut self, end: usize, split: bool, depth: usize) -> TextNode {
        let lead = Blank(self.blank(end));
        let (mut nodes, mut trail) = (Vec::new(), Blank::default());
        while self.at < end && !(split && self.words[self.at] == ",") {
            let word = self.words[self.at];
            match self.ends[self.at] {
                Some(close) => {
                    let named = self.at.checked_sub(1).map(|it| self.words[it]);
                    let named = match named {
                        Some(" ") if word == "{" => self.at.checked_sub(2).map(|it| self.words[it]),
                        it => it,
                    };
                    let kind = match named.and_then(|it| it.chars().last()) {
                        Some(c) if c.is_alphanumeric() || c == '_' || c == '!' => BracketKind::Named,
                        _ if word == "{" => BracketKind::Unordered,
                        _ => BracketKind::Plain,
                    };
                    nodes.push(self.group(close, kind, depth + 1));
                }
                None if word.len() > 1 && word.starts_with('"') => {
                    nodes.push(TextNode::Text(chars(word).into_iter().map(TextNode::word).collect()));
                    self.at += 1;
                }
                None if is_blank(word) => {
                    let blank = self.blank(end);
                    if self.at == end || split && self.words[self.at] == "," {
                        trail = Blank(blank);
                    } else {
                        nodes.push(TextNode::Word(blank));
                    }
                }
                None => {
                    nodes.push(TextNode::word(word));
                    self.at += 1;
                }
            }
        }
        TextNode::Seq { lead, nodes, trail }
    }

    /// What is in brackets, from the opening one at hand to the one at `close`.
    fn group(&mut self, close: usize, kind: BracketKind, depth: usize) -> TextNode {
        let open = self.at;
        if depth > DEPTH_MAX {
            self.at = close + 1;
            return TextNode::Word(self.words[open..=close].concat());
        }
        self.at += 1;
        let (mut items, mut tail) = (Vec::new(), Blank::default());
        while self.at < close {
            let before = self.at;
            let item = self.seq(close, true, depth);
            let is_last = self.at == close;
            if is_last && matches!(&item, TextNode::Seq { nodes, .. } if nodes.is_empty()) {
                // Behind the last comma, or between empty brackets.
                let comma = if items.is_empty() { "" } else { "," };
                tail = Blank(comma.to_string() + &self.words[before..close].concat());
                break;
            }
            items.push(item);
            if !is_last {
                self.at += 1;
                if self.at == close {
                    tail = Blank(",".to_string());
                }
            }
        }
        self.at = close + 1;
        let brackets = [self.words[open].to_string(), self.words[close].to_string()];
        TextNode::Group { brackets, kind, items, tail }
    }

    fn blank(&mut self, end: usize) -> String {
        let start = self.at;
        while self.at < end && is_blank(self.words[self.at]) {
            self.at += 1;
        }
        self.words[start..self.at].concat()
    }
}

pub(super) fn is_blank(word: &str) -> bool {
    word.chars().all(char::is_whitespace)
}

/// For each opening bracket the place of the one that closes it, where there is one.
fn ends(words: &[&str]) -> Vec<Option<usize>> {
    let mut res = vec![None; words.len()];
    let mut open: Vec<usize> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let opening = match *word {
            "(" | "[" | "{" => {
                open.push(at);
                continue;
            }
            ")" => "(",
            "]" => "[",
            "}" => "{",
            _ => continue,
        };
        if let Some(found) = open.iter().rposition(|&it| words[it] == opening) {
            res[open[found]] = Some(at);
            open.truncate(found);
        }
    }
    res
}

/// Names, numbers, quoted characters, quoted texts, and single signs.
fn words(text: &str) -> Vec<&str> {
    let mut res: Vec<&str> = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let after_word =
            res.last().and_then(|it| it.chars().last()).is_some_and(|c| c.is_alphanumeric() || c == '_');
        let digit_at = |at: usize| rest.as_bytes().get(at).is_some_and(u8::is_ascii_digit);
        let len = match first {
            '"' => closed(rest, '"').unwrap_or(1),
            '\'' => closed(rest, '\'').filter(|&it| chars(&rest[..it]).len() == 3).unwrap_or(1),
            c if c.is_alphanumeric() || c == '_' || c == '-' && digit_at(1) && !after_word => name(rest),
            c => c.len_utf8(),
        };
        res.push(&rest[..len]);
        rest = &rest[len..];
    }
    res
}

/// The length of the name or number that `text` starts with.
fn name(text: &str) -> usize {
    let is_number = text.starts_with(|c: char| c.is_ascii_digit() || c == '-');
    let digit_at = |at: usize| text.as_bytes().get(at).is_some_and(u8::is_ascii_digit);
    let goes_on = |(at, c): &(usize, char)| {
        *at == 0
            || c.is_alphanumeric()
            || *c == '_'
            || *c == '.' && digit_at(at + 1)
            // The exponent of a number.
            || *c == '-' && is_number && digit_at(at + 1) && text[..*at].ends_with('e')
    };
    text.char_indices().find(|it| !goes_on(it)).map_or(text.len(), |it| it.0)
}

/// The length of what is quoted at the start of `text`, with its quotes.
fn closed(text: &str, quote: char) -> Option<usize> {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            c if c == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// The characters of a quoted text, each as it is written, with the quotes.
fn chars(text: &str) -> Vec<&str> {
    let mut res = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let len = match first {
            '\\' if rest[1..].starts_with("u{") => rest.find('}').map_or(rest.len(), |it| it + 1),
            '\\' => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            c => c.len_utf8(),
        };
        res.push(&rest[..len]);
        rest = &rest[len..];
    }
    res
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_names_numbers_and_signs() {
        for (text, n) in [
            ("[0, -5, 1.5e9]", 9),
            (r#"S { a: "x\"y", b: 'c' }"#, 16),
            ("\"\\u{80}é", 7),
            ("", 0),
            ("é-1", 3),
            ("-1e-7", 1),
            ("it's", 3),
            ("'\\''", 1),
        ] {
            let words = words(text);
            assert_eq!(words.concat(), text);
            assert_eq!(words.len(), n, "{words:?}");
        }
    }

    #[test]
    fn a_tree_is_written_as_its_text() {
        let deep = "[".repeat(300) + &"]".repeat(300);
        for text in [
            "",
            " ",
            "(",
            "]",
            "([)]",
            "(1,)",
            "( )",
            "[, ,]",
            "{1: 2, 3: [4]}",
            "S { a: 1, b: \"x,(\" }",
            "[\n    1,\n    (\n        2,\n    ),\n]",
            "a, b",
            "'\"' \"",
            "x!{,}",
            &deep,
        ] {
            assert_eq!(parse(text).text(), text);
        }
        let mut rng = crate::Rng::new(5);
        for _ in 0..5000 {
            let text: String = (0..rng.below(12))
                .map(|_| *b"()[]{},, \"'\\a0-_"[..].get(rng.below(16) as usize).unwrap() as char)
                .collect();
            assert_eq!(parse(&text).text(), text);
        }
    }
}
