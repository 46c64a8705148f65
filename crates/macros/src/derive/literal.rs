//! `impl Literal`, which writes a value of a derived type as Rust.

use super::{Constructor, DerivedNames};
use crate::function::ours;
use crate::item::TypeParam;
use crate::parse::mentions;
use crate::pm::{Ident, Literal, Span, TokenTree};
use crate::template::{Tokens, fill, list};

/// The implementation with this `where`, or none.
pub(super) fn implement(
    head: &[(&str, &[TokenTree])],
    bounds: Option<Tokens>,
    shapes: &[Constructor],
    is_struct: bool,
    names: &DerivedNames,
) -> Tokens {
    let Some(bounds) = bounds else { return Tokens::new() };
    names.fill(
        "#[automatically_derived]
        impl $params $krate::literal::Literal for $name $args $bounds {
            fn literal(&self) -> ::std::string::String {
                #[allow(unused_imports)]
                use $krate::literal::probes::*;
                $body
            }
        }",
        &[head, &[("bounds", &bounds), ("body", &literal(shapes, is_struct, names))]].concat(),
    )
}

/// What has to hold so that values can be written as Rust: so can those of the type's parameters.
pub(super) fn bounds(
    own: &[Tokens],
    params: &[TypeParam],
    shapes: &[Constructor],
    names: &DerivedNames,
) -> Vec<Tokens> {
    let is_held = |param: &TypeParam| {
        let mut types = shapes.iter().flat_map(|it| &it.parts).map(|it| &it.ty);
        types.any(|it| mentions(it, &param.name.to_string()) && !mentions(it, "PhantomData"))
    };
    let bound = |param: &TypeParam| {
        let name: [TokenTree; 1] = [param.name.clone().into()];
        names.fill("$param: $krate::literal::Literal", &[("param", &name)])
    };
    let held = params.iter().filter(|it| !it.is_const && is_held(it));
    own.iter().cloned().chain(held.map(bound)).collect()
}

/// An expression that writes the value as Rust.
fn literal(shapes: &[Constructor], is_struct: bool, names: &DerivedNames) -> Tokens {
    let mut arms = Tokens::new();
    for shape in shapes {
        let is_closed = is_struct && shape.parts.iter().any(|it| !it.is_public);
        let variant = if is_struct {
            String::new()
        } else {
            shape.path.last().map_or_else(String::new, ToString::to_string)
        };
        let (mut pattern, mut fields) = (Tokens::new(), Vec::new());
        for (i, part) in shape.parts.iter().enumerate() {
            let field = ours(&format!("field{i}"));
            let key = std::slice::from_ref(&part.key);
            pattern.extend(fill("$key: $field,", &[("key", key), ("field", &field)]));
            let is_tuple = matches!(part.key, TokenTree::Literal(_));
            let name = Literal::string(&if is_tuple { String::new() } else { part.key.to_string() }).into();
            let holes: [(&str, &[TokenTree]); 2] = [("name", &[name]), ("field", &field)];
            fields.push(names.fill("($name, (&$krate::literal::LiteralProbe($field)).write())", &holes));
        }
        let closed = Ident::new(if is_closed { "true" } else { "false" }, Span::call_site()).into();
        arms.extend(names.fill(
            "$path { $pattern } => $krate::literal::constructed::<Self>($variant, $closed, &[$fields]),",
            &[
                ("path", &shape.path),
                ("pattern", &pattern),
                ("variant", &[Literal::string(&variant).into()]),
                ("closed", &[closed]),
                ("fields", &list(&fields)),
            ],
        ));
    }
    // Variants that are not drawn are not written.
    fill(
        "#[allow(unreachable_patterns)] match self { $arms _ => ::std::string::String::from(\"\\0\") }",
        &[("arms", &arms)],
    )
}
