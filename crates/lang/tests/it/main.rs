//! The tests of what is read, as one program: each link step costs a second.

mod broken;
mod json;
mod language;
mod programs;
mod tables;
