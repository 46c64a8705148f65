//! Samples: distinct values of a space at the places `0..len`, each found when it is asked for.

use probity_spec::NumericKind;
use std::sync::Arc;

use super::ordered::OrderedSpace;
use super::shuffle::{Concatenation, Distinct, Grid, Permutation, mix, shares};
use super::space::{LIST_SPAN, ValueSpace, product, room, value_of};
use probity_spec::regex::{Count, Language};
use probity_spec::{CountedModels, IntSet};
use probity_spec::{Name, Value};

/// Distinct values of a space, in a random-looking order with short and long, small and large among them.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    len: u64,
    source: SampleSource,
}

#[derive(Clone, Debug)]
enum SampleSource {
    Ints { set: IntSet, kind: NumericKind, order: Permutation },
    Words { language: Arc<Language>, length: usize, order: Distinct },
    Listed { values: Arc<Vec<Value>>, order: Permutation },
    Parts { row: Concatenation, parts: Vec<Sample> },
    Some(Box<Sample>),
    Case(Name, Box<Sample>),
    List { grid: Grid, elements: Vec<Sample> },
    Object { grid: Grid, fields: Vec<(Name, Sample)> },
    Ordered { lists: Arc<OrderedSpace>, order: Permutation },
    Counted { models: Arc<CountedModels>, order: Permutation },
}

impl ValueSpace {
    /// Samples `n` distinct values, or all if there are fewer.
    pub(crate) fn sample_distinct(&self, n: u64, seed: u64) -> Sample {
        let seed = mix(seed.wrapping_add(0x51));
        match self {
            ValueSpace::Ints { set, kind, open } => {
                let bands = bands(set, *kind, *open, n);
                let rooms: Vec<u64> =
                    bands.iter().map(|it| it.count().try_into().unwrap_or(u64::MAX)).collect();
                let given = spread(&rooms, n, seed);
                let part = |(at, (set, n)): (usize, (IntSet, &u64))| {
                    let order = Permutation::with_ends(set.count(), *n, mix(seed ^ at as u64));
                    Sample { len: *n, source: SampleSource::Ints { set, kind: *kind, order } }
                };
                Sample::parts(bands.into_iter().zip(&given).enumerate().map(part).collect(), seed)
            }
            ValueSpace::Words(words) => words.sample_distinct(n, seed),
            ValueSpace::Listed(values) => {
                let size = values.len() as u64;
                let order = Permutation::new(size.into(), seed);
                Sample {
                    len: n.min(size),
                    source: SampleSource::Listed { values: Arc::new(values.clone()), order },
                }
            }
            ValueSpace::Option(of) => {
                let given = spread(&[1, of.room()], n, seed);
                let none = ValueSpace::Listed(vec![Value::Option(None)]).sample_distinct(given[0], seed);
                Sample::parts(vec![none, of.sample_distinct(given[1], seed).some()], seed)
            }
            ValueSpace::Some(of) => of.sample_distinct(n, seed).some(),
            ValueSpace::List { lengths, of } => sample_lists(lengths, of, n, seed),
            ValueSpace::Object(fields) => {
                let size = room(&product(fields.iter().map(|it| it.1.count())));
                let sample = |at: usize| fields[at].1.sample_distinct(n, mix(seed ^ at as u64));
                let fields: Vec<(Name, Sample)> =
                    (0..fields.len()).map(|at| (fields[at].0.clone(), sample(at))).collect();
                let sizes: Vec<u64> = fields.iter().map(|it| it.1.len).collect();
                Sample {
                    len: n.min(size),
                    source: SampleSource::Object { grid: Grid::new(&sizes, seed), fields },
                }
            }
            ValueSpace::Ordered(lists) => {
                let order = Permutation::with_ends(lists.total(), n, seed);
                let len = n.min(u64::try_from(lists.total()).unwrap_or(u64::MAX));
                Sample { len, source: SampleSource::Ordered { lists: Arc::clone(lists), order } }
            }
            ValueSpace::Counted(models) => {
                let order = Permutation::with_ends(models.total(), n, seed);
                let len = n.min(u64::try_from(models.total()).unwrap_or(u64::MAX));
                Sample { len, source: SampleSource::Counted { models: Arc::clone(models), order } }
            }
            ValueSpace::Union(cases) => {
                let rooms: Vec<u64> = cases.iter().map(|it| it.1.room()).collect();
                let given = spread(&rooms, n, seed);
                let case = |(case, n): (&(Name, ValueSpace), &u64)| {
                    let of = case.1.sample_distinct(*n, seed);
                    Sample { len: of.len, source: SampleSource::Case(case.0.clone(), Box::new(of)) }
                };
                Sample::parts(cases.iter().zip(&given).map(case).collect(), seed)
            }
        }
    }
}

