//! A hasher without a state of its own: the standard one's keys are a state that the guest shares.

use std::hash::{BuildHasherDefault, Hasher};

/// Builds hashers that are all alike.
pub type Fixed = BuildHasherDefault<FixedHasher>;

/// Multiplies and rotates.
#[derive(Clone, Copy, Debug, Default)]
pub struct FixedHasher(u64);

impl Hasher for FixedHasher {
    #[inline]
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 29)
    }

    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(byte.into());
        }
    }

    #[inline]
    fn write_u8(&mut self, it: u8) {
        self.write_u64(it.into());
    }

    #[inline]
    fn write_u32(&mut self, it: u32) {
        self.write_u64(it.into());
    }

    #[inline]
    fn write_u64(&mut self, it: u64) {
        self.0 = (self.0.rotate_left(5) ^ it).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    #[inline]
    fn write_u128(&mut self, it: u128) {
        self.write_u64(it as u64);
        self.write_u64((it >> 64) as u64);
    }

    #[inline]
    fn write_usize(&mut self, it: usize) {
        self.write_u64(it as u64);
    }

    #[inline]
    fn write_isize(&mut self, it: isize) {
        self.write_u64(it as u64);
    }
}
