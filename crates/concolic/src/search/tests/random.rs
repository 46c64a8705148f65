//! Random programs: what is claimed of them holds.

use probity_core::Domain;
use probity_testkit::Stream;

use super::mock::{Cond, Do, Fault, Mock, Num, c, op, slot};
use super::{Brute, Weak, claims_hold, plan};
use crate::expr::Op;
use crate::path::PinTargets;
use crate::solve::Session;

/// Makes programs.
struct Author(Stream);

impl Author {
    fn new(seed: u64) -> Author {
        Author(Stream::new(seed))
    }

    fn below(&mut self, n: u64) -> u64 {
        self.0.below(n)
    }

    fn num(&mut self, depth: u32) -> Num {
        let ops =
            [Op::Add, Op::Sub, Op::Mul, Op::Xor, Op::And, Op::Or, Op::UDiv, Op::URem, Op::Shl, Op::LShr];
        match self.below(if depth == 0 { 4 } else { 7 }) {
            0 => c(self.below(9) as u8),
            1..=3 => slot(self.below(3) as usize),
            _ => {
                let it = ops[self.below(ops.len() as u64) as usize];
                op(it, self.num(depth - 1), self.num(depth - 1))
            }
        }
    }

    fn cond(&mut self) -> Cond {
        let it = [Op::Eq, Op::Ult, Op::Slt][self.below(3) as usize];
        Cond(it, self.num(2), self.num(1))
    }

    fn draw(&mut self) -> Do {
        Do::Draw(match self.below(4) {
            0 => Domain::Bool,
            1 => Domain::length(0, 3),
            2 => Domain::int(-2, 3),
            _ => Domain::int(1, 6),
        })
    }

    fn block(&mut self, depth: u32, draws: &mut u32) -> Vec<Do> {
        let mut res = Vec::new();
        for _ in 0..=self.below(3) {
            res.push(match self.below(if depth == 0 { 12 } else { 16 }) {
                0..=3 if *draws > 0 => {
                    *draws -= 1;
                    self.draw()
                }
                0..=5 => Do::Assert(self.cond()),
                6 => Do::Assume(self.cond()),
                7 => Do::Lookup(vec![3, 1, 4, 1, 5, 9, 2], op(Op::And, self.num(1), c(7))),
                8 => Do::Pin(self.num(1), PinTargets::Any),
                9 => Do::Pin(
                    self.num(1),
                    [PinTargets::Smallest(3), PinTargets::Greatest(2), PinTargets::Ends(4)]
                        [self.below(3) as usize],
                ),
                10 if self.below(8) == 0 => Do::Lose,
                11 if self.below(8) == 0 => Do::Die,
                10..=13 => Do::If(
                    self.cond(),
                    if depth > 0 { self.block(depth - 1, draws) } else { Vec::new() },
                    if depth > 0 { self.block(depth - 1, draws) } else { Vec::new() },
                ),
                _ => Do::Repeat(
                    op(Op::And, self.num(1), c(3)),
                    self.block(depth - 1, &mut draws.min(&mut 1).clone()),
                ),
            });
        }
        res
    }

    fn program(&mut self) -> Vec<Do> {
        let mut draws = 2;
        let mut res = vec![self.draw(), self.draw()];
        res.extend(self.block(2, &mut draws));
        res
    }
}

#[test]
fn claims_about_random_programs_hold() {
    let (mut complete, mut partly, mut failing) = (0, 0, 0);
    for seed in 0..400 {
        let program = Author::new(seed).program();
        let mut mock = Mock::new(program.clone());
        let mut plan = plan(seed);
        plan.choices_max = 5;
        plan.runs_max = 400;
        match claims_hold::<Session>(&mut mock, &plan) {
            Ok(it) => {
                complete += u32::from(it.complete);
                partly += u32::from(!it.complete && it.complete_to.is_some_and(|it| it.1 > 0));
                failing += u32::from(it.failing > 0);
                assert_eq!(it.divergences, 0, "{seed}: {it:?} {program:?}");
            }
            Err(why) => panic!("{seed}: {why}\n{program:?}"),
        }
    }
    assert!(complete > 200 && partly > 5 && failing > 100, "{complete} {partly} {failing}");
}

#[test]
fn claims_hold_whatever_the_solver_leaves_open() {
    for seed in 0..100 {
        let program = Author::new(seed + 1_000).program();
        let mut mock = Mock::new(program.clone());
        let mut plan = plan(seed);
        plan.choices_max = 4;
        plan.runs_max = 200;
        claims_hold::<Brute>(&mut mock, &plan).unwrap_or_else(|why| panic!("{seed}: {why}\n{program:?}"));
        claims_hold::<Weak>(&mut mock, &plan).unwrap_or_else(|why| panic!("{seed}: {why}\n{program:?}"));
    }
}

#[test]
fn a_fickle_subject_is_not_called_complete_before_all_its_paths_were_run() {
    let mut diverged = 0;
    for seed in 0..100 {
        let program = Author::new(seed).program();
        let (_, inputs) = Mock::new(program.clone()).brute_force(5);
        let mut mock = Mock { fault: Fault::Fickle, ..Mock::new(program.clone()) };
        let mut plan = plan(seed);
        plan.choices_max = 5;
        plan.runs_max = 400;
        let (explored, _) = super::explore::<Session>(&mut mock, &plan);
        diverged += u32::from(explored.divergences > 0);
        let (all, _) = Mock::new(program).brute_force(5);
        if explored.complete {
            assert!(explored.paths >= all.len() as u64 && inputs > 0, "{seed}: {explored:?} {}", all.len());
        }
    }
    assert!(diverged > 30, "{diverged}");
}
