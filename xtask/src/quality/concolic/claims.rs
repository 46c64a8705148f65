//! What is said of all paths, against all inputs.

use std::time::Duration;

use super::subjects::{self, Profile};
use crate::quality::process::field;
use crate::quality::table::Table;

/// So many functions there have to be.
const CLAIMS: usize = 20;
const LIMIT: Duration = Duration::from_secs(60);

pub(super) fn table() -> Table {
    let title = "all paths against all inputs: complete, and a failure exactly where brute force has one";
    let columns = ["profile", "functions", "that fail", "paths", "inputs", "agree", "which do not"];
    let mut table = Table::new(title, &columns);
    for profile in [Profile::Debug, Profile::Release] {
        let program = profile.build();
        let names: Vec<String> =
            subjects::list(&program, "claims").into_iter().map(|it| it[0].clone()).collect();
        let ran: Vec<_> = names.iter().map(|it| subjects::run(&program, &["claims", it], LIMIT)).collect();
        let agrees = |text: &str| field(text, "agrees") == Some("true");
        let agree = ran.iter().filter(|it| agrees(&it.stdout)).count();
        let sum = |word: &str| ran.iter().map(|it| it.number(word)).sum::<f64>().to_string();
        let fail = ran.iter().filter(|it| it.number("failing_inputs") > 0.0).count();
        let others = names.iter().zip(&ran).filter(|it| !agrees(&it.1.stdout));
        let others = others.map(|(name, ran)| match ran.field("complete") {
            Some("false") => format!("{name}: not complete"),
            Some(_) => format!("{name}: DISAGREES"),
            None => format!("{name}: {}", ran.complaint()),
        });
        let cells = vec![
            profile.name().to_string(),
            names.len().to_string(),
            fail.to_string(),
            sum("paths"),
            sum("inputs"),
            format!("{agree}/{}", names.len()),
            others.collect::<Vec<_>>().join("; "),
        ];
        table.row(cells, "all", Some(agree == names.len() && agree >= CLAIMS));
    }
    table
}
