//! `#[probity::model]`: what it expands to, and what it refuses.

use super::{Expanded, check_errors, check_parts, finish, tokens};

fn expand(row: &str) -> Expanded {
    let (settings, item) = row.split_once("=>").expect("settings, then the item");
    finish(crate::model::expand(&tokens(settings), tokens(item)))
}

#[test]
fn models_expand_as_they_say() {
    check_parts(
        expand,
        &[
            (
                "Counter, cases = 9 => impl Model {
                    const ONE: u64 = 1;
                    fn new() -> Self { Model(0) }
                    fn add(&mut self, #[from(1..=3)] n: u64) -> u64 { body }
                    #[weight(3)] #[when(self.0 > 0)] pub fn clear(&mut self) { body }
                    #[invariant] fn holds(&self, system: &Counter) -> bool { body }
                }",
                &[
                    "impl Model {
                        const ONE: u64 = 1;
                        fn new() -> Self { Model(0) }
                        fn add(&mut self, n: u64) -> u64 { body }
                        pub fn clear(&mut self) { body }
                        fn holds(&self, system: &Counter) -> bool { body }
                    }",
                    "fn __draw_add(&self, source: &mut ::probity::Source) -> (u64,) {
                        let n: u64 = ::probity::Source::draw(source, 1..=3);
                        (n,)
                    }",
                    "fn __may_clear(&self) -> bool { self.0 > 0 }",
                    "::probity::steps!(source, ..=30, {",
                    "3 * clear if model.__may_clear() => {",
                    r#"::probity::threads::compare("add", &actual, &expected);"#,
                    "always => { ::probity::Outcome::conclude(model.holds(&system)); }",
                    ".cases(9)",
                    r#"::core::concat!(::core::module_path!(), "::", "model::in_sequence")"#,
                    "mod model { #[::core::prelude::v1::test] fn in_sequence() { super::__model_in_sequence() } }",
                    "no in_parallel",
                ],
            ),
            (
                "Bank, threads = 2, calls = ..=4, new = Bank::open(7) => #[ignore] impl bank::BankModel<u8> {
                    #[when(self.0 >= n)] fn take(&mut self, n: u64, of: &str) {}
                }",
                &[
                    "fn __may_take(&self) -> bool { true }",
                    "fn __open_take(&self, args: &(u64, <str as ::probity::Referent>::Owner)) -> bool {
                        let n: u64 = ::core::clone::Clone::clone(&args.0);
                        let of: &str = &args.1;
                        self.0 >= n
                    }",
                    "|system: &Bank, args: (u64, <str as ::probity::Referent>::Owner)| {
                        let _ = &args;
                        system.take({ let arg: u64 = ::core::clone::Clone::clone(&args.0); arg }, &args.1)
                    }",
                    "|| Bank::open(7)",
                    ".calls(..=4)",
                    "test.in_sequence(source)",
                    "test.in_parallel(source, 2)",
                    "mod bank_model { #[::core::prelude::v1::test] #[ignore] fn in_sequence()",
                    "no .real()",
                ],
            ),
            ("Bank, real_threads = 3 => impl Model { fn a(&self) {} }", &[".real()", "(source, 3)"]),
            (
                "Bank, runtime = tokio => impl Model { async fn a(&self) {} }",
                &["runtime.block_on(async {", "let actual = system.a().await;"],
            ),
        ],
    );
}

#[test]
fn wrong_models_say_what_to_do() {
    check_errors(
        expand,
        &[
            ("=> impl Model { fn a(&self) {} }", "a model stands beside a system"),
            ("threads = 2 => impl Model { fn a(&self) {} }", "a model stands beside a system"),
            ("S => fn a() {}", "a model is a type with methods"),
            ("S => impl Clone for Model { fn a(&self) {} }", "a model is a type with methods"),
            ("S => impl<T> Model<T> { fn a(&self) {} }", "a model has no generics"),
            ("S => impl Model { fn new() -> Self {} }", "a model without commands"),
            ("S => impl Model { fn a<T>(&self, it: T) {} }", "a command has no generics"),
            ("S => impl Model { #[when] fn a(&self) {} }", "no condition"),
            ("S => impl Model { #[when()] fn a(&self) {} }", "no condition"),
            ("S => impl Model { #[when(a)] #[when(b)] fn a(&self) {} }", "a command has one `#[when(..)]`"),
            ("S => impl Model { #[when(a)] fn a() {} fn b(&self) {} }", "this is about methods"),
            ("S => impl Model { #[weight(x)] fn a(&self) {} }", "a weight is a number"),
            ("S => impl Model { fn a(&self, to: &mut [u8]) {} }", "what a command writes here is none"),
            ("S => impl Model { fn a(&self, #[setup] to: &u8) {} }", "a model has no `setup`"),
            (
                "S => impl Model { fn a(&self) {} #[invariant] fn b(&self, n: u8) {} }",
                "an invariant is about",
            ),
            ("S => impl Model { async fn a(&self) {} }", "an `async fn` needs something that runs it"),
            (
                "S, threads = 2, runtime = tokio => impl Model { async fn a(&self) {} }",
                "threads make plain calls",
            ),
            ("S, block_on = f => impl Model { fn a(&self) {} }", "`block_on` runs an `async fn`"),
            ("S, calls = 3 => impl Model { fn a(&self) {} }", "`calls` is about threads"),
            ("S, threads = 2, real_threads = 2 => impl Model { fn a(&self) {} }", "threads are given twice"),
            ("S, thread = 2 => impl Model { fn a(&self) {} }", "no setting is called `thread`"),
        ],
    );
}
