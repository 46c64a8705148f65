//! Pieces of a text that are, or are not, certain texts narrow the text itself; so does its order.

use std::sync::Arc;

use probity_models::solve::builtin::{self, Builtin};
use probity_models::solve::{Answer, Effort, Solver};
use probity_spec::flat::{
    Expr, ExprNode, Scalar, Slot, SlotKind, all, any, eq, le, len, matches, not, substr, text_lt,
};
use probity_spec::regex::Regex;

fn text() -> [Slot; 1] {
    [Slot { name: "t".to_string(), kind: SlotKind::Text }]
}

fn matching(pattern: &str) -> Expr {
    matches(Expr::slot(0), Arc::new(Regex::new(pattern).unwrap()))
}

#[test]
fn they_are_those_of_the_evaluator() {
    let texts = ["", "a", "b", "aa", "ab", "ba", "bb"];
    let short = all([matching("[ab]*"), le(len(Expr::slot(0)), Expr::int(2))]);
    for (start, length) in (0..4).flat_map(|start| (0..4).map(move |length| (start, length))) {
        for piece in texts {
            // As it is written, without the simplifications of the constructors.
            let of = substr(Expr::slot(0), Expr::int(start), Expr::int(length));
            let is = Expr::new(ExprNode::Eq(of, Expr::text(piece)));
            for required in [is.clone(), not(is)] {
                let holds = |it: &&&str| required.eval_bool(&[Scalar::Text((**it).into())]) == Some(true);
                let expected = texts.iter().filter(holds).count();
                let found = builtin::all(&text(), &[short.clone(), required.clone()], 100, &|| false);
                assert_eq!(found.expect("they are few").len(), expected, "{required:?}");
            }
        }
    }
}

#[test]
fn no_first_letter_is_left() {
    let mut solver = Builtin::new(&text());
    solver.require(&matching("[a-zA-Z0-9_]+"));
    let effort = |seed| Effort { stop: &|| false, millis: 60_000, seed };
    let mut found = 0;
    while let Answer::Sat(model) = solver.solve(&effort(found)) {
        let Scalar::Text(it) = &model[0] else { panic!("it is a text") };
        let first = substr(Expr::slot(0), Expr::int(0), Expr::int(1));
        solver.require(&not(eq(first, Expr::text(&it[..1]))));
        found += 1;
    }
    assert_eq!((found, solver.solve(&effort(0))), (63, Answer::Unsat));
}

#[test]
fn orders_are_those_of_texts() {
    let long = "z".repeat(64);
    let texts = [
        "",
        "\0",
        "\0\0",
        "\0a",
        "a",
        "aa",
        "ab",
        "aé",
        "é",
        "\u{D7FF}",
        "\u{E000}",
        "\u{E000}a",
        &long,
        "{",
    ];
    let listed = any(texts.iter().map(|it| eq(Expr::slot(0), Expr::text(it))));
    for other in texts {
        let (x, y) = (Expr::slot(0), Expr::text(other));
        for required in [text_lt(x.clone(), y.clone()), text_lt(y, x)] {
            for required in [required.clone(), not(required)] {
                let holds = |it: &&&str| required.eval_bool(&[Scalar::Text((**it).into())]) == Some(true);
                let expected = texts.iter().filter(holds).count();
                let found = builtin::all(&text(), &[listed.clone(), required.clone()], 100, &|| false);
                assert_eq!(found.expect("they are few").len(), expected, "{required:?}");
            }
        }
    }
}
