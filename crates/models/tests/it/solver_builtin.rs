//! The built-in solver against brute force: random formulas over small domains.

use std::sync::Arc;

use probity_models::solve::builtin::{self, Builtin, ModelSampler};
use probity_models::solve::{Answer, Effort, Solver};
use probity_spec::Random;
use probity_spec::flat::{
    Expr, Scalar, Slot, SlotKind, add, all, any, concat, contains, div, edits_at_least, ends_with, eq,
    index_of, ite, le, len, lt, matches, modulo, mul, not, starts_with, sub, substr, text_lt,
};
use probity_spec::propagate::{SlotDomain, propagate};
use probity_spec::regex::Regex;

/// Random formulas over some slots.
struct Formulas {
    dice: Random,
    slots: Vec<Slot>,
}

const TEXTS: [&str; 7] = ["", "a", "b", "aa", "ab", "ba", "bb"];

impl Formulas {
    fn slot(&mut self, is: fn(&SlotKind) -> bool) -> Option<Expr> {
        let found: Vec<u32> = (0..).zip(&self.slots).filter(|it| is(&it.1.kind)).map(|it| it.0).collect();
        (!found.is_empty()).then(|| Expr::slot(*self.dice.pick(&found)))
    }

    fn truth(&mut self, depth: u32) -> Expr {
        if depth == 0 {
            let slot = self.slot(|it| *it == SlotKind::Bool);
            return slot.unwrap_or_else(|| le(self.int(0), self.int(0)));
        }
        let depth = depth - 1;
        let has_text = self.slots.iter().any(|it| it.kind == SlotKind::Text);
        match self.dice.below(if has_text { 20 } else { 10 }) {
            0 => all([self.truth(depth), self.truth(depth)]),
            1 => any([self.truth(depth), self.truth(depth), self.truth(depth)]),
            2 => not(self.truth(depth)),
            3 => ite(self.truth(depth), self.truth(depth), self.truth(depth)),
            4 | 5 => le(self.int(depth), self.int(depth)),
            6 => lt(self.int(depth), self.int(depth)),
            7 | 8 => eq(self.int(depth), self.int(depth)),
            9 => self.truth(0),
            10 | 11 => eq(self.text(depth), self.text(depth)),
            12 => starts_with(self.text(depth), self.text(depth)),
            13 => ends_with(self.text(depth), self.text(depth)),
            14 => contains(self.text(depth), self.text(depth)),
            15 => text_lt(self.text(depth), self.text(depth)),
            16 => edits_at_least(self.text(depth), self.text(depth), self.int(0)),
            17 => eq(ite(self.truth(depth), self.text(depth), self.text(depth)), self.text(depth)),
            _ => {
                let pattern = *self.dice.pick(&["a*b?", "(ab|b)+", "[ab]{2,3}", "a.?", ".*ba.*", "(aa)*"]);
                matches(self.text(depth), Arc::new(Regex::new(pattern).expect("a pattern")))
            }
        }
    }

    fn int(&mut self, depth: u32) -> Expr {
        if depth == 0 {
            let slot = self.slot(|it| matches!(it, SlotKind::Int { .. }));
            return match slot {
                Some(slot) if self.dice.below(4) > 0 => slot,
                _ => Expr::int(self.dice.below(9) as i128 - 4),
            };
        }
        let depth = depth - 1;
        let has_text = self.slots.iter().any(|it| it.kind == SlotKind::Text);
        match self.dice.below(if has_text { 10 } else { 8 }) {
            0 | 1 => add([self.int(depth), self.int(depth)]),
            2 => sub(self.int(depth), self.int(depth)),
            3 => mul(self.int(depth), self.int(depth)),
            4 => {
                // Divisors are guarded by anyone who builds expressions.
                let by = self.int(depth);
                ite(eq(by.clone(), Expr::int(0)), self.int(0), div(self.int(depth), by))
            }
            5 => {
                let by = [-3, -2, 2, 3, 5, 7][self.dice.below(6) as usize];
                modulo(self.int(depth), Expr::int(by))
            }
            6 => ite(self.truth(depth), self.int(depth), self.int(depth)),
            7 => self.int(0),
            8 => len(self.text(depth)),
            _ => index_of(self.text(depth), self.text(depth)),
        }
    }

