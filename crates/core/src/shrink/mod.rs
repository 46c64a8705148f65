//! From a failing case to the simplest that fails in the same way.
//!
//! Shrinking works on traces: it proposes other lists of answers, replays them, and keeps what still
//! fails and is simpler (fewer choices, then lower ranks from the left). It knows no types and no
//! engines, so it serves every generator. The passes are
//!
//! - on spans ([`spans`]): throw away what filters refused, take back steps to neighbors, give whole spans
//!   their simplest answers, delete list items, put a part in the place of the whole, join lists, sort;
//! - on choices ([`choices`]): lower one at a time, towards the simplest, on its own side;
//! - on several at once ([`pairs`]): equal values together, two by the same amount, one down while
//!   another goes up, one down with a span or an item deleted;
//! - on steps ([`steps`]): leave out one while another goes another way, switch between threads less often;
//! - on sizes ([`sized`]): a smaller one, with what is of that size drawn anew;
//! - by enumeration ([`enumerate`]): of a small trace, everything simpler, as far as a cap allows.
//!
//! Cheap passes run until they change nothing; only then does a dearer one get its turn. No trace is run
//! twice: the history answers for those already tried.

mod choices;
mod enumerate;
mod pairs;
mod sized;
mod spans;
mod steps;

pub use sized::SIZED;
pub use steps::{SWITCHES, THREADS};

use crate::{
    Aligned, Case, Engine, History, Misuse, Origin, Replay, Source, Tail, Test, Trace, Value, Verdict,
    run_case,
};

/// What [`shrink`] returns.
#[derive(Clone, Debug)]
pub struct Shrunk {
    /// The simplest case found.
    pub case: Case,
    /// How often the test was run.
    pub evaluations: u64,
    /// How many of those runs were simpler and kept.
    pub steps: u64,
    /// Whether every pass was tried to its end; `false` when the budget ended it.
    pub finished: bool,
    /// The simplest case seen of each other origin.
    pub others: Vec<Case>,
}

/// Shrinks a failing case. `max` bounds how often the test is run, and so does `go_on`, which is told
/// the answers before every run.
///
/// ```
/// use probity_core::{Budget, Source, Value, search_random, shrink};
/// let mut test = |src: &mut Source| {
///     let v: Vec<u8> = src.any();
///     assert!(v.iter().all(|it| *it < 100));
/// };
/// let budget = Budget { cases: 1000, rejects: 10, go_on: &mut |_| true, progress: Default::default() };
/// let found = search_random(7, &mut test, budget).unwrap().failures.remove(0);
/// let shrunk = shrink(found.case, &mut test, 10_000, &mut |_| true).unwrap();
/// assert_eq!(shrunk.case.trace.values(), [Value::Length(1), Value::Int(100)]);
/// ```
pub fn shrink(
    case: Case,
    test: &mut dyn Test,
    max: u64,
    go_on: &mut dyn FnMut(&[Value]) -> bool,
) -> Result<Shrunk, Misuse> {
    let Verdict::Fail(failure) = &case.verdict else {
        return Ok(Shrunk { case, evaluations: 0, steps: 0, finished: true, others: Vec::new() });
    };
    let mut history = History::default();
    history.insert(&case.trace);
    let origin = failure.origin.clone();
    let mut shrinker = Shrinker {
        test,
        best: case,
        origin,
        history,
        evaluations: 0,
        steps: 0,
        max,
        go_on,
        spent: false,
        misuse: None,
        others: Vec::new(),
    };
    shrinker.run();
    if let Some(misuse) = shrinker.misuse {
        return Err(misuse);
    }
    Ok(Shrunk {
        case: shrinker.best,
        evaluations: shrinker.evaluations,
        steps: shrinker.steps,
        finished: !shrinker.spent,
        others: shrinker.others,
    })
}

/// The state of one shrinking. Passes read `best` and propose answers through [`consider`](Self::consider).
struct Shrinker<'a> {
    test: &'a mut dyn Test,
    best: Case,
    origin: Origin,
    history: History,
    evaluations: u64,
    steps: u64,
    max: u64,
    go_on: &'a mut dyn FnMut(&[Value]) -> bool,
    spent: bool,
    misuse: Option<Misuse>,
    others: Vec<Case>,
}

