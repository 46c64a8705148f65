//! Difference as the paper defines it: laws on small domains, each checked by going through all models.

use std::sync::Arc;

use probity_spec::regex::{Cover, Heuristics, Regex};
use probity_spec::{
    Branch, Branches, Difference, Enumerate, Model, NO_CHOICE, Random, Relation, RelationKind, Request,
    Shape, Spec, Term, Value,
};

/// The greatest value of `x`.
const MAX: i128 = 5;

fn x() -> Term {
    Term::it().field("x")
}

fn request(difference: Difference) -> Request {
    Request { spec: Spec::object([("x", Spec::new(Shape::int(0, MAX)))]), difference, n: 100 }
}

fn value(x: i128) -> Value {
    Value::Object(vec![("x".into(), Value::Int(x))])
}

fn holds(term: Term) -> Difference {
    Difference::Relation(Relation { on: x(), kind: RelationKind::Holds(term) })
}

/// Whether `x` is one of the members of a set, given by bits.
fn member(set: u64) -> Term {
    let members = (0..=MAX).filter(|it| set >> it & 1 == 1).map(|it| x().eq(Term::int(it)));
    Term::apply(probity_spec::Op::Or, members.collect::<Vec<_>>())
}

fn enumerate(branches: impl IntoIterator<Item = (Term, Difference)>) -> Difference {
    let branch = |(requires, differ): (Term, _)| Branch { label: requires.to_string(), requires, differ };
    let branches = Branches::Listed(branches.into_iter().map(branch).collect());
    Difference::Enumerate(Enumerate { branches })
}

/// All models: every value with all choices it can have made.
fn models(request: &Request) -> Vec<Model> {
    let all = (0..=MAX).flat_map(|it| {
        let choices = request.choices_of(&value(it), usize::MAX);
        choices.into_iter().map(move |choices| Model { value: value(it), choices })
    });
    all.collect()
}

/// The size of the largest set of pairwise different models, by branching on every model.
fn largest(request: &Request, chosen: &[&Model], rest: &[Model]) -> usize {
    let Some((first, rest)) = rest.split_first() else { return chosen.len() };
    let without = largest(request, chosen, rest);
    if chosen.iter().all(|it| request.differ(it, first)) {
        let with = [chosen, &[first]].concat();
        return without.max(largest(request, &with, rest));
    }
    without
}

/// A random difference over `x`, with relations that are not symmetric and nested enumerations.
fn random(random_: &mut Random, depth: u32) -> Difference {
    let mut next = |n| random_.below(n);
    match next(if depth == 0 { 6 } else { 10 }) {
        0 => Difference::Always,
        1 => Difference::Never,
        2 => Difference::not_equal(x()),
        3 => Difference::distance(x(), 1 + next(3) as i128),
        4 => holds(Term::it().lt(Term::other())),
        5 => holds(Term::it().plus(Term::other()).modulo(Term::int(2)).eq(Term::int(0))),
        6 => Difference::Not(Box::new(random(random_, depth - 1))),
        kind @ (7 | 8) => {
            let parts = (0..next(3)).map(|_| random(random_, depth - 1)).collect();
            if kind == 7 { Difference::All(parts) } else { Difference::Any(parts) }
        }
        _ => {
            let n = 1 + next(3);
            enumerate((0..n).map(|_| (member(random_.below(1 << (MAX + 1))), random(random_, depth - 1))))
        }
    }
}

#[test]
fn enumerate_linear_visits_each_assertion_exactly_once() {
    let mut random = Random::new(4);
    for _ in 0..60 {
        let n = 1 + random.below(3) as usize;
        let mut sets: Vec<u64> = Vec::new();
        while sets.len() < n {
            let set = random.below(1 << (MAX + 1));
            if !sets.contains(&set) {
                sets.push(set);
            }
        }
        let request = request(Difference::enumerate_linear(sets.iter().map(|it| member(*it))));
        let models = models(&request);
        let satisfiable = sets.iter().filter(|it| **it != 0).count();
        assert_eq!(largest(&request, &[], &models), satisfiable, "{}", request.difference);
        for a in &models {
            assert_eq!(request.admits(a), Ok(()));
            for b in &models {
                assert_eq!(request.differ(a, b), a.choices != b.choices);
            }
        }
    }
}

#[test]
fn pairs_are_symmetric_and_never_one_model() {
    let mut random_ = Random::new(5);
    for _ in 0..300 {
        let request = request(random(&mut random_, 3));
        let models = models(&request);
        for a in models.iter().take(12) {
            assert!(!request.differ(a, a));
            for b in models.iter().take(12) {
                assert_eq!(request.differ(a, b), request.differ(b, a), "{} {a:?} {b:?}", request.difference);
            }
        }
    }
}

