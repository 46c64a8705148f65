//! What a targeted case costs beside a random one of the same test.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::time::Instant;

use probity::Generate;
use probity_core::context::maximize;
use probity_core::{Test, any, vec};

use super::longest_path::graph_of;
use super::{DEFAULT, How, Named, search};
use crate::quality::table::Table;

/// How much longer a targeted case may take.
const MOST_RATIO: f64 = 3.0;
/// How many cases are timed, and how often; the best time counts.
const CASES: u64 = 20_000;
const REPEATS: u64 = 5;

pub(super) fn table() -> Table {
    let title = format!(
        "overhead: time a case, of {CASES} cases with a score that says nothing; the best of {REPEATS} times"
    );
    let columns = ["generator", "random", "parts", "targeted", "parts", "times a case", "times a part"];
    let mut table = Table::new(title, &columns);
    let tests: [Named; 6] = [
        ("Vec<i32>", |src| score(src.any::<Vec<i32>>().iter().map(|it| *it as u32))),
        ("fifty i32", |src| score(src.draw(vec(any::<i32>(), 50)).iter().map(|it| *it as u32))),
        ("graph of 42 nodes", |src| {
            score(src.draw(graph_of(42)).edges.iter().map(|it| u32::from(it.0) << 8 | u32::from(it.1)));
        }),
        ("tree", |src| score([src.any::<Branching>().mix()])),
        ("struct", |src| {
            let it: Purchase = src.any();
            let parts = [it.number as u32, it.number as u32 >> 16, it.price.to_bits() as u32, it.paid.into()];
            score(parts.into_iter().chain(it.items.iter().map(|it| u32::from(it.0) << 8 | u32::from(it.1))));
        }),
        ("BTreeMap<String, u32>", |src| {
            let map: BTreeMap<String, u32> = src.any();
            score(map.iter().flat_map(|(key, value)| key.bytes().map(u32::from).chain([*value])));
        }),
    ];
    for (name, mut test) in tests {
        let [random, targeted] = measure(&mut test);
        let mut cells = vec![name.to_string()];
        for it in [&random, &targeted] {
            cells.extend([format!("{:.2} us", it.seconds * 1e6), format!("{:.1}", it.parts)]);
        }
        let by_case = targeted.seconds / random.seconds;
        // Inputs of a targeted search may be smaller, or larger; this shows which.
        let by_part = by_case * random.parts / targeted.parts;
        cells.extend([by_case, by_part].map(|it| format!("{it:.2}")));
        table.row(cells, format!("<= {MOST_RATIO} a case"), Some(by_case <= MOST_RATIO));
    }
    table
}

/// A case of an engine.
#[derive(Clone, Copy)]
struct Cost {
    /// Its best time.
    seconds: f64,
    /// How many parts its input has on average.
    parts: f64,
}

/// What a random case costs, and a targeted one.
fn measure(test: &mut dyn Test) -> [Cost; 2] {
    let mut res = [Cost { seconds: f64::INFINITY, parts: 0.0 }; 2];
    // They take turns, so that a busy spell of the machine hits both.
    for seed in 0..REPEATS {
        for (how, best) in [How::Random, DEFAULT].into_iter().zip(&mut res) {
            PARTS.set(0);
            let start = Instant::now();
            let finding = search(how, seed, CASES, test);
            let seconds = start.elapsed().as_secs_f64() / CASES as f64;
            assert!(finding.failures.is_empty(), "nothing fails here");
            if seconds < best.seconds {
                *best = Cost { seconds, parts: PARTS.get() as f64 / CASES as f64 };
            }
        }
    }
    res
}

thread_local! {
    /// How many parts the inputs had.
    static PARTS: Cell<u64> = const { Cell::new(0) };
}

/// A score that is all over the place, so that inputs grow no longer for it.
fn score(parts: impl IntoIterator<Item = u32>) {
    let mixed = parts.into_iter().fold(1, mix);
    maximize("score", f64::from(mixed >> 16));
}

fn mix(state: u32, part: u32) -> u32 {
    PARTS.set(PARTS.get() + 1);
    (state ^ part).wrapping_mul(0x9e37_79b1).rotate_left(13)
}

#[derive(Debug, Generate)]
enum Branching {
    Leaf(u8),
    Node(Box<Branching>, Box<Branching>),
}

impl Branching {
    fn mix(&self) -> u32 {
        match self {
            Branching::Leaf(value) => mix(1, (*value).into()),
            Branching::Node(left, right) => mix(left.mix(), right.mix()),
        }
    }
}

#[derive(Debug, Generate)]
struct Purchase {
    number: u64,
    price: f64,
    paid: bool,
    items: Vec<(u8, u8)>,
}
