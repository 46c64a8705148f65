//! `#[probity::model]`: the methods of a model become the commands of tests that run them beside a system.

mod impl_block;

use self::impl_block::{ModelImpl, ModelMethod, is_of_test};
use crate::attribute::{self, Names, runtime, string};
use crate::function::ours;
use crate::parse::{Error, Pair, Result, find, is_punct, start, unraw};
use crate::pm::{Ident, Span, TokenTree};
use crate::template::{Tokens, fill, fill_at, fill_over, list};

/// Settings that change the expansion.
const OTHERS: [&str; 8] =
    ["threads", "real_threads", "steps", "calls", "new", "block_on", "runtime", "crate"];
const NO_SYSTEM: &str =
    "a model stands beside a system; name the type of that first, as in `#[probity::model(Counter)]`";
/// How many calls a sequence has, where nothing is said.
const STEPS: &str = "..=30";

/// The `impl` without our attributes, and the tests that stand for it.
pub(crate) fn expand(settings: &[TokenTree], item: Tokens) -> Result<Tokens> {
    let settings = ModelSettings::new(settings)?;
    let model = ModelImpl::new(item)?;
    settings.fit(&model)?;
    let names = Names::of_model(settings.krate.clone(), start(&model.ty));
    let mut res = model.implementation();
    res.extend(model.helpers(&names)?);
    let parallel = settings.threads.is_some();
    if parallel {
        res.extend(table(&settings, &model, &names));
    }
    let sequence = if parallel { in_parts("in_sequence", &[]) } else { steps(&settings, &model, &names) };
    res.extend(test(&settings, &model, &names, "in_sequence", &sequence));
    if let Some(pair) = &settings.threads {
        let run = in_parts("in_parallel", &pair.value);
        res.extend(test(&settings, &model, &names, "in_parallel", &run));
    }
    res.extend(module(&model, parallel));
    Ok(res)
}

/// The settings of the attribute.
struct ModelSettings {
    system: Tokens,
    methods: Vec<Pair>,
    /// `threads` or `real_threads`.
    threads: Option<Pair>,
    steps: Option<Tokens>,
    calls: Option<Tokens>,
    new: Option<Tokens>,
    block_on: Option<Pair>,
    runtime: Option<Pair>,
    krate: Option<Tokens>,
}

impl ModelSettings {
    fn new(tokens: &[TokenTree]) -> Result<ModelSettings> {
        let (system, rest) = tokens.split_at(find(tokens, ',', true));
        if system.is_empty() || is_punct(system.get(1), '=') {
            return Err(Error::over(system, NO_SYSTEM));
        }
        let mut res = ModelSettings {
            system: system.to_vec(),
            methods: Vec::new(),
            threads: None,
            steps: None,
            calls: None,
            new: None,
            block_on: None,
            runtime: None,
            krate: None,
        };
        for pair in Pair::list(rest.get(1..).unwrap_or_default())? {
            match &*pair.key.to_string() {
                "threads" | "real_threads" if res.threads.is_some() => {
                    let message = "threads are given twice; remove one of `threads` and `real_threads`";
                    return Err(Error::new(pair.key.span(), message));
                }
                "threads" | "real_threads" => res.threads = Some(pair),
                "steps" => res.steps = Some(pair.value),
                "calls" => res.calls = Some(pair.value),
                "new" => res.new = Some(pair.value),
                "block_on" => res.block_on = Some(pair),
                "runtime" => res.runtime = Some(pair),
                "crate" => res.krate = Some(pair.value),
                key if attribute::is_method(key) => res.methods.push(pair),
                key => {
                    let known = attribute::methods().chain(OTHERS).collect::<Vec<_>>().join(", ");
                    let message =
                        format!("no setting is called `{key}`; the settings of a model are {known}");
                    return Err(Error::new(pair.key.span(), message));
                }
            }
        }
        Ok(res)
    }

