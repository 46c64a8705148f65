//! `#[probity::test]`: a function with blanks becomes a `#[test]` that calls `probity::Check`.

#[cfg(any(test, feature = "spec"))]
use crate::function::uses;
use crate::function::{Function, Kind, Param, generator_of, ours, space_of};
use crate::parse::{Attr, Error, Pair, Result, split, start, unraw};
use crate::pm::{Ident, Literal, Span, TokenTree};
use crate::template::{Tokens, fill, fill_at, list};

/// Settings that are a method of `Check` by the same name.
const METHODS: [&str; 16] = [
    "cases",
    "time",
    "seed",
    "engine",
    "schedule",
    "size",
    "shard",
    "start",
    "max_shrink",
    "max_rejects",
    "hang",
    "store",
    "explain",
    "concolic",
    "isolate",
    "verbose",
];
/// Settings that change the expansion.
const OTHERS: [&str; 4] = ["different", "setup", "block_on", "crate"];

/// The test that stands for `item`, a function under `#[probity::test(settings)]`.
pub(crate) fn expand(settings: &[TokenTree], item: Tokens) -> Result<Tokens> {
    let settings = Settings::new(settings)?;
    let mut function = Function::new(item)?;
    let (examples, attrs) = split(std::mem::take(&mut function.attrs), "example");
    function.attrs = attrs;
    settings.fit(&function)?;
    let names = Names::new(&settings, &function.params);

    let Function { attrs, vis, asyncness, name, params, rest } = &function;
    let mut head = Tokens::new();
    if !attrs.iter().any(is_test) {
        head.extend(fill("#[::core::prelude::v1::test]", &[]));
    }
    attrs.iter().for_each(|it| head.extend_from_slice(&it.tokens));
    let asyncness: Tokens = asyncness.iter().map(|it| it.clone().into()).collect();
    // The first `allow`: blanks are inputs, not an interface. The second: a blank may be drawn for its
    // own sake and be called `_name`.
    Ok(fill(
        r#"$head $vis fn $name() {
            #[allow(clippy::needless_pass_by_value, clippy::ptr_arg, clippy::too_many_arguments)]
            $asyncness fn $name($params) $rest
            $make_setup
            #[allow(clippy::used_underscore_binding)]
            $krate::Check::new(::core::concat!(::core::module_path!(), "::", $title))
                .manifest_dir(::core::env!("CARGO_MANIFEST_DIR"))
                $calls;
        }"#,
        &[
            ("head", &head),
            ("vis", vis),
            ("name", &[name.clone().into()]),
            ("asyncness", &asyncness),
            ("params", &list(&params.iter().map(Param::to_tokens).collect::<Vec<_>>())),
            ("rest", rest),
            ("make_setup", &names.make_setup(&settings)),
            ("krate", &names.krate(Span::call_site())),
            ("title", &string(&unraw(name))),
            ("calls", &calls(&settings, &names, &function, &examples)?),
        ],
    ))
}

/// The methods that are called on the new `Check`, up to the one that runs it.
fn calls(settings: &Settings, names: &Names, function: &Function, examples: &[Attr]) -> Result<Tokens> {
    let Function { attrs, name, params, .. } = function;
    let draws = draws(names, params)?;
    let krate = names.krate(Span::call_site());
    let mut res = Tokens::new();
    if attrs.iter().any(|it| it.is("should_panic")) {
        // A failure that is wanted is not worth keeping.
        res.extend(fill(".should_panic()", &[]));
    }
    for Pair { key, value } in &settings.methods {
        res.extend(fill(".$key($value)", &[("key", &[key.clone().into()]), ("value", value)]));
    }
    if let Some(pair) = &settings.different {
        res.extend(different(pair, names, params)?);
    }
    if !params.is_empty() && params.iter().all(Param::is_blank) {
        let blanks = params.iter().enumerate().flat_map(|(i, it)| fill("$it,", &[("it", &binding(i, it))]));
        let blanks: Tokens = blanks.collect();
        res.extend(fill(
            ".inputs(|$source: &mut $krate::Source| { $draws let _ = ($blanks); })",
            &[("source", &names.source), ("krate", &krate), ("draws", &draws), ("blanks", &blanks)],
        ));
        if settings.different.is_none() {
            res.extend(fill(
                ".space(|$spaces: &mut $krate::Spaces| { let $it = [$parts]; $spaces.sequence(&$it) })",
                &[
                    ("spaces", &names.spaces),
                    ("krate", &krate),
                    ("it", &ours("it")),
                    ("parts", &list(&spaces(names, params)?)),
                ],
            ));
        }
    }
    for attr in examples {
        res.extend(example(attr, names, function)?);
    }
    let args = params.iter().enumerate().map(|(i, it)| match it.kind {
        Kind::Source => names.source.clone(),
        _ => binding(i, it),
    });
    let call = names.call(name, args.collect());
    // A panic of `run` names the place of its call: let it be the user's function.
    res.extend(fill_at(
        name.span(),
        ".run(|$source: &mut $krate::Source| { $draws $call })",
        &[("source", &names.source), ("krate", &krate), ("draws", &draws), ("call", &call)],
    ));
    Ok(res)
}

