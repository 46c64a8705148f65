//! The blanks of a test: how they are drawn, and how what they are drawn from is described.
//!
//! Every generator is written down once, so that a mistake in it is one error. Where a test has nothing but blanks, one
//! function has them all, and draws them or describes them; see `probity::Blanks`.

use crate::attribute::{Names, string};
use crate::function::{Param, ParamKind, generator_of, ours, uses};
use crate::parse::{Result, over, start, unraw};
use crate::pm::{Ident, Span, TokenTree};
use crate::template::{Tokens, fill, fill_at, fill_over, list};

/// The local variable that holds parameter `i`.
pub(crate) fn binding(i: usize, param: &Param) -> Tokens {
    param.name().map_or_else(|| ours(&format!("param{i}")), |it| vec![it.into()])
}

/// The function `name`, which draws all `params`, blanks every one, and passes them on; or describes them.
pub(crate) fn function(name: &[TokenTree], names: &Names, params: &[Param]) -> Result<Tokens> {
    let generators = Generators::new(names, params, true)?;
    let krate = names.krate(Span::call_site());
    let (described, description) = match names.by_spec {
        true => ("&mut $krate::spec::Inputs", "$inputs"),
        false => ("(&mut $krate::Spaces, &mut ::std::vec::Vec<$krate::Part>)", "($spaces, $parts)"),
    };
    let holes: [(&str, &[TokenTree]); 4] =
        [("krate", &krate), ("inputs", &names.inputs), ("spaces", &names.spaces), ("parts", &names.parts)];
    let types: Vec<Tokens> = params.iter().map(|it| it.ty.clone()).collect();
    let args: Vec<Tokens> = params.iter().enumerate().map(|(i, it)| binding(i, it)).collect();
    let matches = fill(
        "match $asked {
            $krate::Blanks::Draw($source) => { $draws $then($args) }
            $krate::Blanks::Describe($description) => { $describe }
        }",
        &[
            ("asked", &ours("asked")),
            ("krate", &krate),
            ("source", &names.source),
            ("draws", &draws(names, params, &generators)),
            ("then", &ours("then")),
            ("args", &list(&args)),
            ("description", &fill(description, &holes)),
            ("describe", &describe(names, params, &generators)),
        ],
    );
    // A case is a call of it, and runs as fast as its code would in the place of the call.
    Ok(fill(
        "#[inline(always)]
        #[allow(clippy::used_underscore_binding)]
        fn $name($asked: $krate::Blanks<'_, $described>, $then: impl ::core::ops::FnOnce($types)) {
            $body
        }",
        &[
            ("name", name),
            ("asked", &ours("asked")),
            ("krate", &krate),
            ("described", &fill(described, &holes)),
            ("then", &ours("then")),
            ("types", &list(&types)),
            ("body", &bind(&generators.bound, names.place, matches)),
        ],
    ))
}

/// Draws all parameters but the source, in a test that has more than blanks.
pub(crate) fn inline(names: &Names, params: &[Param]) -> Result<Tokens> {
    Ok(draws(names, params, &Generators::new(names, params, false)?))
}

/// The variable that has the generators which are bound. It is no name that only we can use, as others are: the compiler
/// says twice what it finds once in such an expression and once in one of the user at the same place.
const BOUND: &str = "__generators";

/// The generators of the blanks, as expressions.
struct Generators {
    /// That of each parameter; none of those that are no blanks.
    of: Vec<Option<BlankGenerator>>,
    /// Those that are bound before anything is drawn.
    bound: Vec<Tokens>,
}

enum BlankGenerator {
    /// That of the type.
    Type,
    /// A number among those that are bound, and the expression.
    Bound(usize, Tokens),
    /// An expression that stands where it is drawn from, and the blank that it uses.
    Inline(Tokens, String),
}

