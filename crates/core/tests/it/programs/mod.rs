//! Random programs of generators, and what each of them makes, written down without any engine.
//!
//! A program is built twice: out of the library's own generators, which the exhaustive engine visits, and by `values`,
//! which lists everything of a size by the meaning of the parts alone. Values keep what was chosen, so that each stands
//! for one input.

#![allow(dead_code, reason = "included by others, who do not use all of it")]
#![allow(clippy::mutable_key_type, reason = "a lazy part is what it will be when it is read")]

mod values;

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use probity_core::{
    Boxed, Combine, Generator, Lazy, Rng, Source, btree_map, btree_set, from, just, lazy, optional, pump,
    recursive, unique, vec, weighted,
};

pub(crate) use values::check;

/// What a program makes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Val {
    Int(i64),
    Bool(bool),
    Char(char),
    Maybe(Option<Box<Val>>),
    List(Vec<Val>),
    Set(BTreeSet<Val>),
    Map(BTreeMap<Val, Val>),
    /// One of several alternatives.
    Alt(usize, Box<Val>),
    Unread,
    /// Drawn when it is read, which may be after all else is there.
    Late(Rc<Lazy<Val>>),
}

/// A generator.
#[derive(Clone, Debug)]
pub(crate) enum Gen {
    Int(i64, i64),
    Bool,
    Char(u8),
    Float,
    Maybe(Box<Gen>),
    /// With a least length and a greatest, if there is one.
    List(Box<Gen>, usize, Option<usize>),
    Pair(Box<Gen>, Box<Gen>),
    Set(Box<Gen>, usize, Option<usize>),
    Unique(Box<Gen>, usize),
    Map(Box<Gen>, Box<Gen>, Option<usize>),
    Alt(Vec<(u32, Gen)>),
    /// What is not a multiple of a number.
    Filter(Box<Gen>, u64),
    /// A number up to this, and then this many.
    Times(usize, Box<Gen>),
    /// A number up to this, and then one up to that.
    Below(i64),
    Lazy(Box<Gen>, Read),
    /// A list of as many lazy numbers up to this, of which the first has to be odd, and the others are not looked at.
    FirstOdd(usize, i64),
    /// A list of as many lazy numbers up to this, in order.
    Sorted(usize, i64),
    Neighbor(Box<Gen>),
    Pump(i64),
    /// What ends, or what contains the whole.
    Knot(Box<Gen>, Box<Gen>),
    /// What contains itself, through something that may be empty.
    Rose(Box<Gen>),
    /// The innermost `Knot` or `Rose` around it.
    Whole,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Read {
    Never,
    AtOnce,
    Late,
}

/// A number that represents a value.
pub(crate) fn weigh(it: &Val) -> u64 {
    let all = |start: u64, of: &mut dyn Iterator<Item = u64>| {
        of.fold(start, |sum, it| sum.wrapping_mul(31).wrapping_add(it + 1))
    };
    match it {
        Val::Int(it) => it.unsigned_abs(),
        Val::Bool(it) => u64::from(*it),
        Val::Char(it) => u64::from(u32::from(*it)),
        Val::Maybe(None) | Val::Unread => 0,
        Val::Maybe(Some(it)) => 1 + weigh(it),
        Val::List(it) => all(3, &mut it.iter().map(weigh)),
        Val::Set(it) => all(5, &mut it.iter().map(weigh)),
        Val::Map(it) => all(7, &mut it.iter().map(|it| weigh(it.0).wrapping_add(2 * weigh(it.1)))),
        Val::Alt(at, it) => weigh(it).wrapping_add(*at as u64),
        Val::Late(it) => weigh(it),
    }
}

/// Reads everything that is still to be read.
pub(crate) fn read(it: Val) -> Val {
    let boxed = |it: Box<Val>| Box::new(read(*it));
    match it {
        Val::Maybe(it) => Val::Maybe(it.map(boxed)),
        Val::List(it) => Val::List(it.into_iter().map(read).collect()),
        Val::Set(it) => Val::Set(it.into_iter().map(read).collect()),
        Val::Map(it) => Val::Map(it.into_iter().map(|(key, value)| (read(key), read(value))).collect()),
        Val::Alt(at, it) => Val::Alt(at, boxed(it)),
        Val::Late(it) => read(Val::clone(&it)),
        it => it,
    }
}

type Made = Boxed<'static, Val>;

fn at_most(min: usize, max: Option<usize>) -> std::ops::RangeInclusive<usize> {
    min..=max.unwrap_or(0)
}

impl Gen {
    /// The program, out of the library's generators. `whole` is what `Whole` represents.
    pub(crate) fn build(&self, whole: Option<&Made>) -> Made {
        let part = |it: &Gen| it.build(whole);
        match self {
            Gen::Int(min, max) => from(*min..=*max).map(Val::Int).boxed(),
            Gen::Bool => probity_core::any::<bool>().map(Val::Bool).boxed(),
            Gen::Char(n) => from('a'..=(b'a' + n) as char).map(Val::Char).boxed(),
            Gen::Float => from(0.0..=1.0).map(|it| Val::Int((it * 64.0) as i64)).boxed(),
            Gen::Maybe(of) => optional(part(of)).map(|it| Val::Maybe(it.map(Box::new))).boxed(),
            Gen::List(of, min, None) => vec(part(of), *min..).map(Val::List).boxed(),
            Gen::List(of, min, max) => vec(part(of), at_most(*min, *max)).map(Val::List).boxed(),
            Gen::Pair(a, b) => from((part(a), part(b))).map(|(a, b)| Val::List(vec![a, b])).boxed(),
            Gen::Set(of, min, None) => btree_set(part(of), *min..).map(Val::Set).boxed(),
            Gen::Set(of, min, max) => btree_set(part(of), at_most(*min, *max)).map(Val::Set).boxed(),
            Gen::Unique(of, max) => unique(part(of), 0..=*max).map(Val::List).boxed(),
            Gen::Map(key, value, None) => btree_map(part(key), part(value), 0..).map(Val::Map).boxed(),
            Gen::Map(key, value, max) => {
                btree_map(part(key), part(value), at_most(0, *max)).map(Val::Map).boxed()
            }
            Gen::Alt(of) => {
                let tagged = |(at, (weight, it)): (usize, &(u32, Gen))| {
                    (*weight, part(it).map(move |it| Val::Alt(at, Box::new(it))).boxed())
                };
                weighted(of.iter().enumerate().map(tagged).collect::<Vec<_>>()).boxed()
            }
            Gen::Filter(of, n) => {
                let n = *n;
                part(of).filter(move |it| !weigh(it).is_multiple_of(n)).boxed()
            }
            Gen::Times(max, of) => {
                let of = part(of);
                from(0..=*max).and_then(move |n| vec(of.clone(), n)).map(Val::List).boxed()
            }
            Gen::Below(max) => from(0..=*max)
                .and_then(|n| (just(n), 0..=n))
                .map(|(a, b)| Val::List(vec![Val::Int(a), Val::Int(b)]))
                .boxed(),
            Gen::Lazy(of, Read::Never) => lazy(part(of)).map(|_| Val::Unread).boxed(),
            Gen::Lazy(of, Read::AtOnce) => lazy(part(of)).map(Lazy::into_inner).boxed(),
            Gen::Lazy(of, Read::Late) => lazy(part(of)).map(|it| Val::Late(Rc::new(it))).boxed(),
            Gen::FirstOdd(n, max) => {
                let lazy_numbers = vec(lazy(0..=*max), *n).such_that(|it: &Vec<Lazy<i64>>| *it[0] % 2 == 1);
                let seen = |it: Lazy<i64>| Lazy::get(&it).map_or(Val::Unread, |it| Val::Int(*it));
                lazy_numbers.map(move |it| Val::List(it.into_iter().map(seen).collect())).boxed()
            }
            Gen::Sorted(n, max) => {
                let is_sorted = |it: &Vec<Lazy<i64>>| it.windows(2).all(|it| it[0] <= it[1]);
                let numbers = vec(lazy(0..=*max), *n).such_that(is_sorted);
                numbers.map(|it| Val::List(it.into_iter().map(|it| Val::Int(*it)).collect())).boxed()
            }
            Gen::Neighbor(of) => part(of).neighbor(|_, _, _| Val::Int(-1000)).boxed(),
            Gen::Pump(max) => from(0..=*max).map(|it| Val::Int(pump(it, 2))).boxed(),
            Gen::Knot(leaf, branch) => {
                let leaf = part(leaf).map(|it| Val::Alt(0, Box::new(it)));
                let branch = |whole: Made| branch.build(Some(&whole)).map(|it| Val::Alt(1, Box::new(it)));
                recursive(leaf, branch).boxed()
            }
            Gen::Rose(of) => {
                let knot = Rc::new(OnceCell::<Made>::new());
                let inner = Rc::clone(&knot);
                let whole = from(move |src: &mut Source| {
                    src.nest("rose", |src| inner.get().expect("it is set below").generate(src))
                });
                let whole = whole.boxed();
                let _ = knot.set(of.build(Some(&whole)));
                whole
            }
            Gen::Whole => whole.expect("it stands in something that contains itself").clone(),
        }
    }

