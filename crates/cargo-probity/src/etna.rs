//! `cargo probity etna`: one test, once, and a line of JSON that the runner of the benchmark ETNA reads.

use std::path::Path;
use std::time::Duration;

use crate::args::{Args, millis, number};
use crate::compare::measure::{EngineRun, Measuring, quoted};
use crate::compare::{Contestant, contestants};
use crate::console::Console;
use crate::exit::{CommandError, Exit};
use crate::fuzz::targets;
use crate::rust::find::workspace;

/// How long a run may take where nobody says; ETNA's own limit.
const TIME: Duration = Duration::from_secs(60);

/// Runs the command.
pub(crate) fn run(args: &Args) -> Result<Exit, CommandError> {
    let time = args.value("for", millis)?.map_or(TIME, Duration::from_millis);
    let seed = args.value("seed", number)?.unwrap_or(0);
    let tests = targets::find(&args.rest, &[])?;
    let [test] = &tests[..] else {
        let names: Vec<&str> = tests.iter().take(5).map(|it| &*it.test).collect();
        return Err(format!("name one test; these have the word: {}", names.join(", ")).into());
    };
    let (root, target) = workspace(Path::new("."))?;
    let mut engine = Contestant::Ours("random".to_string());
    if args.os("engine").is_some() {
        engine = contestants(args, &target.join("probity-fuzzers"), &Console::new())?.swap_remove(0);
    }
    let measured = engine.run(&Measuring::new(time, seed, root)?, test);
    crate::print(&line(&measured, time))?;
    Ok(Exit::Done)
}

/// What a run came to, as a line.
fn line(measured: &Result<EngineRun, CommandError>, time: Duration) -> String {
    let res = match measured {
        Ok(res) => res,
        Err(err) => {
            let error = quoted(&err.text);
            return format!(
                "{{\"status\":\"Aborted\",\"tests\":0,\"discards\":0,\"time\":\"0us\",\"error\":{error}}}\n"
            );
        }
    };
    let status = match () {
        () if res.found.is_some() => "Failed",
        () if res.gave_up => "GaveUp",
        () if res.time >= time => "TimedOut",
        () => "Finished",
    };
    let counterexample = match res.found {
        Some(_) => quoted(&format!("({})", res.counterexample)),
        None => "null".to_string(),
    };
    format!(
        "{{\"status\":\"{status}\",\"tests\":{},\"discards\":{},\"time\":\"{}us\",\"counterexample\":{counterexample}}}\n",
        res.cases.unwrap_or(0),
        res.rejected,
        res.found.unwrap_or(res.time).as_micros()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_a_line() {
        let found = EngineRun {
            found: Some(Duration::from_micros(1500)),
            cases: Some(17),
            counterexample: "n = 3, s = \"a\"".to_string(),
            time: Duration::from_secs(9),
            ..EngineRun::default()
        };
        let rest = |time| EngineRun {
            cases: Some(5),
            rejected: 2,
            time: Duration::from_secs(time),
            ..EngineRun::default()
        };
        let rows = [
            (
                Ok(found),
                r#"{"status":"Failed","tests":17,"discards":0,"time":"1500us","counterexample":"(n = 3, s = \"a\")"}"#,
            ),
            (
                Ok(rest(9)),
                r#"{"status":"TimedOut","tests":5,"discards":2,"time":"9000000us","counterexample":null}"#,
            ),
            (
                Ok(rest(1)),
                r#"{"status":"Finished","tests":5,"discards":2,"time":"1000000us","counterexample":null}"#,
            ),
            (
                Err("no".to_string().into()),
                r#"{"status":"Aborted","tests":0,"discards":0,"time":"0us","error":"no"}"#,
            ),
        ];
        for (measured, expected) in rows {
            assert_eq!(line(&measured, Duration::from_secs(5)), format!("{expected}\n"));
        }
    }
}
