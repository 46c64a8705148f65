//! What the documentation of a function says of panics, as a condition where that is plain.

use proc_macro2::{TokenStream, TokenTree};

/// The section "Panics" of a documentation.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct PanicDocs {
    /// Its first sentence.
    pub(crate) sentence: String,
    /// When it panics, as an expression, if that is all the section says.
    pub(crate) condition: Option<String>,
}

/// Reads the section, for a function with these inputs, and with these methods on `self` if it has one.
pub(crate) fn documented(docs: &str, inputs: &[&str], methods: &[&str]) -> Option<PanicDocs> {
    let lines: Vec<&str> = docs.lines().map(str::trim).collect();
    let is_title =
        |it: &&str| it.starts_with('#') && it.trim_matches(['#', ' ', ':']).eq_ignore_ascii_case("panics");
    // Without a section, a paragraph that begins so will do.
    let begins = |it: &&str| {
        ["panics if ", "panics when "].iter().any(|word| plain(it).to_lowercase().starts_with(word))
    };
    let section: Vec<String> = match lines.iter().position(is_title) {
        Some(at) => {
            lines[at + 1..].iter().take_while(|it| !it.starts_with('#')).map(|it| plain(it)).collect()
        }
        None => {
            let at = lines.iter().position(begins)?;
            lines[at..].iter().take_while(|it| !it.is_empty()).map(|it| plain(it)).collect()
        }
    };
    let section = section.join(" ");
    let section = section.split_whitespace().collect::<Vec<_>>().join(" ");
    let end = section.find(". ").map_or(section.len(), |it| it + 1);
    let (sentence, rest) = (section[..end].to_string(), section[end..].trim());
    let is_all = rest.is_empty() || rest.starts_with("Note that ");
    let condition = if is_all { condition(&sentence, inputs, methods) } else { None };
    Some(PanicDocs { sentence, condition })
}

/// The text without marks of emphasis.
fn plain(text: &str) -> String {
    text.replace("**", "").replace("*Panics*", "Panics")
}

/// The condition that a sentence such as "Panics if `at > len`." states.
fn condition(sentence: &str, inputs: &[&str], methods: &[&str]) -> Option<String> {
    let sentence = sentence.trim_end_matches('.');
    let at = [" if ", " when "].iter().filter_map(|it| Some(sentence.find(it)? + it.len())).min();
    let at = at.or_else(|| {
        ["If ", "if ", "When "].iter().find(|it| sentence.starts_with(**it)).map(|it| it.len())
    })?;
    // What stands before it is about the function, not about its inputs.
    let before = sentence[..at].to_lowercase();
    let is_plain = before.split_whitespace().all(|it| {
        matches!(
            it,
            "panics" | "this" | "function" | "method" | "will" | "panic" | "it" | "if" | "when" | "the"
        )
    });
    let words = PanicWords { inputs, methods };
    let parts: Option<Vec<String>> = sentence[at..].split(" or if ").map(|it| words.clause(it)).collect();
    parts.filter(|_| is_plain).map(|it| it.join(" || "))
}

/// What words may mean.
struct PanicWords<'a> {
    inputs: &'a [&'a str],
    methods: &'a [&'a str],
}

/// Phrases between two things, the longest first, and what they mean.
const COMPARISONS: [(&str, &str); 16] = [
    (" is greater than or equal to ", ">="),
    (" is less than or equal to ", "<="),
    (" is strictly greater than ", ">"),
    (" is greater than ", ">"),
    (" is larger than ", ">"),
    (" is bigger than ", ">"),
    (" is less than ", "<"),
    (" is smaller than ", "<"),
    (" is equal to ", "=="),
    (" does not equal ", "!="),
    (" is not equal to ", "!="),
    (" is at least ", ">="),
    (" exceeds ", ">"),
    (" equals ", "=="),
    (" > ", ">"),
    (" >= ", ">="),
];

