//! From the text of a pattern to its structure.

use std::collections::HashMap;
use std::fmt;

use regex_syntax::ast::{
    self, Ast, ErrorKind, Flag, FlagsItemKind, GroupKind, RepetitionKind, RepetitionRange,
};
use regex_syntax::hir::translate::TranslatorBuilder;
use regex_syntax::hir::{self, HirKind};

use super::chars::CharSet;
use super::node::{Class, ClassOrigin, Node, class_text};

/// Why a pattern is refused: what is wrong, and at which character (from 1) of the pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegexError {
    /// Lower case; names the construct and says what to do.
    pub message: String,
    /// Where, in characters from 1.
    pub column: usize,
}

impl fmt::Display for RegexError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} (at character {})", self.message, self.column)
    }
}

impl std::error::Error for RegexError {}

/// The structure of a pattern.
pub(super) fn parse(pattern: &str) -> Result<Node, RegexError> {
    if pattern.len() > BYTES_MAX {
        let message =
            format!("this pattern is too large: it has more than {BYTES_MAX} bytes; make it shorter");
        return Err(RegexError { message, column: 1 });
    }
    let ast = ast::parse::Parser::new().parse(pattern).map_err(|it| explain(pattern, &it))?;
    PatternParser { pattern, flags: PatternFlags::default(), known: HashMap::new() }.node(&ast)
}

/// The flags that change what a part matches.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct PatternFlags {
    case_insensitive: bool,
    multi_line: bool,
    dot_matches_new_line: bool,
    unicode: bool,
    crlf: bool,
    ignore_whitespace: bool,
}

impl Default for PatternFlags {
    fn default() -> Self {
        PatternFlags {
            case_insensitive: false,
            multi_line: false,
            dot_matches_new_line: false,
            unicode: true,
            crlf: false,
            ignore_whitespace: false,
        }
    }
}

impl PatternFlags {
    fn set(&mut self, flags: &ast::Flags) {
        let mut on = true;
        for item in &flags.items {
            let flag = match &item.kind {
                FlagsItemKind::Negation => {
                    on = false;
                    continue;
                }
                FlagsItemKind::Flag(flag) => flag,
            };
            match flag {
                Flag::CaseInsensitive => self.case_insensitive = on,
                Flag::MultiLine => self.multi_line = on,
                Flag::DotMatchesNewLine => self.dot_matches_new_line = on,
                Flag::Unicode => self.unicode = on,
                Flag::CRLF => self.crlf = on,
                Flag::IgnoreWhitespace => self.ignore_whitespace = on,
                // Which match is preferred does not change what a whole text can match.
                Flag::SwapGreed => {}
            }
        }
    }

    /// A class as it was written, with the flags that it needs.
    fn around(self, text: &str) -> String {
        let mut flags = String::new();
        let on = [
            ('i', self.case_insensitive),
            ('s', self.dot_matches_new_line && text == "."),
            ('R', self.crlf && text == "."),
            ('x', self.ignore_whitespace && text.contains(char::is_whitespace)),
        ];
        flags.extend(on.iter().filter(|it| it.1).map(|it| it.0));
        if !self.unicode {
            flags.push_str("-u");
        }
        if flags.is_empty() { text.to_string() } else { format!("(?{flags}:{text})") }
    }
}

struct PatternParser<'a> {
    pattern: &'a str,
    flags: PatternFlags,
    /// Parts that were read, by their flags and text: a class of Unicode takes a while.
    known: HashMap<(PatternFlags, &'a str), Node>,
}

