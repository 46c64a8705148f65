//! That no member of a domain is out of an engine's reach.

use crate::{Domain, Engine, Source, Value, run_case};

/// How many cases an engine has to answer every member of a small domain, or one of each kind of a large one.
const CASES: usize = 60_000;

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
    for domain in small() {
        let last = domain.last_rank().expect("not a float");
        let wanted: Vec<Value> =
            (0..=last).filter_map(|it| domain.at(it)).filter(|it| is_wanted(&domain, *it)).collect();
        find(&make, &domain, &wanted.iter().map(|it| move |value: Value| value == *it).collect::<Vec<_>>());
    }
    if is_random {
        let float = |min, max, nan, single| Domain::Float { min, max, nan, single };
        let (low, high) = (f64::NEG_INFINITY, f64::INFINITY);
        find(&make, &float(low, high, true, false), FLOATS);
        find(&make, &float(low, high, true, true), &FLOATS[..FLOATS.len() - 2]);
        find(&make, &float(-1.0, 1e300, false, false), FINITE);
        find(&make, &float(-1.0, 1e30, false, true), FINITE);
        for (min, max) in [(-0.0f64, 0.0f64), (1.0, 1.0f64.next_up().next_up()), (5e-324, 2e-323)] {
            let mut members = vec![min];
            while members[members.len() - 1].total_cmp(&max).is_lt() {
                members.push(if min == 0.0 { max } else { members[members.len() - 1].next_up() });
            }
            let wanted: Vec<_> = members
                .iter()
                .map(|it| move |value: Value| matches!(value, Value::Float(of) if of.to_bits() == it.to_bits()))
                .collect();
            find(&make, &float(min, max, false, false), &wanted);
        }
        find(&make, &Domain::int(i128::MIN, i128::MAX), INTEGERS);
        find(&make, &Domain::Char { min: '\0', max: char::MAX }, CHARS);
    }
}

/// Domains whose members are tried one by one.
fn small() -> Vec<Domain> {
    let mut res = vec![
        Domain::Bool,
        Domain::Pick { n: 7, weights: None },
        Domain::Pick { n: 4, weights: Some([0, 1, 0, 9].into()) },
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

type Kind = fn(Value) -> bool;

/// A kind of float.
macro_rules! float {
    (|$it:ident| $is:expr) => {
        |value| matches!(value, Value::Float($it) if $is)
    };
}

/// Kinds of floats, those that no `f32` has last.
const FLOATS: &[Kind] = &[
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
const FINITE: &[Kind] = &[
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

const INTEGERS: &[Kind] = &[
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

const CHARS: &[Kind] = &[
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

fn find(make: &dyn Fn() -> Box<dyn Engine>, domain: &Domain, wanted: &[impl Fn(Value) -> bool]) {
    let mut is_missing = vec![true; wanted.len()];
    let mut source = Source::new(make());
    for _ in 0..CASES {
        if source.begin().is_err() || is_missing.iter().all(|it| !it) {
            break;
        }
        let mut answer = None;
        let mut test = |src: &mut Source| answer = Some(src.choose(domain.clone()));
        let case = run_case(&mut source, &mut test).unwrap_or_else(|it| panic!("{}", it.message));
        source.end(&case);
        for (missing, is_it) in is_missing.iter_mut().zip(wanted) {
            *missing &= !answer.is_some_and(is_it);
        }
    }
    let missed: Vec<usize> = (0..wanted.len()).filter(|it| is_missing[*it]).collect();
    assert!(missed.is_empty(), "of {domain:?} these were never answered, by number: {missed:?}");
}
