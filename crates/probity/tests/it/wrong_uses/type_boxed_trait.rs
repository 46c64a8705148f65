//! A boxed trait object without a generator.

#[probity::test]
fn shows(it: Box<dyn std::fmt::Debug>) { //~
    assert!(!format!("{it:?}").is_empty());
}