impl PatternParser<'_> {
    fn node(&mut self, ast: &Ast) -> Result<Node, RegexError> {
        Ok(match ast {
            Ast::Empty(_) => Node::Empty,
            Ast::Flags(it) => {
                self.flags.set(&it.flags);
                Node::Empty
            }
            // What most patterns have most of needs no translation.
            Ast::Literal(it) if self.flags.unicode && !self.flags.case_insensitive => {
                Node::literal(it.c.encode_utf8(&mut [0; 4]))
            }
            Ast::Literal(_) => self.leaf(ast, ClassOrigin::Letter)?,
            Ast::Dot(_) => self.leaf(ast, ClassOrigin::Dot)?,
            Ast::Assertion(_) | Ast::ClassUnicode(_) | Ast::ClassPerl(_) => {
                self.leaf(ast, ClassOrigin::Class)?
            }
            Ast::ClassBracketed(it) => self.bracketed(ast, it)?,
            Ast::Repetition(it) => {
                let (min, max) = match &it.op.kind {
                    RepetitionKind::ZeroOrOne => (0, Some(1)),
                    RepetitionKind::ZeroOrMore => (0, None),
                    RepetitionKind::OneOrMore => (1, None),
                    RepetitionKind::Range(RepetitionRange::Exactly(n)) => (*n, Some(*n)),
                    RepetitionKind::Range(RepetitionRange::AtLeast(n)) => (*n, None),
                    RepetitionKind::Range(RepetitionRange::Bounded(min, max)) => (*min, Some(*max)),
                };
                Node::repeat(self.node(&it.ast)?, min, max)
            }
            Ast::Group(it) => {
                // Flags that are set in a group end with it.
                let outer = self.flags;
                if let GroupKind::NonCapturing(flags) = &it.kind {
                    self.flags.set(flags);
                }
                let res = self.node(&it.ast);
                self.flags = outer;
                res?
            }
            Ast::Alternation(it) => {
                Node::union(it.asts.iter().map(|it| self.node(it)).collect::<Result<_, _>>()?)
            }
            Ast::Concat(it) => {
                Node::concat(it.asts.iter().map(|it| self.node(it)).collect::<Result<_, _>>()?)
            }
        })
    }

    /// What the `regex` crate makes of a part that has no parts of its own.
    fn leaf(&mut self, ast: &Ast, origin: ClassOrigin) -> Result<Node, RegexError> {
        let key = (self.flags, &self.pattern[ast.span().start.offset..ast.span().end.offset]);
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone());
        }
        let node = self.read_leaf(ast, origin)?;
        // A letter is as soon read as found.
        if matches!(&node, Node::Class(it) if it.set.ranges().len() > 8) {
            self.known.insert(key, node.clone());
        }
        Ok(node)
    }

    fn read_leaf(&self, ast: &Ast, origin: ClassOrigin) -> Result<Node, RegexError> {
        let flags = self.flags;
        let hir = TranslatorBuilder::new()
            .utf8(true)
            .case_insensitive(flags.case_insensitive)
            .multi_line(flags.multi_line)
            .dot_matches_new_line(flags.dot_matches_new_line)
            .unicode(flags.unicode)
            .crlf(flags.crlf)
            .build()
            .translate(self.pattern, ast)
            .map_err(|it| self.explain(&it))?;
        let set = match hir.kind() {
            HirKind::Empty => return Ok(Node::Empty),
            HirKind::Look(look) => return Ok(Node::Look(*look)),
            HirKind::Literal(it) => match std::str::from_utf8(&it.0) {
                Ok(text) => return Ok(Node::literal(text)),
                Err(_) => return Err(self.not_utf8(ast.span().start.offset)),
            },
            HirKind::Class(hir::Class::Unicode(class)) => {
                CharSet::of_chars(class.iter().map(|it| (it.start(), it.end())))
            }
            HirKind::Class(hir::Class::Bytes(class)) => {
                if class.iter().any(|it| it.end() > 0x7f) {
                    return Err(self.not_utf8(ast.span().start.offset));
                }
                CharSet::of_chars(class.iter().map(|it| (it.start().into(), it.end().into())))
            }
            _ => return Err(self.not_utf8(ast.span().start.offset)),
        };
        let span = ast.span();
        let text = match origin {
            ClassOrigin::Letter => class_text(&set),
            _ => flags.around(&self.pattern[span.start.offset..span.end.offset]),
        };
        Ok(Node::Class(Class::new(set, &text, Vec::new(), origin)))
    }

    /// A class with the parts that it was written with.
    fn bracketed(&mut self, ast: &Ast, class: &ast::ClassBracketed) -> Result<Node, RegexError> {
        let whole = self.leaf(ast, ClassOrigin::Class)?;
        let Node::Class(it) = &whole else { return Ok(whole) };
        let ast::ClassSet::Item(ast::ClassSetItem::Union(union)) = &class.kind else { return Ok(whole) };
        if class.negated || union.items.len() < 2 {
            return Ok(whole);
        }
        let mut parts: Vec<CharSet> = Vec::new();
        let mut classes = Vec::new();
        for item in &union.items {
            let kind = ast::ClassSet::Item(item.clone());
            let one = ast::ClassBracketed { span: *item.span(), negated: false, kind };
            let node = self.read_leaf(&Ast::class_bracketed(one), ClassOrigin::Class)?;
            let text = &self.pattern[item.span().start.offset..item.span().end.offset];
            let (set, text) = match &node {
                Node::Class(it) => (it.set.clone(), self.flags.around(&format!("[{text}]"))),
                Node::Literal(text) => (CharSet::of_chars(text.chars().map(|c| (c, c))), String::new()),
                _ => continue,
            };
            // `abc` is one range.
            let joined = parts.last().map(|last| CharSet::of([last.ranges(), set.ranges()].concat()));
            let is_range = |set: &CharSet| set.ranges().len() == 1;
            match (joined, parts.last()) {
                (Some(joined), Some(last)) if is_range(&joined) && is_range(last) && is_range(&set) => {
                    parts.pop();
                    classes.pop();
                    classes.push(Class::new(
                        joined.clone(),
                        &class_text(&joined),
                        Vec::new(),
                        ClassOrigin::Class,
                    ));
                    parts.push(joined);
                }
                _ => {
                    let text = if text.is_empty() { class_text(&set) } else { text };
                    classes.push(Class::new(set.clone(), &text, Vec::new(), ClassOrigin::Class));
                    parts.push(set);
                }
            }
        }
        let parts = if classes.len() > 1 { classes } else { Vec::new() };
        Ok(Node::Class(Class::new(it.set.clone(), &it.text, parts, ClassOrigin::Class)))
    }

    fn not_utf8(&self, offset: usize) -> RegexError {
        let message = "with the flag `-u` this matches bytes that are no text; leave the flag out";
        RegexError { message: message.to_string(), column: column(self.pattern, offset) }
    }

    fn explain(&self, err: &hir::Error) -> RegexError {
        let offset = err.span().start.offset;
        let message = match err.kind() {
            hir::ErrorKind::InvalidUtf8 => return self.not_utf8(offset),
            hir::ErrorKind::UnicodeNotAllowed => {
                "a Unicode class is not allowed with the flag `-u`; leave the flag out".to_string()
            }
            hir::ErrorKind::UnicodePropertyNotFound => {
                let text = &self.pattern[offset..err.span().end.offset];
                format!(
                    "there is no Unicode property `{text}`; see its spelling in the documentation of `regex`"
                )
            }
            other => format!("{other}"),
        };
        RegexError { message, column: column(self.pattern, offset) }
    }
}

