//! Searches: what cannot be planned is sampled and solved for.

use std::cell::Cell;
use std::collections::HashSet;
use std::ops::ControlFlow;
use std::rc::Rc;

use super::classes::{Key, Placement, RequestPart, largest};
use super::differ::Differ;
use super::frame::RequestFrame;
use super::recipe::Draft;
use super::work::{STOPPED, WorkBudget};
use crate::solve::builtin::{self, Builtin, ModelSampler};
use crate::solve::smt::{Many, Pairwise, Smt, many};
use crate::solve::{Answer, CheckedSolver, Effort, Solver};
use crate::{Encoding, Options, SolverChoice};
use probity_spec::flat::{Bounds, Expr, ExprNode, Flat, len};
use probity_spec::{Difference, Model, Node, Op, Relation, RelationKind, Request};

/// Models of a part that only a solver finds.
#[derive(Clone)]
pub(crate) struct SearchPlan {
    request: Request,
    differ: Differ,
    /// The difference that distinguishes models as far as the request's difference looks at them; none if some
    /// model lies outside of what it looks at.
    classes: Option<Differ>,
    placement: Placement,
    /// Whether the difference is a key.
    pub(crate) is_key: bool,
    /// What cannot be planned.
    pub(crate) why: String,
}

/// What searches share.
pub(crate) struct Context<'a> {
    pub(crate) options: &'a Options<'a>,
    /// What planning and sampling may cost.
    pub(crate) work: WorkBudget<'a>,
    /// Models that a solver is asked for one by one.
    pub(crate) solved_max: u64,
    /// How often a solver's program said that no more exist where the built-in solver found one.
    pub(crate) wrong_claims: Rc<Cell<u32>>,
}

/// How a search ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SearchEnd {
    /// As many as were asked for, or the receiver had enough.
    Enough,
    /// There is no larger set.
    Largest,
    /// There may be a larger one, and why it was not found.
    Open(String),
}

impl SearchEnd {
    /// Why there may be more.
    pub(crate) fn why(self) -> Option<String> {
        if let SearchEnd::Open(why) = self { Some(why) } else { None }
    }
}

type Each<'e> = &'e mut dyn FnMut(Model) -> ControlFlow<()>;

/// Samples in a row that bring nothing new before sampling is given up.
const MISSES_MAX: u32 = 30;

/// Models that are listed to find the rest of them.
const ALL_MAX: usize = 20_000;

/// Classes of models that a solver is asked for to compare them.
const CLASSES_MAX: u64 = 2_000;

/// Characters of texts that are to have different lengths.
const TEXT_MAX: u64 = 10_000;

impl SearchPlan {
    pub(crate) fn new(part: &RequestPart, why: String) -> SearchPlan {
        let is_key = part.differ.is_key(part.frame);
        let classes = to_key(part.differ);
        let has_classes = !part.differ.may_relate_equals() && classes.is_key(part.frame);
        SearchPlan {
            request: part.request(),
            differ: part.differ.clone(),
            classes: has_classes.then_some(classes),
            placement: Placement::of(part),
            is_key,
            why,
        }
    }

    /// The search for a whole request.
    pub(crate) fn whole(frame: &RequestFrame, request: &Request, why: String) -> SearchPlan {
        let vars: Vec<usize> = (0..frame.vars.len()).collect();
        let mut differ = Differ::of(&request.difference, frame).0;
        if request.difference == Difference::Never {
            differ = Differ::default(frame, &vars);
        }
        let part = RequestPart { frame, vars: &vars, requires: &frame.requires, differ: &differ };
        let mut search = SearchPlan::new(&part, why);
        search.request = request.clone();
        search
    }

    fn looks_at_lengths(&self) -> bool {
        let mut found = false;
        self.differ.visit(&mut |it| {
            if let Differ::Relation(Relation { on, kind }) = it {
                found |=
                    *kind == RelationKind::DifferentLengths || matches!(on.node(), Node::Apply(Op::Len, _));
            }
        });
        found
    }

    /// Writes a model that was found into a draft.
    pub(crate) fn fill(&self, model: &Model, draft: &mut Draft) {
        self.placement.fill(model, draft);
    }

