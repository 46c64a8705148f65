//! A corpus over simulated maps of places: what is news, what is kept, and what is found with it.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

use super::*;
use crate::{
    Budget, Places, Replay, SearchResult, Source, Tail, Test,
    context::{assume, broken, label, maximize},
    run_case, search_corpus, steps,
};

thread_local! {
    /// Where the running case has been.
    static REACHED: RefCell<BTreeSet<u32>> = const { RefCell::new(BTreeSet::new()) };
}

fn reach(place: u32) {
    REACHED.with_borrow_mut(|it| it.insert(place));
}

/// Places as breakpoints would know them: each is news once, unless that is taken back.
#[derive(Default)]
struct Map {
    known: BTreeSet<u32>,
    last: Vec<u32>,
    kept: Vec<Vec<Value>>,
    /// Whether news cannot be taken back.
    is_final: bool,
}

impl Places for Map {
    fn news(&mut self) -> u32 {
        let reached = REACHED.take();
        self.last = reached.into_iter().filter(|it| self.known.insert(*it)).collect();
        self.last.len() as u32
    }

    fn forget(&mut self) -> bool {
        if self.is_final {
            return false;
        }
        for it in self.last.drain(..) {
            self.known.remove(&it);
        }
        true
    }

    fn kept(&mut self, case: &Case) {
        self.kept.push(case.trace.values());
    }
}

fn search(corpus: &mut Corpus, map: &mut Map, test: &mut dyn Test, cases: u64) -> SearchResult {
    let budget = Budget { cases, rejects: 10, go_on: &mut |_| true, progress: Default::default() };
    search_corpus(corpus, map, test, budget).unwrap()
}

/// Where these answers lead.
fn places_of(values: &[Value], test: &mut dyn Test) -> BTreeSet<u32> {
    REACHED.take();
    let replay = Replay::new(values.to_vec(), Tail::Simplest);
    run_case(&mut Source::new(Box::new(replay)), test).unwrap();
    REACHED.take()
}

/// Each byte of a word is a branch of its own.
fn ladder(bytes: &[u8], word: &[u8]) {
    for (at, byte) in word.iter().enumerate() {
        reach(at as u32);
        if bytes.get(at) != Some(byte) {
            return;
        }
    }
    panic!("at the bottom");
}

/// A reader of nested lists of numbers and words: `[1 [ab 2] []]`. A place for each token at each depth.
fn parse(text: &[u8]) -> Option<()> {
    let mut depth = 0u32;
    for byte in text {
        let token = match byte {
            b'[' => 0,
            b']' => 1,
            b'0'..=b'9' => 2,
            b'a'..=b'z' => 3,
            b' ' => 4,
            _ => return None,
        };
        match token {
            0 => depth += 1,
            1 => depth = depth.checked_sub(1)?,
            _ if depth == 0 => return None,
            _ => {}
        }
        reach(token + 10 * depth.min(9));
    }
    Some(())
}

#[test]
fn ladders_are_climbed() {
    for seed in 0..20 {
        let mut test = |src: &mut Source| ladder(&src.any::<Vec<u8>>(), b"FUZZ");
        let found = search(&mut Corpus::at(seed, 0), &mut Map::default(), &mut test, 1_000_000);
        assert_eq!(found.failures.len(), 1, "{seed}");
    }
}

#[test]
fn parsers_are_entered_deeper_than_at_random() {
    let test = &mut |src: &mut Source| _ = parse(&src.any::<Vec<u8>>());
    for seed in 0..5 {
        let mut map = Map::default();
        search(&mut Corpus::at(seed, 0), &mut map, test, 30_000);
        let mut at_random = BTreeSet::new();
        for index in 0..30_000 {
            let mut random = crate::Random::at(seed, index);
            random.begin().unwrap();
            run_case(&mut Source::new(Box::new(random)), test).unwrap();
            at_random.append(&mut REACHED.take());
        }
        assert!(map.known.len() >= 2 * at_random.len(), "{seed}: {} {}", map.known.len(), at_random.len());
    }
}

