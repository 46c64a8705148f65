//! Finds varied parts again in rendered inputs.

use super::Pattern;
use crate::order::sort_by;
use crate::{Counts, Input};

/// The rendered inputs of one case, cut into words.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Texts {
    inputs: Vec<(Option<&'static str>, Vec<String>)>,
    /// The inputs whose words come in another order each time: no place in them can be told.
    shuffled: Vec<usize>,
}

/// The words of each input that vary, as ranges.
pub(super) type Marks = Counts<usize, Vec<(usize, usize)>>;

impl Texts {
    pub(super) fn new(inputs: &[Input]) -> Self {
        let inputs = inputs.iter().map(|it| (it.name, words(&it.text))).collect();
        Texts { inputs, shuffled: Vec::new() }
    }

    pub(super) fn has_braces(&self) -> bool {
        self.inputs.iter().any(|it| it.1.iter().any(|word| word == "{"))
    }

    /// Compares with another rendering of the same inputs.
    pub(super) fn note_order(&mut self, again: &Texts) {
        for (at, (a, b)) in self.inputs.iter().zip(&again.inputs).enumerate() {
            if a != b && !self.shuffled.contains(&at) {
                self.shuffled.push(at);
            }
        }
    }

    /// Whether the two show the same, but for the order within braces: that of a hash map differs from run to
    /// run.
    pub(super) fn shows_same(&self, other: &Texts) -> bool {
        self.comparable(other) && self.inputs.iter().zip(&other.inputs).all(|(a, b)| same_words(&a.1, &b.1))
    }

    /// Whether the two have the same inputs, apart from their values.
    pub(super) fn comparable(&self, other: &Texts) -> bool {
        self.inputs.iter().map(|it| it.0).eq(other.inputs.iter().map(|it| it.0))
    }

    /// Marks the words that differ in any of `variations`. What varies as a whole list or text is marked
    /// with the signs around it: `[_]` is a list of one item, `_` is any list.
    pub(super) fn mark(&self, variations: &[Texts], is_list: bool, marks: &mut Marks) {
        for (at, (_, words)) in self.inputs.iter().enumerate() {
            let others: Vec<&Vec<String>> = variations.iter().map(|it| &it.inputs[at].1).collect();
            if self.shuffled.contains(&at) || others.iter().all(|it| same_words(it, words)) {
                continue;
            }
            let same = |it: &Vec<String>| it.iter().zip(words).take_while(|(a, b)| a == b).count();
            let same_end = |it: &Vec<String>| {
                it.iter().rev().zip(words.iter().rev()).take_while(|(a, b)| a == b).count()
            };
            let shortest = others.iter().map(|it| it.len()).min().unwrap_or(0).min(words.len());
            let head = others.iter().map(|it| same(it)).min().unwrap_or(0);
            let tail =
                others.iter().map(|it| same_end(it)).min().unwrap_or(0).min(shortest - head.min(shortest));
            let mut marked = (head, words.len() - tail);
            let around = head.checked_sub(1).and_then(|it| words.get(it)).zip(words.get(marked.1));
            if is_list
                && around.is_some_and(|(a, b)| matches!((&**a, &**b), ("[", "]") | ("{", "}") | ("\"", "\"")))
            {
                marked = (marked.0 - 1, marked.1 + 1);
            }
            marks.entry(at, Vec::new).push(marked);
        }
    }

