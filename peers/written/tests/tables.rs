//! Tables of calls of types of other crates, whose panics are the documented ones: `cargo xtask quality sequences` runs
//! them.

use std::collections::{BTreeMap, BinaryHeap, VecDeque};

use indexmap::IndexMap;
use probity::prelude::*;
use smallvec::SmallVec;

api! { vec_deque: VecDeque<u8> {
    fn new() -> Self;
    fn with_capacity(n: usize) -> Self;
    fn push_back(&mut self, it: u8);
    fn push_front(&mut self, it: u8);
    fn pop_front(&mut self) -> Option<u8>;
    fn pop_back(&mut self) -> Option<u8>;
    fn append(&mut self, other: &mut Self);
    fn iter(&self) -> std::collections::vec_deque::Iter<'_, u8>;
    fn make_contiguous(&mut self) -> &mut [u8];
    fn truncate(&mut self, n: usize);
    fn insert(&mut self, at: usize, it: u8), panics if at > self.len();
    fn remove(&mut self, at: usize) -> Option<u8>;
    fn swap(&mut self, i: usize, j: usize), panics if i.max(j) >= self.len();
    fn split_off(&mut self, at: usize) -> Self, panics if at > self.len();
    fn rotate_left(&mut self, n: usize), panics if n > self.len();
    fn clone(&self) -> Self;
} }

api! { btree_map: BTreeMap<u8, String> {
    fn new() -> Self;
    fn insert(&mut self, key: u8, value: String) -> Option<String>;
    fn remove(&mut self, key: &u8) -> Option<String>;
    fn get(&self, key: &u8) -> Option<&String>;
    fn append(&mut self, other: &mut Self);
    fn split_off(&mut self, key: &u8) -> Self;
    fn iter(&self) -> std::collections::btree_map::Iter<'_, u8, String>;
    fn into_values(self) -> std::collections::btree_map::IntoValues<u8, String>;
} }

api! { small_vec: SmallVec<[u8; 4]> {
    fn new() -> Self;
    fn with_capacity(n: usize) -> Self;
    fn push(&mut self, it: u8);
    fn pop(&mut self) -> Option<u8>;
    fn append(&mut self, other: &mut Self);
    fn insert(&mut self, at: usize, it: u8), panics if at > self.len();
    fn remove(&mut self, at: usize) -> u8, panics if at >= self.len();
    fn swap_remove(&mut self, at: usize) -> u8, panics if at >= self.len();
    fn truncate(&mut self, n: usize);
    fn shrink_to_fit(&mut self);
    fn into_iter(self) -> smallvec::IntoIter<[u8; 4]>;
    fn clone(&self) -> Self;
} }

api! { index_map: IndexMap<u8, u8> {
    fn new() -> Self;
    fn insert(&mut self, key: u8, value: u8) -> Option<u8>;
    fn swap_remove(&mut self, key: &u8) -> Option<u8>;
    fn shift_remove(&mut self, key: &u8) -> Option<u8>;
    fn get_index_of(&self, key: &u8) -> Option<usize>;
    fn reverse(&mut self);
    fn swap_indices(&mut self, a: usize, b: usize), panics if a.max(b) >= self.len();
    fn move_index(&mut self, from: usize, to: usize), panics if from.max(to) >= self.len();
    fn split_off(&mut self, at: usize) -> Self, panics if at > self.len();
    fn iter(&self) -> indexmap::map::Iter<'_, u8, u8>;
    fn clone(&self) -> Self;
} }

api! { binary_heap: BinaryHeap<u8> {
    fn new() -> Self;
    fn push(&mut self, it: u8);
    fn pop(&mut self) -> Option<u8>;
    fn append(&mut self, other: &mut Self);
    fn drain(&mut self) -> std::collections::binary_heap::Drain<'_, u8>;
    fn into_sorted_vec(self) -> Vec<u8>;
} }
