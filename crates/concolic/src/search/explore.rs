//! The loop: pick a step, solve for its other side, run, learn.

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::{Duration, Instant};

use probity_core::{Choice, Explored, SortedMap, Value};

use super::ask::{self, Asker, PrefixPolicy, Solve};
use super::growth::Growth;
use super::queue::{Candidate, CandidateFeatures, CandidateState, Covered, Queue};
use super::runs::{ResidentRun, Runs};
use super::texts;
use super::tree::{self, PathTree, PathWalk};
use super::{ExplorePlan, SearchEvent};
use crate::clock::{Deadline, thread_time};
use crate::expr::Fixed;
use crate::path::{Edge, Imprecision, Run, StepKind, Subject, Verdict};
use crate::solve::{Answer, Limits};

/// How many conflicts the first try of a question may take.
const CONFLICTS: u64 = 2_000;
/// How much more each further try gets, and up to which one.
const TRY_GROWS: u32 = 8;
const TRY_GROWS_TO: u8 = 5;
/// One question gets this part of what the search has taken so far, at most, or its first try: the others come first.
const TRY_PART: u32 = 2;
/// How often a question is tried. The last tries come when nothing else is left; as each takes a part of the time before,
/// this many last for as long as anybody searches.
const TRIES_MAX: u8 = 24;
/// The last steps of a rejected run that are held to decide on the rejection.
const DECIDING: usize = 6;
/// This many runs in a row without new code make looser questions worth a try.
const STALE_RUNS: u64 = 8;
/// How often looser questions are asked for an edge that was never taken.
const RELAXED_QUERIES_MAX: u32 = 6;
/// Behind this many conditions the first is asked as soon as the full question is shown to have no answer: where a test does its
/// work first and compares then, most of what can be flipped leads no nearer. Most comparisons behind loops and branches take 3 to 7
/// runs so, and took 11 to 40 where this was 16. Behind fewer, it is mostly a path that was run.
const RELAXED_BEHIND: usize = 4;
/// By how much the answer to a looser question may be longer than the input that it was asked of, where the full one has none:
/// a run of a long input takes as long as many of short ones.
const RELAXED_GROWTH_MAX: u32 = 16;
/// A run of this many instructions that the end of the time cuts off may have no end.
const LONG: u64 = 1_000_000;
/// From this run on it counts which conditions were met together: before, it is too early to tell, and takes a tenth of
/// the time where nothing is optimized.
const PAIRS_AFTER: u64 = 64;
/// After this many runs in a row without new code, one run of `GROW_EVERY` is of a longer input.
const GROW_AFTER: u64 = 10;
const GROW_EVERY: u64 = 3;
/// After this many runs in a row without new code, given answers are run. Not sooner: they are long, mostly, and their
/// paths crowd out the short ones. Where three random inputs came first, `s == "secret"` was found in 1 of 6 default
/// runs; where they come now, in all.
const GIVEN_AFTER: u64 = 12;

/// A search under way.
pub(super) struct Explorer<'a, S> {
    subject: &'a mut dyn Subject,
    plan: &'a ExplorePlan,
    tell: &'a mut dyn FnMut(SearchEvent) -> bool,
    given: VecDeque<Vec<Value>>,
    tree: PathTree,
    queue: Queue,
    growth: Growth,
    /// Whether the running input is one of those.
    is_longer: bool,
    covered: Covered,
    pub(super) runs: Runs<S>,
    /// The time of the processor when the search began.
    start: Duration,
    /// Hashes of answers that were run.
    ran: HashSet<u64, Fixed>,
    /// How often looser questions were asked for an edge.
    hopes: HashMap<Edge, u32, Fixed>,
    losses: SortedMap<String, u64>,
    /// Nothing is claimed of inputs that ask for this many choices, or more.
    unsure_from: u32,
    /// Runs since there was a new edge.
    stale: u64,
    goes_on: bool,
    done: Explored,
}

