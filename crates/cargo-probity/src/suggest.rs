//! What a user probably meant by an unknown word.

use probity_lang::suggest::distance;

/// The known word that is nearest, if it is near.
pub(crate) fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    /// Two slips of the finger. More would suggest words that have little in common.
    const SLIPS_MAX: usize = 2;
    let (slips, nearest) = known.iter().map(|it| (distance(word, it), *it)).min()?;
    (slips <= SLIPS_MAX && slips < nearest.chars().count()).then_some(nearest)
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
