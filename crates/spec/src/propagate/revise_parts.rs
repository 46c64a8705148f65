//! What a node says about its parts, and they about it: order, places and pieces of texts. All of these are regular
//! languages once the other arguments are known.

use std::sync::Arc;

use super::network::{Network, NodeOp, Revision};
use super::revise_text::apply;
use crate::IntSet;
use crate::flat::Scalar;
use crate::regex::{Language, Regex};

/// Longer texts are compared when both are known: their languages would be large.
const COMPARED_MAX: usize = 64;
/// Pieces that begin or end further on are looked at when the whole is known.
const PLACE_MAX: i128 = 256;

/// Narrows the domains of a node and of its parts.
pub(super) fn revise(net: &mut Network, node: u32, op: &NodeOp) -> Revision {
    match op {
        NodeOp::TextLt(a, b) => order(net, node, *a, *b),
        NodeOp::IndexOf(a, b) => place(net, node, *a, *b),
        NodeOp::Substr(of, start, length) => piece(net, node, *of, *start, *length),
        _ => Ok(()),
    }
}

fn order(net: &mut Network, node: u32, a: u32, b: u32) -> Revision {
    let (x, y) = (net.text(a).fixed().cloned(), net.text(b).fixed().cloned());
    let Some(holds) = net.truth(node) else {
        return match (x, y) {
            (Some(x), Some(y)) => net.set_bool(node, x < y),
            _ => Ok(()),
        };
    };
    if let Some(y) = y.filter(|it| it.len() <= COMPARED_MAX)
        && !net.text(a).applied.contains(&node)
    {
        let less = before(&y, false).map(|it| if holds { it } else { it.not() });
        apply(net, node, a, less.map(Arc::new))?;
    }
    if let Some(x) = x.filter(|it| it.len() <= COMPARED_MAX)
        && !net.text(b).applied.contains(&node)
    {
        // What comes after a text is neither before it nor the text itself.
        let not_after = before(&x, true);
        let language = not_after.map(|it| if holds { it.not() } else { it });
        apply(net, node, b, language.map(Arc::new))?;
    }
    Ok(())
}

/// The texts that are less by code points, or perhaps the same: those that it begins with, and those that first differ
/// in a lesser character. One pattern is much cheaper than the union of all of these.
fn before(text: &str, or_same: bool) -> Result<Language, String> {
    let mut rest = String::new();
    for (place, char) in text.char_indices().rev() {
        let same = if or_same || place + char.len_utf8() < text.len() {
            Some(format!("\\x{{{:X}}}{rest}", char as u32))
        } else {
            None
        };
        // Surrogates are no characters.
        let last = if char == '\u{E000}' { Some(0xD7FF) } else { (char as u32).checked_sub(1) };
        let lesser = last.map(|last| format!("[\\x00-\\x{{{last:X}}}].*"));
        let either: Vec<String> = [lesser, same].into_iter().flatten().collect();
        rest = format!("(?:{})?", either.join("|"));
    }
    if text.is_empty() && !or_same {
        return Ok(Language::none());
    }
    let regex = Regex::new(&format!("(?s){rest}")).map_err(|it| it.to_string())?;
    Ok((*regex.language()?).clone())
}

fn any_of_length(min: i128, max: i128) -> Result<Language, String> {
    Language::of_length(min.max(0) as usize, Some(max.max(0) as usize))
}

fn place(net: &mut Network, node: u32, a: u32, b: u32) -> Revision {
    if let (Some(x), Some(y)) = (net.text(a).fixed(), net.text(b).fixed()) {
        let found = x.find(&**y).map_or(-1, |it| x[..it].chars().count() as i128);
        return net.clip(node, found, found);
    }
    let (longest, shortest) =
        (net.text(a).lengths.max().unwrap_or(0), net.text(b).lengths.min().unwrap_or(0));
    net.clip(node, -1, (longest - shortest).max(-1))?;
    let (Some(at), Some(what)) = (net.int(node).single(), net.text(b).fixed().cloned()) else {
        return Ok(());
    };
    if net.text(a).applied.contains(&node) || at > PLACE_MAX {
        return Ok(());
    }
    let first_at = || {
        if at < 0 {
            return Ok(Language::containing(&what)?.not());
        }
        let rest = Language::literal(&what)?.concat(&Language::any())?;
        let here = any_of_length(at, at)?.concat(&rest)?;
        if at == 0 {
            return Ok(here);
        }
        here.and(&any_of_length(0, at - 1)?.concat(&rest)?.not())
    };
    apply(net, node, a, first_at().map(Arc::new))
}

fn piece(net: &mut Network, node: u32, of: u32, start: u32, length: u32) -> Revision {
    let most = net.int(length).max().unwrap_or(0).max(0);
    let whole = net.text(of).lengths.max().unwrap_or(0);
    let rest = (whole - net.int(start).min().unwrap_or(0).max(0)).max(0);
    net.change(node, |it| it.with_lengths(&IntSet::range(0, most.min(rest))))?;
    let (Some(from), Some(many)) = (net.int(start).single(), net.int(length).single()) else { return Ok(()) };
    if from < 0 || many < 0 {
        return Ok(());
    }
    if let Some(text) = net.text(of).fixed() {
        let part: String = text.chars().skip(from as usize).take(many as usize).collect();
        return net.fix(node, &Scalar::Text(part.into()));
    }
    let part = net.text(node);
    let own = match (part.fixed(), &part.language) {
        (Some(it), _) => Language::literal(it),
        (None, Some(language)) => Ok((**language).clone()),
        _ => return Ok(()),
    };
    if net.text(of).applied.contains(&node) || from + many > PLACE_MAX {
        return Ok(());
    }
    let around = || {
        let own = own?;
        let before = any_of_length(from, from)?;
        let full = before.concat(&own.and(&any_of_length(many, many)?)?)?.concat(&Language::any())?;
        // A text that ends within the piece cuts it short, and one that ends before it leaves nothing.
        let cut = if many > 0 { own.and(&any_of_length(0, many - 1)?)? } else { Language::none() };
        let cut = before.concat(&cut)?;
        let short = if own.contains("") && from > 0 { any_of_length(0, from - 1)? } else { Language::none() };
        full.or(&cut)?.or(&short)
    };
    let whole: Result<Language, String> = around();
    // A language is taken up once; what narrows it later shows when the whole is known.
    apply(net, node, of, whole.map(Arc::new))
}
