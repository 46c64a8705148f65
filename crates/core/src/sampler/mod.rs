//! Random answers: what a random case draws, and how often.

mod picks;
mod shape;
mod values;

use crate::domain::{n_shut_below, open_at};
use crate::rng::hash;
use crate::{Domain, Rng, Seed, Swarm, Value};

use picks::OpenVariants;
pub(crate) use picks::keep_an_end;
pub(crate) use shape::NestingDepth;
pub use shape::{CaseShape, Nesting, SizeLeft};
use shape::{Deal, Long};

/// Answers choices at random.
///
/// Every case has a *mix*, drawn from its seed, that says how its choices are answered. Deciding once
/// a case instead of once a choice keeps the common path free of branches, and gives each case a
/// character of its own: all plain, all small, many repeats, many edges.
///
/// | mix | share of the first 1,024 cases, of later ones | an integer is | a length is |
/// | --- | --- | --- | --- |
/// | simplest | the first case only | the simplest | the least |
/// | plain | 12/32, 28/32 | uniform over its domain | uniform |
/// | edgy | 12/32, 2/32 | 1/2 an edge, 1/4 of any magnitude, 1/4 repeated or close to an earlier one | 1/8 each: least, one more, greatest, a power of two or beside it; else uniform |
/// | small | 4/32, 1/32 | at most 3 from the simplest | at most 12 over the least |
/// | repeating | 4/32, 1/32 | 5/8 repeated, 1/8 close to an earlier one, 1/4 of any magnitude | uniform; one list in four repeats an earlier one |
///
/// After its first integers (16, later 2) an edgy or repeating case has up to 31 plain ones between two others.
///
/// Edges of an integer domain: least 1/4, greatest 1/4, simplest 1/8, its neighbors 1/8, powers of two
/// and their neighbors 1/4. Floats and characters have lists of their own below. A domain that does
/// not hold the wanted value gets a uniform one. A length that can pass 128 is of any magnitude in
/// seven of eight cases, so that a generous bound does not make every case slow.
///
/// Some cases have a *shape* too, whatever their mix. The first 1,024 are dealt theirs in turn, so that a thousand
/// have them all.
///
/// | shape | share of the first 1,024 cases, of later ones | values that may contain values of their own type | lists |
/// | --- | --- | --- | --- |
/// | chain | 2/32, 8/1024 | each contains one more, down to a depth of 1 to 20 or, by twos, 44 | one item or two |
/// | zigzag | 1/32, 4/1024 | the same, but it is often the second that goes on | one item or two |
/// | bush | 4/32, 8/1024 | one in eight ends, until 8, 16, 32 or 64 are nested in all | one item or two |
/// | broad | 1/32, 4/1024 | none ends before the size budget is spent | as in an even case |
/// | long | 1/32, 1/1024 | as in an even case | the first that may be has 127 to 129, 255 to 257, 511 to 513, 1,023 to 1,025 or 4,096 items; one in seven has only simplest numbers and characters |
/// | long later | 1/32, 1/1024 | as in an even case | the same, but of a list after the first or in it |
/// | even | else | each level halves the size budget; in half of the cases a value ends where it need not | up to the size budget |
///
/// Half of the cases with `Swarm::On` leave out each arm of `one_of!` and `steps!`, and each variant of a derived enum,
/// with a chance of one half: see [`Swarm`]. Where all that could be picked are left out, none is; and of a type that
/// contains itself some variant that ends stays.
///
/// A type that contains itself by way of others is one of them: of a circle of types it is the value met first that counts.
/// Lists are short only where values nest deep; a test that draws nothing of that kind has even cases there.
///
/// Edges show themselves early or not at all, so later cases have fewer of them; and from then on 32
/// cases in a row share a mix, which the processor's branch predictor repays (pairs of `i64`: 28 M cases
/// a second with a mix for each case, 60 M with runs of 32, same machine).
///
/// ```
/// use probity_core::{Domain, Sampler, Value};
/// let mut sampler = Sampler::new(7, 0);
/// assert_eq!(sampler.value(&Domain::int(0, 9)), Value::Int(0), "case 0 is the simplest");
/// ```
#[derive(Clone, Debug)]
pub struct Sampler {
    rng: Rng,
    /// Before which case the run of cases with this mix ends, and how far their numbers are from their places.
    run_end: u64,
    run_shift: u64,
    mix: Mix,
    /// Whether lists do not simply have the lengths of the mix.
    has_other_lists: bool,
    shape: CaseShape,
    long: Option<&'static Long>,
    /// Whether another list than the first is the long one.
    is_later: bool,
    /// What is left out follows from it; nothing where it is zero.
    swarm: u64,
    /// Whether it is the bits of what is left out everywhere.
    is_subset: bool,
    /// What it does not leave out of the enum that was drawn last.
    open: OpenVariants,
    /// Random bits in reserve: the last `n_quarters` groups of 32 are still to be used.
    quarters: [u64; 2],
    n_quarters: u32,
    /// What kinds of integers an edgy or repeating case wants, four bits each.
    kinds: u64,
    // Side by side, so that starting a case is one store for all of them.
    n_recent: u32,
    n_recent_floats: u32,
    n_recent_wide: u32,
    /// How many integers are plain before the next that is not.
    plain_left: u32,
    /// How many integers come before the first that are plain.
    mixed_left: u32,
    recent: [u64; RECENT as usize],
    recent_floats: [f64; RECENT as usize],
    recent_wide: i128,
    n_lists: u32,
    list_start: ListStart,
}

