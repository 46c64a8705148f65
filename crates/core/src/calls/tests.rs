//! Laws that are broken are found and named, laws that are kept are not.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use super::*;
use crate::{Budget, Failure, search_random};

/// A value whose traits break the law that its mode says, for the numbers 3 and 4.
#[derive(Debug)]
struct Odd<const MODE: u8>(u8);

const REFLEXIVE: u8 = 1;
const SYMMETRIC: u8 = 2;
const TRANSITIVE: u8 = 3;
const HASHED: u8 = 4;
const CLONED: u8 = 5;
const ORDERED: u8 = 6;
const CYCLIC: u8 = 7;
const TURNED: u8 = 8;
const READ: u8 = 9;
const RIGHT: u8 = 0;

impl<const MODE: u8> PartialEq for Odd<MODE> {
    fn eq(&self, other: &Self) -> bool {
        match MODE {
            REFLEXIVE if self.0 == 3 => false,
            SYMMETRIC => self.0 == other.0 || (self.0, other.0) == (3, 4),
            TRANSITIVE => self.0.abs_diff(other.0) <= 1,
            _ => self.0 / 8 == other.0 / 8,
        }
    }
}

impl<const MODE: u8> Eq for Odd<MODE> {}

impl<const MODE: u8> Hash for Odd<MODE> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match MODE {
            HASHED => self.0.hash(state),
            SYMMETRIC | TRANSITIVE | REFLEXIVE => {}
            _ => (self.0 / 8).hash(state),
        }
    }
}

impl<const MODE: u8> Clone for Odd<MODE> {
    fn clone(&self) -> Self {
        Odd(if MODE == CLONED { self.0 / 2 } else { self.0 })
    }
}

#[allow(clippy::non_canonical_partial_ord_impl, reason = "it breaks a law on purpose")]
impl<const MODE: u8> PartialOrd for Odd<MODE> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        if MODE == TURNED && (self.0 / 8, other.0 / 8) == (1, 2) {
            return Some(Ordering::Greater);
        }
        Some(self.cmp(other))
    }
}

impl<const MODE: u8> Ord for Odd<MODE> {
    fn cmp(&self, other: &Self) -> Ordering {
        let (a, b) = (self.0 / 8, other.0 / 8);
        match MODE {
            ORDERED => self.0.cmp(&other.0),
            // Stone, paper, scissors.
            CYCLIC if a != b && a < 3 && b < 3 => {
                if (a + 1) % 3 == b {
                    Ordering::Less
                } else {
                    Ordering::Greater
                }
            }
            SYMMETRIC | TRANSITIVE | REFLEXIVE if self == other => Ordering::Equal,
            SYMMETRIC | TRANSITIVE | REFLEXIVE => self.0.cmp(&other.0),
            _ => a.cmp(&b),
        }
    }
}

impl<const MODE: u8> fmt::Display for Odd<MODE> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", if MODE == READ { self.0 % 16 } else { self.0 })
    }
}

impl<const MODE: u8> std::str::FromStr for Odd<MODE> {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().map(Odd)
    }
}

/// What is found of a type that can only be made.
fn found<const MODE: u8>(seed: u64) -> Option<Failure> {
    static ARMS: ArmSet = ArmSet::new(&["new"], &[1]);
    let table: &'static CallTable = const {
        &CallTable {
            name: "odd",
            ty: "Odd",
            arms: &ARMS,
            calls: &[TableCall {
                is_open: |_| true,
                run: |calls| {
                    let it = calls.argument::<u8>("it", &crate::facts!(u8)).into_value();
                    let made =
                        calls.call("Odd::new", None, String::new(), false, || Ok(Odd::<MODE>(it % 32)))?;
                    calls.keep(made, "odd", "", crate::facts!(Odd<MODE>));
                    Some(())
                },
            }],
        }
    };
    let budget = Budget { cases: 1000, rejects: 10, go_on: &mut |_| true, progress: Default::default() };
    let result = search_random(seed, &mut |src: &mut Source| run_calls(src, table), budget).unwrap();
    result.failures.into_iter().next().map(|it| it.failure)
}

#[test]
fn laws_that_are_broken_are_named() {
    fn check<const MODE: u8>(law: &str) {
        for seed in 0..20 {
            let failure = found::<MODE>(seed).unwrap_or_else(|| panic!("{law} is broken, seed {seed}"));
            let expected = format!("the law of `{law}` for `Odd`");
            assert_eq!(failure.origin.place, expected, "seed {seed}: {}", failure.message);
            assert!(failure.message.contains(" = Odd("), "{}", failure.message);
        }
    }
    check::<REFLEXIVE>("Eq");
    check::<SYMMETRIC>("PartialEq");
    check::<TRANSITIVE>("PartialEq");
    check::<HASHED>("Hash");
    check::<CLONED>("Clone");
    check::<ORDERED>("Ord");
    check::<CYCLIC>("Ord");
    check::<TURNED>("Ord");
    check::<READ>("FromStr");
}

#[test]
fn laws_that_are_kept_are_not() {
    for seed in 0..20 {
        assert_eq!(found::<RIGHT>(seed), None, "seed {seed}");
    }
}

#[test]
fn iterators_have_as_many_items_as_they_say() {
    struct Liar(u32, (usize, Option<usize>));
    impl Iterator for Liar {
        type Item = ();

        fn next(&mut self) -> Option<()> {
            self.0 = self.0.checked_sub(1)?;
            Some(())
        }

        fn size_hint(&self) -> (usize, Option<usize>) {
            self.1
        }
    }
    for (n, hint, is_right) in [
        (3, (3, Some(3)), true),
        (3, (0, None), true),
        (3, (4, None), false),
        (3, (0, Some(2)), false),
        (0, (0, Some(0)), true),
        (20_000, (20_000, Some(20_000)), true),
    ] {
        assert_eq!(laws::size_hint(Liar(n, hint)).is_ok(), is_right, "{n} {hint:?}");
    }
}

#[test]
fn whose_panic_it_is() {
    let at = |place: &str, kind| Origin { kind, place: place.to_string() };
    for (place, kind, is_own) in [
        ("src/heap.rs:10:5", OriginKind::Panic, true),
        ("src/heap.rs:20:5", OriginKind::Panic, true),
        ("src/heap.rs:9:5", OriginKind::Panic, false),
        ("src/heap.rs:21:5", OriginKind::Panic, false),
        ("src/other.rs:10:5", OriginKind::Panic, false),
        ("src/heap.rs:10:5", OriginKind::Check, false),
        ("somewhere", OriginKind::Panic, false),
    ] {
        assert_eq!(is_within(&at(place, kind), ("src/heap.rs", 10, 20)), is_own, "{place} {kind:?}");
    }
}

#[test]
fn a_table_of_which_no_call_can_be_made_is_a_misuse() {
    static ARMS: ArmSet = ArmSet::new(&["len"], &[1]);
    static TABLE: CallTable = CallTable {
        name: "list",
        ty: "List",
        arms: &ARMS,
        calls: &[TableCall { is_open: |_| false, run: |_| None }],
    };
    let budget = Budget { cases: 100, rejects: 10, go_on: &mut |_| true, progress: Default::default() };
    let result = search_random(7, &mut |src: &mut Source| run_calls(src, &TABLE), budget);
    let message = result.err().map(|it| it.message).unwrap_or_default();
    assert!(message.starts_with("no call of `List` can be made"), "{message}");
}
