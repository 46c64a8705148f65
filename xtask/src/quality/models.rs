//! Requirements between fields: how fast the built-in solver makes models, and how many it throws away.

use std::ops::ControlFlow;
use std::time::Instant;

use probity_models::solve::builtin::ModelSampler;
use probity_models::solve::{Answer, Effort};
use probity_models::{Options, generate};
use probity_spec::flat::{Bounds, Flat};
use probity_spec::{Model, Request};

use super::table::Table;

/// This many models of each.
const MODELS: usize = 5_000;

/// Outlines whose fields depend on each other.
pub(super) const OUTLINES: [(&str, &str); 12] = [
    ("0 <= s < r", "(declare r ?(Integer 1 1000000)) (declare s ?Integer) (require (and (<= 0 s) (< s r)))"),
    (
        "sorted list with a sum",
        "(declare xs ?(List (Integer 0 1000) 5 5)) (require (sorted xs)) (require (= (sum xs) 1000))",
    ),
    (
        "distinct list, first less than last",
        "(declare xs ?(List (Integer 0 50) 4 4)) (require (distinct xs)) (require (< (nth xs 0) (nth xs 3)))",
    ),
    (
        "date range",
        "(declare a ?Date) (declare b ?Date) (require (< a b)) (require (<= (- b a) (days 30)))
         (require (<= (date \"2017-01-01\") a)) (require (< b (date \"2018-01-01\")))",
    ),
    (
        "length of a text is a field",
        "(declare name ?String) (declare k ?(Integer 1 20)) (require (matches name #rx\"[a-z]+\")) (require (= (length name) k))",
    ),
    (
        "text begins with another",
        "(declare root ?String) (declare path ?String) (require (matches root #rx\"/[a-z]{1,8}\"))
         (require (matches path #rx\"(/[a-z]{1,8}){1,4}\")) (require (prefix? root path))",
    ),
    (
        "congruent",
        "(declare x ?(Integer 0 10000)) (declare y ?(Integer 0 10000)) (require (= (mod x 7) (mod y 7))) (require (< x y))",
    ),
    (
        "sum of two",
        "(declare a ?(Integer 0 100000)) (declare b ?(Integer 0 100000)) (declare c ?(Integer 0 100000)) (require (= (+ a b) c))",
    ),
    (
        "price times count within a budget",
        "(declare price ?(Integer 1 500)) (declare count ?(Integer 1 100)) (declare budget ?(Integer 100 1000))
         (require (<= (* price count) budget)) (require (> (* price count) (- budget 100)))",
    ),
    (
        "linear with three terms",
        "(declare x ?(Integer 0 1000)) (declare y ?(Integer 0 1000)) (declare z ?(Integer 0 1000))
         (require (= (+ (* 3 x) (* 5 y)) (+ (* 7 z) 11)))",
    ),
    (
        "either or",
        "(declare kind ?(Enum card cash)) (declare limit ?(Integer 0 5000)) (declare amount ?(Integer 0 5000))
         (require (or (and (= kind 'card) (<= amount limit)) (and (= kind 'cash) (= limit 0) (< amount 100))))",
    ),
    (
        "every element below a field",
        "(declare most ?(Integer 1 100)) (declare xs ?(List (Integer 0 1000) 1 6)) (require (forall (x xs) (< x most)))",
    ),
];

pub(crate) fn table() -> Table {
    let title = format!("requirements between fields: {MODELS} different models of each, built-in solver");
    let mut table = Table::new(title, &["requirement", "models", "models a second", "thrown away, mean"]);
    for (name, text) in OUTLINES {
        let request = &request(name, text);
        let (models, rate) = rate(request);
        let thrown = thrown_away(request);
        let met = rate >= 1000.0 && thrown <= 10.0;
        let cells = [name.to_string(), models.to_string(), format!("{rate:.0}"), format!("{thrown:.2}")];
        table.row(cells.to_vec(), ">= 1,000, <= 10", Some(met));
    }
    table
}

/// What an outline asks for.
pub(super) fn request(name: &str, text: &str) -> Request {
    let program =
        probity_lang::read(name, &format!("(generate it {MODELS} {text})"), &|_| Err(String::new()));
    let program = program.unwrap_or_else(|it| panic!("{name}: {:?}", it));
    program.outlines[0].request.clone()
}

/// How many models came, and how many a second.
fn rate(request: &Request) -> (usize, f64) {
    let mut models: Vec<Model> = Vec::new();
    let start = Instant::now();
    let generated = generate(request, &Options::default(), &mut |it| {
        models.push(it);
        ControlFlow::Continue(())
    });
    let seconds = start.elapsed().as_secs_f64();
    generated.unwrap_or_else(|it| panic!("{}", it.0));
    assert!(models.iter().all(|it| request.admits(it).is_ok()), "a wrong model");
    (models.len(), models.len() as f64 / seconds)
}

/// How many choices the sampler takes back for each model.
fn thrown_away(request: &Request) -> f64 {
    let flat =
        Flat::of(&request.spec, &request.difference, &Bounds::default()).unwrap_or_else(|it| panic!("{it}"));
    let mut sampler = ModelSampler::new(&flat.slots, &flat.requires, 1).expect("there are models");
    let effort = Effort { stop: &|| false, millis: 5_000, seed: 1 };
    for _ in 0..MODELS {
        assert!(matches!(sampler.sample(&effort), Answer::Sat(_)), "there are models");
    }
    sampler.stages.rejected as f64 / MODELS as f64
}
