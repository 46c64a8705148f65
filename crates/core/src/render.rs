//! Texts of values of the user, whatever their `Debug` does: panic, err, or go on and on.

use std::fmt::{self, Write};

use crate::unwind::beside;

/// The longest text that is kept whole, in bytes.
pub(crate) const TEXT_MAX: usize = 1 << 16;
/// How often a text that is too long is asked to go on, so that its length is known: few ask more often than they write
/// many characters at a time, and one that takes long for each comes to an end.
const PIECES_MAX: u32 = 1 << 16;
/// What stands at the end of a text that was cut.
const CUT: &str = " … (";
const MORE: &str = " more characters)";
const AT_LEAST: &str = "at least ";

/// What `text` writes. Where that does not work, a remark takes its place.
pub(crate) fn text(text: fmt::Arguments<'_>) -> String {
    if let Some(known) = text.as_str() {
        return cut(known, TEXT_MAX);
    }
    let mut out = Capped::default();
    let written = beside(|| out.write_fmt(text));
    let Capped { mut text, more, pieces } = out;
    match written {
        Err(message) => {
            let message = cut(&message, TEXT_MAX / 64);
            let _ = write!(text, "<its Debug panicked: {message}>");
        }
        Ok(Err(_)) if pieces < PIECES_MAX => text.push_str("<its Debug failed>"),
        Ok(_) if more > 0 => {
            let at_least = if pieces < PIECES_MAX { "" } else { AT_LEAST };
            let _ = write!(text, "{CUT}{at_least}{more}{MORE}");
        }
        Ok(_) => {}
    }
    text
}

/// The `Debug` of a value as text, whatever that does.
///
/// ```
/// assert_eq!(probity_core::debug_text(&Some(7)), "Some(7)");
/// ```
pub fn debug_text(value: &dyn fmt::Debug) -> String {
    text(format_args!("{value:?}"))
}

/// Keeps as much as is kept, and counts the rest.
#[derive(Default)]
struct Capped {
    text: String,
    /// How many characters were left out.
    more: u64,
    /// In how many pieces they came.
    pieces: u32,
}

impl Write for Capped {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        let room = if self.more > 0 { 0 } else { TEXT_MAX - self.text.len() };
        let (kept, rest) = piece.split_at(boundary(piece, room));
        self.text.push_str(kept);
        if !rest.is_empty() {
            self.more += rest.chars().count() as u64;
            self.pieces += 1;
        }
        if self.pieces < PIECES_MAX { Ok(()) } else { Err(fmt::Error) }
    }
}

