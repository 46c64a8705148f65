//! Instructions that few programs have: what follows them is searched as ever, whether they are followed or computed.

#![allow(
    clippy::missing_safety_doc,
    reason = "functions with a target feature are safe to declare; each call says why it holds"
)]

use std::arch::x86_64::*;

use super::explore::finds;

#[target_feature(enable = "sse4.2")]
fn checksum(a: u32, b: u64) -> u32 {
    _mm_crc32_u64(_mm_crc32_u32(!0, a).into(), b) as u32
}

#[target_feature(enable = "pclmulqdq")]
fn carryless(a: u64, b: u64) -> u64 {
    let product = _mm_clmulepi64_si128(_mm_cvtsi64_si128(a as i64), _mm_cvtsi64_si128(b as i64), 0);
    _mm_cvtsi128_si64(product) as u64
}

/// Where one of the bytes of the first is in the second.
#[target_feature(enable = "sse4.2")]
fn place(a: u64, b: u64) -> i32 {
    const HOW: i32 = _SIDD_UBYTE_OPS | _SIDD_CMP_EQUAL_ANY;
    _mm_cmpistri::<HOW>(_mm_cvtsi64_si128(a as i64), _mm_cvtsi64_si128(b as i64))
}

#[target_feature(enable = "avx2")]
fn gathered(at: u32) -> i32 {
    static TABLE: [i32; 8] = [3, 1, 4, 1, 5, 9, 2, 6];
    let places = _mm_set1_epi32((at % 8) as i32);
    // SAFETY: all places are in the table.
    _mm_cvtsi128_si32(unsafe { _mm_i32gather_epi32::<4>(TABLE.as_ptr(), places) })
}

/// A needle before and after the instruction, whose result is of no account.
fn finds_behind(is_there: bool, call: fn(u32, u32) -> u64) {
    if !is_there {
        return;
    }
    finds(|src| {
        let (a, b) = (src.any::<u32>(), src.any::<u32>());
        let result = std::hint::black_box(call(a, b));
        let c: u32 = src.any();
        assert!(c.wrapping_mul(31) != 0xdead_beef || b ^ c != 0x1234_5678 || result == u64::MAX);
    });
}

#[test]
fn behind_crc32() {
    // SAFETY: it is looked for first, here and below.
    finds_behind(is_x86_feature_detected!("sse4.2"), |a, b| unsafe { checksum(a, b.into()) }.into());
}

#[test]
fn behind_pclmulqdq() {
    // SAFETY: as above.
    finds_behind(is_x86_feature_detected!("pclmulqdq"), |a, b| unsafe { carryless(a.into(), b.into()) });
}

#[test]
fn behind_pcmpistri() {
    // SAFETY: as above.
    finds_behind(is_x86_feature_detected!("sse4.2"), |a, b| unsafe { place(a.into(), b.into()) } as u64);
}

#[test]
fn behind_a_gather() {
    // SAFETY: as above.
    finds_behind(is_x86_feature_detected!("avx2"), |a, _| unsafe { gathered(a) } as u64);
}

/// A checksum has a way back.
#[test]
fn through_crc32() {
    if is_x86_feature_detected!("sse4.2") {
        finds(|src| {
            let (a, b) = (src.any::<u32>(), src.any::<u16>());
            // SAFETY: it was looked for.
            assert!(unsafe { checksum(a, b.into()) } != 0x1234_5678);
        });
    }
}
