//! The integer types, seen as one.

use std::fmt::Debug;

/// An integer type that a choice can answer with: all of them but `u128`, which is built of two choices.
///
/// ```
/// use probity_core::Int;
/// assert_eq!(i8::from_bits((-3i8).bits()), -3);
/// assert_eq!(u64::from_wide(u64::MAX.wide()), u64::MAX);
/// assert_eq!((i8::simplest(-5, 9), i8::simplest(5, 9)), (0, 5));
/// ```
pub trait Int: Copy + Ord + Debug {
    /// Whether it has more than 64 bits.
    const WIDE: bool;
    /// The least value of the type.
    const LEAST: Self;
    /// The greatest value of the type.
    const GREATEST: Self;
    /// The value in 64 bits, sign-extended. Meaningless for wide types.
    fn bits(self) -> u64;
    /// The inverse of [`bits`](Int::bits).
    fn from_bits(bits: u64) -> Self;
    /// The value in 128 bits.
    fn wide(self) -> i128;
    /// The inverse of [`wide`](Int::wide).
    fn from_wide(it: i128) -> Self;
    /// The member of `min..=max` that is nearest to zero.
    fn simplest(min: Self, max: Self) -> Self;
}

macro_rules! ints {
    ($($t:ident $wide:literal)*) => {$(
        impl Int for $t {
            const WIDE: bool = $wide;
            const LEAST: Self = $t::MIN;
            const GREATEST: Self = $t::MAX;
            #[inline]
            fn bits(self) -> u64 {
                self as u64
            }
            #[inline]
            fn from_bits(bits: u64) -> Self {
                bits as $t
            }
            #[inline]
            fn wide(self) -> i128 {
                self as i128
            }
            #[inline]
            fn from_wide(it: i128) -> Self {
                it as $t
            }
            #[inline]
            fn simplest(min: Self, max: Self) -> Self {
                (0 as $t).clamp(min, max)
            }
        }
    )*};
}

ints! { i8 false i16 false i32 false i64 false isize false u8 false u16 false u32 false u64 false usize false i128 true }
