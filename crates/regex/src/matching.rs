//! Patterns as generators: what `#[from("..")]` draws.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use probity_core::{Combine, Generator, Source, misuse};

use crate::Regex;
use crate::answers::Answers;
use crate::texts::Texts;

/// Texts that a pattern, as the crate `regex` has them, matches as a whole. They are drawn by the choices that a spec
/// with nothing but that pattern makes, so a trace of one is a trace of the other.
///
/// ```
/// use probity_core::sample;
/// use probity_regex::matching;
/// let time = sample(&matching("(1[0-2]|[1-9]):[0-5][0-9] ?(AM|PM)"), 7);
/// assert!(time.ends_with('M'));
/// ```
#[track_caller]
pub fn matching(pattern: &str) -> Matching {
    thread_local! {
        static CACHE: RefCell<BTreeMap<String, Matching>> = const { RefCell::new(BTreeMap::new()) };
    }
    if let Some(known) = CACHE.with_borrow(|it| it.get(pattern).cloned()) {
        return known;
    }
    let regex = match Regex::new(pattern) {
        Ok(it) => Arc::new(it),
        Err(err) => misuse(format!("the pattern {pattern:?} cannot be used: {err}")),
    };
    let made = Matching { texts: Texts::matching(&regex), regex };
    CACHE.with_borrow_mut(|it| it.insert(pattern.to_string(), made.clone()));
    made
}

/// See [`matching`]. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Matching {
    regex: Arc<Regex>,
    texts: Option<Texts>,
}

impl Generator for Matching {
    type Value = String;

    fn generate(&self, source: &mut Source) -> String {
        let drawn = self.texts.as_ref().and_then(|it| it.draw(&mut Answers::Source(source), None));
        drawn.unwrap_or_else(|| {
            misuse(format!("no text satisfies (matches it {}); relax one of them", self.regex))
        })
    }
}

impl Combine for Matching {}