impl<'a, S: Solve> Explorer<'a, S> {
    pub(super) fn new(
        subject: &'a mut dyn Subject,
        plan: &'a ExplorePlan,
        tell: &'a mut dyn FnMut(SearchEvent) -> bool,
    ) -> Self {
        Explorer {
            subject,
            plan,
            tell,
            given: plan.given.iter().cloned().collect(),
            tree: PathTree::default(),
            queue: Queue::new(plan.seed),
            growth: Growth::default(),
            is_longer: false,
            covered: Covered::default(),
            runs: Runs::default(),
            start: thread_time(),
            ran: HashSet::default(),
            hopes: HashMap::default(),
            losses: SortedMap::default(),
            unsure_from: u32::MAX,
            stale: 0,
            goes_on: true,
            done: Explored::default(),
        }
    }

    pub(super) fn explore(mut self) -> Explored {
        if self.may_go_on() {
            self.run(Vec::new());
        }
        while self.may_go_on() {
            if (self.stale >= GIVEN_AFTER && self.run_given()) || (self.is_growing() && self.run_longer()) {
                continue;
            }
            match self.queue.pick(&self.covered) {
                Some(id) => self.attend(id),
                // Where all paths are done, theirs are too.
                None if self.claims_to() < u32::MAX && self.run_given() => {}
                None => break,
            }
        }
        self.sum_up()
    }

    fn may_go_on(&self) -> bool {
        self.goes_on && self.done.runs < self.plan.runs_max && Instant::now() < self.plan.until
    }

    /// Runs the next of the given answers, if there is one.
    fn run_given(&mut self) -> bool {
        let Some(answers) = self.given.pop_front() else { return false };
        if !self.ran.contains(&hash(&answers)) {
            self.run(answers);
        }
        true
    }

    /// Whether it is time for a longer input.
    fn is_growing(&self) -> bool {
        self.stale >= GROW_AFTER && self.done.runs.is_multiple_of(GROW_EVERY)
    }

    /// Runs an input with one more item, if there is one that was not run.
    fn run_longer(&mut self) -> bool {
        while let Some(answers) = self.growth.pick(&self.covered) {
            if !self.ran.contains(&hash(&answers)) {
                self.is_longer = true;
                self.run(answers);
                self.is_longer = false;
                return true;
            }
        }
        false
    }

    /// Nothing is claimed of inputs that ask for `asked` choices or more.
    fn unsure(&mut self, asked: u32) {
        self.unsure_from = self.unsure_from.min(asked);
    }

    fn say(&mut self, news: SearchEvent) {
        self.goes_on &= (self.tell)(news);
    }

    /// Runs once, learns what there is to learn, and returns the hashes of the path's prefixes.
    fn run(&mut self, answers: Vec<Value>) -> Vec<u64> {
        let Some(run) = self.interpret(&answers) else { return Vec::new() };
        let values: Vec<Value> = run.path.choices.iter().map(|it| it.value).collect();
        self.ran.insert(hash(&answers));
        self.ran.insert(hash(&values));
        let (new_edges, new_pairs) = self.covered.add(&run.edges, self.is_longer);
        self.stale = if new_edges > 0 { 0 } else { self.stale + 1 };
        self.judge(&run, &values, new_edges > 0);
        let walk = self.tree.walk(&run);
        if walk.contradicts {
            self.done.divergences += 1;
            self.unsure(0);
        }
        if let Some(asked) = walk.forgotten {
            self.unsure(asked);
        }
        let merits = self.merits(&run, new_pairs);
        if matches!(run.verdict, Verdict::Pass | Verdict::Reject) {
            let rarest = self.covered.rarest(run.late.iter().copied()).unwrap_or(merits.rarest);
            self.growth.keep(&run.path.choices, CandidateFeatures { rarest, ..merits }, &self.covered);
        }
        let open = self.add_candidates(&run, &walk, merits);
        let end = walk.prefixes.last().copied().unwrap_or(0);
        self.runs.keep(values, run, end, open);
        walk.prefixes
    }

