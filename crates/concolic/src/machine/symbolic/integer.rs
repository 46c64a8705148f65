//! Moves, arithmetic and logic of general registers.

use iced_x86::{ConditionCode, Mnemonic, OpKind, Register};

use super::control::push_branch;
use super::flags::{self, Flag};
use super::operands::SymbolicStep;
use crate::expr::{Expr, Op};
use crate::machine::shadow::FlagSource;

/// Where a division goes that has no result.
const FAULTS: u64 = 1;

/// The effect, if it is one of these instructions.
pub(super) fn follow(w: &mut SymbolicStep<'_>) -> bool {
    use Mnemonic::*;
    // Moves to and from segment, control and vector registers have the same names.
    for i in 0..w.ins.raw.op_count().min(2) {
        if w.is_register(i) && !w.ins.raw.op_register(i).is_gpr() {
            return false;
        }
    }
    let is_conditional = w.ins.raw.condition_code() != ConditionCode::None;
    match w.ins.raw.mnemonic() {
        Mov => {
            let e = w.read(1);
            w.write(0, e);
        }
        Movzx => extend(w, false),
        Movsx | Movsxd => extend(w, true),
        Movbe => {
            let e = w.read(1);
            let e = swapped(w, e);
            w.write(0, e);
        }
        Bswap => {
            let e = w.read(0);
            let e = swapped(w, e);
            w.write(0, e);
        }
        Lea => lea(w),
        Xchg => {
            let (a, b) = (w.read(0), w.read(1));
            // The same register twice is a no-op, and of parts of one register the second has to see the first.
            if w.is_register(0) && w.is_register(1) {
                let (x, y) = (w.ins.raw.op0_register(), w.ins.raw.op1_register());
                if x.full_register() == y.full_register() {
                    return x == y && x.size() == 8;
                }
            }
            w.write(0, b);
            w.write(1, a);
        }
        Xadd => return xadd(w),
        // Processors differ in what becomes of the upper half of a register that is not written.
        Cmpxchg if w.is_register(0) && w.width(0) == 32 => return false,
        Cmpxchg => cmpxchg(w),
        Push => push(w),
        Pop => pop(w),
        Leave => return false,
        Add | Sub | Cmp | And | Or | Xor | Test => two(w),
        Adc | Adcx | Adox | Sbb => with_carry(w),
        Inc | Dec => count(w),
        Neg => {
            let a = w.read(0);
            let zero = w.constant(0, w.width(0));
            let e = w.dag().binary(Op::Sub, zero, a);
            w.write(0, e);
            w.set_flags(FlagSource::Sub(zero, a));
        }
        Not => {
            let a = w.read(0);
            let e = w.dag().not(a);
            w.write(0, e);
        }
        Imul if w.ins.raw.op_count() > 1 => imul(w),
        Imul => wide_product(w, true),
        Mul => wide_product(w, false),
        Div => divide(w, false),
        Idiv => divide(w, true),
        Cbw | Cwde | Cdqe | Cwd | Cdq | Cqo => sign_extend(w),
        _ if is_conditional && w.ins.raw.op_count() == 1 => {
            let condition = flags::condition(w.m, w.ins.raw.condition_code());
            let e = w.dag().zext(condition, 8);
            w.write(0, e);
        }
        _ if is_conditional && w.ins.raw.op_count() == 2 => {
            let condition = flags::condition(w.m, w.ins.raw.condition_code());
            let (old, new) = (w.read(0), w.read(1));
            let e = w.dag().ite(condition, new, old);
            w.write(0, e);
        }
        _ => return false,
    }
    true
}

fn extend(w: &mut SymbolicStep<'_>, signed: bool) {
    let e = w.read(1);
    let width = w.width(0);
    let e = if signed { w.dag().sext(e, width) } else { w.dag().zext(e, width) };
    w.write(0, e);
}

