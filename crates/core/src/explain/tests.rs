//! What may vary is found and marked, and nothing else is.

use std::fmt;

use super::*;
use crate::{Budget, Function, Generate, Lazy, Replay, Tail, search_random, shrink, vec};

#[test]
fn parts_that_are_drawn_later_are_looked_into() {
    let mut test = |src: &mut Source| {
        type VariedPart = Lazy<(u8, u8, Lazy<u8>)>;
        let (f, part): (Function<u8, (u8, u8)>, VariedPart) = src.any();
        assert!(f.call(3).1 < 7 || part.1 < 2);
    };
    let values = [0, 7, 0, 2].map(Value::Int).to_vec();
    let replay = Replay::new(values, Tail::Simplest);
    let case = run_case(&mut Source::new(Box::new(replay)), &mut test).unwrap();
    let explanation = explain(&case, &mut test, 1, 1000, &mut || true).unwrap().unwrap();
    assert_eq!(explanation.patterns[0].text, "(|x| match x { 3 => (_, 7), _ => _ }, (_, 2, _))");
}

#[test]
fn a_part_that_may_not_equal_another_is_not_free() {
    let mut test = |src: &mut Source| {
        let lists = (src.draw(vec(0..9, 0..=3)), src.draw(vec(0..9, 0..=3)));
        if lists.0 != lists.1 {
            crate::fail_with_error(&"differ");
        }
    };
    // The first list is free but for one value: the second.
    let answers = std::vec![Value::Length(0), Value::Length(1), Value::Int(0)];
    let replay = Replay::new(answers, Tail::Simplest);
    let case = run_case(&mut Source::new(Box::new(replay)), &mut test).unwrap();
    for seed in 0..20 {
        let explanation = explain(&case, &mut test, seed, 1000, &mut || true).unwrap().unwrap();
        let patterns: Vec<&str> = explanation.patterns.iter().map(|it| &*it.text).collect();
        assert_eq!(patterns, ["[]", "[_]"], "seed {seed}");
    }
}

/// What is drawn, and whether the failure needs it to be other than the simplest.
enum PieceShape {
    Leaf(Leaf, bool),
    Pair(Box<[PieceShape; 2]>),
    Named(Box<[PieceShape; 2]>),
}

#[derive(Clone, Copy)]
enum Leaf {
    Byte,
    Truth,
    Text,
    List,
    Option,
}

/// A drawn value: how it is shown, and whether it has all that the failure needs.
struct Drawn(String, bool);

impl fmt::Debug for Drawn {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl PieceShape {
    fn random(rng: &mut Rng, depth: u32) -> PieceShape {
        let kind = rng.below(if depth == 0 { 5 } else { 9 });
        let leaves = [Leaf::Byte, Leaf::Truth, Leaf::Text, Leaf::List, Leaf::Option];
        match leaves.get(kind as usize) {
            Some(leaf) => PieceShape::Leaf(*leaf, rng.below(3) == 0),
            None => {
                let both = Box::new([PieceShape::random(rng, depth - 1), PieceShape::random(rng, depth - 1)]);
                if kind.is_multiple_of(2) { PieceShape::Named(both) } else { PieceShape::Pair(both) }
            }
        }
    }

    fn draw(&self, src: &mut Source) -> Drawn {
        let leaf = |it: &dyn fmt::Debug, has_it: bool| Drawn(format!("{it:?}"), has_it);
        match self {
            PieceShape::Leaf(leaf_kind, matters) => {
                let Drawn(text, has_it) = match leaf_kind {
                    Leaf::Byte => Some(src.int(0u8, 255)).map(|it| leaf(&it, it >= 3)).unwrap(),
                    Leaf::Truth => Some(src.bool()).map(|it| leaf(&it, it)).unwrap(),
                    Leaf::Text => Some(String::generate(src)).map(|it| leaf(&it, !it.is_empty())).unwrap(),
                    Leaf::List => Some(<Vec<u8>>::generate(src)).map(|it| leaf(&it, !it.is_empty())).unwrap(),
                    Leaf::Option => {
                        Some(<Option<u32>>::generate(src)).map(|it| leaf(&it, it.is_some())).unwrap()
                    }
                };
                Drawn(text, has_it || !matters)
            }
            PieceShape::Pair(both) | PieceShape::Named(both) => {
                let [a, b] = [both[0].draw(src), both[1].draw(src)];
                Drawn(self.write(&a.0, &b.0), a.1 && b.1)
            }
        }
    }

    fn write(&self, a: &str, b: &str) -> String {
        match self {
            PieceShape::Named(_) => format!("N {{ a: {a}, b: {b} }}"),
            _ => format!("({a}, {b})"),
        }
    }

