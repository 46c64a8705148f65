//! The network: requirements as nodes with domains, and their propagation to a fixpoint.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use super::domain::{DomainKind, NodeDomain, TextDomain};
use super::revise;
use crate::IntSet;
use crate::flat::{Expr, ExprNode, Scalar, Slot, SlotKind};
use crate::regex::{Language, Regex};

/// A requirement with one open slot is checked for every value of the slot if there are at most this many.
const CHECKED_MAX: usize = 256;

/// Propagation ends after this many revisions, and this many more for every node: what it did holds, but is not all.
const REVISIONS_FIRST: usize = 1024;
const REVISIONS_PER_NODE: usize = 16;

/// The caller is asked whether to stop after this many revisions. One of a text counts for many: it can make automata.
const POLLED_EVERY: usize = 64;
const REVISIONS_OF_TEXT: usize = 16;

/// There is no model here.
#[derive(Clone, Copy, Debug)]
pub struct Conflict;

pub type Revision = Result<(), Conflict>;

/// Nodes with domains. The first nodes are the slots; every other node is an operation on nodes before it.
#[derive(Clone)]
pub struct Network {
    pub nodes: Vec<Arc<NodeOp>>,
    parents: Vec<Vec<u32>>,
    numbers: HashMap<Expr, u32>,
    pub domains: Vec<NodeDomain>,
    pub slots: usize,
    /// What was required and could not be taken into the domains.
    pub roots: Vec<Root>,
    roots_of: Vec<Vec<u32>>,
    /// Former domains, to go back to.
    trail: Vec<(u32, NodeDomain)>,
    /// The length of the trail when a node's domain was last saved.
    saved: Vec<usize>,
    levels: Vec<usize>,
    queue: VecDeque<u32>,
    queued: Vec<bool>,
    touched: Vec<u32>,
    scratch: Vec<Scalar>,
    /// Whether propagation ended before it was done since this was last reset.
    pub cut_short: bool,
    /// Whether the caller said to stop since this was last reset; what was still to be revised is kept then.
    pub stopped: bool,
    complements: HashMap<String, Arc<Language>>,
    /// What could not be handled exactly, for reports.
    pub notes: Vec<String>,
}

/// A requirement.
#[derive(Clone)]
pub struct Root {
    pub expr: Expr,
    pub node: u32,
    pub slots: Arc<[u32]>,
    /// Whether propagation leaves its last open slot exactly the values that fit.
    is_exact: bool,
}

/// An operation on nodes; mirrors [`ExprNode`].
#[derive(Clone, Debug)]
pub enum NodeOp {
    Leaf,
    And(Box<[u32]>),
    Or(Box<[u32]>),
    Not(u32),
    Ite(u32, u32, u32),
    Eq(u32, u32),
    /// The first is at most the second plus a whole number.
    Le(u32, u32, i128),
    Add(Box<[u32]>),
    Mul(u32, u32),
    Div(u32, u32),
    Mod(u32, u32),
    Len(u32),
    Concat(Box<[u32]>),
    StartsWith(u32, u32),
    EndsWith(u32, u32),
    Contains(u32, u32),
    TextLt(u32, u32),
    IndexOf(u32, u32),
    Substr(u32, u32, u32),
    /// What is looked at only when all its slots are known.
    Opaque(Expr, Arc<[u32]>, Box<[u32]>),
    Matches(u32, Arc<Regex>),
}

impl Network {
    pub fn new(slots: &[Slot]) -> Network {
        let mut network = Network {
            nodes: Vec::new(),
            parents: Vec::new(),
            numbers: HashMap::new(),
            domains: Vec::new(),
            slots: slots.len(),
            roots: Vec::new(),
            roots_of: vec![Vec::new(); slots.len()],
            trail: Vec::new(),
            saved: Vec::new(),
            levels: Vec::new(),
            queue: VecDeque::new(),
            queued: Vec::new(),
            touched: Vec::new(),
            scratch: vec![Scalar::Bool(false); slots.len()],
            cut_short: false,
            stopped: false,
            complements: HashMap::new(),
            notes: Vec::new(),
        };
        for (number, slot) in (0..).zip(slots) {
            let domain = match slot.kind {
                SlotKind::Bool => NodeDomain::Bool(true, true),
                SlotKind::Int { lo, hi } => NodeDomain::Int(IntSet::range(lo, hi)),
                SlotKind::Text => NodeDomain::Text(TextDomain::any()),
            };
            network.node(Expr::slot(number), NodeOp::Leaf, domain);
        }
        network
    }

