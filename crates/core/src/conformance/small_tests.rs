//! The tests on which engines are checked: small ones, of which all inputs can be visited.

use crate::{Combine, Domain, Source, SpanKind, from, vec};

/// Tests that have an end.
pub(super) const TESTS: [fn(&mut Source); 7] =
    [every_domain, every_kind, dependent_draws, filtered, guarded, floats, |src| {
        src.draw(vec(from(0..3).filter(|it| *it != 1), 0..=3));
    }];

/// Tests of which there is more than any engine is asked for.
pub(super) const UNBOUNDED: [fn(&mut Source); 3] = [endless_lists, neighbours, by_size];

pub(super) fn every_domain(source: &mut Source) {
    let float = |min, max, nan, single| Domain::Float { min, max, nan, single };
    for domain in [
        Domain::Bool,
        Domain::int(0, 0),
        Domain::int(-3, 7),
        Domain::int(5, 9),
        Domain::Int { min: -2, max: 5, origin: 2 },
        Domain::int(i128::MIN, i128::MAX),
        Domain::int(0, i128::MAX),
        Domain::int(i64::MIN.into(), i64::MAX.into()),
        float(f64::NEG_INFINITY, f64::INFINITY, true, false),
        float(0.5, 0.75, false, true),
        float(-0.0, 0.0, false, false),
        float(5e-324, 1e-322, false, false),
        Domain::Char { min: 'a', max: 'c' },
        Domain::Char { min: '\0', max: char::MAX },
        Domain::Char { min: '\u{d7fe}', max: '\u{e001}' },
        Domain::pick(1),
        Domain::weighted([0, 2, 1]),
        Domain::Pick { n: 9, weights: None, shut: 0b1_0110_0011, free: false },
        Domain::Pick { n: 4, weights: Some([3, 0, 1, 1].into()), shut: 0b1001, free: false },
        Domain::length(2, 2),
        Domain::length(0, 300),
        Domain::Length { min: 1, max: u32::MAX, usual: 1 },
        Domain::Length { min: 0, max: u32::MAX, usual: 20 },
    ] {
        source.choose(domain);
    }
}

/// A few members of each kind.
fn every_kind(source: &mut Source) {
    source.choose(Domain::Int { min: -1, max: 2, origin: 1 });
    source.choose(Domain::weighted([0, 2, 1]));
    source.choose(Domain::Pick { n: 4, weights: Some([1, 0, 2, 1].into()), shut: 0b0101, free: false });
    source.choose(Domain::Char { min: 'a', max: 'c' });
    source.choose(Domain::Length { min: 0, max: 2, usual: 1 });
    source.choose(Domain::int(7, 7));
    source.bool();
}

fn dependent_draws(source: &mut Source) {
    if source.bool() {
        source.span("nested", SpanKind::Group, |src| src.choose(Domain::int(0, 1)));
    }
    source.list("list", 0, 3, |src, i| {
        src.choose(Domain::int(0, i.into()));
    });
    if source.pick(3) == 2 {
        crate::context::assume(false, "not the last of three");
    }
}

fn filtered(source: &mut Source) {
    let first = source.draw(from(0..6).filter(|it| it % 2 == 1));
    let low = source.draw(from((0..4, 0..=first)).such_that(|it| it.0 < it.1));
    if low.0 == 1 {
        source.bool();
    }
}

/// Alternatives that open and shut.
fn guarded(source: &mut Source) {
    let mut n = 0;
    for _ in 0..3 {
        match source.pick_open(&[1, 0, 2], if n == 0 { 0b110 } else { 0b001 << n }) {
            Some(0) => n = 1,
            Some(1) => n = 2,
            Some(_) => _ = source.bool(),
            None => return,
        }
    }
}

fn floats(source: &mut Source) {
    source.f64(0.5, 0.75, false);
    source.bool();
}

fn endless_lists(source: &mut Source) {
    source.nest("endless", |src| src.list_within_size("items", 0, u32::MAX, |src, _| endless_lists(src)));
}

fn neighbours(source: &mut Source) {
    source.draw(from(0..3).neighbor(|it, _, _| it + 10));
}

fn by_size(source: &mut Source) {
    source.nest("by size", |src| {
        if src.size() > 90 && src.bool() {
            by_size(src);
        }
    });
    source.nest("by size", |src| src.size() > 3 && src.bool());
}
