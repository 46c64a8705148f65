//! Laws of neighbors, and how far a search comes with them.

use super::*;
use crate::{
    Any, Budget, Combine, Generator, Lazy, Replay, Sampler, Source, SpanKind, Tail, Tally, any, btree_set,
    context::{maximize, minimize},
    from, lazy, one_of, optional, recursive, run_case, search_adaptive, vec,
};
use outline::{SpanLabels, Token};
use script::ScriptReplayer;
use variation::LATE;

fn budget(cases: u64, go_on: &mut dyn FnMut(u64) -> bool) -> Budget<'_> {
    Budget { cases, rejects: 10, go_on, progress: Default::default() }
}

/// Draws something and returns a number that follows from it.
type PieceShape = Box<dyn Fn(&mut Source) -> u64>;

/// Tests whose inputs have every shape that moves know of. Each is scored by how many choices it has and by what
/// they are, so that neighbors of all kinds are accepted.
fn shapes() -> Vec<(&'static str, PieceShape)> {
    fn shape<G: Generator>(make: impl Fn() -> G + 'static) -> PieceShape
    where
        G::Value: std::fmt::Debug,
    {
        Box::new(move |src| format!("{:?}", src.draw(make())).len() as u64)
    }
    let calls = |src: &mut Source| {
        let mut sum = 0;
        for _ in 0..src.draw(0..=9) {
            one_of!(src, { one => sum += 1, some => sum += src.draw(0..=5), 3 * none => {} });
        }
        sum
    };
    let lazies = |src: &mut Source| {
        let parts: Vec<Lazy<u8>> = src.draw(vec(lazy(any()), 0..=5));
        parts.iter().step_by(2).map(|it| u64::from(**it)).sum()
    };
    vec![
        ("numbers", shape(any::<(i64, u8, f64, f32, char, bool, i128)>)),
        ("lists", shape(any::<Vec<Vec<u8>>>)),
        ("strings", shape(any::<(String, Option<String>)>)),
        ("filter", shape(|| vec(from((0..42, 0..42)).filter(|(a, b)| a < b), 0..=20))),
        ("filters", shape(|| vec(any::<u8>().filter(|n| n % 2 == 0), 0..=9).filter(|v| v.len() != 3))),
        ("sets", shape(|| btree_set(0..20, 0..=10))),
        ("counted", shape(|| from(0..=9usize).and_then(|n| (vec(0..=n, n), any::<bool>())))),
        ("options", shape(|| vec(one_of([from(0..9).boxed(), from(90..99).boxed()]), 2..=6))),
        (
            "recursive",
            shape(|| {
                recursive(from(0..10).map(|n| n.to_string()), |it| {
                    vec(it, 0..=3).map(|it| format!("({})", it.join(" ")))
                })
            }),
        ),
        ("neighbor", shape(|| vec(from(0..9).neighbor(|n: &i32, _, src| n + src.draw(-1..=1)), 0..=9))),
        ("calls", Box::new(calls)),
        ("lazy", Box::new(lazies)),
        ("nothing", Box::new(|_| 7)),
    ]
}

/// Whether two traces have the same answers and spans: weights are those of a random case, or of any other.
fn is_same(a: &Trace, b: &Trace) -> bool {
    a.values() == b.values() && a.spans == b.spans
}

/// The trace of a random case.
fn random_trace(index: u64, test: &mut dyn crate::Test) -> Trace {
    let mut random = crate::Random::at(7, index);
    random.begin().unwrap();
    run_case(&mut Source::new(Box::new(random)), test).unwrap().trace
}

/// Every case, replayed plainly, is the same case again.
#[test]
fn cases_replay() {
    for (name, shape) in shapes() {
        let mut test = |src: &mut Source| {
            let score = shape(src);
            maximize("score", (score % 64) as f64);
        };
        let mut source = Source::new(Box::new(Targeted::at(7, 0, Annealing::default())));
        let mut neighbours = 0;
        for _ in 0..400 {
            source.begin().unwrap();
            let case = run_case(&mut source, &mut test).unwrap();
            neighbours += u32::from(!source.is_sample());
            source.end(&case);
            let replay = Replay::new(case.trace.values(), Tail::Overrun);
            let again = run_case(&mut Source::new(Box::new(replay)), &mut test).unwrap();
            assert!(is_same(&again.trace, &case.trace), "{name}");
            assert_eq!(again.verdict, case.verdict, "{name}");
        }
        assert!(neighbours > 300, "{name}: {neighbours}");
    }
}

/// A script without changes gives its trace back, but for what filters threw away.
#[test]
fn scripts_are_followed() {
    for (name, shape) in shapes() {
        for index in 0..20 {
            let (mut first, mut second) = (0, 0);
            let trace = random_trace(index, &mut |src: &mut Source| first = shape(src));
            let mut engine = Targeted::at(8, 0, Annealing::default());
            engine.base.set(&trace, &mut engine.variation.labels);
            engine.variation.replayer.tokens.clone_from(&engine.base.tokens);
            engine.variation.replayer.start();
            engine.variation.running = CaseKind::Neighbour;
            let mut test = |src: &mut Source| second = shape(src);
            let again = run_case(&mut Source::new(Box::new(engine)), &mut test).unwrap();
            assert_eq!(first, second, "{name}");
            let threw_away = trace.spans.iter().any(|it| it.kind == SpanKind::Discarded);
            assert!(threw_away || is_same(&again.trace, &trace), "{name}");
        }
    }
}

/// Spans of a script lie within one another, and answers have values.
#[test]
fn scripts_are_well_formed() {
    for (name, shape) in shapes() {
        let mut engine = Targeted::at(7, 0, Annealing::default());
        for index in 0..30 {
            let trace = random_trace(index, &mut |src: &mut Source| _ = shape(src));
            engine.base.set(&trace, &mut engine.variation.labels);
            engine.base_scores = Some(vec![0.0]);
            engine.run.samples_left = 0;
            for _ in 0..50 {
                engine.begin().unwrap();
                if engine.variation.running == CaseKind::Sample {
                    continue;
                }
                let ScriptReplayer { tokens, values, .. } = &engine.variation.replayer;
                let mut ends = Vec::new();
                for (at, token) in tokens.iter().enumerate() {
                    while ends.pop_if(|it| *it == at).is_some() {}
                    match token {
                        Token::Open { len, .. } => {
                            let end = at + 1 + *len as usize;
                            assert!(ends.last().is_none_or(|it| end <= *it), "{name}: {tokens:?}");
                            ends.push(end);
                        }
                        Token::Answer(it) => {
                            assert!((*it as usize) < engine.base.values.len() + values.len(), "{name}");
                        }
                    }
                }
                assert!(ends.iter().all(|it| *it == tokens.len()), "{name}: {tokens:?}");
            }
            engine.elite.truncate(3);
            let mut outline = TraceOutline::default();
            outline.set(&trace, &mut engine.variation.labels);
            engine.elite.push(outline);
        }
    }
}

#[test]
fn answers_move_within_their_share() {
    let mut changes = numbers::Changes::new();
    let (mut rng, mut sampler) = (Rng::new(7), Sampler::new(7, LATE));
    let ints = [(0, 1), (-5, 5), (0, 1000), (i128::MIN, i128::MAX), (i64::MIN.into(), i64::MAX.into())];
    for (min, max) in ints {
        let domain = Domain::int(min, max);
        for step in 0..2000 {
            let temperature = f64::from(step % 5) / 4.0;
            let value = sampler.value(&domain);
            let moved = changes.near(&domain, value, temperature, &mut rng, &mut sampler);
            assert!(domain.contains(moved), "{value:?} {moved:?}");
        }
    }
    let floats = [(0.0, 1.0), (-1e300, 1e300), (f64::NEG_INFINITY, f64::INFINITY), (5.0, 5.5)];
    for (min, max) in floats {
        for single in [false, true] {
            let domain = Domain::Float { min, max, nan: true, single };
            for _ in 0..2000 {
                let value = sampler.value(&domain);
                let moved = changes.near(&domain, value, 1.0, &mut rng, &mut sampler);
                assert!(domain.contains(moved), "{domain:?} {value:?} {moved:?}");
            }
        }
    }
    // All but those drawn anew are near: of a hundred thousand at half the temperature, 2,500.
    let domain = Domain::int(0, 100_000);
    let far = (0..1000).filter(|_| {
        let moved = changes.near(&domain, Value::Int(50_000), 0.5, &mut rng, &mut sampler);
        !(domain.contains(moved) && matches!(moved, Value::Int(47_500..=52_500)))
    });
    assert!(far.count() < 400);
}

#[test]
fn ways_that_help_are_gone_more_often() {
    let mut bandit = super::bandit::Bandit::<3>::new([1.0; 3]);
    let mut rng = Rng::new(7);
    let mut gone = [0; 3];
    for _ in 0..2000 {
        let at = bandit.pick(&mut rng, 0b111);
        gone[at] += 1;
        bandit.learn(at == 1);
    }
    assert!(gone[1] > 1000 && gone[0] > 50 && gone[2] > 50, "{gone:?}");
    assert!((0..100).all(|_| bandit.pick(&mut rng, 0b100) == 2), "only what is open");
}

#[test]
fn runs_have_the_lengths_of_luby() {
    let lengths: Vec<u64> = (1..=15).map(luby).collect();
    assert_eq!(lengths, [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]);
}

fn climb(cases: u64, schedule: Schedule, test: &mut dyn crate::Test) -> (crate::SearchResult, Trajectory) {
    let annealing = Annealing { cases, schedule, ..Annealing::default() };
    let finding = search_adaptive(Tally::default(), 7, annealing, test, budget(1, &mut |_| true)).unwrap();
    let climb = finding.evidence.climb.clone();
    (finding, climb.unwrap())
}

/// What random cases would meet once in 10^12 or less, by every schedule.
#[test]
fn schedules_climb() {
    let schedules = [
        Schedule::Spread,
        Schedule::Linear { from: 1.0 },
        Schedule::Geometric { from: 1.0 },
        Schedule::HillClimbing,
    ];
    for schedule in schedules {
        let mut test = |src: &mut Source| {
            let n = src.draw(vec(any::<bool>(), 60)).iter().filter(|it| **it).count();
            maximize("ones", n as f64);
            assert!(n < 60);
        };
        let (finding, _) = climb(5000, schedule, &mut test);
        assert_eq!(finding.failures.len(), 1, "{schedule:?}");
        let mut test = |src: &mut Source| {
            let far = src.any::<u64>().abs_diff(1 << 60);
            minimize("far", far as f64);
        };
        let (_, climb) = climb(5000, schedule, &mut test);
        assert!(climb.best[0].scores[0] < 1e12, "{schedule:?} {:?}", climb.best[0].scores);
    }
}

/// Every part of the front, of two scores that cannot both be high.
#[test]
fn several_scores_have_a_front() {
    let mut test = |src: &mut Source| {
        let (a, b) = src.draw((0..=1000, 0..=1000));
        maximize("a", f64::from(a - b / 2));
        maximize("b", f64::from(b - a / 2));
        maximize("none", f64::NAN);
    };
    let (_, climb) = climb(3000, Schedule::Spread, &mut test);
    let labels: Vec<_> = climb.curves.iter().map(|it| it.label).collect();
    assert_eq!(labels, ["a", "b", "none"]);
    let best = |at: usize| climb.best.iter().map(|it| it.scores[at]).fold(f64::MIN, f64::max);
    assert!(best(0) > 990.0 && best(1) > 990.0 && climb.best.len() > 3, "{:?}", climb.best);
    let beats = |a: &[f64], b: &[f64]| a[0] >= b[0] && a[1] >= b[1] && a != b;
    for it in &climb.best {
        assert!(!climb.best.iter().any(|other| beats(&other.scores[..2], &it.scores[..2])));
    }
}

#[test]
fn odd_scores_do_no_harm() {
    let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e308, -1e308, 5e-324, 0.0, -0.0];
    for schedule in [Schedule::Spread, Schedule::Linear { from: 1.0 }] {
        let mut test = |src: &mut Source| {
            let at = src.draw(0..16usize);
            if let Some(score) = odd.get(at) {
                maximize("odd", *score);
                minimize("even", *score);
            }
        };
        let (finding, climb) = climb(2000, schedule, &mut test);
        assert_eq!((finding.tally.cases, climb.best[0].scores[0]), (2000, f64::INFINITY));
    }
}

