//! Tiny programs over choices, run as the machine would run them, and by brute force.

use std::collections::{BTreeMap, BTreeSet};

use probity_core::{Choice, Domain, Value};

use crate::answer;
use crate::expr::{Dag, Expr, Op};
use crate::path::{Edge, Imprecision, Path, PinTargets, Run, Step, StepKind, Subject, Verdict};

/// A number of 8 bits.
#[derive(Clone, Debug)]
pub(super) enum Num {
    Const(u8),
    /// What was drawn or looked up as number so and so, from the last on.
    Slot(usize),
    Binary(Op, Box<Num>, Box<Num>),
}

/// A condition: the operation is `Eq`, `Ult` or `Slt`.
#[derive(Clone, Debug)]
pub(super) struct Cond(pub(super) Op, pub(super) Num, pub(super) Num);

/// A statement.
#[derive(Clone, Debug)]
pub(super) enum Do {
    Draw(Domain),
    If(Cond, Vec<Do>, Vec<Do>),
    /// This many times, as a loop that compares each time.
    Repeat(Num, Vec<Do>),
    Assert(Cond),
    Assume(Cond),
    /// A branch of which is not known where it goes.
    Vague(Cond),
    Pin(Num, PinTargets),
    /// An entry of a table, whose address is pinned, as a new slot.
    Lookup(Vec<u8>, Num),
    Lose,
    Die,
}

/// How the mock misbehaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Fault {
    #[default]
    None,
    /// Every third run sees other answers than it was given.
    Fickle,
}

#[derive(Clone, Debug)]
pub(super) struct Mock {
    pub(super) program: Vec<Do>,
    pub(super) fault: Fault,
    pub(super) runs: u64,
}

/// What distinguishes paths: the sites and sides, with the number of choices and the verdict.
pub(super) type Signature = (Vec<(u64, u128)>, usize, String);

impl Mock {
    pub(super) fn new(program: Vec<Do>) -> Mock {
        Mock { program, fault: Fault::None, runs: 0 }
    }

    pub(super) fn signature(&mut self, answers: &[Value], max: u32) -> Signature {
        signature(&self.run(answers, max))
    }

    /// The signatures of all inputs, and how many inputs there are.
    pub(super) fn brute_force(&mut self, max: u32) -> (BTreeSet<Signature>, u64) {
        let (mut all, mut inputs) = (BTreeSet::new(), 0);
        let mut answers: Vec<Value> = Vec::new();
        loop {
            let run = self.run(&answers, max);
            inputs += 1;
            all.insert(signature(&run));
            let mut choices = run.path.choices;
            // The next answers, as an odometer goes.
            loop {
                let Some(last) = choices.pop() else { return (all, inputs) };
                if let Some(next) = last.domain.at(last.domain.rank(last.value) + 1) {
                    answers = choices.iter().map(|it| it.value).collect();
                    answers.push(next);
                    break;
                }
            }
        }
    }
}

fn signature(run: &Run) -> Signature {
    let mut steps = Vec::new();
    for step in &run.path.steps {
        match step.kind {
            StepKind::Bound => {}
            StepKind::Branch if step.to == 0 => {
                steps.push((step.site, (run.dag.node(step.condition).op == Op::Not).into()))
            }
            StepKind::Branch => steps.push((step.site, step.to.into())),
            StepKind::Pin { of, .. } => steps.push((step.site, run.dag.value(of))),
        }
    }
    (steps, run.path.choices.len(), format!("{:?}", run.verdict))
}

impl Subject for Mock {
    fn run(&mut self, answers: &[Value], max: u32) -> Run {
        self.runs += 1;
        let answers = match self.fault {
            Fault::Fickle if self.runs.is_multiple_of(3) => &[],
            _ => answers,
        };
        let mut case = Case { answers, max, ..Case::default() };
        let verdict = case.block(&self.program).err().unwrap_or(Verdict::Pass);
        Run {
            dag: case.dag,
            path: case.path,
            verdict,
            edges: case.edges.into_iter().collect(),
            late: Vec::new(),
            instructions: 1,
        }
    }
}

/// A test that is written in Rust.
pub(super) struct Native(pub(super) fn(&mut Case) -> Result<(), Verdict>);

impl Subject for Native {
    fn run(&mut self, answers: &[Value], max: u32) -> Run {
        let mut case = Case { answers, max, ..Case::default() };
        let verdict = (self.0)(&mut case).err().unwrap_or(Verdict::Pass);
        let edges = case.edges.into_iter().collect();
        Run { dag: case.dag, path: case.path, verdict, edges, late: Vec::new(), instructions: 1 }
    }
}

/// One run under way.
#[derive(Default)]
pub(super) struct Case<'a> {
    answers: &'a [Value],
    max: u32,
    pub(super) dag: Dag,
    path: Path,
    pub(super) slots: Vec<Expr>,
    edges: BTreeMap<Edge, u32>,
}

