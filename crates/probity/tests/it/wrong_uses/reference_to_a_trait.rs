//! A reference to a trait object, of which nobody says the type.

#[probity::test]
fn shows(it: &dyn std::fmt::Debug) { //~
    assert!(!format!("{it:?}").is_empty());
}
