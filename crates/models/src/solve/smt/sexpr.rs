//! S-expressions, as solvers answer with.

use std::fmt;
use std::io::Read;

/// The most bytes of one answer: a model of many thousand slots is a fraction of it.
const ANSWER_MAX: usize = 1 << 24;
/// The deepest nesting of an answer; models nest a few levels.
const DEPTH_MAX: usize = 200;

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Sexpr {
    /// A symbol (without its bars), a keyword or a number.
    Atom(String),
    /// What stands between quotes, doubled quotes as one.
    Text(String),
    List(Vec<Sexpr>),
}

impl Sexpr {
    /// The word of a symbol or text.
    pub(super) fn word(&self) -> Option<&str> {
        match self {
            Sexpr::Atom(it) | Sexpr::Text(it) => Some(it),
            Sexpr::List(_) => None,
        }
    }

    /// A whole number; negative ones are `(- 3)`.
    pub(super) fn int(&self) -> Option<i128> {
        match self {
            Sexpr::Atom(digits) if is_digits(digits) => digits.parse().ok(),
            Sexpr::List(parts) => match &parts[..] {
                [Sexpr::Atom(minus), Sexpr::Atom(digits)] if minus == "-" && is_digits(digits) => {
                    format!("-{digits}").parse().ok()
                }
                _ => None,
            },
            Sexpr::Atom(_) | Sexpr::Text(_) => None,
        }
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit())
}

/// Whether all answers in some bytes can be read. The error says that one of them is read otherwise when it is written
/// again: see `readers`.
pub(crate) fn reread(bytes: &[u8]) -> Result<bool, String> {
    let mut reader = SexprReader::new(bytes);
    let mut answers = Vec::new();
    while let Some(answer) = reader.next() {
        match answer {
            Ok(it) => answers.push(it),
            Err(error) if error.is_empty() => return Err("refused without a word".to_string()),
            Err(_) => return Ok(false),
        }
    }
    for answer in answers {
        let text = format!("{answer}\n");
        match SexprReader::new(text.as_bytes()).next() {
            Some(Ok(it)) if it == answer => {}
            other => return Err(format!("{text} is read again as {other:?}")),
        }
    }
    Ok(true)
}

impl fmt::Display for Sexpr {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Sexpr::Atom(it)
                if it.is_empty() || it.contains(|c: char| c.is_whitespace() || "()\"".contains(c)) =>
            {
                write!(f, "|{it}|")
            }
            Sexpr::Atom(it) => f.write_str(it),
            Sexpr::Text(it) => write!(f, "\"{}\"", it.replace('"', "\"\"")),
            Sexpr::List(parts) => {
                f.write_str("(")?;
                for (i, part) in parts.iter().enumerate() {
                    write!(f, "{}{part}", if i == 0 { "" } else { " " })?;
                }
                f.write_str(")")
            }
        }
    }
}

/// Reads one answer after the other.
pub(super) struct SexprReader<R> {
    input: R,
    buffer: Vec<u8>,
    at: usize,
}

impl<R: Read> SexprReader<R> {
    pub(super) fn new(input: R) -> SexprReader<R> {
        SexprReader { input, buffer: Vec::new(), at: 0 }
    }

    /// The next answer; none at the end. An error says what is wrong, after the program's name.
    pub(super) fn next(&mut self) -> Option<Result<Sexpr, String>> {
        self.buffer.drain(..self.at);
        self.at = 0;
        while self.peek()?.is_ascii_whitespace() {
            self.at += 1;
        }
        self.buffer.drain(..self.at);
        self.at = 0;
        match self.one(0) {
            Ok(res) => Some(res.ok_or_else(|| "ended in the middle of an answer".to_string())),
            Err(message) => Some(Err(message)),
        }
    }

    fn peek(&mut self) -> Option<u8> {
        if self.at == self.buffer.len() {
            let mut bytes = [0; 4096];
            let n = self.input.read(&mut bytes).unwrap_or(0);
            self.buffer.extend_from_slice(&bytes[..n]);
        }
        self.buffer.get(self.at).copied()
    }

