//! That no member of a domain is out of an engine's reach.

use super::{Search, run};
use crate::{Domain, Ended, Engine, Source, Test, Value};

/// Panics where an engine that samples or enumerates never answers some member of a domain, as far as a few small
/// domains of every kind and the kinds of members of large ones show it. Alternatives without weight need not be
/// answered, nor lengths beyond the usual ones. What an engine gets to that enumerates large domains from the simplest
/// on is not asked for: `is_random` says whether it goes everywhere at once.
///
/// ```
/// use probity_core::{Bounds, Exhaustive, Random, conformance};
/// conformance::check_findable(|| Box::new(Random::new(7)), true);
/// conformance::check_findable(|| Box::new(Exhaustive::new(Bounds::default())), false);
/// ```
pub fn check_findable(make: impl Fn() -> Box<dyn Engine>, is_random: bool) {
    check_search_findable(|test, each| run(make(), test, each), is_random);
}

/// As [`check_findable`], for a search of any kind; see [`check_search`](super::check_search). Its test compares the answer
/// with each that is wanted, so that one who follows paths finds them.
///
/// ```should_panic
/// use probity_core::conformance::check_search_findable;
/// check_search_findable(|_, _| probity_core::Ended::Exhausted, false); // it runs nothing
/// ```
pub fn check_search_findable(
    search: impl Fn(&mut dyn Test, &mut dyn FnMut(&[Value]) -> bool) -> Ended,
    is_random: bool,
) {
    let search: Search<'_> = &search;
    for domain in small() {
        let last = domain.last_rank().expect("not a float");
        let wanted: Vec<Value> =
            (0..=last).filter_map(|it| domain.at(it)).filter(|it| is_wanted(&domain, *it)).collect();
        find(search, &domain, &wanted.iter().map(|it| move |value: Value| value == *it).collect::<Vec<_>>());
    }
    if is_random {
        let float = |min, max, nan, single| Domain::Float { min, max, nan, single };
        let (low, high) = (f64::NEG_INFINITY, f64::INFINITY);
        find(search, &float(low, high, true, false), FLOATS);
        find(search, &float(low, high, true, true), &FLOATS[..FLOATS.len() - 2]);
        find(search, &float(-1.0, 1e300, false, false), FINITE);
        find(search, &float(-1.0, 1e30, false, true), FINITE);
        for (min, max) in [(-0.0f64, 0.0f64), (1.0, 1.0f64.next_up().next_up()), (5e-324, 2e-323)] {
            let mut members = vec![min];
            while members[members.len() - 1].total_cmp(&max).is_lt() {
                members.push(if min == 0.0 { max } else { members[members.len() - 1].next_up() });
            }
            let wanted: Vec<_> = members
                .iter()
                .map(|it| move |value: Value| matches!(value, Value::Float(of) if of.to_bits() == it.to_bits()))
                .collect();
            find(search, &float(min, max, false, false), &wanted);
        }
        find(search, &Domain::int(i128::MIN, i128::MAX), INTEGERS);
        find(search, &Domain::Char { min: '\0', max: char::MAX }, CHARS);
    }
}

/// Domains whose members are tried one by one.
fn small() -> Vec<Domain> {
    let mut res = vec![
        Domain::Bool,
        Domain::pick(7),
        Domain::weighted([0, 1, 0, 9]),
        Domain::Pick { n: 7, weights: None, shut: 0b1001, free: false },
        Domain::Pick { n: 5, weights: Some([1, 0, 3, 1, 2].into()), shut: 0b1001, free: false },
        Domain::length(0, 12),
        Domain::length(3, 5),
        Domain::Length { min: 2, max: 9, usual: 4 },
        Domain::Int { min: -4, max: 9, origin: 3 },
        Domain::Char { min: 'a', max: 'k' },
        Domain::Char { min: '\u{d7f8}', max: '\u{e007}' },
        Domain::Char { min: '\u{10fff8}', max: char::MAX },
    ];
    let wide = 1i128 << 100;
    for (min, max) in
        [(0, 9), (-9, 9), (-9, -3), (wide, wide + 9), (i128::MAX - 9, i128::MAX), (i128::MIN, i128::MIN + 9)]
    {
        res.push(Domain::int(min, max));
    }
    res
}

fn is_wanted(domain: &Domain, value: Value) -> bool {
    match (domain, value) {
        (Domain::Pick { weights: Some(weights), .. }, Value::Pick(at)) => weights[at as usize] > 0,
        (Domain::Length { usual, .. }, Value::Length(len)) => len <= *usual,
        _ => true,
    }
}

type MemberKind = fn(Value) -> bool;

/// A kind of float.
macro_rules! float {
    (|$it:ident| $is:expr) => {
        |value| matches!(value, Value::Float($it) if $is)
    };
}