    /// Requires one thing more, at the outermost level.
    pub fn require(&mut self, expr: &Expr) -> Revision {
        let node = self.compile(expr);
        let slots: Arc<[u32]> = expr.slots().into();
        let root = self.roots.len() as u32;
        slots.iter().for_each(|it| self.roots_of[*it as usize].push(root));
        let is_exact = is_exact(expr) && occurrences(expr) == slots.len();
        self.roots.push(Root { expr: expr.clone(), node, slots, is_exact });
        self.touched.push(root);
        self.set_bool(node, true)
    }

    fn node(&mut self, expr: Expr, op: NodeOp, domain: NodeDomain) -> u32 {
        let number = self.nodes.len() as u32;
        op.parts().iter().for_each(|it| self.parents[*it as usize].push(number));
        self.nodes.push(Arc::new(op));
        self.parents.push(Vec::new());
        self.domains.push(domain);
        self.saved.push(usize::MAX);
        self.queued.push(false);
        self.numbers.insert(expr, number);
        self.enqueue(number);
        number
    }

    fn compile(&mut self, expr: &Expr) -> u32 {
        use ExprNode as E;
        if let Some(number) = self.numbers.get(expr) {
            return *number;
        }
        let (truth, int) =
            (NodeDomain::Bool(true, true), NodeDomain::Int(IntSet::range(i128::MIN, i128::MAX)));
        let text = || NodeDomain::Text(TextDomain::any());
        let (op, domain) = match expr.node() {
            E::Const(Scalar::Bool(it)) => (NodeOp::Leaf, NodeDomain::Bool(!it, *it)),
            E::Const(Scalar::Int(it)) => (NodeOp::Leaf, NodeDomain::Int(IntSet::range(*it, *it))),
            E::Const(Scalar::Text(it)) => (NodeOp::Leaf, NodeDomain::Text(TextDomain::one(it.clone()))),
            // A slot that does not exist: nothing is known about it.
            E::Slot(_) => (NodeOp::Leaf, truth),
            E::And(of) => (NodeOp::And(self.compile_all(of)), truth),
            E::Or(of) => (NodeOp::Or(self.compile_all(of)), truth),
            E::Not(of) => (NodeOp::Not(self.compile(of)), truth),
            E::Ite(c, a, b) => {
                let (c, a, b) = (self.compile(c), self.compile(a), self.compile(b));
                let domain = match self.domains[a as usize] {
                    NodeDomain::Bool(..) => truth,
                    NodeDomain::Int(_) => int,
                    NodeDomain::Text(_) => text(),
                };
                (NodeOp::Ite(c, a, b), domain)
            }
            E::Eq(a, b) => (NodeOp::Eq(self.compile(a), self.compile(b)), truth),
            E::Le(a, b) => (NodeOp::Le(self.compile(a), self.compile(b), 0), truth),
            E::Lt(a, b) => (NodeOp::Le(self.compile(a), self.compile(b), -1), truth),
            E::Add(of) => (NodeOp::Add(self.compile_all(of)), int),
            E::Mul(a, b) => (NodeOp::Mul(self.compile(a), self.compile(b)), int),
            E::Div(a, b) => (NodeOp::Div(self.compile(a), self.compile(b)), int),
            E::Mod(a, b) => (NodeOp::Mod(self.compile(a), self.compile(b)), int),
            E::Len(of) => (NodeOp::Len(self.compile(of)), int),
            E::Concat(of) => (NodeOp::Concat(self.compile_all(of)), text()),
            E::StartsWith(a, b) => (NodeOp::StartsWith(self.compile(a), self.compile(b)), truth),
            E::EndsWith(a, b) => (NodeOp::EndsWith(self.compile(a), self.compile(b)), truth),
            E::Contains(a, b) => (NodeOp::Contains(self.compile(a), self.compile(b)), truth),
            E::Matches(of, regex) => (NodeOp::Matches(self.compile(of), regex.clone()), truth),
            E::TextLt(a, b) => (NodeOp::TextLt(self.compile(a), self.compile(b)), truth),
            E::IndexOf(a, b) => (NodeOp::IndexOf(self.compile(a), self.compile(b)), int),
            E::Substr(a, b, c) => (NodeOp::Substr(self.compile(a), self.compile(b), self.compile(c)), text()),
            E::EditsAtLeast(..) => {
                let parts: Vec<Expr> = expr.parts().into_iter().cloned().collect();
                (NodeOp::Opaque(expr.clone(), expr.slots().into(), self.compile_all(&parts)), truth)
            }
        };
        if !self.fits(&op) {
            let opaque = NodeOp::Opaque(expr.clone(), expr.slots().into(), op.parts().into());
            return self.node(expr.clone(), opaque, NodeDomain::Bool(true, true));
        }
        self.node(expr.clone(), op, domain)
    }

