//! Recipes: what a plan consists of, how many models it can make, and how it makes them.

use probity_spec::NumericKind;
use std::sync::Arc;

use num_bigint::BigUint;

use super::classes::Classes;
use super::cover::CoverPlan;
use super::pack;
use super::sample::{Sample, list_of};
use super::search::{Context, SearchPlan};
use super::shuffle::{Concatenation, Grid, Permutation, mix, shares};
use super::space::{ValueSpace, product, room, sum, value_of};
use probity_spec::IntSet;
use probity_spec::Random;
use probity_spec::Value;
use probity_spec::regex::Count;

/// A recipe for models of some variables, every pair of them different.
pub(crate) enum Plan {
    /// There is no model.
    Nothing,
    /// No two models differ: any one.
    One,
    /// Independent parts of which one has to differ: every combination.
    Product(Vec<Plan>),
    /// Independent parts that all have to differ: side by side.
    Zip(Vec<Plan>),
    /// A choice, at its place, with a plan for every branch.
    Sum(usize, Vec<(u64, Plan)>),
    /// A plan, and variables that the difference does not speak about: any of their values.
    With(Box<Plan>, Vec<Plan>),
    /// Different values of a variable.
    Values(usize, ValueSpace),
    /// Values of different lengths.
    Lengths(usize, ValueSpace),
    /// Numbers that far apart.
    Apart {
        /// The variable.
        var: usize,
        /// What its numbers stand for.
        kind: NumericKind,
        /// Its numbers.
        set: IntSet,
        /// Whether there are more.
        open: bool,
        /// How far apart.
        distance: i128,
    },
    /// Leaves of a regex.
    Cover(CoverPlan),
    /// Classes of models found by going through all.
    Classes(Classes),
    /// What a solver has to find.
    Search(Box<SearchPlan>),
}

/// A model in the making.
pub(crate) struct Draft {
    /// A value for every variable.
    pub(crate) values: Vec<Value>,
    /// A choice for every enumeration.
    pub(crate) choices: Vec<u64>,
    /// How often the model was made before, and is to get other values where it may.
    pub(crate) attempt: u64,
}

/// Models to be made, at the places `0..len`.
pub(crate) struct PlanSample {
    /// How many.
    pub(crate) len: u64,
    /// Why there may be more, if there are fewer than asked for and it is not certain.
    pub(crate) why: Option<String>,
    source: PlanSampleSource,
}

enum PlanSampleSource {
    Nothing,
    Product(Grid, Vec<PlanSample>),
    Zip(Vec<PlanSample>),
    Sum(usize, Concatenation, Vec<(u64, PlanSample)>),
    With(Box<PlanSample>, Vec<PlanSample>),
    Values(usize, Sample),
    Lengths(usize, ValueSpace, Vec<usize>, Permutation),
    Numbers(usize, NumericKind, Vec<i128>, Permutation),
    Cover(super::cover::CoverSample),
    Classes(super::classes::ClassSample),
    Found(Arc<SearchPlan>, Vec<probity_spec::Model>),
}

/// Models found by a solver are not made again more often than this for variables that need not differ.
const FREE_FOUND: u64 = 256;

/// Values of variables that need not differ, so that there are others to try, and some variety.
const FREE_MIN: u64 = 32;

/// The same where a solver has to find them.
const FREE_FOUND_MIN: u64 = 4;

/// Lengths that are spelled out.
const LENGTHS_MAX: u64 = 10_000_000;

impl Plan {
    /// The most models that it can make, or why that is not known.
    pub(crate) fn count(&self) -> Result<Count, String> {
        let number = |it: u64| Count::Finite(it.into());
        match self {
            Plan::Nothing => Ok(number(0)),
            Plan::One => Ok(number(1)),
            Plan::Product(parts) if parts.iter().any(|it| it.count() == Ok(number(0))) => Ok(number(0)),
            Plan::Product(parts) => Ok(product(counts(parts)?)),
            Plan::Zip(parts) => Ok(counts(parts)?.into_iter().reduce(lesser).unwrap_or(Count::Infinite)),
            Plan::Sum(_, branches) => {
                let counts: Result<Vec<Count>, String> = branches.iter().map(|it| it.1.count()).collect();
                Ok(sum(counts?))
            }
            Plan::With(plan, free) => {
                let free = counts(free)?;
                if free.contains(&number(0)) { Ok(number(0)) } else { plan.count() }
            }
            Plan::Values(_, space) => space.counted(),
            Plan::Lengths(_, space) => Ok(lengths_count(space)),
            Plan::Apart { open: true, .. } => Ok(Count::Infinite),
            Plan::Apart { set, distance, .. } => {
                let many = set.pack(*distance).iter().map(|it| BigUint::from(it.2)).sum();
                Ok(Count::Finite(many))
            }
            Plan::Cover(cover) => cover.count(),
            Plan::Classes(classes) => classes.count(),
            Plan::Search(search) => Err(search.why.clone()),
        }
    }

