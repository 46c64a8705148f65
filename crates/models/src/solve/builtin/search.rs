//! Seeded search: choose a node, try its values, go back where there is a conflict.

use std::collections::HashMap;
use std::sync::Arc;

use num_bigint::BigUint;

use super::survey::Survey;
use probity_spec::IntSet;
use probity_spec::Random;
use probity_spec::flat::Scalar;
use probity_spec::propagate::domain::{NodeDomain, TextDomain};
use probity_spec::propagate::exclusions::Exclusions;
use probity_spec::propagate::network::{Network, NodeOp};
use probity_spec::regex::Language;

/// Domains with at most this many values are tried value by value.
const LISTED_MAX: usize = 32;
/// The caller is asked whether to stop once in this many choices, and once in this many that are taken back.
const POLLED_EVERY: u64 = 16;
/// How many steps one counts for in which propagation was cut short: SAT is better at those.
const STEPS_CUT_SHORT: u64 = 100;
/// Longer texts are not made.
const LENGTH_TRIED_MAX: i128 = 1 << 16;
/// Texts of one length that are tried before giving up on that length.
const TEXTS_TRIED: usize = 24;
/// Texts of one length are all tried if there are at most this many.
const TEXTS_MAX: u64 = 2048;

/// How a search ended.
#[derive(Debug)]
pub(super) enum SearchOutcome {
    Model(Vec<Scalar>),
    /// There is no more.
    Exhausted,
    /// Nothing is left to try, but not everything was tried.
    Truncated,
    /// The limit on steps; the component that it happened in.
    OutOfSteps(usize),
    Stopped,
}

/// One thing to try at a node.
#[derive(Clone, Debug)]
enum Try {
    Fix(Scalar),
    Range(i128, i128),
    Lengths(i128, i128),
    /// Many slots at once.
    All(Arc<Vec<(u32, Scalar)>>),
}

/// What had a say in the order of choices.
#[derive(Clone, Copy, Default)]
pub(super) struct ChoiceOrder {
    /// Numbers that follow from texts waited for them.
    pub(super) late: bool,
    /// A concatenation was chosen before its parts.
    pub(super) wholes_first: bool,
}

struct SearchFrame {
    node: u32,
    /// The next is the last.
    tries: Vec<Try>,
    component: usize,
    /// Whether it is the first of its component.
    first: bool,
    truncated: bool,
}

/// A depth-first search through a network whose domains are at rest.
pub(super) struct NetworkSearch<'a> {
    pub(super) net: &'a mut Network,
    pub(super) blocks: &'a Exclusions,
    pub(super) survey: &'a Survey,
    pub(super) random: &'a mut Random,
    /// In order: the least first, every value listed.
    pub(super) ordered: bool,
    /// Choices taken back.
    pub(super) rejected: u64,
    /// What had a say in the order of choices.
    pub(super) order: ChoiceOrder,
    pub(super) steps: u64,
    polls: u64,
    stop: &'a dyn Fn() -> bool,
    stopped: bool,
    /// Assignments of whole components that somebody else found.
    pub(super) given: HashMap<usize, Arc<Vec<(u32, Scalar)>>>,
    frames: Vec<SearchFrame>,
    reached: Vec<bool>,
    truncated: bool,
    /// Whether the last thing was a model.
    found: bool,
}

