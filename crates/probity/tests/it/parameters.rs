//! Parameters and results of `#[probity::test]` that users of other libraries try first.

use std::cell::Cell;
use std::ffi::{CStr, OsStr};
use std::fmt::Debug;
use std::path::Path;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use probity::prelude::*;

#[derive(Debug, Generate)]
enum Op {
    Push,
    Pop,
}

#[probity::test(cases = 100)]
fn ops(ops: Vec<Op>) {
    let pushed = ops.iter().filter(|it| matches!(it, Op::Push)).count();
    assert!(pushed <= ops.len());
}

#[probity::test(cases = 100)]
fn a_bool_says_whether_it_holds(a: u32, b: u32) -> bool {
    a.wrapping_add(b) == b.wrapping_add(a)
}

#[probity::test(cases = 100)]
fn a_bool_may_come_with_an_error(n: i64) -> Result<bool, std::num::ParseIntError> {
    Ok(n.to_string().parse::<i64>()? == n)
}

#[probity::test(cases = 100)]
#[should_panic(expected = "the test returned `false`")]
fn false_is_a_failure(n: u32) -> bool {
    n < 1000
}

#[probity::test(cases = 100)]
fn types_without_a_size_are_lent(path: &Path, name: &OsStr, text: &CStr, items: &mut [u8]) {
    items.reverse();
    assert!(path.as_os_str().len() + name.len() + text.count_bytes() < 100_000);
}

#[probity::test(cases = 100)]
fn generators_make_what_is_lent(
    #[from(&["tea", "milk"])] drink: &'static str,
    #[from(0..9)] shown: &dyn Debug,
    #[from(from(1..=6).map(Box::new))] boxed: Box<dyn Debug>,
) {
    assert!(drink.len() < 5 && format!("{shown:?}{boxed:?}").len() == 2);
}

/// Runs futures that never wait, and counts them.
struct Runtime(Cell<u32>);

impl Runtime {
    fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.0.set(self.0.get() + 1);
        match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(it) => it,
            Poll::Pending => unreachable!("it never waits"),
        }
    }
}

thread_local! {
    static RUNTIMES: Cell<u32> = const { Cell::new(0) };
}

fn runtime() -> Runtime {
    RUNTIMES.set(RUNTIMES.get() + 1);
    Runtime(Cell::new(0))
}

#[probity::test(cases = 100, runtime = runtime())]
async fn one_runtime_runs_all_cases(word: &str) -> bool {
    std::future::ready(word).await.len() == word.len() && RUNTIMES.get() == 1
}