impl Sample {
    /// How many values it has.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// The value at a place below the length.
    pub(crate) fn at(&self, index: u64) -> Value {
        match &self.source {
            SampleSource::Ints { set, kind, order } => {
                value_of(*kind, set.nth(order.at(index.into())).unwrap_or(0))
            }
            SampleSource::Words { language, length, order } => {
                Value::Text(language.nth_of_length(*length, &order.at(index)).unwrap_or_default().into())
            }
            SampleSource::Listed { values, order } => values[order.at(index.into()) as usize].clone(),
            SampleSource::Parts { row, parts } => {
                let (part, at) = row.at(index);
                parts[part].at(at)
            }
            SampleSource::Ordered { lists, order } => {
                lists.nth(order.at(index.into())).unwrap_or(Value::Bool(false))
            }
            SampleSource::Counted { models, order } => {
                models.nth(order.at(index.into())).unwrap_or(Value::Bool(false))
            }
            SampleSource::Some(of) => Value::Option(Some(Box::new(of.at(index)))),
            SampleSource::Case(name, of) => Value::Union(name.clone(), Box::new(of.at(index))),
            SampleSource::List { grid, elements } => {
                let mut cell = vec![0; elements.len()];
                grid.at(index, &mut cell);
                Value::List(elements.iter().zip(cell).map(|(it, at)| it.at(at)).collect())
            }
            SampleSource::Object { grid, fields } => {
                let mut cell = vec![0; fields.len()];
                grid.at(index, &mut cell);
                Value::Object(fields.iter().zip(cell).map(|(it, at)| (it.0.clone(), it.1.at(at))).collect())
            }
        }
    }

    fn some(self) -> Sample {
        Sample { len: self.len, source: SampleSource::Some(Box::new(self)) }
    }

    fn parts(mut parts: Vec<Sample>, seed: u64) -> Sample {
        parts.retain(|it| it.len > 0);
        if parts.len() == 1 {
            return parts.remove(0);
        }
        let row = Concatenation::new(parts.iter().map(|it| it.len), mix(seed ^ 0xF00));
        Sample { len: row.len(), source: SampleSource::Parts { row, parts } }
    }
}

/// Shares `n` out evenly; to parts picked at random where there are more parts than that.
pub(crate) fn spread(rooms: &[u64], n: u64, seed: u64) -> Vec<u64> {
    let open: Vec<usize> = (0..rooms.len()).filter(|it| rooms[*it] > 0).collect();
    if n >= open.len() as u64 {
        return shares(rooms, n);
    }
    let order = Permutation::new(open.len() as u128, mix(seed ^ 0xABC));
    let mut res = vec![0; rooms.len()];
    (0..n).for_each(|it| res[open[order.at(it.into()) as usize]] = 1);
    res
}

/// The place of a float that is not negative.
fn place(it: f64) -> i128 {
    i128::from(it.to_bits())
}

/// Sets with more members than this are sampled from small, middling and large numbers alike.
const BANDED: u128 = 100_000;

/// A partition of a set by size, as far as numbers are worth sampling.
fn bands(set: &IntSet, kind: NumericKind, open: bool, n: u64) -> Vec<IntSet> {
    let (Some(min), Some(max)) = (set.min(), set.max()) else { return Vec::new() };
    if set.count() <= BANDED.max(n.into()) {
        return vec![set.clone()];
    }
    let (center, radii): (i128, [i128; 2]) = match kind {
        NumericKind::Int => (0, [100, 1_000_000]),
        NumericKind::Number(scale) => {
            let one = 10_i128.pow(scale.min(20));
            (0, [100 * one, 1_000_000 * one])
        }
        NumericKind::Float => (0, [place(100.0), place(1e6)]),
        // Around the year 2000.
        NumericKind::Date => (10_957, [36_525, 365_250]),
        NumericKind::DateTime => (10_957 * 86_400, [36_525 * 86_400, 365_250 * 86_400]),
        NumericKind::Time | NumericKind::Duration => (0, [3_600, 365 * 86_400]),
    };
    // The whole of 128 bits is seldom wanted where no bound was given.
    let machine = set.clip(i64::MIN.into(), i64::MAX.into());
    let widest = if open && machine.count() > u128::from(n) * 2 { machine } else { set.clone() };
    let center = center.clamp(min, max);
    let mut res = Vec::new();
    let mut within = IntSet::empty();
    for radius in radii {
        let wider = widest.clip(center.saturating_sub(radius), center.saturating_add(radius));
        if let Some(band) = wider.minus(&within).filter(|it| !it.is_empty()) {
            res.push(band);
            within = wider;
        }
    }
    match widest.minus(&within) {
        Some(rest) if !rest.is_empty() => res.push(rest),
        _ => {}
    }
    let rooms = res.iter().fold(0_u128, |sum, it| sum.saturating_add(it.count()));
    if rooms < u128::from(n) { vec![set.clone()] } else { res }
}

