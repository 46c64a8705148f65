//! `#[probity::test]`: a function with blanks becomes a `#[test]` that calls `probity::Check`.

use crate::blanks;
#[cfg(any(test, feature = "spec"))]
use crate::function::uses;
use crate::function::{Param, ParamKind, ParsedFunction, ours};
use crate::parse::{Attr, Error, Pair, Result, is_punct, is_word, split, start, unraw};
use crate::pm::{Ident, Literal, Span, TokenTree};
use crate::template::{Tokens, fill, fill_at, fill_over, list, path_at};

/// Settings that are a method of `Check` by the same name.
const METHODS: [&str; 18] = [
    "cases",
    "time",
    "seed",
    "swarm",
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
    "prove",
    "isolate",
    "verbose",
];
/// Those of them whose values are texts.
const TEXTS: [&str; 5] = ["time", "engine", "schedule", "hang", "store"];
/// Settings that change the expansion.
const OTHERS: [&str; 5] = ["different", "setup", "block_on", "runtime", "crate"];
/// What `runtime = tokio` represents: what `#[tokio::test]` makes, but once for all cases.
const TOKIO: &str =
    "::tokio::runtime::Builder::new_current_thread().enable_all().build().expect(\"a runtime\")";

/// Whether `key` is a setting that is a method of `Check`.
pub(crate) fn is_method(key: &str) -> bool {
    METHODS.contains(&key)
}

/// The settings that are methods of `Check`.
pub(crate) fn methods() -> impl Iterator<Item = &'static str> {
    METHODS.into_iter()
}

/// The expression of a runtime.
pub(crate) fn runtime(value: &[TokenTree]) -> Tokens {
    let is_tokio = value.len() == 1 && is_word(value.first(), "tokio");
    if is_tokio { fill_at(start(value), TOKIO, &[]) } else { value.to_vec() }
}

/// The test that represents `item`, a function under `#[probity::test(settings)]`.
pub(crate) fn expand(settings: &[TokenTree], item: Tokens) -> Result<Tokens> {
    let settings = Settings::new(settings)?;
    let mut function = ParsedFunction::new(item)?;
    let (examples, attrs) = split(std::mem::take(&mut function.attrs), "example");
    function.attrs = attrs;
    settings.fit(&function)?;
    let names = Names::new(&settings, &function);

    let ParsedFunction { attrs, vis, asyncness, name, params, rest, .. } = &function;
    let mut head = Tokens::new();
    if !attrs.iter().any(is_test) {
        // Outside of test builds, what others may name is a function for `fuzz_target!`.
        head.extend(fill(
            match vis[..] {
                [] => "#[::core::prelude::v1::test]",
                _ => "#[cfg_attr(test, ::core::prelude::v1::test)] #[cfg_attr(not(test), allow(dead_code))]",
            },
            &[],
        ));
    }
    attrs.iter().for_each(|it| head.extend_from_slice(&it.tokens));
    let asyncness: Tokens = asyncness.iter().map(|it| it.clone().into()).collect();
    let all_blanks = !params.is_empty() && params.iter().all(Param::is_blank);
    let blanks = if all_blanks { blanks::function(&names.inner, &names, params)? } else { Tokens::new() };
    // Two functions inside have the test's own name, since that is taken: the test, which may call itself, and the one
    // that draws its blanks. The first `allow`: blanks are inputs, not an interface. The second: a blank may be
    // drawn for its own sake and be called `_name`.
    Ok(fill(
        r#"$head $vis fn $name() {
            let $test = {
                #[allow(clippy::needless_pass_by_value, clippy::ptr_arg, clippy::too_many_arguments)]
                $asyncness fn $inner $params $rest
                $inner
            };
            $blanks
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
            ("test", &names.test),
            ("inner", &names.inner),
            ("asyncness", &asyncness),
            ("params", &[function.list()]),
            ("rest", rest),
            ("blanks", &blanks),
            ("make_setup", &names.make_setup(&settings)),
            ("krate", &names.krate(Span::call_site())),
            ("title", &string(&unraw(name))),
            ("calls", &calls(&settings, &names, &function, &examples, all_blanks)?),
        ],
    ))
}

