//! How nodes and sets of variables are kept, each once.

use std::collections::HashMap;
use std::sync::Arc;

use super::facts::{Facts, facts_of};
use super::{Dag, Expr, ExprNode, Fixed, FloatOp, Op, apply};

/// Finds nodes by what they are: open addressing, at most half full. An entry is the upper half of the hash above
/// the number of the node; 0 is free.
#[derive(Debug)]
pub(super) struct NodeIndex {
    slots: Vec<u64>,
    used: usize,
}

impl NodeIndex {
    pub(super) fn new() -> NodeIndex {
        NodeIndex { slots: vec![0; 1 << 10], used: 0 }
    }

    fn insert(&mut self, hash: u64, e: Expr) {
        if self.used * 2 >= self.slots.len() {
            self.grow();
        }
        self.used += 1;
        self.put((hash & !0xffff_ffff) | u64::from(e.0));
    }

    fn put(&mut self, entry: u64) {
        let last = self.slots.len() - 1;
        let mut at = (entry >> 32) as usize & last;
        while self.slots[at] != 0 {
            at = (at + 1) & last;
        }
        self.slots[at] = entry;
    }

    fn grow(&mut self) {
        let slots = std::mem::take(&mut self.slots);
        self.slots = vec![0; slots.len() * 2];
        for entry in slots {
            if entry != 0 {
                self.put(entry);
            }
        }
    }
}

/// Sets of variables, sorted, each once. Set 0 is empty.
#[derive(Debug)]
pub(super) struct Sets {
    sets: Vec<Arc<[u32]>>,
    ids: HashMap<Arc<[u32]>, u32, Fixed>,
    /// Unions computed lately: two sets and theirs. Most nodes join what others joined before.
    lately: Vec<(u32, u32, u32)>,
}

/// How many unions are remembered: a power of two.
const LATELY: usize = 1 << 10;

impl Sets {
    pub(super) fn new() -> Sets {
        let empty: Arc<[u32]> = Arc::new([]);
        let mut ids = HashMap::default();
        ids.insert(Arc::clone(&empty), 0);
        Sets { sets: vec![empty], ids, lately: vec![(0, 0, 0); LATELY] }
    }

    pub(super) fn members(&self, set: u32) -> &[u32] {
        &self.sets[set as usize]
    }

    pub(super) fn id(&mut self, set: &[u32]) -> u32 {
        if let Some(&known) = self.ids.get(set) {
            return known;
        }
        let id = self.sets.len() as u32;
        let set: Arc<[u32]> = set.into();
        self.sets.push(Arc::clone(&set));
        self.ids.insert(set, id);
        id
    }

    pub(super) fn union(&mut self, a: u32, b: u32) -> u32 {
        if a == b || b == 0 {
            return a;
        }
        if a == 0 {
            return b;
        }
        let (a, b) = (a.min(b), a.max(b));
        let slot = (a.wrapping_mul(0x9e37_79b9).rotate_left(16) ^ b) as usize & (LATELY - 1);
        let (x, y, known) = self.lately[slot];
        if x == a && y == b {
            return known;
        }
        let union = merge(&self.sets[a as usize], &self.sets[b as usize]);
        let id = self.id(&union);
        self.lately[slot] = (a, b, id);
        id
    }
}

fn merge(a: &[u32], b: &[u32]) -> Vec<u32> {
    let mut all = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        let (x, y) = (a[i], b[j]);
        all.push(x.min(y));
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    all.extend_from_slice(&a[i..]);
    all.extend_from_slice(&b[j..]);
    all
}

/// What distinguishes operations.
fn code(op: Op) -> u64 {
    let (code, of) = match op {
        Op::Const => (0, 0),
        Op::Var(at) => (1, at),
        Op::Not => (2, 0),
        Op::And => (3, 0),
        Op::Or => (4, 0),
        Op::Xor => (5, 0),
        Op::Add => (6, 0),
        Op::Sub => (7, 0),
        Op::Mul => (8, 0),
        Op::UDiv => (9, 0),
        Op::URem => (10, 0),
        Op::SDiv => (11, 0),
        Op::SRem => (12, 0),
        Op::Shl => (13, 0),
        Op::LShr => (14, 0),
        Op::AShr => (15, 0),
        Op::Concat => (16, 0),
        Op::Extract(low) => (17, low.into()),
        Op::ZExt => (18, 0),
        Op::SExt => (19, 0),
        Op::Ite => (20, 0),
        Op::Eq => (21, 0),
        Op::Ult => (22, 0),
        Op::Slt => (23, 0),
        Op::Table(at) => (24, at),
        Op::Float(op) => (25, float_code(op)),
    };
    u64::from(of) << 8 | code
}

fn float_code(op: FloatOp) -> u32 {
    match op {
        FloatOp::Add => 0,
        FloatOp::Sub => 1,
        FloatOp::Mul => 2,
        FloatOp::Div => 3,
        FloatOp::Sqrt => 4,
        FloatOp::Min => 5,
        FloatOp::Max => 6,
        FloatOp::Eq => 7,
        FloatOp::Less => 8,
        FloatOp::Unordered => 9,
        FloatOp::FromInt(to) => 10 | u32::from(to) << 8,
        FloatOp::Convert(to) => 11 | u32::from(to) << 8,
        FloatOp::Truncate(to) => 12 | u32::from(to) << 8,
        FloatOp::ToInt(to) => 13 | u32::from(to) << 8,
        FloatOp::Round(how) => 14 | u32::from(how) << 8,
        FloatOp::Library(function) => 15 | (function as u32) << 8,
    }
}

