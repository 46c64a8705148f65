//! The questions a generator can ask of a source.

use super::answerer::Answerer;
use super::{CHOICES_MAX, PREALLOCATED_MAX, SIZE, ScalarKind, Source, narrowed};
use crate::domain::{is_open, n_shut_below, open_at};
use crate::int::Int;
use crate::sampler::keep_an_end;
use crate::unwind::{Unwind, unwind};
use crate::{Choice, Domain, Narrow, Value};

impl Source {
    /// Asks the engine for a member of `domain`.
    ///
    /// ```
    /// use probity_core::{Domain, Source, Value, sample};
    /// let answer = sample(&|src: &mut Source| src.choose(Domain::Bool), 7);
    /// assert!(matches!(answer, Value::Bool(_)));
    /// ```
    pub fn choose(&mut self, domain: Domain) -> Value {
        if !self.is_recording() {
            return self.choose_unrecorded(&domain);
        }
        let mut recorder = self.recorder.get();
        let value = recorder.answer(&domain);
        // Moved as late as this: right after it was made, copying it would wait for the processor's stores.
        recorder.trace.choices.push(Choice { domain, value });
        value
    }

    #[inline(never)]
    fn choose_unrecorded(&mut self, domain: &Domain) -> Value {
        match &mut self.answerer {
            Answerer::Sampler(it) => it.ask().value(domain),
            Answerer::Walk(walk) => walk.member(domain),
            Answerer::SharedWalk => self.recorder.get().walk().member(domain),
            Answerer::Callbacks(it) => it.member(domain),
            Answerer::Engine => self.recorder.get().answer(domain),
        }
    }

    /// A coin.
    ///
    /// ```
    /// use probity_core::{Source, sample};
    /// let side = |src: &mut Source| if src.bool() { "heads" } else { "tails" };
    /// assert!(["heads", "tails"].contains(&sample(&side, 7)));
    /// ```
    #[inline]
    pub fn bool(&mut self) -> bool {
        match &mut self.answerer {
            Answerer::Sampler(it) => it.ask().bool(),
            _ => self.ask_bool(),
        }
    }

    #[inline(never)]
    fn ask_bool(&mut self) -> bool {
        match &mut self.answerer {
            Answerer::Walk(walk) => walk.pick(2) == 1,
            Answerer::SharedWalk => self.recorder.get().walk().pick(2) == 1,
            Answerer::Callbacks(it) => (it.scalar)(ScalarKind::Bool, 0, 1) == 1,
            _ => self.choose_bool(),
        }
    }

    /// Out of line, as its kin below: what it has on the stack would slow the other ways down.
    #[inline(never)]
    fn choose_bool(&mut self) -> bool {
        self.choose(Domain::Bool) == Value::Bool(true)
    }

    /// An integer of `min..=max`, simplest nearest to zero. See [`Domain::int`] for what is an error.
    ///
    /// ```
    /// use probity_core::{Source, sample};
    /// let die = |src: &mut Source| src.int(1u8, 6);
    /// assert!((1..=6).contains(&sample(&die, 7)));
    /// ```
    #[inline(always)]
    pub fn int<T: Int>(&mut self, min: T, max: T) -> T {
        match &mut self.answerer {
            Answerer::Sampler(it) if it.is_plain && !T::WIDE && min <= max => {
                let base = min.bits();
                T::from_bits(base.wrapping_add(it.ask().uniform(max.bits().wrapping_sub(base))))
            }
            _ => self.int_of_mix(min, max),
        }
    }

    /// An integer of a case that is not plain.
    #[inline]
    fn int_of_mix<T: Int>(&mut self, min: T, max: T) -> T {
        match &mut self.answerer {
            Answerer::Sampler(it) if !T::WIDE && min <= max => it.int(min, max),
            _ => self.ask_int(min, max),
        }
    }

    #[inline(never)]
    fn ask_int<T: Int>(&mut self, min: T, max: T) -> T {
        if max < min {
            crate::misuse(format!("no value in {min:?}..={max:?}; swap the bounds"));
        }
        match &mut self.answerer {
            Answerer::Walk(walk) if !T::WIDE => walk.int(min, max),
            Answerer::SharedWalk if !T::WIDE => self.recorder.get().walk().int(min, max),
            Answerer::Callbacks(it) if !T::WIDE => it.int(min, max),
            _ => self.choose_int(min, max),
        }
    }

    #[inline(never)]
    fn choose_int<T: Int>(&mut self, min: T, max: T) -> T {
        match self.choose(Domain::int(min.wide(), max.wide())) {
            Value::Int(it) => T::from_wide(it),
            other => unreachable!("{other:?} is not an integer"),
        }
    }

