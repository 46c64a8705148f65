//! `#[probity::test]`: a function with blanks becomes a `#[test]` that calls `probity::Check`.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Attribute, Error, Result};

use crate::function::{Function, Kind, Param, owned};
use crate::parse::{Pair, arguments, split};

/// Settings that are a method of `Check` by the same name.
const METHODS: [&str; 10] =
    ["cases", "time", "seed", "engine", "max_shrink", "max_rejects", "hang", "store", "explain", "verbose"];
/// Settings that change the expansion.
const OTHERS: [&str; 3] = ["setup", "block_on", "crate"];

/// The test that stands for `item`, a function under `#[probity::test(settings)]`.
pub(crate) fn expand(settings: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let settings = Settings::new(settings)?;
    let mut function: Function = syn::parse2(item)?;
    let (examples, attrs) = split(std::mem::take(&mut function.attrs), "example");
    settings.fit(&function)?;
    let names = Names::new(&settings, &function.params);

    let Function { vis, asyncness, name, params, output, body, .. } = &function;
    let Names { source, setup, .. } = &names;
    let krate = names.krate(Span::call_site());
    let test = (!attrs.iter().any(is_test)).then(|| quote!(#[::core::prelude::v1::test]));
    let title = name.unraw().to_string();
    let make_setup = settings.setup.as_ref().map(|it| {
        let value = &it.value;
        let value =
            if names.setup_is_mut { quote!(::core::cell::RefCell::new(#value)) } else { value.clone() };
        quote!(let #setup = #value;)
    });
    // A failure that is wanted is not worth keeping.
    let expected = attrs.iter().any(is_should_panic).then(|| quote!(.should_panic()));
    let methods = settings.methods.iter().map(|Pair { key, value }| quote!(.#key(#value)));
    let examples = examples.iter().map(|it| example(it, &names, &function)).collect::<Result<Vec<_>>>()?;
    let draws = draws(&names, params);
    let blanks = params.iter().enumerate().filter(|(_, it)| it.is_blank());
    let blanks: Vec<Ident> = blanks.map(|(i, it)| binding(i, it)).collect();
    let only_blanks = !blanks.is_empty() && blanks.len() == params.len();
    let inputs = only_blanks
        .then(|| quote!(.inputs(|#source: &mut #krate::Source| { #draws let _ = (#(#blanks,)*); })));
    let args = params.iter().enumerate().map(|(i, it)| match it.kind {
        Kind::Source => source.clone(),
        _ => binding(i, it),
    });
    let call = names.call(name, args);
    // A panic of `run` names the place of its call: let it be the user's function.
    let run = quote_spanned!(name.span()=> .run(|#source: &mut #krate::Source| { #draws #call }));
    Ok(quote! {
        #test
        #(#attrs)*
        #vis fn #name() {
            // Blanks are inputs, not an interface.
            #[allow(clippy::needless_pass_by_value, clippy::ptr_arg, clippy::too_many_arguments)]
            #asyncness fn #name(#(#params),*) #output #body
            #make_setup
            // A blank may be drawn for its own sake and be called `_name`.
            #[allow(clippy::used_underscore_binding)]
            #krate::Check::new(::core::concat!(::core::module_path!(), "::", #title))
                .manifest_dir(::core::env!("CARGO_MANIFEST_DIR"))
                #expected
                #(#methods)*
                #inputs
                #(#examples)*
                #run;
        }
    })
}

/// The settings of the attribute.
struct Settings {
    methods: Vec<Pair>,
    setup: Option<Pair>,
    block_on: Option<Pair>,
    krate: Option<TokenStream>,
}

impl Settings {
    fn new(tokens: TokenStream) -> Result<Settings> {
        let mut res = Settings { methods: Vec::new(), setup: None, block_on: None, krate: None };
        for pair in Pair::list(tokens)? {
            match &*pair.key.to_string() {
                "setup" => res.setup = Some(pair),
                "block_on" => res.block_on = Some(pair),
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
                return Err(Error::new_spanned(it, message));
            }
            (_, [_, it, ..]) => {
                let message = "`setup` is lent to one parameter; let it make a tuple or a struct for more";
                return Err(Error::new_spanned(it, message));
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
    krate: Option<TokenStream>,
    source: Ident,
    setup: Ident,
    setup_is_mut: bool,
    block_on: Option<TokenStream>,
}

impl Names {
    fn new(settings: &Settings, params: &[Param]) -> Names {
        let ours = |name| Ident::new(name, Span::mixed_site());
        let mut lent = params.iter().filter(|it| matches!(it.kind, Kind::Setup)).filter_map(Param::reference);
        Names {
            krate: settings.krate.clone(),
            source: ours("source"),
            setup: ours("setup"),
            setup_is_mut: lent.any(|it| it.mutability.is_some()),
            block_on: settings.block_on.as_ref().map(|it| it.value.clone()),
        }
    }

    /// The path of the crate `probity`, so that an error about it is shown at `span` where we can say so.
    fn krate(&self, span: Span) -> TokenStream {
        self.krate.clone().unwrap_or_else(|| quote_spanned!(span=> ::probity))
    }

    fn call(&self, name: &Ident, args: impl Iterator<Item = impl ToTokens>) -> TokenStream {
        let call = quote!(#name(#(#args),*));
        match &self.block_on {
            Some(block_on) => quote!((#block_on)(#call)),
            None => call,
        }
    }

    /// A reference to what `setup` made.
    fn lend_setup(&self) -> TokenStream {
        let setup = &self.setup;
        if self.setup_is_mut { quote!(&mut #setup.borrow_mut()) } else { quote!(&#setup) }
    }
}

/// The local variable that holds parameter `i`.
fn binding(i: usize, param: &Param) -> Ident {
    param.name().unwrap_or_else(|| format_ident!("param{i}", span = Span::mixed_site()))
}

/// Binds every parameter but the source, in order, so that a generator can use the ones before it.
fn draws(names: &Names, params: &[Param]) -> TokenStream {
    let source = &names.source;
    let mut res = TokenStream::new();
    for (i, param) in params.iter().enumerate() {
        let (name, ty) = (binding(i, param), &param.ty);
        let generator = match &param.kind {
            Kind::Source => continue,
            Kind::Setup => {
                let lent = names.lend_setup();
                res.extend(quote!(let #name: #ty = #lent;));
                continue;
            }
            Kind::Blank(generator) => generator,
        };
        let drawn = param.reference().map_or_else(|| ty.to_token_stream(), |it| owned(&it.elem));
        let krate = names.krate(ty.span());
        let any = quote_spanned!(ty.span()=> #krate::any::<#drawn>());
        let generator = generator.as_ref().unwrap_or(&any);
        let label = match param.name() {
            Some(it) => it.unraw().to_string().into_token_stream(),
            None => {
                let pattern = &param.pattern;
                quote!(::core::stringify!(#pattern))
            }
        };
        let draw = quote_spanned!(ty.span()=> #source.draw_as(#label, #generator));
        res.extend(match param.reference() {
            None => quote!(let #name: #ty = #draw;),
            Some(it) => {
                let mutability = &it.mutability;
                let value = format_ident!("value{i}", span = Span::mixed_site());
                quote!(let #mutability #value: #drawn = #draw; let #name: #ty = &#mutability #value;)
            }
        });
    }
    res
}

/// The call that runs the fixed inputs of `#[example(..)]`.
fn example(attr: &Attribute, names: &Names, function: &Function) -> Result<TokenStream> {
    let hint = "an example without values; give every blank one, as in `#[example(n = 1)]`";
    let pairs = Pair::list(arguments(attr, hint)?.clone())?;
    let blanks = function.params.iter().filter(|it| it.is_blank());
    let blanks: Vec<Ident> = blanks.filter_map(Param::name).collect();
    if let Some(pair) = pairs.iter().find(|pair| !blanks.contains(&pair.key)) {
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
                return Err(Error::new_spanned(attr, message));
            }
            (Kind::Blank(_), None) => {
                let message = "an example calls blanks by name; give this one a name";
                return Err(Error::new_spanned(&param.pattern, message));
            }
            (Kind::Blank(_), Some(name)) => match pairs.iter().find(|it| it.key == name) {
                Some(pair) => pair.value.clone(),
                None => {
                    let message = format!("the example has no value for `{name}`; add `{name} = ..`");
                    return Err(Error::new_spanned(attr, message));
                }
            },
        });
    }
    let call = names.call(&function.name, args.iter());
    let text = source_text(attr).map_or_else(
        || {
            let text = pairs.iter().map(|Pair { key, value }| quote!(#key = #value));
            quote!(::core::stringify!(#(#text),*))
        },
        ToTokens::into_token_stream,
    );
    Ok(quote_spanned!(attr.path().span()=> .example(#text, || #call)))
}

/// What stands between the parentheses of `attr`, as the user wrote it; unknown outside of a compiler.
fn source_text(attr: &Attribute) -> Option<String> {
    let list = attr.meta.require_list().ok()?;
    let text = list.delimiter.span().join().source_text()?;
    Some(text.strip_prefix('(')?.strip_suffix(')')?.trim().to_string())
}

fn is_should_panic(attr: &Attribute) -> bool {
    attr.path().is_ident("should_panic")
}

/// Whether `attr` makes a test of its function already.
fn is_test(attr: &Attribute) -> bool {
    let name = attr.path().segments.last().map(|it| it.ident.to_string()).unwrap_or_default();
    name == "test" || name.ends_with("_test")
}
