//! What every engine must keep: the laws beside [`Engine`], as one suite.

use crate::{Domain, Engine, Source, SpanKind, Value, Verdict, run_case};

/// How many cases of each test an engine is asked for.
const CASES: usize = 50;

/// Panics when an engine that `make` makes breaks a law of [`Engine`]. `make` must give the same engine
/// every time.
///
/// ```
/// use probity_core::{Random, conformance};
/// conformance::check(|| Box::new(Random::new(7)));
/// ```
pub fn check(make: impl Fn() -> Box<dyn Engine>) {
    let first = traces(make(), every_domain);
    assert_eq!(first, traces(make(), every_domain), "the same engine gave different answers");
    let dependent = traces(make(), dependent_draws);
    assert_eq!(dependent, traces(make(), dependent_draws), "the same engine gave different answers");
    let none = traces(make(), |_| ());
    assert!(!none.is_empty(), "a test that draws nothing was not run");
}

fn every_domain(source: &mut Source) {
    let float = |min, max, nan, single| Domain::Float { min, max, nan, single };
    for domain in [
        Domain::Bool,
        Domain::int(0, 0),
        Domain::int(-3, 7),
        Domain::int(5, 9),
        Domain::int(i128::MIN, i128::MAX),
        Domain::int(i64::MIN.into(), i64::MAX.into()),
        float(f64::NEG_INFINITY, f64::INFINITY, true, false),
        float(0.5, 0.75, false, true),
        Domain::Char { min: 'a', max: 'c' },
        Domain::Char { min: '\0', max: char::MAX },
        Domain::Pick { n: 1, weights: None },
        Domain::Pick { n: 3, weights: Some([0, 2, 1].into()) },
    ] {
        source.choose(domain);
    }
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

fn traces(mut engine: Box<dyn Engine>, test: fn(&mut Source)) -> Vec<Vec<Value>> {
    let mut res = Vec::new();
    for _ in 0..CASES {
        if engine.begin().is_err() {
            break;
        }
        let mut source = Source::new(engine);
        // A non-member is refused where it is answered, so a failure here is a broken law.
        let case = run_case(&mut source, &mut |src: &mut Source| test(src)).expect("no misuse");
        assert!(!matches!(case.verdict, Verdict::Fail(_)), "{:?}", case.verdict);
        source.end(&case);
        engine = source.into_engine();
        res.push(case.trace.values());
    }
    res
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Aligned, Random, Replay, Tail};

    #[test]
    fn engines_conform() {
        let values = || vec![Value::Bool(true), Value::Int(99), Value::Char('x')];
        check(|| Box::new(Random::new(1)));
        check(|| Box::new(Replay::new(values(), Tail::Simplest)));
        check(|| Box::new(Replay::new(values(), Tail::Overrun)));
        let recorded =
            run_case(&mut Source::new(Box::new(Random::at(1, 1))), &mut |src: &mut Source| every_domain(src));
        let recorded = recorded.expect("no misuse").trace;
        check(|| Box::new(Aligned::new(recorded.clone())));
        check(|| Box::new(Replay::new(values(), Tail::Engine(Box::new(Random::new(2))))));
    }
}
