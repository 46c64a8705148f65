//! The interpreter: evaluates expressions while a program is read.

use std::rc::{Rc, Weak};
use std::sync::Arc;
use std::{cell::RefCell, collections::BTreeMap};

use super::outline::{Require, SymbolicValue};
use super::reader::{Form, FormKind, POISON, inside_literal};
use super::sort::Sort;
use super::terms::symbolic_of;
use super::value::{Arg, Closure, Function, LangValue, Scope, Typed};
use super::words::{Id, WORDS};
use super::{Diagnostic, Span};
use crate::suggest::nearest;
use probity_spec::Structure;
use probity_spec::regex::Regex;
use probity_spec::{Difference, Name, Op, Spec, Value};

/// Evaluation steps that one statement may take: a second or so in a debug build.
const STEPS_MAX: usize = 200_000;
/// Calls within calls. Loops by tail calls do not count.
const DEPTH_MAX: usize = 1_000;

/// After this many mistakes no names are looked for that may have been meant: nobody reads that far.
pub(crate) const HELPED_MAX: usize = 100;

/// Words that are not functions.
pub(crate) const SPECIAL: [&str; 17] = [
    "define",
    "lambda",
    "λ",
    "let",
    "let*",
    "letrec",
    "if",
    "cond",
    "begin",
    "match",
    "quote",
    ".",
    "field",
    "is",
    "as",
    "cover-regexp",
    "cover-json",
];
/// Words that stand at the top of a program or a `generate` only.
pub(crate) const STATEMENTS: [&str; 13] = [
    "program",
    "define-program",
    "declare",
    "specify",
    "constrain-solutions",
    "constrain",
    "require",
    "generate",
    "define-type",
    "table",
    "define",
    "with",
    "with-optional",
];

/// An error was told; what it stood in has no value.
#[derive(Debug)]
pub(crate) struct Abort;
pub(crate) type Res<T> = Result<T, Abort>;

/// The state of reading one program.
pub(crate) struct Interp<'a> {
    pub(crate) text: &'a str,
    /// The texts of the tables that the program names.
    pub(crate) tables: &'a BTreeMap<Name, Result<String, String>>,
    pub(crate) errors: Vec<Diagnostic>,
    pub(crate) syms: Vec<SymbolicValue>,
    pub(crate) requires: Vec<Require>,
    pub(crate) differences: Vec<Difference>,
    /// Types that the program or the library defines, in order.
    pub(crate) types: Vec<(Name, Spec)>,
    /// Types whose definition is being read.
    pub(crate) defining: Vec<Name>,
    /// The variable whose `specify` is being read.
    pub(crate) specifying: Option<usize>,
    /// Whether an expression in another file is read.
    pub(crate) is_inline: bool,
    /// The names of the language.
    words: Rc<Scope>,
    /// Types whose definition is wrong, which was told.
    pub(crate) broken_types: Vec<Name>,
    /// Whether patterns see a class of several ranges as one class.
    pub(crate) whole_classes: bool,
    /// Inside functions of the prelude places are not the user's.
    in_prelude: bool,
    steps: usize,
    depth: usize,
    /// Whether this statement has taken all the steps or depth it may: the rest of it is not evaluated.
    pub(crate) is_spent: bool,
    /// All scopes; emptied at the end, because functions in them refer back to them.
    scopes: Vec<Weak<Scope>>,
}

/// What one step of evaluation leads to.
pub(crate) enum NextStep {
    Done(LangValue),
    /// The value is that of this form.
    Tail(Form, Rc<Scope>),
}

impl Drop for Interp<'_> {
    fn drop(&mut self) {
        for scope in self.scopes.iter().filter_map(Weak::upgrade) {
            scope.names.borrow_mut().clear();
        }
    }
}

