//! The runner with an engine that says and does what it likes.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use probity_concolic::search::{ExplorePlan, SearchEvent};
use probity_core::{Explored, Source, Value};

use crate::Check;

/// What is in for the engine on this thread: the runner has to be right whatever it says or does.
pub(super) type Fake = fn(&ExplorePlan, &mut dyn FnMut(SearchEvent) -> bool) -> Explored;

thread_local! {
    pub(super) static FAKE: Cell<Option<Fake>> = const { Cell::new(None) };
}

/// The events of a run with a fake engine, which may take as long as it likes.
fn run(engine: &str, fake: Fake, test: fn(u64)) -> String {
    run_for("10m", engine, fake, test)
}

/// As above, with a limit.
fn run_for(share: &str, engine: &str, fake: Fake, test: fn(u64)) -> String {
    static NEXT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
    let number = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let path = std::env::temp_dir().join(format!("probity-concolic-{}-{number}", std::process::id()));
    FAKE.set(Some(fake));
    let check = Check::new("t")
        .engine(engine)
        .seed(7)
        .store(false)
        .cases(20)
        .concolic(share)
        .time("60m")
        .events(path.to_str().unwrap());
    let ended = catch_unwind(AssertUnwindSafe(|| check.run(|src: &mut Source| test(src.any()))));
    FAKE.set(None);
    let events = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(path).unwrap();
    assert_eq!(ended.is_err(), !events.contains("\"event\":\"passed\""), "{events}");
    events
}

fn magic(n: u64) {
    assert!(n != 0xdead_beef, "magic");
}

fn says(values: &[i128], what: fn(Vec<Value>) -> SearchEvent) -> SearchEvent {
    what(values.iter().map(|it| Value::Int(*it)).collect())
}

fn explored() -> Explored {
    Explored { runs: 2, paths: 2, complete: true, ..Default::default() }
}

#[test]
fn who_waits_in_a_loop_is_stuck() {
    let ms = Duration::from_millis;
    let limits = super::SearchLimits {
        time: ms(400),
        processor: None,
        first_try: ms(1),
        choices_max: 1,
        runs_max: 1,
        is_share: true,
    };
    // What it took of the processor, whether it has begun its first run, whether it is stuck.
    let rows =
        [(10, false, false), (58, false, false), (59, false, true), (450, true, false), (451, true, true)];
    for (processor, has_begun, expected) in rows {
        assert_eq!(limits.is_stuck(ms(processor), has_begun), expected, "{processor} ms, {has_begun}");
    }
}

#[test]
fn what_fails_is_confirmed_and_reported() {
    for engine in ["auto", "concolic"] {
        let events = run(
            engine,
            |_, tell| {
                tell(says(&[17], SearchEvent::Fails)); // not true
                tell(says(&[0xdead_beef], SearchEvent::Begins));
                tell(says(&[0xdead_beef], SearchEvent::Fails));
                explored()
            },
            magic,
        );
        let parts = ["\"engine\":\"concolic\"", "\"message\":\"magic\"", "\"value\":\"3735928559\""];
        assert!(parts.iter().all(|it| events.contains(it)), "{events}");
    }
}

#[test]
fn what_is_not_true_does_not_count() {
    for engine in ["auto", "concolic"] {
        let lies = |_: &ExplorePlan, tell: &mut dyn FnMut(SearchEvent) -> bool| {
            tell(says(&[17], SearchEvent::Reaches));
            tell(says(&[17], SearchEvent::Fails));
            explored()
        };
        let events = run(engine, lies, magic);
        assert!(events.contains("\"unconfirmed\":1") && events.contains("\"exact\":false"), "{events}");
    }
}

#[test]
fn a_dead_interpreter_is_a_loss() {
    let dies = |_: &ExplorePlan, tell: &mut dyn FnMut(SearchEvent) -> bool| {
        tell(says(&[77_777_777_777], SearchEvent::Begins));
        std::process::abort()
    };
    let events = run("auto", dies, magic);
    assert!(events.contains("the interpreter died: abort"), "{events}");
}

/// Nothing may stand before the run: this test is what is started anew to see whether it dies.
#[test]
fn a_test_that_dies_anew_is_a_failure() {
    let events = run(
        "auto",
        |_, tell| {
            tell(says(&[77_777_777_777], SearchEvent::Begins));
            // SAFETY: it is not safe, and that is the point.
            unsafe { std::ptr::null_mut::<u32>().write_volatile(1) }
            explored()
        },
        |n| {
            if n == 77_777_777_777 {
                // SAFETY: as above.
                unsafe { std::ptr::null_mut::<u32>().write_volatile(1) }
            }
        },
    );
    assert!(events.contains("\"message\":\"the process died: segmentation fault\""), "{events}");
    assert!(events.contains("\"value\":\"77777777777\""), "{events}");
}

/// As above.
#[test]
fn a_death_in_copies_alone_is_none() {
    let events = run(
        "auto",
        |_, tell| {
            tell(says(&[77_777_777_777], SearchEvent::Fails));
            explored()
        },
        |n| {
            static FIRST: std::sync::LazyLock<u32> = std::sync::LazyLock::new(std::process::id);
            let is_copy = *FIRST != parent_of_copies();
            if n == 77_777_777_777 && is_copy {
                // SAFETY: it is not safe, and that is the point.
                unsafe { std::ptr::null_mut::<u32>().write_volatile(1) }
            }
        },
    );
    assert!(events.contains("\"unconfirmed\":1"), "{events}");
}