#[test]
fn a_goal_ends_the_search() {
    let mut test = |src: &mut Source| minimize("n", f64::from(src.draw(0..=1_000_000)));
    let annealing = Annealing { goal: Some(100.0), ..Annealing::default() };
    let finding =
        search_adaptive(Tally::default(), 7, annealing, &mut test, budget(1, &mut |_| true)).unwrap();
    let climb = finding.evidence.climb.clone();
    let best = climb.unwrap().best[0].scores[0];
    assert!(finding.ended == Ended::Exhausted && best <= 100.0 && finding.tally.cases < 2000, "{best}");
}

/// Curves begin with the first case and end with the last, however long a search is.
#[test]
fn curves_are_whole() {
    let mut test = |src: &mut Source| {
        maximize("sum", src.draw(vec(any::<u8>(), 3)).iter().map(|it| f64::from(*it)).sum())
    };
    for cases in [1, 2, 1023, 1024, 1025, 5001] {
        let (_, climb) = climb(cases, Schedule::Spread, &mut test);
        let points = &climb.curves[0].points;
        let ends = [points[0].case, points[points.len() - 1].case];
        assert_eq!(ends, [0, cases - 1], "{cases}");
        assert!(points.len() <= 1025 && points.is_sorted_by_key(|it| it.case), "{cases}");
        assert!(points.is_sorted_by(|a, b| a.best <= b.best && b.current <= b.best), "{cases}");
    }
}

