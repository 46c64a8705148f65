//! Types: what may stand after `?`.

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use super::interp::{Interp, Res};
use super::outline::{SIZE_MAX, SymbolicValue, size_of};
use super::reader::{Form, FormKind};
use super::terms::{replace_sym, symbolic_of, syms};
use super::value::{Arg, LangValue, Scope};
use super::{Diagnostic, Span};
use probity_spec::regex::Regex;
use probity_spec::{Field, Name, Shape, Spec, Term, Value};

/// The names of types that need no definition; those with parts take them in brackets.
const BUILTIN: [&str; 31] = [
    "Boolean", "Bool", "Integer", "Int", "Number", "Decimal", "String", "Str", "Text", "Date", "Time",
    "DateTime", "Duration", "Object", "Option", "List", "Enum", "Union", "Regex", "i8", "i16", "i32", "i64",
    "i128", "u8", "u16", "u32", "u64", "isize", "usize", "Location",
];
/// Digits after the point of a `?Number` that does not say.
const DECIMALS: u32 = 2;
/// The most digits after the point: sums and products must fit in 128 bits.
const DECIMALS_MAX: i128 = 18;
/// The longest text or list that a type may ask for.
const LENGTH_MAX: i128 = 1_000_000;

pub(crate) fn is_builtin(name: &str) -> bool {
    BUILTIN.contains(&name)
}

/// The shape of a type that is one word.
pub(crate) fn plain(name: &str) -> Option<Shape> {
    Some(match name {
        "Boolean" | "Bool" => Shape::Bool,
        "Integer" | "Int" => Shape::Int { min: None, max: None },
        "Number" | "Decimal" => Shape::Number { decimals: DECIMALS },
        "String" | "Str" | "Text" => Shape::Text,
        "Date" => Shape::Date,
        "Time" => Shape::Time,
        "DateTime" => Shape::DateTime,
        "Duration" => Shape::Duration,
        "Object" => Shape::Object(Vec::new()),
        "i8" => Shape::int(i8::MIN.into(), i8::MAX.into()),
        "i16" => Shape::int(i16::MIN.into(), i16::MAX.into()),
        "i32" => Shape::int(i32::MIN.into(), i32::MAX.into()),
        "i64" | "isize" => Shape::int(i64::MIN.into(), i64::MAX.into()),
        "i128" => Shape::int(i128::MIN, i128::MAX),
        "u8" => Shape::int(0, u8::MAX.into()),
        "u16" => Shape::int(0, u16::MAX.into()),
        "u32" => Shape::int(0, u32::MAX.into()),
        "u64" | "usize" => Shape::int(0, u64::MAX.into()),
        _ => return None,
    })
}

/// Texts that match.
fn matching(regex: Arc<Regex>) -> Spec {
    Spec::new(Shape::Text).require(Term::it().matches(regex))
}

