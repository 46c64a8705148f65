//! What is reported of tests that go one of several ways.

use crate::support::{Folder, run, run_in};

#[test]
fn arms_are_shown_in_order_with_what_they_drew() {
    let ran = run("arms::stack").fails();
    ran.says(&["    let steps = 2;  // _\n    push(0)  // push(_)\n    clear\n  failure: "]);
}

#[test]
fn arms_of_async_tests_are_shown() {
    run("arms::awaited")
        .fails()
        .says(&[" fails\n    push(0)  // _\n    push(0)  // push(_)\n    clear\n  failure: "]);
}

#[test]
fn arms_are_kept_and_told_as_events() {
    let (store, events) = (Folder::new(), Folder::new());
    let path = events.at("events");
    run_in(&store, "arms::stack", &[("PROBITY_EVENTS", path.to_str().unwrap())]).fails();
    let told = std::fs::read_to_string(path).unwrap();
    let inputs = r#""inputs":[{"name":"steps","value":"2"},{"name":null,"value":"push(0)","arm":"push"},{"name":null,"value":"clear","arm":"clear"}]"#;
    assert!(told.contains(inputs) && told.contains(r#""patterns":["_","push(_)","clear"]"#), "{told}");
    let (_, file) = store.only_file();
    assert!(file.contains("\nlet steps = 2;\nlet _ = push(0);\nlet _ = clear;\nfails: "), "{file}");
}

#[cfg(unix)]
#[test]
fn a_replay_shows_an_arm_before_it_runs() {
    for (isolate, report) in
        [("true", "\n    let steps = 3;\n    push(0)\n    push(0)\n    clear\n  failure: "), ("false", "")]
    {
        let env = [("PROBITY_REPLAY", "i3 p0 i0 p0 i0 p1"), ("PROBITY_ISOLATE", isolate)];
        let ran = run_in(&Folder::new(), "arms::crashes", &env).fails();
        let live = "\n    let steps = 3;\n    push\n        drew 0\n    push\n        drew 0\n    clear\n";
        ran.says(&[live, report]);
    }
}

#[cfg(unix)]
#[test]
fn the_arm_in_which_a_process_dies_is_shown() {
    run("arms::crashes")
        .fails()
        .says(&["\n    push(0)\n    push(0)\n    clear\n  failure: the process died"]);
}

#[test]
fn arms_that_no_case_entered_are_named() {
    let ran = run("arms::never").passes();
    ran.says(&[
        "`harness::fixtures::arms::never`: none of 511 cases entered `down` at ",
        "cases entered `shut` at ",
    ]);
}

#[test]
fn arms_that_a_failure_needs_are_named() {
    run("arms::needed").fails().reads("arms_needed");
}

#[test]
fn swarm_is_a_setting() {
    for swarm in ["true", "false", "exhaustive"] {
        run_in(&Folder::new(), "arms::needed", &[("PROBITY_SWARM", swarm)]).fails();
    }
    let ran = run_in(&Folder::new(), "arms::needed", &[("PROBITY_SWARM", "often")]).fails();
    ran.says(&["`PROBITY_SWARM` is `often`: expected true, false or exhaustive"]);
}
