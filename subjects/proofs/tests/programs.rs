//! Programs that are proved. The line `//=` says for which inputs, and in how many seconds.

use probity::prelude::*;

//= every input, 1 s
#[probity::test]
fn sorted_insert(#[from(vec(any::<i32>(), 0..=5))] xs: Vec<i32>, x: i32) {
    assume!(xs.is_sorted());
    let mut out = xs.clone();
    out.insert(out.partition_point(|it| *it < x), x);
    assert!(out.is_sorted());
}

//= every input, 10 s
#[probity::test(time = "30s")]
fn average(#[from(vec((1..=20i64, 0..100i64), 0..=3))] marks: Vec<(i64, i64)>) {
    let weights = marks.iter().map(|it| it.0).sum::<i64>();
    let sum = marks.iter().map(|it| it.0 * it.1).sum::<i64>();
    let out = if marks.is_empty() { 0 } else { sum / weights };
    assert!((0..100).contains(&out));
}

//= every input, 10 s
#[probity::test(time = "30s")]
fn rescale(#[from(1..=1000i64)] r1: i64, #[from(1..=1000i64)] r2: i64, #[from(0..r1)] s: i64) {
    let out = s * (r2 / r1);
    assert!(0 <= out && out < r2);
}

//= every input, 10 s
#[probity::test]
fn binary_search(#[from(vec(any::<i32>(), 0..=6))] xs: Vec<i32>, x: i32) {
    assume!(xs.is_sorted());
    let (mut low, mut high) = (0, xs.len());
    while low < high {
        let middle = low + (high - low) / 2;
        if xs[middle] < x { low = middle + 1 } else { high = middle }
    }
    assert!(xs[..low].iter().all(|it| *it < x) && xs[low..].iter().all(|it| *it >= x));
}

//= every input, 10 s
#[probity::test]
fn saturating_arithmetic(a: i32, b: i32) {
    let sum = match a.overflowing_add(b) {
        (it, false) => it,
        (_, true) if b < 0 => i32::MIN,
        (_, true) => i32::MAX,
    };
    let exact = i64::from(a) + i64::from(b);
    assert_eq!(i64::from(sum), exact.clamp(i64::from(i32::MIN), i64::from(i32::MAX)));
}

/// The lengths of characters by their first byte.
static LENGTHS: [u8; 256] = {
    let mut res = [0; 256];
    let mut at = 0;
    while at < 256 {
        res[at] = match at {
            0..0x80 => 1,
            0xc2..0xe0 => 2,
            0xe0..0xf0 => 3,
            0xf0..0xf5 => 4,
            _ => 0,
        };
        at += 1;
    }
    res
};

//= every input, 10 s
#[probity::test]
fn utf8_table(c: char) {
    let mut bytes = [0; 4];
    let length = c.encode_utf8(&mut bytes).len();
    assert_eq!(usize::from(LENGTHS[usize::from(bytes[0])]), length);
}

//= every input, 10 s
#[probity::test]
fn fixed_point(a: i16, b: i16) {
    let product = (i32::from(a) * i32::from(b)) >> 8;
    let exact = i64::from(a) * i64::from(b);
    assert!(i64::from(product) * 256 <= exact && exact - i64::from(product) * 256 < 256);
}

/// A queue in an array.
#[derive(Default)]
struct Ring {
    items: [u8; 4],
    start: usize,
    len: usize,
}

impl Ring {
    fn push(&mut self, it: u8) -> bool {
        if self.len == self.items.len() {
            return false;
        }
        self.items[(self.start + self.len) % self.items.len()] = it;
        self.len += 1;
        true
    }

    fn pop(&mut self) -> Option<u8> {
        if self.len == 0 {
            return None;
        }
        let it = self.items[self.start];
        self.start = (self.start + 1) % self.items.len();
        self.len -= 1;
        Some(it)
    }
}

