//! Every input once, in order of size: checked against an odometer that knows nothing of sizes.

use std::cell::RefCell;
use std::collections::BTreeMap;

use super::*;

use crate::{
    Budget, Combine, SearchResult, Share, Source, Verdict, any, btree_set, conformance, context, from,
    hash_map, recursive, run_case, search, search_exhaustive, search_exhaustive_share, unique, vec,
};

fn budget(cases: u64) -> Budget<'static> {
    let go_on = Box::leak(Box::new(|_| true));
    Budget { cases, rejects: 10, go_on, progress: Default::default() }
}

/// Every input of at most this size, in no special order: counts up the last choice that it can.
struct Odometer {
    size_max: u64,
    path: Vec<u64>,
    more: Vec<bool>,
    costs: Vec<u64>,
    cursor: usize,
    begun: bool,
}

impl Engine for Odometer {
    fn begin(&mut self) -> Result<(), Ended> {
        self.cursor = 0;
        if !std::mem::replace(&mut self.begun, true) {
            return Ok(());
        }
        self.path.truncate(self.more.len());
        while let Some(place) = self.path.pop() {
            self.costs.pop();
            if self.more.pop() == Some(true) {
                self.path.push(place + 1);
                return Ok(());
            }
        }
        Err(Ended::Complete)
    }

    fn answer(&mut self, domain: &Domain, _: &Trace) -> Result<Value, Stop> {
        let at = self.cursor;
        self.cursor += 1;
        if at == self.path.len() {
            self.path.push(0);
        }
        let place = self.path[at];
        let value = size::at(domain, place);
        if at == self.more.len() {
            let spent: u64 = self.costs.iter().sum();
            let next = size::at(domain, place + 1);
            let fits = place + 1 < size::len(domain) && spent + size::cost(domain, next) <= self.size_max;
            self.more.push(fits);
            self.costs.push(size::cost(domain, value));
        }
        Ok(value)
    }

    fn end(&mut self, _: &Case) {}

    fn order(&mut self) -> Option<&mut dyn Ordered> {
        Some(self)
    }
}

impl Ordered for Odometer {
    fn refuse(&mut self, _: usize, _: bool, _: Site) -> Refusal {
        Refusal::Reject
    }
}

/// The accepted inputs up to a size, as the odometer meets them.
pub(super) fn brute(test: impl Fn(&mut Source), size_max: u64) -> Vec<(u64, Vec<Value>)> {
    let (path, more, costs) = (vec![], vec![], vec![]);
    let engine = Odometer { size_max, path, more, costs, cursor: 0, begun: false };
    let mut source = Source::new(Box::new(engine));
    let mut res = Vec::new();
    while source.begin().is_ok() {
        let case = run_case(&mut source, &mut |src: &mut Source| test(src)).unwrap();
        if !matches!(case.verdict, Verdict::Reject(_)) {
            res.push((case.trace.size(), case.trace.values()));
        }
    }
    res.sort_by_key(|it| format!("{it:?}"));
    res
}

/// The accepted inputs as the engine meets them, case by case.
fn walked(test: fn(&mut Source), bounds: Bounds) -> Vec<(u64, Vec<Value>)> {
    let mut source = Source::new(Box::new(Exhaustive::new(bounds)));
    let mut res = Vec::new();
    while source.begin().is_ok() {
        let case = run_case(&mut source, &mut |src: &mut Source| test(src)).unwrap();
        if !matches!(case.verdict, Verdict::Reject(_)) {
            res.push((case.trace.size(), case.trace.values()));
        }
    }
    res
}

