//! What a user probably meant by an unknown name.

/// Longer names are not compared.
const NAME_MAX: usize = 64;
/// This many names of about the right length are compared.
const KNOWN_MAX: usize = 500;

/// `did you mean` the nearest of the known names, when one is near enough.
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let folded = name.to_lowercase();
    let len = name.chars().take(NAME_MAX + 1).count();
    // Names of very different lengths are not near, and nobody mistypes one of a hundred characters.
    let is_like = |it: &&str| {
        let other = it.chars().take(NAME_MAX + 1).count();
        *it != name && len.max(other) <= NAME_MAX && len.abs_diff(other) <= (len.max(other) / 3).max(1)
    };
    let far = |it: &str| (distance(&folded, &it.to_lowercase()), distance(name, it), it.to_string());
    let best = known.into_iter().filter(is_like).take(KNOWN_MAX).map(far).min()?;
    let longer = len.max(best.2.chars().count());
    let near = best.0 <= (longer / 3).max(1) && best.0 < longer;
    near.then(|| format!("did you mean `{}`?", best.2))
}

/// Edits between two names, where swapping neighbors is one edit.
pub fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![(0..=b.len()).collect::<Vec<_>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}
