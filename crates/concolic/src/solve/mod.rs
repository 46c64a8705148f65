//! Answers that make conditions true.