#[test]
fn choices_are_all_that_are_admitted() {
    let mut random_ = Random::new(6);
    for _ in 0..200 {
        let request = request(random(&mut random_, 2));
        let len = request.choices_of(&value(0), 1).first().map(Vec::len);
        let len = len.or_else(|| models(&request).first().map(|it| it.choices.len()));
        let Some(len) = len.filter(|it| *it <= 4) else { continue };
        for it in 0..=MAX {
            let mut found = request.choices_of(&value(it), usize::MAX);
            found.sort();
            let mut all: Vec<Vec<u64>> = vec![Vec::new()];
            for _ in 0..len {
                let more =
                    |it: &Vec<u64>| [0, 1, 2, 3, NO_CHOICE].map(|choice| [&it[..], &[choice]].concat());
                all = all.iter().flat_map(more).collect();
            }
            all.retain(|choices| {
                request.admits(&Model { value: value(it), choices: choices.clone() }).is_ok()
            });
            assert_eq!(found, all, "{}", request.difference);
            assert!(request.choices_of(&value(it), 1).len() <= 1);
        }
    }
}

#[test]
fn combinations_follow_the_algebra() {
    let mut random_ = Random::new(7);
    // Without choices, so that the choices of a combination are those of its parts; symmetric, so that holding
    // in both orders distributes over them.
    let plain = |random_: &mut Random| {
        let kinds = [
            Difference::Always,
            Difference::not_equal(x()),
            Difference::distance(x(), 2),
            holds(Term::it().plus(Term::other()).modulo(Term::int(2)).eq(Term::int(0))),
            Difference::Never,
        ];
        kinds[random_.index(kinds.len())].clone()
    };
    let not = |it: &Difference| Difference::Not(Box::new(it.clone()));
    for _ in 0..100 {
        let (c, d) = (plain(&mut random_), plain(&mut random_));
        let all = |parts: [&Difference; 2]| Difference::All(parts.map(Clone::clone).to_vec());
        let any = |parts: [&Difference; 2]| Difference::Any(parts.map(Clone::clone).to_vec());
        for a in 0..=MAX {
            for b in (0..=MAX).filter(|it| *it != a) {
                // `all-of` one thing is that thing, but never the request that has the default alone.
                let differ = |it: &Difference| {
                    let model = |it| Model { value: value(it), choices: Vec::new() };
                    request(Difference::All(vec![it.clone()])).differ(&model(a), &model(b))
                };
                assert_eq!(differ(&all([&c, &d])), differ(&c) && differ(&d));
                assert_eq!(differ(&any([&c, &d])), differ(&c) || differ(&d));
                assert_eq!(differ(&not(&c)), !differ(&c));
                assert_eq!(differ(&not(&all([&c, &d]))), differ(&any([&not(&c), &not(&d)])));
                assert_eq!(differ(&any([&c, &Difference::Never])), differ(&c));
                assert_eq!(differ(&all([&c, &Difference::Always])), differ(&c));
            }
        }
    }
}

#[test]
fn never_alone_is_the_default_and_not_of_a_direction_is_both() {
    let model = |x| Model { value: value(x), choices: Vec::new() };
    let rows = [
        (Difference::Never, 1, 2, true),
        (Difference::Never, 1, 1, false),
        (Difference::Always, 1, 1, false),
        (Difference::Any(vec![Difference::Never]), 1, 2, false),
        (holds(Term::it().lt(Term::other())), 1, 2, false),
        (Difference::Not(Box::new(holds(Term::it().lt(Term::other())))), 1, 2, false),
        (holds(Term::it().eq(Term::other()).negate()), 1, 2, true),
        (Difference::distance(x(), 3), 1, 4, true),
        (Difference::distance(x(), 3), 1, 3, false),
        (Difference::not_equal(x().modulo(Term::int(2))), 1, 3, false),
        (Difference::not_equal(Term::int(1).quotient(x())), 0, 3, false),
    ];
    for (difference, a, b, expected) in rows {
        let request = request(difference);
        assert_eq!(request.differ(&model(a), &model(b)), expected, "{} {a} {b}", request.difference);
    }
}

#[test]
fn prefer_small_of_the_paper() {
    let spec = Spec::object([("x", Spec::new(Shape::int(0, 999)))]);
    let difference = enumerate([
        (x().lt(Term::int(100)), Difference::not_equal(x())),
        (Term::int(100).le(x()), Difference::distance(x(), 50)),
    ]);
    let request = Request { spec, difference, n: 118 };
    let model = |x: i128| Model { value: value(x), choices: vec![u64::from(x >= 100)] };
    // Every number below 100, then 100, 150, …: the largest set there is.
    let all: Vec<Model> = (0..100).chain((100..1000).step_by(50)).map(model).collect();
    assert_eq!(all.len(), 118);
    for (i, a) in all.iter().enumerate() {
        assert_eq!(request.admits(a), Ok(()));
        assert!(all[..i].iter().all(|b| request.differ(a, b)));
    }
    assert!(!request.differ(&model(100), &model(149)));
}

