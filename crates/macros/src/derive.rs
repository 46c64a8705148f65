//! `#[derive(Generate)]`: a type's fields and variants become draws from a source.

mod literal;

use crate::blanks::{bind, nth, unknown};
use crate::function::{generator_of, ours, uses};
use crate::item::{Data, Field, Item, TypeParam, Variant};
use crate::parse::{
    Attr, Error, Pair, Result, integer, is_punct, is_word, mentions, start, unraw, unwrap_none,
};
use crate::pm::{Delimiter, Group, Ident, Literal, Span, TokenTree};
use crate::template::{Tokens, fill, fill_at, fill_over, list, path_at};

/// The `impl Generate` of `item`, a struct or an enum.
pub(crate) fn expand(item: Tokens) -> Result<Tokens> {
    let Item { attrs, name, params, mut bounds, data } = Item::new(item)?;
    no_helpers(&attrs, &["from", "skip", "weight"], "a type")?;
    let names = DerivedNames::new(krate(&attrs)?, name.span());
    let is_struct = matches!(data, Data::Struct(_));
    let shapes = match data {
        Data::Struct(fields) => vec![Constructor::new(fill("Self", &[]), fields, &name, &names)?],
        Data::Enum(all) => variants(all, &name, &names)?,
    };

    let recursive = shapes.iter().any(|it| it.recursive);
    let value = if shapes.len() == 1 { shapes[0].build(&names) } else { pick(&shapes, &names) };
    let body = match (recursive, shapes.iter().any(Constructor::draws)) {
        (true, _) => "$source.nest_of($label, |$source| $value)",
        (_, true) => "$source.group_of($label, |$source| $value)",
        _ => "$value",
    };
    let label = Literal::string(&unraw(&name)).into();
    let mut body = names.fill(body, &[("label", &[label]), ("value", &value)]);
    let mut draws = shapes.len() > 1 || shapes[0].draws();
    let mut space = space(&shapes, &names);
    for attr in attrs.iter().filter(|it| it.is("invariant")) {
        body = such_that(attr, &body, &names)?;
        draws = true;
        let what = Literal::string(&format!("an invariant of `{}`", unraw(&name))).into();
        space = names.fill(
            "let $it = { $space }; $spaces.unknown_with($what, &[$it])",
            &[("what", &[what]), ("space", &space)],
        );
    }
    // Fields of a packed type cannot be lent.
    let is_packed = attrs.iter().any(|it| it.is("repr") && mentions(&it.tokens, "packed"));
    let literal_bounds = (!is_packed).then(|| literal::bounds(&bounds, &params, &shapes, &names));
    bound(&mut bounds, &params, &shapes, &names);
    if !params.is_empty() {
        // `Generate` asks for it. Of a type without parameters the compiler knows it.
        bounds.push(fill("Self: ::core::fmt::Debug", &[]));
    }

    let in_angles =
        |it: Vec<Tokens>| if it.is_empty() { it.concat() } else { fill("<$it>", &[("it", &list(&it))]) };
    let args = in_angles(params.iter().map(|it| vec![it.name.clone().into()]).collect());
    let params = in_angles(params.into_iter().map(|it| it.declaration).collect());
    let wheres =
        |it: &[Tokens]| if it.is_empty() { Tokens::new() } else { fill("where $it", &[("it", &list(it))]) };
    let name: [TokenTree; 1] = [name.into()];
    let head: [(&str, &[TokenTree]); 3] = [("params", &params), ("name", &name), ("args", &args)];
    let literal = literal::implement(&head, literal_bounds.map(|it| wheres(&it)), &shapes, is_struct, &names);
    Ok(names.fill(
        "#[automatically_derived]
        impl $params $krate::Generate for $name $args $bounds {
            $inline
            fn generate($param: &mut $krate::Source) -> Self {
                $body
            }
            fn space($spaces: &mut $krate::Spaces) -> $krate::Part {
                $space
            }
        }
        $literal",
        &[
            &head[..],
            &[
                ("bounds", &wheres(&bounds)),
                ("inline", &fill(if recursive { "" } else { "#[inline]" }, &[])),
                ("param", &names.fill(if draws { "$source" } else { "_" }, &[])),
                ("body", &body),
                ("space", &space),
                ("literal", &literal),
            ],
        ]
        .concat(),
    ))
}

/// The names an expansion uses; those of variables cannot meet a name of the user.
struct DerivedNames {
    krate: Tokens,
    /// Where the name of the type stands.
    place: Span,
    source: Tokens,
    spaces: Tokens,
    it: Tokens,
}

