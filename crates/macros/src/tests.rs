//! Expansions and errors, as tables. `tests/` runs what is expanded.

mod contracts;
mod derived;
mod misused_types;
mod models;
mod tables;

use proc_macro2::{TokenStream, TokenTree};

/// Tokens as text without blanks, so that rows can be written as Rust is.
fn squeeze(tokens: &str) -> String {
    tokens.parse::<TokenStream>().unwrap().to_string().split_whitespace().collect()
}

fn tokens(text: &str) -> Vec<TokenTree> {
    text.parse::<TokenStream>().unwrap().into_iter().collect()
}

/// The expansion as text, or the message of the error.
type Expanded = Result<String, String>;

fn finish(expansion: crate::parse::Result<Vec<TokenTree>>) -> Expanded {
    let text = |it: Vec<TokenTree>| squeeze(&it.into_iter().collect::<TokenStream>().to_string());
    expansion.map(text).map_err(|err| {
        let message = err.message.clone();
        assert!(text(err.into_compile_error()).starts_with("::core::compile_error!{\""));
        message
    })
}

fn expand_test(row: &str) -> Expanded {
    let (settings, item) = row.split_once("=>").unwrap_or(("", row));
    finish(crate::attribute::expand(&tokens(settings), tokens(item)))
}

fn expand_derive(row: &str) -> Expanded {
    finish(crate::derive::expand(tokens(row)))
}

fn check_parts(expand: fn(&str) -> Expanded, rows: &[(&str, &[&str])]) {
    for (row, parts) in rows {
        let text = expand(row).unwrap_or_else(|err| panic!("{row}\n{err}"));
        for part in *parts {
            let (wanted, part) = part.strip_prefix("no ").map_or((true, *part), |it| (false, it));
            let part: String = part.split_whitespace().collect();
            assert_eq!(text.contains(&part), wanted, "{row}\n{part}\n{text}");
        }
    }
}

fn check_errors(expand: fn(&str) -> Expanded, rows: &[(&str, &str)]) {
    for (row, message) in rows {
        let err = expand(row).map_or_else(|err| err, |it| panic!("{row} is no error\n{it}"));
        assert!(err.contains(message), "{row}\n{message}\n{err}");
        assert!(err.contains("; "), "says what to do next: {err}");
    }
}

#[test]
fn a_test_is_a_call_of_check() {
    let text = expand_test(
        r#"cases = 9, engine = "random" =>
        /** Doc. */ #[should_panic] pub(crate) fn t(
            mut v: Vec<i32>, s: &str, #[from(0..9)] n: u8, #[from(n..)] m: u8
        ) -> Result<(), E> { body }"#,
    );
    let expected = r#"
        #[cfg_attr(test, ::core::prelude::v1::test)]
        #[cfg_attr(not(test), allow(dead_code))]
        /** Doc. */ #[should_panic]
        pub(crate) fn t() {
            let test = {
                #[allow(clippy::needless_pass_by_value, clippy::ptr_arg, clippy::too_many_arguments)]
                fn t(mut v: Vec<i32>, s: &str, #[allow(unused_variables)] n: u8, m: u8) -> Result<(), E> { body }
                t
            };
            #[inline(always)]
            #[allow(clippy::used_underscore_binding)]
            fn t(
                asked: ::probity::Blanks<'_, (&mut ::probity::Spaces, &mut ::std::vec::Vec<::probity::Part>)>,
                then: impl ::core::ops::FnOnce(Vec<i32>, &str, u8, u8)
            ) {
                match (0..9,) {
                    __generators => match asked {
                        ::probity::Blanks::Draw(source) => {
                            let v: Vec<i32> =
                                ::probity::Source::any_as::<Vec<i32> >(source, "v");
                            let value1: <str as ::probity::Referent>::Owner = ::probity::Source::any_as::<<str as ::probity::Referent>::Owner>(source, "s");
                            let s: &str = &value1;
                            let n: u8 = ::probity::Source::draw_as(source, "n", __generators.0);
                            let m: u8 = ::probity::Source::draw_as(source, "m", n..);
                            then(v, s, n, m)
                        }
                        ::probity::Blanks::Describe((spaces, parts)) => {
                            parts.push(::probity::Spaces::any::<Vec<i32> >(spaces));
                            parts.push(::probity::Spaces::any::<<str as ::probity::Referent>::Owner>(spaces));
                            parts.push(::probity::Generator::space(&__generators.0, spaces));
                            parts.push(spaces.unknown("`m`, whose generator uses `n`"));
                        }
                    }
                }
            }
            #[allow(clippy::used_underscore_binding)]
            ::probity::Check::new(::core::concat!(::core::module_path!(), "::", "t"))
                .manifest_dir(::core::env!("CARGO_MANIFEST_DIR"))
                .should_panic()
                .cases(9)
                .engine("random")
                .inputs(|source: &mut ::probity::Source|
                    t(::probity::Blanks::Draw(source), |_, _, _, _| ()))
                .literals(|source: &mut ::probity::Source| {
                    #[allow(unused_imports)]
                    use ::probity::literal::probes::*;
                    let mut parts = ::std::vec::Vec::new();
                    t(::probity::Blanks::Draw(source), |param0, param1, param2, param3| {
                        parts.extend([
                            ("v", "Vec<i32>", ["", &(&::probity::literal::LiteralProbe(&param0)).write()].concat()),
                            ("s", "&str", ["", &(&::probity::literal::LiteralProbe(&*param1)).write()].concat()),
                            ("n", "u8", ["", &(&::probity::literal::LiteralProbe(&param2)).write()].concat()),
                            ("m", "u8", ["", &(&::probity::literal::LiteralProbe(&param3)).write()].concat())
                        ])
                    });
                    parts
                })
                .space(|spaces: &mut ::probity::Spaces| {
                    let mut parts = ::std::vec::Vec::new();
                    t(::probity::Blanks::Describe((&mut *spaces, &mut parts)), |_, _, _, _| ());
                    spaces.sequence(&parts)
                })
                .run(|source: &mut ::probity::Source|
                    t(::probity::Blanks::Draw(source), |param0, param1, param2, param3|
                        <Result<(), E> as ::probity::Outcome>::conclude(test(param0, param1, param2, param3))));
        }"#;
    assert_eq!(text.unwrap(), squeeze(expected));
}

