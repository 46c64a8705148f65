//! The evaluator: the oracle for plans and solvers.
