//! Interpreted against native: the same code, the same inputs, the same results.

use std::time::Duration;

use super::subjects::{self, Profile, in_parallel};
use crate::quality::table::{Table, grouped};

/// This many inputs of each target.
const INPUTS: u64 = 1000;
/// What is not ended by then is.
const LIMIT: Duration = Duration::from_secs(600);
/// This many targets there have to be.
const TARGETS: usize = 30;

pub(super) fn table() -> Table {
    measure(&[Profile::Debug, Profile::Release], INPUTS)
}

/// The same with all instructions that this processor has.
pub(super) fn table_native() -> Table {
    measure(&[Profile::Native], INPUTS / 10)
}

fn measure(profiles: &[Profile], inputs: u64) -> Table {
    let title = format!("interpreted against native: {inputs} random inputs of each target");
    let columns =
        ["profile", "targets", "compared", "differing", "disagreements", "instructions", "seconds", "which"];
    let mut table = Table::new(title, &columns);
    for profile in profiles {
        let program = profile.build();
        let names: Vec<String> =
            subjects::list(&program, "compare").into_iter().map(|it| it[0].clone()).collect();
        let ran = in_parallel(&names, |name| {
            subjects::run(&program, &["compare", name, "--inputs", &inputs.to_string()], LIMIT)
        });
        let sum = |word: &str| ran.iter().map(|it| it.number(word)).sum::<f64>() as u64;
        let wrong = names.iter().zip(&ran).filter(|it| it.1.code != Some(0));
        let wrong: Vec<String> = wrong.map(|(name, ran)| format!("{name}: {}", ran.complaint())).collect();
        let compared = sum("compared");
        let cells = vec![
            profile.name().to_string(),
            names.len().to_string(),
            grouped(compared),
            grouped(sum("differing")),
            grouped(sum("disagreements")),
            grouped(sum("instructions")),
            format!("{:.0}", ran.iter().map(|it| it.seconds).sum::<f64>()),
            wrong.join("; "),
        ];
        let all = compared == names.len() as u64 * inputs && names.len() >= TARGETS;
        table.row(cells, "0 and 0", Some(wrong.is_empty() && all));
    }
    table
}
