//! The tests of patterns, as one program: each link step costs a second.

mod cover;
mod draw;
mod laws;
mod patterns;
