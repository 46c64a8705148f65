//! Checking values that were made elsewhere.

use std::sync::Arc;

use probity_models::check;
use probity_spec::regex::{Cover, Heuristics, Regex};
use probity_spec::{Branches, Difference, Enumerate, Request, Shape, Spec, Term, Value};

fn field(name: &str) -> Term {
    Term::it().field(name)
}

fn values(numbers: &[i128]) -> Vec<Value> {
    numbers.iter().map(|it| Value::Object(vec![("x".into(), Value::Int(*it))])).collect()
}

#[test]
fn pairs_that_do_not_differ_are_found() {
    let x = field("x");
    let below = |it: i128| x.clone().lt(Term::int(it));
    let either =
        |it: i128, that: Difference| Difference::Any(vec![Difference::distance(field("x"), it), that]);
    // The difference, the numbers, and the pairs that are alike.
    type Row<'a> = (Difference, &'a [i128], &'a [(usize, usize)]);
    let rows: [Row; 9] = [
        (Difference::Never, &[1, 2, 3], &[]),
        (Difference::Never, &[1, 2, 1, 1], &[(0, 2), (0, 3)]),
        (Difference::not_equal(x.clone().modulo(Term::int(5))), &[1, 2, 6], &[(0, 2)]),
        (Difference::distance(x.clone(), 5), &[1, 6, 4], &[(0, 2), (1, 2)]),
        // 3 may stand for either branch, so 1 takes the other one.
        (Difference::enumerate_linear([below(5), below(2)]), &[3, 1], &[]),
        (Difference::enumerate_linear([below(5), below(2)]), &[3, 4], &[(0, 1)]),
        (Difference::enumerate_linear([below(5), below(2), below(1)]), &[0, 0, 0], &[]),
        (Difference::enumerate_linear([below(9), below(5)]), &[1, 2, 3], &[(0, 2)]),
        (either(4, Difference::enumerate_linear([below(9), below(5)])), &[1, 2, 6], &[]),
    ];
    for (difference, numbers, same) in rows {
        let spec = Spec::object([("x", Spec::new(Shape::int(0, 99)))]);
        let request = Request { spec, difference, n: 0 };
        let report = check(&request, &values(numbers));
        assert!(report.violations.is_empty());
        let found = report.same.iter().map(|it| (it.0.min(it.1), it.0.max(it.1))).collect::<Vec<_>>();
        // Which of several rivals is named does not matter where branches are chosen.
        let choosing = matches!(request.difference, Difference::Enumerate(_));
        assert!(
            found == same || (choosing && found.len() == same.len()),
            "{report:?} for {}",
            request.difference
        );
    }
}

#[test]
fn values_that_are_not_legal_are_named() {
    let spec = Spec::object([("x", Spec::new(Shape::int(0, 9)))]);
    let difference = Difference::enumerate_linear([field("x").lt(Term::int(5))]);
    let report = check(&Request { spec, difference, n: 0 }, &values(&[3, 12, 7]));
    let places: Vec<usize> = report.violations.iter().map(|it| it.0).collect();
    assert_eq!(places, [1, 2]);
    assert!(!report.is_ok());
}

#[test]
fn texts_take_leaves_of_their_own() {
    let cover = Cover::new(&Regex::new("a|[ab]").unwrap(), &Heuristics::default());
    let branches = Branches::Cover { on: field("x"), cover: Arc::new(cover) };
    let spec = Spec::object([("x", Spec::new(Shape::Text))]);
    let request = Request { spec, difference: Difference::Enumerate(Enumerate { branches }), n: 0 };
    let texts = |texts: &[&str]| -> Vec<Value> {
        texts.iter().map(|it| Value::Object(vec![("x".into(), Value::from(*it))])).collect()
    };
    assert!(check(&request, &texts(&["a", "b"])).is_ok());
    assert!(!check(&request, &texts(&["b", "b"])).is_ok());
}

#[test]
fn many_values_are_checked_in_time() {
    let spec = Spec::object([("x", Spec::new(Shape::Int { min: None, max: None }))]);
    let numbers: Vec<i128> = (0..20_000).collect();
    let keyed = Request { spec: spec.clone(), difference: Difference::Never, n: 0 };
    let report = check(&keyed, &values(&numbers));
    assert!(report.is_ok() && report.notes.is_empty());
}