impl PanicWords<'_> {
    fn clause(&self, text: &str) -> Option<String> {
        let text = text.trim();
        let quoted = text.strip_prefix('`').and_then(|it| it.strip_suffix('`'));
        if let Some(it) = quoted.filter(|it| !it.contains('`')) {
            return self.expression(it);
        }
        if let ("either index is out of bounds", [a, b]) = (text, self.inputs) {
            let len = self.method("len")?;
            return Some(format!("{a} >= {len} || {b} >= {len}"));
        }
        if let Some(it) = text.strip_suffix(" is out of bounds") {
            return Some(format!("{} >= {}", self.input(it)?, self.method("len")?));
        }
        if let Some(it) = text.strip_suffix(" is empty") {
            return match self.input(it) {
                Some(it) => Some(format!("{it}.is_empty()")),
                None if is_self(it) => self.method("is_empty"),
                None => None,
            };
        }
        for ending in [" is zero", " is 0", " is `0`"] {
            if let Some(it) = text.strip_suffix(ending) {
                return Some(format!("{} == 0", self.input(it)?));
            }
        }
        COMPARISONS.iter().find_map(|(phrase, sign)| {
            let (left, right) = text.split_once(phrase)?;
            Some(format!("{} {sign} {}", self.input(left)?, self.thing(right)?))
        })
    }

    /// The input that a phrase such as "the given `index`" means.
    fn input(&self, text: &str) -> Option<String> {
        let last = text.split_whitespace().last()?;
        let rest = text.split_whitespace().rev().skip(1);
        let is_plain =
            rest.into_iter().all(|it| matches!(it, "the" | "given" | "The" | "value" | "of" | "argument"));
        let name = last.trim_matches('`');
        (is_plain && self.inputs.contains(&name)).then(|| name.to_string())
    }

    /// A number, an input, or a measure of `self`.
    fn thing(&self, text: &str) -> Option<String> {
        let text = text.trim();
        let bare = text.trim_matches('`');
        if !bare.is_empty() && bare.bytes().all(|it| it.is_ascii_digit()) {
            return Some(bare.to_string());
        }
        if let Some(it) = self.input(text) {
            return Some(it);
        }
        let words: Vec<&str> = text.split_whitespace().collect();
        match *words.as_slice() {
            ["`len`" | "`len()`" | "`self.len()`" | "len"] | ["the" | "its", "length" | "`len`"] => {
                self.method("len")
            }
            ["the", owner, "length"] if owner.ends_with("'s") => self.method("len"),
            ["the", "length", "of", ..] if is_self(&words[3..].join(" ")) => self.method("len"),
            ["the", "number", "of", _] => self.method("len"),
            ["`self.capacity()`" | "`capacity()`"] | ["the" | "its", "capacity"] => self.method("capacity"),
            _ => None,
        }
    }

    fn method(&self, name: &str) -> Option<String> {
        self.methods.contains(&name).then(|| format!("self.{name}()"))
    }

    /// An expression that compares inputs with measures of `self`.
    fn expression(&self, text: &str) -> Option<String> {
        let tokens: Vec<TokenTree> = text.parse::<TokenStream>().ok()?.into_iter().collect();
        let mut res = text.to_string();
        for (i, it) in tokens.iter().enumerate() {
            let before =
                |char| i > 0 && matches!(&tokens[i - 1], TokenTree::Punct(it) if it.as_char() == char);
            match it {
                TokenTree::Ident(it) => {
                    let name = it.to_string();
                    if before('.') {
                        // A field is private; a method is not.
                        let is_call =
                            matches!(tokens.get(i + 1), Some(TokenTree::Group(it)) if it.stream().is_empty());
                        if !is_call || !self.methods.contains(&&*name) {
                            return None;
                        }
                    } else if name == "len" && !self.inputs.contains(&"len") {
                        let call = self.method("len")?;
                        res = res.replace("len()", "len").replace("len", &call);
                    } else if name != "self" && !self.inputs.contains(&&*name) {
                        return None;
                    }
                }
                TokenTree::Punct(it) if "<>=!+-*.&|".contains(it.as_char()) => {}
                TokenTree::Group(it) if it.stream().is_empty() => {}
                TokenTree::Literal(it) if it.to_string().bytes().all(|it| it.is_ascii_digit()) => {}
                _ => return None,
            }
        }
        let is_comparison = ["<", ">", "==", "!="].iter().any(|it| res.contains(it));
        let parses = syn::parse_str::<syn::Expr>(&res).is_ok();
        (is_comparison && parses).then_some(res)
    }
}

/// Whether a phrase means the value that the method is called on.
fn is_self(text: &str) -> bool {
    let last = text.split_whitespace().last().unwrap_or_default().trim_matches('`');
    let known = [
        "self",
        "vector",
        "vec",
        "deque",
        "list",
        "heap",
        "map",
        "set",
        "collection",
        "queue",
        "string",
        "stack",
        "slice",
        "buffer",
        "array",
        "it",
    ];
    known.contains(&&*last.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_conditions_are_read() {
        let inputs = ["at", "index", "n", "other"];
        let methods = ["len", "is_empty", "capacity"];
        let rows = [
            ("Panics if `at > len`.", Some("at > self.len()")),
            ("Panics if `at > self.len()`.", Some("at > self.len()")),
            ("Panics if `at > len()`.", Some("at > self.len()")),
            ("Panics if `index` is out of bounds.", Some("index >= self.len()")),
            ("Panics if the index is greater than the vector's length.", Some("index > self.len()")),
            ("Panics if `index` is strictly greater than the deque's length.", Some("index > self.len()")),
            ("If `n` is greater than `len()`. Note that `n == len()` is fine.", Some("n > self.len()")),
            ("Panics when `n` is zero.", Some("n == 0")),
            ("This function will panic if the heap is empty.", Some("self.is_empty()")),
            (
                "Panics if `n` is zero or if `at` exceeds the capacity.",
                Some("n == 0 || at > self.capacity()"),
            ),
            ("Panics if the new capacity overflows `usize`.", None),
            ("Panics if `mid > len`.", None),
            ("Panics if `at > self.head`.", None),
            ("Panics if either index is out of bounds.", None),
            ("Panics if `at` is zero. It aborts if memory is short.", None),
            ("May panic in debug builds if `at` is zero.", None),
            ("Panics if `(((((`.", None),
        ];
        for (sentence, expected) in rows {
            let docs =
                format!(" Does it.\n\n # Panics\n\n {sentence}\n\n # Examples\n\n Panics if `n > 0`.\n");
            let found = documented(&docs, &inputs, &methods).unwrap();
            assert_eq!(found.condition.as_deref(), expected, "{sentence}");
        }
        let by_paragraph = |docs: &str| documented(docs, &inputs, &methods).and_then(|it| it.condition);
        assert_eq!(
            by_paragraph("Does it.\n\n***Panics*** if `at` is zero.\n\nMore."),
            Some("at == 0".to_string())
        );
        assert_eq!(by_paragraph("Does it, and panics if `at` is zero."), None);
    }
}
