//! Conditions on the characters of a text, as in `text.chars().all(|c| c.is_ascii_digit())`: a set of characters, which is
//! a pattern.

use super::expr::split;
use crate::parse::{find, is_punct, is_word, unwrap_none};
use crate::pm::{Delimiter, TokenTree};
use crate::template::Tokens;

/// Methods of a character, and the set of which they are true.
const SETS: [(&str, &str); 11] = [
    ("is_ascii", "[[:ascii:]]"),
    ("is_ascii_digit", "[0-9]"),
    ("is_ascii_hexdigit", "[0-9A-Fa-f]"),
    ("is_ascii_alphabetic", "[A-Za-z]"),
    ("is_ascii_alphanumeric", "[0-9A-Za-z]"),
    ("is_ascii_uppercase", "[A-Z]"),
    ("is_ascii_lowercase", "[a-z]"),
    ("is_ascii_punctuation", "[[:punct:]]"),
    ("is_ascii_graphic", "[[:graph:]]"),
    // Without the vertical tab, which is in `[:space:]`.
    ("is_ascii_whitespace", r"[ \t\n\x0C\r]"),
    ("is_ascii_control", "[[:cntrl:]]"),
];

/// A pattern of the texts of which `|c| ..`, given to the method `all` or `any` of their characters, is true; none where it
/// is not about a character alone.
pub(super) fn pattern(method: &str, args: &[TokenTree]) -> Option<String> {
    let set = match args {
        [bar, TokenTree::Ident(name), rest @ ..] if is_punct(Some(bar), '|') => {
            let end = rest.iter().position(|it| is_punct(Some(it), '|'))?;
            let is_typed = matches!(&rest[..end], [colon, ty] if is_punct(Some(colon), ':') && is_word(Some(ty), "char"));
            if end > 0 && !is_typed {
                return None;
            }
            set(&rest[end + 1..], &name.to_string())?
        }
        _ => return None,
    };
    match method {
        "all" => Some(format!("{set}*")),
        "any" => Some(format!("(?s:.)*{set}(?s:.)*")),
        _ => None,
    }
}

/// The set of the characters `name` for which a condition is true.
fn set(tokens: &[TokenTree], name: &str) -> Option<String> {
    let tokens = &unwrap_none(tokens.to_vec())[..];
    for (char, both) in [('|', "["), ('&', "&&")] {
        let is_pair = |it: &usize| is_punct(tokens.get(*it), char) && is_punct(tokens.get(it + 1), char);
        if let Some(at) = (1..tokens.len()).find(is_pair) {
            let (a, b) = (set(&tokens[..at], name)?, set(&tokens[at + 2..], name)?);
            return Some(if both == "[" { format!("[{a}{b}]") } else { format!("[{a}&&{b}]") });
        }
    }
    match tokens {
        [not, rest @ ..] if is_punct(Some(not), '!') => Some(format!("[^{}]", set(rest, name)?)),
        [TokenTree::Group(it)] if it.delimiter() == Delimiter::Parenthesis => {
            set(&it.stream().into_iter().collect::<Tokens>(), name)
        }
        // `matches!(c, 'a'..='z' | '_')`
        [word, bang, TokenTree::Group(args)]
            if is_word(Some(word), "matches") && is_punct(Some(bang), '!') =>
        {
            let args: Tokens = args.stream().into_iter().collect();
            let (of, pattern) = args.split_at(find(&args, ',', false));
            let ranges = pattern.get(1..)?.split(|it| is_punct(Some(it), '|')).map(range);
            is_name(of, name).then_some(())?;
            Some(format!("[{}]", ranges.collect::<Option<String>>()?))
        }
        [of @ .., dot, TokenTree::Ident(method), TokenTree::Group(args)] if is_punct(Some(dot), '.') => {
            let args: Tokens = args.stream().into_iter().collect();
            match (&*method.to_string(), &args[..]) {
                ("contains", args) if is_name(args, name) => member_of(of),
                (method, []) if is_name(of, name) => {
                    SETS.iter().find(|it| it.0 == method).map(|it| it.1.to_string())
                }
                _ => None,
            }
        }
        _ => comparison(tokens, name),
    }
}

/// `c == 'x'`, `'a' <= c` and the like.
fn comparison(tokens: &[TokenTree], name: &str) -> Option<String> {
    let is_operator = |it: &TokenTree| ['=', '!', '<', '>'].iter().any(|char| is_punct(Some(it), *char));
    let from = tokens.iter().position(is_operator)?;
    let to = from + tokens[from..].iter().take_while(|it| is_operator(it)).count();
    let word: String = tokens[from..to].iter().map(ToString::to_string).collect();
    let (a, b) = (&tokens[..from], &tokens[to..]);
    let (word, char) = if is_name(a, name) {
        (word, char_of(b)?)
    } else if is_name(b, name) {
        let turned = word.replace('<', "?").replace('>', "<").replace('?', ">");
        (turned, char_of(a)?)
    } else {
        return None;
    };
    let (it, last) = (escaped(char), escaped(char::MAX));
    Some(match &*word {
        "==" => format!("[{it}]"),
        "!=" => format!("[^{it}]"),
        "<=" => format!(r"[\x00-{it}]"),
        ">" => format!(r"[^\x00-{it}]"),
        ">=" => format!("[{it}-{last}]"),
        "<" => format!("[^{it}-{last}]"),
        _ => return None,
    })
}

/// The characters in `('a'..='z')`, `['a', 'b']` or `"ab"`.
fn member_of(of: &[TokenTree]) -> Option<String> {
    match of {
        [TokenTree::Group(it)] => {
            let inner: Tokens = it.stream().into_iter().collect();
            let inner: String = split(&inner).into_iter().map(range).collect::<Option<_>>()?;
            Some(format!("[{inner}]"))
        }
        [TokenTree::Literal(it)] => {
            let text = it.to_string();
            let chars = text.strip_prefix('"')?.strip_suffix('"')?;
            let is_plain = !chars.is_empty() && !chars.contains('\\');
            is_plain.then(|| format!("[{}]", chars.chars().map(escaped).collect::<String>()))
        }
        _ => None,
    }
}

/// `'a'` or `'a'..='z'` as a part of a set.
fn range(tokens: &[TokenTree]) -> Option<String> {
    let (low, high, is_inclusive) = super::ends(tokens);
    let (low, high) = (char_of(low)?, char_of(high)?);
    if low > high {
        return None;
    }
    is_inclusive.then(|| format!("{}-{}", escaped(low), escaped(high)))
}

/// The character that a literal is.
fn char_of(tokens: &[TokenTree]) -> Option<char> {
    let [TokenTree::Literal(it)] = tokens else { return None };
    let text = it.to_string();
    let inner = text.strip_prefix('\'')?.strip_suffix('\'')?;
    match inner {
        r"\n" => Some('\n'),
        r"\t" => Some('\t'),
        r"\r" => Some('\r'),
        r"\0" => Some('\0'),
        r"\\" => Some('\\'),
        r"\'" => Some('\''),
        _ => inner.parse().ok(),
    }
}

/// A character within a set.
fn escaped(char: char) -> String {
    if char.is_ascii_alphanumeric() { char.to_string() } else { format!(r"\x{{{:X}}}", u32::from(char)) }
}

fn is_name(tokens: &[TokenTree], name: &str) -> bool {
    match tokens {
        [and, it] if is_punct(Some(and), '&') || is_punct(Some(and), '*') => is_word(Some(it), name),
        [it] => is_word(Some(it), name),
        _ => false,
    }
}
