//! Which parts of a failing input may vary without the failure going away.
//!
//! As SmartCheck generalises counterexamples: if a part can be replaced by other random values and the
//! test goes on failing in the same way, the part does not matter. Parts are spans and single choices,
//! the widest first; each is also made equal to others like it. What is found free one by one is then
//! varied all together. The free parts are
//! found again in the rendered inputs by comparing texts, so values need nothing but `Debug`.

mod text;
mod vary;

use crate::order::sort_by;
use crate::{
    Case, Domain, Misuse, Origin, Replay, Source, Span, SpanKind, Tail, Test, Value, Verdict, render_case,
    run_case,
};
use text::{Marks, Texts};
use vary::{Part, Vary};

/// What may vary in a failing input.
///
/// ```
/// # use probity_core::{Replay, Source, Tail, Value, explain, run_case};
/// let mut test = |src: &mut Source| assert!(src.draw((0..100, 0..100)).1 < 7);
/// let replay = Replay::new(vec![Value::Int(0), Value::Int(7)], Tail::Simplest);
/// let case = run_case(&mut Source::new(Box::new(replay)), &mut test).unwrap();
/// let explanation = explain(&case, &mut test, 1, 1000, &mut || true).unwrap().unwrap();
/// assert_eq!(explanation.patterns[0].text, "(_, 7)");
/// assert!(explanation.variations >= 40);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The inputs in order, with `_` for each part that may vary.
    pub patterns: Vec<Pattern>,
    /// How many other inputs of this pattern were run; all of them failed in the same way.
    pub variations: u64,
}

/// One input as a pattern.
///
/// ```
/// use probity_core::Pattern;
/// let pair = Pattern { name: Some("pair"), text: "(_, 7)".into(), varies: true };
/// let line = format!("{} = {}", pair.name.unwrap_or("input"), pair.text);
/// assert_eq!(line, "pair = (_, 7)");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// Its name, where it has one.
    pub name: Option<&'static str>,
    /// Its `Debug` form with `_` for each part that may vary.
    pub text: String,
    /// Whether any part may vary.
    pub varies: bool,
}

/// How many variations of one part have to fail for it to count as free.
const PART_VARIATIONS: u64 = 12;
/// How many variations of all free parts together have to fail.
const JOINT_VARIATIONS: u64 = 40;
/// How often unchanged inputs are rendered to see whether the order of a hash map shows.
const ORDER_LOOKS: usize = 8;
/// How many other parts are copied into one.
const COPIES_MAX: usize = 8;
/// How many runs are made for each variation wanted; others are rejected or do not differ.
const RUNS_PER_VARIATION: u64 = 3;

/// Finds what may vary in a failing case; `None` where nothing may. Runs the test at most about `max`
/// times, and stops when `go_on` says so.
///
/// ```
/// use probity_core::{Replay, Source, Tail, Value, explain, run_case};
/// let mut test = |src: &mut Source| {
///     let (_, b) = (src.draw_as("a", 0..100), src.draw_as("b", 0..100));
///     assert!(b < 7);
/// };
/// let replay = Replay::new(vec![Value::Int(0), Value::Int(7)], Tail::Simplest);
/// let case = run_case(&mut Source::new(Box::new(replay)), &mut test).unwrap();
/// let explanation = explain(&case, &mut test, 1, 1000, &mut || true).unwrap().unwrap();
/// let patterns: Vec<&str> = explanation.patterns.iter().map(|it| &*it.text).collect();
/// assert_eq!(patterns, ["_", "7"]);
/// ```
pub fn explain(
    case: &Case,
    test: &mut dyn Test,
    seed: u64,
    max: u64,
    go_on: &mut dyn FnMut() -> bool,
) -> Result<Option<Explanation>, Misuse> {
    let Some(failure) = case.verdict.failure() else { return Ok(None) };
    let origin = failure.origin.clone();
    let mut explainer = Explainer { case, origin, test, seed, index: 0, max, go_on, texts: None };
    explainer.run()
}

struct Explainer<'a> {
    case: &'a Case,
    origin: Origin,
    test: &'a mut dyn Test,
    seed: u64,
    index: u64,
    max: u64,
    go_on: &'a mut dyn FnMut() -> bool,
    /// The inputs as they are, for comparison.
    texts: Option<Texts>,
}