impl DerivedNames {
    fn new(krate: Tokens, place: Span) -> DerivedNames {
        DerivedNames { krate, place, source: ours("source"), spaces: ours("spaces"), it: ours("it") }
    }

    /// Fills `text`, in which these names are `$krate`, `$source`, `$spaces` and `$it`.
    fn fill(&self, text: &str, holes: &[(&str, &[TokenTree])]) -> Tokens {
        let ours: [(&str, &[TokenTree]); 4] =
            [("krate", &self.krate), ("source", &self.source), ("spaces", &self.spaces), ("it", &self.it)];
        fill(text, &[&ours, holes].concat())
    }

    /// Like `fill`, with the tokens of `text` where `place` is.
    fn fill_over(&self, place: &[TokenTree], text: &str, holes: &[(&str, &[TokenTree])]) -> Tokens {
        let krate = path_at(start(place), &self.krate);
        let ours: [(&str, &[TokenTree]); 3] =
            [("krate", &krate), ("source", &self.source), ("spaces", &self.spaces)];
        fill_over(place, text, &[&ours, holes].concat())
    }

    /// The call that draws from `generator`, lent as `lent`.
    fn draw(&self, generator: &Tokens, lent: &[TokenTree]) -> Tokens {
        self.fill_over(generator, "$krate::Generator::generate($lent, $source)", &[("lent", lent)])
    }
}

/// A struct or a variant: something with fields that can be built.
struct Constructor {
    path: Tokens,
    parts: Vec<FieldPart>,
    weight: Option<u32>,
    /// Whether it has a part that mentions the type itself.
    recursive: bool,
}

/// A field.
struct FieldPart {
    /// Its name, or its number in a tuple.
    key: TokenTree,
    /// The local variable that holds it.
    local: TokenTree,
    ty: Tokens,
    filling: Filling,
    is_public: bool,
}

/// Where a field's value comes from.
enum Filling {
    Type,
    From(Tokens),
    Default,
}

impl Constructor {
    fn new(path: Tokens, fields: Vec<Field>, type_name: &Ident, names: &DerivedNames) -> Result<Constructor> {
        let parts = fields.into_iter().enumerate().map(|(i, it)| FieldPart::new(i, it, names));
        let parts = parts.collect::<Result<Vec<_>>>()?;
        let names_type =
            |it: &FieldPart| mentions(&it.ty, "Self") || mentions(&it.ty, &type_name.to_string());
        let recursive = parts.iter().any(|it| it.draws() && names_type(it));
        Ok(Constructor { path, parts, weight: None, recursive })
    }

    fn draws(&self) -> bool {
        self.parts.iter().any(FieldPart::draws)
    }

    /// An expression that fills the fields in order.
    fn build(&self, names: &DerivedNames) -> Tokens {
        // A generator may use the fields before it by name.
        let by_name = self.parts.iter().any(|it| matches!(it.filling, Filling::From(_)));
        let (mut lets, mut fields) = (Tokens::new(), Tokens::new());
        for part in &self.parts {
            let (key, local) = (std::slice::from_ref(&part.key), std::slice::from_ref(&part.local));
            let value = part.value(names);
            let field = if by_name { local } else { &value };
            fields.extend(fill("$key: $field,", &[("key", key), ("field", field)]));
            lets.extend(fill(
                "let $it: $ty = $value;",
                &[("it", local), ("ty", &part.ty), ("value", &value)],
            ));
        }
        let text = if by_name { "{ $lets $path { $fields } }" } else { "$path { $fields }" };
        fill(text, &[("lets", &lets), ("path", &self.path), ("fields", &fields)])
    }

    /// An expression that describes the choices of [`build`](Constructor::build).
    fn space(&self, names: &DerivedNames) -> Tokens {
        let mut parts = Vec::new();
        for (i, part) in self.parts.iter().enumerate() {
            match &part.filling {
                Filling::Type => {
                    parts.push(names.fill("<$ty as $krate::Generate>::space($spaces)", &[("ty", &part.ty)]));
                }
                Filling::From(generator) => {
                    let mut before = self.parts[..i].iter().map(|it| it.key.to_string());
                    parts.push(match before.find(|it| uses(generator, it)) {
                        Some(before) => unknown(&part.key.to_string(), &before, &names.spaces),
                        None => part.space(generator, names),
                    });
                }
                Filling::Default => {}
            }
        }
        match parts.as_slice() {
            [] => names.fill("$spaces.nothing()", &[]),
            [part] => part.clone(),
            _ => names.fill("{ let $it = [$parts]; $spaces.sequence(&$it) }", &[("parts", &list(&parts))]),
        }
    }
}

