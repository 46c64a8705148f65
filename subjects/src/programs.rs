//! Random programs with native calls, allocations, divisions, files and callbacks among their parts: what the engine claims
//! of all their paths, against all their inputs.

use std::hint::black_box;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering};

use probity::Source;
use probity::engine::Rng;

use crate::families::parts;

/// A program over eight numbers; the first two are its inputs.
#[derive(Debug)]
pub struct Program {
    /// The greatest values of the inputs.
    max: [u32; 2],
    steps: Vec<Step>,
}

#[derive(Debug)]
enum Step {
    /// `to = f(a, b)`
    Compute(Operation, usize, usize, usize),
    /// `to = part(a, k)`, where `k` is a constant
    Part(Part, usize, usize, u32),
    If(Condition, Vec<Step>, Vec<Step>),
    /// Fails where it holds.
    Fail(Condition),
}

#[derive(Clone, Copy, Debug)]
enum Operation {
    Add,
    Sub,
    Mul,
    Xor,
    And,
    Or,
    Shift,
    Table,
}

const OPERATIONS: [Operation; 8] = [
    Operation::Add,
    Operation::Sub,
    Operation::Mul,
    Operation::Xor,
    Operation::And,
    Operation::Or,
    Operation::Shift,
    Operation::Table,
];

/// A number is equal to, less than or in a class with a constant.
#[derive(Debug)]
struct Condition {
    at: usize,
    how: u32,
    with: u32,
}

macro_rules! parts {
    ($($name:ident),* $(,)?) => {
        #[derive(Clone, Copy, Debug)]
        enum Part { $($name),* }
        const PARTS: &[Part] = &[$(Part::$name),*];
    };
}

parts! {
    DivideSafely, Divide, DivideWide, DivideBytes, DivideSigned, DivideConstant,
    Sort, SortFar, Search, Compare, CompareSign, Print, Parse, ParseConstant, Environment,
    File, FileFar, FileConstant, Pipe, PipeFar, Buffered, SystemCalls, Mapped, MappedTwice, MappedAlone,
    Allocate, AllocateLittle, AllocateMany, Reserve, ReserveLittle, Grow, Aligned, List, Text,
    Once, Headers, Handler, Generated, Catch, Registers, Sine, SineConstant, Exponent, Thread, Hash,
}

/// The program with this number.
pub fn program(seed: u64) -> Program {
    let mut rng = Rng::new(seed ^ 0x7072_6f67);
    let small = [15, 31, 63, 255][rng.below(4) as usize];
    let other = if rng.below(2) == 0 { 0 } else { [3, 15][rng.below(2) as usize] };
    let count = 2 + rng.below(5) as usize;
    // Some are without hidden ways, so that there is something to claim.
    let parts = rng.below(4);
    let mut steps = block(&mut rng, count, 2, parts);
    for _ in 0..=rng.below(2) {
        steps.push(Step::Fail(condition(&mut rng)));
    }
    Program { max: [small, other], steps }
}

fn block(rng: &mut Rng, count: usize, depth: u32, parts: u64) -> Vec<Step> {
    let mut steps = Vec::new();
    for _ in 0..count {
        let (to, a, b) = (2 + place(rng, 6), place(rng, 8), place(rng, 8));
        let step = match rng.below(10) {
            3 if depth > 0 => {
                let condition = condition(rng);
                let [yes, no] = [(); 2].map(|()| {
                    let count = 1 + place(rng, 2);
                    block(rng, count, depth - 1, parts)
                });
                Step::If(condition, yes, no)
            }
            it if it > 3 && it < 4 + 2 * parts => {
                let a = if rng.below(3) > 0 { place(rng, 2) } else { a };
                Step::Part(PARTS[place(rng, PARTS.len())], to, a, rng.below(256) as u32)
            }
            _ => Step::Compute(OPERATIONS[place(rng, 8)], to, a, b),
        };
        steps.push(step);
    }
    steps
}

fn place(rng: &mut Rng, n: usize) -> usize {
    rng.below(n as u64) as usize
}

fn condition(rng: &mut Rng) -> Condition {
    let how = rng.below(5) as u32;
    Condition { at: rng.below(8) as usize, how, with: rng.below(if how == 0 { 64 } else { 256 }) as u32 }
}

