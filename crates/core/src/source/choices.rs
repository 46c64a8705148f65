//! The questions a generator can ask of a source.

use super::{Ask, CHOICES_MAX, PREALLOCATED_MAX, SIZE, Source};
use crate::engine::Walk;
use crate::int::Int;
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
        if self.fast {
            self.spend();
            return self.sampler.value(&domain);
        }
        if let Some(walk) = &mut self.walk {
            return walk.member(&domain);
        }
        if let Some(ask) = self.ask {
            return ask.member(&domain);
        }
        let mut recorder = self.recorder.get();
        let value = recorder.answer(&domain);
        if !recorder.silent {
            // Moved as late as this: right after it was made, copying it would wait for the processor's stores.
            recorder.trace.choices.push(Choice { domain, value });
        }
        value
    }

    /// Asks the exhaustive engine, wherever it is.
    #[inline]
    fn ask_walk<T>(&mut self, ask: impl FnOnce(&mut Walk) -> T) -> T {
        match &mut self.walk {
            Some(walk) => ask(walk),
            None => self.ask_shared_walk(ask),
        }
    }

    /// Out of line, so that the way above stays short.
    #[inline(never)]
    fn ask_shared_walk<T>(&mut self, ask: impl FnOnce(&mut Walk) -> T) -> T {
        ask(self.recorder.get().walk())
    }

    /// One of `n` alternatives.
    #[inline(always)]
    fn walk_pick(&mut self, n: u64) -> u64 {
        let known = self.walk.as_mut().and_then(|it| it.known(n));
        known.unwrap_or_else(|| self.walk_pick_unknown(n))
    }

    #[inline(never)]
    fn walk_pick_unknown(&mut self, n: u64) -> u64 {
        self.ask_walk(|it| it.pick(n))
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
        if self.fast {
            self.spend();
            return self.sampler.bool();
        }
        if let Some(ask) = self.ask {
            return (ask.word)(Ask::BOOL, 0, 1) == 1;
        }
        if self.silent {
            return self.walk_pick(2) == 1;
        }
        matches!(self.choose(Domain::Bool), Value::Bool(true))
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
        if self.plain && !T::WIDE && min <= max {
            self.spend();
            let base = min.bits();
            return T::from_bits(base.wrapping_add(self.sampler.uniform(max.bits().wrapping_sub(base))));
        }
        self.int_of_mix(min, max)
    }

    /// An integer of a case that is not plain.
    #[inline]
    fn int_of_mix<T: Int>(&mut self, min: T, max: T) -> T {
        if self.fast && !T::WIDE && min <= max {
            self.spend();
            let (base, top, origin) = (min.bits(), max.bits(), T::simplest(min, max).bits());
            let offset = self.sampler.offset(base, top.wrapping_sub(base), origin.wrapping_sub(base));
            return T::from_bits(base.wrapping_add(offset));
        }
        self.int_recorded(min, max)
    }

    /// `n` integers of `min..=max`, each an item of the list that is being drawn.
    #[inline]
    pub(crate) fn ints<T: Int>(&mut self, n: u32, min: T, max: T) -> Vec<T> {
        let mut res = Vec::with_capacity(n.min(PREALLOCATED_MAX) as usize);
        if self.fast && !T::WIDE && min < max && n <= self.left {
            self.left -= n;
            let (base, top, origin) = (min.bits(), max.bits(), T::simplest(min, max).bits());
            let domain = (base, top.wrapping_sub(base), origin.wrapping_sub(base));
            let make = |offset: u64| T::from_bits(base.wrapping_add(offset));
            self.sampler.offsets(n as usize, domain, &mut res, make);
        } else if let Some(ask) = self.ask.filter(|_| !T::WIDE && min <= max) {
            return self.asked_ints(ask, n, min, max);
        } else {
            self.items(n, |src, _| res.push(src.int(min, max)));
        }
        res
    }

    #[inline(never)]
    fn int_recorded<T: Int>(&mut self, min: T, max: T) -> T {
        if max < min {
            crate::misuse(format!("no value in {min:?}..={max:?}; swap the bounds"));
        }
        if let Some(ask) = self.ask
            && !T::WIDE
        {
            return ask.int(min, max);
        }
        if self.silent && !T::WIDE {
            let origin = T::simplest(min, max).bits();
            let (below, above) = (origin.wrapping_sub(min.bits()), max.bits().wrapping_sub(origin));
            return T::from_bits(origin.wrapping_add(self.ask_walk(|it| it.step(below, above))));
        }
        match self.choose(Domain::int(min.wide(), max.wide())) {
            Value::Int(it) => T::from_wide(it),
            other => unreachable!("{other:?} is not an integer"),
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
            crate::misuse(format!("no float in {min:?}..={max:?}; swap the bounds"));
        }
        if self.fast {
            self.spend();
            return self.sampler.float(min, max, nan, single);
        }
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
        if self.fast {
            self.spend();
            return self.sampler.char(min, max);
        }
        if let Some(ask) = self.ask {
            let code = (ask.word)(Ask::CHAR, u32::from(min).into(), u32::from(max).into());
            return char::from_u32(code as u32).unwrap_or(min);
        }
        match self.choose(Domain::Char { min, max }) {
            Value::Char(it) => it,
            other => unreachable!("{other:?} is not a character"),
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
        if self.fast {
            self.spend();
            return self.sampler.pick(n) as usize;
        }
        if let Some(ask) = self.ask {
            return ask.pick(n) as usize;
        }
        if self.silent {
            return self.walk_pick(n.into()) as usize;
        }
        self.picked(Domain::Pick { n, weights: None })
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
            crate::misuse(format!("cannot pick by the weights {weights:?}; give at least one above zero"));
        }
        if self.fast {
            self.spend();
            return self.sampler.weighted(weights) as usize;
        }
        if let Some(ask) = self.ask {
            // Not only where such an alternative is taken: to look it up would tie the path to the answer.
            self.recorder.get().beyond |= weights.contains(&0);
            return ask.pick(weights.len() as u32) as usize;
        }
        if self.silent {
            let at = self.walk_pick(weights.len() as u64) as usize;
            if weights[at] == 0 {
                self.recorder.get().beyond = true;
            }
            return at;
        }
        let shared = self.recorder.get().share_weights(weights);
        self.picked(Domain::Pick { n: weights.len() as u32, weights: Some(shared) })
    }

    /// Whether the value that was drawn gives way to a neighbour of it: a choice that only engines which go from
    /// value to value answer with yes. The random engine never does. Where every input is visited there is
    /// nothing to choose: neighbours may be anything, so they are left out, and the engine learns of it.
    pub(crate) fn takes_step(&mut self) -> bool {
        const WEIGHTS: [u32; 2] = [1, 0];
        if self.fast {
            return self.pick_weighted(&WEIGHTS) == 1;
        }
        if let Some(walk) = &mut self.walk {
            walk.narrow(Narrow::Neighbors);
            return walk.pick(1) == 1;
        }
        if let Some(ask) = self.ask {
            return ask.pick(1) == 1; // a question all the same, so that the answers replay
        }
        let mut recorder = self.recorder.get();
        let visits_all = recorder.visits_all();
        if visits_all {
            recorder.narrow(Narrow::Neighbors);
        }
        let domain = Domain::Pick { n: 2, weights: Some(WEIGHTS.into()) };
        let asked = if visits_all { &Domain::Pick { n: 1, weights: None } } else { &domain };
        let value = recorder.answer(asked);
        if !recorder.silent {
            recorder.trace.choices.push(Choice { domain, value });
        }
        value == Value::Pick(1)
    }

    fn picked(&mut self, domain: Domain) -> usize {
        match self.choose(domain) {
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
        if self.fast {
            self.spend();
            return self.sampler.length(min, usual);
        }
        if let Some(ask) = self.ask {
            // As above: whether it is longer is not looked up.
            self.recorder.get().beyond |= usual < max;
            let most = max.min(usual.max(min.saturating_add(SIZE)));
            return (ask.word)(Ask::LENGTH, min.into(), most.into()) as u32;
        }
        let len = if self.silent {
            min + self.ask_walk(|it| it.length((max - min).into())) as u32
        } else {
            match self.choose(Domain::Length { min, max, usual }) {
                Value::Length(it) => it,
                other => unreachable!("{other:?} is not a length"),
            }
        };
        if len > usual {
            self.go_beyond(len);
        }
        len
    }

    /// Notes that a list is longer than the random engine would make it. A list without a bound of its own has no
    /// more items than a case has choices: its items may draw nothing, and so be no choices that count.
    #[cold]
    fn go_beyond(&mut self, len: u32) {
        self.recorder.get().beyond = true;
        if len > CHOICES_MAX {
            unwind(Unwind::Overrun);
        }
    }
}
