//! Contracts and what their inputs are drawn from: exact counts, uniform models, whole depths, sorted lists, and Target's
//! published times beside them.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use probity::spec;
use probity::spec::Declared;
use probity_core::{Bounds, Budget, Generator, Random, Source, Verdict, run_case, search_exhaustive};
use probity_spec::draw::drawn;
use probity_spec::{CountedModels, Op, Shape, Spec, Term, Value};

use super::Measure;
use super::table::{Table, grouped};

mod callers;
mod faults;
mod solved;

#[allow(dead_code, reason = "the example has more than is measured")]
#[path = "../../../../crates/probity/examples/contracts.rs"]
mod examples;
#[path = "../../../../crates/spec/tests/it/trees.rs"]
mod trees;

pub(super) const PARTS: &[(&str, Measure)] = &[
    ("counts", counts),
    ("loops", solved::loops),
    ("types", solved::types),
    ("wholes", wholes),
    ("lists", lists),
    ("first", first_failure),
    ("faults", faults::table),
    ("callers", callers::blame),
    ("release", callers::release),
];

/// This many uniform models of each.
const MODELS: u64 = 1_000;
/// Depths of fewer models than this are gone through.
const ENUMERATED: u128 = 100_000;
/// Milliseconds that counting and drawing the models may take together.
const MOST_MILLIS: u128 = 100;

type TreeSpec = fn(i128) -> (Spec, Vec<Term>);

/// Lists of up to 20 of 41 numbers: 61 over 20.
const C_61_20: u128 = 6_236_646_703_759_395;

/// Depth, known total, and what Target took for a thousand in seconds.
type Depths = &'static [(u32, u128, Option<f64>)];

const TREES: [(&str, TreeSpec, Depths); 3] = [
    (
        "sorted list",
        trees::sorted_list,
        &[(5, 4_368, Some(4.9)), (10, 44_352_165, Some(6.6)), (20, C_61_20, Some(8.6))],
    ),
    (
        "red-black",
        trees::red_black,
        &[
            (3, 489, Some(1.9)),
            (4, 4_888, Some(1.8)),
            (5, 40_074, Some(3.5)),
            (8, 22_560_306, Some(41.7)),
            (12, 175_793_847_372, Some(1508.0)),
        ],
    ),
    (
        "balanced map",
        trees::balanced,
        &[
            (3, 380, None),
            (5, 20_255, Some(5.0)),
            (6, 147_478, Some(11.0)),
            (8, 8_359_450, Some(88.0)),
            (10, 561_506_178, Some(1635.0)),
        ],
    ),
];

/// Exact totals, each small depth as a whole, a thousand uniform models.
fn counts() -> Table {
    let title = format!("counted by measures: depth at most d, keys -d..=d; {MODELS} uniform models");
    let columns = ["models", "depth", "total", "each once", "counted in", "drawn in", "Target"];
    let mut table = Table::new(title, &columns);
    for (name, make, depths) in TREES {
        for (depth, total, target) in depths {
            let (spec, more) = make((*depth).into());
            let start = Instant::now();
            let counted = CountedModels::new(&spec, &more, *depth).unwrap_or_else(|it| panic!("{it}"));
            let counting = start.elapsed();
            let start = Instant::now();
            let mut random = WideNumbers(7);
            let models: Vec<Value> =
                (0..MODELS).filter_map(|_| counted.nth(random.next() % counted.total())).collect();
            let drawing = start.elapsed();
            let is_each = counted.total() < ENUMERATED;
            let each = is_each.then(|| {
                let all: BTreeSet<Value> = (0..counted.total()).filter_map(|it| counted.nth(it)).collect();
                all.len() as u128 == counted.total() && all.iter().all(|it| is_model(&spec, &more, it))
            });
            let is_right = counted.total() == *total
                && models.len() as u64 == MODELS
                && models.iter().all(|it| is_model(&spec, &more, it))
                && each != Some(false);
            let is_fast = (counting + drawing).as_millis() <= MOST_MILLIS;
            let cells = vec![
                name.to_string(),
                depth.to_string(),
                counted.total().to_string(),
                each.map_or("-".to_string(), |it| if it { "yes" } else { "NO" }.to_string()),
                shown(counting),
                shown(drawing),
                target.map_or("-".to_string(), |it| format!("{it} s")),
            ];
            table.row(cells, format!("{total}, <= {MOST_MILLIS} ms"), Some(is_right && is_fast));
        }
    }
    table
}

fn is_model(spec: &Spec, more: &[Term], value: &Value) -> bool {
    spec.admits(value).is_ok()
        && more.iter().all(|it| it.eval_in(spec, value, None) == Some(Value::Bool(true)))
}

/// A test by name, and how many inputs it has.
type WholeRow<'a> = (&'a str, &'a mut dyn FnMut(&mut Source), u64);