    /// Fails where they ask for what the model is not, or the other way round.
    fn fit(&self, model: &ModelImpl) -> Result<()> {
        let asyncness = model.commands.iter().find_map(|it| it.asyncness.as_ref());
        let runs = self.block_on.as_ref().or(self.runtime.as_ref());
        match (asyncness, runs) {
            (Some(it), _) if self.threads.is_some() => {
                let message =
                    "threads make plain calls; remove `async`, and let the method of the system block";
                Err(Error::new(it.span(), message))
            }
            (Some(it), None) => {
                let message = "an `async fn` needs something that runs it; write \
                               `#[probity::model(.., runtime = tokio)]`, or `block_on = ..` with any function \
                               that takes a future";
                Err(Error::new(it.span(), message))
            }
            (None, Some(Pair { key, .. })) => {
                Err(Error::new(key.span(), format!("`{key}` runs an `async fn`; remove it here")))
            }
            _ => match (&self.block_on, &self.runtime, &self.calls, &self.threads) {
                (Some(_), Some(it), ..) => {
                    let message = "a test is run by one of `block_on` and `runtime`; remove one";
                    Err(Error::new(it.key.span(), message))
                }
                (_, _, Some(it), None) => Err(Error::over(
                    it,
                    "`calls` is about threads; add `threads = 2`, or write `steps` for it",
                )),
                _ => Ok(()),
            },
        }
    }

    fn new_system(&self) -> Tokens {
        self.new.clone().unwrap_or_else(|| {
            fill_at(
                start(&self.system),
                "<$it as ::core::default::Default>::default()",
                &[("it", &self.system)],
            )
        })
    }
}

/// A loop of steps, each of which makes a call on both: what a test without threads does.
fn steps(settings: &ModelSettings, model: &ModelImpl, names: &Names) -> Tokens {
    let mut arms = Tokens::new();
    for it in &model.commands {
        let krate = names.krate(it.name.span());
        let name = string(&unraw(&it.name));
        // Where the two are of different types, the method is shown.
        let result = |name| [Ident::new(name, Span::mixed_site().located_at(it.name.span())).into()];
        let holes: [(&str, &[TokenTree]); 14] = [
            ("weight", &it.weight),
            ("name", &[it.name.clone().into()]),
            ("text", &name),
            ("model", &ours("model")),
            ("may", &it.helper("may")),
            ("open", &it.helper("open")),
            ("draw", &it.helper("draw")),
            ("args", &ours("args")),
            ("source", &names.source),
            ("expected", &result("expected")),
            ("actual", &result("actual")),
            ("on_model", &it.call("model")),
            ("on_system", &it.call("system")),
            ("krate", &krate),
        ];
        arms.extend(fill_at(
            it.name.span(),
            "$weight * $name if $model.$may() => {
                let $args = $model.$draw($source);
                if $model.$open(&$args) {
                    let $expected = $on_model;
                    let $actual = $on_system;
                    $krate::threads::compare($text, &$actual, &$expected);
                }
            }",
            &holes,
        ));
    }
    let always: Tokens = model.invariants.iter().flat_map(|it| it.check(names, "$system")).collect();
    let lengths = settings.steps.clone().unwrap_or_else(|| fill(STEPS, &[]));
    let holes: [(&str, &[TokenTree]); 9] = [
        ("model", &ours("model")),
        ("system", &ours("system")),
        ("ty", &model.ty),
        ("of", &settings.system),
        ("new", &settings.new_system()),
        ("krate", &names.krate(Span::call_site())),
        ("source", &names.source),
        ("lengths", &lengths),
        ("arms", &arms),
    ];
    let body = fill(
        "#[allow(unused_mut)]
        let mut $model = <$ty as ::core::default::Default>::default();
        #[allow(unused_mut)]
        let mut $system: $of = $new;
        $krate::steps!($source, $lengths, { $arms always => { $always } });",
        &[&holes[..], &[("always", &always)]].concat(),
    );
    if model.commands.iter().all(|it| it.asyncness.is_none()) {
        return fill("{ $body }", &[("body", &body)]);
    }
    let future = fill("async { $body }", &[("body", &body)]);
    match &settings.block_on {
        Some(it) => fill("($it)($future)", &[("it", &it.value), ("future", &future)]),
        None => fill("$runtime.block_on($future)", &[("runtime", &ours("runtime")), ("future", &future)]),
    }
}

