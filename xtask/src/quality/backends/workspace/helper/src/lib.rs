//! What several crates share.

/// The sum of all bytes.
pub fn sum(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0_u16, |sum, it| sum.wrapping_mul(3).wrapping_add(u16::from(*it)))
}
