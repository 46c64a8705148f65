//! The language: programs that declare, specify, constrain and generate.
