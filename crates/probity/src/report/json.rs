//! Events as lines of JSON.

use std::fmt::Write;

use probity_core::{Curve, Explanation, Input, Reach};

use crate::events::{
    ArmUse, BestCase, Event, Explored, Failed, FoundBy, GoalEnd, Origins, Proof, Trajectory, VERSION,
};

/// One event as one line, without its end.
pub(super) fn render(test: &str, event: &Event) -> String {
    let mut object = JsonObject::new();
    match event {
        Event::Started { seed, engine, cases } => {
            object.text("event", "started").text("test", test).number("version", VERSION);
            object.text("seed", &format!("{seed:#x}")).text("engine", engine.name()).number("cases", cases);
        }
        Event::Replaying { replay } => {
            object.text("event", "replaying").text("test", test).text("replay", replay);
        }
        Event::ReplayedShort { given, asked } => {
            object.text("event", "replayed_short").text("test", test);
            object.number("given", given).number("asked", asked);
        }
        Event::Unusable { path, reason } => {
            object.text("event", "unusable").text("test", test);
            object.text("path", &path.display().to_string()).text("reason", reason);
        }
        Event::Prepared(it) => {
            object.text("event", "prepared").text("test", test).number("inputs", it.inputs);
            object.number("wanted", it.wanted).number("milliseconds", it.time.as_millis());
            if let Some(total) = &it.total {
                object.text("total", total);
            }
            let origin = match &it.origin {
                Origins::New => "new",
                Origins::Reused => "reused",
                Origins::Changed => "changed",
                Origins::Damaged(_) => "damaged",
            };
            object.text("origin", origin);
            if let Some((path, saved)) = &it.saved {
                object.text("path", &path.display().to_string());
                if let Err(err) = saved {
                    object.text("not_saved", err);
                }
            }
        }
        Event::Found { case, failure } => {
            object.text("event", "found").text("test", test).number("case", case);
            object.text("message", &failure.message).text("origin", &failure.origin.to_string());
        }
        Event::Failed(failed) => {
            object.text("event", "failed").text("test", test);
            self::failed(&mut object, failed);
        }
        Event::Hangs { time, example, inputs, replay } => {
            object.text("event", "hangs").text("test", test).number("milliseconds", time.as_millis());
            if let Some(text) = example {
                object.text("example", text);
            }
            object.raw("inputs", &self::inputs(inputs)).text("replay", replay);
        }
        Event::ThreadPanicked { thread, place, message, times } => {
            object.text("event", "thread_panicked").text("test", test);
            if let Some(thread) = thread {
                object.text("thread", thread);
            }
            object.text("place", place).text("message", message).number("times", times);
        }
        Event::Ends { how } => {
            object.text("event", "ends").text("test", test).text("how", how);
        }
        Event::Goal { label, place, must, end } => {
            object.text("event", "goal").text("test", test).text("label", label).text("place", place);
            object.raw("must", &must.to_string());
            match end {
                GoalEnd::Reached(it) => object.text("end", "reached").raw("inputs", &inputs(it)),
                GoalEnd::Unreachable => object.text("end", "unreachable"),
                GoalEnd::NotReached(why) => object.text("end", "not reached").text("why", why),
            };
        }
        Event::NotCovered { place, tally } => {
            object
                .text("event", "not_covered")
                .text("test", test)
                .text("place", place)
                .text("what", tally.what);
            object
                .number("percent", tally.percent)
                .number("held", tally.held)
                .number("reached", tally.reached);
        }
        Event::TooManyRejects { cases, wanted, rejected, sites, overruns, late, .. } => {
            object.text("event", "too_many_rejects").text("test", test).number("cases", cases);
            object.number("wanted", wanted).number("rejected", rejected).number("overruns", overruns);
            object.raw("late", &late.to_string());
            let sites = sites.iter().map(|(site, n)| {
                let mut object = JsonObject::new();
                object
                    .text("what", site.what)
                    .text("place", &site.location.to_string())
                    .number("rejected", n);
                object.end()
            });
            object.raw("sites", &array(sites));
        }
        Event::Progress { size, share, cases, time, left } => {
            object.text("event", "progress").text("test", test).number("size", size).number("share", share);
            object.number("cases", cases).number("milliseconds", time.as_millis());
            object.number("milliseconds_left", left.as_millis());
        }
        Event::Unwatched { why } => {
            object.text("event", "unwatched").text("test", test).text("why", why);
        }
        Event::Covering(it) => {
            object.text("event", "covering").text("test", test).number("cases", it.cases);
            object.number("milliseconds", it.time.as_millis()).number("rate", it.rate());
            object.number("blocks", it.blocks).number("functions", it.functions).number("corpus", it.corpus);
            object.number("milliseconds_since_news", it.last_news.as_millis());
            object.number("findings", it.findings);
        }
        Event::NeverEntered { place, arms, cases } => {
            object.text("event", "never_entered").text("test", test).text("place", place);
            object.raw("arms", &array(arms.iter().map(|it| quote(it)))).number("cases", cases);
        }
        Event::Remark { text, cases } => {
            object.text("event", "remark").text("test", test).text("text", text).number("cases", cases);
        }
        Event::Required { conditions } => {
            object.text("event", "required").text("test", test);
            let conditions = conditions.iter().map(|it| {
                let mut object = JsonObject::new();
                object.text("text", it.text).raw("narrows", &it.narrows.to_string());
                object.number("passed", it.passed).number("reached", it.reached);
                object.end()
            });
            object.raw("conditions", &array(conditions));
        }
        Event::NotInOrder { cases } => {
            object.text("event", "not_in_order").text("test", test).number("cases", cases);
        }
        Event::FewCases { cases, wanted, rejected, time } => {
            object.text("event", "few_cases").text("test", test).number("cases", cases);
            object.number("wanted", wanted).number("rejected", rejected);
            object.number("milliseconds", time.as_millis());
        }
        Event::EmptyShard { part, of } => {
            object.text("event", "empty_shard").text("test", test).number("part", part).number("of", of);
        }
        Event::Passed { tally, time, reach, part, climb, explored, .. } => {
            object.text("event", "passed").text("test", test).number("cases", tally.cases);
            object.number("rejected", tally.rejected()).number("milliseconds", time.as_millis());
            if let Some(Reach { size, share, all, visited, floats, neighbors, sized, cut, .. }) = reach {
                object.number("size", size).number("share", share).number("visited", visited);
                object.raw("all", &(*all && part.is_none()).to_string());
                // Why not all, where larger inputs are not the reason.
                for (why, is_so) in [("floats", floats), ("neighbors", neighbors), ("sized", sized)] {
                    if *is_so {
                        object.raw(why, "true");
                    }
                }
                if let Some(cut) = cut {
                    object.number("cut", cut);
                }
            }
            if let Some(part) = part {
                object.text("part", part);
            }
            let mut labels = JsonObject::new();
            for (label, n) in tally.labels.iter() {
                labels.number(label, n);
            }
            object.raw("labels", &labels.end());
            self::climb(&mut object, climb.as_deref());
            if let Some(it) = explored {
                object.raw("explored", &self::explored(it));
            }
        }
    }
    object.end()
}

