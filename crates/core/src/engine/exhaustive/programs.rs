//! Random test programs, each visited by the engine in all its ways and by the odometer.

use std::rc::Rc;

use super::tests::brute;
use super::*;
use crate::{
    Budget, Combine, Generator, Lazy, Source, Verdict, context, from, lazy, one_of, recursive, run_case,
    search_exhaustive, search_random, vec,
};

/// What a program does next. Each step adds to a number, on which later steps depend.
#[derive(Clone, Debug)]
enum Step {
    Int(i32),
    Pick(u32),
    Free(usize),
    List(Vec<Step>, u32),
    /// Steps that are drawn again until their number is not a multiple of this.
    Filter(Vec<Step>, u64),
    /// A chain of parts that are drawn as they are read, kept by an invariant that reads as far as it has to;
    /// what it does not read may be read after it.
    Chain(Vec<Step>, u64),
    /// Steps that are drawn when a later `Read` comes, if one does.
    Later(Vec<Step>),
    Read(u32),
    Assume(u64),
    If(Vec<Step>, Vec<Step>),
}

fn steps() -> impl Generator<Value = Vec<Step>> {
    let leaf = one_of([
        from(1..4).map(Step::Int).boxed(),
        from(1u32..4).map(Step::Pick).boxed(),
        from(1usize..4).map(Step::Free).boxed(),
        from(0u32..3).map(Step::Read).boxed(),
        from(2u64..5).map(Step::Assume).boxed(),
    ]);
    let step = recursive(leaf, |step| {
        let some = move || vec(step.clone(), 0..=3);
        one_of([
            from((some(), 1u32..3)).map(|(steps, max)| Step::List(steps, max)).boxed(),
            from((some(), 2u64..4)).map(|(steps, n)| Step::Filter(steps, n)).boxed(),
            from((some(), 2u64..6)).map(|(steps, n)| Step::Chain(steps, n)).boxed(),
            some().map(Step::Later).boxed(),
            (from((some(), some())).map(|(a, b)| Step::If(a, b))).boxed(),
        ])
    });
    vec(step, 1..=5)
}

/// How many free picks a program may ask for, at most: each multiplies the inputs of every size.
fn n_free(steps: &[Step]) -> u64 {
    let of = |step: &Step| match step {
        Step::Free(_) => 1,
        Step::List(steps, max) => u64::from(*max) * n_free(steps),
        Step::Chain(steps, _) => 6 * n_free(steps),
        Step::Filter(steps, _) | Step::Later(steps) => n_free(steps),
        Step::If(a, b) => n_free(a).max(n_free(b)),
        _ => 0,
    };
    steps.iter().map(of).sum()
}

/// Up to this many numbers, and an eager one before each.
struct Chain {
    first: u64,
    number: Lazy<u64>,
    twin: Lazy<u64>,
    next: Lazy<Option<Chain>>,
}

impl Chain {
    fn new(src: &mut Source, steps: Rc<[Step]>, left: u64) -> Chain {
        let number = |steps: &Rc<[Step]>| {
            let steps = Rc::clone(steps);
            lazy(move |src: &mut Source| sub(src, &steps))
        };
        let (first, twin) = (src.pick(2) as u64, number(&steps).generate(src));
        let next = Rc::clone(&steps);
        let next = lazy(move |src: &mut Source| {
            (left > 0 && src.bool()).then(|| Chain::new(src, Rc::clone(&next), left - 1))
        });
        Chain { first, number: number(&steps).generate(src), twin, next: next.generate(src) }
    }

    /// Reads more of a link where its first number is odd, and stops at some sums.
    fn holds(&self, n: u64) -> bool {
        let (mut sum, mut link) = (0u64, self);
        loop {
            sum = sum.wrapping_add(*link.number);
            if link.first == 1 {
                sum = sum.wrapping_add(*link.twin);
            }
            if sum % n == 1 {
                return false;
            }
            match &*link.next {
                Some(next) if sum % n != 2 => link = next,
                _ => return true,
            }
        }
    }

    fn read(&self, links: u64) -> u64 {
        let next = if links > 0 { self.next.as_ref() } else { None };
        (*self.twin ^ *self.number).wrapping_add(next.map_or(0, |it| it.read(links - 1)))
    }
}

#[derive(Default)]
struct Machine {
    number: u64,
    later: Vec<Lazy<u64>>,
}

/// Runs steps with a number of their own, and returns it.
fn sub(src: &mut Source, steps: &[Step]) -> u64 {
    let mut machine = Machine::default();
    machine.run(src, steps);
    machine.number
}

