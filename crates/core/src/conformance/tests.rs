//! All engines and all that is put around them.

use super::*;
use crate::engine::Walk;
use crate::{
    Aligned, Annealing, Bounds, Budget, Exhaustive, Generator, Listed, Random, Replay, Space, Tail, Targeted,
    any, btree_set, search,
};

fn answers() -> Vec<Value> {
    vec![Value::Bool(true), Value::Int(99), Value::Char('x')]
}

fn targeted() -> Targeted {
    Targeted::at(7, 0, Annealing::default())
}

fn exhaustive() -> Box<dyn Engine> {
    Box::new(Exhaustive::new(Bounds::default()))
}

fn recorded() -> Trace {
    let mut source = Source::new(Box::new(Random::at(1, 1)));
    run_case(&mut source, &mut |src: &mut Source| every_domain(src)).expect("no misuse").trace
}

type Make = Box<dyn Fn() -> Box<dyn Engine>>;

/// Every engine, by what it is called when it breaks a law.
fn engines() -> Vec<(&'static str, Make)> {
    let replay = |tail: fn() -> Tail| move || -> Box<dyn Engine> { Box::new(Replay::new(answers(), tail())) };
    vec![
        ("random", Box::new(|| Box::new(Random::new(1)))),
        ("replay, simplest", Box::new(replay(|| Tail::Simplest))),
        ("replay, overrun", Box::new(replay(|| Tail::Overrun))),
        ("replay, random", Box::new(replay(|| Tail::Engine(Box::new(Random::new(2)))))),
        ("replay, exhaustive", Box::new(replay(|| Tail::Engine(exhaustive())))),
        ("replay, targeted", Box::new(replay(|| Tail::Engine(Box::new(targeted()))))),
        ("replay, aligned", Box::new(replay(|| Tail::Engine(Box::new(Aligned::new(recorded())))))),
        (
            "replay, replay",
            Box::new(replay(|| Tail::Engine(Box::new(Replay::new(answers(), Tail::Overrun))))),
        ),
        ("replay of nothing", Box::new(|| Box::new(Replay::new(Vec::new(), Tail::Engine(exhaustive()))))),
        ("aligned", Box::new(|| Box::new(Aligned::new(recorded())))),
        ("exhaustive", Box::new(exhaustive)),
        ("few", Box::new(|| Box::new(Exhaustive::new(Bounds { size: None, inputs: Some(100) })))),
        ("targeted", Box::new(|| Box::new(targeted()))),
        ("near", Box::new(|| Box::new(targeted().near(vec![answers(), Vec::new()])))),
    ]
}

#[test]
fn engines_conform() {
    for (name, make) in engines() {
        let checked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| check(make)));
        assert!(checked.is_ok(), "{name}, see above");
    }
}

#[test]
fn what_is_listed_conforms() {
    fn listed<G: Generator>(generator: &G) {
        let space = || Space::of(generator).unwrap();
        check_on(|| Box::new(Listed::new(space(), 0, 1, None)), |src| _ = generator.generate(src));
        check_on(|| Box::new(Listed::new(space(), 1, 3, None)), |src| _ = generator.generate(src));
        check_on(exhaustive, |src| _ = generator.generate(src));
    }
    listed(&any::<(bool, Option<bool>)>());
    listed(&vec(0..3, 0..=4));
    listed(&any::<(f64, bool)>());
    listed(&vec(from(0..3).neighbor(|it, _, _| *it), 0..=2));
    listed(&any::<Option<Box<Option<()>>>>());
    listed(&crate::just(3));
}

#[test]
fn wrappers_conform() {
    check_wrapper(|it| Box::new(Replay::new(Vec::new(), Tail::Engine(it))));
    check_wrapper(|it| Box::new(Replay::new(answers(), Tail::Engine(it))));
    check_wrapper(|it| {
        Box::new(Replay::new(answers(), Tail::Engine(Box::new(Replay::new(answers(), Tail::Engine(it))))))
    });
}