    /// Whether an operation has arguments of its kinds. Others have a value now and then, which is seen when all slots
    /// are known.
    fn fits(&self, op: &NodeOp) -> bool {
        let kind = |it: u32| self.domains[it as usize].kind();
        let all = |of: &[u32], expected: DomainKind| of.iter().all(|it| kind(*it) == expected);
        match op {
            NodeOp::Leaf | NodeOp::Opaque(..) => true,
            NodeOp::And(of) | NodeOp::Or(of) => all(of, DomainKind::Bool),
            NodeOp::Not(of) => all(&[*of], DomainKind::Bool),
            NodeOp::Ite(c, a, b) => kind(*c) == DomainKind::Bool && kind(*a) == kind(*b),
            NodeOp::Eq(a, b) => kind(*a) == kind(*b),
            NodeOp::Le(a, b, _) | NodeOp::Mul(a, b) | NodeOp::Div(a, b) | NodeOp::Mod(a, b) => {
                all(&[*a, *b], DomainKind::Int)
            }
            NodeOp::Add(of) => all(of, DomainKind::Int),
            NodeOp::Len(of) | NodeOp::Matches(of, _) => all(&[*of], DomainKind::Text),
            NodeOp::Concat(of) => all(of, DomainKind::Text),
            NodeOp::StartsWith(a, b) | NodeOp::EndsWith(a, b) | NodeOp::Contains(a, b) => {
                all(&[*a, *b], DomainKind::Text)
            }
            NodeOp::TextLt(a, b) | NodeOp::IndexOf(a, b) => all(&[*a, *b], DomainKind::Text),
            NodeOp::Substr(of, start, length) => {
                kind(*of) == DomainKind::Text && all(&[*start, *length], DomainKind::Int)
            }
        }
    }

    fn compile_all(&mut self, of: &[Expr]) -> Box<[u32]> {
        of.iter().map(|it| self.compile(it)).collect()
    }

    /// The value of an expression whose slots are all known.
    pub fn value(&mut self, expr: &Expr, slots: &[u32]) -> Option<Scalar> {
        for slot in slots {
            self.scratch[*slot as usize] = self.domains[*slot as usize].single()?;
        }
        expr.eval(&self.scratch)
    }

    /// The language of what a pattern does not match.
    pub fn complement(&mut self, regex: &Regex) -> Result<Arc<Language>, String> {
        if let Some(known) = self.complements.get(regex.pattern()) {
            return Ok(known.clone());
        }
        let language = Arc::new(regex.language()?.not());
        self.complements.insert(regex.pattern().to_string(), language.clone());
        Ok(language)
    }

    fn enqueue(&mut self, node: u32) {
        if !self.queued[node as usize] && !matches!(*self.nodes[node as usize], NodeOp::Leaf) {
            self.queued[node as usize] = true;
            self.queue.push_back(node);
        }
    }

    /// Gives a node a smaller domain.
    pub fn set(&mut self, node: u32, domain: NodeDomain) -> Revision {
        let at = node as usize;
        let empty = domain.is_empty();
        let old = std::mem::replace(&mut self.domains[at], domain);
        if let Some(level) = self.levels.last()
            && (self.saved[at] == usize::MAX || self.saved[at] < *level)
        {
            self.saved[at] = self.trail.len();
            self.trail.push((node, old));
        }
        if empty {
            return Err(Conflict);
        }
        self.enqueue(node);
        for place in 0..self.parents[at].len() {
            self.enqueue(self.parents[at][place]);
        }
        if at < self.slots {
            self.touched.extend_from_slice(&self.roots_of[at]);
        }
        Ok(())
    }

    pub fn int(&self, node: u32) -> &IntSet {
        match &self.domains[node as usize] {
            NodeDomain::Int(set) => set,
            _ => unreachable!("the kinds of expressions fit"),
        }
    }

    pub fn text(&self, node: u32) -> &TextDomain {
        match &self.domains[node as usize] {
            NodeDomain::Text(text) => text,
            _ => unreachable!("the kinds of expressions fit"),
        }
    }

    /// The truth, if it is known.
    pub fn truth(&self, node: u32) -> Option<bool> {
        match self.domains[node as usize] {
            NodeDomain::Bool(false, true) => Some(true),
            NodeDomain::Bool(true, false) => Some(false),
            _ => None,
        }
    }

