//! Whether every case of a test asks for too many choices.

use crate::{
    CHOICES_MAX, Misuse, Replay, Source, Span, SpanKind, Tail, Test, Trace, Value, Verdict, run_case,
};

/// How many items of a list are compared before what they take is taken for what all take.
const ITEMS_MIN: usize = 8;

/// Runs the simplest input after a case that asked for too many choices. Where that is too long as well because a
/// list has a least length, all inputs are, and to wait for shorter ones is in vain.
pub(super) fn look(test: &mut dyn Test) -> Result<(), Misuse> {
    let simplest = Replay::new(Vec::new(), Tail::Simplest);
    let case = run_case(&mut Source::new(Box::new(simplest)), test)?;
    let long = Some(case.trace).filter(|_| case.verdict == Verdict::Overrun).and_then(|it| longest(&it));
    long.map_or(Ok(()), |message| Err(Misuse { message }))
}

/// What is too long in a trace of simplest answers that was cut off.
fn longest(trace: &Trace) -> Option<String> {
    let lists = trace.spans.iter().enumerate().filter(|it| it.1.kind == SpanKind::List);
    let (list, size) = lists.filter_map(|(at, list)| Some((list, size(trace, at)?))).next()?;
    let is_its = |it: &&Span| it.kind == SpanKind::Input && it.range().start <= list.range().start;
    let input = trace.spans.iter().rfind(is_its).map_or(String::new(), |it| format!(" of `{}`", it.label));
    Some(format!(
        "every case asks for too many choices: a list{input} has {size}, but a case may ask for at most {CHOICES_MAX}; \
         draw fewer items, or make many of one drawn seed"
    ))
}

/// How long the list at span `at` is, if it is always too long.
fn size(trace: &Trace, at: usize) -> Option<String> {
    let list = &trace.spans[at];
    let items: Vec<Span> = trace.children(at).map(|it| trace.spans[it]).collect();
    // The last of them may be cut off.
    let whole = |it: &&Span| it.kind == SpanKind::Item && it.range().end < trace.choices.len();
    let lens: Vec<usize> = items.iter().filter(whole).map(Span::len).collect();
    let each = *lens.iter().min()?;
    if list.range().end < trace.choices.len() || lens.len() < ITEMS_MIN || each == 0 {
        return None;
    }
    // A length that is fixed is not asked for.
    let is_asked = items.first().is_some_and(|it| list.start < it.start);
    let length = trace.choices.get(list.range().start).filter(|_| is_asked).map(|it| it.value);
    let Some(Value::Length(length)) = length else {
        return Some(format!("a fixed length of more than {} items", lens.len()));
    };
    let choices = 1 + u64::from(length) * each as u64;
    let is_long = choices > u64::from(CHOICES_MAX) - u64::from(list.start);
    is_long.then(|| format!("at least {length} items and takes at least {choices} choices"))
}

#[cfg(test)]
mod tests {
    use crate::{Budget, Ended, Generator, Misuse, SearchResult, Source, context, search_random, vec};

    /// Searches until the clock has been looked at so often.
    fn search(looks: u64, rejects: u64, mut test: impl FnMut(&mut Source)) -> Result<SearchResult, Misuse> {
        let mut looked = 0;
        let mut go_on = |_| {
            looked += 1;
            looked <= looks
        };
        let budget = Budget { cases: 1000, rejects, go_on: &mut go_on, progress: Default::default() };
        search_random(7, &mut test, budget)
    }

    #[test]
    fn a_list_that_is_always_too_long_is_misuse() {
        fn check(generator: impl Generator<Value: std::fmt::Debug>, expected: &str) {
            let err = search(99, 10, |src| _ = src.draw_as("it", |src: &mut Source| generator.generate(src)))
                .unwrap_err();
            assert!(err.message.contains(expected), "{}", err.message);
        }
        check(
            vec(0..9, 1_000_000..=1_000_001),
            "`it` has at least 1000000 items and takes at least 1000001 choices",
        );
        check(
            vec(vec(0..9, 100), 1000..2000),
            "`it` has at least 1000 items and takes at least 100001 choices",
        );
        check((vec(0..9, 9), vec(0..9, 1 << 17)), "`it` has a fixed length of more than 65526 items");
        check(vec(vec(0..9, 1 << 17), 1..3), "`it` has a fixed length of more than 65534 items");
        check(vec(vec(0..9, 0..9), 1 << 17), "`it` has a fixed length of more than 65535 items");
    }

    #[test]
    fn a_list_that_may_be_short_is_none() {
        // The simplest answers never end, others do.
        let odd = |src: &mut Source| while !src.bool() {};
        assert_eq!(search(u64::MAX, 10, |src| _ = src.draw(vec(odd, 1..9))).unwrap().tally.cases, 1000);
        let long = search(99, 10, |src| _ = src.draw(vec(0..9, 0..=1 << 18))).unwrap();
        assert!(long.tally.cases + long.tally.overruns > 0);
    }

    #[test]
    fn time_binds_before_a_case_has_run() {
        let finding = search(10, u64::MAX, |_| context::assume(false, "never")).unwrap();
        assert_eq!((finding.ended, finding.tally.cases, finding.tally.rejected()), (Ended::Stopped, 0, 10));
        let finding = search(0, 10, |_| ()).unwrap();
        assert_eq!((finding.ended, finding.tally.cases), (Ended::Stopped, 1), "one is run however late");
        let finding = search(0, 10, |_| context::assume(false, "never")).unwrap();
        assert_eq!((finding.ended, finding.tally.rejected()), (Ended::Stopped, 1));
    }

    #[test]
    fn a_search_ends_soon_where_nearly_all_is_too_long() {
        let finding = search(u64::MAX, 10, |src| {
            loop {
                src.bool();
            }
        })
        .unwrap();
        assert_eq!((finding.ended, finding.tally.overruns), (Ended::Stopped, super::super::OVERRUNS_MAX + 1));
    }
}