/// The settings of the attribute.
struct Settings {
    methods: Vec<Pair>,
    setup: Option<Pair>,
    block_on: Option<Pair>,
    different: Option<Pair>,
    krate: Option<Tokens>,
}

impl Settings {
    fn new(tokens: &[TokenTree]) -> Result<Settings> {
        let mut res =
            Settings { methods: Vec::new(), setup: None, block_on: None, different: None, krate: None };
        for pair in Pair::list(tokens)? {
            match &*pair.key.to_string() {
                "setup" => res.setup = Some(pair),
                "block_on" => res.block_on = Some(pair),
                "different" => res.different = Some(pair),
                "crate" => res.krate = Some(pair.value),
                key if METHODS.contains(&key) => res.methods.push(pair),
                key => {
                    let known = [&METHODS[..], &OTHERS].concat().join(", ");
                    let message = format!("no setting is called `{key}`; the settings are {known}");
                    return Err(Error::new(pair.key.span(), message));
                }
            }
        }
        Ok(res)
    }

    /// Fails where they ask for what the function is not, or the other way round.
    fn fit(&self, function: &Function) -> Result<()> {
        let lent: Vec<&Param> = function.params.iter().filter(|it| matches!(it.kind, Kind::Setup)).collect();
        match (&self.setup, &lent[..]) {
            (None, []) | (Some(_), [_]) => {}
            (Some(it), []) => {
                let message = "no parameter takes what `setup` makes; mark one, as in `#[setup] name: &T`";
                return Err(Error::new(it.key.span(), message));
            }
            (None, [it, ..]) => {
                let message = "there is no `setup` to lend; write `#[probity::test(setup = ..)]`";
                return Err(Error::over(&it.pattern, message));
            }
            (_, [_, it, ..]) => {
                let message = "`setup` is lent to one parameter; let it make a tuple or a struct for more";
                return Err(Error::over(&it.pattern, message));
            }
        }
        match (&self.block_on, &function.asyncness) {
            (None, Some(it)) => {
                let message = "an `async fn` needs something that runs it; write \
                               `#[probity::test(block_on = tokio_test::block_on)]`, or any function of a future";
                return Err(Error::new(it.span(), message));
            }
            (Some(it), None) => {
                return Err(Error::new(it.key.span(), "`block_on` runs an `async fn`; remove it here"));
            }
            _ => {}
        }
        Ok(())
    }
}

/// The names an expansion uses. Those of `mixed_site` cannot meet a name of the user.
struct Names {
    krate: Option<Tokens>,
    source: Tokens,
    spaces: Tokens,
    setup: Tokens,
    setup_is_mut: bool,
    block_on: Option<Tokens>,
    /// Whether blanks are drawn by their specs.
    by_spec: bool,
}

impl Names {
    fn new(settings: &Settings, params: &[Param]) -> Names {
        let mut lent = params.iter().filter(|it| matches!(it.kind, Kind::Setup));
        Names {
            krate: settings.krate.clone(),
            source: ours("source"),
            spaces: ours("spaces"),
            setup: ours("setup"),
            setup_is_mut: lent.any(Param::is_mut),
            block_on: settings.block_on.as_ref().map(|it| it.value.clone()),
            by_spec: settings.different.is_some(),
        }
    }

    /// The path of the crate `probity`, so that an error about it is shown at `span` where we can say so.
    fn krate(&self, span: Span) -> Tokens {
        self.krate.clone().unwrap_or_else(|| fill_at(span, "::probity", &[]))
    }

    fn call(&self, name: &Ident, args: Vec<Tokens>) -> Tokens {
        let call = fill("$name($args)", &[("name", &[name.clone().into()]), ("args", &list(&args))]);
        match &self.block_on {
            Some(block_on) => fill("($block_on)($call)", &[("block_on", block_on), ("call", &call)]),
            None => call,
        }
    }

    /// The statement that evaluates `setup`, if there is one.
    fn make_setup(&self, settings: &Settings) -> Tokens {
        let Some(Pair { value, .. }) = &settings.setup else { return Tokens::new() };
        let text = if self.setup_is_mut {
            "let $setup = ::core::cell::RefCell::new($value);"
        } else {
            "let $setup = $value;"
        };
        fill(text, &[("setup", &self.setup), ("value", value)])
    }

