//! Checking inputs that were made elsewhere: whether they satisfy a request.

use std::collections::{HashMap, HashSet};

use crate::plan::{Differ, Key, RequestFrame};
use probity_spec::Random;
use probity_spec::{Difference, Model, Request, Value};

/// What is wrong with some values, if anything: what [`check`] returns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckReport {
    /// Values that do not satisfy the spec: their place, and what they fail, in words.
    pub violations: Vec<(usize, String)>,
    /// Pairs of values, by place, that do not differ as the request says; at most [`MOST_PAIRS`].
    pub same: Vec<(usize, usize)>,
    /// What a reader has to know: which pairs were not looked at, say.
    pub notes: Vec<String>,
}

/// At most this many pairs that do not differ are reported.
pub const MOST_PAIRS: usize = 100;

/// Pairs that are compared; of more than that, this many are picked at random.
const COMPARED_MAX: u64 = 5_000_000;

/// Choices that one value may have made.
const CHOICES_MAX: usize = 64;

/// Steps of a search for choices that make all values differ.
const STEPS_MAX: u64 = 1_000_000;

/// Values for which choices are looked for together.
const CHOOSERS_MAX: usize = 5_000;

const UNKNOWN: &str = "it was not found out whether some choice of branches makes all values differ";

impl CheckReport {
    /// Whether nothing is wrong; see [`check`].
    pub fn is_ok(&self) -> bool {
        self.violations.is_empty() && self.same.is_empty()
    }
}

/// Whether the values satisfy the request's spec, and every pair of them differs.
///
/// Values do not say which branch of an enumeration they stand for. They are taken to differ when some choice of
/// branches makes every pair differ.
///
/// ```
/// use probity_models::check;
/// use probity_spec::{Difference, Request, Shape, Spec, Term, Value};
/// let spec = Spec::object([("x", Spec::new(Shape::int(0, 99)))]);
/// let request = Request { spec, difference: Difference::distance(Term::it().field("x"), 10), n: 0 };
/// let value = |x| Value::Object(vec![("x".into(), Value::Int(x))]);
/// let report = check(&request, &[value(1), value(30), value(25), value(200)]);
/// assert_eq!(report.same, [(1, 2)]);
/// assert_eq!(report.violations[0].0, 3);
/// assert!(check(&request, &[value(1), value(30)]).is_ok());
/// ```
pub fn check(request: &Request, values: &[Value]) -> CheckReport {
    check_within(request, values, COMPARED_MAX)
}

/// As [`check`], and compares this many pairs at most where every pair has to be looked at.
///
/// ```
/// use probity_models::check_within;
/// use probity_spec::{Difference, Request, Shape, Spec, Term, Value};
/// let spec = Spec::object([("x", Spec::new(Shape::int(0, 99)))]);
/// let request = Request { spec, difference: Difference::distance(Term::it().field("x"), 10), n: 0 };
/// let values: Vec<Value> = [1, 30, 60].map(|x| Value::Object(vec![("x".into(), Value::Int(x))])).into();
/// assert_eq!(check_within(&request, &values, 2).notes, ["2 of 3 pairs were compared, picked at random"]);
/// ```
pub fn check_within(request: &Request, values: &[Value], pairs_max: u64) -> CheckReport {
    let mut report = CheckReport::default();
    let mut candidates: Vec<(usize, Vec<Model>)> = Vec::new();
    for (place, value) in values.iter().enumerate() {
        if let Err(violation) = request.spec.admits(value) {
            report.violations.push((place, violation.to_string()));
            continue;
        }
        let choices = request.choices_of(value, CHOICES_MAX);
        if choices.is_empty() {
            let message = "it satisfies no assertion of an enumeration of the difference";
            report.violations.push((place, message.to_string()));
            continue;
        }
        let model = |choices: Vec<u64>| Model { value: value.clone(), choices };
        candidates.push((place, choices.into_iter().map(model).collect()));
    }
    match keys(request, &candidates) {
        Some(keys) => report.same = equal_keys(&candidates, keys),
        None => compare(request, &candidates, pairs_max, &mut report),
    }
    if report.same.is_empty() && candidates.iter().any(|it| it.1.len() > 1) {
        if candidates.len() <= CHOOSERS_MAX {
            choose(request, &candidates, &mut report);
        } else {
            report.notes.push(UNKNOWN.to_string());
        }
    }
    report
}

/// A key for every value, where the difference is one and values have no choice.
fn keys(request: &Request, candidates: &[(usize, Vec<Model>)]) -> Option<Vec<Key>> {
    let frame = RequestFrame::of(&request.spec)?;
    let (differ, _) = Differ::of(&request.difference, &frame);
    let is_default = request.difference == Difference::Never;
    if !(is_default || differ.is_key(&frame)) || candidates.iter().any(|it| it.1.len() > 1) {
        return None;
    }
    let key = |model: &Model| {
        let key = if is_default { vec![Some(model.value.clone())] } else { differ.key(&request.spec, model) };
        (model.choices.clone(), key)
    };
    Some(candidates.iter().map(|it| key(&it.1[0])).collect())
}

