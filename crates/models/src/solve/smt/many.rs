//! Many models from one query: the encodings of the paper's §8 beside one model at a time.

use std::path::Path;

use super::{Requirement, Smt};
use crate::solve::{Answer, Effort, Solver};
use probity_spec::flat::{Expr, Scalar, Slot};

/// The most pairs that are related in one query. The paper's largest have 180,000.
const PAIRS_MAX: usize = 1_000_000;
/// The most copies of slots in one query.
const SLOTS_MAX: usize = 1_000_000;

/// How the models of one query relate.
pub enum Pairwise<'a> {
    /// The values of an expression over the slots are all different: one `distinct`.
    Distinct(&'a Expr),
    /// An expression over two models, with the slots of the first before those of the second, holds for every
    /// pair: all at once.
    All(&'a Expr),
}

/// What came of one query for many models.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Many {
    /// As many models as were asked for.
    Sat(Vec<Vec<Scalar>>),
    /// There are not that many.
    Unsat,
    /// It cannot be told, and why.
    Unknown(String),
}

/// Asks for `n` models of what is required over the slots in one query. The error says what is wrong with the
/// program.
pub fn many(
    program: &str,
    transcript: Option<&Path>,
    (slots, requires): (&[Slot], &[Expr]),
    pairwise: &Pairwise,
    n: usize,
    effort: &Effort,
) -> Result<Many, String> {
    let pairs = n.saturating_mul(n.saturating_sub(1)) / 2;
    if matches!(pairwise, Pairwise::All(_)) && pairs > PAIRS_MAX || n.saturating_mul(slots.len()) > SLOTS_MAX
    {
        let what = format!("one query for {n} models is too large; ask for one at a time");
        return Ok(Many::Unknown(what));
    }
    let copy =
        |i: usize| slots.iter().map(move |it| Slot { name: format!("{} #{i}", it.name), ..it.clone() });
    let copies: Vec<Slot> = (0..n).flat_map(copy).collect();
    let mut smt = Smt::start(program, transcript, &copies, effort.stop)?;
    let k = slots.len() as u32;
    let mut require =
        |expr: &Expr, copies| smt.level().push(Requirement::Holds { expr: expr.clone(), k, copies });
    for i in 0..n as u32 {
        requires.iter().for_each(|it| require(it, (i, i)));
    }
    match pairwise {
        Pairwise::All(pair) => {
            for j in 1..n as u32 {
                (0..j).for_each(|i| require(pair, (i, j)));
            }
        }
        // SMT-LIB wants two arguments at least.
        Pairwise::Distinct(on) if n > 1 => {
            smt.level().push(Requirement::Distinct { expr: (*on).clone(), k, n: n as u32 });
        }
        Pairwise::Distinct(_) => {}
    }
    Ok(match smt.solve(effort) {
        Answer::Sat(scalars) if k == 0 => Many::Sat(vec![scalars; n]),
        Answer::Sat(scalars) => Many::Sat(scalars.chunks(k as usize).map(<[_]>::to_vec).collect()),
        Answer::Unsat => Many::Unsat,
        Answer::Unknown(why) => Many::Unknown(why),
    })
}
