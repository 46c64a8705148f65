//! What a child sends, as bytes and back. Only ever read by the process that the child is a copy of: there is no
//! version.

use std::collections::BTreeSet;
use std::panic::Location;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use probity_core::{
    ArmTally, BestCase, Broken, Case, Choice, Cover, CoverTally, Curve, Domain, Drawn, Ended, Evidence,
    Explored, Failure, Found, Goal, GoalTally, Input, Log, Misuse, Origin, OriginKind, Point, Reach, Score,
    SearchResult, Site, SortedMap, SourcePlace, Span, SpanKind, Tally, Trace, Trajectory, Value, Verdict,
};

use crate::events::CoverageStatus;

/// Something that can be sent.
pub(crate) trait Wire: Sized {
    /// Adds its bytes.
    fn put(&self, out: &mut Vec<u8>);
    /// Takes it off the front; `None` where that is cut off.
    fn take(from: &mut &[u8]) -> Option<Self>;
}

/// The bytes of one thing, and a checksum: a child whose memory is broken may send anything, and places in the code
/// are sent as addresses.
pub(crate) fn bytes(it: &impl Wire) -> Vec<u8> {
    let mut res = Vec::new();
    it.put(&mut res);
    checksum(&res).put(&mut res);
    res
}

/// What [`bytes`] were made of; `None` where they are not what was sent.
pub(crate) fn read<T: Wire>(message: &[u8]) -> Option<T> {
    let (mut body, sum) = message.split_at_checked(message.len().checked_sub(8)?)?;
    if u64::take(&mut &*sum)? != checksum(body) {
        return None;
    }
    T::take(&mut body).filter(|_| body.is_empty())
}

/// FNV-1a over words, which is fast enough for every message.
fn checksum(bytes: &[u8]) -> u64 {
    let word = |it: &[u8]| it.iter().fold(0_u64, |word, byte| word << 8 | u64::from(*byte));
    let add = |hash: u64, word: u64| (hash ^ word).wrapping_mul(0x100_0000_01b3).rotate_left(29);
    bytes.chunks(8).map(word).fold(bytes.len() as u64 ^ 0xcbf2_9ce4_8422_2325, add)
}

macro_rules! numbers {
    ($($ty:ty)*) => {$(
        impl Wire for $ty {
            fn put(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }

            fn take(from: &mut &[u8]) -> Option<Self> {
                let (bytes, rest) = from.split_first_chunk()?;
                *from = rest;
                Some(<$ty>::from_le_bytes(*bytes))
            }
        }
    )*};
}

numbers! { u8 u32 u64 i128 f64 }

impl Wire for bool {
    fn put(&self, out: &mut Vec<u8>) {
        u8::from(*self).put(out);
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        Some(u8::take(from)? == 1)
    }
}

impl Wire for char {
    fn put(&self, out: &mut Vec<u8>) {
        u32::from(*self).put(out);
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        char::from_u32(u32::take(from)?)
    }
}

impl Wire for String {
    fn put(&self, out: &mut Vec<u8>) {
        (self.len() as u64).put(out);
        out.extend_from_slice(self.as_bytes());
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        let len = u64::take(from)? as usize;
        let (text, rest) = from.split_at_checked(len)?;
        *from = rest;
        String::from_utf8(text.to_vec()).ok()
    }
}

/// Each text is leaked once: there are as many as labels in the code.
impl Wire for &'static str {
    fn put(&self, out: &mut Vec<u8>) {
        self.to_string().put(out);
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        static KNOWN: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
        let text = String::take(from)?;
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        Some(known.get(text.as_str()).copied().unwrap_or_else(|| {
            let text: &'static str = text.leak();
            known.insert(text);
            text
        }))
    }
}