impl Condition {
    fn holds(&self, r: &[u32; 8]) -> bool {
        let x = r[self.at];
        match self.how {
            0 => x == self.with,
            1 => x & 255 == self.with,
            2 => x > 40_000 + self.with,
            3 => x & 31 == self.with & 31,
            _ => x % 61 == self.with % 61,
        }
    }
}

impl Program {
    /// Runs it on the inputs that it draws.
    pub fn run(&self, src: &mut Source) {
        let mut r = [0, 0, 5, 77, 0, 1, 250, 3];
        r[0] = src.draw(0..=self.max[0]);
        r[1] = src.draw(0..=self.max[1]);
        perform(&self.steps, &mut r);
    }

    /// How many inputs there are.
    pub fn inputs(&self) -> u64 {
        (u64::from(self.max[0]) + 1) * (u64::from(self.max[1]) + 1)
    }
}

fn perform(steps: &[Step], r: &mut [u32; 8]) {
    for step in steps {
        match step {
            Step::Compute(operation, to, a, b) => r[*to] = compute(*operation, r[*a], r[*b]),
            Step::Part(part, to, a, k) => r[*to] = call(*part, r[*a], *k),
            Step::If(condition, yes, no) => perform(if condition.holds(r) { yes } else { no }, r),
            Step::Fail(condition) => assert!(!condition.holds(r), "it holds"),
        }
    }
}

fn compute(operation: Operation, a: u32, b: u32) -> u32 {
    static TABLE: [u32; 16] = [3, 1, 4, 1, 5, 9, 2, 6, 77, 200, 0, 13, 255, 40_100, 61, 8];
    match operation {
        Operation::Add => a.wrapping_add(b),
        Operation::Sub => a.wrapping_sub(b),
        Operation::Mul => a.wrapping_mul(b),
        Operation::Xor => a ^ b,
        Operation::And => a & b,
        Operation::Or => a | b,
        Operation::Shift => a >> (b & 7),
        Operation::Table => TABLE[(a & 15) as usize],
    }
}

static SEEN: AtomicU32 = AtomicU32::new(0);
static LEFT: AtomicU32 = AtomicU32::new(0);

extern "C" fn look() {
    LEFT.store(SEEN.load(Ordering::Relaxed).wrapping_mul(3), Ordering::Relaxed);
}

extern "C" fn handle(_: i32) {
    look();
}

extern "C" fn visit(_: *mut libc::dl_phdr_info, _: usize, data: *mut std::ffi::c_void) -> i32 {
    // SAFETY: a number is passed.
    unsafe { *data.cast::<u32>() ^= 5 };
    1
}

/// 400 bytes with one that counts.
fn far(x: u32) -> Vec<u8> {
    let mut data = vec![1; 400];
    data[333] = x as u8;
    data
}

fn call(part: Part, x: u32, k: u32) -> u32 {
    match part {
        Part::DivideSafely => 1000 / (x | 1),
        Part::Divide => parts::div(1000, 0, x.wrapping_sub(k)),
        Part::DivideWide => parts::div(k, x & 15, 9),
        Part::DivideBytes => parts::div_bytes((x & 255) * 8, k as u8 | 1),
        Part::DivideSigned => parts::idiv(k as i32, x as i32 - 9) as u32,
        Part::DivideConstant => parts::div(x, 0, k | 1),
        Part::Sort | Part::SortFar => {
            let mut data = [40; 90];
            data[if matches!(part, Part::Sort) { 0 } else { 88 }] = x;
            parts::sort(&mut data);
            data[(k as usize & 1) * 89]
        }
        Part::Search => {
            let data: [u32; 80] = std::array::from_fn(|it| 3 * it as u32);
            parts::contains(&data, x).into()
        }
        Part::Compare => parts::compare(&[1, x as u8, 3], &[1, k as u8, 3]) as u32,
        Part::CompareSign => (parts::compare(&[1, x as u8, 3], &[1, k as u8, 3]) < 0).into(),
        Part::Print => parts::printed(x).len() as u32 + u32::from(parts::printed(x)[0]),
        Part::Parse => parts::parsed(&[b'0' + (x % 10) as u8, b'3', 0]) as u32,
        Part::ParseConstant => x ^ parts::parsed(b"77\0") as u32,
        Part::Environment => x.wrapping_add(std::env::var_os("SUBJECT_OF_NOBODY").is_some().into()),
        Part::File => parts::through_file(&[x as u8, 3])[0].into(),
        Part::FileFar => parts::through_file(&far(x))[333].into(),
        Part::FileConstant => x ^ u32::from(parts::through_file(if x & 1 == 0 { b"ab" } else { b"c" })[0]),
        Part::Pipe => parts::through_pipe(&[7, x as u8])[1].into(),
        Part::PipeFar => parts::through_pipe(&far(x))[333].into(),
        Part::Buffered => {
            let mut file = parts::memory_file();
            let mut writer = std::io::BufWriter::new(&mut file);
            writer.write_all(&far(x)).expect("there is room");
            drop(writer);
            let map = parts::Map::of(&file);
            map.get(333).into()
        }
        _ => call_more(part, x, k),
    }
}

