//! Property suites of three crates, each twice: `tests/NAME_original.rs` is written with proptest or quickcheck,
//! `tests/NAME_port.rs` with Probity. The properties are those that the crates document. `cargo xtask peers --ports` runs
//! them and compares lines, time and findings.
