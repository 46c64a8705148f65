//! Texts of a spec: which language and which lengths its requirements leave.

use std::sync::Arc;

use super::terms::{holds, is_it};
use crate::narrow::{TermReading, numbers, texts};
use crate::regex::Language;
use crate::regex::answers::Answers;
use crate::regex::texts::{TextAutomaton, TextKind, Texts, is_walkable, up_to_most};
use crate::{IntSet, Node, NumericKind, Op, Shape, Spec, Term, Value};

/// Some texts, and what was required of their lengths.
#[derive(Debug, Clone)]
pub(super) struct SpecTexts {
    texts: Texts,
    terms: Arc<[Term]>,
}

impl SpecTexts {
    /// The texts for which the terms hold, and the terms that are left to be checked; the error says that there is
    /// none.
    pub(super) fn new(terms: &[Term]) -> Result<(SpecTexts, Vec<Term>), String> {
        let (mut lens, mut rest) = (Vec::new(), Vec::new());
        let mut language: Option<Arc<Language>> = None;
        let mut too_large = None;
        for term in terms {
            if let Some(it) = of_length(term) {
                lens.push(it);
                continue;
            }
            let both = texts(term, &Term::it()).and_then(Result::ok).and_then(|it| match &language {
                Some(before) => before.and(&it).ok().map(Arc::new),
                None => Some(it),
            });
            match (both, term.node()) {
                (Some(it), _) => language = Some(it),
                (None, Node::Matches(of, regex)) if is_it(of) && too_large.is_none() => {
                    too_large = Some(Arc::clone(regex));
                }
                _ => rest.push(term.clone()),
            }
        }
        let none = || {
            let terms: Vec<String> = terms.iter().map(ToString::to_string).collect();
            format!("no text satisfies {}; relax one of them", terms.join(" and "))
        };
        // An automaton so large that its lengths are not known is of no use.
        if language.as_ref().is_some_and(|it| !it.is_empty() && !is_walkable(it)) {
            too_large = terms.iter().find_map(|it| match it.node() {
                Node::Matches(of, regex) if is_it(of) => Some(Arc::clone(regex)),
                _ => None,
            });
        }
        let kind = match (language, too_large) {
            (None, None) => TextKind::Any,
            (Some(language), None) => TextKind::Walk(Arc::new(TextAutomaton::new(language))),
            (_, Some(regex)) => {
                let is_other = |it: &&Term| !matches!(it.node(), Node::Matches(_, it) if *it == regex);
                rest = terms.iter().filter(is_other).cloned().collect();
                lens.clear();
                TextKind::Of(regex)
            }
        };
        let texts = SpecTexts::of_kind(kind, lens.into()).ok_or_else(none)?;
        Ok((texts, rest))
    }

    /// Texts whose lengths satisfy all terms; none where there is none.
    fn of_kind(kind: TextKind, terms: Arc<[Term]>) -> Option<SpecTexts> {
        let texts = match &kind {
            TextKind::Any => of_lengths(kind, 0.., &terms)?,
            TextKind::Walk(walk) => {
                let walk = Arc::clone(walk);
                of_lengths(kind, walk.language().lengths().iter(), &terms)?
            }
            TextKind::Of(regex) => Texts::of_pattern(Arc::clone(regex)),
        };
        Some(SpecTexts { texts, terms })
    }

    /// The same texts of which all terms, which are about their length, hold; the error is that there is none, and
    /// none where a term is about more.
    pub(super) fn narrowed(&self, terms: &[Term]) -> Option<Result<SpecTexts, ()>> {
        let lens = terms.iter().map(of_length).collect::<Option<Vec<_>>>()?;
        match self.texts.kind() {
            TextKind::Of(_) => None,
            kind => {
                let terms = self.terms.iter().cloned().chain(lens).collect();
                Some(SpecTexts::of_kind(kind.clone(), terms).ok_or(()))
            }
        }
    }

    pub(super) fn draw(&self, answers: &mut Answers, wanted: Option<&str>) -> Option<String> {
        self.texts.draw(answers, wanted)
    }
}

/// Texts of those lengths for which all terms hold; none where there is none.
fn of_lengths(kind: TextKind, all: impl Iterator<Item = usize>, terms: &[Term]) -> Option<Texts> {
    let (most, all) = up_to_most(all)?;
    let most = most as i128;
    let spec = Spec::new(Shape::int(0, most));
    let reading = TermReading { unknown: &Term::it(), kind: NumericKind::Int, spec: Some(&spec) };
    let (mut set, mut rest) = (IntSet::range(0, most), Vec::new());
    for term in terms {
        match numbers(&reading, term, &set) {
            Some(it) => set = it,
            None => rest.push(term),
        }
    }
    let is_good = |it: usize| rest.iter().all(|term| holds(term, &spec, &Value::Int(it as i128)));
    let last = set.max()?.max(0) as usize;
    let good =
        all.take_while(|it| *it <= last).filter(|it| set.contains(*it as i128)).filter(|it| is_good(*it));
    Texts::of_lengths(kind, good)
}

/// What a term that is about the length of `it` alone says of that number.
fn of_length(term: &Term) -> Option<Term> {
    let to_it = |it: &Term| matches!(it.node(), Node::Apply(Op::Len, of) if is_it(&of[0])).then(Term::it);
    let is_other = term.rewrite(&|it| to_it(it).map(|_| Term::always())).mentions(&is_it);
    (!is_other).then(|| term.rewrite(&to_it))
}
