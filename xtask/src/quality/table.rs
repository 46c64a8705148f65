//! A table of figures, each row with its target.

use std::fmt::Write;

/// Named figures and whether each row met its target.
pub(crate) struct Table {
    title: String,
    columns: Vec<&'static str>,
    rows: Vec<TableRow>,
}

struct TableRow {
    cells: Vec<String>,
    target: String,
    met: Option<bool>,
}

impl Table {
    pub(crate) fn new(title: impl Into<String>, columns: &[&'static str]) -> Self {
        Table { title: title.into(), columns: columns.to_vec(), rows: Vec::new() }
    }

    /// Adds a row. `met` is absent where the row has no target.
    pub(crate) fn row(&mut self, cells: Vec<String>, target: impl Into<String>, met: Option<bool>) {
        assert_eq!(cells.len(), self.columns.len(), "a row has a cell for every column");
        self.rows.push(TableRow { cells, target: target.into(), met });
    }

    /// How many rows missed their target.
    pub(crate) fn missed(&self) -> usize {
        self.rows.iter().filter(|it| it.met == Some(false)).count()
    }

    pub(crate) fn text(&self) -> String {
        let mut lines: Vec<Vec<String>> = vec![self.columns.iter().map(ToString::to_string).collect()];
        lines[0].extend(["target".to_string(), String::new()]);
        for row in &self.rows {
            let mut line = row.cells.clone();
            let met = match row.met {
                Some(true) => "met",
                Some(false) => "MISSED",
                None => "",
            };
            line.extend([row.target.clone(), met.to_string()]);
            lines.push(line);
        }
        let width = |column: usize| lines.iter().map(|it| it[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..lines[0].len()).map(width).collect();
        let mut res = format!("{}\n", self.title);
        for line in &lines {
            let cells = line.iter().zip(&widths).map(|(cell, &width)| format!("{cell:<width$}"));
            let _ = writeln!(res, "  {}", cells.collect::<Vec<_>>().join("  ").trim_end());
        }
        let _ = writeln!(res, "{} rows, {} missed", self.rows.len(), self.missed());
        res
    }

    /// One JSON object a row.
    pub(crate) fn json(&self) -> String {
        let mut res = String::new();
        for row in &self.rows {
            let cells = self
                .columns
                .iter()
                .zip(&row.cells)
                .map(|(name, cell)| format!("{}:{}", quote(name), quote(cell)));
            let met = row.met.map_or("null".to_string(), |it| it.to_string());
            let cells = cells.collect::<Vec<_>>().join(",");
            let title = quote(&self.title);
            let _ = writeln!(
                res,
                "{{\"table\":{title},{cells},\"target\":{},\"met\":{met}}}",
                quote(&row.target)
            );
        }
        res
    }
}

/// A figure with its thousands set apart.
pub(crate) fn grouped(number: u64) -> String {
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

fn quote(text: &str) -> String {
    let mut res = String::new();
    probity_lang::json::quote(text, &mut res);
    res
}
