//! The built-in solver: propagation of domains, seeded search, and SAT for hard integer queries.
//!
//! Requirements on one unknown narrow its domain and are gone. The others become nodes of a network over which
//! domains are narrowed to a fixpoint; search then fixes one slot after the other, narrowing after each, so that
//! most values fit at once. Components that share no requirement are searched one after the other. Where search
//! does not settle whole numbers and truths, they are spelled out in bits for a SAT solver.

mod blast;
mod search;
mod survey;

use std::sync::Arc;

use crate::solve::{Answer, Effort, Solver};
use blast::BlastAnswer;
use probity_spec::Random;
use probity_spec::flat::{Expr, ExprNode, Scalar, Slot};
use probity_spec::propagate::conjunction::{BuildError, Conjunction, build};
use probity_spec::propagate::network::Network;
use search::{NetworkSearch, SearchOutcome};
use survey::Survey;

/// Steps of a search before it starts anew, or is handed to SAT.
const STEPS_FIRST: u64 = 2_000;
/// Steps of a search before it is given up.
const STEPS_MAX: u64 = 400_000;
/// Steps for every model when all are listed.
const STEPS_PER_MODEL: u64 = 32;
/// Searches that did not try everything before the query is given up.
const ATTEMPTS: u32 = 6;

/// Why a query ends when the caller says so.
const STOPPED: &str = "it was stopped";

/// How queries were settled: for tables that show what each stage is good for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stages {
    /// Queries that propagation settled before anything was chosen.
    pub propagation: u64,
    /// Queries that search settled.
    pub search: u64,
    /// Queries that were handed to SAT.
    pub sat: u64,
    /// Queries with requirements that follow from two others: at most, and not equal.
    pub implied: u64,
    /// Queries in which numbers waited for the texts that they follow from.
    pub late: u64,
    /// Queries in which a concatenation was chosen before its parts.
    pub wholes_first: u64,
    /// Queries of several parts that share no requirement.
    pub components: u64,
    /// Choices that were taken back.
    pub rejected: u64,
}

/// The solver that needs nothing installed.
///
/// ```
/// use probity_spec::flat::{Expr, Scalar, Slot, SlotKind, add, eq, mul};
/// use probity_models::solve::{Answer, Effort, Solver, builtin::Builtin};
/// let slot = |name: &str| Slot { name: name.to_string(), kind: SlotKind::Int { lo: 1, hi: 99 } };
/// let mut solver = Builtin::new(&[slot("x"), slot("y")]);
/// // x * y = 35 and x + y = 12.
/// solver.require(&eq(mul(Expr::slot(0), Expr::slot(1)), Expr::int(35)));
/// solver.require(&eq(add([Expr::slot(0), Expr::slot(1)]), Expr::int(12)));
/// let effort = Effort { stop: &|| false, millis: 1000, seed: 1 };
/// let Answer::Sat(model) = solver.solve(&effort) else { panic!("5 and 7") };
/// assert!(model == [Scalar::Int(5), Scalar::Int(7)] || model == [Scalar::Int(7), Scalar::Int(5)]);
/// ```
pub struct Builtin {
    slots: Vec<Slot>,
    requires: Vec<Expr>,
    levels: Vec<usize>,
    /// The network of the first requirements, and how many they are.
    built: Option<(Conjunction, usize)>,
    /// Always hands integer queries to SAT: for tests of it.
    pub(crate) only_sat: bool,
    /// How queries were settled so far.
    pub stages: Stages,
}

