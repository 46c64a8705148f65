//! Tests whose inputs are all visited, or as many of them as there is time for.

use crate::searches::watch;
use crate::support::{Folder, run, run_in};

#[test]
fn few_inputs_are_all_visited_by_default() {
    run("every_pair").passes().says_nothing();
    let verbose = [("PROBITY_VERBOSE", "true")];
    let ran = run_in(&Folder::new(), "every_pair", &verbose).passes();
    let title = ran.raw.lines().next().unwrap();
    let expected = "probity: `harness::fixtures::every_pair` is complete: all 65,536 inputs pass, in ";
    assert!(title.starts_with(expected), "{}", ran.raw);
    let ran = run_in(&Folder::new(), "every_pair", &[("PROBITY_ENGINE", "random"), verbose[0]]).passes();
    assert!(ran.raw.contains("` passed 1,000 cases in "), "{}", ran.raw);
}

#[test]
fn a_bound_on_the_size_is_a_proof_up_to_there() {
    let env = [("PROBITY_ENGINE", "exhaustive"), ("PROBITY_SIZE", "3"), ("PROBITY_VERBOSE", "true")];
    let ran = run_in(&Folder::new(), "every_pair", &env).passes();
    assert!(ran.raw.contains("` is complete up to size 3: all 10 inputs pass, in "), "{}", ran.raw);
}

#[test]
fn what_is_not_complete_says_so_and_passes() {
    let ran = run("far_too_many").passes();
    let mut lines = ran.raw.lines();
    assert_eq!(
        lines.next(),
        Some("probity: `harness::fixtures::far_too_many` is not complete: 46.4 % of size 12")
    );
    let line = lines.next().unwrap();
    assert!(line.starts_with("  3,000 inputs ran in "), "{line}");
    assert!(line.ends_with(", none failed; every input up to size 11 passes"), "{line}");
    assert_eq!(
        lines.next(),
        Some(
            "  to make it complete, raise `time` (or `cases`, if you set it), or go on from here with `start = 3000`, \
             or be content with `size = 11`"
        )
    );
    // Six runs of 500 come as far as one of 3,000.
    let ran = run_in(&Folder::new(), "far_too_many", &[("PROBITY_CASES", "500"), ("PROBITY_START", "2500")]);
    ran.passes().says(&[
        "is not complete: 46.4 % of size 12\n  500 inputs from number 2500 on ran in ",
        ", none failed\n  to make it complete, raise `time` (or `cases`, if you set it), or go on from here with `start = 3000`",
    ]);
}

#[test]
fn what_was_not_read_is_not_shown() {
    run("lazy_list").fails().says(&[
        "    let list = List { head: _, tail: Some(List { head: _, tail: Some(List { head: 2, tail: _ }) }) };\n",
        "    let sorted = List { head: _, tail: None };  // List { head: _, tail: _ }\n",
        "  failure: the third is large\n",
        "  found by: engine exhaustive, case N (N cases run, N rejected); no smaller input fails so: its size is N\n",
    ]);
}

#[test]
fn shares_count_where_everything_was_visited() {
    run("covers_in_part").passes().says_nothing();
    run("covers_too_little").fails().says(&["n < 100 held in 100 of 256 cases (39.1 %), wanted in 50 %"]);
}

#[test]
fn with_floats_nothing_is_said_of_smaller_inputs() {
    let ran = run("few_floats").fails();
    ran.says(&["    let n = 9;\n", "  found by: engine exhaustive, case N (N cases run); shrunk in N steps"]);
    assert!(!ran.raw.contains("no smaller input"), "{}", ran.raw);
    let env = [("PROBITY_CASES", "20"), ("PROBITY_VERBOSE", "true")];
    let ran = run_in(&Folder::new(), "few_floats", &env).passes();
    ran.says(&["is not complete", "of all floats, only a few that stand for the others were visited"]);
}

#[test]
fn where_nothing_is_accepted_nothing_is_shown() {
    run("nothing_will_do").fails().says(&[
        "probity: `harness::fixtures::nothing_will_do` tested too little: 0 of 1 cases ran, 100 were rejected\n",
        "  100.0 % of all cases by filter at crates/probity/tests/harness/fixtures.rs:N:N\n",
        "  what can be visited within the bounds was, so another run will find no more\n",
    ]);
}

