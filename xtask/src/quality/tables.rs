//! The paper's Tables 1 to 4: planned, verified by a checker of its own, and beside the paper's loop where a Z3 is
//! found.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use probity_models::solve::smt;
use probity_models::{Encoding, Options, SolverChoice, generate};
use probity_spec::regex::{Cover, Heuristics, Regex};
use probity_spec::{Branches, Difference, Enumerate, Random, Request, Shape, Spec, Term, Value};

use super::table::{Table, grouped};

pub(super) const TABLES: &[super::Measure] = &[integers, distances, lengths, covers];

/// Beside the paper's own numbers.
const MANY: usize = 100_000;

/// The paper's loop is given up after this.
const LOOP_LIMIT: Duration = Duration::from_secs(60);

/// Runs of which the median counts.
const RUNS: usize = 9;

/// Microseconds above which one run counts.
const AGAIN_MAX: f64 = 2e6;

/// All pairs of at most this many models are verified; of more, as many pairs picked at random.
const ALL_PAIRS: usize = 10_000;

/// How many times faster than the loop a plan is at the paper's largest n.
const FASTER: f64 = 1_000.0;

/// What a model of a query is, for the checker.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Fact {
    Number(i128),
    Length(usize),
    /// The class of every character.
    Shape(Vec<u8>),
}

struct Query {
    title: &'static str,
    ns: &'static [usize],
    spec: Spec,
    difference: Difference,
    /// The same for the loop, where a solver needs it said otherwise.
    for_loop: Option<Difference>,
    /// What matters of a legal value; none if it is not legal.
    fact: fn(&Value) -> Option<Fact>,
    differ: fn(&Fact, &Fact) -> bool,
    /// How many characters or numbers `n` models have, which no method can do without.
    size: fn(f64) -> f64,
}

fn integers() -> Table {
    measure(&Query {
        title: "Table 1: different integers",
        ns: &[200, 400, 600],
        spec: Spec::object([("x", java_int())]),
        difference: Difference::not_equal(x()),
        for_loop: None,
        fact: number,
        differ: |a, b| a != b,
        size: |n| n,
    })
}

fn distances() -> Table {
    measure(&Query {
        title: "Table 2: integers at distance 10",
        ns: &[100, 200, 300, 400],
        spec: Spec::object([("x", java_int())]),
        difference: Difference::distance(x(), 10),
        for_loop: None,
        fact: number,
        differ: |a, b| matches!((a, b), (Fact::Number(a), Fact::Number(b)) if a.abs_diff(*b) >= 10),
        size: |n| n,
    })
}

fn lengths() -> Table {
    measure(&Query {
        title: "Table 3: strings of different lengths matching [a-z]*",
        ns: &[50, 100, 150, 200],
        spec: Spec::object([("x", text("[a-z]*"))]),
        difference: Difference::different_lengths(x()),
        for_loop: None,
        fact: |value| match value {
            Value::Text(it) if it.bytes().all(|it| it.is_ascii_lowercase()) => Some(Fact::Length(it.len())),
            _ => None,
        },
        differ: |a, b| a != b,
        size: |n| n * n / 2.0,
    })
}

fn covers() -> Table {
    let pattern = "[_a-zA-Z][_a-zA-Z0-9]+";
    let heuristics = Heuristics { plus_as_concatenation: true, ..Heuristics::default() };
    let cover = Cover::new(&Regex::new(pattern).expect("the paper's pattern"), &heuristics);
    // A solver gets the leaves that are needed as choices, which it can block by number.
    let leaf = |at: u64| cover.leaf(at).map(|it| x().matches(it.regex));
    let for_loop = Difference::enumerate_linear((0..1_000).filter_map(leaf));
    let branches = Branches::Cover { on: x(), cover: Arc::new(cover) };
    measure(&Query {
        title: "Table 4: strings covering [_a-zA-Z][_a-zA-Z0-9]+, + as concatenation",
        ns: &[200, 400, 600, 800, 1000],
        spec: Spec::object([("x", text(pattern))]),
        difference: Difference::Enumerate(Enumerate { branches }),
        for_loop: Some(for_loop),
        fact: |value| match value {
            Value::Text(it) => {
                let class = |it: u8| match it {
                    b'_' => Some(b'_'),
                    b'a'..=b'z' => Some(b'a'),
                    b'A'..=b'Z' => Some(b'A'),
                    b'0'..=b'9' => Some(b'0'),
                    _ => None,
                };
                let classes: Vec<u8> = it.bytes().map(class).collect::<Option<_>>()?;
                (classes.len() >= 2 && classes[0] != b'0').then_some(Fact::Shape(classes))
            }
            _ => None,
        },
        differ: |a, b| a != b,
        size: |n| n,
    })
}

