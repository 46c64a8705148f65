//! Which branch to solve for next.