#[test]
fn every_input_once_the_smallest_first() {
    type Case = (fn(&mut Source), u64);
    let tests: &[Case] = &[
        (|_| (), 3),
        (|src| _ = src.any::<bool>(), 3),
        (|src| _ = src.draw((0..4, -2..=3)), 9),
        (|src| _ = src.draw((0u64..=u64::MAX, -2i128..=3)), 7),
        (|src| _ = src.draw(vec(-2..=2, 0..=3)), 9),
        (|src| _ = src.any::<Vec<Option<bool>>>(), 6),
        (|src| _ = src.any::<String>(), 3),
        (|src| _ = src.any::<(f64, char)>(), 3),
        (|src| _ = src.any::<Result<u8, [bool; 3]>>(), 5),
        // What is asked depends on what was answered.
        (
            |src| {
                let n: u32 = src.draw(0..5);
                for _ in 0..n {
                    src.draw(0..n);
                }
            },
            9,
        ),
        (|src| while src.bool() {}, 6),
        (|src| _ = src.draw(recursive(any::<bool>().map(u32::from), |it| (it.clone(), it).map_pair())), 5),
        // Refused in place, first and after other inputs.
        (|src| _ = src.draw(from((0..6, 0..6)).filter(|(a, b)| a < b)), 12),
        (|src| _ = src.draw((0..3, from((0..4, 0..4)).filter(|(a, b)| a != b), 0..2)), 9),
        (|src| _ = src.draw(vec(from(-5i8..5).filter(|it| it % 2 == 0), 0..4)), 9),
        (|src| _ = src.draw(unique(0..4, 0..=3)), 12),
        (|src| context::assume(src.draw(0..9) + src.draw(0..9) > 3, "a sum above 3"), 20),
        (|src| _ = src.draw(from(0..100).filter(|it| *it > 100)), 20),
    ];
    for (number, &(test, size)) in tests.iter().enumerate() {
        let mut found = walked(test, Bounds { size: Some(size), inputs: None });
        assert!(found.is_sorted_by_key(|it| it.0), "{number}: {found:?}");
        found.sort_by(|a, b| format!("{a:?}").cmp(&format!("{b:?}")));
        assert_eq!(found, brute(test, size), "{number}");
    }
}

trait MapPair {
    fn map_pair(self) -> crate::Boxed<'static, u32>;
}

impl<G: crate::Generator<Value = u32> + 'static> MapPair for (G, G) {
    fn map_pair(self) -> crate::Boxed<'static, u32> {
        from(self).map(|(a, b)| a + b).boxed()
    }
}

#[test]
fn full_speed_and_case_by_case_meet_the_same_inputs() {
    let seen = RefCell::new(Vec::new());
    let draw = |src: &mut Source| {
        let it = src.draw((vec(from(0..4).filter(|it| *it != 2), 0..3), any::<Option<bool>>()));
        seen.borrow_mut().push(format!("{it:?}"));
    };
    let finding =
        search_exhaustive(Bounds::default(), &mut |src: &mut Source| draw(src), budget(1000)).unwrap();
    let reach = finding.evidence.reach.unwrap();
    let fast = seen.take();
    assert!(reach.all && finding.ended == Ended::Complete);
    assert_eq!((fast.len(), finding.tally.cases), (39, 39));
    let labelled = &mut |src: &mut Source| {
        context::label(format_args!("a"));
        draw(src);
    };
    let finding = search_exhaustive(Bounds::default(), labelled, budget(1000)).unwrap();
    assert_eq!((finding.tally.cases, finding.tally.labels["a"]), (39, 39));
    // The first case goes on to its end before it is recorded.
    let mut recorded = seen.take();
    assert_eq!(recorded.remove(0), fast[0]);
    assert_eq!(recorded, fast);
    let engine = Box::new(Exhaustive::new(Bounds::default()));
    search(engine, &mut |src: &mut Source| draw(src), budget(1000)).unwrap();
    assert_eq!(seen.take(), fast);
}

#[test]
fn bounds_are_kept() {
    let count = |bounds, cases, test: fn(&mut Source)| {
        let mut runs = 0;
        let mut test = |src: &mut Source| {
            runs += 1;
            test(src);
        };
        let SearchResult { ended, tally, evidence, .. } =
            search_exhaustive(bounds, &mut test, budget(cases)).unwrap();
        assert_eq!(runs, tally.cases);
        let reach = evidence.reach.unwrap();
        (ended, tally.cases, reach.size, reach.all)
    };
    let whole = Bounds::default();
    assert_eq!(count(whole, 99, |_| ()), (Ended::Complete, 1, 0, true));
    let pair: fn(&mut Source) = |src| _ = src.any::<(u8, u8)>();
    assert_eq!(count(whole, 1 << 20, pair), (Ended::Complete, 65_536, 510, true));
    assert_eq!(count(Bounds { size: Some(2), inputs: None }, 99, pair), (Ended::Complete, 6, 2, false));
    assert_eq!(count(whole, 5, pair), (Ended::Budget, 5, 2, false));
    assert_eq!(count(Bounds { size: None, inputs: Some(1000) }, 99, pair).0, Ended::Exhausted);
    // Not all floats are reached.
    assert!(!count(whole, 99, |src| _ = src.any::<f32>()).3);
}