impl Wire for SourcePlace {
    fn put(&self, out: &mut Vec<u8>) {
        match *self {
            SourcePlace::Rust(it) => (std::ptr::from_ref(it) as u64).put(out),
            SourcePlace::Foreign { file, line } => {
                0_u64.put(out);
                file.put(out);
                line.put(out);
            }
        }
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        let address = u64::take(from)? as usize as *const Location<'static>;
        if address.is_null() {
            return Some(SourcePlace::Foreign { file: Wire::take(from)?, line: Wire::take(from)? });
        }
        // SAFETY: only `Location::caller` makes locations, and it refers to what the compiler wrote into the program;
        // anyone who sent this is a copy of this process, so that it stands at the same address here.
        unsafe { address.as_ref() }.map(SourcePlace::Rust)
    }
}

/// In loops: of iterators the compiler would make a tenth of this crate here, for all the types that are sent.
impl<T: Wire> Wire for Vec<T> {
    fn put(&self, out: &mut Vec<u8>) {
        (self.len() as u64).put(out);
        for it in self {
            it.put(out);
        }
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        let mut res = Vec::new();
        for _ in 0..u64::take(from)? {
            res.push(T::take(from)?);
        }
        Some(res)
    }
}

impl<T: Wire> Wire for Option<T> {
    fn put(&self, out: &mut Vec<u8>) {
        self.is_some().put(out);
        if let Some(it) = self {
            it.put(out);
        }
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        Some(if bool::take(from)? { Some(T::take(from)?) } else { None })
    }
}

impl<T: Wire, E: Wire> Wire for Result<T, E> {
    fn put(&self, out: &mut Vec<u8>) {
        self.is_ok().put(out);
        match self {
            Ok(it) => it.put(out),
            Err(it) => it.put(out),
        }
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        Some(if bool::take(from)? { Ok(T::take(from)?) } else { Err(E::take(from)?) })
    }
}

impl<A: Wire, B: Wire> Wire for (A, B) {
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
        self.1.put(out);
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        Some((A::take(from)?, B::take(from)?))
    }
}

impl<K: Wire + Ord, V: Wire> Wire for SortedMap<K, V> {
    fn put(&self, out: &mut Vec<u8>) {
        (self.len() as u64).put(out);
        for (key, value) in self.iter() {
            key.put(out);
            value.put(out);
        }
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        let mut res = SortedMap::default();
        for _ in 0..u64::take(from)? {
            let (key, value) = (K::take(from)?, V::take(from)?);
            res.entry(key, || value);
        }
        Some(res)
    }
}

/// Structs, by their fields.
macro_rules! structs {
    ($($ty:ident { $($field:ident),* })*) => {$(
        impl Wire for $ty {
            fn put(&self, out: &mut Vec<u8>) {
                $(self.$field.put(out);)*
            }

            fn take(from: &mut &[u8]) -> Option<Self> {
                Some($ty { $($field: Wire::take(from)?),* })
            }
        }
    )*};
}

structs! {
    ArmTally { names, entered }
    Broken { message, location }
    Case { trace, verdict, log, news }
    Choice { domain, value }
    Trajectory { curves, accepted, restarts, best }
    Cover { what, location, percent, held }
    CoverageStatus { cases, time, blocks, functions, corpus, last_news, findings }
    CoverTally { what, percent, held, reached }
    Curve { label, minimize, points }
    Evidence { reach, climb, explored }
    Explored {
        asked, runs, paths, complete, complete_to, losses, unknown, queries, divergences, failing, accepted, bound, unconfirmed, near,
        instructions, unsupported, time
    }
    Failure { message, origin }
    Goal { label, location, must, held }
    GoalTally { location, must, held }
    Found { index, failure, case }
    Input { name, text, arm }
    Log { inputs, notes, broken, labels, remarks, covers, goals, scores }
    Misuse { message }
    Origin { kind, place }
    BestCase { case, scores, values, inputs }
    Point { case, current, best }
    Reach { size, share, visited, all, full, floats, neighbors, sized, cut, strayed, rest }
    Score { label, value, minimize }
    SearchResult { failures, ended, tally, evidence }
    Site { what, location }
    Span { label, kind, start, end, depth }
    Tally { cases, rejects, overruns, neighbours, labels, remarks, covers, goals, arms, scores }
    Trace { choices, spans }
}

