//! Programs: statements in order, and the outlines that they ask for.

use std::rc::Rc;
use std::sync::Arc;

use super::interp::{Abort, Interp, Res, STATEMENTS};
use super::outline::{OutlinePart, Require, SymbolicValue};
use super::reader::{Form, FormKind, POISON};
use super::sort::Sort;
use super::terms::{sym_term, symbolic_of, syms};
use super::value::{Arg, Function, LangValue, Scope, Typed};
use super::{Diagnostic, MISTAKES_MAX, Outline, Program, Span, too_many_mistakes};
use probity_spec::{
    Branches, Difference, Enumerate, Name, Relation, RelationKind, Shape, Spec, Table, Term, Value,
};

/// The most statements.
const STATEMENTS_MAX: usize = 5_000;
/// The most models that an outline may ask for.
const N_MAX: i128 = 1_000_000_000;

/// Evaluates a whole program.
pub(crate) fn evaluate(interp: &mut Interp, forms: &[Form], file: &str) -> Program {
    let base = interp.base();
    let stem = file.rsplit(['/', '\\']).next().unwrap_or(file);
    let stem = stem.split_once('.').map_or(stem, |it| it.0);
    let mut program = Program { name: stem.into(), outlines: Vec::new(), specs: Vec::new() };
    let scope = interp.scope(Some(&base));
    let mut statements = forms;
    if let [form] = forms
        && let Some("program" | "define-program") = form.head()
    {
        let items = form.list().unwrap_or_default();
        match items.get(1).and_then(Form::symbol) {
            Some(name) => {
                program.name = name.clone();
                statements = &items[2..];
            }
            None => {
                let span = items.get(1).map_or(form.span, |it| it.span);
                let error = Diagnostic::new("a program needs a name", span);
                interp.errors.push(error.help("write `(program name statement …)`"));
                statements = &items[1..];
            }
        }
    }
    let mut state = ProgramState { variables: Vec::new(), renamed: Vec::new() };
    if let Some(form) = statements.get(STATEMENTS_MAX) {
        let error = format!("this program has more than {STATEMENTS_MAX} statements");
        interp.errors.push(Diagnostic::new(error, form.span).help("put what is data into tables"));
        return program;
    }
    let mut generates = false;
    for form in statements {
        if interp.errors.len() > MISTAKES_MAX {
            interp.errors.push(too_many_mistakes(form.span.start));
            break;
        }
        if form.head() == Some("generate") {
            generates = true;
            if let Ok(outline) = interp.generate(form, &scope, &state.variables, &program.outlines) {
                program.outlines.push(outline);
            }
        } else if generates && STATEMENTS.contains(&form.head().unwrap_or_default()) {
            let word = form.head().unwrap_or_default();
            let error = Diagnostic::new(format!("this `{word}` comes after a `generate`"), form.span);
            interp.errors.push(error.help("move it in front of the first `generate`, or into one"));
        } else {
            let _ = interp.statement(form, &scope, &mut state);
        }
    }
    interp.check_names(statements, &scope);
    if !statements.iter().any(|it| it.head() == Some("generate")) {
        let end = forms
            .last()
            .map_or(Span::default(), |it| Span { start: it.span.end.saturating_sub(1), end: it.span.end });
        let error = Diagnostic::new("nothing is generated", end);
        interp.errors.push(error.help("add `(generate name 100)` at the end of the program"));
    }
    if interp.errors.is_empty() {
        let named = |it: &usize| Some((interp.syms[*it].name.clone()?, interp.spec_so_far(*it)));
        let specs = state.variables.iter().filter_map(named);
        program.specs = specs.chain(interp.types.iter().skip(1).cloned()).collect();
    }
    program
}

/// The paths of the tables that a statement names, or the statements inside of it.
pub(crate) fn tables(form: &Form) -> Vec<Name> {
    let items = form.list().unwrap_or_default();
    match (form.head(), items) {
        (Some("table"), [_, _, Form { kind: FormKind::Const(Value::Text(path)), .. }]) => vec![path.clone()],
        (Some("program" | "define-program" | "generate"), _) => items.iter().flat_map(tables).collect(),
        _ => Vec::new(),
    }
}

