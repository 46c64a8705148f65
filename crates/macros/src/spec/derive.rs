//! `#[derive(Spec)]`: a type's fields, variants and requirements become its spec.

use super::{NameScope, declare, expr, object, unquoted};
use crate::function::ours;
use crate::item::{Data, Field, Item, Variant};
use crate::parse::{Attr, Error, Pair, Result, mentions, unraw};
use crate::pm::{Ident, Literal, TokenTree};
use crate::template::{Tokens, fill, list};

/// The `impl Declared` and the `impl Generate` of `item`, a struct or an enum.
pub(crate) fn expand(item: Tokens) -> Result<Tokens> {
    let Item { attrs, name, params, mut bounds, data } = Item::new(item)?;
    let krate = crate::derive::krate(&attrs)?;
    let (spec, read, types) = match data {
        Data::Struct(fields) => {
            let it = Parts::new(fields, &attrs, &krate)?;
            let read = it.read(&fill("Self", &[]), &krate);
            (it.spec, read, it.types)
        }
        Data::Enum(variants) => union(variants, &attrs, &name, &krate)?,
    };
    for param in params.iter().filter(|it| !it.is_const) {
        if types.iter().any(|it| mentions(it, &param.name.to_string())) {
            let param: TokenTree = param.name.clone().into();
            bounds.push(fill("$it: $krate::spec::Declared", &[("it", &[param]), ("krate", &krate)]));
        }
    }
    let in_angles =
        |it: Vec<Tokens>| if it.is_empty() { it.concat() } else { fill("<$it>", &[("it", &list(&it))]) };
    let args = params.iter().map(|it| vec![it.name.clone().into()]).collect();
    let params = params.into_iter().map(|it| it.declaration).collect();
    let bounds = if bounds.is_empty() { Tokens::new() } else { fill("where $it", &[("it", &list(&bounds))]) };
    Ok(fill(
        "#[automatically_derived]
        impl $params $krate::spec::Declared for $name $args $bounds {
            fn spec() -> $krate::spec::Spec {
                $krate::spec::rust::named(::core::any::type_name::<Self>(), || $spec)
            }
            fn from_value($value: &$krate::spec::Value) -> ::core::option::Option<Self> {
                $read
            }
        }
        #[automatically_derived]
        impl $params $krate::Generate for $name $args $bounds {
            fn generate($value: &mut $krate::Source) -> Self {
                $krate::spec::generate_declared($value)
            }
        }",
        &[
            ("params", &in_angles(params)),
            ("krate", &krate),
            ("name", &[name.into()]),
            ("args", &in_angles(args)),
            ("bounds", &bounds),
            ("value", &ours("value")),
            ("spec", &spec),
            ("read", &read),
        ],
    ))
}

/// The fields of a struct or of a variant.
struct Parts {
    spec: Tokens,
    /// Names and whether they are declared; others are their types' defaults.
    keys: Vec<(TokenTree, bool)>,
    types: Vec<Tokens>,
}

impl Parts {
    fn new(fields: Vec<Field>, attrs: &[Attr], krate: &Tokens) -> Result<Parts> {
        let keys: Vec<TokenTree> = (0..)
            .zip(&fields)
            .map(|(i, it)| {
                it.name.clone().map_or_else(|| Literal::usize_unsuffixed(i).into(), TokenTree::from)
            })
            .collect();
        let names: Vec<String> = keys.iter().map(key_name).collect();
        let scope =
            NameScope { krate: krate.clone(), variable: ours("scope"), what: "field", names, it: None };
        let (mut specs, mut requires, mut types) = (Vec::new(), Vec::new(), Vec::new());
        let mut declared_keys = Vec::new();
        for (key, field) in keys.into_iter().zip(fields) {
            let pairs = pairs(
                &field.attrs,
                "nothing is declared here; write `range`, `len`, `matches`, `require` or `skip`",
            )?;
            let is_skipped = pairs.iter().any(|it| it.key.to_string() == "skip");
            if !is_skipped {
                let name = key_name(&key);
                let spec =
                    fill("<$ty as $krate::spec::Declared>::spec()", &[("ty", &field.ty), ("krate", krate)]);
                let it = declare(&name, spec, &pairs, &scope)?;
                specs.push((name, it.spec));
                requires.extend(it.requires);
                types.push(field.ty);
            }
            declared_keys.push((key, !is_skipped));
        }
        for Pair { key, value } in pairs(attrs, "nothing is declared here; write `#[spec(require = a < b)]`")?
        {
            if key.to_string() != "require" {
                let message = format!(
                    "a type declares nothing by `{key}`; write `require = ..`, or move it to a field"
                );
                return Err(Error::new(key.span(), message));
            }
            requires.push(expr::term(&unquoted(&value)?, &scope)?);
        }
        Ok(Parts { spec: object(&specs, &requires, &scope), keys: declared_keys, types })
    }