    /// Hands out up to `n` models of which every pair differs.
    pub(crate) fn run(&self, n: u64, context: &Context, each: Each) -> SearchEnd {
        if n == 0 {
            return SearchEnd::Enough;
        }
        let mut bounds = Bounds::default();
        if self.looks_at_lengths() {
            bounds.text = bounds.text.max(n.min(TEXT_MAX).min(context.solved_max) as usize);
        }
        let flat = match Flat::of(&self.request.spec, &self.request.difference, &bounds) {
            Ok(flat) => flat,
            Err(why) => return SearchEnd::Open(why),
        };
        let streams = self.is_key || context.options.encoding == Encoding::OneAtATime;
        let (found, seen) = (Vec::new(), HashSet::new());
        let mut run = SearchRun { search: self, flat: &flat, context, n, streams, found, seen };
        let end = run.greedy(each);
        match end {
            SearchEnd::Enough => return end,
            _ if self.is_key => return end,
            SearchEnd::Largest if streams => {
                let why = "a set that cannot be extended need not be a largest one";
                return SearchEnd::Open(why.to_string());
            }
            _ if streams => return end,
            _ => {}
        }
        let at_once = matches!(context.options.encoding, Encoding::AllAtOnce | Encoding::Distinct);
        let end = match end {
            _ if (context.options.stop)() => SearchEnd::Open(STOPPED.to_string()),
            // What one query does not tell is told to who asked for one.
            SearchEnd::Open(_) if at_once => end,
            // A set that cannot be extended need not be a largest one.
            _ => run.compared().unwrap_or_else(SearchEnd::Open),
        };
        let handed: Result<(), ()> = run.found.drain(..).try_for_each(|it| match each(it) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(()),
        });
        if handed.is_err() { SearchEnd::Enough } else { end }
    }
}

/// The difference between models that another difference could tell apart.
fn to_key(differ: &Differ) -> Differ {
    let list = |parts: &[Differ]| super::differ::any(parts.iter().map(to_key).collect());
    match differ {
        Differ::Always | Differ::Never => Differ::Never,
        Differ::All(parts) | Differ::Any(parts) => list(parts),
        Differ::Not(of) => to_key(of),
        Differ::Relation(Relation { kind: RelationKind::DifferentLengths, .. }) => differ.clone(),
        Differ::Relation(it) => {
            Differ::Relation(Relation { on: it.on.clone(), kind: RelationKind::NotEqual })
        }
        Differ::Listed(at, branches) => {
            Differ::Listed(*at, branches.iter().map(|it| (it.0.clone(), to_key(&it.1))).collect())
        }
        Differ::Cover(..) => differ.clone(),
    }
}

/// The expression whose values differ exactly when two models do, if the relation of a pair (with the slots of the
/// second after the `slots` of the first) is that of one unknown or of its length.
fn distinct_of(pair: &Expr, slots: u32) -> Option<Expr> {
    let of_pair = |it: &Expr| {
        let ExprNode::Not(of) = it.node() else { return None };
        let ExprNode::Eq(one, two) = of.node() else { return None };
        let slot = |it: &Expr| match it.node() {
            ExprNode::Slot(slot) => Some((*slot, false)),
            ExprNode::Len(of) => {
                if let ExprNode::Slot(slot) = of.node() {
                    Some((*slot, true))
                } else {
                    None
                }
            }
            _ => None,
        };
        let ((a, is_length), (b, same)) = (slot(one)?, slot(two)?);
        (a.abs_diff(b) == slots && is_length == same).then_some((a.min(b), is_length))
    };
    let parts = if let ExprNode::And(parts) = pair.node() { &parts[..] } else { std::slice::from_ref(pair) };
    let found: Vec<(u32, bool)> = parts.iter().map(of_pair).collect::<Option<_>>()?;
    // Where lengths differ so do the texts.
    let (slot, is_length) = *found.iter().max_by_key(|it| it.1)?;
    let implied = found.iter().all(|it| it.0 == slot);
    let expr = if is_length { len(Expr::slot(slot)) } else { Expr::slot(slot) };
    implied.then_some(expr)
}

struct SearchRun<'a> {
    search: &'a SearchPlan,
    flat: &'a Flat,
    context: &'a Context<'a>,
    n: u64,
    /// Whether models are handed out as they are found.
    streams: bool,
    /// Models that were found, and handed out if they are streamed.
    found: Vec<Model>,
    /// Keys of the models that were found.
    seen: HashSet<Key>,
}

