//! `#[derive(Generate)]`: a type's fields and variants become draws from a source.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{
    Attribute, Data, DeriveInput, Error, Field, Fields, Generics, Index, LitInt, Meta, Result, Type, Variant,
};

use crate::parse::{Pair, arguments, mentions};

/// The `impl Generate` of `item`, a struct or an enum.
pub(crate) fn expand(item: TokenStream) -> Result<TokenStream> {
    let DeriveInput { attrs, ident, mut generics, data, .. } = syn::parse2(item)?;
    no_helpers(&attrs, &["from", "skip", "weight"], "a type")?;
    if let Some(lifetime) = generics.lifetimes().next() {
        let message = "a generated value owns its parts; \
                       hold `String` for `&str`, or write `impl Generate` for some lifetimes yourself";
        return Err(Error::new_spanned(lifetime, message));
    }
    let names = Names { krate: krate(&attrs)?, source: Ident::new("source", Span::mixed_site()) };
    let shapes = match data {
        Data::Struct(it) => vec![Shape::new(quote!(Self), it.fields, &ident)?],
        Data::Enum(it) => variants(it.variants, &ident)?,
        Data::Union(it) => {
            let message = "nothing says which field of a union holds; write `impl Generate` yourself";
            return Err(Error::new_spanned(it.union_token, message));
        }
    };

    let recursive = shapes.iter().any(|it| it.recursive);
    let value = if shapes.len() == 1 { shapes[0].build(&names) } else { pick(&shapes, &names) };
    let Names { krate, source } = &names;
    let label = ident.unraw().to_string();
    let body = if recursive {
        quote!(#source.nest(#label, |#source| #value))
    } else if shapes.iter().any(Shape::draws) {
        quote!(#source.group(#label, |#source| #value))
    } else {
        value
    };
    let draws = shapes.len() > 1 || shapes[0].draws();
    let param = if draws { quote!(#source) } else { quote!(_) };
    let inline = (!recursive).then(|| quote!(#[inline]));
    bound(&mut generics, &shapes, krate);
    let (params, args, bounds) = generics.split_for_impl();
    Ok(quote! {
        #[automatically_derived]
        impl #params #krate::Generate for #ident #args #bounds {
            #inline
            fn generate(#param: &mut #krate::Source) -> Self {
                #body
            }
        }
    })
}

struct Names {
    krate: TokenStream,
    source: Ident,
}

/// A struct or a variant: something with fields that can be built.
struct Shape {
    path: TokenStream,
    parts: Vec<Part>,
    weight: Option<u32>,
    /// Whether it has a part that mentions the type itself.
    recursive: bool,
}

/// A field.
struct Part {
    /// Its name, or its number in a tuple.
    key: TokenStream,
    /// The local variable that holds it.
    local: Ident,
    ty: Type,
    filling: Filling,
}

/// Where a field's value comes from.
enum Filling {
    Type,
    From(TokenStream),
    Default,
}

impl Shape {
    fn new(path: TokenStream, fields: Fields, type_name: &Ident) -> Result<Shape> {
        let parts = fields.into_iter().enumerate().map(|(i, it)| Part::new(i, it));
        let parts = parts.collect::<Result<Vec<_>>>()?;
        let recursive =
            parts.iter().any(|it| it.draws() && (it.mentions("Self") || it.mentions(&type_name.to_string())));
        Ok(Shape { path, parts, weight: None, recursive })
    }

    fn draws(&self) -> bool {
        self.parts.iter().any(Part::draws)
    }

    /// An expression that fills the fields in order.
    fn build(&self, names: &Names) -> TokenStream {
        let Shape { path, parts, .. } = self;
        let keys = parts.iter().map(|it| &it.key);
        let values = parts.iter().map(|it| it.value(names));
        if !parts.iter().any(|it| matches!(it.filling, Filling::From(_))) {
            return quote!(#path { #(#keys: #values,)* });
        }
        // A generator may use the fields before it by name.
        let locals: Vec<&Ident> = parts.iter().map(|it| &it.local).collect();
        let types = parts.iter().map(|it| &it.ty);
        quote!({ #(let #locals: #types = #values;)* #path { #(#keys: #locals,)* } })
    }
}

impl Part {
    fn new(i: usize, field: Field) -> Result<Part> {
        let Field { attrs, ident, ty, .. } = field;
        no_helpers(&attrs, &["weight"], "a field")?;
        let filling = match (helper(&attrs, "from")?, helper(&attrs, "skip")?) {
            (None, None) => Filling::Type,
            (None, Some(_)) => Filling::Default,
            (Some(it), None) => {
                Filling::From(arguments(it, "no generator; write one, as in `#[from(0..10)]`")?.clone())
            }
            (Some(it), Some(_)) => {
                return Err(Error::new_spanned(it, "a skipped field is not drawn; remove one of the two"));
            }
        };
        let key = match &ident {
            Some(it) => it.to_token_stream(),
            None => Index::from(i).into_token_stream(),
        };
        let local = ident.unwrap_or_else(|| format_ident!("field{i}", span = Span::mixed_site()));
        Ok(Part { key, local, ty, filling })
    }

    fn draws(&self) -> bool {
        !matches!(self.filling, Filling::Default)
    }

    fn mentions(&self, name: &str) -> bool {
        mentions(self.ty.to_token_stream(), name)
    }

    fn value(&self, Names { krate, source }: &Names) -> TokenStream {
        let ty = &self.ty;
        match &self.filling {
            Filling::Type => quote!(<#ty as #krate::Generate>::generate(#source)),
            Filling::From(generator) => {
                let lent = quote_spanned!(generator.span()=> &(#generator));
                quote!(#krate::Generator::generate(#lent, #source))
            }
            Filling::Default => quote_spanned!(ty.span()=> ::core::default::Default::default()),
        }
    }
}

/// The variants that can be drawn: those that end first, so that the simplest pick is one of them.
fn variants(all: impl IntoIterator<Item = Variant>, type_name: &Ident) -> Result<Vec<Shape>> {
    let mut res = Vec::new();
    for Variant { attrs, ident, fields, .. } in all {
        no_helpers(&attrs, &["from"], "a variant")?;
        if helper(&attrs, "skip")?.is_some() {
            continue;
        }
        let weight = helper(&attrs, "weight")?.map(weight).transpose()?;
        res.push(Shape { weight, ..Shape::new(quote!(Self::#ident), fields, type_name)? });
    }
    if res.is_empty() {
        let message = "no variant can be drawn; give it one without `#[skip]`";
        return Err(Error::new_spanned(type_name, message));
    }
    if res.iter().all(|it| it.weight == Some(0)) {
        let message = "every variant has weight zero; give one of them more";
        return Err(Error::new_spanned(type_name, message));
    }
    res.sort_by_key(|it| it.recursive);
    Ok(res)
}

fn weight(attr: &Attribute) -> Result<u32> {
    let hint = "a weight says how often to draw the variant; write a number, as in `#[weight(3)]`";
    let number: LitInt =
        syn::parse2(arguments(attr, hint)?.clone()).map_err(|err| Error::new(err.span(), hint))?;
    number.base10_parse()
}

/// Picks a shape; at the end of the size budget, one that ends.
fn pick(shapes: &[Shape], names: &Names) -> TokenStream {
    let source = &names.source;
    let ending = shapes.iter().filter(|it| !it.recursive).count();
    let mut at = pick_among(shapes, source);
    if 0 < ending && ending < shapes.len() {
        // Asked even where one is left: the choices after it keep their places when a case shrinks.
        let end = pick_among(&shapes[..ending], source);
        at = quote!(if #source.size() == 0 { #end } else { #at });
    }
    let builds = shapes
        .iter()
        .map(|it| it.build(names))
        .enumerate()
        .map(|(i, build)| if i + 1 < shapes.len() { quote!(#i => #build) } else { quote!(_ => #build) });
    quote!(match #at { #(#builds,)* })
}

fn pick_among(shapes: &[Shape], source: &Ident) -> TokenStream {
    let weights: Vec<u32> = shapes.iter().map(|it| it.weight.unwrap_or(1)).collect();
    if weights.iter().all(|it| *it == weights[0]) {
        let n = shapes.len();
        quote!(#source.pick(#n))
    } else {
        quote!(#source.pick_weighted(&[#(#weights),*]))
    }
}

/// Requires what the fields need of the type's parameters.
fn bound(generics: &mut Generics, shapes: &[Shape], krate: &TokenStream) {
    let params: Vec<Ident> = generics.type_params().map(|it| it.ident.clone()).collect();
    let parts = || shapes.iter().flat_map(|it| &it.parts);
    for param in &params {
        let needs = |it: &Part| {
            matches!(it.filling, Filling::Type)
                && it.mentions(&param.to_string())
                && !it.mentions("PhantomData")
        };
        if parts().any(needs) {
            generics.make_where_clause().predicates.push(syn::parse_quote!(#param: #krate::Generate));
        }
    }
    for Part { ty, .. } in parts().filter(|it| !it.draws()) {
        if params.iter().any(|it| mentions(ty.to_token_stream(), &it.to_string())) {
            generics.make_where_clause().predicates.push(syn::parse_quote!(#ty: ::core::default::Default));
        }
    }
}

/// The path of the crate `probity`, which `#[probity(crate = path)]` on a type gives.
fn krate(attrs: &[Attribute]) -> Result<TokenStream> {
    let Some(attr) = helper(attrs, "probity")? else { return Ok(quote!(::probity)) };
    let hint = "a type has one setting; write `#[probity(crate = path)]`";
    match Pair::list(arguments(attr, hint)?.clone())?.as_slice() {
        [Pair { key, value }] if key == "crate" => Ok(value.clone()),
        _ => Err(Error::new_spanned(attr, hint)),
    }
}

/// The helper attribute called `name`. A bare `#[from]` is not ours but that of an error type's derive.
fn helper<'a>(attrs: &'a [Attribute], name: &str) -> Result<Option<&'a Attribute>> {
    let ours =
        |it: &&Attribute| it.path().is_ident(name) && (name != "from" || matches!(it.meta, Meta::List(_)));
    let mut found = attrs.iter().filter(ours);
    match (found.next(), found.next()) {
        (_, Some(again)) => Err(Error::new_spanned(again, format!("`#[{name}]` is given twice; remove one"))),
        (first, None) => Ok(first),
    }
}

fn no_helpers(attrs: &[Attribute], names: &[&str], place: &str) -> Result<()> {
    for name in names {
        if let Some(attr) = helper(attrs, name)? {
            let home = match *name {
                "from" => "a field",
                "weight" => "a variant",
                _ => "a field or a variant",
            };
            return Err(Error::new_spanned(attr, format!("{place} has no `#[{name}]`; move it to {home}")));
        }
    }
    Ok(())
}
