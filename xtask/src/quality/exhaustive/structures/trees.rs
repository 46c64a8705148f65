//! Trees and their invariants: each reads little before it says no.

use probity_core::{Combine, Generator, Lazy, Recursive, Source, any, from, lazy, recursive};

use super::Visit;

#[derive(Debug)]
pub(in super::super) enum Tree<T> {
    Leaf,
    Node { left: Lazy<Tree<T>>, item: T, right: Lazy<Tree<T>> },
}

fn trees<T: 'static>(item: impl Generator<Value = T> + 'static) -> Recursive<'static, Tree<T>> {
    recursive(
        |_: &mut Source| Tree::Leaf,
        |tree| {
            from((lazy(tree.clone()), item, lazy(tree))).map(|(left, item, right)| Tree::Node {
                left,
                item,
                right,
            })
        },
    )
}

/// Search trees of just the keys `1..=n`.
pub(in super::super) fn search_trees(n: u8) -> impl Combine<Value = Tree<Lazy<u8>>> {
    trees(lazy(1..=n)).such_that(move |it| is_search_tree(it, 0, n + 1))
}

pub(super) fn search_tree(n: u8) -> Visit {
    let trees = search_trees(n);
    Box::new(move |src| _ = src.draw(trees.by_ref()))
}

/// Whether the keys are those between `low` and `high`, each once and in order.
pub(in super::super) fn is_search_tree(tree: &Tree<Lazy<u8>>, low: u8, high: u8) -> bool {
    let is_empty = low + 1 == high;
    match tree {
        Tree::Leaf => is_empty,
        Tree::Node { left, item: key, right } => {
            !is_empty
                && low < **key
                && **key < high
                && is_search_tree(left, low, **key)
                && is_search_tree(right, **key, high)
        }
    }
}

pub(super) fn binary_tree(n: u8) -> Visit {
    let trees = trees(|_: &mut Source| ()).such_that(move |it| has_nodes(it, &mut n.clone(), 0));
    Box::new(move |src| _ = src.draw(trees.by_ref()))
}

/// Whether there are no more nodes than `wanted`, from which they are taken, and as many where no link is
/// `open`, that is, yet to be read elsewhere.
fn has_nodes(tree: &Tree<()>, wanted: &mut u8, open: u8) -> bool {
    match tree {
        Tree::Leaf => *wanted == 0 || open > 0,
        Tree::Node { left, right, .. } => {
            if *wanted == 0 {
                return false;
            }
            *wanted -= 1;
            has_nodes(left, wanted, open + 1) && has_nodes(right, wanted, open)
        }
    }
}

/// What a node of a red-black tree has.
#[derive(Debug)]
struct Colored {
    is_red: Lazy<bool>,
    key: Lazy<u8>,
}

fn red_black(n: u8, is_root_red: bool) -> Visit {
    let item = from((lazy(any::<bool>()), lazy(1..=n))).map(|(is_red, key)| Colored { is_red, key });
    let trees = trees(item)
        .such_that(move |it| black_height(it, (0, n + 1), !is_root_red, black_heights(n)).is_some());
    Box::new(move |src| _ = src.draw(trees.by_ref()))
}

pub(super) fn red_black_tree(n: u8) -> Visit {
    red_black(n, false)
}

pub(super) fn red_black_tree_of_any_root(n: u8) -> Visit {
    red_black(n, true)
}

/// The black nodes on every way down, where that is one number and one of the `wanted`, no red node is
/// below another, and the keys are those between `low` and `high`.
fn black_height(
    tree: &Tree<Colored>,
    (low, high): (u8, u8),
    is_below_red: bool,
    wanted: Heights,
) -> Option<u8> {
    let nodes = high - low - 1;
    match tree {
        Tree::Leaf => (nodes == 0 && wanted.0 == 0).then_some(0),
        Tree::Node { .. } if nodes == 0 => None,
        Tree::Node { left, item: Colored { is_red, key }, right } => {
            if **is_red && is_below_red {
                return None;
            }
            let own = u8::from(!**is_red);
            let below = (wanted.0.saturating_sub(own), wanted.1.checked_sub(own)?);
            let (left_nodes, right_nodes) = on_sides(**key, low, high)?;
            let below = both(below, both(black_heights(left_nodes), black_heights(right_nodes))?)?;
            let left = black_height(left, (low, **key), **is_red, below)?;
            let right = black_height(right, (**key, high), **is_red, (left, left))?;
            Some(right + own)
        }
    }
}

