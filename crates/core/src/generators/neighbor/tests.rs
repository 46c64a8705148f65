//! What neighbours must keep, the user's and the constructed ones.

use std::cmp::Ordering;
use std::collections::{BTreeSet, VecDeque};
use std::fmt::Debug;
use std::num::{NonZero, Wrapping};
use std::rc::Rc;

use super::*;
use crate::{
    Aligned, Annealing, Bounds, Budget, Case, Domain, Ended, Engine, Exhaustive, Generate, Lazy, Random,
    Ranged, Replay, Rng, Space, Stop, Tail, Tally, Trace, Value, any, context::maximize, from, just, one_of,
    optional, run_case, sample, search, search_adaptive, search_exhaustive, search_random, select, shrink,
    string, vec, vec_deque,
};

const TEMPERATURES: [f64; 3] = [0.01, 0.4, 1.0];

/// The random engine, but for steps to neighbours, of which it takes every second.
struct Stepping(Random, Rng);

impl Stepping {
    fn new(seed: u64) -> Self {
        Stepping(Random::at(seed, 1), Rng::new(seed))
    }
}

impl Engine for Stepping {
    fn begin(&mut self) -> Result<(), Ended> {
        self.0.begin()
    }

    fn answer(&mut self, domain: &Domain, so_far: &Trace) -> Result<Value, Stop> {
        let value = self.0.answer(domain, so_far)?;
        let is_step = matches!(domain, Domain::Pick { weights: Some(it), .. } if **it == [1, 0]);
        Ok(if is_step { Value::Pick(self.1.word() as u32 & 1) } else { value })
    }

    fn end(&mut self, case: &Case) {
        self.0.end(case);
    }
}

fn by_one(base: &i32, _: f64, source: &mut Source) -> i32 {
    base.saturating_add([1, -1][source.pick(2)])
}

fn budget() -> Budget<'static> {
    Budget { cases: 1 << 20, rejects: 10, go_on: Box::leak(Box::new(|_| true)), progress: Default::default() }
}

/// Everything that `generator` makes near `base`.
fn all_near<G: Generator<Value: Ord>>(
    generator: &G,
    base: &G::Value,
    temperature: f64,
) -> BTreeSet<G::Value> {
    let mut seen = BTreeSet::new();
    let mut test = |src: &mut Source| _ = seen.insert(generator.near(base, temperature, src));
    let finding = search(Box::new(Exhaustive::new(Bounds::default())), &mut test, budget()).unwrap();
    assert_eq!(finding.ended, Ended::Complete);
    seen
}

#[test]
fn numbers_move_within_a_twentieth_of_their_domain() {
    for (min, max) in [(0, 0), (0, 1), (-3, 16), (0, 40), (-50, 49), (-128, 127), (100, 127)] {
        for base in min..=max {
            for temperature in [-1.0, 0.0, f64::NAN, 0.01, 0.5, 1.0, 7.0] {
                let share = (f64::from(max as i16 - min as i16) * 0.05 * bounded(temperature)) as i16;
                let reach = if temperature > 0.0 { share.max(1) } else { 0 };
                let expected = (min..=max).filter(|it| (*it as i16 - base as i16).abs() <= reach);
                assert_eq!(
                    all_near(&(min..=max), &base, temperature),
                    expected.collect(),
                    "{base} at {temperature}"
                );
            }
        }
    }
    assert_eq!(all_near(&(3..=9), &10, 0.0), (3..=9).collect(), "it is no member, and any will do");
    assert_eq!(all_near(&('a'..='z'), &'a', 1.0), ['a', 'b'].into());
    assert_eq!(all_near(&(0..40u8), &7, 1.0), all_near(&(..40u8), &7, 1.0));
    assert_eq!(all_near(&any::<bool>(), &true, 0.5), [false, true].into());
    let signed = |it| NonZero::new(it).unwrap();
    assert_eq!(all_near(&any::<NonZero<i8>>(), &signed(-2), 0.1), [-3, -2, -1].map(signed).into());
    assert_eq!(all_near(&any::<NonZero<i8>>(), &signed(1), 0.1), [-1, 1, 2].map(signed).into());
}

