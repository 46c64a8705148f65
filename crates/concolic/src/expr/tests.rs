//! Laws: what the constructors give has the value of what was asked for, whatever the answers.

use std::sync::Arc;

use probity_core::Rng;

use super::*;

/// The operations on two numbers of the same width.
pub(crate) const BINARY: [Op; 13] = [
    Op::And,
    Op::Or,
    Op::Xor,
    Op::Add,
    Op::Sub,
    Op::Mul,
    Op::UDiv,
    Op::URem,
    Op::SDiv,
    Op::SRem,
    Op::Shl,
    Op::LShr,
    Op::AShr,
];

/// A program beside the graph: its nodes are evaluated as they were asked for.
#[derive(Default)]
pub(super) struct Mirror {
    pub(super) dag: Dag,
    /// What was asked for: a node whose arguments are places in this list, and what was made of it.
    pub(super) made: Vec<(ExprNode, u128, Expr)>,
    /// The ranges of the variables.
    pub(super) ranges: Vec<(u128, u128)>,
    tables: Vec<Arc<[u128]>>,
}

impl Mirror {
    /// A random program over three variables.
    pub(super) fn random(seed: u64, widths: &[u8], steps: u64) -> Mirror {
        let mut rng = Rng::new(seed);
        let mut m = Mirror::default();
        for index in 0..3 {
            let width = widths[rng.below(widths.len() as u64) as usize];
            let (mut min, mut max) = (0, mask(width));
            if rng.chance(80) {
                (min, max) = (number(&mut rng, width), number(&mut rng, width));
                (min, max) = (min.min(max), min.max(max));
            }
            m.ranges.push((min, max));
            m.var(index, width, min, max);
        }
        for _ in 0..steps {
            random_step(&mut m, &mut rng, widths);
        }
        m
    }

    /// Random answers within the ranges of the variables.
    pub(super) fn answers(&self, rng: &mut Rng) -> Vec<u128> {
        let answer = |&(min, max): &(u128, u128)| {
            let span = (max - min).wrapping_add(1);
            let by = if rng.chance(128) { number(rng, 128) } else { u128::from(rng.below(9)) };
            min.wrapping_add(if span == 0 { by } else { by % span })
        };
        self.ranges.iter().map(answer).collect()
    }

    fn width(&self, at: usize) -> u8 {
        self.made[at].0.width
    }

    fn push(&mut self, op: Op, width: u8, args: &[usize], constant: u128, e: Expr) -> usize {
        assert_eq!(self.dag.width(e), width, "{op:?}");
        let mut places = [Expr::NONE; 3];
        for (place, &arg) in places.iter_mut().zip(args) {
            *place = Expr(arg as u32);
        }
        self.made.push((ExprNode { op, width, args: places }, constant, e));
        self.made.len() - 1
    }

    fn constant(&mut self, value: u128, width: u8) -> usize {
        let e = self.dag.constant(value, width);
        self.push(Op::Const, width, &[], value & mask(width), e)
    }

    fn var(&mut self, index: u32, width: u8, min: u128, max: u128) -> usize {
        let e = self.dag.var(Var { index, width, min, max }, min);
        self.push(Op::Var(index), width, &[], 0, e)
    }

    fn op(&mut self, op: Op, width: u8, args: &[usize]) -> usize {
        let mut x = [Expr::NONE; 3];
        for (x, &arg) in x.iter_mut().zip(args) {
            *x = self.made[arg].2;
        }
        let dag = &mut self.dag;
        let e = match op {
            Op::Not => dag.not(x[0]),
            Op::Concat => dag.concat(x[0], x[1]),
            Op::Extract(low) => dag.extract(x[0], low + width - 1, low),
            Op::ZExt => dag.zext(x[0], width),
            Op::SExt => dag.sext(x[0], width),
            Op::Ite => dag.ite(x[0], x[1], x[2]),
            Op::Eq => dag.eq(x[0], x[1]),
            Op::Ult => dag.ult(x[0], x[1]),
            Op::Slt => dag.slt(x[0], x[1]),
            Op::Table(table) => dag.table(x[0], Arc::clone(&self.tables[table as usize]), width),
            _ => dag.binary(op, x[0], x[1]),
        };
        self.push(op, width, args, 0, e)
    }