/// What statements add to, beside the interpreter.
struct ProgramState {
    /// Variables declared here, in order.
    variables: Vec<usize>,
    /// Variables that got another name here, with the name they had.
    renamed: Vec<(usize, Option<Name>)>,
}

impl Interp<'_> {
    fn statement(&mut self, form: &Form, scope: &Rc<Scope>, state: &mut ProgramState) -> Res<()> {
        self.begin();
        let items = form.list().unwrap_or_default();
        match form.head() {
            Some("declare") => self.declare(form, items, scope, state),
            Some("specify") => self.specify(form, items, scope),
            Some("constrain-solutions" | "constrain") => self.constrain(form, items, scope),
            Some("require") => {
                if items.len() < 2 {
                    return self.usage("(require assertion …)", form.span);
                }
                for item in &items[1..] {
                    let val = self.eval(item, scope)?;
                    let holds = self.truth(&Arg { val, span: item.span })?;
                    self.require(None, holds, item.span)?;
                }
                Ok(())
            }
            Some("define") => self.define(form, scope),
            Some(word @ ("define-type" | "table")) => {
                let done = if word == "table" {
                    self.table_statement(form, items, scope)
                } else {
                    self.define_type(form, scope)
                };
                let name = items.get(1).and_then(Form::symbol).filter(|_| done.is_err());
                self.broken_types.extend(name.cloned());
                done
            }
            Some("program" | "define-program") => {
                let error = Diagnostic::new("a `program` must hold everything in the file", form.span);
                self.fail(error.help("put the other statements inside of it"))
            }
            Some("generate") => self.wrong("a `generate` cannot stand inside another", form.span),
            Some(word @ ("with" | "with-optional")) => {
                let error = Diagnostic::new(format!("`{word}` stands alone"), form.span);
                self.fail(error.help(format!("write `(specify object ({word} field ?Type))`")))
            }
            Some(POISON) => Err(Abort),
            Some(word) => {
                let span = items[0].span;
                let error = Diagnostic::new(format!("unknown statement `{word}`"), span);
                let help = self.nearest(word, STATEMENTS.into_iter().filter(|it| !it.starts_with("with")));
                self.fail(error.help(help.unwrap_or_else(|| {
                    "statements are declare, specify, constrain-solutions, require, define, define-type, table, generate"
                        .to_string()
                })))
            }
            None => {
                let error = Diagnostic::new("expected a statement", form.span);
                self.fail(error.help("statements are forms such as `(declare x ?Integer)`"))
            }
        }
    }

    fn declare(
        &mut self,
        form: &Form,
        items: &[Form],
        scope: &Rc<Scope>,
        state: &mut ProgramState,
    ) -> Res<()> {
        let [_, name, value] = items else {
            return self.usage("(declare name ?Type)` or `(declare name value)", form.span);
        };
        let Some(symbol) = name.symbol() else {
            return self.wrong("a variable needs a name", name.span);
        };
        let val = self.eval(value, scope);
        self.fresh(symbol, name.span, scope)?;
        let Ok(val) = val else {
            scope.set(symbol, LangValue::Poison);
            return Err(Abort);
        };
        if let LangValue::Term(typed) = &val
            && let Some((_, sym)) = symbolic_of(&typed.term)
        {
            state.renamed.push((sym, self.syms[sym].name.replace(symbol.clone())));
            if !state.variables.contains(&sym) {
                state.variables.push(sym);
            }
        }
        scope.set(symbol, val);
        Ok(())
    }

    fn require(&mut self, owner: Option<usize>, holds: Typed, span: Span) -> Res<()> {
        match holds.as_const() {
            Some(Value::Bool(true)) => Ok(()),
            Some(_) => {
                let what = self.shown(span);
                let error = Diagnostic::new(format!("{what} is never true"), span);
                self.fail(error.help("no model can satisfy it; change or remove it"))
            }
            None => {
                self.requires.push(Require { owner, term: holds.term });
                Ok(())
            }
        }
    }

    /// The variable or term that a statement is about.
    fn target(&mut self, form: &Form, scope: &Rc<Scope>) -> Res<Arg> {
        let val = self.eval(form, scope)?;
        Ok(Arg { val, span: form.span })
    }

    fn specify(&mut self, form: &Form, items: &[Form], scope: &Rc<Scope>) -> Res<()> {
        if items.len() < 3 {
            return self.usage("(specify variable assertion …)", form.span);
        }
        let on = self.target(&items[1], scope)?;
        let owner = match &on.val {
            LangValue::Term(typed) => symbolic_of(&typed.term).map(|it| it.1),
            _ => None,
        };
        let mut ok = Ok(());
        for item in &items[2..] {
            self.specifying = owner;
            let done = match item.head() {
                Some(word @ ("with" | "with-optional")) => self.with(owner, word, item, &on, scope),
                _ => self.specify_one(owner, item, &on, scope),
            };
            self.specifying = None;
            ok = ok.and(done);
        }
        ok
    }

    fn specify_one(&mut self, owner: Option<usize>, item: &Form, on: &Arg, scope: &Rc<Scope>) -> Res<()> {
        let on = match owner {
            Some(sym) => Arg { val: LangValue::Term(self.variable(sym)), span: on.span },
            None => on.clone(),
        };
        let val = self.eval(item, scope)?;
        let holds = self.assertion(&Arg { val, span: item.span }, &on)?;
        self.require(owner, holds, item.span)
    }

    /// `(with field ?Type)`: gives an object a field, or requires something of one it has.
    fn with(
        &mut self,
        owner: Option<usize>,
        word: &str,
        form: &Form,
        on: &Arg,
        scope: &Rc<Scope>,
    ) -> Res<()> {
        let Some([_, field, value]) = form.list().filter(|it| it.len() == 3) else {
            return self.usage(&format!("({word} field ?Type)"), form.span);
        };
        let Some(name) = field.symbol() else {
            return self.wrong("a field must be a name", field.span);
        };
        let object = owner.filter(|it| matches!(self.syms[*it].spec.shape, Shape::Object(_)));
        let Some(object) = object else {
            let what = self.shown(on.span);
            let error = Diagnostic::new(format!("{what} is not an object"), on.span);
            return self.fail(
                error.label(format!("`{word}` gives fields to objects")).help("declare it with `?Object`"),
            );
        };
        let val = self.eval(value, scope)?;
        let arg = Arg { val, span: value.span };
        if let LangValue::Function(_) = arg.val {
            let on = self.variable(object);
            let on = self.access(&on, name, field.span, field.span)?;
            let holds = self.assertion(&arg, &Arg { val: LangValue::Term(on), span: field.span })?;
            return self.require(Some(object), holds, value.span);
        }
        let taken = matches!(Sort::of(&self.shape_of(object)), Sort::Object(fields) if fields.iter().any(|it| it.0 == *name));
        if taken {
            let error = Diagnostic::new(format!("the field `{name}` is there twice"), field.span);
            return self.fail(error.help("remove one of them"));
        }
        let sym = self.part(&arg)?;
        if self.contains(sym, object) {
            return self.wrong("an object cannot contain itself", value.span);
        }
        let is_option = matches!(self.syms[sym].spec.shape, Shape::Option(_));
        let wrapped = word == "with-optional" && !is_option;
        let optional = is_option || wrapped;
        self.syms[object].parts.push(OutlinePart { name: name.clone(), sym, optional, wrapped });
        if let done @ Err(_) = self.check_sizes(form.span) {
            // Without the part, what follows stays small.
            self.syms[object].parts.pop();
            return done;
        }
        Ok(())
    }

    /// The variable that becomes a field: a variable itself, or a new one for a pattern, constant or term.
    fn part(&mut self, arg: &Arg) -> Res<usize> {
        let spec = match &arg.val {
            LangValue::Term(typed) => {
                if let Some((_, sym)) = symbolic_of(&typed.term) {
                    return Ok(sym);
                }
                let shape = match &typed.sort {
                    Sort::Bool => Shape::Bool,
                    Sort::Int => Shape::Int { min: None, max: None },
                    Sort::Number => super::types::plain("Number").expect("a type"),
                    Sort::Text => Shape::Text,
                    Sort::Date => Shape::Date,
                    Sort::Time => Shape::Time,
                    Sort::DateTime => Shape::DateTime,
                    Sort::Duration => Shape::Duration,
                    Sort::Enum(cases) => Shape::Enum(cases.to_vec()),
                    Sort::Row(table) => Shape::Table(table.clone()),
                    other => {
                        let sort = other.what();
                        let error = Diagnostic::new(format!("a field cannot be given as {sort}"), arg.span);
                        return self
                            .fail(error.help("give it a type such as `?String`, or a declared variable"));
                    }
                };
                self.syms.push(SymbolicValue::new(Spec::new(shape)));
                let sym = self.syms.len() - 1;
                let same = sym_term(Term::it(), sym).eq(typed.term.clone());
                self.requires.push(Require { owner: Some(sym), term: same });
                return Ok(sym);
            }
            LangValue::Regex(regex) => Spec::new(Shape::Text).require(Term::it().matches(regex.clone())),
            other => {
                let what = super::pattern::shown(other);
                let error = Diagnostic::new(format!("a field cannot be {what}"), arg.span);
                return self.fail(error.help("give it a type such as `?String`, or a declared variable"));
            }
        };
        self.syms.push(SymbolicValue::new(spec));
        Ok(self.syms.len() - 1)
    }

    fn constrain(&mut self, form: &Form, items: &[Form], scope: &Rc<Scope>) -> Res<()> {
        let word = form.head().unwrap_or_default();
        if items.len() < 3 {
            return self.usage(&format!("({word} variable constraint)"), form.span);
        }
        let on = self.target(&items[1], scope)?;
        let mut ok = Ok(());
        for item in &items[2..] {
            let val = self.eval(item, scope);
            let done = val.and_then(|val| self.constraint(&Arg { val, span: item.span }, &on));
            match done {
                Ok(LangValue::Difference(it, _)) => self.differences.push(Difference::clone(&it)),
                _ => ok = Err(Abort),
            }
        }
        ok
    }

    fn generate(
        &mut self,
        form: &Form,
        scope: &Rc<Scope>,
        globals: &[usize],
        before: &[Outline],
    ) -> Res<Outline> {
        let items = form.list().unwrap_or_default();
        let [_, name, count, statements @ ..] = items else {
            return self.usage("(generate name 100 statement …)", form.span);
        };
        let symbol = name.symbol().cloned().ok_or(()).or_else(|()| {
            let error = Diagnostic::new("an outline needs a name", name.span);
            self.fail(error.help("write `(generate name 100 statement …)`"))
        });
        if let Ok(symbol) = &symbol
            && before.iter().any(|it| it.name == *symbol)
        {
            let error = Diagnostic::new(format!("there are two outlines `{symbol}`"), name.span);
            self.errors.push(error.help("give one of them another name"));
        }
        let n = self.count(count, scope);
        let inner = self.scope(Some(scope));
        let (n_requires, n_differences) = (self.requires.len(), self.differences.len());
        let mut state = ProgramState { variables: Vec::new(), renamed: Vec::new() };
        let mut ok = true;
        for statement in statements {
            ok &= self.statement(statement, &inner, &mut state).is_ok();
        }
        self.check_names(statements, &inner);
        let res = if ok && self.errors.is_empty() {
            self.outline(statements, &inner, globals, &state, n_requires, form.span)
        } else {
            Err(Abort)
        };
        self.requires.truncate(n_requires);
        self.differences.truncate(n_differences);
        for (sym, name) in state.renamed.into_iter().rev() {
            self.syms[sym].name = name;
        }
        let mut outline = res?;
        (outline.name, outline.request.n) = (symbol?, n?);
        Ok(outline)
    }

    /// The outline of the statements that were just evaluated.
    fn outline(
        &mut self,
        statements: &[Form],
        scope: &Rc<Scope>,
        globals: &[usize],
        state: &ProgramState,
        n_requires: usize,
        span: Span,
    ) -> Res<Outline> {
        let mut roots = state.variables.clone();
        let mut referred = Vec::new();
        for statement in statements {
            let about =
                statement.list().and_then(|it| it.get(1)).filter(|_| statement.head() != Some("define"));
            if let Some(name) = about.and_then(Form::symbol)
                && let Some(LangValue::Term(typed)) = scope.get(name)
            {
                syms(&typed.term, &mut referred);
            }
        }
        let copied = |it: &&Require| it.owner.is_none_or(|it| self.syms[it].name.is_some());
        for require in self.requires[n_requires..].iter().filter(copied) {
            syms(&require.term, &mut referred);
        }
        for difference in &self.differences {
            mentioned(difference, &mut referred);
        }
        roots.extend(referred.into_iter().filter(|it| !state.variables.contains(it)));
        if roots.is_empty() {
            roots = globals.to_vec();
        }
        if roots.is_empty() {
            let error = Diagnostic::new("this outline has no blanks to fill in", span);
            return self.fail(error.help("declare one: `(declare x ?Integer)`"));
        }
        let request = self.request(&roots, &self.differences, 0);
        Ok(Outline { name: "".into(), request })
    }

    fn count(&mut self, form: &Form, scope: &Rc<Scope>) -> Res<usize> {
        self.begin();
        let n_errors = self.errors.len();
        let known = self.eval(form, scope).ok().and_then(|it| match it.as_const() {
            Some(Value::Int(n)) => Some(*n),
            _ => None,
        });
        match known {
            Some(n) if (0..=N_MAX).contains(&n) => Ok(n as usize),
            _ => {
                self.errors.truncate(n_errors);
                let what = self.shown(form.span);
                let error = Diagnostic::new(format!("{what} is not a number of models"), form.span);
                self.fail(
                    error
                        .label(format!("expected a number from 0 to {N_MAX}"))
                        .help("write `(generate name 100 …)`"),
                )
            }
        }
    }

    /// `(table Name "file.csv")`.
    fn table_statement(&mut self, form: &Form, items: &[Form], scope: &Rc<Scope>) -> Res<()> {
        let [_, name, path] = items else {
            return self.usage("(table Name \"file.csv\")", form.span);
        };
        let (Some(symbol), FormKind::Const(Value::Text(file))) = (name.symbol(), &path.kind) else {
            return self.usage("(table Name \"file.csv\")", form.span);
        };
        if self.types.iter().any(|it| it.0 == *symbol) || super::types::is_builtin(symbol) {
            let error = Diagnostic::new(format!("the type `{symbol}` is already there"), name.span);
            return self.fail(error.help("choose another name"));
        }
        let text = match self.tables.get(file) {
            Some(Ok(text)) => text,
            None => return self.usage("(table Name \"file.csv\")", form.span),
            Some(Err(error)) => {
                return self.wrong(format!("cannot read the table `{file}`: {error}"), path.span);
            }
        };
        match crate::tables::read(symbol, file, text) {
            Ok(table) => {
                self.table(Arc::new(table), scope);
                Ok(())
            }
            Err(error) => self.wrong(format!("in the table `{file}`, {error}"), path.span),
        }
    }

    /// Makes a table a type and its columns functions.
    pub(crate) fn table(&mut self, table: Arc<Table>, scope: &Rc<Scope>) {
        for column in &table.columns {
            if scope.get(column).is_none() {
                scope.set(column, LangValue::fun(Function::Accessor(column.clone())));
            }
        }
        self.types.push((table.name.clone(), Spec::new(Shape::Table(table))));
    }
}

/// The variables that a difference mentions.
fn mentioned(difference: &Difference, res: &mut Vec<usize>) {
    match difference {
        Difference::Always | Difference::Never => {}
        Difference::All(parts) | Difference::Any(parts) => parts.iter().for_each(|it| mentioned(it, res)),
        Difference::Not(of) => mentioned(of, res),
        Difference::Relation(Relation { on, kind }) => {
            syms(on, res);
            if let RelationKind::Holds(term) = kind {
                syms(term, res);
            }
        }
        Difference::Enumerate(Enumerate { branches: Branches::Cover { on, .. } }) => syms(on, res),
        Difference::Enumerate(Enumerate { branches: Branches::Listed(branches) }) => {
            for branch in branches {
                syms(&branch.requires, res);
                mentioned(&branch.differ, res);
            }
        }
    }
}
