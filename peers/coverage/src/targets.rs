//! What is tested: parsers as they are, and needles.

use std::hint::black_box;

/// Bytes in, and whether they are what nobody should find.
pub type Target = fn(&[u8]) -> bool;

pub const TARGETS: &[(&str, Target)] =
    &[("json", json), ("markdown", markdown), ("regex", regex), ("nested", nested)];

pub fn named(name: &str) -> Result<Target, String> {
    let found = TARGETS.iter().find(|it| it.0 == name);
    found.map(|it| it.1).ok_or_else(|| format!("there is no target `{name}`"))
}

#[inline(never)]
pub fn json(bytes: &[u8]) -> bool {
    black_box(serde_json::from_slice::<serde_json::Value>(bytes).is_ok());
    false
}

#[inline(never)]
fn markdown(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    let options = pulldown_cmark::Options::all();
    black_box(pulldown_cmark::Parser::new_ext(text, options).count());
    false
}

#[inline(never)]
fn regex(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    black_box(regex_syntax::parse(text).is_ok());
    false
}

#[inline(never)]
fn nested(bytes: &[u8]) -> bool {
    let at = |n: usize| black_box(bytes.get(n).copied().unwrap_or(0));
    if at(0) == b'F' && at(1) == b'U' {
        if at(2) == b'Z' {
            return at(3) == b'Z';
        }
    }
    false
}
