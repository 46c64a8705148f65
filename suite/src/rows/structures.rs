//! Conditions on structures and collections.

use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, HashMap};
use std::hash::BuildHasherDefault;

use probity::Source;
use probity::prelude::*;

use crate::answers::answers;
use crate::{Group, Row};

pub(super) const ROWS: &[Row] = &[
    Row::fails(Group::Puzzle, "nested struct compare", "struct_equal", struct_equal, || {
        answers().ints([65_535, -7]).pick(1).int(77).int(12).int(200).done()
    })
    .only(),
    Row::fails(Group::Puzzle, "nested struct compare", "struct_variant", struct_variant, || {
        answers().pick(2).int(640).int(480).pick(1).text("px").done()
    })
    .only(),
    Row::fails(Group::Puzzle, "tree shape + key", "tree_zigzag", tree_zigzag, || {
        answers().list(&[10, 90, 20, 80, 42]).done()
    }),
    Row::fails(Group::Puzzle, "tree shape + key", "tree_arena", tree_arena, || {
        answers().ints([900, 100, 800, 200, 555]).done()
    }),
    Row::fails(Group::Puzzle, "BTreeMap", "btree_get", btree_get, || {
        answers().length(3).ints([40_000, 7, 5, 1, 60_000, 9]).done()
    }),
    Row::fails(Group::Puzzle, "BTreeMap", "btree_range", btree_range, || {
        answers().ints([1000, 1001, 1003, 1007, 5, 6]).done()
    }),
    // Std's own `RandomState` differs from run to run, so that nothing could be replayed; its hash does not.
    Row::fails(Group::Puzzle, "HashMap by string key", "hash_text", hash_text, || {
        answers().length(2).text("ab").int(1).text("port").int(8080).done()
    }),
    Row::fails(Group::Puzzle, "HashMap by string key", "hash_fixed", hash_fixed, || {
        answers().text("gamma").int(3).done()
    })
    .only(),
];

/// A `HashMap` with SipHash-1-3 and fixed keys.
type Table<K, V> = HashMap<K, V, BuildHasherDefault<DefaultHasher>>;

#[derive(Debug, PartialEq, Generate)]
struct Inner {
    deep: Option<Innermost>,
    last: u8,
}

#[derive(Debug, PartialEq, Generate)]
struct Innermost {
    a: u32,
    b: u16,
}

#[derive(Debug, PartialEq, Generate)]
struct Outer {
    id: u16,
    level: i64,
    inner: Inner,
}

fn struct_equal(src: &mut Source) {
    let it: Outer = src.any();
    let wanted = Inner { deep: Some(Innermost { a: 77, b: 12 }), last: 200 };
    assert!(it != Outer { id: 65_535, level: -7, inner: wanted });
}

#[derive(Debug, PartialEq, Generate)]
enum Shape {
    Point,
    Line(u32),
    Area { width: u32, height: u32, unit: Option<String> },
}

fn struct_variant(src: &mut Source) {
    let it: Shape = src.any();
    assert!(it != Shape::Point || it != Shape::Line(1));
    assert!(it != Shape::Area { width: 640, height: 480, unit: Some("px".to_string()) });
}

#[derive(Default)]
struct TreeNode {
    key: i32,
    left: Option<Box<TreeNode>>,
    right: Option<Box<TreeNode>>,
}

fn insert(place: &mut Option<Box<TreeNode>>, key: i32) {
    match place {
        None => *place = Some(Box::new(TreeNode { key, ..TreeNode::default() })),
        Some(node) if key < node.key => insert(&mut node.left, key),
        Some(node) if key > node.key => insert(&mut node.right, key),
        Some(_) => {}
    }
}

fn tree_zigzag(src: &mut Source) {
    let keys: Vec<i32> = src.draw(vec(0..1000, 0..=6));
    let mut root = None;
    keys.iter().for_each(|it| insert(&mut root, *it));
    // Right, left, right, left, and nothing else.
    let mut place = &root;
    for right in [true, false, true, false] {
        let Some(node) = place else { return };
        let (next, other) = if right { (&node.right, &node.left) } else { (&node.left, &node.right) };
        if other.is_some() {
            return;
        }
        place = next;
    }
    assert!(place.as_ref().is_none_or(|it| it.key != 42));
}

fn tree_arena(src: &mut Source) {
    let keys: Vec<u32> = src.draw(vec(any(), 5));
    // Key, and where the lesser and the greater ones are.
    let mut nodes = vec![(keys[0], [usize::MAX; 2])];
    for &key in &keys[1..] {
        let mut at = 0;
        loop {
            let side = usize::from(key > nodes[at].0);
            match nodes[at].1[side] {
                usize::MAX => break nodes[at].1[side] = nodes.len(),
                next => at = next,
            }
        }
        nodes.push((key, [usize::MAX; 2]));
    }
    let mut at = 0;
    for side in [0, 1, 0, 1] {
        at = nodes[at].1[side];
        if at == usize::MAX {
            return;
        }
    }
    assert!(nodes[at].0 != 555);
}

fn btree_get(src: &mut Source) {
    let entries: Vec<(u16, u8)> = src.draw(vec(any(), 0..=8));
    let map: BTreeMap<u16, u8> = entries.into_iter().collect();
    assert!(!(map.len() >= 3 && map.get(&40_000) == Some(&7) && map.contains_key(&60_000)));
}

fn btree_range(src: &mut Source) {
    let keys: Vec<u32> = src.draw(vec(any(), 6));
    let mut map = BTreeMap::new();
    for key in keys {
        *map.entry(key).or_insert(0) += 1;
    }
    let near: Vec<u32> = map.range(1000..1010).map(|it| it.0 - 1000).collect();
    assert!(near != [0, 1, 3, 7]);
}

fn hash_text(src: &mut Source) {
    let entries: Vec<(String, u16)> = src.draw(vec((string('a'..='z', 0..=6), any()), 0..=4));
    let map: Table<String, u16> = entries.into_iter().collect();
    assert!(!(map.len() == 2 && map.get("port") == Some(&8080)));
}

fn hash_fixed(src: &mut Source) {
    let names = ["alpha", "beta", "gamma", "delta", "epsilon"];
    let table: Table<String, u32> = (0..).zip(names).map(|(i, name)| (name.to_string(), i * 7 + 3)).collect();
    let (name, times): (String, u32) = src.any();
    if let Some(n) = table.get(&name) {
        assert!(!(*n == 17 && times.wrapping_mul(*n) == 51));
    }
}