/// The methods that are called on the new `Check`, up to the one that runs it.
fn calls(
    settings: &Settings,
    names: &Names,
    function: &ParsedFunction,
    examples: &[Attr],
    all_blanks: bool,
) -> Result<Tokens> {
    let ParsedFunction { attrs, name, params, .. } = function;
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
        res.extend(different(pair, names, params, all_blanks)?);
    }
    let args: Vec<Tokens> = (0..params.len()).map(|i| ours(&format!("param{i}"))).collect();
    let holes: [(&str, &[TokenTree]); 6] = [
        ("krate", &krate),
        ("source", &names.source),
        ("spaces", &names.spaces),
        ("parts", &names.parts),
        ("blanks", &names.inner),
        ("nothing", &names.nothing(params)),
    ];
    if all_blanks {
        res.extend(fill(
            ".inputs(|$source: &mut $krate::Source| $blanks($krate::Blanks::Draw($source), $nothing))",
            &holes,
        ));
    }
    if let Some(literals) = all_blanks.then(|| literals(params, &args)).flatten() {
        res.extend(fill(
            ".literals(|$source: &mut $krate::Source| {
                #[allow(unused_imports)]
                use $krate::literal::probes::*;
                let mut $parts = ::std::vec::Vec::new();
                $blanks($krate::Blanks::Draw($source), |$args| { $parts.extend([$literals]) });
                $parts
            })",
            &[&holes[..], &[("args", &list(&args)), ("literals", &list(&literals(&krate)))]].concat(),
        ));
    }
    if all_blanks && settings.different.is_none() {
        res.extend(fill(
            ".space(|$spaces: &mut $krate::Spaces| {
                let mut $parts = ::std::vec::Vec::new();
                $blanks($krate::Blanks::Describe((&mut *$spaces, &mut $parts)), $nothing);
                $spaces.sequence(&$parts)
            })",
            &holes,
        ));
    }
    for attr in examples {
        res.extend(example(attr, names, function)?);
    }
    let case = if all_blanks {
        let then = fill("|$args| $call", &[("args", &list(&args)), ("call", &names.call(args.clone()))]);
        fill("$blanks($krate::Blanks::Draw($source), $then)", &[&holes[..], &[("then", &then)]].concat())
    } else {
        let args = params.iter().enumerate().map(|(i, it)| match it.kind {
            ParamKind::Source => names.source.clone(),
            _ => blanks::binding(i, it),
        });
        let call = names.call(args.collect());
        fill("{ $draws $call }", &[("draws", &blanks::inline(names, params)?), ("call", &call)])
    };
    // A panic of `run` names the place of its call: let it be the user's function.
    res.extend(fill_at(
        name.span(),
        ".run(|$source: &mut $krate::Source| $case)",
        &[&holes[..], &[("case", &case)]].concat(),
    ));
    Ok(res)
}

/// What writes each blank as Rust: its name, its type, and its text; none where one cannot be given in an example.
fn literals<'a>(
    params: &'a [Param],
    args: &'a [Tokens],
) -> Option<impl Fn(&[TokenTree]) -> Vec<Tokens> + 'a> {
    // How a reference is taken, or the value.
    let before = |param: &Param| {
        let is_text = matches!(&param.referent()[..], [it] if is_word(Some(it), "str"));
        match &param.reference {
            // A reference that a generator makes.
            None if is_punct(param.ty.first(), '&') => is_word(param.ty.last(), "str").then_some(""),
            Some(_) if is_word(param.referent().first(), "dyn") => None,
            Some(_) if is_text => (!param.is_mut()).then_some(""),
            Some(_) => Some(if param.is_mut() { "&mut " } else { "&" }),
            None => Some(""),
        }
    };
    let known: Vec<(String, &str)> =
        params.iter().map(|it| Some((it.name()?.to_string(), before(it)?))).collect::<Option<_>>()?;
    Some(move |krate: &[TokenTree]| {
        let one = |((name, before), (param, arg)): (&(String, &str), (&'a Param, &'a Tokens))| {
            let ty: String = param.ty.iter().map(ToString::to_string).collect();
            let lent = if param.reference.is_some() { "&*$arg" } else { "&$arg" };
            let text = format!(
                "($name, $ty, [$before, &(&$krate::literal::LiteralProbe({lent})).write()].concat())"
            );
            let (name, ty, before) = (string(name), string(&ty), string(before));
            let holes: [(&str, &[TokenTree]); 5] =
                [("name", &name), ("ty", &ty), ("before", &before), ("krate", krate), ("arg", arg)];
            fill(&text, &holes)
        };
        known.iter().zip(params.iter().zip(args)).map(one).collect()
    })
}

