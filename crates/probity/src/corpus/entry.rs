//! One case of a corpus and its text. No other file knows the format.
//!
//! ```text
//! probity corpus, format 1
//! choices: n2 i1 i999
//! checksum: 1f0b7c2a9d8e6455
//! ```
//!
//! A long list of choices goes on in further lines, each behind a blank. The checksum is of all before it.

use probity_core::Value;

use crate::store::{hash, parse_choices};

const HEADER: &str = "probity corpus, format ";
const VERSION: &str = "1";
/// How long a line gets before the next begins.
const WIDTH: usize = 100;

/// The name of the file that has these answers: equal answers have equal names.
pub(super) fn file_name(answers: &[Value]) -> String {
    let words = answers.iter().flat_map(|it| it.to_string().into_bytes().into_iter().chain([b' ']));
    format!("{:016x}.txt", hash(words))
}

/// The content of the file.
pub(super) fn to_text(answers: &[Value]) -> String {
    let mut res = format!("{HEADER}{VERSION}\nchoices:");
    let mut column = 0;
    for word in answers.iter().map(Value::to_string) {
        if column + word.len() >= WIDTH {
            res.push('\n');
            column = 0;
        }
        res.push(' ');
        res.push_str(&word);
        column += word.len() + 1;
    }
    res.push('\n');
    let sum = hash(res.bytes());
    res + &format!("checksum: {sum:016x}\n")
}

/// Reads what [`to_text`] wrote, or says what is wrong with it.
pub(super) fn from_text(text: &str) -> Result<Vec<Value>, String> {
    // Version control may change how lines end.
    let text = text.replace("\r\n", "\n");
    match version(&text) {
        Some(VERSION) => {}
        Some(other) => {
            return Err(format!("it has format `{other}`, and this Probity reads {VERSION}; update probity"));
        }
        None => return Err(format!("its first line is not `{HEADER}{VERSION}`")),
    }
    let Some((body, sum)) = text.rsplit_once("checksum: ") else {
        return Err("it does not end with its checksum, so a part is missing".to_string());
    };
    if sum.trim_end() != format!("{:016x}", hash(body.bytes())) {
        return Err("it was changed after it was saved (its checksum differs)".to_string());
    }
    let choices = body.split_once('\n').and_then(|it| it.1.strip_prefix("choices:"));
    parse_choices(choices.ok_or("its second line does not begin with `choices:`")?)
}

/// Whether a newer Probity wrote the text.
pub(super) fn is_newer(text: &str) -> bool {
    version(text).is_some_and(|it| it != VERSION)
}

fn version(text: &str) -> Option<&str> {
    text.lines().next()?.strip_prefix(HEADER)
}
