//! The last shrinking pass: when the trace is small, look at everything simpler.
//!
//! Moves of one or two parts cannot turn every tree into its simplest form. What is left by the other
//! passes is mostly small enough to try, for each choice from the left, a lower answer with every simple
//! way to go on.

use super::Shrinker;
use crate::{Choice, Domain, Value};

/// The longest trace that is looked at.
const CHOICES_MAX: usize = 20;
/// How many ways to go on are tried after lowering one choice, and after all of them together.
const TRIES_EACH: u64 = 200;
const TRIES_MAX: u64 = 400;

impl Shrinker<'_> {
    /// For each choice from the left: a lower answer, with every simple way to go on.
    pub(super) fn enumerate_simpler(&mut self) {
        let choices = self.trace().choices.clone();
        let small = |it: &Choice| it.domain.rank(it.value) <= highest(&it.domain);
        if choices.len() > CHOICES_MAX || !choices.iter().all(small) {
            return;
        }
        let start = self.evaluations;
        for (at, choice) in choices.iter().enumerate() {
            for rank in 0..choice.domain.rank(choice.value) {
                let Some(lower) = choice.domain.at(rank) else { continue };
                let mut prefix: Vec<Value> = choices[..at].iter().map(|it| it.value).collect();
                prefix.push(lower);
                if self.enumerate_from(prefix) || self.evaluations - start > TRIES_MAX || self.spent {
                    return;
                }
            }
        }
    }

    /// Tries every continuation of `prefix`, in order, until one is kept.
    fn enumerate_from(&mut self, prefix: Vec<Value>) -> bool {
        let start = self.evaluations;
        let mut values = prefix.clone();
        while self.evaluations - start < TRIES_EACH {
            let Some(case) = self.replay(values) else { return false };
            let mut choices = case.trace.choices.clone();
            if self.judge(case) {
                return true;
            }
            // The next continuation: raise the last choice that can be raised, drop what follows it.
            loop {
                if choices.len() <= prefix.len() {
                    return false;
                }
                let Some(Choice { domain, value }) = choices.pop() else { return false };
                let next = domain.rank(value) + 1;
                if next <= highest(&domain)
                    && let Some(value) = domain.at(next)
                {
                    values = choices.iter().map(|it| it.value).chain([value]).collect();
                    break;
                }
            }
        }
        false
    }
}

/// The highest rank that counts as simple.
fn highest(domain: &Domain) -> u128 {
    match domain {
        Domain::Bool => 1,
        Domain::Pick { .. } => 3,
        Domain::Length { .. } => 2,
        Domain::Int { .. } => 1,
        Domain::Float { .. } | Domain::Char { .. } => 0,
    }
}
