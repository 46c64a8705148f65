//! Types and generators of other crates, made generators of ours, each behind a feature that is named after the crate on
//! its far side; and of the clock. Types that are drawn by their type are in `probity_core::crates`.

#[cfg(feature = "arbitrary")]
mod arbitrary;
mod instants;
#[cfg(feature = "proptest")]
mod proptest;

#[cfg(feature = "arbitrary")]
pub use arbitrary::from_arbitrary;
pub use instants::instants;
#[cfg(feature = "proptest")]
pub use proptest::from_proptest;

/// With all features, as CI has them: then the types of other crates are blanks like any other.
#[cfg(all(
    test,
    feature = "bigdecimal",
    feature = "jiff",
    feature = "time",
    feature = "url",
    feature = "uuid"
))]
mod types;

#[cfg(test)]
mod tests {
    use std::fmt::Debug;

    use probity_core::{Budget, Generator, Replay, Source, Tail, render_case, search_random, shrink};

    use super::*;

    /// Checks what the values that are not `good` shrink to.
    fn check<T: Debug>(generator: impl Generator<Value = T>, good: fn(&T) -> bool, minimum: &str) {
        // Another test would do so meanwhile, and what fails would have another origin from then on.
        crate::panics::install();
        let mut test = |src: &mut Source| {
            let value = src.draw(|src: &mut Source| generator.generate(src));
            assert!(good(&value));
        };
        for seed in 0..3 {
            let budget =
                Budget { cases: 5000, rejects: 10, go_on: &mut |_| true, progress: Default::default() };
            let found = search_random(seed, &mut test, budget).unwrap().failures.remove(0);
            let shrunk = shrink(found.case, &mut test, 10_000, &mut |_| true).unwrap();
            let replay = Replay::new(shrunk.case.trace.values(), Tail::Overrun);
            let case = render_case(&mut Source::new(Box::new(replay)), &mut test).unwrap();
            assert_eq!(case.log.inputs[0].text, minimum, "seed {seed}");
        }
    }

    #[test]
    fn instants_shrink_to_their_start() {
        use probity_core::Combine;

        let start = std::time::Instant::now();
        check(instants(start).map(move |it| it - start), |it| it.as_secs() < 100, "100s");
    }

    #[cfg(feature = "arbitrary")]
    #[test]
    fn arbitrary_types_shrink() {
        check(from_arbitrary::<u32>(), |&it| it < 1000, "1000");
        check(from_arbitrary::<i16>(), |&it| it >= 0, "-32768");
        check(from_arbitrary::<(u32, u8)>(), |it| it.0 < 1000, "(1000, 0)");
        check(from_arbitrary::<Option<u8>>(), |it| it.is_none_or(|it| it < 7), "Some(7)");
        check(from_arbitrary::<Vec<u8>>(), |it| it.len() < 3, "[0, 0, 0]");
        check(from_arbitrary::<String>(), |it| !it.contains(|it| it > 'k'), "\"l\"");
        check(from_arbitrary::<(bool, Vec<u8>)>(), |it| !it.0 || it.1.is_empty(), "(true, [0])");
    }

    #[cfg(feature = "proptest")]
    #[test]
    fn proptest_strategies_shrink() {
        use ::proptest::collection::{btree_set, vec};
        use ::proptest::prelude::{Just, Strategy, any, prop_oneof};

        check(from_proptest(0..10_000), |&it| it < 1000, "1000");
        check(from_proptest(any::<i64>()), |&it| it > -1000, "-1000");
        check(from_proptest(vec(any::<u16>(), 0..20)), |it| it.iter().all(|&it| it < 500), "[500]");
        check(from_proptest((1..9usize).prop_flat_map(|n| vec(0..10, n))), |it| it.len() < 3, "[0, 0, 0]");
        check(from_proptest((0..100).prop_filter("not 7", |n| *n != 7)), |&it| it < 20, "20");
        check(from_proptest(btree_set(0..100, 0..20)), |it| it.len() < 3, "{0, 1, 2}");
        check(from_proptest("[a-z]{0,8}"), |it| !it.contains('k'), "\"k\"");
        check(from_proptest(prop_oneof![Just(0), 5..100]), |&it| it < 20, "20");
    }
}