/// The process whose memory this is, as the system sees it: in a sealed copy `getpid` says who it was copied from.
fn parent_of_copies() -> u32 {
    let own = std::fs::read_link("/proc/self").ok();
    own.and_then(|it| it.to_str()?.parse().ok()).unwrap_or_default()
}

#[test]
fn what_it_cannot_run_is_an_error() {
    let cannot = |_: &ExplorePlan, _: &mut dyn FnMut(SearchEvent) -> bool| Explored {
        unsupported: Some("no memory".to_string()),
        ..Default::default()
    };
    FAKE.set(Some(cannot));
    let check = Check::new("t").engine("concolic").store(false);
    let ended = catch_unwind(AssertUnwindSafe(|| check.run(|src: &mut Source| magic(src.any()))));
    FAKE.set(None);
    let message = ended.unwrap_err().downcast::<String>().unwrap();
    assert!(message.contains("cannot run this test: no memory; use engine = \"random\""), "{message}");
    // The default run does without.
    assert!(run("auto", cannot, magic).contains("\"event\":\"passed\""));
}

#[test]
fn what_starts_a_process_is_not_tested_too_little() {
    let starts = |_: &ExplorePlan, _: &mut dyn FnMut(SearchEvent) -> bool| Explored {
        runs: 1,
        paths: 1,
        unsupported: Some("it starts a process".to_string()),
        ..Default::default()
    };
    FAKE.set(Some(starts));
    let check = Check::new("t").engine("concolic").store(false);
    let ended = catch_unwind(AssertUnwindSafe(|| check.run(|src: &mut Source| magic(src.any()))));
    FAKE.set(None);
    let message = ended.unwrap_err().downcast::<String>().unwrap();
    assert!(message.contains("cannot run this test: it starts a process; use"), "{message}");
}

#[test]
fn where_it_is_complete_it_says_so() {
    let finds_nothing = |_: &ExplorePlan, tell: &mut dyn FnMut(SearchEvent) -> bool| {
        tell(says(&[0], SearchEvent::Reaches));
        explored()
    };
    let events = run("concolic", finds_nothing, magic);
    assert!(events.contains("\"paths\":2,\"complete\":true,\"exact\":true"), "{events}");
}

#[test]
fn what_it_reaches_is_where_others_go_on() {
    let reaches = |_: &ExplorePlan, tell: &mut dyn FnMut(SearchEvent) -> bool| {
        tell(says(&[0], SearchEvent::Begins));
        tell(says(&[0], SearchEvent::Reaches)); // where it begins: nothing new
        tell(says(&[0xdead_beef], SearchEvent::Begins));
        tell(says(&[0xdead_beef], SearchEvent::Reaches));
        let start = Instant::now();
        while start.elapsed() < Duration::from_millis(600) {} // a part of this is for the 20 cases near by
        explored()
    };
    let events = run("auto", reaches, |n| {
        assert!(n == 0xdead_beef || !(0xdead_be00..=0xdead_bfff).contains(&n), "magic")
    });
    assert!(events.contains("\"engine\":\"concolic\"") && events.contains("magic"), "{events}");
    let events = run("auto", reaches, |n| {
        probity_core::context::minimize("distance", n.abs_diff(0xdead_beef + 100) as f64)
    });
    let near = events.split("\"near\":").nth(1).and_then(|it| it.split(',').next()).unwrap();
    assert!(near.parse::<u64>().unwrap() >= 1, "{events}");
    assert!(events.contains("\"minimize\":true,\"best\":"), "{events}");
    let best = events.split("\"best\":").nth(1).and_then(|it| it.split(',').next()).unwrap();
    assert!(best.parse::<f64>().unwrap() <= 100.0, "{events}");
}

#[test]
fn it_is_given_the_best_that_others_know() {
    let run = |fake: Fake, test: fn(u64)| run("auto", fake, test);
    // The greatest of all, which the targeted engine found; and random cases, one of each label.
    let events = run(
        |plan, _| {
            let given = plan.given.iter().map(|it| format!("{it:?}"));
            let losses = given.map(|it| (it, 1)).collect();
            Explored { losses, ..explored() }
        },
        |n| {
            probity_core::context::maximize("ones", n.count_ones().into());
            probity_core::context::label(format_args!("{}", n > 1000));
        },
    );
    let given = events.split("\"what\":\"[Int(").skip(1);
    let given: Vec<u64> = given.map(|it| it.split(')').next().unwrap().parse().unwrap()).collect();
    assert_eq!(given.len(), 3, "{events}");
    assert!(given[0].count_ones() > 40 && given[1] <= 1000 && given[2] > 1000, "{given:?}");
}

#[test]
fn a_stuck_interpreter_is_given_up() {
    let stuck = |_: &ExplorePlan, _: &mut dyn FnMut(SearchEvent) -> bool| loop {
        std::thread::sleep(Duration::from_secs(1));
    };
    let events = run("auto", stuck, magic);
    assert!(events.contains("the test sleeps"), "{events}");
    let busy = |_: &ExplorePlan, _: &mut dyn FnMut(SearchEvent) -> bool| loop {
        std::hint::spin_loop();
    };
    let events = run_for("200ms", "auto", busy, magic);
    assert!(events.contains("the interpreter did not end in time"), "{events}");
}
