//! What a user probably meant by an unknown word.

/// The known word that is nearest, if it is near.
pub(crate) fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    /// Two slips of the finger. More would suggest words that have little in common.
    const SLIPS_MAX: usize = 2;
    let (slips, nearest) = known.iter().map(|it| (distance(word, it), *it)).min()?;
    (slips <= SLIPS_MAX && slips < nearest.chars().count()).then_some(nearest)
}

/// How many characters to insert, delete or replace, or neighbours to swap, to turn one word into the other.
fn distance(from: &str, to: &str) -> usize {
    let (from, to): (Vec<char>, Vec<char>) = (from.chars().collect(), to.chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=to.len()).collect()];
    for i in 1..=from.len() {
        let mut row = vec![i];
        for j in 1..=to.len() {
            let above = &rows[i - 1];
            let replaced = above[j - 1] + usize::from(from[i - 1] != to[j - 1]);
            let mut best = replaced.min(above[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[from.len()][to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_words_are_suggested() {
        let known = ["generate", "check", "count", "n"];
        let rows = [
            ("generate", Some("generate")),
            ("genrate", Some("generate")),
            ("cuont", Some("count")),
            ("chekc", Some("check")),
            ("x", None),
            ("picture", None),
        ];
        for (word, expected) in rows {
            assert_eq!(nearest(word, &known), expected, "{word}");
        }
    }
}
