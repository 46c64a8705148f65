//! What expressions evaluate to while a program is read.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use super::Span;
use super::reader::Form;
use super::sort::Sort;
use super::words::Word;
use probity_spec::Structure;
use probity_spec::regex::{Heuristics, Regex};
use probity_spec::{Difference, Name, Node, Term, Value};

/// The value of an expression: a term about the model, or data of the program.
#[derive(Clone)]
pub(crate) enum LangValue {
    /// A term with its sort; a constant is a term too.
    Term(Typed),
    /// A pattern.
    Regex(Arc<Regex>),
    /// A list of the program, of known length.
    List(Rc<[LangValue]>),
    /// A function, perhaps with some arguments given.
    Function(Rc<Function>),
    /// A constraint: what makes two models different.
    Difference(Rc<Difference>, TermSize),
    /// What had an error, which was told.
    Poison,
}

/// A term with its sort.
#[derive(Clone)]
pub(crate) struct Typed {
    pub(crate) term: Term,
    pub(crate) sort: Sort,
    pub(crate) weight: TermSize,
    /// The place of the text literal that it comes from, so that patterns can be told where they are wrong.
    pub(crate) literal: Option<Span>,
}

/// How deep a term or constraint nests and how many parts it has when written out. Both are limited: parts may be
/// shared, so a short program can stand for a tree without end.
#[derive(Clone, Copy)]
pub(crate) struct TermSize {
    pub(crate) depth: usize,
    pub(crate) size: usize,
}

impl TermSize {
    pub(crate) const ONE: TermSize = TermSize { depth: 1, size: 1 };
    /// The most parts.
    const SIZE_MAX: usize = 100_000;

    /// Of something that has these parts.
    pub(crate) fn above(parts: impl IntoIterator<Item = TermSize>) -> TermSize {
        parts.into_iter().fold(TermSize::ONE, |sum, it| TermSize {
            depth: sum.depth.max(it.depth + 1),
            size: sum.size.saturating_add(it.size),
        })
    }

    pub(crate) fn fits(self, depth_max: usize) -> bool {
        self.depth <= depth_max && self.size <= TermSize::SIZE_MAX
    }
}

/// An argument, with the place it is written at.
#[derive(Clone)]
pub(crate) struct Arg {
    pub(crate) val: LangValue,
    pub(crate) span: Span,
}

/// Something that can be called.
pub(crate) enum Function {
    /// A word of the language.
    Word(&'static Word),
    /// `lambda` and `define`.
    Closure(Closure),
    /// A column of a table or a field, as a function.
    Accessor(Name),
    /// `(curry f a…)`: the first arguments are given.
    Curried(Rc<Function>, Vec<Arg>),
    /// A call with too few arguments: the last are given, the first are awaited.
    Awaiting(Rc<Function>, Vec<Arg>),
    /// `and`, `all-of`, `enumerate*` … of functions of one value.
    Lifted(&'static Word, Vec<Arg>),
    /// `(is case)` and `(as case)`, awaiting the value.
    Case(bool, Name),
    /// `(cover-regexp r …)`, awaiting the text.
    CoverRegexp(Arc<Regex>, Heuristics),
    /// `(cover-json …)`, awaiting the value.
    CoverJson(Structure),
}

/// A function that a program defines.
pub(crate) struct Closure {
    pub(crate) name: Option<Name>,
    pub(crate) params: Vec<Name>,
    pub(crate) body: Vec<Form>,
    pub(crate) scope: Rc<Scope>,
    /// Whether it comes from the prelude, whose places are not the user's.
    pub(crate) prelude: bool,
}

/// Names and their values, in a scope within another.
pub(crate) struct Scope {
    pub(crate) names: RefCell<BTreeMap<Name, LangValue>>,
    pub(crate) parent: Option<Rc<Scope>>,
}

impl Scope {
    pub(crate) fn get(&self, name: &str) -> Option<LangValue> {
        let mut scope = self;
        loop {
            if let Some(val) = scope.names.borrow().get(name) {
                return Some(val.clone());
            }
            scope = scope.parent.as_deref()?;
        }
    }

    pub(crate) fn set(&self, name: &Name, val: LangValue) {
        self.names.borrow_mut().insert(name.clone(), val);
    }
}

impl LangValue {
    pub(crate) fn constant(value: Value) -> LangValue {
        LangValue::Term(Typed::constant(value))
    }

    pub(crate) fn truth(it: bool) -> LangValue {
        LangValue::constant(Value::Bool(it))
    }

    pub(crate) fn fun(fun: Function) -> LangValue {
        LangValue::Function(Rc::new(fun))
    }

    pub(crate) fn difference(it: Difference) -> LangValue {
        LangValue::Difference(Rc::new(it), TermSize::ONE)
    }

    /// The constant that it is, if it is one.
    pub(crate) fn as_const(&self) -> Option<&Value> {
        match self {
            LangValue::Term(typed) => typed.as_const(),
            _ => None,
        }
    }
}

impl Typed {
    pub(crate) fn new(term: Term, sort: Sort, weight: TermSize) -> Typed {
        Typed { term, sort, weight, literal: None }
    }

    pub(crate) fn constant(value: Value) -> Typed {
        let sort = Sort::of_value(&value);
        Typed::new(Term::constant(value), sort, TermSize::ONE)
    }

    pub(crate) fn as_const(&self) -> Option<&Value> {
        if let Node::Const(value) = self.term.node() { Some(value) } else { None }
    }
}

impl Function {
    /// How many arguments it still needs, and how many it takes at most.
    pub(crate) fn arity(&self) -> (usize, usize) {
        match self {
            Function::Word(word) => (word.min, word.max),
            Function::Closure(it) => (it.params.len(), it.params.len()),
            Function::Curried(of, given) | Function::Awaiting(of, given) => {
                let (min, max) = of.arity();
                let left = |n: usize| if n == usize::MAX { n } else { n.saturating_sub(given.len()) };
                (left(min), left(max))
            }
            Function::Accessor(_)
            | Function::Lifted(..)
            | Function::Case(..)
            | Function::CoverRegexp(..)
            | Function::CoverJson(_) => (1, 1),
        }
    }

    /// What it is called, for messages: in quotes, where it has a name.
    pub(crate) fn shown(&self) -> String {
        match self {
            Function::Closure(it) if it.name.is_none() => "this function".to_string(),
            Function::Curried(of, _) | Function::Awaiting(of, _) => of.shown(),
            _ => format!("`{}`", self.name()),
        }
    }

    fn name(&self) -> String {
        match self {
            Function::Word(word) | Function::Lifted(word, _) => word.names[0].to_string(),
            Function::Closure(it) => it.name.as_ref().map_or(String::new(), |it| it.to_string()),
            Function::Accessor(name) => name.to_string(),
            Function::Curried(of, _) | Function::Awaiting(of, _) => of.name(),
            Function::Case(true, _) => "is".to_string(),
            Function::Case(false, _) => "as".to_string(),
            Function::CoverRegexp(..) => "cover-regexp".to_string(),
            Function::CoverJson(_) => "cover-json".to_string(),
        }
    }
}
