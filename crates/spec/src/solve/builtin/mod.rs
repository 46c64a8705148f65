//! The built-in solver.
