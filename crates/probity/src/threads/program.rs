//! The calls of one case, as they are drawn.

use std::fmt;

use probity_core::{ArmSet, Source, THREADS};

use super::{Call, ModelCommand, Reply};
use crate::generators::Lengths;

/// Calls that come first, and calls of threads.
pub(super) struct CallProgram<M: 'static, S: 'static> {
    names: &'static ArmSet,
    commands: &'static [ModelCommand<M, S>],
    pub(super) prefix: Vec<PrefixCall<M, S>>,
    /// The model after the prefix.
    pub(super) model: M,
    pub(super) threads: Vec<Vec<Call<M, S>>>,
}

/// A call of the prefix.
pub(super) struct PrefixCall<M, S> {
    pub(super) call: Call<M, S>,
    /// What the model says to it.
    pub(super) expected: Box<dyn Reply>,
    /// The model after it.
    pub(super) model: M,
}

/// How many calls of the model are made at most to see whether a program is open in every order. Three threads with three
/// calls each have orders for 7,000.
const MODEL_CALLS_MAX: u32 = 20_000;

/// What reports call the calls of each thread.
const NAMES: [&str; 8] =
    ["thread_0", "thread_1", "thread_2", "thread_3", "thread_4", "thread_5", "thread_6", "thread_7"];

impl<M: Clone, S> CallProgram<M, S> {
    pub(super) fn new(names: &'static ArmSet, commands: &'static [ModelCommand<M, S>], model: M) -> Self {
        CallProgram { names, commands, prefix: Vec::new(), model, threads: Vec::new() }
    }

    /// Draws the calls that come first. One whose arguments the model does not allow is left out.
    pub(super) fn draw_prefix(&mut self, source: &mut Source, lengths: Lengths) {
        self.prefix = self.draw_steps(source, lengths).0;
        if let Some(last) = self.prefix.last() {
            self.model = last.model.clone();
        }
    }

    /// As [`draw_prefix`](Self::draw_prefix), for a report that shows them as one input.
    pub(super) fn draw_prefix_as_one(&mut self, source: &mut Source, lengths: Lengths) {
        self.prefix = source.draw_as("first", |source: &mut Source| self.draw_steps(source, lengths)).0;
        if let Some(last) = self.prefix.last() {
            self.model = last.model.clone();
        }
    }

    fn draw_steps(&self, source: &mut Source, lengths: Lengths) -> Listed<PrefixCall<M, S>> {
        let (mut res, mut model) = (Vec::new(), self.model.clone());
        let mut steps = source.steps(lengths);
        while steps.has_next() {
            let Some(at) = source.next_step(&mut steps, self.names, self.shut(&model)) else { break };
            let call = self.draw_call(at, &model, source);
            if (call.is_open)(&model) {
                let expected = (call.on_model)(&mut model);
                res.push(PrefixCall { call, expected, model: model.clone() });
            }
            steps.end_step();
        }
        Listed(res)
    }

    /// Draws the calls of `n` threads. One with which a call would be shut in some order is left out.
    pub(super) fn draw_threads(&mut self, source: &mut Source, lengths: Lengths, n: usize) {
        let (min, max) = lengths.bounds();
        // Where one of two threads has no call, there is nothing to see.
        let min = if n == 2 { min.max(1).min(max) } else { min };
        let lengths = Lengths::from(min as usize..=max as usize);
        source.group(THREADS, |source| {
            for thread in 0..n {
                let name = NAMES.get(thread).unwrap_or(&"thread");
                let calls = source.draw_as(name, |source: &mut Source| self.draw_thread(source, lengths)).0;
                self.threads.push(calls);
            }
        });
    }

    fn draw_thread(&self, source: &mut Source, lengths: Lengths) -> Listed<Call<M, S>> {
        // What arguments are drawn by: the model after all calls so far, in one order of many.
        let mut model = self.model.clone();
        self.threads.iter().flatten().for_each(|it| _ = (it.on_model)(&mut model));
        let mut calls = Vec::new();
        let mut steps = source.steps(lengths);
        while steps.has_next() {
            let Some(at) = source.next_step(&mut steps, self.names, self.shut(&model)) else { break };
            calls.push(self.draw_call(at, &model, source));
            match calls.last() {
                Some(call) if self.is_always_open(&calls) => _ = (call.on_model)(&mut model),
                _ => _ = calls.pop(),
            }
            steps.end_step();
        }
        Listed(calls)
    }

    fn draw_call(&self, at: usize, model: &M, source: &mut Source) -> Call<M, S> {
        let call = (self.commands[at].draw)(model, source);
        Call { name: self.names.names()[at], ..call }
    }

    /// Which commands are shut, by bit.
    fn shut(&self, model: &M) -> u64 {
        let bits = self.commands.iter().enumerate().map(|(at, it)| u64::from(!(it.is_open)(model)) << at);
        bits.fold(0, |all, it| all | it)
    }

    /// Whether every call of the threads, and of one more with these calls, is open in every order of them.
    fn is_always_open(&self, last: &[Call<M, S>]) -> bool {
        let threads: Vec<&[Call<M, S>]> = self.threads.iter().map(Vec::as_slice).chain([last]).collect();
        is_open_from(&self.model, &threads, &mut vec![0; threads.len()], &mut { MODEL_CALLS_MAX })
    }
}

fn is_open_from<M: Clone, S>(
    model: &M,
    threads: &[&[Call<M, S>]],
    next: &mut [usize],
    left: &mut u32,
) -> bool {
    (0..threads.len()).all(|thread| {
        let Some(call) = threads[thread].get(next[thread]) else { return true };
        if *left == 0 || !(call.is_open)(model) {
            return false;
        }
        *left -= 1;
        let mut after = model.clone();
        (call.on_model)(&mut after);
        next[thread] += 1;
        let is_open = is_open_from(&after, threads, next, left);
        next[thread] -= 1;
        is_open
    })
}

/// Calls as a report shows them.
struct Listed<T>(Vec<T>);

impl<M: 'static, S: 'static> fmt::Debug for Listed<PrefixCall<M, S>> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|it| PlainText(it.call.text()))).finish()
    }
}

impl<M: 'static, S: 'static> fmt::Debug for Listed<Call<M, S>> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|it| PlainText(it.text()))).finish()
    }
}

/// A text without quotes.
struct PlainText(String);

impl fmt::Debug for PlainText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