    /// The values of all that was asked for.
    fn values(&self, answers: &dyn Fn(u32) -> u128) -> Vec<u128> {
        let mut values: Vec<u128> = Vec::new();
        for (node, constant, _) in &self.made {
            let of = |i: usize| values.get(node.args[i].index()).copied().unwrap_or(0);
            let width = |i: usize| self.made.get(node.args[i].index()).map_or(0, |it| it.0.width);
            values.push(match node.op {
                Op::Const => *constant,
                Op::Var(index) => answers(index),
                Op::Table(table) => self.tables[table as usize].get(of(0) as usize).copied().unwrap_or(0),
                _ => apply(node, [of(0), of(1), of(2)], [width(0), width(1), width(2)]),
            });
        }
        values
    }

    fn check(&self, evaluator: &mut Evaluator, answers: &dyn Fn(u32) -> u128) {
        evaluator.reset();
        let values = self.values(answers);
        for (at, &(node, _, e)) in self.made.iter().enumerate() {
            let got = evaluator.eval(&self.dag, e, answers);
            assert_eq!(got, values[at], "{at}: {node:?}\n{}", self.show());
        }
        for at in 1..=self.dag.len() {
            let e = Expr(at as u32);
            let got = evaluator.eval(&self.dag, e, answers);
            let (min, max) = self.dag.range(e);
            let facts = self.dag.facts[at];
            let node = self.dag.node(e);
            assert!(min <= got && got <= max, "{node:?} {got} of {min}..={max}\n{}", self.show());
            assert_eq!(got & !facts.ones, 0, "{node:?}");
            let bits = self.dag.signed_bits(e);
            assert_eq!(signed(got, node.width), signed(got, bits), "{node:?} {bits}");
            if facts.part_of.is_some() {
                let whole = evaluator.eval(&self.dag, facts.part_of, answers);
                assert_eq!(got, (whole >> facts.part_low) & mask(node.width), "{node:?} {facts:?}");
            }
        }
    }

    fn show(&self) -> String {
        let lines = self.made.iter().enumerate().map(|(at, (node, constant, e))| {
            format!("{at}: {node:?} {constant} = {e:?} {:?}", self.dag.node(*e))
        });
        lines.collect::<Vec<_>>().join("\n")
    }
}

fn word(rng: &mut Rng) -> u128 {
    u128::from(rng.word()) << 64 | u128::from(rng.word())
}

/// A constant as programs have them: small, a mask, a power of two, or anything.
fn number(rng: &mut Rng, width: u8) -> u128 {
    let bit = rng.below(width.into()) as u32;
    let value = match rng.below(7) {
        0 => u128::from(rng.below(4)),
        1 => u128::from(rng.below(300)),
        2 => 1 << bit,
        3 => (1 << bit) - 1,
        4 => !u128::from(rng.below(4)),
        5 => !((1 << bit) - 1),
        _ => word(rng),
    };
    value & mask(width)
}

fn random_step(m: &mut Mirror, rng: &mut Rng, widths: &[u8]) {
    let any = |m: &Mirror, rng: &mut Rng| rng.below(m.made.len() as u64) as usize;
    // The latest are the deepest.
    let a = if rng.chance(128) { m.made.len() - 1 } else { any(m, rng) };
    let w = m.width(a);
    // Of the same width: one that is there, a constant, or one that is made to fit.
    let same = |m: &mut Mirror, rng: &mut Rng| {
        if rng.chance(110) {
            let k = number(rng, w);
            return m.constant(k, w);
        }
        let fitting: Vec<usize> = (0..m.made.len()).filter(|&it| m.width(it) == w).collect();
        if rng.chance(160) {
            return fitting[rng.below(fitting.len() as u64) as usize];
        }
        let b = any(m, rng);
        let of = m.width(b);
        if of > w {
            m.op(Op::Extract(rng.below(u64::from(of - w) + 1) as u8), w, &[b])
        } else {
            m.op(if rng.chance(128) { Op::ZExt } else { Op::SExt }, w, &[b])
        }
    };
    match rng.below(24) {
        0 => m.op(Op::Not, w, &[a]),
        1..=3 => {
            let width = 1 + rng.below(w.into()) as u8;
            m.op(Op::Extract(rng.below(u64::from(w - width) + 1) as u8), width, &[a])
        }
        4..=5 => {
            let wide = widths[rng.below(widths.len() as u64) as usize].max(w);
            m.op(if rng.chance(128) { Op::ZExt } else { Op::SExt }, wide, &[a])
        }
        6..=7 => {
            let b = any(m, rng);
            let width = u32::from(w) + u32::from(m.width(b));
            if width > 128 {
                return;
            }
            m.op(Op::Concat, width as u8, &[a, b])
        }
        8..=9 => {
            let b = same(m, rng);
            let bits: Vec<usize> = (0..m.made.len()).filter(|&it| m.width(it) == 1).collect();
            if bits.is_empty() {
                return;
            }
            let c = bits[rng.below(bits.len() as u64) as usize];
            m.op(Op::Ite, w, &[c, a, b])
        }
        10..=13 => {
            let b = same(m, rng);
            let op = [Op::Eq, Op::Ult, Op::Slt][rng.below(3) as usize];
            if rng.chance(128) { m.op(op, 1, &[a, b]) } else { m.op(op, 1, &[b, a]) }
        }
        14 if w <= 8 => {
            let len = 1 + rng.below(20);
            let width = 1 + rng.below(16) as u8;
            let entries: Vec<u128> = (0..len).map(|_| number(rng, width)).collect();
            m.tables.push(entries.into());
            m.op(Op::Table(m.tables.len() as u32 - 1), width, &[a])
        }
        _ => {
            let b = same(m, rng);
            let op = BINARY[rng.below(13) as usize];
            if rng.chance(180) { m.op(op, w, &[a, b]) } else { m.op(op, w, &[b, a]) }
        }
    };
}