/// Enums, by the number of their variant and its fields.
macro_rules! enums {
    ($($ty:ident { $($n:literal $variant:ident $({ $($field:ident),* })? $(( $($it:ident),* ))?),* })*) => {$(
        impl Wire for $ty {
            fn put(&self, out: &mut Vec<u8>) {
                match self {
                    $($ty::$variant $({ $($field),* })? $(($($it),*))? => {
                        out.push($n);
                        $($($field.put(out);)*)?
                        $($($it.put(out);)*)?
                    })*
                }
            }

            fn take(from: &mut &[u8]) -> Option<Self> {
                Some(match u8::take(from)? {
                    $($n => {
                        $($(let $field = Wire::take(from)?;)*)?
                        $($(let $it = Wire::take(from)?;)*)?
                        $ty::$variant $({ $($field),* })? $(($($it),*))?
                    })*
                    _ => return None,
                })
            }
        }
    )*};
}

// Stages list their own messages, with `Wire` in scope.
#[cfg(all(feature = "concolic", target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]
pub(crate) use enums;

enums! {
    Drawn { 0 Input(it), 1 ArmBegins(name), 2 ArmEnds, 3 Made(name) }
    Domain {
        0 Bool, 1 Int { min, max, origin }, 2 Float { min, max, nan, single }, 3 Char { min, max },
        4 Pick { n, weights, shut, free }, 5 Length { min, max, usual }
    }
    Ended { 0 Complete, 1 Exhausted, 2 Budget, 3 Stopped }
    OriginKind { 0 Panic, 1 Error, 2 Check, 3 Died, 4 Model, 5 Foreign }
    SpanKind { 0 Group, 1 List, 2 Item, 3 Discarded, 4 Input, 5 Neighbor, 6 Arm }
    Value { 0 Bool(it), 1 Int(it), 2 Float(it), 3 Char(it), 4 Pick(it), 5 Length(it) }
    Verdict { 0 Pass, 1 Reject(site), 2 Overrun, 3 Fail(failure), 4 Skipped }
}

impl<T: Wire> Wire for Box<T> {
    fn put(&self, out: &mut Vec<u8>) {
        (**self).put(out);
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        Some(Box::new(T::take(from)?))
    }
}

impl Wire for Duration {
    fn put(&self, out: &mut Vec<u8>) {
        (self.as_nanos() as u64).put(out);
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        Some(Duration::from_nanos(u64::take(from)?))
    }
}

impl Wire for Arc<[u32]> {
    fn put(&self, out: &mut Vec<u8>) {
        self.to_vec().put(out);
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        Some(Vec::take(from)?.into())
    }
}

#[cfg(test)]
mod tests {
    use probity_core::{Random, Source, any, context, just, render_case, vec, weighted};

    use super::*;

    #[test]
    fn cases_come_back_from_their_bytes() {
        for seed in 0..50 {
            let mut test = |src: &mut Source| {
                let list: Vec<(i64, Option<char>, f32)> = src.draw_as("list", vec(any(), 0..9));
                let n = src.draw(weighted([(3, just(1_u8)), (1, just(200))]));
                context::note(format_args!("{} and {n}", list.len()));
                context::label(format_args!("{n}"));
                context::cover(5.0, n > 1, "n > 1");
                context::maximize("n", n.into());
                context::assume(n != 200 || list.len() < 5, "short");
                if list.len() == 2 {
                    context::broken(format_args!("two"));
                }
                assert!(list.len() < 7, "too long");
            };
            let case = render_case(&mut Source::new(Box::new(Random::new(seed))), &mut test).unwrap();
            let sent = bytes(&Ok::<Case, Misuse>(case.clone()));
            let again = read::<Result<Case, Misuse>>(&sent).unwrap().unwrap();
            assert_eq!((again.trace, again.verdict, again.log), (case.trace, case.verdict, case.log));
            for len in 0..sent.len() {
                assert!(read::<Result<Case, Misuse>>(&sent[..len]).is_none(), "cut off at {len}");
                let mut changed = sent.clone();
                changed[len] ^= 1 << (len % 8);
                assert!(read::<Result<Case, Misuse>>(&changed).is_none(), "changed at {len}");
            }
        }
    }
}