/// Near `base` of `min..=max` everything lies in an interval, and most of that is made use of.
fn spread<T: Ranged>(base: T, (min, max): (T, T), (low, high): (T, T), inner: (T, T)) {
    let near = |src: &mut Source| (min..=max).near(&base, 1.0, src);
    let near: Vec<T> = (0..300).map(|seed| sample(&near, seed)).collect();
    assert!(near.iter().all(|it| low <= *it && *it <= high), "{near:?}");
    assert!(near.iter().any(|it| *it < inner.0) || base == min, "{near:?}");
    assert!(near.iter().any(|it| *it > inner.1) || base == max, "{near:?}");
}

#[test]
fn wide_domains() {
    let part = i128::MAX / 10 + 1;
    spread(0, (i128::MIN, i128::MAX), (-part, part), (-part / 2, part / 2));
    spread(i128::MAX, (i128::MIN, i128::MAX), (i128::MAX - part, i128::MAX), (i128::MAX - part / 2, 0));
    spread(i128::MIN, (i128::MIN, i128::MAX), (i128::MIN, i128::MIN + part), (0, i128::MIN + part / 2));
    let (part, half) = (u128::MAX / 20, 1u128 << 127);
    spread(half, (0, u128::MAX), (half - part, half + part), (half - part / 2, half + part / 2));
    spread(u128::MAX, (0, u128::MAX), (u128::MAX - part, u128::MAX), (u128::MAX - part / 2, 0));
    spread(5u64, (0, u64::MAX), (0, u64::MAX / 20 + 5), (3, u64::MAX / 40));
    spread(i64::MIN, (i64::MIN, i64::MAX), (i64::MIN, i64::MIN + i64::MAX / 10 + 2), (0, i64::MIN / 20 * 19));
    spread(500.0, (0.0, 1000.0), (450.0, 550.0), (475.0, 525.0));
    spread(0.0f32, (0.0, 1000.0), (0.0, 50.0), (0.0, 25.0));
    spread(8.0, (f64::NEG_INFINITY, f64::INFINITY), (0.0, 16.0), (4.0, 12.0));
    spread(0.0, (f64::MIN, f64::MAX), (-1.0, 1.0), (-0.5, 0.5));
    spread('\u{e000}', ('\0', char::MAX), ('\0', '\u{1c000}'), ('\u{d700}', '\u{f000}'));
}

/// At temperature 0 it is the base, and at any it is a member.
fn law<G: Generator<Value: Debug>>(generator: G, is_member: fn(&G::Value) -> bool) {
    for seed in 0..40 {
        let base = sample(&generator, seed);
        let near = |temperature| sample(&|src: &mut Source| generator.near(&base, temperature, src), seed);
        assert_eq!(format!("{:?}", near(0.0)), format!("{base:?}"));
        for temperature in TEMPERATURES {
            let near = near(temperature);
            assert!(is_member(&near), "{near:?} near {base:?} at {temperature}");
        }
    }
}

#[test]
fn near_a_member_are_members() {
    fn all<T: Generate + Debug>() {
        law(any::<T>(), |_| true);
    }
    all::<(bool, char, u8, u16, u32, u64)>();
    all::<(u128, usize, i8, i16, i32, i64)>();
    all::<(i128, isize, f32, f64, String, Vec<u8>)>();
    all::<(Option<u8>, Result<u8, char>, Box<u8>, Rc<u8>, Wrapping<i8>, Ordering)>();
    all::<([u8; 3], VecDeque<u8>, NonZero<u8>, NonZero<i64>, crate::Index, ())>();
    law(3..9, |it| (3..9).contains(it));
    law(-9..=-3i8, |it| (-9..=-3).contains(it));
    law(250u8.., |it| *it >= 250);
    law(..9u128, |it| *it < 9);
    law(..='c', |it| *it <= 'c');
    law(0.25..0.75f64, |it| (0.25..0.75).contains(it));
    law(0.0f32.., |it| *it >= 0.0 && it.is_sign_positive());
    law(vec(0..9, 2..=5), |it| (2..=5).contains(&it.len()) && it.iter().all(|it| (0..9).contains(it)));
    law(vec(any::<Vec<u8>>(), 1..), |it| !it.is_empty());
    law(vec_deque(any::<bool>(), 3), |it| it.len() == 3);
    law(string('a'..='c', ..=4), |it| it.len() <= 4 && it.chars().all(|it| ('a'..='c').contains(&it)));
    law(from(0..1000).filter(|it| it % 3 == 1), |it| it % 3 == 1);
    law((from(0..9).boxed(), just(7), [0..3, 5..9]), |it| it.0 < 9 && it.1 == 7 && it.2[1] >= 5);
    law(select(["tea", "milk"]), |it| ["tea", "milk"].contains(it));
    law(&["tea", "milk"], |it| ["tea", "milk"].contains(it));
    law(from(0..9).by_ref(), |it| (0..9).contains(it));
    law(optional(0..9), |it| it.is_none_or(|it| it < 9));
    law(crate::sized(|size| 0..=size), |it| *it <= 100);
    law((crate::chance(0), crate::chance(30)), |it| !it.0);
}

