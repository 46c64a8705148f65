//! Requests: a number of models of a spec, every pair of them different.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::ControlFlow;
use std::rc::Rc;

use num_bigint::BigUint;

use crate::plan::{
    Context, Differ, Draft, Plan, PlanSample, Planner, RequestFrame, STOPPED, SearchEnd, SearchPlan,
    WorkBudget,
};
use probity_spec::Random;
use probity_spec::regex::Count;
use probity_spec::{Difference, Model, NO_CHOICE, Request, Value};

/// How many models there are, as far as it is known; see [`count`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Total {
    /// The largest set of pairwise different models has exactly this many.
    Exactly(BigUint),
    /// There is no end.
    Infinite,
    /// At least this many, and why it is not known whether there are more.
    AtLeast(BigUint, String),
}

/// How to go about it.
///
/// ```
/// use probity_models::{Encoding, Options, SolverChoice};
/// let solver = SolverChoice::Smt { program: "z3".to_string(), transcript: None };
/// let options = Options { solver, encoding: Encoding::Distinct, ..Options::default() };
/// assert!(options.plan, "a solver is asked only where there is no plan");
/// ```
pub struct Options<'a> {
    /// Same seed, same models.
    pub seed: u64,
    /// Who solves what cannot be planned.
    pub solver: SolverChoice,
    /// How a solver is asked for many models.
    pub encoding: Encoding,
    /// Milliseconds for one query.
    pub millis: u64,
    /// Asked now and then; generation ends with what there is when it says so. The caller owns the clock.
    pub stop: &'a dyn Fn() -> bool,
    /// Skips the plans, to compare them with solvers.
    pub plan: bool,
}

/// Who solves; see [`Options`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SolverChoice {
    /// The solver that needs nothing installed.
    Builtin,
    /// A program that speaks SMT-LIB 2, with its arguments, and where to write the transcript.
    Smt {
        /// The program: a name on the path, or a path.
        program: String,
        /// A file for everything said to it and by it.
        transcript: Option<std::path::PathBuf>,
    },
}

/// How a solver is asked for many models (the paper's §8); see [`Options`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Whichever fits.
    Auto,
    /// One after the other, each different from those before.
    OneAtATime,
    /// One query with `distinct`.
    Distinct,
    /// One query that relates every pair.
    AllAtOnce,
}

/// What came of a request: what [`generate`] returns. The models were handed out on the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generated {
    /// How many were handed out.
    pub models: usize,
    /// How many there are: always known to be fewer than asked when fewer came and nothing was given up.
    pub total: Total,
    /// What was planned, what was solved, and why: lines for `--explain`.
    pub explanation: Vec<String>,
}

/// Why nothing could be generated: a misuse, in words for the user.
///
/// ```
/// use probity_models::{Options, count};
/// use probity_spec::{Difference, Request, Shape, Spec};
/// let request = Request { spec: Spec::new(Shape::Bool), difference: Difference::Never, n: 2 };
/// let error = count(&request, &Options::default()).unwrap_err();
/// assert!(error.0.contains("object"), "{}", error.0);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestError(pub String);

impl Default for Options<'_> {
    fn default() -> Self {
        Options {
            seed: 0,
            solver: SolverChoice::Builtin,
            encoding: Encoding::Auto,
            millis: 5_000,
            stop: &|| false,
            plan: true,
        }
    }
}

