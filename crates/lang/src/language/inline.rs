//! Expressions of the language inside of other files: requirements and differences in spec files.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use super::interp::{Interp, Res};
use super::outline::SymbolicValue;
use super::reader::{Form, FormKind, forms};
use super::sort::Sort;
use super::terms::replace_sym;
use super::value::{Arg, LangValue, Scope, TermSize, Typed};
use super::{Diagnostic, Span};
use probity_spec::regex::Regex;
use probity_spec::{Difference, Name, Shape, Spec, Term};

/// An expression about the value of a spec: `it`, or its fields by their names.
pub(crate) struct Inline<'a> {
    /// The whole file.
    pub(crate) text: &'a str,
    /// Where the expression is in it, with its quotes.
    pub(crate) span: Span,
    /// The expression.
    pub(crate) code: &'a str,
    /// What it is about.
    pub(crate) spec: &'a Spec,
    /// Patterns that it may name.
    pub(crate) patterns: &'a [(Name, Arc<Regex>)],
    /// Recursive specs by their names.
    pub(crate) types: &'a [(Name, Spec)],
}

impl Inline<'_> {
    /// The expression as a requirement.
    pub(crate) fn assertion(&self) -> Result<Term, Vec<Diagnostic>> {
        self.run(|interp, form, sym, scope| {
            let val = interp.eval(form, scope)?;
            let on = Arg { val: LangValue::Term(interp.variable(sym)), span: form.span };
            let holds = interp.assertion(&Arg { val, span: form.span }, &on)?;
            Ok(replace_sym(&holds.term, sym, &Term::it()))
        })
    }

    /// The expression as a constraint on the value at a path of fields.
    pub(crate) fn constraint(&self, path: &[&str]) -> Result<Difference, Vec<Diagnostic>> {
        self.run(|interp, form, sym, scope| {
            let mut on = interp.variable(sym);
            for name in path {
                on = interp.access(&on, &(*name).into(), form.span, form.span)?;
            }
            let on = Arg { val: LangValue::Term(on), span: form.span };
            let val = interp.eval(form, scope)?;
            let val = interp.constraint(&Arg { val, span: form.span }, &on)?;
            let LangValue::Difference(it, _) = val else { unreachable!("`constraint` gives differences") };
            Ok(interp.difference_of(sym, &it))
        })
    }

    fn run<T>(
        &self,
        go: impl FnOnce(&mut Interp, &Form, usize, &Rc<Scope>) -> Res<T>,
    ) -> Result<T, Vec<Diagnostic>> {
        let (read, mut errors) = forms(self.code);
        for error in &mut errors {
            error.span = self.moved(error.span);
        }
        let Some(read) = read.filter(|_| errors.is_empty()) else { return Err(errors) };
        let [form] = &*read else {
            let found = format!("expected one expression, found {}", read.len());
            return Err(vec![Diagnostic::new(found, self.span)]);
        };
        let form = self.moved_form(form);
        let tables = BTreeMap::new();
        let mut interp = Interp::new(self.text, &tables);
        interp.is_inline = true;
        let base = interp.base();
        interp.types.extend(self.types.iter().cloned());
        let scope = interp.scope(Some(&base));
        for (name, regex) in self.patterns {
            scope.set(name, LangValue::Regex(regex.clone()));
        }
        interp.syms.push(SymbolicValue::new(self.spec.clone()));
        let it = interp.variable(0);
        if let Shape::Object(fields) = &self.spec.shape {
            for field in fields {
                let typed =
                    Typed::new(it.term.clone().field(&field.name), Sort::of(&field.spec), TermSize::ONE);
                scope.set(&field.name, LangValue::Term(typed));
            }
        }
        scope.set(&"it".into(), LangValue::Term(it));
        let res = go(&mut interp, &form, 0, &scope);
        match res {
            Ok(res) if interp.errors.is_empty() => Ok(res),
            _ => Err(std::mem::take(&mut interp.errors)),
        }
    }

    /// A place in the file for one in the expression; the whole expression where escapes shift it.
    fn moved(&self, span: Span) -> Span {
        let start = self.span.start + 1;
        let straight = self.text.get(start..start + self.code.len()) == Some(self.code);
        if straight { Span { start: start + span.start, end: start + span.end } } else { self.span }
    }

    fn moved_form(&self, form: &Form) -> Form {
        let kind = match &form.kind {
            FormKind::List(items) => FormKind::List(items.iter().map(|it| self.moved_form(it)).collect()),
            FormKind::Quote(it) => FormKind::Quote(self.moved_form(it).into()),
            FormKind::Blank(it) => FormKind::Blank(self.moved_form(it).into()),
            other => other.clone(),
        };
        Form { span: self.moved(form.span), kind }
    }
}
