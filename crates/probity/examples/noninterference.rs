//! A machine that should keep secrets, and six mistakes in its rules that let them out.
//!
//! The third study of A. Löscher and K. Sagonas, "Automating Targeted Property-Based Testing" (ICST 2018),
//! section V-C. The machine, its mistakes and the programs in which instructions come in useful sequences are
//! those of C. Hriţcu and others, "Testing Noninterference, Quickly" (JFP 2016). A program that runs for long
//! meets more of the rules, so targeted cases run longer.
//!
//! `cargo run --release --example noninterference`
#![allow(clippy::print_stdout, reason = "an example talks")]

use std::fmt;
use std::ops::RangeInclusive;

use probity::chance;
use probity::engine::{Annealing, Budget, search_adaptive};
use probity::events::Tally;
use probity::prelude::*;

/// How many cells the memory has.
const CELLS: usize = 4;
/// What a program pushes: addresses, which sums of them need not be.
const NUMBERS: RangeInclusive<i8> = 0..=3;
/// How many of a hundred numbers are secret. With as few as this and the weights below, random programs take about
/// as many cases to find a mistake as those of the paper: 16,700 in the geometric mean of the six.
const SECRET_PERCENT: u32 = 1;
/// How many instructions a program has at most, before the last, which is a halt: without it, programs would be
/// driven away from what is checked at the end.
const PROGRAM_MAX: usize = 50;

/// A number, and whether it is secret: labeled H rather than L.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Atom {
    number: i8,
    is_secret: bool,
}

/// An instruction of two programs at once, which differ in nothing but the secrets that they push.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Instruction {
    Noop,
    /// An open number, the same in both programs.
    Push(i8),
    /// A secret one.
    PushSecret([i8; 2]),
    Pop,
    Add,
    Load,
    Store,
    Halt,
}

use Instruction::{Add, Halt, Load, Noop, Pop, Push, PushSecret, Store};

/// Such as `Push 3@L` and `Push 3|5@H`.
impl fmt::Debug for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Noop => f.write_str("Noop"),
            Push(number) => write!(f, "Push {number}@L"),
            PushSecret([one, other]) => write!(f, "Push {one}|{other}@H"),
            Pop => f.write_str("Pop"),
            Add => f.write_str("Add"),
            Load => f.write_str("Load"),
            Store => f.write_str("Store"),
            Halt => f.write_str("Halt"),
        }
    }
}

/// A mistake in the rules.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Bug {
    /// A sum is open.
    AddOpen,
    /// What is pushed is open.
    PushOpen,
    /// What is loaded may be open where its address is secret.
    LoadOpen,
    /// What is stored may be open where its address is secret (STORE A).
    StoreOpenAddress,
    /// What is open may be overwritten where the address is secret (STORE B).
    StoreDown,
    /// What is stored may be open though it was secret before (STORE C).
    StoreOpenNumber,
}

pub(crate) const BUGS: [Bug; 6] =
    [Bug::AddOpen, Bug::PushOpen, Bug::LoadOpen, Bug::StoreOpenAddress, Bug::StoreDown, Bug::StoreOpenNumber];

/// One of the two programs, running.
#[derive(Debug)]
struct Machine {
    /// Which of the two.
    side: usize,
    bug: Option<Bug>,
    memory: [Atom; CELLS],
    stack: Vec<Atom>,
}

impl Machine {
    fn new(side: usize, bug: Option<Bug>) -> Self {
        Machine { side, bug, memory: [Atom::default(); CELLS], stack: Vec::with_capacity(32) }
    }

    /// Runs the program. Returns how many steps it took, and whether it came to a `Halt` rather than crash.
    fn run(&mut self, program: &[Instruction]) -> (usize, bool) {
        for (steps, instruction) in program.iter().enumerate() {
            if *instruction == Halt {
                return (steps + 1, true);
            }
            if self.step(*instruction).is_none() {
                return (steps, false);
            }
        }
        (program.len(), false)
    }