fn equal_keys(candidates: &[(usize, Vec<Model>)], keys: Vec<Key>) -> Vec<(usize, usize)> {
    let mut first: HashMap<Key, usize> = HashMap::new();
    let mut same = Vec::new();
    for ((place, _), key) in candidates.iter().zip(keys) {
        if same.len() >= MOST_PAIRS {
            break;
        }
        match first.get(&key) {
            Some(before) => same.push((*before, *place)),
            None => drop(first.insert(key, *place)),
        }
    }
    same
}

/// Pairs that do not differ whatever they choose.
fn compare(request: &Request, candidates: &[(usize, Vec<Model>)], pairs_max: u64, report: &mut CheckReport) {
    let n = candidates.len() as u64;
    let pairs = n * n.saturating_sub(1) / 2;
    let mut look = |one: usize, two: usize| {
        let (one, two) = (&candidates[one], &candidates[two]);
        if !one.1.iter().any(|a| two.1.iter().any(|b| request.differ(a, b))) {
            report.same.push((one.0, two.0));
        }
        report.same.len() < MOST_PAIRS
    };
    if pairs <= pairs_max {
        let _ = (0..candidates.len()).all(|two| (0..two).all(|one| look(one, two)));
        report.same.sort_unstable();
        return;
    }
    let mut random = Random::new(n);
    for _ in 0..pairs_max {
        let (one, two) = (random.below(n), random.below(n));
        if one != two && !look(one.min(two) as usize, one.max(two) as usize) {
            break;
        }
    }
    report.same.sort_unstable();
    report.same.dedup();
    report.notes.push(format!("{pairs_max} of {pairs} pairs were compared, picked at random"));
}

/// Looks for choices with which all values differ from each other.
fn choose(request: &Request, candidates: &[(usize, Vec<Model>)], report: &mut CheckReport) {
    if is_linear(&request.difference) {
        return matched(candidates, report);
    }
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    order.sort_by_key(|it| candidates[*it].1.len());
    let mut search = Assign { request, candidates, order, taken: Vec::new(), steps: STEPS_MAX, stuck: None };
    if search.go_on() {
        return;
    }
    if search.steps == 0 {
        report
            .notes
            .push("it was not found out whether some choice of branches makes all values differ".into());
    } else {
        report.same.extend(search.stuck);
        report.notes.push("no choice of branches makes all values differ".into());
    }
}

/// Whether models differ by one choice alone.
fn is_linear(difference: &Difference) -> bool {
    use probity_spec::{Branches, Enumerate};
    match difference {
        Difference::Enumerate(Enumerate { branches: Branches::Listed(branches) }) => {
            branches.iter().all(|it| it.differ == Difference::Never)
        }
        Difference::Enumerate(Enumerate { branches: Branches::Cover { .. } }) => true,
        _ => false,
    }
}

/// Gives every value a branch of its own by augmenting paths.
fn matched(candidates: &[(usize, Vec<Model>)], report: &mut CheckReport) {
    let mut owner: HashMap<u64, usize> = HashMap::new();
    for at in 0..candidates.len() {
        let mut tried = HashSet::new();
        if augment(candidates, at, &mut owner, &mut tried) {
            continue;
        }
        let rival = candidates[at].1.iter().find_map(|it| owner.get(&it.choices[0]));
        if let (Some(rival), true) = (rival, report.same.len() < MOST_PAIRS) {
            report.same.push((candidates[*rival].0, candidates[at].0));
        }
    }
}

fn augment(
    candidates: &[(usize, Vec<Model>)],
    at: usize,
    owner: &mut HashMap<u64, usize>,
    tried: &mut HashSet<u64>,
) -> bool {
    for model in &candidates[at].1 {
        let choice = model.choices[0];
        if !tried.insert(choice) {
            continue;
        }
        let is_free = match owner.get(&choice).copied() {
            Some(other) => augment(candidates, other, owner, tried),
            None => true,
        };
        if is_free {
            owner.insert(choice, at);
            return true;
        }
    }
    false
}

/// Chooses for one value after the other, the most restricted first.
struct Assign<'a> {
    request: &'a Request,
    candidates: &'a [(usize, Vec<Model>)],
    order: Vec<usize>,
    taken: Vec<(usize, &'a Model)>,
    steps: u64,
    stuck: Option<(usize, usize)>,
}

impl Assign<'_> {
    fn go_on(&mut self) -> bool {
        let candidates = self.candidates;
        let Some(&at) = self.order.get(self.taken.len()) else { return true };
        let (place, models) = &candidates[at];
        for model in models {
            if self.steps == 0 {
                return false;
            }
            self.steps -= 1;
            match self.taken.iter().find(|it| !self.request.differ(it.1, model)) {
                Some(rival) => self.stuck = self.stuck.or(Some((rival.0.min(*place), rival.0.max(*place)))),
                None => {
                    self.taken.push((*place, model));
                    if self.go_on() {
                        return true;
                    }
                    self.taken.pop();
                }
            }
        }
        false
    }
}