    /// Whether the number of models is also the least number of classes of which each holds no two that differ.
    /// Then products of it are exact.
    pub(crate) fn is_perfect(&self) -> bool {
        match self {
            Plan::Product(parts) | Plan::Zip(parts) => parts.iter().all(Plan::is_perfect),
            Plan::Sum(_, branches) => branches.iter().all(|it| it.1.is_perfect()),
            Plan::With(plan, _) => plan.is_perfect(),
            Plan::Classes(classes) => classes.is_perfect,
            Plan::Search(search) => search.is_key,
            _ => true,
        }
    }

    /// Samples `n` different models, or as many as there are.
    pub(crate) fn sample_distinct(&self, n: u64, seed: u64, context: &Context) -> PlanSample {
        let below = |at: usize| mix(seed.wrapping_add(1 + at as u64));
        match self {
            Plan::Nothing => PlanSample::sure(0, PlanSampleSource::Nothing),
            Plan::One => PlanSample::sure(n.min(1), PlanSampleSource::Nothing),
            Plan::Product(parts) => {
                let sample_distinct =
                    |(at, part): (usize, &Plan)| part.sample_distinct(n, below(at), context);
                let sample: Vec<PlanSample> = parts.iter().enumerate().map(sample_distinct).collect();
                let sizes: Vec<u64> = sample.iter().map(|it| it.len).collect();
                let grid = Grid::new(&sizes, seed);
                // A part without models decides, whatever is unknown of the others.
                let is_sure = sample.iter().any(|it| it.len == 0 && it.why.is_none());
                let why = if is_sure { None } else { sample.iter().find_map(|it| it.why.clone()) };
                PlanSample { len: grid.len().min(n), why, source: PlanSampleSource::Product(grid, sample) }
            }
            Plan::Zip(parts) => {
                let sample_distinct =
                    |(at, part): (usize, &Plan)| part.sample_distinct(n, below(at), context);
                let sample: Vec<PlanSample> = parts.iter().enumerate().map(sample_distinct).collect();
                let len = sample.iter().map(|it| it.len).min().unwrap_or(n);
                let is_sure = sample.iter().any(|it| it.len == len && it.why.is_none());
                let why = if is_sure { None } else { sample.iter().find_map(|it| it.why.clone()) };
                PlanSample { len, why, source: PlanSampleSource::Zip(sample) }
            }
            Plan::Sum(at, branches) => deal_sum(*at, branches, n, seed, context),
            Plan::With(plan, free) => {
                let mut sample = plan.sample_distinct(n, seed, context);
                let many = |it: &Plan| match it.is_searched() {
                    true => sample.len.clamp(FREE_FOUND_MIN, FREE_FOUND),
                    false => sample.len.max(FREE_MIN),
                };
                let sample_distinct =
                    |(at, it): (usize, &Plan)| it.sample_distinct(many(it), below(at), context);
                let free: Vec<PlanSample> = free.iter().enumerate().map(sample_distinct).collect();
                if let Some(none) = free.iter().find(|it| it.len == 0) {
                    return PlanSample { len: 0, why: none.why.clone(), source: PlanSampleSource::Nothing };
                }
                let (len, why) = (sample.len, sample.why.take());
                PlanSample { len, why, source: PlanSampleSource::With(Box::new(sample), free) }
            }
            Plan::Values(var, space) => {
                let sample = space.sample_distinct(n, seed);
                PlanSample::sure(sample.len(), PlanSampleSource::Values(*var, sample))
            }
            Plan::Lengths(var, space) => {
                let lengths = first_lengths(space, n.min(LENGTHS_MAX));
                let len = lengths.len() as u64;
                let why = (len == LENGTHS_MAX && len < n)
                    .then(|| format!("only the first {len} lengths were looked at"));
                let order = Permutation::new(len.into(), seed);
                PlanSample {
                    len,
                    why,
                    source: PlanSampleSource::Lengths(*var, space.clone(), lengths, order),
                }
            }
            Plan::Apart { var, kind, set, open, distance } => {
                let numbers = pack::apart(set, *open, *distance, n, &mut Random::new(seed));
                let order = Permutation::new(numbers.len() as u128, seed);
                PlanSample::sure(numbers.len() as u64, PlanSampleSource::Numbers(*var, *kind, numbers, order))
            }
            Plan::Cover(cover) => {
                let (sample, why) = cover.sample_distinct(n, seed, &context.work);
                PlanSample { len: sample.len(), why, source: PlanSampleSource::Cover(sample) }
            }
            Plan::Classes(classes) => {
                let sample = classes.sample_distinct(n, seed);
                PlanSample {
                    len: sample.len(),
                    why: classes.why.clone(),
                    source: PlanSampleSource::Classes(sample),
                }
            }
            Plan::Search(search) => {
                let mut found = Vec::new();
                let end = search.run(n, context, &mut |it| {
                    found.push(it);
                    std::ops::ControlFlow::Continue(())
                });
                let len = found.len() as u64;
                PlanSample {
                    len,
                    why: end.why(),
                    source: PlanSampleSource::Found(Arc::new((**search).clone()), found),
                }
            }
        }
    }