impl<'a> Interp<'a> {
    pub(crate) fn new(text: &'a str, tables: &'a BTreeMap<Name, Result<String, String>>) -> Interp<'a> {
        let words = Rc::new(Scope { names: RefCell::new(BTreeMap::new()), parent: None });
        Interp {
            is_inline: false,
            words,
            broken_types: Vec::new(),
            text,
            tables,
            errors: Vec::new(),
            syms: Vec::new(),
            requires: Vec::new(),
            differences: Vec::new(),
            types: Vec::new(),
            defining: Vec::new(),
            specifying: None,
            whole_classes: false,
            in_prelude: false,
            steps: 0,
            depth: 0,
            is_spent: false,
            scopes: Vec::new(),
        }
    }

    /// The scope with the words of the language and the prelude.
    pub(crate) fn base(&mut self) -> Rc<Scope> {
        let scope = self.scope(None);
        for word in WORDS {
            let val = LangValue::fun(Function::Word(word));
            word.names.iter().for_each(|name| scope.set(&(*name).into(), val.clone()));
        }
        scope.set(&"never".into(), LangValue::difference(Difference::Never));
        scope.set(&"always".into(), LangValue::difference(Difference::Always));
        scope.set(&"none".into(), LangValue::constant(Value::Option(None)));
        scope.set(&"null".into(), LangValue::List([].into()));
        scope.set(&"empty".into(), LangValue::List([].into()));
        for name in ["true_A", "true_a", "trueA", "trueₐ", "true-a"] {
            scope.set(&name.into(), LangValue::truth(true));
        }
        scope.set(&POISON.into(), LangValue::Poison);
        let location = crate::tables::location();
        self.table(location, &scope);
        self.in_prelude = true;
        let (forms, _) = super::reader::forms(include_str!("prelude.spec"));
        for form in forms.iter().flatten() {
            let _ = self.define(form, &scope);
        }
        self.in_prelude = false;
        self.words = scope.clone();
        scope
    }

    pub(crate) fn scope(&mut self, parent: Option<&Rc<Scope>>) -> Rc<Scope> {
        let scope = Rc::new(Scope { names: RefCell::new(BTreeMap::new()), parent: parent.cloned() });
        if self.scopes.len() >= 1024 && self.scopes.len().is_power_of_two() {
            self.scopes.retain(|it| it.strong_count() > 0);
        }
        self.scopes.push(Rc::downgrade(&scope));
        scope
    }

    /// A statement begins: it has all the steps it may take.
    pub(crate) fn begin(&mut self) {
        (self.steps, self.is_spent) = (0, false);
    }

    pub(crate) fn fail<T>(&mut self, error: Diagnostic) -> Res<T> {
        self.errors.push(error);
        Err(Abort)
    }

    pub(crate) fn wrong<T>(&mut self, message: impl Into<String>, span: Span) -> Res<T> {
        self.fail(Diagnostic::new(message, span))
    }

    /// `did you mean` the nearest of the known names; nothing after many mistakes.
    pub(crate) fn nearest<'n>(&self, name: &str, known: impl IntoIterator<Item = &'n str>) -> Option<String> {
        if self.errors.len() < HELPED_MAX { nearest(name, known) } else { None }
    }

    /// What is written there, for messages.
    pub(crate) fn shown(&self, span: Span) -> String {
        let text = if self.in_prelude { None } else { self.text.get(span.start..span.end) };
        match text {
            Some(it) if it.chars().count() <= 40 && !it.contains('\n') => format!("`{it}`"),
            _ => "this".to_string(),
        }
    }

    /// Evaluates a form.
    pub(crate) fn eval(&mut self, form: &Form, scope: &Rc<Scope>) -> Res<LangValue> {
        if self.is_spent {
            return Err(Abort);
        }
        self.deeper(form.span)?;
        let res = self.run(form, scope);
        self.depth -= 1;
        res
    }

    /// Goes one call deeper, where that is allowed.
    fn deeper(&mut self, span: Span) -> Res<()> {
        if self.depth >= DEPTH_MAX {
            self.is_spent = true;
            let error = Diagnostic::new(format!("calls nest more than {DEPTH_MAX} deep"), span);
            return self.fail(
                error.help("does the recursion end? use `map`, `foldl` or a tail call for long lists"),
            );
        }
        self.depth += 1;
        Ok(())
    }

    fn run(&mut self, form: &Form, scope: &Rc<Scope>) -> Res<LangValue> {
        let mut next = self.step(form, scope)?;
        loop {
            match next {
                NextStep::Done(val) => return Ok(val),
                NextStep::Tail(form, scope) => next = self.step(&form, &scope)?,
            }
        }
    }

    /// Takes steps of those that a statement may take.
    pub(crate) fn spend(&mut self, steps: usize, span: Span) -> Res<()> {
        self.steps += steps;
        if self.steps < STEPS_MAX {
            return Ok(());
        }
        if std::mem::replace(&mut self.is_spent, true) {
            return Err(Abort);
        }
        let error = Diagnostic::new(format!("evaluation does not end within {STEPS_MAX} steps"), span);
        self.fail(error.help("does the recursion end?"))
    }

    fn step(&mut self, form: &Form, scope: &Rc<Scope>) -> Res<NextStep> {
        self.spend(1, form.span)?;
        Ok(NextStep::Done(match &form.kind {
            FormKind::Symbol(name) => self.lookup(name, form.span, scope)?,
            FormKind::Const(value) => {
                let literal = matches!(value, Value::Text(_)).then_some(form.span);
                LangValue::Term(Typed { literal, ..Typed::constant(value.clone()) })
            }
            FormKind::Regex(pattern) => LangValue::Regex(self.pattern(pattern, form.span)?),
            FormKind::Quote(inner) => self.quote(inner)?,
            FormKind::Blank(inner) => {
                let id = self.blank(inner, form.span, scope)?;
                LangValue::Term(self.variable(id))
            }
            FormKind::List(items) => return self.list(form, items, scope),
        }))
    }

    fn lookup(&mut self, name: &Name, span: Span, scope: &Rc<Scope>) -> Res<LangValue> {
        match scope.get(name) {
            Some(LangValue::Poison) => Err(Abort),
            // The sort of an object grows with the fields it is given.
            Some(LangValue::Term(it)) if matches!(it.sort, Sort::Object(_)) => match symbolic_of(&it.term) {
                Some((_, sym)) if !self.syms[sym].is_temporary => Ok(LangValue::Term(self.variable(sym))),
                _ => Ok(LangValue::Term(it)),
            },
            Some(val) => Ok(val),
            None if &**name == "cover-json" => Ok(LangValue::fun(Function::CoverJson(Structure::default()))),
            None => {
                let error = self.unknown(name, span, scope);
                self.fail(error)
            }
        }
    }

    pub(crate) fn unknown(&self, name: &str, span: Span, scope: &Rc<Scope>) -> Diagnostic {
        if STATEMENTS.contains(&name) || SPECIAL.contains(&name) {
            return Diagnostic::new(format!("`{name}` is not a value"), span)
                .help(format!("it begins a form: `({name} …)`"));
        }
        if self.types.iter().any(|it| &*it.0 == name) || super::types::is_builtin(name) {
            return Diagnostic::new(format!("`{name}` is a type, not a value"), span)
                .help(format!("write `?{name}` for a blank of that type"));
        }
        let error = Diagnostic::new(format!("unknown name `{name}`"), span);
        if self.errors.len() >= HELPED_MAX {
            return error;
        }
        let mut names: Vec<Name> = SPECIAL.iter().map(|it| (*it).into()).collect();
        let mut at = Some(scope.clone());
        while let Some(scope) = at {
            names.extend(scope.names.borrow().keys().filter(|it| &***it != POISON).cloned());
            at = scope.parent.clone();
        }
        // Short words of the language are near to everything.
        let is_word = |it: &&Name| SPECIAL.contains(&&***it) || self.words.names.borrow().contains_key(*it);
        let telling = names.iter().filter(|it| name.chars().count() > 3 || !is_word(it));
        match self.nearest(name, telling.map(|it| &**it)) {
            Some(help) => error.help(help),
            None if self.is_inline => {
                let fields = scope.names.borrow().keys().map(|it| it.to_string()).collect::<Vec<_>>();
                error.help(format!("known here are {}", fields.join(", ")))
            }
            None => error.help("declare it with `(declare name ?Type)` or define it with `(define name …)`"),
        }
    }

    /// A pattern written at `span`.
    pub(crate) fn pattern(&mut self, pattern: &str, span: Span) -> Res<Arc<Regex>> {
        match Regex::new(pattern) {
            Ok(regex) => Ok(Arc::new(regex)),
            Err(error) => {
                let span = inside_literal(self.text, span, error.column);
                self.wrong(format!("in this pattern, {}", error.message), span)
            }
        }
    }

    fn quote(&mut self, form: &Form) -> Res<LangValue> {
        Ok(match &form.kind {
            FormKind::Symbol(name) if &**name == POISON => return Err(Abort),
            FormKind::Symbol(name) => LangValue::constant(Value::Case(name.clone())),
            FormKind::Const(value) => {
                let literal = matches!(value, Value::Text(_)).then_some(form.span);
                LangValue::Term(Typed { literal, ..Typed::constant(value.clone()) })
            }
            FormKind::Regex(pattern) => LangValue::Regex(self.pattern(pattern, form.span)?),
            FormKind::List(items) => {
                LangValue::List(items.iter().map(|it| self.quote(it)).collect::<Res<Vec<_>>>()?.into())
            }
            FormKind::Quote(inner) => return self.quote(inner),
            FormKind::Blank(_) => return self.wrong("a blank cannot be quoted", form.span),
        })
    }

    fn list(&mut self, form: &Form, items: &[Form], scope: &Rc<Scope>) -> Res<NextStep> {
        let Some(head) = items.first() else {
            let error = Diagnostic::new("empty brackets mean nothing here", form.span);
            return self.fail(error.help("write `'()` or `null` for an empty list"));
        };
        if let Some(name) = head.symbol() {
            match scope.get(name) {
                None if SPECIAL.contains(&&**name) => return self.special(name, form, items, scope),
                None if STATEMENTS.contains(&&**name) => {
                    let error =
                        Diagnostic::new(format!("`{name}` cannot stand inside an expression"), form.span);
                    return self.fail(error.help("it is a statement of a program or a `generate`"));
                }
                Some(LangValue::Function(fun)) => {
                    if let Function::Word(word) = &*fun {
                        match word.id {
                            Id::And | Id::Or => {
                                return self.shortcut(word.id, form, items, scope).map(NextStep::Done);
                            }
                            Id::Forall | Id::Exists if self.binds(items, scope) => {
                                return self.quantify(word.id, items, scope).map(NextStep::Done);
                            }
                            _ => {}
                        }
                    }
                }
                Some(LangValue::Poison) => {
                    self.args(&items[1..], scope)?;
                    return Err(Abort);
                }
                _ => {}
            }
        }
        let fun = self.eval(head, scope);
        let args = self.args(&items[1..], scope);
        let (fun, args) = (fun?, args?);
        match &fun {
            LangValue::Function(fun) => self.call(fun, args, form.span),
            _ => {
                let what = self.shown(head.span);
                let error = Diagnostic::new(format!("{what} is not a function"), head.span);
                self.fail(error.label("only functions can be called"))
            }
        }
    }

    /// The values of all arguments, so that each one's errors are told.
    pub(crate) fn args(&mut self, forms: &[Form], scope: &Rc<Scope>) -> Res<Vec<Arg>> {
        let vals: Vec<_> = forms.iter().map(|it| (self.eval(it, scope), it.span)).collect();
        vals.into_iter().map(|(val, span)| val.map(|val| Arg { val, span })).collect()
    }

    /// A call whose value is the value of the function's body.
    fn call(&mut self, fun: &Rc<Function>, args: Vec<Arg>, span: Span) -> Res<NextStep> {
        match &**fun {
            Function::Closure(it) if it.params.len() == args.len() && !it.prelude => {
                let scope = self.bind(it, &args);
                self.body(&it.body, &scope)
            }
            _ => self.apply(fun, args, span).map(NextStep::Done),
        }
    }

    pub(crate) fn bind(&mut self, closure: &Closure, args: &[Arg]) -> Rc<Scope> {
        let scope = self.scope(Some(&closure.scope));
        closure.params.iter().zip(args).for_each(|(name, arg)| scope.set(name, arg.val.clone()));
        scope
    }

    /// Calls a function of the program to its end.
    pub(crate) fn apply_closure(&mut self, closure: &Closure, args: &[Arg], span: Span) -> Res<LangValue> {
        let scope = self.bind(closure, args);
        let (outside, n_errors) = (self.in_prelude, self.errors.len());
        self.in_prelude |= closure.prelude;
        let res = self.deeper(span).and_then(|()| {
            let res = self.finish(&closure.body, &scope);
            self.depth -= 1;
            res
        });
        self.in_prelude = outside;
        if closure.prelude && !outside {
            self.errors[n_errors..].iter_mut().for_each(|it| it.span = span);
        }
        res
    }

    fn finish(&mut self, body: &[Form], scope: &Rc<Scope>) -> Res<LangValue> {
        match self.body(body, scope)? {
            NextStep::Done(val) => Ok(val),
            NextStep::Tail(form, scope) => self.run(&form, &scope),
        }
    }

    /// Definitions, then the form whose value it is.
    pub(crate) fn body(&mut self, forms: &[Form], scope: &Rc<Scope>) -> Res<NextStep> {
        let (last, before) = forms.split_last().expect("the reader of every body checks that it has a form");
        for form in before {
            if form.head() == Some("define") {
                self.define(form, scope)?;
            } else {
                self.eval(form, scope)?;
            }
        }
        Ok(NextStep::Tail(last.clone(), scope.clone()))
    }

    pub(crate) fn closure(
        &mut self,
        name: Option<Name>,
        params: &[Form],
        body: &[Form],
        span: Span,
        scope: &Rc<Scope>,
    ) -> Res<LangValue> {
        let mut names: Vec<Name> = Vec::new();
        for param in params {
            match param.symbol() {
                Some(it) if names.contains(it) => {
                    return self.wrong(format!("`{it}` is a parameter twice"), param.span);
                }
                Some(it) => names.push(it.clone()),
                None => return self.wrong("a parameter must be a name", param.span),
            }
        }
        match body.last() {
            None => return self.wrong("a function needs a body", span),
            Some(it) if it.head() == Some("define") => {
                let error = Diagnostic::new("a body cannot end with a definition", it.span);
                return self.fail(error.help("put the value of the function after it"));
            }
            _ => {}
        }
        let (scope, prelude) = (scope.clone(), self.in_prelude);
        Ok(LangValue::fun(Function::Closure(Closure {
            name,
            params: names,
            body: body.to_vec(),
            scope,
            prelude,
        })))
    }

    /// An operation on terms whose sorts were checked; known when all its arguments are.
    pub(crate) fn operation(&mut self, op: Op, args: &[Typed], sort: Sort, span: Span) -> Res<Typed> {
        super::terms::operation(op, args, sort).ok_or(()).or_else(|()| {
            let error = Diagnostic::new("this term is too large or nests too deep", span);
            self.fail(error.help("`and`, `or`, `+` and the like take any number of arguments"))
        })
    }
}
