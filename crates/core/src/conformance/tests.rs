//! All engines and everything that is put around them, and others that break each law.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};

use super::probe::Probe;
use super::small_tests::every_domain;
use super::*;
use crate::engine::KeptEngine;
use crate::{
    Aligned, Annealing, Bounds, Budget, Combine, Corpus, Exhaustive, Generator, Ordered, Random, Replay,
    Space, Tail, Targeted, any, btree_set, from, search, vec,
};

fn answers() -> Vec<Value> {
    vec![Value::Bool(true), Value::Int(99), Value::Char('x')]
}

/// A corpus that was given answers, and keeps them.
fn corpus() -> Corpus {
    let mut res = Corpus::at(7, 0);
    res.add(answers());
    res.add(Vec::new());
    res
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
        ("kept", Box::new(|| Box::new(KeptEngine::new(targeted())))),
        ("kept exhaustive", Box::new(|| Box::new(KeptEngine::new(Exhaustive::new(Bounds::default()))))),
        ("aligned", Box::new(|| Box::new(Aligned::new(recorded())))),
        ("exhaustive", Box::new(exhaustive)),
        ("few", Box::new(|| Box::new(Exhaustive::new(Bounds { size: None, inputs: Some(100) })))),
        ("targeted", Box::new(|| Box::new(targeted()))),
        ("corpus", Box::new(|| Box::new(corpus()))),
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
        check_on(|| Box::new(space().replay(0, 1, None)), |src| _ = generator.generate(src));
        check_on(|| Box::new(space().replay(1, 3, None)), |src| _ = generator.generate(src));
        check_on(exhaustive, |src| _ = generator.generate(src));
    }
    listed(&any::<(bool, Option<bool>)>());
    listed(&vec(0..3, 0..=4));
    listed(&any::<(f64, bool)>());
    listed(&vec(from(0..3).neighbor(|it, _, _| *it), 0..=2));
    listed(&any::<Option<Box<Option<()>>>>());
    listed(&crate::just(3));
}

/// Lists of answers are for one test: another that draws nothing would be run once for each.
#[test]
fn lists_conform() {
    for test in TESTS {
        check_on(|| Box::new(Replay::each([answers(), Vec::new(), answers()])), test);
    }
}

#[test]
fn wrappers_conform() {
    check_wrapper(|it| Box::new(Replay::new(Vec::new(), Tail::Engine(it))));
    check_wrapper(|it| Box::new(Replay::new(answers(), Tail::Engine(it))));
    check_wrapper(|it| Box::new(KeptEngine::new(it)));
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
        let make = || Box::new(Replay::new(answers.clone(), tail()));
        let (cases, ended) = first_cases(&|test, each| run(make(), test, each), &test);
        assert_eq!(cases.len(), n, "{answers:?}");
        let expected = if answers.is_empty() { Ended::Complete } else { Ended::Exhausted };
        assert_eq!(ended, expected, "{answers:?}");
    }
}

/// An engine that is right but for one thing.
struct Wrong {
    inner: Box<dyn Engine>,
    cases: u64,
    flaw: Flaw,
}

#[derive(Clone, Copy, PartialEq)]
enum Flaw {
    None,
    AnswersOutside,
    Varies,
    EndsAt(u64, Ended),
    GoesOn,
    RunsTwice,
    HasNoOrder,
    BeginsTwice,
    EndsTwice,
    EndsNever,
    AnswersFirst,
}

impl Wrong {
    fn make(flaw: Flaw) -> Box<dyn Engine> {
        Wrong::around(exhaustive(), flaw)
    }

    fn around(inner: Box<dyn Engine>, flaw: Flaw) -> Box<dyn Engine> {
        Box::new(Wrong { inner, cases: 0, flaw })
    }
}

impl Engine for Wrong {
    fn begin(&mut self) -> Result<(), Ended> {
        self.cases += 1;
        match self.flaw {
            Flaw::EndsAt(n, ended) if self.cases > n => return Err(ended),
            Flaw::GoesOn if self.cases == 5 => return Err(Ended::Exhausted),
            Flaw::RunsTwice if self.cases.is_multiple_of(2) => {
                self.inner = exhaustive();
                return (0..self.cases / 2).try_for_each(|_| self.inner.begin());
            }
            Flaw::BeginsTwice => self.inner.begin()?,
            Flaw::AnswersFirst => _ = self.inner.answer(&Domain::Bool, &Trace::default()),
            _ => {}
        }
        self.inner.begin()
    }

    fn answer(&mut self, domain: &Domain, so_far: &Trace) -> Result<Value, Stop> {
        static ANSWERS: AtomicU64 = AtomicU64::new(0);
        match self.flaw {
            Flaw::AnswersOutside => Ok(Value::Int(i128::MAX)),
            Flaw::Varies => {
                let rank = ANSWERS.fetch_add(1, Ordering::Relaxed) % 2;
                Ok(domain.at(rank.into()).unwrap_or(domain.simplest()))
            }
            _ => self.inner.answer(domain, so_far),
        }
    }

    fn end(&mut self, case: &Case) {
        match self.flaw {
            Flaw::EndsNever => {}
            Flaw::EndsTwice => {
                self.inner.end(case);
                self.inner.end(case);
            }
            _ => self.inner.end(case),
        }
    }

    fn order(&mut self) -> Option<&mut dyn Ordered> {
        if self.flaw == Flaw::HasNoOrder { None } else { self.inner.order() }
    }
}

