//! Data structures with planted faults, and tests as a user writes them: inputs by type, no settings.
//!
//! The variable `MUTANT` plants a fault by its number, 1 to 15; without it everything is right and every test passes.
//! `cargo xtask quality default` runs each test with each fault under every engine.

mod heap;
mod radix;
mod ring;
#[allow(dead_code, reason = "what values contain besides one another is drawn, and not looked at")]
mod sizes;

use std::sync::LazyLock;

/// Whether this fault is planted.
fn is_planted(number: u32) -> bool {
    static PLANTED: LazyLock<u32> =
        LazyLock::new(|| std::env::var("MUTANT").ok().and_then(|it| it.parse().ok()).unwrap_or(0));
    *PLANTED == number
}
