//! The rendered inputs of a case, as a pattern that other cases are compared with.

use super::Pattern;
use super::tree::TextNode;
use super::words::parse;
use crate::Input;

/// How long the text of an input may be for places in it to be shown.
const TEXT_MAX: usize = 1 << 14;

/// Inputs that become a pattern as what differs in others is marked.
#[derive(Clone, Debug, Default)]
pub(super) struct InputPattern(Vec<Shown>);

#[derive(Clone, Debug)]
struct Shown {
    name: Option<&'static str>,
    text: String,
    /// `None` where no place in the text can be shown: it is too long, or differs each time.
    tree: Option<TextNode>,
}

impl InputPattern {
    pub(super) fn new(inputs: &[Input]) -> Self {
        let shown = |it: &Input| Shown {
            name: it.name,
            text: it.text.clone(),
            tree: (it.text.len() <= TEXT_MAX).then(|| parse(&it.text)),
        };
        InputPattern(inputs.iter().map(shown).collect())
    }

    pub(super) fn has_braces(&self) -> bool {
        self.0.iter().any(|it| it.text.contains('{'))
    }

    /// Compares with another rendering of the same inputs: of a hash map with texts that no order explains,
    /// say, no place can be shown.
    pub(super) fn note_order(&mut self, again: &[Input]) {
        for (it, other) in self.0.iter_mut().zip(again) {
            if it.tree.is_some() && it.differs(other) {
                it.tree = None;
            }
        }
    }

    /// Whether the two have the same inputs, apart from their values.
    pub(super) fn comparable(&self, others: &[Input]) -> bool {
        self.0.iter().map(|it| it.name).eq(others.iter().map(|it| it.name))
    }

    /// Whether the pattern does not match others.
    pub(super) fn differs(&self, others: &[Input]) -> bool {
        self.0.iter().zip(others).any(|(it, other)| it.differs(other))
    }

    /// Marks what differs in others.
    pub(super) fn keep_common(&mut self, others: &[Input]) {
        for (it, other) in self.0.iter_mut().zip(others) {
            if let Some(common) = it.common(other) {
                it.tree = Some(common);
            }
        }
    }

    /// Whether anything is marked.
    pub(super) fn varies(&self) -> bool {
        self.0.iter().any(Shown::varies)
    }

    /// The inputs with `_` in the place of what is marked.
    pub(super) fn patterns(&self) -> Vec<Pattern> {
        let pattern = |it: &Shown| Pattern {
            name: it.name,
            text: it.tree.as_ref().map_or_else(|| it.text.clone(), TextNode::text),
            varies: it.varies(),
        };
        self.0.iter().map(pattern).collect()
    }
}

impl Shown {
    /// What the two have in common, where it is less than before and can be shown.
    fn common(&self, other: &Input) -> Option<TextNode> {
        let tree = self.tree.as_ref().filter(|_| self.text != other.text && other.text.len() <= TEXT_MAX)?;
        Some(tree.common(&parse(&other.text))).filter(|it| it != tree)
    }

    fn differs(&self, other: &Input) -> bool {
        match self.tree {
            Some(_) => self.common(other).is_some() || other.text.len() > TEXT_MAX,
            None => false,
        }
    }

    fn varies(&self) -> bool {
        self.tree.as_ref().is_some_and(|it| it.is_marked())
    }
}
