//! A `?` in a test that returns nothing.

#[probity::test]
fn digits(n: u8) {
    let _: u8 = n.to_string().parse()?; //~
}
