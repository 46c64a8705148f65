//! Words about values: their arguments' sorts are checked, and what is known is computed at once.

use std::sync::Arc;

use super::interp::{Interp, Res};
use super::sort::{Sort, comparable, fit};
use super::value::{Arg, Function, LangValue, TermSize, Typed};
use super::words::{Id, Word};
use super::{Diagnostic, Span};
use probity_spec::regex::Regex;
use probity_spec::{Node, Op, Term, Value};

/// Terms nested deeper than this are refused; the evaluator takes somewhat deeper ones.
const DEPTH_MAX: usize = 180;
/// Longer texts are not computed.
const TEXT_MAX: usize = 1_000_000;

/// An operation on terms of the right sorts; computed when all are constants. None when that is too deep or
/// too large.
pub(crate) fn operation(op: Op, args: &[Typed], sort: Sort) -> Option<Typed> {
    let term = folded(Term::apply(op, args.iter().map(|it| it.term.clone()).collect::<Vec<_>>()));
    let weight = match term.node() {
        Node::Const(Value::Text(text)) if text.len() > TEXT_MAX => return None,
        Node::Const(_) => TermSize::ONE,
        _ => TermSize::above(args.iter().map(|it| it.weight)),
    };
    weight.fits(DEPTH_MAX).then(|| Typed::new(term, sort, weight))
}

/// The constant that a term of constants is worth; other terms as they are.
pub(crate) fn folded(term: Term) -> Term {
    let constant = term.parts().iter().all(|it| matches!(it.node(), Node::Const(_)));
    match term.node() {
        // Where a case is in its enum is not known to a constant.
        Node::Const(_) | Node::It | Node::Other | Node::Bound(_) | Node::Apply(Op::ToInt, _) => term,
        _ if constant => term.eval(&Value::Bool(false), None).map_or(term, Term::constant),
        _ => term,
    }
}

/// Whether a text matches.
pub(crate) fn matches(text: &Typed, regex: &Arc<Regex>) -> Typed {
    Typed::new(folded(text.term.clone().matches(regex.clone())), Sort::Bool, TermSize::above([text.weight]))
}

/// The term that represents a variable while a program is read.
pub(crate) fn sym_term(base: Term, sym: usize) -> Term {
    base.field(&format!("%{sym}"))
}

/// The variable that a term represents, and the model that it is of.
pub(crate) fn symbolic_of(term: &Term) -> Option<(&Term, usize)> {
    match term.node() {
        Node::Field(base, name) if matches!(base.node(), Node::It | Node::Other) => {
            Some((base, name.strip_prefix('%')?.parse().ok()?))
        }
        _ => None,
    }
}

/// The same term with its variables replaced where `put` gives another.
pub(crate) fn replace(term: &Term, put: &dyn Fn(&Term, usize) -> Option<Term>) -> Term {
    if let Some((base, sym)) = symbolic_of(term) {
        return put(base, sym).unwrap_or_else(|| term.clone());
    }
    let again = |it: &Term| replace(it, put);
    let node = match term.node() {
        Node::It | Node::Other | Node::Bound(_) | Node::Const(_) => return term.clone(),
        Node::Field(of, name) => Node::Field(again(of), name.clone()),
        Node::Matches(of, regex) => Node::Matches(again(of), regex.clone()),
        Node::Is(of, name) => Node::Is(again(of), name.clone()),
        Node::As(of, name) => Node::As(again(of), name.clone()),
        Node::Measure(of, name) => Node::Measure(again(of), name.clone()),
        Node::Quantified(kind, number, list, body) => {
            Node::Quantified(*kind, *number, again(list), again(body))
        }
        Node::Apply(op, args) => Node::Apply(*op, args.iter().map(again).collect()),
    };
    Term::new(node)
}

/// The same term with one variable replaced.
pub(crate) fn replace_sym(term: &Term, sym: usize, by: &Term) -> Term {
    replace(term, &|_, it| (it == sym).then(|| by.clone()))
}

/// The variables that a term mentions, in order of reading.
pub(crate) fn syms(term: &Term, res: &mut Vec<usize>) {
    match symbolic_of(term) {
        Some((_, sym)) if res.contains(&sym) => {}
        Some((_, sym)) => res.push(sym),
        None => term.parts().iter().for_each(|it| syms(it, res)),
    }
}

