//! Lines of CSV: cells between commas, quoted ones with `""` for a quote, line ends inside of quotes.

/// The cells of each line that is not empty, with the line's number.
pub(super) fn lines(text: &str) -> Result<Vec<(usize, Vec<String>)>, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut res = Vec::new();
    let mut chars = text.chars().peekable();
    let (mut line, mut start) = (1, 1);
    let mut cells: Vec<String> = Vec::new();
    let mut n_cells = 0;
    let mut cell = String::new();
    while let Some(c) = chars.next() {
        match c {
            '"' if cell.is_empty() => {
                let opened = line;
                loop {
                    match chars.next() {
                        None => return Err(format!("line {opened}: a quote is never closed")),
                        Some('"') if chars.peek() == Some(&'"') => {
                            chars.next();
                            cell.push('"');
                        }
                        Some('"') => break,
                        Some(c) => {
                            line += usize::from(c == '\n');
                            cell.push(c);
                        }
                    }
                }
                if !matches!(chars.peek(), None | Some(',' | '\n' | '\r')) {
                    return Err(format!(
                        "line {line}: text after a closing quote; write `\"\"` for a quote inside"
                    ));
                }
            }
            ',' => {
                n_cells += 1;
                if n_cells > super::CELLS_MAX {
                    let most = super::CELLS_MAX;
                    return Err(format!("line {line}: there are more than {most} cells; leave some out"));
                }
                cells.push(std::mem::take(&mut cell));
            }
            '\r' if chars.peek() == Some(&'\n') => {}
            '\n' => {
                end(&mut cells, &mut cell, start, &mut res);
                if res.len() > super::ROWS_MAX + 1 {
                    let most = super::ROWS_MAX;
                    return Err(format!("line {line}: there are more than {most} rows; leave some out"));
                }
                line += 1;
                start = line;
            }
            c => cell.push(c),
        }
    }
    end(&mut cells, &mut cell, start, &mut res);
    Ok(res)
}

fn end(cells: &mut Vec<String>, cell: &mut String, line: usize, res: &mut Vec<(usize, Vec<String>)>) {
    if cells.is_empty() && cell.is_empty() {
        return;
    }
    cells.push(std::mem::take(cell));
    res.push((line, std::mem::take(cells)));
}
