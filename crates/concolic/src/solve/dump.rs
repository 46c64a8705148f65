//! Questions with our answers, for other solvers to check.

use super::Answer;
use crate::expr::{Dag, Expr, smt_lib};

/// A question as an SMT-LIB 2 script that says which answer is expected. `None` where floats are computed, which
/// the script has no words for.
///
/// ```
/// use probity_concolic::expr::{Dag, Var};
/// use probity_concolic::solve::{Answer, dump};
///
/// let mut dag = Dag::new();
/// let x = dag.var(Var { index: 0, width: 8, min: 0, max: 255 }, 0);
/// let seven = dag.constant(7, 8);
/// let goal = dag.eq(x, seven);
/// let script = dump(&dag, &[goal], &Answer::Sat(vec![(0, 7)])).unwrap();
/// assert!(script.starts_with("(set-info :status sat)\n"));
/// ```
pub fn dump(dag: &Dag, conditions: &[Expr], answer: &Answer) -> Option<String> {
    let script = smt_lib(dag, conditions)?;
    Some(format!("(set-info :status {})\n{script}", answer.status()))
}