#[test]
fn malformed_choices_are_explained() {
    let inner = enumerate([(member(0b1), Difference::Never), (member(0b11), Difference::Never)]);
    let outer = enumerate([(member(0b11), inner), (Term::always(), Difference::Never)]);
    let request = request(outer);
    let rows: [(i128, &[u64], &str); 6] = [
        (0, &[0], "the model has 1 choices where 2 are made"),
        (0, &[7, 0], "the branch number 7 was chosen where there are 2, counted from 0"),
        (0, &[NO_CHOICE, 0], "no choice was made among 2 branches"),
        (0, &[0, NO_CHOICE], "no choice was made among 2 branches"),
        (
            0,
            &[1, 0],
            "the branch (or (= (. it x) 0) (= (. it x) 1)) was not chosen, but a choice was made within it",
        ),
        (
            1,
            &[0, 0],
            "the branch (or (= (. it x) 0)) was chosen, but x is 1, which does not satisfy (or (= (. it x) 0))",
        ),
    ];
    for (x, choices, expected) in rows {
        let model = Model { value: value(x), choices: choices.to_vec() };
        assert_eq!(request.admits(&model).unwrap_err().to_string(), expected);
    }
    // None of them makes a comparison fail hard either.
    for (x, choices, _) in rows {
        let model = Model { value: value(x), choices: choices.to_vec() };
        request.differ(&model, &Model { value: value(3), choices: vec![1, NO_CHOICE] });
    }
}

#[test]
fn covers_choose_leaves() {
    let regex = Regex::new("[a-z]+|[0-9]+|_").unwrap();
    let cover = Arc::new(Cover::new(&regex, &Heuristics::default()));
    let branches = Branches::Cover { on: Term::it().field("t"), cover: cover.clone() };
    let spec = Spec::object([("t", Spec::new(Shape::Text))]);
    let request = Request { spec, difference: Difference::Enumerate(Enumerate { branches }), n: 3 };
    let text = |it: &str| Value::Object(vec![("t".into(), Value::from(it))]);
    assert_eq!(request.choices_of(&text("-"), 10), [[0; 0]; 0]);
    for it in ["a", "abc", "7", "_"] {
        let choices = request.choices_of(&text(it), 10);
        assert!(!choices.is_empty(), "{it}");
        for choices in choices {
            let model = Model { value: text(it), choices };
            assert_eq!(request.admits(&model), Ok(()));
            let lost = Model { value: text("-"), ..model.clone() };
            assert!(request.admits(&lost).unwrap_err().to_string().starts_with("the leaf "));
            assert!(!request.differ(&model, &Model { value: text("zzz"), ..model.clone() }));
        }
    }
    assert!(request.admits(&Model { value: text("a"), choices: vec![NO_CHOICE] }).is_err());
}

#[test]
fn edit_distance_is_the_least_number_of_edits() {
    /// By definition, without a table.
    fn slow(a: &[u8], b: &[u8]) -> i128 {
        match (a.split_first(), b.split_first()) {
            (None, _) => b.len() as i128,
            (_, None) => a.len() as i128,
            (Some((c, a_rest)), Some((d, b_rest))) => {
                let replaced = slow(a_rest, b_rest) + i128::from(c != d);
                replaced.min(1 + slow(a_rest, b)).min(1 + slow(a, b_rest))
            }
        }
    }
    let mut random = Random::new(8);
    let text = |random: &mut Random| {
        let len = random.below(6);
        (0..len).map(|_| if random.below(2) == 0 { 'a' } else { 'b' }).collect::<String>()
    };
    for _ in 0..300 {
        let (a, b) = (text(&mut random), text(&mut random));
        let expected = slow(a.as_bytes(), b.as_bytes());
        let term = Term::apply(probity_spec::Op::EditDistance, [Term::it(), Term::other()]);
        let (a, b) = (Value::from(&*a), Value::from(&*b));
        assert_eq!(term.eval(&a, Some(&b)), Some(Value::Int(expected)), "{a} {b}");
        for by in 0..8 {
            let difference =
                Difference::Relation(Relation { on: Term::it(), kind: RelationKind::EditDistance(by) });
            let request = Request { spec: Spec::new(Shape::Text), difference, n: 2 };
            let model = |it: &Value| Model { value: it.clone(), choices: Vec::new() };
            let differs = a != b && expected >= by.into();
            assert_eq!(request.differ(&model(&a), &model(&b)), differs, "{a} {b} {by}");
        }
    }
    // Long texts: a band is enough for near ones, and the lengths for far ones.
    let long = |n: usize| Value::from("ab".repeat(n).as_str());
    let distance = Term::apply(probity_spec::Op::EditDistance, [Term::it(), Term::other()]);
    assert_eq!(distance.eval(&long(20_000), Some(&long(19_999))), Some(Value::Int(2)));
    assert_eq!(distance.eval(&Value::from(""), Some(&long(20_000))), Some(Value::Int(40_000)));
}