    /// `n` integers of `min..=max`, each an item of the list that is being drawn.
    #[inline]
    pub(crate) fn ints<T: Int>(&mut self, n: u32, min: T, max: T) -> Vec<T> {
        let mut res = Vec::with_capacity(n.min(PREALLOCATED_MAX) as usize);
        match &mut self.answerer {
            Answerer::Sampler(it) if !T::WIDE && min < max && it.has(n) => it.ints(n, min, max, &mut res),
            Answerer::Callbacks(it) if !T::WIDE && min <= max => {
                (0..n).for_each(|_| res.push(it.int(min, max)))
            }
            _ => self.items(n, |src, _| res.push(src.int(min, max))),
        }
        res
    }

    /// Adds `n` characters of all that there are to `res`, each an item of the list that is being drawn.
    pub(crate) fn add_chars(&mut self, n: u32, res: &mut String) {
        match &mut self.answerer {
            Answerer::Sampler(it) if it.is_plain && it.has(n) => it.plain_chars(n, res),
            _ => self.items(n, |src, _| res.push(src.char('\0', char::MAX))),
        }
    }

    /// A float of `min..=max`, and NaN where `nan` allows it.
    ///
    /// ```
    /// use probity_core::{Source, sample};
    /// let share = |src: &mut Source| src.f64(0.0, 1.0, false);
    /// assert!((0.0..=1.0).contains(&sample(&share, 7)));
    /// ```
    #[inline]
    pub fn f64(&mut self, min: f64, max: f64, nan: bool) -> f64 {
        self.float(min, max, nan, false)
    }

    /// A float of `min..=max`, and NaN where `nan` allows it.
    ///
    /// ```
    /// use probity_core::{Source, sample};
    /// let share = |src: &mut Source| src.f32(0.0, 1.0, false);
    /// assert!((0.0..=1.0).contains(&sample(&share, 7)));
    /// ```
    #[inline]
    pub fn f32(&mut self, min: f32, max: f32, nan: bool) -> f32 {
        self.float(f64::from(min), f64::from(max), nan, true) as f32
    }

    fn float(&mut self, min: f64, max: f64, nan: bool, single: bool) -> f64 {
        if !min.total_cmp(&max).is_le() || min.is_nan() || max.is_nan() {
            no_float(min, max);
        }
        match &mut self.answerer {
            Answerer::Sampler(it) => it.ask().float(min, max, nan, single),
            _ => self.choose_float(min, max, nan, single),
        }
    }

    #[inline(never)]
    fn choose_float(&mut self, min: f64, max: f64, nan: bool, single: bool) -> f64 {
        match self.choose(Domain::Float { min, max, nan, single }) {
            Value::Float(it) => it,
            other => unreachable!("{other:?} is not a float"),
        }
    }

    /// A character of `min..=max`.
    ///
    /// ```
    /// use probity_core::{Source, sample};
    /// let digit = |src: &mut Source| src.char('0', '9');
    /// assert!(sample(&digit, 7).is_ascii_digit());
    /// ```
    #[inline]
    pub fn char(&mut self, min: char, max: char) -> char {
        if max < min {
            crate::misuse(format!("no character in {min:?}..={max:?}; swap the bounds"));
        }
        match &mut self.answerer {
            Answerer::Sampler(it) => it.ask().char(min, max),
            _ => self.ask_char(min, max),
        }
    }

    #[inline(never)]
    fn ask_char(&mut self, min: char, max: char) -> char {
        match &mut self.answerer {
            Answerer::Callbacks(it) => it.char(min, max),
            _ => match self.choose(Domain::Char { min, max }) {
                Value::Char(it) => it,
                other => unreachable!("{other:?} is not a character"),
            },
        }
    }

    /// One of `n` alternatives, by index.
    ///
    /// ```
    /// use probity_core::{Source, sample};
    /// let drink = |src: &mut Source| ["tea", "milk"][src.pick(2)];
    /// assert!(["tea", "milk"].contains(&sample(&drink, 7)));
    /// ```
    #[inline]
    pub fn pick(&mut self, n: usize) -> usize {
        let Some(n) = u32::try_from(n).ok().filter(|&n| n > 0) else {
            crate::misuse(format!("cannot pick one of {n} alternatives; give at least one"));
        };
        match &mut self.answerer {
            Answerer::Sampler(it) => it.ask().pick(n) as usize,
            _ => self.ask_pick(n),
        }
    }