/// Hands `n` pairwise different models to `each`, which may end it early; fewer when there are no more.
///
/// Every model was checked by the evaluator.
///
/// ```
/// use std::ops::ControlFlow;
/// use probity_models::{Options, Total, generate};
/// use probity_spec::{Difference, Request, Shape, Spec, Term};
/// let spec = Spec::object([("age", Spec::new(Shape::int(0, 99)))]);
/// let difference = Difference::distance(Term::it().field("age"), 30);
/// let request = Request { spec, difference, n: 10 };
/// let mut models = Vec::new();
/// let made = generate(&request, &Options::default(), &mut |it| {
///     models.push(it);
///     ControlFlow::Continue(())
/// })
/// .unwrap();
/// assert_eq!((models.len(), made.total), (4, Total::Exactly(4_u32.into())));
/// assert!(request.differ(&models[0], &models[1]));
/// ```
pub fn generate(
    request: &Request,
    options: &Options,
    each: &mut dyn FnMut(Model) -> ControlFlow<()>,
) -> Result<Generated, RequestError> {
    let n = request.n as u64;
    let planned = PlannedRequest::of(request, options, n, u64::MAX)?;
    let mut out = ModelSink::new(request, &planned, options, each);
    let end = match planned.searched() {
        Some((search, free)) => out.search(search, free, n),
        None => {
            let sample = planned.plan.sample_distinct(n, options.seed, &planned.context);
            match out.hand_out(&sample) {
                // What has no end has more than was drawn.
                SearchEnd::Largest if matches!(planned.count(true), Ok(Count::Infinite)) => SearchEnd::Open(
                    "lists of more elements and deeper values are not planned for".to_string(),
                ),
                end => end,
            }
        }
    };
    let models = out.models;
    let mut explanation = planned.lines.clone();
    explanation.append(&mut out.notes);
    let wrong = planned.context.wrong_claims.get();
    if wrong > 0 {
        explanation.push(format!(
            "the solver's program was wrong {wrong} times: it said that no more exist where the built-in solver found one"
        ));
    }
    let handed = BigUint::from(models);
    let total = match end {
        SearchEnd::Largest => Total::Exactly(handed),
        SearchEnd::Open(why) => Total::AtLeast(handed, why),
        SearchEnd::Enough => match planned.count(models > 0) {
            Ok(Count::Infinite) => Total::Infinite,
            Ok(Count::Finite(count)) => Total::Exactly(count),
            Err(why) => Total::AtLeast(handed, format!("no more were asked for, and not counted: {why}")),
        },
    };
    Ok(Generated { models, total, explanation })
}

/// How many models the largest set of pairwise different ones has; `n` plays no part.
///
/// ```
/// use probity_models::{Options, Total, count};
/// use probity_spec::{Difference, Request, Shape, Spec};
/// let spec = Spec::object([("x", Spec::new(Shape::int(1, 6))), ("y", Spec::new(Shape::int(1, 6)))]);
/// let request = Request { spec, difference: Difference::Never, n: 0 };
/// assert_eq!(count(&request, &Options::default()).unwrap(), Total::Exactly(36_u32.into()));
/// ```
pub fn count(request: &Request, options: &Options) -> Result<Total, RequestError> {
    let planned = PlannedRequest::of(request, options, COUNTED_MAX, SOLVED_MAX)?;
    match planned.count(false) {
        Ok(Count::Infinite) => return Ok(Total::Infinite),
        Ok(Count::Finite(count)) => return Ok(Total::Exactly(count)),
        Err(_) => {}
    }
    let sample = planned.plan.sample_distinct(COUNTED_MAX, options.seed, &planned.context);
    let found = BigUint::from(sample.len);
    Ok(match sample.why {
        Some(why) => Total::AtLeast(found, why),
        None if sample.len >= COUNTED_MAX => {
            Total::AtLeast(found, "no more were counted one by one".to_string())
        }
        None => Total::Exactly(found),
    })
}

/// Where counting one by one ends.
const COUNTED_MAX: u64 = 20_000;

/// Where counting ends if a solver has to find every model.
const SOLVED_MAX: u64 = 100;

/// A request with its plan.
struct PlannedRequest<'a> {
    frame: RequestFrame,
    plan: Plan,
    choices: usize,
    context: Context<'a>,
    lines: Vec<String>,
}