#[test]
fn what_is_not_a_member_is_drawn_anew() {
    let near = |src: &mut Source| vec(0..9, 2..=3).near(&vec![3, 70, 5, 6], 0.0, src);
    let it = sample(&near, 7);
    assert!(it.len() == 3 && it[0] == 3 && it[1] < 9 && it[2] == 5, "{it:?}");
    let near = |src: &mut Source| vec(0..9, 4).near(&vec![3], 0.0, src);
    assert!(matches!(sample(&near, 7)[..], [3, _, _, _]));
    let odd = from(0..9).filter(|it| it % 2 == 1);
    assert_eq!(sample(&|src: &mut Source| odd.near(&4, 0.0, src), 7) % 2, 1);
    let none = from(0..1000).filter(|it| it % 500 == 7);
    assert!([7, 507].contains(&sample(&|src: &mut Source| none.near(&7, 1.0, src), 7)), "7 is near itself");
}

#[test]
fn lists_grow_shrink_and_change() {
    let lists = vec(0..=100, ..=20);
    let base = vec![50; 10];
    let mut seen = (false, false, false);
    for seed in 0..200 {
        let it = sample(&|src: &mut Source| lists.near(&base, 0.5, src), seed);
        let n_same = it.iter().filter(|it| **it == 50).count();
        seen = (seen.0 | (it.len() > 10), seen.1 | (it.len() < 10), seen.2 | (it.len() - n_same > 3));
    }
    assert_eq!(seen, (true, true, true));
    let grown = |seed| !sample(&|src: &mut Source| lists.near(&Vec::new(), 1.0, src), seed).is_empty();
    assert!((0..100).any(grown), "an empty one too");
}

/// The value that `engine` leads to, with its case.
fn run<G: Generator>(generator: &G, engine: Box<dyn Engine>) -> (Option<G::Value>, Case) {
    let mut res = None;
    let mut test =
        |src: &mut Source| res = Some(src.span("test", SpanKind::Group, |src| generator.generate(src)));
    let case = run_case(&mut Source::new(engine), &mut test).unwrap();
    (res, case)
}

fn n_steps(trace: &Trace) -> usize {
    trace.spans.iter().filter(|it| it.label == "step" && it.len() > 1).count()
}

#[test]
fn a_value_is_its_first_and_its_steps() {
    let steady = any::<i32>().neighbor(by_one);
    for seed in 0..200 {
        let (value, case) = run(&steady, Box::new(Stepping::new(seed)));
        let values = case.trace.values();
        let Value::Int(mut expected) = values[0] else { panic!("{values:?}") };
        let mut at = 1;
        while values[at] == Value::Pick(1) {
            assert!(matches!(values[at + 1], Value::Float(0.0..=1.0)));
            expected = i32::try_from(expected).unwrap().saturating_add([1, -1][pick(values[at + 2])]).into();
            at += 3;
        }
        assert_eq!(values[at..], [Value::Pick(0)]);
        assert_eq!(value.map(i128::from), Some(expected));
        assert_eq!(n_steps(&case.trace), at / 3);
        let labels = case.trace.spans.iter().map(|it| it.label).take(3);
        assert_eq!(labels.collect::<Vec<_>>(), ["test", "neighbor", "first"]);
    }
}

