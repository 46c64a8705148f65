//! Domains: what is left for a node of the network.

use std::collections::BTreeSet;
use std::sync::Arc;

use num_bigint::BigUint;

use crate::IntSet;
use crate::flat::Scalar;
use crate::regex::{Count, Language};

/// No text is longer than this.
pub const LENGTH_MAX: i128 = 1 << 40;
/// A language with at most this many texts is spelled out.
const SPELLED_OUT: u64 = 128;
/// Lengths are told apart one by one in a span of at most this many.
const LENGTHS_MAX: i128 = 512;

/// What a node can still be.
#[derive(Clone, Debug, PartialEq)]
pub enum NodeDomain {
    /// Whether it can be false, and true.
    Bool(bool, bool),
    Int(IntSet),
    Text(TextDomain),
}

/// The kinds of domains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DomainKind {
    Bool,
    Int,
    Text,
}

/// Texts: all bounds hold at once.
#[derive(Clone, Debug)]
pub struct TextDomain {
    pub lengths: IntSet,
    /// None for all texts.
    pub language: Option<Arc<Language>>,
    /// All that are left, once they are few.
    pub options: Option<Arc<Vec<Arc<str>>>>,
    /// Texts that are taken out one by one.
    pub banned: Arc<BTreeSet<Arc<str>>>,
    /// The nodes whose language was taken into account already.
    pub applied: Arc<Vec<u32>>,
}

/// Whether anything changed, for those that enqueue.
impl PartialEq for TextDomain {
    fn eq(&self, other: &TextDomain) -> bool {
        let same = match (&self.language, &other.language) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (None, None) => true,
            _ => false,
        };
        same && self.applied.len() == other.applied.len()
            && self.lengths == other.lengths
            && self.options == other.options
            && (Arc::ptr_eq(&self.banned, &other.banned) || self.banned.len() == other.banned.len())
    }
}

impl NodeDomain {
    pub fn kind(&self) -> DomainKind {
        match self {
            NodeDomain::Bool(..) => DomainKind::Bool,
            NodeDomain::Int(_) => DomainKind::Int,
            NodeDomain::Text(_) => DomainKind::Text,
        }
    }

    /// The scalar, if only one is left.
    pub fn single(&self) -> Option<Scalar> {
        match self {
            NodeDomain::Bool(false, true) => Some(Scalar::Bool(true)),
            NodeDomain::Bool(true, false) => Some(Scalar::Bool(false)),
            NodeDomain::Bool(..) => None,
            NodeDomain::Int(set) => set.single().map(Scalar::Int),
            NodeDomain::Text(text) => text.fixed().map(|it| Scalar::Text(it.clone())),
        }
    }

    pub fn is_single(&self) -> bool {
        match self {
            NodeDomain::Bool(a, b) => a != b,
            NodeDomain::Int(set) => set.single().is_some(),
            NodeDomain::Text(text) => text.fixed().is_some(),
        }
    }

    pub fn is_empty(&self) -> bool {
        match self {
            NodeDomain::Bool(a, b) => !a && !b,
            NodeDomain::Int(set) => set.is_empty(),
            NodeDomain::Text(text) => {
                text.lengths.is_empty() || text.options.as_ref().is_some_and(|it| it.is_empty())
            }
        }
    }

    /// All members, if they are few and known.
    pub fn members(&self, limit: usize) -> Option<Vec<Scalar>> {
        match self {
            NodeDomain::Bool(no, yes) => {
                let both = [(no, false), (yes, true)];
                Some(both.iter().filter(|it| *it.0).map(|it| Scalar::Bool(it.1)).collect())
            }
            NodeDomain::Int(set) => {
                (set.count() <= limit as u128).then(|| set.iter().map(Scalar::Int).collect())
            }
            NodeDomain::Text(text) => {
                let options = text.options.as_ref().filter(|it| it.len() <= limit)?;
                Some(options.iter().map(|it| Scalar::Text(it.clone())).collect())
            }
        }
    }
}

impl TextDomain {
    /// Every text.
    pub fn any() -> TextDomain {
        let lengths = IntSet::range(0, LENGTH_MAX);
        TextDomain { lengths, language: None, options: None, banned: Arc::default(), applied: Arc::default() }
    }

