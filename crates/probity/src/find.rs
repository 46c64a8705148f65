//! The existential form: not whether all inputs pass, but which is the best.

use std::panic::Location;

use probity_core::{Case, Replay, Source, Tail, Verdict, run_case};

use crate::Check;
use crate::check::name_of;
use crate::run;

/// Searches for the input with the best score, and returns what the closure makes of it.
///
/// ```
/// use probity::prelude::*;
/// // Which row of walls holds the most water?
/// let best = probity::find(|src| {
///     let walls = src.draw(vec(0..=9, 5..=5));
///     let around = |at| walls[..=at].iter().max().min(walls[at..].iter().max()).unwrap();
///     let water: i32 = (0..5).map(|at| around(at) - walls[at]).sum();
///     maximize("water", water.into());
///     walls
/// });
/// assert_eq!((best.score, best.value), (27.0, vec![9, 0, 0, 0, 9]));
/// ```
///
/// Panics where no case gives a score, where all are rejected, and where the closure fails.
#[track_caller]
pub fn find<T>(test: impl FnMut(&mut Source) -> T) -> Best<T> {
    Check::new(&name_of(Location::caller())).find(test)
}

/// The best input of a search.
///
/// ```
/// use probity::prelude::*;
/// let best = probity::find(|src| {
///     let (a, b) = src.draw((0..100, 0..100));
///     minimize("distance", f64::from((a + b - 150_i32).abs()));
///     (a, b)
/// });
/// assert_eq!((best.score, best.scores), (0.0, vec![("distance", 0.0)]));
/// assert_eq!(best.value.0 + best.value.1, 150);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Best<T> {
    /// What the closure returned for it.
    pub value: T,
    /// Its first score.
    pub score: f64,
    /// All its scores with their labels, in the order in which the closure came to them; NaN where it has none
    /// of that label. Of several scores, no case was better in all.
    pub scores: Vec<(&'static str, f64)>,
    /// How many cases ran.
    pub cases: u64,
}

impl Check<'_> {
    /// The score that is good enough: the search ends as soon as the first score reaches it.
    ///
    /// ```
    /// # use probity::prelude::*;
    /// let check = probity::Check::new("doc").goal(60.0);
    /// let best = check.find(|src| maximize("ones", f64::from(src.any::<u64>().count_ones())));
    /// assert!(best.score >= 60.0 && best.cases < 10_000);
    /// ```
    pub fn goal(mut self, score: f64) -> Self {
        self.goal = Some(score);
        self
    }

    /// Searches with the targeted engine, whatever `engine` says, for the input with the best score; returns
    /// what the closure makes of it. Nothing is stored. Panics where no case gives a score, where all are
    /// rejected, and where the closure fails.
    ///
    /// ```
    /// # use probity::prelude::*;
    /// let check = probity::Check::new("doc").cases(2000).seed(7);
    /// let best = check.find(|src| {
    ///     let word = src.draw(string('a'..='c', 0..=8));
    ///     maximize("changes", word.as_bytes().windows(2).filter(|it| it[0] != it[1]).count() as f64);
    ///     word
    /// });
    /// assert_eq!((best.score, best.value.len()), (7.0, 8));
    /// ```
    #[track_caller]
    pub fn find<T>(self, mut test: impl FnMut(&mut Source) -> T) -> Best<T> {
        let found = match run::find(self.plan(), &mut |source: &mut Source| _ = test(source)) {
            Ok(found) => found,
            Err(message) => panic!("{message}"),
        };
        let mut value = None;
        let mut source = Source::new(Box::new(Replay::new(found.value, Tail::Simplest)));
        let again = run_case(&mut source, &mut |source: &mut Source| value = Some(test(source)));
        match (again, value) {
            (Ok(Case { verdict: Verdict::Pass, .. }), Some(value)) => {
                Best { value, score: found.score, scores: found.scores, cases: found.cases }
            }
            (Ok(case), _) => {
                panic!("flaky: the best input passed; then it {}", run::describe_verdict(&case.verdict))
            }
            (Err(misuse), _) => panic!("{}", misuse.message),
        }
    }
}