/// Who runs cases keeps to it, too.
#[test]
fn searches_begin_and_end() {
    for test in TESTS {
        let (probe, seen) = Probe::new();
        let budget = Budget { cases: 9, rejects: 10, go_on: &mut |_| true, progress: Default::default() };
        search(Box::new(probe), &mut |src: &mut Source| test(src), budget).unwrap();
        assert_eq!((seen.borrow().cases, seen.borrow().is_running), (3, false));
    }
}

#[test]
fn everything_can_be_found() {
    check_findable(|| Box::new(Random::new(3)), true);
    check_findable(|| Box::new(targeted()), true);
    check_findable(exhaustive, false);
    check_findable(|| Box::new(Replay::new(Vec::new(), Tail::Engine(Box::new(Random::new(4))))), true);
    check_findable(|| Box::new(Replay::new(Vec::new(), Tail::Engine(exhaustive()))), false);
}

/// The example that was wrong: what follows the recorded answers was visited once for each order of a set.
#[test]
fn what_follows_recorded_answers_is_visited_once() {
    let test = |src: &mut Source| {
        src.bool();
        src.draw(btree_set(0..4, 0..=4));
    };
    for (answers, n) in
        [(vec![], 32), (vec![Value::Bool(true)], 16), (vec![Value::Bool(true), Value::Length(2)], 6)]
    {
        let tail = || Tail::Engine(exhaustive());
        let run = run(Box::new(Replay::new(answers.clone(), tail())), &test);
        assert_eq!(run.cases.len(), n, "{answers:?}");
        let expected = if answers.is_empty() { Ended::Complete } else { Ended::Exhausted };
        assert_eq!(run.ended, Some(expected), "{answers:?}");
    }
}

/// Engines that break a law, each noticed.
#[test]
fn broken_laws_are_noticed() {
    /// An engine with one thing wrong.
    struct Wrong(Exhaustive, u64, fn(u64) -> bool, Ended);
    impl Engine for Wrong {
        fn begin(&mut self) -> Result<(), Ended> {
            self.1 += 1;
            if (self.2)(self.1) { Err(self.3) } else { self.0.begin() }
        }
        fn answer(&mut self, domain: &Domain, so_far: &Trace) -> Result<Value, Stop> {
            self.0.answer(domain, so_far)
        }
        fn end(&mut self, case: &Case) {
            self.0.end(case);
        }
        fn narrow(&mut self, by: Narrow) {
            self.0.narrow(by);
        }
    }
    let wrong = |when, ended| {
        move || -> Box<dyn Engine> { Box::new(Wrong(Exhaustive::new(Bounds::default()), 0, when, ended)) }
    };
    let is_noticed = |it: &dyn Fn()| std::panic::catch_unwind(std::panic::AssertUnwindSafe(it)).is_err();
    assert!(is_noticed(&|| check(wrong(|n| n > 20, Ended::Complete))), "complete too early");
    assert!(is_noticed(&|| check(wrong(|n| n == 20, Ended::Exhausted))), "ends and goes on");
    assert!(is_noticed(&|| check(wrong(|_| true, Ended::Exhausted))), "no case at all");
    assert!(!is_noticed(&|| check(wrong(|n| n > 20, Ended::Exhausted))), "it may give up");
    struct Walked(Walk);
    impl Engine for Walked {
        fn begin(&mut self) -> Result<(), Ended> {
            self.0.begin()
        }
        fn answer(&mut self, domain: &Domain, _: &Trace) -> Result<Value, Stop> {
            Ok(self.0.member(domain))
        }
        fn end(&mut self, _: &Case) {}
    }
    let walked = || -> Box<dyn Engine> { Box::new(Walked(Walk::new(Bounds::default()))) };
    assert!(is_noticed(&|| check(walked)), "neighbours are not passed on");
    assert!(
        is_noticed(&|| check_findable(|| Box::new(Aligned::new(Trace::default())), false)),
        "only the simplest"
    );
    assert!(is_noticed(&|| check_wrapper(|it| drop_it(it))), "asks nobody");
    fn drop_it(_: Box<dyn Engine>) -> Box<dyn Engine> {
        Box::new(Random::new(1))
    }
}
