//! `#[derive(Spec)]`: a type's fields, variants and requirements become its spec.

use super::{NameChecks, NameScope, check_fit, declare, expr, object, unquoted};
use crate::function::ours;
use crate::item::{Data, Field, Item, Variant};
use crate::parse::{Attr, Error, Pair, Result, mentions, start, unraw};
use crate::pm::{Ident, Literal, TokenTree};
use crate::template::{Tokens, fill, fill_over, list, path_at};

/// The `impl Declared` and the `impl Generate` of `item`, a struct or an enum.
pub(crate) fn expand(item: Tokens) -> Result<Tokens> {
    let Item { attrs, name, params, mut bounds, data } = Item::new(item)?;
    let krate = crate::derive::krate(&attrs)?;
    let depth = depth(&attrs)?;
    let generic: Vec<String> =
        params.iter().map(|it| it.name.to_string()).chain(["Self".to_string()]).collect();
    let (spec, read, write, types) = match data {
        Data::Struct(fields) => {
            let it = Parts::new(fields, &attrs, &generic, &krate)?;
            let read = it.read(&fill("Self", &[]), &krate);
            let write = it.write(&fill("Self", &[]), None, false, &krate);
            let write = fill("match self { $it }", &[("it", &write)]);
            (it.spec, read, write, it.types)
        }
        Data::Enum(variants) => union(variants, &attrs, &name, &generic, &krate)?,
    };
    for param in params.iter().filter(|it| !it.is_const) {
        if types.iter().any(|it| mentions(it, &param.name.to_string())) {
            let param: TokenTree = param.name.clone().into();
            bounds.push(fill("$it: $krate::spec::Declared", &[("it", &[param]), ("krate", &krate)]));
        }
    }
    if !params.is_empty() {
        // `Generate` asks for it. Of a type without parameters the compiler knows it.
        bounds.push(fill("Self: ::core::fmt::Debug", &[]));
    }
    let in_angles =
        |it: Vec<Tokens>| if it.is_empty() { it.concat() } else { fill("<$it>", &[("it", &list(&it))]) };
    let args = params.iter().map(|it| vec![it.name.clone().into()]).collect();
    let params = params.into_iter().map(|it| it.declaration).collect();
    let bounds = if bounds.is_empty() { Tokens::new() } else { fill("where $it", &[("it", &list(&bounds))]) };
    Ok(fill(
        "#[automatically_derived]
        impl $params $krate::spec::Declared for $name $args $bounds {
            const DECLARABLE: $krate::spec::Declarable = $krate::spec::Declarable::NOTHING;
            fn spec() -> $krate::spec::Spec {
                #[allow(unused_imports)]
                use $krate::spec::{ProbeMeasures as _, ProbeNothing as _};
                $krate::spec::rust::named(::core::any::type_name::<Self>(), || {
                    let $scope = $spec;
                    let $measures = (&$krate::spec::MeasureProbe::<Self>::new()).measures(&$scope);
                    $krate::spec::rust::measured($scope, $measures, $depth)
                })
            }
            fn from_value($value: &$krate::spec::Value) -> ::core::option::Option<Self> {
                $read
            }
            fn to_value(&self) -> ::core::option::Option<$krate::spec::Value> {
                $write
            }
            fn run_measures(&self) -> ::std::vec::Vec<(&'static str, ::core::option::Option<$krate::spec::Value>)> {
                #[allow(unused_imports)]
                use $krate::spec::{ProbeMeasures as _, ProbeNothing as _};
                (&$krate::spec::MeasureProbe::<Self>::new()).run(self)
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
            ("write", &write),
            ("scope", &ours("made")),
            ("measures", &ours("measures")),
            ("depth", &depth),
        ],
    ))
}

/// The fields of a struct or of a variant.
struct Parts {
    spec: Tokens,
    /// Names, and their types where they are declared; others are their types' defaults.
    keys: Vec<(TokenTree, Option<Tokens>)>,
    types: Vec<Tokens>,
}

impl Parts {
    /// `generic` are the names that mean something only in the item.
    fn new(fields: Vec<Field>, attrs: &[Attr], generic: &[String], krate: &Tokens) -> Result<Parts> {
        let keys: Vec<TokenTree> = (0..)
            .zip(&fields)
            .map(|(i, it)| {
                it.name.clone().map_or_else(|| Literal::usize_unsuffixed(i).into(), TokenTree::from)
            })
            .collect();
        let names: Vec<String> = keys.iter().map(key_name).collect();
        let types = names.iter().cloned().zip(fields.iter().map(|it| it.ty.clone())).collect();
        let checks = NameChecks::of(types);
        let scope = NameScope {
            krate: krate.clone(),
            variable: ours("scope"),
            what: "field",
            names,
            it: None,
            checks,
        };
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
                let spec = fill("$it()", &[("it", &declared(&field.ty, "spec", krate))]);
                // A constant knows nothing of the item around it: what fits those types is found out later.
                if !generic.iter().any(|it| mentions(&field.ty, it)) {
                    check_fit(&field.ty, &pairs, &scope);
                }
                let it = declare(&name, spec, &pairs, &scope)?;
                specs.push((name, it.spec));
                requires.extend(it.requires);
                types.push(field.ty.clone());
            }
            declared_keys.push((key, (!is_skipped).then_some(field.ty)));
        }
        for Pair { key, value } in pairs(attrs, "nothing is declared here; write `#[spec(require = a < b)]`")?
        {
            if key.to_string() == "depth" {
                continue;
            }
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

    /// An arm that writes the fields to a value of the spec.
    fn write(
        &self,
        path: &[TokenTree],
        case: Option<&[TokenTree]>,
        is_plain: bool,
        krate: &Tokens,
    ) -> Tokens {
        let (mut pattern, mut fields) = (Tokens::new(), Tokens::new());
        for (i, (key, ty)) in self.keys.iter().enumerate() {
            let Some(ty) = ty else { continue };
            let name = [Literal::string(&key_name(key)).into()];
            let field = ours(&format!("field{i}"));
            pattern.extend(fill("$key: $field,", &[("key", std::slice::from_ref(key)), ("field", &field)]));
            let holes: [(&str, &[TokenTree]); 2] = [("name", &name), ("field", &field)];
            let value = declared(ty, "to_value", krate);
            fields.extend(fill(
                "($name.into(), $value($field)?),",
                &[&holes[..], &[("value", &value)]].concat(),
            ));
        }
        let object =
            fill("$krate::spec::Value::Object(::std::vec![$it])", &[("krate", krate), ("it", &fields)]);
        let value = match case {
            Some(case) if is_plain => {
                fill("$krate::spec::Value::Case($case.into())", &[("krate", krate), ("case", case)])
            }
            Some(case) => fill(
                "$krate::spec::Value::Union($case.into(), ::std::boxed::Box::new($it))",
                &[("krate", krate), ("case", case), ("it", &object)],
            ),
            None => object,
        };
        fill(
            "$path { $pattern .. } => ::core::option::Option::Some($value),",
            &[("path", path), ("pattern", &pattern), ("value", &value)],
        )
    }

    /// An expression that reads the fields from `value`.
    fn read(&self, path: &[TokenTree], krate: &Tokens) -> Tokens {
        let fields: Tokens = self
            .keys
            .iter()
            .flat_map(|(key, ty)| {
                let name = [Literal::string(&key_name(key)).into()];
                let key = std::slice::from_ref(key);
                let Some(ty) = ty else {
                    return fill("$key: ::core::default::Default::default(),", &[("key", key)]);
                };
                let read = declared(ty, "from_value", krate);
                let value = ours("value");
                let holes = [("key", key), ("read", &read), ("value", &value), ("name", &name)];
                fill("$key: $read($value.field($name)?)?,", &holes)
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
    generic: &[String],
    krate: &Tokens,
) -> Result<(Tokens, Tokens, Tokens, Vec<Tokens>)> {
    let own = pairs(attrs, "an enum declares nothing itself; move it to a variant")?;
    if let Some(pair) = own.iter().find(|it| it.key.to_string() != "depth") {
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
    let mut writes = Tokens::new();
    for Variant { attrs, name, fields } in kept {
        let text: TokenTree = Literal::string(&unraw(&name)).into();
        let text = [text];
        let parts = Parts::new(fields, &attrs, generic, krate)?;
        let path = fill("Self::$name", &[("name", &[name.into()])]);
        let read = parts.read(&path, krate);
        arms.extend(fill("$text => $read,", &[("text", &text), ("read", &read)]));
        writes.extend(parts.write(&path, Some(&text), is_plain, krate));
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
    let write = fill(
        "{ #[allow(unreachable_patterns)] match self { $it _ => ::core::option::Option::None } }",
        &[("it", &writes)],
    );
    Ok((spec, read, write, types))
}

/// How deep values of the type are counted: `#[spec(depth = 5)]`.
fn depth(attrs: &[Attr]) -> Result<Tokens> {
    let all = pairs(attrs, "nothing is declared here; write `require` or `depth`")?;
    Ok(match all.iter().find(|it| it.key.to_string() == "depth") {
        Some(pair) => fill("::core::option::Option::Some($it)", &[("it", &pair.value)]),
        None => fill("::core::option::Option::None", &[]),
    })
}

/// The function `name` of `Declared`, where the type is: what is wrong with that is said once.
fn declared(ty: &[TokenTree], name: &str, krate: &[TokenTree]) -> Tokens {
    let krate = path_at(start(ty), krate);
    fill_over(ty, &format!("<$ty as $krate::spec::Declared>::{name}"), &[("ty", ty), ("krate", &krate)])
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
