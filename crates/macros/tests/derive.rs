//! Draws values of derived types.
#![allow(dead_code)]

extern crate probity_core as probity;

use std::marker::PhantomData;

use probity::{Generate, any, sample, vec};
use probity_macros::Generate;

#[derive(Debug, Generate)]
struct Unit;

#[derive(Debug, PartialEq, Generate)]
enum Color {
    Red,
    #[weight(3)]
    Green,
    #[skip]
    Infrared,
    #[weight(0)]
    Blue,
}

#[derive(Debug, Generate)]
struct Tuple(u8, #[from(10..20)] i32, #[skip] String);

#[derive(Debug, Generate)]
struct Named {
    max: u8,
    #[from(0..=max)]
    min: u8,
    #[from(vec(any::<Color>(), 0..=usize::from(min)))]
    source: Vec<Color>,
    r#type: bool,
}

#[derive(Debug, Generate)]
enum Tree<T> {
    Node(Box<Tree<T>>, Box<Self>),
    Leaf { value: T },
    Many(Vec<Tree<T>>),
}

#[derive(Debug, Generate)]
struct Chain {
    next: Option<Box<Chain>>,
}

#[derive(Debug, Generate)]
struct Bounds<T: Clone, U, V, const N: usize = 3>
where
    U: Copy,
{
    items: Vec<T>,
    #[from(0..=N)]
    n: usize,
    #[skip]
    unused: (U, Option<V>),
    #[skip]
    marker: PhantomData<V>,
}

#[derive(Debug, Generate)]
#[probity(crate = crate::probity)]
enum Only {
    One(#[skip] u8),
}

fn leaves<T>(tree: &Tree<T>) -> usize {
    match tree {
        Tree::Node(a, b) => leaves(a) + leaves(b),
        Tree::Leaf { .. } => 1,
        Tree::Many(all) => all.iter().map(leaves).sum(),
    }
}

fn check<T: Generate>(mut law: impl FnMut(T) -> bool) {
    for seed in 0..200 {
        assert!(law(sample(&any(), seed)), "{} of seed {seed}", std::any::type_name::<T>());
    }
}

#[test]
fn values_keep_what_their_type_says() {
    check(|Unit| true);
    check(|Tuple(_, b, c)| (10..20).contains(&b) && c.is_empty());
    check(|it: Named| it.min <= it.max && it.source.len() <= usize::from(it.min));
    check(|it: Bounds<u8, i64, Unit, 4>| it.n <= 4 && it.unused.0 == 0 && it.unused.1.is_none());
    check(|Only::One(it)| it == 0);
}

#[test]
fn recursive_values_end() {
    let mut most = 0;
    check(|tree: Tree<u8>| {
        most = most.max(leaves(&tree));
        leaves(&tree) < 1_000
    });
    assert!(most > 20, "trees grow, but the greatest of them has {most} leaves");
    check(|_: Chain| true);
}

#[test]
fn variants_come_as_their_weights_say() {
    let (mut red, mut green) = (0, 0);
    check(|color| match color {
        Color::Red => {
            red += 1;
            true
        }
        Color::Green => {
            green += 1;
            true
        }
        Color::Infrared | Color::Blue => false,
    });
    assert!(red > 20 && green > 2 * red, "{red} red, {green} green");
}
