//! Contracts: what they expand to, and what is told where they are wrong.

use super::{Expanded, check_errors, check_parts, finish, squeeze, term, tokens};

fn expand_contract(row: &str) -> Expanded {
    let (settings, item) = row.split_once("=>>").unwrap_or(("", row));
    finish(crate::contract::expand(&tokens(settings), tokens(item)))
}

#[test]
fn a_contract_is_checks_and_a_test() {
    check_parts(
        expand_contract,
        &[
            (
                "cases = 9 =>> #[requires(k <= xs.len() && f(k))] #[ensures(|out| *out == old(k + 1))] pub fn up(k: usize, xs: &[u8]) -> usize { k }",
                &[
                    "#[cfg(not(any(debug_assertions, test)))] pub fn up(k: usize, xs: &[u8]) -> usize { k }",
                    "let call = ::probity::contract::CheckedCall::new(\"up\");",
                    "let old0 = k + 1;",
                    "let out = { __body(k, xs) };",
                    "#[::probity::test(cases = 9)]",
                    "fn up_keeps_its_contract(",
                    "(k, xs): (usize, <[u8] as ::probity::Referent>::Owner)",
                    "let _ = { up(k, xs) };",
                ],
            ),
            // Nothing that specs have words for.
            (
                "#[requires(f(&k))] fn up(k: usize) {}",
                &["fn up_keeps_its_contract(k: usize)", "no spec::rust::required"],
            ),
            // A proof draws by type, and the run is told which conditions narrow.
            (
                "#[requires(f(&k) && k < 9)] fn up(k: usize) {}",
                &[
                    "is_interpreted(source) { return <usize as ::probity::Generate>::generate(source); }",
                    "tell(&[(\"f(&k)\", ::core::option::Option::None), (\"k < 9\", ::core::option::Option::Some(0))]",
                ],
            ),
            (
                "T = u8 =>> impl<T: Ord> Heap<T> { #[ensures(|out| *out)] fn is_ok<'a>(&'a self, it: &'a mut T) -> bool { true } }",
                &[
                    "fn heap_is_ok_keeps_its_contract(this: &Heap<u8>, it: &'_ mut u8)",
                    "let _ = { <Heap<u8>>::is_ok(this, it) };",
                    "Self::__is_ok_body(self, it)",
                ],
            ),
            // What changes is lent.
            (
                "#[requires(f(xs))] fn drop_one(xs: &mut Vec<u8>) {}",
                &[
                    "CheckedCall::require(&call, { let holds: bool = { let xs = &*xs; f(xs) }; holds }, \"f(xs)\");",
                ],
            ),
        ],
    );
}

#[test]
fn a_condition_is_told_as_it_was_written() {
    let rows = [
        "!xs.is_empty()",
        "-1 < *a && b != &c[0]",
        "xs.iter().all(|it| it.0 == T::new(1, 2))",
        "matches!(t, Tree::Node { .. })",
    ];
    for row in rows {
        assert_eq!(crate::contract::written(&tokens(row)), row);
    }
}

#[test]
fn wrong_contracts_are_told_what_to_do() {
    check_errors(
        expand_contract,
        &[
            ("struct S;", "a contract is of a function"),
            ("fn f() {}", "promises nothing"),
            ("#[requires] fn f() {}", "nothing is required"),
            ("#[requires()] fn f() {}", "nothing is required"),
            ("#[requires(|x| x)] fn f() {}", "without a closure"),
            ("#[requires(old(x) < 1)] fn f(x: u8) {}", "nothing older"),
            ("#[ensures] fn f() {}", "nothing is ensured"),
            ("#[ensures(out > 1)] fn f() -> u8 { 1 }", "write a closure"),
            ("#[ensures(|| true)] fn f() -> u8 { 1 }", "write a closure"),
            ("#[ensures(|out| old() < *out)] fn f() -> u8 { 1 }", "`old` without an expression"),
            ("#[ensures(|out| old(old(x)) < *out)] fn f(x: u8) -> u8 { 1 }", "is no older"),
            ("#[requires(x > 1)] fn f(&self, x: u8) {}", "on the `impl`"),
            ("#[requires(x > Self::N)] fn f(x: Self) {}", "on the `impl`"),
            ("#[requires(x > 1)] fn f<T>(x: T) {}", "`#[probity::contract(T = ..)]`"),
            ("#[requires(x() > 1)] fn f(x: impl Fn() -> u8) {}", "make it a type parameter"),
            ("#[requires(x > 1)] fn f(#[from(0..9)] #[from(1..2)] x: u8) {}", "one `#[from(..)]`"),
            ("impl S { fn f() {} }", "no method here promises"),
            ("impl Tr for S { fn f(x: u8) {} }", "no method here promises"),
            ("cases 9 =>> #[requires(x > 1)] fn f(x: u8) {}", "has no value"),
        ],
    );
}

fn expand_measures(row: &str) -> Expanded {
    finish(crate::spec::measures::expand(&[], tokens(row)))
}

#[test]
fn measures_are_terms_and_functions() {
    check_parts(
        expand_measures,
        &[(
            "impl<T: Ord> Tree<T> { pub fn size(&self) -> u32 { match self { Leaf => 0, Node { left, .. } => 1 + left.size() } } }",
            &[
                "impl<T: Ord> ::probity::spec::Measured for Tree<T>",
                "(\"size\", { let matched = ::probity::spec::Term::it();",
                "::probity::spec::rust::is_case(scope, ::core::clone::Clone::clone(&matched), \"Leaf\")",
                "::probity::spec::Term::measure(::core::clone::Clone::clone(&left), \"size\")",
                "(\"size\", ::probity::spec::Declared::to_value(&Self::size(self)))",
            ],
        )],
    );
    check_errors(
        expand_measures,
        &[
            ("struct S;", "methods of a type"),
            ("impl Size for S { fn size(&self) -> u32 { 1 } }", "methods of a type"),
            ("impl S {}", "no measure here"),
            ("impl S { const N: u8 = 1; }", "no measure"),
            ("impl S { fn size(self) -> u32 { 1 } }", "from the value alone"),
            ("impl S { fn size(&self, n: u32) -> u32 { 1 } }", "from the value alone"),
            ("impl S { fn size<T>(&self) -> u32 { 1 } }", "no parameters of its own"),
            ("impl S { fn size(&self) -> u32 { match self { S(a, .., b) => 1 } } }", "cannot be counted"),
            ("impl S { fn size(&self) -> u32 { match self { A(x) | B(x) => 1 } } }", "an arm for each"),
            ("impl S { fn size(&self) -> u32 { match self { A } } }", "without `=>`"),
            ("impl S { fn size(&self) -> u32 { let x = 1; x } }", "not understood"),
        ],
    );
}

#[test]
fn requirements_go_through_lists() {
    let found = term("a.iter().map(|it| it.f()).max().unwrap_or(0) < b.iter().map(T::f).sum()").unwrap();
    let most = "rust::greatest_of(Term::each(Term::field(Term::it(), \"a\"), |it| Term::measure(::core::clone::Clone::clone(&it), \"f\")), Term::int(0i128))";
    let sum = "Term::apply(Op::Sum, [Term::each(Term::field(Term::it(), \"b\"), |item| Term::measure(item, \"f\"))])";
    assert_eq!(found, squeeze(&format!("Term::lt({most}, {sum})")));
}
