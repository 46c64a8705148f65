//! Where the blocks of a function begin.

use iced_x86::{Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic};

/// What is known of a byte of a function: an instruction begins there; a block does, if an instruction does; what begins
/// there jumps back.
const INSTRUCTION: u8 = 1;
const START: u8 = 2;
const BACK: u8 = 4;

/// A place of a function that is worth a breakpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BreakPlace {
    /// A block begins this many bytes from the start.
    Block(usize),
    /// A jump to an earlier place begins there.
    BackJump(usize),
    /// A jump leads to this address outside the function.
    Outside(u64),
}

/// Makes the decoder build its tables, which allocates: it must not do that in a handler.
pub(crate) fn warm_up() {
    sweep(&[0xc3], 0x1000, &mut [0], &mut |_| ());
}

/// Finds the blocks of the function that is loaded at `at`: what direct jumps lead to, and what follows a jump, a return or
/// an endless call, for tables of jumps and handlers of panics lead there. Allocates nothing; `marks` is as long as `code`.
///
/// Says nothing of a function that has data between its code, as some that are written by hand do: where a byte does not
/// decode, where a jump leads into an instruction, or where the function reads its own bytes. Then `false`.
pub(crate) fn sweep(code: &[u8], at: u64, marks: &mut [u8], tell: &mut dyn FnMut(BreakPlace)) -> bool {
    marks.fill(0);
    let end = at + code.len() as u64;
    let mut instruction = Instruction::default();
    let mut decoder = Decoder::with_ip(64, code, at, DecoderOptions::NONE);
    let mut follows = false;
    while decoder.can_decode() {
        decoder.decode_out(&mut instruction);
        let here = (instruction.ip() - at) as usize;
        if instruction.is_invalid() {
            return false;
        }
        if instruction.is_ip_rel_memory_operand() && (at..end).contains(&instruction.ip_rel_memory_address())
        {
            return false;
        }
        marks[here] |= INSTRUCTION;
        // Padding is never run.
        if follows && !matches!(instruction.mnemonic(), Mnemonic::Nop | Mnemonic::Int3) {
            marks[here] |= START;
            follows = false;
        }
        match instruction.flow_control() {
            FlowControl::Next | FlowControl::IndirectCall => {}
            // To learn its own address.
            FlowControl::Call if (at + 1..end).contains(&instruction.near_branch_target()) => return false,
            FlowControl::Call => {}
            FlowControl::ConditionalBranch | FlowControl::UnconditionalBranch => {
                let target = instruction.near_branch_target();
                follows = true;
                if (at..end).contains(&target) {
                    marks[(target - at) as usize] |= START;
                    if target <= instruction.ip() && is_plain_jump(&code[here..]) {
                        marks[here] |= BACK;
                    }
                } else {
                    tell(BreakPlace::Outside(target));
                }
            }
            _ => follows = true,
        }
    }
    if marks.iter().any(|it| it & (START | INSTRUCTION) == START) {
        return false;
    }
    for (here, &mark) in marks.iter().enumerate() {
        // The first is that of the entry.
        if mark & START != 0 && here > 0 {
            tell(BreakPlace::Block(here));
        }
        if mark & BACK != 0 {
            tell(BreakPlace::BackJump(here));
        }
    }
    true
}

/// Where the blocks of a function begin that lies at `at`, in order, its entry first: what [`CodeWatch`](crate::CodeWatch)
/// puts breakpoints on. None where its code has data in it, and only the entry gets one.
///
/// ```
/// // test edi, edi; je +1; nop; ret
/// let code = [0x85, 0xff, 0x74, 0x01, 0x90, 0xc3];
/// assert_eq!(probity_coverage::block_starts(&code, 0x1000), Some(vec![0x1000, 0x1005]));
/// ```
pub fn block_starts(code: &[u8], at: u64) -> Option<Vec<u64>> {
    let mut res = vec![at];
    let is_whole = sweep(code, at, &mut vec![0; code.len()], &mut |it| {
        if let BreakPlace::Block(here) = it {
            res.push(at + here as u64);
        }
    });
    is_whole.then_some(res)
}

/// Whether it is a jump by flags, or without a condition, that has no prefix.
fn is_plain_jump(code: &[u8]) -> bool {
    Jump::read(code).is_some()
}

/// A direct jump.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Jump {
    /// Of the instruction.
    len: i64,
    /// From the next instruction.
    distance: i64,
    /// As in the machine code; `None` jumps always.
    condition: Option<u8>,
}

impl Jump {
    pub(crate) fn read(code: &[u8]) -> Option<Jump> {
        let near = |from: usize| Some(i64::from(i32::from_le_bytes(*code.get(from..)?.first_chunk()?)));
        Some(match *code.first()? {
            0xeb => Jump { len: 2, distance: i64::from(*code.get(1)? as i8), condition: None },
            0xe9 => Jump { len: 5, distance: near(1)?, condition: None },
            it @ 0x70..=0x7f => {
                Jump { len: 2, distance: i64::from(*code.get(1)? as i8), condition: Some(it & 15) }
            }
            0x0f => match *code.get(1)? {
                it @ 0x80..=0x8f => Jump { len: 6, distance: near(2)?, condition: Some(it & 15) },
                _ => return None,
            },
            _ => return None,
        })
    }

