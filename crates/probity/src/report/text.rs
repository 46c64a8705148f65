//! What a person reads.

use std::fmt::Write;
use std::time::Duration;

use probity_core::{Curve, Drawn, Input, OriginKind, Pattern, Reach, Tally, cut};

use super::curve::{change, number, sparklines};
use super::harness::InputStyle;
use crate::EngineKind;
use crate::events::{
    ArmUse, BestCase, Event, Explored, Failed, FoundBy, GoalEnd, Origins, Prepared, Proof, RequiredCondition,
    Trajectory,
};

/// The longest rendered value that is shown whole.
const TEXT_MAX: usize = 4000;
/// A filter that fewer of a hundred inputs pass is reported unasked.
const RARE: u64 = 10;

/// How many inputs are shown.
const INPUTS_MAX: usize = 500;

/// How many scores are shown with a failure.
const CURVES_MAX: usize = 2;

/// What qualifies every word about all inputs.
const FEW_FLOATS: &str = "of all floats, only a few that stand for the others were visited";

/// The text of an event; empty for events a person need not see.
pub(super) fn render(test: &str, event: &Event, verbose: bool, color: bool, language: InputStyle) -> String {
    let mut out = TextOut { text: String::new(), color, language };
    match event {
        Event::Started { .. } | Event::Found { .. } => {}
        Event::Replaying { .. } => {
            out.heading("1", &format!("`{test}` {}, with these inputs", super::REPLAYS));
        }
        Event::ReplayedShort { given, asked } => {
            out.title(&format!("`{test}` asked for {asked} choices, and PROBITY_REPLAY has {given}"));
            out.line(
                "the others got the simplest answers; this may be another input than the one that was meant",
            );
        }
        Event::Prepared(it) => out.prepared(test, it, verbose),
        Event::Failed(failed) => out.failed(test, failed),
        Event::Unusable { path, reason } => {
            out.title(&format!("`{test}`: the stored failure {} was not used", super::shown(path)));
            out.line(reason);
        }
        Event::Hangs { time, example, inputs, replay } => {
            out.title(&format!("`{test}` is still in one case after {time:.1?}"));
            if let Some(text) = example {
                let _ = writeln!(out.text, "    {text}");
            }
            out.inputs(inputs, &[]);
            if replay.is_empty() {
                out.line("if this input should not take so long, it is a finding");
            } else {
                out.line("if this input should not take so long, it is a finding; run it alone with");
                out.line(&format!("  {replay}"));
            }
        }
        Event::ThreadPanicked { thread, place, message, times } => {
            let thread = thread.as_deref().unwrap_or("<unnamed>");
            let often = if *times == 1 { String::new() } else { format!(" {}", self::times(*times)) };
            out.heading("1", &format!("`{test}`: thread '{thread}' panicked{often} at {place}"));
            out.text_lines(message);
        }
        Event::Ends { how } => {
            out.heading(
                "1",
                &format!("`{test}` ends this process, and what else it had to do: a case {how}"),
            );
            out.line("nobody can catch that here; with `isolate = true` the test leaves the others alone");
        }
        Event::Goal { label, end: GoalEnd::Reached(inputs), .. } => {
            out.heading("1;32", &format!("`{test}`: the goal `{label}` is reached"));
            out.inputs(inputs, &[]);
        }
        Event::Goal { label, place, end: GoalEnd::Unreachable, .. } => {
            out.heading(
                "1;33",
                &format!("`{test}`: the goal `{label}` is unreachable: proved for every input"),
            );
            out.line(&format!("at {place}"));
        }
        Event::Goal { label, place, end: GoalEnd::NotReached(why), .. } => {
            out.heading("1;33", &format!("`{test}`: the goal `{label}` is not reached"));
            out.line(&format!("at {place}"));
            out.line(&format!("that no input comes to it is not proved: {why}"));
        }
        Event::NotCovered { place, tally } => {
            out.title(&format!("`{test}` does not cover what it should"));
            let share = 100.0 * tally.held as f64 / tally.reached as f64;
            let (what, percent) = (tally.what, tally.percent);
            out.line(&format!(
                "{what} held in {} of {} cases ({share:.1} %), wanted in {percent} %",
                tally.held, tally.reached
            ));
            out.line(&format!("at {place}; steer the generators towards it, or ask for less"));
        }
        Event::TooManyRejects { cases, wanted, rejected, sites, overruns, max_rejects, reach, late } => {
            out.title(&format!(
                "`{test}` tested too little: {cases} of {wanted} cases ran, {rejected} were rejected"
            ));
            for (site, n) in sites.iter().take(3) {
                let share = 100.0 * *n as f64 / (rejected + cases) as f64;
                out.line(&format!("{share:.1} % of all cases by {} at {}", site.what, site.location));
            }
            if *overruns > 0 {
                out.line(&format!(
                    "{overruns} cases asked for more than {} choices",
                    probity_core::CHOICES_MAX
                ));
            }
            let is_long = overruns * 2 > *rejected;
            if is_long {
                out.line("draw fewer or shorter lists, or make many values of one drawn seed");
            } else if language == InputStyle::C {
                out.line("draw inputs that meet the requirement (ranges, lists of what is allowed) instead of waiting for them;");
            } else {
                out.line("build inputs that meet the requirement (`#[from(..)]`, `map`, `and_then`) instead of waiting for them;");
            }
            match reach {
                None if *late => out.line("the time was over first; to wait longer, raise `time`"),
                None if is_long => {}
                None if *max_rejects == u32::MAX => {
                    out.line("to have the engine look at more of them, raise `time`")
                }
                None => {
                    out.line(&format!("to wait longer, raise max_rejects (now {max_rejects} for each case)"))
                }
                Some(Reach { size, share, .. }) if *share < 1.0 => {
                    let percent = 100.0 * share;
                    out.line(&format!("to go on from {percent:.1} % of size {size}, raise `time`"));
                }
                Some(_) => {
                    out.line("what can be visited within the bounds was, so another run will find no more")
                }
            }
        }
        Event::FewCases { cases, wanted, rejected, time } => {
            let besides =
                if *rejected > 0 { format!(", {} were rejected", grouped(*rejected)) } else { String::new() };
            out.heading("1", &format!(
                "`{test}` ran only {} of {} cases in {time:.1?}{besides}; raise `time`, want fewer `cases`, or make it faster",
                grouped(*cases), grouped(*wanted)
            ));
        }
        Event::EmptyShard { part, of } => {
            let what = "has nothing to run: there are fewer cases than shards; ask for fewer shards";
            out.heading("1", &format!("`{test}`: shard {part}/{of} {what}"));
        }
        Event::NeverEntered { place, arms, cases } => {
            let (cases, names) = (grouped(*cases), arms.join("`, `"));
            out.heading("1", &format!("`{test}`: none of {cases} cases entered `{names}` at {place}"));
        }
        Event::Remark { text, cases } => {
            out.heading("1", &format!("`{test}`: {} ({} cases)", cut(text, TEXT_MAX), grouped(*cases)));
        }
        Event::Required { conditions } => {
            let is_rare = |it: &&RequiredCondition| !it.narrows && it.percent() < RARE;
            let shown: Vec<&RequiredCondition> =
                conditions.iter().filter(|it| verbose || is_rare(it)).collect();
            if !shown.is_empty() {
                out.heading("1", &format!("`{test}`: what is required"));
            }
            for it in shown {
                let what = match it.narrows {
                    true => "narrows what is drawn".to_string(),
                    false => format!("filters what is drawn: {} of 100 inputs pass", it.percent()),
                };
                out.line(&format!("`{}` {what}", it.text));
            }
        }
        Event::NotInOrder { cases } if verbose => {
            out.heading("2", &format!(
                "`{test}`: its smallest inputs are skipped after {}: with the same inputs so far, it asked for another input than before",
                grouped(*cases)
            ));
        }
        Event::NotInOrder { .. } => {}
        Event::Progress { size, share, cases, time, left } => {
            let percent = 100.0 * share;
            out.heading("1", &format!(
                "`{test}`: {percent:.1} % of size {size} after {time:.0?}, {} inputs so far; about {left:.0?} more for this size",
                grouped(*cases)
            ));
        }
        Event::Unwatched { why } => {
            out.heading("2", &format!("`{test}`: goes on without coverage: {why}"));
        }
        Event::Covering(it) if verbose => out.heading("2", &format!("`{test}`: {it}")),
        Event::Covering(_) => {}
        Event::Passed { tally, reach, explored: Some(it), .. } if it.asked => {
            out.proof(test, it);
            if reach.is_some_and(|it| it.all && !it.has_left_out()) {
                out.line("every input was run, and none failed");
            }
            if verbose {
                out.tally(tally);
                out.scores(tally);
            }
        }
        Event::Passed { tally, time, reach: Some(reach), part, can_resume, .. } if reach.share < 1.0 => {
            out.incomplete(test, tally, *time, reach, part.as_deref(), *can_resume);
        }
        Event::Passed { tally, time, reach: Some(reach), part, climb: None, .. }
            if reach.is_narrow() && (verbose || reach.has_left_out()) =>
        {
            out.narrow(test, tally, *time, reach, part.as_deref());
            if verbose {
                out.tally(tally);
                out.scores(tally);
            }
        }
        Event::Passed { tally, time, reach, part, climb, explored, .. } => {
            if verbose {
                let n = grouped(tally.cases);
                let of = part.as_ref().map_or(String::new(), |it| format!(" {it}"));
                let what = match reach {
                    None => format!("passed {n} cases{of}"),
                    Some(reach) if reach.all && tally.cases == 1 => {
                        format!("is complete: the one input{of} passes,")
                    }
                    Some(reach) if reach.all => format!("is complete: all {n} inputs{of} pass,"),
                    Some(reach) => {
                        format!("is complete up to size {}: all {n} inputs{of} pass,", reach.size)
                    }
                };
                out.heading("1;32", &format!("`{test}` {what} in {time:.1?}"));
                out.tally(tally);
                match climb {
                    Some(it) => out.climb(it),
                    None => out.scores(tally),
                }
                if let Some(it) = explored {
                    out.explored(test, it);
                    if it.near > 0 {
                        out.line(&format!(
                            "and {} cases like those of its runs that came to new code",
                            grouped(it.near)
                        ));
                    }
                }
            }
        }
    }
    out.text
}

