//! A key without what a hashed map asks of it.

use std::collections::HashMap;

use probity::prelude::*;

#[derive(Debug, Generate)]
struct Key(u8);

#[probity::test]
fn maps(map: HashMap<Key, u8>) { //~
    assert!(map.is_empty());
}