impl<'a> PlannedRequest<'a> {
    fn of(
        request: &Request,
        options: &'a Options<'a>,
        n: u64,
        solved_max: u64,
    ) -> Result<PlannedRequest<'a>, RequestError> {
        let Some(frame) = RequestFrame::of(&request.spec) else {
            let message = "the spec of a request is an object of blanks; put the value into a field of one";
            return Err(RequestError(message.to_string()));
        };
        let (mut differ, choices) = Differ::of(&request.difference, &frame);
        let vars: Vec<usize> = (0..frame.vars.len()).collect();
        let is_default =
            request.difference == Difference::Never || (choices == 0 && matches!(differ, Differ::Always));
        if is_default {
            differ = Differ::default(&frame, &vars);
        }
        let wrong_claims = Rc::default();
        let context = Context { options, work: WorkBudget::new(options.stop), solved_max, wrong_claims };
        if !options.plan {
            let why = "plans are switched off".to_string();
            let lines = vec![format!("everything: left to a solver, because {why}")];
            let plan = Plan::Search(Box::new(SearchPlan::whole(&frame, request, why)));
            return Ok(PlannedRequest { frame, plan, choices, context, lines });
        }
        let solver = match &options.solver {
            SolverChoice::Builtin => "the built-in solver",
            SolverChoice::Smt { program, .. } => program,
        };
        let mut planner = Planner::new(&frame, n, solver, &context.work);
        let plan = planner.plan(&vars, &frame.requires, &differ);
        let lines = planner.lines;
        Ok(PlannedRequest { frame, plan, choices, context, lines })
    }

    /// The search that all models come from, if there is one, with the plans for the other variables.
    fn searched(&self) -> Option<(&SearchPlan, &[Plan])> {
        match &self.plan {
            Plan::Search(search) => Some((search, &[])),
            Plan::With(plan, free) => match &**plan {
                Plan::Search(search) => Some((search, free)),
                _ => None,
            },
            _ => None,
        }
    }

    /// How many models there are, or why that is not known.
    fn count(&self, has_models: bool) -> Result<Count, String> {
        match (self.plan.count(), &self.plan) {
            (Err(_), Plan::With(plan, free)) if plan.count().is_ok() => {
                // Of variables that need not differ one model is enough.
                let mut free =
                    free.iter().map(|it| it.sample_distinct(1, self.context.options.seed, &self.context));
                match free.find(|it| !has_models && it.len == 0) {
                    Some(PlanSample { why: Some(why), .. }) => Err(why),
                    Some(_) => Ok(Count::of(0)),
                    None => plan.count(),
                }
            }
            (count, _) => count,
        }
    }

    fn draft(&self) -> Draft {
        let values = vec![Value::Bool(false); self.frame.vars.len()];
        Draft { values, choices: vec![NO_CHOICE; self.choices], attempt: 0 }
    }
}

/// Where models go.
struct ModelSink<'a, 'e> {
    request: &'a Request,
    planned: &'a PlannedRequest<'a>,
    options: &'a Options<'a>,
    each: &'e mut dyn FnMut(Model) -> ControlFlow<()>,
    random: Random,
    models: usize,
    /// Models that were dealt or found, but not handed out.
    lost: u64,
    notes: Vec<String>,
    /// Fingerprints of the values so far, where only choices tell some models apart.
    seen: HashSet<u64>,
}

/// How often another value is tried where a model's value was handed out before with other choices.
const TRIES: usize = 4;

/// Models that were thrown away and are told of.
const NOTES_MAX: usize = 10;

/// Models between two questions whether to stop.
const STOP_EVERY: u64 = 64;

/// Models that were found before it was stopped and are handed out yet.
const STOPPED_MAX: u64 = 20_000;

impl<'a, 'e> ModelSink<'a, 'e> {
    fn new(
        request: &'a Request,
        planned: &'a PlannedRequest<'a>,
        options: &'a Options<'a>,
        each: &'e mut dyn FnMut(Model) -> ControlFlow<()>,
    ) -> ModelSink<'a, 'e> {
        let random = Random::new(options.seed);
        ModelSink {
            request,
            planned,
            options,
            each,
            random,
            models: 0,
            lost: 0,
            notes: Vec::new(),
            seen: HashSet::new(),
        }
    }

