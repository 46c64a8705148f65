//! Tests that name goals.

use crate::support::{Folder, Ran, run_in};

fn run(name: &str) -> Ran {
    run_in(&Folder::new(), &format!("goals::{name}"), &[("PROBITY_CONCOLIC", "off")])
}

fn goal(name: &str, what: &str) -> String {
    format!("probity: `harness::fixtures::goals::{name}`: the goal {what}\n")
}

#[test]
fn a_goal_is_reached_by_a_simple_input() {
    run("by_chance").passes().says(&[&(goal("by_chance", "`two` is reached") + "    let v = [10, 0];\n")]);
    let ran = run("needle").passes();
    ran.says(&[
        &(goal("needle", "`magic` is reached") + "    let x = "),
        &goal("needle", "`far` is reached"),
        "    let y = 0;\n",
    ]);
}

#[test]
fn what_no_input_comes_to_is_proved_or_said() {
    let what = "`n / 2 > u32::MAX / 2` is unreachable: proved for every input";
    run("never").passes().says(&[&goal("never", what)]);
    let ran = run("never_but_must").fails();
    let what = "`odd and even` is unreachable: proved for every input";
    ran.says(&[&goal("never_but_must", what), "the goal `odd and even` is not reached, at "]);
    let ran = run("not_followed").passes();
    let why = "  that no input comes to it is not proved: the test ";
    ran.says(&[&goal("not_followed", "`with a file` is not reached"), why]);
}

#[test]
fn a_failure_on_the_way_is_a_failure() {
    run("fails_before").fails().says(&["  failure: found\n", "  found by: engine concolic, case N"]);
}