/// The settings of the attribute.
struct Settings {
    methods: Vec<Pair>,
    setup: Option<Pair>,
    block_on: Option<Pair>,
    runtime: Option<Pair>,
    different: Option<Pair>,
    krate: Option<Tokens>,
}

impl Settings {
    fn new(tokens: &[TokenTree]) -> Result<Settings> {
        let mut res = Settings {
            methods: Vec::new(),
            setup: None,
            block_on: None,
            runtime: None,
            different: None,
            krate: None,
        };
        for pair in Pair::list(tokens)? {
            match &*pair.key.to_string() {
                "setup" => res.setup = Some(pair),
                "block_on" => res.block_on = Some(pair),
                "runtime" => res.runtime = Some(known_runtime(pair)?),
                "different" => res.different = Some(pair),
                "crate" => res.krate = Some(pair.value),
                key if TEXTS.contains(&key) => res.methods.push(quoted(pair)?),
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
    fn fit(&self, function: &ParsedFunction) -> Result<()> {
        let lent: Vec<&Param> =
            function.params.iter().filter(|it| matches!(it.kind, ParamKind::Setup)).collect();
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
        self.fit_async(function)
    }

    fn fit_async(&self, function: &ParsedFunction) -> Result<()> {
        let Some(asyncness) = &function.asyncness else {
            return match self.block_on.as_ref().or(self.runtime.as_ref()) {
                Some(Pair { key, .. }) => {
                    Err(Error::new(key.span(), format!("`{key}` runs an `async fn`; remove it here")))
                }
                None => Ok(()),
            };
        };
        if let Some(attr) = function.attrs.iter().find(|it| is_test(it) && it.path.len() > 1) {
            let message = "this would run the test once and give it no inputs; remove it, and write \
                           `#[probity::test(runtime = tokio)]`";
            return Err(Error::over(&attr.tokens, message));
        }
        match (&self.block_on, &self.runtime) {
            (None, None) => {
                let message = "an `async fn` needs something that runs it; write `#[probity::test(runtime = tokio)]`, \
                               or `block_on = ..` with any function that takes a future";
                Err(Error::new(asyncness.span(), message))
            }
            (Some(_), Some(it)) => {
                Err(Error::new(it.key.span(), "a test is run by one of `block_on` and `runtime`; remove one"))
            }
            _ => Ok(()),
        }
    }
}

/// The name that is the whole of `value`, if it is that of no constant.
fn lone_word(value: &[TokenTree]) -> Option<String> {
    let [TokenTree::Ident(it)] = value else { return None };
    Some(it.to_string())
        .filter(|it| it.starts_with(char::is_lowercase) && !["true", "false"].contains(&&**it))
}

/// Fails for a word without the quotes that its setting wants.
fn quoted(pair: Pair) -> Result<Pair> {
    let Some(word) = lone_word(&pair.value) else { return Ok(pair) };
    let message = format!("the value of `{0}` is a text; write `{0} = \"{word}\"`", pair.key);
    Err(Error::over(&pair.value, message))
}

/// Fails for a runtime by a name that is not `tokio`.
fn known_runtime(pair: Pair) -> Result<Pair> {
    let Some(word) = lone_word(&pair.value).filter(|it| it != "tokio") else { return Ok(pair) };
    let message = format!(
        "only `tokio` is known by its name, and not `{word}`; write an expression with a method `block_on`, or \
         `block_on = ..` with a function that takes a future"
    );
    Err(Error::over(&pair.value, message))
}

/// The names an expansion uses. Those of `mixed_site` cannot meet a name of the user.
pub(crate) struct Names {
    krate: Option<Tokens>,
    /// The function that is tested.
    test: Tokens,
    /// What functions inside of the test are called.
    inner: Tokens,
    /// Where the name of the test stands.
    pub(crate) place: Span,
    pub(crate) source: Tokens,
    pub(crate) spaces: Tokens,
    pub(crate) parts: Tokens,
    pub(crate) inputs: Tokens,
    setup: Tokens,
    setup_is_mut: bool,
    block_on: Option<Tokens>,
    /// The variable that has the runtime, where it is used.
    runtime: Option<Tokens>,
    /// Whether blanks are drawn by their specs.
    pub(crate) by_spec: bool,
    /// The type that the test returns; empty where that is not said.
    returned: Tokens,
    /// Whether what is drawn is called by its name in reports.
    pub(crate) has_labels: bool,
}

impl Names {
    fn new(settings: &Settings, function: &ParsedFunction) -> Names {
        let mut lent = function.params.iter().filter(|it| matches!(it.kind, ParamKind::Setup));
        let mut inner = function.name.clone();
        // Where a type is not found, the compiler would have type parameters added to a function of the user.
        inner.set_span(Span::call_site().located_at(inner.span()));
        Names {
            krate: settings.krate.clone(),
            // Where a fixed input does not fit, the function is shown.
            test: vec![Ident::new("test", Span::mixed_site().located_at(function.name.span())).into()],
            inner: vec![inner.into()],
            place: function.name.span(),
            source: ours("source"),
            spaces: ours("spaces"),
            parts: ours("parts"),
            inputs: ours("inputs"),
            setup: ours("setup"),
            setup_is_mut: lent.any(Param::is_mut),
            block_on: settings.block_on.as_ref().map(|it| it.value.clone()),
            runtime: settings.runtime.as_ref().map(|_| ours("runtime")),
            by_spec: settings.different.is_some(),
            returned: function.returned().to_vec(),
            has_labels: true,
        }
    }

    /// Those of the commands of a model, whose type stands at `place`.
    pub(crate) fn of_model(krate: Option<Tokens>, place: Span) -> Names {
        Names {
            krate,
            test: Tokens::new(),
            inner: Tokens::new(),
            place,
            source: ours("source"),
            spaces: Tokens::new(),
            parts: Tokens::new(),
            inputs: Tokens::new(),
            setup: Tokens::new(),
            setup_is_mut: false,
            block_on: None,
            runtime: None,
            by_spec: false,
            returned: Tokens::new(),
            has_labels: false,
        }
    }

    /// The path of the crate `probity`, so that an error about it is shown at `span`.
    pub(crate) fn krate(&self, span: Span) -> Tokens {
        self.krate.as_ref().map_or_else(|| fill_at(span, "::probity", &[]), |it| path_at(span, it))
    }

    /// The case with these inputs, up to its end.
    fn call(&self, args: Vec<Tokens>) -> Tokens {
        let mut call = fill("$test($args)", &[("test", &self.test), ("args", &list(&args))]);
        if let Some(block_on) = &self.block_on {
            call = fill("($block_on)($call)", &[("block_on", block_on), ("call", &call)]);
        }
        if let Some(runtime) = &self.runtime {
            call = fill("$runtime.block_on($call)", &[("runtime", runtime), ("call", &call)]);
        }
        if self.returned.is_empty() {
            return call;
        }
        // Whether it is an outcome is asked of the type, and so the answer is shown there.
        let krate = self.krate(start(&self.returned));
        let holes: [(&str, &[TokenTree]); 3] =
            [("returned", &self.returned), ("krate", &krate), ("call", &call)];
        fill_over(&self.returned, "<$returned as $krate::Outcome>::conclude($call)", &holes)
    }

    /// A closure of all blanks that does nothing.
    fn nothing(&self, params: &[Param]) -> Tokens {
        let args: Vec<Tokens> = params.iter().map(|_| fill("_", &[])).collect();
        fill("|$args| ()", &[("args", &list(&args))])
    }

    /// The statements that evaluate `setup` and `runtime`, if there are any.
    fn make_setup(&self, settings: &Settings) -> Tokens {
        let mut res = Tokens::new();
        if let (Some(Pair { value, .. }), Some(runtime)) = (&settings.runtime, &self.runtime) {
            let value = self::runtime(value);
            res.extend(fill("let $runtime = $value;", &[("runtime", runtime), ("value", &value)]));
        }
        if let Some(Pair { value, .. }) = &settings.setup {
            let text = if self.setup_is_mut {
                "let $setup = ::core::cell::RefCell::new($value);"
            } else {
                "let $setup = $value;"
            };
            res.extend(fill(text, &[("setup", &self.setup), ("value", value)]));
        }
        res
    }

    /// A reference to what `setup` made.
    pub(crate) fn lend_setup(&self) -> Tokens {
        let text = if self.setup_is_mut { "&mut $setup.borrow_mut()" } else { "&$setup" };
        fill(text, &[("setup", &self.setup)])
    }
}

pub(crate) fn string(text: &str) -> Tokens {
    vec![Literal::string(text).into()]
}

/// The call that says which inputs are different.
#[cfg(any(test, feature = "spec"))]
fn different(pair: &Pair, names: &Names, params: &[Param], all_blanks: bool) -> Result<Tokens> {
    let krate = names.krate(Span::call_site());
    let (mut blanks, mut known) = (Tokens::new(), Vec::<String>::new());
    for param in params {
        let ParamKind::Blank(generator) = &param.kind else {
            if matches!(param.kind, ParamKind::Setup) {
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
        blanks.extend(blanks::blank(param, &blanks::declaration(param, names)?, names));
        known.push(unraw(&name));
    }
    if known.is_empty() {
        return Err(Error::new(pair.key.span(), "a test without blanks has one input; remove `different`"));
    }
    let scope = crate::spec::NameScope {
        krate: krate.clone(),
        variable: ours("scope"),
        what: "blank",
        names: known,
        it: None,
        checks: crate::spec::NameChecks::Nobody,
    };
    let difference = crate::spec::different::difference(&pair.value, &scope)?;
    if all_blanks {
        blanks = fill(
            "$blanks($krate::Blanks::Describe(&mut *$inputs), $nothing);",
            &[
                ("blanks", &names.inner),
                ("krate", &krate),
                ("inputs", &names.inputs),
                ("nothing", &names.nothing(params)),
            ],
        );
    }
    Ok(fill(
        ".different(
            || { let $inputs = &mut $krate::spec::Inputs::new(); $blanks ::core::mem::take($inputs) },
            |$scope: &$krate::spec::Spec| $difference,
        )",
        &[
            ("krate", &krate),
            ("inputs", &names.inputs),
            ("blanks", &blanks),
            ("scope", &scope.variable),
            ("difference", &difference),
        ],
    ))
}

#[cfg(not(any(test, feature = "spec")))]
fn different(pair: &Pair, _: &Names, _: &[Param], _: bool) -> Result<Tokens> {
    Err(Error::new(pair.key.span(), format!("`different` needs specs; {}", crate::function::ENABLE)))
}

/// The call that runs the fixed inputs of `#[example(..)]`.
fn example(attr: &Attr, names: &Names, function: &ParsedFunction) -> Result<Tokens> {
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
            (ParamKind::Setup, _) => names.lend_setup(),
            (ParamKind::Source, _) => {
                let message = "an example cannot say what a test draws from its source; \
                               make those draws parameters, or write a `#[test]` of its own";
                return Err(Error::over(&attr.tokens, message));
            }
            (ParamKind::Blank(_), None) => {
                let message = "an example calls blanks by name; give this one a name";
                return Err(Error::over(&param.pattern, message));
            }
            (ParamKind::Blank(_), Some(name)) => {
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
    let call = names.call(args);
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