    /// What a run is like that was just counted.
    fn merits(&mut self, run: &Run, new_pairs: u32) -> CandidateFeatures {
        // What is new or rare in a run that fails is mostly how the failure is put into words.
        let fails = run.verdict == Verdict::Fail;
        let edges = run.edges.iter().map(|it| it.0).filter(|_| !fails);
        let is_odd = |it: &&Choice| !matches!(it.value, Value::Length(_)) && it.value != it.domain.simplest();
        let is_foreign = |it: &&Choice| matches!(it.value, Value::Char(c) if !c.is_ascii());
        CandidateFeatures {
            oddity: run.path.choices.iter().filter(is_odd).count() as u32,
            foreign: run.path.choices.iter().filter(is_foreign).count() as u32,
            rarest: self.covered.rarest(edges).unwrap_or_default(),
            pair: if self.done.runs < PAIRS_AFTER { 0 } else { self.covered.add_pairs(&branches(run)) },
            novelty: if fails { 0 } else { (new_pairs + 1).ilog2() as u8 },
        }
    }

    /// Adds what may be flipped in a run that is kept next; returns how much that is.
    fn add_candidates(&mut self, run: &Run, walk: &PathWalk, merits: CandidateFeatures) -> u32 {
        let steps = &run.path.steps;
        let deciding = if run.verdict == Verdict::Reject { DECIDING } else { 0 };
        // What was met before cannot go the other way now: no candidate.
        let mut met = vec![false; run.dag.len() + 1];
        let mut turns: HashMap<Edge, u32, Fixed> = HashMap::default();
        let (mut at, mut open) = (0, 0);
        for &new in &walk.new {
            let new = new as usize;
            for step in &steps[at..new] {
                met[step.condition.index()] = true;
                *turns.entry(Edge { from: step.site, to: step.to }).or_default() += 1;
            }
            at = new;
            let step = &steps[new];
            if met[step.condition.index()] {
                continue;
            }
            let edge = Edge { from: step.site, to: step.other };
            let mut it = self.queue.candidate(self.runs.next_id(), new as u32, walk.prefixes[new], edge);
            it.is_pin = matches!(step.kind, StepKind::Pin { .. });
            it.asked = step.asked;
            it.merits = merits;
            it.nth = if self.is_longer { u32::MAX } else { turns.get(&edge).copied().unwrap_or(0) + 1 };
            it.decides = (new + deciding).saturating_sub(steps.len() - 1) as u8;
            self.queue.add(it, &self.covered);
            open += 1;
        }
        for step in &steps[at..] {
            *turns.entry(Edge { from: step.site, to: step.to }).or_default() += 1;
        }
        // A longer input takes loops more often, whatever it is like: that is no reason not to solve for it.
        for (edge, nth) in turns.into_iter().filter(|_| !self.is_longer) {
            self.covered.met(edge, nth);
        }
        open
    }

    /// One run of the machine; `None` when the search is to end.
    fn interpret(&mut self, answers: &[Value]) -> Option<Run> {
        self.say(SearchEvent::Begins(answers.to_vec()));
        if !self.goes_on {
            return None;
        }
        let run = self.subject.run(answers, self.plan.choices_max);
        if run.verdict == Verdict::Cut && Instant::now() >= self.plan.until {
            // The time is over: that was not a run, unless it had taken long already.
            self.goes_on = false;
            if run.instructions >= LONG {
                let loss = Imprecision::Instructions(run.instructions);
                *self.losses.entry(loss.to_string(), || 0) += 1;
            }
            return None;
        }
        self.done.runs += 1;
        self.done.instructions += run.instructions;
        Some(run)
    }

