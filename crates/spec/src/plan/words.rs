//! Languages from requirements on one text.

use super::ints::{Unit, set_of};
use crate::regex::Language;
use crate::solve::builtin::IntSet;
use crate::{Node, Op, Term, Value};

/// The texts of `unknown` for which a truth holds; none if it is not of a kind that has a language, an error if
/// the language is too large.
pub(crate) fn language_of(truth: &Term, unknown: &Term) -> Option<Result<Language, String>> {
    let again = |it: &Term| language_of(it, unknown);
    let literal = |it: &Term| match it.node() {
        Node::Const(Value::Text(text)) => Some(text.clone()),
        _ => None,
    };
    if let Some(lengths) = set_of(truth, &unknown.clone().len(), Unit::Int, &IntSet::range(0, i128::MAX)) {
        return of_lengths(&lengths);
    }
    match truth.node() {
        Node::Matches(of, regex) if of == unknown => Some(regex.language().map(|it| (*it).clone())),
        Node::Apply(Op::And, parts) => fold(parts, Language::any(), again, Language::and),
        Node::Apply(Op::Or, parts) => fold(parts, Language::none(), again, Language::or),
        Node::Apply(Op::Not, parts) => again(parts.first()?).map(|it| it.map(|it| it.not())),
        Node::Apply(op, args) => match (op, &args[..]) {
            (Op::Eq, [one, two]) if one == unknown => Some(Language::literal(&literal(two)?)),
            (Op::Eq, [one, two]) if two == unknown => Some(Language::literal(&literal(one)?)),
            (Op::StartsWith, [of, with]) if of == unknown => Some(Language::starting_with(&literal(with)?)),
            (Op::EndsWith, [of, with]) if of == unknown => Some(Language::ending_with(&literal(with)?)),
            (Op::Contains, [of, with]) if of == unknown => Some(Language::containing(&literal(with)?)),
            (Op::In, [of, list]) if of == unknown => {
                let Node::Const(Value::List(items)) = list.node() else { return None };
                let texts = items.iter().filter_map(|it| match it {
                    Value::Text(text) => Some(Language::literal(text)),
                    _ => None,
                });
                Some(texts.into_iter().try_fold(Language::none(), |res, it| res.or(&it?)))
            }
            _ => None,
        },
        _ => None,
    }
}

fn fold(
    parts: &[Term],
    start: Language,
    part: impl Fn(&Term) -> Option<Result<Language, String>>,
    combine: impl Fn(&Language, &Language) -> Result<Language, String>,
) -> Option<Result<Language, String>> {
    let parts: Option<Result<Vec<Language>, String>> = parts.iter().map(part).collect();
    Some(parts?.and_then(|parts| parts.iter().try_fold(start, |res, it| combine(&res, it))))
}

/// Texts whose lengths are in a set of few intervals.
fn of_lengths(lengths: &IntSet) -> Option<Result<Language, String>> {
    if lengths.congruence().0 > 1 {
        return None;
    }
    let part = |&(lo, hi): &(i128, i128)| {
        let max = usize::try_from(hi).ok().filter(|_| hi < i128::MAX);
        Language::of_length(usize::try_from(lo).map_err(|_| "a length is too great")?, max)
    };
    let parts = lengths.intervals().iter().map(part);
    Some(parts.into_iter().try_fold(Language::none(), |res, it| res.or(&it?)))
}