    /// An expression that reads the fields from `value`.
    fn read(&self, path: &[TokenTree], krate: &Tokens) -> Tokens {
        let fields: Tokens = self
            .keys
            .iter()
            .flat_map(|(key, is_declared)| {
                let text = if *is_declared {
                    "$key: $krate::spec::Declared::from_value($value.field($name)?)?,"
                } else {
                    "$key: ::core::default::Default::default(),"
                };
                let name = [Literal::string(&key_name(key)).into()];
                let key = std::slice::from_ref(key);
                fill(text, &[("key", key), ("krate", krate), ("value", &ours("value")), ("name", &name)])
            })
            .collect();
        fill("::core::option::Option::Some($path { $fields })", &[("path", path), ("fields", &fields)])
    }
}

/// The spec of an enum, how its values are read, and the types in it.
fn union(
    all: Vec<Variant>,
    attrs: &[Attr],
    type_name: &Ident,
    krate: &Tokens,
) -> Result<(Tokens, Tokens, Vec<Tokens>)> {
    if let Some(pair) = pairs(attrs, "an enum declares nothing itself; move it to a variant")?.first() {
        let message =
            "the variants of an enum have different fields; move the requirement to the variant it is about";
        return Err(Error::new(pair.key.span(), message));
    }
    let is_skipped = |it: &Variant| -> Result<bool> {
        Ok(pairs(&it.attrs, "nothing is declared here; write `require` or `skip`")?
            .iter()
            .any(|it| it.key.to_string() == "skip"))
    };
    let mut kept = Vec::new();
    for variant in all {
        if !is_skipped(&variant)? {
            kept.push(variant);
        }
    }
    if kept.is_empty() {
        return Err(Error::new(
            type_name.span(),
            "no variant is declared; give it one without `#[spec(skip)]`",
        ));
    }
    let is_plain = kept.iter().all(|it| it.fields.is_empty());
    let (mut cases, mut arms, mut types) = (Tokens::new(), Tokens::new(), Vec::new());
    for Variant { attrs, name, fields } in kept {
        let text: TokenTree = Literal::string(&unraw(&name)).into();
        let text = [text];
        let parts = Parts::new(fields, &attrs, krate)?;
        let path = fill("Self::$name", &[("name", &[name.into()])]);
        let read = parts.read(&path, krate);
        arms.extend(fill("$text => $read,", &[("text", &text), ("read", &read)]));
        let case = if is_plain { "$text," } else { "($text, $spec)," };
        cases.extend(fill(case, &[("text", &text), ("spec", &parts.spec)]));
        types.extend(parts.types);
    }
    let spec =
        if is_plain { "$krate::spec::rust::cases(&[$cases])" } else { "$krate::spec::rust::union([$cases])" };
    let spec = fill(spec, &[("krate", krate), ("cases", &cases)]);
    let of = if is_plain {
        "$krate::spec::rust::case_of($value)?"
    } else {
        "$krate::spec::rust::alternative_of($value)?"
    };
    let of = fill(of, &[("krate", krate), ("value", &ours("value"))]);
    let pattern = if is_plain {
        ours("name")
    } else {
        fill("($name, $value)", &[("name", &ours("name")), ("value", &ours("value"))])
    };
    let read = fill(
        "{ let $pattern = $of; match $name { $arms _ => ::core::option::Option::None } }",
        &[("pattern", &pattern), ("of", &of), ("name", &ours("name")), ("arms", &arms)],
    );
    Ok((spec, read, types))
}

fn key_name(key: &TokenTree) -> String {
    key.to_string().trim_start_matches("r#").to_string()
}

/// The `key = value` pairs of all `#[spec(..)]`; `skip` alone is one too.
fn pairs(attrs: &[Attr], hint: &str) -> Result<Vec<Pair>> {
    let mut res = Vec::new();
    for attr in attrs.iter().filter(|it| it.is("spec")) {
        let tokens = attr.arguments(hint)?;
        if let [TokenTree::Ident(it)] = tokens.as_slice()
            && it.to_string() == "skip"
        {
            res.push(Pair { key: it.clone(), value: Tokens::new() });
            continue;
        }
        res.extend(Pair::all(&tokens)?);
    }
    Ok(res)
}