fn pick(value: Value) -> usize {
    match value {
        Value::Pick(it) => it as usize,
        other => panic!("{other:?}"),
    }
}

#[test]
fn steps_are_replayed() {
    let lists = vec(any::<Vec<u8>>(), ..=4).neighbor(|base, temperature, src| {
        let mut next = vec(any::<Vec<u8>>(), ..=4).near(base, temperature, src);
        next.extend(src.draw(optional(any())));
        next
    });
    let both = (vec(any::<i32>().neighbor(by_one), ..=5), lists);
    let both = from(both).neighbor(|base, temperature, src| {
        let lists = vec(any(), ..=6);
        (vec(any(), ..=5).near(&base.0, temperature, src), lists.near(&base.1, temperature, src))
    });
    let mut most = 0;
    for seed in 0..200 {
        let (value, case) = run(&both, Box::new(Stepping::new(seed)));
        most = most.max(n_steps(&case.trace));
        let replay: Box<dyn Engine> = Box::new(Replay::new(case.trace.values(), Tail::Overrun));
        for engine in [replay, Box::new(Aligned::new(case.trace.clone()))] {
            let (again, case_again) = run(&both, engine);
            assert_eq!((&again, &case_again.trace), (&value, &case.trace));
        }
    }
    assert!(most > 8, "{most}");
}

#[test]
fn steps_come_to_an_end() {
    struct Always;
    impl Engine for Always {
        fn begin(&mut self) -> Result<(), Ended> {
            Ok(())
        }
        fn answer(&mut self, domain: &Domain, _: &Trace) -> Result<Value, Stop> {
            Ok(domain.at(1).unwrap_or_else(|| domain.simplest()))
        }
        fn end(&mut self, _: &Case) {}
    }
    let (value, case) = run(&from(0..=9).neighbor(|base, _, _| base + 1), Box::new(Always));
    assert_eq!((value, n_steps(&case.trace)), (Some(1 + STEPS_MAX as i32), STEPS_MAX));
}

/// How many inputs are visited, in each way to visit all.
fn check_all<G: Generator<Value: Debug>>(generator: &G, expected: u64) {
    let mut test = |src: &mut Source| _ = src.draw(from(|src: &mut Source| generator.generate(src)));
    let recorded = search(Box::new(Exhaustive::new(Bounds::default())), &mut test, budget()).unwrap();
    let walked = search_exhaustive(Bounds::default(), &mut test, budget()).unwrap();
    for finding in [recorded, walked] {
        assert_eq!((finding.ended, finding.tally.cases), (Ended::Exhausted, expected));
    }
    if let Ok(mut space) = Space::of(generator) {
        assert_eq!(space.total(), Some(expected.into()));
    }
}

#[test]
fn where_all_is_visited_no_steps_are_taken() {
    let flipped = || any::<bool>().neighbor(|it, _, _| !it);
    let digit = || from(0..9).neighbor(|it, temperature, src| (0..9).near(it, temperature, src));
    check_all(&flipped(), 2);
    check_all(&vec(flipped(), ..=3), 15);
    check_all(&(flipped(), digit(), flipped()), 36);
    check_all(&digit().filter(|it| it % 2 == 1), 4);
    check_all(&vec(digit().such_that(|it| it % 4 == 3), 2).neighbor(|_, _, _| vec![]), 4);
    check_all(&one_of([digit().boxed(), just(3).boxed()]), 10);
    check_all(&crate::btree_set(flipped(), 0..), 4);
    check_all(&vec(crate::lazy(digit()), 2).such_that(|it: &Vec<Lazy<i32>>| it[0] > it[1]), 36);
    let mut test = |src: &mut Source| check(src.draw(vec(digit(), ..=2)) != [0, 3]);
    let found = search_exhaustive(Bounds::default(), &mut test, budget()).unwrap().failures.remove(0);
    let replay = Replay::new(found.case.trace.values(), Tail::Overrun);
    let again = run_case(&mut Source::new(Box::new(replay)), &mut test).unwrap();
    assert!(again.verdict.failure().is_some());
    assert_eq!(again.trace, found.case.trace);
}