fn hash(node: &ExprNode, constant: u128) -> u64 {
    const BY: u64 = 0x9e37_79b9_7f4a_7c15;
    let [a, b, c] = node.args;
    let mut hash = (code(node.op) << 8 | u64::from(node.width)).wrapping_mul(BY);
    hash = (hash.rotate_left(23) ^ (u64::from(a.0) << 32 | u64::from(b.0))).wrapping_mul(BY);
    hash = (hash.rotate_left(23) ^ (constant as u64) ^ u64::from(c.0)).wrapping_mul(BY);
    hash = (hash.rotate_left(23) ^ (constant >> 64) as u64).wrapping_mul(BY);
    hash ^ (hash << 32)
}

impl Dag {
    /// A graph without nodes.
    pub fn new() -> Dag {
        let nothing = ExprNode { op: Op::Const, width: 0, args: [Expr::NONE; 3] };
        Dag {
            nodes: vec![nothing],
            values: vec![0],
            facts: vec![Facts::constant(0, 1)],
            supports: vec![0],
            index: NodeIndex::new(),
            sets: Sets::new(),
            vars: Vec::new(),
            var_exprs: Vec::new(),
            tables: Vec::new(),
            table_ids: HashMap::default(),
            depth: 0,
            fuel: 0,
        }
    }

    fn find(&self, hash: u64, node: &ExprNode, constant: u128) -> Option<Expr> {
        let slots = &self.index.slots;
        let last = slots.len() - 1;
        let mut at = (hash >> 32) as usize & last;
        loop {
            let entry = slots[at];
            if entry == 0 {
                return None;
            }
            if entry >> 32 == hash >> 32 {
                let e = Expr(entry as u32);
                if self.nodes[e.index()] == *node
                    && (!matches!(node.op, Op::Const) || self.values[e.index()] == constant)
                {
                    return Some(e);
                }
            }
            at = (at + 1) & last;
        }
    }

    /// The node, if it is there already.
    pub(super) fn known(&self, op: Op, width: u8, args: [Expr; 3]) -> Option<Expr> {
        let node = ExprNode { op, width, args };
        self.find(hash(&node, 0), &node, 0)
    }

    /// A constant or a variable: what has no arguments.
    pub(super) fn leaf(&mut self, op: Op, value: u128, facts: Facts, width: u8, support: u32) -> Expr {
        let node = ExprNode { op, width, args: [Expr::NONE; 3] };
        let constant = if matches!(op, Op::Const) { value } else { 0 };
        let hash = hash(&node, constant);
        match self.find(hash, &node, constant) {
            Some(known) => known,
            None => self.push(hash, node, value, facts, support),
        }
    }

    fn push(&mut self, hash: u64, node: ExprNode, value: u128, facts: Facts, support: u32) -> Expr {
        let e = Expr(self.nodes.len() as u32);
        self.nodes.push(node);
        self.values.push(value);
        self.facts.push(facts);
        self.supports.push(support);
        self.index.insert(hash, e);
        e
    }

    /// The node as it is, or the constant that it is known to be.
    pub(super) fn make(&mut self, op: Op, width: u8, args: [Expr; 3]) -> Expr {
        let node = ExprNode { op, width, args };
        let hash = hash(&node, 0);
        if let Some(known) = self.find(hash, &node, 0) {
            return known;
        }
        let [a, b, c] = args;
        let values = [self.values[a.index()], self.values[b.index()], self.values[c.index()]];
        let value = match op {
            Op::Table(table) => self.table_entry(table, values[0]),
            _ => apply(&node, values, [self.width(a), self.width(b), self.width(c)]),
        };
        if self.is_constant(a) && self.is_constant(b) && self.is_constant(c) {
            return self.constant(value, width);
        }
        let facts = facts_of(self, &node);
        if facts.min == facts.max {
            return self.constant(facts.min, width);
        }
        let mut support = self.supports[a.index()];
        if b.is_some() {
            support = self.sets.union(support, self.supports[b.index()]);
        }
        if c.is_some() {
            support = self.sets.union(support, self.supports[c.index()]);
        }
        self.push(hash, node, value, facts, support)
    }

    /// Whether a constructor may simplify by way of others; then it has to [`leave`](Dag::leave). Bounds both the
    /// stack and the time: the same node may be reached on very many ways.
    #[inline(always)]
    pub(super) fn enter(&mut self) -> bool {
        const DEPTH: u32 = 40;
        const FUEL: u32 = 400;
        if self.depth == 0 {
            self.fuel = FUEL;
        }
        if self.depth >= DEPTH || self.fuel == 0 {
            return false;
        }
        self.depth += 1;
        self.fuel -= 1;
        true
    }

    #[inline(always)]
    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }

    pub(super) fn intern_table(&mut self, entries: &[u128]) -> u32 {
        if let Some(&known) = self.table_ids.get(entries) {
            return known;
        }
        let id = self.tables.len() as u32;
        let entries: Arc<[u128]> = entries.into();
        self.tables.push(Arc::clone(&entries));
        self.table_ids.insert(entries, id);
        id
    }

    pub(super) fn set_of(&mut self, var: u32) -> u32 {
        self.sets.id(&[var])
    }

    pub(crate) fn table_entry(&self, table: u32, at: u128) -> u128 {
        let entries = &self.tables[table as usize];
        if at < entries.len() as u128 { entries[at as usize] } else { 0 }
    }
}
