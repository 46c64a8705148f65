//! Questions to a solver as SMT-LIB 2 text, to compare ours with others.

use std::fmt::Write;

use super::{Dag, Expr, Op};

/// A complete script, of logic `QF_BV`, that asks whether all of `conditions` (one bit each) can be true at once.
/// `None` where they depend on floats.
///
/// Every node is written once, so the text is as long as the graph is large.
///
/// ```
/// use probity_concolic::expr::{Dag, Op, Var, smt_lib};
/// let mut dag = Dag::new();
/// let x = dag.var(Var { index: 0, width: 8, min: 1, max: 9 }, 1);
/// let square = dag.binary(Op::Mul, x, x);
/// let is_four = {
///     let four = dag.constant(4, 8);
///     dag.eq(square, four)
/// };
/// let text = smt_lib(&dag, &[is_four]).unwrap();
/// assert!(text.contains("(declare-const x0 (_ BitVec 8))"));
/// assert!(text.ends_with("(check-sat)\n"));
/// ```
pub fn smt_lib(dag: &Dag, conditions: &[Expr]) -> Option<String> {
    let mut text = String::from("(set-logic QF_BV)\n");
    for e in reached(dag, conditions) {
        line(&mut text, dag, e)?;
    }
    for &condition in conditions {
        let _ = writeln!(text, "(assert (= {} #b1))", name(dag, condition));
    }
    text.push_str("(check-sat)\n");
    Some(text)
}

/// The nodes that `conditions` depend on, arguments first.
fn reached(dag: &Dag, conditions: &[Expr]) -> Vec<Expr> {
    let mut is_reached = vec![false; dag.len() + 1];
    let mut stack = conditions.to_vec();
    while let Some(e) = stack.pop() {
        if e.is_some() && !std::mem::replace(&mut is_reached[e.index()], true) {
            stack.extend(dag.node(e).args);
        }
    }
    // Nodes have greater numbers than their arguments.
    (1..is_reached.len()).filter(|&at| is_reached[at]).map(|at| Expr(at as u32)).collect()
}

fn name(dag: &Dag, e: Expr) -> String {
    match dag.node(e).op {
        Op::Const => number(dag.value(e), dag.width(e)),
        Op::Var(at) => format!("x{}", dag.vars()[at as usize].index),
        _ => format!("e{}", e.index()),
    }
}

fn number(value: u128, width: u8) -> String {
    format!("#b{value:0width$b}", width = usize::from(width))
}

fn line(text: &mut String, dag: &Dag, e: Expr) -> Option<()> {
    let node = dag.node(e);
    let width = node.width;
    let of = |at: usize| name(dag, node.args[at]);
    let both = |op: &str| format!("({op} {} {})", of(0), of(1));
    let bit = |op: &str| format!("(ite ({op} {} {}) #b1 #b0)", of(0), of(1));
    let above = |at: usize| width - dag.width(node.args[at]);
    let meaning = match node.op {
        Op::Const => return Some(()),
        Op::Var(at) => {
            let var = dag.vars()[at as usize];
            let x = name(dag, e);
            let (min, max) = (number(var.min, width), number(var.max, width));
            let _ = writeln!(text, "(declare-const {x} (_ BitVec {width}))");
            let _ = writeln!(text, "(assert (and (bvule {min} {x}) (bvule {x} {max})))");
            return Some(());
        }
        Op::Not => format!("(bvnot {})", of(0)),
        Op::And => both("bvand"),
        Op::Or => both("bvor"),
        Op::Xor => both("bvxor"),
        Op::Add => both("bvadd"),
        Op::Sub => both("bvsub"),
        Op::Mul => both("bvmul"),
        Op::UDiv => both("bvudiv"),
        Op::URem => both("bvurem"),
        Op::SDiv => both("bvsdiv"),
        Op::SRem => both("bvsrem"),
        Op::Shl => both("bvshl"),
        Op::LShr => both("bvlshr"),
        Op::AShr => both("bvashr"),
        Op::Concat => both("concat"),
        Op::Extract(low) => format!("((_ extract {} {low}) {})", low + width - 1, of(0)),
        Op::ZExt => format!("((_ zero_extend {}) {})", above(0), of(0)),
        Op::SExt => format!("((_ sign_extend {}) {})", above(0), of(0)),
        Op::Ite => format!("(ite (= {} #b1) {} {})", of(0), of(1), of(2)),
        Op::Eq => bit("="),
        Op::Ult => bit("bvult"),
        Op::Slt => bit("bvslt"),
        Op::Table(table) => entries(dag, dag.table_of(table), node.args[0], width),
        Op::Float(_) => return None,
    };
    let _ = writeln!(text, "(define-fun e{} () (_ BitVec {width}) {meaning})", e.index());
    Some(())
}

/// A table as a chain of choices.
fn entries(dag: &Dag, table: &[u128], at: Expr, width: u8) -> String {
    let (min, max) = dag.range(at);
    let at_name = name(dag, at);
    let mut text = String::new();
    let mut open = 0;
    for (place, &entry) in table.iter().enumerate() {
        let place = place as u128;
        if min <= place && place <= max && entry != 0 {
            let place = number(place, dag.width(at));
            let _ = write!(text, "(ite (= {at_name} {place}) {} ", number(entry, width));
            open += 1;
        }
    }
    text + &number(0, width) + &")".repeat(open)
}
