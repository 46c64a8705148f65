//! Any SMT-LIB 2 solver, as a process.