    /// Does what the instruction says, or crashes.
    fn step(&mut self, instruction: Instruction) -> Option<()> {
        match instruction {
            Noop | Halt => {}
            Push(number) => self.stack.push(Atom { number, is_secret: false }),
            PushSecret(numbers) => {
                let is_secret = self.bug != Some(Bug::PushOpen);
                self.stack.push(Atom { number: numbers[self.side], is_secret });
            }
            Pop => _ = self.stack.pop()?,
            Add => {
                let (a, b) = (self.stack.pop()?, self.stack.pop()?);
                let is_secret = (a.is_secret || b.is_secret) && self.bug != Some(Bug::AddOpen);
                self.stack.push(Atom { number: a.number.wrapping_add(b.number), is_secret });
            }
            Load => {
                let address = self.stack.pop()?;
                let Atom { number, is_secret } = *self.cell(address)?;
                let taint = address.is_secret && self.bug != Some(Bug::LoadOpen);
                self.stack.push(Atom { number, is_secret: is_secret || taint });
            }
            Store => {
                let (address, new) = (self.stack.pop()?, self.stack.pop()?);
                let bug = self.bug;
                let cell = self.cell(address)?;
                // Which cell is overwritten would tell something about a secret address.
                if address.is_secret && !cell.is_secret && bug != Some(Bug::StoreDown) {
                    return None;
                }
                let by_address = address.is_secret && bug != Some(Bug::StoreOpenAddress);
                let by_number = new.is_secret && bug != Some(Bug::StoreOpenNumber);
                *cell = Atom { number: new.number, is_secret: by_address || by_number };
            }
        }
        Some(())
    }

    fn cell(&mut self, address: Atom) -> Option<&mut Atom> {
        self.memory.get_mut(usize::try_from(address.number).ok()?)
    }
}

/// Runs both programs. Returns how many steps both took, and whether what is open in the memories at the end
/// distinguishes them.
fn run_both(program: &[Instruction], bug: Option<Bug>) -> (usize, bool) {
    let [mut one, mut other] = [Machine::new(0, bug), Machine::new(1, bug)];
    let (steps, halted) = one.run(program);
    let (other_steps, other_halted) = other.run(program);
    let mut cells = one.memory.iter().zip(&other.memory);
    let differ = |(a, b): (&Atom, &Atom)| a.is_secret != b.is_secret || !a.is_secret && a.number != b.number;
    (steps.min(other_steps), halted && other_halted && cells.any(differ))
}

/// Up to three instructions that make sense together.
type Piece = [Option<Instruction>; 3];

fn push(src: &mut Source) -> Instruction {
    match src.draw(chance(SECRET_PERCENT)) {
        false => Push(src.draw(NUMBERS)),
        true => PushSecret(src.draw([NUMBERS, NUMBERS])),
    }
}

/// Halts are likely, and most of the others want something on the stack: few programs run for long.
fn instruction(src: &mut Source) -> Instruction {
    one_of!(src, {
        1 * noop => Noop,
        4 * push => push(src),
        2 * pop => Pop,
        2 * add => Add,
        2 * load => Load,
        2 * store => Store,
        8 * halt => Halt,
    })
}

fn piece(src: &mut Source) -> Piece {
    one_of!(src, {
        10 * one => [Some(instruction(src)), None, None],
        1 * add => [Some(push(src)), Some(push(src)), Some(Add)],
        1 * load => [Some(push(src)), Some(Load), None],
        1 * store => [Some(push(src)), Some(push(src)), Some(Store)],
    })
}

pub(crate) fn program() -> impl Generator<Value = Vec<Instruction>> {
    vec(piece, ..=PROGRAM_MAX).map(|pieces| {
        let instructions = pieces.into_iter().flatten().flatten();
        instructions.take(PROGRAM_MAX).chain([Halt]).collect()
    })
}

/// Draws a program and runs it. Returns how many steps it took, and whether a secret got out.
pub(crate) fn run(src: &mut Source, bug: Option<Bug>) -> (usize, bool) {
    run_both(&src.draw_as("program", program()), bug)
}

/// The test: what is open at the end does not depend on secrets. Targeted cases run longer.
pub(crate) fn secrets_are_kept(src: &mut Source, bug: Option<Bug>) {
    let (steps, leaked) = run(src, bug);
    maximize("steps", steps as f64);
    assert!(!leaked, "a secret got out");
}

