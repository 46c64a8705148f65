//! A result that says nothing about the test.

#[probity::test]
#[example(a = 1, b = 2)]
fn sums(a: u32, b: u32) -> u32 { //~
    a.wrapping_add(b)
}
