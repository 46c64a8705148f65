//! The engine as a whole.

use std::mem::ManuallyDrop;
use std::ops::Range;
use std::time::Duration;

use probity_core::{Explored, Replay, Source, Tail, Test, Value, run_case};

use crate::machine::{Cache, Guest, RunLimits, Witness, calibrate_decoder};
use crate::search::{ExplorePlan, GoalLimits, GoalSearch, SearchEvent, search};

/// What can be made before the process is split, so that many searches share it.
pub struct PreparedSearch {
    cache: Option<Cache>,
}

/// How many instructions one run may take: some tenths of a second.
const INSTRUCTIONS_MAX: u64 = 20_000_000;

/// How many it may take where there are many cases to choose from.
const GOAL_INSTRUCTIONS_MAX: u64 = 300_000;

/// Prepares a search. It is called in the process of the test, before that is split.
///
/// # Errors
///
/// Why code of this process cannot be interpreted, in words.
pub fn prepare() -> Result<PreparedSearch, String> {
    Ok(PreparedSearch { cache: Some(Cache::take()?) })
}

impl PreparedSearch {
    /// The memory that the process shares with others, and that a copy of it could write to; ours is among it.
    pub fn shared_memory(&self) -> &[Range<usize>] {
        self.cache.as_ref().map_or(&[], |it| &it.shared)
    }
}

/// A measure of what the engine's work takes here: the time of the processor to decode a thousand instructions. It is
/// measured once.
pub fn calibrate() -> Duration {
    calibrate_decoder()
}

/// Searches the paths of `test`.
///
/// To be called in a process of its own, split from that of the test: the code under test may kill it, and what it does to
/// the world outside of its memory is not taken back. `tell` returns whether to go on. `witness` is asked whether a panic is
/// a failure; without one, panics are followed until that is known, which takes longer.
pub fn explore<'t>(
    prepared: &mut PreparedSearch,
    test: &'t mut dyn Test,
    plan: &ExplorePlan,
    tell: &mut dyn FnMut(SearchEvent) -> bool,
    witness: Option<Witness<'t>>,
) -> Explored {
    let failed = |why: String| Explored { unsupported: Some(why), ..Explored::default() };
    let Some(cache) = prepared.cache.take() else { return failed("it was explored already".to_string()) };
    reserve();
    // What is made once, for the first case of a thread, is no state that cases change.
    let simplest = Replay::new(Vec::new(), Tail::Simplest);
    let _ = run_case(&mut Source::new(Box::new(simplest)), &mut |_: &mut Source| {});
    let limits = RunLimits { instructions: INSTRUCTIONS_MAX, until: Some(plan.until) };
    match Guest::new(cache, test, limits, witness) {
        Ok(guest) => {
            // Its memory goes with the process: that is quicker than giving back each part.
            let mut guest = ManuallyDrop::new(guest);
            search(&mut *guest, plan, tell)
        }
        Err(why) => failed(why),
    }
}

/// Goes where no case went, from cases that others give: `next` takes what was found, and gives the next case. `is_met` says
/// whether a case has met the code at an address.
///
/// To be called where [`explore`] is. `Err`: why code of this process cannot be interpreted.
pub fn seek_goals(
    prepared: &mut PreparedSearch,
    test: &mut dyn Test,
    limits: GoalLimits,
    is_met: &dyn Fn(u64) -> bool,
    next: &mut dyn FnMut(Vec<Vec<Value>>) -> Option<Vec<Value>>,
) -> Result<(), String> {
    let cache = prepared.cache.take().ok_or("it was explored already")?;
    reserve();
    let guest =
        Guest::new(cache, test, RunLimits { instructions: GOAL_INSTRUCTIONS_MAX, until: None }, None)?;
    // Its memory goes with the process.
    let mut guest = ManuallyDrop::new(guest);
    let mut goals = GoalSearch::default();
    let mut found = Vec::new();
    while let Some(answers) = next(std::mem::take(&mut found)) {
        found = goals.seek(&mut *guest, &answers, is_met, limits);
    }
    Ok(())
}

/// Has the C library take memory at once that it would otherwise ask the system for page by page: on a thread it does,
/// some hundred times in a search.
fn reserve() {
    const PIECE: usize = 100 << 10; // larger ones are mapped each by itself
    // SAFETY: these may be called at any time; what is allocated is freed.
    unsafe {
        libc::mallopt(libc::M_TRIM_THRESHOLD, 64 << 20);
        libc::mallopt(libc::M_MMAP_THRESHOLD, PIECE as i32 + 1024);
        let pieces = [(); 6].map(|()| libc::malloc(PIECE));
        pieces.into_iter().rev().for_each(|it| libc::free(it));
    }
}