/// A case of the test that [`table`] makes.
fn in_parts(method: &str, threads: &[TokenTree]) -> Tokens {
    let method = vec![Ident::new(method, Span::call_site()).into()];
    let comma = fill(if threads.is_empty() { "" } else { "," }, &[]);
    fill(
        "$test.$method($source $comma $threads)",
        &[
            ("test", &ours("test")),
            ("method", &method),
            ("source", &ours("source")),
            ("comma", &comma),
            ("threads", threads),
        ],
    )
}

/// The function that makes a `ModelTest`.
fn table(settings: &ModelSettings, model: &ModelImpl, names: &Names) -> Tokens {
    let krate = names.krate(Span::call_site());
    let (mut texts, mut weights, mut commands) = (Vec::new(), Vec::new(), Vec::new());
    for it in &model.commands {
        texts.push(string(&unraw(&it.name)));
        weights.push(it.weight.clone());
        commands.push(command(settings, model, names, it));
    }
    let invariants: Vec<Tokens> = model
        .invariants
        .iter()
        .map(|it| {
            let holes: [(&str, &[TokenTree]); 5] = [
                ("model", &ours("model")),
                ("ty", &model.ty),
                ("system", &ours("system")),
                ("of", &settings.system),
                ("check", &it.check(names, "*$system")),
            ];
            fill_at(it.name.span(), "|$model: &$ty, $system: &$of| { let _ = $system; $check }", &holes)
        })
        .collect();
    let mut more = Tokens::new();
    for (name, lengths) in [("steps", &settings.steps), ("calls", &settings.calls)] {
        if let Some(it) = lengths {
            more.extend(fill(&format!(".{name}($it)"), &[("it", it)]));
        }
    }
    if settings.threads.as_ref().is_some_and(|it| it.key.to_string() == "real_threads") {
        more.extend(fill(".real()", &[]));
    }
    // What a model lacks is shown at its name.
    let here = names.krate(start(&model.ty));
    let new_test = fill_over(&model.ty, "$krate::threads::ModelTest::new", &[("krate", &here)]);
    let holes: [(&str, &[TokenTree]); 12] = [
        ("new_test", &new_test),
        ("condition", &model.condition()),
        ("name", &model.function("test")),
        ("krate", &krate),
        ("ty", &model.ty),
        ("of", &settings.system),
        ("texts", &list(&texts)),
        ("weights", &list(&weights)),
        ("commands", &list(&commands)),
        ("invariants", &list(&invariants)),
        ("new", &settings.new_system()),
        ("more", &more),
    ];
    fill(
        "$condition
        #[allow(clippy::all, clippy::pedantic)]
        fn $name() -> $krate::threads::ModelTest<$ty, $of> {
            use $krate::threads::{ComparedByEq as _, NotCompared as _};
            static NAMES: $krate::threads::ArmSet = $krate::threads::ArmSet::new(&[$texts], &[$weights]);
            static COMMANDS: &[$krate::threads::ModelCommand<$ty, $of>] = &[$commands];
            static INVARIANTS: &[$krate::threads::Invariant<$ty, $of>] = &[$invariants];
            $new_test(
                &NAMES,
                COMMANDS,
                || <$ty as ::core::default::Default>::default(),
                || $new,
            )
            .invariants(INVARIANTS)
            .compared_by((&$krate::threads::Compared::<$ty>::new()).by())
            $more
        }",
        &holes,
    )
}