fn random_programs(count: u64, seed: u64, widths: &[u8], steps: u64) {
    let mut evaluator = Evaluator::default();
    for program in 0..count {
        let m = Mirror::random(seed + program, widths, steps);
        let mut rng = Rng::new(program);
        let least: Vec<u128> = m.ranges.iter().map(|it| it.0).collect();
        let most: Vec<u128> = m.ranges.iter().map(|it| it.1).collect();
        m.check(&mut evaluator, &|index| least[index as usize]);
        m.check(&mut evaluator, &|index| most[index as usize]);
        for _ in 0..10 {
            let answers = m.answers(&mut rng);
            m.check(&mut evaluator, &|index| answers[index as usize]);
        }
    }
}

#[test]
fn random_programs_keep_their_values() {
    random_programs(6_000, 1, &[1, 2, 3, 4, 5, 6, 7, 8], 12);
    random_programs(3_000, 1_000_000, &[1, 7, 8, 16, 31, 32, 33, 64, 100, 128], 14);
    random_programs(500, 2_000_000, &[1, 8, 32, 64, 128], 60);
}

/// All pairs of constructors over two variables of few bits and a constant, for all answers.
#[test]
fn pairs_of_operations_keep_their_values() {
    let mut evaluator = Evaluator::default();
    let inner: Vec<Op> =
        BINARY.into_iter().chain([Op::Not, Op::ZExt, Op::SExt, Op::Concat, Op::Ite]).collect();
    let outer: Vec<Op> = inner.iter().copied().chain([Op::Eq, Op::Ult, Op::Slt, Op::Extract(1)]).collect();
    for w in 1..=3u8 {
        for constant in 0..=mask(w) {
            let mut m = Mirror::default();
            let (x, y) = (m.var(0, w, 0, mask(w)), m.var(1, w, 0, mask(w)));
            let bit = m.op(Op::Extract(0), 1, &[y]);
            let k = m.constant(constant, w);
            for (a, b) in [(x, y), (x, k), (k, x)] {
                for &op in &inner {
                    let wide = match op {
                        Op::ZExt | Op::SExt => w + 2,
                        Op::Concat => 2 * w,
                        _ => w,
                    };
                    let first =
                        if op == Op::Ite { m.op(op, w, &[bit, a, b]) } else { m.op(op, wide, &[a, b]) };
                    let c = m.constant(constant.wrapping_mul(3), wide);
                    let d = if wide == w { y } else { m.op(Op::SExt, wide, &[y]) };
                    for (&op, other) in outer.iter().flat_map(|op| [(op, c), (op, d)]) {
                        match op {
                            Op::ZExt | Op::SExt => m.op(op, wide + 1, &[first]),
                            Op::Concat => m.op(op, 2 * wide, &[first, other]),
                            Op::Extract(_) if wide < 2 => continue,
                            Op::Extract(low) => m.op(op, wide - low, &[first]),
                            Op::Ite => m.op(op, wide, &[bit, first, other]),
                            Op::Not => m.op(op, wide, &[first]),
                            Op::Eq | Op::Ult | Op::Slt => {
                                m.op(op, 1, &[other, first]);
                                m.op(op, 1, &[first, other])
                            }
                            _ => {
                                m.op(op, wide, &[other, first]);
                                m.op(op, wide, &[first, other])
                            }
                        };
                    }
                }
            }
            for (a, b) in (0..=mask(w)).flat_map(|a| (0..=mask(w)).map(move |b| (a, b))) {
                m.check(&mut evaluator, &|index| if index == 0 { a } else { b });
            }
        }
    }
}
