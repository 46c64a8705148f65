//! First tests with Probity. Each parameter is a blank that Probity fills in: run `cargo test`, then change the tests.

use probity::prelude::*;

// By type: any list of numbers.
#[probity::test]
fn sorting_twice_changes_nothing(mut v: Vec<i32>) {
    v.sort();
    let once = v.clone();
    v.sort();
    assert_eq!(v, once);
}

// By generator: `#[from(..)]` takes a range or a generator, which may use the parameters before it.
#[probity::test]
fn splitting_keeps_everything(v: Vec<u8>, #[from(0..=v.len())] at: usize) {
    let (left, right) = v.split_at(at);
    assert_eq!([left, right].concat(), v);
}

// Your own types: derive `Generate`. Failing values shrink by themselves.
#[derive(Clone, Debug, PartialEq, Generate)]
enum Shape {
    Point,
    Square { side: u8 },
    Stack(Vec<Shape>),
}

fn area(shape: &Shape) -> u64 {
    match shape {
        Shape::Point => 0,
        Shape::Square { side } => u64::from(*side) * u64::from(*side),
        Shape::Stack(all) => all.iter().map(area).sum(),
    }
}

#[probity::test]
fn a_stack_is_as_large_as_its_parts(a: Shape, b: Shape) {
    let sum = area(&a) + area(&b);
    assert_eq!(area(&Shape::Stack(vec![a, b])), sum);
}

// Sequences of calls: compare with a simple model after each step.
#[probity::test]
fn a_map_is_a_list_of_pairs(src: &mut Source) {
    let mut map = std::collections::BTreeMap::new();
    let mut model: Vec<(u8, u8)> = Vec::new();
    steps!(src, ..=20, {
        insert => {
            let (key, value) = (src.draw(0..5), src.any());
            map.insert(key, value);
            model.retain(|it| it.0 != key);
            model.push((key, value));
        }
        remove if !model.is_empty() => {
            let key = src.draw(0..5);
            map.remove(&key);
            model.retain(|it| it.0 != key);
        }
        always => assert_eq!(map.len(), model.len()),
    });
}

// To see a report, remove `#[ignore]`.
#[ignore = "it fails, to show a report"]
#[probity::test]
fn no_list_has_a_large_sum(v: Vec<u8>) {
    assert!(v.iter().map(|it| u32::from(*it)).sum::<u32>() < 300);
}
