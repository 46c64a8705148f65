//! Sorting of what is short.

/// Sorts by insertion; what is equal is in order too, and stays as it is. The sorts of the standard library are faster for
/// thousands of items, but each kind of item costs some 3,000 lines of what the compiler makes of them, and
/// every user compiles them.
pub(crate) fn sort_by<T>(items: &mut [T], are_in_order: impl Fn(&T, &T) -> bool) {
    for end in 1..items.len() {
        let mut at = items[..end].partition_point(|it| are_in_order(it, &items[end]));
        while at < end {
            items.swap(at, end);
            at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts_like_the_standard_library() {
        let mut rng = crate::Rng::new(7);
        for len in 0..50 {
            let mut items: Vec<(u64, usize)> = (0..len).map(|at| (rng.below(10), at)).collect();
            let mut expected = items.clone();
            expected.sort_by_key(|it| it.0);
            sort_by(&mut items, |a, b| a.0 <= b.0);
            assert_eq!(items, expected);
        }
    }
}
