//! The built-in solver: propagation of domains, seeded search, and SAT for hard integer queries.
//!
//! Requirements on one unknown narrow its domain and are gone. The others become nodes of a network over which
//! domains are narrowed to a fixpoint; search then fixes one slot after the other, narrowing after each, so that
//! most values fit at once. Components that share no requirement are searched one after the other. Where search
//! does not settle whole numbers and truths, they are spelled out in bits for a SAT solver.

mod bits;
mod blast;
mod domain;
mod int_set;
mod narrowing;
mod network;
mod revise;
mod revise_parts;
mod revise_text;
mod search;
mod strict;
mod survey;
mod unary;

pub use int_set::IntSet;
pub use narrowing::Narrowing;

use std::sync::Arc;

use crate::flat::{Expr, ExprNode, Scalar, Slot};
use crate::random::Random;
use crate::regex::Language;
use crate::solve::{Answer, Effort, Solver};
use blast::Blasted;
use domain::{Dom, Text};
use network::{Network, Revised};
use search::{Blocks, Found, Search};
use strict::Strict;
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

/// The solver that needs nothing installed.
///
/// ```
/// use probity_spec::flat::{Expr, Scalar, Slot, SlotKind, add, eq, mul};
/// use probity_spec::solve::{Answer, Effort, Solver, builtin::Builtin};
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
    built: Option<(Built, usize)>,
    /// Always hands integer queries to SAT: for tests of it.
    pub(crate) only_sat: bool,
}

/// A network and what is kept beside it.
#[derive(Clone)]
struct Built {
    net: Network,
    blocks: Blocks,
    /// Requirements that a model is checked against; those in the blocks are checked there.
    checked: Vec<Expr>,
    strict: Strict,
    is_empty: bool,
}

impl Built {
    fn new(slots: &[Slot]) -> Built {
        Built {
            net: Network::new(slots),
            blocks: Blocks::default(),
            checked: Vec::new(),
            strict: Strict::default(),
            is_empty: false,
        }
    }

    fn require(&mut self, expr: &Expr) {
        match expr.node() {
            ExprNode::And(parts) => return parts.iter().for_each(|it| self.require(it)),
            ExprNode::Or(_) if self.blocks.take(expr, self.net.slots) => return,
            _ => {}
        }
        // What a domain takes up it holds exactly, and there can be very many such requirements.
        if let Some(done) = unary::absorb(&mut self.net, expr) {
            return self.note(done);
        }
        self.checked.push(expr.clone());
        let done = self.net.require(expr);
        self.note(done);
        for implied in self.strict.learn(expr) {
            let done = self.net.require(&implied);
            self.note(done);
        }
    }

    /// Narrows domains until nothing changes; whether it was stopped before.
    fn propagate(&mut self, stop: &dyn Fn() -> bool) -> bool {
        if !self.is_empty {
            let done = self.net.propagate(stop);
            self.note(done);
        }
        std::mem::take(&mut self.net.stopped)
    }

    fn note(&mut self, done: Revised) {
        self.is_empty |= done.is_err();
    }

    fn admits(&self, model: &[Scalar]) -> bool {
        self.checked.iter().all(|it| it.eval_bool(model) == Some(true))
    }

