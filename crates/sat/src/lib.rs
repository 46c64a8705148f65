//! Gates and numbers in bits, as clauses for a SAT solver: what the solvers of specs and of paths have in common.
//!
//! [`Gates`] makes equal gates once, and constant bits vanish. On top of it are [`Word`]s of fixed width, which wrap around
//! as those of a processor do, and integers, which are words of any width with a sign, and never wrap around.
//!
//! ```
//! use probity_sat::Gates;
//!
//! let mut gates = Gates::new();
//! let (x, y) = (gates.unknown_word(8), gates.unknown_word(8));
//! let (product, wanted) = (gates.mul(&x, &y), gates.number(143, 8));
//! let (least, is_so) = (gates.number(2, 8), gates.equal(&product, &wanted));
//! let is_large = !gates.less(&x, &least);
//! assert_eq!(gates.solve(&[is_so, is_large]), Some(true));
//! assert_eq!(gates.value(&x) * gates.value(&y) % 256, 143);
//! ```

mod gates;
mod hash;
mod integers;
#[cfg(test)]
mod tests;
mod words;

/// A bit: a variable of the SAT solver or its negation.
pub use batsat::Lit;
pub use gates::Gates;
pub use hash::{Fixed, FixedHasher};
pub use integers::int_width;
pub use words::{Division, Shift, Word};