    /// What the verdict of a run means for the search.
    fn judge(&mut self, run: &Run, values: &[Value], reaches: bool) {
        let asked = run.path.choices.len() as u32;
        match &run.verdict {
            Verdict::Pass => {
                let least = self.done.accepted.map_or(asked, |it| it.min(asked));
                self.done.accepted = Some(least);
            }
            Verdict::Reject => {}
            Verdict::Overrun => self.unsure(self.plan.choices_max.saturating_add(1)),
            Verdict::Fail => {}
            Verdict::Misuse | Verdict::Cut | Verdict::Died(_) => self.unsure(asked),
            Verdict::Unsupported(why) => {
                self.unsure(asked);
                self.done.unsupported.get_or_insert_with(|| why.clone());
                self.goes_on &= self.done.runs > 3;
            }
        }
        if !run.path.imprecisions.is_empty() {
            // Where on the path is not known: it may concern every input that makes a choice.
            self.unsure(1);
            for loss in &run.path.imprecisions {
                *self.losses.entry(loss.to_string(), || 0) += 1;
            }
        }
        if matches!(run.verdict, Verdict::Fail | Verdict::Misuse | Verdict::Died(_)) {
            self.done.failing += 1;
            self.say(SearchEvent::Fails(values.to_vec()));
        } else if reaches && !matches!(run.verdict, Verdict::Cut | Verdict::Unsupported(_)) {
            // What we did not see the end of is nothing to run without isolation.
            self.say(SearchEvent::Reaches(values.to_vec()));
        }
    }

    /// Solves for a candidate, and runs what comes of it.
    fn attend(&mut self, id: u32) {
        let it = self.queue.get(id).clone();
        if !it.is_pin && self.tree.saw_both(it.prefix) {
            return self.close(id, CandidateState::Settled);
        }
        let Some(mut live) = self.bring_back(it.run) else {
            // A test that is not deterministic, or the end of the search.
            return if self.goes_on {
                self.close(id, CandidateState::Stuck)
            };
        };
        let runs = self.done.runs;
        self.say(SearchEvent::Asks(self.queue.has_hope(self.queue.get(id), &self.covered)));
        if !self.goes_on {
            return self.runs.put(it.run, live);
        }
        if it.is_pin {
            self.attend_pin(id, &mut live)
        } else {
            self.attend_branch(id, &mut live)
        }
        self.runs.put(it.run, live);
        self.queue.count(id, self.done.runs == runs);
        if self.queue.get(id).state == CandidateState::Open {
            self.queue.again(id, &self.covered);
        }
    }

    fn attend_branch(&mut self, id: u32, live: &mut ResidentRun<S>) {
        let it = self.queue.get(id).clone();
        let at = it.step as usize;
        let answer = self.asker(live, it.tries).branch(at, PrefixPolicy::All);
        let mut settles = false;
        match answer {
            Answer::Sat(model) => {
                let step = live.run.path.steps[at];
                let side = tree::sides(&live.run.dag, &step).map_or(0, |it| it.other);
                let expected = tree::next(it.prefix, &step, side);
                let Some(answers) = answers(&live.run, &model) else {
                    return self.close(id, CandidateState::Unknown);
                };
                let went = self.run(answers).get(at + 1) == Some(&expected);
                if self.goes_on || went {
                    self.done.divergences += u64::from(!went);
                    self.close(id, if went { CandidateState::Settled } else { CandidateState::Stuck });
                }
                return;
            }
            Answer::Unsat => settles = true,
            Answer::Unknown => self.try_later(id),
        }
        if settles {
            self.close(id, CandidateState::Settled);
        }
        // What the full question does not give, a looser one may: for code that was never reached, it is worth a run.
        if it.tries == 0 && self.queue.is_new(&it, &self.covered) {
            let goal = live.run.dag.not(live.run.path.steps[at].condition);
            let text = texts::asked_for(&mut live.run.dag, &live.run.path.choices, goal);
            if let Some(answers) = text.filter(|it| !self.ran.contains(&hash(it))) {
                self.run(answers);
                return;
            }
            self.be_optimistic(it.edge, at, live, settles);
        }
    }

