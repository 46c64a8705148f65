//! Times to failure as a drawing: a row for each test, a mark for each engine, from left to right by the time it took.

use std::fmt::Write;
use std::time::Duration;

use super::{Line, axes};

/// Sizes, in pixels.
const LEFT: f64 = 220.0;
const WIDTH: f64 = 560.0;
const ROW: f64 = 26.0;
const TOP: f64 = 56.0;
/// What counts as at once: the left end of the drawing.
const LEAST: f64 = 0.01;
/// The colors of engines, in their order. They differ in lightness, too.
const COLORS: [&str; 8] =
    ["#1b6ca8", "#d1495b", "#66a182", "#edae49", "#7b4fa3", "#2e4057", "#00a6a6", "#8d5524"];

/// The drawing.
pub(super) fn svg(lines: &[Line<'_>], time: Duration) -> String {
    let (tests, engines) = axes(lines);
    let height = TOP + ROW * (tests.len() as f64 + 1.0) + 24.0;
    let most = time.as_secs_f64().max(LEAST * 10.0);
    let x = |seconds: f64| LEFT + WIDTH * (seconds.max(LEAST) / LEAST).ln() / (most / LEAST).ln();
    let mut res = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{height}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"10\" y=\"18\" font-size=\"14\">Time to failure, in seconds; at the right edge: not found</text>\n",
        LEFT + WIDTH + 60.0
    );
    let color = |at: usize| COLORS[at % COLORS.len()];
    for (at, engine) in engines.iter().enumerate() {
        let left = 10.0 + 100.0 * at as f64;
        let _ = writeln!(
            res,
            "<circle cx=\"{left}\" cy=\"34\" r=\"5\" fill=\"{}\"/><text x=\"{}\" y=\"38\">{}</text>",
            color(at),
            left + 9.0,
            escaped(engine)
        );
    }
    let bottom = TOP + ROW * tests.len() as f64;
    for mark in [0.01, 0.1, 1.0, 10.0, 100.0, 1000.0].into_iter().filter(|it| *it <= most) {
        let _ = writeln!(
            res,
            "<line x1=\"{0:.1}\" y1=\"{TOP}\" x2=\"{0:.1}\" y2=\"{bottom}\" stroke=\"#ddd\"/>\
             <text x=\"{0:.1}\" y=\"{1}\" text-anchor=\"middle\">{mark}</text>",
            x(mark),
            bottom + 16.0
        );
    }
    for (row, test) in tests.iter().enumerate() {
        let y = TOP + ROW * (row as f64 + 0.5);
        let _ = writeln!(
            res,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
            LEFT - 10.0,
            y + 4.0,
            escaped(test)
        );
        for (at, engine) in engines.iter().enumerate() {
            let Some(line) = lines.iter().find(|it| it.test == *test && it.engine == *engine) else {
                continue;
            };
            // Marks at one place stay apart.
            let y = y + (at as f64 - engines.len() as f64 / 2.0) * 2.0;
            let (x, fill) = match line.measured.found {
                Some(it) => (x(it.as_secs_f64().min(most)), color(at)),
                None => (LEFT + WIDTH + 20.0 + 4.0 * at as f64, "white"),
            };
            let _ = writeln!(
                res,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"5\" fill=\"{fill}\" stroke=\"{}\"/>",
                color(at)
            );
        }
    }
    res + "</svg>\n"
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::tests::line;

    #[test]
    fn each_result_has_a_mark() {
        let lines = [line("a<b", "random", Some(1500)), line("a<b", "afl", None)];
        let drawn = svg(&lines, Duration::from_secs(10));
        assert_eq!(drawn.matches("<circle").count(), 4, "two of them say who is who: {drawn}");
        assert!(drawn.contains("a&lt;b") && drawn.matches("fill=\"white\"").count() == 2, "{drawn}");
        assert!(drawn.starts_with("<svg") && drawn.ends_with("</svg>\n"));
    }
}
