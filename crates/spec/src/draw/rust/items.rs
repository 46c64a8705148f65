//! What is in lists and options.

use crate::{Node, Op, Quantifier, Term};

/// `list.max().unwrap_or(b)`.
///
/// ```
/// use probity_spec::{Term, Value, draw::rust};
/// let most = rust::greatest_of(Term::it(), Term::int(-1));
/// let list = |items: &[i128]| Value::List(items.iter().copied().map(Value::Int).collect());
/// assert_eq!(most.eval(&list(&[3, 7, 5]), None), Some(Value::Int(7)));
/// assert_eq!(most.eval(&list(&[]), None), Some(Value::Int(-1)));
/// ```
pub fn greatest_of(list: Term, otherwise: Term) -> Term {
    extreme(Op::Greatest, list, otherwise)
}

/// `list.min().unwrap_or(b)`.
///
/// ```
/// use probity_spec::{Term, Value, draw::rust};
/// let list = Value::List(vec![Value::Int(3), Value::Int(7)]);
/// assert_eq!(rust::least_of(Term::it(), Term::int(0)).eval(&list, None), Some(Value::Int(3)));
/// ```
pub fn least_of(list: Term, otherwise: Term) -> Term {
    extreme(Op::Least, list, otherwise)
}

fn extreme(op: Op, list: Term, otherwise: Term) -> Term {
    // As many items as there are of what each is made of.
    let of = match list.node() {
        Node::Quantified(Quantifier::Each, _, of, _) => of.clone(),
        _ => list.clone(),
    };
    let is_empty = of.len().eq(Term::int(0));
    Term::apply(Op::Ite, [is_empty, otherwise, Term::apply(op, [list])])
}

/// `option.unwrap_or(b)`.
///
/// ```
/// use probity_spec::{Term, Value, draw::rust};
/// assert_eq!(rust::unwrap_or(Term::it(), Term::int(5)).eval(&Value::Option(None), None), Some(Value::Int(5)));
/// ```
pub fn unwrap_or(option: Term, otherwise: Term) -> Term {
    Term::apply(Op::Ite, [option.clone().is_some(), option.unwrap(), otherwise])
}