    pub fn set_bool(&mut self, node: u32, it: bool) -> Revision {
        match self.domains[node as usize] {
            NodeDomain::Bool(true, true) => self.set(node, NodeDomain::Bool(!it, it)),
            NodeDomain::Bool(_, yes) if yes == it => Ok(()),
            _ => Err(Conflict),
        }
    }

    /// Keeps what lies between two numbers.
    pub fn clip(&mut self, node: u32, lo: i128, hi: i128) -> Revision {
        let set = self.int(node);
        match (set.min(), set.max()) {
            (Some(min), Some(max)) if lo <= min && max <= hi => Ok(()),
            _ => {
                let clipped = set.clip(lo, hi);
                self.set(node, NodeDomain::Int(clipped))
            }
        }
    }

    /// Keeps the members of a set.
    pub fn keep(&mut self, node: u32, set: &IntSet) -> Revision {
        let both = self.int(node).intersect(set);
        if both == *self.int(node) { Ok(()) } else { self.set(node, NodeDomain::Int(both)) }
    }

    /// Keeps what leaves a residue.
    pub fn congruent(&mut self, node: u32, residue: i128, modulus: i128) -> Revision {
        if modulus <= 1
            || self.int(node).congruence().0 % modulus == 0
                && self.int(node).congruence().1.rem_euclid(modulus) == residue.rem_euclid(modulus)
        {
            return Ok(());
        }
        let set = self.int(node).congruent(residue, modulus);
        if set == *self.int(node) { Ok(()) } else { self.set(node, NodeDomain::Int(set)) }
    }

    pub fn remove(&mut self, node: u32, it: i128) -> Revision {
        if !self.int(node).contains(it) {
            return Ok(());
        }
        let mut set = self.int(node).clone();
        set.remove(it);
        self.set(node, NodeDomain::Int(set))
    }

    /// Changes a text's domain.
    pub fn change(&mut self, node: u32, by: impl FnOnce(&mut TextDomain)) -> Revision {
        let mut text = self.text(node).clone();
        by(&mut text);
        if text == *self.text(node) { Ok(()) } else { self.set(node, NodeDomain::Text(text)) }
    }

    pub fn note(&mut self, note: String) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Gives a node one value. It has none of another kind.
    pub fn fix(&mut self, node: u32, scalar: &Scalar) -> Revision {
        match (scalar, &self.domains[node as usize]) {
            (Scalar::Bool(it), NodeDomain::Bool(..)) => self.set_bool(node, *it),
            (Scalar::Int(it), NodeDomain::Int(_)) => self.clip(node, *it, *it),
            (Scalar::Text(it), NodeDomain::Text(_)) => self.change(node, |text| text.only([it.clone()])),
            _ => Err(Conflict),
        }
    }

    /// Narrows domains until nothing changes, or the caller says to stop.
    pub fn propagate(&mut self, stop: &dyn Fn() -> bool) -> Revision {
        let done = self.fixpoint(stop);
        if done.is_err() {
            self.clear();
        }
        done
    }

    /// Forgets what was still to be revised, after a conflict.
    pub fn clear(&mut self) {
        self.queue.drain(..).for_each(|it| self.queued[it as usize] = false);
        self.touched.clear();
    }

    fn fixpoint(&mut self, stop: &dyn Fn() -> bool) -> Revision {
        let mut left = REVISIONS_FIRST + REVISIONS_PER_NODE * self.nodes.len();
        let mut unpolled = 0;
        let mut poll = |cost: usize| {
            unpolled += cost;
            unpolled >= POLLED_EVERY && {
                unpolled = 0;
                stop()
            }
        };
        loop {
            while let Some(node) = self.queue.pop_front() {
                self.queued[node as usize] = false;
                if poll(if self.is_about_text(node) { REVISIONS_OF_TEXT } else { 1 }) {
                    self.enqueue(node);
                    self.stopped = true;
                    return Ok(());
                }
                // Bounds that chase each other move by one each time; search or SAT ends that.
                if left > 0 {
                    left -= 1;
                    revise::revise(self, node)?;
                } else {
                    self.cut_short = true;
                }
            }
            let Some(root) = self.touched.pop() else { return Ok(()) };
            if poll(1) {
                self.touched.push(root);
                self.stopped = true;
                return Ok(());
            }
            self.check(root)?;
        }
    }

    fn is_about_text(&self, node: u32) -> bool {
        use NodeOp::*;
        matches!(
            *self.nodes[node as usize],
            Matches(..) | StartsWith(..) | EndsWith(..) | Contains(..) | Concat(_) | Substr(..)
        )
    }

