//! Conditions as a list of steps, to be computed many times under different values of the variables.

use crate::expr::{Dag, Expr, ExprNode, Op, Var, apply, mask};

/// One node of the graph, with its arguments as places in the list (0: none).
#[derive(Clone, Copy, Debug)]
pub(super) struct ProgramStep {
    pub(super) expr: Expr,
    pub(super) node: ExprNode,
    pub(super) args: [u32; 3],
    widths: [u8; 3],
    /// Whether it is one of the conditions.
    is_condition: bool,
    /// The variables it depends on, as bits; those from the 64th on share the last bit.
    depends: u64,
}

/// What marks the nodes that are in a program already.
#[derive(Debug, Default)]
pub(super) struct Marks {
    stamp: u32,
    /// When it was in a program, and where, by the number of the node.
    seen: Vec<(u32, u32)>,
    stack: Vec<Expr>,
    fresh: Vec<Expr>,
}

/// The steps that compute some conditions, arguments first.
#[derive(Debug)]
pub(super) struct ConditionProgram {
    /// ProgramStep 0 represents no argument.
    pub(super) steps: Vec<ProgramStep>,
    /// The variables, and which step they are.
    pub(super) vars: Vec<(Var, u32)>,
    /// The conditions' steps, in the order in which they were given.
    pub(super) conditions: Vec<u32>,
    /// Whether floats are computed.
    pub(super) has_floats: bool,
    /// The value of each step; those of variables are set by the caller.
    pub(super) values: Vec<u128>,
}

impl ConditionProgram {
    /// The steps for `conditions`. What the first of them need comes first. Variables have their values of the run.
    pub(super) fn new(dag: &Dag, marks: &mut Marks, conditions: &[Expr]) -> ConditionProgram {
        marks.stamp += 1;
        if marks.seen.len() <= dag.len() {
            marks.seen.resize(dag.len() + 1, (0, 0));
        }
        let nothing = ExprNode { op: Op::Const, width: 0, args: [Expr::NONE; 3] };
        let nothing = ProgramStep {
            expr: Expr::NONE,
            node: nothing,
            args: [0; 3],
            widths: [0; 3],
            is_condition: false,
            depends: 0,
        };
        let mut program = ConditionProgram {
            steps: vec![nothing],
            vars: Vec::new(),
            conditions: Vec::with_capacity(conditions.len()),
            has_floats: false,
            values: vec![0],
        };
        for &condition in conditions {
            program.append(dag, marks, condition);
            let at = marks.seen[condition.index()].1;
            program.steps[at as usize].is_condition = true;
            program.conditions.push(at);
        }
        program
    }

    fn append(&mut self, dag: &Dag, marks: &mut Marks, condition: Expr) {
        let Marks { stamp, seen, stack, fresh } = marks;
        fresh.clear();
        stack.push(condition);
        while let Some(e) = stack.pop() {
            if seen[e.index()].0 == *stamp {
                continue;
            }
            seen[e.index()].0 = *stamp;
            fresh.push(e);
            stack.extend(dag.node(e).args.iter().filter(|it| it.is_some()));
        }
        // Arguments have smaller numbers.
        fresh.sort_unstable();
        for &e in &*fresh {
            let at = self.steps.len() as u32;
            seen[e.index()].1 = at;
            let node = dag.node(e);
            let args = node.args.map(|it| if it.is_some() { seen[it.index()].1 } else { 0 });
            let mut depends = args.iter().fold(0, |all, it| all | self.steps[*it as usize].depends);
            if let Op::Var(var) = node.op {
                depends = 1 << self.vars.len().min(63);
                self.vars.push((dag.vars()[var as usize], at));
            }
            self.has_floats |= matches!(node.op, Op::Float(_));
            let widths = node.args.map(|it| dag.width(it));
            self.steps.push(ProgramStep { expr: e, node, args, widths, is_condition: false, depends });
            self.values.push(dag.value(e));
        }
    }

    /// Whether all conditions are true under the values of the variables. Stops at the first that is not: the
    /// values of the steps behind it are stale then.
    pub(super) fn holds(&mut self, dag: &Dag) -> bool {
        for at in 1..self.steps.len() {
            self.step(dag, at);
            if self.steps[at].is_condition && self.values[at] == 0 {
                return false;
            }
        }
        true
    }

    /// Computes the values of all steps that depend on the variables in `changed` (bits: see [`ConditionProgram::bit`]).
    pub(super) fn compute(&mut self, dag: &Dag, changed: u64) {
        for at in 1..self.steps.len() {
            if self.steps[at].depends & changed != 0 {
                self.step(dag, at);
            }
        }
    }

    /// The bit of variable number `var` of `vars`.
    pub(super) fn bit(var: usize) -> u64 {
        1 << var.min(63)
    }

    /// Gives variable number `var` of `vars` a value.
    pub(super) fn set(&mut self, var: usize, value: u128) {
        let (var, at) = self.vars[var];
        self.values[at as usize] = value & mask(var.width);
    }

    /// The value of variable number `var` of `vars`.
    pub(super) fn get(&self, var: usize) -> u128 {
        self.values[self.vars[var].1 as usize]
    }

    /// The variables whose values differ from those of the run, with their values.
    pub(super) fn changes(&self, dag: &Dag) -> Vec<(u32, u128)> {
        let all = self.vars.iter().map(|&(var, at)| (var.index, at as usize));
        all.filter(|&(_, at)| self.values[at] != dag.value(self.steps[at].expr))
            .map(|(index, at)| (index, self.values[at]))
            .collect()
    }

    #[inline]
    fn step(&mut self, dag: &Dag, at: usize) {
        let step = &self.steps[at];
        let values = &self.values;
        let value = match step.node.op {
            Op::Const | Op::Var(_) => return,
            Op::Table(table) => dag.table_entry(table, values[step.args[0] as usize]),
            _ => {
                let [a, b, c] = step.args;
                apply(&step.node, [values[a as usize], values[b as usize], values[c as usize]], step.widths)
            }
        };
        self.values[at] = value;
    }
}
