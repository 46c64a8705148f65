//! Recipes: what a plan consists of, how many models it can make, and how it makes them.

use std::sync::Arc;

use num_bigint::BigUint;

use super::classes::Classes;
use super::cover::CoverPlan;
use super::deal::{Grid, Row, Shuffle, mix, shares};
use super::hand::{Hand, list_of};
use super::ints::Unit;
use super::pack;
use super::search::{Context, Search};
use super::space::{Space, product, room, sum};
use crate::Value;
use crate::random::Random;
use crate::regex::Count;
use crate::solve::builtin::IntSet;

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
    Values(usize, Space),
    /// Values of different lengths.
    Lengths(usize, Space),
    /// Numbers that far apart.
    Apart {
        /// The variable.
        var: usize,
        /// What its numbers stand for.
        unit: Unit,
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
    Search(Box<Search>),
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
pub(crate) struct Dealt {
    /// How many.
    pub(crate) len: u64,
    /// Why there may be more, if there are fewer than asked for and it is not certain.
    pub(crate) why: Option<String>,
    cards: Cards,
}

enum Cards {
    Nothing,
    Product(Grid, Vec<Dealt>),
    Zip(Vec<Dealt>),
    Sum(usize, Row, Vec<(u64, Dealt)>),
    With(Box<Dealt>, Vec<Dealt>),
    Values(usize, Hand),
    Lengths(usize, Space, Vec<usize>, Shuffle),
    Numbers(usize, Unit, Vec<i128>, Shuffle),
    Cover(super::cover::CoverHand),
    Classes(super::classes::ClassHand),
    Found(Arc<Search>, Vec<crate::Model>),
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

    /// Deals `n` models, or as many as there are.
    pub(crate) fn deal(&self, n: u64, seed: u64, context: &Context) -> Dealt {
        let below = |at: usize| mix(seed.wrapping_add(1 + at as u64));
        match self {
            Plan::Nothing => Dealt::sure(0, Cards::Nothing),
            Plan::One => Dealt::sure(n.min(1), Cards::Nothing),
            Plan::Product(parts) => {
                let deal = |(at, part): (usize, &Plan)| part.deal(n, below(at), context);
                let dealt: Vec<Dealt> = parts.iter().enumerate().map(deal).collect();
                let sizes: Vec<u64> = dealt.iter().map(|it| it.len).collect();
                let grid = Grid::new(&sizes, seed);
                // A part without models decides, whatever is unknown of the others.
                let is_sure = dealt.iter().any(|it| it.len == 0 && it.why.is_none());
                let why = if is_sure { None } else { dealt.iter().find_map(|it| it.why.clone()) };
                Dealt { len: grid.len().min(n), why, cards: Cards::Product(grid, dealt) }
            }
            Plan::Zip(parts) => {
                let deal = |(at, part): (usize, &Plan)| part.deal(n, below(at), context);
                let dealt: Vec<Dealt> = parts.iter().enumerate().map(deal).collect();
                let len = dealt.iter().map(|it| it.len).min().unwrap_or(n);
                let is_sure = dealt.iter().any(|it| it.len == len && it.why.is_none());
                let why = if is_sure { None } else { dealt.iter().find_map(|it| it.why.clone()) };
                Dealt { len, why, cards: Cards::Zip(dealt) }
            }
            Plan::Sum(at, branches) => deal_sum(*at, branches, n, seed, context),
            Plan::With(plan, free) => {
                let mut dealt = plan.deal(n, seed, context);
                let many = |it: &Plan| match it.is_searched() {
                    true => dealt.len.clamp(FREE_FOUND_MIN, FREE_FOUND),
                    false => dealt.len.max(FREE_MIN),
                };
                let deal = |(at, it): (usize, &Plan)| it.deal(many(it), below(at), context);
                let free: Vec<Dealt> = free.iter().enumerate().map(deal).collect();
                if let Some(none) = free.iter().find(|it| it.len == 0) {
                    return Dealt { len: 0, why: none.why.clone(), cards: Cards::Nothing };
                }
                let (len, why) = (dealt.len, dealt.why.take());
                Dealt { len, why, cards: Cards::With(Box::new(dealt), free) }
            }
            Plan::Values(var, space) => {
                let hand = space.deal(n, seed);
                Dealt::sure(hand.len(), Cards::Values(*var, hand))
            }
            Plan::Lengths(var, space) => {
                let lengths = first_lengths(space, n.min(LENGTHS_MAX));
                let len = lengths.len() as u64;
                let why = (len == LENGTHS_MAX && len < n)
                    .then(|| format!("only the first {len} lengths were looked at"));
                let order = Shuffle::new(len.into(), seed);
                Dealt { len, why, cards: Cards::Lengths(*var, space.clone(), lengths, order) }
            }
            Plan::Apart { var, unit, set, open, distance } => {
                let numbers = pack::apart(set, *open, *distance, n, &mut Random::new(seed));
                let order = Shuffle::new(numbers.len() as u128, seed);
                Dealt::sure(numbers.len() as u64, Cards::Numbers(*var, *unit, numbers, order))
            }
            Plan::Cover(cover) => {
                let (hand, why) = cover.deal(n, seed, &context.work);
                Dealt { len: hand.len(), why, cards: Cards::Cover(hand) }
            }
            Plan::Classes(classes) => {
                let hand = classes.deal(n, seed);
                Dealt { len: hand.len(), why: classes.why.clone(), cards: Cards::Classes(hand) }
            }
            Plan::Search(search) => {
                let mut found = Vec::new();
                let end = search.run(n, context, &mut |it| {
                    found.push(it);
                    std::ops::ControlFlow::Continue(())
                });
                let len = found.len() as u64;
                Dealt { len, why: end.why(), cards: Cards::Found(Arc::new((**search).clone()), found) }
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

impl Dealt {
    fn sure(len: u64, cards: Cards) -> Dealt {
        Dealt { len, why: None, cards }
    }

    /// Whether it took work to find some of it.
    pub(crate) fn is_found(&self) -> bool {
        match &self.cards {
            Cards::Product(_, parts) | Cards::Zip(parts) => parts.iter().any(Dealt::is_found),
            Cards::Sum(_, _, branches) => branches.iter().any(|it| it.1.is_found()),
            Cards::With(plan, free) => plan.is_found() || free.iter().any(Dealt::is_found),
            Cards::Classes(_) | Cards::Found(..) => true,
            _ => false,
        }
    }

    /// Makes the model at a place: fills in its variables and choices. False if it turns out that there is none.
    pub(crate) fn fill(&self, index: u64, draft: &mut Draft, random: &mut Random) -> bool {
        match &self.cards {
            Cards::Nothing => true,
            Cards::Product(grid, parts) => {
                let mut cell = vec![0; parts.len()];
                grid.at(index, &mut cell);
                parts.iter().zip(cell).all(|(part, at)| part.fill(at, draft, random))
            }
            Cards::Zip(parts) => parts.iter().all(|it| it.fill(index, draft, random)),
            Cards::Sum(at, row, branches) => {
                let (part, below) = row.at(index);
                draft.choices[*at] = branches[part].0;
                branches[part].1.fill(below, draft, random)
            }
            Cards::With(plan, free) => {
                // A plan of few models stands in others more often: then any value, not the same ones again.
                let mut any = |it: &Dealt, random: &mut Random| {
                    let at = if plan.len < it.len { random.below(it.len) } else { index % it.len };
                    it.fill(at, draft, random)
                };
                free.iter().all(|it| any(it, random)) && plan.fill(index, draft, random)
            }
            Cards::Values(var, hand) => {
                draft.values[*var] = hand.at(index);
                true
            }
            Cards::Lengths(var, space, lengths, order) => {
                let length = lengths[order.at(index.into()) as usize];
                match member_of_length(space, length, random) {
                    Some(value) => draft.values[*var] = value,
                    None => return false,
                }
                true
            }
            Cards::Numbers(var, unit, numbers, order) => {
                draft.values[*var] = unit.value(numbers[order.at(index.into()) as usize]);
                true
            }
            Cards::Cover(hand) => hand.fill(index, draft, random),
            Cards::Classes(hand) => hand.fill(index, draft, random),
            Cards::Found(search, found) => {
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

fn deal_sum(at: usize, branches: &[(u64, Plan)], n: u64, seed: u64, context: &Context) -> Dealt {
    let deal = |it: usize, n: u64| branches[it].1.deal(n, mix(seed.wrapping_add(1 + it as u64)), context);
    let rooms: Vec<Option<u64>> = branches.iter().map(|it| it.1.count().ok().map(|it| room(&it))).collect();
    // What a solver finds is asked for in fair shares first, and again if the others cannot make up for it.
    let fair = shares(&rooms.iter().map(|it| it.unwrap_or(u64::MAX)).collect::<Vec<_>>(), n);
    let mut found: Vec<Option<Dealt>> =
        (0..branches.len()).map(|it| rooms[it].is_none().then(|| deal(it, fair[it]))).collect();
    let available = |found: &[Option<Dealt>]| -> Vec<u64> {
        (0..rooms.len()).map(|it| rooms[it].or(found[it].as_ref().map(|it| it.len)).unwrap_or(0)).collect()
    };
    let total = available(&found).iter().fold(0_u64, |sum, it| sum.saturating_add(*it));
    if total < n {
        for it in 0..branches.len() {
            if found[it].as_ref().is_some_and(|found| found.len == fair[it]) {
                found[it] = Some(deal(it, n));
            }
        }
    }
    let given = super::hand::spread(&available(&found), n, seed);
    let mut why = None;
    let mut dealt = Vec::new();
    for (it, (choice, _)) in branches.iter().enumerate() {
        let mut part = found[it].take().unwrap_or_else(|| deal(it, given[it]));
        why = why.or(part.why.take());
        if given[it] > 0 {
            part.len = part.len.min(given[it]);
            dealt.push((*choice, part));
        }
    }
    let row = Row::new(dealt.iter().map(|it| it.1.len), seed);
    Dealt { len: row.len(), why, cards: Cards::Sum(at, row, dealt) }
}

fn lengths_count(space: &Space) -> Count {
    match space {
        Space::Words(words) => words.language.lengths().count(),
        Space::List { lengths, of } if of.room() == 0 => Count::Finite(u32::from(lengths.contains(0)).into()),
        Space::List { lengths, .. } if lengths.max() == Some(i128::MAX) => Count::Infinite,
        Space::List { lengths, .. } => Count::Finite(lengths.count().into()),
        _ => Count::Finite(BigUint::ZERO),
    }
}

fn first_lengths(space: &Space, n: u64) -> Vec<usize> {
    match space {
        Space::Words(words) => words.language.lengths().first(n as usize),
        Space::List { lengths, of } => {
            let longest = if of.room() == 0 { 0 } else { i128::MAX };
            lengths.clip(0, longest).iter().take(n as usize).map(|it| it as usize).collect()
        }
        _ => Vec::new(),
    }
}

fn member_of_length(space: &Space, length: usize, random: &mut Random) -> Option<Value> {
    match space {
        Space::Words(words) => words.language.sample_nice(random, length).map(|it| Value::Text(it.into())),
        Space::List { of, .. } => Some(list_of(of, length as u64, random.bits())),
        _ => None,
    }
}
