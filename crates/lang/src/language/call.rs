//! Calls: of functions of the program, of words, of what awaits arguments; assertions and constraints of a value.

use std::rc::Rc;

use super::Diagnostic;
use super::Span;
use super::interp::{Interp, Res};
use super::relation;
use super::sort::Sort;
use super::value::{Arg, Function, LangValue, TermSize, Typed};
use super::words::{Id, Word};
use probity_spec::regex::Cover;
use probity_spec::{Branch, Branches, Difference, Enumerate, Term, Value};

/// Constraints nested deeper than this are refused, so that no reader of them overflows the stack.
const DEPTH_MAX: usize = 64;

impl Interp<'_> {
    /// Calls a function. With too few arguments it awaits the first ones: `(gte 0)` is a function of `x`.
    pub(crate) fn apply(&mut self, fun: &Rc<Function>, mut args: Vec<Arg>, span: Span) -> Res<LangValue> {
        let (min, max) = fun.arity();
        if args.len() > max || (args.is_empty() && min > 0) {
            return self.arity(fun, args.len(), span);
        }
        if args.len() < min {
            return Ok(LangValue::fun(Function::Awaiting(fun.clone(), args)));
        }
        match &**fun {
            Function::Word(word) => self.word(word, args, span),
            Function::Closure(it) => self.apply_closure(it, &args, span),
            Function::Accessor(name) => {
                let typed = self.typed(&args[0])?;
                self.access(&typed, name, span, args[0].span).map(LangValue::Term)
            }
            Function::Curried(of, given) => {
                let mut all = given.clone();
                all.append(&mut args);
                self.apply(of, all, span)
            }
            Function::Awaiting(of, given) => {
                args.extend(given.iter().cloned());
                self.apply(of, args, span)
            }
            Function::Lifted(word, _) => {
                let val = Arg { val: LangValue::Function(fun.clone()), span };
                if matches!(word.id, Id::AllOf | Id::SomeOf | Id::Enumerate) {
                    self.constraint(&val, &args[0])
                } else {
                    self.assertion(&val, &args[0]).map(LangValue::Term)
                }
            }
            Function::Case(is, name) => self.case(*is, &args[0], name, span),
            Function::CoverRegexp(regex, heuristics) => {
                let on = self.of_sort(&args[0], "cover-regexp", &[Sort::Text])?;
                let cover = Cover::new(regex, heuristics).into();
                let branches = Branches::Cover { on: on.term, cover };
                Ok(LangValue::difference(Difference::Enumerate(Enumerate { branches })))
            }
            Function::CoverJson(structure) => self.cover_structure(structure, &args[0]),
        }
    }

    fn arity<T>(&mut self, fun: &Function, given: usize, span: Span) -> Res<T> {
        let (min, max) = fun.arity();
        let plural = |n: usize| format!("{n} argument{}", if n == 1 { "" } else { "s" });
        let takes = match (min, max) {
            (min, max) if min == max => plural(min),
            (min, usize::MAX) => format!("at least {}", plural(min)),
            (min, max) => format!("{min} to {}", plural(max)),
        };
        let given = if given == 1 { "1 is".to_string() } else { format!("{given} are") };
        let error = Diagnostic::new(format!("{} takes {takes}, but {given} given", fun.shown()), span);
        self.fail(match fun {
            Function::Word(word) | Function::Lifted(word, _) => error.help(word.help()),
            Function::Closure(it) if it.name.is_some() => {
                let name = it.name.as_deref().unwrap_or_default();
                error.help(format!("write `({name} {})`", it.params.join(" ")))
            }
            _ => error,
        })
    }

    /// What a value says of one value: a truth as it is; a function is called with the value.
    pub(crate) fn assertion(&mut self, of: &Arg, on: &Arg) -> Res<Typed> {
        match &of.val {
            LangValue::Function(fun) => {
                if let Function::Lifted(word, args) = &**fun
                    && !matches!(word.id, Id::AllOf | Id::SomeOf | Id::Enumerate)
                {
                    let one = |it: &Arg| {
                        self.assertion(it, on).map(|val| Arg { val: LangValue::Term(val), span: it.span })
                    };
                    let args = args.iter().map(one).collect::<Res<Vec<_>>>()?;
                    let val = self.word(word, args, of.span)?;
                    return self.truth(&Arg { val, span: of.span });
                }
                let (min, _) = fun.arity();
                if min > 1 {
                    let what = fun.shown();
                    let error =
                        Diagnostic::new(format!("{what} needs {} more arguments here", min - 1), of.span);
                    return self.fail(error.label("the variable is the first argument; give the others"));
                }
                let val = self.apply(fun, vec![on.clone()], of.span)?;
                if let LangValue::Function(_) = val {
                    return self.wrong("this is a function, not an assertion", of.span);
                }
                self.assertion(&Arg { val, span: of.span }, on)
            }
            LangValue::Regex(regex) => {
                let text = self.of_sort(on, "matches", &[Sort::Text])?;
                Ok(super::terms::matches(&text, regex))
            }
            _ => self.truth(of),
        }
    }

    /// What makes two models different in a value: a constraint as it is; a function of one value is called with
    /// it; a function of two values is a relation.
    pub(crate) fn constraint(&mut self, of: &Arg, on: &Arg) -> Res<LangValue> {
        match &of.val {
            LangValue::Difference(..) => Ok(of.val.clone()),
            LangValue::Function(fun) => {
                if let Function::Lifted(word, args) = &**fun {
                    return self.lifted_constraint(word, args, of.span, on);
                }
                match fun.arity() {
                    (0 | 1, _) => {
                        let val = self.apply(fun, vec![on.clone()], of.span)?;
                        if let LangValue::Function(_) = val {
                            return self.wrong("this is a function, not a constraint", of.span);
                        }
                        self.constraint(&Arg { val, span: of.span }, on)
                    }
                    (2, _) => self.relation(fun, of.span, on),
                    (n, _) => {
                        let what = fun.shown();
                        let error = Diagnostic::new(format!("{what} needs {n} values"), of.span);
                        self.fail(error.label("a relation is a function of two values"))
                    }
                }
            }
            LangValue::Term(it) if it.sort == Sort::Bool => {
                let error =
                    Diagnostic::new("this is an assertion about one model, not a constraint", of.span);
                self.fail(error.help("use `specify` for it, or a function of two values: `(λ (v1 v2) …)`"))
            }
            _ => {
                let what = super::pattern::shown(&of.val);
                let error = Diagnostic::new(format!("expected a constraint, found {what}"), of.span);
                self.fail(
                    error.help("`not-equal`, `(numeric-distance 10)` and `(λ (v1 v2) …)` are constraints"),
                )
            }
        }
    }

    fn lifted_constraint(
        &mut self,
        word: &'static Word,
        args: &[Arg],
        span: Span,
        on: &Arg,
    ) -> Res<LangValue> {
        if word.id == Id::Enumerate {
            return self.enumerate(args, span, Some(on));
        }
        let one = |it: &Arg| self.constraint(it, on).map(|val| Arg { val, span: it.span });
        let args = args.iter().map(one).collect::<Res<Vec<_>>>()?;
        self.word(word, args, span)
    }

    /// A function of two values as what makes models different in `on`.
    fn relation(&mut self, fun: &Rc<Function>, span: Span, on: &Arg) -> Res<LangValue> {
        let on = self.typed(on)?;
        let (first, second) = (self.temporary(&on.sort), self.temporary(&on.sort));
        let args = [&first, &second].map(|it| Arg { val: LangValue::Term(it.1.clone()), span });
        let val = self.apply(fun, args.to_vec(), span)?;
        if let LangValue::Difference(..) = val {
            let error = Diagnostic::new("a relation of two values must be an assertion", span);
            return self.fail(error.help("a function that gives a constraint takes one value"));
        }
        let holds = self.truth(&Arg { val, span })?;
        Ok(LangValue::difference(relation::of(&on.term, &holds.term, first.0, second.0)))
    }

    /// Constraints combined: `all-of`, `some-of` and `not` of constraints.
    pub(crate) fn combine(&mut self, id: Id, args: &[Arg], span: Span) -> Res<LangValue> {
        let mut parts = Vec::new();
        let mut weights = Vec::new();
        for arg in args {
            match &arg.val {
                LangValue::Difference(it, deep) => {
                    weights.push(*deep);
                    parts.push(Difference::clone(it));
                }
                _ => return self.constraint(arg, arg),
            }
        }
        let join = |parts: Vec<Difference>, all: bool| {
            let flat = parts.into_iter().flat_map(|it| match it {
                Difference::All(inner) if all => inner,
                Difference::Any(inner) if !all => inner,
                other => vec![other],
            });
            flat.collect::<Vec<_>>()
        };
        let res = match id {
            Id::Not => Difference::Not(Box::new(parts.remove(0))),
            Id::AllOf => match join(parts, true) {
                it if it.len() == 1 => it.into_iter().next().unwrap_or(Difference::Always),
                it => Difference::All(it),
            },
            _ => relation::any(join(parts, false)),
        };
        self.nested(res, TermSize::above(weights), span)
    }

    fn nested(&mut self, it: Difference, weight: TermSize, span: Span) -> Res<LangValue> {
        if !weight.fits(DEPTH_MAX) {
            return self
                .wrong(format!("this constraint is too large or nests more than {DEPTH_MAX} deep"), span);
        }
        Ok(LangValue::Difference(Rc::new(it), weight))
    }

    /// `(enumerate* (list a …) (list c …))`, of a value when the parts are functions of one.
    pub(crate) fn enumerate(&mut self, args: &[Arg], span: Span, on: Option<&Arg>) -> Res<LangValue> {
        let (asserts, constraints) = (self.elements(&args[0])?, self.elements(&args[1])?);
        if asserts.len() != constraints.len() {
            let count = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
            let (n, m) = (count(asserts.len(), "assertion"), count(constraints.len(), "constraint"));
            let error = Diagnostic::new(format!("{n}, but {m}"), span);
            return self.fail(error.help("`enumerate*` takes one constraint for every assertion"));
        }
        let Some(on) = on else {
            let awaits = |it: &LangValue| matches!(it, LangValue::Function(_));
            if asserts.iter().chain(constraints.iter()).any(awaits) {
                return Ok(LangValue::fun(Function::Lifted(Id::Enumerate.word(), args.to_vec())));
            }
            // Nothing awaits a value, so none is used.
            let unused = Arg { val: LangValue::Poison, span };
            return self.enumerate(args, span, Some(&unused));
        };
        let mut branches = Vec::new();
        let mut weights = Vec::new();
        for (assert, constraint) in asserts.iter().zip(constraints.iter()) {
            let requires = self.assertion(&Arg { val: assert.clone(), span: args[0].span }, on);
            let differ = self.constraint(&Arg { val: constraint.clone(), span: args[1].span }, on);
            let (requires, differ) = (requires?.term, differ?);
            let LangValue::Difference(differ, deep) = differ else {
                unreachable!("`constraint` gives differences")
            };
            weights.push(deep);
            branches.push(Branch { requires, differ: Difference::clone(&differ), label: String::new() });
        }
        if branches.is_empty() {
            return self.wrong("`enumerate*` of no assertions", span);
        }
        let branches = Branches::Listed(branches);
        self.nested(Difference::Enumerate(Enumerate { branches }), TermSize::above(weights), span)
    }

    /// Quantifies over a list: a term's, or one of the program.
    pub(crate) fn quantified(
        &mut self,
        id: Id,
        list: &Arg,
        mut body: impl FnMut(&mut Self, LangValue) -> Res<Typed>,
    ) -> Res<LangValue> {
        let word = if id == Id::Forall { Id::And.word() } else { Id::Or.word() };
        if let LangValue::List(items) = &list.val {
            let mut parts = vec![Arg { val: LangValue::truth(id == Id::Forall), span: list.span }];
            for item in items.iter() {
                let part = body(self, item.clone())?;
                parts.push(Arg { val: LangValue::Term(part), span: list.span });
            }
            return self.word(word, parts, list.span);
        }
        let typed = self.typed(list)?;
        let Sort::List(element) = self.resolve(&typed.sort) else {
            let (what, sort) = (self.shown(list.span), typed.sort.what());
            let name = if id == Id::Forall { "forall" } else { "exists" };
            return self.wrong(format!("`{name}` takes a List, but {what} is {sort}"), list.span);
        };
        let (sym, element) = self.temporary(&element);
        let holds = body(self, LangValue::Term(element))?;
        let weight = TermSize::above([typed.weight, holds.weight]);
        let put = |bound: Term| super::terms::replace_sym(&holds.term, sym, &bound);
        let term =
            if id == Id::Forall { typed.term.clone().forall(put) } else { typed.term.clone().exists(put) };
        let constant = super::terms::folded(term);
        Ok(LangValue::Term(Typed::new(constant, Sort::Bool, weight)))
    }

    /// The elements of a list of the program.
    pub(crate) fn elements(&mut self, arg: &Arg) -> Res<Rc<[LangValue]>> {
        match &arg.val {
            LangValue::List(items) => Ok(items.clone()),
            LangValue::Term(it) => {
                if let Some(Value::List(items)) = it.as_const() {
                    return Ok(items.iter().cloned().map(LangValue::constant).collect());
                }
                let what = self.shown(arg.span);
                if !matches!(it.sort, Sort::List(_)) {
                    return self
                        .wrong(format!("expected a list, but {what} is {}", it.sort.what()), arg.span);
                }
                let error = Diagnostic::new(format!("the elements of {what} are not known yet"), arg.span);
                self.fail(error.help("say things about them with `forall`, `exists`, `nth`, `sum`"))
            }
            other => {
                let what = super::pattern::shown(other);
                self.wrong(format!("expected a list, found {what}"), arg.span)
            }
        }
    }
}