/// The least and the greatest height.
type Heights = (u8, u8);

fn both(a: Heights, b: Heights) -> Option<Heights> {
    let both = (a.0.max(b.0), a.1.min(b.1));
    (both.0 <= both.1).then_some(both)
}

/// How many keys there are on either side of `key`, if it is between the others.
fn on_sides(key: u8, low: u8, high: u8) -> Option<(u8, u8)> {
    (low < key && key < high).then(|| (key - low - 1, high - key - 1))
}

/// What a number of nodes allows: all black, or red wherever it may be.
fn black_heights(nodes: u8) -> Heights {
    let nodes = u32::from(nodes) + 1;
    (nodes.div_ceil(2).next_power_of_two().ilog2().div_ceil(2) as u8, nodes.ilog2() as u8)
}

pub(super) fn avl_tree(n: u8) -> Visit {
    let trees = trees(lazy(1..=n))
        .such_that(move |it| balanced_height(it, (0, n + 1), balanced_heights(n)).is_some());
    Box::new(move |src| _ = src.draw(trees.by_ref()))
}

/// The height, where it is one of the `wanted`, siblings' heights differ by no more than one and the keys
/// are those between `low` and `high`.
fn balanced_height(tree: &Tree<Lazy<u8>>, (low, high): (u8, u8), wanted: Heights) -> Option<u8> {
    let nodes = high - low - 1;
    match tree {
        Tree::Leaf => (nodes == 0 && wanted.0 == 0).then_some(0),
        Tree::Node { .. } if nodes == 0 => None,
        Tree::Node { left, item: key, right } => {
            let (left_nodes, right_nodes) = on_sides(**key, low, high)?;
            let most = wanted.1.checked_sub(1)?;
            let right_heights = balanced_heights(right_nodes);
            let near = (right_heights.0.saturating_sub(1), right_heights.1 + 1);
            let wanted_left =
                both((wanted.0.saturating_sub(2), most), both(balanced_heights(left_nodes), near)?)?;
            let left = balanced_height(left, (low, **key), wanted_left)?;
            let least = if left + 1 < wanted.0 { left + 1 } else { left.saturating_sub(1) };
            let wanted_right = both((least, most.min(left + 1)), right_heights)?;
            let right = balanced_height(right, (**key, high), wanted_right)?;
            Some(1 + left.max(right))
        }
    }
}

/// What a number of nodes allows: full, or as sparse as can be.
fn balanced_heights(nodes: u8) -> Heights {
    let (mut fewest, mut fewest_of_next, mut most) = (0, 1, 0);
    while fewest_of_next <= nodes {
        (fewest, fewest_of_next) = (fewest_of_next, 1 + fewest + fewest_of_next);
        most += 1;
    }
    ((u32::from(nodes) + 1).next_power_of_two().ilog2() as u8, most)
}

#[derive(Debug)]
enum Term {
    /// The binder it refers to, counted outwards.
    Variable(Lazy<u8>),
    Abstraction(Lazy<Term>),
    Application(Lazy<Term>, Lazy<Term>),
}

pub(super) fn lambda_term(n: u8) -> Visit {
    let terms = recursive(from(lazy(0..n)).map(Term::Variable), |term| {
        let term = lazy(term);
        move |src: &mut Source| match src.pick(2) {
            0 => Term::Abstraction(term.generate(src)),
            _ => Term::Application(term.generate(src), term.generate(src)),
        }
    });
    let terms = terms.such_that(move |it| is_closed(it, 0, &mut n.clone(), 0));
    Box::new(move |src| _ = src.draw(terms.by_ref()))
}

/// Whether variables are below as many binders as they say, and parts can be as many as are `wanted`, from
/// which they are taken, when each of the `open` subterms has at least one.
fn is_closed(term: &Term, binders: u8, wanted: &mut u8, open: u8) -> bool {
    let (fewest, is_last) = match term {
        Term::Variable(_) => (1, open == 0),
        Term::Abstraction(_) => (2, false),
        Term::Application(..) => (3, false),
    };
    if *wanted < fewest + open || is_last && *wanted != 1 {
        return false;
    }
    *wanted -= 1;
    match term {
        Term::Variable(index) => **index < binders,
        Term::Abstraction(body) => is_closed(body, binders + 1, wanted, open),
        Term::Application(left, right) => {
            is_closed(left, binders, wanted, open + 1) && is_closed(right, binders, wanted, open)
        }
    }
}
