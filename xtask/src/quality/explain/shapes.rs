//! Failures of known pattern.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use probity::Generate;
use probity_core::{Combine, Source, any, from, select, vec};

/// A test, and the pattern that is true of its smallest failing input.
pub(crate) struct Shape {
    pub(crate) name: &'static str,
    pub(crate) test: fn(&mut Source),
    pub(crate) truth: &'static str,
}

/// Every value of the marked parts fails.
pub(crate) const PLAIN: &[Shape] = &[
    Shape { name: "(\"\", \"x\")", test: texts, truth: "(_, \"_\")" },
    Shape { name: "(None, Some(0))", test: options, truth: "(_, Some(_))" },
    Shape { name: "[[], [0]]", test: lists, truth: "[_, [_]]" },
    Shape { name: "(Dot, Box { .. })", test: figures, truth: "(_, Box { w: _, h: 1 })" },
    Shape { name: "Div(_, Num(0))", test: division, truth: "Div(_, Num(0))" },
    Shape { name: "c < a, b == 0", test: required, truth: "(_, 0, _)" },
    Shape { name: "c drawn below a", test: dependent, truth: "(_, 0, _)" },
    Shape { name: "one of three inputs", test: middle, truth: "_ | 100 | _" },
    Shape {
        name: "a struct in a struct",
        test: nested,
        truth: "Order { id: _, who: Who { name: _, age: 18 }, tags: _ }",
    },
    Shape { name: "a value of a map", test: map, truth: "{_: 7}" },
    Shape { name: "an item of a set", test: set, truth: "{_, 100}" },
    Shape { name: "special characters", test: special, truth: "(\"\\\"\", _)" },
    Shape { name: "pretty Debug", test: pretty, truth: "Wide {\n    a: _,\n    b: 9,\n    c: _,\n}" },
    Shape { name: "another Debug", test: clock, truth: "_:30" },
    Shape { name: "a list that is as long", test: long, truth: "[_, _, _]" },
    Shape { name: "two that differ", test: differ, truth: "nothing" },
    Shape { name: "a sum", test: sum, truth: "nothing" },
    Shape { name: "two that are equal in a list", test: twice, truth: "nothing" },
    Shape { name: "a pick and a truth", test: pick, truth: "(_, 50, _)" },
    Shape { name: "lists of structs", test: items, truth: "[P { x: _, y: 5, on: _ }]" },
];

/// Some value in 10 to 256 of what could be marked does not fail.
pub(crate) const RARE: &[Shape] = &[
    Shape {
        name: "b == 13 of 20",
        test: |src| {
            let (a, b) = (src.draw_as("a", 0..100), src.draw_as("b", 0..20));
            assert!(a < 10 || b == 13);
        },
        truth: "nothing",
    },
    Shape {
        name: "b == 200 of 256",
        test: |src| {
            let (a, b) = (src.draw_as("a", 0..100), src.draw_as("b", 0..=255));
            assert!(a < 10 || b == 200);
        },
        truth: "nothing",
    },
    Shape {
        name: "b % 100 == 77 of u32",
        test: |src| {
            let (a, b): (i32, u32) = (src.draw_as("a", 0..100), src.draw_as("b", any::<u32>()));
            assert!(a < 10 || b % 100 == 77);
        },
        truth: "nothing",
    },
    Shape {
        name: "b % 256 == 77 of u64",
        test: |src| {
            let (a, b): (i32, u64) = (src.draw_as("a", 0..100), src.draw_as("b", any::<u64>()));
            assert!(a < 10 || b % 256 == 77);
        },
        truth: "nothing",
    },
    Shape {
        name: "(b + c) % 20 == 13, each alone too",
        test: |src| {
            let (a, b, c) = (src.draw_as("a", 0..100), src.draw_as("b", 0..1000), src.draw_as("c", 0..1000));
            assert!(a < 10 || (b + c) % 20 == 13);
        },
        truth: "nothing",
    },
    Shape {
        name: "b == c, both not 0, of 50",
        test: |src| {
            let (a, b, c) = (src.draw_as("a", 0..100), src.draw_as("b", 0..50), src.draw_as("c", 0..50));
            assert!(a < 10 || b == 0 || b != c);
        },
        truth: "nothing",
    },
    Shape {
        name: "b and c of 16, together 1 in 256",
        test: |src| {
            let (a, b, c) = (src.draw_as("a", 0..100), src.draw_as("b", 0..16), src.draw_as("c", 0..16));
            assert!(a < 10 || (b == 3 && c == 9));
        },
        truth: "10 | _ | 0",
    },
    Shape {
        name: "b large and c large, together 1 in 100",
        test: |src| {
            let (a, b, c) =
                (src.draw_as("a", 0..100), src.draw_as("b", 0..100_000), src.draw_as("c", 0..100_000));
            assert!(a < 10 || (b % 10 == 3 && c % 10 == 9));
        },
        truth: "10 | _ | 0",
    },
];