/// The character, from 1, at an offset in bytes.
fn column(pattern: &str, offset: usize) -> usize {
    pattern.char_indices().take_while(|it| it.0 < offset).count() + 1
}

/// Names what is not supported and says what to do instead.
fn explain(pattern: &str, err: &ast::Error) -> RegexError {
    let offset = err.span().start.offset;
    // The parser may point at what follows the opening of a group.
    let group =
        pattern[..offset].rfind('(').filter(|&it| offset - it <= 3 && pattern[it..].starts_with("(?"));
    for offset in [Some(offset), group].into_iter().flatten() {
        if let Some((_, message)) = UNSUPPORTED.iter().find(|it| pattern[offset..].starts_with(it.0)) {
            return RegexError { message: message.to_string(), column: column(pattern, offset) };
        }
    }
    let message = match err.kind() {
        ErrorKind::UnsupportedBackreference => BACK_REFERENCE.to_string(),
        ErrorKind::UnsupportedLookAround => LOOK_AROUND.to_string(),
        other => {
            let end = err.span().end.offset.max(offset);
            // As much of it as people read in an error.
            let part: String = pattern[offset..end].chars().take(PART_MAX).collect();
            if part.is_empty() { format!("{other}") } else { format!("{other}: `{part}`") }
        }
    };
    RegexError { message, column: column(pattern, offset) }
}

/// Longer patterns are refused before anything is made of them.
const BYTES_MAX: usize = 500_000;
/// How many characters of a pattern an error shows.
const PART_MAX: usize = 24;

const BACK_REFERENCE: &str =
    "back-references are not supported, because they are not regular; write out what is referred to";
const LOOK_AROUND: &str =
    "look-around is not supported; require a second pattern to match, or not to match, instead";
const RECURSION: &str = "recursion is not supported, because it is not regular; nest the pattern by hand";

/// What other dialects know, by how it begins.
const UNSUPPORTED: [(&str, &str); 28] = [
    ("(?=", "look-ahead `(?=…)` is not supported; require a second pattern to match instead"),
    ("(?!", "negative look-ahead `(?!…)` is not supported; require a second pattern not to match instead"),
    ("(?<=", "look-behind `(?<=…)` is not supported; require a second pattern to match instead"),
    ("(?<!", "negative look-behind `(?<!…)` is not supported; require a second pattern not to match instead"),
    ("(?>", "atomic groups `(?>…)` are not supported; write `(?:…)`"),
    ("(?|", "branch resets `(?|…)` are not supported; write `(?:…)`"),
    ("(?#", "comments `(?#…)` are not supported; use the flag `x` and `#`"),
    ("(?(", "conditionals `(?(…)…)` are not supported; write the alternatives out"),
    ("(?P=", BACK_REFERENCE),
    ("(?P>", RECURSION),
    ("(?&", RECURSION),
    ("(?0", RECURSION),
    ("(?1", RECURSION),
    ("(?+", RECURSION),
    ("(?'", "groups are named with `(?<name>…)` here"),
    (r"\k", BACK_REFERENCE),
    (r"\g", BACK_REFERENCE),
    (r"\K", r"`\K` is not supported; leave it out: texts are matched as a whole"),
    (r"\G", r"`\G` is not supported; leave it out: texts are matched as a whole"),
    (r"\Q", r"`\Q…\E` is not supported; escape the characters one by one"),
    (r"\E", r"`\Q…\E` is not supported; escape the characters one by one"),
    (r"\R", r"`\R` is not supported; write `(?:\r\n|[\n\x0B\f\r\x85\u2028\u2029])`"),
    (r"\h", r"`\h` is not supported; write `[\t\p{Zs}]`, or `[0-9A-Fa-f]` for a digit"),
    (r"\H", r"`\H` is not supported; write `[^\t\p{Zs}]`"),
    (r"\X", r"`\X` is not supported; write `\P{M}\p{M}*`"),
    (r"\Z", r"`\Z` is not supported; write `\n?\z`"),
    (r"\N", r"`\N` is not supported; write `[^\n]`"),
    (r"\c", r"control escapes are not supported; write `\x` and two digits"),
];