fn failed(object: &mut JsonObject, it: &Failed) {
    object.number("number", it.number.0).number("of", it.number.1);
    match &it.found_by {
        FoundBy::Example(text) => object.text("found_by", "example").text("example", text),
        FoundBy::Stored(path) => {
            object.text("found_by", "stored").text("stored", &path.display().to_string())
        }
        FoundBy::Replay => object.text("found_by", "replay"),
        FoundBy::Search { engine, seed, case, cases, rejected, size } => {
            object
                .text("found_by", "search")
                .text("engine", engine.name())
                .text("seed", &format!("{seed:#x}"));
            if let Some(size) = size {
                object.number("size", size);
            }
            object.number("case", case).number("cases", cases).number("rejected", rejected)
        }
    };
    object.raw("inputs", &inputs(&it.inputs)).text("message", &it.failure.message);
    object.text("origin", &it.failure.origin.to_string());
    object.raw("broken", &array(it.broken.iter().map(|it| quote(&it.message))));
    object.raw("notes", &array(it.notes.iter().map(|it| quote(it))));
    if let Some(ArmUse { needed, never, .. }) = &it.arms {
        object.raw("arms", &array(needed.iter().map(|it| quote(it))));
        object.raw("never_entered", &array(never.iter().map(|it| quote(it))));
    }
    if let Some(Explanation { patterns, variations }) = &it.explanation {
        object
            .raw("patterns", &array(patterns.iter().map(|it| quote(&it.text))))
            .number("variations", variations);
    }
    if let Some(flaky) = &it.flaky {
        object.raw("flaky", "true").text("first", &flaky.first).text("again", &flaky.again);
    }
    if let Some(again) = &it.again {
        object.text("again", again);
    }
    if let Some(shrunk) = &it.shrunk {
        object.number("shrink_steps", shrunk.steps).number("shrink_runs", shrunk.runs);
    }
    if let Some(Ok(path)) = &it.saved {
        object.text("saved", &path.display().to_string());
    }
    climb(object, it.climb.as_deref());
    object.text("replay", &it.replay);
}