/// Kinds of floats, those that no `f32` has last.
const FLOATS: &[MemberKind] = &[
    float!(|it| it.is_nan() && it.is_sign_positive()),
    float!(|it| it.is_nan() && it.is_sign_negative()),
    float!(|it| it == f64::INFINITY),
    float!(|it| it == f64::NEG_INFINITY),
    float!(|it| it.to_bits() == 0),
    float!(|it| it.to_bits() == (-0.0f64).to_bits()),
    float!(|it| 0.0 < it && it < 1.2e-38),
    float!(|it| -1e-20 < it && it < 0.0),
    float!(|it| it > 1e30 && it < f64::INFINITY),
    float!(|it| it < -1e30 && it > f64::NEG_INFINITY),
    float!(|it| it.fract() != 0.0 && it.abs() > 1.0 && it.abs() < 1e6),
    float!(|it| it == 9_007_199_254_740_993.0),
    float!(|it| 0.0 < it && it < f64::MIN_POSITIVE),
];

/// Kinds of the floats between -1 and something large.
const FINITE: &[MemberKind] = &[
    float!(|it| it == -1.0),
    float!(|it| it > 1e29),
    float!(|it| it.to_bits() == 0),
    float!(|it| it.to_bits() == (-0.0f64).to_bits()),
    float!(|it| 0.0 < it && it < 1e-20 && !(1e-39..1e-37).contains(&it)),
    float!(|it| 1e-20 < it && it < 1e-3),
    float!(|it| -1e-20 < it && it < 0.0),
    float!(|it| -0.9 < it && it < -1e-5),
    float!(|it| it.fract() != 0.0 && 1.0 < it && it < 1e6),
];

const INTEGERS: &[MemberKind] = &[
    |it| it == Value::Int(i128::MIN),
    |it| it == Value::Int(i128::MAX),
    |it| it == Value::Int(0),
    |it| it == Value::Int(-1),
    |it| matches!(it, Value::Int(it) if it > u64::MAX.into()),
    |it| matches!(it, Value::Int(it) if it < i64::MIN.into()),
    |it| matches!(it, Value::Int(it) if (1000..1 << 60).contains(&it)),
    |it| matches!(it, Value::Int(it) if (-1 << 60..-1000).contains(&it)),
    |it| matches!(it, Value::Int(it) if it > i128::MAX / 2 && it < i128::MAX - 1000),
];

const CHARS: &[MemberKind] = &[
    |it| it == Value::Char('\0'),
    |it| it == Value::Char('\n'),
    |it| it == Value::Char(char::MAX),
    |it| matches!(it, Value::Char('a'..='z')),
    |it| matches!(it, Value::Char('\u{1}'..='\u{1f}')),
    |it| matches!(it, Value::Char('\u{80}'..='\u{9f}')),
    |it| matches!(it, Value::Char('\u{100}'..='\u{7ff}')),
    |it| matches!(it, Value::Char('\u{800}'..='\u{d7ff}')),
    |it| matches!(it, Value::Char('\u{e001}'..='\u{efff}')),
    |it| matches!(it, Value::Char('\u{f000}'..='\u{faff}')),
    |it| matches!(it, Value::Char('\u{ff00}'..='\u{fffc}')),
    |it| matches!(it, Value::Char('\u{1_0000}'..='\u{8_ffff}')),
    |it| matches!(it, Value::Char('\u{9_0000}'..)),
];

fn find(search: Search<'_>, domain: &Domain, wanted: &[impl Fn(Value) -> bool]) {
    let mut is_missing = vec![true; wanted.len()];
    let mut test = |src: &mut Source| {
        let answer = typed(src, domain);
        for is_it in wanted {
            // A branch for each.
            if is_it(answer) {
                std::hint::black_box(answer);
            }
        }
    };
    search(&mut test, &mut |values| {
        for (missing, is_it) in is_missing.iter_mut().zip(wanted) {
            *missing &= !values.first().is_some_and(|it| is_it(*it));
        }
        is_missing.contains(&true)
    });
    let missed: Vec<usize> = (0..wanted.len()).filter(|it| is_missing[*it]).collect();
    assert!(missed.is_empty(), "of {domain:?} these were never answered, by number: {missed:?}");
}

/// A member of `domain`, asked for as generators ask.
fn typed(src: &mut Source, domain: &Domain) -> Value {
    match *domain {
        Domain::Bool => Value::Bool(src.bool()),
        Domain::Int { min, max, .. } if *domain == Domain::int(min, max) => {
            match (i64::try_from(min), i64::try_from(max)) {
                (Ok(min), Ok(max)) => Value::Int(src.int(min, max).into()),
                _ => Value::Int(src.int(min, max)),
            }
        }
        Domain::Float { min, max, nan, single: false } => Value::Float(src.f64(min, max, nan)),
        Domain::Char { min, max } => Value::Char(src.char(min, max)),
        Domain::Pick { n, weights: None, shut: 0, .. } => Value::Pick(src.pick(n as usize) as u32),
        Domain::Pick { weights: Some(ref weights), shut, .. } => {
            Value::Pick(src.pick_open(weights, shut).expect("one of them is open") as u32)
        }
        Domain::Length { min, max, usual } => Value::Length(src.length(min, usual, max)),
        Domain::Int { .. } | Domain::Float { single: true, .. } | Domain::Pick { .. } => {
            src.choose(domain.clone())
        }
    }
}
