//! The paper's programs and spec file, as they are printed, generate what its text says.

use std::ops::ControlFlow;

use probity_lang::{Program, files, json};
use probity_models::{Options, generate};
use probity_spec::{Model, Random, Request};

fn read(name: &str) -> Program {
    let path = format!("{}/programs/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    let read = if name.ends_with(".json") {
        files::read(name, &text)
    } else {
        probity_lang::read(name, &text, &|_| Err("no tables here".into()))
    };
    read.unwrap_or_else(|errors| {
        panic!("{}", errors.iter().map(|it| it.render(name, &text)).collect::<String>())
    })
}

/// The models of a request, each valid and each pair different by the evaluator.
fn models(request: &Request, what: &str) -> Vec<Model> {
    let mut models = Vec::new();
    let each = &mut |model| {
        models.push(model);
        ControlFlow::Continue(())
    };
    generate(request, &Options::default(), each).unwrap_or_else(|it| panic!("{what}: {it:?}"));
    for (i, model) in models.iter().enumerate() {
        request.admits(model).unwrap_or_else(|it| panic!("{what}: {it}"));
        for other in &models[..i] {
            assert!(request.differ(model, other), "{what}: {model:?}\n{other:?}");
        }
    }
    models
}

/// How many models each outline has when 150 are asked for: the paper's numbers, or counted by hand.
#[test]
fn programs_generate_all_there_are() {
    let rows = [
        // Two branches of the hours; the minutes are one.
        ("24hour-blackbox.spec", "testCoverRegexp", 2),
        // 4 * 3 hours and 3 * 2 minutes.
        ("24hour-whitebox.spec", "testCoverRegexp", 72),
        ("24hour-whitebox.spec", "testNotEqual", 150),
        ("basic-string.spec", "testNotEqual", 150),
        ("calendar.json", "Event", 150),
        // Four subcategories, four prices of 1 to 200 that are 50 apart.
        ("cover-products.spec", "testProducts", 16),
        ("cover-regexp.spec", "testBranches", 3),
        ("cover-regexp.spec", "testPlus", 1),
        ("enumerate-linear.spec", "testLinear", 3),
        // Lists of one, two and three.
        ("orders.json", "structures", 3),
        // 0 to 99, and 100 to 999 in steps of 50.
        ("prefer-small.spec", "testPreferSmall", 118),
        // Three categories, ten prices from 0.01 to 500 that are 50 apart.
        ("purchase.spec", "items", 30),
        ("usernames.spec", "representative", 8),
    ];
    for (file, name, expected) in rows {
        let outline = read(file).outlines.into_iter().find(|it| &*it.name == name).unwrap();
        let n = models(&Request { n: 150, ..outline.request }, &format!("{file} {name}")).len();
        assert_eq!(n, expected, "{file} {name}");
    }
}

#[test]
fn programs_generate_what_they_ask_for() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/programs");
    let names = std::fs::read_dir(folder).unwrap().map(|it| it.unwrap().file_name().into_string().unwrap());
    for file in names.filter(|it| it != "orders.json") {
        for outline in read(&file).outlines {
            let n = models(&outline.request, &file).len();
            assert_eq!(n, outline.request.n, "{file} {}", outline.name);
        }
    }
}

#[test]
fn black_box_times_are_hours_and_minutes() {
    let request = read("24hour-blackbox.spec").outlines.remove(0).request;
    let mut hours: Vec<String> = models(&request, "black box")
        .iter()
        .map(|it| it.value.field("time").unwrap().to_string().trim_matches('"').to_string())
        .collect();
    hours.sort();
    assert!(hours.iter().all(|it| it.len() == 5 && &it[2..3] == ":"), "{hours:?}");
    assert!(hours[0].starts_with(['0', '1']) && hours[1].starts_with('2'), "{hours:?}");
}

#[test]
fn the_calendar_is_read_as_the_paper_means_it() {
    let program = read("calendar.spec");
    assert_eq!(&*program.name, "calendarTests");
    let request = &program.outlines[0].request;
    let shown = request.spec.to_string();
    assert!(shown.starts_with("(object (loc (table Location "), "{shown}");
    assert!(shown.contains("(suffix (text (require (matches it "), "{shown}");
    let difference = request.difference.to_string();
    assert!(difference.starts_with("(some-of (cover-regexp (. it suffix) "), "{difference}");
    assert!(difference.ends_with("(relation (. (. it loc) zone) not-equal))"), "{difference}");
    // The spec file and the program say the same of an event, up to how the pattern is grouped.
    let file = read("calendar.json");
    let named = |program: &Program, name: &str| {
        let spec = &program.specs.iter().find(|it| &*it.0 == name).unwrap().1;
        spec.to_string().split("#rx").map(str::to_string).collect::<Vec<_>>()
    };
    let (a, b) = (named(&program, "event"), named(&file, "Event"));
    assert_eq!(a[0], b[0]);
    assert!(
        b[1].ends_with("(duration (int 0 _)))") && a[1].ends_with("(duration (int (require (<= 0 it)))))")
    );
}

/// Structures are covered: with all parts, every presence, case and length is there, and each in three spacings.
#[test]
fn structures_are_covered() {
    let text = "(declare order ?Object)
        (specify order (with-optional size ?(Enum small large)) (with items ?(List (Integer 0 9) 0 3)))
        (generate all 500 (constrain order (all-of cover-json)))
        (generate sizes 500 (constrain order (cover-json (only presence cases))))";
    let outlines = probity_lang::read("a.spec", text, &|_| Err("none".into())).unwrap().outlines;
    // None, small, large.
    assert_eq!(models(&outlines[1].request, "sizes").len(), 3);
    // Any part may differ: three sizes, four lengths, three spacings.
    let request = &outlines[0].request;
    let all = models(request, "all");
    assert_eq!(all.len(), 36);
    let spacings: Vec<_> = all.iter().map(|it| json::Spacing::of(request, it).unwrap()).collect();
    for spacing in [json::Spacing::None, json::Spacing::One, json::Spacing::Many] {
        assert_eq!(spacings.iter().filter(|it| **it == spacing).count(), 12);
    }
}

/// Programs with a few characters lost, doubled or swapped are read or refused with a message.
#[test]
fn damaged_programs_are_read_or_refused() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/programs");
    let mut names: Vec<String> =
        std::fs::read_dir(folder).unwrap().map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    let mut random = Random::new(3);
    for name in names {
        let text = std::fs::read_to_string(format!("{folder}/{name}")).unwrap();
        for _ in 0..20 {
            let mut chars: Vec<char> = text.chars().collect();
            for _ in 0..=random.below(3) {
                let (at, to) =
                    (random.below(chars.len() as u64) as usize, random.below(chars.len() as u64) as usize);
                match random.below(3) {
                    0 => drop(chars.remove(at)),
                    1 => chars.insert(to, chars[at]),
                    _ => chars.swap(at, to),
                }
            }
            let text: String = chars.into_iter().collect();
            let read = if name.ends_with(".json") {
                files::read(&name, &text)
            } else {
                probity_lang::read(&name, &text, &|_| Err("no tables here".into()))
            };
            for error in read.err().unwrap_or_default() {
                let shown = error.render(&name, &text);
                assert!(shown.starts_with("error: ") && shown.contains('^'), "{shown}");
            }
        }
    }
}
