//! What is asked of terms here: what they mention, and the same with parts replaced.

use std::collections::BTreeSet;

pub(super) use crate::narrow::{closed, holds};
use crate::{Name, Node, Op, Term, Value};

pub(super) fn is_it(term: &Term) -> bool {
    *term.node() == Node::It
}

/// The fields of `it` that the term mentions; none where it mentions `it` as a whole.
pub(super) fn fields(term: &Term) -> Option<BTreeSet<Name>> {
    match term.node() {
        Node::It => None,
        Node::Field(of, name) if is_it(of) => Some(BTreeSet::from([name.clone()])),
        _ => term.parts().into_iter().try_fold(BTreeSet::new(), |mut all, it| {
            all.append(&mut fields(it)?);
            Some(all)
        }),
    }
}

/// The terms of which the conjunctions among `terms` are made.
pub(super) fn conjuncts(terms: &[Term]) -> Vec<Term> {
    terms
        .iter()
        .flat_map(|it| match it.node() {
            Node::Apply(Op::And, parts) => conjuncts(parts),
            _ => vec![it.clone()],
        })
        .collect()
}

/// A term that is nowhere defined.
pub(super) fn undefined() -> Term {
    Term::apply(Op::Nth, [Term::apply(Op::List, []), Term::int(0)])
}

/// The term with what is known worked out, so that what is left is about what is not.
pub(super) fn simplified(term: &Term) -> Term {
    if let Some(value) = closed(term) {
        return Term::constant(value);
    }
    let Node::Apply(op, args) = term.node() else { return term.clone() };
    let args: Vec<Term> = args.iter().map(simplified).collect();
    let truth = |it: &Term| match it.node() {
        Node::Const(Value::Bool(it)) => Some(*it),
        _ => None,
    };
    match op {
        Op::Ite => match truth(&args[0]) {
            Some(true) => args[1].clone(),
            Some(false) => args[2].clone(),
            None => Term::apply(Op::Ite, args),
        },
        Op::And if args.iter().any(|it| truth(it) == Some(false)) => Term::constant(false),
        Op::Or if args.iter().any(|it| truth(it) == Some(true)) => Term::constant(true),
        Op::And | Op::Or => {
            let open: Vec<Term> = args.into_iter().filter(|it| truth(it).is_none()).collect();
            if open.len() == 1 { open[0].clone() } else { Term::apply(*op, open) }
        }
        _ => Term::apply(*op, args),
    }
}