/// One answer. Whatever narrowed domains on the way is undone.
fn solve(
    conjunction: &mut Conjunction,
    survey: &Survey,
    random: &mut Random,
    stages: &mut Stages,
    effort: &Effort,
    only_sat: bool,
) -> Answer {
    stages.implied += u64::from(conjunction.implied > 0);
    if conjunction.is_empty {
        stages.propagation += 1;
        return Answer::Unsat;
    }
    let checked = &conjunction.checked;
    let mut search =
        NetworkSearch::new(&mut conjunction.net, &conjunction.exclusions, survey, random, effort.stop);
    let mut limit = if only_sat { 0 } else { STEPS_FIRST };
    let mut attempts = 0;
    let mut tried_sat = vec![false; survey.components.len()];
    let answer = loop {
        match search.next(limit) {
            SearchOutcome::Model(model) => {
                let fits = checked.iter().all(|it| it.eval_bool(&model) == Some(true));
                break if fits {
                    Answer::Sat(model)
                } else {
                    unknown(search.net, "a whole number left 128 bits")
                };
            }
            SearchOutcome::Exhausted => break Answer::Unsat,
            SearchOutcome::Stopped => break unknown(search.net, STOPPED),
            SearchOutcome::Truncated => {
                attempts += 1;
                if attempts >= ATTEMPTS {
                    break unknown(search.net, "not all texts could be tried");
                }
                search.reset();
            }
            SearchOutcome::OutOfSteps(component) => {
                search.reset();
                if !std::mem::replace(&mut tried_sat[component], true) {
                    let blocks = search.blocks;
                    match blast::solve(search.net, blocks, survey, component, effort) {
                        BlastAnswer::Sat(model) => _ = search.given.insert(component, Arc::new(model)),
                        BlastAnswer::Unsat => break Answer::Unsat,
                        BlastAnswer::Unknown => {}
                    }
                }
                limit = (limit * 4).max(STEPS_FIRST);
                if search.steps > STEPS_MAX {
                    break unknown(search.net, "it takes too many steps");
                }
            }
        }
    };
    search.reset();
    match (search.steps, tried_sat.contains(&true)) {
        (_, true) => stages.sat += 1,
        (0, _) => stages.propagation += 1,
        _ => stages.search += 1,
    }
    stages.late += u64::from(search.order.late);
    stages.wholes_first += u64::from(search.order.wholes_first);
    stages.components += u64::from(survey.components.iter().filter(|it| it.len() > 1).count() > 1);
    stages.rejected += search.rejected;
    answer
}

/// Names what could not be handled.
fn unknown(net: &Network, why: &str) -> Answer {
    let notes: String = net.notes.iter().map(|it| format!("; {it}")).collect();
    Answer::Unknown(format!("the built-in solver gave up: {why}{notes}"))
}

impl Builtin {
    /// A solver for these unknowns, with nothing required yet.
    pub fn new(slots: &[Slot]) -> Builtin {
        Builtin {
            slots: slots.to_vec(),
            requires: Vec::new(),
            levels: Vec::new(),
            built: None,
            only_sat: false,
            stages: Stages::default(),
        }
    }

    /// Spells every component of whole numbers and truths out for SAT instead of searching first.
    pub fn with_sat_only(mut self) -> Builtin {
        self.only_sat = true;
        self
    }
}

impl Solver for Builtin {
    fn name(&self) -> String {
        "built-in".to_string()
    }

    fn require(&mut self, expr: &Expr) {
        // Each may take long to take up, and between them it can be stopped.
        match expr.node() {
            ExprNode::And(parts) => parts.iter().for_each(|it| self.require(it)),
            _ => self.requires.push(expr.clone()),
        }
    }

    fn push(&mut self) {
        self.levels.push(self.requires.len());
    }

    fn pop(&mut self) {
        if let Some(length) = self.levels.pop() {
            self.requires.truncate(length);
            self.built = self.built.take().filter(|it| it.1 <= length);
        }
    }

    fn solve(&mut self, effort: &Effort) -> Answer {
        let (built, done) = self.built.get_or_insert_with(|| (Conjunction::new(&self.slots), 0));
        for it in &self.requires[*done..] {
            if (effort.stop)() {
                return unknown(&built.net, STOPPED);
            }
            built.require(it);
            *done += 1;
        }
        if built.propagate(effort.stop) {
            return unknown(&built.net, STOPPED);
        }
        let survey = Survey::of(&built.net);
        solve(built, &survey, &mut Random::new(effort.seed), &mut self.stages, effort, self.only_sat)
    }
}