fn x() -> Term {
    Term::it().field("x")
}

fn java_int() -> Spec {
    Spec::new(Shape::int(i32::MIN.into(), i32::MAX.into()))
}

fn text(pattern: &str) -> Spec {
    let regex = Regex::new(pattern).expect("the paper's pattern");
    Spec::new(Shape::Text).require(Term::it().matches(Arc::new(regex)))
}

fn number(value: &Value) -> Option<Fact> {
    match value {
        Value::Int(it) if i32::try_from(*it).is_ok() => Some(Fact::Number(*it)),
        _ => None,
    }
}

fn measure(query: &Query) -> Table {
    let largest = *query.ns.last().expect("every table has rows");
    let looped = solver().map(|program| run_loop(query, program, largest));
    let columns = ["n", "planned, µs", "pairs verified", "growth", "the loop with Z3, s", "times faster"];
    let mut table = Table::new(query.title, &columns);
    let mut before: Option<(usize, f64)> = None;
    for &n in query.ns.iter().chain(&[MANY]) {
        let (time, verified) = verify(query, n);
        // What takes seconds is not taken again.
        let planned = if time > AGAIN_MAX { time } else { median(query, n) };
        let growth = before.map(|(m, time)| {
            let ratio = |f: fn(f64) -> f64| f(n as f64) / f(m as f64);
            (
                (planned / time).ln() / (n as f64 / m as f64).ln(),
                (planned / time) / ratio(query.size) / ratio(f64::ln),
            )
        });
        if before.is_none_or(|it| it.0 < largest) {
            before = Some((n, planned));
        }
        let loop_time = looped.as_ref().filter(|_| n <= largest).and_then(|it| it.time_of(n));
        let faster = loop_time.map(|it| it.0 * 1e6 / planned);
        let cells = vec![
            grouped(n as u64),
            format!("{planned:.0}"),
            verified.clone().unwrap_or_else(|it| it),
            growth.map_or(String::new(), |it| format!("n^{:.2}", it.0)),
            loop_time.map_or("-".to_string(), |(time, done)| {
                if done { format!("{time:.3}") } else { format!("> {time:.0}") }
            }),
            faster.map_or("-".to_string(), |it| grouped(it as u64)),
        ];
        let (target, met) = if n == MANY {
            // The last paper's n and this: no worse than size times log n, a factor of three for the caches.
            let holds = growth.is_some_and(|it| it.1 <= 3.0);
            ("no worse than n log n in what is written".to_string(), Some(verified.is_ok() && holds))
        } else if let (true, Some(faster)) = (n == largest, faster) {
            (format!("≥ {} times faster", grouped(FASTER as u64)), Some(verified.is_ok() && faster >= FASTER))
        } else {
            ("all pairs differ".to_string(), Some(verified.is_ok()))
        };
        table.row(cells, target, met);
    }
    table
}

fn request(query: &Query, n: usize) -> Request {
    Request { spec: query.spec.clone(), difference: query.difference.clone(), n }
}

