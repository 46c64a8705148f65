//! The constructors of expressions. Every one of them may give a simpler expression of the same meaning.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Dag, Expr, FloatOp, Node, Op, Var, apply, mask};

impl Dag {
    /// A graph without nodes.
    pub fn new() -> Dag {
        let nothing = Node { op: Op::Const, width: 0, args: [Expr::NONE; 3] };
        let empty: Arc<[u32]> = Arc::new([]);
        let mut set_ids = HashMap::default();
        set_ids.insert(Arc::clone(&empty), 0);
        Dag {
            nodes: vec![nothing],
            values: vec![0],
            supports: vec![0],
            sets: vec![empty],
            set_ids,
            vars: Vec::new(),
            var_exprs: Vec::new(),
            tables: Vec::new(),
            table_ids: HashMap::default(),
            ids: HashMap::default(),
        }
    }

    fn intern(&mut self, node: Node, value: u128, support: u32) -> Expr {
        let key = if node.op == Op::Const { value } else { 0 };
        if let Some(&known) = self.ids.get(&(node, key)) {
            return known;
        }
        let e = Expr(self.nodes.len() as u32);
        self.nodes.push(node);
        self.values.push(value);
        self.supports.push(support);
        self.ids.insert((node, key), e);
        e
    }

    fn make(&mut self, op: Op, width: u8, args: [Expr; 3]) -> Expr {
        let node = Node { op, width, args };
        let values = args.map(|it| self.values[it.index()]);
        let widths = args.map(|it| self.nodes[it.index()].width);
        let value = match op {
            Op::Table(table) => self.table_entry(table, values[0]),
            _ => apply(&node, values, widths),
        };
        if args.iter().all(|&it| it.is_none() || self.is_constant(it)) {
            return self.constant(value, width);
        }
        let support = args.iter().fold(0, |set, it| self.union(set, self.supports[it.index()]));
        self.intern(node, value, support)
    }

    fn union(&mut self, a: u32, b: u32) -> u32 {
        if a == b || b == 0 {
            return a;
        }
        if a == 0 {
            return b;
        }
        let mut all: Vec<u32> =
            self.sets[a as usize].iter().chain(&*self.sets[b as usize]).copied().collect();
        all.sort_unstable();
        all.dedup();
        self.set(all.into())
    }

    fn set(&mut self, set: Arc<[u32]>) -> u32 {
        if let Some(&known) = self.set_ids.get(&set) {
            return known;
        }
        let id = self.sets.len() as u32;
        self.sets.push(Arc::clone(&set));
        self.set_ids.insert(set, id);
        id
    }

    pub(crate) fn table_entry(&self, table: u32, at: u128) -> u128 {
        let entries = &self.tables[table as usize];
        usize::try_from(at).ok().and_then(|at| entries.get(at)).copied().unwrap_or(0)
    }

    /// The constant `value` of `width` bits (what is above them is cut off).
    pub fn constant(&mut self, value: u128, width: u8) -> Expr {
        self.intern(Node { op: Op::Const, width, args: [Expr::NONE; 3] }, value & mask(width), 0)
    }

    /// One bit.
    pub fn truth(&mut self, value: bool) -> Expr {
        self.constant(value.into(), 1)
    }

    /// A variable with its value in the run. The same variable is the same expression.
    pub fn var(&mut self, var: Var, value: u128) -> Expr {
        if let Some(at) = self.vars.iter().position(|it| it.index == var.index) {
            return self.var_exprs[at];
        }
        let at = self.vars.len() as u32;
        self.vars.push(var);
        let support = self.set([var.index].into());
        let node = Node { op: Op::Var(at), width: var.width, args: [Expr::NONE; 3] };
        let e = self.intern(node, value & mask(var.width), support);
        self.var_exprs.push(e);
        e
    }

    /// `!a`
    pub fn not(&mut self, a: Expr) -> Expr {
        self.make(Op::Not, self.width(a), [a, Expr::NONE, Expr::NONE])
    }

    /// One of `And`, `Or`, `Xor`, `Add`, `Sub`, `Mul`, `UDiv`, `URem`, `SDiv`, `SRem`, `Shl`, `LShr`, `AShr`, of
    /// arguments of the same width.
    pub fn binary(&mut self, op: Op, a: Expr, b: Expr) -> Expr {
        debug_assert_eq!(self.width(a), self.width(b), "{op:?}");
        self.make(op, self.width(a), [a, b, Expr::NONE])
    }