/// A whole number with its thousands apart.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut res = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            res.push(',');
        }
        res.push(digit);
    }
    res
}

/// The paths that were run of all inputs for which something is proved, in words; and how many there were of larger inputs.
fn paths(it: &Explored) -> (String, u64) {
    let all = if it.complete { it.paths } else { it.complete_to.map_or(0, |it| it.1) };
    let words = if all == 1 { "the one path".to_string() } else { format!("all {} paths", grouped(all)) };
    (words, it.paths.saturating_sub(all))
}

fn times(n: u64) -> String {
    if n == 1 { "once".to_string() } else { format!("{} times", grouped(n)) }
}

/// One input, as the report shows it.
fn input(input: &Input, language: InputStyle) -> String {
    let text = cut(&input.text, TEXT_MAX);
    match (input.name, input.arm) {
        (Some(name), _) if language == InputStyle::C => format!("    {name} = {text}\n"),
        (Some(name), _) => format!("    let {name} = {text};\n"),
        (None, Some(_)) => format!("    {text}\n"),
        (None, None) => format!("    drew {text}\n"),
    }
}

/// What was drawn `depth` arms deep, where it is shown at once: of an arm only its name is known when it begins.
pub(super) fn drawn(drawn: &Drawn, depth: usize, language: InputStyle) -> String {
    let text = match drawn {
        Drawn::Input(it) => input(it, language),
        Drawn::ArmBegins(name) => format!("    {name}\n"),
        Drawn::Made(name) => format!("    it makes {name}\n"),
        Drawn::ArmEnds => return String::new(),
    };
    format!("{}{text}", "    ".repeat(depth))
}