impl FieldPart {
    fn new(i: usize, Field { attrs, is_public, name, ty }: Field, names: &DerivedNames) -> Result<FieldPart> {
        no_helpers(&attrs, &["weight", "invariant"], "a field")?;
        let filling = match (helper(&attrs, "from")?, helper(&attrs, "skip")?) {
            (None, None) => Filling::Type,
            (None, Some(_)) => Filling::Default,
            (Some(it), None) => {
                let generator = it.arguments("no generator; write one, as in `#[from(0..10)]`")?;
                Filling::From(generator_of(&generator, &names.krate)?)
            }
            (Some(it), Some(_)) => {
                let message = "a skipped field is not drawn; remove one of the two";
                return Err(Error::over(&it.tokens, message));
            }
        };
        let (key, local) = match name {
            Some(it) => (TokenTree::from(it.clone()), it),
            None => {
                (Literal::usize_unsuffixed(i).into(), Ident::new(&format!("field{i}"), Span::mixed_site()))
            }
        };
        Ok(FieldPart { key, local: local.into(), ty, filling, is_public })
    }

    fn draws(&self) -> bool {
        !matches!(self.filling, Filling::Default)
    }

    fn value(&self, names: &DerivedNames) -> Tokens {
        match &self.filling {
            Filling::Type => names.fill("<$ty as $krate::Generate>::generate($source)", &[("ty", &self.ty)]),
            Filling::From(generator) => {
                // A tuple has its parentheses; twice as many would be a warning at the user's code.
                let has_parens = matches!(generator.as_slice(), [TokenTree::Group(it)]
                    if it.delimiter() == Delimiter::Parenthesis);
                let text = if has_parens { "&$it" } else { "&($it)" };
                names.draw(generator, &fill_over(generator, text, &[("it", generator)]))
            }
            Filling::Default => fill_at(start(&self.ty), "::core::default::Default::default()", &[]),
        }
    }

    /// An expression that describes the choices of `generator`. A value is drawn in it, which is never run, so
    /// that `0..9` has a type. What is wrong with that is the same error as where it is really drawn, so that
    /// the compiler shows it once.
    fn space(&self, generator: &Tokens, names: &DerivedNames) -> Tokens {
        let lent = fill_over(generator, "&$it", &[("it", &nth(0, generator, names.place))]);
        let space =
            names.fill_over(generator, "$krate::Generator::space($lent, $spaces)", &[("lent", &lent)]);
        let then = names.fill(
            "{ let _ = |$source: &mut $krate::Source| { let _: $ty = $value; }; $space }",
            &[("ty", &self.ty), ("value", &names.draw(generator, &lent)), ("space", &space)],
        );
        bind(std::slice::from_ref(generator), names.place, then)
    }
}

/// The variants that can be drawn: those that end first, so that the simplest pick is one of them.
fn variants(all: Vec<Variant>, type_name: &Ident, names: &DerivedNames) -> Result<Vec<Constructor>> {
    if all.is_empty() {
        let message = "an enum without variants has no value to draw; remove `Generate` here";
        return Err(Error::new(type_name.span(), message));
    }
    let mut res = Vec::new();
    for Variant { attrs, name, fields } in all {
        no_helpers(&attrs, &["from", "invariant"], "a variant")?;
        if helper(&attrs, "skip")?.is_some() {
            continue;
        }
        let weight = helper(&attrs, "weight")?.map(weight).transpose()?;
        let path = fill("Self::$name", &[("name", &[name.into()])]);
        res.push(Constructor { weight, ..Constructor::new(path, fields, type_name, names)? });
    }
    if res.is_empty() {
        let message = "no variant can be drawn; give it one without `#[skip]`";
        return Err(Error::new(type_name.span(), message));
    }
    if res.iter().all(|it| it.weight == Some(0)) {
        let message = "every variant has weight zero; give one of them more";
        return Err(Error::new(type_name.span(), message));
    }
    res.sort_by_key(|it| it.recursive);
    Ok(res)
}

fn weight(attr: &Attr) -> Result<u32> {
    let hint = "a weight says how often to draw the variant; write a number, as in `#[weight(3)]`";
    let tokens = unwrap_none(attr.arguments(hint)?);
    match tokens.as_slice() {
        [TokenTree::Literal(it)] => integer(&it.to_string()).and_then(|it| u32::try_from(it).ok()),
        _ => None,
    }
    .ok_or_else(|| Error::over(&tokens, hint))
}