    /// Whether it or a part of it is so.
    pub(crate) fn has(&self, is_so: &dyn Fn(&Gen) -> bool) -> bool {
        is_so(self) || self.parts().into_iter().any(|it| it.has(is_so))
    }

    fn parts(&self) -> Vec<&Gen> {
        match self {
            Gen::Maybe(a) | Gen::List(a, ..) | Gen::Set(a, ..) | Gen::Unique(a, _) | Gen::Filter(a, _) => {
                vec![a]
            }
            Gen::Times(_, a) | Gen::Lazy(a, _) | Gen::Neighbor(a) | Gen::Rose(a) => vec![a],
            Gen::Pair(a, b) | Gen::Map(a, b, _) | Gen::Knot(a, b) => vec![a, b],
            Gen::Alt(of) => of.iter().map(|it| &it.1).collect(),
            _ => Vec::new(),
        }
    }
}

/// Where a part of a program stands: whether the whole may be used there.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Outside,
    /// Directly: then nothing would end.
    Bare,
    /// Behind something that may be left out.
    Guarded,
}

/// A random program.
pub(crate) fn program(seed: u64) -> Gen {
    let mut rng = Rng::new(seed);
    let depth = 3 + seed % 2;
    // A third of them contain themselves for sure, or would if what is drawn for them did.
    match seed % 6 {
        0 => Gen::Rose(Box::new(part(&mut rng, depth, Place::Bare))),
        1 => Gen::Knot(Box::new(leaf(&mut rng)), Box::new(part(&mut rng, depth, Place::Guarded))),
        _ => part(&mut rng, depth, Place::Outside),
    }
}

