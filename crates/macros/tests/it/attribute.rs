//! Runs what `#[probity::test]` expands to, over a stand-in for `probity::Check` that keeps no secrets.

use std::cell::Cell;
use std::ffi::{CStr, OsStr};
use std::fmt::Debug;
use std::future::{Future, ready};
use std::path::Path;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use probity_core::{Combine, Source, from};
use probity_macros::test as probity_test;

/// Just enough of the crate `probity` to run cases and to see what the expansion said.
mod probity {
    use std::fmt::Debug;
    use std::panic::Location;

    pub(crate) use probity_core::{Blanks, Generator, Part, Referent, Source, Spaces, literal};
    use probity_core::{Input, Random, Space, render_case, run_case};

    pub(crate) trait Outcome {
        fn conclude(self);
    }

    impl Outcome for () {
        fn conclude(self) {}
    }

    impl Outcome for bool {
        fn conclude(self) {
            assert!(self);
        }
    }

    impl<T, E: Debug> Outcome for Result<T, E> {
        fn conclude(self) {
            self.map(drop).unwrap();
        }
    }

    pub(crate) struct Check<'a> {
        name: &'static str,
        cases: u64,
        inputs: Option<fn(&mut Source)>,
        space: Option<fn(&mut Spaces) -> Part>,
        texts: Vec<&'static str>,
        examples: Vec<Box<dyn FnOnce() + 'a>>,
    }

    impl<'a> Check<'a> {
        pub(crate) fn new(name: &'static str) -> Self {
            Check { name, cases: 20, inputs: None, space: None, texts: Vec::new(), examples: Vec::new() }
        }

        pub(crate) fn manifest_dir(self, dir: &str) -> Self {
            assert!(std::path::Path::new(dir).join("Cargo.toml").exists());
            self
        }

        pub(crate) fn cases(self, cases: u64) -> Self {
            Check { cases, ..self }
        }

        pub(crate) fn should_panic(self) -> Self {
            self
        }

        pub(crate) fn inputs(self, inputs: fn(&mut Source)) -> Self {
            Check { inputs: Some(inputs), ..self }
        }

        pub(crate) fn literals(
            self,
            literals: fn(&mut Source) -> Vec<(&'static str, &'static str, String)>,
        ) -> Self {
            let mut source = Source::new(Box::new(Random::new(7)));
            let case = run_case(&mut source, &mut |src: &mut Source| {
                let texts = literals(src);
                assert!(!texts.is_empty() && texts.iter().all(|it| !it.0.is_empty() && !it.2.is_empty()));
            });
            assert!(case.unwrap().verdict.failure().is_none());
            self
        }

        pub(crate) fn space(self, space: fn(&mut Spaces) -> Part) -> Self {
            Check { space: Some(space), ..self }
        }

        pub(crate) fn example<R: Outcome>(
            mut self,
            text: &'static str,
            run: impl FnOnce() -> R + 'a,
        ) -> Check<'a> {
            self.texts.push(text);
            self.examples.push(Box::new(|| run().conclude()));
            self
        }

        #[track_caller]
        pub(crate) fn run<R: Outcome>(self, mut test: impl FnMut(&mut Source) -> R) {
            let line = include_str!("attribute.rs").lines().nth(Location::caller().line() as usize - 1);
            let (_, name) = self.name.split_once("attribute::").unwrap();
            assert!(line.unwrap().contains(name), "{line:?} is not where {name} begins");
            self.examples.into_iter().for_each(|run| run());
            // Listed inputs are an error where the space is not what is drawn.
            match (self.inputs, self.space.map(Space::new)) {
                (Some(mut inputs), Some(Ok(space))) => {
                    let mut source = Source::new(Box::new(space.replay(0, 1, None)));
                    for _ in 0..100 {
                        if source.begin().is_err() {
                            break;
                        }
                        let case = render_case(&mut source, &mut inputs).unwrap();
                        source.end(&case);
                    }
                }
                (Some(_), Some(Err(err))) => {
                    assert!(err.to_string().contains("whose generator uses `"), "{err}")
                }
                (inputs, space) => assert!(inputs.is_none() && space.is_none(), "they come together"),
            }
            for index in 1..=self.cases {
                let draw = |test: &mut dyn FnMut(&mut Source)| {
                    let mut source = Source::new(Box::new(Random::at(7, index)));
                    source.begin().unwrap();
                    render_case(&mut source, &mut |src: &mut Source| test(src)).unwrap()
                };
                let case = draw(&mut |src| test(src).conclude());
                if let Some(mut inputs) = self.inputs {
                    assert_eq!(draw(&mut inputs).trace, case.trace, "inputs alone are drawn alike");
                }
                if let Some(failure) = case.verdict.failure() {
                    let show = |it: &Input| format!("{} = {}", it.name.unwrap(), it.text);
                    let inputs: Vec<String> = case.log.inputs.iter().map(show).collect();
                    let (examples, inputs) = (self.texts.join("; "), inputs.join(", "));
                    panic!("{} [{examples}] {inputs}: {}", self.name, failure.message);
                }
            }
        }
    }
}

#[probity_test(crate = crate::attribute::probity)]
fn blanks_are_drawn_by_type_and_by_generator(
    mut v: Vec<u8>,
    #[from(0..=v.len())] at: usize,
    (a, b): (u8, bool),
    _: char,
) {
    let len = v.len();
    v.insert(at, a);
    assert!(b || v.len() == len + 1);
}

