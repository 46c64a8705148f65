//! Goals that see only a few bits of what is computed below them, as of a hash that a table is looked up with: if none
//! of the values of those bits makes a goal true, nothing does.

use crate::expr::{Dag, Expr, Op, apply};

/// This many bits are tried with all their values.
const BITS_MAX: u32 = 10;
/// This many nodes are looked at below a goal.
const NODES_MAX: usize = 192;

/// Whether `goal` is false whatever the values of some nodes are that all of its variables are seen through. Proves
/// something if it is true, nothing else.
pub(super) fn excludes(dag: &Dag, goal: Expr) -> bool {
    // The nodes that the goal is seen through, and those above them. The greatest is replaced by its arguments, so
    // that no node is met again.
    let mut seen = vec![goal]; // in order
    let mut above = Vec::new();
    let mut best: Option<(Vec<Expr>, usize)> = None;
    while above.len() < NODES_MAX {
        let is_inner = |it: &Expr| !matches!(dag.node(*it).op, Op::Var(_));
        let Some(at) = seen.iter().rposition(is_inner) else { break };
        let next = seen.remove(at);
        above.push(next);
        for arg in dag.node(next).args {
            if arg.is_some()
                && !dag.is_constant(arg)
                && let Err(at) = seen.binary_search(&arg)
            {
                seen.insert(at, arg);
            }
        }
        let bits: u32 = seen.iter().map(|it| u32::from(dag.width(*it))).sum();
        if bits <= BITS_MAX {
            best = Some((seen.clone(), above.len()));
        }
    }
    let Some((cut, count)) = best else { return false };
    above.truncate(count);
    above.reverse();
    is_never(dag, &cut, &above, goal)
}

/// Whether the last of `above`, the goal, is 0 for all values of `cut`.
fn is_never(dag: &Dag, cut: &[Expr], above: &[Expr], goal: Expr) -> bool {
    let place = |e: Expr| match cut.binary_search(&e) {
        Ok(at) => Some(at),
        Err(_) => above.binary_search(&e).ok().map(|at| cut.len() + at),
    };
    let args: Vec<[Option<usize>; 3]> = above.iter().map(|it| dag.node(*it).args.map(place)).collect();
    let mut values = vec![0; cut.len() + above.len()];
    let bits: u32 = cut.iter().map(|it| u32::from(dag.width(*it))).sum();
    for combination in 0u128..1 << bits {
        let mut rest = combination;
        for (at, e) in cut.iter().enumerate() {
            let width = dag.width(*e);
            values[at] = rest & crate::expr::mask(width);
            rest >>= width;
        }
        for (at, &e) in above.iter().enumerate() {
            let node = dag.node(e);
            let value = |it: usize| match args[at][it] {
                Some(place) => values[place],
                None if node.args[it].is_some() => dag.value(node.args[it]),
                None => 0,
            };
            values[cut.len() + at] = match node.op {
                Op::Table(table) => dag.table_entry(table, value(0)),
                _ => apply(&node, [value(0), value(1), value(2)], node.args.map(|it| dag.width(it))),
            };
        }
        if values[values.len() - 1] == 1 {
            return false;
        }
    }
    debug_assert_eq!(above.last(), Some(&goal));
    true
}