    /// Asks a looser question than that of branch number `at`, and runs what comes of it.
    fn be_optimistic(&mut self, edge: Edge, at: usize, live: &mut ResidentRun<S>, is_unsat: bool) {
        let before = &live.run.path.steps[..at];
        let has_pins = before.iter().any(|it| matches!(it.kind, StepKind::Pin { .. }));
        let hopes = self.hopes.entry(edge).or_default();
        // A proof that leaves no way is a reason to look for one elsewhere: once at once, and else when there is little else to try.
        let is_time = self.stale >= STALE_RUNS || (*hopes == 0 && at >= RELAXED_BEHIND);
        if *hopes >= RELAXED_QUERIES_MAX || (is_unsat && !has_pins && !is_time) {
            return;
        }
        *hopes += 1;
        for keep in [PrefixPolicy::NoPins, PrefixPolicy::Bounds] {
            if !self.may_go_on() || (keep == PrefixPolicy::NoPins && !has_pins) {
                continue;
            }
            let answer = self.asker(live, 0).branch(at, keep);
            let Answer::Sat(model) = answer else { continue };
            let Some(answers) = answers(&live.run, &model) else { continue };
            let is_long = is_unsat && grows(&live.run, &answers) > RELAXED_GROWTH_MAX;
            if !is_long && !self.ran.contains(&hash(&answers)) {
                self.run(answers);
            }
            return;
        }
    }

    fn attend_pin(&mut self, id: u32, live: &mut ResidentRun<S>) {
        let it = self.queue.get(id).clone();
        let at = it.step as usize;
        let seen = self.tree.values(it.prefix).to_vec();
        match self.asker(live, it.tries).pin(at, &seen) {
            ask::PinValue::NoMore => self.close(id, CandidateState::Settled),
            ask::PinValue::Unknown => self.try_later(id),
            ask::PinValue::Enough(most) => {
                let StepKind::Pin { want, .. } = live.run.path.steps[at].kind else { return };
                let what = if want == crate::path::PinTargets::Any { "tried" } else { "pumped" };
                let loss = format!("only {most} values of an expression were {what}");
                *self.losses.entry(loss, || 0) += 1;
                self.close(id, CandidateState::Stuck);
            }
            ask::PinValue::Found(model, value) => {
                let step = live.run.path.steps[at];
                let expected = tree::next(it.prefix, &step, tree::fold(value));
                let Some(answers) = answers(&live.run, &model) else {
                    return self.close(id, CandidateState::Unknown);
                };
                let went = self.run(answers).get(at + 1) == Some(&expected);
                if !went && self.goes_on {
                    self.done.divergences += 1;
                    self.unsure(it.asked);
                    self.tree.exclude(it.prefix, value);
                }
                let it = self.queue.get_mut(id);
                it.values = it.values.saturating_add(1);
            }
        }
    }

    fn try_later(&mut self, id: u32) {
        if Instant::now() >= self.plan.until {
            return;
        }
        let it = self.queue.get_mut(id);
        it.tries += 1;
        if it.tries >= TRIES_MAX {
            self.close(id, CandidateState::Unknown);
        }
    }

    fn asker<'b>(&'b mut self, live: &'b mut ResidentRun<S>, tries: u8) -> Asker<'b, S> {
        let more = TRY_GROWS.pow(tries.min(TRY_GROWS_TO).into());
        let part = thread_time().saturating_sub(self.start) / TRY_PART;
        let time = (self.plan.first_try * more).min(part.max(self.plan.first_try));
        let until = Deadline::after(time).by(self.plan.until);
        let limits = Limits { until, conflicts: CONFLICTS * u64::from(more) };
        Asker {
            run: &mut live.run,
            solver: &mut live.solver,
            limits,
            queries: &mut self.done.queries,
            dump: self.plan.dump.as_deref(),
        }
    }

    fn close(&mut self, id: u32, state: CandidateState) {
        let it = self.queue.get_mut(id);
        if it.state == CandidateState::Open {
            it.state = state;
            self.runs.release(it.run);
        }
    }