    /// One answer. Whatever narrowed domains on the way is undone.
    fn solve(
        &mut self,
        survey: &Survey,
        random: &mut Random,
        rejected: &mut u64,
        effort: &Effort,
        only_sat: bool,
    ) -> Answer {
        if self.is_empty {
            return Answer::Unsat;
        }
        let checked = &self.checked;
        let mut search = Search::new(&mut self.net, &self.blocks, survey, random, effort.stop);
        let mut limit = if only_sat { 0 } else { STEPS_FIRST };
        let mut attempts = 0;
        let mut tried_sat = vec![false; survey.components.len()];
        let answer = loop {
            match search.next(limit) {
                Found::Model(model) => {
                    let fits = checked.iter().all(|it| it.eval_bool(&model) == Some(true));
                    break if fits {
                        Answer::Sat(model)
                    } else {
                        unknown(search.net, "a whole number left 128 bits")
                    };
                }
                Found::Exhausted => break Answer::Unsat,
                Found::Stopped => break unknown(search.net, STOPPED),
                Found::Truncated => {
                    attempts += 1;
                    if attempts >= ATTEMPTS {
                        break unknown(search.net, "not all texts could be tried");
                    }
                    search.reset();
                }
                Found::OutOfSteps(component) => {
                    search.reset();
                    if !std::mem::replace(&mut tried_sat[component], true) {
                        let blocks = search.blocks;
                        match blast::solve(search.net, blocks, survey, component, effort) {
                            Blasted::Sat(model) => _ = search.given.insert(component, Arc::new(model)),
                            Blasted::Unsat => break Answer::Unsat,
                            Blasted::Unknown => {}
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
        *rejected += search.rejected;
        answer
    }
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
        let (built, done) = self.built.get_or_insert_with(|| (Built::new(&self.slots), 0));
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
        built.solve(&survey, &mut Random::new(effort.seed), &mut 0, effort, self.only_sat)
    }
}

/// What is left of a slot's values.
#[derive(Clone, Debug)]
pub enum Domain {
    /// Whether it can be false, and true.
    Bool(bool, bool),
    /// Whole numbers.
    Int(IntSet),
    /// Texts that are all of this at once.
    Text {
        /// Their lengths in characters.
        lengths: IntSet,
        /// The language they are in, where one is known.
        language: Option<Arc<Language>>,
        /// All that are left, once they are few.
        options: Option<Arc<Vec<Arc<str>>>>,
    },
}

/// The domains that are left when all of `requires` hold, or none if propagation finds that they cannot. No model is
/// lost; what is left need not all be part of one.
///
/// ```
/// use probity_spec::flat::{Expr, Slot, SlotKind, lt};
/// use probity_spec::solve::builtin::{Domain, IntSet, propagate};
/// let slot = |name: &str| Slot { name: name.to_string(), kind: SlotKind::Int { lo: 0, hi: 9 } };
/// let domains = propagate(&[slot("x"), slot("y")], &[lt(Expr::slot(0), Expr::slot(1))]).unwrap();
/// assert!(matches!(&domains[0], Domain::Int(set) if *set == IntSet::range(0, 8)));
/// ```
pub fn propagate(slots: &[Slot], requires: &[Expr]) -> Option<Vec<Domain>> {
    let built = build(slots, requires, &|| false).ok()?;
    Some(built.net.doms[..slots.len()].iter().map(domain_of).collect())
}

fn domain_of(it: &Dom) -> Domain {
    match it {
        Dom::Bool(no, yes) => Domain::Bool(*no, *yes),
        Dom::Int(set) => Domain::Int(set.clone()),
        Dom::Text(Text { lengths, language, options, .. }) => {
            let (lengths, language, options) = (lengths.clone(), language.clone(), options.clone());
            Domain::Text { lengths, language, options }
        }
    }
}

/// Why there is no network.
#[derive(PartialEq)]
enum Unbuilt {
    /// It is known to have no model.
    Empty,
    Stopped,
}

/// A network at rest.
fn build(slots: &[Slot], requires: &[Expr], stop: &dyn Fn() -> bool) -> Result<Built, Unbuilt> {
    let mut built = Built::new(slots);
    for it in requires {
        if stop() {
            return Err(Unbuilt::Stopped);
        }
        built.require(it);
    }
    match built.propagate(stop) {
        true => Err(Unbuilt::Stopped),
        false if built.is_empty => Err(Unbuilt::Empty),
        false => Ok(built),
    }
}

/// Many random models of a conjunction, by construction: each choice narrows what is left for the next.
///
/// ```
/// use probity_spec::flat::{Expr, Scalar, Slot, SlotKind, lt};
/// use probity_spec::solve::{Answer, Effort, builtin::Sampler};
/// let slot = |name: &str| Slot { name: name.to_string(), kind: SlotKind::Int { lo: 0, hi: 999 } };
/// let mut sampler = Sampler::new(&[slot("x"), slot("y")], &[lt(Expr::slot(0), Expr::slot(1))], 7).unwrap();
/// let effort = Effort { stop: &|| false, millis: 1000, seed: 0 };
/// for _ in 0..100 {
///     let Answer::Sat(model) = sampler.sample(&effort) else { panic!("there are many") };
///     assert!(model[0] < model[1]);
/// }
/// assert_eq!(sampler.rejected, 0);
/// ```
pub struct Sampler {
    /// How many choices had to be taken back so far.
    pub rejected: u64,
    built: Built,
    survey: Survey,
    random: Random,
}

impl Sampler {
    /// Samples models of all of `requires`; none if propagation finds that there are none.
    pub fn new(slots: &[Slot], requires: &[Expr], seed: u64) -> Option<Sampler> {
        Sampler::until(slots, requires, seed, &|| false)
    }

    /// The same, and none if `stop` says so before it is ready.
    pub fn until(slots: &[Slot], requires: &[Expr], seed: u64, stop: &dyn Fn() -> bool) -> Option<Sampler> {
        let built = build(slots, requires, stop).ok()?;
        let survey = Survey::of(&built.net);
        Some(Sampler { rejected: 0, built, survey, random: Random::new(seed) })
    }

    /// Another random model, not necessarily a new one; the reason if there is none or it takes too long. The effort's
    /// seed is not used: the sampler goes on with its own.
    pub fn sample(&mut self, effort: &Effort) -> Answer {
        self.built.solve(&self.survey, &mut self.random, &mut self.rejected, effort, false)
    }
}

/// All models in a fixed order; none if there are more than `limit`, the domains are not bounded enough to tell, or
/// `stop` says so.
///
/// ```
/// use probity_spec::flat::{Expr, Slot, SlotKind, lt};
/// use probity_spec::solve::builtin::all;
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
        Err(why) => return (why == Unbuilt::Empty).then(Vec::new),
    };
    let survey = Survey::of(&built.net);
    let checker = built.clone();
    let mut random = Random::new(0);
    let mut search = Search::new(&mut built.net, &built.blocks, &survey, &mut random, stop);
    search.ordered = true;
    let mut models = Vec::new();
    let most = STEPS_MAX + STEPS_PER_MODEL * limit as u64;
    loop {
        match search.next(most.saturating_sub(search.steps)) {
            Found::Model(_) if models.len() == limit => return None,
            Found::Model(model) => {
                if checker.admits(&model) {
                    models.push(model);
                }
            }
            Found::Exhausted => return Some(models),
            _ => return None,
        }
    }
}