#[test]
fn the_clock_is_looked_at_where_everything_is_refused() {
    for test in [(|src| _ = src.draw(any::<(u64, u64)>().filter(|_| false))) as fn(&mut Source), |src| {
        context::assume(src.any::<(u64, u64)>().0 > u64::MAX / 2, "a large one")
    }] {
        let mut looks = 0;
        let mut go_on = |_| {
            looks += 1;
            looks < 100
        };
        let budget = Budget { cases: 99, rejects: 0, go_on: &mut go_on, progress: Default::default() };
        let finding =
            search_exhaustive(Bounds::default(), &mut |src: &mut Source| test(src), budget).unwrap();
        assert_eq!((finding.ended, finding.tally.cases), (Ended::Stopped, 0));
    }
}

#[test]
fn a_filter_that_is_slow_is_not_asked_long_before_the_clock() {
    // By a clock of its own: each refusal takes one tick, and 50 are allowed.
    let ticks = std::cell::Cell::new(0_u64);
    let mut go_on = |_| ticks.get() < 50;
    let budget = Budget { cases: 99, rejects: 0, go_on: &mut go_on, progress: Default::default() };
    let refuse = |_: &u64| {
        ticks.set(ticks.get() + 1);
        false
    };
    let mut test = |src: &mut Source| _ = src.draw(any::<u64>().filter(refuse));
    let finding = search_exhaustive(Bounds::default(), &mut test, budget).unwrap();
    assert_eq!((finding.ended, finding.tally.cases), (Ended::Stopped, 0));
    assert!((50..=130).contains(&ticks.get()), "{}", ticks.get());
}

#[test]
fn a_test_that_draws_as_it_likes_is_told() {
    let mut n = 0;
    let mut test = |src: &mut Source| {
        n += 1;
        src.pick(if n < 5 { 9 } else { 3 });
    };
    let misuse = search_exhaustive(Bounds::default(), &mut test, budget(100)).unwrap_err();
    assert!(misuse.message.contains("asked for another input than before"), "{}", misuse.message);
    let mut n = 0;
    let mut test = |src: &mut Source| {
        n += 1;
        if n < 5 {
            src.pick(9);
        }
    };
    let misuse = search_exhaustive(Bounds::default(), &mut test, budget(100)).unwrap_err();
    assert!(misuse.message.contains("asked for another input than before"), "{}", misuse.message);
}

#[test]
fn an_endless_type_is_told_and_a_deep_value_overruns() {
    fn endless(src: &mut Source) -> u32 {
        src.nest("endless", endless)
    }
    let misuse = search_exhaustive(Bounds::default(), &mut |src: &mut Source| _ = endless(src), budget(9))
        .unwrap_err();
    assert!(misuse.message.contains("it has no end"), "{}", misuse.message);
    let deep = recursive(from(0..1), |it| from(it).map(|n| n + 1));
    let sizes = RefCell::new(BTreeMap::new());
    let mut test = |src: &mut Source| *sizes.borrow_mut().entry(src.draw(deep.by_ref())).or_insert(0) += 1;
    let finding =
        search_exhaustive(Bounds { size: Some(300), inputs: None }, &mut test, budget(999)).unwrap();
    assert!(finding.tally.overruns > 0 && finding.tally.cases == 256, "{:?}", finding.tally);
    #[derive(Debug)]
    struct Link(crate::Lazy<Option<Link>>);
    impl crate::Generate for Link {
        fn generate(src: &mut Source) -> Self {
            src.group("Link", |src| Link(crate::Lazy::generate(src)))
        }
    }
    let mut test = |src: &mut Source| {
        let mut at = &<Link as crate::Generate>::generate(src);
        while let Some(next) = &*at.0 {
            at = next;
        }
    };
    let finding = search_exhaustive(Bounds::default(), &mut test, budget(999)).unwrap();
    let reach = finding.evidence.reach.unwrap();
    assert!(finding.tally.overruns > 0 && finding.tally.cases == 256, "{:?}", finding.tally);
    assert!(finding.ended == Ended::Exhausted && !reach.all, "those that are too deep were not tested");
    assert_eq!(reach.cut, Some(256));
}

