//! Words about data of the program: patterns, lists, functions.

use std::rc::Rc;
use std::sync::Arc;

use super::interp::{Interp, Res};
use super::sort::Sort;
use super::value::{Arg, Function, LangValue};
use super::words::{Id, Word};
use super::{Diagnostic, Span};
use probity_spec::Value;
use probity_spec::regex::Regex;

/// The longest list that `range` makes, and that any list may get.
const LIST_MAX: usize = 100_000;
/// The most that a part of a pattern may be repeated.
const REPEAT_MAX: i128 = 1_000;
/// The longest pattern that may be built.
const PATTERN_MAX: usize = 100_000;

impl Interp<'_> {
    pub(crate) fn data(&mut self, word: &'static Word, args: Vec<Arg>, span: Span) -> Res<LangValue> {
        use Id::*;
        match word.id {
            Regexp | RegexpQuote | Concat | ReConcat | ReUnion | ReOptional | RePlus | ReStar | ReRepeat => {
                self.pattern_word(word, &args, span)
            }
            List => Ok(LangValue::List(args.into_iter().map(|it| it.val).collect())),
            Range => self.range(&args, span),
            Map => self.map(&args, span),
            Filter => {
                let fun = self.function(&args[0])?;
                let mut res = Vec::new();
                for item in self.elements(&args[1])?.iter() {
                    let val = self.apply(&fun, vec![Arg { val: item.clone(), span: args[1].span }], span)?;
                    let keep = self.truth(&Arg { val, span: args[0].span })?;
                    match keep.as_const() {
                        Some(it) if *it == Value::Bool(true) => res.push(item.clone()),
                        Some(_) => {}
                        None => {
                            let error = Diagnostic::new("`filter` needs a known truth", args[0].span);
                            return self
                                .fail(error.help("this depends on a blank; use `forall` or `exists`"));
                        }
                    }
                }
                Ok(LangValue::List(res.into()))
            }
            Foldl | Foldr => {
                let fun = self.function(&args[0])?;
                let items = self.elements(&args[2])?;
                let mut res = args[1].val.clone();
                let order: Box<dyn Iterator<Item = &LangValue>> =
                    if word.id == Foldl { Box::new(items.iter()) } else { Box::new(items.iter().rev()) };
                for item in order {
                    let arg = |val: &LangValue, at: usize| Arg { val: val.clone(), span: args[at].span };
                    res = self.apply(&fun, vec![arg(item, 2), arg(&res, 1)], span)?;
                }
                Ok(res)
            }
            Apply => {
                let fun = self.function(&args[0])?;
                let (last, before) = args[1..].split_last().expect("`apply` takes two arguments or more");
                let mut all = before.to_vec();
                all.extend(self.elements(last)?.iter().map(|it| Arg { val: it.clone(), span: last.span }));
                self.apply(&fun, all, span)
            }
            Curry => {
                let fun = self.function(&args[0])?;
                let (_, max) = fun.arity();
                if args.len() - 1 > max {
                    return self.apply(&fun, args[1..].to_vec(), span);
                }
                Ok(LangValue::fun(Function::Curried(fun, args[1..].to_vec())))
            }
            _ => self.list_word(word, &args, span),
        }
    }

    fn list_word(&mut self, word: &'static Word, args: &[Arg], span: Span) -> Res<LangValue> {
        use Id::*;
        let name = word.names[0];
        if word.id == Append {
            let mut res = Vec::new();
            for arg in args {
                res.extend(self.elements(arg)?.iter().cloned());
            }
            return self.bounded(res, span);
        }
        if word.id == Cons {
            let mut res = vec![args[0].val.clone()];
            res.extend(self.elements(&args[1])?.iter().cloned());
            return self.bounded(res, span);
        }
        let items = self.elements(&args[0])?;
        let item = match word.id {
            IsNull => return Ok(LangValue::truth(items.is_empty())),
            Reverse => return Ok(LangValue::List(items.iter().rev().cloned().collect())),
            Rest if !items.is_empty() => return Ok(LangValue::List(items[1..].into())),
            First => items.first(),
            Second => items.get(1),
            Last => items.last(),
            _ => None,
        };
        match item {
            Some(it) => Ok(it.clone()),
            None => {
                let n = items.len();
                let what = if n == 0 { "an empty list".to_string() } else { format!("a list of {n}") };
                let error = Diagnostic::new(format!("`{name}` of {what}"), args[0].span);
                self.fail(error.help("test it with `(null? list)` first"))
            }
        }
    }

    fn bounded(&mut self, items: Vec<LangValue>, span: Span) -> Res<LangValue> {
        if items.len() > LIST_MAX {
            return self.wrong(format!("a list of more than {LIST_MAX} elements"), span);
        }
        Ok(LangValue::List(items.into()))
    }

    fn function(&mut self, arg: &Arg) -> Res<Rc<Function>> {
        match &arg.val {
            LangValue::Function(it) => Ok(it.clone()),
            _ => {
                let what = self.shown(arg.span);
                self.wrong(format!("expected a function, but {what} is none"), arg.span)
            }
        }
    }

    fn map(&mut self, args: &[Arg], span: Span) -> Res<LangValue> {
        let fun = self.function(&args[0])?;
        let lists: Vec<_> = args[1..].iter().map(|it| self.elements(it)).collect();
        let lists = lists.into_iter().collect::<Res<Vec<_>>>()?;
        let n = lists[0].len();
        if lists.iter().any(|it| it.len() != n) {
            return self.wrong("`map` takes lists of one length", span);
        }
        let mut res = Vec::new();
        for i in 0..n {
            let item =
                |(at, list): (usize, &Rc<[LangValue]>)| Arg { val: list[i].clone(), span: args[at + 1].span };
            res.push(self.apply(&fun, lists.iter().enumerate().map(item).collect(), span)?);
        }
        Ok(LangValue::List(res.into()))
    }

    fn range(&mut self, args: &[Arg], span: Span) -> Res<LangValue> {
        let mut bounds = Vec::new();
        for arg in args {
            bounds.push(self.known_int(arg, "range")?);
        }
        let (start, end, step) = match *bounds {
            [end] => (0, end, 1),
            [start, end] => (start, end, 1),
            _ => (bounds[0], bounds[1], bounds[2]),
        };
        if step == 0 {
            return self.wrong("`range` by steps of 0 has no end", span);
        }
        let mut res = Vec::new();
        let mut at = start;
        while if step > 0 { at < end } else { at > end } {
            if res.len() == LIST_MAX {
                return self.wrong(format!("a list of more than {LIST_MAX} elements"), span);
            }
            res.push(LangValue::constant(Value::Int(at)));
            match at.checked_add(step) {
                Some(next) => at = next,
                None => break,
            }
        }
        Ok(LangValue::List(res.into()))
    }

    /// A whole number that is known while the program is read.
    pub(crate) fn known_int(&mut self, arg: &Arg, word: &str) -> Res<i128> {
        let typed = self.of_sort(arg, word, &[Sort::Int])?;
        match typed.as_const() {
            Some(Value::Int(it)) => Ok(*it),
            _ => {
                let what = self.shown(arg.span);
                self.wrong(format!("`{word}` takes a known number, but {what} is not known yet"), arg.span)
            }
        }
    }

    /// A pattern: a regex, or a text that is read as one.
    pub(crate) fn regex(&mut self, arg: &Arg) -> Res<Arc<Regex>> {
        match &arg.val {
            LangValue::Regex(it) => Ok(it.clone()),
            LangValue::Term(it) => match it.as_const() {
                Some(Value::Text(text)) => match it.literal {
                    Some(literal) => self.pattern(text, literal),
                    None => Regex::new(text).map(Arc::new).or_else(|error| {
                        let message = format!("the pattern `{text}` is wrong: {error}");
                        self.wrong(message, arg.span)
                    }),
                },
                _ => {
                    let what = self.shown(arg.span);
                    let error = Diagnostic::new(
                        format!("expected a regex, but {what} is {}", it.sort.what()),
                        arg.span,
                    );
                    self.fail(error.help("write `#rx\"…\"`, a text in quotes, or a name declared as one"))
                }
            },
            other => {
                let what = super::pattern::shown(other);
                self.wrong(format!("expected a regex, found {what}"), arg.span)
            }
        }
    }

    fn pattern_word(&mut self, word: &'static Word, args: &[Arg], span: Span) -> Res<LangValue> {
        use Id::*;
        let is_regex = |it: &Arg| matches!(it.val, LangValue::Regex(_));
        if word.id == Concat && !args.iter().any(is_regex) {
            return self.about(StringAppend.word(), args, span);
        }
        if word.id == RegexpQuote {
            let text = self.of_sort(&args[0], word.names[0], &[Sort::Text])?;
            return match text.as_const() {
                Some(Value::Text(it)) => Ok(LangValue::Regex(Regex::literal(it).into())),
                _ => self.wrong("`regexp-quote` takes a known text", args[0].span),
            };
        }
        if word.id == ReRepeat {
            return self.repeat(args, span);
        }
        // `(concat ":" hh mm)` is hh:mm, as in the paper: a plain text in front of regexes stands between them.
        let separator = match args[0].val.as_const() {
            Some(Value::Text(text)) if word.id == Concat => Some(Regex::literal(text)),
            _ => None,
        };
        let parts: Vec<_> =
            args[usize::from(separator.is_some())..].iter().map(|it| self.regex(it)).collect();
        let parts: Vec<Regex> =
            parts.into_iter().map(|it| it.map(|it| Regex::clone(&it))).collect::<Res<_>>()?;
        if parts.iter().map(|it| it.pattern().len()).sum::<usize>() > PATTERN_MAX {
            return self.wrong(format!("this pattern gets longer than {PATTERN_MAX} characters"), span);
        }
        let regex = match word.id {
            Regexp => parts[0].clone(),
            ReUnion => Regex::union(&parts),
            ReOptional => parts[0].optional(),
            RePlus => parts[0].plus(),
            ReStar => parts[0].star(),
            _ => {
                let mut joined = Vec::new();
                for (i, part) in parts.into_iter().enumerate() {
                    joined.extend(separator.clone().filter(|_| i > 0));
                    joined.push(part);
                }
                Regex::concat(&joined)
            }
        };
        self.sized(regex, span)
    }

    /// A pattern that was combined of others, unless it has become too large.
    fn sized(&mut self, regex: Regex, span: Span) -> Res<LangValue> {
        match regex.check_size() {
            Ok(()) => Ok(LangValue::Regex(Arc::new(regex))),
            Err(error) => self.wrong(error, span),
        }
    }

    fn repeat(&mut self, args: &[Arg], span: Span) -> Res<LangValue> {
        let regex = self.regex(&args[0])?;
        let mut bounds = Vec::new();
        for arg in &args[1..] {
            let n = self.known_int(arg, "re-repeat")?;
            if !(0..=REPEAT_MAX).contains(&n) {
                return self.wrong(format!("a part can be repeated 0 to {REPEAT_MAX} times"), arg.span);
            }
            bounds.push(n as u32);
        }
        if bounds.get(1).is_some_and(|max| *max < bounds[0]) {
            return self.wrong("the least is more than the most; swap them", args[1].span.to(args[2].span));
        }
        // With one number it is exactly that many times.
        let max = bounds.get(1).copied().unwrap_or(bounds[0]);
        self.sized(regex.repeat(bounds[0], Some(max)), span)
    }
}