/// Inserting every key into every tree, by the exhaustive engine.
fn wholes() -> Table {
    use examples::{Color, Map, Tree, delete, insert};
    let title = "whole depths: every tree of depth at most 5 with each of 11 keys, by the exhaustive engine";
    let mut table = Table::new(title, &["test", "cases", "rejected", "time"]);
    let black = spec! { tree: Tree, require tree.root() == Color::Black };
    let mut inserts = |src: &mut Source| {
        let (tree, key) = (black.generate(src), src.int(-5_i64, 5));
        let out = insert(tree, key);
        assert!(out.is_valid() && out.root() == Color::Black && out.contains(key));
    };
    let mut deletes = |src: &mut Source| {
        let (map, key) = (src.any::<Map>(), src.int(-5_i64, 5));
        let size = map.size() - u32::from(map.contains(key));
        let out = delete(map, key);
        assert!(out.is_valid() && !out.contains(key) && out.size() == size);
    };
    let rows: [WholeRow; 2] =
        [("red-black insert", &mut inserts, 440_814), ("map delete", &mut deletes, 222_805)];
    for (name, test, total) in rows {
        let start = Instant::now();
        let budget =
            Budget { cases: u64::MAX, rejects: 0, go_on: &mut |_| true, progress: Default::default() };
        let cases = Cell::new(0_u64);
        let mut counted = |src: &mut Source| {
            test(src);
            cases.set(cases.get() + 1);
        };
        let found =
            search_exhaustive(Bounds::default(), &mut counted, budget).unwrap_or_else(|it| panic!("{it:?}"));
        let time = start.elapsed();
        let is_whole = found.failures.is_empty() && found.evidence.reach.is_some_and(|it| it.all);
        let rejected = found.tally.rejected();
        let met = is_whole && cases.get() == total && rejected == 0 && time <= Duration::from_secs(10);
        let cells = vec![name.to_string(), grouped(cases.get()), rejected.to_string(), shown(time)];
        table.row(cells, format!("{}, 0, <= 10 s", grouped(total)), Some(met));
    }
    table
}

/// Lists in order: how many, and how many a second.
fn lists() -> Table {
    let mut table = Table::new("lists in order, drawn by choices", &["lists", "found", "a second"]);
    let list = |low, high, lengths: (i128, i128), ops: &[Op]| {
        let len = Term::it().len();
        let spec = Spec::list(Spec::new(Shape::int(low, high)))
            .require(len.clone().le(Term::int(lengths.1)))
            .require(Term::int(lengths.0).le(len));
        ops.iter().fold(spec, |spec, op| spec.require(Term::apply(*op, [Term::it()])))
    };
    let small = drawn(list(-5, 5, (0, 5), &[Op::Sorted]));
    let seen = RefCell::new(BTreeSet::new());
    let mut test = |src: &mut Source| assert!(seen.borrow_mut().insert(small.generate(src)), "drawn twice");
    let budget = Budget { cases: 100_000, rejects: 0, go_on: &mut |_| true, progress: Default::default() };
    let found = search_exhaustive(Bounds::default(), &mut test, budget).unwrap_or_else(|it| panic!("{it:?}"));
    let all = found.failures.is_empty() && seen.borrow().len() == 4_368;
    let cells =
        vec!["sorted, up to 5 of -5..=5".to_string(), seen.borrow().len().to_string(), "-".to_string()];
    table.row(cells, "4368, each once", Some(all));
    for (name, ops) in [
        ("sorted", &[Op::Sorted][..]),
        ("strictly sorted", &[Op::Sorted, Op::Distinct]),
        ("distinct", &[Op::Distinct]),
    ] {
        let generator = drawn(list(-20, 20, (20, 20), ops));
        let (start, n) = (Instant::now(), 100_000_u32);
        let mut source = Source::new(Box::new(Random::new(7)));
        let mut test = |src: &mut Source| {
            for _ in 0..1_000 {
                std::hint::black_box(generator.generate(src));
            }
        };
        for _ in 0..n / 1_000 {
            let case = run_case(&mut source, &mut test).unwrap_or_else(|it| panic!("{it:?}"));
            assert!(case.verdict == Verdict::Pass);
        }
        let rate = f64::from(n) / start.elapsed().as_secs_f64();
        let cells = vec![format!("{name}, 20 of -20..=20"), n.to_string(), grouped(rate as u64)];
        table.row(cells, ">= 200,000 a second", Some(rate >= 200_000.0));
    }
    table
}

/// Rescaling over natural numbers: the first failing input is that of the paper.
fn first_failure() -> Table {
    let mut table = Table::new("the first failing input", &["contract", "fails with", "case"]);
    let inputs = spec! {
        r1: i32, r2: i32, s: i32,
        require 0 <= r1 && 0 <= r2 && 0 <= s && s < r1,
    };
    let first = RefCell::new(None);
    let cases = Cell::new(0);
    let mut test = |src: &mut Source| {
        let (r1, r2, s) = inputs.generate(src);
        let out = s * (r2 / r1);
        if !(0 <= out && out < r2) {
            first.borrow_mut().get_or_insert(((r1, r2, s), cases.get()));
        }
        cases.set(cases.get() + 1);
    };
    let budget = Budget { cases: 1_000, rejects: 0, go_on: &mut |_| true, progress: Default::default() };
    let found = search_exhaustive(Bounds::default(), &mut test, budget);
    let first = first.take();
    let met = found.is_ok() && first.is_some_and(|it| it.0 == (1, 0, 0));
    let (input, case) =
        first.map_or(("-".to_string(), "-".to_string()), |it| (format!("{:?}", it.0), it.1.to_string()));
    table.row(vec!["rescale over Nat".to_string(), input, case], "(1, 0, 0)", Some(met));
    table
}

fn shown(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}

/// Random numbers of 128 bits.
struct WideNumbers(u128);

impl WideNumbers {
    fn next(&mut self) -> u128 {
        self.0 = self.0.wrapping_mul(0x2360_ED05_1FC6_5DA4_4385_DF64_9FCC_F645).wrapping_add(99);
        self.0 ^ self.0 >> 64
    }
}
