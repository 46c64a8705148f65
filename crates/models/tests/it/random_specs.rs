//! Random specs against brute force: the sets that are generated are the largest there are.

use std::ops::ControlFlow;

use crate::random::Puzzle;
use probity::prelude::*;
use probity_models::{Options, Total, generate};
use probity_spec::Model;

/// Asks for one model more than there are different ones, and for about half of them.
fn compare(puzzle: &Puzzle, options: &Options) {
    let Some(truth) = puzzle.truth() else { return };
    note!("{}, {}", puzzle.request.spec, puzzle.request.difference);
    for n in [truth.largest + 1, truth.largest.div_ceil(2)] {
        let mut request = puzzle.request.clone();
        request.n = n;
        let mut models: Vec<Model> = Vec::new();
        let generated = generate(&request, options, &mut |it| {
            models.push(it);
            ControlFlow::Continue(())
        });
        let generated = generated.expect("the request is legal");
        assert_eq!(models.len(), n.min(truth.largest), "asked for {n} of {truth:?}: {generated:?}");
        if n > truth.largest {
            assert_eq!(generated.total, Total::Exactly(truth.largest.into()));
        }
        for (at, one) in models.iter().enumerate() {
            assert_eq!(request.admits(one).map_err(|it| it.to_string()), Ok(()), "{one:?}");
            for two in &models[..at] {
                assert!(request.differ(one, two), "{one:?} and {two:?}");
            }
        }
    }
}

#[probity::test(cases = 300)]
fn planned_sets_are_the_largest(src: &mut Source) {
    compare(&Puzzle::draw(src), &Options::default());
}

#[probity::test(cases = 150)]
fn solved_sets_are_the_largest(src: &mut Source) {
    compare(&Puzzle::draw(src), &Options { plan: false, ..Options::default() });
}