/// What the answers within a list follow from, as it was where an earlier list began.
#[derive(Clone, Debug)]
struct ListStart {
    rng: Rng,
    quarters: [u64; 2],
    n_quarters: u32,
    n_recent: u32,
    n_recent_floats: u32,
    recent: [u64; RECENT as usize],
    recent_floats: [f64; RECENT as usize],
}

/// How many earlier values are remembered; a power of two.
const RECENT: u32 = 8;

/// After how many integers an edgy or repeating case puts plain ones between them, fifteen or so on
/// average: a long list of nothing but edges is slower and less like real data.
const EARLY_MIXED_AT_ONCE: u32 = 16;
const LATER_MIXED_AT_ONCE: u32 = 2;
/// In the place of how many lists there were: the long one is among them.
const DONE: u32 = u32::MAX - 1;
/// The same, and all that follows is the simplest.
const DONE_SAME: u32 = u32::MAX;
/// How many cases have a mix of their own and more edges than later ones.
const EARLY_CASES: u64 = 1024;
/// How many later cases in a row share a mix.
const MIX_RUN: u64 = 32;
const EARLY_MIXES: [Mix; 32] = mixes(12, 12, 4);
const LATER_MIXES: [Mix; 32] = mixes(28, 2, 1);

const fn mixes(plain: usize, edgy: usize, small: usize) -> [Mix; 32] {
    let mut res = [Mix::Repeating; 32];
    let mut at = 0;
    while at < plain + edgy + small {
        res[at] = if at < plain {
            Mix::Plain
        } else if at < plain + edgy {
            Mix::Edgy
        } else {
            Mix::Small
        };
        at += 1;
    }
    res
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mix {
    Simplest,
    Plain,
    Edgy,
    Small,
    Repeating,
}

impl Sampler {
    /// A sampler that is not to be asked.
    pub(crate) const IDLE: Sampler = Sampler {
        rng: Rng::from_state(0),
        run_end: 0,
        run_shift: 0,
        mix: Mix::Simplest,
        has_other_lists: false,
        shape: CaseShape::EVEN,
        long: None,
        is_later: false,
        swarm: 0,
        is_subset: false,
        open: OpenVariants::NONE,
        quarters: [0; 2],
        n_quarters: 0,
        kinds: 0,
        n_recent: 0,
        n_recent_floats: 0,
        n_recent_wide: 0,
        plain_left: 0,
        mixed_left: 0,
        recent: [0; RECENT as usize],
        recent_floats: [0.0; RECENT as usize],
        recent_wide: 0,
        n_lists: 0,
        list_start: ListStart {
            rng: Rng::from_state(0),
            quarters: [0; 2],
            n_quarters: 0,
            n_recent: 0,
            n_recent_floats: 0,
            recent: [0; RECENT as usize],
            recent_floats: [0.0; RECENT as usize],
        },
    };

    /// The sampler of case number `index` in a search that was seeded with `seed`.
    #[inline]
    pub fn new(seed: impl Into<Seed>, index: u64) -> Self {
        let mut res = Sampler::IDLE;
        res.start(seed.into(), index);
        res
    }

    /// Makes this the sampler of another case.
    ///
    /// ```
    /// use probity_core::{Domain, Sampler};
    /// let (mut sampler, domain) = (Sampler::new(7, 3), Domain::int(0, 1_000_000));
    /// let first = sampler.value(&domain);
    /// sampler.value(&domain);
    /// sampler.start(7, 3);
    /// assert_eq!(sampler.value(&domain), first, "the same case, from its beginning");
    /// ```
    #[inline(never)]
    pub fn start(&mut self, seed: impl Into<Seed>, index: u64) {
        let seed: Seed = seed.into();
        let (place, index) = (index, seed.number(index));
        let early = index < EARLY_CASES;
        let in_run = MIX_RUN - index % MIX_RUN;
        self.run_end = if early { place } else { place.saturating_add(seed.consecutive(place).min(in_run)) };
        self.run_shift = index.wrapping_sub(place);
        let Seed { word: seed, swarm, .. } = seed;
        self.start_in_run(seed, index);
        let word = hash(!seed, if early { index } else { index / MIX_RUN });
        let shares = if early { &EARLY_MIXES } else { &LATER_MIXES };
        self.mix = if index == 0 { Mix::Simplest } else { shares[(word >> 59) as usize] };
        self.kinds = hash(word, index.min(EARLY_CASES));
        if early {
            self.mixed_left = EARLY_MIXED_AT_ONCE;
        }
        (self.swarm, self.is_subset) = match swarm {
            _ if index == 0 => (0, false),
            // Another bit than those that say which mix it is.
            Swarm::On => (if word >> 58 & 1 == 1 { self.kinds | 1 } else { 0 }, false),
            Swarm::Off => (0, false),
            Swarm::Exhaustive if early => (index, true),
            Swarm::Exhaustive => (EARLY_CASES + (index - EARLY_CASES) / MIX_RUN, true),
        };
        self.open = OpenVariants::NONE;
        let deal = match early {
            _ if index == 0 => Deal::default(),
            true => Deal::early(seed, index),
            false => Deal::later(word),
        };
        (self.shape, self.long, self.is_later) = (deal.shape, deal.long, deal.is_later);
        if self.long.is_some_and(|it| it.is_same) {
            self.mix = Mix::Small; // what is plain is not looked at one by one
        }
        self.has_other_lists = self.mix == Mix::Repeating || self.long.is_some() || self.shape.is_narrow();
    }

    /// Makes this the sampler of another case, whose values nest evenly and whose lists are not long: for engines that
    /// vary what they know.
    pub(crate) fn start_even(&mut self, seed: u64, index: u64) {
        self.start(Seed { swarm: Swarm::Off, ..Seed::from(seed) }, index);
        (self.shape, self.long) = (CaseShape::EVEN, None);
        self.has_other_lists = self.mix == Mix::Repeating;
    }

    /// Makes this the sampler of the case after the current one. `true` where its mix and shape may be others.
    #[inline]
    pub(crate) fn start_next(&mut self, seed: &Seed, index: u64) -> bool {
        let is_in_run = index < self.run_end;
        if is_in_run {
            self.start_in_run(seed.word, index.wrapping_add(self.run_shift));
        } else {
            self.start(*seed, index);
        }
        !is_in_run
    }

    /// How the values of the case nest.
    pub(crate) fn shape(&self) -> CaseShape {
        self.shape
    }

    #[inline]
    fn start_in_run(&mut self, seed: u64, index: u64) {
        self.rng = Rng::from_state(hash(seed, index));
        self.n_quarters = 0;
        self.n_recent = 0;
        self.n_recent_floats = 0;
        self.n_recent_wide = 0;
        self.plain_left = 0;
        self.n_lists = 0;
        self.mixed_left = LATER_MIXED_AT_ONCE;
    }

    /// A member of `domain`.
    pub fn value(&mut self, domain: &Domain) -> Value {
        match *domain {
            Domain::Bool => Value::Bool(self.bool()),
            Domain::Int { min, max, origin } => {
                let (span, from_min) = (max.abs_diff(min), origin.abs_diff(min));
                Value::Int(match (u64::try_from(span), u64::try_from(from_min)) {
                    (Ok(span), Ok(from_min)) => min + i128::from(self.offset(min as u64, span, from_min)),
                    _ => self.wide(min, max, origin),
                })
            }
            Domain::Float { min, max, nan, single } => Value::Float(self.float(min, max, nan, single)),
            Domain::Char { min, max } => Value::Char(self.char(min, max)),
            Domain::Pick { n, weights: None, shut, .. } => {
                Value::Pick(open_at(shut, self.pick(n - n_shut_below(shut, n))))
            }
            Domain::Pick { weights: Some(ref weights), shut, .. } => Value::Pick(self.arm(weights, shut)),
            Domain::Length { min, max, usual } => Value::Length(self.length(min, usual.max(min), max)),
        }
    }

    #[inline]
    pub(crate) fn bool(&mut self) -> bool {
        let it = self.rng.word() >> 63 == 1;
        it && self.mix != Mix::Simplest
    }

    /// Whether integers are uniform in this case.
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        self.mix == Mix::Plain
    }

    /// An integer of at most 64 bits, as its distance from `min`, which has the bits `base`. `span` is
    /// the distance of the greatest member, `origin` that of the simplest.
    #[inline]
    pub(crate) fn offset(&mut self, base: u64, span: u64, origin: u64) -> u64 {
        if self.mix == Mix::Plain { self.uniform(span) } else { self.mixed_offset(base, span, origin) }
    }

    #[inline]
    pub(crate) fn uniform(&mut self, span: u64) -> u64 {
        if quarters_do(span) {
            scale_quarter(self.quarter(), span)
        } else {
            scale_down(self.rng.word(), span)
        }
    }

    /// 32 random bits: a quarter of what one step of the generator gives.
    #[inline]
    fn quarter(&mut self) -> u64 {
        if self.n_quarters == 0 {
            self.quarters = self.rng.two_words();
            self.n_quarters = 4;
        }
        self.n_quarters -= 1;
        let at = 3 - self.n_quarters;
        self.quarters[at as usize / 2] >> (at % 2 * 32) & 0xffff_ffff
    }

    /// Adds `n` uniform integers to `res`: what `n` calls of [`uniform`](Self::uniform) would give, at a
    /// fraction of the price (46 `i32`: 21 ns instead of 90 ns, allocation not counted).
    #[inline(always)] // with the domain known, most of it folds away
    fn add_plain<T: Copy>(&mut self, n: usize, span: u64, res: &mut Vec<T>, make: impl Fn(u64) -> T) {
        if !quarters_do(span) {
            // The generator is copied out of `self`, so that it stays in registers.
            let mut rng = self.rng.clone();
            res.extend((0..n).map(|_| make(scale_down(rng.word(), span))));
            self.rng = rng;
            return;
        }
        let make = |quarter: u64| make(scale_quarter(quarter & 0xffff_ffff, span));
        let mut left = n;
        while left > 0 && self.n_quarters > 0 {
            res.push(make(self.quarter()));
            left -= 1;
        }
        let mut rng = self.rng.clone();
        let four = |[a, b]: [u64; 2]| [make(a), make(a >> 32), make(b), make(b >> 32)];
        let rest = left % 4;
        // Room first, then values: to look for room four at a time takes as long as to draw them.
        let start = res.len();
        res.resize(start + left - rest, make(0));
        for place in res[start..].chunks_exact_mut(4) {
            place.copy_from_slice(&four(rng.two_words()));
        }
        if rest > 0 {
            self.quarters = rng.two_words();
            self.n_quarters = 4 - rest as u32;
            res.extend_from_slice(&four(self.quarters)[..rest]);
        }
        self.rng = rng;
    }

    /// Adds `n` integers to `res`; see [`offset`](Self::offset).
    #[inline]
    pub(crate) fn offsets<T: Copy>(
        &mut self,
        n: usize,
        (base, span, origin): (u64, u64, u64),
        res: &mut Vec<T>,
        make: impl Fn(u64) -> T,
    ) {
        let mut left = n;
        while left > 0 {
            let plain = if self.mix == Mix::Plain { left } else { left.min(self.plain_left as usize) };
            self.add_plain(plain, span, res, &make);
            self.plain_left = self.plain_left.saturating_sub(plain as u32);
            left -= plain;
            if left > 0 {
                res.push(make(self.mixed_offset(base, span, origin)));
                left -= 1;
            }
        }
    }

    #[inline(never)]
    fn mixed_offset(&mut self, base: u64, span: u64, origin: u64) -> u64 {
        if self.plain_left > 0 {
            self.plain_left -= 1;
            return self.uniform(span);
        }
        // One word decides everything: its low bits say what to do, the others with what.
        let word = self.rng.word();
        let wanted = match self.mix {
            Mix::Simplest => return origin,
            Mix::Small if self.n_lists == DONE_SAME => return origin,
            Mix::Small => around(origin, word >> 62, word & 8 == 0),
            Mix::Plain | Mix::Edgy | Mix::Repeating => {
                let kinds = if self.mix == Mix::Repeating { &REPEATING } else { &EDGY };
                self.candidate(kinds[self.kind()], word, base, span, origin)
            }
        };
        let res = if wanted <= span { wanted } else { self.uniform(span) };
        self.recent[(self.n_recent % RECENT) as usize] = base.wrapping_add(res);
        self.n_recent += 1;
        if self.mixed_left > 0 {
            self.mixed_left -= 1;
        } else if self.mix != Mix::Small {
            self.plain_left = (word >> 28) as u32 & 31;
        }
        res
    }

    /// Begins a list of a repeating case: one in four is drawn from where an earlier one began, so that
    /// with the same generator it is the same list.
    #[inline(never)]
    fn repeat_list(&mut self) {
        self.n_lists += 1;
        if self.n_lists > 1 && hash(self.kinds, self.n_lists.into()) >> 62 == 0 {
            let start = self.list_start.clone();
            self.rng = start.rng;
            (self.quarters, self.n_quarters) = (start.quarters, start.n_quarters);
            (self.recent, self.n_recent) = (start.recent, start.n_recent);
            (self.recent_floats, self.n_recent_floats) = (start.recent_floats, start.n_recent_floats);
        } else {
            self.list_start = ListStart {
                rng: self.rng.clone(),
                quarters: self.quarters,
                n_quarters: self.n_quarters,
                n_recent: self.n_recent,
                n_recent_floats: self.n_recent_floats,
                recent: self.recent,
                recent_floats: self.recent_floats,
            };
        }
        self.plain_left = 0;
    }

    /// What kind of integer comes next: the same for all cases of a run, so that the branch on it is
    /// guessed right.
    #[inline]
    fn kind(&self) -> usize {
        (self.kinds >> (self.n_recent % 16 * 4)) as usize & 15
    }

    /// A distance from the least member, of the kind that is asked for.
    #[inline(always)]
    fn candidate(&self, kind: EdgeKind, word: u64, base: u64, span: u64, origin: u64) -> u64 {
        let up = word & 1 == 0;
        let scale = || {
            let bits = u64::from(64 - (span | 1).leading_zeros());
            ((word >> 1 & 0x3ff) * bits) >> 10
        };
        let any = || around(origin, (word.rotate_left(32) | 1 << 63) >> (63 - scale()), up);
        // One less, none, one more.
        let step = (word >> 11 & 3).min(2).wrapping_sub(1);
        match kind {
            EdgeKind::Least => 0,
            EdgeKind::Greatest => span,
            EdgeKind::Simplest => origin,
            EdgeKind::Neighbour => around(origin, 1, up),
            EdgeKind::Power => around(origin, (1u64 << scale()).wrapping_add(step), up),
            EdgeKind::Any => any(),
            EdgeKind::Earlier => self.earlier(word).map_or_else(any, |it| it.wrapping_sub(base)),
            EdgeKind::Close => self.earlier(word).map_or_else(any, |it| {
                let close = match word >> 13 & 3 {
                    0 | 1 => it.wrapping_add(step),
                    2 => it ^ 1 << scale(),
                    _ => it.wrapping_neg(),
                };
                close.wrapping_sub(base)
            }),
        }
    }

    #[inline]
    fn earlier(&self, word: u64) -> Option<u64> {
        let n = u64::from(self.n_recent.min(RECENT));
        (n > 0).then(|| self.recent[(((word >> 32) * n) >> 32) as usize])
    }

    /// An integer of a domain that needs more than 64 bits. Rare, so made for clarity.
    fn wide(&mut self, min: i128, max: i128, origin: i128) -> i128 {
        let span = max.abs_diff(min);
        let word = self.rng.word();
        let bits = u128::from(self.rng.word()) << 64 | u128::from(self.rng.word());
        // Up to the highest bit of what fits, so that few are refused.
        let scale = ((word >> 32) * u64::from(128 - (span | 1).leading_zeros())) >> 32;
        let magnitude = (bits | 1 << 127) >> (127 - scale);
        // Half of the powers are those at which a type ends: of all there are too many to meet these.
        let exponent = if word & 32 == 0 { scale } else { TYPE_BITS[(word >> 60) as usize] };
        let power = (1u128 << exponent).wrapping_add_signed([0, -1, 1][(bits % 3) as usize]);
        let away = |distance: u128| match word & 16 {
            0 => origin.checked_add_unsigned(distance),
            _ => origin.checked_sub_unsigned(distance),
        };
        // The kinds of the narrow ones, in the same shares.
        let wanted = match (self.mix, word & 15) {
            (Mix::Simplest, _) => return origin,
            (Mix::Plain, _) => None,
            (Mix::Small, _) => origin.checked_add((bits & 7) as i128 - 3),
            (Mix::Edgy, 0 | 1) => Some(min),
            (Mix::Edgy, 2 | 3) => Some(max),
            (Mix::Edgy, 4) => Some(origin),
            (Mix::Edgy, 5) => away(1),
            (Mix::Edgy, 6 | 7) => away(power),
            (Mix::Edgy, 8 | 9) | (Mix::Repeating, 0..=9) if self.n_recent_wide > 0 => Some(self.recent_wide),
            (Mix::Edgy, 10 | 11) | (Mix::Repeating, 10 | 11) if self.n_recent_wide > 0 => {
                self.recent_wide.checked_add([-1, 1][(bits & 1) as usize])
            }
            _ => away(magnitude),
        };
        let uniform = || match span.checked_add(1) {
            Some(n) => min.wrapping_add_unsigned(bits % n),
            None => bits as i128,
        };
        let res = wanted.filter(|it| (min..=max).contains(it)).unwrap_or_else(uniform);
        self.recent_wide = res;
        self.n_recent_wide += 1;
        res
    }

    /// A length of `min..=usual`, and in a case with a long list once up to `max`.
    #[inline]
    pub(crate) fn length(&mut self, min: u32, usual: u32, max: u32) -> u32 {
        if min == usual {
            return min;
        }
        if self.has_other_lists
            && let Some(len) = self.other_length(min, usual, max)
        {
            return len;
        }
        let room = u64::from(usual - min);
        let word = self.rng.word();
        let extra = match self.mix {
            Mix::Simplest => 0,
            Mix::Small => word % 13,
            Mix::Edgy if word & 7 < 4 => [0, 1, room, beside_power(word, min, usual)][(word & 7) as usize],
            _ if room > 128 && word & 0x38 != 0 => {
                let bits = u64::from(64 - room.leading_zeros());
                (word >> 32) & ((2 << (((word >> 6 & 0xffff) * bits) >> 16)) - 1)
            }
            _ => ((word >> 32) * (room + 1)) >> 32,
        };
        min + if extra <= room { extra } else { self.rng.below(room + 1) } as u32
    }

    /// The length that a list has for other reasons than the mix, if any.
    #[inline(never)]
    fn other_length(&mut self, min: u32, usual: u32, max: u32) -> Option<u32> {
        if let Some(long) = self.long {
            if !(min..=max).contains(&long.len) {
                return None;
            }
            if self.n_lists >= DONE {
                return None;
            }
            let n = self.n_lists;
            let is_it = if self.is_later { n > 0 && hash(self.kinds, n.into()) >> 62 != 0 } else { true };
            if !is_it {
                self.n_lists += 1;
                return None;
            }
            self.n_lists = if long.is_same { DONE_SAME } else { DONE };
            return Some(long.len);
        }
        if self.mix == Mix::Repeating {
            self.repeat_list();
        }
        self.shape.length(min, usual, || self.rng.word())
    }
}