/// Microseconds that `n` models take.
fn median(query: &Query, n: usize) -> f64 {
    let request = request(query, n);
    let mut times: Vec<f64> = (0..RUNS)
        .map(|seed| {
            let options = Options { seed: seed as u64, ..Options::default() };
            let start = Instant::now();
            let made = generate(&request, &options, &mut |it| {
                std::hint::black_box(it);
                ControlFlow::Continue(())
            });
            let time = start.elapsed();
            assert_eq!(made.map(|it| it.models), Ok(n), "{} has enough models", query.title);
            time.as_secs_f64() * 1e6
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Reads the models with a checker that shares nothing with the library's. The microseconds that they took without
/// the checker, and how many pairs were looked at or what is wrong.
fn verify(query: &Query, n: usize) -> (f64, Result<String, String>) {
    let mut facts = Vec::with_capacity(n);
    let mut wrong = 0;
    let mut reading = Duration::ZERO;
    let start = Instant::now();
    let made = generate(&request(query, n), &Options { seed: 77, ..Options::default() }, &mut |it| {
        let start = Instant::now();
        match it.value.field("x").and_then(query.fact) {
            Some(fact) => facts.push(fact),
            None => wrong += 1,
        }
        reading += start.elapsed();
        ControlFlow::Continue(())
    });
    let time = (start.elapsed() - reading).as_secs_f64() * 1e6;
    if made.map(|it| it.models) != Ok(n) || wrong > 0 {
        return (time, Err(format!("{wrong} WRONG")));
    }
    (time, verify_pairs(query, &facts))
}

fn verify_pairs(query: &Query, facts: &[Fact]) -> Result<String, String> {
    let n = facts.len();
    let mut random = Random::new(5);
    let pairs = n * (n - 1) / 2;
    let all = n <= ALL_PAIRS;
    let same = if all {
        (0..n)
            .flat_map(|b| (0..b).map(move |a| (a, b)))
            .filter(|it| !(query.differ)(&facts[it.0], &facts[it.1]))
            .count()
    } else {
        let sampled = (0..ALL_PAIRS * ALL_PAIRS / 2)
            .map(|_| (random.index(n), random.index(n)))
            .filter(|it| it.0 != it.1 && !(query.differ)(&facts[it.0], &facts[it.1]))
            .count();
        // Equal ones are found without looking at pairs.
        sampled + (n - facts.iter().collect::<HashSet<_>>().len())
    };
    let what = if all { format!("all {}", grouped(pairs as u64)) } else { "sampled, none equal".to_string() };
    if same == 0 { Ok(what) } else { Err(format!("{same} pairs ALIKE")) }
}

pub(super) fn solver() -> Option<String> {
    let var = |name: &str| std::env::var(name).ok();
    let local = crate::cargo::root().join("target/z3/bin/z3");
    let path = var("PATH");
    let chosen = var("PROBITY_SOLVER").or_else(|| local.exists().then(|| local.display().to_string()));
    smt::find(chosen.as_deref(), path.as_deref())
}

/// The paper's loop: a model at a time, each blocked for the next. One run shows how long every smaller n takes.
struct Looped {
    /// Seconds until the first, the second, … model.
    times: Vec<f64>,
    /// Seconds that it ran; none if it gave up.
    limit: Option<f64>,
}

impl Looped {
    /// Seconds for `n` models, or how long it was tried, and whether it got there.
    fn time_of(&self, n: usize) -> Option<(f64, bool)> {
        match self.times.get(n - 1) {
            Some(time) => Some((*time, true)),
            None => self.limit.map(|it| (it, false)),
        }
    }
}

fn run_loop(query: &Query, program: String, n: usize) -> Looped {
    let start = Instant::now();
    let stop = || start.elapsed() > LOOP_LIMIT;
    let options = Options {
        plan: false,
        encoding: Encoding::OneAtATime,
        solver: SolverChoice::Smt { program, transcript: None },
        stop: &stop,
        millis: LOOP_LIMIT.as_millis() as u64,
        ..Options::default()
    };
    let mut times = Vec::new();
    let mut request = request(query, n);
    request.difference = query.for_loop.clone().unwrap_or(request.difference);
    let made = generate(&request, &options, &mut |_| {
        times.push(start.elapsed().as_secs_f64());
        ControlFlow::Continue(())
    });
    let total = made.map(|it| it.total);
    if times.len() < n && start.elapsed() < LOOP_LIMIT {
        println!("{}: the loop gave up after {} models: {total:?}", query.title, times.len());
        times.clear();
        return Looped { times, limit: None };
    }
    Looped { times, limit: Some(start.elapsed().as_secs_f64()) }
}
