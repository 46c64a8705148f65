//! Tests that loop, crash, exit or block: does the run end cleanly, and does it say what happened?

use std::time::Duration;

use super::subjects::{self, Profile};
use crate::quality::table::Table;

/// Seconds that the whole run may take; the search has five of them.
const LIMIT: u64 = 60;

pub(super) fn table() -> Table {
    let title = format!("hostile tests with engine concolic: the run ends within {LIMIT} s and says why");
    let mut table = Table::new(title, &["test", "profile", "ended", "seconds", "what it says"]);
    for profile in [Profile::Debug, Profile::Release] {
        let program = profile.build();
        for it in subjects::list(&program, "hostile") {
            let [name, wanted, says] = &it[..] else { continue };
            let ran = subjects::run(&program, &["hostile", name], Duration::from_secs(LIMIT));
            let ended = match ran.code {
                Some(0) => "passes".to_string(),
                Some(101) => "fails".to_string(),
                _ => ran.complaint(),
            };
            let says: Vec<&str> = says.split('|').collect();
            let line = ran.stderr.lines().find(|line| says.iter().any(|it| line.contains(it)));
            let met = ended == *wanted && line.is_some();
            let shown =
                line.map_or_else(|| format!("not one of: {}", says.join(", ")), |it| it.trim().to_string());
            let cells = vec![
                name.clone(),
                profile.name().to_string(),
                ended,
                format!("{:.1}", ran.seconds),
                shown.chars().take(100).collect(),
            ];
            table.row(cells, wanted.as_str(), Some(met));
        }
    }
    table
}