impl Explainer<'_> {
    fn run(&mut self) -> Result<Option<Explanation>, Misuse> {
        let mut unchanged = Texts::new(&self.render(&[])?.log.inputs);
        if unchanged.has_braces() {
            for _ in 0..ORDER_LOOKS {
                let again = Texts::new(&self.render(&[])?.log.inputs);
                unchanged.note_order(&again);
            }
        }
        self.texts = Some(unchanged);
        // What was drawn of an input later stands beside it.
        let spans = &self.case.trace.spans;
        let is_input = |it: &&Span| it.kind == SpanKind::Input;
        let has_input = |it: &Span| {
            let mut inputs = spans.iter().filter(is_input).filter(|input| it.depth < input.depth);
            inputs.any(|input| it.start <= input.start && input.end <= it.end)
        };
        let parts = spans.iter().filter(|it| is_input(it) || it.depth == 0 && !has_input(it));
        let mut wanted: Vec<Part> = parts.map(Part::of).collect();
        wanted.reverse();
        let mut free = Vec::new();
        while let Some(part) = wanted.pop() {
            if part.range.is_empty() {
                continue;
            }
            if self.is_simplest(&part)
                && self.survives_copies(&part)?
                && self.varies(std::slice::from_ref(&part), PART_VARIATIONS)?.is_some()
            {
                free.push(part);
            } else {
                wanted.extend(self.within(&part).into_iter().rev());
            }
        }
        self.together(free)
    }

    /// Whether the part already has its simplest answers. One that does not was kept from them by the
    /// shrinker because the test then passes, however often random variations fail.
    fn is_simplest(&self, part: &Part) -> bool {
        self.case.trace.choices[part.range.clone()].iter().all(|it| it.domain.rank(it.value) == 0)
    }

    /// Whether the test goes on failing when the part is made equal to other parts drawn alike, and when a
    /// number is at the ends of its domain: what random values seldom are, and many failures are about.
    fn survives_copies(&mut self, part: &Part) -> Result<bool, Misuse> {
        let trace = &self.case.trace;
        let values = trace.values();
        let alike =
            |it: &Span| trace.spans.iter().any(|own| own.range() == part.range && own.label == it.label);
        let spans = trace.spans.iter().filter(|it| alike(it)).map(Span::range);
        let choice = (part.range.len() == 1).then(|| &trace.choices[part.range.start].domain);
        let choices =
            (0..values.len()).filter(|&it| choice == Some(&trace.choices[it].domain)).map(|it| it..it + 1);
        let mut copies: Vec<&[Value]> = spans.chain(choices).map(|it| &values[it]).collect();
        let ends = match choice {
            Some(&Domain::Int { min, max, .. }) => vec![[Value::Int(min)], [Value::Int(max)]],
            _ => Vec::new(),
        };
        copies.splice(0..0, ends.iter().map(|it| &it[..]));
        copies.retain(|it| **it != values[part.range.clone()]);
        copies.dedup();
        for copy in copies.into_iter().take(COPIES_MAX) {
            self.index += 1;
            let mut changed = values.clone();
            changed.splice(part.range.clone(), copy.iter().copied());
            let replay = Replay::new(changed, Tail::Simplest);
            match run_case(&mut Source::new(Box::new(replay)), self.test)?.verdict {
                Verdict::Fail(failure) if failure.origin == self.origin => {}
                Verdict::Reject(_) | Verdict::Overrun => {}
                Verdict::Pass | Verdict::Fail(_) => return Ok(false),
            }
        }
        Ok(true)
    }

    fn span(&self, at: usize) -> &Span {
        &self.case.trace.spans[at]
    }

    /// The parts directly within a span: its spans, and the choices that stand in none of them.
    fn within(&self, part: &Part) -> Vec<Part> {
        let Some(at) = part.span.and_then(|span| self.case.trace.spans.iter().position(|it| *it == span))
        else {
            return Vec::new();
        };
        let inner: Vec<Span> = self.case.trace.children(at).map(|it| *self.span(it)).collect();
        let mut res: Vec<Part> = inner.iter().filter(|it| !it.is_empty()).map(Part::of).collect();
        let mut next = inner.iter().peekable();
        let alone = part.range.clone().filter(|&at| {
            // Both go upwards, so one walk over the spans is enough.
            while next.next_if(|it| it.range().end <= at).is_some() {}
            next.peek().is_none_or(|it| at < it.range().start)
        });
        // A length or a pick decides what follows it, so it cannot vary alone.
        let decides =
            |at: &usize| matches!(self.case.trace.choices[*at].value, Value::Length(_) | Value::Pick(_));
        res.extend(alone.filter(|at| !decides(at)).map(Part::choice));
        sort_by(&mut res, |a, b| a.range.start <= b.range.start);
        res
    }

    /// Varies `parts` until `wanted` variations failed. `None` when one did not, or too few could be made.
    fn varies(&mut self, parts: &[Part], wanted: u64) -> Result<Option<Vec<Texts>>, Misuse> {
        let mut seen = Vec::new();
        for _ in 0..wanted * RUNS_PER_VARIATION {
            if self.index >= self.max || !(self.go_on)() {
                return Ok(None);
            }
            let case = self.render(parts)?;
            match &case.verdict {
                Verdict::Fail(failure) if failure.origin == self.origin => {}
                Verdict::Reject(_) | Verdict::Overrun => continue,
                Verdict::Pass | Verdict::Fail(_) => return Ok(None),
            }
            let texts = Texts::new(&case.log.inputs);
            match &self.texts {
                Some(unchanged) if !texts.comparable(unchanged) => return Ok(None),
                Some(unchanged) if texts.shows_same(unchanged) => continue,
                _ => seen.push(texts),
            }
            if seen.len() as u64 == wanted {
                return Ok(Some(seen));
            }
        }
        // A part with few values gives few variations: a truth value has one.
        Ok(Some(seen).filter(|it| it.len() as u64 >= wanted.min(4)))
    }

    /// Varies all free parts at once; where that makes the failure go away, as many as go together.
    fn together(&mut self, free: Vec<Part>) -> Result<Option<Explanation>, Misuse> {
        let mut kept: Vec<Part> = Vec::new();
        if self.varies(&free, JOINT_VARIATIONS)?.is_some() {
            kept = free;
        } else {
            for part in free {
                kept.push(part);
                if kept.len() > 1 && self.varies(&kept, PART_VARIATIONS)?.is_none() {
                    kept.pop();
                }
            }
        }
        let Some(unchanged) = self.texts.clone() else { return Ok(None) };
        let mut marks = Marks::default();
        let mut variations = 0;
        for part in &kept {
            let Some(seen) = self.varies(std::slice::from_ref(part), PART_VARIATIONS)? else { continue };
            variations += seen.len() as u64;
            let is_list = |it: &Span| it.kind == SpanKind::List && it.range() == part.range;
            unchanged.mark(&seen, self.case.trace.spans.iter().any(is_list), &mut marks);
        }
        if marks.is_empty() {
            return Ok(None);
        }
        variations += self.varies(&kept, JOINT_VARIATIONS)?.map_or(0, |it| it.len() as u64);
        Ok(Some(Explanation { patterns: unchanged.patterns(&marks), variations }))
    }

    fn render(&mut self, parts: &[Part]) -> Result<Case, Misuse> {
        self.index += 1;
        let engine = Vary::new(self.case.trace.clone(), parts.to_vec(), self.seed, self.index);
        render_case(&mut Source::new(Box::new(engine)), self.test)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Function, Lazy, vec};

    #[test]
    fn parts_that_are_drawn_later_are_looked_into() {
        let mut test = |src: &mut Source| {
            type Part = Lazy<(u8, u8, Lazy<u8>)>;
            let (f, part): (Function<u8, (u8, u8)>, Part) = src.any();
            assert!(f.call(3).1 < 7 || part.1 < 2);
        };
        let values = [0, 7, 0, 2].map(Value::Int).to_vec();
        let replay = Replay::new(values, Tail::Simplest);
        let case = run_case(&mut Source::new(Box::new(replay)), &mut test).unwrap();
        let explanation = explain(&case, &mut test, 1, 1000, &mut || true).unwrap().unwrap();
        assert_eq!(explanation.patterns[0].text, "(|x| match x { 3 => (_, 7), _ => _ }, (_, 2, _))");
    }

    #[test]
    fn a_part_that_may_not_equal_another_is_not_free() {
        let mut test = |src: &mut Source| {
            let lists = (src.draw(vec(0..9, 0..=3)), src.draw(vec(0..9, 0..=3)));
            if lists.0 != lists.1 {
                crate::fail_with_error(&"differ");
            }
        };
        // The first list is free but for one value: the second.
        let answers = std::vec![Value::Length(0), Value::Length(1), Value::Int(0)];
        let replay = Replay::new(answers, Tail::Simplest);
        let case = run_case(&mut Source::new(Box::new(replay)), &mut test).unwrap();
        for seed in 0..20 {
            let explanation = explain(&case, &mut test, seed, 1000, &mut || true).unwrap().unwrap();
            let patterns: Vec<&str> = explanation.patterns.iter().map(|it| &*it.text).collect();
            assert_eq!(patterns, ["[]", "[_]"], "seed {seed}");
        }
    }
}
