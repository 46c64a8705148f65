//! What a measurement found: a table, and the targets it is held to, as text or as JSON lines.

/// One table with its targets.
pub struct Report {
    /// Names the measure; the JSON lines carry it too.
    pub measure: &'static str,
    /// What the table shows, and how it was found.
    pub about: String,
    pub rows: Vec<Row>,
    pub targets: Vec<Target>,
}

/// A line of a table: every row of one table has the same headings.
pub type Row = Vec<(&'static str, Entry)>;

pub enum Entry {
    Text(String),
    Count(u64),
    Number(f64),
    /// What does not apply to the row, such as the ratio of Probity to itself.
    Missing,
}

/// A figure and the bound it must keep.
pub struct Target {
    pub about: String,
    pub figure: f64,
    pub bound: Bound,
}

pub enum Bound {
    AtLeast(f64),
    AtMost(f64),
}

impl Report {
    /// Prints it, and returns whether all targets are met.
    pub fn print(&self, json: bool) -> bool {
        if json {
            self.print_json()
        } else {
            self.print_text()
        }
        self.targets.iter().all(Target::is_met)
    }

    fn print_text(&self) {
        println!("{}: {}\n", self.measure, self.about);
        let columns = self.rows[0].len();
        let width = |at: usize| {
            let entries = self.rows.iter().map(|row| row[at].1.text().len());
            entries.chain([self.rows[0][at].0.len()]).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        for ((heading, entry), &width) in self.rows[0].iter().zip(&widths) {
            entry.print_cell(heading, width);
        }
        println!();
        for row in &self.rows {
            for ((_, entry), &width) in row.iter().zip(&widths) {
                entry.print_cell(&entry.text(), width);
            }
            println!();
        }
        println!();
        for target in &self.targets {
            let verdict = if target.is_met() { "met   " } else { "MISSED" };
            let Target { about, figure, bound } = target;
            // Counts without decimals, ratios with two at most.
            println!("  {verdict} {about}: {}, {}", (figure * 100.0).round() / 100.0, bound.text());
        }
        println!();
    }

    fn print_json(&self) {
        println!("{{\"measure\":{},\"about\":{}}}", quoted(self.measure), quoted(&self.about));
        for row in &self.rows {
            let fields: String =
                row.iter().map(|(heading, entry)| format!(",{}:{}", quoted(heading), entry.json())).collect();
            println!("{{\"measure\":{}{fields}}}", quoted(self.measure));
        }
        for target in &self.targets {
            println!(
                "{{\"measure\":{},\"target\":{},\"figure\":{},\"bound\":{},\"met\":{}}}",
                quoted(self.measure),
                quoted(&target.about),
                target.figure,
                quoted(&target.bound.text()),
                target.is_met()
            );
        }
    }
}

impl Entry {
    /// Prints `text` in a cell of this entry's column: words begin together, numbers end together.
    fn print_cell(&self, text: &str, width: usize) {
        match self {
            Entry::Text(_) => print!("  {text:<width$}"),
            _ => print!("  {text:>width$}"),
        }
    }

    fn text(&self) -> String {
        match self {
            Entry::Text(text) => text.clone(),
            Entry::Count(count) => count.to_string(),
            Entry::Number(number) if *number >= 1e6 => format!("{:.2} M", number / 1e6),
            Entry::Number(number) if *number >= 1e4 => format!("{:.1} k", number / 1e3),
            Entry::Number(number) => format!("{number:.2}"),
            Entry::Missing => String::new(),
        }
    }

    fn json(&self) -> String {
        match self {
            Entry::Text(text) => quoted(text),
            Entry::Count(count) => count.to_string(),
            Entry::Number(number) => number.to_string(),
            Entry::Missing => "null".to_owned(),
        }
    }
}

impl Target {
    fn is_met(&self) -> bool {
        match self.bound {
            Bound::AtLeast(bound) => self.figure >= bound,
            Bound::AtMost(bound) => self.figure <= bound,
        }
    }
}

impl Bound {
    fn text(&self) -> String {
        match self {
            Bound::AtLeast(bound) => format!("at least {bound}"),
            Bound::AtMost(bound) => format!("at most {bound}"),
        }
    }
}

/// A JSON string. The texts printed here are the program's own: no control characters, no backslashes.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\\\""))
}
