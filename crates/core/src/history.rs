//! The tree of traces tried.

use crate::{Domain, Trace, Value};

/// How many nodes the tree may have: about 30 MB. Longer histories know only what was tried to the
/// letter.
const NODES_MAX: usize = 1 << 18;

/// Every trace that was tried, as a tree: traces with the same beginning share it.
///
/// A test that stops early decides for all longer lists of answers with the same beginning, so the
/// tree knows about more replays than were run.
///
/// ```
/// use probity_core::{Choice, Domain, History, Trace, Value};
/// let mut history = History::default();
/// let choice = Choice { domain: Domain::int(0, 9), value: Value::Int(3) };
/// history.insert(&Trace { choices: vec![choice], spans: vec![] });
/// assert!(history.knows(&[Value::Int(3)]));
/// assert!(history.knows(&[Value::Int(3), Value::Bool(true)]), "the second answer was never asked for");
/// assert!(!history.knows(&[Value::Int(4)]));
/// ```
#[derive(Clone, Debug)]
pub struct History {
    nodes: Vec<TrieNode>,
    /// Hashes of all lists of answers that were tried, those that the tree has no room for included, in order.
    tried: Vec<u64>,
}

/// A point between two choices.
#[derive(Clone, Debug, Default)]
struct TrieNode {
    /// What is asked here; nothing was yet where it is absent.
    domain: Option<Domain>,
    /// Where each answer leads. Few answers are ever tried at one point, so a list will do.
    next: Vec<(Value, u32)>,
    /// Whether a case ended here.
    ended: bool,
}

impl Default for History {
    fn default() -> Self {
        History { nodes: vec![TrieNode::default()], tried: Vec::new() }
    }
}

impl History {
    /// Adds the trace of a case.
    pub fn insert(&mut self, trace: &Trace) {
        self.note(&trace.values());
        if self.nodes.len() + trace.choices.len() > NODES_MAX {
            return;
        }
        let mut at = 0;
        for choice in &trace.choices {
            let known = self.nodes[at].next.iter().find(|it| it.0 == choice.value).map(|it| it.1);
            let next = known.unwrap_or_else(|| {
                let new = self.nodes.len() as u32;
                self.nodes.push(TrieNode::default());
                let node = &mut self.nodes[at];
                node.domain = Some(choice.domain.clone());
                node.next.push((choice.value, new));
                new
            });
            at = next as usize;
        }
        self.nodes[at].ended = true;
    }

    /// Takes note that `values` were replayed, whatever the case made of them.
    ///
    /// ```
    /// use probity_core::{History, Value};
    /// let mut history = History::default();
    /// history.note(&[Value::Int(300)]); // it was out of range, say, so that its trace has another answer
    /// assert!(history.knows(&[Value::Int(300)]));
    /// ```
    pub fn note(&mut self, values: &[Value]) {
        let hash = hash(values);
        if let Err(at) = self.tried.binary_search(&hash) {
            self.tried.insert(at, hash);
        }
    }

    /// Whether a replay of `values`, with the simplest answers behind them, is known to repeat a case.
    pub fn knows(&self, values: &[Value]) -> bool {
        if self.tried.binary_search(&hash(values)).is_ok() {
            return true;
        }
        let mut at = 0;
        let mut values = values.iter();
        loop {
            let node = &self.nodes[at];
            if node.ended {
                return true;
            }
            let Some(domain) = &node.domain else { return false };
            let value = values.next().map_or_else(|| domain.simplest(), |&it| domain.fit(it));
            match node.next.iter().find(|it| it.0 == value) {
                Some(next) => at = next.1 as usize,
                None => return false,
            }
        }
    }
}

fn hash(values: &[Value]) -> u64 {
    let mut res = values.len() as u64;
    for value in values {
        let [kind, high, low] = value.words();
        res = crate::rng::hash(crate::rng::hash(res, low), high ^ kind << 60);
    }
    res
}
