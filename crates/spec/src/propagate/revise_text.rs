//! What a node says about its parts, and they about it: texts.

use std::sync::Arc;

use super::domain::{LENGTH_MAX, TextDomain};
use super::network::{Conflict, Network, NodeOp, Revision};
use super::{IntSet, revise_parts};
use crate::regex::Language;

/// Texts are spelled out while there are at most this many.
const OPTIONS_MAX: usize = 512;

/// Narrows the domains of a node over texts and of its parts.
pub(super) fn revise(net: &mut Network, node: u32, op: &NodeOp) -> Revision {
    match op {
        NodeOp::Len(of) => {
            let lengths = net.text(*of).lengths.clone();
            net.keep(node, &lengths)?;
            let lengths = net.int(node).clone();
            net.change(*of, |text| text.with_lengths(&lengths))
        }
        NodeOp::Matches(of, regex) => {
            let Some(holds) = net.truth(node) else {
                return decided(net, node, *of, &|it| regex.is_match(it));
            };
            if net.text(*of).applied.contains(&node) {
                return Ok(());
            }
            let language = if holds { regex.language() } else { net.complement(regex) };
            apply(net, node, *of, language)
        }
        NodeOp::StartsWith(a, b) => affix(net, node, *a, *b, &Affix::PREFIX),
        NodeOp::EndsWith(a, b) => affix(net, node, *a, *b, &Affix::SUFFIX),
        NodeOp::Contains(a, b) => affix(net, node, *a, *b, &Affix::INFIX),
        NodeOp::Concat(of) => concat(net, node, of),
        _ => revise_parts::revise(net, node, op),
    }
}

/// Two texts that are equal.
pub(super) fn unify(net: &mut Network, a: u32, b: u32) -> Revision {
    let (x, y) = (net.text(a).clone(), net.text(b).clone());
    // Both get the very same language, so that the next time nothing changes.
    let language = match (&x.language, &y.language) {
        (Some(x), Some(y)) if Arc::ptr_eq(x, y) => None,
        (Some(x), Some(y)) => match x.and(y) {
            Ok(both) => Some(Arc::new(both)),
            Err(note) => {
                net.note(note);
                None
            }
        },
        (x, y) => x.clone().or_else(|| y.clone()),
    };
    for (node, from) in [(a, &y), (b, &x)] {
        net.change(node, |to| {
            to.with_lengths(&from.lengths);
            if let Some(options) = &from.options {
                to.only(options.iter().cloned());
            } else if let (Some(language), None) = (&language, &to.options) {
                to.language = None;
                // Without another language there is nothing to meet, so this cannot fail.
                let _ = to.within(language);
            }
        })?;
    }
    Ok(())
}

/// Whether two texts can be equal, as far as it is cheap to tell.
pub(super) fn meet(a: &TextDomain, b: &TextDomain) -> bool {
    match (&a.options, &b.options) {
        (Some(options), _) => options.iter().any(|it| b.admits(it)),
        (_, Some(options)) => options.iter().any(|it| a.admits(it)),
        _ => !a.lengths.intersect(&b.lengths).is_empty(),
    }
}

/// Takes a language into account, once.
pub(super) fn apply(
    net: &mut Network,
    node: u32,
    of: u32,
    language: Result<Arc<Language>, String>,
) -> Revision {
    let mut note = None;
    net.change(of, |text| {
        note = language.and_then(|it| text.within(&it)).err();
        Arc::make_mut(&mut text.applied).push(node);
    })?;
    note.into_iter().for_each(|it| net.note(it));
    Ok(())
}

/// Decides a truth about a text when all that are left agree on it.
fn decided(net: &mut Network, node: u32, of: u32, holds: &dyn Fn(&str) -> bool) -> Revision {
    let Some(options) = net.text(of).options.clone() else { return Ok(()) };
    match options.iter().filter(|it| holds(it)).count() {
        0 => net.set_bool(node, false),
        count if count == options.len() => net.set_bool(node, true),
        _ => Ok(()),
    }
}

/// One of the ways that a text can be part of another.
struct Affix {
    holds: fn(&str, &str) -> bool,
    language: fn(&str) -> Result<Language, String>,
    /// All parts of a text.
    parts: fn(&str) -> Vec<Arc<str>>,
}