    /// Checks a requirement of which at most one slot is open.
    fn check(&mut self, root: u32) -> Revision {
        let Root { expr, slots, is_exact, .. } = self.roots[root as usize].clone();
        let mut open = None;
        for slot in slots.iter() {
            match self.domains[*slot as usize].single() {
                Some(scalar) => self.scratch[*slot as usize] = scalar,
                None if open.is_some() => return Ok(()),
                None => open = Some(*slot),
            }
        }
        let Some(slot) = open else {
            return if expr.eval_bool(&self.scratch) == Some(true) { Ok(()) } else { Err(Conflict) };
        };
        if is_exact {
            return Ok(());
        }
        let Some(members) = self.domains[slot as usize].members(CHECKED_MAX) else { return Ok(()) };
        let count = members.len();
        let mut kept = Vec::new();
        for member in members {
            self.scratch[slot as usize] = member.clone();
            if expr.eval_bool(&self.scratch) == Some(true) {
                kept.push(member);
            }
        }
        if kept.len() == count {
            return Ok(());
        }
        match &kept[..] {
            [] => Err(Conflict),
            [one] => self.fix(slot, one),
            [Scalar::Int(_), ..] => {
                let ints =
                    kept.iter().filter_map(|it| if let Scalar::Int(it) = it { Some(*it) } else { None });
                self.set(slot, NodeDomain::Int(IntSet::of(ints)))
            }
            [Scalar::Text(_), ..] => {
                let texts: Vec<Arc<str>> = kept
                    .iter()
                    .filter_map(|it| if let Scalar::Text(it) = it { Some(it.clone()) } else { None })
                    .collect();
                self.change(slot, |text| text.only(texts))
            }
            [Scalar::Bool(_), ..] => Ok(()),
        }
    }

    /// Enters a level that [`undo`](Network::undo) leaves.
    pub fn enter(&mut self) {
        self.levels.push(self.trail.len());
    }

    /// Goes back to where the innermost level was entered.
    pub fn undo(&mut self) {
        let length = self.levels.pop().unwrap_or(0);
        while self.trail.len() > length {
            let (node, domain) = self.trail.pop().expect("it is longer");
            self.domains[node as usize] = domain;
            self.saved[node as usize] = usize::MAX;
        }
    }
}

/// Whether an expression is of those whose bounds tell all when one slot is open, given that no slot occurs twice.
fn is_exact(expr: &Expr) -> bool {
    let is_leaf = |it: &Expr| matches!(it.node(), ExprNode::Slot(_) | ExprNode::Const(_));
    match expr.node() {
        ExprNode::And(of) | ExprNode::Or(of) => of.iter().all(is_exact),
        ExprNode::Le(a, b) | ExprNode::Lt(a, b) | ExprNode::Eq(a, b) => is_linear(a) && is_linear(b),
        // A value that is taken out of a sum leaves no hole in its parts.
        ExprNode::Not(of) => match of.node() {
            ExprNode::Eq(a, b) => is_leaf(a) && is_leaf(b),
            _ => is_leaf(of),
        },
        _ => is_leaf(expr),
    }
}

fn is_linear(expr: &Expr) -> bool {
    match expr.node() {
        ExprNode::Slot(_) | ExprNode::Const(_) => true,
        ExprNode::Add(of) => of.iter().all(is_linear),
        ExprNode::Mul(a, b) => a.as_int().is_some() && is_linear(b),
        _ => false,
    }
}

/// How often slots occur.
fn occurrences(expr: &Expr) -> usize {
    match expr.node() {
        ExprNode::Slot(_) => 1,
        _ => expr.parts().into_iter().map(occurrences).sum(),
    }
}

impl NodeOp {
    pub fn parts(&self) -> Vec<u32> {
        match self {
            NodeOp::Leaf => Vec::new(),
            NodeOp::And(of)
            | NodeOp::Or(of)
            | NodeOp::Add(of)
            | NodeOp::Concat(of)
            | NodeOp::Opaque(_, _, of) => of.to_vec(),
            NodeOp::Not(a) | NodeOp::Len(a) | NodeOp::Matches(a, _) => vec![*a],
            NodeOp::Ite(a, b, c) | NodeOp::Substr(a, b, c) => vec![*a, *b, *c],
            NodeOp::Eq(a, b)
            | NodeOp::Le(a, b, _)
            | NodeOp::Mul(a, b)
            | NodeOp::Div(a, b)
            | NodeOp::Mod(a, b) => vec![*a, *b],
            NodeOp::StartsWith(a, b) | NodeOp::EndsWith(a, b) | NodeOp::Contains(a, b) => vec![*a, *b],
            NodeOp::TextLt(a, b) | NodeOp::IndexOf(a, b) => vec![*a, *b],
        }
    }
}