impl<'a> NetworkSearch<'a> {
    pub(super) fn new(
        net: &'a mut Network,
        blocks: &'a Exclusions,
        survey: &'a Survey,
        random: &'a mut Random,
        stop: &'a dyn Fn() -> bool,
    ) -> NetworkSearch<'a> {
        let reached = vec![false; survey.components.len()];
        NetworkSearch {
            net,
            blocks,
            survey,
            random,
            ordered: false,
            rejected: 0,
            order: ChoiceOrder::default(),
            steps: 0,
            polls: 0,
            stop,
            stopped: false,
            given: HashMap::new(),
            frames: Vec::new(),
            reached,
            truncated: false,
            found: false,
        }
    }

    /// The next model; call it again for the one after.
    pub(super) fn next(&mut self, limit: u64) -> SearchOutcome {
        let limit = self.steps.saturating_add(limit);
        self.stopped |= (self.stop)();
        // After a model, the search goes on behind it.
        if std::mem::replace(&mut self.found, false) && !self.back() {
            return self.ended();
        }
        loop {
            if self.stopped {
                return SearchOutcome::Stopped;
            }
            match self.open() {
                None => {
                    let model: Option<Vec<Scalar>> =
                        (0..self.net.slots).map(|it| self.net.domains[it].single()).collect();
                    if let Some(model) = model {
                        self.reached.iter_mut().for_each(|it| *it = true);
                        if !self.blocks.forbid(&model) {
                            self.found = true;
                            return SearchOutcome::Model(model);
                        }
                    }
                    if !self.back() {
                        return self.ended();
                    }
                }
                Some((component, node)) => {
                    self.steps += 1;
                    if self.steps > limit {
                        return SearchOutcome::OutOfSteps(component);
                    }
                    self.poll();
                    self.branch(component, node);
                    if !self.advance() && !self.back() {
                        return self.ended();
                    }
                }
            }
        }
    }

    /// Goes back to where the search began.
    pub(super) fn reset(&mut self) {
        self.frames.drain(..).for_each(|_| self.net.undo());
        // Before the search the network was at rest.
        self.net.clear();
        self.reached.iter_mut().for_each(|it| *it = false);
        self.truncated = false;
        self.found = false;
    }

    fn poll(&mut self) {
        self.polls += 1;
        self.stopped |= self.polls.is_multiple_of(POLLED_EVERY) && (self.stop)();
    }

    fn ended(&mut self) -> SearchOutcome {
        match () {
            () if self.stopped => SearchOutcome::Stopped,
            () if self.truncated => SearchOutcome::Truncated,
            () => SearchOutcome::Exhausted,
        }
    }

    /// The first component with an open slot, and the node to branch on.
    fn open(&mut self) -> Option<(usize, u32)> {
        let from = self.frames.last().map_or(0, |it| it.component);
        for component in from..self.survey.components.len() {
            if let Some(node) = self.choose(component) {
                return Some((component, node));
            }
            self.reached[component] = true;
        }
        None
    }

    fn choose(&mut self, component: usize) -> Option<u32> {
        let mut best: Option<((u8, u128), u32)> = None;
        let mut has_late = false;
        for slot in &self.survey.components[component] {
            let rank = match &self.net.domains[*slot as usize] {
                domain if domain.is_single() => continue,
                NodeDomain::Bool(..) => (0, 2),
                NodeDomain::Int(set) => {
                    let is_late = self.survey.late[*slot as usize];
                    has_late |= is_late;
                    (u8::from(is_late) * 3, set.count())
                }
                NodeDomain::Text(TextDomain { options: Some(options), .. }) => (0, options.len() as u128),
                // Texts that have a language come before those that follow from them.
                NodeDomain::Text(text) => (if text.language.is_some() { 1 } else { 2 }, text.lengths.count()),
            };
            if best.is_none_or(|it| rank < it.0) {
                best = Some((rank, *slot));
            }
        }
        let (rank, slot) = best?;
        self.order.late |= has_late && rank.0 < 3;
        if rank.0 > 0
            && let Some(whole) = self.open_concat(component)
        {
            self.order.wholes_first = true;
            return Some(whole);
        }
        Some(slot)
    }

    /// A concatenation of which more is known than its length, before its parts.
    fn open_concat(&self, component: usize) -> Option<u32> {
        let open = |node: u32| {
            let text = self.net.text(node);
            text.fixed().is_none() && (text.language.is_some() || text.options.is_some())
        };
        let own = self.survey.concats.iter().filter(|it| it.1 == component);
        own.map(|it| it.0).find(|node| open(*node))
    }

    fn branch(&mut self, component: usize, node: u32) {
        let first = self.frames.last().is_none_or(|it| it.component != component);
        let mut frame = SearchFrame { node, tries: Vec::new(), component, first, truncated: false };
        if first {
            self.reached[component] = false;
        }
        if let Some(given) = self.given.get(&component).filter(|_| first) {
            frame.tries.push(Try::All(given.clone()));
            // Others than the given one are not looked for.
            frame.truncated = true;
        } else {
            if let NodeOp::Concat(parts) = &*self.net.nodes[node as usize].clone() {
                self.narrow_whole(node, parts);
            }
            match self.net.domains[node as usize].clone() {
                NodeDomain::Bool(..) => {
                    let yes = !self.ordered && self.random.chance(128);
                    frame.tries = vec![Try::Fix(Scalar::Bool(!yes)), Try::Fix(Scalar::Bool(yes))];
                }
                NodeDomain::Int(set) => frame.tries = self.ints(&set),
                NodeDomain::Text(text) => self.texts(&mut frame, &text),
            }
        }
        self.frames.push(frame);
    }

    fn ints(&mut self, set: &IntSet) -> Vec<Try> {
        if set.count() <= LISTED_MAX as u128 {
            let mut all: Vec<Try> = set.iter().map(|it| Try::Fix(Scalar::Int(it))).collect();
            self.arrange(&mut all);
            return all;
        }
        let (lo, hi) = (set.min().unwrap_or(0), set.max().unwrap_or(0));
        if self.ordered {
            let middle = lo.midpoint(hi);
            return vec![Try::Range(middle + 1, hi), Try::Range(lo, middle)];
        }
        let pick = match self.random.below(8) {
            0 => lo,
            1 => hi,
            _ => set.nth(below(self.random, set.count())).unwrap_or(lo),
        };
        let (below, above) = (Try::Range(lo, pick.saturating_sub(1)), Try::Range(pick.saturating_add(1), hi));
        let mut rest: Vec<Try> = Vec::new();
        if pick > lo {
            rest.push(below);
        }
        if pick < hi {
            rest.push(above);
        }
        if self.random.chance(128) {
            rest.reverse();
        }
        rest.push(Try::Fix(Scalar::Int(pick)));
        rest
    }

    /// The last is tried first: shuffled, or the least last.
    fn arrange(&mut self, tries: &mut [Try]) {
        if self.ordered {
            tries.reverse();
        } else {
            for i in (1..tries.len()).rev() {
                tries.swap(i, self.random.index(i + 1));
            }
        }
    }

    fn texts(&mut self, frame: &mut SearchFrame, text: &TextDomain) {
        let fix = |it: Arc<str>| Try::Fix(Scalar::Text(it));
        if let Some(options) = &text.options {
            frame.tries = options.iter().cloned().map(fix).collect();
            self.arrange(&mut frame.tries);
            return;
        }
        let (Some(lo), Some(hi)) = (text.lengths.min(), text.lengths.max()) else { return };
        if lo < hi {
            let near = text.lengths.clip(lo, lo.saturating_add(if self.random.chance(64) { 64 } else { 12 }));
            let near = near.count().max(1);
            let pick =
                if self.ordered { lo } else { text.lengths.nth(below(self.random, near)).unwrap_or(lo) };
            let above = text.lengths.next_at_least(pick + 1);
            frame.tries.extend(above.map(|it| Try::Lengths(it, hi)));
            if pick > lo {
                frame.tries.push(Try::Lengths(lo, pick - 1));
            }
            frame.tries.push(Try::Lengths(pick, pick));
            return;
        }
        if lo > LENGTH_TRIED_MAX {
            frame.truncated = true;
            return self.net.note(format!("a text would be longer than {LENGTH_TRIED_MAX} characters"));
        }
        let length = lo as usize;
        let any;
        let language = match &text.language {
            Some(language) => &**language,
            None => {
                any = Language::any();
                &any
            }
        };
        let count = language.count_of_length(length);
        if count <= BigUint::from(TEXTS_MAX) {
            let count = u64::try_from(&count).unwrap_or(0);
            let all = (0..count).filter_map(|it| language.nth_of_length(length, &BigUint::from(it)));
            frame.tries =
                all.filter(|it| !text.banned.contains(it.as_str())).map(|it| fix(it.into())).collect();
            self.arrange(&mut frame.tries);
            return;
        }
        frame.truncated = true;
        for _ in 0..TEXTS_TRIED {
            let Some(sample) = language.sample_nice(self.random, length) else { break };
            if !text.banned.contains(sample.as_str()) {
                frame.tries.push(fix(sample.into()));
            }
        }
    }

    /// A concatenation lies in the concatenation of its parts' languages.
    fn narrow_whole(&mut self, node: u32, parts: &[u32]) {
        let own = |text: &TextDomain| match (text.fixed(), &text.language) {
            (Some(it), _) => Language::literal(it),
            (None, Some(language)) => Ok((**language).clone()),
            (None, None) => {
                let (least, most) = (text.lengths.min().unwrap_or(0), text.lengths.max());
                let most =
                    most.filter(|it| *it < probity_spec::propagate::domain::LENGTH_MAX).map(|it| it as usize);
                Language::of_length(least as usize, most)
            }
        };
        let whole = Language::literal("").and_then(|empty| {
            parts.iter().try_fold(empty, |whole, it| whole.concat(&own(self.net.text(*it))?))
        });
        let mut note = None;
        match whole.map(Arc::new) {
            Ok(whole) => _ = self.net.change(node, |it| note = it.within(&whole).err()),
            Err(it) => note = Some(it),
        }
        note.into_iter().for_each(|it| self.net.note(it));
    }

    /// Tries what is left at the innermost frame until something fits, or the caller says to stop. The level is entered
    /// then.
    fn advance(&mut self) -> bool {
        while let Some(next) = self.frames.last_mut().and_then(|it| it.tries.pop()) {
            let node = self.frames.last().map_or(0, |it| it.node);
            self.net.enter();
            let set = match &next {
                Try::Fix(scalar) => self.net.fix(node, scalar),
                Try::Range(lo, hi) => self.net.clip(node, *lo, *hi),
                Try::Lengths(lo, hi) => {
                    let range = IntSet::range(*lo, *hi);
                    self.net.change(node, |it| it.with_lengths(&range))
                }
                Try::All(slots) => slots.iter().try_for_each(|it| self.net.fix(it.0, &it.1)),
            };
            let fits = set.and_then(|()| self.net.propagate(self.stop)).is_ok();
            self.poll();
            self.stopped |= std::mem::take(&mut self.net.stopped);
            if std::mem::take(&mut self.net.cut_short) {
                self.steps += STEPS_CUT_SHORT;
            }
            if fits || self.stopped {
                return true;
            }
            self.net.clear();
            self.net.undo();
            self.rejected += 1;
        }
        let frame = self.frames.pop();
        self.truncated |= frame.as_ref().is_some_and(|it| it.truncated);
        // A component without any model needs no other values of those before it.
        if let Some(frame) = frame
            && frame.first
            && !self.reached[frame.component]
        {
            while self.frames.pop().is_some() {
                self.net.undo();
            }
        }
        false
    }

    /// Takes back the last choice that has something else to try.
    fn back(&mut self) -> bool {
        while !self.frames.is_empty() {
            self.net.undo();
            if self.advance() {
                return true;
            }
        }
        false
    }
}

/// A number below `n`, which is at least 1.
pub(super) fn below(random: &mut Random, n: u128) -> u128 {
    match u64::try_from(n) {
        Ok(n) => random.below(n).into(),
        // The bias is less than one in 2^64 for anything but the widest windows.
        Err(_) => ((u128::from(random.bits()) << 64) | u128::from(random.bits())) % n,
    }
}
