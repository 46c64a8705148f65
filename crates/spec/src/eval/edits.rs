//! Edit distance: the least number of single-character insertions, deletions and replacements.

/// The most steps that one distance may take; a distance that needs more is undefined. A second or two.
const STEPS_MAX: u128 = 1 << 28;

/// The distance between two texts. Looks in ever wider bands, so similar texts are quick however long they are.
pub(crate) fn edits(a: &str, b: &str) -> Option<u64> {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let longest = a.len().max(b.len());
    let mut limit = 8;
    loop {
        if let Some(found) = within(&a, &b, limit)? {
            return Some(found as u64);
        }
        limit = (limit * 2).min(longest);
    }
}

/// Whether two texts are at least this many edits apart; none if that takes too long to tell.
pub(crate) fn edits_at_least(a: &str, b: &str, distance: i128) -> Option<bool> {
    if distance <= 0 {
        return Some(true);
    }
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let longest = a.len().max(b.len());
    match usize::try_from(distance) {
        Ok(distance) if distance <= longest => Some(within(&a, &b, distance - 1)?.is_none()),
        _ => Some(false),
    }
}

/// The distance, if it is no more than `limit`: only cells that near to the diagonal can be on the way. The outer
/// none represents too many steps.
fn within(a: &[char], b: &[char], limit: usize) -> Option<Option<usize>> {
    let (a, b) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if b.len() - a.len() > limit {
        return Some(None);
    }
    let width = (2 * limit + 1).min(b.len() + 1);
    if a.len() as u128 * width as u128 > STEPS_MAX {
        return None;
    }
    // Beyond `limit` all distances are alike, which keeps the cells outside the band from ever being chosen.
    let far = limit + 1;
    let mut row: Vec<usize> = (0..=b.len()).map(|it| it.min(far)).collect();
    for (i, from) in a.iter().enumerate() {
        let (start, end) = (i.saturating_sub(limit), (i + 1 + limit).min(b.len()));
        // The cells beside the band are never better than `far`.
        let mut diagonal = row[start];
        row[start] = if start == 0 { (i + 1).min(far) } else { far };
        for j in start..end {
            // To the right of the band above, a cell still holds `far` from the first row.
            let above = row[j + 1];
            let replaced = diagonal + usize::from(*from != b[j]);
            diagonal = above;
            row[j + 1] = replaced.min(above + 1).min(row[j] + 1).min(far);
        }
    }
    Some(Some(row[b.len()]).filter(|it| *it <= limit))
}
