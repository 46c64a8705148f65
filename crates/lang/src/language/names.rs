//! Names in functions that are never called: a misspelt one is told all the same.

use std::rc::Rc;

use super::MISTAKES_MAX;
use super::interp::{Interp, SPECIAL};
use super::reader::{Form, FormKind};
use super::value::{LangValue, Scope};
use probity_spec::Name;

impl Interp<'_> {
    /// Reports unknown names in the definitions among these statements, which were evaluated in `scope`.
    pub(crate) fn check_names(&mut self, statements: &[Form], scope: &Rc<Scope>) {
        for statement in statements.iter().filter(|it| it.head() == Some("define")) {
            if self.errors.len() > MISTAKES_MAX {
                return;
            }
            self.check_definition(statement, scope);
        }
    }

    fn check_definition(&mut self, form: &Form, scope: &Rc<Scope>) {
        let items = form.list().unwrap_or_default();
        let params = items.get(1).and_then(Form::list).unwrap_or_default();
        let inner = self.with_names(params.iter().filter_map(Form::symbol), scope);
        self.check_body(items.get(2..).unwrap_or_default(), &inner);
    }

    fn with_names<'f>(&mut self, names: impl Iterator<Item = &'f Name>, scope: &Rc<Scope>) -> Rc<Scope> {
        let inner = self.scope(Some(scope));
        names.for_each(|it| inner.set(it, LangValue::Poison));
        inner
    }

    fn check_body(&mut self, forms: &[Form], scope: &Rc<Scope>) {
        let defined = |it: &Form| {
            let target = it.list().and_then(|it| it.get(1)).filter(|_| it.head() == Some("define"))?;
            target.symbol().or_else(|| target.list()?.first()?.symbol()).cloned()
        };
        let names: Vec<Name> = forms.iter().filter_map(defined).collect();
        let inner = self.with_names(names.iter(), scope);
        for form in forms {
            if form.head() == Some("define") {
                self.check_definition(form, &inner);
            } else {
                self.check(form, &inner);
            }
        }
    }

    fn check(&mut self, form: &Form, scope: &Rc<Scope>) {
        match &form.kind {
            FormKind::Symbol(name) => {
                if scope.get(name).is_none() && &**name != "cover-json" {
                    let error = self.unknown(name, form.span, scope);
                    self.errors.push(error);
                }
            }
            FormKind::List(items) => self.check_list(form, items, scope),
            FormKind::Const(_) | FormKind::Regex(_) | FormKind::Quote(_) | FormKind::Blank(_) => {}
        }
    }

    fn check_list(&mut self, form: &Form, items: &[Form], scope: &Rc<Scope>) {
        let head = form.head().filter(|it| SPECIAL.contains(it) && scope.get(it).is_none());
        match head {
            Some("lambda" | "λ") => {
                let Some(params) = items.get(1).and_then(Form::list) else { return };
                let inner = self.with_names(params.iter().filter_map(Form::symbol), scope);
                self.check_body(items.get(2..).unwrap_or_default(), &inner);
            }
            Some("let" | "let*" | "letrec") => {
                let label = items.get(1).and_then(Form::symbol);
                let rest = items.get(if label.is_some() { 2 } else { 1 }..).unwrap_or_default();
                let bindings = rest.first().and_then(Form::list).unwrap_or_default();
                let pairs: Vec<&[Form]> = bindings.iter().filter_map(Form::list).collect();
                let names = pairs.iter().filter_map(|it| it.first()?.symbol()).chain(label);
                let inner = self.with_names(names, scope);
                pairs.iter().filter_map(|it| it.get(1)).for_each(|it| self.check(it, &inner));
                self.check_body(rest.get(1..).unwrap_or_default(), &inner);
            }
            Some("cond") => {
                for clause in items[1..].iter().filter_map(Form::list) {
                    let is_else = clause.first().and_then(Form::symbol).is_some_and(|it| &**it == "else");
                    self.check_body(&clause[usize::from(is_else)..], scope);
                }
            }
            Some("match") => {
                items.get(1).into_iter().for_each(|it| self.check(it, scope));
                for clause in items.iter().skip(2).filter_map(Form::list).filter(|it| !it.is_empty()) {
                    let mut names = Vec::new();
                    bound(&clause[0], &mut names);
                    let inner = self.with_names(names.iter(), scope);
                    self.check_body(&clause[1..], &inner);
                }
            }
            Some("." | "field" | "is" | "as") if items.len() > 2 => self.check(&items[1], scope),
            Some("begin") => self.check_body(&items[1..], scope),
            Some("if") => items[1..].iter().for_each(|it| self.check(it, scope)),
            // Their parts are not all values, or they are told of where they stand.
            Some(_) => {}
            None if self.binds(items, scope)
                && matches!(form.head(), Some("forall" | "exists" | "∀" | "∃")) =>
            {
                let binder = items[1].list().unwrap_or_default();
                self.check(&binder[1], scope);
                let inner = self.with_names(binder[0].symbol().into_iter(), scope);
                self.check(&items[2], &inner);
            }
            None => items.iter().for_each(|it| self.check(it, scope)),
        }
    }
}

/// The names that a pattern binds: all of them, which is more than enough.
fn bound(pattern: &Form, names: &mut Vec<Name>) {
    match &pattern.kind {
        FormKind::Symbol(name) => names.push(name.clone()),
        FormKind::List(items) => items.iter().for_each(|it| bound(it, names)),
        _ => {}
    }
}