/// The last place of `text` up to `max` where it can be cut.
fn boundary(text: &str, max: usize) -> usize {
    let last = text.len().min(max);
    (0..=last).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

/// `text` if it has at most about `max` bytes, and else its start and how many more characters there are; a text that was
/// cut before is cut once.
///
/// ```
/// use probity_core::cut;
/// assert_eq!(cut("tea", 5), "tea");
/// let once = cut("tea and milk", 5);
/// assert_eq!(once, "tea a … (7 more characters)");
/// assert_eq!(cut(&once, 3), "tea … (9 more characters)");
/// ```
pub fn cut(text: &str, max: usize) -> String {
    let before = text.strip_suffix(MORE).and_then(|it| {
        let (start, number) = it.rsplit_once(CUT)?;
        let at_least = number.starts_with(AT_LEAST);
        Some((start, at_least, number.trim_start_matches(AT_LEAST).parse::<u64>().ok()?))
    });
    let (whole, at_least, more) = before.unwrap_or((text, false, 0));
    if whole.len() <= max {
        return text.to_string();
    }
    let (kept, rest) = whole.split_at(boundary(whole, max));
    let more = more + rest.chars().count() as u64;
    format!("{kept}{CUT}{}{more}{MORE}", if at_least { AT_LEAST } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Replay, Source, Tail, Verdict, context, render_case};

    /// What a `Debug` does.
    #[derive(Clone, Copy)]
    enum Odd {
        Panics,
        PanicsLate,
        PanicsWithBomb,
        Errs,
        Writes(usize, usize),
        /// Says what a case may say.
        Assumes,
        Checks,
        Fails,
    }

    struct Bomb;

    impl Drop for Bomb {
        fn drop(&mut self) {
            std::panic::panic_any(Bomb);
        }
    }

    impl fmt::Debug for Odd {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            match *self {
                Odd::Panics => std::panic::resume_unwind(Box::new("boom")),
                Odd::PanicsLate => {
                    f.write_str("Odd { ")?;
                    std::panic::resume_unwind(Box::new("late".to_string()))
                }
                Odd::PanicsWithBomb => std::panic::resume_unwind(Box::new(Bomb)),
                Odd::Errs => Err(fmt::Error),
                Odd::Assumes => {
                    context::assume(false, "assume!(false)");
                    Ok(())
                }
                Odd::Checks => {
                    context::broken(format_args!("broken"));
                    context::label(format_args!("label"));
                    context::maximize("score", 1.0);
                    f.write_str("Checks")
                }
                Odd::Fails => crate::fail_with_error(&"failed"),
                Odd::Writes(pieces, size) => {
                    let piece = "é".repeat(size);
                    (0..pieces).try_for_each(|_| f.write_str(&piece))
                }
            }
        }
    }

    #[test]
    fn a_debug_that_does_not_work_is_replaced_by_a_remark() {
        for (odd, shown) in [
            (Odd::Panics, "<its Debug panicked: boom>"),
            (Odd::PanicsLate, "Odd { <its Debug panicked: late>"),
            (Odd::PanicsWithBomb, "<its Debug panicked: a panic whose payload is not text>"),
            (Odd::Errs, "<its Debug failed>"),
            (Odd::Writes(2, 3), "éééééé"),
        ] {
            assert_eq!(text(format_args!("{odd:?}")), shown);
        }
    }

    #[test]
    fn what_is_too_long_is_cut_with_its_length() {
        let kept = TEXT_MAX / 2;
        let long = |pieces, size| text(format_args!("{:?}", Odd::Writes(pieces, size)));
        let shown = |more: &str| format!("{}{CUT}{more}{MORE}", "é".repeat(kept));
        // `assert!`, because a difference would be printed.
        assert!(long(1, 50_000_000) == shown(&(50_000_000 - kept).to_string()));
        assert!(long(1000, 1000) == shown(&(1_000_000 - kept).to_string()));
        assert!(long(usize::MAX, 1) == shown(&format!("at least {PIECES_MAX}")));
        assert!(cut(&long(1000, 1000), 2) == format!("é{CUT}{}{MORE}", 999_999));
    }

    #[test]
    fn inputs_are_shown_one_by_one() {
        let mut test = |src: &mut Source| {
            src.draw_as("a", crate::just(Odd::Panics));
            src.draw_as("b", crate::just(3));
        };
        let case = render_case(&mut Source::new(Box::new(Replay::new(vec![], Tail::Simplest))), &mut test);
        let inputs = case.unwrap().log.inputs;
        let shown: Vec<&str> = inputs.iter().map(|it| &*it.text).collect();
        assert_eq!(shown, ["<its Debug panicked: boom>", "3"]);
    }

    #[test]
    fn what_a_debug_says_is_not_said_by_the_case() {
        for (odd, shown) in [
            (Odd::Assumes, "<its Debug panicked: assume!(false)>"),
            (Odd::Checks, "Checks"),
            (Odd::Fails, "<its Debug panicked: it ends the case>"),
        ] {
            for fails in [false, true] {
                let mut test = |src: &mut Source| {
                    src.draw_as("a", crate::just(odd));
                    context::label(format_args!("{odd:?}"));
                    if fails {
                        crate::fail_with_error(&"the failure");
                    }
                };
                let source = &mut Source::new(Box::new(Replay::new(vec![], Tail::Simplest)));
                let case = render_case(source, &mut test).unwrap();
                let message = case.verdict.failure().map(|it| &*it.message);
                assert_eq!(message, fails.then_some("\"the failure\""));
                assert!(fails || case.verdict == Verdict::Pass);
                assert_eq!((&*case.log.inputs[0].text, &*case.log.labels), (shown, &[shown.to_string()][..]));
                assert!(case.log.broken.is_empty() && case.log.scores.is_empty());
            }
        }
    }
}