/// One kind of shrinking step.
type Pass = fn(&mut Shrinker<'_>);

/// Cheap passes: about one run for each span or choice.
const CHEAP_PASSES: &[Pass] = &[
    |it| it.drop_discarded(),
    |it| it.simplify_outside_items(),
    |it| it.delete_items(),
    |it| it.hoist(),
    |it| it.simplify_spans(),
    |it| it.join_lists(),
    |it| it.delete_steps(),
    |it| it.lower_choices(),
];

/// Expensive passes: up to one run for each pair.
const EXPENSIVE_PASSES: &[Pass] = &[
    |it| it.lower_sizes(),
    |it| it.replace_steps(),
    |it| it.find_fewer_switches(),
    |it| it.lower_equal(),
    |it| it.sort(),
    |it| it.merge_items(),
    |it| it.delete_and_renumber(),
    |it| it.lower_together(),
    |it| it.transfer(),
    |it| it.borrow(),
    |it| it.lower_and_delete(),
    |it| it.lower_and_simplify_later(),
    |it| it.delete_and_raise(),
    |it| it.delete_step_and_change_arm(),
    |it| it.lower_to_remainders(),
    |it| it.enumerate_simpler(),
];

impl Shrinker<'_> {
    fn run(&mut self) {
        loop {
            self.settle();
            let steps = self.steps;
            for pass in EXPENSIVE_PASSES {
                pass(self);
                if self.steps > steps {
                    break;
                }
            }
            if self.steps == steps || self.spent {
                return;
            }
        }
    }

    /// Runs the cheap passes for as long as they remove choices, and once more where they only lower some.
    /// Not for ever: two choices that hold each other up go down in small steps, and need an expensive pass.
    fn settle(&mut self) {
        let mut lowered = 0;
        while lowered < 2 && !self.spent {
            let (len, steps) = (self.trace().choices.len(), self.steps);
            for pass in CHEAP_PASSES {
                pass(self);
            }
            if self.steps == steps {
                return;
            }
            lowered = if self.trace().choices.len() < len { 0 } else { lowered + 1 };
        }
    }

    fn trace(&self) -> &Trace {
        &self.best.trace
    }

    fn values(&self) -> Vec<Value> {
        self.best.trace.values()
    }

    /// Replays `values` and keeps the case if it still fails in the same way and is simpler.
    fn consider(&mut self, values: Vec<Value>) -> bool {
        !self.history.knows(&values) && self.replay(values).is_some_and(|case| self.judge(case))
    }

    /// As [`consider`](Self::consider), for a trace with spans: what its spans no longer ask for is left
    /// out, and what they ask for in addition is the simplest.
    fn consider_aligned(&mut self, trace: Trace) -> bool {
        let values = trace.values();
        self.history.note(&values);
        self.evaluate(Box::new(Aligned::new(trace)), &values).is_some_and(|case| self.judge(case))
    }

    fn replay(&mut self, values: Vec<Value>) -> Option<Case> {
        self.history.note(&values);
        self.evaluate(Box::new(Replay::new(values.clone(), Tail::Simplest)), &values)
    }

    /// Runs the test once, if the budget allows it.
    fn evaluate(&mut self, engine: Box<dyn Engine>, values: &[Value]) -> Option<Case> {
        if self.spent || self.evaluations >= self.max || !(self.go_on)(values) {
            self.spent = true;
            return None;
        }
        self.evaluations += 1;
        let mut source = Source::new(engine);
        // A longer trace is not simpler: it need not be run to its end. One choice more distinguishes those that were stopped
        // and fail all the same because a check was broken, from those that came to their end.
        source.limit_choices(self.best.trace.choices.len() + 1);
        match run_case(&mut source, self.test) {
            Ok(case) => {
                self.history.insert(&case.trace);
                Some(case)
            }
            Err(misuse) => {
                // The search did not meet it, so shrinking went where the user never was.
                self.misuse.get_or_insert(misuse);
                self.spent = true;
                None
            }
        }
    }

    /// Keeps the case if it fails in the same way and is simpler.
    fn judge(&mut self, case: Case) -> bool {
        let Verdict::Fail(failure) = &case.verdict else { return false };
        if failure.origin != self.origin {
            self.keep_other(case);
            return false;
        }
        if case.trace.simplicity(&self.best.trace).is_ge() {
            return false;
        }
        self.best = case;
        self.steps += 1;
        true
    }

    fn keep_other(&mut self, case: Case) {
        let origin = |case: &Case| case.verdict.failure().map(|it| it.origin.clone());
        match self.others.iter_mut().find(|it| origin(it) == origin(&case)) {
            Some(other) if case.trace.simplicity(&other.trace).is_lt() => *other = case,
            Some(_) => {}
            None => self.others.push(case),
        }
    }

    /// The greatest `k` for which `works` holds, if it holds for all smaller ones: tried one by one at
    /// first, then by doubling, then by halving.
    fn farthest(&mut self, max: usize, mut works: impl FnMut(&mut Self, usize) -> bool) -> usize {
        let mut low = 0;
        let mut step = 1;
        let mut high = max + 1;
        while low + 1 < high {
            let at = if step > 0 { (low + step).min(high - 1) } else { low + (high - low) / 2 };
            if works(self, at) {
                low = at;
                step = if at < 4 { step } else { step * 2 };
            } else {
                high = at;
                step = 0;
            }
            if self.spent {
                break;
            }
        }
        low
    }
}