fn swapped(w: &mut SymbolicStep<'_>, e: Expr) -> Expr {
    let dag = w.dag();
    let mut res = dag.extract(e, 7, 0);
    for i in 1..dag.width(e) / 8 {
        let byte = dag.extract(e, 8 * i + 7, 8 * i);
        res = dag.concat(res, byte);
    }
    res
}

fn lea(w: &mut SymbolicStep<'_>) {
    let mem = w.explicit();
    let address = w.sum(&mem);
    let width = w.width(0);
    let e = w.dag().resize(address, width);
    w.write(0, e);
}

fn xadd(w: &mut SymbolicStep<'_>) -> bool {
    let (a, b) = (w.read(0), w.read(1));
    let sum = w.dag().binary(Op::Add, a, b);
    if w.is_register(0)
        && w.ins.raw.op0_register().full_register() == w.ins.raw.op1_register().full_register()
    {
        return false;
    }
    w.write(1, a);
    w.write(0, sum);
    w.set_flags(FlagSource::Add(a, b, sum));
    true
}

fn cmpxchg(w: &mut SymbolicStep<'_>) {
    let (old, new) = (w.read(0), w.read(1));
    let accumulator = match w.width(0) {
        8 => Register::AL,
        16 => Register::AX,
        32 => Register::EAX,
        _ => Register::RAX,
    };
    let expected = w.register(accumulator);
    let same = w.dag().eq(expected, old);
    let stored = w.dag().ite(same, new, old);
    let is_own = w.is_register(0) && w.ins.raw.op0_register().full_register() == Register::RAX;
    w.write(0, stored);
    if !is_own {
        let whole = w.general(0);
        let high = if w.width(0) >= 32 { 64 } else { w.width(0) };
        let mut loaded = w.dag().zext(old, high);
        if high < 64 {
            let rest = w.dag().extract(whole, 63, high);
            loaded = w.dag().concat(rest, loaded);
        }
        let e = w.dag().ite(same, whole, loaded);
        w.write_general(0, e);
    }
    w.set_flags(FlagSource::Sub(expected, old));
}

fn push(w: &mut SymbolicStep<'_>) {
    let width =
        if matches!(w.ins.raw.op0_kind(), OpKind::Register | OpKind::Memory) { w.width(0) } else { 64 };
    let e = w.read_as(0, width);
    let to = w.m.cpu.gpr[4].wrapping_sub(u64::from(width / 8));
    w.store(to, e);
}

fn pop(w: &mut SymbolicStep<'_>) {
    let n = usize::from(w.width(0) / 8);
    let e = w.load(w.m.cpu.gpr[4], n);
    if w.is_register(0) && w.ins.raw.op0_register() != Register::RSP {
        w.write(0, e);
    } else if w.is_memory(0) {
        w.store(w.address, e);
    }
}

fn two(w: &mut SymbolicStep<'_>) {
    use Mnemonic::*;
    let mnemonic = w.ins.raw.mnemonic();
    let (a, b) = (w.read(0), w.read(1));
    match mnemonic {
        Cmp => w.set_flags(FlagSource::Sub(a, b)),
        Sub => {
            let e = w.dag().binary(Op::Sub, a, b);
            w.write(0, e);
            w.set_flags(FlagSource::Sub(a, b));
        }
        Add => {
            let e = w.dag().binary(Op::Add, a, b);
            w.write(0, e);
            w.set_flags(FlagSource::Add(a, b, e));
        }
        _ => {
            let op = match mnemonic {
                And | Test => Op::And,
                Or => Op::Or,
                _ => Op::Xor,
            };
            let e = w.dag().binary(op, a, b);
            if mnemonic != Test {
                w.write(0, e);
            }
            w.set_flags(FlagSource::Logic(e));
        }
    }
}

