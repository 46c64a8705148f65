//! What a case draws, piece by piece, and the inputs that a report makes of it.

use std::fmt::Write;

use crate::Input;

/// Something that a case did with its source: what a report shows is made of these, in order.
///
/// ```
/// # use probity_core::{Drawn, Random, Source, render_case};
/// # let mut source = Source::new(Box::new(Random::new(7)));
/// let (tell, told) = std::sync::mpsc::channel();
/// source.on_draw(Box::new(move |it| tell.send(it.clone()).unwrap()));
/// render_case(&mut source, &mut |src: &mut Source| src.arm("clear", |_| ())).unwrap();
/// assert_eq!(told.iter().take(2).collect::<Vec<_>>(), [Drawn::ArmBegins("clear"), Drawn::ArmEnds]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Drawn {
    /// It drew an input.
    Input(Input),
    /// It went this way of several; see [`Source::arm`](crate::Source::arm).
    ArmBegins(&'static str),
    /// It put a value into a [`Pool`](crate::Pool), where it is called this.
    Made(String),
    /// It came to the end of the way that it was on.
    ArmEnds,
}

/// Inputs in the making: what is drawn within an arm becomes a part of it.
///
/// ```
/// use probity_core::{Drawn, DrawnInputs, Input};
/// let mut inputs = DrawnInputs::default();
/// inputs.add(Drawn::ArmBegins("push"));
/// inputs.add(Drawn::Input(Input::new(None, "0")));
/// inputs.add(Drawn::ArmEnds);
/// inputs.add(Drawn::ArmBegins("clear"));
/// let texts: Vec<String> = inputs.finish().into_iter().map(|it| it.text).collect();
/// assert_eq!(texts, ["push(0)", "clear"], "the last arm did not come to its end");
/// ```
#[derive(Clone, Debug, Default)]
pub struct DrawnInputs {
    inputs: Vec<Input>,
    /// The arms that have not ended.
    open: Vec<UnfinishedArm>,
}

#[derive(Clone, Debug)]
struct UnfinishedArm {
    name: &'static str,
    /// How many inputs there were before it.
    start: usize,
    /// What the values that it made are called.
    made: Vec<String>,
}

impl DrawnInputs {
    /// Adds what was drawn next.
    pub fn add(&mut self, drawn: Drawn) {
        match drawn {
            Drawn::Input(input) => self.inputs.push(input),
            Drawn::ArmBegins(name) => {
                self.open.push(UnfinishedArm { name, start: self.inputs.len(), made: Vec::new() })
            }
            // Outside of every arm there is no call that made it.
            Drawn::Made(name) => self.open.last_mut().into_iter().for_each(|it| it.made.push(name.clone())),
            Drawn::ArmEnds => self.end_arm(),
        }
    }

    /// The inputs, each arm as one.
    pub fn finish(mut self) -> Vec<Input> {
        while !self.open.is_empty() {
            self.end_arm();
        }
        self.inputs
    }

    pub(crate) fn clear(&mut self) {
        self.inputs.clear();
        self.open.clear();
    }