    #[inline(never)]
    fn ask_pick(&mut self, n: u32) -> usize {
        match &mut self.answerer {
            Answerer::Walk(walk) => walk.pick(n.into()) as usize,
            Answerer::SharedWalk => self.recorder.get().walk().pick(n.into()) as usize,
            Answerer::Callbacks(it) => it.pick(n) as usize,
            _ => self.choose_pick(n, None, 0),
        }
    }

    /// One of `weights.len()` alternatives, the likelier the greater its weight.
    ///
    /// ```
    /// use probity_core::{Random, Source, run_case};
    /// let mut source = Source::new(Box::new(Random::new(7)));
    /// run_case(&mut source, &mut |src: &mut Source| assert!(src.pick_weighted(&[1, 9]) < 2)).unwrap();
    /// ```
    #[inline]
    pub fn pick_weighted(&mut self, weights: &[u32]) -> usize {
        if weights.iter().all(|&it| it == 0) {
            no_weight(weights);
        }
        match &mut self.answerer {
            Answerer::Sampler(it) => it.ask().weighted(weights) as usize,
            _ => self.ask_open(weights, 0),
        }
    }

    /// As [`pick_weighted`](Source::pick_weighted), where no alternative makes the input larger than another does: what
    /// was drawn before says how large it is. There must be an end to such picks behind one choice.
    ///
    /// ```
    /// use probity_core::{Bounds, Exhaustive, Source, run_case};
    /// let mut source = Source::new(Box::new(Exhaustive::new(Bounds::default())));
    /// let mut sizes = Vec::new();
    /// while source.begin().is_ok() {
    ///     let case = run_case(&mut source, &mut |src: &mut Source| _ = src.pick_free(&[1, 2, 1])).unwrap();
    ///     sizes.push(case.trace.size());
    /// }
    /// assert_eq!(sizes, [0, 0, 0]);
    /// ```
    pub fn pick_free(&mut self, weights: &[u32]) -> usize {
        if weights.iter().all(|&it| it == 0) {
            no_weight(weights);
        }
        let n = weights.len() as u32;
        match &mut self.answerer {
            Answerer::Sampler(it) => it.ask().weighted(weights) as usize,
            Answerer::Walk(walk) => walk.pick_free(n.into()) as usize,
            Answerer::SharedWalk => self.recorder.get().walk().pick_free(n.into()) as usize,
            Answerer::Callbacks(it) => it.open(n, 0) as usize,
            Answerer::Engine => {
                let weights = Some(self.recorder.get().share_weights(weights));
                match self.choose(Domain::Pick { n, weights, shut: 0, free: true }) {
                    Value::Pick(it) => it as usize,
                    other => unreachable!("{other:?} is not a pick"),
                }
            }
        }
    }

    /// As [`pick_weighted`](Source::pick_weighted), where some alternatives are shut: those of the first 64 whose bits
    /// `shut` has. They are not among what can be picked, and the others keep their numbers. Where none that is open
    /// has a weight, all are as likely. `None` where all are shut.
    ///
    /// ```
    /// use probity_core::{Source, sample};
    /// assert_eq!(sample(&|src: &mut Source| src.pick_open(&[1, 1, 1], 0b101), 7), Some(1));
    /// assert_eq!(sample(&|src: &mut Source| src.pick_open(&[1, 1, 1], 0b111), 7), None);
    /// ```
    #[inline]
    pub fn pick_open(&mut self, weights: &[u32], shut: u64) -> Option<usize> {
        let n = weights.len() as u32;
        (n_shut_below(shut, n) < n).then(|| match &mut self.answerer {
            Answerer::Sampler(it) => it.ask().arm(weights, shut) as usize,
            _ => self.ask_open(weights, shut),
        })
    }

    /// As [`pick_open`](Source::pick_open), where one is open, and random cases may leave some out of those of this
    /// place.
    #[inline]
    pub(super) fn pick_arm(&mut self, weights: &[u32], shut: u64, site: u64) -> usize {
        match &mut self.answerer {
            Answerer::Sampler(it) => it.ask().arm_of(weights, shut, site) as usize,
            Answerer::Engine => self.choose_arm(weights, shut, 0, site),
            _ => self.ask_open(weights, shut),
        }
    }

    /// One of `n` variants of a type that has this number: what `#[derive(Generate)]` calls for an enum. Random cases may
    /// leave some out; see [`Swarm`](crate::Swarm). The first `n_ends` do not contain values of the type, and one of
    /// them stays.
    ///
    /// ```
    /// use probity_core::{Source, sample};
    /// let drink = |src: &mut Source| ["tea", "milk"][src.pick_variant(2, 2, 0x7ea)];
    /// assert!(["tea", "milk"].contains(&sample(&drink, 7)));
    /// ```
    #[inline]
    pub fn pick_variant(&mut self, n: u32, n_ends: u32, site: u64) -> usize {
        match &mut self.answerer {
            Answerer::Sampler(it) => it.ask().variant(n, n_ends, site) as usize,
            _ => self.ask_variant(n, n_ends, site),
        }
    }