    /// `high` above `low`.
    pub fn concat(&mut self, high: Expr, low: Expr) -> Expr {
        self.make(Op::Concat, self.width(high) + self.width(low), [high, low, Expr::NONE])
    }

    /// The bits `low..=high` of `a`.
    pub fn extract(&mut self, a: Expr, high: u8, low: u8) -> Expr {
        debug_assert!(low <= high && high < self.width(a));
        if low == 0 && high + 1 == self.width(a) {
            return a;
        }
        self.make(Op::Extract(low), high - low + 1, [a, Expr::NONE, Expr::NONE])
    }

    /// `a` with zeroes above, up to `width` bits.
    pub fn zext(&mut self, a: Expr, width: u8) -> Expr {
        if width == self.width(a) { a } else { self.make(Op::ZExt, width, [a, Expr::NONE, Expr::NONE]) }
    }

    /// `a` with copies of its sign above, up to `width` bits.
    pub fn sext(&mut self, a: Expr, width: u8) -> Expr {
        if width == self.width(a) { a } else { self.make(Op::SExt, width, [a, Expr::NONE, Expr::NONE]) }
    }

    /// `a` cut off, or with zeroes above, to have `width` bits.
    pub fn resize(&mut self, a: Expr, width: u8) -> Expr {
        if width < self.width(a) { self.extract(a, width - 1, 0) } else { self.zext(a, width) }
    }

    /// `condition ? a : b`
    pub fn ite(&mut self, condition: Expr, a: Expr, b: Expr) -> Expr {
        self.make(Op::Ite, self.width(a), [condition, a, b])
    }

    /// `a == b`
    pub fn eq(&mut self, a: Expr, b: Expr) -> Expr {
        self.make(Op::Eq, 1, [a, b, Expr::NONE])
    }

    /// `a < b`, unsigned
    pub fn ult(&mut self, a: Expr, b: Expr) -> Expr {
        self.make(Op::Ult, 1, [a, b, Expr::NONE])
    }

    /// `a <= b`, unsigned
    pub fn ule(&mut self, a: Expr, b: Expr) -> Expr {
        let more = self.ult(b, a);
        self.not(more)
    }

    /// `a < b`, signed
    pub fn slt(&mut self, a: Expr, b: Expr) -> Expr {
        self.make(Op::Slt, 1, [a, b, Expr::NONE])
    }

    /// `a <= b`, signed
    pub fn sle(&mut self, a: Expr, b: Expr) -> Expr {
        let more = self.slt(b, a);
        self.not(more)
    }

    /// Entry number `at` of `entries`, each of `width` bits; 0 beyond them.
    pub fn table(&mut self, at: Expr, entries: Arc<[u128]>, width: u8) -> Expr {
        let id = match self.table_ids.get(&entries) {
            Some(&known) => known,
            None => {
                let id = self.tables.len() as u32;
                self.tables.push(Arc::clone(&entries));
                self.table_ids.insert(entries, id);
                id
            }
        };
        self.make(Op::Table(id), width, [at, Expr::NONE, Expr::NONE])
    }

    /// A computation on floats; `b` is NONE where there is one operand.
    pub fn float(&mut self, op: FloatOp, a: Expr, b: Expr) -> Expr {
        let width = match op {
            FloatOp::Eq | FloatOp::Less | FloatOp::Unordered => 1,
            FloatOp::FromInt(to) | FloatOp::Convert(to) | FloatOp::Truncate(to) | FloatOp::ToInt(to) => to,
            _ => self.width(a),
        };
        self.make(Op::Float(op), width, [a, b, Expr::NONE])
    }

    /// The least and the greatest value of `e`, unsigned, as far as is known without the path.
    pub fn range(&self, e: Expr) -> (u128, u128) {
        match self.node(e).op {
            Op::Const => (self.value(e), self.value(e)),
            Op::Var(at) => (self.vars[at as usize].min, self.vars[at as usize].max),
            _ => (0, mask(self.width(e))),
        }
    }
}