    /// The inputs with `_` in the place of marked words.
    pub(super) fn patterns(&self, marks: &Marks) -> Vec<Pattern> {
        let pattern = |(at, (name, words)): (usize, &(Option<&'static str>, Vec<String>))| {
            let mut ranges = marks.get(&at).cloned().unwrap_or_default();
            sort_by(&mut ranges, |a, b| a <= b);
            let mut text = String::new();
            let mut from = 0;
            for (start, end) in &ranges {
                if *start >= from {
                    text.extend(words[from..*start].iter().map(String::as_str));
                    text.push('_');
                }
                from = from.max(*end);
            }
            text.extend(words[from..].iter().map(String::as_str));
            Pattern { name: *name, text, varies: !ranges.is_empty() }
        };
        self.inputs.iter().enumerate().map(pattern).collect()
    }
}

fn same_words(a: &[String], b: &[String]) -> bool {
    let sorted = |words: &[String]| {
        let mut res = words.to_vec();
        res.sort_unstable();
        res
    };
    a == b || a.len() == b.len() && a.iter().any(|it| it == "{") && sorted(a) == sorted(b)
}

/// Cuts a `Debug` form into names, numbers, quoted characters, the characters of quoted texts, and single
/// signs.
fn words(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let mut res = Vec::new();
    let (mut at, mut in_text) = (0, false);
    while at < chars.len() {
        let start = at;
        let digit_next = |at: usize| chars.get(at + 1).is_some_and(char::is_ascii_digit);
        match chars[at] {
            '"' => {
                in_text = !in_text;
                at += 1;
            }
            '\\' if chars.get(at + 1) == Some(&'u') => {
                at = (at..chars.len()).find(|&it| chars[it] == '}').map_or(chars.len(), |it| it + 1);
            }
            '\\' => at = (at + 2).min(chars.len()),
            _ if in_text => at += 1,
            '\'' => {
                at += 1;
                while at < chars.len() && chars[at] != '\'' {
                    at += if chars[at] == '\\' { 2 } else { 1 };
                }
                at = (at + 1).min(chars.len());
            }
            c if c.is_alphanumeric() || c == '_' || c == '-' && digit_next(at) => {
                at += 1;
                let inner = |at: usize| {
                    let c = chars[at];
                    c.is_alphanumeric() || c == '_' || c == '.' && digit_next(at)
                };
                while at < chars.len() && inner(at) {
                    at += 1;
                }
            }
            _ => at += 1,
        }
        res.push(chars[start..at].iter().collect());
    }
    res
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_put_together_are_the_text() {
        for (text, n) in [
            ("[0, -5, 1.5e9]", 9),
            (r#"S { a: "x\"y", b: 'c' }"#, 20),
            ("\"\\u{80}é", 3),
            ("", 0),
            ("é-1", 2),
        ] {
            let words = words(text);
            assert_eq!(words.concat(), text);
            assert_eq!(words.len(), n, "{words:?}");
        }
    }

    #[test]
    fn varied_words_are_marked() {
        let texts = |text: &str| Texts::new(&[Input { name: None, text: text.to_string() }]);
        for (base, is_list, others, expected) in [
            ("[0, 9]", false, &["[5, 9]", "[-1, 9]"][..], "[_, 9]"),
            ("[0, 0]", false, &["[1, 0]", "[0, 0]"][..], "[_, 0]"),
            ("[0]", false, &["[1]", "[2]"][..], "[_]"),
            ("[None]", false, &["[Some(1)]", "[Some(2)]"][..], "[_]"),
            ("[]", true, &["[1]", "[1, 2]"][..], "_"),
            ("W([], {})", true, &["W([1], {})", "W([1, 2], {})"][..], "W(_, {})"),
            ("\"\"", true, &["\"a\"", "\"bc\""][..], "_"),
            ("\"a\"", false, &["\"b\"", "\"\\n\""][..], "\"_\""),
            ("{1: 2, 3: 4}", false, &["{3: 4, 1: 2}"][..], "{1: 2, 3: 4}"),
            ("\"ab\"", false, &["\"cb\"", "\"\\u{301}b\""][..], "\"_b\""),
            ("S { a: None, b: 1 }", false, &["S { a: Some(3), b: 1 }"][..], "S { a: _, b: 1 }"),
        ] {
            let mut marks = Marks::default();
            let others: Vec<Texts> = others.iter().map(|it| texts(it)).collect();
            texts(base).mark(&others, is_list, &mut marks);
            assert_eq!(texts(base).patterns(&marks)[0].text, expected);
        }
    }
}