    fn end_arm(&mut self) {
        let Some(UnfinishedArm { name: arm, start, made }) = self.open.pop() else { return };
        let mut text = match &made[..] {
            [] => String::new(),
            [one] => format!("let {one} = "),
            all => format!("let ({}) = ", all.join(", ")),
        };
        text.push_str(arm);
        let len = text.len();
        for (at, input) in self.inputs.drain(start..).enumerate() {
            text.push_str(if at == 0 { "(" } else { ", " });
            if let Some(name) = input.name {
                let _ = write!(text, "{name}: ");
            }
            text.push_str(&input.text);
        }
        if text.len() > len {
            text.push(')');
        }
        self.inputs.push(Input { name: None, text, arm: Some(arm) });
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::rc::Rc;

    use super::*;
    use crate::{
        Lazy, Random, Replay, Source, SpanKind, Tail, Value, any, just, lazy, one_of, render_case, vec,
    };

    fn simplest(test: &mut dyn FnMut(&mut Source)) -> Vec<Input> {
        let mut source = Source::new(Box::new(Replay::new(std::vec![], Tail::Simplest)));
        render_case(&mut source, &mut |src: &mut Source| test(src)).unwrap().log.inputs
    }

    fn helper(src: &mut Source) -> u8 {
        src.draw(just(7))
    }

    #[test]
    fn what_is_drawn_within_an_arm_is_shown_with_it() {
        fn check(expected: &[&str], mut test: impl FnMut(&mut Source)) {
            let texts: Vec<String> = simplest(&mut test).into_iter().map(|it| it.text).collect();
            assert_eq!(texts, expected);
        }
        check(&["clear"], |src| one_of!(src, { clear => () }));
        check(&["push(0)"], |src| one_of!(src, { push => _ = src.any::<u8>(), pop => () }));
        check(&["put(key: 1, [2, 3])"], |src| {
            one_of!(src, { put => { src.draw_as("key", just(1)); src.draw(just([2, 3])); } });
        });
        check(&["put(7)"], |src| one_of!(src, { put => _ = helper(src) }));
        check(&["outer(1, inner(7), 2)", "7"], |src| {
            one_of!(src, { outer => {
                src.draw(just(1));
                one_of!(src, { inner => _ = helper(src) });
                src.draw(just(2));
            } });
            helper(src);
        });
        // The way that the generator of a value goes is shown by the value.
        check(&["5"], |src| _ = src.draw(|src: &mut Source| one_of!(src, { five => helper(src) - 2 })));
        // A part that is read behind the arm in which it was drawn, and one that is never read.
        check(&["later(0, _)", "then"], |src| {
            let (part, _unread): (Lazy<u8>, Lazy<u8>) =
                one_of!(src, { later => (src.draw(lazy(any())), src.draw(lazy(any()))) });
            src.arm("then", |_| assert_eq!(*part, 0));
        });
        // Choices that are no input are not shown.
        check(&["raw"], |src| one_of!(src, { raw => _ = src.pick(3) }));
    }

    #[test]
    fn an_arm_ends_where_it_is_left() {
        let leave = |src: &mut Source| one_of!(src, { leave => { src.draw(just(1)); std::panic::resume_unwind(Box::new("away")) } });
        let caught = simplest(&mut |src| {
            let went: std::thread::Result<()> = catch_unwind(AssertUnwindSafe(|| leave(src)));
            assert!(went.is_err());
            src.draw(just(2));
        });
        assert_eq!(
            caught,
            [Input { arm: Some("leave"), ..Input::new(None, "leave(1)") }, Input::new(None, "2")]
        );
        let failed = simplest(&mut |src| {
            src.draw(just(0));
            src.arm("outer", leave);
        });
        assert_eq!(failed[1].text, "outer(leave(1))");
    }

    #[test]
    fn what_is_told_at_once_gives_the_same_inputs() {
        fn walk(src: &mut Source, depth: u32) {
            for _ in 0..src.draw(0..4) {
                one_of!(src, {
                    push => _ = src.draw(vec(0..9, 0..3)),
                    clear => (),
                    down => if depth < 4 { walk(src, depth + 1) },
                    stop => if src.draw(0..9) == 8 { std::panic::resume_unwind(Box::new("stop")) },
                });
            }
        }
        for seed in 0..200 {
            let told = Rc::new(RefCell::new(DrawnInputs::default()));
            let tell = Rc::clone(&told);
            let mut source = Source::new(Box::new(Random::new(seed)));
            source.on_draw(Box::new(move |it| tell.borrow_mut().add(it.clone())));
            let case = render_case(&mut source, &mut |src: &mut Source| walk(src, 0)).unwrap();
            let told = told.take();
            assert!(told.open.is_empty(), "seed {seed}: every arm has ended");
            assert_eq!(told.finish(), case.log.inputs, "seed {seed}");
        }
    }

    #[test]
    fn an_arm_is_a_span_within_its_step() {
        let mut source = Source::new(Box::new(Replay::new([Value::Pick(1)].to_vec(), Tail::Simplest)));
        let mut test = |src: &mut Source| one_of!(src, { a => (), 2 * b => _ = src.any::<u8>() });
        let spans = render_case(&mut source, &mut test).unwrap().trace.spans;
        let shown: Vec<_> = spans.iter().map(|it| (it.label, it.kind, it.range())).collect();
        let expected = [("one_of", SpanKind::Group, 0..2), ("b", SpanKind::Arm, 1..2)];
        assert_eq!((&shown[..2], spans[2].kind), (&expected[..], SpanKind::Input));
    }
}