    /// Hands out what was sampled.
    fn hand_out(&mut self, sample: &PlanSample) -> SearchEnd {
        let mut draft = self.planned.draft();
        let is_late = sample.is_found() && (self.options.stop)();
        for index in 0..sample.len {
            let is_stopped = if is_late {
                index == STOPPED_MAX
            } else {
                index.is_multiple_of(STOP_EVERY) && (self.options.stop)()
            };
            if is_stopped {
                return SearchEnd::Open(STOPPED.to_string());
            }
            match self.make(sample, index, &mut draft) {
                Some(model) => {
                    if self.give(model).is_break() {
                        return SearchEnd::Enough;
                    }
                }
                None => self.lost += 1,
            }
        }
        match &sample.why {
            _ if sample.len >= self.request.n as u64 => self.unless_lost(SearchEnd::Enough),
            Some(why) => SearchEnd::Open(why.clone()),
            None => self.unless_lost(SearchEnd::Largest),
        }
    }

    /// The end, if all models were handed out.
    fn unless_lost(&self, end: SearchEnd) -> SearchEnd {
        match (self.lost, end) {
            (1.., SearchEnd::Enough | SearchEnd::Largest) => {
                SearchEnd::Open(format!("{} planned models could not be made", self.lost))
            }
            (_, end) => end,
        }
    }

    /// The model at a place; where choices tell models apart, preferably one with a value of its own.
    fn make(&mut self, sample: &PlanSample, index: u64, draft: &mut Draft) -> Option<Model> {
        let tries = if self.planned.choices > 0 { TRIES } else { 1 };
        let mut made = None;
        for attempt in 0..tries {
            draft.attempt = attempt as u64;
            draft.choices.fill(NO_CHOICE);
            if !sample.fill(index, draft, &mut self.random) {
                return made;
            }
            let value = self.planned.frame.value(&draft.values);
            let is_new = self.planned.choices == 0 || self.seen.insert(fingerprint(&value));
            made = Some(Model { value, choices: draft.choices.clone() });
            if is_new {
                break;
            }
        }
        made
    }

    /// Hands out a model that the evaluator admits.
    fn give(&mut self, model: Model) -> ControlFlow<()> {
        if let Err(wrong) = self.request.admits(&model) {
            self.lost += 1;
            if self.notes.len() < NOTES_MAX {
                self.notes.push(format!("a model was thrown away because it is wrong: {wrong}"));
            }
            return ControlFlow::Continue(());
        }
        self.models += 1;
        (self.each)(model)
    }

    /// Hands out models as a search finds them, completed by plans for the other variables.
    fn search(&mut self, search: &SearchPlan, free: &[Plan], n: u64) -> SearchEnd {
        let context = &self.planned.context;
        let sample_distinct =
            |(at, it): (usize, &Plan)| it.sample_distinct(n.max(1), self.options.seed ^ at as u64, context);
        let free: Vec<PlanSample> = free.iter().enumerate().map(sample_distinct).collect();
        if let Some(none) = free.iter().find(|it| it.len == 0) {
            return none.why.clone().map_or(SearchEnd::Largest, SearchEnd::Open);
        }
        let mut index = 0;
        let end = search.run(n, context, &mut |found| {
            let mut draft = self.planned.draft();
            search.fill(&found, &mut draft);
            let complete = free.iter().all(|it| it.fill(index % it.len, &mut draft, &mut self.random));
            index += 1;
            if !complete {
                self.lost += 1;
                return ControlFlow::Continue(());
            }
            let value = self.planned.frame.value(&draft.values);
            self.give(Model { value, choices: draft.choices })
        });
        self.unless_lost(end)
    }
}

fn fingerprint(value: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