impl Machine {
    fn add(&mut self, word: u64) {
        self.number = self.number.wrapping_mul(31).wrapping_add(word + 1);
    }

    fn run(&mut self, src: &mut Source, steps: &[Step]) {
        for step in steps {
            match step {
                Step::Int(max) => self.add(u64::from(src.int(-1, *max).unsigned_abs())),
                Step::Pick(n) => self.add(src.pick(*n as usize) as u64),
                Step::Free(n) => self.add(src.pick_free(&[1, 2, 3][..*n]) as u64),
                Step::List(steps, max) => {
                    let mut machine = Machine::default();
                    src.list("list", 0, *max, |src, _| machine.run(src, steps));
                    self.add(machine.number);
                }
                Step::Filter(steps, n) => {
                    let part = |src: &mut Source| {
                        // What was made earlier may be drawn for the first time within the filter.
                        let read = self.later.last().map_or(0, |it| **it);
                        sub(src, steps).wrapping_add(read)
                    };
                    let word = from(part).filter(|it| !it.is_multiple_of(*n)).generate(src);
                    self.add(word);
                }
                Step::Chain(steps, n) => {
                    let chain = from(|src: &mut Source| Chain::new(src, steps.clone().into(), 2));
                    let chain = chain.such_that(|it| it.holds(*n)).generate(src);
                    let read = self.number % 4;
                    self.add(chain.read(read));
                }
                Step::Later(steps) => {
                    let steps = Rc::new(steps.clone());
                    self.later.push(lazy(move |src: &mut Source| sub(src, &steps)).generate(src));
                }
                Step::Read(at) => {
                    let word = self.later.get(*at as usize).map_or(0, |it| **it);
                    self.add(word);
                }
                Step::Assume(n) => context::assume(!self.number.is_multiple_of(*n), "no multiple"),
                Step::If(a, b) => {
                    let steps = if self.number.is_multiple_of(2) { a } else { b };
                    self.run(src, steps);
                }
            }
        }
    }
}

#[test]
fn programs_are_visited_alike_in_all_ways() {
    const SIZE: u64 = 3;
    let bounds = Bounds { size: Some(SIZE), inputs: None };
    let mut inputs = 0;
    let mut test = |src: &mut Source| {
        let program: Vec<Step> = src.draw(steps());
        if n_free(&program) > 5 {
            return;
        }
        let run = |src: &mut Source| Machine::default().run(src, &program);
        let expected = brute(run, SIZE);
        // A way of its own for each of: full speed, with recording, as any engine.
        let mut fast = 0;
        let mut counted = |src: &mut Source| {
            run(src);
            fast += 1;
        };
        let budget = || {
            let go_on = Box::leak(Box::new(|_| true));
            Budget { cases: u64::MAX, rejects: 0, go_on, progress: Default::default() }
        };
        search_exhaustive(bounds, &mut counted, budget()).unwrap();
        assert_eq!(fast, expected.len() as u64, "at full speed");
        let mut recorded = 0;
        let mut labelled = |src: &mut Source| {
            run(src);
            recorded += 1;
            context::label(format_args!("seen"));
        };
        let tally = search_exhaustive(bounds, &mut labelled, budget()).unwrap().tally;
        assert_eq!(tally.labels.get("seen").copied().unwrap_or(0), expected.len() as u64, "recorded");
        let mut source = Source::new(Box::new(Exhaustive::new(bounds)));
        let mut found = Vec::new();
        while source.begin().is_ok() {
            let case = run_case(&mut source, &mut |src: &mut Source| run(src)).unwrap();
            if !matches!(case.verdict, Verdict::Reject(_)) {
                found.push((case.trace.size(), case.trace.values()));
            }
        }
        assert!(found.is_sorted_by_key(|it| it.0));
        found.sort_by_key(|it| format!("{it:?}"));
        assert_eq!(found, expected);
        inputs += expected.len();
    };
    let budget = Budget { cases: 400, rejects: 10, go_on: &mut |_| true, progress: Default::default() };
    let finding = search_random(7, &mut test, budget).unwrap();
    if let Some(found) = finding.failures.first() {
        let shrunk = crate::shrink(found.case.clone(), &mut test, 2000, &mut |_| true).unwrap();
        let replay = crate::Replay::new(shrunk.case.trace.values(), crate::Tail::Simplest);
        let shown = crate::render_case(&mut Source::new(Box::new(replay)), &mut test).unwrap();
        panic!("{}\n{:?}", shown.log.inputs[0].text, shown.verdict);
    }
    assert!(inputs > 1_000, "{inputs}");
}
