//! What neighbors must keep.

use std::fmt::Debug;

use super::*;
use crate::{
    Aligned, Annealing, Bounds, Budget, Case, Domain, Ended, Engine, Exhaustive, Generate, Lazy, Random,
    Replay, Rng, Space, Stop, Tail, Tally, Trace, Value, any, context::maximize, from, just, one_of,
    optional, run_case, search, search_adaptive, search_exhaustive, search_random, shrink, vec,
};

/// The random engine, but for steps to neighbors, of which it takes every second.
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

/// At most a twentieth of the way to either end, or one.
fn within(min: i32, max: i32) -> impl Fn(&i32, f64, &mut Source) -> i32 {
    move |base, temperature, source| {
        let far = (f64::from(max - min) / 20.0 * temperature).ceil() as i32;
        source.int((base - far).max(min), (base + far).min(max))
    }
}

/// With an item more, an item less, or one drawn anew.
fn changed<T: Clone + Generate>(base: &[T], max: usize, source: &mut Source) -> Vec<T> {
    let mut next = base.to_vec();
    match source.pick(3) {
        0 if next.len() < max => next.push(T::generate(source)),
        1 => _ = next.pop(),
        _ if next.is_empty() => {}
        _ => {
            let at = source.pick(next.len());
            next[at] = T::generate(source);
        }
    }
    next
}

fn by_one(base: &i32, _: f64, source: &mut Source) -> i32 {
    base.saturating_add([1, -1][source.pick(2)])
}

fn budget() -> Budget<'static> {
    Budget { cases: 1 << 20, rejects: 10, go_on: Box::leak(Box::new(|_| true)), progress: Default::default() }
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
    let lists = vec(any::<Vec<u8>>(), ..=4).neighbor(|base, _, src| {
        let mut next = changed(base, 4, src);
        next.extend(src.draw(optional(any())));
        next
    });
    let both = (vec(any::<i32>().neighbor(by_one), ..=5), lists);
    let both = from(both).neighbor(|base, _, src| (changed(&base.0, 5, src), changed(&base.1, 6, src)));
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
    let digit = || from(0..9).neighbor(within(0, 8));
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

/// What is not good shrinks to the same with neighbors as without, from a trace with steps in it.
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
    minimum(list(), vec(steady(), 0..).neighbor(|it, _, src| changed(it, usize::MAX, src)), |it| {
        it.iter().all(|it| *it > -77)
    });
    minimum(list(), vec(steady(), 0..), |it| it.is_sorted());
    minimum(0..=1000, from(0..=1000).neighbor(within(0, 1000)), |it| !(300..=310).contains(it));
    let coins = || vec(any::<bool>(), 2..5);
    minimum((coins(), 0..=1000), (coins().neighbor(|it, _, _| it.clone()), 0..=1000), |it| {
        it.0.contains(&false) || it.1 < 500
    });
    minimum(0..=20, from(0..=10).neighbor(|it, _, _| it + 1), |it| *it < 8);
}

#[test]
fn the_targeted_engine_goes_by_the_neighbors_of_the_user() {
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