impl Interp<'_> {
    /// Calls a word; the number of arguments was checked.
    pub(crate) fn word(&mut self, word: &'static Word, args: Vec<Arg>, span: Span) -> Res<LangValue> {
        use Id::*;
        match word.id {
            And | Or | Not | Ite | Implies | AllOf | SomeOf => self.logic(word, args, span),
            Enumerate => self.enumerate(&args, span, None),
            Eq | Ne | Lt | Le | Gt | Ge | Between => {
                self.comparison(word.id, &args, span).map(LangValue::Term)
            }
            Add | Sub | Mul | Div | Mod | Neg | Abs | Min | Max => {
                self.arithmetic(word, &args, span).map(LangValue::Term)
            }
            Length | StringAppend | StartsWith | EndsWith | Contains | Substring | IndexOf | Matches
            | EditDistance | Nth | In | Sorted | Distinct | Sum | Forall | Exists | IsSome | IsNone
            | MakeSome | Unwrap | Year | Month | Day | Weekday | DateOf | TimeOf | ToInt => {
                self.about(word, &args, span)
            }
            NotEqual | DifferentLengths | NumericDistance | Relation => self.primitive(word, &args),
            Date | Time | DateTime | Duration | Days | Hours | Minutes | Seconds => {
                self.stamp(word, &args[0])
            }
            _ => self.data(word, args, span),
        }
    }

    fn logic(&mut self, word: &'static Word, args: Vec<Arg>, span: Span) -> Res<LangValue> {
        let constraints = args.iter().any(|it| matches!(it.val, LangValue::Difference(..)));
        if args.iter().any(|it| matches!(it.val, LangValue::Function(_))) {
            return Ok(LangValue::fun(Function::Lifted(word, args)));
        }
        match word.id {
            Id::AllOf | Id::SomeOf => return self.combine(word.id, &args, span),
            Id::Not if constraints => return self.combine(word.id, &args, span),
            // An `ite` on a known truth chooses between whatever it has.
            Id::Ite if args[0].val.as_const().is_some() => {
                let yes = self.truth(&args[0])?.as_const() == Some(&Value::Bool(true));
                return Ok(args[if yes { 1 } else { 2 }].val.clone());
            }
            _ if constraints => {
                let arg =
                    args.iter().find(|it| matches!(it.val, LangValue::Difference(..))).expect("just seen");
                let help = match word.id {
                    Id::And => "combine constraints with `all-of`",
                    Id::Or => "combine constraints with `some-of`",
                    _ => "constraints combine with `all-of`, `some-of` and `not`",
                };
                let error = Diagnostic::new("this is a constraint, not an assertion", arg.span);
                return self.fail(error.help(help));
            }
            _ => {}
        }
        if word.id == Id::Ite {
            let test = self.truth(&args[0])?;
            let (a, b) = self.unified(&args[1], &args[2], "ite")?;
            let sort = if a.sort == Sort::Int { b.sort.clone() } else { a.sort.clone() };
            return self.operation(Op::Ite, &[test, a, b], sort, span).map(LangValue::Term);
        }
        let truths: Vec<_> = args.iter().map(|it| self.truth(it)).collect();
        let truths = truths.into_iter().collect::<Res<Vec<_>>>()?;
        match word.id {
            Id::Not => self.negation(&truths[0], span),
            Id::Implies => {
                let not = self.negation(&truths[0], span)?;
                self.junction(Op::Or, &[not, truths[1].clone()], span)
            }
            Id::Or => self.junction(Op::Or, &truths, span),
            _ => self.junction(Op::And, &truths, span),
        }
        .map(LangValue::Term)
    }

    fn negation(&mut self, of: &Typed, span: Span) -> Res<Typed> {
        match of.term.node() {
            Node::Apply(Op::Not, inner) => Ok(Typed::new(inner[0].clone(), Sort::Bool, of.weight)),
            _ => self.operation(Op::Not, std::slice::from_ref(of), Sort::Bool, span),
        }
    }

    /// `and` and `or`: flat, without the constants that decide nothing.
    fn junction(&mut self, op: Op, args: &[Typed], span: Span) -> Res<Typed> {
        let neutral = Term::constant(op == Op::And);
        let mut parts: Vec<Typed> = Vec::new();
        for arg in args {
            match arg.term.node() {
                Node::Apply(inner, terms) if *inner == op => {
                    let TermSize { depth, size } = arg.weight;
                    let weight = TermSize { depth: depth - 1, size: size.div_ceil(terms.len()) };
                    parts.extend(terms.iter().map(|it| Typed::new(it.clone(), Sort::Bool, weight)));
                }
                Node::Const(_) if arg.term == neutral => {}
                Node::Const(_) => return Ok(arg.clone()),
                _ => parts.push(arg.clone()),
            }
        }
        match parts.len() {
            0 => Ok(Typed::new(neutral, Sort::Bool, TermSize::ONE)),
            1 => Ok(parts.remove(0)),
            _ => self.operation(op, &parts, Sort::Bool, span),
        }
    }

    fn comparison(&mut self, id: Id, args: &[Arg], span: Span) -> Res<Typed> {
        if id == Id::Between {
            let low = self.comparison(Id::Le, &[args[1].clone(), args[0].clone()], span)?;
            let high = self.comparison(Id::Le, &[args[0].clone(), args[2].clone()], span)?;
            return self.junction(Op::And, &[low, high], span);
        }
        let mut parts = Vec::new();
        for pair in args.windows(2) {
            let word = id.word().names[0];
            let (a, b) = self.unified(&pair[0], &pair[1], word)?;
            let (a, b) = if matches!(id, Id::Gt | Id::Ge) { (b, a) } else { (a, b) };
            let op = match id {
                Id::Eq | Id::Ne => Op::Eq,
                Id::Lt | Id::Gt => Op::Lt,
                _ => Op::Le,
            };
            if op != Op::Eq && !a.sort.is_ordered() {
                let (what, sort) = (self.shown(pair[0].span), a.sort.what());
                let error = Diagnostic::new(
                    format!("`{word}` orders no {}", sort.split_once(' ').map_or("", |it| it.1)),
                    span,
                );
                let help = match a.sort {
                    Sort::Enum(_) | Sort::Bool => "compare `(to-int x)`, its place among the cases",
                    Sort::Option(_) => "look at its content with `(unwrap x)`",
                    _ => "numbers, texts, dates, times and durations have an order",
                };
                return self.fail(error.label(format!("{what} is {sort}")).help(help));
            }
            let holds = self.operation(op, &[a, b], Sort::Bool, span)?;
            parts.push(if id == Id::Ne { self.negation(&holds, span)? } else { holds });
        }
        self.junction(Op::And, &parts, span)
    }

    /// Two terms that can be compared, with constants fitted to the other's sort.
    pub(crate) fn unified(&mut self, a: &Arg, b: &Arg, word: &str) -> Res<(Typed, Typed)> {
        let (first, second) = (self.typed(a), self.typed(b));
        let (first, second) = (first?, second?);
        let (left, right) = (self.resolve(&first.sort), self.resolve(&second.sort));
        if comparable(&left, &right) {
            return Ok((first, second));
        }
        if let Some(value) = second.as_const().and_then(|it| fit(it, &left)) {
            return Ok((first, Typed::new(Term::constant(value), left, TermSize::ONE)));
        }
        if let Some(value) = first.as_const().and_then(|it| fit(it, &right)) {
            return Ok((Typed::new(Term::constant(value), right, TermSize::ONE), second));
        }
        self.misfit(&first, &second, b)?;
        self.misfit(&second, &first, a)?;
        let (x, y) = (left.what(), right.what());
        let error = Diagnostic::new(format!("`{word}` cannot relate {x} and {y}"), a.span.to(b.span));
        let error = error.label(format!("{} is {x}, {} is {y}", self.shown(a.span), self.shown(b.span)));
        self.fail(match (&left, &right) {
            (Sort::Option(of), other) | (other, Sort::Option(of)) if comparable(of, other) => {
                error.help("write `(unwrap x)` for the content of an option, `(some x)` for a known one")
            }
            _ => error,
        })
    }

    /// Reports a constant that is no case of an enum or no key of a table.
    fn misfit(&mut self, of: &Typed, constant: &Typed, arg: &Arg) -> Res<()> {
        let name = match constant.as_const() {
            Some(Value::Text(it) | Value::Case(it)) => it.clone(),
            _ => return Ok(()),
        };
        let (message, known): (String, Vec<String>) = match &of.sort {
            Sort::Enum(cases) => (
                format!("`{name}` is not a case of this Enum"),
                cases.iter().map(|it| it.to_string()).collect(),
            ),
            Sort::Row(table) => {
                let keys = (0..table.rows.len() as u32).map(|it| match table.key(it) {
                    Value::Text(it) => it.to_string(),
                    other => other.to_string(),
                });
                (format!("no row of {} has the key `{name}`", table.name), keys.collect())
            }
            _ => return Ok(()),
        };
        let help = self.nearest(&name, known.iter().map(|it| &**it));
        let help = help.unwrap_or_else(|| {
            let more = if known.len() > 8 { ", …" } else { "" };
            format!("there are {}{more}", known.iter().take(8).cloned().collect::<Vec<_>>().join(", "))
        });
        self.fail(Diagnostic::new(message, arg.span).help(help))
    }

    fn arithmetic(&mut self, word: &'static Word, args: &[Arg], span: Span) -> Res<Typed> {
        let typed: Vec<_> = args.iter().map(|it| self.typed(it)).collect();
        let typed = typed.into_iter().collect::<Res<Vec<_>>>()?;
        let name = word.names[0];
        let whole = typed.iter().all(|it| it.sort == Sort::Int);
        let numeric = if whole { Sort::Int } else { Sort::Number };
        let all_numeric = typed.iter().all(|it| it.sort.is_numeric());
        let op = match word.id {
            Id::Add => Op::Add,
            Id::Sub if args.len() == 1 => Op::Neg,
            Id::Sub => Op::Sub,
            Id::Mul => Op::Mul,
            Id::Div => Op::Div,
            Id::Mod => Op::Mod,
            Id::Neg => Op::Neg,
            Id::Abs => Op::Abs,
            _ => {
                let (a, b) = self.unified(&args[0], &args[1], name)?;
                let first = self.comparison(Id::Le, args, span)?;
                let sort = if all_numeric { numeric } else { a.sort.clone() };
                let (yes, no) = if word.id == Id::Min { (a, b) } else { (b, a) };
                return self.operation(Op::Ite, &[first, yes, no], sort, span);
            }
        };
        if matches!(op, Op::Add | Op::Mul) && args.len() == 1 && all_numeric {
            return Ok(typed.into_iter().next().expect("one argument"));
        }
        let fits = whole || !matches!(op, Op::Div | Op::Mod);
        if all_numeric && fits {
            return self.operation(op, &typed, numeric, span);
        }
        let sorts: Vec<&Sort> = typed.iter().map(|it| &it.sort).collect();
        use Sort::{Date, DateTime, Duration, Int, Time};
        let sort = match (op, &*sorts) {
            (Op::Add, [Date | DateTime | Time, Duration]) | (Op::Sub, [Date | DateTime | Time, Duration]) => {
                sorts[0].clone()
            }
            (Op::Sub, [Date, Date] | [DateTime, DateTime] | [Time, Time]) => Duration,
            (Op::Add | Op::Sub | Op::Neg | Op::Abs, all) if all.iter().all(|it| **it == Duration) => Duration,
            (Op::Mul, [Duration, Int] | [Int, Duration]) => Duration,
            _ => {
                let at = typed.iter().position(|it| !it.sort.is_numeric()).unwrap_or(0);
                let (what, sort) = (self.shown(args[at].span), sorts[at].what());
                let takes = if matches!(op, Op::Div | Op::Mod) { "whole numbers" } else { "numbers" };
                let error =
                    Diagnostic::new(format!("`{name}` takes {takes}, but {what} is {sort}"), args[at].span);
                return self.fail(match sorts[at] {
                    Date | DateTime | Time => {
                        error.help("a date or time moves by a duration: `(+ d (days 3))`")
                    }
                    Sort::Text => error.help("join texts with `(string-append a b)`"),
                    _ => error,
                });
            }
        };
        self.operation(op, &typed, sort, span)
    }

    /// A term of an argument.
    pub(crate) fn typed(&mut self, arg: &Arg) -> Res<Typed> {
        match &arg.val {
            LangValue::Term(it) => Ok(it.clone()),
            LangValue::Poison => Err(super::interp::Abort),
            LangValue::List(items) => {
                // An element costs more than a step.
                self.spend(10 * items.len(), arg.span)?;
                let mut typed: Vec<Typed> = Vec::new();
                for item in items.iter() {
                    typed.push(self.typed(&Arg { val: item.clone(), span: arg.span })?);
                }
                let sorts = typed.iter().map(|it| it.sort.clone());
                let sort = sorts.reduce(|a, b| if a == Sort::Int { b } else { a }).unwrap_or(Sort::Any);
                if let Some(odd) = typed.iter().find(|it| !comparable(&it.sort, &sort)) {
                    let (a, b) = (sort.what(), odd.sort.what());
                    return self
                        .wrong(format!("a list of {a} and {b}: elements must be of one sort"), arg.span);
                }
                self.operation(Op::List, &typed, Sort::List(sort.into()), arg.span)
            }
            LangValue::Function(fun) => {
                let (min, _) = fun.arity();
                let what = self.shown(arg.span);
                let error = Diagnostic::new(format!("{what} is a function, not a value"), arg.span);
                let more = if min == 1 { "1 argument".to_string() } else { format!("{min} arguments") };
                let word = match &**fun {
                    Function::Word(word) => Some(*word),
                    Function::Awaiting(of, _) | Function::Curried(of, _) => match &**of {
                        Function::Word(word) => Some(*word),
                        _ => None,
                    },
                    _ => None,
                };
                let error = match &**fun {
                    Function::Awaiting(..) | Function::Curried(..) => {
                        error.label(format!("it awaits {more} more"))
                    }
                    _ => error.label(format!("call it with {more}")),
                };
                self.fail(match word {
                    Some(word) => error.help(word.help()),
                    None => error,
                })
            }
            LangValue::Regex(_) => {
                let error = Diagnostic::new("expected a value, found a regex", arg.span);
                self.fail(error.help("write `(matches text regex)`"))
            }
            LangValue::Difference(..) => {
                let error = Diagnostic::new("expected a value, found a constraint", arg.span);
                self.fail(error.help("constraints go into `constrain-solutions`"))
            }
        }
    }

    /// A truth.
    pub(crate) fn truth(&mut self, arg: &Arg) -> Res<Typed> {
        if let LangValue::Difference(..) = arg.val {
            let error = Diagnostic::new("expected an assertion, found a constraint", arg.span);
            return self.fail(error.help("use `constrain-solutions` for what makes models different"));
        }
        let typed = self.typed(arg)?;
        if typed.sort == Sort::Bool || typed.sort == Sort::Any {
            return Ok(typed);
        }
        let (what, sort) = (self.shown(arg.span), typed.sort.what());
        let error = Diagnostic::new(format!("expected an assertion, but {what} is {sort}"), arg.span);
        self.fail(error.label("expected something true or false"))
    }

    /// A term of one of the sorts that a word takes (compared by kind, not by content).
    pub(crate) fn of_sort(&mut self, arg: &Arg, word: &str, sorts: &[Sort]) -> Res<Typed> {
        let mut typed = self.typed(arg)?;
        let sort = self.resolve(&typed.sort);
        let fits = |it: &Sort| std::mem::discriminant(it) == std::mem::discriminant(&sort);
        if sort == Sort::Any || sorts.iter().any(fits) {
            typed.sort = sort;
            return Ok(typed);
        }
        // A quoted word is a text where a text is wanted.
        if let (Some(Value::Case(name)), true) = (typed.as_const(), sorts.contains(&Sort::Text)) {
            return Ok(Typed::constant(Value::Text(name.clone())));
        }
        let takes: Vec<String> = sorts.iter().map(Sort::what).collect();
        let (what, sort) = (self.shown(arg.span), sort.what());
        let error =
            Diagnostic::new(format!("`{word}` takes {}, but {what} is {sort}", takes.join(" or ")), arg.span);
        self.fail(match typed.sort {
            Sort::Option(_) => error.help("look at its content with `(unwrap x)`"),
            _ => error,
        })
    }
}