/// What is kept reaches all that was reached, and each entry something that those before it did not.
#[test]
fn entries_reach_all_that_was_reached() {
    let test = &mut |src: &mut Source| {
        let text: Vec<u8> = src.any();
        assume(parse(&text).is_some() || text.len() > 3, "a list");
    };
    let mut map = Map::default();
    let mut corpus = Corpus::at(3, 0);
    search(&mut corpus, &mut map, test, 20_000);
    let mut reached = BTreeSet::new();
    for (entry, kept) in corpus.entries().iter().zip(&map.kept) {
        assert_eq!(entry.answers, *kept);
        let before = reached.len();
        reached.append(&mut places_of(&entry.answers, test));
        assert_eq!(reached.len() - before, entry.news as usize);
    }
    assert_eq!((reached, corpus.entries().len()), (map.known, map.kept.len()));
}

/// A corpus that is offered all entries of two others reaches what both reached; and fewer entries do, the smallest
/// first.
#[test]
fn corpora_are_merged_by_offering() {
    let test = &mut |src: &mut Source| _ = parse(&src.any::<Vec<u8>>());
    let (mut offered, mut reached) = (Vec::new(), BTreeSet::new());
    for seed in [1, 2] {
        let mut map = Map::default();
        search(&mut Corpus::at(seed, 0), &mut map, test, 10_000);
        offered.append(&mut map.kept);
        reached.append(&mut map.known);
    }
    offered.sort_by_key(Vec::len);
    let mut merged = Corpus::at(7, 0);
    let n = offered.len();
    offered.into_iter().for_each(|it| merged.offer(it));
    let mut map = Map::default();
    search(&mut merged, &mut map, test, n as u64);
    assert_eq!(map.known, reached);
    assert!(merged.entries().len() < n);
}

/// What runs only once in a process is no news of the case that happened to run it.
#[test]
fn news_are_seen_twice() {
    let mut is_first = true;
    let mut test = |src: &mut Source| {
        src.any::<u8>();
        if std::mem::take(&mut is_first) {
            reach(1);
        }
    };
    let mut corpus = Corpus::at(7, 0);
    search(&mut corpus, &mut Map::default(), &mut test, 100);
    assert!(corpus.entries().is_empty());
}

#[test]
fn what_fails_is_not_kept_and_what_it_reached_is_still_news() {
    let mut test = |src: &mut Source| {
        let n = src.draw(0..=9);
        reach(n as u32 / 2);
        assert!(n % 2 == 0);
    };
    let mut corpus = Corpus::at(7, 0);
    let mut map = Map::default();
    let found = search(&mut corpus, &mut map, &mut test, 150);
    let origin = found.failures[0].failure.origin.to_string();
    assert!(corpus.entries().iter().all(|it| matches!(it.answers[0], Value::Int(n) if n % 2 == 0)));
    corpus.know(origin);
    let found = search(&mut corpus, &mut map, &mut test, 2_000);
    assert!(found.failures.is_empty() && found.tally.cases == 2_000);
    assert_eq!((corpus.entries().len(), map.known.len()), (5, 5));
}

