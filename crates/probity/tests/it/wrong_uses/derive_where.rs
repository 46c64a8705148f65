//! A mistake in a type with parameters and bounds.

use probity::prelude::*;

#[derive(Debug, Generate)]
enum A<T: Clone, const N: usize = 3> //~
where
    T: Copy,
{
    #[skip]
    B(T),
    #[skip]
    C([T; N]),
}

#[probity::test]
fn f(q: A<u8, 4>) {
    let _ = q;
}
