//! Code of AVX-512: it is decoded on any processor, and run on those that have it.

use std::arch::asm;
use std::hint::black_box;

use super::{Function, forked, natively, run};
use crate::machine::cache::Cache;
use crate::machine::decode::Tools;
use crate::machine::stub::Avx;
use crate::machine::{CallEnd, Flow};

#[test]
fn it_is_decoded() {
    // vpaddd zmm17{k1}, zmm2, zmm19; vmovdqu64 ymm3, [rdi]; kortestd k2, k3; vpxorq xmm16, xmm16, xmm16; ret
    static CODE: [u8; 24] = [
        0x62, 0xa1, 0x6d, 0x49, 0xfe, 0xcb, 0x62, 0xf1, 0xfe, 0x28, 0x6f, 0x1f, 0xc4, 0xe1, 0xf9, 0x98, 0xd3,
        0x62, 0xa1, 0xfd, 0x00, 0xef, 0xc0, 0xc3,
    ];
    let at = CODE.as_ptr() as u64;
    let (cache, mut tools) = (Cache::take().unwrap(), Tools::new());
    tools.decode(&cache, Avx::None, at, at + CODE.len() as u64);
    let all = &tools.block;
    assert_eq!(all.len(), 5, "{:?}", all[0].raw);
    assert!(all.iter().all(|it| it.supported && !it.raw.is_invalid()));
    assert_eq!((all[0].vec_reads, all[0].vec_writes, all[0].more, all[0].masks), (4, 0, 0b1010, 0b10));
    assert_eq!((all[1].vec_reads, all[1].vec_writes, all[1].more, all[1].mem_count), (0, 8, 0, 1));
    assert_eq!((all[2].masks, all[3].more), (0b1100, 1));
    assert_eq!(all[4].flow, Flow::Return);
    // Where the processor lacks it, there is nothing to run it by, and that is said in words.
    assert!(all[..4].iter().all(|it| it.stub == 0));
}

/// Sums of 16 numbers, with masks, upper halves and registers from 16 on.
fn sums(x: u64) -> u64 {
    let numbers: [u32; 16] = std::array::from_fn(|it| (it as u32 + 1) * x as u32);
    let mut out = [0_u32; 16];
    let mask: u64;
    // SAFETY: only called where the processor has it; it writes 64 bytes to `out`.
    unsafe {
        asm!(
            "vmovdqu32 zmm17, [{from}]",
            "vpbroadcastd zmm2, {x:e}",
            "vpcmpud k1, zmm17, zmm2, 6",
            "vpaddd zmm18, zmm17, zmm2",
            "vmovdqa64 zmm3, zmm17",
            "vpaddd zmm3{{k1}}, zmm18, zmm17",
            "vmovdqa ymm2, ymm2", // clears its upper half
            "vpxorq zmm3, zmm3, zmm2",
            "vmovdqu64 [{to}], zmm3",
            "kmovq rax, k1",
            "vzeroupper",
            from = in(reg) numbers.as_ptr(), to = in(reg) out.as_mut_ptr(), x = in(reg) x,
            lateout("rax") mask,
            clobber_abi("C"),
        );
    }
    out.iter().fold(mask, |a, it| a.wrapping_mul(31).wrapping_add(u64::from(*it)))
}

fn copies(x: u64) -> u64 {
    let from = black_box([x, x ^ 3, 5, x.wrapping_mul(7)]);
    let mut to = [0_u64; 4];
    // SAFETY: only called where the processor has it; it writes 32 bytes to `to`.
    unsafe {
        asm!("vmovdqu64 ymm1, [{from}]", "vpord ymm1, ymm1, ymm1", "vmovdqu8 [{to}], ymm1", "vzeroupper",
            from = in(reg) from.as_ptr(), to = in(reg) to.as_mut_ptr(), clobber_abi("C"));
    }
    to.iter().fold(0, |a, it| a.wrapping_mul(3).wrapping_add(*it))
}

#[test]
fn it_does_what_the_processor_does() {
    if !(is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw")) {
        return;
    }
    forked(|machine| {
        for function in [sums as Function, copies] {
            for x in 0..20 {
                assert_eq!(run(machine, function, x), CallEnd::Returned(natively(function, x)), "{x}");
                machine.rollback();
            }
        }
    });
}
