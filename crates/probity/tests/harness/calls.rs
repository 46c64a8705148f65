//! Tables of calls: what is found, and what is reported.
#![allow(unreachable_pub, reason = "only public methods are called")]

use std::collections::{BTreeMap, BTreeSet, BinaryHeap, VecDeque};

use probity::prelude::*;

use crate::support::run;

api! { vec_deque(cases = 300): VecDeque<u8> {
    fn new() -> Self;
    fn with_capacity(n: usize) -> Self;
    fn push_back(&mut self, it: u8);
    fn push_front(&mut self, it: u8);
    fn pop_front(&mut self) -> Option<u8>;
    fn append(&mut self, other: &mut Self);
    fn iter(&self) -> std::collections::vec_deque::Iter<'_, u8>;
    fn make_contiguous(&mut self) -> &mut [u8];
    fn swap(&mut self, i: usize, j: usize), panics if i.max(j) >= self.len();
    fn split_off(&mut self, at: usize) -> Self, panics if at > self.len();
    fn rotate_left(&mut self, n: usize), panics if n > self.len();
    fn clone(&self) -> Self;
} }

api! { btree_map(cases = 300): BTreeMap<u8, String> {
    fn new() -> Self;
    fn insert(&mut self, key: u8, value: String) -> Option<String>;
    fn remove(&mut self, key: &u8) -> Option<String>;
    fn get(&self, key: &u8) -> Option<&String>;
    fn append(&mut self, other: &mut Self);
    fn split_off(&mut self, key: &u8) -> Self;
    fn into_values(self) -> std::collections::btree_map::IntoValues<u8, String>;
} }

api! { btree_set(cases = 300): BTreeSet<u8> {
    fn new() -> Self;
    fn insert(&mut self, it: u8) -> bool;
    fn union<'a>(&'a self, other: &'a Self) -> std::collections::btree_set::Union<'a, u8>;
} }

api! { heap(cases = 300): BinaryHeap<u8> {
    fn new() -> Self;
    fn push(&mut self, it: u8);
    fn pop(&mut self) -> Option<u8>;
    fn drain(&mut self) -> std::collections::binary_heap::Drain<'_, u8>;
} }

/// Handles are made by one call and taken by another.
#[derive(Debug, Default)]
struct Slots(Vec<Option<u8>>);

#[derive(Debug)]
struct Handle(usize);

#[probity::api(cases = 300)]
impl Slots {
    pub fn new() -> Self {
        Slots::default()
    }

    pub fn put(&mut self, it: u8) -> Handle {
        self.0.push(Some(it));
        Handle(self.0.len() - 1)
    }

    /// Handles of other slots have no place here.
    pub fn free(&mut self, handle: Handle) -> Option<u8> {
        self.0[handle.0].take()
    }
}

#[test]
fn a_sequence_that_fails_is_a_test_to_paste() {
    let code = "#[test]\nfn deque_fails() {\n    let mut deque0 = <VecDeque<u8>>::new();\n    deque0.split_off(1);\n}\n";
    run("calls::deque").fails().says(&["\n    let deque0 = new\n    split_off(deque0, at: 1)\n", code]);
}

#[test]
fn a_documented_panic_that_does_not_come_is_a_failure() {
    run("calls::quiet").fails().reads("calls_quiet");
}

#[test]
fn a_broken_law_is_named_with_its_values() {
    run("calls::version").fails().reads("calls_version");
}

#[cfg(unix)]
#[test]
fn an_abort_is_a_failure_of_its_sequence() {
    run("calls::greedy")
        .fails()
        .says(&["\n    let greedy0 = new\n    grow(greedy0, by: 10)\n  failure: the process died"]);
}
