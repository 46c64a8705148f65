//! Which parts of a failing input may vary without the failure going away.
//!
//! As SmartCheck generalises counterexamples: if a part can be replaced by other random values and the
//! test goes on failing in the same way, the part does not matter. Parts are spans and single choices,
//! the widest first; each is also made equal to others like it. What is found free one by one is then
//! varied all together. The free parts are
//! found again in the rendered inputs by comparing texts, so values need nothing but `Debug`.

mod inputs;
mod tree;
pub(crate) mod vary;
mod words;

use std::rc::Rc;

use crate::insertion_sort::sort_by;
use crate::{
    Case, Choice, Domain, Input, Misuse, Origin, Rng, Source, Span, SpanKind, Test, Trace, Value, Verdict,
    render_case, run_case,
};
use inputs::InputPattern;
use vary::{Fill, VariedPart, Vary, answered};

/// What may vary in a failing input.
///
/// ```
/// # use probity_core::{Replay, Source, Tail, Value, explain, run_case};
/// let mut test = |src: &mut Source| assert!(src.draw((0..100, 0..100)).1 < 7);
/// let replay = Replay::new(vec![Value::Int(0), Value::Int(7)], Tail::Simplest);
/// let case = run_case(&mut Source::new(Box::new(replay)), &mut test).unwrap();
/// let explanation = explain(&case, &mut test, 1, 1000, &mut || true).unwrap().unwrap();
/// assert_eq!(explanation.patterns[0].text, "(_, 7)");
/// assert!(explanation.variations >= 40);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The inputs in order, with `_` for each part that may vary.
    pub patterns: Vec<Pattern>,
    /// How many other inputs of this pattern were run; all of them failed in the same way.
    pub variations: u64,
}

/// One input as a pattern.
///
/// ```
/// use probity_core::Pattern;
/// let pair = Pattern { name: Some("pair"), text: "(_, 7)".into(), varies: true };
/// let line = format!("{} = {}", pair.name.unwrap_or("input"), pair.text);
/// assert_eq!(line, "pair = (_, 7)");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// Its name, where it has one.
    pub name: Option<&'static str>,
    /// Its `Debug` form with `_` for each part that may vary.
    pub text: String,
    /// Whether any part may vary.
    pub varies: bool,
}

/// How many random variations of one part have to fail for it to count as free.
const PART_VARIATIONS: u64 = 12;
/// How many random variations of one part are tried before others are.
const PART_RUNS: u64 = 40;
/// How many variations of all free parts are tried, some parts at a time. What matters once in 256 values is
/// missed by 600 in one of ten.
const JOINT_RUNS: u64 = 2000;
/// How many variations are tried with a part that cannot vary alone.
const OPEN_RUNS: u64 = 500;
/// How many values parts may have together for all of them to be tried.
const VALUES_MAX: u64 = 256;
/// How often unchanged inputs are rendered to see whether the order of a hash map shows.
const ORDER_LOOKS: usize = 8;
/// How many other parts are copied into one.
const COPIES_MAX: usize = 8;
/// How many variations of the same parts are rendered, which costs more than the verdict.
const RENDERED: u64 = 40;
/// Finds what may vary in a failing case; `None` where nothing may. Runs the test at most about `max`
/// times, and stops when `go_on` says so.
///
/// ```
/// use probity_core::{Replay, Source, Tail, Value, explain, run_case};
/// let mut test = |src: &mut Source| {
///     let (_, b) = (src.draw_as("a", 0..100), src.draw_as("b", 0..100));
///     assert!(b < 7);
/// };
/// let replay = Replay::new(vec![Value::Int(0), Value::Int(7)], Tail::Simplest);
/// let case = run_case(&mut Source::new(Box::new(replay)), &mut test).unwrap();
/// let explanation = explain(&case, &mut test, 1, 1000, &mut || true).unwrap().unwrap();
/// let patterns: Vec<&str> = explanation.patterns.iter().map(|it| &*it.text).collect();
/// assert_eq!(patterns, ["_", "7"]);
/// ```
pub fn explain(
    case: &Case,
    test: &mut dyn Test,
    seed: u64,
    max: u64,
    go_on: &mut dyn FnMut() -> bool,
) -> Result<Option<Explanation>, Misuse> {
    let Some(failure) = case.verdict.failure() else { return Ok(None) };
    let origin = failure.origin.clone();
    let recorded = Rc::new(case.trace.clone());
    let mut explainer = Explainer {
        recorded,
        origin,
        test,
        seed,
        runs: 0,
        max,
        go_on,
        unchanged: InputPattern::default(),
        complete: Vec::new(),
        failing: Vec::new(),
        refuting: Vec::new(),
    };
    explainer.run()
}