/// The entry of a command.
fn command(settings: &ModelSettings, model: &ModelImpl, names: &Names, it: &ModelMethod) -> Tokens {
    let krate = names.krate(it.name.span());
    let texts = (0..it.params.len())
        .map(|i| {
            let text = format!("$krate::threads::debug_text(&$args.{i})");
            fill(&text, &[("krate", &krate), ("args", &ours("args"))])
        })
        .collect::<Vec<_>>();
    let holes: [(&str, &[TokenTree]); 14] = [
        ("krate", &krate),
        ("model", &ours("model")),
        ("system", &ours("system")),
        ("ty", &model.ty),
        ("of", &settings.system),
        ("may", &it.helper("may")),
        ("open", &it.helper("open")),
        ("draw", &it.helper("draw")),
        ("source", &names.source),
        ("args", &ours("args")),
        ("types", &it.types(names)),
        ("texts", &list(&texts)),
        ("on_model", &it.call("model")),
        ("on_system", &it.call("system")),
    ];
    fill_at(
        it.name.span(),
        "$krate::threads::ModelCommand::new(
            |$model: &$ty| $model.$may(),
            |$model: &$ty, $source: &mut $krate::Source| $krate::threads::ModelCall::new(
                $model.$draw($source),
                |$args: &$types| { let _ = $args; ::std::vec![$texts] },
                |$model: &$ty, $args: &$types| $model.$open($args),
                |$model: &mut $ty, $args: $types| { let _ = &$args; $on_model },
                |$system: &$of, $args: $types| { let _ = &$args; $on_system },
            ),
        )",
        &holes,
    )
}

/// The function that runs a test. The test itself is in a module, and calls it.
fn test(
    settings: &ModelSettings,
    model: &ModelImpl,
    names: &Names,
    name: &str,
    case: &[TokenTree],
) -> Tokens {
    let krate = names.krate(Span::call_site());
    let mut calls = Tokens::new();
    if model.attrs.iter().any(|it| it.is("should_panic")) {
        calls.extend(fill(".should_panic()", &[]));
    }
    for Pair { key, value } in &settings.methods {
        calls.extend(fill(".$key($value)", &[("key", &[key.clone().into()]), ("value", value)]));
    }
    let mut setup = Tokens::new();
    if settings.threads.is_some() {
        let function = model.function("test");
        setup = fill("let $test = $function();", &[("test", &ours("test")), ("function", &function)]);
    } else if let Some(Pair { value, .. }) = &settings.runtime {
        let value = runtime(value);
        setup = fill("let $runtime = $value;", &[("runtime", &ours("runtime")), ("value", &value)]);
    }
    let holes: [(&str, &[TokenTree]); 8] = [
        ("condition", &model.condition()),
        ("name", &model.function(name)),
        ("setup", &setup),
        ("krate", &krate),
        ("title", &string(&format!("{}::{name}", model.snake()))),
        ("calls", &calls),
        ("source", &names.source),
        ("case", case),
    ];
    fill(
        "$condition
        fn $name() {
            $setup
            $krate::Check::new(::core::concat!(::core::module_path!(), \"::\", $title))
                .manifest_dir(::core::env!(\"CARGO_MANIFEST_DIR\"))
                $calls
                .run(|$source: &mut $krate::Source| $case);
        }",
        &holes,
    )
}

/// The module with the tests.
fn module(model: &ModelImpl, is_parallel: bool) -> Tokens {
    let attrs: Tokens =
        model.attrs.iter().filter(|it| is_of_test(it)).flat_map(|it| it.tokens.clone()).collect();
    let mut tests = Tokens::new();
    for name in ["in_sequence", "in_parallel"].into_iter().take(1 + usize::from(is_parallel)) {
        let holes: [(&str, &[TokenTree]); 3] = [
            ("attrs", &attrs),
            ("name", &[Ident::new(name, Span::call_site()).into()]),
            ("function", &model.function(name)),
        ];
        tests.extend(fill("#[::core::prelude::v1::test] $attrs fn $name() { super::$function() }", &holes));
    }
    let name = Ident::new(&model.snake(), Span::call_site());
    let holes: [(&str, &[TokenTree]); 3] =
        [("condition", &model.condition()), ("name", &[name.into()]), ("tests", &tests)];
    fill("$condition mod $name { $tests }", &holes)
}