/// What the test says itself, without anybody who watches it.
#[test]
fn labels_scores_and_arms_are_news() {
    type Row = (&'static str, fn(&mut Source));
    let tests: [Row; 3] = [
        ("labels", |src| {
            let bytes: [u8; 3] = src.any();
            let depth = bytes.iter().zip(b"abc").take_while(|(a, b)| a == b).count();
            label(format_args!("{depth}"));
            assert!(depth < 3);
        }),
        ("scores", |src| {
            let n = src.any::<u64>().count_ones();
            maximize("ones", n.into());
            assert!(n < 60);
        }),
        ("arms", |src| {
            let mut depth = 0;
            steps!(src, ..9, {
                a if depth == 0 => depth += u32::from(src.any::<u8>() == 77),
                b if depth == 1 => depth += u32::from(src.any::<u8>() == 177),
                c if depth == 2 => panic!("deep"),
            });
        }),
    ];
    for (name, mut test) in tests {
        let mut corpus = Corpus::at(7, 0);
        let found = search(&mut corpus, &mut Map::default(), &mut test, 50_000);
        assert_eq!(found.failures.len(), 1, "{name}");
        assert!(!corpus.entries().is_empty() && corpus.entries().len() <= 16, "{name}");
        assert_eq!(found.evidence.climb.is_some(), name == "scores");
    }
}

/// Once nothing is news, half of the cases are random ones at full speed; what they find is found again with a trace, and what
/// they reach is kept.
#[test]
fn random_cases_run_at_full_speed() {
    let (fast, all) = (Cell::new(0), Cell::new(0));
    let mut test = |src: &mut Source| {
        let (n, edge): (u32, u8) = src.any();
        all.set(all.get() + 1);
        fast.set(fast.get() + u64::from(!src.is_recording()));
        reach(u32::from(edge > 7));
        // Reached by one case in 10,000, which no neighbor of others is nearer to.
        if n % 9_973 == 7 {
            reach(2);
        }
    };
    let mut corpus = Corpus::at(7, 0);
    let mut map = Map::default();
    let found = search(&mut corpus, &mut map, &mut test, 100_000);
    assert!(fast.get() > 30_000, "{fast:?} of {all:?}");
    assert_eq!((found.tally.cases, map.known.len()), (100_000, 3));
    let reached: BTreeSet<u32> = map.kept.iter().flat_map(|it| places_of(it, &mut test)).collect();
    assert_eq!(reached, map.known);
    let mut test = |src: &mut Source| {
        let n: u32 = src.any();
        reach(1);
        assert_ne!(n % 9_973, 7);
    };
    let found = search(&mut Corpus::at(7, 0), &mut Map::default(), &mut test, 200_000);
    assert!(found.failures[0].case.verdict.failure().is_some());
}

/// A check that is broken by a random case at full speed is a failure all the same.
#[test]
fn broken_checks_are_found_at_full_speed() {
    let mut test = |src: &mut Source| {
        let n: u32 = src.any();
        reach(1);
        if n % 9_973 == 7 {
            broken(format_args!("it is 7"));
        }
    };
    let found = search(&mut Corpus::at(7, 0), &mut Map::default(), &mut test, 200_000);
    assert_eq!(found.failures.len(), 1);
}

/// Two searches with half the cases are one with all.
#[test]
fn a_search_goes_on_where_it_stopped() {
    let test = &mut |src: &mut Source| _ = parse(&src.any::<Vec<u8>>());
    // Where it can be taken back, batches of random cases end where a search does.
    let map = || Map { is_final: true, ..Map::default() };
    let (mut whole, mut halves) = (map(), map());
    search(&mut Corpus::at(7, 0), &mut whole, test, 4_000);
    let mut corpus = Corpus::at(7, 0);
    for _ in 0..2 {
        search(&mut corpus, &mut halves, test, 2_000);
    }
    assert_eq!((corpus.cases(), whole.kept), (4_000, halves.kept));
}

#[test]
fn what_is_given_is_run_first_and_varied() {
    // Three keys: each opens a door that no other case finds, and what is behind it is found among cases like that.
    let keys = [0x1234_5678_9abc_u64, 0x9876_5432_1fed, 0xf00d_f00d_f00d];
    for with_score in [false, true] {
        let mut behind = [0; 3];
        let mut first = Vec::new();
        let mut test = |src: &mut Source| {
            let (key, n): (u64, u8) = src.any();
            first.push((key, n));
            let at = keys.iter().position(|it| *it == key);
            if let Some(at) = at {
                behind[at] += u32::from(n > 9);
            }
            if with_score {
                maximize("n", if at.is_some() { n.into() } else { 0.0 });
            }
        };
        let mut corpus = Corpus::at(7, 1000);
        keys.iter().for_each(|it| corpus.add(vec![Value::Int((*it).into()), Value::Int(0)]));
        let found = search(&mut corpus, &mut Map::default(), &mut test, 600);
        assert_eq!((found.tally.cases, found.evidence.climb.is_some()), (600, with_score));
        assert_eq!(first[..3], keys.map(|it| (it, 0)));
        let least = if with_score { 0 } else { 4 };
        assert!(behind.iter().all(|it| *it >= least) && behind.iter().sum::<u32>() >= 20, "{behind:?}");
    }
}

#[test]
fn what_is_given_and_does_not_do_is_left() {
    // Too short, of other kinds, rejected, failing, or nothing at all: the search goes on.
    let given = vec![vec![], vec![Value::Bool(true)], vec![Value::Int(7)], vec![Value::Int(1 << 50)]];
    for given in [given, vec![]] {
        let mut test = |src: &mut Source| {
            let n: u64 = src.any();
            assume(n != 7, "not 7");
            assert_ne!(n, 1 << 50);
        };
        let len = given.len();
        let mut corpus = Corpus::at(7, 0);
        given.into_iter().for_each(|it| corpus.add(it));
        let found = search(&mut corpus, &mut Map::default(), &mut test, 100);
        assert_eq!((found.failures.len(), found.tally.cases), (len.min(1), 100));
    }
}