    /// Whether a solver takes part.
    pub(crate) fn is_searched(&self) -> bool {
        match self {
            Plan::Product(parts) | Plan::Zip(parts) => parts.iter().any(Plan::is_searched),
            Plan::Sum(_, branches) => branches.iter().any(|it| it.1.is_searched()),
            Plan::With(plan, free) => plan.is_searched() || free.iter().any(Plan::is_searched),
            Plan::Search(_) => true,
            _ => false,
        }
    }
}

impl PlanSample {
    fn sure(len: u64, source: PlanSampleSource) -> PlanSample {
        PlanSample { len, why: None, source }
    }

    /// Whether it took work to find some of it.
    pub(crate) fn is_found(&self) -> bool {
        match &self.source {
            PlanSampleSource::Product(_, parts) | PlanSampleSource::Zip(parts) => {
                parts.iter().any(PlanSample::is_found)
            }
            PlanSampleSource::Sum(_, _, branches) => branches.iter().any(|it| it.1.is_found()),
            PlanSampleSource::With(plan, free) => plan.is_found() || free.iter().any(PlanSample::is_found),
            PlanSampleSource::Classes(_) | PlanSampleSource::Found(..) => true,
            _ => false,
        }
    }

    /// Makes the model at a place: fills in its variables and choices. False if it turns out that there is none.
    pub(crate) fn fill(&self, index: u64, draft: &mut Draft, random: &mut Random) -> bool {
        match &self.source {
            PlanSampleSource::Nothing => true,
            PlanSampleSource::Product(grid, parts) => {
                let mut cell = vec![0; parts.len()];
                grid.at(index, &mut cell);
                parts.iter().zip(cell).all(|(part, at)| part.fill(at, draft, random))
            }
            PlanSampleSource::Zip(parts) => parts.iter().all(|it| it.fill(index, draft, random)),
            PlanSampleSource::Sum(at, row, branches) => {
                let (part, below) = row.at(index);
                draft.choices[*at] = branches[part].0;
                branches[part].1.fill(below, draft, random)
            }
            PlanSampleSource::With(plan, free) => {
                // A plan of few models is in others more often: then any value, not the same ones again.
                let mut any = |it: &PlanSample, random: &mut Random| {
                    let at = if plan.len < it.len { random.below(it.len) } else { index % it.len };
                    it.fill(at, draft, random)
                };
                free.iter().all(|it| any(it, random)) && plan.fill(index, draft, random)
            }
            PlanSampleSource::Values(var, sample) => {
                draft.values[*var] = sample.at(index);
                true
            }
            PlanSampleSource::Lengths(var, space, lengths, order) => {
                let length = lengths[order.at(index.into()) as usize];
                match member_of_length(space, length, random) {
                    Some(value) => draft.values[*var] = value,
                    None => return false,
                }
                true
            }
            PlanSampleSource::Numbers(var, kind, numbers, order) => {
                draft.values[*var] = value_of(*kind, numbers[order.at(index.into()) as usize]);
                true
            }
            PlanSampleSource::Cover(sample) => sample.fill(index, draft, random),
            PlanSampleSource::Classes(sample) => sample.fill(index, draft, random),
            PlanSampleSource::Found(search, found) => {
                search.fill(&found[index as usize], draft);
                true
            }
        }
    }
}

