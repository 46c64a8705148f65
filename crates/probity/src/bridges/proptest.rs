//! Strategies of the crate `proptest`.
//!
//! A strategy makes a tree from a random number generator, and the tree offers simpler values one after
//! the other. Both are driven by choices here: the bits of a seed, then a fixed number of steps through
//! the tree. In a random case every step is skipped, and shrinking turns skips into steps.
//!
//! Proptest can also read its random numbers from given bytes. That is not used because it does not
//! end: once the bytes are used up it reads zeros, on which drawing from a range loops for ever.

use probity_core::{Combine, Domain, Source, SpanKind, Value, from};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// How many bits the seed has.
const SEED_BITS: usize = 32;
/// How many steps through the tree there are.
const STEPS: usize = 128;
/// What a step may be: how often to simplify and how often to go back, those that go farthest first.
const STEP: [(u32, u32); 11] =
    [(512, 0), (64, 0), (8, 0), (1, 0), (1, 1), (1, 2), (1, 3), (1, 4), (1, 6), (1, 8), (0, 0)];
/// How many values a strategy's own filters may refuse before it is asked anew.
const REJECTS: u32 = 256;

/// The generator of a proptest strategy. It shrinks as far as the strategy itself can. Where the strategy
/// has no value to give, it is asked again; after a few tries the case is rejected, and the report counts
/// it against the line of this call.
///
/// ```
/// use probity::{from_proptest, sample};
/// use proptest::prelude::*;
/// let even = from_proptest((0..50).prop_map(|n| n * 2));
/// assert!(sample(&even, 7) % 2 == 0);
/// ```
#[track_caller]
pub fn from_proptest<S: Strategy>(strategy: S) -> impl Combine<Value = S::Value> {
    let config = Config { max_local_rejects: REJECTS, failure_persistence: None, ..Config::default() };
    // Random cases do nothing but skip: they take what the strategy gives.
    let step = Domain::weighted(STEP.map(|it| u32::from(it == (0, 0))));
    let value = move |src: &mut Source| {
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed(src));
        let mut tree = strategy.new_tree(&mut TestRunner::new_with_rng(config.clone(), rng)).ok()?;
        src.span("steps", SpanKind::Group, |src| simplify(&mut tree, src, &step));
        Some(tree.current())
    };
    from(value).filter(Option::is_some).map(|it| it.expect("a filter stands before"))
}

/// Bit by bit, because a random case draws large numbers with a preference for some.
fn seed(source: &mut Source) -> [u8; 32] {
    source.span("seed", SpanKind::Group, |src| {
        let mut res = [0; 32];
        for bit in 0..SEED_BITS {
            res[bit / 8] |= u8::from(src.bool()) << (bit % 8);
        }
        res
    })
}

/// Walks through the tree. A simpler trace has no more choices than another, and lower ones: so a walk has
/// all its steps from the outset, and the greatest answer skips one.
fn simplify(tree: &mut impl ValueTree, source: &mut Source, step: &Domain) {
    for _ in 0..STEPS {
        let Value::Pick(at) = source.choose(step.clone()) else { unreachable!("a step is a pick") };
        let (simpler, back) = STEP[at as usize];
        if (0..simpler).all(|_| tree.simplify()) {
            let _ = (0..back).all(|_| tree.complicate());
        }
    }
}
