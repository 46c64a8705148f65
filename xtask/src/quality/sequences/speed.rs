//! Trivial steps a second.

use std::cell::Cell;
use std::hint::black_box;
use std::time::Instant;

use probity_core::{Budget, Random, Seed, Source, Swarm, Test, run_case, search_random, steps};

use super::super::{silence_cases, table::Table};

/// The best of this many chunks counts: others use the machine, too.
const CHUNKS: u64 = 20;
/// How many steps a case has.
const STEPS: u64 = 100;
/// Cases of a chunk, and of one that is recorded.
const CASES: u64 = 20_000;
const CASES_RECORDED: u64 = 500;

const PLAIN_LEAST: f64 = 15.0;
const GUARDED_LEAST: f64 = 8.0;
const RECORDED_LEAST: f64 = 0.5;

pub(crate) fn table() -> Table {
    silence_cases();
    let mut table =
        Table::new(format!("trivial steps, best of {CHUNKS} chunks"), &["steps", "million a second"]);
    let count = Cell::new(0);
    let mut plain = |src: &mut Source| walk(src, &count);
    let mut guarded = |src: &mut Source| guarded_walk(src, &count);
    let rows: [(&str, &mut dyn Test, Option<Swarm>, f64); 3] = [
        ("not recorded", &mut plain, Some(Swarm::Off), PLAIN_LEAST),
        ("not recorded, guards and swarm", &mut guarded, Some(Swarm::On), GUARDED_LEAST),
        (
            "recorded, guards and swarm",
            &mut |src: &mut Source| guarded_walk(src, &count),
            None,
            RECORDED_LEAST,
        ),
    ];
    for (name, test, swarm, least) in rows {
        let best = (0..CHUNKS).map(|chunk| rate(test, &count, swarm, chunk)).fold(0.0, f64::max);
        let cells = vec![name.to_string(), format!("{best:.2}")];
        table.row(cells, format!(">= {least}"), Some(best >= least));
    }
    table
}

/// Steps of one chunk, in millions a second; recorded where no swarm is given.
fn rate(test: &mut dyn Test, count: &Cell<u64>, swarm: Option<Swarm>, chunk: u64) -> f64 {
    count.set(0);
    let start = Instant::now();
    if let Some(swarm) = swarm {
        let budget = Budget { cases: CASES, rejects: 0, go_on: &mut |_| true, progress: Default::default() };
        let result =
            search_random(Seed { swarm, ..Seed::from(chunk) }, test, budget).expect("it uses us rightly");
        assert!(result.failures.is_empty(), "nothing can fail");
    } else {
        for index in 0..CASES_RECORDED {
            let mut source = Source::new(Box::new(Random::at(chunk, index)));
            let case = run_case(&mut source, test).expect("it uses us rightly");
            assert!(black_box(case).trace.choices.len() as u64 >= STEPS, "all is recorded");
        }
    }
    count.get() as f64 / start.elapsed().as_secs_f64() / 1e6
}

fn walk(src: &mut Source, count: &Cell<u64>) {
    let (mut n, mut height) = (0, 0_u32);
    steps!(src, STEPS as usize, {
        up => height = height.wrapping_add(1),
        down => height = height.wrapping_sub(1),
        stay => (),
        always => n += 1,
    });
    black_box(height);
    count.set(count.get() + n);
}

fn guarded_walk(src: &mut Source, count: &Cell<u64>) {
    let (mut n, mut height) = (0, 0_u32);
    steps!(src, STEPS as usize, {
        up if height < 1_000 => height += 1,
        2 * down if height > 0 => height -= 1,
        stay => (),
        jump if height > 3 => height /= 2,
        always => n += 1,
    });
    black_box(height);
    count.set(count.get() + n);
}