    #[inline(never)]
    fn ask_variant(&mut self, n: u32, n_ends: u32, site: u64) -> usize {
        if self.is_recording() { self.choose_variant(n, n_ends, site) } else { self.ask_pick(n) }
    }

    /// As [`pick_variant`](Source::pick_variant), the likelier the greater the weight of the variant.
    ///
    /// ```
    /// use probity_core::{Source, sample};
    /// let drink = |src: &mut Source| ["tea", "milk"][src.pick_weighted_variant(&[3, 1], 2, 0x7ea)];
    /// assert!(["tea", "milk"].contains(&sample(&drink, 7)));
    /// ```
    #[inline]
    pub fn pick_weighted_variant(&mut self, weights: &[u32], n_ends: u32, site: u64) -> usize {
        match &mut self.answerer {
            Answerer::Sampler(it) => it.ask().weighted_variant(weights, n_ends, site) as usize,
            Answerer::Engine => self.choose_arm(weights, 0, n_ends, site),
            _ => self.ask_open(weights, 0),
        }
    }

    #[inline(never)]
    fn choose_variant(&mut self, n: u32, n_ends: u32, site: u64) -> usize {
        let left_out = keep_an_end(self.recorder.get().left_out(site), n_ends);
        if left_out == 0 {
            return self.choose_pick(n, None, 0);
        }
        let weights: Vec<u32> = (0..n).map(|it| is_open(left_out, it).into()).collect();
        self.choose_pick(n, Some(&weights).filter(|it| it.contains(&1)).map(|it| &it[..]), 0)
    }

    /// A recorded pick: what is left out has no weight.
    #[inline(never)]
    fn choose_arm(&mut self, weights: &[u32], shut: u64, n_ends: u32, site: u64) -> usize {
        let left_out = keep_an_end(self.recorder.get().left_out(site), n_ends);
        let n = weights.len() as u32;
        if left_out == 0 {
            return self.choose_pick(n, Some(weights), shut);
        }
        let swarm: Vec<u32> =
            (0..n).zip(weights).map(|(at, it)| if is_open(left_out, at) { *it } else { 0 }).collect();
        let has_some = (0..n).zip(&swarm).any(|(at, it)| *it > 0 && is_open(shut, at));
        self.choose_pick(n, Some(if has_some { &swarm } else { weights }), shut)
    }

    #[inline(never)]
    fn ask_open(&mut self, weights: &[u32], shut: u64) -> usize {
        let n = weights.len() as u32;
        let n_open = u64::from(n - n_shut_below(shut, n));
        let at = match &mut self.answerer {
            Answerer::Walk(walk) => open_at(shut, walk.pick(n_open) as u32) as usize,
            Answerer::SharedWalk => open_at(shut, self.recorder.get().walk().pick(n_open) as u32) as usize,
            Answerer::Callbacks(it) => {
                // Not only where such an alternative is taken: to look it up would tie the path to the answer.
                self.recorder.get().outside_random_support |= weights.contains(&0);
                return it.open(n, shut) as usize;
            }
            _ => return self.choose_pick(n, Some(weights), shut),
        };
        if weights[at] == 0 {
            self.recorder.get().outside_random_support = true;
        }
        at
    }

    /// Whether the value that was drawn gives way to a neighbor of it: a choice that only engines which go from
    /// value to value answer with yes. The random engine never does. Where every input is visited there is
    /// nothing to choose: neighbors may be anything, so they are left out, and the engine learns of it.
    pub(crate) fn takes_step(&mut self) -> bool {
        const WEIGHTS: [u32; 2] = [1, 0];
        match &mut self.answerer {
            Answerer::Sampler(it) => it.ask().weighted(&WEIGHTS) == 1,
            Answerer::Walk(walk) => walk.takes_step(),
            Answerer::SharedWalk => self.recorder.get().walk().takes_step(),
            Answerer::Callbacks(it) => {
                narrowed(Narrow::Neighbors);
                it.pick(1) == 1 // a question all the same, so that the answers replay
            }
            Answerer::Engine => {
                let mut recorder = self.recorder.get();
                let visits_all = recorder.visits_all();
                if visits_all {
                    recorder.narrow(Narrow::Neighbors);
                }
                let domain = Domain::weighted(WEIGHTS);
                let asked = if visits_all { &Domain::pick(1) } else { &domain };
                let value = recorder.answer(asked);
                recorder.trace.choices.push(Choice { domain, value });
                value == Value::Pick(1)
            }
        }
    }