#[test]
fn each_set_is_visited_once() {
    let mut sets = Vec::new();
    let mut test = |src: &mut Source| {
        let set = src.draw(btree_set((0..3, any::<bool>()), 0..=6));
        let map = src.draw(hash_map(0..3, any::<bool>(), 1..=2));
        sets.push((set, map.into_iter().collect::<BTreeMap<_, _>>()));
    };
    let finding = search_exhaustive(Bounds::default(), &mut test, budget(1 << 20)).unwrap();
    let reach = finding.evidence.reach.unwrap();
    // 2^6 sets; three keys with two values, or three pairs of keys with four.
    assert!(reach.all);
    assert_eq!(finding.tally.cases, 64 * (3 * 2 + 3 * 4));
    sets.sort();
    sets.dedup();
    assert_eq!(sets.len(), 64 * 18);
    let mut n = 0;
    search_exhaustive(
        Bounds::default(),
        &mut |src: &mut Source| {
            src.draw(crate::subset(0..6, 0..=4));
            n += 1;
        },
        budget(99),
    )
    .unwrap();
    assert_eq!(n, 1 + 6 + 15 + 20 + 15);
    n = 0;
    let mut test = |src: &mut Source| {
        src.draw(btree_set(0..4, 0..=9));
        n += 1;
    };
    search(Box::new(Exhaustive::new(Bounds::default())), &mut test, budget(99)).unwrap();
    assert_eq!(n, 16);
}

#[test]
fn shares_are_disjoint_and_cover_everything() {
    fn inputs(src: &mut Source) -> (Vec<u8>, Option<bool>) {
        src.draw((vec(from(0u8..5).filter(|it| *it != 3), 0..4), any::<Option<bool>>()))
    }
    let all = {
        let mut seen = Vec::new();
        let mut test = |src: &mut Source| seen.push(inputs(src));
        search_exhaustive(Bounds::default(), &mut test, budget(1 << 20)).unwrap();
        seen
    };
    for (of, start, is_labelled) in [(1, 0, false), (8, 0, false), (3, 100, false), (8, 0, true)] {
        let mut seen = Vec::new();
        for part in 0..of {
            let share = Share { inputs: |src| _ = inputs(src), part, of, start };
            let mut own = 0;
            let mut test = |src: &mut Source| {
                seen.push(inputs(src));
                if is_labelled {
                    context::label(format_args!("seen"));
                }
                own += 1;
            };
            let finding =
                search_exhaustive_share(Bounds::default(), share, &mut test, budget(1 << 20)).unwrap();
            let reach = finding.evidence.reach.unwrap();
            assert!(finding.tally.cases <= own && reach.all);
            if is_labelled {
                assert_eq!(finding.tally.labels["seen"], finding.tally.cases);
            }
        }
        if is_labelled {
            // One of each part was run again to be recorded.
            seen.sort();
            seen.dedup();
        }
        // Inputs that are rejected are visited too, so the start leaves out fewer of the others.
        let first = all.len() - seen.len();
        assert!(first <= start as usize && (first > 0) == (start > 0));
        assert!(all[first..].iter().all(|it| seen.contains(it)));
    }
    let share = Share { inputs: |src| _ = src.any::<crate::Lazy<u8>>(), part: 0, of: 2, start: 0 };
    let mut test = |src: &mut Source| assert!(*src.any::<crate::Lazy<u8>>() < 9);
    let misuse = search_exhaustive_share(Bounds::default(), share, &mut test, budget(9)).unwrap_err();
    assert!(misuse.message.contains("leave out `shard`"), "{}", misuse.message);
}

#[test]
fn it_can_follow_recorded_answers() {
    let mut seen = Vec::new();
    let mut test =
        |src: &mut Source| seen.push(src.draw((0..9, from(0..4).filter(|it| it % 2 == 1), any::<bool>())));
    let tail = crate::Tail::Engine(Box::new(Exhaustive::new(Bounds::default())));
    let engine = crate::Replay::new(vec![Value::Int(7)], tail);
    let finding = search(Box::new(engine), &mut test, budget(99)).unwrap();
    assert_eq!(finding.ended, Ended::Exhausted, "what follows 7 is not everything");
    assert_eq!(seen, [(7, 1, false), (7, 1, true), (7, 3, false), (7, 3, true)]);
}

#[test]
fn it_conforms() {
    conformance::check(|| Box::new(Exhaustive::new(Bounds::default())));
    conformance::check(|| Box::new(Exhaustive::new(Bounds { size: None, inputs: Some(100) })));
}