fn call_more(part: Part, x: u32, k: u32) -> u32 {
    match part {
        Part::SystemCalls => parts::through_system_calls(&far(x))[333].into(),
        Part::Mapped | Part::MappedTwice => {
            let mut file = parts::memory_file();
            file.write_all(&[0; 4096]).expect("there is room");
            let one = parts::Map::of(&file);
            one.put(k as usize, x as u8);
            if matches!(part, Part::Mapped) {
                return one.get(k as usize).into();
            }
            parts::Map::of(&file).get(k as usize).into()
        }
        Part::MappedAlone => {
            let map = parts::Map::anonymous();
            map.put(k as usize, x as u8);
            map.get(k as usize).into()
        }
        Part::Allocate => parts::allocates(u64::from(x) << (k % 45)).into(),
        Part::AllocateLittle => parts::allocates(u64::from(x)).into(),
        Part::AllocateMany => parts::allocates_many(u64::from(x), 1 << (k % 45)).into(),
        Part::Reserve => Vec::<u8>::new().try_reserve_exact((x as usize) << (k % 50)).is_ok().into(),
        Part::ReserveLittle => Vec::<u8>::new().try_reserve_exact(x as usize & 255).is_ok().into(),
        Part::Grow => parts::grows(u64::from(x) << (k % 45)).into(),
        Part::Aligned => parts::allocates_aligned(u64::from(x) << (k % 45)).into(),
        Part::List => {
            let list = vec![0_u8; (x & 15) as usize];
            let other = black_box(vec![9_u8; 40]);
            let at = (k & 7) as usize;
            u32::from(list.get(at).copied().unwrap_or(other[3]))
        }
        Part::Text => format!("{}-{}", x & 7, k).len() as u32,
        Part::Once => {
            SEEN.store(x, Ordering::Relaxed);
            parts::call_once(look);
            LEFT.load(Ordering::Relaxed)
        }
        Part::Headers => {
            let mut it = x;
            // SAFETY: the callback gets the number.
            unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut it).cast()) };
            it
        }
        Part::Handler => {
            SEEN.store(x, Ordering::Relaxed);
            // SAFETY: the handler does nothing but store.
            unsafe {
                libc::signal(libc::SIGUSR2, handle as *const () as usize);
                libc::raise(libc::SIGUSR2);
            }
            LEFT.load(Ordering::Relaxed)
        }
        Part::Generated => {
            // lea eax, [rdi + rdi * 2]; ret
            let code = parts::Map::code(&[0x8d, 0x04, 0x7f, 0xc3]);
            // SAFETY: that is what it is.
            let f: extern "C" fn(u32) -> u32 = unsafe { std::mem::transmute(code.at()) };
            f(x)
        }
        Part::Catch => {
            let caught = catch_unwind(AssertUnwindSafe(|| assert!(x & 31 != k & 31)));
            u32::from(caught.is_err()) * 77
        }
        Part::Registers => parts::through_fxsave(x),
        Part::Sine => (f64::from(x & 255).sin() * 100.0) as i32 as u32,
        Part::SineConstant => x.wrapping_add((f64::from(k).sin() * 100.0) as i32 as u32),
        Part::Exponent => f64::from(x & 15).exp() as u32,
        Part::Thread => std::thread::spawn(move || x ^ k).join().unwrap_or(0),
        Part::Hash => {
            let map: std::collections::BTreeMap<u32, u32> = (0..5).map(|it| (it * 3, it)).collect();
            map.get(&(x & 15)).copied().unwrap_or(k)
        }
        _ => x,
    }
}