impl Interp<'_> {
    /// A new variable for `?form`.
    pub(crate) fn blank(&mut self, form: &Form, span: Span, scope: &Rc<Scope>) -> Res<usize> {
        if let Some(name) = form.symbol()
            && let Some(LangValue::Term(typed)) = scope.get(name)
            && let Some((_, sym)) = symbolic_of(&typed.term)
        {
            if self.specifying == Some(sym) {
                let error = Diagnostic::new(format!("`?{name}` inside of `{name}` itself"), span);
                return self.fail(
                    error.help("write a recursive type: `(define-type Tree (Object (left (Option Tree))))`"),
                );
            }
            return Ok(self.copy(sym));
        }
        let spec = self.type_spec(form, scope)?;
        self.check_size(&spec, span)?;
        self.syms.push(SymbolicValue::new(spec));
        Ok(self.syms.len() - 1)
    }

    fn check_size(&mut self, spec: &Spec, span: Span) -> Res<()> {
        if size_of(spec, SIZE_MAX) > SIZE_MAX {
            return self.wrong(format!("this type has more than {SIZE_MAX} parts"), span);
        }
        Ok(())
    }

    /// The spec of a type.
    pub(crate) fn type_spec(&mut self, form: &Form, scope: &Rc<Scope>) -> Res<Spec> {
        match &form.kind {
            FormKind::Symbol(name) if &**name == super::reader::POISON => Err(super::interp::Abort),
            FormKind::Symbol(name) => self.named_type(name, form.span, scope),
            FormKind::Blank(inner) => self.type_spec(inner, scope),
            FormKind::Regex(pattern) => self.pattern(pattern, form.span).map(matching),
            FormKind::List(items) => match form.head() {
                Some(head) => self.compound(head, form, items, scope),
                None => self.wrong("expected a type", form.span),
            },
            _ => self.wrong("expected a type", form.span),
        }
    }

    fn named_type(&mut self, name: &Name, span: Span, scope: &Rc<Scope>) -> Res<Spec> {
        match scope.get(name) {
            Some(LangValue::Poison) => return Err(super::interp::Abort),
            Some(LangValue::Term(typed)) => {
                if let Some((_, sym)) = symbolic_of(&typed.term) {
                    return self.standalone(sym, span);
                }
                if let Some(Value::Text(_)) = typed.as_const() {
                    return self.regex(&Arg { val: LangValue::Term(typed), span }).map(matching);
                }
            }
            Some(LangValue::Regex(regex)) => return Ok(matching(regex)),
            _ => {}
        }
        if self.defining.contains(name) {
            return Ok(Spec::new(Shape::Named(name.clone())));
        }
        if let Some((_, spec)) = self.types.iter().find(|it| it.0 == *name) {
            return Ok(spec.clone());
        }
        if let Some(shape) = plain(name) {
            return Ok(Spec::new(shape));
        }
        let needs = match &**name {
            "Option" => "?(Option Date)",
            "List" => "?(List Integer)",
            "Enum" => "?(Enum small large)",
            "Union" => "?(Union (id Integer) (name String))",
            "Regex" => "?(Regex \"[a-z]+\")",
            _ => "",
        };
        if !needs.is_empty() {
            let error = Diagnostic::new(format!("`{name}` needs its parts"), span);
            return self.fail(error.help(format!("write `{needs}`")));
        }
        if self.broken_types.contains(name) {
            return Err(super::interp::Abort);
        }
        let error = Diagnostic::new(format!("unknown type `{name}`"), span);
        let mut known: Vec<Name> = self.types.iter().map(|it| it.0.clone()).collect();
        known.extend(BUILTIN.iter().map(|it| Name::from(*it)));
        let mut at = Some(scope.clone());
        while let Some(scope) = at {
            let names = scope.names.borrow();
            let blank =
                |it: &&Name| matches!(&names[*it], LangValue::Term(it) if symbolic_of(&it.term).is_some());
            known.extend(names.keys().filter(blank).cloned());
            at = scope.parent.clone();
        }
        let help = self.nearest(name, known.iter().map(|it| &**it));
        self.fail(error.help(help.unwrap_or_else(|| {
            "types are Boolean, Integer, Number, String, Date, Time, DateTime, Duration, Location, Object, \
             (Option T), (List T), (Enum a b), (Union (a T) (b T)), tables and declared variables"
                .to_string()
        })))
    }

    fn compound(&mut self, head: &str, form: &Form, items: &[Form], scope: &Rc<Scope>) -> Res<Spec> {
        let args = &items[1..];
        match (head, args) {
            ("Option", [of]) => Ok(Spec::option(self.type_spec(of, scope)?)),
            ("Option", _) => self.usage("?(Option T)", form.span),
            ("List", [of, bounds @ ..]) if bounds.len() <= 2 => {
                let spec = Spec::list(self.type_spec(of, scope)?);
                self.of_length(spec, bounds, form.span, scope)
            }
            ("List", _) => self.usage("?(List T)` or `?(List T min max)", form.span),
            ("Integer" | "Int", [_, _]) => {
                let (min, max) = (self.bound(&args[0], scope), self.bound(&args[1], scope));
                let (min, max) = (min?, max?);
                self.ordered(min, max, form.span, "Integer")?;
                Ok(Spec::new(Shape::Int { min, max }))
            }
            ("Integer" | "Int", _) => self.usage("?(Integer min max)", form.span),
            ("Number" | "Decimal", [decimals]) => match self.bound(decimals, scope)? {
                Some(it) if (0..=DECIMALS_MAX).contains(&it) => {
                    Ok(Spec::new(Shape::Number { decimals: it as u32 }))
                }
                _ => self.wrong(format!("the decimals must be between 0 and {DECIMALS_MAX}"), decimals.span),
            },
            ("Number" | "Decimal", _) => self.usage("?(Number decimals)", form.span),
            ("String" | "Str" | "Text" | "Regex", [pattern]) => {
                let val = self.eval(pattern, scope)?;
                self.regex(&Arg { val, span: pattern.span }).map(matching)
            }
            ("String" | "Str" | "Text", [_, _]) => {
                self.of_length(Spec::new(Shape::Text), args, form.span, scope)
            }
            ("String" | "Str" | "Text", _) => {
                self.usage("?(String min max)` or `?(String #rx\"…\")", form.span)
            }
            ("Enum", _) => self.enumeration(form, args),
            ("Union", _) => self.union(form, args, scope),
            ("Object", _) => self.object(args, scope),
            _ => {
                let error = Diagnostic::new(format!("unknown type `({head} …)`"), form.span);
                let known =
                    ["Option", "List", "Integer", "Number", "String", "Enum", "Union", "Object", "Regex"];
                let help = self.nearest(head, known);
                self.fail(error.help(help.unwrap_or_else(|| {
                    "types with parts are Option, List, Integer, Number, String, Enum, Union, Object"
                        .to_string()
                })))
            }
        }
    }

    /// A bound: a known number, or `_` for none.
    fn bound(&mut self, form: &Form, scope: &Rc<Scope>) -> Res<Option<i128>> {
        if form.symbol().is_some_and(|it| &**it == "_") {
            return Ok(None);
        }
        let val = self.eval(form, scope)?;
        self.known_int(&Arg { val, span: form.span }, "a bound").map(Some)
    }

    fn ordered(&mut self, min: Option<i128>, max: Option<i128>, span: Span, what: &str) -> Res<()> {
        match (min, max) {
            (Some(min), Some(max)) if min > max => {
                let error = Diagnostic::new(format!("no {what} is between {min} and {max}"), span);
                self.fail(error.help("swap the bounds"))
            }
            _ => Ok(()),
        }
    }

    fn of_length(&mut self, mut spec: Spec, bounds: &[Form], span: Span, scope: &Rc<Scope>) -> Res<Spec> {
        let mut read = Vec::new();
        for form in bounds {
            let bound = self.bound(form, scope)?;
            if bound.is_some_and(|it| !(0..=LENGTH_MAX).contains(&it)) {
                return self.wrong(format!("a length must be between 0 and {LENGTH_MAX}"), form.span);
            }
            read.push(bound);
        }
        // One number is the exact length.
        let min = read.first().copied().flatten();
        let max = if read.len() == 1 { min } else { read.get(1).copied().flatten() };
        self.ordered(min, max, span, "length")?;
        let len = Term::it().len();
        if let Some(min) = min.filter(|it| *it > 0) {
            spec = spec.require(Term::int(min).le(len.clone()));
        }
        if let Some(max) = max {
            spec = spec.require(len.le(Term::int(max)));
        }
        Ok(spec)
    }

    fn enumeration(&mut self, form: &Form, args: &[Form]) -> Res<Spec> {
        let mut cases: Vec<Name> = Vec::new();
        let mut known = BTreeSet::new();
        for arg in args {
            let case = match &arg.kind {
                FormKind::Symbol(it) | FormKind::Const(Value::Text(it)) => it.clone(),
                FormKind::Quote(inner) if inner.symbol().is_some() => {
                    inner.symbol().expect("just seen").clone()
                }
                FormKind::Const(value) => value.to_string().into(),
                _ => return self.wrong("a case must be a name or a text", arg.span),
            };
            if !known.insert(case.clone()) {
                return self.wrong(format!("the case `{case}` is there twice"), arg.span);
            }
            cases.push(case);
        }
        if cases.is_empty() {
            return self.usage("?(Enum small large)", form.span);
        }
        Ok(Spec::new(Shape::Enum(cases)))
    }

    fn union(&mut self, form: &Form, args: &[Form], scope: &Rc<Scope>) -> Res<Spec> {
        let mut cases: Vec<(Name, Arc<Spec>)> = Vec::new();
        let mut known = BTreeSet::new();
        for arg in args {
            let (name, of) = match arg.list() {
                Some([name, of]) if name.symbol().is_some() => (name.symbol().expect("just seen"), of),
                _ => return self.usage("?(Union (name T) …)", arg.span),
            };
            if !known.insert(name) {
                return self.wrong(format!("the case `{name}` is there twice"), arg.span);
            }
            cases.push((name.clone(), self.type_spec(of, scope)?.into()));
        }
        if cases.is_empty() {
            return self.usage("?(Union (name T) …)", form.span);
        }
        Ok(Spec::new(Shape::Union(cases)))
    }

    fn object(&mut self, args: &[Form], scope: &Rc<Scope>) -> Res<Spec> {
        let mut fields: Vec<Field> = Vec::new();
        let mut known = BTreeSet::new();
        for arg in args {
            let (name, of, optional) = match arg.list() {
                Some([name, of]) if name.symbol().is_some() => (name, of, false),
                Some([word, name, of]) if word.symbol().is_some_and(|it| &**it == "optional") => {
                    (name, of, true)
                }
                _ => return self.usage("?(Object (name T) (optional name T))", arg.span),
            };
            let Some(symbol) = name.symbol() else {
                return self.wrong("a field must be a name", name.span);
            };
            if !known.insert(symbol) {
                return self.wrong(format!("the field `{symbol}` is there twice"), name.span);
            }
            let mut spec = self.type_spec(of, scope)?;
            if optional && !matches!(spec.shape, Shape::Option(_)) {
                spec = Spec::option(spec);
            }
            fields.push(Field { name: symbol.clone(), spec: spec.into(), optional });
        }
        Ok(Spec::new(Shape::Object(fields)))
    }

    /// `(define-type Name T assertion …)`.
    pub(crate) fn define_type(&mut self, form: &Form, scope: &Rc<Scope>) -> Res<()> {
        let items = form.list().unwrap_or_default();
        let (Some(name), Some(of)) = (items.get(1).and_then(Form::symbol), items.get(2)) else {
            return self.usage("(define-type Name T assertion …)", form.span);
        };
        if self.types.iter().any(|it| it.0 == *name) || is_builtin(name) {
            let error = Diagnostic::new(format!("the type `{name}` is already there"), items[1].span);
            return self.fail(error.help("choose another name"));
        }
        self.defining.push(name.clone());
        let spec = self.type_spec(of, scope);
        self.defining.pop();
        let mut spec = spec?;
        self.check_size(&spec, of.span)?;
        if !is_finite(&spec, name) {
            let error = Diagnostic::new(format!("a `{name}` contains itself without end"), of.span);
            return self.fail(
                error.help(format!("put the inner one into an Option, a List or a Union: `(Option {name})`")),
            );
        }
        if mentions(&spec, name) {
            spec = spec.named(name.clone());
        }
        let at = self.types.len();
        self.types.push((name.clone(), spec.clone()));
        for item in &items[3..] {
            let val = self.eval(item, scope)?;
            let (sym, it) = self.temporary(&super::sort::Sort::of(&spec));
            let of = Arg { val, span: item.span };
            let holds = self.assertion(&of, &Arg { val: LangValue::Term(it), span: items[1].span })?;
            let mut mentioned = Vec::new();
            syms(&holds.term, &mut mentioned);
            if mentioned.iter().any(|it| *it != sym) {
                return self.wrong("a type cannot require something of a variable", item.span);
            }
            spec = spec.require(replace_sym(&holds.term, sym, &Term::it()));
        }
        self.types[at].1 = spec;
        Ok(())
    }
}

/// Whether some value of the spec does without another of the named one.
pub(crate) fn is_finite(spec: &Spec, name: &str) -> bool {
    match &spec.shape {
        Shape::Named(it) => &**it != name,
        Shape::Object(fields) => fields.iter().all(|it| is_finite(&it.spec, name)),
        Shape::Union(cases) => cases.iter().any(|it| is_finite(&it.1, name)),
        _ => true,
    }
}

fn mentions(spec: &Spec, name: &str) -> bool {
    match &spec.shape {
        Shape::Named(it) => &**it == name,
        Shape::Object(fields) => fields.iter().any(|it| mentions(&it.spec, name)),
        Shape::Union(cases) => cases.iter().any(|it| mentions(&it.1, name)),
        Shape::Option(of) | Shape::List(of) => mentions(of, name),
        _ => false,
    }
}