//= up to 14 choices, 20 s
#[probity::test(time = "20s", prove = 14)]
fn ring_buffer(#[from(vec(any::<Option<u8>>(), 0..))] calls: Vec<Option<u8>>) {
    let (mut ring, mut model) = (Ring::default(), std::collections::VecDeque::new());
    for call in calls {
        match call {
            Some(it) => {
                let fits = model.len() < 4;
                assert_eq!(ring.push(it), fits);
                if fits {
                    model.push_back(it);
                }
            }
            None => assert_eq!(ring.pop(), model.pop_front()),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Color {
    Red,
    Black,
}

use Color::{Black, Red};

type Tree = Option<Box<Node>>;

#[derive(Clone, Debug)]
struct Node {
    color: Color,
    key: i64,
    left: Tree,
    right: Tree,
}

fn node(color: Color, left: Tree, key: i64, right: Tree) -> Box<Node> {
    Box::new(Node { color, key, left, right })
}

fn is_red(tree: &Tree) -> bool {
    tree.as_ref().is_some_and(|it| it.color == Red)
}

fn insert(tree: Tree, key: i64) -> Tree {
    let mut root = inserted(tree, key);
    root.color = Black;
    Some(root)
}

fn inserted(tree: Tree, key: i64) -> Box<Node> {
    let Some(mut it) = tree else { return node(Red, None, key, None) };
    if key < it.key {
        it.left = Some(inserted(it.left, key));
    } else if key > it.key {
        it.right = Some(inserted(it.right, key));
    }
    balanced(it)
}

/// No red node is the child of a red one.
fn balanced(it: Box<Node>) -> Box<Node> {
    if it.color == Red {
        return it;
    }
    let Node { color, key, left, right } = *it;
    let has_red = |tree: &Tree, of: fn(&Node) -> &Tree| is_red(tree) && is_red(of(tree.as_ref().unwrap()));
    let (left_of, right_of): (fn(&Node) -> &Tree, fn(&Node) -> &Tree) = (|it| &it.left, |it| &it.right);
    let parts = if has_red(&left, left_of) {
        let upper = *left.unwrap();
        let lower = *upper.left.unwrap();
        (lower.left, lower.key, lower.right, upper.key, upper.right, key, right)
    } else if has_red(&left, right_of) {
        let upper = *left.unwrap();
        let lower = *upper.right.unwrap();
        (upper.left, upper.key, lower.left, lower.key, lower.right, key, right)
    } else if has_red(&right, left_of) {
        let upper = *right.unwrap();
        let lower = *upper.left.unwrap();
        (left, key, lower.left, lower.key, lower.right, upper.key, upper.right)
    } else if has_red(&right, right_of) {
        let upper = *right.unwrap();
        let lower = *upper.right.unwrap();
        (left, key, upper.left, upper.key, lower.left, lower.key, lower.right)
    } else {
        return node(color, left, key, right);
    };
    let (a, x, b, y, c, z, d) = parts;
    node(Red, Some(node(Black, a, x, b)), y, Some(node(Black, c, z, d)))
}

fn black_height(tree: &Tree) -> Option<u32> {
    let Some(it) = tree else { return Some(0) };
    let (left, right) = (black_height(&it.left)?, black_height(&it.right)?);
    (left == right).then_some(left + u32::from(it.color == Black))
}

/// Whether keys lie between two others and no red node has a red child.
fn is_in_order(tree: &Tree, above: i64, below: i64, parent: Color) -> bool {
    let Some(it) = tree else { return true };
    above < it.key
        && it.key < below
        && (parent, it.color) != (Red, Red)
        && is_in_order(&it.left, above, it.key, it.color)
        && is_in_order(&it.right, it.key, below, it.color)
}

fn is_valid(tree: &Tree) -> bool {
    is_in_order(tree, i64::MIN, i64::MAX, Red) && black_height(tree).is_some()
}

/// A tree with keys between two others, of a black height and at most so deep.
fn tree(src: &mut Source, above: i64, below: i64, black: u32, depth: u32, parent: Color) -> Tree {
    let room = depth > 0 && below - above > 1;
    let mut kinds = Vec::new();
    if black == 0 {
        kinds.push(None);
    }
    if black > 0 && room {
        kinds.push(Some(Black));
    }
    if parent == Black && room && black < depth {
        kinds.push(Some(Red));
    }
    assume!(!kinds.is_empty());
    let color = src.draw(&kinds[..])?;
    let rest = black - u32::from(color == Black);
    // The fewest keys of a tree of that black height.
    let least = (1_i64 << rest) - 1;
    assume!(below - above - 1 > 2 * least);
    let key = src.draw(above + 1 + least..=below - 1 - least);
    let left = tree(src, above, key, rest, depth - 1, color);
    let right = tree(src, key, below, rest, depth - 1, color);
    Some(Box::new(Node { color, key, left, right }))
}

//= every input, 15 s
#[probity::test(time = "40s")]
fn red_black_insert(#[from(-3..=3_i64)] key: i64, #[from(|src: &mut Source| {
    let black = src.draw(0..=2_u32);
    tree(src, -4, 4, black, 3, Red)
})] tree: Tree) {
    assert!(is_valid(&tree));
    assert!(is_valid(&insert(tree, key)));
}