impl SearchRun<'_> {
    /// One model after the other, each different from those before: sampled, then listed, then solved for.
    /// Handed out when there are enough, if they are not streamed.
    fn greedy(&mut self, each: Each) -> SearchEnd {
        let options = self.context.options;
        let by_hand = options.encoding != Encoding::Auto;
        if options.plan && !by_hand && options.solver == SolverChoice::Builtin {
            if let Some(end) = self.sampled(each) {
                return end;
            }
            // Where something was cut, a list proves nothing and may be long in the making.
            let (slots, requires) = (&self.flat.slots, &self.flat.requires);
            if self.flat.bounded.is_empty()
                && let Some(models) = builtin::all(slots, requires, ALL_MAX, options.stop)
            {
                for scalars in models {
                    if (options.stop)() {
                        return SearchEnd::Open(STOPPED.to_string());
                    }
                    let Some(model) = self.flat.model(&scalars) else { continue };
                    if self.note_new(&model)
                        && let Some(end) = self.take(model, each)
                    {
                        return end;
                    }
                }
                return self.exhausted();
            }
        }
        if let Some(end) = self.at_once(each) {
            return end;
        }
        self.solved(each)
    }

    /// One query for all models, if that was asked for and the solver can; nothing if there are not as many.
    fn at_once(&mut self, each: Each) -> Option<SearchEnd> {
        let options = self.context.options;
        let SolverChoice::Smt { program, transcript } = &options.solver else { return None };
        let pair = self.flat.pair();
        let distinct = match options.encoding {
            Encoding::Distinct => Some(distinct_of(&pair, self.flat.slots.len() as u32)?),
            Encoding::AllAtOnce => None,
            _ => return None,
        };
        let pairwise = distinct.as_ref().map_or(Pairwise::All(&pair), Pairwise::Distinct);
        let effort = Effort { stop: options.stop, millis: options.millis, seed: options.seed };
        let flat = (&self.flat.slots[..], &self.flat.requires[..]);
        match many(program, transcript.as_deref(), flat, &pairwise, self.n as usize, &effort) {
            Ok(Many::Sat(models)) => {
                for scalars in models {
                    let model = self.flat.model(&scalars).filter(|it| self.search.request.admits(it).is_ok());
                    let Some(model) = model else {
                        return Some(SearchEnd::Open(format!("{program} gave a wrong model")));
                    };
                    if let Some(end) = self.take(model, each) {
                        return Some(end);
                    }
                }
                None
            }
            Ok(Many::Unsat) => None,
            Ok(Many::Unknown(why)) | Err(why) => Some(SearchEnd::Open(why)),
        }
    }

    /// Nothing is left within the bounds.
    fn exhausted(&self) -> SearchEnd {
        match self.flat.bounded.first() {
            None => SearchEnd::Largest,
            Some(cut) => SearchEnd::Open(format!("only values within bounds were looked at ({cut})")),
        }
    }

    fn sampled(&mut self, each: Each) -> Option<SearchEnd> {
        let options = self.context.options;
        let mut sampler =
            ModelSampler::until(&self.flat.slots, &self.flat.requires, options.seed, options.stop)?;
        let mut misses = 0;
        while misses < MISSES_MAX {
            if (options.stop)() {
                return Some(SearchEnd::Open(STOPPED.to_string()));
            }
            let effort = Effort { stop: options.stop, millis: options.millis, seed: options.seed };
            let Answer::Sat(scalars) = sampler.sample(&effort) else { return None };
            match self.flat.model(&scalars) {
                Some(model) if self.note_new(&model) => {
                    misses = 0;
                    if let Some(end) = self.take(model, each) {
                        return Some(end);
                    }
                }
                _ => misses += 1,
            }
        }
        None
    }

    /// The paper's loop: a solver is asked for a model that differs from all before.
    fn solved(&mut self, each: Each) -> SearchEnd {
        let options = self.context.options;
        let mut solver = match self.solver() {
            Ok(solver) => solver,
            Err(why) => return SearchEnd::Open(why),
        };
        self.flat.requires.iter().for_each(|it| solver.require(it));
        self.found.iter().for_each(|it| solver.require(&self.flat.differs_from(it)));
        let mut count = self.found.len() as u64;
        loop {
            if (options.stop)() {
                return SearchEnd::Open(STOPPED.to_string());
            }
            let most = self.context.solved_max;
            if count >= most {
                return SearchEnd::Open(format!("a solver was asked for no more than {most} models"));
            }
            let seed = super::shuffle::mix(options.seed ^ count);
            match solver.solve(&Effort { stop: options.stop, millis: options.millis, seed }) {
                Answer::Sat(scalars) => {
                    let Some(model) = self.flat.model(&scalars) else {
                        return SearchEnd::Open(format!("{} gave no model of the spec", solver.name()));
                    };
                    if let Err(wrong) = self.search.request.admits(&model) {
                        return SearchEnd::Open(format!("{} gave a wrong model: {wrong}", solver.name()));
                    }
                    if !self.found.iter().all(|it| self.search.request.differ(it, &model)) {
                        return SearchEnd::Open(format!(
                            "{} gave a model that does not differ",
                            solver.name()
                        ));
                    }
                    solver.require(&self.flat.differs_from(&model));
                    count += 1;
                    if let Some(end) = self.take(model, each) {
                        return end;
                    }
                }
                Answer::Unsat => return self.exhausted(),
                Answer::Unknown(why) if why.contains(&solver.name()) => return SearchEnd::Open(why),
                Answer::Unknown(why) => return SearchEnd::Open(format!("{}: {why}", solver.name())),
            }
        }
    }

    fn solver(&self) -> Result<Box<dyn Solver>, String> {
        Ok(match &self.context.options.solver {
            SolverChoice::Builtin => Box::new(Builtin::new(&self.flat.slots)),
            SolverChoice::Smt { program, transcript } => {
                let stop = self.context.options.stop;
                let smt = Smt::start(program, transcript.as_deref(), &self.flat.slots, stop)?;
                Box::new(CheckedSolver::new(smt, &self.flat.slots, &self.context.wrong_claims))
            }
        })
    }

    /// Keeps a model; the end if there are enough.
    fn take(&mut self, model: Model, each: Each) -> Option<SearchEnd> {
        self.found.push(model);
        let done = self.found.len() as u64 >= self.n;
        if self.streams {
            let last = self.found.last().expect("one was just added").clone();
            if each(last).is_break() {
                return Some(SearchEnd::Enough);
            }
        } else if done {
            for model in std::mem::take(&mut self.found) {
                if each(model).is_break() {
                    break;
                }
            }
        }
        done.then_some(SearchEnd::Enough)
    }

    /// Whether a model differs from all that were found.
    fn note_new(&mut self, model: &Model) -> bool {
        if !self.search.is_key {
            return self.found.iter().all(|it| self.search.request.differ(it, model));
        }
        let key = self.search.differ.key(&self.search.request.spec, model);
        self.seen.insert((model.choices.clone(), key))
    }

    /// Finds every class of models and compares them pair by pair; leaves the largest set in `found`.
    fn compared(&mut self) -> Result<SearchEnd, String> {
        let mut request = self.search.request.clone();
        let key = match &self.search.classes {
            Some(classes) => classes.clone(),
            None => return self.compared_all(),
        };
        request.difference = key.difference();
        let by_class =
            SearchPlan { request, differ: key, is_key: true, classes: None, ..self.search.clone() };
        let mut models = Vec::new();
        // There may be far fewer, and one query for that many would be too large.
        let solver = self.context.options.solver.clone();
        let options = Options { encoding: Encoding::OneAtATime, solver, ..*self.context.options };
        let context = if self.context.options.encoding == Encoding::Auto {
            self.context
        } else {
            &Context {
                options: &options,
                work: WorkBudget::new(self.context.options.stop),
                solved_max: self.context.solved_max,
                wrong_claims: Rc::clone(&self.context.wrong_claims),
            }
        };
        let end = by_class.run(CLASSES_MAX, context, &mut |it| {
            models.push(it);
            ControlFlow::Continue(())
        });
        self.largest_of(models, end)
    }

    /// The same for models that are all looked at, one by one.
    fn compared_all(&mut self) -> Result<SearchEnd, String> {
        let mut solver = self.solver()?;
        self.flat.requires.iter().for_each(|it| solver.require(it));
        let options = self.context.options;
        let mut models = Vec::new();
        let end = loop {
            if models.len() as u64 >= CLASSES_MAX {
                break SearchEnd::Enough;
            }
            match solver.solve(&Effort { stop: options.stop, millis: options.millis, seed: options.seed }) {
                Answer::Sat(scalars) => {
                    let model = self.flat.model(&scalars).ok_or("the solver gave no model of the spec")?;
                    solver.require(&self.flat.blocks(&model));
                    models.push(model);
                }
                Answer::Unsat => break self.exhausted(),
                Answer::Unknown(why) => break SearchEnd::Open(why),
            }
        };
        self.largest_of(models, end)
    }

    fn largest_of(&mut self, models: Vec<Model>, end: SearchEnd) -> Result<SearchEnd, String> {
        let work = WorkBudget::new(self.context.options.stop);
        let largest = largest(&self.search.request, &self.search.differ, false, models, self.n, &work);
        let set: Vec<Model> = largest.classes.into_iter().filter_map(|it| it.into_iter().next()).collect();
        if set.len() > self.found.len() {
            self.found = set;
            self.found.truncate(usize::try_from(self.n).unwrap_or(usize::MAX));
        }
        if self.found.len() as u64 >= self.n {
            return Ok(SearchEnd::Enough);
        }
        match (end, largest.why) {
            (SearchEnd::Largest, None) => Ok(SearchEnd::Largest),
            (SearchEnd::Open(why), _) | (_, Some(why)) => Err(why),
            (SearchEnd::Enough, None) => Err(format!("only {CLASSES_MAX} classes of models were compared")),
        }
    }
}