    /// A reference to what `setup` made.
    fn lend_setup(&self) -> Tokens {
        let text = if self.setup_is_mut { "&mut $setup.borrow_mut()" } else { "&$setup" };
        fill(text, &[("setup", &self.setup)])
    }
}

/// The local variable that holds parameter `i`.
fn binding(i: usize, param: &Param) -> Tokens {
    param.name().map_or_else(|| ours(&format!("param{i}")), |it| vec![it.into()])
}

fn string(text: &str) -> Tokens {
    vec![Literal::string(text).into()]
}

/// Binds every parameter but the source, in order, so that a generator can use the ones before it.
fn draws(names: &Names, params: &[Param]) -> Result<Tokens> {
    let mut res = Tokens::new();
    for (i, param) in params.iter().enumerate() {
        let (name, ty) = (binding(i, param), &param.ty);
        let value = match &param.kind {
            Kind::Source => continue,
            Kind::Setup => names.lend_setup(),
            Kind::Blank(generator) => draw(param, generator.as_ref(), names)?,
        };
        match (&param.kind, &param.reference) {
            (Kind::Blank(_), Some(it)) => res.extend(fill(
                "let $mut $owner: $drawn = $value; let $name: $ty = &$mut $owner;",
                &[
                    ("mut", &it.mutability),
                    ("owner", &ours(&format!("value{i}"))),
                    ("drawn", &param.drawn()),
                    ("value", &value),
                    ("name", &name),
                    ("ty", ty),
                ],
            )),
            _ => res
                .extend(fill("let $name: $ty = $value;", &[("name", &name), ("ty", ty), ("value", &value)])),
        }
    }
    Ok(res)
}

/// The call that draws a blank, by `generator` or else by its type.
fn draw(param: &Param, generator: Option<&Tokens>, names: &Names) -> Result<Tokens> {
    let span = start(&param.ty);
    let label = match param.name() {
        Some(it) => string(&unraw(&it)),
        None => fill("::core::stringify!($pattern)", &[("pattern", &param.pattern)]),
    };
    let by_type = || {
        fill_at(span, "$krate::any::<$drawn>()", &[("krate", &names.krate(span)), ("drawn", &param.drawn())])
    };
    let generator = match generator {
        _ if names.by_spec => declaration(param, generator, names)?,
        Some(it) => generator_of(it, &names.krate(span))?,
        None => by_type(),
    };
    Ok(fill_at(
        span,
        "$source.draw_as($label, $generator)",
        &[("source", &names.source), ("label", &label), ("generator", &generator)],
    ))
}

/// The generator of a blank by its spec.
fn declaration(param: &Param, generator: Option<&Tokens>, names: &Names) -> Result<Tokens> {
    let span = start(&param.ty);
    let krate = names.krate(span);
    Ok(match generator {
        None => fill_at(
            span,
            "$krate::spec::declared::<$drawn>()",
            &[("krate", &krate), ("drawn", &param.drawn())],
        ),
        Some(it) => {
            let it = generator_of(it, &krate)?;
            fill_at(start(&it), "$krate::spec::declaration($it)", &[("krate", &krate), ("it", &it)])
        }
    })
}

/// The call that says which inputs are different.
#[cfg(any(test, feature = "spec"))]
fn different(pair: &Pair, names: &Names, params: &[Param]) -> Result<Tokens> {
    let krate = names.krate(Span::call_site());
    let (mut blanks, mut known) = (Tokens::new(), Vec::<String>::new());
    for param in params {
        let Kind::Blank(generator) = &param.kind else {
            if matches!(param.kind, Kind::Setup) {
                continue;
            }
            let message = "`different` is about blanks, and what is drawn from a source is none; \
                           make those draws parameters";
            return Err(Error::over(&param.pattern, message));
        };
        let Some(name) = param.name() else {
            let message =
                "`different` calls blanks by name; give this one a name, and take it apart in the test";
            return Err(Error::over(&param.pattern, message));
        };
        if let Some(before) = known.iter().find(|it| generator.as_ref().is_some_and(|all| uses(all, it))) {
            let message = format!(
                "`different` declares all blanks at once, so that of `{name}` cannot use `{before}`; \
                 declare both in one `spec!` with a `require` between them"
            );
            return Err(Error::over(generator.as_deref().unwrap_or_default(), message));
        }
        blanks.extend(fill_at(
            start(&param.ty),
            ".blank($label, $it, |$value| -> $drawn { $value })",
            &[
                ("label", &string(&unraw(&name))),
                ("it", &declaration(param, generator.as_ref(), names)?),
                ("value", &ours("value")),
                ("drawn", &param.drawn()),
            ],
        ));
        known.push(unraw(&name));
    }
    if known.is_empty() {
        return Err(Error::new(pair.key.span(), "a test without blanks has one input; remove `different`"));
    }
    let scope = crate::spec::Scope {
        krate: krate.clone(),
        variable: ours("scope"),
        what: "blank",
        names: known,
        it: None,
    };
    let difference = crate::spec::different::difference(&pair.value, &scope)?;
    Ok(fill(
        ".different(|| $krate::spec::Inputs::new()$blanks, |$scope: &$krate::spec::Spec| $difference)",
        &[("krate", &krate), ("blanks", &blanks), ("scope", &scope.variable), ("difference", &difference)],
    ))
}