/// A power of two or a number beside it, as what a length has over `min`; wraps where that is less.
fn beside_power(word: u64, min: u32, max: u32) -> u64 {
    let power = 1 << (((word >> 6 & 0xffff) * u64::from(33 - max.leading_zeros())) >> 16);
    let beside: u64 = [power - 1, power, power + 1][(word >> 32) as usize % 3];
    beside.wrapping_sub(min.into())
}

/// Whether 32 random bits are enough for a number of `0..=span`: the bias is then at most one in 65,536.
#[inline]
fn quarters_do(span: u64) -> bool {
    span < 1 << 16 || span == 0xffff_ffff
}

#[inline]
fn scale_quarter(quarter: u64, span: u64) -> u64 {
    (quarter * (span + 1)) >> 32
}

/// A random word as a number of `0..=span`.
#[inline]
fn scale_down(word: u64, span: u64) -> u64 {
    match span.checked_add(1) {
        Some(n) => ((u128::from(word) * u128::from(n)) >> 64) as u64,
        None => word,
    }
}

/// The place `distance` above or below `origin`; wraps when there is no such place, and is then refused.
#[inline]
fn around(origin: u64, distance: u64, up: bool) -> u64 {
    if up || origin < distance { origin.wrapping_add(distance) } else { origin - distance }
}

/// How many bits types of numbers have, with a sign and without.
const TYPE_BITS: [u64; 16] = [7, 8, 15, 16, 24, 31, 31, 32, 32, 53, 63, 63, 64, 64, 126, 127];

/// What an integer of an edgy or repeating case is.
#[derive(Clone, Copy)]
enum EdgeKind {
    Least,
    Greatest,
    Simplest,
    /// One from the simplest.
    Neighbour,
    /// A power of two from the simplest, or one beside that.
    Power,
    /// Of any magnitude.
    Any,
    Earlier,
    /// Close to an earlier one.
    Close,
}

use EdgeKind::{Any, Close, Earlier, Greatest, Least, Neighbour, Power, Simplest};

#[rustfmt::skip]
const EDGY: [EdgeKind; 16] = [
    Least, Least, Greatest, Greatest, Simplest, Neighbour, Power, Power,
    Any, Any, Any, Any, Earlier, Earlier, Close, Close,
];
#[rustfmt::skip]
const REPEATING: [EdgeKind; 16] = [
    Earlier, Earlier, Earlier, Earlier, Earlier, Earlier, Earlier, Earlier,
    Earlier, Earlier, Close, Close, Any, Any, Any, Any,
];