fn explored(it: &Explored) -> String {
    let mut object = JsonObject::new();
    object.number("runs", it.runs).number("paths", it.paths).raw("complete", &it.complete.to_string());
    if let Some((size, paths)) = it.complete_to {
        object.number("complete_to_size", size).number("complete_to_paths", paths);
    }
    object.raw("exact", &it.is_exact().to_string());
    match it.proof() {
        Proof::EveryInput => object.text("proof", "every input"),
        Proof::UpTo(most) => object.text("proof", "bounded").number("proof_choices", most),
        Proof::Missing(why) => object.text("proof", "none").text("not_proved", &why),
    };
    if let Some(bound) = it.bound {
        object.number("bound", bound);
    }
    object.raw(
        "losses",
        &array(it.losses.iter().map(|(what, n)| {
            let mut object = JsonObject::new();
            object.text("what", what).number("times", n);
            object.end()
        })),
    );
    object.number("unknown", it.unknown).number("queries", it.queries);
    object.number("divergences", it.divergences).number("unconfirmed", it.unconfirmed);
    object.number("near", it.near);
    object.number("instructions", it.instructions).number("milliseconds", it.time.as_millis());
    if let Some(why) = &it.unsupported {
        object.text("unsupported", why);
    }
    object.end()
}

fn climb(object: &mut JsonObject, it: Option<&Trajectory>) {
    let Some(climb) = it else { return };
    let curves = climb.curves.iter().map(|Curve { label, minimize, points }| {
        let mut object = JsonObject::new();
        object.text("label", label).raw("minimize", &minimize.to_string());
        object.raw("best", &float(points.last().map_or(f64::NAN, |it| it.best)));
        let points =
            points.iter().map(|it| format!("[{},{},{}]", it.case, float(it.current), float(it.best)));
        object.raw("points", &array(points));
        object.end()
    });
    object.raw("scores", &array(curves));
    object.number("accepted", climb.accepted).number("restarts", climb.restarts);
    let best = climb.best.iter().map(|BestCase { case, scores, inputs, .. }| {
        let mut object = JsonObject::new();
        object.number("case", case).raw("scores", &array(scores.iter().map(|it| float(*it))));
        object.raw("inputs", &self::inputs(inputs));
        object.end()
    });
    object.raw("best", &array(best));
}

/// JSON has neither infinite numbers nor what is no number.
fn float(it: f64) -> String {
    if it.is_finite() { format!("{it:?}") } else { "null".to_string() }
}

fn inputs(inputs: &[Input]) -> String {
    array(inputs.iter().map(|it| {
        let mut object = JsonObject::new();
        match it.name {
            Some(name) => object.text("name", name),
            None => object.raw("name", "null"),
        };
        object.text("value", &it.text);
        if let Some(arm) = it.arm {
            object.text("arm", arm);
        }
        object.end()
    }))
}

fn array(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(","))
}

/// A JSON object in the making.
struct JsonObject(String);

impl JsonObject {
    fn new() -> Self {
        JsonObject(String::new())
    }

    fn raw(&mut self, key: &str, json: &str) -> &mut Self {
        let comma = if self.0.is_empty() { "" } else { "," };
        let _ = write!(self.0, "{comma}{}:{json}", quote(key));
        self
    }

    fn text(&mut self, key: &str, text: &str) -> &mut Self {
        self.raw(key, &quote(text))
    }

    fn number(&mut self, key: &str, number: impl std::fmt::Display) -> &mut Self {
        self.raw(key, &number.to_string())
    }

    fn end(self) -> String {
        format!("{{{}}}", self.0)
    }
}

fn quote(text: &str) -> String {
    let mut res = String::with_capacity(text.len() + 2);
    res.push('"');
    for c in text.chars() {
        match c {
            '"' => res.push_str("\\\""),
            '\\' => res.push_str("\\\\"),
            '\n' => res.push_str("\\n"),
            c if c < ' ' => {
                let _ = write!(res, "\\u{:04x}", c as u32);
            }
            c => res.push(c),
        }
    }
    res.push('"');
    res
}

#[cfg(test)]
mod tests {
    use probity_core::Point;

    use super::*;

    #[test]
    fn what_is_no_number_is_null() {
        let point = |case, current, best| Point { case, current, best };
        let points = vec![point(0, f64::NAN, f64::NEG_INFINITY), point(9, -1.5, 1e300)];
        let climb = Trajectory {
            curves: vec![Curve { label: "x", minimize: false, points }],
            accepted: 4,
            restarts: 0,
            best: vec![BestCase { case: 9, scores: vec![1e300, f64::NAN], values: vec![], inputs: vec![] }],
        };
        let mut object = JsonObject::new();
        self::climb(&mut object, Some(&climb));
        assert_eq!(
            object.end(),
            "{\"scores\":[{\"label\":\"x\",\"minimize\":false,\"best\":1e300,\
             \"points\":[[0,null,null],[9,-1.5,1e300]]}],\"accepted\":4,\"restarts\":0,\
             \"best\":[{\"case\":9,\"scores\":[1e300,null],\"inputs\":[]}]}"
        );
    }
}