fn texts(src: &mut Source) {
    let (_, b): (String, String) = src.any();
    assert!(b.is_empty());
}

fn options(src: &mut Source) {
    let (_, b): (Option<u8>, Option<u8>) = src.any();
    assert!(b.is_none());
}

fn lists(src: &mut Source) {
    let [_, b]: [Vec<u8>; 2] = src.any();
    assert!(b.is_empty());
}

#[derive(Debug, Generate)]
enum Figure {
    Dot,
    #[allow(dead_code)]
    Box {
        w: u8,
        h: u8,
    },
}

fn figures(src: &mut Source) {
    let (_, b): (Figure, Figure) = src.any();
    assert!(!matches!(b, Figure::Box { h: 1.., .. }));
}

#[derive(Debug, Generate)]
enum Formula {
    Num(i32),
    #[allow(dead_code)]
    Add(Box<Formula>, Box<Formula>),
    Div(#[allow(dead_code)] Box<Formula>, Box<Formula>),
}

fn division(src: &mut Source) {
    let expr: Formula = src.any();
    if let Formula::Div(_, by) = &expr {
        assert!(!matches!(**by, Formula::Num(0)));
    }
}

fn required(src: &mut Source) {
    let (_, b, _) = src.draw(from((0..100, 0..100, 0..100)).filter(|it| it.2 < it.0));
    assert!(b != 0);
}

fn dependent(src: &mut Source) {
    let numbers = |src: &mut Source| {
        let a = src.draw(1..100);
        (a, src.draw(0..100), src.draw(0..a))
    };
    assert!(src.draw(numbers).1 != 0);
}

fn middle(src: &mut Source) {
    src.draw_as("a", any::<String>());
    let b = src.draw_as("b", any::<u32>());
    src.draw_as("c", any::<Vec<Option<bool>>>());
    assert!(b < 100);
}

#[derive(Debug, Generate)]
struct Who {
    #[allow(dead_code)]
    name: String,
    age: u8,
}

#[derive(Debug, Generate)]
struct Order {
    #[allow(dead_code)]
    id: u64,
    who: Who,
    #[allow(dead_code)]
    tags: Vec<String>,
}

fn nested(src: &mut Source) {
    let order: Order = src.any();
    assert!(order.who.age < 18);
}

fn map(src: &mut Source) {
    let map: BTreeMap<u8, u8> = src.any();
    assert!(map.values().all(|it| *it < 7));
}

fn set(src: &mut Source) {
    let set: BTreeSet<u8> = src.any();
    assert!(set.len() < 2 || set.iter().all(|it| *it < 100));
}

fn special(src: &mut Source) {
    let (a, _): (String, char) = src.any();
    assert!(!a.contains('"'));
}

#[derive(Generate)]
struct Wide {
    a: u8,
    b: u8,
    c: Option<bool>,
}

impl fmt::Debug for Wide {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Wide {{\n    a: {:?},\n    b: {:?},\n    c: {:?},\n}}", self.a, self.b, self.c)
    }
}

fn pretty(src: &mut Source) {
    let wide: Wide = src.any();
    assert!(wide.b < 9);
}

struct Clock {
    hour: u32,
    minute: u32,
}

impl fmt::Debug for Clock {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:02}:{:02}", self.hour, self.minute)
    }
}

fn clock(src: &mut Source) {
    let clock = src.draw(from((0..24u32, 0..60u32)).map(|(hour, minute)| Clock { hour, minute }));
    assert!(clock.minute < 30);
}

fn long(src: &mut Source) {
    assert!(src.draw(vec(0..1000, 0..9)).len() < 3);
}

fn differ(src: &mut Source) {
    let (a, b): (u8, u8) = src.any();
    assert_eq!(a, b);
}

fn sum(src: &mut Source) {
    let (a, b) = src.draw((0..100, 0..100));
    assert!(a + b < 101);
}

fn twice(src: &mut Source) {
    let list = src.draw(vec(0..1000, 0..20));
    let set: BTreeSet<&i32> = list.iter().collect();
    assert_eq!(set.len(), list.len());
}

fn pick(src: &mut Source) {
    let color = select(["red", "green", "blue"]);
    let (_, b, _) = src.draw((color, 0..100, any::<bool>()));
    assert!(b < 50);
}

#[derive(Debug, Generate)]
struct P {
    #[allow(dead_code)]
    x: i16,
    y: u8,
    #[allow(dead_code)]
    on: bool,
}

fn items(src: &mut Source) {
    let list: Vec<P> = src.any();
    assert!(list.iter().all(|it| it.y < 5));
}
