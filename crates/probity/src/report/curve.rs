//! The course of a score as a line of text.

use probity_core::Point;

/// From low to high.
const GLYPHS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// Where all numbers are the same.
const LEVEL: char = '▄';
/// What is no number.
const NOTHING: char = '·';
/// How many glyphs a line has at most.
const WIDTH: usize = 40;

/// The best score, and the current one on the same scale: where the search stood at the first case, and then
/// after each stretch of cases.
pub(super) fn sparklines(points: &[Point]) -> (String, String) {
    let shown = stretches(points);
    let (mut min, mut max) = (f64::INFINITY, f64::NEG_INFINITY);
    for it in shown.iter().flat_map(|it| [it.best, it.current]).filter(|it| it.is_finite()) {
        (min, max) = (min.min(it), max.max(it));
    }
    let line = |of: fn(&Point) -> f64| shown.iter().map(|it| glyph(of(it), min, max)).collect();
    (line(|it| it.best), line(|it| it.current))
}

/// What the score was at first and what it is at best.
pub(super) fn change(points: &[Point]) -> String {
    let (first, best) = (points.first(), points.last());
    let text = |it: Option<f64>| number(it.unwrap_or(f64::NAN));
    format!("{} → {}", text(first.map(|it| it.current)), text(best.map(|it| it.best)))
}

/// A score as a person reads it: six digits are enough to compare, and none has hundreds.
pub(super) fn number(it: f64) -> String {
    if it != 0.0 && it.is_finite() && !(1e-4..1e15).contains(&it.abs()) {
        return format!("{it:.3e}");
    }
    if it.fract() == 0.0 || !it.is_finite() {
        return it.to_string();
    }
    let whole_digits = it.abs().log10().floor() as i32 + 1;
    let text = format!("{it:.*}", (6 - whole_digits).max(1) as usize);
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

/// The first point, and the last of each of as many stretches as a line has further glyphs.
fn stretches(points: &[Point]) -> Vec<Point> {
    let ([first, ..], [.., last]) = (points, points) else { return Vec::new() };
    let (n, cases) = (points.len().min(WIDTH), u128::from(last.case.saturating_sub(first.case)));
    let end = |stretch: usize| first.case + (cases * stretch as u128 / (n as u128 - 1).max(1)) as u64;
    let before = |case| points.partition_point(|it| it.case <= case);
    (0..n).map(|stretch| points[before(end(stretch)).max(1) - 1]).collect()
}

fn glyph(value: f64, min: f64, max: f64) -> char {
    let top = GLYPHS.len() - 1;
    match value {
        f64::INFINITY => GLYPHS[top],
        f64::NEG_INFINITY => GLYPHS[0],
        _ if value.is_nan() => NOTHING,
        _ if min == max => LEVEL,
        _ => {
            // Halves, because the distance of two finite numbers need not be one.
            let share = (value / 2.0 - min / 2.0) / (max / 2.0 - min / 2.0);
            GLYPHS[((share * top as f64).round() as usize).min(top)]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(scores: &[(f64, f64)]) -> Vec<Point> {
        let number = |(case, &(best, current))| Point { case: case as u64, best, current };
        scores.iter().enumerate().map(number).collect()
    }

    #[test]
    fn lines_show_the_course() {
        const INF: f64 = f64::INFINITY;
        for (scores, best, current) in [
            (&[][..], "", ""),
            (&[(3.0, 3.0)], "▄", "▄"),
            (&[(3.0, 3.0), (3.0, 3.0)], "▄▄", "▄▄"),
            (&[(0.0, 0.0), (1.0, 1.0), (7.0, 7.0), (7.0, 2.0)], "▁▂██", "▁▂█▃"),
            (&[(7.0, 7.0), (1.0, 1.0), (0.0, 0.0)], "█▂▁", "█▂▁"),
            (&[(f64::NAN, f64::NAN), (0.0, -INF), (1.0, 1.0), (INF, 1.0)], "·▁██", "·▁██"),
            (&[(INF, INF)], "█", "█"),
            (&[(f64::NAN, f64::NAN)], "·", "·"),
            (&[(f64::MIN, f64::MIN), (0.0, 0.0), (f64::MAX, f64::MAX)], "▁▅█", "▁▅█"),
        ] {
            assert_eq!(sparklines(&points(scores)), (best.to_string(), current.to_string()), "{scores:?}");
        }
    }

    #[test]
    fn a_long_course_has_a_glyph_for_each_stretch_of_cases() {
        let scores: Vec<(f64, f64)> = (0..8000).map(|n| (f64::from(n / 1000), 0.0)).collect();
        let (best, current) = sparklines(&points(&scores));
        let expected: String = GLYPHS.iter().flat_map(|it| [*it; 5]).collect();
        assert_eq!((best, current), (expected, "▁".repeat(WIDTH)));
        // Cases count and not points: most points are in the first tenth here.
        let mut few = points(&[(0.0, 0.0); 90]);
        few.extend((1..10).map(|n| Point { case: n * 100, best: 1.0, current: 1.0 }));
        assert_eq!(sparklines(&few).0, format!("{}{}", "▁".repeat(5), "█".repeat(35)));
        let [first, last] = [0, u64::MAX].map(|case| Point { case, best: case as f64, current: 0.0 });
        assert_eq!(sparklines(&[first, last]).0, "▁█");
    }

    #[test]
    fn numbers_are_short() {
        for (it, text) in [
            (0.0, "0"),
            (21.0, "21"),
            (-3.5, "-3.5"),
            (1.0 / 3.0, "0.333333"),
            (12345.678, "12345.7"),
            (123_456_789.25, "123456789.2"),
            (0.00123456789, "0.00123457"),
            (1e300, "1.000e300"),
            (-2.5e-9, "-2.500e-9"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(number(it), text);
        }
    }
}
