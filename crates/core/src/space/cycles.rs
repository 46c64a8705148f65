//! Which types contain each other, by their descriptions: a type that names only another one may contain itself all
//! the same.

use std::any::type_name;

use super::describe::{Part, SpaceNode, Spaces};
use super::graph::inner;
use crate::Generate;

/// How a type contains itself.
#[derive(Debug, Default)]
pub(crate) struct Cycle {
    /// Whether it does.
    pub(crate) is_one: bool,
    /// The variants, by bit, that lead back to the type, where it is an enum.
    pub(crate) variants: u64,
    /// Types between it and itself that do not come back to themselves but through it.
    between: Vec<&'static str>,
}

/// The cycles of the types that a source was asked for.
#[derive(Debug, Default)]
pub(crate) struct Cycles(Vec<KnownCycle>);

#[derive(Debug)]
struct KnownCycle {
    name: &'static str,
    /// Types of two blocks of one function may share a name.
    describe: fn(&mut Spaces) -> Part,
    cycle: Cycle,
}

/// A type, as it is looked up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TypeKey {
    name: &'static str,
    describe: fn(&mut Spaces) -> Part,
}

impl TypeKey {
    pub(crate) fn of<T: Generate>() -> TypeKey {
        TypeKey { name: type_name::<T>(), describe: T::space }
    }
}

impl Cycles {
    pub(crate) const fn new() -> Self {
        Cycles(Vec::new())
    }

    /// The number of a type here.
    pub(crate) fn find(&mut self, key: TypeKey) -> usize {
        let TypeKey { name, describe } = key;
        let is_it = |it: &KnownCycle| std::ptr::fn_addr_eq(it.describe, describe) && it.name == name;
        self.0.iter().position(is_it).unwrap_or_else(|| {
            self.0.push(KnownCycle { name, describe, cycle: Cycle::new(key) });
            self.0.len() - 1
        })
    }

    pub(crate) fn get(&self, number: usize) -> &Cycle {
        &self.0[number].cycle
    }

    /// Whether the second type is between the first and itself, and comes back to itself only through it.
    pub(crate) fn is_between(&self, around: usize, number: usize) -> bool {
        self.0[around].cycle.between.contains(&self.0[number].name)
    }
}

impl Cycle {
    fn new(key: TypeKey) -> Cycle {
        let mut spaces = Spaces::new();
        (key.describe)(&mut spaces);
        let nodes = &spaces.nodes;
        let is_type = |it: &SpaceNode| matches!(it, SpaceNode::Link { name, .. } if *name == key.name);
        let Some(this) = nodes.iter().position(is_type) else { return Cycle::default() };
        let below = reached(nodes, this, None);
        if !below[this] {
            return Cycle::default();
        }
        let leads_back = |at: usize| at == this || reached(nodes, at, None)[this];
        let is_between = |at: usize| at != this && leads_back(at) && !reached(nodes, at, Some(this))[at];
        let between =
            (0..nodes.len()).filter(|&at| below[at] && is_between(at)).filter_map(|at| match nodes[at] {
                SpaceNode::Link { name, .. } => Some(name),
                _ => None,
            });
        let variants = variants(nodes, this).iter().take(64).enumerate();
        Cycle {
            is_one: true,
            between: between.collect(),
            variants: variants.map(|(i, it)| u64::from(leads_back(it.0 as usize)) << i).sum(),
        }
    }
}

/// The parts that follow the first pick of a type.
fn variants(nodes: &[SpaceNode], mut at: usize) -> &[Part] {
    for _ in 0..nodes.len() {
        match &nodes[at] {
            SpaceNode::Link { to, .. } | SpaceNode::Group(to) => at = to.0 as usize,
            SpaceNode::Either(_, parts) => return parts,
            _ => break,
        }
    }
    &[]
}

/// What is in a node; the node itself only where it contains itself. Nothing is looked for in `without`.
fn reached(nodes: &[SpaceNode], from: usize, without: Option<usize>) -> Vec<bool> {
    let mut res = vec![false; nodes.len()];
    let mut open = vec![from];
    while let Some(at) = open.pop() {
        for it in inner(&nodes[at]) {
            let it = it.0 as usize;
            if Some(it) != without && !std::mem::replace(&mut res[it], true) {
                open.push(it);
            }
        }
    }
    res
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Source;

    /// Types by what they contain; none of them is drawn.
    macro_rules! types {
        ($($name:ident { $($variant:ty),* })*) => {$(
            #[derive(Debug)]
            struct $name;

            impl Generate for $name {
                fn generate(_: &mut Source) -> Self {
                    unreachable!("it is only described")
                }

                fn space(spaces: &mut Spaces) -> Part {
                    spaces.named(type_name::<Self>(), |spaces| {
                        let parts = [$(<$variant>::space(spaces)),*];
                        let value = spaces.pick(&parts);
                        spaces.group(value)
                    })
                }
            }
        )*};
    }

    types! {
        Leaf { u8, String }
        Itself { u8, Box<Itself>, Vec<Itself> }
        Folder { Vec<Entry> }
        Entry { u32, Option<Folder>, Leaf }
        First { Leaf, (u8, Second) }
        Second { [Third; 2], bool }
        Third { Box<First>, Leaf }
        Block { Vec<Statement> }
        Statement { Expression, Leaf }
        Expression { u8, Box<Expression>, Block }
        Around { Leaf, Folder }
    }

    #[test]
    fn types_that_contain_each_other_are_found() {
        fn check<T: Generate>(variants: u64, between: &[&str]) {
            let cycle = Cycle::new(TypeKey::of::<T>());
            let name = type_name::<T>();
            assert_eq!((cycle.is_one, cycle.variants), (variants > 0, variants), "{name}");
            let found: Vec<_> = cycle.between.iter().map(|it| it.rsplit("::").next().unwrap()).collect();
            assert_eq!(found, between, "{name}");
        }
        check::<Leaf>(0, &[]);
        check::<Itself>(0b110, &[]);
        check::<Folder>(0b1, &["Entry"]);
        check::<Entry>(0b10, &["Folder"]);
        check::<First>(0b10, &["Second", "Third"]);
        check::<Third>(0b1, &["First", "Second"]);
        check::<Block>(0b1, &["Statement"]);
        check::<Statement>(0b1, &["Block"]);
        check::<Expression>(0b110, &["Block", "Statement"]);
        check::<Around>(0, &[]);
    }
}