fn with_carry(w: &mut SymbolicStep<'_>) {
    let mnemonic = w.ins.raw.mnemonic();
    let width = w.width(0);
    let (a, b) = (w.read(0), w.read(1));
    let carry = w.flag(if mnemonic == Mnemonic::Adox { Flag::Overflow } else { Flag::Carry });
    let before = w.m.shadow.flags;
    let dag = &mut w.m.dag;
    if mnemonic == Mnemonic::Sbb {
        let wide_carry = dag.zext(carry, width);
        let e = dag.binary(Op::Sub, a, b);
        let e = dag.binary(Op::Sub, e, wide_carry);
        let flags = match before {
            // The upper parts of two numbers whose lower parts were compared.
            FlagSource::Sub(x, y) | FlagSource::Wide(x, y, _) if dag.width(x) + width <= 128 => {
                let (x, y) = (dag.concat(a, x), dag.concat(b, y));
                FlagSource::Wide(x, y, e)
            }
            _ => {
                let [x, y, c] = [a, b, carry].map(|it| dag.zext(it, width + 1));
                let needed = dag.binary(Op::Add, y, c);
                let borrow = dag.ult(x, needed);
                let [s, t, r] = [a, b, e].map(|it| flags::top(dag, it));
                let (x, y) = (dag.binary(Op::Xor, s, t), dag.binary(Op::Xor, s, r));
                let overflow = dag.binary(Op::And, x, y);
                FlagSource::Result { carry: borrow, overflow, result: e }
            }
        };
        w.write(0, e);
        w.set_flags(flags);
        return;
    }
    let [x, y, c] = [a, b, carry].map(|it| dag.zext(it, width + 1));
    let sum = dag.binary(Op::Add, x, y);
    let sum = dag.binary(Op::Add, sum, c);
    let e = dag.extract(sum, width - 1, 0);
    let out = dag.extract(sum, width, width);
    let [s, t, r] = [a, b, e].map(|it| flags::top(dag, it));
    let (x, y) = (dag.binary(Op::Xor, s, r), dag.binary(Op::Xor, t, r));
    let overflow = dag.binary(Op::And, x, y);
    w.write(0, e);
    match mnemonic {
        Mnemonic::Adcx => w.set_carry(out, None),
        Mnemonic::Adox => {
            if let FlagSource::Each { carry, .. } = w.each_flag() {
                w.set_carry(carry, Some(out));
            }
        }
        _ => w.set_flags(FlagSource::Result { carry: out, overflow, result: e }),
    }
}

fn count(w: &mut SymbolicStep<'_>) {
    let width = w.width(0);
    let a = w.read(0);
    let one = w.constant(1, width);
    let is_up = w.ins.raw.mnemonic() == Mnemonic::Inc;
    let e = w.dag().binary(if is_up { Op::Add } else { Op::Sub }, a, one);
    let least = 1u128 << (width - 1);
    let wrapped = w.dag().constant(if is_up { least } else { least - 1 }, width);
    let overflow = w.dag().eq(e, wrapped);
    let carry = match w.each_carry() {
        Some(carry) => carry,
        None => Expr::NONE,
    };
    w.write(0, e);
    w.set_flags(FlagSource::Result { carry, overflow, result: e });
}

fn imul(w: &mut SymbolicStep<'_>) {
    let (x, y) = if w.ins.raw.op_count() == 3 { (1, 2) } else { (0, 1) };
    let (a, b) = (w.read(x), w.read(y));
    let e = w.dag().binary(Op::Mul, a, b);
    w.write(0, e);
    w.set_flags(FlagSource::Mul { a, b, signed: true });
}

fn wide_product(w: &mut SymbolicStep<'_>, signed: bool) {
    let width = w.width(0);
    let b = w.read(0);
    let a = w.general(0);
    let dag = w.dag();
    let a = dag.extract(a, width - 1, 0);
    let [x, y] = [a, b].map(|it| if signed { dag.sext(it, 2 * width) } else { dag.zext(it, 2 * width) });
    let product = dag.binary(Op::Mul, x, y);
    let low = dag.binary(Op::Mul, a, b);
    if width == 8 {
        w.write_register(Register::AX, product);
    } else {
        let high = dag.extract(product, 2 * width - 1, width);
        let (to_low, to_high) = pair(width);
        w.write_register(to_low, low);
        w.write_register(to_high, high);
    }
    w.set_flags(FlagSource::Mul { a, b, signed });
}

