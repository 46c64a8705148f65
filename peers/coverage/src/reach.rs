//! What a search reaches.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::time::Duration;

use probity_core::{Budget, Case, Corpus, Places, Random, SearchResult, Source, search, search_corpus};
use probity_coverage::CodeWatch;

use crate::copies::{in_copy, processor_time};
use crate::targets::named;

/// Blocks as the places of a corpus.
struct Blocks<'a> {
    watch: &'a RefCell<CodeWatch<'a>>,
    asked: usize,
    before: usize,
    entries: u64,
}

impl Places for Blocks<'_> {
    fn news(&mut self) -> u32 {
        let mut watch = self.watch.borrow_mut();
        watch.settle();
        self.before = self.asked;
        let met = watch.met();
        if met == self.asked {
            return 0;
        }
        self.asked = met;
        watch.log().blocks(self.before).count() as u32
    }

    fn forget(&mut self) -> bool {
        self.watch.borrow_mut().again(self.before);
        self.asked = self.before;
        true
    }

    fn kept(&mut self, _: &Case) {
        self.entries += 1;
    }
}

/// What came of a search.
struct Reached {
    result: SearchResult,
    /// Blocks of the target alone.
    blocks: usize,
    entries: u64,
}

fn run(
    target: &str,
    how: &str,
    seed: u64,
    watch: CodeWatch<'_>,
    cases: u64,
    time: Duration,
) -> Result<Reached, String> {
    let target = named(target)?;
    let watch = RefCell::new(watch);
    let seen = RefCell::new(BTreeSet::new());
    let mut test = |src: &mut Source| {
        let bytes: Vec<u8> = src.any();
        let before = watch.borrow().met();
        let is_found = target(&bytes);
        if watch.borrow().met() != before {
            seen.borrow_mut().extend(watch.borrow().log().blocks(before));
        }
        assert!(!is_found);
    };
    let start = processor_time();
    let mut go_on = |_| processor_time() - start < time;
    let budget = Budget { cases, rejects: 10, go_on: &mut go_on, progress: Default::default() };
    let mut blocks = Blocks { watch: &watch, asked: 0, before: 0, entries: 0 };
    let result = match how {
        "random" => search(Box::new(Random::new(seed)), &mut test, budget),
        "guided" => search_corpus(&mut Corpus::at(seed, 0), &mut blocks, &mut test, budget),
        _ => return Err(format!("there is no way `{how}`; use random or guided")),
    };
    let result = result.map_err(|it| it.message)?;
    let entries = blocks.entries;
    Ok(Reached { result, blocks: seen.borrow().len(), entries })
}

pub fn blocks(target: &str, how: &str, seed: u64, ms: u64) -> Result<(), String> {
    let text = in_copy(true, |watch| {
        let watch = watch.expect("it is watched");
        match run(target, how, seed, watch, u64::MAX, Duration::from_millis(ms)) {
            Ok(it) => format!("blocks={} cases={} entries={}", it.blocks, it.result.tally.cases, it.entries),
            Err(why) => why,
        }
    })?;
    println!("{text}");
    Ok(())
}

pub fn needle(target: &str, seed: u64, cases: u64) -> Result<(), String> {
    let text = in_copy(true, |watch| {
        let watch = watch.expect("it is watched");
        match run(target, "guided", seed, watch, cases, Duration::from_secs(60)) {
            Ok(it) => match it.result.failures.first() {
                Some(found) => format!("found={}", found.index),
                None => format!("missed={}", it.result.tally.cases),
            },
            Err(why) => why,
        }
    })?;
    println!("{text}");
    Ok(())
}
