//! What is not as it should be when an engine is run on the rows.

use crate::{Engine, Judgment, Row, judge};

/// Where a busy machine may be the reason for a miss, this many seeds have to miss; and this many have to find what is
/// excluded, for that not to be luck.
const SEEDS: u64 = 3;

/// Runs an engine on rows and returns what is wrong with it, in words: rows that it misses, what it says that is not so,
/// and exclusions that it does not need. Where its runs depend on the machine, excluded rows are left out: they take
/// longest, and one that is found this time may be missed the next.
///
/// ```
/// use probity_suite::{Engine, Report, complaints, rows};
///
/// let lazy = Engine {
///     name: "lazy",
///     search: |_, _| Report::Passes { inputs: None, paths: None },
///     is_steady: true,
///     excluded: &[],
/// };
/// let found = complaints(&lazy, rows().filter(|it| it.name == "index" || it.name == "bits"));
/// assert_eq!(found, ["lazy misses index"]);
/// ```
pub fn complaints<'a>(engine: &Engine, rows: impl IntoIterator<Item = &'a Row>) -> Vec<String> {
    let mut res = Vec::new();
    for row in rows {
        let is_excluded = engine.excludes(row).is_some();
        if !is_excluded || engine.is_steady {
            res.extend(complaint(engine, row, is_excluded));
        }
    }
    res
}

fn complaint(engine: &Engine, row: &Row, is_excluded: bool) -> Option<String> {
    let (engine_name, name) = (engine.name, row.name);
    for seed in 1..=SEEDS {
        match judge(row, &(engine.search)(row, seed)) {
            Judgment::Wrong(what) => return Some(format!("{engine_name} is wrong about {name}: {what}")),
            Judgment::Right if !is_excluded => return None,
            Judgment::Miss if is_excluded => return None,
            Judgment::Miss if engine.is_steady => break,
            Judgment::Right | Judgment::Miss => {}
        }
    }
    Some(if is_excluded {
        format!("{engine_name} finds {name}: let it no longer be excluded")
    } else {
        format!("{engine_name} misses {name}")
    })
}