    /// One text.
    pub fn one(text: Arc<str>) -> TextDomain {
        let length = text.chars().count() as i128;
        let lengths = IntSet::range(length, length);
        TextDomain { lengths, options: Some(Arc::new(vec![text])), ..TextDomain::any() }
    }

    /// The text, if only one is left.
    pub fn fixed(&self) -> Option<&Arc<str>> {
        match self.options.as_deref().map(Vec::as_slice) {
            Some([one]) => Some(one),
            _ => None,
        }
    }

    /// Whether a text is left.
    pub fn admits(&self, text: &str) -> bool {
        self.lengths.contains(text.chars().count() as i128)
            && !self.banned.contains(text)
            && self.options.as_ref().is_none_or(|it| it.iter().any(|it| &**it == text))
            && self.language.as_ref().is_none_or(|it| it.contains(text))
    }

    /// Only these, as far as they are left.
    pub fn only(&mut self, texts: impl IntoIterator<Item = Arc<str>>) {
        let mut kept: Vec<Arc<str>> = Vec::new();
        for text in texts {
            if self.admits(&text) && !kept.contains(&text) {
                kept.push(text);
            }
        }
        if self.options.as_ref().is_some_and(|it| it.len() == kept.len()) {
            return;
        }
        let lengths = IntSet::of(kept.iter().map(|it| it.chars().count() as i128));
        self.lengths = lengths;
        self.options = Some(Arc::new(kept));
        self.language = None;
        self.banned = Arc::default();
    }

    /// Only texts of these lengths.
    pub fn with_lengths(&mut self, lengths: &IntSet) {
        let left = self.lengths.intersect(lengths);
        if left != self.lengths {
            self.lengths = left;
            self.refresh();
        }
    }

    /// Not this one.
    pub fn ban(&mut self, text: &Arc<str>) {
        if !self.admits(text) {
            return;
        }
        if self.options.is_some() {
            Arc::make_mut(&mut self.banned).insert(text.clone());
            self.refresh();
        } else if text.is_empty() {
            self.with_lengths(&IntSet::range(1, LENGTH_MAX));
        } else {
            Arc::make_mut(&mut self.banned).insert(text.clone());
        }
    }

    /// Only texts of a language. The error says what was too large; then nothing is taken out.
    pub fn within(&mut self, language: &Arc<Language>) -> Result<(), String> {
        if self.options.is_none() {
            let both = match &self.language {
                Some(own) if Arc::ptr_eq(own, language) => return Ok(()),
                Some(own) => Arc::new(own.and(language)?),
                None => language.clone(),
            };
            let lengths = both.lengths();
            self.language = Some(both.clone());
            self.lengths = lengths_within(&self.lengths, lengths);
            if let Count::Finite(count) = both.count()
                && count <= BigUint::from(SPELLED_OUT)
            {
                let count = u64::try_from(&count).unwrap_or(0);
                let all: Vec<Arc<str>> =
                    (0..count).filter_map(|it| both.nth(&BigUint::from(it))).map(Into::into).collect();
                self.only(all);
            }
        } else if let Some(options) = self.options.clone() {
            let kept: Vec<_> = options.iter().filter(|it| language.contains(it)).cloned().collect();
            self.only(kept);
        }
        Ok(())
    }

    /// Takes out of the options what is not left.
    fn refresh(&mut self) {
        if let Some(options) = self.options.clone() {
            let kept: Vec<_> = options.iter().filter(|it| self.admits(it)).cloned().collect();
            self.only(kept);
        } else if self.lengths.max() == Some(0) {
            self.only(["".into()]);
        }
    }
}

/// Those of some lengths that a language has.
fn lengths_within(of: &IntSet, lengths: &crate::regex::Lengths) -> IntSet {
    let (Some(min), Some(max)) = (of.min(), of.max()) else { return IntSet::empty() };
    let Some(first) = lengths.next_at_least(min as usize) else { return IntSet::empty() };
    let max = lengths.max().map_or(max, |it| max.min(it as i128));
    let clipped = of.clip(first as i128, max);
    match (clipped.min(), clipped.max()) {
        (Some(lo), Some(hi)) if hi - lo <= LENGTHS_MAX => {
            IntSet::of(clipped.iter().filter(|it| lengths.contains(*it as usize)))
        }
        _ => clipped,
    }
}