/// Many random models of a conjunction, by construction: each choice narrows what is left for the next.
///
/// ```
/// use probity_spec::flat::{Expr, Scalar, Slot, SlotKind, lt};
/// use probity_models::solve::{Answer, Effort, builtin::ModelSampler};
/// let slot = |name: &str| Slot { name: name.to_string(), kind: SlotKind::Int { lo: 0, hi: 999 } };
/// let mut sampler = ModelSampler::new(&[slot("x"), slot("y")], &[lt(Expr::slot(0), Expr::slot(1))], 7).unwrap();
/// let effort = Effort { stop: &|| false, millis: 1000, seed: 0 };
/// for _ in 0..100 {
///     let Answer::Sat(model) = sampler.sample(&effort) else { panic!("there are many") };
///     assert!(model[0] < model[1]);
/// }
/// assert_eq!(sampler.stages.rejected, 0);
/// ```
pub struct ModelSampler {
    /// How queries were settled so far.
    pub stages: Stages,
    built: Conjunction,
    survey: Survey,
    random: Random,
}

impl ModelSampler {
    /// Samples models of all of `requires`; none if propagation finds that there are none.
    pub fn new(slots: &[Slot], requires: &[Expr], seed: u64) -> Option<ModelSampler> {
        ModelSampler::until(slots, requires, seed, &|| false)
    }

    /// The same, and none if `stop` says so before it is ready.
    pub fn until(
        slots: &[Slot],
        requires: &[Expr],
        seed: u64,
        stop: &dyn Fn() -> bool,
    ) -> Option<ModelSampler> {
        let built = build(slots, requires, stop).ok()?;
        let survey = Survey::of(&built.net);
        Some(ModelSampler { stages: Stages::default(), built, survey, random: Random::new(seed) })
    }

    /// Another random model, not necessarily a new one; the reason if there is none or it takes too long. The effort's
    /// seed is not used: the sampler goes on with its own.
    pub fn sample(&mut self, effort: &Effort) -> Answer {
        solve(&mut self.built, &self.survey, &mut self.random, &mut self.stages, effort, false)
    }
}

/// All models in a fixed order; none if there are more than `limit`, the domains are not bounded enough to tell, or
/// `stop` says so.
///
/// ```
/// use probity_spec::flat::{Expr, Slot, SlotKind, lt};
/// use probity_models::solve::builtin::all;
/// let slot = |name: &str| Slot { name: name.to_string(), kind: SlotKind::Int { lo: 0, hi: 9 } };
/// let less = [lt(Expr::slot(0), Expr::slot(1))];
/// assert_eq!(all(&[slot("x"), slot("y")], &less, 1000, &|| false).unwrap().len(), 45);
/// assert_eq!(all(&[slot("x"), slot("y")], &less, 44, &|| false), None);
/// ```
pub fn all(
    slots: &[Slot],
    requires: &[Expr],
    limit: usize,
    stop: &dyn Fn() -> bool,
) -> Option<Vec<Vec<Scalar>>> {
    let mut built = match build(slots, requires, stop) {
        Ok(built) => built,
        Err(why) => return (why == BuildError::Empty).then(Vec::new),
    };
    let survey = Survey::of(&built.net);
    let checker = built.clone();
    let mut random = Random::new(0);
    let mut search = NetworkSearch::new(&mut built.net, &built.exclusions, &survey, &mut random, stop);
    search.ordered = true;
    let mut models = Vec::new();
    let most = STEPS_MAX + STEPS_PER_MODEL * limit as u64;
    loop {
        match search.next(most.saturating_sub(search.steps)) {
            SearchOutcome::Model(_) if models.len() == limit => return None,
            SearchOutcome::Model(model) => {
                if checker.admits(&model) {
                    models.push(model);
                }
            }
            SearchOutcome::Exhausted => return Some(models),
            _ => return None,
        }
    }
}
