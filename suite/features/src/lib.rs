//! A user of Probity with one feature at a time: `cargo xtask check` runs these tests once for each. What a test needs no
//! feature for is tested every time.

#![cfg(test)]

#[allow(unused_imports, reason = "not every feature needs it")]
use probity::prelude::*;

#[probity::test]
fn lists_stay_as_long(list: Vec<i32>) {
    assert_eq!(list.iter().rev().count(), list.len());
}

#[probity::test]
#[should_panic(expected = "too long")]
fn failures_are_found(list: Vec<i32>) {
    assert!(list.len() < 3, "too long");
}

#[cfg(all(
    feature = "alone",
    not(all(feature = "concolic", target_arch = "x86_64", target_os = "linux", target_env = "gnu"))
))]
#[test]
fn the_concolic_engine_is_off() {
    let check = || probity::Check::new("off").engine("concolic").run(|src: &mut Source| _ = src.any::<u32>());
    let panic = std::panic::catch_unwind(check).unwrap_err();
    let message = panic.downcast_ref::<String>().unwrap();
    assert!(message.contains("concolic"), "{message}");
}

#[cfg(all(feature = "concolic", target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]
#[probity::test(engine = "concolic", time = "60s")]
#[should_panic(expected = "that one")]
fn a_needle_is_found(n: u32) {
    assert!(n != 123_456_789, "that one");
}

#[cfg(feature = "regex")]
#[probity::test]
fn patterns_are_generators(#[from("[a-z]{1,8}")] word: String) {
    assert!((1..=8).contains(&word.len()) && word.chars().all(|it| it.is_ascii_lowercase()));
}

#[cfg(feature = "spec")]
mod specs {
    use probity::prelude::*;

    #[derive(Clone, Debug, Spec)]
    #[spec(require = low < high)]
    struct Range {
        low: u8,
        high: u8,
    }

    #[probity::test]
    fn requirements_hold(range: Range) {
        assert!(range.low < range.high);
    }
}

#[cfg(feature = "arbitrary")]
#[probity::test]
fn types_of_arbitrary_are_drawn(#[from(probity::from_arbitrary())] pair: (bool, Option<u16>)) {
    assert!(pair.1.is_none_or(|it| u32::from(it) <= 65_535));
}

#[cfg(feature = "proptest")]
#[probity::test]
fn strategies_are_generators(
    #[from(probity::from_proptest(proptest::strategy::Strategy::prop_map(0..50, |it| it * 2)))] even: i32,
) {
    assert_eq!(even % 2, 0);
}

#[cfg(feature = "shuttle")]
mod threads {
    use shuttle::sync::atomic::{AtomicU64, Ordering::SeqCst};

    #[derive(Default)]
    struct Counter(AtomicU64);

    impl Counter {
        fn add(&self, n: u64) -> u64 {
            self.0.fetch_add(n, SeqCst)
        }
    }

    #[derive(Clone, Default)]
    struct Model(u64);

    #[probity::model(Counter, threads = 2)]
    impl Model {
        fn add(&mut self, #[from(1..=3)] n: u64) -> u64 {
            self.0 += n;
            self.0 - n
        }
    }
}