#[test]
fn a_test_that_draws_as_it_likes_is_told_so() {
    let ran = run("draws_as_it_likes").fails();
    ran.says(&["the test asked for another input than before"]);
    assert!(!ran.raw.contains("probity:"), "{}", ran.raw);
}

#[test]
fn a_hanging_input_is_named_by_its_places() {
    let store = Folder::new();
    let ran = watch(&store, "hangs_in_order", &[]).passes();
    let replay = ran.replay();
    assert!(replay.starts_with("walk-"), "{}", ran.raw);
    let again = run_in(&store, "hangs_in_order", &[("PROBITY_REPLAY", replay)]).passes();
    again.says(&["runs what PROBITY_REPLAY says", "    let n = ", "    let m = "]);
}

#[test]
fn shards_share_the_inputs() {
    let shard = |shard| {
        let env = [("PROBITY_ENGINE", "exhaustive"), ("PROBITY_VERBOSE", "true"), ("PROBITY_SHARD", shard)];
        run_in(&Folder::new(), "every_pair", &env)
    };
    for text in ["1/3", "2/3", "3/3"] {
        let n = if text == "1/3" { "21,846" } else { "21,845" };
        let expected = format!("is complete: all {n} inputs of shard {text} pass,");
        let ran = shard(text).passes();
        assert!(ran.raw.contains(&expected), "{}", ran.raw);
    }
    shard("4/3").fails().says(&["expected one part of several, such as 1/8"]);
    let env = [("PROBITY_ENGINE", "exhaustive"), ("PROBITY_START", "70000")];
    let ran = run_in(&Folder::new(), "every_pair", &env).fails();
    assert!(ran.raw.contains("`start` is 70000, but there are only 65536 inputs"), "{}", ran.raw);
    let env = [("PROBITY_SHARD", "1/2")];
    run_in(&Folder::new(), "lazy_list", &env).fails().says(&["leave out `shard` and `start`"]);
    run_in(&Folder::new(), "hangs_in_order", &env)
        .fails()
        .says(&["make all inputs parameters of a `#[probity::test]`"]);
}

#[test]
fn more_is_not_claimed_than_was_visited() {
    let verbose = |name: &str, engine: &str| {
        let env = [("PROBITY_VERBOSE", "true"), ("PROBITY_ENGINE", engine)];
        run_in(&Folder::new(), &format!("complete::{name}"), if engine.is_empty() { &env[..1] } else { &env })
            .passes()
    };
    let ran = verbose("roses", "");
    assert!(ran.raw.contains("is complete up to size 9: all 6,918 inputs pass, in "), "{}", ran.raw);
    let ran = verbose("floats", "");
    assert!(ran.raw.contains("is done: 26 inputs that stand for all pass, in "), "{}", ran.raw);
    let ran = verbose("steps", "exhaustive");
    assert!(ran.raw.contains("passed 9 inputs, which are not all, in "), "{}", ran.raw);
    for name in ["steps", "nothings"] {
        let ran = verbose(name, "");
        assert!(ran.raw.contains("` passed 1,000 cases in "), "{}", ran.raw);
    }
    // This has to be seen, whether or not anyone asks for more.
    run("complete::chains").passes().says(&[
        "passed 256 inputs, which are not all, in ",
        "\n  from size 256 on, some inputs nest too deep or ask for more than 65536 choices: they did not run\n",
    ]);
}

#[test]
fn scores_are_used_where_inputs_are_few() {
    let ran = run("complete::far_number").fails();
    let cases = ran.raw.split(", case ").nth(1).and_then(|it| it.split(' ').next()).unwrap();
    assert!(
        ran.raw.contains("found by: engine targeted") && cases.parse::<u64>().unwrap() < 300,
        "{}",
        ran.raw
    );
    let ran = run_in(&Folder::new(), "complete::near_number", &[("PROBITY_VERBOSE", "true")]).passes();
    assert!(ran.raw.contains("is complete: all 5,000 inputs pass, in "), "{}", ran.raw);
    assert!(ran.raw.contains("most number: "), "{}", ran.raw);
}
