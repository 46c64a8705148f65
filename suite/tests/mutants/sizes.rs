//! Tests that fail at one depth or length only, where the fault 1 is planted.

use std::collections::{BTreeMap, HashMap, HashSet};

use probity::prelude::*;

use crate::is_planted;

const DEPTH: usize = 12;
const LEN: usize = 256;

#[derive(Clone, Debug, Generate)]
struct Chain {
    item: u8,
    next: Option<Box<Chain>>,
}

impl Chain {
    fn depth(&self) -> usize {
        1 + self.next.as_ref().map_or(0, |it| it.depth())
    }
}

#[derive(Clone, Debug, Generate)]
enum List {
    End,
    More(i32, Box<List>),
}

impl List {
    fn depth(&self) -> usize {
        match self {
            List::End => 0,
            List::More(_, rest) => 1 + rest.depth(),
        }
    }
}

#[derive(Clone, Debug, Generate)]
struct Rose {
    name: u16,
    children: Vec<Rose>,
}

impl Rose {
    fn depth(&self) -> usize {
        1 + self.children.iter().map(Rose::depth).max().unwrap_or(0)
    }
}

#[derive(Clone, Debug, Generate)]
enum Term {
    Number(i64),
    Name(String),
    Negated(Box<Term>),
    Sum(Box<Term>, Box<Term>),
    If { condition: Box<Term>, then: Box<Term>, other: Option<Box<Term>> },
}

impl Term {
    fn depth(&self) -> usize {
        1 + match self {
            Term::Number(_) | Term::Name(_) => 0,
            Term::Negated(it) => it.depth(),
            Term::Sum(a, b) => a.depth().max(b.depth()),
            Term::If { condition, then, other } => {
                let other = other.as_ref().map_or(0, |it| it.depth());
                condition.depth().max(then.depth()).max(other)
            }
        }
    }
}

#[derive(Clone, Debug, Generate)]
struct Folder {
    files: HashMap<u8, Entry>,
}

#[derive(Clone, Debug, Generate)]
enum Entry {
    File(u32),
    Folder(Folder),
}

impl Folder {
    fn depth(&self) -> usize {
        let depth = |it: &Entry| match it {
            Entry::File(_) => 0,
            Entry::Folder(it) => it.depth(),
        };
        1 + self.files.values().map(depth).max().unwrap_or(0)
    }
}

/// Three types in a circle, of which the first in the test is the second here.
#[derive(Clone, Debug, Generate)]
struct Block {
    body: Vec<Statement>,
}

#[derive(Clone, Debug, Generate)]
enum Statement {
    Loop { times: u8, body: Block },
    Value(Expression),
    Break,
}

#[derive(Clone, Debug, Generate)]
enum Expression {
    Block(Option<Block>),
    Number(i64),
}

impl Block {
    fn depth(&self) -> usize {
        1 + self.body.iter().map(Statement::depth).max().unwrap_or(0)
    }
}

impl Statement {
    fn depth(&self) -> usize {
        match self {
            Statement::Loop { body, .. } => body.depth(),
            Statement::Value(Expression::Block(it)) => it.as_ref().map_or(0, Block::depth),
            Statement::Value(Expression::Number(_)) | Statement::Break => 0,
        }
    }
}

/// A pair contains two of what contains it: without a budget, most would have no end.
#[derive(Clone, Debug, Generate)]
enum Shape<T> {
    Pair(Box<Pair<T>>),
    Group(Box<Pair<T>>, Box<Pair<T>>),
    Leaf(T),
}

#[derive(Clone, Debug, Generate)]
struct Pair<T> {
    #[from(any::<Vec<Shape<T>>>())]
    first: Vec<Shape<T>>,
    second: Option<Shape<T>>,
}

impl<T> Shape<T> {
    fn depth(&self) -> usize {
        1 + match self {
            Shape::Pair(it) => it.depth(),
            Shape::Group(a, b) => a.depth().max(b.depth()),
            Shape::Leaf(_) => 0,
        }
    }
}

impl<T> Pair<T> {
    fn depth(&self) -> usize {
        self.first.iter().chain(&self.second).map(Shape::depth).max().unwrap_or(0)
    }
}

/// Fails where it is exactly this.
fn check(found: usize, planted: usize) {
    assert!(found != planted || !is_planted(1));
}

#[probity::test]
fn depth_of_a_chain(it: Chain) {
    check(it.depth(), DEPTH);
}

#[probity::test]
fn depth_of_a_list(it: List) {
    check(it.depth(), DEPTH);
}

#[probity::test]
fn depth_of_a_rose_tree(it: Rose) {
    check(it.depth(), DEPTH);
}

#[probity::test]
fn depth_of_a_term(it: Term) {
    check(it.depth(), DEPTH);
}

#[probity::test]
fn depth_of_folders(it: Folder) {
    check(it.depth(), DEPTH);
}

#[probity::test]
fn depth_of_entries(it: Vec<Entry>) {
    let depth = |it: &Entry| match it {
        Entry::File(_) => 0,
        Entry::Folder(it) => it.depth(),
    };
    check(it.iter().map(depth).max().unwrap_or(0), DEPTH);
}

#[probity::test]
fn depth_of_blocks(it: Block) {
    check(it.depth(), DEPTH);
}

#[probity::test]
fn depth_of_statements(it: Statement) {
    check(it.depth(), DEPTH);
}

#[probity::test]
fn depth_of_shapes(it: Shape<u8>) {
    check(it.depth(), DEPTH);
}

#[probity::test]
fn depth_of_pairs(_first: bool, it: Pair<String>) {
    check(it.depth(), DEPTH);
}

#[probity::test]
fn depth_of_the_second(_first: u32, it: (bool, Rose)) {
    check(it.1.depth(), DEPTH);
}

#[probity::test]
fn chars_of_a_text(it: String) {
    check(it.chars().count(), LEN);
}

#[probity::test]
fn length_of_bytes(it: Vec<u8>) {
    check(it.len(), LEN);
}

#[probity::test]
fn length_of_numbers(it: Vec<i64>) {
    check(it.len(), LEN);
}

#[probity::test]
fn length_of_texts(it: Vec<String>) {
    check(it.len(), LEN);
}

#[probity::test]
fn length_of_the_second(_first: String, it: Vec<u16>) {
    check(it.len(), LEN);
}

#[probity::test]
fn size_of_a_map(it: HashMap<u32, u8>) {
    check(it.len(), LEN);
}

#[probity::test]
fn size_of_a_sorted_map(it: BTreeMap<String, i32>) {
    check(it.len(), LEN);
}

#[probity::test]
fn size_of_a_set(it: HashSet<u64>) {
    check(it.len(), LEN);
}