#[cfg(not(any(test, feature = "spec")))]
fn different(pair: &Pair, _: &Names, _: &[Param]) -> Result<Tokens> {
    Err(Error::new(pair.key.span(), format!("`different` needs specs; {}", crate::function::ENABLE)))
}

/// Expressions that describe the choices of each blank.
fn spaces(names: &Names, params: &[Param]) -> Result<Vec<Tokens>> {
    let mut res = Vec::new();
    for (i, param) in params.iter().enumerate() {
        let (drawn, span) = (param.drawn(), start(&param.ty));
        match &param.kind {
            Kind::Blank(Some(generator)) => {
                let before = params[..i].iter().filter_map(Param::name).map(|it| it.to_string());
                let name = param.name().map_or_else(|| "_".to_string(), |it| it.to_string());
                let generator = generator_of(generator, &names.krate(span))?;
                res.push(space_of(&generator, before, &name, &drawn, &names.spaces));
            }
            Kind::Blank(None) => res.push(fill_at(
                span,
                "<$drawn as $krate::Generate>::space($spaces)",
                &[("drawn", &drawn), ("krate", &names.krate(span)), ("spaces", &names.spaces)],
            )),
            Kind::Setup | Kind::Source => {}
        }
    }
    Ok(res)
}

/// The call that runs the fixed inputs of `#[example(..)]`.
fn example(attr: &Attr, names: &Names, function: &Function) -> Result<Tokens> {
    let hint = "an example without values; give every blank one, as in `#[example(n = 1)]`";
    let pairs = Pair::list(&attr.arguments(hint)?)?;
    let blanks = function.params.iter().filter(|it| it.is_blank());
    let blanks: Vec<String> = blanks.filter_map(Param::name).map(|it| it.to_string()).collect();
    if let Some(pair) = pairs.iter().find(|it| !blanks.contains(&it.key.to_string())) {
        let blanks: Vec<String> = blanks.iter().map(|it| format!("`{it}`")).collect();
        let message = format!("no blank is called `{}`; the blanks are {}", pair.key, blanks.join(", "));
        return Err(Error::new(pair.key.span(), message));
    }
    let mut args = Vec::new();
    for param in &function.params {
        args.push(match (&param.kind, param.name()) {
            (Kind::Setup, _) => names.lend_setup(),
            (Kind::Source, _) => {
                let message = "an example cannot say what a test draws from its source; \
                               make those draws parameters, or write a `#[test]` of its own";
                return Err(Error::over(&attr.tokens, message));
            }
            (Kind::Blank(_), None) => {
                let message = "an example calls blanks by name; give this one a name";
                return Err(Error::over(&param.pattern, message));
            }
            (Kind::Blank(_), Some(name)) => {
                match pairs.iter().find(|it| it.key.to_string() == name.to_string()) {
                    Some(pair) => pair.value.clone(),
                    None => {
                        let message = format!("the example has no value for `{name}`; add `{name} = ..`");
                        return Err(Error::over(&attr.tokens, message));
                    }
                }
            }
        });
    }
    let call = names.call(&function.name, args);
    let text = source_text(attr).map_or_else(|| stringify(&pairs), |it| string(&it));
    Ok(fill_at(start(&attr.path), ".example($text, || $call)", &[("text", &text), ("call", &call)]))
}

/// What stands between the parentheses of `attr`, as the user wrote it; unknown outside of a compiler.
fn source_text(attr: &Attr) -> Option<String> {
    let text = attr.args.as_ref()?.span().source_text()?;
    Some(text.strip_prefix('(')?.strip_suffix(')')?.trim().to_string())
}

fn stringify(pairs: &[Pair]) -> Tokens {
    let pairs = pairs.iter().map(|Pair { key, value }| {
        fill("$key = $value", &[("key", &[key.clone().into()]), ("value", value)])
    });
    fill("::core::stringify!($pairs)", &[("pairs", &list(&pairs.collect::<Vec<_>>()))])
}

/// Whether `attr` makes a test of its function already.
fn is_test(attr: &Attr) -> bool {
    let name = attr.path.last().map(TokenTree::to_string).unwrap_or_default();
    name == "test" || name.ends_with("_test")
}