    /// Takes bytes while a condition holds; none at the end of the input.
    fn take(&mut self, mut keep: impl FnMut(u8) -> bool) -> Result<Option<String>, String> {
        let start = self.at;
        while let Some(byte) = self.peek() {
            if !keep(byte) {
                return match std::str::from_utf8(&self.buffer[start..self.at]) {
                    Ok(text) => Ok(Some(text.to_string())),
                    Err(_) => Err("said something that is not UTF-8".to_string()),
                };
            }
            self.at += 1;
            if self.at > ANSWER_MAX {
                return Err(format!("gave an answer of more than {ANSWER_MAX} bytes"));
            }
        }
        Ok(None)
    }

    /// One expression; none if the input ends within it.
    fn one(&mut self, depth: usize) -> Result<Option<Sexpr>, String> {
        if depth > DEPTH_MAX {
            return Err(format!("gave an answer nested more than {DEPTH_MAX} deep"));
        }
        match self.peek() {
            None => Ok(None),
            Some(b'(') => {
                self.at += 1;
                let mut parts = Vec::new();
                loop {
                    if self.take(|it| it.is_ascii_whitespace())?.is_none() {
                        return Ok(None);
                    }
                    if self.peek() == Some(b')') {
                        self.at += 1;
                        return Ok(Some(Sexpr::List(parts)));
                    }
                    match self.one(depth + 1)? {
                        Some(part) => parts.push(part),
                        None => return Ok(None),
                    }
                }
            }
            Some(b')') => Err("closes a bracket that it did not open".to_string()),
            Some(b'"') => self.text(),
            Some(b'|') => {
                self.at += 1;
                let inside = self.take(|it| it != b'|')?;
                self.at += 1;
                Ok(inside.map(Sexpr::Atom))
            }
            Some(_) => {
                let is_end = |it: u8| it.is_ascii_whitespace() || matches!(it, b'(' | b')' | b'"');
                Ok(self.take(|it| !is_end(it))?.map(Sexpr::Atom))
            }
        }
    }

    fn text(&mut self) -> Result<Option<Sexpr>, String> {
        let mut res = String::new();
        loop {
            self.at += 1;
            match self.take(|it| it != b'"')? {
                Some(part) => res.push_str(&part),
                None => return Ok(None),
            }
            self.at += 1;
            // Two quotes stand for one. A solver ends every answer with a line break, so that peeking past the last
            // quote does not wait.
            if self.peek() != Some(b'"') {
                return Ok(Some(Sexpr::Text(res)));
            }
            res.push('"');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read() {
        let rows: [(&str, &[Result<&str, &str>]); 9] = [
            ("sat\n", &[Ok("sat")]),
            ("sat\nunsat \n\n", &[Ok("sat"), Ok("unsat")]),
            ("((a 1) (|b c| (- 2)))\n", &[Ok("((a 1) (|b c| (- 2)))")]),
            ("\"a\"\"b\"\n(\"\")\n", &[Ok("\"a\"\"b\""), Ok("(\"\")")]),
            ("(error \"line 1\ncolumn 2\")\n", &[Ok("(error \"line 1\ncolumn 2\")")]),
            ("(a (b", &[Err("ended in the middle of an answer")]),
            (")\n", &[Err("closes a bracket that it did not open")]),
            ("\"a", &[Err("ended in the middle of an answer")]),
            ("", &[]),
        ];
        for (text, expected) in rows {
            let mut reader = SexprReader::new(text.as_bytes());
            let mut found = Vec::new();
            while let Some(next) = reader.next() {
                let is_end = next.is_err();
                found.push(next.map(|it| it.to_string()));
                if is_end {
                    break;
                }
            }
            let expected: Vec<Result<String, String>> =
                expected.iter().map(|it| it.map(str::to_string).map_err(str::to_string)).collect();
            assert_eq!(found, expected, "{text}");
        }
        let mut deep = SexprReader::new(std::io::repeat(b'('));
        assert!(deep.next().unwrap().unwrap_err().contains("deep"));
        let mut endless = SexprReader::new(std::io::repeat(b'a'));
        assert!(endless.next().unwrap().unwrap_err().contains("bytes"));
    }

    #[test]
    fn whole_numbers_are_read() {
        let atom = |it: &str| Sexpr::Atom(it.to_string());
        assert_eq!(atom("17").int(), Some(17));
        let negative = |it: String| Sexpr::List(vec![atom("-"), atom(&it)]).int();
        assert_eq!(negative(i128::MIN.unsigned_abs().to_string()), Some(i128::MIN));
        assert_eq!(negative(u128::MAX.to_string()), None);
        assert_eq!(atom("1.0").int(), None);
    }
}
