//! The engine as a whole.

use probity_core::Test;

use crate::machine::{Cache, Guest, RunLimits};
use crate::search::{Explored, News, Plan, search};

/// What can be made before the process is split, so that many searches share it.
pub struct Prepared {
    cache: Option<Cache>,
}

/// How many instructions one run may take: some tenths of a second.
const INSTRUCTIONS_MAX: u64 = 20_000_000;

/// Prepares a search. It is called in the process of the test, before that is split.
///
/// # Errors
///
/// Why code of this process cannot be interpreted, in words.
pub fn prepare() -> Result<Prepared, String> {
    Ok(Prepared { cache: Some(Cache::take()?) })
}

/// Searches the paths of `test`.
///
/// To be called in a process of its own, split from that of the test: the code under test may kill it, and what it does to
/// the world outside of its memory is not taken back. `tell` returns whether to go on.
pub fn explore(
    prepared: &mut Prepared,
    test: &mut dyn Test,
    plan: &Plan,
    tell: &mut dyn FnMut(News) -> bool,
) -> Explored {
    let failed = |why: String| Explored { unsupported: Some(why), ..Explored::default() };
    let Some(cache) = prepared.cache.take() else { return failed("it was explored already".to_string()) };
    let limits = RunLimits { instructions: INSTRUCTIONS_MAX, until: Some(plan.until) };
    match Guest::new(cache, test, limits) {
        Ok(mut guest) => search(&mut guest, plan, tell),
        Err(why) => failed(why),
    }
}