impl Generators {
    /// Those of all parameters, where each is bound that can be, or none.
    fn new(names: &Names, params: &[Param], bind: bool) -> Result<Generators> {
        let mut res = Generators { of: Vec::new(), bound: Vec::new() };
        for (i, param) in params.iter().enumerate() {
            let generator = match &param.kind {
                ParamKind::Setup | ParamKind::Source => None,
                ParamKind::Blank(_) if names.by_spec => Some(Some(declaration(param, names)?)),
                ParamKind::Blank(Some(it)) => Some(Some(generator_of(it, &names.krate(start(it)))?)),
                ParamKind::Blank(None) => Some(None),
            };
            let generator = generator.map(|it| {
                let Some(it) = it else { return BlankGenerator::Type };
                let mut before = params[..i].iter().filter_map(Param::name).map(|it| it.to_string());
                match before.find(|before| uses(&it, before)) {
                    None if bind => {
                        res.bound.push(it.clone());
                        BlankGenerator::Bound(res.bound.len() - 1, it)
                    }
                    before => BlankGenerator::Inline(it, before.unwrap_or_default()),
                }
            });
            res.of.push(generator);
        }
        Ok(res)
    }
}

/// `then`, where `generators` are bound. A `match` keeps what they borrow from until its end.
pub(crate) fn bind(generators: &[Tokens], place: Span, then: Tokens) -> Tokens {
    if generators.is_empty() {
        return then;
    }
    let mut all = Tokens::new();
    for it in generators {
        all.extend_from_slice(it);
        all.extend(fill_at(over(it).1, ",", &[]));
    }
    let name = Ident::new(BOUND, place).into();
    fill("match ($all) { $name => $then }", &[("all", &all), ("name", &[name]), ("then", &then)])
}

/// Binds every parameter but the source, in order, so that a generator can use the ones before it.
fn draws(names: &Names, params: &[Param], generators: &Generators) -> Tokens {
    let mut res = Tokens::new();
    for (i, (param, generator)) in params.iter().zip(&generators.of).enumerate() {
        let (name, ty) = (binding(i, param), &param.ty);
        let value = match (&param.kind, generator) {
            (ParamKind::Setup, _) => names.lend_setup(),
            (_, Some(it)) => draw(param, it, names),
            (_, None) => continue,
        };
        match (&param.kind, &param.reference) {
            _ if param.is_made_text() => {
                let place = match generator {
                    Some(BlankGenerator::Bound(_, it) | BlankGenerator::Inline(it, _)) => it,
                    _ => ty,
                };
                // As the name of the generators, and for the same reason, it is none that only we can use.
                let owner: Tokens = vec![Ident::new(&format!("__text{i}"), over(place).1).into()];
                let text = "$krate::Text::text($owner)";
                let text =
                    fill_over(place, text, &[("krate", &names.krate(start(place))), ("owner", &owner)]);
                res.extend(fill(
                    "let $owner = &$value; let $name: $ty = $text;",
                    &[("owner", &owner), ("value", &value), ("name", &name), ("ty", ty), ("text", &text)],
                ));
            }
            (ParamKind::Blank(_), Some(it)) => res.extend(fill(
                "let $mut $owner: $drawn = $value; let $name: $ty = &$mut $owner;",
                &[
                    ("mut", &it.mutability),
                    ("owner", &ours(&format!("value{i}"))),
                    ("drawn", &param.drawn(names)),
                    ("value", &value),
                    ("name", &name),
                    ("ty", ty),
                ],
            )),
            _ => res
                .extend(fill("let $name: $ty = $value;", &[("name", &name), ("ty", ty), ("value", &value)])),
        }
    }
    res
}