/// A language with the part of it that people like to read.
#[derive(Clone, Debug)]
pub(crate) struct ReadableLanguage {
    /// All texts.
    pub(crate) language: Arc<Language>,
    /// Those of printable ASCII, or all if there are none.
    pub(crate) nice: Arc<Language>,
}

/// Texts are sampled from at least this many lengths, if there are.
const LENGTHS: usize = 16;

impl ReadableLanguage {
    pub(crate) fn new(language: Language) -> ReadableLanguage {
        ReadableLanguage { nice: Arc::new(language.restrict_to_nice()), language: Arc::new(language) }
    }

    fn sample_distinct(&self, n: u64, seed: u64) -> Sample {
        let language = if room(&self.nice.count()) >= n { &self.nice } else { &self.language };
        let lengths = language.lengths();
        let mut many = LENGTHS;
        let (chosen, rooms) = loop {
            let chosen = lengths.first(many);
            let rooms: Vec<u64> =
                chosen.iter().map(|it| room(&Count::Finite(language.count_of_length(*it)))).collect();
            let enough = rooms.iter().fold(0_u64, |sum, it| sum.saturating_add(*it)) >= n;
            if enough || chosen.len() < many {
                break (chosen, rooms);
            }
            many *= 2;
        };
        let given = spread(&rooms, n, seed);
        let part = |(length, n): (usize, &u64)| {
            let order = Distinct::new(&language.count_of_length(length), *n, mix(seed ^ length as u64));
            Sample { len: *n, source: SampleSource::Words { language: language.clone(), length, order } }
        };
        let sample = chosen.into_iter().zip(&given).filter(|it| *it.1 > 0);
        Sample::parts(sample.map(part).collect(), seed)
    }
}

fn sample_lists(lengths: &IntSet, of: &ValueSpace, n: u64, seed: u64) -> Sample {
    let (each, shortest) = (of.room(), lengths.min().unwrap_or(0));
    let capacity = |length: i128| (0..length.min(64)).fold(1_u64, |res, _| res.saturating_mul(each));
    let mut span = LIST_SPAN;
    let (chosen, rooms) = loop {
        let clipped = lengths.clip(0, shortest.saturating_add(span));
        let chosen: Vec<i128> = clipped.iter().collect();
        let rooms: Vec<u64> = chosen.iter().map(|it| capacity(*it)).collect();
        let enough = rooms.iter().fold(0_u64, |sum, it| sum.saturating_add(*it)) >= n;
        if enough || clipped == *lengths || each == 0 {
            break (chosen, rooms);
        }
        span *= 2;
    };
    let given = spread(&rooms, n, seed);
    let part = |(length, n): (i128, &u64)| {
        let element = |at: i128| of.sample_distinct(*n, mix(seed ^ (length << 20 | at) as u64));
        let elements: Vec<Sample> = (0..length).map(element).collect();
        let sizes: Vec<u64> = elements.iter().map(|it| it.len).collect();
        let grid = Grid::new(&sizes, mix(seed ^ length as u64));
        Sample { len: *n, source: SampleSource::List { grid, elements } }
    };
    let sample = chosen.into_iter().zip(&given).filter(|it| *it.1 > 0);
    Sample::parts(sample.map(part).collect(), seed)
}

/// Lists of one length, each time another.
pub(crate) fn list_of(of: &ValueSpace, length: u64, seed: u64) -> Value {
    let sample = of.sample_distinct(length.max(1), seed);
    let pick = |at: u64| sample.at(mix(seed ^ at) % sample.len().max(1));
    Value::List((0..length).map(pick).collect())
}