struct TextOut {
    text: String,
    color: bool,
    language: InputStyle,
}

impl TextOut {
    fn paint(&self, code: &str, text: &str) -> String {
        if self.color { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_string() }
    }

    /// The first line of something that went wrong.
    fn title(&mut self, text: &str) {
        self.heading("1;31", text);
    }

    fn heading(&mut self, code: &str, text: &str) {
        let heading = self.paint(code, &format!("probity: {text}"));
        let _ = writeln!(self.text, "{heading}");
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "  {text}");
    }

    /// A text of several lines.
    fn text_lines(&mut self, text: &str) {
        for line in cut(text, TEXT_MAX).lines() {
            self.line(&format!("  {line}"));
        }
    }

    fn field(&mut self, name: &str, text: &str) {
        let name = self.paint("2", &format!("{name}:"));
        let _ = writeln!(self.text, "  {name} {text}");
    }

    /// The inputs, each with its pattern beside it where a part of it does not matter.
    fn inputs(&mut self, inputs: &[Input], patterns: &[Pattern]) {
        for (at, it) in inputs.iter().take(INPUTS_MAX).enumerate() {
            let line = self.paint("1", input(it, self.language).trim_end());
            let pattern = patterns.get(at).filter(|it| it.varies && it.text.len() <= TEXT_MAX);
            let comment = pattern.map_or(String::new(), |it| self.paint("2", &format!("  // {}", it.text)));
            let _ = writeln!(self.text, "{line}{comment}");
        }
        if let Some(more @ 1..) = inputs.len().checked_sub(INPUTS_MAX) {
            self.line(&format!("  … ({} more inputs)", grouped(more as u64)));
        }
    }

    /// Prepared inputs are worth a word where they are not what was asked for, or not what they were.
    fn prepared(&mut self, test: &str, it: &Prepared, verbose: bool) {
        let n = grouped(it.inputs as u64);
        let inputs = if it.inputs == 1 { "input" } else { "inputs" };
        let file = it.saved.as_ref().map_or(String::new(), |it| format!(" {}", super::shown(&it.0)));
        let headline = match &it.origin {
            Origins::New if verbose => format!("prepared {n} {inputs} that differ in {:.1?}", it.time),
            Origins::Reused if verbose => format!("reuses the {n} {inputs} of{file}"),
            Origins::Changed => format!("declares other inputs than{file} has; prepared {n} anew"),
            Origins::Damaged(why) => format!("cannot use{file}: {why}; prepared {n} {inputs} anew"),
            Origins::New | Origins::Reused => String::new(),
        };
        if !headline.is_empty() {
            self.heading("1", &format!("`{test}` {headline}"));
        }
        if let Some(total) = &it.total {
            self.heading(
                "1",
                &format!("`{test}` runs {n} {inputs} of {} wanted: {total}", grouped(it.wanted)),
            );
        }
        if let Some((_, Err(err))) = &it.saved {
            self.heading("1", &format!("`{test}` could not keep its inputs: {err}"));
        }
    }

    /// An exhaustive search that did not come to its end: no failure, but no proof either.
    fn incomplete(
        &mut self,
        test: &str,
        tally: &Tally,
        time: Duration,
        reach: &Reach,
        part: Option<&str>,
        can_resume: bool,
    ) {
        let Reach { size, share, visited, .. } = reach;
        let (percent, ran) = (100.0 * share, grouped(tally.cases));
        self.heading("1;33", &format!("`{test}` is not complete: {percent:.1} % of size {size}"));
        let of = part.map_or(String::new(), |it| format!(" {it}"));
        let below = match size.checked_sub(1) {
            Some(size) if part.is_none() && !reach.is_narrow() => {
                format!("; every input up to size {size} passes")
            }
            _ => String::new(),
        };
        self.line(&format!("{ran} inputs{of} ran in {time:.1?}, none failed{below}"));
        self.left_out(reach);
        let mut ways = vec!["raise `time` (or `cases`, if you set it)".to_string()];
        if reach.full {
            self.line("it stopped because what it keeps to go on from fills its memory");
            ways = vec!["draw from smaller ranges".to_string()];
        } else if can_resume {
            ways.push(format!("go on from here with `start = {visited}`"));
        }
        if *size > 0 {
            ways.push(format!("be content with `size = {}`", size - 1));
        }
        self.line(&format!("to make it complete, {}", ways.join(", or ")));
        self.tally(tally);
        self.scores(tally);
    }

    /// An exhaustive search that came to its end without having visited all there is.
    fn narrow(&mut self, test: &str, tally: &Tally, time: Duration, reach: &Reach, part: Option<&str>) {
        let of = part.map_or(String::new(), |it| format!(" {it}"));
        let up_to = if reach.rest { format!(" up to size {}", reach.size) } else { String::new() };
        let (n, s) = (grouped(tally.cases), if tally.cases == 1 { "" } else { "s" });
        let what = if reach.has_left_out() {
            format!("passed {n} input{s}{of}{up_to}, which are not all,")
        } else if tally.cases == 1 {
            format!("is done{up_to}: 1 input{of} that stands for all passes,")
        } else {
            format!("is done{up_to}: {n} inputs{of} that stand for all pass,")
        };
        let color = if reach.has_left_out() { "1;33" } else { "1;32" };
        self.heading(color, &format!("`{test}` {what} in {time:.1?}"));
        self.left_out(reach);
    }

    /// What an exhaustive search did not visit, and why.
    fn left_out(&mut self, reach: &Reach) {
        if reach.floats {
            self.line(FEW_FLOATS);
        }
        if reach.neighbors {
            self.line("values that `neighbor` makes were not visited: only the targeted engine goes to them");
        }
        if reach.sized {
            self.line("a generator ends by `Source::size`, so what it does not draw there was not visited");
        }
        if let Some(size) = reach.cut {
            let max = probity_core::CHOICES_MAX;
            self.line(&format!(
                "from size {size} on, some inputs nest too deep or ask for more than {max} choices: they did not run"
            ));
        }
    }

    fn failed(&mut self, test: &str, it: &Failed) {
        let of = if it.number.1 > 1 {
            format!(" (failure {} of {})", it.number.0, it.number.1)
        } else {
            String::new()
        };
        let is_model = it.failure.origin.kind == OriginKind::Model;
        let what = match it.flaky {
            None => "fails",
            Some(_) if is_model => "fails, which could not be reproduced",
            Some(_) => "is flaky",
        };
        self.title(&format!("`{test}` {what}{of}"));
        if let FoundBy::Example(text) = &it.found_by {
            let _ = writeln!(self.text, "    {text}");
        }
        let patterns = it.explanation.as_ref().map_or(&[][..], |it| &it.patterns);
        self.inputs(&it.inputs, patterns);
        if it.inputs.is_empty() && !matches!(it.found_by, FoundBy::Example(_)) {
            self.line("  (no inputs were drawn)");
        }
        for note in &it.notes {
            self.field("note", &cut(note, TEXT_MAX));
        }
        match &it.flaky {
            Some(flaky) if is_model => {
                self.what_failed(it);
                self.field("again", &format!("it {}", flaky.again));
                self.line("real threads interleave as it happens; with the feature `shuttle`, and a system made of its types,");
                self.line("the interleaving is drawn with the input, shrunk and stored");
            }
            Some(flaky) => {
                self.field("first run", &format!("it {}", flaky.first));
                self.field("again", &format!("it {}", flaky.again));
                self.line(
                    "the test depends on something besides its inputs: time, order, shared state, a hash map",
                );
            }
            None => self.what_failed(it),
        }
        if let Some(again) = &it.again {
            self.field("again", &format!("it {again}"));
            self.line("  what the first failure left behind, such as a poisoned lock, fails every later run in this");
            self.line("  process, so the input is not the simplest; the command below runs it in a new one");
        }
        let rejects = matches!(it.found_by, FoundBy::Search { rejected: 1.., .. });
        if rejects && it.failure.message.contains("PoisonError") {
            self.line("  a case that is rejected unwinds, which poisons the locks that it holds: reject before you lock,");
            self.line("  or lock with `lock().unwrap_or_else(PoisonError::into_inner)`");
        }
        if let Some(explanation) = &it.explanation {
            let n = explanation.variations;
            self.field("explained", &format!("other values for `_` fail too: {n} of {n} that were tried"));
        }
        it.arms.iter().for_each(|arms| self.arms(arms));
        self.found(it);
        match &it.saved {
            Some(Ok(path)) => self.field("saved", &super::shown(path)),
            Some(Err(err)) => self.field("not saved", err),
            None => {}
        }
        if !it.replay.is_empty() {
            let replay = it.replay.clone();
            self.field("replay", &replay);
        }
        if let Some(line) = &it.example {
            self.field("keep", line);
        }
    }

    fn what_failed(&mut self, it: &Failed) {
        if it.failure.origin.kind != OriginKind::Check {
            let message = cut(&it.failure.message, TEXT_MAX);
            let mut lines = message.lines();
            let first = lines.next().unwrap_or_default().to_string();
            self.field("failure", &first);
            for line in lines {
                self.line(&format!("  {line}"));
            }
            match it.failure.origin.kind {
                OriginKind::Error => self.line("  the test returned this error"),
                OriginKind::Model => {}
                OriginKind::Died | OriginKind::Foreign if message.contains(&it.failure.origin.place) => {}
                _ => self.line(&format!("  {}", it.failure.origin)),
            }
        }
        for broken in &it.broken {
            self.field("failure", &cut(&broken.message, TEXT_MAX));
            self.line(&format!("  at {}", broken.location));
        }
    }

    /// Which arms are needed, where not all are.
    fn arms(&mut self, ArmUse { needed, known, never }: &ArmUse) {
        if !needed.is_empty() && needed.len() < *known {
            self.field("arms", &format!("needs {} of {known}: {}", needed.len(), needed.join(", ")));
        }
        if !never.is_empty() {
            self.field("never entered", &never.join(", "));
        }
    }

    fn found(&mut self, it: &Failed) {
        let by = match &it.found_by {
            FoundBy::Example(_) => "a fixed input".to_string(),
            FoundBy::Stored(path) => format!("the stored failure {}", super::shown(path)),
            FoundBy::Replay => "PROBITY_REPLAY".to_string(),
            FoundBy::Search { engine, seed, case, cases, rejected, size } => {
                let rejected = if *rejected > 0 { format!(", {rejected} rejected") } else { String::new() };
                let of = if *engine == EngineKind::Exhaustive {
                    String::new()
                } else {
                    format!(" of seed {seed:#x}")
                };
                let least =
                    size.map_or(String::new(), |it| format!("; no smaller input fails so: its size is {it}"));
                format!("engine {engine}, case {case}{of} ({cases} cases run{rejected}){least}")
            }
        };
        let shrunk = it.shrunk.map_or(String::new(), |it| {
            let early = if it.finished { "" } else { ", stopped early: out of time or of max_shrink" };
            format!("; shrunk in {} steps ({} runs{early})", it.steps, it.runs)
        });
        self.field("found by", &format!("{by}{shrunk}"));
        let FoundBy::Search { case, .. } = it.found_by else { return };
        for Curve { label, points, .. } in it.climb.iter().flat_map(|it| &it.curves).take(CURVES_MAX) {
            // Not every case is a point; what came after this one did not lead to it.
            let until = points.partition_point(|it| it.case < case) + 1;
            let points = points.get(..until).unwrap_or(points);
            let (best, _) = sparklines(points);
            self.field("score", &format!("{label} {}  {best}", change(points)));
        }
    }

    fn tally(&mut self, tally: &Tally) {
        if tally.rejected() > 0 {
            self.line(&format!("{} cases were rejected", tally.rejected()));
        }
        if tally.overruns > 0 {
            let max = probity_core::CHOICES_MAX;
            self.line(&format!(
                "{} of them nest too deep or ask for more than {max} choices",
                tally.overruns
            ));
        }
        let samples = tally.cases - tally.neighbours;
        for (label, n) in tally.labels.greatest_first().into_iter().take(40) {
            self.line(&format!("{:5.1} % {label}", 100.0 * *n as f64 / samples as f64));
        }
        for cover in tally.covers.values() {
            let share = 100.0 * cover.held as f64 / cover.reached as f64;
            self.line(&format!("{share:5.1} % {} (wanted: {} %)", cover.what, cover.percent));
        }
    }

    /// How the scores went, and the best inputs.
    fn climb(&mut self, climb: &Trajectory) {
        for curve in &climb.curves {
            let (best, current) = sparklines(&curve.points);
            let word = if curve.minimize { "least" } else { "most" };
            self.line(&format!("{word} {}: {}", curve.label, change(&curve.points)));
            self.line(&format!("  best    {best}"));
            self.line(&format!("  current {current}"));
        }
        let (accepted, restarts) = (grouped(climb.accepted), grouped(climb.restarts));
        self.line(&format!("{accepted} cases were accepted, with {restarts} restarts"));
        for (at, BestCase { scores, inputs, .. }) in climb.best.iter().enumerate() {
            let scores = climb.curves.iter().zip(scores);
            let scores: Vec<String> =
                scores.map(|(curve, it)| format!("{} {}", curve.label, number(*it))).collect();
            let which = if at == 0 { "the best input" } else { "another that is best" };
            self.line(&format!("{which}: {}", scores.join(", ")));
            self.inputs(inputs, &[]);
        }
    }

    /// What is proved, or why nothing is.
    fn proof(&mut self, test: &str, it: &Explored) {
        let (proof, time) = (it.proof(), it.time);
        if !proof.is_there() {
            self.heading("1;33", &format!("`{test}`: {proof}"));
            let not_all = if it.complete { "" } else { ", not all" };
            let paths = if it.paths == 1 { "path" } else { "paths" };
            self.line(&format!("{} {paths} ran in {time:.1?}{not_all}; none failed", grouped(it.paths)));
            return self.losses(it);
        }
        let (paths, larger) = paths(it);
        self.heading("1;32", &format!("`{test}`: {proof}: {paths}, in {time:.1?}"));
        let Proof::UpTo(most) = proof else { return };
        if larger > 0 {
            self.line(&format!("and {} of larger inputs, not all", grouped(larger)));
        }
        if let Some(bound) = it.bound.filter(|it| *it > most) {
            self.line(&format!("wanted: up to {bound} choices; to go on, raise `time`"));
        }
    }

    /// What the concolic engine came to in a default run.
    fn explored(&mut self, test: &str, it: &Explored) {
        let start = format!("`{test}`: the concolic engine ran ");
        let (time, (all, larger)) = (it.time, paths(it));
        let proof = it.proof();
        let size = match proof {
            Proof::UpTo(most) => format!(" up to size {most}"),
            _ => String::new(),
        };
        if !proof.is_there() {
            let paths = grouped(it.paths);
            self.heading("1", &format!("{start}{paths} paths (not all): no failure, in {time:.1?}"));
            return self.losses(it);
        }
        self.heading("1;32", &format!("{start}{all}{size}: no failure, in {time:.1?}"));
        if !size.is_empty() {
            self.line(&format!("and {} of larger inputs, not all", grouped(larger)));
        }
    }

    /// Why not more can be claimed.
    fn losses(&mut self, it: &Explored) {
        if let Some(why) = &it.unsupported {
            self.line(&format!("it could not go on: {why}"));
        }
        for (what, n) in &it.losses {
            self.line(&format!("{what} ({})", times(*n)));
        }
        if it.unknown > 0 {
            let (unknown, queries) = (grouped(it.unknown), grouped(it.queries));
            self.line(&format!("the solver did not settle {unknown} of {queries} questions"));
        }
        if it.divergences > 0 {
            self.line(&format!("{} runs went another way than they were meant to", grouped(it.divergences)));
        }
        if it.unconfirmed > 0 {
            self.line(&format!(
                "{} runs failed only in the engine, and do not count",
                grouped(it.unconfirmed)
            ));
        }
        if it.is_exact() && it.asked && !it.complete {
            self.line("to go on, raise `time` (or `cases`, if you set it)");
        }
    }

    fn scores(&mut self, tally: &Tally) {
        for (label, (best, minimize)) in tally.scores.iter() {
            let (word, best) = if *minimize { ("least", -best) } else { ("most", *best) };
            self.line(&format!("{word} {label}: {}", number(best)));
        }
    }
}

#[cfg(test)]
mod tests;