/// Fails in one place, so that shrinking takes all failures for the same.
fn check(is_good: bool) {
    if !is_good {
        crate::fail_with_error(&"not good");
    }
}

/// What is not good shrinks to the same with neighbours as without, from a trace with steps in it.
fn minimum<G: Generator<Value: Debug>, H: Generator<Value = G::Value>>(
    plain: G,
    stepping: H,
    is_good: fn(&G::Value) -> bool,
) {
    let shrunk = |generator: &dyn Fn(&mut Source) -> G::Value, found: Case| {
        let mut text = String::new();
        let mut test = |src: &mut Source| {
            let value = generator(src);
            text = format!("{value:?}");
            check(is_good(&value));
        };
        let shrunk = shrink(found, &mut test, 20_000, &mut |_| true).unwrap();
        let replay = Replay::new(shrunk.case.trace.values(), Tail::Overrun);
        run_case(&mut Source::new(Box::new(replay)), &mut test).unwrap();
        (text, n_steps(&shrunk.case.trace))
    };
    let mut test = |src: &mut Source| check(is_good(&plain.generate(src)));
    let found = search_random(7, &mut test, budget()).unwrap().failures.remove(0);
    let expected = shrunk(&|src| plain.generate(src), found.case).0;
    let mut n = 0;
    for seed in 0..10_000 {
        let mut test = |src: &mut Source| check(is_good(&stepping.generate(src)));
        let mut source = Source::new(Box::new(Stepping::new(seed)));
        let found = run_case(&mut source, &mut test).unwrap();
        if found.verdict.failure().is_some() && n_steps(&found.trace) > 0 {
            let (text, n_steps) = shrunk(&|src| stepping.generate(src), found);
            assert_eq!((text, n_steps), (expected.clone(), 0), "seed {seed}");
            n += 1;
            if n == 8 {
                return;
            }
        }
    }
    panic!("{n} failures");
}

#[test]
fn steps_are_shrunk_away() {
    let (list, steady) = (|| vec(any::<i32>(), 0..), || any::<i32>().neighbor(by_one));
    minimum(list(), vec(steady(), 0..), |it| it.iter().all(|it| *it < 1000));
    minimum(list(), vec(steady(), 0..), |it| it.len() < 3);
    minimum(
        list(),
        vec(steady(), 0..).neighbor(|it, temperature, src| vec(any(), 0..).near(it, temperature, src)),
        |it| it.iter().all(|it| *it > -77),
    );
    minimum(list(), vec(steady(), 0..), |it| it.is_sorted());
    let small = |base: &i32, temperature: f64, src: &mut Source| (0..=1000).near(base, temperature, src);
    minimum(0..=1000, from(0..=1000).neighbor(small), |it| !(300..=310).contains(it));
    let coins = || vec(any::<bool>(), 2..5);
    minimum((coins(), 0..=1000), (coins().neighbor(|it, _, _| it.clone()), 0..=1000), |it| {
        it.0.contains(&false) || it.1 < 500
    });
    minimum(0..=20, from(0..=10).neighbor(|it, _, _| it + 1), |it| *it < 8);
}

#[test]
fn the_targeted_engine_goes_by_the_neighbours_of_the_user() {
    let steady = vec(from(0..=9).neighbor(|it, _, src| it + [1, -1][src.pick(2)]), 3);
    let mut test = |src: &mut Source| {
        let sum: i32 = src.draw(steady.by_ref()).iter().sum();
        maximize("sum", sum.into());
        check(sum < 40);
    };
    let finding = search_adaptive(Tally::default(), 7, Annealing::default(), &mut test, budget()).unwrap();
    let found = &finding.failures[0].case;
    let replay = Replay::new(found.trace.values(), Tail::Overrun);
    let again = run_case(&mut Source::new(Box::new(replay)), &mut test).unwrap();
    assert!(again.verdict.failure().is_some(), "sums above 27 come of steps alone");
    assert_eq!(again.trace, found.trace);
}
