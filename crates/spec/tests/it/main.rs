//! The tests of this crate, as one program: each link step costs a second.

mod count;
mod count_random;
mod draw;
mod eval;
mod eval_difference;
mod flat;
mod int_set;
mod narrow;
mod random_types;
mod trees;
