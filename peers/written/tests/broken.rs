//! Tables of calls that fail, each with a sequence that is printed as a test: `cargo xtask quality sequences` runs them.

use std::collections::VecDeque;

use probity::prelude::*;
use written::broken::*;

api! { #[ignore = "it fails"] release: Release { fn new(major: u8, minor: u8) -> Self; } }

api! { #[ignore = "it fails"] header: Header { fn new(letter: u8, is_upper: bool) -> Self; } }

api! {
    #[ignore = "it fails"]
    forgetful: Forgetful {
        fn new() -> Self;
        fn push(&mut self, it: u8);
    }
}

api! {
    #[ignore = "it fails"]
    sparse: Sparse {
        fn new() -> Self;
        fn push(&mut self, it: Option<u8>);
        fn items(&self) -> SparseItems<'_>;
    }
}

api! { #[ignore = "it fails"] moody: Moody { fn new(it: u8) -> Self; } }

api! { #[ignore = "it fails"] price: Price { fn new(cents: u16) -> Self; } }

api! {
    #[ignore = "it fails"]
    slots: Slots {
        fn new() -> Self;
        fn put(&mut self, it: u8) -> Slot;
        fn free(&mut self, slot: Slot) -> u8;
    }
}

api! {
    #[ignore = "it fails"]
    names: Names {
        fn new() -> Self;
        fn add(&mut self, name: &str) -> Result<(), String>;
        fn join(&mut self, other: &Self);
    }
}

api! {
    #[ignore = "it fails"]
    deque: VecDeque<u8> {
        fn new() -> Self;
        fn push_back(&mut self, it: u8);
        fn append(&mut self, other: &mut Self);
        fn split_off(&mut self, at: usize) -> Self;
    }
}

api! {
    #[ignore = "it fails"]
    quiet: VecDeque<u8> {
        fn new() -> Self;
        fn push_back(&mut self, it: u8);
        fn truncate(&mut self, len: usize), panics if len > self.len();
    }
}