/// Picks a shape; at the end of the size budget, one that ends, and in a deep case one that does not. Which do where types
/// contain each other is only known at run time.
fn pick(shapes: &[Constructor], names: &DerivedNames) -> Tokens {
    let ending = shapes.iter().filter(|it| !it.recursive).count();
    let mut at = pick_among(shapes, names);
    if shapes.iter().any(Constructor::draws) {
        let weights: Vec<u32> = shapes.iter().map(|it| it.weight.unwrap_or(1)).collect();
        let nested = pick_weighted("pick_nested::<Self>", &weights, shapes, names);
        let text = if 0 < ending && ending < shapes.len() {
            "match $source.size_left() {
                $krate::SizeLeft::Some => $at,
                $krate::SizeLeft::None => $end,
                $krate::SizeLeft::ByShape => $nested,
            }"
        } else {
            "match $source.size_left() {
                $krate::SizeLeft::ByShape => $nested,
                _ => $at,
            }"
        };
        // The others are left with no weight: an engine that has other bounds may still pick them.
        let mut ends = weights;
        ends[ending..].fill(0);
        if ends.iter().all(|it| *it == 0) {
            ends[..ending].fill(1);
        }
        let end = pick_weighted("pick_weighted_variant", &ends, shapes, names);
        at = names.fill(text, &[("end", &end), ("at", &at), ("nested", &nested)]);
    }
    let mut arms = Tokens::new();
    for (i, shape) in shapes.iter().enumerate() {
        let is_last = i + 1 == shapes.len();
        let pattern = if is_last { fill("_", &[]) } else { vec![Literal::usize_suffixed(i).into()] };
        arms.extend(fill("$pattern => $build,", &[("pattern", &pattern), ("build", &shape.build(names))]));
    }
    fill("match $at { $arms }", &[("at", &at), ("arms", &arms)])
}

fn pick_among(shapes: &[Constructor], names: &DerivedNames) -> Tokens {
    let weights: Vec<u32> = shapes.iter().map(|it| it.weight.unwrap_or(1)).collect();
    if weights.iter().all(|it| *it == weights[0]) {
        let n = Literal::u32_suffixed(shapes.len() as u32).into();
        let (ends, site) = place(shapes);
        let holes: &[(&str, &[TokenTree])] = &[("n", &[n]), ("ends", &ends), ("site", &site)];
        return names.fill("$source.pick_variant($n, $ends, $site)", holes);
    }
    pick_weighted("pick_weighted_variant", &weights, shapes, names)
}

/// A call of `method`, which picks by weight.
fn pick_weighted(method: &str, weights: &[u32], shapes: &[Constructor], names: &DerivedNames) -> Tokens {
    let weights: Vec<Tokens> =
        weights.iter().copied().map(|it| vec![Literal::u32_suffixed(it).into()]).collect();
    let (ends, site) = place(shapes);
    let holes: &[(&str, &[TokenTree])] = &[("weights", &list(&weights)), ("ends", &ends), ("site", &site)];
    names.fill(&format!("$source.{method}(&[$weights], $ends, $site)"), holes)
}

/// How many variants end, and a number that distinguishes the enum from others, whatever the build: the hash of their names.
fn place(shapes: &[Constructor]) -> (Tokens, Tokens) {
    let n_ends = shapes.iter().filter(|it| !it.recursive).count() as u32;
    let names = shapes.iter().map(|it| it.path.iter().map(ToString::to_string).collect::<String>());
    let site = names.flat_map(|it| (it + ",").into_bytes()).fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    (vec![Literal::u32_suffixed(n_ends).into()], vec![Literal::u64_suffixed(site).into()])
}

/// What `body` draws, such that the invariant in `attr` holds.
fn such_that(attr: &Attr, body: &[TokenTree], names: &DerivedNames) -> Result<Tokens> {
    let hint = "no invariant; write what holds, as in `#[invariant(self.low <= self.high)]`";
    let mut holds = unwrap_none(attr.arguments(hint)?);
    let this = [Ident::new("this", Span::mixed_site()).into()];
    if replace_self(&mut holds) {
        holds = fill("|$this: &Self| -> bool { $holds }", &[("this", &this), ("holds", &holds)]);
    }
    // Rejected cases are counted against the line of the call, which is that of the attribute.
    Ok(fill_at(
        start(&attr.tokens),
        "$source.such_that(|$source| -> Self { $body }, $holds)",
        &[("source", &names.source), ("body", body), ("holds", &holds)],
    ))
}