#[test]
fn tests_expand_as_they_say() {
    check_parts(
        expand_test,
        &[
            (
                "fn t() {}",
                &[".run(|source: &mut ::probity::Source| { test() });", "no .inputs(", "no .space("],
            ),
            (
                "fn t(#[from(0..v)] r#in: u8) {}",
                &[r#"let r#in: u8 = ::probity::Source::draw_as(source, "in","#],
            ),
            ("fn t(#[from(x,)] n: u8) {}", &["match (x,) {"]),
            ("fn t(#[from(x)] s: &str) {}", &["&str = ::probity::Text::text(__text0);"]),
            ("fn t(#[from(x)] s: &mut str) {}", &["let s: &mut str = &mut value0;"]),
            (
                "fn t(/** Of Anna. */ n: u8, #[from(n..)] m: u8) {}",
                &["fn t(#[allow(unused_variables)] n: u8, m: u8)"],
            ),
            (
                "fn t(_: u8, n: u8, #[from(|_| m)] a: u8, #[from(x(-n))] b: u8, #[from(f!(\"{n}\"))] c: u8) {}",
                &[
                    "match (|_| m,) {",
                    r#"spaces.unknown("`b`, whose generator uses `n`")"#,
                    r#"spaces.unknown("`c`, whose generator uses `n`")"#,
                ],
            ),
            (
                "fn t(#[allow(x)] _: u8) {}",
                &["fn t(#[allow(x)] _: u8)", "any_as::<u8>(source, ::core::stringify!(_))"],
            ),
            (
                "fn t(path::To { a, .. }: To) {}",
                &[
                    "any_as::<To>(source, ::core::stringify!(path::To { a, .. }))",
                    "then(param0)",
                    "test(param0)",
                ],
            ),
            (
                "fn t(m: &mut u8) {}",
                &[
                    "let mut value0: <u8 as",
                    "let m: &mut u8 = &mut value0;",
                    "then(m)",
                    "|param0| test(param0)",
                ],
            ),
            ("fn t(v: &[u8]) {}", &["let value0: <[u8] as ::probity::Referent>::Owner ="]),
            ("fn t(#[from(x)] d: &(dyn A + B)) {}", &["let value0: _ =", "let d: &(dyn A + B) = &value0;"]),
            ("fn t(#[from(x)] s: &'static str) {}", &["let s: &'static str ="]),
            (
                "fn t(src: &mut probity::Source, n: u8) {}",
                &["let n: u8 =", "test(source, n)", "no .inputs(", "no .space(", "no let src", "no Blanks"],
            ),
            (
                "fn t(#[from(x)] s: &mut Source) {}",
                &["let mut value0: <Source as ::probity::Referent>::Owner ="],
            ),
            (
                "setup = |a, b| a, cases = 1 => #[example(k = 1)] fn t(#[setup] db: &Db, k: u8) {}",
                &[
                    "let setup = |a, b| a;",
                    "let db: &Db = &setup;",
                    ".example(::core::stringify!(k = 1), || test(&setup, 1))",
                    "no .inputs(",
                    "no .space(",
                ],
            ),
            (
                "setup = 1 => #[example(k = 1)] fn t(#[setup] db: &mut u8, k: u8) {}",
                &[
                    "let setup = ::core::cell::RefCell::new(1);",
                    "let db: &mut u8 = &mut setup.borrow_mut();",
                    "|| test(&mut setup.borrow_mut(), 1))",
                ],
            ),
            (
                "block_on = a::run => #[example(n = 1)] async fn t(n: u8) {}",
                &["async fn t(n: u8)", "|| (a::run)(test(1))", "(a::run)(test(param0))"],
            ),
            (
                "runtime = Run::new() => #[example(n = 1)] async fn t(n: u8) -> bool { true }",
                &[
                    "let runtime = Run::new();",
                    "|| <bool as ::probity::Outcome>::conclude(runtime.block_on(test(1)))",
                    "conclude(runtime.block_on(test(param0)))",
                ],
            ),
            (
                "runtime = tokio => async fn t() {}",
                &["let runtime = ::tokio::runtime::Builder::new_current_"],
            ),
            (
                "crate = a::b => fn t(n: u8) {}",
                &["a::b::Check::new(", "a::b::Source::any_as::<u8>(", "&mut a::b::Source", "no ::probity"],
            ),
            (
                "#[example(b = m::<A, B>(), a = |x, y| x == y,)] fn t(a: u8, b: u8) {}",
                &["stringify!(b = m::<A, B>(), a = |x, y| x == y), || test(|x, y| x == y, m::<A, B>()))"],
            ),
            (
                "fn t(v:Vec<u8>,f: fn(A, B)->C<D, E>, &x: &Foo<{ 1 < 2 }, -1>) {}",
                &[
                    "let v: Vec<u8> = ",
                    r#"let f: fn(A, B)->C<D, E> = ::probity::Source::any_as::<fn(A, B)->C<D, E> >(source, "f")"#,
                    "let value2: <Foo<{ 1 < 2 }, -1> as ::probity::Referent>::Owner =",
                    "(source, ::core::stringify!(&x))",
                ],
            ),
            (
                "fn t(a: &[u8; 2], b: &(u8, u8), c: (&(str)), Some::<A, B>(d): E<F>) {}",
                &[
                    "let value0: <[u8; 2] as",
                    "let value1: <(u8, u8) as",
                    "let value2: <str as",
                    "let param3: E<F>",
                ],
            ),
            ("fn t(a: &mut Sources, b: &mut Source<T>) {}", &["let a:", "let b:"]),
            ("#[tokio::test] fn t() {}", &["no prelude", "#[tokio::test] fn t()"]),
            ("#[wasm_bindgen_test] fn t() {}", &["no prelude"]),
        ],
    );
}

#[test]
fn misused_tests_are_errors() {
    check_errors(
        expand_test,
        &[
            ("engine = random => fn t() {}", "the value of `engine` is a text; write `engine = \"random\"`"),
            ("runtime = smol => async fn t() {}", "only `tokio` is known by its name"),
            ("fn t(#[cfg(a)] n: u8) {}", "a parameter cannot depend on `cfg`"),
            ("case = 1 => fn t() {}", "no setting is called `case`; the settings are cases, time, seed"),
            ("cases = 1, cases = 2 => fn t() {}", "`cases` is given twice"),
            ("cases = 1, fast => fn t() {}", "`fast` has no value; write `fast = ..`"),
            ("cases = => fn t() {}", "`cases` has no value"),
            ("9 => fn t() {}", "`9` is no name; write `name = ..`"),
            ("fn t(self) {}", "drop `self`"),
            ("fn t(self: Box<Self>) {}", "drop `self`"),
            ("fn t(&'a mut self, n: u8) {}", "drop `self`"),
            ("fn t<T>(n: T) {}", "no generics"),
            ("fn t<'a>(n: &'a str) {}", "no generics"),
            ("fn t(n: impl Debug) {}", "no generics"),
            ("fn t(n: u8) where u8: Copy {}", "no generics"),
            ("const fn t() {}", "remove `const`"),
            ("async unsafe fn t() {}", "remove `unsafe`"),
            (r#"extern "C" fn t() {}"#, "remove `extern`"),
            ("pub struct T;", "put `#[probity::test]` on one"),
            ("fn t(n: &'static str) {}", "remove `'static`"),
            ("fn t(n: &'a str) {}", "remove `'a`"),
            ("fn t(#[from(x)] n: &'a str) {}", "remove `'a`"),
            ("fn t(n: &dyn Debug) {}", "as in `#[from(0..10)] it: &dyn Debug`"),
            ("fn t(n: u8);", "a test without a body"),
            ("fn t(#[from(0..3, 4..5)] n: u8) {}", "a blank has one generator"),
            ("fn t(#[from] n: u8) {}", "as in `#[from(0..10)]`"),
            ("fn t(#[from()] n: u8) {}", "as in `#[from(0..10)]`"),
            ("fn t(#[from(a)] #[from(b)] n: u8) {}", "one `#[from(..)]`"),
            ("setup = 1 => fn t(#[from(a)] #[setup] n: &u8) {}", "one `#[from(..)]`"),
            ("setup = 1 => fn t(#[setup] n: u8) {}", "take it as `&T`"),
            ("setup = 1 => fn t(n: u8) {}", "mark one"),
            ("fn t(#[setup] n: &u8) {}", "write `#[probity::test(setup = ..)]`"),
            ("setup = 1 => fn t(#[setup] a: &u8, #[setup] b: &u8) {}", "lent to one parameter"),
            ("async fn t() {}", "write `#[probity::test(runtime = tokio)]`"),
            ("#[tokio::test] async fn t() {}", "remove it, and write `#[probity::test(runtime = tokio)]`"),
            ("block_on = run => fn t() {}", "`block_on` runs an `async fn`; remove it here"),
            ("runtime = tokio => fn t() {}", "`runtime` runs an `async fn`; remove it here"),
            ("runtime = tokio, block_on = run => async fn t() {}", "remove one"),
            ("#[example] fn t(n: u8) {}", "as in `#[example(n = 1)]`"),
            ("#[example(m = 1)] fn t(n: u8, mut k: u8) {}", "called `m`; the blanks are `n`, `k`"),
            ("#[example(n = 1)] fn t(n: u8, k: u8) {}", "no value for `k`; add `k = ..`"),
            ("#[example(n = 1, n = 2)] fn t(n: u8) {}", "`n` is given twice"),
            ("#[example(n = 1)] fn t(n: u8, s: &mut Source) {}", "from its source"),
            ("#[example(n = 1)] fn t(n: u8, (a, b): (u8, u8)) {}", "give this one a name"),
        ],
    );
}

/// The compiler has said what is wrong, and would say it again of every copy.
#[test]
fn what_cannot_be_parsed_is_left_alone() {
    let shown =
        |it: crate::parse::Result<Vec<TokenTree>>| it.is_err_and(|it| it.into_compile_error().is_empty());
    for row in
        ["fn t(v: Vec<u8>, n) {}", "fn t(n: ) {}", "fn t(v: Vec<u8, n: u8) {}", "fn t(f: fn(A) -> B>) {}"]
    {
        assert!(shown(crate::attribute::expand(&[], tokens(row))), "{row}");
    }
    for row in ["struct X { a: u8, b }", "struct X { a: }", "enum X { A { a: Vec<u8 } }"] {
        assert!(shown(crate::derive::expand(tokens(row))), "{row}");
    }
}

#[test]
fn types_expand_as_they_say() {
    check_parts(
        expand_derive,
        &[
            ("struct X;", &["fn generate(_: &mut ::probity::Source) -> Self { Self {} }"]),
            ("struct X(#[skip] u8);", &["(_: &mut", "Self { 0: ::core::default::Default::default(), }"]),
            ("struct X(u8, #[from(y)] u8);", &["let field0: u8", "Self { 0: field0, 1: field1, }"]),
            ("struct r#in { r#for: u8 }", &[r#".group_of("in","#, "r#for: <u8"]),
            ("struct X { #[from] a: u8 }", &["a: <u8 as"]),
            ("struct X { a: Option<Box<X>> }", &[r#"source.nest_of("X","#, "no #[inline]"]),
            ("struct X { a: Vec<Self> }", &["source.nest_of("]),
            ("struct X { #[skip] a: Vec<X> }", &["no nest", "-> ::probity::Part { spaces.nothing() }"]),
            (
                "enum X { A, B, C }",
                &[
                    "-> Self { match source.pick_variant(3u32, 3u32, 3645147734497614675u64) { 0usize => Self::A {}, 1usize => Self::B {}, _ => Self::C {}, } }",
                ],
            ),
            (
                "enum X { A(u8), #[skip] B }",
                &[
                    "Self::A { 0: ",
                    "no pick",
                    "no Self::B",
                    "let it = <u8 as ::probity::Generate>::space(spaces);",
                ],
            ),
            (
                "enum X { #[weight(3)] A, B, #[weight(0)] C }",
                &["source.pick_weighted_variant(&[3u32, 1u32, 0u32], 3u32,"],
            ),
            ("enum X { #[weight(2)] A, #[weight(2)] B }", &["source.pick_variant(2u32, 2u32,"]),
            (
                "enum X { #[weight(5)] A(Box<X>), B, C }",
                &[
                    "match source.size_left() { \
                     ::probity::SizeLeft::Some => source.pick_weighted_variant(&[1u32, 1u32, 5u32], 2u32, 5946447242344865159u64), \
                     ::probity::SizeLeft::None => source.pick_weighted_variant(&[1u32, 1u32, 0u32], 2u32, 5946447242344865159u64), \
                     ::probity::SizeLeft::ByShape => source.pick_nested::<Self>(&[1u32, 1u32, 5u32], 2u32, 5946447242344865159u64), }",
                    "0usize => Self::B {}, 1usize => Self::C {}, _ => Self::A {",
                    "[spaces.nothing(), spaces.nothing(), <Box<X> as ::probity::Generate>::space(spaces)]",
                    "spaces.pick(&it) }; spaces.nest(it)",
                ],
            ),
            (
                "enum X { #[weight(0)] A, B(Box<X>) }",
                &[
                    "None => source.pick_weighted_variant(&[1u32, 0u32], 1u32, ",
                    "Some => source.pick_weighted_variant(&[0u32, 1u32], 1u32, ",
                ],
            ),
            (
                "enum X { A, #[weight(0)] B(Box<X>) }",
                &[
                    "Some => source.pick_weighted_variant(&[1u32, 0u32], 1u32, ",
                    "ByShape => source.pick_nested::<Self>(&[1u32, 0u32], 1u32, ",
                ],
            ),
            ("enum X { A(Box<X>), B(Vec<X>) }", &["_ => source.pick_variant(2u32, 0u32,"]),
            (
                "enum X { A(Y), B }",
                &[
                    "match source.size_left() { \
                     ::probity::SizeLeft::ByShape => source.pick_nested::<Self>(&[1u32, 1u32], 2u32,",
                    "_ => source.pick_variant(2u32, 2u32,",
                ],
            ),
            ("enum X { #[weight(0x1_0u32)] A, B }", &["&[16u32, 1u32]"]),
            (
                "enum X { A = 1 << 3, B = f::<C, D>() as isize, E = <F as G<H, I>>::J, K = (L > M) as isize }",
                &["pick_variant(4u32, ", "Self::A", "Self::B", "Self::E", "Self::K"],
            ),
            (
                "struct X<T: Fn(A, B) -> C<D>, U = E<F, G>, const N: usize = { 1 + 2 },>(pub T, pub (U, H))
                 where T: Copy, [(); { N }]: Sized,;",
                &[
                    "impl<T: Fn(A, B) -> C<D>, U, const N: usize> ::probity::Generate for X<T, U, N>
                     where T: Copy, [(); { N }]: Sized, T: ::probity::Generate, U: ::probity::Generate, Self: ::core::fmt::Debug {",
                    "0: <T as",
                    "1: <(U, H) as",
                ],
            ),
            ("struct X<T, U>(T, #[from(y)] U);", &["where T: ::probity::Generate, Self: ::core::fmt::Debug {"]),
            ("struct X<T>(u8, PhantomData<T>);", &["where Self: ::core::fmt::Debug {", "no T:"]),
            ("struct X<T>(#[skip] Option<T>);", &["where Option<T>: ::core::default::Default, Self: ::core::fmt::Debug {"]),
            (
                "#[invariant(self.a < self.b)] struct X { a: u8, #[skip] b: u8 }",
                &[
                    "source.such_that(|source| -> Self { source.group_of(\"X\", |source| Self { a: <u8 as",
                    "}) }, |this: &Self| -> bool { this.a < this.b })",
                ],
            ),
            (
                "#[invariant(Self::one)] #[invariant(|it| it.two())] struct X(u8);",
                &[
                    "{ source.such_that(|source| -> Self { source.such_that(|source| -> Self { source.group_of(",
                    "}, Self::one) }, |it| it.two())",
                ],
            ),
            (
                "#[invariant(self::ok)] struct X(u8);",
                &["}, self::ok)", "spaces.unknown_with(\"an invariant of `X`\", &[it])"],
            ),
            (
                "#[invariant(self::ok(self) && matches!(self.0, A { .. } if [self].len() > 0))] enum X { A }",
                &[
                    "generate(source: &mut",
                    "{ self::ok(this) && matches!(this.0, A { .. } if [this].len() > 0) })",
                ],
            ),
            (
                "#[probity(crate = a::b)] struct X(u8, #[from(y)] u8);",
                &["impl a::b::Generate for X", "&mut a::b::Source", "a::b::Generator::", "no ::probity"],
            ),
        ],
    );
}

fn expand_spec_derive(row: &str) -> Expanded {
    finish(crate::spec::derive::expand(tokens(row)))
}

fn expand_spec(row: &str) -> Expanded {
    finish(crate::spec::declare::expand(&tokens(row)))
}

/// The term that a requirement of two fields `a` and `b` represents, without the crate's path.
fn term(row: &str) -> Expanded {
    let text = expand_spec_derive(&format!("#[spec(require = {row})] struct X {{ a: u8, b: u8 }}"))?;
    let at = text.find("requiring(scope,").expect("one requirement") + "requiring(scope,".len();
    let end = text[at..].find(");::core::clone").expect("nothing more") + at;
    Ok(text[at..end].replace("::probity::spec::", ""))
}

#[test]
fn requirements_are_terms() {
    for (row, expected) in [
        ("a < b", "Term::lt(A, B)"),
        (
            "a >= 1 + b * 2",
            "Term::le(rust::sum(scope, Term::int(1i128), Term::times(B, Term::int(2i128))), A)",
        ),
        (
            "a + 1 - b == 0x10",
            "rust::equal(scope, Term::minus(rust::sum(scope, A, Term::int(1i128)), B), Term::int(16i128))",
        ),
        (
            "a < 1 && b < 2 || !(self.a != b)",
            "Term::or(Term::and(Term::lt(A, Term::int(1i128)), Term::lt(B, Term::int(2i128))), Term::negate(Term::negate(rust::equal(scope, A, B))))",
        ),
        (
            "-a % 3 == b / MAX",
            "rust::equal(scope, rust::remainder(scope, rust::negative(A), Term::int(3i128)), rust::quotient(scope, B, rust::constant(MAX)))",
        ),
        (
            "a.len() as u8 <= u8::MAX",
            "Term::le(rust::cast(scope, Term::len(A), \"u8\"), rust::constant(u8::MAX))",
        ),
        ("b < 1e-9", "Term::lt(B, rust::constant(1e-9))"),
        ("a.c.d.is_empty()", "Term::eq(Term::len(Term::field(Term::field(A, \"c\"), \"d\")), Term::int(0))"),
        ("a == Kind::Some", "rust::equal(scope, A, rust::case(\"Some\"))"),
        (
            "matches!(a, Kind::X { .. } | Kind::Y(_))",
            "{ let matched = A; Term::or(
                rust::is_case(scope, ::core::clone::Clone::clone(&matched), \"X\"),
                rust::is_case(scope, ::core::clone::Clone::clone(&matched), \"Y\")
            ) }",
        ),
        ("a.iter().all(|&x| x < b)", "Term::forall(A, |x| Term::lt(::core::clone::Clone::clone(&x), B))"),
        (
            "a.iter().any(|it| it == *b)",
            "Term::exists(A, |it| rust::equal(scope, ::core::clone::Clone::clone(&it), B))",
        ),
        (
            "if a > 1 { b } else { true }",
            "Term::apply(Op::Ite, [Term::lt(Term::int(1i128), A), B, Term::constant(true)])",
        ),
        (
            "[1, 2].contains(&a)",
            "rust::contains(scope, Term::apply(Op::List, [Term::int(1i128), Term::int(2i128)]), A)",
        ),
        (
            "a[0] == { f(1) }",
            "rust::equal(scope, Term::apply(Op::Nth, [A, Term::int(0i128)]), rust::constant(f(1)))",
        ),
        ("\"a < b\"", "Term::lt(A, B)"),
        ("a.iter().sum::<u64>() < 'x'", "Term::lt(Term::apply(Op::Sum, [A]), rust::constant('x'))"),
        ("b < 1.50", "Term::lt(B, rust::decimal(\"1.50\"))"),
        ("a.matches(\"x\")", "rust::matches(A, \"x\")"),
    ] {
        let expected = expected
            .replace('A', "Term::field(Term::it(), \"a\")")
            .replace('B', "Term::field(Term::it(), \"b\")");
        let expected = expected.replace("MTerm::field(Term::it(), \"a\")X", "MAX");
        assert_eq!(term(row).unwrap_or_else(|err| panic!("{row}\n{err}")), squeeze(&expected), "{row}");
    }
}

#[test]
fn misused_requirements_are_errors() {
    check_errors(
        term,
        &[
            ("a < c", "no field is called `c`; there are `a`, `b`"),
            ("self.c < a", "no field is called `c`"),
            ("it < a", "no field is called `it`"),
            ("a < b < 3", "comparisons do not chain"),
            ("a <", "ends too soon"),
            ("a b", "`b` is not understood here"),
            ("a ? b", "`?` is not understood here"),
            ("a.b.sqrt() > 1", "no method `sqrt`"),
            ("a.len(1)", "no method `len` with these arguments"),
            ("if a { b }", "an `if` needs both branches"),
            ("\"a < (b\"", "mend its brackets"),
            ("matches!(a, [3])", "this pattern is not understood"),
            ("a.", "a name is missing after the point"),
            (&"!".repeat(500), "nests too deep"),
            (&format!("{}a{}", "(".repeat(200), ")".repeat(200)), "nests too deep"),
        ],
    );
}

#[test]
fn specs_expand_as_they_say() {
    check_parts(
        expand_spec_derive,
        &[
            (
                "struct X<T> { #[spec(range = 0..=9)] a: T, #[spec(len = 1..a, matches = P)] b: String, #[spec(skip)] c: u8 }",
                &[
                    "impl<T> ::probity::spec::Declared for X<T> where T: ::probity::spec::Declared, Self: ::core::fmt::Debug {",
                    "(\"a\", ::probity::spec::rust::range(<T as ::probity::spec::Declared>::spec(), \
                     ::core::option::Option::Some(::probity::spec::Term::int(0i128)), \
                     ::core::option::Option::Some(::probity::spec::Term::int(9i128)), true))",
                    "(\"b\", ::probity::spec::rust::pattern(<String as ::probity::spec::Declared>::spec(), P))",
                    "::probity::spec::rust::lengths_of(scope, ::probity::spec::Term::field(::probity::spec::Term::it(), \"b\"),",
                    "a: <T as ::probity::spec::Declared>::from_value(value.field(\"a\")?)?",
                    "c: ::core::default::Default::default()",
                    "no (\"c\"",
                    "impl<T> ::probity::Generate for X<T>",
                ],
            ),
            (
                "struct X(u8, r#type);",
                &[
                    "(\"0\", <u8",
                    "1: <r#type as ::probity::spec::Declared>::from_value(value.field(\"1\")?)?",
                ],
            ),
            (
                "enum X { A, #[spec(skip)] B(u8), C }",
                &[
                    "rust::cases(&[\"A\", \"C\",])",
                    "\"C\" => ::core::option::Option::Some(Self::C {})",
                    "no Self::B",
                ],
            ),
            (
                "enum X { A, #[spec(require = n < 3)] B { n: u8 } }",
                &[
                    "rust::union([(\"A\", {",
                    "(\"B\", {",
                    "\"B\" => ::core::option::Option::Some(Self::B { n:",
                ],
            ),
            ("#[probity(crate = a::b)] struct X(u8);", &["impl a::b::spec::Declared for X", "no ::probity"]),
        ],
    );
    check_parts(
        expand_spec,
        &[
            (
                "a: u8 in 0..3, b: Map<K, V> len 2, require a < 3, require a > 1,",
                &[
                    "fn read(value: &::probity::spec::Value) -> ::core::option::Option<(u8, Map<K, V>)>",
                    "::probity::spec::Declaration::of(spec, read)",
                    "Term::lt(::probity::spec::Term::field(::probity::spec::Term::it(), \"a\"), ::probity::spec::Term::int(3i128))",
                ],
            ),
            ("a: u8", &["Option<u8> { <u8 as", "no Some("]),
        ],
    );
    check_parts(
        expand_test,
        &[
            (
                "different = distance(n, 3) => fn t(#[from(0..9)] n: u8, s: &str, #[from(\"a+\")] r: String) {}",
                &[
                    ".different(|| { let inputs = &mut ::probity::spec::Inputs::new();",
                    "match (::probity::spec::declaration(0..9), \
                     ::probity::spec::declared::<<str as ::probity::Referent>::Owner>(), \
                     ::probity::spec::declaration(::probity::spec::matching(\"a+\")),) {",
                    "*inputs = ::core::mem::take(inputs).blank(\"s\", __generators.1, |value| value);",
                    "|scope: &::probity::spec::Spec| ::probity::spec::rust::distance(\
                     ::probity::spec::Term::field(::probity::spec::Term::it(), \"n\"), 3)",
                    "::probity::Source::draw_as(source, \"n\", __generators.0)",
                    "no .space(",
                ],
            ),
            (
                "different = some_of(cover, not(enumerate(a < 1, a > 2))) => fn t(a: u8) {}",
                &[
                    "Difference::Any(::std::vec![",
                    "rust::cover(scope,",
                    "Difference::Not(",
                    "rust::enumerate([(",
                ],
            ),
            (
                "different = relation(a, |x, y| x + 1 < y) => fn t(a: u8) {}",
                &["rust::relation(::probity::spec::Term::field(::probity::spec::Term::it(), \"a\"), |x, y|"],
            ),
            ("fn t(#[from(\"a+\")] s: &str) {}", &["match (::probity::spec::matching(\"a+\"),) {"]),
        ],
    );
    check_parts(
        expand_derive,
        &[("struct X(#[from(r\"\\d\")] String);", &["&(::probity::spec::matching(r\"\\d\"))"])],
    );
}

#[test]
fn misused_specs_are_errors() {
    check_errors(
        expand_spec_derive,
        &[
            ("struct X { #[spec] a: u8 }", "nothing is declared here"),
            ("struct X { #[spec(size = 3)] a: u8 }", "nothing is declared by `size`; write `range`"),
            ("#[spec(range = 0..3)] struct X { a: u8 }", "a type declares nothing by `range`"),
            ("#[spec(require = a)] enum X { A }", "move the requirement to the variant"),
            ("enum X {}", "no variant is declared"),
            ("struct X { #[spec(range = 0..c)] a: u8 }", "no field is called `c`"),
        ],
    );
    check_errors(
        expand_spec,
        &[
            ("", "a spec without fields"),
            ("a", "begins no field"),
            ("a: , b: u8", "`a` has no type"),
            ("a: u8 in", "nothing follows"),
            ("a: u8, a: u8", "declared twice"),
            ("a: u8, require b < 1", "no field is called `b`"),
        ],
    );
    check_errors(
        expand_test,
        &[
            ("different = unequal => fn t(a: u8) {}", "no difference is called `unequal`"),
            ("different = distance(a) => fn t(a: u8) {}", "`distance` takes 2 arguments"),
            ("different = not_equal(b) => fn t(a: u8) {}", "no blank is called `b`; there are `a`"),
            ("different = all_of() => fn t(a: u8) {}", "`all_of` of nothing"),
            ("different = not_equal => fn t() {}", "remove `different`"),
            ("different = not_equal => fn t(s: &mut Source) {}", "make those draws parameters"),
            ("different = not_equal => fn t((a, b): (u8, u8)) {}", "give this one a name"),
            ("different = not_equal => fn t(a: u8, #[from(0..a)] b: u8) {}", "cannot use `a`"),
            ("different = relation(a, x) => fn t(a: u8) {}", "a relation is of two values"),
            ("different = not_equal 3 => fn t(a: u8) {}", "`3` is not understood here"),
        ],
    );
}
