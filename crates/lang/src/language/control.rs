//! What is not evaluated, and when: `and` and `or`, choices, quantifiers that bind a name.

use std::rc::Rc;

use super::interp::{Abort, Interp, NextStep, Res, SPECIAL};
use super::reader::Form;
use super::value::{Arg, LangValue, Scope};
use super::words::Id;
use probity_spec::Value;

impl Interp<'_> {
    /// `and` and `or`: what follows a decisive constant is not evaluated.
    pub(crate) fn shortcut(
        &mut self,
        id: Id,
        form: &Form,
        items: &[Form],
        scope: &Rc<Scope>,
    ) -> Res<LangValue> {
        let mut args = Vec::new();
        let mut failed = false;
        for item in &items[1..] {
            match self.eval(item, scope) {
                Ok(val) => {
                    let decisive = val.as_const() == Some(&Value::Bool(id == Id::Or));
                    args.push(Arg { val, span: item.span });
                    if decisive && !failed && args.iter().all(|it| it.val.as_const().is_some()) {
                        break;
                    }
                }
                Err(Abort) => failed = true,
            }
        }
        if failed {
            return Err(Abort);
        }
        self.word(id.word(), args, form.span)
    }

    /// Whether a quantifier is written with the name it binds: `(forall (x list) …)`.
    pub(crate) fn binds(&self, items: &[Form], scope: &Rc<Scope>) -> bool {
        let binder = items.get(1).and_then(Form::list).filter(|it| it.len() == 2 && items.len() == 3);
        let name = binder.and_then(|it| it[0].symbol());
        name.is_some_and(|it| {
            !SPECIAL.contains(&&**it) && !matches!(scope.get(it), Some(LangValue::Function(_)))
        })
    }

    pub(crate) fn quantify(&mut self, id: Id, items: &[Form], scope: &Rc<Scope>) -> Res<LangValue> {
        let binder = items[1].list().expect("`binds` saw a list");
        let name = binder[0].symbol().expect("`binds` saw a name");
        let list = self.eval(&binder[1], scope)?;
        let list = Arg { val: list, span: binder[1].span };
        let inner = self.scope(Some(scope));
        self.quantified(id, &list, |this, element| {
            inner.set(name, element);
            let val = this.eval(&items[2], &inner)?;
            this.truth(&Arg { val, span: items[2].span })
        })
    }

    /// `if` on a known truth chooses; on a term it is `ite`.
    pub(crate) fn choose(
        &mut self,
        test: &Form,
        scope: &Rc<Scope>,
        yes: &dyn Fn(&mut Self) -> Res<NextStep>,
        no: &dyn Fn(&mut Self) -> Res<NextStep>,
    ) -> Res<NextStep> {
        let val = self.eval(test, scope)?;
        let test = Arg { val, span: test.span };
        if matches!(test.val, LangValue::Function(_)) {
            let args = [(yes, test.span), (no, test.span)].map(|(it, span)| {
                let next = it(self)?;
                Ok(Arg { val: self.end(next)?, span })
            });
            let [yes, no] = args;
            return self.word(Id::Ite.word(), vec![test.clone(), yes?, no?], test.span).map(NextStep::Done);
        }
        let condition = self.truth(&test)?;
        match condition.as_const() {
            Some(Value::Bool(true)) => yes(self),
            Some(_) => no(self),
            None => {
                let (yes, no) = (yes(self)?, no(self)?);
                let (yes, no) = (self.end(yes)?, self.end(no)?);
                let args =
                    vec![test.clone(), Arg { val: yes, span: test.span }, Arg { val: no, span: test.span }];
                self.word(Id::Ite.word(), args, test.span).map(NextStep::Done)
            }
        }
    }

    pub(crate) fn end(&mut self, next: NextStep) -> Res<LangValue> {
        match next {
            NextStep::Done(val) => Ok(val),
            NextStep::Tail(form, scope) => self.eval(&form, &scope),
        }
    }
}