#[probity_test(crate = crate::attribute::probity)]
fn references_are_drawn_as_what_they_refer_to(
    s: &str,
    v: &[u16],
    n: &u32,
    m: &mut Vec<u8>,
    #[from(0..=s.len() + m.len())] k: usize,
) -> Result<(), String> {
    let most = s.len() + m.len();
    m.extend([v.len() as u8, *n as u8]);
    if k <= most { Ok(()) } else { Err(format!("{k} is more than {most}")) }
}

#[probity_test(crate = crate::attribute::probity)]
fn blanks_are_drawn_before_the_source_is_lent(src: &mut Source, n: u8) {
    assert!(src.draw(n..) >= n);
}

#[probity_test(crate = crate::attribute::probity, cases = 1)]
#[should_panic(
    expected = "attribute::failures_name_test_and_inputs [source = 1, r#in = \"a\"] source = 5, in = "
)]
#[example(source = 1, r#in = "a")]
pub(crate) fn failures_name_test_and_inputs(#[from(5u8..=5)] source: u8, r#in: &str) {
    assert!(source < 5, "{in}", in = r#in);
}

#[probity_test(crate = crate::attribute::probity, cases = 1)]
#[should_panic(expected = "[] (a, b) = (")]
fn patterns_name_inputs((a, b): (u8, u8)) -> Result<(), u8> {
    Err(a.max(b))
}

#[probity_test(crate = crate::attribute::probity, setup = vec![1u8, 2])]
#[example(i = 1)]
fn setup_is_lent_to_generators_too(#[setup] db: &[u8], #[from(0..db.len())] i: usize) {
    assert!(db[i] > 0);
}

#[probity_test(crate = crate::attribute::probity, cases = 9, setup = Vec::new())]
#[example(i = "first")]
fn setup_is_one_for_all_cases(i: &str, #[setup] db: &mut Vec<String>) {
    db.push(i.to_string());
    assert!(db[0] == "first" && db.len() <= 10);
}

/// Runs futures that are ready at once.
fn poll_once<F: Future>(future: F) -> F::Output {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(it) => it,
        Poll::Pending => unreachable!("it is ready"),
    }
}

#[probity_test(crate = crate::attribute::probity, block_on = poll_once, setup = 0u8)]
#[example(s = "a")]
async fn futures_are_run(s: &str, #[setup] n: &mut u8) -> Result<(), String> {
    *n = n.wrapping_add(ready(1).await);
    if *n > 0 { Ok(()) } else { Err(s.to_string()) }
}

/// A runtime that is made once, and counts what it runs.
struct Runtime(Cell<u32>);

impl Runtime {
    fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.0.set(self.0.get() + 1);
        assert!(self.0.get() <= 10);
        poll_once(future)
    }
}

#[probity_test(crate = crate::attribute::probity, runtime = Runtime(Cell::new(0)), cases = 9)]
#[example(s = "a")]
async fn runtimes_are_made_once(s: &str) -> bool {
    ready(s).await.len() == s.len()
}

#[probity_test(crate = crate::attribute::probity)]
fn same_name(same_name: Vec<u8>, #[from(0..=same_name.len())] at: usize) -> bool {
    at <= same_name.len()
}

#[probity_test(crate = crate::attribute::probity, setup = 7)]
fn same_name_as_setup(#[setup] same_name_as_setup: &u8, n: u8) {
    assert!(*same_name_as_setup == 7 && (n < 3 || n > 2));
}

#[probity_test(crate = crate::attribute::probity, cases = 3)]
fn tests_may_call_themselves(n: u8) -> bool {
    n == 0 || tests_may_call_themselves(n / 2)
}

fn names() -> Vec<String> {
    vec!["a".to_string(), "b".to_string()]
}

#[probity_test(crate = crate::attribute::probity)]
fn generators_may_borrow_and_values_coerce(
    #[from(&names()[..])] name: String,
    #[from(&["a", "b"])] word: &'static str,
    #[from(from(7..=7).map(Box::new))] shown: Box<dyn Debug>,
    #[from(0..9)] lent: &dyn Debug,
    #[from(3..=3,)] three: u8,
) {
    assert!(name.len() + word.len() == 2 && three == 3);
    assert!(format!("{shown:?}") == "7" && format!("{lent:?}").len() == 1);
}

#[probity_test(crate = crate::attribute::probity)]
fn unsized_types_are_lent(a: &Path, b: &OsStr, c: &CStr, d: &mut [u8], e: &mut str) {
    d.fill(1);
    e.make_ascii_lowercase();
    let _ = (a, b, c);
}

#[probity_test(crate = crate::attribute::probity)]
#[test]
fn nothing_is_needed() {}

macro_rules! by_macro {
    ($($name:ident: $ty:ty = $from:expr;)*) => {
        $(
            #[probity_test(crate = $crate::attribute::probity)]
            fn $name(#[from($from)] n: $ty, m: $ty, #[from(1..=1)] k: u8) {
                let _ = (n, m, k);
            }
        )*
    };
}
by_macro! { lent_by_macro: &i32 = 0..9; owned_by_macro: u16 = 3u16..; }
