//! Nobody says what to test with.

#[probity::contract]
#[requires(xs.len() > 1)]
pub fn first<T: Clone>(xs: &[T]) -> T { //~
    xs[0].clone()
}
