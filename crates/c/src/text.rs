//! Texts that last, and what a line of source code declares.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// A text that is kept for good, once.
pub(crate) fn kept(text: &str) -> &'static str {
    static KNOWN: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(it) = known.get(text) {
        return it;
    }
    let text: &'static str = text.to_string().leak();
    known.insert(text);
    text
}

/// The name of a file without its folders.
pub(crate) fn base(file: &str) -> &str {
    file.rsplit('/').next().unwrap_or(file)
}

/// The line of a source file, if it can be read.
pub(crate) fn source_line(file: &str, line: u32) -> Option<String> {
    static FILES: Mutex<BTreeMap<String, Vec<String>>> = Mutex::new(BTreeMap::new());
    let mut files = FILES.lock().unwrap_or_else(PoisonError::into_inner);
    let lines = files.entry(file.to_string()).or_insert_with(|| {
        let text = std::fs::read(file).unwrap_or_default();
        String::from_utf8_lossy(&text).lines().map(|it| it.trim().to_string()).collect()
    });
    lines.get(line.checked_sub(1)? as usize).cloned()
}

/// How much of a line is shown.
const SHOWN_MAX: usize = 60;

/// What the `nth` draw of a line declares: a type and a name, or what the line says.
pub(crate) fn declared(line: &str, nth: usize) -> String {
    let code = line.split("//").next().unwrap_or_default().trim().trim_end_matches(';').trim();
    // The parameters of a lambda.
    if code.starts_with("ForAll")
        && let Some((_, rest)) = code.rsplit_once('(')
        && let Some((names, _)) = rest.split_once(')')
        && let Some(name) = names.split(',').nth(nth)
    {
        return cut(name.trim());
    }
    if let Some((left, _)) = code.split_once(" = ") {
        return cut(left.trim());
    }
    let parts: Vec<&str> = code.split(',').map(str::trim).collect();
    let names = &parts[1..];
    if !code.contains('(')
        && names.iter().all(|it| is_name(it))
        && let Some((ty, first)) = parts[0].rsplit_once(' ')
        && is_name(first)
    {
        let name = [&[first], names].concat()[nth % parts.len()];
        return cut(&format!("{ty} {name}"));
    }
    cut(code)
}

fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|it| it.is_alphabetic() || it == '_')
        && chars.all(|it| it.is_alphanumeric() || it == '_')
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(SHOWN_MAX) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_string(),
    }
}

/// What the arguments of a `OneOf` are called, by their source text: a lambda by what it does.
pub(crate) fn arms(arguments: &str, n: usize) -> Vec<String> {
    let parts = split(arguments);
    let named = |at: usize| {
        let it = parts.get(at).filter(|_| parts.len() == n).map_or("", |it| it.trim());
        let body = match (it.starts_with('['), it.find('{'), it.rfind('}')) {
            (true, Some(from), Some(to)) if from < to => &it[from + 1..to],
            _ => it,
        };
        let words: Vec<&str> = body.split_whitespace().collect();
        let text = words.join(" ");
        let text = text.trim_end_matches(';');
        if text.is_empty() { format!("alternative {at}") } else { cut(text) }
    };
    (0..n).map(named).collect()
}

/// Splits at the commas that are in no bracket and no quotes.
fn split(text: &str) -> Vec<&str> {
    let (mut depth, mut from, mut quote, mut res) = (0_i32, 0, None, Vec::new());
    let mut is_escaped = false;
    for (at, c) in text.char_indices() {
        if let Some(end) = quote {
            if !is_escaped && c == end {
                quote = None;
            }
            is_escaped = !is_escaped && c == '\\';
            continue;
        }
        match c {
            '"' | '\'' => quote = Some(c),
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                res.push(&text[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    res.push(&text[from..]);
    res
}

/// Bytes as a literal of C.
pub(crate) fn literal(bytes: &[u8]) -> String {
    let mut res = String::from("\"");
    for (at, &it) in bytes.iter().enumerate() {
        match it {
            b'"' => res.push_str("\\\""),
            b'\\' => res.push_str("\\\\"),
            b'\n' => res.push_str("\\n"),
            b'\t' => res.push_str("\\t"),
            b' '..=b'~' => res.push(it as char),
            _ => {
                // Three digits, where one that follows would be taken for a part of it.
                let is_digit = bytes.get(at + 1).is_some_and(u8::is_ascii_digit);
                res.push_str(&if is_digit { format!("\\{it:03o}") } else { format!("\\{it:o}") });
            }
        }
    }
    res.push('"');
    res
}

/// A character as C writes it, with its number.
pub(crate) fn character(it: u8) -> String {
    match it {
        b'\'' => "'\\''".to_string(),
        b' '..=b'~' => format!("'{}'", it as char),
        _ => {
            let literal = literal(&[it]);
            format!("'{}'", &literal[1..literal.len() - 1])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_say_what_they_declare() {
        let rows = [
            ("symbolic_unsigned x, y, z;", 0, "symbolic_unsigned x"),
            ("symbolic_unsigned x, y, z;", 2, "symbolic_unsigned z"),
            ("symbolic_unsigned x, y, z;", 3, "symbolic_unsigned x"),
            ("deepstate::Symbolic<int> x; // any", 0, "deepstate::Symbolic<int> x"),
            ("unsigned n = DeepState_UIntInRange(0, 9);", 0, "unsigned n"),
            ("return f(DeepState_Int());", 0, "return f(DeepState_Int())"),
            ("ForAll<int, int>([] (int x, const int &y) {", 1, "const int &y"),
            ("", 0, ""),
        ];
        for (line, nth, expected) in rows {
            assert_eq!(declared(line, nth), expected, "{line} {nth}");
        }
    }

    #[test]
    fn alternatives_are_called_by_what_they_do() {
        let text = r#"[&] { x += 1; printf("a, b\n"); }, [&] { f(x, ','); }, g"#;
        assert_eq!(arms(text, 3), [r#"x += 1; printf("a, b\n")"#, "f(x, ',')", "g"]);
        assert_eq!(arms("a", 2), ["alternative 0", "alternative 1"]);
    }

    #[test]
    fn bytes_are_written_as_c_reads_them() {
        assert_eq!(literal(b"a\"\\\n\x011\x01a\xff"), r#""a\"\\\n\0011\1a\377""#);
        assert_eq!(
            (character(b'a'), character(b'\''), character(0)),
            ("'a'".into(), "'\\''".into(), "'\\0'".into())
        );
    }
}