fn part(rng: &mut Rng, depth: u64, place: Place) -> Gen {
    let guarded = if place == Place::Outside { place } else { Place::Guarded };
    if place == Place::Guarded && rng.chance(120) {
        return Gen::Whole;
    }
    if depth == 0 {
        return leaf(rng);
    }
    let same = |rng: &mut Rng| Box::new(part(rng, depth - 1, place));
    let behind = |rng: &mut Rng| Box::new(part(rng, depth - 1, guarded));
    let few = |rng: &mut Rng| if rng.chance(90) { None } else { Some(1 + rng.below(3) as usize) };
    match rng.below(20) {
        0 | 1 => Gen::Maybe(behind(rng)),
        2 | 3 => Gen::List(behind(rng), 0, few(rng)),
        4 => Gen::List(same(rng), 1, Some(2)),
        5 | 6 => Gen::Pair(same(rng), same(rng)),
        7 => Gen::Set(behind(rng), 0, few(rng)),
        8 => Gen::Set(same(rng), 1, Some(2)),
        9 => Gen::Unique(behind(rng), 2),
        10 => Gen::Map(same_key(rng), behind(rng), few(rng)),
        11 | 12 => {
            let first = (1 + rng.below(3) as u32, *same(rng));
            let rest =
                (0..=rng.below(2)).map(|_| (1 + rng.below(3) as u32, *behind(rng))).collect::<Vec<_>>();
            Gen::Alt([vec![first], rest].concat())
        }
        13 => Gen::Filter(same(rng), 2 + rng.below(3)),
        14 => Gen::Times(1 + rng.below(2) as usize, behind(rng)),
        15 => {
            let read = [Read::Never, Read::AtOnce, Read::Late][rng.below(3) as usize];
            Gen::Lazy(if read == Read::Never { behind(rng) } else { same(rng) }, read)
        }
        16 if rng.chance(80) => Gen::Neighbor(same(rng)),
        17 | 16 => Gen::Knot(same(rng), Box::new(part(rng, depth - 1, Place::Guarded))),
        18 => Gen::Rose(Box::new(part(rng, depth - 1, Place::Bare))),
        _ => leaf(rng),
    }
}

fn same_key(rng: &mut Rng) -> Box<Gen> {
    Box::new(leaf(rng))
}

fn leaf(rng: &mut Rng) -> Gen {
    match rng.below(12) {
        0..=2 => {
            let min = rng.below(5) as i64 - 2;
            Gen::Int(min, min + rng.below(4) as i64)
        }
        3 | 4 => Gen::Bool,
        5 => Gen::Char(rng.below(3) as u8),
        6 if rng.chance(60) => Gen::Float,
        6 | 7 => Gen::Below(1 + rng.below(2) as i64),
        8 => Gen::FirstOdd(1 + rng.below(3) as usize, 1 + rng.below(3) as i64),
        9 => Gen::Sorted(1 + rng.below(3) as usize, 1 + rng.below(2) as i64),
        10 => Gen::Pump(1 + rng.below(4) as i64),
        _ => Gen::Int(0, 0),
    }
}