/// The registers of the lower and upper half of a product.
fn pair(width: u8) -> (Register, Register) {
    match width {
        16 => (Register::AX, Register::DX),
        32 => (Register::EAX, Register::EDX),
        _ => (Register::RAX, Register::RDX),
    }
}

fn divide(w: &mut SymbolicStep<'_>, signed: bool) {
    let width = w.width(0);
    let by = w.read(0);
    let (rax, rdx) = (w.general(0), w.general(2));
    let dag = w.dag();
    let (low, high) = if width == 8 {
        (dag.extract(rax, 7, 0), dag.extract(rax, 15, 8))
    } else {
        (dag.extract(rax, width - 1, 0), dag.extract(rdx, width - 1, 0))
    };
    let plain_high = if signed {
        let last = dag.constant(u128::from(width) - 1, width);
        dag.binary(Op::AShr, low, last)
    } else {
        dag.constant(0, width)
    };
    let (div, rem) = if signed { (Op::SDiv, Op::SRem) } else { (Op::UDiv, Op::URem) };
    let zero = dag.constant(0, width);
    let is_zero = dag.eq(by, zero);
    let (quotient, remainder, overflows) = if high == plain_high {
        let overflows = if signed {
            let (least, minus_one) = (dag.constant(1 << (width - 1), width), dag.not(zero));
            let (is_least, is_minus_one) = (dag.eq(low, least), dag.eq(by, minus_one));
            dag.binary(Op::And, is_least, is_minus_one)
        } else {
            dag.truth(false)
        };
        (dag.binary(div, low, by), dag.binary(rem, low, by), overflows)
    } else {
        let all = dag.concat(high, low);
        let wide = if signed { dag.sext(by, 2 * width) } else { dag.zext(by, 2 * width) };
        let (q, r) = (dag.binary(div, all, wide), dag.binary(rem, all, wide));
        let (quotient, remainder) = (dag.extract(q, width - 1, 0), dag.extract(r, width - 1, 0));
        let overflows = if signed {
            let back = dag.sext(quotient, 2 * width);
            let fits = dag.eq(back, q);
            dag.not(fits)
        } else {
            dag.ule(by, high)
        };
        (quotient, remainder, overflows)
    };
    faults(w, [is_zero, overflows]);
    if width == 8 {
        let both = w.dag().concat(remainder, quotient);
        w.write_register(Register::AX, both);
        return;
    }
    let (to_low, to_high) = pair(width);
    w.write_register(to_low, quotient);
    w.write_register(to_high, remainder);
}

/// The processor looks at these before it divides: two branches that no instruction represents.
fn faults(w: &mut SymbolicStep<'_>, conditions: [Expr; 2]) {
    let (site, next) = (w.ins.ip, w.ins.next);
    for fails in conditions {
        let is_so = w.m.dag.value(fails) == 1;
        let (to, other) = if is_so { (FAULTS, next) } else { (next, FAULTS) };
        push_branch(w.m, fails, site, to, other);
        if is_so {
            break;
        }
    }
}

fn sign_extend(w: &mut SymbolicStep<'_>) {
    use Mnemonic::*;
    let (from, to, is_pair) = match w.ins.raw.mnemonic() {
        Cbw => (Register::AL, Register::AX, false),
        Cwde => (Register::AX, Register::EAX, false),
        Cdqe => (Register::EAX, Register::RAX, false),
        Cwd => (Register::AX, Register::DX, true),
        Cdq => (Register::EAX, Register::EDX, true),
        _ => (Register::RAX, Register::RDX, true),
    };
    let a = w.register(from);
    let dag = w.dag();
    let width = dag.width(a);
    let e = if is_pair {
        let last = dag.constant(u128::from(width) - 1, width);
        dag.binary(Op::AShr, a, last)
    } else {
        dag.sext(a, 2 * width)
    };
    w.write_register(to, e);
}