struct Explainer<'a> {
    recorded: Rc<Trace>,
    origin: Origin,
    test: &'a mut dyn Test,
    seed: u64,
    runs: u64,
    max: u64,
    go_on: &'a mut dyn FnMut() -> bool,
    /// The inputs as they are, for comparison.
    unchanged: InputPattern,
    /// The parts of which every value was tried.
    complete: Vec<VariedPart>,
    /// What was varied, and how the inputs then read if they were rendered, where the test failed as before.
    failing: Vec<(Vec<VariedPart>, Option<Vec<Input>>)>,
    /// The same where it did not.
    refuting: Vec<(Vec<VariedPart>, Vec<Input>)>,
}

/// Parts with what they are filled with.
type Fills = Vec<(VariedPart, Fill)>;

/// How a variation went.
enum Went {
    /// It fails as before, and was seen to show other inputs.
    Fails { differs: bool },
    /// It is no input of the test.
    Rejected,
    /// It passes, or fails in another way.
    Refutes,
    /// There was no run left for it.
    Over,
}

/// What came of trying every value.
enum Tried {
    /// All were tried, and the failure stays. Whether other inputs were seen.
    All { differ: bool },
    /// These made the failure go away.
    Refuted(Fills),
    /// There are too many.
    Some,
}

impl Explainer<'_> {
    fn run(&mut self) -> Result<Option<Explanation>, Misuse> {
        self.unchanged = InputPattern::new(&self.vary(Vec::new(), true)?.log.inputs);
        for _ in 0..if self.unchanged.has_braces() { ORDER_LOOKS } else { 0 } {
            let again = self.vary(Vec::new(), true)?.log.inputs;
            self.unchanged.note_order(&again);
        }
        let mut wanted = self.outermost();
        wanted.reverse();
        let (mut free, mut open) = (Vec::new(), Vec::new());
        while let Some(part) = wanted.pop() {
            if part.range.is_empty() {
                continue;
            }
            match self.may_vary(&part)? {
                Some(true) => free.push(part),
                may_vary => {
                    wanted.extend(self.within(&part).into_iter().rev());
                    if may_vary.is_none() {
                        open.push(part);
                    }
                }
            }
        }
        let mut kept = self.together(free)?;
        for part in open {
            if !kept.iter().any(|it| it.encloses(&part) || part.encloses(it)) {
                self.add(&mut kept, part)?;
            }
        }
        Ok(self.explanation(kept))
    }

    /// The inputs, the steps of the test, and what was drawn of an input later and is beside it.
    fn outermost(&self) -> Vec<VariedPart> {
        let trace = &self.recorded;
        let (mut res, mut at) = (Vec::new(), 0);
        while let Some(span) = trace.spans.get(at) {
            // Spans are in the order in which they began, so those within one follow it.
            let after = trace.spans[at + 1..].iter().take_while(|it| it.depth > span.depth);
            let (mut has_input, mut n) = (false, 0);
            after.for_each(|it| {
                has_input |= matches!(it.kind, SpanKind::Input | SpanKind::Arm);
                n += 1;
            });
            let is_step = || trace.children(at).any(|it| trace.spans[it].kind == SpanKind::Arm);
            if span.kind == SpanKind::Input || !has_input && span.depth == 0 || is_step() {
                res.push(VariedPart::of(span));
                at += 1 + n;
            } else {
                at += 1;
            }
        }
        res
    }

    /// Whether the part alone may vary. `None` where it cannot be varied alone: all else is rejected, or there
    /// is nothing else.
    fn may_vary(&mut self, part: &VariedPart) -> Result<Option<bool>, Misuse> {
        let choices = &self.recorded.choices[part.range.clone()];
        if choices.iter().any(|it| it.domain.rank(it.value) > 0) {
            // What does not have its simplest answers was kept from them by the shrinker, most often because the
            // test then passes, however often random variations fail.
            let simplest = self.attempt(vec![(part.clone(), Fill::Given(Vec::new()))], true)?.0;
            if matches!(simplest, Went::Refutes | Went::Over) {
                return Ok(Some(false));
            }
        }
        if self.survives_copies(part)? { self.try_varying(part) } else { Ok(Some(false)) }
    }

    /// Whether the test goes on failing when the part is made equal to other parts drawn alike, and when a
    /// number is at the ends of its domain: what random values seldom are, and many failures are about.
    fn survives_copies(&mut self, part: &VariedPart) -> Result<bool, Misuse> {
        let trace = Rc::clone(&self.recorded);
        let values = trace.values();
        let alike =
            |it: &Span| trace.spans.iter().any(|own| own.range() == part.range && own.label == it.label);
        let spans = trace.spans.iter().filter(|it| alike(it)).map(Span::range);
        let choice = (part.range.len() == 1).then(|| &trace.choices[part.range.start].domain);
        let choices =
            (0..values.len()).filter(|&it| choice == Some(&trace.choices[it].domain)).map(|it| it..it + 1);
        let mut copies: Vec<Vec<Value>> = spans.chain(choices).map(|it| values[it].to_vec()).collect();
        if let Some(&Domain::Int { min, max, .. }) = choice {
            copies.splice(0..0, [min, max].map(|it| vec![Value::Int(it)]));
        }
        copies.retain(|it| **it != values[part.range.clone()]);
        copies.dedup();
        for copy in copies.into_iter().take(COPIES_MAX) {
            match self.attempt(vec![(part.clone(), Fill::Given(copy))], true)?.0 {
                Went::Refutes | Went::Over => return Ok(false),
                Went::Fails { .. } | Went::Rejected => {}
            }
        }
        Ok(true)
    }

    /// The parts directly within a span: its spans, and the choices that are in none of them.
    fn within(&self, part: &VariedPart) -> Vec<VariedPart> {
        let trace = &self.recorded;
        let Some(at) = part.span.and_then(|span| trace.spans.iter().position(|it| *it == span)) else {
            return Vec::new();
        };
        let inner: Vec<Span> = trace.children(at).map(|it| trace.spans[it]).collect();
        let mut res: Vec<VariedPart> = inner.iter().filter(|it| !it.is_empty()).map(VariedPart::of).collect();
        let mut next = inner.iter().peekable();
        let alone = part.range.clone().filter(|&at| {
            // Both go upwards, so one walk over the spans is enough.
            while next.next_if(|it| it.range().end <= at).is_some() {}
            next.peek().is_none_or(|it| at < it.range().start)
        });
        // A length decides what follows it, so it cannot vary alone.
        let decides = |at: &usize| matches!(trace.choices[*at].value, Value::Length(_));
        res.extend(alone.filter(|at| !decides(at)).map(VariedPart::choice));
        sort_by(&mut res, |a, b| a.range.start <= b.range.start);
        res
    }

    /// Whether the part alone may vary, as far as a few runs or all of its values tell.
    fn try_varying(&mut self, part: &VariedPart) -> Result<Option<bool>, Misuse> {
        match self.enumerate(std::slice::from_ref(part))? {
            Tried::All { differ } => {
                self.complete.push(part.clone());
                return Ok(differ.then_some(true));
            }
            Tried::Refuted(_) => return Ok(Some(false)),
            Tried::Some => {}
        }
        let mut variations = 0;
        for n in 0..PART_RUNS {
            match self.attempt(vec![(part.clone(), Fill::Random)], n < RENDERED)?.0 {
                Went::Fails { differs } => variations += u64::from(differs),
                Went::Refutes => return Ok(Some(false)),
                Went::Rejected => {}
                Went::Over => return Ok(Some(variations >= PART_VARIATIONS)),
            }
        }
        // A part with few values gives few variations.
        Ok((variations >= 4).then_some(true))
    }

    /// Adds a part that cannot vary alone to those that may vary together, if it may vary with them.
    fn add(&mut self, kept: &mut Vec<VariedPart>, part: VariedPart) -> Result<(), Misuse> {
        let at = kept.iter().take_while(|it| it.range.start < part.range.start).count();
        let mut parts = kept.clone();
        parts.insert(at, part);
        let mut variations = 0;
        for n in 0..OPEN_RUNS {
            let fills = parts.iter().map(|it| (it.clone(), Fill::Random)).collect();
            let (went, answered) = self.attempt(fills, n < RENDERED)?;
            match went {
                Went::Fails { .. } => variations += u64::from(self.is_other(&parts[at], &answered[at])),
                Went::Rejected => {}
                Went::Refutes | Went::Over => return Ok(()),
            }
            if n == PART_RUNS && variations == 0 {
                return Ok(());
            }
        }
        if variations >= PART_VARIATIONS {
            *kept = parts;
        }
        Ok(())
    }

    /// Tries all values that `parts` have together, unless they are too many.
    fn enumerate(&mut self, parts: &[VariedPart]) -> Result<Tried, Misuse> {
        let is_small = |it: &Choice| it.domain.last_rank().is_some_and(|it| it < u128::from(VALUES_MAX));
        let mut given = vec![Vec::new(); parts.len()];
        let mut differ = false;
        for n in 0..=VALUES_MAX {
            let fills: Fills = parts.iter().cloned().zip(given.into_iter().map(Fill::Given)).collect();
            let (went, answered) = self.attempt(fills.clone(), n < RENDERED)?;
            match went {
                Went::Fails { differs } => differ |= differs,
                Went::Refutes => return Ok(Tried::Refuted(fills)),
                Went::Rejected => {}
                Went::Over => return Ok(Tried::Some),
            }
            if !answered.iter().flatten().all(is_small) {
                return Ok(Tried::Some);
            }
            match after(&answered) {
                Some(next) => given = next,
                None => return Ok(Tried::All { differ }),
            }
        }
        Ok(Tried::Some)
    }

    /// Those of `free` that may vary together: all, except where a variation of several shows that one of them
    /// matters.
    fn together(&mut self, free: Vec<VariedPart>) -> Result<Vec<VariedPart>, Misuse> {
        let mut kept = free;
        let mut rng = Rng::new(self.seed);
        let (mut n, mut is_new) = (0, true);
        while n < JOINT_RUNS && !kept.is_empty() && !(kept.len() == 1 && self.complete.contains(&kept[0])) {
            let (mut fills, mut went) = (Fills::new(), Went::Rejected);
            if std::mem::take(&mut is_new) && kept.len() > 1 {
                match self.enumerate(&kept)? {
                    Tried::All { .. } => break,
                    Tried::Refuted(by) => (fills, went) = (by, Went::Refutes),
                    Tried::Some => {}
                }
            }
            if fills.is_empty() {
                // All, each alone, and every other choice of some.
                let one = (n / 4) as usize % kept.len();
                let parts = kept.iter().enumerate().filter(|(at, _)| match n % 4 {
                    0 => true,
                    1 => *at == one,
                    _ => rng.below(2) == 0,
                });
                fills = parts.map(|it| (it.1.clone(), Fill::Random)).collect();
                n += 1;
            }
            if fills.is_empty() {
                continue;
            }
            if !matches!(went, Went::Refutes) {
                let answered;
                (went, answered) = self.attempt(fills.clone(), n < 4 * RENDERED)?;
                let values = |it: &Vec<Choice>| Fill::Given(it.iter().map(|it| it.value).collect());
                fills = fills.into_iter().map(|it| it.0).zip(answered.iter().map(values)).collect();
            }
            match went {
                Went::Refutes => {
                    let guilty = self.narrow(fills)?;
                    kept.retain(|it| Some(it) != guilty.as_ref());
                    is_new = true;
                }
                // A few have to be seen to fail together.
                Went::Over if n <= PART_VARIATIONS && kept.len() > 1 => kept.truncate(1),
                Went::Over => break,
                Went::Fails { .. } | Went::Rejected => {}
            }
        }
        Ok(kept)
    }

    /// Of parts that make the failure go away when they are filled so, one that it takes.
    fn narrow(&mut self, mut fills: Fills) -> Result<Option<VariedPart>, Misuse> {
        let mut at = 0;
        while fills.len() > 1 && at < fills.len() {
            let mut fewer = fills.clone();
            fewer.remove(at);
            match self.attempt(fewer.clone(), true)?.0 {
                Went::Refutes => fills = fewer,
                _ => at += 1,
            }
        }
        // Each of them is needed, so without one the others may vary.
        Ok(fills.pop().map(|it| it.0))
    }

    /// What is the same in all inputs that failed while only `kept` varied.
    fn explanation(&self, mut kept: Vec<VariedPart>) -> Option<Explanation> {
        loop {
            let are_kept = |parts: &[VariedPart]| parts.iter().all(|it| kept.contains(it));
            let mut pattern = self.unchanged.clone();
            let mut variations = 0;
            for (_, inputs) in self.failing.iter().filter(|it| are_kept(&it.0)) {
                variations += 1;
                pattern.keep_common(inputs.as_deref().unwrap_or_default());
            }
            if !pattern.varies() {
                return None;
            }
            // What is claimed must not be known to be wrong.
            let Some((parts, _)) = self.refuting.iter().find(|it| !pattern.differs(&it.1)) else {
                return Some(Explanation { patterns: pattern.patterns(), variations });
            };
            let is_among = |it: &VariedPart| parts.iter().any(|part| part.encloses(it));
            kept.remove(kept.iter().rposition(is_among)?);
        }
    }

    fn vary(&mut self, fills: Fills, render: bool) -> Result<Case, Misuse> {
        self.runs += 1;
        let engine = Vary::new(Rc::clone(&self.recorded), fills, self.seed, self.runs);
        let run = if render { render_case } else { run_case };
        run(&mut Source::new(Box::new(engine)), self.test)
    }

    /// Runs one variation and learns from it. The second part is what was answered in each part.
    fn attempt(&mut self, fills: Fills, render: bool) -> Result<(Went, Vec<Vec<Choice>>), Misuse> {
        if self.runs >= self.max || !(self.go_on)() {
            return Ok((Went::Over, Vec::new()));
        }
        let mut case = self.vary(fills.clone(), render)?;
        let answers = answered(&case.trace, &fills);
        let parts: Vec<VariedPart> = fills.into_iter().map(|it| it.0).collect();
        let is_same = case.verdict.failure().is_some_and(|it| it.origin == self.origin);
        if matches!(case.verdict, Verdict::Reject(_) | Verdict::Skipped | Verdict::Overrun) {
            return Ok((Went::Rejected, answers));
        }
        if !render && !is_same {
            let given = answers.iter().map(|it| Fill::Given(it.iter().map(|it| it.value).collect()));
            case = self.vary(parts.iter().cloned().zip(given).collect(), true)?;
        }
        let inputs = case.log.inputs;
        let is_shown = render || !is_same;
        if is_shown && !self.unchanged.comparable(&inputs) || !self.decides_nothing(&parts, &case.trace) {
            return Ok((Went::Refutes, answers));
        }
        let differs = is_shown && self.unchanged.differs(&inputs);
        if !is_same {
            if differs {
                self.refuting.push((parts, inputs));
            }
            return Ok((Went::Refutes, answers));
        }
        let is_other = parts.iter().zip(&answers).any(|it| self.is_other(it.0, it.1));
        if differs || !render && is_other {
            self.failing.push((parts, render.then_some(inputs)));
        }
        Ok((Went::Fails { differs }, answers))
    }

    /// Whether a part has other answers than recorded.
    fn is_other(&self, part: &VariedPart, answers: &[Choice]) -> bool {
        let recorded = self.recorded.choices[part.range.clone()].iter().map(|it| it.value);
        !recorded.eq(answers.iter().map(|it| it.value))
    }

    /// Whether picks that vary alone led to no more or fewer choices: then others would not be where they were.
    fn decides_nothing(&self, parts: &[VariedPart], trace: &Trace) -> bool {
        let is_pick = |it: &VariedPart| {
            it.span.is_none() && matches!(self.recorded.choices[it.range.start].value, Value::Pick(_))
        };
        !parts.iter().any(is_pick) || trace.choices.len() == self.recorded.choices.len()
    }
}

/// The answers after these, as the hand of a clock goes on: what is given of each part.
fn after(answered: &[Vec<Choice>]) -> Option<Vec<Vec<Value>>> {
    for (part, choices) in answered.iter().enumerate().rev() {
        for (at, Choice { domain, value }) in choices.iter().enumerate().rev() {
            let Some(next) = domain.at(domain.rank(*value) + 1) else { continue };
            let values = |it: &[Choice]| it.iter().map(|it| it.value).collect::<Vec<Value>>();
            let mut res: Vec<Vec<Value>> = answered[..part].iter().map(|it| values(it)).collect();
            res.push([values(&choices[..at]), vec![next]].concat());
            res.resize(answered.len(), Vec::new());
            return Some(res);
        }
    }
    None
}

#[cfg(test)]
mod tests;
