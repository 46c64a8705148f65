//! What `#[probity::test]` stands on: a function whose parameters are blanks.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Attribute, Error, Generics, Result, ReturnType, Token, Type, TypeReference, Visibility};

use crate::parse::{arguments, mentions, split};

/// A function as it was written; the body stays tokens.
pub(crate) struct Function {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) vis: Visibility,
    pub(crate) asyncness: Option<Token![async]>,
    pub(crate) name: Ident,
    pub(crate) params: Vec<Param>,
    pub(crate) output: ReturnType,
    pub(crate) body: TokenStream,
}

/// One parameter, without the attributes that are ours.
pub(crate) struct Param {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) pattern: TokenStream,
    pub(crate) ty: Type,
    pub(crate) kind: Kind,
}

/// Where a parameter's value comes from.
pub(crate) enum Kind {
    /// It is drawn, by the generator of `#[from(..)]` or else of its type.
    Blank(Option<TokenStream>),
    /// It is what `setup = ..` made.
    Setup,
    /// It is the source itself.
    Source,
}

const GENERICS: &str = "a test has no generics, since nobody says what to fill in for them; \
                        write the types out, and one test for each";

impl Parse for Function {
    fn parse(input: ParseStream) -> Result<Self> {
        let attrs = input.call(Attribute::parse_outer)?;
        let vis = input.parse()?;
        let mut asyncness = None;
        while !input.peek(Token![fn]) {
            match input.parse::<TokenTree>()? {
                TokenTree::Ident(it) if it == "async" => asyncness = Some(Token![async](it.span())),
                TokenTree::Ident(it) if it == "const" || it == "unsafe" || it == "extern" => {
                    return Err(Error::new(it.span(), format!("a test is a plain `fn`; remove `{it}`")));
                }
                it => {
                    return Err(Error::new(it.span(), "a test is a function; put `#[probity::test]` on one"));
                }
            }
        }
        input.parse::<Token![fn]>()?;
        let name = input.parse()?;
        let generics: Generics = input.parse()?;
        if !generics.params.is_empty() {
            return Err(Error::new_spanned(generics, GENERICS));
        }
        let params;
        syn::parenthesized!(params in input);
        let params = Punctuated::<_, Token![,]>::parse_terminated(&params)?.into_iter().collect();
        let output = input.parse()?;
        if input.peek(Token![where]) {
            return Err(input.error(GENERICS));
        }
        Ok(Function { attrs, vis, asyncness, name, params, output, body: input.parse()? })
    }
}

impl Parse for Param {
    fn parse(input: ParseStream) -> Result<Self> {
        let attrs = input.call(Attribute::parse_outer)?;
        let pattern = pattern(input)?;
        input.parse::<Token![:]>()?;
        let ty: Type = input.parse()?;
        if mentions(ty.to_token_stream(), "impl") {
            return Err(Error::new_spanned(ty, GENERICS));
        }
        let lifetime = reference(&ty).and_then(|it| it.lifetime.as_ref());
        if let Some(it) = lifetime.filter(|it| it.ident == "static") {
            return Err(Error::new_spanned(it, "a drawn value lives for one case; remove `'static`"));
        }
        let (from, attrs) = split(attrs, "from");
        let (setup, attrs) = split(attrs, "setup");
        let kind = match (&from[..], &setup[..], reference(&ty)) {
            ([], [], Some(to)) if to.mutability.is_some() && is_path_to(&to.elem, "Source") => Kind::Source,
            ([], [], _) => Kind::Blank(None),
            ([from], [], _) => {
                Kind::Blank(Some(arguments(from, "no generator; write one, as in `#[from(0..10)]`")?.clone()))
            }
            ([], [_], Some(_)) => Kind::Setup,
            ([], [_], None) => {
                let hint = "what `setup` made is lent to every case; take it as `&T` or `&mut T`";
                return Err(Error::new_spanned(ty, hint));
            }
            ([_, attr, ..], ..) | (_, [attr, ..], _) => {
                let hint = "a parameter has one `#[from(..)]` or one `#[setup]`; remove this";
                return Err(Error::new_spanned(attr, hint));
            }
        };
        Ok(Param { attrs, pattern, ty, kind })
    }
}

/// The tokens before the colon of a parameter.
fn pattern(input: ParseStream) -> Result<TokenStream> {
    let mut res = TokenStream::new();
    loop {
        if let Some(path) = input.parse::<Option<Token![::]>>()? {
            path.to_tokens(&mut res);
        } else if input.is_empty() || input.peek(Token![,]) || input.peek(Token![:]) {
            break;
        } else {
            res.extend([input.parse::<TokenTree>()?]);
        }
    }
    if mentions(res.clone(), "self") {
        return Err(Error::new_spanned(
            res,
            "a test is no method; move it out of the `impl` and drop `self`",
        ));
    }
    Ok(res)
}

impl Param {
    /// The name of a parameter that is `name` or `mut name`.
    pub(crate) fn name(&self) -> Option<Ident> {
        let tokens = self.pattern.clone().into_iter().filter(|it| it.to_string() != "mut");
        match tokens.collect::<Vec<_>>().as_slice() {
            [TokenTree::Ident(it)] if it != "_" => Some(it.clone()),
            _ => None,
        }
    }

    /// The reference that the parameter takes, if it takes one.
    pub(crate) fn reference(&self) -> Option<&TypeReference> {
        reference(&self.ty)
    }

    pub(crate) fn is_blank(&self) -> bool {
        matches!(self.kind, Kind::Blank(_))
    }
}

impl ToTokens for Param {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Param { attrs, pattern, ty, .. } = self;
        tokens.extend(quote::quote!(#(#attrs)* #pattern: #ty));
    }
}

/// Types that came through a `macro_rules!` macro stand in a group that shows no parentheses.
fn ungroup(ty: &Type) -> &Type {
    match ty {
        Type::Group(it) => ungroup(&it.elem),
        Type::Paren(it) => ungroup(&it.elem),
        _ => ty,
    }
}

fn reference(ty: &Type) -> Option<&TypeReference> {
    match ungroup(ty) {
        Type::Reference(it) => Some(it),
        _ => None,
    }
}

fn is_path_to(ty: &Type, name: &str) -> bool {
    match ungroup(ty) {
        Type::Path(it) => {
            it.path.segments.last().is_some_and(|it| it.ident == name && it.arguments.is_none())
        }
        _ => false,
    }
}

/// The type that is drawn for a reference to `ty`.
pub(crate) fn owned(ty: &Type) -> TokenStream {
    match ungroup(ty) {
        Type::Slice(it) => {
            let elem = &it.elem;
            quote::quote!(::std::vec::Vec<#elem>)
        }
        it if is_path_to(it, "str") => quote::quote!(::std::string::String),
        it => it.to_token_stream(),
    }
}
