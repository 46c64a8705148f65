//! A type of another crate that has no generator.

#[probity::test]
fn files(files: Vec<std::fs::File>) { //~
    assert!(files.is_empty());
}
