//! Tables as types: rows with attributes, from CSV or JSON.
//!
//! The first column is the key: it represents the row in output, and no two rows share it. The values of a column
//! are of one kind, found from its cells: whole numbers, decimals, truths (`true`, `false`), dates
//! (`2017-10-21`), or else texts. A column with empty cells has options.

mod csv;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use crate::json::{self, Json, JsonKind};
use probity_spec::{Name, Table, Value};

/// The most rows that a table may have.
const ROWS_MAX: usize = 100_000;
/// The most columns.
const COLUMNS_MAX: usize = 1_000;
/// The most cells, empty ones included.
const CELLS_MAX: usize = 4_000_000;

/// `Location`: about 250 cities with country, IANA time zone, standard offset from UTC in minutes, latitude and
/// longitude in degrees.
///
/// ```
/// use probity_lang::tables;
/// use probity_spec::Value;
/// let table = tables::location();
/// let row = (0..).find(|it| *table.key(*it) == Value::from("Pittsburgh")).unwrap();
/// assert_eq!(table.attribute(row, "zone"), Some(&Value::from("America/New_York")));
/// ```
pub fn location() -> Arc<Table> {
    static TABLE: OnceLock<Arc<Table>> = OnceLock::new();
    let table = || read("Location", "location.csv", include_str!("location.csv"));
    TABLE.get_or_init(|| Arc::new(table().expect("our own table is well-formed"))).clone()
}

/// Reads a table: JSON (an array of objects) when the file's name ends with `.json`, else CSV whose first line
/// names the columns. The error says what is wrong and in which line.
///
/// ```
/// use probity_lang::tables;
/// use probity_spec::Value;
/// let table = tables::read("Airport", "airports.csv", "code,runways\nPIT,4\nAMS,6\n").unwrap();
/// assert_eq!(table.attribute(1, "runways"), Some(&Value::Int(6)));
/// let error = tables::read("Airport", "airports.csv", "code,runways\nPIT,4\nPIT,6\n").unwrap_err();
/// assert_eq!(error, "line 3: the key `PIT` is there twice; the first column must tell rows apart");
/// ```
pub fn read(name: &str, file: &str, text: &str) -> Result<Table, String> {
    let is_json = file.to_ascii_lowercase().ends_with(".json");
    let cells = if is_json { of_json(text)? } else { of_csv(text)? };
    let Cells { columns, rows } = cells;
    if columns.is_empty() {
        return Err("line 1: there are no columns; name them in the first line".to_string());
    }
    let mut known = BTreeSet::new();
    for (i, column) in columns.iter().enumerate() {
        if column.is_empty() {
            return Err(format!("line 1: column {} has no name; give it one", i + 1));
        }
        if !known.insert(column) {
            return Err(format!("line 1: two columns are called `{column}`; rename one"));
        }
    }
    if rows.is_empty() {
        return Err("line 1: there are no rows; a type needs at least one value".to_string());
    }
    let mut keys = BTreeSet::new();
    for (line, row) in &rows {
        match &row[0] {
            None => {
                return Err(format!("line {line}: the key is empty; the first column must tell rows apart"));
            }
            Some(key) if !keys.insert(key) => {
                let key = key.text();
                return Err(format!(
                    "line {line}: the key `{key}` is there twice; the first column must tell rows apart"
                ));
            }
            _ => {}
        }
    }
    let mut res: Vec<Vec<Value>> = rows.iter().map(|_| Vec::new()).collect();
    for column in 0..columns.len() {
        let cells: Vec<Option<&TableCell>> = rows.iter().map(|it| it.1[column].as_ref()).collect();
        for (row, value) in res.iter_mut().zip(column_values(&cells)) {
            row.push(value);
        }
    }
    Ok(Table { name: name.into(), columns, rows: res })
}