    fn text(&mut self, depth: u32) -> Expr {
        match self.dice.below(if depth == 0 { 3 } else { 6 }) {
            0 => Expr::text(TEXTS[self.dice.below(7) as usize]),
            3 | 4 => concat([self.text(depth - 1), self.text(depth - 1)]),
            5 => {
                let (start, length) = (self.dice.below(3) as i128, self.dice.below(3) as i128);
                substr(self.text(depth - 1), Expr::int(start), Expr::int(length))
            }
            _ => self.slot(|it| *it == SlotKind::Text).unwrap_or_else(|| Expr::text("a")),
        }
    }
}

/// Texts of at most two letters.
fn short_text(slot: u32) -> Expr {
    any(TEXTS.map(|it| eq(Expr::slot(slot), Expr::text(it))))
}

fn assignments(slots: &[Slot]) -> Vec<Vec<Scalar>> {
    let mut found = vec![Vec::new()];
    for slot in slots {
        let values: Vec<Scalar> = match slot.kind {
            SlotKind::Bool => [false, true].map(Scalar::Bool).into(),
            SlotKind::Int { lo, hi } => (lo..=hi).map(Scalar::Int).collect(),
            SlotKind::Text => TEXTS.map(|it| Scalar::Text(it.into())).into(),
        };
        let longer = |start: &Vec<Scalar>| {
            let with = |it: &Scalar| start.iter().cloned().chain([it.clone()]).collect::<Vec<_>>();
            values.iter().map(with).collect::<Vec<_>>()
        };
        found = found.iter().flat_map(longer).collect();
    }
    found
}

fn holds(requires: &[Expr], model: &[Scalar]) -> bool {
    requires.iter().all(|it| it.eval_bool(model) == Some(true))
}

fn effort(seed: u64) -> Effort<'static> {
    Effort { stop: &|| false, millis: 10_000, seed }
}

/// Whether a domain that propagation left has a value.
fn has(domain: &SlotDomain, scalar: &Scalar) -> bool {
    match (domain, scalar) {
        (SlotDomain::Bool(no, yes), Scalar::Bool(it)) => {
            if *it {
                *yes
            } else {
                *no
            }
        }
        (SlotDomain::Int(set), Scalar::Int(it)) => set.contains(*it),
        (SlotDomain::Text { lengths, language, options }, Scalar::Text(it)) => {
            lengths.contains(it.chars().count() as i128)
                && language.as_ref().is_none_or(|of| of.contains(it))
                && options.as_ref().is_none_or(|of| of.contains(it))
        }
        _ => false,
    }
}

fn kinds(kinds: &[SlotKind]) -> Vec<Slot> {
    kinds.iter().enumerate().map(|(i, it)| Slot { name: format!("s{i}"), kind: it.clone() }).collect()
}

fn check(round: u64, slots: &[Slot], requires: &[Expr], sat_only: bool) -> bool {
    let expected: Vec<Vec<Scalar>> =
        assignments(slots).into_iter().filter(|it| holds(requires, it)).collect();
    let mut solver = Builtin::new(slots);
    if sat_only {
        solver = solver.with_sat_only();
    }
    requires.iter().for_each(|it| solver.require(it));
    match solver.solve(&effort(round)) {
        Answer::Sat(model) => assert!(expected.contains(&model), "{round}: {model:?} of {requires:?}"),
        Answer::Unsat => {
            assert!(expected.is_empty(), "{round}: {:?} is a model of {requires:?}", expected[0])
        }
        Answer::Unknown(why) => panic!("{round}: {why}: {requires:?}"),
    }
    match propagate(slots, requires) {
        None => assert!(expected.is_empty(), "{round}: propagation lost {:?} of {requires:?}", expected[0]),
        Some(domains) => {
            for model in &expected {
                let lost = domains.iter().zip(model).find(|it| !has(it.0, it.1));
                assert!(lost.is_none(), "{round}: propagation lost {lost:?} of {model:?} of {requires:?}");
            }
        }
    }
    if round.is_multiple_of(4) && !sat_only {
        let mut found = builtin::all(slots, requires, 100_000, &|| false).expect("the domains are small");
        found.sort();
        let mut expected = expected.clone();
        expected.sort();
        assert!(found == expected, "{round}: {} of {} models of {requires:?}", found.len(), expected.len());
    }
    !expected.is_empty()
}