fn main() {
    println!("Six mistakes in the rules of a machine, and how soon they let a secret out:");
    std::panic::set_hook(Box::new(|_| ()));
    for bug in BUGS {
        let test = &mut |src: &mut Source| secrets_are_kept(src, Some(bug));
        let cases = 100_000;
        let annealing = Annealing { cases, ..Annealing::default() };
        let budget = Budget { cases, rejects: 0, go_on: &mut |_| true, progress: Default::default() };
        let finding = search_adaptive(Tally::default(), 7, annealing, test, budget);
        match finding.ok().and_then(|mut it| it.failures.pop()) {
            Some(found) => println!("{:>20}: in case {}", format!("{bug:?}"), found.index + 1),
            None => println!("{:>20}: not in {cases} cases", format!("{bug:?}")),
        }
    }
    println!();
    let check = || probity::Check::new("noninterference::secrets_are_kept").cases(100_000).store(false);
    let _ = std::panic::catch_unwind(|| check().run(|src| secrets_are_kept(src, Some(Bug::LoadOpen))));
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity::engine::{Bounds, search_exhaustive, search_random};

    /// Secrets that are the addresses of different cells, and numbers that are open.
    const SECRET: Instruction = PushSecret([0, 1]);
    const ZERO: Instruction = Push(0);
    const ONE: Instruction = Push(1);

    #[test]
    fn every_mistake_lets_a_secret_out() {
        // For each mistake a program that shows it, and the other mistakes that it shows too.
        let rows: [(Bug, &[Instruction], &[Bug]); 6] = [
            (Bug::AddOpen, &[SECRET, ZERO, Add, ZERO, Store, Halt], &[Bug::PushOpen, Bug::StoreOpenNumber]),
            (Bug::PushOpen, &[SECRET, ZERO, Store, Halt], &[Bug::StoreOpenNumber]),
            // One in the first cell, zero in the second; what is loaded from either is stored.
            (
                Bug::LoadOpen,
                &[ONE, ZERO, Store, SECRET, Load, ZERO, Store, Halt],
                &[Bug::PushOpen, Bug::StoreOpenNumber],
            ),
            // Both cells hold secrets; one of them is overwritten by what is open.
            (
                Bug::StoreOpenAddress,
                &[SECRET, ZERO, Store, SECRET, ONE, Store, ZERO, SECRET, Store, Halt],
                &[Bug::PushOpen],
            ),
            (Bug::StoreDown, &[ONE, SECRET, Store, Halt], &[Bug::PushOpen]),
            (Bug::StoreOpenNumber, &[SECRET, ZERO, Store, Halt], &[Bug::PushOpen]),
        ];
        for (bug, program, others) in rows {
            let shown: Vec<Bug> = BUGS.into_iter().filter(|it| run_both(program, Some(*it)).1).collect();
            let mut expected: Vec<Bug> = [&[bug], others].concat();
            expected.sort_by_key(|it| BUGS.iter().position(|bug| bug == it));
            assert_eq!(shown, expected, "{program:?}");
            assert!(!run_both(program, None).1, "{program:?}");
            let unfinished = &program[..program.len() - 1];
            assert!(BUGS.into_iter().all(|it| !run_both(unfinished, Some(it)).1), "it has to halt");
        }
    }

    /// All programs of six instructions and a halt, of those that a leak could be made of.
    #[test]
    fn the_right_rules_keep_all_small_secrets() {
        let mut halted = 0;
        let test = &mut |src: &mut Source| {
            let program = src.draw(vec(&[SECRET, ZERO, ONE, Add, Load, Store], 6));
            let program = [&program[..], &[Halt]].concat();
            let (steps, leaked) = run_both(&program, None);
            halted += u32::from(steps == program.len());
            assert!(!leaked, "{program:?}");
        };
        let budget =
            Budget { cases: 1 << 20, rejects: 0, go_on: &mut |_| true, progress: Default::default() };
        let finding = search_exhaustive(Bounds::default(), test, budget).unwrap();
        let reach = finding.evidence.reach.unwrap();
        assert!(reach.all && finding.failures.is_empty() && finding.tally.cases == 6u64.pow(6));
        assert!(halted > 1000, "{halted} of them can tell");
    }

    #[test]
    fn the_right_rules_keep_secrets_of_any_program() {
        let budget = Budget { cases: 10_000, rejects: 0, go_on: &mut |_| true, progress: Default::default() };
        let test = &mut |src: &mut Source| assert!(!run(src, None).1);
        assert!(search_random(7, test, budget).unwrap().failures.is_empty());
    }

    #[test]
    fn programs_crash_where_they_have_to() {
        // Programs and the steps that they take.
        let rows: &[(&[Instruction], usize)] = &[
            (&[], 0),
            (&[Halt, ZERO], 1),
            (&[Noop, Pop], 1),
            (&[ZERO, Add], 1),
            (&[Push(CELLS as i8 - 1), Load, Pop, Halt], 4),
            (&[Push(CELLS as i8), Load, Pop, Halt], 1),
            (&[Push(-1), Load, Pop, Halt], 1),
            (&[ONE, ZERO, Store, Noop], 4),
            // A secret address, and a cell that is open.
            (&[ONE, SECRET, Store, Halt], 2),
        ];
        for (program, steps) in rows {
            assert_eq!(run_both(program, None).0, *steps, "{program:?}");
        }
    }
}