    /// How far from its start it leads with these flags, and whether it is taken.
    pub(crate) fn follow(&self, flags: i64) -> (i64, bool) {
        let flag = |bit: u32| flags >> bit & 1 != 0;
        let (carry, parity, zero, sign, overflow) = (flag(0), flag(2), flag(6), flag(7), flag(11));
        let is_taken = match self.condition {
            None => true,
            Some(condition) => {
                let holds = match condition >> 1 {
                    0 => overflow,
                    1 => carry,
                    2 => zero,
                    3 => carry | zero,
                    4 => sign,
                    5 => parity,
                    6 => sign != overflow,
                    _ => zero | (sign != overflow),
                };
                holds != (condition & 1 != 0)
            }
        };
        (if is_taken { self.len.wrapping_add(self.distance) } else { self.len }, is_taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(code: &[u8], expected: Option<&[BreakPlace]>) {
        let mut marks = vec![0; code.len()];
        let mut places = Vec::new();
        let is_code = sweep(code, 0x1000, &mut marks, &mut |it| places.push(it));
        assert_eq!(is_code.then_some(&places[..]), expected, "{code:02x?}");
    }

    #[test]
    fn blocks_are_found() {
        use BreakPlace::*;
        // ret
        check(&[0xc3], Some(&[]));
        // test edi, edi; je +1; inc eax; ret (`ff c0` is two bytes)
        check(&[0x85, 0xff, 0x74, 0x02, 0xff, 0xc0, 0xc3], Some(&[Block(4), Block(6)]));
        // dec edi; jne -4; ret: the first block is the entry
        check(&[0xff, 0xcf, 0x75, 0xfc, 0xc3], Some(&[BackJump(2), Block(4)]));
        // jmp rax; nop; ret: a table may lead behind the padding
        check(&[0xff, 0xe0, 0x90, 0xc3], Some(&[Block(3)]));
        // jmp to 0x1100
        check(&[0xe9, 0xfb, 0x00, 0x00, 0x00], Some(&[Outside(0x1100)]));
        // jmp over a byte into the middle of what it decodes to with the next: data
        check(&[0xeb, 0x01, 0xb8, 0xc3, 0x90, 0x90, 0x90, 0xc3], None);
        // jmp over data that decodes; mov eax, [rip - 8] reads it
        check(&[0xeb, 0x02, 0x90, 0x90, 0x8b, 0x05, 0xf8, 0xff, 0xff, 0xff, 0xc3], None);
        // call over data; pop rax
        check(&[0xe8, 0x01, 0x00, 0x00, 0x00, 0x90, 0x58, 0xc3], None);
        // no instruction of 64-bit code
        check(&[0x06, 0xc3], None);
    }

    /// Every condition with every set of flags, beside the processor.
    #[test]
    fn jumps_are_followed_as_the_processor_does() {
        macro_rules! taken {
            ($flags:expr, $($jump:literal)*) => {[$({
                let taken: u64;
                // SAFETY: it sets flags that may be set, and reads them.
                unsafe {
                    std::arch::asm!(
                        "push {flags}", "popfq", "mov {taken}, 1", concat!($jump, " 2f"), "mov {taken}, 0", "2:",
                        flags = in(reg) $flags, taken = out(reg) taken,
                    );
                }
                taken == 1
            }),*]};
        }
        for bits in 0..32_u64 {
            let on = |bit: u64, to: u64| (bits >> bit & 1) << to;
            let flags = 0x202 | on(0, 0) | on(1, 2) | on(2, 6) | on(3, 7) | on(4, 11);
            let expected = taken!(flags, "jo" "jno" "jb" "jae" "je" "jne" "jbe" "ja" "js" "jns" "jp" "jnp" "jl" "jge" "jle" "jg");
            for (condition, expected) in (0..).zip(expected) {
                for code in [&[0x70 | condition, 0xfc][..], &[0x0f, 0x80 | condition, 0xf0, 0xff, 0xff, 0xff]]
                {
                    let jump = Jump::read(code).unwrap();
                    let to = if expected { jump.len + jump.distance } else { jump.len };
                    assert_eq!(jump.follow(flags as i64), (to, expected), "{code:02x?} {flags:x}");
                }
            }
        }
        assert_eq!(Jump::read(&[0xeb, 0xfe]).unwrap().follow(0), (0, true));
        assert_eq!(Jump::read(&[0xe9, 0xfb, 0xff, 0xff, 0xff]).unwrap().follow(0), (0, true));
        for other in [&[0xe3_u8, 0][..], &[0x66, 0xeb, 0], &[0x0f, 0x0b], &[0xe9, 1], &[]] {
            assert_eq!(Jump::read(other), None);
        }
    }
}