fn run(kinds: &[Slot], rounds: u64, depth: u32, sat_only: bool) {
    let mut formulas = Formulas { dice: Random::new(0x2545_F491_4F6C_DD1D), slots: kinds.to_vec() };
    let mut satisfiable = 0;
    for round in 0..rounds {
        let mut requires: Vec<Expr> =
            (0..1 + formulas.dice.below(4)).map(|_| formulas.truth(depth)).collect();
        let texts = (0..).zip(kinds).filter(|it| it.1.kind == SlotKind::Text);
        requires.extend(texts.map(|it| short_text(it.0)));
        satisfiable += u64::from(check(round, kinds, &requires, sat_only));
    }
    assert!(satisfiable > rounds / 10 && satisfiable < rounds, "{satisfiable} of {rounds}");
}

const SMALL: SlotKind = SlotKind::Int { lo: -1, hi: 3 };

#[test]
fn formulas_over_small_numbers_agree_with_brute_force() {
    run(&kinds(&[SMALL, SMALL, SlotKind::Bool, SMALL]), 1000, 3, false);
}

#[test]
fn formulas_over_small_numbers_agree_with_brute_force_in_bits() {
    run(&kinds(&[SMALL, SMALL, SlotKind::Bool, SMALL]), 600, 3, true);
}

#[test]
fn formulas_over_short_texts_agree_with_brute_force() {
    run(&kinds(&[SlotKind::Text, SlotKind::Text, SlotKind::Int { lo: -1, hi: 3 }]), 400, 3, false);
}

#[test]
fn blocks_are_exhausted_exactly() {
    let slots = kinds(&[SlotKind::Int { lo: 0, hi: 9 }, SlotKind::Int { lo: 0, hi: 9 }]);
    let mut solver = Builtin::new(&slots);
    solver.require(&lt(Expr::slot(0), Expr::slot(1)));
    solver.push();
    let mut seen = std::collections::BTreeSet::new();
    loop {
        match solver.solve(&effort(seen.len() as u64)) {
            Answer::Sat(model) => {
                let other =
                    |(slot, it): (u32, &Scalar)| not(eq(Expr::slot(slot), Expr::constant(it.clone())));
                solver.require(&any((0..).zip(&model).map(other)));
                assert!(seen.insert(model), "a blocked model came again");
            }
            Answer::Unsat => break,
            Answer::Unknown(why) => panic!("{why}"),
        }
    }
    assert_eq!(seen.len(), 45);
    solver.pop();
    assert!(matches!(solver.solve(&effort(0)), Answer::Sat(_)), "what was required since the push is gone");
}

#[test]
fn samples_are_diverse_models() {
    let slots = kinds(&[SlotKind::Int { lo: 0, hi: 999 }, SlotKind::Int { lo: 0, hi: 999 }]);
    let requires = [eq(modulo(sub(Expr::slot(0), Expr::slot(1)), Expr::int(7)), Expr::int(0))];
    let mut sampler = ModelSampler::new(&slots, &requires, 3).expect("there are models");
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..500 {
        let Answer::Sat(model) = sampler.sample(&effort(0)) else { panic!("there are models") };
        assert!(holds(&requires, &model));
        seen.insert(model);
    }
    assert!(seen.len() > 300, "{}", seen.len());
    assert_eq!(sampler.stages.rejected, 0);
}