    /// The run with this number; run again where it had to be dropped.
    fn bring_back(&mut self, id: u32) -> Option<ResidentRun<S>> {
        if let Some(live) = self.runs.take(id) {
            return Some(live);
        }
        let (answers, end) = self.runs.recipe(id);
        let run = self.interpret(&answers)?;
        if tree::whole(&run) != end {
            self.done.divergences += 1;
            return None;
        }
        Some(ResidentRun { run, solver: S::default() })
    }

    /// What may be flipped and was neither run nor shown to be impossible.
    fn unsettled(&self) -> impl Iterator<Item = &Candidate> {
        self.queue
            .iter()
            .filter(|it| it.state != CandidateState::Settled && (it.is_pin || !self.tree.saw_both(it.prefix)))
    }

    /// All paths are done of inputs that ask for fewer choices than this.
    fn claims_to(&self) -> u32 {
        let least = self.unsettled().map(|it| it.asked).min().unwrap_or(u32::MAX);
        if self.done.runs == 0 { 0 } else { least.min(self.unsure_from) }
    }

    fn sum_up(mut self) -> Explored {
        let is_unknown = |it: &&Candidate| {
            it.state == CandidateState::Unknown || (it.state == CandidateState::Open && it.tries > 0)
        };
        self.done.unknown = self.unsettled().filter(is_unknown).count() as u64;
        let unsure_from = self.claims_to();
        self.done.complete = unsure_from == u32::MAX;
        let most = if self.done.complete { self.tree.most_asked() } else { self.plan.choices_max };
        self.done.complete_to = unsure_from.checked_sub(1).map(|it| {
            let n = it.min(most);
            (n, self.tree.paths_to(n))
        });
        self.done.paths = self.tree.paths();
        self.done.losses = self.losses.iter().map(|(loss, n)| (loss.clone(), *n)).collect();
        self.done
    }
}

/// The branches on answers of a run: those behind its last choice, if there are any.
fn branches(run: &Run) -> Vec<Edge> {
    let all = run.path.choices.len() as u32;
    let edges = |from: u32| {
        let steps = run.path.steps.iter().filter(move |it| it.kind == StepKind::Branch && it.asked >= from);
        steps.map(|it| Edge { from: it.site, to: it.to }).collect::<Vec<_>>()
    };
    let late = edges(all);
    if late.len() < 2 { edges(0) } else { late }
}

/// The answers of a run with those of a model in their places; `None` where the model names no member of a domain.
fn answers(run: &Run, model: &[(u32, u128)]) -> Option<Vec<Value>> {
    let mut res: Vec<Value> = run.path.choices.iter().map(|it| it.value).collect();
    for &(index, bits) in model {
        let choice = run.path.choices.get(index as usize)?;
        res[index as usize] = crate::answer::value(&choice.domain, bits)?;
    }
    Some(res)
}

/// How many items more the lists of these answers have than those of the run.
fn grows(run: &Run, answers: &[Value]) -> u32 {
    let more = run.path.choices.iter().zip(answers).map(|(was, is)| match (was.value, is) {
        (Value::Length(was), Value::Length(is)) => is.saturating_sub(was),
        _ => 0,
    });
    more.fold(0, u32::saturating_add)
}

fn hash(answers: &[Value]) -> u64 {
    use std::hash::{BuildHasher, Hasher};
    let mut hasher = crate::expr::Fixed::default().build_hasher();
    for &value in answers {
        match value {
            Value::Bool(it) => hasher.write_u64(it.into()),
            Value::Int(it) => hasher.write_u128(it as u128),
            Value::Float(it) => hasher.write_u64(it.to_bits()),
            Value::Char(it) => hasher.write_u32(it.into()),
            Value::Pick(it) | Value::Length(it) => hasher.write_u32(it),
        }
    }
    hasher.finish() ^ answers.len() as u64
}