fn counts(parts: &[Plan]) -> Result<Vec<Count>, String> {
    parts.iter().map(Plan::count).collect()
}

fn lesser(a: Count, b: Count) -> Count {
    match (a, b) {
        (Count::Finite(a), Count::Finite(b)) => Count::Finite(a.min(b)),
        (Count::Infinite, it) | (it, Count::Infinite) => it,
    }
}

fn deal_sum(at: usize, branches: &[(u64, Plan)], n: u64, seed: u64, context: &Context) -> PlanSample {
    let sample_distinct =
        |it: usize, n: u64| branches[it].1.sample_distinct(n, mix(seed.wrapping_add(1 + it as u64)), context);
    let rooms: Vec<Option<u64>> = branches.iter().map(|it| it.1.count().ok().map(|it| room(&it))).collect();
    // What a solver finds is asked for in fair shares first, and again if the others cannot make up for it.
    let fair = shares(&rooms.iter().map(|it| it.unwrap_or(u64::MAX)).collect::<Vec<_>>(), n);
    let mut found: Vec<Option<PlanSample>> =
        (0..branches.len()).map(|it| rooms[it].is_none().then(|| sample_distinct(it, fair[it]))).collect();
    let available = |found: &[Option<PlanSample>]| -> Vec<u64> {
        (0..rooms.len()).map(|it| rooms[it].or(found[it].as_ref().map(|it| it.len)).unwrap_or(0)).collect()
    };
    let total = available(&found).iter().fold(0_u64, |sum, it| sum.saturating_add(*it));
    if total < n {
        for it in 0..branches.len() {
            if found[it].as_ref().is_some_and(|found| found.len == fair[it]) {
                found[it] = Some(sample_distinct(it, n));
            }
        }
    }
    let given = super::sample::spread(&available(&found), n, seed);
    let mut why = None;
    let mut sample = Vec::new();
    for (it, (choice, _)) in branches.iter().enumerate() {
        let mut part = found[it].take().unwrap_or_else(|| sample_distinct(it, given[it]));
        why = why.or(part.why.take());
        if given[it] > 0 {
            part.len = part.len.min(given[it]);
            sample.push((*choice, part));
        }
    }
    let row = Concatenation::new(sample.iter().map(|it| it.1.len), seed);
    PlanSample { len: row.len(), why, source: PlanSampleSource::Sum(at, row, sample) }
}

fn lengths_count(space: &ValueSpace) -> Count {
    match space {
        ValueSpace::Words(words) => words.language.lengths().count(),
        ValueSpace::List { lengths, of } if of.room() == 0 => {
            Count::Finite(u32::from(lengths.contains(0)).into())
        }
        ValueSpace::List { lengths, .. } if lengths.max() == Some(i128::MAX) => Count::Infinite,
        ValueSpace::Ordered(lists) if lists.is_open => Count::Infinite,
        ValueSpace::Ordered(lists) => Count::Finite(lists.lengths().count().into()),
        ValueSpace::List { lengths, .. } => Count::Finite(lengths.count().into()),
        _ => Count::Finite(BigUint::ZERO),
    }
}

fn first_lengths(space: &ValueSpace, n: u64) -> Vec<usize> {
    match space {
        ValueSpace::Words(words) => words.language.lengths().first(n as usize),
        ValueSpace::List { lengths, of } => {
            let longest = if of.room() == 0 { 0 } else { i128::MAX };
            lengths.clip(0, longest).iter().take(n as usize).map(|it| it as usize).collect()
        }
        ValueSpace::Ordered(lists) => lists.lengths().take(n as usize).map(|it| it as usize).collect(),
        _ => Vec::new(),
    }
}

fn member_of_length(space: &ValueSpace, length: usize, random: &mut Random) -> Option<Value> {
    match space {
        ValueSpace::Words(words) => {
            words.language.sample_nice(random, length).map(|it| Value::Text(it.into()))
        }
        ValueSpace::Ordered(lists) => {
            let count = u64::try_from(lists.of_length(length)).unwrap_or(u64::MAX);
            lists.nth_of_length(length, random.below(count).into())
        }
        ValueSpace::List { of, .. } => Some(list_of(of, length as u64, random.bits())),
        _ => None,
    }
}