impl Case<'_> {
    fn block(&mut self, block: &[Do]) -> Result<(), Verdict> {
        block.iter().try_for_each(|it| self.statement(it))
    }

    fn statement(&mut self, it: &Do) -> Result<(), Verdict> {
        let site = std::ptr::from_ref(it) as u64;
        match it {
            Do::Draw(domain) => self.draw(domain),
            Do::If(condition, yes, no) => {
                let goes = self.branch(condition, site);
                self.block(if goes { yes } else { no })
            }
            Do::Repeat(times, block) => {
                let times = self.num(times);
                let mut done = 0;
                loop {
                    let count = self.dag.constant(done, 8);
                    let goes_on = self.dag.ult(count, times);
                    if !self.go(goes_on, site) {
                        return Ok(());
                    }
                    self.block(block)?;
                    done += 1;
                }
            }
            Do::Assert(condition) => self.branch(condition, site).then_some(()).ok_or(Verdict::Fail),
            Do::Assume(condition) => self.branch(condition, site).then_some(()).ok_or(Verdict::Reject),
            Do::Vague(condition) => {
                self.branch(condition, site);
                if let Some(step) = self.path.steps.last_mut()
                    && step.site == site
                {
                    (step.to, step.other) = (0, 0);
                }
                Ok(())
            }
            Do::Pin(of, want) => {
                self.pin(of, *want, site);
                Ok(())
            }
            Do::Lookup(table, at) => {
                let at = self.pin(at, PinTargets::Any, site);
                let entry = self.dag.constant(table[at as usize % table.len()].into(), 8);
                self.slots.push(entry);
                Ok(())
            }
            Do::Lose => {
                self.path.imprecisions.push(Imprecision::Thread);
                Ok(())
            }
            Do::Die => Err(Verdict::Died("SIGSEGV".into())),
        }
    }

    /// Draws, as a new slot.
    pub(super) fn draw(&mut self, domain: &Domain) -> Result<(), Verdict> {
        let index = self.path.choices.len();
        if index as u32 >= self.max {
            return Err(Verdict::Overrun);
        }
        let value = self.answers.get(index).map_or(domain.simplest(), |&it| domain.fit(it));
        self.path.choices.push(Choice { domain: domain.clone(), value });
        let var = answer::var(index as u32, domain);
        let e = self.dag.var(var, answer::bits(domain, value));
        let slot = match *domain {
            Domain::Int { min, max, .. } if min < 0 => {
                let e = self.dag.sext(e, 8);
                let (min, max) = (self.dag.constant(min as u128, 8), self.dag.constant(max as u128, 8));
                for condition in [self.dag.sle(min, e), self.dag.sle(e, max)] {
                    self.step(condition, StepKind::Bound, [0; 3]);
                }
                e
            }
            _ => self.dag.zext(e, 8),
        };
        self.slots.push(slot);
        Ok(())
    }

    fn num(&mut self, it: &Num) -> Expr {
        match it {
            Num::Const(it) => self.dag.constant((*it).into(), 8),
            Num::Slot(back) => match self.slots.len().checked_sub(back + 1) {
                Some(at) => self.slots[at],
                None => self.dag.constant(0, 8),
            },
            Num::Binary(op, a, b) => {
                let (a, b) = (self.num(a), self.num(b));
                self.dag.binary(*op, a, b)
            }
        }
    }

    fn branch(&mut self, Cond(op, a, b): &Cond, site: u64) -> bool {
        let (a, b) = (self.num(a), self.num(b));
        let condition = match op {
            Op::Eq => self.dag.eq(a, b),
            Op::Ult => self.dag.ult(a, b),
            _ => self.dag.slt(a, b),
        };
        self.go(condition, site)
    }

    /// Branches on a condition, and says which way it went.
    pub(super) fn go(&mut self, mut condition: Expr, site: u64) -> bool {
        let goes = self.dag.value(condition) == 1;
        let (to, other) = if goes { (site + 1, site + 2) } else { (site + 2, site + 1) };
        *self.edges.entry(Edge { from: site, to }).or_default() += 1;
        if !goes {
            condition = self.dag.not(condition);
        }
        self.step(condition, StepKind::Branch, [site, to, other]);
        goes
    }

    fn pin(&mut self, of: &Num, want: PinTargets, site: u64) -> u128 {
        let of = self.num(of);
        let value = self.dag.value(of);
        let constant = self.dag.constant(value, 8);
        let condition = self.dag.eq(of, constant);
        self.step(condition, StepKind::Pin { of, want }, [site, 0, 0]);
        value
    }

    fn step(&mut self, condition: Expr, kind: StepKind, [site, to, other]: [u64; 3]) {
        if !self.dag.is_constant(condition) {
            let asked = self.path.choices.len() as u32;
            self.path.steps.push(Step { condition, kind, site, to, other, asked });
        }
    }
}

pub(super) fn c(it: u8) -> Num {
    Num::Const(it)
}

/// What was drawn last but `back`.
pub(super) fn slot(back: usize) -> Num {
    Num::Slot(back)
}

pub(super) fn op(op: Op, a: Num, b: Num) -> Num {
    Num::Binary(op, a.into(), b.into())
}

pub(super) fn eq(a: Num, b: Num) -> Cond {
    Cond(Op::Eq, a, b)
}

pub(super) fn ult(a: Num, b: Num) -> Cond {
    Cond(Op::Ult, a, b)
}

pub(super) fn int(min: i128, max: i128) -> Do {
    Do::Draw(Domain::int(min, max))
}

pub(super) fn length(min: u32, max: u32) -> Do {
    Do::Draw(Domain::length(min, max))
}