impl Affix {
    const PREFIX: Affix = Affix {
        holds: |a, b| a.starts_with(b),
        language: Language::starting_with,
        parts: |text| boundaries(text).into_iter().map(|it| text[..it].into()).collect(),
    };
    const SUFFIX: Affix = Affix {
        holds: |a, b| a.ends_with(b),
        language: Language::ending_with,
        parts: |text| boundaries(text).into_iter().map(|it| text[it..].into()).collect(),
    };
    const INFIX: Affix = Affix {
        holds: |a, b| a.contains(b),
        language: Language::containing,
        parts: |text| {
            let places = boundaries(text);
            let from = |(i, start): (usize, &usize)| {
                places[i..].iter().map(|end| text[*start..*end].into()).collect::<Vec<_>>()
            };
            places.iter().enumerate().flat_map(from).collect()
        },
    };
}

/// Where characters begin, and the end.
fn boundaries(text: &str) -> Vec<usize> {
    text.char_indices().map(|it| it.0).chain([text.len()]).collect()
}

fn affix(net: &mut Network, node: u32, a: u32, b: u32, kind: &Affix) -> Revision {
    let (whole, part) = (net.text(a).fixed().cloned(), net.text(b).fixed().cloned());
    let Some(holds) = net.truth(node) else {
        if let Some(part) = part {
            return decided(net, node, a, &|it| (kind.holds)(it, &part));
        }
        if let Some(whole) = whole {
            return decided(net, node, b, &|it| (kind.holds)(&whole, it));
        }
        let (longest, shortest) = (net.text(a).lengths.max(), net.text(b).lengths.min());
        return if longest < shortest { net.set_bool(node, false) } else { Ok(()) };
    };
    if holds {
        let (longest, shortest) = (net.text(a).lengths.max(), net.text(b).lengths.min());
        let (longest, shortest) = (longest.ok_or(Conflict)?, shortest.ok_or(Conflict)?);
        net.change(a, |it| it.with_lengths(&IntSet::range(shortest, LENGTH_MAX)))?;
        net.change(b, |it| it.with_lengths(&IntSet::range(0, longest)))?;
    }
    if let Some(whole) = whole {
        // The parts of a long text are many; then they are checked when the part is known.
        if whole.len() > OPTIONS_MAX {
            return Ok(());
        }
        let parts = (kind.parts)(&whole);
        if holds {
            return net.change(b, |it| it.only(parts));
        }
        return net.change(b, |it| parts.iter().for_each(|part| it.ban(part)));
    }
    if let Some(part) = part
        && !net.text(a).applied.contains(&node)
    {
        let language = (kind.language)(&part);
        let language = if holds { language } else { language.map(|it| it.not()) };
        return apply(net, node, a, language.map(Arc::new));
    }
    Ok(())
}

fn concat(net: &mut Network, node: u32, of: &[u32]) -> Revision {
    lengths(net, node, of)?;
    let parts: Vec<Option<Arc<str>>> = of.iter().map(|it| net.text(*it).fixed().cloned()).collect();
    if let Some(all) = parts.iter().cloned().collect::<Option<Vec<_>>>() {
        let whole: String = all.iter().map(|it| &**it).collect();
        return net.change(node, |it| it.only([whole.into()]));
    }
    let Some(whole) = net.text(node).fixed().cloned() else { return Ok(()) };
    let known = |of: &[Option<Arc<str>>]| of.iter().flatten().map(|it| &**it).collect::<String>();
    let first = parts.iter().position(Option::is_none).ok_or(Conflict)?;
    let last = parts.iter().rposition(Option::is_none).ok_or(Conflict)?;
    let rest = whole.strip_prefix(&*known(&parts[..first])).ok_or(Conflict)?;
    let rest = rest.strip_suffix(&*known(&parts[last + 1..])).ok_or(Conflict)?;
    if first == last {
        return net.change(of[first], |it| it.only([rest.into()]));
    }
    if rest.len() > OPTIONS_MAX {
        return Ok(());
    }
    net.change(of[first], |it| it.only((Affix::PREFIX.parts)(rest)))?;
    net.change(of[last], |it| it.only((Affix::SUFFIX.parts)(rest)))
}

/// Lengths of a concatenation add up.
fn lengths(net: &mut Network, node: u32, of: &[u32]) -> Revision {
    let ends = |net: &Network, it: u32| {
        let lengths = &net.text(it).lengths;
        (lengths.min().unwrap_or(0), lengths.max().unwrap_or(0))
    };
    let total = of.iter().map(|it| ends(net, *it)).fold((0, 0), |sum, it| (sum.0 + it.0, sum.1 + it.1));
    net.change(node, |it| it.with_lengths(&IntSet::range(total.0, total.1)))?;
    let (lo, hi) = ends(net, node);
    for part in of {
        let own = ends(net, *part);
        let range = IntSet::range(lo - (total.1 - own.1), hi - (total.0 - own.0));
        net.change(*part, |it| it.with_lengths(&range))?;
    }
    Ok(())
}
