//! `#[derive(Generate)]`: the whole of one expansion.

use super::{expand_derive, squeeze};

#[test]
fn a_type_is_a_group_of_fields() {
    let text = expand_derive(
        "struct X<T: Copy, const N: usize = 2> where T: Debug { a: [T; N], #[from(0..a.len())] b: usize }",
    );
    let expected = r#"
        #[automatically_derived]
        impl<T: Copy, const N: usize> ::probity::Generate for X<T, N>
        where T: Debug, T: ::probity::Generate, Self: ::core::fmt::Debug
        {
            #[inline]
            fn generate(source: &mut ::probity::Source) -> Self {
                source.group_of("X", |source| {
                    let a: [T; N] = <[T; N] as ::probity::Generate>::generate(source);
                    let b: usize = ::probity::Generator::generate(&(0..a.len()), source);
                    Self { a: a, b: b, }
                })
            }
            fn space(spaces: &mut ::probity::Spaces) -> ::probity::Part {
                spaces.named(::core::any::type_name::<Self>(), |spaces| {
                    let it = {
                        let it = [
                            <[T; N] as ::probity::Generate>::space(spaces),
                            spaces.unknown("`b`, whose generator uses `a`")
                        ];
                        spaces.sequence(&it)
                    };
                    spaces.group(it)
                })
            }
        }
        #[automatically_derived]
        impl<T: Copy, const N: usize> ::probity::literal::Literal for X<T, N>
        where T: Debug, T: ::probity::literal::Literal {
            fn literal(&self) -> ::std::string::String {
                #[allow(unused_imports)]
                use ::probity::literal::probes::*;
                #[allow(unreachable_patterns)]
                match self {
                    Self { a: field0, b: field1, } => ::probity::literal::constructed::<Self>("", true, &[
                        ("a", (&::probity::literal::LiteralProbe(field0)).write()),
                        ("b", (&::probity::literal::LiteralProbe(field1)).write())
                    ]),
                    _ => ::std::string::String::from("\0")
                }
            }
        }"#;
    assert_eq!(text.unwrap(), squeeze(expected));
}