    /// The pattern that is true of the smallest failing input.
    fn truth(&self) -> String {
        match self {
            PieceShape::Leaf(_, false) => "_".to_string(),
            PieceShape::Leaf(Leaf::Byte, _) => "3".to_string(),
            PieceShape::Leaf(Leaf::Truth, _) => "true".to_string(),
            PieceShape::Leaf(Leaf::Text, _) => "\"_\"".to_string(),
            PieceShape::Leaf(Leaf::List, _) => "[_]".to_string(),
            PieceShape::Leaf(Leaf::Option, _) => "Some(_)".to_string(),
            PieceShape::Pair(both) | PieceShape::Named(both) => {
                match (self, both[0].truth(), both[1].truth()) {
                    (PieceShape::Pair(_), a, b) if a == "_" && b == "_" => "_".to_string(),
                    (_, a, b) => self.write(&a, &b),
                }
            }
        }
    }
}

/// Whether `text` is `pattern` with something in the place of each `_`.
fn covers(pattern: &str, text: &str) -> bool {
    let pieces: Vec<&str> = pattern.split('_').collect();
    let (Some((first, rest)), true) = (pieces.split_first(), pattern.contains('_')) else {
        return pattern == text;
    };
    let Some(mut text) = text.strip_prefix(first) else { return false };
    let (last, middle) = rest.split_last().expect("there is a `_`");
    for piece in middle {
        let at = text.char_indices().skip(1).map(|it| it.0).find(|&at| text[at..].starts_with(piece));
        let Some(at) = at else { return false };
        text = &text[at + piece.len()..];
    }
    text.len() > last.len() && text.ends_with(last)
}

#[test]
fn patterns_are_true_of_random_values() {
    let mut marked = 0;
    for seed in 0..100 {
        let mut rng = Rng::new(seed);
        let shape = PieceShape::random(&mut rng, 3);
        let mut test = |src: &mut Source| {
            if src.draw(|src: &mut Source| shape.draw(src)).1 {
                crate::fail_with_error(&"has all");
            }
        };
        let budget = Budget { cases: 20_000, rejects: 0, go_on: &mut |_| true, progress: Default::default() };
        let finding = search_random(seed, &mut test, budget).unwrap();
        let Some(found) = finding.failures.into_iter().next() else { continue };
        let case = shrink(found.case, &mut test, 10_000, &mut |_| true).unwrap().case;
        // What is run while explaining.
        let mut ran = Vec::new();
        let mut test = |src: &mut Source| {
            let drawn = src.draw(|src: &mut Source| shape.draw(src));
            ran.push((drawn.0.clone(), drawn.1));
            if drawn.1 {
                crate::fail_with_error(&"has all");
            }
        };
        let explanation = explain(&case, &mut test, seed, 10_000, &mut || true).unwrap();
        let truth = shape.truth();
        let text = explanation.map_or_else(|| ran[0].0.clone(), |it| it.patterns[0].text.clone());
        assert_eq!(text, truth, "seed {seed}");
        assert!(ran.iter().all(|it| it.1 || !covers(&text, &it.0)), "seed {seed}: {text} passes too");
        marked += u64::from(text.contains('_'));
    }
    assert!(marked > 60, "{marked}");
}

#[test]
fn what_varies_parts_conforms() {
    let mut source = Source::new(Box::new(crate::Random::at(1, 1)));
    let trace =
        run_case(&mut source, &mut |src: &mut Source| _ = src.any::<(bool, Vec<u8>)>()).unwrap().trace;
    let trace = std::rc::Rc::new(trace);
    for fill in [Fill::Random, Fill::Given(std::vec![Value::Int(7)])] {
        let parts = std::vec![(VariedPart::choice(0), fill.clone()), (VariedPart::choice(2), fill)];
        crate::conformance::check(|| Box::new(Vary::new(trace.clone(), parts.clone(), 1, 2)));
    }
}

#[test]
fn steps_are_marked_in_part_or_as_a_whole() {
    use crate::one_of;
    /// What a test does in one step, and what it knows of the steps before.
    type Step = fn(&mut Source, &mut Vec<u8>);
    fn push_or_clear(src: &mut Source, seen: &mut Vec<u8>) {
        one_of!(src, {
            push => { src.draw(0..200_u8); seen.push(1); }
            clear => seen.push(2),
            set => { src.draw_as("key", 0..4); src.draw(vec(0..9_u8, 1..3)); seen.push(3); }
        });
    }
    fn nested(src: &mut Source, seen: &mut Vec<u8>) {
        one_of!(src, { outer => {
            src.draw(0..9);
            push_or_clear(src, seen);
        } });
    }
    let check = |step: Step, wanted: &[u8], answers: &[Value], expected: &[&str]| {
        let mut test = |src: &mut Source| {
            let mut seen = Vec::new();
            for _ in 0..src.draw_as("steps", 1..=3_u8) {
                step(src, &mut seen);
            }
            // A step that is wanted as 0 may be any.
            if seen.iter().zip(wanted).all(|(a, b)| *b == 0 || a == b) && seen.len() == wanted.len() {
                crate::fail_with_error(&"as wanted");
            }
        };
        let replay = Replay::new(answers.to_vec(), Tail::Simplest);
        let case = run_case(&mut Source::new(Box::new(replay)), &mut test).unwrap();
        assert!(case.verdict.failure().is_some(), "{expected:?}");
        let explanation = explain(&case, &mut test, 7, 100_000, &mut || true).unwrap().unwrap();
        let patterns: Vec<&str> = explanation.patterns.iter().map(|it| &*it.text).collect();
        assert_eq!(patterns, expected);
    };
    let (int, pick, length) = (Value::Int, Value::Pick, Value::Length);
    check(push_or_clear, &[1, 2], &[int(2), pick(0), int(0), pick(1)], &["2", "push(_)", "clear"]);
    check(push_or_clear, &[0, 2], &[int(2), pick(0), int(0), pick(1)], &["2", "_", "clear"]);
    check(push_or_clear, &[2, 0], &[int(2), pick(1), pick(1)], &["2", "clear", "_"]);
    let set = [int(1), pick(2), int(0), length(1), int(0)];
    check(push_or_clear, &[3], &set, &["1", "set(key: _, _)"]);
    check(nested, &[2], &[int(1), pick(0), int(0), pick(1)], &["1", "outer(_, clear)"]);
}
