//! Probity's own laws, with every small input visited by its own engine.

use probity::engine::{Domain, History, Replay, Tail, Trace, Value, run_case};
use probity::prelude::*;

/// Every integer domain within -4..=4, wherever its simplest member is.
#[derive(Debug, Generate)]
struct SmallInts {
    #[from(-4..=4)]
    min: i128,
    #[from(min..=4)]
    max: i128,
    #[from(min..=max)]
    origin: i128,
}

#[probity::test]
fn ranks_count_the_members_from_the_simplest(SmallInts { min, max, origin }: SmallInts) {
    let domain = Domain::Int { min, max, origin };
    let members: Vec<Value> = (0..).map_while(|rank| domain.at(rank)).collect();
    assert_eq!(members.len() as i128, max - min + 1);
    assert_eq!(members[0], Value::Int(origin));
    for (rank, value) in members.iter().enumerate() {
        assert_eq!(domain.rank(*value), rank as u128);
        assert!(rank < 2 || domain.distance(members[rank - 1]) <= domain.distance(*value));
    }
}

#[probity::test(engine = "exhaustive", size = 6)]
fn a_replay_gives_the_same_trace(lists: Vec<Vec<bool>>, word: Option<String>) {
    let bits: Vec<bool> = lists.concat();
    let mut test = |src: &mut Source| {
        for bit in &bits {
            let n: u8 = src.draw_as("n", 0..=u8::from(*bit));
            src.draw_as("word", string('a'..='c', 0..=usize::from(n)));
        }
        assume!(word.is_none() || src.bool());
    };
    let run = |values, test: &mut dyn probity::engine::Test| {
        run_case(&mut Source::new(Box::new(Replay::new(values, Tail::Simplest))), test).unwrap()
    };
    let first = run(vec![Value::Int(1), Value::Length(1), Value::Char('b')], &mut test);
    let again = run(first.trace.values(), &mut test);
    assert_eq!((first.trace, first.verdict), (again.trace, again.verdict));
}

#[probity::test]
fn what_was_tried_is_known_and_nothing_else(
    #[from(vec(vec(any::<bool>(), 0..=2), 0..=2))] tried: Vec<Vec<bool>>,
    #[from(vec(any::<bool>(), 0..=2))] asked: Vec<bool>,
) {
    let trace = |answers: &[bool]| Trace {
        choices: answers
            .iter()
            .map(|it| probity::engine::Choice { domain: Domain::Bool, value: Value::Bool(*it) })
            .collect(),
        spans: vec![],
    };
    let mut history = History::default();
    // A test that ended after some answers never asks for more with the same ones.
    for (at, it) in tried.iter().enumerate() {
        assume!(tried[..at].iter().all(|old| !it.starts_with(old) && !old.starts_with(it)));
        history.insert(&trace(it));
    }
    let values: Vec<Value> = asked.iter().map(|it| Value::Bool(*it)).collect();
    // A replay goes on with the simplest answers.
    let replayed = [asked, vec![false; 2]].concat();
    assert_eq!(history.knows(&values), tried.iter().any(|it| replayed.starts_with(it)));
}
