//! The tests of this crate, as one program: each link step costs a second.

mod counted;
mod generate;
mod generate_brute;
mod generate_check;
mod generate_cross;
mod generate_stop;
mod generate_totals;
mod random;
mod random_specs;
mod smt;
mod smt_process;
mod solver_builtin;
mod solver_kinds;
mod solver_measures;
mod solver_pieces;
mod solver_recursive;
mod solver_sample;
mod solver_shapes;
mod solver_stop;