/// Shares are those of random cases, though most cases are like the best.
#[test]
fn neighbours_are_no_sample() {
    let mut test = |src: &mut Source| {
        let n: u8 = src.any();
        maximize("n", n.into());
        crate::context::cover(40.0, n < 128, "low");
    };
    let (finding, _) = climb(20_000, Schedule::Spread, &mut test);
    let cover = finding.tally.covers.values().next().unwrap();
    let share = cover.held as f64 / cover.reached as f64;
    assert!(finding.tally.neighbours > 15_000 && (0.4..0.7).contains(&share), "{share}");
    assert_eq!(cover.reached, finding.tally.cases - finding.tally.neighbours);
}

/// An item that can be refused by two filters, one around the other, is given up and not drawn for ever.
#[test]
fn filters_that_never_hold_end_the_case() {
    let tries = std::cell::Cell::new(0u64);
    let mut test = |src: &mut Source| {
        let limit = if src.draw(0..=1000) > 990 { 0 } else { 100 };
        let even: Any<u8> = any();
        src.draw(even.filter(|n| n % 4 == 0).filter(|n| {
            tries.set(tries.get() + 1);
            *n < limit
        }));
        src.draw(optional(any::<u8>()));
        maximize("limit", -f64::from(limit));
    };
    let annealing = Annealing { cases: 500, ..Annealing::default() };
    search_adaptive(Tally::default(), 7, annealing, &mut test, budget(1, &mut |_| true)).unwrap();
    assert!(tries.get() < 500 * 100, "{tries:?}");
}