/// Products that search does not settle: a number with two large factors, and a prime.
#[test]
fn hard_products_are_settled_by_sat() {
    let factor = SlotKind::Int { lo: 2, hi: 1 << 12 };
    for (product, factors) in [(4_091 * 4_093, Some([4_091, 4_093])), (1_000_003, None)] {
        let slots = kinds(&[factor.clone(), factor.clone()]);
        let mut solver = Builtin::new(&slots);
        solver.require(&le(Expr::slot(0), Expr::slot(1)));
        // Written as two squares' difference, so that no division of domains finds the factors.
        let (sum, gap) = (add([Expr::slot(0), Expr::slot(1)]), sub(Expr::slot(1), Expr::slot(0)));
        let squares = sub(mul(sum.clone(), sum), mul(gap.clone(), gap));
        solver.require(&eq(squares, Expr::int(4 * product)));
        match (solver.solve(&effort(5)), factors) {
            (Answer::Sat(model), Some(expected)) => assert_eq!(model, expected.map(Scalar::Int)),
            (Answer::Unsat, None) => {}
            (answer, _) => panic!("{product}: {answer:?}"),
        }
    }
}

/// Bounds that chase each other over the whole window must not be followed one by one.
#[test]
fn chasing_bounds_end() {
    let wide = SlotKind::Int { lo: i64::MIN.into(), hi: i64::MAX.into() };
    let slots = kinds(&[wide.clone(), wide.clone(), wide]);
    let [x, y, z] = [0, 1, 2].map(Expr::slot);
    let double = |it: &Expr| mul(Expr::int(2), it.clone());
    for (requires, satisfiable) in [
        (vec![lt(x.clone(), y.clone()), lt(y.clone(), x.clone())], false),
        (vec![lt(x.clone(), y.clone()), lt(y.clone(), z.clone()), lt(z.clone(), x.clone())], false),
        (vec![eq(double(&x), add([double(&y), Expr::int(1)]))], false),
        (
            vec![eq(add([double(&x), mul(Expr::int(3), y.clone())]), Expr::int(1)), lt(y.clone(), x.clone())],
            true,
        ),
    ] {
        let mut solver = Builtin::new(&slots);
        requires.iter().for_each(|it| solver.require(it));
        match solver.solve(&effort(1)) {
            Answer::Sat(model) => assert!(satisfiable && holds(&requires, &model), "{requires:?}"),
            Answer::Unsat => assert!(!satisfiable, "{requires:?}"),
            Answer::Unknown(why) => panic!("{why}: {requires:?}"),
        }
    }
}

/// The ends of 128 bits, and texts longer than one would make: never a wrong answer.
#[test]
fn far_ends_are_handled() {
    let whole = SlotKind::Int { lo: i128::MIN, hi: i128::MAX };
    let slots = kinds(&[whole.clone(), whole, SlotKind::Text]);
    let [x, y, text] = [0, 1, 2].map(Expr::slot);
    let far = Expr::int(i128::MAX - 3);
    for (require, satisfiable) in [
        (le(far.clone(), x.clone()), Some(true)),
        (all([lt(far.clone(), x.clone()), lt(x.clone(), y.clone())]), Some(true)),
        (all([lt(far, x.clone()), eq(modulo(x.clone(), Expr::int(1 << 40)), Expr::int(0))]), Some(false)),
        (eq(div(x.clone(), Expr::int(-1)), Expr::int(i128::MAX)), Some(true)),
        (eq(add([x, y.clone()]), Expr::int(i128::MIN)), Some(true)),
        (eq(mul(Expr::int(4), y), Expr::int(i128::MIN)), Some(true)),
        (lt(Expr::int(1 << 30), len(text)), None),
    ] {
        let mut solver = Builtin::new(&slots);
        solver.require(&require);
        match solver.solve(&effort(3)) {
            Answer::Sat(model) => {
                assert!(
                    satisfiable == Some(true) && holds(std::slice::from_ref(&require), &model),
                    "{require:?}"
                )
            }
            Answer::Unsat => assert_eq!(satisfiable, Some(false), "{require:?}"),
            Answer::Unknown(why) => assert!(satisfiable.is_none(), "{why}: {require:?}"),
        }
    }
}
