//! `probity check` and `probity count`.

use crate::support::*;

/// Checks inputs against a program.
fn check(program: &str, args: &[&str], inputs: &str) -> Run {
    let folder = Folder::new();
    folder.write("it.spec", program);
    folder.write("inputs", inputs);
    let mut line = vec!["check", "it.spec", "inputs"];
    line.extend(args);
    run_in(folder.path(), &line, "")
}

#[test]
fn inputs_are_checked() {
    // Inputs, and what is said of them; a text that ends in … is a beginning.
    let rows: &[(&str, i32, &str)] = &[
        ("[]", 0, "`adults`: 0 inputs, all legal and pairwise different\n"),
        ("", 0, "`adults`: 0 inputs, all legal and pairwise different\n"),
        ("[{\"age\": 18}]", 0, "`adults`: 1 input, all legal and pairwise different\n"),
        ("{\"age\": 18}\n", 0, "`adults`: 1 input, all legal and pairwise different\n"),
        ("{\"age\": 18}\n\n{\"age\": 19}\n", 0, "`adults`: 2 inputs, all legal and pairwise different\n"),
        (
            "[\n{\"age\": 18},\n{\"age\": 19},\n{\"age\": 18}\n]",
            1,
            "`adults`: inputs 1 and 3 do not differ\n  line 2: {\"age\": 18}\n  line 4: {\"age\": 18}\n",
        ),
        (
            "{\"age\": 18}\n{\"age\": 18}\n",
            1,
            "`adults`: inputs 1 and 2 do not differ\n  line 1: {\"age\": 18}\n  line 2: {\"age\": 18}\n",
        ),
        ("[{\"age\": 18}, {\"age\": 17}]", 1, "`adults`: input 2 is illegal: …"),
        ("[{\"age\": \"old\"}]", 1, "`adults`: input 1 is illegal: …"),
        ("[{}]", 1, "`adults`: input 1 is illegal: …"),
        ("[{\"age\": 18, \"more\": 1}]", 1, "`adults`: input 1 is illegal: …"),
        ("[7]", 1, "`adults`: input 1 is illegal: …"),
        (
            "{\"outline\": \"adults\", \"inputs\": [{\"age\": 18}, {\"age\": 5}]}",
            1,
            "`adults`: input 2 is illegal: …",
        ),
    ];
    for (inputs, code, expected) in rows {
        let run = check(AGES, &[], inputs);
        assert_eq!((run.code, &*run.err), (Some(*code), ""), "{inputs}: {run:?}");
        match expected.strip_suffix('…') {
            Some(begins) => assert!(run.out.starts_with(begins), "{inputs}: {}", run.out),
            None => assert_eq!(run.out, *expected, "{inputs}"),
        }
    }
}

#[test]
fn all_that_is_wrong_is_said() {
    let run = check(AGES, &[], "[{\"age\":18},{\"age\":-1},{\"age\":18},null,{\"age\":400}]");
    assert_eq!(run.code, Some(1));
    for expected in
        ["input 2 is illegal", "input 4 is illegal", "input 5 is illegal", "inputs 1 and 3 do not"]
    {
        assert!(run.out.contains(expected), "{expected}: {}", run.out);
    }
}

#[test]
fn the_difference_of_the_outline_counts() {
    let run = check(TWO, &["apart"], "[{\"m\":0},{\"m\":10},{\"m\":19}]");
    assert_eq!(run.code, Some(1));
    assert!(run.out.starts_with("`apart`: inputs 2 and 3 do not differ\n"), "{}", run.out);
}

#[test]
fn inputs_of_several_outlines_are_told_apart() {
    let written = "{\"few\": [{\"n\": 1}], \"apart\": [{\"m\": 1}, {\"m\": 2}]}";
    let run = check(TWO, &[], written);
    assert_eq!(run.code, Some(1));
    assert!(
        run.out.starts_with("`few`: 1 input, all legal and pairwise different\n`apart`: inputs 1"),
        "{run:?}"
    );
    assert_eq!(check(TWO, &["few"], written).code, Some(0));
    let lines = "{\"outline\":\"apart\",\"input\":{\"m\":1}}\n{\"outline\":\"few\",\"input\":{\"n\":1}}\n";
    assert_eq!(check(TWO, &[], lines).code, Some(0));
    let bare = check(TWO, &[], "[{\"n\": 1}]");
    let expected = "error: `inputs` does not say whose inputs it has; name the outline: few, apart\n";
    assert_eq!((bare.code, &*bare.err), (Some(2), expected));
}

#[test]
fn broken_inputs_are_shown_with_their_place() {
    for (inputs, place) in
        [("[{\"age\": 18},\n {\"age\" 19}]", "inputs:2:9"), ("{\"age\": 18}\n{\"age\": }\n", "inputs:2:9")]
    {
        let run = check(AGES, &[], inputs);
        assert_eq!((run.code, &*run.out), (Some(2), ""), "{run:?}");
        assert!(run.err.contains(place), "{}", run.err);
    }
}

#[test]
fn both_from_the_standard_input_cannot_be() {
    let run = run(&["check", "-", "-"], AGES);
    assert_eq!((run.code, &*run.out), (Some(2), ""));
}

#[test]
fn outlines_are_counted() {
    let one = run(&["count", "-"], AGES);
    assert_eq!((one.code, &*one.out, &*one.err), (Some(0), "103\n", ""));
    let two = run(&["count", "-"], TWO);
    assert_eq!((two.code, &*two.out, &*two.err), (Some(0), "few: 37\napart: 11\n", ""));
    let named = run(&["count", "-", "apart"], TWO);
    assert_eq!((named.code, &*named.out), (Some(0), "11\n"));
    let none = run(&["count", "-"], NONE);
    assert_eq!((none.code, &*none.out), (Some(0), "0\n"));
    let endless = run(&["count", "-"], "(program p (generate g 1 (declare name ?String)))");
    assert_eq!((endless.code, &*endless.out), (Some(0), "infinite\n"), "{endless:?}");
}