/// What `check` panics with.
fn noticed(check: impl FnOnce()) -> Option<String> {
    let payload = catch_unwind(AssertUnwindSafe(check)).err()?;
    let text = payload.downcast_ref::<String>().cloned();
    Some(text.or_else(|| payload.downcast_ref::<&str>().map(|it| it.to_string())).unwrap_or_default())
}

fn is_noticed(check: impl FnOnce(), expected: &str) {
    let text = noticed(check).unwrap_or_else(|| panic!("not noticed: {expected}"));
    assert!(text.contains(expected), "{text:?}, and not {expected:?}");
}

#[test]
fn broken_laws_of_engines_are_noticed() {
    for (flaw, expected) in [
        (Flaw::AnswersOutside, "outside"),
        (Flaw::Varies, "the same search gave different answers"),
        (Flaw::EndsAt(20, Ended::Complete), "said to be complete"),
        (Flaw::EndsAt(0, Ended::Exhausted), "a test that draws nothing was not run"),
        (Flaw::GoesOn, "it ended, and then it did not"),
        (Flaw::RunsTwice, "said to run no input twice"),
        (Flaw::HasNoOrder, "said to be complete"),
    ] {
        is_noticed(|| check(|| Wrong::make(flaw)), expected);
    }
    let nothing_twice = || -> Box<dyn Engine> { Box::new(Replay::each([Vec::new(), Vec::new()])) };
    is_noticed(|| check(nothing_twice), "a test that draws nothing was run more than once");
    assert_eq!(noticed(|| check(|| Wrong::make(Flaw::None))), None);
    assert_eq!(noticed(|| check(|| Wrong::make(Flaw::EndsAt(20, Ended::Exhausted)))), None, "it may give up");
    is_noticed(|| check_findable(|| Box::new(Aligned::new(Trace::default())), false), "never answered");
    is_noticed(|| check_findable(|| Wrong::make(Flaw::EndsAt(3, Ended::Exhausted)), false), "never answered");
}

#[test]
fn broken_laws_of_wrappers_are_noticed() {
    for (flaw, expected) in [
        (Flaw::BeginsTwice, "`begin` was called twice"),
        (Flaw::EndsTwice, "`end` was called before `begin`, or twice"),
        (Flaw::EndsNever, "`begin` was called twice"),
        (Flaw::AnswersFirst, "`answer` was called before `begin`"),
        (Flaw::HasNoOrder, "what is wrapped has an order"),
        (Flaw::EndsAt(1, Ended::Exhausted), "what is wrapped has more than one case"),
    ] {
        is_noticed(|| check_wrapper(|it| Wrong::around(it, flaw)), expected);
    }
    assert_eq!(noticed(|| check_wrapper(|it| Wrong::around(it, Flaw::None))), None);
    is_noticed(|| check_wrapper(|_| Box::new(Random::new(1))), "what is wrapped has more than one case");
}

/// One input of each path of a test, as one who follows them would run them; all but those that `leaves_out` leaves out.
fn by_paths(
    test: &mut dyn Test,
    each: &mut dyn FnMut(&[Value]) -> bool,
    leaves_out: fn(&Case) -> bool,
) -> Ended {
    let mut known: Vec<Case> = Vec::new();
    let mut source = Source::new(exhaustive());
    for _ in 0..CASES_MAX {
        if source.begin().is_err() {
            return Ended::Complete;
        }
        let case = run_case(&mut source, test).unwrap_or_else(|it| panic!("{}", it.message));
        source.end(&case);
        let is_new = !known.iter().any(|it| is_alike(it, &case));
        if is_new && !matches!(case.verdict, Verdict::Reject(_)) && !leaves_out(&case) {
            if !each(&case.trace.values()) {
                return Ended::Budget;
            }
            known.push(case);
        }
    }
    Ended::Exhausted
}

#[test]
fn broken_laws_of_searches_are_noticed() {
    let paths = Claims { once: true, complete: Extent::Paths };
    let test = |src: &mut Source| {
        src.list("list", 0, 2, |src, _| {
            src.bool();
        });
    };
    let check = |search: Search<'_>| check_search_on(search, paths, &test);
    assert_eq!(noticed(|| check(&|test, each| by_paths(test, each, |_| false))), None);
    is_noticed(
        || check(&|test, each| by_paths(test, each, |it| it.trace.choices.len() == 3)),
        "said to be complete, but ran nothing like",
    );
    let inputs = Claims { complete: Extent::Inputs, ..paths };
    is_noticed(
        || check_search_on(&|test, each| by_paths(test, each, |_| false), inputs, &test),
        "said to be complete, but never visited",
    );
    let answers = |values: Vec<Value>| {
        move |_: &mut dyn Test, each: &mut dyn FnMut(&[Value]) -> bool| {
            each(&values);
            each(&values);
            Ended::Exhausted
        }
    };
    is_noticed(|| check(&answers(vec![Value::Length(0)])), "said to run no input twice");
    is_noticed(|| check(&answers(vec![Value::Length(3)])), "outside");
    is_noticed(|| check(&answers(vec![Value::Bool(true)])), "outside");
    is_noticed(
        || check(&answers(vec![Value::Length(1), Value::Bool(true), Value::Bool(true)])),
        "not the answers",
    );
    is_noticed(|| check(&answers(vec![Value::Length(1)])), "");
}