/// The call that draws a blank. It stands where its generator does, or else its type: so do errors about it.
fn draw(param: &Param, generator: &BlankGenerator, names: &Names) -> Tokens {
    let label = match param.name() {
        Some(it) => string(&unraw(&it)),
        None => fill("::core::stringify!($pattern)", &[("pattern", &param.pattern)]),
    };
    let is_type = matches!(generator, BlankGenerator::Type);
    let (place, generator) = match generator {
        BlankGenerator::Type => (param.referent(), param.drawn(names)),
        BlankGenerator::Bound(at, it) => (it, nth(*at, it, names.place)),
        BlankGenerator::Inline(it, _) => (it, it.clone()),
    };
    let text = match (is_type, names.has_labels) {
        (true, true) => "$krate::Source::any_as::<$generator>($source, $label)",
        (true, false) => "$krate::Source::any::<$generator>($source)",
        (false, true) => "$krate::Source::draw_as($source, $label, $generator)",
        (false, false) => "$krate::Source::draw($source, $generator)",
    };
    fill_over(
        place,
        text,
        &[
            ("krate", &names.krate(start(place))),
            ("source", &names.source),
            ("label", &label),
            ("generator", &generator),
        ],
    )
}

/// Says what the blanks are drawn from.
fn describe(names: &Names, params: &[Param], generators: &Generators) -> Tokens {
    let mut res = Tokens::new();
    for (param, generator) in params.iter().zip(&generators.of) {
        let name = param.name().map_or_else(|| "_".to_string(), |it| it.to_string());
        let part = match generator {
            Some(BlankGenerator::Bound(at, it)) if names.by_spec => {
                res.extend(blank(param, &nth(*at, it, names.place), names));
                continue;
            }
            Some(BlankGenerator::Type) => {
                let place = param.referent();
                fill_over(
                    place,
                    "$krate::Spaces::any::<$drawn>($spaces)",
                    &[
                        ("krate", &names.krate(start(place))),
                        ("drawn", &param.drawn(names)),
                        ("spaces", &names.spaces),
                    ],
                )
            }
            Some(BlankGenerator::Bound(at, it)) => fill_over(
                it,
                "$krate::Generator::space(&$it, $spaces)",
                &[
                    ("krate", &names.krate(start(it))),
                    ("it", &nth(*at, it, names.place)),
                    ("spaces", &names.spaces),
                ],
            ),
            Some(BlankGenerator::Inline(_, before)) => unknown(&name, before, &names.spaces),
            None => continue,
        };
        res.extend(fill("$parts.push($part);", &[("parts", &names.parts), ("part", &part)]));
    }
    res
}

/// The part of `name`, whose generator uses what was drawn `before` it: where it is described, nothing was.
pub(crate) fn unknown(name: &str, before: &str, spaces: &[TokenTree]) -> Tokens {
    let what = string(&format!("`{name}`, whose generator uses `{before}`"));
    fill("$spaces.unknown($what)", &[("spaces", spaces), ("what", &what)])
}

/// The statement that adds the declaration of a blank to `inputs`.
pub(crate) fn blank(param: &Param, declaration: &[TokenTree], names: &Names) -> Tokens {
    let label = param.name().map_or_else(String::new, |it| unraw(&it));
    fill(
        "*$inputs = ::core::mem::take($inputs).blank($label, $it, |$value| $value);",
        &[
            ("inputs", &names.inputs),
            ("label", &string(&label)),
            ("it", declaration),
            ("value", &ours("value")),
        ],
    )
}

/// The generator number `at` of those that are bound, at the place where it was written.
pub(crate) fn nth(at: usize, generator: &[TokenTree], place: Span) -> Tokens {
    let mut res = fill_over(generator, &format!("{BOUND}.{at}"), &[]);
    // All of them are one variable, though macros may have written some of the generators.
    let place = res[0].span().resolved_at(place);
    res[0].set_span(place);
    res
}

/// The generator of a blank by its spec.
pub(crate) fn declaration(param: &Param, names: &Names) -> Result<Tokens> {
    Ok(match &param.kind {
        ParamKind::Blank(Some(it)) => {
            let it = generator_of(it, &names.krate(start(it)))?;
            let krate = names.krate(start(&it));
            fill_over(&it, "$krate::spec::declaration($it)", &[("krate", &krate), ("it", &it)])
        }
        _ => fill_over(
            &param.ty,
            "$krate::spec::declared::<$drawn>()",
            &[("krate", &names.krate(start(&param.ty))), ("drawn", &param.drawn(names))],
        ),
    })
}
