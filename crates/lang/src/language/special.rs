//! Forms that are not calls: definitions, functions, choices, `match`, fields.

use std::rc::Rc;

use super::interp::{Interp, NextStep, Res};
use super::pattern::Match;
use super::reader::{Form, FormKind};
use super::value::{Arg, Function, LangValue, Scope};
use super::{Diagnostic, Span};
use probity_spec::Name;
use probity_spec::Structure;
use probity_spec::regex::Heuristics;

impl Interp<'_> {
    pub(crate) fn special(
        &mut self,
        name: &str,
        form: &Form,
        items: &[Form],
        scope: &Rc<Scope>,
    ) -> Res<NextStep> {
        match name {
            "define" => {
                let error = Diagnostic::new("`define` cannot stand inside an expression", form.span);
                self.fail(
                    error.help("put it at the top of the program or at the start of a body; or use `let`"),
                )
            }
            "lambda" | "λ" => {
                let Some(params) = items.get(1).and_then(Form::list) else {
                    return self.usage("(λ (a b) body)", form.span);
                };
                self.closure(None, params, &items[2..], form.span, scope).map(NextStep::Done)
            }
            "let" | "let*" | "letrec" => self.let_form(name, form, items, scope),
            "if" if items.len() == 4 => {
                let tail = |at: usize| {
                    let (form, scope) = (items[at].clone(), scope.clone());
                    move |_: &mut Self| Ok(NextStep::Tail(form.clone(), scope.clone()))
                };
                self.choose(&items[1], scope, &tail(2), &tail(3))
            }
            "if" => self.usage("(if condition then else)", form.span),
            "cond" => self.cond(form, &items[1..], scope),
            "begin" if items.len() > 1 => {
                let scope = self.scope(Some(scope));
                self.body(&items[1..], &scope)
            }
            "begin" => self.usage("(begin e …)", form.span),
            "match" => self.match_form(form, items, scope),
            "quote" if items.len() == 2 => {
                let quoted = Form { span: items[1].span, kind: FormKind::Quote(items[1].clone().into()) };
                Ok(NextStep::Tail(quoted, scope.clone()))
            }
            "quote" => self.usage("(quote data)", form.span),
            "." | "field" => self.field_form(form, items, scope).map(NextStep::Done),
            "is" | "as" => self.case_form(name == "is", form, items, scope).map(NextStep::Done),
            "cover-regexp" => self.cover_regexp(form, items, scope).map(NextStep::Done),
            _ => self.cover_json(form, items, scope).map(NextStep::Done),
        }
    }

    pub(crate) fn usage<T>(&mut self, usage: &str, span: Span) -> Res<T> {
        self.fail(Diagnostic::new("this form has the wrong parts", span).help(format!("write `{usage}`")))
    }

    /// `(define name e)` and `(define (name a …) body …)`.
    pub(crate) fn define(&mut self, form: &Form, scope: &Rc<Scope>) -> Res<()> {
        let items = form.list().unwrap_or_default();
        let (name, val) = match items.get(1) {
            Some(it) if it.symbol().is_some() && items.len() == 3 => {
                let name = it.symbol().expect("just seen");
                let val = match &items[2] {
                    it if matches!(it.head(), Some("lambda" | "λ")) => self.named_lambda(name, it, scope),
                    it => self.eval(it, scope),
                };
                (it, val)
            }
            Some(it) if it.head().is_some() => {
                let list = it.list().expect("it has a head");
                let name = list[0].symbol().cloned();
                (&list[0], self.closure(name, &list[1..], &items[2..], form.span, scope))
            }
            _ => return self.usage("(define name e)` or `(define (name a b) body)", form.span),
        };
        let symbol = name.symbol().expect("both kinds have a name").clone();
        self.fresh(&symbol, name.span, scope)?;
        scope.set(&symbol, val.as_ref().map_or(LangValue::Poison, LangValue::clone));
        val.map(|_| ())
    }

    fn named_lambda(&mut self, name: &Name, form: &Form, scope: &Rc<Scope>) -> Res<LangValue> {
        let items = form.list().unwrap_or_default();
        match items.get(1).and_then(Form::list) {
            Some(params) => self.closure(Some(name.clone()), params, &items[2..], form.span, scope),
            None => self.usage("(λ (a b) body)", form.span),
        }
    }

    /// A name may be given once in a scope.
    pub(crate) fn fresh(&mut self, name: &Name, span: Span, scope: &Rc<Scope>) -> Res<()> {
        if scope.names.borrow().contains_key(name) {
            let error = Diagnostic::new(format!("`{name}` is declared twice"), span);
            return self.fail(error.help("choose another name, or remove one of them"));
        }
        Ok(())
    }

    fn let_form(&mut self, word: &str, form: &Form, items: &[Form], scope: &Rc<Scope>) -> Res<NextStep> {
        // `(let loop ([i 0]) …)` is a function called at once.
        let (label, rest) = match items.get(1).and_then(Form::symbol) {
            Some(label) => (Some(label.clone()), &items[2..]),
            None => (None, &items[1..]),
        };
        let bindings = rest.first().and_then(Form::list).filter(|_| rest.len() > 1);
        let Some(bindings) = bindings else {
            return self.usage("(let ([name e] …) body)", form.span);
        };
        let inner = self.scope(Some(scope));
        let mut vals = Vec::new();
        for binding in bindings {
            let Some([name, value]) = binding.list().filter(|it| it.len() == 2) else {
                return self.usage("(let ([name e] …) body)", binding.span);
            };
            let Some(symbol) = name.symbol() else {
                return self.wrong("a binding needs a name", name.span);
            };
            let outer = if word == "let" { scope } else { &inner };
            let val = if matches!(value.head(), Some("lambda" | "λ")) {
                self.named_lambda(symbol, value, outer)?
            } else {
                self.eval(value, outer)?
            };
            inner.set(symbol, val.clone());
            vals.push((name.clone(), Arg { val, span: value.span }));
        }
        if let Some(label) = label {
            let params: Vec<Form> = vals.iter().map(|it| it.0.clone()).collect();
            let looping = self.scope(Some(scope));
            let fun = self.closure(Some(label.clone()), &params, &rest[1..], form.span, &looping)?;
            looping.set(&label, fun.clone());
            let LangValue::Function(fun) = fun else { unreachable!("a closure is a function") };
            return self
                .apply(&fun, vals.into_iter().map(|it| it.1).collect(), form.span)
                .map(NextStep::Done);
        }
        self.body(&rest[1..], &inner)
    }

    fn cond(&mut self, form: &Form, clauses: &[Form], scope: &Rc<Scope>) -> Res<NextStep> {
        let Some((first, rest)) = clauses.split_first() else {
            let error = Diagnostic::new("no clause of this `cond` applies", form.span);
            return self.fail(error.help("end it with `[else …]`"));
        };
        let Some(items) = first.list().filter(|it| it.len() > 1) else {
            return self.usage("(cond [condition e] … [else e])", first.span);
        };
        let scope_inner = self.scope(Some(scope));
        let body = |this: &mut Self| this.body(&items[1..], &scope_inner);
        if items[0].symbol().is_some_and(|it| &**it == "else") {
            return body(self);
        }
        self.choose(&items[0], scope, &body, &|this: &mut Self| this.cond(form, rest, scope))
    }

    fn match_form(&mut self, form: &Form, items: &[Form], scope: &Rc<Scope>) -> Res<NextStep> {
        let Some((subject, clauses)) = items[1..].split_first().filter(|it| !it.1.is_empty()) else {
            return self.usage("(match e [pattern body] …)", form.span);
        };
        let val = self.eval(subject, scope)?;
        // A class of several ranges is their union; where no clause wants a union, it is one class.
        for whole_classes in [false, true] {
            for clause in clauses {
                let Some(items) = clause.list().filter(|it| it.len() > 1) else {
                    return self.usage("[pattern body …]", clause.span);
                };
                let inner = self.scope(Some(scope));
                self.whole_classes = whole_classes;
                if let Match::Yes = self.matches(&items[0], &val, &inner)? {
                    return self.body(&items[1..], &inner);
                }
            }
        }
        let error = Diagnostic::new("no pattern of this `match` applies", subject.span);
        let shown = super::pattern::shown(&val);
        self.fail(error.label(format!("this is {shown}")).help("add a last clause `[_ …]`"))
    }

    /// `(. object field …)`.
    fn field_form(&mut self, form: &Form, items: &[Form], scope: &Rc<Scope>) -> Res<LangValue> {
        let [_, object, names @ ..] = items else {
            return self.usage("(. object field)", form.span);
        };
        let mut names_read = Vec::new();
        for name in names {
            match &name.kind {
                FormKind::Symbol(it) => names_read.push((it.clone(), name.span)),
                FormKind::Quote(it) if it.symbol().is_some() => {
                    names_read.push((it.symbol().expect("just seen").clone(), name.span));
                }
                FormKind::Const(probity_spec::Value::Text(it)) => names_read.push((it.clone(), name.span)),
                _ => return self.wrong("a field must be a name", name.span),
            }
        }
        if names.is_empty() {
            // `(. field)` awaits the object.
            return match object.symbol() {
                Some(name) => Ok(LangValue::fun(Function::Accessor(name.clone()))),
                None => self.usage("(. object field)", form.span),
            };
        }
        let val = self.eval(object, scope)?;
        let mut typed = self.typed(&Arg { val, span: object.span })?;
        let mut at = object.span;
        for (name, span) in names_read {
            typed = self.access(&typed, &name, span, at)?;
            at = span;
        }
        Ok(LangValue::Term(typed))
    }

    /// `(is value case)` and `(as value case)`; with the case alone it awaits the value.
    fn case_form(&mut self, is: bool, form: &Form, items: &[Form], scope: &Rc<Scope>) -> Res<LangValue> {
        let (value, case) = match items {
            [_, case] => (None, case),
            [_, value, case] => (Some(value), case),
            _ => return self.usage(if is { "(is value case)" } else { "(as value case)" }, form.span),
        };
        let Some(name) = case.symbol() else {
            return self.wrong("a case must be a name", case.span);
        };
        match value {
            None => Ok(LangValue::fun(Function::Case(is, name.clone()))),
            Some(value) => {
                let val = self.eval(value, scope)?;
                self.case(is, &Arg { val, span: value.span }, name, case.span)
            }
        }
    }

    /// `(cover-regexp [text] regex heuristic …)`.
    fn cover_regexp(&mut self, form: &Form, items: &[Form], scope: &Rc<Scope>) -> Res<LangValue> {
        let mut rest = &items[1..];
        let mut on = None;
        let regex = loop {
            let Some((first, more)) = rest.split_first() else {
                return self.usage("(cover-regexp regex heuristic …)", form.span);
            };
            rest = more;
            let val = self.eval(first, scope)?;
            let arg = Arg { val, span: first.span };
            let constant = arg.val.as_const().is_some() || matches!(arg.val, LangValue::Regex(_));
            if constant || on.is_some() {
                break self.regex(&arg)?;
            }
            on = Some(arg);
        };
        let mut heuristics = Heuristics::default();
        self.switches(rest, &Heuristics::NAMES, "heuristic", &mut |name, on| match name {
            None => heuristics = Heuristics::none(),
            Some(name) => {
                heuristics.set(name, on);
                // A class cannot be one thing and many things.
                match name {
                    "classes-as-unions" if on => heuristics.classes_as_one = false,
                    "classes-as-one" if on => heuristics.classes_as_unions = false,
                    _ => {}
                }
            }
        })?;
        let fun = Function::CoverRegexp(regex, heuristics);
        match on {
            Some(on) => self.apply(&Rc::new(fun), vec![on], form.span),
            None => Ok(LangValue::fun(fun)),
        }
    }

    /// `(cover-json [value] part …)`.
    fn cover_json(&mut self, form: &Form, items: &[Form], scope: &Rc<Scope>) -> Res<LangValue> {
        let mut rest = &items[1..];
        let mut on = None;
        if let Some(first) = rest.first()
            && first.symbol().is_none_or(|it| scope.get(it).is_some())
            && !matches!(first.head(), Some("not" | "only"))
        {
            let val = self.eval(first, scope)?;
            on = Some(Arg { val, span: first.span });
            rest = &rest[1..];
        }
        let mut structure = Structure::default();
        self.switches(rest, &Structure::NAMES, "part of a structure", &mut |name, on| match name {
            None => structure = Structure::none(),
            Some(name) => {
                structure.set(name, on);
            }
        })?;
        let fun = Function::CoverJson(structure);
        match on {
            Some(on) => self.apply(&Rc::new(fun), vec![on], form.span),
            None => Ok(LangValue::fun(fun)),
        }
    }

    /// `name`, `(not name …)` and `(only name …)`; `set` hears of no name when all are switched off.
    fn switches(
        &mut self,
        forms: &[Form],
        known: &[&'static str],
        what: &str,
        set: &mut dyn FnMut(Option<&'static str>, bool),
    ) -> Res<()> {
        let mut ok = Ok(());
        for form in forms {
            let (names, on) = match (form.head(), form.list()) {
                (Some("not"), Some(list)) => (&list[1..], false),
                (Some("only"), Some(list)) => {
                    set(None, false);
                    (&list[1..], true)
                }
                _ => (std::slice::from_ref(form), true),
            };
            for name in names {
                let name = if let FormKind::Quote(inner) = &name.kind { inner } else { name };
                let word = name.symbol().map_or("", |it| it);
                match known.iter().find(|it| **it == word) {
                    Some(word) => set(Some(word), on),
                    None => {
                        let shown = self.shown(name.span);
                        let error = Diagnostic::new(format!("unknown {what} {shown}"), name.span);
                        let help = self.nearest(word, known.iter().copied());
                        let help = help.unwrap_or_else(|| format!("known are {}", known.join(", ")));
                        ok = self.fail(error.help(help));
                    }
                }
            }
        }
        ok
    }
}