/// Puts the parameter of a closure in the place of each `self`; `false` if there is none. That of a path, as in
/// `self::holds`, is a module.
fn replace_self(tokens: &mut Tokens) -> bool {
    let mut found = false;
    for at in 0..tokens.len() {
        let is_path = is_punct(tokens.get(at + 1), ':') && is_punct(tokens.get(at + 2), ':');
        let new = match &tokens[at] {
            TokenTree::Group(it) => {
                let mut inner = it.stream().into_iter().collect();
                found |= replace_self(&mut inner);
                let mut group = Group::new(it.delimiter(), inner.into_iter().collect());
                group.set_span(it.span());
                group.into()
            }
            it if is_word(Some(it), "self") && !is_path => {
                found = true;
                Ident::new("this", Span::mixed_site().located_at(it.span())).into()
            }
            _ => continue,
        };
        tokens[at] = new;
    }
    found
}

/// An expression that describes the choices of the type.
fn space(shapes: &[Constructor], names: &DerivedNames) -> Tokens {
    let parts: Vec<Tokens> = shapes.iter().map(|it| it.space(names)).collect();
    let value = match parts.as_slice() {
        [part] => part.clone(),
        _ => names.fill("{ let $it = [$parts]; $spaces.pick(&$it) }", &[("parts", &list(&parts))]),
    };
    let text = match (shapes.iter().any(|it| it.recursive), shapes.iter().any(Constructor::draws)) {
        (true, _) => "let $it = $value; $spaces.nest($it)",
        (_, true) => "let $it = $value; $spaces.group($it)",
        _ => return value,
    };
    let value = names.fill(text, &[("value", &value)]);
    names.fill("$spaces.named(::core::any::type_name::<Self>(), |$spaces| { $value })", &[("value", &value)])
}

/// Requires what the fields need of the type's parameters.
fn bound(bounds: &mut Vec<Tokens>, params: &[TypeParam], shapes: &[Constructor], names: &DerivedNames) {
    let params: Vec<&Ident> = params.iter().filter(|it| !it.is_const).map(|it| &it.name).collect();
    let parts = || shapes.iter().flat_map(|it| &it.parts);
    for param in &params {
        let needs = |it: &FieldPart| {
            matches!(it.filling, Filling::Type)
                && mentions(&it.ty, &param.to_string())
                && !mentions(&it.ty, "PhantomData")
        };
        if parts().any(needs) {
            let param: TokenTree = (*param).clone().into();
            bounds.push(names.fill("$param: $krate::Generate", &[("param", &[param])]));
        }
    }
    for FieldPart { ty, .. } in parts().filter(|it| !it.draws()) {
        if params.iter().any(|it| mentions(ty, &it.to_string())) {
            bounds.push(fill("$ty: ::core::default::Default", &[("ty", ty)]));
        }
    }
}

/// The path of the crate `probity`, which `#[probity(crate = path)]` on a type gives.
pub(crate) fn krate(attrs: &[Attr]) -> Result<Tokens> {
    let Some(attr) = helper(attrs, "probity")? else { return Ok(fill("::probity", &[])) };
    let hint = "a type has one setting; write `#[probity(crate = path)]`";
    match Pair::list(&attr.arguments(hint)?)?.as_slice() {
        [Pair { key, value }] if key.to_string() == "crate" => Ok(value.clone()),
        _ => Err(Error::over(&attr.tokens, hint)),
    }
}

/// The helper attribute called `name`. A bare `#[from]` is not ours but that of an error type's derive.
fn helper<'a>(attrs: &'a [Attr], name: &str) -> Result<Option<&'a Attr>> {
    let mut found = attrs.iter().filter(|it| it.is(name) && (name != "from" || it.args.is_some()));
    match (found.next(), found.next()) {
        (_, Some(again)) => {
            Err(Error::over(&again.tokens, format!("`#[{name}]` is given twice; remove one")))
        }
        (first, None) => Ok(first),
    }
}

fn no_helpers(attrs: &[Attr], names: &[&str], place: &str) -> Result<()> {
    for name in names {
        if let Some(attr) = helper(attrs, name)? {
            let home = match *name {
                "from" => "a field",
                "weight" => "a variant",
                "invariant" => "the type",
                _ => "a field or a variant",
            };
            return Err(Error::over(&attr.tokens, format!("{place} has no `#[{name}]`; move it to {home}")));
        }
    }
    Ok(())
}