    /// Whether an interpreter follows this case, so that what is drawn had better be drawn by few paths. It is a choice of its
    /// own, which separates two ways to draw where a case is replayed; no other engine takes the second by itself.
    ///
    /// ```
    /// use probity_core::{Replay, Source, Tail, Value, run_case};
    /// let test = |src: &mut Source| assert!(!src.is_interpreted());
    /// for (answer, fails) in [(0, false), (1, true)] {
    ///     let mut source = Source::new(Box::new(Replay::new(vec![Value::Pick(answer)], Tail::Simplest)));
    ///     assert_eq!(run_case(&mut source, &mut { test }).unwrap().verdict.failure().is_some(), fails);
    /// }
    /// ```
    pub fn is_interpreted(&mut self) -> bool {
        const WEIGHTS: [u32; 2] = [1, 0];
        match &mut self.answerer {
            Answerer::Sampler(it) => it.ask().weighted(&WEIGHTS) == 1,
            Answerer::Walk(walk) => walk.pick(1) == 1,
            Answerer::SharedWalk => self.recorder.get().walk().pick(1) == 1,
            // The first way is shut, so that nobody asks for what is behind it.
            Answerer::Callbacks(it) => it.open(2, 1) == 1,
            Answerer::Engine => {
                let mut recorder = self.recorder.get();
                let domain = Domain::weighted(WEIGHTS);
                let asked = if recorder.visits_all() { &Domain::pick(1) } else { &domain };
                let value = recorder.answer(asked);
                recorder.trace.choices.push(Choice { domain, value });
                value == Value::Pick(1)
            }
        }
    }

    #[inline(never)]
    fn choose_pick(&mut self, n: u32, weights: Option<&[u32]>, shut: u64) -> usize {
        let weights = weights.map(|it| self.recorder.get().share_weights(it));
        match self.choose(Domain::Pick { n, weights, shut, free: false }) {
            Value::Pick(it) => it as usize,
            other => unreachable!("{other:?} is not a pick"),
        }
    }

    /// A length of `min..=max`, where random ones are at most `usual`. Only [`list`](Source::list) and its kin ask
    /// for one, so that a length always stands before its items.
    #[inline]
    pub(crate) fn length(&mut self, min: u32, usual: u32, max: u32) -> u32 {
        if max < min {
            crate::misuse(format!("no length in {min}..={max}; swap the bounds"));
        }
        if min == max {
            return min; // a list of fixed length has nothing but its items
        }
        let usual = usual.clamp(min, max);
        match &mut self.answerer {
            Answerer::Sampler(it) => it.ask().length(min, usual, max),
            _ => self.ask_length(min, usual, max),
        }
    }

    #[inline(never)]
    fn ask_length(&mut self, min: u32, usual: u32, max: u32) -> u32 {
        let len = match &mut self.answerer {
            Answerer::Walk(walk) => min + walk.length((max - min).into()) as u32,
            Answerer::SharedWalk => min + self.recorder.get().walk().length((max - min).into()) as u32,
            Answerer::Callbacks(it) => {
                // As above: whether it is longer is not looked up.
                self.recorder.get().outside_random_support |= usual < max;
                let most = max.min(usual.max(min.saturating_add(SIZE)));
                return (it.scalar)(ScalarKind::Length, min.into(), most.into()) as u32;
            }
            _ => self.choose_length(min, usual, max),
        };
        if len > usual {
            self.exceed_random_support(len);
        }
        len
    }

    #[inline(never)]
    fn choose_length(&mut self, min: u32, usual: u32, max: u32) -> u32 {
        match self.choose(Domain::Length { min, max, usual }) {
            Value::Length(it) => it,
            other => unreachable!("{other:?} is not a length"),
        }
    }

    /// Notes that a list is longer than the random engine would make it. A list without a bound of its own has no
    /// more items than a case has choices: its items may draw nothing, and so be no choices that count.
    #[cold]
    fn exceed_random_support(&mut self, len: u32) {
        self.recorder.get().outside_random_support = true;
        if len > CHOICES_MAX {
            unwind(Unwind::Overrun);
        }
    }
}

#[cold]
fn no_float(min: f64, max: f64) -> ! {
    crate::misuse(format!("no float in {min:?}..={max:?}; swap the bounds"))
}

#[cold]
fn no_weight(weights: &[u32]) -> ! {
    crate::misuse(format!("cannot pick by the weights {weights:?}; give at least one above zero"))
}
