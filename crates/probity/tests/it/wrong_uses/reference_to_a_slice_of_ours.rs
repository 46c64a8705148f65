//! A slice of a type without a generator.

#[derive(Debug)]
struct Q;

#[probity::test]
fn f(q: &[Q]) { //~
    let _ = q;
}