/// A table before its columns' kinds are known: rows with the lines they are in; empty cells are none.
struct Cells {
    columns: Vec<Name>,
    rows: Vec<(usize, Vec<Option<TableCell>>)>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum TableCell {
    /// Its kind is found from its text.
    Text(String),
    /// Its kind is known.
    Value(Value),
}

impl TableCell {
    fn text(&self) -> String {
        match self {
            TableCell::Text(it) => it.clone(),
            TableCell::Value(Value::Text(it)) => it.to_string(),
            TableCell::Value(it) => it.to_string(),
        }
    }
}

/// The values of a column: of the first kind that all its cells fit.
fn column_values(cells: &[Option<&TableCell>]) -> Vec<Value> {
    let kinds: [fn(&TableCell) -> Option<Value>; 4] = [
        |it| match it {
            TableCell::Text(text) if is_code(text) => None,
            TableCell::Text(text) => text.parse().ok().map(Value::Int),
            TableCell::Value(it) => matches!(it, Value::Int(_)).then(|| it.clone()),
        },
        |it| match it {
            TableCell::Text(text) if is_code(text) => None,
            TableCell::Text(text) => text.parse().ok().map(Value::Number),
            TableCell::Value(Value::Int(it)) => Some(Value::Number(probity_spec::Decimal::new(*it, 0))),
            TableCell::Value(it) => matches!(it, Value::Number(_)).then(|| it.clone()),
        },
        |it| match it {
            TableCell::Text(text) => text.parse().ok().map(Value::Bool),
            TableCell::Value(it) => matches!(it, Value::Bool(_)).then(|| it.clone()),
        },
        |it| match it {
            TableCell::Text(text) => text.parse().ok().map(Value::Date),
            TableCell::Value(it) => matches!(it, Value::Date(_)).then(|| it.clone()),
        },
    ];
    let has_gaps = cells.iter().any(Option::is_none);
    let has_some = cells.iter().any(Option::is_some);
    let fitting = kinds.iter().filter(|_| has_some).find_map(|kind| {
        cells.iter().map(|it| it.map_or(Some(None), |it| kind(it).map(Some))).collect::<Option<Vec<_>>>()
    });
    let text = |it: &Option<&TableCell>| it.map(|it| Value::Text(it.text().into()));
    let values = fitting.unwrap_or_else(|| cells.iter().map(text).collect());
    let option = |it: Option<Value>| match it {
        Some(it) if !has_gaps => it,
        other => Value::Option(other.map(Box::new)),
    };
    values.into_iter().map(option).collect()
}

/// Whether a number is rather a code: it has zeros in front or a plus sign, which would be lost.
fn is_code(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    text.starts_with('+') || (digits.starts_with('0') && digits.len() > 1 && !digits.starts_with("0."))
}

/// An error where a table is too large, before anything is made of it.
fn check_size(rows: usize, columns: usize) -> Result<(), String> {
    if rows > ROWS_MAX {
        return Err(format!("there are {rows} rows where {ROWS_MAX} are allowed; leave some out"));
    }
    if columns > COLUMNS_MAX {
        return Err(format!("there are {columns} columns where {COLUMNS_MAX} are allowed; leave some out"));
    }
    if rows * columns > CELLS_MAX {
        let cells = rows * columns;
        return Err(format!("there are {cells} cells where {CELLS_MAX} are allowed; leave some columns out"));
    }
    Ok(())
}

fn of_csv(text: &str) -> Result<Cells, String> {
    let lines = csv::lines(text)?;
    check_size(lines.len().saturating_sub(1), lines.first().map_or(0, |it| it.1.len()))?;
    let mut lines = lines.into_iter();
    let Some((_, head)) = lines.next() else {
        return Err("line 1: the file is empty; its first line names the columns".to_string());
    };
    let columns: Vec<Name> = head.iter().map(|it| it.trim().into()).collect();
    let mut rows = Vec::new();
    for (line, cells) in lines {
        if cells.len() != columns.len() {
            let (n, expected) = (cells.len(), columns.len());
            let plural = if n == 1 { "" } else { "s" };
            return Err(format!("line {line}: {n} cell{plural} where {expected} were expected"));
        }
        let cell = |it: String| (!it.is_empty()).then_some(TableCell::Text(it));
        rows.push((line, cells.into_iter().map(cell).collect()));
    }
    Ok(Cells { columns, rows })
}

fn of_json(text: &str) -> Result<Cells, String> {
    let ends: Vec<usize> = text.match_indices('\n').map(|it| it.0).collect();
    let line = |json: &Json| ends.partition_point(|it| *it < json.span.start) + 1;
    let json = json::parse(text).map_err(|it| {
        let line = text[..it.span.start.min(text.len())].matches('\n').count() + 1;
        format!("line {line}: {}", it.message)
    })?;
    let JsonKind::List(items) = &json.kind else {
        return Err(format!("line {}: expected an array of objects, found {}", line(&json), json.what()));
    };
    let mut columns: Vec<Name> = Vec::new();
    let mut known: BTreeSet<&Name> = BTreeSet::new();
    let mut rows = Vec::new();
    for item in items {
        let JsonKind::Object(members) = &item.kind else {
            return Err(format!("line {}: expected an object, found {}", line(item), item.what()));
        };
        for (key, ..) in members {
            if known.insert(key) {
                columns.push(key.clone());
            }
        }
        check_size(items.len(), columns.len())?;
    }
    for item in items {
        let mut row = Vec::new();
        let JsonKind::Object(members) = &item.kind else { continue };
        let members: BTreeMap<&Name, &JsonKind> = members.iter().map(|it| (&it.0, &it.2.kind)).collect();
        for column in &columns {
            let cell = match members.get(column).copied() {
                None | Some(JsonKind::Null) => None,
                Some(JsonKind::Bool(it)) => Some(TableCell::Value(Value::Bool(*it))),
                Some(JsonKind::Number(it)) if it.scale() == 0 => {
                    Some(TableCell::Value(Value::Int(it.mantissa())))
                }
                Some(JsonKind::Number(it)) => Some(TableCell::Value(Value::Number(*it))),
                Some(JsonKind::Text(it)) => Some(match it.parse() {
                    Ok(date) => TableCell::Value(Value::Date(date)),
                    Err(()) => TableCell::Value(Value::Text(it.clone())),
                }),
                Some(_) => {
                    return Err(format!("line {}: `{column}` is not a number, truth or string", line(item)));
                }
            };
            row.push(cell);
        }
        rows.push((line(item), row));
    }
    Ok(Cells { columns, rows })
}