/// Spans without choices stand where they stood, also at the end of others.
#[test]
fn outlines_keep_the_spans() {
    for (name, shape) in shapes() {
        for index in 0..20 {
            let trace = random_trace(index, &mut |src: &mut Source| {
                shape(src);
                src.span("outer", SpanKind::Group, |src| {
                    src.bool();
                    src.span("inner", SpanKind::Group, |_| ());
                });
            });
            let (mut outline, mut labels) = (TraceOutline::default(), SpanLabels::new());
            outline.set(&trace, &mut labels);
            let mut spans = Vec::new();
            let mut ends = Vec::new();
            let mut choices = 0;
            for (at, token) in outline.tokens.iter().enumerate() {
                while ends.pop_if(|it| *it == at).is_some() {}
                match token {
                    Token::Open { label, len, .. } => {
                        spans.push((*label, choices, ends.len()));
                        ends.push(at + 1 + *len as usize);
                    }
                    Token::Answer(_) => choices += 1,
                }
            }
            if trace.spans.iter().all(|it| it.kind != SpanKind::Discarded) {
                let expected = trace
                    .spans
                    .iter()
                    .map(|it| (labels.number(it.label), it.start as usize, it.depth as usize + 1));
                assert!(spans[1..].iter().copied().eq(expected), "{name}");
            }
        }
    }
}
