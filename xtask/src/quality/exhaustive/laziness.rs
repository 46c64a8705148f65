//! What laziness saves: the same trees under the same invariant, read as far as it goes or drawn whole first.

use probity_core::{Combine, Generator, Lazy, Source, from, lazy};

use super::structures::{CATALAN, Tree, is_search_tree};
use super::{Visit, Visited, grouped, visit};
use crate::quality::table::Table;

/// The least that is to be saved at the greatest size.
const LEAST_RATIO: f64 = 20.0;
/// The greatest size at which whole trees are drawn: at 6 there are 6 million.
const DRAWN_MAX: u8 = 5;

pub(super) fn table() -> Table {
    let title = "candidates for search trees of n nodes with keys 1..=n: whole trees against lazy ones";
    let columns = ["n", "trees", "whole", "how counted", "lazy", "whole/lazy"];
    let mut table = Table::new(title, &columns);
    let mut before = 0.0_f64;
    for n in 3..=7 {
        let trees = CATALAN[usize::from(n)];
        let lazy = visit(&mut search_tree(n, false));
        let formula = trees * u64::from(n).pow(n.into());
        let drawn = (n <= DRAWN_MAX).then(|| visit(&mut search_tree(n, true)));
        let is_exact = |it: &Visited| it.all && it.structures == trees;
        let is_formula_right = drawn.as_ref().is_none_or(|it| is_exact(it) && it.candidates == formula);
        let ratio = formula as f64 / lazy.candidates as f64;
        let least = if n == 7 { before.max(LEAST_RATIO) } else { before };
        let cells = vec![
            n.to_string(),
            grouped(lazy.structures),
            grouped(drawn.as_ref().map_or(formula, |it| it.candidates)),
            if drawn.is_some() { "drawn" } else { "Catalan(n) n^n" }.to_string(),
            grouped(lazy.candidates),
            format!("{ratio:.1}"),
        ];
        let met = is_exact(&lazy) && is_formula_right && least < ratio;
        table.row(cells, format!("whole = {}, ratio > {least:.1}", grouped(formula)), Some(met));
        before = ratio;
    }
    table
}

fn search_tree(n: u8, is_whole: bool) -> Visit {
    let trees = from(Trees { nodes: n, keys: n })
        .such_that(move |it| (!is_whole || nodes(it) == n) && is_search_tree(it, 0, n + 1));
    Box::new(move |src| _ = src.draw(trees.by_ref()))
}

/// Trees of this many nodes, with any keys of `1..=keys`.
struct Trees {
    nodes: u8,
    keys: u8,
}

impl Generator for Trees {
    type Value = Tree<Lazy<u8>>;

    fn generate(&self, src: &mut Source) -> Self::Value {
        let Some(below) = self.nodes.checked_sub(1) else { return Tree::Leaf };
        let left = src.pick(self.nodes.into()) as u8;
        let part = |nodes: u8| lazy(Trees { nodes, keys: self.keys });
        Tree::Node {
            left: part(left).generate(src),
            item: lazy(1..=self.keys).generate(src),
            right: part(below - left).generate(src),
        }
    }
}

/// Reads everything.
fn nodes(tree: &Tree<Lazy<u8>>) -> u8 {
    match tree {
        Tree::Leaf => 0,
        Tree::Node { left, item: key, right } => u8::from(**key > 0) + nodes(left) + nodes(right),
    }
}
