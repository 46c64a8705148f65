//! A run as people see it: the calls of the threads side by side, in the order of time.

use std::fmt::Write;

use probity_core::Failure;

use super::execution::{CallEvent, Execution};
use super::program::CallProgram;

/// What is wrong where no order explains the results.
pub(super) const NO_ORDER: &str = "no order of these calls gives these results";

/// How many calls are named of which the model says something else.
const HINTS_MAX: usize = 3;

/// The message of a run whose results no order explains; `farthest` are the calls that one does, as far as it goes.
pub(super) fn no_order<M: Clone, S>(
    program: &CallProgram<M, S>,
    execution: &Execution,
    farthest: &[usize],
) -> String {
    let mut out = picture(NO_ORDER, program, execution);
    let mut model = program.model.clone();
    let events = &execution.events;
    let shown = |it: &CallEvent| format!("`{}` of thread {}", text(program, it), it.thread);
    for at in farthest {
        (call(program, &events[*at]).on_model)(&mut model);
    }
    let after: Vec<String> = farthest.iter().map(|at| shown(&events[*at])).collect();
    let after = if after.is_empty() { "at first".to_string() } else { format!("after {}", after.join(", ")) };
    let left = (0..events.len()).filter(|at| !farthest.contains(at));
    let first_end = left.clone().map(|at| events[at].time.ended).min().unwrap_or_default();
    for at in left.filter(|at| events[*at].time.began <= first_end).take(HINTS_MAX) {
        let expected = (call(program, &events[at]).on_model)(&mut model.clone()).text();
        let _ = write!(out, "\nthe model says: {after}, {} returns {expected}", shown(&events[at]));
    }
    interruptions(&mut out, execution);
    out
}

/// The message of a run in which a call panicked.
pub(super) fn panicked<M, S>(panic: &Failure, program: &CallProgram<M, S>, execution: &Execution) -> String {
    let mut out = picture(&format!("{}: {}", panic.origin, panic.message), program, execution);
    interruptions(&mut out, execution);
    out
}

/// The message of a run that did not end.
pub(super) fn stuck<M, S>(what: &str, program: &CallProgram<M, S>, execution: &Execution) -> String {
    let mut out = picture(what, program, execution);
    interruptions(&mut out, execution);
    out
}

fn call<'a, M, S>(program: &'a CallProgram<M, S>, event: &CallEvent) -> &'a super::Call<M, S> {
    &program.threads[event.thread][event.call]
}

fn text<M: 'static, S: 'static>(program: &CallProgram<M, S>, event: &CallEvent) -> String {
    call(program, event).text()
}

/// The calls below each other in the order of time, those of each thread in a column of its own. A call is on two lines
/// where something happened in between.
fn picture<M: 'static, S: 'static>(
    title: &str,
    program: &CallProgram<M, S>,
    execution: &Execution,
) -> String {
    // When, whether it is the end of a call, and of which.
    let mut moments: Vec<(u64, bool, &CallEvent)> = Vec::new();
    for event in &execution.events {
        moments.extend([(event.time.began, false, event), (event.time.ended, true, event)]);
    }
    moments.sort_by_key(|it| it.0);
    let mut rows: Vec<(usize, String)> = Vec::new();
    let mut at = 0;
    while let Some((_, is_end, event)) = moments.get(at) {
        let is_whole = moments.get(at + 1).is_some_and(|it| it.1 && std::ptr::eq(it.2, *event));
        let reply = match &event.reply {
            Ok(reply) if reply.text() == "()" => "ends".to_string(),
            Ok(reply) => format!("→ {}", reply.text()),
            Err(_) => "panics".to_string(),
        };
        let cell = match (is_end, is_whole && !is_end) {
            (true, _) => format!("… {reply}"),
            (false, true) => format!("{} {reply}", text(program, event)).replace(" ends", ""),
            (false, false) => format!("{} …", text(program, event)),
        };
        rows.push((event.thread, cell));
        at += if is_whole && !is_end { 2 } else { 1 };
    }
    // Calls that a thread began and did not end.
    for (thread, calls) in program.threads.iter().enumerate() {
        let made = execution.events.iter().filter(|it| it.thread == thread).count();
        let has_panicked = execution.events.iter().any(|it| it.thread == thread && it.reply.is_err());
        if let Some(call) = calls.get(made).filter(|_| !has_panicked) {
            rows.push((thread, format!("{} … does not end", call.text())));
        }
    }
    let mut out = title.to_string();
    if !program.prefix.is_empty() {
        let calls: Vec<String> = program.prefix.iter().map(|it| it.call.text()).collect();
        let _ = write!(out, "\nfirst: {}", calls.join(", "));
    }
    let threads = program.threads.len();
    let heading = |thread: usize| format!("thread {thread}");
    let width = |thread: usize| {
        let cells = rows.iter().filter(|it| it.0 == thread).map(|it| it.1.chars().count());
        cells.max().unwrap_or_default().max(heading(thread).len())
    };
    let number = rows.len().to_string().len();
    let mut line = |label: &str, cell: &dyn Fn(usize) -> String| {
        let mut text = format!("{label:>number$}");
        for thread in 0..threads {
            let _ = write!(text, "  {:<1$}", cell(thread), width(thread));
        }
        let _ = write!(out, "\n{}", text.trim_end());
    };
    line("", &heading);
    for (at, (thread, cell)) in rows.iter().enumerate() {
        line(&(at + 1).to_string(), &|it| if it == *thread { cell.clone() } else { String::new() });
    }
    out
}

/// Says where threads were interrupted.
fn interruptions(out: &mut String, execution: &Execution) {
    let all = &execution.interruptions;
    let how_often = match all.len() {
        0 => return,
        1 => "once".to_string(),
        2 => "twice".to_string(),
        n => format!("{n} times"),
    };
    let places: Vec<String> = all
        .iter()
        .map(|it| {
            let steps = match it.steps {
                0 => "before its first step".to_string(),
                1 => "after 1 step".to_string(),
                n => format!("after {n} steps"),
            };
            format!("thread {}, in its {} call, {steps}", it.thread, nth(it.call + 1))
        })
        .collect();
    let _ = write!(out, "\ninterrupted {how_often}: {}", places.join("; "));
}

fn nth(n: usize) -> String {
    match n {
        1 => "1st".to_string(),
        2 => "2nd".to_string(),
        3 => "3rd".to_string(),
        n => format!("{n}th"),
    }
}
