//! Random programs of generators: what is visited is what there is, and "complete" is said only where that is true.
//! `cargo xtask quality exhaustive` does the same with more of them.

use crate::programs;

#[test]
fn programs_are_visited_whole_and_no_more_is_claimed() {
    let (mut inputs, mut complete, mut counted) = (0, 0, 0);
    for seed in 0..60 {
        let program = programs::program(seed);
        let checked = std::panic::catch_unwind(|| programs::check(&program));
        let checked = checked.unwrap_or_else(|_| panic!("program {seed}, see above: {program:?}"));
        inputs += checked.inputs;
        complete += u32::from(checked.complete);
        counted += checked.counted;
    }
    assert!(
        inputs > 2_000 && complete > 10 && counted > 15,
        "{inputs} inputs, {complete} complete, {counted} counted"
    );
}
